// SPDX-License-Identifier: BSD-3-Clause
// Candidates by kind (candidates.h).
#include "analyzer/advise/candidates.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/rank_lists.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/sites.h"
#include "analyzer/simulation/change/region_pattern.h"

enum { MAX_REGIONS = 12, MAX_STRETCHES = 6, MAX_PATHS = 4, MAX_STREAMS = 3 };
static const double least_share = 0.003; // of the run time: less is not worth a prediction
static const double uneven = 1.05;       // longest over mean
static const double of_one_rank = 0.9;   // of a region's time

/// What each option changes.
static const struct change {
    const char *option;
    enum advice_kind kind;
    const char *subject; // NULL: the region that its value begins with
} changes[] = {{"scale", ADVICE_REGION, NULL},
               {"balance", ADVICE_REGION, NULL},
               {"duration", ADVICE_REGION, NULL},
               {"move", ADVICE_MOVE, NULL},
               {"drop-sync", ADVICE_SYNC, NULL},
               {"overlap", ADVICE_MESSAGES, NULL},
               {"overlap-progress", ADVICE_MESSAGES, NULL},
               {"cut-messages", ADVICE_MESSAGES, "messages"},
               {"aggregate", ADVICE_MESSAGES, "messages"},
               {"latency", ADVICE_NETWORK, "latency"},
               {"bandwidth", ADVICE_NETWORK, "bandwidth"},
               {"cores", ADVICE_PROCESSORS, "cores"},
               {"cpu-speed", ADVICE_PROCESSORS, "processors"},
               {"place", ADVICE_PLACEMENT, "placement"},
               {"map", ADVICE_PLACEMENT, "placement"},
               {"workers", ADVICE_WORKERS, "workers"},
               {"dealing", ADVICE_WORKERS, "workers"},
               {"rebalance", ADVICE_DYNAMIC, "rebalance"}};

struct advice_candidate *advise_add(struct advice *advice, enum advice_kind kind,
                                    const char *subject)
{
    struct advice_candidate *candidate =
        ARRAY_NEXT(advice->candidates, advice->n_candidates, advice->capacity);
    *candidate = (struct advice_candidate){
        .kind = kind,
        .subject = memory_copy_text(subject),
        .most_ns = UINT64_MAX,
        .promise_ns = UINT64_MAX,
    };
    return candidate;
}

void advise_add_word(struct advice_candidate *candidate, const char *option, const char *value)
{
    *ARRAY_EXTEND(candidate->words, candidate->n_words) =
        (struct advice_word){memory_copy_text(option), value ? memory_copy_text(value) : NULL};
}

bool advise_includes(const char *option, const char *other)
{
    return strcmp(option, other) == 0 ||
           (strcmp(option, "overlap-progress") == 0 && strcmp(other, "overlap") == 0);
}

/// The REGION that VALUE of OPTION begins with. The caller frees.
static char *region_in(const char *option, const char *value)
{
    const char *end = strrchr(value, '=');
    bool has_region_only =
        strcmp(option, "drop-sync") == 0 || strcmp(option, "overlap") == 0 ||
        strcmp(option, "overlap-progress") == 0 ||
        // After the = of --balance are ranks.
        (end && strcmp(option, "balance") == 0 && end[1 + strspn(end + 1, "0123456789,-")] != '\0');
    return !end || has_region_only ? memory_copy_text(value)
                                   : memory_format("%.*s", (int)(end - value), value);
}

struct advice_candidate *advise_try(struct advice *advice, const char *option, const char *value)
{
    struct advice_candidate *candidate = advise_find(advice, option, value);
    if (candidate)
        return candidate;
    size_t i = FIND_BY(changes, sizeof changes / sizeof changes[0], option, option);
    bool is_known = i < sizeof changes / sizeof changes[0];
    char *region = is_known && !changes[i].subject ? region_in(option, value) : NULL;
    candidate = advise_add(advice, is_known ? changes[i].kind : ADVICE_REGION,
                           region     ? region
                           : is_known ? changes[i].subject
                                      : option);
    candidate->region = region;
    advise_add_word(candidate, option, value);
    return candidate;
}

