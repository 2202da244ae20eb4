// SPDX-License-Identifier: MIT
// Between points and coordinates: x_p = sum over functions u_r(p) q_r, and back.
#include "elastic/reduced/dense.h"
#include "elastic/reduced/reduced.h"
#include <string.h>

enum { SHOW_GRAIN = 1024 };

Vec3d reduced_point(const Reduced* s, const Body* body, size_t point, const double* q)
{
    Vec3d x = {0, 0, 0};
    for (uint32_t k = s->space.start[point]; k < s->space.start[point + 1]; k++) {
        double u[4];
        size_t row = 4 * (size_t)s->space.handle[k];
        reduced_functions(s, body->rest[point], k, u);
        for (size_t r = 0; r < 4; r++)
            x = vec3d_mad(x, u[r], reduced_coordinate(s, q, row + r));
    }
    return x;
}

// --- all points

static void pack(const Reduced* s, const double* q, Quad* out)
{
    for (size_t r = 0; r < s->rank; r++)
        out[r] = (Quad){q[r], q[s->rank + r], q[2 * s->rank + r], 0};
}

typedef struct ShowJob {
    const Reduced* s;
    Body* body;
} ShowJob;

static void show_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ShowJob* job = context;
    const Reduced* s = job->s;
    Body* body = job->body;
    for (size_t i = begin; i < end; i++) {
        Quad x = {0, 0, 0, 0}, v = x;
        for (uint32_t k = s->space.start[i]; k < s->space.start[i + 1]; k++) {
            double u[4];
            reduced_functions(s, body->rest[i], k, u);
            const Quad *q = s->packed + 4 * (size_t)s->space.handle[k], *w = q + s->rank;
            for (int r = 0; r < 4; r++) {
                x += quad_all(u[r]) * q[r];
                v += quad_all(u[r]) * w[r];
            }
        }
        body->position[i] = quad_vec(x);
        body->velocity[i] = quad_vec(v);
    }
}

void reduced_show(Reduced* s, Pool* pool, Body* body)
{
    pack(s, s->q, s->packed);
    pack(s, s->v, s->packed + s->rank);
    ShowJob job = {s, body};
    parallel_for(pool, body->point_count, SHOW_GRAIN, show_points, &job);
}

void reduced_show_surface(const Reduced* s, const Body* body, const double* q, Vec3d* point)
{
    for (size_t k = 0; k < s->surface_count; k++)
        point[s->surface[k]] = reduced_point(s, body, s->surface[k], q);
}

static void add_at(const Reduced* s, const Body* body, size_t point, Vec3d value, double* out)
{
    for (uint32_t k = s->space.start[point]; k < s->space.start[point + 1]; k++) {
        double u[4];
        reduced_functions(s, body->rest[point], k, u);
        for (size_t r = 0; r < 4; r++)
            reduced_add(s, out, 4 * (size_t)s->space.handle[k] + r, u[r], value);
    }
}

void reduced_collect(const Reduced* s, const Body* body, const Vec3d* force, double* out)
{
    memset(out, 0, 3 * s->rank * sizeof *out);
    for (size_t i = 0; i < body->point_count; i++)
        if (force[i].x != 0 || force[i].y != 0 || force[i].z != 0)
            add_at(s, body, i, force[i], out);
}

void reduced_fit_change(Reduced* s, const Body* body, const double* mass, const Vec3d* change, double* q)
{
    memset(s->work, 0, 3 * s->rank * sizeof *s->work);
    for (size_t i = 0; i < body->point_count; i++)
        if (change[i].x != 0 || change[i].y != 0 || change[i].z != 0)
            add_at(s, body, i, vec3d_scale(change[i], mass[i]), s->work);
    dense_solve3(s->mass_own, s->rank, s->work);
    for (size_t k = 0; k < 3 * s->rank; k++)
        q[k] += s->work[k];
}

void reduced_fit(Reduced* s, const Body* body, const double* mass, const Vec3d* point, double* q)
{
    memset(q, 0, 3 * s->rank * sizeof *q);
    reduced_fit_change(s, body, mass, point, q);
}

// Points that vertices are embedded in; and masses for contact. A point of the skin that another body pushes has the region around
// it behind it, which moves with it since it can do nothing else: skin points share the mass of all points, region by region.
bool reduced_weigh_skin(Reduced* s, Memory* memory, const Body* body)
{
    size_t n = body->point_count, handles = s->space.handles;
    s->surface = memory_take(memory, n * sizeof *s->surface);
    s->contact_mass = memory_take(memory, n * sizeof *s->contact_mass);
    s->column_of = memory_take(memory, n * sizeof *s->column_of);
    double* region = memory_take(NULL, 2 * handles * sizeof *region);
    bool ok = s->surface && s->contact_mass && s->column_of && region;
    if (ok) {
        memset(s->column_of, 0, n * sizeof *s->column_of);
        for (size_t v = 0; v < body->vertex_count; v++)
            for (int c = 0; c < 4; c++)
                if (body->embedding[v].weight[c] != 0)
                    s->column_of[body->embedding[v].point[c]] = 1;
        for (size_t i = 0; i < n; i++)
            if (s->column_of[i])
                s->surface[s->surface_count++] = (uint32_t)i;
        memset(s->column_of, 0xff, n * sizeof *s->column_of);
        memset(region, 0, 2 * handles * sizeof *region);
        for (size_t i = 0; i < n; i++)
            for (uint32_t k = s->space.start[i]; k < s->space.start[i + 1]; k++)
                region[s->space.handle[k]] += s->space.weight[k] * body->mass[i];
        for (size_t m = 0; m < body->skin.count; m++)
            for (uint32_t i = body->skin.point[m], k = s->space.start[i]; k < s->space.start[i + 1]; k++)
                region[handles + s->space.handle[k]] += s->space.weight[k];
        for (size_t i = 0; i < n; i++) {
            s->contact_mass[i] = 0;
            for (uint32_t k = s->space.start[i]; k < s->space.start[i + 1]; k++) {
                const double* of = region + s->space.handle[k];
                s->contact_mass[i] += of[handles] > 0 ? s->space.weight[k] * of[0] / of[handles] : 0;
            }
            s->contact_mass[i] = fmax(s->contact_mass[i], body->mass[i]);
        }
    }
    memory_give(NULL, region);
    return ok;
}
