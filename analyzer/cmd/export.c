// SPDX-License-Identifier: BSD-3-Clause
// `pagoda export TRACE|DB -o FILE`: a replay, and a prediction from it, or the stored runs, as an
// HTML page; a replay as tracks for Perfetto's viewer, as a trace for Paraver or SimGrid; a part of
// it as a graph or as an archive; one of its pictures, or the numbers of that.
#include "analyzer/cmd/commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/new_file.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/threads.h"
#include "analyzer/cmd/compared_traces.h"
#include "analyzer/compare/back_test.h"
#include "analyzer/compare/difference.h"
#include "analyzer/compare/scaling.h"
#include "analyzer/graphviz/activity_graph.h"
#include "analyzer/paraver/prv_trace.h"
#include "analyzer/perfetto/track_events.h"
#include "analyzer/replay/interval.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/report/pages/pages.h"
#include "analyzer/report/report.h"
#include "analyzer/result/views/groups.h"
#include "analyzer/result/views/plot.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/rewrite/repair/repair.h"
#include "analyzer/simgrid/ti_trace.h"
#include "analyzer/trace/clock.h"
#include "analyzer/whatif/options.h"
#include "analyzer/whatif/placement_search.h"
#include "analyzer/whatif/whatif.h"
#include "db/names.h"
#include "db/trials.h"

#define VIEWER_BYTES 500000000 // of a file that Perfetto's viewer loads in a browser

enum export_format {
    FORMAT_HTML,
    FORMAT_PERFETTO,
    FORMAT_PRV,
    FORMAT_TI,
    FORMAT_DOT,
    FORMAT_OTF2,
    FORMAT_SVG,
    FORMAT_CSV,
    FORMAT_JSON,
    FORMAT_BADGE,
    N_FORMATS
};
static const char *const format_names[N_FORMATS] = {"html", "perfetto", "prv", "ti",   "dot",
                                                    "otf2", "svg",      "csv", "json", "badge"};
#define ALL_FORMATS "html, perfetto, prv, ti, dot, otf2, svg, csv, json or badge"

/// Of a single picture or its numbers.
static bool is_plot(enum export_format format)
{
    return format == FORMAT_SVG || format == FORMAT_CSV || format == FORMAT_JSON;
}

struct export_request {
    const char *source, *path; // a trace or a database; the file
    const char *format_name;
    enum export_format format;
    uint64_t split_bytes; // of a file of tracks; 0: not said
    const char *interval; // a part of the run; NULL: all of it
    const char *group;    // NULL: each rank is one
    const char *view, *metric;
    struct plot_choice plot; // what these say
    struct grouping grouping;
    const char *as;
    struct trial_path trials; // what it says
    struct whatif_options whatif;
    struct advice_word *words; // these
    size_t n_words;
};

struct exported {
    struct catalogue *catalogue;
    struct replay_run measured;
    struct whatif_plan plan;
    struct whatif_report predicted;
    struct timeline *predicted_timeline; // NULL: nothing is predicted
    char **places;                       // of --map auto
    size_t n_places;
    struct pag_listener listener;   // that of what writes files of all events
    struct interval_list intervals; // of a graph or archive
    bool is_damaged;                // what that is a part of
};

/// A page of one kind or the other.
struct page {
    const struct run_page *run;
    const struct store_page *store;
};

static int write_page(struct page page, const char *path, struct error *err)
{
    struct new_file file;
    int status = new_file_open(&file, path, err);
    if (status == 0 && page.run)
        status = run_page_print(page.run, file.stream, err);
    else if (status == 0)
        store_page_print(page.store, file.stream);
    return new_file_finish(&file, status, err);
}

