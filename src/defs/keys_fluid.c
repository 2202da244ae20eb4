// SPDX-License-Identifier: MIT
// Keys of fluids: where they start, nozzles, surface tension.
#include "defs/key_table.h"

// clang-format off
#define FLUID(member) offsetof(mn_FluidDef, member)
#define EMITTER(member) offsetof(mn_Emitter, member)

// names of choices, in the order of the enums in defs.h
static const char* const viscosity_words[] = {"artificial", "laplace", "xsph", "implicit", NULL};
static const char* const tension_words[] = {"akinci", "becker", "tartakovsky", "curvature", NULL};
static const char* const emitter_words[] = {"box", "disc", "shape", NULL};
static const char* const profile_words[] = {"uniform", "parabolic", NULL};

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
     .doc = "akinci minimises the surface and keeps particles apart; curvature finds the force from the shape of the surface, so that drops and small waves oscillate, jets break up and lines of contact move; it meets contact_angle on the walls of a box that holds the fluid, and takes a wider support_radius (6.04 r); becker and tartakovsky, by attraction alone, are there to compare."},
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
