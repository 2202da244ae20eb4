// SPDX-License-Identifier: MIT
#include "coupling/vertex_solids.h"

#include "coupling/adhesion.h"
#include "coupling/friction.h"

#include <string.h>

// Largest share of the velocity difference to the fluid that friction may take from a vertex in one step.
static const double MOST_DRAG = 0.2;

// Volumes of mass points of less than this share of the fluid's density must respond as a whole. Points that give way alone, with
// what held them in the last step, end the run with 0.2 of it, and are calm with 0.25. Heavier ones need fewer iterations alone.
static const double LIGHT = 0.35;

// Of the support radius: what a vertex with no fluid around it may move in a step. It cannot get into fluid, which is at least a
// support radius away and moves by less than a spacing; once it is near its speed counts.
static const double DRY_PATH = 0.5;

// A solid that gives way more than twice as much as foreseen is thrown back and forth by the fluid, each time harder
// (docs/theory/elastic-coupling.md). From the least on what was measured counts, at once; it fades by a share per step. Too much
// is harmless: loads are found in some more steps.
static const double YIELD_LEAST = 1.5, YIELD_MOST = 16, YIELD_FADES = 0.05;

static Solid* solid_of(const VertexSolids* c, size_t skin)
{
    return &c->solid[c->boundary->skin[skin].solid];
}

static SolidSurface surface_of(const VertexSolids* c, size_t skin)
{
    const Solid* s = solid_of(c, skin);
    return s->kind->surface(s);
}

static bool is_light(const Sph* sph, const Solid* solid)
{
    float most = 0;
    for (int k = 0; k < sph->material_count; k++)
        most = fmaxf(most, sph->material[k].density);
    return solid->kind->density(solid) < LIGHT * (double)most;
}

// Nodes are the y_v that particles are embedded in (boundary/skin.h): their tangential forces turn the surface, and turn it by
// arms as long as a mesh of the particles' size has edges.
static void respond(void* user, size_t skin, Vec3d* node)
{
    const VertexSolids* c = user;
    const Skin* s = &c->boundary->skin[skin];
    size_t bytes = s->resample.vertex_count * sizeof *node;
    Vec3d* vertex = c->before + c->response.node_first[skin]; // free until the step is accepted
    memset(vertex, 0, bytes);
    skin_pull(s, node, vertex);
    Solid* solid = solid_of(c, skin);
    solid->kind->mobility(solid, vertex);
    skin_spread(s, vertex);
    for (size_t v = 0; v < s->resample.vertex_count; v++)
        node[v] = vec3d_scale(vertex[v], c->yield[skin]);
}

// By its own mobility, or by the masses of its vertices with the water that they carry. False: out of memory.
static bool choose_response(VertexSolids* c, size_t skin)
{
    VertexResponse* r = &c->response;
    Solid* s = solid_of(c, skin);
    const SolidKind* kind = s->kind;
    if (r->base.strong && kind->prepare_mobility && is_light(c->sph, s) && !kind->prepare_mobility(s))
        return false;
    r->has_mobility[skin] = r->base.strong && kind->has_mobility && kind->has_mobility(s);
    if (!r->has_mobility[skin] && kind->carry)
        kind->carry(s, r->carried + r->node_first[skin]);
    return true;
}

static bool choose_responses(VertexSolids* c)
{
    for (size_t k = 0; k < c->boundary->skin_count; k++)
        if (!choose_response(c, k))
            return false;
    return true;
}

static bool take_nodes(VertexSolids* c)
{
    size_t n = c->response.node_count;
    c->before = memory_take(c->memory, n * sizeof *c->before);
    c->fluid = memory_take(c->memory, n * sizeof *c->fluid);
    c->other = memory_take(c->memory, n * sizeof *c->other);
    c->last = memory_take(c->memory, n * sizeof *c->last);
    c->expected = memory_take(c->memory, n * sizeof *c->expected);
    if (!c->before || !c->fluid || !c->other || !c->last || !c->expected)
        return false;
    memset(c->fluid, 0, n * sizeof *c->fluid);
    memset(c->other, 0, n * sizeof *c->other);
    return true;
}