/// Strips of the timeline of RUN, by a further pass where the trace may have any.
static int read_strips(struct replay_run *run, bool wants_cpu_time, struct error *err)
{
    timeline_find_phases(run->timeline, &run->result);
    if (trace_definitions(run->trace)->n_counters == 0 && run->timeline->n_phases == 0 &&
        !run->replay.has_cpu_time && !wants_cpu_time)
        return 0;
    struct trace *again = trace_again(run->trace, err);
    if (!again)
        return -1;
    timeline_read_strips(run->timeline, again);
    trace_give_back(run->trace, again);
    return 0;
}

/// What pictures show, of a run that is open: its timeline with strips, and groups of its ranks.
static int replay_for_pictures(const struct export_request *request, struct exported *exported,
                               bool gathers, struct error *err)
{
    struct replay_run *run = &exported->measured;
    const struct definitions *definitions = trace_definitions(run->trace);
    run->timeline = timeline_new(definitions, !is_plot(request->format));
    if (replay_run(run, exported->catalogue, NULL, gathers, "replaying", err) != 0)
        return -1;
    bool wants_cpu_time = is_plot(request->format) && request->plot.of == PLOT_OF_MOMENT;
    if (read_strips(run, wants_cpu_time, err) != 0)
        return -1;
    // What a picture of ranks shows beside each other.
    const struct grouping few = {.by = GROUP_RANKS, .n_ranks = (run->result.n_ranks + 63) / 64};
    if (run->result.n_ranks > 1 || is_plot(request->format))
        groups_collect(request->group ? &request->grouping : &few, &run->result);
    return 0;
}

static int replay_measured(const struct export_request *request, struct exported *exported,
                           struct error *err)
{
    struct replay_run *run = &exported->measured;
    exported->catalogue = catalogue_load_shipped(NULL, 0, err);
    if (!exported->catalogue || replay_run_open(run, request->source, err) != 0)
        return -1;
    const struct definitions *definitions = trace_definitions(run->trace);
    if (request->n_words > 0 && whatif_plan_prepare(&exported->plan, definitions, err) != 0)
        return -1;
    const char *why_not = findings_too_large(definitions);
    if (replay_for_pictures(request, exported, !why_not || request->n_words > 0, err) != 0)
        return -1;
    struct error unpredicted;
    if (why_not)
        findings_leave_unproven(&run->result, why_not);
    else if (findings_predict(run, &unpredicted) != 0)
        log_warning("%s", unpredicted.text);
    return 0;
}

static int predict(struct exported *exported, struct error *err)
{
    const struct replay_run *measured = &exported->measured;
    struct whatif_plan *plan = &exported->plan;
    exported->predicted_timeline = timeline_new(trace_definitions(measured->trace), false);
    const struct whatif_outputs outputs = {.timeline = exported->predicted_timeline};
    if (whatif_plan_complete(plan, measured, err) != 0 ||
        whatif_map_auto(plan, measured, &exported->places, &exported->n_places, err) != 0)
        return -1;
    return whatif_run(plan, exported->catalogue, measured, &outputs, &exported->predicted, err);
}

static int export_run(const struct export_request *request, struct exported *exported,
                      struct error *err)
{
    int status = replay_measured(request, exported, err);
    if (status == 0 && request->n_words > 0)
        status = predict(exported, err);
    const struct run_page page = {
        .result = &exported->measured.result,
        .timeline = exported->measured.timeline,
        .predicted = exported->predicted_timeline ? &exported->predicted : NULL,
        .predicted_timeline = exported->predicted_timeline,
    };
    return status == 0 ? write_page((struct page){.run = &page}, request->path, err) : -1;
}

// --- all events

static void *begin_tracks(const struct export_request *request, struct exported *exported,
                          struct error *err)
{
    struct replay_run *run = &exported->measured;
    uint64_t max_bytes = request->split_bytes > 0 ? request->split_bytes : VIEWER_BYTES;
    struct track_events *tracks = track_events_new(
        request->path, max_bytes, trace_definitions(run->trace), exported->catalogue, err);
    if (tracks)
        exported->listener = track_events_listener(tracks);
    run->waited = track_events_waited;
    timeline_free(run->timeline);
    run->timeline = timeline_new_shares(trace_definitions(run->trace));
    return tracks;
}

