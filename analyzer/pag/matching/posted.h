// SPDX-License-Identifier: BSD-3-Clause
// Where a posted receive stands: in the queue of its channel, or deferred for want of one.
#ifndef PAGODA_PAG_MATCHING_POSTED_H
#define PAGODA_PAG_MATCHING_POSTED_H

#include <stdint.h>

struct engine;
struct receive;

/// A receive posted with an envelope that may hold wildcards.
void posted_place(struct engine *engine, uint32_t receive);

/// A receive whose channel is known: it queues there or takes the first send.
void posted_queue(struct engine *engine, uint32_t receive);

/// A receive without a channel stops waiting for one: its completion tells, or it is cancelled.
void posted_withdraw(struct engine *engine, uint32_t receive);

/// After a withdrawal: receives deferred only because of RECEIVE take their places.
void posted_release_rivals(struct engine *engine, const struct receive *receive);

#endif
