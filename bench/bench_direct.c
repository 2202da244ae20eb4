// SPDX-License-Identifier: MIT
// Direct forcing at the sizes of table I of Becker, Tessendorf and Teschner (2009): their five scenes with bodies already in the
// water, their fluid (sesph, corrected densities) and ours (dfsph), time per step with one thread and two beside theirs, and what
// of it boundary handling and the responses take. Then fig. 4: the responses by the number of contacts.
#include "bench.h"

#include "base/random.h"
#include "coupling/direct.h"
#include "world/sph_parts.h"
#include <math.h>
#include <meniscus/meniscus.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    const char* name;
    double particles, volume; // of the fluid; [m3]
    double fluid, step;       // [s] theirs: without boundaries, and all
    const char* response;
    const char* blocks;
    const char* solids;
} Row;

static const Row rows[] = {
    {"impact", 850e3, 0.588, 3.47, 7.07, "one_way", "{\"min\": [-0.7, 0, -0.7], \"max\": [0.7, 0.3, 0.7]}",
     "{\"shape\": {\"box\": [1.4, 2, 1.4]}, \"position\": [0, 1, 0], \"inside\": true},"
     "{\"type\": \"rigid\", \"shape\": {\"sphere\": 0.1}, \"scale\": [1, 0.75, 0.85], \"density\": 3000, \"position\": [0, 0.3, 0],"
     " \"velocity\": [3, -6, 0]}"},
    {"cuboids", 2e6, 0.3, 5.79, 11.4, "local", "{\"min\": [0, 0, 0], \"max\": [1.2, 0.5, 0.5]}",
     "{\"shape\": {\"box\": [1.2, 1.2, 0.5]}, \"position\": [0.6, 0.6, 0.25], \"inside\": true},"
     "{\"type\": \"rigid\", \"shape\": {\"box\": [0.2, 0.12, 0.2]}, \"density\": 400, \"position\": [0.25, 0.47, 0.25]},"
     "{\"type\": \"rigid\", \"shape\": {\"box\": [0.2, 0.12, 0.2]}, \"density\": 1600, \"position\": [0.6, 0.4, 0.25]},"
     "{\"type\": \"rigid\", \"shape\": {\"box\": [0.2, 0.12, 0.2]}, \"density\": 4000, \"position\": [0.95, 0.3, 0.25]}"},
    {"spheres", 130e3, 0.3, 0.56, 1.14, "local",
     "{\"min\": [0, 0, 0], \"max\": [0.5, 0.6, 0.5]}, {\"min\": [0.6, 0, 0], \"max\": [1.1, 0.6, 0.5]}",
     "{\"shape\": {\"box\": [1.1, 1.1, 0.5]}, \"position\": [0.55, 0.55, 0.25], \"inside\": true, \"slip\": 0},"
     "{\"shape\": {\"box\": [0.1, 1, 0.6]}, \"position\": [0.55, 0.5, 0.25], \"slip\": 0},"
     "{\"type\": \"rigid\", \"shape\": {\"sphere\": 0.08}, \"density\": 3000, \"position\": [0.25, 0.5, 0.25], \"slip\": 0},"
     "{\"type\": \"rigid\", \"shape\": {\"sphere\": 0.08}, \"density\": 3000, \"position\": [0.85, 0.5, 0.25], \"slip\": 0}"},
    {"skipping", 240e3, 0.1875, 0.83, 1.64, "local", "{\"min\": [0, 0, 0], \"max\": [5, 0.125, 0.3]}",
     "{\"shape\": {\"box\": [5, 0.8, 0.3]}, \"position\": [2.5, 0.4, 0.15], \"inside\": true},"
     "{\"type\": \"rigid\", \"shape\": {\"cylinder\": [0.06, 0.025]}, \"density\": 2000, \"position\": [0.6, 0.13, 0.15],"
     " \"rotation\": {\"euler\": [0, 0, 15]}, \"velocity\": [6, -0.5, 0]}"},
    {"flotsam", 2.57e6, 0.2976, 7.61, 15.03, "local",
     "{\"min\": [0, 0, 0], \"max\": [0.4, 0.6, 0.6]}, {\"min\": [0.4, 0, 0], \"max\": [2, 0.16, 0.6]}",
     "{\"shape\": {\"box\": [2, 1.4, 0.6]}, \"position\": [1, 0.7, 0.3], \"inside\": true},"
     "{\"type\": \"rigid\", \"shape\": {\"torus\": [0.1, 0.035]}, \"density\": 300, \"position\": [0.78, 0.16, 0.17]},"
     "{\"type\": \"rigid\", \"shape\": {\"torus\": [0.1, 0.03]}, \"density\": 500, \"position\": [1.2, 0.16, 0.4]},"
     "{\"type\": \"rigid\", \"shape\": {\"cylinder\": [0.04, 0.3]}, \"density\": 500, \"position\": [0.62, 0.16, 0.4],"
     " \"rotation\": {\"euler\": [90, 0, 0]}}"},
};
enum { ROWS = sizeof rows / sizeof *rows, WARM_UP = 8 };

