// SPDX-License-Identifier: MIT
// The environment for LANES directions at a time.
#ifndef RENDER_ENVIRONMENT_LANES_H
#define RENDER_ENVIRONMENT_LANES_H

#include "render/environment.h"
#include "render/lanes.h"

// As environment_mirrored().
V8 environment_mirrored_lanes(const Environment* env, V8 direction);

#endif
