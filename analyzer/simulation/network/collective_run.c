// SPDX-License-Identifier: BSD-3-Clause
// The messages of collective operations (see collective_run.h). Members whose message has not been
// sent wait; the location that sends it sets them going again, so that each step is done once.
#include "analyzer/simulation/network/collective_run.h"

#include "analyzer/base/memory.h"
#include "analyzer/simulation/network/collective_steps.h"

static const struct stepping_rank nowhere = {NONE, NONE, false};

struct collective_runs *collective_runs_new(const struct definitions *definitions,
                                            const struct scenario *scenario,
                                            const uint32_t *site_of_rank,
                                            const struct added_latency *delay, bool has_contention,
                                            struct scheduler *scheduler)
{
    struct collective_runs *runs = memory_zeroed(1, sizeof *runs);
    runs->definitions = definitions;
    runs->scopes = &scenario->scopes;
    runs->site_of_rank = site_of_rank;
    runs->machine = scenario->scopes.machine;
    runs->has_messages = runs->machine && machine_has_messages(runs->machine);
    runs->library = scenario->library;
    runs->buffered_bytes = scenario->buffered_bytes;
    runs->draw = scenario->settings->draw;
    runs->delay = delay;
    runs->has_contention = has_contention;
    pool_init(&runs->flights, sizeof(struct flight));
    if (!scheduler)
        return runs;
    runs->scheduler = scheduler;
    runs->stepping = memory_new(definitions->n_ranks * sizeof *runs->stepping);
    for (size_t i = 0; i < definitions->n_ranks; i++)
        runs->stepping[i] = nowhere;
    return runs;
}

static void release(struct collective_run *run)
{
    if (run->state == RUN_FREE)
        return;
    FREE_ALL(run->runners, run->ready);
    map_release(&run->sent);
    pool_release(&run->messages);
    *run = (struct collective_run){.state = RUN_FREE};
}

void collective_runs_free(struct collective_runs *runs)
{
    if (!runs)
        return;
    for (size_t i = 0; i < runs->n_runs; i++)
        release(&runs->runs[i]);
    pool_release(&runs->flights);
    FREE_ALL(runs->departing, runs->through, runs->shown, runs->stepping, runs->runs, runs);
}

struct collective_use collective_runs_use(const struct collective_runs *runs)
{
    return runs ? runs->use : (struct collective_use){0};
}

void collective_runs_over(struct collective_runs *runs, uint32_t instance)
{
    if (instance >= runs->n_runs || runs->runs[instance].state == RUN_FREE)
        return;
    for (uint32_t i = 0; runs->stepping && i < runs->runs[instance].n_members; i++) {
        uint32_t rank = member_rank(runs, &runs->runs[instance], i);
        if (rank != EVENT_NO_INDEX && runs->stepping[rank].instance == instance)
            runs->stepping[rank] = nowhere;
    }
    release(&runs->runs[instance]);
}

static struct collective_run *run_of(struct collective_runs *runs,
                                     const struct collective *instance)
{
    size_t n = (size_t)instance->index + 1;
    runs->runs = array_reserve(runs->runs, &runs->capacity, n, sizeof *runs->runs);
    while (runs->n_runs < n)
        runs->runs[runs->n_runs++] = (struct collective_run){.state = RUN_FREE};
    struct collective_run *run = &runs->runs[instance->index];
    if (run->state != RUN_FREE)
        return run;
    *run = (struct collective_run){
        .state = RUN_UNDECIDED,
        .number = ++runs->n_begun,
        .sequence = instance->sequence,
        .instance = instance->index,
        .communicator = instance->communicator,
        .n_members = instance->n_members,
        .root = NONE,
        .runners = memory_new(instance->n_members * sizeof *run->runners),
        .multicast_ns = PAG_NOT_KNOWN,
    };
    map_init(&run->sent);
    pool_init(&run->messages, sizeof(struct collective_message));
    for (uint32_t i = 0; i < run->n_members; i++)
        run->runners[i] = (struct runner){.entered_ns = PAG_NOT_KNOWN,
                                          .through_ns = PAG_NOT_KNOWN,
                                          .sender = NONE,
                                          .missing = NONE,
                                          .due_ns = PAG_NOT_KNOWN};
    return run;
}

