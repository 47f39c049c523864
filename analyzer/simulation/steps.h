// SPDX-License-Identifier: BSD-3-Clause
// What the files of this folder do for each other while a run is simulated, each in the section of
// its name.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/location/location.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/cost/recorded_costs.h"
#include "analyzer/simulation/state.h"

// --- advance.c
// How a location of a simulated run goes on. Outside MPI: the work up to its next call, an event of
// its threads, or its end. In an MPI call: work before its messages depart, the wait for what it
// needs (blocked.c), its leave.

/// LOCATION is outside MPI from NOW_NS on, which was RECORDED_NS in the recording: reads what it
/// does up to its next call, which the scheduler lets it work.
void outside_begin(struct engine *engine, struct location_state *location, uint64_t now_ns,
                   uint64_t recorded_ns);

/// That work is done: goes on with what comes next.
void outside_is_over(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// LOCATION has no further event.
void outside_end_location(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// The work before the wait of a call is done.
void in_call_await(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// All of the call is done: reads its records up to its leave, and goes on after it.
void in_call_leave(struct engine *engine, struct location_state *location, uint64_t now_ns);

// --- attention.c
// Messages whose sender waits until their receiver, in MPI, has a core: where the receiver shares
// cores in slices of time, and the message is larger than what is buffered
// (scenario.buffered_bytes), and on one node, or rendezvous. Such a message is available when it
// has departed and, of rendezvous, its receive is posted. Its receiver takes note of it when it
// enters a call that attends (pag/matching/attendance.c), while it waits there with a core, and
// when its work there ends.

/// NULL where no message of PREDICTION needs that. The caller frees.
struct attention *attention_new(const struct prediction *prediction);
void attention_free(struct attention *attention);

/// Whether MESSAGE, which is sent with SIZE_BYTES now, does.
bool attention_is_needed(const struct prediction *prediction, const struct message *message,
                         uint64_t size_bytes, bool is_rendezvous);

/// Something has happened that may make MESSAGE available.
void attention_wanted(struct engine *engine, uint32_t message);

/// LOCATION's call begins, waits or has done work at NOW_NS: if it has a core, its rank takes note
/// of all that is available.
void attention_give(struct engine *engine, const struct location_state *location, uint64_t now_ns);

/// LOCATION waits. At READY_NS it has all that it waits for, and then does WORK. If messages need
/// its attention before that, it asks for a core earlier.
void attention_wake(const struct engine *engine, const struct location_state *location,
                    uint64_t ready_ns, pag_work work);

/// LOCATION, which waits for the end of its call, goes on at NOW_NS: whether that was only to take
/// note of messages.
bool attention_step(struct engine *engine, struct location_state *location, uint64_t now_ns);

// --- blocked.c
// Calls of a simulated run that wait, and their conditions. A call whose partners have not all come
// blocks its location until matching says that the last one has (blocked_try_again()): then its
// conditions are complete and the cost model says from when on they are met.

/// LOCATION's call waits from NOW_NS on; it goes on by itself if all partners have come already.
void blocked_begin(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// LOCATION's call is blocked in an operation whose steps need a core, and perhaps has it at
/// NOW_NS.
void blocked_step(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// Goes on with the blocked calls of RANK (of N ranks; of all) whose conditions are met by now.
void blocked_try_again(struct engine *engine, uint32_t rank);
void blocked_try_ranks(struct engine *engine, const uint32_t *ranks, uint32_t n);
void blocked_try_all_again(struct engine *engine);

/// The same of calls whose messages RANK takes now that it is in MPI.
void blocked_attended(struct engine *engine, uint32_t rank);

/// No location can go on: the call entered first is let go without the partners that have not come.
/// False when there is none.
bool blocked_let_go(struct engine *engine);

// --- computation.c
// The work of a location between two MPI calls, in simulated time.

void computation_release(struct computation *computation);

/// Reads the private events of LOCATION, whose simulated time is BEGIN_NS and whose recorded one is
/// RECORDED_NS, up to the event that ends the computation (not consumed; NULL at the location's
/// end). computation.work is the process time until then: of CPU samples where the archive has
/// them, wall time for the rest, times the scale of the regions it was spent in, or what is set for
/// visits; less what another rank does of it, and what this one does for others (move.h).
const struct event *computation_read(struct engine *engine, struct location_state *location,
                                     uint64_t begin_ns, uint64_t recorded_ns);

/// Changes the work of the computation just read by the noise of the machine's computing.
void computation_add_noise(const struct engine *engine, struct location_state *location);

/// The computation of LOCATION ended at END_NS: its length is shared among its call paths like
/// their work, rounded so that the sum is exact.
void computation_close(const struct engine *engine, struct location_state *location,
                       uint64_t end_ns);

/// After it, up to END_NS, LOCATION is blocked outside MPI.
void computation_pass_blocked(const struct engine *engine, struct location_state *location,
                              uint64_t end_ns);

// --- carried_out.c
// Collective operations of a simulated run: whether a member waits in one, and those that are
// carried out message by message.

/// Whether another member releases PART: its operation synchronises, and its member waits in it.
bool part_waits(const struct engine *engine, struct part part);

/// Whether PART's operation is carried out message by message. Not those between two groups, and
/// not MPI_Finalize.
bool is_carried_out(const struct engine *engine, struct part part);

/// Whether its time is that of members whose nodes are not in a row (collective_run.h).
bool carried_out_are_scattered(const struct engine *engine, struct part part);

/// Whether a member waits there for another one that has not come.
bool carried_out_is_held(const struct engine *engine, struct part part);

/// When PART's member is through with its operation, which is carried out. PAG_NOT_KNOWN: not
/// before the world rank *MISSING, which has not entered it, does something; NONE: before messages
/// have arrived.
uint64_t carried_out_through_ns(const struct engine *engine, struct part part, uint32_t *missing);

/// Whether PART's member waits in an operation that is carried out; then *RELEASER is the member
/// whose enter decided when it is through, NULL: its own.
bool carried_out_decides(const struct engine *engine, struct part part,
                         const struct member **releaser);

/// LOCATION, which waits in such an operation and goes on at NOW_NS, does there what it can if it
/// has the core it needs for that, and so do others. False: it has none yet. *RANKS, *N_RANKS: who
/// is through by that, perhaps LOCATION itself; to be tried again.
bool carried_out_step(const struct engine *engine, const struct location_state *location,
                      uint64_t now_ns, const uint32_t **ranks, uint32_t *n_ranks);

/// LOCATION waits in its call from NOW_NS until UNTIL_NS (PAG_NOT_KNOWN: until it is woken, or
/// needs a core for a step of its operation), and does WORK then.
void carried_out_wait(const struct engine *engine, const struct location_state *location,
                      uint64_t now_ns, uint64_t until_ns, pag_work work);

/// MEMBER of INSTANCE does not wait there, or no longer: its steps need no core. Returns how many
/// *RANKS are through by that, to be tried again.
uint32_t carried_out_let_go(struct engine *engine, const struct collective *instance,
                            uint32_t member, const uint32_t **ranks);

/// MEMBER has entered INSTANCE; INSTANCE is over.
void carried_out_entered(const struct engine *engine, const struct collective *instance,
                         uint32_t member);
void carried_out_over(struct engine *engine, const struct collective *instance);

// --- moved.c
// Tells the listener of a simulated run where the events of a location went (pag_moved in pag.h).

/// The number, from 0 on among the events of LOCATION, of EVENT, a record of its open call;
/// PAG_NOT_KNOWN when no listener takes changes.
uint64_t moved_number(const struct engine *engine, const struct location_state *location,
                      const struct event *event);

/// The same of the begin of the collective operation whose end EVENT is, else PAG_NOT_KNOWN.
uint64_t moved_begin_number(const struct engine *engine, const struct location_state *location,
                            const struct event *event);

/// The event of LOCATION with this number (PAG_NOT_KNOWN: none) is left out.
void moved_tell_left_out(const struct engine *engine, uint32_t location, uint64_t number);

/// LOCATION's computation outside MPI ended at NOW_NS.
void moved_tell_outside(const struct engine *engine, const struct location_state *location,
                        uint64_t now_ns);

/// Then it was blocked there from BEGIN_NS until NOW_NS; in the recording it was until RECORDED_NS.
void moved_tell_blocked(const struct engine *engine, const struct location_state *location,
                        uint64_t begin_ns, uint64_t recorded_ns, uint64_t now_ns);

/// LOCATION's open call was left at NOW_NS; its last event was recorded at RECORDED_END_NS.
void moved_tell_call(const struct engine *engine, const struct location_state *location,
                     uint64_t recorded_end_ns, uint64_t now_ns);

/// A single event of LOCATION, recorded at RECORDED_NS, happened at NOW_NS.
void moved_tell_event(const struct engine *engine, const struct location_state *location,
                      uint64_t recorded_ns, uint64_t now_ns);

// --- teams.c
// Threads of a simulated run that wait for each other, where it is known when those of a process
// begin and who awaits them: in teams (OpenMP and its like), also within others, or made alone
// (POSIX threads). A thread begins its part when the team, or it alone, is made; leaves a barrier
// when all of the team have come to it, or all that were there with it in the recording; has a
// lock, or what is inside of a critical section, or its ordered part, when the thread that had it
// before in the recording has given it back; goes on after a condition when that is signalled; and
// who waits for parts goes on when they are done. Each then takes as long as it took after that in
// the recording, which needs no core. A thread that waits needs none either. In a team of one
// thread there is nothing to wait for: all its time is work.

/// NULL where no process has such threads, or the run is one in which threads keep their recorded
/// times: without recorded times, on an ideal network, where ranks change their node. The caller
/// frees.
struct teams *teams_new(const struct engine *engine);
void teams_free(struct teams *teams);

/// Whether LOCATION is a thread that begins by itself; false: when it or its first team is made.
bool teams_begins_alone(const struct engine *engine, const struct location_state *location);

/// Whether EVENT, LOCATION's next, is one that other threads of its process decide on.
bool teams_decide(const struct engine *engine, const struct location_state *location,
                  const struct event *event);

/// EVENT, outside MPI, has come to LOCATION.
void teams_pass(struct engine *engine, const struct location_state *location,
                const struct event *event);

/// LOCATION, which has done its work, waits for such an event: the next one.
void teams_await(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// The wait is over: the event comes now.
void teams_go_on(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// EVENT, of threads or a switch of the recording, has come to LOCATION at NOW_NS.
void teams_event(struct engine *engine, struct location_state *location, const struct event *event,
                 uint64_t now_ns);

/// No location can go on: a thread whose process waits for nothing but its threads goes on as it
/// did in the recording. False when there is none.
bool teams_let_go(struct engine *engine);

// --- transfers.c
// Messages of a simulated run that hinder each other on their way (contention.h): gathered as
// they become ready, shown to the network in an order that does not depend on that in which the
// engine takes its locations.
//
// All messages that are ready at one time t are shown when no location can go on at t any more;
// what that lets happen at t makes another round. Messages of collective operations that are
// carried out go the same way: those of a member that has come may be ready later than now, and are
// kept until then. Time never goes back, so none can become ready before t afterwards, except those
// whose partner is found out late (wildcards): they come in the round in which that is known.

/// A message has departed or been matched: if that makes it ready it is to be shown.
void transfers_ready(struct engine *engine, uint32_t message);

/// Shows the network what is ready before the next location goes on, at NEXT_NS: how many messages.
/// No message departs before that location goes on, so they can be asked for until then.
size_t transfers_show(struct engine *engine, uint64_t next_ns);

/// Who waits for number INDEX of these, and may go on: *RANKS, valid until the next call; how many.
uint32_t transfers_waiting(const struct engine *engine, size_t index, const uint32_t **ranks);

// --- read_ahead.c
// What the records of a call of a simulated run do not say, but the next events of its rank do:
// which polls belong to a loop that ends, what a probe waits for, which receive takes a message.
// No look ahead goes further than some thousand events.

// --- polls
//
// Polling loops of a simulated run. A call that only looks and finds nothing (MPI_Test, MPI_Testall
// and the like, MPI_Iprobe) waits for what the call that ends the loop finds: so it takes no time
// now, and the time it took in the recording belongs to the wait of that call, as if that had been
// entered so much earlier. The code between the polls stays as it is. The loop ends with
//   - a test that completes something, or
//   - MPI_Iprobe (MPI_Improbe) that saw the message which a blocking receive takes next (below),
//     or, where the trace folds polls and it stands right after some that found nothing, so that
//     it cannot be one of them, a receive that is posted next,
// if that is a call of the same function by the same one, which has not been left meanwhile (but
// may have been before the receive, if the loop must have seen its message), and no
// other call with records comes before it; calls without any (MPI_Wtime) may. A loop whose end is
// not found within some thousand events keeps its times, as do polls that lead nowhere or have
// regions in them. With nothing changed all calls end as recorded; only the code between the polls
// comes earlier.

/// LOCATION has entered its call, whose enter EVENT was: whether it is a poll that takes no time.
/// If it ends a loop, the time of that becomes its own (polling.of_call_ns).
bool polling_takes_no_time(struct engine *engine, struct location_state *location,
                           const struct event *event);

// --- probes
//
// MPI_Probe and MPI_Mprobe of a simulated run, and MPI_Iprobe that saw a message. They have no
// records; what such a call waits for is the message that its rank receives next, by a blocking
// receive, if the trace shows no other message and no operation in between, and no other probe but
// one right after it that found the message there; at the end of a loop of polls also one posted.
// It ends when that message is there: of one whose sender waits for the receiver its envelope,
// which has no bytes.
// Where an earlier receive that may take the message is still open, or the trace says no such
// thing, the call lasts as long as it did. A message that is not sent is not probed for: the call
// takes no time.

/// LOCATION has entered its call, whose enter EVENT was: what it waits to see.
struct probe probe_of(struct engine *engine, struct location_state *location,
                      const struct event *event);

/// The message PROBE of LOCATION waits to see, NONE: it has not been sent, or departed.
uint32_t probe_message(struct engine *engine, struct location_state *location,
                       const struct probe *probe);

// --- receives
//
// Which receive will take a message whose sender waits for that. Where the receiver has posted one
// with a wildcard, or the trace does not say what was posted, matching knows it only from the
// completion: here it is looked for among the next events of the receiver. It cannot be known where
// that is too far ahead, where several threads receive, where the receiver names the message's
// channel in some posted receives and leaves it open in others, or where those that take its
// messages are completed in another order than they were posted in.

enum wildcard_receive {
    RECEIVE_COMES,   // it has not been posted yet
    RECEIVE_POSTED,  // *RECEIVE
    RECEIVE_UNKNOWN, // it cannot be known
};

/// Of MESSAGE, which is not matched and whose receiver has posted receives that are not resolved.
enum wildcard_receive wildcard_find_receive(struct engine *engine, uint32_t message,
                                            uint32_t *receive);

// --- conditions (blocked.c)
// A call as its cost model sees it: what it was in the recording, and what it waits for.

/// Puts the conditions of CALL into prediction.conditions: their number.
uint32_t conditions_of(struct engine *engine, const struct call *call);

/// When the receiver of a message that has departed is in MPI, so that it moves and its sender can
/// go on; UINT64_MAX: not yet.
uint64_t message_attended_ns(const struct engine *engine, uint32_t message);

/// One more: the message with this index, whose receive has not been posted, is seen.
void conditions_add_probed(struct engine *engine, uint32_t message, uint32_t *n_conditions);

/// What CALL, all partners of which have come, waits for, as struct cost_model has it. Its
/// conditions are in prediction.conditions.
static inline void conditions_settle(struct engine *engine, const struct simulated_call *call,
                                     uint32_t n_conditions, uint64_t *ready_ns, pag_work *work)
{
    struct prediction *prediction = prediction_of(engine);
    const struct call_condition *conditions = prediction->conditions;
    for (uint32_t i = 0; i < n_conditions && call->recorded_attend_ns > 0; i++) {
        struct call_condition *condition = &prediction->conditions[i];
        if (condition->needs_attendance && condition->recorded_ns < call->recorded_attend_ns)
            condition->recorded_ns = call->recorded_attend_ns;
    }
    if (prediction->is_delayed)
        conditions = added_latency_apply(&prediction->delay, conditions, n_conditions);
    prediction->costs->settle(prediction, call, conditions, n_conditions, ready_ns, work);
}

// Asked several times for each call: hence inline.

/// Recorded length of the open call, with polls before it that are a part of it.
static inline uint64_t call_recorded_ns(const struct engine *engine,
                                        const struct location_state *location)
{
    return location->call.recorded_leave_ns - location->call.recorded_enter_ns +
           simulated_location(engine, location)->polling.of_call_ns;
}

/// CPU time of the open call, at most what went by between the samples around it; its length where
/// there are none.
static inline uint64_t call_recorded_work_ns(const struct engine *engine,
                                             const struct location_state *location)
{
    const struct call *call = &location->call;
    const struct cpu_span *before = &simulated_location(engine, location)->computation.cpu;
    uint64_t length_ns = call_recorded_ns(engine, location);
    bool is_known =
        call->has_cpu_after && before->has_seen && call->cpu_after_ns >= before->seen_ns;
    uint64_t cpu_ns = is_known ? call->cpu_after_ns - before->seen_ns : length_ns;
    return cpu_ns < length_ns ? cpu_ns : length_ns;
}

/// How many sends that CALL completes no longer wait for their receivers; their bytes are added to
/// *BYTES.
static inline uint32_t call_freed_sends(const struct engine *engine, const struct call *call,
                                        uint64_t *bytes)
{
    const struct prediction *prediction = prediction_of(engine);
    uint32_t n_freed = 0;
    if (prediction->scenario->settings->eager_bytes == PAG_NOT_KNOWN)
        return 0;
    for (uint32_t i = 0; i < call->n_sends; i++) {
        const struct message_simulation *times = &prediction->messages[call->sends[i]];
        n_freed += times->is_freed;
        *bytes += times->is_freed ? times->size_bytes : 0;
    }
    return n_freed;
}

/// How many of the sends that CALL completes follow others (aggregate.h).
static inline uint32_t call_joined_sends(const struct engine *engine, const struct call *call)
{
    uint32_t n_joined = 0;
    for (uint32_t i = 0; i < call->n_sends; i++)
        n_joined += prediction_of(engine)->messages[call->sends[i]].follows_ns != PAG_NOT_KNOWN;
    return n_joined;
}

/// The open call, with what is its location's own of it.
static inline struct simulated_call call_description(const struct engine *engine,
                                                     const struct location_state *location)
{
    const struct call *call = &location->call;
    const struct location_simulation *state = simulated_location(engine, location);
    const struct prediction *prediction = prediction_of(engine);
    struct simulated_call described = {
        .location = location->index,
        .rank = location->rank,
        .site = site_of(prediction, location->rank),
        .region = call->is_bare ? EVENT_NO_INDEX : location->profile.paths[call->path].region,
        .recorded_enter_ns = call->recorded_enter_ns - state->polling.of_call_ns,
        .recorded_leave_ns = call->recorded_leave_ns,
        .recorded_attend_ns = state->recorded_attend_ns,
        .recorded_work_ns = call_recorded_work_ns(engine, location),
        .enter_ns = call->enter_ns,
        .n_sent = state->n_receivers,
        .n_records = call->n_records,
        .n_left_out = call->n_left_out,
        .n_joined = call_joined_sends(engine, call),
        .is_waiting = state->is_waiting,
        .is_init = call->is_init,
        .is_finalize = call->is_finalize,
        .is_handle = state->is_handle,
    };
    described.n_left_out += call_freed_sends(engine, call, &described.freed_bytes);
    if (prediction->notes && location->is_master)
        described.recorded_work_ns = recorded_own_work(prediction, &described);
    return described;
}
