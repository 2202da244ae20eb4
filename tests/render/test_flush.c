// SPDX-License-Identifier: MIT
// Water in a box is drawn up to the walls and into the corners; drops and what is far from walls keep their shape.
#include "mesh/shape_parts.h"
#include "render/flush.h"
#include "support.h"
#include <string.h>

static Vec3 at(double x, double y, double z)
{
    return (Vec3){(float)x, (float)y, (float)z};
}

static void vertices_go_to_the_wall_that_they_face(void** state)
{
    double r = 0.01, h = sqrt(0.5);
    mn_Scene scene = {0};
    scene.world.particle_radius = r;
    SubjectSolid tank = {.inside = true};
    assert_true(solid_box(&tank.mesh, vec3d(2, 2, 2)));
    mn_Pose pose = {.position = {2, 0, 0}, .rotation = {1, 0, 0, 0}}; // walls at x = 1 and 3, y and z = -1 and 1
    Subject subject = {.scene = &scene, .solid = &tank, .solid_count = 1, .pose = &pose};

    Vec3 position[] = {at(1 + r, 0, 0), at(1 + 3 * r, 0, 0),     at(1 + 2 * r, -1 + r, 0), at(1 + r, 0, 0),
                       at(1 + r, 0, 0), at(1 + 5 * r, 0.2, 0.3), at(2, 1 - r, 0)};
    Vec3 normal[] = {at(-1, 0, 0), at(-1, 0, 0), at(-h, -h, 0), at(1, 0, 0), at(0, 1, 0), at(-1, 0, 0), at(0, 1, 0)};
    SurfaceMesh mesh = {.vertex_count = 7, .position = position, .normal = normal};
    flush_surface(&mesh, &subject, 0);

    assert_near((double)position[0].x, 1, 1e-6);                                           // at the wall
    assert_true((double)position[1].x < 1 + 3 * r - 0.2 * r && (double)position[1].x > 1); // follows
    assert_true((double)position[2].x < 1 + r && (double)position[2].x > 1);               // an edge follows one wall
    assert_near((double)position[2].y, -1, 1e-6);                                          // and lies at the other
    assert_near((double)position[3].x, 1 + r, 1e-6);                                       // faces away
    assert_near((double)position[4].x, 1 + r, 1e-6);                                       // the top of the water
    assert_near((double)position[5].x, 1 + 5 * r, 1e-6);
    assert_near((double)position[6].y, 1, 1e-6);
    assert_near((double)normal[0].x, -1, 1e-6);

    position[0] = at(1 + r, 0, 0);
    flush_surface(&mesh, &subject, 0.1 * r);
    assert_near((double)position[0].x, 1 + 0.1 * r, 1e-6);

    // outside of things nothing is moved
    tank.inside = false;
    position[0] = at(1 - r, 0, 0);
    flush_surface(&mesh, &subject, 0);
    assert_near((double)position[0].x, 1 - r, 1e-6);
    tri_mesh_free(&tank.mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vertices_go_to_the_wall_that_they_face)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
