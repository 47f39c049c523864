// SPDX-License-Identifier: BSD-3-Clause
// A simulated run for its listener (policy.h).
#include "analyzer/simulation/dealt/policy.h"

#include "analyzer/base/memory.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/reader.h"

int observe_run(struct trace *trace, const struct scenario *scenario,
                const struct recorded *recorded, const struct pag_listener *listener,
                uint64_t *time_ns, struct error *err)
{
    SCOPED_BY(prediction_release) struct prediction prediction = {0};
    SCOPED_BY(pag_result_release) struct pag_result result = {0};
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.explains = false;
    prediction_init(&prediction, trace_definitions(trace), scenario, recorded);
    int status = prediction_run_again(&prediction, trace, &options, listener, &result, err);
    *time_ns = result.time_ns;
    return status;
}

// --- work between two meetings of all ranks

enum { N_STOPS = 64 }; // kept of a rank

struct stop {
    uint64_t time_ns, computed_ns; // until then
};

struct work_span_rank {
    uint64_t since_ns; // computes since then, UINT64_MAX: it does not
    uint64_t computed_ns, counted_ns;
    struct stop stops[N_STOPS]; // the last ones, a ring
    uint64_t n_stops;
};

void work_spans_init(struct work_spans *spans, uint32_t n_ranks)
{
    *spans = (struct work_spans){
        .n_ranks = n_ranks,
        .ranks = memory_zeroed(n_ranks, sizeof *spans->ranks),
        .open_ns = memory_zeroed(n_ranks, sizeof *spans->open_ns),
    };
    for (uint32_t i = 0; i < n_ranks; i++)
        spans->ranks[i].since_ns = UINT64_MAX;
}

void work_spans_release(struct work_spans *spans)
{
    FREE_ALL(spans->work_ns, spans->ranks, spans->open_ns);
    *spans = (struct work_spans){0};
}

static void on_computing(void *context, uint32_t index, uint64_t time_ns, bool computes)
{
    struct work_spans *spans = context;
    if (index >= spans->n_ranks)
        return;
    struct work_span_rank *rank = &spans->ranks[index];
    if (rank->since_ns != UINT64_MAX && time_ns > rank->since_ns)
        rank->computed_ns += time_ns - rank->since_ns;
    rank->since_ns = computes ? time_ns : UINT64_MAX;
    if (!computes)
        rank->stops[rank->n_stops++ % N_STOPS] = (struct stop){time_ns, rank->computed_ns};
}

/// What RANK had computed when it entered MPI at TIME_NS; of the oldest call that is known if that
/// was before it.
static uint64_t computed_at(const struct work_span_rank *rank, uint64_t time_ns)
{
    uint64_t n_kept = rank->n_stops < N_STOPS ? rank->n_stops : N_STOPS, computed_ns = 0;
    for (uint64_t i = 1; i <= n_kept; i++) {
        const struct stop *stop = &rank->stops[(rank->n_stops - i) % N_STOPS];
        computed_ns = stop->computed_ns;
        if (stop->time_ns <= time_ns)
            break;
    }
    return computed_ns;
}

static void end_span(struct work_spans *spans)
{
    if ((spans->n_spans + 1) * spans->n_ranks > WORK_SPANS_MAX_KEPT) {
        spans->n_not_kept++;
        return;
    }
    spans->work_ns = array_reserve(spans->work_ns, &spans->capacity,
                                   (spans->n_spans + 1) * spans->n_ranks, sizeof *spans->work_ns);
    for (uint32_t i = 0; i < spans->n_ranks; i++)
        spans->work_ns[spans->n_spans * spans->n_ranks + i] = spans->open_ns[i];
    spans->n_spans++;
}

static bool meets_all(const struct work_spans *spans, const struct trigger *trigger)
{
    if (trigger->kind != TRIGGER_COLLECTIVE ||
        trigger->value[TRIGGER_COLLECTIVE_N_MEMBERS] != spans->n_ranks)
        return false;
    const int64_t *value = trigger->value;
    int64_t kind = value[TRIGGER_COLLECTIVE_KIND];
    if (value[TRIGGER_COLLECTIVE_IS_FILE] &&
        value[TRIGGER_COLLECTIVE_FIRST_END] < value[TRIGGER_COLLECTIVE_LAST_ENTER])
        return false; // its members did not wait for each other
    return kind == COLLECTIVE_BARRIER || kind == COLLECTIVE_ALL_TO_ALL ||
           kind == COLLECTIVE_HANDLE || kind == TRIGGER_KIND_FINALIZE;
}

static void on_trigger(void *context, const struct trigger *trigger)
{
    struct work_spans *spans = context;
    if (!meets_all(spans, trigger) || trigger->rank >= spans->n_ranks)
        return;
    struct work_span_rank *rank = &spans->ranks[trigger->rank];
    uint64_t computed_ns = computed_at(rank, (uint64_t)trigger->value[TRIGGER_COLLECTIVE_ENTER]);
    spans->open_ns[trigger->rank] =
        computed_ns > rank->counted_ns ? computed_ns - rank->counted_ns : 0;
    rank->counted_ns = computed_ns;
    if (++spans->n_open < spans->n_ranks)
        return;
    end_span(spans);
    spans->n_open = 0;
}

/// What was computed until now was so before MPI was there to hand work over.
static void on_window_moved(void *context)
{
    struct work_spans *spans = context;
    for (uint32_t i = 0; i < spans->n_ranks; i++)
        spans->ranks[i].counted_ns = spans->ranks[i].computed_ns;
    spans->n_spans = 0;
}

struct pag_listener work_spans_listener(struct work_spans *spans)
{
    return (struct pag_listener){.trigger = {on_trigger, spans},
                                 .computing = {on_computing, spans},
                                 .window_moved = {on_window_moved, spans}};
}
