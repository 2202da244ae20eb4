// SPDX-License-Identifier: MIT
#include "guard/guard_parts.h"

#include <string.h>

// So often paths are swept again after particles were put back: places beside one solid may be on the wrong side of another.
enum { TRIES = 6 };

static const Skin* skin_of(const GuardDef* def, size_t k)
{
    for (size_t s = 0; s < def->boundary->skin_count; s++)
        if (def->boundary->skin[s].solid == k)
            return &def->boundary->skin[s];
    return NULL;
}

static GuardSort sort_of(const Solid* solid, const Skin* skin, int dimension)
{
    if (solid->kind->deforms)
        return !skin ? GUARD_CARRIED : skin->inset ? GUARD_VOLUME : GUARD_SHEET;
    if (!solid->test || (solid->mesh.triangle_count == 0 && solid->mesh.segment_count == 0))
        return GUARD_NOTHING;
    if (dimension == 3 && solid->mesh.triangle_count == 0)
        return GUARD_LINE;
    return !solid->closed ? GUARD_SHELL : solid->inside ? GUARD_CONTAINER : GUARD_BODY;
}

// Whether from the middle of a triangle or segment it is less than twice the depth of a caught particle to the other side of a
// body.
static bool is_thin_at(const Guard* g, const Solid* solid, Vec3d middle, Vec3d normal)
{
    enum { PASSES = 8 };
    double off = 1e-6 * solid->bound_radius;
    if (!inside_contains(solid->test, vec3d_mad(middle, -off, normal)))
        normal = vec3d_scale(normal, -1);
    SurfacePass pass[PASSES];
    int count =
        inside_passes(solid->test, vec3d_mad(middle, -off, normal), vec3d_mad(middle, -2 * g->caught, normal), pass, PASSES);
    for (int p = 0; p < count; p++)
        if (fabs(vec3d_dot(pass[p].normal, normal)) > 0.5)
            return true;
    return false;
}

static bool is_thin(const Guard* g, const Solid* solid)
{
    const TriMesh* mesh = &solid->mesh;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3d a = mesh->vertex[mesh->triangle[t][0]], b = mesh->vertex[mesh->triangle[t][1]],
              c = mesh->vertex[mesh->triangle[t][2]];
        Vec3d normal = vec3d_normalise(vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a)));
        if (is_thin_at(g, solid, vec3d_scale(vec3d_add(a, vec3d_add(b, c)), 1.0 / 3), normal))
            return true;
    }
    for (size_t k = 0; k < mesh->segment_count && mesh->triangle_count == 0; k++) {
        Vec3d a = mesh->vertex[mesh->segment[k][0]], b = mesh->vertex[mesh->segment[k][1]], along = vec3d_sub(b, a);
        if (is_thin_at(g, solid, vec3d_lerp(a, b, 0.5), vec3d_normalise(vec3d(along.y, -along.x, 0))))
            return true;
    }
    return false;
}

static void set_sorts(Guard* g)
{
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const Solid* solid = &g->def.solid[k];
        const Skin* skin = skin_of(&g->def, k);
        GuardSort sort = sort_of(solid, skin, g->def.dimension);
        g->solid[k] =
            (GuardSolid){.sort = sort, .was = solid->pose, .now = solid->pose, .skin = sort == GUARD_VOLUME ? skin : NULL};
        g->solid[k].is_thin = sort == GUARD_BODY && k < UINT16_MAX && is_thin(g, solid);
        g->has_thin |= g->solid[k].is_thin;
        g->has_containers |= sort == GUARD_CONTAINER;
        g->has_sides |= sort == GUARD_SHELL || sort == GUARD_SHEET;
        g->has_volumes |= sort == GUARD_VOLUME || sort == GUARD_CARRIED;
    }
}

