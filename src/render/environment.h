// SPDX-License-Identifier: MIT
// Light from far away, for both ways of drawing: a sky in all directions, and lamps in it.
#ifndef RENDER_ENVIRONMENT_H
#define RENDER_ENVIRONMENT_H

#include "render/camera.h"
#include "render/image.h"
#include <meniscus/defs.h>

enum { MAX_SUNS = 8 };

typedef struct Sun {
    Vec3 to;    // unit
    Vec3 light; // on a surface that faces it, linear
    float size; // [rad] half angle: how soft shadows are
} Sun;

// A soft rectangle in the sky, as directions.
typedef struct Lamp {
    Vec3 centre, side, top; // unit
    float half_width, half_height;
    float light;
} Lamp;

typedef struct Environment {
    mn_Sky sky;
    Vec3 up;
    Vec3 wall;                   // linear; studio
    Vec3 zenith, horizon, below; // linear; gradient
    Vec3 lamp_side;              // unit, level: where the studio's lamps stand
    Lamp lamp[2];                // of the studio
    const Image* map;            // MN_SKY_MAP; not owned
    float turn;                  // [rad]
    float map_limit;             // brighter parts of the map are counted as sun
    bool sun_is_in_map;          // mirrors see it there
    float strength;
    Sun sun[MAX_SUNS];
    int sun_count;
} Environment;

// What `view` asks for. Lights that it leaves open stand to the left of the camera. `map` is needed for MN_SKY_MAP.
void environment_build(Environment* env, const mn_ViewDef* view, const Camera* camera, Vec3d up, const Image* map);

// The sky without lamps and suns: smooth.
Vec3 environment_light(const Environment* env, Vec3 direction);
// All that a mirror shows.
Vec3 environment_mirrored(const Environment* env, Vec3 direction);

#endif
