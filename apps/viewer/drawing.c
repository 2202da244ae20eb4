// SPDX-License-Identifier: MIT
#include "drawing.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

struct Drawing {
    ColourMap map;
    ColourMapName map_name;
    bool has_map;
    SolidItem* item;
    size_t item_capacity;
};

Drawing* drawing_create(void)
{
    return calloc(1, sizeof(Drawing));
}

void drawing_free(Drawing* d)
{
    if (!d)
        return;
    memory_give(NULL, d->item);
    free(d);
}

const ColourMap* drawing_map(const Drawing* d)
{
    return &d->map;
}

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static double along(Vec3d v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Across the level axis that the camera looks along most.
static CutAway cut_of(const Look* look, const Setting* setting, const Camera* camera)
{
    int best = -1;
    for (int axis = 0; axis < 3; axis++)
        if (fabs(along(setting->up, axis)) < 0.5 &&
            (best < 0 || fabs(along(camera->forward, axis)) > fabs(along(camera->forward, best))))
            best = axis;
    Box3d box = setting->survey.box;
    double at = along(box.min, best) + look->cut * (along(box.max, best) - along(box.min, best));
    return (CutAway){look->solids == SHOW_CUT, best, at, along(camera->forward, best) < 0};
}

static SolidLook look_of(const Look* look, const Setting* setting, const Shot* shot, size_t k)
{
    if (look->solids == SHOW_WIRE || (look->boundary && shot->solid[k].inside))
        return LOOK_EDGES;
    return k < setting->scene->solid_count ? setting->solid_look[k] : LOOK_SOLID;
}

static size_t fill_items(Drawing* d, const Shot* shot, const Setting* setting, const Look* look)
{
    Box3d f = setting->survey.fluid;
    size_t count = 0;
    for (size_t k = 0; k < shot->solid_count && look->solids != SHOW_HIDDEN; k++) {
        const ShotSolid* s = &shot->solid[k];
        if (!s->visible)
            continue;
        mn_Pose still = {.rotation = quat_identity()};
        d->item[count++] = (SolidItem){.model = &s->model,
                                       .pose = s->type == MN_SOLID_ELASTIC ? still : s->pose,
                                       .look = look_of(look, setting, shot, k),
                                       .centre = vec3d_scale(vec3d_add(f.min, f.max), 0.5),
                                       .colour = s->colour,
                                       .paint = k < setting->looks.solid_count ? &setting->looks.solid[k] : NULL};
    }
    return count;
}

static void fill_particles(const Shot* shot, const Look* look, float radius, ParticleLook out[2])
{
    out[0] = (ParticleLook){.spheres = {shot->count, shot->position, 3, radius},
                            .paint = look->colour == FIELD_FLUID ? PAINT_FLUID : PAINT_SCALAR,
                            .scalar = shot->scalar,
                            .fluid = shot->fluid};
    out[1] = (ParticleLook){.spheres = {shot->boundary_count, shot->boundary, 3, 0.55f * radius},
                            .paint = PAINT_PLAIN,
                            .colour = {0.55f, 0.57f, 0.60f}};
}

// The same view with fewer pixels.
static Camera coarse_camera(const Camera* camera, double detail)
{
    Camera c = *camera;
    c.width = (int)fmax(detail * camera->width + 0.5, 1);
    c.height = (int)fmax(detail * camera->height + 0.5, 1);
    c.focal *= (double)c.height / camera->height;
    c.centre_x *= (double)c.width / camera->width;
    c.centre_y *= (double)c.height / camera->height;
    return c;
}

// --- a picture

mn_Result drawing_draw(Drawing* d, BackEnd* back, Shot* shot, const Setting* setting, const Look* look, const Camera* camera,
                       mn_Error* error)
{
    bool coarse = look->detail > 0 && look->detail < 1;
    const mn_Scene* scene = setting->scene;
    if (!shot_models(shot) || !memory_reserve(NULL, &d->item, &d->item_capacity, 0, shot->solid_count + 1, sizeof *d->item))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for solids");
    if (!d->has_map || d->map_name != look->map)
        colour_map_build(&d->map, look->map);
    d->has_map = true;
    d->map_name = look->map;
    Environment environment;
    environment_build(&environment, &scene->view, camera, setting->up, setting->looks.map.pixel ? &setting->looks.map : NULL);
    ParticleLook particles[2];
    fill_particles(shot, look, (float)scene->world.particle_radius, particles);
    const Pattern* ground = &setting->looks.ground;
    FoamSource foam = {shot->foam_count, shot->foam, shot->foam_id, shot->foam_kind, shot->foam_life, (float)shot->foam_radius};
    Box3d f = setting->survey.fluid;
    double fluid_size = setting->survey.has_fluid ? vec3d_distance(f.min, f.max) : 0;
    RenderInput input = {.camera = coarse ? coarse_camera(camera, look->detail) : *camera,
                         .box = setting->survey.box,
                         .up = setting->up,
                         .flat = scene->world.dimension == 2,
                         .ground = look->ground && scene->view.has_ground,
                         .ground_level = setting->survey.ground,
                         .ground_pattern = ground->size > 0 || setting->looks.ground_has_colour ? ground : NULL,
                         .particle_radius = scene->world.particle_radius,
                         .style = look->style,
                         .environment = &environment,
                         .own_light = scene->view.light_count > 0,
                         .fluid_paint = setting->looks.fluid,
                         .particles = particles,
                         .particle_count = shot->boundary_count ? 2 : 1,
                         .solids = d->item,
                         .solid_count = fill_items(d, shot, setting, look),
                         .map = &d->map,
                         .range = {look->range[0], look->range[1]},
                         .cut = cut_of(look, setting, camera),
                         .foam = scene->view.has_foam ? foam : (FoamSource){0},
                         .foam_look = foam_look_complete(&scene->view.foam, shot->foam_radius, fluid_size),
                         .foam_exposure = 1,
                         .background = to_vec3(scene->view.background),
                         .samples = look->fine || scene->world.dimension == 2 ? 2 : 1, // discs are cheap
                         .draft = !look->fine && !back->is_fast};
    return back->scene(back, &input, error);
}
