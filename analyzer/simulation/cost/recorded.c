// SPDX-License-Identifier: BSD-3-Clause
// What the recorded run tells about the costs of its messages (see recorded.h): gathering and
// looking up.
#include "analyzer/simulation/cost/recorded.h"

#include <assert.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

enum {
    ENOUGH = 4,           // samples of messages of a class
    MAX_OPERATIONS = 257, // OTF2_CollectiveOp, and MPI_Finalize
    FINALIZE = 256,
    SCOPES = 2, // one node, two nodes
};

/// Who was seen to wait for the receiver of what size.
struct rendezvous {
    bool left_before[COST_TABLE_SIZE_CLASSES]; // a blocking send, before its receive was posted
    bool left_after[COST_TABLE_SIZE_CLASSES];  // after it was posted, entered before
    uint32_t smallest;                         // class
    uint32_t least_open;                       // that none of or above was seen to be left before
};

/// What a call's own time is at most because of a partner, until another call of its rank comes.
struct partner_time {
    bool is_known;
    uint64_t leave_ns, own_ns;
    uint32_t partner, class; // size class of the message
    uint32_t on_core;        // the partner, of a receiver the rank that had its core before
};

/// The partners of both kinds have rows of their own: RECORDED_SENDER_TIMES + 0 and 1.
enum { SENDER, RECEIVER, PARTNERS };
static_assert(RECORDED_RECEIVER_TIMES == RECORDED_SENDER_TIMES + RECEIVER, "rows of partners");

// Which calls of ranks that shared their cores lost their core, as far as CPU times tell, and what
// those took that kept it. Where waiting ranks poll, a call that lost its core has most likely
// polled until its partner was done with that core; its polling looks like its work. A call
// that kept its core ended by itself.
//
// A call lost its core if it took at least 100 us (no shorter one has a CPU time of its own), and
// between the last CPU sample before its leave and the first one from then on at least 100 us (no
// slice of time is shorter) more of time went by than of CPU time. Of several such calls between
// two samples the last one counts. All other calls count as having kept theirs.

enum { LONG_CALL_NS = 100000, SHORTEST_SLICE_NS = 100000 };

/// What is to be counted of a call if it kept its core.
struct kept_call {
    bool is_known;
    uint32_t region;
    uint64_t leave_ns, own_ns;
    bool has_received; // one message, of size_bytes, that was there when it was entered
    int scope;
    uint64_t size_bytes;
};

struct kept_rank {
    struct kept_call left; // the last long one, without a sample yet
    struct kept_call open; // one whose messages have been seen: what it has received
    bool has_cpu;
    uint64_t cpu_at_ns, cpu_ns; // last sample
};

struct recorded {
    const struct definitions *definitions;
    struct core_wait *core_wait;
    bool is_oversubscribed; // some rank was oversubscribed
    struct cost_table flight[SCOPES], receive[SCOPES];
    struct cost_table shared_flight[SCOPES]; // to ranks that shared cores
    struct cost_table taken_over[SCOPES];    // own times of receives that took over their core
    struct cost_table shared_send[SCOPES];   // of blocking sends by ranks that shared cores
    struct cost_table kept_receive[SCOPES];  // as receive, of calls that kept their core
    struct cost_table **kept_calls;          // by region, times of size 0; NULL: none
    uint64_t *least_lost_ns;                 // by region, of calls that lost it; UINT64_MAX: none
    struct kept_rank *kept;                  // by rank
    struct rank_notes *notes;                // by rank and kind
    struct rank_notes *attendance;           // by rank
    uint64_t attended_bytes[SCOPES];         // pag_result
    uint64_t unattended_bytes[SCOPES];       // likewise
    struct partner_time *partners[PARTNERS]; // by rank, its last one
    struct rendezvous rendezvous[SCOPES];
    bool is_loose[MAX_OPERATIONS];
    struct recorded_facts facts;
};

