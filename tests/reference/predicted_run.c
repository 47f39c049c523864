// SPDX-License-Identifier: BSD-3-Clause
// The predicted run, event by event. Each rank works outside MPI, then in a call until its messages
// depart, waits there, works on and leaves. Those that run on the same cores share them equally.
#include "tests/reference/predicted_run.h"

#include "analyzer/base/memory.h"
#include "tests/reference/predicted_state.h"

/// What call C waits for, receives as posted, sends as completed: of equals the first one decides.
/// CONDITIONS has room for everything the run has.
static uint32_t conditions_of(const struct prediction_state *state, uint32_t c,
                              struct condition *conditions)
{
    const struct model *model = state->model;
    uint32_t n = 0;
    for (uint32_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *receive = &model->receives[r];
        if (receive->complete_call != c || receive->send == REFERENCE_NONE ||
            model->sends[receive->send].is_unsent)
            continue;
        uint32_t at = n++;
        for (;
             at > 0 && model->receives[conditions[at - 1].index].post_record > receive->post_record;
             at--)
            conditions[at] = conditions[at - 1];
        conditions[at] = (struct condition){CONDITION_RECEIVE, r};
    }
    uint32_t n_receives = n;
    for (uint32_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->complete_call != c || send->receive == REFERENCE_NONE || send->is_unsent ||
            (!is_waiting_send(model, send) && !is_held_send(model, send)))
            continue;
        uint32_t at = n++;
        for (; at > n_receives &&
               model->sends[conditions[at - 1].index].complete_record > send->complete_record;
             at--)
            conditions[at] = conditions[at - 1];
        conditions[at] = (struct condition){CONDITION_SEND, s};
    }
    for (uint32_t p = 0; p < model->n_parts; p++)
        if (model->parts[p].complete_call == c && is_waiting_part(model, p))
            conditions[n++] = (struct condition){CONDITION_COLLECTIVE, p};
    return n;
}

static struct condition *new_conditions(const struct model *model)
{
    return memory_zeroed(model->n_receives + model->n_sends + model->n_parts + 1,
                         sizeof(struct condition));
}

/// The earliest end of call C on an ideal network, which begins with the window.
static uint64_t before_window_ns(const struct model *model, uint32_t c)
{
    uint64_t leave_ns = model->calls[c].leave_ns;
    return leave_ns < model->window_begin_ns ? leave_ns : model->window_begin_ns;
}

/// Does call C send messages, and only such as cost nothing because they follow others?
static bool sends_only_followers(const struct model *model, uint32_t c)
{
    uint32_t n_followers = 0, n_others = 0;
    for (uint32_t s = 0; s < model->n_sends; s++) {
        if (model->sends[s].call != c || model->sends[s].is_unsent)
            continue;
        n_followers += model->sends[s].follows != NULL;
        n_others += model->sends[s].follows == NULL;
    }
    return n_followers > 0 && n_others == 0;
}

/// Work of a call in front of its waiting; of one that waits for nobody it is all, less what is
/// left out; of one put off nothing.
static parts_t work_before(const struct prediction_state *state, const struct step *step,
                           bool is_waiting)
{
    const struct model *model = state->model;
    const struct model_call *call = &model->calls[step->call];
    if (state->scenario->is_ideal) {
        uint64_t least_ns = before_window_ns(model, step->call);
        return is_waiting || least_ns < call->enter_ns
                   ? 0
                   : (parts_t)(least_ns - call->enter_ns) * PER_NS;
    }
    if (!state->scenario->has_machine) {
        parts_t recorded = (parts_t)(call->leave_ns - call->enter_ns + call->polled_ns) * PER_NS;
        if (is_waiting || call->is_waiting_poll || step->is_put_off ||
            sends_only_followers(model, step->call))
            return 0;
        uint32_t n_less = call->n_left_out + joined_sends(model, step->call);
        if (n_less == 0)
            return recorded;
        return n_less < call->n_records ? recorded * (call->n_records - n_less) / call->n_records
                                        : 0;
    }
    uint64_t overhead_ns = 0;
    for (uint32_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->call == step->call && !send->is_unsent && !send->follows)
            overhead_ns += machine_messages_between(state->scenario, send->sender, send->receiver)
                               ->send_overhead_ns;
    }
    return (parts_t)overhead_ns * PER_NS;
}

