// SPDX-License-Identifier: MIT
#include "elastic/coarse.h"

#include "base/axis.h"
#include "elastic/coarse_groups.h"
#include "elastic/quad.h"

#include <string.h>

#define NONE UINT32_MAX

enum { MODES = 6, OWN = MODES * (MODES + 1) / 2, NEAR_MOST = 16 };

// Pivots smaller than this share of the diagonal are modes that do not move anything.
static const double NO_PIVOT = 1e-10;

// Rows reach back to the first group that has a point near the same edge.
static bool shape_matrix(Coarse* c, const Body* body, const Domains* d)
{
    c->first = memory_take(c->memory, c->groups * sizeof *c->first);
    c->row = memory_take(c->memory, MODES * c->groups * sizeof *c->row);
    c->value = memory_take(c->memory, 2 * MODES * c->groups * sizeof *c->value);
    c->centre = memory_take(c->memory, c->groups * sizeof *c->centre);
    c->own = memory_take(c->memory, OWN * c->groups * sizeof *c->own);
    if (!c->own || !c->first || !c->row || !c->value || !c->centre)
        return false;
    for (uint32_t g = 0; g < c->groups; g++)
        c->first[g] = g;
    for (size_t e = 0; e < d->count; e++) {
        uint32_t least = NONE;
        for (int again = 0; again < 2; again++) // the first of them, then all of them
            for (uint32_t k = 4 * d->tet_start[e]; k < 4 * d->tet_start[e + 1]; k++) {
                uint32_t g = c->group_of[body->tet[d->tet[k / 4]][k % 4]];
                least = g < least ? g : least;
                if (again && least < c->first[g])
                    c->first[g] = least;
            }
    }
    size_t entries = 0;
    for (size_t i = 0; i < MODES * c->groups; i++) {
        c->row[i] = entries; // where column 6 first[group] is
        entries += i - MODES * c->first[i / MODES] + 1;
    }
    c->entries = entries;
    c->matrix = memory_take(c->memory, entries * sizeof *c->matrix);
    c->second = memory_take(c->memory, entries * sizeof *c->second);
    return c->matrix && c->second;
}

void coarse_free(Coarse* c)
{
    void* arrays[] = {c->group_of, c->arm, c->first, c->row, c->value, c->centre, c->matrix, c->second, c->own};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(c->memory, arrays[k]);
    *c = (Coarse){0};
}

// --- modes: three shifts, three turns about the middle of the group

static void find_arms(Coarse* c, const Body* body, const Vec3d* x)
{
    double* members = c->value;
    memset(members, 0, c->groups * sizeof *members);
    memset(c->centre, 0, c->groups * sizeof *c->centre);
    for (size_t i = 0; i < body->point_count; i++) {
        c->centre[c->group_of[i]] = vec3d_add(c->centre[c->group_of[i]], x[i]);
        members[c->group_of[i]]++;
    }
    for (size_t i = 0; i < body->point_count; i++)
        c->arm[i] = vec3d_mad(x[i], -1 / members[c->group_of[i]], c->centre[c->group_of[i]]);
}

// The velocity that a mode gives a point of its group.
static Vec3d mode_at(const Coarse* c, const Body* body, size_t point, int mode)
{
    Vec3d arm = c->arm[point], u;
    switch (mode) {
    case 0:
        u = vec3d(1, 0, 0);
        break;
    case 1:
        u = vec3d(0, 1, 0);
        break;
    case 2:
        u = vec3d(0, 0, 1);
        break;
    case 3:
        u = vec3d(0, -arm.z, arm.y);
        break;
    case 4:
        u = vec3d(arm.z, 0, -arm.x);
        break;
    default:
        u = vec3d(-arm.y, arm.x, 0);
        break;
    }
    if (body->def.plane_strain)
        u.z = 0;
    return u;
}

// --- the matrix

static double* entry_of(const Coarse* c, double* matrix, size_t row, size_t column)
{
    return &matrix[c->row[row] + column - MODES * c->first[row / MODES]];
}

