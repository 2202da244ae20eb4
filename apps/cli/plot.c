// SPDX-License-Identifier: MIT
// meniscus plot: the tables of a run as pictures, drawn by gnuplot through a pipe.
#include "base/error.h"
#include "cli.h"
#include "io/run_folder.h"
#include "io/run_names.h"
#include "io/run_place.h"
#include "io/table.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct PlotJob {
    const char *out, *format, *reference, *size;
    bool quiet;

    RunFolder run;
    char folder[PATH_SIZE], stats[PATH_SIZE], bodies[PATH_SIZE], probes[PATH_SIZE];
    int width, height;
    FILE* gnuplot;
    size_t made;
} PlotJob;

// --- talking to gnuplot

enum { QUOTED = 512 };

// In single quotes; a quote is written twice. Names have no other characters that gnuplot would read.
static const char* quote(const char* text, char buffer[QUOTED])
{
    size_t n = 0;
    buffer[n++] = '\'';
    for (; *text && n < QUOTED - 3; text++) {
        if (*text == '\'')
            buffer[n++] = '\'';
        buffer[n++] = *text;
    }
    buffer[n++] = '\'';
    buffer[n] = 0;
    return buffer;
}

static void quoted(const PlotJob* job, const char* text)
{
    fputc('\'', job->gnuplot);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', job->gnuplot);
        fputc(*text, job->gnuplot);
    }
    fputc('\'', job->gnuplot);
}

static void begin_plot(PlotJob* job, const char* name, const char* title, const char* y_label)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%.900s/%.80s.%s", job->folder, name, job->format);
    fprintf(job->gnuplot, "set output\nset output ");
    quoted(job, path);
    fprintf(job->gnuplot, "\nset title ");
    quoted(job, title);
    fprintf(job->gnuplot, "\nset ylabel ");
    quoted(job, y_label);
    fprintf(job->gnuplot, "\nset xlabel 'time [s]'\nunset logscale y\n");
    job->made++;
    if (!job->quiet)
        printf("%s\n", path);
}

// One curve: column against time. `first` begins the plot command.
static void add_curve(PlotJob* job, bool first, const char* table, const char* y, const char* title)
{
    fprintf(job->gnuplot, first ? "plot " : ", \\\n  ");
    quoted(job, table);
    fprintf(job->gnuplot, " using (column('time')):(%s) with lines lw 2 title ", y);
    quoted(job, title);
}

static void end_plot(PlotJob* job)
{
    fprintf(job->gnuplot, "\n");
}

// --- what is plotted

static void plot_stats(PlotJob* job)
{
    const char* t = job->stats;
    begin_plot(job, "energy", "energy", "energy [J]");
    add_curve(job, true, t, "column('kinetic_energy')", "kinetic");
    add_curve(job, false, t, "column('potential_energy')", "potential");
    add_curve(job, false, t, "column('kinetic_energy') + column('potential_energy')", "sum");
    end_plot(job);
    begin_plot(job, "density_error", "density error", "compression [%]");
    fprintf(job->gnuplot, "set logscale y\n");
    add_curve(job, true, t, "100 * column('density_error_mean')", "mean");
    add_curve(job, false, t, "100 * column('density_error_max')", "largest");
    end_plot(job);
    if (job->run.scene->world.solver.method == MN_PRESSURE_FLIP) {
        begin_plot(job, "residual_divergence", "residual divergence", "mean per cell [1/s]");
        fprintf(job->gnuplot, "set logscale y\n");
        add_curve(job, true, t, "column('residual_divergence')", "left by the pressure");
        end_plot(job);
    }
    begin_plot(job, "iterations", "pressure solver", "iterations per step");
    add_curve(job, true, t, "column('iterations')", "iterations");
    end_plot(job);
    begin_plot(job, "time_step", "time step", "dt [ms]");
    add_curve(job, true, t, "1e3 * column('dt')", "dt");
    end_plot(job);
    begin_plot(job, "seconds", "computing", "seconds");
    add_curve(job, true, t, "column('seconds')", "since the start");
    end_plot(job);
    begin_plot(job, "particles", "particles", "count");
    add_curve(job, true, t, "column('fluid_particles')", "fluid");
    add_curve(job, false, t, "column('lost_particles')", "lost");
    add_curve(job, false, t, "column('leaked_particles')", "leaked");
    end_plot(job);
}

