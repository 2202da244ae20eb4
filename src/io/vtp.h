// SPDX-License-Identifier: MIT
// VTK XML polydata (.vtp) with raw appended arrays: a header of tags, then each array as a 64-bit byte count and its bytes.
// The part that particle frames and meshes share.
#ifndef IO_VTP_H
#define IO_VTP_H

#include "io/points.h"

// --- writing: declare all arrays in order, then give their bytes in the same order

typedef struct VtpWriter {
    FileOut* file;
    uint64_t offset; // of the next array in the appended data
} VtpWriter;

typedef struct VtpCounts {
    uint64_t points, verts, lines, polys;
} VtpCounts;

void vtp_begin(VtpWriter* vtp, FileOut* file, double time, VtpCounts counts);
void vtp_section(VtpWriter* vtp, const char* tag, bool open); // "Points", "Verts", ...
void vtp_declare(VtpWriter* vtp, NumberType type, const char* name, int components, uint64_t count);
void vtp_begin_data(VtpWriter* vtp);
void vtp_array(VtpWriter* vtp, const void* data, uint64_t bytes);
// An array of 32-bit first, first + step, ... (connectivity and offsets of plain cells).
void vtp_range(VtpWriter* vtp, int32_t first, int32_t step, uint64_t count);
void vtp_end(VtpWriter* vtp);

// --- reading

typedef struct VtpArray {
    char section[16]; // tag it was found in
    char name[32];
    NumberType type;
    int components;
    const char* data; // in the file's bytes
    size_t count;     // numbers
} VtpArray;

enum { VTP_ARRAYS = 24 };

typedef struct VtpFile {
    VtpCounts counts;
    double time;
    bool swap; // the file's byte order is not ours
    size_t array_count;
    VtpArray array[VTP_ARRAYS];
} VtpFile;

// Understands any .vtp whose arrays are raw appended with 64-bit headers and not compressed; everything is checked against
// the size of the file.
mn_Result vtp_parse(const FileBytes* bytes, const char* path, VtpFile* vtp, mn_Error* error);
const VtpArray* vtp_find(const VtpFile* vtp, const char* section, const char* name); // name NULL: the first; NULL: none

#endif
