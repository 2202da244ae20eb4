// SPDX-License-Identifier: MIT
// What a scene says and hardly means, told by its log: things that come after the end, and meshes of a wrong unit or with faults.
#ifndef SCENE_LINT_H
#define SCENE_LINT_H

#include <meniscus/scene.h>

void scene_warn_of_late(const mn_Scene* scene);
// Before a world is made of it: a mesh in millimetres fills the memory with boundary particles.
void scene_warn_of_meshes(const mn_Scene* scene);

#endif
