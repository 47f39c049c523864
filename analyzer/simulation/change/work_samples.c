// SPDX-License-Identifier: BSD-3-Clause
// Series of CPU times of a fixed size: where one is full, neighbouring bins are put together.
#include "analyzer/simulation/change/work_samples.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/state.h"

void work_samples_init(struct work_samples *samples, size_t n_locations)
{
    *samples = (struct work_samples){
        .locations = memory_zeroed(n_locations + 1, sizeof *samples->locations),
        .n_locations = n_locations,
    };
}

void work_samples_release(struct work_samples *samples)
{
    FREE_MEMBERS(samples->locations, samples->n_locations, series);
    free(samples->locations);
    *samples = (struct work_samples){0};
}

static void add(struct work_series *series, double ns)
{
    if (series->n == series->n_per_bin * WORK_BINS) {
        for (size_t i = 0; i < WORK_BINS / 2; i++)
            series->ns[i] = series->ns[2 * i] + series->ns[2 * i + 1];
        memset(series->ns + WORK_BINS / 2, 0, WORK_BINS / 2 * sizeof *series->ns);
        series->n_per_bin *= 2;
    }
    series->ns[series->n++ / series->n_per_bin] += ns;
}

void work_samples_add(struct work_samples *samples, size_t index,
                      const struct computation *computation)
{
    struct work_of_location *location = &samples->locations[index];
    samples->has_cpu_times = samples->has_cpu_times || computation->cpu.has;
    for (uint32_t i = 0; i < computation->n_parts; i++) {
        const struct computation_part *part = &computation->parts[i];
        location->series = array_reserve(location->series, &location->capacity, part->path + 1,
                                         sizeof *location->series);
        while (location->n <= part->path)
            location->series[location->n++] = (struct work_series){.n_per_bin = 1};
        add(&location->series[part->path], (double)computation->process_ns *
                                               (double)part->recorded_ns /
                                               (double)computation->recorded_ns);
    }
}

void work_series_group(const struct work_series *series, double *groups, size_t n_groups)
{
    double per_group = (double)series->n / (double)n_groups;
    for (size_t i = 0; i * series->n_per_bin < series->n; i++) {
        double begin = (double)(i * series->n_per_bin), end = begin + (double)series->n_per_bin;
        double last = end < (double)series->n ? end : (double)series->n;
        for (size_t g = 0; g < n_groups; g++) {
            double from = per_group * (double)g, to = per_group * (double)(g + 1);
            double shared = (last < to ? last : to) - (begin > from ? begin : from);
            if (shared > 0)
                groups[g] += series->ns[i] * shared / (last - begin);
        }
    }
}
