// SPDX-License-Identifier: BSD-3-Clause
// The communicators of this process: handle to number and size. RMA windows have a place among
// them, and numbers, too: no handle of a window is one of a communicator.
//
// Numbers are local: 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF, others count up. Which of them are the
// same on different ranks is found after the run, from the member lists and the order of creation
// (unify.h), so that nothing is communicated when a communicator is made.
#pragma once

#include "tracer/record/stream.h"

#include <mpi.h>

struct comm {
    MPI_Comm handle; // or that of a window
    uint32_t id;
    int rank;
    int n_local;
    int n_remote;              // 0: no intercommunicator
    struct topology *topology; // its neighbours (wrap_neighbor.c), NULL: not asked for yet
};

/// After MPI_Init: enters MPI_COMM_WORLD and MPI_COMM_SELF. Or, before it, the group of all
/// processes that SESSIONS_WORLD is, else MPI_GROUP_NULL; it is used until the next call.
void comm_table_init(struct stream *stream, MPI_Group sessions_world);

/// The entry of a valid communicator; one not seen before (its creation is not recorded) is entered
/// now. Returns a copy, because another thread may change the table.
struct comm comm_find(struct stream *stream, MPI_Comm handle);

/// Enters a new communicator and writes its definition. `parent` may be MPI_COMM_NULL: not known.
struct comm comm_add(struct stream *stream, MPI_Comm parent, MPI_Comm handle);

/// Writes the definition of a duplicate of `parent` that does not exist yet, and returns its
/// number; comm_bind() enters it when it does.
uint32_t comm_announce_duplicate(struct stream *stream, MPI_Comm parent);
void comm_bind(MPI_Comm handle, uint32_t id);

/// Ranks in MPI_COMM_WORLD of the N members of a group, as records of communicators have them.
void comm_members(MPI_Group group, int n, int32_t *members);

/// Enters a new window over `parent` and writes its definition. Returns its number.
uint32_t comm_add_window(struct stream *stream, MPI_Comm parent, MPI_Win window);

/// The number of a window, RECORD_NO_COMM: its creation was not seen.
uint32_t comm_find_window(MPI_Win window);

/// comm_take() of a window.
struct comm comm_take_window(const MPI_Win *window);

/// Keeps the topology with the communicator, from where comm_take() hands it out. Returns the one
/// that is kept: `topology`, or what another thread has set before. NULL: not kept.
struct topology *comm_set_topology(MPI_Comm handle, struct topology *topology);

/// Takes out the entry of a handle that is about to be released: MPI may use the handle again for
/// another communicator. n_local 0: there is none (never seen, or predefined, or `handle` is NULL).
struct comm comm_take(const MPI_Comm *handle);

/// Locks the handle tables, if the program may call MPI from several threads at once.
void tables_set_threaded(bool threaded);
bool tables_are_threaded(void);
void tables_lock(void);
void tables_unlock(void);
