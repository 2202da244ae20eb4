// SPDX-License-Identifier: MIT
// The own step of elastic solids: a cloth of 46 225 vertices and 91 592 triangles (the size of Akinci 2013's) that falls over a
// ball, in steps of a fluid of about a million particles; a cube of finite elements; a reduced figure of the size of
// Brandt 2019's in steps of 1/60 s. The mean over steps counts.
#include "bench_elastic.h"
#include "bench_rigid.h"

#include "elastic/elastic.h"
#include "mesh/inside.h"
#include "mesh/shape.h"
#include "mesh/tet_mesh.h"
#include <time.h>

enum { CELLS = 214 };

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool make_sheet(TriMesh* mesh)
{
    mn_Shape shape = {.type = MN_SHAPE_GRID, .size = {1, 1, 1}, .cells = {CELLS, CELLS}};
    bool ok = shape_build(&shape, 3, 0.001, NULL, mesh, NULL) == MN_OK;
    for (size_t k = 0; ok && k < mesh->vertex_count; k++)
        mesh->vertex[k].y += 0.252;
    return ok;
}

static bool add_ball(ElasticSet* set, TriMesh* ball, InsideTest** test)
{
    mn_Shape shape = {.type = MN_SHAPE_SPHERE, .size = {0.25, 0.25, 0.25}};
    if (shape_build(&shape, 3, 0.001, NULL, ball, NULL) != MN_OK || !(*test = inside_create(ball, NULL)))
        return false;
    ElasticObstacleDef def = {
        .mesh = ball, .test = *test, .closed = true, .friction = 0.3, .bound_radius = 0.25, .pose = {.rotation = quat_identity()}};
    return elastic_add_obstacle(set, &def) >= 0;
}

static void report(FILE* out, const char* name, ElasticSet* set, double dt, int steps)
{
    for (int k = 0; k < 2; k++)
        elastic_step(set, dt);
    double start = seconds(CLOCK_MONOTONIC), work = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int k = 0; k < steps; k++)
        elastic_step(set, dt);
    fprintf(out, "| %s | %.2f | %.2f |\n", name, 1e3 * (seconds(CLOCK_MONOTONIC) - start) / steps,
            1e3 * (seconds(CLOCK_PROCESS_CPUTIME_ID) - work) / steps);
    fflush(out);
}

static void run_sheet(FILE* out, Pool* pool, const char* name, double young, bool contact, bool self, int steps)
{
    TriMesh mesh = {0}, ball = {0};
    InsideTest* test = NULL;
    ElasticSet* set = elastic_create(NULL, pool, vec3d(0, -9.81, 0), 0.005);
    int body;
    if (set && make_sheet(&mesh) && (!contact || add_ball(set, &ball, &test))) {
        ElasticBodyDef def = {.model = MN_ELASTIC_MASS_POINTS,
                              .surface = &mesh,
                              .density = 300,
                              .thickness = 1e-3,
                              .young = young,
                              .poisson = 0.3,
                              .substeps = -1,
                              .friction = 0.3,
                              .contact = contact,
                              .self_contact = self};
        if (elastic_add_body(set, &def, &body, NULL) == MN_OK)
            report(out, name, set, 8e-4, steps);
    }
    elastic_destroy(set);
    inside_destroy(test);
    tri_mesh_free(&mesh);
    tri_mesh_free(&ball);
}