void advise_describe(struct advice_candidate *candidate, const char *sentence, bool is_limit)
{
    if (candidate->findings)
        return;
    free(candidate->sentence);
    candidate->sentence = memory_copy_text(sentence);
    bool is_of_machine = candidate->kind == ADVICE_PROCESSORS || candidate->kind == ADVICE_NETWORK;
    candidate->group = is_limit ? ADVICE_LIMIT : is_of_machine ? ADVICE_MACHINE : ADVICE_CHANGE;
}

void advise_take_prediction(const struct advice *advice, struct advice_candidate *candidate,
                            const struct whatif_job *job)
{
    candidate->failure = job->failure;
    candidate->is_replayed = !job->failure;
    candidate->predicted_ns = job->predicted_ns;
    candidate->judged_ns = job->window_ns;
    candidate->gain_ns = (int64_t)advice->target_ns - (int64_t)job->predicted_ns;
}

struct advice_candidate *advise_find(const struct advice *advice, const char *option,
                                     const char *value)
{
    for (size_t i = 0; i < advice->n_candidates; i++) {
        const struct advice_candidate *candidate = &advice->candidates[i];
        const struct advice_word *word = candidate->words;
        if (candidate->n_words == 1 && strcmp(word->option, option) == 0 &&
            (word->value && value ? strcmp(word->value, value) == 0 : word->value == value))
            return &advice->candidates[i];
    }
    return NULL;
}

/// What enumerating needs.
struct survey {
    const struct advise_setting *setting;
    const struct result *result; // of the measured run
    struct advise_path path;
    struct advice *advice;
};

/// Whether N_VISITS that took NS are mostly what recording them took.
static bool is_recording(const struct survey *survey, uint64_t ns, uint64_t n_visits)
{
    return ns / 2 < n_visits * survey->result->recording_of_visit_ns;
}

/// MOST_NS, and what rounding may add to it in each of the parts it is the sum of; not known on
/// shared cores, and on another target, whose critical path is another one.
static uint64_t bound(const struct survey *survey, uint64_t most_ns)
{
    bool is_known = !survey->setting->target->unchanged.is_shared && !*survey->advice->target;
    return is_known && most_ns < UINT64_MAX / 2 ? most_ns + most_ns / 500 : UINT64_MAX;
}

static bool is_worth(const struct survey *survey, uint64_t most_ns)
{
    return (double)most_ns >= least_share * (double)survey->result->time_ns;
}

/// One option of one value, as SENTENCE unless a finding has it; both are freed.
static struct advice_candidate *add_one(struct survey *survey, uint64_t most_ns, bool is_limit,
                                        const char *option, char *value, char *sentence)
{
    struct advice_candidate *candidate = advise_try(survey->advice, option, value);
    advise_describe(candidate, sentence, is_limit);
    candidate->most_ns = bound(survey, most_ns);
    // Of all that MPI costs a change of some calls takes away a part.
    bool is_of_calls = candidate->kind == ADVICE_SYNC || candidate->kind == ADVICE_MESSAGES;
    candidate->promise_ns = is_of_calls ? most_ns / 4 : most_ns;
    FREE_ALL(value, sentence);
    return candidate;
}

// --- regions

/// The region of a name as the archive has it, NULL where no rank was in it.
static const struct result_region *region_of(const struct result *result, const char *name)
{
    SCOPED char *clean = utf8_clean(name);
    return ITEM_BY(result->regions, result->n_regions, name, clean);
}

/// Time by which REGION, or what is computed before SITE, made ranks wait, in all wait states: a
/// lower bound, since what one rank did more elsewhere is taken off.
static uint64_t origin_ns(const struct result *result, uint32_t region, uint32_t site)
{
    uint64_t ns = 0;
    for (size_t p = 0; p < result->n_patterns; p++) {
        const struct result_origins *origins = &result->patterns[p].origins;
        const struct result_path_share *shares =
            site == RESULT_NONE ? origins->by_region : origins->by_site;
        size_t n = site == RESULT_NONE ? origins->n_by_region : origins->n_by_site;
        for (size_t i = 0; i < n && result->patterns[p].is_top; i++)
            if (shares[i].time_ns > 0 &&
                (site == RESULT_NONE
                     ? shares[i].region == region
                     : shares[i].site == site && !result->regions[shares[i].region].is_mpi))
                ns += (uint64_t)shares[i].time_ns;
    }
    return ns;
}

