// SPDX-License-Identifier: MIT
#include "boundary/skin.h"

#include "boundary/curvature.h"
#include "boundary/sample.h"
#include <string.h>

static bool take(Skin* skin, void* array, size_t count, size_t size)
{
    void** out = array;
    *out = memory_take(skin->memory, (count ? count : 1) * size);
    return *out != NULL;
}

// Less where a wall is thin or an edge sharp.
bool skin_find_insets(Skin* skin, const TriMesh* mesh)
{
    size_t n = mesh->vertex_count;
    if (!take(skin, &skin->inset, n, sizeof *skin->inset) || !take(skin, &skin->area, n, sizeof *skin->area) ||
        !take(skin, &skin->moved, n, sizeof *skin->moved) || !take(skin, &skin->moved_velocity, n, sizeof *skin->moved_velocity) ||
        !take(skin, &skin->pull, n, sizeof *skin->pull) || !surface_offset(mesh, -skin->offset, skin->moved, skin->memory))
        return false;
    for (size_t v = 0; v < n; v++)
        skin->inset[v] = (float)vec3d_distance(skin->moved[v], mesh->vertex[v]);
    return true;
}

static TriMesh mesh_of(const SkinDef* def)
{
    return (TriMesh){.vertex_count = def->vertex_count,
                     .triangle_count = def->triangle_count,
                     .vertex = (Vec3d*)def->position,
                     .triangle = (uint32_t(*)[3])def->triangle};
}

// --- factors

// What the curvature of the rest shape asks for, at its particles where they lie.
static bool find_factors(Skin* skin, const SkinDef* def, Pool* pool)
{
    const Resample* r = &skin->resample;
    size_t n = r->count, primitives = r->edge_count + r->triangle_count;
    if (!take(skin, &skin->rest, n, sizeof *skin->rest) || !take(skin, &skin->rest_first, primitives + 1, sizeof *skin->rest_first))
        return false;
    for (size_t k = 0; k < r->edge_count; k++)
        skin->rest_first[k] = r->edge_first[k];
    for (size_t k = 0; k <= r->triangle_count; k++)
        skin->rest_first[r->edge_count + k] = r->triangle_first[k];
    TriMesh mesh = mesh_of(def);
    Vec4* place = memory_take(NULL, 2 * n * sizeof *place);
    Vec3* sample = memory_take(NULL, n * sizeof *sample);
    float *factor = memory_take(NULL, 2 * n * sizeof *factor), *weight = factor + n;
    bool ok = place && sample && factor;
    if (ok) {
        skin_follow(skin);
        skin_place(skin, pool, place, place + n);
        for (size_t k = 0; k < n; k++)
            sample[k] = (Vec3){place[k].x, place[k].y, place[k].z};
        SurfaceSamples samples = {.count = n, .position = sample};
        CurvatureDef curvature = {&mesh, def->kernel, def->spacing, pool};
        ok = curvature_factors(&curvature, &samples, factor, weight);
        for (size_t k = 0; ok && k < n; k++)
            skin->rest[k] = (SkinFactor){factor[k], weight[k]};
    }
    memory_give(NULL, place);
    memory_give(NULL, sample);
    memory_give(NULL, factor);
    return ok;
}

typedef struct FactorJob {
    const Skin* skin;
    float *factor, *weight;
} FactorJob;

static SkinFactor mean_of(const SkinFactor* f, uint32_t count)
{
    SkinFactor mean = {0, 0};
    for (uint32_t k = 0; k < count; k++) {
        mean.factor += f[k].factor / (float)count;
        mean.weight += f[k].weight / (float)count;
    }
    return mean;
}

static SkinFactor between(const SkinFactor* corner, const SurfacePoint* p)
{
    SkinFactor sum = {0, 0};
    for (int k = 0; k < 3; k++) {
        sum.factor += p->weight[k] * corner[p->vertex[k]].factor;
        sum.weight += p->weight[k] * corner[p->vertex[k]].weight;
    }
    return sum;
}

// A primitive with as many particles as at rest has those of the rest shape.
static void factor_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FactorJob* job = context;
    const Skin* skin = job->skin;
    const Resample* r = &skin->resample;
    for (size_t k = begin; k < end; k++) {
        const uint32_t* to = k < r->edge_count ? &r->edge_first[k] : &r->triangle_first[k - r->edge_count];
        const SkinFactor* rest = skin->rest + skin->rest_first[k];
        uint32_t had = skin->rest_first[k + 1] - skin->rest_first[k], has = to[1] - to[0];
        SkinFactor mean = has == had ? (SkinFactor){0, 0} : mean_of(rest, had);
        for (uint32_t j = 0; j < has; j++) {
            SkinFactor f = has == had ? rest[j] : had ? mean : between(skin->rest, &r->point[to[0] + j]);
            job->factor[to[0] + j] = f.factor;
            job->weight[to[0] + j] = f.weight * r->share[to[0] + j];
        }
    }
}

