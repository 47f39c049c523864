// SPDX-License-Identifier: BSD-3-Clause
// From a result's arrays to foci and tuples. Each value is stored once, at the finest focus where
// the result has it; sums over foci are the business of views and queries. Values are appended
// metric by metric in the order of their foci, which is the order of the table.
#include "db/store.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/schema.h"
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
};

/// The result's things as resources, by the result's indices.
struct places {
    struct writer_resource *codes;      // by region
    struct writer_resource *call_paths; // by path
    struct writer_resource *machines;   // by node
    struct writer_resource *processes;  // by rank
    int64_t metrics[N_METRICS];
};

struct storing {
    struct writer *writer;
    const struct result *result;
    struct places places;
    int64_t *path_rank_foci;   // by index in result->path_ranks
    uint32_t *path_rank_order; // indices of path_ranks by ascending focus
    struct error *err;
};

static const struct writer_resource root_code = {ROOT_CODE, (char *)"/Code"};
static const struct writer_resource root_call_path = {ROOT_CALL_PATH, (char *)"/CallPath"};
static const struct writer_resource root_machine = {ROOT_MACHINE, (char *)"/Machine"};
static const struct writer_resource root_process = {ROOT_PROCESS, (char *)"/Process"};
static const struct writer_resource root_message = {ROOT_MESSAGE, (char *)"/Message"};

/// The module of a region: its file without the directory, so that runs of different checkouts
/// compare.
static const char *module_of(const struct result_region *region)
{
    const char *file = region->file ? region->file : "";
    const char *slash = strrchr(file, '/');
    if (slash && slash[1])
        file = slash + 1;
    return file[0] ? file : region->is_mpi ? "MPI" : "unknown";
}

static int add_codes(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_regions; i++) {
        const struct result_region *region = &s->result->regions[i];
        struct writer_resource module = {0};
        int status = writer_resource(s->writer, &root_code, module_of(region), &module, s->err);
        if (status == 0)
            status = writer_resource(s->writer, &module, region->name, &s->places.codes[i], s->err);
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
            path->parent == RESULT_NONE ? &root_call_path : &s->places.call_paths[path->parent];
        if (writer_resource(s->writer, parent, s->result->regions[path->region].name,
                            &s->places.call_paths[i], s->err))
            return -1;
    }
    return 0;
}

static int add_machines(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_nodes; i++)
        if (writer_resource(s->writer, &root_machine, s->result->nodes[i].name,
                            &s->places.machines[i], s->err))
            return -1;
    return 0;
}

/// How many ranks each node had, and how many cores they could use.
static int add_nodes(struct storing *s)
{
    struct database *database = s->writer->database;
    sqlite3_stmt *add;
    if (database_prepare(database, &add,
                         "INSERT INTO trial_node VALUES (?1, ?2, nullif(?3, 0), ?4) "
                         "ON CONFLICT DO UPDATE SET n_ranks = n_ranks + excluded.n_ranks",
                         s->err))
        return -1;
    int status = 0;
    for (size_t i = 0; i < s->result->n_nodes && status == 0; i++) {
        const struct result_node *node = &s->result->nodes[i];
        sqlite3_bind_int64(add, 1, s->writer->trial_id);
        sqlite3_bind_int64(add, 2, s->places.machines[i].id);
        sqlite3_bind_int64(add, 3, node->n_cores);
        sqlite3_bind_int64(add, 4, node->n_ranks);
        status = database_execute(database, add, s->err);
    }
    sqlite3_finalize(add);
    return status;
}

static int add_processes(struct storing *s)
{
    struct database *database = s->writer->database;
    sqlite3_stmt *add;
    if (database_prepare(database, &add,
                         "INSERT INTO trial_rank VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", s->err))
        return -1;
    int status = 0;
    for (size_t i = 0; i < s->result->n_ranks && status == 0; i++) {
        const struct result_rank *rank = &s->result->ranks[i];
        char name[24];
        snprintf(name, sizeof name, "%zu", i);
        status = writer_resource(s->writer, &root_process, name, &s->places.processes[i], s->err);
        if (status)
            break;
        sqlite3_bind_int64(add, 1, s->writer->trial_id);
        sqlite3_bind_int64(add, 2, s->places.processes[i].id);
        sqlite3_bind_int64(add, 3,
                           rank->node < s->result->n_nodes ? s->places.machines[rank->node].id
                                                           : ROOT_MACHINE);
        writer_bind_text(add, 4, rank->name);
        writer_bind_count(add, 5, rank->first_ns);
        writer_bind_count(add, 6, rank->last_ns);
        sqlite3_bind_int(add, 7, rank->is_skipped);
        status = database_execute(database, add, s->err);
    }
    sqlite3_finalize(add);
    return status;
}

