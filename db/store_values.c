// SPDX-License-Identifier: BSD-3-Clause
// From a result's arrays to foci and tuples. Each value is stored once, at the finest focus where
// the result has it; sums over foci are the business of views and queries. Values are appended
// metric by metric in the order of their foci, which is the order of the table.
#include "db/store.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "db/focus.h"
#include "db/writer.h"

enum metric {
    TIME,
    PARALLEL_EFFICIENCY,
    LOAD_BALANCE,
    COMMUNICATION_EFFICIENCY,
    SERIALIZATION_EFFICIENCY,
    TRANSFER_EFFICIENCY,
    CPU_EFFICIENCY,
    USEFUL,
    NO_CPU,
    MPI,
    WAIT,
    NO_CPU_MPI,
    REGION_INCLUSIVE,
    VISITS,
    INCLUSIVE,
    EXCLUSIVE,
    CRITICAL_PATH,
    MESSAGES,
    MESSAGE_BYTES,
    TAG_MESSAGES,
    TAG_BYTES,
    COLLECTIVES,
    NUM_READS,
    NUM_WRITES,
    BYTES_READ,
    BYTES_WRITTEN,
    N_METRICS,
};

static const struct writer_metric metrics[N_METRICS] = {
    [TIME] = {"time_ns", "ns", "run time, first to last event", "nothing"},
    [PARALLEL_EFFICIENCY] = {"parallel_efficiency", "share", "useful time of all ranks in theirs",
                             "nothing"},
    [LOAD_BALANCE] = {"load_balance", "share", "mean over greatest useful time of the ranks",
                      "nothing"},
    [COMMUNICATION_EFFICIENCY] = {"communication_efficiency", "share",
                                  "longest time of a rank outside MPI in the run time", "nothing"},
    [SERIALIZATION_EFFICIENCY] = {"serialization_efficiency", "share",
                                  "communication efficiency with an ideal network", "nothing"},
    [TRANSFER_EFFICIENCY] = {"transfer_efficiency", "share",
                             "run time with an ideal network in the run time", "nothing"},
    [CPU_EFFICIENCY] = {"cpu_efficiency", "share",
                        "greatest useful time in the longest time of a rank outside MPI",
                        "nothing"},
    [USEFUL] = {"useful_ns", "ns", "time outside MPI between Init and Finalize, with CPU time",
                "everything"},
    [NO_CPU] = {"no_cpu_ns", "ns", "time outside MPI between Init and Finalize, without CPU time",
                "everything"},
    [MPI] = {"mpi_ns", "ns", "time inside MPI between Init and Finalize", "everything"},
    [WAIT] = {"wait_ns", "ns", "time waited between Init and Finalize, all wait states",
              "everything"},
    [NO_CPU_MPI] = {"no_cpu_mpi_ns", "ns",
                    "time inside MPI between Init and Finalize, not waiting, without CPU time",
                    "everything"},
    [REGION_INCLUSIVE] = {"region_inclusive_ns", "ns",
                          "time in the region and below, recursive calls counted once", "nothing"},
    [VISITS] = {"visits", "calls", "how often the call path was entered", "everything"},
    [INCLUSIVE] = {"inclusive_ns", "ns", "time in the call path and below", "processes"},
    [EXCLUSIVE] = {"exclusive_ns", "ns", "time in the call path, not below", "everything"},
    [CRITICAL_PATH] = {"critical_path_ns", "ns", "time on the critical path", "everything"},
    [MESSAGES] = {"messages", "messages", "messages from one rank to another", "everything"},
    [MESSAGE_BYTES] = {"message_bytes", "bytes", "bytes from one rank to another", "everything"},
    [TAG_MESSAGES] = {"tag_messages", "messages", "messages of one tag on a communicator",
                      "everything"},
    [TAG_BYTES] = {"tag_bytes", "bytes", "bytes of messages of one tag on a communicator",
                   "everything"},
    [COLLECTIVES] = {"collectives", "operations", "collective operations of a communicator",
                     "everything"},
    [NUM_READS] = {"num_reads", "reads", "reads of files", "everything"},
    [NUM_WRITES] = {"num_writes", "writes", "writes to files", "everything"},
    [BYTES_READ] = {"bytes_read", "bytes", "bytes read from files", "everything"},
    [BYTES_WRITTEN] = {"bytes_written", "bytes", "bytes written to files", "everything"},
};

