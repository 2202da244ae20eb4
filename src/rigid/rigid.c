// SPDX-License-Identifier: MIT
// Bodies and their step. dWorldStep solves contacts and joints exactly (no warm start, no random order), so that stacks rest
// and a step depends on nothing but the state that is handed over; project.c keeps joints closed and bodies apart.
#include "rigid/rigid_parts.h"

#include <stdlib.h>
#include <string.h>

// Longest step of ODE, in units of the time in which the smallest body falls its own size: what stacks and joints stand.
static const double LONGEST = 0.05;
// Largest turn in one of them [rad].
static const double TURN_MOST = 0.03;
enum { SUBSTEPS_MOST = 64 };

void rigid_expect(RigidDef* def, const BodyDef* body)
{
    if (body->kind != BODY_FREE || !(body->mass.mass > 0))
        return;
    Box3d box = tri_mesh_bounds(body->mesh);
    double size = fmax(0.5 * vec3d_distance(box.min, box.max), body->thickness);
    def->size = def->size > 0 ? fmin(def->size, size) : size;
    def->mass = def->mass > 0 ? fmin(def->mass, body->mass.mass) : body->mass.mass;
}

static void create_world(Rigid* rigid, void* context)
{
    rigid->world = dWorldCreate();
    rigid->contacts = dJointGroupCreate(0);
    rigid->threading = dThreadingAllocateSelfThreadedImplementation();
    if (!rigid->threading)
        ode_no_memory();
    dWorldSetStepThreadingImplementation(rigid->world, dThreadingImplementationGetFunctions(rigid->threading), rigid->threading);
    dWorldSetERP(rigid->world, 0); // of joints and contacts, see project.c
    dWorldSetCFM(rigid->world, 1e-10);
    dWorldSetQuickStepNumIterations(rigid->world, 100);
    dWorldSetContactSurfaceLayer(rigid->world, rigid->layer / rigid->units.length);
    rigid_set_gravity(rigid, rigid->def.gravity);
}

Rigid* rigid_create(const RigidDef* def)
{
    Rigid* rigid = ode_init() ? calloc(1, sizeof *rigid) : NULL;
    if (!rigid)
        return NULL;
    rigid->def = *def;
    rigid->size = def->size > 0 ? def->size : 8 * def->length;
    double mass = def->mass > 0 ? def->mass : 1000 * rigid->size * rigid->size * rigid->size;
    rigid->units = units_for(rigid->size, vec3d_length(def->gravity), mass);
    rigid->layer = 0.01 * fmin(def->length, 0.5 * rigid->size);
    if (ode_call(rigid, create_world, NULL))
        return rigid;
    rigid_destroy(rigid);
    return NULL;
}

void rigid_set_gravity(Rigid* rigid, Vec3d gravity)
{
    rigid->def.gravity = gravity;
    Vec3d g = vec3d_scale(gravity, 1 / rigid->units.acceleration);
    dWorldSetGravity(rigid->world, g.x, g.y, g.z);
    // than bodies would fall through a few particles
    rigid->slow = 2 * sqrt(fmax(vec3d_length(gravity), 1) * 100 * rigid->layer);
}

void rigid_destroy(Rigid* rigid)
{
    if (!rigid)
        return;
    for (size_t k = 0; k < rigid->body_count; k++)
        contact_shape_destroy(&rigid->body[k]);
    if (rigid->contacts)
        dJointGroupDestroy(rigid->contacts);
    if (rigid->world)
        dWorldDestroy(rigid->world);
    if (rigid->threading && !rigid->interrupted)
        dThreadingFreeImplementation(rigid->threading);
    for (size_t k = 0; k < rigid->joint_count; k++) {
        free(rigid->joint[k]->drive);
        free(rigid->joint[k]);
    }
    memory_give(NULL, rigid->joint);
    memory_give(NULL, rigid->body);
    memory_give(NULL, rigid->extent);
    memory_give(NULL, rigid->before);
    memory_give(NULL, rigid->pair);
    memory_give(NULL, rigid->touch);
    free(rigid);
}

// --- bodies

void body_mass_to_ode(const Rigid* rigid, Body* body)
{
    dMass m;
    double i[3][3], mass = body->mass.mass / rigid->units.mass;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            i[r][c] = body->mass.inertia[r][c] / rigid->units.inertia;
    dMassSetParameters(&m, mass, 0, 0, 0, i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]);
    dBodySetMass(body->ode, &m);
    if (body->held || body->sleep.asleep)
        dBodySetKinematic(body->ode);
}