static int add_metrics(struct storing *s)
{
    for (int i = 0; i < N_METRICS; i++)
        if (writer_metric_id(s->writer, &metrics[i], &s->places.metrics[i], s->err))
            return -1;
    return 0;
}

static int64_t process_of(const struct storing *s, uint32_t rank)
{
    assert(rank < s->result->n_ranks && "bug: a rank that does not exist");
    return s->places.processes[rank].id;
}

/// The focus of a call path, on one rank or (RESULT_NONE) on all.
static int path_focus(struct storing *s, uint32_t path, uint32_t rank, int64_t *id)
{
    assert(path < s->result->n_paths && "bug: a path that does not exist");
    struct writer_focus focus = writer_whole_program;
    focus.call_path = s->places.call_paths[path].id;
    focus.code = s->places.codes[s->result->paths[path].region].id;
    if (rank != RESULT_NONE)
        focus.process = process_of(s, rank);
    return writer_focus_id(s->writer, &focus, id, s->err);
}

static int rank_focus(struct storing *s, uint32_t rank, int64_t *id)
{
    struct writer_focus focus = writer_whole_program;
    focus.process = process_of(s, rank);
    return writer_focus_id(s->writer, &focus, id, s->err);
}

static int add_run_values(struct storing *s)
{
    const struct result_efficiency *efficiency = &s->result->efficiency;
    const double shares[] = {
        efficiency->parallel,      efficiency->load_balance,
        efficiency->communication, efficiency->serialization,
        efficiency->transfer,      s->result->has_cpu_time ? efficiency->cpu : NAN};
    if (writer_count(s->writer, s->places.metrics[TIME], 0, INTERVAL_RUN, s->result->time_ns,
                     s->err))
        return -1;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (writer_number(s->writer, s->places.metrics[PARALLEL_EFFICIENCY + i], 0, INTERVAL_WINDOW,
                          shares[i], s->err))
            return -1;
    return 0;
}

static int add_rank_values(struct storing *s)
{
    const int64_t *metric = s->places.metrics;
    for (uint32_t i = 0; i < s->result->n_ranks; i++) {
        const struct result_rank *rank = &s->result->ranks[i];
        int64_t focus;
        if (rank->is_skipped)
            continue;
        if (rank_focus(s, i, &focus) ||
            writer_count(s->writer, metric[USEFUL], focus, INTERVAL_WINDOW, rank->useful_ns,
                         s->err) ||
            writer_count(s->writer, metric[MPI], focus, INTERVAL_WINDOW, rank->mpi_ns, s->err) ||
            writer_count(s->writer, metric[WAIT], focus, INTERVAL_WINDOW, rank->wait_ns, s->err))
            return -1;
        if (s->result->has_cpu_time && (writer_count(s->writer, metric[NO_CPU], focus,
                                                     INTERVAL_WINDOW, rank->no_cpu_ns, s->err) ||
                                        writer_count(s->writer, metric[NO_CPU_MPI], focus,
                                                     INTERVAL_WINDOW, rank->no_cpu_mpi_ns, s->err)))
            return -1;
    }
    return 0;
}

static int add_region_values(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_regions; i++) {
        struct writer_focus focus = writer_whole_program;
        focus.code = s->places.codes[i].id;
        int64_t id;
        if (writer_focus_id(s->writer, &focus, &id, s->err) ||
            writer_count(s->writer, s->places.metrics[REGION_INCLUSIVE], id, INTERVAL_RUN,
                         s->result->regions[i].inclusive_ns, s->err))
            return -1;
    }
    return 0;
}

static int compare_foci(const void *a, const void *b, void *foci)
{
    int64_t focus_a = ((const int64_t *)foci)[*(const uint32_t *)a];
    int64_t focus_b = ((const int64_t *)foci)[*(const uint32_t *)b];
    return (focus_a > focus_b) - (focus_a < focus_b);
}

