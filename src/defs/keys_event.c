// SPDX-License-Identifier: MIT
// Keys of events: what can be done to a world while it runs, by a scene file or by the calls of meniscus/live.h.
#include "defs/key_table.h"

#define EVENT(member) offsetof(mn_EventDef, member)

// clang-format off

#define SOLID_NAME(def) {.name = "solid", .type = KEY_NAME, .offset = offsetof(def, solid), .required = true, .doc = "Name of the solid."}
#define FLUID_NAME(def) {.name = "fluid", .type = KEY_NAME, .offset = offsetof(def, fluid), .word = "first", .doc = "Name of the fluid."}
#define IMPULSE WITHIN(-1e15, 1e15)

// --- solids

static const Key push_keys[] = {
    SOLID_NAME(mn_PushDef),
    {.name = "impulse", .type = KEY_VECTOR, .offset = offsetof(mn_PushDef, impulse), .unit = "N s", .range = IMPULSE, .doc = "Momentum that it gets at once."},
    {.name = "angular_impulse", .type = KEY_POINT, .offset = offsetof(mn_PushDef, angular_impulse), .unit = "N m s", .range = IMPULSE,
     .doc = "Angular momentum about its centre of mass that it gets at once; of rigid solids."},
    {.name = "point", .type = KEY_VECTOR, .offset = offsetof(mn_PushDef, point), .unit = "m", .range = COORDINATE, .word = "centre", .word_value = NAN,
     .doc = "Where the impulse acts, in the world; centre: at the centre of mass, without a turn."},
};

const Section push_section = {.path = "events.pushes",
                              .doc = "Knocks on rigid and elastic solids.",
                              .size = sizeof(mn_PushDef),
                              .keys = push_keys,
                              .key_count = COUNT(push_keys),
                              .defaults = push_defaults};

static const Key force_keys[] = {
    SOLID_NAME(mn_ForceDef),
    {.name = "force", .type = KEY_VECTOR, .offset = offsetof(mn_ForceDef, force), .unit = "N", .range = IMPULSE,
     .doc = "On the centre of mass, or spread over an elastic solid by mass."},
    {.name = "torque", .type = KEY_POINT, .offset = offsetof(mn_ForceDef, torque), .unit = "N m", .range = IMPULSE, .doc = "Of rigid solids."},
};

const Section force_section = {.path = "events.forces",
                               .doc = "What pushes a solid from then on, in place of what an earlier event said.",
                               .size = sizeof(mn_ForceDef),
                               .keys = force_keys,
                               .key_count = COUNT(force_keys),
                               .defaults = force_defaults};

static const Key move_keys[] = {
    SOLID_NAME(mn_MoveDef),
    {.name = "position", .type = KEY_VECTOR, .offset = offsetof(mn_MoveDef, position), .unit = "m", .range = COORDINATE, .word = "free", .word_value = NAN,
     .doc = "Where it goes, straight from where it is; free: it moves with the velocities below, for good."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = offsetof(mn_MoveDef, rotation), .doc = "How it is turned there."},
    {.name = "seconds", .type = KEY_NUMBER, .offset = offsetof(mn_MoveDef, seconds), .unit = "s", .range = WITHIN(0, 1e9),
     .doc = "How long the way there takes; 0 puts it there at once."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = offsetof(mn_MoveDef, velocity), .unit = "m/s", .range = SPEED, .doc = "Without a position."},
    {.name = "angular_velocity", .type = KEY_POINT, .offset = offsetof(mn_MoveDef, angular_velocity), .unit = "1/s", .range = SPEED,
     .doc = "Without a position; about its origin."},
};

const Section move_section = {.path = "events.moves",
                              .doc = "How kinematic solids move from then on, whatever their key frames say.",
                              .size = sizeof(mn_MoveDef),
                              .keys = move_keys,
                              .key_count = COUNT(move_keys),
                              .defaults = move_defaults};

