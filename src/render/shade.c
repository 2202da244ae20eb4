// SPDX-License-Identifier: MIT
// Light in linear units: sky and ground as a hemisphere times what of it is open, a key light times its shadow, a weak
// light from the camera so that nothing is black, and a soft highlight. A pixel is shaded once per surface that its samples
// see, at the mean of those samples, and weighted by their number: edges are smooth, and the work is that of one sample.
#include "render/shade.h"

#include <string.h>

static const Vec3 key_colour = {1.00f, 0.97f, 0.92f};
static const Vec3 sky_colour = {0.88f, 0.94f, 1.00f};
static const Vec3 bounce_colour = {0.62f, 0.61f, 0.60f};
static const float key_share = 0.62f, ambient_share = 0.50f, camera_share = 0.10f;

typedef struct ShadeJob {
    const Shading* s;
    Picture* picture;
    GammaTable gamma;
    Vec3 background; // linear
} ShadeJob;

static float smooth_step(float low, float high, float v)
{
    float t = least(most((v - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

// --- what colour a surface has

static Vec3 particle_colour(const Shading* s, uint32_t id)
{
    size_t i = id, look = 0;
    while (look + 1 < s->look_count && i >= s->looks[look].spheres.count)
        i -= s->looks[look++].spheres.count;
    const ParticleLook* p = &s->looks[look];
    if (p->paint == PAINT_FLUID)
        return colour_to_linear3(colour_of_fluid(p->fluid[i]));
    if (p->paint == PAINT_PLAIN)
        return colour_to_linear3(p->colour);
    float t = (p->scalar[i] - s->range[0]) / (s->range[1] - s->range[0]);
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    return s->map->linear[(int)(t * (COLOUR_MAP_SIZE - 1) + 0.5f)];
}

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static Vec3d world_direction(const Camera* c, Vec3 v)
{
    return vec3d_mad(vec3d_mad(vec3d_scale(c->right, (double)v.x), (double)v.y, c->down), (double)v.z, c->forward);
}

static Vec3d world_point(const Camera* c, Vec3 v)
{
    return vec3d_add(c->eye, world_direction(c, v));
}

static Vec3 solid_colour(const ShadeJob* job, const SolidItem* solid, const Fragment* f)
{
    const SolidPaint* paint = solid->paint;
    if (!paint)
        return colour_to_linear3(solid->colour);
    if (!paint->patterned)
        return paint->colour;
    // patterns live in the solid's own frame
    Vec3d p = quat_unrotate(solid->pose.rotation, vec3d_sub(world_point(job->s->camera, f->position), solid->pose.position));
    Vec3d n = quat_unrotate(solid->pose.rotation, world_direction(job->s->camera, f->normal));
    return pattern_at(&paint->pattern, to_vec3(p), to_vec3(n));
}

// --- how it is lit

Vec3 shade_lit(const Shading* s, Vec3 albedo, const Fragment* f, Reach reach, float gloss)
{
    Vec3 n = f->normal;
    Vec3 to_eye = s->view->samples.camera.orthographic ? (Vec3){0, 0, -1} : vec3_normalise(vec3_scale(f->position, -1));
    float key = most(vec3_dot(n, s->light->to_key), 0) * reach.key;
    Vec3 sky = vec3_mix(bounce_colour, sky_colour, 0.5f + 0.5f * vec3_dot(n, s->view->up));
    float facing = most(vec3_dot(n, to_eye), 0);
    Vec3 light = vec3_scale(sky, ambient_share * reach.sky);
    light = vec3_mad(light, key_share * key, key_colour);
    light = vec3_mad(light, camera_share * facing * (0.4f + 0.6f * reach.sky), (Vec3){1, 1, 1});
    Vec3 half = vec3_normalise(vec3_add(to_eye, s->light->to_key));
    float shine = most(vec3_dot(n, half), 0);
    shine *= shine; // to the 16th
    shine *= shine;
    shine *= shine;
    shine *= shine;
    return vec3_mad(vec3_mul(albedo, light), gloss * shine * reach.key, key_colour);
}

// What is seen where nothing is: the background's colour in the studio and in 2D, else the sky.
static Vec3 background_at(const ShadeJob* job, Vec3 position)
{
    const Shading* s = job->s;
    if (!s->light || !s->environment || s->environment->sky == MN_SKY_STUDIO)
        return job->background;
    Vec3 d = s->camera->orthographic ? (Vec3){0, 0, 1} : vec3_normalise(position);
    return environment_light(s->environment, to_vec3(world_direction(s->camera, d)));
}

// The ground has the colour of the background where nothing stands in its light, so it needs no horizon; below a sky it is grey.
static Vec3 ground_colour(const ShadeJob* job, const Fragment* f, int x, int y)
{
    const Shading* s = job->s;
    Vec3 away = vec3_sub(f->position, s->ground_centre);
    float far = 2.6f * s->ground_radius;
    if (vec3_dot(away, away) > 1.001f * far * far)
        return background_at(job, f->position); // most of a picture: nothing else would show
    float near = 1 - smooth_step(1.0f * s->ground_radius, far, sqrtf(vec3_dot(away, away)));
    Reach reach = light_at(s->light, x, y, f->position.z);
    float dim = (1 - reach.key) * 0.34f + (1 - reach.sky) * 0.5f;
    Vec3 colour = background_at(job, f->position);
    bool under_sky = s->environment && s->environment->sky != MN_SKY_STUDIO;
    if (!s->ground_pattern && under_sky)
        colour = vec3_mix(colour, (Vec3){0.55f, 0.52f, 0.47f}, near);
    if (s->ground_pattern) {
        Vec3d p = world_point(s->camera, f->position), n = world_direction(s->camera, s->view->up);
        Vec3 own = s->ground_pattern->size > 0 ? pattern_at(s->ground_pattern, to_vec3(p), to_vec3(n)) : s->ground_pattern->colour;
        colour = vec3_mix(colour, own, near);
    }
    return vec3_scale(colour, 1 - near * dim);
}

// Metal shows the environment in its colour; glass is pale.
static Vec3 solid_lit(const ShadeJob* job, const SolidItem* solid, const Fragment* f, Reach reach)
{
    const Shading* s = job->s;
    Vec3 colour = solid_colour(job, solid, f);
    mn_Finish finish = solid->paint ? solid->paint->finish : MN_FINISH_PAINT;
    if (finish == MN_FINISH_GLASS)
        return vec3_mix(shade_lit(s, colour, f, reach, 0.3f), job->background, 0.6f);
    Vec3 lit = shade_lit(s, colour, f, reach, finish == MN_FINISH_MATTE ? 0 : 0.10f);
    if (finish != MN_FINISH_METAL || !s->environment)
        return lit;
    Vec3 d = s->camera->orthographic ? (Vec3){0, 0, 1} : vec3_normalise(f->position);
    Vec3 up = vec3_mad(d, -2 * vec3_dot(d, f->normal), f->normal);
    Vec3 sky = environment_light(s->environment, to_vec3(world_direction(s->camera, up)));
    return vec3_mix(vec3_scale(vec3_mul(colour, sky), 0.4f + 0.6f * reach.sky), lit, solid->paint->roughness);
}

// Walls of containers are nearly as light as the background, whatever their colour, so that the water stands out: only
// corners and shadows show them.
static Vec3 wall_colour(const ShadeJob* job, const SolidItem* solid, const Fragment* f, Reach reach)
{
    Vec3 n = f->normal;
    float dim = (1 - reach.key) * (vec3_dot(n, job->s->light->to_key) > 0 ? 0.22f : 0.05f) + (1 - reach.sky) * 0.5f;
    float turned = 0.045f + 0.05f * (1 - vec3_dot(n, job->s->view->up)) + 0.03f * n.x;
    Vec3 c = vec3_mix(job->background, solid_colour(job, solid, f), 0.06f);
    return vec3_scale(c, (1 - turned) * (1 - dim));
}

static Vec3 surface_colour(const ShadeJob* job, const Fragment* f, int x, int y)
{
    const Shading* s = job->s;
    if (!s->light) {
        if (f->id == ID_NONE)
            return job->background;
        Vec3 c = f->id & ID_TRIANGLE ? solid_colour(job, &s->solids[s->view->triangles.view[f->id & ID_INDEX].solid], f)
                                     : particle_colour(s, f->id);
        return vec3_scale(c, 0.72f + 0.28f * fabsf(f->normal.z)); // a rim tells discs apart
    }
    if (f->id == ID_NONE)
        return ground_colour(job, f, x, y);
    Reach reach = light_at(s->light, x, y, f->position.z);
    if (f->id & ID_TRIANGLE) {
        const SolidItem* solid = &s->solids[s->view->triangles.view[f->id & ID_INDEX].solid];
        return solid->look == LOOK_SOLID || solid->coloured ? solid_lit(job, solid, f, reach) : wall_colour(job, solid, f, reach);
    }
    return shade_lit(s, particle_colour(s, f->id), f, reach, 0.10f);
}

// --- one pixel

// The samples of a pixel that see the same surface.
typedef struct Group {
    uint32_t id;
    int count;
    float x, y, z; // sums
} Group;

enum { MAX_GROUPS = 16 }; // factor 4

static void group_add(Group* group, int* groups, uint32_t id, int x, int y, float z)
{
    int g = 0;
    while (g < *groups && (group[g].id != id || (group[g].z < NOTHING) != (z < NOTHING)))
        g++;
    if (g == *groups)
        group[(*groups)++] = (Group){.id = id};
    group[g].count++;
    group[g].x += (float)x + 0.5f;
    group[g].y += (float)y + 0.5f;
    group[g].z += z;
}

static int group_samples(const View* view, int px, int py, Group group[MAX_GROUPS], float* glass)
{
    int groups = 0, factor = view->factor, panes = 0;
    for (int y = py * factor; y < (py + 1) * factor; y++) {
        const uint32_t* id = view->samples.id + (size_t)y * (size_t)view->samples.stride;
        const float* depth = view->samples.depth + (size_t)y * (size_t)view->samples.stride;
        for (int x = px * factor; x < (px + 1) * factor; x++) {
            panes += id[x] >> 31;
            group_add(group, &groups, id[x] & ~ID_GLASS, x, y, depth[x]);
        }
    }
    *glass = (float)panes / (float)(factor * factor);
    return groups;
}

// The same for one sample per pixel.
static Vec3 sample_colour(const ShadeJob* job, int px, int py)
{
    const View* view = job->s->view;
    size_t at = (size_t)py * (size_t)view->samples.stride + (size_t)px;
    uint32_t id = view->samples.id[at];
    float z = view->samples.depth[at];
    Vec3 colour;
    if (!(z < NOTHING)) {
        colour = background_at(job, view_point(view, (float)px + 0.5f, (float)py + 0.5f, 1));
    } else {
        Fragment f = view_fragment(view, id & ~ID_GLASS, view_point(view, (float)px + 0.5f, (float)py + 0.5f, z));
        colour = surface_colour(job, &f, px, py);
    }
    return vec3_mix(colour, (Vec3){1, 1, 1}, id >> 31 ? 0.010f : 0);
}

static Vec3 pixel_colour(const ShadeJob* job, int px, int py)
{
    const View* view = job->s->view;
    if (view->factor == 1)
        return sample_colour(job, px, py);
    Group group[MAX_GROUPS];
    float glass;
    int groups = group_samples(view, px, py, group, &glass);
    Vec3 sum = {0, 0, 0};
    for (int g = 0; g < groups; g++) {
        float n = (float)group[g].count, share = n / (float)(view->factor * view->factor);
        Vec3 colour;
        if (!(group[g].z < NOTHING)) {
            colour = background_at(job, view_point(view, group[g].x / n, group[g].y / n, 1));
        } else {
            Vec3 p = view_point(view, group[g].x / n, group[g].y / n, group[g].z / n);
            Fragment f = view_fragment(view, group[g].id, p);
            colour = surface_colour(job, &f, px, py);
        }
        sum = vec3_mad(sum, share, colour);
    }
    return vec3_mix(sum, (Vec3){1, 1, 1}, 0.010f * glass);
}

// Ground in full light and beyond it has the colour of the background: in a window most pixels need nothing else.
static bool is_plain(const ShadeJob* job, int px, int py)
{
    const Shading* s = job->s;
    const View* view = s->view;
    size_t at = (size_t)py * (size_t)view->samples.stride + (size_t)px;
    if (view->samples.id[at] != ID_NONE)
        return false;
    float z = view->samples.depth[at];
    if (!(z < NOTHING))
        return true;
    Reach reach = light_at(s->light, px, py, z);
    return reach.key == 1 && reach.sky == 1;
}

static void shade_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    ShadeJob* job = context;
    Picture* picture = job->picture;
    const Environment* env = job->s->environment;
    bool may_be_plain =
        job->s->view->factor == 1 && job->s->light && !job->s->ground_pattern && (!env || env->sky == MN_SKY_STUDIO);
    const uint8_t plain[3] = {gamma_byte(&job->gamma, job->background.x), gamma_byte(&job->gamma, job->background.y),
                              gamma_byte(&job->gamma, job->background.z)};
    for (int y = (int)begin; y < (int)end; y++) {
        uint8_t* out = picture->rgb + (size_t)y * (size_t)picture->width * 3;
        for (int x = 0; x < picture->width; x++, out += 3) {
            if (may_be_plain && is_plain(job, x, y)) {
                memcpy(out, plain, 3);
                continue;
            }
            Vec3 c = pixel_colour(job, x, y);
            out[0] = gamma_byte(&job->gamma, c.x);
            out[1] = gamma_byte(&job->gamma, c.y);
            out[2] = gamma_byte(&job->gamma, c.z);
        }
    }
}

void shade_picture(const Shading* shading, Picture* picture)
{
    ShadeJob job = {.s = shading, .picture = picture, .background = colour_to_linear3(shading->background)};
    gamma_table_build(&job.gamma);
    parallel_for(shading->view->pool, (size_t)picture->height, 4, shade_rows, &job);
}
