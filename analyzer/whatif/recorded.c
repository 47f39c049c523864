// SPDX-License-Identifier: BSD-3-Clause
// Costs from the recorded run: histograms by class of size and class of time (see recorded.h).
#include "analyzer/whatif/recorded.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

__extension__ typedef __int128 wide;

enum {
    SIZE_DIGITS = 2,
    TIME_DIGITS = 5,
    SIZE_CLASSES = 65 << (SIZE_DIGITS - 1),
    TIME_CLASSES = 65 << (TIME_DIGITS - 1),
    MAX_OPERATIONS = 257, // OTF2_CollectiveOp, and MPI_Finalize
    FINALIZE = 256,
    SCOPES = 2, // one node, two nodes
    NO_CLASS = UINT16_MAX,
};

/// One cost of one scope, by class of size.
struct cost_table {
    uint64_t *counts[SIZE_CLASSES]; // by class of time; NULL: none
    uint64_t n[SIZE_CLASSES];
    uint64_t median_ns[SIZE_CLASSES];
    // nearest classes with samples, the class itself among them; NO_CLASS: none (after conclude())
    uint16_t below[SIZE_CLASSES], above[SIZE_CLASSES];
};

struct recorded {
    const struct definitions *definitions;
    struct cost_table flight[SCOPES], receive[SCOPES];
    bool left_before[SCOPES][SIZE_CLASSES]; // a blocking send, before its receive was posted
    bool left_after[SCOPES][SIZE_CLASSES];  // after it was posted, entered before
    uint32_t rendezvous[SCOPES];            // the smallest class
    bool is_loose[MAX_OPERATIONS];
};

/// Number of VALUE's class when all but the highest DIGITS binary digits are dropped; classes are
/// in the order of their values.
static uint32_t class_of(uint64_t value, uint32_t digits)
{
    if (value >> digits == 0)
        return (uint32_t)value;
    uint32_t n_bits = 64 - (uint32_t)__builtin_clzll(value);
    uint32_t shift = n_bits - digits;
    return (shift << (digits - 1)) + (uint32_t)(value >> shift);
}

/// The smallest value of a class.
static uint64_t value_of(uint32_t class, uint32_t digits)
{
    if (class >> digits == 0)
        return class;
    uint32_t shift = (class >> (digits - 1)) - 1;
    return (uint64_t)(class - (shift << (digits - 1))) << shift;
}

struct recorded *recorded_new(const struct definitions *definitions)
{
    struct recorded *recorded = memory_zeroed(1, sizeof *recorded);
    recorded->definitions = definitions;
    return recorded;
}

static void release(struct cost_table *table)
{
    for (int class = 0; class < SIZE_CLASSES; class ++)
        free(table->counts[class]);
}

void recorded_free(struct recorded *recorded)
{
    if (!recorded)
        return;
    for (int scope = 0; scope < SCOPES; scope++) {
        release(&recorded->flight[scope]);
        release(&recorded->receive[scope]);
    }
    free(recorded);
}

// --- gathering

static void count(struct cost_table *table, uint64_t size_bytes, uint64_t time_ns)
{
    uint32_t class = class_of(size_bytes, SIZE_DIGITS);
    if (!table->counts[class])
        table->counts[class] = memory_zeroed(TIME_CLASSES, sizeof(uint64_t));
    table->counts[class][class_of(time_ns, TIME_DIGITS)]++;
    table->n[class]++;
}

void recorded_message(void *context, const struct pag_message *message)
{
    struct recorded *recorded = context;
    const struct rank *ranks = recorded->definitions->ranks;
    int scope = ranks[message->sender].node != ranks[message->receiver].node;
    bool has_waited = message->send_enter_ns > message->enter_ns;
    bool is_sample = message->is_received_alone && !message->is_test;
    if (is_sample && has_waited && message->leave_ns >= message->send_enter_ns)
        count(&recorded->flight[scope], message->size_bytes,
              message->leave_ns - message->send_enter_ns);
    else if (is_sample && !has_waited)
        count(&recorded->receive[scope], message->size_bytes,
              message->leave_ns - message->enter_ns);
    if (message->is_synchronous)
        return;
    uint32_t class = class_of(message->size_bytes, SIZE_DIGITS);
    if (message->send_over_ns <= message->post_enter_ns)
        recorded->left_before[scope][class] = true;
    else if (message->is_sent_alone && message->post_enter_ns > message->send_enter_ns)
        recorded->left_after[scope][class] = true;
}

