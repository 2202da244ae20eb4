// SPDX-License-Identifier: MIT
// Volumes that deform. Their surface at the end of the step is that of now, taken along by its velocity and what pressure does to
// it. To the fluid it is a wall with a known velocity (eq. 21), but one that gives way: a contact of a particle of mass m with
// vertices of weights w, which n_v contacts share, has
//   J = (v_wanted - v*) / (1/m + sum_v w_v n_v / m_v)
// so that light vertices with many contacts get no more than they need; -w_v J acts on the vertices in their own step. They come
// after conditions at other solids, whose contacts are not looked at again. Sheets need none of this: their particles lie on them
// and not behind them, and keep fluid two radii away.
#include "coupling/direct.h"

#include <string.h>

// The skin of a volume, or -1.
static int skin_of(const Boundary* boundary, uint32_t solid)
{
    for (size_t k = 0; k < boundary->skin_count; k++)
        if (boundary->skin[k].solid == solid && boundary->skin[k].inset)
            return (int)k;
    return -1;
}

static void soft_free(Direct* d, DirectSoft* s)
{
    inside_destroy(s->shape.test);
    memory_give(d->memory, s->shape.mesh.vertex);
    memory_give(d->memory, s->velocity);
    memory_give(d->memory, s->impulse);
    memory_give(d->memory, s->contacts);
    *s = (DirectSoft){.solid = s->solid, .skin = s->skin};
}

void direct_soft_destroy(Direct* d)
{
    for (size_t k = 0; k < d->soft_count; k++)
        soft_free(d, &d->soft[k]);
    memory_give(d->memory, d->soft);
    for (int b = 0; b < DIRECT_BLOCKS; b++)
        memory_give(d->memory, d->block[b].soft);
}

// Its surface has these triangles from now on. The tree is that of the surface as it was built, so that it is the same after a
// load.
static bool soft_build(Direct* d, DirectSoft* s)
{
    const Solid* solid = &d->solid[s->solid];
    SolidSurface surface = solid->kind->surface(solid);
    soft_free(d, s);
    size_t n = surface.vertex_count;
    s->revision = surface.revision;
    s->shape = *solid;
    s->shape.shape.type = MN_SHAPE_MESH;
    s->shape.test = NULL;
    s->shape.mesh = (TriMesh){.vertex_count = n,
                              .triangle_count = surface.triangle_count,
                              .vertex = memory_take(d->memory, (n + 1) * sizeof(Vec3d)),
                              .triangle = (uint32_t(*)[3])surface.triangle};
    s->velocity = memory_take(d->memory, (n + 1) * sizeof *s->velocity);
    s->impulse = memory_take(d->memory, (n + 1) * sizeof *s->impulse);
    s->contacts = memory_take(d->memory, (n + 1) * sizeof *s->contacts);
    if (!s->shape.mesh.vertex || !s->velocity || !s->impulse || !s->contacts)
        return false;
    memcpy(s->shape.mesh.vertex, surface.rest ? surface.rest : surface.position, n * sizeof(Vec3d));
    s->shape.test = inside_create(&s->shape.mesh, d->memory);
    s->shape.pose = (mn_Pose){{0, 0, 0}, {1, 0, 0, 0}};
    d->at[s->solid].touch = (TouchSolid){.solid = &s->shape, .sort = TOUCH_BODY, .was = s->shape.pose};
    touch_place(&d->at[s->solid].touch, s->shape.pose, true);
    d->at[s->solid].moves = true;
    return s->shape.test != NULL;
}

bool direct_soft_create(Direct* d)
{
    d->soft = memory_take(d->memory, (d->solid_count + 1) * sizeof *d->soft);
    if (!d->soft)
        return false;
    for (uint32_t k = 0; k < d->solid_count && d->sph->kernel.dimension == 3; k++) {
        int skin = d->solid[k].kind->deforms && d->solid[k].closed ? skin_of(d->boundary, k) : -1;
        if (skin < 0)
            continue;
        d->at[k].soft = (int32_t)d->soft_count;
        d->soft[d->soft_count] = (DirectSoft){.solid = k, .skin = (size_t)skin};
        if (!soft_build(d, &d->soft[d->soft_count++]))
            return false;
    }
    return true;
}

static void follow(DirectSoft* s)
{
    inside_follow(s->shape.test, &s->shape.mesh, SIZE_MAX, NULL);
    solid_find_bounds(&s->shape);
}

// Where surfaces would be at the end of the step, and how fast.
static bool place(Direct* d, double dt)
{
    const VertexResponse* r = &d->base->skins.response;
    for (size_t k = 0; k < d->soft_count; k++) {
        DirectSoft* s = &d->soft[k];
        const Solid* solid = &d->solid[s->solid];
        SolidSurface surface = solid->kind->surface(solid);
        if (surface.revision != s->revision && !soft_build(d, s))
            return false;
        const Vec3d* gain = r->gain + r->node_first[s->skin];
        for (size_t v = 0; v < surface.vertex_count; v++) {
            s->velocity[v] = vec3d_add(surface.velocity[v], gain[v]);
            s->shape.mesh.vertex[v] = vec3d_mad(surface.position[v], dt, s->velocity[v]);
            s->impulse[v] = vec3d(0, 0, 0);
            s->contacts[v] = 0;
        }
        follow(s);
    }
    return true;
}

void direct_soft_part(Direct* d)
{
    for (size_t k = 0; k < d->soft_count; k++) {
        DirectSoft* s = &d->soft[k];
        const Solid* solid = &d->solid[s->solid];
        memcpy(s->shape.mesh.vertex, solid->kind->surface(solid).position, s->shape.mesh.vertex_count * sizeof(Vec3d));
        follow(s);
    }
}

