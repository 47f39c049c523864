// SPDX-License-Identifier: BSD-3-Clause
// Costs as recorded: of calls that kept their core what recorded_settle() says, and what the
// recording tells of the others (recorded_costs.h).
#include "analyzer/simulation/cost/recorded_costs.h"

#include <stdlib.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"

/// Of one rank; all readers NULL: it did not lack cores.
struct rank_calls {
    struct rank_notes_reader *own_times, *crowded_times, *lost_cores, *sender_times;
};

struct recorded_calls {
    size_t n_ranks;
    struct rank_calls ranks[];
};

struct recorded_calls *recorded_calls_new(const struct recorded *recorded, size_t n_ranks)
{
    struct recorded_calls *calls = NULL;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        if (!recorded_lacked_cores(recorded, rank))
            continue;
        if (!calls)
            calls = memory_zeroed(1, sizeof *calls + n_ranks * sizeof calls->ranks[0]);
        struct rank_calls *of = &calls->ranks[rank];
        calls->n_ranks = n_ranks;
        of->own_times = recorded_own_times(recorded, rank);
        of->crowded_times = recorded_crowded_times(recorded, rank);
        of->sender_times = recorded_sender_times(recorded, rank);
        of->lost_cores = recorded_lost_cores(recorded, rank);
    }
    return calls;
}

void recorded_calls_free(struct recorded_calls *calls)
{
    for (size_t rank = 0; calls && rank < calls->n_ranks; rank++) {
        struct rank_calls *of = &calls->ranks[rank];
        rank_notes_reader_free(of->own_times);
        rank_notes_reader_free(of->crowded_times);
        rank_notes_reader_free(of->lost_cores);
        rank_notes_reader_free(of->sender_times);
    }
    free(calls);
}

