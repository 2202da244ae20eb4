// SPDX-License-Identifier: MIT
// The comparisons: each reads a run folder and published values, prints rows of the result table (verdict.h) and writes the
// curves that tools/validate draws. Arguments are those of the command line, without the name; main.c says which.
#pragma once

void compare_front(char** arguments);
void compare_box(char** arguments);
void compare_cavity(char** arguments);
void compare_vortex(char** arguments);
void compare_rest(char** arguments);
void compare_sphere(char** arguments);
void compare_depth(char** arguments);
void compare_damper(char** arguments);
void shallow_water(char** arguments);
void compare_plate(char** arguments);
void compare_gate(char** arguments);
void compare_wave(char** arguments);
void compare_current(char** arguments);
void compare_slam(char** arguments);
void compare_order(char** arguments);
