// SPDX-License-Identifier: BSD-3-Clause
// The error callback of OTF2 (see otf2_error.h). The first message is kept: it is the innermost
// one, later ones only say that something above failed, too.
#include "analyzer/trace/otf2_error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CAUSE_BYTES = 256 };

static _Thread_local char first_cause[CAUSE_BYTES];
static _Thread_local jmp_buf open_escape; // valid while is_opening
static _Thread_local bool is_opening;

// The library's words for a damaged file would tell a user little.
static const char *describe(OTF2_ErrorCode code)
{
    return code == OTF2_ERROR_INVALID_DATA ? "damaged, or it ends too early"
                                           : OTF2_Error_GetDescription(code);
}

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
keep_message(void *user_data, const char *file, uint64_t line, const char *function,
             OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)user_data, (void)file, (void)line;
    if (*first_cause)
        goto out;
    const char *description = describe(code);
    int length = snprintf(first_cause, sizeof first_cause, "%s", description);
    if (length > 0 && (size_t)length < sizeof first_cause - 2 && format && *format) {
        memcpy(first_cause + length, ": ", 3);
        vsnprintf(first_cause + length + 2, sizeof first_cause - (size_t)length - 2, format, args);
    }
    for (char *c = first_cause; *c; c++)
        if (*c == '\n')
            *c = ' ';
out:
    if (is_opening && strcmp(function, "OTF2_AnchorFile_Load") == 0)
        longjmp(open_escape, 1);
    return code;
}

void otf2_error_begin(void)
{
    OTF2_Error_RegisterCallback(keep_message, NULL);
    *first_cause = '\0';
}

const char *otf2_error_cause(OTF2_ErrorCode code)
{
    return *first_cause ? first_cause : describe(code);
}

OTF2_Reader *otf2_open(const char *anchor_path)
{
    if (setjmp(open_escape) != 0) {
        is_opening = false;
        return NULL;
    }
    is_opening = true;
    OTF2_Reader *reader = OTF2_Reader_Open(anchor_path);
    is_opening = false;
    return reader;
}
