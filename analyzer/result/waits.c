// SPDX-License-Identifier: BSD-3-Clause
// Cells of the matcher (pattern, location, local call path) are carried over to merged call paths,
// sorted and summed; hints get their facts (see parts.h).
#include "analyzer/result/parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/format/template.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/sites.h"

/// A cell with its merged call path and its site.
struct merged_cell {
    uint32_t path, rank, site;
    uint64_t count, ns;
};

/// Sorts AMOUNTS by key, adds up equal keys and drops RESULT_NONE; returns how many are left.
static size_t amounts_merge(struct result_amount *amounts, size_t count)
{
    size_t n_merged = 0;
    SORT_BY(amounts, count, LEAST(key));
    for (size_t i = 0; i < count; i++) {
        if (amounts[i].key == RESULT_NONE)
            break;
        if (n_merged > 0 && amounts[n_merged - 1].key == amounts[i].key) {
            amounts[n_merged - 1].count += amounts[i].count;
            amounts[n_merged - 1].ns += amounts[i].ns;
        } else {
            amounts[n_merged++] = amounts[i];
        }
    }
    return n_merged;
}

/// CELLS are those of one pattern, sorted by (path, rank).
static void put_pattern_sums(struct result_pattern *pattern, const struct merged_cell *cells,
                             size_t n_cells)
{
    pattern->sums = memory_zeroed(n_cells, sizeof *pattern->sums);
    pattern->by_rank = memory_zeroed(n_cells, sizeof *pattern->by_rank);
    pattern->by_path = memory_zeroed(n_cells, sizeof *pattern->by_path);
    pattern->by_site = memory_zeroed(n_cells, sizeof *pattern->by_site);
    for (size_t i = 0; i < n_cells; i++) {
        const struct merged_cell *cell = &cells[i];
        pattern->by_rank[i] = (struct result_amount){cell->rank, cell->count, cell->ns};
        pattern->by_path[i] = (struct result_amount){cell->path, cell->count, cell->ns};
        pattern->by_site[i] = (struct result_amount){cell->site, cell->count, cell->ns};
        struct result_instance_sum *last =
            pattern->n_sums > 0 ? &pattern->sums[pattern->n_sums - 1] : NULL;
        if (last && last->path == cell->path && last->rank == cell->rank) {
            last->count += cell->count;
            last->ns += cell->ns;
        } else {
            pattern->sums[pattern->n_sums++] =
                (struct result_instance_sum){cell->path, cell->rank, cell->count, cell->ns};
        }
    }
    pattern->n_by_rank = amounts_merge(pattern->by_rank, n_cells);
    pattern->n_by_path = amounts_merge(pattern->by_path, n_cells);
    SORT_BY(pattern->by_path, pattern->n_by_path, MOST(ns), LEAST(key));
    pattern->n_by_site = amounts_merge(pattern->by_site, n_cells);
    SORT_BY(pattern->by_site, pattern->n_by_site, MOST(ns), LEAST(key));
}

/// Carries the cells of one pattern over to merged paths and sums them.
static void put_cells(const struct waits_input *input, size_t index, struct result_pattern *pattern)
{
    SCOPED struct merged_cell *cells = NULL;
    size_t n_cells = 0, capacity = 0;
    for (uint32_t location = 0; location < input->tree->definitions->n_locations; location++) {
        size_t n;
        const struct matcher_cell *found = matcher_cells(input->matcher, index, location, &n);
        for (uint32_t call_path = 0; call_path < n; call_path++) {
            if (found[call_path].count == 0)
                continue;
            struct call_place place = call_tree_place(input->tree, location, call_path);
            *ARRAY_NEXT(cells, n_cells, capacity) = (struct merged_cell){
                .path = place.path,
                .rank = input->tree->definitions->locations[location].rank,
                .site = place.site,
                .count = found[call_path].count,
                .ns = found[call_path].wait_ns,
            };
        }
    }
    SORT_BY(cells, n_cells, LEAST(path), LEAST(rank));
    put_pattern_sums(pattern, cells, n_cells);
}

static void put_causes(const struct waits_input *input, size_t index,
                       struct result_pattern *pattern)
{
    size_t n_ranks = input->tree->definitions->n_ranks;
    pattern->by_cause = memory_zeroed(n_ranks, sizeof *pattern->by_cause);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        struct matcher_cell caused = matcher_caused_by(input->matcher, index, rank);
        if (caused.count > 0)
            pattern->by_cause[pattern->n_by_cause++] =
                (struct result_amount){rank, caused.count, caused.wait_ns};
    }
    SORT_BY(pattern->by_cause, pattern->n_by_cause, MOST(ns), LEAST(key));
}

