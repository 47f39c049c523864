// SPDX-License-Identifier: BSD-3-Clause
// See timeline.h. The column that a row is in is counted in nanoseconds, columns before it as
// shares of their width. When columns are joined, the two of a pair are added.
#include "analyzer/result/views/timeline.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/trace/definitions.h"

enum {
    MAX_COLUMNS = 1 << 14,
    SHARES_COLUMNS = 1 << 11, // of a timeline that has nothing else
    MIN_COLUMNS = 1 << 9,
    MAX_CELLS = 1 << 22,                       // of all rows
    MAX_THREAD_ROWS = MAX_CELLS / MIN_COLUMNS, // with more rows there are none of threads
    MAX_CALLS = 1 << 17,
    MAX_SPANS = 1 << 17,
    MAX_MESSAGES = 1 << 14,
    LEAST_COLUMN_NS = 64,
};

#define NOTHING TIMELINE_KINDS // is recorded
_Static_assert((int)TIMELINE_THREAD_KINDS <= (int)TIMELINE_KINDS, "rows of one length");

/// What a rank or thread did up to now_ns, and the column it is in.
struct timeline_row {
    uint64_t began_ns, now_ns;
    uint64_t column;
    uint64_t kind_ns[TIMELINE_KINDS + 1]; // in that column
    size_t last_span;                     // of a thread
    bool has_begun;
};

static bool is_thread(const struct definitions *definitions, size_t location)
{
    const struct location *defined = &definitions->locations[location];
    return defined->is_cpu_thread && defined->rank != EVENT_NO_INDEX && defined->n_events > 0;
}

/// The threads of ranks with several.
static void find_threads(struct timeline *timeline)
{
    const struct definitions *definitions = timeline->definitions;
    SCOPED uint32_t *n_of_rank = memory_zeroed(timeline->n_ranks + 1, sizeof *n_of_rank);
    size_t capacity = 0;
    for (size_t i = 0; i < definitions->n_locations; i++)
        if (is_thread(definitions, i))
            n_of_rank[definitions->locations[i].rank]++;
    for (size_t i = 0; i < definitions->n_locations; i++) {
        if (!is_thread(definitions, i) || n_of_rank[definitions->locations[i].rank] < 2)
            continue;
        timeline->thread_of[i] = (uint32_t)timeline->n_threads;
        *ARRAY_NEXT(timeline->threads, timeline->n_threads, capacity) =
            (struct timeline_thread){(uint32_t)i, definitions->locations[i].rank};
    }
    timeline->leaves_out_threads = timeline->n_ranks + timeline->n_threads > MAX_THREAD_ROWS;
    if (timeline->leaves_out_threads)
        timeline->n_threads = 0;
}

static struct timeline *new_timeline(const struct definitions *definitions, bool shows_threads,
                                     size_t max_columns)
{
    struct timeline *timeline = memory_zeroed(1, sizeof *timeline);
    timeline->definitions = definitions;
    timeline->n_ranks = definitions->n_ranks;
    timeline->thread_of = memory_new((definitions->n_locations + 1) * sizeof *timeline->thread_of);
    for (size_t i = 0; i < definitions->n_locations; i++)
        timeline->thread_of[i] = RESULT_NONE;
    if (shows_threads)
        find_threads(timeline);
    timeline->n_rows = timeline->n_ranks + timeline->n_threads;
    timeline->n_columns = max_columns;
    while (timeline->n_columns > MIN_COLUMNS && timeline->n_columns * timeline->n_rows > MAX_CELLS)
        timeline->n_columns /= 2;
    timeline->column_ns = LEAST_COLUMN_NS;
    timeline->has_all_calls = timeline->has_all_spans = true;
    timeline->shares = memory_zeroed((timeline->n_rows * timeline->n_columns + 1) * TIMELINE_KINDS,
                                     sizeof *timeline->shares);
    timeline->rows = memory_zeroed(timeline->n_rows + 1, sizeof *timeline->rows);
    return timeline;
}

struct timeline *timeline_new(const struct definitions *definitions, bool shows_threads)
{
    return new_timeline(definitions, shows_threads, MAX_COLUMNS);
}

struct timeline *timeline_new_shares(const struct definitions *definitions)
{
    struct timeline *timeline = new_timeline(definitions, false, SHARES_COLUMNS);
    timeline->has_shares_only = true;
    timeline->has_all_calls = timeline->has_all_spans = false;
    return timeline;
}