struct recorded *recorded_new(const struct definitions *definitions)
{
    struct recorded *recorded = memory_zeroed(1, sizeof *recorded);
    recorded->definitions = definitions;
    recorded->core_wait = core_wait_new(definitions);
    for (uint32_t rank = 0; rank < definitions->n_ranks; rank++)
        recorded->is_oversubscribed |= core_wait_is_shared(recorded->core_wait, rank);
    recorded->kept_calls = memory_zeroed(definitions->n_regions, sizeof(struct cost_table *));
    recorded->least_lost_ns =
        memory_zeroed(definitions->n_regions, sizeof *recorded->least_lost_ns);
    for (size_t i = 0; i < definitions->n_regions; i++)
        recorded->least_lost_ns[i] = UINT64_MAX;
    recorded->kept = memory_zeroed(definitions->n_ranks, sizeof *recorded->kept);
    recorded->notes = rank_notes_new(definitions->n_ranks * RECORDED_NOTES);
    recorded->attendance = rank_notes_new(definitions->n_ranks);
    for (int kind = 0; kind < PARTNERS; kind++)
        recorded->partners[kind] =
            memory_zeroed(definitions->n_ranks, sizeof *recorded->partners[kind]);
    return recorded;
}

void recorded_free(struct recorded *recorded)
{
    if (!recorded)
        return;
    for (int scope = 0; scope < SCOPES; scope++) {
        cost_table_release(&recorded->flight[scope]);
        cost_table_release(&recorded->receive[scope]);
        cost_table_release(&recorded->kept_receive[scope]);
        cost_table_release(&recorded->shared_flight[scope]);
        cost_table_release(&recorded->taken_over[scope]);
        cost_table_release(&recorded->shared_send[scope]);
    }
    for (size_t i = 0; i < recorded->definitions->n_regions; i++) {
        if (recorded->kept_calls[i])
            cost_table_release(recorded->kept_calls[i]);
        free(recorded->kept_calls[i]);
    }
    rank_notes_free(recorded->notes);
    rank_notes_free(recorded->attendance);
    FREE_ALL(recorded->kept_calls, recorded->least_lost_ns, recorded->kept,
             recorded->facts.threads);
    for (int kind = 0; kind < PARTNERS; kind++)
        free(recorded->partners[kind]);
    core_wait_free(recorded->core_wait);
    free(recorded);
}

// --- gathering

static void note(struct recorded *recorded, enum recorded_notes kind, uint32_t rank,
                 uint64_t time_ns, uint64_t number)
{
    rank_notes_add(recorded->notes, recorded_notes_row(kind, rank), time_ns, number);
}

void recorded_computing(void *context, uint32_t rank, uint64_t time_ns, bool computes)
{
    struct recorded *recorded = context;
    struct core_wait *wait = recorded->core_wait;
    if (!recorded->is_oversubscribed || !core_wait_is_shared(wait, rank))
        return;
    uint64_t entered_ns = core_wait_entered_ns(wait, rank);
    if (computes && entered_ns != UINT64_MAX) {
        uint64_t own_ns = core_wait_own_ns(wait, rank, entered_ns, time_ns);
        if (own_ns < time_ns - entered_ns)
            note(recorded, RECORDED_OWN_TIMES, rank, time_ns, own_ns);
    }
    if (!computes && entered_ns == UINT64_MAX) {
        uint64_t oversubscribed_ns = core_wait_oversubscribed_ns(wait, rank, time_ns);
        if (oversubscribed_ns > 0)
            note(recorded, RECORDED_OVERSUBSCRIBED_TIMES, rank, time_ns, oversubscribed_ns);
    }
    core_wait_tell(wait, rank, time_ns, computes);
}

/// CALL kept its core as far as is known.
static void count_kept(struct recorded *recorded, struct kept_call *call)
{
    if (!call->is_known)
        return;
    call->is_known = false;
    if (call->has_received)
        cost_table_count(&recorded->kept_receive[call->scope], call->size_bytes, call->own_ns);
    if (call->region >= recorded->definitions->n_regions)
        return;
    struct cost_table **table = &recorded->kept_calls[call->region];
    if (!*table)
        *table = memory_zeroed(1, sizeof **table);
    cost_table_count(*table, 0, call->own_ns);
}

