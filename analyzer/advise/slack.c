// SPDX-License-Identifier: BSD-3-Clause
// Near-critical paths: for the computing that has most of the critical path, by region and rank,
// how much less of it shortens the run before another path is critical. Each is a candidate
// `--scale 'REGION on rank N=0'`, whose bend (bends.c) is its slack.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advise/candidates.h"
#include "analyzer/base/memory.h"
#include "analyzer/result/findings/findings.h"
#include "analyzer/result/sites.h"

enum { MOST_PLACES = 3 };                // each takes a few predictions
static const double worth_asking = 0.05; // of the run time

/// Whether REGION has computing that --scale can name: no MPI, no thread runtime, no lost time.
static bool has_work(const struct result_region *region)
{
    return !region->is_mpi && region->construct == 0 &&
           (region->name[0] != '(' || region_is_program(region));
}

static bool is_outermost(const struct result_region *region)
{
    return region_is_program(region) || region_is_main(region);
}

/// Adds the place WHAT of SHARE, which the list takes, unless there are enough.
static void add_place(struct result *result, const struct result_path_share *share, uint32_t site,
                      char *what)
{
    if (result->critical_path.n_slacks == MOST_PLACES)
        free(what);
    else
        *ARRAY_EXTEND(result->critical_path.slacks, result->critical_path.n_slacks) =
            (struct result_slack){
                .what = what, .region = share->region, .rank = share->rank, .site = site};
}

/// Adds what the outermost region of SHARE computes before calls on its rank; whether there is any.
static bool add_stretches(struct result *result, const struct result_path_share *share)
{
    bool has_any = false;
    for (size_t i = 0; i < result->critical_path.n_by_site; i++) {
        const struct result_path_share *stretch = &result->critical_path.by_site[i];
        if (stretch->region != share->region || stretch->rank != share->rank ||
            stretch->share < worth_asking)
            continue;
        SCOPED char *calls = site_text(result, stretch->site, RESULT_NONE);
        add_place(result, stretch, stretch->site,
                  memory_format("before %s on rank %" PRIu32, calls, share->rank));
        has_any = true;
    }
    return has_any;
}

/// Fills the slacks of RESULT with the places that are asked, without what is predicted of them:
/// regions, and of a program outside its regions what it computes before calls. All of a program
/// only where there is nothing else.
static void choose_places(struct result *result)
{
    const struct result_path_share *whole = NULL;
    for (size_t i = 0; i < result->critical_path.n_by_region_rank; i++) {
        const struct result_path_share *share = &result->critical_path.by_region_rank[i];
        if (share->share < worth_asking || share->rank == RESULT_NONE ||
            !has_work(&result->regions[share->region]))
            continue;
        const struct result_region *region = &result->regions[share->region];
        if (!is_outermost(region))
            add_place(result, share, RESULT_NONE,
                      memory_format("%s on rank %" PRIu32, region->shown, share->rank));
        else if (!add_stretches(result, share) && !whole)
            whole = share;
    }
    if (result->critical_path.n_slacks == 0 && whole)
        add_place(result, whole, RESULT_NONE,
                  memory_format("%s on rank %" PRIu32, result->regions[whole->region].shown,
                                whole->rank));
}

void slack_add_candidates(struct result *result, struct advice *advice)
{
    choose_places(result);
    for (size_t i = 0; i < result->critical_path.n_slacks; i++) {
        SCOPED char *gone = memory_format("%s=0", result->critical_path.slacks[i].what);
        (void)advise_try(advice, "scale", gone);
    }
}

int slack_take(const struct whatif_batch *batch, const struct pag_result *unchanged,
               const struct advice *advice, struct result *result, struct error *err)
{
    const char *failure = NULL;
    struct result_slack *slacks = result->critical_path.slacks;
    size_t n = result->critical_path.n_slacks, n_left = 0;
    SCOPED struct advice_candidate **candidates = memory_zeroed(n, sizeof *candidates);
    for (size_t i = 0; i < n; i++) {
        SCOPED char *gone = memory_format("%s=0", slacks[i].what);
        candidates[i] = advise_find(advice, "scale", gone);
    }
    advise_find_bends(batch, unchanged, candidates, n);
    for (size_t i = 0; i < n; i++) {
        const struct result_bend *bend = &candidates[i]->bend;
        failure = failure ? failure : candidates[i]->failure;
        if (!candidates[i]->is_replayed || bend->path_ns == 0) {
            free(slacks[i].what);
            continue;
        }
        slacks[n_left] = slacks[i];
        struct result_bend *until = &slacks[n_left++].until;
        *until = *bend;
        if (until->then)
            until->then = memory_copy_text(until->then);
        if (until->share == 0 && !until->then) { // it pays all the way
            until->share = 1;
            until->gain_ns = candidates[i]->gain_ns;
        }
    }
    result->critical_path.n_slacks = n_left;
    if (!failure)
        return 0;
    for (size_t i = 0; i < n_left; i++)
        FREE_ALL(slacks[i].what, slacks[i].until.then);
    result->critical_path.n_slacks = 0;
    return error_set(err, "%s", failure);
}
