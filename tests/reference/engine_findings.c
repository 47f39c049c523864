// SPDX-License-Identifier: BSD-3-Clause
// Shared set-up of the tests against the reference, and what the analyzer finds in an archive.
#include "tests/reference/engine_findings.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/result/parts.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/trace/reader.h"
#include "tests/reference/engine_run.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"

struct catalogue *shipped_catalogue;

int shipped_catalogue_load(void **state)
{
    struct error err = {{0}};
    shipped_catalogue = catalogue_load("patterns", NULL, 0, &err);
    if (!shipped_catalogue)
        fprintf(stderr, "%s\n", err.text);
    return shipped_catalogue ? 0 : -1;
}

int shipped_catalogue_unload(void **state)
{
    catalogue_free(shipped_catalogue);
    return 0;
}

/// A replay on its way into findings.
struct conversion {
    const struct definitions *definitions;
    const struct pag_result *result;
    char ***paths; // by location and local call path
    struct findings *findings;
};

static uint32_t thread_of(const struct conversion *conversion, size_t location)
{
    return (uint32_t)(conversion->definitions->locations[location].id >> 32);
}

static void build_paths(struct conversion *conversion)
{
    const struct pag_result *result = conversion->result;
    conversion->paths = memory_zeroed(result->n_locations + 1, sizeof *conversion->paths);
    for (size_t l = 0; l < result->n_locations; l++) {
        const struct pag_location *location = &result->locations[l];
        conversion->paths[l] = memory_zeroed(location->n_paths + 1, sizeof **conversion->paths);
        for (size_t p = 0; p < location->n_paths; p++) {
            const struct call_path *path = &location->paths[p];
            if (path->is_stretch) {
                conversion->paths[l][p] = memory_copy_text(conversion->paths[l][path->parent]);
                continue;
            }
            const char *name = p > 0 ? conversion->definitions->regions[path->region].name : "";
            conversion->paths[l][p] =
                p > 0 && path->parent > 0
                    ? memory_format("%s/%s", conversion->paths[l][path->parent], name)
                    : memory_copy_text(name);
        }
    }
}

static void release_paths(struct conversion *conversion)
{
    for (size_t l = 0; l < conversion->result->n_locations; l++) {
        for (size_t p = 0; p < conversion->result->locations[l].n_paths; p++)
            free(conversion->paths[l][p]);
        free(conversion->paths[l]);
    }
    free(conversion->paths);
}

static void add_at(const struct conversion *conversion, const char *fact, size_t location,
                   size_t path, uint64_t count, int64_t ns)
{
    findings_add(conversion->findings, fact, conversion->definitions->locations[location].rank,
                 thread_of(conversion, location), conversion->paths[location][path], (int64_t)count,
                 ns);
}

static void add_total(const struct conversion *conversion, const char *fact, uint64_t count,
                      uint64_t ns)
{
    findings_add(conversion->findings, fact, FINDING_NO_RANK, 0, "", (int64_t)count, (int64_t)ns);
}

static void add_waits(const struct conversion *conversion, const struct catalogue *catalogue,
                      const struct matcher *matcher)
{
    for (size_t p = 0; p < catalogue->n_patterns; p++) {
        const struct pattern *pattern = &catalogue->patterns[p];
        if (pattern->is_abstract)
            continue;
        for (size_t l = 0; l < conversion->result->n_locations; l++) {
            size_t n_cells;
            const struct matcher_cell *cells = matcher_cells(matcher, p, l, &n_cells);
            for (size_t c = 0; c < n_cells; c++)
                findings_add(conversion->findings, pattern->id,
                             conversion->definitions->locations[l].rank, 0,
                             cells[c].count ? conversion->paths[l][c] : "", (int64_t)cells[c].count,
                             (int64_t)cells[c].wait_ns);
        }
        struct matcher_finding finding = matcher_finding(matcher, p);
        SCOPED char *worst = memory_format("%s/worst", pattern->id);
        SCOPED char *window = memory_format("%s/window", pattern->id);
        add_total(conversion, worst, 0, finding.worst.wait_ns);
        add_total(conversion, window, 0, finding.window_ns);
    }
}

static void add_profile(const struct conversion *conversion)
{
    const struct pag_result *result = conversion->result;
    for (size_t l = 0; l < result->n_locations; l++) {
        add_at(conversion, "first", l, 0, 0, (int64_t)result->locations[l].first_ns);
        add_at(conversion, "last", l, 0, 0, (int64_t)result->locations[l].last_ns);
        for (size_t p = 0; p < result->locations[l].n_paths; p++) {
            const struct call_path *path = &result->locations[l].paths[p];
            if (path->is_stretch)
                continue;
            add_at(conversion, "exclusive", l, p, 0, (int64_t)path->exclusive_ns);
            if (p == 0)
                continue;
            add_at(conversion, "visits", l, p, path->visits, 0);
            add_at(conversion, "inclusive", l, p, 0, (int64_t)path->inclusive_ns);
        }
    }
}

static void add_path_entries(const struct conversion *conversion, const char *fact,
                             const struct pag_path_entry *entries, size_t n_entries)
{
    for (size_t i = 0; i < n_entries; i++) {
        const struct pag_path_entry *entry = &entries[i];
        uint32_t rank = conversion->definitions->locations[entry->location].rank;
        uint32_t thread = thread_of(conversion, entry->location);
        if (entry->call_path == PAG_PATH_BEFORE_START)
            findings_add(conversion->findings, fact, rank, thread, "before-start", 0,
                         entry->time_ns);
        else if (entry->call_path == PAG_PATH_CLOCK_REPAIR)
            findings_add(conversion->findings, fact, rank, thread, "clock-repair", 0,
                         entry->time_ns);
        else
            add_at(conversion, fact, entry->location, entry->call_path, 0, entry->time_ns);
    }
}

