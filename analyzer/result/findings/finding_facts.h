// SPDX-License-Identifier: BSD-3-Clause
// What the condition and the sentences of a kind of finding may name, of one cause.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/result/findings/causes.h"

/// Ranks that have much of something.
struct named_ranks {
    uint32_t main;  // with most, the lowest of equals; RESULT_NONE: none
    double least;   // a quarter of that: who has so much is named
    uint64_t n;     // that are named
    char text[160]; // "rank 2", "ranks 0-3", "ranks 1, 5, 7, 9", "all ranks", "12 ranks, rank 3
                    // most"
};

struct facts {
    double numbers[N_FINDING_NUMBERS];
    char *texts[N_FINDING_TEXTS]; // NULL where unknown
    struct named_ranks causing, waiting;
    uint32_t busiest;      // the rank that is outside MPI longest, RESULT_NONE
    uint32_t hub;          // the rank with most messages
    uint32_t sender;       // to the rank with most of the loss, see FINDING_TEXTS; RESULT_NONE
    uint32_t wait_pattern; // with most of the waits, RESULT_NONE: none
    uint32_t other_wait;   // another call path with much of them, RESULT_NONE
    uint32_t site;         // of the place, RESULT_NONE: not known by its calls
};

/// The facts of CAUSE. The caller releases.
void facts_collect(struct facts *facts, const struct result *result, const struct cause *cause);
/// Names another place of CAUSE, of which FACTS are, instead of the largest: the function that
/// calls all others, else the second one; false: there is none.
bool facts_take_other(struct facts *facts, const struct result *result, const struct cause *cause);
/// Names the other call that waits for CAUSE; false: there is none, or it is named already.
bool facts_take_other_wait(struct facts *facts, const struct result *result,
                           const struct cause *cause);
/// Part of facts_collect() (finding_places.c): the places of CAUSE, of the ranks named in FACTS.
void facts_put_places(const struct result *result, const struct cause *cause, struct facts *facts);
/// NAME is TEXT, which FACTS takes.
static inline void facts_put_text(struct facts *facts, enum finding_text name, char *text)
{
    free(facts->texts[name]);
    facts->texts[name] = text;
}
void facts_release(struct facts *facts);

/// Writes "solve (solve.c:56)", the region INDEX; SITE (or RESULT_NONE) stands for it where
/// functions were not recorded: "the code before worker/MPI_Send at farm.c:60".
void place_write(const struct result *result, uint32_t index, uint32_t site, FILE *out);