// All but what particles have; false: out of memory.
static bool create(Guard* g, const GuardDef* def)
{
    // walls and bodies let a particle a little way in and push it out by themselves
    *g = (Guard){.def = *def, .caught = def->radius, .lists = pool_threads(def->pool)};
    g->solid = memory_take(def->memory, (def->solid_count + 1) * sizeof *g->solid);
    g->record = memory_take(def->memory, (def->solid_count + 1) * sizeof *g->record);
    g->list = memory_take(def->memory, (size_t)g->lists * sizeof *g->list);
    // each for itself: guard_destroy() looks into what is there, also when another was not to be had
    if (g->solid)
        memset(g->solid, 0, (def->solid_count + 1) * sizeof *g->solid);
    if (g->record)
        memset(g->record, 0, (def->solid_count + 1) * sizeof *g->record);
    if (g->list)
        memset(g->list, 0, (size_t)g->lists * sizeof *g->list);
    if (!g->solid || !g->record || !g->list)
        return false;
    set_sorts(g);
    return true;
}

// What particles have, arrays of their set, some of them new.
static bool connect(Guard* g, bool new_crossings, bool new_entry)
{
    const GuardDef* def = &g->def;
    g->fluid = def->fluid;
    const ParticleArray crossings = {"guard.crossings", PARTICLE_STATE, STATE_UINT8, sizeof(int8_t), &g->crossings, false, 0};
    const ParticleArray entry = {"guard.entry", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &g->entry, false, 0};
    ParticleSet* set = def->fluid.particles.set;
    return guard_follow(g) && (!new_crossings || particle_set_add(set, &crossings)) &&
           (!new_entry || particle_set_add(set, &entry));
}

bool guard_renew(Guard* g, const GuardDef* def)
{
    GuardRecord* record = g->record;
    size_t records = g->def.solid_count;
    uint64_t gone = g->gone;
    int8_t* crossings = g->crossings;
    uint32_t* entry = g->entry;
    bool had_sides = g->has_sides, had_thin = g->has_thin;
    g->record = NULL;
    guard_destroy(g);
    bool ok = create(g, def);
    if (g->record)
        memcpy(g->record, record, (records < def->solid_count ? records : def->solid_count) * sizeof *record);
    memory_give(def->memory, record);
    g->gone = gone;
    g->crossings = crossings; // the set has them still
    g->entry = entry;
    // what particles have once counted goes with them from then on
    g->has_sides |= had_sides;
    g->has_thin |= had_thin;
    return ok && connect(g, !had_sides && g->has_sides, !had_thin && g->has_thin);
}

bool guard_create(Guard* g, const GuardDef* def)
{
    return create(g, def) && connect(g, g->has_sides, g->has_thin);
}

_Static_assert(sizeof(GuardRecord) == 8 * 8, "records are saved as they are: no padding");

bool guard_register(Guard* g, Register* reg)
{
    StateArray record = {.name = "guard.record",
                         .per = PER_SOLID,
                         .type = STATE_BYTES,
                         .size = sizeof *g->record,
                         .data = &g->record,
                         .count = &g->def.solid_count};
    StateArray gone = {
        .name = "guard.gone", .per = PER_WORLD, .type = STATE_BYTES, .size = sizeof g->gone, .data = &g->gone, .is_value = true};
    return register_array(reg, &record) && register_array(reg, &gone);
}

void guard_destroy(Guard* g)
{
    Memory* memory = g->def.memory;
    for (int k = 0; k < g->lists && g->list; k++)
        memory_give(memory, g->list[k].item);
    for (size_t k = 0; k < g->def.solid_count && g->solid; k++)
        inside_destroy(g->solid[k].test);
    void* arrays[] = {g->solid, g->record, g->from, g->to, g->list, g->all, g->longest, g->is_back, g->back};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && memory; k++)
        memory_give(memory, arrays[k]);
    *g = (Guard){.crossings = g->crossings, .entry = g->entry}; // the set gives them back
}

bool guard_is_born_outside(const Guard* g)
{
    for (size_t e = 0; e < g->def.emitter_count; e++)
        if (!guard_is_contained(g, g->def.emitter[e].def.position, 0, SIZE_MAX))
            return true;
    return false;
}

// --- surfaces that deform

// Room for the vertices of all surfaces that deform. False: out of memory.
static bool reserve_surfaces(Guard* g)
{
    size_t sum = 0;
    for (size_t k = 0; k < g->def.solid_count; k++)
        if (g->solid[k].sort == GUARD_SHEET || g->solid[k].sort == GUARD_VOLUME) {
            g->solid[k].first = sum;
            sum += g->def.solid[k].kind->surface(&g->def.solid[k]).vertex_count;
        }
    g->vertices = sum;
    return !sum || (memory_reserve(g->def.memory, &g->from, &g->from_capacity, 0, sum, sizeof *g->from) &&
                    memory_reserve(g->def.memory, &g->to, &g->to_capacity, 0, sum, sizeof *g->to));
}

