// SPDX-License-Identifier: MIT
// Flat soft boxes of three densities float in the grid fluid where Archimedes says, on cells of three sizes.
#include "soft_boxes.h"

static void bodies_float(void** state)
{
    static const double densities[] = {300, 540, 800}, radii[] = {0.02, 0.0125, 0.01};
    for (size_t r = 0; r < COUNT_OF(radii); r++)
        for (size_t k = 0; k < COUNT_OF(densities); k++) {
            double found = draught(densities[k], radii[r]);
            printf("%g kg/m3, radius %g m: %.3f of its height below the water\n", densities[k], radii[r], found);
            fflush(stdout);
            assert_near(found, densities[k] / 1000, 0.04);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_float)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
