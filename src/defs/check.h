// SPDX-License-Identifier: MIT
// Whether a definition is allowed: every value within the limits that the table of keys states, and what concerns several values at
// once. The scene reader and the world both ask here, so that a scene file and the same def made by hand get the same answer.
// Names of solids, joints and fluids are looked up by whoever knows them.
#ifndef DEFS_CHECK_H
#define DEFS_CHECK_H

#include "defs/keys.h"

// Ids of particles have 32 bits; half of them is more than any machine simulates today.
#define MOST_PARTICLES 2147483647.0
enum { MOST_FLUIDS = 8, LONGEST_STRING = 4096, LONGEST_NAME = 64 };

// What limits depend on.
struct DefContext {
    int dimension;
    double particle_radius; // [m]
};

// All keys of an object that apply, and the lists and objects in it. `error` names the key: "blocks.0.max".
mn_Result def_check(const Section* section, const DefContext* context, const void* object, mn_Error* error);
mn_Result def_check_world(const mn_WorldDef* def, mn_Error* error);
// Whether a list of the scene ("solids") may have that many entries.
mn_Result def_check_count(const char* list, size_t count, mn_Error* error);

mn_Result def_check_shape(const mn_Shape* shape, int dimension, mn_Error* error);
bool def_good_name(const char* name); // names become file names and column titles

// Particles that the blocks and balls of a fluid start with, about.
double def_particles(const mn_FluidDef* fluid, const DefContext* context);
// Whether anything happens in an event at all, and whether something does that can only happen between steps.
bool def_event_does(const mn_EventDef* event);
bool def_event_is_live(const mn_EventDef* event);
bool def_event_builds(const mn_EventDef* event); // solids or joints come or go
// How many particles of the radius fill a volume [m3]; in 2D an area [m2].
double def_particles_in(double volume, const DefContext* context);

// check_sections.c: what concerns several keys of a section, for the table. The keys themselves were checked before.
mn_Result scene_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result solver_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result foam_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result tension_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result fluid_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result block_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result ball_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result fluid_shape_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result emitter_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result drain_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result sponge_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result solid_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result pin_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result joint_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result event_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result chain_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result ragdoll_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result probe_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result camera_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result light_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result foam_look_check(const DefContext* context, const void* object, mn_Error* error);
mn_Result view_check(const DefContext* context, const void* object, mn_Error* error);

// Sets a key and a message; returns MN_BAD_INPUT.
__attribute__((format(printf, 3, 4))) mn_Result def_bad(mn_Error* error, const char* key, const char* format, ...);

#endif
