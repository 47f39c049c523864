// SPDX-License-Identifier: BSD-3-Clause
// Facts of a cause, by subject: who, how evenly, in which iterations, on which files (findings.h).
#include "analyzer/result/findings/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/sites.h"
#include "analyzer/trace/definitions.h"

enum { MAX_NAMED_RANKS = 4 };
static const double nearly_all = 0.95; // of the messages: those of a hub
static const double hidden = 0.05;     // of waits: less computing is no use against them
static const double alike = 0.25;      // of by how much they do more than others: they do the same
static const double turns = 0.5; // of the waits of others: a rank that waits in turn with them

// --- ranks

static void write_run(FILE *out, const char *between, uint32_t first, uint32_t last)
{
    fprintf(out, "%s%" PRIu32, between, first);
    if (last > first)
        fprintf(out, "%s%" PRIu32, last == first + 1 ? ", " : "-", last);
}

uint32_t rank_with_most(const uint64_t *by_rank, size_t n_ranks)
{
    uint32_t main = RESULT_NONE;
    for (uint32_t i = 0; i < n_ranks; i++)
        if (by_rank[i] > (main == RESULT_NONE ? 0 : by_rank[main]))
            main = i;
    return main;
}

/// The ranks with most of BY_RANK.
static struct named_ranks name_ranks(const uint64_t *by_rank, size_t n_ranks)
{
    struct named_ranks ranks = {.main = rank_with_most(by_rank, n_ranks)};
    uint64_t most = ranks.main == RESULT_NONE ? 0 : by_rank[ranks.main];
    ranks.least = (double)most / 4;
    FILE *out = fmemopen(ranks.text, sizeof ranks.text, "w");
    size_t n_runs = 0;
    uint32_t first = RESULT_NONE;
    for (uint32_t i = 0; i <= n_ranks && most > 0; i++) {
        bool is_named = i < n_ranks && (double)by_rank[i] >= ranks.least;
        ranks.n += is_named;
        if (is_named && first == RESULT_NONE)
            first = i;
        if (is_named || first == RESULT_NONE)
            continue;
        if (n_runs++ < MAX_NAMED_RANKS)
            write_run(out, n_runs > 1 ? ", " : "", first, i - 1);
        first = RESULT_NONE;
    }
    fclose(out);
    SCOPED char *runs = memory_copy_text(ranks.text);
    if (ranks.n == 0)
        ranks.text[0] = '\0';
    else if (ranks.n == n_ranks && n_ranks > 1)
        snprintf(ranks.text, sizeof ranks.text, "all ranks");
    else if (n_runs > MAX_NAMED_RANKS)
        snprintf(ranks.text, sizeof ranks.text, "%" PRIu64 " ranks, rank %" PRIu32 " most", ranks.n,
                 ranks.main);
    else
        snprintf(ranks.text, sizeof ranks.text, "rank%s %s", ranks.n == 1 ? "" : "s", runs);
    return ranks;
}

// --- facts

void facts_say(struct facts *facts, enum finding_text name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    facts_put_text(facts, name, memory_format_list(format, arguments));
    va_end(arguments);
}

void facts_release(struct facts *facts)
{
    for (size_t i = 0; i < N_FINDING_TEXTS; i++)
        free(facts->texts[i]);
    FREE_ALL(facts->waiting_ns, facts->heavy_ns);
}

static double pattern_share(const struct result *result, const struct cause *cause, const char *id)
{
    uint32_t pattern = result_find_pattern(result, id);
    return pattern == RESULT_NONE
               ? 0
               : part_of((double)cause->by_pattern_ns[pattern], (double)cause->loss_ns);
}

/// The part of the loss that is waits for messages, or for receives to be posted.
static double message_share(const struct result *result, const struct cause *cause)
{
    return pattern_share(result, cause, "late-sender") +
           pattern_share(result, cause, "late-receiver");
}

/// Whether waits of PATTERN are in collective operations: all that are not for messages or their
/// receivers.
static bool is_of_collective(const struct result_pattern *pattern)
{
    return pattern->is_top && !result_waits_for_messages(pattern);
}

/// How long ranks wait by PATTERN because of CAUSE; NULL: because of anything.
static uint64_t waits_ns(const struct result *result, const struct cause *cause, size_t pattern)
{
    return cause ? cause->by_pattern_ns[pattern] : result->patterns[pattern].window_ns;
}

/// How long ranks wait in collective operations because of CAUSE, NULL: because of anything.
static uint64_t collective_waits_ns(const struct result *result, const struct cause *cause)
{
    uint64_t all_ns = 0;
    for (size_t i = 0; i < result->n_patterns; i++)
        all_ns += is_of_collective(&result->patterns[i]) ? waits_ns(result, cause, i) : 0;
    return all_ns;
}

