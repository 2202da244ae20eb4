// SPDX-License-Identifier: MIT
// ODE ends the program on errors, even after a handler of ours returns. So the handler does not return: it jumps back to
// where we called ODE, and the step fails with ODE's own words.
#include "rigid/rigid_parts.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local jmp_buf* way_back;
static _Thread_local Rigid* at_work;

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

static void start_ode(void)
{
    dInitODE2(0);
    dSetErrorHandler(give_up);
    dSetDebugHandler(give_up);
    dSetMessageHandler(take_note);
}

void guard_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_ode);
    dAllocateODEDataForThread(dAllocateMaskAll);
}

bool guarded(Rigid* rigid, GuardedFn* work, void* context)
{
    jmp_buf here;
    dAllocateODEDataForThread(dAllocateMaskAll);
    dRandSetSeed((unsigned long)rigid->def.seed);
    rigid->message[0] = 0;
    at_work = rigid;
    way_back = &here;
    bool ok = setjmp(here) == 0;
    if (ok)
        work(rigid, context);
    way_back = NULL;
    return rigid->message[0] == 0;
}
