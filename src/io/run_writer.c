// SPDX-License-Identifier: MIT
#include "io/run_writer.h"

#include "base/error.h"
#include "io/foam_file.h"
#include "io/frame_gather.h"
#include "io/mesh_write.h"
#include "io/points.h"
#include "io/run_identity.h"
#include "io/run_rows.h"
#include "io/surface_file.h"
#include "world/state.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char section_progress[] = "run.progress";
static const char section_identity[] = "run.identity";

// --- opening

static mn_Result make_paths(RunWriter* writer, const char* path, mn_Error* error)
{
    if (snprintf(writer->path, sizeof writer->path, "%s", path) >= (int)sizeof writer->path)
        return file_error(error, "write", path, ENAMETOOLONG);
    mn_Result result = path_join(writer->frames, path, RUN_FRAMES, error);
    if (result == MN_OK)
        result = path_join(writer->solids, path, RUN_SOLIDS, error);
    if (result == MN_OK)
        result = path_join(writer->surface, path, RUN_SURFACE, error);
    return result == MN_OK ? path_join(writer->checkpoint, path, RUN_CHECKPOINT, error) : result;
}

static mn_Result begin(RunWriter* writer, const char* path, const mn_Scene* scene, const mn_World* world, mn_Error* error)
{
    *writer = (RunWriter){.scene = scene, .progress = {.frame = -1}, .synced_frame = -1};
    writer->moving = scene->output.solids == MN_SOLIDS_VTP && mesh_any_moves(world);
    writer->stats.fd = writer->bodies.fd = writer->probes.fd = writer->log.fd = -1;
    mn_Result result = make_paths(writer, path, error);
    if (result == MN_OK)
        result = run_names_make(&writer->names, scene, error);
    if (result != MN_OK)
        return result;
    writer->identity = run_identity(scene);
    if (scene->output.surface != MN_SURFACE_NONE) {
        writer->pool = pool_create(scene->world.threads);
        memory_keep(&writer->memory);
    }
    return writer->identity ? MN_OK : memory_error(error, path);
}

