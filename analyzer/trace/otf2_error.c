// SPDX-License-Identifier: BSD-3-Clause
// The error callback of OTF2 (see otf2_error.h). The first message is kept: it is the innermost
// one, later ones only say that something above failed, too.
#include "analyzer/trace/otf2_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CAUSE_BYTES = 256 };

static _Thread_local char first_cause[CAUSE_BYTES];

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
keep_message(void *user_data, const char *file, uint64_t line, const char *function,
             OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)user_data, (void)file, (void)line, (void)function;
    if (*first_cause)
        return code;
    const char *description = OTF2_Error_GetDescription(code);
    int length = snprintf(first_cause, sizeof first_cause, "%s", description);
    if (length > 0 && (size_t)length < sizeof first_cause - 2 && format && *format) {
        memcpy(first_cause + length, ": ", 3);
        vsnprintf(first_cause + length + 2, sizeof first_cause - (size_t)length - 2, format, args);
    }
    for (char *c = first_cause; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return code;
}

void otf2_error_begin(void)
{
    OTF2_Error_RegisterCallback(keep_message, NULL);
    *first_cause = '\0';
}

const char *otf2_error_cause(OTF2_ErrorCode code)
{
    return *first_cause ? first_cause : OTF2_Error_GetDescription(code);
}
