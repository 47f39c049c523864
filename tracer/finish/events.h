// SPDX-License-Identifier: BSD-3-Clause
// Turns the records of one thread into the events of one OTF2 location.
#pragma once

#include "tracer/finish/process.h"

/// Second pass: writes the events. Regions still open at the end are closed at `close_ns`.
/// `counted` is the first pass's; `cost` what recording cost the thread.
void events_write(struct process *process, const struct spool *spool, uint64_t close_ns,
                  const struct thread_cost *counted, struct recording_cost cost);

// ---- gaps.c: messages and collectives around the times in which recording was off.
//
// Ranks switch at different moments: a message may be recorded by its sender only. In the archive
// it would match the next receive, and shift all later messages of the channel. RECORD_SKIPPED says
// how many were left out, so each message has its number in its channel (communicator, sender,
// receiver, tag), each collective its number in its communicator. Those without counterpart are
// dropped.

struct gaps;

/// Looks through the records of a run, all of whose definitions have been taken. NULL: nothing is
/// to be dropped. Also NULL if some rank recorded with several threads: then their order is not
/// known.
struct gaps *gaps_find(const struct spool *spools, size_t n, const struct process *processes,
                       const struct unify *unify);
void gaps_free(struct gaps *gaps);

/// Is this record of a spool to be left out?
bool gaps_drop(const struct gaps *gaps, const struct spool *spool, const struct record_head *head);
