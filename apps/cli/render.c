// SPDX-License-Identifier: MIT
// meniscus render RUN|SCENE -o x.png|x.mp4: pictures and films, drawn off screen.
#include "base/clock.h"
#include "base/error.h"
#include "cli.h"
#include "render_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// What the command line says, as it was written.
typedef struct RenderOptions {
    const char *out, *frames, *size, *style, *colour, *range, *camera, *clip, *background, *title, *sky, *foam_pass, *foam;
    int frame;
    double fov, fps, exposure, aperture;
    bool boundary, no_bar, no_time, no_title, no_ground, no_foam, quiet;
    TextList sets, finishes;
    const char* quality;
} RenderOptions;

typedef struct RenderCommand {
    RenderOptions options;
    RenderJob job;
    char foam_frames[1024]; // --foam
    bool is_film;
    size_t first, last, step; // indices of frames
    size_t drawn, count;      // frames
    double started, frame_started, written;
} RenderCommand;

// --- values of options

// Reads `count` numbers separated by `separator` and nothing else.
static bool read_numbers(const char* text, char separator, double* out, int count)
{
    for (int k = 0; k < count; k++) {
        char* end;
        out[k] = strtod(text, &end);
        if (end == text || !isfinite(out[k]) || *end != (k + 1 < count ? separator : 0))
            return false;
        text = end + 1;
    }
    return true;
}

static bool ends_with(const char* text, const char* end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcasecmp(text + n - m, end);
}

static int read_size(const char* text, mn_ViewDef* view)
{
    char rest;
    if (sscanf(text, "%dx%d%c", &view->width, &view->height, &rest) != 2 || view->width < 16 || view->height < 16 ||
        view->width > 8192 || view->height > 8192)
        return complain(STATUS_USAGE, "render: --size %s: expected WIDTHxHEIGHT, 16 to 8192 each, as in 1280x720", text);
    return -1;
}

// The place of a word in a list, or -1 after a complaint.
static int read_word(const char* option, const char* text, const char* const* names, int count, const char* expected)
{
    for (int k = 0; k < count; k++)
        if (!strcmp(text, names[k]))
            return k;
    const char* nearest = nearest_word(text, names, (size_t)count);
    complain(STATUS_USAGE, "render: --%s %s: expected %s%s%s%s", option, text, expected, nearest ? "; did you mean " : "",
             nearest ? nearest : "", nearest ? "?" : "");
    return -1;
}

static int read_colour(const char* text, mn_ViewDef* view)
{
    static const char* const names[] = {"speed", "pressure", "density", "fluid"};
    int k = read_word("colour", text, names, 4, "speed, pressure, density or fluid");
    if (k < 0)
        return STATUS_USAGE;
    // the scene's range belongs to the scene's quantity
    if (view->colour != (mn_ColourBy)k)
        view->range[0] = view->range[1] = 0;
    view->colour = (mn_ColourBy)k;
    return -1;
}

static int read_style(const char* text, mn_ViewDef* view)
{
    static const char* const names[] = {"auto", "particles", "liquid", "surface"};
    int k = read_word("style", text, names, 4, "particles, liquid or surface");
    view->style = (mn_Style)k;
    return k < 0 ? STATUS_USAGE : -1;
}

static int read_sky(const char* text, mn_ViewDef* view)
{
    static const char* const names[] = {"studio", "day", "gradient"};
    int k = read_word("sky", text, names, 3, "studio, day or gradient");
    view->environment.sky = (mn_Sky)k;
    return k < 0 ? STATUS_USAGE : -1;
}

static int read_foam_pass(const char* text, RenderJob* job)
{
    int k = read_word("foam-pass", text, foam_pass_names, FOAM_PASSES,
                      "composition, depth, normal, thickness, intensity, shadow or irradiance");
    job->foam_pass = (FoamPass)k;
    return k < 0 ? STATUS_USAGE : -1;
}

