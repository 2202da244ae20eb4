// SPDX-License-Identifier: MIT
// The coupling of Müller 2004: fluid particles feel solids by a traction between them and points of a Gauss rule on the surface,
// nothing else. Boundary particles still say who is near a solid, for the guard of sides, but have no volume, so that densities and
// pressures do not know of them.
// Deviations: rest distances are measured from a plane (traction.h); reactions are the plain barycentric shares of the forces,
// which is exact, unless the scene asks for eqs. 20 and 21.
#include "coupling/gauss.h"
#include "base/clock.h"
#include "coupling/coupling.h"
#include "coupling/gauss_forces.h"
#include "fluid/viscosity/viscosity.h"

#include <math.h>
#include <string.h>

// A step may be this share of the time in which a particle and a solid that push each other turn back.
static const double STEP_SHARE = 0.5;
// [radii] Particles at a wall lack its part of their density and come closer to each other; from this distance on the level of
// water is right all the same (docs/theory/gauss.md).
static const double REST = 1.6;
// The traction of a plane holds so many times what the scene's fluid can weigh on a particle.
static const double SAFETY = 4;

typedef struct Gauss {
    Memory* memory;
    Solid* solid;
    size_t solid_count;
    GaussSurfaces surfaces;
    GaussForces forces;
    CouplingDef def;
    bool is_ready;         // the traction is known
    bool is_placed;        // patches and pairs are those of the step to come
    Vec3d *force, *torque; // [N], [N m] (solids) by the fluid; torque about `centre`
    Vec3d* centre;         // [m] (solids)
    double *wet, *area;    // [m2] (2D: [m]) (solids) of patches that touch fluid, and of all
    Vec3d** vertex_force;  // [N] (solids) (vertices) of those that deform; else NULL
    size_t* vertex_capacity;
    double slope;        // [N/m] of the traction
    double longest_step; // [s]
    double seconds;      // see GaussSize
} Gauss;

static void gauss_destroy(void* coupling)
{
    Gauss* c = coupling;
    gauss_surfaces_destroy(&c->surfaces);
    gauss_forces_free(&c->forces);
    for (size_t k = 0; c->vertex_force && k < c->solid_count; k++)
        memory_give(c->memory, c->vertex_force[k]);
    void* arrays[] = {c->force, c->torque, c->centre, c->wet, c->area, c->vertex_force, c->vertex_capacity};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(c->memory, arrays[k]);
    memory_give(c->memory, c);
}

static bool reserve_solids(Gauss* c)
{
    size_t n = c->solid_count + 1;
    c->force = memory_take(c->memory, n * sizeof *c->force);
    c->torque = memory_take(c->memory, n * sizeof *c->torque);
    c->centre = memory_take(c->memory, n * sizeof *c->centre);
    c->wet = memory_take(c->memory, n * sizeof *c->wet);
    c->area = memory_take(c->memory, n * sizeof *c->area);
    c->vertex_force = memory_take(c->memory, n * sizeof *c->vertex_force);
    c->vertex_capacity = memory_take(c->memory, n * sizeof *c->vertex_capacity);
    if (!c->force || !c->torque || !c->centre || !c->wet || !c->area || !c->vertex_force || !c->vertex_capacity)
        return false;
    memset(c->vertex_force, 0, n * sizeof *c->vertex_force);
    memset(c->vertex_capacity, 0, n * sizeof *c->vertex_capacity);
    return true;
}

static void* gauss_create(const CouplingDef* def)
{
    Gauss* c = memory_take(def->memory, sizeof *c);
    if (!c)
        return NULL;
    *c =
        (Gauss){.memory = def->memory, .solid = def->solid, .solid_count = def->solid_count, .def = *def, .longest_step = INFINITY};
    double h = (double)def->sph->kernel.h;
    if (!reserve_solids(c) || !gauss_surfaces_create(&c->surfaces, def->memory, def->solid, def->solid_count,
                                                     def->sph->kernel.dimension, def->settings.gauss_spacing * h)) {
        gauss_destroy(c);
        return NULL;
    }
    return c;
}

