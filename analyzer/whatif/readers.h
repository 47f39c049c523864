// SPDX-License-Identifier: BSD-3-Clause
// The readers of the what-if options, by file; table.c says which option has which. Each
// puts one value of its option into SET (TEXT is the value; of an option that takes none, NULL).
// 0, or -1 and ERR with a sentence that begins with the option: "--cores 0: from 1 to 65536".
#ifndef PAGODA_WHATIF_READERS_H
#define PAGODA_WHATIF_READERS_H

#include "analyzer/whatif/set.h"

#define WHATIF_READER(name)                                                                        \
    int whatif_read_##name(const char *text, struct whatif_set *set, struct error *err)

// read_cores.c: where ranks run, and on what
WHATIF_READER(place);
WHATIF_READER(nodes);
WHATIF_READER(map);
WHATIF_READER(cores);
WHATIF_READER(sharing);
WHATIF_READER(wait);
WHATIF_READER(hand_over);
WHATIF_READER(slice);
WHATIF_READER(cpu_speed);

// read_network.c: what messages and collectives cost
WHATIF_READER(machine);
WHATIF_READER(latency);
WHATIF_READER(bandwidth);
WHATIF_READER(eager);
WHATIF_READER(add_latency);
WHATIF_READER(tolerance);
WHATIF_READER(timeless);

// read_regions.c: how much work regions are
WHATIF_READER(scale);
WHATIF_READER(duration);
WHATIF_READER(balance);
WHATIF_READER(drop_sync);
WHATIF_READER(cut_messages);

// read_moves.c: who does the work, when calls wait, what messages are put together
WHATIF_READER(move);
WHATIF_READER(move_data);
WHATIF_READER(overlap);
WHATIF_READER(aggregate);

// read_dynamic.c: work that is dealt while the program runs
WHATIF_READER(workers);
WHATIF_READER(dealing);
WHATIF_READER(rebalance);
WHATIF_READER(threshold);
WHATIF_READER(poll);
WHATIF_READER(transfer);
WHATIF_READER(free_hosts);

#endif
