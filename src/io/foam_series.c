// SPDX-License-Identifier: MIT
#include "io/foam_series.h"

#include "base/error.h"
#include "io/points.h"
#include "io/run_place.h"
#include "io/solid_file.h"
#include "world/foam.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS "frame,time,diffuse_particles,spray,foam,bubbles,born,steps,rules\n"

enum { SETS_MOST = 64, SUBSTEPS_MOST = 64 };

// --- opening

// The scene of the run, with the keys of foam that the caller wants.
static mn_Scene* load_scene(const FoamSeries* series, mn_Error* error)
{
    const FoamSeriesDef* def = &series->def;
    char path[PATH_SIZE], *text[SETS_MOST] = {0};
    const char* sets[SETS_MOST];
    size_t count = 0;
    mn_Scene* scene = NULL;
    if (path_join(path, series->run.path, RUN_SCENE, error) != MN_OK)
        return NULL;
    if (def->set_count + 1 >= SETS_MOST) {
        error_set(error, MN_BAD_INPUT, "more than %d keys", SETS_MOST - 2);
        return NULL;
    }
    if (!series->run.scene->world.has_foam)
        sets[count++] = "foam={}";
    bool ok = true;
    for (size_t k = 0; k < def->set_count; k++, count++) {
        size_t size = strlen(def->sets[k]) + sizeof "foam.";
        sets[count] = text[k] = malloc(size);
        ok = ok && text[k];
        if (text[k])
            snprintf(text[k], size, "foam.%s", def->sets[k]);
    }
    if (ok)
        scene = mn_scene_load(path, sets, count, error);
    else
        memory_error(error, path);
    for (size_t k = 0; k < def->set_count; k++)
        free(text[k]);
    return scene;
}

static mn_Result build(FoamSeries* series, mn_Error* error)
{
    mn_Scene* scene = load_scene(series, error);
    if (!scene)
        return error ? error->result : MN_BAD_INPUT;
    mn_FoamDef foam = scene->world.foam;
    scene->world.has_foam = false;
    scene->world.threads = pool_threads(series->def.pool);
    scene->world.read_particles = frame_read_particles;
    series->world = mn_scene_build(scene, error);
    mn_scene_free(scene);
    if (!series->world)
        return error ? error->result : MN_BAD_INPUT;
    FoamScale scale = world_foam_scale(series->world);
    FoamRules rules = foam_rules(&foam, &scale);
    series->rules = foam_rules_hash(&rules);
    size_t solids = series->run.scene->solid_count;
    series->last_mesh = calloc(solids + 1, sizeof *series->last_mesh);
    series->next_mesh = calloc(solids + 1, sizeof *series->next_mesh);
    series->now_mesh = calloc(solids + 1, sizeof *series->now_mesh);
    bool ok = series->last_mesh && series->next_mesh && series->now_mesh &&
              foam_create(&series->foam, &rules, &series->memory, series->def.pool) &&
              world_foam_sides(series->world, &series->memory, &series->sides) &&
              foam_between_create(&series->between, &rules, &series->memory, series->def.pool);
    return ok ? MN_OK : memory_error(error, series->run.path);
}

static mn_Result check_run(FoamSeries* series, mn_Error* error)
{
    const RunFolder* run = &series->run;
    if (!run->frame_count)
        return format_error(error, run->path, 0,
                            "the run has no particle frames; output.particles of the scene says which to write");
    if (!run->scene->fluid_count)
        return format_error(error, run->path, 0, "the run has no fluid that could foam");
    if (!series->def.out && run->scene->world.has_foam)
        return format_error(error, run->path, 0, "this run has made its foam itself; choose another folder for more of it with -o");
    return MN_OK;
}

static mn_Result read_fluid(FoamSeries* series, size_t index, Frame* frame, mn_Error* error)
{
    const RunFolder* run = &series->run;
    mn_Result result = run_folder_read_frame(run, index, frame, error);
    if (result == MN_OK && frame->count && !frame->has_velocity)
        result = format_error(error, run->path, 0, "frame %d has no velocities, which foam is made from", run->frame_number[index]);
    if (result == MN_OK && frame->count && !frame->has_id)
        result = format_error(error, run->path, 0, "frame %d has no ids, by which particles are matched", run->frame_number[index]);
    return result;
}

