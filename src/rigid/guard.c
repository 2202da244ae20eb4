// SPDX-License-Identifier: MIT
// What ODE has in common for all worlds and all threads.
//
// Errors: ODE ends the program on errors, even after a handler of ours returns. So the handler does not return: it jumps back to
// where we called ODE, and the call fails with ODE's own words. Memory: what cannot be had comes back the same way, from ODE's own
// allocations by its hooks and from those of its triangle trees by C++'s new handler; only the step itself checks what it gets.
// Threads: who jumps where is known per thread. Trees of triangles and the iterative solver's random order are shared by all
// worlds, without locks of their own: guard_lock() is for them.
#include "rigid/rigid_parts.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf* way_back;
static _Thread_local Rigid* at_work;
static _Thread_local bool locked;
static _Thread_local bool checks; // ODE looks whether it got memory

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

void guard_lock(void)
{
    pthread_mutex_lock(&shared);
    locked = true;
}

void guard_unlock(void)
{
    locked = false;
    pthread_mutex_unlock(&shared);
}

// --- errors

static void give_up(int number, const char* format, va_list args)
{
    if (!way_back)
        return;
    vsnprintf(at_work->message, sizeof at_work->message, format, args);
    longjmp(*way_back, 1);
}

// ODE's only message is that the exact solver of contacts lost its way, and that contacts are missing from the solution.
static void take_note(int number, const char* format, va_list args)
{
    if (at_work)
        at_work->lost = true;
}

// --- memory

void guard_no_memory(void)
{
    if (!way_back)
        return;
    strcpy(at_work->message, "no memory");
    at_work->no_memory = true;
    longjmp(*way_back, 1);
}

static void* take(dsizeint size)
{
    void* p = malloc(size);
    if (!p && !checks)
        guard_no_memory();
    return p;
}

static void* retake(void* p, dsizeint old_size, dsizeint size)
{
    void* q = realloc(p, size);
    if (!q && !checks)
        guard_no_memory();
    return q;
}

static void give(void* p, dsizeint size)
{
    free(p);
}

typedef void NewHandler(void);
static NewHandler* other_handler; // the program's own
static NewHandler* throw_bad_alloc;

static void new_failed(void)
{
    guard_no_memory();
    if (other_handler)
        other_handler();
    else
        throw_bad_alloc(); // what happens without a handler
}

// std::set_new_handler and std::__throw_bad_alloc, in the C++ library that ODE brings with it.
static void catch_new(void)
{
    NewHandler* (*set)(NewHandler*) = NULL;
    *(void**)&set = dlsym(RTLD_DEFAULT, "_ZSt15set_new_handlerPFvvE");
    *(void**)&throw_bad_alloc = dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv");
    if (set && throw_bad_alloc)
        other_handler = set(new_failed);
}

// --- calls

bool guard_init(void)
{
    static bool started;
    pthread_mutex_lock(&shared);
    if (!started) {
        dSetAllocHandler(take);
        dSetReallocHandler(retake);
        dSetFreeHandler(give);
        started = dInitODE2(0) != 0;
        if (started)
            catch_new();
        dSetErrorHandler(give_up);
        dSetDebugHandler(give_up);
        dSetMessageHandler(take_note);
    }
    pthread_mutex_unlock(&shared);
    return started;
}

bool guarded(Rigid* rigid, GuardedFn* work, void* context)
{
    jmp_buf here;
    jmp_buf* outer = way_back;
    if (!outer) {
        rigid->message[0] = 0;
        rigid->no_memory = false;
        at_work = rigid;
    }
    way_back = &here;
    if (setjmp(here) == 0) {
        if (!outer && !dAllocateODEDataForThread(dAllocateMaskAll))
            guard_no_memory();
        work(rigid, context);
    }
    if (locked)
        guard_unlock();
    checks = false;
    way_back = outer;
    if (!outer)
        at_work = NULL;
    return rigid->message[0] == 0;
}

void guard_step(Rigid* rigid, double dt, bool quick)
{
    int ok;
    checks = true;
    if (quick) {
        guard_lock();
        dRandSetSeed((unsigned long)rigid->def.seed);
        ok = dWorldQuickStep(rigid->world, dt);
        guard_unlock();
    } else {
        ok = dWorldStep(rigid->world, dt);
    }
    checks = false;
    if (!ok)
        guard_no_memory();
}
