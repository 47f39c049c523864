// SPDX-License-Identifier: BSD-3-Clause
// The callbacks of a simulated run: scheduling by scheduler.c, costs by recorded.c or machine.c.
#include "analyzer/simulation/prediction.h"

#include <stdlib.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"

static void work(void *context, uint32_t location, uint64_t now_ns, pag_work amount,
                 enum pag_turn turn)
{
    const struct prediction *prediction = context;
    scheduler_work(prediction->scheduler, location, now_ns, amount, turn);
}

static void await(void *context, uint32_t location, uint64_t now_ns, uint64_t until_ns,
                  pag_work amount)
{
    const struct prediction *prediction = context;
    scheduler_wait(prediction->scheduler, location, now_ns, until_ns, amount);
}

static void wake(void *context, uint32_t location, uint64_t until_ns, pag_work amount)
{
    const struct prediction *prediction = context;
    scheduler_wake(prediction->scheduler, location, until_ns, amount);
}

static void note_progress(struct prediction *prediction, uint32_t rank, uint64_t enter_ns,
                          uint64_t recorded_enter_ns)
{
    struct rank_progress *progress = &prediction->progress[rank];
    if (enter_ns > progress->enter_ns)
        progress->recorded_before_ns = progress->recorded_enter_ns;
    progress->enter_ns = enter_ns;
    progress->recorded_enter_ns = recorded_enter_ns;
}

/// Up to where in the recording RANK had computed before NOW_NS.
static uint64_t has_passed_ns(const struct prediction *prediction, uint32_t rank, uint64_t now_ns)
{
    const struct rank_progress *progress = &prediction->progress[rank];
    return progress->enter_ns < now_ns ? progress->recorded_enter_ns : progress->recorded_before_ns;
}

static void end(void *context, uint32_t location, uint64_t now_ns)
{
    struct prediction *prediction = context;
    const struct location *ended = &prediction->definitions->locations[location];
    if (ended->rank != EVENT_NO_INDEX && ended->is_master)
        note_progress(prediction, ended->rank, now_ns, UINT64_MAX);
    scheduler_end(prediction->scheduler, location, now_ns);
}

static bool next(void *context, uint32_t *location, uint64_t *time_ns)
{
    const struct prediction *prediction = context;
    return scheduler_next(prediction->scheduler, location, time_ns);
}

static bool works_on(void *context, uint32_t location, uint64_t now_ns)
{
    const struct prediction *prediction = context;
    return scheduler_works_on(prediction->scheduler, location, now_ns);
}

static bool has_others(void *context, uint32_t location, uint64_t now_ns)
{
    const struct prediction *prediction = context;
    return scheduler_has_others(prediction->scheduler, location, now_ns);
}

static bool is_rendezvous(void *context, uint32_t sender, uint32_t receiver, uint64_t size_bytes)
{
    const struct prediction *prediction = context;
    const struct scopes *scopes = &prediction->scenario->scopes;
    if (prediction->machine)
        return machine_is_rendezvous(scopes_between(scopes, sender, receiver), size_bytes);
    return recorded_is_rendezvous(prediction->recorded, scopes_is_remote(scopes, sender, receiver),
                                  size_bytes);
}

static uint64_t transfer(void *context, uint32_t sender, uint32_t receiver, uint64_t size_bytes,
                         uint64_t ready_ns)
{
    const struct prediction *prediction = context;
    return contention_transfer(prediction->contention, sender, receiver, size_bytes, ready_ns);
}

static bool synchronises(void *context, uint8_t operation, bool is_finalize)
{
    const struct prediction *prediction = context;
    if (prediction->timeless)
        return timeless_synchronises(operation, is_finalize);
    return recorded_synchronises(prediction->recorded, operation, is_finalize);
}

static uint64_t scale(void *context, uint32_t location, uint64_t *mark, uint32_t region,
                      uint32_t calling_context)
{
    const struct prediction *prediction = context;
    uint64_t factor = scenario_scale(prediction->scenario, mark, region, calling_context);
    if (!prediction->visits)
        return factor;
    return (uint64_t)((pag_work)factor * visit_run_scale(prediction->visits, location, *mark) /
                      PAG_WORK_PER_NS);
}

