// SPDX-License-Identifier: MIT
// Glass in fast pictures: a film of colour over what is behind, thicker where it is seen from the side.
#ifndef RENDER_GLASS_H
#define RENDER_GLASS_H

#include "render/picture.h"
#include "render/view.h"

// Over the picture of everything else: faces of solids of LOOK_GLASS that nothing opaque hides.
void draw_glass(const View* view, const SolidItem* solids, size_t count, Picture* picture);

#endif