/// What all ranks do over time: how many do each kind of things, how many cores they use, phases.
static void put_strips(struct track_events *tracks, const struct replay_run *run)
{
    static const char *const kinds[TIMELINE_KINDS] = {"computing", "waiting for other ranks",
                                                      "messages",  "collective operations",
                                                      "other MPI", "without CPU time"};
    const struct timeline *timeline = run->timeline;
    size_t n = timeline->n_columns, n_kinds = TIMELINE_KINDS - !timeline->has_no_cpu;
    SCOPED double *shares = memory_new(n * TIMELINE_KINDS * sizeof *shares);
    SCOPED double *values = memory_new(n * (TIMELINE_KINDS + 1) * sizeof *values);
    SCOPED int *phases = memory_new(n * sizeof *phases);
    SCOPED const char **names = memory_new((timeline->n_phases + 1) * sizeof *names);
    struct track_strip strips[TIMELINE_KINDS + 1];
    double *cores = values + TIMELINE_KINDS * n, most_cores = 0;
    timeline_all_ranks(timeline, shares, phases);
    for (size_t kind = 0; kind < n_kinds; kind++) {
        strips[kind] = (struct track_strip){kinds[kind], "ranks", values + kind * n};
        for (size_t i = 0; i < n; i++)
            values[kind * n + i] = shares[i * TIMELINE_KINDS + kind];
    }
    strips[n_kinds] = (struct track_strip){"cores in use", "cores", cores};
    for (size_t i = 0; i < n; i++) {
        cores[i] = timeline->cpu_s[i] * 1e9 / (double)timeline->column_ns;
        most_cores = cores[i] > most_cores ? cores[i] : most_cores;
    }
    for (size_t i = 0; i < timeline->n_phases; i++)
        names[i] = run->result.regions[timeline->phases[i]].shown;
    track_events_put_strips(tracks, &(struct track_strips){.n_columns = n,
                                                           .column_ns = timeline->column_ns,
                                                           .end_ns = timeline->end_ns,
                                                           .counters = strips,
                                                           .n_counters = n_kinds + (most_cores > 0),
                                                           .phases = names,
                                                           .phase_of = phases,
                                                           .n_phases = timeline->n_phases});
}

static int finish_tracks(void *tracks, const struct export_request *request, struct replay_run *run,
                         struct error *err)
{
    (void)request;
    if (read_strips(run, true, err) != 0)
        return -1;
    put_strips(tracks, run);
    return track_events_finish(tracks, &run->replay, err);
}

static void release_tracks(void *tracks)
{
    track_events_free(tracks);
}

static void *begin_prv(const struct export_request *request, struct exported *exported,
                       struct error *err)
{
    struct prv_trace *prv =
        prv_trace_new(request->path, trace_definitions(exported->measured.trace), err);
    if (prv)
        exported->listener = prv_trace_listener(prv);
    return prv;
}

static int finish_prv(void *prv, const struct export_request *request, struct replay_run *run,
                      struct error *err)
{
    (void)request;
    return prv_trace_finish(prv, &run->replay, err);
}

static void release_prv(void *prv)
{
    prv_trace_free(prv);
}

static void *begin_ti(const struct export_request *request, struct exported *exported,
                      struct error *err)
{
    struct ti_trace *ti =
        ti_trace_new(request->path, trace_definitions(exported->measured.trace), err);
    if (ti)
        exported->listener = ti_trace_listener(ti);
    return ti;
}