struct storing {
    struct writer *writer;
    const struct result *result;
    struct writer_resource *codes;      // by region
    struct writer_resource *call_paths; // by path
    struct writer_resource *machines;   // by node
    struct writer_resource *processes;  // by rank
    int64_t metrics[N_METRICS];
    struct error *err;
};

static const struct writer_resource root_code = {ROOT_CODE, (char *)"/Code"};
static const struct writer_resource root_call_path = {ROOT_CALL_PATH, (char *)"/CallPath"};
static const struct writer_resource root_machine = {ROOT_MACHINE, (char *)"/Machine"};
static const struct writer_resource root_process = {ROOT_PROCESS, (char *)"/Process"};

const char *store_module(const struct result_region *region)
{
    const char *file = path_base_name(region->file ? region->file : "");
    return file[0] ? file : region->is_mpi ? "MPI" : "unknown";
}

static int add_codes(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_regions; i++) {
        const struct result_region *region = &s->result->regions[i];
        struct writer_resource module = {0};
        int status = writer_resource(s->writer, &root_code, store_module(region), &module, s->err);
        if (status == 0)
            status = writer_resource(s->writer, &module, region->name, &s->codes[i], s->err);
        free(module.path);
        if (status)
            return -1;
    }
    return 0;
}

static int add_call_paths(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_paths; i++) {
        const struct result_path *path = &s->result->paths[i];
        assert(path->region < s->result->n_regions && "bug: a path without a region");
        assert((path->parent == RESULT_NONE || path->parent < i) && "bug: child before parent");
        const struct writer_resource *parent =
            path->parent == RESULT_NONE ? &root_call_path : &s->call_paths[path->parent];
        if (writer_resource(s->writer, parent, s->result->regions[path->region].name,
                            &s->call_paths[i], s->err))
            return -1;
    }
    return 0;
}

static int add_machines(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_nodes; i++)
        if (writer_resource(s->writer, &root_machine, s->result->nodes[i].name, &s->machines[i],
                            s->err))
            return -1;
    return 0;
}

/// How many ranks each node had, and how many cores they could use.
static int add_nodes(struct storing *s)
{
    static const char sql[] = "INSERT INTO trial_node VALUES (?1, ?2, nullif(?3, 0), ?4) "
                              "ON CONFLICT DO UPDATE SET n_ranks = n_ranks + excluded.n_ranks";
    for (size_t i = 0; i < s->result->n_nodes; i++) {
        const struct result_node *node = &s->result->nodes[i];
        if (database_do(s->writer->database, s->err, sql, "iinn", s->writer->trial_id,
                        s->machines[i].id, (uint64_t)node->n_cores, (uint64_t)node->n_ranks))
            return -1;
    }
    return 0;
}

static int add_processes(struct storing *s)
{
    static const char sql[] = "INSERT INTO trial_rank VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    for (size_t i = 0; i < s->result->n_ranks; i++) {
        const struct result_rank *rank = &s->result->ranks[i];
        char name[24];
        snprintf(name, sizeof name, "%zu", i);
        int64_t machine =
            rank->node < s->result->n_nodes ? s->machines[rank->node].id : ROOT_MACHINE;
        if (writer_resource(s->writer, &root_process, name, &s->processes[i], s->err) ||
            database_do(s->writer->database, s->err, sql, "iiitnnb", s->writer->trial_id,
                        s->processes[i].id, machine, rank->name, rank->first_ns, rank->last_ns,
                        (int)rank->is_skipped))
            return -1;
    }
    return 0;
}

static int add_metrics(struct storing *s)
{
    for (int i = 0; i < N_METRICS; i++)
        if (writer_metric_id(s->writer, &metrics[i], &s->metrics[i], s->err))
            return -1;
    return 0;
}

/// The focus of a region and a rank, or a call path and a rank; RESULT_NONE stands for all of them.
/// The region of a path follows from it.
static int find_focus(struct storing *s, uint32_t path, uint32_t region, uint32_t rank, int64_t *id)
{
    const struct result *result = s->result;
    struct writer_focus focus = writer_whole_program;
    assert((path == RESULT_NONE || path < result->n_paths) && "bug: a path that does not exist");
    if (path != RESULT_NONE) {
        focus.in[ROOT_CALL_PATH] = s->call_paths[path].id;
        region = result->paths[path].region;
    }
    assert((region == RESULT_NONE || region < result->n_regions) && "bug: there is no such region");
    assert((rank == RESULT_NONE || rank < result->n_ranks) && "bug: a rank that does not exist");
    if (region != RESULT_NONE)
        focus.in[ROOT_CODE] = s->codes[region].id;
    if (rank != RESULT_NONE)
        focus.in[ROOT_PROCESS] = s->processes[rank].id;
    return writer_focus_id(s->writer, &focus, id, s->err);
}

