// SPDX-License-Identifier: BSD-3-Clause
// Facts of a cause: its places in sentences and as what-if options name them, and where ranks spend
// most of their time (finding_facts.c).
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/findings/findings.h"
#include "analyzer/result/sites.h"
#include "analyzer/trace/definitions.h"

enum { MAX_NAMED_PARTS = 2 };
static const double unusual = 4;      // times the mean
static const double mainly = 0.6;     // of the loss on the account of a rank
static const double alike = 0.25;     // of a time: another one is about the same
static const double nearly_all = 0.8; // of the computing before the calls in a function

/// Whether the longest computing before the calls of SITE is like the rest of its rank's, which
/// then most likely begins with the same call.
static bool is_usual(const struct result *result, const struct result_site *site)
{
    double visits = (double)site->visits / (double)result->n_ranks;
    return (double)site->before_longest_ns * visits <= unusual * (double)site->before_max_ns;
}

/// "the code before worker/MPI_Send at farm.c:60"; or if that mostly begins with another call, "the
/// code between farm.c:56 and worker/MPI_Send at farm.c:60"; or "(longest after farm.c:56)".
static void write_stretch(const struct result *result, uint32_t site, FILE *out)
{
    uint32_t since = result->sites[site].before_since;
    const char *from = since == RESULT_NONE ? "" : result->sites[since].source;
    SCOPED char *text = site_text(result, site, RESULT_NONE);
    if (since == site)
        fprintf(out, "the code between two calls of %s", text);
    else if (from[0] && is_usual(result, &result->sites[site]))
        fprintf(out, "the code between %s and %s", from, text);
    else if (from[0])
        fprintf(out, "the code before %s (longest after %s)", text, from);
    else
        fprintf(out, "the code before %s", text);
}

void place_write(const struct result *result, uint32_t index, uint32_t site, FILE *out)
{
    const struct result_region *region = &result->regions[index];
    if (site != RESULT_NONE) {
        write_stretch(result, site, out);
    } else if (region_is_program(region)) {
        fputs("the program's code outside recorded regions", out);
    } else if (strcmp(region->name, RESULT_REGION_THREAD) == 0) {
        fputs("the code of further threads outside recorded regions", out);
    } else {
        SCOPED char *source = source_text(region->file, region->line);
        bool has_more = source[0] && !strstr(region->shown, source);
        fprintf(out, has_more ? "%s (%s)" : "%s", region->shown, source);
    }
}

/// How long ranks are blocked in the program, outside recorded functions.
static uint64_t blocked_in_program_ns(const struct result *result)
{
    uint64_t all_ns = 0;
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        bool is_of_program =
            path->parent == RESULT_NONE ||
            region_is_program(&result->regions[result->paths[path->parent].region]);
        if (is_of_program && strcmp(result->regions[path->region].name, RESULT_REGION_BLOCKED) == 0)
            all_ns += path->exclusive_ns;
    }
    return all_ns;
}

/// Where CAUSE is in a program without recorded functions: for blocked time the call after most of
/// it, if that is known of half of it. It is not before functions for files.
static uint32_t site_of(const struct result *result, const struct cause *cause)
{
    uint32_t site = cause->site;
    uint64_t most_ns = 0, known_ns = 0;
    if (cause->subject != FINDING_blocked || cause->region == RESULT_NONE ||
        !region_is_program(&result->regions[cause->region]))
        return site;
    for (uint32_t i = 0; i < result->n_sites; i++) {
        known_ns += result->sites[i].blocked_before_ns;
        if (result->sites[i].blocked_before_ns > most_ns) {
            most_ns = result->sites[i].blocked_before_ns;
            site = i;
        }
    }
    return 2 * known_ns < blocked_in_program_ns(result) ? RESULT_NONE : site;
}

/// The path of calls about SUBJECT that take longest, RESULT_NONE: there are none.
static uint32_t heaviest_calls(const struct result *result, enum finding_subject subject)
{
    uint32_t found = RESULT_NONE;
    for (uint32_t i = 0; i < result->n_paths; i++) {
        const struct result_region *region = &result->regions[result->paths[i].region];
        if (region->is_mpi && cause_of_call(region) == subject &&
            (found == RESULT_NONE ||
             result->paths[i].exclusive_ns > result->paths[found].exclusive_ns))
            found = i;
    }
    return found;
}