// Tests follow the surfaces of volumes; new ones are made if triangles have changed. Those of carried solids stay behind if they
// may. False: out of memory.
static bool follow_volumes(Guard* g, bool may_stay)
{
    for (size_t k = 0; k < g->def.solid_count && g->has_volumes; k++) {
        GuardSolid* s = &g->solid[k];
        if ((s->sort != GUARD_VOLUME && s->sort != GUARD_CARRIED) || !g->def.solid[k].closed)
            continue;
        s->is_behind = may_stay && s->sort == GUARD_CARRIED && s->test;
        if (s->is_behind)
            continue;
        SolidSurface surface = g->def.solid[k].kind->surface(&g->def.solid[k]);
        TriMesh mesh = {.vertex_count = surface.vertex_count,
                        .triangle_count = surface.triangle_count,
                        .vertex = (Vec3d*)surface.position,
                        .triangle = (uint32_t(*)[3])surface.triangle};
        if (s->test && s->revision == surface.revision) {
            inside_follow(s->test, &mesh, g->asked.particle ? g->asked.count : SIZE_MAX, g->def.pool);
            continue;
        }
        inside_destroy(s->test);
        s->revision = surface.revision;
        if (!(s->test = inside_create(&mesh, g->def.memory)))
            return false;
        if (s->sort == GUARD_CARRIED && !inside_use_cells(s->test)) // all particles are asked about in every step
            return false;
    }
    return true;
}

bool guard_follow(Guard* g)
{
    for (size_t k = 0; k < g->def.solid_count; k++)
        g->solid[k].was = g->solid[k].now = g->def.solid[k].pose;
    return reserve_surfaces(g) && follow_volumes(g, false);
}

// --- a step

bool guard_begin_step(Guard* g)
{
    for (size_t k = 0; k < g->def.solid_count; k++)
        g->solid[k].was = g->def.solid[k].pose;
    if (!reserve_surfaces(g))
        return false;
    guard_place_surfaces(g, g->from);
    return true;
}

// How far a point of a solid goes at most: its middle, and the farthest from it around that.
static double travel_of(const Solid* solid, const mn_Pose* was, const mn_Pose* now)
{
    Vec3d half = solid->bound_half, turned = {0, 0, 0};
    const Vec3d axis[3] = {{half.x, 0, 0}, {0, half.y, 0}, {0, 0, half.z}};
    for (int k = 0; k < 3; k++) {
        Vec3d a = vec3d_sub(quat_rotate(now->rotation, axis[k]), quat_rotate(was->rotation, axis[k]));
        turned = vec3d_add(turned, vec3d(fabs(a.x), fabs(a.y), fabs(a.z)));
    }
    Vec3d from = pose_to_world(was, solid->bound_centre), to = pose_to_world(now, solid->bound_centre);
    return vec3d_distance(from, to) + vec3d_length(turned);
}

// A ball as large as the depth at which it is caught fits into the bounds of a body, but for a thin one, which short paths may lead
// through; who is less than half of that out of a box is let be. With room for the rounding of coordinates.
static GuardFrame frame_of(const Guard* g, const Solid* solid, const GuardSolid* s)
{
    static const Vec3d axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Vec3d o = pose_to_world(&s->now, solid->bound_centre), half = solid->bound_half;
    double off = 4e-7 * (vec3d_length(o) + solid->bound_radius);
    double more = s->sort != GUARD_BODY ? 0.5 * g->caught - off : s->is_thin ? off + g->caught : off - g->caught;
    GuardFrame frame = {{(float)o.x, (float)o.y, (float)o.z}, {{0}}, {(float)(half.x + more), (float)(half.y + more), INFINITY}};
    if (g->def.dimension == 3)
        frame.half[2] = (float)(half.z + more);
    for (int a = 0; a < 3; a++) {
        Vec3d n = quat_rotate(s->now.rotation, axis[a]);
        frame.axis[a][0] = (float)n.x;
        frame.axis[a][1] = (float)n.y;
        frame.axis[a][2] = (float)n.z;
    }
    return frame;
}

