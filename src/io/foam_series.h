// SPDX-License-Identifier: MIT
// Foam from the frames of a run: reads frame after frame, keeps two of them, moves the fluid between them and the solids with it,
// and makes diffuse particles on the way as a run makes them step by step. Each frame that is done is a file and a row of foam.csv;
// the two are all that is needed to go on from there.
#ifndef IO_FOAM_SERIES_H
#define IO_FOAM_SERIES_H

#include "foam/between.h"
#include "foam/foam.h"
#include "io/foam_file.h"
#include "io/run_names.h"
#include "io/table.h"

typedef struct FoamSeriesDef {
    const char* run;         // folder
    const char* out;         // folder; NULL: the run's own
    const char* const* sets; // "amount=2": keys of foam that differ from what the run's scene says
    size_t set_count;
    mn_ParticleFormat format; // MN_PARTICLES_NONE: that of the run, or vtp
    int substeps;             // between frames; 0: by how far the fluid moves
    bool again;               // makes frames that are there already again
    Pool* pool;
} FoamSeriesDef;

typedef struct FoamSeries {
    FoamSeriesDef def;
    RunFolder run;
    RunNames names;
    mn_ParticleFormat format;
    Memory memory;
    mn_World* world; // of the run's scene at its start: its solids and how fast it is
    Foam foam;
    FoamSides sides;
    FoamBetween between;
    Frame last, next;                          // of the fluid
    TriMesh *last_mesh, *next_mesh, *now_mesh; // (solids) those that deform; NULL: none does
    size_t frame;                              // index of the last that is done
    bool began;                                // there is such a frame
    char folder[PATH_SIZE];
    Table table;
    uint64_t rules; // hash
    int last_substeps;
} FoamSeries;

// Opens the run, checks all that can be checked, and goes on behind what is there already; nothing is written before all is well.
mn_Result foam_series_open(FoamSeries* series, const FoamSeriesDef* def, mn_Error* error);
bool foam_series_is_done(const FoamSeries* series);
mn_Result foam_series_next(FoamSeries* series, mn_Error* error);  // makes one frame more
mn_Result foam_series_list(FoamSeries* series, mn_Error* error);  // the .pvd of what is there
mn_Result foam_series_close(FoamSeries* series, mn_Error* error); // may be called after any failure

#endif
