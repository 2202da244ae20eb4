// SPDX-License-Identifier: MIT
// The cut of TraceClip is made by the rays: a ray that comes through the plane meets the face of what it is inside of there, which
// is what its next hit belongs to if that is seen from behind; a ray that leaves through the plane sees only ground and sky.
#include "trace/hit.h"

#include "base/error.h"
#include "base/memory.h"
#include "trace/vector.h"
#include <embree3/rtcore.h>
#include <stdlib.h>
#include <string.h>

enum { MASK_LIQUID = 1, MASK_SOLID = 2, MASK_FOAM = 4 };

struct Hits {
    TraceWorld world;
    TraceMesh* mesh;   // (mesh_count)
    TraceBalls* balls; // (ball_sets)
    RTCDevice device;
    RTCScene scene;
    Vec3** moved; // positions at the ends of the shutter, two per mesh; NULL for meshes at rest
    float scale;  // [m] size of the world: rays start this much times 1e-5 off a surface
};

// --- the scene

static void attach_vertices(RTCGeometry geometry, unsigned slot, const Vec3* position, size_t count)
{
    // shared buffers may be read 16 bytes at a time, so the caller has room for one more vertex
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, slot, RTC_FORMAT_FLOAT3, position, 0, sizeof *position, count);
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

static bool is_fluid(const TraceMesh* m)
{
    return m->fluid || m->material.kind == TRACE_LIQUID;
}

static void attach_geometry(Hits* h, RTCGeometry geometry, size_t id, unsigned mask)
{
    rtcSetGeometryMask(geometry, mask);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(h->scene, geometry, (unsigned)id);
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
    if (ok)
        attach_geometry(h, geometry, k, is_fluid(m) ? MASK_LIQUID : MASK_SOLID);
    rtcReleaseGeometry(geometry);
    return ok;
}

static bool attach_balls(Hits* h, size_t k)
{
    const TraceBalls* b = &h->balls[k];
    RTCGeometry geometry = rtcNewGeometry(h->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    if (!geometry)
        return false;
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, b->ball, 0, sizeof *b->ball, b->count);
    attach_geometry(h, geometry, h->world.mesh_count + k, b->material.kind == TRACE_FOAM ? MASK_FOAM : MASK_SOLID);
    rtcReleaseGeometry(geometry);
    return true;
}

static float size_of(const TraceWorld* world)
{
    float most = fabsf(world->ground_level);
    for (size_t k = 0; k < world->mesh_count; k++)
        for (size_t v = 0; v < world->mesh[k].vertex_count; v += 7)
            most = fmaxf(most, v3_largest(world->mesh[k].position[v]));
    for (size_t k = 0; k < world->ball_sets; k++)
        for (size_t v = 0; v < world->balls[k].count; v += 7) {
            Vec4 b = world->balls[k].ball[v];
            most = fmaxf(most, v3_largest(v3(b.x, b.y, b.z)));
        }
    return most > 0 ? most : 1;
}

static bool build_scene(Hits* h)
{
    const TraceWorld* w = &h->world;
    for (size_t k = 0; k < w->mesh_count; k++)
        if (h->mesh[k].triangle_count && !attach_mesh(h, k))
            return false;
    for (size_t k = 0; k < w->ball_sets; k++)
        if (h->balls[k].count && !attach_balls(h, k))
            return false;
    rtcSetSceneFlags(h->scene, RTC_SCENE_FLAG_ROBUST);
    rtcCommitScene(h->scene);
    return rtcGetDeviceError(h->device) == RTC_ERROR_NONE;
}

Hits* hits_create(const TraceWorld* world, mn_Error* error)
{
    Hits* h = calloc(1, sizeof *h);
    if (!h) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory");
        return NULL;
    }
    h->world = *world;
    h->mesh = malloc((world->mesh_count + 1) * sizeof *h->mesh);
    h->balls = malloc((world->ball_sets + 1) * sizeof *h->balls);
    h->moved = calloc(2 * world->mesh_count + 1, sizeof *h->moved);
    h->device = rtcNewDevice(NULL);
    h->scene = h->device ? rtcNewScene(h->device) : NULL;
    bool ok = h->mesh && h->balls && h->moved && h->scene;
    if (ok && world->mesh_count)
        memcpy(h->mesh, world->mesh, world->mesh_count * sizeof *h->mesh);
    if (ok && world->ball_sets)
        memcpy(h->balls, world->balls, world->ball_sets * sizeof *h->balls);
    h->world.mesh = h->mesh;
    h->world.balls = h->balls;
    h->scale = size_of(world);
    if (!ok || !build_scene(h)) {
        error_set(error, MN_OUT_OF_MEMORY, "the scene could not be made ready for ray tracing: no memory");
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
    free(h->balls);
    free(h);
}

