// SPDX-License-Identifier: BSD-3-Clause
// A whole archive of what a killed job, a full disk or a damaged file left of one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

#define REPAIR_UNKNOWN UINT64_MAX

/// Something that was lost.
struct repair_loss {
    const char *code;       // such as "events-cut"
    char *text;             // what, where, how much
    uint64_t location;      // OTF2 id, REPAIR_UNKNOWN: of no single one
    uint64_t n_lost_events; // REPAIR_UNKNOWN: not known
};

struct repair {
    struct repair_loss *losses;
    size_t n_losses, loss_capacity;
    uint64_t n_locations, n_events; // of the whole archive
};

/// Writes what is left of the archive PATH (see archive_files.h) to DIRECTORY, wholly or not at
/// all; PATH stays as it is. The events of each location are kept up to the first damage, and
/// regions that are open there left at that time. The new archive has its losses in the property
/// PAGODA::REPAIRED. 0, or -1 and ERR. The caller releases, in any case.
int repair_archive(struct repair *repair, const char *path, const char *directory,
                   struct error *err);
void repair_release(struct repair *repair);
