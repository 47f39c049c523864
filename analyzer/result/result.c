// SPDX-License-Identifier: BSD-3-Clause
// Ownership of a result: every text and array in it is its own.
#include "analyzer/result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/owned.h"

const char *const result_mpi_class_keys[RESULT_MPI_CLASSES] = {
    "none", "start_end",           "point_to_point", "collective",
    "rma",  "rma_synchronisation", "file",           "management",
};

const char *const result_thread_kind_keys[RESULT_THREAD_KINDS] = {
    "computing", "mpi",     "barrier",     "implicit_barrier", "lock",         "condition",
    "task",      "runtime", "idle_serial", "idle_mpi",         "idle_limited",
};

const char *const result_thread_kind_names[RESULT_THREAD_KINDS] = {
    "computing",
    "in MPI",
    "waiting at a barrier",
    "waiting at an implicit barrier",
    "waiting for a lock or critical section",
    "waiting for a condition",
    "waiting for tasks or threads",
    "thread runtime",
    "idle, the master computes alone",
    "idle, the master is in MPI",
    "idle, the team has fewer threads",
};

void result_named_free(struct result_named *named, size_t count)
{
    FREE_MEMBERS(named, count, name, value);
    free(named);
}

static void named_owned(struct owned *walk, struct result *result)
{
    OWNED_ITEMS(walk, result->properties, result->n_properties, OWN(name), OWN(value));
    OWNED_ITEMS(walk, result->nodes, result->n_nodes, OWN(name), OWN(machine));
    OWNED_ITEMS(walk, result->ranks, result->n_ranks, OWN(name), OWN(program));
    OWNED_ITEMS(walk, result->warnings, result->n_warnings, OWN(code), OWN(text));
    OWNED_ITEMS(walk, result->communicators, result->n_communicators, OWN(name));
}

static void sensors_owned(struct owned *walk, struct result *result)
{
    OWNED_ARRAY(walk, result->sensors, result->n_sensors);
    for (size_t i = 0; i < result->n_sensors; i++) {
        struct result_sensor *sensor = &result->sensors[i];
        OWNED_TEXTS(walk, &sensor->name, &sensor->unit, &sensor->description);
        OWNED_ITEMS(walk, sensor->places, sensor->n_places, OWN(label));
    }
}

void result_metrics_owned(struct owned *walk, struct result *result)
{
    OWNED_ARRAY(walk, result->metrics, result->n_metrics);
    for (size_t i = 0; i < result->n_metrics; i++) {
        struct result_metric *metric = &result->metrics[i];
        OWNED_TEXTS(walk, &metric->name, &metric->unit, &metric->summary, &metric->focus,
                    &metric->needs);
        OWNED_ARRAY(walk, metric->values, metric->n_values);
    }
}

static void code_owned(struct owned *walk, struct result *result)
{
    OWNED_ITEMS(walk, result->regions, result->n_regions, OWN(name), OWN(shown), OWN(file));
    OWNED_ITEMS(walk, result->paths, result->n_paths, OWN(path), OWN(shown));
    OWNED_ARRAY(walk, result->path_ranks, result->n_path_ranks);
    OWNED_ARRAY(walk, result->counters, result->n_counters);
    for (size_t i = 0; i < result->n_counters; i++) {
        struct result_counter *counter = &result->counters[i];
        OWNED_TEXTS(walk, &counter->name, &counter->unit, &counter->description);
        OWNED_ARRAY(walk, counter->by_path_rank, result->n_path_ranks);
    }
    OWNED_ITEMS(walk, result->streams, result->n_streams, OWN(name));
    sensors_owned(walk, result);
    result_metrics_owned(walk, result);
    OWNED_ITEMS(walk, result->files, result->n_files, OWN(name), OWN(paradigm));
    OWNED_ARRAY(walk, result->file_uses, result->n_file_uses);
    OWNED_ITEMS(walk, result->sites, result->n_sites, OWN(function), OWN(function_shown), OWN(file),
                OWN(source));
}

static void pattern_owned(struct owned *walk, struct result_pattern *pattern)
{
    struct result_origins *origins = &pattern->origins;
    OWNED_TEXTS(walk, &pattern->id, &pattern->parent, &pattern->name, &pattern->summary,
                &pattern->unit, &pattern->diagnosis);
    OWNED_ARRAY(walk, pattern->by_rank, pattern->n_by_rank);
    OWNED_ARRAY(walk, pattern->by_path, pattern->n_by_path);
    OWNED_ARRAY(walk, pattern->by_site, pattern->n_by_site);
    OWNED_ARRAY(walk, pattern->by_cause, pattern->n_by_cause);
    OWNED_ARRAY(walk, pattern->by_object, pattern->n_by_object);
    OWNED_ARRAY(walk, pattern->sums, pattern->n_sums);
    OWNED_ARRAY(walk, origins->by_site, origins->n_by_site);
    OWNED_ARRAY(walk, origins->by_region, origins->n_by_region);
    OWNED_ARRAY(walk, origins->by_region_rank, origins->n_by_region_rank);
    OWNED_ARRAY(walk, origins->by_path_rank, origins->n_by_path_rank);
}

static void threads_owned(struct owned *walk, struct result_threads *threads)
{
    OWNED_ITEMS(walk, threads->ranks, threads->n_ranks, OWN(latest));
    OWNED_ITEMS(walk, threads->losses, threads->n_losses, OWN(latest));
    OWNED_ARRAY(walk, threads->lock_waits, threads->n_lock_waits);
}

