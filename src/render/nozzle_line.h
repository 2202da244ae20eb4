// SPDX-License-Identifier: MIT
// A line of an emitter in a picture of what has not started yet (render/nozzle.h).
#ifndef RENDER_NOZZLE_LINE_H
#define RENDER_NOZZLE_LINE_H

#include "base/vec.h"

typedef struct NozzleLine {
    Vec3d from, to; // [m]
    bool faint;     // the stream, not the nozzle
} NozzleLine;

#endif
