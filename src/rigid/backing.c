// SPDX-License-Identifier: MIT
// What stands behind a body when it pushes something: the mass of all free bodies that contacts and joints connect it with. What
// does not move gives no push, so floors neither count nor connect; solids that are driven push as hard as it takes.
#include "rigid/rigid_parts.h"

// Bodies of one cluster get the number of the first of them.
static bool join(Rigid* rigid, int a, int b)
{
    if (!rigid_is_free(rigid, a) || !rigid_is_free(rigid, b))
        return false;
    int *p = &rigid->body[a].cluster, *q = &rigid->body[b].cluster;
    if (*p == *q)
        return false;
    *p = *q = *p < *q ? *p : *q;
    return true;
}

static bool join_all(Rigid* rigid)
{
    bool changed = false;
    for (size_t k = 0; k < rigid->touch_count; k++)
        changed |= join(rigid, rigid->touch[k].body[0], rigid->touch[k].body[1]);
    for (size_t k = 0; k < rigid->joint_count; k++)
        if (rigid->joint[k]->ode && rigid->joint[k]->other >= 0)
            changed |= join(rigid, rigid->joint[k]->solid, rigid->joint[k]->other);
    return changed;
}

static bool is_driven(const Body* b)
{
    return b->kind == BODY_DRIVEN && vec3d_length(b->state.velocity) + vec3d_length(b->state.angular_velocity) > 0;
}

static void push_along(Rigid* rigid, int a, int b)
{
    if (is_driven(&rigid->body[a]))
        rigid->body[rigid->body[b].cluster].backing = (double)INFINITY;
    if (is_driven(&rigid->body[b]))
        rigid->body[rigid->body[a].cluster].backing = (double)INFINITY;
}

void backing_find(Rigid* rigid)
{
    for (size_t k = 0; k < rigid->body_count; k++) {
        rigid->body[k].cluster = (int)k;
        rigid->body[k].backing = 0;
    }
    while (join_all(rigid))
        ;
    for (size_t k = 0; k < rigid->body_count; k++)
        if (rigid_is_free(rigid, (int)k))
            rigid->body[rigid->body[k].cluster].backing += rigid->body[k].mass.mass;
    for (size_t k = 0; k < rigid->touch_count; k++)
        push_along(rigid, rigid->touch[k].body[0], rigid->touch[k].body[1]);
    for (size_t k = 0; k < rigid->joint_count; k++)
        if (rigid->joint[k]->ode && rigid->joint[k]->other >= 0)
            push_along(rigid, rigid->joint[k]->solid, rigid->joint[k]->other);
    for (size_t k = 0; k < rigid->body_count; k++) // the first of a cluster comes before the others
        rigid->body[k].backing = rigid->body[rigid->body[k].cluster].backing;
}

double rigid_backing(const Rigid* rigid, int body)
{
    return rigid->body[body].backing;
}
