// SPDX-License-Identifier: BSD-3-Clause
// What the critical path of a measured run consists of, as bounds of what changes can save.
#ifndef PAGODA_CMD_ADVISE_PATH_H
#define PAGODA_CMD_ADVISE_PATH_H

#include "analyzer/cmd/replay_run.h"

/// Computing on the critical path inside a region, callees included, by name.
struct advise_region {
    const char *name; // belongs to the trace
    uint64_t path_ns;
};

struct advise_path {
    struct advise_region *regions; // path_ns descending, then name
    size_t n_regions;
    uint64_t computing_ns, mpi_ns; // MPI without start-up and end
    uint64_t slack_ns; // window less the time of the rank that waits least: what waits cost at most
    bool is_shared;    // more ranks than cores on some node
};

/// The caller releases.
void advise_path_collect(struct advise_path *path, const struct replay_run *measured);
void advise_path_release(struct advise_path *path);

#endif
