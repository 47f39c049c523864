// SPDX-License-Identifier: BSD-3-Clause
// Until where less work in a region pays: then another path is critical.
//
// While ranks have cores of their own, the run time is the longest of many paths, each of them
// linear in the factor on the region's work: convex and piecewise linear. Its slope is the region's
// time on the critical path of the run predicted with that factor, divided by the factor. Where the
// tangents at two factors meet, the run is predicted anew: if it is on them, that is the only bend
// between the two, else one of the two moves there. Source: Eisner and Severance, "Mathematical
// techniques for efficient record segmentation in large shared databases" (1976).
//
// The leads of releasers over runners-up, which lineages could carry, do not tell it: the next
// critical path may be one that has lost to the runner-up, being shorter, with less of the region.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advise/candidates.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/change/region_pattern.h"

enum { MOST_PREDICTIONS = 6 };           // for a candidate
static const double least_factor = 0.01; // at 0 no critical path tells the slope
static const double linear = 0.95;       // so much of what the first slope promises: no bend
static const double exact = 0.0005;      // of the run time

/// The run with the work times FACTOR.
struct sample {
    double factor, time_ns, slope_ns; // slope: by factor
    const struct pag_result *replay;  // with its critical path
    struct replay_run *run;           // of `replay`; NULL: the caller's
};

/// The search for the bend where the slope falls below half of the first one.
struct search {
    struct advice_candidate *candidate;
    double first_slope_ns, last_factor;
    int64_t unchanged_ns;         // the run time at factor 1
    struct sample above, below;   // the bend lies between their factors
    double factor, least_time_ns; // predicted next; the tangents' time there
    char *value;                  // "solve=0.8", which asks for that
    struct advice_word word;
    struct advice_candidate asked;
    struct replay_run *run;
    bool is_over;
    const struct sample *bend; // `above` or `below` if it is there
};

/// The mark of call path INDEX of LOCATION.
static uint64_t mark_of(struct region_patterns *patterns, const struct pag_location *location,
                        uint32_t index)
{
    const struct call_path *path = &location->paths[index];
    bool is_before = path->is_stretch; // of the call in front of it
    path -= is_before;
    if (path->region == EVENT_NO_INDEX)
        return 0;
    uint64_t mark = mark_of(patterns, location, path->parent);
    region_patterns_enter(patterns, &mark, path->region, path->context, is_before);
    return mark;
}

static bool is_call(const struct definitions *definitions, const struct call_path *path)
{
    return path->region != EVENT_NO_INDEX &&
           definitions->regions[path->region].mpi != MPI_FUNCTION_NONE;
}

/// Work that TEXT of --scale names on the critical path of REPLAY.
static double work_inside(const struct definitions *definitions, const struct pag_result *replay,
                          const char *text)
{
    struct scaled_text named = scaled_text_read(text);
    size_t n_ranks = definitions->n_ranks;
    SCOPED char *region = memory_format("%.*s", (int)named.region_length, named.region);
    SCOPED bool *is_scaled = memory_zeroed(n_ranks, sizeof *is_scaled);
    struct region_patterns *patterns = region_patterns_new(definitions);
    struct error ignored;
    uint32_t number;
    double work_ns = 0;
    if (named.time == SCALED_WORK &&
        (!named.ranks || rank_list_read(named.ranks, strlen(named.ranks), (uint32_t)n_ranks,
                                        is_scaled, &ignored) == 0) &&
        region_patterns_add(patterns, "", region, REGION_COMPUTING, &number, &ignored) == 0) {
        for (size_t i = 0; i < replay->n_critical_path; i++) {
            const struct pag_path_entry *entry = &replay->critical_path[i];
            const struct pag_location *location = &replay->locations[entry->location];
            uint32_t rank = definitions->locations[entry->location].rank;
            if (entry->call_path >= PAG_PATH_BEFORE_START ||
                is_call(definitions, &location->paths[entry->call_path]) ||
                (named.ranks && (rank == EVENT_NO_INDEX || !is_scaled[rank])))
                continue;
            uint64_t mark = mark_of(patterns, location, entry->call_path);
            if (region_patterns_inside(patterns, mark) >> number & 1)
                work_ns += (double)entry->time_ns;
        }
    }
    region_patterns_free(patterns);
    return work_ns;
}

static struct sample sample_of(const struct definitions *definitions, const char *region,
                               double factor, const struct pag_result *replay)
{
    return (struct sample){.factor = factor,
                           .time_ns = (double)replay->time_ns,
                           .slope_ns = work_inside(definitions, replay, region) / factor,
                           .replay = replay};
}

