// SPDX-License-Identifier: MIT
// The table itself. Keys are read and written in this order: what others depend on (dimension, type) comes first.
#include "defs/key_table.h"

// clang-format off
#define SCENE(member) offsetof(mn_Scene, member)
#define SOLVER(member) offsetof(mn_SolverDef, member)
#define FLUID(member) offsetof(mn_FluidDef, member)
#define EMITTER(member) offsetof(mn_Emitter, member)
#define JOINT(member) offsetof(mn_JointDef, member)
#define OUTPUT(member) offsetof(mn_OutputDef, member)

_Static_assert(sizeof(mn_Pressure) == sizeof(int), "enums are stored as int");

// --- names of choices, in the order of the enums in defs.h

static const char* const pressure_words[] = {"sesph", "pcisph", "iisph", "dfsph", "flip", NULL};
static const char* const transfer_words[] = {"flip", "apic", NULL};
static const char* const kernel_words[] = {"cubic", "wendland", "poly6", "spiky", "auto", NULL};
static const char* const viscosity_words[] = {"artificial", "laplace", "xsph", "implicit", NULL};
static const char* const tension_words[] = {"akinci", "becker", "tartakovsky", "curvature", NULL};
const char* const joint_words[] = {"ball", "hinge", "slider", "fixed", NULL};
static const char* const emitter_words[] = {"box", "disc", "shape", NULL};
static const char* const profile_words[] = {"uniform", "parabolic", NULL};
static const char* const drain_words[] = {"box", "disc", NULL};
const char* const interpolation_words[] = {"linear", "smooth", NULL};
static const char* const particle_words[] = {"none", "vtp", "ply", "vtk", "csv", "bgeo", NULL};
static const char* const mesh_words[] = {"none", "vtp", "ply", "obj", NULL};
static const char* const coupling_words[] = {"akinci", "direct_forcing", "gauss", "immersed", NULL};
static const char* const accuracy_words[] = {"fast", "accurate", "live", NULL};
static const char* const density_words[] = {"summed", "corrected", NULL};
static const char* const response_words[] = {"local", "global", "one_way", NULL};
static const char* const reaction_words[] = {"exact", "amplified", NULL};
static const char* const surface_words[] = {"none", "vtp", "ply", "obj", NULL};

// --- solver, coupling

static bool is_sesph(const void* object)
{
    return ((const mn_SolverDef*)object)->method == MN_PRESSURE_SESPH;
}

static const Key solver_keys[] = {
    {.name = "method", .type = KEY_ENUM, .offset = SOLVER(method), .words = pressure_words,
     .doc = "Pressure method: dfsph is the fastest for most scenes, iisph and pcisph also keep the fluid incompressible by "
            "iteration, sesph computes pressure from a stiff equation of state; flip "
            "computes the fluid on a grid that particles carry along, which is fastest for much fluid and long steps."},
    {.name = "accuracy", .type = KEY_ENUM, .offset = SOLVER(accuracy), .words = accuracy_words, .chosen = solver_go_live,
     .doc = "accurate sees the walls of a resting box as mirrors, keeps surfaces from falling into what kernel sums lack there, damps no linear "
            "flow, and takes the wendland kernel with a support radius of 6.04 particle radii: waves lose a tenth as much per period, at about 3 (2D) to 8 (3D) times the cost of a step. "
            "live is fast with other defaults of the keys below: max_density_error 0.01, max_divergence_error 0.002, max_pressure_error 0.3, cfl 1."},
    {.name = "max_density_error", .type = KEY_NUMBER, .offset = SOLVER(max_density_error), .unit = "1", .range = WITHIN(1e-6, 0.1),
     .doc = "Mean relative compression at which the iterated methods stop."},
    {.name = "max_divergence_error", .type = KEY_NUMBER, .offset = SOLVER(max_divergence_error), .unit = "1",
     .range = WITHIN(1e-6, 0.1), .doc = "Mean relative density change per step at which the divergence-free solve of dfsph stops."},
    {.name = "max_pressure_error", .type = KEY_NUMBER, .offset = SOLVER(max_pressure_error), .unit = "1", .range = WITHIN(1e-4, 1),
     .doc = "Share of the pressure that the iterated methods may leave wrong once max_density_error is met, as far as 30 more "
            "iterations per step reach. Small values keep deep water calm; 1 stops as soon as the predicted density is within max_density_error."},
    {.name = "min_iterations", .type = KEY_INTEGER, .offset = SOLVER(min_iterations), .range = WITHIN(1, 100000),
     .doc = "Iterations per step at least."},
    {.name = "max_iterations", .type = KEY_INTEGER, .offset = SOLVER(max_iterations), .range = WITHIN(1, 100000),
     .doc = "Iterations per step at most; steps that reach it are counted and reported."},
    {.name = "density", .type = KEY_ENUM, .offset = SOLVER(density), .words = density_words, .applies = is_sesph, .only = "sesph",
     .doc = "corrected divides sums over neighbours by the volume that these fill, so that density does not fall where neighbours "
            "are missing; with direct_forcing solids then hold the fluid by contacts alone (Becker 2009)."},
    {.name = "gamma", .type = KEY_NUMBER, .offset = SOLVER(gamma), .unit = "1", .range = WITHIN(1, 7),
     .doc = "Exponent of the Tait equation of state of sesph: 1 or 7."},
    {.name = "speed_of_sound", .type = KEY_NUMBER, .offset = SOLVER(speed_of_sound), .unit = "m/s", .range = ABOVE(0, 1e6),
     AUTO,
     .doc = "Numerical speed of sound: stiffness of sesph, and scale of the artificial viscosity; auto derives it from the scene."},
    {.name = "time_step", .type = KEY_NUMBER, .offset = SOLVER(time_step), .unit = "s", .range = STEP, AUTO,
     .doc = "A fixed time step; auto adapts it to speeds and forces."},
    {.name = "cfl", .type = KEY_NUMBER, .offset = SOLVER(cfl), .unit = "1", .range = ABOVE(0, 1),
     .doc = "Share of the particle spacing that the fastest particle may travel in an adaptive step; flip: of two and a half cells."},
    {.name = "min_time_step", .type = KEY_NUMBER, .offset = SOLVER(min_time_step), .unit = "s", .range = STEP, AUTO,
     .doc = "Adaptive steps are never shorter; auto derives it from the scene."},
    {.name = "max_time_step", .type = KEY_NUMBER, .offset = SOLVER(max_time_step), .unit = "s", .range = STEP, AUTO,
     .doc = "Adaptive steps are never longer; auto derives it from the scene."},
    {.name = "warm_start", .type = KEY_BOOLEAN, .offset = SOLVER(warm_start),
     .doc = "Iterated methods start from the pressures of the last step."},
    {.name = "cell_size", .type = KEY_NUMBER, .offset = SOLVER(cell_size), .unit = "m", .range = ABOVE(0, 1e6), AUTO,
     .doc = "flip: width of the cells of the grid; auto is two particle spacings, eight particles in a cell."},
    {.name = "pic", .type = KEY_NUMBER, .offset = SOLVER(pic), .unit = "1", .range = WITHIN(0, 1),
     .doc = "flip: share of the grid's velocity in the particles' own (PIC), the rest is the change of the grid's velocity (FLIP). "
            "More of it is smoother and more viscous."},
    {.name = "transfer", .type = KEY_ENUM, .offset = SOLVER(transfer), .words = transfer_words,
     .doc = "flip: how velocities go from the grid to particles: flip blends by solver.pic, apic takes those of the grid and "
            "their gradient, which is calm and keeps rotation."},
    {.name = "tolerance", .type = KEY_NUMBER, .offset = SOLVER(tolerance), .unit = "1", .range = WITHIN(1e-6, 0.1),
     .doc = "flip: share of the divergence that the pressure equation may leave."},
    {.name = "iterations", .type = KEY_INTEGER, .offset = SOLVER(iterations), .range = WITHIN(0, 100000),
     .doc = "flip: so many plain Jacobi iterations in place of multigrid, as in Brandt 2019; 0 is multigrid to solver.tolerance."},
};

