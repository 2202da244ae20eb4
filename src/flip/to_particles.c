// SPDX-License-Identifier: MIT
// Grid to particles: velocities, then positions by the midpoint rule, and out of walls that a particle got into.
#include "flip/cell.h"
#include "flip/transfer.h"

// [cells] Nearer to a wall a particle is put back.
static const double MARGIN = 0.02;
// [cells] From here on the other corners of a cell are farther from a wall than that: the diagonal and the margin.
static const float CLEAR = 1.76f;

typedef struct ToParticles {
    Flip* flip;
    const FlipParticles* particles;
    Vec4* before;
    double inverse, dt;
    float keep, pressure;
    float fall[3]; // [m/s] q of a column at rest, per cell
} ToParticles;

// --- the table of a block

// A row of nodes from -1 to 8: pairs of what two fields have there.
static void fill_row(const float* a, const float* b, const uint32_t* around, size_t cell, float* out)
{
    size_t west = (size_t)around[-1] * CELLS + cell, own = (size_t)around[0] * CELLS + cell,
           east = (size_t)around[1] * CELLS + cell;
    out[0] = a[west + 7];
    out[1] = b[west + 7];
    for (int x = 0; x < EDGE; x++) {
        out[2 * x + 2] = a[own + (size_t)x];
        out[2 * x + 3] = b[own + (size_t)x];
    }
    out[2 * EDGE + 2] = a[east];
    out[2 * EDGE + 3] = b[east];
}

static void fill_lattice(const Flip* flip, size_t k, const float* a, const float* b, float* out)
{
    int low = flip->def.dimension == 3 ? -1 : 0, high = flip->def.dimension == 3 ? EDGE : 0;
    for (int z = low; z <= high; z++)
        for (int y = -1; y <= EDGE; y++) {
            const uint32_t* around = &flip->blocks.around[k][AROUND_SELF + 9 * (z >> 3) + 3 * (y >> 3)];
            fill_row(a, b, around, (size_t)((z & 7) * ROWS + (y & 7) * EDGE), out + (z + 1) * PLANE + (y + 1) * ROW);
        }
}

// Pressures without those of a column at rest, which fall by `fall` per cell, and one where there is fluid: cells that have none do
// not count.
static void mark_fluid(float* lattice, const float fall[3])
{
    for (int n = 0; n < LATTICE / 2; n++) {
        bool wet = cell_is_fluid(lattice[2 * n + 1]);
        float x = (float)(n % SIDE) - 0.5f, y = (float)(n / SIDE % SIDE) - 0.5f, z = (float)(n / SIDE / SIDE) - 0.5f;
        lattice[2 * n] = wet ? lattice[2 * n] - (fall[0] * x + fall[1] * y + fall[2] * z) : 0;
        lattice[2 * n + 1] = wet;
    }
}

static void fill_table(const ToParticles* job, size_t k, float* table)
{
    const Flip* flip = job->flip;
    for (int a = 0; a < flip->def.dimension; a++)
        fill_lattice(flip, k, flip->velocity[a], flip->old[a], table + a * LATTICE);
    fill_lattice(flip, k, flip->q, flip->fill, table + 3 * LATTICE);
    mark_fluid(table + 3 * LATTICE, job->fall);
}

// --- interpolation

static ALWAYS_INLINE Four interpolate(const float* table, const Stencil* s, int layers)
{
    const float* t = table + s->first;
    Four sum = four_load(t) * ((1 - s->y) * (1 - s->z)) + four_load(t + ROW) * (s->y * (1 - s->z));
    if (layers == 2)
        sum += four_load(t + PLANE) * ((1 - s->y) * s->z) + four_load(t + PLANE + ROW) * (s->y * s->z);
    return sum;
}

// Both fields at a particle.
static ALWAYS_INLINE void look_up(const float* table, const Stencil* s, int layers, float out[2])
{
    Four v = interpolate(table, s, layers);
    out[0] = (1 - s->x) * v[0] + s->x * v[2];
    out[1] = (1 - s->x) * v[1] + s->x * v[3];
}

