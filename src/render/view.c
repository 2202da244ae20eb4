// SPDX-License-Identifier: MIT
#include "render/view.h"

// The ground is an endless plane: u . P = level, P = d z (orthographic: P = (x, y, z)).
static void draw_ground(const View* view, Tile* tile)
{
    Vec3 u = view->up;
    bool orthographic = view->samples.camera.orthographic;
    for (int y = 0; y < TILE; y++)
        for (int x = 0; x < TILE; x++) {
            float across = u.x * tile->direction_x[x] + u.y * tile->direction_y[y];
            float z = orthographic ? (view->ground_level - across) / u.z : view->ground_level / (across + u.z);
            tile->depth[y][x] = z > 0 && z < 1e30f ? z : INFINITY;
        }
}

static void draw_tile(void* context, size_t begin, size_t end, size_t block, int worker)
{
    View* view = context;
    for (size_t index = begin; index < end; index++) {
        Tile tile;
        tile_begin(&tile, &view->samples, index);
        if (view->ground)
            draw_ground(view, &tile);
        triangle_list_draw(&view->triangles, &view->samples, &tile, index);
        sphere_list_draw(&view->spheres, &view->samples, &tile, index, worker);
        triangle_list_draw_panes(&view->triangles, &view->samples, &tile, index, 1.5f * view->radius);
        tile_end(&tile, &view->samples);
    }
}

void view_draw(View* view)
{
    parallel_for(view->pool, (size_t)view->samples.tiles_x * (size_t)view->samples.tiles_y, 1, draw_tile, view);
}

void view_free(View* view)
{
    sample_buffer_free(&view->samples);
    sphere_list_free(&view->spheres);
    triangle_list_free(&view->triangles);
}

// By the areas of the parts that the point cuts the triangle into.
static Vec3 smooth_normal(const ViewTriangle* t, Vec3 p)
{
    Vec3 e1 = vec3_sub(t->corner[1], t->corner[0]), e2 = vec3_sub(t->corner[2], t->corner[0]), q = vec3_sub(p, t->corner[0]);
    float d11 = vec3_dot(e1, e1), d12 = vec3_dot(e1, e2), d22 = vec3_dot(e2, e2), q1 = vec3_dot(q, e1), q2 = vec3_dot(q, e2);
    float det = d11 * d22 - d12 * d12;
    float b = det > 0 ? least(most((d22 * q1 - d12 * q2) / det, 0), 1) : 0;
    float c = det > 0 ? least(most((d11 * q2 - d12 * q1) / det, 0), 1) : 0;
    Vec3 n = vec3_add(vec3_scale(t->normal[0], 1 - b - c), vec3_add(vec3_scale(t->normal[1], b), vec3_scale(t->normal[2], c)));
    return vec3_normalise(n);
}

// Turned to the camera: both sides of a solid are lit.
static Vec3 triangle_normal(const View* view, const ViewTriangle* t, Vec3 p)
{
    Vec3 n = t->flat ? t->normal[0] : smooth_normal(t, p);
    float facing = view->samples.camera.orthographic ? n.z : vec3_dot(n, p);
    return facing > 0 ? vec3_scale(n, -1) : n;
}

Fragment view_fragment(const View* view, uint32_t id, Vec3 position)
{
    Fragment f = {position, view->up, id};
    if (id & ID_TRIANGLE) {
        f.normal = triangle_normal(view, &view->triangles.view[id & ID_INDEX], position);
    } else if (id != ID_NONE) {
        Vec4 s = view->spheres.view[id];
        f.normal = vec3_normalise((Vec3){position.x - s.x, position.y - s.y, position.z - s.z});
    }
    return f;
}