const Section solver_section = {.path = "solver",
                                       .doc = "How pressures are computed and how long a step is.",
                                       .size = sizeof(mn_SolverDef),
                                       .keys = solver_keys,
                                       .key_count = COUNT(solver_keys),
                                       .check = solver_check};

static bool is_direct(const void* object)
{
    return ((const mn_CouplingDef*)object)->method == MN_COUPLING_DIRECT_FORCING;
}

static bool is_gauss(const void* object)
{
    return ((const mn_CouplingDef*)object)->method == MN_COUPLING_GAUSS;
}

static const Key coupling_keys[] = {
    {.name = "method", .type = KEY_ENUM, .offset = offsetof(mn_CouplingDef, method), .words = coupling_words,
     .doc = "How fluid and solids exchange momentum. akinci: boundary particles that take part in the fluid's density and pressure, with "
            "friction; direct_forcing: particles that touch a solid get the velocity that its slip and fluid_restitution say, and "
            "stay 0.9 radii away from it; gauss: a traction between fluid particles and points of a Gauss rule on the surface; immersed: "
            "the fluid's grid carries elastic solids along, the one method of solver.method flip, which takes it whatever this key says."},
    {.name = "response", .type = KEY_ENUM, .offset = offsetof(mn_CouplingDef, response), .words = response_words, .applies = is_direct,
     .only = "direct_forcing",
     .doc = "How rigid bodies respond to the conditions: local, to each contact as if it were the only one; global, to all at "
            "once; one_way: they do not feel the fluid at all."},
    {.name = "strong", .type = KEY_BOOLEAN, .offset = offsetof(mn_CouplingDef, strong),
     .doc = "Rigid bodies and elastic solids respond within the pressure iterations, so that light ones need no shorter steps; false "
            "keeps their velocity while pressures are found, as sesph always does."},
    {.name = "resample_by_density", .type = KEY_BOOLEAN, .offset = offsetof(mn_CouplingDef, resample_by_density),
     .doc = "Boundary particles of elastic solids are added and removed where their number density leaves its bounds; false: where "
            "lengths of edges and heights of triangles call for another number of them."},
    {.name = "stiffness", .type = KEY_NUMBER, .offset = offsetof(mn_CouplingDef, stiffness), .applies = is_gauss, .only = "gauss", .unit = "Pa", .range = ABOVE(0, 1e15), AUTO,
     .doc = "traction at the surface itself; auto holds four times the pressure of the fluid when it has fallen through the scene."},
    {.name = "rest_distance", .type = KEY_NUMBER, .offset = offsetof(mn_CouplingDef, rest_distance), .applies = is_gauss, .only = "gauss", .unit = "m", .range = ABOVE(0, 1e6), AUTO,
     .doc = "distance of a particle from a plane that neither pushes nor pulls it, at most 0.9 support radii; auto is 1.6 particle radii, at which water keeps its level."},
    {.name = "boundary_viscosity", .type = KEY_NUMBER, .offset = offsetof(mn_CouplingDef, boundary_viscosity), .applies = is_gauss, .only = "gauss", .unit = "Pa s",
     .range = WITHIN(0, 1e6), AUTO, .doc = "viscosity of the friction between fluid and solids; auto is that of each fluid."},
    {.name = "gauss_spacing", .type = KEY_NUMBER, .offset = offsetof(mn_CouplingDef, gauss_spacing), .applies = is_gauss, .only = "gauss", .unit = "support radii", .range = WITHIN(0.05, 1),
     .doc = "surfaces are cut until points of the Gauss rule are no farther apart."},
    {.name = "adhesion", .type = KEY_NUMBER, .offset = offsetof(mn_CouplingDef, adhesion), .applies = is_gauss, .only = "gauss", .unit = "1", .range = WITHIN(0, 1),
     .doc = "share of the traction's attraction that acts on fluid farther away than rest_distance; more than a few percent need a lower stiffness."},
    {.name = "reaction", .type = KEY_ENUM, .offset = offsetof(mn_CouplingDef, reaction), .applies = is_gauss, .only = "gauss", .words = reaction_words,
     .doc = "exact gives vertices their barycentric shares of a force; amplified is the rule of the paper, forces are up to 8/7 larger."},
};

