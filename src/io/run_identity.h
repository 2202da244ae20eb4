// SPDX-License-Identifier: MIT
// A run's scene as text, to tell whether a checkpoint belongs to it.
#ifndef IO_RUN_IDENTITY_H
#define IO_RUN_IDENTITY_H

#include <meniscus/scene.h>

// What the state and the numbering of frames depend on: without name, duration, threads, view and how often to save; mesh
// files by name and checksum, so that a project may move but not change under a checkpoint.
char* run_identity(const mn_Scene* scene);

// The first line in which two such texts differ, for people; empty if none. Returns `buffer`.
const char* run_identity_difference(const char* was, const char* is, char* buffer, size_t size);

#endif