// --- colours

static Vec3 interpolated(const Vec3* value, const uint32_t* c, float u, float v)
{
    return v3_add(v3_scale(value[c[0]], 1 - u - v), v3_add(v3_scale(value[c[1]], u), v3_scale(value[c[2]], v)));
}

static Vec3 mesh_colour(const TraceMesh* m, size_t triangle, float u, float v)
{
    const uint32_t* c = m->triangle[triangle];
    if (triangle >= m->triangle_count - m->inner_count)
        return m->inner;
    if (m->colour)
        return interpolated(m->colour, c, u, v);
    if (!m->material.pattern)
        return m->material.colour;
    const Vec3* local = m->local ? m->local : m->position;
    Vec3 n = v3_cross(v3_sub(local[c[1]], local[c[0]]), v3_sub(local[c[2]], local[c[0]]));
    return pattern_at(m->material.pattern, interpolated(local, c, u, v), n);
}

// --- rays

static struct RTCRayHit make_ray(Vec3 origin, Vec3 direction, float from, float limit, float time, unsigned mask)
{
    struct RTCRayHit ray = {.ray = {.org_x = origin.x,
                                    .org_y = origin.y,
                                    .org_z = origin.z,
                                    .tnear = from,
                                    .dir_x = direction.x,
                                    .dir_y = direction.y,
                                    .dir_z = direction.z,
                                    .time = time,
                                    .tfar = limit,
                                    .mask = mask},
                            .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    return ray;
}

static float start_of(const Hits* h)
{
    return 2e-5f * h->scale;
}

// Distance to the ground, or INFINITY.
static float ground_distance(const Hits* h, Vec3 origin, Vec3 direction)
{
    Vec3 up = h->world.environment.up;
    float slope = v3_dot(direction, up), height = v3_dot(origin, up) - h->world.ground_level;
    if (!h->world.ground || slope >= -1e-6f || height <= 1e-5f * h->scale)
        return INFINITY;
    return -height / slope;
}

static void hit_mesh(const TraceMesh* m, const struct RTCRayHit* ray, Hit* hit)
{
    const uint32_t* c = m->triangle[ray->hit.primID];
    float u = ray->hit.u, v = ray->hit.v;
    Vec3 a = m->position[c[0]];
    hit->face = v3_normalise(v3_cross(v3_sub(m->position[c[1]], a), v3_sub(m->position[c[2]], a)));
    hit->normal = hit->face;
    if (m->normal) {
        Vec3 n = v3_normalise(interpolated(m->normal, c, u, v));
        if (v3_dot(n, hit->face) > 0.1f)
            hit->normal = n;
    }
    hit->material = &m->material;
    hit->colour = mesh_colour(m, ray->hit.primID, u, v);
}

static void hit_ball(const TraceBalls* b, const struct RTCRayHit* ray, Hit* hit)
{
    hit->face = hit->normal = v3_normalise(v3(ray->hit.Ng_x, ray->hit.Ng_y, ray->hit.Ng_z));
    hit->material = &b->material;
    hit->colour = b->colour ? b->colour[ray->hit.primID] : b->material.colour;
    hit->opacity = b->opacity ? b->opacity[ray->hit.primID] : 1;
}

// The nearest thing of these kinds between `from` and `limit` along the ray.
static bool find_kind(const Hits* h, Vec3 origin, Vec3 direction, float from, float limit, float time, unsigned mask, Hit* hit,
                      bool* closed)
{
    struct RTCRayHit ray = make_ray(origin, direction, from, limit, time, mask);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(h->scene, &context, &ray);
    size_t id = ray.hit.geomID;
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return false;
    if (id < h->world.mesh_count)
        hit_mesh(&h->mesh[id], &ray, hit);
    else
        hit_ball(&h->balls[id - h->world.mesh_count], &ray, hit);
    *closed = id >= h->world.mesh_count || !h->mesh[id].open;
    hit->is_ground = false;
    hit->is_fluid = id < h->world.mesh_count && is_fluid(&h->mesh[id]);
    hit->distance = ray.ray.tfar;
    return true;
}

static bool find_thing(const Hits* h, Vec3 origin, Vec3 direction, float from, float limit, float time, Hit* hit)
{
    bool closed;
    return find_kind(h, origin, direction, from, limit, time, MASK_LIQUID | MASK_SOLID | MASK_FOAM, hit, &closed);
}

// Whether the ray is inside of something at `from`, and of what. Solids first: skins of liquids reach into them.
static bool find_inside(const Hits* h, Vec3 origin, Vec3 direction, float from, float time, Hit* hit)
{
    for (unsigned mask = MASK_SOLID; mask >= MASK_LIQUID; mask--) {
        bool closed;
        if (find_kind(h, origin, direction, from, INFINITY, time, mask, hit, &closed) && closed && v3_dot(hit->face, direction) > 0)
            return true;
    }
    return false;
}

// What a cut shows of a fluid that is not clear.
static Vec3 cut_colour(const TraceClip* clip, Vec3 p, Vec3 colour)
{
    Vec3 from = v3_sub(p, clip->origin);
    float x = v3_dot(from, clip->across) / clip->pixel, y = v3_dot(from, clip->down) / clip->pixel;
    float w = (float)clip->colour->width, g = (float)clip->colour->height;
    if (x < 0 || y < 0 || x >= w || y >= g)
        return colour;
    Vec3 c = image_at(clip->colour, x / w, y / g, true);
    return c.x >= 0 ? c : colour;
}

// As find_thing, in a world that is cut open.
static bool find_cut_thing(const Hits* h, Vec3 origin, Vec3 direction, float from, float limit, float time, Hit* hit)
{
    const TraceClip* clip = &h->world.clip;
    float above = v3_dot(clip->normal, origin) - clip->level, slope = v3_dot(clip->normal, direction), eps = start_of(h);
    bool leaving = slope > 0, hidden = above > eps || (above > -eps && leaving);
    if (hidden && leaving)
        return false;
    float plane = slope != 0 ? -above / slope : INFINITY;
    if (!hidden && (!leaving || plane >= limit))
        return find_thing(h, origin, direction, from, limit, time, hit);
    if (!hidden && find_thing(h, origin, direction, from, plane, time, hit))
        return true;
    if (plane >= limit)
        return false;
    // through the plane, in or out: from or into something?
    if (!find_inside(h, origin, direction, plane, time, hit))
        return hidden && find_thing(h, origin, direction, plane, limit, time, hit);
    hit->face = hit->normal = clip->normal;
    hit->distance = plane;
    if (clip->colour && hit->is_fluid)
        hit->colour = cut_colour(clip, v3_mad(origin, plane, direction), hit->colour);
    return true;
}

bool hits_find(const Hits* h, Vec3 origin, Vec3 direction, float limit, float time, Hit* hit)
{
    float ground = ground_distance(h, origin, direction), nearest = ground < limit ? ground : limit;
    bool found = h->world.clip.on ? find_cut_thing(h, origin, direction, start_of(h), nearest, time, hit)
                                  : find_thing(h, origin, direction, start_of(h), nearest, time, hit);
    if (!found && !(ground < limit))
        return false;
    if (!found) {
        const TraceMaterial* m = &h->world.ground_material;
        hit->face = hit->normal = h->world.environment.up;
        hit->material = m;
        hit->is_ground = true;
        hit->distance = ground;
    }
    hit->position = v3_mad(origin, hit->distance, direction);
    if (hit->is_ground)
        hit->colour = hit->material->pattern ? pattern_at(hit->material->pattern, hit->position, hit->face) : hit->material->colour;
    return true;
}

bool hits_touch_solid(const Hits* h, Vec3 origin, Vec3 direction, float limit, float time)
{
    if (ground_distance(h, origin, direction) < limit)
        return true;
    struct RTCRayHit ray = make_ray(origin, direction, start_of(h), limit, time, MASK_SOLID);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(h->scene, &context, &ray.ray);
    return ray.ray.tfar < 0;
}
