// SPDX-License-Identifier: MIT
// Pictures go to the window's surface, without a renderer: on a machine without GPU that is one copy, and nothing can be missing.
// With OpenGL ES the window has a context instead, and others draw into it.
#include "window.h"

#include "base/error.h"
#include <SDL.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Window {
    SDL_Window* window;
    SDL_GLContext context; // NULL: it has a surface
};

// Where there is no display SDL takes a driver that shows nothing, and nobody would see why nothing comes. Who names it wants it.
static bool is_seen(const char* driver)
{
    bool hidden = driver && (!strcmp(driver, "offscreen") || !strcmp(driver, "dummy"));
    return !hidden || getenv("SDL_VIDEODRIVER");
}

static bool start_video(mn_Error* error)
{
    if (SDL_WasInit(SDL_INIT_VIDEO))
        return true;
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "0");
    SDL_SetHint(SDL_HINT_VIDEO_HIGHDPI_DISABLED, "0");
    const char* trouble = SDL_Init(SDL_INIT_VIDEO) != 0 ? SDL_GetError() : NULL;
    if (!trouble && !is_seen(SDL_GetCurrentVideoDriver()))
        trouble = "only a driver that shows nothing works here; SDL_VIDEODRIVER=offscreen asks for it";
    if (!trouble)
        return true;
    error_set(error, MN_BAD_INPUT, "there is no display for a window (%s); without one, meniscus run and render do the work",
              trouble);
    SDL_Quit();
    return false;
}

static void ask_for_gles(void)
{
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_ES);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 0);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
}

Window* window_open(const char* title, int width, int height, bool gles, mn_Error* error)
{
    if (!start_video(error))
        return NULL;
    if (gles)
        ask_for_gles();
    uint32_t flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | (gles ? SDL_WINDOW_OPENGL | SDL_WINDOW_HIDDEN : 0);
    Window* w = calloc(1, sizeof *w);
    if (w)
        w->window = SDL_CreateWindow(title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, width, height, flags);
    if (w && w->window && gles)
        w->context = SDL_GL_CreateContext(w->window);
    bool ok = w && w->window && (gles ? w->context != NULL : SDL_GetWindowSurface(w->window) != NULL);
    if (!ok) {
        error_set(error, MN_BAD_INPUT, "the window cannot be opened%s: %s", gles ? " with OpenGL ES 3.0" : "",
                  w ? SDL_GetError() : "no memory");
        window_close(w);
        return NULL;
    }
    if (gles)
        SDL_GL_SetSwapInterval(0); // a picture does not wait for the screen: the next one is drawn when it is due
    SDL_SetWindowMinimumSize(w->window, 320, 240);
    SDL_EventState(SDL_DROPFILE, SDL_DISABLE);
    return w;
}

void window_reveal(Window* w)
{
    SDL_ShowWindow(w->window);
}

void window_close(Window* w)
{
    if (!w)
        return;
    if (w->context)
        SDL_GL_DeleteContext(w->context);
    if (w->window)
        SDL_DestroyWindow(w->window);
    free(w);
}

void window_leave(void)
{
    SDL_Quit();
}

void window_size(const Window* w, int* width, int* height)
{
    if (w->context) {
        SDL_GL_GetDrawableSize(w->window, width, height);
        return;
    }
    SDL_Surface* s = SDL_GetWindowSurface(w->window);
    *width = s ? s->w : 1;
    *height = s ? s->h : 1;
}

// Pixels per point, or what the screen's dots per inch say.
double window_scale(const Window* w)
{
    int points, high, width, height;
    SDL_GetWindowSize(w->window, &points, &high);
    window_size(w, &width, &height);
    float dpi = 96;
    if (SDL_GetDisplayDPI(SDL_GetWindowDisplayIndex(w->window), &dpi, NULL, NULL) != 0 || !(dpi > 0))
        dpi = 96;
    double scale = points > 0 ? (double)width / points : 1, by_dpi = (double)dpi / 110;
    return fmin(fmax(fmax(scale, by_dpi), 1), 3);
}

static void name_of_key(SDL_Keycode code, char* out, size_t size)
{
    snprintf(out, size, "%s", SDL_GetKeyName(code));
    for (char* p = out; *p; p++)
        *p = (char)tolower((unsigned char)*p);
}

static int our_button(int button)
{
    return button == SDL_BUTTON_LEFT ? 1 : button == SDL_BUTTON_MIDDLE ? 2 : 3;
}

// Mouse events come in points; pictures have pixels.
static double pixels_per_point(const Window* w)
{
    int points, high, width, height;
    SDL_GetWindowSize(w->window, &points, &high);
    window_size(w, &width, &height);
    return points > 0 ? (double)width / points : 1;
}

