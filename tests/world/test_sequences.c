// SPDX-License-Identifier: MIT
// The public interface in any order: random sequences of calls, with good and bad values, too late and too early, many times over.
// Every call answers with a result and an error that says why; what is made is given back (the sanitizer builds look). Seeds are
// fixed.
#include "worlds.h"

#include "base/random.h"

typedef struct Play {
    Random random;
    mn_World* world;
    int solids, refused, done;
    bool ended; // a step failed: all that may come now is views and the end
} Play;

static double chance(Play* p)
{
    return random_unit(&p->random);
}

static int below(Play* p, int count)
{
    return (int)(chance(p) * count);
}

// Mostly sensible, at times not at all.
static double number(Play* p, double low, double high)
{
    static const double ODD[] = {0, -1, -3.5, INFINITY, -INFINITY, NAN, 1e300, 1e-300, 1e9};
    return chance(p) < 0.04 ? ODD[below(p, (int)COUNT_OF(ODD))] : random_range(&p->random, low, high);
}

static mn_Vec3 vector(Play* p, double low, double high)
{
    double x = number(p, low, high), y = number(p, low, high);
    return v3(x, y, number(p, low, high));
}

// Bad input must come with its reason, good input without one.
static void answered(Play* p, bool ok, const mn_Error* error)
{
    p->done += ok;
    p->refused += !ok;
    if (!ok && (error->result == MN_OK || !error->message[0]))
        fail_msg("a call was refused without a word");
}

static void play_fluid(Play* p)
{
    mn_Error error = {0};
    mn_FluidDef def = mn_default_fluid_def();
    mn_Vec3 min = vector(p, 0, 0.1), max = vector(p, 0.12, 0.25);
    mn_Block block = {min, max, vector(p, -1, 1)};
    def.density = number(p, 200, 3000);
    def.viscosity = number(p, 0, 0.1);
    def.blocks = &block;
    def.block_count = 1;
    answered(p, mn_world_add_fluid(p->world, &def, &error) != 0, &error);
}

static void play_solid(Play* p)
{
    mn_Error error = {0};
    char name[32];
    mn_SolidDef def = mn_default_solid_def();
    snprintf(name, sizeof name, "solid%d", chance(p) < 0.9 ? p->solids++ : 0);
    def.name = name;
    def.type = (mn_SolidType)below(p, 4);
    def.shape.type = (mn_ShapeType)below(p, MN_SHAPE_ROD + 1);
    def.shape.size = vector(p, 0.05, 0.12);
    def.shape.cells[0] = def.shape.cells[1] = 4;
    def.pose.position = vector(p, 0, 0.4);
    def.density = number(p, 50, 3000);
    def.velocity = def.type >= MN_SOLID_RIGID ? vector(p, -1, 1) : v3(0, 0, 0);
    def.young = number(p, 1e4, 1e6);
    def.inside = chance(p) < 0.1;
    answered(p, mn_world_add_solid(p->world, &def, &error) != 0, &error);
}

static void play_joint(Play* p)
{
    mn_Error error = {0};
    char solid[32], other[32];
    mn_JointDef def = mn_default_joint_def();
    snprintf(solid, sizeof solid, "solid%d", below(p, p->solids + 1));
    snprintf(other, sizeof other, "solid%d", below(p, p->solids + 1));
    def.name = "joint";
    def.type = (mn_JointType)below(p, 4);
    def.solid = solid;
    def.other = chance(p) < 0.5 ? other : NULL;
    def.position = vector(p, 0, 0.4);
    answered(p, mn_world_add_joint(p->world, &def, &error) != 0, &error);
}

static void play_rest(Play* p)
{
    mn_Error error = {0};
    char solid[32];
    snprintf(solid, sizeof solid, "solid%d", below(p, p->solids + 1));
    if (chance(p) < 0.4) {
        mn_Drain drain = mn_default_drain();
        drain.min = vector(p, 0, 0.1);
        drain.max = vector(p, 0.2, 0.3);
        answered(p, mn_world_add_drain(p->world, &drain, &error) == MN_OK, &error);
    } else if (chance(p) < 0.5) {
        mn_ProbeDef probe = mn_default_probe_def();
        probe.name = (char*)"probe";
        probe.type = (mn_ProbeType)below(p, 6);
        probe.position = vector(p, 0, 0.3);
        probe.solid = solid;
        answered(p, mn_world_add_probe(p->world, &probe, &error) != 0, &error);
    } else {
        mn_EventDef event = mn_default_event_def();
        event.time = number(p, 0, 0.01);
        event.solid = solid;
        event.density = number(p, 10, 1000);
        answered(p, mn_world_add_event(p->world, &event, &error) == MN_OK, &error);
    }
}

static void play_step(Play* p)
{
    mn_Error error = {0};
    mn_Result result;
    int steps = 3;
    if (chance(p) < 0.2)
        result = mn_world_prepare(p->world, &error);
    else if (chance(p) < 0.5)
        result = mn_world_step(p->world, random_range(&p->random, 1e-4, 1e-2), &error);
    else
        result = mn_world_advance(p->world, mn_world_time(p->world) + 0.002, count_down, &steps, &error);
    if (result != MN_INTERRUPTED)
        answered(p, result == MN_OK, &error);
    p->ended = result != MN_OK && result != MN_INTERRUPTED;
}

static void look(Play* p)
{
    const mn_World* world = p->world;
    mn_ParticleView view = mn_world_particles(world);
    double sum = mn_world_time(world) + (double)mn_world_boundary(world).count;
    for (size_t i = 0; i < 4 * view.count; i++)
        sum += (double)(view.position[i] + view.velocity[i]);
    for (mn_SolidId k = 1; k <= mn_world_solid_count(world); k++) {
        mn_SolidView solid = mn_world_solid(world, k);
        for (size_t v = 0; v < solid.vertex_count; v++)
            sum += solid.vertex[v].x;
    }
    const mn_StageTime* stages;
    sum += (double)mn_world_timing(world, &stages) + mn_world_stats(world).kinetic_energy + (double)(mn_world_hash(world) & 1);
    assert_true(p->ended || !isnan(sum));
}

static void play(uint64_t seed, int calls, int* done, int* refused)
{
    mn_Error error = {0};
    Play p = {.random = {random_mix(seed)}};
    mn_WorldDef def = water_def(chance(&p) < 0.3 ? 2 : 3, 0.02, ALL_METHODS[below(&p, 4)]);
    def.particle_radius = number(&p, 0.018, 0.03);
    def.gravity = vector(&p, -10, 10);
    p.world = mn_world_create(&def, NULL, &error);
    answered(&p, p.world != NULL, &error);
    for (int n = 0; n < calls && p.world && !p.ended; n++) {
        double which = chance(&p);
        if (which < 0.15)
            play_fluid(&p);
        else if (which < 0.4)
            play_solid(&p);
        else if (which < 0.5)
            play_joint(&p);
        else if (which < 0.65)
            play_rest(&p);
        else if (which < 0.8 || n < calls / 2)
            look(&p);
        else
            play_step(&p);
    }
    if (p.world)
        look(&p);
    mn_world_destroy(p.world);
    *done += p.done;
    *refused += p.refused;
}

static void any_order_of_calls(void** state)
{
    int done = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 150; seed++)
        play(seed, 24, &done, &refused);
    print_message("%d calls did what they should, %d were refused with a reason\n", done, refused);
    assert_in_range(done, 300, 100000);
    assert_in_range(refused, 100, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_order_of_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