/// Adds a value of the whole run.
static int put(struct storing *s, int64_t metric, int64_t focus, uint64_t value)
{
    return writer_count(s->writer, metric, focus, INTERVAL_RUN, value, s->err);
}

static int add_run_values(struct storing *s)
{
    const struct result_efficiency *efficiency = &s->result->efficiency;
    const double shares[] = {
        efficiency->parallel,      efficiency->load_balance,
        efficiency->communication, efficiency->serialization,
        efficiency->transfer,      s->result->has_cpu_time ? efficiency->cpu : NAN};
    if (put(s, s->metrics[TIME], 0, s->result->time_ns))
        return -1;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (writer_number(s->writer, s->metrics[PARALLEL_EFFICIENCY + i], 0, INTERVAL_WINDOW,
                          shares[i], s->err))
            return -1;
    return 0;
}

static int add_rank_values(struct storing *s)
{
    for (uint32_t i = 0; i < s->result->n_ranks; i++) {
        const struct result_rank *rank = &s->result->ranks[i];
        const struct {
            enum metric metric;
            uint64_t ns;
        } values[] = {{USEFUL, rank->useful_ns},
                      {MPI, rank->mpi_ns},
                      {WAIT, rank->wait_ns},
                      {NO_CPU, rank->no_cpu_ns},
                      {NO_CPU_MPI, rank->no_cpu_mpi_ns}};
        size_t n_values = s->result->has_cpu_time ? 5 : 3;
        int64_t focus;
        if (rank->is_skipped)
            continue;
        int status = find_focus(s, RESULT_NONE, RESULT_NONE, i, &focus);
        for (size_t j = 0; j < n_values && status == 0; j++)
            status = writer_count(s->writer, s->metrics[values[j].metric], focus, INTERVAL_WINDOW,
                                  values[j].ns, s->err);
        if (status)
            return -1;
    }
    return 0;
}

static int add_region_values(struct storing *s)
{
    int64_t focus;
    for (uint32_t i = 0; i < s->result->n_regions; i++)
        if (find_focus(s, RESULT_NONE, i, RESULT_NONE, &focus) ||
            put(s, s->metrics[REGION_INCLUSIVE], focus, s->result->regions[i].inclusive_ns))
            return -1;
    return 0;
}

/// A value of a call path on a rank, with its focus.
struct profile_row {
    int64_t focus;
    const struct result_path_rank *value;
};

static int add_profile(struct storing *s)
{
    size_t n = s->result->n_path_ranks;
    SCOPED struct profile_row *rows = memory_zeroed(n, sizeof *rows);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        rows[i].value = &s->result->path_ranks[i];
        status =
            find_focus(s, rows[i].value->path, RESULT_NONE, rows[i].value->rank, &rows[i].focus);
    }
    // New foci ascend already; those of an earlier trial need not.
    SORT_BY(rows, n, LEAST(focus));
    for (enum metric metric = VISITS; metric <= EXCLUSIVE; metric++)
        for (size_t i = 0; i < n && status == 0; i++) {
            const struct result_path_rank *value = rows[i].value;
            uint64_t number = metric == VISITS      ? value->visits
                              : metric == INCLUSIVE ? value->inclusive_ns
                                                    : value->exclusive_ns;
            status = put(s, s->metrics[metric], rows[i].focus, number);
        }
    return status;
}

bool store_has_metric(const char *metric)
{
    size_t i = FIND_BY(metrics, N_METRICS, name, metric);
    return i < N_METRICS && strcmp(metrics[i].adds_up_over, "nothing") != 0;
}

/// The id of METRIC, whose name gets PREFIX if it is TAKEN. 0, or -1 and the error.
static int prefixed_metric_id(struct storing *s, struct writer_metric metric, const char *prefix,
                              bool is_taken, int64_t *id)
{
    char *name = memory_format("%s%s", is_taken ? prefix : "", metric.name);
    metric.name = name;
    int status = writer_metric_id(s->writer, &metric, id, s->err);
    free(name);
    return status;
}

