// SPDX-License-Identifier: BSD-3-Clause
// Replays of an archive that tell what was found within parts of the run. One replay serves many
// intervals, as many as fit into memory.
#ifndef PAGODA_REPLAY_INTERVAL_REPLAY_H
#define PAGODA_REPLAY_INTERVAL_REPLAY_H

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/replay/interval.h"
#include "analyzer/result/result.h"

/// What the intervals of one replay may take of memory, beside the replay itself.
#define INTERVAL_REPLAY_BYTES ((size_t)64 << 20)

struct interval_replay {
    const char *trace;
    const struct catalogue *catalogue;
    /// Called with the result of each interval, in their order; RESULT is valid during the call
    /// only. -1 and ERR: the intervals after it are left out.
    int (*each)(void *context, const struct interval *interval, const struct result *result,
                struct error *err);
    void *context;
    size_t max_bytes; // INTERVAL_REPLAY_BYTES; one replay serves at least one interval
    size_t n_passes;  // counts the replays
};

/// 0, or -1 and ERR: the trace cannot be replayed, or `each` failed.
int interval_replay(struct interval_replay *replay, const struct interval *intervals, size_t n,
                    struct error *err);

#endif
