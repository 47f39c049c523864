// SPDX-License-Identifier: BSD-3-Clause
// The engine's explanation of a kind of wait belongs to the pattern that measures these waits. It
// has negative parts: the waiters' own work while those waited for were late. What they did in the
// same region cancels; what they did elsewhere is taken off the regions left, each in proportion,
// so that these are parts of the wait.
#include "analyzer/result/origins.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/result/shares.h"

static const char *const pattern_of_kind[PAG_WAIT_KINDS] = {
    [PAG_WAIT_LATE_SENDER] = "late-sender",   [PAG_WAIT_LATE_RECEIVER] = "late-receiver",
    [PAG_WAIT_BARRIER] = "wait-at-barrier",   [PAG_WAIT_NXN] = "wait-at-nxn",
    [PAG_WAIT_ONE_TO_ALL] = "late-broadcast", [PAG_WAIT_EARLY_REDUCE] = "early-reduce",
    [PAG_WAIT_NX1] = "wait-at-nx1",           [PAG_WAIT_SCAN] = "early-scan",
    [PAG_WAIT_FINALIZE] = "wait-at-finalize",
};

__extension__ typedef __int128 wide;

/// What the positive ones of some parts are to sum to.
struct portion {
    int64_t whole_ns;
    wide positive_ns; // their sum, never less than WHOLE_NS
    wide seen_ns;     // of those so far
    int64_t given_ns; // to those so far
};

static struct result_pattern *pattern_named(struct result *result, const char *id)
{
    for (size_t i = 0; id && i < result->n_patterns; i++)
        if (!strcmp(result->patterns[i].id, id))
            return &result->patterns[i];
    return NULL;
}

static int compare_parts(const void *left, const void *right)
{
    const struct result_path_share *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->site > b->site) - (a->site < b->site);
}

/// Leaves the positive ones of COUNT parts, each cut in proportion to sum to the whole of its
/// portion: that of its region, or with IS_WHOLE the only one there is. Share becomes that of
/// TOTAL_NS. Returns how many are left.
static size_t cut(struct result_path_share *parts, size_t count, struct portion *portions,
                  bool is_whole, uint64_t total_ns)
{
    size_t n_left = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i].time_ns > 0)
            portions[is_whole ? 0 : parts[i].region].positive_ns += parts[i].time_ns;
    for (size_t i = 0; i < count; i++) {
        struct portion *portion = &portions[is_whole ? 0 : parts[i].region];
        if (parts[i].time_ns <= 0 || portion->whole_ns <= 0)
            continue;
        portion->seen_ns += parts[i].time_ns;
        int64_t upto_ns = (int64_t)(portion->seen_ns * portion->whole_ns / portion->positive_ns);
        struct result_path_share part = parts[i];
        part.time_ns = upto_ns - portion->given_ns;
        part.share = (double)part.time_ns / (double)total_ns;
        portion->given_ns = upto_ns;
        if (part.time_ns > 0)
            parts[n_left++] = part;
    }
    qsort(parts, n_left, sizeof *parts, compare_parts);
    return n_left;
}

/// One for each region: the whole is what ORIGINS give it.
static struct portion *portions_of(const struct result *result,
                                   const struct result_origins *origins)
{
    struct portion *portions = memory_zeroed(result->n_regions, sizeof *portions);
    for (size_t i = 0; i < origins->n_by_region; i++)
        portions[origins->by_region[i].region].whole_ns = origins->by_region[i].time_ns;
    return portions;
}

/// Takes the waiters' own work off the parts of ORIGINS.
static void net(const struct result *result, struct result_origins *origins, uint64_t total_ns)
{
    // What has no place in the source is a part of its region as well.
    wide *elsewhere_ns = memory_zeroed(result->n_regions, sizeof *elsewhere_ns);
    for (size_t i = 0; i < origins->n_by_region; i++)
        elsewhere_ns[origins->by_region[i].region] += origins->by_region[i].time_ns;
    for (size_t i = 0; i < origins->n_by_site; i++)
        elsewhere_ns[origins->by_site[i].region] -= origins->by_site[i].time_ns;
    struct portion whole = {.whole_ns = (int64_t)origins->explained_ns};
    origins->n_by_region = cut(origins->by_region, origins->n_by_region, &whole, true, total_ns);
    origins->offset_ns = (int64_t)(whole.whole_ns - whole.positive_ns);
    struct portion *portions = portions_of(result, origins);
    origins->n_by_region_rank =
        cut(origins->by_region_rank, origins->n_by_region_rank, portions, false, total_ns);
    free(portions);
    portions = portions_of(result, origins);
    for (size_t i = 0; i < result->n_regions; i++)
        portions[i].positive_ns = elsewhere_ns[i] > 0 ? elsewhere_ns[i] : 0;
    origins->n_by_site = cut(origins->by_site, origins->n_by_site, portions, false, total_ns);
    free(portions);
    free(elsewhere_ns);
}

static void fill(const struct definitions *definitions, const struct call_tree *tree,
                 const struct site_table *sites, const struct pag_explanation *explanation,
                 struct result *result, struct result_pattern *pattern)
{
    struct result_origins *origins = &pattern->origins;
    struct result_path_share *shares = shares_resolve(definitions, tree, sites, explanation->causes,
                                                      explanation->n_causes, result);
    origins->explained_ns = explanation->explained_ns;
    origins->unexplained_ns = pattern->total_ns - explanation->explained_ns;
    origins->by_region = shares_sum(shares, explanation->n_causes, true, false, pattern->total_ns,
                                    &origins->n_by_region);
    origins->by_region_rank = shares_sum(shares, explanation->n_causes, true, true,
                                         pattern->total_ns, &origins->n_by_region_rank);
    origins->by_site =
        shares_sum_by_site(shares, explanation->n_causes, pattern->total_ns, &origins->n_by_site);
    net(result, origins, pattern->total_ns);
    free(shares);
}

void origins_collect(const struct definitions *definitions, const struct call_tree *tree,
                     const struct site_table *sites, const struct pag_result *replay,
                     struct result *result)
{
    for (int kind = 0; kind < PAG_WAIT_KINDS && !result->interval.what; kind++) {
        const struct pag_explanation *explanation = &replay->explanations[kind];
        struct result_pattern *pattern = pattern_named(result, pattern_of_kind[kind]);
        // A pattern of this id that somebody else wrote may measure other waits.
        if (pattern && pattern->total_ns > 0 && explanation->explained_ns <= pattern->total_ns)
            fill(definitions, tree, sites, explanation, result, pattern);
    }
}
