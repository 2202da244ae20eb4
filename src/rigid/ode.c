// SPDX-License-Identifier: MIT
// What ODE has in common for all worlds and all threads.
//
// Errors: ODE ends the program on errors, even after a handler of ours returns. So the handler does not return: it jumps back to
// where we called ODE, and the call fails with ODE's own words. Memory: what cannot be had comes back the same way, from ODE's own
// allocations by its hooks and from those of its triangle trees by C++'s new handler; a world that this happened to is not used
// again. Threads: who jumps where is known per thread. Trees of triangles and the iterative solver's random order are shared by all
// worlds, without locks of their own: ode_lock() is for them.
#include "rigid/rigid_parts.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf* return_point;
static _Thread_local Rigid* at_work;
static _Thread_local bool locked;
static _Thread_local bool stepping;

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

void ode_lock(void)
{
    pthread_mutex_lock(&shared);
    locked = true;
}

void ode_unlock(void)
{
    locked = false;
    pthread_mutex_unlock(&shared);
}

// --- errors

static void give_up(int number, const char* format, va_list args)
{
    if (!return_point)
        return;
    vsnprintf(at_work->message, sizeof at_work->message, format, args);
    longjmp(*return_point, 1);
}

// ODE's only message is that the exact solver of contacts gave up, and that contacts are missing from the solution.
static void take_note(int number, const char* format, va_list args)
{
    if (at_work)
        at_work->lost = true;
}

// --- memory

void ode_no_memory(void)
{
    if (!return_point)
        return;
    strcpy(at_work->message, "no memory");
    at_work->no_memory = true;
    longjmp(*return_point, 1);
}

// What ODE takes when it starts, about a kilobyte, it does not check, and half started it could neither go on nor start again. So
// that is here already.
static _Alignas(64) char reserve[16384];
static size_t reserved;
static bool starting;

static bool is_reserved(const void* p)
{
    return (const char*)p >= reserve && (const char*)p < reserve + sizeof reserve;
}

static void* take(dsizeint size)
{
    size_t rounded = (size + 63) / 64 * 64;
    if (starting && rounded <= sizeof reserve - reserved) {
        reserved += rounded;
        return reserve + reserved - rounded;
    }
    void* p = malloc(size);
    if (!p)
        ode_no_memory();
    return p;
}

static void* retake(void* p, dsizeint old_size, dsizeint size)
{
    bool fixed = is_reserved(p);
    void* q = fixed ? malloc(size) : realloc(p, size);
    if (!q)
        ode_no_memory();
    if (q && fixed)
        memcpy(q, p, old_size < size ? old_size : size);
    return q;
}

static void give(void* p, dsizeint size)
{
    if (!is_reserved(p))
        free(p);
}

typedef void NewHandler(void);
static NewHandler* other_handler; // the program's own
static NewHandler* throw_bad_alloc;

static void new_failed(void)
{
    ode_no_memory();
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

bool ode_init(void)
{
    static bool started;
    pthread_mutex_lock(&shared);
    if (!started) {
        dSetAllocHandler(take);
        dSetReallocHandler(retake);
        dSetFreeHandler(give);
        starting = true;
        started = dInitODE2(0) != 0;
        starting = false;
        if (started)
            catch_new();
        dSetErrorHandler(give_up);
        dSetDebugHandler(give_up);
        dSetMessageHandler(take_note);
    }
    pthread_mutex_unlock(&shared);
    return started;
}

bool ode_call(Rigid* rigid, OdeCallFn* work, void* context)
{
    jmp_buf here;
    jmp_buf* outer = return_point;
    if (rigid->no_memory) // ODE may have stopped half-way
        return false;
    if (!outer) {
        rigid->message[0] = 0;
        at_work = rigid;
    }
    return_point = &here;
    if (setjmp(here) == 0) {
        if (!outer && !dAllocateODEDataForThread(dAllocateMaskAll))
            ode_no_memory();
        work(rigid, context);
    }
    if (locked)
        ode_unlock();
    rigid->interrupted |= stepping;
    stepping = false;
    return_point = outer;
    if (!outer)
        at_work = NULL;
    return rigid->message[0] == 0;
}

// ODE's threading has a list of work that an error leaves half done, and refuses to be freed with it: it stays behind.
static void renew(Rigid* rigid)
{
    rigid->threading = dThreadingAllocateSelfThreadedImplementation();
    dWorldCleanupWorkingMemory(rigid->world);
    dWorldSetStepThreadingImplementation(rigid->world, dThreadingImplementationGetFunctions(rigid->threading), rigid->threading);
    rigid->interrupted = false;
}

void ode_step(Rigid* rigid, double dt, bool quick)
{
    int ok;
    if (rigid->interrupted)
        renew(rigid);
    stepping = true;
    if (quick) {
        ode_lock();
        dRandSetSeed((unsigned long)rigid->def.seed);
        ok = dWorldQuickStep(rigid->world, dt);
        ode_unlock();
    } else {
        ok = dWorldStep(rigid->world, dt);
    }
    stepping = false;
    if (!ok)
        ode_no_memory();
}

void ode_fail(const char* message)
{
    snprintf(at_work->message, sizeof at_work->message, "%s", message);
    longjmp(*return_point, 1);
}
