// SPDX-License-Identifier: MIT
// An mp4 film: frames go as raw RGB through a pipe to ffmpeg (libx264). The file appears under its name when it is whole.
#ifndef RENDER_FILM_H
#define RENDER_FILM_H

#include "render/picture.h"

typedef struct Film Film;

// Width and height must be even. NULL on failure, with `error` filled; it says so if there is no ffmpeg.
Film* film_open(const char* path, int width, int height, double frames_per_second, mn_Error* error);
mn_Result film_add(Film* film, const Picture* picture, mn_Error* error);
// Ends the film and frees it, whatever the result.
mn_Result film_close(Film* film, mn_Error* error);
// Gives up: no file is left. NULL is allowed.
void film_abandon(Film* film);

#endif
