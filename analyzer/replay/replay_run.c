// SPDX-License-Identifier: BSD-3-Clause
// A replay with its listeners.
#include "analyzer/replay/replay_run.h"

#include "analyzer/base/memory.h"
#include "analyzer/pag/location/digest.h"
#include "analyzer/result/views/servers.h"
#include "analyzer/rewrite/clock_fit.h"
#include "analyzer/simulation/cost/ideal.h"
#include "analyzer/simulation/prediction.h"

static void on_trigger(void *context, const struct trigger *trigger)
{
    struct replay_run *run = context;
    if (run->matcher)
        matcher_trigger(run->matcher, trigger);
    if (run->recorded)
        recorded_trigger(run->recorded, trigger);
    if (run->writer && run->writer->trigger.tell)
        run->writer->trigger.tell(run->writer->trigger.context, trigger);
}

static void on_message(void *context, const struct pag_message *message)
{
    struct replay_run *run = context;
    if (run->recorded)
        recorded_message(run->recorded, message);
    if (run->servers)
        servers_message(run->servers, message);
    if (run->timeline)
        timeline_message(run->timeline, message);
    if (run->writer && run->writer->message.tell)
        run->writer->message.tell(run->writer->message.context, message);
}

static void on_called(void *context, const struct pag_called *call)
{
    struct replay_run *run = context;
    if (run->recorded)
        recorded_called(run->recorded, call);
    if (run->timeline)
        timeline_called(run->timeline, call);
    if (run->servers)
        servers_called(run->servers, call);
}

static void on_cpu_time(void *context, uint32_t rank, const struct pag_cpu_sample *sample)
{
    struct replay_run *run = context;
    if (run->recorded)
        recorded_cpu_time(run->recorded, rank, sample);
    if (run->writer && run->writer->cpu_time.tell)
        run->writer->cpu_time.tell(run->writer->cpu_time.context, rank, sample);
}

int replay_run_open(struct replay_run *run, const char *trace, struct error *err)
{
    *run = (struct replay_run){0};
    run->trace = trace_open(trace, err);
    return run->trace ? 0 : -1;
}

int replay_run_open_shared(struct replay_run *run, const char *trace, struct error *err)
{
    *run = (struct replay_run){0};
    run->trace = trace_open_shared(trace, err);
    return run->trace ? 0 : -1;
}

int replay_serve(const char *path, const struct catalogue *catalogue, struct error *err)
{
    struct trace *trace = trace_open_shared(path, err);
    if (!trace)
        return -1;
    SCOPED bool *visited = matcher_visited(catalogue, trace_definitions(trace));
    digest_serve(trace, visited);
    trace_close(trace);
    return 0;
}

int replay_run_open_again(struct replay_run *run, struct trace *first, struct error *err)
{
    *run = (struct replay_run){.first = first};
    run->trace = trace_again(first, err);
    return run->trace ? 0 : -1;
}

int replay_run_keep_times(struct replay_run *run, const char *directory, struct error *err)
{
    run->times = time_map_new(directory, trace_definitions(run->trace)->n_locations, err);
    return run->times ? 0 : -1;
}

/// One pass, whose findings are not concluded. 0, or -1 and ERR.
static int make_pass(struct replay_run *run, const struct catalogue *catalogue,
                     struct prediction *prediction, bool gathers, const char *what,
                     struct error *err)
{
    const struct definitions *definitions = trace_definitions(run->trace);
    SCOPED bool *visited =
        catalogue && !prediction ? matcher_visited(catalogue, definitions) : NULL;
    if (catalogue)
        run->matcher = matcher_new(catalogue, definitions);
    if (run->matcher && run->waits)
        matcher_listen(run->matcher, single_waits_add, run->waits);
    else if (run->matcher && run->waited)
        matcher_listen(run->matcher, run->waited, run->writer->entered.context);
    if (gathers)
        run->recorded = recorded_new(definitions);
    if (catalogue && !prediction)
        run->servers = servers_new(definitions);
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.explains = catalogue != NULL;
    options.keeps_series = catalogue != NULL && !prediction;
    options.moment = run->moment;
    options.visited = visited;
    options.only_times = prediction && !catalogue && !run->finds_path;
    const struct pag_listener writer = run->writer ? *run->writer : (struct pag_listener){0};
    bool has_spans = run->timeline && run->timeline->n_threads > 0;
    const struct pag_listener listener = {
        .trigger = {catalogue || gathers ? on_trigger : NULL, run},
        .tested = {gathers ? recorded_tested : NULL, run->recorded},
        .message = {gathers || run->timeline || run->servers || run->writer ? on_message : NULL,
                    run},
        .sent = {gathers ? recorded_sent : NULL, run->recorded},
        .computing = {gathers ? recorded_computing : NULL, run->recorded},
        .called = {gathers || run->timeline || run->servers ? on_called : NULL, run},
        .thread_span = {has_spans ? timeline_thread_span : NULL, run->timeline},
        .cpu_time = {gathers || writer.cpu_time.tell ? on_cpu_time : NULL, run},
        .entered = writer.entered,
        .left = writer.left,
        .counted = writer.counted,
        .handed_over = writer.handed_over,
        .window_moved = {run->matcher ? matcher_window_moved : NULL, run->matcher},
        .reached = {progress_update, &run->progress},
        .moved = {run->times ? time_map_moved : NULL, run->times},
        .changed = {run->times ? time_map_changed : NULL, run->times},
        .weighed = {run->times ? time_map_weighed : NULL, run->times},
    };
    progress_begin(&run->progress, what, what ? definitions->length_ns : 0);
    int failed =
        prediction ? prediction_run(prediction, run->trace, &options, &listener, &run->replay, err)
                   : pag_run(run->trace, &options, &listener, &run->replay, err);
    progress_end(&run->progress);
    return failed ? error_wrap(err, "cannot replay %s", trace_path(run->trace)) : 0;
}

