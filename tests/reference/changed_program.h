// SPDX-License-Identifier: BSD-3-Clause
// The program that a prediction runs: that of the recording with some of its code changed. All that
// does not depend on time is worked out before the run: how much work there is between two calls,
// which messages are sent and how large they are, which calls are waited for later. From
// pagoda-replay(1), by walks over the whole trace. Internal to tests/reference.
#pragma once

#include "tests/reference/predicted_run.h"

__extension__ typedef __int128 parts_t; // work and virtual time in millionths of a ns
#define PER_NS 1000000u

/// Is PATH one that PATTERN (name, path, globs) names, or below one?
bool is_in_region(const struct model *model, uint32_t path, const char *pattern);
/// The same of what RANK computes up to record I, where it may be "between CALLS and CALLS".
bool is_computed_in(const struct model *model, uint32_t rank, size_t i, uint32_t path,
                    const char *pattern);
/// Does PATTERN name PATH itself?
bool is_region(const struct model *model, uint32_t path, const char *pattern);
/// Does PATTERN say where in the source its calls are made?
bool has_place(const char *pattern);

/// Is a path in two regions whose work is set? They are refused.
bool are_works_nested(const struct model *model, const struct scenario_changes *changes);

/// Records FIRST to LAST of a rank, between which it is outside MPI; from STRETCH on it computes
/// what belongs to the call that comes next.
struct interval {
    uint32_t rank;
    size_t first, last, stretch;
    bool is_end; // of the rank
    // Where it begins or ends between two calls: what the clock of the processor would have said.
    struct reading {
        bool is_known;
        uint64_t time_ns, cpu_ns;
    } at_first, at_last;
};

/// Work that one call path has in an interval.
struct share {
    uint32_t path;
    parts_t work;
};

/// When record I of RANK was written, or what was computed until then where only order counts.
uint64_t time_of_record(const struct model *model, uint32_t rank, size_t i);

/// Process time of INTERVAL, and its wall time, in ns.
uint64_t interval_process_ns(const struct model *model, const struct interval *interval);
uint64_t interval_wall_ns(const struct model *model, const struct interval *interval);

/// INTERVAL ends between two calls: sets at_last, if the clock was read before and after it.
void interval_read_at_last(const struct model *model, struct interval *interval);

/// From which record on what is computed belongs to the call that ends INTERVAL; its last record
/// where that is unknown, or regions cost what they cost whatever comes next.
size_t interval_stretch(const struct model *model, const struct interval *interval);

/// The work of INTERVAL, one share for each call path in the order of their first time; those of a
/// rank are asked for in order. Returns how many; the caller frees *SHARES.
struct run_visits;
size_t interval_shares(struct run_visits *visits, const struct interval *interval,
                       struct share **shares);

/// What a rank does one after the other: work, then a call, or waiting for calls put off.
enum step_kind { STEP_CALL, STEP_LATE, STEP_END };
struct step {
    enum step_kind kind;
    struct interval interval; // before it
    parts_t work;             // of that, and what came with messages
    uint32_t call;
    bool is_put_off;
    uint32_t *calls; // STEP_LATE: those waited for, in their order
    uint32_t n_calls;
};

struct changed_program {
    struct model model; // with calls, sends and parts of its own
    struct step *steps[PROGRAM_MAX_RANKS];
    size_t n_steps[PROGRAM_MAX_RANKS];
};

/// Finds polls that wait for the end of their loop: at recorded costs all.
void find_polls(struct model *model);

/// When each record would come if its rank did nothing but visit regions, by rank and record, where
/// only their order counts. The caller frees.
uint64_t **order_costs_new(const struct model *model);
void order_costs_free(uint64_t **costs_ns, uint32_t n_ranks);

/// The program of MODEL, which must outlive it, under SCENARIO. The caller releases it.
void changed_program_init(struct changed_program *program, const struct model *model,
                          const struct predicted_scenario *scenario);
void changed_program_release(struct changed_program *program);

/// Part of that: which messages follow which.
void find_groups(struct changed_program *program);

/// Part of that: the work of its steps, what moves with messages, and how these grow.
void find_work(struct changed_program *program);
