// SPDX-License-Identifier: BSD-3-Clause
// Readers of the options about work that is dealt while the program runs.
#include "analyzer/base/options.h"
#include "analyzer/simulation/cost/cost_time.h"
#include "analyzer/whatif/readers.h"

WHATIF_READER(workers)
{
    return whatif_read_number("workers", text, 1000000, &set->n_workers, err);
}

WHATIF_READER(dealing)
{
    set->dealing = text;
    (void)err; // policies.c reads the file
    return 0;
}

WHATIF_READER(rebalance)
{
    set->rebalance = text;
    (void)err; // likewise
    return 0;
}

WHATIF_READER(threshold)
{
    double percent = 0;
    if (option_read_number(text, &percent, err) != 0)
        return error_wrap(err, "--threshold %s", text);
    if (percent > 100)
        return error_set(err, "--threshold %s: percent of the work, from 0 to 100", text);
    set->threshold = (uint64_t)(percent * 10000 + 0.5);
    return 0;
}

WHATIF_READER(poll)
{
    if (cost_time_read(text, &set->poll_ns, err) != 0)
        return error_wrap(err, "--poll %s", text);
    if (set->poll_ns == 0)
        return error_set(err, "--poll %s: more than no time at all", text);
    return 0;
}

WHATIF_READER(transfer)
{
    if (cost_time_read(text, &set->transfer_ns, err) != 0)
        return error_wrap(err, "--transfer %s", text);
    return 0;
}

WHATIF_READER(free_hosts)
{
    enum { MOST = 65536 };
    uint64_t count;
    if (option_read_count(text, &count, err) != 0)
        return error_wrap(err, "--free-hosts %s", text);
    if (count > MOST)
        return error_set(err, "--free-hosts %s: from 0 to %d", text, MOST);
    set->n_free_hosts = (uint32_t)count;
    return 0;
}