const Section coupling_section = {
    .path = "coupling", .doc = "How fluid and solids meet.", .size = sizeof(mn_CouplingDef), .keys = coupling_keys, .key_count = COUNT(coupling_keys)};

// --- fluids

#define VELOCITY_DOC "Velocity of the particles at the start."

static const Key block_keys[] = {
    {.name = "min", .type = KEY_VECTOR, .offset = offsetof(mn_Block, min), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "Lower corner."},
    {.name = "max", .type = KEY_VECTOR, .offset = offsetof(mn_Block, max), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "Upper corner, above min in every direction."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = offsetof(mn_Block, velocity), .unit = "m/s", .range = SPEED,
     .doc = VELOCITY_DOC},
};

const Section block_section = {.path = "fluids.blocks",
                                      .doc = "Boxes along the axes, filled with fluid at the start.",
                                      .size = sizeof(mn_Block),
                                      .keys = block_keys,
                                      .key_count = COUNT(block_keys),
                                      .defaults = block_defaults,
                                      .check = block_check};

static const Key ball_keys[] = {
    {.name = "centre", .type = KEY_VECTOR, .offset = offsetof(mn_Ball, centre), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "Centre of the sphere."},
    {.name = "radius", .type = KEY_NUMBER, .offset = offsetof(mn_Ball, radius), .unit = "m", .range = ABOVE(0, 1e9),
     .required = true, .doc = "Radius of the sphere."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = offsetof(mn_Ball, velocity), .unit = "m/s", .range = SPEED,
     .doc = VELOCITY_DOC},
};

const Section ball_section = {.path = "fluids.spheres",
                                     .doc = "Spheres (discs in 2D), filled with fluid at the start.",
                                     .size = sizeof(mn_Ball),
                                     .keys = ball_keys,
                                     .key_count = COUNT(ball_keys),
                                     .defaults = ball_defaults,
                                     .check = ball_check};

static const Key fill_keys[] = {
    {.name = "file", .type = KEY_FILE, .offset = offsetof(mn_Fill, file), .required = true,
     .doc = "Closed triangle mesh (obj, ply, stl); a relative path starts at the scene file's folder."},
    {.name = "position", .type = KEY_VECTOR, .offset = offsetof(mn_Fill, position), .unit = "m", .range = COORDINATE,
     .doc = "Where the mesh's origin goes."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = offsetof(mn_Fill, rotation), .doc = "Rotation about the mesh's origin."},
    {.name = "scale", .type = KEY_SCALE, .offset = offsetof(mn_Fill, scale), .unit = "1", .range = WITHIN(-1e6, 1e6),
     .doc = "Scale of the mesh before it is placed."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = offsetof(mn_Fill, velocity), .unit = "m/s", .range = SPEED,
     .doc = VELOCITY_DOC},
};

const Section fill_section = {.path = "fluids.meshes",
                                     .doc = "Closed meshes, filled with fluid at the start.",
                                     .size = sizeof(mn_Fill),
                                     .keys = fill_keys,
                                     .key_count = COUNT(fill_keys),
                                     .defaults = fill_defaults};

static const Key particle_file_keys[] = {
    {.name = "file", .type = KEY_FILE, .offset = offsetof(mn_Fill, file), .required = true,
     .doc = "Particles as frames have them (vtp, csv, ply, vtk, bgeo); a relative path starts at the scene file's folder."},
    {.name = "position", .type = KEY_VECTOR, .offset = offsetof(mn_Fill, position), .unit = "m", .range = COORDINATE,
     .doc = "Where their origin goes."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = offsetof(mn_Fill, rotation), .doc = "Rotation about their origin; velocities turn too."},
    {.name = "scale", .type = KEY_SCALE, .offset = offsetof(mn_Fill, scale), .unit = "1", .range = WITHIN(-1e6, 1e6),
     .doc = "Scale of their positions, not of their size, before they are placed."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = offsetof(mn_Fill, velocity), .unit = "m/s", .range = SPEED,
     .doc = "Added to what the file says."},
};

const Section particle_file_section = {.path = "fluids.particles",
                                     .doc = "Files of particles that are there at the start, with their velocities; each has the volume of a spacing.",
                                     .size = sizeof(mn_Fill),
                                     .keys = particle_file_keys,
                                     .key_count = COUNT(particle_file_keys),
                                     .defaults = fill_defaults};

#define FLUID_SHAPE(member) offsetof(mn_FluidShape, member)

static const Key fluid_shape_keys[] = {
    {.name = "shape", .type = KEY_SHAPE, .offset = FLUID_SHAPE(shape), .required = true,
     .doc = "A closed shape as solids have them: box, sphere, capsule, cylinder, cone, torus, hull, mesh."},
    {.name = "position", .type = KEY_VECTOR, .offset = FLUID_SHAPE(position), .unit = "m", .range = COORDINATE,
     .doc = "Where the shape's origin goes."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = FLUID_SHAPE(rotation), .doc = "Rotation about the shape's origin."},
    {.name = "scale", .type = KEY_SCALE, .offset = FLUID_SHAPE(scale), .unit = "1", .range = WITHIN(-1e6, 1e6),
     .doc = "Scale of the shape before it is placed."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = FLUID_SHAPE(velocity), .unit = "m/s", .range = SPEED, .doc = VELOCITY_DOC},
};

const Section fluid_shape_section = {.path = "fluids.shapes",
                                            .doc = "Shapes in any position, filled with fluid at the start.",
                                            .size = sizeof(mn_FluidShape),
                                            .keys = fluid_shape_keys,
                                            .key_count = COUNT(fluid_shape_keys),
                                            .defaults = fluid_shape_defaults,
                                            .check = fluid_shape_check};

