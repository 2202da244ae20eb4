// SPDX-License-Identifier: MIT
// From a mesh to the matrices of the reduced model:
//   M_rs = sum over points m u_r u_s,   K_rs = 2 w sum over samples V grad u_r . grad u_s
#include "base/error.h"
#include "elastic/reduced/dense.h"
#include "elastic/reduced/reduced.h"
#include <string.h>

// A function of a handle takes at least so many points, or matrices become singular.
enum { POINTS_PER_HANDLE = 8 };

// Of the mass matrix's diagonal: keeps what hardly any point feels from being thrown about by rounding.
static const double RIDGE = 1e-9;

// --- matrices

static void add_masses(Reduced* s, const Body* body)
{
    for (size_t i = 0; i < body->point_count; i++) {
        uint32_t begin = s->space.start[i], end = s->space.start[i + 1];
        s->total_mass += body->mass[i];
        for (uint32_t a = begin; a < end; a++) {
            double ua[4], ub[4];
            reduced_functions(s, body->rest[i], a, ua);
            for (uint32_t b = begin; b < end; b++) {
                reduced_functions(s, body->rest[i], b, ub);
                for (int r = 0; r < 4; r++) {
                    double* row = s->mass + (4 * (size_t)s->space.handle[a] + (size_t)r) * s->rank + 4 * (size_t)s->space.handle[b];
                    for (int c = 0; c < 4; c++)
                        row[c] += body->mass[i] * ua[r] * ub[c];
                }
            }
        }
    }
    for (size_t r = 0; r < s->rank; r++) {
        s->mass[r * s->rank + r] *= 1 + RIDGE;
        s->carried[r] = 0;
        for (size_t c = 3; c < s->rank; c += 4)
            s->carried[r] += s->mass[r * s->rank + c];
    }
}

static bool any_of(const double* matrix, size_t rank, size_t a, size_t b)
{
    for (size_t k = 0; k < 16; k++)
        if (matrix[(4 * a + k / 4) * rank + 4 * b + k % 4] != 0)
            return true;
    return false;
}

// Which handles share mass or stiffness with which.
static bool find_blocks(Reduced* s, Memory* memory)
{
    size_t n = s->space.handles, count = 0;
    s->block_start = memory_take(memory, (n + 1) * sizeof *s->block_start);
    s->block = memory_take(memory, n * n * sizeof *s->block);
    if (!s->block_start || !s->block)
        return false;
    for (size_t a = 0; a < n; a++) {
        s->block_start[a] = (uint32_t)count;
        for (size_t b = 0; b < n; b++)
            if (any_of(s->mass, s->rank, a, b) || any_of(s->stiffness, s->rank, a, b))
                s->block[count++] = (uint32_t)b;
    }
    s->block_start[n] = (uint32_t)count;
    return true;
}

// --- all of it

static bool take_arrays(Reduced* s, Memory* memory)
{
    size_t n = s->rank;
    double** vectors[] = {&s->rest,  &s->q,   &s->v,    &s->q_before, &s->v_before, &s->q_start, &s->v_start, &s->y,
                          &s->drift, &s->now, &s->load, &s->pushed,   &s->work,     &s->first,   &s->last};
    bool ok = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = memory_take(memory, 3 * n * sizeof(double));
        ok = ok && *vectors[k];
        if (*vectors[k])
            memset(*vectors[k], 0, 3 * n * sizeof(double));
    }
    s->stripes = (n + 2 * LANES - 1) / (2 * LANES) * 2; // even, see reduced_local.c
    s->centre = memory_take(memory, s->space.handles * sizeof *s->centre);
    s->mass = memory_take(memory, n * n * sizeof(double));
    s->mass_own = memory_take(memory, n * n * sizeof(double));
    s->stiffness = memory_take(memory, n * n * sizeof(double));
    s->place = memory_take(memory, 3 * s->stripes * LANES * sizeof(float));
    s->change = memory_take(memory, 3 * s->stripes * LANES * sizeof(float));
    s->force = memory_take(memory, 3 * n * sizeof(float));
    s->packed = memory_take(memory, 2 * n * sizeof *s->packed);
    s->carried = memory_take(memory, n * sizeof(double));
    ok = accelerate_create(&s->accelerate, memory, 3 * n) && ok;
    if (!ok || !s->centre || !s->mass || !s->mass_own || !s->stiffness || !s->place || !s->change || !s->force || !s->packed ||
        !s->carried)
        return false;
    memset(s->mass, 0, n * n * sizeof(double));
    memset(s->stiffness, 0, n * n * sizeof(double));
    return true;
}

