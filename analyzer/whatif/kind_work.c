// SPDX-License-Identifier: BSD-3-Clause
// How much work regions are: times a factor, a duration of each visit, the same on all ranks.
#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/whatif/kinds.h"

// --- options

static int read_scale(const struct whatif_option *option, const char *text,
                      struct whatif_case *asked, struct error *err)
{
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return error_set(err, "--scale %s: not of the form REGION=FACTOR", text);
    struct scenario_settings *settings = &asked->settings;
    struct region_scale *scales =
        whatif_case_grow(asked, settings->scales, settings->n_scales, sizeof *scales);
    struct region_scale *scale = &scales[settings->n_scales++];
    settings->scales = scales;
    scale->pattern = whatif_case_keep(asked, memory_format("%.*s", (int)(equals - text), text));
    return whatif_read_factor(option, text, 0, &scale->factor, err);
}

static struct region_work *add_work(struct whatif_case *asked, const char *pattern, size_t length)
{
    struct scenario_settings *settings = &asked->settings;
    struct region_work *works =
        whatif_case_grow(asked, settings->works, settings->n_works, sizeof *works);
    struct region_work *work = &works[settings->n_works++];
    settings->works = works;
    work->pattern = whatif_case_keep(asked, memory_format("%.*s", (int)length, pattern));
    return work;
}

static int read_duration(const struct whatif_option *option, const char *text,
                         struct whatif_case *asked, struct error *err)
{
    (void)option;
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return error_set(err, "--duration %s: not of the form REGION=T", text);
    struct region_work *work = add_work(asked, text, (size_t)(equals - text));
    if (cost_time_read(equals + 1, &work->duration_ns, err) != 0)
        return error_wrap(err, "--duration %s", text);
    return 0;
}

/// Whether the = at EQUALS in TEXT is of an operator's name, such as ns::operator==.
static bool is_of_operator(const char *text, const char *equals)
{
    for (const char *at = text; (at = strstr(at, "operator")) != NULL;) {
        bool is_word = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        at += sizeof "operator" - 1;
        if (is_word && at <= equals && equals < at + strspn(at, "<>=-+*/!&|^%"))
            return true;
    }
    return false;
}

static int read_balance(const struct whatif_option *option, const char *text,
                        struct whatif_case *asked, struct error *err)
{
    (void)option;
    const char *equals = strrchr(text, '=');
    struct error ignored;
    if (equals && is_of_operator(text, equals) &&
        rank_list_check(equals + 1, strlen(equals + 1), &ignored) != 0)
        equals = NULL; // no ranks are given
    if (equals == text || *text == '\0')
        return error_set(err, "--balance %s: not of the form REGION or REGION=RANKS", text);
    struct region_work *work =
        add_work(asked, text, equals ? (size_t)(equals - text) : strlen(text));
    work->is_balanced = true;
    work->ranks = equals ? whatif_case_keep(asked, memory_copy_text(equals + 1)) : NULL;
    if (equals && rank_list_check(equals + 1, strlen(equals + 1), err) != 0)
        return error_wrap(err, "--balance %s", text);
    return 0;
}

const struct whatif_option whatif_options_of_work[] = {
    {WHATIF_ROW(REPEATED_AXIS, "scale", "REGION=F"), .read = read_scale,
     .help = "multiply the computing in a region by F; 0 removes it"},
    {WHATIF_ROW(VALUE, "speeds", "FILE"), WHATIF_TEXT(speeds_file),
     .help = "compute as fast as the target machine does, by region, as pagoda calibrate --speeds "
             "learned",
     .excludes = "timeless", .why = "exclude each other: it is about recorded computing"},
    {WHATIF_ROW(REPEATED_AXIS, "duration", "REGION=T"), .read = read_duration,
     .help = "set the computing in each visit of a region to T"},
    {WHATIF_ROW(REPEATED, "balance", "REGION[=RANKS]"), .read = read_balance,
     .help = "spread the computing in a region evenly over its ranks"},
    {.name = "untraced",
     .kind = WHATIF_FLAG,
     WHATIF_SET(settings.is_untraced),
     .help = "subtract what recording the functions cost, as the tracer estimates it",
     .default_text = "if that is 0.1 % of the ranks' time",
     .excludes = "timeless",
     .why = "exclude each other: it is about recorded computing"},
    {.name = "traced",
     .kind = WHATIF_FLAG,
     WHATIF_SET(keeps_recording),
     .help = "keep what recording the functions cost",
     .excludes = "untraced",
     .why = "exclude each other"},
    {.name = NULL},
};

// --- in a report