static int find_path_rank_foci(struct storing *s)
{
    size_t count = s->result->n_path_ranks;
    s->path_rank_foci = memory_zeroed(count, sizeof *s->path_rank_foci);
    s->path_rank_order = memory_zeroed(count, sizeof *s->path_rank_order);
    for (size_t i = 0; i < count; i++) {
        const struct result_path_rank *value = &s->result->path_ranks[i];
        if (path_focus(s, value->path, value->rank, &s->path_rank_foci[i]))
            return -1;
        s->path_rank_order[i] = (uint32_t)i;
    }
    // New foci are in order already; those of an earlier trial can be in another one.
    qsort_r(s->path_rank_order, count, sizeof *s->path_rank_order, compare_foci, s->path_rank_foci);
    return 0;
}

static int add_profile(struct storing *s)
{
    if (find_path_rank_foci(s))
        return -1;
    for (enum metric metric = VISITS; metric <= EXCLUSIVE; metric++) {
        for (size_t i = 0; i < s->result->n_path_ranks; i++) {
            uint32_t index = s->path_rank_order[i];
            const struct result_path_rank *value = &s->result->path_ranks[index];
            uint64_t number = metric == VISITS      ? value->visits
                              : metric == INCLUSIVE ? value->inclusive_ns
                                                    : value->exclusive_ns;
            if (writer_count(s->writer, s->places.metrics[metric], s->path_rank_foci[index],
                             INTERVAL_RUN, number, s->err))
                return -1;
        }
    }
    return 0;
}

/// Parts of a critical path may be negative (clock correction), so they are no counts.
static int add_critical_path(struct storing *s)
{
    for (size_t i = 0; i < s->result->critical_path.n_by_region_rank; i++) {
        const struct result_path_share *share = &s->result->critical_path.by_region_rank[i];
        struct writer_focus focus = writer_whole_program;
        if (share->region != RESULT_NONE) {
            assert(share->region < s->result->n_regions && "bug: a region that does not exist");
            focus.code = s->places.codes[share->region].id;
        }
        if (share->rank != RESULT_NONE)
            focus.process = process_of(s, share->rank);
        int64_t id;
        if (writer_focus_id(s->writer, &focus, &id, s->err) ||
            writer_number(s->writer, s->places.metrics[CRITICAL_PATH], id, INTERVAL_RUN,
                          (double)share->time_ns, s->err))
            return -1;
    }
    return 0;
}

/// Messages of a pair of ranks are the resource /Message/pair/SENDER/RECEIVER.
static int pair_focus(struct storing *s, const struct result_traffic *traffic, int64_t *id)
{
    uint32_t numbers[] = {traffic->sender, traffic->receiver};
    struct writer_resource level = {0};
    if (writer_resource(s->writer, &root_message, "pair", &level, s->err))
        return -1;
    for (int i = 0; i < 2; i++) {
        char name[16];
        struct writer_resource next = {0};
        snprintf(name, sizeof name, "%" PRIu32, numbers[i]);
        int status = writer_resource(s->writer, &level, name, &next, s->err);
        free(level.path);
        level = next;
        if (status)
            return -1;
    }
    free(level.path);
    struct writer_focus focus = writer_whole_program;
    focus.message = level.id;
    return writer_focus_id(s->writer, &focus, id, s->err);
}

static int add_traffic(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_traffic; i++) {
        const struct result_traffic *traffic = &s->result->traffic[i];
        int64_t focus;
        if (pair_focus(s, traffic, &focus) ||
            writer_count(s->writer, s->places.metrics[MESSAGES], focus, INTERVAL_RUN,
                         traffic->n_messages, s->err) ||
            writer_count(s->writer, s->places.metrics[MESSAGE_BYTES], focus, INTERVAL_RUN,
                         traffic->size_bytes, s->err))
            return -1;
    }
    return 0;
}

/// Below PARENT, which is released, the resource NAME; its focus too, unless ID is NULL.
static int go_below(struct storing *s, struct writer_resource *parent, const char *name,
                    int64_t *id)
{
    struct writer_resource next = {0};
    int status = writer_resource(s->writer, parent, name, &next, s->err);
    free(parent->path);
    *parent = next;
    struct writer_focus focus = writer_whole_program;
    focus.other = next.id;
    return status || !id ? status : writer_focus_id(s->writer, &focus, id, s->err);
}