static bool moves(const mn_SolidDef* solid)
{
    return solid->type != MN_SOLID_STATIC;
}

static void plot_bodies(PlotJob* job)
{
    static const char* const axis[] = {"x", "y", "z"};
    const mn_Scene* scene = job->run.scene;
    for (size_t s = 0; s < scene->solid_count; s++) {
        const mn_SolidDef* solid = &scene->solids[s];
        // names are checked when a scene is read: no double quotes, no commas
        if (!moves(solid) || !solid->name || strpbrk(solid->name, "\",\\"))
            continue;
        char name[128], y[QUOTED + 64], word[QUOTED];
        snprintf(name, sizeof name, "body_%.100s", solid->name);
        for (char* c = name; *c; c++)
            *c = *c == '/' || *c == ' ' ? '_' : *c;
        begin_plot(job, name, solid->name, "position [m]");
        for (int k = 0; k < 3; k++) {
            snprintf(y, sizeof y, "strcol('name') eq %s ? column('%s') : NaN", quote(solid->name, word), axis[k]);
            add_curve(job, k == 0, job->bodies, y, axis[k]);
        }
        end_plot(job);
    }
}

static const char* probe_label(mn_ProbeType type)
{
    return type == MN_PROBE_PRESSURE   ? "pressure [Pa]"
           : type == MN_PROBE_HEIGHT   ? "height [m]"
           : type == MN_PROBE_VELOCITY ? "speed [m/s]"
           : type == MN_PROBE_TORQUE   ? "torque [N m]"
                                       : "force [N]";
}

// Columns of a table, from its first line. Returns how many; the text goes to `line`.
static size_t columns_of(const char* path, char* line, size_t size, char** cells, size_t most)
{
    FILE* file = fopen(path, "r");
    if (!file)
        return 0;
    bool any = fgets(line, (int)size, file) != NULL;
    fclose(file);
    if (!any)
        return 0;
    line[strcspn(line, "\r\n")] = 0;
    return csv_split(line, cells, most);
}

static bool has_column(char** cells, size_t count, const char* name)
{
    for (size_t k = 0; k < count; k++)
        if (!strcmp(cells[k], name))
            return true;
    return false;
}

enum { COLUMNS = 256, LINE = 16384 };

// A probe is one column of its name, or several that begin with it (NAME_x).
static void plot_probe(PlotJob* job, const mn_ProbeDef* probe, char** cells, size_t count, char** known, size_t known_count)
{
    size_t length = strlen(probe->name);
    char name[128], y[QUOTED + 64], word[QUOTED];
    bool first = true;
    snprintf(name, sizeof name, "probe_%.100s", probe->name);
    for (char* c = name; *c; c++)
        *c = *c == '/' || *c == ' ' ? '_' : *c;
    for (size_t k = 2; k < count; k++) {
        bool its = !strncmp(cells[k], probe->name, length) && (!cells[k][length] || strchr("_.", cells[k][length]));
        if (!its || strpbrk(cells[k], "\\"))
            continue;
        if (first)
            begin_plot(job, name, probe->name, probe_label(probe->type));
        snprintf(y, sizeof y, "column(%s)", quote(cells[k], word));
        add_curve(job, first, job->probes, y, cells[k]);
        first = false;
        if (!has_column(known, known_count, cells[k]))
            continue;
        fprintf(job->gnuplot, ", \\\n  ");
        quoted(job, job->reference);
        fprintf(job->gnuplot, " using (column('time')):(%s) with points pt 6 title ", y);
        quoted(job, "reference");
    }
    if (!first)
        end_plot(job);
}

static void plot_probes(PlotJob* job)
{
    static char line[2][LINE];
    char *cells[COLUMNS], *known[COLUMNS];
    size_t count = columns_of(job->probes, line[0], LINE, cells, COLUMNS);
    size_t known_count = job->reference ? columns_of(job->reference, line[1], LINE, known, COLUMNS) : 0;
    for (size_t k = 0; k < job->run.scene->probe_count; k++)
        if (job->run.scene->probes[k].name)
            plot_probe(job, &job->run.scene->probes[k], cells, count, known, known_count);
}

// --- the command

