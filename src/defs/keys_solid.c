// SPDX-License-Identifier: MIT
// Keys of solids: shape and motion, rigid bodies, elastic ones and their pins.
#include "defs/key_table.h"

// clang-format off
#define SOLID(member) offsetof(mn_SolidDef, member)
#define PIN(member) offsetof(mn_PinDef, member)

// names of choices, in the order of the enums in defs.h
static const char* const solid_words[] = {"static", "kinematic", "rigid", "elastic", NULL};
static const char* const solid_finish_words[] = {"auto", "solid", "glass", "wire", "hidden", NULL};
static const char* const model_words[] = {"mass_points", "fem", "reduced", NULL};
static const char* const structure_words[] = {"auto", "sheet", "volume", NULL};
static const char* const integrator_words[] = {"bdf2", "euler", NULL};
static const char* const pin_words[] = {"corners", "border", "region", "vertex", NULL};
static const char* const contact_words[] = {"auto", "none", "mesh", "box", "sphere", "capsule", "cylinder", NULL};

static bool is_kinematic(const void* object)
{
    return ((const mn_SolidDef*)object)->type == MN_SOLID_KINEMATIC;
}
static bool is_rigid(const void* object)
{
    return ((const mn_SolidDef*)object)->type == MN_SOLID_RIGID;
}
static bool is_elastic(const void* object)
{
    return ((const mn_SolidDef*)object)->type == MN_SOLID_ELASTIC;
}
static bool is_free(const void* object)
{
    return is_rigid(object) || is_elastic(object);
}
static bool is_mass_points(const void* object)
{
    return is_elastic(object) && ((const mn_SolidDef*)object)->model == MN_ELASTIC_MASS_POINTS;
}
static bool is_fem(const void* object)
{
    return is_elastic(object) && ((const mn_SolidDef*)object)->model == MN_ELASTIC_FEM;
}
static bool is_reduced(const void* object)
{
    return is_elastic(object) && ((const mn_SolidDef*)object)->model == MN_ELASTIC_REDUCED;
}
static bool is_stepped(const void* object)
{
    return is_fem(object) || is_reduced(object);
}
static bool is_region(const void* object)
{
    return ((const mn_PinDef*)object)->select == MN_PIN_REGION;
}
static bool is_vertex(const void* object)
{
    return ((const mn_PinDef*)object)->select == MN_PIN_VERTEX;
}

static bool is_mover(const void* object)
{
    return ((const mn_SolidDef*)object)->type != MN_SOLID_STATIC;
}

static const Key motion_keys[] = {
    {.name = "time", .type = KEY_NUMBER, .offset = offsetof(mn_Keyframe, time), .unit = "s", .range = WITHIN(-1e9, 1e9),
     .required = true, .doc = "When the solid is there; times ascend."},
    {.name = "position", .type = KEY_VECTOR, .offset = offsetof(mn_Keyframe, pose.position), .unit = "m", .range = COORDINATE,
     .fallback = "that of the key frame before, or of the solid", .doc = "Where the solid's origin is: a place in the world, not a shift."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = offsetof(mn_Keyframe, pose.rotation),
     .fallback = "that of the key frame before, or of the solid",
     .doc = "How the solid is turned; between two key frames the shorter arc is taken, so a full turn needs at least three."},
};

const Section motion_section = {
    .path = "solids.motion",
    .doc = "Key frames of a kinematic solid; a string is the name of a csv file with the columns time, x, y, z and, if it turns, qw, qx, qy, "
           "qz. Between key frames positions are linear and rotations at constant angular speed, unless interpolation is smooth; before the "
           "first and after the last key frame the solid rests.",
    .size = sizeof(mn_Keyframe),
    .keys = motion_keys,
    .key_count = COUNT(motion_keys),
    .defaults = keyframe_defaults};

#define SWING(member) offsetof(mn_Oscillation, member)

