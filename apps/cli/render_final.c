// SPDX-License-Identifier: MIT
#include "render_final.h"

#include "base/error.h"
#include "io/surface_file.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FLUIDS = 256, ROUND = 4 };

typedef struct FinalScene {
    SurfaceMesh surface[MAX_FLUIDS];
    size_t fluid_count;
    Vec3** corner; // positions and normals of solids, three per triangle; pairs
    uint32_t (**index)[3];
    TraceMesh* mesh;
    size_t mesh_count;
} FinalScene;

FinalOptions final_default_options(void)
{
    return (FinalOptions){.samples = 64, .sky = "studio", .exposure = 1, .spacing = 1, .smoothing = 12};
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float to_linear(double srgb)
{
    return (float)(srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4));
}

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

// --- liquids

// Real water is clear at the size of a tank. What people take for water is a colour that deepens over the whole scene, so
// absorption is measured by its size; other liquids get colours of their own.
static TraceMaterial liquid_material(size_t fluid, double size)
{
    static const Vec3 per_size[] = {{4.4f, 1.55f, 0.75f}, {0.6f, 2.0f, 5.0f}, {1.0f, 4.0f, 3.0f}, {4.0f, 0.9f, 3.0f}};
    Vec3 a = per_size[fluid % (sizeof per_size / sizeof *per_size)];
    float s = (float)(1 / size);
    return (TraceMaterial){.kind = TRACE_LIQUID, .colour = {1, 1, 1}, .ior = 1.333f, .absorption = {a.x * s, a.y * s, a.z * s}};
}

// The particles of one fluid.
static mn_Result select_fluid(const Frame* all, size_t fluid, Frame* out, mn_Error* error)
{
    *out = (Frame){.time = all->time};
    size_t room = all->count + 1;
    out->position = malloc(3 * room * sizeof(float));
    out->velocity = malloc(3 * room * sizeof(float));
    out->density = malloc(room * sizeof(float));
    out->pressure = malloc(room * sizeof(float));
    if (!out->position || !out->velocity || !out->density || !out->pressure)
        return error_set(error, MN_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < all->count; i++) {
        if (all->fluid[i] != fluid)
            continue;
        size_t n = out->count++;
        memcpy(out->position + 3 * n, all->position + 3 * i, 3 * sizeof(float));
        memcpy(out->velocity + 3 * n, all->velocity + 3 * i, 3 * sizeof(float));
        out->density[n] = all->density[i];
        out->pressure[n] = all->pressure[i];
    }
    return MN_OK;
}

static mn_Result add_liquids(FinalScene* scene, const FinalOptions* o, const FinalView* view, mn_Error* error)
{
    const Subject* s = view->subject;
    SurfaceDef def = surface_default_def(s->scene->world.particle_radius);
    def.spacing = o->spacing;
    def.smoothing = o->smoothing;
    double size = vec3d_distance(view->survey->fluid.min, view->survey->fluid.max);
    mn_Result result = MN_OK;
    for (size_t f = 0; f < s->scene->fluid_count && f < MAX_FLUIDS && result == MN_OK; f++) {
        Frame part;
        SurfaceMesh* m = &scene->surface[f];
        result = select_fluid(&s->frame, f, &part, error);
        if (result == MN_OK)
            result = surface_of_frame(&def, &part, view->pool, NULL, m, error);
        frame_free(&part);
        if (result != MN_OK)
            return result;
        scene->fluid_count = f + 1;
        scene->mesh[scene->mesh_count++] = (TraceMesh){.vertex_count = m->vertex_count,
                                                       .triangle_count = m->triangle_count,
                                                       .position = m->position,
                                                       .normal = m->normal,
                                                       .velocity = (const Vec3*)m->value[0],
                                                       .triangle = (const uint32_t(*)[3])m->triangle,
                                                       .material = liquid_material(f, size > 0 ? size : 1)};
    }
    return result;
}

// --- solids

// Corners do not share vertices, so that creases stay sharp.
static bool add_solid(FinalScene* scene, const FinalView* view, size_t k)
{
    const Subject* s = view->subject;
    const SubjectSolid* solid = &s->solid[k];
    const TriMesh* mesh = &solid->mesh;
    mn_Pose pose = s->pose[solid->index];
    size_t corners = 3 * mesh->triangle_count;
    Vec3* position = malloc((corners + 2) * sizeof *position);
    Vec3* normal = malloc((corners + 1) * sizeof *normal);
    uint32_t(*index)[3] = malloc((mesh->triangle_count + 1) * sizeof *index);
    scene->corner[2 * k] = position;
    scene->corner[2 * k + 1] = normal;
    scene->index[k] = index;
    if (!position || !normal || !index)
        return false;
    for (size_t c = 0; c < corners; c++) {
        Vec3 n = solid->model.corner_normal[c];
        position[c] = to_vec3(vec3d_add(quat_rotate(pose.rotation, mesh->vertex[mesh->triangle[c / 3][c % 3]]), pose.position));
        normal[c] = to_vec3(quat_rotate(pose.rotation, vec3d((double)n.x, (double)n.y, (double)n.z)));
        index[c / 3][c % 3] = (uint32_t)c;
    }
    Vec3d colour = s->scene->solids[solid->index].colour;
    scene->mesh[scene->mesh_count++] = (TraceMesh){
        .vertex_count = corners,
        .triangle_count = mesh->triangle_count,
        .position = position,
        .normal = normal,
        .triangle = (const uint32_t(*)[3])index,
        .material = {
            .kind = TRACE_COATED, .colour = {to_linear(colour.x), to_linear(colour.y), to_linear(colour.z)}, .ior = 1.45f}};
    return true;
}

