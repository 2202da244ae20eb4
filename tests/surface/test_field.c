// SPDX-License-Identifier: MIT
// The vectorised field against the plain formula in double over all particles, and what neighbouring blocks say of the nodes that
// they share.
#include "surface/field.h"
#include "surface_support.h"

// Largest eigenvalue by the angle formula.
static double largest_of(double m[3][3])
{
    double mean = (m[0][0] + m[1][1] + m[2][2]) / 3, p = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            m[r][c] -= r == c ? mean : 0;
            p += m[r][c] * m[r][c] / 6;
        }
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    double half = p > 0 ? fmin(fmax(det / 2 / (p * sqrt(p)), -1), 1) : 0;
    return mean + 2 * sqrt(p) * cos(acos(half) / 3);
}

// phi [m] by the book.
static double plain_field(Vec3d x, double radius, const Points* points)
{
    double reach = FIELD_REACH * radius, level = (double)FIELD_LEVEL * radius, weight = 0, outer[3][3] = {{0}};
    Vec3d centre = {0}, q = {0};
    for (size_t i = 0; i < points->count; i++) {
        const float* at = points->x + 3 * i;
        Vec3d p = vec3d_sub(vec3d((double)at[0], (double)at[1], (double)at[2]), x);
        double u = 1 - vec3d_dot(p, p) / (reach * reach);
        if (u <= 0)
            continue;
        weight += u * u * u;
        centre = vec3d_mad(centre, u * u * u, p);
        q = vec3d_mad(q, u * u, p);
        const double v[3] = {p.x, p.y, p.z};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                outer[r][c] += u * u * v[r] * v[c];
    }
    if (weight <= 1e-6)
        return NAN; // at the edge of the reach float and double need not agree
    centre = vec3d_scale(centre, 1 / weight);
    const double c3[3] = {centre.x, centre.y, centre.z}, q3[3] = {q.x, q.y, q.z};
    double m[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m[r][c] = 6 / (reach * reach) / weight * (outer[r][c] - 0.5 * (c3[r] * q3[c] + c3[c] * q3[r]));
    double g = fmin(fmax((2 - largest_of(m)) / (2 - 0.4), 0), 1);
    return vec3d_length(centre) - level * (g * g * g - 3 * g * g + 3 * g);
}

typedef struct Grid {
    Lattice lattice;
    float* phi; // (blocks x nodes)
} Grid;

static Grid evaluate(const Points* p, double radius, double spacing)
{
    Grid g;
    assert_true(lattice_build(&g.lattice, NULL, NULL, spacing * radius, FIELD_REACH / spacing, p->x, 3, p->count));
    g.phi = malloc(g.lattice.block_count * BLOCK_NODES3 * sizeof *g.phi);
    assert_non_null(g.phi);
    FieldScratch scratch = {0};
    for (size_t b = 0; b < g.lattice.block_count; b++) {
        bool ok;
        float* phi = g.phi + b * BLOCK_NODES3;
        for (int k = 0; k < BLOCK_NODES3; k++)
            phi[k] = 1e9f; // blocks without particles stay so
        field_distance(&g.lattice, g.lattice.block[b], (float)(1 / spacing), &scratch, phi, &ok);
        assert_true(ok);
    }
    field_scratch_free(&scratch, NULL);
    return g;
}

static void grid_release(Grid* g)
{
    lattice_free(&g->lattice);
    free(g->phi);
}

static Vec3d node_place(const Grid* g, size_t block, int node)
{
    BlockKey k = g->lattice.block[block];
    return vec3d_scale(vec3d(k.x * 15 + node % 16, k.y * 15 + node / 16 % 16, k.z * 15 + node / 256), g->lattice.spacing);
}

static void field_is_the_formula(void** state)
{
    double r = 0.5, spacings[] = {0.7, 1};
    for (int s = 0; s < 2; s++)
        for (uint64_t seed = 1; seed < 4; seed++) {
            Points p = points_random(250, 8, seed);
            Grid g = evaluate(&p, r, spacings[s]);
            size_t compared = 0;
            double worst = 0;
            for (size_t b = 0; b < g.lattice.block_count; b++)
                for (int node = 0; node < BLOCK_NODES3; node += 3) {
                    double phi = (double)g.phi[b * BLOCK_NODES3 + (size_t)node];
                    double expected = plain_field(node_place(&g, b, node), r, &p) / g.lattice.spacing;
                    // Newton from above: a little too large an eigenvalue, so phi may be a little too large
                    if (isfinite(expected) && phi < 1e8) {
                        worst = fmax(worst, fabs(phi - expected));
                        compared++;
                    }
                }
            print_message("%zu nodes, largest difference %.2g spacings\n", compared, worst);
            assert_true(compared > 3000);
            assert_below(worst, 0.002);
            grid_release(&g);
            free(p.x);
        }
}

// Bit for bit: otherwise the mesh would have cracks.
static void neighbouring_blocks_agree(void** state)
{
    Points p = points_random(2000, 20, 5);
    for (size_t k = 0; k < p.count; k++)
        p.x[3 * k] += 1000; // far from the origin rounding is coarse
    Grid g = evaluate(&p, 0.5, 1);
    size_t shared = 0;
    for (size_t a = 0; a < g.lattice.block_count; a++)
        for (size_t b = 0; b < g.lattice.block_count; b++) {
            BlockKey ka = g.lattice.block[a], kb = g.lattice.block[b];
            if (kb.x != ka.x + 1 || kb.y != ka.y || kb.z != ka.z)
                continue;
            for (int row = 0; row < 256; row++) {
                float here = g.phi[a * BLOCK_NODES3 + (size_t)(16 * row + 15)],
                      there = g.phi[b * BLOCK_NODES3 + (size_t)(16 * row)];
                if (here < 1e8f && there < 1e8f) {
                    assert_memory_equal(&here, &there, sizeof here);
                    shared++;
                }
            }
        }
    assert_true(shared > 1000);
    grid_release(&g);
    free(p.x);
}

// Every node in reach of a particle is in a block.
static void blocks_cover_all_particles(void** state)
{
    Points p = points_random(300, 40, 9);
    Grid g = evaluate(&p, 0.5, 1);
    size_t inside = 0, found = 0;
    for (size_t b = 0; b < g.lattice.block_count; b++)
        for (int node = 0; node < BLOCK_NODES3; node++) {
            int x = node % 16, y = node / 16 % 16, z = node / 256;
            found += x < 15 && y < 15 && z < 15 && g.phi[b * BLOCK_NODES3 + (size_t)node] < 0;
        }
    for (int z = -10; z < 95; z++)
        for (int y = -10; y < 95; y++)
            for (int x = -10; x < 95; x++) {
                double phi = plain_field(vec3d(0.5 * x, 0.5 * y, 0.5 * z), 0.5, &p);
                inside += isfinite(phi) && phi < 0;
            }
    print_message("%zu nodes inside, %zu by the formula\n", found, inside);
    assert_true(inside > 500);
    assert_near((double)found, (double)inside, 0.01 * (double)inside);
    grid_release(&g);
    free(p.x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_is_the_formula),
        cmocka_unit_test(neighbouring_blocks_agree),
        cmocka_unit_test(blocks_cover_all_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