static bool is_known(const struct prediction_state *state, const struct condition *condition)
{
    const struct model *model = state->model;
    if (condition->kind == CONDITION_COLLECTIVE &&
        is_by_messages(model, &model->parts[condition->index]))
        return by_messages_ns(model, &model->parts[condition->index]) != UNKNOWN;
    if (condition->kind == CONDITION_COLLECTIVE) {
        SCOPED uint32_t *releasers =
            memory_zeroed(2 * (size_t)model->trace->n_ranks + 1, sizeof *releasers);
        uint32_t n = releasers_of(model, condition->index, releasers);
        bool is_complete = true;
        for (uint32_t i = 0; i < n; i++)
            is_complete = is_complete &&
                          state->times.enter_ns[model->parts[releasers[i]].post_call] != UNKNOWN;
        return is_complete;
    }
    const struct model_send *send = condition->kind == CONDITION_RECEIVE
                                        ? &model->sends[model->receives[condition->index].send]
                                        : &model->sends[condition->index];
    bool is_sending = condition->kind == CONDITION_SEND;
    if (is_sending && is_held_send(model, send) &&
        state->times.taken_ns[condition->index] == UNKNOWN)
        return false;
    if (is_sending && !is_waiting_send(model, send))
        return true;
    if (state->traffic)
        return state->times.arrived_ns[send - model->sends] != UNKNOWN;
    return state->times.departed_ns[send->call] != UNKNOWN &&
           state->times.enter_ns[model->receives[send->receive].post_call] != UNKNOWN;
}

/// When call C has what it waits for, and the work that follows; false: not known by now.
static bool settle_call(const struct prediction_state *state, uint32_t c, uint64_t *ready_ns,
                        uint64_t *work_ns)
{
    SCOPED struct condition *conditions = new_conditions(state->model);
    uint32_t n = conditions_of(state, c, conditions);
    bool is_complete = true;
    for (uint32_t i = 0; i < n; i++)
        is_complete = is_complete && is_known(state, &conditions[i]);
    if (is_complete)
        *work_ns = (state->scenario->has_machine ? machine_settle_call : recorded_settle_call)(
            state->model, c, conditions, n, ready_ns);
    return is_complete;
}

/// Finds out when PROCESS, which waits, can go on, if that is known by now.
static void settle(struct prediction_state *state, struct process *process)
{
    const struct step *step = process->step;
    uint64_t latest_ns = process->late_ns, sum_ns = 0, ready_ns, work_ns;
    if (step->kind == STEP_CALL) {
        if (!settle_call(state, step->call, &latest_ns, &sum_ns))
            return;
        if (state->scenario->is_ideal && before_window_ns(state->model, step->call) > latest_ns)
            latest_ns = before_window_ns(state->model, step->call);
    }
    for (uint32_t i = 0; i < step->n_calls; i++) {
        if (!settle_call(state, step->calls[i], &ready_ns, &work_ns))
            return;
        latest_ns = ready_ns > latest_ns ? ready_ns : latest_ns;
        sum_ns += work_ns;
    }
    process->ready_ns = latest_ns;
    process->work_after_ns = sum_ns;
}

static bool waits(const struct prediction_state *state, const struct step *step)
{
    SCOPED struct condition *conditions = new_conditions(state->model);
    uint32_t n = conditions_of(state, step->call, conditions);
    return !step->is_put_off && (n > 0 || is_handle_call(state->model, step->call));
}

static bool departs_at_enter(const struct predicted_scenario *scenario)
{
    return !scenario->has_machine || scenario->is_ideal;
}

static void depart(struct prediction_state *state, uint32_t call, uint64_t now_ns)
{
    state->times.departed_ns[call] = now_ns;
    groups_depart(state->model, call, now_ns);
}

/// Steps in the operation of STEP, a call, each of which needs a core; NULL: there are none.
static struct member_steps *steps_of(const struct prediction_state *state, const struct step *step)
{
    const struct model *model = state->model;
    for (uint32_t p = 0; p < model->n_parts && step->kind == STEP_CALL; p++)
        if (model->parts[p].complete_call == step->call && needs_cores(model, &model->parts[p]))
            return &state->times.steps[p];
    return NULL;
}

