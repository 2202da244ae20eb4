// SPDX-License-Identifier: MIT
#include "fluid/responder.h"

#include <assert.h>
#include <string.h>

void responder_add(Sph* sph, Responder* r)
{
    assert(sph->responders.count < RESPONDERS_MOST);
    r->sph = sph;
    r->number = sph->responders.count;
    sph->responders.list[sph->responders.count++] = r;
}

void responder_remove(Sph* sph, Responder* r)
{
    int kept = 0;
    for (int k = 0; k < sph->responders.count; k++)
        if (sph->responders.list[k] != r) {
            sph->responders.list[kept] = sph->responders.list[k];
            sph->responders.list[kept]->number = kept;
            kept++;
        }
    sph->responders.count = kept;
}

// The last one owns all that it marked.
static void find_sole(Sph* sph, size_t chunks)
{
    size_t owned[RESPONDERS_MOST + 1] = {0};
    for (size_t k = 0; k < chunks && sph->responders.count > 1; k++)
        owned[sph->responders.owner[k]]++;
    for (int k = 0; k < sph->responders.count; k++) {
        Responder* r = sph->responders.list[k];
        r->sole = k + 1 == sph->responders.count || owned[k + 1] == r->chunks;
    }
}

bool responders_build(Sph* sph)
{
    size_t chunks = block_count(sph->fluid.set.count, LANES);
    if (sph->responders.count == 0)
        return true;
    if (!memory_reserve(sph->memory, &sph->responders.owner, &sph->responders.owner_capacity, 0, chunks + 1,
                        sizeof *sph->responders.owner))
        return false;
    memset(sph->responders.owner, 0, chunks);
    for (int k = 0; k < sph->responders.count; k++)
        if (!sph->responders.list[k]->kind->build(sph->responders.list[k]))
            return false;
    find_sole(sph, chunks);
    return true;
}

void responders_gained(Sph* sph)
{
    for (int k = 0; k < sph->responders.count; k++)
        if (sph->responders.list[k]->strong)
            sph->responders.list[k]->kind->gained(sph->responders.list[k]);
}

void responders_accelerated(Sph* sph)
{
    for (int k = 0; k < sph->responders.count; k++)
        if (sph->responders.list[k]->strong)
            sph->responders.list[k]->kind->accelerated(sph->responders.list[k]);
}

void responders_displaced(Sph* sph, float dt, float* density)
{
    for (int k = 0; k < sph->responders.count; k++)
        if (sph->responders.list[k]->strong)
            sph->responders.list[k]->kind->displaced(sph->responders.list[k], dt, density);
}

bool responders_settled(const Sph* sph, float dt)
{
    for (int k = 0; k < sph->responders.count; k++) {
        const Responder* r = sph->responders.list[k];
        if (r->strong && r->kind->settled && !r->kind->settled(r, dt))
            return false;
    }
    return true;
}

void responders_end(Sph* sph)
{
    for (int k = 0; k < sph->responders.count; k++) {
        Responder* r = sph->responders.list[k];
        if (!r->strong)
            r->kind->pressure(r);
        else if (r->kind->end)
            r->kind->end(r);
    }
}

void responders_close(Sph* sph, float dt)
{
    for (int k = 0; k < sph->responders.count; k++)
        sph->responders.list[k]->kind->close(sph->responders.list[k], dt);
}

void responders_push(Sph* sph, float dt)
{
    for (int k = 0; k < sph->responders.count; k++)
        sph->responders.list[k]->kind->pressure(sph->responders.list[k]);
    responders_close(sph, dt);
}
