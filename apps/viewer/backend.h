// SPDX-License-Identifier: MIT
// How the window is drawn, behind one interface: by our own rasteriser (backend_own.c), which needs no GPU, or by OpenGL ES 3
// (backend_gles.c), where there is one. Both draw what a RenderInput says, then a panel over it.
#ifndef VIEWER_BACKEND_H
#define VIEWER_BACKEND_H

#include "render/scene_picture.h"
#include "ui.h"
#include "window.h"

typedef struct BackEnd BackEnd;
struct BackEnd {
    const char* name;
    const Painter* painter; // of panels; what it paints onto is the back end
    bool is_fast;           // draws in full what the other draws as a draft
    // Sizes of the window and of the scene at its left [pixels]. False: out of memory.
    bool (*resize)(BackEnd* back, int width, int height, int scene_width);
    // The scene. A camera with fewer pixels than the scene makes a picture that is enlarged.
    mn_Result (*scene)(BackEnd* back, const RenderInput* input, mn_Error* error);
    // What is below the panel: the last scene, or a plain colour.
    void (*begin)(BackEnd* back, bool has_scene);
    void (*show)(BackEnd* back, Window* window);
    // What was shown last, lent until the next call of any of these; NULL: out of memory.
    const Picture* (*picture)(BackEnd* back);
    void (*destroy)(BackEnd* back);
};

BackEnd* backend_own(int threads); // NULL: out of memory
// For a window that was opened for it. NULL: the driver lacks something that is needed or, with `wants_hardware`, computes on the
// processor; or there is no memory.
BackEnd* backend_gles(int threads, bool wants_hardware, mn_Error* error);

static const uint8_t blank_ground[3] = {237, 240, 242}; // before there is a scene

#endif
