// SPDX-License-Identifier: MIT
// The panel by OpenGL ES: everything becomes triangles, clipped already, which are drawn at the end in one go.
#ifndef VIEWER_GLES_PANEL_H
#define VIEWER_GLES_PANEL_H

#include "gles_scene.h"
#include "ui.h"

typedef struct GlPanel {
    const Gl* gl;
    GLuint program, array, buffer;
    GLuint letters, picture;
    int letters_height; // of the font that `letters` shows; 0: none
    int width, height;  // [pixels] of what is drawn into
    GlNumbers corners;
    bool lacks_memory;
} GlPanel;

bool gl_panel_create(GlPanel* panel, const Gl* gl, mn_Error* error);
void gl_panel_free(GlPanel* panel);
// Begins a picture of this size in the target that is in use, which must be the same until the end.
void gl_panel_begin(GlPanel* panel, int width, int height);
void gl_panel_end(GlPanel* panel);
// A picture of bytes, stretched over a rectangle.
void gl_panel_picture(GlPanel* panel, const Picture* picture, double x0, double y0, double x1, double y1);

// For a painter whose Ui paints onto it.
void gl_panel_rect(GlPanel* panel, int x0, int y0, int x1, int y1, Ink ink);
void gl_panel_line(GlPanel* panel, const Ui* ui, double x0, double y0, double x1, double y1, Ink ink);
void gl_panel_disc(GlPanel* panel, const Ui* ui, double x, double y, double radius, Ink ink);
void gl_panel_glyph(GlPanel* panel, const Ui* ui, int left, int top, int mask, Ink ink);
void gl_panel_thumb(GlPanel* panel, const Ui* ui, int x, int y, const Picture* picture);

#endif
