// SPDX-License-Identifier: BSD-3-Clause
// The biggest loss is the top pattern with the longest waits or, if longer, the MPI time outside
// waits. Ranks without a core come before it where they are the greater loss or its origin: without
// cores neither waits nor uneven times say much about the program.
#include "analyzer/result/conclusion.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/sites.h"

static const uint64_t too_short_ns = 1000000; // noise of a scheduler's time slice and more
static const double little = 0.02;            // shares below it are not worth a sentence
static const double good_efficiency = 0.95;
static const double worth_naming_share = 0.25; // of the waits

/// Where each sentence goes; all end in a blank.
struct answer {
    FILE *loss, *cause, *change, *certainty;
};

enum loss_kind { LOSS_NONE, LOSS_CORES, LOSS_PATTERN, LOSS_MPI };

struct loss {
    enum loss_kind kind;
    const struct result_pattern *pattern; // the one with the longest waits, unless LOSS_MPI
    bool is_outside;                      // the judged part, e.g. waiting at MPI_Finalize
    uint64_t ns;
    double share;  // of the ranks' time in the judged part (is_outside: in the whole run)
    uint32_t path; // the call path with most of it, RESULT_NONE: none
};

static double part(double amount, double whole)
{
    return whole > 0 ? amount / whole : 0;
}

// --- where the loss comes from

/// The region that delayed the ranks waited for most, NULL where none stands out.
static const struct result_path_share *main_origin(const struct result_pattern *pattern)
{
    const struct result_path_share *first = pattern ? pattern->origins.by_region : NULL;
    bool stands_out =
        first && pattern->origins.n_by_region > 0 && first->share >= worth_naming_share;
    return stands_out ? first : NULL;
}

static bool is_program(const struct result_region *region)
{
    return !strcmp(region->name, RESULT_REGION_PROGRAM);
}

