// SPDX-License-Identifier: MIT
// Paths from the camera. Light sources: the sky, met by paths that leave the world, and the sun, asked for at every diffuse hit.
// What is not exact: the studio's lamps show in mirrors and water only, where the sun stands for them on diffuse surfaces (to
// sample them there would be noise for hardly a difference); shadow rays towards the sun go straight through liquid (dimmed by
// Fresnel's law and absorption), so the floor under water is lit but has no caustics; single samples are cut at CLAMP, which takes
// the fireflies and a little light. Liquid nearer to a solid than `contact` touches it: without that rule a film of air would make
// wet walls mirrors. Where liquids overlap the one with the highest priority is there (Schmidt and Budge 2002, "Simple nested
// dielectrics in ray traced images").
#include "trace/hit.h"
#include "trace/trace.h"
#include "trace/vector.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

#define CLAMP 12.0f
enum { LONGEST_PATH = 24, ROULETTE = 5, SHADOW_HITS = 16, MAX_MEDIA = 4, MOST_PASSED = 1000 };

struct Tracer {
    TraceWorld world;
    Hits* hits;
};

Tracer* trace_create(const TraceWorld* world, mn_Error* error)
{
    Tracer* t = calloc(1, sizeof *t);
    if (!t) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory");
        return NULL;
    }
    t->world = *world;
    t->hits = hits_create(world, error);
    if (!t->hits) {
        free(t);
        return NULL;
    }
    return t;
}

void trace_destroy(Tracer* tracer)
{
    if (tracer)
        hits_destroy(tracer->hits);
    free(tracer);
}

// --- surfaces

// Share of light that a dielectric mirrors; `eta` is n_here / n_there. Sets the cosine behind, 0 for total reflection.
static float fresnel(float cosine, float eta, float* behind)
{
    float s2 = eta * eta * (1 - cosine * cosine);
    *behind = 0;
    if (s2 >= 1)
        return 1;
    float c = sqrtf(1 - s2);
    *behind = c;
    float a = (eta * cosine - c) / (eta * cosine + c), b = (cosine - eta * c) / (cosine + eta * c);
    return 0.5f * (a * a + b * b);
}

static Vec3 mirror(Vec3 d, Vec3 n)
{
    return v3_mad(d, -2 * v3_dot(d, n), n);
}

typedef struct Path {
    const Tracer* tracer;
    uint64_t pixel; // hashed
    uint32_t sample, dimension;
    float time;
    Vec3 origin, direction;
    Vec3 weight;                            // what light from ahead counts
    const TraceMaterial* inside[MAX_MEDIA]; // liquids and glass that the path is in, in any order
    int inside_count;
    int crossings;               // of clear surfaces so far
    const TraceMaterial* medium; // the one of them that is there; NULL: air
    bool sees_sun;               // only mirrors and clear surfaces since the camera
    Vec3 light;
    // for the filter
    Vec3 first_normal, albedo;
    float nearness;
    bool has_albedo;
} Path;

// The next number of a path, in [0, 1). The samples of a pixel spread evenly in each of the first dimensions (a Kronecker sequence,
// multiples of the square root of a prime, turned by a random angle per pixel): less noise than chance leaves.
static float next_number(Path* p)
{
    static const double step[] = {
        0.4142135623730951, 0.7320508075688772, 0.2360679774997898, 0.6457513110645907, 0.3166247903553998, 0.6055512754639891,
        0.1231056256176606, 0.3588989435406740, 0.7958315233127191, 0.3851648071345037, 0.5677643628300215, 0.0827625302982193,
        0.4031242374328485, 0.5574385243020004, 0.8556546004010439, 0.2801098892805181, 0.6811457478686078, 0.8102496759066540,
        0.1853527718724504, 0.4261497731763590, 0.5440037453175304, 0.8881944173155887, 0.1104335791442992, 0.4339811320566032,
        0.8488578017961039, 0.0498756211208899, 0.1488915650922191, 0.3440804327886013, 0.4403065089105507, 0.6301458127346500,
        0.2694276695846440, 0.4455231422595975};
    uint32_t d = p->dimension++;
    uint64_t hash = random_mix(p->pixel + d * 0x9fb21c651e98df25u);
    if (d >= sizeof step / sizeof *step)
        return (float)(random_mix(hash + p->sample) >> 40) * 0x1p-24f;
    double x = (double)(hash >> 11) * 0x1p-53 + p->sample * step[d];
    float f = (float)(x - floor(x));
    return f < 1 ? f : 0;
}

