// SPDX-License-Identifier: BSD-3-Clause
// Facts of a cause: the calls of MPI in its place, the messages of the run, and whom these go to
// (finding_facts.c).
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/result/findings/findings.h"
#include "analyzer/result/sites.h"

static const double next_to_nothing_ns = 10000; // of computing between two calls

// --- calls

/// Whether the trace has what the pattern ID is seen by.
static bool is_evaluated(const struct result *result, const char *id)
{
    uint32_t pattern = result_find_pattern(result, id);
    return pattern != RESULT_NONE && result->patterns[pattern].is_evaluated;
}

/// The part of the one-sided calls' time that is spent in those whose names begin with one of N.
/// Locks of all targets ("MPI_Win_flush_all") are shared, so no rank holds them against another.
static double onesided_share(const struct result *result, const char *const *names, size_t n)
{
    uint64_t some_ns = 0, all_ns = 0;
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_region *region = &result->regions[result->paths[i].region];
        if (!region->is_mpi || cause_of_call(region) != FINDING_onesided)
            continue;
        all_ns += result->paths[i].exclusive_ns;
        for (size_t k = 0; k < n; k++)
            if (strncasecmp(region->name, names[k], strlen(names[k])) == 0 &&
                !strcasestr(region->name, "_all"))
                some_ns += result->paths[i].exclusive_ns;
    }
    return part_of((double)some_ns, (double)all_ns);
}

static double mean_before_ns(const struct result_site *site)
{
    return part_of((double)site->before_ns, (double)site->visits);
}

/// Whether the calls at SITE follow others, from another line, with next to nothing in between.
static bool follows_at_once(const struct result *result, const struct result_site *site)
{
    return site->before_since != RESULT_NONE && &result->sites[site->before_since] != site &&
           mean_before_ns(site) < next_to_nothing_ns;
}

/// Calls in the place of CAUSE that follow others of it, from another line, with next to nothing in
/// between: both could be one.
static void put_following(const struct result *result, const struct cause *cause,
                          struct facts *facts)
{
    uint32_t following = RESULT_NONE;
    double least_ns = next_to_nothing_ns;
    for (uint32_t i = 0; i < result->n_sites; i++) {
        const struct result_site *site = &result->sites[i];
        if (!follows_at_once(result, site) || mean_before_ns(site) >= least_ns ||
            !cause_has_place(cause, site->path) ||
            !cause_has_place(cause, result->sites[site->before_since].path))
            continue;
        least_ns = mean_before_ns(site);
        following = i;
    }
    if (following != RESULT_NONE)
        facts_put_text(facts, FINDING_TEXT_following, site_text(result, following, RESULT_NONE));
}

/// What most calls in the place of CAUSE follow from another line, with next to nothing in between.
static void put_preceding(const struct result *result, const struct cause *cause,
                          struct facts *facts)
{
    const struct result_site *most = NULL;
    for (uint32_t i = 0; i < result->n_sites; i++) {
        const struct result_site *site = &result->sites[i];
        if (cause_has_place(cause, site->path) && (!most || site->visits > most->visits))
            most = site;
    }
    if (!most || !follows_at_once(result, most))
        return;
    const struct result_site *before = &result->sites[most->before_since];
    facts->calls.before = result->regions[result->paths[before->path].region].name;
    facts_put_text(facts, FINDING_TEXT_preceding,
                   site_text(result, most->before_since, RESULT_NONE));
}

/// Whether a wait state is known of calls in the place of CAUSE, which is then no part of it.
static bool has_waits(const struct result *result, const struct cause *cause)
{
    for (size_t i = 0; i < result->n_patterns; i++)
        for (size_t k = 0; k < result->patterns[i].n_by_path; k++)
            if (cause_has_place(cause, result->patterns[i].by_path[k].key))
                return true;
    return false;
}

/// What the calls in the place of CAUSE are.
static void put_calls(const struct result *result, const struct cause *cause, struct facts *facts)
{
    if (cause->path == RESULT_NONE)
        return;
    const struct result_region *calls = &result->regions[result->paths[cause->path].region];
    facts->calls.name = calls->is_mpi ? calls->name : NULL;
    facts->numbers[FINDING_NUMBER_has_waits] = has_waits(result, cause);
    put_preceding(result, cause, facts);
    put_following(result, cause, facts);
}

