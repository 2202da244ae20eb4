// SPDX-License-Identifier: MIT
#include "trace/hit.h"

#include "base/error.h"
#include "base/memory.h"
#include "trace/vector.h"
#include <embree3/rtcore.h>
#include <stdlib.h>
#include <string.h>

enum { MASK_LIQUID = 1, MASK_SOLID = 2 };

struct Hits {
    TraceWorld world;
    TraceMesh* mesh; // (mesh_count)
    RTCDevice device;
    RTCScene scene;
    Vec3** moved; // positions at the ends of the shutter, two per mesh; NULL for meshes at rest
    float scale;  // [m] size of the world: rays start this much times 1e-5 off a surface
};

// --- the scene

static bool attach_vertices(RTCGeometry geometry, unsigned slot, const Vec3* position, size_t count)
{
    // shared buffers may be read 16 bytes at a time, so the caller has room for one more vertex
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, slot, RTC_FORMAT_FLOAT3, position, 0, sizeof *position, count);
    return true;
}

static bool move_vertices(Hits* h, size_t k, RTCGeometry geometry)
{
    const TraceMesh* m = &h->mesh[k];
    rtcSetGeometryTimeStepCount(geometry, 2);
    for (unsigned end = 0; end < 2; end++) {
        Vec3* to = memory_take(NULL, (m->vertex_count + 2) * sizeof *to);
        if (!to)
            return false;
        h->moved[2 * k + end] = to;
        float dt = (float)h->world.shutter * (end ? 0.5f : -0.5f);
        for (size_t v = 0; v < m->vertex_count; v++)
            to[v] = v3_mad(m->position[v], dt, m->velocity[v]);
        attach_vertices(geometry, end, to, m->vertex_count);
    }
    return true;
}

static bool attach_mesh(Hits* h, size_t k)
{
    const TraceMesh* m = &h->mesh[k];
    RTCGeometry geometry = rtcNewGeometry(h->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry)
        return false;
    bool ok = true;
    if (m->velocity && h->world.shutter > 0)
        ok = move_vertices(h, k, geometry);
    else
        attach_vertices(geometry, 0, m->position, m->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, m->triangle, 0, sizeof *m->triangle,
                               m->triangle_count);
    rtcSetGeometryMask(geometry, m->material.kind == TRACE_LIQUID ? MASK_LIQUID : MASK_SOLID);
    if (ok) {
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(h->scene, geometry, (unsigned)k);
    }
    rtcReleaseGeometry(geometry);
    return ok;
}

static float size_of(const TraceWorld* world)
{
    float most = fabsf(world->ground_level);
    for (size_t k = 0; k < world->mesh_count; k++)
        for (size_t v = 0; v < world->mesh[k].vertex_count; v += 7)
            most = fmaxf(most, v3_largest(world->mesh[k].position[v]));
    return most > 0 ? most : 1;
}

Hits* hits_create(const TraceWorld* world, mn_Error* error)
{
    Hits* h = calloc(1, sizeof *h);
    if (!h) {
        error_set(error, MN_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    h->world = *world;
    h->mesh = malloc((world->mesh_count + 1) * sizeof *h->mesh);
    h->moved = calloc(2 * world->mesh_count + 1, sizeof *h->moved);
    h->device = rtcNewDevice(NULL);
    h->scene = h->device ? rtcNewScene(h->device) : NULL;
    bool ok = h->mesh && h->moved && h->scene;
    if (ok && world->mesh_count)
        memcpy(h->mesh, world->mesh, world->mesh_count * sizeof *h->mesh);
    h->world.mesh = h->mesh;
    h->scale = size_of(world);
    for (size_t k = 0; k < world->mesh_count && ok; k++)
        if (h->mesh[k].triangle_count)
            ok = attach_mesh(h, k);
    if (ok) {
        rtcSetSceneFlags(h->scene, RTC_SCENE_FLAG_ROBUST);
        rtcCommitScene(h->scene);
        ok = rtcGetDeviceError(h->device) == RTC_ERROR_NONE;
    }
    if (!ok) {
        error_set(error, MN_OUT_OF_MEMORY, "the scene could not be made ready for ray tracing: out of memory");
        hits_destroy(h);
        return NULL;
    }
    return h;
}

void hits_destroy(Hits* h)
{
    if (!h)
        return;
    if (h->scene)
        rtcReleaseScene(h->scene);
    if (h->device)
        rtcReleaseDevice(h->device);
    for (size_t k = 0; h->moved && k < 2 * h->world.mesh_count; k++)
        memory_give(NULL, h->moved[k]);
    free(h->moved);
    free(h->mesh);
    free(h);
}

// --- rays

static struct RTCRayHit make_ray(const Hits* h, Vec3 origin, Vec3 direction, float limit, float time, unsigned mask)
{
    struct RTCRayHit ray = {.ray = {.org_x = origin.x,
                                    .org_y = origin.y,
                                    .org_z = origin.z,
                                    .tnear = 2e-5f * h->scale,
                                    .dir_x = direction.x,
                                    .dir_y = direction.y,
                                    .dir_z = direction.z,
                                    .time = time,
                                    .tfar = limit,
                                    .mask = mask},
                            .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    return ray;
}

// Distance to the ground, or INFINITY.
static float ground_distance(const Hits* h, Vec3 origin, Vec3 direction)
{
    float slope = v3_dot(direction, h->world.up), height = v3_dot(origin, h->world.up) - h->world.ground_level;
    if (!h->world.ground || slope >= -1e-6f || height <= 1e-5f * h->scale)
        return INFINITY;
    return -height / slope;
}

static void hit_mesh(const Hits* h, const struct RTCRayHit* ray, Hit* hit)
{
    const TraceMesh* m = &h->mesh[ray->hit.geomID];
    const uint32_t* c = m->triangle[ray->hit.primID];
    float u = ray->hit.u, v = ray->hit.v;
    Vec3 a = m->position[c[0]];
    hit->face = v3_normalise(v3_cross(v3_sub(m->position[c[1]], a), v3_sub(m->position[c[2]], a)));
    hit->normal = hit->face;
    if (m->normal) {
        Vec3 n = v3_add(v3_scale(m->normal[c[0]], 1 - u - v), v3_add(v3_scale(m->normal[c[1]], u), v3_scale(m->normal[c[2]], v)));
        n = v3_normalise(n);
        if (v3_dot(n, hit->face) > 0.1f)
            hit->normal = n;
    }
    hit->material = &m->material;
    hit->is_ground = false;
}

bool hits_find(const Hits* h, Vec3 origin, Vec3 direction, float limit, float time, Hit* hit)
{
    float ground = ground_distance(h, origin, direction);
    bool on_ground = ground < limit;
    struct RTCRayHit ray = make_ray(h, origin, direction, on_ground ? ground : limit, time, MASK_LIQUID | MASK_SOLID);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(h->scene, &context, &ray);
    if (ray.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
        hit_mesh(h, &ray, hit);
    } else if (on_ground) {
        hit->face = hit->normal = h->world.up;
        hit->material = &h->world.ground_material;
        hit->is_ground = true;
    } else {
        return false;
    }
    hit->distance = ray.ray.tfar;
    hit->position = v3_mad(origin, ray.ray.tfar, direction);
    return true;
}

bool hits_touch_solid(const Hits* h, Vec3 origin, Vec3 direction, float limit, float time)
{
    if (ground_distance(h, origin, direction) < limit)
        return true;
    struct RTCRayHit ray = make_ray(h, origin, direction, limit, time, MASK_SOLID);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(h->scene, &context, &ray.ray);
    return ray.ray.tfar < 0;
}
