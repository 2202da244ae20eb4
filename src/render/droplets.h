// SPDX-License-Identifier: MIT
// Fluid particles that fly alone are spray, not glass balls of the size of a particle: where there is foam they are drawn as a
// cloud of diffuse particles each. (Ihmsen et al. 2012 leave particles with fewer than six neighbours out of the surface.)
#ifndef RENDER_DROPLETS_H
#define RENDER_DROPLETS_H

#include "io/frame.h"

// Moves particles of `fluid` with fewer than six others within four radii to `foam`, drawn out along their way between frames.
// `radius` [m] of fluid particles. False: out of memory; both are as they were.
bool droplets_to_spray(Frame* fluid, Frame* foam, const mn_Scene* scene, double radius);

#endif
