// SPDX-License-Identifier: MIT
// meniscus run: a scene in, a run folder out. Interrupted at any moment, it can be resumed to the same bits.
#include "base/clock.h"
#include "base/parallel.h"
#include "cli.h"
#include "estimate.h"
#include "io/run_folder.h"
#include "render_live.h"
#include "run_from.h"
#include "summary.h"
#include "talk.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NO_THREADS = INT_MIN };

static const double bar_seconds = 0.1, line_seconds = 60; // wall clock between signs of life: on a terminal, and in a log

typedef struct RunOptions {
    const char* scene; // path of the scene file
    const char* out;
    double until;        // [s] NAN: as the scene says
    int threads;         // NO_THREADS: as the scene says
    const char* memory;  // bytes that the run may take; NULL: what the machine has
    double memory_limit; // [bytes] the same; infinite: not given
    TextList sets;
    bool resume, force, quiet;
    const char* from;   // run and frame to begin with, or NULL
    const char* render; // film or pictures, or NULL
    bool final;         // of final quality
    char scene_path[PATH_SIZE], out_path[PATH_SIZE];
} RunOptions;

typedef struct Run {
    const RunOptions* options;
    Talk talk;
    mn_Scene* scene;
    mn_World* world;
    RunWriter writer;
    mn_Error error;
    double end;          // [s] simulated time to reach
    int64_t last_frame;  // the last one at or before the end
    double began;        // wall clock
    double seconds;      // of computing in earlier sittings
    double first_time;   // [s] simulated time when this sitting began
    uint64_t first_step; // steps before this sitting
    uint64_t calls;      // steps of this sitting
    double told;         // wall clock of the last sign of life
    uint64_t leaked;     // particles that have been warned of
    RenderLive* live;    // --render; else NULL
} Run;

// --- signals

static volatile sig_atomic_t signals, building;

