// SPDX-License-Identifier: MIT
// The coupling of Müller 2004: fluid particles feel solids by a traction between them and points of a Gauss rule on the surface,
// nothing else. Boundary particles still say who is near a solid, for the guard of sides, but have no volume, so that densities and
// pressures do not know of them.
// Deviations: rest distances are measured from a plane (traction.h); reactions are the plain barycentric shares of the forces,
// which is exact, unless the scene asks for eqs. 20 and 21.
#include "coupling/coupling.h"
#include "coupling/gauss_forces.h"
#include "fluid/viscosity/viscosity.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 64 };

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
    GaussPairs pairs;
    GaussForces forces;
    CouplingDef def;
    bool is_ready;   // the traction is known
    bool is_placed;  // patches and pairs are those of the step to come
    PatchLoad* load; // (patches)
    size_t load_capacity;
    Vec3d *force, *torque; // [N], [N m] (solids) by the fluid; torque about `centre`
    Vec3d* centre;         // [m] (solids)
    double *wet, *area;    // [m2] (2D: [m]) (solids) of patches that touch fluid, and of all
    int32_t* wall_of;      // (solids) see GaussForces
    Vec3* wall_centre;     // (solids)
    double* wall_sums;
    size_t wall_capacity;
    Vec3d** vertex_force; // [N] (solids) (vertices) of those that deform; else NULL
    size_t* vertex_capacity;
    double slope;        // [N/m] of the traction
    double longest_step; // [s]
} Gauss;

static void gauss_destroy(void* coupling)
{
    Gauss* c = coupling;
    gauss_surfaces_destroy(&c->surfaces);
    gauss_pairs_free(&c->pairs);
    for (size_t k = 0; c->vertex_force && k < c->solid_count; k++)
        memory_give(c->memory, c->vertex_force[k]);
    void* arrays[] = {c->load,         c->force,           c->torque,  c->centre,      c->wet,      c->area,
                      c->vertex_force, c->vertex_capacity, c->wall_of, c->wall_centre, c->wall_sums};
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
    c->wall_of = memory_take(c->memory, n * sizeof *c->wall_of);
    c->wall_centre = memory_take(c->memory, n * sizeof *c->wall_centre);
    if (!c->wall_of || !c->wall_centre || !c->force || !c->torque || !c->centre || !c->wet || !c->area || !c->vertex_force ||
        !c->vertex_capacity)
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
            mu = (double)(m->density * sph->most_friction) * sph->solver.speed_of_sound * h / (2 * (sph->kernel.dimension + 2));
        c->forces.viscosity[k] = (float)(own >= 0 ? own : mu);
    }
}

