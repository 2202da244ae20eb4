// SPDX-License-Identifier: MIT
// What a body touches others with. Shapes that ODE has are taken as they are; a box seen from inside becomes six planes,
// which nothing tunnels through; everything else is its triangles, turned around for containers because ODE's triangles
// push towards their front only.
#include "rigid/rigid_parts.h"

#include <stdlib.h>

typedef struct Fit {
    mn_Contact contact;
    Vec3d size;   // box: edges; others: x radius, y length; [m], and at the end in ODE's units
    Vec3d centre; // [m] in the solid's frame
} Fit;

// What is flat is so deep, in units of the smallest body.
static const double DEPTH = 10;

static Fit fit_bounds(const BodyDef* def, mn_Contact contact)
{
    Box3d box = tri_mesh_bounds(def->mesh);
    Vec3d size = vec3d_sub(box.max, box.min), centre = vec3d_lerp(box.min, box.max, 0.5);
    double least = def->thickness;
    size = vec3d_max(size, vec3d(least, least, least));
    Fit fit = {contact, size, centre};
    double across = fmax(size.x, size.z) / 2;
    if (contact == MN_CONTACT_SPHERE)
        fit.size = vec3d(fmax(across, size.y / 2), 0, 0);
    if (contact == MN_CONTACT_CYLINDER)
        fit.size = vec3d(across, size.y, 0);
    if (contact == MN_CONTACT_CAPSULE)
        fit.size = vec3d(across, fmax(size.y - 2 * across, 1e-6 * across), 0);
    return fit;
}

static bool is_even(Vec3d s)
{
    return fabs(s.x) == fabs(s.y) && fabs(s.y) == fabs(s.z);
}

// The simplest shape that is the solid's own.
static Fit fit_shape(const BodyDef* def)
{
    Vec3d size = def->shape->size, s = {fabs(def->scale.x), fabs(def->scale.y), fabs(def->scale.z)};
    bool round = s.x == s.z;
    switch (def->shape->type) {
    case MN_SHAPE_BOX:
    case MN_SHAPE_PLANE:
    case MN_SHAPE_GRID:
        return fit_bounds(def, MN_CONTACT_BOX);
    case MN_SHAPE_SPHERE:
        if (is_even(s))
            return (Fit){MN_CONTACT_SPHERE, {size.x * s.x, 0, 0}, {0, 0, 0}};
        break;
    case MN_SHAPE_CAPSULE:
        if (is_even(s))
            return (Fit){MN_CONTACT_CAPSULE, {size.x * s.x, size.y * s.y, 0}, {0, 0, 0}};
        break;
    case MN_SHAPE_CYLINDER:
        if (round)
            return (Fit){MN_CONTACT_CYLINDER, {size.x * s.x, size.y * s.y, 0}, {0, 0, 0}};
        break;
    case MN_SHAPE_ROD:
        return fit_bounds(def, MN_CONTACT_CAPSULE);
    default:
        break;
    }
    return (Fit){.contact = MN_CONTACT_MESH};
}

static Fit choose(const Rigid* rigid, const BodyDef* def)
{
    bool own = def->contact == MN_CONTACT_AUTO;
    Fit fit = own                               ? fit_shape(def)
              : def->contact == MN_CONTACT_MESH ? (Fit){.contact = MN_CONTACT_MESH}
              : def->contact == MN_CONTACT_NONE ? (Fit){.contact = MN_CONTACT_NONE}
                                                : fit_bounds(def, def->contact);
    if (rigid->def.dimension == 2 && fit.contact == MN_CONTACT_BOX)
        fit.size.z = DEPTH * rigid->size;
    if (rigid->def.dimension == 2 && fit.contact == MN_CONTACT_CYLINDER) // an upright one is a box in 2D
        fit = (Fit){MN_CONTACT_BOX, {2 * fit.size.x, fit.size.y, DEPTH * rigid->size}, fit.centre};
    if (def->container && fit.contact != MN_CONTACT_BOX && fit.contact != MN_CONTACT_NONE)
        fit.contact = MN_CONTACT_MESH;
    fit.size = vec3d_scale(fit.size, 1 / rigid->units.length);
    return fit;
}

// --- triangles

// In ODE's units. Outlines of 2D become walls.
static size_t add_triangles(const Rigid* rigid, const TriMesh* mesh, bool flip, float* v, dTriIndex* t)
{
    double unit = rigid->units.length;
    float deep = (float)(0.5 * DEPTH * rigid->size / unit);
    size_t triangles = 0;
    for (size_t k = 0; k < mesh->vertex_count; k++)
        for (int side = 0; side < (mesh->triangle_count ? 1 : 2); side++) {
            float* to = v + 3 * (mesh->triangle_count ? k : 2 * k + (size_t)side);
            to[0] = (float)(mesh->vertex[k].x / unit);
            to[1] = (float)(mesh->vertex[k].y / unit);
            to[2] = mesh->triangle_count ? (float)(mesh->vertex[k].z / unit) : side ? deep : -deep;
        }
    for (size_t k = 0; k < mesh->triangle_count; k++, triangles++)
        for (int c = 0; c < 3; c++)
            t[3 * triangles + (size_t)(flip ? 2 - c : c)] = (dTriIndex)mesh->triangle[k][c];
    for (size_t k = 0; k < mesh->segment_count && !mesh->triangle_count; k++) {
        dTriIndex a = 2 * mesh->segment[k][0], b = 2 * mesh->segment[k][1];
        // walking a -> b the solid is on the left; outside is to the right
        const dTriIndex quad[2][3] = {{a, b, b + 1}, {a, b + 1, a + 1}};
        for (int q = 0; q < 2; q++, triangles++)
            for (int c = 0; c < 3; c++)
                t[3 * triangles + (size_t)(flip ? 2 - c : c)] = quad[q][c];
    }
    return triangles;
}