static const Key solid_fill_keys[] = {
    {.name = "solid", .type = KEY_NAME, .offset = offsetof(mn_SolidFill, solid), .word = "none",
     .doc = "Name of a solid: a container, or anything with a hollow that is open at the top."},
    {.name = "level", .type = KEY_NUMBER, .offset = offsetof(mn_SolidFill, level), .unit = "m", .range = ABOVE(0, 1e9),
     .doc = "How high the fluid stands above the lowest point of the hollow; at most up to its rim."},
};

const Section solid_fill_section = {.path = "fluids.fill",
                                           .doc = "Fills a solid that can hold fluid.",
                                           .size = sizeof(mn_SolidFill),
                                           .keys = solid_fill_keys,
                                           .key_count = COUNT(solid_fill_keys)};

static bool is_box_emitter(const void* object)
{
    return ((const mn_Emitter*)object)->type == MN_EMITTER_BOX;
}
static bool is_shape_emitter(const void* object)
{
    return ((const mn_Emitter*)object)->type == MN_EMITTER_SHAPE;
}
static bool is_disc_emitter(const void* object)
{
    return ((const mn_Emitter*)object)->type == MN_EMITTER_DISC;
}

static bool has_motion(const void* object)
{
    return ((const mn_Emitter*)object)->motion_count > 0;
}
static bool rides_no_solid(const void* object)
{
    return ((const mn_Emitter*)object)->solid == NULL;
}

#define SPEED_KEY(member) offsetof(mn_SpeedKey, member)

static const Key speed_key_keys[] = {
    {.name = "time", .type = KEY_NUMBER, .offset = SPEED_KEY(time), .unit = "s", .range = WITHIN(-1e9, 1e9), .required = true,
     .doc = "When it has that speed; times ascend."},
    {.name = "speed", .type = KEY_NUMBER, .offset = SPEED_KEY(speed), .unit = "m/s", .range = WITHIN(0, 1e6), .required = true,
     .doc = "How fast the fluid leaves; 0 closes the nozzle."},
};

const Section speed_key_section = {
    .path = "fluids.emitters.speed.keys",
    .doc = "Speeds over time: linear in between, constant before the first and after the last.",
    .size = sizeof(mn_SpeedKey),
    .keys = speed_key_keys,
    .key_count = COUNT(speed_key_keys),
    .defaults = speed_key_defaults};

// of the emitter itself: a number alone is how most emitters say it
static const Key speed_keys[] = {
    {.name = "mean", .type = KEY_NUMBER, .offset = EMITTER(speed), .unit = "m/s", .range = WITHIN(0, 1e6), .doc = "Mean speed."},
    {.name = "amplitude", .type = KEY_NUMBER, .offset = EMITTER(speed_amplitude), .unit = "m/s", .range = WITHIN(0, 1e6),
     .doc = "How much faster and slower it gets: mean + amplitude sin(2 pi frequency time), never below 0."},
    {.name = "frequency", .type = KEY_NUMBER, .offset = EMITTER(speed_frequency), .unit = "1/s", .range = WITHIN(0, 1e6),
     .doc = "Pulses per second."},
    {.name = "keys", .type = KEY_LIST, .offset = EMITTER(speeds), .count_offset = EMITTER(speed_count), .section = &speed_key_section,
     .doc = "Key frames in place of the mean."},
};

const Section speed_section = {.path = "fluids.emitters.speed",
                                      .doc = "How fast the fluid leaves a nozzle. A number alone is mean, a list is keys.",
                                      .size = sizeof(mn_Emitter),
                                      .keys = speed_keys,
                                      .key_count = COUNT(speed_keys)};

static const Key nozzle_motion_keys[] = {
    {.name = "time", .type = KEY_NUMBER, .offset = offsetof(mn_Keyframe, time), .unit = "s", .range = WITHIN(-1e9, 1e9),
     .required = true, .doc = "When the nozzle is there; times ascend."},
    {.name = "position", .type = KEY_VECTOR, .offset = offsetof(mn_Keyframe, pose.position), .unit = "m", .range = COORDINATE,
     .fallback = "that of the key frame before, or of the emitter", .doc = "Centre of the nozzle."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = offsetof(mn_Keyframe, pose.rotation),
     .fallback = "that of the key frame before, or of the emitter", .doc = "Turns +y into the direction of the jet."},
};

const Section nozzle_motion_section = {
    .path = "fluids.emitters.motion",
    .doc = "Key frames of a nozzle; a string is the name of a csv file, as for solids. Fluid gets the nozzle's own velocity on top.",
    .size = sizeof(mn_Keyframe),
    .keys = nozzle_motion_keys,
    .key_count = COUNT(nozzle_motion_keys),
    .defaults = keyframe_defaults};