/// WHERE: "", or "outside/" the window.
static void add_explanation(const struct conversion *conversion, const char *where,
                            const char *pattern, const struct pag_explanation *explanation)
{
    char *fact = memory_format("%scause/%s", where, pattern);
    add_path_entries(conversion, fact, explanation->causes, explanation->n_causes);
    free(fact);
    fact = memory_format("%sexplained/%s", where, pattern);
    add_total(conversion, fact, 0, explanation->explained_ns);
    free(fact);
    fact = memory_format("%sdirect/%s", where, pattern);
    add_total(conversion, fact, 0, explanation->direct_ns);
    free(fact);
}

static void add_lineages(const struct conversion *conversion)
{
    const struct pag_result *result = conversion->result;
    add_path_entries(conversion, "critical-path", result->critical_path, result->n_critical_path);
    add_total(conversion, "clock-repair", 0, (uint64_t)result->clock_repair_ns);
    for (size_t k = 0; k < PAG_WAIT_KINDS; k++) {
        const char *pattern = result_pattern_of_wait[k];
        add_explanation(conversion, "", pattern, &result->explanations[k]);
        add_explanation(conversion, "outside/", pattern, &result->outside_window[k]);
    }
}

static void add_totals(const struct conversion *conversion)
{
    const struct pag_result *result = conversion->result;
    add_total(conversion, "time", 0, result->time_ns);
    add_total(conversion, "window-begin", 0, result->window_begin_ns);
    add_total(conversion, "window-end", 0, result->window_end_ns);
    for (uint32_t r = 0; r < result->n_ranks; r++) {
        findings_add(conversion->findings, "useful", r, 0, "", 0,
                     (int64_t)result->rank_times[r].useful_ns);
        findings_add(conversion->findings, "mpi", r, 0, "", 0,
                     (int64_t)result->rank_times[r].mpi_ns);
        findings_add(conversion->findings, "ended", r, 0, "", 0,
                     (int64_t)result->rank_times[r].ended_ns);
    }
    add_total(conversion, "clock-violations", result->n_clock_violations, 0);
    add_total(conversion, "messages", result->n_messages, 0);
    add_total(conversion, "unmatched-sends", result->n_unmatched_sends, 0);
    add_total(conversion, "unmatched-receives", result->n_unmatched_receives, 0);
    add_total(conversion, "ambiguous-receives", result->n_ambiguous_receives, 0);
    add_total(conversion, "incomplete-collectives", result->n_incomplete_collectives, 0);
    add_total(conversion, "lost-calls", result->n_lost_calls, 0);
}

void engine_findings_convert(const struct trace *trace, const struct catalogue *catalogue,
                             const struct matcher *matcher, const struct pag_result *result,
                             struct findings *findings)
{
    struct conversion conversion = {
        .definitions = trace_definitions(trace), .result = result, .findings = findings};
    build_paths(&conversion);
    add_waits(&conversion, catalogue, matcher);
    add_profile(&conversion);
    add_lineages(&conversion);
    add_totals(&conversion);
    findings_sort(findings);
    release_paths(&conversion);
}

int engine_findings(const char *path, const struct catalogue *catalogue, struct findings *findings,
                    struct error *err)
{
    struct trace *trace = trace_open(path, err);
    if (!trace)
        return -1;
    struct matcher *matcher = matcher_new(catalogue, trace_definitions(trace));
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    const struct pag_listener listener = {.trigger = {matcher_trigger, matcher},
                                          .window_moved = {matcher_window_moved, matcher}};
    struct pag_result result = {0};
    int status = pag_run(trace, &options, &listener, &result, err);
    engine_findings_convert(trace, catalogue, matcher, &result, findings);
    pag_result_release(&result);
    matcher_free(matcher);
    trace_close(trace);
    return status;
}

int simulated_findings(const char *path, const struct catalogue *catalogue,
                       struct findings *findings, struct error *err)
{
    struct pag_result measured = {0}, result = {0};
    struct trace *trace = trace_open(path, err);
    struct recorded *recorded = trace ? measure(trace, &measured, err) : NULL;
    int status = -1;
    if (recorded) {
        const struct definitions *definitions = trace_definitions(trace);
        struct matcher *matcher = matcher_new(catalogue, definitions);
        const struct pag_options options = PAG_OPTIONS_DEFAULT;
        const struct pag_listener listener = {.trigger = {matcher_trigger, matcher},
                                              .window_moved = {matcher_window_moved, matcher}};
        struct scenario_settings settings = SCENARIO_UNCHANGED;
        struct scenario scenario;
        struct prediction prediction;
        settings.n_cores = UINT32_MAX; // a core for each rank
        scenario_init(&scenario, definitions, &settings, err);
        prediction_init(&prediction, definitions, &scenario, recorded);
        prediction.counts_wall_time = true;
        status = prediction_run_again(&prediction, trace, &options, &listener, &result, err);
        engine_findings_convert(trace, catalogue, matcher, &result, findings);
        prediction_release(&prediction);
        scenario_release(&scenario);
        matcher_free(matcher);
    }
    pag_result_release(&measured);
    pag_result_release(&result);
    recorded_free(recorded);
    trace_close(trace);
    return status;
}

int engine_findings_of_text(const char *text, const struct catalogue *catalogue,
                            struct findings *findings, struct error *err)
{
    char *scratch = scratch_directory();
    SCOPED char *archive = memory_format("%s/archive", scratch);
    int status = text_trace_write(text, archive, err);
    if (status == 0)
        status = engine_findings(archive, catalogue, findings, err);
    scratch_remove(scratch);
    return status;
}
