// SPDX-License-Identifier: BSD-3-Clause
// The processes that `pagoda trace` starts: the launch line, and the writer of the archive.
#pragma once

#include <stdbool.h>

/// Exit statuses of pagoda-trace-finish.
enum { FINISHER_NO_RECORDS = 4, FINISHER_REFUSED = 5, FINISHER_ALIVE = 6 };

/// Variables that the processes traced by LIBRARY need, up to NULL.
const char *const *trace_exports(const char *library);

/// LD_PRELOAD cannot hold a path with a blank or a colon. With a blank the library is found through
/// LD_LIBRARY_PATH, which does not split there. False: neither can hold this path.
bool trace_can_preload(const char *library);

/// What pagoda-trace-finish said of the first run.
struct trace_finished {
    int status;
    unsigned n_ranks;
    unsigned long long n_events;
    unsigned n_runs;
    unsigned n_runs_of_one; // rank
    unsigned n_open;        // ranks that ended without MPI_Finalize
    unsigned long long recording_ns,
        counted_ns; // what recording took, of how much of a rank's time
};

/// From now on signals go to the launch line, and end this process only with it.
void trace_forward_signals(void);

/// Runs LINE with LIBRARY preloaded (NULL: untraced) and waits for its end. Returns what
/// waitpid() says, or -1 with errno: not started.
int trace_run_line(char **line, const char *library, const char *spool);

/// Makes the archive in DIR from the records in SPOOL; processes that still record are waited for
/// up to WAIT seconds. Failures are reported on stderr.
struct trace_finished trace_finish(const char *dir, const char *spool, const char *wait);