/// What options and sentences call region INDEX, or the computing before SITE, as texts OPTION and
/// WORK. Nothing where that is all of a program, or of a thread.
static void put_names_as(const struct result *result, uint32_t index, uint32_t site,
                         enum finding_text option, enum finding_text work, struct facts *facts)
{
    const struct result_region *region = &result->regions[index];
    if (site != RESULT_NONE) {
        SCOPED char *calls = site_text(result, site, RESULT_NONE);
        facts_say(facts, option, "before %s", calls);
        facts_say(facts, work, "the computing before %s", calls);
    } else if (!region_is_program(region) && !region_is_main(region) &&
               strcmp(region->name, RESULT_REGION_THREAD) != 0) {
        facts_say(facts, option, "%s", region->shown);
        facts_say(facts, work, "the work in %s", region->shown);
    }
}

static void put_names(const struct result *result, uint32_t index, uint32_t site,
                      struct facts *facts)
{
    put_names_as(result, index, site, FINDING_TEXT_region, FINDING_TEXT_work, facts);
}

/// Writes PLACE of CAUSE, its own or that of a part.
static void write_place(const struct result *result, const struct cause *cause, uint32_t place,
                        FILE *out)
{
    if (cause->site != RESULT_NONE)
        place_write(result, cause->region, place, out);
    else if (cause->region != RESULT_NONE)
        place_write(result, place, RESULT_NONE, out);
    else {
        SCOPED char *text = path_text(result, NULL, place);
        fputs(text, out);
    }
}

/// The line of the source with all calls after the code of CAUSE, which are several; NULL: there is
/// no such line.
static const char *common_line(const struct result *result, const struct cause *cause)
{
    if (cause->site == RESULT_NONE || cause->n_parts == 0 || result->sites[cause->site].line == 0)
        return NULL;
    const struct result_site *first = &result->sites[cause->site];
    for (size_t i = 0; i < cause->n_parts; i++) {
        const struct result_site *part = &result->sites[cause->parts[i]];
        if (part->line != first->line || strcmp(part->file, first->file) != 0)
            return NULL;
    }
    return first->source;
}

/// The function that makes all calls after the code of CAUSE, which are several, where that code is
/// nearly all before its calls; NULL: there is none.
static const char *common_function(const struct result *result, const struct cause *cause)
{
    if (cause->site == RESULT_NONE || cause->n_parts == 0)
        return NULL;
    uint32_t function = result->paths[result->sites[cause->site].path].parent;
    uint64_t of_cause_ns = result->sites[cause->site].before_ns, all_ns = 0;
    for (size_t i = 0; i < cause->n_parts; i++) {
        const struct result_site *part = &result->sites[cause->parts[i]];
        of_cause_ns += result->paths[part->path].parent == function ? part->before_ns : 0;
    }
    for (size_t i = 0; i < result->n_sites && function != RESULT_NONE; i++)
        if (result->paths[result->sites[i].path].parent == function)
            all_ns += result->sites[i].before_ns;
    return function != RESULT_NONE && (double)of_cause_ns >= nearly_all * (double)all_ns
               ? result->regions[result->paths[function].region].shown
               : NULL;
}

/// "the code before solve.c:56", LINE; or "the code between solve.c:50 and solve.c:56".
static void write_before_line(const struct result *result, const struct cause *cause,
                              const char *line, FILE *out)
{
    uint32_t since = result->sites[cause->site].before_since;
    const char *from = since == RESULT_NONE ? "" : result->sites[since].source;
    if (from[0] && strcmp(from, line) != 0 && is_usual(result, &result->sites[cause->site]))
        fprintf(out, "the code between %s and %s", from, line);
    else
        fprintf(out, "the code before %s", line);
}

/// "solve (solve.c:56), step (solve.c:90) and 2 other places".
static char *places_text(const struct result *result, const struct cause *cause)
{
    char *text;
    size_t size, n_named = cause->n_parts < MAX_NAMED_PARTS ? cause->n_parts : MAX_NAMED_PARTS;
    FILE *out = memory_stream(&text, &size);
    const char *line = common_line(result, cause);
    if (line) {
        write_before_line(result, cause, line, out);
        fclose(out);
        return text;
    }
    write_place(result, cause, cause_place(cause), out);
    for (size_t i = 0; i < n_named; i++) {
        fputs(i + 1 == cause->n_parts ? " and " : ", ", out);
        write_place(result, cause, cause->parts[i], out);
    }
    if (cause->n_parts > n_named)
        fprintf(out, " and %s", quantity_count(cause->n_parts - n_named, "other place").text);
    fclose(out);
    return text;
}