bool vertex_solids_create(VertexSolids* c, Memory* memory, Sph* sph, Boundary* boundary, Solid* solid, bool strong)
{
    *c = (VertexSolids){.memory = memory, .sph = sph, .boundary = boundary, .solid = solid};
    if (boundary->skin_count == 0)
        return true;
    c->revision = memory_take(memory, boundary->skin_count * sizeof *c->revision);
    c->yield = memory_take(memory, boundary->skin_count * sizeof *c->yield);
    for (size_t k = 0; k < boundary->skin_count && c->yield; k++)
        c->yield[k] = 1;
    if (!c->revision || !c->yield || !vertex_response_create(&c->response, memory, sph, boundary, strong) || !take_nodes(c))
        return false;
    for (size_t k = 0; k < boundary->skin_count; k++)
        c->revision[k] = boundary->skin[k].revision;
    c->response.mobility = respond;
    c->response.user = c;
    return choose_responses(c);
}

void vertex_solids_destroy(VertexSolids* c)
{
    if (!c->memory)
        return;
    vertex_response_destroy(&c->response);
    void* arrays[] = {c->before, c->fluid, c->other, c->last, c->expected, c->revision, c->yield};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(c->memory, arrays[k]);
    *c = (VertexSolids){0};
}

static size_t vertices(const VertexSolids* c, size_t skin)
{
    return c->boundary->skin[skin].resample.vertex_count;
}

// --- surfaces that come apart

// A vertex and what was split from it share the force that it had.
static void hand_on(const SolidSurface* surface, size_t had, const Vec3d* from, Vec3d* to)
{
    size_t kept = had < surface->vertex_count ? had : surface->vertex_count;
    memcpy(to, from, kept * sizeof *to);
    for (size_t v = kept; v < surface->vertex_count; v++) {
        uint32_t parent = surface->parent ? surface->parent[v] : (uint32_t)v;
        if (parent != v)
            to[v] = to[parent] = vec3d_scale(to[parent], 0.5);
    }
}

static bool follow(VertexSolids* c)
{
    VertexSolids old = {
        .memory = c->memory, .before = c->before, .fluid = c->fluid, .other = c->other, .last = c->last, .expected = c->expected};
    size_t skins = c->boundary->skin_count, count = c->response.node_count;
    size_t* first = memory_take(NULL, (skins + 1) * sizeof *first);
    if (!first)
        return false;
    memcpy(first, c->response.node_first, skins * sizeof *first);
    first[skins] = count;
    bool ok = vertex_response_follow(&c->response) && take_nodes(c);
    for (size_t k = 0; ok && k < skins; k++) {
        SolidSurface surface = surface_of(c, k);
        size_t had = first[k + 1] - first[k], to = c->response.node_first[k];
        hand_on(&surface, had, old.fluid + first[k], c->fluid + to);
        hand_on(&surface, had, old.other + first[k], c->other + to);
        c->revision[k] = c->boundary->skin[k].revision;
    }
    memory_give(NULL, first);
    memory_give(c->memory, old.before);
    memory_give(c->memory, old.fluid);
    memory_give(c->memory, old.other);
    memory_give(c->memory, old.last);
    memory_give(c->memory, old.expected);
    return ok && choose_responses(c);
}

bool vertex_solids_follow(VertexSolids* c)
{
    for (size_t k = 0; k < c->boundary->skin_count; k++)
        if (c->boundary->skin[k].revision != c->revision[k])
            return follow(c);
    return true;
}

static void masses_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    VertexSolids* c = context;
    for (size_t k = begin; k < end; k++) {
        size_t first = c->response.node_first[k];
        solid_of(c, k)->kind->vertex_mobility(solid_of(c, k), c->response.own_inverse + first);
        for (size_t v = first; v < first + vertices(c, k) && c->response.has_mobility[k]; v++)
            c->response.own_inverse[v] *= c->yield[k];
        memcpy(c->response.inverse_mass + first, c->response.own_inverse + first, vertices(c, k) * sizeof(double));
    }
}

