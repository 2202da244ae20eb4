// SPDX-License-Identifier: MIT
// The studio: a neutral wall, brighter above, and two soft boxes that water mirrors. The day: a blue sky that pales
// towards the horizon.
#include "trace/sky.h"

#include "trace/vector.h"

static float smooth(float low, float high, float x)
{
    float t = (x - low) / (high - low);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

// A soft rectangle about `centre` (a direction), 0..1.
static float soft_box(Vec3 d, Vec3 centre, Vec3 up, float half_width, float half_height)
{
    Vec3 side = v3_normalise(v3_cross(up, centre)), top = v3_cross(centre, side);
    float depth = v3_dot(d, centre);
    if (depth <= 0.05f)
        return 0;
    float x = fabsf(v3_dot(d, side) / depth) / half_width, y = fabsf(v3_dot(d, top) / depth) / half_height;
    return (1 - smooth(0.85f, 1.0f, x)) * (1 - smooth(0.8f, 1.0f, y));
}

static Vec3 studio(const TraceWorld* w, Vec3 d)
{
    float height = v3_dot(d, w->up);
    return v3_scale(w->background, 1 + 0.9f * smooth(0.05f, 0.95f, height));
}

// A large box over the scene, opposite to the sun, and a strip at the side.
Vec3 sky_lamps(const TraceWorld* w, Vec3 d)
{
    if (w->sky != TRACE_STUDIO || v3_dot(d, w->up) < 0)
        return v3(0, 0, 0);
    Vec3 across = v3_normalise(v3_cross(w->up, w->to_sun)), along = v3_normalise(v3_cross(across, w->up));
    Vec3 key = v3_normalise(v3_add(v3_scale(w->up, 1.0f), v3_scale(along, -0.9f)));
    Vec3 rim = v3_normalise(v3_add(v3_scale(w->up, 0.35f), v3_add(v3_scale(across, 0.9f), v3_scale(along, 0.3f))));
    float light = 3.0f * soft_box(d, key, w->up, 0.75f, 0.4f) + 2.2f * soft_box(d, rim, w->up, 0.25f, 0.5f);
    return v3_scale(v3(1.0f, 0.98f, 0.95f), light);
}

static Vec3 day(const TraceWorld* w, Vec3 d)
{
    float height = v3_dot(d, w->up), h = fmaxf(height, 0);
    Vec3 zenith = v3(0.16f, 0.33f, 0.70f), horizon = v3(0.86f, 0.93f, 1.0f);
    Vec3 sky = v3_mix(horizon, zenith, powf(h, 0.45f));
    // haze around the sun, and a white band low over the horizon
    float near_sun = fmaxf(v3_dot(d, w->to_sun), 0);
    sky = v3_add(sky, v3_scale(v3(1.0f, 0.92f, 0.8f), 0.35f * powf(near_sun, 8) + 0.8f * powf(near_sun, 96)));
    return height < 0 ? v3_scale(horizon, 0.9f) : sky;
}

Vec3 sky_light(const TraceWorld* world, Vec3 direction)
{
    return world->sky == TRACE_DAY ? day(world, direction) : studio(world, direction);
}

Vec3 sky_sun(const TraceWorld* world, Vec3 direction)
{
    float cosine = cosf(world->sun_size);
    if (v3_dot(direction, world->to_sun) < cosine)
        return v3(0, 0, 0);
    return v3_scale(world->sun, 1 / (6.2831853f * (1 - cosine) * cosine));
}