static int read_camera(const char* text, mn_ViewDef* view)
{
    char eye[128];
    size_t length = strcspn(text, ":");
    double e[3], t[3];
    snprintf(eye, sizeof eye, "%.*s", (int)(length < sizeof eye ? length : sizeof eye - 1), text);
    if (text[length] != ':' || !read_numbers(eye, ',', e, 3) || !read_numbers(text + length + 1, ',', t, 3))
        return complain(STATUS_USAGE, "render: --camera %s: expected eye:target in metres, as in 2,1,3:0,0.5,0", text);
    view->has_camera = true;
    view->eye = vec3d(e[0], e[1], e[2]);
    view->target = vec3d(t[0], t[1], t[2]);
    if (vec3d_distance(view->eye, view->target) == 0)
        return complain(STATUS_USAGE, "render: --camera %s: eye and target are the same point", text);
    return -1;
}

static int read_clip(const char* text, mn_ViewDef* view)
{
    view->has_clip = strcmp(text, "none") != 0;
    if (!view->has_clip)
        return -1;
    if (text[0] < 'x' || text[0] > 'z' || text[1] != ':' || !read_numbers(text + 2, 0, &view->clip_position, 1))
        return complain(STATUS_USAGE, "render: --clip %s: expected axis:position in metres, as in z:0.25, or none", text);
    view->clip_axis = (mn_Axis)(text[0] - 'x');
    return -1;
}

// The scene's view with what the command line changes.
static int read_view(RenderCommand* command)
{
    const RenderOptions* o = &command->options;
    mn_ViewDef* view = &command->job.view;
    int status = -1;
    if (o->size && (status = read_size(o->size, view)) >= 0)
        return status;
    if (o->colour && (status = read_colour(o->colour, view)) >= 0)
        return status;
    if (o->camera && (status = read_camera(o->camera, view)) >= 0)
        return status;
    if (o->clip && (status = read_clip(o->clip, view)) >= 0)
        return status;
    if (o->style && (status = read_style(o->style, view)) >= 0)
        return status;
    if (o->sky && (status = read_sky(o->sky, view)) >= 0)
        return status;
    if (o->foam_pass && (status = read_foam_pass(o->foam_pass, &command->job)) >= 0)
        return status;
    view->has_foam = view->has_foam && !o->no_foam;
    double c[3];
    if (o->background &&
        (!read_numbers(o->background, ',', c, 3) || fmin(fmin(c[0], c[1]), c[2]) < 0 || fmax(fmax(c[0], c[1]), c[2]) > 1))
        return complain(STATUS_USAGE, "render: --background %s: expected R,G,B, each 0 to 1", o->background);
    if (o->background)
        view->background = vec3d(c[0], c[1], c[2]);
    if (o->range && (!read_numbers(o->range, ':', view->range, 2) || view->range[0] >= view->range[1]))
        return complain(STATUS_USAGE, "render: --range %s: expected low:high with low < high, as in 0:2.5", o->range);
    if (!isnan(o->fov) && (o->fov < 1 || o->fov > 150))
        return complain(STATUS_USAGE, "render: --fov %g: expected 1 to 150 degrees", o->fov);
    if (!isnan(o->fov))
        view->field_of_view = o->fov;
    view->colour_bar = view->colour_bar && !o->no_bar;
    view->time_stamp = view->time_stamp && !o->no_time;
    view->boundary = view->boundary || o->boundary;
    view->has_ground = view->has_ground && !o->no_ground;
    if (!isnan(o->exposure))
        view->exposure = o->exposure;
    if (!isnan(o->aperture))
        view->aperture = o->aperture;
    static char nothing[] = "";
    view->title = o->no_title ? nothing : o->title ? (char*)o->title : view->title;
    // x264 wants even sizes
    if (command->is_film) {
        view->width += view->width % 2;
        view->height += view->height % 2;
    }
    return -1;
}

// --- which frames

static int number_of(const RenderCommand* command, size_t index)
{
    const RenderJob* job = &command->job;
    return job->subject.is_run ? job->subject.run.frame_number[index] : 0;
}

