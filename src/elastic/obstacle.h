// SPDX-License-Identifier: MIT
// Solids that do not deform. Rigid ones among them give way within the step of a body that feels them in substeps: a light one
// would be thrown by a cloth that it cannot dent, and one that follows its own way through a step would dent the cloth farther than
// its energy reaches.
#ifndef ELASTIC_OBSTACLE_H
#define ELASTIC_OBSTACLE_H

#include "elastic/elastic_parts.h"

// No point of the obstacle moves farther [m] between the two poses.
double obstacle_path(const ElasticObstacleDef* def, const mn_Pose* a, const mn_Pose* b);

// Other bodies are there now: what is sharp for them is looked for again.
void obstacles_forget_features(ElasticSet* set);

// --- within the step of a body; `arm` [m] is from the centre of mass, where it is now

void obstacles_begin(ElasticSet* set, double dt); // none has given way to it yet
// The next substep of `h` [s], when a share of the step is done: they go on, also as impulses made them.
void obstacles_advance(ElasticSet* set, double h, double share);
void obstacles_end(ElasticSet* set);

// [1/kg] How easily it gives way in a direction; 0: not at all.
double obstacle_ease(const Obstacle* obstacle, Vec3d arm, Vec3d direction);
// One that is bound does not go back, but it stops as what pushes with it would: [1/kg] how easily, and [m/s] how fast it comes
// along a direction, with what stopped it so far or (`planned`) without. 0 for others.
double obstacle_stop_ease(const Obstacle* obstacle);
double obstacle_coming(const Obstacle* obstacle, Vec3d arm, Vec3d direction, bool planned);
Vec3d obstacle_shift(const Obstacle* obstacle, Vec3d arm);    // [m] how far it gave way so far, to this body
Vec3d obstacle_kick(const Obstacle* obstacle, Vec3d arm);     // [m/s] by all bodies
Vec3d obstacle_velocity(const Obstacle* obstacle, Vec3d arm); // [m/s] with that
bool obstacle_yields(const Obstacle* obstacle);
// An impulse [N s] at a place, felt at once, and its `work` [J]: times the speed at which they met. `h` [s] > 0: it has acted for
// that long and has moved the obstacle already.
void obstacle_hit(Obstacle* obstacle, Vec3d at, Vec3d impulse, double work, double h);

#endif