static void on_signal(int number)
{
    // while the scene is built there is nothing to keep, and it may take minutes
    if (building) {
        static const char text[] = "meniscus: interrupted while the scene was built; nothing was written\n";
        ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
        _exit(written < 0 ? STATUS_IO : STATUS_INTERRUPTED);
    }
    // the second one does not wait: files are whole or absent at any moment
    if (++signals > 1)
        _exit(STATUS_INTERRUPTED);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // a reader that went away or a file that may not grow must not end a simulation without a word
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

// --- options

// What --render names, before anything is computed.
static int check_render(const RunOptions* o)
{
    if (!o->render)
        return o->final ? complain(STATUS_USAGE, "run: --final needs --render") : -1;
    size_t length = strlen(o->render);
    bool film = length > 4 && !strcmp(o->render + length - 4, ".mp4"), png = length > 4 && !strcmp(o->render + length - 4, ".png");
    char name[PATH_SIZE];
    if ((!film && !png) || !!strchr(o->render, '%') == film || !picture_name(name, sizeof name, o->render, 0))
        return complain(STATUS_USAGE, "run: --render %s: expected film.mp4 or pictures_%%06d.png", o->render);
    if (film && o->resume)
        return complain(STATUS_USAGE, "run: a film cannot be resumed; take --render x_%%06d.png, or meniscus render afterwards");
    return -1;
}

static int parse(RunOptions* o, int argc, char** argv)
{
    const Option options[] = {
        {"out", 'o', OPTION_TEXT, &o->out, "DIR", "run folder (default: the scene's name with .run in the current folder)"},
        {"until", 0, OPTION_NUMBER, &o->until, "SECONDS", "simulated time to end at (default: the scene's duration)"},
        {"threads", 't', OPTION_INTEGER, &o->threads, "N", "threads, 0 = all cores; never changes results"},
        {"memory", 0, OPTION_TEXT, &o->memory, "BYTES", "memory that the run may take, as 4G (default: what the machine has)"},
        {"set", 's', OPTION_LIST, &o->sets, "KEY=VALUE", "change a scene key, e.g. --set fluids.0.viscosity=0.1; repeatable"},
        {"from", 0, OPTION_TEXT, &o->from, "RUN[@FRAME]",
         "start with the particles and bodies of another run: its last frame, frame number FRAME, or RUN@checkpoint"},
        {"resume", 0, OPTION_FLAG, &o->resume, NULL, "go on from the run folder's checkpoint, bit for bit"},
        {"force", 0, OPTION_FLAG, &o->force, NULL, "replace an earlier run in the folder"},
        {"render", 0, OPTION_TEXT, &o->render, "FILE", "draw every frame as soon as it is there: x.mp4 or x_%06d.png"},
        {"final", 0, OPTION_FLAG, &o->final, NULL, "with --render: path traced pictures"},
        {"quiet", 'q', OPTION_FLAG, &o->quiet, NULL, "show only warnings and errors"},
    };
    const Syntax syntax = {.command = "run",
                           .arguments = "SCENE.json",
                           .about = "Simulates a scene and writes a run folder with frames, tables and checkpoints.\n"
                                    "With --resume a run folder may stand for its scene.",
                           .options = options,
                           .option_count = sizeof options / sizeof *options,
                           .arguments_min = 1,
                           .arguments_max = 1};
    size_t count;
    int status = options_parse(&syntax, argc, argv, &o->scene, &count);
    if (status >= 0)
        return status;
    if (o->resume && o->from)
        return complain(STATUS_USAGE, "run: --from begins a new run; --resume RUN goes on with it without saying --from again");
    if (o->resume && o->force)
        return complain(STATUS_USAGE, "run: --resume goes on with a run, --force replaces it: choose one");
    if (o->until < 0 || o->until > 1e9)
        return complain(STATUS_USAGE, "run: --until needs a time from 0 to 1e9 s, not %g", o->until);
    if (o->threads != NO_THREADS && (o->threads < 0 || o->threads > POOL_MOST))
        return complain(STATUS_USAGE, "run: --threads needs a number from 0 to %d, not %d", POOL_MOST, o->threads);
    status = estimate_limit("run", o->memory, &o->memory_limit);
    return status < 0 ? check_render(o) : status;
}

static bool is_folder(const char* path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

// Where the scene is and where the run goes.
static int choose_paths(RunOptions* o)
{
    size_t length = strlen(o->scene);
    if (length >= PATH_SIZE - 64)
        return complain(STATUS_USAGE, "%.60s...: the path is too long", o->scene);
    snprintf(o->scene_path, sizeof o->scene_path, "%s", o->scene);
    if (o->resume && is_folder(o->scene)) {
        snprintf(o->scene_path, sizeof o->scene_path, "%.900s/%s", o->scene, RUN_SCENE);
        snprintf(o->out_path, sizeof o->out_path, "%s", o->out ? o->out : o->scene);
    } else if (o->out) {
        if (snprintf(o->out_path, sizeof o->out_path, "%s", o->out) >= PATH_SIZE - 64)
            return complain(STATUS_USAGE, "%.60s...: the path is too long", o->out);
    } else {
        const char* slash = strrchr(o->scene, '/');
        const char* name = slash ? slash + 1 : o->scene;
        const char* dot = strrchr(name, '.');
        snprintf(o->out_path, sizeof o->out_path, "%.*s.run", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
    }
    for (size_t n = strlen(o->out_path); n > 1 && o->out_path[n - 1] == '/'; n--)
        o->out_path[n - 1] = 0;
    return -1;
}

// --- time

static double computing_seconds(const Run* run)
{
    return run->seconds + clock_seconds() - run->began;
}

static double frame_time(const Run* run, int64_t frame)
{
    return (double)frame / run->scene->frame_rate;
}

// Steps per second of this sitting, and what is left at the pace of simulated time so far.
static void pace(const Run* run, double* steps_per_second, double* seconds_left)
{
    double elapsed = clock_seconds() - run->began, time = mn_world_time(run->world);
    double done = time - run->first_time;
    *steps_per_second = elapsed > 0 ? (double)run->calls / elapsed : 0;
    *seconds_left = done > 0 ? elapsed * (run->end - time) / done : HUGE_VAL;
}

static void draw_bar(Run* run)
{
    char text[256], left[32], particles[32];
    double rate, seconds_left, time = mn_world_time(run->world);
    pace(run, &rate, &seconds_left);
    snprintf(text, sizeof text, "%.4g/%.4g s  %s particles  %.3g steps/s  %s left", time, run->end,
             text_count(mn_world_particles(run->world).count, particles), rate, text_seconds(seconds_left, left));
    talk_bar(&run->talk, run->end > 0 ? time / run->end : 1, text);
}

// At the first leak, and whenever there are twice as many as when it was last said: whoever watches can stop a run that is lost.
static void warn_of_leaks(Run* run, const mn_Stats* s)
{
    if (s->leaked_particles < 2 * run->leaked || s->leaked_particles == 0)
        return;
    talk_warn(&run->talk, "t %.6g s: particles on the wrong side of a solid: %llu%s", s->time,
              (unsigned long long)s->leaked_particles,
              run->scene->world.solver.time_step > 0 ? "; a shorter solver.time_step, or auto, keeps them in" : "");
    run->leaked = s->leaked_particles;
}

// Where the run is, in one line: after each frame, and within frames that take long.
static void say_progress(Run* run, const char* place)
{
    char line[256], left[32];
    double rate, seconds_left;
    pace(run, &rate, &seconds_left);
    mn_Stats s = mn_world_stats(run->world);
    warn_of_leaks(run, &s);
    snprintf(line, sizeof line, "%s  particles %llu  steps %llu  dt %.3g ms  density error %.3g %%  %.3g steps/s  left %s", place,
             (unsigned long long)s.fluid_particles, (unsigned long long)s.steps, s.dt * 1e3, s.density_error_mean * 100, rate,
             text_seconds(seconds_left, left));
    run->told = clock_seconds();
    if (run->talk.terminal && !run->talk.quiet) {
        run_writer_log(&run->writer, line);
        draw_bar(run);
    } else {
        talk_say(&run->talk, "%s", line);
    }
}

static bool keep_going(void* user)
{
    Run* run = user;
    run->calls++;
    bool bar = run->talk.terminal && !run->talk.quiet;
    double silent = clock_seconds() - run->told;
    if (bar && silent > bar_seconds) {
        draw_bar(run);
        run->told = clock_seconds();
    } else if (!bar && silent > line_seconds) {
        char place[64];
        snprintf(place, sizeof place, "t %.6g s", mn_world_time(run->world));
        say_progress(run, place);
    }
    return !signals;
}

// --- the run

static void say_frame(Run* run)
{
    char place[96];
    snprintf(place, sizeof place, "frame %lld/%lld  t %.6g s", (long long)run->writer.progress.frame, (long long)run->last_frame,
             frame_time(run, run->writer.progress.frame));
    say_progress(run, place);
}

static mn_Result write_frame(Run* run)
{
    mn_Result result = run_writer_frame(&run->writer, run->world, computing_seconds(run), &run->error);
    if (result != MN_OK)
        return result;
    mn_world_take_probe_samples(run->world);
    say_frame(run);
    if (run->live && (result = render_live_frame(run->live, run->writer.progress.frame, &run->error)) != MN_OK)
        return result;
    int every = run->scene->output.checkpoint_every;
    if (every > 0 && run->writer.progress.frame % every == 0 && run->writer.progress.frame < run->last_frame)
        return run_writer_checkpoint(&run->writer, run->world, computing_seconds(run), &run->error);
    return MN_OK;
}

static mn_Result advance(Run* run, double time)
{
    // frame 0 comes first, whatever happens: a checkpoint is of a run that has begun
    if (mn_world_time(run->world) >= time)
        return MN_OK;
    if (signals)
        return MN_INTERRUPTED;
    return mn_world_advance(run->world, time, keep_going, run, &run->error);
}

// Frame 0 is in the folder already when a run begins.
static mn_Result open_live(Run* run)
{
    const RunOptions* o = run->options;
    if (!o->render)
        return MN_OK;
    int threads = o->threads != NO_THREADS ? o->threads : run->scene->world.threads;
    run->live = render_live_open(o->render, o->final, threads, run->scene, run->world, &run->error);
    if (!run->live)
        return run->error.result;
    return o->resume ? MN_OK : render_live_frame(run->live, 0, &run->error);
}

static mn_Result simulate(Run* run)
{
    mn_Result opened = open_live(run);
    if (opened != MN_OK)
        return opened;
    while (run->writer.progress.frame < run->last_frame) {
        mn_Result result = advance(run, frame_time(run, run->writer.progress.frame + 1));
        if (result == MN_OK)
            result = write_frame(run);
        if (result != MN_OK)
            return result;
    }
    mn_Result result = advance(run, run->end);
    if (result == MN_OK)
        result = run_writer_samples(&run->writer, run->world, &run->error);
    return result == MN_OK ? run_writer_checkpoint(&run->writer, run->world, computing_seconds(run), &run->error) : result;
}

// --- beginning and end

static mn_Result load(Run* run)
{
    const RunOptions* o = run->options;
    run->scene = mn_scene_load(o->scene_path, o->sets.item, o->sets.count, &run->error);
    if (!run->scene)
        return run->error.result;
    RunFrom from = {.from = o->from, .out = o->out_path};
    if (o->from && run_from_apply(run->scene, &from, &run->error) != MN_OK)
        return run->error.result;
    if (o->from)
        talk_say(&run->talk, "%s", from.said);
    run->end = isnan(o->until) ? run->scene->duration : o->until;
    // the folder's scene ends where the run does; but a scene cannot be without duration
    if (run->end > 0)
        run->scene->duration = run->end;
    // a frame that falls on the end but for rounding belongs to the run
    run->last_frame = (int64_t)floor(run->end * run->scene->frame_rate + 1e-6);
    return MN_OK;
}

static mn_Result build(Run* run)
{
    mn_WorldDef* def = &run->scene->world;
    int threads = def->threads;
    if (run->options->threads != NO_THREADS)
        def->threads = run->options->threads > 0 ? run->options->threads : MN_AUTO;
    def->log = talk_log;
    def->log_user = &run->talk;
    def->read_particles = run_from_read;
    run->world = mn_scene_build(run->scene, &run->error);
    def->threads = threads; // the scene that is written down stays as it was
    return run->world ? MN_OK : run->error.result;
}

// What stands in the way is better said before a large scene is built than after.
static mn_Result look_ahead(Run* run)
{
    RunPlace place = run_place(run->options->out_path);
    bool refused = place == RUN_PLACE_FOREIGN || (place != RUN_PLACE_FREE && !run->options->force);
    if (!run->options->resume && refused)
        return run_writer_refuse(place, run->options->out_path, &run->error);
    return MN_OK;
}

static mn_Result open_folder(Run* run)
{
    const RunOptions* o = run->options;
    if (!o->resume) {
        mn_Result result = run_writer_create(&run->writer, o->out_path, run->scene, run->world, o->force, &run->error);
        return result == MN_OK ? run_from_write(&run->error) : result;
    }
    return run_writer_resume(&run->writer, o->out_path, run->scene, run->world, &run->error);
}

static void begin_sitting(Run* run)
{
    run->seconds = run->writer.progress.seconds;
    run->first_time = mn_world_time(run->world);
    run->first_step = mn_world_stats(run->world).steps;
    talk_open_log(&run->talk, &run->writer);
    if (run->options->resume)
        talk_say(&run->talk, "resuming %s from t = %.6g s (frame %lld, step %llu)", run->options->out_path, run->first_time,
                 (long long)run->writer.progress.frame, (unsigned long long)run->first_step);
    else
        talk_say(&run->talk, "running %s into %s: %.6g s, %lld frames", run->options->scene_path, run->options->out_path, run->end,
                 (long long)run->last_frame + 1);
    run->began = run->told = clock_seconds();
}

static bool is_finished(const Run* run)
{
    return run->writer.progress.frame >= run->last_frame && mn_world_time(run->world) >= run->end;
}

static int end_interrupted(Run* run)
{
    mn_Result result = run_writer_checkpoint(&run->writer, run->world, computing_seconds(run), &run->error);
    if (result != MN_OK)
        return complain_error(&run->error);
    char command[2048];
    resume_command(command, sizeof command, run->options->scene_path, run->options->out_path, &run->options->sets,
                   run->options->until);
    talk_say(&run->talk, "interrupted at t = %.9g s (step %llu), checkpoint written; continue with", mn_world_time(run->world),
             (unsigned long long)mn_world_stats(run->world).steps);
    talk_say(&run->talk, "  %s", command);
    // also for those who asked for quiet: what to do next is not chatter
    if (run->talk.quiet)
        fprintf(stderr, "meniscus: interrupted; continue with: %s\n", command);
    return STATUS_INTERRUPTED;
}

static int end_failed(Run* run, mn_Result result)
{
    char text[1024];
    mn_error_text(&run->error, text, sizeof text);
    talk_end(&run->talk);
    run_writer_log(&run->writer, text);
    complain(status_of(result), "%s", text);
    if (!access(run->writer.checkpoint, R_OK))
        complain(0, "what was complete is kept; the last checkpoint is %s", run->writer.checkpoint);
    return status_of(result);
}

static int end_run(Run* run, mn_Result result)
{
    if (result == MN_INTERRUPTED)
        return end_interrupted(run);
    if (result != MN_OK)
        return end_failed(run, result);
    mn_Stats stats = mn_world_stats(run->world);
    say_summary(&run->talk, run->world, &stats, run->first_step, clock_seconds() - run->began, computing_seconds(run));
    return STATUS_DONE;
}

static int go(Run* run)
{
    building = true;
    mn_Result result = load(run);
    if (result == MN_OK)
        result = look_ahead(run);
    int refused = result == MN_OK ? estimate_refuse(run->scene, run->options->memory_limit) : -1;
    if (refused >= 0)
        return refused;
    if (result == MN_OK)
        result = build(run);
    building = false;
    if (result != MN_OK)
        return complain_error(&run->error);
    result = open_folder(run);
    if (result != MN_OK) {
        int status = complain_error(&run->error);
        run_writer_close(&run->writer, NULL);
        return status;
    }
    begin_sitting(run);
    int status = STATUS_DONE;
    if (is_finished(run))
        talk_say(&run->talk, "the run is already complete up to t = %.6g s; --until SECONDS makes it longer", run->end);
    else
        status = end_run(run, simulate(run));
    result = render_live_close(run->live, &run->error);
    if (result != MN_OK && status == STATUS_DONE)
        status = complain_error(&run->error);
    talk_open_log(&run->talk, NULL);
    result = run_writer_close(&run->writer, &run->error);
    return result != MN_OK && status == STATUS_DONE ? complain_error(&run->error) : status;
}

int command_run(int argc, char** argv)
{
    RunOptions options = {.until = (double)NAN, .threads = NO_THREADS};
    int status = parse(&options, argc, argv);
    if (status < 0)
        status = choose_paths(&options);
    if (status < 0) {
        catch_signals();
        Run run = {.options = &options, .talk = talk_begin(options.quiet)};
        status = go(&run);
        talk_end(&run.talk);
        mn_world_destroy(run.world);
        mn_scene_free(run.scene);
        run_from_free();
    }
    text_list_free(&options.sets);
    return status;
}
