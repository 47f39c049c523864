// SPDX-License-Identifier: BSD-3-Clause
// Rules, in this order. Nothing to judge (no rank read, one rank without MPI, too short) is said
// first. Then how the ranks spent their time. Then whether they had cores: without them neither
// waits nor uneven times say much about the program. Then the biggest loss: the top pattern with
// the longest waits or, if longer, the MPI time outside waits. Then its cause, uneven work
// included, and where to look.
#include "analyzer/result/conclusion.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/sites.h"

static const uint64_t too_short_ns = 1000000; // noise of a scheduler's time slice and more
static const double little = 0.02;            // shares below it are not worth a sentence
static const double good_efficiency = 0.95;
static const double worth_naming_share = 0.25; // of the waits

/// Where each sentence goes; all end in a blank.
struct answer {
    FILE *scope, *loss, *cause, *change, *certainty;
};

enum loss_kind { LOSS_NONE, LOSS_PATTERN, LOSS_PATTERN_OUTSIDE, LOSS_MPI };

struct loss {
    enum loss_kind kind;
    const struct result_pattern *pattern;
    uint64_t ns;
    double share; // of the ranks' time in the window (OUTSIDE: in the whole run)
};

static double part(double amount, double whole)
{
    return whole > 0 ? amount / whole : 0;
}

static struct loss find_loss(const struct result *result)
{
    struct loss loss = {.kind = LOSS_NONE};
    double run_time = (double)result->n_ranks * (double)result->time_ns;
    for (size_t i = 0; i < result->n_patterns; i++) {
        const struct result_pattern *pattern = &result->patterns[i];
        bool is_outside = pattern->window_ns == 0; // e.g. waiting at MPI_Finalize
        uint64_t ns = is_outside ? pattern->total_ns : pattern->window_ns;
        double share = part((double)ns, is_outside ? run_time : (double)result->total_ns);
        if (pattern->is_top && share > loss.share)
            loss =
                (struct loss){is_outside ? LOSS_PATTERN_OUTSIDE : LOSS_PATTERN, pattern, ns, share};
    }
    double other_share = part((double)result->other_mpi_ns, (double)result->total_ns);
    if (other_share > loss.share)
        loss = (struct loss){LOSS_MPI, NULL, result->other_mpi_ns, other_share};
    if (loss.share < little)
        loss.kind = LOSS_NONE;
    return loss;
}

static bool is_start_or_end(const char *region)
{
    return !strncmp(region, "MPI_Init", 8) || !strncmp(region, "MPI_Finalize", 12);
}

/// The MPI call path with most time that was not waiting, start-up and end aside.
static uint32_t heaviest_mpi_path(const struct result *result)
{
    uint64_t *left_ns = memory_zeroed(result->n_paths, sizeof *left_ns);
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_region *region = &result->regions[result->paths[i].region];
        if (region->is_mpi && !is_start_or_end(region->name))
            left_ns[i] = result->paths[i].exclusive_ns;
    }
    for (size_t i = 0; i < result->n_patterns; i++) {
        const struct result_pattern *pattern = &result->patterns[i];
        for (size_t j = 0; pattern->is_top && j < pattern->n_by_path; j++) {
            uint64_t *left = &left_ns[pattern->by_path[j].key];
            *left -= pattern->by_path[j].ns < *left ? pattern->by_path[j].ns : *left;
        }
    }
    uint32_t heaviest = RESULT_NONE;
    uint64_t most_ns = 0;
    for (size_t i = 0; i < result->n_paths; i++) {
        if (left_ns[i] > most_ns) {
            most_ns = left_ns[i];
            heaviest = (uint32_t)i;
        }
    }
    free(left_ns);
    return heaviest;
}

static const struct result_amount *heaviest_amount(const struct result_amount *amounts,
                                                   size_t count)
{
    const struct result_amount *heaviest = NULL;
    for (size_t i = 0; i < count; i++)
        if (!heaviest || amounts[i].ns > heaviest->ns)
            heaviest = &amounts[i];
    return heaviest;
}

