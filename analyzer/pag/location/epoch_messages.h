// SPDX-License-Identifier: BSD-3-Clause
// Epochs of RMA windows (general active target synchronisation) as messages without bytes: by
// MPI_Win_post a target tells each origin of its group that it may access the window, by
// MPI_Win_complete an origin tells each target that it has. What waits for them is MPI_Win_start or
// MPI_Win_complete (matching/epochs.c says which), and MPI_Win_wait.
#pragma once

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/event.h"

enum { EPOCH_MAX_MESSAGES = 2 }; // for each member of a group

/// Puts what SYNC, a record of a call of FUNCTION by world rank OWN, says of member MEMBER of its
/// group into EVENTS, as records of messages; how many. 0: the member is not known, or no rank of
/// the window.
uint32_t epoch_messages(const struct definitions *definitions, const struct event *sync,
                        enum mpi_function function, uint32_t own, uint32_t member,
                        struct event events[EPOCH_MAX_MESSAGES]);

/// Number of the request by which a rank waits for the post of world rank TARGET on WINDOW.
uint64_t epoch_request(uint32_t window, uint32_t target);
