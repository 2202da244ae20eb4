// SPDX-License-Identifier: MIT
// Results, errors and the few plain types that every public header uses. SI units everywhere.
#ifndef MENISCUS_BASE_H
#define MENISCUS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(MENISCUS_BUILDING) || !defined(MENISCUS_SHARED)
#define MN_API __attribute__((visibility("default")))
#else
#define MN_API
#endif

#define MN_VERSION_MAJOR 0
#define MN_VERSION_MINOR 1
#define MN_VERSION_PATCH 0
#define MN_VERSION_STRING "0.1.0"

typedef struct mn_Vec3 {
    double x, y, z;
} mn_Vec3;

// Unit quaternion; identity is {1, 0, 0, 0}.
typedef struct mn_Quat {
    double w, x, y, z;
} mn_Quat;

// What a call that can fail returns. Everything but MN_OK comes with a filled mn_Error.
typedef enum mn_Result {
    MN_OK = 0,
    MN_INVALID,       // the simulation became invalid (NaN, exploded); exit status 1
    MN_BAD_INPUT,     // a scene, mesh or value that is not allowed; exit status 2
    MN_IO_FAILED,     // reading or writing failed; exit status 3
    MN_OUT_OF_MEMORY, // exit status 3
    MN_INTERRUPTED,   // exit status 130
} mn_Result;

// Why a call failed. The caller provides it (may be NULL everywhere); the library fills it and never prints.
typedef struct mn_Error {
    mn_Result result;
    int line, column;  // in the file, from 1; 0 if unknown
    char file[256];    // file concerned, empty if none
    char key[128];     // dotted path of the scene key, e.g. "fluids.0.density"; empty if none
    char message[512]; // what is wrong and what is allowed, one sentence, no trailing newline
} mn_Error;

// One line for people: "file:line:column: key: message". Returns `buffer`.
MN_API const char* mn_error_text(const mn_Error* error, char* buffer, size_t size);

MN_API const char* mn_version(void);

typedef enum mn_LogLevel { MN_LOG_INFO, MN_LOG_WARNING } mn_LogLevel;

// Receives one line of text without newline. Called from the thread that called the library.
typedef void mn_LogFn(void* user, mn_LogLevel level, const char* text);

#ifdef __cplusplus
}
#endif

#endif
