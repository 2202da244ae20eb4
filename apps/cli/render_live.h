// SPDX-License-Identifier: MIT
// Pictures or a film while a simulation runs: `meniscus run --render`.
#ifndef CLI_RENDER_LIVE_H
#define CLI_RENDER_LIVE_H

#include "render_job.h"

typedef struct RenderLive RenderLive;

// `out`: x.mp4 or x_%06d.png. Draws as the scene's view says. Scene and world must outlive it. NULL on failure.
RenderLive* render_live_open(const char* out, bool is_final, int threads, const mn_Scene* scene, mn_World* world, mn_Error* error);
// The world as it is.
mn_Result render_live_frame(RenderLive* live, int64_t frame, mn_Error* error);
// Ends a film, also one of a run that was interrupted; frees it whatever the result. NULL is allowed.
mn_Result render_live_close(RenderLive* live, mn_Error* error);

#endif
