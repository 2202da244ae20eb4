// SPDX-License-Identifier: MIT
// A box of fluid holds as many particles as its volume asks for, V / (2r)^d, and fills it: borders lie half a spacing beyond the
// outermost particles, as walls want it. Lengths are seldom whole spacings, so the rest is spread. Across gravity the box is cut
// into the nearest whole number of columns; the particles are dealt out to them, some getting one more than others, evenly strewn;
// each column spaces its own evenly over the height. No distance within a column or across is less than LEAST_APART: in a gap of a
// few spacings, or a film of two layers, the box then holds less than it was asked for, which `check` shows.
#include "fluid/seed.h"

#include "base/error.h"
#include "fluid/hollow.h"
#include "mesh/inside.h"
#include "mesh/mass.h"
#include "mesh/shape.h"
#include <stdio.h>
#include <stdlib.h>

// No more particles than 32-bit indices with room for padding can name.
static const double MOST_PARTICLES = 2147483000.0;

static const double LEAST_APART = 0.8; // [spacings]

static mn_Result out_of_memory(mn_Error* error, size_t count)
{
    return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", count);
}

// --- boxes

// Most points on a length that are not too close together.
static int64_t most_on(double length, double spacing)
{
    return length >= 0.5 * spacing ? 1 + (int64_t)floor(fmax(length - spacing, 0) / (LEAST_APART * spacing) + 1e-6) : 0;
}

// Where point `k` of `n` lies on a length.
static double place(int64_t k, int64_t n, double length, double spacing)
{
    double inset = fmin(spacing, length) / 2;
    return n > 1 ? inset + (double)k * (length - 2 * inset) / (double)(n - 1) : length / 2;
}

typedef struct BoxPlan {
    int up, across[2];  // axes
    int64_t columns[2]; // along `across`
    double size[3];     // [m]
    double particles;
} BoxPlan;

// [1] how far distances are from a spacing, as a logarithm: of `n` points on a length.
static double distortion(double n, double length, double spacing)
{
    return n > 1 ? fabs(log((length - spacing) / ((n - 1) * spacing))) : 0;
}

// Columns `a` and `b` along the two axes across, and how bad that is.
static double try_columns(BoxPlan* box, int64_t a, int64_t b, double volume, double spacing)
{
    double columns = (double)a * (double)b, high = box->size[box->up];
    double most = (double)most_on(high, spacing) * columns;
    box->columns[0] = a;
    box->columns[1] = b;
    box->particles = fmin(floor(volume + 0.5), most);
    double missing = (floor(volume + 0.5) - box->particles) / fmax(volume, 1);
    double worst =
        fmax(distortion((double)a, box->size[box->across[0]], spacing), distortion((double)b, box->size[box->across[1]], spacing));
    return 10 * missing + fmax(worst, distortion(ceil(box->particles / columns), high, spacing));
}

// Of the whole numbers around the lengths across, those that distort the lattice least.
static void choose_columns(BoxPlan* box, double volume, int dimension, double spacing)
{
    int64_t low[2], high[2];
    for (int a = 0; a < 2; a++) {
        double length = box->size[box->across[a]];
        bool flat = box->across[a] == 2 && dimension == 2;
        int64_t most = flat ? 1 : most_on(length, spacing), whole = (int64_t)floor(length / spacing + 1e-6);
        low[a] = flat || whole < 1 ? most : whole < most ? whole : most;
        high[a] = flat ? 1 : low[a] < most ? low[a] + 1 : most;
    }
    BoxPlan best = *box;
    double least = INFINITY;
    for (int64_t a = low[0]; a <= high[0]; a++)
        for (int64_t b = low[1]; b <= high[1]; b++) {
            double bad = try_columns(box, a, b, volume, spacing);
            if (bad < least - 1e-9) {
                least = bad;
                best = *box;
            }
        }
    *box = best;
}

static BoxPlan plan_box(const SeedPlan* plan, Vec3d size, Quat rotation)
{
    Vec3d local = quat_rotate(quat_conjugate(rotation), plan->gravity);
    double g[3] = {fabs(local.x), fabs(local.y), plan->dimension == 3 ? fabs(local.z) : 0}, d = plan->spacing;
    BoxPlan box = {.size = {size.x, size.y, plan->dimension == 3 ? size.z : 0}};
    box.up = g[0] > fmax(g[1], g[2]) ? 0 : g[2] > g[1] ? 2 : 1;
    box.across[0] = box.up == 0 ? 1 : 0;
    box.across[1] = box.up == 2 ? 1 : 2;
    choose_columns(&box, size.x / d * (size.y / d) * (plan->dimension == 3 ? size.z / d : 1), plan->dimension, d);
    return box;
}