// Index of a frame's number; -1 is the last one, -2 the one before.
static int find_frame(const RenderCommand* command, int number, size_t* index)
{
    size_t count = command->job.subject.frame_count;
    if (number < 0 && (size_t)-number <= count) {
        *index = count - (size_t)-number;
        return -1;
    }
    for (size_t k = 0; k < count; k++)
        if (number_of(command, k) == number) {
            *index = k;
            return -1;
        }
    return complain(STATUS_USAGE, "render: there is no frame %d; the run has frames %d to %d", number, number_of(command, 0),
                    number_of(command, count - 1));
}

static int read_frames(RenderCommand* command)
{
    const RenderOptions* o = &command->options;
    size_t count = command->job.subject.frame_count;
    int from, to, step = 1, status;
    char rest;
    command->first = command->is_film || strchr(o->out, '%') ? 0 : count - 1;
    command->last = count - 1;
    command->step = 1;
    if (o->frames) {
        int fields = sscanf(o->frames, "%d:%d:%d%c", &from, &to, &step, &rest);
        bool tidy = fields == 3 || (fields == 2 && sscanf(o->frames, "%d:%d%c", &from, &to, &rest) == 2);
        if (!tidy || step < 1)
            return complain(STATUS_USAGE, "render: --frames %s: expected FIRST:LAST or FIRST:LAST:STEP, as in 0:100:2", o->frames);
        if ((status = find_frame(command, from, &command->first)) >= 0 || (status = find_frame(command, to, &command->last)) >= 0)
            return status;
        if (command->last < command->first)
            return complain(STATUS_USAGE, "render: --frames %s: the last frame comes before the first", o->frames);
        command->step = (size_t)step;
    } else if (o->frame != INT32_MIN) {
        if ((status = find_frame(command, o->frame, &command->first)) >= 0)
            return status;
        command->last = command->first;
    }
    if (!command->is_film && !strchr(o->out, '%') && command->last > command->first)
        return complain(STATUS_USAGE, "render: several frames need a number in the file name, as in -o frame_%%06d.png");
    return -1;
}

// --- drawing

static void show_progress(RenderCommand* c)
{
    if (c->options.quiet || c->count < 2)
        return;
    double passed = clock_seconds() - c->started, rate = passed > 0 ? (double)c->drawn / passed : 0;
    char left[32];
    text_seconds(rate > 0 ? (double)(c->count - c->drawn) / rate : 0, left);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rrender: frame %zu of %zu, %.2g per second, %s left        %s", c->drawn, c->count, rate, left,
                c->drawn == c->count ? "\n" : "");
    else if (c->drawn == c->count || c->drawn * 10 / c->count != (c->drawn - 1) * 10 / c->count)
        fprintf(stderr, "render: frame %zu of %zu, %.2g per second\n", c->drawn, c->count, rate);
}

static mn_Result write_picture(RenderCommand* c, mn_Error* error)
{
    char name[4096];
    if (!picture_name(name, sizeof name, c->options.out, c->job.subject.frame_number))
        return error_set(error, MN_BAD_INPUT, "-o %s: only %%d or %%06d may stand in the file name, once", c->options.out);
    return picture_write_png(&c->job.picture, name, error);
}

// A final picture gets better round by round: the file of a still shows how far it is, every ten seconds.
static bool on_samples(void* user, int samples, Picture* picture)
{
    RenderCommand* c = user;
    double now = clock_seconds();
    int of = c->job.final.samples;
    if (samples < of && c->count == 1 && now - c->written > 10) {
        mn_Error ignored = {0}; // what cannot be written now cannot be written at the end, and is reported there
        render_job_caption(&c->job, picture);
        write_picture(c, &ignored);
        c->written = now;
    }
    if (c->options.quiet)
        return true;
    double passed = now - c->frame_started, left = passed / samples * (of - samples);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rrender: frame %zu of %zu, %d of %d samples, %.0f s left        %s", c->drawn + 1, c->count, samples, of,
                left, samples == of && c->count == 1 ? "\n" : "");
    else if (samples == of && c->count == 1)
        fprintf(stderr, "render: %d samples per pixel in %.1f s\n", samples, passed);
    return true;
}

