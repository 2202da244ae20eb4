// SPDX-License-Identifier: MIT
#include "final_scene.h"

#include "base/error.h"
#include "io/surface_file.h"
#include "render/flush.h"
#include "render/foam_picture.h"
#include <stdlib.h>
#include <string.h>

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static mn_Style style_of(const FinalView* view)
{
    return view->view->style == MN_STYLE_AUTO ? MN_STYLE_LIQUID : view->view->style;
}

static Vec3 colour_of(const FinalView* view, float value)
{
    float t = (value - (float)view->range[0]) / (float)(view->range[1] - view->range[0]);
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    return view->map->linear[(int)(t * (COLOUR_MAP_SIZE - 1) + 0.5f)];
}

// --- surfaces of fluids

// The particles of fluid `from` and those after it; only of `from` itself if `alone`.
static mn_Result select_fluids(const Frame* all, size_t from, bool alone, Frame* out, mn_Error* error)
{
    *out = (Frame){.time = all->time};
    size_t room = all->count + 1;
    out->position = malloc(3 * room * sizeof(float));
    out->velocity = malloc(3 * room * sizeof(float));
    out->density = malloc(room * sizeof(float));
    out->pressure = malloc(room * sizeof(float));
    if (!out->position || !out->velocity || !out->density || !out->pressure)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    for (size_t i = 0; i < all->count; i++) {
        if (all->fluid[i] < from || (alone && all->fluid[i] > from))
            continue;
        size_t n = out->count++;
        memcpy(out->position + 3 * n, all->position + 3 * i, 3 * sizeof(float));
        memcpy(out->velocity + 3 * n, all->velocity + 3 * i, 3 * sizeof(float));
        out->density[n] = all->density[i];
        out->pressure[n] = all->pressure[i];
    }
    return MN_OK;
}

static bool colour_surface(FinalScene* scene, const FinalView* view, size_t f)
{
    const SurfaceMesh* m = &scene->surface[f];
    mn_ColourBy by = view->view->colour;
    Vec3* out = malloc((m->vertex_count + 1) * sizeof *out);
    scene->surface_colour[f] = out;
    for (size_t v = 0; out && v < m->vertex_count; v++) {
        const float* u = m->value[0] + 3 * v;
        float value = by == MN_COLOUR_PRESSURE  ? m->value[2][v]
                      : by == MN_COLOUR_DENSITY ? m->value[1][v]
                                                : sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        out[v] = by == MN_COLOUR_FLUID ? colour_to_linear3(colour_of_fluid((int)f)) : colour_of(view, value);
    }
    return out != NULL;
}

static TraceMesh surface_mesh(const FinalScene* scene, const FinalView* view, size_t f)
{
    const SurfaceMesh* m = &scene->surface[f];
    const FluidPaint* paint = &view->looks->fluid[f];
    bool clear = style_of(view) == MN_STYLE_LIQUID;
    return (TraceMesh){.vertex_count = m->vertex_count,
                       .triangle_count = m->triangle_count,
                       .position = m->position,
                       .normal = m->normal,
                       .velocity = (const Vec3*)m->value[0],
                       .triangle = (const uint32_t(*)[3])m->triangle,
                       .colour = scene->surface_colour[f],
                       .fluid = true,
                       .material = {.kind = clear ? TRACE_LIQUID : TRACE_COATED,
                                    .colour = {1, 1, 1},
                                    .ior = clear ? paint->ior : 1.4f,
                                    .absorption = paint->absorption,
                                    .priority = (int)f}};
}