static double* entry(Coarse* c, size_t row, size_t column)
{
    return entry_of(c, c->matrix, row, column);
}

// += u . S u of a point, S = mass, or its share in a contact. Of contacts with several points each has its own share: that is a
// little stiffer where they do not move alike, and has no entries between groups.
static void add_point(Coarse* c, const Body* body, size_t point, double share, const Hold* contact)
{
    size_t base = MODES * c->group_of[point];
    for (int a = 0; a < MODES; a++) {
        Vec3d u = mode_at(c, body, point, a), s = vec3d_scale(u, share);
        if (contact) {
            double normal = vec3d_dot(contact->normal, u);
            s = vec3d_mad(vec3d_scale(u, contact->viscosity), (contact->stiffness - contact->viscosity) * normal, contact->normal);
            s = vec3d_scale(s, share);
        }
        for (int b = 0; b <= a; b++)
            *entry(c, base + (size_t)a, base + (size_t)b) += vec3d_dot(s, mode_at(c, body, point, b));
    }
}

// What is around an edge: its groups, and of each the sums of w and of arm w^T over its corners there, with w the smoothed gradient
// of a corner's shape function. Gradients of the modes are e_i w^T for shifts and [e_i]x (arm w^T) for turns. What more than
// NEAR_MOST groups would add is left out.
typedef struct Near {
    int count;
    uint32_t group[NEAR_MOST]; // ascending
    Vec3d shift[NEAR_MOST];    // [1/m]
    Mat3 turn[NEAR_MOST];      // [1]
} Near;

// Where a group is in the list; new ones are put where they belong. NEAR_MOST: there is no room.
static int place_of(Near* near, uint32_t group)
{
    int at = near->count;
    while (at > 0 && near->group[at - 1] >= group)
        at--;
    if (at < near->count && near->group[at] == group)
        return at;
    if (near->count == NEAR_MOST)
        return NEAR_MOST;
    for (int k = near->count++; k > at; k--) {
        near->group[k] = near->group[k - 1];
        near->shift[k] = near->shift[k - 1];
        near->turn[k] = near->turn[k - 1];
    }
    near->group[at] = group;
    near->shift[at] = vec3d(0, 0, 0);
    near->turn[at] = (Mat3){{{0}}};
    return at;
}

static void look_around(const Coarse* c, const Body* body, const Fem* fem, size_t e, Near* near)
{
    const Domains* d = &fem->domains;
    near->count = 0;
    for (uint32_t k = 4 * d->tet_start[e]; k < 4 * d->tet_start[e + 1]; k++) {
        const Element* element = &fem->element[d->tet[k / 4]];
        uint32_t point = body->tet[d->tet[k / 4]][k % 4];
        int at = body->pins.of[point] >= 0 ? NEAR_MOST : place_of(near, c->group_of[point]);
        if (at == NEAR_MOST)
            continue;
        double share = element->volume / (6 * d->volume[e]);
        Vec3d b = element->b[k % 4], arm = c->arm[point];
        const double w[3] = {share * b.x, share * b.y, share * b.z}, x[3] = {arm.x, arm.y, arm.z};
        near->shift[at] = vec3d_add(near->shift[at], vec3d(w[0], w[1], w[2]));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                near->turn[at].m[i][j] += x[i] * w[j];
    }
}

static double product(const Mat3* a, const Mat3* b)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += a->m[i][j] * b->m[i][j];
    return sum;
}

// [J] twice, of a field that groups follow by the shift of their middles (split) or all points (not), a stretch along an axis
static double stretch_energy(const Coarse* c, const Body* body, const Fem* fem, int axis, bool split)
{
    const Domains* d = &fem->domains;
    const Mat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double sum = 0;
    for (size_t e = 0; e < d->count; e++) {
        Mat3 g = {{{0}}};
        for (uint32_t k = 4 * d->tet_start[e]; k < 4 * d->tet_start[e + 1]; k++) {
            const Element* element = &fem->element[d->tet[k / 4]];
            uint32_t point = body->tet[d->tet[k / 4]][k % 4];
            Vec3d b = vec3d_scale(element->b[k % 4], element->volume / (6 * d->volume[e]));
            double u = vec3d_along(body->rest[point], axis) - (split ? vec3d_along(c->arm[point], axis) : 0);
            for (int j = 0; j < 3; j++)
                g.m[axis][j] += u * vec3d_along(b, j);
        }
        Mat3 stress = linear_stress(fem, &one, &g);
        sum += d->volume[e] * product(&stress, &g);
    }
    return sum;
}