/// The call path of the collective operation in which ranks wait most because of CAUSE, NULL:
/// because of anything; RESULT_NONE: they do not.
static uint32_t collective_path(const struct result *result, const struct cause *cause)
{
    const struct result_pattern *most = NULL;
    uint64_t most_ns = 0;
    for (size_t i = 0; i < result->n_patterns; i++)
        if (is_of_collective(&result->patterns[i]) && result->patterns[i].n_by_path > 0 &&
            waits_ns(result, cause, i) > most_ns) {
            most_ns = waits_ns(result, cause, i);
            most = &result->patterns[i];
        }
    return most ? most->by_path[0].key : RESULT_NONE;
}

/// In which collective operation ranks wait, and how long in all of them, because of CAUSE and in
/// the whole run.
static void put_collective(const struct result *result, const struct cause *cause,
                           struct facts *facts)
{
    double loss_ns = (double)cause->loss_ns;
    facts->numbers[FINDING_NUMBER_collective_share] =
        part_of((double)collective_waits_ns(result, cause), loss_ns);
    facts->numbers[FINDING_NUMBER_drained_share] =
        part_of((double)collective_waits_ns(result, NULL), loss_ns);
    uint32_t path = collective_path(result, cause);
    if (path == RESULT_NONE)
        path = collective_path(result, NULL);
    if (path != RESULT_NONE)
        facts_say(facts, FINDING_TEXT_collective_path, "%s", result->paths[path].shown);
}

/// The part of CAUSE's waits for messages in which another message could have been received.
static double order_share(const struct result *result, const struct cause *cause)
{
    double wrong_ns = 0, all_ns = 0;
    for (size_t i = 0; i < result->n_patterns; i++) {
        const struct result_pattern *pattern = &result->patterns[i];
        wrong_ns += strcmp(pattern->id, "late-sender-wrong-order") ? 0 : (double)pattern->total_ns;
        all_ns += strcmp(pattern->id, "late-sender") ? 0 : (double)pattern->total_ns;
    }
    return part_of(wrong_ns, all_ns) * pattern_share(result, cause, "late-sender");
}

/// Whether the computing of CAUSE ends with calls of the function that PATH's are in. Of recorded
/// functions doing_ranks tells more.
static bool are_of_one_function(const struct result *result, const struct cause *cause,
                                uint32_t path)
{
    if (cause->site == RESULT_NONE)
        return false;
    uint32_t a = result->paths[path].parent;
    uint32_t b = result->paths[result->sites[cause->site].path].parent;
    return a == b || (a != RESULT_NONE && b != RESULT_NONE &&
                      result->paths[a].region == result->paths[b].region);
}

/// What call PATH with waits of PATTERN is, and what is around it.
static void put_wait_call(const struct result *result, const struct cause *cause, uint32_t path,
                          struct facts *facts)
{
    const struct result_region *region = &result->regions[result->paths[path].region];
    facts->numbers[FINDING_NUMBER_symmetric] =
        strcasestr(region->name, "sendrecv") || strcasestr(region->name, "wait");
    facts->numbers[FINDING_NUMBER_completing] = result_completes_requests(region);
    facts->numbers[FINDING_NUMBER_other_code] = !are_of_one_function(result, cause, path);
    facts_say(facts, FINDING_TEXT_wait_path, "%s", result->paths[path].shown);
}

/// Whether PATH, or what it calls, computes long enough to hide much of NS.
static bool can_hide(const struct result *result, uint32_t path, uint64_t ns)
{
    uint64_t computing_ns = 0;
    for (uint32_t i = 0; i < result->n_paths; i++) {
        const struct result_region *region = &result->regions[result->paths[i].region];
        uint32_t at = i;
        while (at != RESULT_NONE && at != path)
            at = result->paths[at].parent;
        if (at == path && !region->is_mpi && !lost_is_region(region))
            computing_ns += result->paths[i].exclusive_ns;
    }
    return (double)computing_ns >= hidden * (double)ns;
}