// --- members go on

/// The member does what it can.
static void go_on(struct collective_runs *runs, struct collective_run *run, uint32_t member)
{
    struct runner *self = &run->runners[member];
    uint32_t place = member_place(run, member);
    uint64_t share = member_share_bytes(run, member);
    for (; self->phase < run->plan.n_phases; self->phase++, self->step = 0) {
        struct collective_step step;
        for (; collective_plan_step(&run->plan, self->phase, place, self->step, share, &step);
             self->step++) {
            if (step.kind == STEP_SEND && self->has_received &&
                !member_messages_are_taken(runs, run, member))
                return;
            if (step.kind == STEP_SEND)
                member_send(runs, run, member, &step);
            else if (step.kind == STEP_RECEIVE && !member_receive(runs, run, member, &step))
                return;
            else if (step.kind == STEP_MULTICAST &&
                     !member_multicast(runs, run, member, step.size_bytes))
                return;
        }
        if (!member_messages_are_taken(runs, run, member))
            return;
    }
    self->through_ns = self->now_ns + member_whole_ns(runs, run, member);
    *ARRAY_NEXT(runs->through, runs->n_through, runs->through_capacity) =
        member_rank(runs, run, member);
}

static void let_go_on(struct collective_runs *runs, struct collective_run *run)
{
    runs->n_through = 0;
    while (run->n_ready > 0)
        go_on(runs, run, run->ready[--run->n_ready]);
}

/// MEMBER, which has the core it needs at NOW_NS, does what it can.
static void go_on_with_core(struct collective_runs *runs, struct collective_run *run,
                            uint32_t member, uint64_t now_ns)
{
    struct runner *self = &run->runners[member];
    self->has_core = true;
    self->core_ns = now_ns;
    self->due_ns = PAG_NOT_KNOWN;
    member_wake(run, member);
    runs->n_through = 0;
    go_on(runs, run, run->ready[--run->n_ready]);
    self->has_core = false;
    while (run->n_ready > 0)
        go_on(runs, run, run->ready[--run->n_ready]);
    if (self->through_ns != PAG_NOT_KNOWN)
        runs->stepping[member_rank(runs, run, member)] = nowhere;
}

static void start(struct collective_runs *runs, struct collective_run *run, uint32_t member)
{
    struct runner *self = &run->runners[member];
    self->now_ns = self->entered_ns;
    self->by = self->out_by = self->in_by = member;
    // Posted before, it goes by itself.
    self->needs_core = self->has_volume && !self->is_let_go && member_needs_core(runs, run, member);
    if (self->needs_core) {
        runs->stepping[member_rank(runs, run, member)] =
            (struct stepping_rank){run->instance, member, false};
        go_on_with_core(runs, run, member, self->entered_ns);
        return;
    }
    run->ready[run->n_ready++] = member;
    let_go_on(runs, run);
}

// --- for the driver

void collective_runs_entered(struct collective_runs *runs, const struct collective *instance,
                             uint32_t index)
{
    struct collective_run *run = run_of(runs, instance);
    const struct member *member = &instance->members[index];
    struct runner *runner = &run->runners[index];
    runner->entered_ns = member->in_ns;
    runner->number = ++runs->n_entered;
    runner->has_volume = member->class_ != COLLECTIVE_HANDLE;
    runner->volume = member->volume;
    if (run->state == RUN_BY_PLAN)
        start(runs, run, index);
}

/// Whether the nodes of all members lie in a row; *N: how many they are then.
static bool are_in_row(const struct collective_runs *runs, const struct collective_run *run,
                       uint32_t *n)
{
    SCOPED bool *is_used = memory_zeroed(runs->scopes->n_nodes, sizeof *is_used);
    for (uint32_t i = 0; i < run->n_members; i++)
        is_used[member_node(runs, run, i)] = true;
    return scopes_in_row(runs->scopes, is_used, run->entry, n);
}

static bool is_defined(const struct collective_runs *runs, const struct collective_run *run)
{
    for (uint32_t i = 0; i < run->n_members; i++)
        if (member_rank(runs, run, i) == EVENT_NO_INDEX)
            return false;
    return true;
}

