// SPDX-License-Identifier: BSD-3-Clause
// A Cube file as a trial, with call paths, ranks and wait states as recorded runs have them. It is
// written to the database at once, for CSV would repeat a call path for each value of it.
#include "db/profiles/cube.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/store.h"
#include "db/writer.h"

/// Scalasca's names of wait states, and ours; those with a whole are a part of its waits.
static const struct wait_state {
    const char *metric, *name, *title, *whole;
} wait_states[] = {
    {"mpi_latesender", "late-sender", "Late Sender", ""},
    {"mpi_latesender_wo", "late-sender-wrong-order", "Late Sender, messages in wrong order",
     "late-sender"},
    {"mpi_lswo_different", "late-sender-wrong-order-different-source",
     "Late Sender, wrong order, different sources", "late-sender-wrong-order"},
    {"mpi_lswo_same", "late-sender-wrong-order-same-source",
     "Late Sender, wrong order, same source", "late-sender-wrong-order"},
    {"mpi_latereceiver", "late-receiver", "Late Receiver", ""},
    {"mpi_earlyreduce", "early-reduce", "Early Reduce", ""},
    {"mpi_earlyscan", "early-scan", "Early Scan", ""},
    {"mpi_latebroadcast", "late-broadcast", "Late Broadcast", ""},
    {"mpi_wait_nxn", "wait-at-nxn", "Wait at N x N", ""},
    {"mpi_nxn_completion", "nxn-completion", "N x N Completion", ""},
    {"mpi_barrier_wait", "wait-at-barrier", "Wait at Barrier", ""},
    {"mpi_barrier_completion", "barrier-completion", "Barrier Completion", ""},
    {"mpi_finalize_wait", "wait-at-finalize", "Wait at Finalize", ""},
    {"mpi_rma_wait_at_create", "wait-at-window", "Wait at Window Creation", ""},
    {"mpi_rma_wait_at_fence", "wait-at-fence", "Wait at Fence", ""},
    {"mpi_rma_early_wait", "early-wait", "Early Wait", ""},
    {"mpi_rma_late_complete", "late-complete", "Late Complete", "early-wait"},
    {"mpi_rma_late_post", "late-post", "Late Post", ""},
    {"mpi_rma_sync_late_post", "late-post", "Late Post", ""},
    {"mpi_rma_comm_late_post", "late-post", "Late Post", ""},
    {"mpi_rma_sync_lock_competition", "lock-contention", "Lock Contention", ""},
    {"mpi_rma_comm_lock_competition", "lock-contention", "Lock Contention", ""},
};
enum { N_WAIT_STATES = sizeof wait_states / sizeof *wait_states };

static const struct {
    const char *name;
    double ns;
} time_units[] = {
    {"sec", 1e9},  {"s", 1e9},  {"msec", 1e6}, {"ms", 1e6},
    {"usec", 1e3}, {"us", 1e3}, {"nsec", 1},   {"ns", 1},
};
enum { N_TIME_UNITS = sizeof time_units / sizeof *time_units };

struct conversion {
    const struct cube *cube;
    struct writer writer;
    struct writer_resource *codes, *call_paths, *processes; // by region, by node, by rank
    int64_t *foci;                                          // as cells; 0: not needed yet
    struct cube_values values;
    uint64_t n_values;
    struct error *err;
};

static bool is_time(const struct cube_metric *metric)
{
    return !strcasecmp(metric->name, "time") && metric->kind != CUBE_DERIVED;
}

/// Nanoseconds of the metric's unit.
static int read_unit(const struct conversion *c, const struct cube_metric *metric, double *ns)
{
    size_t i = FIND_BY(time_units, N_TIME_UNITS, name, metric->unit);
    if (i == N_TIME_UNITS)
        return error_set(c->err, "%s has %s in \"%s\", which is no known unit of time",
                         c->cube->path, metric->name, metric->unit);
    *ns = time_units[i].ns;
    return 0;
}

/// The values of METRIC alone.
static int read_values(struct conversion *c, const struct cube_metric *metric)
{
    const struct cube *cube = c->cube;
    memset(c->values.cells, 0, cube->n_nodes * cube->n_ranks * sizeof *c->values.cells);
    memset(c->values.by_location, 0, cube->n_locations * sizeof *c->values.by_location);
    c->values.has_any = false;
    return cube_add_values(cube, metric, &c->values, c->err);
}

/// The run time is the longest time of a location.
static int find_run_time(struct conversion *c, uint64_t *run_ns)
{
    double ns = 1, longest = 0;
    for (size_t i = 0; i < c->cube->n_metrics; i++) {
        if (!is_time(&c->cube->metrics[i]))
            continue;
        if (read_unit(c, &c->cube->metrics[i], &ns) || read_values(c, &c->cube->metrics[i]))
            return -1;
        for (size_t k = 0; k < c->cube->n_locations; k++)
            longest = fmax(longest, c->values.by_location[k] * ns);
    }
    *run_ns = longest < 9e18 ? (uint64_t)llround(longest) : INT64_MAX;
    return 0;
}

