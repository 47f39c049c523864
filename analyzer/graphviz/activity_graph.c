// SPDX-License-Identifier: BSD-3-Clause
// See activity_graph.h. The calls of the part are kept until the run is over, at most MAX_CALLS:
// arcs name their ends by rank and enter.
#include "analyzer/graphviz/activity_graph.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/new_file.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

enum { MAX_CALLS = 5000 };

/// An MPI call, or a call with message records.
struct call {
    uint32_t rank, region, caller; // EVENT_NO_INDEX: a message outside of any call; no caller
    uint64_t enter_ns, leave_ns;
    uint32_t group;
    uint64_t clock_ns; // of the group at its enter
};

/// What the call of a rank entered at a time needs of another one.
struct arc {
    uint32_t from_rank, to_rank;
    uint64_t from_enter_ns, to_enter_ns;
    uint64_t size_bytes;
    bool is_message, is_awaited; // false: a collective operation
};

struct open_rank {
    uint32_t *regions; // that are open
    size_t depth, capacity;
    size_t call_depth; // of the outermost MPI call, 0: none
    struct call call;  // that one
};

struct activity_graph {
    const struct definitions *definitions;
    const struct pag_part *parts; // by location
    struct open_rank *ranks;
    struct call *calls; // in the end by group, then time
    size_t n_calls, calls_capacity;
    struct arc *arcs;
    size_t n_arcs, arcs_capacity;
    uint64_t n_left_out;
};

struct activity_graph *activity_graph_new(const struct definitions *definitions,
                                          const struct pag_part *parts)
{
    struct activity_graph *graph = memory_zeroed(1, sizeof *graph);
    graph->definitions = definitions;
    graph->parts = parts;
    graph->ranks = memory_zeroed(definitions->n_ranks + 1, sizeof *graph->ranks);
    return graph;
}

void activity_graph_free(struct activity_graph *graph)
{
    if (!graph)
        return;
    FREE_MEMBERS(graph->ranks, graph->definitions->n_ranks, regions);
    FREE_ALL(graph->ranks, graph->calls, graph->arcs, graph);
}

// --- the replay

static struct open_rank *rank_of(struct activity_graph *graph, uint32_t location)
{
    const struct location *at = &graph->definitions->locations[location];
    return at->is_master ? &graph->ranks[at->rank] : NULL;
}

static bool is_mpi(const struct activity_graph *graph, uint32_t region)
{
    return region == EVENT_NO_INDEX || graph->definitions->regions[region].mpi != MPI_FUNCTION_NONE;
}

static void on_entered(void *context, const struct pag_entered *entered)
{
    struct activity_graph *graph = context;
    struct open_rank *rank = rank_of(graph, entered->location);
    if (!rank)
        return;
    if (rank->call_depth == 0 && is_mpi(graph, entered->region)) {
        rank->call_depth = rank->depth + 1;
        rank->call = (struct call){.rank = (uint32_t)(rank - graph->ranks),
                                   .region = entered->region,
                                   .caller = rank->depth > 0 ? rank->regions[rank->depth - 1]
                                                             : EVENT_NO_INDEX,
                                   .enter_ns = entered->time_ns};
    }
    *ARRAY_NEXT(rank->regions, rank->depth, rank->capacity) = entered->region;
}

static bool is_in_part(const struct activity_graph *graph, uint32_t location, uint64_t begin_ns,
                       uint64_t end_ns)
{
    struct pag_part part = graph->parts[location];
    return part.begin_ns < part.end_ns && end_ns >= part.begin_ns && begin_ns <= part.end_ns;
}

static void on_left(void *context, uint32_t location, uint64_t time_ns)
{
    struct activity_graph *graph = context;
    struct open_rank *rank = rank_of(graph, location);
    if (!rank || rank->depth-- != rank->call_depth)
        return;
    rank->call_depth = 0;
    rank->call.leave_ns = time_ns;
    if (!is_in_part(graph, location, rank->call.enter_ns, time_ns))
        return;
    if (graph->n_calls == MAX_CALLS)
        graph->n_left_out++;
    else
        *ARRAY_NEXT(graph->calls, graph->n_calls, graph->calls_capacity) = rank->call;
}

static void add_arc(struct activity_graph *graph, struct arc arc)
{
    if (graph->n_arcs < MAX_CALLS * 4)
        *ARRAY_NEXT(graph->arcs, graph->n_arcs, graph->arcs_capacity) = arc;
}