/// When a member of ROOT's operation could be released at the earliest.
static int64_t release_of(const int64_t *value)
{
    switch (value[ROOT_COLLECTIVE_KIND]) {
    case COLLECTIVE_ONE_TO_ALL:
        return value[ROOT_COLLECTIVE_IS_ROOT] ? 0 : value[ROOT_COLLECTIVE_ROOT_ENTER];
    case COLLECTIVE_ALL_TO_ONE:
        return value[ROOT_COLLECTIVE_IS_ROOT] ? value[ROOT_COLLECTIVE_LAST_ENTER] : 0;
    case COLLECTIVE_SCAN:
        return value[ROOT_COLLECTIVE_LAST_LOWER_ENTER];
    default:
        return value[ROOT_COLLECTIVE_LAST_ENTER];
    }
}

void recorded_root(void *context, const struct root *root)
{
    struct recorded *recorded = context;
    const int64_t *value = root->value;
    if (root->kind != ROOT_COLLECTIVE)
        return;
    bool is_finalize = value[ROOT_COLLECTIVE_KIND] == ROOT_KIND_FINALIZE;
    if (value[ROOT_COLLECTIVE_LEAVE] < release_of(value))
        recorded->is_loose[is_finalize ? FINALIZE : value[ROOT_COLLECTIVE_OPERATION] & 0xff] = true;
}

static void conclude(struct cost_table *table)
{
    for (int class = 0; class < SIZE_CLASSES; class ++) {
        if (table->n[class] == 0)
            continue;
        uint64_t before = (table->n[class] - 1) / 2;
        uint32_t time = 0;
        for (; before >= table->counts[class][time]; time++)
            before -= table->counts[class][time];
        table->median_ns[class] = value_of(time, TIME_DIGITS);
        free(table->counts[class]);
        table->counts[class] = NULL;
    }
    uint16_t nearest = NO_CLASS;
    for (int class = 0; class < SIZE_CLASSES; class ++)
        table->below[class] = nearest = table->n[class] > 0 ? (uint16_t) class : nearest;
    nearest = NO_CLASS;
    for (int class = SIZE_CLASSES; class -- > 0;)
        table->above[class] = nearest = table->n[class] > 0 ? (uint16_t) class : nearest;
}

void recorded_conclude(struct recorded *recorded, const struct pag_result *result)
{
    if (result->n_without_finalize > 0)
        recorded->is_loose[FINALIZE] = true;
    for (int scope = 0; scope < SCOPES; scope++) {
        conclude(&recorded->flight[scope]);
        conclude(&recorded->receive[scope]);
        recorded->rendezvous[scope] = SIZE_CLASSES;
        for (uint32_t class = SIZE_CLASSES; class -- > 0;) {
            if (recorded->left_before[scope][class])
                break;
            if (recorded->left_after[scope][class])
                recorded->rendezvous[scope] = class;
        }
    }
}

// --- costs

/// The cost of a size in TABLE; false when the table is empty.
static bool look_up(const struct cost_table *table, uint64_t size_bytes, uint64_t *time_ns)
{
    uint32_t class = class_of(size_bytes, SIZE_DIGITS);
    uint32_t below = table->below[class], above = table->above[class];
    bool has_below = below != NO_CLASS, has_above = above != NO_CLASS;
    if (!has_below && !has_above)
        return false;
    if (!has_above || below == class) {
        *time_ns = table->median_ns[below];
    } else if (!has_below) {
        *time_ns = table->median_ns[above];
    } else {
        int64_t from_ns = (int64_t)table->median_ns[below];
        int64_t rise_ns = (int64_t)table->median_ns[above] - from_ns;
        uint64_t first = value_of(below, SIZE_DIGITS), last = value_of(above, SIZE_DIGITS);
        wide gain = (wide)rise_ns * (wide)(size_bytes - first) / (wide)(last - first);
        *time_ns = (uint64_t)(from_ns + (int64_t)gain);
    }
    return true;
}

static bool has_samples(const struct cost_table *table)
{
    uint64_t time_ns;
    return look_up(table, 0, &time_ns);
}

static uint64_t cost_in(const struct cost_table *tables, bool is_remote, uint64_t size_bytes)
{
    uint64_t time_ns = 0;
    if (!look_up(&tables[is_remote], size_bytes, &time_ns))
        look_up(&tables[!is_remote], size_bytes, &time_ns);
    return time_ns;
}

uint64_t recorded_flight_ns(const struct recorded *recorded, bool is_remote, uint64_t size_bytes)
{
    return cost_in(recorded->flight, is_remote, size_bytes);
}