static int add_resources(struct conversion *c)
{
    const struct cube *cube = c->cube;
    const struct writer_resource code = {ROOT_CODE, (char *)"/Code"};
    const struct writer_resource call_path = {ROOT_CALL_PATH, (char *)"/CallPath"};
    const struct writer_resource process = {ROOT_PROCESS, (char *)"/Process"};
    int status = 0;
    for (size_t i = 0; i < cube->n_regions && status == 0; i++) {
        struct writer_resource module = {0};
        status = writer_resource(&c->writer, &code, cube->regions[i].module, &module, c->err);
        if (status == 0)
            status =
                writer_resource(&c->writer, &module, cube->regions[i].name, &c->codes[i], c->err);
        free(module.path);
    }
    for (size_t i = 0; i < cube->n_nodes && status == 0; i++) {
        const struct cube_node *node = &cube->nodes[i];
        status = writer_resource(
            &c->writer, node->parent == CUBE_NONE ? &call_path : &c->call_paths[node->parent],
            cube->regions[node->region].name, &c->call_paths[i], c->err);
    }
    for (size_t i = 0; i < cube->n_ranks && status == 0; i++)
        status = writer_resource(&c->writer, &process, quantity_number(cube->ranks[i].number).text,
                                 &c->processes[i], c->err);
    return status;
}

/// Adds VALUE to what there is of the metric and the focus.
static int put(struct conversion *c, int64_t metric, int64_t focus, double value)
{
    bool is_whole = value >= 0 && value < 9e18 && value == floor(value);
    c->n_values++;
    if (!isfinite(value))
        return error_set(c->err, "%s has values that are too large", c->cube->path);
    return is_whole ? writer_count(&c->writer, metric, focus, INTERVAL_RUN, (uint64_t)value, c->err)
                    : writer_number(&c->writer, metric, focus, INTERVAL_RUN, value, c->err);
}

/// Puts the values that are not 0, times NS where that is one.
static int put_values(struct conversion *c, const struct writer_metric *metric, double ns)
{
    const struct cube *cube = c->cube;
    int64_t id;
    if (writer_metric_id(&c->writer, metric, &id, c->err))
        return -1;
    for (size_t i = 0; i < cube->n_nodes * cube->n_ranks; i++) {
        double value = ns > 0 ? round(c->values.cells[i] * ns) : c->values.cells[i];
        struct writer_focus focus = writer_whole_program;
        size_t node = i / cube->n_ranks;
        focus.in[ROOT_CODE] = c->codes[cube->nodes[node].region].id;
        focus.in[ROOT_CALL_PATH] = c->call_paths[node].id;
        focus.in[ROOT_PROCESS] = c->processes[i % cube->n_ranks].id;
        if (value != 0 &&
            ((c->foci[i] == 0 && writer_focus_id(&c->writer, &focus, &c->foci[i], c->err)) ||
             put(c, id, c->foci[i], value)))
            return -1;
    }
    return 0;
}

/// Whether a node is within another call of the same function.
static bool is_recursive(const struct conversion *c, size_t node)
{
    const struct cube_node *nodes = c->cube->nodes;
    int64_t code = c->codes[nodes[node].region].id;
    int32_t above = nodes[node].parent;
    while (above != CUBE_NONE && c->codes[nodes[above].region].id != code)
        above = nodes[above].parent;
    return above != CUBE_NONE;
}

/// Puts inclusive times: of call paths, and of functions on all ranks.
static int put_inclusive(struct conversion *c, double ns)
{
    static const struct writer_metric of_path = {"inclusive_ns", "ns", "imported", "processes"};
    static const struct writer_metric of_region = {"region_inclusive_ns", "ns", "imported",
                                                   "nothing"};
    const struct cube *cube = c->cube;
    int64_t id, place;
    if (put_values(c, &of_path, ns) || writer_metric_id(&c->writer, &of_region, &id, c->err))
        return -1;
    for (size_t i = 0; i < cube->n_nodes; i++) {
        struct writer_focus focus = writer_whole_program;
        double sum = 0;
        for (size_t rank = 0; rank < cube->n_ranks; rank++)
            sum += c->values.cells[i * cube->n_ranks + rank];
        focus.in[ROOT_CODE] = c->codes[cube->nodes[i].region].id;
        if (!is_recursive(c, i) && (writer_focus_id(&c->writer, &focus, &place, c->err) ||
                                    put(c, id, place, round(sum * ns))))
            return -1;
    }
    return 0;
}