static const Key solid_change_keys[] = {
    SOLID_NAME(mn_SolidChange),
    {.name = "friction", .type = KEY_NUMBER, .offset = offsetof(mn_SolidChange, friction), .unit = "1", .range = WITHIN(0, 1000), .word = "keep", .word_value = MN_AUTO,
     .doc = "With fluids."},
    {.name = "wall_viscosity", .type = KEY_NUMBER, .offset = offsetof(mn_SolidChange, wall_viscosity), .unit = "1", .range = WITHIN(0, 1000), .word = "keep", .word_value = MN_AUTO,
     .doc = "With laplace fluids."},
    {.name = "contact_friction", .type = KEY_NUMBER, .offset = offsetof(mn_SolidChange, contact_friction), .unit = "1", .range = WITHIN(0, 1000), .word = "keep",
     .word_value = MN_AUTO, .doc = "With other solids."},
    {.name = "restitution", .type = KEY_NUMBER, .offset = offsetof(mn_SolidChange, restitution), .unit = "1", .range = WITHIN(0, 1), .word = "keep", .word_value = MN_AUTO,
     .doc = "From other solids; not of elastic ones."},
    {.name = "density", .type = KEY_NUMBER, .offset = offsetof(mn_SolidChange, density), .unit = "kg/m3", .range = ABOVE(0, 1e9), .word = "keep", .word_value = MN_AUTO,
     .doc = "Of elastic solids, as the next two."},
    {.name = "young", .type = KEY_NUMBER, .offset = offsetof(mn_SolidChange, young), .unit = "Pa", .range = ABOVE(0, 1e15), .word = "keep", .word_value = MN_AUTO,
     .doc = "As solids.young. What is strained stays so, and pulls back by the new one."},
    {.name = "poisson", .type = KEY_NUMBER, .offset = offsetof(mn_SolidChange, poisson), .unit = "1", .range = WITHIN(0, 0.499), .word = "keep", .word_value = MN_AUTO,
     .doc = "As solids.poisson."},
};

const Section solid_change_section = {.path = "events.solid_changes",
                                      .doc = "Other materials of solids. Densities of rigid solids: \"solid\" and \"density\" of the event itself.",
                                      .size = sizeof(mn_SolidChange),
                                      .keys = solid_change_keys,
                                      .key_count = COUNT(solid_change_keys),
                                      .defaults = solid_change_defaults};

// --- fluids

static const Key fluid_particle_keys[] = {
    {.name = "position", .type = KEY_VECTOR, .offset = offsetof(mn_FluidParticle, position), .unit = "m", .range = COORDINATE, .required = true, .doc = "Where it is."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = offsetof(mn_FluidParticle, velocity), .unit = "m/s", .range = SPEED, .doc = "How it moves."},
};

const Section fluid_particle_section = {.path = "events.pours.particles",
                                        .doc = "Particles one by one.",
                                        .size = sizeof(mn_FluidParticle),
                                        .keys = fluid_particle_keys,
                                        .key_count = COUNT(fluid_particle_keys),
                                        .defaults = fluid_particle_defaults};

#define POUR(member) offsetof(mn_PourDef, member)

static const Key pour_keys[] = {
    FLUID_NAME(mn_PourDef),
    {.name = "blocks", .type = KEY_LIST, .offset = POUR(blocks), .count_offset = POUR(block_count), .section = &block_section, .doc = "Boxes along the axes."},
    {.name = "spheres", .type = KEY_LIST, .offset = POUR(balls), .count_offset = POUR(ball_count), .section = &ball_section, .doc = "Spheres (discs in 2D)."},
    {.name = "meshes", .type = KEY_LIST, .offset = POUR(fills), .count_offset = POUR(fill_count), .section = &fill_section, .doc = "Closed meshes."},
    {.name = "shapes", .type = KEY_LIST, .offset = POUR(shapes), .count_offset = POUR(shape_count), .section = &fluid_shape_section, .doc = "Closed shapes."},
    {.name = "particles", .type = KEY_LIST, .offset = POUR(particles), .count_offset = POUR(particle_count), .section = &fluid_particle_section, .doc = "One by one."},
};

const Section pour_section = {.path = "events.pours",
                              .doc = "More of a fluid. What would be in a solid, outside of all containers or closer than 0.7 spacings to other fluid is left out.",
                              .size = sizeof(mn_PourDef),
                              .keys = pour_keys,
                              .key_count = COUNT(pour_keys),
                              .defaults = pour_defaults};

static bool is_ball(const void* object)
{
    return ((const mn_ScoopDef*)object)->radius != MN_AUTO;
}
static bool is_box(const void* object)
{
    return !is_ball(object);
}

static const Key scoop_keys[] = {
    {.name = "radius", .type = KEY_NUMBER, .offset = offsetof(mn_ScoopDef, radius), .unit = "m", .range = ABOVE(0, 1e9), .word = "box", .word_value = MN_AUTO,
     .doc = "Of a ball; box: the fluid in a box goes."},
    {.name = "centre", .type = KEY_VECTOR, .offset = offsetof(mn_ScoopDef, centre), .unit = "m", .range = COORDINATE, .required = true, .applies = is_ball, .only = "balls",
     .doc = "Of the ball."},
    {.name = "min", .type = KEY_VECTOR, .offset = offsetof(mn_ScoopDef, min), .unit = "m", .range = COORDINATE, .required = true, .applies = is_box, .only = "boxes",
     .doc = "Lower corner."},
    {.name = "max", .type = KEY_VECTOR, .offset = offsetof(mn_ScoopDef, max), .unit = "m", .range = COORDINATE, .required = true, .applies = is_box, .only = "boxes",
     .doc = "Upper corner."},
};

