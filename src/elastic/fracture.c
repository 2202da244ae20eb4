// SPDX-License-Identifier: MIT
#include "elastic/fracture.h"

#include "base/eigen.h"
#include "elastic/cohesion.h"
#include "elastic/snap.h"
#include "elastic/split.h"
#include "elastic/topology.h"
#include <stdlib.h>
#include <string.h>

static const double RUNS_ON = 0.7; // of the strength, at which a crack runs on
enum { GRAIN = 256, SEEDS_MOST = 256 };

typedef struct PointStress {
    Strain stress;   // [Pa]
    double greatest; // [Pa] principal one, if it may be above the strength; else 0
    Vec3d normal;    // its direction
} PointStress;

typedef struct Crack {
    uint32_t seed;
    Vec3d through, normal;
} Crack;

// A point that is loaded beyond the strength.
typedef struct Seed {
    uint32_t piece, point;
    double stress; // [Pa]
} Seed;

typedef struct Fracture {
    const Body* body;
    const Fem* fem;
    PointStress* point; // (points)
    Crack* crack;       // (pieces) those that run
    size_t crack_count;
    Seed* seed; // (points)
    size_t seed_count;
    uint32_t* other; // (faces) see split_find_faces()
    uint8_t* parts;  // (faces)
    uint8_t* held;   // (points) by bonds
    uint8_t* seen;   // (points) the crack has been there
    uint32_t* queue; // (points)
    double* height;  // [m] (points) above the planes of cracks, near them; else NAN
} Fracture;

// --- stress of points

static void stress_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Fracture* f = context;
    const Domains* d = &f->fem->domains;
    const double strength = f->body->def.strength;
    for (size_t v = begin; v < end; v++) {
        double s[3][3] = {{0}}, axes[3][3], square = 0;
        for (uint32_t k = d->point_start[v]; k < d->point_start[v + 1]; k++) {
            size_t e = d->point_edge[k];
            Mat3 stress = mat3_mul_left_transposed(&d->rotation[e], &d->stress[e]);
            double share = d->volume[e] / (2 * d->point_volume[v]);
            for (int i = 0; i < 9; i++)
                s[i / 3][i % 3] += 0.5 * share * (stress.m[i / 3][i % 3] + stress.m[i % 3][i / 3]);
        }
        PointStress* p = &f->point[v];
        *p = (PointStress){.stress = {{s[0][0], s[1][1], s[2][2], s[0][1], s[1][2], s[2][0]}}};
        for (int i = 0; i < 9; i++)
            square += s[i / 3][i % 3] * s[i / 3][i % 3];
        if (!(square > strength * strength))
            continue; // no principal stress is larger than the norm
        eigen_symmetric(s, axes);
        int most = s[1][1] > s[0][0] ? 1 : 0;
        most = s[2][2] > s[most][most] ? 2 : most;
        p->greatest = fmax(s[most][most], 0);
        p->normal = vec3d(axes[0][most], axes[1][most], axes[2][most]);
    }
}

static double across(const Strain* s, Vec3d n)
{
    const double* x = s->at;
    return x[0] * n.x * n.x + x[1] * n.y * n.y + x[2] * n.z * n.z + 2 * (x[3] * n.x * n.y + x[4] * n.y * n.z + x[5] * n.z * n.x);
}

// --- a crack

static bool is_above(const Body* body, size_t tet, const Crack* crack)
{
    Vec3d middle = {0, 0, 0};
    for (int c = 0; c < 4; c++)
        middle = vec3d_mad(middle, 0.25, body->rest[body->tet[tet][c]]);
    return vec3d_dot(vec3d_sub(middle, crack->through), crack->normal) >= 0;
}

// Parts the faces at a point between the two sides, and looks at their other points.
static bool open_at(Fracture* f, uint32_t point, const Crack* crack, size_t* queued)
{
    const Body* body = f->body;
    bool any = false;
    for (uint32_t k = f->fem->corner_start[point]; k < f->fem->corner_start[point + 1]; k++) {
        uint32_t tet = f->fem->corner[k] / 4, corner = f->fem->corner[k] % 4;
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t face = 4 * tet + c, back = f->other[face];
            if (c == corner || back == SPLIT_NONE || is_above(body, tet, crack) == is_above(body, back / 4, crack))
                continue;
            f->parts[face] |= (uint8_t)(1 << corner);
            any = true;
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t next = body->tet[tet][i];
                if (i == c || f->seen[next] || !(across(&f->point[next].stress, crack->normal) > RUNS_ON * body->def.strength))
                    continue;
                f->seen[next] = 1;
                f->queue[(*queued)++] = next;
            }
        }
    }
    return any;
}

