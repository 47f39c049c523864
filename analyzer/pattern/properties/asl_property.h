// SPDX-License-Identifier: BSD-3-Clause
// Properties of a run, patterns/properties/*.asl, in the text form of ASL (APART Specification
// Language: Fahringer, Gerndt, Riley, Traeff, "Knowledge specification for automatic performance
// analysis", 2001; JavaPSL and Aksum have the same parts): when a property holds of a part of the
// run, how sure that is, and how much of a basis it costs. Metrics of the user's stand in the same
// files and have a value instead (Bubak, Funika, Wismueller, "The CrossGrid performance analysis
// tool for interactive Grid applications", 2002). pagoda-patterns(5) has the grammar.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/expression.h"

/// What a property is asked of, by its first parameter: X(name, type in ASL).
#define PROPERTY_FOCI(X)                                                                           \
    X(program, "Experiment") /* no parameter before the experiment */                              \
    X(region, "Region")                                                                            \
    X(call_path, "CallPath")                                                                       \
    X(rank, "Process")                                                                             \
    X(node, "Node")                                                                                \
    X(iteration, "Iteration")

enum property_focus_kind {
#define FOCUS(name, type) FOCUS_##name,
    PROPERTY_FOCI(FOCUS)
#undef FOCUS
        N_PROPERTY_FOCI
};
extern const char *const property_focus_names[N_PROPERTY_FOCI];

/// What is known of parts of the program: of a region or call path, of ranks, of iterations.
enum { BY_PLACE = 1, BY_RANK = 2, BY_ITERATION = 4 };

/// Metrics of profile(...): X(name, what it is known by besides the program). Times are in ns, sums
/// over ranks, of the whole run and including what is called. Wait states are metrics, too: their
/// ids with underscores (late_sender). So are counters of the archive: profile(...)."NAME".
#define PROPERTY_METRICS(X)                                                                        \
    X(time, BY_PLACE | BY_RANK | BY_ITERATION) /* program and rank: the run time, of each rank */  \
    X(exclusive_time, BY_PLACE | BY_RANK)                                                          \
    X(visits, BY_PLACE | BY_RANK)                                                                  \
    X(computing_time,                                                                              \
      BY_PLACE | BY_RANK | BY_ITERATION) /* of masters outside MPI, with CPU time */               \
    X(no_cpu_time, BY_PLACE | BY_RANK | BY_ITERATION)                                              \
    X(mpi_time, BY_PLACE | BY_RANK | BY_ITERATION)  /* without start_end_time */                   \
    X(wait_time, BY_PLACE | BY_RANK | BY_ITERATION) /* all wait states */                          \
    X(start_end_time, BY_PLACE | BY_RANK)           /* in MPI calls of a class */                  \
    X(point_to_point_time, BY_PLACE | BY_RANK)                                                     \
    X(collective_time, BY_PLACE | BY_RANK)                                                         \
    X(rma_time, BY_PLACE | BY_RANK)                                                                \
    X(rma_synchronisation_time, BY_PLACE | BY_RANK)                                                \
    X(io_time, BY_PLACE | BY_RANK)                                                                 \
    X(management_time, BY_PLACE | BY_RANK)                                                         \
    X(mpi_calls, BY_PLACE | BY_RANK)                                                               \
    X(num_reads, BY_PLACE | BY_RANK)                                                               \
    X(bytes_read, BY_PLACE | BY_RANK)                                                              \
    X(num_writes, BY_PLACE | BY_RANK)                                                              \
    X(bytes_written, BY_PLACE | BY_RANK)                                                           \
    X(messages, BY_RANK) /* sent */                                                                \
    X(bytes, BY_RANK)    /* in them */                                                             \
    X(collectives, 0)    /* operations */                                                          \
    X(critical_path_time, BY_RANK)                                                                 \
    X(ranks, 0)                                                                                    \
    X(parallel_efficiency, 0) /* of the judged part */                                             \
    X(load_balance, 0)                                                                             \
    X(communication_efficiency, 0)                                                                 \
    X(serialization_efficiency, 0)                                                                 \
    X(transfer_efficiency, 0)                                                                      \
    X(cpu_efficiency, 0)                                                                           \
    X(hybrid_efficiency, 0) /* of processes and threads */                                         \
    X(thread_efficiency, 0)                                                                        \
    X(thread_load_balance, 0)                                                                      \
    X(threads, 0)                                                                                  \
    X(thread_time, 0) /* of all threads in the judged part; of that: */                            \
    X(thread_barrier, BY_PLACE | BY_RANK)                                                          \
    X(thread_implicit_barrier, BY_PLACE | BY_RANK)                                                 \
    X(thread_lock, BY_PLACE | BY_RANK)                                                             \
    X(thread_condition, BY_PLACE | BY_RANK)                                                        \
    X(thread_task, BY_PLACE | BY_RANK)                                                             \
    X(thread_runtime, BY_PLACE | BY_RANK)                                                          \
    X(thread_idle_serial, BY_PLACE | BY_RANK)                                                      \
    X(thread_idle_mpi, BY_PLACE | BY_RANK)                                                         \
    X(thread_idle_limited, BY_PLACE | BY_RANK)