int recorded_calls_check(const struct recorded_calls *calls, struct error *err)
{
    for (size_t rank = 0; calls && rank < calls->n_ranks; rank++) {
        const struct rank_calls *of = &calls->ranks[rank];
        if ((of->own_times && rank_notes_failed(of->own_times)) ||
            (of->crowded_times && rank_notes_failed(of->crowded_times)) ||
            (of->lost_cores && rank_notes_failed(of->lost_cores)) ||
            (of->sender_times && rank_notes_failed(of->sender_times)))
            return error_set(err,
                             "the temporary file in %s cannot be read back; TMPDIR names another "
                             "folder",
                             scratch_file_folder());
    }
    return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/// What of CALL, of a rank that polled for a core, is its own at most: one that lost its core
/// polled for what it had from other ranks on it, which it has no longer to wait for on other
/// cores.
static uint64_t usual_time(const struct prediction *prediction, const struct pag_call *call)
{
    uint64_t number;
    struct rank_notes_reader *lost =
        prediction->calls ? prediction->calls->ranks[call->rank].lost_cores : NULL;
    bool has_polled = prediction->scenario->settings->spins && lost && !call->is_handle &&
                      !prediction->scenario->keeps_cores[call->rank] &&
                      rank_notes_at(lost, call->recorded_leave_ns, &number);
    return has_polled ? recorded_usual_ns(prediction->recorded, call->region) : UINT64_MAX;
}

/// Of a call in which others had the cores only its own time is work. (Where waiting ranks keep
/// their cores busy it may be polling; the CPU clock knows no better, but its limit counts.)
uint64_t recorded_own_work(const struct prediction *prediction, const struct pag_call *call)
{
    struct rank_notes_reader *own_times = prediction->calls->ranks[call->rank].own_times;
    uint64_t length_ns = call->recorded_leave_ns - call->recorded_enter_ns, own_ns = length_ns;
    if (!own_times || call->is_handle)
        return call->recorded_work_ns;
    rank_notes_at(own_times, call->recorded_leave_ns, &own_ns);
    if (own_ns > length_ns) // of another call, and this one has no length
        own_ns = length_ns;
    if (!prediction->scenario->settings->spins)
        return own_ns;
    if (!call->is_waiting)
        own_ns = least(own_ns, usual_time(prediction, call));
    return least(call->recorded_work_ns, own_ns);
}

/// Who had enough cores had one, whatever CPU samples say.
uint64_t recorded_process_time(const struct prediction *prediction, uint32_t rank, uint64_t end_ns,
                               uint64_t wall_ns, uint64_t cpu_ns)
{
    struct rank_notes_reader *crowded_times = prediction->calls->ranks[rank].crowded_times;
    uint64_t crowded_ns = 0;
    if (!crowded_times || prediction->scenario->settings->spins)
        return cpu_ns;
    rank_notes_at(crowded_times, end_ns, &crowded_ns);
    uint64_t alone_ns = wall_ns > crowded_ns ? wall_ns - crowded_ns : 0;
    return alone_ns > cpu_ns ? alone_ns : cpu_ns;
}

/// What of CALL is its own at most, because of a sender that had no core for a while: not the time
/// until then, unless the sender shares the cores it had with the same ranks.
static uint64_t own_limit(const struct prediction *prediction, const struct pag_call *call)
{
    struct rank_notes_reader *sender_times =
        prediction->calls ? prediction->calls->ranks[call->rank].sender_times : NULL;
    struct recorded_sender sender;
    uint64_t number;
    bool needs_sender = sender_times && !prediction->scenario->settings->spins &&
                        !call->is_handle &&
                        rank_notes_at(sender_times, call->recorded_leave_ns, &number) &&
                        recorded_read_sender(prediction->recorded, call->rank, number, &sender);
    return needs_sender && !prediction->scenario->keeps_cores[sender.rank] ? sender.own_ns
                                                                           : UINT64_MAX;
}

pag_work recorded_costs_before(struct prediction *prediction, const struct pag_call *call,
                               const uint32_t *receivers)
{
    (void)receivers;
    (void)prediction;
    pag_work amount = call->is_waiting ? 0 : (pag_work)call->recorded_work_ns * PAG_WORK_PER_NS;
    return call->n_left_out == 0 ? amount
                                 : amount * (call->n_records - call->n_left_out) / call->n_records;
}

/// Whether a call waits for messages: what it works then is known by their sizes.
static bool receives(const struct pag_condition *conditions, uint32_t n_conditions)
{
    bool does = false;
    for (uint32_t i = 0; i < n_conditions; i++)
        does = does || conditions[i].kind == PAG_CONDITION_MESSAGE;
    return does;
}

void recorded_costs_settle(struct prediction *prediction, const struct pag_call *call,
                           const struct pag_condition *conditions, uint32_t n_conditions,
                           uint64_t *ready_ns, pag_work *work)
{
    const struct scenario *scenario = prediction->scenario;
    struct pag_call own = *call;
    own.recorded_work_ns = least(call->recorded_work_ns, own_limit(prediction, call));
    if (!receives(conditions, n_conditions))
        own.recorded_work_ns = least(own.recorded_work_ns, usual_time(prediction, call));
    recorded_settle(prediction->recorded, &own, conditions, n_conditions,
                    &(struct recorded_scenario){scenario->placement.node_of_rank,
                                                scenario->settings->spins, scenario->keeps_cores},
                    &prediction->use, ready_ns, work);
}

uint64_t recorded_costs_length(const struct prediction *prediction, const struct pag_call *call,
                               bool is_unknown)
{
    (void)prediction, (void)is_unknown;
    return call->recorded_leave_ns - call->recorded_enter_ns;
}

static bool is_rendezvous(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                          uint64_t size_bytes)
{
    bool is_remote = scopes_is_remote(&prediction->scenario->scopes, sender, receiver);
    return recorded_is_rendezvous(prediction->recorded, is_remote, size_bytes);
}

static uint64_t message_ns(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                           uint64_t size_bytes)
{
    bool is_remote = scopes_is_remote(&prediction->scenario->scopes, sender, receiver);
    return recorded_flight_ns(prediction->recorded, is_remote, size_bytes);
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
    .message_ns = message_ns,
    .synchronises = recorded_costs_synchronise,
};
