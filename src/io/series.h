// SPDX-License-Identifier: MIT
// A series of frame files NAME_000000.vtp, NAME_000001.vtp, ... and the small file that lists them with their times, so that
// ParaView opens the sequence: NAME.pvd for .vtp, NAME.vtk.series and NAME.ply.series for the others.
#ifndef IO_SERIES_H
#define IO_SERIES_H

#include "io/file.h"
#include <meniscus/defs.h>

enum { SERIES_NAME = 96 };

// A file name from the name of a fluid or solid: what file systems or XML could take amiss becomes '_'; the name must differ
// from the `count` ones in `taken` (their own ending is then added).
void series_name(char out[SERIES_NAME], const char* name, const char* fallback, const char (*taken)[SERIES_NAME], size_t count);

// folder/NAME_000012.vtp
mn_Result series_path(char out[PATH_SIZE], const char* folder, const char* name, int64_t frame, const char* extension,
                      mn_Error* error);
// The frame's number, or -1 if `file_name` is not of this series.
int64_t series_frame_of(const char* file_name, const char* name, const char* extension);

// Lists frames 0..last_frame; frame k is at k / frame_rate. Replaced atomically.
mn_Result series_write_list(const char* folder, const char* name, mn_ParticleFormat format, int64_t last_frame, double frame_rate,
                            mn_Error* error);

#endif