/// The focus of /SyncObject/KIND/COMMUNICATOR, or of its part TAG.
static int sync_focus(struct storing *s, const char *kind, const char *communicator,
                      const char *tag, int64_t *id)
{
    struct writer_resource level = {.id = ROOT_OTHER, .path = memory_copy_text("")};
    int status = go_below(s, &level, "SyncObject", NULL) || go_below(s, &level, kind, NULL) ||
                         go_below(s, &level, communicator, tag ? NULL : id) ||
                         (tag && go_below(s, &level, tag, id))
                     ? -1
                     : 0;
    free(level.path);
    return status;
}

/// Collective operations by communicator, and messages by communicator and tag.
static int add_sync_objects(struct storing *s)
{
    const struct result *result = s->result;
    for (size_t i = 0; i < result->n_communicators; i++) {
        const struct result_communicator *communicator = &result->communicators[i];
        int64_t focus;
        if (communicator->n_collectives > 0 &&
            (sync_focus(s, "Collective", communicator->name, NULL, &focus) ||
             writer_count(s->writer, s->places.metrics[COLLECTIVES], focus, INTERVAL_RUN,
                          communicator->n_collectives, s->err)))
            return -1;
    }
    for (size_t i = 0; i < result->n_tags; i++) {
        const struct result_tag *tag = &result->tags[i];
        char name[16] = "(others)";
        int64_t focus;
        if (tag->tag != RESULT_NONE)
            snprintf(name, sizeof name, "%" PRIu32, tag->tag);
        if (sync_focus(s, "Message", result->communicators[tag->communicator].name, name, &focus) ||
            writer_count(s->writer, s->places.metrics[TAG_MESSAGES], focus, INTERVAL_RUN,
                         tag->n_messages, s->err) ||
            writer_count(s->writer, s->places.metrics[TAG_BYTES], focus, INTERVAL_RUN,
                         tag->size_bytes, s->err))
            return -1;
    }
    return 0;
}

/// The waits of one pattern while they are stored.
struct pattern_storing {
    struct storing *s;
    const struct result_pattern *pattern;
    int64_t property;
};

/// Severity is the pattern's, shared out by waiting time.
static int add_instance(const struct pattern_storing *p, int64_t focus, uint64_t count, uint64_t ns)
{
    const struct result_pattern *pattern = p->pattern;
    double share = pattern->total_ns ? (double)ns / (double)pattern->total_ns : 0;
    const struct writer_instance instance = {.property = p->property,
                                             .focus = focus,
                                             .severity = pattern->severity * share,
                                             .confidence = pattern->confidence,
                                             .count = count,
                                             .wait_ns = ns};
    return writer_instance(p->s->writer, &instance, p->s->err);
}

/// Instances of the whole program, of each call path and of each rank that waited.
static int add_instances(const struct pattern_storing *p)
{
    const struct result_pattern *pattern = p->pattern;
    int64_t focus;
    if (add_instance(p, 0, pattern->count, pattern->total_ns))
        return -1;
    for (size_t i = 0; i < pattern->n_by_path; i++) {
        const struct result_amount *amount = &pattern->by_path[i];
        if (path_focus(p->s, amount->key, RESULT_NONE, &focus) ||
            add_instance(p, focus, amount->count, amount->ns))
            return -1;
    }
    for (size_t i = 0; i < pattern->n_by_rank; i++) {
        const struct result_amount *amount = &pattern->by_rank[i];
        if (rank_focus(p->s, amount->key, &focus) ||
            add_instance(p, focus, amount->count, amount->ns))
            return -1;
    }
    return 0;
}

static int pattern_metric_id(const struct pattern_storing *p, const char *ending, const char *unit,
                             int64_t *id)
{
    char *name = memory_format("%s.%s", p->pattern->id, ending);
    const struct writer_metric metric = {.name = name,
                                         .unit = unit,
                                         .description = p->pattern->summary,
                                         .adds_up_over = "everything"};
    int status = writer_metric_id(p->s->writer, &metric, id, p->s->err);
    free(name);
    return status;
}

/// Tuples of each call path on each rank: metrics "late-sender.count" and "late-sender.wait_ns".
static int add_pattern_sums(const struct pattern_storing *p)
{
    int64_t count, wait;
    if (pattern_metric_id(p, "count", "instances", &count) ||
        pattern_metric_id(p, "wait_ns", "ns", &wait))
        return -1;
    for (size_t i = 0; i < p->pattern->n_sums; i++) {
        const struct result_instance_sum *sum = &p->pattern->sums[i];
        int64_t focus;
        if (path_focus(p->s, sum->path, sum->rank, &focus) ||
            writer_count(p->s->writer, count, focus, INTERVAL_RUN, sum->count, p->s->err) ||
            writer_count(p->s->writer, wait, focus, INTERVAL_RUN, sum->ns, p->s->err))
            return -1;
    }
    return 0;
}

