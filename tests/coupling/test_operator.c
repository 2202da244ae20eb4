// SPDX-License-Identifier: MIT
// The coupling operator (coupling/response.h), for solids that respond as one and by vertex: it is symmetric and positive, equals a
// loop over all pairs in double precision, and hands over momentum and angular momentum whole; friction likewise. What cannot move
// changes nothing, and a solve does not notice a responder that nothing touches.
#include "coupling_support.h"

#include "base/random.h"
#include "coupling/akinci.h"
#include "coupling/friction.h"
#include "fluid/operators.h"
#include "fluid/viscosity/viscosity.h"
#include "world/sph_parts.h"

// A rigid ball and a box that some particles touch together, a cloth of mass points, a ball of finite elements, all in water.
static const char SCENE[] =
    "{\"particle_radius\": 0.02, \"duration\": 2,"
    "\"fluids\": [{\"density\": 1000, \"viscosity\": 0.3, \"blocks\": [{\"min\": [-0.4, 0, -0.2], \"max\": [0.4, 0.4, 0.2]}]}],"
    "\"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.8, 0.8, 0.4]}, \"position\": [0, 0.4, 0], \"inside\": true},"
    "{\"name\": \"ball\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.08}, \"density\": 300, \"position\": [-0.2, 0.22, 0],"
    " \"angular_velocity\": [1, 2, 3], \"velocity\": [0.3, 0.1, 0]},"
    "{\"name\": \"box\", \"type\": \"rigid\", \"shape\": {\"box\": [0.1, 0.12, 0.14]}, \"density\": 2000, \"position\": [-0.2, "
    "0.06, 0]},"
    "{\"name\": \"cloth\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.2, 0.2], \"cells\": [8, 8]}, \"position\": [0.06, 0.2, "
    "0],"
    " \"density\": 300, \"thickness\": 0.002, \"young\": 1e6},"
    "{\"name\": \"lump\", \"type\": \"elastic\", \"model\": \"fem\", \"shape\": {\"sphere\": 0.07}, \"position\": [0.28, 0.2, 0],"
    " \"density\": 800, \"young\": 1e5, \"resolution\": 0.05}]}";

static mn_World* busy_world(void)
{
    mn_World* world = build(SCENE);
    for (int k = 0; k < 4; k++)
        assert_int_equal(mn_world_step(world, INFINITY, NULL), MN_OK);
    const Akinci* c = world->coupling.data;
    assert_int_equal(world_sph(world)->responders.count, 2);
    assert_int_equal(c->bodies.response.body_count, 2);
    assert_true(c->bodies.response.crowded);
    assert_int_equal(c->skins.boundary->skin_count, 2);
    assert_true(c->skins.response.has_mobility[1] && !c->skins.response.has_mobility[0]);
    world->coupling.method->begin(world->coupling.data, 1e-3);
    return world;
}

static void random_pressures(Sph* sph, uint64_t seed)
{
    Random random = {seed};
    for (size_t i = 0; i < sph->fluid.set.count; i++)
        sph->fluid.position[i].w = (float)random_range(&random, 0, 2000);
}

// out = A P of the pressures at hand
static void apply(Responder* r, double* out)
{
    Fluid* fluid = &r->sph->fluid;
    memset(fluid->divergence, 0, (fluid->set.count + LANES) * sizeof *fluid->divergence);
    r->kind->pressure(r);
    r->kind->accelerated(r);
    for (size_t i = 0; i < fluid->set.count; i++)
        out[i] = -(double)fluid->divergence[i];
}

static void take_pressures(const Sph* sph, double* out)
{
    for (size_t i = 0; i < sph->fluid.set.count; i++)
        out[i] = (double)sph->fluid.position[i].w;
}

