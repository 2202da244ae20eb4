// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_say(Log log, mn_LogLevel level, const char* format, ...)
{
    if (!log.fn)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log.fn(log.user, level, text);
}
