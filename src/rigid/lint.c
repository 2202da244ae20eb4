// SPDX-License-Identifier: MIT
// What about rigid bodies is hardly ever meant: those that start in each other, or are too light for the fluid around them.
#include "rigid/rigid_system.h"

static Box3d bounds_in(const Solid* frame, const Solid* solid)
{
    Box3d box = {vec3d(INFINITY, INFINITY, INFINITY), vec3d(-INFINITY, -INFINITY, -INFINITY)};
    for (size_t k = 0; k < solid->mesh.vertex_count; k++) {
        Vec3d p = solid_to_local(frame, solid_to_world(solid, solid->mesh.vertex[k]));
        box.min = vec3d_min(box.min, p);
        box.max = vec3d_max(box.max, p);
    }
    return box;
}

static void warn_of_container(const RigidSystem* s, const Solid* container, const Solid* solid)
{
    Box3d room = bounds_in(container, container), body = bounds_in(container, solid);
    Vec3d a = vec3d_sub(room.max, room.min), b = vec3d_sub(body.max, body.min);
    size_t inside = 0;
    for (size_t k = 0; k < solid->mesh.vertex_count; k++)
        inside += inside_contains(container->test, solid_to_local(container, solid_to_world(solid, solid->mesh.vertex[k])));
    if (b.x > a.x || b.y > a.y || b.z > a.z)
        log_say(s->setting.log, MN_LOG_WARNING, "solid '%s' is larger than its container '%s' and does not fit in", solid->name,
                container->name);
    else
        log_say(s->setting.log, MN_LOG_WARNING, "solid '%s' starts %soutside of container '%s'; it will be pushed in", solid->name,
                inside ? "partly " : "", container->name);
}

void rigid_warn_of_overlaps(const RigidSystem* s)
{
    enum { SAID = 4, FOUND = 64 };
    int pairs[FOUND][2];
    size_t count = rigid_overlaps(s->rigid, 0.25 * s->setting.radius, pairs, FOUND);
    for (size_t k = 0; k < count && k < SAID; k++) {
        const Solid *a = &s->all.solid[pairs[k][0]], *b = &s->all.solid[pairs[k][1]];
        if (a->inside || b->inside)
            warn_of_container(s, a->inside ? a : b, a->inside ? b : a);
        else
            log_say(s->setting.log, MN_LOG_WARNING, "solids '%s' and '%s' start overlapping; they will be pushed apart", a->name,
                    b->name);
    }
    if (count > SAID)
        log_say(s->setting.log, MN_LOG_WARNING, "%zu%s more pairs of solids start overlapping", count - SAID,
                count == FOUND ? " or" : "");
}

// A ball moves half its volume of fluid along: lighter ones are thrown about by coupling that does not foresee it.
void rigid_warn(const void* system, const SolidProspect* prospect)
{
    const RigidSystem* s = system;
    for (size_t k = 0; prospect->light_remedy[0] && k < s->all.count; k++) {
        const Solid* solid = &s->all.solid[k];
        const mn_SolidDef* def = &s->all.def[k];
        bool light = solid->closed && def->mass <= 0 && def->density < 0.3 * prospect->fluid_density;
        if (solid->system == s && light)
            log_say(s->setting.log, MN_LOG_WARNING, "solid '%s' (%g kg/m3) may be thrown about: bodies this light need %s",
                    solid->name, def->density, prospect->light_remedy);
    }
}