// Velocity component at a place anywhere near block `k`, in cells from its corner.
static float component_at(const Flip* flip, size_t k, const float cell[3], int axis)
{
    int i[3], layers = flip->def.dimension == 3 ? 2 : 1;
    float t[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        float c = a == axis ? cell[a] : cell[a] - 0.5f;
        float f = floorf(c);
        i[a] = (int)f;
        t[a] = c - f;
    }
    if (layers == 1)
        i[2] = 0;
    for (int n = 0; n < 4 * layers; n++) {
        int x = i[0] + (n & 1), y = i[1] + (n >> 1 & 1), z = i[2] + (n >> 2);
        float w = (n & 1 ? t[0] : 1 - t[0]) * (n & 2 ? t[1] : 1 - t[1]) * (layers == 1 ? 1 : n & 4 ? t[2] : 1 - t[2]);
        // beyond the blocks around nothing is known: it reads as the nearest that is
        x = x < -8 ? -8 : x > 15 ? 15 : x;
        y = y < -8 ? -8 : y > 15 ? 15 : y;
        z = z < -8 ? -8 : z > 15 ? 15 : z;
        sum += w * flip->velocity[axis][blocks_cell(&flip->blocks, (uint32_t)k, x, y, z)];
    }
    return sum;
}

// u of the midpoint, in the table where that reaches.
static ALWAYS_INLINE void velocity_at(const ToParticles* job, const float* table, size_t k, const float cell[3], int dimension,
                                      float out[3])
{
    const Flip* flip = job->flip;
    int layers = dimension == 3 ? 2 : 1;
    bool near = true;
    for (int a = 0; a < dimension; a++)
        near &= cell[a] >= 0 && cell[a] < 8;
    Place place = near ? place_of(cell, dimension) : (Place){0};
    for (int a = 0; a < dimension; a++) {
        float both[2];
        if (near) {
            Stencil s = stencil_of(&place, a);
            look_up(table, &s, layers, both);
        }
        out[a] = near ? both[0] : component_at(flip, k, cell, a);
    }
}

// Gradient of a velocity component per cell, along each axis.
static void gradient(const float* table, const Stencil* s, int layers, float out[3])
{
    Four low = {0, 0, 0, 0}, high = {0, 0, 0, 0}, near = {0, 0, 0, 0}, far = {0, 0, 0, 0};
    float wz[2] = {1 - s->z, s->z}, wy[2] = {1 - s->y, s->y};
    for (int z = 0; z < layers; z++)
        for (int y = 0; y < 2; y++) {
            Four v = four_load(table + s->first + y * ROW + z * PLANE);
            *(y ? &high : &low) += v * wz[z];
            *(z ? &far : &near) += v * wy[y];
        }
    Four mid = low * wy[0] + high * wy[1], dy = high - low, dz = far - near;
    out[0] = mid[2] - mid[0];
    out[1] = (1 - s->x) * dy[0] + s->x * dy[2];
    out[2] = layers == 2 ? (1 - s->x) * dz[0] + s->x * dz[2] : 0;
}

// --- walls

// Out of a solid in motion as it will be after the step, by its own lattice of distances: those at corners of cells do not see what
// is as thin as a cell.
static void leave_solid(const Flip* flip, const WallSolid* w, Vec3d* x)
{
    const Solid* solid = w->solid;
    const Distances* field = &w->field;
    double sign = solid->inside ? -1 : 1, margin = MARGIN * flip->dx, h = field->spacing;
    // where the place is now that will be there
    Vec3d local = solid_to_local(solid, vec3d_mad(*x, -flip->dt, walls_velocity(w, *x)));
    double d = sign * distances_at(field, local);
    if (d >= margin)
        return;
    Vec3d g = {
        distances_at(field, vec3d(local.x + h, local.y, local.z)) - distances_at(field, vec3d(local.x - h, local.y, local.z)),
        distances_at(field, vec3d(local.x, local.y + h, local.z)) - distances_at(field, vec3d(local.x, local.y - h, local.z)),
        distances_at(field, vec3d(local.x, local.y, local.z + h)) - distances_at(field, vec3d(local.x, local.y, local.z - h))};
    if (flip->def.dimension == 2)
        g.z = 0;
    *x = vec3d_mad(*x, sign * fmin(margin - d, flip->dx), quat_rotate(solid->pose.rotation, vec3d_normalise(g)));
}

static void leave_solids(const Flip* flip, Vec3d* x)
{
    for (size_t k = 0; k < flip->walls.solid_count; k++) {
        const WallSolid* w = &flip->walls.solid[k];
        bool near = x->x > w->low.x && x->x < w->high.x && x->y > w->low.y && x->y < w->high.y &&
                    (flip->def.dimension == 2 || (x->z > w->low.z && x->z < w->high.z));
        if (w->field.value && (near || w->solid->inside))
            leave_solid(flip, w, x);
    }
}

