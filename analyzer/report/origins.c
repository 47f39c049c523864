// SPDX-License-Identifier: BSD-3-Clause
// The engine's explanation of a kind of wait belongs to the pattern that measures these waits.
#include "analyzer/report/origins.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/report/shares.h"

static const char *const pattern_of_kind[PAG_WAIT_KINDS] = {
    [PAG_WAIT_LATE_SENDER] = "late-sender",   [PAG_WAIT_LATE_RECEIVER] = "late-receiver",
    [PAG_WAIT_BARRIER] = "wait-at-barrier",   [PAG_WAIT_NXN] = "wait-at-nxn",
    [PAG_WAIT_ONE_TO_ALL] = "late-broadcast", [PAG_WAIT_EARLY_REDUCE] = "early-reduce",
    [PAG_WAIT_NX1] = "wait-at-nx1",           [PAG_WAIT_SCAN] = "early-scan",
    [PAG_WAIT_FINALIZE] = "wait-at-finalize",
};

static struct result_pattern *pattern_named(struct result *result, const char *id)
{
    for (size_t i = 0; id && i < result->n_patterns; i++)
        if (!strcmp(result->patterns[i].id, id))
            return &result->patterns[i];
    return NULL;
}

static void fill(const struct definitions *definitions, const struct call_tree *tree,
                 const struct site_table *sites, const struct pag_explanation *explanation,
                 struct result *result, struct result_origins *origins)
{
    struct result_path_share *shares = shares_resolve(definitions, tree, sites, explanation->causes,
                                                      explanation->n_causes, result);
    origins->explained_ns = explanation->explained_ns;
    origins->by_region = shares_sum(shares, explanation->n_causes, true, false,
                                    explanation->explained_ns, &origins->n_by_region);
    origins->by_region_rank = shares_sum(shares, explanation->n_causes, true, true,
                                         explanation->explained_ns, &origins->n_by_region_rank);
    origins->by_site = shares_sum_by_site(shares, explanation->n_causes, explanation->explained_ns,
                                          &origins->n_by_site);
    for (size_t i = 0; i < origins->n_by_region; i++)
        if (origins->by_region[i].time_ns < 0)
            origins->offset_ns += origins->by_region[i].time_ns;
    free(shares);
}

void origins_collect(const struct definitions *definitions, const struct call_tree *tree,
                     const struct site_table *sites, const struct pag_result *replay,
                     struct result *result)
{
    for (int kind = 0; kind < PAG_WAIT_KINDS; kind++) {
        const struct pag_explanation *explanation = &replay->explanations[kind];
        struct result_pattern *pattern = pattern_named(result, pattern_of_kind[kind]);
        if (pattern && explanation->explained_ns > 0)
            fill(definitions, tree, sites, explanation, result, &pattern->origins);
    }
}
