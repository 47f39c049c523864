// SPDX-License-Identifier: BSD-3-Clause
// Findings: the largest causes in the sentences of their kinds, and what there is to say of the
// whole (findings.h).
#include "analyzer/result/findings/findings.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/format/template.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/parts.h"
#include "analyzer/result/sites.h"

enum { MAX_FINDINGS = 5, MAX_APART = 3 };
static const uint64_t too_short_ns = 1000000; // noise of a scheduler's time slice and more
static const double little = 0.02;            // of the ranks' time: not worth a finding
static const double good_efficiency = 0.95;
static const double alike = 1.02; // longest over mean
static const uint64_t machine_factor = 4;

// --- findings

/// What findings are made of.
struct finder {
    const struct finding_kinds *kinds;
    const struct tunings *tunings;
    const struct result *result;
};

/// TEXT with a capital at the beginning of each sentence.
static char *begin_sentences(char *text)
{
    for (char *c = text; c; c = (c = strstr(c, ". ")) ? c + 2 : NULL)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return text;
}

static char *fill(const char *text, const struct facts *facts)
{
    return template_text(text, finding_text_names, (const char *const *)facts->texts,
                         N_FINDING_TEXTS);
}

static bool has_remedy(const struct result_finding *finding, const char *option, const char *value)
{
    for (size_t i = 0; i < finding->n_remedies; i++) {
        const struct result_remedy *remedy = &finding->remedies[i];
        if (strcmp(remedy->option, option) == 0 &&
            (value && remedy->value ? strcmp(remedy->value, value) == 0 : value == remedy->value))
            return true;
    }
    return false;
}

/// Whether all texts that TEMPLATE, or NULL, asks for are known.
static bool is_known(const char *template, const struct facts *facts)
{
    return !template || template_is_known(template, finding_text_names,
                                          (const char *const *)facts->texts, N_FINDING_TEXTS);
}

/// NULL: REMEDY does not apply, or FINDING has it.
static struct result_remedy *add_remedy(const struct finding_remedy *remedy,
                                        const struct facts *facts, struct result_finding *finding)
{
    // What the prediction and its sentence need to know must be known.
    if (!finding_remedy_applies(remedy, facts->numbers) || !is_known(remedy->value, facts) ||
        !is_known(remedy->sentence, facts))
        return NULL;
    char *value = remedy->value ? fill(remedy->value, facts) : NULL;
    if (has_remedy(finding, remedy->option, value)) {
        free(value);
        return NULL;
    }
    struct result_remedy *added = ARRAY_EXTEND(finding->remedies, finding->n_remedies);
    *added = (struct result_remedy){
        .option = memory_copy_text(remedy->option),
        .value = value,
        .sentence = fill(remedy->sentence, facts),
        .is_fallback = remedy->is_fallback,
        .is_limit = remedy->is_limit,
        .is_proof = remedy->is_proof,
    };
    return added;
}

/// The value of the archive's property NAME, NULL: it has none.
static const char *property_of(const struct result *result, const char *name)
{
    size_t i = FIND_BY(result->properties, result->n_properties, name, name);
    return i < result->n_properties ? result->properties[i].value : NULL;
}

/// Adds TUNING if there is a setting of it for the MPI library of RESULT.
static void add_tuning(const struct tuning *tuning, const struct result *result,
                       const struct facts *facts, struct result_finding *finding)
{
    SCOPED char *setting = tuning_text(tuning, property_of(result, "PAGODA::MPI"),
                                       property_of(result, "PAGODA::MPI_VERSION"));
    struct result_remedy *remedy =
        setting && is_known(setting, facts) ? add_remedy(&tuning->remedy, facts, finding) : NULL;
    if (!remedy)
        return;
    remedy->setting = fill(setting, facts);
    remedy->limits = memory_copy_text(tuning->limits);
    SCOPED char *what = remedy->sentence;
    remedy->sentence =
        memory_format("%s, without a change of the program (%s)", what, remedy->setting);
}

