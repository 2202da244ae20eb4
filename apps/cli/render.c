// SPDX-License-Identifier: MIT
// meniscus render RUN|SCENE -o x.png|x.mp4: pictures and films, drawn off screen.
#include "base/error.h"
#include "cli.h"
#include "render/film.h"
#include "render/subject.h"
#include "render/survey.h"
#include "render_final.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

// What the command line says, as it was written.
typedef struct RenderOptions {
    const char *out, *frames, *size, *colour, *range, *camera, *clip, *background, *title;
    int frame, threads, samples;
    double fov, fps;
    bool boundary, no_bar, no_time, no_title, no_ground, quiet;
    TextList sets;
    const char* quality;
    FinalOptions final; // of quality final
} RenderOptions;

typedef struct RenderJob {
    RenderOptions options;
    Subject subject;
    Survey survey;
    mn_ViewDef view;
    CutAway cut;
    bool is_film;
    size_t first, last, step; // indices of frames
    ColourMap map;
    Renderer* renderer;
    Picture picture;
    Pool* pool; // quality final
    double started;
} RenderJob;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

static int read_colour(const char* text, mn_ViewDef* view)
{
    static const char* const names[] = {"speed", "pressure", "density", "fluid"};
    for (int k = 0; k < 4; k++)
        if (!strcmp(text, names[k])) {
            // the scene's range belongs to the scene's quantity
            if (view->colour != (mn_ColourBy)k)
                view->range[0] = view->range[1] = 0;
            view->colour = (mn_ColourBy)k;
            return -1;
        }
    const char* nearest = nearest_word(text, names, 4);
    return complain(STATUS_USAGE, "render: --colour %s: expected speed, pressure, density or fluid%s%s%s", text,
                    nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
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

static int read_clip(const char* text, CutAway* cut)
{
    if (text[0] < 'x' || text[0] > 'z' || text[1] != ':' || !read_numbers(text + 2, 0, &cut->position, 1))
        return complain(STATUS_USAGE, "render: --clip %s: expected axis:position in metres, as in z:0.25", text);
    cut->on = true;
    cut->axis = text[0] - 'x';
    return -1;
}

// The scene's view with what the command line changes.
static int read_view(RenderJob* job)
{
    const RenderOptions* o = &job->options;
    mn_ViewDef* view = &job->view;
    int status = -1;
    if (o->size && (status = read_size(o->size, view)) >= 0)
        return status;
    if (o->colour && (status = read_colour(o->colour, view)) >= 0)
        return status;
    if (o->camera && (status = read_camera(o->camera, view)) >= 0)
        return status;
    if (o->clip && (status = read_clip(o->clip, &job->cut)) >= 0)
        return status;
    double c[3];
    if (o->background &&
        (!read_numbers(o->background, ',', c, 3) || fmin(fmin(c[0], c[1]), c[2]) < 0 || fmax(fmax(c[0], c[1]), c[2]) > 1))
        return complain(STATUS_USAGE, "render: --background %s: expected R,G,B, each 0 to 1", o->background);
    if (o->background)
        view->background = vec3d(c[0], c[1], c[2]);
    if (o->range && (!read_numbers(o->range, ':', view->range, 2) || view->range[0] >= view->range[1]))
        return complain(STATUS_USAGE, "render: --range %s: expected low:high with low < high, as in 0:2.5", o->range);
    if (o->fov > 0 && (o->fov < 1 || o->fov > 150))
        return complain(STATUS_USAGE, "render: --fov %g: expected 1 to 150 degrees", o->fov);
    if (o->fov > 0)
        view->field_of_view = o->fov;
    view->colour_bar = view->colour_bar && !o->no_bar;
    view->time_stamp = view->time_stamp && !o->no_time;
    // x264 wants even sizes
    if (job->is_film) {
        view->width += view->width % 2;
        view->height += view->height % 2;
    }
    return -1;
}

// --- which frames

static int number_of(const RenderJob* job, size_t index)
{
    return job->subject.is_run ? job->subject.run.frame_number[index] : 0;
}

// Index of a frame's number; -1 is the last one, -2 the one before.
static int find_frame(const RenderJob* job, int number, size_t* index)
{
    size_t count = job->subject.frame_count;
    if (number < 0 && (size_t)-number <= count) {
        *index = count - (size_t)-number;
        return -1;
    }
    for (size_t k = 0; k < count; k++)
        if (number_of(job, k) == number) {
            *index = k;
            return -1;
        }
    return complain(STATUS_USAGE, "render: there is no frame %d; the run has frames %d to %d", number, number_of(job, 0),
                    number_of(job, count - 1));
}

static int read_frames(RenderJob* job)
{
    const RenderOptions* o = &job->options;
    size_t count = job->subject.frame_count;
    int from, to, step = 1, status;
    char rest;
    job->first = job->is_film || strchr(o->out, '%') ? 0 : count - 1;
    job->last = count - 1;
    job->step = 1;
    if (o->frames) {
        int fields = sscanf(o->frames, "%d:%d:%d%c", &from, &to, &step, &rest);
        bool tidy = fields == 3 || (fields == 2 && sscanf(o->frames, "%d:%d%c", &from, &to, &rest) == 2);
        if (!tidy || step < 1)
            return complain(STATUS_USAGE, "render: --frames %s: expected FIRST:LAST or FIRST:LAST:STEP, as in 0:100:2", o->frames);
        if ((status = find_frame(job, from, &job->first)) >= 0 || (status = find_frame(job, to, &job->last)) >= 0)
            return status;
        if (job->last < job->first)
            return complain(STATUS_USAGE, "render: --frames %s: the last frame comes before the first", o->frames);
        job->step = (size_t)step;
    } else if (o->frame != INT32_MIN) {
        if ((status = find_frame(job, o->frame, &job->first)) >= 0)
            return status;
        job->last = job->first;
    }
    if (!job->is_film && !strchr(o->out, '%') && job->last > job->first)
        return complain(STATUS_USAGE, "render: several frames need a number in the file name, as in -o frame_%%06d.png");
    return -1;
}

// "%d" or "%06d" in the name becomes the number; nothing else of printf is meant. False: another use of %, or too long.
static bool picture_name(char* out, size_t size, const char* pattern, int number)
{
    const char* percent = strchr(pattern, '%');
    if (!percent)
        return snprintf(out, size, "%s", pattern) < (int)size;
    const char* p = percent + 1;
    int digits = 0;
    bool zeros = *p == '0';
    while (*p >= '0' && *p <= '9' && digits < 100)
        digits = 10 * digits + *p++ - '0';
    if (*p != 'd' || digits > 18 || (digits > 0 && !zeros) || strchr(p, '%'))
        return false;
    return snprintf(out, size, "%.*s%0*d%s", (int)(percent - pattern), pattern, digits ? digits : 1, number, p + 1) < (int)size;
}

// --- drawing

static const char* quantity_of(mn_ColourBy colour)
{
    return colour == MN_COLOUR_PRESSURE ? "pressure" : colour == MN_COLOUR_DENSITY ? "density" : "speed";
}

static const char* unit_of(mn_ColourBy colour)
{
    return colour == MN_COLOUR_PRESSURE ? "Pa" : colour == MN_COLOUR_DENSITY ? "kg/m\xc2\xb3" : "m/s";
}

static void fill_caption(const RenderJob* job, RenderInput* input, char* note, size_t note_size)
{
    const mn_Scene* scene = job->subject.scene;
    Caption* c = &input->caption;
    char count[32];
    snprintf(note, note_size, "%s particles", text_count(job->subject.frame.count, count));
    bool bar = job->view.colour != MN_COLOUR_FLUID && job->view.colour_bar;
    *c = (Caption){.title = job->options.no_title ? NULL
                            : job->options.title  ? job->options.title
                                                  : scene->name,
                   .note = job->options.no_title ? NULL : note,
                   .show_time = job->view.time_stamp,
                   .time = job->subject.frame.time,
                   .show_bar = bar,
                   .quantity = quantity_of(job->view.colour),
                   .unit = unit_of(job->view.colour),
                   .range = {input->range[0], input->range[1]},
                   .map = &job->map,
                   .background = input->background};
    for (size_t k = 0; job->view.colour == MN_COLOUR_FLUID && job->view.colour_bar && k < scene->fluid_count && k < MAX_LEGEND; k++)
        c->legend[c->legend_count++] = scene->fluids[k].name ? scene->fluids[k].name : "fluid";
}

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static double along(Vec3d v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Fluid first, then boundary particles.
static size_t fill_particles(const RenderJob* job, const float* scalar, ParticleLook look[2])
{
    const Subject* s = &job->subject;
    float radius = (float)s->scene->world.particle_radius;
    look[0] = (ParticleLook){.spheres = {s->frame.count, s->frame.position, 3, radius},
                             .paint = job->view.colour == MN_COLOUR_FLUID ? PAINT_FLUID : PAINT_SCALAR,
                             .scalar = scalar,
                             .fluid = s->frame.fluid};
    look[1] = (ParticleLook){
        .spheres = {s->boundary_count, s->boundary, 3, 0.55f * radius}, .paint = PAINT_PLAIN, .colour = {0.55f, 0.57f, 0.60f}};
    return s->boundary_count ? 2 : 1;
}

static SolidItem* solid_items(const RenderJob* job)
{
    const Subject* s = &job->subject;
    SolidItem* item = calloc(s->solid_count + 1, sizeof *item);
    Box3d f = job->survey.fluid;
    for (size_t k = 0; item && k < s->solid_count; k++)
        item[k] = (SolidItem){.model = &s->solid[k].model,
                              .pose = s->pose[s->solid[k].index],
                              .look = job->options.boundary && s->solid[k].inside ? LOOK_EDGES : survey_look(&job->survey, s, k),
                              .centre = vec3d_scale(vec3d_add(f.min, f.max), 0.5),
                              .colour = to_vec3(s->scene->solids[s->solid[k].index].colour)};
    return item;
}

static void fill_input(const RenderJob* job, RenderInput* input)
{
    const mn_Scene* scene = job->subject.scene;
    bool given = job->view.range[0] < job->view.range[1];
    const double* range = given ? job->view.range : job->survey.range;
    *input = (RenderInput){.camera = survey_camera(&job->survey, &job->subject, &job->view),
                           .box = job->survey.box,
                           .up = subject_up(&job->subject),
                           .flat = scene->world.dimension == 2,
                           .ground = vec3d_length(scene->world.gravity) > 0 && !job->options.no_ground,
                           .particle_radius = scene->world.particle_radius,
                           .solid_count = job->subject.solid_count,
                           .map = &job->map,
                           .range = {range[0], range[1]},
                           .cut = job->cut,
                           .background = to_vec3(job->view.background),
                           .samples = job->options.samples};
    input->cut.hide_above = along(input->camera.eye, input->cut.axis) > input->cut.position;
}

static mn_Result draw_frame(RenderJob* job, mn_Error* error)
{
    float* scalar = NULL;
    SolidItem* items = solid_items(job);
    mn_Result result = MN_OK;
    if (!items || !subject_scalar(&job->subject, job->view.colour, &scalar))
        result = error_set(error, MN_OUT_OF_MEMORY, "out of memory");
    if (result == MN_OK) {
        char note[64];
        ParticleLook looks[2];
        RenderInput input;
        fill_input(job, &input);
        subject_drop_front(&job->subject, input.camera.eye);
        input.particles = looks;
        input.particle_count = fill_particles(job, scalar, looks);
        input.solids = items;
        fill_caption(job, &input, note, sizeof note);
        result = render_frame(job->renderer, &input, &job->picture, error);
    }
    free(scalar);
    free(items);
    return result;
}

static bool is_final(const RenderJob* job)
{
    return !strcmp(job->options.quality, "final");
}

static mn_Result draw_final(RenderJob* job, mn_Error* error)
{
    const mn_Scene* scene = job->subject.scene;
    Camera camera = survey_camera(&job->survey, &job->subject, &job->view);
    FinalView view = {.subject = &job->subject,
                      .survey = &job->survey,
                      .camera = &camera,
                      .background = to_vec3(job->view.background),
                      .ground = vec3d_length(scene->world.gravity) > 0 && !job->options.no_ground,
                      .pool = job->pool};
    return final_draw(&job->options.final, &view, &job->picture, error);
}

static void show_progress(const RenderJob* job, size_t done, size_t count)
{
    if (job->options.quiet || count < 2)
        return;
    double passed = seconds() - job->started, rate = passed > 0 ? (double)done / passed : 0;
    char left[32];
    text_seconds(rate > 0 ? (double)(count - done) / rate : 0, left);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rrender: frame %zu of %zu, %.1f per second, %s left    %s", done, count, rate, left,
                done == count ? "\n" : "");
    else if (done == count || done * 10 / count != (done - 1) * 10 / count)
        fprintf(stderr, "render: frame %zu of %zu, %.1f per second\n", done, count, rate);
}

static mn_Result write_frame(RenderJob* job, Film* film, mn_Error* error)
{
    if (film)
        return film_add(film, &job->picture, error);
    char name[4096];
    if (!picture_name(name, sizeof name, job->options.out, job->subject.frame_number))
        return error_set(error, MN_BAD_INPUT, "-o %s: only %%d or %%06d may stand in the file name, once", job->options.out);
    return picture_write_png(&job->picture, name, error);
}

static double film_rate(const RenderJob* job)
{
    if (job->options.fps > 0)
        return job->options.fps;
    // real time, unless that would be more frames than screens show: then slow motion
    double rate = job->subject.scene->frame_rate / (double)job->step;
    return fmin(fmax(rate, 1), 60);
}

static mn_Result draw_frames(RenderJob* job, mn_Error* error)
{
    Film* film = NULL;
    if (job->is_film) {
        film = film_open(job->options.out, job->picture.width, job->picture.height, film_rate(job), error);
        if (!film)
            return error->result;
    }
    size_t count = (job->last - job->first) / job->step + 1;
    mn_Result result = MN_OK;
    job->started = seconds();
    for (size_t k = 0; k < count && result == MN_OK; k++) {
        result = subject_load(&job->subject, job->first + k * job->step, error);
        if (result == MN_OK)
            result = is_final(job) ? draw_final(job, error) : draw_frame(job, error);
        if (result == MN_OK)
            result = write_frame(job, film, error);
        if (result == MN_OK)
            show_progress(job, k + 1, count);
    }
    if (film && result == MN_OK)
        return film_close(film, error);
    film_abandon(film);
    return result;
}

// --- the command

static int prepare(RenderJob* job, const char* source)
{
    mn_Error error = {0};
    const RenderOptions* o = &job->options;
    mn_Result result = subject_open(&job->subject, source, o->sets.item, o->sets.count, o->boundary, &error);
    if (result != MN_OK)
        return complain_error(&error);
    if (job->subject.warning[0])
        complain(0, "render: %s", job->subject.warning);
    job->view = job->subject.scene->view;
    int status = read_view(job);
    if (status < 0)
        status = read_frames(job);
    if (status >= 0)
        return status;
    // one camera and one scale for all pictures of a run
    result = survey_subject(&job->survey, &job->subject, job->view.colour, 0, job->subject.frame_count - 1, &error);
    if (result != MN_OK)
        return complain_error(&error);
    colour_map_build(&job->map, job->view.colour == MN_COLOUR_PRESSURE  ? COLOUR_MAP_DEPTHS
                                : job->view.colour == MN_COLOUR_DENSITY ? COLOUR_MAP_EMBER
                                                                        : COLOUR_MAP_WATER);
    if (is_final(job) && job->subject.scene->world.dimension == 2)
        return complain(STATUS_USAGE, "render: --quality final needs a scene in three dimensions");
    job->pool = is_final(job) ? pool_create(o->threads) : NULL;
    job->options.final.quiet = o->quiet || job->is_film;
    job->renderer = renderer_create(o->threads);
    if (!job->renderer || !picture_create(&job->picture, job->view.width, job->view.height))
        return complain(STATUS_IO, "render: out of memory for %d x %d pixels", job->view.width, job->view.height);
    return -1;
}

static int check_options(RenderJob* job)
{
    const RenderOptions* o = &job->options;
    char name[4096];
    if (!o->out)
        return complain(STATUS_USAGE, "render: where to? Say -o picture.png or -o film.mp4");
    job->is_film = ends_with(o->out, ".mp4");
    if (!job->is_film && !ends_with(o->out, ".png"))
        return complain(STATUS_USAGE, "render: -o %s: expected a name that ends in .png or .mp4", o->out);
    if (job->is_film && strchr(o->out, '%'))
        return complain(STATUS_USAGE, "render: -o %s: a film is one file; no %% in its name", o->out);
    if (!picture_name(name, sizeof name, o->out, 0))
        return complain(STATUS_USAGE, "render: -o %s: only %%d or %%06d may stand in the file name, once", o->out);
    if (o->frame != INT32_MIN && o->frames)
        return complain(STATUS_USAGE, "render: say --frame or --frames, not both");
    if (o->threads < 0 || o->threads > 1024)
        return complain(STATUS_USAGE, "render: --threads %d: expected 0 (all cores) to 1024", o->threads);
    if (o->samples < 1 || o->samples > 4)
        return complain(STATUS_USAGE, "render: --samples %d: expected 1 to 4", o->samples);
    if (strcmp(o->quality, "fast") && !is_final(job))
        return complain(STATUS_USAGE, "render: --quality %s: expected fast or final", o->quality);
    if (o->final.samples < 1 || o->final.samples > 65536)
        return complain(STATUS_USAGE, "render: --spp %d: expected 1 to 65536", o->final.samples);
    if (strcmp(o->final.sky, "studio") && strcmp(o->final.sky, "day"))
        return complain(STATUS_USAGE, "render: --sky %s: expected studio or day", o->final.sky);
    if (!(o->final.exposure > 0) || o->final.aperture < 0)
        return complain(STATUS_USAGE, "render: --exposure must be above 0, --aperture 0 or more");
    if (!(o->final.spacing >= 0.25 && o->final.spacing <= 2))
        return complain(STATUS_USAGE, "render: --spacing %g: expected 0.25 to 2 particle radii", o->final.spacing);
    if (o->fps < 0 || o->fps > 1000)
        return complain(STATUS_USAGE, "render: --fps %g: expected 1 to 1000", o->fps);
    return -1;
}

static int run_job(RenderJob* job, const char* source)
{
    int status = check_options(job);
    if (status < 0)
        status = prepare(job, source);
    if (status >= 0)
        return status;
    mn_Error error = {0};
    if (draw_frames(job, &error) != MN_OK)
        return complain_error(&error);
    return STATUS_DONE;
}

int command_render(int argc, char** argv)
{
    RenderJob* job = calloc(1, sizeof *job);
    if (!job)
        return complain(STATUS_IO, "render: out of memory");
    RenderOptions* o = &job->options;
    o->frame = INT32_MIN;
    o->samples = 2;
    o->quality = "fast";
    o->final = final_default_options();
    job->subject.frame_index = SIZE_MAX;
    const Option options[] = {
        {"out", 'o', OPTION_TEXT, &o->out, "FILE", "x.png (one frame), x_%06d.png (all frames) or x.mp4"},
        {"frame", 0, OPTION_INTEGER, &o->frame, "N", "number of the frame; -1 is the last one, which is the default of a .png"},
        {"frames", 0, OPTION_TEXT, &o->frames, "A:B[:STEP]", "numbers of the first and last frame, and every how many"},
        {"size", 0, OPTION_TEXT, &o->size, "WxH", "pixels, as in 1920x1080"},
        {"colour", 0, OPTION_TEXT, &o->colour, "BY", "speed, pressure, density or fluid"},
        {"color", 0, OPTION_TEXT, &o->colour, "BY", "the same"},
        {"range", 0, OPTION_TEXT, &o->range, "LOW:HIGH", "ends of the colour scale"},
        {"camera", 0, OPTION_TEXT, &o->camera, "EYE:TARGET", "two points, as in 2,1,3:0,0.5,0"},
        {"fov", 0, OPTION_NUMBER, &o->fov, "DEGREES", "vertical field of view"},
        {"fps", 0, OPTION_NUMBER, &o->fps, "RATE", "frames per second of a film; otherwise real time, at most 60"},
        {"clip", 0, OPTION_TEXT, &o->clip, "AXIS:POS", "hide particles in front of this plane, as in z:0.25"},
        {"boundary", 0, OPTION_FLAG, &o->boundary, NULL, "show the boundary particles too"},
        {"background", 0, OPTION_TEXT, &o->background, "R,G,B", "0 to 1 each"},
        {"title", 0, OPTION_TEXT, &o->title, "TEXT", "instead of the scene's name"},
        {"no-bar", 0, OPTION_FLAG, &o->no_bar, NULL, "no colour bar"},
        {"no-time", 0, OPTION_FLAG, &o->no_time, NULL, "no time stamp"},
        {"no-title", 0, OPTION_FLAG, &o->no_title, NULL, "no name"},
        {"no-ground", 0, OPTION_FLAG, &o->no_ground, NULL, "no ground below the scene"},
        {"samples", 0, OPTION_INTEGER, &o->samples, "N", "samples per pixel and direction, 1 to 4 (2)"},
        {"quality", 0, OPTION_TEXT, &o->quality, "Q", "fast: lit particles; final: the liquid's surface, path traced (fast)"},
        {"spp", 0, OPTION_INTEGER, &o->final.samples, "N", "final: samples per pixel (64)"},
        {"sky", 0, OPTION_TEXT, &o->final.sky, "SKY", "final: studio or day (studio)"},
        {"exposure", 0, OPTION_NUMBER, &o->final.exposure, "X", "final: brightness (1)"},
        {"aperture", 0, OPTION_NUMBER, &o->final.aperture, "M", "final: radius of the lens in m; 0 = all is sharp (0)"},
        {"motion-blur", 0, OPTION_FLAG, &o->final.motion_blur, NULL, "final: what moves is blurred, for half a frame"},
        {"spacing", 0, OPTION_NUMBER, &o->final.spacing, "S", "final: grid of the surface, in particle radii (1)"},
        {"smoothing", 0, OPTION_INTEGER, &o->final.smoothing, "N", "final: rounds of smoothing of the surface (12)"},
        {"set", 0, OPTION_LIST, &o->sets, "KEY=VALUE", "change a key of the scene; may be repeated"},
        {"threads", 0, OPTION_INTEGER, &o->threads, "N", "0 = all cores; the picture is the same"},
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
        status = run_job(job, argument[0]);
    picture_free(&job->picture);
    renderer_destroy(job->renderer);
    pool_destroy(job->pool);
    subject_close(&job->subject);
    text_list_free(&o->sets);
    free(job);
    return status;
}