// Clear liquids are nested: the surface of a fluid also holds those after it in the list, which have priority inside. So there is
// no gap between them, and one surface around all. Coloured surfaces are all of one colour scale: one surface.
static mn_Result add_surfaces(FinalScene* scene, const FinalOptions* o, const FinalView* view, mn_Error* error)
{
    const Subject* s = view->subject;
    SurfaceDef def = surface_default_def(s->scene->world.particle_radius);
    def.spacing = o->spacing;
    def.smoothing = o->smoothing;
    def.anisotropic = o->anisotropic;
    bool clear = style_of(view) == MN_STYLE_LIQUID, by_fluid = !clear && view->view->colour == MN_COLOUR_FLUID;
    size_t count = clear || by_fluid ? s->scene->fluid_count : 1;
    for (size_t f = 0; f < count && f < MAX_FLUIDS; f++) {
        Frame part;
        mn_Result result = select_fluids(&s->frame, f, by_fluid, &part, error);
        if (result == MN_OK)
            result = surface_of_frame(&def, &part, view->pool, NULL, &scene->surface[f], error);
        frame_free(&part);
        if (result != MN_OK)
            return result;
        scene->fluid_count = f + 1;
        flush_surface(&scene->surface[f], s, 0.05 * (double)f * def.particle_radius);
        if (!clear && !colour_surface(scene, view, f))
            return error_set(error, MN_OUT_OF_MEMORY, "no memory");
        scene->mesh[scene->mesh_count++] = surface_mesh(scene, view, f);
    }
    return MN_OK;
}

// --- balls

static bool is_hidden(const CutAway* cut, const float* p)
{
    return cut->on && ((double)p[cut->axis] > cut->position) == cut->hide_above;
}

static bool add_boundary(FinalScene* scene, const FinalView* view)
{
    const Subject* s = view->subject;
    Vec4* ball = malloc((s->boundary_count + 1) * sizeof *ball);
    scene->ball[1] = ball;
    if (!ball)
        return false;
    float radius = 0.55f * (float)s->scene->world.particle_radius;
    size_t count = 0;
    for (size_t i = 0; i < s->boundary_count; i++) {
        const float* p = s->boundary + 3 * i;
        if (!is_hidden(&view->cut, p))
            ball[count++] = (Vec4){p[0], p[1], p[2], radius};
    }
    scene->balls[scene->ball_sets++] =
        (TraceBalls){.count = count, .ball = ball, .material = {.kind = TRACE_MATTE, .colour = {0.26f, 0.28f, 0.32f}}};
    return true;
}

static bool add_particles(FinalScene* scene, const FinalView* view)
{
    const Frame* frame = &view->subject->frame;
    Vec4* ball = malloc((frame->count + 1) * sizeof *ball);
    Vec3* colour = malloc((frame->count + 1) * sizeof *colour);
    float* value = NULL;
    scene->ball[0] = ball;
    scene->ball_colour = colour;
    if (!ball || !colour || !subject_scalar(view->subject, view->view->colour, &value))
        return false;
    bool by_fluid = view->view->colour == MN_COLOUR_FLUID;
    float radius = (float)view->subject->scene->world.particle_radius;
    size_t count = 0;
    for (size_t i = 0; i < frame->count; i++) {
        const float* p = frame->position + 3 * i;
        if (is_hidden(&view->cut, p))
            continue;
        ball[count] = (Vec4){p[0], p[1], p[2], radius};
        colour[count++] = by_fluid ? colour_to_linear3(colour_of_fluid(frame->fluid[i])) : colour_of(view, value[i]);
    }
    free(value);
    scene->balls[scene->ball_sets++] = (TraceBalls){
        .count = count, .ball = ball, .colour = colour, .material = {.kind = TRACE_COATED, .colour = {1, 1, 1}, .ior = 1.4f}};
    return true;
}

