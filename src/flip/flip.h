// SPDX-License-Identifier: MIT
// The grid fluid: particles carry the fluid, a staggered grid makes it incompressible (PIC/FLIP: Zhu and Bridson 2005; Brandt 2019,
// algorithm 2). A step is
//   flip_find      blocks of cells where particles are; particles are sorted by cell
//   flip_walls     what of each face and cell is open, and how walls move
//   flip_to_grid   masses and momenta of particles to faces: u, kept as u_old
//   flip_forces    gravity, viscosity
//   flip_solve     pressures that take the divergence away: u_new
//   flip_extend    u_new beyond the fluid
//   flip_to_particles   velocities v = (1 - c) (v + u_new - u_old) + c u_new, c the share of PIC; positions by the midpoint rule
//
// Cells are dx wide and start at the origin. Velocity component a lies on the low face of axis a of its cell, so that cell i has
// the faces i and i + 1. In 2D there is one layer of cells.
#ifndef FLIP_FLIP_H
#define FLIP_FLIP_H

#include "flip/inside.h"
#include "flip/poisson.h"
#include "flip/walls.h"
#include "particles/cell_grid.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { FLIP_FLUIDS = 8 };
// Cells around a particle's that must exist: one that it is spread to, and two that its velocity is extended to.
enum { FLIP_REACH = 3 };

typedef struct FlipDef {
    Memory* memory;
    Pool* pool;
    int dimension;
    double cell_size;             // [m] dx
    double spacing;               // [m] of particles at rest
    float density[FLIP_FLUIDS];   // [kg/m3]
    float viscosity[FLIP_FLUIDS]; // [Pa s]
    int fluid_count;
    double pic;       // [1] c, share of PIC in the velocities
    bool apic;        // velocities are affine in the cell, and c is 1 (Jiang 2015)
    double tolerance; // [1] of the pressure equation
    int most_iterations;
    int jacobi;        // so many plain iterations instead; 0: none
    double relax_time; // [s] in which compression is taken back at the fastest
} FlipDef;

// The particles that a step goes through, in the order of the sort.
typedef struct FlipParticles {
    Vec4* position;  // [m] x, y, z, and their pressure [Pa]
    Vec4* velocity;  // [m/s] x, y, z, and the number of the fluid
    Vec4* affine[3]; // [1/s] rows of the velocities' gradient, in apic; else NULL
    size_t count;
} FlipParticles;

struct Flip {
    FlipDef def;
    double dx;      // [m] of a cell
    float lightest; // [kg/m3] the largest density: lightness is relative to it
    float column;   // [kg/m3] of the heaviest fluid: that of columns at rest
    Blocks blocks;
    uint32_t (*run)[ROWS][2]; // (blocks) first particle of a row of cells, and the one after the last
    uint32_t* slot;           // (blocks) from 1: number of its table, 0: no particles
    size_t slots;
    float* table;   // (slots) see transfer.h
    uint32_t* near; // (blocks) scratch of flip_find

    // per cell, CELLS per block; faces are the low ones
    float* velocity[3];  // [m/s] u of now
    float* old[3];       // [m/s] u_old; from flip_extend on u_new - (1 - c) u_old
    float* mass[3];      // [1] of particles at faces, in masses of the heaviest
    float* fill;         // [1] share of what is open that particles fill; -1: nothing is open
    float* lightness[3]; // [1] density of the heaviest fluid to that at the face; NULL: there is one fluid
    float* q;            // [m/s] dt p / (rho dx), rho of the heaviest fluid
    float* b;            // [m/s]
    float* wanted;       // scratch of flip_extend and flip_viscosity
    // (blocks) a bit per cell, 8 y + x of layer z: velocity components that the fluid, a wall or flip_extend gave, and those of the
    // layer of flip_extend under way
    uint64_t (*known)[3][EDGE];
    uint64_t (*fresh)[3][EDGE];
    double speed; // [m/s] of the fastest face of fluid; infinite if something is not a number
    Walls walls;
    Inside inside; // solids that the grid carries
    Poisson poisson;
    size_t block_capacity, table_capacity, near_capacity;
    Vec3d gravity; // [m/s2] that pressures are expected to balance: they go to particles and back without its share
    double dt;     // [s] of the step under way
    PoissonReport report;
    double residual; // [1/s] mean over cells of fluid of the divergence that the pressure left, without its sign
};

// `flip` stays where it is from then on. False: out of memory; free it in any case.
bool flip_create(Flip* flip, const FlipDef* def);
void flip_free(Flip* flip);

// `grid` was built with cells of dx, and particles are in its order. False: out of memory.
bool flip_find(Flip* flip, const CellGrid* grid);
// In flip_find: the number of a block that is added if it is not there, 0: out of memory; and bits of the blocks around that are
// within reach of cells low..high.
uint32_t flip_add_block(Flip* flip, BlockKey key);
uint32_t flip_near_blocks(const int low[3], const int high[3], int reach, int dimension);
// Whether densities differ.
static inline bool flip_is_mix(const Flip* flip)
{
    return flip->def.fluid_count > 1 || flip->inside.solid_count > 0;
}
void flip_to_grid(Flip* flip, const FlipParticles* particles, double dt);
void flip_gravity(Flip* flip, Vec3d gravity);
void flip_viscosity(Flip* flip);
bool flip_solve(Flip* flip);                // false: out of memory
void flip_extend(Flip* flip, double speed); // [m/s] of the fastest particle
// Where particles were goes to `before`, if it is not NULL.
void flip_to_particles(Flip* flip, const FlipParticles* particles, Vec4* before);
// Solids that the grid carries have taken their step: fluid leaves what is theirs now, and who may be in one all the same is noted
// (Inside.suspect). False: out of memory.
bool flip_leave_solids(Flip* flip, const FlipParticles* particles);

// [m/s] u of now at a point, extended; for tests and probes.
Vec3d flip_velocity_at(const Flip* flip, Vec3d point);
// Root mean square and largest divergence [1/s] of cells of fluid, without what drift correction asks for.
void flip_divergence(const Flip* flip, double* rms, double* most);
// Mean and largest compression [1].
void flip_compression(const Flip* flip, double* mean, double* most);
double flip_fill_at(const Flip* flip, Vec3d point); // [1] of the cell that it is in
void flip_fills_at(const Flip* flip, const Vec4* point, size_t count, float* out);
double flip_volume(const Flip* flip); // [m^d] that cells are filled with
size_t flip_bytes_per_cell(void);

#endif
