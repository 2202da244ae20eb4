// SPDX-License-Identifier: MIT
// A stream is the parabola of its first particle. Every second stretch is left out: it is not there yet.
#include "render/nozzle.h"
#include "base/memory.h"
#include "fluid/emitter.h"

enum { RING = 24, STRETCHES = 60 };

static bool add(NozzleLines* lines, Vec3d from, Vec3d to, bool faint)
{
    if (!memory_reserve(NULL, &lines->line, &lines->capacity, lines->count, lines->count + 1, sizeof *lines->line))
        return false;
    lines->line[lines->count++] = (NozzleLine){from, to, faint};
    return true;
}

static mn_Pose place_of(const mn_Emitter* e)
{
    return e->motion_count ? e->motion[0].pose : (mn_Pose){e->position, e->rotation};
}

// Its outline in its own plane, x and z.
static Vec3d rim(const mn_Emitter* e, int k, int dimension)
{
    if (e->type == MN_EMITTER_DISC) {
        double a = 2 * 3.14159265358979 * k / RING;
        return vec3d(e->size[0] * cos(a), 0, dimension == 3 ? e->size[0] * sin(a) : 0);
    }
    int side = k * 4 / RING, next = (side + 1) % 4;
    double t = (double)(k % (RING / 4)) / (RING / 4);
    static const double corner[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    double x = corner[side][0] + t * (corner[next][0] - corner[side][0]),
           z = corner[side][1] + t * (corner[next][1] - corner[side][1]);
    return vec3d(x * e->size[0], 0, dimension == 3 ? z * e->size[1] : 0);
}

static Vec3d placed(const mn_Pose* pose, Vec3d local)
{
    return vec3d_add(quat_rotate(pose->rotation, local), pose->position);
}

// The outline of a shape as the fluid sees it: borders of squares that let fluid out.
static bool add_squares(NozzleLines* lines, const Nozzle* nozzle, const mn_Pose* pose)
{
    double h = nozzle->cell[0] / 2, deep = nozzle->dimension == 3 ? nozzle->cell[1] / 2 : 0;
    for (int k = 0; k < nozzle->n[1]; k++)
        for (int i = 0; i < nozzle->n[0]; i++) {
            int32_t number = nozzle->square[k * nozzle->n[0] + i];
            if (number < 0)
                continue;
            const NozzleColumn* c = &nozzle->column[number];
            static const int side[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
            for (int s = 0; s < 4; s++) {
                int a = i + side[s][0], b = k + side[s][1];
                bool within = a >= 0 && b >= 0 && a < nozzle->n[0] && b < nozzle->n[1];
                if (within && nozzle->square[b * nozzle->n[0] + a] >= 0)
                    continue;
                double dx = side[s][0] ? 0 : h, dz = side[s][1] ? 0 : deep;
                Vec3d m = {c->x + side[s][0] * h, c->y, c->z + side[s][1] * deep};
                if (!add(lines, placed(pose, vec3d(m.x - dx, m.y, m.z - dz)), placed(pose, vec3d(m.x + dx, m.y, m.z + dz)), false))
                    return false;
            }
        }
    return true;
}

// A shape that cannot be read is told of when it is used.
static bool add_shape(NozzleLines* lines, const mn_Emitter* e, const mn_Scene* scene)
{
    Nozzle nozzle;
    mn_Pose pose = place_of(e);
    if (nozzle_init(&nozzle, e, 2 * scene->world.particle_radius, scene->world.dimension, scene->folder, NULL) != MN_OK)
        return true;
    bool ok = add_squares(lines, &nozzle, &pose);
    nozzle_free(&nozzle);
    return ok;
}

static bool add_nozzle(NozzleLines* lines, const mn_Emitter* e, const mn_Scene* scene)
{
    mn_Pose pose = place_of(e);
    int dimension = scene->world.dimension;
    if (e->type == MN_EMITTER_SHAPE && !add_shape(lines, e, scene))
        return false;
    for (int k = 0; k < RING && e->type != MN_EMITTER_SHAPE; k++) {
        Vec3d a = placed(&pose, rim(e, k, dimension));
        Vec3d b = placed(&pose, rim(e, (k + 1) % RING, dimension));
        if (!add(lines, a, b, false))
            return false;
    }
    for (size_t k = 0; k + 1 < e->motion_count; k++)
        if (!add(lines, e->motion[k].pose.position, e->motion[k + 1].pose.position, false))
            return false;
    return true;
}

static double lowest_along(Box3d box, Vec3d up)
{
    return up.x * (up.x > 0 ? box.min.x : box.max.x) + up.y * (up.y > 0 ? box.min.y : box.max.y) +
           up.z * (up.z > 0 ? box.min.z : box.max.z);
}

// [s] until it has fallen to `floor`, or as long as it takes to leave the box if nothing pulls it.
static double time_of_fall(Vec3d x, Vec3d v, Vec3d g, double floor, double size)
{
    double pull = vec3d_length(g);
    if (!(pull > 0))
        return vec3d_length(v) > 0 ? size / vec3d_length(v) : 0;
    Vec3d up = vec3d_scale(g, -1 / pull);
    double rise = vec3d_dot(v, up), height = fmax(vec3d_dot(x, up) - floor, 0);
    return (rise + sqrt(rise * rise + 2 * pull * height)) / pull;
}

static bool add_stream(NozzleLines* lines, const mn_Emitter* e, Vec3d gravity, Box3d box)
{
    mn_Pose pose = place_of(e);
    double speed = emitter_speed(e, e->start), size = vec3d_distance(box.min, box.max);
    Vec3d v = quat_rotate(pose.rotation, vec3d(0, speed > 0 ? speed : emitter_top_speed(e), 0)), last = pose.position;
    double pull = vec3d_length(gravity), floor = pull > 0 ? lowest_along(box, vec3d_scale(gravity, -1 / pull)) : 0;
    double time = time_of_fall(pose.position, v, gravity, floor, size);
    for (int k = 1; k <= STRETCHES; k++) {
        double t = time * k / STRETCHES;
        Vec3d x = vec3d_mad(vec3d_mad(pose.position, t, v), 0.5 * t * t, gravity);
        if (k % 2 && !add(lines, last, x, true))
            return false;
        last = x;
    }
    return true;
}

bool nozzle_lines(NozzleLines* lines, const mn_Scene* scene, Box3d box)
{
    bool has_box = box.min.x <= box.max.x;
    for (size_t f = 0; f < scene->fluid_count; f++)
        for (size_t k = 0; k < scene->fluids[f].emitter_count; k++) {
            const mn_Emitter* e = &scene->fluids[f].emitters[k];
            Vec3d p = place_of(e).position;
            double reach = 10 * fmax(e->size[0], scene->world.particle_radius);
            Box3d around =
                has_box ? box : (Box3d){vec3d_sub(p, vec3d(reach, reach, reach)), vec3d_add(p, vec3d(reach, reach, reach))};
            if (!add_nozzle(lines, e, scene) || !add_stream(lines, e, scene->world.gravity, around))
                return false;
        }
    return true;
}

void nozzle_lines_free(NozzleLines* lines)
{
    memory_give(NULL, lines->line);
    *lines = (NozzleLines){0};
}

Box3d nozzle_lines_box(const NozzleLines* lines)
{
    Box3d box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t k = 0; k < lines->count; k++) {
        const NozzleLine* l = &lines->line[k];
        box.min = vec3d_min(box.min, vec3d_min(l->from, l->to));
        box.max = vec3d_max(box.max, vec3d_max(l->from, l->to));
    }
    return box;
}
