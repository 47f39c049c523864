// SPDX-License-Identifier: BSD-3-Clause
// See communication.h.
#include "analyzer/calibrate/communication.h"

#include <math.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/network/collective_plan.h"
#include "analyzer/trace/reader.h"

enum {
    MOST_TIMES = 16,    // kept of a point
    STEPS_OF_OCTAVE = 4 // sizes up to which are one point
};

/// After the collective operations.
enum { MESSAGE_IN_NODE = COLLECTIVE_OPERATIONS, MESSAGE_BETWEEN_NODES, N_KINDS };

/// Operations or messages of one kind, number of ranks and size.
struct point {
    uint32_t kind, n_ranks, size_class;
    double sum_bytes;
    uint64_t n;      // all
    uint64_t stride; // one of so many is kept
    uint64_t times_ns[MOST_TIMES];
    uint32_t n_times;
};

struct communication {
    struct point *points;
    size_t n, capacity;
    struct map by_key;                     // (kind, ranks, class of the size)
    const struct definitions *definitions; // of the archive that is being read
};

struct communication *communication_new(void)
{
    struct communication *communication = memory_zeroed(1, sizeof *communication);
    map_init(&communication->by_key);
    return communication;
}

void communication_free(struct communication *communication)
{
    if (!communication)
        return;
    map_release(&communication->by_key);
    FREE_ALL(communication->points, communication);
}

// --- the times

/// Sizes below 2^(1/4) times a size are of its class, small ones of one each.
static uint32_t class_of(uint64_t size_bytes)
{
    return size_bytes < STEPS_OF_OCTAVE
               ? (uint32_t)size_bytes
               : (uint32_t)floor(STEPS_OF_OCTAVE * log2((double)size_bytes));
}

static struct point *point_at(struct communication *communication, uint32_t kind, uint32_t n_ranks,
                              uint64_t size_bytes)
{
    uint32_t index, size_class = class_of(size_bytes);
    uint64_t key = ((uint64_t)n_ranks << 32) | (kind << 16) | size_class;
    if (map_get(&communication->by_key, key, &index))
        return &communication->points[index];
    map_put(&communication->by_key, key, (uint32_t)communication->n);
    struct point *point =
        ARRAY_NEXT(communication->points, communication->n, communication->capacity);
    *point =
        (struct point){.kind = kind, .n_ranks = n_ranks, .size_class = size_class, .stride = 1};
    return point;
}

static void add(struct communication *communication, uint32_t kind, uint32_t n_ranks,
                uint64_t size_bytes, uint64_t time_ns)
{
    struct point *point = point_at(communication, kind, n_ranks, size_bytes);
    point->sum_bytes += (double)size_bytes;
    if (point->n++ % point->stride != 0)
        return;
    if (point->n_times == MOST_TIMES) {
        for (uint32_t i = 0; i < MOST_TIMES / 2; i++)
            point->times_ns[i] = point->times_ns[2 * i];
        point->n_times = MOST_TIMES / 2;
        point->stride *= 2;
        if ((point->n - 1) % point->stride != 0)
            return;
    }
    point->times_ns[point->n_times++] = time_ns;
}

static void on_message(void *context, const struct pag_message *message)
{
    struct communication *communication = context;
    const struct rank *ranks = communication->definitions->ranks;
    uint64_t sent_ns = message->send_enter_ns;
    if (message->enter_ns > sent_ns || message->leave_ns <= sent_ns || message->is_test ||
        !message->is_received_alone || message->sender == message->receiver)
        return;
    bool is_near = ranks[message->sender].node == ranks[message->receiver].node;
    add(communication, is_near ? MESSAGE_IN_NODE : MESSAGE_BETWEEN_NODES, 2, message->size_bytes,
        message->leave_ns - sent_ns);
}

