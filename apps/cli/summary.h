// SPDX-License-Identifier: MIT
// The last words of a run: what was simulated, what went wrong on the way, and where the time went.
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "cli.h"
#include "talk.h"

// `seconds` of this sitting (what the stages are a share of), `seconds_all` of the whole run.
void say_summary(Talk* talk, const mn_World* world, const mn_Stats* stats, uint64_t first_step, double seconds, double seconds_all);

// The command line that continues a run, fit to be pasted into a shell. `until` NAN: not given.
void resume_command(char* out, size_t size, const char* scene, const char* folder, const TextList* sets, double until);

#endif