/// Where CAUSE makes ranks wait longest for messages, or else PATH, and the code in which computing
/// can hide these waits: the innermost function around them that computes, as a method that only
/// waits does not.
static void put_scope(const struct result *result, const struct cause *cause, uint32_t path,
                      struct facts *facts)
{
    uint32_t late_sender = result_find_pattern(result, "late-sender");
    const struct result_pattern *pattern = &result->patterns[facts->wait_pattern];
    if (late_sender != RESULT_NONE && facts->wait_pattern != late_sender &&
        cause->by_pattern_ns[late_sender] > 0) {
        pattern = &result->patterns[late_sender];
        path = pattern->n_by_path > 0 ? pattern->by_path[0].key : path;
    }
    if (strcmp(pattern->id, "late-sender") == 0)
        facts_put_text(facts, FINDING_TEXT_receive_call, path_text(result, pattern, path));
    uint32_t around = result->paths[path].parent, scope = around;
    while (scope != RESULT_NONE && !can_hide(result, scope, result->paths[path].exclusive_ns))
        scope = result->paths[scope].parent;
    scope = scope == RESULT_NONE ? around : scope; // functions were not recorded
    uint32_t outer = scope == RESULT_NONE ? RESULT_NONE : result->paths[scope].parent;
    if (scope != RESULT_NONE)
        facts_say(facts, FINDING_TEXT_wait_scope, "%s", result->paths[scope].shown);
    if (outer != RESULT_NONE)
        facts_say(facts, FINDING_TEXT_wait_outer, "%s", result->paths[outer].shown);
}

/// Where the ranks with LEAST_NS of BY_RANK wait most, and another call with half as much.
static void put_wait_calls(const struct result *result, const struct cause *cause,
                           const struct result_pattern *pattern, const uint64_t *by_rank,
                           struct facts *facts)
{
    uint64_t most_ns = 0, other_ns = 0, ns = 0;
    uint32_t most = pattern->by_path[0].key;
    facts->other_wait = RESULT_NONE;
    for (size_t i = 0; i < pattern->n_sums; i++) {
        const struct result_instance_sum *sum = &pattern->sums[i];
        ns = i > 0 && sum[-1].path == sum->path ? ns : 0;
        ns += (double)by_rank[sum->rank] >= facts->waiting.least ? sum->ns : 0;
        bool is_last = i + 1 == pattern->n_sums || sum[1].path != sum->path;
        if (is_last && ns > most_ns) {
            facts->other_wait = most_ns > 0 ? most : RESULT_NONE;
            other_ns = most_ns;
            most = sum->path;
            most_ns = ns;
        } else if (is_last && ns > other_ns) {
            facts->other_wait = sum->path;
            other_ns = ns;
        }
    }
    if (2 * other_ns < most_ns)
        facts->other_wait = RESULT_NONE;
    facts->wait_path = most;
    put_wait_call(result, cause, most, facts);
    put_scope(result, cause, most, facts);
    char *text = path_text(result, pattern, most);
    if (facts->other_wait != RESULT_NONE) {
        SCOPED char *other = path_text(result, pattern, facts->other_wait);
        text_append(&text, " and %s", other);
    }
    facts_put_text(facts, FINDING_TEXT_wait_call, text);
}

static void put_waits(const struct result *result, const struct cause *cause, struct facts *facts)
{
    uint64_t most_ns = 0;
    facts->wait_pattern = facts->wait_path = facts->other_wait = RESULT_NONE;
    for (uint32_t i = 0; i < result->n_patterns; i++) {
        if (cause->by_pattern_ns[i] > most_ns) {
            most_ns = cause->by_pattern_ns[i];
            facts->wait_pattern = i;
        }
    }
    if (facts->wait_pattern == RESULT_NONE)
        return;
    const struct result_pattern *pattern = &result->patterns[facts->wait_pattern];
    uint64_t *by_rank = memory_zeroed(result->n_ranks, sizeof *by_rank);
    facts->waiting_ns = by_rank;
    for (size_t i = 0; i < pattern->n_by_rank; i++)
        by_rank[pattern->by_rank[i].key] = pattern->by_rank[i].ns;
    uint64_t own_ns = 0;
    if (facts->causing.n == 1) { // it waits for others, unless no other rank waits
        own_ns = by_rank[facts->causing.main];
        by_rank[facts->causing.main] = 0;
    }
    facts->waiting = name_ranks(by_rank, result->n_ranks);
    if (facts->waiting.main == RESULT_NONE && own_ns > 0) {
        by_rank[facts->causing.main] = own_ns;
        facts->waiting = name_ranks(by_rank, result->n_ranks);
    }
    if (facts->causing.main != RESULT_NONE && facts->waiting.main != RESULT_NONE)
        facts->numbers[FINDING_NUMBER_mutual] =
            own_ns > 0 ? (double)own_ns >= turns * (double)by_rank[facts->waiting.main]
                       : (double)by_rank[facts->causing.main] >= facts->waiting.least;
    if (pattern->n_by_path > 0)
        put_wait_calls(result, cause, pattern, by_rank, facts);
    if (facts->waiting.main != RESULT_NONE) {
        facts->numbers[FINDING_NUMBER_waiter_useful] =
            part_of((double)result->ranks[facts->waiting.main].useful_ns,
                    (double)(result->window_end_ns - result->window_begin_ns));
        facts_say(facts, FINDING_TEXT_waiting, "%s wait%s", facts->waiting.text,
                  facts->waiting.n == 1 ? "s" : "");
    }
    bool are_several = facts->causing.n > 1, are_all = facts->causing.n == result->n_ranks;
    bool are_same = !strcmp(facts->waiting.text, facts->causing.text);
    facts_say(facts, FINDING_TEXT_awaited, "%s",
              are_several && are_same  ? "each other"
              : are_several && are_all ? "other ranks"
                                       : facts->causing.text);
    facts_say(facts, FINDING_TEXT_wait_state, "%s", pattern->name);
    for (size_t i = 0; i < result->n_hints; i++) {
        if (strcmp(result->hints[i].pattern, pattern->id) != 0)
            continue;
        // Its first sentence repeats numbers.
        const char *text = result->hints[i].text, *end = strstr(text, ". ");
        facts_say(facts, FINDING_TEXT_wait_hint, "%s", end ? end + 2 : text);
    }
}