/// Tuples of each rank that others waited for: the metric "late-sender.caused_ns".
static int add_pattern_causes(const struct pattern_storing *p)
{
    int64_t caused;
    if (p->pattern->n_by_cause && pattern_metric_id(p, "caused_ns", "ns", &caused))
        return -1;
    for (size_t i = 0; i < p->pattern->n_by_cause; i++) {
        const struct result_amount *amount = &p->pattern->by_cause[i];
        int64_t focus;
        if (rank_focus(p->s, amount->key, &focus) ||
            writer_count(p->s->writer, caused, focus, INTERVAL_RUN, amount->ns, p->s->err))
            return -1;
    }
    return 0;
}

/// That the pattern was looked for, and its longest single wait.
static int add_evaluation(const struct pattern_storing *p)
{
    struct database *database = p->s->writer->database;
    int64_t focus = 0;
    bool has_worst = p->pattern->worst.wait_ns > 0;
    if (has_worst && path_focus(p->s, p->pattern->worst.path, p->pattern->worst.rank, &focus))
        return -1;
    sqlite3_stmt *add;
    if (database_prepare(database, &add,
                         "INSERT INTO trial_property VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                         p->s->err))
        return -1;
    sqlite3_bind_int64(add, 1, p->s->writer->trial_id);
    sqlite3_bind_int64(add, 2, p->property);
    sqlite3_bind_int(add, 3, p->pattern->is_evaluated);
    sqlite3_bind_int(add, 4, p->pattern->is_top);
    if (has_worst) { // else they stay NULL
        sqlite3_bind_int64(add, 5, focus);
        if (p->pattern->worst.cause_rank != RESULT_NONE)
            sqlite3_bind_int64(add, 6, process_of(p->s, p->pattern->worst.cause_rank));
        writer_bind_count(add, 7, p->pattern->worst.time_ns);
        writer_bind_count(add, 8, p->pattern->worst.wait_ns);
    }
    int status = database_execute(database, add, p->s->err);
    sqlite3_finalize(add);
    return status;
}

static int add_patterns(struct storing *s)
{
    for (size_t i = 0; i < s->result->n_patterns; i++) {
        const struct result_pattern *pattern = &s->result->patterns[i];
        struct pattern_storing p = {.s = s, .pattern = pattern};
        const char *const texts[] = {pattern->id, pattern->parent, pattern->name, pattern->summary,
                                     pattern->diagnosis};
        if (writer_property_id(s->writer, texts, &p.property, s->err) || add_evaluation(&p))
            return -1;
        if (pattern->count && (add_instances(&p) || add_pattern_sums(&p) || add_pattern_causes(&p)))
            return -1;
    }
    return 0;
}

static void free_resources(struct writer_resource *resources, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(resources[i].path);
    free(resources);
}

int store_values(struct writer *writer, const struct result *result, struct error *err)
{
    struct storing s = {.writer = writer, .result = result, .err = err};
    s.places.codes = memory_zeroed(result->n_regions, sizeof *s.places.codes);
    s.places.call_paths = memory_zeroed(result->n_paths, sizeof *s.places.call_paths);
    s.places.machines = memory_zeroed(result->n_nodes, sizeof *s.places.machines);
    s.places.processes = memory_zeroed(result->n_ranks, sizeof *s.places.processes);
    static int (*const steps[])(struct storing *) = {
        add_codes,         add_call_paths, add_machines,     add_nodes,         add_processes,
        add_metrics,       add_run_values, add_rank_values,  add_region_values, add_profile,
        add_critical_path, add_traffic,    add_sync_objects, add_patterns,
    };
    int status = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == 0; i++)
        status = steps[i](&s);
    free(s.path_rank_foci);
    free(s.path_rank_order);
    free_resources(s.places.codes, result->n_regions);
    free_resources(s.places.call_paths, result->n_paths);
    free_resources(s.places.machines, result->n_nodes);
    free_resources(s.places.processes, result->n_ranks);
    return status;
}
