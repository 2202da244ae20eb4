// SPDX-License-Identifier: MIT
// Messages for people: errors on standard error, and numbers as short texts.
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char* text_printable(char* text)
{
    for (char* c = text; *c; c++) {
        unsigned char first = (unsigned char)c[0], second = (unsigned char)c[1];
        if (first < 0x20 || first == 0x7f)
            *c = '?';
        else if (first == 0xc2 && second >= 0x80 && second < 0xa0) // control characters in UTF-8
            c[0] = c[1] = '?';
    }
    return text;
}

int complain(int status, const char* format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fflush(stdout);
    fprintf(stderr, "meniscus: %s\n", text_printable(text));
    return status;
}

int complain_error(const mn_Error* error)
{
    char text[1024];
    return complain(status_of(error->result), "%s", mn_error_text(error, text, sizeof text));
}

int status_of(mn_Result result)
{
    switch (result) {
    case MN_OK:
        return STATUS_DONE;
    case MN_INVALID:
        return STATUS_INVALID;
    case MN_BAD_INPUT:
        return STATUS_USAGE;
    case MN_IO_FAILED:
    case MN_OUT_OF_MEMORY:
        return STATUS_IO;
    case MN_INTERRUPTED:
        return STATUS_INTERRUPTED;
    }
    return STATUS_INVALID;
}

const char* text_count(uint64_t count, char buffer[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char* out = buffer;
    for (int k = 0; k < length; k++) {
        if (k && (length - k) % 3 == 0)
            *out++ = ' ';
        *out++ = digits[k];
    }
    *out = 0;
    return buffer;
}

const char* text_bytes(double bytes, char buffer[32])
{
    static const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1000;
        unit++;
    }
    snprintf(buffer, 32, "%.*f %s", unit && bytes < 99.5 ? 1 : 0, bytes, units[unit]);
    return buffer;
}

const char* text_seconds(double seconds, char buffer[32])
{
    if (!(seconds >= 0) || seconds > 1e8) {
        snprintf(buffer, 32, "-");
        return buffer;
    }
    if (seconds < 9.95) {
        snprintf(buffer, 32, "%.1f s", seconds);
        return buffer;
    }
    long whole = lround(seconds);
    if (whole < 3600)
        snprintf(buffer, 32, "%ld:%02ld", whole / 60, whole % 60);
    else
        snprintf(buffer, 32, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    return buffer;
}