enum property_metric {
#define METRIC(name, by) METRIC_##name,
    PROPERTY_METRICS(METRIC)
#undef METRIC
        N_PROPERTY_METRICS,
    METRIC_WAIT_STATE = N_PROPERTY_METRICS,
    METRIC_COUNTER // of the archive
};
extern const char *const property_metric_names[N_PROPERTY_METRICS];

/// What METRIC is known by besides the program, wait states and counters included.
unsigned property_metric_known_by(unsigned metric);

/// Operations on the values of a set: any and all of conditions.
#define PROPERTY_OPERATIONS(X) X(min) X(max) X(mean) X(sum) X(any) X(all)
enum property_operation {
#define OPERATION(name) SET_##name,
    PROPERTY_OPERATIONS(OPERATION)
#undef OPERATION
        N_PROPERTY_OPERATIONS
};

enum property_slot_kind { SLOT_NUMBER, SLOT_METRIC, SLOT_LET, SLOT_SET };
enum { SLOT_NONE = EXPRESSION_SLOTS };

/// A value that the expressions of a property use; each needs only those before it.
struct property_slot {
    enum property_slot_kind kind;
    char *name;                    // in expressions
    uint32_t set;                  // the SLOT_SET of whose elements it is, or SLOT_NONE
    bool is_parameter;             // a number that a hierarchy may set
    double number;                 // of SLOT_NUMBER
    unsigned metric;               // of SLOT_METRIC, METRIC_WAIT_STATE and METRIC_COUNTER included
    char *metric_name;             // as in the file
    bool is_of_focus, is_of_basis; // else of the program
    char *region_name;             // of this region; NULL: of any
    struct expression value;       // of SLOT_LET, and of an element of SLOT_SET
    enum property_operation operation;
    enum property_focus_kind over; // call_path (those below the focus), rank, ...
};

struct asl_property {
    char *name, *summary; // the comment before it, "" without
    char *text;           // as written
    char *file;
    uint32_t line;
    enum property_focus_kind focus;
    struct property_slot slots[EXPRESSION_SLOTS];
    size_t n_slots;
    struct expression condition, confidence, severity;
    char *unit;              // of a metric; NULL: of a property
    struct expression value; // of a metric
    bool is_shipped;
};

/// A number with a name that files share: const float SMALL_IO_THRESHOLD = 4096;
struct property_constant {
    char *name;
    double value;
};

/// All that was read; the last definition of a name counts.
struct property_list {
    struct asl_property *items;
    size_t n;
    struct property_constant *constants;
    size_t n_constants;
};

bool property_file_is_asl(const char *path);

/// Reads the constants of a file, then, once those of all files are there, its properties, with
/// the N ids WAIT_STATES. 0, or -1 and ERR ("FILE:LINE: ...").
int property_constants_read(struct property_list *list, const char *path, struct error *err);
int property_asl_read(struct property_list *list, const char *path, const char *const *wait_states,
                      size_t n, struct error *err);

/// The property NAME, or NULL.
const struct asl_property *property_find(const struct property_list *list, const char *name);
/// The slot of the parameter NAME, or SLOT_NONE.
uint32_t property_parameter(const struct asl_property *property, const char *name);

void property_list_release(struct property_list *list);

// --- asl_expression.c
// Expressions of properties: those of all conditions (pagoda-conditions(7)), with profile(),
// duration() and operations on sets.

/// What an expression may name besides the slots of its property.
struct asl_scope {
    const struct property_list *list; // for its constants
    const char *const *wait_states;   // ids
    size_t n_wait_states;
    char *experiment, *focus, *basis; // parameters of the property, or NULL
};

/// Adds SLOT, which the property owns then. False and ERR: the name is taken, or too many.
bool asl_add_slot(struct asl_property *property, const struct property_slot *slot,
                  struct error *err);

/// Compiles TEXT, which is changed; adds the slots it needs. 0, or -1 and ERR.
int asl_compile(struct asl_property *property, const struct asl_scope *scope, char *text,
                struct expression *value, struct error *err);
