// SPDX-License-Identifier: BSD-3-Clause
// Readers of the options that say what messages and collectives cost.
#include "analyzer/base/options.h"
#include "analyzer/cmd/whatif_readers.h"

WHATIF_READER(machine)
{
    set->machine = text;
    (void)err; // machine_read() reads the file
    return 0;
}

WHATIF_READER(latency)
{
    if (option_read_duration(text, &set->latency_ns, err) != 0)
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
