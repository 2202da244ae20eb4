// SPDX-License-Identifier: MIT
// The matrix of the global step, A = M + scale K + pins, and its inverse, which takes forces straight to coordinates. They depend
// on the length of the step and on who is pinned; the last few are kept, so that steps of two lengths in turn, or a pin that comes
// and goes, make nothing anew.
#include "elastic/reduced/dense.h"
#include "elastic/reduced/reduced.h"
#include <string.h>

// Of the mass and the stiffness of the whole body, shared by what is pinned.
static const double PIN_SHARE = 1e4;

uint64_t reduced_pins(const Body* body)
{
    uint64_t hash = 0;
    bool any = false;
    for (size_t i = 0; i < body->point_count; i++)
        if (body->pins.of[i] >= 0) {
            hash = (hash ^ (i + 1)) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
            any = true;
        }
    return any ? hash | 1 : 0;
}

double reduced_pin_stiffness(const Reduced* s, const Body* body, double scale)
{
    size_t count = 0;
    double trace = 0;
    for (size_t i = 0; i < body->point_count; i++)
        count += body->pins.of[i] >= 0;
    for (size_t r = 0; r < s->rank; r++)
        trace += s->stiffness[r * s->rank + r];
    return PIN_SHARE * (s->total_mass + scale * trace / (double)s->rank) / (double)(count ? count : 1);
}

void reduced_add_pins(const Reduced* s, const Body* body, double stiffness, double* a)
{
    for (size_t i = 0; i < body->point_count; i++) {
        if (body->pins.of[i] < 0)
            continue;
        for (uint32_t m = s->space.start[i]; m < s->space.start[i + 1]; m++) {
            double um[4], un[4];
            reduced_functions(s, body->rest[i], m, um);
            for (uint32_t n = s->space.start[i]; n < s->space.start[i + 1]; n++) {
                reduced_functions(s, body->rest[i], n, un);
                for (size_t r = 0; r < 4; r++) {
                    double* row = a + (4 * (size_t)s->space.handle[m] + r) * s->rank + 4 * (size_t)s->space.handle[n];
                    for (size_t c = 0; c < 4; c++)
                        row[c] += stiffness * um[r] * un[c];
                }
            }
        }
    }
}

// A stripe of eight rows of scale A^-1, in float.
static void set_step(const Reduced* s, ReducedFactor* f)
{
    size_t n = s->rank;
    for (size_t r = 0; r < s->stripes * LANES; r++)
        for (size_t c = 0; c < n; c++)
            f->step[((r / LANES) * n + c) * LANES + r % LANES] = r < n ? (float)(f->scale * f->inverse[r * n + c]) : 0;
}

static bool make_factor(Reduced* s, ElasticSet* set, const Body* body, ReducedFactor* f)
{
    size_t n = s->rank;
    f->inverse = f->inverse ? f->inverse : memory_take(set->memory, n * n * sizeof(double));
    f->step = f->step ? f->step : memory_take(set->memory, s->stripes * LANES * n * sizeof(float));
    s->square = s->square ? s->square : memory_take(set->memory, n * n * sizeof(double));
    if (!f->inverse || !f->step || !s->square)
        return false;
    for (size_t k = 0; k < n * n; k++)
        s->square[k] = s->mass[k] + f->scale * s->stiffness[k];
    if (f->pins)
        reduced_add_pins(s, body, reduced_pin_stiffness(s, body, f->scale), s->square);
    if (!dense_factor(s->square, n))
        return false;
    dense_inverse(s->square, n, f->inverse);
    set_step(s, f);
    return true;
}

ReducedFactor* reduced_find_factor(Reduced* s, ElasticSet* set, const Body* body, double scale, uint64_t pins)
{
    ReducedFactor* oldest = &s->factor[0];
    s->steps++;
    for (size_t k = 0; k < REDUCED_FACTORS; k++) {
        ReducedFactor* f = &s->factor[k];
        if (f->scale == scale && f->pins == pins) {
            f->used = s->steps;
            return f;
        }
        if (f->used < oldest->used)
            oldest = f;
    }
    oldest->scale = scale;
    oldest->pins = pins;
    oldest->used = s->steps;
    if (make_factor(s, set, body, oldest))
        return oldest;
    oldest->scale = 0;
    return NULL;
}

void reduced_factors_free(Reduced* s, Memory* memory)
{
    for (size_t k = 0; k < REDUCED_FACTORS; k++) {
        memory_give(memory, s->factor[k].step);
        memory_give(memory, s->factor[k].inverse);
    }
}