// How many of `total` particles column number `k` of row `j` gets. Rows are turned against each other, so that columns with one
// more form no stripes.
static int64_t share_of(const BoxPlan* box, int64_t j, int64_t k)
{
    int64_t n = box->columns[0], all = n * box->columns[1];
    int64_t turned = j * n + (k + (int64_t)((double)n * fmod(0.6180339887498949 * (double)j, 1))) % n;
    int64_t each = (int64_t)(box->particles / (double)all);
    double rest = box->particles - (double)each * (double)all;
    return each + (floor((double)(turned + 1) * rest / (double)all) > floor((double)turned * rest / (double)all));
}

// Fills the box around a pose's position.
static mn_Result seed_box(const MovingParticles* to, Vec3d size, const mn_Pose* pose, Vec3d velocity, int kind, SeedPlan* plan,
                          mn_Error* error)
{
    BoxPlan box = plan_box(plan, size, pose->rotation);
    if (box.particles + (double)to->set->count > MOST_PARTICLES)
        return error_set(error, MN_BAD_INPUT, "a block of %.3g particles; at most %.4g are possible", box.particles,
                         MOST_PARTICLES);
    if (!particle_set_reserve(to->set, to->set->count + (size_t)box.particles))
        return out_of_memory(error, to->set->count + (size_t)box.particles);
    for (int64_t j = 0; j < box.columns[1]; j++)
        for (int64_t k = 0; k < box.columns[0]; k++) {
            double p[3] = {0};
            p[box.across[0]] = place(k, box.columns[0], box.size[box.across[0]], plan->spacing);
            p[box.across[1]] = place(j, box.columns[1], box.size[box.across[1]], plan->spacing);
            int64_t n = share_of(&box, j, k);
            for (int64_t i = 0; i < n; i++) {
                p[box.up] = place(i, n, box.size[box.up], plan->spacing);
                Vec3d local = vec3d_sub(vec3d(p[0], p[1], p[2]), vec3d_scale(vec3d(box.size[0], box.size[1], box.size[2]), 0.5));
                Vec3d at = vec3d_add(pose->position, quat_rotate(pose->rotation, local));
                if (plan->dimension == 2)
                    at.z = 0;
                if (!moving_append(to, at, velocity, kind, (uint32_t)(*plan->next_id)++))
                    return out_of_memory(error, to->set->count);
            }
        }
    return MN_OK;
}

static mn_Result seed_block(const MovingParticles* to, const mn_Block* block, int kind, SeedPlan* plan, mn_Error* error)
{
    mn_Pose pose = {vec3d_scale(vec3d_add(block->min, block->max), 0.5), quat_identity()};
    return seed_box(to, vec3d_sub(block->max, block->min), &pose, block->velocity, kind, plan, error);
}

// --- other shapes

// [m] how deep a point lies in a shape; negative outside, exact only within a spacing of the surface.
typedef double DepthFn(const void* context, Vec3d point);

typedef struct Shape {
    DepthFn* depth;
    const void* context;
    Box3d bounds;
    double volume; // [m^d]
} Shape;

typedef struct Candidate {
    double depth;
    Vec3d point;
} Candidate;

static int deepest_first(const void* a, const void* b)
{
    double x = ((const Candidate*)a)->depth, y = ((const Candidate*)b)->depth;
    return x > y ? -1 : x < y;
}

// Lattice points in and around a shape, in *out: the caller gives them back. The lattice is centred on the shape, `more` points
// long than it: one more or two decide whether its middle is a point. SIZE_MAX: out of memory.
static size_t gather(const Shape* shape, const SeedPlan* plan, int more, Candidate** out)
{
    double d = plan->spacing;
    Vec3d size = vec3d_sub(shape->bounds.max, shape->bounds.min);
    Vec3d centre = vec3d_scale(vec3d_add(shape->bounds.min, shape->bounds.max), 0.5);
    int64_t n[3] = {(int64_t)ceil(size.x / d) + more, (int64_t)ceil(size.y / d) + more,
                    plan->dimension == 3 ? (int64_t)ceil(size.z / d) + more : 1};
    size_t count = 0, capacity = 0;
    for (int64_t z = 0; z < n[2]; z++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t x = 0; x < n[0]; x++) {
                Vec3d p = {centre.x + d * ((double)x - 0.5 * (double)(n[0] - 1)),
                           centre.y + d * ((double)y - 0.5 * (double)(n[1] - 1)),
                           plan->dimension == 3 ? centre.z + d * ((double)z - 0.5 * (double)(n[2] - 1)) : 0};
                double depth = shape->depth(shape->context, p);
                if (depth < -0.5 * d)
                    continue;
                if (count == capacity && !memory_reserve(NULL, out, &capacity, count, count + count / 2 + 1024, sizeof **out))
                    return SIZE_MAX;
                (*out)[count++] = (Candidate){depth, p};
            }
    return count;
}

