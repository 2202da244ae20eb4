// SPDX-License-Identifier: MIT
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say_counts(Talk* talk, const mn_Stats* s, double seconds_all)
{
    char duration[32], memory[32];
    double iterations = s->steps ? (double)s->iterations_total / (double)s->steps : 0;
    talk_say(talk, "done: %.6g s simulated in %llu steps and %s", s->time, (unsigned long long)s->steps,
             text_seconds(seconds_all, duration));
    talk_say(talk, "  fluid particles %llu, boundary particles %llu, memory %s", (unsigned long long)s->fluid_particles,
             (unsigned long long)s->boundary_particles, text_bytes((double)s->memory_bytes, memory));
    talk_say(talk, "  iterations per step %.2f, steps not converged %llu, steps repeated %llu", iterations,
             (unsigned long long)s->not_converged, (unsigned long long)s->repeated_steps);
    talk_say(talk, "  particles carved %llu, emitted %llu, drained %llu, lost %llu, leaked %llu", (unsigned long long)s->carved,
             (unsigned long long)s->emitted, (unsigned long long)s->drained, (unsigned long long)s->lost_particles,
             (unsigned long long)s->leaked_particles);
    if (s->expelled_particles)
        talk_say(talk,
                 "  %llu times a particle was caught in a solid, behind a wall or on its way through a sheet, and put back to "
                 "where it came from",
                 (unsigned long long)s->expelled_particles);
    if (100 * s->not_converged > s->steps)
        talk_warn(talk,
                  "the pressure solve of %.3g %% of the steps stopped at solver.max_iterations; raise it, or lower solver.cfl",
                  100 * (double)s->not_converged / (double)s->steps);
    if (s->lost_particles)
        talk_warn(talk, "%llu particles were lost", (unsigned long long)s->lost_particles);
    if (s->leaked_particles)
        talk_warn(talk, "%llu particles are on the wrong side of a solid", (unsigned long long)s->leaked_particles);
}

static void say_timing(Talk* talk, const mn_World* world, uint64_t steps, double seconds)
{
    const mn_StageTime* stages;
    size_t count = mn_world_timing(world, &stages);
    double total = 0, per_step = steps ? 1e3 / (double)steps : 0;
    talk_say(talk, "%-24s %12s %12s %8s", "stage", "total s", "ms per step", "share");
    for (size_t k = 0; k < count; k++) {
        talk_say(talk, "%-24s %12.3f %12.3f %6.1f %%", stages[k].name, stages[k].seconds, stages[k].seconds * per_step,
                 seconds > 0 ? 100 * stages[k].seconds / seconds : 0);
        total += stages[k].seconds;
    }
    double rest = seconds > total ? seconds - total : 0;
    talk_say(talk, "%-24s %12.3f %12.3f %6.1f %%", "output and the rest", rest, rest * per_step,
             seconds > 0 ? 100 * rest / seconds : 0);
    talk_say(talk, "%-24s %12.3f %12.3f %6.1f %%", "all", seconds, seconds * per_step, 100.0);
}

void say_summary(Talk* talk, const mn_World* world, const mn_Stats* stats, uint64_t first_step, double seconds, double seconds_all)
{
    say_counts(talk, stats, seconds_all);
    say_timing(talk, world, stats->steps - first_step, seconds);
}

// One word for the shell, in single quotes if anything in it could be taken amiss.
static void add_word(char* out, size_t size, const char* word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-,:%@";
    size_t at = strlen(out);
    bool quote = !word[0] || word[strspn(word, plain)];
    if (at && at + 1 < size)
        out[at++] = ' ';
    if (quote && at + 1 < size)
        out[at++] = '\'';
    for (; *word && at + 6 < size; word++) {
        if (*word == '\'') {
            memcpy(out + at, "'\\''", 4);
            at += 4;
        } else {
            out[at++] = *word;
        }
    }
    if (quote && at + 1 < size)
        out[at++] = '\'';
    out[at] = 0;
}

void resume_command(char* out, size_t size, const char* scene, const char* folder, const TextList* sets, double until)
{
    char number[40];
    out[0] = 0;
    add_word(out, size, "meniscus");
    add_word(out, size, "run");
    add_word(out, size, scene);
    add_word(out, size, "--out");
    add_word(out, size, folder);
    for (size_t k = 0; k < sets->count; k++) {
        add_word(out, size, "--set");
        add_word(out, size, sets->item[k]);
    }
    if (!isnan(until)) {
        snprintf(number, sizeof number, "%.15g", until);
        if (strtod(number, NULL) != until)
            snprintf(number, sizeof number, "%.17g", until);
        add_word(out, size, "--until");
        add_word(out, size, number);
    }
    add_word(out, size, "--resume");
}
