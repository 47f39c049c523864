// SPDX-License-Identifier: BSD-3-Clause
// Paths are in preorder, so what is below a path is a range of them, of their values by rank, and
// of the sums of wait states. A metric of a place is computed for all ranks at once and kept until
// it is asked for of another place.
#include "analyzer/result/properties/property_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/definitions.h"

/// What time in a region is.
enum { IN_NOTHING, IN_COMPUTING, IN_NO_CPU, IN_MPI };

/// A metric of one place.
struct kept {
    double *by_rank; // NULL: nothing is kept
    double total;
    uint32_t region, path;
};

struct property_values {
    const struct result *result;
    size_t *rows;        // by path: its first row of result->path_ranks; one more
    uint32_t *ends;      // by path: the first one that is not below it
    uint32_t *outermost; // paths, by region
    size_t *first_of;    // by region: its first one of them; one more
    uint32_t *around;    // regions, by region
    size_t *around_of;   // by region: its first one of them; one more
    uint8_t *region_is;  // by region: IN_...
    struct kept *kept;   // by metric, then by pattern, then by counter
};

// ---- places

static void index_paths(struct property_values *v)
{
    const struct result *result = v->result;
    size_t n = result->n_paths, row = 0;
    v->rows = memory_zeroed(n + 1, sizeof *v->rows);
    v->ends = memory_zeroed(n + 1, sizeof *v->ends);
    for (size_t i = 0; i <= n; i++) {
        while (row < result->n_path_ranks && result->path_ranks[row].path < i)
            row++;
        v->rows[i] = row;
    }
    for (size_t i = n; i-- > 0;) {
        uint32_t end = (uint32_t)i + 1;
        while (end < n && result->paths[end].depth > result->paths[i].depth)
            end = v->ends[end];
        v->ends[i] = end;
    }
}

static void index_regions(struct property_values *v)
{
    const struct result *result = v->result;
    v->first_of = memory_zeroed(result->n_regions + 2, sizeof *v->first_of);
    v->outermost = memory_zeroed(result->n_paths + 1, sizeof *v->outermost);
    for (uint32_t i = 0; i < result->n_paths; i++)
        if (!result_path_is_within(result, i, result->paths[i].region))
            v->first_of[result->paths[i].region + 2]++;
    for (size_t i = 2; i < result->n_regions + 2; i++)
        v->first_of[i] += v->first_of[i - 1];
    for (uint32_t i = 0; i < result->n_paths; i++)
        if (!result_path_is_within(result, i, result->paths[i].region))
            v->outermost[v->first_of[result->paths[i].region + 1]++] = i;
}

/// Adds those regions around the first path of REGION that are around all of its paths.
static void add_around(struct property_values *v, uint32_t region, size_t *capacity)
{
    const struct result *result = v->result;
    size_t n, n_around = v->around_of[region];
    const uint32_t *paths = property_values_paths(v, region, &n);
    uint32_t at = n > 0 ? result->paths[paths[0]].parent : RESULT_NONE;
    for (; at != RESULT_NONE; at = result->paths[at].parent) {
        size_t i = 1;
        while (i < n && result_path_is_within(result, paths[i], result->paths[at].region))
            i++;
        if (i < n)
            continue;
        v->around = array_reserve(v->around, capacity, n_around + 1, sizeof *v->around);
        v->around[n_around++] = result->paths[at].region;
    }
    v->around_of[region + 1] = n_around;
}

static uint8_t what_region_is(const struct result_region *region)
{
    bool is_no_cpu = strcmp(region->name, RESULT_REGION_NO_CPU) == 0 ||
                     strcmp(region->name, RESULT_REGION_BLOCKED) == 0;
    return region->is_mpi                                 ? IN_MPI
           : is_no_cpu                                    ? IN_NO_CPU
           : strcmp(region->name, RESULT_REGION_OFF) == 0 ? IN_NOTHING
                                                          : IN_COMPUTING;
}

static size_t n_metrics(const struct result *result)
{
    return N_PROPERTY_METRICS + result->n_patterns + result->n_counters;
}

struct property_values *property_values_new(const struct result *result)
{
    struct property_values *v = memory_zeroed(1, sizeof *v);
    v->result = result;
    index_paths(v);
    index_regions(v);
    size_t capacity = 0;
    v->around_of = memory_zeroed(result->n_regions + 1, sizeof *v->around_of);
    v->region_is = memory_zeroed(result->n_regions + 1, sizeof *v->region_is);
    for (uint32_t i = 0; i < result->n_regions; i++) {
        add_around(v, i, &capacity);
        v->region_is[i] = what_region_is(&result->regions[i]);
    }
    v->kept = memory_zeroed(n_metrics(result), sizeof *v->kept);
    return v;
}