bool facts_take_other_wait(struct facts *facts, const struct result *result,
                           const struct cause *cause)
{
    if (facts->other_wait == RESULT_NONE)
        return false;
    put_wait_call(result, cause, facts->other_wait, facts);
    put_scope(result, cause, facts->other_wait, facts);
    facts->other_wait = RESULT_NONE;
    return true;
}

/// Whether rank HUB, which all messages come from or go to, leaves the work to the others: it
/// computes less than half as long as any other one.
static bool only_hands_out(const struct result *result, uint32_t hub)
{
    bool is_least = true;
    for (uint32_t i = 0; i < result->n_ranks; i++)
        is_least &= i == hub || 2 * result->ranks[hub].useful_ns < result->ranks[i].useful_ns;
    return is_least;
}

static void put_time(struct facts *facts, enum finding_text name, double ns)
{
    facts_say(facts, name, "%s", quantity_time((uint64_t)ns).text);
}

/// The ranks that do as much as the one with most of the loss, if that does more than the mean.
/// TIMES_NS: of each rank, in sum SUM_NS.
static void put_heavy(const struct result *result, const uint64_t *times_ns, double sum_ns,
                      struct facts *facts)
{
    uint32_t main = facts->causing.main;
    double most_ns = main == RESULT_NONE ? 0 : (double)times_ns[main];
    double more_ns = most_ns - sum_ns / (double)result->n_ranks;
    if (more_ns <= 0)
        return;
    facts->heavy_ns = memory_zeroed(result->n_ranks, sizeof *facts->heavy_ns);
    for (size_t i = 0; i < result->n_ranks; i++)
        facts->heavy_ns[i] = (double)times_ns[i] >= most_ns - alike * more_ns;
    facts->heavy = name_ranks(facts->heavy_ns, result->n_ranks);
}

/// Names the ranks with more work than others. Where the work of each rank is not known, it names
/// those that others wait for.
static void say_heavy(struct facts *facts, double own_ns)
{
    const struct named_ranks *heavy = facts->heavy_ns ? &facts->heavy : &facts->causing;
    if (heavy->n == 0)
        return;
    facts_say(facts, FINDING_TEXT_heavy, "%s %s", heavy->text, heavy->n == 1 ? "has" : "have");
    if (own_ns >= 0 && heavy->n == 1)
        put_time(facts, FINDING_TEXT_heavy_time, own_ns);
    else if (own_ns >= 0)
        facts_say(facts, FINDING_TEXT_heavy_time, "%s on rank %" PRIu32,
                  quantity_time((uint64_t)own_ns).text, facts->causing.main);
}

