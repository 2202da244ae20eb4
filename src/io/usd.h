// SPDX-License-Identifier: MIT
// A whole run as one file for Houdini, Blender and other programs that read Universal Scene Description, as text (.usda) or
// compact (.usdc): the fluids' surfaces as meshes and their particles as points (ids, velocities, widths), both as time samples;
// solids as meshes that a transform moves; spray, foam and bubbles as points.
#ifndef IO_USD_H
#define IO_USD_H

#include "io/run_folder.h"
#include "io/usd_layer.h"

typedef void UsdProgressFn(void* user, size_t done, size_t count);

typedef struct UsdJob {
    const RunFolder* run;
    const UsdFormat* format;    // NULL: text
    const char* surface_folder; // .ply files of surface_write; NULL: no surfaces
    size_t first, last, step;   // indices of frames
    bool particles;             // write them too
    const char* foam_folder;    // of frames of diffuse particles; NULL: those of the run, if there are any
    UsdProgressFn* progress;    // may be NULL
    void* user;
} UsdJob;

// "usda", "usdc"; NULL: neither.
const UsdFormat* usd_format(const char* name);

mn_Result usd_write(const char* path, const UsdJob* job, mn_Error* error);

// An identifier of USD from any name: letters, digits and '_', no digit first.
void usd_name(char* out, size_t size, const char* name);

#endif
