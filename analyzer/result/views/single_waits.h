// SPDX-License-Identifier: BSD-3-Clause
// Single waits, instances of patterns, that a condition selects: `wait>=1ms && rank==0-3`. The
// longest are kept, the others are counted.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/formula.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/definitions.h"

struct single_wait {
    uint64_t begin_ns, wait_ns;
    const struct pattern *pattern;
    uint32_t rank, cause_rank; // MATCHER_NO_RANK: not known
    uint32_t location, call_path;
    const char *path, *source; // of the call; "": not known. Set by single_waits_conclude()
};

/// A number of a wait that is compared with `value`.
struct wait_number {
    uint8_t slots[TRIGGER_KINDS]; // of a trigger event, or one of the two below
    enum relation relation;
    int64_t value;
};

struct single_waits {
    char *condition; // as it was asked for
    const struct catalogue *catalogue;
    const struct definitions *definitions;
    // What it selects: by pattern, rank, and rank that was waited for; NULL: all.
    bool *patterns, *ranks, *causes;
    struct wait_number *numbers;
    size_t n_numbers, numbers_capacity;
    bool names_paths; // by call paths, too, which are known after a replay:
    struct call_choice {
        bool *is_selected; // by call path of the location
        size_t n;
    } * calls;  // by location; NULL: not yet
    size_t max; // of `items`
    struct single_wait *items;
    size_t n, capacity;
    uint64_t count, total_ns; // all, also those that are not kept
    uint64_t run_ns;          // the run's length
    struct result result;     // the paths and sites of the run
};

/// Whether TEXT has the form of a condition, whatever the run and its patterns. 0, or -1 and ERR.
int single_waits_check(const char *text, struct error *err);

/// Prepares WAITS for a run: MAX waits are kept. What is given must outlive it. 0, or -1 and ERR:
/// no such pattern, rank, node, or no such field of its trigger events. The caller releases.
int single_waits_begin(struct single_waits *waits, const char *text, size_t max,
                       const struct catalogue *catalogue, const struct definitions *definitions,
                       struct error *err);
void single_waits_release(struct single_waits *waits);

/// Forgets the waits; adds one of a replay, as a matcher_listener, whose context is WAITS.
void single_waits_begin_anew(struct single_waits *waits);
void single_waits_add(void *waits, const struct matcher_instance *instance);

/// After REPLAY: the paths of the waits that were added, which are then in the order of time; 0.
/// Where the condition names paths, first of all, which calls it selects: then 1, and the waits are
/// added by a further replay. -1 and ERR: the run has no such path.
int single_waits_conclude(struct single_waits *waits, const struct pag_result *replay,
                          struct error *err);
