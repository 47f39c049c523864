// SPDX-License-Identifier: BSD-3-Clause
// Costs as recorded: when calls go on, and what they do then (see recorded_costs.h).
#include "analyzer/simulation/cost/recorded_costs.h"

#include "analyzer/base/order.h"
#include "analyzer/simulation/cost/recorded.h"

static bool is_all_to_all(const struct call_condition *condition)
{
    return condition->kind == CONDITION_COLLECTIVE && !condition->is_nonblocking &&
           (condition->class_ == COLLECTIVE_BARRIER || condition->class_ == COLLECTIVE_ALL_TO_ALL ||
            condition->class_ == COLLECTIVE_HANDLE);
}

/// The condition released last in the recording; the first one of equals.
static uint32_t deciding(const struct call_condition *conditions, uint32_t n_conditions)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < n_conditions; i++)
        if (conditions[i].recorded_ns > conditions[best].recorded_ns)
            best = i;
    return best;
}

static bool is_remote(const struct prediction *prediction, const struct call_condition *condition)
{
    return scopes_is_remote(&prediction->scenario->scopes, condition->sender_site,
                            condition->receiver_site);
}

static bool spins(const struct prediction *prediction)
{
    return prediction->scenario->settings->spins;
}

/// Whether what RANK polled for the core of a partner, or for its own, is no work: it is on other
/// cores, or waits for them in the prediction as well.
static bool polls_idly(const struct prediction *prediction, uint32_t rank)
{
    const struct scenario *scenario = prediction->scenario;
    return spins(prediction) && (scenario->slice_ns > 0 || !scenario->keeps_cores[rank]);
}

/// What receiving the message of CONDITION usually takes, between nodes if FAR.
static uint64_t usual_receive(const struct prediction *prediction,
                              const struct call_condition *condition, bool far)
{
    return recorded_receive_ns(prediction->recorded, polls_idly(prediction, condition->receiver),
                               far, condition->size_bytes);
}

/// Whether the message of CONDITION was on one node and is between two now, or the other way, and
/// what both cost is known.
static bool has_moved(const struct prediction *prediction, const struct call_condition *condition)
{
    const struct recorded *recorded = prediction->recorded;
    bool was_remote = recorded_was_remote(recorded, condition->sender, condition->receiver);
    return was_remote != is_remote(prediction, condition) && recorded_has_both_flights(recorded);
}

/// How long after its send a message is there; MEASURED_NS is what the recording says, at most.
static uint64_t message_delay(const struct prediction *prediction,
                              const struct call_condition *condition, bool is_measured,
                              uint64_t measured_ns)
{
    const struct recorded *recorded = prediction->recorded;
    bool far = is_remote(prediction, condition), moves = has_moved(prediction, condition);
    uint64_t flight_ns = recorded_flight_ns(recorded, far, condition->size_bytes);
    if (is_measured && condition->size_bytes != condition->recorded_bytes)
        measured_ns = less(measured_ns + flight_ns,
                           recorded_flight_ns(recorded, far, condition->recorded_bytes));
    if (is_measured && !moves)
        return measured_ns;
    if (is_measured)
        return less(measured_ns + flight_ns,
                    recorded_flight_ns(recorded, !far, condition->size_bytes));
    uint64_t usual_ns = less(flight_ns, usual_receive(prediction, condition, far));
    return moves ? usual_ns : smaller(measured_ns, usual_ns);
}

/// How long after its release CONDITION is met; a message that follows another one comes no later
/// than alone.
static uint64_t delay_of(const struct prediction *prediction,
                         const struct call_condition *condition, bool is_measured,
                         uint64_t measured_ns)
{
    if (condition->kind == CONDITION_MESSAGE)
        return smaller(condition->follows_ns,
                       message_delay(prediction, condition, is_measured, measured_ns));
    return is_measured ? measured_ns : 0;
}

/// What receiving the message of CONDITION takes.
static uint64_t receive_ns(const struct prediction *prediction,
                           const struct call_condition *condition)
{
    return usual_receive(prediction, condition, is_remote(prediction, condition));
}