void vertex_solids_place(VertexSolids* c)
{
    parallel_for(c->sph->pool, c->boundary->skin_count, 1, masses_block, c);
}

// --- a try at a step

typedef struct TryJob {
    VertexSolids* c;
    double dt;
} TryJob;

enum { GRAIN = 512 };

// [1] share of the velocity difference that friction would take from each node
static void held_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const TryJob* job = context;
    VertexResponse* s = &job->c->response;
    for (size_t v = begin; v < end; v++) {
        double drag = s->pairs.node_place[v] == NO_PLACE ? 0 : (double)s->drag[s->pairs.node_place[v]];
        for (uint32_t j = s->pairs.link_begin[v]; j < s->pairs.link_begin[v + 1]; j++)
            drag += (double)(s->drag[s->pairs.link[j].place] * s->pairs.link[j].weight);
        s->node_value[v] = job->dt * drag * s->inverse_mass[v];
    }
}

static void friction_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexSolids* c = ((const TryJob*)context)->c;
    const double* held = c->response.node_value;
    Vec4* velocity = c->boundary->velocity + c->boundary->resting;
    float* wall_viscosity = c->boundary->wall_viscosity + c->boundary->resting;
    for (size_t k = begin; k < end; k++) {
        const WetPoint* p = &c->response.pairs.point[k];
        double most = fmax(held[p->node[0]], fmax(held[p->node[1]], held[p->node[2]])),
               share = most > MOST_DRAG ? MOST_DRAG / most : 1;
        const Solid* solid = &c->solid[c->boundary->skin[p->skin].solid];
        velocity[p->place].w = (float)(solid->friction * share);
        wall_viscosity[p->place] = (float)(solid->wall_viscosity * share);
    }
}

// Friction acts explicitly. A vertex much lighter than the fluid that drags it along would be thrown back and forth, so the
// friction of the particles embedded in it is weakened, for the fluid as for the solid.
static void scale_friction(VertexSolids* c, double dt)
{
    TryJob job = {c, dt};
    parallel_for(c->sph->pool, c->response.node_count, GRAIN, held_block, &job);
    parallel_for(c->sph->pool, c->response.pairs.wet, GRAIN, friction_block, &job);
}

// What nodes would do if the fluid pushed as it did in the last step; without its new pressures and friction.
static void predict_skin(VertexSolids* c, size_t k, double dt)
{
    size_t first = c->response.node_first[k];
    Vec3d *drift = c->response.drift + first, *given = c->fluid + first, *predicted = c->before + first;
    Solid* solid = solid_of(c, k);
    solid->kind->predict(solid, dt, given, predicted);
    memcpy(c->last + first, given, vertices(c, k) * sizeof *given);
    memcpy(c->expected + first, predicted, vertices(c, k) * sizeof *predicted);
    memcpy(drift, given, vertices(c, k) * sizeof *drift);
    solid->kind->mobility(solid, drift);
    const Vec3d* velocity = surface_of(c, k).velocity;
    for (size_t v = 0; v < vertices(c, k); v++)
        drift[v] = vec3d_mad(vec3d_scale(vec3d_sub(predicted[v], velocity[v]), 1 / dt), -c->yield[k], drift[v]);
    skin_spread(&c->boundary->skin[k], drift);
}

static void drift_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    VertexSolids* c = ((const TryJob*)context)->c;
    for (size_t v = begin; v < end; v++)
        c->response.drift[v] = vec3d_scale(c->other[v], c->response.inverse_mass[v]);
}

static void find_drift(VertexSolids* c, double dt)
{
    TryJob job = {c, dt};
    parallel_for(c->sph->pool, c->response.node_count, GRAIN, drift_block, &job);
    for (size_t k = 0; k < c->boundary->skin_count; k++)
        if (c->response.has_mobility[k])
            predict_skin(c, k, dt);
}