/// CALL lost its core, and took so much CPU time at most.
static void count_lost(struct recorded *recorded, uint32_t rank, struct kept_call *call,
                       uint64_t cpu_ns)
{
    call->is_known = false;
    note(recorded, RECORDED_LOST_CORES, rank, call->leave_ns, 1);
    if (call->region >= recorded->definitions->n_regions)
        return;
    uint64_t *least_ns = &recorded->least_lost_ns[call->region];
    *least_ns = smaller(*least_ns, smaller(call->own_ns, cpu_ns));
}

void recorded_called(void *context, const struct pag_called *of)
{
    struct recorded *recorded = context;
    if (!recorded_is_oversubscribed(recorded, of->rank))
        return;
    struct kept_rank *state = &recorded->kept[of->rank];
    struct kept_call call = state->open;
    if (!call.is_known || call.leave_ns != of->leave_ns)
        call = (struct kept_call){.leave_ns = of->leave_ns};
    state->open.is_known = false;
    call.is_known = true;
    call.region = of->region;
    call.own_ns = core_wait_own_ns(recorded->core_wait, of->rank, of->enter_ns, of->leave_ns);
    if (of->leave_ns - of->enter_ns < LONG_CALL_NS) {
        count_kept(recorded, &call);
        return;
    }
    count_kept(recorded, &state->left);
    state->left = call;
}

void recorded_cpu_time(void *context, uint32_t rank, const struct pag_cpu_sample *sample)
{
    struct recorded *recorded = context;
    if (!recorded_is_oversubscribed(recorded, rank))
        return;
    struct kept_rank *state = &recorded->kept[rank];
    struct kept_call *left = &state->left;
    if (left->is_known && state->has_cpu && sample->cpu_ns >= state->cpu_ns &&
        sample->cpu_ns - state->cpu_ns + SHORTEST_SLICE_NS <= sample->time_ns - state->cpu_at_ns)
        count_lost(recorded, rank, left, sample->cpu_ns - state->cpu_ns);
    count_kept(recorded, left);
    state->has_cpu = true;
    state->cpu_at_ns = sample->time_ns;
    state->cpu_ns = sample->cpu_ns;
}

static void put_partner_time(struct recorded *recorded, int kind, uint32_t rank)
{
    struct partner_time *time = &recorded->partners[kind][rank];
    uint64_t n_ranks = recorded->definitions->n_ranks;
    // Longer times than a number holds beside a rank and a class limit nothing.
    bool is_short = time->own_ns < UINT64_MAX / COST_TABLE_SIZE_CLASSES / n_ranks;
    if (time->is_known && is_short)
        note(recorded, RECORDED_SENDER_TIMES + kind, rank, time->leave_ns,
             (time->own_ns * n_ranks + time->on_core) * COST_TABLE_SIZE_CLASSES + time->class);
    time->is_known = false;
}

/// Of the partners of KIND that RANK's call needed TIME counts if it is the least.
static void consider_partner(struct recorded *recorded, int kind, uint32_t rank,
                             struct partner_time time)
{
    struct partner_time *least = &recorded->partners[kind][rank];
    if (least->leave_ns != time.leave_ns)
        put_partner_time(recorded, kind, rank);
    bool is_less = !least->is_known || time.own_ns < least->own_ns;
    bool is_same = least->is_known && time.own_ns == least->own_ns;
    if (is_less || (is_same && time.partner < least->partner) ||
        (is_same && time.partner == least->partner && time.class > least->class))
        *least = time;
}

/// Whether RANK and PARTNER share cores with others, not the same ones.
static bool are_apart(const struct recorded *recorded, uint32_t rank, uint32_t partner)
{
    const struct rank *ranks = recorded->definitions->ranks;
    return ranks[rank].core_set != ranks[partner].core_set &&
           core_wait_is_shared(recorded->core_wait, rank) &&
           core_wait_is_shared(recorded->core_wait, partner);
}