/// Whether CAUSE is one computation above all, the longest before the calls of its site, which is
/// unlike the others there and begins with another call.
static bool is_once(const struct result *result, const struct cause *cause,
                    const struct facts *facts)
{
    if (cause->site == RESULT_NONE || cause->n_parts > 0 || facts->causing.main == RESULT_NONE)
        return false;
    const struct result_site *site = &result->sites[cause->site];
    uint32_t main = facts->causing.main, since = site->before_since;
    return since != RESULT_NONE && since != cause->site && result->sites[since].source[0] &&
           site->source[0] && main == site->before_max_rank && !is_usual(result, site) &&
           (double)site->before_longest_ns >= mainly * (double)cause->by_rank_ns[main];
}

/// Whether the loss of CAUSE comes from what begins with one call alone: it is a part of what its
/// rank computes before the calls of its site, and in the other part all ranks do about the same.
static bool is_since(const struct result *result, const struct cause *cause,
                     const struct facts *facts)
{
    if (cause->subject != FINDING_computing || cause->site == RESULT_NONE || cause->n_parts > 0 ||
        result->interval.what) // of a part of a run it is not known
        return false;
    const struct result_site *site = &result->sites[cause->site];
    double n = (double)result->n_ranks, since_ns = (double)site->since_ns;
    double more_ns = n * (double)site->before_max_ns - (double)site->before_ns;
    double since_more_ns = n * (double)site->since_max_ns - since_ns;
    bool is_of_rank = site->since_max_rank != RESULT_NONE &&
                      site->since_max_rank == facts->causing.main &&
                      site->since_max_rank == site->before_max_rank;
    return is_of_rank && site->since_ns > 0 && site->before_since != cause->site &&
           site->source[0] && result->sites[site->before_since].source[0] &&
           since_ns < nearly_all * (double)site->before_ns && since_more_ns >= nearly_all * more_ns;
}

/// How long each rank computes in what begins so, if the others than the one with most of it
/// compute there as long as before other calls of the site: that is no part of what makes it late.
static double shared_ns(const struct result *result, const struct result_site *site)
{
    double n = (double)result->n_ranks, since_ns = (double)site->since_ns;
    double calls = (double)result->sites[site->before_since].visits, visits = (double)site->visits;
    if (calls >= visits || result->n_ranks < 2)
        return 0;
    double usual_ns = ((double)site->before_ns - since_ns) / n * calls / (visits - calls);
    double others_ns = (since_ns - (double)site->since_max_ns) / (n - 1);
    return fabs(others_ns - usual_ns) <= alike * usual_ns ? others_ns : 0;
}

/// The names of that computation, which is one or is all that begins so.
static void put_since(const struct result *result, const struct cause *cause, bool is_one,
                      struct facts *facts)
{
    SCOPED char *since = site_text(result, result->sites[cause->site].before_since, RESULT_NONE);
    SCOPED char *calls = site_text(result, cause->site, RESULT_NONE);
    facts->once_ns = is_one ? result->sites[cause->site].before_longest_ns : 0;
    facts->is_since = !is_one;
    facts->shared_ns = is_one ? 0 : shared_ns(result, &result->sites[cause->site]);
    facts_say(facts, FINDING_TEXT_place, "the code between %s and %s%s", since, calls,
              is_one                 ? ", once"
              : facts->shared_ns > 0 ? " (without what all ranks compute there)"
                                     : "");
    facts_say(facts, FINDING_TEXT_region, "between %s and %s", since, calls);
    facts_say(facts, FINDING_TEXT_work, "the computing between %s and %s", since, calls);
}

/// What options and sentences call all of CAUSE's place.
static void put_options(const struct result *result, const struct cause *cause, struct facts *facts)
{
    const char *line = common_line(result, cause), *function = common_function(result, cause);
    bool is_one = is_once(result, cause, facts);
    if (is_one || is_since(result, cause, facts)) {
        put_since(result, cause, is_one, facts);
    } else if (line) {
        facts_say(facts, FINDING_TEXT_region, "before %s", line);
        facts_say(facts, FINDING_TEXT_work, "the computing before %s", line);
    } else if (function) {
        facts_say(facts, FINDING_TEXT_region, "before %s/*", function);
        facts_say(facts, FINDING_TEXT_work, "the computing before calls in %s", function);
    } else if (cause->region != RESULT_NONE)
        put_names(result, cause->region, facts->site, facts);
    else if (cause->path != RESULT_NONE) {
        const struct result_path *path = &result->paths[cause->path];
        facts_say(facts, FINDING_TEXT_region, "%s",
                  cause->n_parts > 0 ? result->regions[path->region].shown : path->shown);
    }
}