static const Key emitter_keys[] = {
    {.name = "type", .type = KEY_ENUM, .offset = EMITTER(type), .words = emitter_words, .doc = "Shape of the nozzle: flat, or any shape."},
    {.name = "position", .type = KEY_VECTOR, .offset = EMITTER(position), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "Centre of the nozzle."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = EMITTER(rotation),
     .doc = "Turns +y, along which an unrotated nozzle emits, into the direction of the jet."},
    {.name = "direction", .type = KEY_DIRECTION, .offset = EMITTER(rotation), .fallback = "as rotation says",
     .doc = "The direction of the jet as a vector of any length; an easier form of rotation."},
    {.name = "size", .type = KEY_NOZZLE, .offset = EMITTER(size), .unit = "m", .range = ABOVE(0, 1e6), .required = true,
     .applies = is_box_emitter, .only = "boxes",
     .doc = "Width (along x) and depth (along z) of the nozzle; in 2D the width alone will do."},
    {.name = "radius", .type = KEY_NUMBER, .offset = EMITTER(size), .unit = "m", .range = ABOVE(0, 1e6), .required = true,
     .applies = is_disc_emitter, .only = "discs", .doc = "Radius of the nozzle."},
    {.name = "shape", .type = KEY_SHAPE, .offset = EMITTER(shape), .required = true, .applies = is_shape_emitter, .only = "type shape",
     .doc = "A shape as solids have them, also {\"mesh\": \"star.obj\"}: fluid leaves the side that faces the jet; how large that is, seen along the jet, says how much."},
    {.name = "scale", .type = KEY_SCALE, .offset = EMITTER(scale), .unit = "1", .range = WITHIN(-1e6, 1e6), .applies = is_shape_emitter, .only = "type shape",
     .doc = "Scale of the shape before it is placed."},
    {.name = "speed", .type = KEY_OBJECT, .offset = 0, .section = &speed_section, .number = "mean", .list = "keys",
     .doc = "Speed at which the fluid leaves the nozzle, also over time."},
    {.name = "solid", .type = KEY_NAME, .offset = EMITTER(solid), .word = "none",
     .doc = "Name of a static, kinematic or rigid solid that the nozzle moves with; position and rotation are those at the start."},
    {.name = "motion", .type = KEY_LIST, .offset = EMITTER(motion), .count_offset = EMITTER(motion_count),
     .section = &nozzle_motion_section, .applies = rides_no_solid, .only = "nozzles that move with no solid", .from_file = true,
     .doc = "Key frames that move the nozzle."},
    {.name = "interpolation", .type = KEY_ENUM, .offset = EMITTER(interpolation), .words = interpolation_words, .applies = has_motion,
     .only = "nozzles with motion", .doc = INTERPOLATION_DOC},
    {.name = "start", .type = KEY_NUMBER, .offset = EMITTER(start), .unit = "s", .range = NOT_NEGATIVE,
     .doc = "Emits from this time..."},
    {.name = "end", .type = KEY_NUMBER, .offset = EMITTER(end), .unit = "s", .range = NOT_NEGATIVE, .word = "never",
     .word_value = INFINITY, .doc = "...until this time."},
    {.name = "profile", .type = KEY_ENUM, .offset = EMITTER(profile), .words = profile_words,
     .doc = "Speeds over the nozzle: uniform, or parabolic, from none at its edge to the most in the middle, as in a pipe or between plates; speed is their mean."},
    {.name = "limit", .type = KEY_COUNT, .offset = EMITTER(limit), .range = WITHIN(0, 2147483647), .word = "none", .word_value = MN_AUTO,
     .doc = "Particles to emit at most."},
};

const Section emitter_section = {.path = "fluids.emitters",
                                        .doc = "Nozzles that let fluid in during the run.",
                                        .size = sizeof(mn_Emitter),
                                        .keys = emitter_keys,
                                        .key_count = COUNT(emitter_keys),
                                        .defaults = emitter_defaults,
                                        .check = emitter_check};

#define TENSION(member) offsetof(mn_TensionDef, member)

static const Key tension_keys[] = {
    {.name = "method", .type = KEY_ENUM, .offset = TENSION(method), .words = tension_words,
     .doc = "akinci minimises the surface and keeps particles apart; curvature finds the force from the shape of the surface, so that drops oscillate: it knows no contact_angle and adhesion, and takes a wider support_radius (5 r); becker and tartakovsky, by attraction alone, are there to compare."},
    {.name = "gamma", .type = KEY_NUMBER, .offset = TENSION(gamma), .unit = "m4/(kg s2)", .range = WITHIN(0, 1e6), AUTO, .doc = "The coefficient of Akinci 2013: the same accelerations at every particle size; 0 is none, auto is what sigma says, or the default of surface_tension."},
    {.name = "sigma", .type = KEY_NUMBER, .offset = TENSION(sigma), .unit = "N/m", .range = ABOVE(0, 1e6), AUTO,
     .doc = "Physical surface tension, 0.0728 for water against air; auto: what gamma gives."},
};

const Section tension_section = {.path = "fluids.surface_tension",
                                        .doc = "How strongly the fluid's surface contracts. A number alone is gamma.",
                                        .size = sizeof(mn_TensionDef),
                                        .keys = tension_keys,
                                        .key_count = COUNT(tension_keys),
                                        .check = tension_check};

static const Key fluid_keys[] = {
    {.name = "name", .type = KEY_NAME, .offset = FLUID(name), .fallback = "fluid1, fluid2, ...", .doc = "Unique among the fluids."},
    {.name = "material", .type = KEY_MATERIAL, .offset = FLUID(material), .word = "none",
     .doc = "A named material gives the defaults of density, viscosity_method, viscosity and surface_tension."},
    {.name = "density", .type = KEY_NUMBER, .offset = FLUID(density), .unit = "kg/m3", .range = ABOVE(0, 1e6),
     .fallback = "the material's, or 1000", .doc = "Rest density."},
    {.name = "viscosity_method", .type = KEY_ENUM, .offset = FLUID(viscosity_method), .words = viscosity_words,
     .fallback = "the material's, or artificial",
     .doc = "artificial: damping that depends on the resolution; laplace: physical viscosity; xsph: velocities smoothed with "
            "neighbours; implicit: physical viscosity that does not limit the step, unless there are solids that the fluid moves."},
    {.name = "viscosity", .type = KEY_NUMBER, .offset = FLUID(viscosity), .unit = "Pa s with laplace and implicit, otherwise 1",
     .range = WITHIN(0, 1e6), .fallback = "0.01 (artificial), 0.05 (xsph), the material's or 0.001 Pa s (laplace, implicit)",
     .doc = "artificial: factor alpha; laplace and implicit: dynamic viscosity; xsph: factor epsilon, at most 1."},
    {.name = "surface_tension", .type = KEY_OBJECT, .offset = FLUID(tension), .section = &tension_section, .number = "gamma",
     .fallback = "the material's, at least 0.05 for a fluid with a material or emitters, else 0",
     .doc = "How strongly the surface contracts. Without it falling streams become rain. flip has none."},
    {.name = "adhesion", .type = KEY_NUMBER, .offset = FLUID(adhesion), .unit = "1", .range = WITHIN(0, 1e6),
     .doc = "Factor of what solids' adhesion and contact_angle say, for this fluid alone."},
    {.name = "blocks", .type = KEY_LIST, .offset = FLUID(blocks), .count_offset = FLUID(block_count), .section = &block_section,
     .doc = "Boxes along the axes, filled at the start."},
    {.name = "spheres", .type = KEY_LIST, .offset = FLUID(balls), .count_offset = FLUID(ball_count), .section = &ball_section,
     .doc = "Spheres, filled at the start."},
    {.name = "meshes", .type = KEY_LIST, .offset = FLUID(fills), .count_offset = FLUID(fill_count), .section = &fill_section,
     .doc = "Closed meshes, filled at the start."},
    {.name = "shapes", .type = KEY_LIST, .offset = FLUID(shapes), .count_offset = FLUID(shape_count), .section = &fluid_shape_section,
     .doc = "Cylinders, rotated boxes and other shapes, filled at the start."},
    {.name = "particles", .type = KEY_LIST, .offset = FLUID(particles), .count_offset = FLUID(particle_count), .section = &particle_file_section,
     .doc = "Particles from files."},
    {.name = "fill", .type = KEY_OBJECT, .offset = FLUID(fill), .section = &solid_fill_section, .doc = "A solid that is filled at the start."},
    {.name = "emitters", .type = KEY_LIST, .offset = FLUID(emitters), .count_offset = FLUID(emitter_count),
     .section = &emitter_section, .doc = "Nozzles that let fluid in during the run."},
};

