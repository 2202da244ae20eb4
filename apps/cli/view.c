// SPDX-License-Identifier: MIT
// meniscus view: the window is a program of its own beside this one, so that everything else works where SDL is not installed.
#include "base/machine.h"
#include "view_options.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int command_view(int argc, char** argv)
{
    ViewOptions options;
    int status = view_options_parse(&options, argc, argv);
    text_list_free(&options.sets);
    if (status >= 0)
        return status;
    char path[4200];
    if (!machine_beside_program("meniscus-view", path, sizeof path) || access(path, X_OK) != 0)
        return complain(STATUS_USAGE,
                        "view: there is no meniscus-view beside this program: SDL2 (libsdl2-dev) was missing when it was "
                        "built. meniscus run and render work without it");
    void* sdl = dlopen("libSDL2-2.0.so.0", RTLD_LAZY);
    if (!sdl)
        return complain(STATUS_USAGE, "view: the window needs SDL2 (Debian: libsdl2-2.0-0): %s", dlerror());
    dlclose(sdl);
    execv(path, argv);
    return complain(STATUS_USAGE, "view: %s cannot be started: %s", path, strerror(errno));
}