/// The work of a call that did not wait: what receiving its messages usually takes; all of its time
/// where it has none, or nothing is known. Of a call some of which is left out that time may have
/// been waiting for what is left out, so it is no work then.
static uint64_t usual_work(const struct prediction *prediction, const struct simulated_call *call,
                           const struct call_condition *conditions, uint32_t n_conditions)
{
    uint64_t work_ns = 0;
    for (uint32_t i = 0; i < n_conditions; i++)
        if (conditions[i].kind == CONDITION_MESSAGE)
            work_ns += receive_ns(prediction, &conditions[i]);
    return work_ns > 0 || call->n_left_out > 0 ? work_ns : UINT64_MAX;
}

/// What receiving those messages usually takes that are put together with others: nothing now.
static uint64_t followers_work(const struct prediction *prediction,
                               const struct call_condition *conditions, uint32_t n_conditions)
{
    uint64_t work_ns = 0;
    for (uint32_t i = 0; i < n_conditions; i++)
        if (conditions[i].follows_ns != PAG_NOT_KNOWN)
            work_ns += receive_ns(prediction, &conditions[i]);
    return work_ns;
}

/// What of NS, a time of its own that CALL takes for all its messages, is left without those that
/// go together with others: a part for each.
static uint64_t part_left(const struct simulated_call *call,
                          const struct call_condition *conditions, uint32_t n_conditions,
                          uint64_t ns)
{
    uint32_t n_joined = call->n_joined;
    for (uint32_t i = 0; i < n_conditions; i++)
        n_joined += conditions[i].kind == CONDITION_MESSAGE && !conditions[i].is_probed &&
                    conditions[i].follows_ns != PAG_NOT_KNOWN;
    return n_joined == 0 ? ns : ns * less(call->n_records, n_joined) / call->n_records;
}

/// What of WORK_NS is left without them: less what receiving these usually takes, where known.
static uint64_t work_left(const struct prediction *prediction, const struct simulated_call *call,
                          const struct call_condition *conditions, uint32_t n_conditions,
                          uint64_t work_ns)
{
    uint64_t followers_ns = followers_work(prediction, conditions, n_conditions);
    return followers_ns > 0 ? less(work_ns, followers_ns)
                            : part_left(call, conditions, n_conditions, work_ns);
}

/// Whether all that a call with CONDITIONS does is to receive messages put together with others:
/// the call before, which receives those they follow, has them already.
static bool only_follows(const struct call_condition *conditions, uint32_t n_conditions)
{
    for (uint32_t i = 0; i < n_conditions; i++)
        if (conditions[i].kind != CONDITION_MESSAGE || conditions[i].follows_ns == PAG_NOT_KNOWN)
            return false;
    return n_conditions > 0;
}

/// Work after the wait that BY ended in the recording.
static uint64_t work_after(const struct prediction *prediction, const struct simulated_call *call,
                           const struct call_condition *by)
{
    if (by->kind != CONDITION_MESSAGE)
        return 0;
    return smaller(receive_ns(prediction, by), less(call->recorded_leave_ns, by->recorded_ns));
}

/// Whether CONDITION counts among the messages whose flights are reported.
static bool is_flight(const struct call_condition *condition)
{
    return condition->kind == CONDITION_MESSAGE && !condition->is_probed;
}

// --- of oversubscribed ranks

/// What is noted of RANK at RECORDED_NS into *NUMBER, which stays where nothing is: false.
static bool noted(const struct prediction *prediction, enum recorded_notes kind, uint32_t rank,
                  uint64_t recorded_ns, uint64_t *number)
{
    return prediction->notes &&
           rank_notes_at(prediction->notes, recorded_notes_row(kind, rank), recorded_ns, number);
}

/// What of CALL, of a rank that polled for a core, is its own at most: one that lost its core
/// polled for what it had from other ranks on it.
static uint64_t usual_time(const struct prediction *prediction, const struct simulated_call *call)
{
    uint64_t number;
    bool has_polled =
        !call->is_init && !call->is_finalize && polls_idly(prediction, call->rank) &&
        noted(prediction, RECORDED_LOST_CORES, call->rank, call->recorded_leave_ns, &number);
    return has_polled ? recorded_usual_ns(prediction->recorded, call->region,
                                          prediction->scenario->slice_ns)
                      : UINT64_MAX;
}