static void on_trigger(void *context, const struct trigger *trigger)
{
    const int64_t *value = trigger->value;
    if (trigger->kind != TRIGGER_COLLECTIVE || value[TRIGGER_COLLECTIVE_IS_WINDOW] ||
        value[TRIGGER_COLLECTIVE_N_MEMBERS] < 2 ||
        value[TRIGGER_COLLECTIVE_KIND] == COLLECTIVE_HANDLE ||
        value[TRIGGER_COLLECTIVE_KIND] == TRIGGER_KIND_FINALIZE ||
        value[TRIGGER_COLLECTIVE_OPERATION] >= COLLECTIVE_OPERATIONS)
        return;
    int64_t begin_ns = trigger_releaser(value).enter, end_ns = value[TRIGGER_COLLECTIVE_END];
    if (begin_ns < 0)
        return;
    if (begin_ns < value[TRIGGER_COLLECTIVE_ENTER])
        begin_ns = value[TRIGGER_COLLECTIVE_ENTER];
    if (begin_ns < end_ns)
        add(context, (uint32_t)value[TRIGGER_COLLECTIVE_OPERATION],
            (uint32_t)value[TRIGGER_COLLECTIVE_N_MEMBERS],
            (uint64_t)value[TRIGGER_COLLECTIVE_BYTES], (uint64_t)(end_ns - begin_ns));
}

int communication_read(struct communication *communication, const char *path,
                       struct communication_flaws *flaws, struct error *err)
{
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.explains = false;
    const struct pag_listener listener = {.trigger = {on_trigger, communication},
                                          .message = {on_message, communication}};
    struct pag_result result = {0};
    struct trace *trace = trace_open(path, err);
    if (!trace)
        return -1;
    communication->definitions = trace_definitions(trace);
    int status = pag_run(trace, &options, &listener, &result, err);
    *flaws = (struct communication_flaws){.n_violations = result.n_clock_violations};
    for (size_t i = 0; i < communication->definitions->n_locations; i++)
        flaws->is_unreadable |= trace_location_report(trace, i)->reason != NULL;
    pag_result_release(&result);
    trace_close(trace);
    return status ? error_wrap(err, "cannot replay %s", path) : 0;
}

// --- the table

static const char *kind_name(uint32_t kind)
{
    return kind == MESSAGE_IN_NODE         ? "message in a node"
           : kind == MESSAGE_BETWEEN_NODES ? "message between nodes"
                                           : collective_operation_names[kind];
}

/// Which of p and b are not the same for all points of some kind.
static void find_parameters(const struct point *points, size_t n, bool varies[2])
{
    for (size_t i = 1; i < n; i++) {
        if (points[i].kind != points[i - 1].kind)
            continue;
        varies[0] |= points[i].n_ranks != points[i - 1].n_ranks;
        varies[1] |= points[i].size_class != points[i - 1].size_class;
    }
}

int communication_table(struct communication *communication, struct model_table *table,
                        struct error *err)
{
    static const char *const names[] = {"p", "b"};
    bool varies[2] = {false};
    size_t n = communication->n;
    struct point *points = communication->points;
    SORT_BY(points, n, LEAST(kind), LEAST(n_ranks), LEAST(size_class));
    find_parameters(points, n, varies);
    for (int k = 0; k < 2; k++)
        if (varies[k]) {
            words_add(&table->parameters, names[k]);
            table->n_parameters++;
        }
    if (table->n_parameters == 0)
        return error_set(err, n == 0 ? "no message and no collective operation took a known time"
                                     : "all messages have one size, and all collective operations "
                                       "one size and number of ranks: there is nothing to model "
                                       "their times by");
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &points[i];
        const double all[] = {point->n_ranks, point->sum_bytes / (double)point->n};
        double x[2];
        size_t n_x = 0;
        for (int k = 0; k < 2; k++)
            if (varies[k])
                x[n_x++] = all[k];
        size_t index = model_table_series(table, kind_name(point->kind));
        struct model_series *series = &table->series[index];
        series->unit = "s";
        for (uint32_t t = 0; t < point->n_times; t++)
            model_series_add_row(series, n_x, x, (double)point->times_ns[t] / 1e9);
    }
    return 0;
}