static int32_t visit(void *context, uint32_t location, uint64_t mark)
{
    const struct prediction *prediction = context;
    return visit_run_kind(prediction->visits, location, mark);
}

static pag_work visit_work(void *context, uint32_t location, int32_t kind,
                           const struct pag_visit_part *part, bool *is_scaled)
{
    const struct prediction *prediction = context;
    return visit_run_work(prediction->visits, location, kind, part, is_scaled);
}

static uint64_t visit_scale(void *context, uint32_t location, int32_t kind, bool *is_scaled)
{
    const struct prediction *prediction = context;
    return visit_run_factor(prediction->visits, location, kind, is_scaled);
}

static bool sends(void *context, uint32_t sender, uint32_t receiver, uint32_t tag,
                  uint64_t *size_bytes)
{
    const struct prediction *prediction = context;
    return message_cuts_sends(&prediction->scenario->cuts, sender, receiver, tag, size_bytes);
}

static bool leaves_out(void *context, uint64_t mark, uint8_t class_, uint64_t size_bytes,
                       bool is_uneven)
{
    const struct prediction *prediction = context;
    return scenario_drops(prediction->scenario, mark, class_, size_bytes, is_uneven);
}

static uint64_t message_ns(void *context, uint32_t sender, uint32_t receiver, uint64_t size_bytes)
{
    const struct prediction *prediction = context;
    const struct scopes *scopes = &prediction->scenario->scopes;
    if (prediction->machine)
        return machine_message_ns(scopes_between(scopes, sender, receiver), size_bytes);
    return recorded_flight_ns(prediction->recorded, scopes_is_remote(scopes, sender, receiver),
                              size_bytes);
}

static struct pag_path_change change(void *context, uint64_t mark, uint32_t rank)
{
    const struct prediction *prediction = context;
    return moves_change(&prediction->scenario->moves, mark, rank);
}

static uint32_t move_of(void *context, uint32_t moves, uint32_t from, uint32_t to)
{
    const struct prediction *prediction = context;
    return moves_move_of(&prediction->scenario->moves, moves, from, to);
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
    bool has_polled =
        prediction->scenario->settings->spins && prediction->lost_cores[call->rank] &&
        !call->is_handle && !prediction->scenario->keeps_cores[call->rank] &&
        rank_notes_at(prediction->lost_cores[call->rank], call->recorded_leave_ns, &number);
    return has_polled ? recorded_usual_ns(prediction->recorded, call->region) : UINT64_MAX;
}