// The log is also the lock: two processes must not write one folder.
static mn_Result open_log(RunWriter* writer, mn_Error* error)
{
    char path[PATH_SIZE];
    mn_Result result = path_join(path, writer->path, RUN_LOG, error);
    if (result == MN_OK)
        result = table_open(&writer->log, path, error);
    if (result == MN_OK && flock(writer->log.fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return format_error(error, writer->path, 0,
                            "another process is writing this run; wait for it, or choose another folder with --out");
    return result;
}

static mn_Result write_scene(RunWriter* writer, mn_Error* error)
{
    char path[PATH_SIZE];
    FileOut file;
    mn_Result result = path_join(path, writer->path, RUN_SCENE, error);
    if (result != MN_OK)
        return result;
    char* json = mn_scene_to_json(writer->scene);
    if (!json)
        return memory_error(error, path);
    result = file_out_open(&file, path, error);
    if (result == MN_OK) {
        size_t length = strlen(json);
        file_out_write(&file, json, length);
        if (length && json[length - 1] != '\n')
            file_out_print(&file, "\n");
        result = file_out_commit(&file, true, error);
    }
    free(json);
    return result;
}

static mn_Result write_solids(RunWriter* writer, const mn_World* world, mn_Error* error)
{
    mn_SolidFormat format = writer->scene->output.solids;
    mn_Result result = MN_OK;
    for (size_t s = 0; s < writer->names.solid_count && format != MN_SOLIDS_NONE && result == MN_OK; s++) {
        char name[SERIES_NAME + 8], path[PATH_SIZE];
        mn_SolidView solid = mn_world_solid(world, (mn_SolidId)(s + 1));
        if (solid.type == MN_SOLID_ELASTIC)
            continue; // one file per frame
        snprintf(name, sizeof name, "%s.%s", writer->names.solid[s], mesh_extension(format));
        result = path_join(path, writer->solids, name, error);
        if (result == MN_OK)
            result = mesh_write(path, format, &solid, error);
    }
    return result;
}

// Opens the three tables, new (frame -1) or cut behind `frame`.
static mn_Result open_tables(RunWriter* writer, int64_t frame, mn_Error* error)
{
    char* probes_header = rows_probes_header(writer->scene);
    if (!probes_header)
        return memory_error(error, writer->path);
    const struct {
        Table* table;
        const char *name, *header;
        size_t rows; // of a frame
    } tables[] = {{&writer->stats, RUN_STATS, RUN_STATS_COLUMNS, 1},
                  {&writer->bodies, RUN_BODIES, RUN_BODIES_COLUMNS, writer->scene->solid_count},
                  {&writer->probes, RUN_PROBES, probes_header, 1}};
    mn_Result result = MN_OK;
    for (size_t k = 0; k < sizeof tables / sizeof *tables && result == MN_OK; k++) {
        char path[PATH_SIZE];
        result = path_join(path, writer->path, tables[k].name, error);
        if (result == MN_OK && frame < 0)
            result = table_create(tables[k].table, path, tables[k].header, error);
        else if (result == MN_OK)
            result = table_resume(tables[k].table, path, tables[k].header, frame, tables[k].rows, error);
    }
    free(probes_header);
    if (result == MN_OK)
        result = probe_tables_open(&writer->samples, writer->path, writer->scene, frame, error);
    return result == MN_OK ? units_write(writer->path, writer->scene, error) : result;
}

mn_Result run_writer_refuse(RunPlace place, const char* path, mn_Error* error)
{
    if (place == RUN_PLACE_FOREIGN)
        return format_error(error, path, 0, "exists and is not a run folder; choose another with --out, nothing was changed");
    if (place == RUN_PLACE_RESUMABLE)
        return format_error(
            error, path, 0,
            "already holds a run; continue it with --resume, replace it with --force, or choose another folder with --out");
    return format_error(error, path, 0,
                        "already holds a run that has no checkpoint; replace it with --force, or choose another folder with --out");
}

mn_Result run_writer_create(RunWriter* writer, const char* path, const mn_Scene* scene, const mn_World* world, bool replace,
                            mn_Error* error)
{
    mn_Result result = begin(writer, path, scene, world, error);
    if (result != MN_OK)
        return result;
    RunPlace place = run_place(path);
    if (place == RUN_PLACE_FOREIGN || (place != RUN_PLACE_FREE && !replace))
        return run_writer_refuse(place, path, error);
    result = run_place_make(path, error);
    if (result == MN_OK)
        result = open_log(writer, error);
    if (result == MN_OK)
        result = run_place_clear(path, error);
    if (result == MN_OK)
        result = table_cut(&writer->log, 0, error);
    if (result == MN_OK)
        result = run_place_make(writer->frames, error);
    if (result == MN_OK)
        result = run_place_make(writer->solids, error);
    if (result == MN_OK && scene->output.surface != MN_SURFACE_NONE)
        result = run_place_make(writer->surface, error);
    if (result == MN_OK)
        result = write_scene(writer, error);
    if (result == MN_OK)
        result = open_tables(writer, -1, error);
    return result == MN_OK ? write_solids(writer, world, error) : result;
}

// --- resuming

static const void* give_section(void* user, const char* name, size_t* out_bytes)
{
    return checkpoint_find(user, name, out_bytes);
}

static mn_Result check_identity(const Checkpoint* checkpoint, const char* is, const char* path, mn_Error* error)
{
    size_t bytes = 0;
    const char* was = checkpoint_find(checkpoint, section_identity, &bytes);
    if (!was || !bytes || was[bytes - 1])
        return format_error(error, path, 0, "this checkpoint does not say which scene it belongs to");
    char difference[300];
    run_identity_difference(was, is, difference, sizeof difference);
    if (!difference[0])
        return MN_OK;
    return format_error(error, path, 0, "this checkpoint belongs to another scene (%s); resume with the scene it was made from",
                        difference);
}

mn_Result run_progress_read(const Checkpoint* checkpoint, const char* path, RunProgress* progress, mn_Error* error)
{
    size_t bytes = 0;
    const void* data = checkpoint_find(checkpoint, section_progress, &bytes);
    if (!data || bytes != sizeof *progress)
        return format_error(error, path, 0, "this checkpoint does not say how far the run was");
    memcpy(progress, data, sizeof *progress);
    return MN_OK;
}

// A checkpoint of ours was made between two frames of the run, at the state's own time.
static bool is_plausible(const RunProgress* progress, double time, double frame_rate)
{
    double last = (double)progress->frame / frame_rate, next = (double)(progress->frame + 1) / frame_rate,
           slack = 1e-6 / frame_rate;
    return progress->frame >= -1 && progress->time == time && last <= time + slack && time <= next + slack &&
           progress->seconds >= 0;
}

static mn_Result load_checkpoint(const char* path, const char* identity, double frame_rate, mn_World* world, RunProgress* progress,
                                 mn_Error* error)
{
    Checkpoint checkpoint;
    mn_Result result = checkpoint_open(&checkpoint, path, error);
    if (result != MN_OK)
        return result;
    result = run_progress_read(&checkpoint, path, progress, error);
    if (result == MN_OK)
        result = check_identity(&checkpoint, identity, path, error);
    if (result == MN_OK) {
        result = world_load_state(world, give_section, &checkpoint, error);
        if (result != MN_OK && error && !error->file[0])
            error_at(error, path, 0, 0);
    }
    if (result == MN_OK && !is_plausible(progress, mn_world_time(world), frame_rate))
        result = format_error(error, path, 0, "this checkpoint is damaged: it says frame %lld at t = %g s",
                              (long long)progress->frame, mn_world_time(world));
    checkpoint_close(&checkpoint);
    return result;
}

mn_Result run_checkpoint_load(const char* path, const mn_Scene* scene, mn_World* world, mn_Error* error)
{
    RunProgress progress;
    char* identity = run_identity(scene);
    mn_Result result =
        identity ? load_checkpoint(path, identity, scene->frame_rate, world, &progress, error) : memory_error(error, path);
    free(identity);
    return result;
}

// The format of a series in frames/, by its place in names.fluid; none if it is not written.
static mn_ParticleFormat format_of(const RunWriter* writer, size_t series)
{
    const mn_OutputDef* output = &writer->scene->output;
    if (series < writer->names.fluid_count)
        return output->particles;
    if (series == names_moving(&writer->names))
        return writer->moving ? MN_PARTICLES_VTP : MN_PARTICLES_NONE;
    if (series == names_foam(&writer->names) && !writer->scene->world.has_foam)
        return MN_PARTICLES_NONE;
    if (series == names_foam(&writer->names))
        return output->particles == MN_PARTICLES_NONE ? MN_PARTICLES_VTP : output->particles;
    if (!output->boundary)
        return MN_PARTICLES_NONE;
    return output->particles == MN_PARTICLES_NONE ? MN_PARTICLES_VTP : output->particles;
}

static mn_Result write_lists(RunWriter* writer, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t f = 0; f <= names_foam(&writer->names) && result == MN_OK; f++)
        result = series_write_list(writer->frames, writer->names.fluid[f], format_of(writer, f), writer->progress.frame,
                                   writer->scene->frame_rate, error);
    for (size_t f = 0; f < writer->names.fluid_count && result == MN_OK; f++)
        result = surface_write_list(writer->surface, writer->names.fluid[f], writer->scene->output.surface, writer->progress.frame,
                                    writer->scene->frame_rate, error);
    bool listed = writer->scene->output.solids == MN_SOLIDS_VTP;
    for (size_t s = 0; s < writer->names.solid_count && listed && result == MN_OK; s++)
        if (writer->scene->solids[s].type == MN_SOLID_ELASTIC)
            result = series_write_list(writer->solids, writer->names.solid[s], MN_PARTICLES_VTP, writer->progress.frame,
                                       writer->scene->frame_rate, error);
    return result;
}

mn_Result run_writer_resume(RunWriter* writer, const char* path, const mn_Scene* scene, mn_World* world, mn_Error* error)
{
    mn_Result result = begin(writer, path, scene, world, error);
    if (result != MN_OK)
        return result;
    if (run_place(path) != RUN_PLACE_RESUMABLE)
        return format_error(error, path, 0, "there is no %s to resume from; run without --resume", RUN_CHECKPOINT);
    result = open_log(writer, error);
    if (result == MN_OK)
        result = load_checkpoint(writer->checkpoint, writer->identity, scene->frame_rate, world, &writer->progress, error);
    if (result != MN_OK)
        return result; // nothing was changed so far
    writer->synced_frame = writer->progress.frame;
    result = open_tables(writer, writer->progress.frame, error);
    if (result == MN_OK)
        result = run_place_cut(writer->frames, writer->progress.frame, error);
    if (result == MN_OK)
        result = run_place_cut(writer->surface, writer->progress.frame, error);
    if (result == MN_OK)
        result = run_place_cut(writer->solids, writer->progress.frame, error);
    if (result == MN_OK && scene->output.surface != MN_SURFACE_NONE)
        result = run_place_make(writer->surface, error);
    if (result == MN_OK && writer->progress.frame >= 0)
        result = write_lists(writer, error);
    return result == MN_OK ? write_scene(writer, error) : result; // the duration may be another one now
}

// --- frames

static mn_Result write_boundary(RunWriter* writer, const mn_World* world, double time, const char* path, mn_Error* error)
{
    mn_BoundaryView boundary = mn_world_boundary(world);
    float* position = malloc((boundary.count + 1) * 3 * sizeof *position);
    float* volume = malloc((boundary.count + 1) * sizeof *volume);
    mn_Result result = position && volume ? MN_OK : memory_error(error, path);
    for (size_t k = 0; result == MN_OK && k < boundary.count; k++) {
        memcpy(&position[3 * k], &boundary.position[4 * k], 3 * sizeof *position);
        volume[k] = boundary.position[4 * k + 3];
    }
    if (result == MN_OK) {
        const PointField fields[] = {
            {"position", NUMBER_F32, 3, position}, {"volume", NUMBER_F32, 1, volume}, {"solid", NUMBER_U32, 1, boundary.solid}};
        PointSet points = {.time = time, .count = boundary.count, .field_count = 3, .field = fields};
        result = points_write(path, format_of(writer, names_boundary(&writer->names)), &points, error);
    }
    free(position);
    free(volume);
    return result;
}

static mn_Result write_surface(RunWriter* writer, const Frame* frame, size_t fluid, int64_t number, mn_Error* error)
{
    const mn_OutputDef* output = &writer->scene->output;
    SurfaceDef def = surface_default_def(writer->scene->world.particle_radius);
    def.spacing = output->surface_spacing;
    def.smoothing = output->surface_smoothing;
    SurfaceMesh mesh;
    char path[PATH_SIZE];
    mn_Result result =
        series_path(path, writer->surface, writer->names.fluid[fluid], number, surface_extension(output->surface), error);
    if (result == MN_OK)
        result = surface_of_frame(&def, frame, writer->pool, &writer->memory, &mesh, error);
    if (result != MN_OK)
        return result;
    result = surface_write(path, output->surface, &mesh, frame->time, error);
    surface_free(&mesh);
    return result;
}

static mn_Result write_fluid(RunWriter* writer, const mn_ParticleView* particles, size_t fluid, int64_t number, double time,
                             Frame* frame, mn_Error* error)
{
    const mn_OutputDef* output = &writer->scene->output;
    char path[PATH_SIZE];
    mn_Result result = frame_gather(particles, (uint8_t)fluid, writer->scene->fluids[fluid].density, time, frame, error);
    if (result == MN_OK && output->particles != MN_PARTICLES_NONE) {
        result = series_path(path, writer->frames, writer->names.fluid[fluid], number, frame_extension(output->particles), error);
        if (result == MN_OK)
            result = frame_write(path, output->particles, frame, error);
    }
    if (result == MN_OK && output->surface != MN_SURFACE_NONE)
        result = write_surface(writer, frame, fluid, number, error);
    return result;
}

static mn_Result write_particles(RunWriter* writer, const mn_World* world, int64_t number, double time, mn_Error* error)
{
    const mn_OutputDef* output = &writer->scene->output;
    if (output->particles == MN_PARTICLES_NONE && output->surface == MN_SURFACE_NONE)
        return MN_OK;
    mn_ParticleView particles = mn_world_particles(world);
    Frame frame = {0};
    mn_Result result = MN_OK;
    for (size_t f = 0; f < writer->names.fluid_count && result == MN_OK; f++)
        result = write_fluid(writer, &particles, f, number, time, &frame, error);
    frame_free(&frame);
    return result;
}

static mn_Result write_foam(const char* path, mn_ParticleFormat format, const mn_World* world, double time, mn_Error* error)
{
    mn_FoamView foam = mn_world_foam(world);
    return foam_write(path, format, &foam, time, error);
}

// What else belongs to a frame: boundary particles, solids that move, foam.
static mn_Result write_solid_frames(RunWriter* writer, const mn_World* world, int64_t number, double time, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t f = names_boundary(&writer->names); f <= names_foam(&writer->names) && result == MN_OK; f++) {
        char path[PATH_SIZE];
        mn_ParticleFormat format = format_of(writer, f);
        if (format == MN_PARTICLES_NONE)
            continue;
        result = series_path(path, writer->frames, writer->names.fluid[f], number, frame_extension(format), error);
        if (result == MN_OK && f == names_moving(&writer->names))
            result = mesh_write_moving(path, world, time, error);
        else if (result == MN_OK && f == names_foam(&writer->names))
            result = write_foam(path, format, world, time, error);
        else if (result == MN_OK)
            result = write_boundary(writer, world, time, path, error);
    }
    return result;
}

