// SPDX-License-Identifier: MIT
#include "io/checkpoint.h"

#include "base/error.h"
#include "io/crc32.h"
#include "io/points.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIGNMENT = 64, BYTE_ORDER_MARK = 0x01020304 };

static const char magic[8] = {'M', 'N', 'C', 'H', 'E', 'C', 'K', '\n'};
static const char end_name[] = "end";

typedef struct Head {
    char magic[8];
    uint32_t version, byte_order;
    char reserved[44];
    uint32_t crc; // of everything before
} Head;

typedef struct SectionHead {
    char name[CHECKPOINT_NAME];
    uint64_t bytes;
    char reserved[8];
    uint32_t data_crc;
    uint32_t crc; // of everything before
} SectionHead;

_Static_assert(sizeof(Head) == ALIGNMENT && sizeof(SectionHead) == ALIGNMENT, "heads keep the data aligned");

static size_t padding_of(uint64_t bytes)
{
    return (size_t)((ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT);
}

// --- writing

mn_Result checkpoint_begin(CheckpointOut* out, const char* path, mn_Error* error)
{
    out->section_count = 0;
    out->spoilt = out->no_memory = false;
    mn_Result result = file_out_open(&out->file, path, error);
    if (result != MN_OK)
        return result;
    Head head = {.version = CHECKPOINT_VERSION, .byte_order = BYTE_ORDER_MARK};
    memcpy(head.magic, magic, sizeof magic);
    head.crc = crc32_update(0, &head, offsetof(Head, crc));
    file_out_write(&out->file, &head, sizeof head);
    return MN_OK;
}

static void write_section(CheckpointOut* out, const char* name, const void* data, size_t bytes)
{
    static const char zeros[ALIGNMENT];
    SectionHead head = {.bytes = bytes, .data_crc = crc32_update(0, data, bytes)};
    memcpy(head.name, name, strlen(name));
    head.crc = crc32_update(0, &head, offsetof(SectionHead, crc));
    file_out_write(&out->file, &head, sizeof head);
    file_out_write(&out->file, data, bytes);
    file_out_write(&out->file, zeros, padding_of(bytes));
}

bool checkpoint_section(CheckpointOut* out, const char* name, const void* data, size_t bytes)
{
    if (!name[0] || strlen(name) >= CHECKPOINT_NAME || !strcmp(name, end_name) || out->section_count == CHECKPOINT_SECTIONS)
        out->spoilt = true;
    if (out->spoilt || out->file.error_number)
        return false;
    write_section(out, name, data, bytes);
    out->section_count++;
    return !out->file.error_number;
}

void checkpoint_spoil(CheckpointOut* out)
{
    out->no_memory = !out->spoilt;
    out->spoilt = true;
}

// The rename itself must survive a power cut: the folder is synced too.
static mn_Result sync_folder_of(const char* path, mn_Error* error)
{
    char folder[PATH_SIZE];
    const char* slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    else
        snprintf(folder, sizeof folder, ".");
    return file_sync(folder, error);
}

mn_Result checkpoint_commit(CheckpointOut* out, mn_Error* error)
{
    if (out->spoilt && !out->file.error_number) {
        file_out_discard(&out->file);
        mn_Result result = out->no_memory ? error_set(error, MN_OUT_OF_MEMORY, "no memory to store the state")
                                          : error_set(error, MN_IO_FAILED, "the state could not be stored in full");
        error_at(error, out->file.path, 0, 0);
        return result;
    }
    write_section(out, end_name, &out->section_count, sizeof out->section_count);
    mn_Result result = file_out_commit(&out->file, true, error);
    return result == MN_OK ? sync_folder_of(out->file.path, error) : result;
}

// --- reading

static mn_Result read_head(const Checkpoint* checkpoint, const char* path, mn_Error* error)
{
    Head head;
    if (checkpoint->map_bytes < sizeof head)
        return format_error(error, path, 0, "too short for a checkpoint");
    memcpy(&head, checkpoint->map, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic))
        return format_error(error, path, 0, "not a checkpoint of meniscus");
    if (head.byte_order != BYTE_ORDER_MARK)
        return format_error(error, path, 0, "this checkpoint is damaged or was written on a machine with another byte order");
    if (head.crc != crc32_update(0, &head, offsetof(Head, crc)))
        return format_error(error, path, 0, "this checkpoint is damaged: its head does not match its checksum");
    if (head.version != CHECKPOINT_VERSION)
        return format_error(error, path, 0, "checkpoint of version %u; this program reads version %d", head.version,
                            CHECKPOINT_VERSION);
    return MN_OK;
}