/// " (81.2 %)", or nothing when it is all of WHOLE.
static struct quantity portion(uint64_t amount_ns, uint64_t whole_ns)
{
    struct quantity q = {""};
    double share = part((double)amount_ns, (double)whole_ns);
    if (share < 0.9995)
        snprintf(q.text, sizeof q.text, " (%s)", quantity_share(share).text);
    return q;
}

static bool is_all(const struct result_amount *amount, const struct result_pattern *pattern)
{
    return amount && amount->ns == pattern->total_ns;
}

/// Which rank waits and which rank causes it. The rank that waits most need not wait for the rank
/// that causes most, so these are two statements unless there is but one of each.
static void write_ranks(const struct result_pattern *pattern, FILE *out)
{
    const struct result_amount *rank = heaviest_amount(pattern->by_rank, pattern->n_by_rank);
    const struct result_amount *cause = heaviest_amount(pattern->by_cause, pattern->n_by_cause);
    if (is_all(rank, pattern) && is_all(cause, pattern)) {
        fprintf(out, "Rank %u waits for rank %u. ", rank->key, cause->key);
        return;
    }
    if (rank && is_all(rank, pattern))
        fprintf(out, "Only rank %u waits", rank->key);
    else if (rank)
        fprintf(out, "Rank %u waits most%s", rank->key, portion(rank->ns, pattern->total_ns).text);
    if (cause && is_all(cause, pattern))
        fprintf(out, "%s rank %u causes all of the waiting", rank ? ";" : "Only", cause->key);
    else if (cause)
        fprintf(out, "%s %u causes most of the waiting%s", rank ? "; rank" : "Rank", cause->key,
                portion(cause->ns, pattern->total_ns).text);
    if (rank || cause)
        fputs(". ", out);
}

/// The same for the headline, which has no room for shares: only ranks with more than half.
static void write_ranks_briefly(const struct result_pattern *pattern, FILE *out)
{
    const struct result_amount *rank = heaviest_amount(pattern->by_rank, pattern->n_by_rank);
    const struct result_amount *cause = heaviest_amount(pattern->by_cause, pattern->n_by_cause);
    bool names_rank = rank && 2 * rank->ns > pattern->total_ns;
    bool names_cause = cause && 2 * cause->ns > pattern->total_ns;
    if (is_all(rank, pattern) && is_all(cause, pattern))
        fprintf(out, ", rank %u waiting for rank %u", rank->key, cause->key);
    else if (names_rank && names_cause)
        fprintf(out, "; rank %u waits most, rank %u causes most", rank->key, cause->key);
    else if (names_rank)
        fprintf(out, ", %srank %u", is_all(rank, pattern) ? "" : "mostly on ", rank->key);
    else if (names_cause)
        fprintf(out, ", %swaiting for rank %u", is_all(cause, pattern) ? "" : "mostly ",
                cause->key);
}

/// What a pattern's waits concentrate on: ", in PATH (81.0 %). Rank 0 waits most (55.1 %); ...".
static void write_whereabouts(const struct result *result, const struct result_pattern *pattern,
                              FILE *out)
{
    if (pattern->n_by_path > 0) {
        char *path = path_text(result, pattern, pattern->by_path[0].key);
        fprintf(out, ", in %s%s", path, portion(pattern->by_path[0].ns, pattern->total_ns).text);
        free(path);
    }
    fputs(". ", out);
    write_ranks(pattern, out);
}

static bool is_program(const struct result_region *region)
{
    return !strcmp(region->name, RESULT_REGION_PROGRAM);
}

static void write_place(const struct result *result, uint32_t index, FILE *out)
{
    const struct result_region *region = &result->regions[index];
    if (is_program(region))
        fprintf(out, "the program's code outside recorded regions");
    else
        fputs(region->shown, out);
    if (!region->file[0])
        return;
    char *source = source_text(region->file, region->line);
    fprintf(out, " (%s)", source);
    free(source);
}