const Section scoop_section = {.path = "events.scoops",
                               .doc = "Fluid in a box or ball goes, at once. It counts as drained.",
                               .size = sizeof(mn_ScoopDef),
                               .keys = scoop_keys,
                               .key_count = COUNT(scoop_keys),
                               .defaults = scoop_defaults};

static const Key nozzle_keys[] = {
    FLUID_NAME(mn_NozzleDef),
    {.name = "number", .type = KEY_COUNT, .offset = offsetof(mn_NozzleDef, number), .range = WITHIN(0, 1e6), .doc = "Of the emitter in the fluid's list, from 0."},
    {.name = "on", .type = KEY_BOOLEAN, .offset = offsetof(mn_NozzleDef, on), .doc = "Whether it emits; its own start and end still count."},
    {.name = "speed", .type = KEY_NUMBER, .offset = offsetof(mn_NozzleDef, speed), .unit = "m/s", .range = WITHIN(0, 1e6), .word = "keep", .word_value = MN_AUTO,
     .doc = "Speed from then on, in place of all that was said about it."},
};

const Section nozzle_section = {.path = "events.nozzles",
                                .doc = "Emitters that are turned on or off, or get another speed.",
                                .size = sizeof(mn_NozzleDef),
                                .keys = nozzle_keys,
                                .key_count = COUNT(nozzle_keys),
                                .defaults = nozzle_defaults};

static const Key fluid_change_keys[] = {
    FLUID_NAME(mn_FluidChange),
    {.name = "viscosity", .type = KEY_NUMBER, .offset = offsetof(mn_FluidChange, viscosity), .range = WITHIN(0, 1e9), .word = "keep", .word_value = MN_AUTO,
     .doc = "As fluids.viscosity, by the same viscosity_method."},
    {.name = "surface_tension", .type = KEY_NUMBER, .offset = offsetof(mn_FluidChange, surface_tension), .unit = "N/m or m4/(kg s2)", .range = WITHIN(0, 1e6), .word = "keep",
     .word_value = MN_AUTO, .doc = "As fluids.surface_tension.sigma if the fluid was given that, else as gamma; by the same method."},
    {.name = "density", .type = KEY_NUMBER, .offset = offsetof(mn_FluidChange, density), .unit = "kg/m3", .range = ABOVE(0, 1e6), .word = "keep", .word_value = MN_AUTO,
     .doc = "Particles keep their places and velocities, and weigh as much from then on."},
};

const Section fluid_change_section = {.path = "events.fluid_changes",
                                      .doc = "Other materials of fluids.",
                                      .size = sizeof(mn_FluidChange),
                                      .keys = fluid_change_keys,
                                      .key_count = COUNT(fluid_change_keys),
                                      .defaults = fluid_change_defaults};

// --- pulls

#define PULL(member) offsetof(mn_PullDef, member)

static const Key pull_keys[] = {
    {.name = "name", .type = KEY_NAME, .offset = PULL(name), .required = true, .doc = "The same name again moves or ends the pull."},
    {.name = "solid", .type = KEY_NAME, .offset = PULL(solid), .word = "none", .doc = "Name of a rigid or elastic solid; none: fluid around the target is pulled, and follows a target that moves as fast as it can."},
    {.name = "point", .type = KEY_VECTOR, .offset = PULL(point), .unit = "m", .range = COORDINATE, .doc = "Point of the solid, in the world, when the pull begins."},
    {.name = "target", .type = KEY_VECTOR, .offset = PULL(target), .unit = "m", .range = COORDINATE, .doc = "Where it is pulled to."},
    {.name = "radius", .type = KEY_NUMBER, .offset = PULL(radius), .unit = "m", .range = ABOVE(0, 1e9), AUTO,
     .doc = "Of the fluid, or of the patch of an elastic solid, that is pulled; auto: 6 particle radii of fluid, a quarter of an elastic solid's size."},
    {.name = "frequency", .type = KEY_NUMBER, .offset = PULL(frequency), .unit = "1/s", .range = ABOVE(0, 1e6),
     .doc = "How stiff the spring is: the frequency of the pulled mass on it. Damping is critical."},
    {.name = "max_force", .type = KEY_NUMBER, .offset = PULL(max_force), .unit = "N", .range = ABOVE(0, 1e15), AUTO,
     .doc = "It pulls no harder; auto: 200 times the weight of the solid at 9.81 m/s2. Not for fluid."},
    {.name = "end", .type = KEY_BOOLEAN, .offset = PULL(end), .doc = "The pull ends."},
};

