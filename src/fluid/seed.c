// SPDX-License-Identifier: MIT
// Lattices start half a spacing inside their border. Across gravity they are stretched a little to fill the length, so that
// a block between two walls touches both; along gravity there are as many layers as keep the volume.
#include "fluid/seed.h"

#include "base/error.h"
#include "mesh/inside.h"
#include "mesh/shape.h"

// No more particles than 32-bit indices with room for padding can name.
static const double MOST_PARTICLES = 2147483000.0;

int64_t seed_count(double length, double spacing)
{
    double n = floor(length / spacing + 0.01);
    return n >= 1 ? (int64_t)n : length >= 0.5 * spacing ? 1 : 0;
}

static mn_Result out_of_memory(mn_Error* error, size_t count)
{
    return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", count);
}

static bool stretched(Vec3d gravity, int axis)
{
    double g[3] = {fabs(gravity.x), fabs(gravity.y), fabs(gravity.z)};
    double most = fmax(g[0], fmax(g[1], g[2]));
    return !(most > 0) || g[axis] < 0.5 * most;
}

// Rounding down across gravity loses fluid; as many layers as the block's volume asks for make up for it. They are not squeezed
// to fit the height: a squeezed lattice starts compressed and would jump. The topmost layer lies within the block: in a tank only a
// few spacings wide much of the volume is lost, and a level above the block's would surprise more than one below.
static void fill_volume(const SeedPlan* plan, int64_t n[3], const double low[3], const double high[3])
{
    double g[3] = {fabs(plan->gravity.x), fabs(plan->gravity.y), fabs(plan->gravity.z)};
    int up = g[0] > fmax(g[1], g[2]) ? 0 : g[2] > g[1] && plan->dimension == 3 ? 2 : 1;
    double volume = 1, layer = 1;
    for (int d = 0; d < plan->dimension; d++) {
        volume *= (high[d] - low[d]) / plan->spacing;
        layer *= d == up ? 1 : (double)n[d];
    }
    int64_t layers = layer > 0 ? (int64_t)floor(volume / layer + 0.5) : 0,
            most = (int64_t)floor((high[up] - low[up]) / plan->spacing + 0.5);
    layers = layers < most ? layers : most;
    n[up] = layers > n[up] && g[up] > 0 ? layers : n[up];
}

static mn_Result seed_block(const MovingParticles* to, const mn_Block* block, int kind, SeedPlan* plan, mn_Error* error)
{
    double low[3] = {block->min.x, block->min.y, block->min.z}, high[3] = {block->max.x, block->max.y, block->max.z}, step[3];
    int64_t n[3];
    for (int d = 0; d < 3; d++) {
        bool flat = d == 2 && plan->dimension == 2;
        n[d] = flat ? 1 : seed_count(high[d] - low[d], plan->spacing);
        step[d] = flat ? 0 : stretched(plan->gravity, d) && n[d] ? (high[d] - low[d]) / (double)n[d] : plan->spacing;
        if (flat)
            low[d] = 0;
    }
    fill_volume(plan, n, low, high);
    double total = (double)n[0] * (double)n[1] * (double)n[2];
    if (total + (double)to->set->count > MOST_PARTICLES)
        return error_set(error, MN_BAD_INPUT, "a block of %.3g particles; at most %.4g are possible", total, MOST_PARTICLES);
    // against gravity the lattice stands on the lower face; the gap, if any, is at the top
    Vec3d g = plan->gravity;
    bool from_top[3] = {g.x > 0, g.y > 0, g.z > 0};
    if (!particle_set_reserve(to->set, to->set->count + (size_t)total))
        return out_of_memory(error, to->set->count + (size_t)total);
    for (int64_t z = 0; z < n[2]; z++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t x = 0; x < n[0]; x++) {
                double c[3] = {(double)x + 0.5, (double)y + 0.5, (double)z + 0.5}, p[3];
                for (int d = 0; d < 3; d++)
                    p[d] = from_top[d] ? high[d] - c[d] * step[d] : low[d] + c[d] * step[d];
                if (!moving_append(to, vec3d(p[0], p[1], plan->dimension == 2 ? 0 : p[2]), block->velocity, kind,
                                   (uint32_t)(*plan->next_id)++))
                    return out_of_memory(error, to->set->count);
            }
    return MN_OK;
}