/// The computing that stands for a region outside of recorded ones: what was before calls from one
/// site, if that is at least half of the region's part. NULL for other regions.
static const struct result_path_share *main_stretch(const struct result *result,
                                                    const struct result_path_share *region,
                                                    const struct result_path_share *by_site,
                                                    size_t n_by_site)
{
    const struct result_path_share *site = site_share_in(by_site, n_by_site, region->region);
    bool stands_for_it = site && is_program(&result->regions[region->region]) &&
                         2 * site->time_ns >= region->time_ns;
    return stands_for_it ? site : NULL;
}

/// "computing before worker/MPI_Send at farm.c:60"; or if it mostly begins with another call,
/// "computing between farm.c:56 and worker/MPI_Send at farm.c:60".
static void write_stretch(const struct result *result, uint32_t site, FILE *out)
{
    uint32_t since = result->sites[site].before_since;
    const char *from = since == RESULT_NONE ? "" : result->sites[since].source;
    char *text = site_text(result, site, RESULT_NONE);
    if (since == site)
        fprintf(out, "computing between two calls of %s", text);
    else if (from[0])
        fprintf(out, "computing between %s and %s", from, text);
    else
        fprintf(out, "computing before %s", text);
    free(text);
}

/// ", mostly before worker/MPI_Send at farm.c:31" where the trace tells. Whether it does.
static bool write_part(const struct result *result, const struct result_path_share *region,
                       const struct result_path_share *by_site, size_t n_by_site, FILE *out)
{
    const struct result_path_share *site = site_share_in(by_site, n_by_site, region->region);
    if (!site ||
        (!is_program(&result->regions[region->region]) && 2 * site->time_ns <= region->time_ns))
        return false;
    char *text = site_text(result, site->site, region->region);
    fprintf(out, ", mostly before %s", text);
    free(text);
    return true;
}

/// The region that delayed the ranks waited for most, RESULT_NONE where none stands out.
static uint32_t main_origin(const struct result_pattern *pattern)
{
    const struct result_origins *origins = &pattern->origins;
    if (origins->n_by_region == 0 || origins->by_region[0].share < worth_naming_share)
        return RESULT_NONE;
    return origins->by_region[0].region;
}

/// The rank that has more than half of the main origin, RESULT_NONE where none has.
static uint32_t main_origin_rank(const struct result_origins *origins,
                                 const struct result_path_share *stretch)
{
    const struct result_path_share *first = &origins->by_region_rank[0];
    if (stretch)
        return stretch->rank;
    bool is_main = first->region == origins->by_region[0].region &&
                   2 * first->time_ns > origins->by_region[0].time_ns;
    return is_main ? first->rank : RESULT_NONE;
}

static void write_origin(const struct result *result, const struct result_pattern *pattern,
                         FILE *out)
{
    const struct result_origins *origins = &pattern->origins;
    uint32_t origin = main_origin(pattern);
    if (origin == RESULT_NONE)
        return;
    const struct result_path_share *stretch =
        main_stretch(result, &origins->by_region[0], origins->by_site, origins->n_by_site);
    uint32_t rank = main_origin_rank(origins, stretch);
    bool has_part = false;
    fprintf(out, "%s of the waiting comes from ",
            quantity_share(stretch ? stretch->share : origins->by_region[0].share).text);
    if (lost_is_region(&result->regions[origin])) {
        fprintf(out, "lost CPU time of the awaited ranks");
    } else if (stretch) {
        write_stretch(result, stretch->site, out);
    } else {
        write_place(result, origin, out);
        has_part =
            write_part(result, &origins->by_region[0], origins->by_site, origins->n_by_site, out);
    }
    if (rank != RESULT_NONE)
        fprintf(out, "%s on rank %u", has_part ? " and" : ", mostly", rank);
    fputs(". ", out);
}

/// Time in a call whose partner is missing looks like MPI's own.
static void write_doubt(const struct result *result, FILE *out)
{
    static const char *const codes[] = {"unmatched-receive", "incomplete-collective",
                                        "missing-record"};
    for (size_t i = 0; i < result->n_warnings; i++) {
        for (size_t j = 0; j < sizeof codes / sizeof codes[0]; j++) {
            if (strcmp(result->warnings[i].code, codes[j]) != 0)
                continue;
            fprintf(out, "Some calls have no partner in the trace (see the warnings): part of this "
                         "time may be waiting. ");
            return;
        }
    }
}

