// SPDX-License-Identifier: MIT
// The studio: a neutral wall, brighter above, and two soft boxes that water mirrors. The day: a blue sky that pales
// towards the horizon. A map may contain a sun; paths that meet it by chance would be noise, so that what is much brighter than
// the rest becomes a lamp (its light, its direction), and diffuse surfaces see the map without it.
#include "render/environment_lanes.h"

#include "render/colour.h"
#include "render/view.h"

static const float pi = 3.14159265f;

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static Vec3 cross(Vec3 a, Vec3 b)
{
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static float smooth(float low, float high, float x)
{
    float t = (x - low) / (high - low);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

// --- studio, day, gradient

// A soft rectangle about `centre` (a direction).
static Lamp make_lamp(Vec3 centre, Vec3 up, float half_width, float half_height, float light)
{
    Vec3 side = vec3_normalise(cross(up, centre));
    return (Lamp){centre, side, cross(centre, side), half_width, half_height, light};
}

// 0..1
static float soft_box(const Lamp* lamp, Vec3 d)
{
    float depth = vec3_dot(d, lamp->centre);
    if (depth <= 0.05f)
        return 0;
    float x = fabsf(vec3_dot(d, lamp->side) / depth) / lamp->half_width,
          y = fabsf(vec3_dot(d, lamp->top) / depth) / lamp->half_height;
    return x < 1 && y < 1 ? (1 - smooth(0.85f, 1.0f, x)) * (1 - smooth(0.8f, 1.0f, y)) : 0;
}

static Vec3 studio(const Environment* env, Vec3 d)
{
    float height = vec3_dot(d, env->up);
    return vec3_scale(env->wall, 1 + 0.9f * smooth(0.05f, 0.95f, height));
}

// A large box over the scene, opposite to the sun, and a strip at the side.
static void hang_lamps(Environment* env)
{
    Vec3 along = env->lamp_side, across = cross(env->up, along);
    Vec3 key = vec3_normalise(vec3_mad(env->up, -0.9f, along));
    Vec3 rim = vec3_normalise(vec3_mad(vec3_mad(vec3_scale(env->up, 0.35f), 0.9f, across), 0.3f, along));
    env->lamp[0] = make_lamp(key, env->up, 0.75f, 0.4f, 3.0f);
    env->lamp[1] = make_lamp(rim, env->up, 0.25f, 0.5f, 2.2f);
}

static Vec3 studio_lamps(const Environment* env, Vec3 d)
{
    if (vec3_dot(d, env->up) < 0)
        return (Vec3){0, 0, 0};
    float light = env->lamp[0].light * soft_box(&env->lamp[0], d) + env->lamp[1].light * soft_box(&env->lamp[1], d);
    return vec3_scale((Vec3){1.0f, 0.98f, 0.95f}, light);
}

static Vec3 day(const Environment* env, Vec3 d)
{
    float height = vec3_dot(d, env->up), h = fmaxf(height, 0);
    Vec3 zenith = {0.16f, 0.33f, 0.70f}, horizon = {0.86f, 0.93f, 1.0f};
    if (height < 0)
        return vec3_scale(horizon, 0.9f);
    Vec3 sky = vec3_mix(horizon, zenith, powf(h, 0.45f));
    if (env->sun_count == 0)
        return sky;
    // haze around the sun
    float near_sun = fmaxf(vec3_dot(d, env->sun[0].to), 0);
    return vec3_mad(sky, 0.35f * powf(near_sun, 8) + 0.8f * powf(near_sun, 96), (Vec3){1.0f, 0.92f, 0.8f});
}

static Vec3 gradient(const Environment* env, Vec3 d)
{
    float height = vec3_dot(d, env->up);
    return height > 0 ? vec3_mix(env->horizon, env->zenith, powf(height, 0.6f))
                      : vec3_mix(env->horizon, env->below, powf(-height, 0.6f));
}

// --- map

// Two level directions; the first is the middle of an unturned map's left edge.
static void level_axes(Vec3 up, Vec3* a, Vec3* b)
{
    *a = vec3_normalise(fabsf(up.x) > 0.7f ? cross(up, (Vec3){0, 1, 0}) : cross((Vec3){1, 0, 0}, up));
    *b = cross(up, *a);
}

static Vec3 map_light(const Environment* env, Vec3 d)
{
    Vec3 a, b;
    level_axes(env->up, &a, &b);
    float height = vec3_dot(d, env->up);
    float u = (atan2f(vec3_dot(d, b), vec3_dot(d, a)) + env->turn) / (2 * pi);
    float v = acosf(height < -1 ? -1 : height > 1 ? 1 : height) / pi;
    return image_at(env->map, u, v, true);
}

static Vec3 map_direction(const Environment* env, float u, float v)
{
    Vec3 a, b;
    level_axes(env->up, &a, &b);
    float angle = 2 * pi * u - env->turn, s = sinf(pi * v);
    return vec3_mad(vec3_mad(vec3_scale(env->up, cosf(pi * v)), s * cosf(angle), a), s * sinf(angle), b);
}

static float largest(Vec3 c)
{
    return fmaxf(c.x, fmaxf(c.y, c.z));
}

// What exceeds eight times the mean becomes one sun at its middle.
static void find_sun(Environment* env, bool wanted)
{
    const Image* m = env->map;
    double sum = 0, weight = 0;
    for (int y = 0; y < m->height; y++) {
        double solid = sin(3.14159265358979 * (y + 0.5) / m->height);
        for (int x = 0; x < m->width; x++) {
            sum += solid * (double)largest(m->pixel[(size_t)y * (size_t)m->width + (size_t)x]);
            weight += solid;
        }
    }
    env->map_limit = (float)(8 * sum / weight);
    Vec3 light = {0, 0, 0}, to = {0, 0, 0};
    float total = 0, angle = 0;
    for (int y = 0; y < m->height; y++) {
        float v = ((float)y + 0.5f) / (float)m->height;
        float solid = sinf(pi * v) * 2 * pi * pi / ((float)m->width * (float)m->height);
        for (int x = 0; x < m->width; x++) {
            Vec3 c = m->pixel[(size_t)y * (size_t)m->width + (size_t)x];
            float most_of = largest(c);
            if (!(most_of > env->map_limit))
                continue;
            float share = (1 - env->map_limit / most_of) * solid;
            light = vec3_mad(light, share, c);
            to = vec3_mad(to, share * most_of, map_direction(env, ((float)x + 0.5f) / (float)m->width, v));
            total += share * most_of;
            angle += solid;
        }
    }
    if (total <= 0 || vec3_dot(to, to) == 0 || !wanted)
        return;
    env->sun_is_in_map = true;
    env->sun[env->sun_count++] = (Sun){
        .to = vec3_normalise(to), .light = vec3_scale(light, env->strength), .size = fminf(fmaxf(sqrtf(angle / pi), 0.005f), 0.5f)};
}

// --- the whole

// High, to the left and a little behind the scene: water shines towards the camera.
static Vec3 automatic_sun(const Camera* camera, Vec3d up)
{
    Vec3d back = vec3d_scale(camera->forward, -1), left = vec3d_scale(camera->right, -1);
    Vec3d flat = vec3d_normalise(vec3d_mad(back, -vec3d_dot(back, up), up));
    return to_vec3(vec3d_normalise(vec3d_add(vec3d_scale(up, 1.25), vec3d_add(vec3d_scale(left, 0.9), vec3d_scale(flat, -0.25)))));
}

static Vec3 linear(mn_Vec3 srgb)
{
    return colour_to_linear3(to_vec3(srgb));
}

static void add_suns(Environment* env, const mn_ViewDef* view, const Camera* camera, Vec3d up)
{
    bool is_day = env->sky == MN_SKY_DAY;
    Vec3 automatic = automatic_sun(camera, up);
    for (size_t k = 0; k < view->light_count && k < MAX_SUNS; k++) {
        const mn_LightDef* l = &view->lights[k];
        env->sun[env->sun_count++] = (Sun){.to = to_vec3(vec3d_normalise(l->direction)),
                                           .light = vec3_scale(linear(l->colour), 1.3f * (float)l->strength),
                                           .size = (float)l->size * pi / 180};
    }
    if (env->sky == MN_SKY_MAP)
        find_sun(env, env->sun_count == 0);
    else if (env->sun_count == 0)
        env->sun[env->sun_count++] = (Sun){.to = automatic,
                                           .light = is_day ? (Vec3){2.6f, 2.4f, 2.05f} : (Vec3){1.35f, 1.3f, 1.2f},
                                           .size = is_day ? 0.02f : 0.15f};
    Vec3 side = env->sun_count ? env->sun[0].to : automatic;
    side = vec3_mad(side, -vec3_dot(side, env->up), env->up);
    Vec3 a, b;
    level_axes(env->up, &a, &b);
    env->lamp_side = vec3_dot(side, side) > 1e-6f ? vec3_normalise(side) : a;
}

void environment_build(Environment* env, const mn_ViewDef* view, const Camera* camera, Vec3d up, const Image* map)
{
    const mn_EnvironmentDef* e = &view->environment;
    *env = (Environment){.sky = map || e->sky != MN_SKY_MAP ? e->sky : MN_SKY_STUDIO,
                         .up = to_vec3(up),
                         .wall = linear(view->background),
                         .zenith = linear(e->zenith),
                         .horizon = linear(e->horizon),
                         .below = linear(e->below),
                         .map = map,
                         .turn = (float)e->turn * pi / 180,
                         .map_limit = INFINITY,
                         .strength = (float)e->strength};
    add_suns(env, view, camera, up);
    hang_lamps(env);
}

static Vec3 plain_light(const Environment* env, Vec3 d)
{
    switch (env->sky) {
    case MN_SKY_DAY:
        return day(env, d);
    case MN_SKY_GRADIENT:
        return gradient(env, d);
    case MN_SKY_MAP:
        return map_light(env, d);
    default:
        return studio(env, d);
    }
}

Vec3 environment_light(const Environment* env, Vec3 d)
{
    Vec3 light = plain_light(env, d);
    float most_of = env->sky == MN_SKY_MAP ? largest(light) : 0;
    if (most_of > env->map_limit)
        light = vec3_scale(light, env->map_limit / most_of);
    return vec3_scale(light, env->strength);
}

Vec3 environment_mirrored(const Environment* env, Vec3 d)
{
    Vec3 light = plain_light(env, d);
    if (env->sky == MN_SKY_STUDIO)
        light = vec3_add(light, studio_lamps(env, d));
    light = vec3_scale(light, env->strength);
    for (int k = 0; k < env->sun_count && !env->sun_is_in_map; k++) {
        const Sun* s = &env->sun[k];
        float cosine = cosf(s->size);
        if (vec3_dot(d, s->to) >= cosine)
            light = vec3_mad(light, 1 / (2 * pi * (1 - cosine) * cosine), s->light);
    }
    return light;
}

// --- the same for LANES directions

static F8 smooth_lanes(float low, float high, F8 x)
{
    F8 t = f8_within(f8_mul(f8_sub(x, f8_set(low)), f8_set(1 / (high - low))), 0, 1);
    return f8_mul(f8_mul(t, t), f8_nmad(f8_set(2), t, f8_set(3)));
}

static F8 soft_box_lanes(const Lamp* lamp, V8 d)
{
    F8 depth = v8_dot(d, v8_set(lamp->centre)), seen = f8_less(f8_set(0.05f), depth), per_depth = f8_div(f8_set(1), depth);
    F8 x = f8_mul(f8_positive(f8_mul(v8_dot(d, v8_set(lamp->side)), per_depth)), f8_set(1 / lamp->half_width));
    F8 y = f8_mul(f8_positive(f8_mul(v8_dot(d, v8_set(lamp->top)), per_depth)), f8_set(1 / lamp->half_height));
    F8 one = f8_set(1), inside = f8_and(f8_less(x, one), f8_less(y, one));
    return f8_and(f8_and(f8_mul(f8_sub(one, smooth_lanes(0.85f, 1, x)), f8_sub(one, smooth_lanes(0.8f, 1, y))), inside), seen);
}

static V8 studio_mirrored_lanes(const Environment* env, V8 d)
{
    F8 height = v8_dot(d, v8_set(env->up)), below = f8_less(height, f8_zero());
    V8 light = v8_scale(v8_set(env->wall), f8_mad(f8_set(0.9f), smooth_lanes(0.05f, 0.95f, height), f8_set(1)));
    F8 lamps = f8_zero();
    for (int k = 0; k < 2; k++)
        lamps = f8_mad(f8_set(env->lamp[k].light), soft_box_lanes(&env->lamp[k], d), lamps);
    lamps = f8_pick(below, f8_zero(), lamps);
    light = v8_scale(v8_mad(light, lamps, v8_set((Vec3){1.0f, 0.98f, 0.95f})), f8_set(env->strength));
    for (int k = 0; k < env->sun_count; k++) {
        const Sun* s = &env->sun[k];
        float cosine = cosf(s->size);
        F8 in_sun = f8_less(f8_set(cosine), v8_dot(d, v8_set(s->to)));
        light = v8_mad(light, f8_and(f8_set(1 / (2 * pi * (1 - cosine) * cosine)), in_sun), v8_set(s->light));
    }
    return light;
}

V8 environment_mirrored_lanes(const Environment* env, V8 direction)
{
    if (env->sky == MN_SKY_STUDIO)
        return studio_mirrored_lanes(env, direction);
    float d[3][LANES], light[3][LANES];
    v8_store(d, direction);
    for (int k = 0; k < LANES; k++) {
        Vec3 c = environment_mirrored(env, (Vec3){d[0][k], d[1][k], d[2][k]});
        light[0][k] = c.x;
        light[1][k] = c.y;
        light[2][k] = c.z;
    }
    return v8_load(light);
}
