// SPDX-License-Identifier: MIT
#include "flip/bodies.h"

bool flip_add_bodies(Flip* flip)
{
    (void)flip;
    return true;
}
void flip_push_bodies(Flip* flip)
{
    (void)flip;
}