/// The next step of PROCESS, UNKNOWN: there is none yet.
static uint64_t next_step_ns(const struct prediction_state *state, const struct process *process)
{
    const struct member_steps *steps = steps_of(state, process->step);
    if (!steps)
        return UNKNOWN;
    by_messages_ns(state->model, &state->model->parts[steps - state->times.steps]);
    return steps->due_ns;
}

/// PROCESS does the steps that are possible with the core it has at NOW_NS.
static void do_steps_at(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    struct member_steps *steps = steps_of(state, process->step);
    while (steps && next_step_ns(state, process) <= now_ns)
        steps->done_ns[steps->n++] = now_ns;
}

static void enter(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    const struct step *step = process->step;
    state->times.enter_ns[step->call] = now_ns;
    take_messages(state, process, now_ns);
    state->times.order[step->call] = state->times.n_entered++;
    if (departs_at_enter(state->scenario))
        depart(state, step->call, now_ns);
    start_work(state, process, PHASE_BEFORE, work_before(state, step, waits(state, step)), now_ns);
    if (has_slices(state, process))
        do_steps_at(state, process, now_ns);
}

/// What PROCESS, which waits with a core at NOW_NS, waits for; without --wait spin it leaves the
/// core unless that is there.
static void wait_in_turn(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    process->due_ns = UNKNOWN;
    settle(state, process);
    if (process->ready_ns == UNKNOWN)
        process->due_ns = next_step_ns(state, process);
    uint64_t next_ns = process->ready_ns != UNKNOWN ? process->ready_ns : process->due_ns;
    if (!state->scenario->spins && next_ns > now_ns)
        leave_turns(state, process, now_ns);
}

static void await(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    process->phase = PHASE_WAIT;
    process->ready_ns = UNKNOWN;
    process->late_ns = now_ns;
    if (has_slices(state, process))
        wait_in_turn(state, process, now_ns);
}

/// PROCESS has the core for its next step in an operation, and for those that are possible then.
static void do_step(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    struct member_steps *steps = steps_of(state, process->step);
    steps->done_ns[steps->n++] = now_ns;
    do_steps_at(state, process, now_ns);
    wait_in_turn(state, process, now_ns);
}

/// When PROCESS, which begins at NOW_NS, comes to MPI_Init at the earliest: if it lacked a core on
/// its way, with its work and all the time that it had none.
static uint64_t start_ns(const struct prediction_state *state, const struct process *process,
                         uint64_t now_ns)
{
    const struct model *model = state->model;
    const struct step *step = process->step;
    uint64_t lost_ns =
        interval_wall_ns(model, &step->interval) - interval_process_ns(model, &step->interval);
    if (step->kind != STEP_CALL || !model->calls[step->call].is_init || lost_ns == 0)
        return 0;
    parts_t speed = machine_speed_of(state->scenario, state->scenario->node[process->rank]);
    return now_ns + (uint64_t)((step->work * PER_NS / speed + (parts_t)lost_ns * PER_NS) / PER_NS);
}

/// What PROCESS does next at NOW_NS, when it has done what it did.
static void advance(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    touch_cores(state, process, now_ns);
    if (is_runnable(state, process) && process->phase != PHASE_WAIT &&
        process->phase != PHASE_STARTING) {
        if (has_slices(state, process))
            end_sliced_work(process, now_ns);
        process->done_ns = now_ns;
        process->has_done = true;
    }
    if (process->phase == PHASE_BEFORE || process->phase == PHASE_AFTER)
        take_messages(state, process, now_ns);
    switch (process->phase) {
    case PHASE_OUTSIDE:
        if (process->started_ns > now_ns) {
            process->phase = PHASE_STARTING;
            if (has_slices(state, process) && !state->scenario->spins)
                leave_turns(state, process, now_ns);
            return;
        }
        // fall through
    case PHASE_STARTING:
        if (process->step->kind == STEP_END) {
            process->phase = PHASE_ENDED;
            process->finish_ns = now_ns;
            if (has_slices(state, process))
                leave_turns(state, process, now_ns);
        } else if (process->step->kind == STEP_LATE) {
            await(state, process, now_ns);
        } else {
            enter(state, process, now_ns);
        }
        return;
    case PHASE_BEFORE:
        if (!departs_at_enter(state->scenario))
            depart(state, process->step->call, now_ns);
        if (waits(state, process->step)) {
            await(state, process, now_ns);
            return;
        }
        break;
    case PHASE_WAIT:
        if (has_slices(state, process) && !process->is_in_turn) {
            take_turns(state, process, now_ns);
            if (!process->has_core && process->ready_ns == UNKNOWN)
                return;
        }
        if (process->ready_ns == UNKNOWN) {
            do_step(state, process, now_ns);
            return;
        }
        start_work(state, process, PHASE_AFTER, (parts_t)process->work_after_ns * PER_NS, now_ns);
        return;
    default:
        break;
    }
    if (process->phase != PHASE_ABSENT)
        process->step++;
    process->started_ns = process->phase == PHASE_ABSENT ? start_ns(state, process, now_ns) : 0;
    start_work(state, process, PHASE_OUTSIDE, process->step->work, now_ns);
}