static bool is_clear(const TraceMaterial* m)
{
    return m->kind == TRACE_LIQUID || m->kind == TRACE_GLASS;
}

// What is there once the path is (or is no more) inside `m`; the path itself does not change.
static const TraceMaterial* medium_after(const Path* p, const TraceMaterial* m, bool entering)
{
    const TraceMaterial* top = entering ? m : NULL;
    for (int k = 0; k < p->inside_count; k++)
        if (p->inside[k] != m && (!top || p->inside[k]->priority > top->priority))
            top = p->inside[k];
    return top;
}

static void set_inside(Path* p, const TraceMaterial* m, bool entering)
{
    p->medium = medium_after(p, m, entering);
    int k = 0;
    while (k < p->inside_count && p->inside[k] != m)
        k++;
    if (entering && k == p->inside_count && k < MAX_MEDIA)
        p->inside[p->inside_count++] = m;
    else if (!entering && k < p->inside_count)
        p->inside[k] = p->inside[--p->inside_count];
}

static float ior_of(const TraceMaterial* medium)
{
    return medium ? medium->ior : 1;
}

static Vec3 absorbed(const TraceMaterial* medium, Vec3 light, float distance)
{
    return medium && medium->kind == TRACE_LIQUID ? v3_mul(light, v3_exp(v3_scale(medium->absorption, -distance))) : light;
}

// Light of a sun that reaches a point, through liquids and glass. The straight ray stands for a refracted one, which comes in at
// the angle at which it would go on in air.
static Vec3 sun_through(const Path* p, Vec3 from, Vec3 direction)
{
    Path ray = *p;
    Vec3 left = v3(1, 1, 1);
    for (int k = 0, passed = 0; k < SHADOW_HITS && passed < MOST_PASSED;) {
        Hit hit;
        if (!hits_find(p->tracer->hits, from, direction, INFINITY, p->time, &hit))
            return left;
        if (!is_clear(hit.material) && hit.material->kind != TRACE_FOAM)
            return v3(0, 0, 0);
        left = absorbed(ray.medium, left, hit.distance);
        if (hit.material->kind == TRACE_FOAM) {
            left = v3_scale(left, v3_dot(hit.face, direction) < 0 ? 1 - hit.opacity : 1);
            if (v3_largest(left) < 1e-3f)
                return v3(0, 0, 0);
            from = hit.position;
            passed++;
            continue;
        }
        k++;
        bool entering = v3_dot(hit.face, direction) < 0;
        const TraceMaterial* before = ray.medium;
        set_inside(&ray, hit.material, entering);
        float a = ior_of(before), b = ior_of(ray.medium), behind;
        if (a != b)
            left = v3_scale(left, 1 - fresnel(fabsf(v3_dot(hit.normal, direction)), a < b ? a / b : b / a, &behind));
        if (hit.material->kind == TRACE_GLASS && entering)
            left = v3_mul(left, hit.colour);
        from = hit.position;
    }
    return v3(0, 0, 0);
}

// One of the suns, for all of them. What scatters to all sides has no normal: the mean over the sphere is a quarter of what a
// surface that faces the sun would send back.
static void add_sun(Path* p, const Hit* hit, const Vec3* normal, Vec3 colour)
{
    const Environment* env = &p->tracer->world.environment;
    if (env->sun_count == 0)
        return;
    int which = env->sun_count > 1 ? (int)(next_number(p) * (float)env->sun_count) : 0;
    const Sun* sun = &env->sun[which < env->sun_count ? which : env->sun_count - 1];
    float u = next_number(p), v = next_number(p);
    Vec3 to_sun = cone_direction(sun->to, sun->size, u, v);
    float cosine = normal ? v3_dot(*normal, to_sun) : 0.25f;
    if (cosine <= 0)
        return;
    Vec3 light = v3_scale(v3_mul(sun->light, sun_through(p, hit->position, to_sun)), (float)env->sun_count);
    p->light = v3_add(p->light, v3_mul(p->weight, v3_mul(colour, v3_scale(light, cosine / 3.1415927f))));
}