const Section fluid_section = {.path = "fluids",
                                      .doc = "Fluids, where they start and where they enter.",
                                      .size = sizeof(mn_FluidDef),
                                      .keys = fluid_keys,
                                      .key_count = COUNT(fluid_keys),
                                      .defaults = fluid_defaults,
                                      .check = fluid_check};

// --- joints

static bool has_axis(const void* object)
{
    mn_JointType type = ((const mn_JointDef*)object)->type;
    return type == MN_JOINT_HINGE || type == MN_JOINT_SLIDER;
}

static const Key drive_keys[] = {
    {.name = "time", .type = KEY_NUMBER, .offset = offsetof(mn_DriveKey, time), .unit = "s", .range = WITHIN(-1e9, 1e9),
     .required = true, .doc = "When the joint is there; times ascend."},
    {.name = "position", .type = KEY_NUMBER, .offset = offsetof(mn_DriveKey, position), .unit = "degrees or m",
     .range = WITHIN(-1e9, 1e9), .required = true, .doc = "Angle of a hinge or position of a slider; 0 is the start."},
};

const Section drive_section = {
    .path = "joints.drive",
    .doc = "Positions that a hinge or slider is made to follow, with whatever force that takes; linear in between, at rest before the "
           "first and after the last.",
    .size = sizeof(mn_DriveKey),
    .keys = drive_keys,
    .key_count = COUNT(drive_keys),
    .defaults = drive_defaults};

static const Key joint_keys[] = {
    {.name = "name", .type = KEY_NAME, .offset = JOINT(name), .fallback = "joint1, joint2, ...", .doc = "Unique among the joints."},
    {.name = "type", .type = KEY_ENUM, .offset = JOINT(type), .words = joint_words,
     .doc = "ball: a common point; hinge: a common axis; slider: moves along an axis only; fixed: moves as one."},
    {.name = "solid", .type = KEY_NAME, .offset = JOINT(solid), .required = true, .doc = "Name of a rigid solid."},
    {.name = "other", .type = KEY_NAME, .offset = JOINT(other), .word = "world",
     .doc = "Name of the solid it is tied to, of any type; or the world."},
    {.name = "position", .type = KEY_VECTOR, .offset = JOINT(position), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "Where the joint is at the start."},
    {.name = "axis", .type = KEY_POINT, .offset = JOINT(axis), .unit = "1", .range = WITHIN(-1e9, 1e9), .applies = has_axis,
     .only = "hinges and sliders", .doc = "Direction of the axis at the start, of any length."},
    {.name = "limits", .type = KEY_PAIR, .offset = JOINT(limits), .unit = "degrees or m", .word = "none", .word_value = INFINITY, .applies = has_axis,
     .only = "hinges and sliders", .doc = "Lowest and highest angle of a hinge, or position of a slider; 0, the start, must be between them."},
    {.name = "motor_speed", .type = KEY_NUMBER, .offset = JOINT(motor_speed), .unit = "degrees/s or m/s", .range = SPEED,
     .applies = has_axis, .only = "hinges and sliders", .doc = "Speed that a motor drives the solid with, against the other."},
    {.name = "motor_strength", .type = KEY_NUMBER, .offset = JOINT(motor_strength), .unit = "N m or N", .range = WITHIN(0, 1e15),
     .applies = has_axis, .only = "hinges and sliders", .doc = "Largest torque or force of the motor; 0 is no motor."},
    {.name = "damping", .type = KEY_NUMBER, .offset = JOINT(damping), .unit = "N m s or N s/m", .range = WITHIN(0, 1e15),
     .applies = has_axis, .only = "hinges and sliders", .doc = "Torque or force against its motion, per speed (rad/s or m/s)."},
    {.name = "drive", .type = KEY_LIST, .offset = JOINT(drive), .count_offset = JOINT(drive_count), .section = &drive_section,
     .applies = has_axis, .only = "hinges and sliders", .doc = "Positions over time that the joint is made to follow."},
    {.name = "break_force", .type = KEY_NUMBER, .offset = JOINT(break_force), .unit = "N", .range = ABOVE(0, 1e15), .word = "never", .word_value = INFINITY,
     .doc = "The joint breaks when it has to hold more than this."},
    {.name = "collide", .type = KEY_BOOLEAN, .offset = JOINT(collide), .doc = "Whether the two solids touch each other."},
};

