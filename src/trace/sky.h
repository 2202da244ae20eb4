// SPDX-License-Identifier: MIT
// Light from far away: what a ray meets that leaves the world.
#ifndef TRACE_SKY_H
#define TRACE_SKY_H

#include "trace/trace.h"

// The studio or the sky, without lamps and sun: smooth.
Vec3 sky_light(const TraceWorld* world, Vec3 direction);
// Soft boxes of the studio, as seen in reflections.
Vec3 sky_lamps(const TraceWorld* world, Vec3 direction);
// The disc of the sun, as seen in reflections.
Vec3 sky_sun(const TraceWorld* world, Vec3 direction);

#endif
