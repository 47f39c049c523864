// SPDX-License-Identifier: BSD-3-Clause
// What the printers of JSON share, and the report on a replay.

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/result/advice.h"
#include "analyzer/result/result.h"
#include "analyzer/result/whatif.h"

json_t *json_put(json_t *object, const struct json_pair *pairs)
{
    for (; pairs->key; pairs++)
        if (pairs->value)
            json_object_set_new(object, pairs->key, pairs->value);
    return object;
}

json_t *json_list(size_t n, json_t *(*item)(const void *of, size_t i), const void *of)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *value = item(of, i);
        if (value)
            json_array_append_new(array, value);
    }
    return array;
}

json_t *json_text(const char *bytes)
{
    char *clean = utf8_clean(bytes);
    json_t *value = json_string(clean);
    free(clean);
    return value;
}

json_t *json_text_or_null(const char *bytes)
{
    return bytes && *bytes ? json_text(bytes) : json_null();
}

json_t *json_count(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_known_time(uint64_t time_ns)
{
    return time_ns == PAG_NOT_KNOWN ? json_null() : json_count(time_ns);
}

void json_print_document(FILE *stream, size_t format, const struct json_pair *pairs)
{
    json_t *root =
        JSON_OBJECT({"schema", json_integer(1)}, {"pagoda", json_string(PAGODA_VERSION)});
    // What the stream refuses is told where it is closed.
    if (json_dumpf(json_put(root, pairs), stream, format) != 0)
        assert(ferror(stream) && "bug: a report cannot be told as JSON");
    json_decref(root);
    fputc('\n', stream);
}

/// An index such as a rank: null for RESULT_NONE.
static json_t *number(uint32_t index)
{
    return index == RESULT_NONE ? json_null() : json_integer(index);
}

static json_t *path_name(const struct result *result, uint32_t path)
{
    return path == RESULT_NONE ? json_null() : json_text(result->paths[path].path);
}

static json_t *trace_object(const struct result *result)
{
    return JSON_OBJECT(
        {"path", json_text(result->trace_path)}, {"program", json_text(result->program)},
        {"arguments", json_text(result->arguments)}, {"creator", json_text(result->creator)},
        {"ranks", json_count(result->n_ranks)}, {"nodes", json_count(result->n_nodes)},
        {"locations", json_count(result->n_locations)}, {"events", json_count(result->n_events)},
        {"messages", json_count(result->n_messages)},
        {"collectives", json_count(result->n_collectives)},
        {"clock_violations", json_count(result->n_clock_violations)});
}

json_t *json_warning(const struct result_warning *warning)
{
    return JSON_OBJECT({"code", json_text(warning->code)}, {"count", json_count(warning->count)},
                       {"text", json_text(warning->text)});
}

static json_t *warning_object(const void *of, size_t i)
{
    return json_warning(&((const struct result *)of)->warnings[i]);
}

json_t *json_warnings(const struct result *result)
{
    return json_list(result->n_warnings, warning_object, result);
}

static json_t *window_object(const struct result *result)
{
    return JSON_OBJECT(
        {"begin_ns", json_count(result->window_begin_ns)},
        {"end_ns", json_count(result->window_end_ns)}, {"useful_ns", json_count(result->useful_ns)},
        {"no_cpu_ns", json_count(result->no_cpu_ns)},
        {"blocked_ns", json_count(result->blocked_ns)}, {"wait_ns", json_count(result->wait_ns)},
        {"other_mpi_ns", json_count(result->other_mpi_ns)},
        {"ended_ns", json_count(result->ended_ns)},
        {"unrecorded_ns", json_count(result->unrecorded_ns)},
        {"ideal_ns", result->has_ideal ? json_count(result->ideal_ns) : NULL});
}

static json_t *interval_object(const struct result *result)
{
    return JSON_OBJECT({"name", json_text(result->interval.what)},
                       {"is_phase", json_boolean(result->interval.is_phase)},
                       {"begin_ns", json_count(result->interval.begin_ns)},
                       {"end_ns", json_count(result->interval.end_ns)});
}

static json_t *efficiency_object(const struct result_efficiency *efficiency)
{
    return JSON_OBJECT({"parallel", json_number(efficiency->parallel)},
                       {"load_balance", json_number(efficiency->load_balance)},
                       {"cpu", json_number(efficiency->cpu)},
                       {"communication", json_number(efficiency->communication)},
                       {"serialization", json_number(efficiency->serialization)},
                       {"transfer", json_number(efficiency->transfer)});
}

static json_t *node_object(const void *of, size_t i)
{
    const struct result_node *node = &((const struct result *)of)->nodes[i];
    return JSON_OBJECT({"name", json_text(node->name)}, {"machine", json_text(node->machine)},
                       {"cores", number(node->n_cores > 0 ? node->n_cores : RESULT_NONE)},
                       {"ranks", json_count(node->n_ranks)});
}

static json_t *mpi_classes_object(const uint64_t *ns)
{
    json_t *object = json_object();
    for (unsigned i = 1; i < RESULT_MPI_CLASSES; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_ns", result_mpi_class_keys[i]);
        json_object_set_new(object, key, json_count(ns[i]));
    }
    return object;
}

static json_t *rank_object(const void *of, size_t i)
{
    const struct result *result = of;
    const struct result_rank *rank = &result->ranks[i];
    return JSON_OBJECT(
        {"rank", json_count(i)},
        {"node", json_text(rank->node < result->n_nodes ? result->nodes[rank->node].name : "")},
        {"useful_ns", json_count(rank->useful_ns)}, {"no_cpu_ns", json_count(rank->no_cpu_ns)},
        {"blocked_ns", json_count(rank->blocked_ns)}, {"mpi_ns", json_count(rank->mpi_ns)},
        {"wait_ns", json_count(rank->wait_ns)}, {"no_cpu_mpi_ns", json_count(rank->no_cpu_mpi_ns)},
        {"mpi_classes", mpi_classes_object(rank->mpi_class_ns)},
        {"recorded_until_ns", rank->is_cut_short ? json_count(rank->recorded_until_ns) : NULL});
}

static void put_thread_times(json_t *object, const uint64_t *ns)
{
    for (unsigned kind = 0; kind < RESULT_THREAD_KINDS; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s_ns", result_thread_kind_keys[kind]);
        json_object_set_new(object, key, json_count(ns[kind]));
    }
}

static json_t *rank_threads_object(const void *of, size_t i)
{
    const struct result_rank_threads *rank = &((const struct result *)of)->threads.ranks[i];
    json_t *object = JSON_OBJECT({"rank", json_count(i)}, {"threads", json_count(rank->n_threads)},
                                 {"latest", json_text_or_null(rank->latest)},
                                 {"latest_ns", json_count(rank->latest_ns)});
    put_thread_times(object, rank->ns);
    return object;
}

static json_t *thread_loss_object(const void *of, size_t i)
{
    const struct result *result = of;
    const struct result_thread_loss *loss = &result->threads.losses[i];
    const struct result_region *region =
        loss->region == RESULT_NONE ? NULL : &result->regions[loss->region];
    return JSON_OBJECT({"kind", json_string(result_thread_kind_keys[loss->kind])},
                       {"rank", json_count(loss->rank)},
                       {"region", region ? json_text(region->name) : json_null()},
                       {"file", region ? json_text(region->file) : json_null()},
                       {"line", region ? json_count(region->line) : json_null()},
                       {"count", loss->count > 0 ? json_count(loss->count) : json_null()},
                       {"ns", json_count(loss->ns)});
}

static json_t *threads_object(const struct result *result)
{
    const struct result_threads *threads = &result->threads;
    json_t *object = JSON_OBJECT(
        {"threads", json_count(threads->n_threads)}, {"total_ns", json_count(threads->total_ns)},
        {"unrecorded_ns", json_count(threads->unrecorded_ns)},
        {"efficiency", JSON_OBJECT({"hybrid", json_number(threads->efficiency.hybrid)},
                                   {"process", json_number(threads->efficiency.process)},
                                   {"thread", json_number(threads->efficiency.thread)},
                                   {"serial", json_number(threads->efficiency.serial)},
                                   {"load_balance", json_number(threads->efficiency.load_balance)},
                                   {"runtime", json_number(threads->efficiency.runtime)})},
        {"ranks", json_list(threads->n_ranks, rank_threads_object, result)},
        {"losses", json_list(threads->n_losses, thread_loss_object, result)});
    put_thread_times(object, threads->ns);
    return object;
}

/// Sets "source" and what else is known of a place of calls.
static json_t *put_site(json_t *object, const struct result_site *site)
{
    return JSON_PUT(object, {"source", json_text(site->source)}, {"file", json_text(site->file)},
                    {"function", json_text(site->function)});
}

static json_t *site_object(const struct result *result, const struct result_site *site)
{
    return JSON_PUT(put_site(json_object(), site), {"visits", json_count(site->visits)},
                    {"inclusive_ns", json_count(site->inclusive_ns)},
                    {"before_ns", json_count(site->before_ns)},
                    {"since", site->before_since == RESULT_NONE
                                  ? json_null()
                                  : json_text(result->sites[site->before_since].source)});
}

static json_t *profile_array(const struct result *result)
{
    json_t *profile = json_array();
    size_t site = 0; // of the path at hand
    for (uint32_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        json_t *sources = NULL;
        uint8_t mpi_class = result->regions[path->region].mpi_class;
        json_t *class_ = mpi_class ? json_string(result_mpi_class_keys[mpi_class]) : NULL;
        for (; site < result->n_sites && result->sites[site].path == i; site++) {
            sources = sources ? sources : json_array();
            json_array_append_new(sources, site_object(result, &result->sites[site]));
        }
        json_array_append_new(profile,
                              JSON_OBJECT({"path", path_name(result, i)},
                                          {"region", json_text(result->regions[path->region].name)},
                                          {"visits", json_count(path->visits)},
                                          {"inclusive_ns", json_count(path->inclusive_ns)},
                                          {"exclusive_ns", json_count(path->exclusive_ns)},
                                          {"mpi_class", class_}, {"sources", sources}));
    }
    return profile;
}

static json_t *put_share(json_t *object, const struct result_path_share *share)
{
    return JSON_PUT(object, {"time_ns", json_integer(share->time_ns)},
                    {"share", json_number(share->share)});
}

/// By region, rank, or both.
static json_t *share_array(const struct result *result, const struct result_path_share *shares,
                           size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct result_path_share *share = &shares[i];
        bool has_region = share->region != RESULT_NONE, has_rank = share->rank != RESULT_NONE;
        json_t *object = JSON_OBJECT(
            {"region", has_region ? json_text(result->regions[share->region].name) : NULL},
            {"rank", has_rank ? json_count(share->rank) : NULL});
        json_array_append_new(array, put_share(object, share));
    }
    return array;
}