// Lattice points of a box that `keep` likes.
typedef bool KeepFn(const void* context, Vec3d point);

static mn_Result seed_lattice(const MovingParticles* to, Box3d box, KeepFn* keep, const void* context, Vec3d velocity, int kind,
                              SeedPlan* plan, mn_Error* error)
{
    double d = plan->spacing;
    Vec3d size = vec3d_sub(box.max, box.min), centre = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    int64_t n[3] = {(int64_t)ceil(size.x / d) + 1, (int64_t)ceil(size.y / d) + 1,
                    plan->dimension == 3 ? (int64_t)ceil(size.z / d) + 1 : 1};
    if ((double)n[0] * (double)n[1] * (double)n[2] > MOST_PARTICLES)
        return error_set(error, MN_BAD_INPUT, "a shape of %.3g lattice points; at most %.4g are possible",
                         (double)n[0] * (double)n[1] * (double)n[2], MOST_PARTICLES);
    for (int64_t z = 0; z < n[2]; z++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t x = 0; x < n[0]; x++) {
                Vec3d p = {centre.x + d * ((double)x - 0.5 * (double)(n[0] - 1)),
                           centre.y + d * ((double)y - 0.5 * (double)(n[1] - 1)),
                           plan->dimension == 3 ? centre.z + d * ((double)z - 0.5 * (double)(n[2] - 1)) : 0};
                if (keep(context, p) && !moving_append(to, p, velocity, kind, (uint32_t)(*plan->next_id)++))
                    return out_of_memory(error, to->set->count);
            }
    return MN_OK;
}

static bool in_ball(const void* context, Vec3d p)
{
    const mn_Ball* ball = context;
    return vec3d_distance(p, ball->centre) <= ball->radius;
}

static mn_Result seed_ball(const MovingParticles* to, const mn_Ball* ball, int kind, SeedPlan* plan, mn_Error* error)
{
    Vec3d r = {ball->radius, ball->radius, ball->radius};
    mn_Ball own = *ball;
    if (plan->dimension == 2)
        own.centre.z = 0;
    Box3d box = {vec3d_sub(own.centre, r), vec3d_add(own.centre, r)};
    return seed_lattice(to, box, in_ball, &own, ball->velocity, kind, plan, error);
}

static bool in_mesh(const void* context, Vec3d p)
{
    return inside_contains(context, p);
}

static mn_Result seed_fill(const MovingParticles* to, const mn_Fill* fill, int kind, SeedPlan* plan, mn_Error* error)
{
    mn_Shape shape = {.type = MN_SHAPE_MESH, .file = fill->file};
    TriMesh mesh = {0};
    mn_Result result = shape_build(&shape, plan->dimension, plan->spacing, plan->folder, &mesh, error);
    if (result != MN_OK)
        return result;
    mn_Pose pose = {fill->position, quat_normalise(fill->rotation)};
    tri_mesh_scale(&mesh, fill->scale);
    tri_mesh_move(&mesh, &pose);
    TopologyReport report;
    InsideTest* test = NULL;
    if (!tri_mesh_topology(&mesh, &report) || !(test = inside_create(&mesh, NULL)))
        result = out_of_memory(error, to->set->count);
    else if (!report.closed)
        result = error_set(error, MN_BAD_INPUT, "only a closed mesh can be filled; '%s' has %zu open edges", fill->file,
                           report.open_edges);
    else
        result = seed_lattice(to, tri_mesh_bounds(&mesh), in_mesh, test, fill->velocity, kind, plan, error);
    inside_destroy(test);
    tri_mesh_free(&mesh);
    return result;
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
    return result;
}
