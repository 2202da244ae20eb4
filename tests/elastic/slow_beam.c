// SPDX-License-Identifier: MIT
// Clamped plates against beam theory, ten elements over the height, in plane strain (E' = E / (1 - nu^2)):
//   deflection under a load P at the end  w = P L^3 / (3 E' I),  I = H^3 / 12 per depth          (Hwang 2014)
//   under its own weight, as far as half its length: the elastica, E' I theta'' = q (s - L) cos theta
//   first mode  w^2 = E' H^2 k^4 / (12 rho),  k L = 1.8751                                        (Landau and Lifshitz 1970)
// data/validation/elastic_beams.csv has the cases.
#include "elastic_support.h"

#include "elastic/elastic_parts.h"
#include "mesh/tet_mesh.h"
#include <stdlib.h>
#include <string.h>

typedef struct Case {
    double length, height, density, young, poisson, load, speed, expected;
} Case;

static Case find_case(const char* wanted)
{
    FILE* file = fopen(MENISCUS_SOURCE_DIR "/data/validation/elastic_beams.csv", "r");
    assert_non_null(file);
    char line[512], name[64];
    Case c = {0};
    bool found = false;
    while (!found && fgets(line, sizeof line, file))
        found = sscanf(line, "%63[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", name, &c.length, &c.height, &c.density, &c.young,
                       &c.poisson, &c.load, &c.speed, &c.expected) == 9 &&
                !strcmp(name, wanted);
    fclose(file);
    if (!found)
        fail_msg("no case %s", wanted);
    return c;
}

typedef struct Beam {
    ElasticSet* set;
    TetMesh tets;
    TriMesh surface;
    uint32_t* point_of;
    double depth;
} Beam;

// Along x from the origin; clamped at x = 0.
static Beam make_beam(const Case* c, int along, int rows, mn_ElasticIntegrator integrator, double gravity)
{
    Beam b = {.depth = c->height / rows};
    assert_true(tet_mesh_box(vec3d(c->length, c->height, b.depth), (const int[]){along, rows, 1}, &b.tets));
    for (size_t k = 0; k < b.tets.point_count; k++)
        b.tets.point[k].x += 0.5 * c->length;
    assert_true(tet_mesh_surface(&b.tets, &b.surface, &b.point_of));
    ElasticBodyDef def = {.model = MN_ELASTIC_FEM,
                          .surface = &b.surface,
                          .tets = &b.tets,
                          .point_of = b.point_of,
                          .density = c->density,
                          .thickness = 1e-3,
                          .young = c->young,
                          .poisson = c->poisson,
                          .integrator = integrator,
                          .plane_strain = true};
    b.set = test_set(&def, vec3d(0, -gravity, 0), 2);
    int pin = elastic_add_pin(b.set, 0);
    for (uint32_t k = 0; k < b.surface.vertex_count; k++)
        if (b.surface.vertex[k].x < 1e-9)
            assert_true(elastic_pin_vertex(b.set, 0, pin, k));
    return b;
}

static void beam_free(Beam* b)
{
    test_set_destroy(b->set);
    tet_mesh_free(&b->tets);
    tri_mesh_free(&b->surface);
    memory_give(NULL, b->point_of);
}

// Mean displacement of the free end.
static Vec3d tip(const Beam* b)
{
    ElasticSurface s = elastic_surface(b->set, 0);
    Vec3d sum = {0, 0, 0};
    double end = 0, count = 0;
    for (size_t k = 0; k < s.vertex_count; k++)
        end = fmax(end, b->surface.vertex[k].x);
    for (size_t k = 0; k < s.vertex_count; k++)
        if (b->surface.vertex[k].x > end - 1e-9) {
            sum = vec3d_add(sum, vec3d_sub(s.position[k], b->surface.vertex[k]));
            count++;
        }
    return vec3d_scale(sum, 1 / count);
}

static void test_deflection(void** state)
{
    Case c = find_case("cantilever_hwang_2014");
    Beam b = make_beam(&c, 175, 10, MN_INTEGRATOR_EULER, 0);
    ElasticSurface s = elastic_surface(b.set, 0);
    int ends = 0;
    for (size_t k = 0; k < s.vertex_count; k++)
        ends += b.surface.vertex[k].x > c.length - 1e-9;
    for (size_t k = 0; k < s.vertex_count; k++)
        if (b.surface.vertex[k].x > c.length - 1e-9)
            s.force[k] = vec3d(0, -c.load * b.depth / ends, 0);
    assert_true(elastic_step(b.set, 1000)); // a step of Euler much longer than the period is static
    printf("deflection %.4g m, theory %.4g m, ratio %.4f\n", -tip(&b).y, c.expected, -tip(&b).y / c.expected);
    assert_near(-tip(&b).y, c.expected, 0.02 * c.expected);
    beam_free(&b);
}