static void create_ode(Rigid* rigid, Body* body)
{
    body->ode = dBodyCreate(rigid->world);
    dBodySetAutoDisableFlag(body->ode, 0);
    dBodySetFiniteRotationMode(body->ode, 1);
    if (body->kind == BODY_FREE)
        body_mass_to_ode(rigid, body);
    else
        dBodySetKinematic(body->ode);
    if (body->kind == BODY_FREE && rigid->def.dimension == 2) {
        dJointID plane = dJointCreatePlane2D(rigid->world, NULL);
        dJointAttach(plane, body->ode, NULL);
    }
}

void body_to_ode(const Rigid* rigid, Body* body)
{
    const BodyState* s = &body->state;
    if (body->ode) {
        const Units* u = &rigid->units;
        Vec3d x = vec3d_scale(s->position, 1 / u->length), v = vec3d_scale(s->velocity, 1 / u->velocity);
        Vec3d w = vec3d_scale(s->angular_velocity, u->time);
        dQuaternion q;
        to_ode(s->rotation, q);
        dBodySetPosition(body->ode, x.x, x.y, x.z);
        dBodySetQuaternion(body->ode, q);
        dBodySetLinearVel(body->ode, v.x, v.y, v.z);
        dBodySetAngularVel(body->ode, w.x, w.y, w.z);
    }
    if (!body->ode || body->planes)
        contact_shape_place(rigid, body);
}

static void build_body(Rigid* rigid, void* context)
{
    const BodyDef* def = context;
    Body* body = &rigid->body[rigid->body_count];
    if (def->kind != BODY_FIXED)
        create_ode(rigid, body);
    contact_shape_create(rigid, body, def);
    body_to_ode(rigid, body);
}

int rigid_add_body(Rigid* rigid, const BodyDef* def)
{
    size_t k = rigid->body_count;
    if (!memory_reserve(NULL, &rigid->body, &rigid->body_capacity, k, k + 1, sizeof *rigid->body) ||
        !memory_reserve(NULL, &rigid->extent, &rigid->extent_capacity, 0, 6 * (k + 1), sizeof *rigid->extent) ||
        !memory_reserve(NULL, &rigid->before, &rigid->before_capacity, 0, k + 1, sizeof *rigid->before))
        return -1;
    Body* body = &rigid->body[k];
    *body = (Body){.kind = def->kind,
                   .held = def->held,
                   .may_sleep = def->may_sleep,
                   .mass = def->mass,
                   .first = def->mass,
                   .state = def->state,
                   .friction = def->friction,
                   .restitution = def->restitution,
                   .push = def->push};
    rigid->may_sleep |= def->may_sleep;
    BodyDef copy = *def;
    if (!ode_call(rigid, build_body, &copy)) {
        contact_shape_destroy(body);
        return -1;
    }
    return (int)rigid->body_count++;
}

size_t rigid_body_count(const Rigid* rigid)
{
    return rigid->body_count;
}

bool rigid_is_free(const Rigid* rigid, int body)
{
    const Body* b = &rigid->body[body];
    return b->kind == BODY_FREE && !b->held && !b->sleep.asleep;
}

bool rigid_has_weight(const Rigid* rigid, int body)
{
    return rigid->body[body].kind == BODY_FREE;
}

bool rigid_is_bound(const Rigid* rigid, int body)
{
    bool bound = rigid->body[body].met;
    for (size_t k = 0; k < rigid->joint_count && !bound; k++)
        bound = rigid->joint[k]->ode && (rigid->joint[k]->solid == body || rigid->joint[k]->other == body);
    return bound;
}

BodyState rigid_state(const Rigid* rigid, int body)
{
    return rigid->body[body].state;
}

void rigid_set_state(Rigid* rigid, int body, const BodyState* state)
{
    rigid->body[body].state = *state;
}

BodyMass rigid_mass(const Rigid* rigid, int body)
{
    return rigid->body[body].mass;
}

void rigid_set_mass(Rigid* rigid, int body, double mass)
{
    // always from the first mass, so that the way there leaves no rounding behind
    Body* b = &rigid->body[body];
    rigid_wake(rigid, body);
    b->mass.mass = mass;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b->mass.inertia[i][j] = b->first.inertia[i][j] * (mass / b->first.mass);
    body_mass_to_ode(rigid, b);
}

void rigid_release(Rigid* rigid, int body)
{
    Body* b = &rigid->body[body];
    b->held = false;
    body_mass_to_ode(rigid, b);
}

void rigid_set_contact(Rigid* rigid, int body, double friction, double restitution)
{
    rigid->body[body].friction = friction;
    rigid->body[body].restitution = restitution;
}

