// SPDX-License-Identifier: MIT
#include "render/subject.h"
#include "base/error.h"
#include "io/file.h"
#include "io/foam_file.h"
#include "io/frame_gather.h"
#include "io/run_names.h"
#include "io/solid_file.h"
#include "mesh/shape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- opening

static mn_Result no_memory(mn_Error* error)
{
    return error_set(error, MN_OUT_OF_MEMORY, "no memory");
}

// Keys of the view, and how a solid looks: solids.N.finish, .colour, .inner_colour, .visible.
static bool is_look(const char* set)
{
    if (!strncmp(set, "view.", 5))
        return true;
    const char* key = !strncmp(set, "solids.", 7) ? strchr(set + 7, '.') : NULL;
    return key && (!strncmp(key, ".finish=", 8) || !strncmp(key, ".colour=", 8) || !strncmp(key, ".inner_colour=", 14) ||
                   !strncmp(key, ".visible=", 9));
}

// What a run simulated is done; how it is shown may change.
static mn_Result change_view(Subject* subject, const char* folder, const char* const* sets, size_t set_count, mn_Error* error)
{
    char path[PATH_SIZE];
    for (size_t k = 0; k < set_count; k++)
        if (!is_look(sets[k]))
            return error_set(
                error, MN_BAD_INPUT,
                "--set %.60s: %s is the folder of a finished run: only keys of its view can be set, and finish, colour, "
                "inner_colour and visible of its solids",
                sets[k], folder);
    if (path_join(path, folder, RUN_SCENE, error) != MN_OK)
        return MN_BAD_INPUT;
    subject->own_scene = mn_scene_load(path, sets, set_count, error);
    subject->scene = subject->own_scene;
    return subject->scene ? MN_OK : error->result;
}

static mn_Result open_source(Subject* subject, const char* path, const char* const* sets, size_t set_count, mn_Error* error)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        error_set(error, errno == ENOENT ? MN_BAD_INPUT : MN_IO_FAILED, "cannot read a run folder or scene file here: %s",
                  strerror(errno));
        error_at(error, path, 0, 0);
        return errno == ENOENT ? MN_BAD_INPUT : MN_IO_FAILED;
    }
    if (!S_ISDIR(info.st_mode)) {
        subject->own_scene = mn_scene_load(path, sets, set_count, error);
        subject->scene = subject->own_scene;
        subject->frame_count = 1;
        return subject->scene ? MN_OK : error ? error->result : MN_BAD_INPUT;
    }
    mn_Result result = run_folder_open(&subject->run, path, error);
    if (result != MN_OK)
        return result;
    subject->is_run = true;
    subject->scene = subject->run.scene;
    if (set_count && (result = change_view(subject, path, sets, set_count, error)) != MN_OK)
        return result;
    subject->frame_count = subject->run.frame_count;
    if (subject->frame_count == 0) {
        error_set(error, MN_BAD_INPUT, "the run has no frames of particles to draw");
        error_at(error, path, 0, 0);
        return MN_BAD_INPUT;
    }
    return MN_OK;
}

// A solid whose mesh is gone is left out with a warning: the water can still be seen.
static bool open_solid(Subject* subject, size_t index)
{
    const mn_Scene* scene = subject->scene;
    const mn_SolidDef* def = &scene->solids[index];
    SubjectSolid* solid = &subject->solid[subject->solid_count];
    mn_Error why = {0};
    *solid = (SubjectSolid){.index = index,
                            .inside = def->inside,
                            .finish = def->finish,
                            .coloured = def->colour.x >= 0,
                            .reach = {{1, 1, 1}, {0, 0, 0}}};
    mn_Result result =
        shape_build(&def->shape, scene->world.dimension, 0.1 * scene->world.particle_radius, scene->folder, &solid->mesh, &why);
    if (result == MN_OUT_OF_MEMORY)
        return false;
    if (result != MN_OK) {
        snprintf(subject->warning, sizeof subject->warning, "solid \"%.60s\" is not drawn: %.160s", def->name ? def->name : "",
                 why.message);
        tri_mesh_free(&solid->mesh);
        return true;
    }
    tri_mesh_scale(&solid->mesh, def->scale);
    if (!model_build(&solid->model, &solid->mesh)) {
        tri_mesh_free(&solid->mesh);
        return false;
    }
    subject->solid_count++;
    return true;
}