/// The ranks that do far less than all others, which do about the same; fewer than half. TIMES_NS:
/// of each rank.
static void put_light(const struct result *result, const uint64_t *times_ns, struct facts *facts)
{
    size_t n = result->n_ranks, n_light = 0;
    uint64_t widest_ns = 0, light_ns = 0, sum_ns = 0;
    SCOPED uint64_t *sorted_ns = memory_zeroed(n, sizeof *sorted_ns);
    memcpy(sorted_ns, times_ns, n * sizeof *sorted_ns);
    qsort(sorted_ns, n, sizeof *sorted_ns, uint64_compare);
    for (size_t i = 1; 2 * i < n; i++)
        if (sorted_ns[i] - sorted_ns[i - 1] > widest_ns) {
            widest_ns = sorted_ns[i] - sorted_ns[i - 1];
            n_light = i;
        }
    if (n_light == 0 || (double)(sorted_ns[n - 1] - sorted_ns[n_light]) > alike * (double)widest_ns)
        return;
    SCOPED uint64_t *is_light = memory_zeroed(n, sizeof *is_light);
    for (size_t i = 0; i < n; i++) {
        is_light[i] = times_ns[i] < sorted_ns[n_light];
        light_ns += is_light[i] ? times_ns[i] : 0;
        sum_ns += times_ns[i];
    }
    struct named_ranks light = name_ranks(is_light, n);
    facts->numbers[FINDING_NUMBER_light_ranks] = (double)n_light;
    facts_say(facts, FINDING_TEXT_light, "%s %s", light.text, n_light == 1 ? "has" : "have");
    put_time(facts, FINDING_TEXT_light_time, (double)light_ns / (double)n_light);
    put_time(facts, FINDING_TEXT_full_time, (double)(sum_ns - light_ns) / (double)(n - n_light));
}

/// The same of a program without recorded functions. There only the computing of a whole rank is
/// known, so it is told if nearly all computing is in the place, which has NS.
static void put_light_in_code(const struct result *result, double ns, struct facts *facts)
{
    if (ns < nearly_all * (double)result->useful_ns)
        return;
    SCOPED uint64_t *times_ns = memory_zeroed(result->n_ranks, sizeof *times_ns);
    for (size_t i = 0; i < result->n_ranks; i++)
        times_ns[i] = result->ranks[i].useful_ns;
    put_light(result, times_ns, facts);
}

/// What the ranks do in the place, and whether one does more than others.
static void put_times(const struct result *result, const struct cause *cause, struct facts *facts)
{
    SCOPED uint64_t *times_ns = memory_zeroed(result->n_ranks, sizeof *times_ns);
    double most_ns = 0, sum_ns = 0, own_ns = 0, waits_ns = 0, n = (double)result->n_ranks;
    bool is_known = true, is_own = true;
    if (cause->subject == FINDING_threads) // what their masters do there meanwhile says nothing
        return;
    if (cause->subject == FINDING_computing && cause->site != RESULT_NONE) {
        for (size_t i = 0; i <= cause->n_parts; i++) {
            const struct result_site *site =
                &result->sites[i == 0 ? cause->site : cause->parts[i - 1]];
            sum_ns += (double)(facts->is_since ? site->since_ns : site->before_ns);
            most_ns += (double)(facts->is_since ? site->since_max_ns : site->before_max_ns);
            is_own &= site->before_max_rank == facts->causing.main;
        }
        sum_ns -= n * facts->shared_ns;
        most_ns -= facts->shared_ns;
        own_ns = is_own ? most_ns : -1;
    } else {
        is_known = cause_times(result, cause, times_ns);
        for (size_t i = 0; i < result->n_ranks; i++) {
            sum_ns += (double)times_ns[i];
            most_ns = (double)times_ns[i] > most_ns ? (double)times_ns[i] : most_ns;
        }
        own_ns = facts->causing.main == RESULT_NONE ? -1 : (double)times_ns[facts->causing.main];
    }
    for (size_t i = 0; i < result->n_patterns; i++)
        waits_ns += (double)cause->by_pattern_ns[i];
    if (!is_known || most_ns <= 0)
        return;
    bool has_master = facts->numbers[FINDING_NUMBER_hub_share] > nearly_all && n > 2 &&
                      facts->numbers[FINDING_NUMBER_is_hub] == 0 &&
                      only_hands_out(result, facts->hub);
    if (cause->site == RESULT_NONE)
        put_heavy(result, times_ns, sum_ns, facts);
    if (has_master)
        n--;
    else if (cause->site == RESULT_NONE)
        put_light(result, times_ns, facts);
    else
        put_light_in_code(result, sum_ns, facts);
    // Where another rank than the one that others wait for does more, it is not that.
    bool has_more = own_ns < 0 || n * own_ns > sum_ns;
    double uneven_share = has_more ? part_of(n * most_ns - sum_ns, waits_ns) : 0;
    facts->numbers[FINDING_NUMBER_doing_ranks] = sum_ns / most_ns;
    facts->numbers[FINDING_NUMBER_uneven_share] = uneven_share < 1 ? uneven_share : 1;
    if (own_ns >= 0 && facts->once_ns)
        own_ns = (double)facts->once_ns;
    if (own_ns >= 0)
        put_time(facts, FINDING_TEXT_rank_time, own_ns);
    say_heavy(facts, own_ns);
    if (facts->once_ns == 0)
        put_time(facts, FINDING_TEXT_mean_time, sum_ns / n);
}

