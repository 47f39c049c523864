// SPDX-License-Identifier: BSD-3-Clause
// What a replay found, in the order of what it costs: causes in the words of their
// kinds (pattern/finding_kind.h).
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/pattern/finding_kind.h"
#include "analyzer/pattern/tuning.h"
#include "analyzer/result/result.h"

/// Writes findings, headline, conclusion and certainty of RESULT, everything else of which is
/// filled in. Settings of the run's MPI library, from TUNINGS, are among the remedies.
void findings_write(const struct finding_kinds *kinds, const struct tunings *tunings,
                    struct result *result);

/// Orders the findings by their potential_ns, those that only another machine can help last, unless
/// these may save more than all others together; writes headline, conclusion and certainty anew.
void findings_order(struct result *result);

/// Fills the stragglers of RESULT, which has its waits and iterations (stragglers.c).
void stragglers_collect(struct result *result);

// --- causes.c
// Losses by their causes: every wait, every call of MPI, all time without CPU time and all that
// threads lose (struct result_threads) belongs to one cause, so causes do not overlap, and their
// sum is findings_lost_ns(). Beside them there is computing that grows on all ranks.

struct cause {
    enum finding_subject subject;
    // What it is about, RESULT_NONE where that says nothing: a region outside MPI and, where only
    // calls tell the place in it, the site of the call after it; or the heaviest path of calls; or
    // a pattern (WAITING).
    uint32_t region, site, path, pattern;
    uint32_t thread_kind;    // of losses of threads: enum pag_thread_kind, else RESULT_NONE
    uint64_t loss_ns;        // of all ranks, in the judged part
    uint64_t computed_ns;    // of it, where ranks are BLOCKED: because they compute there, too
    uint64_t supposed_ns;    // of it, waits that are not certain and like the others
    uint64_t *by_rank_ns;    // of it, by the rank that causes it; what no rank causes is missing
    uint64_t *by_pattern_ns; // of it, waits, by pattern
    // Further places that are parts of it: sites, regions or paths, as the first one is.
    uint32_t *parts;
    size_t n_parts;
    // The causes, largest first, that it joins because one change of where ranks wait would help
    // against all of them; none: it joins nothing so.
    struct cause *apart;
    size_t n_apart;
};

struct causes {
    struct cause *causes; // loss descending
    size_t n;
    uint64_t rest_ns; // of causes that are too small to be kept
};

/// The time of all ranks that is lost: they do not compute, or their threads lose it.
uint64_t findings_lost_ns(const struct result *result);
/// Fills in what the computing of each path is charged to (struct result_path).
void causes_charge_callers(struct result *result);
/// The largest causes of RESULT, which has everything but findings. The caller releases.
void causes_collect(struct causes *causes, const struct result *result);
void cause_release(struct cause *cause);
void causes_release(struct causes *causes);
/// Joins those that are one (joined_causes.c): by KINDS, ranks and places. Each is named by the
/// largest of its parts.
void causes_join(struct causes *causes, const struct finding_kinds *kinds,
                 const struct result *result);
/// Loss descending.
void causes_sort(struct causes *causes);

/// The function among the places of CAUSE, not the first one, that calls all others; RESULT_NONE.
uint32_t cause_outer(const struct result *result, const struct cause *cause);
/// The site, region or path of CAUSE; RESULT_NONE: it has no such place.
uint32_t cause_place(const struct cause *cause);
/// Whether PLACE is that of CAUSE, or one of its parts.
bool cause_has_place(const struct cause *cause, uint32_t place);

/// Whether LOSS is a part of CAUSE.
bool cause_has_thread_loss(const struct result *result, const struct cause *cause,
                           const struct result_thread_loss *loss);

/// Time that each rank spends in CAUSE's place, computing or in calls, into TIMES_NS of all ranks,
/// zeroed before; false where it is known of none.
bool cause_times(const struct result *result, const struct cause *cause, uint64_t *times_ns);