void timeline_free(struct timeline *timeline)
{
    if (!timeline)
        return;
    FREE_ALL(timeline->shares, timeline->calls, timeline->messages, timeline->threads,
             timeline->spans, timeline->phases, timeline->phase_of, timeline->phase_ns,
             timeline->counted, timeline->cpu_s, timeline->thread_of, timeline->rows, timeline);
}

void timeline_begin_anew(struct timeline *timeline)
{
    struct timeline *anew = timeline->has_shares_only
                                ? timeline_new_shares(timeline->definitions)
                                : timeline_new(timeline->definitions, timeline->n_threads > 0);
    const struct timeline before = *timeline;
    *timeline = *anew;
    *anew = before;
    timeline_free(anew);
}

static uint16_t *cell(const struct timeline *timeline, size_t row, uint64_t column)
{
    return timeline->shares + (row * timeline->n_columns + column) * TIMELINE_KINDS;
}

// --- columns

/// Rounds the nanoseconds of a row's column to shares, whose sum is at most TIMELINE_WHOLE.
static void put_column(const struct timeline *timeline, size_t row)
{
    const struct timeline_row *state = &timeline->rows[row];
    uint16_t *shares = cell(timeline, row, state->column);
    uint64_t ns = 0, given = 0;
    for (int kind = 0; kind < TIMELINE_KINDS; kind++) {
        ns += state->kind_ns[kind];
        uint64_t until = (uint64_t)(((pag_work)ns * TIMELINE_WHOLE + timeline->column_ns / 2) /
                                    timeline->column_ns);
        shares[kind] = (uint16_t)(until - given);
        given = until;
    }
}

/// What the column before that of STATE holds is added to it: both become one.
static void join_before(const struct timeline *timeline, size_t row)
{
    struct timeline_row *state = &timeline->rows[row];
    const uint16_t *before = cell(timeline, row, state->column - 1);
    for (int kind = 0; kind < TIMELINE_KINDS; kind++)
        state->kind_ns[kind] +=
            (uint64_t)(((pag_work)before[kind] * timeline->column_ns) / TIMELINE_WHOLE);
}

static void join_columns(struct timeline *timeline)
{
    for (size_t row = 0; row < timeline->n_rows; row++) {
        struct timeline_row *state = &timeline->rows[row];
        if (state->column % 2 == 1)
            join_before(timeline, row);
        for (uint64_t column = 0; column < timeline->n_columns; column++) {
            uint16_t *to = cell(timeline, row, column);
            const uint16_t *from = cell(timeline, row, 2 * column);
            bool is_there = column < state->column / 2;
            for (int kind = 0; kind < TIMELINE_KINDS; kind++)
                to[kind] =
                    is_there ? (uint16_t)((from[kind] + from[TIMELINE_KINDS + kind]) / 2) : 0;
        }
        state->column /= 2;
    }
    timeline->column_ns *= 2;
}

/// ROW does KIND, or NOTHING, up to END_NS, but LOST_NS of that time it is without CPU time.
static void pass_without_cpu(struct timeline *timeline, size_t row, unsigned kind, uint64_t end_ns,
                             uint64_t lost_ns)
{
    struct timeline_row *state = &timeline->rows[row];
    uint64_t begin_ns = state->now_ns, given_ns = 0;
    while (end_ns / timeline->column_ns >= timeline->n_columns)
        join_columns(timeline);
    while (state->now_ns < end_ns) {
        uint64_t column_end_ns = (state->column + 1) * timeline->column_ns;
        uint64_t until_ns = end_ns < column_end_ns ? end_ns : column_end_ns;
        uint64_t lost_until_ns =
            (uint64_t)((pag_work)lost_ns * (until_ns - begin_ns) / (end_ns - begin_ns));
        state->kind_ns[kind] += until_ns - state->now_ns - (lost_until_ns - given_ns);
        state->kind_ns[TIMELINE_NO_CPU] += lost_until_ns - given_ns;
        state->now_ns = until_ns;
        given_ns = lost_until_ns;
        if (until_ns < column_end_ns)
            break;
        put_column(timeline, row);
        memset(state->kind_ns, 0, sizeof state->kind_ns);
        state->column++;
    }
}

static void pass(struct timeline *timeline, size_t row, unsigned kind, uint64_t end_ns)
{
    pass_without_cpu(timeline, row, kind, end_ns, 0);
}

static void begin(struct timeline *timeline, size_t row, uint64_t time_ns)
{
    struct timeline_row *state = &timeline->rows[row];
    state->has_begun = true;
    while (time_ns / timeline->column_ns >= timeline->n_columns)
        join_columns(timeline);
    state->began_ns = state->now_ns = time_ns;
    state->column = time_ns / timeline->column_ns;
}

