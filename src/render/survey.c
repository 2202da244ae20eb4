// SPDX-License-Identifier: MIT
// The values at 1 % and 99 % of the mass stand for the ends of the fluid per axis, those at 0.3 % and 99.7 % for the colour scale:
// stray droplets or a spike of pressure must not shrink everything else.
#include "render/survey.h"
#include "base/error.h"
#include "fluid/emitter.h"
#include "render/caption.h"
#include "render/nozzle.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 20000 };
static const double value_tail = 0.003, mass_tail = 0.01;
static const double too_large = 4; // times the fluid: of such solids only what is near is framed

static int float_order(const void* x, const void* y)
{
    float a = *(const float*)x, b = *(const float*)y;
    return a < b ? -1 : a > b;
}

// Low and high end of at most MAX_VALUES evenly picked finite values. False if there are none.
static bool value_ends(const float* value, size_t count, size_t stride, float* scratch, double tail, double* low, double* high)
{
    size_t step = count / MAX_VALUES + 1, kept = 0;
    for (size_t i = 0; i < count; i += step)
        if (isfinite(value[i * stride]))
            scratch[kept++] = value[i * stride];
    if (kept == 0)
        return false;
    qsort(scratch, kept, sizeof *scratch, float_order);
    size_t off = (size_t)(tail * (double)kept);
    *low = (double)scratch[off];
    *high = (double)scratch[kept - 1 - off];
    return true;
}

Box3d box_union(Box3d a, Box3d b)
{
    return (Box3d){vec3d_min(a.min, b.min), vec3d_max(a.max, b.max)};
}

static Box3d box_grown(Box3d box, double by)
{
    return (Box3d){vec3d_sub(box.min, vec3d(by, by, by)), vec3d_add(box.max, vec3d(by, by, by))};
}

static Box3d box_cut(Box3d box, Box3d limit)
{
    return (Box3d){vec3d_max(box.min, limit.min), vec3d_min(box.max, limit.max)};
}

static bool box_is_real(Box3d box)
{
    return box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z;
}

static Box3d solid_box(const Subject* subject, const SubjectSolid* solid)
{
    const mn_Pose* pose = &subject->pose[solid->index];
    Box3d box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t v = 0; v < solid->mesh.vertex_count; v++) {
        Vec3d p = vec3d_add(quat_rotate(pose->rotation, solid->mesh.vertex[v]), pose->position);
        box.min = vec3d_min(box.min, p);
        box.max = vec3d_max(box.max, p);
    }
    return box;
}

// What a frame adds to the survey.
typedef struct Findings {
    Box3d fluid, first_fluid;
    Box3d* solid; // of each of the subject's solids
    double low;
    double high[SURVEYED_FRAMES];
    int frames, looks;
} Findings;

static const Box3d no_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void add_places(Survey* survey, const Frame* frame)
{
    size_t step = frame->count / SURVEYED_PLACES + 1;
    for (size_t i = 0; i < frame->count; i += step) {
        const float* p = frame->position + 3 * i;
        survey->place[survey->place_count++] = (Vec3){p[0], p[1], p[2]};
    }
}

// Around all of a frame's particles but stray ones. False if there are none.
static bool frame_box(const Frame* frame, float* scratch, Box3d* box)
{
    const float* p = frame->position;
    return value_ends(p, frame->count, 3, scratch, mass_tail, &box->min.x, &box->max.x) &&
           value_ends(p + 1, frame->count, 3, scratch, mass_tail, &box->min.y, &box->max.y) &&
           value_ends(p + 2, frame->count, 3, scratch, mass_tail, &box->min.z, &box->max.z);
}

static bool add_frame(Findings* found, const Subject* subject, mn_ColourBy colour, float* scratch)
{
    const Frame* frame = &subject->frame;
    Box3d fluid;
    if (frame_box(frame, scratch, &fluid))
        found->fluid = box_union(found->fluid, box_grown(fluid, subject->scene->world.particle_radius));
    if (found->looks++ == 0)
        found->first_fluid = found->fluid;
    for (size_t k = 0; k < subject->solid_count; k++)
        found->solid[k] = box_union(found->solid[k], solid_box(subject, &subject->solid[k]));
    float* scalar;
    if (!subject_scalar(subject, colour, &scalar))
        return false;
    double low, high;
    if (value_ends(scalar, frame->count, 1, scratch, value_tail, &low, &high)) {
        found->low = fmin(found->low, low);
        found->high[found->frames++] = high;
    }
    free(scalar);
    return true;
}

