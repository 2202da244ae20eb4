// SPDX-License-Identifier: MIT
// Set-ups of tests of the reduced model.
#ifndef TESTS_REDUCED_SUPPORT_H
#define TESTS_REDUCED_SUPPORT_H

#include "elastic/reduced/reduced.h"
#include "elastic_support.h"

static inline ElasticBodyDef reduced_def(const TestVolume* v, int handles, int projections)
{
    ElasticBodyDef def = test_volume_def(v, MN_ELASTIC_REDUCED);
    def.handles = handles;
    def.projections = projections;
    def.iterations = 10;
    return def;
}

static inline const Reduced* state_of(const ElasticSet* set)
{
    return set->body[0].state;
}

// A bar that bends and turns: its ends are thrown against its middle.
static inline void throw_ends(Vec3d* v, const Vec3d* rest, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = vec3d(2 * rest[i].y, 30 * rest[i].x * rest[i].x - 0.3, 3 * rest[i].x);
}

#endif