static mn_Result write_elastics(RunWriter* writer, const mn_World* world, int64_t number, mn_Error* error)
{
    mn_SolidFormat format = writer->scene->output.solids;
    mn_Result result = MN_OK;
    for (size_t s = 0; s < writer->names.solid_count && format != MN_SOLIDS_NONE && result == MN_OK; s++) {
        mn_SolidView solid = mn_world_solid(world, (mn_SolidId)(s + 1));
        if (solid.type != MN_SOLID_ELASTIC)
            continue;
        char path[PATH_SIZE];
        result = series_path(path, writer->solids, writer->names.solid[s], number, mesh_extension(format), error);
        if (result == MN_OK)
            result = mesh_write(path, format, &solid, error);
    }
    return result;
}

// The rows of one table from a memory stream; `rows` prints them.
static mn_Result append_rows(Table* table, RowsFn* rows, const RowsInput* input, mn_Error* error)
{
    char* text = NULL;
    size_t size = 0;
    FILE* stream = open_memstream(&text, &size);
    if (!stream)
        return memory_error(error, table->path);
    rows(stream, input);
    bool good = !ferror(stream);
    good = !fclose(stream) && good;
    mn_Result result = good ? table_append(table, text, size, error) : memory_error(error, table->path);
    free(text);
    return result;
}

