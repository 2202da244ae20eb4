// SPDX-License-Identifier: MIT
#include "render/line.h"

#include <stdlib.h>

// A point of a line in pixels, with 1/z (orthographic: z), which is linear along the line.
typedef struct LinePoint {
    double x, y, w;
} LinePoint;

static LinePoint line_point(const View* view, Vec3d v)
{
    const Camera* c = &view->samples.camera;
    double scale = (c->orthographic ? c->focal : c->focal / v.z) / view->factor;
    return (LinePoint){c->centre_x / view->factor + scale * v.x, c->centre_y / view->factor + scale * v.y,
                       c->orthographic ? v.z : 1 / v.z};
}

bool line_clip(double nearest, Vec3d* a, Vec3d* b)
{
    if (a->z <= nearest && b->z <= nearest)
        return false;
    Vec3d* behind = a->z <= nearest ? a : b->z <= nearest ? b : NULL;
    if (behind) {
        const Vec3d* front = behind == a ? b : a;
        *behind = vec3d_lerp(*behind, *front, (nearest * 1.001 - behind->z) / (front->z - behind->z));
    }
    return true;
}

// Which part of the pixel's samples lies behind depth z.
static float visible_share(const View* view, int px, int py, float z)
{
    int f = view->factor, seen = 0;
    for (int j = 0; j < f; j++)
        for (int i = 0; i < f; i++)
            seen += z <= view->samples.depth[(size_t)(py * f + j) * (size_t)view->samples.stride + (size_t)(px * f + i)];
    return (float)seen / (float)(f * f);
}

// One pixel across the line at parameter t of the major axis.
static void line_pixel(const View* view, Picture* picture, const LinePen* pen, LinePoint p, LinePoint q, int x, int y, float bias)
{
    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height)
        return;
    double dx = q.x - p.x, dy = q.y - p.y, length = hypot(dx, dy), px = x + 0.5 - p.x, py = y + 0.5 - p.y;
    double along = length > 0 ? (px * dx + py * dy) / length : 0,
           across = length > 0 ? fabs(px * dy - py * dx) / length : hypot(px, py);
    double over = fmax(fmax(-along, along - length), 0);
    float cover = (float)fmin(fmax(pen->width / 2 + 0.5 - hypot(across, over), 0), 1);
    if (cover <= 0)
        return;
    double t = length > 0 ? fmin(fmax(along / length, 0), 1) : 0, w = p.w + t * (q.w - p.w);
    float z = (float)(view->samples.camera.orthographic ? w : 1 / w);
    picture_blend(picture, x, y, pen->colour, pen->alpha * cover * visible_share(view, x, y, z - bias));
}

double line_bias(double radius, Vec3d a, Vec3d b)
{
    return 0.6 * radius + 0.001 * fmin(a.z, b.z);
}

static void draw_line(const View* view, Picture* picture, const LinePen* pen, Vec3d a, Vec3d b)
{
    const Camera* camera = &view->samples.camera;
    if (!camera->orthographic && !line_clip(camera->nearest, &a, &b))
        return;
    LinePoint p = line_point(view, a), q = line_point(view, b);
    bool steep = fabs(q.y - p.y) > fabs(q.x - p.x);
    double from = steep ? fmin(p.y, q.y) : fmin(p.x, q.x), to = steep ? fmax(p.y, q.y) : fmax(p.x, q.x);
    int limit = steep ? picture->height : picture->width, reach = (int)ceil(pen->width * 0.75 + 1);
    if (!(from < limit + reach && to > -reach))
        return;
    float bias = (float)line_bias((double)view->radius, a, b);
    for (int i = (int)fmax(floor(from) - reach, 0); i < (int)fmin(ceil(to) + reach, limit); i++) {
        double span = steep ? q.y - p.y : q.x - p.x;
        double t = fabs(span) > 1e-9 ? fmin(fmax((i + 0.5 - (steep ? p.y : p.x)) / span, 0), 1) : 0;
        double centre = steep ? p.x + t * (q.x - p.x) : p.y + t * (q.y - p.y);
        if (fabs(centre) > 1e6)
            continue;
        for (int j = (int)floor(centre) - reach; j <= (int)floor(centre) + reach; j++)
            line_pixel(view, picture, pen, p, q, steep ? j : i, steep ? i : j, bias);
    }
}

static Vec3d solid_point(const Camera* camera, const SolidItem* solid, uint32_t vertex)
{
    return camera_view(camera,
                       vec3d_add(quat_rotate(solid->pose.rotation, solid->model->mesh->vertex[vertex]), solid->pose.position));
}

// --- which lines there are

static double pen_scale(int height)
{
    return fmax(height / 720.0, 0.5);
}

void lines_of_edges(const Camera* camera, const SolidItem* solids, size_t count, Vec3 ink, int height, LineSink sink)
{
    LinePen front = {1.5 * pen_scale(height), ink, 0.60f}, back = {1.1 * pen_scale(height), ink, 0.30f};
    for (size_t s = 0; s < count; s++) {
        const SolidItem* solid = &solids[s];
        if (solid->look == LOOK_SOLID)
            continue;
        const Model* model = solid->model;
        bool clear = solid->look == LOOK_EDGES || solid->look == LOOK_GLASS; // its outline is drawn
        for (size_t k = 0; k < model->edge_count; k++) {
            const ModelEdge* e = &model->edge[k];
            FaceSide l = face_side(solid, camera, e->left), r = e->right == UINT32_MAX ? l : face_side(solid, camera, e->right);
            bool left = clear ? l.outer : l.pane, right = clear ? r.outer : r.pane;
            if (e->crease || left != right)
                sink.draw(sink.user, left || right ? &front : &back, solid_point(camera, solid, e->a),
                          solid_point(camera, solid, e->b));
        }
    }
}