// What an elastic solid looks like in the frame that is being loaded. Without a file it is left as it was.
static mn_Result load_elastic(Subject* subject, size_t frame, SubjectSolid* solid, mn_Error* error)
{
    TriMesh mesh = {0};
    if (subject->is_run) {
        mn_Result result = run_folder_read_solid(&subject->run, frame, solid->index, &mesh, error);
        if (result != MN_OK)
            return result;
    } else {
        mn_SolidView view = mn_world_solid(subject->world, (mn_SolidId)(solid->index + 1));
        bool ok = true;
        for (size_t k = 0; k < view.vertex_count && ok; k++)
            ok = tri_mesh_add_vertex(&mesh, view.vertex[k]);
        for (size_t k = 0; k < view.triangle_count && ok; k++)
            ok = tri_mesh_add_triangle(&mesh, view.triangle[k][0], view.triangle[k][1], view.triangle[k][2]);
        if (!ok) {
            tri_mesh_free(&mesh);
            return no_memory(error);
        }
        mesh.inner_count = view.inner_count;
    }
    model_free(&solid->model);
    tri_mesh_free(&solid->mesh);
    solid->mesh = mesh;
    return model_build(&solid->model, &solid->mesh) ? MN_OK : no_memory(error);
}

static mn_Result load_elastics(Subject* subject, size_t frame, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t k = 0; k < subject->solid_count && result == MN_OK; k++) {
        SubjectSolid* solid = &subject->solid[k];
        if (subject->scene->solids[solid->index].type != MN_SOLID_ELASTIC)
            continue;
        subject->pose[solid->index] = (mn_Pose){.rotation = quat_identity()};
        result = load_elastic(subject, frame, solid, error);
    }
    return result;
}

static mn_Result open_solids(Subject* subject, mn_Error* error)
{
    const mn_Scene* scene = subject->scene;
    subject->solid = calloc(scene->solid_count + 1, sizeof *subject->solid);
    subject->pose = calloc(scene->solid_count + 1, sizeof *subject->pose);
    if (!subject->solid || !subject->pose)
        return no_memory(error);
    for (size_t k = 0; k < scene->solid_count; k++) {
        subject->pose[k] = scene->solids[k].pose;
        if (scene->solids[k].visible && scene->solids[k].finish != MN_SOLID_FINISH_HIDDEN && !open_solid(subject, k))
            return no_memory(error);
    }
    return MN_OK;
}

static mn_World* build(const mn_Scene* scene, mn_Error* error)
{
    mn_Scene with_files = *scene;
    with_files.world.read_particles = frame_read_particles;
    return mn_scene_build(&with_files, error);
}

mn_Result subject_open(Subject* subject, const char* path, const char* const* sets, size_t set_count, mn_Error* error)
{
    mn_Error own = {0};
    error = error ? error : &own;
    *subject = (Subject){.frame_index = SIZE_MAX};
    mn_Result result = open_source(subject, path, sets, set_count, error);
    if (result == MN_OK)
        result = open_solids(subject, error);
    if (result == MN_OK && !subject->is_run) {
        subject->world = build(subject->scene, error);
        result = subject->world ? MN_OK : error->result;
    }
    if (result != MN_OK)
        subject_close(subject);
    return result;
}

mn_Result subject_open_world(Subject* subject, const mn_Scene* scene, mn_World* world, mn_Error* error)
{
    *subject = (Subject){.frame_index = SIZE_MAX, .scene = scene, .world = world, .lends_world = true, .frame_count = 1};
    mn_Result result = open_solids(subject, error);
    if (result != MN_OK)
        subject_close(subject);
    return result;
}

mn_Result subject_show_boundary(Subject* subject, mn_Error* error)
{
    subject->wants_boundary = true;
    subject->frame_index = SIZE_MAX;
    if (!subject->world)
        subject->world = build(subject->scene, error);
    return subject->world ? MN_OK : error->result;
}

static void drop_frame(Subject* subject)
{
    frame_free(&subject->frame);
    frame_free(&subject->foam);
    free(subject->boundary);
    subject->frame = (Frame){0};
    subject->boundary = NULL;
    subject->boundary_count = 0;
    subject->frame_index = SIZE_MAX;
}

