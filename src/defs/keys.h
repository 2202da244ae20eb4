// SPDX-License-Identifier: MIT
// The one table of keys: names, meaning and limits of what the public defs hold. The scene reader, writer, --set, help, JSON schema
// and docs/scene-reference.md walk over it, and so does the check of defs (check.h), so that a key is added and limited in one
// place: a line in keys.c, keys_solid.c, keys_probe.c, keys_event.c, keys_foam.c, keys_template.c or keys_view.c (and its default
// in defaults.c).
#ifndef DEFS_KEYS_H
#define DEFS_KEYS_H

#include <meniscus/defs.h>

typedef struct Section Section;
typedef struct DefContext DefContext;

typedef enum KeyType {
    KEY_NUMBER,       // double
    KEY_INTEGER,      // int
    KEY_COUNT,        // int64_t
    KEY_BOOLEAN,      // bool
    KEY_STRING,       // const char*, a scene owns it
    KEY_NAME,         // const char*, a scene owns it; fit for file names and table columns
    KEY_FILE,         // const char*, a scene owns it; a mesh file that must exist
    KEY_IMAGE,        // const char*, a scene owns it; a picture file that must exist
    KEY_MATERIAL,     // const char*, a scene owns it; a name of material.h
    KEY_ENUM,         // an enum of the size of int
    KEY_VECTOR,       // mn_Vec3; two numbers will do in 2D
    KEY_POINT,        // mn_Vec3, always three numbers
    KEY_COLOUR,       // mn_Vec3, three numbers in 0..1
    KEY_SCALE,        // mn_Vec3; one number for all axes or a vector
    KEY_PAIR,         // double[2]
    KEY_NOZZLE,       // double[2]; one number will do in 2D
    KEY_INTEGER_PAIR, // int[2]
    KEY_AXES,         // bool[3], one per axis; two will do in 2D
    KEY_ROTATION,     // mn_Quat; quaternion, axis and angle, or Euler angles
    KEY_DIRECTION,    // mn_Quat that turns +y into a given vector; another form of a rotation, never written
    KEY_SHAPE,        // mn_Shape
    KEY_OBJECT,       // a section inside the same struct
    KEY_LIST,         // pointer to an array of sections, and its size_t count
    KEY_LATER,        // promised for a later version: an error that says so
    KEY_LATER_LIST,   // the same, but an empty list does no harm
} KeyType;

// Numbers from low to high; with `above` low itself is not allowed. All zero: no limits.
typedef struct Range {
    double low, high;
    bool above;
} Range;

typedef struct Key {
    const char* name;
    KeyType type;
    size_t offset;            // of the value in the section's struct
    const char* unit;         // NULL: none
    Range range;              // allowed numbers (each component); lists: allowed counts
    bool required;            // has no default
    const char* fallback;     // the default in words where it depends on other keys; NULL: what the section's defaults say
    const char* word;         // a word allowed instead of the value ("auto")...
    double word_value;        // ...and what is stored for it
    const char* const* words; // enum: names in the order of its constants, NULL at the end
    const char* const* later; // enum: names promised for a later version, NULL at the end; may be NULL
    const Section* section;   // object, list
    const char* number;       // object: the key that a number in its place stands for; NULL: none
    const char* list;         // object: the key that a list in its place stands for; NULL: none
    bool from_file;           // list: the name of a csv file may stand for it (scene/motion_file.h)
    size_t count_offset;      // list: where its size_t is; object with a word: where the bool "given" is
    bool (*applies)(const void* object); // NULL: always; otherwise decided by keys further up in the section
    const char* only;                    // for what it applies, in words
    const char* doc;                     // one sentence
    void (*chosen)(void* object);        // it was given: keys after it get other defaults; NULL: they do not
} Key;

struct Section {
    const char* path; // "fluids.blocks"; "" is the scene itself
    const char* doc;  // a sentence or two
    size_t size;      // of the struct
    const Key* keys;
    size_t key_count;
    bool shorthand;                 // items of lists: a plain value may stand for an object; the scene reader knows which
    void (*defaults)(void* object); // items of lists, and the scene; NULL: part of the parent's defaults
    // What concerns several keys, once each is known to be allowed; see check.h. NULL: nothing.
    mn_Result (*check)(const DefContext* context, const void* object, mn_Error* error);
};

extern const Section scene_section, solver_section, coupling_section, foam_section, output_section, domain_section;
extern const Section fluid_section, tension_section, block_section, ball_section, fill_section, emitter_section;
extern const Section particle_file_section;
extern const Section fluid_shape_section, solid_fill_section, speed_section, speed_key_section, nozzle_motion_section,
    oscillation_section;
extern const Section solid_section, motion_section, pin_section, pin_motion_section;
extern const Section joint_section, drive_section, event_section, drain_section, probe_section, sponge_section;
extern const Section push_section, force_section, move_section, solid_change_section, fluid_particle_section, pour_section,
    scoop_section, nozzle_section, fluid_change_section, pull_section;
extern const Section ragdoll_section, chain_section;
extern const Section view_section, camera_section, caption_section, environment_section, light_section, ground_section;
extern const Section solid_look_section, fluid_look_section, foam_look_section, clip_section;

static inline void* key_at(const Key* key, void* object)
{
    return (char*)object + key->offset;
}
static inline const void* key_at_const(const Key* key, const void* object)
{
    return (const char*)object + key->offset;
}
static inline bool key_applies(const Key* key, const void* object)
{
    return !key->applies || key->applies(object);
}
static inline bool key_is_later(const Key* key)
{
    return key->type == KEY_LATER || key->type == KEY_LATER_LIST;
}

const Key* section_find(const Section* section, const char* name); // NULL: no such key
bool range_allows(const Range* range, double value);
// Whether the stored value is what the key's word stands for.
bool key_holds_word(const Key* key, const void* object);

// What is allowed, as the end of the sentence "expected ...": "a number above 0 [m]". Returns `buffer`.
const char* key_allowed(const Key* key, int dimension, char* buffer, size_t size);

#endif