/// PART of WHOLE; 0 of nothing.
static inline double part_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/// Whether REGION stands for a program outside its recorded functions, or is its main function.
bool region_is_program(const struct result_region *region);
bool region_is_main(const struct result_region *region);
/// Whether INNER is called by OUTER, directly or not, nearly always.
bool region_is_called_by(const struct result *result, uint32_t inner, uint32_t outer);

/// What losses in calls of REGION, which is MPI's, are about.
enum finding_subject cause_of_call(const struct result_region *region);

// --- finding_facts.c
// What the condition and the sentences of a kind of finding may name, of one cause.

/// Ranks that have much of something.
struct named_ranks {
    uint32_t main;  // with most, the lowest of equals; RESULT_NONE: none
    double least;   // a quarter of that: ranks with this much are named
    uint64_t n;     // that are named
    char text[160]; // "rank 2", "ranks 0-3", "ranks 1, 5, 7, 9", "all ranks", "12 ranks, rank 3
                    // most"
};

struct facts {
    double numbers[N_FINDING_NUMBERS];
    char *texts[N_FINDING_TEXTS]; // NULL where unknown
    struct finding_calls calls;   // in the place; names of the result
    struct named_ranks causing, waiting, heavy;
    uint32_t busiest;      // the rank that is outside MPI longest, RESULT_NONE
    uint32_t hub;          // the rank with most messages
    uint32_t sender;       // to the rank with most of the loss, see FINDING_TEXTS; RESULT_NONE
    uint32_t wait_pattern; // with most of the waits, RESULT_NONE: none
    uint32_t wait_path;    // the call path with most of these, RESULT_NONE
    uint32_t other_wait;   // another call path with much of them, RESULT_NONE
    uint64_t *waiting_ns;  // by rank: what `waiting` goes by; NULL: no waits
    uint64_t *heavy_ns;    // the same for `heavy`; NULL: not known by rank
    uint32_t path;         // of the calls that are the place, RESULT_NONE
    uint32_t site;         // of the place, RESULT_NONE: not known by its calls
    uint64_t once_ns;      // of one computation that is the place; 0: all before the calls of site
    bool is_since;         // the place is only what begins with calls of the site's before_since
    double shared_ns;      // that each rank computes in what begins so, which is not of the place
};

/// The rank with most of BY_RANK, the lowest of equals; RESULT_NONE: none has any.
uint32_t rank_with_most(const uint64_t *by_rank, size_t n_ranks);

/// The facts of CAUSE. The caller releases.
void facts_collect(struct facts *facts, const struct result *result, const struct cause *cause);
/// Names another place of CAUSE, of which FACTS are, instead of the largest: the function that
/// calls all others, else the second one; false: there is none.
bool facts_take_other(struct facts *facts, const struct result *result, const struct cause *cause);
/// Names the places of APART, one of those that a cause joins, instead.
void facts_take_apart(struct facts *facts, const struct result *result, const struct cause *apart);
/// Names the other call that waits for CAUSE; false: there is none, or it is named already.
bool facts_take_other_wait(struct facts *facts, const struct result *result,
                           const struct cause *cause);
/// Part of facts_collect() (finding_places.c): the places of CAUSE, of the ranks named in FACTS.
void facts_put_places(const struct result *result, const struct cause *cause, struct facts *facts);
/// The same (finding_calls.c): the calls of MPI in it, the messages of the run, whom these go to.
void facts_put_calls(const struct result *result, const struct cause *cause, struct facts *facts);
/// The same (finding_threads.c): the threads of the rank with most of the loss, what threads lose.
void facts_put_threads(const struct result *result, const struct cause *cause, struct facts *facts);
/// NAME is TEXT, which FACTS takes.
static inline void facts_put_text(struct facts *facts, enum finding_text name, char *text)
{
    free(facts->texts[name]);
    facts->texts[name] = text;
}
/// The same of a text as printf writes it.
void facts_say(struct facts *facts, enum finding_text name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void facts_release(struct facts *facts);

/// Writes "solve (solve.c:56)", the region INDEX; SITE (or RESULT_NONE) stands for it where
/// functions were not recorded: "the code before worker/MPI_Send at farm.c:60".
void place_write(const struct result *result, uint32_t index, uint32_t site, FILE *out);
