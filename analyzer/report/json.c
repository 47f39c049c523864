// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/report/json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"
#include "analyzer/report/json_values.h"
#include "analyzer/result/result.h"
#include "analyzer/result/whatif.h"

json_t *json_clean_text(const char *bytes)
{
    char *clean = utf8_clean(bytes);
    json_t *value = json_string(clean);
    free(clean);
    return value;
}

json_t *json_count(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

json_t *json_known_time(uint64_t time_ns)
{
    return time_ns == PAG_NOT_KNOWN ? json_null() : json_count(time_ns);
}

int json_print_object(json_t *root, size_t format, const char *what, FILE *stream,
                      struct error *err)
{
    int status = json_dumpf(root, stream, format);
    json_decref(root);
    if (status != 0 && !ferror(stream)) // what the stream refuses is told where it is closed
        return error_set(err, "bug: %s cannot be told as JSON", what);
    fputc('\n', stream);
    return 0;
}

static void set_count(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_count(value));
}

static void set_time(json_t *object, const char *key, int64_t time_ns)
{
    json_object_set_new(object, key, json_integer(time_ns));
}

static void set_share(json_t *object, const char *key, double share)
{
    json_object_set_new(object, key, isfinite(share) ? json_real(share) : json_null());
}

/// Texts are valid UTF-8 since they entered the result; NULL counts as "".
static void set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_string(text ? text : ""));
}

/// An index such as a rank: null for RESULT_NONE.
static void set_index(json_t *object, const char *key, uint32_t index)
{
    json_object_set_new(object, key, index == RESULT_NONE ? json_null() : json_integer(index));
}

static void set_path_as(json_t *object, const char *key, const struct result *result, uint32_t path)
{
    if (path == RESULT_NONE)
        json_object_set_new(object, key, json_null());
    else
        set_text(object, key, result->paths[path].path);
}

static void set_path(json_t *object, const struct result *result, uint32_t path)
{
    set_path_as(object, "path", result, path);
}

static json_t *trace_object(const struct result *result)
{
    json_t *trace = json_object();
    set_text(trace, "path", result->trace_path);
    set_text(trace, "program", result->program);
    set_text(trace, "arguments", result->arguments);
    set_text(trace, "creator", result->creator);
    set_count(trace, "ranks", result->n_ranks);
    set_count(trace, "nodes", result->n_nodes);
    set_count(trace, "locations", result->n_locations);
    set_count(trace, "events", result->n_events);
    set_count(trace, "messages", result->n_messages);
    set_count(trace, "collectives", result->n_collectives);
    set_count(trace, "clock_violations", result->n_clock_violations);
    return trace;
}

static json_t *warning_array(const struct result *result)
{
    json_t *warnings = json_array();
    for (size_t i = 0; i < result->n_warnings; i++) {
        json_t *warning = json_object();
        set_text(warning, "code", result->warnings[i].code);
        set_count(warning, "count", result->warnings[i].count);
        set_text(warning, "text", result->warnings[i].text);
        json_array_append_new(warnings, warning);
    }
    return warnings;
}

static json_t *window_object(const struct result *result)
{
    json_t *window = json_object();
    set_count(window, "begin_ns", result->window_begin_ns);
    set_count(window, "end_ns", result->window_end_ns);
    set_count(window, "useful_ns", result->useful_ns);
    set_count(window, "no_cpu_ns", result->no_cpu_ns);
    set_count(window, "wait_ns", result->wait_ns);
    set_count(window, "other_mpi_ns", result->other_mpi_ns);
    set_count(window, "unrecorded_ns", result->unrecorded_ns);
    if (result->has_ideal)
        set_count(window, "ideal_ns", result->ideal_ns);
    return window;
}

static json_t *interval_object(const struct result *result)
{
    json_t *interval = json_object();
    set_text(interval, "name", result->interval.what);
    json_object_set_new(interval, "is_phase", json_boolean(result->interval.is_phase));
    set_count(interval, "begin_ns", result->interval.begin_ns);
    set_count(interval, "end_ns", result->interval.end_ns);
    return interval;
}

static json_t *efficiency_object(const struct result_efficiency *efficiency)
{
    json_t *object = json_object();
    set_share(object, "parallel", efficiency->parallel);
    set_share(object, "load_balance", efficiency->load_balance);
    set_share(object, "cpu", efficiency->cpu);
    set_share(object, "communication", efficiency->communication);
    set_share(object, "serialization", efficiency->serialization);
    set_share(object, "transfer", efficiency->transfer);
    return object;
}

static json_t *node_array(const struct result *result)
{
    json_t *nodes = json_array();
    for (size_t i = 0; i < result->n_nodes; i++) {
        const struct result_node *node = &result->nodes[i];
        json_t *object = json_object();
        set_text(object, "name", node->name);
        set_text(object, "machine", node->machine);
        set_index(object, "cores", node->n_cores > 0 ? node->n_cores : RESULT_NONE);
        set_count(object, "ranks", node->n_ranks);
        json_array_append_new(nodes, object);
    }
    return nodes;
}

