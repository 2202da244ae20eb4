// SPDX-License-Identifier: MIT
// A layer of Universal Scene Description as it is written: prims, one inside the other, with attributes that have one value for all
// times or a sample per frame. Two formats write it: text (.usda, usd_text.c) and crate (.usdc, usd_crate.c).
#ifndef IO_USD_LAYER_H
#define IO_USD_LAYER_H

#include <meniscus/base.h>
#include <stdbool.h>

enum { USD_ANIMATED = 8, USD_DEPTH = 4 }; // attributes of a prim with samples; prims inside each other

typedef struct UsdAttribute {
    const char* type; // as USD calls it, one of usd_storage()
    const char* name;
    const char* interpolation; // NULL: not told
    bool uniform;
} UsdAttribute;

typedef enum UsdStorage {
    USD_INTS,    // const int32_t*
    USD_INT64S,  // const int64_t*
    USD_FLOATS,  // const float*
    USD_VECTORS, // const float*, three each
    USD_DOUBLE3, // const double*, three
    USD_QUAT,    // const double*: w, x, y, z
    USD_TOKEN,   // const char*
    USD_TOKENS   // const char* const*
} UsdStorage;

// How values of a type lie in memory; the type must be one that is written here.
UsdStorage usd_storage(const char* type);

enum { USD_EXACT = -1 };

typedef struct UsdValue {
    const void* data;
    size_t count; // of an array
    int places;   // behind the point that text shows of floats, or USD_EXACT
} UsdValue;

typedef struct UsdHead {
    const char *root, *documentation, *up_axis;
    double first, last, frame_rate; // time codes
} UsdHead;

// What goes wrong while a layer is written is kept and told by `close`.
typedef struct UsdFormat {
    const char* name; // and the ending of its files: "usda"
    mn_Result (*open)(void** layer, const char* path, const UsdHead* head, mn_Error* error);
    void (*begin_prim)(void* layer, const char* type, const char* name);
    void (*set)(void* layer, const UsdAttribute* attribute, const UsdValue* value);
    // Attributes of the current prim that get samples, all in one call; their strings must live until the prim ends.
    void (*animate)(void* layer, const UsdAttribute* attribute, size_t count);
    void (*sample)(void* layer, size_t attribute, double code, const UsdValue* value);
    void (*end_prim)(void* layer);
    mn_Result (*close)(void* layer, bool keep, mn_Error* error); // frees the layer
} UsdFormat;

extern const UsdFormat usd_text, usd_crate;

#endif
