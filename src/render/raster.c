// SPDX-License-Identifier: MIT
// Triangles by edge functions. With pixel coordinates linear in x/z, the plane through a triangle gives 1/z = za X + zb Y +
// ze exactly; orthographic views have z itself linear. Set-up in double at the tile's corner, samples in float: triangles
// that reach far outside the picture keep straight edges. Shared edges are drawn by both neighbours, which opaque surfaces
// do not show and panes, being a mark, do not either.
#include "render/raster.h"

#include <string.h>

enum { LANES = 8 };

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static float dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static Vec3d view_of(const Camera* camera, const mn_Pose* pose, Vec3d p)
{
    return camera_view(camera, vec3d_add(quat_rotate(pose->rotation, p), pose->position));
}

static Vec3 view_normal(const Camera* camera, const mn_Pose* pose, Vec3 n)
{
    return to_vec3(camera_view_direction(camera, quat_rotate(pose->rotation, vec3d((double)n.x, (double)n.y, (double)n.z))));
}

// Does the outer side of the face look at the camera?
static bool faces_camera(const Camera* camera, Vec3 normal, Vec3 point)
{
    return camera->orthographic ? normal.z < 0 : dot(normal, point) < 0;
}

static bool is_pane(const SolidItem* solid, const Camera* camera, Vec3 normal, Vec3 corner, bool outer)
{
    if (solid->look == LOOK_SOLID)
        return false;
    if (solid->look == LOOK_EDGES || solid->look == LOOK_GLASS)
        return true;
    if (solid->look == LOOK_CONTAINER)
        return outer;
    Vec3 centre = to_vec3(camera_view(camera, solid->centre));
    Vec3 to_centre = {centre.x - corner.x, centre.y - corner.y, centre.z - corner.z};
    return !outer || dot(normal, to_centre) < 0;
}

FaceSide face_side(const SolidItem* solid, const Camera* camera, size_t triangle)
{
    const TriMesh* mesh = solid->model->mesh;
    Vec3 normal = view_normal(camera, &solid->pose, solid->model->face_normal[triangle]);
    Vec3 corner = to_vec3(view_of(camera, &solid->pose, mesh->vertex[mesh->triangle[triangle][0]]));
    bool outer = faces_camera(camera, normal, corner);
    return (FaceSide){outer, is_pane(solid, camera, normal, corner, outer)};
}

static ViewTriangle view_triangle(const SolidItem* solid, uint32_t index, size_t t, const Camera* camera)
{
    const TriMesh* mesh = solid->model->mesh;
    ViewTriangle v = {.solid = index};
    for (int k = 0; k < 3; k++) {
        v.corner[k] = to_vec3(view_of(camera, &solid->pose, mesh->vertex[mesh->triangle[t][k]]));
        v.normal[k] = view_normal(camera, &solid->pose, solid->model->corner_normal[3 * t + (size_t)k]);
    }
    v.flat = dot(v.normal[0], v.normal[1]) > 0.99999f && dot(v.normal[0], v.normal[2]) > 0.99999f;
    v.bare = solid->look == LOOK_EDGES;
    v.inner = t >= mesh->triangle_count - mesh->inner_count;
    FaceSide side = face_side(solid, camera, t);
    v.outer = side.outer;
    v.pane = side.pane;
    return v;
}

// By what is opaque from everywhere.
bool casts_shadow(const SolidItem* solid)
{
    return solid->look == LOOK_SOLID;
}

// A plane in view space: what is above it goes.
typedef struct ClipPlane {
    Vec3 normal;
    float level;
} ClipPlane;

enum { MOST_CORNERS = 5 }; // of a triangle after two cuts

static int clip_polygon(const Vec3* in, int corners, ClipPlane plane, Vec3 out[MOST_CORNERS])
{
    int count = 0;
    for (int k = 0; k < corners; k++) {
        Vec3 a = in[k], b = in[(k + 1) % corners];
        float da = plane.level - dot(plane.normal, a), db = plane.level - dot(plane.normal, b);
        if (da > 0)
            out[count++] = a;
        if ((da > 0) != (db > 0)) {
            float s = da / (da - db);
            out[count++] = (Vec3){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z)};
        }
    }
    return count;
}