int replay_correct_clocks(struct trace *trace, const struct pag_result *replay,
                          struct collect_clocks *clocks, struct error *err)
{
    if (replay->n_clock_violations == 0)
        return 0;
    if (replay->n_unmatched_receives > 0) {
        error_set(&clocks->why_not, "the clocks of ranks disagree, or messages are taken for "
                                    "others because the trace lacks some that were sent");
        return 0;
    }
    struct clock_report report;
    int status = correct_clocks(trace, &report, &clocks->why_not);
    if (status == 0)
        *clocks = (struct collect_clocks){
            .n_violations = replay->n_clock_violations,
            .max_violation_ns = replay->max_clock_violation_ns,
            .moved_ns = clock_correction_most_ns(&report.correction),
            .jumping = report.jumping,
        };
    clock_correction_release(&report.correction);
    if (status < 0)
        return error_set(err, "%s", clocks->why_not.text);
    return status == 0;
}

/// The pass before is forgotten.
static int make_pass_anew(struct replay_run *run, const struct catalogue *catalogue, bool gathers,
                          const char *what, struct error *err)
{
    pag_result_release(&run->replay);
    matcher_free(run->matcher);
    recorded_free(run->recorded);
    servers_free(run->servers);
    run->matcher = NULL;
    run->recorded = NULL;
    run->servers = NULL;
    if (run->timeline)
        timeline_begin_anew(run->timeline);
    if (run->waits)
        single_waits_begin_anew(run->waits);
    struct trace *again = trace_again(run->trace, err);
    int status = again ? make_pass(run, catalogue, NULL, gathers, what, err) : -1;
    trace_give_back(run->trace, again);
    return status;
}

/// In measured time, by corrected clocks. As replay_run().
static int measure(struct replay_run *run, const struct catalogue *catalogue, bool gathers,
                   const char *what, struct error *err)
{
    if (run->clocks.moved_ns > 0)
        return make_pass_anew(run, catalogue, gathers, what, err);
    if (make_pass(run, catalogue, NULL, gathers, what, err) != 0)
        return -1;
    int status = replay_correct_clocks(run->trace, &run->replay, &run->clocks, err);
    return status == 1 && !run->writer ? make_pass_anew(run, catalogue, gathers, what, err)
                                       : status;
}

int replay_run(struct replay_run *run, const struct catalogue *catalogue,
               struct prediction *prediction, bool gathers, const char *what, struct error *err)
{
    int status = prediction ? make_pass(run, catalogue, prediction, gathers, what, err)
                            : measure(run, catalogue, gathers, what, err);
    if (status != 0)
        return status;
    if (gathers)
        recorded_conclude(run->recorded, &run->replay);
    if (catalogue) {
        collect_result(&(struct collect_input){.trace = run->trace,
                                               .catalogue = catalogue,
                                               .matcher = run->matcher,
                                               .timeline = run->timeline,
                                               .servers = run->servers,
                                               .replay = &run->replay,
                                               .clocks = &run->clocks},
                       &run->result);
        pag_result_release_series(&run->replay);
    }
    return 0;
}

int replay_run_find_waits(struct replay_run *run, struct single_waits *waits, const char *what,
                          struct error *err)
{
    run->waits = waits;
    int status = replay_run(run, waits->catalogue, NULL, false, what, err);
    if (status == 0)
        status = single_waits_conclude(waits, &run->replay, err);
    if (status == 1 && make_pass_anew(run, waits->catalogue, false, what, err) == 0)
        status = single_waits_conclude(waits, &run->replay, err);
    return status == 0 ? 0 : -1;
}

void replay_run_close(struct replay_run *run)
{
    if (run->first)
        trace_give_back(run->first, run->trace);
    else
        trace_close(run->trace);
    run->trace = NULL;
}

void replay_run_release(struct replay_run *run)
{
    result_release(&run->result);
    pag_result_release(&run->replay);
    matcher_free(run->matcher);
    servers_free(run->servers);
    recorded_free(run->recorded);
    time_map_free(run->times);
    replay_run_close(run);
    *run = (struct replay_run){0};
}

int replay_run_ideal(struct replay_run *measured, struct error *err)
{
    SCOPED_BY(replay_run_release) struct replay_run run = {0};
    SCOPED_BY(ideal_release) struct ideal ideal = {0};
    int status = replay_run_open_again(&run, measured->trace, err);
    if (status == 0) {
        ideal_init(&ideal, trace_definitions(run.trace), &measured->replay, measured->recorded);
        status = replay_run(&run, NULL, &ideal.prediction, false, "on an ideal network", err);
    }
    if (status == 0)
        collect_ideal(&measured->result, ideal_time_ns(&ideal));
    return status;
}

bool damage_warn(const struct result *result)
{
    for (size_t i = 0; i < result->n_warnings; i++)
        if (result->warnings[i].is_of_damage)
            log_warning("%s: %s [%s]", result->trace_path, result->warnings[i].text,
                        result->warnings[i].code);
    return result->has_unreadable_records;
}
