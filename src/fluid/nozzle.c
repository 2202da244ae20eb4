// SPDX-License-Identifier: MIT
// The nozzle of a shape is its shadow along the jet: a square of the plane across is part of it as far as lines along the jet meet
// the shape, and fluid leaves where they meet it last. So a flat letter lets out a jet with that cross-section, a ball lets fluid
// out of the half that faces the jet, a ring a hollow jet.
#include "fluid/nozzle.h"

#include "base/error.h"
#include "mesh/inside.h"
#include "mesh/shape.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Phases of an irrational lattice: at any moment about as many columns are at one phase as at any other.
static double phase_of(int i, int k, int dimension)
{
    double phase = dimension == 3 ? 0.7548776662466927 * i + 0.5698402909980532 * k : 0.6180339887498949 * i;
    return phase - floor(phase);
}

// --- boxes and discs

static bool in_flat(const Nozzle* nozzle, double x, double z)
{
    if (nozzle->type == MN_EMITTER_BOX)
        return fabs(x) <= 0.5 * nozzle->size[0] && (nozzle->dimension == 2 || fabs(z) <= 0.5 * nozzle->size[1]);
    return x * x + (nozzle->dimension == 3 ? z * z : 0) <= nozzle->size[0] * nozzle->size[0];
}

static double flat_area(const Nozzle* nozzle)
{
    bool box = nozzle->type == MN_EMITTER_BOX;
    if (nozzle->dimension == 2)
        return box ? nozzle->size[0] : 2 * nozzle->size[0];
    return box ? nozzle->size[0] * nozzle->size[1] : M_PI * nozzle->size[0] * nozzle->size[0];
}

// Columns of n[0] x n[1] cells over the nozzle whose middles are in it. `out` may be NULL: they are only counted.
static size_t lay_flat(const Nozzle* nozzle, NozzleColumn* out)
{
    bool box = nozzle->type == MN_EMITTER_BOX;
    double width = box ? nozzle->size[0] : 2 * nozzle->size[0], depth = box ? nozzle->size[1] : 2 * nozzle->size[0];
    size_t count = 0;
    for (int k = 0; k < nozzle->n[1]; k++)
        for (int i = 0; i < nozzle->n[0]; i++) {
            double x = width * ((i + 0.5) / nozzle->n[0] - 0.5);
            double z = nozzle->dimension == 3 ? depth * ((k + 0.5) / nozzle->n[1] - 0.5) : 0;
            if (!in_flat(nozzle, x, z))
                continue;
            if (out)
                out[count] = (NozzleColumn){.x = x, .z = z, .phase = phase_of(i, k, nozzle->dimension)};
            count++;
        }
    return count;
}

// The nearest number of cells to a length, in proportion.
static int cells_on(double length, double spacing)
{
    double share = length / spacing, low = fmax(1, floor(share));
    return (int)(share * share > low * (low + 1) ? low + 1 : low);
}

static bool make_flat(Nozzle* nozzle, double spacing)
{
    bool box = nozzle->type == MN_EMITTER_BOX;
    nozzle->n[0] = cells_on(box ? nozzle->size[0] : 2 * nozzle->size[0], spacing);
    nozzle->n[1] = nozzle->dimension == 3 ? cells_on(box ? nozzle->size[1] : 2 * nozzle->size[0], spacing) : 1;
    nozzle->area = flat_area(nozzle);
    nozzle->reach = vec3d_length(vec3d(nozzle->size[0], nozzle->size[1], 0));
    nozzle->column_count = lay_flat(nozzle, NULL);
    nozzle->column = calloc(nozzle->column_count, sizeof *nozzle->column);
    if (nozzle->column)
        lay_flat(nozzle, nozzle->column);
    return nozzle->column != NULL;
}

// --- shapes

typedef struct Shadow {
    const InsideTest* test;
    Box3d box;
} Shadow;

// Whether a line along the jet meets the shape, and where last [m].
static bool meets(const Shadow* shadow, double x, double z, double* out_y)
{
    enum { MOST = 64 };
    SurfacePass pass[MOST];
    double top = shadow->box.max.y, low = shadow->box.min.y, margin = 0.01 * (top - low) + 1e-9 + 1e-6 * fabs(top);
    Vec3d from = {x, top + margin, z}, to = {x, low - margin, z};
    int count = inside_passes(shadow->test, from, to, pass, MOST);
    double first = INFINITY;
    for (int k = 0; k < count; k++)
        first = fmin(first, pass[k].time);
    *out_y = from.y + first * (to.y - from.y);
    return count > 0;
}

// Share of a square that lies in the shadow, and the mean of where fluid leaves there [m].
static double cover(const Nozzle* nozzle, const Shadow* shadow, int i, int k, double* out_y)
{
    enum { FINE = 6 };
    int fine_z = nozzle->dimension == 3 ? FINE : 1, hits = 0;
    double sum = 0, y;
    for (int b = 0; b < fine_z; b++)
        for (int a = 0; a < FINE; a++) {
            // a little off the middle: meshes like to have edges on round coordinates
            double x = nozzle->low[0] + nozzle->cell[0] * (i + (a + 0.4987) / FINE);
            double z = nozzle->dimension == 3 ? nozzle->low[1] + nozzle->cell[1] * (k + (b + 0.5011) / FINE) : 0;
            if (meets(shadow, x, z, &y)) {
                hits++;
                sum += y;
            }
        }
    *out_y = hits ? sum / hits : 0;
    return (double)hits / (FINE * fine_z);
}