void property_values_free(struct property_values *v)
{
    for (size_t i = 0; i < n_metrics(v->result); i++)
        free(v->kept[i].by_rank);
    FREE_ALL(v->kept, v->rows, v->ends, v->outermost, v->first_of, v->around, v->around_of,
             v->region_is, v);
}

const uint32_t *property_values_around(const struct property_values *v, uint32_t region, size_t *n)
{
    *n = v->around_of[region + 1] - v->around_of[region];
    return v->around + v->around_of[region];
}

uint32_t property_values_end(const struct property_values *v, uint32_t path)
{
    return v->ends[path];
}

const uint32_t *property_values_paths(const struct property_values *v, uint32_t region, size_t *n)
{
    *n = v->first_of[region + 1] - v->first_of[region];
    return v->outermost + v->first_of[region];
}

// ---- sums over ranks and paths

struct sum {
    struct property_values *v;
    struct kept *kept;
    unsigned metric;  // METRIC_WAIT_STATE and more: of a pattern, then of a counter
    uint32_t counted; // of visits and exclusive time: this region or path only, RESULT_NONE
    bool is_path;
};

static void add(const struct sum *sum, uint32_t rank, double value)
{
    sum->kept->by_rank[rank] += value;
    sum->kept->total += value;
}

static uint8_t mpi_class_of(unsigned metric)
{
    static const uint8_t classes[N_PROPERTY_METRICS + 1] = {
        [METRIC_start_end_time] = MPI_CLASS_START_END,
        [METRIC_point_to_point_time] = MPI_CLASS_POINT_TO_POINT,
        [METRIC_collective_time] = MPI_CLASS_COLLECTIVE,
        [METRIC_rma_time] = MPI_CLASS_RMA,
        [METRIC_rma_synchronisation_time] = MPI_CLASS_RMA_SYNCHRONISATION,
        [METRIC_io_time] = MPI_CLASS_FILE,
        [METRIC_management_time] = MPI_CLASS_MANAGEMENT,
    };
    return classes[metric];
}

/// What one rank's values at one path add to the metric.
static double row_value(const struct sum *sum, const struct result_path_rank *row)
{
    const struct property_values *v = sum->v;
    uint32_t number = v->result->paths[row->path].region;
    const struct result_region *region = &v->result->regions[number];
    uint8_t is = v->region_is[number];
    bool counts =
        sum->counted == RESULT_NONE || sum->counted == (sum->is_path ? row->path : number);
    switch (sum->metric) {
    case METRIC_exclusive_time:
        return counts ? (double)row->exclusive_ns : 0;
    case METRIC_visits:
        return counts ? (double)row->visits : 0;
    case METRIC_computing_time:
        return is == IN_COMPUTING ? (double)row->master_ns : 0;
    case METRIC_no_cpu_time:
        return is == IN_NO_CPU ? (double)row->exclusive_ns : 0;
    case METRIC_mpi_time:
        return is == IN_MPI && region->mpi_class != MPI_CLASS_START_END ? (double)row->exclusive_ns
                                                                        : 0;
    case METRIC_mpi_calls:
        return is == IN_MPI ? (double)row->visits : 0;
    default:
        return region->mpi_class == mpi_class_of(sum->metric) ? (double)row->exclusive_ns : 0;
    }
}

static void add_rows(const struct sum *sum, uint32_t begin, uint32_t end)
{
    const struct property_values *v = sum->v;
    for (size_t i = v->rows[begin]; i < v->rows[end]; i++)
        add(sum, v->result->path_ranks[i].rank, row_value(sum, &v->result->path_ranks[i]));
}

static bool is_of_requests(unsigned metric)
{
    return metric >= METRIC_num_reads && metric <= METRIC_bytes_written;
}

/// What operations on files add to the metric. Of those within others only time is told that is
/// their own, and of those in MPI-IO functions none: that is the functions' time already.
static double use_value(const struct sum *sum, const struct result_file_use *use)
{
    const struct result *result = sum->v->result;
    const struct result_region *region = &result->regions[result->paths[use->path].region];
    if (sum->metric == METRIC_io_time)
        return region->mpi_class == MPI_CLASS_FILE ? 0 : (double)use->sums.own_ns;
    if (use->is_inner)
        return 0;
    return (double)(sum->metric == METRIC_num_reads    ? use->sums.n_reads
                    : sum->metric == METRIC_bytes_read ? use->sums.read_bytes
                    : sum->metric == METRIC_num_writes ? use->sums.n_writes
                                                       : use->sums.written_bytes);
}

