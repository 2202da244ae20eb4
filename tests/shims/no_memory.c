// SPDX-License-Identifier: MIT
// Preloaded into a program (LD_PRELOAD), makes its allocations fail. Counted from main() on:
//   NO_MEMORY_AT=n       allocation n, and all after it, find no memory
//   NO_MEMORY_ONCE=1     only allocation n does
//   NO_MEMORY_COUNT=file how many there were is written there when the program ends
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// glibc's own functions under names that nobody replaces
extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* old, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);

void* memalign(size_t alignment, size_t bytes);

static atomic_long calls;
static long fail_at = -1;
static bool once, counting;

static bool fails(void)
{
    if (!counting)
        return false;
    long n = atomic_fetch_add(&calls, 1) + 1;
    if (fail_at < 0 || n < fail_at || (once && n > fail_at))
        return false;
    errno = ENOMEM;
    return true;
}

void* malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void* realloc(void* old, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(old, bytes);
}

void* memalign(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void** out, size_t alignment, size_t bytes)
{
    void* block = memalign(alignment, bytes);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

typedef int MainFn(int argc, char** argv, char** environment);
typedef int StartFn(MainFn* main, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*loader)(void), void* stack);

static MainFn* real_main;

static int counted_main(int argc, char** argv, char** environment)
{
    const char* at = getenv("NO_MEMORY_AT");
    const char* count = getenv("NO_MEMORY_COUNT");
    fail_at = at ? atol(at) : -1;
    once = getenv("NO_MEMORY_ONCE") != NULL;
    counting = true;
    int status = real_main(argc, argv, environment);
    counting = false;
    FILE* file = count ? fopen(count, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&calls));
        fclose(file);
    }
    return status;
}

int __libc_start_main(MainFn* main, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*loader)(void),
                      void* stack);
int __libc_start_main(MainFn* main, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*loader)(void),
                      void* stack)
{
    StartFn* start = (StartFn*)(intptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(counted_main, argc, argv, init, fini, loader, stack);
}