/// The mean size of the messages among which the median is: N_MESSAGES by class of size.
static uint64_t median_bytes(const struct result_size_class *sizes, uint64_t n_messages)
{
    uint64_t n_before = 0;
    size_t k = 0;
    while (k < RESULT_SIZE_CLASSES - 1 && 2 * (n_before + sizes[k].n_messages) < n_messages)
        n_before += sizes[k++].n_messages;
    return sizes[k].n_messages > 0 ? sizes[k].size_bytes / sizes[k].n_messages : 0;
}

/// SHARE as the value of --scale, which is not 0.
static void say_factor(struct facts *facts, enum finding_text text, double share)
{
    facts_say(facts, text, "%.4f", share > 0.0001 ? share : 0.0001);
}

/// What is left of N_CALLS for files, in the place of a cause, if those between which their rank
/// calls nothing else of MPI are one. Between N other calls there are at most N + 1 of these.
static void put_joined(const struct result *result, uint64_t n_calls, struct facts *facts)
{
    uint64_t n_left = result->n_ranks;
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_region *region = &result->regions[result->paths[i].region];
        if (region->is_mpi && cause_of_call(region) != FINDING_files)
            n_left += result->paths[i].visits;
    }
    double share = n_left < n_calls ? part_of((double)n_left, (double)n_calls) : 1;
    facts->numbers[FINDING_NUMBER_joined_share] = share;
    say_factor(facts, FINDING_TEXT_joined_share, share);
}

/// What is left of the calls of the function that CAUSE is about if each rank calls it once for
/// each file of the run.
static void put_opened(const struct result *result, const struct cause *cause, struct facts *facts)
{
    uint64_t n_calls = 0, n_left = result->n_ranks * (result->n_files > 0 ? result->n_files : 1);
    if (cause->path == RESULT_NONE)
        return;
    for (uint32_t i = 0; i < result->n_paths; i++)
        if (cause_has_place(cause, i) &&
            result->paths[i].region == result->paths[cause->path].region)
            n_calls += result->paths[i].visits;
    double share = part_of((double)n_left, (double)n_calls);
    if (n_left < n_calls)
        say_factor(facts, FINDING_TEXT_opened_share, share);
}

/// What senders that wait because of CAUSE hold, and the limit for it: whole KiB, with some room
/// for headers, which limits of MPI libraries may count.
static void put_held(const struct result *result, const struct cause *cause, struct facts *facts)
{
    const uint64_t header_bytes = 128, step_bytes = 1024;
    uint64_t bytes = 0, most_ns = 0;
    for (size_t i = 0; i < result->n_patterns; i++) {
        if (result->patterns[i].held_bytes == 0 || cause->by_pattern_ns[i] <= most_ns)
            continue;
        most_ns = cause->by_pattern_ns[i];
        bytes = result->patterns[i].held_bytes;
    }
    facts->numbers[FINDING_NUMBER_nodes] = (double)result->n_nodes;
    facts->numbers[FINDING_NUMBER_held_bytes] = (double)bytes;
    if (bytes > 0 && bytes < UINT64_MAX / 2)
        facts_say(facts, FINDING_TEXT_held_limit, "%" PRIu64,
                  (bytes + header_bytes + step_bytes - 1) / step_bytes * step_bytes);
}