/// Whether the operation is done step by step because some member needs a core for each of its own,
/// though what it costs is known as a whole.
static bool has_steps(const struct collective_runs *runs, const struct collective_run *run,
                      uint32_t member)
{
    bool is_any = false;
    if (!run->runners[member].has_volume)
        return false;
    for (uint32_t i = 0; i < run->n_members; i++)
        is_any = is_any || member_needs_core(runs, run, i);
    return is_any;
}

static bool is_on_one_node(const struct collective_runs *runs, const struct collective_run *run)
{
    for (uint32_t i = 1; i < run->n_members; i++)
        if (member_node(runs, run, i) != member_node(runs, run, 0))
            return false;
    return true;
}

/// The first member whose operation is known, INDEX, decides how it is carried out.
static void decide(struct collective_runs *runs, struct collective_run *run,
                   const struct collective *instance, uint32_t index)
{
    const struct member *member = &instance->members[index];
    run->size_bytes =
        collective_size_bytes(member->operation, run->n_members, member->is_root, &member->volume);
    run->root = instance->root;
    run->operation = member->operation;
    run->state = RUN_BY_FORMULA;
    if (runs->machine)
        run->entry = machine_collective(runs->machine, run->operation, run->size_bytes);
    enum collective_algorithm algorithm = run->entry ? run->entry->algorithm : ALGORITHM_FORMULA;
    run->is_free = algorithm == ALGORITHM_FORMULA || !runs->has_messages;
    uint32_t n_nodes;
    run->are_scattered = run->entry && run->entry->scattered_time && is_defined(runs, run) &&
                         !are_in_row(runs, run, &n_nodes);
    if (!is_defined(runs, run) || (run->is_free && !has_steps(runs, run, index)))
        return;
    if (algorithm == ALGORITHM_FORMULA ||
        (run->is_free && algorithm == ALGORITHM_HARDWARE_MULTICAST))
        algorithm = collective_usual_algorithm(runs->library, run->operation, run->n_members,
                                               run->size_bytes, is_on_one_node(runs, run));
    bool is_multicast = algorithm == ALGORITHM_HARDWARE_MULTICAST;
    if (is_multicast && (!are_in_row(runs, run, &n_nodes) || n_nodes < 2))
        algorithm = run->entry->tree;
    enum collective_algorithm tree = run->entry ? run->entry->tree : ALGORITHM_FLAT;
    run->plan = collective_plan(run->operation, algorithm, tree, run->n_members);
    if (run->plan.has_root && run->root >= run->n_members)
        return;
    run->state = RUN_BY_PLAN;
    runs->use.n_carried_out += !run->is_free;
    runs->use.n_multicasts += algorithm == ALGORITHM_HARDWARE_MULTICAST;
    runs->use.n_by_tree += is_multicast && algorithm != ALGORITHM_HARDWARE_MULTICAST;
    run->ready = memory_new(run->n_members * sizeof *run->ready);
    for (uint32_t i = 0; i < run->n_members; i++)
        if (run->runners[i].entered_ns != PAG_NOT_KNOWN)
            start(runs, run, i);
}

bool collective_runs_carries_out(struct collective_runs *runs, const struct collective *instance,
                                 uint32_t index)
{
    struct collective_run *run = run_of(runs, instance);
    if (run->state == RUN_UNDECIDED)
        decide(runs, run, instance, index);
    return run->state == RUN_BY_PLAN;
}

bool collective_runs_are_scattered(struct collective_runs *runs, const struct collective *instance)
{
    return run_of(runs, instance)->are_scattered;
}

static bool has_come(const struct collective_run *run, uint32_t member)
{
    return run->runners[member].entered_ns != PAG_NOT_KNOWN;
}

/// Whether what MEMBER waits for has been sent, and is on its way.
static bool waits_for_arrival(const struct collective_run *run, uint32_t member)
{
    const struct runner *runner = &run->runners[member];
    if (runner->due_ns != PAG_NOT_KNOWN || runner->awaits_takers) // it is there, or was
        return runner->due_ns != PAG_NOT_KNOWN;
    return map_get(&run->sent, message_key(member, runner->phase, runner->tag), NULL);
}

