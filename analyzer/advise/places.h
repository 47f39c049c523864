// SPDX-License-Identifier: BSD-3-Clause
// Another placement of the ranks as a candidate: on the target's nodes, those of the recording, or
// the cores that ranks were bound to.
#ifndef PAGODA_ADVISE_PLACES_H
#define PAGODA_ADVISE_PLACES_H

#include "analyzer/advise/replay.h"

/// Adds the best placement found on N_NODES nodes to ADVICE. With N_NODES 0 these are the recorded
/// ones, with their cores; where that is a single one, whose ranks were bound to cores and share
/// them, it is these cores. No candidate where there is no choice, or the ranks are already there.
void advise_add_placement(const struct advise_setting *setting, uint32_t n_nodes,
                          struct advice *advice);

#endif