static void add_remedies(const struct finder *finder, const struct finding_kind *kind,
                         const struct facts *facts, struct result_finding *finding)
{
    for (size_t i = 0; i < kind->n_remedies; i++)
        add_remedy(&kind->remedies[i], facts, finding);
    for (size_t i = 0; i < finder->tunings->n; i++)
        if (tuning_is_for(&finder->tunings->items[i], kind->id))
            add_tuning(&finder->tunings->items[i], finder->result, facts, finding);
}

/// The remedies of all places and waits of CAUSE.
static void add_all_remedies(const struct finder *finder, const struct cause *cause,
                             const struct finding_kind *kind, struct facts *facts,
                             struct result_finding *finding)
{
    const struct result *result = finder->result;
    for (uint32_t i = 0; i < cause->n_apart && i < MAX_APART; i++) {
        size_t n = finding->n_remedies;
        facts_take_apart(facts, result, &cause->apart[i]);
        add_remedies(finder, kind, facts, finding);
        for (; n < finding->n_remedies; n++)
            finding->remedies[n].apart = i;
    }
    if (cause->n_apart == 0)
        add_remedies(finder, kind, facts, finding);
    if (facts_take_other_wait(facts, result, cause))
        add_remedies(finder, kind, facts, finding);
    if (cause->n_apart == 0 && facts_take_other(facts, result, cause))
        add_remedies(finder, kind, facts, finding);
}

/// Those of N_RANKS ranks that the sentences name because of BY_RANK, *N of them. The caller frees.
static uint32_t *ranks_named(const struct named_ranks *named, const uint64_t *by_rank,
                             size_t n_ranks, size_t *n)
{
    uint32_t *ranks = memory_zeroed(n_ranks, sizeof *ranks);
    *n = 0;
    for (uint32_t i = 0; i < n_ranks && named->n > 0; i++)
        if ((double)by_rank[i] >= named->least)
            ranks[(*n)++] = i;
    return ranks;
}

/// How sure the waits of CAUSE are; all else of it is certain.
static double confidence_of(const struct result *result, const struct cause *cause)
{
    double doubt_ns = 0;
    for (size_t i = 0; i < result->n_patterns; i++)
        doubt_ns += (1 - result->patterns[i].confidence) * (double)cause->by_pattern_ns[i];
    return 1 - part_of(doubt_ns, (double)cause->loss_ns);
}

/// The path of REGION that computes most; RESULT_NONE: none.
static uint32_t computing_path(const struct result *result, uint32_t region)
{
    uint32_t found = RESULT_NONE;
    for (uint32_t i = 0; i < result->n_paths; i++)
        if (result->paths[i].region == region &&
            (found == RESULT_NONE ||
             result->paths[i].exclusive_ns > result->paths[found].exclusive_ns))
            found = i;
    return found;
}

/// Calls of PATH, by PATTERN or with NULL all of them.
static struct result_place place_of_calls(const struct result *result,
                                          const struct result_pattern *pattern, uint32_t path)
{
    if (path == RESULT_NONE)
        return (struct result_place){RESULT_NONE, RESULT_NONE, RESULT_NONE};
    return (struct result_place){result->paths[path].region, path,
                                 path_site(result, pattern, path)};
}

/// Where CAUSE is.
static struct result_place place_of_cause(const struct result *result, const struct cause *cause,
                                          const struct facts *facts)
{
    if (cause->region == RESULT_NONE)
        return place_of_calls(result, NULL, facts->path);
    uint32_t path = facts->site == RESULT_NONE ? computing_path(result, cause->region)
                                               : result->sites[facts->site].before_path;
    return (struct result_place){cause->region, path, facts->site};
}

/// Where ranks wait for CAUSE, and which ones; where and by which ranks it is caused.
static void put_sides(const struct result *result, const struct cause *cause,
                      const struct facts *facts, struct result_finding *finding)
{
    const struct result_pattern *pattern =
        facts->wait_pattern == RESULT_NONE ? NULL : &result->patterns[facts->wait_pattern];
    finding->wait_pattern = facts->wait_pattern;
    finding->wait_at = place_of_calls(result, pattern, facts->wait_path);
    finding->cause_at = place_of_cause(result, cause, facts);
    finding->causing =
        ranks_named(&facts->causing, cause->by_rank_ns, result->n_ranks, &finding->n_causing);
    if (facts->waiting_ns)
        finding->waiting =
            ranks_named(&facts->waiting, facts->waiting_ns, result->n_ranks, &finding->n_waiting);
    finding->confidence = confidence_of(result, cause);
}