static void take_away(Rigid* rigid, void* context)
{
    Body* b = context;
    contact_shape_destroy(b);
    if (b->ode)
        dBodyDestroy(b->ode);
    *b = (Body){.kind = BODY_FIXED, .state = {.position = b->state.position, .rotation = b->state.rotation}};
}

void rigid_remove_body(Rigid* rigid, int body)
{
    for (size_t k = 0; k < rigid->joint_count; k++)
        if (rigid->joint[k]->ode && (rigid->joint[k]->solid == body || rigid->joint[k]->other == body))
            rigid_remove_joint(rigid, (int)k);
    for (size_t k = 0; k < rigid->body_count; k++) // what leant on it
        rigid_wake(rigid, (int)k);
    ode_call(rigid, take_away, &rigid->body[body]);
}

void rigid_set_force(Rigid* rigid, int body, Vec3d force, Vec3d torque)
{
    rigid->body[body].force = force;
    rigid->body[body].torque = torque;
}

void rigid_set_time(Rigid* rigid, double time)
{
    rigid->time = time;
}

void rigid_inverse_inertia(const Rigid* rigid, int body, double out[3][3])
{
    double local[3][3], r[3][3], t[3][3];
    inverse_3x3(rigid->body[body].mass.inertia, local);
    Quat q = rigid->body[body].state.rotation;
    const Vec3d axis[3] = {quat_rotate(q, vec3d(1, 0, 0)), quat_rotate(q, vec3d(0, 1, 0)), quat_rotate(q, vec3d(0, 0, 1))};
    for (int j = 0; j < 3; j++) {
        r[0][j] = axis[j].x;
        r[1][j] = axis[j].y;
        r[2][j] = axis[j].z;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t[i][j] = r[i][0] * local[0][j] + r[i][1] * local[1][j] + r[i][2] * local[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = t[i][0] * r[j][0] + t[i][1] * r[j][1] + t[i][2] * r[j][2];
    if (rigid->def.dimension == 2) { // it turns about z alone
        double about_z = out[2][2];
        memset(out, 0, 9 * sizeof(double));
        out[2][2] = about_z;
    }
}

// --- steps

static int substeps(const Rigid* rigid, double dt)
{
    double spin = 0;
    for (size_t k = 0; k < rigid->body_count; k++)
        if (rigid_is_free(rigid, (int)k))
            spin = fmax(spin, vec3d_length(rigid->body[k].state.angular_velocity));
    double fall = sqrt(vec3d_length(rigid->def.gravity) / rigid->size); // [1/s]
    return (int)fmin(fmax(1, fmax(ceil(dt * fall / LONGEST - 1e-9), ceil(dt * spin / TURN_MOST))), SUBSTEPS_MOST);
}

// Of all numbers that ODE gets, in its units: far from the largest ones, so that squares of it are, too.
static const double MOST = 1e30;

static bool is_below(Vec3d v, double most)
{
    return fabs(v.x) < most && fabs(v.y) < most && fabs(v.z) < most;
}

static bool is_possible(const Rigid* rigid, const BodyState* s)
{
    Quat q = s->rotation;
    const Units* u = &rigid->units;
    return is_below(s->position, MOST * u->length) && is_below(s->velocity, MOST * u->velocity) &&
           is_below(s->angular_velocity, MOST / u->time) && isfinite(q.w + q.x + q.y + q.z);
}

static void apply_forces(Rigid* rigid, double dt)
{
    for (size_t k = 0; k < rigid->body_count; k++) {
        const Body* b = &rigid->body[k];
        if (!rigid_is_free(rigid, (int)k))
            continue;
        Vec3d force = vec3d_scale(vec3d_add(b->force, b->push), 1 / rigid->units.force);
        Vec3d torque = vec3d_scale(b->torque, 1 / rigid->units.torque);
        double gain = dt / rigid->units.time; // of speed; the mass is that of the smallest body or more
        if (!is_below(force, MOST / gain) || !is_below(torque, MOST / gain))
            ode_fail("a force on a body is beyond all numbers");
        dBodySetForce(b->ode, force.x, force.y, force.z);
        dBodySetTorque(b->ode, torque.x, torque.y, torque.z);
    }
}

static void hand_over(Rigid* rigid)
{
    for (size_t k = 0; k < rigid->body_count; k++) {
        const Body* b = &rigid->body[k];
        if (!is_possible(rigid, &b->state))
            ode_fail("a body's position or velocity is beyond all numbers");
        body_to_ode(rigid, &rigid->body[k]);
    }
}

static Vec3d from_ode(const dReal* v, double unit)
{
    return vec3d(v[0] * unit, v[1] * unit, v[2] * unit);
}

void rigid_flatten(const Rigid* rigid, BodyState* s)
{
    if (rigid->def.dimension == 3)
        return;
    s->position.z = s->velocity.z = s->angular_velocity.x = s->angular_velocity.y = 0;
    s->rotation = quat_normalise((Quat){s->rotation.w, 0, 0, s->rotation.z});
}

static BodyState read_back(const Rigid* rigid, const Body* body)
{
    const Units* u = &rigid->units;
    const dReal* q = dBodyGetQuaternion(body->ode);
    BodyState s = {from_ode(dBodyGetPosition(body->ode), u->length),
                   {q[0], q[1], q[2], q[3]},
                   from_ode(dBodyGetLinearVel(body->ode), u->velocity),
                   from_ode(dBodyGetAngularVel(body->ode), 1 / u->time)};
    rigid_flatten(rigid, &s);
    return s;
}

// Velocities and poses that ODE finds from the states at hand, at `time`. Where the exact solver loses its way (contacts that start
// with no force at all, in perfect symmetry), the step is done again with the iterative one, which always finds something sensible.
static void solve(Rigid* rigid, double time, double dt)
{
    for (int quick = 0; quick < 2; quick++) {
        hand_over(rigid);
        apply_forces(rigid, dt);
        joints_drive(rigid, time, dt);
        rigid->lost = false;
        ode_step(rigid, dt / rigid->units.time, quick);
        if (!rigid->lost)
            break;
    }
    for (size_t k = 0; k < rigid->body_count; k++) {
        Body* b = &rigid->body[k];
        b->next = b->ode && !b->held && !b->sleep.asleep ? read_back(rigid, b) : b->state;
    }
}

static void advance(Rigid* rigid, double time, double dt)
{
    for (size_t k = 0; k < rigid->body_count; k++)
        rigid->body[k].calm = false;
    do {
        dJointGroupEmpty(rigid->contacts);
        hand_over(rigid);
        contacts_find(rigid, dt);
        project_begin(rigid);
        solve(rigid, time, dt);
    } while (!project_check(rigid, dt));
    dJointGroupEmpty(rigid->contacts);
    project_end(rigid, dt);
}

typedef struct Prediction {
    double dt;
    Vec3d *linear, *angular;
} Prediction;

static bool has_joints(const Rigid* rigid)
{
    for (size_t k = 0; k < rigid->joint_count; k++)
        if (rigid->joint[k]->ode)
            return true;
    return false;
}

static void predict(Rigid* rigid, void* context)
{
    const Prediction* p = context;
    hand_over(rigid);
    contacts_find(rigid, p->dt);
    dJointGroupEmpty(rigid->contacts);
    bool bound = rigid->contact_count > 0 || has_joints(rigid);
    for (size_t k = 0; k < rigid->body_count; k++)
        rigid->before[k] = rigid->body[k].state;
    for (int s = 0, n = substeps(rigid, p->dt); s < n && bound; s++)
        advance(rigid, rigid->time + s * p->dt / n, p->dt / n);
    for (size_t k = 0; k < rigid->body_count; k++) {
        p->linear[k] = p->angular[k] = vec3d(0, 0, 0);
        Body* b = &rigid->body[k];
        BodyState after = b->state;
        b->state = rigid->before[k];
        if (!rigid_is_free(rigid, (int)k))
            continue;
        p->linear[k] = vec3d_mad(rigid->def.gravity, 1 / b->mass.mass, b->push);
        if (!bound)
            continue;
        double inverse[3][3];
        rigid_inverse_inertia(rigid, (int)k, inverse);
        Vec3d a = vec3d_scale(vec3d_sub(after.velocity, b->state.velocity), 1 / p->dt);
        Vec3d w = vec3d_scale(vec3d_sub(after.angular_velocity, b->state.angular_velocity), 1 / p->dt), t = b->torque;
        p->linear[k] = vec3d_mad(a, -1 / b->mass.mass, b->force);
        p->angular[k] = vec3d_sub(w, mat3d_times((const double(*)[3])inverse, t));
        if (rigid->def.dimension == 2) // the plane holds against what rounding adds to loads: nothing to pass on
            p->linear[k].z = p->angular[k].x = p->angular[k].y = 0;
    }
}

bool rigid_predict(Rigid* rigid, double dt, Vec3d* linear, Vec3d* angular)
{
    Prediction p = {dt, linear, angular};
    return ode_call(rigid, predict, &p);
}

static void step(Rigid* rigid, void* context)
{
    double dt = *(const double*)context;
    for (int s = 0, n = substeps(rigid, dt); s < n; s++) {
        advance(rigid, rigid->time + s * dt / n, dt / n);
        joints_check(rigid);
    }
}

bool rigid_step(Rigid* rigid, double dt)
{
    bool ok = ode_call(rigid, step, &dt);
    backing_find(rigid);
    for (size_t k = 0; k < rigid->body_count; k++) {
        rigid->body[k].force = rigid->body[k].torque = vec3d(0, 0, 0);
        if (ok && !is_possible(rigid, &rigid->body[k].state)) {
            strcpy(rigid->message, "a body's position or velocity is beyond all numbers");
            ok = false;
        }
    }
    return ok;
}

bool rigid_no_memory(const Rigid* rigid)
{
    return rigid->no_memory;
}

const char* rigid_message(const Rigid* rigid)
{
    return rigid->message;
}

// --- the state as bytes

typedef struct BodyRecord {
    BodyState state;
    double mass; // [kg]
    double held; // 0 or 1
    Sleep sleep;
} BodyRecord;

size_t rigid_state_bytes(const Rigid* rigid)
{
    return rigid->body_count * sizeof(BodyRecord) + rigid->joint_count * sizeof(double);
}

void rigid_save(const Rigid* rigid, void* bytes)
{
    BodyRecord* record = bytes;
    double* holds = (double*)(record + rigid->body_count);
    memset(record, 0, rigid->body_count * sizeof *record); // padding too
    for (size_t k = 0; k < rigid->body_count; k++) {
        const Body* b = &rigid->body[k];
        record[k].state = b->state;
        record[k].mass = b->mass.mass;
        record[k].held = b->held;
        record[k].sleep.rested = b->sleep.rested;
        record[k].sleep.asleep = b->sleep.asleep;
        for (int c = 0; c < 2; c++) {
            record[k].sleep.mean[c] = b->sleep.mean[c];
            record[k].sleep.before[c] = b->sleep.before[c];
        }
    }
    for (size_t k = 0; k < rigid->joint_count; k++)
        holds[k] = rigid->joint[k]->ode != NULL;
}

static bool is_flag(double x)
{
    return x == 0 || x == 1;
}

// What a save of these bodies can hold: anything else would make ODE stop later.
static bool is_record(const Rigid* rigid, const Body* b, const BodyRecord* r)
{
    Quat q = r->state.rotation;
    double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    unsigned char asleep; // as a byte: any other value is not a bool
    memcpy(&asleep, &r->sleep.asleep, 1);
    bool ok = is_possible(rigid, &r->state) && fabs(norm - 1) < 1e-3 && is_flag(r->held) && asleep <= 1 && r->sleep.rested >= 0 &&
              isfinite(r->sleep.rested);
    for (int c = 0; c < 2; c++)
        ok = ok && vec3d_finite(r->sleep.mean[c]) && vec3d_finite(r->sleep.before[c]);
    if (b->kind != BODY_FREE)
        return ok && r->held == 0 && asleep == 0;
    // a held body may have been let go, never the other way round; a density from 1e-9 to 1e9 has changed by no more than this
    double change = r->mass / b->first.mass;
    return ok && change > 1e-18 && change < 1e18 && (b->held || r->held == 0) && (b->may_sleep || asleep == 0);
}

static void load(Rigid* rigid, void* context)
{
    const BodyRecord* record = *(void**)context;
    const double* holds = (const double*)(record + rigid->body_count);
    for (size_t k = 0; k < rigid->joint_count; k++)
        if (holds[k] == 0)
            rigid_remove_joint(rigid, (int)k);
    for (size_t k = 0; k < rigid->body_count; k++) {
        Body* b = &rigid->body[k];
        b->state = record[k].state;
        if (b->kind != BODY_FREE)
            continue;
        if (b->held && record[k].held == 0)
            rigid_release(rigid, (int)k);
        if (record[k].mass != b->mass.mass)
            rigid_set_mass(rigid, (int)k, record[k].mass);
        b->sleep = record[k].sleep;
        body_mass_to_ode(rigid, b);
    }
}

bool rigid_load(Rigid* rigid, const void* bytes)
{
    const BodyRecord* record = bytes;
    const double* holds = (const double*)(record + rigid->body_count);
    for (size_t k = 0; k < rigid->body_count; k++)
        if (!is_record(rigid, &rigid->body[k], &record[k]))
            return false;
    for (size_t k = 0; k < rigid->joint_count; k++)
        if (!is_flag(holds[k]) || (holds[k] == 1 && !rigid->joint[k]->ode))
            return false;
    return ode_call(rigid, load, &bytes);
}
