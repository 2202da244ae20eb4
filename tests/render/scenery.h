// SPDX-License-Identifier: MIT
// A small made-up scene for the tests of pictures: water in a glass tank, a block and a ball.
#ifndef TESTS_RENDER_SCENERY_H
#define TESTS_RENDER_SCENERY_H

#include "base/random.h"
#include "render/scene_picture.h"
#include <stdlib.h>
#include <string.h>

typedef struct Scenery {
    float *position, *scalar;
    size_t count;
    TriMesh mesh[3];
    Model model[3];
    SolidItem solid[3];
    ColourMap map;
    ParticleLook look;
    RenderInput input;
} Scenery;

static inline void scenery_box(TriMesh* mesh, double x, double y, double z)
{
    static const uint32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                          {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (int k = 0; k < 8; k++)
        tri_mesh_add_vertex(mesh, vec3d(k & 1 ? x / 2 : -x / 2, k & 2 ? y / 2 : -y / 2, k & 4 ? z / 2 : -z / 2));
    for (int t = 0; t < 12; t++)
        tri_mesh_add_triangle(mesh, faces[t][0], faces[t][1], faces[t][2]);
}

// A ball of 8 x 16 patches.
static inline void scenery_ball(TriMesh* mesh, double radius)
{
    enum { RINGS = 8, SIDES = 16 };
    for (int i = 0; i <= RINGS; i++)
        for (int j = 0; j < SIDES; j++) {
            double a = 3.14159265358979 * i / RINGS, b = 2 * 3.14159265358979 * j / SIDES;
            tri_mesh_add_vertex(mesh, vec3d(radius * sin(a) * cos(b), radius * cos(a), radius * sin(a) * sin(b)));
        }
    for (uint32_t i = 0; i < RINGS; i++)
        for (uint32_t j = 0; j < SIDES; j++) {
            uint32_t a = i * SIDES + j, b = i * SIDES + (j + 1) % SIDES, c = a + SIDES, d = b + SIDES;
            tri_mesh_add_triangle(mesh, a, b, d);
            tri_mesh_add_triangle(mesh, a, d, c);
        }
}

static inline void scenery_water(Scenery* s, double r)
{
    size_t room = (size_t)(2 / r * 1 / r * 1 / r / 8) + 1000;
    s->position = malloc(3 * room * sizeof *s->position);
    s->scalar = malloc(room * sizeof *s->scalar);
    Random random = {7};
    for (double x = r; x < 2 - r / 2; x += 2 * r)
        for (double y = r; y < 1; y += 2 * r)
            for (double z = r; z < 1 - r / 2; z += 2 * r) {
                double jitter = 0.4 * r * (random_unit(&random) - 0.5);
                if (y > 0.2 + 0.6 * exp(-4 * x * x) || s->count == room)
                    continue;
                s->position[3 * s->count + 0] = (float)(x + jitter);
                s->position[3 * s->count + 1] = (float)(y + jitter);
                s->position[3 * s->count + 2] = (float)(z - jitter);
                s->scalar[s->count++] = (float)(2 * exp(-(x - 0.8) * (x - 0.8)) * (0.5 + y));
            }
}

static inline void scenery_solids(Scenery* s)
{
    scenery_box(&s->mesh[0], 2, 1.1, 1);
    scenery_box(&s->mesh[1], 0.25, 0.5, 0.25);
    scenery_ball(&s->mesh[2], 0.15);
    const Vec3d place[3] = {{1, 0.55, 0.5}, {1.4, 0.25, 0.5}, {0.9, 0.6, 0.6}};
    const Vec3 colour[3] = {{0.6f, 0.7f, 0.8f}, {0.75f, 0.7f, 0.62f}, {0.85f, 0.42f, 0.25f}};
    for (int k = 0; k < 3; k++) {
        model_build(&s->model[k], &s->mesh[k]);
        s->solid[k] = (SolidItem){
            &s->model[k], {place[k], {1, 0, 0, 0}}, k == 0 ? LOOK_CONTAINER : LOOK_SOLID, {0, 0, 0}, colour[k], NULL, false};
    }
}

// `scenery` stays at its address while it is used.
static inline void scenery_create(Scenery* s, double particle_radius, int width, int height)
{
    memset(s, 0, sizeof *s);
    scenery_water(s, particle_radius);
    scenery_solids(s);
    colour_map_build(&s->map, COLOUR_MAP_WATER);
    s->look =
        (ParticleLook){.spheres = {s->count, s->position, 3, (float)particle_radius}, .paint = PAINT_SCALAR, .scalar = s->scalar};
    Box3d box = {{0, 0, 0}, {2, 1.1, 1}};
    Margins margins = {0.05, 0.12, 0.08, 0.08};
    s->input = (RenderInput){.camera = camera_frame(box, vec3d(-0.42, -0.33, -0.85), vec3d(0, 1, 0), 30, width, height, margins),
                             .box = box,
                             .up = {0, 1, 0},
                             .ground = true,
                             .particle_radius = particle_radius,
                             .particles = &s->look,
                             .particle_count = 1,
                             .solids = s->solid,
                             .solid_count = 3,
                             .map = &s->map,
                             .range = {0, 2},
                             .background = {0.95f, 0.96f, 0.97f},
                             .samples = 2,
                             .caption = {.title = "Tank",
                                         .show_time = true,
                                         .time = 0.25,
                                         .show_bar = true,
                                         .quantity = "speed",
                                         .unit = "m/s",
                                         .range = {0, 2},
                                         .map = &s->map,
                                         .background = {0.95f, 0.96f, 0.97f}}};
}

static inline void scenery_free(Scenery* s)
{
    for (int k = 0; k < 3; k++) {
        model_free(&s->model[k]);
        tri_mesh_free(&s->mesh[k]);
    }
    free(s->position);
    free(s->scalar);
}

#endif
