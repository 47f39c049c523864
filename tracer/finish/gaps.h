// SPDX-License-Identifier: BSD-3-Clause
// Messages and collectives around stretches in which recording was off.
//
// Ranks do not switch at the same moment: a message may be recorded where it was sent and not where
// it was received. In an archive it would be matched with the next receive, and every later message
// of the channel with the wrong one. The records say how many were left out (RECORD_SKIPPED), so
// each message has its number in its channel (communicator, sender, receiver, tag), and each
// collective its number in its communicator: those without their counterpart are dropped.
#ifndef PAGODA_FINISH_GAPS_H
#define PAGODA_FINISH_GAPS_H

#include "tracer/finish/events.h"

struct gaps;

// Looks through the records of a run, all of whose definitions have been taken. NULL: nothing is to
// be dropped. Also NULL if some rank recorded with several threads: then their order is not known.
struct gaps *gaps_find(const struct spool *spools, size_t n, const struct process *processes,
                       const struct unify *unify);
void gaps_free(struct gaps *gaps);

// Is this record of a spool to be left out?
bool gaps_drop(const struct gaps *gaps, const struct spool *spool, const struct record_head *head);

#endif