void vertex_solids_begin(VertexSolids* c, double dt)
{
    if (c->response.node_count == 0)
        return;
    vertex_response_begin(&c->response);
    scale_friction(c, dt);
    if (c->response.base.strong)
        find_drift(c, dt);
}

void vertex_solids_forces(VertexSolids* c, double dt)
{
    if (c->response.node_count == 0)
        return;
    adhesion_on_vertices(&c->response);
    friction_on_vertices(&c->response, dt);
}

double vertex_solids_speed(const VertexSolids* c, double path, bool after)
{
    const VertexResponse* s = &c->response;
    double wet = 0, dry = 0;
    for (size_t k = 0; k < c->boundary->skin_count; k++) {
        const Vec3d* velocity = surface_of(c, k).velocity;
        for (size_t v = 0, node = s->node_first[k]; v < vertices(c, k); v++, node++) {
            Vec3d u = after ? vec3d_add(velocity[v], s->gain[node]) : velocity[v];
            double *most = node_is_wet(&s->pairs, node) ? &wet : &dry, square = vec3d_dot(u, u);
            *most = square > *most ? square : *most;
        }
    }
    double share = fmin(path / (DRY_PATH * (double)c->sph->kernel.h), 1);
    return fmax(sqrt(wet), share * sqrt(dry));
}

// --- the step is accepted

// [N] sum of weight * force of the particles embedded in each node
static void force_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const TryJob* job = context;
    const VertexResponse* s = &job->c->response;
    for (size_t v = begin; v < end; v++) {
        Vec3d sum = s->pairs.node_place[v] == NO_PLACE ? vec3d(0, 0, 0) : s->impulse[s->pairs.node_place[v]];
        for (uint32_t j = s->pairs.link_begin[v]; j < s->pairs.link_begin[v + 1]; j++)
            sum = vec3d_mad(sum, (double)s->pairs.link[j].weight, s->impulse[s->pairs.link[j].place]);
        job->c->before[v] = vec3d_scale(sum, 1 / job->dt);
    }
}

// Forces on the nodes of a skin go to the solid's vertices and to the solid as a whole.
static void hand_over(VertexSolids* c, size_t k)
{
    const Skin* skin = &c->boundary->skin[k];
    Solid* solid = &c->solid[skin->solid];
    const Vec3d *force = c->before + c->response.node_first[k], *point = skin_points(skin);
    Vec3d* given = c->fluid + c->response.node_first[k];
    solid->force = solid->torque = vec3d(0, 0, 0);
    for (size_t v = 0; v < vertices(c, k); v++) {
        Vec3d arm = vec3d_sub(point[v], solid->pose.position);
        solid->force = vec3d_add(solid->force, force[v]);
        solid->torque = vec3d_add(solid->torque, vec3d_cross(arm, force[v]));
        given[v] = vec3d(0, 0, 0);
    }
    skin_pull(skin, force, given);
    SolidSurface surface = surface_of(c, k);
    for (size_t v = 0; v < vertices(c, k); v++)
        surface.force[v] = vec3d_add(surface.force[v], given[v]);
}

static void hand_over_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t k = begin; k < end; k++)
        hand_over(context, k);
}

void vertex_solids_finish(VertexSolids* c, double dt)
{
    TryJob job = {c, dt};
    parallel_for(c->sph->pool, c->response.node_count, GRAIN, force_block, &job);
    parallel_for(c->sph->pool, c->boundary->skin_count, 1, hand_over_block, c);
}

void vertex_solids_before(VertexSolids* c)
{
    for (size_t k = 0; k < c->boundary->skin_count; k++)
        memcpy(c->before + c->response.node_first[k], surface_of(c, k).velocity, vertices(c, k) * sizeof *c->before);
}