// --- the search

/// Where the tangents at both ends meet is what SEARCH predicts next; or it is over.
static void choose_next(struct search *search)
{
    const struct sample *above = &search->above, *below = &search->below;
    search->is_over = below->slope_ns >= search->first_slope_ns / 2;
    if (search->is_over)
        return;
    double width = above->slope_ns - below->slope_ns;
    double at_0 = (below->time_ns - below->slope_ns * below->factor) -
                  (above->time_ns - above->slope_ns * above->factor);
    double factor = round(1e6 * at_0 / width) / 1e6;
    // Costs that follow what is waited for, and rounding, may make it not quite convex.
    if (factor >= above->factor)
        search->bend = above; // at factor 1 where another path is as long
    else if (factor <= below->factor && below->factor > search->last_factor)
        search->bend = below;
    search->is_over = search->bend || !(factor > below->factor && factor < above->factor);
    if (search->is_over)
        return;
    search->factor = factor;
    search->least_time_ns = above->time_ns - above->slope_ns * (above->factor - factor);
}

/// Begins the search for CANDIDATE, whose run is UNCHANGED without it, if it saves clearly less
/// than the critical path promises: then the run with least work is predicted first.
static void begin(struct search *search, struct advice_candidate *candidate,
                  const struct definitions *definitions, const struct pag_result *unchanged)
{
    const char *value = candidate->words[0].value;
    *search = (struct search){.candidate = candidate, .is_over = true};
    if (strcmp(candidate->words[0].option, "scale") != 0 || !candidate->is_replayed ||
        !candidate->region)
        return;
    if (region_meaning_of(candidate->region) == REGION_MEANS_BETWEEN)
        return; // the path does not tell after which call the rank computed
    double factor = strtod(value + strlen(candidate->region) + 1, NULL);
    search->above = sample_of(definitions, candidate->region, 1, unchanged);
    search->first_slope_ns = search->above.slope_ns;
    candidate->bend.path_ns = (uint64_t)search->first_slope_ns;
    search->unchanged_ns = (int64_t)unchanged->time_ns;
    search->factor = search->last_factor = fmax(factor, least_factor);
    search->is_over = factor >= 1 || search->first_slope_ns <= 0 ||
                      (double)candidate->gain_ns > linear * (1 - factor) * search->first_slope_ns;
}

static bool is_start(const struct definitions *definitions, const struct call_path *path)
{
    return path->region != EVENT_NO_INDEX &&
           definitions->regions[path->region].mpi == MPI_FUNCTION_INIT;
}

/// What of the critical path of NOW grew most since BEFORE, but for MPI_Init; NULL if nothing did.
/// Both paths are in the order of locations and call paths.
static const struct pag_path_entry *grown_most(const struct definitions *definitions,
                                               const struct pag_result *before,
                                               const struct pag_result *now)
{
    const struct pag_path_entry *most = NULL, *old = before->critical_path;
    int64_t most_ns = 0;
    for (size_t i = 0, k = 0; i < now->n_critical_path; i++) {
        const struct pag_path_entry *entry = &now->critical_path[i];
        while (k < before->n_critical_path &&
               (old[k].location < entry->location ||
                (old[k].location == entry->location && old[k].call_path < entry->call_path)))
            k++;
        bool was_there = k < before->n_critical_path && old[k].location == entry->location &&
                         old[k].call_path == entry->call_path;
        int64_t more_ns = entry->time_ns - (was_there ? old[k].time_ns : 0);
        if (entry->call_path >= PAG_PATH_BEFORE_START || more_ns <= most_ns ||
            is_start(definitions, &now->locations[entry->location].paths[entry->call_path]))
            continue;
        most = entry;
        most_ns = more_ns;
    }
    return most;
}

/// "solve on rank 1". The caller frees.
static char *place_of(const struct pag_path_entry *entry, const struct pag_result *replay,
                      const struct replay_run *measured)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    const struct call_path *paths = replay->locations[entry->location].paths;
    const struct result *result = &measured->result;
    bool is_stretch = paths[entry->call_path].is_stretch;
    uint32_t region = paths[is_stretch ? paths[entry->call_path].parent : entry->call_path].region;
    bool is_before = region == EVENT_NO_INDEX && is_stretch; // no function was recorded
    if (is_before)
        region = paths[entry->call_path - 1].region;
    char *name = utf8_clean(region == EVENT_NO_INDEX ? RESULT_REGION_PROGRAM
                                                     : definitions->regions[region].name);
    const char *shown = name;
    for (size_t i = 0; i < result->n_regions; i++)
        if (strcmp(result->regions[i].name, name) == 0)
            shown = result->regions[i].shown;
    char *text = memory_format("%s%s on rank %" PRIu32, is_before ? "the computing before " : "",
                               shown, definitions->locations[entry->location].rank);
    free(name);
    return text;
}