static void put_counts(const struct result *result, const struct cause *cause, struct facts *facts)
{
    uint64_t n_messages = 0, size_bytes = 0, n_calls = 0;
    for (size_t i = 0; i < result->n_traffic; i++) {
        n_messages += result->traffic[i].n_messages;
        size_bytes += result->traffic[i].size_bytes;
    }
    uint64_t half_bytes = median_bytes(result->message_sizes, n_messages);
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_region *region = &result->regions[result->paths[i].region];
        bool is_here = cause->path != RESULT_NONE ? cause_has_place(cause, (uint32_t)i)
                                                  : cause_of_call(region) == cause->subject;
        if (region->is_mpi && is_here)
            n_calls += result->paths[i].visits;
    }
    if (cause->subject == FINDING_files) {
        put_joined(result, n_calls, facts);
        put_opened(result, cause, facts);
    }
    static const char *const locks[] = {"MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush"};
    static const char *const fences[] = {"MPI_Win_fence", "MPI_Win_start", "MPI_Win_complete",
                                         "MPI_Win_post", "MPI_Win_wait"};
    facts->numbers[FINDING_NUMBER_lock_share] = onesided_share(result, locks, 3);
    facts->numbers[FINDING_NUMBER_fence_share] = onesided_share(result, fences, 5);
    facts->numbers[FINDING_NUMBER_window_records] = is_evaluated(result, "wait-at-fence");
    facts->numbers[FINDING_NUMBER_calls] = (double)n_calls;
    facts->numbers[FINDING_NUMBER_call_us] = part_of((double)cause->loss_ns / 1e3, (double)n_calls);
    facts->numbers[FINDING_NUMBER_recording_us] = (double)result->recording_of_visit_ns / 1e3;
    facts->numbers[FINDING_NUMBER_messages] = (double)n_messages;
    facts->numbers[FINDING_NUMBER_collectives] = (double)result->n_collectives;
    facts->numbers[FINDING_NUMBER_mean_bytes] = part_of((double)size_bytes, (double)n_messages);
    facts->numbers[FINDING_NUMBER_median_bytes] = (double)half_bytes;
    facts_say(facts, FINDING_TEXT_calls, "%s", quantity_count(n_calls, "call").text);
    facts_say(facts, FINDING_TEXT_messages, "%s", quantity_count(n_messages, "message").text);
    if (n_messages > 0) {
        facts_say(facts, FINDING_TEXT_mean_bytes, "%s",
                  quantity_size(size_bytes / n_messages).text);
        facts_say(facts, FINDING_TEXT_median_bytes, "%s", quantity_size(half_bytes).text);
    }
    if (cause->region != RESULT_NONE)
        facts->numbers[FINDING_NUMBER_visits] = (double)result->regions[cause->region].visits;
}

// --- whom messages go to

/// How the rank with most of the loss serves those that send to it.
static void put_service(const struct result *result, struct facts *facts)
{
    size_t i = 0;
    while (i < result->n_servers && result->servers[i].rank != facts->causing.main)
        i++;
    if (i == result->n_servers)
        return;
    const struct result_server *server = &result->servers[i];
    const struct {
        enum finding_text text;
        double ns;
    } times[] = {{FINDING_TEXT_service_time, server->service.mean_ns},
                 {FINDING_TEXT_arrival_time, server->arrival.mean_ns},
                 {FINDING_TEXT_think_time, server->think_ns},
                 {FINDING_TEXT_response_time, server->response.mean_ns}};
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
        if (times[k].ns >= 0) // and known
            facts_say(facts, times[k].text, "%s", quantity_time((uint64_t)times[k].ns).text);
    facts_say(facts, FINDING_TEXT_busy, "%s", quantity_share(server->busy).text);
    if (server->saturating >= 1)
        facts_say(facts, FINDING_TEXT_saturating, "%.1f", server->saturating);
}

/// Whom the messages of the run go to: partners of the rank with most of the loss, the share of the
/// rank with most messages, and whether all go from lower to higher ranks, or the other way.
static void put_traffic(const struct result *result, struct facts *facts)
{
    uint32_t main = facts->causing.main, n_partners = 0, hub = 0;
    uint64_t n_messages = 0, n_served = 0, n_up = 0, n_of_hub = 0;
    SCOPED uint64_t *of_rank = memory_zeroed(result->n_ranks, sizeof *of_rank);
    SCOPED bool *is_partner = memory_zeroed(result->n_ranks, sizeof *is_partner);
    for (size_t i = 0; i < result->n_traffic; i++) {
        const struct result_traffic *traffic = &result->traffic[i];
        n_messages += traffic->n_messages;
        n_up += traffic->sender < traffic->receiver ? traffic->n_messages : 0;
        n_served += traffic->receiver == main ? traffic->n_messages : 0;
        of_rank[traffic->sender] += traffic->n_messages;
        if (traffic->sender == traffic->receiver)
            continue;
        of_rank[traffic->receiver] += traffic->n_messages;
        if (traffic->receiver == main)
            is_partner[traffic->sender] = true;
    }
    for (uint32_t i = 0; i < result->n_ranks; i++) {
        n_partners += is_partner[i];
        hub = of_rank[i] > of_rank[hub] ? i : hub;
    }
    for (size_t i = 0; i < result->n_traffic; i++)
        n_of_hub += result->traffic[i].sender == hub ? result->traffic[i].n_messages : 0;
    facts->hub = hub;
    facts->numbers[FINDING_NUMBER_partners] = n_partners;
    facts->numbers[FINDING_NUMBER_is_hub] = n_messages > 0 && hub == main;
    facts->numbers[FINDING_NUMBER_served] = (double)n_served;
    uint64_t others_ns = result->useful_ns - result->ranks[hub].useful_ns;
    facts->numbers[FINDING_NUMBER_task_us] = part_of((double)others_ns / 1e3, (double)n_of_hub);
    facts->numbers[FINDING_NUMBER_one_way] = n_messages > 0 && (n_up == 0 || n_up == n_messages);
    if (n_messages > 0) {
        facts->numbers[FINDING_NUMBER_hub_share] =
            part_of((double)of_rank[hub], (double)n_messages);
        facts_say(facts, FINDING_TEXT_hub, "rank %" PRIu32, hub);
    }
    facts_say(facts, FINDING_TEXT_served, "%s", quantity_count(n_served, "message").text);
    put_service(result, facts);
}