/// What the place is called, in sentences and by options.
static void put_place(const struct result *result, const struct cause *cause, struct facts *facts)
{
    char *text;
    size_t size;
    facts->path = cause->path;
    if (cause->region != RESULT_NONE && cause->site == RESULT_NONE && facts->site != RESULT_NONE) {
        FILE *out = memory_stream(&text, &size);
        place_write(result, cause->region, facts->site, out);
        fclose(out);
        facts_put_text(facts, FINDING_TEXT_place, text);
    } else if (cause_place(cause) != RESULT_NONE) {
        struct cause alone = *cause;
        alone.n_parts = 0;
        facts_put_text(facts, FINDING_TEXT_place, places_text(result, cause));
        facts_put_text(facts, FINDING_TEXT_largest, places_text(result, &alone));
    } else {
        facts->path = heaviest_calls(result, cause->subject);
        if (facts->path != RESULT_NONE)
            facts_put_text(facts, FINDING_TEXT_place, path_text(result, NULL, facts->path));
    }
    put_options(result, cause, facts);
}

/// Whether all ranks visit REGION equally often.
static bool is_visited_equally(const struct result *result, uint32_t region)
{
    SCOPED uint64_t *visits = memory_zeroed(result->n_ranks, sizeof *visits);
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *of = &result->path_ranks[i];
        if (result->paths[of->path].region == region)
            visits[of->rank] += of->visits;
    }
    for (size_t i = 1; i < result->n_ranks; i++)
        if (visits[i] != visits[0])
            return false;
    return visits[0] > 0;
}

/// The function around the place of CAUSE in which work is the same step on all ranks: they visit
/// it equally often, the place itself not.
static void put_step(const struct result *result, const struct cause *cause, struct facts *facts)
{
    uint32_t at = RESULT_NONE;
    if (cause->subject != FINDING_computing || cause->region == RESULT_NONE ||
        cause->site != RESULT_NONE || is_visited_equally(result, cause->region))
        return;
    for (uint32_t i = 0; i < result->n_paths; i++)
        if (result->paths[i].region == cause->region &&
            (at == RESULT_NONE || result->paths[i].exclusive_ns > result->paths[at].exclusive_ns))
            at = i;
    while (at != RESULT_NONE && !is_visited_equally(result, result->paths[at].region))
        at = result->paths[at].parent;
    const struct result_region *region =
        at == RESULT_NONE ? NULL : &result->regions[result->paths[at].region];
    if (region && !region_is_main(region) && !region_is_program(region) &&
        region_is_called_by(result, cause->region, result->paths[at].region))
        facts_say(facts, FINDING_TEXT_step, "%s", region->shown);
}

void facts_take_apart(struct facts *facts, const struct result *result, const struct cause *apart)
{
    facts_put_text(facts, FINDING_TEXT_region, NULL);
    facts_put_text(facts, FINDING_TEXT_work, NULL);
    facts_put_text(facts, FINDING_TEXT_step, NULL);
    facts->site = apart->site;
    put_options(result, apart, facts);
    put_step(result, apart, facts);
}

bool facts_take_other(struct facts *facts, const struct result *result, const struct cause *cause)
{
    if (cause->n_parts == 0 || cause->region == RESULT_NONE || common_line(result, cause) ||
        common_function(result, cause))
        return false;
    uint32_t outer = cause_outer(result, cause);
    if (cause->site != RESULT_NONE)
        put_names(result, cause->region, cause->parts[0], facts);
    else
        put_names(result, outer != RESULT_NONE ? outer : cause->parts[0], RESULT_NONE, facts);
    return true;
}

/// The path that RANK spends most time in between MPI_Init and MPI_Finalize, RESULT_NONE; calls of
/// MPI only if COUNTS_CALLS.
static uint32_t heaviest_path(const struct result *result, uint32_t rank, bool counts_calls)
{
    const struct result_path_rank *most = NULL;
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *of = &result->path_ranks[i];
        const struct result_region *region = &result->regions[result->paths[of->path].region];
        bool counts = !region->is_mpi || (counts_calls && region->mpi_class != MPI_CLASS_START_END);
        if (of->rank == rank && counts && !lost_is_region(region) &&
            (!most || of->exclusive_ns > most->exclusive_ns))
            most = of;
    }
    return most ? most->path : RESULT_NONE;
}

