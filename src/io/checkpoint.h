// SPDX-License-Identifier: MIT
// Checkpoints (.mnc): named sections in one file that is replaced atomically and verified in full before anything is used.
//   head      64 bytes: magic, version, byte order, checksum
//   section   64 bytes: name, size, checksum of the data, checksum of these 64 bytes; then the data, padded with zeros to 64
//   ...       the last section is "end" and holds the number of sections before it
#ifndef IO_CHECKPOINT_H
#define IO_CHECKPOINT_H

#include "io/file.h"

enum { CHECKPOINT_VERSION = 1, CHECKPOINT_NAME = 40, CHECKPOINT_SECTIONS = 256 };

// --- writing

typedef struct CheckpointOut {
    FileOut file;
    uint64_t section_count;
    bool no_memory; // is why
    bool spoilt;    // not all sections came, or one had a name that cannot be stored
} CheckpointOut;

mn_Result checkpoint_begin(CheckpointOut* out, const char* path, mn_Error* error);
// False when writing already failed; checkpoint_commit says why.
bool checkpoint_section(CheckpointOut* out, const char* name, const void* data, size_t bytes);
// Sections are missing: the commit will fail and leave the old file alone.
void checkpoint_spoil(CheckpointOut* out);
// The old file, if any, is replaced once the new one is on the disk. Frees `out` in any case.
mn_Result checkpoint_commit(CheckpointOut* out, mn_Error* error);

// --- reading

typedef struct CheckpointSection {
    char name[CHECKPOINT_NAME];
    const void* data; // aligned to 64 bytes; valid until checkpoint_close
    size_t bytes;
} CheckpointSection;

typedef struct Checkpoint {
    void* map;
    size_t map_bytes;
    size_t section_count;
    CheckpointSection section[CHECKPOINT_SECTIONS];
} Checkpoint;

// MN_BAD_INPUT for anything that is not a whole, intact checkpoint of this version; `checkpoint` is then empty.
mn_Result checkpoint_open(Checkpoint* checkpoint, const char* path, mn_Error* error);
void checkpoint_close(Checkpoint* checkpoint);
const void* checkpoint_find(const Checkpoint* checkpoint, const char* name, size_t* bytes); // NULL: none of that name
bool checkpoint_is_one(const char* path);                                                   // by its first bytes only

#endif