// The box along the world's axes around a surface that a grid carries.
static GuardFrame frame_of_carried(const InsideTest* test)
{
    Box3d box = inside_bounds(test);
    Vec3d o = vec3d_lerp(box.min, box.max, 0.5), half = vec3d_scale(vec3d_sub(box.max, box.min), 0.5);
    double off = 4e-7 * (vec3d_length(o) + vec3d_length(half)); // for the rounding of coordinates
    return (GuardFrame){{(float)o.x, (float)o.y, (float)o.z},
                        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                        {(float)(half.x + off), (float)(half.y + off), (float)(half.z + off)}};
}

static void place_solids(Guard* g, double time)
{
    g->still = g->travel = 0;
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const Solid* solid = &g->def.solid[k];
        GuardSolid* s = &g->solid[k];
        if (s->sort == GUARD_CARRIED && s->test && !s->is_behind)
            s->frame = frame_of_carried(s->test);
        if (solid->kind->deforms)
            continue;
        s->now = solid->kind->pose_after(solid, time);
        s->frame = frame_of(g, solid, s);
        s->travel = travel_of(solid, &s->was, &s->now);
        s->gives_way = !solid->kind->is_driven && (!solid->kind->body || solid->kind->body(solid).inverse_mass > 0);
        s->is_held = !s->gives_way && !solid->kind->is_driven;
        s->is_fast = !(s->travel < 0.5 * guard_seen_path(&g->def));
        if (!s->is_fast)
            g->still = fmax(g->still, s->travel);
        if (s->sort == GUARD_CONTAINER)
            g->travel = fmax(g->travel, s->travel);
    }
}

static bool reserve_particles(Guard* g)
{
    size_t count = moving_count(&g->fluid.particles), had = g->is_back_capacity;
    size_t blocks = block_count(block_count(count, LANES), SWEEP_GRAIN);
    if (!memory_reserve(g->def.memory, &g->is_back, &g->is_back_capacity, had, count + 1, 1) ||
        !memory_reserve(g->def.memory, &g->longest, &g->longest_capacity, 0, blocks, sizeof *g->longest))
        return false;
    memset(g->is_back + had, 0, g->is_back_capacity - had);
    g->back_count = 0;
    return true;
}

static bool sweep_all(Guard* g, size_t* out_put_back)
{
    size_t count;
    bool ok = reserve_particles(g) && guard_sweep(g, false, &count);
    if (!ok)
        return false;
    if (count && g->asked.particle && !g->asked.count)
        ok = follow_volumes(g, false); // whoever is put back may come to lie in a carried solid
    for (int k = 0; ok && count && k < TRIES; k++) {
        ok = memory_reserve(g->def.memory, &g->back, &g->back_capacity, g->back_count, g->back_count + count, sizeof *g->back);
        if (ok)
            guard_put_back(g, count, k);
        ok = ok && guard_sweep(g, true, &count);
    }
    if (ok)
        guard_note_leaks(g, count);
    for (size_t k = 0; k < g->back_count; k++)
        g->is_back[g->back[k]] = 0;
    *out_put_back = g->back_count;
    return ok;
}

bool guard_end_step(Guard* g, double time, uint64_t step, size_t* out_put_back)
{
    *out_put_back = 0;
    if (g->def.solid_count == 0 || moving_count(&g->fluid.particles) == 0)
        return true;
    if (!follow_volumes(g, g->asked.particle && !g->asked.count))
        return false;
    g->turn = step % GUARD_TURNS;
    place_solids(g, time);
    g->check_containers = g->has_containers && !guard_is_born_outside(g);
    if (g->vertices)
        guard_place_surfaces(g, g->to);
    bool ok = sweep_all(g, out_put_back);
    g->asked = (GuardAsked){NULL, 0};
    return ok;
}

void guard_note_removed(Guard* g, const uint8_t* removed)
{
    for (size_t i = 0; g->crossings && i < moving_count(&g->fluid.particles); i++)
        g->gone += removed[i] && g->crossings[i];
}
