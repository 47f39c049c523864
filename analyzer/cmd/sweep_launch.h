// SPDX-License-Identifier: BSD-3-Clause
// Runs one point of a sweep under `pagoda trace` in a process of its own, with a time limit.
#ifndef PAGODA_CMD_SWEEP_LAUNCH_H
#define PAGODA_CMD_SWEEP_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"

/// How a point's run ended.
struct sweep_end {
    int status; // exit status; 128 + number of the signal that ended it
    bool is_over_limit;
    bool is_interrupted; // by a signal to this process
    uint64_t wall_ns;
};

/// Runs LINE under the tracer: the archive goes to DIR/trace, standard output and error to
/// DIR/stdout and DIR/stderr, standard input is empty. LIMIT_NS 0: no limit. Past it, or when
/// SIGINT, SIGTERM or SIGHUP comes, the run is asked to end and ten seconds later killed. The run
/// ends with this process, however that ends. 0, or -1 and ERR: not started.
int sweep_launch(char **line, const char *dir, uint64_t limit_ns, struct sweep_end *end,
                 struct error *err);

#endif
