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

// Of the nodes that were not evaluated.
typedef struct Constants {
    float inside, outside;
} Constants;

static Constants constants(double spacing)
{
    float level = FIELD_LEVEL * (float)(1 / spacing);
    return (Constants){-level, (float)(FIELD_REACH / spacing) - level};
}

static bool is_constant(Constants c, float phi)
{
    return phi <= c.inside || phi >= c.outside;
}

static void field_is_the_formula(void** state)
{
    double r = 0.5, spacings[] = {0.7, 1};
    for (int s = 0; s < 2; s++)
        for (uint64_t seed = 1; seed < 4; seed++) {
            Points p = points_random(250, 8, seed);
            Grid g = evaluate(&p, r, spacings[s]);
            Constants c = constants(spacings[s]);
            size_t compared = 0;
            double worst = 0;
            for (size_t b = 0; b < g.lattice.block_count; b++)
                for (int node = 0; node < BLOCK_NODES3; node += 3) {
                    float phi = g.phi[b * BLOCK_NODES3 + (size_t)node];
                    double expected = plain_field(node_place(&g, b, node), r, &p) / g.lattice.spacing;
                    if (!isfinite(expected) || phi > 1e8f)
                        continue;
                    if (is_constant(c, phi)) {
                        assert_true((phi < 0) == (expected < 0));
                        continue;
                    }
                    worst = fmax(worst, fabs((double)phi - expected));
                    compared++;
                }
            print_message("%zu nodes, largest difference %.2g spacings\n", compared, worst);
            assert_true(compared > 1500);
            assert_below(worst, 0.002);
            grid_release(&g);
            free(p.x);
        }
}

// A node that was passed over is on the side that the formula says, deep inside of jittered water as well as between droplets and
// at the edge where both meet.
static void passed_over_nodes_have_the_right_sign(void** state)
{
    static const double spacings[] = {0.5, 1, 1.6};
    static const int stride[] = {331, 61, 23}; // the formula asks every particle
    for (int s = 0; s < 3; s++) {
        Points p = points_block(22, 20, 18, 0.5, vec3d(0.3, -4, 7), 0.6, 3), spray = points_random(800, 30, 4);
        for (size_t k = 0; k < spray.count; k++)
            points_add(&p, (double)spray.x[3 * k] + 20, (double)spray.x[3 * k + 1], (double)spray.x[3 * k + 2]);
        free(spray.x);
        Grid g = evaluate(&p, 0.5, spacings[s]);
        Constants c = constants(spacings[s]);
        size_t deep = 0, outside = 0;
        for (size_t b = 0; b < g.lattice.block_count; b++)
            for (int node = 0; node < BLOCK_NODES3; node += stride[s]) {
                float phi = g.phi[b * BLOCK_NODES3 + (size_t)node];
                if (!is_constant(c, phi) || phi > 1e8f)
                    continue;
                double expected = plain_field(node_place(&g, b, node), 0.5, &p);
                if (!isfinite(expected))
                    continue;
                deep += phi < 0;
                outside += phi > 0;
                if ((phi < 0) != (expected < 0))
                    fail_msg("spacing %g: passed over as %g, the formula says %g", spacings[s], (double)phi, expected);
            }
        print_message("spacing %g: %zu nodes passed over inside, %zu outside\n", spacings[s], deep, outside);
        assert_true(deep > 50 && outside > 50);
        grid_release(&g);
        free(p.x);
    }
}

// Bit for bit where both have evaluated, and in sign everywhere: otherwise the mesh would have cracks.
static void neighbouring_blocks_agree(void** state)
{
    Points p = points_random(2000, 20, 5);
    for (size_t k = 0; k < p.count; k++)
        p.x[3 * k] += 1000; // far from the origin rounding is coarse
    Grid g = evaluate(&p, 0.5, 1);
    Constants c = constants(1);
    size_t shared = 0;
    for (size_t a = 0; a < g.lattice.block_count; a++)
        for (size_t b = 0; b < g.lattice.block_count; b++) {
            BlockKey ka = g.lattice.block[a], kb = g.lattice.block[b];
            if (kb.x != ka.x + 1 || kb.y != ka.y || kb.z != ka.z)
                continue;
            for (int row = 0; row < 256; row++) {
                float here = g.phi[a * BLOCK_NODES3 + (size_t)(16 * row + 15)],
                      there = g.phi[b * BLOCK_NODES3 + (size_t)(16 * row)];
                if (here > 1e8f || there > 1e8f)
                    continue;
                assert_true((here < 0) == (there < 0));
                if (!is_constant(c, here) && !is_constant(c, there)) {
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
        cmocka_unit_test(passed_over_nodes_have_the_right_sign),
        cmocka_unit_test(neighbouring_blocks_agree),
        cmocka_unit_test(blocks_cover_all_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
