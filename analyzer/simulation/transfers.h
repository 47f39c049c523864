// SPDX-License-Identifier: BSD-3-Clause
// Messages of a simulated run that hinder each other on their way (contention.h): gathered as
// they become ready, shown to the network in an order that does not depend on that in which the
// engine takes its locations.
//
// All messages that are ready at one time t are shown when no location can go on at t any more;
// what that lets happen at t makes another round. Messages of collective operations that are
// carried out go the same way: those of a member that has come may be ready later than now, and are
// kept until then. Time never goes back, so none can become ready before t afterwards, except those
// whose partner is found out late (wildcards): they come in the round in which that is known.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct engine;

/// A message has departed or been matched: if that makes it ready it is to be shown.
void transfers_ready(struct engine *engine, uint32_t message);

/// Shows the network what is ready before the next location goes on, at NEXT_NS: how many messages.
/// No message departs before that location goes on, so they can be asked for until then.
size_t transfers_show(struct engine *engine, uint64_t next_ns);

/// Who waits for number INDEX of these, and may go on: *RANKS, valid until the next call; how many.
uint32_t transfers_waiting(const struct engine *engine, size_t index, const uint32_t **ranks);