static int add_counters(struct storing *s)
{
    for (size_t c = 0; c < s->result->n_counters; c++) {
        const struct result_counter *counter = &s->result->counters[c];
        const struct writer_metric described = {counter->name, counter->unit, counter->description,
                                                "everything"};
        bool is_taken = HAS_BY(metrics, N_METRICS, name, counter->name) ||
                        strncmp(counter->name, "counter.", 8) == 0;
        int64_t metric, focus;
        if (prefixed_metric_id(s, described, "counter.", is_taken, &metric))
            return -1;
        for (size_t i = 0; i < s->result->n_path_ranks; i++) {
            const struct result_path_rank *at = &s->result->path_ranks[i];
            if (counter->by_path_rank[i] > 0 &&
                (find_focus(s, at->path, RESULT_NONE, at->rank, &focus) ||
                 writer_number(s->writer, metric, focus, INTERVAL_RUN, counter->by_path_rank[i],
                               s->err)))
                return -1;
        }
    }
    return 0;
}

/// The focus of PART, without its iteration.
static int part_focus(struct storing *s, const struct result_part *part, int64_t *id)
{
    struct writer_focus focus = writer_whole_program;
    if (part->region != RESULT_NONE)
        focus.in[ROOT_CODE] = s->codes[part->region].id;
    if (part->path != RESULT_NONE) // its region would be a second restriction
        focus.in[ROOT_CALL_PATH] = s->call_paths[part->path].id;
    if (part->rank != RESULT_NONE)
        focus.in[ROOT_PROCESS] = s->processes[part->rank].id;
    if (part->node != RESULT_NONE)
        focus.in[ROOT_MACHINE] = s->machines[part->node].id;
    return writer_focus_id(s->writer, &focus, id, s->err);
}

/// Metrics that files define: each value at exactly the part of the run it is of, for they need not
/// add up. No focus is an iteration, or a node.
static int add_defined_metrics(struct storing *s)
{
    const struct result *result = s->result;
    for (size_t i = 0; i < result->n_metrics; i++) {
        const struct result_metric *defined = &result->metrics[i];
        const struct writer_metric described = {defined->name, defined->unit, defined->summary,
                                                "nothing"};
        bool is_taken = HAS_BY(metrics, N_METRICS, name, defined->name) ||
                        HAS_BY(result->counters, result->n_counters, name, defined->name);
        int64_t metric, id;
        if (prefixed_metric_id(s, described, "metric.", is_taken, &metric))
            return -1;
        for (size_t k = 0; k < defined->n_values; k++) {
            const struct result_part *in = &defined->values[k].in;
            if (in->iteration == RESULT_NONE && in->node == RESULT_NONE &&
                (part_focus(s, in, &id) || writer_number(s->writer, metric, id, INTERVAL_RUN,
                                                         defined->values[k].value, s->err)))
                return -1;
        }
    }
    return 0;
}

/// What a rank did to all files at a call path, with its focus.
struct file_row {
    int64_t focus;
    struct file_sums sums;
};

/// One row of all that have its focus. Returns the number of rows.
static size_t merge_file_rows(struct file_row *rows, size_t n_rows)
{
    size_t n = 0;
    SORT_BY(rows, n_rows, LEAST(focus));
    for (size_t i = 0; i < n_rows; i++) {
        if (n == 0 || rows[n - 1].focus != rows[i].focus) {
            rows[n++] = rows[i];
            continue;
        }
        rows[n - 1].sums.n_reads += rows[i].sums.n_reads;
        rows[n - 1].sums.n_writes += rows[i].sums.n_writes;
        rows[n - 1].sums.read_bytes += rows[i].sums.read_bytes;
        rows[n - 1].sums.written_bytes += rows[i].sums.written_bytes;
    }
    return n;
}

