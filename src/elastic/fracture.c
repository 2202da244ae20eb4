// SPDX-License-Identifier: MIT
#include "elastic/fracture.h"

#include "base/eigen.h"
#include "elastic/cohesion.h"
#include "elastic/split.h"
#include "elastic/topology.h"
#include <stdlib.h>
#include <string.h>

static const double RUNS_ON = 0.7; // of the strength, at which a crack runs on
enum { GRAIN = 256, SEEDS_MOST = 8 };

typedef struct PointStress {
    Strain stress;   // [Pa]
    double greatest; // [Pa] principal one, if it may be above the strength; else 0
    Vec3d normal;    // its direction
} PointStress;

typedef struct Fracture {
    const Body* body;
    const Fem* fem;
    PointStress* point; // (points)
    uint32_t* other;    // (faces) see split_find_faces()
    uint8_t* parts;     // (faces)
    uint8_t* seen;      // (points) the crack has been there
    uint32_t* queue;    // (points)
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

static bool is_above(const Body* body, size_t tet, Vec3d through, Vec3d normal)
{
    Vec3d middle = {0, 0, 0};
    for (int c = 0; c < 4; c++)
        middle = vec3d_mad(middle, 0.25, body->rest[body->tet[tet][c]]);
    return vec3d_dot(vec3d_sub(middle, through), normal) >= 0;
}

// Parts the faces at a point between the two sides, and looks at their other points.
static bool open_at(Fracture* f, uint32_t point, Vec3d through, Vec3d normal, size_t* queued)
{
    const Body* body = f->body;
    bool any = false;
    for (uint32_t k = f->fem->corner_start[point]; k < f->fem->corner_start[point + 1]; k++) {
        uint32_t tet = f->fem->corner[k] / 4, corner = f->fem->corner[k] % 4;
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t face = 4 * tet + c, back = f->other[face];
            if (c == corner || back == SPLIT_NONE ||
                is_above(body, tet, through, normal) == is_above(body, back / 4, through, normal))
                continue;
            f->parts[face] |= (uint8_t)(1 << corner);
            any = true;
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t next = body->tet[tet][i];
                if (i == c || f->seen[next] || !(across(&f->point[next].stress, normal) > RUNS_ON * body->def.strength))
                    continue;
                f->seen[next] = 1;
                f->queue[(*queued)++] = next;
            }
        }
    }
    return any;
}

// False: there is nothing to part at that point.
static bool run_crack(Fracture* f, uint32_t seed)
{
    Vec3d through = f->body->rest[seed], normal = f->point[seed].normal;
    size_t queued = 1;
    f->queue[0] = seed;
    f->seen[seed] = 1;
    bool any = open_at(f, seed, through, normal, &queued);
    for (size_t k = 1; any && k < queued; k++)
        open_at(f, f->queue[k], through, normal, &queued);
    return any;
}

// The point with the greatest stress in a piece that no crack has been at yet, or SPLIT_NONE.
static uint32_t find_seed(const Fracture* f, uint32_t piece)
{
    uint32_t best = SPLIT_NONE;
    double most = f->body->def.strength;
    for (uint32_t k = 0; k < f->body->point_count; k++)
        if (f->point[k].greatest > most && !f->seen[k] && (f->body->split.piece_of ? f->body->split.piece_of[k] : 0) == piece) {
            most = f->point[k].greatest;
            best = k;
        }
    return best;
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
    size_t pieces = body->split.piece_count ? body->split.piece_count : 1;
    bool any = false;
    if (!split_find_faces((const uint32_t(*)[4])body->tet, body->tet_count, f->other))
        return false;
    memset(f->parts, 0, 4 * body->tet_count);
    memset(f->seen, 0, body->point_count);
    cohesion_mark(body, f->seen); // a crack that is still held opens further before another begins there
    for (uint32_t p = 0; p < pieces; p++)
        for (int k = 0; k < SEEDS_MOST; k++) {
            uint32_t seed = find_seed(f, p);
            bool opened = seed != SPLIT_NONE && run_crack(f, seed);
            any |= opened;
            if (opened || seed == SPLIT_NONE)
                break;
        }
    return !any || (topology_split(set, body, f->parts, out_opened) && cohesion_bind(set, body, f->parts, f->other));
}

bool fracture_run(ElasticSet* set, Body* body, size_t* out_opened)
{
    Fem* fem = body->state;
    size_t n = body->point_count, faces = 4 * body->tet_count;
    *out_opened = 0;
    if (!fem_forces(set, body, body->position, fem->residual)) // rotations and stresses where points are now
        return false;
    Fracture f = {.body = body, .fem = fem, .point = memory_take(NULL, (n + 1) * sizeof *f.point)};
    bool ok = f.point;
    if (ok)
        parallel_for(set->pool, n, GRAIN, stress_block, &f);
    if (ok && any_too_much(&f)) {
        f.other = memory_take(NULL, (faces + 1) * sizeof *f.other);
        f.parts = memory_take(NULL, faces + 1);
        f.seen = memory_take(NULL, n + 1);
        f.queue = memory_take(NULL, (n + 1) * sizeof *f.queue);
        ok = f.other && f.parts && f.seen && f.queue && run_cracks(set, body, &f, out_opened);
    }
    void* arrays[] = {f.point, f.other, f.parts, f.seen, f.queue};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(NULL, arrays[k]);
    return ok;
}
