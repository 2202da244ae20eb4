// SPDX-License-Identifier: MIT
// The bodies of a set: surfaces, the step, totals, the state.
#include "elastic/elastic_parts.h"

#include "base/error.h"
#include "elastic/contact/deformables.h"
#include "elastic/contact/sharp_contacts.h"
#include "elastic/load.h"
#include "elastic/topology.h"
#include "mesh/tet_mesh.h"
#include <stdio.h>
#include <string.h>

ElasticSet* elastic_create(Memory* memory, Pool* pool, Vec3d gravity, double length)
{
    ElasticSet* set = memory_take(memory, sizeof *set);
    if (set)
        *set = (ElasticSet){.memory = memory, .pool = pool, .gravity = gravity, .length = length};
    return set;
}

void elastic_set_gravity(ElasticSet* set, Vec3d gravity)
{
    set->gravity = gravity;
}

void elastic_destroy(ElasticSet* set)
{
    if (!set)
        return;
    for (size_t k = 0; k < set->body_count; k++)
        body_free(set, &set->body[k]);
    deformables_free(set);
    sharp_contacts_free(set);
    memory_give(set->memory, set->body);
    memory_give(set->memory, set->obstacle);
    memory_give(set->memory, set->carrier);
    memory_give(set->memory, set);
}

size_t elastic_count(const ElasticSet* set)
{
    return set->body_count;
}

bool elastic_no_memory(const ElasticSet* set)
{
    return set->no_memory;
}

const char* elastic_message(const ElasticSet* set)
{
    return set->message;
}

// --- surfaces

ElasticSurface elastic_surface(const ElasticSet* set, int body)
{
    const Body* b = &set->body[body];
    return (ElasticSurface){b->vertex_count,
                            b->triangle_count,
                            (const uint32_t(*)[3])b->triangle,
                            b->vertex,
                            b->vertex_velocity,
                            b->force,
                            b->vertex_rest,
                            b->split.vertex_parent,
                            b->split.revision,
                            b->triangle_count - b->split.built_triangles};
}

// Where the points put the surface.
void body_follow(Body* body)
{
    for (size_t k = 0; body->embedding && k < body->vertex_count; k++) {
        const Embedding* h = &body->embedding[k];
        Vec3d x = {0, 0, 0}, v = {0, 0, 0};
        for (int c = 0; c < 4; c++) {
            x = vec3d_mad(x, h->weight[c], body->position[h->point[c]]);
            v = vec3d_mad(v, h->weight[c], body->velocity[h->point[c]]);
        }
        body->vertex[k] = x;
        body->vertex_velocity[k] = v;
    }
}

double elastic_inverse_mass(const ElasticSet* set, int body, uint32_t vertex)
{
    const Body* b = &set->body[body];
    if (!b->embedding)
        return b->pins.of[vertex] >= 0 ? 0 : 1 / b->mass[vertex];
    double sum = 0;
    for (int c = 0; c < 4; c++) {
        double weight = b->embedding[vertex].weight[c];
        uint32_t p = b->embedding[vertex].point[c];
        sum += b->pins.of[p] >= 0 ? 0 : weight * weight / b->mass[p];
    }
    return sum;
}

void elastic_apply_impulse(ElasticSet* set, int body, uint32_t vertex, Vec3d impulse)
{
    Body* b = &set->body[body];
    Embedding alone = {{vertex}, {1}};
    const Embedding* embedding = b->embedding ? &b->embedding[vertex] : &alone;
    for (int c = 0; c < 4; c++) {
        uint32_t p = embedding->point[c];
        if (embedding->weight[c] != 0 && b->pins.of[p] < 0) // of a vertex outside of all cells some are below 0
            b->velocity[p] = vec3d_mad(b->velocity[p], embedding->weight[c] / b->mass[p], impulse);
    }
    if (b->model->velocity_jump)
        b->model->velocity_jump(b);
}

void elastic_shared_masses(const ElasticSet* set, int body, double* out_inverse)
{
    const Body* b = &set->body[body];
    if (!b->embedding) {
        for (size_t v = 0; v < b->vertex_count; v++)
            out_inverse[v] = b->pins.of[v] >= 0 ? 0 : 1 / b->mass[v];
        return;
    }
    // Weights of a vertex outside of all tetrahedra, as at the tip of a cone, may be below 0. They do not count: by sums with them
    // masses would cancel, and by sums of their sizes the others would have too little.
    double* hanging = b->inertia; // [1] free during a step only
    memset(hanging, 0, b->point_count * sizeof *hanging);
    for (size_t v = 0; v < b->vertex_count; v++)
        for (int c = 0; c < 4; c++)
            hanging[b->embedding[v].point[c]] += fmax(b->embedding[v].weight[c], 0);
    for (size_t v = 0; v < b->vertex_count; v++) {
        double mass = 0, loose = 0, whole = 0;
        for (int c = 0; c < 4; c++) {
            uint32_t p = b->embedding[v].point[c];
            double weight = fmax(b->embedding[v].weight[c], 0);
            if (weight == 0) // most vertices are points
                continue;
            mass += weight * b->mass[p] / hanging[p];
            whole += weight;
            loose += b->pins.of[p] >= 0 ? 0 : weight;
        }
        out_inverse[v] = mass > 0 ? loose / (whole * mass) : 0;
    }
}