// Z has jumps between groups: a stretch of the whole body is all in the tetrahedra there, and costs about as many times too
// much as a group has cells. So the coarse stiffness is scaled until a uniform stretch costs what it costs (Braess 1995 scales by a
// fixed number). Without it a body would be predicted to give way to the fluid by a fifth of what it does, and be pushed five times
// too hard. Directions in which there is one group only do not count.
static double find_softness(Coarse* c, const Body* body, const Fem* fem)
{
    double whole = 0, split = 0;
    find_arms(c, body, body->rest);
    for (int axis = 0; axis < (body->def.plane_strain ? 2 : 3); axis++) {
        double exact = stretch_energy(c, body, fem, axis, false), jumps = stretch_energy(c, body, fem, axis, true);
        whole += jumps > exact ? exact : 0;
        split += jumps > exact ? jumps : 0;
    }
    return split > 0 ? whole / split : 1;
}

bool coarse_create(Coarse* c, Memory* memory, const Body* body, const Fem* fem)
{
    *c = (Coarse){.memory = memory};
    c->group_of = memory_take(memory, body->point_count * sizeof *c->group_of);
    c->arm = memory_take(memory, body->point_count * sizeof *c->arm);
    if (!c->group_of || !c->arm || !coarse_divide(c, body) || !shape_matrix(c, body, &fem->domains))
        return false;
    c->softness = find_softness(c, body, fem);
    return true;
}

// What is around an edge moves as a rigid body if it belongs to one group without a pin.
static bool is_rigid(const Coarse* c, const Body* body, const Domains* d, size_t e)
{
    uint32_t group = c->group_of[d->end[e][0]];
    for (uint32_t k = 4 * d->tet_start[e]; k < 4 * d->tet_start[e + 1]; k++) {
        uint32_t point = body->tet[d->tet[k / 4]][k % 4];
        if (body->pins.of[point] >= 0 || c->group_of[point] != group)
            return false;
    }
    return true;
}

// Strains of the modes of a group in the frame of an edge: xx, yy, zz, 2 xy, 2 yz, 2 zx; of each the three shifts, then the three
// turns.
typedef struct ModeStrains {
    Quad shift[MODES], turn[MODES];
} ModeStrains;

// What three matrices a_i b_i^T, i in lanes, add to strains: a and b by components.
static inline void put_strains(const Quad a[3], const Quad b[3], Quad out[MODES])
{
    for (int k = 0; k < 3; k++) {
        int next = k == 2 ? 0 : k + 1;
        out[k] = a[k] * b[k];
        out[3 + k] = a[k] * b[next] + a[next] * b[k];
    }
}

static inline Quad lanes_next(Quad q)
{
    return __builtin_shufflevector(q, q, 1, 2, 0, 3);
}

static inline Quad lanes_last(Quad q)
{
    return __builtin_shufflevector(q, q, 2, 0, 1, 3);
}

// `r` has the columns of R: its rows take the place of the axes.
static void mode_strains(const QuadMat* r, Vec3d shift, const Mat3* turn, ModeStrains* out)
{
    const Quad w[3] = {quad_all(shift.x), quad_all(shift.y), quad_all(shift.z)};
    const QuadMat t = quad_mat_transposed(quad_mat_load(turn));
    Quad next[3], last[3], turn_next[3], turn_last[3], less[MODES];
    for (int k = 0; k < 3; k++) {
        next[k] = lanes_next(r->row[k]);
        last[k] = lanes_last(r->row[k]);
        turn_next[k] = lanes_next(t.row[k]);
        turn_last[k] = lanes_last(t.row[k]);
    }
    put_strains(r->row, w, out->shift);
    put_strains(last, turn_next, out->turn);
    put_strains(next, turn_last, less);
    for (int k = 0; k < MODES; k++)
        out->turn[k] -= less[k];
}