static void after_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const TryJob* job = context;
    VertexSolids* c = job->c;
    const VertexResponse* s = &c->response;
    for (size_t n = begin; n < end;) {
        size_t k = vertex_skin_of(s, n), first = s->node_first[k], last = first + vertices(c, k);
        const Vec3d* velocity = surface_of(c, k).velocity;
        for (; n < last && n < end; n++) {
            double mass = s->inverse_mass[n] > 0 ? 1 / s->inverse_mass[n] : 0;
            Vec3d rate = vec3d_scale(vec3d_sub(velocity[n - first], c->before[n]), 1 / job->dt);
            c->other[n] = s->has_mobility[k] ? vec3d(0, 0, 0) : vec3d_mad(vec3d_scale(c->fluid[n], -1), mass, rate);
        }
    }
}

// How much more the solid gave way to what the fluid changed than its mobility says, by the work of that change.
static double measure_yield(VertexSolids* c, size_t k, double dt)
{
    size_t first = c->response.node_first[k], count = vertices(c, k);
    const Vec3d *fluid = c->fluid + first, *last = c->last + first, *velocity = surface_of(c, k).velocity;
    Vec3d* change = c->before + first; // no longer needed
    double work = 0, foreseen = 0;
    for (size_t v = 0; v < count; v++) {
        change[v] = vec3d_sub(fluid[v], last[v]);
        work += vec3d_dot(change[v], vec3d_sub(velocity[v], c->expected[first + v]));
    }
    Solid* solid = solid_of(c, k);
    solid->kind->mobility(solid, change);
    for (size_t v = 0; v < count; v++)
        foreseen += dt * vec3d_dot(change[v], vec3d_sub(fluid[v], last[v]));
    return foreseen > 0 ? work / foreseen : 0;
}

static void follow_yield(VertexSolids* c, size_t k, double dt)
{
    double yield = measure_yield(c, k, dt);
    yield = fmin(yield > YIELD_LEAST ? yield : 1, YIELD_MOST);
    c->yield[k] = fmax(yield, c->yield[k] + YIELD_FADES * (yield - c->yield[k]));
}

void vertex_solids_after(VertexSolids* c, double dt, double usual)
{
    TryJob job = {c, dt};
    if (!(dt >= 1e-3 * usual))
        return;
    parallel_for(c->sph->pool, c->response.node_count, GRAIN, after_block, &job);
    for (size_t k = 0; k < c->boundary->skin_count; k++)
        if (c->response.has_mobility[k])
            follow_yield(c, k, dt);
}

// --- state

static size_t state_bytes(const void* owner)
{
    const VertexSolids* c = owner;
    return 2 * c->response.node_count * sizeof(Vec3d) + c->boundary->skin_count * sizeof *c->yield;
}

static void save_state(const void* owner, void* out)
{
    const VertexSolids* c = owner;
    size_t part = c->response.node_count * sizeof(Vec3d);
    memcpy(out, c->other, part);
    memcpy((char*)out + part, c->fluid, part);
    memcpy((char*)out + 2 * part, c->yield, c->boundary->skin_count * sizeof *c->yield);
}

// Skins are loaded before.
static bool load_state(void* owner, const void* in, size_t bytes)
{
    VertexSolids* c = owner;
    if (!vertex_solids_follow(c) || bytes != state_bytes(c))
        return false;
    size_t part = c->response.node_count * sizeof(Vec3d);
    memcpy(c->other, in, part);
    memcpy(c->fluid, (const char*)in + part, part);
    memcpy(c->yield, (const char*)in + 2 * part, c->boundary->skin_count * sizeof *c->yield);
    for (size_t n = 0; n < c->response.node_count; n++)
        if (!vec3d_finite(c->other[n]) || !vec3d_finite(c->fluid[n]))
            return false;
    for (size_t k = 0; k < c->boundary->skin_count; k++)
        if (!(c->yield[k] >= 1 && c->yield[k] <= YIELD_MOST))
            return false;
    return true;
}

bool vertex_solids_register(VertexSolids* c, Register* reg)
{
    const StateGrowing record = {"coupling", PER_VERTEX, c, state_bytes, save_state, load_state};
    return c->boundary->skin_count == 0 || register_growing(reg, &record);
}
