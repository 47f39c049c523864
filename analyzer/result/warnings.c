// SPDX-License-Identifier: BSD-3-Clause
// Counts of the replay and of the reader become warnings; those about locations name them.
#include "analyzer/result/collect.h"
#include "analyzer/result/parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/dilation.h"
#include "analyzer/trace/reader.h"

enum {
    MAX_WARNINGS = 32,
    NAMED_LOCATIONS = 3,
    NAMED_ENDS = 8,
    NAMED_UNUSED = 8,
    NAMED_MODULES = 3,
    MAX_MODULES = 100
};

/// Other programs' CPU time is reported from this share of the ranks' on, and from this much on:
/// systems have some work of their own.
static const double disturbed_share = 0.05, disturbed_ns = 1e7;

/// The first LIMIT of some items: "rank 1, rank 2 and 5 more".
struct list {
    char *text; // NULL: none yet
    size_t limit, n;
};

/// Frees ITEM.
static void list_add(struct list *list, char *item)
{
    if (list->n++ < list->limit)
        text_append(&list->text, "%s%s", list->text ? ", " : "", item);
    free(item);
}

/// The whole list, which the caller frees.
static char *list_text(struct list *list)
{
    if (list->n > list->limit)
        text_append(&list->text, " and %zu more", list->n - list->limit);
    return list->text ? list->text : memory_copy_text("");
}

/// NAME, of the archive, as sentences have it; the caller frees.
static char *name_clean(const char *name)
{
    SCOPED char *clean = utf8_clean(name);
    return utf8_shortened(clean, NAME_COLUMNS);
}

