// SPDX-License-Identifier: MIT
// From a scene to a picture and a mesh: drawing.png and drawing.ply in the current folder, or the one that is named.
#include <meniscus/meniscus.h>
#include <stdio.h>
#include <string.h>

static const char TEXT[] =
    "{\"name\": \"drop\", \"particle_radius\": 0.01,"
    " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.4, 0.1, 0.4]}],"
    " \"spheres\": [{\"centre\": [0.2, 0.3, 0.2], \"radius\": 0.07, \"velocity\": [0, -2, 0]}]}],"
    " \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.4, 0.5, 0.4]}, \"position\": [0.2, 0.25, 0.2],"
    " \"inside\": true}]}";

static int fail(const mn_Error* error)
{
    return fprintf(stderr, "%s\n", error->message), 1;
}

int main(int count, char** words)
{
    mn_Error error;
    char path[1024];
    const char* folder = count > 1 ? words[1] : ".";
    mn_Scene* scene = mn_scene_parse(TEXT, strlen(TEXT), "drop", NULL, NULL, 0, &error);
    mn_World* world = scene ? mn_scene_build(scene, &error) : NULL;
    if (!world || mn_world_advance(world, 0.12, NULL, NULL, &error) != MN_OK)
        return fail(&error);

    mn_ViewDef view = mn_default_view_def();
    view.width = 480, view.height = 360;
    view.style = MN_STYLE_LIQUID;
    snprintf(path, sizeof path, "%.1000s/drawing.png", folder);
    if (mn_world_draw(world, &view, path, &error) != MN_OK)
        return fail(&error);
    printf("%s\n", path);

    mn_Surface* surface = mn_world_surface(world, 0, MN_AUTO, MN_AUTO, &error);
    snprintf(path, sizeof path, "%.1000s/drawing.ply", folder);
    if (!surface || mn_surface_write(surface, path, &error) != MN_OK)
        return fail(&error);
    printf("%s: %zu triangles\n", path, mn_surface_view(surface).triangle_count);
    mn_surface_free(surface);
    mn_world_destroy(world);
    mn_scene_free(scene);
}