/// Whether balancing work may save time: one of the ranks does more than the others (MOST_NS of
/// SUM_NS), or ranks waited for each other because of it, in turns or not.
static bool may_balance(const struct survey *survey, uint64_t most_ns, uint64_t sum_ns,
                        uint32_t region, uint32_t site)
{
    const struct result *result = survey->result;
    return result->n_ranks > 1 &&
           ((double)most_ns * (double)result->n_ranks > uneven * (double)sum_ns ||
            is_worth(survey, origin_ns(result, region, site) / result->n_ranks));
}

static void add_region(struct survey *survey, const char *pattern, const char *words,
                       uint64_t path_ns, bool is_uneven)
{
    add_one(survey, path_ns / 2, false, "scale", memory_format("%s=0.5", pattern),
            memory_format("Make %s twice as fast", words));
    if (!is_uneven)
        return;
    // After the last = are ranks.
    uint32_t last_rank = survey->result->n_ranks - 1;
    char *value = strchr(pattern, '=') ? memory_format("%s=0-%" PRIu32, pattern, last_rank)
                                       : memory_copy_text(pattern);
    add_one(survey, path_ns, false, "balance", value,
            memory_format("Spread the work in %s equally over its ranks", words));
}

/// Whether a tenth of the time in REGION is in what it calls; time without CPU time is its own.
static bool has_callees(const struct result *result, const struct result_region *region)
{
    uint64_t callees_ns = 0;
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        if (path->parent != RESULT_NONE &&
            &result->regions[result->paths[path->parent].region] == region &&
            !lost_is_region(&result->regions[path->region]))
            callees_ns += path->inclusive_ns;
    }
    return callees_ns > region->inclusive_ns / 10;
}

/// All of a program's computing, which is a matter of processors.
static bool is_everything(const struct survey *survey, const struct advise_region *region,
                          const struct result_region *sums)
{
    return region->path_ns >= survey->path.computing_ns - survey->path.computing_ns / 50 &&
           has_callees(survey->result, sums);
}

/// Whether threads wait in REGION or are in their runtime: no work of the program.
static bool is_of_thread_runtime(const struct result_region *region)
{
    return pag_thread_kind_of((enum construct)region->construct) != PAG_THREAD_COMPUTING;
}

static void add_regions(struct survey *survey)
{
    const struct result *result = survey->result;
    size_t n_added = 0;
    for (size_t i = 0; i < survey->path.n_regions && n_added < MAX_REGIONS; i++) {
        const struct advise_region *region = &survey->path.regions[i];
        const struct result_region *sums = region_of(result, region->name);
        if (!is_worth(survey, region->path_ns) || !sums || is_of_thread_runtime(sums) ||
            is_everything(survey, region, sums) ||
            is_recording(survey, sums->inclusive_ns, sums->visits))
            continue;
        bool is_uneven = may_balance(survey, sums->max_ns, sums->exclusive_ns,
                                     (uint32_t)(sums - result->regions), RESULT_NONE);
        SCOPED char *words = memory_format("%s%s", sums->shown,
                                           has_callees(result, sums) ? " and what it calls" : "");
        add_region(survey, sums->shown, words, region->path_ns, is_uneven);
        n_added++;
    }
}

static bool is_stretch(const struct result *result, const struct result_path_share *share)
{
    return share->time_ns > 0 && !result->regions[share->region].is_mpi;
}