// Stresses of the modes, in the same order.
static void mode_stresses(const Quad strain[MODES], double scale, double mu, double lambda, Quad out[MODES])
{
    Quad trace = strain[0] + strain[1] + strain[2];
    for (int k = 0; k < 3; k++) {
        out[k] = scale * (2 * mu * strain[k] + lambda * trace);
        out[3 + k] = scale * mu * strain[3 + k];
    }
}

// sum += s . strain, `s` the stress of one mode; `count` columns
static inline void add_products(const Quad stress[MODES], int mode, const ModeStrains* strain, int count, double* sum)
{
    Quad shift = {0}, turn = {0};
    for (int k = 0; k < MODES; k++) {
        double s = ((const double*)&stress[k])[mode];
        shift += s * strain->shift[k];
        turn += s * strain->turn[k];
    }
    if (count == MODES) {
        quad_store(sum, quad_load(sum) + __builtin_shufflevector(shift, turn, 0, 1, 2, 4));
        sum[4] += turn[1];
        sum[5] += turn[2];
        return;
    }
    const double out[MODES] = {shift[0], shift[1], shift[2], turn[0], turn[1], turn[2]};
    for (int q = 0; q < count; q++)
        sum[q] += out[q];
}

// Changes of volume are not smoothed any further: that is an upper bound.
static void add_edge(const Coarse* c, double* matrix, const Body* body, const Fem* fem, size_t e, double scale)
{
    Near near;
    ModeStrains strain[NEAR_MOST];
    QuadMat r = quad_mat_load(&fem->domains.rotation[e]);
    if (body->def.plane_strain)
        r.row[2] = (Quad){0};
    r = quad_mat_transposed(r);
    look_around(c, body, fem, e, &near);
    scale *= fem->domains.volume[e];
    for (int g = 0; g < near.count; g++)
        mode_strains(&r, near.shift[g], &near.turn[g], &strain[g]);
    for (int g = 0; g < near.count; g++) {
        size_t begin = c->first[near.group[g]];
        Quad shift[MODES], turn[MODES];
        mode_stresses(strain[g].shift, scale, fem->mu, fem->lambda, shift);
        mode_stresses(strain[g].turn, scale, fem->mu, fem->lambda, turn);
        for (int p = 0; p < MODES; p++) {
            double* row = matrix + c->row[MODES * near.group[g] + (size_t)p];
            for (int other = 0; other <= g; other++)
                add_products(p < 3 ? shift : turn, p % 3, &strain[other], other == g ? p + 1 : MODES,
                             row + MODES * (near.group[other] - begin));
        }
    }
}

// sum_q -= row . column_q from `from` on, up to `to`: several at a time, since each sum waits for itself
static inline void subtract_products(const double* row, const double* const* column, int count, size_t from, size_t to, double* sum)
{
    for (size_t k = from; k < to; k++)
        for (int q = 0; q < count; q++)
            sum[q] -= row[k] * column[q][k];
}

// The entries of a row with the columns of a group.
static void factor_row(const Coarse* c, size_t i, size_t group)
{
    size_t begin = MODES * c->first[i / MODES], other = MODES * c->first[group], at = MODES * group;
    int count = group < i / MODES ? MODES : (int)(i % MODES) + 1;
    double *row = c->matrix + c->row[i] - begin, sum[MODES], diagonal = row[i];
    const double* column[MODES];
    for (int q = 0; q < count; q++) {
        column[q] = c->matrix + c->row[at + (size_t)q] - other;
        sum[q] = row[at + (size_t)q];
    }
    if (count == MODES)
        subtract_products(row, column, MODES, other > begin ? other : begin, at, sum);
    else
        subtract_products(row, column, count, other > begin ? other : begin, at, sum);
    for (int q = 0; q < count; q++) {
        size_t j = at + (size_t)q;
        for (size_t k = at; k < j; k++)
            sum[q] -= row[k] * column[q][k];
        if (j < i)
            row[j] = column[q][j] > 0 ? sum[q] / column[q][j] : 0;
        else
            row[i] = sum[q] > NO_PIVOT * diagonal ? sqrt(sum[q]) : 0;
    }
}