static mn_Result draw_frames(RenderCommand* c, mn_Error* error)
{
    RenderJob* job = &c->job;
    Film* film = NULL;
    if (c->is_film) {
        double rate = !isnan(c->options.fps) ? c->options.fps : film_rate(job->subject.scene->frame_rate / (double)c->step);
        film = film_open(c->options.out, job->picture.width, job->picture.height, rate, error);
        if (!film)
            return error->result;
    }
    c->count = (c->last - c->first) / c->step + 1;
    c->started = c->written = clock_seconds();
    mn_Result result = MN_OK;
    while (c->drawn < c->count && result == MN_OK) {
        c->frame_started = clock_seconds();
        result = subject_load(&job->subject, c->first + c->drawn * c->step, error);
        if (result == MN_OK)
            result = render_job_draw(job, error);
        if (result == MN_OK)
            result = film ? film_add(film, &job->picture, error) : write_picture(c, error);
        if (result == MN_OK) {
            c->drawn++;
            show_progress(c);
        }
    }
    if (film && result == MN_OK)
        return film_close(film, error);
    film_abandon(film);
    return result;
}

// --- the command

// --set of the scene's keys and --finish, which is a short way of saying one of them.
static int open_subject(RenderCommand* c, const char* source)
{
    enum { LENGTH = 256 };
    const RenderOptions* o = &c->options;
    size_t sets = o->sets.count, all = sets + o->finishes.count;
    const char** set = calloc(all + 1, sizeof *set);
    char(*text)[LENGTH] = calloc(o->finishes.count + 1, sizeof *text);
    int status = set && text ? -1 : complain(STATUS_IO, "render: no memory");
    for (size_t k = 0; status < 0 && k < all; k++) {
        const char *finish = k < sets ? NULL : o->finishes.item[k - sets], *equals = finish ? strchr(finish, '=') : NULL;
        if (finish && (!equals || equals == finish || strlen(finish) > LENGTH - 16))
            status = complain(STATUS_USAGE, "render: --finish %.100s: expected SOLID=FINISH, as in cup=glass", finish);
        else if (finish)
            snprintf(text[k - sets], LENGTH, "solids.%.*s.finish=%s", (int)(equals - finish), finish, equals + 1);
        set[k] = finish ? text[k - sets] : o->sets.item[k];
    }
    mn_Error error = {0};
    if (status < 0 && subject_open(&c->job.subject, source, set, all, &error) != MN_OK)
        status = complain_error(&error);
    free(set);
    free(text);
    return status;
}

static int prepare(RenderCommand* c, const char* source)
{
    mn_Error error = {0};
    const RenderOptions* o = &c->options;
    RenderJob* job = &c->job;
    int opened = open_subject(c, source);
    if (opened >= 0)
        return opened;
    if (job->subject.warning[0])
        complain(0, "render: %s", job->subject.warning);
    job->view = job->subject.scene->view;
    if (o->foam && snprintf(c->foam_frames, sizeof c->foam_frames, "%s/frames", o->foam) < (int)sizeof c->foam_frames)
        job->subject.foam_folder = c->foam_frames;
    int status = read_view(c);
    if (status < 0)
        status = read_frames(c);
    if (status >= 0)
        return status;
    mn_Result result = job->view.boundary ? subject_show_boundary(&job->subject, &error) : MN_OK;
    if (result == MN_OK)
        result = render_job_prepare(job, &error);
    return result == MN_OK ? -1 : complain_error(&error);
}