/// Of a call in which others had the cores only its own time is work. (Where waiting ranks keep
/// their cores busy it may be polling; the CPU clock knows no better, but its limit counts.)
static uint64_t own_work(void *context, const struct pag_call *call)
{
    struct prediction *prediction = context;
    struct rank_notes_reader *own_times = prediction->own_times[call->rank];
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
static uint64_t process_time(void *context, uint32_t rank, uint64_t end_ns, uint64_t wall_ns,
                             uint64_t cpu_ns)
{
    struct prediction *prediction = context;
    struct rank_notes_reader *crowded_times = prediction->crowded_times[rank];
    uint64_t crowded_ns = 0;
    if (!crowded_times || prediction->scenario->settings->spins)
        return cpu_ns;
    rank_notes_at(crowded_times, end_ns, &crowded_ns);
    uint64_t alone_ns = wall_ns > crowded_ns ? wall_ns - crowded_ns : 0;
    return alone_ns > cpu_ns ? alone_ns : cpu_ns;
}

/// What keeps a process that starts from its core is not recorded, but whose work it can have been:
/// of a rank that shared its cores that of the others, as process_time() sees to, which takes less
/// time on faster cores. Of one that had cores enough it was no rank's, and stays as long.
static uint64_t start_time(void *context, uint32_t rank, pag_work work, uint64_t lost_ns)
{
    const struct prediction *prediction = context;
    const struct scenario *scenario = prediction->scenario;
    pag_work speed = scenario->groups[scenario->group_of_rank[rank]].speed;
    pag_work scaled = work;
    if (recorded_lacked_cores(prediction->recorded, rank)) {
        scaled += (pag_work)lost_ns * PAG_WORK_PER_NS;
        lost_ns = 0;
    }
    scaled = scaled * SCHEDULER_FULL_SPEED / speed;
    return (uint64_t)(scaled / PAG_WORK_PER_NS) + lost_ns;
}

/// What is known of ranks that lacked cores.
static void read_notes(struct prediction *prediction, const struct definitions *definitions)
{
    prediction->n_ranks = definitions->n_ranks;
    prediction->send_limits = memory_zeroed(definitions->n_ranks, sizeof *prediction->send_limits);
    prediction->progress = memory_zeroed(definitions->n_ranks, sizeof *prediction->progress);
    for (int kind = 0; kind < RECORDED_PARTNERS; kind++)
        prediction->partner_times[kind] =
            memory_zeroed(definitions->n_ranks, sizeof *prediction->partner_times[kind]);
    prediction->lost_cores = memory_zeroed(definitions->n_ranks, sizeof *prediction->lost_cores);
    prediction->own_times = memory_zeroed(definitions->n_ranks, sizeof *prediction->own_times);
    prediction->crowded_times =
        memory_zeroed(definitions->n_ranks, sizeof *prediction->crowded_times);
    for (uint32_t rank = 0; rank < definitions->n_ranks; rank++) {
        if (!recorded_lacked_cores(prediction->recorded, rank))
            continue;
        prediction->own_times[rank] = recorded_own_times(prediction->recorded, rank);
        prediction->crowded_times[rank] = recorded_crowded_times(prediction->recorded, rank);
        for (int kind = 0; kind < RECORDED_PARTNERS; kind++)
            prediction->partner_times[kind][rank] =
                recorded_partner_times(prediction->recorded, kind, rank);
        prediction->lost_cores[rank] = recorded_lost_cores(prediction->recorded, rank);
        prediction->clock.own_work = own_work;
        prediction->clock.process_time = process_time;
    }
}

/// Who lacked cores took turns with others while it polled.
static bool polls_wait(void *context, uint32_t rank)
{
    const struct prediction *prediction = context;
    return !recorded_lacked_cores(prediction->recorded, rank);
}

/// What is known of a partner of this kind that CALL needed with a core and that lacked it for a
/// while; false: there is none.
static bool find_partner(const struct prediction *prediction, const struct pag_call *call,
                         enum recorded_partner_kind kind, struct recorded_partner *partner)
{
    struct rank_notes_reader *partner_times = prediction->partner_times[kind][call->rank];
    uint64_t number;
    return partner_times && !prediction->scenario->settings->spins && !call->is_handle &&
           rank_notes_at(partner_times, call->recorded_leave_ns, &number) &&
           recorded_read_partner(prediction->recorded, call->rank, number, partner);
}

/// CALL is entered: what of it is its own at most, if it completes sends. The time without the
/// receiver's core is not, where that is free now, or others share it.
static uint64_t limit_sending(struct prediction *prediction, const struct pag_call *call)
{
    struct recorded_partner partner;
    struct send_limit *limit = &prediction->send_limits[call->rank];
    if (!find_partner(prediction, call, RECORDED_RECEIVER, &partner))
        return UINT64_MAX;
    bool is_as_it_was = prediction->scenario->keeps_cores[partner.rank] &&
                        has_passed_ns(prediction, partner.rank, call->enter_ns) <
                            call->recorded_leave_ns - partner.own_ns;
    *limit =
        (struct send_limit){call->recorded_leave_ns, is_as_it_was ? UINT64_MAX : partner.own_ns};
    return limit->own_ns;
}

/// What of CALL is its own at most: not the time in which a partner lacked a core that others share
/// now, or that it has now.
static uint64_t own_limit(const struct prediction *prediction, const struct pag_call *call)
{
    struct recorded_partner sender;
    const struct send_limit *limit = &prediction->send_limits[call->rank];
    bool is_sender_as_it_was = !find_partner(prediction, call, RECORDED_SENDER, &sender) ||
                               prediction->scenario->keeps_cores[sender.rank];
    bool is_known = limit->recorded_leave_ns == call->recorded_leave_ns; // else it was put off
    return least(is_sender_as_it_was ? UINT64_MAX : sender.own_ns,
                 is_known ? limit->own_ns : UINT64_MAX);
}

static pag_work work_before(void *context, const struct pag_call *call, const uint32_t *receivers)
{
    struct prediction *prediction = context;
    pag_work amount = 0;
    note_progress(prediction, call->rank, call->enter_ns, call->recorded_enter_ns);
    if (call->is_finalize) {
        prediction->n_finalized++;
        prediction->last_finalize_ns = call->enter_ns; // calls are entered in the order of time
    }
    if (!prediction->machine || (call->is_handle && !prediction->timeless)) {
        uint64_t own_ns = call->recorded_work_ns;
        if (own_ns > 0)
            own_ns = least(own_ns, limit_sending(prediction, call));
        amount = call->is_waiting ? 0 : (pag_work)own_ns * PAG_WORK_PER_NS;
        return call->n_left_out == 0
                   ? amount
                   : amount * (call->n_records - call->n_left_out) / call->n_records;
    }
    for (uint32_t i = 0; i < call->n_sent; i++)
        amount += scopes_between(&prediction->scenario->scopes, call->rank, receivers[i])
                      ->send_overhead_ns;
    return amount * PAG_WORK_PER_NS;
}

/// Whether a call waits for messages: what it works then is known by their sizes.
static bool receives(const struct pag_condition *conditions, uint32_t n_conditions)
{
    bool does = false;
    for (uint32_t i = 0; i < n_conditions; i++)
        does = does || conditions[i].kind == PAG_CONDITION_MESSAGE;
    return does;
}

static void settle(void *context, const struct pag_call *call,
                   const struct pag_condition *conditions, uint32_t n_conditions,
                   uint64_t *ready_ns, pag_work *amount)
{
    struct prediction *prediction = context;
    const uint32_t *node_of_rank = prediction->scenario->placement.node_of_rank;
    if (prediction->is_delayed)
        conditions = added_delay_apply(&prediction->delay, conditions, n_conditions);
    if (prediction->machine && (!call->is_handle || prediction->timeless))
        machine_settle(&prediction->scenario->scopes, call, conditions, n_conditions, ready_ns,
                       amount);
    else {
        struct pag_call own = *call;
        own.recorded_work_ns = least(call->recorded_work_ns, own_limit(prediction, call));
        if (!receives(conditions, n_conditions))
            own.recorded_work_ns = least(own.recorded_work_ns, usual_time(prediction, call));
        recorded_settle(prediction->recorded, &own, conditions, n_conditions,
                        &(struct recorded_scenario){node_of_rank,
                                                    prediction->scenario->settings->spins,
                                                    prediction->scenario->keeps_cores},
                        &prediction->use, ready_ns, amount);
    }
}

static uint64_t visit_ps(void *context, uint32_t location, uint64_t mark, const struct event *enter)
{
    const struct prediction *prediction = context;
    return timeless_visit_ps(prediction->timeless, location, mark, enter);
}

/// Partners that nobody knows, and handles, take no time where no recorded one counts.
static uint64_t no_length(void *context, const struct pag_call *call, bool is_unknown)
{
    (void)context, (void)call, (void)is_unknown;
    return 0;
}

static void go_by_order(struct prediction *prediction, const struct definitions *definitions)
{
    if (!prediction->scenario->settings->is_timeless)
        return;
    prediction->timeless = timeless_new(definitions, prediction->machine, prediction->scenario);
    prediction->clock.visit_ps = visit_ps;
    prediction->clock.least_length = no_length;
    prediction->clock.counts_wall_time = true;
}

static void entered(void *context, const struct pag_operation *operation, uint64_t entered_ns)
{
    const struct prediction *prediction = context;
    collective_runs_entered(prediction->collectives, operation, entered_ns);
}

static bool carries_out(void *context, const struct pag_operation *operation)
{
    const struct prediction *prediction = context;
    return collective_runs_carries_out(prediction->collectives, operation);
}

static uint64_t through(void *context, const struct pag_operation *operation, uint32_t *by)
{
    const struct prediction *prediction = context;
    return collective_runs_through(prediction->collectives, operation, by);
}

static bool part_sent(void *context, struct pag_part_message *message)
{
    const struct prediction *prediction = context;
    return collective_runs_sent(prediction->collectives, message);
}

static uint32_t part_arrived(void *context, uint32_t id, uint64_t arrived_ns,
                             const uint32_t **ranks)
{
    const struct prediction *prediction = context;
    return collective_runs_arrived(prediction->collectives, id, arrived_ns, ranks);
}

static void over(void *context, uint32_t instance)
{
    const struct prediction *prediction = context;
    collective_runs_over(prediction->collectives, instance);
}

/// The master of a rank that may wait for its core in an operation; else EVENT_NO_INDEX.
static uint32_t rank_of_master(const struct prediction *prediction, uint32_t location)
{
    const struct location *known = &prediction->definitions->locations[location];
    return known->is_master ? known->rank : EVENT_NO_INDEX;
}

static void await_step(void *context, uint32_t location, uint64_t now_ns, uint64_t until_ns,
                       pag_work amount)
{
    const struct prediction *prediction = context;
    uint32_t rank = rank_of_master(prediction, location);
    if (until_ns == PAG_NOT_KNOWN && rank != EVENT_NO_INDEX) {
        until_ns = collective_runs_await(prediction->collectives, rank);
        amount = 0; // what follows is told when the wait is over
    }
    scheduler_wait(prediction->scheduler, location, now_ns, until_ns, amount);
}

static uint32_t step(void *context, uint32_t location, uint64_t now_ns, const uint32_t **ranks)
{
    const struct prediction *prediction = context;
    return collective_runs_step(prediction->collectives, rank_of_master(prediction, location),
                                now_ns, ranks);
}

static uint32_t let_go(void *context, const struct pag_operation *operation, const uint32_t **ranks)
{
    const struct prediction *prediction = context;
    return collective_runs_let_go(prediction->collectives, operation, ranks);
}

/// Operations are done step by step where algorithms say how, and where each step needs a core that
/// it may have to wait for.
static void carry_out_collectives(struct prediction *prediction,
                                  const struct definitions *definitions)
{
    bool has_algorithms = prediction->machine && machine_has_algorithms(prediction->machine);
    bool has_slices = prediction->scenario->is_shared && prediction->scenario->slice_ns > 0;
    if (!has_algorithms && !has_slices)
        return;
    prediction->collectives = collective_runs_new(
        definitions, prediction->scenario, prediction->is_delayed ? &prediction->delay : NULL,
        prediction->contention != NULL, has_slices ? prediction->scheduler : NULL);
    if (has_slices) {
        prediction->clock.wait = await_step;
        prediction->clock.step = step;
        prediction->clock.let_go = let_go;
    }
    if (prediction->contention) {
        prediction->clock.part_sent = part_sent;
        prediction->clock.part_arrived = part_arrived;
    }
    prediction->clock.entered = entered;
    prediction->clock.carries_out = carries_out;
    prediction->clock.through = through;
    prediction->clock.over = over;
}

/// Links and buses.
static void share_network(struct prediction *prediction)
{
    const struct scenario *scenario = prediction->scenario;
    if (!prediction->machine)
        return;
    prediction->contention =
        contention_new(&scenario->scopes, (const char *const *)scenario->placement.node_names);
    if (prediction->contention)
        prediction->clock.transfer = transfer;
}

/// A location of no rank, or a further thread of one, has a core of its own.
static struct scheduler *share_cores(const struct scenario *scenario,
                                     const struct definitions *definitions)
{
    size_t n_groups = scenario->n_groups;
    struct core_group *groups = memory_new((n_groups + definitions->n_locations) * sizeof *groups);
    uint32_t *group_of = memory_new(definitions->n_locations * sizeof *group_of);
    for (size_t i = 0; i < n_groups; i++)
        groups[i] = scenario->groups[i];
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        if (location->rank != EVENT_NO_INDEX && location->is_master) {
            group_of[i] = scenario->group_of_rank[location->rank];
            continue;
        }
        group_of[i] = (uint32_t)n_groups;
        groups[n_groups++] = (struct core_group){1, SCHEDULER_FULL_SPEED, 0, 0};
    }
    struct scheduler *scheduler = scheduler_new(
        groups, n_groups, group_of, definitions->n_locations, scenario->settings->spins);
    free(groups);
    free(group_of);
    return scheduler;
}