/// What most of REGION's part was: the computing before calls from one site. NULL where the trace
/// does not tell, or none has half of it.
static const struct result_path_share *main_site(const struct result_path_share *region,
                                                 const struct result_path_share *by_site,
                                                 size_t n_by_site)
{
    const struct result_path_share *site = site_share_in(by_site, n_by_site, region->region);
    return site && 2 * site->time_ns >= region->time_ns ? site : NULL;
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

/// "solve (solve.c:56), mostly before solve/MPI_Send at solve.c:60": the region INDEX, and SITE (or
/// RESULT_NONE), which stands for it where functions were not recorded.
static void write_place(const struct result *result, uint32_t index, uint32_t site, FILE *out)
{
    const struct result_region *region = &result->regions[index];
    if (is_program(region)) {
        if (site == RESULT_NONE)
            fprintf(out, "the program's code outside recorded regions");
        else
            write_stretch(result, site, out);
        return;
    }
    fputs(lost_is_region(region) ? "lost CPU time of the awaited ranks" : region->shown, out);
    if (region->file[0]) {
        char *source = source_text(region->file, region->line);
        fprintf(out, " (%s)", source);
        free(source);
    }
    if (site != RESULT_NONE) {
        char *text = site_text(result, site, index);
        fprintf(out, ", mostly before %s", text);
        free(text);
    }
}

/// Work of which one rank has more than the others.
struct uneven {
    bool is_found;
    uint32_t region, site; // RESULT_NONE: all computing; only where (program) is known by its calls
    uint32_t rank;
    uint64_t most_ns, mean_ns;
};

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

/// Whether time of ranks is missing from the trace: what they did then is not known.
static bool misses_time(const struct result *result)
{
    return !result->interval.what &&
           part((double)result->unrecorded_ns, (double)result->total_ns) >= little;
}

/// Uneven work between the ranks, where it is worth a sentence. Profiles cover the whole run, so a
/// region or site stands for the judged part's work only if it fits into that part and its rank has
/// most of it. Work after the first MPI_Finalize is in the profile only.
static struct uneven find_uneven(const struct result *result, uint64_t n_read,
                                 const struct loss *loss)
{
    double window_ns = (double)(result->window_end_ns - result->window_begin_ns);
    uint64_t mean_ns = result->useful_ns / n_read;
    struct uneven all = {.region = RESULT_NONE, .site = RESULT_NONE, .mean_ns = mean_ns};
    for (uint32_t i = 0; i < result->n_ranks; i++) {
        if (result->ranks[i].is_skipped || result->ranks[i].useful_ns <= all.most_ns)
            continue;
        all.most_ns = result->ranks[i].useful_ns;
        all.rank = i;
    }
    all.is_found = n_read > 1 && !loss->is_outside &&
                   part((double)all.most_ns - (double)mean_ns, window_ns) >= little;
    uint32_t index = most_uneven_region(result, n_read);
    if (index == RESULT_NONE || (!all.is_found && !loss->is_outside))
        return all;
    const struct result_region *region = &result->regions[index];
    uint32_t site = is_program(region) ? most_uneven_site(result, index, n_read) : RESULT_NONE;
    struct uneven place = {true, index, site, region->max_rank, region->max_ns, 0};
    place.mean_ns = region->exclusive_ns / n_read;
    if (site != RESULT_NONE) {
        place.rank = result->sites[site].before_max_rank;
        place.most_ns = result->sites[site].before_max_ns;
        place.mean_ns = result->sites[site].before_ns / n_read;
    }
    bool is_judged = place.rank == all.rank && (double)place.most_ns <= window_ns;
    return is_judged || loss->is_outside ? place : all;
}

static void write_uneven(const struct result *result, const struct uneven *uneven, FILE *out)
{
    fprintf(out, "%she work is uneven: rank %u ", ftell(out) > 0 ? "Besides, t" : "T",
            uneven->rank);
    if (uneven->region == RESULT_NONE) {
        fprintf(out, "computes %s", quantity_time(uneven->most_ns).text);
    } else {
        fprintf(out, "spends %s in ", quantity_time(uneven->most_ns).text);
        write_place(result, uneven->region, uneven->site, out);
    }
    fprintf(out, ", the mean is %s. ", quantity_time(uneven->mean_ns).text);
}

/// The rank that has more than half of ORIGIN, RESULT_NONE where none has.
static uint32_t main_origin_rank(const struct result_origins *origins,
                                 const struct result_path_share *origin)
{
    const struct result_path_share *first = &origins->by_region_rank[0];
    bool is_main = first->region == origin->region && 2 * first->time_ns > origin->time_ns;
    return is_main ? first->rank : RESULT_NONE;
}

/// The other regions that as much of the waiting comes from as from the first.
static void write_equal_origins(const struct result *result, const struct result_origins *origins,
                                FILE *out)
{
    const struct result_path_share *first = &origins->by_region[0];
    size_t i = 1;
    for (; i < origins->n_by_region && origins->by_region[i].time_ns == first->time_ns; i++) {
        fputs(i == 1 ? "As much comes from " : " and from ", out);
        write_place(result, origins->by_region[i].region, RESULT_NONE, out);
    }
    if (i > 1)
        fputs(". ", out);
}

/// The origin of PATTERN's waits and the uneven work: one sentence where they are the same.
static void write_origin(const struct result *result, const struct result_pattern *pattern,
                         const struct uneven *uneven, FILE *out)
{
    const struct result_origins *origins = &pattern->origins;
    const struct result_path_share *origin = main_origin(pattern);
    if (origin) {
        const struct result_path_share *site =
            main_site(origin, origins->by_site, origins->n_by_site);
        bool is_stretch = site && is_program(&result->regions[origin->region]);
        uint32_t rank = is_stretch ? site->rank : main_origin_rank(origins, origin);
        fprintf(out, "%s of the waiting comes from ",
                quantity_share(is_stretch ? site->share : origin->share).text);
        write_place(result, origin->region, site ? site->site : RESULT_NONE, out);
        if (uneven->is_found && uneven->region == origin->region && uneven->rank == rank &&
            (!is_stretch || uneven->site == site->site)) {
            fprintf(out, ": rank %u spends %s there", rank, quantity_time(uneven->most_ns).text);
            fprintf(out, ", the mean is %s. ", quantity_time(uneven->mean_ns).text);
            write_equal_origins(result, origins, out);
            return;
        }
        if (rank != RESULT_NONE)
            fprintf(out, "%s on rank %u", site && !is_stretch ? " and" : ", mostly", rank);
        fputs(". ", out);
        write_equal_origins(result, origins, out);
    }
    if (uneven->is_found)
        write_uneven(result, uneven, out);
}

// --- where time is lost

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

static struct loss find_loss(const struct result *result)
{
    struct loss loss = {.kind = LOSS_NONE, .path = RESULT_NONE};
    double run_time = (double)result->n_ranks * (double)result->time_ns;
    for (size_t i = 0; i < result->n_patterns; i++) {
        const struct result_pattern *pattern = &result->patterns[i];
        bool is_outside = pattern->window_ns == 0;
        uint64_t ns = is_outside ? pattern->total_ns : pattern->window_ns;
        double share = part((double)ns, is_outside ? run_time : (double)result->total_ns);
        if (pattern->is_top && share > loss.share)
            loss = (struct loss){LOSS_PATTERN, pattern, is_outside, ns, share, RESULT_NONE};
    }
    double other_share = part((double)result->other_mpi_ns, (double)result->total_ns);
    if (other_share > loss.share)
        loss = (struct loss){LOSS_MPI, NULL, false, result->other_mpi_ns, other_share, RESULT_NONE};
    const struct result_path_share *origin = main_origin(loss.pattern);
    if (lost_kind(result) != LOST_NONE &&
        (part((double)result->no_cpu_ns, (double)result->total_ns) >= loss.share ||
         (origin && lost_is_region(&result->regions[origin->region]))))
        loss.kind = LOSS_CORES;
    else if (loss.share < little)
        loss = (struct loss){.kind = LOSS_NONE, .path = RESULT_NONE};
    if (loss.kind == LOSS_MPI)
        loss.path = heaviest_mpi_path(result);
    else if (loss.kind == LOSS_PATTERN && loss.pattern->n_by_path > 0)
        loss.path = loss.pattern->by_path[0].key;
    return loss;
}

/// Probes have no records that would tell whom they wait for.
static bool is_probe(const struct result *result, uint32_t path)
{
    const char *name = path == RESULT_NONE ? "" : result->regions[result->paths[path].region].name;
    return !strcasecmp(name, "MPI_Probe") || !strcasecmp(name, "MPI_Mprobe");
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

/// Which rank waits and which one it waits for, of ranks with more than half of the waits. The rank
/// that waits most need not wait for the one that is waited for most, unless there is but one of
/// each.
static void write_ranks(const struct result_pattern *pattern, FILE *out)
{
    const struct result_amount *rank = heaviest_amount(pattern->by_rank, pattern->n_by_rank);
    const struct result_amount *cause = heaviest_amount(pattern->by_cause, pattern->n_by_cause);
    bool names_rank = rank && 2 * rank->ns > pattern->total_ns;
    bool names_cause = cause && 2 * cause->ns > pattern->total_ns;
    bool is_only_rank = rank && rank->ns == pattern->total_ns;
    bool is_only_cause = cause && cause->ns == pattern->total_ns;
    if (names_rank && names_cause && is_only_cause)
        fprintf(out, "; %srank %u waits for rank %u", is_only_rank ? "" : "mostly ", rank->key,
                cause->key);
    else if (names_rank && names_cause && is_only_rank)
        fprintf(out, "; only rank %u waits, mostly for rank %u", rank->key, cause->key);
    else if (names_rank && names_cause)
        fprintf(out, "; rank %u waits most, rank %u is awaited", rank->key, cause->key);
    else if (names_rank)
        fprintf(out, "; %s rank %u waits", is_only_rank ? "only" : "mostly", rank->key);
    else if (names_cause)
        fprintf(out, "; %swaiting for rank %u", is_only_cause ? "" : "mostly ", cause->key);
}

static const char *subject_of(const struct result *result)
{
    return !result->interval.what ? "trace" : result->interval.is_phase ? "phase" : "interval";
}

static bool has_mpi(const struct result *result)
{
    for (size_t i = 0; i < result->n_regions; i++)
        if (result->regions[i].is_mpi)
            return true;
    return false;
}

/// The loss in a sentence without its full stop.
static void write_loss(const struct result *result, const struct loss *loss, FILE *out)
{
    const struct result_pattern *pattern = loss->pattern;
    struct quantity time = quantity_time(loss->ns), share = quantity_share(loss->share);
    switch (loss->kind) {
    case LOSS_NONE:
        if (result->efficiency.load_balance < good_efficiency && !misses_time(result))
            fprintf(out, "Load balance %s; n",
                    quantity_share(result->efficiency.load_balance).text);
        else
            fprintf(out, "N");
        fprintf(out, "o loss in MPI reaches 2 %% of the ranks' time");
        return;
    case LOSS_CORES:
        lost_write(result, out);
        if (pattern && main_origin(pattern) &&
            lost_is_region(&result->regions[main_origin(pattern)->region]))
            fprintf(out, "; also the cause of %s (%s)", pattern->name, time.text);
        return;
    case LOSS_PATTERN:
        fprintf(out, "%s: %s, %s of %s", pattern->name, time.text, share.text,
                loss->is_outside ? "the whole run" : "the ranks' time");
        break;
    default:
        fprintf(out, "Other MPI (%s): %s, %s of the ranks' time",
                is_probe(result, loss->path) ? "mostly probing" : "no waiting", time.text,
                share.text);
    }
    if (loss->path != RESULT_NONE) {
        char *text = path_text(result, pattern, loss->path);
        uint64_t path_ns = pattern ? pattern->by_path[0].ns : 0;
        if (!pattern)
            fprintf(out, ", most in %s", text);
        else if (path_ns < pattern->total_ns)
            fprintf(out, ", %s of it in %s",
                    quantity_part((double)path_ns, (double)pattern->total_ns).text, text);
        else
            fprintf(out, ", in %s", text);
        free(text);
    }
    if (pattern)
        write_ranks(pattern, out);
}

/// The loss, and what causes it in a word where there is one: "...; caused by solve".
static char *headline_of(const struct result *result, const struct loss *loss)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    const struct result_path_share *origin = main_origin(loss->pattern);
    if (!has_mpi(result))
        fprintf(out, "The %s holds no MPI calls", subject_of(result));
    else
        write_loss(result, loss, out);
    if (loss->kind == LOSS_PATTERN && origin && !result->regions[origin->region].is_mpi) {
        const struct result_origins *origins = &loss->pattern->origins;
        const struct result_path_share *site =
            main_site(origin, origins->by_site, origins->n_by_site);
        fprintf(out, "; caused by ");
        if (site && is_program(&result->regions[origin->region]))
            write_stretch(result, site->site, out);
        else
            fputs(result->regions[origin->region].shown, out);
    } else if ((loss->kind == LOSS_CORES && lost_kind(result) == LOST_CORES_SHARED) ||
               (loss->kind == LOSS_MPI && !is_probe(result, loss->path) &&
                cores_of(result).n_short_ranks > 0)) {
        fprintf(out, "; ");
        cores_write_sharing(result, out);
    }
    fclose(out);
    return text;
}

// --- why, and what would help

static void write_message_sizes(const struct result *result, const struct answer *answer)
{
    uint64_t n_messages = 0, size_bytes = 0;
    for (size_t i = 0; i < result->n_traffic; i++) {
        n_messages += result->traffic[i].n_messages;
        size_bytes += result->traffic[i].size_bytes;
    }
    if (n_messages == 0) {
        fprintf(answer->cause, ". ");
        return;
    }
    fprintf(answer->cause, ": %s of %s on average. ", quantity_count(n_messages, "message").text,
            quantity_size(size_bytes / n_messages).text);
    if (n_messages >= 1000 && size_bytes / n_messages < 16384)
        fprintf(answer->change, "Try fewer, larger messages. ");
}

/// Whether PATH ends in a call of point-to-point messages, as far as its name tells.
static bool is_point_to_point(const struct result *result, uint32_t path)
{
    static const char *const words[] = {"send", "recv", "wait", "test", "start"};
    const char *name = path == RESULT_NONE ? "" : result->regions[result->paths[path].region].name;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
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
            fprintf(out, "Calls without a partner in the trace may be waiting. ");
            return;
        }
    }
}