static double box_size(Box3d box)
{
    Vec3d size = vec3d_sub(box.max, box.min);
    return fmax(size.x, fmax(size.y, size.z));
}

static Box3d solids_of(const Findings* found, const Subject* subject, bool inside)
{
    Box3d box = no_box;
    for (size_t k = 0; k < subject->solid_count; k++)
        if (subject->solid[k].inside == inside && box_is_real(found->solid[k]))
            box = box_union(box, found->solid[k]);
    return box;
}

// Fluid that runs away over an edge is followed as far as the scene is large, with its emitters.
static Box3d fluid_to_show(const Findings* found, const Subject* subject, Box3d nozzles)
{
    Box3d home = box_union(box_union(found->first_fluid, solids_of(found, subject, true)), solids_of(found, subject, false));
    home = box_union(home, nozzles);
    if (!box_is_real(home) || !box_is_real(found->fluid))
        return found->fluid;
    Box3d near = box_cut(found->fluid, box_grown(home, box_size(home)));
    return box_is_real(near) ? near : found->fluid;
}

// Containers say what there is to see, without one the fluid does; emitters and their way; and all solids, but of those that are
// much larger only what is near.
static Box3d box_to_show(const Findings* found, const Subject* subject, Box3d nozzles)
{
    Box3d box = solids_of(found, subject, true), others = solids_of(found, subject, false);
    box = box_is_real(box) ? box : fluid_to_show(found, subject, nozzles);
    // emitters are drawn in pictures of scenes that have not started; later the fluid shows where they are
    if (!subject->is_run && !subject->lends_world)
        box = box_union(box, nozzles);
    if (!box_is_real(box))
        box = others;
    if (!box_is_real(box))
        return (Box3d){{-1, -1, -1}, {1, 1, 1}};
    const Box3d core = box;
    for (size_t k = 0; k < subject->solid_count; k++) {
        Box3d solid = found->solid[k];
        if (subject->solid[k].inside || !box_is_real(solid))
            continue;
        if (box_size(solid) > too_large * box_size(core))
            solid = box_cut(solid, box_grown(core, 0.3 * box_size(core)));
        if (box_is_real(solid))
            box = box_union(box, solid);
    }
    return box_grown(box, 0.5 * subject->scene->world.particle_radius);
}

static double lowest_along(Box3d box, Vec3d up)
{
    return up.x * (up.x > 0 ? box.min.x : box.max.x) + up.y * (up.y > 0 ? box.min.y : box.max.y) +
           up.z * (up.z > 0 ? box.min.z : box.max.z);
}

// The ground lies below all that is framed, and below solids that reach further down, unless those fall out of sight.
static void find_ground(Survey* survey, const Findings* found, const Subject* subject)
{
    Vec3d up = subject_up(subject);
    double low = lowest_along(survey->box, up), most = low - 2 * box_size(survey->box);
    double hair = 0.5 * subject->scene->world.particle_radius;
    survey->ground = low;
    for (size_t k = 0; k < subject->solid_count; k++) {
        double bottom = box_is_real(found->solid[k]) ? lowest_along(found->solid[k], up) : low;
        if (bottom > low + 2 * hair || bottom < most || survey_look(survey, subject, k) != LOOK_SOLID)
            continue;
        survey->stands_solid = true;
        survey->ground = fmin(survey->ground, bottom);
    }
}

static int double_order(const void* x, const void* y)
{
    double a = *(const double*)x, b = *(const double*)y;
    return a < b ? -1 : a > b;
}

// Speed and pressure start at zero; density lies around the rest density and gets the span it needs. An impact lets the
// pressure of one frame soar, so that its scale follows the frame in the middle.
static void round_range(Findings* found, mn_ColourBy colour, double rest_density, double range[2])
{
    range[0] = 0;
    range[1] = 1;
    if (found->frames == 0)
        return;
    qsort(found->high, (size_t)found->frames, sizeof *found->high, double_order);
    double high = found->high[colour == MN_COLOUR_PRESSURE ? found->frames / 2 : found->frames - 1];
    if (colour != MN_COLOUR_DENSITY) {
        range[1] = nice_end(high);
        return;
    }
    // particles at the surface have half their neighbours and tell little: the scale leaves them at its end
    double low = fmax(found->low, 0.85 * rest_density);
    double span = fmax(high - low, 1e-3 * fabs(high)), step = nice_step(span, 5);
    range[0] = floor(low / step + 1e-9) * step;
    range[1] = ceil(high / step - 1e-9) * step;
    if (!(range[1] > range[0]))
        range[1] = range[0] + step;
}

