// SPDX-License-Identifier: BSD-3-Clause
// When calls go on at recorded costs, and what they do then (see recorded.h).
#include "analyzer/simulation/cost/recorded.h"

static bool is_all_to_all(const struct pag_condition *condition)
{
    return condition->kind == PAG_CONDITION_COLLECTIVE && !condition->is_nonblocking &&
           (condition->class_ == COLLECTIVE_BARRIER || condition->class_ == COLLECTIVE_ALL_TO_ALL ||
            condition->class_ == COLLECTIVE_HANDLE);
}

/// The condition released last in the recording; the first one of equals.
static uint32_t deciding(const struct pag_condition *conditions, uint32_t n_conditions)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < n_conditions; i++)
        if (conditions[i].recorded_ns > conditions[best].recorded_ns)
            best = i;
    return best;
}

static bool is_remote(const struct pag_condition *condition, const uint32_t *node_of_rank)
{
    return node_of_rank[condition->sender] != node_of_rank[condition->receiver];
}

/// Whether the message of CONDITION was on one node and is between two now, or the other way, and
/// what both cost is known.
static bool has_moved(const struct recorded *recorded, const struct pag_condition *condition,
                      const uint32_t *node_of_rank)
{
    bool was_remote = recorded_was_remote(recorded, condition->sender, condition->receiver);
    return was_remote != is_remote(condition, node_of_rank) && recorded_has_both_flights(recorded);
}

