// SPDX-License-Identifier: MIT
// Sheets and sets that several tests of elastic solids use.
#ifndef TESTS_ELASTIC_SUPPORT_H
#define TESTS_ELASTIC_SUPPORT_H

#include "support.h"

#include "elastic/elastic.h"

// A grid in the plane y = 0 around the origin; alternate diagonals.
TriMesh test_grid(double width, double depth, int cells_x, int cells_z);

// Rubber: 1 mm, 1000 kg/m3, 1 MPa.
ElasticBodyDef test_sheet(const TriMesh* mesh);

// One body in a set of its own.
ElasticSet* test_set(const ElasticBodyDef* def, Vec3d gravity, int threads);
void test_set_destroy(ElasticSet* set);

#endif