static ClipPlane cut_plane(const CutAway* cut, const Camera* camera)
{
    double side = cut->hide_above ? 1 : -1;
    Vec3d n = vec3d(cut->axis == 0 ? side : 0, cut->axis == 1 ? side : 0, cut->axis == 2 ? side : 0);
    return (ClipPlane){to_vec3(camera_view_direction(camera, n)), (float)(side * cut->position - vec3d_dot(n, camera->eye))};
}

// False if the triangle has no area in the picture.
static bool screen_triangle(const Camera* camera, Vec3 p, Vec3 q, Vec3 r, uint32_t source, ScreenTriangle* out)
{
    Vec3 corner[3] = {p, q, r};
    double x[3], y[3], w[3];
    for (int k = 0; k < 3; k++) {
        double z = (double)corner[k].z, scale = camera->orthographic ? camera->focal : camera->focal / z;
        x[k] = camera->centre_x + scale * (double)corner[k].x;
        y[k] = camera->centre_y + scale * (double)corner[k].y;
        w[k] = camera->orthographic ? z : 1 / z;
    }
    double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (!(fabs(area) > 1e-12) || !isfinite(area))
        return false;
    double turn = area > 0 ? 1 : -1;
    *out = (ScreenTriangle){.source = source};
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3; // edge opposite of corner k
        out->a[k] = -turn * (y[j] - y[i]);
        out->b[k] = turn * (x[j] - x[i]);
        out->e[k] = -(out->a[k] * x[i] + out->b[k] * y[i]);
        out->za += out->a[k] * w[k] / fabs(area);
        out->zb += out->b[k] * w[k] / fabs(area);
        out->ze += out->e[k] * w[k] / fabs(area);
    }
    out->x0 = (float)fmin(fmin(x[0], x[1]), x[2]);
    out->x1 = (float)fmax(fmax(x[0], x[1]), x[2]);
    out->y0 = (float)fmin(fmin(y[0], y[1]), y[2]);
    out->y1 = (float)fmax(fmax(y[0], y[1]), y[2]);
    return true;
}

static void add_screen_triangles(TriangleList* list, const Camera* camera, const ClipPlane* cut, uint32_t source)
{
    const ViewTriangle* v = &list->view[source];
    Vec3 near[MOST_CORNERS], corner[MOST_CORNERS];
    const ClipPlane nearest = {{0, 0, -1}, camera->orthographic ? INFINITY : -(float)camera->nearest};
    int corners = clip_polygon(v->corner, 3, nearest, near);
    if (cut)
        corners = clip_polygon(near, corners, *cut, corner);
    else
        memcpy(corner, near, sizeof corner);
    for (int k = 1; k + 1 < corners; k++) {
        ScreenTriangle* s = &list->screen[list->screen_count];
        if (!screen_triangle(camera, corner[0], corner[k], corner[k + 1], source, s))
            continue;
        TileRect rect = tile_rect_of((double)s->x0, (double)s->y0, (double)s->x1, (double)s->y1, camera->width, camera->height);
        if (rect.x0 <= rect.x1)
            list->rect[list->screen_count++] = rect;
    }
}

bool triangle_list_build(TriangleList* list, Pool* pool, const SolidItem* solids, size_t count, const SampleBuffer* target,
                         const CutAway* cut, bool shadow)
{
    size_t triangles = 0;
    for (size_t s = 0; s < count; s++)
        triangles += solids[s].model->mesh->triangle_count;
    if (triangles >= ID_INDEX || !memory_reserve(NULL, &list->view, &list->view_capacity, 0, triangles + 1, sizeof *list->view) ||
        !memory_reserve(NULL, &list->screen, &list->screen_capacity, 0, 3 * triangles + 1, sizeof *list->screen) ||
        !memory_reserve(NULL, &list->rect, &list->rect_capacity, 0, 3 * triangles + 1, sizeof *list->rect))
        return false;
    list->view_count = list->screen_count = 0;
    ClipPlane plane = cut && cut->on ? cut_plane(cut, &target->camera) : (ClipPlane){0};
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < solids[s].model->mesh->triangle_count; t++) {
            if (shadow && !casts_shadow(&solids[s]))
                break;
            list->view[list->view_count] = view_triangle(&solids[s], (uint32_t)s, t, &target->camera);
            add_screen_triangles(list, &target->camera, cut && cut->on && solids[s].look == LOOK_SOLID ? &plane : NULL,
                                 (uint32_t)list->view_count++);
        }
    return tile_lists_build(&list->lists, pool, list->rect, list->screen_count, target->tiles_x, target->tiles_y);
}