/// How much longer a message takes now than in the recording, because of its size or its way.
static uint64_t longer_flight(const struct prediction *prediction,
                              const struct call_condition *condition)
{
    if (condition->kind != CONDITION_MESSAGE || spins(prediction))
        return 0;
    const struct recorded *recorded = prediction->recorded;
    bool far = is_remote(prediction, condition);
    bool was_far = has_moved(prediction, condition) ? !far : far;
    return less(recorded_shared_flight_ns(recorded, far, condition->size_bytes),
                recorded_shared_flight_ns(recorded, was_far, condition->recorded_bytes));
}

/// The work of such a rank's call: its own time after the latest release at RELEASE_NS. Where ranks
/// that wait keep their cores busy all of it may be polling, and only what is usual counts.
static uint64_t shared_work(const struct prediction *prediction, const struct simulated_call *call,
                            const struct call_condition *conditions, uint32_t n_conditions,
                            uint64_t release_ns)
{
    uint64_t own_ns = smaller(call->recorded_work_ns, less(call->recorded_leave_ns, release_ns));
    if (!spins(prediction) && call->n_left_out == 0)
        return own_ns;
    uint64_t usual_ns = usual_work(prediction, call, conditions, n_conditions);
    return smaller(own_ns, usual_ns < UINT64_MAX ? usual_ns : usual_time(prediction, call));
}

static void settle_shared(struct prediction *prediction, const struct simulated_call *call,
                          const struct call_condition *conditions, uint32_t n_conditions,
                          uint64_t *ready_ns, pag_work *work)
{
    uint32_t last = deciding(conditions, n_conditions);
    uint64_t release_ns = conditions[last].recorded_ns;
    bool is_whole = call->n_left_out == 0;
    bool has_waited =
        is_whole && (release_ns > call->recorded_enter_ns || is_all_to_all(&conditions[last]));
    uint64_t work_ns =
        spins(prediction) && has_waited
            ? work_after(prediction, call, &conditions[last])
            : shared_work(prediction, call, conditions, n_conditions, has_waited ? release_ns : 0);
    work_ns = only_follows(conditions, n_conditions)
                  ? 0
                  : work_left(prediction, call, conditions, n_conditions, work_ns);
    *work = (pag_work)work_ns * PAG_WORK_PER_NS;
    *ready_ns = call->enter_ns;
    for (uint32_t i = 0; i < n_conditions; i++) {
        const struct call_condition *condition = &conditions[i];
        uint64_t delay_ns = longer_flight(prediction, condition);
        if (is_flight(condition)) {
            prediction->use.n_flights++;
            prediction->use.n_interpolated += !has_waited || i != last || delay_ns > 0;
        }
        uint64_t met_ns = condition->time_ns + smaller(condition->follows_ns, delay_ns);
        *ready_ns = met_ns > *ready_ns ? met_ns : *ready_ns;
    }
}

// --- of all