static void run_cube(FILE* out, Pool* pool, int steps)
{
    TetMesh tets = {0};
    TriMesh surface = {0};
    uint32_t* point_of = NULL;
    ElasticSet* set = elastic_create(NULL, pool, vec3d(0, -9.81, 0), 0.01);
    int body;
    if (set && tet_mesh_box(vec3d(0.2, 0.2, 0.2), (const int[]){16, 16, 16}, &tets) &&
        tet_mesh_surface(&tets, &surface, &point_of)) {
        ElasticBodyDef def = {.model = MN_ELASTIC_FEM,
                              .surface = &surface,
                              .tets = &tets,
                              .point_of = point_of,
                              .density = 1000,
                              .thickness = 1e-3,
                              .young = 1e5,
                              .poisson = 0.3,
                              .angular_velocity = {3, 5, 1}};
        if (elastic_add_body(set, &def, &body, NULL) == MN_OK)
            report(out, "cube, fem, 24 576 tetrahedra, turning", set, 2e-3, steps);
    }
    elastic_destroy(set);
    tet_mesh_free(&tets);
    tri_mesh_free(&surface);
    memory_give(NULL, point_of);
}

// 99 handles and 1500 samples, as in Brandt 2019.
static void run_figure(FILE* out, Pool* pool, int steps)
{
    TetMesh tets = {0};
    TriMesh surface = {0};
    mn_Shape shape = {.type = MN_SHAPE_FIGURE, .size = {0, 1.6, 0}};
    ElasticSet* set = elastic_create(NULL, pool, vec3d(0, -9.81, 0), 0.02);
    int body;
    if (set && shape_build(&shape, 3, 0.002, NULL, &surface, NULL) == MN_OK &&
        tet_mesh_fill(&surface, 0.0234, &tets, NULL) == MN_OK) {
        ElasticBodyDef def = {.model = MN_ELASTIC_REDUCED,
                              .surface = &surface,
                              .tets = &tets,
                              .density = 1000,
                              .thickness = 1e-3,
                              .young = 1e5,
                              .poisson = 0.4,
                              .handles = 99,
                              .projections = 1500,
                              .iterations = 10,
                              .angular_velocity = {1, 2, 1}};
        double start = seconds(CLOCK_MONOTONIC), work = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (elastic_add_body(set, &def, &body, NULL) == MN_OK) {
            fprintf(out, "| figure, reduced, %zu tetrahedra: set-up, once | %.0f | %.0f |\n", tets.tet_count,
                    1e3 * (seconds(CLOCK_MONOTONIC) - start), 1e3 * (seconds(CLOCK_PROCESS_CPUTIME_ID) - work));
            report(out, "figure, reduced, 99 handles, 1500 samples, 10 iterations", set, 1.0 / 60, 10 * steps);
            def.iterations = 1; // the difference of the two is nine iterations
            elastic_destroy(set);
            set = elastic_create(NULL, pool, vec3d(0, -9.81, 0), 0.02);
            if (set && elastic_add_body(set, &def, &body, NULL) == MN_OK)
                report(out, "the same with 1 iteration", set, 1.0 / 60, 10 * steps);
        }
    }
    elastic_destroy(set);
    tet_mesh_free(&tets);
    tri_mesh_free(&surface);
}

void bench_elastic(FILE* out, const BenchChoice* choice)
{
    Pool* pool = pool_create(choice->threads);
    int steps = choice->quick ? 10 : 40;
    fprintf(out, "| elastic solid, %d threads | ms per step | CPU ms per step |\n| --- | --- | --- |\n", choice->threads);
    run_sheet(out, pool, "cloth, E t = 100 N/m, alone", 1e5, false, false, steps);
    run_sheet(out, pool, "cloth, E t = 100 N/m, over a ball", 1e5, true, false, steps);
    run_sheet(out, pool, "cloth, E t = 100 N/m, over a ball, touching itself", 1e5, true, true, steps);
    run_sheet(out, pool, "cloth, E t = 1000 N/m, alone", 1e6, false, false, steps / 2);
    run_cube(out, pool, steps / 2);
    run_figure(out, pool, steps);
    pool_destroy(pool);
    static const BodyWay ways[] = {{"rigid", MN_SOLID_RIGID, true}, {"elastic", MN_SOLID_ELASTIC, true}};
    fprintf(out, "\n");
    bench_bodies(out, choice, ways, 2);
}