static void scatter_matte(Path* p, const Hit* hit, Vec3 normal)
{
    add_sun(p, hit, &normal, hit->colour);
    float u = next_number(p), v = next_number(p);
    p->direction = cosine_direction(normal, u, v);
    p->weight = v3_mul(p->weight, hit->colour);
    p->sees_sun = false;
}

static void scatter_foam(Path* p, const Hit* hit)
{
    add_sun(p, hit, NULL, hit->colour);
    float z = 2 * next_number(p) - 1, angle = 6.2831853f * next_number(p), r = sqrtf(fmaxf(1 - z * z, 0));
    p->direction = v3(r * cosf(angle), r * sinf(angle), z);
    p->weight = v3_mul(p->weight, hit->colour);
    p->sees_sun = false;
}

// Whether a path goes through a ball of foam as if it were not there, or comes out of it.
static bool passes_foam(Path* p, const Hit* hit)
{
    return hit->material->kind == TRACE_FOAM && (v3_dot(hit->face, p->direction) >= 0 || next_number(p) >= hit->opacity);
}

static void scatter_coated(Path* p, const Hit* hit, Vec3 normal)
{
    float behind, f = p->medium ? 0 : fresnel(fmaxf(-v3_dot(normal, p->direction), 0), 1 / hit->material->ior, &behind);
    if (next_number(p) < f)
        p->direction = mirror(p->direction, normal);
    else
        scatter_matte(p, hit, normal);
}

static void scatter_metal(Path* p, const Hit* hit, Vec3 normal)
{
    float roughness = hit->material->roughness;
    Vec3 ahead = mirror(p->direction, normal);
    float u = next_number(p), v = next_number(p);
    p->direction = roughness > 0 ? cone_direction(ahead, 1.2f * roughness * roughness, u, v) : ahead;
    if (v3_dot(p->direction, hit->face) * v3_dot(ahead, hit->face) < 0)
        p->direction = ahead;
    p->weight = v3_mul(p->weight, hit->colour);
}

// Water mirrors little, but lamps in it are bright: the first surfaces of a path are mirrors more often than Fresnel says, and
// count for less then.
static float chance_to_mirror(Path* p, float f)
{
    bool first = p->crossings++ < 2 && p->sees_sun;
    return first && f > 0 && f < 1 ? 0.7f * f + fminf(6 * f, 0.2f) : f;
}

// A smooth surface between two media, mirrored or refracted by chance.
static void cross_surface(Path* p, const Hit* hit, bool entering)
{
    const TraceMaterial* after = medium_after(p, hit->material, entering);
    float a = ior_of(p->medium), b = ior_of(after);
    Vec3 n = entering ? hit->normal : v3_scale(hit->normal, -1), face = entering ? hit->face : v3_scale(hit->face, -1);
    float cosine = -v3_dot(n, p->direction), behind = 0;
    if (cosine <= 0) { // the smooth normal looks away: take the triangle's
        n = face;
        cosine = fmaxf(-v3_dot(n, p->direction), 0);
    }
    float f = a == b ? 0 : fresnel(cosine, a / b, &behind);
    float q = chance_to_mirror(p, f);
    if (q > 0 && next_number(p) < q) {
        p->weight = v3_scale(p->weight, f / q);
        Vec3 out = mirror(p->direction, n);
        // never through the triangle itself
        p->direction = v3_dot(out, face) > 0 ? out : mirror(p->direction, hit->face);
        return;
    }
    if (a != b)
        p->direction = v3_normalise(v3_mad(v3_scale(p->direction, a / b), a / b * cosine - behind, n));
    if (q > 0)
        p->weight = v3_scale(p->weight, (1 - f) / (1 - q));
    set_inside(p, hit->material, entering);
    if (hit->material->kind == TRACE_GLASS && entering)
        p->weight = v3_mul(p->weight, hit->colour);
}