/// When CALL has what it waits for, as far as the recording tells: h is the latest recorded release
/// of its conditions, E and L its recorded enter and leave.
///   waited (h > E, or an all-to-all operation, not posted before): W = min(receive time of the
///     deciding message, L - h), 0 if no message decided; else W = min(sum of the receive times of
///     its messages, C), C if that sum is 0, where C is its CPU time, L - E where that is unknown:
///     a call that took longer did not compute meanwhile, it lacked its core or a message, and
///     lasts L - W - E from its enter before that work.
///   What released it is followed by D = L - W - h; other conditions, released at r, by
///   min(flight - receive time of the size, L - W - r) if they are messages, else by 0; no
///   condition by less than 0. A message that was on one node and now is between two, or the other
///   way, where both kinds were seen: what released it by D + flight now - flight of the other
///   kind, other messages by flight - receive time.
///   A call that does nothing but receive messages put together with others: W is 0, and it lasts
///     no longer than they take to come. A call that completes some: W less their receive times, a
///     part for each where these are not known, and of C - W a part for each.
///   An oversubscribed rank: O is the call's own time, at most what its partners allow
///     (OVERSUBSCRIBED.md 1 to 3). W is O, if the call waited, from the release on, and D is 0: on
///     shared cores even a flight is somebody's work. Of a call some of which is left out W is at
///     most the sum of receive times. A message of another size, or that was on one node and is
///     between two now or the other way, comes later by the shared flight now - shared flight then,
///     not less than 0. Where waiting ranks spin: W is as above, or min(O, sum of receive times) if
///     the call did not wait, and messages take no time. Where what a rank polled is no work
///     (polls_idly) receive times are of receives that kept their core, and O of a call that lost
///     it, and for whose messages there are none, is at most what is usual for its region. Handle
///     calls are as above: they took no core. Of one that lost it D is at most what is usual, but
///     not where ranks share cores in slices.
/// *READY_NS = max of the enter and of release + delay over all conditions, *WORK = W.
static void settle(struct prediction *prediction, const struct simulated_call *call,
                   const struct call_condition *conditions, uint32_t n_conditions,
                   uint64_t *ready_ns, pag_work *work)
{
    // Start-up, end and operations that create or destroy handles took their time, but no core.
    if (!call->is_handle && recorded_is_oversubscribed(prediction->recorded, call->rank)) {
        settle_shared(prediction, call, conditions, n_conditions, ready_ns, work);
        return;
    }
    uint32_t last = deciding(conditions, n_conditions);
    // If part of a call is left out, how long it waited for the rest is not known.
    bool is_whole = call->n_left_out == 0;
    bool has_waited = n_conditions > 0 && is_whole &&
                      (conditions[last].recorded_ns > call->recorded_enter_ns ||
                       is_all_to_all(&conditions[last]));
    uint64_t work_ns = has_waited ? work_after(prediction, call, &conditions[last])
                                  : smaller(call->recorded_work_ns,
                                            usual_work(prediction, call, conditions, n_conditions));
    uint64_t recorded_ready_ns = call->recorded_leave_ns - work_ns;
    *ready_ns = call->enter_ns;
    bool is_needless = only_follows(conditions, n_conditions);
    if (!has_waited && is_whole && !is_needless) {
        uint64_t rest_ns = recorded_ready_ns - call->recorded_enter_ns;
        uint64_t own_ns = smaller(rest_ns, less(call->recorded_work_ns, work_ns));
        *ready_ns += rest_ns - own_ns + part_left(call, conditions, n_conditions, own_ns);
    }
    work_ns = is_needless ? 0 : work_left(prediction, call, conditions, n_conditions, work_ns);
    *work = (pag_work)work_ns * PAG_WORK_PER_NS;
    for (uint32_t i = 0; i < n_conditions; i++) {
        const struct call_condition *condition = &conditions[i];
        bool is_measured = has_waited && i == last;
        uint64_t measured_ns = less(recorded_ready_ns, condition->recorded_ns);
        uint64_t delay_ns = delay_of(prediction, condition, is_measured, measured_ns);
        if (is_flight(condition)) {
            prediction->use.n_flights++;
            prediction->use.n_interpolated +=
                !is_measured || delay_ns != measured_ns || has_moved(prediction, condition);
        }
        uint64_t met_ns = condition->time_ns + delay_ns;
        *ready_ns = met_ns > *ready_ns ? met_ns : *ready_ns;
    }
}

// --- what the recording tells of calls of oversubscribed ranks

/// How much less time a call in which RANK took over its core takes now.
static uint64_t saved_hand_over(const struct prediction *prediction, uint32_t rank)
{
    return prediction->hand_over_ns * prediction->scenario->saved_hand_overs[rank] / SCENARIO_WHOLE;
}

/// Of a call in which others had the cores only its own time is work. (Where waiting ranks keep
/// their cores busy it may be polling; the CPU clock knows no better, but its limit counts.)
uint64_t recorded_own_work(const struct prediction *prediction, const struct simulated_call *call)
{
    uint64_t length_ns = call->recorded_leave_ns - call->recorded_enter_ns, own_ns = length_ns;
    if (call->is_handle || !recorded_is_oversubscribed(prediction->recorded, call->rank))
        return call->recorded_work_ns;
    noted(prediction, RECORDED_OWN_TIMES, call->rank, call->recorded_leave_ns, &own_ns);
    if (own_ns > length_ns) // of another call, and this one has no length
        own_ns = length_ns;
    if (!spins(prediction))
        return less(own_ns, own_ns < length_ns ? saved_hand_over(prediction, call->rank) : 0);
    if (!call->is_waiting)
        own_ns = smaller(own_ns, usual_time(prediction, call));
    return smaller(call->recorded_work_ns, own_ns);
}