/// A rank that has no core looks as if it were inside MPI.
static void write_cores(const struct result *result, const struct answer *answer)
{
    struct cores cores = cores_of(result);
    if (cores.n_short_ranks > 0) {
        fprintf(answer->cause, "%s shared %s: a descheduled rank looks busy inside MPI. ",
                quantity_count(cores.n_short_ranks, "rank").text,
                quantity_count(cores.n_short_cores, "core").text);
        fprintf(answer->change, "Trace a run with a core for each rank. ");
    } else if (cores.n > 0) {
        fprintf(answer->change,
                "Each rank had a core: check whether other programs used it, too. ");
    } else {
        fprintf(answer->certainty, "The trace does not tell whether each rank had its own core. ");
    }
}

static void write_message_sizes(const struct result *result, const struct answer *answer)
{
    uint64_t n_messages = 0, size_bytes = 0;
    for (size_t i = 0; i < result->n_traffic; i++) {
        n_messages += result->traffic[i].n_messages;
        size_bytes += result->traffic[i].size_bytes;
    }
    if (n_messages == 0)
        return;
    fprintf(answer->cause, "The run sent %s of %s on average. ",
            quantity_count(n_messages, "message").text,
            quantity_size(size_bytes / n_messages).text);
    if (n_messages >= 1000 && size_bytes / n_messages < 16384)
        fprintf(answer->change, "Try fewer, larger messages. ");
}

/// Probes have no records that would tell whom they wait for.
static bool is_probe(const char *region)
{
    return !strcasecmp(region, "MPI_Probe") || !strcasecmp(region, "MPI_Mprobe");
}

static bool is_loss_in_probes(const struct result *result)
{
    uint32_t path = heaviest_mpi_path(result);
    return path != RESULT_NONE && is_probe(result->regions[result->paths[path].region].name);
}

/// Whether ranks without CPU time are a greater loss than LOSS, or what is behind it.
static bool is_due_to_cores(const struct result *result, const struct loss *loss)
{
    uint32_t origin = loss->pattern ? main_origin(loss->pattern) : RESULT_NONE;
    return lost_kind(result) != LOST_NONE &&
           (part((double)result->no_cpu_ns, (double)result->total_ns) >= loss->share ||
            (origin != RESULT_NONE && lost_is_region(&result->regions[origin])));
}

static const char *introduction(const struct result *result, const struct loss *loss)
{
    return is_due_to_cores(result, loss) ? "After that, the biggest loss is"
                                         : "The biggest loss is";
}

static void write_mpi_loss(const struct result *result, const struct loss *loss,
                           const struct answer *answer)
{
    uint32_t path = heaviest_mpi_path(result);
    bool probes = is_loss_in_probes(result);
    fprintf(answer->loss, "%s MPI time %s: %s, %s of the ranks' time", introduction(result, loss),
            probes ? "outside the wait states, mostly probing" : "without waiting",
            quantity_time(loss->ns).text, quantity_share(loss->share).text);
    if (path != RESULT_NONE) {
        char *place = path_text(result, NULL, path);
        fprintf(answer->loss, ", most in %s (%s)", place,
                quantity_count(result->paths[path].visits, "call").text);
        free(place);
    }
    fputs(". ", answer->loss);
    if (probes) {
        fprintf(answer->cause, "A probe waits until a message arrives. ");
        fprintf(answer->change, "Look at what the senders do before they send. ");
        return;
    }
    fprintf(answer->cause, "Transfers and the calls themselves take this time. ");
    write_message_sizes(result, answer);
    write_cores(result, answer);
    write_doubt(result, answer->certainty);
}