static mn_Result find_hiding(Survey* survey, Subject* subject, const mn_ViewDef* view, size_t first, size_t last, mn_Error* error);

static mn_Result find_nozzles(const Findings* found, const Subject* subject, Box3d* box, mn_Error* error)
{
    NozzleLines lines = {0};
    Box3d all = box_union(box_union(found->fluid, solids_of(found, subject, true)), solids_of(found, subject, false));
    bool ok = nozzle_lines(&lines, subject->scene, all);
    *box = nozzle_lines_box(&lines);
    nozzle_lines_free(&lines);
    return ok ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory");
}

static mn_Result look_at_frames(Findings* found, Survey* survey, Subject* subject, mn_ColourBy colour, size_t first, size_t last,
                                mn_Error* error)
{
    float* scratch = malloc((MAX_VALUES + 1) * sizeof *scratch);
    mn_Result result = scratch && found->solid ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory");
    size_t span = last - first, looks = span + 1 < SURVEYED_FRAMES ? span + 1 : SURVEYED_FRAMES;
    for (size_t k = 0; k < looks && result == MN_OK; k++) {
        result = subject_load(subject, first + (looks > 1 ? span * k / (looks - 1) : 0), error);
        if (result == MN_OK)
            add_places(survey, &subject->frame);
        if (result == MN_OK && !add_frame(found, subject, colour, scratch))
            result = error_set(error, MN_OUT_OF_MEMORY, "no memory");
    }
    free(scratch);
    return result;
}

mn_Result survey_subject(Survey* survey, Subject* subject, const mn_ViewDef* view, size_t first, size_t last, mn_Error* error)
{
    Findings found = {.fluid = no_box, .first_fluid = no_box, .low = (double)INFINITY};
    found.solid = malloc((subject->solid_count + 1) * sizeof *found.solid);
    for (size_t k = 0; found.solid && k < subject->solid_count; k++)
        found.solid[k] = no_box;
    *survey = (Survey){0};
    Box3d nozzles = no_box;
    mn_Result result = look_at_frames(&found, survey, subject, view->colour, first, last, error);
    if (result == MN_OK)
        result = find_nozzles(&found, subject, &nozzles, error);
    if (result == MN_OK) {
        survey->fluid = found.fluid;
        survey->has_fluid = box_is_real(found.fluid);
        survey->box = box_to_show(&found, subject, nozzles);
        double rest = (double)INFINITY;
        for (size_t k = 0; k < subject->scene->fluid_count; k++)
            rest = fmin(rest, subject->scene->fluids[k].density);
        round_range(&found, view->colour, isfinite(rest) ? rest : 0, survey->range);
        result = find_hiding(survey, subject, view, first, last, error);
    }
    if (result == MN_OK)
        find_ground(survey, &found, subject);
    for (size_t k = 0; result == MN_OK && k < subject->solid_count; k++)
        subject->solid[k].reach = found.solid[k];
    free(found.solid);
    return result;
}

void survey_live_range(const Survey* survey, const mn_Scene* scene, mn_ColourBy colour, double range[2])
{
    Vec3d size = vec3d_sub(survey->fluid.max, survey->fluid.min), g = scene->world.gravity;
    double gh = survey->has_fluid ? fabs(size.x * g.x) + fabs(size.y * g.y) + fabs(size.z * g.z) : 0, density = 0;
    double speed = sqrt(2 * gh);
    for (size_t f = 0; f < scene->fluid_count; f++) {
        density = fmax(density, scene->fluids[f].density);
        for (size_t e = 0; e < scene->fluids[f].emitter_count; e++)
            speed = fmax(speed, emitter_top_speed(&scene->fluids[f].emitters[e]));
    }
    range[0] = colour == MN_COLOUR_DENSITY ? 0.9 * density : 0;
    range[1] = 1;
    if (colour == MN_COLOUR_SPEED && speed > 0)
        range[1] = nice_end(speed);
    if (colour == MN_COLOUR_PRESSURE && gh > 0)
        range[1] = nice_end(density * gh);
    if (colour == MN_COLOUR_DENSITY && density > 0)
        range[1] = 1.05 * density;
}

