// SPDX-License-Identifier: MIT
#include "sim_parts.h"

bool live_replaces(const LiveInput* waiting, const LiveInput* next)
{
    return waiting->what == next->what && (next->what == LIVE_MOVE || next->what == LIVE_NOTHING);
}

void live_apply(SimWorld* w, const LiveInput* input, char* text, size_t size)
{
    (void)w, (void)input, (void)text, (void)size;
}

void live_before_step(SimWorld* w)
{
    (void)w;
}

void live_forget(SimWorld* w)
{
    w->live = (Live){0};
}