/// Adds the values of children to those of their parents, or takes them away (SIGN): sums are made
/// from the leaves, differences from the roots, so that children have inclusive values either way.
static void sum_up(struct conversion *c, double sign)
{
    size_t n_ranks = c->cube->n_ranks, n = c->cube->n_nodes;
    for (size_t i = 0; i < n; i++) {
        size_t child = sign > 0 ? n - 1 - i : i;
        int32_t parent = c->cube->nodes[child].parent;
        double *cells = c->values.cells;
        for (size_t rank = 0; rank < n_ranks && parent != CUBE_NONE; rank++)
            cells[(size_t)parent * n_ranks + rank] += sign * cells[child * n_ranks + rank];
    }
}

static int put_metric(struct conversion *c, const struct cube_metric *metric)
{
    size_t wait = FIND_BY(wait_states, N_WAIT_STATES, metric, metric->name);
    bool is_inclusive = metric->kind == CUBE_INCLUSIVE, is_visits = !strcmp(metric->name, "visits");
    bool is_taken = store_has_metric(metric->name) && !is_visits;
    double ns = 0;
    SCOPED char *clean = utf8_clean(metric->name), *unit = utf8_clean(metric->unit);
    SCOPED char *name = is_time(metric) ? memory_copy_text("exclusive_ns")
                        : wait < N_WAIT_STATES
                            ? memory_format("%s.wait_ns", wait_states[wait].name)
                            : memory_format("%s%s", is_taken ? "counter." : "", clean);
    if (read_values(c, metric))
        return -1;
    if (!c->values.has_any)
        return 0;
    if ((is_time(metric) || wait < N_WAIT_STATES) && read_unit(c, metric, &ns))
        return -1;
    if (is_time(metric) && is_inclusive && put_inclusive(c, ns))
        return -1;
    if (is_inclusive)
        sum_up(c, -1);
    const struct writer_metric described = {name,
                                            ns > 0      ? "ns"
                                            : is_visits ? "calls"
                                                        : unit,
                                            "imported", "everything"};
    if (put_values(c, &described, ns))
        return -1;
    if (!is_time(metric) || is_inclusive)
        return 0;
    sum_up(c, 1);
    return put_inclusive(c, ns);
}

/// What ranks there are, and where they ran.
static int add_ranks(struct conversion *c)
{
    const struct writer_resource machine = {ROOT_MACHINE, (char *)"/Machine"};
    const struct cube *cube = c->cube;
    for (size_t i = 0; i < cube->n_ranks; i++) {
        struct writer_resource node = {.id = ROOT_MACHINE};
        SCOPED char *name = utf8_clean(cube->ranks[i].node);
        int status = name[0] ? writer_resource(&c->writer, &machine, name, &node, c->err) : 0;
        free(node.path);
        if (status || database_do(c->writer.database, c->err,
                                  "INSERT INTO trial_rank SELECT id, ?1, ?2, 'MPI Rank ' || ?3, 0, "
                                  "time_ns, 0 FROM trial",
                                  "iin", c->processes[i].id, node.id, cube->ranks[i].number))
            return -1;
    }
    return database_do(c->writer.database, c->err,
                       "INSERT INTO trial_node SELECT trial_id, machine_id, NULL, count(*) FROM "
                       "trial_rank WHERE machine_id <> 3 GROUP BY trial_id, machine_id",
                       "") ||
           database_do(c->writer.database, c->err,
                       "UPDATE trial SET n_ranks = ?1, n_locations = ?2, n_nodes = (SELECT "
                       "count(*) FROM trial_node)",
                       "nn", (uint64_t)cube->n_ranks, (uint64_t)cube->n_threads);
}

// Instances of all wait states, by foci of the columns CALL_PATH, PROCESS and CODE of `waits`.
#define WAITS_SQL                                                                                  \
    "WITH waits AS (SELECT f.*, t.trial_id, p.id AS property_id, t.value, "                        \
    "1.0 * trial.time_ns * trial.n_ranks AS whole_ns FROM tuple t JOIN trial ON trial.id = "       \
    "t.trial_id JOIN metric m ON m.id = metric_id JOIN property p ON m.name = p.name || "          \
    "'.wait_ns' JOIN focus f ON f.id = focus_id) "