// Out of walls, along the gradient of the distance, in cells of block `k`.
static void leave_walls(const Flip* flip, size_t k, float cell[3])
{
    int dimension = flip->def.dimension, at[3] = {0, 0, 0};
    float local[3] = {0, 0, 0}, g[3];
    for (int a = 0; a < dimension; a++) {
        float block = floorf(cell[a] * 0.125f);
        if (!(block >= -1 && block <= 1))
            return;
        at[a] = (int)block;
        local[a] = cell[a] - 8 * block;
        if (!(local[a] < 8))
            local[a] = 7.999999f;
    }
    size_t there = flip->blocks.around[k][AROUND_SELF + 9 * at[2] + 3 * at[1] + at[0]];
    const WallCells* walls = flip->walls.cells[there];
    if (walls == flip->walls.all_open || walls == flip->walls.all_closed)
        return;
    // distances change by no more than the way: where one corner of a cell is as far as that, none is near a wall
    if (walls->corner[81 * (int)local[2] + 9 * (int)local[1] + (int)local[0]] > CLEAR * (float)flip->dx)
        return;
    double d = walls_distance(walls, local, g) / flip->dx;
    double length = sqrt((double)(g[0] * g[0] + g[1] * g[1] + (dimension == 3 ? g[2] * g[2] : 0)));
    if (!(length > 0))
        return;
    if (d >= MARGIN)
        return;
    double most = d < MARGIN - 1 ? 1 : MARGIN - d;
    for (int a = 0; a < dimension; a++)
        cell[a] += (float)(most / length) * g[a];
}

// --- particles

// `dimension` is a constant wherever this is called, so that its loops are straight code.
static ALWAYS_INLINE void move_particle(const ToParticles* job, const float* table, size_t k, size_t i, int dimension)
{
    const Flip* flip = job->flip;
    const FlipParticles* p = job->particles;
    BlockKey key = flip->blocks.key[k];
    int layers = dimension == 3 ? 2 : 1;
    Vec4 x = p->position[i], v = p->velocity[i];
    float cell[3], speed[3] = {v.x, v.y, v.z}, now[3] = {0, 0, 0}, both[2];
    cell_place(x, job->inverse, key, cell);
    Place place = place_of(cell, dimension);
    Stencil centre = stencil_of(&place, 3);
    float inner[2];
    look_up(table, &centre, layers, inner);
    for (int a = 0; a < dimension; a++) {
        Stencil s = stencil_of(&place, a);
        look_up(table, &s, layers, both);
        now[a] = both[0];
        speed[a] = job->keep * speed[a] + both[1];
        if (p->affine[a]) {
            // what lies at the surface between faces of the fluid and of the air is no gradient: it would feed on itself
            float g[3], per = (float)job->inverse * (inner[1] > 0.5f ? 2 * inner[1] - 1 : 0);
            gradient(table, &s, layers, g);
            p->affine[a][i] = (Vec4){g[0] * per, g[1] * per, g[2] * per, 0};
        }
    }
    float step = (float)(job->dt * job->inverse), middle[3] = {cell[0], cell[1], cell[2]}, u[3] = {0, 0, 0};
    for (int a = 0; a < dimension; a++)
        middle[a] += 0.5f * step * now[a];
    velocity_at(job, table, k, middle, dimension, u);
    float to[3] = {cell[0] + step * u[0], cell[1] + step * u[1], cell[2] + step * u[2]};
    // who is farther from walls than its path is long, as far as distances are kept, meets none
    const float* corner = flip->walls.cells[k]->corner;
    float path = step * sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    float reach = (CLEAR + path) * (float)flip->dx;
    if (path > 1.2f || corner[81 * (place.node[2] - 1) + 9 * (place.node[1] - 1) + place.node[0] - 1] < reach)
        leave_walls(flip, k, to);
    if (job->before)
        job->before[i] = x;
    // what it moves by is added, so that who is at rest stays where it is to the last bit
    float dx = (float)flip->dx, column = job->fall[0] * cell[0] + job->fall[1] * cell[1] + job->fall[2] * cell[2];
    if (flip->inside.count && flip->inside.voxel_slot[k])
        inside_keep_out(flip, k, cell, to, speed);
    p->velocity[i] = (Vec4){speed[0], speed[1], speed[2], v.w};
    Vec4 after = {x.x + dx * (to[0] - cell[0]), x.y + dx * (to[1] - cell[1]), x.z + dx * (to[2] - cell[2]),
                  inner[1] > 0 ? (inner[0] / inner[1] + column) * job->pressure : 0};
    if (flip->walls.any_moves) {
        Vec3d at = {(double)after.x, (double)after.y, (double)after.z};
        leave_solids(flip, &at);
        after = (Vec4){(float)at.x, (float)at.y, (float)at.z, after.w};
    }
    p->position[i] = after;
}

