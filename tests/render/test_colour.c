// SPDX-License-Identifier: MIT
#include "support.h"

#include "render/colour.h"

// lightness rises all the way, without jumps: the map also reads in grey
static void maps_rise_in_lightness(void** state)
{
    for (int name = COLOUR_MAP_WATER; name <= COLOUR_MAP_EMBER; name++) {
        ColourMap map;
        colour_map_build(&map, (ColourMapName)name);
        float last = colour_lightness(map.srgb[0]), whole = colour_lightness(map.srgb[COLOUR_MAP_SIZE - 1]) - last;
        assert_true(whole > 0.5f);
        for (int i = 1; i < COLOUR_MAP_SIZE; i++) {
            float now = colour_lightness(map.srgb[i]), step = (now - last) / whole * (COLOUR_MAP_SIZE - 1);
            if (!(step > 0.5f && step < 1.6f))
                fail_msg("map %d: lightness steps by %g of the mean at %d", name, (double)step, i);
            last = now;
        }
    }
}

static void gamma_is_the_srgb_curve(void** state)
{
    GammaTable table;
    gamma_table_build(&table);
    for (int i = 0; i <= 255; i++) {
        float s = (float)i / 255;
        assert_near((double)colour_to_srgb(colour_to_linear(s)), (double)s, 1e-5);
        assert_near(gamma_byte(&table, colour_to_linear(s)), i, i < 40 ? 1 : 0.5);
    }
    assert_near((double)colour_to_linear(0.5f), 0.21404, 1e-4);
    assert_int_equal(gamma_byte(&table, 7), 255);
    assert_int_equal(gamma_byte(&table, -1), 0);
    assert_int_equal(gamma_byte(&table, NAN), 0);
}

static void fluids_have_different_colours(void** state)
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) {
            Vec3 a = colour_of_fluid(i), b = colour_of_fluid(j);
            assert_true(fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z) > 0.15f);
        }
    Vec3 a = colour_of_fluid(-1); // never out of the table
    assert_true(a.x >= 0 && a.x <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_rise_in_lightness),
        cmocka_unit_test(gamma_is_the_srgb_curve),
        cmocka_unit_test(fluids_have_different_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
