// SPDX-License-Identifier: MIT
// Where a surface meets a wall. Outward normals of a surface with the contact angle theta are there
//   e = n cos(theta) + t sin(theta),     n the wall's normal, into the fluid's side, t along the wall, away from the fluid
// A band near a wall goes on behind it by images: mirrored places, and normals that are turned about e to the other side, so that
// normals that vary linearly along a surface that has its angle go on doing so. Where it has another angle the image bends by twice
// the difference, one half of it on the fluid's side: the sum of curvatures there is Young's force on the line of contact.
#ifndef FLUID_TENSION_CONTACT_H
#define FLUID_TENSION_CONTACT_H

#include "fluid/fluid.h"

// The wall that a particle is near to.
typedef struct WallContact {
    float normal[3]; // [1] n
    float distance;  // [m] from its surface
    uint32_t solid;
} WallContact;

// How a particle's part of the band goes on behind a wall.
typedef struct ContactImage {
    float normal[3], along[3]; // [1] n and t
    float cosine, sine;        // of the contact angle
} ContactImage;

// False: there is no wall within reach.
bool contact_find(const Sph* sph, size_t i, WallContact* out);

// The gradient of the fluid's colour as its shape has it: `fluid` from the particles alone, `all` with walls that count as fluid
// [1/m]. Beside a wall the first has the wall in it, and the second takes the air above a dry wall for a surface: what is taken
// there is the part along the wall.
void contact_gradient(const Sph* sph, const WallContact* wall, const float fluid[3], const float all[3], float out[3]);

// How much a line of contact is near, 0 to 1, by that gradient; `image` if it is more than 0.
float contact_image(const Sph* sph, const WallContact* wall, Vec4 gradient, ContactImage* image);

// The image of a direction.
Vec4 contact_reflect(const ContactImage* image, Vec4 v);

#endif