// Cholesky's factors in the same place; a mode without a pivot gets a zero on the diagonal.
static void factor(Coarse* c)
{
    for (size_t i = 0; i < MODES * c->groups; i++)
        for (size_t group = c->first[i / MODES]; group <= i / MODES; group++)
            factor_row(c, i, group);
}

typedef struct EdgesJob {
    Coarse* coarse;
    const Body* body;
    const Fem* fem;
    double scale;
} EdgesJob;

// One half of the edges; the second has a matrix of its own, so that sums have one order.
static void edges_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const EdgesJob* job = context;
    double* matrix = block == 0 ? job->coarse->matrix : job->coarse->second;
    for (size_t e = begin; e < end; e++)
        if (!is_rigid(job->coarse, job->body, &job->fem->domains, e))
            add_edge(job->coarse, matrix, job->body, job->fem, e, job->scale);
}

void coarse_factor(Coarse* c, Pool* pool, const Body* body, const Fem* fem, const Vec3d* x, double keep, double scale)
{
    find_arms(c, body, x);
    memset(c->matrix, 0, c->entries * sizeof *c->matrix);
    for (size_t i = 0; i < body->point_count; i++)
        if (body->pins.of[i] < 0)
            add_point(c, body, i, keep * body->mass[i], NULL);
    for (size_t k = 0; k < fem->hold_count; k++)
        for (int i = 0; i < fem->hold[k].count; i++)
            if (body->pins.of[fem->hold[k].point[i]] < 0)
                add_point(c, body, fem->hold[k].point[i], fem->hold[k].weight[i], &fem->hold[k]);
    memset(c->second, 0, c->entries * sizeof *c->second);
    EdgesJob job = {c, body, fem, c->softness * scale};
    parallel_for(pool, fem->domains.count, block_count(fem->domains.count, 2), edges_block, &job);
    for (size_t k = 0; k < c->entries; k++)
        c->matrix[k] += c->second[k];
    factor(c);
}

// --- the correction

static void solve_factored(const Coarse* c, double* v)
{
    size_t n = MODES * c->groups;
    for (size_t i = 0; i < n; i++) {
        size_t begin = MODES * c->first[i / MODES];
        const double* row = c->matrix + c->row[i] - begin;
        for (size_t k = begin; k < i; k++)
            v[i] -= row[k] * v[k];
        v[i] = row[i] > 0 ? v[i] / row[i] : 0;
    }
    for (size_t i = n; i-- > 0;) {
        size_t begin = MODES * c->first[i / MODES];
        const double* row = c->matrix + c->row[i] - begin;
        v[i] = row[i] > 0 ? v[i] / row[i] : 0;
        for (size_t k = begin; k < i; k++)
            v[k] -= row[k] * v[i];
    }
}

// v = Z^T r
static void restrict_to(const Coarse* c, const Body* body, const Vec3d* r, double* v)
{
    memset(v, 0, MODES * c->groups * sizeof *v);
    for (size_t i = 0; i < body->point_count; i++) {
        if (body->pins.of[i] >= 0)
            continue;
        double* to = v + MODES * c->group_of[i];
        Vec3d f = r[i];
        f.z = body->def.plane_strain ? 0 : f.z;
        Vec3d turn = vec3d_cross(c->arm[i], f);
        const double add[MODES] = {f.x, f.y, f.z, turn.x, turn.y, turn.z};
        for (int m = 0; m < MODES; m++)
            to[m] += add[m];
    }
}

// Z v at a point
static Vec3d motion_at(const Coarse* c, const Body* body, size_t i, const double* v)
{
    if (body->pins.of[i] >= 0)
        return vec3d(0, 0, 0);
    const double* from = v + MODES * c->group_of[i];
    Vec3d u = vec3d_add(vec3d(from[0], from[1], from[2]), vec3d_cross(vec3d(from[3], from[4], from[5]), c->arm[i]));
    u.z = body->def.plane_strain ? 0 : u.z;
    return u;
}

