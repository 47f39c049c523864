// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/cost/cost_time.h"

#include "analyzer/base/options/options.h"

static const uint64_t most_ns = UINT64_C(3600000000000), least_slice_ns = 1000;

int cost_time_read(const char *text, uint64_t *time_ns, struct error *err)
{
    if (option_read_duration(text, time_ns, err) != 0)
        return -1;
    return *time_ns <= most_ns ? 0 : error_set(err, "more than an hour");
}

int cost_time_read_slice(const char *text, uint64_t *slice_ns, struct error *err)
{
    if (cost_time_read(text, slice_ns, err) != 0)
        return -1;
    if (*slice_ns > 0 && *slice_ns < least_slice_ns)
        return error_set(err, "less than 1us");
    return 0;
}