void subject_close(Subject* subject)
{
    drop_frame(subject);
    for (size_t k = 0; k < subject->solid_count; k++) {
        model_free(&subject->solid[k].model);
        tri_mesh_free(&subject->solid[k].mesh);
    }
    free(subject->solid);
    free(subject->pose);
    if (!subject->lends_world)
        mn_world_destroy(subject->world);
    if (subject->own_scene)
        mn_scene_free(subject->own_scene);
    if (subject->is_run)
        run_folder_close(&subject->run);
    *subject = (Subject){.frame_index = SIZE_MAX};
}

// --- loading

// The particles of the world as a frame.
static bool frame_of_world(const mn_World* world, const mn_Scene* scene, Frame* frame)
{
    mn_ParticleView view = mn_world_particles(world);
    size_t n = view.count;
    *frame = (Frame){.time = mn_world_time(world), .count = n};
    frame->position = malloc((3 * n + 1) * sizeof *frame->position);
    frame->velocity = malloc((3 * n + 1) * sizeof *frame->velocity);
    frame->density = malloc((n + 1) * sizeof *frame->density);
    frame->pressure = malloc((n + 1) * sizeof *frame->pressure);
    frame->fluid = malloc(n + 1);
    frame->id = malloc((n + 1) * sizeof *frame->id);
    if (!frame->position || !frame->velocity || !frame->density || !frame->pressure || !frame->fluid || !frame->id)
        return false;
    for (size_t i = 0; i < n; i++) {
        memcpy(frame->position + 3 * i, view.position + 4 * i, 3 * sizeof(float));
        memcpy(frame->velocity + 3 * i, view.velocity + 4 * i, 3 * sizeof(float));
        uint8_t fluid = view.fluid[i];
        frame->density[i] = view.density[i] * (float)(fluid < scene->fluid_count ? scene->fluids[fluid].density : 1000);
        frame->pressure[i] = view.pressure[i];
        frame->fluid[i] = fluid;
        frame->id[i] = view.id[i];
    }
    return true;
}

// Boundary particles are known where the world starts; they move with their solids.
static bool load_boundary(Subject* subject)
{
    mn_BoundaryView view = mn_world_boundary(subject->world);
    subject->boundary = malloc((3 * view.count + 1) * sizeof *subject->boundary);
    if (!subject->boundary)
        return false;
    for (size_t i = 0; i < view.count; i++) {
        size_t s = view.solid[i];
        Vec3d p = {(double)view.position[4 * i], (double)view.position[4 * i + 1], (double)view.position[4 * i + 2]};
        if (s < subject->scene->solid_count) {
            mn_Pose start = mn_world_solid(subject->world, (mn_SolidId)(s + 1)).pose, now = subject->pose[s];
            p = quat_unrotate(start.rotation, vec3d_sub(p, start.position));
            p = vec3d_add(quat_rotate(now.rotation, p), now.position);
        }
        subject->boundary[3 * i + 0] = (float)p.x;
        subject->boundary[3 * i + 1] = (float)p.y;
        subject->boundary[3 * i + 2] = (float)p.z;
    }
    subject->boundary_count = view.count;
    return true;
}

static mn_Result load_foam(Subject* subject, size_t index, mn_Error* error)
{
    char path[PATH_SIZE];
    if (!subject->is_run) {
        mn_FoamView foam = mn_world_foam(subject->world);
        return foam.count ? frame_gather_foam(&foam, mn_world_time(subject->world), &subject->foam, error) : MN_OK;
    }
    if (!subject->scene->view.has_foam || !foam_find(&subject->run, subject->foam_folder, index, path, sizeof path))
        return MN_OK;
    return frame_read(path, &subject->foam, error);
}