static const Key oscillation_keys[] = {
    {.name = "amplitude", .type = KEY_VECTOR, .offset = SWING(amplitude), .unit = "m", .range = COORDINATE,
     .doc = "How far it goes to either side."},
    {.name = "angle", .type = KEY_POINT, .offset = SWING(angle), .unit = "degrees", .range = WITHIN(-1e6, 1e6),
     .doc = "How far it turns to either side, about the axis through its origin with the direction of this vector. In 2D only z matters."},
    {.name = "frequency", .type = KEY_NUMBER, .offset = SWING(frequency), .unit = "1/s", .range = WITHIN(0, 1e6),
     .doc = "Swings per second."},
    {.name = "phase", .type = KEY_NUMBER, .offset = SWING(phase), .unit = "degrees", .range = WITHIN(-1e6, 1e6),
     .doc = "Where in a swing it starts: 0 in the middle, 90 at the far end."},
};

const Section oscillation_section = {.path = "solids.oscillation",
                                            .doc = "Motion to and fro by formula: amplitude times sin(2 pi frequency time + phase).",
                                            .size = sizeof(mn_Oscillation),
                                            .keys = oscillation_keys,
                                            .key_count = COUNT(oscillation_keys)};

static const Key pin_motion_keys[] = {
    {.name = "time", .type = KEY_NUMBER, .offset = offsetof(mn_Keyframe, time), .unit = "s", .range = WITHIN(-1e9, 1e9),
     .required = true, .doc = "When the pin is there; times ascend."},
    {.name = "position", .type = KEY_VECTOR, .offset = offsetof(mn_Keyframe, pose.position), .unit = "m", .range = COORDINATE,
     .fallback = "that of the key frame before, or [0, 0, 0]", .doc = "How far the vertices are shifted from where they start."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = offsetof(mn_Keyframe, pose.rotation),
     .fallback = "that of the key frame before, or none", .doc = "How the vertices are turned about their middle."},
};

const Section pin_motion_section = {
    .path = "solids.pins.motion",
    .doc = "Key frames of a pin: unlike those of a solid they say how far from where it starts. Positions are interpolated linearly "
           "and rotations at constant angular speed; before the first and after the last key frame the pin rests.",
    .size = sizeof(mn_Keyframe),
    .keys = pin_motion_keys,
    .key_count = COUNT(pin_motion_keys),
    .defaults = keyframe_defaults};

static const Key pin_keys[] = {
    {.name = "select", .type = KEY_ENUM, .offset = PIN(select), .words = pin_words,
     .doc = "corners: the four of a grid or plane, the eight of a box; border: all vertices at the edge of a sheet; region: those "
            "in a box; vertex: one by its number."},
    {.name = "min", .type = KEY_VECTOR, .offset = PIN(min), .unit = "m", .range = COORDINATE, .required = true, .applies = is_region,
     .only = "regions", .doc = "Lower corner of the box, in the world."},
    {.name = "max", .type = KEY_VECTOR, .offset = PIN(max), .unit = "m", .range = COORDINATE, .required = true, .applies = is_region,
     .only = "regions", .doc = "Upper corner of the box."},
    {.name = "vertex", .type = KEY_COUNT, .offset = PIN(vertex), .range = WITHIN(0, 2147483647), .required = true,
     .applies = is_vertex, .only = "vertices", .doc = "Index of the vertex, from 0."},
    {.name = "name", .type = KEY_NAME, .offset = PIN(name), .word = "none", .doc = "A name that an event can release."},
    {.name = "solid", .type = KEY_NAME, .offset = PIN(solid), .word = "world",
     .doc = "Static, kinematic or rigid solid that the vertices are tied to; a rigid one feels their pull."},
    {.name = "motion", .type = KEY_LIST, .offset = PIN(motion), .count_offset = PIN(motion_count), .section = &pin_motion_section,
     .from_file = true, .doc = "Key frames that move them, by how far they are shifted and turned."},
    {.name = "interpolation", .type = KEY_ENUM, .offset = PIN(interpolation), .words = interpolation_words, .doc = INTERPOLATION_DOC},
};