static mn_Result read_meshes(FoamSeries* series, size_t index, TriMesh* mesh, mn_Error* error)
{
    const mn_Scene* scene = series->run.scene;
    mn_Result result = MN_OK;
    for (size_t s = 0; s < scene->solid_count && result == MN_OK; s++) {
        if (!series->sides.solid[s].own)
            continue;
        tri_mesh_free(&mesh[s]);
        result = run_folder_read_solid(&series->run, index, s, &mesh[s], error);
    }
    return result;
}

// --- what is there already

typedef struct Done {
    int64_t frame; // number of the last one; -1: none
    uint64_t born, steps;
    bool by_other_rules;
} Done;

static mn_Result frame_path(const FoamSeries* series, size_t index, char path[PATH_SIZE], mn_Error* error)
{
    return series_path(path, series->folder, series->names.fluid[names_foam(&series->names)], series->run.frame_number[index],
                       frame_extension(series->format), error);
}

// The last frame up to which all are there, with its row.
static mn_Result find_done(const FoamSeries* series, const char* table, Done* done, mn_Error* error)
{
    FileBytes bytes;
    *done = (Done){.frame = -1};
    if (access(table, F_OK))
        return MN_OK;
    mn_Result result = file_read(table, &bytes, error);
    if (result != MN_OK)
        return result;
    char* line = strchr(bytes.data, '\n');
    for (size_t k = 0; line && k < series->run.frame_count; k++) {
        long long number, spray, foam, bubbles;
        unsigned long long born, steps, rules, count;
        char path[PATH_SIZE];
        int fields = sscanf(line + 1, "%lld,%*f,%llu,%lld,%lld,%lld,%llu,%llu,%llx", &number, &count, &spray, &foam, &bubbles,
                            &born, &steps, &rules);
        if (fields != 8 || number != series->run.frame_number[k] || frame_path(series, k, path, NULL) != MN_OK ||
            access(path, R_OK))
            break;
        done->by_other_rules |= rules != series->rules;
        *done = (Done){number, born, steps, done->by_other_rules};
        line = strchr(line + 1, '\n');
    }
    file_bytes_free(&bytes);
    return MN_OK;
}

static mn_Result take_up(FoamSeries* series, const Done* done, mn_Error* error)
{
    char path[PATH_SIZE];
    Frame frame;
    while (series->run.frame_number[series->frame] != done->frame)
        series->frame++;
    mn_Result result = frame_path(series, series->frame, path, error);
    if (result == MN_OK)
        result = frame_read(path, &frame, error);
    if (result != MN_OK)
        return result;
    for (size_t k = 0; k < frame.count && result == MN_OK; k++) {
        const float *x = frame.position + 3 * k, *v = frame.velocity + 3 * k;
        FoamParticle p = {.position = {(double)x[0], (double)x[1], (double)x[2]},
                          .velocity = {(double)v[0], (double)v[1], (double)v[2]},
                          .age = (double)frame.density[k],
                          .life = (double)frame.pressure[k],
                          .id = frame.id[k],
                          .kind = (FoamKind)frame.fluid[k]};
        if (frame.fluid[k] >= FOAM_KINDS)
            result = format_error(error, path, 0, "particle %u is of a kind that is not known", frame.id[k]);
        else if (!foam_add(&series->foam, &p))
            result = memory_error(error, path);
    }
    frame_free(&frame);
    series->foam.state.next_id = done->born;
    series->foam.state.steps = done->steps;
    series->began = true;
    return result;
}