double elastic_mass(const ElasticSet* set, int body)
{
    double sum = 0;
    for (size_t k = 0; k < set->body[body].point_count; k++)
        sum += set->body[body].mass[k];
    return sum;
}

Vec3d elastic_centre(const ElasticSet* set, int body, Vec3d* out_velocity)
{
    const Body* b = &set->body[body];
    Vec3d centre = {0, 0, 0}, velocity = {0, 0, 0};
    for (size_t k = 0; k < b->point_count; k++) {
        centre = vec3d_mad(centre, b->mass[k], b->position[k]);
        velocity = vec3d_mad(velocity, b->mass[k], b->velocity[k]);
    }
    double mass = elastic_mass(set, body);
    *out_velocity = vec3d_scale(velocity, 1 / mass);
    return vec3d_scale(centre, 1 / mass);
}

// --- stepping

// [s] About the time of a fall by the length that matters: what is put right within it is not seen. Without weight, some steps.
static double recover_time(const ElasticSet* set, double dt)
{
    double g = vec3d_length(set->gravity);
    return g > 0 ? 0.6 * sqrt(set->length / g) : 20 * dt;
}

static bool is_finite(const Body* body)
{
    for (size_t k = 0; k < body->point_count; k++)
        if (!vec3d_finite(body->position[k]) || !vec3d_finite(body->velocity[k]))
            return false;
    return true;
}

void elastic_carry(ElasticSet* set, int body, const double* carried)
{
    set->body[body].carried = carried;
}

bool elastic_prepare_mobility(ElasticSet* set, int body)
{
    Body* b = &set->body[body];
    return b->tet_count == 0 || !b->model->prepare_mobility || b->model->prepare_mobility(set, b);
}

void elastic_forget_mobility(ElasticSet* set, int body)
{
    Body* b = &set->body[body];
    if (b->model->forget_mobility)
        b->model->forget_mobility(set, b);
}

double elastic_density(const ElasticSet* set, int body)
{
    return set->body[body].def.density;
}

bool elastic_has_mobility(const ElasticSet* set, int body)
{
    const Body* b = &set->body[body];
    return b->tet_count > 0 && (!b->model->has_mobility || b->model->has_mobility(b));
}

// Values of points at the vertices embedded in them.
static void gather(const Body* body, const Vec3d* point, Vec3d* vertex)
{
    for (size_t k = 0; k < body->vertex_count; k++) {
        Vec3d a = body->embedding ? vec3d(0, 0, 0) : point[k];
        for (int c = 0; body->embedding && c < 4; c++)
            a = vec3d_mad(a, body->embedding[k].weight[c], point[body->embedding[k].point[c]]);
        vertex[k] = a;
    }
}

void elastic_predict(ElasticSet* set, int body, double dt, const Vec3d* force, Vec3d* velocity)
{
    Body* b = &set->body[body];
    load_take(b, force, dt); // free between steps
    b->model->predict(set, b, dt, b->load);
    gather(b, b->load, velocity);
}

void elastic_mobility(ElasticSet* set, int body, Vec3d* vertex)
{
    Body* b = &set->body[body];
    load_spread(b, vertex, b->load);
    b->model->mobility(set, b, b->load);
    gather(b, b->load, vertex);
}

// --- bodies that a grid carries

bool elastic_immerse(ElasticSet* set, int body, double spacing)
{
    set->is_immersed = true;
    set->spacing = spacing;
    return set->body[body].model->immerse(set, &set->body[body], spacing, elastic_mass(set, body));
}

bool elastic_is_immersed(const ElasticSet* set)
{
    return set->is_immersed;
}

SolidInside elastic_inside(const ElasticSet* set, int body)
{
    return set->body[body].model->inside(&set->body[body]);
}

bool elastic_predict_inside(ElasticSet* set, double dt)
{
    set->recover = recover_time(set, dt);
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        load_take(body, body->force, dt);
        if (!body->model->predict_inside(set, body, dt)) {
            snprintf(set->message, sizeof set->message, "no memory for the step of elastic solids");
            set->no_memory = true;
            return false;
        }
    }
    return true;
}

