// SPDX-License-Identifier: MIT
// The fluid particles and everything a step computes about them.
//
// All particles have the same rest volume V0 = (2r)^d; fluids differ by rest density. Densities are kept relative,
//   s_i = V0 sum_j W_ij + sum_b V_b W_ib                     (number-density form of Akinci 2014, eqs. 3.1-3.4)
// so that one formula serves any mix of fluids, and pressures as P = p / s^2:
//   a_i = -1/rho0_i [ V0 sum_j (P_i + P_j) grad W_ij + P_i sum_b V_b grad W_ib ]         (eqs. 2.16 and 3.7)
#ifndef FLUID_FLUID_H
#define FLUID_FLUID_H

#include "base/parallel.h"
#include "base/simd.h"
#include "particles/moving.h"
#include "particles/neighbours.h"
#include <meniscus/defs.h>

enum { RESPONDERS_MOST = 4 };
enum { FLUIDS_MOST = 8 }; // a fluid's constants are looked up in one eight-lane register

// What a fluid is made of.
typedef struct FluidMaterial {
    float density; // [kg/m3] rho0
    mn_Viscosity viscosity_method;
    float viscosity; // artificial: alpha [1]; laplace, implicit: mu [Pa s]; xsph: epsilon [1]
    mn_Tension tension;
    float gamma;    // [m4/(kg s2)] strength of surface tension, 0: none
    float adhesion; // [1] factor of the solids' adhesion
    bool unused;    // neither particles nor emitters: sets no limits
} FluidMaterial;

typedef struct Fluid {
    ParticleSet set; // owns the arrays below

    // state: what the next step starts from
    Vec4* position;             // [m] x, y, z, and P [Pa] of the last pressure solve
    Vec4* velocity;             // [m/s] x, y, z, and the number of the fluid
    float* divergence_pressure; // [Pa] of dfsph's divergence-free solve
    float* packed;              // [1] excess of density that counts as rest, or less than 0 at a surface, see packing.h
    uint32_t* id;               // from 0 in order of birth

    // of the current positions, by the neighbour search
    float* density;  // [1] s, less what is packed
    float* diagonal; // [1/m2] see KernelSums

    // of the step under way
    Vec4* acceleration; // [m/s2] of the pass that ran last
    float* source;      // [1] what a solver works against
    float* divergence;  // [1/s] or [1/s2] of the pass that ran last
    float* iterate;     // [Pa] pressures of a solve under way
    uint8_t* kind;      // number of the fluid, for views; filled on demand
    const Vec4* before; // [m/s] velocities before the step, w: P [Pa]; NULL: no step is under way

    // between steps, in the set's scratch
    float* shown_pressure; // [Pa] for views; NULL: none are shown
} Fluid;

// The flat walls of a box that an accurate fluid sees itself in (mirror.h).
typedef struct Mirror {
    bool any;
    uint32_t solid;        // whose walls they are
    float low[3], high[3]; // [m] where they are; infinite across a plane
} Mirror;

// What density solves learn from one step to the next (pressure/jacobi.c).
typedef struct DensityControl {
    float kappa;           // [1] share of a tolerated compression that a step takes back; state
    double foreseen;       // [1] mean compression at the positions that the last solve led to, if it looked, else negative
    double unseen;         // [1] how far true ones were above it lately: lists do not know pairs that meet in a step; state
    bool deep;             // the last solve had use for the bulk level (pressure/bulk.h) from its start; state
    bool check_prediction; // the last steps moved so far that linear predictions of density are off by more than allowed; state
} DensityControl;

// Solids as the fluid meets them: boundary particles, and what their sampling lacks.
typedef struct SphWalls {
    BoundaryPoints points;               // what the lists were built with
    const uint32_t* solid;               // of each boundary particle
    const float* viscosity;              // [1] wall viscosity, per boundary particle
    float drag;                          // [1] what one layer of wall particles lacks in drag, see boundary_drag()
    float grip;                          // [1] the same for implicit viscosity, and
    float share;                         // [1] what of a particle's volume walls account for, see boundary_grip()
    float most_friction, most_viscosity; // [1] of all solids
    const struct Wetting* wetting;       // per solid; NULL: no adhesion. See tension/adhesion.h
    const struct Wetting* contact;       // the same, if a fluid has a tension by curvature; else NULL
} SphWalls;