void prediction_init(struct prediction *prediction, const struct definitions *definitions,
                     const struct scenario *scenario, const struct recorded *recorded)
{
    const struct machine *machine = scenario->settings->machine;
    if (machine && !machine_has_messages(machine))
        machine = NULL;
    uint32_t n_changes = scenario->moves.n_moves + scenario->moves.n_overlaps;
    *prediction = (struct prediction){
        .definitions = definitions,
        .scenario = scenario,
        .recorded = recorded,
        .machine = machine,
        .scheduler = share_cores(scenario, definitions),
        .clock = {.context = prediction,
                  .counts_wall_time = !scenario->knows_cores,
                  .departs_at_enter = !machine,
                  .work = work,
                  .wait = await,
                  .wake = wake,
                  .end = end,
                  .next = next,
                  .works_on = works_on,
                  .has_others = has_others,
                  .scale = region_patterns_count(scenario->regions) > 0 ? scale : NULL,
                  .change = n_changes > 0 ? change : NULL,
                  .aggregate_bytes = scenario->settings->aggregate_bytes,
                  .message_ns = message_ns,
                  .overlaps = scenario->moves.n_overlaps > 0,
                  .move_of = scenario->moves.n_moves ? move_of : NULL,
                  .sends = scenario->cuts.n > 0 ? sends : NULL,
                  .leaves_out = scenario->n_drops > 0 ? leaves_out : NULL,
                  .move_data_bytes = scenario->settings->move_data_bytes,
                  .node_of_rank = scenario->placement.node_of_rank,
                  .is_rendezvous = is_rendezvous,
                  .synchronises = synchronises,
                  .work_before = work_before,
                  .settle = settle,
                  .start_time = start_time},
    };
    if (!prediction->machine)
        prediction->clock.polls_wait = polls_wait;
    prediction->is_delayed =
        scenario->settings->added_latency_ns > 0 || scenario->settings->added_byte_fs > 0;
    if (prediction->is_delayed)
        added_delay_init(&prediction->delay, definitions, &scenario->placement,
                         scenario->settings->added_latency_ns, scenario->settings->added_byte_fs);
    share_network(prediction);
    carry_out_collectives(prediction, definitions);
    go_by_order(prediction, definitions);
    read_notes(prediction, definitions);
    if (scenario->works.n > 0 && scenario->visits) {
        prediction->visits = visit_run_new(scenario->visits, scenario);
        prediction->clock.visit = visit;
        prediction->clock.visit_work = visit_work;
        prediction->clock.visit_scale = visit_scale;
    }
}