/// Adds a warning unless COUNT is 0: the count with its noun, then the formatted rest.
static void warn(struct result *result, const char *code, uint64_t count, const char *noun,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

static void warn(struct result *result, const char *code, uint64_t count, const char *noun,
                 const char *format, ...)
{
    if (count == 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    SCOPED char *rest = memory_format_list(format, arguments);
    va_end(arguments);
    result->warnings[result->n_warnings++] = (struct result_warning){
        .code = memory_copy_text(code),
        .count = count,
        .text = memory_format("%s %s", quantity_count(count, noun).text, rest),
    };
}

/// What was wrong with the clocks, and what was done.
static void warn_of_clocks(const struct collect_input *input, struct result *result)
{
    const char *why_not = input->clocks ? input->clocks->why_not.text : "";
    const char *jumping = input->clocks ? input->clocks->jumping.text : "";
    char *outcome;
    if (result->clock_moved_ns > 0)
        outcome = memory_format(
            "the clocks of ranks disagree. They are corrected here: events come "
            "later by up to %s, and %" PRIu64
            " violations remain. %s%s%spagoda check judges the recorded clocks; "
            "pagoda align writes the corrected trace",
            quantity_time(result->clock_moved_ns).text, result->n_clock_violations_left,
            *jumping ? "But " : "", jumping,
            *jumping ? ", and is not aligned: waits there are cut at the end of their call. " : "");
    else
        outcome = memory_format("%s. Waits there are cut at the end of their call%s",
                                *why_not ? why_not : "the clocks of ranks disagree",
                                *why_not ? "" : "; pagoda align sets clocks right");
    warn(result, "clock-violation", result->n_clock_violations, "clock violation",
         "(data received up to %s before it was sent): %s",
         quantity_time(result->max_clock_violation_ns).text, outcome);
    free(outcome);
}

static void warn_of_replay(const struct pag_result *replay, struct result *result)
{
    warn(result, "unmatched-send", replay->n_unmatched_sends, "message",
         "sent but not received in this trace. Waits for them are not counted; was the trace cut, "
         "or "
         "a rank left out?");
    warn(
        result, "unmatched-receive", replay->n_unmatched_receives, "receive",
        "without a matching send in this trace. Waits there are not counted; was the trace cut, or "
        "a rank left out?");
    warn(result, "ambiguous-receive", replay->n_ambiguous_receives, "receive",
         "matched in order of completion, because the trace does not say what was posted. Single "
         "waits there may be off; pagoda trace records the order of posting");
    warn(result, "incomplete-collective", replay->n_incomplete_collectives, "collective operation",
         "in which not all members took part. Waits there are not counted");
    warn(result, "missing-init", replay->n_missing_init, "rank",
         "with MPI calls but without MPI_Init. The judged part begins with the MPI_Init of the "
         "other ranks, or with the run");
    warn(result, "unbalanced-region", replay->n_unbalanced, "region visit",
         "with a missing enter or leave record. It ends with the region around it, or with the "
         "trace");
    warn(result, "outside-partner", replay->n_outside, "operation",
         "(messages, collectives) with processes that are not in this trace (MPI_Comm_spawn, "
         "MPI_Comm_connect). Waits there are not counted; pagoda align joins the traces of several "
         "launches");
    if (replay->off_ns == 0)
        warn(result, "recording-off", replay->n_off, "rank",
             "with recording switched off when the program ended early. Nothing is known of the "
             "time before");
    else
        warn(result, "recording-off", replay->n_off, "rank",
             "with recording switched off for %s on average. Nothing is known of that time; the "
             "efficiencies are those of the rest",
             quantity_time(replay->off_ns / replay->n_off).text);
    warn(result, "lost-record", replay->n_lost_calls, "record",
         "that did not fit the MPI call around it. Its message or collective is not counted");
}

/// "rank 3" or "rank 3 thread 7", or the location's name when it belongs to no rank.
static char *location_label(const struct definitions *definitions, size_t index)
{
    const struct location *location = &definitions->locations[index];
    if (location->rank == EVENT_NO_INDEX || !location->is_master) {
        SCOPED char *name = name_clean(location->name);
        return location->rank == EVENT_NO_INDEX
                   ? memory_format("location \"%s\"", name)
                   : memory_format("rank %u, \"%s\"", location->rank, name);
    }
    return memory_format("rank %u", location->rank);
}

/// One kind of damage, over all locations: what to count and, of the first few, what to say.
struct damage {
    uint64_t count;
    struct list places; // "rank 1 (reason), rank 2 (reason)"
};

static void damage_add(struct damage *damage, const struct definitions *definitions,
                       size_t location, uint64_t count, const char *reason)
{
    if (count == 0)
        return;
    damage->count += count;
    damage->places.limit = NAMED_LOCATIONS;
    SCOPED char *label = location_label(definitions, location);
    SCOPED char *clean = utf8_clean(reason);
    list_add(&damage->places,
             reason ? memory_format("%s (%s)", label, clean) : memory_copy_text(label));
}

/// "COUNT NOUN WHAT: PLACES. CONSEQUENCE".
static void warn_of_damage(struct result *result, const char *code, struct damage *damage,
                           bool is_unreadable, const char *noun, const char *what,
                           const char *consequence)
{
    SCOPED char *places = list_text(&damage->places);
    warn(result, code, damage->count, noun, "%s: %s. %s", what, places, consequence);
    if (is_unreadable && damage->count > 0) {
        result->has_unreadable_records = true;
        result->warnings[result->n_warnings - 1].is_of_damage = true;
    }
}

/// Whether the numbers of events that the archive declares can be right: no location has more.
static bool declares_events(struct trace *trace)
{
    const struct definitions *definitions = trace_definitions(trace);
    for (size_t i = 0; i < definitions->n_locations; i++)
        if (trace_location_report(trace, i)->n_read > definitions->locations[i].n_events)
            return false;
    return true;
}

static void warn_of_locations(struct trace *trace, struct result *result)
{
    const struct definitions *definitions = trace_definitions(trace);
    struct damage skipped = {0}, cut = {0}, unknown = {0}, bad = {0}, backward = {0};
    struct damage undefined = {0}, fewer = {0};
    bool is_declared = declares_events(trace);
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location_report *report = trace_location_report(trace, i);
        damage_add(&skipped, definitions, i, report->is_skipped, report->reason);
        damage_add(&cut, definitions, i, report->is_cut, report->reason);
        damage_add(&unknown, definitions, i, report->n_unknown, NULL);
        damage_add(&bad, definitions, i, report->n_bad_references, NULL);
        damage_add(&backward, definitions, i, report->n_backward, NULL);
        damage_add(&undefined, definitions, i, report->lacks_definitions, NULL);
        uint64_t n_declared = definitions->locations[i].n_events;
        if (is_declared && !report->is_skipped && !report->is_cut && n_declared > report->n_read)
            damage_add(&fewer, definitions, i, n_declared - report->n_read, NULL);
    }
    warn_of_damage(result, "location-skipped", &skipped, true, "location", "not read at all",
                   "No number in this report covers it");
    warn_of_damage(result, "location-cut", &cut, true, "location",
                   "readable only up to some record", "The rest is missing in this report");
    warn_of_damage(result, "unknown-record", &unknown, true, "record", "of an unknown kind",
                   "It is left out; a newer version may read it");
    warn_of_damage(result, "bad-reference", &bad, true, "record",
                   "of a region, communicator or rank that the archive does not define",
                   "It is left out");
    warn_of_damage(result, "backward-time", &backward, false, "record",
                   "with a time before that of the record before it",
                   "It is moved up to that time");
    warn_of_damage(result, "missing-definitions", &undefined, false, "location",
                   "without the file of its own definitions", "Its clock is used uncorrected");
    warn_of_damage(result, "missing-event", &fewer, false, "event",
                   "fewer in the files than the archive declares",
                   "Times near the end may be missing");
}

/// "PAPI_TOT_CYC, PAPI_L2_TCM and 3 more"; the caller frees.
static char *list_unused(const struct unused *unused, size_t n, bool is_parameter,
                         uint64_t *n_values)
{
    struct list list = {.limit = NAMED_UNUSED};
    *n_values = 0;
    for (size_t i = 0; i < n; i++) {
        if (unused[i].is_parameter != is_parameter)
            continue;
        *n_values += unused[i].n_values;
        list_add(&list, name_clean(unused[i].name));
    }
    return list_text(&list);
}

/// Counters and parameters.
static void warn_of_unused(const struct trace *trace, struct result *result)
{
    struct unused *list;
    size_t n = trace_unused(trace, &list);
    uint64_t n_counts, n_parameters;
    SCOPED char *counters = list_unused(list, n, false, &n_counts);
    SCOPED char *parameters = list_unused(list, n, true, &n_parameters);
    warn(result, "unused-counter", n_counts, "counter value",
         "left out: %s. Counters are reported of whole runs only", counters);
    warn(result, "unused-parameter", n_parameters, "parameter value",
         "left out: %s. Numbers are added up and reported by call path, of whole runs; texts and "
         "identifiers have no sum",
         parameters);
    free(list);
}

/// "rank 1 until 3.210 s (No space left on device), rank 0 until ..."; "" for none. The first to
/// end are named first: what ended them often ended the others.
static char *list_ends(const struct definitions *definitions, const struct location **ended,
                       size_t n)
{
    struct list list = {.limit = NAMED_ENDS};
    SORT_POINTERS_BY(ended, n, LEAST(recorded_until_ns));
    for (size_t i = 0; i < n; i++) {
        SCOPED char *label =
            location_label(definitions, (size_t)(ended[i] - definitions->locations));
        SCOPED char *reason = ended[i]->stop_reason ? utf8_clean(ended[i]->stop_reason) : NULL;
        list_add(&list, memory_format("%s until %s%s%s%s", label,
                                      quantity_time(ended[i]->recorded_until_ns).text,
                                      reason ? " (" : "", reason ? reason : "", reason ? ")" : ""));
    }
    return list_text(&list);
}

static bool has_finalize(const struct definitions *definitions)
{
    for (size_t i = 0; i < definitions->n_regions; i++)
        if (definitions->regions[i].mpi == MPI_FUNCTION_FINALIZE)
            return true;
    return false;
}

/// Ranks that did not end regularly, and until when they were recorded as far as the archive says.
static void warn_of_ends(const struct definitions *definitions, const struct pag_result *replay,
                         struct result *result)
{
    SCOPED const struct location **ended =
        memory_zeroed(definitions->n_locations, sizeof(struct location *));
    SCOPED const struct location **stopped =
        memory_zeroed(definitions->n_locations, sizeof(struct location *));
    size_t n_ended = 0, n_stopped = 0;
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        if (location->is_cut_short && location->stop_reason)
            stopped[n_stopped++] = location;
        else if (location->is_cut_short && location->is_master)
            ended[n_ended++] = location;
    }
    SCOPED char *ends = list_ends(definitions, ended, n_ended);
    SCOPED char *stops = list_ends(definitions, stopped, n_stopped);
    if (n_ended > replay->n_missing_finalize) // some ended inside it
        warn(result, "missing-finalize", n_ended, "rank",
             "that MPI_Finalize did not return to: the program ended early. Recorded: %s", ends);
    else
        warn(result, "missing-finalize", replay->n_missing_finalize, "rank",
             "with MPI calls but without MPI_Finalize: the program or its trace ended early%s%s%s",
             has_finalize(definitions) ? "" : ", or its tracer does not record MPI_Finalize",
             n_ended ? ". Recorded: " : "", ends);
    warn(result, "recording-stopped", n_stopped, "location",
         "that the tracer did not record to the end: %s. Later time is unknown", stops);
}

