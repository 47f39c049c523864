// SPDX-License-Identifier: BSD-3-Clause
// Value lists of a sweep's parameters: "1,2,4", "{1, 2:8:2}", "block,cyclic".
#ifndef PAGODA_SWEEP_VALUES_H
#define PAGODA_SWEEP_VALUES_H

#include <stddef.h>

#include "analyzer/base/error.h"

enum { SWEEP_MAX_VALUES = 100000 }; // of one parameter

struct sweep_values {
    char **texts; // NULL: undefined, the parameter has no value in this place
    size_t n, capacity;
};

/// Appends the values of a list: texts between commas, in braces or not. A range A:B:C of numbers
/// stands for A + iC with 0 <= i <= floor((B - A) / C), as in Aksum; A:B for A:B:1. Values go
/// through as they are written. 0, or -1 and ERR: empty value, empty range, step 0, too many.
int sweep_values_read(const char *text, struct sweep_values *values, struct error *err);

/// Appends one value, NULL for an undefined one.
void sweep_values_add(struct sweep_values *values, const char *text);

void sweep_values_release(struct sweep_values *values);

#endif
