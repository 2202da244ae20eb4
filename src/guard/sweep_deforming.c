// SPDX-License-Identifier: MIT
// Whose path of this step crosses a surface that deforms. The path of each particle is compared with that of each triangle near it
// (mesh/crossing.h). A sheet has fluid on both sides and is crossed where it is. The surface of a volume lets a particle in as far
// as its boundary particles lie, as walls do: it is crossed at that depth, on the way in.
#include "guard/guard_parts.h"

#include "mesh/crossing.h"

enum { GRAIN = 256 };

static bool does_deform(const GuardSolid* s)
{
    return s->sort == GUARD_SHEET || s->sort == GUARD_VOLUME;
}

void guard_place_surfaces(const Guard* g, Vec3d* to)
{
    for (size_t k = 0; k < g->def.solid_count && g->vertices; k++) {
        const GuardSolid* s = &g->solid[k];
        if (!does_deform(s))
            continue;
        SolidSurface surface = g->def.solid[k].kind->surface(&g->def.solid[k]);
        if (s->skin)
            skin_inset(s->skin, surface.position, to + s->first);
        for (size_t v = 0; v < surface.vertex_count && !s->skin; v++)
            to[s->first + v] = surface.position[v];
    }
}

// --- particles in a box

GuardBox guard_box(const Guard* g, Vec3d low, Vec3d high)
{
    const CellGrid* grid = g->fluid.grid;
    // boxes of fast solids may be larger than all that there is
    low = vec3d_max(low, vec3d(-1e8 * grid->cell, -1e8 * grid->cell, -1e8 * grid->cell));
    high = vec3d_min(high, vec3d(1e8 * grid->cell, 1e8 * grid->cell, 1e8 * grid->cell));
    GuardBox box = {low, high, grid_row(grid, (float)low.z), grid_row(grid, (float)high.z) + 1};
    box.layer = box.layer > grid->low.z ? box.layer : grid->low.z;
    box.end = box.end < grid->high.z + 1 ? box.end : grid->high.z + 1;
    box.end = box.end > box.layer ? box.end : box.layer;
    return box;
}

// They are still sorted by where they were.
void guard_visit(const Guard* g, const GuardBox* box, bool again, GuardVisitFn* visit, void* context, int worker)
{
    const CellGrid* grid = g->fluid.grid;
    const Vec4* x = g->fluid.particles.set->scratch;
    const uint8_t* only = again ? g->is_back : NULL;
    float x0 = (float)box->low.x, x1 = (float)box->high.x, y0 = (float)box->low.y, y1 = (float)box->high.y;
    float z0 = (float)box->low.z, z1 = (float)box->high.z;
    int32_t first = grid_column(grid, box->low.x), last = grid_column(grid, box->high.x);
    int32_t row = grid_row(grid, y0), rows = grid_row(grid, y1);
    row = row > grid->low.y ? row : grid->low.y;
    rows = rows < grid->high.y ? rows : grid->high.y;
    int32_t begin_segment = first >> 6 > grid->low.x ? first >> 6 : grid->low.x;
    int32_t end_segment = last >> 6 < grid->high.x ? last >> 6 : grid->high.x;
    for (int32_t z = box->layer; z < box->end; z++)
        for (int32_t y = row; y <= rows; y++)
            for (int32_t s = begin_segment; s <= end_segment; s++) {
                uint32_t segment = grid_find(grid, (SegmentKey){s, y, z});
                if (segment == NO_SEGMENT)
                    continue;
                const uint32_t* start = grid->cell_start + (size_t)segment * SEGMENT_CELLS;
                uint32_t begin = start[s == first >> 6 ? first & 63 : 0],
                         end = start[s == last >> 6 ? (last & 63) + 1 : SEGMENT_CELLS];
                for (uint32_t i = begin; i < end; i++)
                    if (x[i].y >= y0 && x[i].y <= y1 && x[i].z >= z0 && x[i].z <= z1 && x[i].x >= x0 && x[i].x <= x1 &&
                        (!only || only[i]))
                        visit(context, worker, i);
            }
}

// --- triangles

typedef struct Look {
    Guard* guard;
    size_t solid;
    SolidSurface surface;
    bool again;
    double reach; // [m] the longest path of a particle
} Look;

// A triangle, and where its corners were and are.
typedef struct Moving {
    const Look* look;
    uint32_t triangle;
    Vec3d from[3], to[3];
    bool is_seen; // who meets it had boundary particles around before the step
} Moving;

static Vec3d normal_of(const Vec3d x[3])
{
    return vec3d_normalise(vec3d_cross(vec3d_sub(x[1], x[0]), vec3d_sub(x[2], x[0])));
}

static void meet_triangle(void* context, int worker, uint32_t i)
{
    const Moving* m = context;
    const Look* look = m->look;
    Guard* g = look->guard;
    const Neighbours* neighbours = g->fluid.neighbours;
    if (m->is_seen && neighbours && !neighbours->chunk[i / LANES].near)
        return;
    bool is_volume = g->solid[look->solid].sort == GUARD_VOLUME;
    Crossing found[3];
    int count = crossing_find(m->from, m->to, guard_from(g, i), guard_to(g, i), found);
    for (int k = 0; k < count; k++) {
        if (is_volume && found[k].direction > 0)
            continue; // on its way out
        const uint32_t* corner = look->surface.triangle[m->triangle];
        Vec3d at[3];
        Meeting meeting = {.particle = i,
                           .solid = (uint32_t)look->solid,
                           .place.face = m->triangle,
                           .time = found[k].time,
                           .reason = is_volume ? REASON_CAUGHT : REASON_CROSSED,
                           .side = is_volume ? 0 : found[k].direction};
        for (int c = 0; c < 3; c++) {
            at[c] = look->surface.position[corner[c]];
            meeting.place.weight[c] = found[k].weight[c];
            meeting.place.point = vec3d_mad(meeting.place.point, found[k].weight[c], at[c]);
        }
        meeting.normal = vec3d_scale(normal_of(at), -found[k].direction);
        guard_note(g, worker, &meeting);
    }
}

static void look_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Look* look = context;
    Guard* g = look->guard;
    const Vec3d *was = g->from + g->solid[look->solid].first, *now = g->to + g->solid[look->solid].first;
    const Vec3d margin = {look->reach, look->reach, look->reach};
    double seen = guard_seen_path(&g->def) - look->reach;
    for (size_t t = begin; t < end; t++) {
        const uint32_t* v = look->surface.triangle[t];
        Moving moving = {.look = look, .triangle = (uint32_t)t};
        Vec3d low = was[v[0]], high = low;
        double travel = 0;
        for (int k = 0; k < 3; k++) {
            Vec3d from = moving.from[k] = was[v[k]], to = moving.to[k] = now[v[k]];
            low = vec3d_min(low, vec3d_min(from, to));
            high = vec3d_max(high, vec3d_max(from, to));
            travel = fmax(travel, vec3d_distance(from, to));
        }
        moving.is_seen = travel < seen;
        GuardBox box = guard_box(g, vec3d_sub(low, margin), vec3d_add(high, margin));
        guard_visit(g, &box, look->again, meet_triangle, &moving, worker);
    }
}

void guard_sweep_surfaces(Guard* g, bool again, double reach)
{
    for (size_t k = 0; k < g->def.solid_count; k++) {
        if (!does_deform(&g->solid[k]))
            continue;
        Look look = {g, k, g->def.solid[k].kind->surface(&g->def.solid[k]), again, reach};
        parallel_for(g->def.pool, look.surface.triangle_count, GRAIN, look_block, &look);
    }
}
