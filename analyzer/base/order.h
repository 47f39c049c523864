// SPDX-License-Identifier: BSD-3-Clause
// Orders for qsort() and bsearch(): by one key, then by another where that is the same.
#pragma once

#include <stddef.h>

/// How the numbers A and B are ordered: negative, 0 or positive. NaN is the same as any number.
#define LESS_FIRST(a, b) (((a) > (b)) - ((a) < (b)))
#define MORE_FIRST(a, b) LESS_FIRST((b), (a))

/// The first order that is not 0 decides. All are computed: a later one must hold without those
/// before it.
#define ORDER_BY(...)                                                                              \
    order_by((const int[]){__VA_ARGS__}, sizeof(const int[]){__VA_ARGS__} / sizeof(int))
static inline int order_by(const int *orders, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}