// As many lattice points as the volume asks for, the deepest first. Points that are equally deep stay together, so that what is
// symmetric starts so.
static size_t choose(double wanted, double spacing, Candidate* candidate, size_t count)
{
    double same = 1e-6 * spacing;
    if (count) // of a shape without room for one there is no array
        qsort(candidate, count, sizeof *candidate, deepest_first);
    size_t chosen = 0;
    for (size_t end = 0; end < count; chosen = end) {
        for (end = chosen + 1; end < count && candidate[end].depth > candidate[chosen].depth - same;)
            end++;
        if (fabs((double)end - wanted) > fabs((double)chosen - wanted) && (double)end > wanted)
            break;
    }
    return chosen;
}

// Fills a shape that a pose places.
static mn_Result seed_shape(const MovingParticles* to, const Shape* shape, const mn_Pose* pose, Vec3d velocity, int kind,
                            SeedPlan* plan, mn_Error* error)
{
    double d = plan->spacing;
    Vec3d size = vec3d_sub(shape->bounds.max, shape->bounds.min);
    double most = (size.x / d + 2) * (size.y / d + 2) * (plan->dimension == 3 ? size.z / d + 2 : 1);
    if (most > MOST_PARTICLES)
        return error_set(error, MN_BAD_INPUT, "a shape of %.3g lattice points; at most %.4g are possible", most, MOST_PARTICLES);
    // of two lattices the one that comes nearer to the volume
    Candidate* lattice[2] = {NULL, NULL};
    size_t count[2], chosen[2] = {0, 0};
    double wanted = shape->volume / pow(d, plan->dimension);
    bool ok = true;
    for (int k = 0; k < 2 && ok; k++) {
        count[k] = gather(shape, plan, 1 + k, &lattice[k]);
        ok = count[k] != SIZE_MAX;
        chosen[k] = ok ? choose(wanted, d, lattice[k], count[k]) : 0;
    }
    int best = fabs((double)chosen[1] - wanted) < fabs((double)chosen[0] - wanted) - 1e-9 ? 1 : 0;
    ok = ok && particle_set_reserve(to->set, to->set->count + chosen[best]);
    for (size_t k = 0; ok && k < chosen[best]; k++) {
        Vec3d at = vec3d_add(pose->position, quat_rotate(pose->rotation, lattice[best][k].point));
        if (plan->dimension == 2)
            at.z = 0;
        ok = moving_append(to, at, velocity, kind, (uint32_t)(*plan->next_id)++);
    }
    memory_give(NULL, lattice[0]);
    memory_give(NULL, lattice[1]);
    return ok ? MN_OK : out_of_memory(error, to->set->count + chosen[best]);
}

static double ball_depth(const void* context, Vec3d p)
{
    return *(const double*)context - vec3d_length(p);
}

static mn_Result seed_ball(const MovingParticles* to, const mn_Ball* ball, int kind, SeedPlan* plan, mn_Error* error)
{
    double r = ball->radius, volume = plan->dimension == 3 ? 4 / 3.0 * M_PI * r * r * r : M_PI * r * r;
    Shape shape = {ball_depth, &r, {{-r, -r, -r}, {r, r, r}}, volume};
    return seed_shape(to, &shape, &(mn_Pose){ball->centre, quat_identity()}, ball->velocity, kind, plan, error);
}

typedef struct MeshDepth {
    const InsideTest* test;
    double limit; // [m]
} MeshDepth;

static double mesh_depth(const void* context, Vec3d p)
{
    const MeshDepth* mesh = context;
    double distance = inside_distance(mesh->test, p, mesh->limit, NULL, NULL);
    return inside_contains(mesh->test, p) ? distance : -distance;
}