/// What SimGrid's replay does not do as the run did, or only roughly.
static void warn_of_losses(const struct ti_losses *losses, const struct result *result)
{
    static const char *const codes[] = {"unmatched-send", "unmatched-receive",
                                        "more-ranks-than-cores", "disturbed-recording"};
    if (losses->n_nonblocking > 0)
        log_warning("%" PRIu64
                    " calls of nonblocking collective operations are written as blocking ones, "
                    "where they complete: SimGrid's format has no others",
                    losses->n_nonblocking);
    if (losses->n_left_out > 0)
        log_warning("%" PRIu64
                    " calls of collective operations on intercommunicators are left out: "
                    "SimGrid's format has none",
                    losses->n_left_out);
    if (losses->has_windows)
        log_warning("accesses to RMA windows and their locks are left out: SimGrid's format has "
                    "none");
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (result_warning_text(result, codes[i]))
            log_warning("%s [%s]", result_warning_text(result, codes[i]), codes[i]);
}

static int finish_ti(void *ti, const struct export_request *request, struct replay_run *run,
                     struct error *err)
{
    (void)request;
    struct ti_losses losses;
    int status = ti_trace_finish(ti, &run->replay, &losses, err);
    if (status == 0)
        warn_of_losses(&losses, &run->result);
    return status;
}

static void release_ti(void *ti)
{
    ti_trace_free(ti);
}

/// The one interval that is asked for, in TRACE.
static int find_interval(const struct export_request *request, struct exported *exported,
                         struct trace *trace, struct error *err)
{
    struct interval_list *intervals = &exported->intervals;
    struct interval_replay replay = {.trace = trace, .catalogue = exported->catalogue};
    int status = trace ? 1 : -1;
    while (status == 1) {
        interval_list_release(intervals);
        status = interval_find(intervals, &replay, request->interval, err);
    }
    if (status == 0 && intervals->n != 1)
        status = error_set(err, "--format %s is of one interval: %s are %zu", request->format_name,
                           request->interval, intervals->n);
    return status;
}

static void *begin_graph(const struct export_request *request, struct exported *exported,
                         struct error *err)
{
    struct interval_list *intervals = &exported->intervals;
    struct trace *trace = trace_open(request->source, err);
    int status = find_interval(request, exported, trace, err);
    trace_close(trace);
    if (status != 0)
        return NULL;
    struct activity_graph *graph =
        activity_graph_new(trace_definitions(exported->measured.trace), intervals->items[0].parts);
    exported->listener = activity_graph_listener(graph);
    return graph;
}

static int finish_graph(void *graph, const struct export_request *request, struct replay_run *run,
                        struct error *err)
{
    groups_collect(&request->grouping, &run->result);
    return activity_graph_write(graph, &run->result, request->path, err);
}

static void release_graph(void *graph)
{
    activity_graph_free(graph);
}

/// How the files of a format are written by a replay. What begin() returns, NULL: none, the other
/// two get.
static const struct events_format {
    void *(*begin)(const struct export_request *, struct exported *, struct error *);
    int (*finish)(void *, const struct export_request *, struct replay_run *, struct error *);
    void (*release)(void *);
} events_formats[N_FORMATS] = {[FORMAT_PERFETTO] = {begin_tracks, finish_tracks, release_tracks},
                               [FORMAT_PRV] = {begin_prv, finish_prv, release_prv},
                               [FORMAT_TI] = {begin_ti, finish_ti, release_ti},
                               [FORMAT_DOT] = {begin_graph, finish_graph, release_graph}};

static int export_events(const struct export_request *request, struct exported *exported,
                         struct error *err)
{
    const struct events_format *format = &events_formats[request->format];
    struct replay_run *run = &exported->measured;
    exported->catalogue = catalogue_load_shipped(NULL, 0, err);
    if (!exported->catalogue || replay_run_open(run, request->source, err) != 0)
        return -1;
    void *writer = NULL;
    run->writer = &exported->listener;
    int status = 1;
    while (status == 1) { // again after the clocks were corrected
        format->release(writer);
        writer = format->begin(request, exported, err);
        status = writer ? replay_run(run, exported->catalogue, NULL, false, "replaying", err) : -1;
    }
    if (status == 0)
        status = format->finish(writer, request, run, err);
    format->release(writer);
    return status;
}

// --- a part of the run as an archive