/// What `pagoda check --repair` could not save.
static void warn_of_repair(const struct definitions *definitions, struct result *result)
{
    const char *stated = definitions_property(definitions, "PAGODA::REPAIRED");
    SCOPED char *losses = utf8_clean(stated ? stated : "");
    warn(result, "repaired", stated != NULL, "repair",
         "made this archive readable. Not in it, nor in this report: %s", losses);
}

/// Regions that our tracer dropped because of --min-duration.
static void warn_of_short_regions(const struct definitions *definitions, struct result *result)
{
    uint64_t n = 0;
    const char *least = definitions_property(definitions, "PAGODA::MIN_DURATION_NS");
    uint64_t least_ns = least ? strtoull(least, NULL, 10) : 0;
    for (size_t i = 0; i < definitions->n_locations; i++)
        n += definitions->locations[i].n_short_regions;
    warn(result, "short-region", n, "region visit",
         "shorter than %s not recorded (min_duration). Their time counts for the regions around "
         "them",
         least_ns ? quantity_time(least_ns).text : "the limit");
}

/// What to do about the cost of recording: what most of it went to.
static char *recording_advice(const struct trace *trace, const struct result *result,
                              uint64_t recording_ns, uint64_t excluded_ns)
{
    uint64_t n_mpi = 0, n_functions = 0;
    for (size_t i = 0; i < result->n_regions; i++)
        *(result->regions[i].is_mpi ? &n_mpi : &n_functions) += result->regions[i].visits;
    if (excluded_ns > recording_ns / 2)
        return memory_copy_text("Most of it was in functions that the filter leaves out: compile "
                                "their files without -finstrument-functions");
    if (n_mpi > n_functions)
        return memory_copy_text(
            "Most of it was in MPI calls: pagoda trace --mpi communication leaves "
            "out those that do not communicate");
    SCOPED char *path = utf8_clean(trace_path(trace));
    return memory_format("To leave out small functions: pagoda reduce -o app.filter %s, then "
                         "pagoda trace --filter app.filter",
                         path);
}

