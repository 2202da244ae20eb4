// SPDX-License-Identifier: MIT
// Bodies whose tetrahedra, or sheets whose triangles, part (split.h). A body that was split is made anew from what it was built of
// and from its topology: which points its elements have now, which point each was when the body was built, and which points are
// vertices of the surface. All that a body has besides is derived from these in one way, so that one that was loaded is the one
// that was saved.
//
// Numbers stay: points, vertices and elements that there were keep theirs, new ones follow. A point within a volume that comes to
// the surface is a new vertex. What others keep per vertex therefore only grows. The order of a volume's triangles changes.
#ifndef ELASTIC_TOPOLOGY_H
#define ELASTIC_TOPOLOGY_H

#include "elastic/elastic_parts.h"

// Splits a body that is divisible along faces, see split_make(): `parts` (4 * tets), or a sheet along edges, see split_sheet():
// `parts` (3 * triangles) are sides. Masses are those of the elements at each point; velocities, pins and the model's state go
// along, so that momentum and strains stay as they are. Between steps only.
// `*out_opened` is the number of faces that came to the surface, or of edges that opened, each counted once. False: out of memory,
// then nothing changed.
bool topology_split(ElasticSet* set, Body* body, const uint8_t* parts, size_t* out_opened);

// To be called before the shape as built is changed (snap.h). False: out of memory.
bool topology_keep_rest(ElasticSet* set, Body* body);

// The part of a body's state that tells its topology.
size_t topology_bytes(const Body* body);
char* topology_save(const Body* body, char* out);
// Makes the body anew if it must be; its points are then at rest and want to be loaded. `left` bytes are there to be read, and the
// rest of them is left behind. NULL: not a state of this body, or out of memory; then nothing changed.
const char* topology_load(ElasticSet* set, Body* body, const char* in, size_t* left);

#endif