/// One sentence about what is set for a region, given the first time of several.
static void note_work(struct whatif_report *report, const struct scenario *scenario,
                      const struct visits *visits, size_t index)
{
    const struct region_works_item *item = &scenario->works.items[index];
    const char *option = region_patterns_text(scenario->regions, item->pattern);
    struct visits_summary summary = visits_summary(visits, (int32_t)index + 1);
    // A rank that is slow before one call and fast before the next one stays so.
    const char *coarse =
        summary.has_calls ? ". A visit contains MPI calls and is scaled as a whole, so ranks that "
                            "are slow in turns stay slow. A finer region is balanced part by part, "
                            "such as \"before CALLS\", the computing before these MPI calls"
                          : "";
    const char *others = summary.n_sharing < item->n_named
                             ? ", as many as have cores at once; those that never "
                               "visit it do their part without delay"
                         : summary.n_sharing > summary.n_locations
                             ? "; those that never visit it do their part without delay"
                             : "";
    char *text;
    if (!item->is_balanced)
        text =
            memory_format("%s: the process time of each of %" PRIu64
                          " visits is set; each part of a visit between MPI calls keeps its share",
                          option, summary.n_visits);
    else if (summary.is_by_visit)
        text = memory_format("%s: visit by visit, the n-th visits of %s get their mean%s%s", option,
                             quantity_count(summary.n_sharing, "rank").text, others, coarse);
    else
        text = memory_format(
            "%s: by the totals of %" PRIu64
            " ranks, because they %s; all visits of a rank are scaled by the same factor%s%s",
            option, summary.n_sharing,
            summary.n_visits > VISITS_MAX_KEPT ? "have too many visits to be kept"
                                               : "visit it unequally often",
            others, coarse);
    whatif_report_note(report, text);
}

/// Functions that were not recorded have the computing before their MPI calls. Where calls are
/// meant, what is left out by name may have carried data.
static void note_regions(struct whatif_report *report, const struct scenario *scenario)
{
    const struct region_patterns *patterns = scenario->regions;
    uint64_t for_calls = scenario->drops | scenario->overlaps;
    uint32_t n = region_patterns_count(patterns);
    for (uint32_t i = 0; i < n; i++)
        if (!(for_calls >> i & 1) && region_patterns_is_unrecorded(patterns, i))
            whatif_report_note(report,
                               memory_format("%s: not recorded as a region; the computing before "
                                             "the MPI calls made from it counts as its own",
                                             region_patterns_text(patterns, i)));
    for (uint32_t i = 0; i < n; i++)
        if (scenario->drops >> i & 1 && region_patterns_names_data(patterns, i))
            whatif_report_note(
                report, memory_format("%s: operations that carry data are left out too, because "
                                      "it names them directly",
                                      region_patterns_text(patterns, i)));
}

/// What the file of --speeds has of the run.
static void note_speeds(struct whatif_report *report, const struct scenario *scenario)
{
    const struct machine *speeds = scenario->settings->speeds;
    if (!speeds)
        return;
    uint64_t all = PAG_WORK_PER_NS;
    for (size_t i = 0; i < speeds->n_regions; i++)
        if (strcmp(speeds->regions[i].pattern, "(program)") == 0)
            all = speeds->regions[i].speed;
    whatif_report_note(report,
                       memory_format("--speeds: of the %s in %s this run has %zu; all other "
                                     "computing is %.3g times as fast as recorded",
                                     quantity_count(speeds->n_regions, "region").text, speeds->path,
                                     scenario->scales.n_of_speeds, (double)all / PAG_WORK_PER_NS));
}

/// What recording their functions cost the ranks of MEASURED together; 0: that is not known.
static uint64_t functions_ns(const struct replay_run *measured)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    const struct result *result = &measured->result;
    uint64_t record_ps = 0, n_visits = 0;
    for (size_t i = 0; i < definitions->n_locations; i++)
        if (definitions->locations[i].record_ps > record_ps)
            record_ps = definitions->locations[i].record_ps;
    for (size_t i = 0; i < result->n_regions; i++)
        n_visits += result->regions[i].is_mpi ? 0 : result->regions[i].visits;
    return 2 * n_visits * record_ps / 1000; // an enter and a leave
}

bool whatif_assume_untraced(const struct whatif_plan *plan, const struct replay_run *measured)
{
    static const uint64_t least_part = 1000; // of the ranks' time; a gain of less is not named
    return !whatif_plan_has(plan, "untraced") && !whatif_plan_has(plan, "traced") &&
           !whatif_plan_has(plan, "timeless") &&
           functions_ns(measured) >
               measured->replay.n_ranks * measured->replay.time_ns / least_part;
}

/// 0, or -1 and ERR where the run without recording is asked for and its cost is not known.
static int check_untraced(const struct scenario *scenario, const struct definitions *definitions,
                          struct error *err)
{
    for (size_t i = 0; scenario->settings->is_untraced && i < definitions->n_locations; i++)
        if (definitions->locations[i].record_ps > 0)
            return 0;
    return scenario->settings->is_untraced
               ? error_set(err, "--untraced: the trace does not say what recording cost; record "
                                "the run again with this pagoda trace")
               : 0;
}

int whatif_count_work(struct whatif_plan *plan, const struct replay_run *measured,
                      struct whatif_report *report, struct visits **visits, struct error *err)
{
    // All cases name the same regions.
    const struct scenario *first = &plan->cases[0].scenario;
    *visits = NULL;
    if (check_untraced(first, trace_definitions(measured->trace), err) != 0 ||
        region_patterns_check(first->regions, &measured->replay, err) != 0 ||
        region_works_check(first, err) != 0)
        return -1;
    note_regions(report, first);
    note_speeds(report, first);
    if (first->works.n > 0) {
        *visits = visits_gather(measured->trace, first, measured->recorded, err);
        if (!*visits)
            return -1;
    }
    for (size_t i = 0; i < first->works.n; i++)
        note_work(report, first, *visits, i);
    for (size_t i = 0; i < plan->n_cases; i++)
        plan->cases[i].scenario.visits = *visits;
    return 0;
}
