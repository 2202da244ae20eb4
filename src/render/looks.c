// SPDX-License-Identifier: MIT
// Real water is clear at the size of a tank. What people take for water is a colour that deepens over the whole scene, so
// absorption is measured by its size: after half of it white light has the fluid's colour.
#include "render/looks.h"
#include "base/error.h"
#include "io/file.h"
#include "render/colour.h"
#include "solid/solid.h"

#include <stdlib.h>
#include <string.h>

static Vec3 linear(mn_Vec3 srgb)
{
    return colour_to_linear3((Vec3){(float)srgb.x, (float)srgb.y, (float)srgb.z});
}

static bool is_given(mn_Vec3 v)
{
    return v.x >= 0;
}

static mn_Result read_image(Image* image, const mn_Scene* scene, const char* file, mn_Error* error)
{
    char path[PATH_SIZE];
    if (file[0] == '/' || !scene->folder || !scene->folder[0])
        snprintf(path, sizeof path, "%s", file);
    else if (path_join(path, scene->folder, file, error) != MN_OK)
        return MN_BAD_INPUT;
    return image_read(image, path, error);
}

// --- solids

static double extent(const Subject* subject, size_t index, Vec3* middle)
{
    for (size_t k = 0; k < subject->solid_count; k++)
        if (subject->solid[k].index == index) {
            Box3d box = tri_mesh_bounds(&subject->solid[k].mesh);
            Vec3d size = vec3d_sub(box.max, box.min), c = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
            *middle = (Vec3){(float)c.x, (float)c.y, (float)c.z};
            return fmax(size.x, fmax(size.y, size.z));
        }
    *middle = (Vec3){0, 0, 0};
    return 1;
}

static void paint_solid(SolidPaint* paint, const mn_SolidLook* look, const Subject* subject, size_t index, const Image* texture)
{
    bool checker = is_given(look->checker);
    Vec3 middle;
    double size = extent(subject, index, &middle);
    if (!(size > 0))
        size = 1;
    paint->finish = look->finish;
    if (is_given(look->colour))
        paint->colour = linear(look->colour);
    paint->roughness = (float)look->roughness;
    paint->ior = (float)look->ior;
    paint->patterned = texture || checker;
    paint->pattern = (Pattern){.colour = paint->colour,
                               .checker = linear(look->checker),
                               .texture = texture,
                               .size = (float)(look->pattern > 0 ? look->pattern
                                               : texture         ? size
                                                                 : size / 4),
                               .origin = middle};
}

static mn_Result build_solids(Looks* looks, const Subject* subject, const mn_ViewDef* view, mn_Error* error)
{
    const mn_Scene* scene = subject->scene;
    looks->solid = calloc(scene->solid_count + 1, sizeof *looks->solid);
    looks->texture = calloc(view->solid_count + 1, sizeof *looks->texture);
    if (!looks->solid || !looks->texture)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    looks->solid_count = scene->solid_count;
    looks->texture_count = view->solid_count;
    for (size_t k = 0; k < scene->solid_count; k++)
        looks->solid[k] = (SolidPaint){.colour = linear(solid_def_colour(&scene->solids[k])),
                                       .roughness = 0.2f,
                                       .ior = 1.5f,
                                       .has_inner = is_given(scene->solids[k].inner_colour),
                                       .inner = linear(scene->solids[k].inner_colour)};
    for (size_t k = 0; k < scene->solid_count; k++)
        if (scene->solids[k].finish == MN_SOLID_FINISH_GLASS)
            looks->solid[k].finish = MN_FINISH_GLASS;
    for (size_t v = 0; v < view->solid_count; v++) {
        const mn_SolidLook* look = &view->solids[v];
        mn_Result result = look->texture ? read_image(&looks->texture[v], scene, look->texture, error) : MN_OK;
        if (result != MN_OK)
            return result;
        for (size_t k = 0; k < scene->solid_count; k++)
            if (!strcmp(scene->solids[k].name, look->solid))
                paint_solid(&looks->solid[k], look, subject, k, look->texture ? &looks->texture[v] : NULL);
    }
    return MN_OK;
}