// Particles of edges and triangles in cracks.
static void crack_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FactorJob* job = context;
    const SkinCrack* crack = &job->skin->crack;
    const Resample* r = &job->skin->resample;
    for (size_t k = begin; k < end; k++) {
        const uint32_t* to = k < r->edge_count ? &r->edge_first[k] : &r->triangle_first[k - r->edge_count];
        for (uint32_t i = to[0]; crack->is_new[r->vertex_count + k] && i < to[1]; i++) {
            const SurfacePoint* p = &r->point[i];
            float open = p->weight[0] * crack->open[p->vertex[0]] + p->weight[1] * crack->open[p->vertex[1]] +
                         p->weight[2] * crack->open[p->vertex[2]];
            job->factor[i] *= open;
            job->weight[i] *= open;
        }
    }
}

// What a crumb keeps of its factors as far as it is free.
static void crumb_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FactorJob* job = context;
    const SkinCrack* crack = &job->skin->crack;
    for (size_t i = begin; i < end; i++) {
        const SurfacePoint* p = &job->skin->resample.point[i];
        float less = 0;
        for (int k = 0; k < 3; k++)
            less += p->weight[k] * crack->open[p->vertex[k]] * (1 - crack->share[p->vertex[k]]);
        job->factor[i] *= 1 - less;
    }
}

static void rest_factors(const Skin* skin, Pool* pool, float* factor, float* weight)
{
    const Resample* r = &skin->resample;
    if (!skin->rest) {
        for (size_t k = 0; k < r->count; k++)
            factor[k] = 1;
        memcpy(weight, r->share, r->count * sizeof *weight);
        return;
    }
    for (size_t k = 0; k < r->vertex_count; k++) {
        factor[k] = skin->rest[k].factor;
        weight[k] = skin->rest[k].weight * r->share[k];
    }
    FactorJob job = {skin, factor, weight};
    parallel_for(pool, r->edge_count + r->triangle_count, 1024, factor_block, &job);
}

void skin_factors(const Skin* skin, Pool* pool, float* factor, float* weight)
{
    rest_factors(skin, pool, factor, weight);
    const SkinCrack* crack = &skin->crack;
    const Resample* r = &skin->resample;
    FactorJob job = {skin, factor, weight};
    if (!crack->is_new)
        return;
    for (size_t v = 0; v < r->vertex_count; v++) {
        bool is_new = crack->is_new[v];
        factor[v] *= is_new ? crack->open[v] : 1;
        weight[v] *= is_new ? crack->open[v] : 0.5f + 0.5f * crack->open[v]; // on the rim there are two for one
    }
    parallel_for(pool, r->edge_count + r->triangle_count, 1024, crack_block, &job);
    if (crack->share)
        parallel_for(pool, r->count, 1024, crumb_block, &job);
}

bool skin_create(Skin* skin, const SkinDef* def, Memory* memory, Pool* pool)
{
    *skin = (Skin){.memory = memory,
                   .solid = def->solid,
                   .revision = def->revision,
                   .offset = def->inset,
                   .position = def->position,
                   .velocity = def->velocity};
    if (def->kernel)
        skin->kernel = *def->kernel;
    TriMesh mesh = mesh_of(def);
    ResampleDef rest = {.vertex_count = def->vertex_count,
                        .triangle_count = def->triangle_count,
                        .triangle = def->triangle,
                        .position = def->position,
                        .spacing = def->spacing,
                        .fade_time = def->fade_time};
    // the numbers come from the surface one sees: that of a volume is moved by little, and its rest lengths must be the same ones
    return resample_create(&skin->resample, &rest, memory, pool) &&
           (def->inset == 0 || (skin_find_insets(skin, &mesh) && (!def->kernel || find_factors(skin, def, pool))));
}

