// SPDX-License-Identifier: MIT
// What about deformable solids is hardly ever meant: where they start, how stiff and how soft they are.
#include "elastic/elastic_system.h"

static bool is_tied_to(const ElasticSystem* s, size_t number, size_t other)
{
    for (size_t k = 0; k < s->pin_count; k++)
        if (s->pin[k].solid == number && s->pin[k].other == (int)other)
            return true;
    return false;
}

static size_t count_within(const Solid* elastic, const Solid* other, double depth)
{
    size_t count = 0;
    for (size_t v = 0; v < elastic->mesh.vertex_count; v++) {
        Vec3d p = solid_to_local(other, elastic->mesh.vertex[v]);
        count += inside_contains(other->test, p) && inside_distance(other->test, p, depth, NULL, NULL) >= depth;
    }
    return count;
}

static bool has_containers(const SolidList* all)
{
    for (size_t k = 0; k < all->count; k++)
        if (all->solid[k].inside)
            return true;
    return false;
}

// Where one starts: in a hard solid, or in no container although there are some.
static void warn_of_place(const ElasticSystem* s, size_t number)
{
    double depth = 0.25 * s->setting.radius;
    const Solid* elastic = &s->all.solid[number];
    size_t contained = 0;
    for (size_t j = 0; j < s->all.count; j++) {
        const Solid* other = &s->all.solid[j];
        if (s->obstacle_of[j] < 0 || !other->closed || is_tied_to(s, number, j))
            continue;
        size_t within = count_within(elastic, other, depth);
        if (other->inside)
            contained += within;
        else if (within)
            log_say(s->setting.log, MN_LOG_WARNING, "solids '%s' and '%s' start overlapping; they will be pushed apart",
                    elastic->name, other->name);
    }
    if (has_containers(&s->all) && contained == 0)
        log_say(s->setting.log, MN_LOG_WARNING, "solid '%s' starts outside of all containers", elastic->name);
}

void elastic_warn_of_places(const ElasticSystem* s)
{
    for (size_t k = 0; k < s->all.count; k++)
        if (s->all.solid[k].system == s && s->all.def[k].contact != MN_CONTACT_NONE)
            warn_of_place(s, k);
}

static void warn_of_stiffness(const ElasticSystem* s, const Solid* solid, const SolidProspect* prospect)
{
    double dt = prospect->dt, longest = elastic_longest_step(s->set, (int)solid->index);
    double wet = elastic_carrying_step(s->set, (int)solid->index, false);
    if (dt > 4 * wet && !prospect->fixed_dt)
        log_say(s->setting.log, MN_LOG_INFO, "solid '%s' is stiff: steps are at most %.3g s while it is wet; fem has no such limit",
                solid->name, wet);
    if (dt > longest)
        log_say(s->setting.log, MN_LOG_WARNING,
                "solid '%s' is too stiff for steps of %.3g s: it will stretch more than its modulus says where steps are longer "
                "than %.3g s; lower young or thickness, give it fewer vertices, set solver.max_time_step or substeps",
                solid->name, dt, longest);
}

static void warn_of_softness(const ElasticSystem* s, const Solid* solid, const SolidProspect* prospect)
{
    double bulk = elastic_bulk_modulus(s->set, (int)solid->index);
    if (bulk < prospect->pressure)
        log_say(s->setting.log, MN_LOG_WARNING,
                "solid '%s' resists compression with %.3g Pa, but the fluid may press with %.3g Pa: it will be crushed; raise "
                "young, or poisson towards 0.5 as for jelly or rubber",
                solid->name, bulk, prospect->pressure);
}

void elastic_warn(const void* system, const SolidProspect* prospect)
{
    const ElasticSystem* s = system;
    for (size_t k = 0; k < s->all.count; k++)
        if (s->all.solid[k].system == s)
            warn_of_stiffness(s, &s->all.solid[k], prospect);
    for (size_t k = 0; k < s->all.count; k++)
        if (s->all.solid[k].system == s)
            warn_of_softness(s, &s->all.solid[k], prospect);
}