// Returns at how many points it has been; 0: there is nothing to part at its seed.
static size_t run_crack(Fracture* f, const Crack* crack)
{
    size_t queued = 1;
    f->queue[0] = crack->seed;
    f->seen[crack->seed] = 1;
    bool any = open_at(f, crack->seed, crack, &queued);
    for (size_t k = 1; any && k < queued; k++)
        open_at(f, f->queue[k], crack, &queued);
    return any ? queued : 0;
}

// The direction of the largest stress around a point, from the mean over two rings of tetrahedra: at the tip of a crack that of the
// point alone follows the edges of the mesh (Wells and Sluys 2001).
static Vec3d direction_around(const Fracture* f, uint32_t seed)
{
    const Fem* fem = f->fem;
    double s[3][3] = {{0}}, axes[3][3];
    for (uint32_t k = fem->corner_start[seed]; k < fem->corner_start[seed + 1]; k++)
        for (int c = 0; c < 4; c++) {
            uint32_t ring = f->body->tet[fem->corner[k] / 4][c];
            for (uint32_t j = fem->corner_start[ring]; j < fem->corner_start[ring + 1]; j++)
                for (int d = 0; d < 4; d++) {
                    uint32_t tet = fem->corner[j] / 4;
                    const double* x = f->point[f->body->tet[tet][d]].stress.at;
                    const double all[3][3] = {{x[0], x[3], x[5]}, {x[3], x[1], x[4]}, {x[5], x[4], x[2]}};
                    for (int i = 0; i < 9; i++)
                        s[i / 3][i % 3] += fem->element[tet].volume * all[i / 3][i % 3];
                }
        }
    eigen_symmetric(s, axes);
    int most = s[1][1] > s[0][0] ? 1 : 0;
    most = s[2][2] > s[most][most] ? 2 : most;
    return vec3d(axes[0][most], axes[1][most], axes[2][most]);
}

// --- all of a step

static int by_stress(const void* a, const void* b)
{
    const Seed *p = a, *q = b;
    if (p->piece != q->piece)
        return p->piece < q->piece ? -1 : 1;
    if (p->stress != q->stress)
        return p->stress > q->stress ? -1 : 1;
    return p->point < q->point ? -1 : p->point > q->point;
}

// By pieces, those with the greatest stress first.
static void find_seeds(Fracture* f)
{
    const uint32_t* piece_of = f->body->split.piece_of;
    f->seed_count = 0;
    for (uint32_t k = 0; k < f->body->point_count; k++)
        if (f->point[k].greatest > f->body->def.strength && !f->held[k])
            f->seed[f->seed_count++] = (Seed){piece_of ? piece_of[k] : 0, k, f->point[k].greatest};
    if (f->seed_count)
        qsort(f->seed, f->seed_count, sizeof *f->seed, by_stress);
}

// Points of tetrahedra where the crack has been.
static void find_heights(Fracture* f, const Crack* crack, size_t queued)
{
    for (size_t k = 0; k < queued; k++)
        for (uint32_t j = f->fem->corner_start[f->queue[k]]; j < f->fem->corner_start[f->queue[k] + 1]; j++)
            for (int c = 0; c < 4; c++) {
                uint32_t point = f->body->tet[f->fem->corner[j] / 4][c];
                f->height[point] = vec3d_dot(vec3d_sub(f->body->rest[point], crack->through), crack->normal);
            }
}

// A crack from that point, if anything parts there.
static bool plan_crack(Fracture* f, uint32_t seed)
{
    Crack crack = {.seed = seed, .through = f->body->rest[seed], .normal = direction_around(f, seed)};
    size_t queued = run_crack(f, &crack);
    if (queued == 0)
        return false;
    find_heights(f, &crack, queued);
    f->crack[f->crack_count++] = crack;
    return true;
}