/// Those that it names as waiting for PATTERN.
static void add_waiting_ranks(const struct result_pattern *pattern,
                              const struct named_ranks *waiting, struct result_finding *finding)
{
    for (size_t i = 0; i < pattern->n_by_rank && waiting->n > 0; i++)
        if ((double)pattern->by_rank[i].ns >= waiting->least)
            finding->ranks[finding->n_ranks++] = pattern->by_rank[i].key;
    qsort(finding->ranks, finding->n_ranks, sizeof *finding->ranks, uint32_compare);
}

/// What is lost for the cause of CAUSE. Where the program makes threads one by one, all that
/// threads lose may come from the work of one, for which others wait in different ways.
static uint64_t remediable_ns(const struct result *result, const struct cause *cause,
                              const struct facts *facts)
{
    uint32_t main = facts->causing.main;
    bool is_of_made = cause->subject == FINDING_threads && main < result->threads.n_ranks &&
                      result->threads.ranks[main].is_made_singly;
    return is_of_made ? result->threads.lost_ns : cause->loss_ns;
}

static bool write_finding(const struct finder *finder, const struct cause *cause,
                          struct facts *facts, const struct finding_kind *after,
                          struct result_finding *finding);

/// The kind of CAUSE where it is not of KIND; NULL: none.
static const struct finding_kind *kind_after(const struct finder *finder, const struct cause *cause,
                                             const struct finding_kind *kind)
{
    SCOPED_BY(facts_release) struct facts facts;
    facts_collect(&facts, finder->result, cause);
    return finding_kind_of(finder->kinds, cause->subject, &facts.calls, facts.numbers, kind);
}

/// Whether what CAUSE joins stays joined where it is not of KIND: all of it is of one other kind,
/// against which a change of the wait helps as well.
static bool stays_joined(const struct finder *finder, const struct cause *cause,
                         const struct finding_kind *kind)
{
    const struct finding_kind *next = kind_after(finder, cause, kind);
    bool stays = next && finding_kind_is_of_wait(next);
    for (size_t i = 0; i < cause->n_apart && stays; i++)
        stays = kind_after(finder, &cause->apart[i], kind) == next;
    return stays;
}

/// What CAUSE is where it is not of KIND.
static void write_otherwise(const struct finder *finder, const struct cause *cause,
                            const struct finding_kind *kind, struct result_finding *finding)
{
    bool is_apart = cause->n_apart > 0 && !stays_joined(finder, cause, kind);
    const struct cause *causes = is_apart ? cause->apart : cause;
    size_t n = is_apart ? cause->n_apart : 1;
    finding->otherwise = memory_zeroed(n, sizeof *finding->otherwise);
    for (size_t i = 0; i < n; i++) {
        SCOPED_BY(facts_release) struct facts facts;
        facts_collect(&facts, finder->result, &causes[i]);
        finding->n_otherwise += write_finding(finder, &causes[i], &facts, kind,
                                              &finding->otherwise[finding->n_otherwise]);
    }
}

