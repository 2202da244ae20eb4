// SPDX-License-Identifier: MIT
// Numbers are read without strtod's locale: up to 19 digits as an integer times a power of ten. Where integer and power are
// exact in double, one operation rounds correctly (Clinger 1990); elsewhere strtod gets the digits without a decimal point.
#include "mesh/text.h"

#include "base/error.h"
#include "mesh/mesh_file.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Text text_open(const char* data, size_t size, const char* name, mn_Error* error)
{
    static const char mark[] = "\xef\xbb\xbf"; // some editors put it before UTF-8
    if (size >= 3 && memcmp(data, mark, 3) == 0) {
        data += 3;
        size -= 3;
    }
    return (Text){.at = data, .end = data + size, .line_start = data, .line = 1, .name = name, .error = error};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Over one line end: \n, \r\n or \r.
static void pass_line_end(Text* text)
{
    if (*text->at == '\r' && text->at + 1 < text->end && text->at[1] == '\n')
        text->at++;
    text->at++;
    text->line++;
    text->line_start = text->at;
}

void text_skip_blanks(Text* text)
{
    while (text->at < text->end) {
        if (is_blank(*text->at))
            text->at++;
        else if (text->continuation && *text->at == '\\' && text->at + 1 < text->end && is_line_end(text->at[1])) {
            text->at++;
            pass_line_end(text);
        } else
            return;
    }
}

void text_skip_space(Text* text)
{
    for (text_skip_blanks(text); text->at < text->end && is_line_end(*text->at); text_skip_blanks(text))
        pass_line_end(text);
}

bool text_line_ended(const Text* text)
{
    return text->at >= text->end || is_line_end(*text->at);
}

void text_next_line(Text* text)
{
    while (!text_line_ended(text)) {
        if (*text->at == '\\')
            text_skip_blanks(text); // may be a joined line end
        if (!text_line_ended(text))
            text->at++;
    }
    if (text->at < text->end)
        pass_line_end(text);
}

Word text_word(Text* text)
{
    text_skip_blanks(text);
    const char* start = text->at;
    const char* p = start;
    while (p < text->end && !is_blank(*p) && !is_line_end(*p) &&
           !(*p == '\\' && text->continuation && p + 1 < text->end && is_line_end(p[1])))
        p++;
    text->at = p;
    return (Word){start, (size_t)(p - start)};
}

bool word_is(Word word, const char* expected)
{
    return strlen(expected) == word.length && memcmp(word.start, expected, word.length) == 0;
}

bool word_is_keyword(Word word, const char* expected)
{
    if (strlen(expected) != word.length)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.start[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + 32) : c) != expected[i])
            return false;
    }
    return true;
}

// --- numbers

static double scale_by_ten(uint64_t digits, int exponent)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits == 0)
        return 0;
    if (digits <= 1ull << 53 && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
    char buffer[48];
    snprintf(buffer, sizeof buffer, "%llue%d", (unsigned long long)digits, exponent);
    return strtod(buffer, NULL);
}

// Digits with an optional point; true if there was any. Digits beyond the 19th only count for the exponent.
static bool scan_digits(const char** at, const char* end, uint64_t* digits, int* exponent)
{
    const char* p = *at;
    bool any = false, point = false;
    uint64_t value = 0;
    int shift = 0;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*p))
            break;
        any = true;
        if (value < 1000000000000000000u) { // another digit fits into 64 bits
            value = value * 10 + (uint64_t)(*p - '0');
            shift -= point;
        } else if (!point && shift < 100000)
            shift++;
    }
    *at = p;
    *digits = value;
    *exponent = shift;
    return any;
}

static const char* scan_exponent(const char* p, const char* end, int* exponent)
{
    p++; // e
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || !is_digit(*p))
        return NULL;
    int value = 0;
    for (; p < end && is_digit(*p); p++)
        value = value < 100000 ? value * 10 + (*p - '0') : value;
    *exponent += negative ? -value : value;
    return p;
}

bool word_number(Word word, double* value)
{
    const char *p = word.start, *end = p + word.length;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    uint64_t digits;
    int exponent;
    if (!scan_digits(&p, end, &digits, &exponent))
        return false;
    if (p < end && (*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D')) { // d: Fortran programs
        p = scan_exponent(p, end, &exponent);
        if (!p)
            return false;
    }
    double magnitude = scale_by_ten(digits, exponent);
    *value = negative ? -magnitude : magnitude;
    return p == end;
}

const char* scan_integer(const char* at, const char* end, int64_t* value)
{
    const char* p = at;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || !is_digit(*p))
        return NULL;
    int64_t number = 0;
    for (; p < end && is_digit(*p); p++) {
        number = number * 10 + (*p - '0');
        if (number > 1ll << 53)
            return NULL;
    }
    *value = negative ? -number : number;
    return p;
}

mn_Result text_coordinate(Text* text, const char* what, double* value)
{
    Word word = text_word(text);
    if (word.length == 0)
        return text_error(text, word, "%s is missing", what);
    if (!word_number(word, value))
        return text_error(text, word, "%s '%s' is not a finite number", what, quote(word).text);
    if (!(fabs(*value) <= MESH_COORDINATE_MAX))
        return text_error(text, word, "%s '%s' is beyond the largest coordinate allowed, %g", what, quote(word).text,
                          MESH_COORDINATE_MAX);
    return MN_OK;
}

// --- messages

mn_Result text_error(const Text* text, Word word, const char* format, ...)
{
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const char* at = word.length ? word.start : text->at;
    ptrdiff_t column = at - text->line_start + 1;
    error_set(text->error, MN_BAD_INPUT, "%s", message);
    error_at(text->error, text->name, text->line, column < 1 || column > 1000000 ? 0 : (int)column);
    return MN_BAD_INPUT;
}

Quote quote(Word word)
{
    Quote q;
    size_t most = sizeof q.text - 4, n = word.length < most ? word.length : most;
    for (size_t i = 0; i < n; i++)
        q.text[i] = word.start[i] >= ' ' && word.start[i] <= '~' ? word.start[i] : '?';
    memcpy(q.text + n, "...", 4);
    if (n == word.length)
        q.text[n] = 0;
    return q;
}