static void write_loss(const struct result *result, const struct loss *loss,
                       const struct answer *answer)
{
    if (loss->kind == LOSS_NONE) {
        fprintf(answer->loss, "No single loss in MPI reaches 2 %% of the ranks' time. ");
        return;
    }
    if (loss->kind == LOSS_MPI) {
        write_mpi_loss(result, loss, answer);
        return;
    }
    fprintf(answer->loss, "%s %s: %s, %s of %s", introduction(result, loss), loss->pattern->name,
            quantity_time(loss->ns).text, quantity_share(loss->share).text,
            loss->kind == LOSS_PATTERN ? "the ranks' time" : "the whole run on all ranks");
    write_whereabouts(result, loss->pattern, answer->loss);
    write_origin(result, loss->pattern, answer->cause);
    fprintf(answer->certainty, "The confidence in %s is %.2f of 1. ", loss->pattern->name,
            loss->pattern->confidence);
}

/// The region outside MPI in which one rank exceeds the mean most, RESULT_NONE without any excess.
static uint32_t most_uneven_region(const struct result *result, uint64_t n_read)
{
    uint32_t found = RESULT_NONE;
    double most = 0;
    for (size_t i = 0; i < result->n_regions; i++) {
        const struct result_region *region = &result->regions[i];
        double excess = (double)region->max_ns - (double)region->exclusive_ns / (double)n_read;
        if (!region->is_mpi && !lost_is_region(region) &&
            strcmp(region->name, RESULT_REGION_OFF) != 0 && region->max_rank != RESULT_NONE &&
            excess > most) {
            most = excess;
            found = (uint32_t)i;
        }
    }
    return found;
}

/// The site before whose calls one rank computes most in excess of the mean, in region INDEX;
/// RESULT_NONE when the trace does not tell.
static uint32_t most_uneven_site(const struct result *result, uint32_t index, uint64_t n_read)
{
    uint32_t found = RESULT_NONE;
    double most = 0;
    for (uint32_t i = 0; i < result->n_sites; i++) {
        const struct result_site *site = &result->sites[i];
        double excess = (double)site->before_max_ns - (double)site->before_ns / (double)n_read;
        if (site->before_path != RESULT_NONE && site->before_max_rank != RESULT_NONE &&
            result->paths[site->before_path].region == index && excess > most) {
            most = excess;
            found = i;
        }
    }
    return found;
}

/// "The largest difference is in solve (solve.c:56): rank 2 spends 20.0 ms, the mean is 10.0 ms.";
/// by its bare name when it is ORIGIN, which a sentence before has introduced.
static void write_uneven_region(const struct result *result, uint32_t index, uint32_t origin,
                                uint64_t n_read, FILE *out)
{
    const struct result_region *region = &result->regions[index];
    uint32_t site = is_program(region) ? most_uneven_site(result, index, n_read) : RESULT_NONE;
    uint32_t rank = region->max_rank;
    uint64_t most_ns = region->max_ns, mean_ns = region->exclusive_ns / n_read;
    fprintf(out, "The largest difference is in ");
    if (site != RESULT_NONE) {
        rank = result->sites[site].before_max_rank;
        most_ns = result->sites[site].before_max_ns;
        mean_ns = result->sites[site].before_ns / n_read;
        write_stretch(result, site, out);
    } else if (index == origin) {
        fputs(region->shown, out);
    } else {
        write_place(result, index, out);
    }
    fprintf(out, ": rank %u spends %s", rank, quantity_time(most_ns).text);
    fprintf(out, ", the mean is %s. ", quantity_time(mean_ns).text);
}

static uint32_t busiest_rank(const struct result *result)
{
    uint32_t busiest = RESULT_NONE;
    for (uint32_t i = 0; i < result->n_ranks; i++)
        if (!result->ranks[i].is_skipped &&
            (busiest == RESULT_NONE ||
             result->ranks[i].useful_ns > result->ranks[busiest].useful_ns))
            busiest = i;
    return busiest;
}

