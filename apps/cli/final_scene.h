// SPDX-License-Identifier: MIT
// What the path tracer sees of a frame: surfaces of fluids or balls, solids, edges of containers, the face of a cut.
#ifndef CLI_FINAL_SCENE_H
#define CLI_FINAL_SCENE_H

#include "render_final.h"
#include "surface/surface.h"

typedef struct FinalScene {
    SurfaceMesh surface[MAX_FLUIDS];
    size_t fluid_count;
    Vec3* surface_colour[MAX_FLUIDS];
    Vec3** corner; // of solids, three per triangle: positions, normals, positions in the solid's own frame
    uint32_t (**index)[3];
    TraceMesh* mesh;
    size_t mesh_count;
    TraceBalls balls[3]; // particles of fluid, of boundaries, of foam
    size_t ball_sets;
    Vec4* ball[3];
    Vec3* ball_colour;
    float* ball_opacity; // of foam
    Image cut;           // colours of the face of a cut
    TraceClip clip;
} FinalScene;

// NULL with `error` filled on failure.
FinalScene* final_scene_create(const FinalOptions* options, const FinalView* view, mn_Error* error);
void final_scene_destroy(FinalScene* scene, const FinalView* view); // NULL is allowed

#endif
