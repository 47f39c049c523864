// SPDX-License-Identifier: BSD-3-Clause
// The chain of causes of error.h: one fixed buffer, so that reporting an error cannot fail.
#include "analyzer/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, const char *format, ...)
{
    if (!err)
        return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    return -1;
}

int error_wrap(struct error *err, const char *format, ...)
{
    if (!err)
        return -1;
    char cause[ERROR_TEXT_BYTES];
    memcpy(cause, err->text, sizeof(cause));
    va_list args;
    va_start(args, format);
    int length = vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof(err->text))
        snprintf(err->text + length, sizeof(err->text) - (size_t)length, ": %s", cause);
    return -1;
}