/// Whether all messages, which go one way only, go along one chain of ranks, as in a pipeline.
static bool is_chain(const struct result *result)
{
    uint32_t n_links = 0;
    for (size_t i = 0; i < result->n_traffic; i++) {
        const struct result_traffic *traffic = &result->traffic[i];
        if (traffic->n_messages == 0)
            continue;
        if (traffic->receiver != traffic->sender + 1 && traffic->sender != traffic->receiver + 1)
            return false;
        n_links++;
    }
    return n_links + 1 == result->n_ranks;
}

/// What the calls for a message take without waits, on both sides.
static double message_cost_ns(const struct result *result, double n_messages)
{
    double calls_ns = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        calls_ns += (double)result->ranks[i].mpi_class_ns[MPI_CLASS_POINT_TO_POINT];
    for (size_t i = 0; i < result->n_patterns; i++)
        if (result->patterns[i].is_top && result_waits_for_messages(&result->patterns[i]))
            calls_ns -= (double)result->patterns[i].total_ns;
    return calls_ns > 0 ? calls_ns / n_messages : 0;
}

/// Into how many blocks a pipeline best divides its work. Of p ranks that each compute for W
/// between two collective operations, in b blocks, with o for each message, the last one ends after
/// (p - 1 + b) (W / b + o): least with b = sqrt((p - 1) W / o) (Hoisie, Lubeck, Wasserman,
/// "Performance and Scalability Analysis of Teraflop-Scale Parallel Architectures Using
/// Multidimensional Wavefront Applications", 2000: its model in one dimension).
static void put_pipeline(const struct result *result, const struct cause *cause,
                         struct facts *facts)
{
    static const double enough = 0.02; // of the run, below which other blocks are not worth a word
    if (facts->numbers[FINDING_NUMBER_one_way] == 0 || !is_chain(result))
        return;
    double n_messages = facts->numbers[FINDING_NUMBER_messages];
    double n_before = (double)result->n_ranks - 1;
    double n_sweeps = fmax(facts->numbers[FINDING_NUMBER_collectives], 1);
    double work_ns = (double)result->useful_ns / (double)result->n_ranks / n_sweeps;
    double cost_ns = message_cost_ns(result, n_messages);
    double n_blocks = n_messages / n_before / n_sweeps;
    if (n_blocks < 1 || cost_ns <= 0)
        return;
    double best = fmax(round(sqrt(n_before * work_ns / cost_ns)), 1);
    double saved_ns = n_sweeps * ((n_before + n_blocks) * (work_ns / n_blocks + cost_ns) -
                                  (n_before + best) * (work_ns / best + cost_ns));
    double window_ns = (double)(result->window_end_ns - result->window_begin_ns);
    double most_ns = (double)cause->loss_ns / (double)result->n_ranks; // else it is another program
    if (saved_ns < enough * window_ns || saved_ns > most_ns)
        return;
    facts_say(facts, FINDING_TEXT_blocks, "%.0f", n_blocks);
    facts_say(facts, FINDING_TEXT_best_blocks, "%.0f", best);
    facts_say(facts, FINDING_TEXT_blocks_gain, "%s", quantity_time((uint64_t)saved_ns).text);
}

void facts_put_calls(const struct result *result, const struct cause *cause, struct facts *facts)
{
    put_counts(result, cause, facts);
    put_held(result, cause, facts);
    put_calls(result, cause, facts);
    put_traffic(result, facts);
    put_pipeline(result, cause, facts);
}