/// Uneven work between the ranks, when it is worth a sentence. Returns true when it was. Work after
/// the first MPI_Finalize is in the profile only.
static bool write_imbalance(const struct result *result, uint64_t n_read, const struct loss *loss,
                            FILE *out)
{
    uint64_t window_ns = result->window_end_ns - result->window_begin_ns;
    uint32_t busiest = busiest_rank(result);
    uint32_t uneven = most_uneven_region(result, n_read);
    uint32_t origin = loss->pattern ? main_origin(loss->pattern) : RESULT_NONE;
    double mean = (double)result->useful_ns / (double)n_read;
    double most = (double)result->ranks[busiest].useful_ns;
    if (loss->kind == LOSS_PATTERN_OUTSIDE) {
        if (uneven == RESULT_NONE)
            return false;
        fprintf(out, "The work is uneven. ");
    } else if (part(most - mean, (double)window_ns) < little) {
        return false;
    } else {
        fprintf(out, "The work is uneven: rank %u computes %s, the mean is %s. ", busiest,
                quantity_time((uint64_t)most).text, quantity_time((uint64_t)mean).text);
    }
    if (uneven != RESULT_NONE)
        write_uneven_region(result, uneven, origin, n_read, out);
    return true;
}

static void write_critical_path(const struct result *result, FILE *out)
{
    for (size_t i = 0; i < result->critical_path.n_by_region; i++) {
        const struct result_path_share *share = &result->critical_path.by_region[i];
        const struct result_region *region = &result->regions[share->region];
        if (region->is_mpi || lost_is_region(region) ||
            !strcmp(region->name, RESULT_REGION_BEFORE) || !strcmp(region->name, RESULT_REGION_OFF))
            continue;
        const struct result_path_share *stretch = main_stretch(
            result, share, result->critical_path.by_site, result->critical_path.n_by_site);
        share = stretch ? stretch : share;
        fprintf(out, "%s of the critical path is ", quantity_share(share->share).text);
        if (stretch)
            write_stretch(result, stretch->site, out);
        else
            write_place(result, share->region, out);
        if (!stretch)
            write_part(result, share, result->critical_path.by_site,
                       result->critical_path.n_by_site, out);
        fputs(": less time there shortens the run. ", out);
        return;
    }
}

/// Start-up and end can dwarf what is judged.
static void write_outside(const struct result *result, FILE *out)
{
    double time = (double)result->time_ns;
    double before = part((double)result->window_begin_ns, time);
    double after = part((double)(result->time_ns - result->window_end_ns), time);
    if (before + after < 0.2)
        return;
    fprintf(out, "The judged part, between MPI_Init and MPI_Finalize, is %s of the run",
            quantity_share(1 - before - after).text);
    fprintf(out, " (%s before", quantity_share(before).text);
    fprintf(out, ", %s after). ", quantity_share(after).text);
}

static void write_times(const struct result *result, FILE *out)
{
    double total = (double)result->total_ns;
    fprintf(out, "Of the ranks' time, %s was computing%s, ",
            quantity_part((double)result->useful_ns, total).text,
            result->has_cpu_time ? " (CPU time)" : "");
    if (result->no_cpu_ns > 0)
        fprintf(out, "%s without CPU time, ", quantity_part((double)result->no_cpu_ns, total).text);
    fprintf(out, "%s waiting for other ranks in MPI",
            quantity_part((double)result->wait_ns, total).text);
    fprintf(out, " and %s other MPI. ", quantity_part((double)result->other_mpi_ns, total).text);
}

static bool has_mpi(const struct result *result)
{
    for (size_t i = 0; i < result->n_regions; i++)
        if (result->regions[i].is_mpi)
            return true;
    return false;
}

/// What the report is about.
static const char *subject_of(const struct result *result)
{
    return !result->interval.what ? "trace" : result->interval.is_phase ? "phase" : "interval";
}

/// What to do about waits, as their pattern's file says, after its first sentence: that repeats
/// numbers.
static void write_hint(const struct result *result, const struct result_pattern *pattern, FILE *out)
{
    for (size_t i = 0; i < result->n_hints; i++) {
        if (strcmp(result->hints[i].pattern, pattern->id) != 0)
            continue;
        const char *text = result->hints[i].text, *end = strstr(text, ". ");
        fprintf(out, "%s ", end ? end + 2 : text);
        return;
    }
}

/// Whether even work would win back more than the calls and transfers that are the biggest loss.
static bool is_worth_balancing(const struct result *result, const struct loss *loss)
{
    return loss->kind != LOSS_MPI || 1 - result->efficiency.load_balance > loss->share;
}

