// SPDX-License-Identifier: BSD-3-Clause
// Allocation for a program that cannot go on without memory: it says so and exits.
#ifndef PAGODA_FINISH_MEMORY_H
#define PAGODA_FINISH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *alloc_or_die(size_t n_bytes); // zeroed
void *realloc_or_die(void *memory, size_t n_bytes);
char *strdup_or_die(const char *text);
char *format_or_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
