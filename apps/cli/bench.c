// SPDX-License-Identifier: MIT
// meniscus bench: measured work as tables on standard output.
#include "bench.h"
#include "bench_elastic.h"
#include "bench_foam.h"
#include "bench_render.h"
#include "bench_rigid.h"
#include "bench_sample.h"
#include "bench_surface.h"
#include "cli.h"

#include "base/error.h"
#include "io/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void run_sample(FILE* out, const BenchChoice* choice)
{
    (void)choice;
    bench_sample(out);
    bench_resample(out);
}

static const struct {
    const char* name;
    void (*run)(FILE* out, const BenchChoice* choice);
} benches[] = {{"passes", bench_passes},     {"peers", bench_peers},     {"rigid", bench_rigid},   {"sample", run_sample},
               {"surface", bench_surface},   {"tension", bench_tension}, {"render", bench_render}, {"elastic", bench_elastic},
               {"flip", bench_flip},         {"foam", bench_foam},       {"view", bench_view},     {"direct", bench_direct},
               {"immersed", bench_immersed}, {"gauss", bench_gauss}};
enum { BENCHES = sizeof benches / sizeof *benches };

// By its path or, without a slash, in PATH.
static bool is_program(const char* name)
{
    const char* folders = getenv("PATH");
    if (strchr(name, '/') || !folders)
        return access(name, X_OK) == 0;
    for (size_t length; *folders; folders += length + (folders[length] == ':')) {
        char path[PATH_SIZE];
        length = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

int command_bench(int argc, char** argv)
{
    BenchChoice choice = {.threads = 2};
    const Option options[] = {
        {"threads", 0, OPTION_INTEGER, &choice.threads, "N", "threads (default 2)"},
        {"quick", 0, OPTION_FLAG, &choice.quick, NULL, "small sizes only"},
        {"scene", 0, OPTION_TEXT, &choice.scene, "NAME",
         "peers: this scene only: small, rest, motion or double; direct: impact, cuboids, ...; foam: making, wave, flood, ..."},
        {"method", 0, OPTION_TEXT, &choice.method, "NAME", "peers, direct: this pressure method only"},
        {"peer", 0, OPTION_TEXT, &choice.peer, "PROGRAM", "peers: also run this SPHSimulator of SPlisHSPlasH on the same scenes"},
        {"stages", 0, OPTION_FLAG, &choice.stages, NULL, "peers, rigid: the time of each stage of a step too"},
    };
    const Syntax syntax = {
        "bench",
        "[NAME]",
        "Measures passes of a step (passes), whole steps against another simulator (peers), what rigid bodies cost (rigid),\n"
        "sampling (sample), surfaces of fluids (surface), surface tension (tension), fast pictures (render),\n"
        "elastic solids (elastic), the grid fluid (flip), foam (foam), pictures of the window (view), direct forcing (direct),\n"
        "a soft body that the grid carries (immersed) and Gauss boundaries (gauss); without a NAME all of them. Run it on a quiet "
        "machine.",
        options,
        sizeof options / sizeof *options,
        0,
        1};
    const char* name = NULL;
    size_t count;
    int status = options_parse(&syntax, argc, argv, &name, &count);
    if (status >= 0)
        return status;
    if (choice.threads < 1)
        return complain(STATUS_USAGE, "bench: --threads must be 1 or more");
    bool is_foam = count > 0 && !strcmp(name, "foam");
    if (is_foam && !bench_foam_has(choice.scene))
        return complain(STATUS_USAGE, "bench foam: --scene is making, wave, ship, lighthouse or flood");
    bool is_direct = count > 0 && !strcmp(name, "direct");
    if (!is_foam && (is_direct ? !bench_direct_has(choice.scene, choice.method) : !bench_peers_has(choice.scene, choice.method)))
        return is_direct
                   ? complain(STATUS_USAGE, "bench direct: --scene is impact, cuboids, spheres, skipping, flotsam or responses, "
                                            "--method sesph or dfsph")
                   : complain(STATUS_USAGE,
                              "bench: --scene is small, rest, motion or double, --method sesph, pcisph, iisph or dfsph");
    if (choice.peer && !is_program(choice.peer))
        return complain(STATUS_USAGE, "bench: --peer %s is no program that can be run", choice.peer);
    bool found = false;
    for (int k = 0; k < BENCHES; k++)
        if (count == 0 || !strcmp(name, benches[k].name)) {
            if (count == 0 && k)
                printf("\n");
            benches[k].run(stdout, &choice);
            found = true;
        }
    if (!found)
        return complain(STATUS_USAGE,
                        "bench: there is no bench \"%s\"; there are passes, peers, rigid, sample, surface, tension, render, "
                        "elastic, flip, foam, view, direct, immersed and gauss",
                        name);
    return STATUS_DONE;
}