/// What is called from, or went by before calls from, places in the source.
static json_t *site_share_array(const struct result *result, const struct result_path_share *shares,
                                size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct result_site *site = &result->sites[shares[i].site];
        const struct result_region *region = &result->regions[shares[i].region];
        json_t *object =
            JSON_OBJECT({"region", json_text(region->name)},
                        {region->is_mpi ? "path" : "before", path_name(result, site->path)});
        json_array_append_new(array, put_share(put_site(object, site), &shares[i]));
    }
    return array;
}

static json_t *region_on_path(const void *of, size_t i)
{
    const struct result *result = of;
    const struct result_path_share *share = &result->critical_path.by_region[i];
    const struct result_region *region = &result->regions[share->region];
    json_t *object = JSON_OBJECT({"region", json_text(region->name)});
    return JSON_PUT(put_share(object, share),
                    {"imbalance_ns", json_count(region->path_imbalance_ns)});
}

static json_t *critical_path_object(const struct result *result)
{
    return JSON_OBJECT(
        {"length_ns", json_integer(result->critical_path.length_ns)},
        {"regions", json_list(result->critical_path.n_by_region, region_on_path, result)},
        {"ranks",
         share_array(result, result->critical_path.by_rank, result->critical_path.n_by_rank)},
        {"region_ranks", share_array(result, result->critical_path.by_region_rank,
                                     result->critical_path.n_by_region_rank)},
        {"sources",
         site_share_array(result, result->critical_path.by_site, result->critical_path.n_by_site)});
}

