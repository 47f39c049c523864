// SPDX-License-Identifier: BSD-3-Clause
// What `pagoda advise` found: possible changes, what each is predicted to save, how they go
// together.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/result/result.h"
#include "analyzer/result/whatif.h"

enum advice_kind {
    ADVICE_REGION,     // computing in a region: faster, gone, balanced
    ADVICE_SYNC,       // operations that only synchronise
    ADVICE_MESSAGES,   // fewer bytes, fewer messages, earlier receives
    ADVICE_NETWORK,    // a faster one
    ADVICE_PROCESSORS, // faster ones
    ADVICE_PLACEMENT,  // other nodes for ranks
    ADVICE_MOVE,       // work done by other ranks
    ADVICE_WORKERS,    // more or fewer of them in a task farm
    ADVICE_DYNAMIC,    // load balanced while the program runs
    ADVICE_KINDS
};
extern const char *const advice_kind_names[ADVICE_KINDS];

/// An option of `pagoda replay` as it is given for a candidate.
struct advice_word {
    char *option, *value; // without dashes; value NULL for a flag
};

/// What a candidate is, in the order of the list.
enum advice_group {
    ADVICE_CHANGE,  // of the program or its launch
    ADVICE_MACHINE, // other processors, another network
    ADVICE_LIMIT,   // what no program may reach: how much a part of it matters at most
    ADVICE_GROUPS
};
extern const char *const advice_group_names[ADVICE_GROUPS];

struct advice_candidate {
    enum advice_kind kind;
    enum advice_group group;
    char *sentence; // what to change, in the imperative, without a full stop
    char *subject; // region, call or stream it is about: those with the same one exclude each other
    bool is_all;   // it contains what others of its kind with its option change
    char *region;  // the REGION in its words, NULL without
    uint32_t region_number;   // of those with one, by region and what is changed there
    uint64_t within, sharing; // bits of region_number: regions it lies in, and shares calls with
    uint32_t findings;        // it is a remedy of: a bit each, as replay numbers them
    const char *same_as;      // subject of a change inside it that gains as much, NULL: none
    struct advice_word *words;
    size_t n_words;
    bool has_target;     // its words say all of the target
    uint64_t most_ns;    // it saves no more than this, UINT64_MAX: not known
    uint64_t promise_ns; // it may save about that: those with more are tried first
    bool is_replayed;
    char *failure; // why it could not be replayed, NULL: it was
    uint64_t predicted_ns, judged_ns;
    struct past_errors errors; // of predictions with the same options
    int64_t gain_ns;           // of the target's run time; negative: a loss
    int64_t order_ns;          // what that counts in the list
    struct result_bend bend;   // of --scale
};

/// Two candidates replayed together.
struct advice_pair {
    size_t first, second; // candidates
    char *failure;        // why it could not be replayed, NULL: it was
    uint64_t predicted_ns;
    int64_t gain_ns;
};

/// A finding of the run, as replay numbers them.
struct advice_finding {
    char *kind, *name;
};

struct advice {
    char *trace;            // as the user gave it, a shell word
    char *target;           // options that hold for all, as words of a command line; "" without
    const char *assumption; // about how ranks wait, a sentence without a full stop; NULL: none
    uint64_t measured_ns;   // the recorded run
    uint64_t replayed_ns;   // predicted with nothing changed
    uint64_t untraced_ns;   // the same without what recording cost; 0: predictions are with it
    bool is_explained;      // it is less because ranks with a core each had no CPU time
    char *lost;             // sentences about ranks without CPU time in the recording, or NULL
    uint32_t master;        // of tasks that stay with who did them, if any rank
    uint32_t n_workers;     // who did; 0: the run shows no such tasks
    uint64_t target_ns;     // predicted on the target, nothing else changed
    uint64_t loss_ns;       // of that: what its computing spread equally, without MPI, would save
    struct advice_candidate *candidates; // those replayed by group, best first; then the others
    size_t n_candidates, capacity;
    struct advice_finding *findings; // none with a target
    size_t n_findings;
    struct advice_pair *pairs;
    size_t n_pairs;
    size_t n_replays, n_pruned;      // pruned: they cannot save as much as those shown
    size_t n_untried;                // left out for the time it takes to replay them
    struct result_warning *warnings; // of a trace some of which was unreadable, else none
    size_t n_warnings;
};

/// By how much predictions may be off, judged by the run with nothing changed.
uint64_t advice_error_ns(const struct advice *advice);

/// Between which times the run with CANDIDATE, which was replayed, is expected.
struct expected_time advice_expected(const struct advice *advice,
                                     const struct advice_candidate *candidate);

/// Is it worth a line: was it replayed, does it save a thousandth of the target's run time, and
/// does no part of it save the same?
bool advice_pays(const struct advice *advice, const struct advice_candidate *candidate);

/// Whether two changes are about the same, or about regions that share calls, as where one contains
/// the other: not done together.
bool advice_excludes(const struct advice_candidate *one, const struct advice_candidate *other);

/// Whether with nothing changed predictions miss the run by too much to say anything, without lost
/// cores that would explain it.
bool advice_says_nothing(const struct advice *advice);

/// Does it save no more than predictions may be off, or do these say nothing?
bool advice_is_uncertain(const struct advice *advice, int64_t gain_ns);

/// Part of loss_ns that neither a candidate nor a pair takes away.
uint64_t advice_unexplained_ns(const struct advice *advice);

/// How the gain of a pair goes with those of its parts.
enum advice_together { ADVICE_ADD_UP, ADVICE_OVERLAP, ADVICE_EXCLUDE };
enum advice_together advice_together(const struct advice *advice, const struct advice_pair *pair);

/// "--scale solve=0.5": N words, quoted for the shell where they must be. The caller frees.
char *advice_words_text(const struct advice_word *words, size_t n);

void advice_candidate_release(struct advice_candidate *candidate);
void advice_release(struct advice *advice);
