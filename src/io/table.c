// SPDX-License-Identifier: MIT
#include "io/table.h"

#include "io/points.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mn_Result open_table(Table* table, const char* path, int flags, mn_Error* error)
{
    table->fd = -1;
    if (snprintf(table->path, sizeof table->path, "%s", path) >= (int)sizeof table->path)
        return file_error(error, "write", path, ENAMETOOLONG);
    table->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
    return table->fd < 0 ? file_error(error, "write", path, errno) : MN_OK;
}

mn_Result table_create(Table* table, const char* path, const char* header, mn_Error* error)
{
    mn_Result result = open_table(table, path, O_CREAT | O_TRUNC, error);
    return result == MN_OK ? table_append(table, header, strlen(header), error) : result;
}

// What of a table stays: whole rows up to the last frame.
typedef struct Kept {
    size_t bytes;
    int64_t first, last; // frames of the first and last row; -1: there is none
    size_t rows;
    bool ordered; // frames follow each other
} Kept;

static Kept rows_to_keep(const FileBytes* bytes, size_t header, int64_t last_frame)
{
    Kept kept = {.bytes = header, .first = -1, .last = -1, .ordered = true};
    while (kept.bytes < bytes->size) {
        const char* row = bytes->data + kept.bytes;
        const char* newline = memchr(row, '\n', bytes->size - kept.bytes);
        char* end;
        long long frame = strtoll(row, &end, 10);
        if (!newline || !isdigit((unsigned char)*row) || *end != ',' || frame > last_frame)
            break;
        kept.first = kept.rows ? kept.first : frame;
        kept.ordered = kept.ordered && (!kept.rows || frame == kept.last || frame == kept.last + 1);
        kept.last = frame;
        kept.rows++;
        kept.bytes = (size_t)(newline + 1 - bytes->data);
    }
    return kept;
}

// A table may begin later than the run, if its file was moved away once; but from there on every frame has its rows.
static bool is_complete(const Kept* kept, int64_t last_frame, size_t rows_per_frame)
{
    return rows_per_frame == 0 ||
           (kept->ordered && kept->last == last_frame && kept->rows == (size_t)(last_frame - kept->first + 1) * rows_per_frame);
}

mn_Result table_resume(Table* table, const char* path, const char* header, int64_t last_frame, size_t rows_per_frame,
                       mn_Error* error)
{
    table->fd = -1;
    if (access(path, F_OK))
        return table_create(table, path, header, error);
    FileBytes bytes;
    mn_Result result = file_read(path, &bytes, error);
    if (result != MN_OK)
        return result;
    size_t header_bytes = strlen(header);
    Kept kept = {0};
    if (bytes.size < header_bytes || memcmp(bytes.data, header, header_bytes))
        result = format_error(error, path, 1, "the columns are not those of this run; move the file away to go on without it");
    else
        kept = rows_to_keep(&bytes, header_bytes, last_frame);
    file_bytes_free(&bytes);
    if (result == MN_OK && !is_complete(&kept, last_frame, rows_per_frame))
        result = format_error(
            error, path, (int)kept.rows + 1,
            "rows up to frame %lld are missing, the file was cut or changed; put it back, or move it away to go on without it",
            (long long)last_frame);
    if (result == MN_OK)
        result = open_table(table, path, 0, error);
    return result == MN_OK ? table_cut(table, kept.bytes, error) : result;
}

mn_Result table_open(Table* table, const char* path, mn_Error* error)
{
    return open_table(table, path, O_CREAT, error);
}

mn_Result table_cut(Table* table, size_t bytes, mn_Error* error)
{
    return ftruncate(table->fd, (off_t)bytes) ? file_error(error, "write", table->path, errno) : MN_OK;
}

mn_Result table_append(Table* table, const char* rows, size_t bytes, mn_Error* error)
{
    off_t start = lseek(table->fd, 0, SEEK_END);
    size_t done = 0;
    while (done < bytes) {
        ssize_t written = write(table->fd, rows + done, bytes - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            int failed = written < 0 ? errno : EIO;
            if (start >= 0 && ftruncate(table->fd, start))
                failed = failed ? failed : errno; // the first reason is the one to report
            return file_error(error, "write", table->path, failed);
        }
        done += (size_t)written;
    }
    return MN_OK;
}

mn_Result table_close(Table* table, mn_Error* error)
{
    if (table->fd < 0)
        return MN_OK;
    int fd = table->fd;
    table->fd = -1;
    return close(fd) ? file_error(error, "write", table->path, errno) : MN_OK;
}

void csv_print_text(FILE* stream, const char* text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, stream);
    }
    fputc('"', stream);
}

// One cell from *at, without its quotes; *at moves behind the comma, or becomes NULL at the end of the line.
static char* split_cell(char** at)
{
    char *cell = *at, *out = *at, *in = *at;
    bool quoted = *in == '"';
    in += quoted;
    for (; *in; in++) {
        if (quoted && in[0] == '"' && in[1] == '"')
            in++;
        else if (quoted && in[0] == '"') {
            quoted = false;
            continue;
        } else if (!quoted && in[0] == ',')
            break;
        *out++ = *in;
    }
    *at = *in ? in + 1 : NULL;
    *out = 0;
    return cell;
}

size_t csv_split(char* line, char** cells, size_t most)
{
    size_t count = 0;
    for (char* at = line; at && count < most;)
        cells[count++] = split_cell(&at);
    return count;
}