/// What runs within another operation was asked for by a library, not by the program.
static int add_files(struct storing *s)
{
    size_t n = 0;
    SCOPED struct file_row *rows = memory_zeroed(s->result->n_file_uses, sizeof *rows);
    int status = 0;
    for (size_t i = 0; i < s->result->n_file_uses && status == 0; i++) {
        const struct result_file_use *use = &s->result->file_uses[i];
        if (use->is_inner || use->sums.n_reads + use->sums.n_writes == 0)
            continue;
        rows[n].sums = use->sums;
        status = find_focus(s, use->path, RESULT_NONE, use->rank, &rows[n++].focus);
    }
    n = merge_file_rows(rows, n);
    for (enum metric metric = NUM_READS; metric <= BYTES_WRITTEN; metric++)
        for (size_t i = 0; i < n && status == 0; i++) {
            const struct file_sums *sums = &rows[i].sums;
            uint64_t value = metric == NUM_READS    ? sums->n_reads
                             : metric == NUM_WRITES ? sums->n_writes
                             : metric == BYTES_READ ? sums->read_bytes
                                                    : sums->written_bytes;
            if (value > 0)
                status = put(s, s->metrics[metric], rows[i].focus, value);
        }
    return status;
}

/// Parts of a critical path may be negative (clock correction), so they are no counts.
static int add_critical_path(struct storing *s)
{
    for (size_t i = 0; i < s->result->critical_path.n_by_region_rank; i++) {
        const struct result_path_share *share = &s->result->critical_path.by_region_rank[i];
        int64_t focus;
        if (find_focus(s, RESULT_NONE, share->region, share->rank, &focus) ||
            writer_number(s->writer, s->metrics[CRITICAL_PATH], focus, INTERVAL_RUN,
                          (double)share->time_ns, s->err))
            return -1;
    }
    return 0;
}

/// The focus of the resource at PATH, which is freed, of /Message or /SyncObject.
static int resource_focus(struct storing *s, char *path, int64_t *id)
{
    struct writer_focus focus = writer_whole_program;
    int64_t resource, root;
    int status = writer_path(s->writer, path, &resource, &root, s->err);
    free(path);
    if (status)
        return -1;
    focus.in[root] = resource;
    return writer_focus_id(s->writer, &focus, id, s->err);
}

/// Messages of a pair of ranks are the resource /Message/pair/SENDER/RECEIVER.
static int add_traffic(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_traffic; i++) {
        const struct result_traffic *traffic = &s->result->traffic[i];
        char *path =
            memory_format("/Message/pair/%" PRIu32 "/%" PRIu32, traffic->sender, traffic->receiver);
        int64_t focus;
        if (resource_focus(s, path, &focus) ||
            put(s, s->metrics[MESSAGES], focus, traffic->n_messages) ||
            put(s, s->metrics[MESSAGE_BYTES], focus, traffic->size_bytes))
            return -1;
    }
    return 0;
}

static int collective_focus(struct storing *s, uint32_t communicator, int64_t *id)
{
    const char *name = s->result->communicators[communicator].name;
    return resource_focus(s, focus_path("/SyncObject/Collective", name), id);
}

/// TAG RESULT_NONE: others.
static int tag_focus(struct storing *s, uint32_t communicator, uint32_t tag, int64_t *id)
{
    char name[16] = "(others)";
    if (tag != RESULT_NONE)
        snprintf(name, sizeof name, "%" PRIu32, tag);
    SCOPED char *path =
        focus_path("/SyncObject/Message", s->result->communicators[communicator].name);
    return resource_focus(s, focus_path(path, name), id);
}

/// Collective operations by communicator, and messages by communicator and tag.
static int add_sync_objects(struct storing *s)
{
    const struct result *result = s->result;
    int64_t focus;
    for (size_t i = 0; i < result->n_communicators; i++) {
        const struct result_communicator *communicator = &result->communicators[i];
        if (communicator->n_collectives > 0 &&
            (collective_focus(s, (uint32_t)i, &focus) ||
             put(s, s->metrics[COLLECTIVES], focus, communicator->n_collectives)))
            return -1;
    }
    for (size_t i = 0; i < result->n_tags; i++) {
        const struct result_tag *tag = &result->tags[i];
        if (tag_focus(s, tag->communicator, tag->tag, &focus) ||
            put(s, s->metrics[TAG_MESSAGES], focus, tag->n_messages) ||
            put(s, s->metrics[TAG_BYTES], focus, tag->size_bytes))
            return -1;
    }
    return 0;
}

