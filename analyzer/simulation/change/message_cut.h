// SPDX-License-Identifier: BSD-3-Clause
// Messages that a predicted run does not send, or sends with more or fewer bytes.
//
// A text selects messages by conditions that must all hold, then says what becomes of their bytes:
//
//   size>=64KiB&tag=7=0.5    of 64 KiB or more with tag 7: half of the bytes
//   from=0&to=1-3,5          from rank 0 to these: not sent at all, which is factor 0
//   peer=2                   to or from rank 2
//
// Sizes may follow = > < >= <=, tags and ranks = only.
#ifndef PAGODA_SIMULATION_CHANGE_MESSAGE_CUT_H
#define PAGODA_SIMULATION_CHANGE_MESSAGE_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

struct message_cut;

struct message_cuts {
    struct message_cut *items;
    size_t n;
};

/// Reads N texts for a run of N_RANKS ranks. 0, or -1 and ERR: "--cut-messages TEXT: what is
/// wrong". The caller releases CUTS in either case.
int message_cuts_init(struct message_cuts *cuts, const char *const *texts, size_t n,
                      uint32_t n_ranks, struct error *err);
void message_cuts_release(struct message_cuts *cuts);

/// Whether TEXT selects messages, of whatever run: 0, or -1 and ERR likewise.
int message_cut_check(const char *text, struct error *err);

/// Whether the message is sent; *SIZE_BYTES times the factor of the first text that selects it.
bool message_cuts_sends(const struct message_cuts *cuts, uint32_t sender, uint32_t receiver,
                        uint32_t tag, uint64_t *size_bytes);

/// Where in TEXT the factor begins, behind its `=`; NULL without one.
const char *message_cut_factor(const char *text);

#endif
