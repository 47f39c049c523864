// SPDX-License-Identifier: BSD-3-Clause
// What the critical path of a measured run consists of, as bounds of what changes can save.
#ifndef PAGODA_ADVISE_PATH_H
#define PAGODA_ADVISE_PATH_H

#include "analyzer/replay/replay_run.h"

/// Computing on the critical path inside a region, callees included, by name.
struct advise_region {
    const char *name; // belongs to the trace
    uint64_t path_ns;
};

struct advise_path {
    struct advise_region *regions; // path_ns descending, then name
    size_t n_regions;
    uint64_t computing_ns, work_ns; // work_ns: with MPI, start-up and end
    uint64_t slack_ns; // run time less the computing of the busiest rank: what MPI costs at most
    bool is_shared;    // more ranks than cores on some node
};

/// Of a run in REPLAY that was replayed with its critical path. The caller releases.
void advise_path_collect(struct advise_path *path, const struct definitions *definitions,
                         const struct pag_result *replay);
void advise_path_release(struct advise_path *path);

#endif