/// The run of SAMPLE, unless it is the caller's.
static void drop(struct sample *sample)
{
    if (sample->run)
        replay_run_release(sample->run);
    free(sample->run);
}

/// The bend is where FOUND is.
static void put_bend(struct search *search, const struct sample *found,
                     const struct replay_run *measured)
{
    const struct pag_path_entry *grown =
        grown_most(trace_definitions(measured->trace), search->above.replay, search->below.replay);
    search->is_over = true;
    search->candidate->bend =
        (struct result_bend){.path_ns = (uint64_t)search->first_slope_ns,
                             .share = 1 - found->factor,
                             .gain_ns = search->unchanged_ns - (int64_t)found->time_ns,
                             .then = grown ? place_of(grown, search->below.replay, measured)
                                     : found->factor == 1 ? memory_copy_text("")
                                                          : NULL};
}

/// Takes what was predicted into SEARCH, which finds its bend or goes on.
static void take(struct search *search, const struct replay_run *measured)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    struct sample found =
        sample_of(definitions, search->candidate->region, search->factor, &search->run->replay);
    found.run = search->run;
    search->run = NULL;
    bool is_first = !search->below.replay;
    if (!is_first && found.time_ns - search->least_time_ns < exact * search->above.time_ns) {
        put_bend(search, &found, measured);
        drop(&found);
        return;
    }
    bool is_above = !is_first && found.slope_ns >= search->first_slope_ns / 2;
    struct sample *end = is_above ? &search->above : &search->below;
    drop(end);
    *end = found;
    choose_next(search);
}

/// Predicts the next factor of each of N SEARCHES that is not over; how many.
static size_t predict_next(const struct whatif_batch *batch, struct search *searches, size_t n)
{
    struct whatif_batch own = *batch;
    SCOPED struct whatif_job *jobs = memory_zeroed(n, sizeof *jobs);
    SCOPED struct search **asking = memory_zeroed(n, sizeof *asking);
    size_t n_jobs = 0;
    own.is_of_one_process = true; // critical paths do not cross
    for (size_t i = 0; i < n; i++) {
        struct search *search = &searches[i];
        if (search->is_over)
            continue;
        free(search->value);
        search->value = memory_format("%s=%.6f", search->candidate->region, search->factor);
        search->word = (struct advice_word){search->candidate->words[0].option, search->value};
        search->asked = (struct advice_candidate){.words = &search->word, .n_words = 1};
        search->run = memory_zeroed(1, sizeof *search->run);
        asking[n_jobs] = search;
        jobs[n_jobs].run = search->run;
        jobs[n_jobs++].candidates[0] = &search->asked;
    }
    whatif_progress_expect(batch->progress, n_jobs);
    whatif_run_jobs(&own, jobs, n_jobs);
    for (size_t i = 0; i < n_jobs; i++) {
        if (!jobs[i].failure)
            take(asking[i], batch->measured);
        asking[i]->is_over |= jobs[i].failure != NULL;
        if (asking[i]->candidate->failure)
            free(jobs[i].failure);
        else
            asking[i]->candidate->failure = jobs[i].failure;
    }
    return n_jobs;
}

size_t advise_find_bends(const struct whatif_batch *batch, const struct pag_result *unchanged,
                         struct advice_candidate *const *candidates, size_t n)
{
    SCOPED struct search *searches = memory_zeroed(n, sizeof *searches);
    size_t n_predicted = 0;
    for (size_t i = 0; i < n; i++)
        begin(&searches[i], candidates[i], trace_definitions(batch->measured->trace), unchanged);
    for (int i = 0; i < MOST_PREDICTIONS; i++)
        n_predicted += predict_next(batch, searches, n);
    for (size_t i = 0; i < n; i++) {
        // Of several bends close together the first one.
        if (!searches[i].is_over && searches[i].above.run)
            searches[i].bend = &searches[i].above;
        else if (!searches[i].is_over && searches[i].below.run)
            searches[i].bend = &searches[i].below;
        if (searches[i].bend)
            put_bend(&searches[i], searches[i].bend, batch->measured);
        drop(&searches[i].above);
        drop(&searches[i].below);
        if (searches[i].run)
            replay_run_release(searches[i].run);
        FREE_ALL(searches[i].run, searches[i].value);
    }
    return n_predicted;
}
