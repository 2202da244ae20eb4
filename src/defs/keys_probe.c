// SPDX-License-Identifier: MIT
// Keys of what measures, and of what keeps waves from coming back meanwhile.
#include "defs/key_table.h"

// clang-format off
#define PROBE(member) offsetof(mn_ProbeDef, member)
#define SPONGE(member) offsetof(mn_Sponge, member)

static const char* const probe_words[] = {"pressure", "height", "velocity", "force", "displacement", "impulse", "torque", NULL};

static bool is_force_probe(const void* object)
{
    mn_ProbeType type = ((const mn_ProbeDef*)object)->type;
    return type == MN_PROBE_FORCE || type == MN_PROBE_IMPULSE || type == MN_PROBE_TORQUE;
}
static bool is_line_probe(const void* object)
{
    return !is_force_probe(object) && ((const mn_ProbeDef*)object)->count > 1;
}
static bool is_array_probe(const void* object)
{
    return is_line_probe(object) && ((const mn_ProbeDef*)object)->rows > 1;
}
static bool is_pressure_probe(const void* object)
{
    return ((const mn_ProbeDef*)object)->type == MN_PROBE_PRESSURE;
}
static bool is_height_probe(const void* object)
{
    return ((const mn_ProbeDef*)object)->type == MN_PROBE_HEIGHT;
}
static bool is_point_probe(const void* object)
{
    return !is_force_probe(object);
}
static const Key probe_keys[] = {
    {.name = "name", .type = KEY_NAME, .offset = PROBE(name), .fallback = "probe1, probe2, ...",
     .doc = "Unique among the probes; the column's name in probes.csv."},
    {.name = "type", .type = KEY_ENUM, .offset = PROBE(type), .words = probe_words, .required = true,
     .doc = "pressure [Pa] and velocity [m/s] at a point, height [m] of the fluid above a point, force [N] of the fluid on a "
            "solid, impulse [N s], the force added up since the start, displacement [m] of a point of an elastic solid since the start, "
            "torque [N m] of the fluid on a solid about its origin, or the centre of mass of a rigid one."},
    {.name = "position", .type = KEY_VECTOR, .offset = PROBE(position), .unit = "m", .range = COORDINATE, .required = true,
     .applies = is_point_probe, .only = "pressure, height, velocity and displacement",
     .doc = "The point; for height any point of the line; for displacement the vertex nearest to it at the start."},
    {.name = "solid", .type = KEY_NAME, .offset = PROBE(solid), .word = "none", .fallback = "required for force, torque, impulse and displacement",
     .doc = "Name of the solid that is measured. Others move with the solid of that name, from where they are at the start; it must not be elastic."},
    {.name = "radius", .type = KEY_NUMBER, .offset = PROBE(radius), .unit = "m", .range = WITHIN(0, 1e6), .applies = is_pressure_probe,
     .only = "pressure", .doc = "The mean over all fluid nearer to the point than this: what a gauge with a face measures; 0: at the point."},
    {.name = "direction", .type = KEY_VECTOR, .offset = PROBE(direction), .range = WITHIN(-1e9, 1e9), .applies = is_height_probe,
     .only = "height", .doc = "Along which heights are measured, a vector of any length; zero is against gravity."},
    {.name = "min", .type = KEY_VECTOR, .offset = PROBE(min), .unit = "m", .range = COORDINATE, .word = "none", .word_value = (double)INFINITY,
     .applies = is_force_probe, .only = "force, torque and impulse",
     .doc = "With max: a box, in the world at the start; only the part of the solid that is in it is measured, and it moves with the solid."},
    {.name = "max", .type = KEY_VECTOR, .offset = PROBE(max), .unit = "m", .range = COORDINATE, .word = "none", .word_value = (double)INFINITY,
     .applies = is_force_probe, .only = "force, torque and impulse", .doc = "Upper corner of the box."},
    {.name = "every", .type = KEY_NUMBER, .offset = PROBE(every), .unit = "s", .range = ABOVE(0, 1e9), .word = "frame", .word_value = MN_AUTO,
     .doc = "Time between values, in a table of their own, probes_every_TIME.csv; frame: with the frames, in probes.csv."},
    {.name = "average", .type = KEY_NUMBER, .offset = PROBE(average), .unit = "s", .range = WITHIN(0, 1e9),
     .doc = "Values are means over this time before them; 0: values of a moment."},
    {.name = "count", .type = KEY_COUNT, .offset = PROBE(count), .range = WITHIN(1, 10000),
     .doc = "This many probes on a line from position to `to`, named NAME.0, NAME.1, ..."},
    {.name = "to", .type = KEY_VECTOR, .offset = PROBE(to), .unit = "m", .range = COORDINATE, .word = "none", .word_value = (double)INFINITY, .applies = is_line_probe,
     .only = "lines (count above 1)", .doc = "Last point of the line."},
    {.name = "rows", .type = KEY_COUNT, .offset = PROBE(rows), .range = WITHIN(1, 10000),
     .doc = "This many such lines, named NAME.0.0, NAME.0.1, ..."},
    {.name = "across", .type = KEY_VECTOR, .offset = PROBE(across), .unit = "m", .range = WITHIN(-1e9, 1e9), .word = "none", .word_value = (double)INFINITY,
     .applies = is_array_probe, .only = "arrays (rows above 1)", .doc = "From the first line to the last."},
};

const Section probe_section = {.path = "probes",
                                      .doc = "Values that probes.csv lists for every frame.",
                                      .size = sizeof(mn_ProbeDef),
                                      .keys = probe_keys,
                                      .key_count = COUNT(probe_keys),
                                      .defaults = probe_defaults,
                                      .check = probe_check};

// --- sponges

static const Key sponge_keys[] = {
    {.name = "min", .type = KEY_VECTOR, .offset = SPONGE(min), .unit = "m", .range = COORDINATE, .required = true, .doc = "Lower corner."},
    {.name = "max", .type = KEY_VECTOR, .offset = SPONGE(max), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "Upper corner, above min in every direction."},
    {.name = "rate", .type = KEY_NUMBER, .offset = SPONGE(rate), .unit = "1/s", .range = ABOVE(0, 1e6),
     .doc = "How fast velocities decay where it is strongest; a box of a wave's length swallows waves at about two to four of their frequencies in rad/s."},
    {.name = "direction", .type = KEY_VECTOR, .offset = SPONGE(direction), .range = WITHIN(-1e9, 1e9),
     .doc = "Along which it gets stronger, as the square of the way through the box, so that waves enter it unseen; zero: as strong everywhere."},
    {.name = "velocity", .type = KEY_VECTOR, .offset = SPONGE(velocity), .unit = "m/s", .range = SPEED,
     .doc = "What fluid comes to have in it."},
};

const Section sponge_section = {.path = "sponges",
                                .doc = "Boxes along the axes in which fluid is slowed down: beaches without the room for one.",
                                .size = sizeof(mn_Sponge),
                                .keys = sponge_keys,
                                .key_count = COUNT(sponge_keys),
                                .defaults = sponge_defaults,
                                .check = sponge_check};
// clang-format on
