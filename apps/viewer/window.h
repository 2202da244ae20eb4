// SPDX-License-Identifier: MIT
// The window: the only file that knows SDL is window.c. Pictures go in, what people do comes out.
#ifndef VIEWER_WINDOW_H
#define VIEWER_WINDOW_H

#include "render/picture.h"

typedef enum WindowEventKind {
    WINDOW_QUIT,
    WINDOW_MOVE,
    WINDOW_PRESS,
    WINDOW_RELEASE,
    WINDOW_WHEEL,
    WINDOW_KEY,
    WINDOW_CHANGED // another size, or it must be drawn again
} WindowEventKind;

typedef struct WindowEvent {
    WindowEventKind kind;
    double x, y;  // [pixels]
    int button;   // 1 left, 2 middle, 3 right
    double wheel; // notches, up is positive
    bool shift, ctrl;
    char key[24]; // its name in small letters: "space", "f1", "left", "a"
} WindowEvent;

typedef struct Window Window;

// NULL on failure, MN_BAD_INPUT: there is no display or, with `gles`, no OpenGL ES 3.0. One of those is hidden until
// window_reveal().
Window* window_open(const char* title, int width, int height, bool gles, mn_Error* error);
void window_reveal(Window* window);
void window_close(Window* window);                               // NULL is allowed
void window_leave(void);                                         // after the last one
void window_size(const Window* window, int* width, int* height); // [pixels]
double window_scale(const Window* window);                       // how much larger than usual letters should be

bool window_event(Window* window, WindowEvent* event); // false: no more for now
void window_wait(Window* window, int milliseconds);    // until something happens
bool window_knows_key(const char* key);
// As if people had done it: goes through the queue of events.
void window_post(Window* window, const WindowEvent* event);
void window_show(Window* window, const Picture* picture); // of windows without OpenGL ES
void window_swap(Window* window);                         // of those with it
void* window_function(const char* name);                  // of OpenGL ES; NULL: there is none of that name
void window_copy(const char* text);                       // to the clipboard

#endif