// --- calls and messages

static enum timeline_kind kind_of_call(const struct timeline *timeline, uint32_t region)
{
    if (region == EVENT_NO_INDEX)
        return TIMELINE_OTHER_MPI;
    switch (timeline->definitions->regions[region].mpi_class) {
    case MPI_CLASS_POINT_TO_POINT:
        return TIMELINE_POINT_TO_POINT;
    case MPI_CLASS_COLLECTIVE:
        return TIMELINE_COLLECTIVE;
    default:
        return TIMELINE_OTHER_MPI;
    }
}

static void keep_call(struct timeline *timeline, const struct pag_called *call,
                      enum timeline_kind kind, uint64_t lost_ns)
{
    if (timeline->n_calls == MAX_CALLS) {
        timeline->has_all_calls = false;
        timeline->n_calls = 0;
    }
    if (!timeline->has_all_calls)
        return;
    *ARRAY_NEXT(timeline->calls, timeline->n_calls, timeline->calls_capacity) =
        (struct timeline_call){.enter_ns = call->enter_ns,
                               .release_ns = call->release_ns,
                               .leave_ns = call->leave_ns,
                               .lost_ns = lost_ns,
                               .rank = call->rank,
                               .releaser = call->releaser,
                               .call_path = call->call_path,
                               .computed_path = call->computed_path,
                               .kind = kind,
                               .path = RESULT_NONE,
                               .site = RESULT_NONE};
}

void timeline_called(struct timeline *timeline, const struct pag_called *call)
{
    enum timeline_kind kind = kind_of_call(timeline, call->region);
    if (!timeline->rows[call->rank].has_begun)
        begin(timeline, call->rank, call->began_ns);
    // A part of a run may begin after some of it.
    uint64_t now_ns = timeline->rows[call->rank].now_ns;
    uint64_t gap_ns = call->enter_ns > now_ns ? call->enter_ns - now_ns : 0;
    uint64_t lost_ns = call->lost_ns < gap_ns ? call->lost_ns : gap_ns;
    pass_without_cpu(timeline, call->rank, TIMELINE_COMPUTING, call->enter_ns, lost_ns);
    timeline->has_no_cpu |= lost_ns > 0;
    pass(timeline, call->rank, TIMELINE_WAITING, call->release_ns);
    pass(timeline, call->rank, kind, call->leave_ns);
    keep_call(timeline, call, kind, lost_ns);
}

static void choose_messages(struct timeline *timeline)
{
    SORT_BY(timeline->messages, timeline->n_messages, MOST(wait_ns), LEAST(receive_ns),
            LEAST(receiver), LEAST(sender), LEAST(send_ns));
    if (timeline->n_messages > MAX_MESSAGES)
        timeline->n_messages = MAX_MESSAGES;
}

void timeline_message(struct timeline *timeline, const struct pag_message *message)
{
    uint64_t released_ns =
        message->send_enter_ns < message->leave_ns ? message->send_enter_ns : message->leave_ns;
    bool waits = message->is_deciding && !message->is_test && released_ns > message->enter_ns;
    timeline->n_all_messages++;
    if (timeline->has_shares_only)
        return;
    *ARRAY_NEXT(timeline->messages, timeline->n_messages, timeline->messages_capacity) =
        (struct timeline_message){.send_ns = message->send_enter_ns,
                                  .receive_ns = message->leave_ns,
                                  .wait_ns = waits ? released_ns - message->enter_ns : 0,
                                  .size_bytes = message->size_bytes,
                                  .sender = message->sender,
                                  .receiver = message->receiver};
    if (timeline->n_messages == 2 * MAX_MESSAGES)
        choose_messages(timeline);
}

// --- threads

static unsigned kind_of_span(enum pag_thread_kind kind)
{
    switch (kind) {
    case PAG_THREAD_COMPUTING:
        return TIMELINE_THREAD_COMPUTING;
    case PAG_THREAD_MPI:
        return TIMELINE_THREAD_MPI;
    case PAG_THREAD_BARRIER:
    case PAG_THREAD_IMPLICIT_BARRIER:
    case PAG_THREAD_LOCK:
    case PAG_THREAD_CONDITION:
    case PAG_THREAD_TASK:
        return TIMELINE_THREAD_WAITING;
    case PAG_THREAD_RUNTIME:
        return TIMELINE_THREAD_RUNTIME;
    default:
        return TIMELINE_THREAD_IDLE;
    }
}

