// SPDX-License-Identifier: MIT
#include "scene/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool page_reserve(Page* page, size_t more)
{
    if (page->failed)
        return false;
    size_t needed = page->length + more + 1;
    if (needed <= page->capacity)
        return true;
    size_t capacity = page->capacity * 2 > needed ? page->capacity * 2 : needed + 64;
    char* data = realloc(page->data, capacity);
    if (!data) {
        page->failed = true;
        return false;
    }
    page->data = data;
    page->capacity = capacity;
    return true;
}

void page_put(Page* page, const char* bytes, size_t count)
{
    if (!page_reserve(page, count))
        return;
    memcpy(page->data + page->length, bytes, count);
    page->length += count;
    page->data[page->length] = 0;
}

void page_add(Page* page, const char* format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (count >= 0 && page_reserve(page, (size_t)count)) {
        vsnprintf(page->data + page->length, (size_t)count + 1, format, again);
        page->length += (size_t)count;
    }
    va_end(again);
}

void page_pad(Page* page, size_t from, size_t width)
{
    while (!page->failed && page->length < from + width)
        page_put(page, " ", 1);
}

void page_number(Page* page, double value)
{
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    for (char* c = digits; *c; c++) {
        if (!strchr("0123456789+-eE", *c))
            *c = '.'; // a comma in some locales
    }
    page_put(page, digits, strlen(digits));
}

void page_quote(Page* page, const char* string)
{
    page_put(page, "\"", 1);
    for (const unsigned char* c = (const unsigned char*)string; *c; c++) {
        if (*c == '"' || *c == '\\')
            page_add(page, "\\%c", *c);
        else if (*c == '\n')
            page_put(page, "\\n", 2);
        else if (*c < 0x20 || *c == 0x7f)
            page_add(page, "\\u%04x", *c);
        else
            page_put(page, (const char*)c, 1);
    }
    page_put(page, "\"", 1);
}

char* page_take(Page* page)
{
    if (!page_reserve(page, 0)) {
        page_free(page);
        return NULL;
    }
    char* data = page->data;
    data[page->length] = 0;
    *page = (Page){0};
    return data;
}

void page_free(Page* page)
{
    free(page->data);
    *page = (Page){0};
}
