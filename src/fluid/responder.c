// SPDX-License-Identifier: MIT
#include "fluid/responder.h"

#include <assert.h>
#include <string.h>

void responder_add(Sph* sph, Responder* r)
{
    assert(sph->responder_count < RESPONDERS_MOST);
    r->sph = sph;
    r->number = sph->responder_count;
    sph->responder[sph->responder_count++] = r;
}

void responder_remove(Sph* sph, Responder* r)
{
    int kept = 0;
    for (int k = 0; k < sph->responder_count; k++)
        if (sph->responder[k] != r) {
            sph->responder[kept] = sph->responder[k];
            sph->responder[kept]->number = kept;
            kept++;
        }
    sph->responder_count = kept;
}

// The last one owns all that it marked.
static void find_sole(Sph* sph, size_t chunks)
{
    size_t owned[RESPONDERS_MOST + 1] = {0};
    for (size_t k = 0; k < chunks && sph->responder_count > 1; k++)
        owned[sph->owner[k]]++;
    for (int k = 0; k < sph->responder_count; k++) {
        Responder* r = sph->responder[k];
        r->sole = k + 1 == sph->responder_count || owned[k + 1] == r->chunks;
    }
}

bool responders_build(Sph* sph)
{
    size_t chunks = block_count(sph->fluid.set.count, LANES);
    if (sph->responder_count == 0)
        return true;
    if (!memory_reserve(sph->memory, &sph->owner, &sph->owner_capacity, 0, chunks + 1, sizeof *sph->owner))
        return false;
    memset(sph->owner, 0, chunks);
    for (int k = 0; k < sph->responder_count; k++)
        if (!sph->responder[k]->kind->build(sph->responder[k]))
            return false;
    find_sole(sph, chunks);
    return true;
}

void responders_gained(Sph* sph)
{
    for (int k = 0; k < sph->responder_count; k++)
        if (sph->responder[k]->strong)
            sph->responder[k]->kind->gained(sph->responder[k]);
}

void responders_accelerated(Sph* sph)
{
    for (int k = 0; k < sph->responder_count; k++)
        if (sph->responder[k]->strong)
            sph->responder[k]->kind->accelerated(sph->responder[k]);
}

void responders_displaced(Sph* sph, float dt, float* density)
{
    for (int k = 0; k < sph->responder_count; k++)
        if (sph->responder[k]->strong)
            sph->responder[k]->kind->displaced(sph->responder[k], dt, density);
}

bool responders_settled(const Sph* sph, float dt)
{
    for (int k = 0; k < sph->responder_count; k++) {
        const Responder* r = sph->responder[k];
        if (r->strong && r->kind->settled && !r->kind->settled(r, dt))
            return false;
    }
    return true;
}

void responders_end(Sph* sph)
{
    for (int k = 0; k < sph->responder_count; k++) {
        Responder* r = sph->responder[k];
        if (!r->strong)
            r->kind->pressure(r);
        else if (r->kind->end)
            r->kind->end(r);
    }
}

void responders_close(Sph* sph, float dt)
{
    for (int k = 0; k < sph->responder_count; k++)
        sph->responder[k]->kind->close(sph->responder[k], dt);
}

void responders_push(Sph* sph, float dt)
{
    for (int k = 0; k < sph->responder_count; k++)
        sph->responder[k]->kind->pressure(sph->responder[k]);
    responders_close(sph, dt);
}
