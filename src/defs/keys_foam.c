// SPDX-License-Identifier: MIT
// Keys of spray, foam and bubbles.
#include "defs/key_table.h"

// clang-format off
#define FOAM(member) offsetof(mn_FoamDef, member)

static const Key foam_keys[] = {
    {.name = "amount", .type = KEY_NUMBER, .offset = FOAM(amount), .unit = "1", .range = WITHIN(0, 1e6),
     .doc = "Factor of all that is made: 2 makes twice as much."},
    {.name = "spray", .type = KEY_NUMBER, .offset = FOAM(spray), .unit = "1", .range = WITHIN(0, 1e6),
     .doc = "Factor of what starts as spray; 0 makes none, and what would become spray vanishes."},
    {.name = "foam", .type = KEY_NUMBER, .offset = FOAM(foam), .unit = "1", .range = WITHIN(0, 1e6),
     .doc = "Factor of what starts as foam on the surface; 0 makes none."},
    {.name = "bubbles", .type = KEY_NUMBER, .offset = FOAM(bubbles), .unit = "1", .range = WITHIN(0, 1e6),
     .doc = "Factor of what starts as bubbles in the fluid; 0 makes none."},
    {.name = "lifetime", .type = KEY_NUMBER, .offset = FOAM(lifetime), .unit = "s", .range = ABOVE(0, 1e9), AUTO,
     .doc = "How long foam stays, in the mean; spray and bubbles stay four times as long. auto is five times the time of a fall through "
            "the scene."},
    {.name = "limit", .type = KEY_COUNT, .offset = FOAM(limit), .range = WITHIN(1, 2000000000),
     .doc = "Diffuse particles at most: thresholds rise smoothly as their number comes near it."},
    {.name = "radius", .type = KEY_NUMBER, .offset = FOAM(radius), .unit = "m", .range = ABOVE(0, 1e9), AUTO,
     .doc = "Radius of a diffuse particle in pictures and files; auto is half of particle_radius."},
    {.name = "trapped_air", .type = KEY_PAIR, .offset = FOAM(trapped_air), .unit = "m/s", .range = WITHIN(0, 1e9), AUTO,
     .doc = "Thresholds of the trapped air potential: nothing below the first, all above the second."},
    {.name = "wave_crest", .type = KEY_PAIR, .offset = FOAM(wave_crest), .unit = "1", .range = WITHIN(0, 1e9), AUTO,
     .doc = "Thresholds of the wave crest potential."},
    {.name = "kinetic_energy", .type = KEY_PAIR, .offset = FOAM(kinetic_energy), .unit = "J/kg", .range = WITHIN(0, 1e12), AUTO,
     .doc = "Thresholds of the kinetic energy per mass, half the square of the speed."},
    {.name = "trapped_air_rate", .type = KEY_NUMBER, .offset = FOAM(trapped_air_rate), .unit = "1/s", .range = WITHIN(0, 1e9), AUTO,
     .doc = "Diffuse particles that a fluid particle makes per second where trapped air and kinetic energy are full."},
    {.name = "wave_crest_rate", .type = KEY_NUMBER, .offset = FOAM(wave_crest_rate), .unit = "1/s", .range = WITHIN(0, 1e9), AUTO,
     .doc = "The same where wave crest and kinetic energy are full."},
    {.name = "buoyancy", .type = KEY_NUMBER, .offset = FOAM(buoyancy), .unit = "1", .range = WITHIN(0, 1e6),
     .doc = "Acceleration of bubbles against gravity, in gravities."},
    {.name = "drag", .type = KEY_NUMBER, .offset = FOAM(drag), .unit = "1/s", .range = ABOVE(0, 1e9), AUTO,
     .doc = "How fast bubbles take on the velocity of the fluid; they rise at buoyancy times gravity by drag in the end."},
    {.name = "air_drag", .type = KEY_NUMBER, .offset = FOAM(air_drag), .unit = "1/s", .range = WITHIN(0, 1e9), AUTO,
     .doc = "How fast air slows spray down."},
    {.name = "spray_below", .type = KEY_NUMBER, .offset = FOAM(spray_below), .unit = "particles", .range = WITHIN(0, 1e6), AUTO,
     .doc = "With fewer fluid particles around a diffuse particle is spray; auto is 6 for the usual support radius."},
    {.name = "bubbles_above", .type = KEY_NUMBER, .offset = FOAM(bubbles_above), .unit = "particles", .range = WITHIN(0, 1e6), AUTO,
     .doc = "With more fluid particles around it is a bubble; auto is 20 for the usual support radius."},
};

const Section foam_section = {.path = "foam",
                              .doc = "Spray, foam and bubbles that the fluids make where they take air in. `meniscus foam` makes them "
                                     "afterwards from the frames of any run.",
                              .size = sizeof(mn_FoamDef),
                              .keys = foam_keys,
                              .key_count = COUNT(foam_keys),
                              .check = foam_check};
// clang-format on