/// FINDING of the first kind AFTER another one (NULL: of all) that fits; false: there is none.
static bool write_finding(const struct finder *finder, const struct cause *cause,
                          struct facts *facts, const struct finding_kind *after,
                          struct result_finding *finding)
{
    const struct finding_kinds *kinds = finder->kinds;
    const struct result *result = finder->result;
    const struct finding_kind *kind =
        finding_kind_of(kinds, cause->subject, &facts->calls, facts->numbers, after);
    while (kind && result->interval.what &&
           finding_kind_needs_proof(kind)) // of a part nothing is predicted
        kind = finding_kind_of(kinds, cause->subject, &facts->calls, facts->numbers, kind);
    const char *path = cause->path == RESULT_NONE ? "" : result->paths[cause->path].path;
    const char *place = facts->texts[FINDING_TEXT_place];
    if (!kind)
        return false;
    *finding = (struct result_finding){
        .kind = memory_copy_text(kind->id),
        .name = fill(kind->name, facts),
        .text = begin_sentences(fill(kind->what, facts)),
        .hint = fill(kind->hint, facts),
        .place = memory_copy_text(place ? place : path),
        .loss_ns = cause->loss_ns,
        .remediable_ns = remediable_ns(result, cause, facts),
        .potential_ns = cause->loss_ns,
        .share = facts->numbers[FINDING_NUMBER_share],
        .is_of_machine = kind->subject == FINDING_cores,
        .is_of_threads = kind->subject == FINDING_threads,
        .region = cause->region,
        .site = facts->site,
        .path = cause->path,
    };
    put_sides(result, cause, facts, finding);
    finding->ranks = memory_zeroed(result->n_ranks, sizeof *finding->ranks);
    if (kind->ranks == FINDING_RANKS_MAIN && facts->causing.main != RESULT_NONE)
        finding->ranks[finding->n_ranks++] = facts->causing.main;
    else if (kind->ranks == FINDING_RANKS_BUSIEST && facts->busiest != RESULT_NONE)
        finding->ranks[finding->n_ranks++] = facts->busiest;
    else if (kind->ranks == FINDING_RANKS_SENDER && facts->sender != RESULT_NONE)
        finding->ranks[finding->n_ranks++] = facts->sender;
    else if (kind->ranks == FINDING_RANKS_HEAVY && facts->heavy_ns) {
        free(finding->ranks);
        finding->ranks =
            ranks_named(&facts->heavy, facts->heavy_ns, result->n_ranks, &finding->n_ranks);
    } else if (kind->ranks == FINDING_RANKS_WAITING && facts->wait_pattern != RESULT_NONE)
        add_waiting_ranks(&result->patterns[facts->wait_pattern], &facts->waiting, finding);
    else
        for (size_t i = 0; i < finding->n_causing; i++)
            finding->ranks[finding->n_ranks++] = finding->causing[i];
    add_all_remedies(finder, cause, kind, facts, finding);
    // That ranks wait for something unknown is not a cause that a change of these calls could
    // remove.
    // Nor may it be one that a thread waits for a condition, such as that there is work.
    finding->has_no_remedy = finding->n_remedies == 0 && kind->subject != FINDING_probe &&
                             kind->subject != FINDING_waiting &&
                             facts->numbers[FINDING_NUMBER_at_condition] == 0;
    if (finding_kind_needs_proof(kind))
        write_otherwise(finder, cause, kind, finding);
    return true;
}

/// False: CAUSE is of no kind.
static bool add_finding(const struct finder *finder, struct result *result,
                        const struct cause *cause)
{
    struct facts facts;
    facts_collect(&facts, result, cause);
    bool is_any = write_finding(finder, cause, &facts, NULL, &result->findings[result->n_findings]);
    result->n_findings += is_any;
    facts_release(&facts);
    return is_any;
}

/// The causes that are worth one; what is left of the time that ranks did not compute is the rest.
static void find(const struct finder *finder, struct result *result)
{
    struct causes causes;
    causes_collect(&causes, result);
    causes_join(&causes, finder->kinds, result);
    result->findings = memory_zeroed(MAX_FINDINGS, sizeof *result->findings);
    result->found_rest_ns = findings_lost_ns(result);
    for (size_t i = 0; i < causes.n && result->n_findings < MAX_FINDINGS; i++) {
        const struct cause *cause = &causes.causes[i];
        if ((double)cause->loss_ns < little * (double)result->total_ns ||
            !add_finding(finder, result, cause) || cause->subject == FINDING_iterations)
            continue;
        uint64_t *rest_ns = &result->found_rest_ns;
        *rest_ns -= cause->loss_ns < *rest_ns ? cause->loss_ns : *rest_ns;
    }
    causes_release(&causes);
}

// --- sentences about the whole

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

/// The site that most of SHARE of the critical path was computed before; NULL: none has half of it.
static const struct result_path_share *main_site_of(const struct result *result,
                                                    const struct result_path_share *share)
{
    const struct result_path_share *site = site_share_in(
        result->critical_path.by_site, result->critical_path.n_by_site, share->region);
    return site && 2 * site->time_ns >= share->time_ns ? site : NULL;
}

