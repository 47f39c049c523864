// SPDX-License-Identifier: BSD-3-Clause
// Regions as patterns over the call paths of the run (simulation/change/region_pattern.h), as many
// as these take; regions beyond are related to no other one.
#include "analyzer/advise/nested.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"

/// What is changed of a region; changes of different things are never about the same.
enum domain { DOMAIN_WORK, DOMAIN_SYNC, DOMAIN_OVERLAP, N_DOMAINS };

static enum domain domain_of(const struct advice_candidate *candidate)
{
    if (candidate->kind == ADVICE_SYNC)
        return DOMAIN_SYNC;
    return candidate->kind == ADVICE_MESSAGES ? DOMAIN_OVERLAP : DOMAIN_WORK;
}

/// The number of the region of CANDIDATE, new or that of an earlier one; false without.
static bool number_region(struct region_patterns *patterns, const struct advice *advice,
                          struct advice_candidate *candidate)
{
    enum domain domain = domain_of(candidate);
    for (const struct advice_candidate *other = advice->candidates; other < candidate; other++)
        if (other->region && domain_of(other) == domain &&
            strcmp(other->region, candidate->region) == 0) {
            candidate->region_number = other->region_number;
            return true;
        }
    struct error ignored;
    return region_patterns_count(patterns) < REGION_MAX_PATTERNS &&
           region_patterns_add(patterns, "", candidate->region,
                               domain == DOMAIN_WORK ? REGION_COMPUTING : REGION_CALLS,
                               &candidate->region_number, &ignored) == 0;
}

void advise_relate_regions(const struct replay_run *measured, struct advice *advice)
{
    uint64_t within[REGION_MAX_PATTERNS], sharing[REGION_MAX_PATTERNS], of_domain[N_DOMAINS] = {0};
    struct region_patterns *patterns = region_patterns_new(trace_definitions(measured->trace));
    for (size_t i = 0; i < advice->n_candidates; i++) {
        struct advice_candidate *candidate = &advice->candidates[i];
        if (!candidate->region)
            continue;
        if (number_region(patterns, advice, candidate)) {
            of_domain[domain_of(candidate)] |= UINT64_C(1) << candidate->region_number;
        } else {
            free(candidate->region);
            candidate->region = NULL;
        }
    }
    region_patterns_relate(patterns, &measured->replay, within, sharing);
    for (size_t i = 0; i < advice->n_candidates; i++) {
        struct advice_candidate *candidate = &advice->candidates[i];
        if (!candidate->region)
            continue;
        uint64_t others = of_domain[domain_of(candidate)];
        candidate->within = within[candidate->region_number] & others;
        candidate->sharing = sharing[candidate->region_number] & others;
    }
    region_patterns_free(patterns);
}

/// The part of CANDIDATE's option after the region: "=0.5".
static const char *change_of(const struct advice_candidate *candidate)
{
    return candidate->words[0].value + strlen(candidate->region);
}

/// Whether PART changes a part of what CANDIDATE changes, in the same way, and gains as much.
static bool is_same(const struct advice *advice, const struct advice_candidate *candidate,
                    const struct advice_candidate *part)
{
    if (!part->region || !part->is_replayed || part == candidate ||
        part->region_number == candidate->region_number ||
        !(part->within >> candidate->region_number & 1) ||
        strcmp(part->words[0].option, candidate->words[0].option) != 0 ||
        strcmp(change_of(part), change_of(candidate)) != 0)
        return false;
    // Of two regions that are the same calls the first one stays.
    if (candidate->within >> part->region_number & 1 && candidate < part)
        return false;
    int64_t difference_ns = llabs(candidate->gain_ns - part->gain_ns);
    return difference_ns < (int64_t)(advice->target_ns / 1000);
}

void advise_mark_same(struct advice *advice)
{
    for (size_t i = 0; i < advice->n_candidates; i++) {
        struct advice_candidate *candidate = &advice->candidates[i];
        candidate->same_as = NULL;
        for (size_t k = 0; k < advice->n_candidates && candidate->region &&
                           candidate->is_replayed && !candidate->same_as;
             k++)
            if (is_same(advice, candidate, &advice->candidates[k]))
                candidate->same_as = advice->candidates[k].subject;
    }
}
