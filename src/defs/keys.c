// SPDX-License-Identifier: MIT
// The table itself, but for sections that have a file of their own. Keys are read and written in this order: what others depend on
// (dimension, type) comes first.
#include "defs/key_table.h"

// clang-format off
#define SCENE(member) offsetof(mn_Scene, member)
#define SOLVER(member) offsetof(mn_SolverDef, member)
#define JOINT(member) offsetof(mn_JointDef, member)
#define OUTPUT(member) offsetof(mn_OutputDef, member)

_Static_assert(sizeof(mn_Pressure) == sizeof(int), "enums are stored as int");

// --- names of choices, in the order of the enums in defs.h

static const char* const pressure_words[] = {"sesph", "pcisph", "iisph", "dfsph", "flip", NULL};
static const char* const transfer_words[] = {"flip", "apic", NULL};
static const char* const kernel_words[] = {"cubic", "wendland", "poly6", "spiky", "auto", NULL};
const char* const joint_words[] = {"ball", "hinge", "slider", "fixed", NULL};
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
            "beyond, others stay within. Not for flip and direct_forcing."},
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