mn_Result run_writer_frame(RunWriter* writer, const mn_World* world, double seconds, mn_Error* error)
{
    int64_t number = writer->progress.frame + 1;
    mn_Stats stats = mn_world_stats(world);
    RowsInput input = {writer->scene, world, &stats, number, (double)number / writer->scene->frame_rate, seconds};
    mn_Result result = write_particles(writer, world, number, input.time, error);
    if (result == MN_OK)
        result = write_elastics(writer, world, number, error);
    if (result == MN_OK)
        result = write_solid_frames(writer, world, number, input.time, error);
    if (result == MN_OK)
        result = append_rows(&writer->bodies, rows_bodies, &input, error);
    if (result == MN_OK)
        result = append_rows(&writer->probes, rows_probes, &input, error);
    if (result == MN_OK)
        result = probe_tables_write(&writer->samples, writer->scene, world, number, error);
    if (result == MN_OK)
        result = append_rows(&writer->stats, rows_stats, &input, error);
    if (result != MN_OK)
        return result;
    writer->progress.frame = number;
    return write_lists(writer, error);
}

mn_Result run_writer_samples(RunWriter* writer, const mn_World* world, mn_Error* error)
{
    return probe_tables_write(&writer->samples, writer->scene, world, writer->progress.frame + 1, error);
}