void coarse_add(Coarse* c, const Body* body, const Vec3d* r, Vec3d* z)
{
    restrict_to(c, body, r, c->value);
    solve_factored(c, c->value);
    for (size_t i = 0; i < body->point_count; i++)
        z[i] = vec3d_add(z[i], motion_at(c, body, i, c->value));
}

// --- the answer to forces

// Each group's own 6 x 6 matrix Z^T M Z, factored.
void coarse_split(Coarse* c, const Body* body, double keep)
{
    c->keep = keep;
    memset(c->own, 0, OWN * c->groups * sizeof *c->own);
    for (size_t i = 0; i < body->point_count; i++) {
        if (body->pins.of[i] >= 0)
            continue;
        double *m = c->own + OWN * c->group_of[i], mass = keep * body->mass[i];
        for (int a = 0; a < MODES; a++) {
            Vec3d u = vec3d_scale(mode_at(c, body, i, a), mass);
            for (int b = 0; b <= a; b++)
                m[a * (a + 1) / 2 + b] += vec3d_dot(u, mode_at(c, body, i, b));
        }
    }
    for (size_t g = 0; g < c->groups; g++) {
        double* m = c->own + OWN * g;
        for (int a = 0; a < MODES; a++)
            for (int b = 0; b <= a; b++) {
                double sum = m[a * (a + 1) / 2 + b], diagonal = sum;
                for (int k = 0; k < b; k++)
                    sum -= m[a * (a + 1) / 2 + k] * m[b * (b + 1) / 2 + k];
                double pivot = m[b * (b + 1) / 2 + b];
                m[a * (a + 1) / 2 + b] = a > b ? (pivot > 0 ? sum / pivot : 0) : (sum > NO_PIVOT * diagonal ? sqrt(sum) : 0);
            }
    }
}

static void solve_own(const Coarse* c, double* v)
{
    for (size_t g = 0; g < c->groups; g++) {
        const double* m = c->own + OWN * g;
        double* x = v + MODES * g;
        for (int a = 0; a < MODES; a++) {
            for (int k = 0; k < a; k++)
                x[a] -= m[a * (a + 1) / 2 + k] * x[k];
            double pivot = m[a * (a + 1) / 2 + a];
            x[a] = pivot > 0 ? x[a] / pivot : 0;
        }
        for (int a = MODES - 1; a >= 0; a--) {
            double pivot = m[a * (a + 1) / 2 + a];
            x[a] = pivot > 0 ? x[a] / pivot : 0;
            for (int k = 0; k < a; k++)
                x[k] -= m[a * (a + 1) / 2 + k] * x[a];
        }
    }
}

void coarse_mobility(Coarse* c, const Body* body, const Mat3* block, Vec3d* r, Vec3d* out)
{
    double *whole = c->value, *own = c->value + MODES * c->groups;
    restrict_to(c, body, r, whole);
    memcpy(own, whole, MODES * c->groups * sizeof *own);
    solve_factored(c, whole);
    solve_own(c, own);
    // r becomes Q^T r, then M D^-1 Q^T r
    for (size_t i = 0; i < body->point_count; i++) {
        bool held = body->pins.of[i] >= 0;
        r[i] = held ? vec3d(0, 0, 0) : vec3d_mad(r[i], -c->keep * body->mass[i], motion_at(c, body, i, own));
        out[i] = held ? r[i] : mat3_times(&block[i], r[i]);
        if (body->def.plane_strain)
            out[i].z = 0;
        r[i] = vec3d_scale(out[i], c->keep * body->mass[i]);
    }
    restrict_to(c, body, r, own);
    solve_own(c, own);
    for (size_t i = 0; i < body->point_count; i++)
        out[i] = vec3d_add(vec3d_sub(out[i], motion_at(c, body, i, own)), motion_at(c, body, i, whole));
}