// --- fluids

// White light becomes `colour` after `depth`.
static Vec3 absorption_of(Vec3 colour, double depth)
{
    const float least_light = 0.002f;
    float s = (float)(-1 / depth);
    return (Vec3){s * logf(fmaxf(colour.x, least_light)), s * logf(fmaxf(colour.y, least_light)),
                  s * logf(fmaxf(colour.z, least_light))};
}

// Linear light after half the scene: that of a material with a colour of its own, else by number water, amber, red, green.
static Vec3 own_colour(const mn_Scene* scene, size_t f)
{
    static const Vec3 own[] = {{0.11f, 0.46f, 0.69f}, {0.74f, 0.37f, 0.08f}, {0.61f, 0.14f, 0.22f}, {0.14f, 0.64f, 0.22f}};
    static const struct {
        const char* material;
        Vec3 colour;
    } known[] = {{"honey", {0.74f, 0.30f, 0.03f}}, {"oil", {0.72f, 0.60f, 0.10f}}, {"motor_oil", {0.45f, 0.20f, 0.04f}}};
    const char* material = f < scene->fluid_count ? scene->fluids[f].material : NULL;
    for (size_t k = 0; material && k < sizeof known / sizeof *known; k++)
        if (!strcmp(material, known[k].material))
            return known[k].colour;
    return own[f % (sizeof own / sizeof *own)];
}

static void build_fluids(Looks* looks, const mn_Scene* scene, const mn_ViewDef* view, double size)
{
    double half = size > 0 ? size / 2 : 0.5;
    for (size_t f = 0; f < MAX_FLUIDS; f++)
        looks->fluid[f] = (FluidPaint){absorption_of(own_colour(scene, f), half), 1.333f};
    for (size_t v = 0; v < view->fluid_count; v++)
        for (size_t f = 0; f < scene->fluid_count && f < MAX_FLUIDS; f++) {
            const mn_FluidLook* look = &view->fluids[v];
            if (strcmp(scene->fluids[f].name, look->fluid))
                continue;
            FluidPaint* paint = &looks->fluid[f];
            paint->ior = (float)look->ior;
            double depth = look->depth > 0 ? look->depth : half;
            if (is_given(look->colour))
                paint->absorption = absorption_of(linear(look->colour), depth);
            else if (look->depth > 0)
                paint->absorption = absorption_of(own_colour(scene, f), depth);
            if (is_given(look->absorption))
                paint->absorption = (Vec3){(float)look->absorption.x, (float)look->absorption.y, (float)look->absorption.z};
        }
}

mn_Result looks_build(Looks* looks, const Subject* subject, const mn_ViewDef* view, double size, mn_Error* error)
{
    *looks = (Looks){0};
    mn_Result result = build_solids(looks, subject, view, error);
    if (result == MN_OK && view->environment.sky == MN_SKY_MAP && view->environment.file)
        result = read_image(&looks->map, subject->scene, view->environment.file, error);
    if (result != MN_OK) {
        looks_free(looks);
        return result;
    }
    build_fluids(looks, subject->scene, view, size);
    const mn_GroundDef* g = &view->ground;
    looks->ground_has_colour = is_given(g->colour);
    looks->ground = (Pattern){.colour = looks->ground_has_colour ? linear(g->colour) : (Vec3){0.36f, 0.36f, 0.36f}};
    if (is_given(g->checker)) {
        looks->ground.checker = linear(g->checker);
        looks->ground.size = (float)(g->checker_size > 0 ? g->checker_size : fmax(size, 1e-6) / 5);
    }
    return MN_OK;
}

void looks_free(Looks* looks)
{
    for (size_t k = 0; looks->texture && k < looks->texture_count; k++)
        image_free(&looks->texture[k]);
    image_free(&looks->map);
    free(looks->texture);
    free(looks->solid);
    *looks = (Looks){0};
}
