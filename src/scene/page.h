// SPDX-License-Identifier: MIT
// A growing string. Running out of memory is remembered and shows when the text is taken.
#ifndef SCENE_PAGE_H
#define SCENE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Page {
    char* data; // NULL while empty
    size_t length, capacity;
    bool failed;
} Page;

void page_put(Page* page, const char* bytes, size_t count);
__attribute__((format(printf, 2, 3))) void page_add(Page* page, const char* format, ...);
void page_pad(Page* page, size_t from, size_t width); // spaces until `width` characters follow offset `from`

// Shortest digits that read back as the same double, with a decimal point whatever the locale says.
void page_number(Page* page, double value);
// Quoted and escaped as JSON wants it.
void page_quote(Page* page, const char* string);

char* page_take(Page* page); // free with free(); NULL: out of memory. Leaves an empty text.
void page_free(Page* page);

#endif