const Section pull_section = {.path = "events.pulls",
                              .doc = "Springs from a point of a solid, or from fluid, to a target that may move: what a mouse does. They are implicit, and stable at any frequency.",
                              .size = sizeof(mn_PullDef),
                              .keys = pull_keys,
                              .key_count = COUNT(pull_keys),
                              .defaults = pull_defaults};

// --- events

#define LIST(what, member, count) .type = KEY_LIST, .offset = EVENT(member), .count_offset = EVENT(count), .section = &what

static bool is_cut(const void* object)
{
    return ((const mn_EventDef*)object)->cut;
}

static const Key event_keys[] = {
    {.name = "time", .type = KEY_NUMBER, .offset = EVENT(time), .unit = "s", .range = NOT_NEGATIVE, .required = true,
     .doc = "When it happens."},
    {.name = "cuts_step", .type = KEY_BOOLEAN, .offset = EVENT(cuts_step),
     .doc = "A step ends at that time. If not, the event comes after the first step that reaches it: so it is recorded when it happens live, and a run that takes the same steps is the same to the bit."},
    {.name = "release", .type = KEY_NAME, .offset = EVENT(release), .word = "none",
     .doc = "Name of a joint or pin that goes, or of a solid that is let go: a held one, or one with pins."},
    {.name = "solid", .type = KEY_NAME, .offset = EVENT(solid), .word = "none",
     .doc = "Name of a rigid solid that the next keys change."},
    {.name = "density", .type = KEY_NUMBER, .offset = EVENT(density), .unit = "kg/m3", .range = ABOVE(0, 1e9), .word = "keep", .word_value = MN_AUTO,
     .doc = "Its new density."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = EVENT(velocity), .unit = "m/s", .range = SPEED, .word = "keep",
     .word_value = NAN, .doc = "Its new velocity."},
    {.name = "angular_velocity", .type = KEY_POINT, .offset = EVENT(angular_velocity), .unit = "1/s", .range = SPEED, .word = "keep",
     .word_value = NAN, .doc = "Its new angular velocity."},
    {.name = "gravity", .type = KEY_VECTOR, .offset = EVENT(gravity), .unit = "m/s2", .range = WITHIN(-1e6, 1e6), .word = "keep",
     .word_value = NAN, .doc = "Gravity from then on, for all fluids and solids."},
    {.name = "cut", .type = KEY_NAME, .offset = EVENT(cut), .word = "none",
     .doc = "Name of an elastic volume, a box or a tetrahedral mesh, that comes apart along a plane: between the tetrahedra whose "
            "middles are on different sides of it."},
    {.name = "point", .type = KEY_VECTOR, .offset = EVENT(point), .unit = "m", .range = COORDINATE, .applies = is_cut,
     .only = "events that cut", .doc = "A point of the plane, where the solid is then."},
    {.name = "normal", .type = KEY_VECTOR, .offset = EVENT(normal), .unit = "1", .range = COORDINATE, .applies = is_cut,
     .only = "events that cut", .doc = "What is at right angles to the plane."},
    {.name = "remove", .type = KEY_NAME, .offset = EVENT(remove), .word = "none", .doc = "Name of a solid that is taken away; not an elastic one."},
    {.name = "solids", LIST(solid_section, solids, solid_count), .doc = "New solids, of any type but elastic."},
    {.name = "joints", LIST(joint_section, joints, joint_count), .doc = "New joints; position and axis are those of that time."},
    {.name = "scoops", LIST(scoop_section, scoops, scoop_count), .doc = "Fluid that goes."},
    {.name = "pours", LIST(pour_section, pours, pour_count), .doc = "Fluid that comes."},
    {.name = "pushes", LIST(push_section, pushes, push_count), .doc = "Impulses on solids."},
    {.name = "forces", LIST(force_section, forces, force_count), .doc = "Forces on solids from then on."},
    {.name = "moves", LIST(move_section, moves, move_count), .doc = "How kinematic solids move from then on."},
    {.name = "nozzles", LIST(nozzle_section, nozzles, nozzle_count), .doc = "Emitters on, off, faster."},
    {.name = "pulls", LIST(pull_section, pulls, pull_count), .doc = "Springs that pull solids or fluid."},
    {.name = "fluid_changes", LIST(fluid_change_section, fluid_changes, fluid_change_count), .doc = "Other materials of fluids."},
    {.name = "solid_changes", LIST(solid_change_section, solid_changes, solid_change_count), .doc = "Other materials of solids."},
};

const Section event_section = {.path = "events",
                                      .doc = "What happens at a given time.",
                                      .size = sizeof(mn_EventDef),
                                      .keys = event_keys,
                                      .key_count = COUNT(event_keys),
                                      .defaults = event_defaults,
                                      .check = event_check};

// clang-format on