// --- contacts

static void weights_of(const DirectSoft* s, uint32_t face, Vec3d p, double weight[3])
{
    const uint32_t* t = s->shape.mesh.triangle[face];
    const Vec3d* x = s->shape.mesh.vertex;
    Vec3d a = vec3d_sub(x[t[1]], x[t[0]]), b = vec3d_sub(x[t[2]], x[t[0]]), q = vec3d_sub(p, x[t[0]]), n = vec3d_cross(a, b);
    double square = fmax(vec3d_dot(n, n), 1e-300);
    weight[1] = fmin(fmax(vec3d_dot(vec3d_cross(q, b), n) / square, 0), 1);
    weight[2] = fmin(fmax(vec3d_dot(vec3d_cross(a, q), n) / square, 0), 1 - weight[1]);
    weight[0] = 1 - weight[1] - weight[2];
}

bool direct_soft_touch(Direct* d, DirectBlock* block, uint32_t solid, uint32_t particle, double dt)
{
    const Fluid* fluid = &d->sph->fluid;
    Vec4 x = fluid->position[particle], u = fluid->velocity[particle];
    Vec3d from = {(double)x.x, (double)x.y, (double)x.z}, v = {(double)u.x, (double)u.y, (double)u.z};
    Touch touch;
    Vec3d to = vec3d_mad(from, dt, v);
    if (!touch_find(&d->at[solid].touch, &from, &to, direct_distance(d), &touch))
        return true;
    if (!memory_reserve(d->memory, &block->soft, &block->soft_capacity, block->soft_count, block->soft_count + 1,
                        sizeof *block->soft))
        return false;
    SoftContact* c = &block->soft[block->soft_count++];
    *c = (SoftContact){.soft = (uint32_t)d->at[solid].soft, .particle = particle, .face = touch.face, .normal = touch.normal};
    weights_of(&d->soft[c->soft], touch.face, touch.point, c->weight);
    return true;
}

// --- what they do

static void count_contact(Direct* d, const SoftContact* c)
{
    const uint32_t* t = d->soft[c->soft].shape.mesh.triangle[c->face];
    for (int k = 0; k < 3; k++)
        d->soft[c->soft].contacts[t[k]] += c->weight[k];
}

static void respond(Direct* d, const SoftContact* c, double dt)
{
    DirectSoft* s = &d->soft[c->soft];
    const VertexResponse* r = &d->base->skins.response;
    const double* inverse = r->inverse_mass + r->node_first[s->skin];
    const uint32_t* t = s->shape.mesh.triangle[c->face];
    Vec4* u = &d->sph->fluid.velocity[c->particle];
    Vec4 old = d->sph->fluid.before[c->particle];
    Vec3d surface = {0, 0, 0}, v = {(double)u->x, (double)u->y, (double)u->z};
    double mass = (double)(d->sph->mass_volume * d->sph->material[(int)u->w].density), mobility = 0;
    for (int k = 0; k < 3; k++) {
        surface = vec3d_mad(surface, c->weight[k], s->velocity[t[k]]);
        mobility += c->weight[k] * s->contacts[t[k]] * inverse[t[k]];
    }
    const Solid* solid = &d->solid[s->solid];
    Vec3d relative = vec3d_sub(v, surface);
    ForcingTouch touch = {.body = -1,
                          .normal = c->normal,
                          .slip = direct_slip(d, solid->slip, relative, c->normal, dt),
                          .restitution = solid->fluid_restitution,
                          .before = surface,
                          .after = surface,
                          .drift = surface};
    Vec3d before = vec3d((double)old.x, (double)old.y, (double)old.z), wanted = forcing_at_wall(&before, &v, &touch);
    Vec3d kept = direct_keep_velocity(u, vec3d_mad(v, 1 / (1 + mass * mobility), vec3d_sub(wanted, v)));
    for (int k = 0; k < 3; k++)
        s->impulse[t[k]] = vec3d_mad(s->impulse[t[k]], -c->weight[k] * mass, vec3d_sub(kept, v));
}

bool direct_soft_constrain(Direct* d, double dt)
{
    if (d->soft_count == 0)
        return true;
    if (!place(d, dt) || !direct_soft_look(d, dt))
        return false;
    for (int b = 0; b < DIRECT_BLOCKS; b++)
        for (size_t k = 0; k < d->block[b].soft_count; k++)
            count_contact(d, &d->block[b].soft[k]);
    d->soft_contacts = 0;
    for (int b = 0; b < DIRECT_BLOCKS; b++) {
        for (size_t k = 0; k < d->block[b].soft_count; k++)
            respond(d, &d->block[b].soft[k], dt);
        d->soft_contacts += d->block[b].soft_count;
    }
    return true;
}

void direct_soft_finish(Direct* d, double dt)
{
    for (size_t k = 0; k < d->soft_count; k++) {
        DirectSoft* s = &d->soft[k];
        Solid* solid = &d->solid[s->solid];
        SolidSurface surface = solid->kind->surface(solid);
        Vec3d* fluid = d->base->skins.fluid + d->base->skins.response.node_first[s->skin];
        for (size_t v = 0; v < surface.vertex_count; v++) {
            Vec3d force = vec3d_scale(s->impulse[v], 1 / dt), arm = vec3d_sub(surface.position[v], solid->pose.position);
            surface.force[v] = vec3d_add(surface.force[v], force);
            fluid[v] = vec3d_add(fluid[v], force);
            solid->force = vec3d_add(solid->force, force);
            solid->torque = vec3d_add(solid->torque, vec3d_cross(arm, force));
        }
    }
}
