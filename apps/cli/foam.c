// SPDX-License-Identifier: MIT
// meniscus foam: spray, foam and bubbles from the frames of a run. Frames that are there already are not made again.
#include "base/clock.h"
#include "cli.h"
#include "io/foam_series.h"
#include "io/usd.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct FoamOptions {
    const char *out, *format;
    TextList sets;
    int threads, substeps;
    bool force, quiet;
    const UsdFormat* usd; // NULL: frames only
} FoamOptions;

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    if (interrupted++)
        _exit(STATUS_INTERRUPTED); // files are whole or absent at any moment
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

static int read_format(FoamOptions* o, mn_ParticleFormat* out)
{
    static const char* const words[] = {"vtp", "ply", "vtk", "csv", "bgeo"};
    *out = MN_PARTICLES_NONE;
    o->usd = o->format ? usd_format(o->format) : NULL;
    if (o->usd)
        *out = MN_PARTICLES_VTP;
    for (int k = 0; o->format && k < 5; k++)
        if (!strcmp(o->format, words[k]))
            *out = (mn_ParticleFormat)(k + 1);
    return !o->format || *out != MN_PARTICLES_NONE
               ? -1
               : complain(STATUS_USAGE, "foam: --format %s: expected vtp, ply, vtk, csv, bgeo, usda or usdc", o->format);
}

static void show_progress(const FoamSeries* series, double began, size_t first, bool quiet)
{
    size_t done = series->frame + 1 - first, count = series->run.frame_count - first;
    char left[32], particles[32];
    if (quiet || count < 2)
        return;
    text_seconds((clock_seconds() - began) / (double)done * (double)(count - done), left);
    text_count(series->foam.set.count, particles);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rfoam: frame %zu of %zu, %s particles, %s left    %s", done, count, particles, left,
                done == count ? "\n" : "");
    else if (done == count || done * 10 / count != (done - 1) * 10 / count)
        fprintf(stderr, "foam: frame %zu of %zu, %s particles\n", done, count, particles);
}

static mn_Result make_all(FoamSeries* series, const FoamOptions* o, mn_Error* error)
{
    mn_Result result = MN_OK;
    double began = clock_seconds();
    size_t first = series->began ? series->frame + 1 : 0;
    while (result == MN_OK && !interrupted && !foam_series_is_done(series)) {
        result = foam_series_next(series, error);
        if (result == MN_OK)
            show_progress(series, began, first, o->quiet);
    }
    if (result == MN_OK)
        result = foam_series_list(series, error);
    double passed = clock_seconds() - began;
    char born[32], there[32];
    if (result == MN_OK && !o->quiet)
        printf("%s: %zu frames, %s particles born, %s there in the last, %.3g s per frame\n", series->folder,
               series->frame + 1 - first, text_count(series->foam.state.next_id, born), text_count(series->foam.set.count, there),
               passed / fmax(1, (double)(series->frame + 1 - first)));
    return result;
}

static mn_Result write_usd(const FoamSeries* series, const UsdFormat* format, mn_Error* error)
{
    char path[PATH_SIZE];
    const char* out = series->def.out ? series->def.out : series->run.path;
    mn_Result result = path_join(path, out, format == &usd_crate ? "foam.usdc" : "foam.usda", error);
    UsdJob job = {
        .run = &series->run, .format = format, .foam_folder = series->folder, .first = 0, .last = series->frame, .step = 1};
    return result == MN_OK ? usd_write(path, &job, error) : result;
}

static int run_series(const FoamOptions* o, const char* run, mn_ParticleFormat format)
{
    mn_Error error = {0};
    FoamSeriesDef def = {.run = run,
                         .out = o->out,
                         .sets = o->sets.item,
                         .set_count = o->sets.count,
                         .format = format,
                         .substeps = o->substeps,
                         .again = o->force,
                         .pool = pool_create(o->threads)};
    FoamSeries series;
    mn_Result result = foam_series_open(&series, &def, &error);
    catch_signals();
    if (result == MN_OK)
        result = make_all(&series, o, &error);
    if (result == MN_OK && o->usd && !interrupted)
        result = write_usd(&series, o->usd, &error);
    mn_Result closed = foam_series_close(&series, result == MN_OK ? &error : NULL);
    pool_destroy(def.pool);
    if (result != MN_OK || closed != MN_OK)
        return complain_error(&error);
    if (interrupted)
        return complain(STATUS_INTERRUPTED, "foam: interrupted; the same command goes on from here");
    return STATUS_DONE;
}

int command_foam(int argc, char** argv)
{
    FoamOptions o = {0};
    const Option options[] = {
        {"out", 'o', OPTION_TEXT, &o.out, "DIR", "folder that gets frames/foam_000000.vtp and foam.csv (RUN)"},
        {"format", 'f', OPTION_TEXT, &o.format, "F",
         "vtp, ply, vtk, csv, bgeo, or usda, usdc: vtp and one file foam.usda, foam.usdc (that of the run)"},
        {"set", 's', OPTION_LIST, &o.sets, "KEY=VALUE", "a key of foam, e.g. --set amount=2 --set lifetime=3; repeatable"},
        {"substeps", 0, OPTION_INTEGER, &o.substeps, "N", "steps between frames, 0 = by how far the fluid moves (0)"},
        {"force", 0, OPTION_FLAG, &o.force, NULL, "make frames again that are there already"},
        {"threads", 't', OPTION_INTEGER, &o.threads, "N", "0 = all cores; the foam is the same"},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "say nothing"},
    };
    const Syntax syntax = {"foam",
                           "RUN",
                           "Makes spray, foam and bubbles from the particle frames of a run, a file per frame.\n"
                           "Frames that are there already are skipped, so an interrupted job can be started again.\n"
                           "`meniscus help foam.amount` and so on tell about the keys.",
                           options,
                           sizeof options / sizeof *options,
                           1,
                           1};
    const char* run;
    size_t count;
    mn_ParticleFormat format;
    int status = options_parse(&syntax, argc, argv, &run, &count);
    if (status < 0)
        status = read_format(&o, &format);
    if (status < 0 && (o.threads < 0 || o.threads > POOL_MOST))
        status = complain(STATUS_USAGE, "foam: --threads %d: expected 0 (all cores) to %d", o.threads, POOL_MOST);
    if (status < 0 && (o.substeps < 0 || o.substeps > 1000))
        status = complain(STATUS_USAGE, "foam: --substeps %d: expected 0 to 1000", o.substeps);
    if (status < 0)
        status = run_series(&o, run, format);
    text_list_free(&o.sets);
    return status;
}
