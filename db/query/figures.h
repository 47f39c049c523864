// SPDX-License-Identifier: BSD-3-Clause
// The figures by which stored runs are compared: size, run time, efficiencies, and where the time
// went.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

struct trial_time {
    char *name; // application/experiment/name
    char *origin;
    uint64_t time_ns, n_ranks;
};

/// 0 (TIME is to be released), or -1 and ERR.
int trial_time_read(struct database *database, int64_t trial, struct trial_time *time,
                    struct error *err);
void trial_time_release(struct trial_time *time);

typedef void trial_part_adder(void *user, const char *call_path, const char *process,
                              const char *wait_state, int64_t value_ns);

/// Calls ADD with the time of each call path and process of a trial, cut into waits by their wait
/// state and the rest (WAIT_STATE ""), which comes in several parts that may be negative. Paths are
/// escaped as in focus.h. 0, or -1 and ERR.
int trial_time_parts(struct database *database, int64_t trial, trial_part_adder *add, void *user,
                     struct error *err);

typedef void trial_region_adder(void *user, const char *region, const char *wait_state,
                                int64_t value_ns);

/// Calls ADD with the time of each region of a trial (its path, escaped as in focus.h), all ranks
/// together, divided likewise, each part once. None is below 0; the parts sum to the time of all
/// ranks, or more where corrected clocks made waits longer than their calls. 0, or -1 and ERR.
int trial_region_times(struct database *database, int64_t trial, trial_region_adder *add,
                       void *user, struct error *err);
/// The same by call path instead of region.
int trial_call_path_times(struct database *database, int64_t trial, trial_region_adder *add,
                          void *user, struct error *err);

/// A call path on a rank.
struct trial_profile_row {
    char *function, *file, *call_path;
    uint64_t rank, visits, inclusive_ns, exclusive_ns;
};
#define TRIAL_PROFILE_LETTERS "tccnnnn"

/// All call paths of a trial on each rank, without those that end in MPI, as rows
/// (database_rows()). NULL and ERR.
struct trial_profile_row *trial_profile(struct database *database, int64_t trial, size_t *n,
                                        struct error *err);

/// The paths of all resources of a trial but the hierarchies' roots: rows of the letter c. NULL and
/// ERR.
char **trial_resources(struct database *database, int64_t trial, size_t *n, struct error *err);

struct trial_value {
    char *metric, *unit;
    char *focus; // in resource normal form; the whole program: ""
    double value;
};
#define TRIAL_VALUE_LETTERS "cccd"

/// All values of a trial, as rows. NULL and ERR.
struct trial_value *trial_values(struct database *database, int64_t trial, size_t *n,
                                 struct error *err);

struct trial_parameter {
    char *name, *value;
    char *role; // "problem" or "machine": the parameter is the size of it; else ""
};

struct trial_efficiency {
    int64_t id;
    char *application, *experiment, *name, *origin;
    uint64_t n_ranks, n_nodes;
    uint64_t time_ns;   // of the run
    uint64_t window_ns; // between MPI_Init and MPI_Finalize, which the following cover
    // All ranks together: outside MPI with CPU time; without, or in MPI but not waiting.
    uint64_t useful_ns, no_cpu_ns;
    uint64_t n_cores; // of all nodes, 0 when unknown
    // Shares; NAN where nothing is stored.
    double parallel, load_balance, cpu, communication, serialization, transfer;
    struct trial_parameter *parameters; // by name
    size_t n_parameters;
};

/// 0 (EFFICIENCY is to be released), or -1 and ERR.
int trial_efficiency_read(struct database *database, int64_t trial,
                          struct trial_efficiency *efficiency, struct error *err);
void trial_efficiency_release(struct trial_efficiency *efficiency);

/// The value of the parameter called NAME, NULL when the trial has none.
const char *trial_parameter_find(const struct trial_efficiency *efficiency, const char *name);
/// Its role, "" when the trial has no such parameter.
const char *trial_parameter_role(const struct trial_efficiency *efficiency, const char *name);

/// Names of severities that are no wait states', ended by NULL: inefficiency, which is 1 less the
/// parallel efficiency, load-imbalance, communication-loss, serialization-loss, transfer-loss
/// likewise, and waiting, the wait states together.
extern const char *const trial_severity_names[];

/// The severity of NAME, a wait state or one of these names, in a whole trial, and its confidence,
/// both from 0 to 1. A wait state that was not found has severity 0 and confidence 1; one that
/// could not be searched for has NAN and 0. 0, or -1 and ERR.
int trial_severity_read(struct database *database, int64_t trial, const char *name,
                        double *severity, double *confidence, struct error *err);
