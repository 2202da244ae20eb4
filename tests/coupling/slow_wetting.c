// SPDX-License-Identifier: MIT
// The scenes of surface tension and adhesion, coarse enough for a test, each with what it is there to show.
#include "coupling_support.h"

#include <stdlib.h>

// --- a cube becomes a ball and falls

static double mean_height(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    double sum = 0;
    for (size_t i = 0; i < view.count; i++)
        sum += (double)view.position[4 * i + 1];
    return sum / (double)view.count;
}

// Radius of the ball with the same volume over that of the ball around the water.
static double roundness(const mn_World* world, double radius)
{
    mn_ParticleView view = mn_world_particles(world);
    double far = 0, y = mean_height(world);
    for (size_t i = 0; i < view.count; i++) {
        const float* x = view.position + 4 * i;
        far = fmax(far, hypot(hypot((double)x[0], (double)x[1] - y), (double)x[2]));
    }
    return cbrt(3 / (4 * M_PI) * (double)view.count) * 2 * radius / (far + radius);
}

static void cubes_become_balls_that_fall(void** state)
{
    mn_World* world = load_world("tension/cube", "particle_radius=0.00075", NULL);
    double before = roundness(world, 0.00075);
    advance(world, 0.3);
    double after = roundness(world, 0.00075), height = mean_height(world);
    advance(world, 0.32);
    double fall = height - mean_height(world);
    advance(world, 0.45);
    print_message("roundness %.3f, then %.3f; falls %.2f mm in 20 ms; lies %.2f mm over the floor\n", before, after, 1e3 * fall,
                  1e3 * (mean_height(world) + 0.0125));
    assert_true(before < 0.8 && after > 0.95);
    assert_near(height, 0, 1e-5);
    assert_near(fall, 0.5 * 9.81 * 0.02 * 0.02, 5e-5);
    assert_true(roundness(world, 0.00075) < 0.6);
    assert_near(mean_height(world), -0.0125 + 0.0015, 0.0015);
    finish(world);
}

// --- drops on five plates: the more a solid attracts, the lower the drop lies

static void drops_lie_lower_on_solids_that_wet_more(void** state)
{
    mn_World* world = load_world("tension/wetting", "particle_radius=0.0001", NULL);
    advance(world, 0.025);
    mn_ParticleView view = mn_world_particles(world);
    double height[5] = {0}, count[5] = {0};
    for (size_t i = 0; i < view.count; i++) {
        int k = (int)floor(((double)view.position[4 * i] + 0.009) / 0.0036);
        if (k < 0 || k > 4)
            continue;
        height[k] += (double)view.position[4 * i + 1];
        count[k]++;
    }
    for (int k = 0; k < 5; k++) {
        height[k] /= count[k];
        print_message("contact angle %d: centre of mass at %.3f mm\n", 150 - 30 * k, 1e3 * height[k]);
        if (k)
            assert_true(height[k] < 0.93 * height[k - 1]);
    }
    finish(world);
}

// --- a stream over a ball

