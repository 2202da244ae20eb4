// SPDX-License-Identifier: MIT
// One frame of particles as a file: .vtp (raw appended binary, TimeValue), .ply (binary), legacy .vtk (binary), .csv, .bgeo
// (Houdini's classic format); all with id, velocity, density, pressure and fluid. Written to a temporary name and renamed, so that
// a file is whole or absent. Frames of spray, foam and bubbles (foam_file.h) are read alike.
#ifndef IO_FRAME_H
#define IO_FRAME_H

#include <meniscus/defs.h>

typedef struct Frame {
    double time; // [s]
    size_t count;
    float* position; // [m] x, y, z (stride 3)
    float* velocity; // [m/s] (stride 3)
    float* density;  // [kg/m3]
    float* pressure; // [Pa]
    uint32_t* id;    // sorted ascending in files, so that frames compare line by line
    uint8_t* fluid;  // index of the fluid in the scene
    float radius;    // [m] of diffuse particles; 0: the file says nothing
    bool has_velocity, has_id;
} Frame;

mn_Result frame_write(const char* path, mn_ParticleFormat format, const Frame* frame, mn_Error* error);
// Any of the formats that frame_write makes, by content. `frame` owns its arrays until frame_free.
mn_Result frame_read(const char* path, Frame* frame, mn_Error* error);
void frame_free(Frame* frame);

const char* frame_extension(mn_ParticleFormat format); // "vtp", "ply", "vtk", "csv", "bgeo"

// The particles of such a file as worlds ask for them.
mn_ReadParticlesFn frame_read_particles;

#endif