static uint64_t min_ns(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/// How long after its send a message is there; MEASURED_NS is what the recording says, at most.
static uint64_t message_delay(const struct recorded *recorded,
                              const struct pag_condition *condition, bool is_measured,
                              uint64_t measured_ns, const uint32_t *node_of_rank)
{
    bool far = is_remote(condition, node_of_rank);
    uint64_t flight_ns = recorded_flight_ns(recorded, far, condition->size_bytes);
    bool moves = has_moved(recorded, condition, node_of_rank);
    if (is_measured && condition->size_bytes != condition->recorded_bytes)
        measured_ns = less(measured_ns + flight_ns,
                           recorded_flight_ns(recorded, far, condition->recorded_bytes));
    if (is_measured && !moves)
        return measured_ns;
    if (is_measured)
        return less(measured_ns + flight_ns,
                    recorded_flight_ns(recorded, !far, condition->size_bytes));
    uint64_t usual_ns = less(flight_ns, recorded_receive_ns(recorded, far, condition->size_bytes));
    return moves ? usual_ns : min_ns(measured_ns, usual_ns);
}

/// How long after its release CONDITION is met; a message that follows another one comes no later
/// than alone.
static uint64_t delay_of(const struct recorded *recorded, const struct pag_condition *condition,
                         bool is_measured, uint64_t measured_ns, const uint32_t *node_of_rank)
{
    if (condition->kind == PAG_CONDITION_MESSAGE)
        return min_ns(condition->follows_ns,
                      message_delay(recorded, condition, is_measured, measured_ns, node_of_rank));
    return is_measured ? measured_ns : 0;
}

/// Whether a call of RANK polls no longer as in the recording: waiting ranks keep their cores busy,
/// and it has other ones now, or with others.
static bool polls_anew(const struct recorded *recorded, const struct recorded_scenario *scenario,
                       uint32_t rank)
{
    return scenario->spins && recorded_lacked_cores(recorded, rank) && !scenario->keeps_cores[rank];
}

/// What receiving the message of CONDITION takes.
static uint64_t receive_ns(const struct recorded *recorded, const struct pag_condition *condition,
                           const struct recorded_scenario *scenario)
{
    bool far = is_remote(condition, scenario->node_of_rank);
    return polls_anew(recorded, scenario, condition->receiver)
               ? recorded_kept_receive_ns(recorded, far, condition->size_bytes)
               : recorded_receive_ns(recorded, far, condition->size_bytes);
}

/// The work of a call that did not wait: what receiving its messages usually takes; all of its time
/// where it has none, or nothing is known. Of a call some of which is left out that time may have
/// been waiting for what is left out, so it is no work then.
static uint64_t usual_work(const struct recorded *recorded, const struct pag_call *call,
                           const struct pag_condition *conditions, uint32_t n_conditions,
                           const struct recorded_scenario *scenario)
{
    uint64_t work_ns = 0;
    for (uint32_t i = 0; i < n_conditions; i++)
        if (conditions[i].kind == PAG_CONDITION_MESSAGE)
            work_ns += receive_ns(recorded, &conditions[i], scenario);
    return work_ns > 0 || call->n_left_out > 0 ? work_ns : UINT64_MAX;
}

/// What receiving those messages usually takes that are put together with others: nothing now.
static uint64_t followers_work(const struct recorded *recorded,
                               const struct pag_condition *conditions, uint32_t n_conditions,
                               const struct recorded_scenario *scenario)
{
    uint64_t work_ns = 0;
    for (uint32_t i = 0; i < n_conditions; i++)
        if (conditions[i].follows_ns != PAG_NOT_KNOWN)
            work_ns += receive_ns(recorded, &conditions[i], scenario);
    return work_ns;
}

/// Work after the wait that BY ended in the recording.
static uint64_t work_after(const struct recorded *recorded, const struct pag_call *call,
                           const struct pag_condition *by, const struct recorded_scenario *scenario)
{
    if (by->kind != PAG_CONDITION_MESSAGE)
        return 0;
    return min_ns(receive_ns(recorded, by, scenario),
                  less(call->recorded_leave_ns, by->recorded_ns));
}

// --- of ranks that lacked cores

/// Start-up, end and operations that create or destroy handles take their time, but no core.
static bool has_lacked_cores(const struct recorded *recorded, const struct pag_call *call)
{
    return !call->is_handle && recorded_lacked_cores(recorded, call->rank);
}

/// When CONDITION was released in the recording: a message perhaps only after its sender, which had
/// lost its core, had it again.
static uint64_t shared_release_ns(const struct pag_call *call,
                                  const struct pag_condition *condition)
{
    return condition->recorded_since_ns <= call->recorded_leave_ns ? condition->recorded_since_ns
                                                                   : condition->recorded_ns;
}

/// How much longer a message takes now than in the recording, because of its size or its way.
static uint64_t longer_flight(const struct recorded *recorded,
                              const struct pag_condition *condition, const uint32_t *node_of_rank)
{
    if (condition->kind != PAG_CONDITION_MESSAGE)
        return 0;
    bool far = is_remote(condition, node_of_rank);
    bool was_far = has_moved(recorded, condition, node_of_rank) ? !far : far;
    return less(recorded_shared_flight_ns(recorded, far, condition->size_bytes),
                recorded_shared_flight_ns(recorded, was_far, condition->recorded_bytes));
}

/// The work of such a rank's call: its own time after the latest release at RELEASE_NS. Where ranks
/// that wait keep their cores busy all of it may be polling, and only what is usual counts.
static uint64_t shared_work(const struct recorded *recorded, const struct pag_call *call,
                            const struct pag_condition *conditions, uint32_t n_conditions,
                            uint64_t release_ns, const struct recorded_scenario *scenario)
{
    uint64_t own_ns = min_ns(call->recorded_work_ns, less(call->recorded_leave_ns, release_ns));
    if (!scenario->spins && call->n_left_out == 0)
        return own_ns;
    return min_ns(own_ns, usual_work(recorded, call, conditions, n_conditions, scenario));
}

static void settle_shared(const struct recorded *recorded, const struct pag_call *call,
                          const struct pag_condition *conditions, uint32_t n_conditions,
                          const struct recorded_scenario *scenario, struct recorded_use *use,
                          uint64_t *ready_ns, pag_work *work)
{
    const uint32_t *node_of_rank = scenario->node_of_rank;
    uint32_t last = 0;
    for (uint32_t i = 1; i < n_conditions; i++)
        if (shared_release_ns(call, &conditions[i]) > shared_release_ns(call, &conditions[last]))
            last = i;
    uint64_t release_ns = shared_release_ns(call, &conditions[last]);
    bool is_whole = call->n_left_out == 0;
    bool has_waited =
        is_whole && (release_ns > call->recorded_enter_ns || is_all_to_all(&conditions[last]));
    uint64_t work_ns = scenario->spins && has_waited
                           ? work_after(recorded, call, &conditions[last], scenario)
                           : shared_work(recorded, call, conditions, n_conditions,
                                         has_waited ? release_ns : 0, scenario);
    work_ns = less(work_ns, followers_work(recorded, conditions, n_conditions, scenario));
    *work = (pag_work)work_ns * PAG_WORK_PER_NS;
    *ready_ns = call->enter_ns;
    for (uint32_t i = 0; i < n_conditions; i++) {
        const struct pag_condition *condition = &conditions[i];
        uint64_t delay_ns = scenario->spins ? 0 : longer_flight(recorded, condition, node_of_rank);
        if (condition->kind == PAG_CONDITION_MESSAGE && !condition->is_probed) {
            use->n_flights++;
            use->n_interpolated += !has_waited || i != last || delay_ns > 0;
        }
        uint64_t met_ns = condition->time_ns + min_ns(condition->follows_ns, delay_ns);
        *ready_ns = met_ns > *ready_ns ? met_ns : *ready_ns;
    }
}

// --- of all

void recorded_settle(const struct recorded *recorded, const struct pag_call *call,
                     const struct pag_condition *conditions, uint32_t n_conditions,
                     const struct recorded_scenario *scenario, struct recorded_use *use,
                     uint64_t *ready_ns, pag_work *work)
{
    if (has_lacked_cores(recorded, call)) {
        settle_shared(recorded, call, conditions, n_conditions, scenario, use, ready_ns, work);
        return;
    }
    const uint32_t *node_of_rank = scenario->node_of_rank;
    uint32_t last = deciding(conditions, n_conditions);
    // Of a call some of which is left out nobody knows how long it waited for the rest.
    bool is_whole = call->n_left_out == 0;
    bool has_waited = n_conditions > 0 && is_whole &&
                      (conditions[last].recorded_ns > call->recorded_enter_ns ||
                       is_all_to_all(&conditions[last]));
    uint64_t work_ns = has_waited
                           ? work_after(recorded, call, &conditions[last], scenario)
                           : min_ns(call->recorded_work_ns,
                                    usual_work(recorded, call, conditions, n_conditions, scenario));
    uint64_t recorded_ready_ns = call->recorded_leave_ns - work_ns;
    *ready_ns = call->enter_ns;
    if (!has_waited && is_whole)
        *ready_ns += recorded_ready_ns - call->recorded_enter_ns;
    work_ns = less(work_ns, followers_work(recorded, conditions, n_conditions, scenario));
    *work = (pag_work)work_ns * PAG_WORK_PER_NS;
    for (uint32_t i = 0; i < n_conditions; i++) {
        const struct pag_condition *condition = &conditions[i];
        bool is_measured = has_waited && i == last;
        uint64_t measured_ns = less(recorded_ready_ns, condition->recorded_ns);
        uint64_t delay_ns = delay_of(recorded, condition, is_measured, measured_ns, node_of_rank);
        if (condition->kind == PAG_CONDITION_MESSAGE && !condition->is_probed) {
            use->n_flights++;
            use->n_interpolated += !is_measured || delay_ns != measured_ns ||
                                   has_moved(recorded, condition, node_of_rank);
        }
        uint64_t met_ns = condition->time_ns + delay_ns;
        *ready_ns = met_ns > *ready_ns ? met_ns : *ready_ns;
    }
}
