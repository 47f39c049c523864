// SPDX-License-Identifier: BSD-3-Clause
// What a member of an operation does in one step (see collective_run.h).
#include "analyzer/simulation/network/collective_steps.h"

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cores/scheduler.h"

// --- members and places

uint32_t member_place(const struct collective_run *run, uint32_t member)
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
    uint32_t rank = member_rank(runs, run, member);
    return runs->site_of_rank ? runs->site_of_rank[rank] : rank;
}

uint32_t member_node(const struct collective_runs *runs, const struct collective_run *run,
                     uint32_t member)
{
    return runs->scopes->node_of_rank[site_of(runs, run, member)];
}

uint64_t member_share_bytes(const struct collective_run *run, uint32_t member)
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
                      (uint64_t)member_rank(runs, run, member) << 32 | run->communicator,
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

void member_wake(struct collective_run *run, uint32_t member)
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

bool member_needs_core(const struct collective_runs *runs, const struct collective_run *run,
                       uint32_t member)
{
    uint32_t rank = member_rank(runs, run, member);
    if (!runs->scheduler || rank == EVENT_NO_INDEX)
        return false;
    const struct rank *known = &runs->definitions->ranks[rank];
    return known->n_locations == 1 && scheduler_has_slices(runs->scheduler, known->master);
}

/// Whether MEMBER waits until member TO, with a core, takes its message of SIZE_BYTES.
static bool is_held(const struct collective_runs *runs, const struct collective_run *run,
                    uint32_t member, uint32_t to, uint64_t size_bytes)
{
    const struct runner *self = &run->runners[member];
    return size_bytes > runs->buffered_bytes && self->has_volume && !self->is_let_go &&
           member_needs_core(runs, run, to) &&
           (!scopes_is_remote(runs->scopes, site_of(runs, run, member), site_of(runs, run, to)) ||
            machine_is_rendezvous(between(runs, run, member, to), size_bytes));
}

/// MESSAGE of SELF to member TO has been sent: it arrives when links and buses let it.
static void depart(struct collective_runs *runs, const struct collective_run *run,
                   const struct runner *self, uint32_t member, uint32_t to, uint64_t key,
                   const struct collective_message *message)
{
    uint32_t index = pool_take(&runs->flights);
    *(struct flight *)pool_at(&runs->flights, index) = (struct flight){
        .message = {.sender = member_rank(runs, run, member),
                    .receiver = member_rank(runs, run, to),
                    .size_bytes = message->size_bytes,
                    .ready_ns = self->now_ns,
                    .number = self->number << 32 | self->n_sent,
                    .luck = message->luck,
                    .message = index,
                    .is_part = true},
        .instance = run->instance,
        .member = to,
        .run = run->number,
        .key = key,
    };
    *ARRAY_NEXT(runs->departing, runs->n_departing, runs->departing_capacity) = index;
}

void member_send(struct collective_runs *runs, struct collective_run *run, uint32_t member,
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
    uint64_t key = message_key(to, self->phase, step->tag);
    uint64_t time_ns =
        noise_ns(&messages->noise, machine_message_ns(messages, step->size_bytes), luck);
    struct collective_message *message = pool_at(&run->messages, index);
    *message = (struct collective_message){
        .size_bytes = step->size_bytes,
        .arrived_ns = is_on_links ? PAG_NOT_KNOWN : self->now_ns + time_ns,
        .luck = luck,
        .by = self->by,
        .from = member,
        .holds_sender = is_held(runs, run, member, to, step->size_bytes)};
    self->n_untaken += message->holds_sender;
    self->has_received = false;
    if (message->holds_sender)
        self->missing = to;
    map_put(&run->sent, key, index);
    if (is_on_links)
        depart(runs, run, self, member, to, key, message);
    self->n_sent++;
    if (is_on_links)
        return;
    const struct runner *receiver = &run->runners[to];
    if (receiver->sender == member && receiver->phase == self->phase && receiver->tag == step->tag)
        member_wake(run, to);
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
    uint32_t rank = member_rank(runs, run, member);
    uint64_t now_ns = scheduler_now_ns(runs->scheduler);
    self->due_ns = due_ns > now_ns ? due_ns : now_ns;
    if (runs->stepping[rank].is_waiting)
        scheduler_wake_by(runs->scheduler, runs->definitions->ranks[rank].master, self->due_ns);
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

/// MEMBER has taken MESSAGE.
static void let_sender_go(struct collective_run *run, uint32_t member,
                          const struct collective_message *message)
{
    struct runner *sender = &run->runners[message->from];
    const struct runner *self = &run->runners[member];
    if (!message->holds_sender)
        return;
    sender->n_untaken--;
    if (self->now_ns > sender->taken_ns) {
        sender->taken_ns = self->now_ns;
        sender->taken_by = self->by;
    }
    if (sender->awaits_takers && sender->n_untaken == 0)
        member_wake(run, message->from);
}

bool member_receive(const struct collective_runs *runs, struct collective_run *run, uint32_t member,
                    const struct collective_step *step)
{
    struct runner *self = &run->runners[member];
    uint32_t from = member_at(run, step->peer), index;
    uint64_t key = message_key(member, self->phase, step->tag);
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
    self->has_received = true;
    let_sender_go(run, member, &message);
    return true;
}

bool member_messages_are_taken(const struct collective_runs *runs, struct collective_run *run,
                               uint32_t member)
{
    struct runner *self = &run->runners[member];
    self->awaits_takers = !self->is_let_go && (self->n_untaken > 0 || self->taken_ns > 0) &&
                          (self->n_untaken > 0 || !take_core(runs, run, member, self->taken_ns));
    if (self->awaits_takers) {
        self->sender = NONE;
        return false;
    }
    if (self->taken_ns > 0 && !self->is_let_go)
        take(run, member, self->taken_ns, self->taken_by, 0);
    self->taken_ns = 0;
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
    while (member_node(runs, run, to) == member_node(runs, run, from))
        to++;
    return between(runs, run, from, to);
}

bool member_multicast(struct collective_runs *runs, struct collective_run *run, uint32_t member,
                      uint64_t size_bytes)
{
    struct runner *self = &run->runners[member];
    const struct machine_messages *messages = multicast_messages(runs, run);
    if (member_place(run, member) > 0) {
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
        run->entry->time ? formula_ns(runs, run, run->entry, member_share_bytes(run, member))
                         : noise_ns(&run->entry->noise, machine_message_ns(messages, size_bytes),
                                    luck_of_all(runs, run));
    runs->switch_ns = run->multicast_ns;
    run->multicast_by = self->by;
    for (uint32_t i = 0; i < run->n_members; i++)
        if (run->runners[i].sender == member && run->runners[i].phase == self->phase)
            member_wake(run, i);
    return true;
}

uint64_t member_whole_ns(const struct collective_runs *runs, const struct collective_run *run,
                         uint32_t member)
{
    if (!run->is_free || !runs->has_messages ||
        !collective_waits(run->operation, member == run->root, member == 0))
        return 0;
    uint64_t size_bytes = member_share_bytes(run, member);
    return formula_ns(runs, run, machine_collective(runs->machine, run->operation, size_bytes),
                      size_bytes);
}