/// From when the first location is in INTERVAL to when the last one is.
static struct pag_part whole_of(const struct interval *interval, const struct trace *trace)
{
    struct pag_part all = {UINT64_MAX, 0};
    for (size_t i = 0; i < trace_definitions(trace)->n_locations; i++) {
        struct pag_part part = interval->parts[i];
        if (part.begin_ns < part.end_ns && part.begin_ns < all.begin_ns)
            all.begin_ns = part.begin_ns;
        if (part.begin_ns < part.end_ns && part.end_ns > all.end_ns)
            all.end_ns = part.end_ns;
    }
    return all;
}

/// The same on the clock of TRACE.
static struct repair_window window_of(const struct interval *interval, const struct trace *trace)
{
    const struct trace_source source = trace_source(trace);
    struct pag_part all = whole_of(interval, trace);
    return (struct repair_window){
        clock_ticks(source.clock, all.begin_ns, source.records->ticks_per_second),
        clock_ticks(source.clock, all.end_ns, source.records->ticks_per_second), interval->what};
}

static int export_part(const struct export_request *request, struct exported *exported,
                       struct error *err)
{
    SCOPED_BY(repair_release) struct repair repair = {0};
    struct trace *trace =
        rewrite_check(request->path, err) == 0 ? trace_open(request->source, err) : NULL;
    exported->catalogue = trace ? catalogue_load_shipped(NULL, 0, err) : NULL;
    int status = exported->catalogue ? find_interval(request, exported, trace, err) : -1;
    if (status == 0) {
        struct repair_window window = window_of(&exported->intervals.items[0], trace);
        status = repair_archive(&repair, request->source, request->path, &window, err);
    }
    for (size_t i = 0; i < repair.n_losses; i++)
        log_warning("%s", repair.losses[i].text);
    exported->is_damaged = repair.n_losses > 0;
    trace_close(trace);
    return status;
}

// --- a single picture

static int write_plot(const struct export_request *request, const struct plot *plot,
                      struct error *err)
{
    struct new_file file;
    int status = new_file_open(&file, request->path, err);
    if (status == 0 && request->format == FORMAT_SVG)
        svg_print_plot(plot, file.stream);
    else if (status == 0 && request->format == FORMAT_CSV)
        csv_print_plot(plot, file.stream);
    else if (status == 0)
        json_print_plot(plot, request->source, file.stream);
    return new_file_finish(&file, status, err);
}

static int export_plot(const struct export_request *request, struct exported *exported,
                       struct error *err)
{
    struct replay_run *run = &exported->measured;
    SCOPED_BY(plot_release) struct plot plot = {0};
    exported->catalogue = catalogue_load_shipped(NULL, 0, err);
    if (!exported->catalogue || replay_run_open(run, request->source, err) != 0 ||
        replay_for_pictures(request, exported, false, err) != 0)
        return -1;
    struct pag_part part = {0, run->replay.time_ns};
    if (request->interval) {
        if (find_interval(request, exported, run->trace, err) != 0)
            return -1;
        part = whole_of(&exported->intervals.items[0], run->trace);
    }
    if (plot_make(&plot, &request->plot, &run->result, run->timeline, part.begin_ns, part.end_ns,
                  err) != 0)
        return -1;
    return write_plot(request, &plot, err);
}

// --- a database

/// How the runs scale with their ranks. False: not at all, because they do not differ in these.
static bool read_scaling(struct database *database, const struct export_request *request,
                         struct scaling_page *scaling)
{
    static const struct option_list none;
    const struct scaling_choice choice = {.application = request->trials.application,
                                          .experiment = request->trials.experiment,
                                          .by = "ranks",
                                          .ignored = &none};
    struct error why = {{0}};
    *scaling = (struct scaling_page){.by = choice.by, .threshold = 0.8};
    return scaling_series_read(database, &choice, scaling, &why) == 0;
}