static void add_uses(const struct sum *sum, uint32_t begin, uint32_t end)
{
    const struct result *result = sum->v->result;
    for (size_t i = 0; i < result->n_file_uses; i++) {
        const struct result_file_use *use = &result->file_uses[i];
        if (use->path >= begin && use->path < end)
            add(sum, use->rank, use_value(sum, use));
    }
}

static void add_inclusive(const struct sum *sum, uint32_t path)
{
    const struct property_values *v = sum->v;
    for (size_t i = v->rows[path]; i < v->rows[path + 1]; i++)
        add(sum, v->result->path_ranks[i].rank, (double)v->result->path_ranks[i].inclusive_ns);
}

static void add_waits(const struct sum *sum, const struct result_pattern *pattern, uint32_t begin,
                      uint32_t end)
{
    size_t at;
    SEARCH(at, 0, pattern->n_sums, i, pattern->sums[i].path < begin);
    for (; at < pattern->n_sums && pattern->sums[at].path < end; at++)
        add(sum, pattern->sums[at].rank, (double)pattern->sums[at].ns);
}

/// All counters of one name.
static void add_counters(const struct sum *sum, const char *name, uint32_t begin, uint32_t end)
{
    const struct result *result = sum->v->result;
    for (size_t c = 0; c < result->n_counters; c++) {
        if (strcmp(result->counters[c].name, name) != 0)
            continue;
        for (size_t i = sum->v->rows[begin]; i < sum->v->rows[end]; i++)
            add(sum, result->path_ranks[i].rank, result->counters[c].by_path_rank[i]);
    }
}

/// All paths from BEGIN to END.
static void add_range(const struct sum *sum, uint32_t begin, uint32_t end)
{
    const struct result *result = sum->v->result;
    size_t first_counter = METRIC_WAIT_STATE + result->n_patterns;
    if (sum->metric >= first_counter)
        add_counters(sum, result->counters[sum->metric - first_counter].name, begin, end);
    else if (sum->metric >= METRIC_WAIT_STATE)
        add_waits(sum, &result->patterns[sum->metric - METRIC_WAIT_STATE], begin, end);
    else if (sum->metric == METRIC_time)
        add_inclusive(sum, begin);
    else if (sum->metric != METRIC_wait_time && !is_of_requests(sum->metric))
        add_rows(sum, begin, end);
    if (sum->metric == METRIC_io_time || is_of_requests(sum->metric))
        add_uses(sum, begin, end);
    for (size_t i = 0; sum->metric == METRIC_wait_time && i < result->n_patterns; i++)
        if (result->patterns[i].is_top)
            add_waits(sum, &result->patterns[i], begin, end);
}

static bool is_of_threads(unsigned metric)
{
    return metric >= METRIC_thread_barrier && metric <= METRIC_thread_idle_limited;
}

static bool is_contained(const struct property_values *v, uint32_t inner, uint32_t outer)
{
    size_t n;
    const uint32_t *around = property_values_around(v, inner, &n);
    for (size_t i = 0; i < n; i++)
        if (around[i] == outer)
            return true;
    return false;
}

/// Losses of threads: in REGION and what is within it.
static void add_thread_losses(const struct sum *sum, uint32_t region)
{
    const struct result_threads *threads = &sum->v->result->threads;
    uint32_t kind = sum->metric - METRIC_thread_barrier + RESULT_THREAD_FIRST_LOSS;
    if (region == RESULT_NONE) {
        for (uint32_t i = 0; i < threads->n_ranks; i++)
            add(sum, i, (double)threads->ranks[i].ns[kind]);
        return;
    }
    for (size_t i = 0; i < threads->n_losses; i++) {
        const struct result_thread_loss *loss = &threads->losses[i];
        if (loss->kind == kind && loss->region != RESULT_NONE &&
            (loss->region == region || is_contained(sum->v, loss->region, region)))
            add(sum, loss->rank, (double)loss->ns);
    }
}