static json_t *rank_array(const struct result *result)
{
    json_t *ranks = json_array();
    for (uint32_t i = 0; i < result->n_ranks; i++) {
        const struct result_rank *rank = &result->ranks[i];
        json_t *object = json_object();
        set_count(object, "rank", i);
        set_text(object, "node",
                 rank->node < result->n_nodes ? result->nodes[rank->node].name : "");
        set_count(object, "useful_ns", rank->useful_ns);
        set_count(object, "no_cpu_ns", rank->no_cpu_ns);
        set_count(object, "mpi_ns", rank->mpi_ns);
        set_count(object, "wait_ns", rank->wait_ns);
        set_count(object, "no_cpu_mpi_ns", rank->no_cpu_mpi_ns);
        if (rank->is_cut_short)
            set_count(object, "recorded_until_ns", rank->recorded_until_ns);
        json_array_append_new(ranks, object);
    }
    return ranks;
}

/// "source" and what else is known of a place of calls.
static void set_site(json_t *object, const struct result_site *site)
{
    set_text(object, "source", site->source);
    set_text(object, "file", site->file);
    set_text(object, "function", site->function);
}

/// The sites of PATH, from *SITE on; moves *SITE behind them.
static json_t *source_array(const struct result *result, uint32_t path, size_t *site)
{
    json_t *array = json_array();
    for (; *site < result->n_sites && result->sites[*site].path == path; ++*site) {
        const struct result_site *from = &result->sites[*site];
        json_t *object = json_object();
        set_site(object, from);
        set_count(object, "visits", from->visits);
        set_count(object, "inclusive_ns", from->inclusive_ns);
        set_count(object, "before_ns", from->before_ns);
        if (from->before_since == RESULT_NONE)
            json_object_set_new(object, "since", json_null());
        else
            set_text(object, "since", result->sites[from->before_since].source);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *profile_array(const struct result *result)
{
    size_t site = 0;
    json_t *profile = json_array();
    for (uint32_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        json_t *object = json_object();
        set_path(object, result, i);
        set_text(object, "region", result->regions[path->region].name);
        set_count(object, "visits", path->visits);
        set_count(object, "inclusive_ns", path->inclusive_ns);
        set_count(object, "exclusive_ns", path->exclusive_ns);
        if (site < result->n_sites && result->sites[site].path == i)
            json_object_set_new(object, "sources", source_array(result, i, &site));
        json_array_append_new(profile, object);
    }
    return profile;
}

static json_t *path_share_array(const struct result *result, const struct result_path_share *shares,
                                size_t n_shares)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n_shares; i++) {
        json_t *object = json_object();
        if (shares[i].region != RESULT_NONE)
            set_text(object, "region", result->regions[shares[i].region].name);
        if (shares[i].rank != RESULT_NONE)
            set_count(object, "rank", shares[i].rank);
        set_time(object, "time_ns", shares[i].time_ns);
        set_share(object, "share", shares[i].share);
        json_array_append_new(array, object);
    }
    return array;
}