/// Recording's own cost cannot be told from computing.
static void warn_of_recording_cost(const struct trace *trace, struct result *result)
{
    const struct definitions *definitions = trace_definitions(trace);
    SCOPED double *shares = memory_zeroed(definitions->n_ranks + 1, sizeof *shares);
    double worst = 0;
    uint64_t n_slowed = 0, recording_ns = 0, excluded_ns = 0;
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        if (location->rank == EVENT_NO_INDEX || location->recording_of_ns == 0)
            continue;
        double share = (double)location->recording_ns / (double)location->recording_of_ns;
        recording_ns += location->recording_ns;
        excluded_ns += location->excluded_ns;
        shares[location->rank] = fmin(fmax(share, shares[location->rank]), 0.999);
    }
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        n_slowed += shares[i] > DILATION_WARNED_SHARE;
        worst = fmax(worst, shares[i]);
    }
    SCOPED char *advice = recording_advice(trace, result, recording_ns, excluded_ns);
    warn(result, "recording-cost", n_slowed, "rank",
         "slowed by the recording: recording took up to %s of a rank's time, which counts as "
         "computing (estimated dilation %.2f). pagoda replay --untraced predicts the run without "
         "it. %s",
         quantity_share(worst).text, dilation(1, 1 - worst), advice);
}