// Finds one crack in each piece, and where it would run: at the ends of a piece nothing parts, and the next point is looked at.
static void plan_cracks(Fracture* f)
{
    memcpy(f->seen, f->held, f->body->point_count); // a crack that is still held opens further before another begins there
    for (size_t k = 0; k < f->body->point_count; k++)
        f->height[k] = NAN;
    find_seeds(f);
    for (size_t k = 0, tried = 0; k < f->seed_count; k++) {
        tried = k && f->seed[k].piece == f->seed[k - 1].piece ? tried : 0;
        if (tried < SEEDS_MOST && !f->seen[f->seed[k].point])
            tried = plan_crack(f, f->seed[k].point) ? SEEDS_MOST : tried + 1;
    }
}

// The same again, now that their planes are resolved.
static bool open_cracks(Fracture* f)
{
    bool any = false;
    memcpy(f->seen, f->held, f->body->point_count);
    memset(f->parts, 0, 4 * f->body->tet_count);
    for (size_t k = 0; k < f->crack_count; k++)
        if (run_crack(f, &f->crack[k]))
            any = true;
    return any;
}

static bool part(ElasticSet* set, Body* body, Fracture* f, size_t* out_opened)
{
    Snap snap = {0};
    uint32_t revision = body->split.revision;
    bool ok = !body->def.clean_cracks || (snap_find(&snap, body, f->held, f->height) && topology_keep_rest(set, body));
    if (ok) {
        snap_apply(&snap, body);
        ok = !open_cracks(f) || topology_split(set, body, f->parts, out_opened);
        if (body->split.revision != revision)
            snap_settle(&snap, body);
        else
            snap_undo(&snap, body);
    }
    snap_free(&snap);
    return ok && (body->split.revision == revision || cohesion_bind(set, body, f->other));
}

static bool any_too_much(const Fracture* f)
{
    for (size_t k = 0; k < f->body->point_count; k++)
        if (f->point[k].greatest > f->body->def.strength)
            return true;
    return false;
}

static bool run_cracks(ElasticSet* set, Body* body, Fracture* f, size_t* out_opened)
{
    size_t n = body->point_count, faces = 4 * body->tet_count;
    size_t pieces = body->split.piece_count ? body->split.piece_count : 1;
    f->crack = memory_take(NULL, pieces * sizeof *f->crack);
    f->seed = memory_take(NULL, (n + 1) * sizeof *f->seed);
    f->other = memory_take(NULL, (faces + 1) * sizeof *f->other);
    f->parts = memory_take(NULL, faces + 1);
    f->held = memory_take(NULL, n + 1);
    f->seen = memory_take(NULL, n + 1);
    f->queue = memory_take(NULL, (n + 1) * sizeof *f->queue);
    f->height = memory_take(NULL, (n + 1) * sizeof *f->height);
    bool ok = f->crack && f->seed && f->other && f->parts && f->held && f->seen && f->queue && f->height &&
              split_find_faces((const uint32_t(*)[4])body->tet, body->tet_count, f->other);
    if (ok) {
        memset(f->parts, 0, faces);
        memset(f->held, 0, n);
        cohesion_mark(body, f->held);
        plan_cracks(f);
        ok = f->crack_count == 0 || part(set, body, f, out_opened);
    }
    void* arrays[] = {f->crack, f->seed, f->other, f->parts, f->held, f->seen, f->queue, f->height};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(NULL, arrays[k]);
    return ok;
}

bool fracture_run(ElasticSet* set, Body* body, size_t* out_opened)
{
    Fem* fem = body->state;
    *out_opened = 0;
    if (!fem_forces(set, body, body->position, fem->residual)) // rotations and stresses where points are now
        return false;
    Fracture f = {.body = body, .fem = fem, .point = memory_take(NULL, (body->point_count + 1) * sizeof *f.point)};
    bool ok = f.point;
    if (ok) {
        parallel_for(set->pool, body->point_count, GRAIN, stress_block, &f);
        ok = !any_too_much(&f) || run_cracks(set, body, &f, out_opened);
    }
    memory_give(NULL, f.point);
    return ok;
}