static json_t *by_rank_array(const struct result_amount *amounts, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, JSON_OBJECT({"rank", json_count(amounts[i].key)},
                                                 {"ns", json_count(amounts[i].ns)}));
    return array;
}

static json_t *by_path_array(const struct result *result, const struct result_pattern *pattern)
{
    json_t *array = json_array();
    for (size_t i = 0; i < pattern->n_by_path; i++)
        json_array_append_new(array,
                              JSON_OBJECT({"path", path_name(result, pattern->by_path[i].key)},
                                          {"ns", json_count(pattern->by_path[i].ns)}));
    return array;
}

static json_t *by_source_array(const struct result *result, const struct result_pattern *pattern)
{
    json_t *array = json_array();
    for (size_t i = 0; i < pattern->n_by_site; i++) {
        const struct result_site *site = &result->sites[pattern->by_site[i].key];
        if (site->source[0])
            json_array_append_new(array, JSON_PUT(put_site(json_object(), site),
                                                  {"path", path_name(result, site->path)},
                                                  {"ns", json_count(pattern->by_site[i].ns)}));
    }
    return array;
}

static json_t *worst_object(const struct result *result, const struct result_pattern *pattern)
{
    if (pattern->worst.wait_ns == 0)
        return json_null();
    json_t *object = JSON_OBJECT({"rank", number(pattern->worst.rank)},
                                 {"time_ns", json_count(pattern->worst.time_ns)},
                                 {"wait_ns", json_count(pattern->worst.wait_ns)},
                                 {"path", path_name(result, pattern->worst.path)});
    if (pattern->worst.site < result->n_sites)
        put_site(object, &result->sites[pattern->worst.site]);
    else
        JSON_PUT(object, {"source", json_null()});
    return JSON_PUT(object, {"cause_rank", number(pattern->worst.cause_rank)});
}