/// Who has not come and keeps MEMBER, perhaps through others, from going on; NONE: messages do.
static uint32_t first_missing(const struct collective_run *run, uint32_t member)
{
    while (has_come(run, member)) {
        const struct runner *runner = &run->runners[member];
        if (waits_for_arrival(run, member) ||
            (runner->awaits_takers && has_come(run, runner->missing)))
            return NONE;
        member = has_come(run, runner->missing) ? runner->sender : runner->missing;
    }
    return member;
}

uint64_t collective_runs_through(struct collective_runs *runs, const struct collective *instance,
                                 uint32_t index, uint32_t *by)
{
    struct collective_run *run = run_of(runs, instance);
    struct runner *self = &run->runners[index];
    *by = self->by;
    if (self->through_ns != PAG_NOT_KNOWN)
        return self->through_ns;
    if (!has_come(run, self->missing)) {
        *by = self->missing;
        return PAG_NOT_KNOWN;
    }
    *by = first_missing(run, index);
    if (*by != NONE)
        self->missing = *by;
    return PAG_NOT_KNOWN;
}

/// Those who are through, for the caller: what follows does not change them.
static uint32_t tell(struct collective_runs *runs, const uint32_t **ranks)
{
    runs->shown =
        array_reserve(runs->shown, &runs->shown_capacity, runs->n_through + 1, sizeof *runs->shown);
    for (uint32_t i = 0; i < runs->n_through; i++)
        runs->shown[i] = runs->through[i];
    *ranks = runs->shown;
    return runs->n_through;
}

uint64_t collective_runs_await(struct collective_runs *runs, uint32_t rank)
{
    struct stepping_rank *stepping = &runs->stepping[rank];
    if (stepping->instance == NONE)
        return PAG_NOT_KNOWN;
    stepping->is_waiting = true;
    return runs->runs[stepping->instance].runners[stepping->member].due_ns;
}

uint32_t collective_runs_step(struct collective_runs *runs, uint32_t rank, uint64_t now_ns,
                              const uint32_t **ranks)
{
    struct stepping_rank *stepping = &runs->stepping[rank];
    runs->n_through = 0;
    stepping->is_waiting = false;
    if (stepping->instance != NONE)
        go_on_with_core(runs, &runs->runs[stepping->instance], stepping->member, now_ns);
    return tell(runs, ranks);
}

uint32_t collective_runs_let_go(struct collective_runs *runs, const struct collective *instance,
                                uint32_t index, const uint32_t **ranks)
{
    struct collective_run *run = run_of(runs, instance);
    struct runner *self = &run->runners[index];
    runs->n_through = 0;
    self->is_let_go = true;
    if (run->state == RUN_BY_PLAN && self->needs_core) {
        self->needs_core = false;
        runs->stepping[member_rank(runs, run, index)] = nowhere;
        self->due_ns = PAG_NOT_KNOWN;
        if (self->through_ns == PAG_NOT_KNOWN) {
            member_wake(run, index);
            let_go_on(runs, run);
        }
    }
    return tell(runs, ranks);
}

bool collective_runs_sent(struct collective_runs *runs, struct transfer *message)
{
    if (runs->n_departing == 0)
        return false;
    uint32_t index = runs->departing[--runs->n_departing];
    *message = ((const struct flight *)pool_at(&runs->flights, index))->message;
    return true;
}

uint32_t collective_runs_arrived(struct collective_runs *runs, uint32_t id, uint64_t arrived_ns,
                                 const uint32_t **ranks)
{
    const struct flight flight = *(const struct flight *)pool_at(&runs->flights, id);
    struct collective_run *run = &runs->runs[flight.instance];
    uint32_t index;
    runs->n_through = 0;
    pool_give(&runs->flights, id);
    if (run->state != RUN_BY_PLAN || run->number != flight.run ||
        !map_get(&run->sent, flight.key, &index)) // it is over
        return tell(runs, ranks);
    ((struct collective_message *)pool_at(&run->messages, index))->arrived_ns = arrived_ns;
    const struct runner *receiver = &run->runners[flight.member];
    if (receiver->sender == NONE ||
        message_key(flight.member, receiver->phase, receiver->tag) != flight.key)
        return tell(runs, ranks);
    member_wake(run, flight.member);
    let_go_on(runs, run);
    return tell(runs, ranks);
}