/// The region that the time of PATH is in: blocked time is in the function around it.
static uint32_t region_of_time(const struct result *result, const struct result_path *path,
                               bool *is_blocked)
{
    *is_blocked = strcmp(result->regions[path->region].name, RESULT_REGION_BLOCKED) == 0;
    return !*is_blocked                  ? path->region
           : path->parent != RESULT_NONE ? result->paths[path->parent].region
                                         : RESULT_NONE;
}

/// How much of the time of CAUSE's function is blocked.
static void put_blocked_share(const struct result *result, const struct cause *cause,
                              struct facts *facts)
{
    double blocked_ns = 0, own_ns = 0;
    for (size_t i = 0; i < result->n_paths; i++) {
        bool is_blocked;
        uint32_t region = region_of_time(result, &result->paths[i], &is_blocked);
        if (region == cause->region && region != RESULT_NONE)
            *(is_blocked ? &blocked_ns : &own_ns) += (double)result->paths[i].exclusive_ns;
    }
    facts->numbers[FINDING_NUMBER_blocked_share] = part_of(blocked_ns, blocked_ns + own_ns);
}

/// How much of the blocked time is in other places than those of CAUSE.
static void put_elsewhere_share(const struct result *result, const struct cause *cause,
                                struct facts *facts)
{
    bool has_outer = cause_outer(result, cause) != RESULT_NONE;
    double named_ns = 0, all_ns = 0;
    for (size_t i = 0; i < result->n_paths; i++) {
        bool is_blocked;
        uint32_t region = region_of_time(result, &result->paths[i], &is_blocked);
        double ns = is_blocked ? (double)result->paths[i].exclusive_ns : 0;
        bool is_here = region == cause->region && region != RESULT_NONE;
        all_ns += ns;
        named_ns += (has_outer ? cause_has_place(cause, region) : is_here) ? ns : 0;
    }
    if (facts->site != RESULT_NONE)
        named_ns = (double)result->sites[facts->site].blocked_before_ns;
    facts->numbers[FINDING_NUMBER_elsewhere_share] = part_of(all_ns - named_ns, all_ns);
}

/// Of the loss, what is lost because the ranks compute where they are blocked.
static void put_computed(const struct cause *cause, struct facts *facts)
{
    if (cause->supposed_ns > 0)
        facts_say(facts, FINDING_TEXT_supposed, "%s", quantity_time(cause->supposed_ns).text);
    if (cause->computed_ns > 0)
        facts_say(facts, FINDING_TEXT_computed, "%s", quantity_time(cause->computed_ns).text);
}

/// Whether PATH, or one around it, is a place of CAUSE.
static bool is_within(const struct result *result, const struct cause *cause, uint32_t path)
{
    bool is_here = false;
    for (; path != RESULT_NONE && !is_here; path = result->paths[path].parent)
        is_here =
            cause_has_place(cause, cause->path != RESULT_NONE ? path : result->paths[path].region);
    return is_here;
}

/// Where the place of CAUSE is a recorded function of the C library for files: the share of its
/// time that is spent on operations on files.
static void put_file_share(const struct result *result, const struct cause *cause,
                           struct facts *facts)
{
    uint64_t all_ns = 0, files_ns = 0;
    if (cause->region == RESULT_NONE || cause->site != RESULT_NONE)
        return;
    for (size_t i = 0; i < result->n_paths; i++)
        if (cause_has_place(cause, result->paths[i].region))
            all_ns += result->paths[i].inclusive_ns;
    for (size_t i = 0; i < result->n_file_uses; i++)
        if (cause_has_place(cause, result->paths[result->file_uses[i].path].region))
            files_ns += result->file_uses[i].sums.own_ns;
    double share = part_of((double)files_ns, (double)all_ns);
    facts->numbers[FINDING_NUMBER_file_share] = share < 1 ? share : 1;
}

/// Which files the place of CAUSE uses, by the time of the operations.
static void put_file(const struct result *result, const struct cause *cause, struct facts *facts)
{
    uint64_t all_ns = 0, most_ns = 0, waits_ns = 0;
    uint32_t main = RESULT_NONE, n_files = 0;
    if (cause_place(cause) == RESULT_NONE || facts->site != RESULT_NONE)
        return;
    for (size_t i = 0; i < result->n_file_uses;) { // sorted by file
        uint32_t file = result->file_uses[i].file;
        uint64_t file_ns = 0;
        bool is_used = false;
        for (; i < result->n_file_uses && result->file_uses[i].file == file; i++) {
            if (!is_within(result, cause, result->file_uses[i].path))
                continue;
            file_ns += result->file_uses[i].sums.own_ns;
            is_used = true;
        }
        n_files += is_used;
        all_ns += file_ns;
        if (file_ns <= most_ns)
            continue;
        most_ns = file_ns;
        main = file;
    }
    for (size_t i = 0; i < result->n_patterns; i++)
        waits_ns += cause->by_pattern_ns[i];
    if (main == RESULT_NONE || all_ns < (cause->loss_ns - waits_ns) / 2)
        return;
    const char *name = result->files[main].name;
    facts_put_text(facts, FINDING_TEXT_file,
                   n_files == 1 ? memory_copy_text(name)
                                : memory_format("%s and %s", name,
                                                quantity_count(n_files - 1, "further file").text));
}