static mn_Scene* make_scene(const Row* row, double particles, bool theirs, mn_Error* error)
{
    char text[4096];
    snprintf(text, sizeof text,
             "{\"particle_radius\": %.9g, \"duration\": 1, \"solver\": {%s}, \"coupling\": {\"method\": \"direct_forcing\", "
             "\"response\": \"%s\"}, \"fluids\": [{\"viscosity\": 0.1, \"blocks\": [%s]}], \"solids\": [%s]}",
             0.5 * cbrt(row->volume / particles),
             theirs ? "\"method\": \"sesph\", \"density\": \"corrected\"" : "\"method\": \"dfsph\"", row->response, row->blocks,
             row->solids);
    return mn_scene_parse(text, strlen(text), "bench", NULL, NULL, 0, error);
}

static size_t samples_of_bodies(const mn_World* world)
{
    mn_BoundaryView view = mn_world_boundary(world);
    size_t count = 0;
    for (size_t k = 0; k < view.count; k++)
        count += world->solids.solid[view.solid[k]].type == MN_SOLID_RIGID;
    return count;
}

static mn_Result take_steps(mn_World* world, int steps, mn_Error* error)
{
    mn_Result result = mn_world_prepare(world, error);
    for (int k = 0; k < steps && result == MN_OK; k++) // the step alone: views are made by the public calls
        result = world_step(world, INFINITY, INFINITY, error);
    return result;
}

static void run_row(FILE* out, const Row* row, double particles, bool theirs, int threads, int steps)
{
    mn_Error error;
    char text[1024];
    mn_Scene* scene = make_scene(row, particles, theirs, &error);
    if (scene)
        scene->world.threads = threads;
    mn_World* world = scene ? mn_scene_build(scene, &error) : NULL;
    if (world && take_steps(world, WARM_UP, &error) == MN_OK) {
        const Direct *d = world->coupling.data, before = *d;
        double start = bench_clock(), used = clock_processor_seconds();
        mn_Result result = take_steps(world, steps, &error);
        double took = (bench_clock() - start) / steps;
        used = (clock_processor_seconds() - used) / steps;
        if (result == MN_OK) {
            double fluid = (double)mn_world_stats(world).fluid_particles, percent = 100 / (used * steps);
            double search = d->seconds.look - before.seconds.look + d->seconds.part - before.seconds.part;
            double respond = d->seconds.respond - before.seconds.respond, finish = d->seconds.finish - before.seconds.finish;
            fprintf(out, "  %-9s %9.0f %8zu %-6s %7d %9.4f %9.4f %9.2f %7.1f %9zu %9.1f %% %9.1f %% %9.2f %%\n", row->name, fluid,
                    samples_of_bodies(world), theirs ? "sesph" : "dfsph", threads, took, used, row->step,
                    row->step / took * fluid / row->particles, d->contacts, percent * (search + respond + finish), percent * search,
                    percent * respond);
            fflush(out);
            mn_world_destroy(world);
            mn_scene_free(scene);
            return;
        }
    }
    fprintf(out, "  %-9s %s\n", row->name, mn_error_text(&error, text, sizeof text));
    mn_world_destroy(world);
    mn_scene_free(scene);
}

// --- fig. 4

static Vec3d random_vector(Random* random, double size)
{
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = size * (2 * random_unit(random) - 1);
    return vec3d(v[0], v[1], v[2]);
}

