// SPDX-License-Identifier: MIT
// Points with named fields, the common ground of all particle formats, and what readers need to take numbers out of bytes.
#ifndef IO_POINTS_H
#define IO_POINTS_H

#include "io/file.h"
#include "io/frame.h"

// --- numbers in files

typedef enum NumberType {
    NUMBER_I8,
    NUMBER_U8,
    NUMBER_I16,
    NUMBER_U16,
    NUMBER_I32,
    NUMBER_U32,
    NUMBER_I64,
    NUMBER_U64,
    NUMBER_F32,
    NUMBER_F64
} NumberType;

size_t number_size(NumberType type);
// The number at `bytes` (any alignment), with its bytes reversed first if `swap`.
double number_get(NumberType type, const void* bytes, bool swap);
// Copies `count` numbers of `size` bytes each with reversed bytes.
void number_swap(void* out, const void* in, size_t count, size_t size);
bool machine_is_little_endian(void);

// --- writing

typedef struct PointField {
    const char* name;
    NumberType type; // U8, U32 or F32
    int components;  // 1 or 3
    const void* data;
} PointField;

typedef struct PointSet {
    double time; // [s]
    size_t count, field_count;
    const PointField* field; // the first is the position
} PointSet;

mn_Result points_write(const char* path, mn_ParticleFormat format, const PointSet* points, mn_Error* error);

void points_write_vtp(FileOut* file, const PointSet* points);
void points_write_ply(FileOut* file, const PointSet* points);
void points_write_vtk(FileOut* file, const PointSet* points);
void points_write_csv(FileOut* file, const PointSet* points);
void points_write_bgeo(FileOut* file, const PointSet* points);
// Column name of one component where a format knows scalars only: "x", "vx", "density". Returns `name`.
const char* points_column(const PointSet* points, size_t field, int component, char name[64]);

// --- reading: each reader finds out the count, allocates, and stores number by number

bool frame_allocate(Frame* frame, size_t count); // cleared, ids counted up; false: out of memory
// Which field of a frame a name means: an index, or -1. The position is field 0.
int frame_field_of(const char* name, size_t length);
// The same for scalar columns ("vx"), with the component.
int frame_column_of(const char* name, size_t length, int* component);
int frame_field_components(int field);
void frame_store(Frame* frame, int field, int component, size_t index, double value);

mn_Result frame_read_vtp(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error);
mn_Result frame_read_ply(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error);
mn_Result frame_read_vtk(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error);
mn_Result frame_read_csv(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error);
mn_Result frame_read_bgeo(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error);

// MN_BAD_INPUT with file (and line if > 0); MN_OUT_OF_MEMORY.
__attribute__((format(printf, 4, 5))) mn_Result format_error(mn_Error* error, const char* path, int line, const char* format, ...);
mn_Result memory_error(mn_Error* error, const char* path);

#endif