const Section pin_section = {.path = "solids.pins",
                                    .doc = "Vertices of an elastic solid that are held. \"corners\" and \"border\" may stand for "
                                           "{\"select\": ...}, a number for {\"select\": \"vertex\", \"vertex\": ...}.",
                                    .size = sizeof(mn_PinDef),
                                    .keys = pin_keys,
                                    .key_count = COUNT(pin_keys),
                                    .shorthand = true,
                                    .defaults = pin_defaults,
                                    .check = pin_check};

static const Key solid_keys[] = {
    {.name = "name", .type = KEY_NAME, .offset = SOLID(name), .fallback = "solid1, solid2, ...", .doc = "Unique among the solids."},
    {.name = "type", .type = KEY_ENUM, .offset = SOLID(type), .words = solid_words,
     .doc = "static: never moves; kinematic: moves as motion says, whatever the fluid does; rigid: moved by the fluid, gravity, "
            "contacts and joints; elastic: also deforms."},
    {.name = "shape", .type = KEY_SHAPE, .offset = SOLID(shape), .required = true,
     .doc = "Its shape, centred on the solid's origin."},
    {.name = "position", .type = KEY_VECTOR, .offset = SOLID(pose.position), .unit = "m", .range = COORDINATE,
     .doc = "Where the solid's origin is."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = SOLID(pose.rotation), .doc = "Rotation about the solid's origin."},
    {.name = "scale", .type = KEY_SCALE, .offset = SOLID(scale), .unit = "1", .range = WITHIN(-1e6, 1e6),
     .doc = "Scale of the shape before it is placed."},
    {.name = "inside", .type = KEY_BOOLEAN, .offset = SOLID(inside),
     .doc = "Turns a closed shape into a container: the fluid lives within."},
    {.name = "friction", .type = KEY_NUMBER, .offset = SOLID(friction), .unit = "1", .range = WITHIN(0, 1000),
     .doc = "Friction of fluids with artificial viscosity; 0 lets them slip freely."},
    {.name = "wall_viscosity", .type = KEY_NUMBER, .offset = SOLID(wall_viscosity), .unit = "1", .range = WITHIN(0, 1000),
     .doc = "Share of a laplace fluid's viscosity felt at the wall; 1 does not let it slip, 0 lets it slip freely."},
    {.name = "adhesion", .type = KEY_NUMBER, .offset = SOLID(adhesion), .unit = "m4/(kg s2)", .range = WITHIN(0, 1e6), AUTO, .doc = "Attraction of fluids, the coefficient beta of Akinci 2013; auto is the gamma of each fluid's surface_tension."},
    {.name = "contact_angle", .type = KEY_NUMBER, .offset = SOLID(contact_angle), .unit = "degrees", .range = WITHIN(0, 180),
     AUTO,
     .doc = "Angle of fluids with surface_tension on the solid, an easier form of adhesion; auto: what adhesion gives."},
    {.name = "slip", .type = KEY_NUMBER, .offset = SOLID(slip), .unit = "1", .range = WITHIN(0, 1),
     .doc = "Of fluid that touches it, with direct_forcing: share of the velocity along the surface that is left when it has slid a particle "
            "spacing, 0 none, 1 all. It takes the place of friction and wall_viscosity."},
    {.name = "fluid_restitution", .type = KEY_NUMBER, .offset = SOLID(fluid_restitution), .unit = "1", .range = WITHIN(0, 1),
     .doc = "Rebound of fluid from it, with direct_forcing: 0 none, 1 full."},
    {.name = "surface_velocity", .type = KEY_VECTOR, .offset = SOLID(surface_velocity), .unit = "m/s", .range = SPEED,
     .doc = "Velocity of a belt or lid, in world axes; the shape itself stays."},
    {.name = "motion", .type = KEY_LIST, .offset = SOLID(motion), .count_offset = SOLID(motion_count), .section = &motion_section,
     .applies = is_kinematic, .only = "kinematic solids", .from_file = true, .doc = "Key frames: where it is, and when."},
    {.name = "interpolation", .type = KEY_ENUM, .offset = SOLID(interpolation), .words = interpolation_words, .applies = is_kinematic,
     .only = "kinematic solids", .doc = INTERPOLATION_DOC},
    {.name = "oscillation", .type = KEY_OBJECT, .offset = SOLID(oscillation), .section = &oscillation_section, .applies = is_kinematic,
     .only = "kinematic solids", .doc = "Motion to and fro by formula, on top of motion."},
    {.name = "visible", .type = KEY_BOOLEAN, .offset = SOLID(visible), .doc = "Whether pictures show it."},
    {.name = "colour", .type = KEY_COLOUR, .offset = SOLID(colour), AUTO,
     .doc = "Red, green and blue in pictures; auto is grey, and what has a colour of its own is never made clear to show what it holds."},
    {.name = "inner_colour", .type = KEY_COLOUR, .offset = SOLID(inner_colour), AUTO, .applies = is_elastic, .only = "elastic solids",
     .doc = "Red, green and blue of the faces at which it broke or was cut; auto is how its surface looks."},
    {.name = "finish", .type = KEY_ENUM, .offset = SOLID(finish), .words = solid_finish_words,
     .doc = "In pictures. solid: opaque; glass: clear; wire: its edges; hidden: not there; auto: opaque, but of containers the near walls are left "
            "out, and so are those of a vessel without a colour if otherwise nothing of the fluid would be seen."},
    {.name = "density", .type = KEY_NUMBER, .offset = SOLID(density), .unit = "kg/m3", .range = ABOVE(0, 1e9), .applies = is_free,
     .only = "rigid and elastic solids", .doc = "Of the space that a closed shape encloses, or of the sheet or rod that an open one is."},
    {.name = "mass", .type = KEY_NUMBER, .offset = SOLID(mass), .unit = "kg", .range = ABOVE(0, 1e15), AUTO,
     .applies = is_rigid, .only = "rigid solids", .doc = "Mass; auto is density times volume."},
    {.name = "inertia", .type = KEY_POINT, .offset = SOLID(inertia), .unit = "kg m2", .range = ABOVE(0, 1e15), AUTO,
     .applies = is_rigid, .only = "rigid solids",
     .doc = "Moments about axes through the centre of mass, parallel to the solid's own; auto finds them from the shape."},
    {.name = "centre_of_mass", .type = KEY_VECTOR, .offset = SOLID(centre_of_mass), .unit = "m", .range = COORDINATE, .word = "auto",
     .word_value = (double)INFINITY, .applies = is_rigid, .only = "rigid solids",
     .doc = "In the solid's own frame, before rotation and position: ballast, a heavy keel. Moments of inertia are about it, and stay those of the shape "
            "unless inertia says otherwise; auto finds it from the shape."},
    {.name = "thickness", .type = KEY_NUMBER, .offset = SOLID(thickness), .unit = "m", .range = ABOVE(0, 1e6), AUTO,
     .applies = is_free, .only = "rigid and elastic solids",
     .doc = "Of sheets (open meshes, planes, grids) and rods, for mass and contact; auto is a particle spacing, for elastic ones a tenth of it."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = SOLID(velocity), .unit = "m/s", .range = SPEED, .applies = is_free,
     .only = "rigid and elastic solids", .doc = "Velocity of the centre of mass at the start."},
    {.name = "angular_velocity", .type = KEY_POINT, .offset = SOLID(angular_velocity), .unit = "1/s", .range = SPEED,
     .applies = is_mover, .only = "kinematic, rigid and elastic solids",
     .doc = "rigid and elastic: angular velocity at the start; kinematic: turns like this about its origin all the time, on top of its motion. In "
            "2D only z matters."},
    {.name = "force", .type = KEY_VECTOR, .offset = SOLID(force), .unit = "N", .range = WITHIN(-1e15, 1e15), .applies = is_rigid,
     .only = "rigid solids", .doc = "Pushes its centre of mass all the time, in world axes: a motor, a wind."},
    {.name = "held", .type = KEY_BOOLEAN, .offset = SOLID(held), .applies = is_rigid, .only = "rigid solids",
     .doc = "Rests like a static solid until an event releases it."},
    {.name = "sleep", .type = KEY_BOOLEAN, .offset = SOLID(sleep), .applies = is_rigid, .only = "rigid solids",
     .doc = "May fall asleep where it lies, to save time: it stays until the fluid, something that moves or an event wakes it."},
    {.name = "contact", .type = KEY_ENUM, .offset = SOLID(contact), .words = contact_words,
     .doc = "What it touches other solids with: auto is its own shape where possible, else its triangles; box, sphere, capsule and "
            "cylinder are put around its bounds; none passes through others."},
    {.name = "contact_friction", .type = KEY_NUMBER, .offset = SOLID(contact_friction), .unit = "1", .range = WITHIN(0, 1000),
     .doc = "Coulomb friction with other solids; two solids have the geometric mean of theirs."},
    {.name = "restitution", .type = KEY_NUMBER, .offset = SOLID(restitution), .unit = "1", .range = WITHIN(0, 1),
     .doc = "Rebound from other solids, 0 none, 1 full; two solids have the larger one."},
    {.name = "model", .type = KEY_ENUM, .offset = SOLID(model), .words = model_words, .applies = is_elastic, .only = "elastic solids",
     .doc = "mass_points: edges, bending and volumes as compliant constraints; fem: co-rotational tetrahedra, for volumes; "
            "reduced: volumes of any number of tetrahedra that a few handles move, in real time."},
    {.name = "structure", .type = KEY_ENUM, .offset = SOLID(structure), .words = structure_words, .applies = is_elastic,
     .only = "elastic solids",
     .doc = "sheet: the shape's surface is a cloth or shell of the given thickness; volume: a closed shape is filled with tetrahedra; "
            "auto: closed shapes are volumes, open ones sheets."},
    {.name = "resolution", .type = KEY_NUMBER, .offset = SOLID(resolution), .unit = "m", .range = ABOVE(0, 1e6), AUTO,
     .applies = is_elastic, .only = "elastic solids",
     .doc = "Edge length of the tetrahedra that fill a volume; auto is a particle spacing."},
    {.name = "young", .type = KEY_NUMBER, .offset = SOLID(young), .unit = "Pa", .range = ABOVE(0, 1e15), .applies = is_elastic,
     .only = "elastic solids", .doc = "Young's modulus."},
    {.name = "poisson", .type = KEY_NUMBER, .offset = SOLID(poisson), .unit = "1", .range = WITHIN(0, 0.499), .applies = is_elastic,
     .only = "elastic solids", .doc = "Poisson's ratio; sheets of mass points stretch with 1/3."},
    {.name = "damping", .type = KEY_NUMBER, .offset = SOLID(damping), .unit = "s", .range = WITHIN(0, 1e6), .applies = is_elastic,
     .only = "elastic solids",
     .doc = "Inner friction: a rate of strain of 1 over this time causes the stress of the strain 1."},
    {.name = "drag", .type = KEY_NUMBER, .offset = SOLID(drag), .unit = "1/s", .range = WITHIN(0, 1e6), .applies = is_elastic,
     .only = "elastic solids", .doc = "Rate at which velocities decay, as in air."},
    {.name = "substeps", .type = KEY_COUNT, .offset = SOLID(substeps), .range = WITHIN(1, 10000), AUTO,
     .applies = is_mass_points, .only = "mass points", .doc = "Small steps per step; auto takes as many as its stiffness asks for."},
    {.name = "integrator", .type = KEY_ENUM, .offset = SOLID(integrator), .words = integrator_words, .applies = is_stepped,
     .only = "fem and reduced",
     .doc = "bdf2 keeps oscillations, euler damps them."},
    {.name = "plane_strain", .type = KEY_BOOLEAN, .offset = SOLID(plane_strain), .applies = is_fem, .only = "fem",
     .doc = "Points keep their z, as in theory and experiments of two dimensions."},
    {.name = "yield", .type = KEY_NUMBER, .offset = SOLID(yield), .unit = "Pa", .range = ABOVE(0, 1e15), .word = "never",
     .word_value = INFINITY, .applies = is_fem, .only = "fem",
     .doc = "Stress (von Mises) above which it deforms for good: a dent stays."},
    {.name = "creep", .type = KEY_NUMBER, .offset = SOLID(creep), .unit = "1/s", .range = ABOVE(0, 1e15), .word = "at_once",
     .word_value = INFINITY, .applies = is_fem, .only = "fem",
     .doc = "Rate at which stress above yield decays: small ones flow like clay or honey."},
    {.name = "max_plastic_strain", .type = KEY_NUMBER, .offset = SOLID(max_plastic_strain), .unit = "1", .range = ABOVE(0, 10),
     .applies = is_fem, .only = "fem", .doc = "How far it deforms for good at most; beyond that it is elastic again."},
    {.name = "strength", .type = KEY_NUMBER, .offset = SOLID(strength), .unit = "Pa", .range = ABOVE(0, 1e15), .word = "never",
     .word_value = INFINITY, .applies = is_fem, .only = "fem",
     .doc = "Tension at which it breaks, between its tetrahedra and across the direction of the tension. For boxes and tetrahedral meshes."},
    {.name = "toughness", .type = KEY_NUMBER, .offset = SOLID(toughness), .unit = "J/m2", .range = WITHIN(0, 1e15), .applies = is_fem,
     .only = "fem",
     .doc = "Energy that a crack takes per area: 0 is brittle, and cracks follow the mesh; with more of it they lie in planes, and what is "
            "cracked holds until it is 2 toughness / strength apart."},
    {.name = "tear_strain", .type = KEY_NUMBER, .offset = SOLID(tear_strain), .unit = "1", .range = ABOVE(0, 1e6), .word = "never",
     .word_value = INFINITY, .applies = is_mass_points, .only = "mass points",
     .doc = "Stretch of an edge at which a sheet tears there, across the direction in which it is stretched most: 0.5 is half as long again."},
    {.name = "handles", .type = KEY_COUNT, .offset = SOLID(handles), .range = WITHIN(1, 1000), .applies = is_reduced, .only = "reduced",
     .doc = "Sample points that move the rest, each with an affine map; at most one per four points of the tetrahedra. Time goes with "
            "the square of it, set-up with the cube."},
    {.name = "projections", .type = KEY_COUNT, .offset = SOLID(projections), .range = WITHIN(8, 10000000), .applies = is_reduced,
     .only = "reduced", .doc = "Tetrahedra that are looked at for all; at most all of them."},
    {.name = "iterations", .type = KEY_COUNT, .offset = SOLID(iterations), .range = WITHIN(1, 1000), .applies = is_reduced,
     .only = "reduced", .doc = "Local and global ones per step."},
    {.name = "self_contact", .type = KEY_BOOLEAN, .offset = SOLID(self_contact), .applies = is_elastic, .only = "elastic solids",
     .doc = "Whether it touches itself."},
    {.name = "pins", .type = KEY_LIST, .offset = SOLID(pins), .count_offset = SOLID(pin_count), .range = WITHIN(0, 100000),
     .section = &pin_section, .applies = is_elastic, .only = "elastic solids", .doc = "Vertices that are held or moved."},
};

const Section solid_section = {.path = "solids",
                                      .doc = "Solids that the fluid flows around or within.",
                                      .size = sizeof(mn_SolidDef),
                                      .keys = solid_keys,
                                      .key_count = COUNT(solid_keys),
                                      .defaults = solid_defaults,
                                      .check = solid_check};