/// The call trees of the runs and predictions stored last, for differences of two.
static int read_trees(struct database *database, const struct export_request *request,
                      const struct trial_filter *filter, struct trial_trees *trees,
                      struct error *err)
{
    enum { MOST = 40 };
    struct trial_list list;
    if (trials_read(request->source, filter, &list, err) != 0)
        return -1;
    trees->ids = memory_new(MOST * sizeof *trees->ids);
    for (size_t i = list.n_trials; i-- > 0 && trees->n_trials < MOST;)
        if (strcmp(list.trials[i].origin, "measured") == 0 ||
            strcmp(list.trials[i].origin, "predicted") == 0)
            trees->ids[trees->n_trials++] = list.trials[i].id;
    trial_list_release(&list);
    return trial_trees_read(database, trees, err);
}

static int export_badge(const struct export_request *request, struct error *err)
{
    const struct trial_filter filter = {request->trials.application, request->trials.experiment};
    SCOPED char *trials = NULL;
    struct new_file file;
    if (trials_history_json(request->source, &filter, &trials, err) != 0)
        return -1;
    int status = new_file_open(&file, request->path, err);
    if (status == 0)
        status = badge_print(trials, file.stream, err);
    return new_file_finish(&file, status, err);
}

static int export_store(const struct export_request *request, struct error *err)
{
    const struct trial_filter filter = {request->trials.application, request->trials.experiment};
    SCOPED_BY(database_leave) struct database *database = NULL;
    SCOPED_BY(back_test_release) struct back_test test = {0};
    struct scaling_page scaling = {0};
    SCOPED_BY(trial_trees_release) struct trial_trees trees = {0};
    SCOPED char *trials = NULL;
    if (trials_history_json(request->source, &filter, &trials, err) != 0 ||
        database_open_snapshot(&database, request->source, err) != 0) {
        return -1;
    }
    int status = back_test_read(database, filter.application, filter.experiment,
                                BACK_TEST_STORED | BACK_TEST_MODELS, &test, err);
    if (status == 0)
        status = read_trees(database, request, &filter, &trees, err);
    if (status == 0) {
        bool scales = read_scaling(database, request, &scaling);
        const struct store_page page = {trials, &test, &trees, scales ? &scaling : NULL};
        status = write_page((struct page){.store = &page}, request->path, err);
        scaling_series_release(&scaling);
    }
    return status;
}

/// Options that go with some formats only.
static int check_options(const struct export_request *request, struct error *err)
{
    enum export_format format = request->format;
    bool is_part = format == FORMAT_DOT || format == FORMAT_OTF2;
    bool has_moments = is_plot(format) && (request->plot.of == PLOT_OF_MOMENT ||
                                           request->plot.of == PLOT_OF_RANK_MOMENT);
    if (request->split_bytes > 0 && format != FORMAT_PERFETTO)
        return error_set(err, "--split goes with --format perfetto");
    if (!is_part && !has_moments && request->interval)
        return error_set(err, "--interval goes with --format dot and otf2, and with --view time "
                              "and map");
    if (format != FORMAT_DOT && format != FORMAT_HTML && !is_plot(format) && request->group)
        return error_set(err, "--group goes with --format html and dot, and with --view");
    if (is_part && !request->interval)
        return error_set(err,
                         "--format %s is of a part of the run: say which by --interval, such as "
                         "--interval 1s:1.01s",
                         request->format_name);
    if (format != FORMAT_HTML && request->n_words > 0)
        return error_set(err,
                         "--format %s shows a recorded run; for a prediction write it as an "
                         "archive with pagoda replay --output DIR, and export that",
                         request->format_name);
    return 0;
}

/// Which picture is wanted.
static int read_plot(struct export_request *request, struct error *err)
{
    if (!is_plot(request->format))
        return !request->view && !request->metric
                   ? 0
                   : error_set(err, "--view and --metric go with --format svg, csv and json");
    if (!is_trace(request->source))
        return error_set(err,
                         "--format %s shows a trace; of a database use pagoda query --csv or "
                         "--json, or pagoda scaling --svg",
                         request->format_name);
    if (!request->view)
        return error_set(err,
                         "--format %s is of one picture: say which by --view, such as "
                         "--view time",
                         request->format_name);
    return plot_choose(&request->plot, request->view, request->metric, err);
}

