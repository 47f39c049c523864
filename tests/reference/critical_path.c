// SPDX-License-Identifier: BSD-3-Clause
// The lineage of a location by walking backward: within the location from record to record, and
// where a call (or a thread team) was released by somebody else, over to the releaser at that
// moment. Independent of the engine's forward lineage tree. The critical path is the lineage of the
// location that ends last; what caused a wait is the lineage of the rank waited for, less that of
// the waiter.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/model.h"

/// A lineage (or a sum of several, with signs): time by location and call path.
struct lineage {
    int64_t **ns;          // by location and path
    int64_t *before_start; // by location
    int64_t *repair;       // by location
};

static struct lineage lineage_new(const struct model *model)
{
    size_t n = model->trace->n_locations;
    struct lineage lineage = {.ns = memory_zeroed(n, sizeof *lineage.ns),
                              .before_start = memory_zeroed(n, sizeof *lineage.before_start),
                              .repair = memory_zeroed(n, sizeof *lineage.repair)};
    for (size_t l = 0; l < n; l++)
        lineage.ns[l] = memory_zeroed(model->n_paths, sizeof *lineage.ns[l]);
    return lineage;
}

static void lineage_free(const struct model *model, struct lineage *lineage)
{
    for (size_t l = 0; l < model->trace->n_locations; l++)
        free(lineage->ns[l]);
    free(lineage->ns);
    free(lineage->before_start);
    free(lineage->repair);
}

/// Adds SIGN times the lineage of location L just before its record I (the records up to I - 1
/// happened).
static void walk_back(const struct model *model, uint32_t l, size_t i, int64_t sign,
                      struct lineage *sum)
{
    const struct reference_trace *trace = model->trace;
    if (i < trace->locations[l].n_records && i > 0) {
        const struct record *records = trace->locations[l].records;
        sum->ns[l][model->path_after[l][i - 1]] +=
            sign * (int64_t)(records[i].time_ns - records[i - 1].time_ns);
    }
    while (i > 0) {
        const struct record *records = trace->locations[l].records;
        const struct model_hand_over *hand_over = &model->hand_overs[l][i - 1];
        if (hand_over->is_there) {
            int64_t rest_ns = (int64_t)records[i - 1].time_ns - (int64_t)hand_over->time_ns;
            if (hand_over->is_violation)
                sum->repair[l] += sign * rest_ns;
            else
                sum->ns[l][hand_over->path] += sign * rest_ns;
            l = hand_over->location;
            i = hand_over->record;
        } else {
            i--;
        }
        records = trace->locations[l].records;
        if (i > 0)
            sum->ns[l][model->path_after[l][i - 1]] +=
                sign * (int64_t)(records[i].time_ns - records[i - 1].time_ns);
    }
    sum->before_start[l] += sign * (int64_t)trace->locations[l].records[0].time_ns;
}

/// Adds what is in LINEAGE as findings of FACT.
static void report(const struct model *model, const struct lineage *lineage, const char *fact,
                   struct findings *findings)
{
    for (size_t l = 0; l < model->trace->n_locations; l++) {
        const struct reference_location *location = &model->trace->locations[l];
        for (size_t p = 0; p < model->n_paths; p++) {
            if (lineage->ns[l][p])
                findings_add(findings, fact, location->rank, location->thread, model->paths[p].name,
                             0, lineage->ns[l][p]);
        }
        findings_add(findings, fact, location->rank, location->thread, "before-start", 0,
                     lineage->before_start[l]);
        findings_add(findings, fact, location->rank, location->thread, "clock-repair", 0,
                     lineage->repair[l]);
    }
}

static uint32_t last_location(const struct reference_trace *trace)
{
    uint32_t last = REFERENCE_NONE;
    uint64_t last_ns = 0;
    for (uint32_t l = 0; l < trace->n_locations; l++) {
        const struct reference_location *location = &trace->locations[l];
        if (location->n_records == 0)
            continue;
        uint64_t end_ns = location->records[location->n_records - 1].time_ns;
        if (last == REFERENCE_NONE || end_ns > last_ns) {
            last = l;
            last_ns = end_ns;
        }
    }
    return last;
}

static void find_critical_path(const struct model *model, struct findings *findings)
{
    uint32_t l = last_location(model->trace);
    if (l == REFERENCE_NONE)
        return;
    struct lineage lineage = lineage_new(model);
    walk_back(model, l, model->trace->locations[l].n_records, 1, &lineage);
    report(model, &lineage, "critical-path", findings);
    int64_t repair_ns = 0;
    for (size_t other = 0; other < model->trace->n_locations; other++)
        repair_ns += lineage.repair[other];
    findings_add(findings, "clock-repair", FINDING_NO_RANK, 0, "", 0, repair_ns);
    lineage_free(model, &lineage);
}

/// What made the others late in all waits of PATTERN, less what the waiters did meanwhile.
static void explain(const struct model *model, const char *pattern, struct findings *findings)
{
    struct lineage sum = lineage_new(model);
    int64_t explained_ns = 0;
    for (size_t o = 0; o < model->n_origins; o++) {
        const struct model_origin *origin = &model->origins[o];
        if (strcmp(origin->pattern, pattern) != 0)
            continue;
        const struct model_call *from = &model->calls[origin->from],
                                *to = &model->calls[origin->to];
        walk_back(model, to->location, to->first, 1, &sum);
        walk_back(model, from->location, from->first, -1, &sum);
        explained_ns += (int64_t)to->enter_ns - (int64_t)from->enter_ns;
    }
    char *fact = memory_format("cause/%s", pattern);
    report(model, &sum, fact, findings);
    free(fact);
    fact = memory_format("explained/%s", pattern);
    findings_add(findings, fact, FINDING_NO_RANK, 0, "", 0, explained_ns);
    free(fact);
    lineage_free(model, &sum);
}

void model_find_lineages(const struct model *model, struct findings *findings)
{
    static const char *const patterns[] = {"late-sender", "late-receiver",  "wait-at-barrier",
                                           "wait-at-nxn", "late-broadcast", "early-reduce",
                                           "wait-at-nx1", "early-scan",     "wait-at-finalize"};
    find_critical_path(model, findings);
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++)
        explain(model, patterns[p], findings);
}
