// SPDX-License-Identifier: MIT
// Sheets and sets that several tests of elastic solids use.
#ifndef TESTS_ELASTIC_SUPPORT_H
#define TESTS_ELASTIC_SUPPORT_H

#include "support.h"

#include "elastic/elastic.h"
#include "mesh/tet_mesh.h"

// A grid in the plane y = 0 around the origin; alternate diagonals.
TriMesh test_grid(double width, double depth, int cells_x, int cells_z);

// Rubber: 1 mm, 1000 kg/m3, 1 MPa.
ElasticBodyDef test_sheet(const TriMesh* mesh);

// A box of tetrahedra around the origin.
typedef struct TestVolume {
    TetMesh tets;
    TriMesh surface;
    uint32_t* point_of;
} TestVolume;
TestVolume test_volume(Vec3d size, int x, int y, int z);
void test_volume_free(TestVolume* volume);

// Rubber foam: 1000 kg/m3, 100 kPa, nu = 0.3.
ElasticBodyDef test_volume_def(const TestVolume* volume, mn_ElasticModel model);

// One body in a set of its own.
ElasticSet* test_set(const ElasticBodyDef* def, Vec3d gravity, int threads);
void test_set_destroy(ElasticSet* set);

#endif