/// What goes on as it was is one.
static void keep_span(struct timeline *timeline, struct timeline_row *row,
                      const struct timeline_span *span)
{
    struct timeline_span *last =
        timeline->n_spans > row->last_span ? &timeline->spans[row->last_span] : NULL;
    if (last && last->thread == span->thread && last->kind == span->kind &&
        last->path == span->path && last->end_ns == span->begin_ns) {
        last->end_ns = span->end_ns;
        return;
    }
    if (timeline->n_spans == MAX_SPANS) {
        timeline->has_all_spans = false;
        timeline->n_spans = 0;
    }
    if (!timeline->has_all_spans)
        return;
    row->last_span = timeline->n_spans;
    *ARRAY_NEXT(timeline->spans, timeline->n_spans, timeline->spans_capacity) = *span;
}

static void thread_does(struct timeline *timeline, uint32_t thread, unsigned kind, uint32_t path,
                        uint64_t begin_ns, uint64_t end_ns)
{
    size_t index = timeline->n_ranks + thread;
    if (begin_ns >= end_ns)
        return;
    if (!timeline->rows[index].has_begun)
        begin(timeline, index, begin_ns);
    pass(timeline, index, NOTHING, begin_ns);
    pass(timeline, index, kind, end_ns);
    keep_span(timeline, &timeline->rows[index],
              &(struct timeline_span){begin_ns, end_ns, thread, kind, path});
}

void timeline_thread_span(void *context, const struct pag_thread_span *span)
{
    struct timeline *timeline = context;
    uint32_t thread = timeline->thread_of[span->location];
    if (thread < timeline->n_threads)
        thread_does(timeline, thread, kind_of_span(span->kind), span->call_path, span->begin_ns,
                    span->end_ns);
}

// --- the end

/// A further thread is idle until its master ends.
static void conclude_threads(struct timeline *timeline, const struct call_tree *tree)
{
    for (uint32_t i = 0; i < timeline->n_threads; i++) {
        const struct timeline_thread *thread = &timeline->threads[i];
        const struct timeline_row *row = &timeline->rows[timeline->n_ranks + i];
        uint32_t master = timeline->definitions->ranks[thread->rank].master;
        if (row->has_begun && thread->location != master)
            thread_does(timeline, i, TIMELINE_THREAD_IDLE, 0, row->now_ns,
                        tree->replay->locations[master].last_ns);
        if (timeline->end_ns < row->now_ns)
            timeline->end_ns = row->now_ns;
    }
    SORT_BY(timeline->spans, timeline->n_spans, LEAST(thread), LEAST(begin_ns));
    for (size_t i = 0; i < timeline->n_spans; i++) {
        struct timeline_span *span = &timeline->spans[i];
        uint32_t location = timeline->threads[span->thread].location;
        span->path =
            span->path > 0 ? call_tree_place(tree, location, span->path).path : RESULT_NONE;
    }
}

void timeline_conclude(struct timeline *timeline, const struct call_tree *tree)
{
    for (size_t rank = 0; rank < timeline->n_ranks; rank++) {
        uint32_t master = timeline->definitions->ranks[rank].master;
        const struct pag_location *location = &tree->replay->locations[master];
        if (!timeline->rows[rank].has_begun)
            begin(timeline, rank, location->first_ns);
        pass(timeline, rank, TIMELINE_COMPUTING, location->last_ns);
        if (timeline->end_ns < location->last_ns)
            timeline->end_ns = location->last_ns;
    }
    conclude_threads(timeline, tree);
    for (size_t row = 0; row < timeline->n_rows; row++)
        put_column(timeline, row);
    SORT_BY(timeline->calls, timeline->n_calls, LEAST(rank), LEAST(enter_ns));
    for (size_t i = 0; i < timeline->n_calls; i++) {
        struct timeline_call *call = &timeline->calls[i];
        uint32_t master = timeline->definitions->ranks[call->rank].master;
        struct call_place place = call_tree_place(tree, master, call->call_path);
        call->path = place.path;
        call->site = place.site;
        call->computed_path = call_tree_place(tree, master, call->computed_path).path;
    }
    choose_messages(timeline);
}

// --- parts of it

struct cells {
    double *shares; // [cell][kind]
    size_t n;
    double begin_ns, cell_ns;
    double weight; // of a rank
};

