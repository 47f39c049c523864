// SPDX-License-Identifier: BSD-3-Clause
// What a recording with more ranks than cores tells of the times without a core.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/predicted_costs.h"

bool has_lacked_cores(const struct model *model, const struct predicted_scenario *scenario,
                      uint32_t rank)
{
    uint32_t node = scenario->recorded_node[rank], n = 0;
    for (uint32_t other = 0; other < model->trace->n_ranks; other++)
        n += scenario->recorded_node[other] == node;
    return scenario->recorded_cores[node] > 0 && n > scenario->recorded_cores[node];
}

/// Is RANK outside MPI right after TIME_NS?
static bool is_outside(const struct model *model, uint32_t rank, uint64_t time_ns)
{
    const struct reference_location *location = &model->trace->locations[rank];
    if (location->n_records == 0 || time_ns < location->records[0].time_ns ||
        time_ns >= location->records[location->n_records - 1].time_ns)
        return false;
    for (uint32_t c = 0; c < model->n_calls; c++) {
        const struct model_call *call = &model->calls[c];
        if (call->rank == rank && call->enter_ns <= time_ns && time_ns < call->leave_ns)
            return false;
    }
    return true;
}

uint64_t time_without_cores(const struct model *model, const struct predicted_scenario *scenario,
                            uint32_t node, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t taken_ns = 0;
    for (uint64_t time_ns = from_ns; time_ns < to_ns; time_ns++) {
        uint32_t n = 0;
        for (uint32_t rank = 0; rank < model->trace->n_ranks; rank++)
            n += scenario->recorded_node[rank] == node && is_outside(model, rank, time_ns);
        taken_ns += n >= scenario->recorded_cores[node];
    }
    return taken_ns;
}

static bool is_same_operation(const struct model_part *a, const struct model_part *b)
{
    if (a->is_finalize || b->is_finalize)
        return a->is_finalize && b->is_finalize;
    return strcmp(a->operation, b->operation) == 0;
}

/// What PART's rank took after it was released; false: not known, or it did not wait.
static bool is_sample(const struct model *model, const struct predicted_scenario *scenario,
                      uint32_t p, uint64_t *time)
{
    const struct model_part *part = &model->parts[p];
    const struct model_call *call = &model->calls[part->complete_call];
    uint32_t *releasers = memory_zeroed(2 * (size_t)model->trace->n_ranks + 1, sizeof *releasers);
    uint32_t n = releasers_of(model, p, releasers);
    uint64_t release_ns = 0;
    for (uint32_t i = 0; i < n; i++)
        if (model_enter_ns(model, releasers[i]) > release_ns)
            release_ns = model_enter_ns(model, releasers[i]);
    free(releasers);
    bool is_for_later = part->class == CLASS_ONE_TO_ALL || part->class == CLASS_ALL_TO_ONE ||
                        part->class == CLASS_SCAN;
    if (call->is_test || release_ns == 0 || release_ns < call->enter_ns + is_for_later ||
        release_ns > call->leave_ns || !has_lacked_cores(model, scenario, part->rank))
        return false;
    *time =
        highest_digits(call->leave_ns - release_ns -
                           time_without_cores(model, scenario, scenario->recorded_node[part->rank],
                                              release_ns, call->leave_ns),
                       5);
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// The lower median of the samples of PART's operation with sizes of CLASS; false: there are none.
static bool median_of_class(const struct model *model, const struct predicted_scenario *scenario,
                            const struct model_part *part, uint64_t class, uint64_t *median)
{
    uint64_t *times = memory_zeroed(model->n_parts + 1, sizeof *times);
    size_t n = 0;
    for (uint32_t p = 0; p < model->n_parts; p++)
        if (is_same_operation(part, &model->parts[p]) &&
            size_class(model->parts[p].bytes) == class && is_sample(model, scenario, p, &times[n]))
            n++;
    qsort(times, n, sizeof *times, compare_numbers);
    if (n > 0)
        *median = times[(n - 1) / 2];
    free(times);
    return n > 0;
}

uint64_t recorded_collective_cost(const struct model *model,
                                  const struct predicted_scenario *scenario,
                                  const struct model_part *part)
{
    uint64_t own = size_class(part->bytes), below = 0, above = 0, low, high, cost;
    bool has_below = false, has_above = false;
    if (median_of_class(model, scenario, part, own, &cost))
        return cost;
    for (uint32_t p = 0; p < model->n_parts; p++) {
        uint64_t class = size_class(model->parts[p].bytes), time;
        if (!is_same_operation(part, &model->parts[p]) || !is_sample(model, scenario, p, &time))
            continue;
        if (class < own && (!has_below || class > below)) {
            below = class;
            has_below = true;
        }
        if (class > own && (!has_above || class < above)) {
            above = class;
            has_above = true;
        }
    }
    if (!has_below && !has_above)
        return 0;
    if (!has_below || !has_above) {
        median_of_class(model, scenario, part, has_below ? below : above, &cost);
        return cost;
    }
    median_of_class(model, scenario, part, below, &low);
    median_of_class(model, scenario, part, above, &high);
    __int128 rise = (__int128)high - (__int128)low;
    return (uint64_t)((__int128)low +
                      rise * (__int128)(part->bytes - below) / (__int128)(above - below));
}
