// SPDX-License-Identifier: MIT
#include "flip/distances.h"

static const double MOST_NODES = 4e6;
enum { ROWS_GRAIN = 16 };

double distances_of(const InsideTest* test, Vec3d point, double reach)
{
    double d = inside_distance(test, point, reach, NULL, NULL);
    return inside_contains(test, point) ? -d : d;
}

// Who is farther from the surface than the last node of the row is away is on its side.
static void fill_row(const Distances* f, const InsideTest* test, Vec3d at, float* row)
{
    double last = 0;
    for (int x = 0; x < f->n[0]; x++) {
        Vec3d p = {at.x + x * f->spacing, at.y, at.z};
        double d = inside_distance(test, p, f->reach, NULL, NULL);
        bool same = fabs(last) + d > 1.001 * f->spacing && fabs(last) > 0.5 * f->spacing && d > 0.5 * f->spacing;
        bool in = same ? last < 0 : inside_contains(test, p);
        last = in ? -d : d;
        row[x] = (float)last;
    }
}

typedef struct FillJob {
    const Distances* field;
    const InsideTest* test;
} FillJob;

static void fill_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FillJob* job = context;
    const Distances* f = job->field;
    for (size_t n = begin; n < end; n++) {
        size_t y = n % (size_t)f->n[1], z = n / (size_t)f->n[1];
        Vec3d first = vec3d_add(f->origin, vec3d(0, (double)y * f->spacing, (double)z * f->spacing));
        fill_row(f, job->test, first, f->value + n * (size_t)f->n[0]);
    }
}

bool distances_create(Distances* field, const InsideTest* test, const Box3d* box, double spacing, double reach, int dimension,
                      Memory* memory, Pool* pool)
{
    Vec3d size = vec3d_sub(box->max, box->min);
    double nodes;
    for (;; spacing *= 1.25) {
        nodes = ((size.x + 2 * reach) / spacing + 2) * ((size.y + 2 * reach) / spacing + 2) *
                (dimension == 3 ? (size.z + 2 * reach) / spacing + 2 : 1);
        if (nodes <= MOST_NODES)
            break;
    }
    *field = (Distances){.origin = vec3d_sub(box->min, vec3d(reach, reach, reach)),
                         .spacing = spacing,
                         .n = {(int)((size.x + 2 * reach) / spacing) + 2, (int)((size.y + 2 * reach) / spacing) + 2,
                               dimension == 3 ? (int)((size.z + 2 * reach) / spacing) + 2 : 1},
                         .reach = reach};
    if (dimension == 2)
        field->origin.z = 0;
    size_t count = (size_t)field->n[0] * (size_t)field->n[1] * (size_t)field->n[2];
    field->value = memory_take(memory, count * sizeof *field->value);
    if (!field->value)
        return false;
    FillJob job = {field, test};
    parallel_for(pool, (size_t)field->n[1] * (size_t)field->n[2], ROWS_GRAIN, fill_rows, &job);
    return true;
}

void distances_free(Distances* field, Memory* memory)
{
    memory_give(memory, field->value);
    *field = (Distances){0};
}

double distances_at(const Distances* field, Vec3d point)
{
    Vec3d p = vec3d_scale(vec3d_sub(point, field->origin), 1 / field->spacing);
    double at[3] = {p.x, p.y, field->n[2] > 1 ? p.z : 0};
    int i[3];
    for (int a = 0; a < 3; a++) {
        if (!(at[a] >= 0 && at[a] <= field->n[a] - 1))
            return field->reach; // nothing is near
        i[a] = (int)at[a];
        if (i[a] > field->n[a] - 2 && field->n[a] > 1)
            i[a] = field->n[a] - 2;
        at[a] -= i[a];
    }
    size_t sy = (size_t)field->n[0], sz = sy * (size_t)field->n[1];
    const float* v = field->value + (size_t)i[2] * sz + (size_t)i[1] * sy + (size_t)i[0];
    double sum = 0;
    for (int k = 0; k < (field->n[2] > 1 ? 8 : 4); k++) {
        double w = (k & 1 ? at[0] : 1 - at[0]) * (k & 2 ? at[1] : 1 - at[1]) * (k & 4 ? at[2] : 1 - at[2]);
        sum += w * (double)v[(size_t)(k & 1) + (k & 2 ? sy : 0) + (k & 4 ? sz : 0)];
    }
    return sum;
}
