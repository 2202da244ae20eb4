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

static bool boxes_meet(Box3d a, Box3d b)
{
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y && a.min.z <= b.max.z &&
           b.min.z <= a.max.z;
}

// One elastic solid in another: a vertex or the middle deep within, or, for sheets and copies, surfaces that coincide.
static bool is_in_elastic(const Solid* solid, const InsideTest* test, bool closed, double radius)
{
    double depth = 0.25 * radius, same = 1e-3 * radius;
    size_t within = 0, on = 0, count = solid->mesh.vertex_count;
    Vec3d middle = {0, 0, 0};
    for (size_t v = 0; v < count; v++) {
        Vec3d p = solid->mesh.vertex[v];
        double distance = inside_distance(test, p, depth, NULL, NULL);
        on += distance < same;
        within += closed && distance >= depth && inside_contains(test, p);
        middle = vec3d_add(middle, vec3d_scale(p, 1 / (double)count));
    }
    bool around = closed && inside_contains(test, middle) && inside_distance(test, middle, depth, NULL, NULL) >= depth;
    return within || 2 * on > count || (around && solid->closed);
}

static bool touches_others(const ElasticSystem* s, size_t k)
{
    const Solid* solid = &s->all.solid[k];
    return solid->system == s && s->all.def[k].contact != MN_CONTACT_NONE && solid->mesh.vertex_count > 0;
}

static void warn_of_elastics_in_elastic(const ElasticSystem* s, size_t number)
{
    const Solid* one = &s->all.solid[number];
    Box3d box = tri_mesh_bounds(&one->mesh);
    InsideTest* test = NULL;
    for (size_t k = number + 1; k < s->all.count; k++) {
        const Solid* other = &s->all.solid[k];
        if (!touches_others(s, k) || !boxes_meet(box, tri_mesh_bounds(&other->mesh)))
            continue;
        test = test ? test : inside_create(&one->mesh, NULL);
        InsideTest* reverse = inside_create(&other->mesh, NULL);
        // without memory for a warning the run will say so soon enough
        if ((test && is_in_elastic(other, test, one->closed, s->setting.radius)) ||
            (reverse && is_in_elastic(one, reverse, other->closed, s->setting.radius)))
            log_say(s->setting.log, MN_LOG_WARNING, "solids '%s' and '%s' start overlapping; they will be pushed apart", one->name,
                    other->name);
        inside_destroy(reverse);
    }
    inside_destroy(test);
}

void elastic_warn_of_places(const ElasticSystem* s)
{
    for (size_t k = 0; k < s->all.count; k++)
        if (s->all.solid[k].system == s && s->all.def[k].contact != MN_CONTACT_NONE)
            warn_of_place(s, k);
    for (size_t k = 0; k < s->all.count; k++)
        if (touches_others(s, k))
            warn_of_elastics_in_elastic(s, k);
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