/// When PROCESS, whose wait is over at TIME_NS, has a core then; one that is away comes back.
static uint64_t with_core_ns(const struct process *process, uint64_t time_ns)
{
    if (time_ns == UNKNOWN || (process->is_in_turn && !process->has_core))
        return UNKNOWN;
    return process->is_in_turn && process->got_core_ns > time_ns ? process->got_core_ns : time_ns;
}

/// When PROCESS goes on, UNKNOWN: not before others do, or never.
static uint64_t next_ns(struct prediction_state *state, struct process *process)
{
    switch (process->phase) {
    case PHASE_ABSENT:
        return process->begin_ns;
    case PHASE_WAIT:
        if (process->ready_ns == UNKNOWN)
            settle(state, process);
        if (has_slices(state, process)) {
            if (process->ready_ns == UNKNOWN)
                process->due_ns = next_step_ns(state, process);
            uint64_t wait_ns = process->ready_ns != UNKNOWN ? process->ready_ns : process->due_ns;
            return with_core_ns(process, wait_ns);
        }
        return process->ready_ns;
    case PHASE_STARTING:
        return has_slices(state, process) ? with_core_ns(process, process->started_ns)
                                          : process->started_ns;
    case PHASE_ENDED:
        return UNKNOWN;
    default:
        return has_slices(state, process) ? sliced_end_ns(process) : work_end_ns(state, process);
    }
}

/// Which of those goes first who are done at one time: lower numbers.
static int turn_of(const struct prediction_state *state, const struct process *process)
{
    enum { FIRST, LEAVE, LAST };
    switch (process->phase) {
    case PHASE_OUTSIDE:
        return process->step->kind == STEP_END ? LAST : FIRST;
    case PHASE_BEFORE:
        return waits(state, process->step) ? FIRST : LEAVE;
    case PHASE_WAIT:
        return process->ready_ns != UNKNOWN && process->work_after_ns > 0 ? FIRST : LEAVE;
    case PHASE_ABSENT:
        return FIRST;
    default:
        return LEAVE;
    }
}

/// How long the state of a rank takes from a node that no other rank has.
static uint64_t way_ns(const struct prediction_state *state)
{
    const struct scenario_machine *machine = &state->scenario->machine;
    const struct scenario_messages *messages = machine->network.is_given ? &machine->network
                                               : machine->node.is_given  ? &machine->node
                                                                         : &machine->core;
    return state->scenario->has_machine
               ? machine_transfer_ns(messages, state->scenario->state_bytes)
               : recorded_cost(state->model, COST_FLIGHT, true, 0);
}

