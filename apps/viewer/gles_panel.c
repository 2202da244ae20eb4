// SPDX-License-Identifier: MIT
#include "gles_panel.h"

#include "glsl.h"
#include <stdlib.h>
#include <string.h>

enum { FLOATS = 13, COLUMNS = 24 }; // per corner; letters side by side in their texture

typedef enum PanelKind { PANEL_PLAIN, PANEL_LETTER, PANEL_LINE, PANEL_DISC, PANEL_PICTURE } PanelKind;

bool gl_panel_create(GlPanel* p, const Gl* gl, mn_Error* error)
{
    static const int floats[4] = {4, 4, 4, 1};
    *p = (GlPanel){.gl = gl};
    p->program = gl_program(gl, "panel", glsl_common, glsl_panel_vert, glsl_panel_frag, error);
    gl->GenVertexArrays(1, &p->array);
    gl->GenBuffers(1, &p->buffer);
    gl->BindVertexArray(p->array);
    gl->BindBuffer(GL_ARRAY_BUFFER, p->buffer);
    for (GLuint k = 0; k < 4; k++) {
        gl->EnableVertexAttribArray(k);
        gl->VertexAttribPointer(k, floats[k], GL_FLOAT, GL_FALSE, FLOATS * sizeof(float), (const void*)(4 * k * sizeof(float)));
    }
    return p->program != 0;
}

void gl_panel_free(GlPanel* p)
{
    if (!p->gl)
        return;
    p->gl->DeleteProgram(p->program);
    p->gl->DeleteVertexArrays(1, &p->array);
    p->gl->DeleteBuffers(1, &p->buffer);
    p->gl->DeleteTextures(1, &p->letters);
    p->gl->DeleteTextures(1, &p->picture);
    memory_give(NULL, p->corners.value);
    *p = (GlPanel){0};
}

void gl_panel_begin(GlPanel* p, int width, int height)
{
    p->width = width;
    p->height = height;
    p->corners.count = 0;
}

static void flush(GlPanel* p)
{
    const Gl* gl = p->gl;
    if (!p->corners.count)
        return;
    gl->UseProgram(p->program);
    gl_pair(gl, p->program, "uSize", p->width, p->height);
    gl_texture(gl, p->program, "uLetters", 0, p->letters);
    gl_texture(gl, p->program, "uPicture", 1, p->picture);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl->BindVertexArray(p->array);
    gl->BindBuffer(GL_ARRAY_BUFFER, p->buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (ptrdiff_t)(p->corners.count * sizeof(float)), p->corners.value, GL_STREAM_DRAW);
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)(p->corners.count / FLOATS));
    gl->Disable(GL_BLEND);
    p->corners.count = 0;
}

void gl_panel_end(GlPanel* p)
{
    flush(p);
}

// A rectangle of pixels and, for those that have one, of a texture.
typedef struct Patch {
    double x0, y0, x1, y1, u0, v0, u1, v1;
} Patch;

static void add(GlPanel* p, Patch q, Ink ink, PanelKind kind, const float shape[4])
{
    const double corner[6][4] = {{q.x0, q.y0, q.u0, q.v0}, {q.x1, q.y0, q.u1, q.v0}, {q.x0, q.y1, q.u0, q.v1},
                                 {q.x0, q.y1, q.u0, q.v1}, {q.x1, q.y0, q.u1, q.v0}, {q.x1, q.y1, q.u1, q.v1}};
    for (int k = 0; k < 6; k++) {
        const float value[FLOATS] = {(float)corner[k][0],
                                     (float)corner[k][1],
                                     (float)corner[k][2],
                                     (float)corner[k][3],
                                     (float)ink.r / 255,
                                     (float)ink.g / 255,
                                     (float)ink.b / 255,
                                     (float)ink.a / 255,
                                     shape[0],
                                     shape[1],
                                     shape[2],
                                     shape[3],
                                     (float)kind};
        p->lacks_memory |= !gl_numbers_add(&p->corners, value, FLOATS);
    }
}

// The part of a patch within the clip. False: there is none.
static bool clip(const Ui* ui, Patch* q)
{
    double x0 = fmax(q->x0, ui->clip_x0), x1 = fmin(q->x1, ui->clip_x1), y0 = fmax(q->y0, ui->clip_y0),
           y1 = fmin(q->y1, ui->clip_y1);
    if (!(x0 < x1 && y0 < y1))
        return false;
    double du = (q->u1 - q->u0) / (q->x1 - q->x0), dv = (q->v1 - q->v0) / (q->y1 - q->y0);
    *q = (Patch){
        x0, y0, x1, y1, q->u0 + du * (x0 - q->x0), q->v0 + dv * (y0 - q->y0), q->u0 + du * (x1 - q->x0), q->v0 + dv * (y1 - q->y0)};
    return true;
}