/// A rank does KIND for SHARE of the time from BEGIN_NS to END_NS.
static void put_cells(const struct cells *cells, enum timeline_kind kind, uint64_t begin_ns,
                      uint64_t end_ns, double share)
{
    double begin = ((double)begin_ns - cells->begin_ns) / cells->cell_ns;
    double end = ((double)end_ns - cells->begin_ns) / cells->cell_ns;
    begin = begin < 0 ? 0 : begin;
    end = end > (double)cells->n ? (double)cells->n : end;
    for (size_t i = (size_t)begin; (double)i < end; i++) {
        double from = begin > (double)i ? begin : (double)i;
        double to = end < (double)(i + 1) ? end : (double)(i + 1);
        cells->shares[i * TIMELINE_KINDS + kind] += (to - from) * share * cells->weight;
    }
}

/// Returns the index of the first call of the rank after this one.
static size_t put_calls(const struct timeline *timeline, uint32_t rank, size_t first,
                        const struct cells *cells)
{
    uint64_t now_ns = timeline->rows[rank].began_ns;
    size_t i = first;
    for (; i < timeline->n_calls && timeline->calls[i].rank == rank; i++) {
        const struct timeline_call *call = &timeline->calls[i];
        double lost =
            call->lost_ns == 0 ? 0 : (double)call->lost_ns / (double)(call->enter_ns - now_ns);
        put_cells(cells, TIMELINE_COMPUTING, now_ns, call->enter_ns, 1 - lost);
        put_cells(cells, TIMELINE_NO_CPU, now_ns, call->enter_ns, lost);
        put_cells(cells, TIMELINE_WAITING, call->enter_ns, call->release_ns, 1);
        put_cells(cells, call->kind, call->release_ns, call->leave_ns, 1);
        now_ns = call->leave_ns;
    }
    put_cells(cells, TIMELINE_COMPUTING, now_ns, timeline->rows[rank].now_ns, 1);
    return i;
}

static void put_columns(const struct timeline *timeline, size_t rank, const struct cells *cells)
{
    for (size_t column = 0; column < timeline->n_columns; column++) {
        const uint16_t *shares = cell(timeline, rank, column);
        uint64_t begin_ns = column * timeline->column_ns;
        for (int kind = 0; kind < TIMELINE_KINDS; kind++)
            if (shares[kind] > 0)
                put_cells(cells, kind, begin_ns, begin_ns + timeline->column_ns,
                          (double)shares[kind] / TIMELINE_WHOLE);
    }
}

void timeline_cells(const struct timeline *timeline, size_t first, size_t last, uint64_t begin_ns,
                    uint64_t end_ns, size_t n_cells, double *shares)
{
    const struct cells cells = {.shares = shares,
                                .n = n_cells,
                                .begin_ns = (double)begin_ns,
                                .cell_ns = (double)(end_ns - begin_ns) / (double)n_cells,
                                .weight = 1 / (double)(last - first)};
    size_t call = 0;
    memset(shares, 0, n_cells * TIMELINE_KINDS * sizeof *shares);
    while (call < timeline->n_calls && timeline->calls[call].rank < first)
        call++;
    for (size_t rank = first; rank < last; rank++)
        if (timeline->has_all_calls)
            call = put_calls(timeline, (uint32_t)rank, call, &cells);
        else
            put_columns(timeline, rank, &cells);
}

/// The phase with most time in COLUMN; -1.
static int main_phase(const struct timeline *timeline, size_t column)
{
    double most_ns = 0;
    int main = -1;
    for (size_t i = 0; i < timeline->n_phases; i++) {
        double ns = timeline->phase_ns[i * timeline->n_columns + column];
        if (ns > most_ns)
            main = (int)i;
        most_ns = ns > most_ns ? ns : most_ns;
    }
    return main;
}

void timeline_all_ranks(const struct timeline *timeline, double *shares, int *phases)
{
    size_t n = timeline->n_columns * TIMELINE_KINDS;
    memset(shares, 0, n * sizeof *shares);
    for (size_t rank = 0; rank < timeline->n_ranks; rank++)
        for (size_t i = 0; i < n; i++)
            shares[i] += (double)timeline->shares[rank * n + i] / TIMELINE_WHOLE;
    for (size_t column = 0; column < timeline->n_columns; column++)
        phases[column] = main_phase(timeline, column);
}

uint64_t timeline_rank_begin_ns(const struct timeline *timeline, size_t rank)
{
    return timeline->rows[rank].began_ns;
}

uint64_t timeline_rank_end_ns(const struct timeline *timeline, size_t rank)
{
    return timeline->rows[rank].now_ns;
}
