// SPDX-License-Identifier: MIT
#include "history.h"

static const double interval = 0.04;         // [s] simulated, between two states
static const size_t most_bytes = 400u << 20; // that all of them may take

void history_tell(const History* h, SimStatus* status)
{
    status->kept = h->count;
    status->kept_bytes = h->bytes;
    status->kept_from = h->count ? mn_snapshot_time(h->kept[0]) : 0;
    status->kept_to = h->count ? mn_snapshot_time(h->kept[h->count - 1]) : -1;
}

static void forget(History* h, size_t first, size_t count)
{
    for (size_t k = first; k < first + count; k++) {
        h->bytes -= mn_snapshot_bytes(h->kept[k]);
        mn_snapshot_free(h->kept[k]);
    }
    for (size_t k = first; k + count < h->count; k++)
        h->kept[k] = h->kept[k + count];
    h->count -= count;
}

void history_clear(History* h)
{
    forget(h, 0, h->count);
}

// States after `time` are those of another future.
static void forget_after(History* h, double time)
{
    size_t keep = h->count;
    while (keep > 0 && mn_snapshot_time(h->kept[keep - 1]) > time + 1e-12)
        keep--;
    forget(h, keep, h->count - keep);
}

void history_keep(History* h, const mn_World* world)
{
    double time = mn_world_time(world);
    forget_after(h, time);
    if (h->count && time < mn_snapshot_time(h->kept[h->count - 1]) + interval)
        return;
    mn_Snapshot* snapshot = mn_world_save(world, NULL);
    if (!snapshot)
        return; // no memory: there is less to go back to
    size_t bytes = mn_snapshot_bytes(snapshot);
    while (h->count && (h->count == HISTORY_MOST || h->bytes + bytes > most_bytes))
        forget(h, 0, 1);
    h->kept[h->count++] = snapshot;
    h->bytes += bytes;
}

const mn_Snapshot* history_at(const History* h, double time)
{
    size_t k = h->count;
    while (k > 1 && mn_snapshot_time(h->kept[k - 1]) > time)
        k--;
    return k ? h->kept[k - 1] : NULL;
}
