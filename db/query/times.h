// SPDX-License-Identifier: BSD-3-Clause
// The trials a user means by one word, what they consist of, and where their time went.
#ifndef PAGODA_DB_QUERY_TIMES_H
#define PAGODA_DB_QUERY_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

/// Numbers of trials.
struct trial_group {
    int64_t *ids;
    size_t n_ids, capacity;
};

/// The trials SELECTOR means, in the order of their numbers: one as in trials.h; else all whose
/// name, experiment/name or application/experiment/name matches it as a pattern (* ? [...]); else
/// all with an attribute of that NAME=VALUE; revision=COMMIT means the program's git revision, four
/// digits of it at least, branch=NAME and tag=NAME also what git told of it. 0 (GROUP is to be
/// released), or -1 and ERR.
int trial_group_find(struct database *database, const char *selector, struct trial_group *group,
                     struct error *err);
/// The same for comparisons: where runs and intervals of runs are meant, the runs.
int trial_group_to_compare(struct database *database, const char *selector,
                           struct trial_group *group, struct error *err);
/// Keeps of GROUP the trials of the git revision that the latest of them was run with, or, when
/// that one has none, those without. 0, or -1 and ERR.
int trial_group_newest(struct database *database, struct trial_group *group, struct error *err);
/// All measured trials of an application and experiment (NULL: of any), or, when there are none,
/// the predicted ones; first of all those that have the parameter PARAMETER, unless it is NULL. 0
/// (GROUP is to be released), or -1 and ERR: there is none.
int trial_group_all(struct database *database, const char *application, const char *experiment,
                    const char *parameter, struct trial_group *group, struct error *err);
void trial_group_release(struct trial_group *group);

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
/// together, cut up likewise. The parts sum to the time of all ranks. 0, or -1 and ERR.
int trial_region_times(struct database *database, int64_t trial, trial_region_adder *add,
                       void *user, struct error *err);

typedef void trial_profile_adder(void *user, const char *function, const char *call_path,
                                 uint32_t rank, const uint64_t values[3]);

/// Calls ADD with each call path on each rank of a trial: visits, inclusive and exclusive time. 0,
/// or -1 and ERR.
int trial_profile(struct database *database, int64_t trial, trial_profile_adder *add, void *user,
                  struct error *err);

/// Calls ADD with the path of each resource of a trial but the hierarchies' roots. 0, or -1 and
/// ERR.
int trial_resources(struct database *database, int64_t trial,
                    void (*add)(void *user, const char *path), void *user, struct error *err);

typedef void trial_value_adder(void *user, const char *metric, const char *unit, const char *focus,
                               double value);

/// Calls ADD with each value of a trial: metric and unit, focus in resource normal form (the whole
/// program: ""). 0, or -1 and ERR.
int trial_values(struct database *database, int64_t trial, trial_value_adder *add, void *user,
                 struct error *err);

#endif
