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

static inline Place* place_create_sized(Vec3d gravity, double scale)
{
    Place* p = calloc(1, sizeof *p);
    p->rigid = rigid_create(&(RigidDef){3, gravity, 0.01 * scale, 1, 0, 0});
    assert_non_null(p->rigid);
    return p;
}

static inline Place* place_create(Vec3d gravity)
{
    return place_create_sized(gravity, 1);
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
    assert_int_equal(shape_build(&shape, 3, p->rigid->def.length / 10, NULL, &p->mesh[k], NULL), MN_OK);
    mn_SolidDef solid = mn_default_solid_def();
    solid.density = density;
    BodyDef def = {
        .kind = kind, .shape = &p->shape[k], .mesh = &p->mesh[k], .scale = {1, 1, 1}, .friction = 0.5, .restitution = restitution};
    def.state = (BodyState){.position = at, .rotation = {1, 0, 0, 0}};
    if (kind == BODY_FREE)
        assert_int_equal(body_mass(&solid, &p->mesh[k], true, 0.01, 0.01, &def.mass, NULL), MN_OK);
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

// Boxes, balls, capsules and a cone (of triangles) that fall on each other and on a floor, some tied together.
static inline Place* tumble(double scale)
{
    Place* p = place_create_sized(DOWN, scale);
    add(p, BODY_FIXED, box(10 * scale, scale, 10 * scale), vec3d(0, -0.5 * scale, 0), 0, 0.2);
    for (int k = 0; k < 9; k++) {
        mn_Shape shape = k == 8       ? (mn_Shape){.type = MN_SHAPE_CONE, .size = {0.08 * scale, 0.15 * scale, 0}}
                         : k % 3 == 0 ? box(0.1 * scale, 0.15 * scale, 0.1 * scale)
                         : k % 3 == 1 ? (mn_Shape){.type = MN_SHAPE_SPHERE, .size = {0.06 * scale, 0, 0}}
                                      : (mn_Shape){.type = MN_SHAPE_CAPSULE, .size = {0.04 * scale, 0.1 * scale, 0}};
        int b = add(p, BODY_FREE, shape, vec3d_scale(vec3d(0.03 * (k % 2), 0.2 + 0.17 * k, 0.02 * (k % 3)), scale), 600, 0.3);
        if (k % 4 == 3) {
            mn_JointDef def = mn_default_joint_def();
            def.position = rigid_state(p->rigid, b).position;
            def.break_force = 200 * scale * scale * scale;
            rigid_add_joint(p->rigid, &def, b, b - 1);
        }
    }
    return p;
}

#endif