/// What is known of ranks only, and the run time of each.
static bool add_ranks(const struct sum *sum)
{
    const struct result *result = sum->v->result;
    switch (sum->metric) {
    case METRIC_time:
        for (uint32_t i = 0; i < result->n_ranks; i++)
            add(sum, i, result->ranks[i].is_skipped ? 0 : (double)result->time_ns);
        return true;
    case METRIC_messages:
        for (size_t i = 0; i < result->n_traffic; i++)
            add(sum, result->traffic[i].sender, (double)result->traffic[i].n_messages);
        return true;
    case METRIC_bytes:
        for (size_t i = 0; i < result->n_traffic; i++)
            add(sum, result->traffic[i].sender, (double)result->traffic[i].size_bytes);
        return true;
    case METRIC_critical_path_time:
        for (size_t i = 0; i < result->critical_path.n_by_rank; i++)
            add(sum, result->critical_path.by_rank[i].rank,
                (double)result->critical_path.by_rank[i].time_ns);
        return true;
    default:
        return false;
    }
}

static void compute(const struct sum *sum, uint32_t region, uint32_t path)
{
    size_t n;
    if (is_of_threads(sum->metric)) {
        add_thread_losses(sum, region);
    } else if (path != RESULT_NONE) {
        add_range(sum, path, sum->v->ends[path]);
    } else if (region != RESULT_NONE) {
        const uint32_t *paths = property_values_paths(sum->v, region, &n);
        for (size_t i = 0; i < n; i++)
            add_range(sum, paths[i], sum->v->ends[paths[i]]);
    } else if (!add_ranks(sum)) {
        add_range(sum, 0, (uint32_t)sum->v->result->n_paths);
    }
}

/// The metric of a place, by rank.
static const struct kept *values_at(struct property_values *v, unsigned metric, uint32_t region,
                                    uint32_t path)
{
    struct kept *kept = &v->kept[metric];
    size_t n_bytes = (v->result->n_ranks + 1) * sizeof *kept->by_rank;
    if (kept->by_rank && kept->region == region && kept->path == path)
        return kept;
    if (!kept->by_rank)
        kept->by_rank = memory_new(n_bytes);
    memset(kept->by_rank, 0, n_bytes);
    kept->total = 0;
    kept->region = region;
    kept->path = path;
    bool is_path = path != RESULT_NONE;
    const struct sum sum = {v, kept, metric, is_path ? path : region, is_path};
    compute(&sum, region, path);
    return kept;
}

// ---- values

/// Values of the program alone; NAN for other metrics.
static double program_value(const struct result *result, unsigned metric)
{
    const struct result_threads *threads = &result->threads;
    double n_ranks = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        n_ranks += !result->ranks[i].is_skipped;
    switch (metric) {
    case METRIC_collectives:
        return (double)result->n_collectives;
    case METRIC_ranks:
        return n_ranks;
    case METRIC_parallel_efficiency:
        return result->efficiency.parallel;
    case METRIC_load_balance:
        return result->efficiency.load_balance;
    case METRIC_communication_efficiency:
        return result->efficiency.communication;
    case METRIC_serialization_efficiency:
        return result->efficiency.serialization;
    case METRIC_transfer_efficiency:
        return result->efficiency.transfer;
    case METRIC_cpu_efficiency:
        return result->efficiency.cpu;
    case METRIC_hybrid_efficiency:
        return threads->efficiency.hybrid;
    case METRIC_thread_efficiency:
        return threads->efficiency.thread;
    case METRIC_thread_load_balance:
        return threads->efficiency.load_balance;
    case METRIC_threads:
        return (double)threads->n_threads;
    case METRIC_thread_time:
        return (double)threads->total_ns;
    default:
        return NAN;
    }
}

static bool is_of_program(unsigned metric)
{
    return metric == METRIC_collectives || (metric >= METRIC_ranks && metric <= METRIC_thread_time);
}

static double iteration_value(const struct result_iteration *item, unsigned metric)
{
    switch (metric) {
    case METRIC_time:
        return (double)item->time_ns;
    case METRIC_computing_time:
        return (double)item->useful_ns;
    case METRIC_no_cpu_time:
        return (double)item->no_cpu_ns;
    case METRIC_wait_time:
        return (double)item->wait_ns;
    case METRIC_mpi_time:
        return (double)(item->wait_ns + item->other_mpi_ns);
    default:
        return NAN;
    }
}