/// Whether all ranks compute as long in REGION, or before the calls of SITE.
static bool are_alike(const struct result *result, uint32_t region, uint32_t site)
{
    uint64_t most_ns = result->regions[region].max_ns,
             sum_ns = result->regions[region].exclusive_ns;
    if (site != RESULT_NONE) {
        most_ns = result->sites[site].before_max_ns;
        sum_ns = result->sites[site].before_ns;
    }
    return result->n_ranks > 1 &&
           (double)most_ns * (double)result->n_ranks <= alike * (double)sum_ns;
}

/// Whether it is the time of a thread outside its recorded regions.
static bool is_of_program(const struct result_region *region)
{
    return !strcmp(region->name, RESULT_REGION_PROGRAM) ||
           !strcmp(region->name, RESULT_REGION_THREAD);
}

static void write_critical_path(const struct result *result, FILE *out)
{
    for (size_t i = 0; i < result->critical_path.n_by_region; i++) {
        const struct result_path_share *share = &result->critical_path.by_region[i];
        const struct result_region *region = &result->regions[share->region];
        if (region->is_mpi || lost_is_region(region) ||
            !strcmp(region->name, RESULT_REGION_BEFORE) || !strcmp(region->name, RESULT_REGION_OFF))
            continue;
        const struct result_path_share *site = main_site_of(result, share);
        bool is_of_site = site && region_is_program(region);
        double part_of_path = is_of_site ? site->share : share->share;
        // Corrections of clocks are negative parts of the path.
        fprintf(out, "%s of the critical path is ",
                part_of_path > 1 ? "Most" : quantity_share(part_of_path).text);
        place_write(result, share->region, is_of_site ? site->site : RESULT_NONE, out);
        if (result->is_of_tasks && is_of_program(region)) {
            fputs(": in the tasks' runtime, or idle. Tasks that are larger, or more at a time, "
                  "shorten the run. ",
                  out);
            return;
        }
        fputs(": less time there shortens the run. ", out);
        if (are_alike(result, share->region, is_of_site ? site->site : RESULT_NONE))
            fputs("All ranks compute as long there: if each does the same work, divide it. ", out);
        return;
    }
}

