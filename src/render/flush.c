// SPDX-License-Identifier: MIT
#include "render/flush.h"

#define NEAR 1.6   // [r] lies at the wall
#define FAR 4.5    // [r] stays where it is
#define FACING 0.4 // cosine of its normal and the wall's from which on a vertex follows in full
enum { MOST_WALLS = 32 };

typedef struct Wall {
    Vec3d inward; // unit normal into the fluid
    double offset;
} Wall;

static bool is_known(const Wall* wall, int count, Vec3d inward, double offset, double tolerance)
{
    for (int k = 0; k < count; k++)
        if (vec3d_dot(wall[k].inward, inward) > 1 - 1e-6 && fabs(wall[k].offset - offset) < tolerance)
            return true;
    return false;
}

// Planes of the container's triangles, turned inwards. 0: too many, or not all of the container is on one side of each.
static int find_walls(const SubjectSolid* solid, mn_Pose pose, Wall wall[MOST_WALLS])
{
    const TriMesh* m = &solid->mesh;
    int count = 0;
    double size = 0;
    for (size_t v = 1; v < m->vertex_count; v++)
        size = fmax(size, vec3d_distance(m->vertex[0], m->vertex[v]));
    for (size_t t = 0; t < m->triangle_count; t++) {
        Vec3d a = m->vertex[m->triangle[t][0]], b = m->vertex[m->triangle[t][1]], c = m->vertex[m->triangle[t][2]];
        Vec3d normal = vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a));
        double length = vec3d_length(normal), low = 0, high = 0;
        if (length <= 1e-12 * size * size)
            continue;
        normal = vec3d_scale(normal, 1 / length);
        for (size_t v = 0; v < m->vertex_count; v++) {
            double d = vec3d_dot(normal, vec3d_sub(m->vertex[v], a));
            low = fmin(low, d);
            high = fmax(high, d);
        }
        if (low < -1e-6 * size && high > 1e-6 * size)
            return 0;
        Vec3d inward = quat_rotate(pose.rotation, high > -low ? normal : vec3d_scale(normal, -1));
        double offset = vec3d_dot(inward, vec3d_add(quat_rotate(pose.rotation, a), pose.position));
        if (is_known(wall, count, inward, offset, 1e-6 * size))
            continue;
        if (count == MOST_WALLS)
            return 0;
        wall[count++] = (Wall){inward, offset};
    }
    return count;
}

static void flush_vertex(SurfaceMesh* mesh, size_t v, const Wall* wall, int count, double r, double gap)
{
    Vec3d x = vec3d((double)mesh->position[v].x, (double)mesh->position[v].y, (double)mesh->position[v].z);
    Vec3d normal = vec3d((double)mesh->normal[v].x, (double)mesh->normal[v].y, (double)mesh->normal[v].z);
    int touched = -1, walls = 0;
    for (int k = 0; k < count; k++) {
        // what faces away from the wall stays: the other side of a drop, the top of the water
        double d = vec3d_dot(wall[k].inward, x) - wall[k].offset, facing = -vec3d_dot(wall[k].inward, normal);
        if (d >= FAR * r || d < -FAR * r || facing <= 0)
            continue;
        double wanted = fmax(d <= NEAR * r ? 0 : FAR * (d - NEAR * r) / (FAR - NEAR), gap), share = fmin(facing / FACING, 1);
        x = vec3d_mad(x, share * (wanted - d), wall[k].inward);
        if (d <= NEAR * r && share >= 1) {
            touched = k;
            walls++;
        }
    }
    mesh->position[v] = (Vec3){(float)x.x, (float)x.y, (float)x.z};
    if (walls == 1) {
        Vec3d n = wall[touched].inward;
        mesh->normal[v] = (Vec3){(float)-n.x, (float)-n.y, (float)-n.z};
    }
}

void flush_surface(SurfaceMesh* mesh, const Subject* subject, double gap)
{
    for (size_t k = 0; k < subject->solid_count; k++) {
        const SubjectSolid* solid = &subject->solid[k];
        Wall wall[MOST_WALLS];
        int count = solid->inside ? find_walls(solid, subject->pose[solid->index], wall) : 0;
        for (size_t v = 0; count && v < mesh->vertex_count; v++)
            flush_vertex(mesh, v, wall, count, subject->scene->world.particle_radius, gap);
    }
}