void lines_of_nozzles(const Camera* camera, const NozzleLine* lines, size_t count, int height, LineSink sink)
{
    double scale = pen_scale(height);
    LinePen nozzle = {2.6 * scale, {0.10f, 0.42f, 0.78f}, 0.95f}, stream = {1.8 * scale, {0.10f, 0.42f, 0.78f}, 0.6f};
    for (size_t k = 0; k < count; k++)
        sink.draw(sink.user, lines[k].faint ? &stream : &nozzle, camera_view(camera, lines[k].from),
                  camera_view(camera, lines[k].to));
}

void lines_of_segments(const Camera* camera, const SolidItem* solid, bool flat, int height, LineSink sink)
{
    const TriMesh* mesh = solid->model->mesh;
    LinePen pen = {(flat ? 2.2 : 3.0) * pen_scale(height), vec3_scale(solid->colour, flat ? 0.45f : 0.8f), 1};
    for (size_t k = 0; k < mesh->segment_count; k++)
        sink.draw(sink.user, &pen, solid_point(camera, solid, mesh->segment[k][0]),
                  solid_point(camera, solid, mesh->segment[k][1]));
}

// --- lines over a picture

typedef struct PictureLines {
    const View* view;
    Picture* picture;
} PictureLines;

static void draw_into_picture(void* user, const LinePen* pen, Vec3d a, Vec3d b)
{
    const PictureLines* p = user;
    draw_line(p->view, p->picture, pen, a, b);
}

void draw_edges(const View* view, const SolidItem* solids, size_t count, Vec3 ink, Picture* picture)
{
    lines_of_edges(&view->samples.camera, solids, count, ink, picture->height,
                   (LineSink){draw_into_picture, &(PictureLines){view, picture}});
}

void draw_nozzles(const View* view, const NozzleLine* lines, size_t count, Picture* picture)
{
    lines_of_nozzles(&view->samples.camera, lines, count, picture->height,
                     (LineSink){draw_into_picture, &(PictureLines){view, picture}});
}

// --- 2D obstacles: even-odd fill by rows, four rows per pixel, exact along the row

typedef struct FillRow {
    double* cross;
    size_t count;
} FillRow;

static int double_order(const void* x, const void* y)
{
    double a = *(const double*)x, b = *(const double*)y;
    return a < b ? -1 : a > b;
}

static void cross_segments(const View* view, const SolidItem* solid, const LinePoint* point, double y, FillRow* row)
{
    const TriMesh* mesh = solid->model->mesh;
    row->count = 0;
    for (size_t k = 0; k < mesh->segment_count; k++) {
        LinePoint p = point[mesh->segment[k][0]], q = point[mesh->segment[k][1]];
        if ((p.y <= y) != (q.y <= y))
            row->cross[row->count++] = p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x);
    }
    qsort(row->cross, row->count, sizeof *row->cross, double_order);
}

static void fill_outline(const View* view, const SolidItem* solid, const LinePoint* point, FillRow* row, Picture* picture)
{
    enum { ROWS = 4 };
    float* cover = calloc((size_t)picture->width, sizeof *cover);
    if (!cover)
        return;
    for (int y = 0; y < picture->height; y++) {
        bool any = false;
        for (int k = 0; k < ROWS; k++) {
            cross_segments(view, solid, point, y + (k + 0.5) / ROWS, row);
            for (size_t c = 0; c + 1 < row->count; c += 2) {
                double from = fmax(row->cross[c], 0), to = fmin(row->cross[c + 1], picture->width);
                for (int x = (int)from; x < (int)ceil(to); x++)
                    cover[x] += (float)fmax(fmin(x + 1, to) - fmax(x, from), 0) / ROWS;
                any = true;
            }
        }
        for (int x = 0; any && x < picture->width; x++) {
            picture_blend(picture, x, y, solid->colour, cover[x]);
            cover[x] = 0;
        }
    }
    free(cover);
}

static bool fill_solid(const View* view, const SolidItem* solid, Picture* picture)
{
    const TriMesh* mesh = solid->model->mesh;
    LinePoint* point = malloc((mesh->vertex_count + 1) * sizeof *point);
    FillRow row = {malloc((mesh->segment_count + 1) * sizeof *row.cross), 0};
    bool ok = point && row.cross;
    if (ok) {
        for (size_t v = 0; v < mesh->vertex_count; v++)
            point[v] = line_point(view, solid_point(&view->samples.camera, solid, (uint32_t)v));
        fill_outline(view, solid, point, &row, picture);
    }
    free(point);
    free(row.cross);
    return ok;
}

bool draw_segments(const View* view, const SolidItem* solids, size_t count, bool fill, Picture* picture)
{
    for (size_t s = 0; s < count; s++) {
        bool filled = fill && solids[s].look == LOOK_SOLID && solids[s].model->mesh->segment_count > 2;
        if (filled && !fill_solid(view, &solids[s], picture))
            return false;
        lines_of_segments(&view->samples.camera, &solids[s], fill, picture->height,
                          (LineSink){draw_into_picture, &(PictureLines){view, picture}});
    }
    return true;
}