static void write_judgement(const struct result *result, uint64_t n_read,
                            const struct answer *answer)
{
    struct loss loss = find_loss(result);
    uint64_t window_ns = result->window_end_ns - result->window_begin_ns;
    if (!has_mpi(result)) {
        fprintf(answer->loss, "The %s holds no MPI calls: there is no communication to judge. ",
                subject_of(result));
        write_critical_path(result, answer->change);
        return;
    }
    double efficiency = result->efficiency.parallel;
    if (window_ns < too_short_ns)
        fprintf(answer->certainty,
                "The judged part lasts only %s: too short for reliable numbers. ",
                quantity_time(window_ns).text);
    write_times(result, answer->scope);
    lost_write(result, answer->loss, answer->cause, answer->change);
    if (efficiency >= good_efficiency && loss.kind != LOSS_PATTERN_OUTSIDE) {
        fprintf(answer->loss,
                "The parallel efficiency is %s: faster communication would gain little. ",
                quantity_share(efficiency).text);
        write_critical_path(result, answer->change);
        return;
    }
    write_loss(result, &loss, answer);
    bool is_uneven = n_read > 1 && write_imbalance(result, n_read, &loss, answer->cause);
    if (is_uneven && is_worth_balancing(result, &loss))
        fprintf(answer->change, "Spread the work more evenly over the ranks. ");
    else if (loss.kind == LOSS_NONE)
        write_critical_path(result, answer->change);
    else if (loss.pattern && !is_due_to_cores(result, &loss))
        write_hint(result, loss.pattern, answer->change);
    if (!result->interval.what)
        fprintf(answer->change, "`pagoda advise` predicts how much each change saves. ");
}

static char *headline_of_mpi(const struct result *result, const struct loss *loss,
                             const char *whole)
{
    struct cores cores = cores_of(result);
    bool probes = is_loss_in_probes(result);
    uint32_t path = heaviest_mpi_path(result);
    char *place = path == RESULT_NONE ? NULL : path_text(result, NULL, path);
    char *text = memory_format("%s: %s, %s of the %s%s%s",
                               probes ? "MPI outside the wait states, mostly probing"
                                      : "MPI itself (no waiting)",
                               quantity_time(loss->ns).text, quantity_share(loss->share).text,
                               whole, place ? "; above all " : "", place ? place : "");
    free(place);
    if (probes || cores.n_short_ranks == 0)
        return text;
    char *longer =
        memory_format("%s; %s shared %s", text, quantity_count(cores.n_short_ranks, "rank").text,
                      quantity_count(cores.n_short_cores, "core").text);
    free(text);
    return longer;
}

/// "; caused by solve": what main_origin() is, in a word where there is one.
static void write_culprit(const struct result *result, const struct result_pattern *pattern,
                          FILE *out)
{
    const struct result_origins *origins = &pattern->origins;
    const struct result_path_share *region = &origins->by_region[0];
    const struct result_path_share *stretch =
        main_stretch(result, region, origins->by_site, origins->n_by_site);
    fprintf(out, "; caused by ");
    if (stretch)
        write_stretch(result, stretch->site, out);
    else
        fputs(result->regions[region->region].shown, out);
}

/// "no core: 1.186 s, 42.0 % of the ranks' time; 4 ranks shared 2 cores".
static char *headline_of_cores(const struct result *result, const struct loss *loss,
                               const char *whole)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    bool is_shared = lost_kind(result) == LOST_CORES_SHARED;
    fprintf(out, "%s: %s, %s of the %s", is_shared ? "ranks had no core" : "ranks had no CPU time",
            quantity_time(result->no_cpu_ns).text,
            quantity_part((double)result->no_cpu_ns, (double)result->total_ns).text, whole);
    lost_write_rank(result, out);
    if (is_shared) {
        fprintf(out, "; ");
        lost_write_sharing(result, out);
    }
    if (loss->pattern) {
        uint32_t origin = main_origin(loss->pattern);
        if (origin != RESULT_NONE && lost_is_region(&result->regions[origin]))
            fprintf(out, "; also the cause of %s (%s)", loss->pattern->name,
                    quantity_time(loss->ns).text);
    }
    fclose(out);
    return text;
}