void triangle_list_free(TriangleList* list)
{
    memory_give(NULL, list->view);
    memory_give(NULL, list->screen);
    memory_give(NULL, list->rect);
    tile_lists_free(&list->lists);
    *list = (TriangleList){0};
}

// A screen triangle relative to the tile's first sample centre, in float.
typedef struct LocalTriangle {
    float a[3], b[3], e[3], za, zb, ze;
    int x0, x1, y0, y1;
} LocalTriangle;

static int clamp_to_tile(float v)
{
    return (int)least(most(v, 0), TILE);
}

static LocalTriangle local_triangle(const ScreenTriangle* s, const Tile* tile)
{
    double ox = tile->x + 0.5, oy = tile->y + 0.5;
    LocalTriangle l = {.za = (float)s->za, .zb = (float)s->zb, .ze = (float)(s->ze + s->za * ox + s->zb * oy)};
    for (int k = 0; k < 3; k++) {
        l.a[k] = (float)s->a[k];
        l.b[k] = (float)s->b[k];
        l.e[k] = (float)(s->e[k] + s->a[k] * ox + s->b[k] * oy);
    }
    l.x0 = clamp_to_tile(s->x0 - (float)tile->x - 1) & ~(LANES - 1);
    l.y0 = clamp_to_tile(s->y0 - (float)tile->y - 1);
    l.x1 = clamp_to_tile(s->x1 - (float)tile->x + 2);
    l.y1 = clamp_to_tile(s->y1 - (float)tile->y + 2);
    return l;
}

// Draws one triangle: opaque ones take samples they are nearer at, panes only mark them. `slack` [m]: particles that touch a
// pane from behind may bulge through it; they still count as behind, or the pane would look torn.
static void draw_triangle(Tile* tile, const LocalTriangle* l, bool orthographic, bool pane, float slack, uint32_t id)
{
    for (int y = l->y0; y < l->y1; y++)
        for (int x = l->x0; x < l->x1; x += LANES) {
            float* depth = tile->depth[y] + x;
            uint32_t* ids = tile->id[y] + x;
            float fy = (float)y;
            for (int k = 0; k < LANES; k++) {
                float fx = (float)(x + k);
                float e0 = l->e[0] + l->a[0] * fx + l->b[0] * fy;
                float e1 = l->e[1] + l->a[1] * fx + l->b[1] * fy;
                float e2 = l->e[2] + l->a[2] * fx + l->b[2] * fy;
                float w = l->ze + l->za * fx + l->zb * fy;
                float z = orthographic ? w : 1 / w;
                bool hit = (e0 >= 0) & (e1 >= 0) & (e2 >= 0) & (z > 0) & (z < depth[k] + slack);
                uint32_t drawn = pane ? ids[k] | ID_GLASS : id;
                depth[k] = (hit & !pane) ? z : depth[k];
                ids[k] = hit ? drawn : ids[k];
            }
        }
}

static void draw_list(const TriangleList* list, const SampleBuffer* target, Tile* tile, size_t tile_index, bool panes, float slack)
{
    for (size_t k = list->lists.start[tile_index]; k < list->lists.start[tile_index + 1]; k++) {
        const ScreenTriangle* s = &list->screen[list->lists.item[k]];
        const ViewTriangle* view = &list->view[s->source];
        if (view->pane != panes || (panes && view->bare))
            continue;
        LocalTriangle local = local_triangle(s, tile);
        draw_triangle(tile, &local, target->camera.orthographic, panes, slack, s->source | ID_TRIANGLE);
    }
}

void triangle_list_draw(const TriangleList* list, const SampleBuffer* target, Tile* tile, size_t tile_index)
{
    draw_list(list, target, tile, tile_index, false, 0);
}

void triangle_list_draw_panes(const TriangleList* list, const SampleBuffer* target, Tile* tile, size_t tile_index, float slack)
{
    draw_list(list, target, tile, tile_index, true, slack);
}