static void set_up(const PlotJob* job)
{
    bool svg = !strcmp(job->format, "svg");
    fprintf(job->gnuplot, "set terminal %s size %d,%d %s\n", svg ? "svg" : "pngcairo", job->width, job->height,
            svg ? "dynamic background 'white'" : "");
    fprintf(job->gnuplot, "set datafile separator ','\nset datafile columnheaders\nset datafile missing NaN\nset grid\n"
                          "set key outside right top noenhanced\nset title noenhanced\nset ylabel noenhanced\n");
}

static mn_Result draw(PlotJob* job, mn_Error* error)
{
    signal(SIGPIPE, SIG_IGN);
    job->gnuplot = popen("gnuplot", "w");
    if (!job->gnuplot)
        return error_set(error, MN_IO_FAILED, "cannot start gnuplot");
    set_up(job);
    plot_stats(job);
    plot_bodies(job);
    plot_probes(job);
    int status = pclose(job->gnuplot);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return error_set(error, MN_IO_FAILED, "plots are drawn by gnuplot, which is not installed");
    if (status)
        return error_set(error, MN_IO_FAILED, "gnuplot failed; what it said is above");
    return MN_OK;
}

static int check(PlotJob* job)
{
    char rest;
    if (strcmp(job->format, "png") && strcmp(job->format, "svg"))
        return complain(STATUS_USAGE, "plot: --format %s: expected png or svg", job->format);
    if (sscanf(job->size, "%dx%d%c", &job->width, &job->height, &rest) != 2 || job->width < 100 || job->height < 100 ||
        job->width > 8192 || job->height > 8192)
        return complain(STATUS_USAGE, "plot: --size %s: expected WIDTHxHEIGHT, 100 to 8192 each", job->size);
    if (job->reference && access(job->reference, R_OK))
        return complain(STATUS_USAGE, "plot: --reference %s: cannot be read", job->reference);
    return -1;
}

static int run_job(PlotJob* job, const char* path)
{
    mn_Error error = {0};
    int status = check(job);
    if (status >= 0)
        return status;
    mn_Result result = run_folder_open(&job->run, path, &error);
    if (result == MN_OK)
        result = path_join(job->stats, job->run.path, RUN_STATS, &error);
    if (result == MN_OK)
        result = path_join(job->bodies, job->run.path, RUN_BODIES, &error);
    if (result == MN_OK)
        result = path_join(job->probes, job->run.path, RUN_PROBES, &error);
    if (result == MN_OK && !job->out)
        result = path_join(job->folder, job->run.path, "plots", &error);
    if (result != MN_OK)
        return complain_error(&error);
    if (job->out && snprintf(job->folder, sizeof job->folder, "%s", job->out) >= (int)sizeof job->folder)
        return complain(STATUS_USAGE, "plot: -o: the name is too long");
    if (access(job->stats, R_OK))
        return complain(STATUS_USAGE, "plot: %s has no %s", path, RUN_STATS);
    result = run_place_make(job->folder, &error);
    if (result == MN_OK)
        result = draw(job, &error);
    return result == MN_OK ? STATUS_DONE : complain_error(&error);
}

int command_plot(int argc, char** argv)
{
    PlotJob job = {.format = "png", .size = "900x500"};
    const Option options[] = {
        {"out", 'o', OPTION_TEXT, &job.out, "DIR", "where the plots go (RUN/plots)"},
        {"format", 'f', OPTION_TEXT, &job.format, "F", "png or svg (png)"},
        {"size", 0, OPTION_TEXT, &job.size, "WxH", "pixels (900x500)"},
        {"reference", 0, OPTION_TEXT, &job.reference, "FILE.csv",
         "measured values: a column time, and columns named like the probes"},
        {"quiet", 'q', OPTION_FLAG, &job.quiet, NULL, "do not list the files"},
    };
    const Syntax syntax = {"plot",
                           "RUN",
                           "Plots the tables of a run: energies, density error, iterations, time step, computing time, paths of\n"
                           "moving solids and curves of probes. Needs gnuplot.",
                           options,
                           sizeof options / sizeof *options,
                           1,
                           1};
    const char* path;
    size_t count;
    int status = options_parse(&syntax, argc, argv, &path, &count);
    if (status < 0)
        status = run_job(&job, path);
    run_folder_close(&job.run);
    return status;
}