/// What calls the stretch of share INDEX of the critical path is before; NULL where an earlier one
/// is named alike, and else in *PATH_NS the time of all of that name. The caller frees.
static char *stretch_calls(const struct result *result, size_t index, uint64_t *path_ns)
{
    const struct result_path_share *shares = result->critical_path.by_site;
    char *calls = site_text(result, shares[index].site, RESULT_NONE);
    bool is_first = true;
    *path_ns = 0;
    for (size_t i = 0; i < result->critical_path.n_by_site && is_first; i++) {
        if (!is_stretch(result, &shares[i]))
            continue;
        SCOPED char *other = site_text(result, shares[i].site, RESULT_NONE);
        bool is_same = strcmp(other, calls) == 0;
        *path_ns += is_same ? (uint64_t)shares[i].time_ns : 0;
        is_first = i >= index || !is_same;
    }
    if (is_first)
        return calls;
    free(calls);
    return NULL;
}

/// Whether the calls of SITE start MPI: before them every rank does the same for itself, the
/// loading of the program above all, and has none to spread it over.
static bool starts_mpi(const struct result *result, const struct result_site *site)
{
    const char *name = result->regions[result->paths[site->path].region].name;
    return strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0;
}

/// Computing of a program that was not compiled for tracing, named by the calls after it.
static void add_stretches(struct survey *survey)
{
    const struct result *result = survey->result;
    const struct advice *advice = survey->advice;
    bool is_repeated = advice->measured_ns == advice->replayed_ns && advice->untraced_ns == 0;
    size_t n_added = 0, n_before = survey->advice->n_candidates;
    for (size_t i = 0; i < result->critical_path.n_by_site && n_added < MAX_STRETCHES; i++) {
        const struct result_path_share *share = &result->critical_path.by_site[i];
        if (!is_stretch(result, share) || !is_worth(survey, (uint64_t)share->time_ns))
            continue;
        uint64_t path_ns;
        const struct result_site *site = &result->sites[share->site];
        SCOPED char *calls = is_recording(survey, site->before_ns, site->visits)
                                 ? NULL
                                 : stretch_calls(result, i, &path_ns);
        if (!calls)
            continue;
        bool is_uneven =
            may_balance(survey, site->before_max_ns, site->before_ns, RESULT_NONE, share->site) &&
            !starts_mpi(result, site);
        SCOPED char *pattern = memory_format("before %s", calls);
        SCOPED char *words = memory_format("the computing before %s", calls);
        add_region(survey, pattern, words, path_ns, is_uneven);
        n_added++;
    }
    // These are of the measured path.
    for (size_t i = n_before; i < survey->advice->n_candidates && !is_repeated; i++)
        survey->advice->candidates[i].most_ns = UINT64_MAX;
}

// --- work of a server

/// The ranks that RANK sends to, as 1-3,5; NULL: none. The caller frees.
static char *receivers_of(const struct result *result, uint32_t rank)
{
    SCOPED uint32_t *receivers = memory_new((result->n_traffic + 1) * sizeof *receivers);
    size_t n = 0;
    for (size_t i = 0; i < result->n_traffic; i++) {
        const struct result_traffic *traffic = &result->traffic[i];
        if (traffic->sender == rank && traffic->receiver != rank)
            receivers[n++] = traffic->receiver;
    }
    return n > 0 ? rank_list_join(receivers, n, ",", NULL) : NULL;
}

static void add_moves(struct survey *survey)
{
    const struct result *result = survey->result;
    size_t n_added = 0;
    for (size_t i = 0; i < survey->path.n_regions && n_added < MAX_PATHS; i++) {
        const struct advise_region *region = &survey->path.regions[i];
        const struct result_region *sums = region_of(result, region->name);
        if (!sums || is_of_thread_runtime(sums) || !is_worth(survey, region->path_ns) ||
            result->n_ranks < 2 ||
            (double)sums->max_ns < of_one_rank * (double)sums->exclusive_ns ||
            sums->exclusive_ns < sums->inclusive_ns / 2)
            continue;
        SCOPED char *others = receivers_of(result, sums->max_rank);
        if (!others)
            continue;
        add_one(survey, region->path_ns, false, "move",
                memory_format("%s=%" PRIu32 ":%s", sums->shown, sums->max_rank, others),
                memory_format("Move the work of rank %" PRIu32 " in %s to the ranks it sends to",
                              sums->max_rank, sums->shown));
        n_added++;
    }
}