static void add_geom(Body* body, dGeomID geom)
{
    body->geom[body->geom_count++] = geom;
}

static void create_mesh(const Rigid* rigid, Body* body, const BodyDef* def)
{
    const TriMesh* mesh = def->mesh;
    size_t vertices = mesh->triangle_count ? mesh->vertex_count : 2 * mesh->vertex_count;
    size_t most = mesh->triangle_count ? mesh->triangle_count : 2 * mesh->segment_count;
    body->mesh_vertex = malloc((3 * vertices + 1) * sizeof *body->mesh_vertex);
    body->mesh_index = malloc((3 * most + 1) * sizeof *body->mesh_index);
    if (!body->mesh_vertex || !body->mesh_index)
        ode_no_memory();
    ode_lock();
    body->mesh_data = dGeomTriMeshDataCreate();
    size_t triangles = add_triangles(rigid, mesh, def->container, body->mesh_vertex, body->mesh_index);
    dGeomTriMeshDataBuildSingle(body->mesh_data, body->mesh_vertex, 3 * sizeof(float), (int)vertices, body->mesh_index,
                                (int)(3 * triangles), 3 * sizeof(dTriIndex));
    add_geom(body, dCreateTriMesh(NULL, body->mesh_data, NULL, NULL, NULL));
    ode_unlock();
}

// --- placing

static void plane_params(const Rigid* rigid, const Body* body, int k, dReal out[4])
{
    const Vec3d normal[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    double half = k < 2 ? body->half.x : k < 4 ? body->half.y : body->half.z;
    Vec3d n = quat_rotate(body->state.rotation, normal[k]);
    Vec3d middle = vec3d_add(body->state.position, quat_rotate(body->state.rotation, body->offset));
    Vec3d point = vec3d_mad(middle, -half, n);
    out[0] = n.x;
    out[1] = n.y;
    out[2] = n.z;
    out[3] = vec3d_dot(n, point) / rigid->units.length;
}

void contact_shape_place(const Rigid* rigid, Body* body)
{
    for (int k = 0; k < body->geom_count; k++) {
        if (body->planes) {
            dReal p[4];
            plane_params(rigid, body, k, p);
            dGeomPlaneSetParams(body->geom[k], p[0], p[1], p[2], p[3]);
        } else if (!body->ode) {
            dQuaternion q;
            Vec3d x = vec3d_add(body->state.position, quat_rotate(body->state.rotation, body->offset));
            x = vec3d_scale(x, 1 / rigid->units.length);
            to_ode(quat_mul(body->state.rotation, body->turn), q);
            dGeomSetPosition(body->geom[k], x.x, x.y, x.z);
            dGeomSetQuaternion(body->geom[k], q);
        }
    }
}

// Where the geom is, seen from the centre of mass; capsules and cylinders lie along z in ODE.
static void place_offset(const Rigid* rigid, Body* body, const Fit* fit)
{
    bool upright = fit->contact == MN_CONTACT_CAPSULE || fit->contact == MN_CONTACT_CYLINDER;
    body->offset = vec3d_sub(fit->centre, body->mass.centre);
    body->turn = upright ? (Quat){sqrt(0.5), -sqrt(0.5), 0, 0} : quat_identity();
    if (body->ode && !body->planes) {
        dQuaternion q;
        to_ode(body->turn, q);
        dGeomSetBody(body->geom[0], body->ode);
        Vec3d x = vec3d_scale(body->offset, 1 / rigid->units.length);
        dGeomSetOffsetPosition(body->geom[0], x.x, x.y, x.z);
        dGeomSetOffsetQuaternion(body->geom[0], q);
    }
}

static void create_planes(const Rigid* rigid, Body* body, Vec3d size)
{
    body->half = vec3d_scale(size, 0.5 * rigid->units.length);
    body->planes = true;
    int count = rigid->def.dimension == 2 ? 4 : 6;
    for (int k = 0; k < count; k++)
        add_geom(body, dCreatePlane(NULL, 0, 1, 0, -1e9));
}

void contact_shape_create(Rigid* rigid, Body* body, const BodyDef* def)
{
    Fit fit = choose(rigid, def);
    switch (fit.contact) {
    case MN_CONTACT_NONE:
        return;
    case MN_CONTACT_BOX:
        if (def->container) {
            create_planes(rigid, body, fit.size);
            break;
        }
        add_geom(body, dCreateBox(NULL, fit.size.x, fit.size.y, fit.size.z));
        break;
    case MN_CONTACT_SPHERE:
        add_geom(body, dCreateSphere(NULL, fit.size.x));
        break;
    case MN_CONTACT_CAPSULE:
        add_geom(body, dCreateCapsule(NULL, fit.size.x, fit.size.y));
        break;
    case MN_CONTACT_CYLINDER:
        add_geom(body, dCreateCylinder(NULL, fit.size.x, fit.size.y));
        break;
    default:
        create_mesh(rigid, body, def);
    }
    place_offset(rigid, body, &fit);
    contact_shape_place(rigid, body);
}

void contact_shape_destroy(Body* body)
{
    for (int k = 0; k < body->geom_count; k++)
        dGeomDestroy(body->geom[k]);
    if (body->mesh_data)
        dGeomTriMeshDataDestroy(body->mesh_data);
    free(body->mesh_vertex);
    free(body->mesh_index);
}