// --- camera

// From the long side, a little from the right and from above; y up: from +z or +x, z up: from -y or +x.
static Vec3d automatic_direction(Box3d box, Vec3d up)
{
    Vec3d size = vec3d_sub(box.max, box.min);
    Vec3d front, side;
    double front_size, side_size;
    if (fabs(up.y) > 0.5) {
        front = vec3d(0, 0, 1), side = vec3d(1, 0, 0);
        front_size = size.x, side_size = size.z;
    } else if (fabs(up.z) > 0.5) {
        front = vec3d(0, -1, 0), side = vec3d(1, 0, 0);
        front_size = size.x, side_size = size.y;
    } else {
        front = vec3d(0, 0, 1), side = vec3d(0, -1, 0);
        front_size = size.y, side_size = size.z;
    }
    if (side_size > 1.3 * front_size) {
        Vec3d swap = front;
        front = side;
        side = vec3d_scale(swap, -1);
    }
    double around = 26 * 3.14159265358979 / 180, above = 19 * 3.14159265358979 / 180;
    Vec3d from = vec3d_scale(vec3d_mad(vec3d_scale(front, cos(around)), sin(around), side), cos(above));
    return vec3d_scale(vec3d_mad(from, sin(above), up), -1);
}

static Camera camera_flat(const Survey* survey, const Subject* subject, const mn_ViewDef* view, Margins margins)
{
    Vec3d up = subject_up(subject);
    if (fabs(up.z) > 0.5)
        up = vec3d(0, 1, 0);
    Box3d box = survey->box;
    if (view->has_camera) {
        double half = fabs(view->eye.z - view->target.z) * tan(view->field_of_view * 3.14159265358979 / 360);
        double wide = half * view->width / view->height;
        box = (Box3d){vec3d_sub(view->target, vec3d(wide, half, 0)), vec3d_add(view->target, vec3d(wide, half, 0))};
        margins = (Margins){0};
    }
    box.min.z = -subject->scene->world.particle_radius;
    box.max.z = subject->scene->world.particle_radius;
    return camera_frame_orthographic(box, vec3d(0, 0, -1), up, view->width, view->height, margins);
}

Camera survey_camera(const Survey* survey, const Subject* subject, const mn_ViewDef* view)
{
    Margins margins = caption_margins(view->colour_bar, view->time_stamp, view->width, view->height);
    Vec3d up = subject_up(subject);
    if (subject->scene->world.dimension == 2)
        return camera_flat(survey, subject, view,
                           (Margins){0.05, margins.right + 0.02, fmax(margins.top, 0.13), fmax(margins.bottom, 0.10)});
    if (view->has_camera)
        return camera_look(view->eye, view->target, up, view->field_of_view, view->width, view->height);
    Vec3d direction = automatic_direction(survey->box, up);
    return camera_frame(survey->box, direction, up, view->field_of_view, view->width, view->height, margins);
}

// --- see-through solids

// Does [a0, a1] contain the middle 80 % of [b0, b1]?
static bool spans(double a0, double a1, double b0, double b1)
{
    double margin = 0.1 * (b1 - b0);
    return a0 <= b0 + margin && a1 >= b1 - margin;
}

// A solid that surrounds the fluid of a frame sideways, lies below it and rises above its foot is a vessel with thick walls.
static bool is_vessel(const Subject* subject, const SubjectSolid* solid, Box3d f)
{
    if (solid->mesh.triangle_count == 0)
        return false;
    Box3d s = solid_box(subject, solid);
    Vec3d up = subject_up(subject);
    bool x = fabs(up.x) > 0.5 || spans(s.min.x, s.max.x, f.min.x, f.max.x);
    bool y = fabs(up.y) > 0.5 || spans(s.min.y, s.max.y, f.min.y, f.max.y);
    bool z = fabs(up.z) > 0.5 || spans(s.min.z, s.max.z, f.min.z, f.max.z);
    double top = fmax(vec3d_dot(up, s.max), vec3d_dot(up, s.min)), bottom = lowest_along(s, up);
    double fluid_low = lowest_along(f, up), fluid_high = fmax(vec3d_dot(up, f.min), vec3d_dot(up, f.max));
    bool rises = fluid_low > bottom - 0.1 * (top - bottom) && top > fluid_low + 0.3 * (fluid_high - fluid_low);
    return x && y && z && rises;
}