static int check_options(RenderCommand* c)
{
    const RenderOptions* o = &c->options;
    const RenderJob* job = &c->job;
    char name[4096];
    if (!o->out)
        return complain(STATUS_USAGE, "render: where to? Say -o picture.png or -o film.mp4");
    c->is_film = ends_with(o->out, ".mp4");
    if (!c->is_film && !ends_with(o->out, ".png"))
        return complain(STATUS_USAGE, "render: -o %s: expected a name that ends in .png or .mp4", o->out);
    if (c->is_film && strchr(o->out, '%'))
        return complain(STATUS_USAGE, "render: -o %s: a film is one file; no %% in its name", o->out);
    if (!picture_name(name, sizeof name, o->out, 0))
        return complain(STATUS_USAGE, "render: -o %s: only %%d or %%06d may stand in the file name, once", o->out);
    if (o->frame != INT32_MIN && o->frames)
        return complain(STATUS_USAGE, "render: say --frame or --frames, not both");
    if (job->threads < 0 || job->threads > POOL_MOST)
        return complain(STATUS_USAGE, "render: --threads %d: expected 0 (all cores) to %d", job->threads, POOL_MOST);
    if (job->samples < 1 || job->samples > 4)
        return complain(STATUS_USAGE, "render: --samples %d: expected 1 to 4", job->samples);
    if (strcmp(o->quality, "fast") && strcmp(o->quality, "final"))
        return complain(STATUS_USAGE, "render: --quality %s: expected fast or final", o->quality);
    if (job->final.samples < 1 || job->final.samples > 65536)
        return complain(STATUS_USAGE, "render: --spp %d: expected 1 to 65536", job->final.samples);
    if (o->exposure <= 0)
        return complain(STATUS_USAGE, "render: --exposure %g: expected a number above 0", o->exposure);
    if (o->aperture < 0)
        return complain(STATUS_USAGE, "render: --aperture %g: expected 0 or more [m]", o->aperture);
    if (!(job->final.spacing >= 0.25 && job->final.spacing <= 2))
        return complain(STATUS_USAGE, "render: --spacing %g: expected 0.25 to 2 particle radii", job->final.spacing);
    if (job->final.smoothing < 0 || job->final.smoothing > 1000)
        return complain(STATUS_USAGE, "render: --smoothing %d: expected 0 to 1000 rounds", job->final.smoothing);
    if (o->fps <= 0 || o->fps > 1000)
        return complain(STATUS_USAGE, "render: --fps %g: expected above 0, at most 1000", o->fps);
    return -1;
}

static int run_command(RenderCommand* c, const char* source)
{
    int status = check_options(c);
    c->job.is_final = c->options.quality && !strcmp(c->options.quality, "final");
    if (status < 0)
        status = prepare(c, source);
    if (status >= 0)
        return status;
    mn_Error error = {0};
    if (draw_frames(c, &error) != MN_OK)
        return complain_error(&error);
    return STATUS_DONE;
}