/// Who had enough cores had one, whatever CPU samples say.
uint64_t recorded_process_time(const struct prediction *prediction, uint32_t rank, uint64_t end_ns,
                               uint64_t wall_ns, uint64_t cpu_ns)
{
    uint64_t oversubscribed_ns = 0;
    if (!recorded_is_oversubscribed(prediction->recorded, rank) || spins(prediction))
        return cpu_ns;
    noted(prediction, RECORDED_OVERSUBSCRIBED_TIMES, rank, end_ns, &oversubscribed_ns);
    uint64_t alone_ns = wall_ns > oversubscribed_ns ? wall_ns - oversubscribed_ns : 0;
    return alone_ns > cpu_ns ? alone_ns : cpu_ns;
}

// --- partners without a core

/// What is noted of a partner of this kind that CALL needed. False: nothing.
static bool find_partner(const struct prediction *prediction, const struct simulated_call *call,
                         enum recorded_notes kind, struct recorded_partner *partner)
{
    uint64_t number;
    return !spins(prediction) && !call->is_handle &&
           noted(prediction, kind, call->rank, call->recorded_leave_ns, &number) &&
           recorded_read_partner(prediction->recorded, call->rank, number, partner);
}

/// RANK has computed up to RECORDED_NS of the recording, and enters a call or ends at NOW_NS.
static void note_progress(struct prediction *prediction, uint32_t rank, uint64_t now_ns,
                          uint64_t recorded_ns)
{
    struct rank_progress *progress = &prediction->progress[rank];
    if (now_ns > progress->enter_ns)
        progress->recorded_before_ns = progress->recorded_enter_ns;
    progress->enter_ns = now_ns;
    progress->recorded_enter_ns = recorded_ns;
}

static void ended(struct prediction *prediction, uint32_t location, uint64_t now_ns)
{
    const struct location *of = &prediction->definitions->locations[location];
    if (prediction->progress && of->rank != EVENT_NO_INDEX && of->is_master)
        note_progress(prediction, of->rank, now_ns, UINT64_MAX);
}

/// Up to where in the recording RANK had computed before NOW_NS.
static uint64_t has_passed_ns(const struct prediction *prediction, uint32_t rank, uint64_t now_ns)
{
    const struct rank_progress *progress = &prediction->progress[rank];
    return progress->enter_ns < now_ns ? progress->recorded_enter_ns : progress->recorded_before_ns;
}

/// CALL is entered: what of it is its own at most, if it completes sends. The time without the
/// receiver's core is not, where that is free now, or others share it.
static uint64_t limit_sending(struct prediction *prediction, const struct simulated_call *call)
{
    struct recorded_partner partner;
    if (!find_partner(prediction, call, RECORDED_RECEIVER_TIMES, &partner))
        return UINT64_MAX;
    bool is_as_it_was = prediction->scenario->keeps_cores[partner.rank] &&
                        has_passed_ns(prediction, partner.rank, call->enter_ns) <
                            call->recorded_leave_ns - partner.own_ns;
    struct rank_progress *progress = &prediction->progress[call->rank];
    progress->limited_leave_ns = call->recorded_leave_ns;
    progress->limit_ns = is_as_it_was ? UINT64_MAX : partner.own_ns;
    return progress->limit_ns;
}

/// What of CALL is its own at most: not the time in which a partner lacked a core that others share
/// now, or that it has now.
static uint64_t own_limit(const struct prediction *prediction, const struct simulated_call *call)
{
    struct recorded_partner sender;
    uint64_t limit_ns = UINT64_MAX;
    if (find_partner(prediction, call, RECORDED_SENDER_TIMES, &sender) &&
        !prediction->scenario->keeps_cores[sender.rank])
        limit_ns = sender.own_ns;
    const struct rank_progress *progress =
        prediction->progress ? &prediction->progress[call->rank] : NULL;
    // Another call's limit: this one was put off.
    return progress && progress->limited_leave_ns == call->recorded_leave_ns
               ? smaller(limit_ns, progress->limit_ns)
               : limit_ns;
}

// --- the cost model