int prediction_check(const struct prediction *prediction, struct error *err)
{
    for (size_t rank = 0; rank < prediction->n_ranks; rank++) {
        const struct rank_notes_reader *own = prediction->own_times[rank];
        const struct rank_notes_reader *crowded = prediction->crowded_times[rank];
        const struct rank_notes_reader *lost = prediction->lost_cores[rank];
        if ((own && rank_notes_failed(own)) || (crowded && rank_notes_failed(crowded)) ||
            (lost && rank_notes_failed(lost)))
            return error_set(err,
                             "the temporary file in %s cannot be read back; TMPDIR names another "
                             "folder",
                             scratch_file_folder());
    }
    return 0;
}

void prediction_release(struct prediction *prediction)
{
    visit_run_free(prediction->visits);
    for (size_t rank = 0; rank < prediction->n_ranks; rank++) {
        rank_notes_reader_free(prediction->own_times[rank]);
        rank_notes_reader_free(prediction->crowded_times[rank]);
        rank_notes_reader_free(prediction->lost_cores[rank]);
        for (int kind = 0; kind < RECORDED_PARTNERS; kind++)
            rank_notes_reader_free(prediction->partner_times[kind][rank]);
    }
    free(prediction->own_times);
    free(prediction->lost_cores);
    free(prediction->crowded_times);
    for (int kind = 0; kind < RECORDED_PARTNERS; kind++)
        free(prediction->partner_times[kind]);
    free(prediction->send_limits);
    free(prediction->progress);
    scheduler_free(prediction->scheduler);
    contention_free(prediction->contention);
    collective_runs_free(prediction->collectives);
    added_delay_release(&prediction->delay);
    timeless_free(prediction->timeless);
    *prediction = (struct prediction){0};
}
