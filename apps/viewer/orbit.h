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
    double focal;          // [pixels/m] flat: what a picture of `free_height` pixels has
    double free_height;    // [pixels]
    Camera flat_camera;    // flat: the first one
    double size;           // [m] of the scene
} Orbit;

// A picture, and what of it panels leave free at the sides.
typedef struct Canvas {
    int width, height;
    int left, right; // [pixels] that are covered: nothing is drawn below what is at the right
} Canvas;

// Shows the whole scene, from where it says.
void orbit_frame(Orbit* orbit, const Setting* setting, Canvas f);
// From there to there; in a plane, as high as a camera at that distance would see. After orbit_frame().
void orbit_look(Orbit* orbit, Vec3d eye, Vec3d target, Canvas f);
// What orbit_look() would take to show the same.
void orbit_eye(const Orbit* orbit, Canvas f, Vec3d* eye, Vec3d* target);
Camera orbit_camera(const Orbit* orbit, Canvas f);

void orbit_turn(Orbit* orbit, double dx, double dy);                      // [share of the height]
void orbit_pan(Orbit* orbit, const Camera* camera, double dx, double dy); // [pixels]
void orbit_zoom(Orbit* orbit, double notches);

// The ray of a pixel: from the eye into the scene.
void camera_ray(const Camera* camera, double x, double y, Vec3d* from, Vec3d* direction);

#endif
