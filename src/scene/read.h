// SPDX-License-Identifier: MIT
// JSON to mn_Scene, led by the table of keys. A failure knows the path it happened at and says where that is in the text.
#ifndef SCENE_READ_H
#define SCENE_READ_H

#include "defs/keys.h"
#include "scene/document.h"

#include <jansson.h>

typedef struct Reader {
    const Document* document;
    mn_Scene* scene;  // being filled
    Path path;        // of the value being read
    double particles; // that the fluids seen so far would start with
    mn_Error* error;  // may be NULL
    mn_Result result;
} Reader;

// The whole text as JSON. NULL: it is none, or out of memory; the error names line, column and key.
json_t* document_json(const Document* document, mn_Error* error);

// Fills `object`, which holds its defaults. False: failed, with reader->result and error set; what was read can be freed.
bool read_section(Reader* reader, const Section* section, json_t* node, void* object);
bool read_key(Reader* reader, const Key* key, json_t* node, void* object);

// All return false, so that callers can `return reader_fail(...)`. The place is the value at the reader's path, or...
__attribute__((format(printf, 2, 3))) bool reader_fail(Reader* reader, const char* format, ...);
// ...the value of one of its keys...
__attribute__((format(printf, 3, 4))) bool reader_fail_in(Reader* reader, const char* key, const char* format, ...);
// ...or the key itself, which is wrong.
__attribute__((format(printf, 3, 4))) bool reader_fail_name(Reader* reader, const char* key, const char* format, ...);
bool reader_no_memory(Reader* reader);
// The same for what a check of defs found, at the key that its error names; true if it found nothing.
bool reader_agrees(Reader* reader, mn_Result result, const mn_Error* error);

// A JSON value for people, cut short. Returns `buffer`.
const char* value_text(json_t* node, char* buffer, size_t size);
// The same for a plain string, quoted.
const char* quoted_text(const char* string, char* buffer, size_t size);
// Makes any bytes printable: control characters become '?', a half character at the end is removed.
void make_printable(char* string);

// "unknown key X; did you mean Y? Known here: ...". Returns `buffer`.
const char* unknown_key_text(const Section* section, const char* name, char* buffer, size_t size);

// value.c: the value of a key that is neither object nor list.
bool read_value(Reader* reader, const Key* key, json_t* node, void* object);
// "got X, expected Y".
bool reader_unexpected(Reader* reader, const Key* key, json_t* node);

#endif
