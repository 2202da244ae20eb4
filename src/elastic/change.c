// SPDX-License-Identifier: MIT
// Bodies and obstacles that go, and bodies of another material, between steps.
#include "elastic/elastic_parts.h"

#include "elastic/contact/deformables.h"
#include "elastic/obstacle.h"
#include <string.h>

void elastic_remove_body(ElasticSet* set, int body)
{
    deformables_free(set); // it has places for the bodies there were
    body_free(set, &set->body[body]);
    set->body_count--;
    memmove(set->body + body, set->body + body + 1, (set->body_count - (size_t)body) * sizeof *set->body);
    obstacles_forget_features(set);
}

void elastic_remove_obstacle(ElasticSet* set, int obstacle)
{
    sharp_features_free(&set->obstacle[obstacle].sharp);
    set->obstacle_count--;
    memmove(set->obstacle + obstacle, set->obstacle + obstacle + 1,
            (set->obstacle_count - (size_t)obstacle) * sizeof *set->obstacle);
    for (size_t k = 0; k < set->body_count; k++)
        set->body[k].obstacles.known = SIZE_MAX; // distances are those of others now
}

void elastic_set_friction(ElasticSet* set, int body, double friction)
{
    set->body[body].def.friction = friction;
}

void elastic_set_obstacle_friction(ElasticSet* set, int obstacle, double friction)
{
    set->obstacle[obstacle].def.friction = friction;
}

void elastic_untie_pin(ElasticSet* set, int body, int pin)
{
    elastic_release_pin(set, body, pin);
    set->body[body].pins.pin[pin].carrier = -1;
}

// --- another material

static void weigh(Body* body)
{
    memset(body->mass, 0, body->point_count * sizeof *body->mass);
    body_weigh(body, NULL); // it had masses before, so it has now
    for (size_t k = 0; k < body->point_count && body->fit != 1; k++)
        body->mass[k] *= body->fit;
}

// [s] As body_crossing() finds it of the surface as it was built.
static double crossing_of(const Body* body)
{
    TriMesh surface = {.vertex_count = body->vertex_count,
                       .triangle_count = body->triangle_count,
                       .vertex = body->vertex_rest,
                       .triangle = body->triangle};
    ElasticBodyDef def = body->def;
    static const struct TetMesh* const SHEET = NULL;
    def.surface = &surface;
    def.tets = body->tet_count ? (const struct TetMesh*)&surface : SHEET; // whether there are some is all that is asked
    return body_crossing(&def);
}

// The model is made anew, and gets back what it remembers.
static bool remake_model(ElasticSet* set, Body* body)
{
    const ElasticModel* model = body->model;
    size_t bytes = model->state_bytes ? model->state_bytes(body) : 0;
    void* kept = memory_take(NULL, bytes + 1);
    if (!kept)
        return false;
    if (bytes)
        model->save(body, kept);
    model->destroy(set, body);
    body->state = NULL;
    body->contact_mass = NULL;
    bool ok = model->create(set, body, NULL) == MN_OK;
    if (ok && set->is_immersed)
        ok = model->immerse(set, body, set->spacing, elastic_mass(set, (int)(body - set->body)));
    if (ok && bytes)
        model->load(body, kept);
    memory_give(NULL, kept);
    return ok;
}

bool elastic_change_body(ElasticSet* set, int number, double density, double young, double poisson)
{
    Body* body = &set->body[number];
    ElasticBodyDef* def = &body->def;
    if (def->density == density && def->young == young && def->poisson == poisson)
        return true;
    def->density = density;
    def->young = young;
    def->poisson = poisson;
    weigh(body);
    body->crossing = crossing_of(body);
    body->carried = NULL; // whoever couples it says it again
    deformables_free(set);
    return remake_model(set, body);
}