static char *headline_of(const struct result *result)
{
    struct loss loss = find_loss(result);
    uint64_t window_ns = result->window_end_ns - result->window_begin_ns;
    bool is_part = part((double)window_ns, (double)result->time_ns) < 0.95; // see print_window()
    const char *whole = loss.kind == LOSS_PATTERN_OUTSIDE ? "whole run"
                        : is_part                         ? "judged time"
                                                          : "ranks' time";
    if (!has_mpi(result))
        return memory_format("none to be seen: the %s holds no MPI calls", subject_of(result));
    if (is_due_to_cores(result, &loss))
        return headline_of_cores(result, &loss, is_part ? "judged time" : "ranks' time");
    if (loss.kind == LOSS_NONE)
        return memory_copy_text("none that reaches 2 % of the ranks' time");
    if (loss.kind == LOSS_MPI)
        return headline_of_mpi(result, &loss, whole);
    const struct result_pattern *pattern = loss.pattern;
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    fprintf(out, "%s: %s, %s of the %s", pattern->name, quantity_time(loss.ns).text,
            quantity_share(loss.share).text, whole);
    if (pattern->n_by_path > 0) {
        char *path = path_text(result, pattern, pattern->by_path[0].key);
        fprintf(out, "; %s", path);
        free(path);
    }
    write_ranks_briefly(pattern, out);
    uint32_t origin = main_origin(pattern);
    if (origin != RESULT_NONE && !result->regions[origin].is_mpi)
        write_culprit(result, pattern, out);
    fclose(out);
    return text;
}

/// Ends STREAM, which writes to *TEXT, and takes the blank after the last sentence off.
static void finish(FILE *stream, char **text)
{
    fclose(stream);
    size_t length = strlen(*text);
    if (length > 0)
        (*text)[length - 1] = '\0';
}

/// The parts as one paragraph; the caller frees.
static char *paragraph_of(const char *scope, const struct result *result)
{
    const char *const parts[] = {scope, result->answer.loss, result->answer.cause,
                                 result->answer.change, result->answer.certainty};
    char *text = memory_copy_text("");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!parts[i][0])
            continue;
        char *longer = memory_format("%s%s%s", text, text[0] ? " " : "", parts[i]);
        free(text);
        text = longer;
    }
    return text;
}

void conclusion_write(struct result *result)
{
    enum { N_PARTS = 5 };
    uint64_t n_read = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        n_read += !result->ranks[i].is_skipped;
    char *texts[N_PARTS] = {NULL};
    FILE *streams[N_PARTS];
    size_t size;
    for (int i = 0; i < N_PARTS; i++)
        streams[i] = memory_stream(&texts[i], &size);
    const struct answer answer = {streams[0], streams[1], streams[2], streams[3], streams[4]};
    if (n_read == 0 || result->total_ns == 0) {
        fprintf(answer.loss,
                "The %s holds no span of time of any rank: there is nothing to judge. ",
                subject_of(result));
    } else {
        if (n_read < result->n_ranks)
            fprintf(answer.certainty,
                    "%s could not be read; the numbers cover the other %" PRIu64 ". ",
                    quantity_count(result->n_ranks - n_read, "rank").text, n_read);
        if (result->interval.what)
            fprintf(answer.scope, "The report covers %s only. ", result->interval.what);
        write_outside(result, answer.scope);
        write_judgement(result, n_read, &answer);
    }
    for (int i = 0; i < N_PARTS; i++)
        finish(streams[i], &texts[i]);
    result->answer.loss = texts[1];
    result->answer.cause = texts[2];
    result->answer.change = texts[3];
    result->answer.certainty = texts[4];
    result->conclusion = paragraph_of(texts[0], result);
    result->headline =
        n_read == 0 || result->total_ns == 0 ? memory_copy_text("unknown") : headline_of(result);
    free(texts[0]);
}