// Share of the water below the ball's equator that is within a millimetre and a half of its surface.
static double share_that_follows(const char* adhesion)
{
    mn_World* world = load_world("tension/stream", "particle_radius=0.00075", adhesion);
    double near = 0, all = 0;
    for (int k = 0; k < 5; k++) {
        advance(world, 0.3 + 0.02 * k);
        mn_ParticleView view = mn_world_particles(world);
        for (size_t i = 0; i < view.count; i++) {
            const float* x = view.position + 4 * i;
            double r = sqrt((double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
            if (x[1] > -0.008f || x[1] < -0.02f)
                continue;
            all++;
            near += r < 0.025 + 4 * 0.00075;
        }
    }
    finish(world);
    print_message("%s: %.2f of the water below the equator is at the ball\n", adhesion, near / all);
    return all > 0 ? near / all : 0;
}

static void streams_follow_a_ball_that_attracts_them(void** state)
{
    assert_true(share_that_follows("solids.0.adhesion=1") > 0.5); // beta = gamma
    assert_true(share_that_follows("solids.0.adhesion=0") < 0.2);
}

// --- bodies

// Three times as dense as water; without tension it sinks.
static void surfaces_carry_a_needle(void** state)
{
    double depth[2];
    for (int k = 0; k < 2; k++) {
        mn_World* world = load_world("tension/needle", k ? "fluids.0.surface_tension=0" : NULL, NULL);
        advance(world, 0.12);
        depth[k] = named(world, "needle").pose.position.y;
        finish(world);
    }
    print_message("the needle is at %.2f mm; without tension at %.2f mm, of 4 mm of water\n", 1e3 * depth[0], 1e3 * depth[1]);
    assert_true(depth[0] > 0.0038);
    assert_true(depth[1] < 0.002);
}

// Distance to the middle of the water, in radii of the drop.
static double distance_to_drop(const mn_World* world, const char* name)
{
    mn_ParticleView view = mn_world_particles(world);
    double c[3] = {0, 0, 0};
    for (size_t i = 0; i < view.count; i++)
        for (int a = 0; a < 3; a++)
            c[a] += (double)view.position[4 * i + (size_t)a] / (double)view.count;
    mn_Vec3 p = named(world, name).pose.position;
    return sqrt(pow(p.x - c[0], 2) + pow(p.y - c[1], 2) + pow(p.z - c[2], 2)) / 0.008;
}

static void sticky_bodies_ride_on_a_drop_and_others_slip_off(void** state)
{
    mn_World* world = load_world("tension/incline", "particle_radius=0.0006", NULL);
    advance(world, 0.22);
    static const char* const name[] = {"sticky1", "sticky2", "slippery1", "slippery2"};
    for (int k = 0; k < 4; k++) {
        double distance = distance_to_drop(world, name[k]);
        print_message("%s: %.2f radii from the middle of the drop\n", name[k], distance);
        if (k < 2)
            assert_below(distance, 1.3);
        else
            assert_true(distance > 1.3);
    }
    finish(world);
}

// --- parts of the water

typedef bool WhereFn(const float* x);

typedef struct Parts {
    size_t count; // all of them
    size_t drops; // those of five particles or more
    size_t alone; // single particles
    size_t particles;
    double large[2]; // shares of the two largest
} Parts;

static size_t head_of(size_t* next, size_t i)
{
    while (next[i] != i)
        i = next[i] = next[next[i]];
    return i;
}

// Particles nearer than a spacing and a half belong together. Only those that `where` takes are looked at.
static Parts find_parts(const mn_World* world, double radius, WhereFn* where)
{
    mn_ParticleView view = mn_world_particles(world);
    Parts parts = {0};
    size_t* which = malloc((view.count + 1) * sizeof *which);
    size_t* next = malloc((view.count + 1) * sizeof *next);
    size_t* size = calloc(view.count + 1, sizeof *size);
    assert_true(which && next && size);
    for (size_t i = 0; i < view.count; i++)
        if (where(view.position + 4 * i)) {
            next[parts.particles] = parts.particles;
            which[parts.particles++] = i;
        }
    for (size_t i = 0; i < parts.particles; i++)
        for (size_t j = 0; j < i; j++) {
            const float *a = view.position + 4 * which[i], *b = view.position + 4 * which[j];
            if (hypot(hypot((double)(a[0] - b[0]), (double)(a[1] - b[1])), (double)(a[2] - b[2])) < 3 * radius)
                next[head_of(next, i)] = head_of(next, j);
        }
    for (size_t i = 0; i < parts.particles; i++)
        size[head_of(next, i)]++;
    for (size_t i = 0; i < parts.particles; i++) {
        double share = (double)size[i] / (double)parts.particles;
        parts.count += size[i] > 0;
        parts.drops += size[i] >= 5;
        parts.alone += size[i] == 1;
        if (share > parts.large[0]) {
            parts.large[1] = parts.large[0];
            parts.large[0] = share;
        } else if (share > parts.large[1]) {
            parts.large[1] = share;
        }
    }
    free(which);
    free(next);
    free(size);
    return parts;
}

static bool everywhere(const float* x)
{
    return true;
}

// --- a drop falls into a pool

static const double LEVEL = 0.04; // of the pool

static bool over_the_pool(const float* x)
{
    return (double)x[1] > LEVEL + 0.008;
}

// A ring of water stands around where the drop fell in.
static void check_rim(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    bool filled[16] = {false};
    double top = 0;
    for (size_t i = 0; i < view.count; i++) {
        const float* x = view.position + 4 * i;
        top = fmax(top, (double)x[1]);
        if ((double)x[1] < LEVEL + 0.0036)
            continue;
        assert_true(hypot((double)x[0], (double)x[2]) > 0.012);
        filled[(int)(8 + 7.999 * atan2((double)x[2], (double)x[0]) / M_PI)] = true;
    }
    print_message("the crown is %.1f cm high\n", 1e2 * (top - LEVEL));
    assert_true(top > LEVEL + 0.03);
    for (int k = 0; k < 16; k++)
        assert_true(filled[k]);
}

static Parts crown(const char* tension)
{
    mn_World* world = load_world("tension/crown", "particle_radius=0.0018", tension);
    advance(world, 0.04);
    check_rim(world);
    advance(world, 0.08);
    Parts parts = find_parts(world, 0.0018, over_the_pool);
    print_message("later %zu drops and fingers over the pool; %zu of %zu particles are alone\n", parts.drops, parts.alone,
                  parts.particles);
    finish(world);
    return parts;
}

static void drops_into_pools_raise_crowns_with_fingers(void** state)
{
    Parts water = crown(NULL), spray = crown("fluids.0.surface_tension=0");
    assert_true(water.drops >= 10);
    // tension holds the water together
    assert_below((double)water.alone / (double)water.particles, 0.8 * (double)spray.alone / (double)spray.particles);
}

// --- water falls on a plate

static bool under_the_plate(const float* x)
{
    return x[1] < -0.06f;
}

static Parts fall_from_plate(const char* tension)
{
    mn_World* world = load_world("tension/plate", "particle_radius=0.03", tension);
    size_t all = mn_world_particles(world).count;
    advance(world, 0.8);
    Parts parts = find_parts(world, 0.03, under_the_plate);
    advance(world, 1.6);
    uint64_t drained = mn_world_stats(world).drained;
    size_t kept = mn_world_particles(world).count - find_parts(world, 0.03, under_the_plate).particles;
    print_message("%zu drops fall from the plate, %zu of %zu particles are alone; %zu stay on it\n", parts.drops, parts.alone,
                  parts.particles, kept);
    assert_true((double)drained > 0.8 * (double)all);
    assert_true(kept > 0);
    assert_int_equal(mn_world_particles(world).count + drained, all);
    finish(world);
    return parts;
}

static void water_leaves_a_plate_in_drops(void** state)
{
    Parts water = fall_from_plate(NULL), spray = fall_from_plate("fluids.0.surface_tension=0");
    assert_true(water.drops >= 50 && spray.drops < 10);
    assert_true(water.alone < 0.1 * (double)water.particles);
    assert_true(spray.alone > 0.5 * (double)spray.particles);
}

// --- a blade in a box of water

typedef struct Touch {
    int box, blade; // particles within a spacing
} Touch;

static Touch split(const char* change)
{
    const double r = 0.0005;
    mn_World* world = load_world("tension/split", "particle_radius=0.0005", change);
    advance(world, 0.2);
    assert_int_equal(find_parts(world, r, everywhere).count, 1);
    advance(world, 0.4);
    Parts parts = find_parts(world, r, everywhere);
    mn_ParticleView view = mn_world_particles(world);
    double height = named(world, "blade").pose.position.y;
    Touch touch = {0, 0};
    for (size_t i = 0; i < view.count; i++) {
        double x = fabs((double)view.position[4 * i]), y = (double)view.position[4 * i + 1];
        touch.box += x > 0.012 - 2 * r || fabs((double)view.position[4 * i + 2]) > 0.004 - 2 * r;
        touch.blade += (x + fabs(y - height)) / sqrt(2) - 0.0035 < 2 * r; // it stands on its edge
    }
    print_message("%s: parts of %.3f and %.3f; of %zu particles %d touch the box's sides and %d the blade\n",
                  change ? change : "as it is", parts.large[0], parts.large[1], view.count, touch.box, touch.blade);
    assert_int_equal(parts.count, 2);
    assert_true(parts.large[1] > 0.4);
    finish(world);
    return touch;
}

static void blades_that_are_not_wetted_split_water(void** state)
{
    Touch both = split(NULL), wet_blade = split("solids.1.adhesion=1"), dry_box = split("solids.0.adhesion=0");
    assert_true(both.blade < 0.9 * wet_blade.blade);
    assert_true(both.box > 1.1 * dry_box.box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubes_become_balls_that_fall),
        cmocka_unit_test(drops_into_pools_raise_crowns_with_fingers),
        cmocka_unit_test(water_leaves_a_plate_in_drops),
        cmocka_unit_test(blades_that_are_not_wetted_split_water),
        cmocka_unit_test(drops_lie_lower_on_solids_that_wet_more),
        cmocka_unit_test(streams_follow_a_ball_that_attracts_them),
        cmocka_unit_test(surfaces_carry_a_needle),
        cmocka_unit_test(sticky_bodies_ride_on_a_drop_and_others_slip_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