static mn_Result seed_mesh(const MovingParticles* to, const TriMesh* mesh, const mn_Pose* pose, Vec3d velocity, int kind,
                           SeedPlan* plan, const char* name, mn_Error* error)
{
    TopologyReport report;
    InsideTest* test = NULL;
    MassProperties mass;
    mn_Result result;
    if (!tri_mesh_topology(mesh, &report) || !mass_of_union(mesh, &mass) || !(test = inside_create(mesh, NULL)))
        result = out_of_memory(error, to->set->count);
    else if (!report.closed)
        result =
            error_set(error, MN_BAD_INPUT, "only a closed shape can be filled; %s has %zu open edges", name, report.open_edges);
    else {
        MeshDepth depth = {test, 2 * plan->spacing};
        Shape shape = {mesh_depth, &depth, tri_mesh_bounds(mesh), mass.volume};
        result = seed_shape(to, &shape, pose, velocity, kind, plan, error);
    }
    inside_destroy(test);
    return result;
}

// A shape as a solid has it, placed.
typedef struct Placed {
    mn_Shape shape;
    mn_Vec3 position, scale, velocity;
    mn_Quat rotation;
} Placed;

static mn_Result seed_placed(const MovingParticles* to, const Placed* placed, int kind, SeedPlan* plan, mn_Error* error)
{
    mn_Pose pose = {placed->position, quat_normalise(placed->rotation)};
    if (placed->shape.type == MN_SHAPE_BOX) {
        Vec3d size = placed->shape.size, s = placed->scale;
        size = vec3d(fabs(size.x * s.x), fabs(size.y * s.y), fabs(size.z * s.z));
        return seed_box(to, size, &pose, placed->velocity, kind, plan, error);
    }
    TriMesh mesh = {0};
    mn_Result result = shape_build(&placed->shape, plan->dimension, plan->spacing, plan->folder, &mesh, error);
    if (result != MN_OK)
        return result;
    tri_mesh_scale(&mesh, placed->scale);
    char name[280] = "it";
    if (placed->shape.file)
        snprintf(name, sizeof name, "'%.256s'", placed->shape.file);
    result = seed_mesh(to, &mesh, &pose, placed->velocity, kind, plan, name, error);
    tri_mesh_free(&mesh);
    return result;
}

static mn_Result seed_fill(const MovingParticles* to, const mn_Fill* fill, int kind, SeedPlan* plan, mn_Error* error)
{
    Placed placed = {{.type = MN_SHAPE_MESH, .file = fill->file}, fill->position, fill->scale, fill->velocity, fill->rotation};
    return seed_placed(to, &placed, kind, plan, error);
}

static mn_Result seed_fluid_shape(const MovingParticles* to, const mn_FluidShape* fluid, int kind, SeedPlan* plan, mn_Error* error)
{
    Placed placed = {fluid->shape, fluid->position, fluid->scale, fluid->velocity, fluid->rotation};
    return seed_placed(to, &placed, kind, plan, error);
}

// --- what solids hold

static mn_Result seed_solid(const MovingParticles* to, const mn_SolidFill* fill, int kind, SeedPlan* plan, mn_Error* error)
{
    int number = solid_find(plan->solid, plan->solid_count, fill->solid);
    if (number < 0)
        return solid_not_found(plan->solid, plan->solid_count, "solid", fill->solid, error);
    double g = vec3d_length(plan->gravity);
    Box3d box = tri_mesh_bounds(&plan->solid[number].mesh);
    Vec3d size = vec3d_scale(vec3d_sub(box.max, box.min), 1 / plan->spacing);
    if ((size.x + 4) * (size.y + 4) * (plan->dimension == 3 ? size.z + 4 : 1) > 2e8) {
        error_set(error, MN_BAD_INPUT,
                  "solid '%.64s' is %.3g x %.3g x %.3g m, too large to be filled with particles %g m apart: is its scale right?",
                  fill->solid, size.x * plan->spacing, size.y * plan->spacing, size.z * plan->spacing, plan->spacing);
        error_key(error, "solid");
        return MN_BAD_INPUT;
    }
    Vec3d up = g > 0 ? vec3d_scale(plan->gravity, -1 / g) : vec3d(0, 1, 0);
    Hollow hollow;
    double wanted;
    if (!hollow_fill(&plan->solid[number], up, plan->spacing, plan->dimension, fill->level, &hollow, &wanted))
        return out_of_memory(error, to->set->count);
    bool ok = particle_set_reserve(to->set, to->set->count + hollow.count);
    for (size_t k = 0; ok && k < hollow.count; k++)
        ok = moving_append(to, hollow.point[k], vec3d(0, 0, 0), kind, (uint32_t)(*plan->next_id)++);
    mn_Result result = ok ? MN_OK : out_of_memory(error, to->set->count);
    if (ok && hollow.count == 0) {
        result =
            error_set(error, MN_BAD_INPUT,
                      "solid '%.64s' holds no fluid: it has no hollow that is open at the top and wider than two spacings of %g m",
                      fill->solid, plan->spacing);
        error_key(error, "solid");
    } else if (ok && hollow.lowest + fill->level > hollow.rim + plan->spacing) {
        result = error_set(error, MN_BAD_INPUT, "got %g, but solid '%.64s' runs over above %.3g m", fill->level, fill->solid,
                           hollow.rim - hollow.lowest);
        error_key(error, "level");
    }
    hollow_free(&hollow);
    return result;
}