/// What CALL takes to copy its messages into buffers, whose sender waited for RECEIVERS and does so
/// no longer: about what it takes to copy them out of buffers.
static pag_work copy_work(const struct prediction *prediction, const struct simulated_call *call,
                          const uint32_t *receivers, uint64_t most_ns)
{
    if (call->freed_bytes == 0 || call->n_sent == 0)
        return 0;
    bool far = scopes_is_remote(&prediction->scenario->scopes, call->site, receivers[0]);
    uint64_t copy_ns = recorded_receive_ns(prediction->recorded, polls_idly(prediction, call->rank),
                                           far, call->freed_bytes);
    return (pag_work)smaller(copy_ns, most_ns) * PAG_WORK_PER_NS;
}

pag_work recorded_costs_before(struct prediction *prediction, const struct simulated_call *call,
                               const uint32_t *receivers)
{
    uint64_t own_ns = call->recorded_work_ns;
    if (prediction->progress)
        note_progress(prediction, call->rank, call->enter_ns, call->recorded_enter_ns);
    if (own_ns > 0)
        own_ns = smaller(own_ns, limit_sending(prediction, call));
    pag_work amount = call->is_waiting ? 0 : (pag_work)own_ns * PAG_WORK_PER_NS;
    uint32_t n_less = call->n_left_out + call->n_joined;
    if (n_less > 0)
        amount = amount * (pag_work)less(call->n_records, n_less) / call->n_records;
    return call->is_waiting ? amount : amount + copy_work(prediction, call, receivers, own_ns);
}

/// When CALL, which creates or destroys handles, would have been left if it had not lost its core.
/// Where ranks share cores in slices nothing waits for these in its place: it takes its time.
static uint64_t handle_leave(const struct prediction *prediction, const struct simulated_call *call,
                             const struct call_condition *conditions, uint32_t n_conditions)
{
    uint64_t leave_ns = call->recorded_leave_ns, usual_ns = usual_time(prediction, call);
    uint64_t last_ns = conditions[deciding(conditions, n_conditions)].recorded_ns;
    bool is_usual = usual_ns >= less(leave_ns, last_ns) ||
                    scheduler_has_slices(prediction->scheduler, call->location);
    return is_usual ? leave_ns : last_ns + usual_ns;
}

void recorded_costs_settle(struct prediction *prediction, const struct simulated_call *call,
                           const struct call_condition *conditions, uint32_t n_conditions,
                           uint64_t *ready_ns, pag_work *work)
{
    struct simulated_call own = *call;
    own.recorded_work_ns = smaller(call->recorded_work_ns, own_limit(prediction, call));
    if (call->is_handle && n_conditions > 0)
        own.recorded_leave_ns = handle_leave(prediction, call, conditions, n_conditions);
    settle(prediction, &own, conditions, n_conditions, ready_ns, work);
}

uint64_t recorded_costs_length(const struct prediction *prediction,
                               const struct simulated_call *call, bool is_unknown)
{
    (void)prediction, (void)is_unknown;
    return call->recorded_leave_ns - call->recorded_enter_ns;
}

static bool is_rendezvous(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                          uint64_t size_bytes)
{
    bool far = scopes_is_remote(&prediction->scenario->scopes, sender, receiver);
    return recorded_is_rendezvous(prediction->recorded, far, size_bytes);
}

static bool needs_attendance(const struct prediction *prediction, uint32_t sender,
                             uint32_t receiver, uint64_t size_bytes)
{
    bool far = scopes_is_remote(&prediction->scenario->scopes, sender, receiver);
    return recorded_needs_attendance(prediction->recorded, far, size_bytes);
}

static uint64_t message_ns(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                           uint64_t size_bytes)
{
    bool far = scopes_is_remote(&prediction->scenario->scopes, sender, receiver);
    return recorded_flight_ns(prediction->recorded, far, size_bytes);
}

bool recorded_costs_synchronise(const struct prediction *prediction, uint8_t operation,
                                bool is_finalize)
{
    return recorded_synchronises(prediction->recorded, operation, is_finalize);
}

const struct cost_model recorded_costs = {
    .departs_at_enter = true,
    .polls_wait = true,
    .work_before = recorded_costs_before,
    .settle = recorded_costs_settle,
    .least_length = recorded_costs_length,
    .is_rendezvous = is_rendezvous,
    .needs_attendance = needs_attendance,
    .message_ns = message_ns,
    .synchronises = recorded_costs_synchronise,
    .ended = ended,
};