/// A message needed its sender on a core until it was received.
static void count_sender(struct recorded *recorded, const struct pag_message *message)
{
    const struct core_wait *wait = recorded->core_wait;
    uint32_t rank = message->receiver, sender = message->sender;
    uint64_t leave_ns = message->leave_ns;
    uint64_t from_ns =
        message->enter_ns > message->send_enter_ns ? message->enter_ns : message->send_enter_ns;
    if (message->is_test || leave_ns <= from_ns || !are_apart(recorded, rank, sender))
        return;
    uint64_t own_ns = core_wait_own_ns(wait, sender, from_ns, leave_ns);
    bool has_left = own_ns == 0 && !core_wait_was_inside(wait, sender, leave_ns);
    if (has_left || own_ns >= core_wait_own_ns(wait, rank, from_ns, leave_ns))
        return;
    consider_partner(recorded, SENDER, rank,
                     (struct partner_time){true, leave_ns, own_ns, sender,
                                           cost_table_class(message->size_bytes), sender});
}

/// How much of a send from ENTER_NS to LEAVE_NS follows the last time at which its RECEIVER, in
/// MPI, was without a core; 0 where that is not known, or it never was.
static uint64_t after_receiver_ns(const struct core_wait *wait, uint32_t receiver,
                                  uint64_t enter_ns, uint64_t leave_ns)
{
    uint64_t until_ns = leave_ns; // from then on it computes
    if (!core_wait_was_inside(wait, receiver, leave_ns))
        until_ns = core_wait_outside_since_ns(wait, receiver, leave_ns);
    if (until_ns <= enter_ns)
        return 0;
    return core_wait_own_ns(wait, receiver, enter_ns, until_ns) + leave_ns - until_ns;
}

void recorded_sent(void *context, const struct pag_message *message)
{
    struct recorded *recorded = context;
    struct core_wait *wait = recorded->core_wait;
    uint32_t rank = message->sender, receiver = message->receiver, on_core;
    uint64_t enter_ns = message->enter_ns, leave_ns = message->leave_ns;
    if (!recorded->is_oversubscribed && message->attend_ns > enter_ns)
        rank_notes_add(recorded->attendance, rank, leave_ns, message->attend_ns);
    if (!recorded->is_oversubscribed || message->is_test || !are_apart(recorded, rank, receiver) ||
        !core_wait_was_taken(wait, receiver, enter_ns))
        return;
    uint64_t own_ns = after_receiver_ns(wait, receiver, enter_ns, leave_ns);
    if (own_ns == 0 || own_ns >= core_wait_own_ns(wait, rank, enter_ns, leave_ns) ||
        !core_wait_computing_rank(wait, receiver, leave_ns - own_ns, &on_core))
        return;
    consider_partner(recorded, RECEIVER, rank,
                     (struct partner_time){true, leave_ns, own_ns, receiver,
                                           cost_table_class(message->size_bytes), on_core});
}

/// Whether another rank had the core of MESSAGE's receiver while that was in the call.
static bool has_taken_over(const struct recorded *recorded, const struct pag_message *message)
{
    return core_wait_own_ns(recorded->core_wait, message->receiver, message->enter_ns,
                            message->leave_ns) < message->leave_ns - message->enter_ns;
}

/// A message received by a rank that shared its cores with others: only its own time counts.
static void count_shared_message(struct recorded *recorded, const struct pag_message *message,
                                 int scope)
{
    bool has_waited = message->send_enter_ns > message->enter_ns;
    if (message->is_test || message->leave_ns < message->send_enter_ns)
        return;
    uint64_t from_ns = has_waited ? message->send_enter_ns : message->enter_ns;
    uint64_t own_ns =
        core_wait_own_ns(recorded->core_wait, message->receiver, from_ns, message->leave_ns);
    if (has_waited && message->is_deciding)
        cost_table_count(&recorded->shared_flight[scope], message->size_bytes, own_ns);
    if (has_waited && message->is_received_alone && has_taken_over(recorded, message))
        cost_table_count(&recorded->taken_over[scope], message->size_bytes, own_ns);
    if (message->is_sent_alone && message->send_leave_ns > message->send_enter_ns)
        cost_table_count(&recorded->shared_send[scope], message->size_bytes,
                         message->send_leave_ns - message->send_enter_ns);
    if (has_waited || !message->is_received_alone)
        return;
    cost_table_count(&recorded->receive[scope], message->size_bytes, own_ns);
    recorded->kept[message->receiver].open = (struct kept_call){.is_known = true,
                                                                .leave_ns = message->leave_ns,
                                                                .has_received = true,
                                                                .scope = scope,
                                                                .size_bytes = message->size_bytes};
}

