// SPDX-License-Identifier: MIT
#include "io/probe_tables.h"

#include "io/points.h"
#include "io/run_names.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 4 }; // of a probe: value, x, y, z
static const char* const ending[COLUMNS] = {"", "_x", "_y", "_z"};

bool probe_has_components(const mn_ProbeDef* probe)
{
    return probe->type != MN_PROBE_PRESSURE && probe->type != MN_PROBE_HEIGHT;
}

static int columns_of(const mn_ProbeDef* probe)
{
    return probe_has_components(probe) ? COLUMNS : 1;
}

static void print_name(FILE* stream, const mn_ProbeDef* probe, int column)
{
    char name[128];
    snprintf(name, sizeof name, "%.110s%s", probe->name ? probe->name : "probe", ending[column]);
    csv_print_text(stream, name);
}

bool probe_table_is_name(const char* name)
{
    size_t length = strlen(name), stem = strlen(RUN_PROBES_EVERY);
    return length > stem + 4 && !strncmp(name, RUN_PROBES_EVERY, stem) && !strcmp(name + length - 4, ".csv");
}

// --- opening

static bool print_header(FILE* stream, const mn_Scene* scene, double every)
{
    fputs("frame,time", stream);
    for (size_t k = 0; k < scene->probe_count; k++)
        for (int c = 0; scene->probes[k].every == every && c < columns_of(&scene->probes[k]); c++) {
            fputc(',', stream);
            print_name(stream, &scene->probes[k], c);
        }
    fputc('\n', stream);
    return !ferror(stream);
}

static mn_Result open_one(ProbeTable* t, const char* folder, const mn_Scene* scene, int64_t frame, mn_Error* error)
{
    char name[64], path[PATH_SIZE], *header = NULL;
    size_t size = 0;
    snprintf(name, sizeof name, RUN_PROBES_EVERY "%.9g.csv", t->every);
    mn_Result result = path_join(path, folder, name, error);
    if (result != MN_OK)
        return result;
    FILE* stream = open_memstream(&header, &size);
    bool good = stream && print_header(stream, scene, t->every);
    good = stream && !fclose(stream) && good;
    if (!good)
        result = memory_error(error, path);
    else if (frame < 0)
        result = table_create(&t->table, path, header, error);
    else
        result = table_resume(&t->table, path, header, frame, 0, error);
    free(header);
    return result;
}

mn_Result probe_tables_open(ProbeTables* tables, const char* folder, const mn_Scene* scene, int64_t frame, mn_Error* error)
{
    mn_Result result = MN_OK;
    tables->rate = calloc(scene->probe_count + 1, sizeof *tables->rate);
    if (!tables->rate)
        return memory_error(error, folder);
    for (size_t k = 0; k < scene->probe_count && result == MN_OK; k++) {
        double every = scene->probes[k].every;
        bool known = every == MN_AUTO;
        for (size_t t = 0; t < tables->count && !known; t++)
            known = tables->rate[t].every == every;
        if (known)
            continue;
        ProbeTable* t = &tables->rate[tables->count++];
        *t = (ProbeTable){.every = every, .table = {.fd = -1}};
        result = open_one(t, folder, scene, frame, error);
    }
    return result;
}

// --- rows

// All probes of a rate have samples at the same times.
static void print_rows(FILE* stream, const mn_Scene* scene, const mn_World* world, double every, int64_t frame)
{
    size_t rows = 0;
    for (size_t k = 0; k < scene->probe_count; k++)
        if (scene->probes[k].every == every)
            rows = mn_world_probe_samples(world, (mn_ProbeId)(k + 1)).count;
    for (size_t row = 0; row < rows; row++) {
        bool first = true;
        for (size_t k = 0; k < scene->probe_count; k++) {
            if (scene->probes[k].every != every)
                continue;
            const double* sample = mn_world_probe_samples(world, (mn_ProbeId)(k + 1)).sample + 5 * row;
            if (first)
                fprintf(stream, "%" PRId64 ",%.9g", frame, sample[0]);
            first = false;
            for (int c = 0; c < columns_of(&scene->probes[k]); c++)
                fprintf(stream, ",%.9g", sample[1 + c]);
        }
        fputc('\n', stream);
    }
}