// --- checkpoint

// Frames and rows that the checkpoint counts as written must be on the disk before it is.
static mn_Result sync_frames(RunWriter* writer, mn_Error* error)
{
    const Table* tables[] = {&writer->stats, &writer->bodies, &writer->probes};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (fsync(tables[k]->fd) && errno != EINVAL)
            return file_error(error, "write", tables[k]->path, errno);
    mn_Result synced = probe_tables_sync(&writer->samples, error);
    if (synced != MN_OK)
        return synced;
    mn_SolidFormat solids = writer->scene->output.solids;
    for (int64_t k = writer->synced_frame + 1; k <= writer->progress.frame && solids != MN_SOLIDS_NONE; k++)
        for (size_t s = 0; s < writer->names.solid_count; s++) {
            char path[PATH_SIZE];
            if (writer->scene->solids[s].type != MN_SOLID_ELASTIC)
                continue;
            mn_Result result = series_path(path, writer->solids, writer->names.solid[s], k, mesh_extension(solids), error);
            if (result == MN_OK)
                result = file_sync(path, error);
            if (result != MN_OK)
                return result;
        }
    for (int64_t k = writer->synced_frame + 1; k <= writer->progress.frame; k++) {
        for (size_t f = 0; f <= names_foam(&writer->names); f++) {
            char path[PATH_SIZE];
            mn_ParticleFormat format = format_of(writer, f);
            if (format == MN_PARTICLES_NONE)
                continue;
            mn_Result result = series_path(path, writer->frames, writer->names.fluid[f], k, frame_extension(format), error);
            if (result == MN_OK)
                result = file_sync(path, error);
            if (result != MN_OK)
                return result;
        }
    }
    writer->synced_frame = writer->progress.frame;
    return MN_OK;
}