// Velocities over the step of particles of solids: those of the grid where they are. Deviation from Brandt 2019, who takes the
// midpoint rule: as velocities of solids follow from their paths, it would give a body that flies and turns half a step of (v .
// grad) v, which is no force (a box at 2 m/s and 2 rad/s felt 10 N).
static void carry_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ToParticles* job = context;
    Flip* flip = job->flip;
    Inside* in = &flip->inside;
    float table[TABLE];
    for (size_t k = begin; k < end; k++) {
        if (in->start[k + 1] == in->start[k])
            continue;
        fill_table(job, k, table);
        for (uint32_t i = in->start[k]; i < in->start[k + 1]; i++) {
            CarriedParticle* p = &in->particle[i];
            float cell[3], both[2], u[3];
            cell_place(p->position, job->inverse, flip->blocks.key[k], cell);
            Place place = place_of(cell, 3);
            Stencil centre = stencil_of(&place, 3);
            look_up(table, &centre, 2, both);
            float column = job->fall[0] * cell[0] + job->fall[1] * cell[1] + job->fall[2] * cell[2];
            p->position.w = both[1] > 0 ? (both[0] / both[1] + column) * job->pressure : 0;
            for (int a = 0; a < 3; a++) {
                Stencil s = stencil_of(&place, a);
                look_up(table, &s, 2, both);
                u[a] = both[0];
            }
            p->now = (Vec4){u[0], u[1], u[2], 0};
        }
    }
}

static void move_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ToParticles* job = context;
    const Flip* flip = job->flip;
    float table[TABLE];
    for (size_t k = begin; k < end; k++) {
        if (!flip->slot[k])
            continue;
        fill_table(job, k, table);
        for (int row = 0; row < ROWS; row++)
            for (uint32_t i = flip->run[k][row][0]; i < flip->run[k][row][1]; i++)
                if (flip->def.dimension == 3)
                    move_particle(job, table, k, i, 3);
                else
                    move_particle(job, table, k, i, 2);
    }
}

void flip_to_particles(Flip* flip, const FlipParticles* particles, Vec4* before)
{
    double fall = flip->dt * (double)flip->column / (double)flip->lightest;
    ToParticles job = {.flip = flip,
                       .particles = particles,
                       .before = before,
                       .inverse = 1 / flip->dx,
                       .dt = flip->dt,
                       .keep = flip->def.apic ? 0 : (float)(1 - flip->def.pic),
                       .pressure = (float)((double)flip->lightest * flip->dx / flip->dt),
                       .fall = {(float)(fall * flip->gravity.x), (float)(fall * flip->gravity.y),
                                flip->def.dimension == 3 ? (float)(fall * flip->gravity.z) : 0}};
    if (flip->inside.count) {
        parallel_for(flip->def.pool, flip->blocks.count, TRANSFER_GRAIN, carry_blocks, &job);
        inside_find_nearest(flip);
        inside_part_solids(flip);
        inside_hand_over(flip);
    }
    parallel_for(flip->def.pool, flip->blocks.count, TRANSFER_GRAIN, move_blocks, &job);
}

Vec3d flip_velocity_at(const Flip* flip, Vec3d point)
{
    double inverse = 1 / flip->dx, c[3] = {point.x * inverse, point.y * inverse, point.z * inverse};
    BlockKey key = {(int)floor(c[0] / 8), (int)floor(c[1] / 8), flip->def.dimension == 3 ? (int)floor(c[2] / 8) : 0};
    uint32_t k = blocks_find(&flip->blocks, key);
    float cell[3] = {(float)(c[0] - 8.0 * key.x), (float)(c[1] - 8.0 * key.y), (float)(c[2] - 8.0 * key.z)};
    if (!k)
        return vec3d(0, 0, 0);
    return vec3d((double)component_at(flip, k, cell, 0), (double)component_at(flip, k, cell, 1),
                 flip->def.dimension == 3 ? (double)component_at(flip, k, cell, 2) : 0);
}
