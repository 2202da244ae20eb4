// SPDX-License-Identifier: MIT
// What leaves a world: surfaces of fluids as triangle meshes, files of particles, run folders as the command writes them, pictures.
#ifndef MENISCUS_OUTPUT_H
#define MENISCUS_OUTPUT_H

#include <meniscus/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- surfaces

typedef struct mn_Surface mn_Surface;

// The surface of a fluid, or with 0 of all: closed, outward. `spacing` [particle radii] of the grid it is found on, 0.25 to 2, and
// rounds of smoothing; MN_AUTO: as `meniscus surface` does. NULL on failure.
MN_API mn_Surface* mn_world_surface(const mn_World* world, mn_FluidId fluid, double spacing, int smoothing, mn_Error* error);
MN_API void mn_surface_free(mn_Surface* surface); // NULL is allowed

typedef struct mn_SurfaceView {
    size_t vertex_count, triangle_count;
    const float* position; // [m] x, y, z per vertex
    const float* normal;   // [1] x, y, z per vertex
    const float* velocity; // [m/s] x, y, z per vertex
    const uint32_t (*triangle)[3];
} mn_SurfaceView;
MN_API mn_SurfaceView mn_surface_view(const mn_Surface* surface); // valid as long as the surface
// By the ending of the name: .vtp, .ply or .obj.
MN_API mn_Result mn_surface_write(const mn_Surface* surface, const char* path, mn_Error* error);

// --- particles: one file of a fluid, sorted by id. By the ending of the name: .vtp, .ply, .vtk, .csv or .bgeo.

MN_API mn_Result mn_world_write_particles(const mn_World* world, mn_FluidId fluid, const char* path, mn_Error* error);

// --- run folders

typedef struct mn_Run mn_Run;

// A folder as `meniscus run` makes it, for frames of a world that was built from a scene. The scene must outlive it. `replace`
// allows to remove the files of an earlier run, nothing else. Solids that events bring are in files of moving solids, not in
// bodies.csv. NULL on failure.
MN_API mn_Run* mn_run_create(const char* folder, const mn_Scene* scene, const mn_World* world, bool replace, mn_Error* error);
// Goes on with one: the world, just built from the scene, gets the state of its checkpoint; throw it away on failure.
MN_API mn_Run* mn_run_resume(const char* folder, const mn_Scene* scene, mn_World* world, mn_Error* error);
MN_API int64_t mn_run_last_frame(const mn_Run* run);                                // -1: none yet
MN_API mn_Result mn_run_frame(mn_Run* run, const mn_World* world, mn_Error* error); // the next one
MN_API mn_Result mn_run_checkpoint(mn_Run* run, const mn_World* world, mn_Error* error);
MN_API mn_Result mn_run_close(mn_Run* run, mn_Error* error); // frees it whatever the result; NULL is allowed

// --- pictures: fast ones, as `meniscus render` draws them

// 8-bit RGB, rows from the top, into view->width x view->height x 3 bytes. `view` NULL: that of the scene that the world was built
// from, or the default; size then mn_world_picture_size(). `threads` as in mn_WorldDef.
MN_API mn_Result mn_world_picture(const mn_World* world, const mn_ViewDef* view, int threads, uint8_t* rgb, mn_Error* error);
MN_API void mn_world_picture_size(const mn_World* world, int* width, int* height);
MN_API mn_Result mn_world_draw(const mn_World* world, const mn_ViewDef* view, const char* png, mn_Error* error); // to a file

#ifdef __cplusplus
}
#endif

#endif