// Squares that are covered by half become columns; if strokes are too thin for that, those covered by less.
static bool lay_squares(Nozzle* nozzle, const double* share, const double* y)
{
    size_t all = (size_t)nozzle->n[0] * (size_t)nozzle->n[1];
    double covered = 0, least = 0.5;
    for (size_t s = 0; s < all; s++)
        covered += share[s];
    for (;; least /= 2) {
        nozzle->column_count = 0;
        for (size_t s = 0; s < all; s++)
            nozzle->column_count += share[s] > 0 && share[s] >= least;
        if ((double)nozzle->column_count >= 0.8 * covered || least < 0.01)
            break;
    }
    nozzle->area = covered * nozzle->cell[0] * (nozzle->dimension == 3 ? nozzle->cell[1] : 1);
    nozzle->column = calloc(nozzle->column_count + 1, sizeof *nozzle->column);
    nozzle->square = malloc((all + 1) * sizeof *nozzle->square);
    if (!nozzle->column || !nozzle->square)
        return false;
    size_t count = 0;
    for (size_t s = 0; s < all; s++) {
        int i = (int)(s % (size_t)nozzle->n[0]), k = (int)(s / (size_t)nozzle->n[0]);
        bool is = share[s] > 0 && share[s] >= least;
        nozzle->square[s] = is ? (int32_t)count : -1;
        if (is)
            nozzle->column[count++] = (NozzleColumn){.x = nozzle->low[0] + nozzle->cell[0] * (i + 0.5),
                                                     .z = nozzle->dimension == 3 ? nozzle->low[1] + nozzle->cell[1] * (k + 0.5) : 0,
                                                     .y = y[s],
                                                     .phase = phase_of(i, k, nozzle->dimension)};
    }
    return true;
}

static mn_Result no_memory(mn_Error* error)
{
    return error_set(error, MN_OUT_OF_MEMORY, "no memory for a nozzle");
}

static mn_Result cast_shadow(Nozzle* nozzle, const TriMesh* mesh, double spacing, mn_Error* error)
{
    Shadow shadow = {inside_create(mesh, NULL), tri_mesh_bounds(mesh)};
    Box3d box = shadow.box;
    double wide = (box.max.x - box.min.x) / spacing, deep = nozzle->dimension == 3 ? (box.max.z - box.min.z) / spacing : 0;
    if ((wide + 1) * (deep + 1) > 1e7) {
        inside_destroy((InsideTest*)shadow.test);
        error_set(error, MN_BAD_INPUT, "a nozzle of %.3g spacings squared; at most 1e7 are possible", (wide + 1) * (deep + 1));
        error_key(error, "shape");
        return MN_BAD_INPUT;
    }
    // squares fill the box around the shape, so that straight borders are not cut
    nozzle->n[0] = cells_on(wide, 1);
    nozzle->n[1] = nozzle->dimension == 3 ? cells_on(deep, 1) : 1;
    nozzle->cell[0] = wide * spacing / nozzle->n[0];
    nozzle->cell[1] = deep * spacing / nozzle->n[1];
    nozzle->low[0] = box.min.x;
    nozzle->low[1] = box.min.z;
    nozzle->reach =
        fmax(vec3d_length(box.min), vec3d_length(box.max)) + vec3d_distance(box.min, box.max); // of the box around, at least
    size_t all = (size_t)nozzle->n[0] * (size_t)nozzle->n[1];
    double *share = malloc(all * sizeof *share), *y = malloc(all * sizeof *y);
    bool ok = shadow.test && share && y;
    bool thin = wide < 0.01 || (nozzle->dimension == 3 && deep < 0.01);
    for (size_t s = 0; ok && s < all; s++)
        share[s] = thin ? 0 : cover(nozzle, &shadow, (int)(s % (size_t)nozzle->n[0]), (int)(s / (size_t)nozzle->n[0]), &y[s]);
    ok = ok && lay_squares(nozzle, share, y);
    free(share);
    free(y);
    inside_destroy((InsideTest*)shadow.test);
    if (ok && nozzle->column_count == 0) {
        error_set(
            error, MN_BAD_INPUT,
            "no fluid can leave this shape along the jet: seen from there it is thinner than a hundredth of a spacing of %.3g m",
            spacing);
        error_key(error, "shape");
        return MN_BAD_INPUT;
    }
    return ok ? MN_OK : no_memory(error);
}

