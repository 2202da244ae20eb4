// SPDX-License-Identifier: MIT
#include "history.h"

#include <stdlib.h>

void history_tell(const History* h, SimStatus* status)
{
    status->kept = h->count;
    status->kept_bytes = h->bytes;
    status->kept_from = h->count ? h->kept[0].time : 0;
    status->kept_to = h->count ? h->kept[h->count - 1].time : -1;
    status->rewound = h->rewound;
    status->rewinds = h->rewinds;
}

void history_clear(History* h)
{
    for (size_t k = 0; k < h->count; k++)
        free(h->kept[k].state);
    h->count = h->bytes = 0;
}
