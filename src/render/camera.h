// SPDX-License-Identifier: MIT
// The camera: where a point of the world lands in the picture. View space: x right, y down, z forward [m].
// Perspective: pixel = centre + focal * (x, y) / z. Orthographic: pixel = centre + focal * (x, y).
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include "base/vec.h"

typedef struct Camera {
    Vec3d eye;                  // [m]
    Vec3d right, down, forward; // unit, right-handed: right x down = forward
    bool orthographic;
    int width, height;         // [pixels]
    double focal;              // [pixels] perspective; [pixels/m] orthographic
    double centre_x, centre_y; // [pixels]
    double nearest;            // [m] nothing nearer than this is drawn
} Camera;

// Share of the picture that stays free at each side, 0..0.5.
typedef struct Margins {
    double left, right, top, bottom;
} Margins;

// `fov` [degrees] vertical. `up` need not be at right angles; if it is along the view, another is chosen.
Camera camera_look(Vec3d eye, Vec3d target, Vec3d up, double fov, int width, int height);
// Looks along `direction` from as near as possible so that the whole box lies within the margins.
Camera camera_frame(Box3d box, Vec3d direction, Vec3d up, double fov, int width, int height, Margins margins);
// The same without perspective: the box fills the picture up to the margins.
Camera camera_frame_orthographic(Box3d box, Vec3d direction, Vec3d up, int width, int height, Margins margins);
// The same view with `factor` times the pixels in each direction.
Camera camera_scaled(const Camera* camera, int factor);

Vec3d camera_view(const Camera* camera, Vec3d point); // world point to view space
Vec3d camera_view_direction(const Camera* camera, Vec3d direction);
// Pixel coordinates and depth; false if behind the camera.
bool camera_project(const Camera* camera, Vec3d point, double* x, double* y, double* depth);

#endif