mn_Result subject_load(Subject* subject, size_t index, mn_Error* error)
{
    if (index == subject->frame_index)
        return MN_OK;
    drop_frame(subject);
    size_t solids = subject->scene->solid_count;
    if (subject->is_run) {
        mn_Result result = run_folder_read_frame(&subject->run, index, &subject->frame, error);
        if (result != MN_OK)
            return result;
        subject->frame_number = subject->run.frame_number[index];
        if (subject->run.solid_pose)
            memcpy(subject->pose, subject->run.solid_pose + index * solids, solids * sizeof *subject->pose);
    } else {
        if (!frame_of_world(subject->world, subject->scene, &subject->frame))
            return no_memory(error);
        for (size_t k = 0; k < solids && k < mn_world_solid_count(subject->world); k++)
            subject->pose[k] = mn_world_solid(subject->world, (mn_SolidId)(k + 1)).pose;
    }
    mn_Result loaded = load_elastics(subject, index, error);
    if (loaded == MN_OK)
        loaded = load_foam(subject, index, error);
    if (loaded != MN_OK)
        return loaded;
    if (subject->wants_boundary && !load_boundary(subject))
        return no_memory(error);
    subject->frame_index = index;
    subject->fluid_particles = subject->frame.count;
    return MN_OK;
}

mn_Result subject_look_again(Subject* subject, int frame_number, mn_Error* error)
{
    subject->frame_index = SIZE_MAX;
    mn_Result result = subject_load(subject, 0, error);
    subject->frame_number = frame_number;
    return result;
}

// The wall that a particle of a container belongs to is taken for the nearest side of the container's box.
static bool is_in_front(const TriMesh* mesh, const mn_Pose* pose, Vec3d point, Vec3d eye)
{
    Box3d box = tri_mesh_bounds(mesh);
    Vec3d middle = vec3d_scale(vec3d_add(box.min, box.max), 0.5), half = vec3d_scale(vec3d_sub(box.max, box.min), 0.5);
    Vec3d p = vec3d_sub(quat_unrotate(pose->rotation, vec3d_sub(point, pose->position)), middle);
    Vec3d e = vec3d_sub(quat_unrotate(pose->rotation, vec3d_sub(eye, pose->position)), middle);
    double x = half.x > 0 ? fabs(p.x) / half.x : 0, y = half.y > 0 ? fabs(p.y) / half.y : 0,
           z = half.z > 0 ? fabs(p.z) / half.z : 0;
    if (x >= y && x >= z)
        return (e.x - p.x) * p.x > 0;
    return y >= z ? (e.y - p.y) * p.y > 0 : (e.z - p.z) * p.z > 0;
}

void subject_drop_front(Subject* subject, Vec3d eye)
{
    if (!subject->world || !subject->boundary)
        return;
    mn_BoundaryView view = mn_world_boundary(subject->world);
    size_t kept = 0;
    for (size_t i = 0; i < view.count && i < subject->boundary_count; i++) {
        const float* p = subject->boundary + 3 * i;
        bool hidden = false;
        for (size_t k = 0; k < subject->solid_count && !hidden; k++) {
            const SubjectSolid* solid = &subject->solid[k];
            if (solid->inside && solid->index == view.solid[i])
                hidden =
                    is_in_front(&solid->mesh, &subject->pose[solid->index], vec3d((double)p[0], (double)p[1], (double)p[2]), eye);
        }
        if (!hidden)
            memmove(subject->boundary + 3 * kept++, p, 3 * sizeof *p);
    }
    subject->boundary_count = kept;
}

bool subject_scalar(const Subject* subject, mn_ColourBy colour, float** scalar)
{
    const Frame* frame = &subject->frame;
    float* out = malloc((frame->count + 1) * sizeof *out);
    *scalar = out;
    if (!out)
        return false;
    for (size_t i = 0; i < frame->count; i++) {
        const float* v = frame->velocity + 3 * i;
        out[i] = colour == MN_COLOUR_PRESSURE  ? frame->pressure[i]
                 : colour == MN_COLOUR_DENSITY ? frame->density[i]
                                               : sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return true;
}

// Against gravity, along the axis nearest to it: a slightly tilted gravity should not tilt the picture.
Vec3d subject_up(const Subject* subject)
{
    Vec3d g = subject->scene->world.gravity;
    if (fabs(g.x) > fabs(g.y) && fabs(g.x) > fabs(g.z))
        return vec3d(g.x < 0 ? 1 : -1, 0, 0);
    if (fabs(g.z) > fabs(g.y))
        return vec3d(0, 0, g.z < 0 ? 1 : -1);
    return vec3d(0, g.y <= 0 ? 1 : -1, 0);
}