static void set_up(struct prediction_state *state, const struct model *recorded)
{
    changed_program_init(&state->program, recorded, state->scenario);
    const struct model *model = state->model = &state->program.model;
    state->program.model.times = &state->times;
    uint32_t n = state->n_processes;
    state->processes = memory_zeroed(n, sizeof *state->processes);
    state->cores = memory_zeroed((size_t)PROGRAM_MAX_RANKS * n, sizeof *state->cores);
    state->times.enter_ns = memory_zeroed(model->n_calls + 1, sizeof(uint64_t));
    state->times.order = memory_zeroed(model->n_calls + 1, sizeof(uint64_t));
    state->times.steps = memory_zeroed(model->n_parts + 1, sizeof *state->times.steps);
    for (size_t p = 0; p < model->n_parts; p++)
        state->times.steps[p].due_ns = UNKNOWN;
    state->times.taken_ns = memory_zeroed(model->n_sends + 1, sizeof(uint64_t));
    for (size_t s = 0; s < model->n_sends; s++)
        state->times.taken_ns[s] = UNKNOWN;
    state->times.together_ns = memory_zeroed(model->n_sends + 1, sizeof(uint64_t));
    state->times.departed_ns = memory_zeroed(model->n_calls + 1, sizeof(uint64_t));
    if (scenario_has_contention(state->scenario, n)) {
        state->traffic = traffic_new(state->scenario);
        state->times.arrived_ns = memory_zeroed(model->n_sends + 1, sizeof(uint64_t));
        for (size_t i = 0; i < model->n_sends; i++)
            state->times.arrived_ns[i] = UNKNOWN;
        state->times.parts = memory_zeroed(1, sizeof *state->times.parts);
        state->times.parts->is_over = memory_zeroed(model->n_instances + 1, sizeof(bool));
    }
    for (size_t c = 0; c < model->n_calls; c++)
        state->times.enter_ns[c] = state->times.departed_ns[c] = UNKNOWN;
    for (uint32_t rank = 0; rank < n; rank++) {
        struct process *process = &state->processes[rank];
        process->rank = rank;
        process->step = state->program.steps[rank];
        if (!state->scenario->is_timeless) // else all begin at 0
            process->begin_ns = model->trace->locations[rank].records[0].time_ns;
        if (state->scenario->begins_elsewhere)
            process->begin_ns += way_ns(state);
    }
    deal_cores(state);
}

/// May RECEIVE, posted before it is completed, take SEND for all that its posting says?
static bool may_take(const struct model *model, const struct model_receive *receive,
                     const struct model_send *send)
{
    const struct record *posting =
        &model->trace->locations[receive->location].records[receive->post_record];
    if (receive->receiver != send->receiver || receive->is_reserving ||
        receive->post_call == receive->complete_call)
        return false;
    return !posting->has_envelope ||
           (posting->comm == send->comm &&
            (posting->peer == REFERENCE_NONE || posting->peer == send->sender) &&
            (posting->tag == REFERENCE_NONE || posting->tag == send->tag));
}

/// Are the receives of SEND's messages completed in the order of their posting, all of them in
/// calls that name the channel, or none?
static bool is_plain(const struct model *model, const struct model_send *send)
{
    const struct model_receive *receives = model->receives;
    for (size_t a = 0; a < model->n_receives; a++) {
        if (receives[a].comm != send->comm || receives[a].sender != send->sender ||
            receives[a].receiver != send->receiver || receives[a].tag != send->tag)
            continue;
        if (receives[a].is_reserving && receives[a].post_call != receives[a].complete_call)
            return false;
        for (size_t b = 0; b < model->n_receives; b++)
            if (receives[b].comm == send->comm && receives[b].sender == send->sender &&
                receives[b].receiver == send->receiver && receives[b].tag == send->tag &&
                receives[b].slot < receives[a].slot &&
                receives[b].post_record > receives[a].post_record)
                return false;
    }
    return send->receive != REFERENCE_NONE;
}

bool predicted_run_is_open(const struct model *recorded, const struct predicted_scenario *scenario)
{
    struct changed_program program;
    changed_program_init(&program, recorded, scenario);
    const struct model *model = &program.model;
    bool is_open = false, has_limits = scenario_has_contention(scenario, model->trace->n_ranks);
    for (uint32_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->is_unsent || !is_waiting_send(model, send))
            continue;
        bool has_candidate = false, has_endless = false;
        for (uint32_t r = 0; r < model->n_receives; r++) {
            const struct model_receive *receive = &model->receives[r];
            if (!may_take(model, receive, send))
                continue;
            has_candidate = true;
            has_endless =
                has_endless || (receive->complete_call == REFERENCE_NONE && !receive->is_cancelled);
        }
        is_open = is_open || (has_candidate && (has_endless || has_limits ||
                                                scenario->holds_senders || !is_plain(model, send)));
    }
    changed_program_release(&program);
    return is_open;
}