uint64_t recorded_receive_ns(const struct recorded *recorded, bool is_remote, uint64_t size_bytes)
{
    return cost_in(recorded->receive, is_remote, size_bytes);
}

bool recorded_is_rendezvous(const struct recorded *recorded, bool is_remote, uint64_t size_bytes)
{
    return class_of(size_bytes, SIZE_DIGITS) >= recorded->rendezvous[is_remote];
}

bool recorded_synchronises(const struct recorded *recorded, uint8_t operation, bool is_finalize)
{
    return !recorded->is_loose[is_finalize ? FINALIZE : operation];
}

// --- the model

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
    const struct rank *ranks = recorded->definitions->ranks;
    bool was_remote = ranks[condition->sender].node != ranks[condition->receiver].node;
    return was_remote != is_remote(condition, node_of_rank) && has_samples(&recorded->flight[0]) &&
           has_samples(&recorded->flight[1]);
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
    if (is_measured && condition->added_bytes > 0)
        measured_ns =
            less(measured_ns + flight_ns,
                 recorded_flight_ns(recorded, far, condition->size_bytes - condition->added_bytes));
    if (is_measured && !moves)
        return measured_ns;
    if (is_measured)
        return less(measured_ns + flight_ns,
                    recorded_flight_ns(recorded, !far, condition->size_bytes));
    uint64_t usual_ns = less(flight_ns, recorded_receive_ns(recorded, far, condition->size_bytes));
    return moves ? usual_ns : min_ns(measured_ns, usual_ns);
}

/// The work of a call that did not wait: what receiving its messages usually takes; all of its time
/// where it has none, or nothing is known.
static uint64_t usual_work(const struct recorded *recorded, const struct pag_condition *conditions,
                           uint32_t n_conditions, const uint32_t *node_of_rank)
{
    uint64_t work_ns = 0;
    for (uint32_t i = 0; i < n_conditions; i++)
        if (conditions[i].kind == PAG_CONDITION_MESSAGE)
            work_ns += recorded_receive_ns(recorded, is_remote(&conditions[i], node_of_rank),
                                           conditions[i].size_bytes);
    return work_ns > 0 ? work_ns : UINT64_MAX;
}

void recorded_settle(const struct recorded *recorded, const struct pag_call *call,
                     const struct pag_condition *conditions, uint32_t n_conditions,
                     const uint32_t *node_of_rank, struct recorded_use *use, uint64_t *ready_ns,
                     pag_work *work)
{
    uint64_t leave_ns = call->recorded_leave_ns, work_ns = leave_ns - call->recorded_enter_ns;
    uint32_t last = deciding(conditions, n_conditions);
    bool has_waited = n_conditions > 0 && (conditions[last].recorded_ns > call->recorded_enter_ns ||
                                           is_all_to_all(&conditions[last]));
    if (has_waited) {
        const struct pag_condition *by = &conditions[last];
        work_ns = by->kind != PAG_CONDITION_MESSAGE
                      ? 0
                      : recorded_receive_ns(recorded, is_remote(by, node_of_rank), by->size_bytes);
        work_ns = min_ns(work_ns, less(leave_ns, by->recorded_ns));
    } else {
        work_ns = min_ns(call->recorded_work_ns,
                         usual_work(recorded, conditions, n_conditions, node_of_rank));
    }
    uint64_t recorded_ready_ns = leave_ns - work_ns;
    *ready_ns = call->enter_ns;
    if (!has_waited)
        *ready_ns += recorded_ready_ns - call->recorded_enter_ns;
    *work = (pag_work)work_ns * PAG_WORK_PER_NS;
    for (uint32_t i = 0; i < n_conditions; i++) {
        const struct pag_condition *condition = &conditions[i];
        uint64_t delay_ns = less(recorded_ready_ns, condition->recorded_ns);
        bool is_message = condition->kind == PAG_CONDITION_MESSAGE;
        bool is_measured = has_waited && i == last;
        if (is_message)
            delay_ns = message_delay(recorded, condition, is_measured, delay_ns, node_of_rank);
        else if (!is_measured)
            delay_ns = 0;
        use->n_flights += is_message;
        use->n_interpolated +=
            is_message && (!is_measured || has_moved(recorded, condition, node_of_rank));
        uint64_t met_ns = condition->time_ns + delay_ns;
        *ready_ns = met_ns > *ready_ns ? met_ns : *ready_ns;
    }
}