static void get_ready(Gauss* c)
{
    Sph* sph = c->def.sph;
    const mn_CouplingDef* s = &c->def.settings;
    double h = (double)sph->kernel.h, spacing = 2 * sph->radius,
           rest = s->rest_distance > 0 ? s->rest_distance : REST * sph->radius;
    double k = s->stiffness > 0 ? s->stiffness : stiffness_of_scene(c, h, rest, spacing);
    c->forces = (GaussForces){.sph = sph,
                              .surfaces = &c->surfaces,
                              .pairs = &c->pairs,
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

static void list_walls(Gauss* c)
{
    c->forces.wall_count = 0;
    for (size_t k = 0; k < c->solid_count; k++) {
        Vec3d at = c->solid[k].pose.position;
        c->wall_of[k] = c->solid[k].kind->is_driven ? (int32_t)c->forces.wall_count++ : -1;
        if (c->wall_of[k] >= 0)
            c->wall_centre[c->wall_of[k]] = (Vec3){(float)at.x, (float)at.y, (float)at.z};
    }
}

static bool reserve_loads(Gauss* c)
{
    list_walls(c);
    size_t sums = 6 * c->forces.wall_count * gauss_blocks(c->def.sph) + 1;
    if (!memory_reserve(c->memory, &c->wall_sums, &c->wall_capacity, 0, sums, sizeof *c->wall_sums))
        return false;
    c->forces.wall_sums = c->wall_sums;
    c->forces.wall_of = c->wall_of;
    c->forces.wall_centre = c->wall_centre;
    if (!memory_reserve(c->memory, &c->load, &c->load_capacity, 0, c->surfaces.count, sizeof *c->load))
        return false;
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

static void load_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Gauss* c = context;
    for (size_t k = begin; k < end; k++)
        if (c->wall_of[c->surfaces.patch[k].solid] < 0)
            gauss_load_of(&c->forces, k, &c->load[k]);
}

static void add_to_vertices(Gauss* c, size_t solid, const GaussPatch* p, const PatchLoad* load, const GaussRule* rule)
{
    SolidSurface surface = c->solid[solid].kind->surface(&c->solid[solid]);
    for (int n = 0; n < rule->count; n++) {
        double w[3];
        gauss_vertex_weights(p, (double)rule->second[n], (double)rule->third[n], w);
        for (int k = 0; k < 3; k++) {
            Vec3d* f = &c->vertex_force[solid][surface.triangle[p->face][k]];
            *f = vec3d_mad(*f, w[k], load->force[n]);
        }
    }
}

static void sum_wall(Gauss* c, size_t k)
{
    double sum[6] = {0};
    for (size_t block = 0; block < gauss_blocks(c->def.sph); block++)
        for (int e = 0; e < 6; e++)
            sum[e] += c->wall_sums[6 * (c->forces.wall_count * block + (size_t)c->wall_of[k]) + (size_t)e];
    c->centre[k] = c->solid[k].pose.position;
    c->force[k] = vec3d(sum[0], sum[1], sum[2]);
    c->torque[k] = vec3d(sum[3], sum[4], sum[5]);
    c->wet[k] = c->area[k] = 0;
}

// Sums the loads of a solid's patches, in their order.
static void sum_solid(Gauss* c, size_t k)
{
    const Solid* s = &c->solid[k];
    if (c->wall_of[k] >= 0) {
        sum_wall(c, k);
        return;
    }
    const GaussRule* rule = c->surfaces.dimension == 2 ? &gauss_segment : &gauss_triangle;
    c->centre[k] = solid_is_body(s) ? s->kind->body(s).centre : s->pose.position;
    c->force[k] = c->torque[k] = vec3d(0, 0, 0);
    c->wet[k] = c->area[k] = 0;
    if (s->kind->deforms)
        memset(c->vertex_force[k], 0, s->kind->surface(s).vertex_count * sizeof **c->vertex_force);
    for (size_t i = c->surfaces.first[k]; i < c->surfaces.first[k + 1]; i++) {
        c->area[k] += (double)c->surfaces.patch[i].size;
        if (c->pairs.patch_first[i] == c->pairs.patch_first[i + 1])
            continue;
        const GaussPatch* p = &c->surfaces.patch[i];
        for (int n = 0; n < rule->count; n++) {
            Vec3d f = c->load[i].force[n], arm = vec3d_sub(gauss_point(p, rule, n), c->centre[k]);
            c->force[k] = vec3d_add(c->force[k], f);
            c->torque[k] = vec3d_add(c->torque[k], vec3d_cross(arm, f));
        }
        c->wet[k] += c->load[i].is_wet ? (double)p->size : 0;
        if (s->kind->deforms)
            add_to_vertices(c, k, p, &c->load[i], rule);
    }
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
    if (!c->is_placed) {
        if (!gauss_surfaces_place(&c->surfaces, sph->pool) || !reserve_loads(c) ||
            !gauss_pairs_build(&c->pairs, c->memory, &c->surfaces, sph, c->forces.traction.h))
            return false;
        c->is_placed = true;
    }
    parallel_for(sph->pool, c->surfaces.count, GRAIN, load_block, c);
    gauss_push_fluid(&c->forces);
    parallel_for(sph->pool, c->solid_count, 1, sum_block, c);
    c->longest_step = INFINITY;
    for (size_t k = 0; k < c->solid_count; k++)
        c->longest_step = fmin(c->longest_step, step_of_solid(c, k));
    return true;
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

const CouplingMethod coupling_gauss = {.name = "gauss",
                                       .type = MN_COUPLING_GAUSS,
                                       .throws_light = true,
                                       .volumes = gauss_volumes,
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