mn_Result probe_tables_write(ProbeTables* tables, const mn_Scene* scene, const mn_World* world, int64_t frame, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t k = 0; k < tables->count && result == MN_OK; k++) {
        char* text = NULL;
        size_t size = 0;
        FILE* stream = open_memstream(&text, &size);
        if (stream)
            print_rows(stream, scene, world, tables->rate[k].every, frame);
        bool good = stream && !ferror(stream);
        good = stream && !fclose(stream) && good;
        result = good ? table_append(&tables->rate[k].table, text, size, error) : memory_error(error, tables->rate[k].table.path);
        free(text);
    }
    return result;
}

mn_Result probe_tables_sync(const ProbeTables* tables, mn_Error* error)
{
    for (size_t k = 0; k < tables->count; k++)
        if (fsync(tables->rate[k].table.fd) && errno != EINVAL)
            return file_error(error, "write", tables->rate[k].table.path, errno);
    return MN_OK;
}

mn_Result probe_tables_close(ProbeTables* tables, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t k = 0; k < tables->count; k++) {
        mn_Result closed = table_close(&tables->rate[k].table, result == MN_OK ? error : NULL);
        result = result == MN_OK ? closed : result;
    }
    free(tables->rate);
    *tables = (ProbeTables){0};
    return result;
}

// --- units

static const char* unit_of(const mn_ProbeDef* probe, bool flat)
{
    switch (probe->type) {
    case MN_PROBE_PRESSURE:
        return "Pa";
    case MN_PROBE_VELOCITY:
        return "m/s";
    case MN_PROBE_FORCE:
        return flat ? "N/m" : "N";
    case MN_PROBE_TORQUE:
        return flat ? "N m/m" : "N m";
    case MN_PROBE_IMPULSE:
        return flat ? "N s/m" : "N s";
    case MN_PROBE_HEIGHT:
    case MN_PROBE_DISPLACEMENT:
        break;
    }
    return "m";
}

// Of stats.csv and bodies.csv; in 2D masses, and what has them in it, are per metre of depth.
static void print_fixed(FileOut* file, bool flat)
{
    static const struct {
        const char *table, *columns, *unit;
        bool per_depth;
    } rows[] = {
        {"stats.csv", "frame steps fluid_particles boundary_particles density_error_mean density_error_max iterations", "1", false},
        {"stats.csv", "lost_particles leaked_particles diffuse_particles broken_faces", "1", false},
        {"stats.csv", "time dt seconds", "s", false},
        {"stats.csv", "residual_divergence", "1/s", false},
        {"stats.csv", "kinetic_energy potential_energy", "J", true},
        {"stats.csv", "momentum_x momentum_y momentum_z", "kg m/s", true},
        {"bodies.csv", "frame qw qx qy qz", "1", false},
        {"bodies.csv", "time", "s", false},
        {"bodies.csv", "x y z", "m", false},
        {"bodies.csv", "vx vy vz", "m/s", false},
        {"bodies.csv", "wx wy wz", "rad/s", false},
        {"bodies.csv", "fx fy fz", "N", true},
        {"bodies.csv", "tx ty tz", "N m", true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char* at = rows[k].columns;
        while (*at) {
            int length = (int)strcspn(at, " ");
            file_out_print(file, "%s,%.*s,%s%s\n", rows[k].table, length, at, rows[k].unit, flat && rows[k].per_depth ? "/m" : "");
            at += length + (at[length] == ' ');
        }
    }
}

mn_Result units_write(const char* folder, const mn_Scene* scene, mn_Error* error)
{
    char path[PATH_SIZE];
    FileOut file;
    bool flat = scene->world.dimension == 2;
    mn_Result result = path_join(path, folder, RUN_UNITS, error);
    if (result == MN_OK)
        result = file_out_open(&file, path, error);
    if (result != MN_OK)
        return result;
    file_out_print(&file, "table,column,unit\n");
    print_fixed(&file, flat);
    for (size_t k = 0; k < scene->probe_count; k++) {
        const mn_ProbeDef* probe = &scene->probes[k];
        for (int c = 0; c < (probe_has_components(probe) ? COLUMNS : 1); c++) {
            char* name = NULL;
            size_t size = 0;
            FILE* stream = open_memstream(&name, &size);
            if (stream)
                print_name(stream, probe, c);
            if (stream && !fclose(stream))
                file_out_print(&file, "probes.csv,%s,%s\n", name, unit_of(probe, flat));
            free(name);
        }
    }
    return file_out_commit(&file, false, error);
}