// --- synchronisation

static bool only_synchronises(const char *name)
{
    return strcmp(name, "MPI_Barrier") == 0 || strcmp(name, "MPI_Ibarrier") == 0;
}

static void add_syncs(struct survey *survey)
{
    const struct result *result = survey->result;
    size_t n_paths = 0;
    for (size_t i = 0; i < result->n_paths; i++)
        n_paths += only_synchronises(result->regions[result->paths[i].region].name);
    uint64_t most_ns = survey->path.slack_ns;
    if (n_paths > 0)
        add_one(survey, most_ns, false, "drop-sync", memory_copy_text("MPI_Barrier"),
                memory_copy_text("Leave out barriers"))
            ->is_all = true;
    size_t n_added = 0;
    for (size_t i = 0; i < result->n_paths && n_paths > 1 && n_added < MAX_PATHS; i++) {
        if (!only_synchronises(result->regions[result->paths[i].region].name))
            continue;
        SCOPED char *path = path_text(result, NULL, (uint32_t)i);
        add_one(survey, most_ns, false, "drop-sync", memory_copy_text(result->paths[i].shown),
                memory_format("Leave out the barrier %s", path));
        n_added++;
    }
}

// --- messages

static void add_messages(struct survey *survey)
{
    const struct result *result = survey->result;
    uint64_t most_ns = survey->path.slack_ns;
    if (result->n_messages == 0)
        return;
    add_one(survey, most_ns, false, "cut-messages", memory_copy_text("size>=1=0.5"),
            memory_copy_text("Send half the bytes in every message"))
        ->is_all = true;
    SCOPED struct result_traffic *streams = memory_zeroed(result->n_traffic, sizeof *streams);
    memcpy(streams, result->traffic, result->n_traffic * sizeof *streams);
    SORT_BY(streams, result->n_traffic, MOST(size_bytes), LEAST(sender), LEAST(receiver));
    for (size_t i = 0; i < result->n_traffic && i < MAX_STREAMS && result->n_traffic > 1; i++) {
        struct advice_candidate *stream =
            add_one(survey, most_ns, false, "cut-messages",
                    memory_format("from==%" PRIu32 "&&to==%" PRIu32 "=0.5", streams[i].sender,
                                  streams[i].receiver),
                    memory_format("Send half the bytes from rank %" PRIu32 " to rank %" PRIu32,
                                  streams[i].sender, streams[i].receiver));
        free(stream->subject);
        stream->subject =
            memory_format("%" PRIu32 ">%" PRIu32, streams[i].sender, streams[i].receiver);
    }
    add_one(survey, most_ns, true, "aggregate", memory_copy_text("all"),
            memory_copy_text("Join messages that follow one another to the same rank"));
}

/// What to do instead of waiting by PATTERN in the calls WORDS; WHEN they have to wait then.
static char *overlap_sentence(const struct result_pattern *pattern, const char *words,
                              const char *when)
{
    if (strcmp(pattern->id, "late-sender") == 0)
        return memory_format("Post the receives of %s earlier, and wait for them %s", words, when);
    return memory_format(result_waits_for_messages(pattern)
                             ? "Do not block in %s, and wait for the receiver %s"
                             : "Do not wait in %s for nonblocking operations, but %s",
                         words, when);
}

/// The calls of path CALLS wait by PATTERN: completing them later, at the latest when one of the
/// functions around them is left. Which one allows it depends on what follows in it, so each is
/// tried; that of a program without recorded functions is the outermost one.
static void add_overlaps_of(struct survey *survey, const struct result_pattern *pattern,
                            uint32_t calls)
{
    const struct result *result = survey->result;
    SCOPED char *words = path_text(result, pattern, calls);
    for (uint32_t at = calls; at != RESULT_NONE; at = result->paths[at].parent) {
        const char *scope = result->paths[at].shown;
        SCOPED char *when =
            at == calls
                ? memory_copy_text("later")
                : memory_format("when %s ends", result->regions[result->paths[at].region].shown);
        add_one(survey, survey->path.slack_ns, true, "overlap", memory_copy_text(scope),
                overlap_sentence(pattern, words, when));
    }
}