// What vertices carry becomes inertia of points, without weight.
static void load_inertia(const ElasticSet* set, Body* body)
{
    memcpy(body->inertia, body->mass, body->point_count * sizeof *body->mass);
    for (size_t v = 0; v < body->vertex_count; v++)
        for (int c = 0; c < (body->embedding ? 4 : 1); c++) {
            size_t p = body->embedding ? body->embedding[v].point[c] : v;
            // a vertex outside of its tetrahedron has negative weights, a point cannot have negative inertia
            double carried = body->carried[v] * (body->embedding ? fmax(0, body->embedding[v].weight[c]) : 1);
            body->inertia[p] += carried;
            body->load[p] = vec3d_mad(body->load[p], -carried, set->gravity);
        }
}

// Called again it takes inertia back.
static void swap_inertia(Body* body)
{
    double* mass = body->mass;
    body->mass = body->inertia;
    body->inertia = mass;
}

static void take_loads(const ElasticSet* set, Body* body, double dt)
{
    load_take(body, body->force, dt);
    memset(body->force, 0, body->vertex_count * sizeof(Vec3d));
    if (body->carried) {
        load_inertia(set, body);
        swap_inertia(body);
    }
}

// Bodies that cannot dent where they are touched stop others with more than the mass of a point. Called again it takes that back.
static void swap_contact_masses(ElasticSet* set)
{
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        double* mass = body->mass;
        if (!body->contact_mass)
            continue;
        body->mass = body->contact_mass;
        body->contact_mass = mass;
    }
}

static bool is_tied(const Body* body)
{
    for (size_t k = 0; k < body->pins.count; k++)
        if (body->pins.pin[k].holds && body->pins.pin[k].carrier >= 0)
            return true;
    return false;
}

// Bodies that may meet each other step together, if their model can.
static bool goes_along(const Body* body, Body* const* group, size_t count)
{
    const Body* first = group[0];
    if (!first->def.contact || !body->def.contact || body->model != first->model || !first->model->step_together ||
        is_tied(first) || is_tied(body))
        return false;
    for (size_t k = 0; k < count; k++)
        if (!deformables_apart(body, group[k]))
            return true;
    return false;
}

// The bodies that go along with the first one, or with one of those that do.
static size_t find_group(ElasticSet* set, size_t first, bool* done, Body** group)
{
    size_t count = 1, before = 0;
    group[0] = &set->body[first];
    done[first] = true;
    while (before != count) {
        before = count;
        for (size_t k = first + 1; k < set->body_count; k++)
            if (!done[k] && goes_along(&set->body[k], group, count)) {
                group[count++] = &set->body[k];
                done[k] = true;
            }
    }
    return count;
}

static bool step_groups(ElasticSet* set, double dt)
{
    Body** group = memory_take(NULL, (set->body_count + 1) * sizeof(Body*));
    bool* done = memory_take(NULL, set->body_count + 1);
    bool ok = group && done;
    if (ok)
        memset(done, 0, set->body_count);
    for (size_t k = 0; k < set->body_count && ok; k++) {
        if (done[k])
            continue;
        size_t count = find_group(set, k, done, group);
        ok = count > 1 ? group[0]->model->step_together(set, group, count, dt) : group[0]->model->step(set, group[0], dt);
    }
    memory_give(NULL, group);
    memory_give(NULL, done);
    return ok;
}

static bool step_bodies(ElasticSet* set, double dt)
{
    bool apart = set->is_immersed; // the grid keeps them so
    bool ok = apart || deformables_begin(set, dt);
    for (size_t k = 0; k < set->body_count; k++)
        take_loads(set, &set->body[k], dt);
    ok = ok && step_groups(set, dt);
    for (size_t k = 0; k < set->body_count; k++)
        if (set->body[k].carried)
            swap_inertia(&set->body[k]);
    if (apart)
        return ok;
    swap_contact_masses(set);
    ok = ok && deformables_resolve(set, dt);
    swap_contact_masses(set);
    return ok;
}

// What moved as told is now where it was told to be.
static void end_motion(ElasticSet* set)
{
    for (size_t k = 0; k < set->obstacle_count; k++) {
        set->obstacle[k].seen = set->obstacle[k].from;
        set->obstacle[k].from = set->obstacle[k].to;
    }
    for (size_t k = 0; k < set->body_count; k++)
        for (size_t p = 0; p < set->body[k].pins.count; p++)
            set->body[k].pins.pin[p].from = set->body[k].pins.pin[p].to;
}