static mn_Result make_shape(Nozzle* nozzle, const mn_Emitter* def, double spacing, const char* folder, mn_Error* error)
{
    TriMesh mesh = {0};
    mn_Result result = shape_build(&def->shape, nozzle->dimension, 0.1 * spacing, folder, &mesh, error);
    if (result != MN_OK)
        return result;
    tri_mesh_scale(&mesh, def->scale);
    result = cast_shadow(nozzle, &mesh, spacing, error);
    tri_mesh_free(&mesh);
    return result;
}

// --- both

double nozzle_profile(const Nozzle* nozzle, double x, double z)
{
    if (nozzle->profile == MN_PROFILE_UNIFORM || nozzle->type == MN_EMITTER_SHAPE)
        return 1;
    double half = nozzle->type == MN_EMITTER_BOX ? 0.5 * nozzle->size[0] : nozzle->size[0], deep = 0.5 * nozzle->size[1];
    double across = fmax(0, 1 - x * x / (half * half));
    if (nozzle->dimension == 2)
        return 1.5 * across;
    if (nozzle->type == MN_EMITTER_DISC)
        return 2 * fmax(0, 1 - (x * x + z * z) / (half * half));
    return 2.25 * across * fmax(0, 1 - z * z / (deep * deep));
}

mn_Result nozzle_init(Nozzle* nozzle, const mn_Emitter* def, double spacing, int dimension, const char* folder, mn_Error* error)
{
    *nozzle = (Nozzle){.type = def->type, .profile = def->profile, .dimension = dimension, .size = {def->size[0], def->size[1]}};
    mn_Result result = MN_OK;
    if (def->type == MN_EMITTER_SHAPE)
        result = make_shape(nozzle, def, spacing, folder, error);
    else if (!make_flat(nozzle, spacing))
        result = no_memory(error);
    if (result != MN_OK) {
        nozzle_free(nozzle);
        return result;
    }
    double sum = 0; // columns together deliver the mean speed
    for (size_t k = 0; k < nozzle->column_count; k++)
        sum += nozzle->column[k].share = nozzle_profile(nozzle, nozzle->column[k].x, nozzle->column[k].z);
    for (size_t k = 0; k < nozzle->column_count; k++)
        nozzle->column[k].share *= sum > 0 ? (double)nozzle->column_count / sum : 1;
    return MN_OK;
}

void nozzle_free(Nozzle* nozzle)
{
    free(nozzle->column);
    free(nozzle->square);
    nozzle->column = NULL;
    nozzle->square = NULL;
}

// --- beside it

static Vec3d nearest_in_flat(const Nozzle* nozzle, Vec3d across)
{
    if (nozzle->type == MN_EMITTER_DISC) {
        double r = vec3d_length(across);
        return r > nozzle->size[0] ? vec3d_scale(across, nozzle->size[0] / r) : across;
    }
    double z = nozzle->dimension == 3 ? fmax(-0.5 * nozzle->size[1], fmin(0.5 * nozzle->size[1], across.z)) : 0;
    return vec3d(fmax(-0.5 * nozzle->size[0], fmin(0.5 * nozzle->size[0], across.x)), 0, z);
}

// In the columns of the squares around, two on either side: farther away nobody asks.
static Vec3d nearest_in_squares(const Nozzle* nozzle, Vec3d across, double* out_y)
{
    const double* cell = nozzle->cell;
    double hx = cell[0] / 2, hz = cell[1] / 2, least = INFINITY;
    Vec3d nearest = {across.x + 4 * cell[0], 0, across.z};
    int i0 = (int)floor((across.x - nozzle->low[0]) / cell[0]), k0 = 0, deep = nozzle->dimension == 3 ? 2 : 0;
    if (nozzle->dimension == 3)
        k0 = (int)floor((across.z - nozzle->low[1]) / cell[1]);
    for (int k = k0 - deep; k <= k0 + deep; k++)
        for (int i = i0 - 2; i <= i0 + 2; i++) {
            if (i < 0 || k < 0 || i >= nozzle->n[0] || k >= nozzle->n[1])
                continue;
            int32_t number = nozzle->square[(size_t)k * (size_t)nozzle->n[0] + (size_t)i];
            if (number < 0)
                continue;
            const NozzleColumn* c = &nozzle->column[number];
            Vec3d p = {fmax(c->x - hx, fmin(c->x + hx, across.x)), 0,
                       nozzle->dimension == 3 ? fmax(c->z - hz, fmin(c->z + hz, across.z)) : 0};
            double distance = vec3d_distance(p, across);
            if (distance < least) {
                least = distance;
                nearest = p;
                *out_y = c->y;
            }
        }
    return nearest;
}

double nozzle_beside(const Nozzle* nozzle, Vec3d local, Vec3d* outwards, double* out_y)
{
    Vec3d across = {local.x, 0, nozzle->dimension == 3 ? local.z : 0};
    *out_y = 0;
    Vec3d nearest = nozzle->type == MN_EMITTER_SHAPE ? nearest_in_squares(nozzle, across, out_y) : nearest_in_flat(nozzle, across);
    Vec3d away = vec3d_sub(across, nearest);
    double distance = vec3d_length(away);
    *outwards = distance > 0 ? vec3d_scale(away, 1 / distance) : away;
    return distance;
}