static mn_Result open_folder(FoamSeries* series, mn_Error* error)
{
    char table[PATH_SIZE];
    Done done = {.frame = -1};
    const char* out = series->def.out ? series->def.out : series->run.path;
    mn_Result result = path_join(series->folder, out, RUN_FRAMES, error);
    if (result == MN_OK)
        result = path_join(table, out, RUN_FOAM, error);
    if (result == MN_OK && !series->def.again)
        result = find_done(series, table, &done, error);
    if (result == MN_OK && done.by_other_rules)
        result = format_error(error, out, 0, "holds foam that was made with other settings; --force makes all of it again");
    if (result == MN_OK && done.frame >= 0)
        result = take_up(series, &done, error);
    if (result == MN_OK) // the last thing that can be wrong with the run
        result = read_fluid(series, series->frame, &series->last, error);
    if (result == MN_OK)
        result = read_meshes(series, series->frame, series->last_mesh, error);
    if (result == MN_OK)
        result = run_place_make(series->folder, error);
    if (result != MN_OK)
        return result;
    return done.frame >= 0 ? table_resume(&series->table, table, COLUMNS, done.frame, 1, error)
                           : table_create(&series->table, table, COLUMNS, error);
}

mn_Result foam_series_open(FoamSeries* series, const FoamSeriesDef* def, mn_Error* error)
{
    *series = (FoamSeries){.def = *def, .table = {.fd = -1}};
    mn_Result result = run_folder_open(&series->run, def->run, error);
    if (result == MN_OK)
        result = run_names_make(&series->names, series->run.scene, error);
    if (result == MN_OK)
        result = check_run(series, error);
    if (result != MN_OK)
        return result;
    series->format = def->format != MN_PARTICLES_NONE ? def->format : series->run.format;
    result = build(series, error);
    return result == MN_OK ? open_folder(series, error) : result;
}

// --- a frame

static Quat slerp(Quat a, Quat b, double s)
{
    double same = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, sign = same < 0 ? -1 : 1;
    // frames are close to each other: the chord is as good as the arc
    return quat_normalise((Quat){a.w + s * (sign * b.w - a.w), a.x + s * (sign * b.x - a.x), a.y + s * (sign * b.y - a.y),
                                 a.z + s * (sign * b.z - a.z)});
}

static mn_Pose pose_between(const FoamSeries* series, size_t solid, size_t frame, double share)
{
    const RunFolder* run = &series->run;
    double time = run->frame_time[frame] + share * (run->frame_time[frame + 1] - run->frame_time[frame]);
    mn_Pose told = run->scene->solids[solid].pose;
    if (world_foam_told_pose(series->world, solid, time, &told) || !run->solid_pose)
        return told;
    const mn_Pose *a = &run->solid_pose[frame * run->scene->solid_count + solid], *b = a + run->scene->solid_count;
    return (mn_Pose){vec3d_lerp(a->position, b->position, share), slerp(a->rotation, b->rotation, share)};
}

// False: out of memory.
static bool mesh_between(FoamSeries* series, size_t solid, double share)
{
    const TriMesh *a = &series->last_mesh[solid], *b = &series->next_mesh[solid];
    TriMesh* now = &series->now_mesh[solid];
    bool same = a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count;
    if (now->triangle_count != b->triangle_count || now->vertex_count != b->vertex_count) {
        tri_mesh_free(now);
        if (!tri_mesh_copy(b, now))
            return false;
    }
    for (size_t k = 0; k < now->vertex_count; k++)
        now->vertex[k] = same ? vec3d_lerp(a->vertex[k], b->vertex[k], share) : b->vertex[k];
    return foam_sides_deform(&series->sides, solid, now);
}

static bool place_solids(FoamSeries* series, double share)
{
    for (size_t s = 0; s < series->run.scene->solid_count; s++) {
        if (!series->sides.solid[s].own)
            foam_sides_pose(&series->sides, s, pose_between(series, s, series->frame, share));
        else if (!mesh_between(series, s, share))
            return false;
    }
    return true;
}

static FoamFrame frame_of(const Frame* frame, double time)
{
    return (FoamFrame){time, frame->count, frame->position, frame->velocity, frame->id};
}

// The fluid moves about a support radius per substep, as far as a fall through the scene makes it.
static int substeps_of(const FoamSeries* series, double time)
{
    if (series->def.substeps > 0)
        return series->def.substeps;
    double speed = fmin(series->between.fastest, world_foam_scale(series->world).speed);
    double steps = ceil(speed * time / series->foam.rules.support_radius);
    return steps < 1 ? 1 : steps > SUBSTEPS_MOST ? SUBSTEPS_MOST : (int)steps;
}

