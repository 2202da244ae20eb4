// SPDX-License-Identifier: MIT
// Scanning text in memory: words, numbers and lines with their place, the same in every locale.
#ifndef MESH_TEXT_H
#define MESH_TEXT_H

#include <meniscus/base.h>

typedef struct Text {
    const char *at, *end;
    const char* line_start;
    int line;          // from 1
    bool continuation; // a backslash at the end joins lines
    const char* name;  // of the file, for messages
    mn_Error* error;   // may be NULL
} Text;

typedef struct Word {
    const char* start;
    size_t length;
} Word;

Text text_open(const char* data, size_t size, const char* name, mn_Error* error);

void text_skip_blanks(Text* text);      // spaces and tabs (and joined line ends)
void text_skip_space(Text* text);       // line ends too
bool text_line_ended(const Text* text); // at a line end or at the end of the file
void text_next_line(Text* text);        // to the start of the next one

// The next word of this line (text_skip_space first to go beyond); empty at its end.
Word text_word(Text* text);
bool word_is(Word word, const char* expected);         // exactly
bool word_is_keyword(Word word, const char* expected); // in any case; `expected` is lower case

// The whole word as a number. A value beyond double becomes infinite; "nan" and "inf" are no numbers here.
bool word_number(Word word, double* value);
// Decimal integer at [at, end); returns where it stopped, or NULL if there is none or it is beyond 2^53.
const char* scan_integer(const char* at, const char* end, int64_t* value);

// The next word of the line as a coordinate: a finite number of sane size. `what` is for the message.
mn_Result text_coordinate(Text* text, const char* what, double* value);

// Sets the error to "file:line:column: message", with the place of `word` (empty: where the text is now). MN_BAD_INPUT.
__attribute__((format(printf, 3, 4))) mn_Result text_error(const Text* text, Word word, const char* format, ...);
// Printable form of a word for messages.
typedef struct Quote {
    char text[48];
} Quote;
Quote quote(Word word);

#endif