/// An instance of a pattern; those at the same focus add up. Its severity is the pattern's, shared
/// out by waiting time.
static int add_instance(struct storing *s, const struct result_pattern *pattern, int64_t property,
                        int64_t focus, uint64_t count, uint64_t wait_ns)
{
    double share = pattern->total_ns ? (double)wait_ns / (double)pattern->total_ns : 0;
    return database_do(s->writer->database, s->err,
                       "INSERT INTO property_instance VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
                       "ON CONFLICT DO UPDATE SET severity = severity + excluded.severity, "
                       "count = count + excluded.count, wait_ns = wait_ns + excluded.wait_ns",
                       "iiibddnn", s->writer->trial_id, property, focus, (int)INTERVAL_RUN,
                       pattern->severity * share, pattern->confidence, count, wait_ns);
}

/// Instances of the whole program, of each call path and of each rank that waited.
static int add_instances(struct storing *s, const struct result_pattern *pattern, int64_t property)
{
    int64_t focus;
    if (add_instance(s, pattern, property, 0, pattern->count, pattern->total_ns))
        return -1;
    for (size_t i = 0; i < pattern->n_by_path; i++) {
        const struct result_amount *amount = &pattern->by_path[i];
        if (find_focus(s, amount->key, RESULT_NONE, RESULT_NONE, &focus) ||
            add_instance(s, pattern, property, focus, amount->count, amount->ns))
            return -1;
    }
    for (size_t i = 0; i < pattern->n_by_rank; i++) {
        const struct result_amount *amount = &pattern->by_rank[i];
        if (find_focus(s, RESULT_NONE, RESULT_NONE, amount->key, &focus) ||
            add_instance(s, pattern, property, focus, amount->count, amount->ns))
            return -1;
    }
    return 0;
}

static int pattern_metric_id(struct storing *s, const struct result_pattern *pattern,
                             const char *ending, const char *unit, int64_t *id)
{
    SCOPED char *name = memory_format("%s.%s", pattern->id, ending);
    const struct writer_metric metric = {name, unit, pattern->summary, "everything"};
    return writer_metric_id(s->writer, &metric, id, s->err);
}

/// Tuples "late-sender.count" and ".wait_ns" of each call path on each rank, ".caused_ns" of each
/// rank that others waited for, and ".object_wait_ns" of each tag, or communicator of collectives.
static int add_pattern_values(struct storing *s, const struct result_pattern *pattern)
{
    int64_t count, wait, caused, on_object, focus;
    if (pattern_metric_id(s, pattern, "count", "instances", &count) ||
        pattern_metric_id(s, pattern, "wait_ns", "ns", &wait))
        return -1;
    for (size_t i = 0; i < pattern->n_sums; i++) {
        const struct result_instance_sum *sum = &pattern->sums[i];
        if (find_focus(s, sum->path, RESULT_NONE, sum->rank, &focus) ||
            put(s, count, focus, sum->count) || put(s, wait, focus, sum->ns))
            return -1;
    }
    if (pattern->n_by_cause && pattern_metric_id(s, pattern, "caused_ns", "ns", &caused))
        return -1;
    for (size_t i = 0; i < pattern->n_by_cause; i++) {
        const struct result_amount *amount = &pattern->by_cause[i];
        if (find_focus(s, RESULT_NONE, RESULT_NONE, amount->key, &focus) ||
            put(s, caused, focus, amount->ns))
            return -1;
    }
    if (pattern->n_by_object && pattern_metric_id(s, pattern, "object_wait_ns", "ns", &on_object))
        return -1;
    for (size_t i = 0; i < pattern->n_by_object; i++) {
        const struct result_object_amount *amount = &pattern->by_object[i];
        if ((amount->is_collective ? collective_focus(s, amount->communicator, &focus)
                                   : tag_focus(s, amount->communicator, amount->tag, &focus)) ||
            put(s, on_object, focus, amount->ns))
            return -1;
    }
    return 0;
}