static json_t *origins_object(const struct result *result, const struct result_origins *origins)
{
    if (origins->explained_ns + origins->unexplained_ns == 0)
        return json_null();
    return JSON_OBJECT(
        {"explained_ns", json_count(origins->explained_ns)},
        {"direct_ns", json_count(origins->direct_ns)},
        {"indirect_ns", json_count(origins->indirect_ns)},
        {"unexplained_ns", json_count(origins->unexplained_ns)},
        {"offset_ns", json_integer(origins->offset_ns)},
        {"regions", share_array(result, origins->by_region, origins->n_by_region)},
        {"region_ranks", share_array(result, origins->by_region_rank, origins->n_by_region_rank)},
        {"sources", site_share_array(result, origins->by_site, origins->n_by_site)});
}

static json_t *pattern_object(const void *of, size_t i)
{
    const struct result *result = of;
    const struct result_pattern *pattern = &result->patterns[i];
    return JSON_OBJECT(
        {"id", json_text(pattern->id)}, {"parent", json_text(pattern->parent)},
        {"name", json_text(pattern->name)}, {"evaluated", json_boolean(pattern->is_evaluated)},
        {"count", json_count(pattern->count)}, {"total_ns", json_count(pattern->total_ns)},
        {"window_ns", json_count(pattern->window_ns)}, {"severity", json_number(pattern->severity)},
        {"confidence", json_number(pattern->count > 0 ? pattern->confidence : NAN)},
        {"by_rank", by_rank_array(pattern->by_rank, pattern->n_by_rank)},
        {"by_path", by_path_array(result, pattern)},
        {"by_source", by_source_array(result, pattern)},
        {"by_cause", by_rank_array(pattern->by_cause, pattern->n_by_cause)},
        {"worst", worst_object(result, pattern)},
        {"origins", origins_object(result, &pattern->origins)});
}

static json_t *hint_object(const void *of, size_t i)
{
    const struct result_hint *hint = &((const struct result *)of)->hints[i];
    return JSON_OBJECT({"pattern", json_text(hint->pattern)}, {"text", json_text(hint->text)},
                       {"source", json_text(hint->source)}, {"file", json_text(hint->file)});
}

json_t *json_bend(const struct result_bend *bend)
{
    return bend->share == 0 ? NULL
                            : JSON_OBJECT({"share", json_number(bend->share)},
                                          {"gain_ns", json_integer(bend->gain_ns)},
                                          {"then", json_text_or_null(bend->then)});
}

static json_t *remedy_object(const void *of, size_t i)
{
    const struct result_remedy *remedy = &((const struct result_finding *)of)->remedies[i];
    const struct advice_word word = {remedy->option, remedy->value};
    char *words = advice_words_text(&word, 1);
    json_t *object =
        JSON_OBJECT({"words", json_text(words)}, {"text", json_text(remedy->sentence)});
    free(words);
    return remedy->is_predicted
               ? JSON_PUT(object, {"predicted_ns", json_count(remedy->predicted_ns)},
                          {"gain_ns", json_integer(remedy->gain_ns)},
                          {"pays_until", json_bend(&remedy->bend)})
               : object;
}

