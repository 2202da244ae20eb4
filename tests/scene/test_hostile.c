// SPDX-License-Identifier: MIT
// States that say what cannot be, as checkpoints with right sums may: every array, some of its places, numbers of every kind. Each
// is refused, or the world goes on or ends with a message; nothing crashes, hangs or leaks (sanitizers see the rest). A world whose
// load failed can only be destroyed.
#include "coupling/coupling_support.h"

#include <unistd.h>

// Something of everything that has state.
#define SCENE                                                                                                                      \
    "{\"particle_radius\": 0.03, \"foam\": {\"amount\": 1}, \"fluids\": [{\"density\": 1000, \"surface_tension\": {\"sigma\": "    \
    "1}, "                                                                                                                         \
    "\"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.3, 0.24, 0.3]}], \"emitters\": [{\"position\": [0.4, 0.5, 0.15], "              \
    "\"direction\": "                                                                                                              \
    "[0, -1, 0], \"speed\": 2, \"size\": [0.12, 0.12]}]}], \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.6, 0.6, "     \
    "0.3]}, "                                                                                                                      \
    "\"position\": [0.3, 0.3, 0.15], \"inside\": true}, {\"name\": \"a\", \"type\": \"rigid\", \"shape\": {\"box\": [0.1, 0.1, "   \
    "0.1]}, \"density\": 500, \"position\": [0.15, 0.32, 0.1]}, {\"name\": \"b\", \"type\": \"rigid\", \"shape\": {\"capsule\": "  \
    "[0.04, 0.06]}, \"density\": 800, \"position\": [0.3, 0.34, 0.1], \"sleep\": true}, {\"name\": \"wheel\", \"type\": "          \
    "\"kinematic\", \"shape\": {\"cylinder\": [0.05, 0.1]}, \"position\": [0.5, 0.1, 0.15], \"angular_velocity\": [0, 0, 3]}, "    \
    "{\"name\": \"cloth\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.2, 0.2], \"cells\": [4, 4]}, \"position\": [0.45, "     \
    "0.3, "                                                                                                                        \
    "0.15], \"pins\": [\"corners\"]}, {\"name\": \"soft\", \"type\": \"elastic\", \"model\": \"fem\", \"shape\": {\"box\": "       \
    "[0.08, "                                                                                                                      \
    "0.08, 0.08]}, \"resolution\": 0.04, \"young\": 1e5, \"strength\": 2e4, \"position\": [0.1, 0.45, 0.2]}, {\"name\": "          \
    "\"jelly\", "                                                                                                                  \
    "\"type\": \"elastic\", \"model\": \"mass_points\", \"shape\": {\"box\": [0.08, 0.08, 0.08]}, \"resolution\": 0.04, "          \
    "\"young\": "                                                                                                                  \
    "1e5, \"position\": [0.5, 0.5, 0.15]}], \"joints\": [{\"name\": \"tie\", \"type\": \"ball\", \"solid\": \"a\", \"other\": "    \
    "\"b\", \"position\": [0.22, 0.33, 0.1]}], \"events\": [{\"time\": 0.05, \"release\": \"cloth\"}, {\"time\": 9, \"gravity\": " \
    "[0, 1, 0]}]}"

enum { VALUES = 9, PLACES = 3, EVERY = 7, STEPS = 3, SECONDS_MOST = 300 };

// Writes the hostile number `value` over the word at `at`, as whatever the array holds there.
static void spoil(unsigned char* at, int value)
{
    static const double number[] = {(double)NAN, (double)INFINITY, -1, 1e300, 1e-300, 3e9};
    static const float small[] = {NAN, 1e30f};
    uint64_t all = UINT64_MAX;
    if (value < 6)
        memcpy(at, &number[value], 8);
    else if (value < 8)
        memcpy(at, &small[value - 6], 4);
    else
        memcpy(at, &all, 8);
}

typedef struct Tally {
    int refused, ended, ran;
} Tally;

static void try_state(Saved* saved, Tally* tally)
{
    mn_World* world = build(SCENE);
    mn_Error error = {0};
    if (world_load_state(world, give, saved, &error) != MN_OK) {
        assert_true(error.message[0] != 0);
        tally->refused++;
    } else {
        mn_Result result = MN_OK;
        for (int step = 0; step < STEPS && result == MN_OK; step++)
            result = mn_world_step(world, INFINITY, &error);
        assert_true(result == MN_OK || error.message[0] != 0);
        tally->ran += result == MN_OK;
        tally->ended += result != MN_OK;
    }
    mn_world_destroy(world);
}

static void test_any_number_anywhere(void** state)
{
    Saved saved = {0};
    mn_World* world = build(SCENE);
    advance(world, 0.1);
    assert_true(world_save_state(world, keep, &saved));
    mn_world_destroy(world);
    Tally tally = {0};
    int number = 0;
    alarm(SECONDS_MOST); // whoever hangs is ended
    for (int k = 0; k < saved.count; k++) {
        for (int n = 0; n < PLACES * VALUES && saved.bytes[k] >= 8; n++) {
            if (number++ % EVERY)
                continue;
            unsigned char *at = (unsigned char*)saved.data[k] + (saved.bytes[k] - 8) * (size_t)(n % PLACES) / (PLACES - 1) / 8 * 8,
                          was[8];
            memcpy(was, at, 8);
            spoil(at, n / PLACES);
            try_state(&saved, &tally);
            memcpy(at, was, 8);
        }
    }
    // arrays that are cut short or missing
    for (int k = 0; k < saved.count; k += 2) {
        size_t bytes = saved.bytes[k];
        saved.bytes[k] = bytes / 2;
        Tally cut = {0};
        try_state(&saved, &cut);
        assert_true(cut.refused == 1 || bytes < 2);
        saved.bytes[k] = bytes;
    }
    alarm(0);
    print_message("%d arrays: %d states refused, %d ended with a message, %d ran on\n", saved.count, tally.refused, tally.ended,
                  tally.ran);
    assert_true(tally.refused > 20 && tally.ran > 20);
    try_state(&saved, &tally); // unharmed
    forget(&saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_number_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
