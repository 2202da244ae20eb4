// SPDX-License-Identifier: MIT
// ffmpeg's input is one end of a socket pair instead of a pipe: send() with MSG_NOSIGNAL then reports a dead ffmpeg as an
// error, where write() to a pipe would kill the process unless the program's signal handling were changed.
#include "render/film.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct Film {
    char path[4096];
    char temporary[4112];
    int width, height;
    int socket; // our end; -1 when closed
    FILE* said; // what ffmpeg says
    pid_t process;
};

extern char** environ;

static mn_Result film_error(mn_Error* error, const char* path, mn_Result result, const char* what, const char* why)
{
    error_set(error, result, "%s%s%s", what, why && *why ? ": " : "", why ? why : "");
    error_at(error, path, 0, 0);
    return result;
}

// The last line that ffmpeg said.
static void last_words(Film* film, char* out, size_t size)
{
    char line[400];
    out[0] = 0;
    rewind(film->said);
    while (fgets(line, sizeof line, film->said)) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[0])
            snprintf(out, size, "%s", line);
    }
}

static int start_ffmpeg(Film* film, double rate, int input)
{
    char size[32], fps[32];
    snprintf(size, sizeof size, "%dx%d", film->width, film->height);
    snprintf(fps, sizeof fps, "%.6g", rate);
    char* arguments[] = {
        "ffmpeg",   "-nostdin", "-loglevel", "error",      "-y",  "-f",   "rawvideo",      "-pix_fmt", "rgb24",    "-s",   size,
        "-r",       fps,        "-i",        "pipe:0",     "-an", "-c:v", "libx264",       "-preset",  "veryfast", "-crf", "18",
        "-pix_fmt", "yuv420p",  "-movflags", "+faststart", "-f",  "mp4",  film->temporary, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(film->said), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(film->said), 2);
    int failed = posix_spawnp(&film->process, "ffmpeg", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static bool is_writable_place(const char* temporary)
{
    FILE* file = fopen(temporary, "wb");
    return file && fclose(file) == 0;
}

static void film_free(Film* film)
{
    if (film->socket >= 0)
        close(film->socket);
    if (film->said)
        fclose(film->said);
    free(film);
}

Film* film_open(const char* path, int width, int height, double rate, mn_Error* error)
{
    if (width % 2 || height % 2 || width < 2 || height < 2 || !(rate > 0) || !(rate <= 1000)) {
        film_error(error, path, MN_BAD_INPUT, "a film needs an even width and height and 0 < frames per second <= 1000", NULL);
        return NULL;
    }
    Film* film = calloc(1, sizeof *film);
    if (!film || snprintf(film->path, sizeof film->path, "%s", path) >= (int)sizeof film->path) {
        film_error(error, path, film ? MN_BAD_INPUT : MN_OUT_OF_MEMORY, film ? "the file name is too long" : "no memory", NULL);
        free(film);
        return NULL;
    }
    snprintf(film->temporary, sizeof film->temporary, "%s%s.part", path[0] == '-' ? "./" : "", path);
    film->width = width;
    film->height = height;
    film->socket = -1;
    int ends[2];
    if (!is_writable_place(film->temporary) || !(film->said = tmpfile()) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        film_error(error, path, MN_IO_FAILED, "cannot write the film", strerror(errno));
        film_free(film);
        return NULL;
    }
    film->socket = ends[0];
    int failed = start_ffmpeg(film, rate, ends[1]);
    close(ends[1]);
    if (failed) {
        film_error(error, path, MN_IO_FAILED,
                   failed == ENOENT
                       ? "a film needs ffmpeg, which is not installed (Debian: apt install ffmpeg); or write pictures with "
                         "-o name_%06d.png"
                       : "cannot start ffmpeg",
                   failed == ENOENT ? NULL : strerror(failed));
        unlink(film->temporary);
        film_free(film);
        return NULL;
    }
    return film;
}

mn_Result film_add(Film* film, const Picture* picture, mn_Error* error)
{
    if (picture->width != film->width || picture->height != film->height)
        return film_error(error, film->path, MN_BAD_INPUT, "all frames of a film must have the same size", NULL);
    size_t left = (size_t)film->width * (size_t)film->height * 3;
    const uint8_t* data = picture->rgb;
    while (left > 0) {
        ssize_t sent = send(film->socket, data, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            char words[400];
            last_words(film, words, sizeof words);
            return film_error(error, film->path, MN_IO_FAILED, "ffmpeg stopped early", words[0] ? words : strerror(errno));
        }
        data += sent;
        left -= (size_t)sent;
    }
    return MN_OK;
}

static int wait_for(pid_t process)
{
    int status = -1;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

mn_Result film_close(Film* film, mn_Error* error)
{
    close(film->socket);
    film->socket = -1;
    int status = wait_for(film->process);
    mn_Result result = MN_OK;
    if (status != 0) {
        char words[400];
        last_words(film, words, sizeof words);
        result = film_error(error, film->path, MN_IO_FAILED, "ffmpeg failed", words);
    } else if (rename(film->temporary, film->path) != 0) {
        result = film_error(error, film->path, MN_IO_FAILED, "cannot write the film", strerror(errno));
    }
    if (result != MN_OK)
        unlink(film->temporary);
    film_free(film);
    return result;
}

void film_abandon(Film* film)
{
    if (!film)
        return;
    close(film->socket);
    film->socket = -1;
    wait_for(film->process);
    unlink(film->temporary);
    film_free(film);
}
