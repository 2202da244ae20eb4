// SPDX-License-Identifier: MIT
// A small reader of USD text files (.usda), as strict as the published grammar for what is used here: it stops at anything else.
#ifndef TESTS_CLI_USDA_H
#define TESTS_CLI_USDA_H

#include <stdbool.h>
#include <stddef.h>

enum { USDA_SAMPLES = 64, USDA_ATTRIBUTES = 16, USDA_CHILDREN = 16, USDA_WORDS = 8, USDA_NAME = 64 };

// A value: numbers in tuples of `arity`, or words.
typedef struct UsdaValue {
    double* number;
    size_t number_count;
    int arity;
    bool is_array;
    char word[USDA_WORDS][USDA_NAME];
    size_t word_count;
} UsdaValue;

typedef struct UsdaAttribute {
    bool uniform;
    char type[USDA_NAME], name[USDA_NAME]; // "point3f[]", "points"
    char interpolation[USDA_NAME];
    UsdaValue value; // without samples
    bool has_value;
    double code[USDA_SAMPLES];
    UsdaValue sample[USDA_SAMPLES];
    size_t sample_count;
} UsdaAttribute;

typedef struct UsdaPrim {
    char type[USDA_NAME], name[USDA_NAME];
    UsdaAttribute* attribute[USDA_ATTRIBUTES];
    size_t attribute_count;
    struct UsdaPrim* child[USDA_CHILDREN];
    size_t child_count;
} UsdaPrim;

typedef struct UsdaLayer {
    UsdaAttribute* metadata[USDA_ATTRIBUTES]; // name and value
    size_t metadata_count;
    UsdaPrim* root;
    char trouble[200]; // empty: all is well
    int line;
} UsdaLayer;

// Reads all of `text`; what is wrong is in layer->trouble.
void usda_read(UsdaLayer* layer, const char* text);
void usda_free(UsdaLayer* layer);
const UsdaAttribute* usda_find(const UsdaPrim* prim, const char* name); // NULL: none

#endif
