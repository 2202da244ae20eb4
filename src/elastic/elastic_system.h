// SPDX-License-Identifier: MIT
// All deformable bodies of a world as one system that steps together (solid/kind.h): from definitions to bodies, with pins, and
// with the solids that they touch or are tied to, which are seen through their kinds alone.
#ifndef ELASTIC_ELASTIC_SYSTEM_H
#define ELASTIC_ELASTIC_SYSTEM_H

#include "elastic/elastic_solid.h"

extern const SolidSystem elastic_system;

// A pin of a solid: which vertices, and what they follow.
typedef struct SolidPin {
    char* name;       // or NULL
    char* solid_name; // tied to, or NULL
    mn_PinDef def;    // names are not kept; motion is an own copy
    size_t solid;     // number of the one that deforms
    size_t index;     // in its list
    int other;        // number of the solid it is tied to, or -1
    int pin;          // in the set of bodies
    int carrier;      // there, of the body it is tied to, or -1
    bool leads;       // the first of those on that carrier
    Vec3d middle;     // [m] of its vertices at the start
} SolidPin;

typedef struct ElasticSystem {
    SolidSetting setting;
    ElasticSet* set;
    SolidList all;    // solids of the world; from prepare on
    int* obstacle_of; // (solids) index among the obstacles of the set, or -1
    SolidPin* pin;
    size_t pin_count, pin_capacity;
} ElasticSystem;

// elastic_solid.c: makes a solid of body `body` of the set.
void elastic_bind_solid(ElasticSystem* system, int body, Solid* solid);
// The mesh of a solid gets the triangles that its body has, if there are others now. False: out of memory.
bool elastic_follow_surface(Solid* solid);

// pin_set.c
bool pins_keep(ElasticSystem* system, size_t number, const mn_SolidDef* def); // false: out of memory
mn_Result pins_set(ElasticSystem* system, mn_Error* error);                   // when all solids are known
mn_Pose pin_pose(const SolidPin* pin, double time);                           // of its frame, by its motion
void pins_release(ElasticSystem* system, const Solid* solid);                 // all of a solid
mn_Result pins_add(ElasticSystem* system, size_t number, mn_Error* error);    // those of a solid that came to a running world
// Whether pins from the `first` on, which are those of a solid that is none of the world's yet, have something to hold.
mn_Result pins_check(ElasticSystem* system, const SolidList* all, size_t first, const Solid* solid, const mn_SolidDef* def,
                     mn_Error* error);
void pins_drop(ElasticSystem* system, size_t first);    // those from the `first` on, which nobody has set yet
void pins_forget(ElasticSystem* system, size_t number); // a solid goes: its own are gone, those tied to it let go
void pins_free(ElasticSystem* system);

void elastic_system_place(void* system); // meshes of solids are where the bodies are

// system_step.c
bool elastic_system_predict(void* system, double time, double dt);
bool elastic_system_step(void* system, double time, double dt);

// lint.c
void elastic_warn_of_places(const ElasticSystem* system);
void elastic_warn(const void* system, const SolidProspect* prospect);

#endif