/// Whether time of ranks is missing from the trace: what they did then is not known.
static bool misses_time(const struct result *result)
{
    return !result->interval.what &&
           part_of((double)result->unrecorded_ns, (double)result->total_ns) >= little;
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

/// The share of the threads' time that they lose; 0 where no process has several.
static double thread_loss(const struct result *result)
{
    const struct result_threads *threads = &result->threads;
    uint64_t lost_ns = 0;
    for (unsigned kind = RESULT_THREAD_FIRST_LOSS; kind < RESULT_THREAD_KINDS; kind++)
        lost_ns += threads->ns[kind];
    return part_of((double)lost_ns, (double)threads->total_ns);
}

/// Where threads give back the lock that others wait for most, of all ranks.
static void write_lock_release(const struct result *result, FILE *out)
{
    const struct result_threads *threads = &result->threads;
    const struct result_lock_wait *most = threads->lock_waits;
    uint64_t ns = 0;
    if (threads->n_lock_waits == 0 || most->holder_region == RESULT_NONE)
        return;
    for (size_t i = 0; i < threads->n_lock_waits; i++)
        if (threads->lock_waits[i].region == most->region &&
            threads->lock_waits[i].holder_region == most->holder_region)
            ns += threads->lock_waits[i].ns;
    fprintf(out, "For %s of that time, another thread has the lock until it comes to ",
            quantity_share(part_of((double)ns, (double)threads->ns[PAG_THREAD_LOCK])).text);
    place_write(result, most->holder_region, RESULT_NONE, out);
    fputs(". ", out);
}

/// Where no finding is about what threads lose. They lose part of it while their master is in MPI.
static void write_threads(const struct result *result, FILE *out)
{
    uint32_t kind = threads_largest_loss(result);
    for (size_t i = 0; i < result->n_findings; i++)
        if (result->findings[i].is_of_threads)
            return;
    if (kind == RESULT_NONE || thread_loss(result) < little)
        return;
    uint32_t region = threads_place_of(result, kind);
    fprintf(out, "Threads lose %s of their time. The largest part, %s of that: %s",
            quantity_share(thread_loss(result)).text,
            quantity_share(part_of((double)result->threads.ns[kind],
                                   thread_loss(result) * (double)result->threads.total_ns))
                .text,
            result_thread_kind_names[kind]);
    if (region != RESULT_NONE) {
        fputs(", mostly at ", out);
        place_write(result, region, RESULT_NONE, out);
    }
    fputs(". ", out);
    if (kind == PAG_THREAD_LOCK)
        write_lock_release(result, out);
}

/// What the program may wait for, if it uses a GPU.
static void write_gpu(const struct result *result, FILE *out)
{
    const struct result_stream *first = result->streams;
    if (result->n_streams == 0 || (double)first->busy_ns < little * (double)result->time_ns)
        return;
    fprintf(out,
            "The GPU stream %s is busy %s of the run, most of that with %s: where the program "
            "waits for it, less work there or other work meanwhile shortens the run. ",
            first->name, quantity_part((double)first->busy_ns, (double)result->time_ns).text,
            result->regions[first->parts[0].region].shown);
}

/// What there is to say where findings do not say it all.
static void write_remark(const struct result *result, uint64_t n_read, FILE *out)
{
    if (n_read == 0 || result->total_ns == 0) {
        if (n_read > 0 && has_mpi(result))
            fputs("No time to judge: the ranks are in MPI_Init or MPI_Finalize all the time. ",
                  out);
        else
            fprintf(out, "The %s holds no span of time of any rank. ", subject_of(result));
        return;
    }
    if (!has_mpi(result)) {
        fprintf(out, "The %s holds no MPI calls. ", subject_of(result));
    } else if (result->n_findings == 0) {
        if (result->efficiency.load_balance < good_efficiency && !misses_time(result))
            fprintf(out, "The load balance is %s. ",
                    quantity_share(result->efficiency.load_balance).text);
        fputs("No single cause reaches 2 % of the ranks' time. ", out);
    } else if (result->efficiency.parallel >= good_efficiency) {
        fputs("Faster communication would gain little. ", out);
    } else {
        return;
    }
    write_critical_path(result, out);
    write_gpu(result, out);
}

/// A rank that has no core looks as if it were inside MPI.
static void write_doubt_of_cores(const struct result *result, FILE *out)
{
    struct cores cores = cores_of(result);
    if (cores.n_short_ranks > 0 && lost_kind(result) != LOST_CORES_SHARED) {
        cores_write_sharing(result, out);
        fputs(": a descheduled rank looks busy inside MPI. ", out);
    } else if (cores.n == 0) {
        fputs("It is not known whether each rank had a core. ", out);
    }
}

static void write_certainty(const struct result *result, uint64_t n_read, FILE *out)
{
    uint64_t window_ns = result->window_end_ns - result->window_begin_ns;
    const struct result_finding *first = result->n_findings > 0 ? &result->findings[0] : NULL;
    if (n_read == 0 || result->total_ns == 0)
        return;
    if (result->taken_ns > 0)
        fprintf(out, "Other programs took %s of the CPU time that the ranks would have had. ",
                quantity_share(result->taken_share).text);
    if (n_read < result->n_ranks)
        fprintf(out, "%s could not be read; the numbers cover the other %" PRIu64 ". ",
                quantity_count(result->n_ranks - n_read, "rank").text, n_read);
    if (has_mpi(result) && window_ns < too_short_ns)
        fprintf(out, "Only %s are judged: too short for reliable numbers. ",
                quantity_time(window_ns).text);
    if (misses_time(result))
        fprintf(out, "The load balance is not known: %s of the time is not recorded. ",
                quantity_part((double)result->unrecorded_ns, (double)result->total_ns).text);
    if (first && first->wait_pattern != RESULT_NONE) {
        const struct result_pattern *pattern = &result->patterns[first->wait_pattern];
        if (pattern->confidence < 0.995)
            fprintf(out, "%s is not certain (confidence %.2f of 1). ", pattern->name,
                    pattern->confidence);
    } else if (first)
        write_doubt_of_cores(result, out);
    write_doubt(result, out);
}

static char *headline_of(const struct result *result, uint64_t n_read)
{
    const struct result_finding *first = result->findings;
    if (n_read == 0 || result->total_ns == 0)
        return memory_format("The %s holds no span of time of any rank", subject_of(result));
    if (result->n_findings == 0 && thread_loss(result) >= little)
        return memory_format("Threads lose %s of their time",
                             quantity_share(thread_loss(result)).text);
    if (result->n_findings == 0 && !has_mpi(result))
        return memory_format("The %s holds no MPI calls", subject_of(result));
    if (result->n_findings == 0)
        return memory_copy_text("No loss reaches 2 % of the ranks' time");
    return memory_format("%s%s%s: %s, %s of the ranks' time", first->name,
                         first->place[0] ? " in " : "", first->place,
                         quantity_time(first->loss_ns).text, quantity_share(first->share).text);
}

/// The text that a stream wrote, without the blank after its last sentence.
static void end_text(FILE *out, char *const *text)
{
    fclose(out);
    size_t length = strlen(*text);
    if (length > 0)
        (*text)[length - 1] = '\0';
}

static uint64_t ranks_read(const struct result *result)
{
    uint64_t n_read = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        n_read += !result->ranks[i].is_skipped;
    return n_read;
}

static void write_conclusion(struct result *result)
{
    size_t size;
    FILE *out = memory_stream(&result->conclusion, &size);
    for (size_t i = 0; i < result->n_findings; i++) {
        const struct result_finding *finding = &result->findings[i];
        fprintf(out, "%s: %s %s%s", finding->name, finding->text, finding->hint,
                finding->hint[0] ? " " : "");
    }
    fprintf(out, "%s%s%s%s", result->remark, result->remark[0] ? " " : "", result->certainty,
            result->certainty[0] ? " " : "");
    end_text(out, &result->conclusion);
}

/// Whether changes of the program may save next to nothing of what another machine may save, or the
/// run says more of the machine than of the program: more than half of it would be saved there, or
/// was lost to what no change takes away.
static bool is_machine_first(const struct result *result)
{
    uint64_t machine_ns = 0, others_ns = 0, predicted_ns = 0, lost_ns = 0;
    for (size_t i = 0; i < result->n_findings; i++) {
        const struct result_finding *finding = &result->findings[i];
        *(finding->is_of_machine ? &machine_ns : &others_ns) += finding->potential_ns;
        if (!finding->is_of_machine)
            continue;
        if (finding->n_remedies == 0)
            lost_ns += finding->loss_ns;
        else if (finding->remedies[0].is_predicted)
            predicted_ns += finding->potential_ns;
    }
    return machine_ns > machine_factor * others_ns ||
           predicted_ns > result_gains_of_ns(result) / 2 || lost_ns > result->total_ns / 2;
}

static bool is_before(const struct result_finding *a, const struct result_finding *b,
                      bool is_machine_first)
{
    if (a->is_of_machine != b->is_of_machine)
        return a->is_of_machine == is_machine_first;
    return a->potential_ns > b->potential_ns;
}

void findings_order(struct result *result)
{
    bool machine_first = is_machine_first(result);
    for (size_t i = 1; i < result->n_findings; i++) { // stable
        struct result_finding moved = result->findings[i];
        size_t at = i;
        for (; at > 0 && is_before(&moved, &result->findings[at - 1], machine_first); at--)
            result->findings[at] = result->findings[at - 1];
        result->findings[at] = moved;
    }
    FREE_ALL(result->headline, result->certainty, result->conclusion);
    uint64_t n_read = ranks_read(result);
    size_t size;
    result->headline = headline_of(result, n_read);
    FILE *out = memory_stream(&result->certainty, &size);
    write_certainty(result, n_read, out);
    end_text(out, &result->certainty);
    write_conclusion(result);
}

void findings_write(const struct finding_kinds *kinds, const struct tunings *tunings,
                    struct result *result)
{
    size_t size;
    causes_charge_callers(result);
    find(&(struct finder){kinds, tunings, result}, result);
    FILE *out = memory_stream(&result->remark, &size);
    write_threads(result, out);
    write_remark(result, ranks_read(result), out);
    end_text(out, &result->remark);
    findings_order(result);
}
