// SPDX-License-Identifier: BSD-3-Clause
// The messages of collective operations (see collective_run.h). Members whose message has not been
// sent wait; the location that sends it sets them going again, so that each step is done once.
#include "analyzer/simulation/network/collective_run.h"

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/pool.h"
#include "analyzer/pag/state.h"
#include "analyzer/simulation/network/collective_plan.h"

/// A member on its way through the plan.
struct runner {
    uint64_t entered_ns; // PAG_NOT_KNOWN: has not come
    bool has_volume;     // else not known yet
    struct pag_volume volume;
    uint64_t now_ns, out_ns, in_ns; // its time, and when its ports are free
    uint64_t through_ns;            // PAG_NOT_KNOWN: not yet
    uint32_t phase, step;
    uint32_t by, out_by, in_by; // members whose enter decided these times
    uint64_t number;            // order in which its rank enters operations
    uint32_t n_sent;            // messages
    uint32_t sender, tag;       // of the message it waits for; NONE: it does not wait
    uint32_t missing;           // a member it waits for, perhaps through others, that had not come
    bool is_let_go;             // does not wait
    bool needs_core;            // for each step; what it waits for may be there before it has one
    bool has_core;              // at core_ns, the present
    uint64_t core_ns;
    uint64_t due_ns; // from when on a core lets it go on; PAG_NOT_KNOWN: it cannot
};

/// Where a rank does steps that need a core.
struct stepping_rank {
    uint32_t instance, member; // NONE: nowhere
    bool is_waiting;           // for what ends its call
};
static const struct stepping_rank nowhere = {NONE, NONE, false};

/// A message that has been sent and not taken.
struct collective_message {
    uint64_t size_bytes;
    uint64_t arrived_ns; // PAG_NOT_KNOWN: not known yet
    uint32_t luck;       // what it gets of the noise
    uint32_t by;         // the member whose enter decided when
};

/// A message that waits for links and buses.
struct flight {
    struct part_message message;
    uint32_t instance, member; // the receiver
    uint64_t run, key;         // number of the run, place of the message in it
};

enum run_state { RUN_FREE, RUN_UNDECIDED, RUN_BY_FORMULA, RUN_BY_PLAN };

struct collective_run {
    enum run_state state;
    uint64_t number, sequence; // among all, and those of its communicator
    uint32_t instance, communicator, n_members, root;
    uint64_t size_bytes; // share of members that do not tell theirs yet
    const struct machine_collective *entry;
    bool is_free;       // messages take no time, but the operation as a whole
    bool are_scattered; // the nodes of its members, and its time depends on that
    uint8_t operation;
    struct collective_plan plan;
    struct runner *runners; // by member
    uint32_t *ready;        // members that can go on
    uint32_t n_ready;
    uint64_t multicast_ns; // when it has arrived, PAG_NOT_KNOWN: not known
    uint32_t multicast_by;
    struct map sent; // messages on their way, by receiver, phase and tag
    struct pool messages;
};

struct collective_runs {
    const struct definitions *definitions;
    const struct scopes *scopes;
    const uint32_t *site_of_rank;      // where each is now; NULL: its number is its site
    const struct machine *machine;     // NULL: none
    bool has_messages;                 // it tells what messages cost
    uint64_t draw;                     // of the noise, 0: none
    const struct added_latency *delay; // NULL: none
    struct collective_run *runs;       // by instance
    size_t capacity, n_runs;
    uint64_t n_begun, n_entered;
    bool has_contention;
    struct pool flights;
    uint32_t *departing; // flights that no location has taken
    uint32_t n_departing;
    size_t departing_capacity;
    uint32_t *through; // ranks that got through since the last arrival, or step
    uint32_t n_through;
    size_t through_capacity;
    uint32_t *shown; // those before, as the caller sees them
    size_t shown_capacity;
    struct scheduler *scheduler;    // of cores shared in slices of time, NULL: there are none
    struct stepping_rank *stepping; // by rank, with such cores
    uint64_t switch_ns;             // when the root switch of multicasts is free
    struct collective_use use;
};

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

static uint32_t rank_of(const struct collective_runs *runs, const struct collective_run *run,
                        uint32_t member)
{
    return runs->definitions->communicators[run->communicator].members[member];
}

