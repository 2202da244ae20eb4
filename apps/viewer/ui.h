// SPDX-License-Identifier: MIT
// A panel in immediate mode: what is drawn and what is asked for are one call. Rectangles, lines, text, pictures and clips go to a
// painter.
#ifndef VIEWER_UI_H
#define VIEWER_UI_H

#include "render/colour.h"
#include "render/picture.h"

typedef struct Ink {
    uint8_t r, g, b, a;
} Ink;

enum { GLYPH_FIRST = 32, GLYPHS = 96, GLYPH_SHIFTS = 3 };

// A size of the font as masks: drawing strokes anew for each letter would take longer than the water.
typedef struct Font {
    int height; // [pixels] of a capital letter
    int mask_width, mask_height, baseline;
    uint8_t* mask;         // glyph, shift by thirds of a pixel, row, column
    float advance[GLYPHS]; // [pixels]
} Font;

// What the mouse did since the last picture.
typedef struct UiInput {
    double x, y;            // [pixels]
    bool down;              // left button
    bool pressed, released; // just now
    double wheel;
} UiInput;

typedef struct Ui Ui;

// What a panel is painted with. Rectangles are clipped already; the rest stays within the clip of the Ui.
typedef struct Painter {
    void (*rect)(Ui* ui, int x0, int y0, int x1, int y1, Ink ink);
    void (*line)(Ui* ui, double x0, double y0, double x1, double y1, Ink ink); // one pixel wide
    void (*disc)(Ui* ui, double x, double y, double radius, Ink ink);
    void (*glyph)(Ui* ui, int left, int top, int mask, Ink ink); // `mask` counts those of the font
    void (*picture)(Ui* ui, int x, int y, const Picture* picture);
} Painter;

struct Ui {
    const Painter* painter;
    void* onto; // what the painter knows
    int to_width, to_height;
    const Font* font;
    UiInput in;
    int clip_x0, clip_y0, clip_x1, clip_y1;
    int x, y, width; // of the column: where the next row goes
    int row;         // [pixels] height of a row
    uint32_t active; // what the mouse holds; 0: nothing
    uint32_t next;   // number of the next thing
    bool any_hot;    // the mouse is over something
    bool taken;      // the mouse's button belongs to the panel
};

bool font_make(Font* font, int height); // false: out of memory
void font_free(Font* font);
double font_width(const Font* font, const char* text);

// --- drawing, clipped

void ui_clip(Ui* ui, int x0, int y0, int x1, int y1);
void ui_rect(Ui* ui, int x0, int y0, int x1, int y1, Ink ink);
void ui_frame(Ui* ui, int x0, int y0, int x1, int y1, Ink ink);
void ui_line(Ui* ui, double x0, double y0, double x1, double y1, Ink ink);
void ui_disc(Ui* ui, double x, double y, double radius, Ink ink);
void ui_text(Ui* ui, double x, double y, const char* text, Ink ink); // (x, y): baseline
void ui_picture(Ui* ui, int x, int y, const Picture* picture);       // (x, y): its upper left corner
void ui_text_right(Ui* ui, double x, double y, const char* text, Ink ink);

// --- a column of rows

// `active` stays from the last picture.
void ui_begin(Ui* ui, const Painter* painter, void* onto, int width, int height, const Font* font, const UiInput* in);
void ui_end(Ui* ui);
void ui_column(Ui* ui, int x, int y, int width);
bool ui_section(Ui* ui, const char* title, bool* open); // returns *open
void ui_label(Ui* ui, const char* text, const char* value);
bool ui_button(Ui* ui, const char* text, const char* key, bool on);
// `count` buttons side by side; returns which was pressed or -1.
int ui_buttons(Ui* ui, const char* const* text, int count, int on);
bool ui_check(Ui* ui, const char* text, const char* key, bool* value);
// Steps through names; returns whether it changed.
bool ui_choice(Ui* ui, const char* text, const char* const* name, int count, int* value);
// True while it is dragged. With `logarithmic`, both ends must be above zero.
bool ui_slider(Ui* ui, const char* text, const char* format, double* value, double low, double high, bool logarithmic);
// A curve of values in a box of `rows` rows, with its last value.
void ui_plot(Ui* ui, const char* text, const char* format, const float* value, size_t count, int rows, Ink ink);

// True if the point is in the rectangle and in the clip.
bool ui_over(const Ui* ui, int x0, int y0, int x1, int y1);
// A thing of the mouse in this rectangle: true when it was pressed and let go there. `held`: while it is held.
bool ui_hit(Ui* ui, int x0, int y0, int x1, int y1, bool* hot, bool* held);

extern const Ink ink_text, ink_dim, ink_accent, ink_panel, ink_field, ink_hot, ink_on, ink_warn;

#endif