static const float no_shape[4] = {0, 0, 0, 0};

void gl_panel_rect(GlPanel* p, int x0, int y0, int x1, int y1, Ink ink)
{
    add(p, (Patch){x0, y0, x1, y1, 0, 0, 0, 0}, ink, PANEL_PLAIN, no_shape);
}

void gl_panel_line(GlPanel* p, const Ui* ui, double x0, double y0, double x1, double y1, Ink ink)
{
    Patch q = {fmin(x0, x1) - 1.5, fmin(y0, y1) - 1.5, fmax(x0, x1) + 1.5, fmax(y0, y1) + 1.5, 0, 0, 0, 0};
    const float shape[4] = {(float)x0, (float)y0, (float)x1, (float)y1};
    if (clip(ui, &q))
        add(p, q, ink, PANEL_LINE, shape);
}

void gl_panel_disc(GlPanel* p, const Ui* ui, double x, double y, double radius, Ink ink)
{
    Patch q = {x - radius - 1, y - radius - 1, x + radius + 1, y + radius + 1, 0, 0, 0, 0};
    const float shape[4] = {(float)x, (float)y, (float)radius, 0};
    if (clip(ui, &q))
        add(p, q, ink, PANEL_DISC, shape);
}

// All masks of the font side by side in one texture.
static void upload_letters(GlPanel* p, const Font* f)
{
    int count = GLYPHS * GLYPH_SHIFTS, rows = (count + COLUMNS - 1) / COLUMNS, width = COLUMNS * f->mask_width,
        height = rows * f->mask_height;
    uint8_t* sheet = calloc((size_t)width * (size_t)height, 1);
    if (!sheet) {
        p->lacks_memory = true;
        return;
    }
    for (int k = 0; k < count; k++)
        for (int y = 0; y < f->mask_height; y++)
            memcpy(sheet + (size_t)(k / COLUMNS * f->mask_height + y) * (size_t)width + (size_t)(k % COLUMNS * f->mask_width),
                   f->mask + ((size_t)k * (size_t)f->mask_height + (size_t)y) * (size_t)f->mask_width, (size_t)f->mask_width);
    const Gl* gl = p->gl;
    if (!p->letters)
        gl->GenTextures(1, &p->letters);
    gl->BindTexture(GL_TEXTURE_2D, p->letters);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_R8, width, height, 0, GL_RED, GL_UNSIGNED_BYTE, sheet);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    p->letters_height = f->height;
    free(sheet);
}

void gl_panel_glyph(GlPanel* p, const Ui* ui, int left, int top, int mask, Ink ink)
{
    const Font* f = ui->font;
    if (p->letters_height != f->height) {
        flush(p);
        upload_letters(p, f);
    }
    int rows = (GLYPHS * GLYPH_SHIFTS + COLUMNS - 1) / COLUMNS, column = mask % COLUMNS, row = mask / COLUMNS;
    Patch q = {left,
               top,
               left + f->mask_width,
               top + f->mask_height,
               (double)column / COLUMNS,
               (double)row / rows,
               (double)(column + 1) / COLUMNS,
               (double)(row + 1) / rows};
    if (clip(ui, &q))
        add(p, q, ink, PANEL_LETTER, no_shape);
}

void gl_panel_picture(GlPanel* p, const Picture* picture, double x0, double y0, double x1, double y1)
{
    flush(p); // what came before may show another picture
    gl_upload(p->gl, &p->picture, picture->width, picture->height, picture->rgb);
    add(p, (Patch){x0, y0, x1, y1, 0, 0, 1, 1}, ink_text, PANEL_PICTURE, no_shape);
    flush(p);
}

void gl_panel_thumb(GlPanel* p, const Ui* ui, int x, int y, const Picture* picture)
{
    Patch q = {x, y, x + picture->width, y + picture->height, 0, 0, 1, 1};
    if (!clip(ui, &q))
        return;
    flush(p);
    gl_upload(p->gl, &p->picture, picture->width, picture->height, picture->rgb);
    add(p, q, ink_text, PANEL_PICTURE, no_shape);
    flush(p);
}