void skin_free(Skin* skin)
{
    void* arrays[] = {skin->inset,        skin->area,       skin->moved,      skin->moved_velocity,   skin->pull,
                      skin->rest,         skin->rest_first, skin->built.rest, skin->built.rest_first, skin->built.inset,
                      skin->crack.is_new, skin->crack.open, skin->crack.share};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(skin->memory, arrays[k]);
    resample_free(&skin->resample);
    resample_free(&skin->built.resample);
    *skin = (Skin){0};
}

// [1] How much a triangle counts at its corner v: faces of a crack as far as that is open on its rim.
static inline double share_of(const Skin* skin, size_t t, uint32_t v)
{
    const SkinCrack* crack = &skin->crack;
    const Resample* r = &skin->resample;
    if (!crack->is_new || crack->is_new[v] || !crack->is_new[r->vertex_count + r->edge_count + t])
        return 1;
    return (double)crack->open[v];
}

void skin_inset(const Skin* skin, const Vec3d* x, Vec3d* out)
{
    const Resample* r = &skin->resample;
    memset(out, 0, r->vertex_count * sizeof *out);
    for (size_t t = 0; t < r->triangle_count; t++) {
        const uint32_t* c = r->triangle[t];
        Vec3d area = vec3d_cross(vec3d_sub(x[c[1]], x[c[0]]), vec3d_sub(x[c[2]], x[c[0]]));
        for (int k = 0; k < 3; k++)
            out[c[k]] = vec3d_mad(out[c[k]], share_of(skin, t, c[k]), area);
    }
    for (size_t v = 0; v < r->vertex_count; v++)
        out[v] = vec3d_mad(x[v], -(double)skin->inset[v], vec3d_normalise(out[v]));
}

// sum of (q - p) x (r - p) / 2 over the triangles at a vertex, and its rate
static void sum_areas(const Skin* skin, Vec3d* area, Vec3d* rate)
{
    const Resample* r = &skin->resample;
    const Vec3d *x = skin->position, *u = skin->velocity;
    memset(area, 0, r->vertex_count * sizeof *area);
    memset(rate, 0, r->vertex_count * sizeof *rate);
    for (size_t t = 0; t < r->triangle_count; t++) {
        const uint32_t* v = r->triangle[t];
        Vec3d q = vec3d_sub(x[v[1]], x[v[0]]), p = vec3d_sub(x[v[2]], x[v[0]]);
        Vec3d a = vec3d_scale(vec3d_cross(q, p), 0.5);
        Vec3d w = vec3d_cross(vec3d_sub(u[v[1]], u[v[0]]), p);
        w = vec3d_add(w, vec3d_cross(q, vec3d_sub(u[v[2]], u[v[0]])));
        for (int k = 0; k < 3; k++) {
            double share = share_of(skin, t, v[k]);
            area[v[k]] = vec3d_mad(area[v[k]], share, a);
            rate[v[k]] = vec3d_mad(rate[v[k]], 0.5 * share, w);
        }
    }
}

// (I - n n^T) g / |A|, and n; both 0 if A is
static Vec3d across(Vec3d area, Vec3d g, Vec3d* normal)
{
    double length = vec3d_length(area), per = 1 / length;
    *normal = area;
    if (!(length > 0))
        return vec3d(0, 0, 0);
    Vec3d n = *normal = vec3d_scale(area, per);
    return vec3d_scale(vec3d_mad(g, -vec3d_dot(n, g), n), per);
}

// How far vertices are from those that they were split from, or that were split from them.
static void find_open(Skin* skin)
{
    size_t n = skin->resample.vertex_count;
    float* open = skin->crack.open;
    for (size_t v = 0; v < n; v++)
        open[v] = 1;
    for (size_t v = 0; v < n; v++) {
        uint32_t parent = skin->crack.parent[v];
        float width = (float)(vec3d_distance(skin->position[v], skin->position[parent]) / skin->resample.spacing);
        if (parent == v)
            continue;
        open[v] = fminf(open[v], width);
        open[parent] = fminf(open[parent], width);
    }
}

void skin_follow(Skin* skin)
{
    if (skin->crack.is_new)
        find_open(skin);
    if (!skin->inset)
        return;
    sum_areas(skin, skin->area, skin->moved_velocity);
    for (size_t v = 0; v < skin->resample.vertex_count; v++) {
        double s = (double)skin->inset[v];
        Vec3d n, rate = across(skin->area[v], skin->moved_velocity[v], &n);
        skin->moved[v] = vec3d_mad(skin->position[v], -s, n);
        skin->moved_velocity[v] = vec3d_mad(skin->velocity[v], -s, rate);
    }
}

