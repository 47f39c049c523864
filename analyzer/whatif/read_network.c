// SPDX-License-Identifier: BSD-3-Clause
// Readers of the options that say what messages and collectives cost.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/simulation/cost/cost_time.h"
#include "analyzer/whatif/readers.h"

WHATIF_READER(machine)
{
    set->machine = text;
    (void)err; // machine_read() reads the file
    return 0;
}

WHATIF_READER(latency)
{
    if (cost_time_read(text, &set->latency_ns, err) != 0)
        return error_wrap(err, "--latency %s", text);
    return 0;
}

WHATIF_READER(bandwidth)
{
    if (option_read_size(text, &set->bandwidth, err) != 0)
        return error_wrap(err, "--bandwidth %s", text);
    if (set->bandwidth == 0)
        return error_set(err, "--bandwidth %s: more than 0 bytes a second", text);
    return 0;
}

WHATIF_READER(eager)
{
    if (option_read_size(text, &set->eager_bytes, err) != 0)
        return error_wrap(err, "--eager %s", text);
    return 0;
}

WHATIF_READER(add_latency)
{
    if (cost_time_read(text, &set->settings.added_latency_ns, err) != 0)
        return error_wrap(err, "--add-latency %s", text);
    return 0;
}

WHATIF_READER(timeless)
{
    set->settings.is_timeless = true;
    (void)text, (void)err; // scenario_init() knows the machine
    return 0;
}

WHATIF_READER(tolerance)
{
    const double most = 1000;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *percent = memory_format("%.*s", (int)strcspn(at, ","), at);
        double number = 0;
        int status = option_read_number(percent, &number, err);
        free(percent);
        if (status != 0)
            return error_wrap(err, "--tolerance %s", text);
        if (number <= 0 || number > most)
            return error_set(err, "--tolerance %s: percent, more than 0 and at most %g", text,
                             most);
        double *percents =
            whatif_set_grow(set, set->tolerances, set->n_tolerances, sizeof *percents);
        percents[set->n_tolerances++] = number;
        set->tolerances = percents;
    }
    return 0;
}
