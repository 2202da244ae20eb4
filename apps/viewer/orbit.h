// SPDX-License-Identifier: MIT
// The camera that the mouse moves: around a target, sideways, nearer. Scenes in a plane are only moved and enlarged.
#ifndef VIEWER_ORBIT_H
#define VIEWER_ORBIT_H

#include "setting.h"

typedef struct Orbit {
    bool flat;
    Vec3d up, front, side; // unit, at right angles
    Vec3d target;          // [m]
    double yaw, pitch;     // [rad]
    double distance;       // [m]
    double fov;            // [degrees]
    double enlarged;       // [1] flat: relative to the frame that shows all
    double size;           // [m] of the scene
} Orbit;

// Shows the whole scene in a picture of this size.
void orbit_frame(Orbit* orbit, const Setting* setting, int width, int height);
// The camera for a picture of this size of which `covered` pixels at the right are hidden by a panel.
Camera orbit_camera(const Orbit* orbit, const Setting* setting, int width, int height, int covered);

void orbit_turn(Orbit* orbit, double dx, double dy);                      // [share of the height]
void orbit_pan(Orbit* orbit, const Camera* camera, double dx, double dy); // [pixels]
void orbit_zoom(Orbit* orbit, double notches);

// The ray of a pixel: from the eye into the scene.
void camera_ray(const Camera* camera, double x, double y, Vec3d* from, Vec3d* direction);

#endif
