// SPDX-License-Identifier: MIT
// Tetrahedra that part along faces. Tetrahedra around a point stay joined there as far as a chain of common faces at that point
// that do not part leads; each of the groups that are left gets a point of its own. Nothing is moved and no tetrahedron changes its
// shape. A face that parts while all of its points stay joined around it, as a single one within a solid, opens nothing yet.
//
// Where a point comes apart, parts that only that point or an edge connects come apart too: no face would hold them. With
// `hinges_part` so do such parts at the other points of what came apart: a hinge of one point would carry any load.
//
// Triangles of sheets part along edges in the same way.
#ifndef ELASTIC_SPLIT_H
#define ELASTIC_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Face c of a tetrahedron is that opposite of its corner c; its number among all is 4 * tet + c.
#define SPLIT_NONE UINT32_MAX

// For each face the number of the same face of the tetrahedron behind it, or SPLIT_NONE: (4 * tets). False: out of memory.
bool split_find_faces(const uint32_t (*tet)[4], size_t tet_count, uint32_t* other);

// Bit c: at corner c of the tetrahedron the face parts. It must be said of one of the two faces, and is then true of both.
enum { SPLIT_AT_ALL = 0xf };

typedef struct Split {
    size_t point_count; // afterwards; the first ones are those that there were
    uint32_t* corner;   // (4 * tets, or 3 * triangles) corners afterwards
    uint32_t* from;     // (points) the point of before that each was
} Split;

// `parts` (4 * tets). False: out of memory. To be freed in any case.
bool split_make(Split* split, const uint32_t (*tet)[4], size_t tet_count, size_t point_count, const uint8_t* parts,
                bool hinges_part);
// The same of a sheet: `side` (3 * triangles) tells on which side of a cut through its point each corner is, 1 or 2; 0: nothing
// parts there. Corners of a point stay joined over common edges unless they are on different sides.
bool split_sheet(Split* split, const uint32_t (*triangle)[3], size_t triangle_count, size_t point_count, const uint8_t* side);
void split_free(Split* split);

// How many edges the triangles have; an edge of two triangles counts once. SIZE_MAX: out of memory.
size_t split_count_edges(const uint32_t (*triangle)[3], size_t triangle_count);

// Connected components by common points: numbers of pieces, in the order of their first points; returns how many there are.
// `corner` has `corners` ones of each element; `piece` (points).
size_t split_pieces(const uint32_t* corner, int corners, size_t elements, size_t point_count, uint32_t* piece);

#endif