static mn_Result step_to(FoamSeries* series, size_t index, mn_Error* error)
{
    const RunFolder* run = &series->run;
    FoamFrame a = frame_of(&series->last, run->frame_time[series->frame]), b = frame_of(&series->next, run->frame_time[index]);
    bool ok = foam_between_frames(&series->between, &a, &b, &series->foam) && place_solids(series, 0);
    foam_sides_end_step(&series->sides);
    double time = b.time - a.time;
    int steps = series->last_substeps = substeps_of(series, time);
    if (!(time > 0))
        return format_error(error, run->path, 0, "frame %d is not later than the one before", run->frame_number[index]);
    for (int k = 1; k <= steps && ok; k++) {
        FoamFluid fluid;
        double share = (double)k / steps;
        ok = foam_between_at(&series->between, share, &series->foam, &fluid) && place_solids(series, share) &&
             foam_step(&series->foam, &fluid, &series->sides, time / steps);
        foam_sides_end_step(&series->sides);
    }
    return ok ? MN_OK : memory_error(error, run->path);
}

static mn_Result write_frame(FoamSeries* series, mn_Error* error)
{
    const Foam* foam = &series->foam;
    char path[PATH_SIZE], row[256];
    uint64_t kinds[FOAM_KINDS];
    double time = series->run.frame_time[series->frame];
    mn_FoamView view = {foam->set.count,   (const float*)foam->position, (const float*)foam->velocity, foam->id, foam->kind,
                        foam->rules.radius};
    mn_Result result = frame_path(series, series->frame, path, error);
    if (result == MN_OK)
        result = foam_write(path, series->format, &view, time, error);
    if (result != MN_OK)
        return result;
    foam_count_kinds(foam, kinds);
    int length =
        snprintf(row, sizeof row, "%d,%.9g,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%016" PRIx64 "\n",
                 series->run.frame_number[series->frame], time, foam->set.count, kinds[FOAM_SPRAY], kinds[FOAM_FOAM],
                 kinds[FOAM_BUBBLE], foam->state.next_id, foam->state.steps, series->rules);
    return table_append(&series->table, row, (size_t)length, error);
}

bool foam_series_is_done(const FoamSeries* series)
{
    return series->began && series->frame + 1 >= series->run.frame_count;
}

mn_Result foam_series_next(FoamSeries* series, mn_Error* error)
{
    mn_Result result = MN_OK;
    if (series->began) {
        size_t index = series->frame + 1;
        result = read_fluid(series, index, &series->next, error);
        if (result == MN_OK)
            result = read_meshes(series, index, series->next_mesh, error);
        if (result == MN_OK)
            result = step_to(series, index, error);
        if (result != MN_OK)
            return result;
        frame_free(&series->last);
        series->last = series->next;
        series->next = (Frame){0};
        TriMesh* meshes = series->last_mesh;
        series->last_mesh = series->next_mesh;
        series->next_mesh = meshes;
        series->frame = index;
    }
    series->began = true;
    return write_frame(series, error);
}

mn_Result foam_series_list(FoamSeries* series, mn_Error* error)
{
    int number = series->run.frame_number[series->frame];
    if (!series->began || number != (int)series->frame)
        return MN_OK; // a list begins with frame 0 and has no holes
    return series_write_list(series->folder, series->names.fluid[names_foam(&series->names)], series->format, number,
                             series->run.scene->frame_rate, error);
}

mn_Result foam_series_close(FoamSeries* series, mn_Error* error)
{
    mn_Result result = table_close(&series->table, error);
    size_t solids = series->run.scene ? series->run.scene->solid_count : 0;
    TriMesh* meshes[] = {series->last_mesh, series->next_mesh, series->now_mesh};
    for (int k = 0; k < 3; k++) {
        for (size_t s = 0; meshes[k] && s < solids; s++)
            tri_mesh_free(&meshes[k][s]);
        free(meshes[k]);
    }
    frame_free(&series->last);
    frame_free(&series->next);
    foam_between_destroy(&series->between);
    foam_sides_destroy(&series->sides);
    foam_destroy(&series->foam);
    mn_world_destroy(series->world);
    run_names_free(&series->names);
    run_folder_close(&series->run);
    return result;
}