const Section joint_section = {.path = "joints",
                                      .doc = "Joints tie a rigid solid to another solid or to the world.",
                                      .size = sizeof(mn_JointDef),
                                      .keys = joint_keys,
                                      .key_count = COUNT(joint_keys),
                                      .defaults = joint_defaults,
                                      .check = joint_check};

// --- drains

#define DRAIN(member) offsetof(mn_Drain, member)

static bool is_box_drain(const void* object)
{
    return ((const mn_Drain*)object)->type == MN_DRAIN_BOX;
}
static bool is_disc_drain(const void* object)
{
    return ((const mn_Drain*)object)->type == MN_DRAIN_DISC;
}

static const Key drain_keys[] = {
    {.name = "type", .type = KEY_ENUM, .offset = DRAIN(type), .words = drain_words,
     .doc = "box: all fluid in it goes; disc: fluid that flows through it goes."},
    {.name = "min", .type = KEY_VECTOR, .offset = DRAIN(min), .unit = "m", .range = COORDINATE, .required = true, .applies = is_box_drain,
     .only = "boxes", .doc = "Lower corner."},
    {.name = "max", .type = KEY_VECTOR, .offset = DRAIN(max), .unit = "m", .range = COORDINATE, .required = true, .applies = is_box_drain,
     .only = "boxes", .doc = "Upper corner, above min in every direction."},
    {.name = "position", .type = KEY_VECTOR, .offset = DRAIN(position), .unit = "m", .range = COORDINATE, .required = true,
     .applies = is_disc_drain, .only = "discs", .doc = "Centre of the disc."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = DRAIN(rotation), .applies = is_disc_drain, .only = "discs",
     .doc = "Turns +y into the direction in which fluid leaves."},
    {.name = "direction", .type = KEY_DIRECTION, .offset = DRAIN(rotation), .fallback = "as rotation says", .applies = is_disc_drain,
     .only = "discs", .doc = "The direction in which fluid leaves, as a vector of any length; an easier form of rotation."},
    {.name = "radius", .type = KEY_NUMBER, .offset = DRAIN(radius), .unit = "m", .range = ABOVE(0, 1e6), .required = true,
     .applies = is_disc_drain, .only = "discs", .doc = "Radius of the disc."},
    {.name = "depth", .type = KEY_NUMBER, .offset = DRAIN(depth), .unit = "m", .range = ABOVE(0, 1e6), AUTO, .applies = is_disc_drain,
     .only = "discs", .doc = "How far behind the disc fluid is still found and removed; auto is two particle spacings."},
    {.name = "pressure", .type = KEY_NUMBER, .offset = DRAIN(pressure), .unit = "Pa", .range = WITHIN(0, 1e12), .applies = is_disc_drain,
     .only = "discs",
     .doc = "An outflow that keeps this pressure in front of the disc: fluid leaves against a force over its depth, and goes at the end of it."},
    {.name = "solid", .type = KEY_NAME, .offset = DRAIN(solid), .word = "none",
     .doc = "Name of a static, kinematic or rigid solid that the drain moves with; its place is that at the start."},
    {.name = "start", .type = KEY_NUMBER, .offset = DRAIN(start), .unit = "s", .range = NOT_NEGATIVE,
     .doc = "Removes from this time..."},
    {.name = "end", .type = KEY_NUMBER, .offset = DRAIN(end), .unit = "s", .range = NOT_NEGATIVE, .word = "never",
     .word_value = INFINITY, .doc = "...until this time."},
};

const Section drain_section = {.path = "drains",
                                      .doc = "Boxes along the axes, and discs, that remove fluid.",
                                      .size = sizeof(mn_Drain),
                                      .keys = drain_keys,
                                      .key_count = COUNT(drain_keys),
                                      .defaults = drain_defaults,
                                      .check = drain_check};

// --- output

static const Key output_keys[] = {
    {.name = "particles", .type = KEY_ENUM, .offset = OUTPUT(particles), .words = particle_words,
     .doc = "File format of the fluid particles, one file per frame."},
    {.name = "solids", .type = KEY_ENUM, .offset = OUTPUT(solids), .words = mesh_words,
     .doc = "File format of the solids' meshes."},
    {.name = "surface", .type = KEY_ENUM, .offset = OUTPUT(surface), .words = surface_words,
     .doc = "File format of the fluids' surfaces, a mesh per frame in the folder surface; `meniscus surface` makes them afterwards."},
    {.name = "surface_spacing", .type = KEY_NUMBER, .offset = OUTPUT(surface_spacing), .unit = "particle radii",
     .range = WITHIN(0.25, 2), .doc = "Spacing of the grid that surfaces are found on."},
    {.name = "surface_smoothing", .type = KEY_INTEGER, .offset = OUTPUT(surface_smoothing), .unit = "rounds",
     .range = WITHIN(0, 1000), .doc = "How much surfaces are smoothed; volumes are kept."},
    {.name = "checkpoint_every", .type = KEY_INTEGER, .offset = OUTPUT(checkpoint_every), .unit = "frames",
     .range = WITHIN(0, 1000000000), .doc = "Frames between checkpoints; 0 writes one only at the end and when interrupted."},
    {.name = "boundary", .type = KEY_BOOLEAN, .offset = OUTPUT(boundary),
     .doc = "Also writes the boundary particles of every frame."},
};

const Section output_section = {.path = "output",
                                       .doc = "What a run writes.",
                                       .size = sizeof(mn_OutputDef),
                                       .keys = output_keys,
                                       .key_count = COUNT(output_keys)};

// --- the scene

static const Key domain_keys[] = {
    {.name = "min", .type = KEY_VECTOR, .offset = offsetof(mn_Domain, min), .unit = "m", .range = COORDINATE, .doc = "Lower corner."},
    {.name = "max", .type = KEY_VECTOR, .offset = offsetof(mn_Domain, max), .unit = "m", .range = COORDINATE,
     .doc = "Upper corner; along a periodic axis at least four support radii above min."},
};