// --- the law between fluid and solids

static double rest_distance(const mn_CouplingDef* settings, double radius)
{
    return settings->rest_distance > 0 ? settings->rest_distance : REST * radius;
}

static double heaviest(const Sph* sph)
{
    double density = 0;
    for (int k = 0; k < sph->material_count; k++)
        density = fmax(density, sph->material[k].unused ? 0 : (double)sph->material[k].density);
    return density;
}

// [Pa] so that a plane can hold a particle against SAFETY times the pressure of the fluid when it has fallen through the scene.
static double stiffness_of_scene(const Gauss* c, double h, double rest, double spacing)
{
    const Sph* sph = c->def.sph;
    int dimension = sph->kernel.dimension;
    double speed = *c->def.expected_speed, pressure = 0.5 * heaviest(sph) * speed * speed;
    Traction one = traction_make(dimension, h, 1, rest, spacing, c->def.settings.adhesion);
    double k = SAFETY * pressure * pow(spacing, dimension - 1) / traction_peak(&one);
    return k > 0 ? k : 1;
}

// Physical viscosity where a fluid has one; artificial viscosity alpha stands for a kinematic one of alpha c h / (2 (d + 2)).
static void find_viscosities(Gauss* c)
{
    const Sph* sph = c->def.sph;
    double h = (double)sph->kernel.h, own = c->def.settings.boundary_viscosity;
    for (int k = 0; k < FLUIDS_MOST; k++) {
        const FluidMaterial* m = &sph->material[k];
        double mu = 0;
        if (k < sph->material_count && viscosity_is_physical(m->viscosity_method))
            mu = (double)m->viscosity;
        else if (k < sph->material_count && m->viscosity_method == MN_VISCOSITY_ARTIFICIAL)
            mu = (double)(m->density * sph->walls.most_friction) * sph->solver.speed_of_sound * h /
                 (2 * (sph->kernel.dimension + 2));
        c->forces.viscosity[k] = (float)(own >= 0 ? own : mu);
    }
}

static void get_ready(Gauss* c)
{
    Sph* sph = c->def.sph;
    const mn_CouplingDef* s = &c->def.settings;
    double h = (double)sph->kernel.h, spacing = 2 * sph->radius, rest = rest_distance(s, sph->radius);
    double k = s->stiffness > 0 ? s->stiffness : stiffness_of_scene(c, h, rest, spacing);
    c->forces = (GaussForces){.sph = sph,
                              .memory = c->memory,
                              .surfaces = &c->surfaces,
                              .traction = traction_make(sph->kernel.dimension, h, k, rest, spacing, s->adhesion),
                              .amplified = s->reaction == MN_REACTION_AMPLIFIED};
    c->slope = traction_stiffness(&c->forces.traction);
    find_viscosities(c);
    c->is_ready = true;
}

// --- a try at a step

static void gauss_place(void* coupling)
{
    ((Gauss*)coupling)->is_placed = false; // particles are sorted after this
}

static bool reserve_loads(Gauss* c)
{
    for (size_t k = 0; k < c->solid_count; k++) {
        const Solid* s = &c->solid[k];
        if (s->kind->deforms && !memory_reserve(c->memory, &c->vertex_force[k], &c->vertex_capacity[k], 0,
                                                s->kind->surface(s).vertex_count, sizeof **c->vertex_force))
            return false;
    }
    return true;
}

static void gauss_begin(void* coupling, double dt)
{
    Gauss* c = coupling;
    if (!c->is_ready)
        get_ready(c);
}

static void add_to_vertices(Gauss* c, size_t solid, const uint32_t vertex[3], const GaussPatch* p, const PatchLoad* load)
{
    static const double second[] = {0, 1, 0}, third[] = {0, 0, 1};
    for (int n = 0; n < 3; n++) {
        double w[3];
        gauss_vertex_weights(p, second[n], third[n], w);
        for (int k = 0; k < 3; k++) {
            Vec3d* f = &c->vertex_force[solid][vertex[k]];
            *f = vec3d_mad(*f, w[k], load->corner[n]);
        }
    }
}