static json_t *finding_rank(const void *of, size_t i)
{
    return json_integer(((const struct result_finding *)of)->ranks[i]);
}

static json_t *finding_object(const void *of, size_t i)
{
    const struct result *result = of;
    const struct result_finding *finding = &result->findings[i];
    const struct result_region *region =
        finding->region == RESULT_NONE ? NULL : &result->regions[finding->region];
    const struct result_site *site =
        finding->site == RESULT_NONE ? NULL : &result->sites[finding->site];
    return JSON_OBJECT(
        {"kind", json_text(finding->kind)}, {"name", json_text(finding->name)},
        {"text", json_text(finding->text)}, {"hint", json_text(finding->hint)},
        {"place", json_text(finding->place)}, {"region", region ? json_text(region->name) : NULL},
        {"source", site ? json_text(site->source) : NULL},
        {"path",
         finding->path == RESULT_NONE ? NULL : json_text(result->paths[finding->path].path)},
        {"ranks", json_list(finding->n_ranks, finding_rank, finding)},
        {"pattern", finding->wait_pattern == RESULT_NONE
                        ? NULL
                        : json_text(result->patterns[finding->wait_pattern].id)},
        {"loss_ns", json_count(finding->loss_ns)}, {"share", json_number(finding->share)},
        {"remedies", json_list(finding->n_remedies, remedy_object, finding)});
}

void json_print(const struct result *result, const struct whatif_report *whatif, FILE *stream)
{
    JSON_PRINT(
        stream, JSON_FORMAT, {"trace", trace_object(result)}, {"warnings", json_warnings(result)},
        {"time_ns", json_count(result->time_ns)},
        {"interval", result->interval.what ? interval_object(result) : NULL},
        {"window", window_object(result)}, {"efficiency", efficiency_object(&result->efficiency)},
        {"nodes", json_list(result->n_nodes, node_object, result)},
        {"ranks", json_list(result->n_ranks, rank_object, result)}, {"groups", json_groups(result)},
        {"iterations", json_iterations(result)},
        {"threads", result->threads.n_threads > 0 ? threads_object(result) : NULL},
        {"profile", profile_array(result)}, {"counters", json_counters(result)},
        {"critical_path", critical_path_object(result)},
        {"patterns", json_list(result->n_patterns, pattern_object, result)},
        {"hints", json_list(result->n_hints, hint_object, result)},
        {"findings", json_list(result->n_findings, finding_object, result)},
        {"found_rest_ns", json_count(result->found_rest_ns)},
        {"unpredicted", result->unpredicted ? json_text(result->unpredicted) : NULL},
        {"replayed_ns", result->replayed_ns > 0 ? json_count(result->replayed_ns) : NULL},
        {"headline", json_text(result->headline)}, {"conclusion", json_text(result->conclusion)},
        {"whatif", whatif ? json_whatif(whatif, result) : NULL});
}

// ---- several intervals of one run

static json_t *interval_row_object(const void *of, size_t i)
{
    const struct interval_row *row = &((const struct interval_page *)of)->rows[i];
    return JSON_OBJECT(
        {"name", json_text(row->name)}, {"is_phase", json_boolean(row->is_phase)},
        {"begin_ns", json_count(row->begin_ns)}, {"end_ns", json_count(row->end_ns)},
        {"time_ns", json_count(row->time_ns)}, {"useful_ns", json_count(row->useful_ns)},
        {"no_cpu_ns", json_count(row->no_cpu_ns)}, {"wait_ns", json_count(row->wait_ns)},
        {"other_mpi_ns", json_count(row->other_mpi_ns)},
        {"unrecorded_ns", json_count(row->outside_ns)},
        {"efficiency", JSON_OBJECT({"parallel", json_number(row->efficiency.parallel)},
                                   {"load_balance", json_number(row->efficiency.load_balance)},
                                   {"cpu", json_number(row->efficiency.cpu)},
                                   {"communication", json_number(row->efficiency.communication)})},
        {"headline", json_text(row->headline)});
}

void json_print_intervals(const struct interval_page *page, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12), {"trace", json_text(page->trace)},
               {"intervals", json_list(page->n_rows, interval_row_object, page)});
}