/// Where RANK computes longest, by the calls after it in a program without recorded functions.
static uint32_t heaviest_site(const struct result *result, uint32_t rank)
{
    uint32_t found = RESULT_NONE;
    double most_ns = 0;
    for (uint32_t i = 0; i < result->n_sites; i++) {
        const struct result_site *site = &result->sites[i];
        // Of the other ranks only the sum is known.
        uint64_t others_ns = site->before_ns - site->before_max_ns;
        double ns = site->before_max_rank == rank ? (double)site->before_max_ns
                    : result->n_ranks > 1 ? (double)others_ns / (double)(result->n_ranks - 1)
                                          : 0;
        if (ns > most_ns) {
            most_ns = ns;
            found = i;
        }
    }
    return found;
}

static void put_heaviest(const struct result *result, uint32_t rank, bool counts_calls,
                         enum finding_text name, struct facts *facts)
{
    uint32_t path = heaviest_path(result, rank, counts_calls);
    if (path == RESULT_NONE)
        return;
    uint32_t region = result->paths[path].region;
    if (result->regions[region].is_mpi) {
        facts_put_text(facts, name, path_text(result, NULL, path));
        return;
    }
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    bool is_program = region_is_program(&result->regions[region]);
    place_write(result, region, is_program ? heaviest_site(result, rank) : RESULT_NONE, out);
    fclose(out);
    facts_put_text(facts, name, text);
}

static uint64_t outside_ns_of(const struct result *result, uint32_t rank)
{
    return result->ranks[rank].useful_ns + result->ranks[rank].no_cpu_ns;
}

/// The rank that is outside MPI longest, and where.
static void put_busiest(const struct result *result, struct facts *facts)
{
    uint64_t most_ns = 0;
    facts->busiest = RESULT_NONE;
    for (uint32_t i = 0; i < result->n_ranks; i++) {
        uint64_t outside_ns = outside_ns_of(result, i);
        if (outside_ns > most_ns) {
            most_ns = outside_ns;
            facts->busiest = i;
        }
    }
    if (facts->busiest == RESULT_NONE)
        return;
    facts_say(facts, FINDING_TEXT_busiest, "rank %" PRIu32, facts->busiest);
    put_heaviest(result, facts->busiest, false, FINDING_TEXT_busiest_place, facts);
}

/// What a rank that probes most likely waits for: who sends to it and computes longest, and where.
static void put_sender(const struct result *result, const struct cause *cause, struct facts *facts)
{
    uint32_t main = facts->causing.main, sender = RESULT_NONE;
    facts->sender = RESULT_NONE;
    for (size_t i = 0; i < result->n_traffic && main != RESULT_NONE; i++) {
        const struct result_traffic *traffic = &result->traffic[i];
        if (traffic->receiver == main && traffic->sender != main &&
            (sender == RESULT_NONE ||
             outside_ns_of(result, traffic->sender) > outside_ns_of(result, sender)))
            sender = traffic->sender;
    }
    if (sender == RESULT_NONE || 2 * outside_ns_of(result, sender) < cause->by_rank_ns[main])
        return;
    uint32_t path = heaviest_path(result, sender, false);
    if (path == RESULT_NONE)
        return;
    const struct result_region *region = &result->regions[result->paths[path].region];
    bool is_by_calls = region_is_program(region) || region_is_main(region);
    facts->sender = sender;
    facts_say(facts, FINDING_TEXT_sender, "rank %" PRIu32, sender);
    put_heaviest(result, sender, false, FINDING_TEXT_sender_place, facts);
    put_names_as(result, result->paths[path].region,
                 is_by_calls ? heaviest_site(result, sender) : RESULT_NONE,
                 FINDING_TEXT_sender_region, FINDING_TEXT_sender_work, facts);
}

void facts_put_places(const struct result *result, const struct cause *cause, struct facts *facts)
{
    facts->site = site_of(result, cause);
    put_place(result, cause, facts);
    put_step(result, cause, facts);
    if (facts->causing.main != RESULT_NONE)
        put_heaviest(result, facts->causing.main, true, FINDING_TEXT_rank_place, facts);
    put_busiest(result, facts);
    put_sender(result, cause, facts);
}