static Vec3d widened(Vec3 v)
{
    return vec3d((double)v.x, (double)v.y, (double)v.z);
}

// Sums the loads of a solid's patches, in their order.
static void sum_solid(Gauss* c, size_t k)
{
    const Solid* s = &c->solid[k];
    bool deforms = s->kind->deforms;
    SolidSurface surface = deforms ? s->kind->surface(s) : (SolidSurface){0};
    Vec3d centre = solid_is_body(s) ? s->kind->body(s).centre : s->pose.position, force = {0}, torque = {0};
    double wet = 0, area = 0;
    if (deforms)
        memset(c->vertex_force[k], 0, surface.vertex_count * sizeof **c->vertex_force);
    const GaussSurfaces* surfaces = &c->surfaces;
    for (size_t group = surfaces->group_of[k]; group < surfaces->group_of[k + 1]; group++)
        for (size_t i = surfaces->group[group]; c->forces.near.runs[group] > 0 && i < surfaces->group[group + 1]; i++) {
            const GaussPatch* p = &surfaces->patch[i];
            const PatchLoad* load = &c->forces.load[i];
            if (!load->is_wet)
                continue;
            Vec3d arm = vec3d_sub(widened(p->at), centre);
            const Vec3d at[] = {arm, vec3d_add(arm, widened(p->second)), vec3d_add(arm, widened(p->third))};
            for (int n = 0; n < 3; n++) {
                force = vec3d_add(force, load->corner[n]);
                torque = vec3d_add(torque, vec3d_cross(at[n], load->corner[n]));
            }
            wet += (double)p->size;
            if (deforms)
                add_to_vertices(c, k, surface.triangle[p->face], p, load);
        }
    for (size_t i = surfaces->first[k]; deforms && i < surfaces->first[k + 1]; i++)
        area += (double)surfaces->patch[i].size;
    c->centre[k] = centre;
    c->force[k] = force;
    c->torque[k] = torque;
    c->wet[k] = wet;
    c->area[k] = area;
}

static void sum_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t k = begin; k < end; k++)
        sum_solid(context, k);
}

// A particle and a solid that push each other turn with omega^2 = K (1/m + 1/M). A layer of particles covers the wet surface, one
// per spacing squared: a body feels all of them at once, a surface that deforms those on each part of its mass.
static double step_of_solid(const Gauss* c, size_t k)
{
    const Solid* s = &c->solid[k];
    const Sph* sph = c->def.sph;
    double inverse = 1 / ((double)sph->mass_volume * heaviest(sph)), share = pow(2 * sph->radius, sph->kernel.dimension - 1);
    if (c->wet[k] > 0 && solid_is_body(s))
        inverse += fmax(c->wet[k] / share, 1) * s->kind->body(s).inverse_mass;
    else if (c->wet[k] > 0 && s->kind->deforms)
        inverse += c->area[k] / (share * s->kind->bulk(s).mass);
    return STEP_SHARE / sqrt(c->slope * inverse);
}

static bool gauss_forces(void* coupling, double dt)
{
    Gauss* c = coupling;
    Sph* sph = c->def.sph;
    double start = clock_seconds();
    if (!c->is_placed) {
        if (!gauss_surfaces_place(&c->surfaces, sph->pool) || !reserve_loads(c) || !gauss_forces_place(&c->forces))
            return false;
        c->is_placed = true;
    }
    gauss_forces_act(&c->forces);
    parallel_for(sph->pool, c->solid_count, 1, sum_block, c);
    c->longest_step = INFINITY;
    for (size_t k = 0; k < c->solid_count; k++)
        c->longest_step = fmin(c->longest_step, step_of_solid(c, k));
    c->seconds += clock_seconds() - start;
    return true;
}