static void on_message(void *context, const struct pag_message *message)
{
    struct activity_graph *graph = context;
    if (is_in_part(graph, message->location, message->send_enter_ns, message->leave_ns))
        add_arc(graph, (struct arc){.from_rank = message->sender,
                                    .to_rank = message->receiver,
                                    .from_enter_ns = message->send_enter_ns,
                                    .to_enter_ns = message->enter_ns,
                                    .size_bytes = message->size_bytes,
                                    .is_message = true,
                                    .is_awaited = message->is_deciding &&
                                                  message->send_enter_ns > message->enter_ns});
}

static void on_trigger(void *context, const struct trigger *trigger)
{
    struct activity_graph *graph = context;
    const int64_t *value = trigger->value;
    if (trigger->kind != TRIGGER_COLLECTIVE)
        return;
    struct trigger_releaser by = trigger_releaser(value);
    int64_t own_enter = value[TRIGGER_COLLECTIVE_ENTER];
    if (by.rank < 0 || by.rank == (int64_t)trigger->rank || by.enter == TRIGGER_NEVER ||
        !is_in_part(graph, trigger->location, (uint64_t)by.enter,
                    (uint64_t)value[TRIGGER_COLLECTIVE_LEAVE]))
        return;
    add_arc(graph, (struct arc){.from_rank = (uint32_t)by.rank,
                                .to_rank = trigger->rank,
                                .from_enter_ns = (uint64_t)by.enter,
                                .to_enter_ns = (uint64_t)own_enter,
                                .is_awaited = by.enter > own_enter});
}

struct pag_listener activity_graph_listener(struct activity_graph *graph)
{
    return (struct pag_listener){.entered = {on_entered, graph},
                                 .left = {on_left, graph},
                                 .message = {on_message, graph},
                                 .trigger = {on_trigger, graph}};
}

// --- the graph

/// A call that begins or ends.
struct change {
    uint64_t time_ns;
    bool is_enter;
    uint32_t call;
};

/// Runs the clock of the group that has the N calls from FIRST on and N_RANKS ranks: it runs while
/// any of these computes.
static void run_clock(struct activity_graph *graph, uint32_t first, uint32_t n, uint32_t n_ranks)
{
    SCOPED struct change *changes = memory_new(2 * (size_t)n * sizeof *changes);
    for (uint32_t i = 0; i < n; i++) {
        const struct call *call = &graph->calls[first + i];
        changes[2 * i] = (struct change){call->enter_ns, true, first + i};
        changes[2 * i + 1] = (struct change){call->leave_ns, false, first + i};
    }
    SORT_BY(changes, 2 * (size_t)n, LEAST(time_ns), LEAST(is_enter), LEAST(call));
    uint64_t clock_ns = 0, now_ns = changes[0].time_ns;
    uint32_t n_computing = n_ranks;
    for (uint32_t i = 0; i < 2 * n; i++) {
        if (n_computing > 0)
            clock_ns += changes[i].time_ns - now_ns;
        now_ns = changes[i].time_ns;
        n_computing += changes[i].is_enter ? -1u : 1u;
        if (changes[i].is_enter)
            graph->calls[changes[i].call].clock_ns = clock_ns;
    }
}

static void group_calls(struct activity_graph *graph, const struct result *result)
{
    bool has_groups = result->groups.n > 0;
    for (size_t i = 0; i < graph->n_calls; i++) {
        uint32_t rank = graph->calls[i].rank;
        graph->calls[i].group = has_groups ? result->groups.of_rank[rank] : rank;
    }
    SORT_BY(graph->calls, graph->n_calls, LEAST(group), LEAST(enter_ns), LEAST(rank));
    for (uint32_t first = 0, end; first < graph->n_calls; first = end) {
        uint32_t group = graph->calls[first].group;
        for (end = first; end < graph->n_calls && graph->calls[end].group == group; end++)
            ;
        run_clock(graph, first, end - first, has_groups ? result->groups.items[group].n_ranks : 1);
    }
}

/// The call of RANK at TIME_NS, among all calls SORTED by rank; NULL: not in the part.
static const struct call *call_at(const struct activity_graph *graph,
                                  const struct call *const *sorted, uint32_t rank, uint64_t time_ns)
{
    size_t after;
    SEARCH(after, 0, graph->n_calls, i,
           sorted[i]->rank < rank || (sorted[i]->rank == rank && sorted[i]->enter_ns <= time_ns));
    const struct call *found = after > 0 ? sorted[after - 1] : NULL;
    return found && found->rank == rank && found->leave_ns >= time_ns ? found : NULL;
}