/// What is called from, or went by before calls from, places in the source.
static json_t *site_share_array(const struct result *result, const struct result_path_share *shares,
                                size_t n_shares)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n_shares; i++) {
        const struct result_site *site = &result->sites[shares[i].site];
        const struct result_region *region = &result->regions[shares[i].region];
        json_t *object = json_object();
        set_text(object, "region", region->name);
        set_path_as(object, region->is_mpi ? "path" : "before", result, site->path);
        set_site(object, site);
        set_time(object, "time_ns", shares[i].time_ns);
        set_share(object, "share", shares[i].share);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *critical_path_object(const struct result *result)
{
    json_t *object = json_object();
    set_time(object, "length_ns", result->critical_path.length_ns);
    json_object_set_new(object, "regions",
                        path_share_array(result, result->critical_path.by_region,
                                         result->critical_path.n_by_region));
    json_object_set_new(
        object, "ranks",
        path_share_array(result, result->critical_path.by_rank, result->critical_path.n_by_rank));
    json_object_set_new(object, "region_ranks",
                        path_share_array(result, result->critical_path.by_region_rank,
                                         result->critical_path.n_by_region_rank));
    json_object_set_new(
        object, "sources",
        site_share_array(result, result->critical_path.by_site, result->critical_path.n_by_site));
    return object;
}

static json_t *by_rank_array(const struct result_amount *amounts, size_t n_amounts)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n_amounts; i++) {
        json_t *object = json_object();
        set_count(object, "rank", amounts[i].key);
        set_count(object, "ns", amounts[i].ns);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *by_path_array(const struct result *result, const struct result_pattern *pattern)
{
    json_t *array = json_array();
    for (size_t i = 0; i < pattern->n_by_path; i++) {
        json_t *object = json_object();
        set_path(object, result, pattern->by_path[i].key);
        set_count(object, "ns", pattern->by_path[i].ns);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *by_source_array(const struct result *result, const struct result_pattern *pattern)
{
    json_t *array = json_array();
    for (size_t i = 0; i < pattern->n_by_site; i++) {
        const struct result_site *site = &result->sites[pattern->by_site[i].key];
        if (!site->source[0])
            continue;
        json_t *object = json_object();
        set_site(object, site);
        set_path(object, result, site->path);
        set_count(object, "ns", pattern->by_site[i].ns);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *worst_object(const struct result *result, const struct result_pattern *pattern)
{
    if (pattern->worst.wait_ns == 0)
        return json_null();
    json_t *object = json_object();
    set_index(object, "rank", pattern->worst.rank);
    set_count(object, "time_ns", pattern->worst.time_ns);
    set_count(object, "wait_ns", pattern->worst.wait_ns);
    set_path(object, result, pattern->worst.path);
    if (pattern->worst.site < result->n_sites)
        set_site(object, &result->sites[pattern->worst.site]);
    else
        json_object_set_new(object, "source", json_null());
    set_index(object, "cause_rank", pattern->worst.cause_rank);
    return object;
}

static json_t *origins_object(const struct result *result, const struct result_origins *origins)
{
    if (origins->explained_ns + origins->unexplained_ns == 0)
        return json_null();
    json_t *object = json_object();
    set_count(object, "explained_ns", origins->explained_ns);
    set_count(object, "unexplained_ns", origins->unexplained_ns);
    set_time(object, "offset_ns", origins->offset_ns);
    json_object_set_new(object, "regions",
                        path_share_array(result, origins->by_region, origins->n_by_region));
    json_object_set_new(
        object, "region_ranks",
        path_share_array(result, origins->by_region_rank, origins->n_by_region_rank));
    json_object_set_new(object, "sources",
                        site_share_array(result, origins->by_site, origins->n_by_site));
    return object;
}

static json_t *pattern_array(const struct result *result)
{
    json_t *patterns = json_array();
    for (size_t i = 0; i < result->n_patterns; i++) {
        const struct result_pattern *pattern = &result->patterns[i];
        json_t *object = json_object();
        set_text(object, "id", pattern->id);
        set_text(object, "parent", pattern->parent);
        set_text(object, "name", pattern->name);
        json_object_set_new(object, "evaluated", json_boolean(pattern->is_evaluated));
        set_count(object, "count", pattern->count);
        set_count(object, "total_ns", pattern->total_ns);
        set_count(object, "window_ns", pattern->window_ns);
        set_share(object, "severity", pattern->severity);
        set_share(object, "confidence", pattern->count > 0 ? pattern->confidence : NAN);
        json_object_set_new(object, "by_rank", by_rank_array(pattern->by_rank, pattern->n_by_rank));
        json_object_set_new(object, "by_path", by_path_array(result, pattern));
        json_object_set_new(object, "by_source", by_source_array(result, pattern));
        json_object_set_new(object, "by_cause",
                            by_rank_array(pattern->by_cause, pattern->n_by_cause));
        json_object_set_new(object, "worst", worst_object(result, pattern));
        json_object_set_new(object, "origins", origins_object(result, &pattern->origins));
        json_array_append_new(patterns, object);
    }
    return patterns;
}

static json_t *hint_array(const struct result *result)
{
    json_t *hints = json_array();
    for (size_t i = 0; i < result->n_hints; i++) {
        json_t *object = json_object();
        set_text(object, "pattern", result->hints[i].pattern);
        set_text(object, "text", result->hints[i].text);
        set_text(object, "source", result->hints[i].source);
        set_text(object, "file", result->hints[i].file);
        json_array_append_new(hints, object);
    }
    return hints;
}

int json_print(const struct result *result, const struct whatif_report *whatif, const char *version,
               FILE *stream, struct error *err)
{
    json_t *root = json_object();
    set_count(root, "schema", 1);
    set_text(root, "pagoda", version);
    json_object_set_new(root, "trace", trace_object(result));
    json_object_set_new(root, "warnings", warning_array(result));
    set_count(root, "time_ns", result->time_ns);
    if (result->interval.what)
        json_object_set_new(root, "interval", interval_object(result));
    json_object_set_new(root, "window", window_object(result));
    json_object_set_new(root, "efficiency", efficiency_object(&result->efficiency));
    json_object_set_new(root, "nodes", node_array(result));
    json_object_set_new(root, "ranks", rank_array(result));
    json_object_set_new(root, "profile", profile_array(result));
    json_object_set_new(root, "critical_path", critical_path_object(result));
    json_object_set_new(root, "patterns", pattern_array(result));
    json_object_set_new(root, "hints", hint_array(result));
    set_text(root, "headline", result->headline);
    set_text(root, "conclusion", result->conclusion);
    if (whatif)
        json_object_set_new(root, "whatif", json_whatif(whatif, result));
    return json_print_object(root, JSON_FORMAT, "the result", stream, err);
}