GaussSize gauss_size(const void* coupling)
{
    const Gauss* c = coupling;
    GaussSize size = {.seconds = c->seconds};
    size.points = c->surfaces.count * (size_t)(c->surfaces.dimension == 2 ? gauss_segment.count : gauss_triangle.count);
    for (size_t group = 0; c->is_ready && group < c->surfaces.group_count; group++)
        for (size_t k = c->surfaces.group[group]; c->forces.near.runs[group] > 0 && k < c->surfaces.group[group + 1]; k++)
            size.patches += c->forces.load[k].is_wet;
    return size;
}

static void gauss_settle(void* coupling, double dt)
{
}

static double gauss_speed(const void* coupling, double path)
{
    const Gauss* c = coupling;
    double most = 0;
    for (size_t k = 0; k < c->solid_count; k++) {
        const Solid* s = &c->solid[k];
        if (!s->kind->deforms)
            continue;
        SolidSurface surface = s->kind->surface(s);
        for (size_t v = 0; v < surface.vertex_count; v++)
            most = fmax(most, vec3d_dot(surface.velocity[v], surface.velocity[v]));
    }
    return sqrt(most);
}

static double gauss_speed_after(const void* coupling, double path, double dt)
{
    return gauss_speed(coupling, path);
}

// --- the step is accepted

static bool gauss_finish(void* coupling, double dt)
{
    Gauss* c = coupling;
    for (size_t k = 0; k < c->solid_count; k++) {
        Solid* s = &c->solid[k];
        s->force = c->force[k];
        s->torque = vec3d_add(c->torque[k], vec3d_cross(vec3d_sub(c->centre[k], s->pose.position), c->force[k]));
        if (solid_is_body(s))
            s->kind->set_load(s, c->force[k], c->torque[k]);
        if (!s->kind->deforms)
            continue;
        SolidSurface surface = s->kind->surface(s);
        for (size_t v = 0; v < surface.vertex_count; v++)
            surface.force[v] = vec3d_add(surface.force[v], c->vertex_force[k][v]);
    }
    return true;
}

static void gauss_before_solids(void* coupling)
{
}

static void gauss_after_solids(void* coupling, double dt, double usual)
{
}

static double gauss_longest_step(const void* coupling)
{
    return ((const Gauss*)coupling)->longest_step;
}

static bool gauss_register_state(void* coupling, Register* reg)
{
    Gauss* c = coupling;
    StateArray step = {.name = "gauss.longest_step",
                       .type = STATE_DOUBLE,
                       .size = sizeof(double),
                       .data = &c->longest_step,
                       .per = PER_WORLD,
                       .is_value = true,
                       .in_try = true};
    return register_array(reg, &step);
}

// Densities and pressures do not know of solids.
static BoundaryVolumes gauss_volumes(const mn_WorldDef* def)
{
    return VOLUMES_NONE;
}

// Fluid that starts nearer is thrown: a layer that starts a radius from walls gets up to half the energy of a fall through the
// scene.
static double gauss_distance(const mn_WorldDef* def)
{
    return rest_distance(&def->coupling, def->particle_radius);
}

const CouplingMethod coupling_gauss = {.name = "gauss",
                                       .type = MN_COUPLING_GAUSS,
                                       .throws_light = true,
                                       .volumes = gauss_volumes,
                                       .distance = gauss_distance,
                                       .create = gauss_create,
                                       .destroy = gauss_destroy,
                                       .place = gauss_place,
                                       .begin = gauss_begin,
                                       .forces = gauss_forces,
                                       .settle = gauss_settle,
                                       .speed = gauss_speed,
                                       .speed_after = gauss_speed_after,
                                       .longest_step = gauss_longest_step,
                                       .finish = gauss_finish,
                                       .before_solids = gauss_before_solids,
                                       .after_solids = gauss_after_solids,
                                       .register_state = gauss_register_state};