bool skin_resample(Skin* skin, Pool* pool, double dt, const float* density)
{
    return resample_update(&skin->resample, pool, skin->position, dt, density);
}

void skin_place(const Skin* skin, Pool* pool, Vec4* out_position, Vec4* out_velocity)
{
    resample_place(&skin->resample, pool, skin->inset ? skin->moved : skin->position,
                   skin->inset ? skin->moved_velocity : skin->velocity, out_position, out_velocity);
}

// --- forces

static void hand_out(const Skin* skin, const uint32_t* which, const Vec3d* force, size_t count, Vec3d* out)
{
    for (size_t k = 0; k < count; k++) {
        const SurfacePoint* p = &skin->resample.point[which[k]];
        for (int c = 0; c < 3; c++)
            out[p->vertex[c]] = vec3d_mad(out[p->vertex[c]], (double)p->weight[c], force[k]);
    }
}

// The transpose of -s d(A / |A|)/dx, triangle by triangle: A_t . g changes by q . ((r - p) x g) + r . (g x (q - p)), halved
static void pull_normals(const Skin* skin, const Vec3d* pull, Vec3d* out)
{
    const Resample* r = &skin->resample;
    const Vec3d* x = skin->position;
    for (size_t t = 0; t < r->triangle_count; t++) {
        const uint32_t* v = r->triangle[t];
        Vec3d g = pull[v[2]];
        g = skin->crack.is_new ? vec3d_scale(g, share_of(skin, t, v[2])) : g;
        g = vec3d_mad(g, share_of(skin, t, v[1]), pull[v[1]]);
        g = vec3d_scale(vec3d_mad(g, share_of(skin, t, v[0]), pull[v[0]]), 0.5);
        if (vec3d_dot(g, g) == 0)
            continue;
        Vec3d on_q = vec3d_cross(vec3d_sub(x[v[2]], x[v[0]]), g), on_r = vec3d_cross(g, vec3d_sub(x[v[1]], x[v[0]]));
        out[v[0]] = vec3d_sub(out[v[0]], vec3d_add(on_q, on_r));
        out[v[1]] = vec3d_add(out[v[1]], on_q);
        out[v[2]] = vec3d_add(out[v[2]], on_r);
    }
}

void skin_pull(const Skin* skin, const Vec3d* force, Vec3d* vertex_force)
{
    Vec3d *pull = skin->pull, normal;
    for (size_t v = 0; v < skin->resample.vertex_count; v++) {
        vertex_force[v] = vec3d_add(vertex_force[v], force[v]);
        if (skin->inset)
            pull[v] = vec3d_scale(across(skin->area[v], force[v], &normal), -(double)skin->inset[v]);
    }
    if (skin->inset)
        pull_normals(skin, pull, vertex_force);
}

// of the sums of areas, by rates u of the vertices
static void sum_area_rates(const Skin* skin, const Vec3d* u, Vec3d* rate)
{
    const Resample* r = &skin->resample;
    const Vec3d* x = skin->position;
    memset(rate, 0, r->vertex_count * sizeof *rate);
    for (size_t t = 0; t < r->triangle_count; t++) {
        const uint32_t* v = r->triangle[t];
        Vec3d w = vec3d_cross(vec3d_sub(u[v[1]], u[v[0]]), vec3d_sub(x[v[2]], x[v[0]]));
        w = vec3d_add(w, vec3d_cross(vec3d_sub(x[v[1]], x[v[0]]), vec3d_sub(u[v[2]], u[v[0]])));
        for (int k = 0; k < 3; k++)
            rate[v[k]] = vec3d_mad(rate[v[k]], 0.5 * share_of(skin, t, v[k]), w);
    }
}

void skin_spread(const Skin* skin, Vec3d* rate)
{
    if (!skin->inset)
        return;
    sum_area_rates(skin, rate, skin->pull);
    Vec3d normal;
    for (size_t v = 0; v < skin->resample.vertex_count; v++)
        rate[v] = vec3d_mad(rate[v], -(double)skin->inset[v], across(skin->area[v], skin->pull[v], &normal));
}

void skin_transfer(const Skin* skin, const uint32_t* which, const Vec3d* force, size_t count, Vec3d* vertex_force)
{
    if (!skin->inset) {
        hand_out(skin, which, force, count, vertex_force);
        return;
    }
    memset(skin->pull, 0, skin->resample.vertex_count * sizeof *skin->pull);
    hand_out(skin, which, force, count, skin->pull);
    skin_pull(skin, skin->pull, vertex_force);
}
