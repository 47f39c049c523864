// SPDX-License-Identifier: BSD-3-Clause
// Repeated measurements of one quantity.
#include <stdlib.h>
#include <time.h>

#include "tracer/calibrate/calibrate.h"

enum { SAMPLES_WANTED = 11 };

double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

void samples_add(struct samples *samples, double value)
{
    if (samples->n < SAMPLES_MAX)
        samples->values[samples->n++] = value > 0 ? value : 0;
}

static int ascending(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;

    return (a > b) - (a < b);
}

static double quantile(const struct samples *samples, double share)
{
    double place = share * (samples->n - 1);
    int below = (int)place;
    int above = below + 1 < samples->n ? below + 1 : below;

    return samples->values[below] +
           (place - below) * (samples->values[above] - samples->values[below]);
}

struct measured samples_conclude(struct samples *samples)
{
    struct measured measured = {0, 0, samples->n};

    if (samples->n == 0)
        return measured;
    qsort(samples->values, (size_t)samples->n, sizeof samples->values[0], ascending);
    measured.ns = quantile(samples, 0.5);
    if (measured.ns > 0)
        measured.spread = (quantile(samples, 0.75) - quantile(samples, 0.25)) / measured.ns;
    return measured;
}

bool samples_suffice(struct samples *samples, double begin_ns, const struct effort *effort)
{
    if (samples->n == 0)
        return false;
    if (samples->n == SAMPLES_MAX || now_ns() - begin_ns >= effort->limit_ns)
        return true;
    return samples->n >= SAMPLES_WANTED && samples_conclude(samples).spread <= effort->spread;
}
