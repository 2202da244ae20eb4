// SPDX-License-Identifier: MIT
// Everything scales with three lengths and one acceleration: the speed U of a fall through the scene sets energies and differences
// of velocity, U / g the time, the particle spacing d the size of bubbles. A bubble of the size of a particle rises at about
// 0.7 sqrt(g d), as real ones of some millimetres do (Davies and Taylor 1950: 0.7 sqrt(g d) for large ones).
#include "foam/rules.h"

#include "base/random.h"
#include <string.h>

static double or_derived(double given, double derived)
{
    return given != MN_AUTO ? given : derived;
}

static void range_of(double out[2], const double given[2], double low, double high)
{
    out[0] = given[0] != MN_AUTO ? given[0] : low;
    out[1] = given[0] != MN_AUTO ? given[1] : high;
}

FoamRules foam_rules(const mn_FoamDef* def, const FoamScale* scale)
{
    double d = 2 * scale->particle_radius, u = scale->speed, g = vec3d_length(scale->gravity);
    double pull = g > 0 ? g : u * u / d; // without gravity a spacing is the only length
    double time = u / pull;
    // sums over neighbours grow with how many there are; the numbers below are for a support of two spacings in space
    double ratio = scale->support_radius / (2 * d), crowd = scale->dimension == 3 ? ratio * ratio * ratio : 0.38 * ratio * ratio;
    FoamRules rules = {
        .dimension = scale->dimension,
        .particle_radius = scale->particle_radius,
        .support_radius = scale->support_radius,
        .gravity = scale->gravity,
        .seed = scale->seed,
        .period = scale->period,
        .trapped_air_rate = def->amount * or_derived(def->trapped_air_rate, 80 / time),
        .wave_crest_rate = def->amount * or_derived(def->wave_crest_rate, 80 / time),
        .share = {def->spray, def->foam, def->bubbles},
        .lifetime = or_derived(def->lifetime, 5 * time),
        .limit = (double)def->limit,
        .radius = or_derived(def->radius, 0.5 * scale->particle_radius),
        .buoyancy = def->buoyancy,
        .drag = or_derived(def->drag, def->buoyancy * sqrt(pull / d) / 0.7),
        .air_drag = or_derived(def->air_drag, 0.1 / time),
        .spray_below = or_derived(def->spray_below, 6 * crowd),
        .bubbles_above = or_derived(def->bubbles_above, 20 * crowd),
        .hysteresis = 2 * crowd,
    };
    range_of(rules.trapped_air, def->trapped_air, 0.4 * crowd * u, 2 * crowd * u);
    range_of(rules.wave_crest, def->wave_crest, 0.2 * crowd, 1.2 * crowd);
    range_of(rules.kinetic_energy, def->kinetic_energy, 0.01 * u * u, 0.15 * u * u);
    return rules;
}

uint64_t foam_rules_hash(const FoamRules* rules)
{
    const double numbers[] = {
        rules->dimension,
        rules->particle_radius,
        rules->support_radius,
        rules->gravity.x,
        rules->gravity.y,
        rules->gravity.z,
        (double)rules->seed,
        rules->trapped_air[0],
        rules->trapped_air[1],
        rules->wave_crest[0],
        rules->wave_crest[1],
        rules->kinetic_energy[0],
        rules->kinetic_energy[1],
        rules->trapped_air_rate,
        rules->wave_crest_rate,
        rules->share[0],
        rules->share[1],
        rules->share[2],
        rules->lifetime,
        rules->limit,
        rules->radius,
        rules->buoyancy,
        rules->drag,
        rules->air_drag,
        rules->spray_below,
        rules->bubbles_above,
        rules->hysteresis,
    };
    uint64_t hash = 0;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        uint64_t bits;
        memcpy(&bits, &numbers[k], sizeof bits);
        hash = random_mix(hash ^ bits);
    }
    return hash;
}
