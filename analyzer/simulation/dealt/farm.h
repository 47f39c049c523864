// SPDX-License-Identifier: BSD-3-Clause
// Task farms in a run: one rank, the master, hands out tasks by message to the others, the workers,
// and gets an answer for each, also by message; the worker that has answered gets the next task.
//
//   task     what a worker does from the leave of the call that received the last message from the
//            master to the enter of the call that sends the next one to it
//   phase    from the first task handed out to the last answer received, without a collective
//            operation of the master between
//   costs    of the messages and of the master's own doing, means over a phase:
//            flight         leave of the receive - the send's enter, of tasks and of answers, where
//                           the receiver waited when they were sent
//            receive        leave - enter of the master's receive of answers sent a flight before
//            before, after  the master's time from an answer's receive to the next task's send, and
//                           from there to its next receive
//            tail           all of it where no task is sent
//            gap            between two tasks that are sent without an answer before them
//            answering      of the call that sends an answer: it takes the worker's core meanwhile
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/reader.h"

// How a master hands out the tasks of its farm (farm.h): in which order, to whom, and what that
// costs. What a policy (policy.h) does not say is as it was recorded.

enum dealing_order {
    DEALING_RECORDED,
    DEALING_LONGEST_FIRST, // by their recorded work, ties as recorded
    DEALING_SHORTEST_FIRST,
};

enum dealing_to {
    DEALING_NEXT_FREE, // the worker that has answered
    DEALING_IN_TURN,   // workers take turns, by their weights; a worker whose turn it is gets the
                       // task when it has answered
    DEALING_IN_BLOCKS, // the first worker gets the first n-th of the tasks, one after the other,
                       // ...
    DEALING_IN_ROUNDS, // each worker gets one task of a round, which begins when all have answered
    DEALING_TO_ALL,    // in each round all workers do an equal part of one task
    N_DEALING_TO
};

/// Names in policies, of orders and of receivers.
enum { N_DEALING_ORDERS = DEALING_SHORTEST_FIRST + 1 };
extern const char *const dealing_order_names[N_DEALING_ORDERS];
extern const char *const dealing_to_names[N_DEALING_TO];

/// Of messages and of the master's own doing (farm.h says what each is).
enum farm_cost {
    FARM_TASK_FLIGHT,
    FARM_ANSWER_FLIGHT,
    FARM_RECEIVE,
    FARM_BEFORE,
    FARM_AFTER,
    FARM_TAIL,
    FARM_GAP,
    N_FARM_COSTS
};

struct dealing {
    enum dealing_order order;
    enum dealing_to to;
    // In turn: how often each worker gets a task before the next cycle, by worker modulo N_WEIGHTS;
    // those with higher weights first (the weighted round robin of connection routers). None: once.
    uint32_t *weights;
    size_t n_weights;
    uint64_t task_ns;                // work of each task, PAG_NOT_KNOWN: its own
    uint64_t launch_ns;              // work before each task: a process is launched for it
    uint64_t costs_ns[N_FARM_COSTS]; // PAG_NOT_KNOWN: the means of the recorded phase
};

/// As recorded, each task for a worker that is free.
extern const struct dealing dealing_recorded;

enum { FARM_MAX_KEPT = 1 << 20 }; // messages, collective operations

struct farm_message {
    uint64_t send_enter_ns, send_leave_ns, enter_ns, leave_ns; // of the calls that sent and
                                                               // received it
    uint32_t worker;                                           // world rank
    bool is_task;                                              // to the worker, else to the master
    size_t phase; // collective operations of the master before it
};

/// A call that probed for the next message of a rank, and waited for it: the receive begins there.
struct farm_probe {
    bool is_open;
    uint64_t enter_ns, leave_ns;
    uint64_t next_ns; // enter of the rank's next call that is for communication, or PAG_NOT_KNOWN
};

