// SPDX-License-Identifier: MIT
// What the files that read scenes of SPlisHSPlasH share. Every key that is read is taken out of its object; what is left in the end
// was not understood, and is noted.
#ifndef SCENE_FOREIGN_SPLISHSPLASH_PARTS_H
#define SCENE_FOREIGN_SPLISHSPLASH_PARTS_H

#include "base/vec.h"
#include "scene/foreign/foreign.h"
#include "scene/page.h"

#include <jansson.h>

typedef struct Splish {
    const ForeignScene* foreign;
    json_t* root;          // what has not been read yet
    json_t* configuration; // in `root`
    json_t* scene;         // what is being made
    Page notes;
    size_t note_count;
    json_t* idle;               // keys that mean nothing here, by the reason why
    bool flat;                  // dimension 2
    bool walls_shown;           // by its window, in their colour
    double radius;              // [m] of particles
    double wall_viscosity;      // [1] share of the fluids' viscosity at walls; negative: no fluid has said
    double explicit_viscosity;  // [m2/s] the largest that limits the step
    double wall_adhesion;       // [m4/(kg s2)] negative: none
    Vec3d fluid_min, fluid_max; // [m] around where fluid starts or, without such, enters; min.x > max.x: there is none
    ConversionFile* files;
    size_t file_count;
    bool no_memory;
} Splish;

// An object of a list, or of the root, by its name in notes: "RigidBodies.0".
typedef struct SplishObject {
    json_t* json;
    char name[80];
} SplishObject;

// Notes that `key` of `object` (NULL: the object itself) is not what the file says.
__attribute__((format(printf, 4, 5))) void splish_note(Splish* s, const SplishObject* object, const char* key, const char* format,
                                                       ...);

// Values of keys, which are taken out. A missing key gives the default; so does a wrong type, which is noted.
bool splish_has(const SplishObject* object, const char* key);
double splish_number(Splish* s, const SplishObject* object, const char* key, double or_else);
bool splish_bool(Splish* s, const SplishObject* object, const char* key, bool or_else);
Vec3d splish_vector(Splish* s, const SplishObject* object, const char* key, Vec3d or_else);
// A name or a number as text, "" if there is none. Returns `buffer`.
const char* splish_text(Splish* s, const SplishObject* object, const char* key, char* buffer, size_t size);
Quat splish_rotation(Splish* s, const SplishObject* object); // rotationAxis, rotationAngle
void splish_drop(const SplishObject* object, const char* key);
// Keys that steer the other program alone, and why; NULL ends them. They are listed in the end, each once.
void splish_ignore(Splish* s, const SplishObject* object, const char* why, const char* const* keys);
void splish_ignore_one(Splish* s, const SplishObject* object, const char* why, const char* key);

#define OF_ITS_WINDOW "of its window"
#define OF_ITS_FILES "of its files; a run folder has frames, bodies and checkpoints"
#define OF_ITS_METHODS                                                                                                             \
    "of its own data and solvers; boundary particles are sampled from the mesh here, steps and sorting go by themselves"
#define OF_OTHER_METHODS "of methods that are not chosen"
#define OF_ITS_EDITOR "of its editor"
#define OF_THINGS_AT_REST "of a body that does not move"

// Objects of a list of the root; 0: there is no such list.
size_t splish_list(Splish* s, const char* list);
SplishObject splish_item(Splish* s, const char* list, size_t index);

// Parts of the scene that is made.
json_t* splish_point(const Splish* s, Vec3d v); // two numbers in 2D
json_t* splish_quat(const Splish* s, Quat q);
void splish_put(json_t* object, const char* key, json_t* value); // takes the value over
json_t* splish_section(json_t* object, const char* key);         // an object in it, made if there is none
void splish_append(json_t* object, const char* key, json_t* value);

// A file name of the foreign scene as the new one writes it. Returns `buffer`.
const char* splish_file(const Splish* s, const char* file, char* buffer, size_t size);
// The same file as this process finds it.
const char* splish_path(const Splish* s, const char* file, char* buffer, size_t size);
// A name that scenes allow. Returns `name`.
char* splish_clean_name(char* name);

// splishsplash_fluids.c, splishsplash_solids.c
void splish_fluids(Splish* s);
void splish_solids(Splish* s);
bool splish_is_joint_list(const char* list);

// Where something is: scaled, then turned, then moved.
typedef struct Placement {
    Vec3d position;
    Vec3d scale;
    Quat rotation;
    Box3d reach; // [m] around the shape where it is, once it is known
} Placement;

// splishsplash_materials.c: a method by the namespace that holds its parameters, and its number in viscosityMethod and the like.
typedef struct SplishMethod {
    const char* space;
    int number;
} SplishMethod;
// The material, or the configuration if only that has the key: old files say there what holds for every fluid.
const SplishObject* splish_home(const SplishObject* material, const SplishObject* configuration, const char* key);
int splish_method(Splish* s, const SplishObject* material, const SplishObject* configuration, const char* key,
                  const SplishMethod* methods);
void splish_material(Splish* s, const SplishObject* material, const json_t* configuration, json_t* fluid);
void splish_materials_done(Splish* s); // when all fluids have theirs

// splishsplash_elastic.c
bool splish_is_elastic(Splish* s, const SplishObject* material);
// A solid of this shape, which is taken over; `fluid` is what its name starts with.
void splish_add_elastic(Splish* s, const SplishObject* material, const char* fluid, const SplishObject* object, json_t* shape,
                        const Placement* at);
void splish_elastic_done(Splish* s, const SplishObject* material);

// splishsplash_shapes.c
// Shape of a mesh file: {"box": ...} where it is one, else {"mesh": ...}; in a plane its outline. What the shape has taken in of
// `at` is 1 or nothing there afterwards. NULL: it cannot be used, and that was noted.
json_t* splish_shape(Splish* s, const SplishObject* object, const char* file, Placement* at, bool* closed);
// The same of the surface around the particles of a file.
json_t* splish_wrapped(Splish* s, const SplishObject* object, const char* file, Placement* at);

#endif