// Who gives way to pressure; see responder.h.
typedef struct SphResponders {
    struct Responder* list[RESPONDERS_MOST];
    int count;
    uint8_t* owner; // (chunks) number from 1 of the last strong responder that touches it; 0: none
    size_t owner_capacity;
} SphResponders;

// Arrays that grow when somebody first needs them.
typedef struct SphScratch {
    double* partial; // one value per block, for sums in fixed order
    size_t partial_capacity;
    void* wrench; // of wall_forces
    size_t wrench_capacity;
    Vec4* normal; // n_i [1] and s_i, if a fluid has a surface tension that needs them
    size_t normal_capacity;
    Vec4* strain[2]; // [1/s] rates of strain (xx, yy, zz, xy), (yz, zx), if the solver is accurate; see viscosity/strain.h
    size_t strain_capacity[2];
    Vec4* viscous; // [m/s] of implicit viscosity (viscosity/implicit.c): velocities that it acted on, then vectors of the solve
    size_t viscous_capacity;
    Vec4* predicted; // [m] positions that pcisph predicts
    size_t predicted_capacity;
} SphScratch;

// Everything a stage of the step may look at.
typedef struct Sph {
    Memory* memory;
    Pool* pool;

    // model
    Kernel kernel;
    double radius;       // [m] r
    float volume;        // [m^d] V0: kernel sums of a lattice with the particle spacing are 1 / V0
    float mass_volume;   // [m^d] (2r)^d: a particle's mass is rho0 times this; V0 but for kernels that do not sum to 1
    Vec3d gravity;       // [m/s2]
    mn_SolverDef solver; // resolved
    FluidMaterial material[FLUIDS_MOST];
    int material_count;
    double usual_dt;   // [s] what the limits allow; a step may be cut short of it; 0: unknown
    double relax_time; // [s] compression of one unit is taken back over this time at the fastest

    // state, and what follows from positions
    Fluid fluid;
    CellGrid grid;
    Neighbours neighbours;
    DensityControl control; // of density solves
    bool first_step;        // there are no pressures of a last step

    // what is around the fluid
    SphWalls walls;
    Mirror mirror;
    SphResponders responders;

    struct SurfaceBand* band; // tension/band.h, if a fluid has a surface tension that needs it
    float lowest_pressure;    // [Pa] how far surfaces that curve inwards may pull; 0 without such a tension
    struct Bulk* bulk;        // pressure/bulk.h; NULL: none
    SphScratch scratch;
} Sph;

enum { CHUNK_GRAIN = 64 };      // chunks per block in parallel loops over lists
enum { PARTICLE_GRAIN = 4096 }; // particles per block in parallel loops without lists

// Adds the arrays to the set; the fluid must stay where it is from then on. fluid_reserve() and fluid_append() do it on demand.
bool fluid_init(Fluid* fluid);
bool fluid_reserve(Fluid* fluid, size_t count);
void fluid_free(Fluid* fluid);
MovingParticles fluid_moving(Fluid* fluid); // its particles, for whoever does not care that they are SPH
// False: out of memory.
bool fluid_append(Fluid* fluid, Vec3d position, Vec3d velocity, int kind, uint32_t id);

// Velocities and pressures before a step are kept in the set's scratch (Fluid.before), until fluid_accept() gives it back.
void fluid_keep(Fluid* fluid, Pool* pool);
void fluid_take_back(Fluid* fluid, Pool* pool);
void fluid_accept(Fluid* fluid);
void fluid_forget(Fluid* fluid); // a step failed: whoever borrowed scratch for it is done

// Between steps scratch has the pressures that views show; it is given back before anything changes. `fluid_show` returns where
// they go: shown_pressure, or NULL if there are no particles.
float* fluid_show(Fluid* fluid);
void fluid_hide(Fluid* fluid); // if they are shown

// Sum (in block order) of one value per block written by a parallel loop.
double sph_partial_sum(const Sph* sph, size_t blocks);
bool sph_reserve_partial(Sph* sph);

// Whether surfaces remember what their sums lack (packing.h) and particles' own motion is damped (viscosity.c): an accurate solver
// asks for it, and a tension that is found from the shape of the surface.
static inline bool sph_is_smooth(const Sph* sph)
{
    return sph->solver.accuracy == MN_ACCURACY_ACCURATE || sph->band;
}

// Inverse rest densities of the fluids as a lookup register.
static inline F8 sph_lookup(const float table[FLUIDS_MOST], F8 kind)
{
    return f8_lookup(f8_load(table), kind);
}

#endif