/// Lets everybody do what he does; false when some wait for ever.
static bool run(struct prediction_state *state, uint64_t *finish_ns)
{
    for (;;) {
        struct process *next = NULL;
        uint64_t time_ns = UNKNOWN;
        for (uint32_t i = 0; i < state->n_processes; i++) {
            uint64_t own_ns = next_ns(state, &state->processes[i]);
            bool is_first = own_ns < time_ns;
            if (state->scenario->slice_ns > 0 && own_ns == time_ns && next)
                is_first = turn_of(state, &state->processes[i]) < turn_of(state, next);
            if (is_first) {
                next = &state->processes[i];
                time_ns = own_ns;
            }
        }
        uint64_t slice_end_ns;
        struct process *rotated = next_slice_end(state, &slice_end_ns);
        bool is_slice = rotated && slice_end_ns < time_ns && (next || is_anything_wanted(state));
        if (is_slice) {
            next = rotated;
            time_ns = slice_end_ns;
        }
        // Which of the messages that can go at one time goes first is known when nobody can do
        // anything else at that time.
        if (state->traffic && (!next || time_ns > state->now_ns) && begin_transfers(state, time_ns))
            continue;
        if (!next)
            break;
        state->now_ns = time_ns;
        if (is_slice)
            end_slice(state, rotated, time_ns);
        else
            advance(state, next, time_ns);
        notice_messages(state, time_ns);
    }
    bool is_complete = true;
    for (uint32_t i = 0; i < state->n_processes; i++) {
        is_complete = is_complete && state->processes[i].phase == PHASE_ENDED;
        finish_ns[i] = state->processes[i].finish_ns;
    }
    return is_complete;
}

static void release(struct prediction_state *state)
{
    changed_program_release(&state->program);
    FREE_ALL(state->processes, state->cores, state->times.enter_ns, state->times.order,
             state->times.departed_ns, state->times.arrived_ns, state->times.together_ns,
             state->times.taken_ns, state->times.steps);
    if (state->times.parts) {
        FREE_ALL(state->times.parts->items, state->times.parts->is_over, state->times.parts);
    }
    traffic_free(state->traffic);
}

bool predicted_run(const struct model *model, const struct predicted_scenario *scenario,
                   uint64_t *finish_ns)
{
    struct prediction_state state = {.scenario = scenario, .n_processes = model->trace->n_ranks};
    set_up(&state, model);
    bool is_complete = run(&state, finish_ns);
    release(&state);
    return is_complete;
}

/// When RANK, which ended at FINISH_NS, was where it was at END_NS in the recording.
static uint64_t reached_ns(const struct prediction_state *state, uint32_t rank, uint64_t end_ns,
                           uint64_t finish_ns)
{
    const struct model *model = state->model;
    const struct reference_location *location = &model->trace->locations[rank];
    uint64_t last_ns = location->records[location->n_records - 1].time_ns;
    // After the place both runs go on alike up to the next call, or the end.
    for (uint32_t c = 0; c < model->n_calls; c++) {
        const struct model_call *call = &model->calls[c];
        uint64_t enter_ns = state->times.enter_ns[c];
        if (call->location == rank && call->leave_ns > end_ns)
            return call->enter_ns > end_ns ? enter_ns - (call->enter_ns - end_ns) : enter_ns;
    }
    return last_ns > end_ns ? finish_ns - (last_ns - end_ns) : finish_ns;
}

bool predicted_ideal(const struct model *model, uint64_t *finish_ns, uint64_t *window_ns)
{
    const struct scenario_messages at_once = {.is_given = true, .n_points = 1};
    const struct predicted_scenario scenario = {
        .speed = PER_NS, .has_machine = true, .machine = {.node = at_once}, .is_ideal = true};
    struct prediction_state state = {.scenario = &scenario, .n_processes = model->trace->n_ranks};
    set_up(&state, model);
    bool is_complete = run(&state, finish_ns);
    *window_ns = 0;
    for (uint32_t rank = 0; rank < state.n_processes; rank++) {
        uint64_t at_ns = reached_ns(&state, rank, model->window_end_ns, finish_ns[rank]);
        bool counts = model->trace->locations[rank].records[0].time_ns < model->window_end_ns;
        if (counts && at_ns > model->window_begin_ns + *window_ns)
            *window_ns = at_ns - model->window_begin_ns;
    }
    release(&state);
    return is_complete;
}