static void path_owned(struct owned *walk, struct result *result)
{
    OWNED_ARRAY(walk, result->critical_path.by_region, result->critical_path.n_by_region);
    OWNED_ARRAY(walk, result->critical_path.by_rank, result->critical_path.n_by_rank);
    OWNED_ARRAY(walk, result->critical_path.by_region_rank, result->critical_path.n_by_region_rank);
    OWNED_ARRAY(walk, result->critical_path.by_site, result->critical_path.n_by_site);
    OWNED_ITEMS(walk, result->critical_path.slacks, result->critical_path.n_slacks, OWN(what),
                OWN(until.then));
}

void result_finding_owned(struct owned *walk, struct result_finding *finding)
{
    OWNED_TEXTS(walk, &finding->kind, &finding->name, &finding->text, &finding->hint,
                &finding->place, &finding->tried);
    OWNED_ARRAY(walk, finding->ranks, finding->n_ranks);
    OWNED_ARRAY(walk, finding->causing, finding->n_causing);
    OWNED_ARRAY(walk, finding->waiting, finding->n_waiting);
    OWNED_ITEMS(walk, finding->remedies, finding->n_remedies, OWN(option), OWN(value),
                OWN(sentence), OWN(setting), OWN(limits), OWN(failure), OWN(bend.then));
    OWNED_ARRAY(walk, finding->otherwise, finding->n_otherwise);
    for (size_t i = 0; i < finding->n_otherwise; i++)
        result_finding_owned(walk, &finding->otherwise[i]);
}

static void findings_owned(struct owned *walk, struct result *result)
{
    OWNED_ARRAY(walk, result->findings, result->n_findings);
    for (size_t i = 0; i < result->n_findings; i++)
        result_finding_owned(walk, &result->findings[i]);
}

void result_owned(struct owned *walk, struct result *result)
{
    OWNED_TEXTS(walk, &result->trace_path, &result->program, &result->arguments, &result->programs,
                &result->creator, &result->interval.what, &result->headline, &result->conclusion);
    OWNED_TEXTS(walk, &result->remark, &result->certainty, &result->unpredicted);
    findings_owned(walk, result);
    named_owned(walk, result);
    code_owned(walk, result);
    OWNED_ARRAY(walk, result->patterns, result->n_patterns);
    for (size_t i = 0; i < result->n_patterns; i++)
        pattern_owned(walk, &result->patterns[i]);
    OWNED_ITEMS(walk, result->hints, result->n_hints, OWN(pattern), OWN(text), OWN(source),
                OWN(file));
    threads_owned(walk, &result->threads);
    path_owned(walk, result);
    OWNED_ARRAY(walk, result->traffic, result->n_traffic);
    OWNED_ARRAY(walk, result->tags, result->n_tags);
    OWNED_ITEMS(walk, result->groups.items, result->groups.n, OWN(name));
    OWNED_ARRAY(walk, result->groups.of_rank, result->n_ranks);
    OWNED_ARRAY(walk, result->groups.of_region, result->n_regions);
    OWNED_ARRAY(walk, result->groups.of_region_ns, result->n_regions);
    OWNED_ARRAY(walk, result->groups.traffic, result->groups.n_traffic);
    OWNED_ARRAY(walk, result->moment.steps, result->moment.n_steps);
    OWNED_ARRAY(walk, result->servers, result->n_servers);
    OWNED_ARRAY(walk, result->stragglers, result->n_stragglers);
    OWNED_ARRAY(walk, result->iterations.items, result->iterations.n_items);
    OWNED_ARRAY(walk, result->iterations.odd, result->iterations.n_odd);
}

uint64_t result_gains_of_ns(const struct result *result)
{
    return result->untraced_ns > 0 ? result->untraced_ns : result->replayed_ns;
}

const char *result_warning_text(const struct result *result, const char *code)
{
    size_t i = FIND_BY(result->warnings, result->n_warnings, code, code);
    return i < result->n_warnings ? result->warnings[i].text : NULL;
}

uint32_t result_find_pattern(const struct result *result, const char *id)
{
    size_t i = FIND_BY(result->patterns, result->n_patterns, id, id);
    return i < result->n_patterns ? (uint32_t)i : RESULT_NONE;
}

bool result_waits_for_messages(const struct result_pattern *pattern)
{
    static const char *const of_messages[] = {"late-sender", "late-receiver",
                                              "receiver-outside-mpi"};
    return HAS_TEXT(of_messages, sizeof of_messages / sizeof of_messages[0], pattern->id);
}

bool result_completes_requests(const struct result_region *region)
{
    return strncasecmp(region->name, "MPI_Wait", strlen("MPI_Wait")) == 0;
}

bool result_path_is_within(const struct result *result, uint32_t path, uint32_t region)
{
    for (uint32_t at = result->paths[path].parent; at != RESULT_NONE; at = result->paths[at].parent)
        if (result->paths[at].region == region)
            return true;
    return false;
}

double result_metric_whole(const struct result_metric *metric)
{
    const struct result_part whole = RESULT_PART_ALL;
    bool is_whole =
        metric->n_values > 0 && memcmp(&metric->values[0].in, &whole, sizeof whole) == 0;
    return is_whole ? metric->values[0].value : NAN;
}

void result_release(struct result *result)
{
    struct owned walk = {.purpose = OWNED_FREE};
    result_owned(&walk, result);
    owned_end(&walk);
    memset(result, 0, sizeof *result);
}
