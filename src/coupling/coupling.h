// SPDX-License-Identifier: MIT
// Coupling methods: how fluid and solids exchange momentum. A method is a table of functions, chosen by the scene. It sees solids
// through their kinds alone (solid/kind.h), and the fluid sees what a method makes of them as responders (fluid/responder.h).
#ifndef COUPLING_COUPLING_H
#define COUPLING_COUPLING_H

#include "base/register.h"
#include "boundary/boundary.h"
#include "fluid/wall_force.h"

// What holds solids is found again, under the loads that Solid.force and Solid.torque say: SolidKind.other_acceleration follows.
// For the solids that step together with one; in a try at a step of `dt` [s]. False: they failed.
typedef struct SolidAnswer {
    bool (*predict)(void* context, const Solid* solid, double dt);
    void* context;
} SolidAnswer;

typedef struct CouplingDef {
    Memory* memory;
    Sph* sph;
    Boundary* boundary; // built
    Solid* solid;       // where they are; all of them stay
    size_t solid_count;
    bool strong; // solids give way within the iterations of a pressure solve
    mn_Response response;
    SolidAnswer answer;
    mn_CouplingDef settings;
    const double* expected_speed; // [m/s] of a fall through the scene; known before the first step
} CouplingDef;

typedef struct CouplingMethod {
    const char* name;
    mn_Coupling type;
    bool on_grid;                                       // stages of a grid fluid do it: the functions below do nothing
    bool has_friction;                                  // friction and wall_viscosity of solids act on fluid
    bool throws_light;                                  // bodies much lighter than the fluid, that are held besides, may be thrown
    BoundaryVolumes (*volumes)(const mn_WorldDef* def); // whose boundary particles fill densities; NULL: all
    double (*distance)(const mn_WorldDef* def);         // [m] from walls on that fluid is not pushed; NULL: a particle radius
    void* (*create)(const CouplingDef* def);            // NULL: out of memory
    void (*destroy)(void* coupling);
    void (*place)(void* coupling); // solids are where the next step starts; before neighbours are searched
    // Solids that deform came apart, and skins of the boundary have followed; before `place`. NULL: nothing is kept by vertex.
    // False: out of memory.
    bool (*follow)(void* coupling);

    // --- a try at a step of `dt` [s]
    void (*begin)(void* coupling, double dt);  // solids know what all but the fluid will do to them
    bool (*forces)(void* coupling, double dt); // friction and adhesion, before they act on the fluid. False: out of memory
    void (*settle)(void* coupling, double dt); // after pressures were found, before they act
    // [m/s] of the fastest point of a solid that gives way: with this speed it may go no farther than `path` [m] in a step.
    double (*speed)(const void* coupling, double path);                  // now, of those that deform
    double (*speed_after)(const void* coupling, double path, double dt); // after the step, as far as it is known

    double (*longest_step)(const void* coupling); // [s] that the next step should be at most; NULL: any

    // --- the step is accepted. Conditions on velocities and positions of the fluid may be NULL.
    bool (*constrain)(void* coupling, double time,
                      double dt);              // velocities are complete; the step ends at `time` [s]. False: failed
    bool (*finish)(void* coupling, double dt); // forces and loads of all solids. False: out of memory
    // The force on a part of a solid, right after `finish`. NULL: not known.
    bool (*part_force)(void* coupling, WallPart* part);
    void (*before_solids)(void* coupling); // around the solids' own step;
    // steps far below the `usual` length [s], between a frame and an event, tell nothing about accelerations
    void (*after_solids)(void* coupling, double dt, double usual);
    void (*keep_apart)(void* coupling, double time); // fluid and solids have moved; it is `time` [s]

    // Registers state besides that of the solids; loaded after theirs, and before `place`. False: out of memory.
    bool (*register_state)(void* coupling, Register* reg);
} CouplingMethod;

extern const CouplingMethod coupling_akinci, coupling_direct, coupling_gauss;
// For fluids whose own stages exchange momentum with solids: `(Coupling){&coupling_immersed}` does nothing.
extern const CouplingMethod coupling_immersed;

const CouplingMethod* coupling_method(mn_Coupling type);
const CouplingMethod* coupling_on_grid(void); // the one for grid fluids

// A method at work.
typedef struct Coupling {
    const CouplingMethod* method; // NULL: none
    void* data;
} Coupling;

// `coupling` must be zero. False: out of memory.
bool coupling_create(Coupling* coupling, const CouplingMethod* method, const CouplingDef* def);
void coupling_destroy(Coupling* coupling);

#endif