// How far down the end of a cantilever goes that a weight per length and depth bends, and how much shorter it looks [m].
static double elastica(double stiffness, double length, double weight, double* shorter)
{
    enum { PARTS = 2000 };
    double low = 0, high = 20 / length, h = length / PARTS, y = 0;
    for (int k = 0; k < 50; k++) { // the curvature at the clamp, until there is none at the end
        double first = 0.5 * (low + high), bend = first, theta = 0, x = 0;
        y = 0;
        for (int i = 0; i < PARTS; i++) { // midpoint rule
            double middle = theta + 0.5 * h * bend, load = weight * (length - (i + 0.5) * h) / stiffness * cos(middle);
            theta += h * (bend - 0.5 * h * load);
            bend -= h * load;
            x += h * cos(middle);
            y += h * sin(middle);
        }
        *shorter = length - x;
        *(bend > 0 ? &high : &low) = first;
    }
    return y;
}

// A strip of the size of a rubber gate (Antoci 2007) that bends by half its length; linear tetrahedra alone would be 2 to 27 % too
// stiff.
static void check_far_bending(double poisson)
{
    Case c = {.length = 0.079, .height = 0.005, .density = 1100, .young = 12e6, .poisson = poisson};
    double stiffness = c.young / (1 - poisson * poisson) * pow(c.height, 3) / 12, shorter;
    double gravity = 237 / (1 - poisson * poisson), y = elastica(stiffness, c.length, c.density * gravity * c.height, &shorter);
    assert_near(y, 0.5 * c.length, 0.02 * c.length);
    Beam b = make_beam(&c, 79, 5, MN_INTEGRATOR_EULER, gravity);
    for (int k = 0; k < 120; k++) // Euler's damping brings it to rest
        assert_true(elastic_step(b.set, 0.02));
    Vec3d d = tip(&b);
    printf("nu = %.2f: down by %.5f m, elastica %.5f m, ratio %.4f; shorter by %.5f m, elastica %.5f m, ratio %.4f\n", poisson,
           -d.y, y, -d.y / y, -d.x, shorter, -d.x / shorter);
    assert_near(-d.y, y, 0.02 * y);
    assert_near(-d.x, shorter, 0.03 * shorter);
    beam_free(&b);
}

static void test_far_bending(void** state)
{
    check_far_bending(0);
    check_far_bending(0.4);
    check_far_bending(0.47);
}

// Of the first mode at small amplitude: time between the zero crossings of the tip.
static double period(const Case* c, double speed, double dt, double* decay)
{
    Beam b = make_beam(c, 100, 10, MN_INTEGRATOR_BDF2, 0);
    Body* body = &b.set->body[0];
    double kl = 1.8751040687, k = kl / c->length;
    double ratio = (cos(kl) + cosh(kl)) / (sin(kl) + sinh(kl));
    double most = (cosh(kl) - cos(kl)) - ratio * (sinh(kl) - sin(kl));
    for (size_t i = 0; i < body->point_count; i++) {
        double x = body->position[i].x, f = (cosh(k * x) - cos(k * x)) - ratio * (sinh(k * x) - sin(k * x));
        body->velocity[i] = vec3d(0, speed * f / most, 0);
    }
    double crossing[3], before = 0, peak[2] = {0, 0};
    int crossings = 0;
    for (int step = 1; crossings < 2 && step < 4000; step++) {
        assert_true(elastic_step(b.set, dt));
        double now = tip(&b).y;
        peak[crossings > 0] = fmax(peak[crossings > 0], fabs(now));
        if (step > 1 && before * now < 0)
            crossing[crossings++] = dt * (step - 1 + before / (before - now));
        before = now;
    }
    assert_int_equal(crossings, 2);
    *decay = peak[1] / peak[0];
    beam_free(&b);
    return 2 * (crossing[1] - crossing[0]);
}

static void test_period(void** state)
{
    Case c = find_case("plate_landau_lifshitz");
    double decay, got = period(&c, c.speed, c.expected / 80, &decay);
    printf("period %.5f s, theory %.5f s, ratio %.4f, amplitude after half a period %.4f\n", got, c.expected, got / c.expected,
           decay);
    assert_near(got, c.expected, 0.02 * c.expected);
    assert_near(decay, 1, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_deflection), cmocka_unit_test(test_far_bending),
                                       cmocka_unit_test(test_period)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