/// Archives that `pagoda replay --output` wrote.
static void warn_of_prediction(const struct definitions *definitions, struct result *result)
{
    const char *change = definitions_property(definitions, "PAGODA::PREDICTED");
    const char *source = definitions_property(definitions, "PAGODA::PREDICTED_FROM");
    warn(result, "predicted-run", change != NULL, "run",
         "that was predicted, not measured: by pagoda replay %s from %s", change ? change : "",
         source ? source : "another trace");
}

/// Ranks that had no core for a part of their time, as far as it is known or to be expected.
static void warn_of_cores(struct result *result)
{
    uint64_t n_lost = 0;
    warn(result, "more-ranks-than-cores", cores_of(result).n_without_core, "rank",
         result->has_cpu_time
             ? "more than there are cores on their nodes. CPU samples show part of the time spent "
               "descheduled as " RESULT_REGION_NO_CPU "; single waits may include more"
             : "more than there are cores on their nodes. Time spent descheduled counts for the "
               "interrupted MPI call or function: any time below may include some");
    warn(result, "more-threads-than-cores", cores_threads_without(result), "thread",
         "more than there are cores on their nodes. What threads compute contains time without a "
         "core; predictions cannot give them cores");
    if (lost_kind(result) != LOST_UNKNOWN || result->taken_ns > 0)
        return;
    for (size_t i = 0; i < result->n_ranks; i++)
        n_lost += result->ranks[i].no_cpu_ns + result->ranks[i].no_cpu_mpi_ns > 0;
    warn(
        result, "without-cpu-time", n_lost, "rank",
        "without CPU time for %s of the ranks' time, while not waiting in MPI. Other programs used "
        "the cores%s. That time is not counted as computing; waits for these ranks include it",
        quantity_part((double)result->no_cpu_ns, (double)result->total_ns).text,
        result->blocked_ns > 0
            ? "; time that ranks slept or waited for devices is shown as " RESULT_REGION_BLOCKED
            : ", or the ranks slept or waited for files");
}

/// What the ranks of a core set got of it, sums.
struct core_use {
    uint32_t n_known; // ranks of which it is known
    double used_ns, wait_ns;
};

/// CPU time of the cores of SET that went to other programs, at least. While r of n ranks are ready
/// and c cores are theirs alone, r - c of them wait and c run: they wait for at most (n - c) / c of
/// the CPU time that they get. What they wait for beyond that, others had.
static double taken_ns(const struct core_set *set, const struct core_use *use)
{
    double n = set->n_ranks, c = set->n_cores;
    if (c <= 0 || use->n_known < set->n_ranks)
        return 0;
    return n > c ? fmax((use->wait_ns * c - use->used_ns * (n - c)) / n, 0) : use->wait_ns;
}