#define INSTANCES_SQL(call_path, process, code)                                                    \
    WAITS_SQL "INSERT OR IGNORE INTO focus (call_path_id, process_id, code_id, machine_id, "       \
              "message_id, other_id) SELECT DISTINCT " call_path ", " process ", " code            \
              ", 3, 5, 0 FROM waits w;" WAITS_SQL                                                  \
              "INSERT INTO property_instance SELECT trial_id, property_id, g.id, 0, "              \
              "coalesce(min(1, sum(value) / whole_ns), 0), 1, 0, sum(value) FROM waits w JOIN "    \
              "focus g ON g.call_path_id = " call_path " AND g.process_id = " process              \
              " AND g.code_id = " code " AND g.machine_id = 3 AND g.message_id = 5 AND "           \
              "g.other_id = 0 GROUP BY trial_id, property_id, g.id;"

static int add_wait_states(struct conversion *c)
{
    struct database *database = c->writer.database;
    for (size_t i = 0; i < N_WAIT_STATES; i++) {
        const struct wait_state *state = &wait_states[i];
        if (HAS_BY(c->cube->metrics, c->cube->n_metrics, name, state->metric) &&
            (database_do(database, c->err,
                         "INSERT OR IGNORE INTO property (name, parent, title, summary, diagnosis) "
                         "VALUES (?1, nullif(?2, ''), ?3, '', '')",
                         "ttt", state->name, state->whole, state->title) ||
             database_do(database, c->err,
                         "INSERT OR IGNORE INTO trial_property SELECT ?1, id, 1, parent IS NULL, "
                         "NULL, NULL, NULL, NULL FROM property WHERE name = ?2",
                         "it", c->writer.trial_id, state->name)))
            return -1;
    }
    return database_run(database,
                        INSTANCES_SQL("2", "4", "1")
                            INSTANCES_SQL("w.call_path_id", "4", "w.code_id")
                                INSTANCES_SQL("2", "w.process_id", "1"),
                        c->err);
}

/// Fills the trial that MEMORY has.
static int fill_trial(struct conversion *c, struct database *memory)
{
    const struct cube *cube = c->cube;
    c->writer.database = memory;
    if (database_run(memory, "PRAGMA foreign_keys = OFF; BEGIN", c->err) ||
        database_ask(memory, c->err, "SELECT id FROM trial", ">i", &c->writer.trial_id) < 0 ||
        add_resources(c))
        return -1;
    for (size_t i = 0; i < cube->n_metrics; i++)
        if (put_metric(c, &cube->metrics[i]))
            return -1;
    if (c->n_values == 0)
        return error_set(c->err, "%s has no values", cube->path);
    if (add_ranks(c) || add_wait_states(c) ||
        (cube->creator &&
         database_do(memory, c->err,
                     "INSERT INTO trial_attribute (trial_id, kind, name, value) VALUES (?1, "
                     "'version', 'profile creator', ?2)",
                     "it", c->writer.trial_id, cube->creator)))
        return -1;
    return database_run(memory, "COMMIT", c->err);
}

/// Makes a trial by CSV of the run time.
static int make_trial(const struct cube *cube, const struct import_names *names, uint64_t run_ns,
                      struct database **memory, struct error *err)
{
    SCOPED char *text = memory_format(
        "metric,unit,adds_up_over,focus,value\ntime_ns,ns,nothing,/Code,%" PRIu64 "\n", run_ns);
    SCOPED_FILE FILE *csv = fmemopen(text, strlen(text), "r");
    return import_read_csv(csv, cube->path, names, memory, err);
}

int cube_import(const char *path, const struct import_names *names, struct database **memory,
                struct error *err)
{
    SCOPED_BY(cube_release) struct cube cube = {0};
    struct conversion c = {.cube = &cube, .err = err};
    uint64_t run_ns;
    *memory = NULL;
    if (cube_read(&cube, path, err))
        return -1;
    size_t n_cells = cube.n_nodes * cube.n_ranks;
    c.values.cells = memory_zeroed(n_cells, sizeof *c.values.cells);
    c.values.by_location = memory_zeroed(cube.n_locations, sizeof *c.values.by_location);
    c.foci = memory_zeroed(n_cells, sizeof *c.foci);
    c.codes = memory_zeroed(cube.n_regions, sizeof *c.codes);
    c.call_paths = memory_zeroed(cube.n_nodes, sizeof *c.call_paths);
    c.processes = memory_zeroed(cube.n_ranks, sizeof *c.processes);
    int status = find_run_time(&c, &run_ns) || make_trial(&cube, names, run_ns, memory, err) ||
                         fill_trial(&c, *memory)
                     ? -1
                     : 0;
    FREE_MEMBERS(c.codes, cube.n_regions, path);
    FREE_MEMBERS(c.call_paths, cube.n_nodes, path);
    FREE_MEMBERS(c.processes, cube.n_ranks, path);
    FREE_ALL(c.codes, c.call_paths, c.processes, c.foci, c.values.cells, c.values.by_location);
    if (status) {
        database_close(*memory);
        *memory = NULL;
    }
    return status;
}