/// Visits of the place of CAUSE by the rank with most of the loss, and its time there; false: not
/// known, or not of the place alone.
static bool own_visits(const struct result *result, const struct cause *cause,
                       const struct facts *facts, double *visits, double *time_ns)
{
    uint64_t inclusive_ns = 0;
    *visits = *time_ns = 0;
    if (cause->n_parts > 0 || cause->region == RESULT_NONE)
        return false;
    if (facts->site != RESULT_NONE) {
        const struct result_site *site = &result->sites[facts->site];
        bool is_of_all = cause->subject == FINDING_iterations;
        *visits = (double)site->visits / (double)result->n_ranks;
        *time_ns = is_of_all ? (double)site->before_ns / (double)result->n_ranks
                             : (double)site->before_max_ns;
        return is_of_all || site->before_max_rank == facts->causing.main;
    }
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *of = &result->path_ranks[i];
        if (of->rank != facts->causing.main || result->paths[of->path].region != cause->region)
            continue;
        *visits += (double)of->visits;
        *time_ns += (double)of->exclusive_ns;
        inclusive_ns += of->inclusive_ns;
    }
    return *time_ns > 0 && (double)inclusive_ns < 1.1 * *time_ns;
}

/// How long each visit of the place would take without LOST_NS.
static void put_usual(const struct result *result, const struct cause *cause, uint64_t lost_ns,
                      struct facts *facts)
{
    double visits, time_ns;
    if (!own_visits(result, cause, facts, &visits, &time_ns) || visits < 1)
        return;
    double usual_ns = time_ns > (double)lost_ns ? (time_ns - (double)lost_ns) / visits : 0;
    facts_say(facts, FINDING_TEXT_usual, "%.0fus", usual_ns / 1e3);
}

/// The iterations in which the rank with most of the loss computes longer, or all ranks where that
/// is the cause; the most costly of them.
static void put_iterations(const struct result *result, const struct cause *cause,
                           struct facts *facts)
{
    const struct result_odd *odd = NULL;
    uint64_t lost_ns = 0;
    uint32_t rank = cause->subject == FINDING_iterations ? RESULT_NONE : facts->causing.main;
    for (size_t i = 0; i < result->iterations.n_odd; i++) {
        const struct result_odd *other = &result->iterations.odd[i];
        if (other->rank != rank || other->cause != RESULT_ODD_COMPUTING)
            continue;
        lost_ns += other->lost_ns;
        odd = odd ? odd : other;
    }
    if (!odd)
        return;
    put_usual(result, cause, lost_ns, facts);
    double waiting_ns = (double)odd->lost_ns * (double)(result->n_ranks - 1);
    facts->numbers[FINDING_NUMBER_odd_share] = part_of(waiting_ns, (double)cause->loss_ns);
    facts->numbers[FINDING_NUMBER_trend] = odd->is_trend;
    char *which = odd->is_trend ? memory_format("from iteration %" PRIu64 " on", odd->first)
                  : odd->every > 1
                      ? memory_format("iterations %" PRIu64 ", %" PRIu64 ", ... %" PRIu64,
                                      odd->first, odd->first + odd->every, odd->last)
                  : odd->first == odd->last
                      ? memory_format("iteration %" PRIu64, odd->first)
                      : memory_format("iterations %" PRIu64 " to %" PRIu64, odd->first, odd->last);
    facts_put_text(facts, FINDING_TEXT_odd, which);
    facts_say(facts, FINDING_TEXT_odd_factor, "%.1f times", odd->factor);
}