// --- its text

static void write_name(FILE *stream, const char *name)
{
    for (; *name; name++)
        fprintf(stream, strchr("\"\\", *name) ? "\\%c" : "%c", *name);
}

static void write_call(const struct activity_graph *graph, const struct call *call, char **shown,
                       bool names_rank, FILE *stream)
{
    fprintf(stream, "    c%zu [label=\"", (size_t)(call - graph->calls));
    if (names_rank)
        fprintf(stream, "rank %" PRIu32 "\\n", call->rank);
    write_name(stream, call->region == EVENT_NO_INDEX ? "(message)" : shown[call->region]);
    if (call->caller != EVENT_NO_INDEX) {
        fputs("\\nin ", stream);
        write_name(stream, shown[call->caller]);
    }
    fprintf(stream, "\\nat %s for %s\"];\n", quantity_time(call->enter_ns).text,
            quantity_time(call->leave_ns - call->enter_ns).text);
}

/// A row of calls for each group, and what lies between them.
static void write_groups(const struct activity_graph *graph, const struct result *result,
                         char **shown, FILE *stream)
{
    for (size_t i = 0; i < graph->n_calls; i++) {
        const struct call *call = &graph->calls[i];
        bool is_first = i == 0 || call[-1].group != call->group;
        bool is_last = i + 1 == graph->n_calls || call[1].group != call->group;
        if (is_first) {
            fprintf(stream, "  subgraph cluster_%" PRIu32 " {\n    label=\"", call->group);
            if (result->groups.n > 0)
                write_name(stream, result->groups.items[call->group].name);
            else
                fprintf(stream, "rank %" PRIu32, call->rank);
            fputs("\";\n", stream);
        }
        write_call(graph, call, shown, result->groups.n > 0, stream);
        if (!is_first)
            fprintf(stream, "    c%zu -> c%zu [label=\"%s\", weight=9];\n", i - 1, i,
                    quantity_time(call->clock_ns - call[-1].clock_ns).text);
        if (is_last)
            fputs("  }\n", stream);
    }
}

/// Those whose waits ended with them are red.
static void write_arcs(struct activity_graph *graph, FILE *stream)
{
    SCOPED const struct call **sorted = memory_new((graph->n_calls + 1) * sizeof *sorted);
    for (size_t i = 0; i < graph->n_calls; i++)
        sorted[i] = &graph->calls[i];
    SORT_POINTERS_BY(sorted, graph->n_calls, LEAST(rank), LEAST(enter_ns));
    SORT_BY(graph->arcs, graph->n_arcs, LEAST(from_enter_ns), LEAST(from_rank), LEAST(to_rank),
            LEAST(to_enter_ns), LEAST(size_bytes));
    for (size_t i = 0; i < graph->n_arcs; i++) {
        const struct arc *arc = &graph->arcs[i];
        const struct call *from = call_at(graph, sorted, arc->from_rank, arc->from_enter_ns);
        const struct call *to = call_at(graph, sorted, arc->to_rank, arc->to_enter_ns);
        if (!from || !to)
            continue;
        fprintf(stream, "  c%zu -> c%zu [constraint=false, style=%s, color=%s",
                (size_t)(from - graph->calls), (size_t)(to - graph->calls),
                arc->is_message ? "solid" : "dashed", arc->is_awaited ? "red" : "gray50");
        if (arc->is_message)
            fprintf(stream, ", label=\"%s\"", quantity_size(arc->size_bytes).text);
        fputs("];\n", stream);
    }
}

int activity_graph_write(struct activity_graph *graph, const struct result *result,
                         const char *path, struct error *err)
{
    if (graph->n_calls == 0)
        return error_set(err, "no rank calls MPI in this interval");
    if (graph->n_left_out > 0)
        return error_set(err,
                         "the interval has %" PRIu64 " MPI calls, and a graph shows at most %d: "
                         "choose a shorter one",
                         graph->n_calls + graph->n_left_out, MAX_CALLS);
    struct new_file file;
    int status = new_file_open(&file, path, err);
    if (status == 0) {
        char **shown = region_names_shown(graph->definitions);
        group_calls(graph, result);
        fputs("digraph activities {\n  rankdir=LR;\n  node [shape=box];\n", file.stream);
        write_groups(graph, result, shown, file.stream);
        write_arcs(graph, file.stream);
        fputs("}\n", file.stream);
        memory_free_each(shown, graph->definitions->n_regions);
    }
    return new_file_finish(&file, status, err);
}
