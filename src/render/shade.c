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
    Vec3 background;            // linear
    Vec3 colour[UINT8_MAX + 1]; // of fluids, linear; only where particles are painted by them
    Vec3 plain[MAX_PARTICLE_LOOKS];
    uint8_t plain_bytes[3]; // of the background
    bool studio;            // the ground and what is beyond it have the colour of the background
} ShadeJob;

static float smooth_step(float low, float high, float v)
{
    float t = least(most((v - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

// --- what colour a surface has

static Vec3 particle_colour(const ShadeJob* job, uint32_t id)
{
    const Shading* s = job->s;
    size_t i = id, look = 0;
    while (look + 1 < s->look_count && i >= s->looks[look].spheres.count)
        i -= s->looks[look++].spheres.count;
    const ParticleLook* p = &s->looks[look];
    if (p->paint == PAINT_FLUID)
        return job->colour[p->fluid[i]];
    if (p->paint == PAINT_PLAIN)
        return job->plain[look];
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
    if (paint->has_inner && job->s->view->triangles.view[f->id & ID_INDEX].inner)
        return paint->inner;
    if (!paint->patterned)
        return paint->colour;
    // patterns live in the solid's own frame
    Vec3d p = quat_unrotate(solid->pose.rotation, vec3d_sub(world_point(job->s->camera, f->position), solid->pose.position));
    Vec3d n = quat_unrotate(solid->pose.rotation, world_direction(job->s->camera, f->normal));
    return pattern_at(&paint->pattern, to_vec3(p), to_vec3(n));
}

// --- how it is lit

V8 shade_lit_lanes(const Shading* s, V8 albedo, V8 position, V8 n, F8 sky, F8 key, float gloss)
{
    bool flat = s->view->samples.camera.orthographic;
    V8 to_eye = flat ? v8_set((Vec3){0, 0, -1}) : v8_normalise(v8_scale(position, f8_set(-1))), to_key = v8_set(s->light->to_key);
    V8 white = v8_set((Vec3){1, 1, 1}), lamp = v8_set(key_colour);
    F8 up = f8_mad(f8_set(0.5f), v8_dot(n, v8_set(s->view->up)), f8_set(0.5f));
    V8 light = v8_scale(v8_mix(v8_set(bounce_colour), v8_set(sky_colour), up), f8_mul(f8_set(ambient_share), sky));
    light = v8_mad(light, f8_mul(f8_mul(f8_set(key_share), f8_max(v8_dot(n, to_key), f8_zero())), key), lamp);
    F8 facing = f8_mul(f8_max(v8_dot(n, to_eye), f8_zero()), f8_mad(f8_set(0.6f), sky, f8_set(0.4f)));
    light = v8_mad(light, f8_mul(f8_set(camera_share), facing), white);
    F8 shine = f8_max(v8_dot(n, v8_normalise(v8_add(to_eye, to_key))), f8_zero());
    for (int k = 0; k < 4; k++) // to the 16th
        shine = f8_mul(shine, shine);
    return v8_mad(v8_mul(albedo, light), f8_mul(f8_mul(f8_set(gloss), shine), key), lamp);
}

Vec3 shade_lit(const Shading* s, Vec3 albedo, const Fragment* f, Reach reach, float gloss)
{
    float lane[3][LANES];
    v8_store(lane, shade_lit_lanes(s, v8_set(albedo), v8_set(f->position), v8_set(f->normal), f8_set(reach.sky), f8_set(reach.key),
                                   gloss));
    return (Vec3){lane[0][0], lane[1][0], lane[2][0]};
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
                                     : particle_colour(job, f->id);
        return vec3_scale(c, 0.72f + 0.28f * fabsf(f->normal.z)); // a rim tells discs apart
    }
    if (f->id == ID_NONE)
        return ground_colour(job, f, x, y);
    Reach reach = light_at(s->light, x, y, f->position.z);
    if (f->id & ID_TRIANGLE) {
        const SolidItem* solid = &s->solids[s->view->triangles.view[f->id & ID_INDEX].solid];
        return solid->look == LOOK_SOLID || solid->coloured ? solid_lit(job, solid, f, reach) : wall_colour(job, solid, f, reach);
    }
    return shade_lit(s, particle_colour(job, f->id), f, reach, 0.10f);
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

static void put_pixel(const ShadeJob* job, uint8_t* out, Vec3 c)
{
    out[0] = gamma_byte(&job->gamma, c.x);
    out[1] = gamma_byte(&job->gamma, c.y);
    out[2] = gamma_byte(&job->gamma, c.z);
}

// --- LANES pixels side by side with one sample each

typedef struct Lanes {
    int x, y;
    uint32_t id[LANES]; // without ID_GLASS
    float glass[LANES];
    V8 position;
    bool particles, ground; // all of them see particles, the ground or nothing
} Lanes;

static void lanes_read(Lanes* lanes, const ShadeJob* job, int x, int y)
{
    const View* view = job->s->view;
    const Camera* c = &view->samples.camera;
    size_t at = (size_t)y * (size_t)view->samples.stride + (size_t)x;
    lanes->x = x;
    lanes->y = y;
    lanes->particles = lanes->ground = true;
    for (int k = 0; k < LANES; k++) {
        uint32_t id = view->samples.id[at + (size_t)k];
        lanes->glass[k] = id >> 31 ? 0.010f : 0;
        lanes->id[k] = id &= ~ID_GLASS;
        lanes->particles &= id < ID_NONE;
        lanes->ground &= id == ID_NONE;
    }
    F8 z = f8_min(f8_load(view->samples.depth + at), f8_set(NOTHING));
    F8 scale = f8_mul(f8_set(1 / (float)c->focal), c->orthographic ? f8_set(1) : z);
    F8 across = f8_add(f8_ramp(), f8_set((float)x + 0.5f - (float)c->centre_x));
    lanes->position = (V8){f8_mul(across, scale), f8_mul(f8_set((float)y + 0.5f - (float)c->centre_y), scale), z};
}

static V8 particle_lanes(const ShadeJob* job, const Lanes* lanes)
{
    float albedo[3][LANES];
    for (int k = 0; k < LANES; k++) {
        Vec3 c = particle_colour(job, lanes->id[k]);
        albedo[0][k] = c.x;
        albedo[1][k] = c.y;
        albedo[2][k] = c.z;
    }
    V8 centre;
    F8 radius, sky, key;
    f8_gather4(job->s->view->spheres.view, lanes->id, &centre.x, &centre.y, &centre.z, &radius);
    V8 n = v8_normalise(v8_sub(lanes->position, centre));
    light_at_lanes(job->s->light, lanes->x, lanes->y, lanes->position.z, &sky, &key);
    return shade_lit_lanes(job->s, v8_load(albedo), lanes->position, n, sky, key, 0.10f);
}

// Of a ground without a pattern in the studio, as ground_colour() has it.
static V8 ground_lanes(const ShadeJob* job, const Lanes* lanes)
{
    float near = job->s->ground_radius, far = 2.6f * near;
    V8 away = v8_sub(lanes->position, v8_set(job->s->ground_centre));
    F8 sky, key, one = f8_set(1);
    F8 t = f8_within(f8_mul(f8_sub(f8_sqrt(v8_dot(away, away)), f8_set(near)), f8_set(1 / (far - near))), 0, 1);
    F8 share = f8_nmad(f8_mul(t, t), f8_nmad(f8_set(2), t, f8_set(3)), one);
    light_at_lanes(job->s->light, lanes->x, lanes->y, lanes->position.z, &sky, &key);
    F8 dim = f8_mad(f8_set(0.34f), f8_sub(one, key), f8_mul(f8_set(0.5f), f8_sub(one, sky)));
    return v8_scale(v8_set(job->background), f8_nmad(share, dim, one));
}

// False if the pixels do not all see the same kind of thing: then they are shaded one by one.
static bool shade_lanes(const ShadeJob* job, int x, int y, uint8_t* out)
{
    if (x + LANES > job->picture->width)
        return false;
    Lanes lanes;
    lanes_read(&lanes, job, x, y);
    if (!lanes.particles && !(lanes.ground && job->studio))
        return false;
    V8 colour = lanes.particles ? particle_lanes(job, &lanes) : ground_lanes(job, &lanes);
    float c[3][LANES];
    v8_store(c, v8_mix(colour, v8_set((Vec3){1, 1, 1}), f8_load(lanes.glass)));
    for (int k = 0; k < LANES; k++)
        for (int channel = 0; channel < 3; channel++)
            *out++ = gamma_byte(&job->gamma, c[channel][k]);
    return true;
}

// --- rows

// Whether the pixels up to `end`, which are of one cell of light, see nothing but ground in full light or nothing at all.
static bool is_plain_cell(const ShadeJob* job, int x, int y, int end)
{
    const SampleBuffer* s = &job->s->view->samples;
    if (!light_is_full(job->s->light, x, y))
        return false;
    for (const uint32_t *id = s->id + (size_t)y * (size_t)s->stride + (size_t)x, *last = id + (end - x); id < last; id += LANES)
        if (i8_equal_mask(i8_load(id), ID_NONE) != 255) // rows of samples are whole tiles
            return false;
    return true;
}

// Pixels of one cell of light, with one sample each.
static void shade_cell(const ShadeJob* job, int x, int y, int end, uint8_t* out)
{
    if (job->studio && is_plain_cell(job, x, y, end)) {
        for (; x < end; x++, out += 3)
            memcpy(out, job->plain_bytes, 3);
        return;
    }
    for (; x < end; x += LANES, out += 3 * LANES) {
        if (shade_lanes(job, x, y, out))
            continue;
        for (int k = 0; k < LANES && x + k < end; k++)
            put_pixel(job, out + 3 * k, sample_colour(job, x + k, y));
    }
}

static void shade_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ShadeJob* job = context;
    const Picture* picture = job->picture;
    bool in_cells = job->s->view->factor == 1 && job->s->light;
    int cell = in_cells ? LIGHT_CELL * job->s->light->step : 1;
    for (int y = (int)begin; y < (int)end; y++) {
        uint8_t* row = picture->rgb + (size_t)y * (size_t)picture->width * 3;
        for (int x = 0; x < picture->width; x += cell)
            if (in_cells)
                shade_cell(job, x, y, x + cell < picture->width ? x + cell : picture->width, row + 3 * x);
            else
                put_pixel(job, row + 3 * x, pixel_colour(job, x, y));
    }
}

static void shade_job_build(ShadeJob* job, const Shading* s)
{
    job->background = colour_to_linear3(s->background);
    job->studio = s->light && !s->ground_pattern && (!s->environment || s->environment->sky == MN_SKY_STUDIO);
    gamma_table_build(&job->gamma);
    put_pixel(job, job->plain_bytes, job->background);
    bool by_fluid = false;
    for (size_t k = 0; k < s->look_count; k++) {
        job->plain[k] = colour_to_linear3(s->looks[k].colour);
        by_fluid |= s->looks[k].paint == PAINT_FLUID;
    }
    for (int k = 0; k <= UINT8_MAX && by_fluid; k++)
        job->colour[k] = colour_to_linear3(colour_of_fluid(k));
}

void shade_picture(const Shading* shading, Picture* picture)
{
    ShadeJob job = {.s = shading, .picture = picture};
    shade_job_build(&job, shading);
    parallel_for(shading->view->pool, (size_t)picture->height, 4, shade_rows, &job);
}
