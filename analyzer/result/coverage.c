// SPDX-License-Identifier: BSD-3-Clause
// MPI calls by the operation in their names, next to the counts of records (see coverage.h).
#include "analyzer/result/coverage.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *const message_calls[] = {"Send",  "Isend",  "Ssend",   "Issend",
                                            "Bsend", "Ibsend", "Rsend",   "Irsend",
                                            "Recv",  "Irecv",  "Sendrecv"};

static const char *const collective_calls[] = {
    "Barrier", "Bcast",    "Reduce",   "Allreduce", "Gather", "Gatherv", "Allgather",
    "Scatter", "Scatterv", "Alltoall", "Alltoallv", "Scan",   "Exscan",  "Allgatherv",
};

static bool is_one_of(const char *name, const char *const *calls, size_t n_calls)
{
    if (strncasecmp(name, "MPI_", 4) != 0)
        return false;
    for (size_t i = 0; i < n_calls; i++)
        if (!strcasecmp(name + 4, calls[i]))
            return true;
    return false;
}

static uint64_t visits_of(const struct result *result, const char *const *calls, size_t n_calls)
{
    uint64_t n_visits = 0;
    for (size_t i = 0; i < result->n_regions; i++)
        if (result->regions[i].is_mpi && is_one_of(result->regions[i].name, calls, n_calls))
            n_visits += result->regions[i].visits;
    return n_visits;
}

/// Our tracer records every message and collective, so a call without a record failed or had
/// MPI_PROC_NULL for its partner, unless recording was off: then what has no counterpart is left
/// out.
static bool tells_all(const struct result *result, const struct pag_result *replay)
{
    return !strcmp(result->creator, "pagoda trace") && replay->n_off == 0;
}

struct coverage coverage_of(const struct result *result, const struct pag_result *replay)
{
    struct coverage coverage = {0};
    if (result->n_ranks < 2 || tells_all(result, replay))
        return coverage;
    if (replay->n_messages + replay->n_unmatched_sends + replay->n_unmatched_receives +
            replay->n_outside ==
        0)
        coverage.n_message_calls =
            visits_of(result, message_calls, sizeof message_calls / sizeof message_calls[0]);
    if (replay->n_collectives + replay->n_incomplete_collectives + replay->n_outside == 0)
        coverage.n_collective_calls = visits_of(
            result, collective_calls, sizeof collective_calls / sizeof collective_calls[0]);
    return coverage;
}
