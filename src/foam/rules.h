// SPDX-License-Identifier: MIT
// The numbers that foam is made by, complete: what a scene says, and what it leaves open derived from its gravity, the speeds to
// expect in it and the size of its particles, so that a scene in centimetres foams like one in metres.
#ifndef FOAM_RULES_H
#define FOAM_RULES_H

#include "base/vec.h"
#include "particles/period.h"
#include <meniscus/defs.h>
#include <stdint.h>

typedef enum FoamKind { FOAM_SPRAY, FOAM_FOAM, FOAM_BUBBLE, FOAM_KINDS } FoamKind;

// What the rules are derived from.
typedef struct FoamScale {
    int dimension;
    double particle_radius; // [m] of the fluid
    double support_radius;  // [m] h
    Vec3d gravity;          // [m/s2]
    double speed;           // [m/s] of a fall through the scene, or of its fastest source
    uint64_t seed;
    Period period;
} FoamScale;

typedef struct FoamRules {
    int dimension;
    double particle_radius, support_radius; // [m]
    Vec3d gravity;                          // [m/s2]
    uint64_t seed;
    Period period;                     // along periodic axes foam stays in the domain as fluid does
    double trapped_air[2];             // [m/s] from where on, and where fully
    double wave_crest[2];              // [1]
    double kinetic_energy[2];          // [J/kg]
    double trapped_air_rate;           // [1/s] new particles per fluid particle where both potentials are full
    double wave_crest_rate;            // [1/s]
    double share[FOAM_KINDS];          // [1] of each kind, factors
    double lifetime;                   // [s] of foam, in the mean
    double limit;                      // particles at most
    double radius;                     // [m] of a diffuse particle
    double buoyancy;                   // [1] of bubbles, in gravities
    double drag;                       // [1/s] of bubbles towards the fluid
    double air_drag;                   // [1/s] of spray
    double spray_below, bubbles_above; // fluid neighbours
    double hysteresis;                 // [1] fluid neighbours beyond a bound before a kind is left
} FoamRules;

FoamRules foam_rules(const mn_FoamDef* def, const FoamScale* scale);
uint64_t foam_rules_hash(const FoamRules* rules); // whether foam was made by the same rules

// Phi(value, low, high) = (min(value, high) - min(value, low)) / (high - low): 0 below low, 1 above high.
static inline float foam_share(float value, float low, float high)
{
    float most = value < high ? value : high, least = value < low ? value : low;
    return (most - least) / (high - low);
}

// The kind of a particle that was of kind `was` and has so many fluid particles around.
static inline FoamKind foam_kind(const FoamRules* rules, FoamKind was, int neighbours)
{
    double spray = rules->spray_below + (was == FOAM_SPRAY ? rules->hysteresis : 0);
    double bubbles = rules->bubbles_above - (was == FOAM_BUBBLE ? rules->hysteresis : 0);
    return neighbours < spray ? FOAM_SPRAY : neighbours > bubbles ? FOAM_BUBBLE : FOAM_FOAM;
}

#endif