static void cross_liquid(Path* p, const Hit* hit)
{
    bool entering = v3_dot(hit->face, p->direction) < 0;
    float contact = (float)p->tracer->world.contact;
    // straight on to the wet wall
    if (!entering && contact > 0 && hits_touch_solid(p->tracer->hits, hit->position, p->direction, contact, p->time))
        return;
    cross_surface(p, hit, entering);
}

// --- a path

static void add_sky(Path* p)
{
    const Environment* env = &p->tracer->world.environment;
    Vec3 light = p->sees_sun ? environment_mirrored(env, p->direction) : environment_light(env, p->direction);
    p->light = v3_add(p->light, v3_mul(p->weight, light));
}

// The ground fades into the background, so that the studio has no edge.
static bool ground_fades(Path* p, const Hit* hit)
{
    const TraceWorld* w = &p->tracer->world;
    Vec3 away = v3_sub(hit->position, w->ground_centre);
    away = v3_mad(away, -v3_dot(away, w->environment.up), w->environment.up);
    float t = sqrtf(v3_dot(away, away)) / w->ground_radius;
    float fade = t < 0.35f ? 0 : t > 1 ? 1 : (t - 0.35f) / 0.65f;
    return next_number(p) < fade * fade * (3 - 2 * fade);
}

static bool bounce(Path* p, const Hit* hit)
{
    if (hit->material->kind == TRACE_LIQUID) {
        cross_liquid(p, hit);
        return true;
    }
    if (hit->is_ground && ground_fades(p, hit)) {
        Vec3 light = environment_light(&p->tracer->world.environment, p->direction);
        p->light = v3_add(p->light, v3_mul(p->weight, light));
        return false;
    }
    bool outside = v3_dot(hit->face, p->direction) < 0;
    Vec3 n = outside ? hit->normal : v3_scale(hit->normal, -1);
    switch (hit->material->kind) {
    case TRACE_FOAM:
        scatter_foam(p, hit);
        break;
    case TRACE_GLASS:
        cross_surface(p, hit, outside);
        break;
    case TRACE_COATED:
        scatter_coated(p, hit, n);
        break;
    case TRACE_METAL:
        scatter_metal(p, hit, n);
        break;
    default:
        scatter_matte(p, hit, n);
        break;
    }
    return true;
}

// Paths that count little end early, and the others stand for them.
static bool survives(Path* p, int bounces)
{
    float share = fminf(v3_largest(p->weight), 0.95f);
    if (bounces < ROULETTE)
        return share > 0;
    if (next_number(p) >= share)
        return false;
    p->weight = v3_scale(p->weight, 1 / share);
    return true;
}

// What the filter of grain should know of the surfaces.
static void note_hit(Path* p, const Hit* hit, bool first)
{
    if (first) {
        p->first_normal = hit->normal;
        p->nearness = hit->distance > 0 ? 1 / hit->distance : 0;
    }
    if (!p->has_albedo && !is_clear(hit->material)) {
        p->albedo = hit->colour;
        p->has_albedo = true;
    }
}

static void note_sky(Path* p)
{
    if (!p->has_albedo) {
        Vec3 c = environment_light(&p->tracer->world.environment, p->direction);
        p->albedo = v3(c.x / (1 + c.x), c.y / (1 + c.y), c.z / (1 + c.z));
        p->has_albedo = true;
    }
}

static Vec3 follow(Path* p)
{
    for (int k = 0, passed = 0; k < LONGEST_PATH && passed < MOST_PASSED;) {
        Hit hit;
        if (!hits_find(p->tracer->hits, p->origin, p->direction, INFINITY, p->time, &hit)) {
            note_sky(p);
            add_sky(p);
            break;
        }
        p->weight = absorbed(p->medium, p->weight, hit.distance);
        p->origin = hit.position;
        if (passes_foam(p, &hit)) {
            passed++;
            continue;
        }
        note_hit(p, &hit, k == 0);
        if (!bounce(p, &hit) || !survives(p, k++))
            break;
    }
    float most = v3_largest(p->light);
    return most > CLAMP ? v3_scale(p->light, CLAMP / most) : p->light;
}