static void fill_contacts(ForcingList* list, size_t count, const ForcingBody* body)
{
    Random random = {7};
    list->count = count;
    for (size_t k = 0; k < count; k++) {
        ForcingContact* c = &list->contact[k];
        Vec3d normal = vec3d_normalise(random_vector(&random, 1));
        *c = (ForcingContact){.touches = 1, .mass = 0.001, .point = normal, .velocity = random_vector(&random, 1)};
        c->before = c->velocity;
        Vec3d at = forcing_velocity_of(body, body->velocity, c->point);
        c->touch[0] = (ForcingTouch){.body = 0, .normal = normal, .slip = 0.5, .before = at, .after = at};
        forcing_aim(c);
    }
}

static void bench_responses(FILE* out, bool quick)
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ForcingBody body = {.mass = 1, .velocity = {{1, 0, 0}, {0, 1, 0}}};
    size_t most = quick ? 4000 : 64000;
    ForcingList list = {.contact = aligned_alloc(64, most * sizeof *list.contact), .capacity = most};
    if (!list.contact)
        return;
    forcing_set_inertia(&body, unit);
    fprintf(out, "responses of one body by the number of contacts (fig. 4), one thread, least of 20 rounds\n");
    fprintf(out, "  %8s %12s %12s %14s %14s\n", "contacts", "local us", "global us", "local ns each", "global ns each");
    for (size_t count = 500; count <= most; count += quick ? 500 : count) {
        ForcingProblem problem = {&body, 1, &list, 1};
        double least[2] = {INFINITY, INFINITY};
        Vec3d sum = {0, 0, 0};
        fill_contacts(&list, count, &body);
        for (int round = 0; round < 20; round++)
            for (int way = 0; way < 2; way++) {
                double start = bench_clock();
                if (way == 1)
                    forcing_solve_global(&problem);
                for (size_t k = 0; k < count; k++) {
                    const ForcingContact* c = &list.contact[k];
                    Vec3d impulse = way == 0 ? forcing_local(&problem, c)
                                             : vec3d_scale(vec3d_sub(forcing_velocity(&problem, c), c->velocity), c->mass);
                    sum = vec3d_add(sum, forcing_reaction(&problem, c, 0, impulse).linear);
                }
                least[way] = fmin(least[way], bench_clock() - start);
            }
        if (isfinite(sum.x)) // used, so that nothing is left out
            fprintf(out, "  %8zu %12.1f %12.1f %14.1f %14.1f\n", count, 1e6 * least[0], 1e6 * least[1],
                    1e9 * least[0] / (double)count, 1e9 * least[1] / (double)count);
    }
    free(list.contact);
}

static const char RESPONSES[] = "responses";             // the scene that is none
static const char* const methods[] = {"sesph", "dfsph"}; // theirs and ours

static bool is_chosen(const char* choice, const char* name)
{
    return !choice || !strcmp(choice, name);
}

bool bench_direct_has(const char* scene, const char* method)
{
    bool found = is_chosen(scene, RESPONSES);
    for (int k = 0; k < ROWS; k++)
        found |= is_chosen(scene, rows[k].name);
    return found && (is_chosen(method, methods[0]) || is_chosen(method, methods[1]));
}

static void bench_rows(FILE* out, const BenchChoice* choice)
{
    fprintf(out,
            "direct forcing at the sizes of table I of Becker 2009%s, seconds per step; faster by the clock, shares of processor "
            "time\n",
            choice->quick ? ", every 20th particle" : "");
    fprintf(out, "  %-9s %9s %8s %-6s %7s %9s %9s %9s %7s %9s %11s %11s %11s\n", "scene", "fluid", "bodies", "method", "threads",
            "s/step", "processor", "theirs", "faster", "contacts", "boundaries", "contacts", "responses");
    for (int k = 0; k < ROWS; k++)
        for (int method = 0; method < 2; method++)
            for (int threads = 1; threads <= choice->threads; threads++)
                if (is_chosen(choice->scene, rows[k].name) && is_chosen(choice->method, methods[method]))
                    run_row(out, &rows[k], rows[k].particles / (choice->quick ? 20 : 1), method == 0, threads,
                            choice->quick ? 10 : 3);
}

void bench_direct(FILE* out, const BenchChoice* choice)
{
    if (!choice->scene || strcmp(choice->scene, RESPONSES) != 0)
        bench_rows(out, choice);
    if (is_chosen(choice->scene, RESPONSES))
        bench_responses(out, choice->quick);
}