// --- particles of a file

static mn_Result read_particles(const mn_Fill* start, const SeedPlan* plan, size_t* count, float** position, float** velocity,
                                mn_Error* error)
{
    char path[4096];
    bool absolute = start->file[0] == '/' || !plan->folder || !plan->folder[0];
    int length = snprintf(path, sizeof path, "%s%s%s", absolute ? "" : plan->folder, absolute ? "" : "/", start->file);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(error, MN_BAD_INPUT, "the path of '%.200s' is too long", start->file);
    if (!plan->read_particles)
        return error_set(error, MN_BAD_INPUT, "this program does not read particles: mn_WorldDef.read_particles is NULL");
    mn_Result result = plan->read_particles(path, count, position, velocity, error);
    if (result == MN_OK && *count > UINT32_MAX / 4)
        result = error_set(error, MN_BAD_INPUT, "'%.200s' has %zu particles, too many", start->file, *count);
    return result;
}

static Vec3d triple(const float* v)
{
    return vec3d((double)v[0], (double)v[1], (double)v[2]);
}

static mn_Result seed_particles(const MovingParticles* to, const mn_Fill* start, int kind, SeedPlan* plan, mn_Error* error)
{
    size_t count = 0;
    float *position = NULL, *velocity = NULL;
    Quat turn = quat_normalise(start->rotation);
    mn_Result result = read_particles(start, plan, &count, &position, &velocity, error);
    bool ok = result == MN_OK && particle_set_reserve(to->set, to->set->count + count);
    for (size_t k = 0; ok && k < count; k++) {
        Vec3d x = triple(position + 3 * k), v = velocity ? triple(velocity + 3 * k) : vec3d(0, 0, 0);
        if (!isfinite(x.x + x.y + x.z + v.x + v.y + v.z)) {
            result = error_set(error, MN_BAD_INPUT, "particle %zu of '%.200s' has a position or velocity that is not a number", k,
                               start->file);
            break;
        }
        x = vec3d_add(quat_rotate(turn, vec3d(x.x * start->scale.x, x.y * start->scale.y, x.z * start->scale.z)), start->position);
        v = vec3d_add(quat_rotate(turn, v), start->velocity);
        if (plan->dimension == 2)
            x.z = v.z = 0;
        ok = moving_append(to, x, v, kind, (uint32_t)(*plan->next_id)++);
    }
    free(position);
    free(velocity);
    return result != MN_OK || ok ? result : out_of_memory(error, to->set->count);
}

mn_Result seed_fluid(const MovingParticles* to, const mn_FluidDef* def, int kind, SeedPlan* plan, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t k = 0; result == MN_OK && k < def->block_count; k++)
        if ((result = seed_block(to, &def->blocks[k], kind, plan, error)) != MN_OK)
            error_key(error, "blocks.%zu", k);
    for (size_t k = 0; result == MN_OK && k < def->ball_count; k++)
        if ((result = seed_ball(to, &def->balls[k], kind, plan, error)) != MN_OK)
            error_key(error, "spheres.%zu", k);
    for (size_t k = 0; result == MN_OK && k < def->fill_count; k++)
        if ((result = seed_fill(to, &def->fills[k], kind, plan, error)) != MN_OK)
            error_key(error, "meshes.%zu", k);
    for (size_t k = 0; result == MN_OK && k < def->shape_count; k++)
        if ((result = seed_fluid_shape(to, &def->shapes[k], kind, plan, error)) != MN_OK)
            error_key(error, "shapes.%zu", k);
    for (size_t k = 0; result == MN_OK && k < def->particle_count; k++)
        if ((result = seed_particles(to, &def->particles[k], kind, plan, error)) != MN_OK)
            error_key(error, "particles.%zu", k);
    if (result == MN_OK && def->fill.solid && (result = seed_solid(to, &def->fill, kind, plan, error)) != MN_OK) {
        char key[sizeof error->key] = "";
        if (error)
            snprintf(key, sizeof key, "%.64s", error->key);
        error_key(error, "fill%s%s", key[0] ? "." : "", key);
    }
    return result;
}