SolidLook survey_look(const Survey* survey, const Subject* subject, size_t index)
{
    static const SolidLook by_finish[] = {LOOK_SOLID, LOOK_SOLID, LOOK_GLASS, LOOK_EDGES, LOOK_EDGES};
    const SubjectSolid* solid = &subject->solid[index];
    if (solid->finish != MN_SOLID_FINISH_AUTO)
        return by_finish[solid->finish];
    if (solid->inside)
        return LOOK_CONTAINER;
    return solid->hides && !solid->coloured ? LOOK_TANK : LOOK_SOLID;
}

// Moeller and Trumbore's test of the segment from `a` to `b`.
static bool meets(Vec3d a, Vec3d b, Vec3d p, Vec3d q, Vec3d r)
{
    Vec3d d = vec3d_sub(b, a), e = vec3d_sub(q, p), f = vec3d_sub(r, p), n = vec3d_cross(d, f);
    double det = vec3d_dot(e, n);
    if (det == 0)
        return false;
    Vec3d s = vec3d_sub(a, p), m = vec3d_cross(s, e);
    double u = vec3d_dot(s, n) / det, v = vec3d_dot(d, m) / det, t = vec3d_dot(f, m) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < 1;
}

static bool is_behind(const Subject* subject, const SubjectSolid* solid, Vec3d point, const Camera* camera)
{
    const mn_Pose* pose = &subject->pose[solid->index];
    const TriMesh* m = &solid->mesh;
    Vec3d eye =
        camera->orthographic ? vec3d_mad(point, -1e3 * (1 + vec3d_distance(camera->eye, point)), camera->forward) : camera->eye;
    Vec3d a = quat_unrotate(pose->rotation, vec3d_sub(point, pose->position)),
          b = quat_unrotate(pose->rotation, vec3d_sub(eye, pose->position));
    for (size_t t = 0; t < m->triangle_count; t++)
        if (meets(a, b, m->vertex[m->triangle[t][0]], m->vertex[m->triangle[t][1]], m->vertex[m->triangle[t][2]]))
            return true;
    return false;
}

static bool may_hide(const SubjectSolid* solid)
{
    return !solid->inside && !solid->coloured && solid->finish == MN_SOLID_FINISH_AUTO;
}

static size_t count_seen(const Subject* subject, const SubjectSolid* solid, const Camera* camera, size_t step)
{
    const Frame* frame = &subject->frame;
    size_t seen = 0;
    for (size_t i = 0; i < frame->count; i += step) {
        const float* p = frame->position + 3 * i;
        seen += !is_behind(subject, solid, vec3d((double)p[0], (double)p[1], (double)p[2]), camera);
    }
    return seen;
}

// Whether in some frames a vessel, which may move with the fluid, lets hardly anything of it be seen.
static mn_Result find_hiding(Survey* survey, Subject* subject, const mn_ViewDef* view, size_t first, size_t last, mn_Error* error)
{
    enum { FRAMES = 3, POINTS = 200 };
    bool any = false, any_fluid = false;
    for (size_t k = 0; k < subject->solid_count; k++) {
        subject->solid[k].hides = subject->scene->world.dimension == 3 && may_hide(&subject->solid[k]);
        any = any || subject->solid[k].hides;
    }
    Camera camera = survey_camera(survey, subject, view);
    float* scratch = malloc((MAX_VALUES + 1) * sizeof *scratch);
    mn_Result result = scratch ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory");
    for (size_t look = 0; any && look < FRAMES && result == MN_OK; look++) {
        result = subject_load(subject, first + (last - first) * look / (FRAMES - 1), error);
        const Frame* frame = &subject->frame;
        Box3d fluid;
        if (result != MN_OK || !frame_box(frame, scratch, &fluid))
            continue;
        any_fluid = true;
        size_t step = frame->count / POINTS + 1, all = (frame->count + step - 1) / step;
        for (size_t k = 0; k < subject->solid_count; k++) {
            SubjectSolid* solid = &subject->solid[k];
            solid->hides = solid->hides && is_vessel(subject, solid, fluid) &&
                           (double)count_seen(subject, solid, &camera, step) < 0.03 * (double)all;
        }
    }
    for (size_t k = 0; k < subject->solid_count; k++)
        subject->solid[k].hides = subject->solid[k].hides && any_fluid;
    free(scratch);
    return result;
}