static bool take_section(void* user, const char* name, const void* data, size_t bytes)
{
    return checkpoint_section(user, name, data, bytes);
}

mn_Result run_writer_checkpoint(RunWriter* writer, const mn_World* world, double seconds, mn_Error* error)
{
    mn_Result result = sync_frames(writer, error);
    if (result != MN_OK)
        return result;
    mn_Stats stats = mn_world_stats(world);
    writer->progress.seconds = seconds;
    writer->progress.time = mn_world_time(world);
    writer->progress.steps = stats.steps;
    CheckpointOut out;
    result = checkpoint_begin(&out, writer->checkpoint, error);
    if (result != MN_OK)
        return result;
    checkpoint_section(&out, section_progress, &writer->progress, sizeof writer->progress);
    checkpoint_section(&out, section_identity, writer->identity, strlen(writer->identity) + 1);
    if (!world_save_state(world, take_section, &out))
        checkpoint_spoil(&out);
    return checkpoint_commit(&out, error);
}

// --- log and end

void run_writer_log(RunWriter* writer, const char* text)
{
    char line[1100];
    if (writer->log.fd < 0)
        return;
    int length = snprintf(line, sizeof line, "%.1090s\n", text);
    table_append(&writer->log, line, (size_t)length, NULL);
}

mn_Result run_writer_close(RunWriter* writer, mn_Error* error)
{
    Table* tables[] = {&writer->stats, &writer->bodies, &writer->probes, &writer->log};
    mn_Result result = MN_OK;
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        mn_Result closed = table_close(tables[k], result == MN_OK ? error : NULL);
        result = result == MN_OK ? closed : result;
    }
    mn_Result closed = probe_tables_close(&writer->samples, result == MN_OK ? error : NULL);
    result = result == MN_OK ? closed : result;
    run_names_free(&writer->names);
    pool_destroy(writer->pool);
    writer->pool = NULL;
    memory_clear(&writer->memory);
    free(writer->identity);
    writer->identity = NULL;
    return result;
}