static bool all_zero(const char* bytes, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (bytes[k])
            return false;
    return true;
}

// The section at *offset, verified; *offset moves behind it.
static mn_Result read_section(const Checkpoint* checkpoint, size_t* offset, CheckpointSection* section, const char* path,
                              mn_Error* error)
{
    const char* base = checkpoint->map;
    size_t room = checkpoint->map_bytes - *offset;
    SectionHead head;
    if (room < sizeof head)
        return format_error(error, path, 0, "this checkpoint is cut short at byte %zu", checkpoint->map_bytes);
    memcpy(&head, base + *offset, sizeof head);
    if (head.crc != crc32_update(0, &head, offsetof(SectionHead, crc)) || head.name[CHECKPOINT_NAME - 1])
        return format_error(error, path, 0, "this checkpoint is damaged at byte %zu: a section's head does not match its checksum",
                            *offset);
    *offset += sizeof head;
    room -= sizeof head;
    size_t padding = padding_of(head.bytes);
    if (head.bytes > room || padding > room - head.bytes)
        return format_error(error, path, 0, "this checkpoint is cut short inside section \"%s\"", head.name);
    const char* data = base + *offset;
    if (head.data_crc != crc32_update(0, data, head.bytes) || !all_zero(data + head.bytes, padding))
        return format_error(error, path, 0, "this checkpoint is damaged: section \"%s\" does not match its checksum", head.name);
    memcpy(section->name, head.name, sizeof section->name);
    section->data = data;
    section->bytes = head.bytes;
    *offset += head.bytes + padding;
    return MN_OK;
}

static mn_Result read_sections(Checkpoint* checkpoint, const char* path, mn_Error* error)
{
    size_t offset = sizeof(Head);
    for (;;) {
        CheckpointSection section;
        mn_Result result = read_section(checkpoint, &offset, &section, path, error);
        if (result != MN_OK)
            return result;
        if (!strcmp(section.name, end_name)) {
            uint64_t count = 0;
            if (section.bytes == sizeof count)
                memcpy(&count, section.data, sizeof count);
            if (count != checkpoint->section_count || offset != checkpoint->map_bytes)
                return format_error(error, path, 0, "this checkpoint is damaged: it does not end where it says");
            return MN_OK;
        }
        if (checkpoint->section_count == CHECKPOINT_SECTIONS)
            return format_error(error, path, 0, "this checkpoint has more than %d sections", CHECKPOINT_SECTIONS);
        checkpoint->section[checkpoint->section_count++] = section;
    }
}

static mn_Result map_file(Checkpoint* checkpoint, const char* path, mn_Error* error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0)
        return file_error(error, "read", path, errno);
    mn_Result result = MN_OK;
    if (fstat(fd, &info)) {
        result = file_error(error, "read", path, errno);
    } else if (!S_ISREG(info.st_mode) || info.st_size == 0) {
        result = format_error(error, path, 0, S_ISREG(info.st_mode) ? "too short for a checkpoint" : "not a file");
    } else {
        void* map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) {
            result = file_error(error, "read", path, errno);
        } else {
            checkpoint->map = map;
            checkpoint->map_bytes = (size_t)info.st_size;
        }
    }
    close(fd);
    return result;
}

mn_Result checkpoint_open(Checkpoint* checkpoint, const char* path, mn_Error* error)
{
    memset(checkpoint, 0, sizeof *checkpoint);
    mn_Result result = map_file(checkpoint, path, error);
    if (result == MN_OK)
        result = read_head(checkpoint, path, error);
    if (result == MN_OK)
        result = read_sections(checkpoint, path, error);
    if (result != MN_OK)
        checkpoint_close(checkpoint);
    return result;
}

void checkpoint_close(Checkpoint* checkpoint)
{
    if (checkpoint->map)
        munmap(checkpoint->map, checkpoint->map_bytes);
    memset(checkpoint, 0, sizeof *checkpoint);
}

const void* checkpoint_find(const Checkpoint* checkpoint, const char* name, size_t* bytes)
{
    for (size_t k = 0; k < checkpoint->section_count; k++) {
        if (!strcmp(checkpoint->section[k].name, name)) {
            *bytes = checkpoint->section[k].bytes;
            return checkpoint->section[k].data;
        }
    }
    return NULL;
}

bool checkpoint_is_one(const char* path)
{
    char first[sizeof magic];
    FILE* file = fopen(path, "rbe");
    bool is_one = file && fread(first, 1, sizeof first, file) == sizeof first && !memcmp(first, magic, sizeof magic);
    if (file)
        fclose(file);
    return is_one;
}
