// SPDX-License-Identifier: MIT
#include "scene/json_memory.h"

#include <jansson.h>
#include <pthread.h>

// Whatever Jansson allocated with before, which may be a function of the program that we are part of, it goes on to allocate with.
static pthread_once_t installed = PTHREAD_ONCE_INIT;
static json_malloc_t own_malloc;
static json_free_t own_free;
static _Thread_local bool failed;

static void* watched_malloc(size_t bytes)
{
    void* block = own_malloc(bytes);
    failed = failed || !block;
    return block;
}

static void install(void)
{
    json_get_alloc_funcs(&own_malloc, &own_free);
    json_set_alloc_funcs(watched_malloc, own_free);
}

void json_memory_watch(void)
{
    pthread_once(&installed, install);
    failed = false;
}

bool json_memory_failed(void)
{
    return failed;
}
