// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/finish/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (memory == NULL) {
        fputs("pagoda: out of memory while the archive was written; the records are kept\n",
              stderr);
        exit(1);
    }
    return memory;
}

void *alloc_or_die(size_t n_bytes)
{
    return checked(calloc(1, n_bytes > 0 ? n_bytes : 1));
}

void *realloc_or_die(void *memory, size_t n_bytes)
{
    return checked(realloc(memory, n_bytes));
}

char *strdup_or_die(const char *text)
{
    return checked(strdup(text));
}

char *format_or_die(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return checked(text);
}