/// The loss, and what of it are waits of other ranks.
static void put_loss(const struct result *result, const struct cause *cause, struct facts *facts)
{
    uint64_t waits_ns = 0;
    for (size_t i = 0; i < result->n_patterns; i++)
        waits_ns += cause->by_pattern_ns[i];
    facts_say(facts, FINDING_TEXT_loss, "%s", quantity_time(cause->loss_ns).text);
    uint64_t took_ns = cause->loss_ns - waits_ns;
    facts_say(facts, FINDING_TEXT_took, "%s",
              took_ns > 0 ? quantity_time(took_ns).text : "no time in the judged part");
    if (waits_ns > cause->loss_ns / 100)
        facts_say(facts, FINDING_TEXT_delays, "%s", quantity_time(waits_ns).text);
    facts_say(facts, FINDING_TEXT_loss_share, "%s",
              quantity_part((double)cause->loss_ns, (double)result->total_ns).text);
}

static char *sharing_text(const struct result *result)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    cores_write_sharing(result, out);
    fclose(out);
    return text;
}

/// What other programs had of the ranks' cores.
static void put_taken(const struct result *result, struct facts *facts)
{
    facts->numbers[FINDING_NUMBER_taken_share] = result->taken_share;
    if (result->taken_ns == 0)
        return;
    facts_say(facts, FINDING_TEXT_taken, "%s", quantity_time(result->taken_ns).text);
    facts_say(facts, FINDING_TEXT_taken_part, "%s", quantity_share(result->taken_share).text);
}

void facts_collect(struct facts *facts, const struct result *result, const struct cause *cause)
{
    double loss_ns = (double)cause->loss_ns;
    *facts = (struct facts){.causing = name_ranks(cause->by_rank_ns, result->n_ranks)};
    uint32_t main = facts->causing.main;
    facts->numbers[FINDING_NUMBER_share] = part_of(loss_ns, (double)result->total_ns);
    facts->numbers[FINDING_NUMBER_ranks] = (double)result->n_ranks;
    facts->numbers[FINDING_NUMBER_sharing] =
        main != RESULT_NONE && result->ranks[main].shares_cores ? 1 : 0;
    facts->numbers[FINDING_NUMBER_balance] =
        isnan(result->efficiency.load_balance) ? 1 : result->efficiency.load_balance;
    facts->numbers[FINDING_NUMBER_concurrency] = part_of(
        (double)result->useful_ns, (double)(result->window_end_ns - result->window_begin_ns));
    facts->numbers[FINDING_NUMBER_causing_ranks] = (double)facts->causing.n;
    facts->numbers[FINDING_NUMBER_barrier_share] = pattern_share(result, cause, "wait-at-barrier");
    facts->numbers[FINDING_NUMBER_contention_share] =
        pattern_share(result, cause, "lock-contention");
    facts->numbers[FINDING_NUMBER_epoch_share] =
        pattern_share(result, cause, "late-post") + pattern_share(result, cause, "early-wait");
    facts->numbers[FINDING_NUMBER_message_share] = message_share(result, cause);
    facts_say(facts, FINDING_TEXT_ranks, "%zu", result->n_ranks);
    facts_say(facts, FINDING_TEXT_last_rank, "%zu", result->n_ranks - 1);
    put_loss(result, cause, facts);
    if (main != RESULT_NONE) {
        facts->numbers[FINDING_NUMBER_main_share] =
            part_of((double)cause->by_rank_ns[main], loss_ns);
        facts_say(facts, FINDING_TEXT_rank, "rank %" PRIu32, main);
        facts_say(facts, FINDING_TEXT_number, "%" PRIu32, main);
        facts_say(facts, FINDING_TEXT_causing, "%s", facts->causing.text);
        if (facts->causing.n < result->n_ranks)
            facts_say(facts, FINDING_TEXT_some, "%s", facts->causing.text);
    }
    put_collective(result, cause, facts);
    facts->numbers[FINDING_NUMBER_root_share] = pattern_share(result, cause, "late-broadcast");
    facts->numbers[FINDING_NUMBER_receiver_share] = pattern_share(result, cause, "late-receiver");
    facts->numbers[FINDING_NUMBER_outside_share] =
        pattern_share(result, cause, "receiver-outside-mpi");
    facts->numbers[FINDING_NUMBER_order_share] = order_share(result, cause);
    put_waits(result, cause, facts);
    facts_put_places(result, cause, facts);
    facts_put_calls(result, cause, facts);
    put_times(result, cause, facts);
    put_iterations(result, cause, facts);
    if (facts->site == RESULT_NONE)
        put_blocked_share(result, cause, facts);
    put_elsewhere_share(result, cause, facts);
    put_computed(cause, facts);
    put_file(result, cause, facts);
    put_file_share(result, cause, facts);
    facts_put_threads(result, cause, facts);
    if (cores_of(result).n_short_ranks > 0 || facts->numbers[FINDING_NUMBER_sharing] > 0)
        facts_put_text(facts, FINDING_TEXT_sharing, sharing_text(result));
    put_taken(result, facts);
}
