// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

mn_Result error_set(mn_Error* error, mn_Result result, const char* format, ...)
{
    if (!error)
        return result;
    memset(error, 0, sizeof *error);
    error->result = result;
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return result;
}

void error_at(mn_Error* error, const char* file, int line, int column)
{
    if (!error)
        return;
    if (file)
        snprintf(error->file, sizeof error->file, "%s", file);
    error->line = line;
    error->column = column;
}

void error_key(mn_Error* error, const char* format, ...)
{
    if (!error)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(error->key, sizeof error->key, format, args);
    va_end(args);
}

mn_Result error_bad(mn_Error* error, const char* key, const char* message)
{
    error_set(error, MN_BAD_INPUT, "%s", message);
    error_key(error, "%s", key);
    return MN_BAD_INPUT;
}

const char* mn_error_text(const mn_Error* error, char* buffer, size_t size)
{
    char place[320] = "";
    if (error->file[0] && error->line > 0 && error->column > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", error->file, error->line, error->column);
    else if (error->file[0] && error->line > 0)
        snprintf(place, sizeof place, "%s:%d: ", error->file, error->line);
    else if (error->file[0])
        snprintf(place, sizeof place, "%s: ", error->file);
    snprintf(buffer, size, "%s%s%s%s", place, error->key, error->key[0] ? ": " : "", error->message);
    return buffer;
}

const char* mn_version(void)
{
    return MN_VERSION_STRING;
}

// Levenshtein distance with two rows; words longer than the row are never near.
static size_t edit_distance(const char* a, const char* b)
{
    enum { LONGEST = 64 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= LONGEST || m >= LONGEST)
        return SIZE_MAX;
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
            size_t least = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = least < substitute ? least : substitute;
        }
    }
    return row[m];
}

const char* nearest_word(const char* word, const char* const* candidates, size_t count)
{
    const char* nearest = NULL;
    size_t least = strlen(word) / 3 + 2;
    for (size_t k = 0; k < count; k++) {
        size_t distance = edit_distance(word, candidates[k]);
        if (distance < least) {
            least = distance;
            nearest = candidates[k];
        }
    }
    return nearest;
}