/// That of a wait state is its pattern's, that of a counter the first one's of its name; UINT32_MAX
/// where there is none.
unsigned property_metric(const struct result *result, const struct property_slot *slot)
{
    if (slot->metric < METRIC_WAIT_STATE)
        return slot->metric;
    for (size_t i = 0; slot->metric == METRIC_COUNTER && i < result->n_counters; i++)
        if (strcmp(result->counters[i].name, slot->metric_name) == 0)
            return (unsigned)(METRIC_WAIT_STATE + result->n_patterns + i);
    uint32_t pattern = slot->metric == METRIC_COUNTER
                           ? RESULT_NONE
                           : result_find_pattern(result, slot->metric_name);
    return pattern == RESULT_NONE ? UINT32_MAX : METRIC_WAIT_STATE + pattern;
}

/// Whether RESULT has the metric of SLOT, a SLOT_METRIC.
static bool has(const struct result *result, const struct property_slot *slot)
{
    unsigned metric = property_metric(result, slot);
    if (metric >= METRIC_WAIT_STATE)
        return metric != UINT32_MAX && (slot->metric == METRIC_COUNTER ||
                                        result->patterns[metric - METRIC_WAIT_STATE].is_evaluated);
    if (is_of_requests(metric))
        return result->n_files > 0;
    if (metric == METRIC_no_cpu_time)
        return result->has_cpu_time;
    if (metric >= METRIC_hybrid_efficiency)
        return result->threads.n_threads > 0;
    return !is_of_program(metric) || !isnan(program_value(result, metric));
}

uint32_t property_region(const struct result *result, const char *name)
{
    size_t n = result->n_regions, i = FIND_BY(result->regions, n, name, name);
    if (i == n)
        i = FIND_BY(result->regions, n, shown, name);
    return i < n ? (uint32_t)i : RESULT_NONE;
}

static double sum_on_node(const struct result *result, const struct kept *kept, uint32_t node)
{
    double sum = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        sum += result->ranks[i].node == node ? kept->by_rank[i] : 0;
    return sum;
}

double property_value(struct property_values *v, unsigned metric, const struct result_part *focus)
{
    if (metric == UINT32_MAX)
        return NAN;
    if (focus->iteration != RESULT_NONE)
        return iteration_value(&v->result->iterations.items[focus->iteration], metric);
    if (is_of_program(metric))
        return program_value(v->result, metric);
    const struct kept *kept = values_at(v, metric, focus->region, focus->path);
    return focus->rank != RESULT_NONE   ? kept->by_rank[focus->rank]
           : focus->node != RESULT_NONE ? sum_on_node(v->result, kept, focus->node)
                                        : kept->total;
}

double property_basis_value(struct property_values *v, enum property_basis basis,
                            const struct result_part *focus)
{
    const struct result *result = v->result;
    uint32_t region = RESULT_NONE, path = RESULT_NONE;
    double sum = 0;
    if (basis == BASIS_phase) {
        for (size_t i = 0; i < result->iterations.n_items; i++)
            sum += (double)result->iterations.items[i].time_ns;
        return sum > 0 ? sum : NAN;
    }
    if (basis == BASIS_enclosing && focus->region != RESULT_NONE &&
        v->around_of[focus->region] < v->around_of[focus->region + 1])
        region = v->around[v->around_of[focus->region]];
    if (basis == BASIS_enclosing && focus->path != RESULT_NONE)
        path = result->paths[focus->path].parent;
    if (region == RESULT_NONE && path == RESULT_NONE && result->total_ns > 0)
        return (double)result->total_ns;
    return values_at(v, METRIC_time, region, path)->total;
}

// ---- what the trace does not have

static void add_need(char **needs, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = *needs; at && (at = strstr(at, name)); at += length)
        if ((at == *needs || at[-1] == ' ') && (at[length] == ',' || !at[length]))
            return;
    text_append(needs, "%s%s", *needs ? ", " : "", name);
}

char *property_needs(const struct result *result, const struct asl_property *property,
                     bool is_of_phase)
{
    bool has_loop = result->iterations.n_items > 1;
    char *needs = NULL;
    for (size_t i = 0; i < property->n_slots; i++) {
        const struct property_slot *slot = &property->slots[i];
        if (slot->kind == SLOT_METRIC && !has(result, slot))
            add_need(&needs, slot->metric_name);
        if (slot->region_name && property_region(result, slot->region_name) == RESULT_NONE) {
            SCOPED char *region = memory_format("the region %s", slot->region_name);
            add_need(&needs, region);
        }
        if (!has_loop && ((slot->kind == SLOT_SET && slot->over == FOCUS_iteration) ||
                          (slot->is_of_basis && is_of_phase)))
            add_need(&needs, "iterations");
    }
    if (!has_loop && property->focus == FOCUS_iteration)
        add_need(&needs, "iterations");
    return needs;
}