static void put_finding(const struct waits_input *input, size_t index, const struct result *result,
                        struct result_pattern *pattern)
{
    struct matcher_finding finding = matcher_finding(input->matcher, index);
    pattern->count = finding.count;
    pattern->total_ns = finding.total_ns;
    pattern->window_ns = finding.window_ns;
    pattern->confidence = finding.confidence;
    pattern->held_bytes = finding.held_bytes;
    pattern->severity = pattern_severity(&input->catalogue->patterns[index],
                                         &(struct pattern_sums){
                                             .total_ns = finding.total_ns,
                                             .worst_ns = finding.worst.wait_ns,
                                             .count = finding.count,
                                             .run_time_ns = result->time_ns,
                                             .n_ranks = (uint32_t)result->n_ranks,
                                         });
    pattern->worst.rank = pattern->worst.path = pattern->worst.cause_rank = RESULT_NONE;
    pattern->worst.site = RESULT_NONE;
    if (finding.count == 0)
        return;
    struct call_place place =
        call_tree_place(input->tree, finding.worst.location, finding.worst.call_path);
    pattern->worst.rank = finding.worst.rank;
    pattern->worst.path = place.path;
    pattern->worst.site = place.site;
    pattern->worst.cause_rank =
        finding.worst.cause_rank == MATCHER_NO_RANK ? RESULT_NONE : finding.worst.cause_rank;
    pattern->worst.time_ns = finding.worst.time_ns;
    pattern->worst.wait_ns = finding.worst.wait_ns;
}

static void add_rank_waits(const struct waits_input *input, size_t index, struct result *result)
{
    for (size_t location = 0; location < input->tree->definitions->n_locations; location++) {
        uint32_t rank = input->tree->definitions->locations[location].rank;
        if (rank < result->n_ranks)
            result->ranks[rank].wait_ns += matcher_window_ns(input->matcher, index, location);
    }
}

/// Ancestors of a pattern that have waits of their own.
static uint32_t depth_of(const struct catalogue *catalogue, const struct pattern *pattern)
{
    uint32_t depth = 0;
    for (uint32_t at = pattern->ancestor; at != PATTERN_NONE; at = catalogue->patterns[at].ancestor)
        depth++;
    return depth;
}

static void add_hint(const struct pattern *pattern, const struct result_pattern *found,
                     struct result *result)
{
    struct result_hint *hint = &result->hints[result->n_hints++];
    SCOPED char *rank = memory_format("%u", found->worst.rank);
    SCOPED char *cause = found->worst.cause_rank == RESULT_NONE
                             ? memory_copy_text("")
                             : memory_format("%u", found->worst.cause_rank);
    SCOPED char *count = memory_format("%llu", (unsigned long long)found->count);
    SCOPED char *n_ranks = memory_format("%zu", found->n_by_rank);
    struct quantity wait = quantity_time(found->worst.wait_ns);
    struct quantity time = quantity_time(found->worst.time_ns);
    struct quantity total = quantity_time(found->total_ns);
    struct quantity share =
        quantity_part((double)found->total_ns, (double)result->n_ranks * (double)result->time_ns);
    hint->pattern = memory_copy_text(found->id);
    struct source worst = source_of(result, found->worst.site, found->worst.path);
    struct source most = found->n_by_site > 0 ? source_of(result, found->by_site[0].key,
                                                          result->sites[found->by_site[0].key].path)
                                              : worst;
    const char *path =
        found->worst.path == RESULT_NONE ? "" : result->paths[found->worst.path].shown;
    SCOPED char *worst_source = source_text(worst.file, worst.line);
    hint->source = source_text(most.file, most.line);
    hint->file = memory_copy_text(most.file);
    const char *const facts[N_PATTERN_FACTS] = {
        [PATTERN_FACT_rank] = rank,        [PATTERN_FACT_cause_rank] = cause,
        [PATTERN_FACT_path] = path,        [PATTERN_FACT_source] = worst_source,
        [PATTERN_FACT_wait] = wait.text,   [PATTERN_FACT_time] = time.text,
        [PATTERN_FACT_total] = total.text, [PATTERN_FACT_share] = share.text,
        [PATTERN_FACT_count] = count,      [PATTERN_FACT_ranks] = n_ranks,
    };
    hint->text = template_text(pattern->hint, pattern_fact_names, facts, N_PATTERN_FACTS);
}

/// A pattern of the catalogue with its place in the result.
struct weighted {
    const struct pattern *pattern;
    const struct result_pattern *found;
};

static int compare_weights(const void *left, const void *right)
{
    const struct weighted *a = left, *b = right;
    return ORDER_BY(MORE_FIRST(a->found->total_ns, b->found->total_ns),
                    LESS_FIRST(a->found, b->found));
}

static void put_hints(struct weighted *weighted, struct result *result)
{
    qsort(weighted, result->n_patterns, sizeof *weighted, compare_weights);
    result->hints = memory_zeroed(result->n_patterns, sizeof *result->hints);
    for (size_t i = 0; i < result->n_patterns; i++) {
        const struct result_pattern *found = weighted[i].found;
        if (found->count > 0 && weighted[i].pattern->hint[0] &&
            found->severity >= weighted[i].pattern->threshold_share)
            add_hint(weighted[i].pattern, found, result);
    }
}

