// SPDX-License-Identifier: MIT
// Rigid bodies for tests: a place with solids of simple shapes.
#ifndef TESTS_RIGID_PLACE_H
#define TESTS_RIGID_PLACE_H

#include "support.h"

#include "mesh/shape.h"
#include "rigid/rigid_parts.h"
#include <stdlib.h>
#include <string.h>

typedef struct Place {
    Rigid* rigid;
    TriMesh mesh[64];
    mn_Shape shape[64];
    int count;
} Place;

static inline Place* place_create(Vec3d gravity)
{
    Place* p = calloc(1, sizeof *p);
    p->rigid = rigid_create(&(RigidDef){3, gravity, 0.01, 1, 0, 0});
    assert_non_null(p->rigid);
    return p;
}

static inline void place_destroy(Place* p)
{
    rigid_destroy(p->rigid);
    for (int k = 0; k < p->count; k++)
        tri_mesh_free(&p->mesh[k]);
    free(p);
}

static inline int add(Place* p, BodyKind kind, mn_Shape shape, Vec3d at, double density, double restitution)
{
    int k = p->count++;
    p->shape[k] = shape;
    assert_int_equal(shape_build(&shape, 3, 1e-3, NULL, &p->mesh[k], NULL), MN_OK);
    mn_SolidDef solid = mn_default_solid_def();
    solid.density = density;
    BodyDef def = {
        .kind = kind, .shape = &p->shape[k], .mesh = &p->mesh[k], .scale = {1, 1, 1}, .friction = 0.5, .restitution = restitution};
    def.state = (BodyState){.position = at, .rotation = {1, 0, 0, 0}};
    if (kind == BODY_FREE)
        assert_int_equal(body_mass(&solid, &p->mesh[k], true, 0.01, &def.mass, NULL), MN_OK);
    int body = rigid_add_body(p->rigid, &def);
    assert_true(body >= 0);
    return body;
}

static inline mn_Shape box(double x, double y, double z)
{
    return (mn_Shape){.type = MN_SHAPE_BOX, .size = {x, y, z}};
}

static const Vec3d DOWN = {0, -9.81, 0};

static inline void run(Place* p, double dt, int steps)
{
    for (int k = 0; k < steps; k++)
        assert_true(rigid_step(p->rigid, dt));
}

#endif