int command_render(int argc, char** argv)
{
    RenderCommand* command = calloc(1, sizeof *command);
    if (!command)
        return complain(STATUS_IO, "render: no memory");
    RenderOptions* o = &command->options;
    RenderJob* job = &command->job;
    o->frame = INT32_MIN;
    o->quality = "fast";
    o->fov = o->fps = o->exposure = o->aperture = (double)NAN; // as the scene says
    job->samples = 2;
    job->final = final_default_options();
    job->progress = on_samples;
    job->user = command;
    job->subject.frame_index = SIZE_MAX;
    const Option options[] = {
        {"out", 'o', OPTION_TEXT, &o->out, "FILE", "x.png (one frame), x_%06d.png (all frames) or x.mp4"},
        {"frame", 0, OPTION_INTEGER, &o->frame, "N", "number of the frame; -1 is the last one, which is the default of a .png"},
        {"frames", 0, OPTION_TEXT, &o->frames, "A:B[:STEP]", "numbers of the first and last frame, and every how many"},
        {"size", 0, OPTION_TEXT, &o->size, "WxH", "pixels, as in 1920x1080"},
        {"style", 0, OPTION_TEXT, &o->style, "STYLE", "particles, liquid (clear) or surface (coloured)"},
        {"colour", 0, OPTION_TEXT, &o->colour, "BY", "speed, pressure, density or fluid"},
        {"color", 0, OPTION_TEXT, &o->colour, "BY", "the same"},
        {"range", 0, OPTION_TEXT, &o->range, "LOW:HIGH", "ends of the colour scale"},
        {"camera", 0, OPTION_TEXT, &o->camera, "EYE:TARGET", "two points, as in 2,1,3:0,0.5,0"},
        {"fov", 0, OPTION_NUMBER, &o->fov, "DEGREES", "vertical field of view"},
        {"fps", 0, OPTION_NUMBER, &o->fps, "RATE", "frames per second of a film; otherwise real time, at most 60"},
        {"clip", 0, OPTION_TEXT, &o->clip, "AXIS:POS", "cut the scene open at this plane, as in z:0.25"},
        {"boundary", 0, OPTION_FLAG, &o->boundary, NULL, "show the boundary particles too"},
        {"background", 0, OPTION_TEXT, &o->background, "R,G,B", "0 to 1 each"},
        {"title", 0, OPTION_TEXT, &o->title, "TEXT", "instead of the scene's name"},
        {"no-bar", 0, OPTION_FLAG, &o->no_bar, NULL, "no colour bar"},
        {"no-time", 0, OPTION_FLAG, &o->no_time, NULL, "no time stamp"},
        {"no-title", 0, OPTION_FLAG, &o->no_title, NULL, "no name"},
        {"no-ground", 0, OPTION_FLAG, &o->no_ground, NULL, "no ground below the scene"},
        {"finish", 0, OPTION_LIST, &o->finishes, "SOLID=FINISH", "show a solid as solid, glass, wire or hidden; may be repeated"},
        {"foam", 0, OPTION_TEXT, &o->foam, "DIR", "frames of foam that `meniscus foam -o` made elsewhere: DIR/frames"},
        {"no-foam", 0, OPTION_FLAG, &o->no_foam, NULL, "no spray, foam and bubbles"},
        {"foam-pass", 0, OPTION_TEXT, &o->foam_pass, "PASS",
         "depth, normal, thickness, intensity, shadow or irradiance of foam instead"},
        {"samples", 0, OPTION_INTEGER, &job->samples, "N", "samples per pixel and direction, 1 to 4 (2)"},
        {"quality", 0, OPTION_TEXT, &o->quality, "Q", "fast: in a second; final: path traced (fast)"},
        {"spp", 0, OPTION_INTEGER, &job->final.samples, "N", "final: samples per pixel (64)"},
        {"grain", 0, OPTION_FLAG, &job->final.grain, NULL, "final: as it was sampled, without the filter that takes the grain out"},
        {"sky", 0, OPTION_TEXT, &o->sky, "SKY", "studio, day or gradient"},
        {"exposure", 0, OPTION_NUMBER, &o->exposure, "X", "final: brightness (0.8)"},
        {"aperture", 0, OPTION_NUMBER, &o->aperture, "M", "final: radius of the lens in m; 0 = all is sharp (0)"},
        {"motion-blur", 0, OPTION_FLAG, &job->final.motion_blur, NULL, "final: what moves is blurred, for half a frame"},
        {"spacing", 0, OPTION_NUMBER, &job->final.spacing, "S", "final: grid of the surface, in particle radii (1)"},
        {"smoothing", 0, OPTION_INTEGER, &job->final.smoothing, "N", "final: rounds of smoothing of the surface (20)"},
        {"anisotropic", 0, OPTION_FLAG, &job->final.anisotropic, NULL, "final: the surface by anisotropic kernels"},
        {"set", 0, OPTION_LIST, &o->sets, "KEY=VALUE", "change a key of the scene, or of a run's view; may be repeated"},
        {"threads", 0, OPTION_INTEGER, &job->threads, "N", "0 = all cores; the picture is the same"},
        {"quiet", 'q', OPTION_FLAG, &o->quiet, NULL, "no progress"},
    };
    const Syntax syntax = {"render",
                           "RUN|SCENE.json",
                           "Draws frames of a run folder, or a scene as it starts, to the file that -o names.",
                           options,
                           sizeof options / sizeof *options,
                           1,
                           1};
    const char* argument[1];
    size_t arguments;
    int status = options_parse(&syntax, argc, argv, argument, &arguments);
    if (status < 0)
        status = run_command(command, argument[0]);
    render_job_free(job);
    subject_close(&job->subject);
    text_list_free(&o->sets);
    text_list_free(&o->finishes);
    free(command);
    return status;
}