static void set_rest(Reduced* s, const Body* body)
{
    for (size_t h = 0; h < s->space.handles; h++) {
        s->centre[h] = body->rest[s->space.sample[h]];
        const Vec3d column[4] = {vec3d(s->space.radius, 0, 0), vec3d(0, s->space.radius, 0), vec3d(0, 0, s->space.radius),
                                 s->centre[h]};
        for (size_t r = 0; r < 4; r++)
            reduced_add(s, s->rest, 4 * h + r, 1, column[r]);
    }
}

static mn_Result make_space(Reduced* s, ElasticSet* set, const Body* body, mn_Error* error)
{
    EdgeGraph graph;
    size_t missed = 0, handles = (size_t)body->def.handles, most = body->point_count / POINTS_PER_HANDLE;
    handles = handles < most ? handles : most;
    handles = handles > 0 ? handles : 1;
    bool ok =
        edge_graph_create(&graph, set->memory, body->rest, body->point_count, (const uint32_t(*)[4])body->tet, body->tet_count);
    ok = ok && subspace_create(&s->space, set->memory, &graph, handles, &missed);
    edge_graph_free(&graph);
    if (missed > 0) {
        error_set(error, MN_BAD_INPUT, "the tetrahedra are in %zu parts that are not connected; each needs a handle",
                  missed + s->space.handles);
        error_key(error, "handles");
        return MN_BAD_INPUT;
    }
    return ok ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu handles", handles);
}

mn_Result reduced_setup(Reduced* s, ElasticSet* set, const Body* body, mn_Error* error)
{
    Memory* memory = set->memory;
    size_t wanted = (size_t)body->def.projections < body->tet_count ? (size_t)body->def.projections : body->tet_count;
    mn_Result result = make_space(s, set, body, error);
    if (result != MN_OK)
        return result;
    s->rank = 4 * s->space.handles;
    bool ok = take_arrays(s, memory);
    if (ok) {
        set_rest(s, body);
        add_masses(s, body);
    }
    ok = ok && reduced_choose_samples(s, memory, body, wanted);
    ok = ok && reduced_pack_samples(s, memory, body) && find_blocks(s, memory) && reduced_weigh_skin(s, memory, body);
    if (ok) {
        memcpy(s->mass_own, s->mass, s->rank * s->rank * sizeof(double));
        if (!dense_factor(s->mass_own, s->rank)) {
            error_set(error, MN_BAD_INPUT, "there are too many handles for these tetrahedra: take fewer, or a finer resolution");
            error_key(error, "handles");
            return MN_BAD_INPUT;
        }
    }
    return ok ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu handles", s->space.handles);
}

void reduced_setup_free(Reduced* s, Memory* memory)
{
    void* arrays[] = {s->rest,      s->q,      s->v,      s->q_before, s->v_before, s->q_start,     s->v_start, s->y,
                      s->drift,     s->now,    s->load,   s->pushed,   s->work,     s->centre,      s->mass,    s->mass_own,
                      s->stiffness, s->place,  s->change, s->force,    s->block,    s->block_start, s->surface, s->contact_mass,
                      s->column_of, s->column, s->answer, s->total,    s->square,   s->packed,      s->carried, s->first,
                      s->last};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    accelerate_free(&s->accelerate, memory);
    reduced_inside_free(s, memory);
    subspace_free(&s->space);
    reduced_samples_free(&s->samples, memory);
    reduced_factors_free(s, memory);
}