static void count_message(struct recorded *recorded, const struct pag_message *message, int scope)
{
    bool has_waited = message->send_enter_ns > message->enter_ns;
    if (!message->is_received_alone || message->is_test)
        return;
    if (has_waited && message->leave_ns >= message->send_enter_ns)
        cost_table_count(&recorded->flight[scope], message->size_bytes,
                         message->leave_ns - message->send_enter_ns);
    if (!has_waited) {
        uint64_t length_ns = message->leave_ns - message->enter_ns;
        cost_table_count(&recorded->receive[scope], message->size_bytes, length_ns);
        cost_table_count(&recorded->kept_receive[scope], message->size_bytes, length_ns);
    }
}

void recorded_message(void *context, const struct pag_message *message)
{
    struct recorded *recorded = context;
    const struct rank *ranks = recorded->definitions->ranks;
    int scope = ranks[message->sender].node != ranks[message->receiver].node;
    if (recorded_is_oversubscribed(recorded, message->receiver))
        count_shared_message(recorded, message, scope);
    else
        count_message(recorded, message, scope);
    count_sender(recorded, message);
    if (message->is_synchronous)
        return;
    uint32_t class = cost_table_class(message->size_bytes);
    if (message->send_over_ns <= message->post_enter_ns)
        recorded->rendezvous[scope].left_before[class] = true;
    else if (message->post_enter_ns > message->await_enter_ns)
        recorded->rendezvous[scope].left_after[class] = true;
}

static uint32_t operation_of(const int64_t *value)
{
    bool is_finalize = value[TRIGGER_COLLECTIVE_KIND] == TRIGGER_KIND_FINALIZE;
    return is_finalize ? FINALIZE : (uint32_t)value[TRIGGER_COLLECTIVE_OPERATION] & 0xff;
}

void recorded_tested(void *context, const struct trigger *trigger)
{
    struct recorded *recorded = context;
    if (trigger->value[TRIGGER_COLLECTIVE_LEAVE] < trigger_releaser(trigger->value).enter)
        recorded->is_loose[operation_of(trigger->value)] = true;
}

void recorded_trigger(void *context, const struct trigger *trigger)
{
    struct recorded *recorded = context;
    const int64_t *value = trigger->value;
    if (trigger->kind != TRIGGER_COLLECTIVE)
        return;
    if (value[TRIGGER_COLLECTIVE_LEAVE] < trigger_releaser(value).enter)
        recorded->is_loose[operation_of(value)] = true;
}

static void conclude_rendezvous(struct rendezvous *rendezvous)
{
    rendezvous->smallest = COST_TABLE_SIZE_CLASSES;
    rendezvous->least_open = 0;
    for (uint32_t class = 0; class < COST_TABLE_SIZE_CLASSES; class ++)
        if (rendezvous->left_before[class])
            rendezvous->least_open = class + 1;
    for (uint32_t class = COST_TABLE_SIZE_CLASSES; class -- > 0;) {
        if (rendezvous->left_before[class])
            break;
        if (rendezvous->left_after[class])
            rendezvous->smallest = class;
    }
}

/// Where no sender was seen to wait, as OTHER says, except for classes that were seen to go at
/// once.
static void borrow_rendezvous(struct rendezvous *rendezvous, const struct rendezvous *other)
{
    if (rendezvous->smallest < COST_TABLE_SIZE_CLASSES)
        return;
    rendezvous->smallest =
        other->smallest > rendezvous->least_open ? other->smallest : rendezvous->least_open;
}

