// SPDX-License-Identifier: MIT
// Stiff sheets: as seen by the sheet, a particle goes straight from where it was to where it is.
#include "coupling/passage_parts.h"

typedef struct ShellLook {
    Passages* passages;
    const Shell* shell;
    uint32_t sheet;
    PassageBox box; // around it and the ways to it
    bool touched;   // who passes had boundary particles around before the step
} ShellLook;

static void look_at(void* context, int worker, uint32_t i)
{
    enum { MOST = 8 };
    const ShellLook* look = context;
    Passages* p = look->passages;
    const Shell* shell = look->shell;
    if (look->touched && !p->sph->neighbours.chunk[i / LANES].near)
        return;
    Vec3d from = pose_to_local(&shell->was, passage_point(p->sph->fluid.scratch[i]));
    Vec3d to = pose_to_local(&shell->now, passage_point(p->sph->fluid.position[i]));
    SurfacePass pass[MOST];
    int count = inside_passes(p->solid[shell->solid].test, from, to, pass, MOST);
    for (int k = 0; k < count; k++) {
        Vec3d foot = pose_to_world(&shell->now, vec3d_lerp(from, to, pass[k].time));
        Meeting meeting = {.particle = i,
                           .sheet = look->sheet,
                           .triangle = pass[k].place,
                           .way = pass[k].way,
                           .time = pass[k].time,
                           .foot = foot,
                           .normal = quat_rotate(shell->now.rotation, pass[k].normal)};
        passage_note(p, &p->list[worker], &meeting);
    }
}

static void look_layers(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ShellLook* look = context;
    PassageBox box = look->box;
    box.layer = look->box.layer + (int32_t)begin;
    box.end = look->box.layer + (int32_t)end;
    passage_visit(look->passages, &box, look_at, (void*)look, worker);
}

// A box around the sheet before the step, with room for the longest way to it.
static PassageBox box_around(const Passages* p, const Shell* shell, bool caught_only, double reach, double* out_room)
{
    const Solid* s = &p->solid[shell->solid];
    Vec3d centre = pose_to_world(&shell->was, s->bound_centre), half = {0, 0, 0};
    const Vec3d axis[3] = {{s->bound_half.x, 0, 0}, {0, s->bound_half.y, 0}, {0, 0, s->bound_half.z}};
    for (int k = 0; k < 3; k++) {
        Vec3d a = quat_rotate(shell->was.rotation, axis[k]);
        half = vec3d_add(half, vec3d(fabs(a.x), fabs(a.y), fabs(a.z)));
    }
    // the sheet's own way: that of its middle, and its farthest point's around it
    Vec3d there = pose_to_world(&shell->now, s->bound_centre), turned = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        Vec3d a = vec3d_sub(quat_rotate(shell->now.rotation, axis[k]), quat_rotate(shell->was.rotation, axis[k]));
        turned = vec3d_add(turned, vec3d(fabs(a.x), fabs(a.y), fabs(a.z)));
    }
    double room = reach + vec3d_distance(centre, there) + vec3d_length(turned) + 1e-6 * vec3d_length(centre);
    *out_room = room;
    half = vec3d_add(half, vec3d(room, room, room));
    return passage_box(p, vec3d_sub(centre, half), vec3d_add(centre, half), caught_only);
}

void passage_look_shells(Passages* p, bool caught_only, double reach)
{
    for (size_t k = 0; k < p->shell_count; k++) {
        double room;
        PassageBox box = box_around(p, &p->shell[k], caught_only, reach, &room);
        // particles of a sheet are at most a spacing apart: one of them was within the support radius of whoever met it
        bool touched = room + 2 * p->sph->radius < (double)p->sph->kernel.h;
        ShellLook look = {p, &p->shell[k], (uint32_t)(p->boundary->skin_count + k), box, touched};
        parallel_for(p->sph->pool, (size_t)(box.end - box.layer), 1, look_layers, &look);
    }
}