static double dot(const double* a, const double* b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double largest(const double* a, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

static double* numbers(size_t n)
{
    double* a = calloc(n, sizeof *a);
    assert_non_null(a);
    return a;
}

static Vec3d xyz(Vec4 v)
{
    return vec3d((double)v.x, (double)v.y, (double)v.z);
}

// --- every pair

typedef struct Pair {
    size_t i;
    uint32_t b;
    Vec3d g;      // [1/m] G_ib
    Vec3d x;      // [m] x_i - x_b
    double slope; // [1/m2] G_ib = slope x
} Pair;

typedef void PairFn(void* context, const Pair* pair);

static void all_pairs(const Sph* sph, PairFn* visit, void* context)
{
    for (size_t k = 0; k < block_count(sph->fluid.set.count, LANES); k++) {
        const NearBoundary* near = sph->neighbours.chunk[k].near;
        if (!near)
            continue;
        const uint16_t* coefficient = list_coefficients(near->index, near->slots);
        for (uint32_t s = 0; s < near->slots; s++) {
            float c[LANES];
            f8_store(c, f8_load_half(coefficient + LANES * s));
            for (size_t lane = 0; lane < LANES; lane++) {
                Pair p = {.i = LANES * k + lane, .b = near->index[LANES * s + lane]};
                if (p.i >= sph->fluid.set.count || !(c[lane] < 0))
                    continue;
                p.x = vec3d_sub(xyz(sph->fluid.position[p.i]), xyz(sph->walls.points.position[p.b]));
                p.slope = (double)sph->walls.points.position[p.b].w * (double)c[lane] * (double)sph->kernel.gradient;
                p.g = vec3d_scale(p.x, p.slope);
                visit(context, &p);
            }
        }
    }
}

typedef struct Brute {
    const mn_World* world;
    const Akinci* c;
    Twist wrench[8], acceleration[8]; // of bodies
    Vec3d* node;                      // forces, then accelerations
    double* out;                      // (particles)
    Vec3d* point;                     // (places) friction
    double drag[8][6][6];
} Brute;

static int32_t body_at(const Brute* s, const Pair* p)
{
    return s->c->bodies.response.body_of[world_sph(s->world)->walls.solid[p->b]];
}

static Vec3d arm_of(const Brute* s, const Pair* p, int32_t body)
{
    return vec3d_sub(xyz(world_sph(s->world)->walls.points.position[p->b]), s->c->bodies.response.body[body].centre);
}

static void push_body(Brute* s, const Pair* p, int32_t m, Vec3d f)
{
    s->wrench[m].linear = vec3d_add(s->wrench[m].linear, f);
    s->wrench[m].angular = vec3d_add(s->wrench[m].angular, vec3d_cross(arm_of(s, p, m), f));
}

static const SurfacePoint* point_at(const Brute* s, uint32_t b, size_t* first)
{
    uint32_t particle;
    const Boundary* boundary = s->c->skins.boundary;
    const Skin* skin = b < boundary->resting ? NULL : boundary_skin_of(boundary, b, &particle);
    if (!skin)
        return NULL;
    *first = s->c->skins.response.node_first[skin - boundary->skin];
    return &skin->resample.point[particle];
}

static void push(void* context, const Pair* p)
{
    Brute* s = context;
    const Sph* sph = world_sph(s->world);
    Vec3d f = vec3d_scale(p->g, (double)sph->mass_volume * (double)sph->fluid.position[p->i].w);
    int32_t m = body_at(s, p);
    size_t first;
    const SurfacePoint* at = point_at(s, p->b, &first);
    if (m >= 0)
        push_body(s, p, m, f);
    for (int k = 0; at && k < 3; k++)
        s->node[first + at->vertex[k]] = vec3d_mad(s->node[first + at->vertex[k]], (double)at->weight[k], f);
}

static void feel_bodies(void* context, const Pair* p)
{
    Brute* s = context;
    int32_t m = body_at(s, p);
    if (m < 0)
        return;
    Vec3d a = vec3d_add(s->acceleration[m].linear, vec3d_cross(s->acceleration[m].angular, arm_of(s, p, m)));
    s->out[p->i] += vec3d_dot(a, p->g);
}

static void feel_nodes(void* context, const Pair* p)
{
    Brute* s = context;
    size_t first;
    const SurfacePoint* at = point_at(s, p->b, &first);
    for (int k = 0; at && k < 3; k++)
        s->out[p->i] += (double)at->weight[k] * vec3d_dot(s->node[first + at->vertex[k]], p->g);
}

// What solids do with the forces that push() found.
static void respond(Brute* s)
{
    for (size_t m = 0; m < s->c->bodies.response.body_count; m++)
        s->acceleration[m] = body_mobility(&s->c->bodies.response.body[m], s->wrench[m]);
    const VertexResponse* r = &s->c->skins.response;
    for (size_t k = 0; k < r->boundary->skin_count; k++) {
        if (r->has_mobility[k])
            r->mobility(r->user, k, s->node + r->node_first[k]);
        for (size_t v = r->node_first[k]; v < r->node_first[k] + vertex_nodes_of(r, k) && !r->has_mobility[k]; v++)
            s->node[v] = vec3d_scale(s->node[v], r->inverse_mass[v]);
    }
}

static Brute brute_of(const mn_World* world)
{
    const Akinci* c = world->coupling.data;
    Brute s = {.world = world, .c = c, .out = numbers(world_sph(world)->fluid.set.count)};
    s.node = calloc(c->skins.response.node_count, sizeof *s.node);
    s.point = calloc(world->boundary.count + LANES, sizeof *s.point);
    assert_true(s.node && s.point);
    return s;
}

static void brute_free(Brute* s)
{
    free(s->out);
    free(s->node);
    free(s->point);
}

// --- tests

static void test_symmetric_and_positive(void** state)
{
    mn_World* world = busy_world();
    Sph* sph = world_sph(world);
    size_t n = sph->fluid.set.count;
    double *x = numbers(n), *y = numbers(n), *ax = numbers(n), *ay = numbers(n);
    for (int k = 0; k < sph->responders.count; k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            random_pressures(sph, seed);
            take_pressures(sph, x);
            apply(sph->responders.list[k], ax);
            random_pressures(sph, seed + 100);
            take_pressures(sph, y);
            apply(sph->responders.list[k], ay);
            double size = sqrt(dot(x, ax, n) * dot(y, ay, n));
            assert_true(size > 0);
            assert_near(dot(y, ax, n) / size, dot(x, ay, n) / size, 2e-6);
            for (size_t i = 0; i < n; i++)
                sph->fluid.position[i].w -= 1000; // both signs
            take_pressures(sph, y);
            apply(sph->responders.list[k], ay);
            assert_true(dot(y, ay, n) > 0);
        }
    free(x), free(y), free(ax), free(ay);
    mn_world_destroy(world);
}

static void test_equals_a_loop_over_all_pairs(void** state)
{
    mn_World* world = busy_world();
    Sph* sph = world_sph(world);
    size_t n = sph->fluid.set.count;
    double* out = numbers(n);
    static PairFn* const feel[] = {feel_bodies, feel_nodes};
    for (int k = 0; k < 2; k++) {
        Brute s = brute_of(world);
        random_pressures(sph, 7);
        apply(sph->responders.list[k], out);
        all_pairs(sph, push, &s);
        for (size_t m = 0; m < s.c->bodies.response.body_count && k == 0; m++) {
            Twist f = s.c->bodies.response.body[m].force;
            assert_below(vec3d_distance(f.linear, s.wrench[m].linear), 1e-6 * vec3d_length(s.wrench[m].linear));
            assert_below(vec3d_distance(f.angular, s.wrench[m].angular), 1e-5 * vec3d_length(s.wrench[m].angular));
        }
        respond(&s);
        all_pairs(sph, feel[k], &s);
        double most = largest(s.out, n);
        size_t felt = 0;
        assert_true(most > 0);
        for (size_t i = 0; i < n; i++) {
            assert_near(out[i] / most, s.out[i] / most, 6e-6); // single precision, sums of some fifty pairs
            felt += s.out[i] != 0;
        }
        assert_true(felt > 50);
        brute_free(&s);
    }
    free(out);
    mn_world_destroy(world);
}

// Pressure alone: what the fluid gets is minus what bodies, nodes and walls get.
static void test_momentum_is_handed_over_whole(void** state)
{
    mn_World* world = busy_world();
    Sph* sph = world_sph(world);
    const Akinci* c = world->coupling.data;
    Boundary* boundary = &world->boundary;
    for (size_t b = 0; b < boundary->count; b++)
        boundary->velocity[b].w = boundary->wall_viscosity[b] = 0; // no friction
    memset(sph->fluid.divergence_pressure, 0, sph->fluid.set.count * sizeof(float));
    random_pressures(sph, 3);
    pressure_acceleration(sph);
    Vec3d momentum = {0, 0, 0}, turn = {0, 0, 0}, origin[8] = {{0, 0, 0}};
    double size = 0;
    for (size_t i = 0; i < sph->fluid.set.count; i++) {
        Vec3d f = vec3d_scale(xyz(sph->fluid.acceleration[i]), 1000 * (double)sph->mass_volume);
        momentum = vec3d_add(momentum, f);
        turn = vec3d_add(turn, vec3d_cross(xyz(sph->fluid.position[i]), f));
        size += vec3d_length(f);
    }
    Wrench walls[8];
    assert_true(wall_forces(sph, sph->fluid.velocity, origin, world->solids.count, c->is_counted, walls));
    for (size_t k = 0; k < world->solids.count; k++) {
        momentum = vec3d_add(momentum, walls[k].force);
        turn = vec3d_add(turn, walls[k].torque);
    }
    for (int k = 0; k < sph->responders.count; k++)
        sph->responders.list[k]->kind->pressure(sph->responders.list[k]);
    Vec3d given = {0, 0, 0};
    for (size_t m = 0; m < c->bodies.response.body_count; m++) {
        const ResponseBody* b = &c->bodies.response.body[m];
        momentum = vec3d_add(momentum, b->force.linear);
        given = vec3d_add(given, b->force.linear);
        turn = vec3d_add(turn, vec3d_add(b->force.angular, vec3d_cross(b->centre, b->force.linear)));
    }
    for (size_t p = 0; p < c->skins.response.pairs.moving; p++) {
        Vec3d f = xyz(c->skins.response.force[p]);
        momentum = vec3d_add(momentum, f);
        given = vec3d_add(given, f);
        turn = vec3d_add(turn, vec3d_cross(xyz(vertex_places(sph)[p]), f));
    }
    assert_true(vec3d_length(given) > 1e-3 * size);
    assert_below(vec3d_length(momentum) / size, 1e-7);
    assert_below(vec3d_length(turn) / size, 1e-7);
    mn_world_destroy(world);
}

static void drag(void* context, const Pair* p)
{
    Brute* s = context;
    const Sph* sph = world_sph(s->world);
    WallFriction friction = viscosity_at_wall(sph, 0);
    Vec4 u = sph->walls.points.velocity[p->b];
    double closing = vec3d_dot(vec3d_sub(xyz(sph->fluid.velocity[p->i]), xyz(u)), p->x), h = (double)sph->kernel.h;
    double nu = (double)friction.all * (double)sph->walls.viscosity[p->b];
    nu += closing < 0 ? (double)friction.approach * (double)u.w : 0;
    double strength = -1000 * (double)sph->mass_volume * nu * p->slope / (vec3d_dot(p->x, p->x) + 0.01 * h * h);
    Vec3d f = vec3d_scale(p->x, strength * closing);
    int32_t m = body_at(s, p);
    if (p->b >= sph->walls.points.part[1].base)
        s->point[p->b - sph->walls.points.part[1].base] = vec3d_add(s->point[p->b - sph->walls.points.part[1].base], f);
    if (m < 0)
        return;
    push_body(s, p, m, f);
    Vec3d arm = vec3d_cross(arm_of(s, p, m), p->x);
    const double g[6] = {p->x.x, p->x.y, p->x.z, arm.x, arm.y, arm.z};
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            s->drag[m][a][b] += strength * g[a] * g[b];
}

static void check_drag(const double d[6][6], const double brute[6][6])
{
    Random random = {5};
    double most = 0, x[6], energy = 0;
    for (int a = 0; a < 6; a++) {
        x[a] = random_range(&random, -1, 1);
        for (int b = 0; b < 6; b++)
            most = fmax(most, fabs(brute[a][b]));
    }
    assert_true(most > 0);
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) {
            assert_near(d[a][b] / most, brute[a][b] / most, 2e-5);
            assert_true(d[a][b] == d[b][a]);
            energy += x[a] * d[a][b] * x[b];
        }
    assert_true(energy > 0);
}

// Friction of a body is a symmetric positive matrix, that of a point a force; both are sums over the same pairs.
static void test_friction_equals_a_loop_over_all_pairs(void** state)
{
    const double DT = 1e-3;
    mn_World* world = busy_world();
    Brute s = brute_of(world);
    Akinci* c = world->coupling.data;
    all_pairs(world_sph(world), drag, &s);
    friction_on_bodies(&c->bodies.response, DT);
    for (size_t m = 0; m < c->bodies.response.body_count; m++) {
        const ResponseBody* b = &c->bodies.response.body[m];
        assert_below(vec3d_distance(vec3d_scale(b->impulse.linear, 1 / DT), s.wrench[m].linear),
                     2e-5 * vec3d_length(s.wrench[m].linear));
        check_drag(b->drag, s.drag[m]);
    }
    VertexResponse* r = &c->skins.response;
    friction_on_vertices(r, DT);
    double most = 0;
    for (size_t k = 0; k < r->pairs.wet; k++)
        most = fmax(most, vec3d_length(s.point[r->pairs.point[k].place]));
    assert_true(most > 0);
    for (size_t k = 0; k < r->pairs.wet; k++) {
        uint32_t p = r->pairs.point[k].place;
        assert_below(vec3d_distance(vec3d_scale(r->impulse[p], 1 / DT), s.point[p]), 1e-5 * most);
    }
    brute_free(&s);
    mn_world_destroy(world);
}

static void test_what_cannot_move_changes_nothing(void** state)
{
    const char* held[] = {"solids.1.held=true", "solids.2.held=true"};
    mn_World* world = build_with(SCENE, held, 2);
    assert_int_equal(mn_world_step(world, INFINITY, NULL), MN_OK);
    Akinci* c = world->coupling.data;
    Sph* sph = world_sph(world);
    double* out = numbers(sph->fluid.set.count);
    assert_int_equal(c->bodies.response.body_count, 0);
    world->coupling.method->begin(c, 1e-3);
    VertexResponse* r = &c->skins.response;
    memset(r->inverse_mass, 0, r->node_count * sizeof *r->inverse_mass);
    memset(r->has_mobility, 0, r->boundary->skin_count * sizeof *r->has_mobility);
    for (int k = 0; k < sph->responders.count; k++) {
        random_pressures(sph, 11);
        apply(sph->responders.list[k], out);
        for (size_t i = 0; i < sph->fluid.set.count; i++)
            assert_true(out[i] == 0);
    }
    // forces are there all the same
    double most = 0;
    for (size_t p = 0; p < r->pairs.moving; p++)
        most = fmax(most, vec3d_length(xyz(r->force[p])));
    assert_true(most > 0);
    free(out);
    mn_world_destroy(world);
}

// --- a responder that nothing touches

static int calls;

static bool build_nothing(Responder* r)
{
    r->chunks = 0;
    return true;
}

static void do_nothing(Responder* r)
{
    calls++;
}

static void displace_nothing(Responder* r, float dt, float* density)
{
    calls++;
}

static void yield_nothing(Responder* r, const PressureStep* step)
{
    calls++;
    memset(r->sums, 0, sizeof r->sums);
}

static void close_nothing(Responder* r, float dt)
{
    calls++;
}

static const ResponderKind nothing = {.name = "nothing",
                                      .build = build_nothing,
                                      .pressure = do_nothing,
                                      .gained = do_nothing,
                                      .accelerated = do_nothing,
                                      .displaced = displace_nothing,
                                      .give_way = yield_nothing,
                                      .close = close_nothing};

static void test_untouched_responder_changes_nothing(void** state)
{
    static const char* const method[] = {"solver.method=dfsph", "solver.method=pcisph", "solver.method=sesph"};
    for (int k = 0; k < 3; k++) {
        mn_World *alone = build_with(SCENE, &method[k], 1), *world = build_with(SCENE, &method[k], 1);
        Responder extra = {.kind = &nothing, .strong = true};
        assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
        responder_add(world_sph(world), &extra);
        calls = 0;
        for (int step = 0; step < 3; step++) {
            assert_int_equal(mn_world_step(alone, INFINITY, NULL), MN_OK);
            assert_int_equal(mn_world_step(world, INFINITY, NULL), MN_OK);
        }
        assert_true(calls >= 6);
        assert_true(mn_world_hash(alone) == mn_world_hash(world));
        responder_remove(world_sph(world), &extra);
        mn_world_destroy(alone);
        mn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric_and_positive),           cmocka_unit_test(test_equals_a_loop_over_all_pairs),
        cmocka_unit_test(test_momentum_is_handed_over_whole),    cmocka_unit_test(test_friction_equals_a_loop_over_all_pairs),
        cmocka_unit_test(test_what_cannot_move_changes_nothing), cmocka_unit_test(test_untouched_responder_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