/// The lesser of LEAST_NS and what TABLE says of messages of a class, if it has seen enough of
/// them.
static uint64_t usual_of(const struct cost_table *table, uint32_t class, uint64_t least_ns)
{
    bool is_less = table->n[class] >= ENOUGH && table->usual_ns[class] < least_ns;
    return is_less ? table->usual_ns[class] : least_ns;
}

/// How much longer receives took that took over their core than a message usually takes on either
/// side, of the smallest messages of which enough of both were seen: those need nothing else.
static uint64_t find_hand_over(const struct recorded *recorded)
{
    for (uint32_t class = 0; class < COST_TABLE_SIZE_CLASSES; class ++) {
        for (int scope = 0; scope < SCOPES; scope++) {
            const struct cost_table *taken_over = &recorded->taken_over[scope];
            uint64_t usual_ns = usual_of(&recorded->receive[scope], class, UINT64_MAX);
            usual_ns = usual_of(&recorded->shared_send[scope], class, usual_ns);
            if (taken_over->n[class] >= ENOUGH && usual_ns < UINT64_MAX)
                return taken_over->usual_ns[class] > usual_ns
                           ? taken_over->usual_ns[class] - usual_ns
                           : 0;
        }
    }
    return 0;
}

void recorded_conclude(struct recorded *recorded, const struct pag_result *result)
{
    for (uint32_t rank = 0; rank < recorded->definitions->n_ranks; rank++) {
        for (int kind = 0; kind < PARTNERS; kind++)
            put_partner_time(recorded, kind, rank);
        count_kept(recorded, &recorded->kept[rank].left);
    }
    for (size_t i = 0; i < recorded->definitions->n_regions; i++)
        if (recorded->kept_calls[i])
            cost_table_conclude(recorded->kept_calls[i]);
    if (result->n_without_finalize > 0)
        recorded->is_loose[FINALIZE] = true;
    for (int scope = 0; scope < SCOPES; scope++) {
        recorded->attended_bytes[scope] = result->attended_bytes[scope];
        recorded->unattended_bytes[scope] = result->unattended_bytes[scope];
    }
    recorded->facts.threads =
        memory_zeroed(recorded->definitions->n_ranks, sizeof *recorded->facts.threads);
    for (uint32_t rank = 0; rank < recorded->definitions->n_ranks; rank++)
        recorded->facts.threads[rank] = result->rank_threads[rank];
    recorded->facts.n_events = result->n_events;
    recorded->facts.starts_pass = result->n_passed_starts > 0;
    recorded->facts.completes_pass = result->n_passed_completes > 0;
    for (int scope = 0; scope < SCOPES; scope++) {
        cost_table_conclude(&recorded->flight[scope]);
        cost_table_conclude(&recorded->receive[scope]);
        cost_table_conclude(&recorded->kept_receive[scope]);
        cost_table_conclude(&recorded->shared_flight[scope]);
        cost_table_conclude(&recorded->taken_over[scope]);
        cost_table_conclude(&recorded->shared_send[scope]);
        conclude_rendezvous(&recorded->rendezvous[scope]);
    }
    for (int scope = 0; scope < SCOPES; scope++)
        borrow_rendezvous(&recorded->rendezvous[scope], &recorded->rendezvous[!scope]);
    recorded->facts.hand_over_ns = find_hand_over(recorded);
}

// --- costs

uint64_t recorded_usual_ns(const struct recorded *recorded, uint32_t region, uint64_t slice_ns)
{
    uint64_t usual_ns;
    if (region >= recorded->definitions->n_regions)
        return UINT64_MAX;
    bool is_known =
        recorded->kept_calls[region] && cost_table_find(recorded->kept_calls[region], 0, &usual_ns);
    if (is_known || recorded->least_lost_ns[region] == UINT64_MAX)
        return is_known ? usual_ns : UINT64_MAX;
    return less(recorded->least_lost_ns[region], slice_ns);
}

static uint64_t cost_in(const struct cost_table *tables, bool is_remote, uint64_t size_bytes)
{
    uint64_t time_ns = 0;
    if (!cost_table_find(&tables[is_remote], size_bytes, &time_ns))
        cost_table_find(&tables[!is_remote], size_bytes, &time_ns);
    return time_ns;
}