// Diffuse particles as small clouds. Pictures that foam is laid over are half opaque where four or five of them lie behind each
// other (docs/theory/foam.md); a chance of 0.15 that light is scattered by one does the same.
static bool add_foam(FinalScene* scene, const FinalView* view)
{
    const Frame* foam = &view->subject->foam;
    Vec4* ball = malloc((foam->count + 1) * sizeof *ball);
    float* opacity = malloc((foam->count + 1) * sizeof *opacity);
    scene->ball[2] = ball;
    scene->ball_opacity = opacity;
    if (!ball || !opacity)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < foam->count; i++) {
        const float* p = foam->position + 3 * i;
        float radius = foam_radius_of((float)view->foam_radius, foam->id[i], foam->fluid[i]);
        if (is_hidden(&view->cut, p) || !(foam->pressure[i] > 0))
            continue;
        ball[count] = (Vec4){p[0], p[1], p[2], radius};
        opacity[count++] = 0.15f * foam_falloff(1 - foam->pressure[i], 1, 2, 0.4f);
    }
    scene->balls[scene->ball_sets++] = (TraceBalls){
        .count = count, .ball = ball, .opacity = opacity, .material = {.kind = TRACE_FOAM, .colour = {0.97f, 0.97f, 0.97f}}};
    return true;
}

// --- solids

static TraceMaterial solid_material(const SolidPaint* paint)
{
    static const TraceKind kind[] = {TRACE_COATED, TRACE_MATTE, TRACE_METAL, TRACE_GLASS};
    return (TraceMaterial){.kind = kind[paint->finish],
                           .colour = paint->colour,
                           .pattern = paint->patterned ? &paint->pattern : NULL,
                           .roughness = paint->roughness,
                           .ior = paint->ior,
                           .priority = -1};
}

// Whether the camera is on the outer side of a triangle.
static bool is_near_wall(const FinalView* view, const Vec3* corner)
{
    Vec3d a = vec3d((double)corner[0].x, (double)corner[0].y, (double)corner[0].z),
          b = vec3d((double)corner[1].x, (double)corner[1].y, (double)corner[1].z),
          c = vec3d((double)corner[2].x, (double)corner[2].y, (double)corner[2].z);
    return vec3d_dot(vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a)), vec3d_sub(view->camera->eye, a)) > 0;
}

// A container is no block of glass: it colours, but does not bend the light.
static TraceMaterial material_of(const FinalView* view, const SubjectSolid* solid)
{
    TraceMaterial m = solid_material(&view->looks->solid[solid->index]);
    if (m.kind == TRACE_GLASS && !solid->coloured)
        m.colour = (Vec3){0.96f, 0.98f, 0.98f};
    if (m.kind == TRACE_GLASS && solid->inside)
        m.ior = 1;
    return m;
}

// Corners do not share vertices, so that creases stay sharp. `far`: walls between the camera and the inside are left out.
static bool add_solid(FinalScene* scene, const FinalView* view, size_t k, bool far)
{
    const Subject* s = view->subject;
    const SubjectSolid* solid = &s->solid[k];
    const TriMesh* mesh = &solid->mesh;
    mn_Pose pose = s->pose[solid->index];
    size_t corners = 3 * mesh->triangle_count;
    Vec3* position = scene->corner[3 * k] = malloc((corners + 2) * sizeof *position);
    Vec3* normal = scene->corner[3 * k + 1] = malloc((corners + 1) * sizeof *normal);
    Vec3* local = scene->corner[3 * k + 2] = malloc((corners + 1) * sizeof *local);
    uint32_t(*index)[3] = malloc((mesh->triangle_count + 1) * sizeof *index);
    scene->index[k] = index;
    if (!position || !normal || !local || !index)
        return false;
    for (size_t c = 0; c < corners; c++) {
        Vec3 n = solid->model.corner_normal[c];
        Vec3d x = mesh->vertex[mesh->triangle[c / 3][c % 3]];
        position[c] = to_vec3(vec3d_add(quat_rotate(pose.rotation, x), pose.position));
        normal[c] = to_vec3(quat_rotate(pose.rotation, vec3d((double)n.x, (double)n.y, (double)n.z)));
        local[c] = to_vec3(x);
        index[c / 3][c % 3] = (uint32_t)c;
    }
    size_t triangles = 0, inner = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        if (!far || !is_near_wall(view, position + 3 * t)) {
            uint32_t kept[3] = {index[t][0], index[t][1], index[t][2]};
            memcpy(index[triangles++], kept, sizeof kept);
            inner += t >= mesh->triangle_count - mesh->inner_count;
        }
    const SolidPaint* paint = &view->looks->solid[solid->index];
    bool open = far;
    for (size_t e = 0; e < solid->model.edge_count; e++)
        open |= solid->model.edge[e].right == UINT32_MAX;
    scene->mesh[scene->mesh_count++] = (TraceMesh){.vertex_count = corners,
                                                   .triangle_count = triangles,
                                                   .position = position,
                                                   .normal = normal,
                                                   .local = local,
                                                   .triangle = (const uint32_t(*)[3])index,
                                                   .inner_count = paint->has_inner ? inner : 0,
                                                   .inner = paint->inner,
                                                   .open = open,
                                                   .material = material_of(view, solid)};
    return true;
}