/// Sets the format. 0, or -1 and ERR.
static int read_format(struct export_request *request, struct error *err)
{
    request->format = (enum export_format)FIND_TEXT(format_names, N_FORMATS, request->format_name);
    if (request->format == N_FORMATS)
        return error_set(err, "--format is " ALL_FORMATS ", not %s", request->format_name);
    if (read_plot(request, err) != 0 || check_options(request, err) != 0)
        return -1;
    if (request->interval && interval_check(request->interval, err) != 0)
        return error_wrap(err, "--interval");
    if (request->group && grouping_read(request->group, &request->grouping, err) != 0)
        return error_wrap(err, "--group");
    return 0;
}

/// A page has one prediction, with the times of its ranks. 0, or -1 and ERR.
static int read_plan(const struct export_request *request, struct whatif_plan *plan,
                     struct error *err)
{
    bool is_store = !is_trace(request->source);
    if (!is_store && request->format == FORMAT_BADGE)
        return error_set(err, "--format badge is of a database, not of a trace");
    if (is_store ? request->n_words > 0 : request->as != NULL)
        return error_set(err, is_store ? "what-if options go with a trace, not with a database"
                                       : "--as goes with a database, not with a trace");
    if (request->n_words == 0)
        return 0;
    if (whatif_plan_read(plan, request->words, request->n_words, err) != 0)
        return -1;
    return !plan->is_list && !plan->estimate
               ? 0
               : error_set(err,
                           plan->is_list
                               ? "a page shows one prediction, not one for each value of a list"
                               : "--%s predicts a run time, but not when each rank does what",
                           plan->estimate);
}