bool elastic_step(ElasticSet* set, double dt)
{
    set->recover = recover_time(set, dt);
    set->stepped = dt;
    if (!step_bodies(set, dt)) {
        snprintf(set->message, sizeof set->message, "no memory for the step of elastic solids");
        set->no_memory = true;
        return false;
    }
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        if (!is_finite(body)) {
            snprintf(set->message, sizeof set->message, "positions of elastic body %zu are not finite", k + 1);
            return false;
        }
        if (body->paths.jumped && body->model->met)
            body->model->met(set, body);
        else if (body->paths.jumped && body->model->velocity_jump)
            body->model->velocity_jump(body);
        body_follow(body);
    }
    end_motion(set);
    return true;
}

double elastic_longest_step(const ElasticSet* set, int body)
{
    const Body* b = &set->body[body];
    return b->model->longest ? b->model->longest(b) : (double)INFINITY;
}

double elastic_bulk_modulus(const ElasticSet* set, int body)
{
    const Body* b = &set->body[body];
    return b->tet_count > 0 ? b->def.young / (3 * (1 - 2 * b->def.poisson)) : (double)INFINITY;
}

double elastic_carrying_step(const ElasticSet* set, int body, bool now)
{
    const Body* b = &set->body[body];
    bool any = b->carried && !now;
    for (size_t v = 0; b->carried && v < b->vertex_count && !any; v++)
        any = b->carried[v] > 0;
    return any ? b->crossing : (double)INFINITY;
}

ElasticTotals elastic_totals(const ElasticSet* set)
{
    ElasticTotals t = {0};
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* b = &set->body[k];
        for (size_t i = 0; i < b->point_count; i++) {
            double m = b->mass[i];
            t.kinetic += 0.5 * m * vec3d_dot(b->velocity[i], b->velocity[i]);
            t.gravitational -= m * vec3d_dot(set->gravity, b->position[i]);
            t.momentum = vec3d_mad(t.momentum, m, b->velocity[i]);
            t.angular_momentum = vec3d_mad(t.angular_momentum, m, vec3d_cross(b->position[i], b->velocity[i]));
        }
        t.strain += b->model->strain_energy(b);
    }
    return t;
}

// --- state

static size_t body_bytes(const Body* body)
{
    size_t points = body->point_count * (3 * sizeof(Vec3d) + sizeof(int32_t));
    return points + body->pins.count * sizeof(Pin) + (body->model->state_bytes ? body->model->state_bytes(body) : 0);
}

size_t elastic_state_bytes(const ElasticSet* set)
{
    size_t bytes = 0;
    for (size_t k = 0; k < set->body_count; k++)
        bytes += topology_bytes(&set->body[k]) + body_bytes(&set->body[k]);
    return bytes;
}

static char* put(char* to, const void* from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
    return to + bytes;
}

static const char* get(const char* from, void* to, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
    return from + bytes;
}

void elastic_save(const ElasticSet* set, void* bytes)
{
    char* at = bytes;
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* b = &set->body[k];
        at = topology_save(b, at);
        at = put(at, b->position, b->point_count * sizeof(Vec3d));
        at = put(at, b->velocity, b->point_count * sizeof(Vec3d));
        at = put(at, b->pins.place, b->point_count * sizeof(Vec3d));
        at = put(at, b->pins.pin, b->pins.count * sizeof(Pin));
        at = put(at, b->pins.of, b->point_count * sizeof(int32_t));
        if (b->model->state_bytes) {
            b->model->save(b, at);
            at += b->model->state_bytes(b);
        }
    }
}

// What is saved of points; they are there.
static const char* load_points(Body* b, const char* at)
{
    at = get(at, b->position, b->point_count * sizeof(Vec3d));
    at = get(at, b->velocity, b->point_count * sizeof(Vec3d));
    at = get(at, b->pins.place, b->point_count * sizeof(Vec3d));
    at = get(at, b->pins.pin, b->pins.count * sizeof(Pin));
    at = get(at, b->pins.of, b->point_count * sizeof(int32_t));
    if (b->model->state_bytes) {
        b->model->load(b, at);
        at += b->model->state_bytes(b);
    }
    return at;
}

static bool is_sound(const ElasticSet* set, const Body* b)
{
    bool ok = is_finite(b);
    for (size_t i = 0; i < b->point_count; i++)
        ok = ok && b->pins.of[i] >= -1 && b->pins.of[i] < (int32_t)b->pins.count;
    for (size_t i = 0; i < b->pins.count; i++)
        ok = ok && b->pins.pin[i].carrier >= -1 && b->pins.pin[i].carrier < (int64_t)set->carrier_count;
    return ok;
}

bool elastic_load(ElasticSet* set, const void* bytes, size_t count)
{
    const char* at = bytes;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* b = &set->body[k];
        at = topology_load(set, b, at, &count);
        if (!at || count < body_bytes(b))
            return false;
        count -= body_bytes(b);
        at = load_points(b, at);
        if (!is_sound(set, b))
            return false;
        body_follow(b);
    }
    return count == 0;
}