/// The property, and that the run was searched for it, with its longest single wait; without one
/// its columns are NULL.
static int add_property(struct storing *s, const struct result_pattern *pattern, int64_t *id)
{
    struct database *database = s->writer->database;
    bool has_worst = pattern->worst.wait_ns > 0;
    int64_t focus = 0, cause = 0;
    if (has_worst && pattern->worst.cause_rank != RESULT_NONE) {
        assert(pattern->worst.cause_rank < s->result->n_ranks && "bug: there is no such rank");
        cause = s->processes[pattern->worst.cause_rank].id;
    }
    if (database_do(database, s->err,
                    "INSERT INTO property (name, parent, title, summary, diagnosis) "
                    "VALUES (?1, nullif(?2, ''), ?3, ?4, ?5) ON CONFLICT (name) DO UPDATE SET "
                    "parent = excluded.parent, title = excluded.title, "
                    "summary = excluded.summary, diagnosis = excluded.diagnosis",
                    "ttttt", pattern->id, pattern->parent, pattern->name, pattern->summary,
                    pattern->diagnosis) ||
        database_ask(database, s->err, "SELECT id FROM property WHERE name = ?1", "t>i",
                     pattern->id, id) < 0 ||
        (has_worst && find_focus(s, pattern->worst.path, RESULT_NONE, pattern->worst.rank, &focus)))
        return -1;
    return database_do(database, s->err,
                       "INSERT INTO trial_property VALUES (?1, ?2, ?3, ?4, nullif(?5, 0), "
                       "nullif(?6, 0), CASE WHEN ?8 > 0 THEN ?7 END, nullif(?8, 0))",
                       "iibbiinn", s->writer->trial_id, *id, (int)pattern->is_evaluated,
                       (int)pattern->is_top, focus, cause, pattern->worst.time_ns,
                       pattern->worst.wait_ns);
}

static int add_patterns(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_patterns; i++) {
        const struct result_pattern *pattern = &s->result->patterns[i];
        int64_t property;
        if (add_property(s, pattern, &property) ||
            (pattern->count &&
             (add_instances(s, pattern, property) || add_pattern_values(s, pattern))))
            return -1;
    }
    return 0;
}

/// What a search for properties found, then what could not be evaluated.
static int add_search(struct storing *s)
{
    static const char sql[] = "INSERT INTO critical_property VALUES (?1, ?2, ?3, ?4, "
                              "iif(?5 < 0, NULL, ?5), ?6, ?7)";
    const struct result_search *search = s->result->search;
    struct database *database = s->writer->database;
    int64_t trial = s->writer->trial_id, focus;
    if (!search)
        return 0;
    if (database_do(database, s->err, "INSERT INTO property_search VALUES (?1, ?2, ?3, ?4, ?5)",
                    "itbnn", trial, search->hierarchy, (int)search->prunes, search->n_evaluated,
                    search->n_saved))
        return -1;
    for (size_t i = 0; i < search->n_found; i++) {
        const struct result_property *found = &search->found[i];
        uint32_t item = found->in.iteration;
        int64_t iteration =
            item == RESULT_NONE ? -1 : (int64_t)s->result->iterations.items[item].first;
        if (part_focus(s, &found->in, &focus) ||
            database_do(database, s->err, sql, "iitiidd", trial, (int64_t)i, found->name, focus,
                        iteration, found->severity, found->confidence))
            return -1;
    }
    for (size_t i = 0; i < search->n_gaps; i++)
        if (database_do(database, s->err, sql, "iitiidd", trial, (int64_t)(search->n_found + i),
                        search->gaps[i].name, (int64_t)0, (int64_t)-1, NAN, NAN))
            return -1;
    return 0;
}

static void free_resources(struct writer_resource *resources, size_t count)
{
    FREE_MEMBERS(resources, count, path);
    free(resources);
}

int store_values(struct writer *writer, const struct result *result, struct error *err)
{
    struct storing s = {
        .writer = writer,
        .result = result,
        .err = err,
        .codes = memory_zeroed(result->n_regions, sizeof *s.codes),
        .call_paths = memory_zeroed(result->n_paths, sizeof *s.call_paths),
        .machines = memory_zeroed(result->n_nodes, sizeof *s.machines),
        .processes = memory_zeroed(result->n_ranks, sizeof *s.processes),
    };
    static int (*const steps[])(struct storing *) = {
        add_codes,        add_call_paths,      add_machines,    add_nodes,         add_processes,
        add_metrics,      add_run_values,      add_rank_values, add_region_values, add_profile,
        add_counters,     add_defined_metrics, add_files,       add_critical_path, add_traffic,
        add_sync_objects, add_patterns,        add_search,
    };
    int status = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == 0; i++)
        status = steps[i](&s);
    free_resources(s.codes, result->n_regions);
    free_resources(s.call_paths, result->n_paths);
    free_resources(s.machines, result->n_nodes);
    free_resources(s.processes, result->n_ranks);
    return status;
}
