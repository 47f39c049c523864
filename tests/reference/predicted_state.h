// SPDX-License-Identifier: BSD-3-Clause
// The state of a predicted run: predicted_run.c has what ranks do one after the other,
// predicted_cores.c how long they work on shared cores, predicted_transfers.c the order of messages
// that hinder each other.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/reference/changed_program.h"
#include "tests/reference/predicted_costs.h"
#include "tests/reference/predicted_run.h"

#define UNKNOWN UINT64_MAX

enum phase {
    PHASE_ABSENT,
    PHASE_OUTSIDE,
    PHASE_STARTING, // before MPI_Init, without a core
    PHASE_BEFORE,
    PHASE_WAIT,
    PHASE_AFTER,
    PHASE_ENDED
};

struct process {
    enum phase phase;
    uint32_t rank, cores;
    const struct step *step; // the present one
    uint64_t begin_ns, ready_ns, finish_ns;
    uint64_t late_ns; // since when it waits for calls put off
    uint64_t work_after_ns;
    uint64_t started_ns; // not in MPI_Init before
    parts_t target;      // virtual time at which the present work is done
    uint64_t done_ns;    // when the last one was done
    bool has_done;
    // Where cores are shared in slices of time:
    bool is_in_turn, has_core; // has one of them, or stands in the queue
    uint64_t got_core_ns, queue_number, begun_ns;
    parts_t left;     // of the present work when it began, or its last slice ended
    parts_t too_late; // by which the last one's end was
    uint64_t due_ns;  // of a waiting one, next step of its operation; UNKNOWN: there is none
};

struct cores {
    uint32_t n;
    parts_t virtual_time;
    uint64_t since_ns;
    uint64_t queue_since_ns; // somebody stands in the queue
};

struct prediction_state {
    struct changed_program program;
    const struct model *model; // of that
    const struct predicted_scenario *scenario;
    struct process *processes;
    uint32_t n_processes;
    struct cores *cores;
    struct run_times times;
    struct traffic *traffic; // NULL: messages do not hinder each other
    uint64_t now_ns;
    uint64_t n_queue_numbers;
};

/// Does PROCESS want a core?
bool is_runnable(const struct prediction_state *state, const struct process *process);

/// Brings the virtual time of PROCESS's cores to NOW_NS; to be called before the process changes.
void touch_cores(struct prediction_state *state, const struct process *process, uint64_t now_ns);

/// PROCESS works from NOW_NS on, in a new phase.
void start_work(struct prediction_state *state, struct process *process, enum phase phase,
                parts_t work, uint64_t now_ns);

/// When the work of PROCESS is done if nothing changes: the first ns at which the virtual time of
/// its cores has reached the target.
uint64_t work_end_ns(const struct prediction_state *state, const struct process *process);

/// Are the cores of PROCESS shared in slices of time?
bool has_slices(const struct prediction_state *state, const struct process *process);

/// PROCESS takes a free core, or stands in the queue; leaves either.
void take_turns(struct prediction_state *state, struct process *process, uint64_t now_ns);
void leave_turns(struct prediction_state *state, struct process *process, uint64_t now_ns);

/// When PROCESS, which works, is done if it keeps its core, UNKNOWN: it has none; it is at NOW_NS.
uint64_t sliced_end_ns(const struct process *process);
void end_sliced_work(struct process *process, uint64_t now_ns);

/// Whose slice ends next, NULL: nobody's, with somebody waiting for its core; it ends.
struct process *next_slice_end(const struct prediction_state *state, uint64_t *time_ns);
void end_slice(struct prediction_state *state, struct process *process, uint64_t now_ns);

/// PROCESS, which has a core in its call at NOW_NS, takes all messages that need one.
void take_messages(struct prediction_state *state, const struct process *process, uint64_t now_ns);
/// Something has happened at NOW_NS: so do all that wait with a core.
void notice_messages(struct prediction_state *state, uint64_t now_ns);

/// Does somebody who shares cores so want to have one?
bool is_anything_wanted(const struct prediction_state *state);

/// Which cores each rank may use: those of its node, or one of them.
void deal_cores(struct prediction_state *state);

/// Sends on their way the messages that can go first, before LIMIT_NS. False when there was none.
bool begin_transfers(struct prediction_state *state, uint64_t limit_ns);