const Section domain_section = {.path = "domain",
                                .doc = "Where periodic axes begin and end; along other axes it says nothing.",
                                .size = sizeof(mn_Domain),
                                .keys = domain_keys,
                                .key_count = COUNT(domain_keys)};

static const Key scene_keys[] = {
    {.name = "name", .type = KEY_STRING, .offset = SCENE(name), .fallback = "the file's name", .doc = "A title for people."},
    {.name = "dimension", .type = KEY_INTEGER, .offset = SCENE(world.dimension), .range = WITHIN(2, 3),
     .doc = "2 simulates the plane z = 0; vectors then have two numbers."},
    {.name = "gravity", .type = KEY_VECTOR, .offset = SCENE(world.gravity), .unit = "m/s2", .range = WITHIN(-1e6, 1e6),
     .doc = "Acceleration of everything that is free to move."},
    {.name = "particle_radius", .type = KEY_NUMBER, .offset = SCENE(world.particle_radius), .unit = "m", .range = WITHIN(1e-6, 1e3),
     .doc = "Half the particle spacing: the resolution of the simulation."},
    {.name = "support_radius", .type = KEY_NUMBER, .offset = SCENE(world.support_radius), .unit = "m", .range = POSITIVE, AUTO,
     .fallback = "4 particle_radius", .doc = "How far particles see each other, from 2.5 to 12 times particle_radius; auto is 6.04 where solver.accuracy is accurate."},
    {.name = "kernel", .type = KEY_ENUM, .offset = SCENE(world.kernel), .words = kernel_words,
     .doc = "Smoothing kernel: cubic spline, Wendland quintic, poly6 or spiky; auto is cubic, wendland where solver.accuracy is accurate."},
    {.name = "periodic", .type = KEY_AXES, .offset = SCENE(world.periodic),
     .doc = "Axes along which fluid that leaves the domain on one side enters it on the other, and acts across. Static solids may reach "
            "beyond, others stay within. Not for flip, direct_forcing, gauss and foam."},
    {.name = "domain", .type = KEY_OBJECT, .offset = SCENE(world.domain), .section = &domain_section,
     .doc = "Where periodic axes begin and end."},
    {.name = "duration", .type = KEY_NUMBER, .offset = SCENE(duration), .unit = "s", .range = ABOVE(0, 1e9),
     .doc = "Time to simulate."},
    {.name = "frame_rate", .type = KEY_NUMBER, .offset = SCENE(frame_rate), .unit = "1/s", .range = ABOVE(0, 1e9),
     .doc = "Frames written per simulated second."},
    {.name = "solver", .type = KEY_OBJECT, .offset = SCENE(world.solver), .section = &solver_section,
     .doc = "How pressures are computed and how long a step is."},
    {.name = "coupling", .type = KEY_OBJECT, .offset = SCENE(world.coupling), .section = &coupling_section, .doc = "How fluid and solids meet."},
    {.name = "fluids", .type = KEY_LIST, .offset = SCENE(fluids), .count_offset = SCENE(fluid_count), .range = WITHIN(0, MOST_FLUIDS),
     .section = &fluid_section, .doc = "Fluids, where they start and where they enter."},
    {.name = "solids", .type = KEY_LIST, .offset = SCENE(solids), .count_offset = SCENE(solid_count), .range = WITHIN(0, 10000),
     .section = &solid_section, .doc = "Solids that the fluid flows around or within."},
    {.name = "drains", .type = KEY_LIST, .offset = SCENE(drains), .count_offset = SCENE(drain_count), .range = WITHIN(0, 10000),
     .section = &drain_section, .doc = "Boxes and discs that remove fluid."},
    {.name = "sponges", .type = KEY_LIST, .offset = SCENE(sponges), .count_offset = SCENE(sponge_count), .range = WITHIN(0, 1000),
     .section = &sponge_section, .doc = "Boxes that slow fluid down, to swallow waves."},
    {.name = "joints", .type = KEY_LIST, .offset = SCENE(joints), .count_offset = SCENE(joint_count), .range = WITHIN(0, 10000),
     .section = &joint_section, .doc = "Joints tie a rigid solid to another solid or to the world."},
    {.name = "ragdolls", .type = KEY_LIST, .offset = SCENE(ragdolls), .count_offset = SCENE(ragdoll_count), .range = WITHIN(0, 900),
     .section = &ragdoll_section, .doc = "Jointed figures."},
    {.name = "chains", .type = KEY_LIST, .offset = SCENE(chains), .count_offset = SCENE(chain_count), .range = WITHIN(0, 1000),
     .section = &chain_section, .doc = "Chains, ropes and bridges."},
    {.name = "events", .type = KEY_LIST, .offset = SCENE(events), .count_offset = SCENE(event_count), .range = WITHIN(0, 1000000),
     .section = &event_section, .doc = "What happens at a given time."},
    {.name = "probes", .type = KEY_LIST, .offset = SCENE(probes), .count_offset = SCENE(probe_count), .range = WITHIN(0, 10000),
     .section = &probe_section, .doc = "Values that probes.csv lists for every frame."},
    {.name = "foam", .type = KEY_OBJECT, .offset = SCENE(world.foam), .count_offset = SCENE(world.has_foam), .word = "none",
     .section = &foam_section, .doc = "Spray, foam and bubbles, made on the way; {} takes what is derived from the scene."},
    {.name = "output", .type = KEY_OBJECT, .offset = SCENE(output), .section = &output_section, .doc = "What a run writes."},
    {.name = "view", .type = KEY_OBJECT, .offset = SCENE(view), .section = &view_section,
     .doc = "How pictures of the scene are taken."},
};

const Section scene_section = {.path = "",
                               .doc =
                                   "A scene is a JSON file in SI units. Every key has a default unless it is marked as required.",
                               .size = sizeof(mn_Scene),
                               .keys = scene_keys,
                               .key_count = COUNT(scene_keys),
                               .defaults = scene_defaults,
                               .check = scene_check};
// clang-format on
