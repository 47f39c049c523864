// SPDX-License-Identifier: BSD-3-Clause
// What ranks that wait do with their cores where no option says so.
#ifndef PAGODA_WHATIF_WAITING_H
#define PAGODA_WHATIF_WAITING_H

#include "analyzer/replay/replay_run.h"
#include "analyzer/whatif/options.h"

/// Gives OPTIONS, without --wait and --timeless, what holds for MEASURED, whose costs have been
/// gathered: --wait spin where its MPI polls without leaving cores, and ranks shared cores
/// or will do so, and
/// --slice unless that, --hand-over or --machine is there. Returns whether it gave any.
bool whatif_assume_waiting(struct whatif_options *options, const struct replay_run *measured);

/// That this was assumed, in words.
extern const char whatif_waiting_note[];

#endif