uint64_t recorded_flight_ns(const struct recorded *recorded, bool is_remote, uint64_t size_bytes)
{
    return cost_in(recorded->flight, is_remote, size_bytes);
}

uint64_t recorded_receive_ns(const struct recorded *recorded, bool kept, bool is_remote,
                             uint64_t size_bytes)
{
    return cost_in(kept ? recorded->kept_receive : recorded->receive, is_remote, size_bytes);
}

/// Whether flights on one node, or between two, were seen.
static bool has_flights(const struct recorded *recorded, bool is_remote)
{
    return !cost_table_is_empty(&recorded->flight[is_remote]) ||
           !cost_table_is_empty(&recorded->shared_flight[is_remote]);
}

bool recorded_has_both_flights(const struct recorded *recorded)
{
    return has_flights(recorded, false) && has_flights(recorded, true);
}

bool recorded_was_remote(const struct recorded *recorded, uint32_t sender, uint32_t receiver)
{
    const struct rank *ranks = recorded->definitions->ranks;
    return ranks[sender].node != ranks[receiver].node;
}

bool recorded_is_oversubscribed(const struct recorded *recorded, uint32_t rank)
{
    return recorded->is_oversubscribed && core_wait_is_shared(recorded->core_wait, rank);
}

uint64_t recorded_shared_flight_ns(const struct recorded *recorded, bool is_remote,
                                   uint64_t size_bytes)
{
    uint64_t time_ns;
    if (cost_table_find(&recorded->shared_flight[is_remote], size_bytes, &time_ns) ||
        cost_table_find(&recorded->flight[is_remote], size_bytes, &time_ns) ||
        cost_table_find(&recorded->shared_flight[!is_remote], size_bytes, &time_ns))
        return time_ns;
    return recorded_flight_ns(recorded, is_remote, size_bytes);
}

struct rank_notes_reader *recorded_notes(const struct recorded *recorded)
{
    return recorded->is_oversubscribed ? rank_notes_read(recorded->notes) : NULL;
}

bool recorded_read_partner(const struct recorded *recorded, uint32_t rank, uint64_t number,
                           struct recorded_partner *partner)
{
    const struct definitions *definitions = recorded->definitions;
    uint64_t class = number % COST_TABLE_SIZE_CLASSES;
    uint64_t rest = number / COST_TABLE_SIZE_CLASSES;
    *partner = (struct recorded_partner){(uint32_t)(rest % definitions->n_ranks),
                                         rest / definitions->n_ranks};
    bool far = recorded_was_remote(recorded, rank, partner->rank);
    return class >= recorded->rendezvous[far].least_open;
}

struct rank_notes_reader *recorded_attendance(const struct recorded *recorded, bool is_wanted)
{
    bool has_any = is_wanted;
    for (int scope = 0; scope < SCOPES; scope++)
        has_any |= recorded->attended_bytes[scope] < UINT64_MAX;
    return has_any && !recorded->is_oversubscribed ? rank_notes_read(recorded->attendance) : NULL;
}

bool recorded_needs_attendance(const struct recorded *recorded, bool is_remote, uint64_t size_bytes)
{
    return !recorded->is_oversubscribed && size_bytes >= recorded->attended_bytes[is_remote];
}

bool recorded_is_unattended(const struct recorded *recorded, bool is_remote, uint64_t size_bytes)
{
    return recorded->is_oversubscribed || size_bytes < recorded->unattended_bytes[is_remote];
}

bool recorded_is_rendezvous(const struct recorded *recorded, bool is_remote, uint64_t size_bytes)
{
    return cost_table_class(size_bytes) >= recorded->rendezvous[is_remote].smallest;
}

bool recorded_synchronises(const struct recorded *recorded, uint8_t operation, bool is_finalize)
{
    return !recorded->is_loose[is_finalize ? FINALIZE : operation];
}

const struct recorded_facts *recorded_facts(const struct recorded *recorded)
{
    return &recorded->facts;
}