// A square bar around the edge from a to b.
static void make_bar(Vec3d a, Vec3d b, double half, Vec3* position, uint32_t (*index)[3], uint32_t first)
{
    static const uint8_t face[12][3] = {{0, 1, 5}, {0, 5, 4}, {1, 3, 7}, {1, 7, 5}, {3, 2, 6}, {3, 6, 7},
                                        {2, 0, 4}, {2, 4, 6}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    Vec3d along = vec3d_normalise(vec3d_sub(b, a));
    Vec3d u = vec3d_normalise(vec3d_cross(along, fabs(along.x) < 0.7 ? vec3d(1, 0, 0) : vec3d(0, 1, 0)));
    Vec3d v = vec3d_cross(along, u);
    for (int c = 0; c < 8; c++) {
        Vec3d x = c >> 2 ? vec3d_mad(b, half, along) : vec3d_mad(a, -half, along);
        position[c] = to_vec3(vec3d_mad(vec3d_mad(x, c & 1 ? half : -half, u), c & 2 ? half : -half, v));
    }
    for (size_t t = 0; t < 12; t++)
        for (int c = 0; c < 3; c++)
            index[t][c] = first + face[t][c];
}

// A container is only its edges: thin square bars.
static bool add_bars(FinalScene* scene, const FinalView* view, size_t k)
{
    const Subject* s = view->subject;
    const SubjectSolid* solid = &s->solid[k];
    const Model* model = &solid->model;
    mn_Pose pose = s->pose[solid->index];
    size_t bars = 0;
    for (size_t e = 0; e < model->edge_count; e++)
        bars += model->edge[e].crease;
    bool all = bars == 0; // a ball has no edges of its own
    bars = all ? model->edge_count : bars;
    Vec3* position = scene->corner[3 * k] = malloc((8 * bars + 2) * sizeof *position);
    uint32_t(*index)[3] = malloc((12 * bars + 1) * sizeof *index);
    scene->index[k] = index;
    if (!position || !index)
        return false;
    double half = 0.0012 * vec3d_distance(view->survey->box.min, view->survey->box.max);
    bars = 0;
    for (size_t e = 0; e < model->edge_count; e++) {
        if (!all && !model->edge[e].crease)
            continue;
        Vec3d end[2] = {solid->mesh.vertex[model->edge[e].a], solid->mesh.vertex[model->edge[e].b]};
        for (int n = 0; n < 2; n++)
            end[n] = vec3d_add(quat_rotate(pose.rotation, end[n]), pose.position);
        make_bar(end[0], end[1], half, position + 8 * bars, index + 12 * bars, (uint32_t)(8 * bars));
        bars++;
    }
    scene->mesh[scene->mesh_count++] = (TraceMesh){.vertex_count = 8 * bars,
                                                   .triangle_count = 12 * bars,
                                                   .position = position,
                                                   .triangle = (const uint32_t(*)[3])index,
                                                   .material = {.kind = TRACE_MATTE, .colour = {0.12f, 0.13f, 0.14f}}};
    return true;
}

// Rods have no triangles: bars as thick as the layer of particles that they are.
static bool add_rods(FinalScene* scene, const FinalView* view, size_t k)
{
    const Subject* s = view->subject;
    const SubjectSolid* solid = &s->solid[k];
    const TriMesh* mesh = &solid->mesh;
    mn_Pose pose = s->pose[solid->index];
    size_t bars = mesh->segment_count;
    Vec3* position = scene->corner[3 * k] = malloc((8 * bars + 2) * sizeof *position);
    uint32_t(*index)[3] = malloc((12 * bars + 1) * sizeof *index);
    scene->index[k] = index;
    if (!position || !index)
        return false;
    for (size_t b = 0; b < bars; b++) {
        Vec3d end[2];
        for (int n = 0; n < 2; n++)
            end[n] = vec3d_add(quat_rotate(pose.rotation, mesh->vertex[mesh->segment[b][n]]), pose.position);
        make_bar(end[0], end[1], 0.8 * s->scene->world.particle_radius, position + 8 * b, index + 12 * b, (uint32_t)(8 * b));
    }
    TraceMaterial material = solid_material(&view->looks->solid[solid->index]);
    material.pattern = NULL; // there is no frame to lay it on
    scene->mesh[scene->mesh_count++] = (TraceMesh){.vertex_count = 8 * bars,
                                                   .triangle_count = 12 * bars,
                                                   .position = position,
                                                   .triangle = (const uint32_t(*)[3])index,
                                                   .material = material};
    return true;
}

// One looks into containers and tanks.
static bool add_one(FinalScene* scene, const FinalView* view, size_t k)
{
    const TriMesh* mesh = &view->subject->solid[k].mesh;
    if (mesh->segment_count > 0 && mesh->triangle_count == 0)
        return add_rods(scene, view, k);
    switch (survey_look(view->survey, view->subject, k)) {
    case LOOK_SOLID:
    case LOOK_GLASS:
        return add_solid(scene, view, k, false);
    case LOOK_CONTAINER: // far walls that have a colour are there
        if (view->subject->solid[k].coloured)
            return add_solid(scene, view, k, true);
        return add_bars(scene, view, k);
    default:
        return add_bars(scene, view, k);
    }
}

// --- the cut

static Vec3 axis_of(int axis)
{
    return (Vec3){axis == 0, axis == 1, axis == 2};
}

static float part(Vec3d v, int axis)
{
    return (float)(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
}

// Values of the particles around the plane on a grid of one particle radius, as colours; -1 where there are none.
static bool colour_cut(FinalScene* scene, const FinalView* view)
{
    const Frame* frame = &view->subject->frame;
    const Box3d box = view->survey->fluid;
    float r = (float)view->subject->scene->world.particle_radius, reach = 4 * r;
    int across = (view->cut.axis + 1) % 3, down = (view->cut.axis + 2) % 3;
    float x0 = part(box.min, across) - 4 * r, y0 = part(box.min, down) - 4 * r;
    double wide = (double)(part(box.max, across) + 4 * r - x0) / (double)r,
           high = (double)(part(box.max, down) + 4 * r - y0) / (double)r;
    if (!(wide > 1 && high > 1 && wide < PICTURE_MAX_SIZE && high < PICTURE_MAX_SIZE))
        return true;
    Image* cut = &scene->cut;
    *cut = (Image){(int)wide, (int)high, calloc((size_t)wide * (size_t)high, sizeof *cut->pixel)};
    float* value = NULL;
    if (!cut->pixel || !subject_scalar(view->subject, view->view->colour, &value))
        return false;
    // first sums (value, weight), then colours
    for (size_t i = 0; i < frame->count; i++) {
        const float* p = frame->position + 3 * i;
        float off = p[view->cut.axis] - (float)view->cut.position;
        if (!(fabsf(off) < reach))
            continue;
        float px = (p[across] - x0) / r - 0.5f, py = (p[down] - y0) / r - 0.5f;
        for (int y = (int)fmaxf(py - 4, 0); y <= (int)fminf(py + 4, (float)cut->height - 1); y++)
            for (int x = (int)fmaxf(px - 4, 0); x <= (int)fminf(px + 4, (float)cut->width - 1); x++) {
                float dx = ((float)x - px) * r, dy = ((float)y - py) * r;
                float u = fmaxf(1 - (dx * dx + dy * dy + off * off) / (reach * reach), 0), w = u * u * u;
                Vec3* sum = &cut->pixel[(size_t)y * (size_t)cut->width + (size_t)x];
                sum->x += w * value[i];
                sum->y += w;
            }
    }
    for (size_t k = 0; k < (size_t)cut->width * (size_t)cut->height; k++) {
        Vec3 sum = cut->pixel[k];
        cut->pixel[k] = sum.y > 0 ? colour_of(view, sum.x / sum.y) : (Vec3){-1, -1, -1};
    }
    free(value);
    scene->clip.colour = cut;
    Vec3 a = axis_of(across), d = axis_of(down);
    scene->clip.across = a;
    scene->clip.down = d;
    scene->clip.origin = (Vec3){a.x * x0 + d.x * y0, a.y * x0 + d.y * y0, a.z * x0 + d.z * y0};
    scene->clip.pixel = r;
    return true;
}

static bool make_cut(FinalScene* scene, const FinalView* view)
{
    const CutAway* cut = &view->cut;
    if (!cut->on)
        return true;
    float side = cut->hide_above ? 1.0f : -1.0f;
    Vec3 n = axis_of(cut->axis);
    // balls are shown whole or not at all
    bool balls = style_of(view) == MN_STYLE_PARTICLES || view->subject->boundary_count > 0;
    float slack = balls ? (float)view->subject->scene->world.particle_radius : 0;
    scene->clip = (TraceClip){.on = true,
                              .normal = {side * n.x, side * n.y, side * n.z},
                              .level = side * (float)cut->position + (style_of(view) == MN_STYLE_PARTICLES ? slack : 0)};
    return style_of(view) != MN_STYLE_SURFACE || view->view->colour == MN_COLOUR_FLUID || colour_cut(scene, view);
}

// --- the whole

static bool add_things(FinalScene* scene, const FinalView* view)
{
    const Subject* s = view->subject;
    scene->mesh = calloc(s->solid_count + MAX_FLUIDS, sizeof *scene->mesh);
    scene->corner = calloc(3 * s->solid_count + 1, sizeof *scene->corner);
    scene->index = calloc(s->solid_count + 1, sizeof *scene->index);
    if (!scene->mesh || !scene->corner || !scene->index)
        return false;
    for (size_t k = 0; k < s->solid_count; k++)
        if (!add_one(scene, view, k))
            return false;
    return make_cut(scene, view) && (s->boundary_count == 0 || add_boundary(scene, view)) &&
           (style_of(view) != MN_STYLE_PARTICLES || add_particles(scene, view)) &&
           (!(view->foam_radius > 0) || add_foam(scene, view));
}

FinalScene* final_scene_create(const FinalOptions* options, const FinalView* view, mn_Error* error)
{
    FinalScene* scene = calloc(1, sizeof *scene);
    mn_Result result = scene && add_things(scene, view) ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory");
    if (result == MN_OK && style_of(view) != MN_STYLE_PARTICLES)
        result = add_surfaces(scene, options, view, error);
    if (result != MN_OK) {
        final_scene_destroy(scene, view);
        return NULL;
    }
    return scene;
}

void final_scene_destroy(FinalScene* scene, const FinalView* view)
{
    if (!scene)
        return;
    for (size_t f = 0; f < MAX_FLUIDS; f++) {
        surface_free(&scene->surface[f]);
        free(scene->surface_colour[f]);
    }
    for (size_t k = 0; k < view->subject->solid_count; k++) {
        for (size_t c = 0; scene->corner && c < 3; c++)
            free(scene->corner[3 * k + c]);
        if (scene->index)
            free(scene->index[k]);
    }
    free(scene->corner);
    free(scene->index);
    free(scene->mesh);
    free(scene->ball[0]);
    free(scene->ball[1]);
    free(scene->ball[2]);
    free(scene->ball_colour);
    free(scene->ball_opacity);
    image_free(&scene->cut);
    free(scene);
}