static bool read_request(int argc, char **argv, struct export_request *request,
                         struct whatif_plan *plan, int *status)
{
    const struct option_row own_rows[] = {
        OPTION_TEXT_ROW("output", 'o', "FILE", &request->path,
                        "write to FILE, such as run.html; an existing file is replaced", NULL),
        OPTION_TEXT_ROW(
            "format", 0, "html|perfetto|prv|ti|dot|otf2|svg|csv|json|badge", &request->format_name,
            "an HTML page, tracks for the viewer ui.perfetto.dev, a Paraver trace, a "
            "time-independent trace for SimGrid; of a part of the run a graph for Graphviz, or "
            "an archive; a single picture, or its numbers; of DB a badge for a CI page",
            "html", .manual = "Predictions are for the first one only."),
        OPTION_SIZE_ROW("split", 0, "SIZE", &request->split_bytes,
                        "begin a further file of tracks where one has SIZE, such as 200M", "500M"),
        OPTION_TEXT_ROW("view", 0, "ranks|iterations|call-paths|sizes|time|map|matrix",
                        &request->view, "with --format svg, csv and json: which picture", NULL),
        OPTION_TEXT_ROW("metric", 0, "NAME,...", &request->metric,
                        "what --view shows, such as wait_ns", NULL,
                        .manual = "Section Single pictures says what goes together."),
        OPTION_TEXT_ROW("interval", 0, "WHAT", &request->interval,
                        "with --format dot and otf2, --view time and map: the part of the run, "
                        "such as 1s:1.01s or REGION#3",
                        NULL,
                        .manual = "pagoda-replay(1), section Intervals, says what it may be."),
        OPTION_TEXT_ROW("group", 0, "WHAT", &request->group,
                        "with --format html and dot, and --view: show the ranks of a node, of a "
                        "machine, of a program, N ranks, or ranks as 0,1-4 as one",
                        NULL,
                        .manual = "On a page these are the rows of its tables of ranks and "
                                  "messages."),
        OPTION_TEXT_ROW("as", 0, "EXPERIMENT", &request->as,
                        "of DB only runs of this experiment; APPLICATION/ may precede it", NULL),
        THREADS_ROW,
    };
    enum { N_OWN = sizeof own_rows / sizeof own_rows[0] };
    struct option_row rows[N_OWN + WHATIF_MAX_OPTIONS];
    memcpy(rows, own_rows, sizeof own_rows);
    struct option_group groups[1 + WHATIF_GROUPS] = {{"output", "output", NULL}};
    memcpy(groups + 1, whatif_groups, sizeof whatif_groups);
    const struct option_usage usage = {
        .command = "export",
        .operands = "TRACE|DB -o FILE",
        .summary = "Writes a run, or the runs of a database, for a browser or another tool",
        .details =
            "TRACE is an OTF2 archive: its anchor file (*.otf2) or its directory. Its page\n"
            "has findings, timeline and tables; with what-if options two timelines.\n"
            "DB is an experiment database. Its page has the history of the runs, how\n"
            "accurate predictions were, and how the runs scale.\n"
            "With --format perfetto each function call, message and wait state of TRACE\n"
            "becomes an event on a track: open FILE in https://ui.perfetto.dev.\n"
            "With --format prv FILE is such as run.prv, and run.pcf and run.row name what is\n"
            "in it.\n"
            "With --format ti FILE is for SimGrid's smpirun -replay; FILE.actions has what\n"
            "each rank computes, sends and receives.\n"
            "With --format dot FILE is for Graphviz: dot -Tsvg FILE.\n"
            "With --format otf2 FILE is a directory, which must be new or empty.\n"
            "With --format svg FILE is one picture (--view), with csv or json its numbers.\n",
        .rows = rows,
        .n_rows = N_OWN + whatif_option_rows(&request->whatif, rows + N_OWN),
        OPTION_GROUPS_OF(groups),
    };
    int first;
    if (!options_parse(&usage, argc, argv, &first, status))
        return false;
    request->source = argv[first];
    request->n_words = whatif_options_words(&request->whatif, &request->words);
    struct error err = {{0}};
    if (!request->path)
        error_set(&err, "-o FILE is missing: where the result goes");
    else if (read_format(request, &err) == 0 &&
             trial_path_read_experiment(&request->trials, request->as, &err) == 0 &&
             read_plan(request, plan, &err) == 0)
        return true;
    *status = options_usage_error(&usage, "%s", err.text);
    return false;
}

int cmd_export(int argc, char **argv)
{
    struct export_request request = {.format_name = format_names[FORMAT_HTML]};
    struct exported exported = {0};
    struct error err = {{0}};
    int status;
    if (read_request(argc, argv, &request, &exported.plan, &status)) {
        bool has_events = request.format != FORMAT_HTML && request.format != FORMAT_BADGE;
        bool is_run = has_events || is_trace(request.source);
        status = request.format == FORMAT_OTF2    ? export_part(&request, &exported, &err)
                 : is_plot(request.format)        ? export_plot(&request, &exported, &err)
                 : has_events                     ? export_events(&request, &exported, &err)
                 : request.format == FORMAT_BADGE ? export_badge(&request, &err)
                 : is_run                         ? export_run(&request, &exported, &err)
                                                  : export_store(&request, &err);
        bool is_damaged =
            exported.is_damaged || (is_run && status == 0 && request.format != FORMAT_OTF2 &&
                                    damage_warn(&exported.measured.result));
        status = log_outcome(status, is_damaged, &err);
    }
    timeline_free(exported.measured.timeline);
    timeline_free(exported.predicted_timeline);
    whatif_report_release(&exported.predicted);
    memory_free_each(exported.places, exported.n_places);
    interval_list_release(&exported.intervals);
    replay_run_release(&exported.measured);
    whatif_plan_release(&exported.plan);
    catalogue_free(exported.catalogue);
    whatif_options_release(&request.whatif);
    trial_path_release(&request.trials);
    plot_choice_release(&request.plot);
    free(request.words);
    return status;
}
