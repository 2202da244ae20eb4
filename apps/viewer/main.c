// SPDX-License-Identifier: MIT
// meniscus-view: what `meniscus view` starts.
#include "viewer.h"

int main(int argc, char** argv)
{
    ViewOptions options;
    int status = view_options_parse(&options, argc, argv);
    if (status < 0)
        status = viewer_run(&options);
    text_list_free(&options.sets);
    return status;
}