// A container is only its edges: thin square bars.
static bool add_bars(FinalScene* scene, const FinalView* view, size_t k)
{
    static const uint8_t face[12][3] = {{0, 1, 5}, {0, 5, 4}, {1, 3, 7}, {1, 7, 5}, {3, 2, 6}, {3, 6, 7},
                                        {2, 0, 4}, {2, 4, 6}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    const Subject* s = view->subject;
    const SubjectSolid* solid = &s->solid[k];
    const Model* model = &solid->model;
    mn_Pose pose = s->pose[solid->index];
    size_t bars = 0;
    for (size_t e = 0; e < model->edge_count; e++)
        bars += model->edge[e].crease;
    Vec3* position = malloc((8 * bars + 2) * sizeof *position);
    uint32_t(*index)[3] = malloc((12 * bars + 1) * sizeof *index);
    scene->corner[2 * k] = position;
    scene->index[k] = index;
    if (!position || !index)
        return false;
    double half = 0.0012 * vec3d_distance(view->survey->box.min, view->survey->box.max);
    bars = 0;
    for (size_t e = 0; e < model->edge_count; e++) {
        if (!model->edge[e].crease)
            continue;
        Vec3d end[2] = {solid->mesh.vertex[model->edge[e].a], solid->mesh.vertex[model->edge[e].b]};
        for (int n = 0; n < 2; n++)
            end[n] = vec3d_add(quat_rotate(pose.rotation, end[n]), pose.position);
        Vec3d along = vec3d_normalise(vec3d_sub(end[1], end[0]));
        Vec3d a = vec3d_normalise(vec3d_cross(along, fabs(along.x) < 0.7 ? vec3d(1, 0, 0) : vec3d(0, 1, 0)));
        Vec3d b = vec3d_cross(along, a);
        for (int c = 0; c < 8; c++) {
            Vec3d x = vec3d_mad(end[c >> 2], (c >> 2 ? half : -half), along);
            x = vec3d_mad(vec3d_mad(x, c & 1 ? half : -half, a), c & 2 ? half : -half, b);
            position[8 * bars + (size_t)c] = to_vec3(x);
        }
        for (size_t t = 0; t < 12; t++)
            for (int c = 0; c < 3; c++)
                index[12 * bars + t][c] = (uint32_t)(8 * bars + face[t][c]);
        bars++;
    }
    scene->mesh[scene->mesh_count++] = (TraceMesh){.vertex_count = 8 * bars,
                                                   .triangle_count = 12 * bars,
                                                   .position = position,
                                                   .triangle = (const uint32_t(*)[3])index,
                                                   .material = {.kind = TRACE_MATTE, .colour = {0.12f, 0.13f, 0.14f}}};
    return true;
}

static mn_Result build_scene(FinalScene* scene, const FinalOptions* o, const FinalView* view, mn_Error* error)
{
    const Subject* s = view->subject;
    scene->mesh = calloc(s->solid_count + MAX_FLUIDS, sizeof *scene->mesh);
    scene->corner = calloc(2 * s->solid_count + 1, sizeof *scene->corner);
    scene->index = calloc(s->solid_count + 1, sizeof *scene->index);
    if (!scene->mesh || !scene->corner || !scene->index)
        return error_set(error, MN_OUT_OF_MEMORY, "out of memory");
    // one looks into containers and tanks
    for (size_t k = 0; k < s->solid_count; k++) {
        bool ok = survey_look(view->survey, s, k) == LOOK_SOLID ? add_solid(scene, view, k) : add_bars(scene, view, k);
        if (!ok)
            return error_set(error, MN_OUT_OF_MEMORY, "out of memory");
    }
    return add_liquids(scene, o, view, error);
}

static void scene_free(FinalScene* scene, size_t solids)
{
    for (size_t f = 0; f < scene->fluid_count; f++)
        surface_free(&scene->surface[f]);
    for (size_t k = 0; k < solids; k++) {
        if (scene->corner) {
            free(scene->corner[2 * k]);
            free(scene->corner[2 * k + 1]);
        }
        if (scene->index)
            free(scene->index[k]);
    }
    free(scene->corner);
    free(scene->index);
    free(scene->mesh);
    free(scene);
}

// --- light and camera

static double lowest(Box3d box, Vec3d up)
{
    double low = 0;
    low += up.x * (up.x > 0 ? box.min.x : box.max.x);
    low += up.y * (up.y > 0 ? box.min.y : box.max.y);
    return low + up.z * (up.z > 0 ? box.min.z : box.max.z);
}

static TraceWorld make_world(const FinalScene* scene, const FinalOptions* o, const FinalView* view)
{
    const Subject* s = view->subject;
    double r = s->scene->world.particle_radius;
    Vec3d up = subject_up(s), back = vec3d_scale(view->camera->forward, -1);
    Box3d box = view->survey->box;
    Vec3d centre = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    bool day = !strcmp(o->sky, "day");
    // the sun stands to the left behind the camera, high
    Vec3d left = vec3d_scale(view->camera->right, -1);
    Vec3d flat = vec3d_normalise(vec3d_mad(back, -vec3d_dot(back, up), up));
    Vec3d sun = vec3d_normalise(vec3d_add(vec3d_scale(up, 1.25), vec3d_add(vec3d_scale(left, 0.9), vec3d_scale(flat, -0.25))));
    Vec3 wall = {to_linear((double)view->background.x), to_linear((double)view->background.y),
                 to_linear((double)view->background.z)};
    return (TraceWorld){
        .mesh = scene->mesh,
        .mesh_count = scene->mesh_count,
        .shutter = o->motion_blur ? 0.5 / s->scene->frame_rate : 0,
        .contact = 1.5 * r,
        .up = to_vec3(up),
        .sky = day ? TRACE_DAY : TRACE_STUDIO,
        .background = day ? (Vec3){0.80f, 0.87f, 0.95f} : wall,
        .to_sun = to_vec3(sun),
        .sun = day ? (Vec3){2.6f, 2.4f, 2.05f} : (Vec3){1.35f, 1.3f, 1.2f},
        .sun_size = day ? 0.02f : 0.15f,
        .ground = view->ground,
        // a little above the fluid's lowest skin, which then lies on the ground without a gap
        .ground_level = (float)(lowest(box, up) + 0.3 * r),
        .ground_centre = to_vec3(centre),
        .ground_radius = (float)(6 * vec3d_distance(box.min, box.max)),
        .ground_material = {.kind = TRACE_MATTE, .colour = day ? (Vec3){0.55f, 0.52f, 0.47f} : (Vec3){0.36f, 0.36f, 0.36f}}};
}

static TraceCamera make_camera(const FinalOptions* o, const FinalView* view)
{
    const Camera* c = view->camera;
    Box3d box = view->survey->box;
    Vec3d centre = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    return (TraceCamera){.eye = to_vec3(c->eye),
                         .right = to_vec3(c->right),
                         .down = to_vec3(c->down),
                         .forward = to_vec3(c->forward),
                         .orthographic = c->orthographic,
                         .width = c->width,
                         .height = c->height,
                         .focal = (float)c->focal,
                         .centre_x = (float)c->centre_x,
                         .centre_y = (float)c->centre_y,
                         .aperture = (float)o->aperture,
                         .focus = (float)fabs(vec3d_dot(vec3d_sub(centre, c->eye), c->forward))};
}

// --- drawing

static void show_progress(const FinalOptions* o, int done, double started)
{
    double passed = seconds() - started;
    if (o->quiet)
        return;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rrender: %d of %d samples, %.0f s left    %s", done, o->samples, passed / done * (o->samples - done),
                done == o->samples ? "\n" : "");
    else if (done == o->samples)
        fprintf(stderr, "render: %d samples per pixel in %.1f s\n", done, passed);
}

mn_Result final_draw(const FinalOptions* o, const FinalView* view, Picture* picture, mn_Error* error)
{
    FinalScene* scene = calloc(1, sizeof *scene);
    size_t pixels = (size_t)picture->width * (size_t)picture->height;
    Vec3* sum = calloc(pixels + 1, sizeof *sum);
    mn_Result result = scene && sum ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "out of memory");
    if (result == MN_OK)
        result = build_scene(scene, o, view, error);
    if (result == MN_OK) {
        TraceWorld world = make_world(scene, o, view);
        TraceCamera camera = make_camera(o, view);
        Tracer* tracer = trace_create(&world, error);
        result = tracer ? MN_OK : error->result;
        double started = seconds();
        for (int done = 0; done < o->samples && tracer;) {
            int count = o->samples - done < ROUND ? o->samples - done : ROUND;
            trace_samples(tracer, &camera, view->pool, done, count, sum);
            done += count;
            show_progress(o, done, started);
        }
        trace_destroy(tracer);
    }
    if (result == MN_OK)
        trace_develop(sum, picture->width, picture->height, o->samples, (float)o->exposure, picture->rgb);
    free(sum);
    if (scene)
        scene_free(scene, view->subject->solid_count);
    return result;
}