// --- the camera

static void start_path(Path* p, const TraceCamera* c, int x, int y)
{
    float px = (float)x + next_number(p) - c->centre_x, py = (float)y + next_number(p) - c->centre_y;
    p->time = next_number(p);
    Vec3 across = v3_add(v3_scale(c->right, px / c->focal), v3_scale(c->down, py / c->focal));
    if (c->orthographic) {
        p->origin = v3_add(c->eye, across);
        p->direction = c->forward;
        return;
    }
    Vec3 d = v3_add(c->forward, across);
    float radius = c->aperture * sqrtf(next_number(p)), angle = 6.2831853f * next_number(p);
    Vec3 shift = v3_add(v3_scale(c->right, radius * cosf(angle)), v3_scale(c->down, radius * sinf(angle)));
    p->origin = v3_add(c->eye, shift);
    p->direction = v3_normalise(v3_sub(v3_scale(d, c->focus > 0 ? c->focus : 1), c->aperture > 0 ? shift : v3(0, 0, 0)));
}

// --- the film

bool trace_film_create(TraceFilm* film, int width, int height)
{
    size_t pixels = (size_t)width * (size_t)height + 1;
    *film = (TraceFilm){.width = width, .height = height};
    bool ok = true;
    for (int h = 0; h < 2; h++) {
        film->light[h] = calloc(pixels, sizeof(Vec3));
        film->normal[h] = calloc(pixels, sizeof(Vec3));
        film->albedo[h] = calloc(pixels, sizeof(Vec3));
        film->nearness[h] = calloc(pixels, sizeof(float));
        ok = ok && film->light[h] && film->normal[h] && film->albedo[h] && film->nearness[h];
    }
    if (!ok)
        trace_film_free(film);
    return ok;
}

void trace_film_free(TraceFilm* film)
{
    for (int h = 0; h < 2; h++) {
        free(film->light[h]);
        free(film->normal[h]);
        free(film->albedo[h]);
        free(film->nearness[h]);
    }
    *film = (TraceFilm){0};
}

void trace_film_mean(const TraceFilm* film, Vec3* light)
{
    float share = film->samples > 0 ? 1 / (float)film->samples : 0;
    for (size_t k = 0; k < (size_t)film->width * (size_t)film->height; k++)
        light[k] = v3_scale(v3_add(film->light[0][k], film->light[1][k]), share);
}

typedef struct Sampling {
    const Tracer* tracer;
    const TraceCamera* camera;
    int first, count;
    TraceFilm* film;
} Sampling;

static void sample_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Sampling* s = context;
    const TraceFilm* film = s->film;
    for (size_t pixel = begin; pixel < end; pixel++)
        for (int k = s->first; k < s->first + s->count; k++) {
            Path path = {
                .tracer = s->tracer, .pixel = random_mix(pixel), .sample = (uint32_t)k, .weight = {1, 1, 1}, .sees_sun = true};
            start_path(&path, s->camera, (int)(pixel % (size_t)s->camera->width), (int)(pixel / (size_t)s->camera->width));
            int half = k & 1;
            film->light[half][pixel] = v3_add(film->light[half][pixel], follow(&path));
            film->normal[half][pixel] = v3_add(film->normal[half][pixel], path.first_normal);
            film->albedo[half][pixel] = v3_add(film->albedo[half][pixel], path.albedo);
            film->nearness[half][pixel] += path.nearness;
        }
}

void trace_samples(const Tracer* tracer, const TraceCamera* camera, Pool* pool, int count, TraceFilm* film)
{
    Sampling s = {tracer, camera, film->samples, count, film};
    parallel_for(pool, (size_t)camera->width * (size_t)camera->height, 256, sample_work, &s);
    film->samples += count;
}