/// The messages of a master, in the order in which they were received, and when it entered
/// collective operations; filled by a listener.
struct farm_messages {
    uint32_t master;
    struct farm_message *items;
    size_t n, capacity;
    uint64_t *cuts;
    size_t n_cuts, cuts_capacity;
    uint64_t n_not_kept;
    // By worker: one more than the item of an answer that was received before the call that sent it
    // was left, as it may be in simulated time; 0: there is none.
    size_t *open;
    size_t n_open;
    const struct definitions *definitions;
    struct farm_probe *probes; // the last one of each rank
    size_t n_probes;
};

/// The rank that nearly all messages (98 %) go to or come from, by the traffic of RUN; UINT32_MAX:
/// there is none.
uint32_t farm_find_master(const struct pag_result *run);

/// What makes a listener of MESSAGES, whose master is set.
struct pag_listener farm_listener(struct farm_messages *messages);
void farm_messages_release(struct farm_messages *messages);

struct farm_task {
    uint64_t handed_ns; // when the master sent it
    uint64_t work_ns;
};

struct farm_phase {
    const struct farm_task *tasks; // in the order in which they were handed out
    size_t n_tasks;
    uint64_t length_ns;
    uint64_t costs_ns[N_FARM_COSTS];
    uint64_t answering_ns;
};

struct farm {
    uint32_t master, n_workers; // n_workers: ranks that did tasks, in the phase with the most
    uint32_t *worker_ranks;     // of all phases, ascending
    size_t n_worker_ranks, ranks_capacity;
    bool is_dynamic; // some phase has workers with different numbers of tasks
    bool is_pushed;  // no worker says something before it has a task: none is a client
    struct farm_task *tasks;
    size_t n_tasks;
    struct farm_phase *phases;
    size_t n_phases;
    uint64_t length_ns; // of all phases
};

/// The farm of MESSAGES. 0, or -1 and ERR: why it is none. The caller releases FARM in either case.
int farm_analyse(struct farm *farm, struct farm_messages *messages, struct error *err);
void farm_release(struct farm *farm);

/// Tasks that a recorded MASTER may have handed to ranks that were free stay in a prediction with
/// the ranks that did them: how many workers these are; 0: the run MEASURED shows no such thing.
uint32_t farm_kept_workers(const struct pag_result *measured, uint32_t *master);

// --- farm_run.c
// The task farm of a run, and how long the run is with another number of workers.

struct farm_run {
    uint32_t master;
    const struct scenario *scenario;
    uint32_t n_cores;            // that all ranks may use together; 0: not known, one for each
    uint64_t time_ns, phases_ns; // of the run under the scenario, and of its phases
    // Of the run as it was recorded: the phases, and the same by the model.
    uint64_t recorded_ns, modelled_ns;
    struct farm_messages messages;
    struct farm farm; // with every rank on a core of its own, so that tasks are work, not waiting
    uint32_t n_passes;
};

/// Finds the farm of TRACE, whose measured replay is MEASURED, by predicted runs under SCENARIO,
/// which must outlive RUN. 0, or -1 and ERR: there is none, and why. The caller releases RUN in
/// either case.
int farm_run_find(struct farm_run *run, struct trace *trace, const struct scenario *scenario,
                  const struct recorded *recorded, const struct pag_result *measured,
                  struct error *err);
void farm_run_release(struct farm_run *run);

/// Length of the phases with N_WORKERS and DEALING: the recorded one times the model's for these
/// under the settings over the model's for the run as it was recorded, which is exact where nothing
/// changes. With as many workers and the dealing there were it is the same run, except which worker
/// does which task.
uint64_t farm_run_phases_ns(const struct farm_run *run, uint32_t n_workers,
                            const struct dealing *dealing);

/// The number of workers, from 1 to twice today's and two, with the shortest run: the least one
/// within 2 % of the shortest phases, dealt as recorded. Where that would take long not all numbers
/// are tried.
uint32_t farm_run_best(const struct farm_run *run);