/// MPI_Finalize needs no record besides its enter and leave, so its pattern found something even
/// so.
static bool lacks_records(const struct coverage *coverage, const struct pattern *pattern)
{
    if (strcmp(pattern->id, "wait-at-fence") == 0 || strcmp(pattern->id, "wait-at-window") == 0 ||
        pattern->trigger_kind == TRIGGER_RMA)
        return coverage->n_window_calls > 0;
    if (pattern->trigger_kind == TRIGGER_REGION)
        return coverage->lacks_visits;
    if (strcmp(pattern->id, "wait-at-collective-io") == 0)
        return coverage->n_file_calls > 0;
    if (pattern->trigger_kind == TRIGGER_COLLECTIVE)
        return coverage->n_collective_calls > 0 && strcmp(pattern->id, "wait-at-finalize") != 0;
    return coverage->n_message_calls > 0;
}

void waits_collect(const struct waits_input *input, struct result *result)
{
    const struct catalogue *catalogue = input->catalogue;
    SCOPED struct weighted *weighted = memory_zeroed(catalogue->n_patterns, sizeof *weighted);
    result->patterns = memory_zeroed(catalogue->n_patterns, sizeof *result->patterns);
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        if (pattern->is_abstract)
            continue;
        weighted[result->n_patterns].pattern = pattern;
        weighted[result->n_patterns].found = &result->patterns[result->n_patterns];
        struct result_pattern *to = &result->patterns[result->n_patterns++];
        to->id = utf8_clean(pattern->id);
        to->parent = utf8_clean(pattern->parent);
        to->name = utf8_clean(pattern->name);
        to->summary = utf8_clean(pattern->summary);
        to->unit = utf8_clean(pattern->unit);
        to->diagnosis = utf8_clean(pattern->diagnosis);
        to->is_top = pattern->is_counted;
        to->is_evaluated = !lacks_records(input->coverage, pattern);
        to->depth = depth_of(catalogue, pattern);
        put_finding(input, i, result, to);
        put_cells(input, i, to);
        put_causes(input, i, to);
        if (pattern->is_counted)
            add_rank_waits(input, i, result);
    }
    put_hints(weighted, result);
}

static const char *const message_calls[] = {"Send",  "Isend",  "Ssend",   "Issend",
                                            "Bsend", "Ibsend", "Rsend",   "Irsend",
                                            "Recv",  "Irecv",  "Sendrecv"};

static const char *const collective_calls[] = {
    "Barrier", "Bcast",    "Reduce",   "Allreduce", "Gather", "Gatherv", "Allgather",
    "Scatter", "Scatterv", "Alltoall", "Alltoallv", "Scan",   "Exscan",  "Allgatherv",
};

static const char *const window_calls[] = {
    "Win_fence",    "Win_create", "Win_create_dynamic", "Win_allocate", "Win_allocate_shared",
    "Win_free",     "Win_lock",   "Win_lock_all",       "Win_post",     "Win_start",
    "Win_complete", "Win_wait",
};

static const char *const file_calls[] = {
    "File_open",         "File_close",        "File_sync",
    "File_read_all",     "File_write_all",    "File_read_at_all",
    "File_write_at_all", "File_read_ordered", "File_write_ordered",
};

static bool is_one_of(const char *name, const char *const *calls, size_t n_calls)
{
    if (strncasecmp(name, "MPI_", 4) != 0)
        return false;
    for (size_t i = 0; i < n_calls; i++)
        if (!strcasecmp(name + 4, calls[i]))
            return true;
    return false;
}

static uint64_t visits_of(const struct result *result, const char *const *calls, size_t n_calls)
{
    uint64_t n_visits = 0;
    for (size_t i = 0; i < result->n_regions; i++)
        if (result->regions[i].is_mpi && is_one_of(result->regions[i].name, calls, n_calls))
            n_visits += result->regions[i].visits;
    return n_visits;
}

/// Our tracer records every message and collective, so a call without a record failed or had
/// MPI_PROC_NULL for its partner, unless recording was off: then what has no counterpart is left
/// out.
static bool tells_all(const struct result *result, const struct pag_result *replay)
{
    return !strcmp(result->creator, "pagoda trace") && replay->n_off == 0;
}

struct coverage coverage_of(const struct result *result, const struct pag_result *replay,
                            const struct definitions *definitions)
{
    struct coverage coverage = {.lacks_visits = replay->simulated != NULL};
    if (definitions->n_files == 0)
        coverage.n_file_calls =
            visits_of(result, file_calls, sizeof file_calls / sizeof file_calls[0]);
    if (definitions->n_windows == 0)
        coverage.n_window_calls =
            visits_of(result, window_calls, sizeof window_calls / sizeof window_calls[0]);
    if (result->n_ranks < 2 || tells_all(result, replay))
        return coverage;
    if (replay->n_messages + replay->n_unmatched_sends + replay->n_unmatched_receives +
            replay->n_outside ==
        0)
        coverage.n_message_calls =
            visits_of(result, message_calls, sizeof message_calls / sizeof message_calls[0]);
    if (replay->n_collectives + replay->n_incomplete_collectives + replay->n_outside == 0)
        coverage.n_collective_calls = visits_of(
            result, collective_calls, sizeof collective_calls / sizeof collective_calls[0]);
    return coverage;
}
