// SPDX-License-Identifier: MIT
// Keys of templates, which become solids and joints while a scene is read (template.c).
#include "defs/key_table.h"

// clang-format off
#define RAGDOLL(member) offsetof(mn_RagdollDef, member)
#define CHAIN(member) offsetof(mn_ChainDef, member)

static const Key ragdoll_keys[] = {
    {.name = "name", .type = KEY_NAME, .offset = RAGDOLL(name), .fallback = "ragdoll1, ragdoll2, ...",
     .doc = "Its solids are NAME.head, .chest, .hips, and with left_ or right_ before them .upper_arm, .forearm, .thigh, .shin; its "
            "joints NAME.neck, .waist, and left and right .shoulder, .elbow, .hip, .knee."},
    {.name = "position", .type = KEY_VECTOR, .offset = RAGDOLL(pose.position), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "The middle of the figure, between head and feet."},
    {.name = "rotation", .type = KEY_ROTATION, .offset = RAGDOLL(pose.rotation),
     .doc = "Rotation of the figure, which stands along y, looks along +z and spreads its arms along x."},
    {.name = "height", .type = KEY_NUMBER, .offset = RAGDOLL(height), .unit = "m", .range = ABOVE(0, 1e6),
     .doc = "From head to feet; forearms are 0.06 of it thick, which should be more than a particle spacing."},
    {.name = "density", .type = KEY_NUMBER, .offset = RAGDOLL(density), .unit = "kg/m3", .range = ABOVE(0, 1e9),
     .doc = "Of all its parts."},
    {.name = "friction", .type = KEY_NUMBER, .offset = RAGDOLL(friction), .unit = "1", .range = WITHIN(0, 1000),
     .doc = "Friction of fluids with artificial viscosity."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = RAGDOLL(velocity), .unit = "m/s", .range = SPEED,
     .doc = "Velocity at the start."},
    {.name = "colour", .type = KEY_COLOUR, .offset = RAGDOLL(colour), .doc = "Red, green and blue in pictures."},
};

const Section ragdoll_section = {
    .path = "ragdolls",
    .doc = "Jointed figures of eleven parts. A run's own scene.json has their solids and joints instead.",
    .size = sizeof(mn_RagdollDef),
    .keys = ragdoll_keys,
    .key_count = COUNT(ragdoll_keys),
    .defaults = ragdoll_defaults,
    .check = ragdoll_check};

static const Key chain_keys[] = {
    {.name = "name", .type = KEY_NAME, .offset = CHAIN(name), .fallback = "chain1, chain2, ...",
     .doc = "Its solids are NAME.0, NAME.1, ... and its joints NAME.joint0, ..., from the first end to the other."},
    {.name = "from", .type = KEY_VECTOR, .offset = CHAIN(from), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "Where the line of links starts..."},
    {.name = "to", .type = KEY_VECTOR, .offset = CHAIN(to), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "...and ends; each link has an equal share of it."},
    {.name = "links", .type = KEY_INTEGER, .offset = CHAIN(links), .range = WITHIN(1, 5000), .doc = "Number of links."},
    {.name = "shape", .type = KEY_SHAPE, .offset = CHAIN(shape), .required = true,
     .doc = "Shape of a link: its y axis lies along the line, its z axis points up as far as possible. A plank is a box "
            "[across, along, thick]."},
    {.name = "joint", .type = KEY_ENUM, .offset = CHAIN(joint), .words = joint_words,
     .doc = "Type of its joints; the axis of hinges lies across the line, that of sliders along it."},
    {.name = "density", .type = KEY_NUMBER, .offset = CHAIN(density), .unit = "kg/m3", .range = ABOVE(0, 1e9),
     .doc = "Density of the links."},
    {.name = "friction", .type = KEY_NUMBER, .offset = CHAIN(friction), .unit = "1", .range = WITHIN(0, 1000),
     .doc = "Friction of fluids with artificial viscosity."},
    {.name = "break_force", .type = KEY_NUMBER, .offset = CHAIN(break_force), .unit = "N", .range = ABOVE(0, 1e15), .word = "never", .word_value = INFINITY,
     .doc = "A joint breaks when it has to hold more than this."},
    {.name = "start", .type = KEY_NAME, .offset = CHAIN(start), .word = "world",
     .doc = "What the first link is tied to: a solid's name, the world, or none."},
    {.name = "end", .type = KEY_NAME, .offset = CHAIN(end), .word = "world", .doc = "The same for the last link."},
    {.name = "colour", .type = KEY_COLOUR, .offset = CHAIN(colour), .doc = "Red, green and blue in pictures."},
};

const Section chain_section = {
    .path = "chains",
    .doc = "Chains, ropes and bridges: equal links on a line, tied one to the next. A run's own scene.json has their solids and "
           "joints instead.",
    .size = sizeof(mn_ChainDef),
    .keys = chain_keys,
    .key_count = COUNT(chain_keys),
    .defaults = chain_defaults,
    .check = chain_check};
// clang-format on
