// SPDX-License-Identifier: MIT
// The table of keys as text: help topics, JSON schema, reference page. All return memory to free with free(), or NULL.
#ifndef SCENE_HELP_H
#define SCENE_HELP_H

// Text for a topic: "scene" (all keys), a section ("fluids.blocks"), a key ("solver.method"; indices as in
// "fluids.0.density" are skipped; "density" alone shows every key of that name), "materials", "shapes", "rotation",
// "reference" (the page docs/scene-reference.md).
// NULL: no such topic (or out of memory).
char* scene_help(const char* topic);

// All topics, one per line, in the order of the table.
char* scene_help_topics(void);

// The topic that was probably meant, or NULL.
char* scene_help_nearest(const char* topic);

// JSON Schema (draft 2020-12) of scene files.
char* scene_schema_json(void);

// docs/scene-reference.md
char* scene_reference_markdown(void);

#endif
