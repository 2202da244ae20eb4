// SPDX-License-Identifier: MIT
// Where a world's messages go.
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <meniscus/base.h>

typedef struct Log {
    mn_LogFn* fn; // NULL: nobody listens
    void* user;
} Log;

__attribute__((format(printf, 3, 4))) void log_say(Log log, mn_LogLevel level, const char* format, ...);

#endif