void collective_runs_over(struct collective_runs *runs, uint32_t instance)
{
    if (instance >= runs->n_runs || runs->runs[instance].state == RUN_FREE)
        return;
    for (uint32_t i = 0; runs->stepping && i < runs->runs[instance].n_members; i++) {
        uint32_t rank = rank_of(runs, &runs->runs[instance], i);
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

// --- members and places

static uint32_t place_of(const struct collective_run *run, uint32_t member)
{
    if (!run->plan.has_root)
        return member;
    return member >= run->root ? member - run->root : member + run->n_members - run->root;
}

static uint32_t member_at(const struct collective_run *run, uint32_t place)
{
    if (!run->plan.has_root)
        return place;
    uint64_t member = (uint64_t)place + run->root;
    return (uint32_t)(member >= run->n_members ? member - run->n_members : member);
}

static uint32_t site_of(const struct collective_runs *runs, const struct collective_run *run,
                        uint32_t member)
{
    uint32_t rank = rank_of(runs, run, member);
    return runs->site_of_rank ? runs->site_of_rank[rank] : rank;
}

static uint32_t node_of(const struct collective_runs *runs, const struct collective_run *run,
                        uint32_t member)
{
    return runs->scopes->node_of_rank[site_of(runs, run, member)];
}

static uint64_t share_of(const struct collective_run *run, uint32_t member)
{
    const struct runner *runner = &run->runners[member];
    if (!runner->has_volume)
        return run->size_bytes;
    return collective_size_bytes(run->operation, run->n_members,
                                 run->plan.has_root && member == run->root, &runner->volume);
}

// --- steps

static const struct machine_messages *between(const struct collective_runs *runs,
                                              const struct collective_run *run, uint32_t member,
                                              uint32_t other)
{
    static const struct machine_messages no_time = {.eager_bytes = UINT64_MAX};
    if (run->is_free)
        return &no_time;
    return scopes_between(runs->scopes, site_of(runs, run, member), site_of(runs, run, other));
}

static uint64_t gap_ns(const struct machine_messages *messages, uint64_t size_bytes, uint32_t luck)
{
    uint64_t first_ns = machine_message_ns(messages, 0);
    uint64_t time_ns = machine_message_ns(messages, size_bytes);
    uint64_t factor = noise_factor(&messages->noise, luck);
    return time_ns > first_ns ? (uint64_t)((pag_work)(time_ns - first_ns) * factor / NOISE_WHOLE)
                              : 0;
}

/// What the next message of MEMBER gets of the noise: by its rank, the operation, and how many it
/// has sent there.
static uint32_t luck_of_next(const struct collective_runs *runs, const struct collective_run *run,
                             uint32_t member)
{
    return noise_luck(runs->draw, NOISE_OF_PART,
                      (uint64_t)rank_of(runs, run, member) << 32 | run->communicator,
                      run->sequence << 16 | run->runners[member].n_sent);
}

/// The same of the operation as a whole.
static uint32_t luck_of_all(const struct collective_runs *runs, const struct collective_run *run)
{
    return noise_luck(runs->draw, NOISE_OF_COLLECTIVE, run->communicator, run->sequence);
}

/// What the formula of ENTRY says of it for shares of SIZE_BYTES.
static uint64_t formula_ns(const struct collective_runs *runs, const struct collective_run *run,
                           const struct machine_collective *entry, uint64_t size_bytes)
{
    const struct machine_operation operation = {
        .n_members = run->n_members,
        .n_ranks = (uint32_t)runs->definitions->n_ranks,
        .size_bytes = size_bytes,
        .are_scattered = run->are_scattered,
        .luck = luck_of_all(runs, run),
    };
    return machine_operation_ns(runs->machine, entry, &operation);
}

static uint64_t key_of(uint32_t receiver, uint32_t phase, uint32_t tag)
{
    return (uint64_t)(receiver * COLLECTIVE_MAX_PHASES + phase) << 32 | tag;
}

static void wake(struct collective_run *run, uint32_t member)
{
    run->runners[member].sender = NONE;
    run->ready[run->n_ready++] = member;
}

static void block(struct collective_run *run, uint32_t member, uint32_t sender, uint32_t tag)
{
    run->runners[member].sender = sender;
    run->runners[member].tag = tag;
    run->runners[member].missing = sender;
}

/// MESSAGE of SELF to member TO has been sent: it arrives when links and buses let it.
static void depart(struct collective_runs *runs, const struct collective_run *run,
                   const struct runner *self, uint32_t member, uint32_t to, uint64_t key,
                   const struct collective_message *message)
{
    uint32_t index = pool_take(&runs->flights);
    *(struct flight *)pool_at(&runs->flights, index) = (struct flight){
        .message = {.sender = rank_of(runs, run, member),
                    .receiver = rank_of(runs, run, to),
                    .size_bytes = message->size_bytes,
                    .ready_ns = self->now_ns,
                    .number = self->number << 32 | self->n_sent,
                    .luck = message->luck,
                    .id = index},
        .instance = run->instance,
        .member = to,
        .run = run->number,
        .key = key,
    };
    *ARRAY_NEXT(runs->departing, runs->n_departing, runs->departing_capacity) = index;
}

static void send(struct collective_runs *runs, struct collective_run *run, uint32_t member,
                 const struct collective_step *step)
{
    struct runner *self = &run->runners[member];
    uint32_t to = member_at(run, step->peer);
    const struct machine_messages *messages = between(runs, run, member, to);
    self->now_ns += messages->send_overhead_ns;
    if (self->now_ns < self->out_ns) {
        self->now_ns = self->out_ns;
        self->by = self->out_by;
    }
    uint32_t luck = luck_of_next(runs, run, member);
    self->out_ns = self->now_ns + gap_ns(messages, step->size_bytes, luck);
    self->out_by = self->by;
    bool is_on_links = runs->has_contention && !run->is_free;
    uint32_t index = pool_take(&run->messages);
    uint64_t key = key_of(to, self->phase, step->tag);
    uint64_t time_ns =
        noise_ns(&messages->noise, machine_message_ns(messages, step->size_bytes), luck);
    struct collective_message *message = pool_at(&run->messages, index);
    *message = (struct collective_message){.size_bytes = step->size_bytes,
                                           .arrived_ns =
                                               is_on_links ? PAG_NOT_KNOWN : self->now_ns + time_ns,
                                           .luck = luck,
                                           .by = self->by};
    map_put(&run->sent, key, index);
    if (is_on_links)
        depart(runs, run, self, member, to, key, message);
    self->n_sent++;
    if (is_on_links)
        return;
    const struct runner *receiver = &run->runners[to];
    if (receiver->sender == member && receiver->phase == self->phase && receiver->tag == step->tag)
        wake(run, to);
}

/// Whether MEMBER has the core it needs to take what is there from READY_NS on; else it is due
/// then.
static bool take_core(const struct collective_runs *runs, struct collective_run *run,
                      uint32_t member, uint64_t ready_ns)
{
    struct runner *self = &run->runners[member];
    uint64_t due_ns = ready_ns > self->now_ns ? ready_ns : self->now_ns;
    if (!self->needs_core || (self->has_core && due_ns <= self->core_ns))
        return true;
    uint32_t rank = rank_of(runs, run, member);
    uint64_t now_ns = scheduler_now_ns(runs->scheduler);
    self->due_ns = due_ns > now_ns ? due_ns : now_ns;
    if (runs->stepping[rank].is_waiting)
        scheduler_wake(runs->scheduler, runs->definitions->ranks[rank].master, self->due_ns, 0);
    return false;
}

/// What MEMBER waits for has arrived at ARRIVED_NS, as the enter of BY decided.
static void take(struct collective_run *run, uint32_t member, uint64_t arrived_ns, uint32_t by,
                 uint64_t overhead_ns)
{
    struct runner *self = &run->runners[member];
    if (arrived_ns > self->now_ns) {
        self->now_ns = arrived_ns;
        self->by = by;
    }
    if (self->needs_core && self->core_ns > self->now_ns)
        self->now_ns = self->core_ns;
    self->now_ns += overhead_ns;
}

/// False when the message has not been sent, or there is no core to take it.
static bool receive(const struct collective_runs *runs, struct collective_run *run, uint32_t member,
                    const struct collective_step *step)
{
    struct runner *self = &run->runners[member];
    uint32_t from = member_at(run, step->peer), index;
    uint64_t key = key_of(member, self->phase, step->tag);
    const struct collective_message *sent =
        map_get(&run->sent, key, &index) ? pool_at(&run->messages, index) : NULL;
    if (!sent || sent->arrived_ns == PAG_NOT_KNOWN) {
        block(run, member, from, step->tag);
        return false;
    }
    const struct collective_message message = *sent;
    const struct machine_messages *messages = between(runs, run, from, member);
    uint64_t arrival_ns = message.arrived_ns;
    arrival_ns += added_latency_of_message(runs->delay, site_of(runs, run, from),
                                           site_of(runs, run, member), message.size_bytes);
    uint64_t port_ns = self->in_ns + gap_ns(messages, message.size_bytes, message.luck);
    uint64_t in_ns = arrival_ns > port_ns ? arrival_ns : port_ns;
    if (!take_core(runs, run, member, in_ns)) {
        block(run, member, from, step->tag);
        return false;
    }
    map_remove(&run->sent, key);
    pool_give(&run->messages, index);
    self->in_ns = in_ns;
    if (arrival_ns >= port_ns)
        self->in_by = message.by;
    take(run, member, in_ns, self->in_by, messages->receive_overhead_ns);
    return true;
}

/// What a multicast costs as a message: one of the network, else one from place 0 to another node.
static const struct machine_messages *multicast_messages(const struct collective_runs *runs,
                                                         const struct collective_run *run)
{
    const struct machine_messages *network = scopes_messages(runs->scopes, MACHINE_NETWORK);
    uint32_t from = member_at(run, 0), to = 0;
    if (network->n_points > 0)
        return network;
    while (node_of(runs, run, to) == node_of(runs, run, from))
        to++;
    return between(runs, run, from, to);
}

/// Sends by the hardware at place 0, receives elsewhere; false when it has not been sent.
static bool multicast(struct collective_runs *runs, struct collective_run *run, uint32_t member,
                      uint64_t size_bytes)
{
    struct runner *self = &run->runners[member];
    const struct machine_messages *messages = multicast_messages(runs, run);
    if (place_of(run, member) > 0) {
        if (run->multicast_ns == PAG_NOT_KNOWN ||
            !take_core(runs, run, member, run->multicast_ns)) {
            block(run, member, member_at(run, 0), 0);
            return false;
        }
        take(run, member, run->multicast_ns, run->multicast_by, messages->receive_overhead_ns);
        return true;
    }
    self->now_ns += messages->send_overhead_ns;
    if (self->now_ns < runs->switch_ns) {
        runs->use.switch_wait_ns += runs->switch_ns - self->now_ns;
        self->now_ns = runs->switch_ns;
    }
    run->multicast_ns = self->now_ns + added_latency_between_nodes(runs->delay, size_bytes);
    run->multicast_ns +=
        run->entry->time ? formula_ns(runs, run, run->entry, share_of(run, member))
                         : noise_ns(&run->entry->noise, machine_message_ns(messages, size_bytes),
                                    luck_of_all(runs, run));
    runs->switch_ns = run->multicast_ns;
    run->multicast_by = self->by;
    for (uint32_t i = 0; i < run->n_members; i++)
        if (run->runners[i].sender == member && run->runners[i].phase == self->phase)
            wake(run, i);
    return true;
}

/// What the operation takes MEMBER beyond the messages of its plan, which take no time then.
static uint64_t whole_ns(const struct collective_runs *runs, const struct collective_run *run,
                         uint32_t member)
{
    if (!run->is_free || !runs->has_messages ||
        !collective_waits(run->operation, member == run->root, member == 0))
        return 0;
    uint64_t size_bytes = share_of(run, member);
    return formula_ns(runs, run, machine_collective(runs->machine, run->operation, size_bytes),
                      size_bytes);
}

/// The member does what it can.
static void go_on(struct collective_runs *runs, struct collective_run *run, uint32_t member)
{
    struct runner *self = &run->runners[member];
    uint32_t place = place_of(run, member);
    uint64_t share = share_of(run, member);
    for (; self->phase < run->plan.n_phases; self->phase++, self->step = 0) {
        struct collective_step step;
        for (; collective_plan_step(&run->plan, self->phase, place, self->step, share, &step);
             self->step++) {
            if (step.kind == STEP_SEND)
                send(runs, run, member, &step);
            else if (step.kind == STEP_RECEIVE && !receive(runs, run, member, &step))
                return;
            else if (step.kind == STEP_MULTICAST && !multicast(runs, run, member, step.size_bytes))
                return;
        }
    }
    self->through_ns = self->now_ns + whole_ns(runs, run, member);
    *ARRAY_NEXT(runs->through, runs->n_through, runs->through_capacity) =
        rank_of(runs, run, member);
}

static void let_go_on(struct collective_runs *runs, struct collective_run *run)
{
    runs->n_through = 0;
    while (run->n_ready > 0)
        go_on(runs, run, run->ready[--run->n_ready]);
}

/// Its cores are shared in slices of time, and it waits in MPI, its only thread.
static bool needs_core(const struct collective_runs *runs, const struct collective_run *run,
                       uint32_t member)
{
    uint32_t rank = rank_of(runs, run, member);
    if (!runs->scheduler || rank == EVENT_NO_INDEX)
        return false;
    const struct rank *known = &runs->definitions->ranks[rank];
    return known->n_locations == 1 && scheduler_has_slices(runs->scheduler, known->master);
}

/// MEMBER, which has the core it needs at NOW_NS, does what it can.
static void go_on_with_core(struct collective_runs *runs, struct collective_run *run,
                            uint32_t member, uint64_t now_ns)
{
    struct runner *self = &run->runners[member];
    self->has_core = true;
    self->core_ns = now_ns;
    self->due_ns = PAG_NOT_KNOWN;
    wake(run, member);
    runs->n_through = 0;
    go_on(runs, run, run->ready[--run->n_ready]);
    self->has_core = false;
    while (run->n_ready > 0)
        go_on(runs, run, run->ready[--run->n_ready]);
    if (self->through_ns != PAG_NOT_KNOWN)
        runs->stepping[rank_of(runs, run, member)] = nowhere;
}

static void start(struct collective_runs *runs, struct collective_run *run, uint32_t member)
{
    struct runner *self = &run->runners[member];
    self->now_ns = self->entered_ns;
    self->by = self->out_by = self->in_by = member;
    // Posted before, it goes by itself.
    self->needs_core = self->has_volume && !self->is_let_go && needs_core(runs, run, member);
    if (self->needs_core) {
        runs->stepping[rank_of(runs, run, member)] =
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
        is_used[node_of(runs, run, i)] = true;
    return scopes_in_row(runs->scopes, is_used, run->entry, n);
}

static bool is_defined(const struct collective_runs *runs, const struct collective_run *run)
{
    for (uint32_t i = 0; i < run->n_members; i++)
        if (rank_of(runs, run, i) == EVENT_NO_INDEX)
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
        is_any = is_any || needs_core(runs, run, i);
    return is_any;
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
        algorithm = collective_usual_algorithm(run->operation, run->n_members, run->size_bytes);
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
    if (runner->due_ns != PAG_NOT_KNOWN) // it is there
        return true;
    return map_get(&run->sent, key_of(member, runner->phase, runner->tag), NULL);
}

/// Who has not come and keeps MEMBER, perhaps through others, from going on; NONE: messages do.
static uint32_t first_missing(const struct collective_run *run, uint32_t member)
{
    while (has_come(run, member)) {
        const struct runner *runner = &run->runners[member];
        if (waits_for_arrival(run, member))
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
        runs->stepping[rank_of(runs, run, index)] = nowhere;
        self->due_ns = PAG_NOT_KNOWN;
        if (self->through_ns == PAG_NOT_KNOWN) {
            wake(run, index);
            let_go_on(runs, run);
        }
    }
    return tell(runs, ranks);
}

bool collective_runs_sent(struct collective_runs *runs, struct part_message *message)
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
        key_of(flight.member, receiver->phase, receiver->tag) != flight.key)
        return tell(runs, ranks);
    wake(run, flight.member);
    let_go_on(runs, run);
    return tell(runs, ranks);
}