/// Recordings that other programs disturbed: what was measured holds for no quiet machine.
static void warn_of_other_programs(const struct definitions *definitions, struct result *result)
{
    SCOPED struct core_use *uses = memory_zeroed(definitions->n_core_sets + 1, sizeof *uses);
    double lost_ns = 0, had_ns = 0;
    uint64_t n_disturbed = 0;
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        const struct rank *rank = &definitions->ranks[i];
        const struct location *location = &definitions->locations[rank->master];
        struct core_use *use = &uses[rank->core_set];
        use->n_known += location->core_of_ns > 0;
        use->used_ns += (double)location->core_used_ns;
        use->wait_ns += (double)location->core_wait_ns;
    }
    for (size_t i = 0; i < definitions->n_core_sets; i++) {
        const struct core_set *set = &definitions->core_sets[i];
        double taken = taken_ns(set, &uses[i]);
        if (taken < disturbed_share * (uses[i].used_ns + taken) || taken < disturbed_ns)
            continue;
        n_disturbed += set->n_ranks;
        lost_ns += taken;
        had_ns += uses[i].used_ns;
    }
    if (n_disturbed == 0)
        return;
    result->taken_ns = (uint64_t)fmin(lost_ns, 1e19);
    result->taken_share = lost_ns / (lost_ns + had_ns);
    warn(result, "disturbed-recording", n_disturbed, "rank",
         "disturbed by other programs, which took at least %s of CPU time from them, %s of what "
         "they would have had. Times do not hold for a quiet machine, nor do predictions: record "
         "again without the other programs",
         quantity_time(result->taken_ns).text, quantity_share(result->taken_share).text);
}

/// The part of WORD before OFFSET joins WORDS, unless it is there, or they are too many.
static void add_module(char ***words, const char *word, const char *offset)
{
    SCOPED char *name = memory_format("%.*s", (int)(offset - word), word);
    size_t n = 0;
    bool is_new = true;
    for (char **other = *words; other && *other; other++, n++)
        is_new = is_new && strcmp(*other, name) != 0;
    if (is_new && n < MAX_MODULES)
        words_add(words, name);
}

/// Call sites in programs and libraries without symbols, which our tracer calls "app+0x2326".
static void warn_of_symbols(struct result *result)
{
    char **modules = NULL;
    const char *example = NULL;
    struct list list = {.limit = NAMED_MODULES};
    uint64_t n = 0;
    for (size_t i = 0; i < result->n_sites; i++) {
        const struct result_site *site = &result->sites[i];
        const char *offset = strstr(site->function, "+0x");
        if (!offset || site->file[0])
            continue;
        add_module(&modules, site->function, offset);
        example = example ? example : site->function;
        n++;
    }
    for (char **name = modules; name && *name; name++)
        list_add(&list, memory_copy_text(*name));
    SCOPED char *names = list_text(&list);
    warn(result, "missing-symbols", n, "call site",
         "in files without symbols: %s. Reports show addresses there, such as %s. To see "
         "functions and lines, compile with -g and do not strip, or install the package with the "
         "debug "
         "symbols of these files (Debian: NAME-dbgsym). Then record again",
         names, example);
    words_free(modules);
}

void warnings_collect(const struct collect_input *input, const struct coverage *coverage,
                      struct result *result)
{
    struct trace *trace = input->trace;
    const struct pag_result *replay = input->replay;
    result->warnings = memory_zeroed(MAX_WARNINGS, sizeof *result->warnings);
    warn_of_replay(replay, result);
    warn_of_clocks(input, result);
    warn(result, "missing-record", coverage->n_message_calls + coverage->n_collective_calls,
         "MPI call",
         "whose messages or collectives the trace does not record. Waits there cannot be found; "
         "record messages and collectives, too");
    warn_of_other_programs(trace_definitions(trace), result);
    warn_of_cores(result);
    warn_of_ends(trace_definitions(trace), replay, result);
    warn_of_repair(trace_definitions(trace), result);
    warn_of_short_regions(trace_definitions(trace), result);
    warn_of_recording_cost(trace, result);
    warn_of_prediction(trace_definitions(trace), result);
    warn(result, "bad-context", trace_definitions(trace)->n_bad_contexts, "calling context",
         "with a region, source line or caller that the archive does not define, or with itself as "
         "caller. Call paths leave that out");
    warn_of_locations(trace, result);
    warn_of_unused(trace, result);
    warn_of_symbols(result);
    qsort(result->warnings, result->n_warnings, sizeof *result->warnings, text_compare);
}
