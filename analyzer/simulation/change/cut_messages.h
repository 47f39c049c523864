// SPDX-License-Identifier: BSD-3-Clause
// Messages that a predicted run does not send, or sends with more or fewer bytes (--cut-messages).
// Both sides of a message that is not sent know from their own record: its send is over at once,
// its receive leaves the call at once and stays in its channel until its message comes to it, so
// that the order of the others stays what it was.
//
// A text selects messages by conditions that must all hold, then says what becomes of their bytes:
//
//   size>=64KiB&&tag==7=0.5    of 64 KiB or more with tag 7: half of the bytes
//   from==0&&to==1-3,5         from rank 0 to these: not sent at all, which is factor 0
//   peer==2                    to or from rank 2
//
// Sizes may follow == > < >= <=, tags and ranks == only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"

#include "analyzer/trace/definitions.h"

struct engine;
struct location_state;
struct message_cuts;
struct scenario;

/// Reads the cuts of SCENARIO's settings. 0, or -1 and ERR: "--cut-messages TEXT: what is wrong".
/// The caller releases SCENARIO.cuts in either case.
int message_cuts_init(struct scenario *scenario, const struct definitions *definitions,
                      struct error *err);
void message_cuts_release(struct message_cuts *cuts);

/// Whether TEXT selects messages, of whatever run: 0, or -1 and ERR likewise.
int message_cut_check(const char *text, struct error *err);

/// Whether the message is sent; *SIZE_BYTES times the factor of the first text that selects it.
bool message_cuts_sends(const struct scenario *scenario, uint32_t sender, uint32_t receiver,
                        uint32_t tag, uint64_t *size_bytes);

/// Whether LOCATION's message from SENDER to RECEIVER, world ranks, recorded as EVENT in its open
/// call, is left out; notes that, and another size, which is also in *SIZE_BYTES.
bool left_out_message(struct engine *engine, struct location_state *location,
                      const struct event *event, uint32_t sender, uint32_t receiver,
                      uint64_t *size_bytes);

/// Where in TEXT the factor begins, after its `=`; NULL without one.
const char *message_cut_factor(const char *text);