/// Why MPI takes time besides waiting. A rank that has no core looks as if it were inside MPI.
static void write_mpi_cause(const struct result *result, uint32_t path, const struct answer *answer)
{
    struct cores cores = cores_of(result);
    if (is_probe(result, path)) {
        fprintf(answer->cause, "A probe waits until a message arrives. ");
        fprintf(answer->change, "Look at what the senders do before they send. ");
        return;
    }
    fprintf(answer->cause, "Transfers and calls take this time");
    if (is_point_to_point(result, path))
        write_message_sizes(result, answer);
    else
        fprintf(answer->cause, ". ");
    if (cores.n_short_ranks > 0 && lost_kind(result) != LOST_CORES_SHARED) {
        cores_write_sharing(result, answer->cause);
        fprintf(answer->cause, ": a descheduled rank looks busy inside MPI. ");
        fprintf(answer->change, "Trace a run with a core for each rank. ");
    } else if (cores.n == 0) {
        fprintf(answer->certainty, "It is not known whether each rank had a core. ");
    } else if (!result->has_cpu_time) {
        fprintf(answer->change, "Check whether other programs used the cores. ");
    }
    write_doubt(result, answer->certainty);
}

static void write_critical_path(const struct result *result, FILE *out)
{
    for (size_t i = 0; i < result->critical_path.n_by_region; i++) {
        const struct result_path_share *share = &result->critical_path.by_region[i];
        const struct result_region *region = &result->regions[share->region];
        if (region->is_mpi || lost_is_region(region) ||
            !strcmp(region->name, RESULT_REGION_BEFORE) || !strcmp(region->name, RESULT_REGION_OFF))
            continue;
        const struct result_path_share *site =
            main_site(share, result->critical_path.by_site, result->critical_path.n_by_site);
        double part_of_path = site && is_program(region) ? site->share : share->share;
        // Corrections of clocks are negative parts of the path.
        fprintf(out, "%s of the critical path is ",
                part_of_path > 1 ? "Most" : quantity_share(part_of_path).text);
        write_place(result, share->region, site ? site->site : RESULT_NONE, out);
        fputs(": less time there shortens the run. ", out);
        return;
    }
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

/// Why LOSS is lost, and what would help against it.
static void write_cause(const struct result *result, uint64_t n_read, const struct loss *loss,
                        const struct answer *answer)
{
    struct uneven uneven = find_uneven(result, n_read, loss);
    // Even work may win back less than the calls and transfers that are the biggest loss.
    if (loss->kind == LOSS_MPI && 1 - result->efficiency.load_balance <= loss->share)
        uneven.is_found = false;
    if (uneven.is_found && misses_time(result)) {
        uneven.is_found = false;
        fprintf(answer->certainty,
                "The load balance is not known: %s of the time is not recorded. ",
                quantity_part((double)result->unrecorded_ns, (double)result->total_ns).text);
    }
    if (loss->kind == LOSS_PATTERN) {
        write_origin(result, loss->pattern, &uneven, answer->cause);
        fprintf(answer->certainty, "%s is %s (confidence %.2f of 1). ", loss->pattern->name,
                loss->pattern->confidence < 0.995 ? "not certain" : "certain",
                loss->pattern->confidence);
    } else {
        if (loss->kind == LOSS_MPI)
            write_mpi_cause(result, loss->path, answer);
        if (uneven.is_found)
            write_uneven(result, &uneven, answer->cause);
    }
    if (uneven.is_found)
        fprintf(answer->change, "Spread the work more evenly. ");
    else if (loss->kind == LOSS_NONE)
        write_critical_path(result, answer->change);
    else if (loss->kind == LOSS_PATTERN)
        write_hint(result, loss->pattern, answer->change);
}

static void write_answer(const struct result *result, uint64_t n_read, const struct loss *loss,
                         const struct answer *answer)
{
    uint64_t window_ns = result->window_end_ns - result->window_begin_ns;
    if (n_read == 0 || result->total_ns == 0) {
        if (n_read > 0 && has_mpi(result))
            fprintf(answer->loss,
                    "No time to judge: the ranks are in MPI_Init or MPI_Finalize all the time. ");
        else
            fprintf(answer->loss, "The %s holds no span of time of any rank. ", subject_of(result));
        return;
    }
    if (n_read < result->n_ranks)
        fprintf(answer->certainty,
                "%s could not be read; the numbers cover the other %" PRIu64 ". ",
                quantity_count(result->n_ranks - n_read, "rank").text, n_read);
    if (!has_mpi(result)) {
        fprintf(answer->loss, "The %s holds no MPI calls. ", subject_of(result));
        write_critical_path(result, answer->change);
        return;
    }
    if (window_ns < too_short_ns)
        fprintf(answer->certainty, "Only %s are judged: too short for reliable numbers. ",
                quantity_time(window_ns).text);
    bool has_lost = lost_kind(result) != LOST_NONE;
    if (has_lost && loss->kind != LOSS_CORES) {
        lost_write(result, answer->loss);
        fputs(". ", answer->loss);
    }
    write_loss(result, loss, answer->loss);
    fputs(". ", answer->loss);
    if (has_lost) {
        lost_write_cause(result, answer->cause);
        fprintf(answer->change, "%s", lost_change(result));
    }
    if (loss->kind != LOSS_CORES && result->efficiency.parallel >= good_efficiency &&
        !loss->is_outside) {
        fprintf(answer->change, "Faster communication would gain little. ");
        write_critical_path(result, answer->change);
        return;
    }
    if (loss->kind != LOSS_CORES)
        write_cause(result, n_read, loss, answer);
    if (!result->interval.what)
        fprintf(answer->change, "`pagoda advise` predicts gains. ");
}

void conclusion_write(struct result *result)
{
    enum { N_PARTS = 4 };
    uint64_t n_read = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        n_read += !result->ranks[i].is_skipped;
    char **const texts[N_PARTS] = {&result->answer.loss, &result->answer.cause,
                                   &result->answer.change, &result->answer.certainty};
    FILE *streams[N_PARTS], *whole;
    size_t size;
    struct loss loss = find_loss(result);
    for (int i = 0; i < N_PARTS; i++)
        streams[i] = memory_stream(texts[i], &size);
    write_answer(result, n_read, &loss,
                 &(struct answer){streams[0], streams[1], streams[2], streams[3]});
    whole = memory_stream(&result->conclusion, &size);
    for (int i = 0; i < N_PARTS; i++) {
        fclose(streams[i]);
        size_t length = strlen(*texts[i]);
        if (length == 0)
            continue;
        (*texts[i])[length - 1] = '\0'; // the blank after the last sentence
        fprintf(whole, "%s%s", i > 0 ? " " : "", *texts[i]);
    }
    fclose(whole);
    result->headline = n_read == 0 || result->total_ns == 0 ? memory_copy_text("unknown")
                                                            : headline_of(result, &loss);
}
