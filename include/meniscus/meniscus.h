// SPDX-License-Identifier: MIT
// Meniscus: fluids and the solids they touch. This header includes the whole public API.
#ifndef MENISCUS_H
#define MENISCUS_H

#include <meniscus/base.h>
#include <meniscus/defs.h>
#include <meniscus/live.h>
#include <meniscus/mesh.h>
#include <meniscus/output.h>
#include <meniscus/scene.h>
#include <meniscus/world.h>

#endif