static bool translate(const Window* w, const SDL_Event* e, WindowEvent* out)
{
    SDL_Keymod mod = SDL_GetModState();
    double scale = pixels_per_point(w);
    *out = (WindowEvent){.shift = mod & KMOD_SHIFT, .ctrl = mod & KMOD_CTRL};
    switch (e->type) {
    case SDL_QUIT:
        out->kind = WINDOW_QUIT;
        return true;
    case SDL_MOUSEMOTION:
        out->kind = WINDOW_MOVE;
        out->x = e->motion.x * scale;
        out->y = e->motion.y * scale;
        return true;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        out->kind = e->type == SDL_MOUSEBUTTONDOWN ? WINDOW_PRESS : WINDOW_RELEASE;
        out->x = e->button.x * scale;
        out->y = e->button.y * scale;
        out->button = our_button(e->button.button);
        return true;
    case SDL_MOUSEWHEEL:
        out->kind = WINDOW_WHEEL;
        out->wheel = e->wheel.y;
        return true;
    case SDL_KEYDOWN:
        out->kind = WINDOW_KEY;
        out->shift = e->key.keysym.mod & KMOD_SHIFT;
        out->ctrl = e->key.keysym.mod & KMOD_CTRL;
        name_of_key(e->key.keysym.sym, out->key, sizeof out->key);
        return true;
    case SDL_WINDOWEVENT:
        out->kind = WINDOW_CHANGED;
        return e->window.event == SDL_WINDOWEVENT_SIZE_CHANGED || e->window.event == SDL_WINDOWEVENT_EXPOSED;
    default:
        return false;
    }
}

bool window_event(Window* w, WindowEvent* event)
{
    SDL_Event e;
    while (SDL_PollEvent(&e))
        if (translate(w, &e, event))
            return true;
    return false;
}

void window_wait(Window* w, int milliseconds)
{
    (void)w;
    SDL_WaitEventTimeout(NULL, milliseconds);
}

bool window_knows_key(const char* key)
{
    return SDL_GetKeyFromName(key) != SDLK_UNKNOWN;
}

void window_post(Window* w, const WindowEvent* event)
{
    SDL_Event e = {0};
    double scale = pixels_per_point(w);
    uint32_t id = SDL_GetWindowID(w->window);
    int x = (int)(event->x / scale + 0.5), y = (int)(event->y / scale + 0.5);
    int button = event->button == 2 ? SDL_BUTTON_MIDDLE : event->button == 3 ? SDL_BUTTON_RIGHT : SDL_BUTTON_LEFT;
    if (event->kind == WINDOW_MOVE) {
        e.motion = (SDL_MouseMotionEvent){.type = SDL_MOUSEMOTION, .windowID = id, .x = x, .y = y};
    } else if (event->kind == WINDOW_PRESS || event->kind == WINDOW_RELEASE) {
        bool down = event->kind == WINDOW_PRESS;
        e.button = (SDL_MouseButtonEvent){.type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP,
                                          .windowID = id,
                                          .button = (uint8_t)button,
                                          .state = down ? SDL_PRESSED : SDL_RELEASED,
                                          .clicks = 1,
                                          .x = x,
                                          .y = y};
    } else if (event->kind == WINDOW_WHEEL) {
        e.wheel = (SDL_MouseWheelEvent){.type = SDL_MOUSEWHEEL, .windowID = id, .y = (int)event->wheel};
    } else if (event->kind == WINDOW_KEY) {
        SDL_Keysym sym = {.sym = SDL_GetKeyFromName(event->key),
                          .mod = (uint16_t)((event->shift ? KMOD_LSHIFT : 0) | (event->ctrl ? KMOD_LCTRL : 0))};
        e.key = (SDL_KeyboardEvent){.type = SDL_KEYDOWN, .windowID = id, .state = SDL_PRESSED, .keysym = sym};
    } else {
        e.type = SDL_QUIT;
    }
    SDL_PushEvent(&e);
}

// Red, green and blue bytes into the 32 bits per pixel that windows have.
static void copy_rows(SDL_Surface* s, const Picture* p)
{
    int width = p->width < s->w ? p->width : s->w, height = p->height < s->h ? p->height : s->h;
    const SDL_PixelFormat* f = s->format;
    for (int y = 0; y < height; y++) {
        const uint8_t* from = p->rgb + 3 * (size_t)y * (size_t)p->width;
        uint8_t* row = (uint8_t*)s->pixels + (size_t)y * (size_t)s->pitch;
        for (int x = 0; x < width; x++, from += 3) {
            uint32_t value = (uint32_t)from[0] << f->Rshift | (uint32_t)from[1] << f->Gshift | (uint32_t)from[2] << f->Bshift;
            memcpy(row + 4 * x, &value, 4);
        }
    }
}

void window_show(Window* w, const Picture* p)
{
    SDL_Surface* s = SDL_GetWindowSurface(w->window);
    if (!s)
        return;
    if (s->format->BytesPerPixel == 4 && SDL_LockSurface(s) == 0) {
        copy_rows(s, p);
        SDL_UnlockSurface(s);
    } else {
        SDL_Surface* from =
            SDL_CreateRGBSurfaceWithFormatFrom(p->rgb, p->width, p->height, 24, 3 * p->width, SDL_PIXELFORMAT_RGB24);
        if (from)
            SDL_BlitSurface(from, NULL, s, NULL);
        SDL_FreeSurface(from);
    }
    SDL_UpdateWindowSurface(w->window);
}

void window_swap(Window* w)
{
    SDL_GL_SwapWindow(w->window);
}

void* window_function(const char* name)
{
    return SDL_GL_GetProcAddress(name);
}

void window_copy(const char* text)
{
    SDL_SetClipboardText(text);
}