/// Whether a call of path CALLS that waits by PATTERN can wait later: it sends, receives, or
/// completes nonblocking calls.
static bool can_wait_later(const struct result *result, const struct result_pattern *pattern,
                           uint32_t calls)
{
    return result_waits_for_messages(pattern) ||
           (pattern->is_top &&
            result_completes_requests(&result->regions[result->paths[calls].region]));
}

static void add_overlaps(struct survey *survey)
{
    const struct result *result = survey->result;
    for (size_t p = 0; p < result->n_patterns; p++) {
        const struct result_pattern *pattern = &result->patterns[p];
        for (size_t i = 0; i < pattern->n_by_path && i < MAX_PATHS; i++)
            if (can_wait_later(result, pattern, pattern->by_path[i].key) &&
                is_worth(survey, pattern->by_path[i].ns))
                add_overlaps_of(survey, pattern, pattern->by_path[i].key);
    }
}

// --- machines

static void add_network(struct survey *survey)
{
    const struct machine *machine = survey->setting->target->cases[0].settings.machine;
    const struct machine_messages *network = machine ? &machine->messages[MACHINE_NETWORK] : NULL;
    if (!network || network->n_points == 0)
        return;
    const struct machine_point *last = &network->points[network->n_points - 1];
    add_one(survey, UINT64_MAX, false, "latency",
            memory_format("%" PRIu64 "ns", network->points[0].time_ns / 2),
            memory_copy_text("Halve the latency of the network"));
    if (network->n_points < 2 || last->time_ns <= last[-1].time_ns)
        return;
    double rate = (double)(last->size_bytes - last[-1].size_bytes) /
                  (double)(last->time_ns - last[-1].time_ns) * 1e9;
    add_one(survey, UINT64_MAX, false, "bandwidth", memory_format("%.0f", 2 * rate),
            memory_copy_text("Double the network's bandwidth"));
}

static void add_processors(struct survey *survey)
{
    add_one(survey, survey->path.work_ns / 2, false, "cpu-speed", memory_copy_text("2"),
            memory_copy_text("Use processors twice as fast"));
}

/// Adds to each candidate that halves some computing the one that leaves it out, a limit.
static void add_limits(struct survey *survey)
{
    for (size_t i = 0, n = survey->advice->n_candidates; i < n; i++) {
        const struct advice_candidate half = survey->advice->candidates[i];
        const char *region = half.region;
        if (strcmp(half.words[0].option, "scale") != 0 || !region ||
            strcmp(half.words[0].value + strlen(region), "=0.5") != 0)
            continue;
        const char *what = region_meaning_of(region) != REGION_MEANS_PATHS ? "computing"
                           : scaled_text_read(region).time == SCALED_FILES ? "calls for"
                                                                           : "work in";
        uint64_t most_ns = half.promise_ns < UINT64_MAX / 2 ? 2 * half.promise_ns + 1 : UINT64_MAX;
        struct advice_candidate *gone =
            add_one(survey, most_ns, true, "scale", memory_format("%s=0", region),
                    memory_format("Remove the %s %s", what, region));
        if (half.most_ns == UINT64_MAX)
            gone->most_ns = UINT64_MAX;
    }
}

void advise_enumerate(const struct advise_setting *setting, const struct pag_result *unchanged,
                      struct advice *advice)
{
    const struct replay_run *measured = setting->batch.measured;
    struct survey survey = {setting, &measured->result, {0}, advice};
    advise_path_collect(&survey.path, trace_definitions(measured->trace), unchanged);
    add_regions(&survey);
    add_syncs(&survey);
    add_messages(&survey);
    add_network(&survey);
    add_processors(&survey);
    add_moves(&survey);
    add_stretches(&survey);
    add_limits(&survey);
    add_overlaps(&survey);
    advise_path_release(&survey.path);
}
