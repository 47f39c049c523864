// SPDX-License-Identifier: BSD-3-Clause
// Reads what is asked for, finds where that is (pag/phase.h), and replays it. How much memory an
// interval takes is known after a replay only, so the first one serves a single interval.
#include "analyzer/replay/interval.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/pag/phase.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/trace/definitions.h"

enum { MAX_PHASES = 10000 }; // of one NAME#*

/// What TEXT says.
struct selection {
    bool is_phase;
    struct pag_part time;
    char *from, *to; // names; TO is NULL without
    uint64_t first, last;
    bool is_numbered, is_each;
};

static void selection_release(struct selection *selection)
{
    FREE_ALL(selection->from, selection->to);
}

/// Whether TEXT is nothing or begins like a time.
static bool may_be_time(const char *text)
{
    return !*text || (*text >= '0' && *text <= '9') || *text == '.';
}

/// Whether TEXT is FIRST:LAST, and no name with a colon.
static bool is_time(const char *text)
{
    const char *colon = strchr(text, ':');
    return colon && (colon == text || may_be_time(text)) && may_be_time(colon + 1);
}

static int read_time(const char *text, uint64_t missing_ns, uint64_t *time_ns, struct error *err)
{
    *time_ns = missing_ns;
    return *text ? option_read_duration(text, time_ns, err) : 0;
}

static int read_times(const char *text, struct pag_part *part, struct error *err)
{
    char *first = memory_copy_text(text), *last = strchr(first, ':');
    struct error why = {{0}};
    int status = 0;
    *last++ = '\0';
    if (read_time(first, 0, &part->begin_ns, &why) ||
        read_time(last, INTERVAL_RUN_END, &part->end_ns, &why))
        status = error_set(err, "`%s` is not an interval: FIRST:LAST wanted, such as 1.5s:2s; %s",
                           text, why.text);
    else if (part->end_ns > INTERVAL_RUN_END)
        status = error_set(err, "the interval %s goes beyond any run", text);
    else if (part->begin_ns == part->end_ns)
        status = error_set(err, "the interval %s is empty", text);
    else if (part->begin_ns > part->end_ns)
        status = error_set(err, "the interval %s ends before it begins", text);
    free(first);
    return status;
}

/// Cuts "#3", "#3-5" or "#*" off `from`; what is not a number belongs to the name.
static int read_visits(const char *text, struct selection *selection, struct error *err)
{
    char *hash = strrchr(selection->from, '#');
    struct error ignored;
    selection->first = 1;
    selection->last = PAG_PHASE_LAST;
    if (!hash || hash[1 + strspn(hash + 1, "0123456789-*")] != '\0' || !hash[1])
        return 0;
    *hash++ = '\0';
    selection->is_numbered = true;
    selection->is_each = strcmp(hash, "*") == 0;
    if (selection->is_each)
        return 0;
    char *dash = strchr(hash, '-');
    if (dash)
        *dash++ = '\0';
    if (option_read_count(hash, &selection->first, &ignored) ||
        option_read_count(dash ? dash : hash, &selection->last, &ignored) ||
        selection->last == PAG_PHASE_LAST)
        return error_set(err, "`%s`: wanted is the number of a visit, #2, several, #2-4, or #*",
                         text);
    if (selection->first == 0)
        return error_set(err, "`%s`: visits are counted from 1 on", text);
    return selection->first > selection->last
               ? error_set(err, "`%s`: the visits end before they begin", text)
               : 0;
}

/// The two dots between names, which are not among the three of a function's arguments; NULL.
static char *find_dots(char *text)
{
    for (char *dots = text; (dots = strstr(dots, "..")) != NULL; dots += strspn(dots, "."))
        if (strspn(dots, ".") == 2)
            return dots;
    return NULL;
}

static int read_phase(const char *text, struct selection *selection, struct error *err)
{
    selection->is_phase = true;
    selection->from = memory_copy_text(text);
    char *dots = find_dots(selection->from);
    if (dots) {
        *dots = '\0';
        selection->to = memory_copy_text(dots + 2);
    }
    if (read_visits(text, selection, err))
        return -1;
    if (!selection->from[0] || (selection->to && !selection->to[0]))
        return error_set(err,
                         "`%s` is not an interval: wanted are times, FIRST:LAST, or a region or "
                         "marker, NAME, NAME#N or FROM..TO",
                         text);
    return 0;
}

static int read_selection(const char *text, struct selection *selection, struct error *err)
{
    uint64_t time_ns;
    struct error ignored;
    *selection = (struct selection){0};
    if (option_read_duration(text, &time_ns, &ignored) == 0)
        return error_set(err, "`%s` is not an interval: FIRST:LAST wanted, such as 1.5s:2s", text);
    return is_time(text) ? read_times(text, &selection->time, err)
                         : read_phase(text, selection, err);
}

static bool is_condition(const char *text)
{
    static const char begin[] = "pattern";
    return strncmp(text, begin, sizeof begin - 1) == 0 &&
           strncmp(text + sizeof begin - 1 + strspn(text + sizeof begin - 1, " "), "==", 2) == 0;
}

bool interval_may_be_several(const char *text)
{
    return is_condition(text) || strstr(text, "#*") != NULL;
}

int interval_check(const char *text, struct error *err)
{
    struct selection selection;
    if (is_condition(text))
        return single_waits_check(text, err);
    int status = read_selection(text, &selection, err);
    selection_release(&selection);
    return status;
}

int intervals_check(const struct option_list *texts, struct error *err)
{
    for (size_t i = 0; i < texts->count; i++)
        if (interval_check(texts->values[i], err) != 0)
            return -1;
    return 0;
}

static int unknown_name(const char *text, const char *name, const struct definitions *definitions,
                        struct error *err)
{
    char **shown = region_names_shown(definitions);
    error_set(err, "%s: the run has no region or marker `%s`%s", text, name,
              spelling_hint(name, (const char *const *)shown, definitions->gap_region,
                            "; did you mean `%s`?", "")
                  .text);
    memory_free_each(shown, definitions->n_regions);
    return -1;
}

/// By region whether NAME means it; to be freed. NULL and ERR when it means none, or several.
static bool *regions_called(const char *text, const char *name,
                            const struct definitions *definitions, struct error *err)
{
    bool *is_meant = memory_zeroed(definitions->n_regions + 1, sizeof *is_meant), is_found = false;
    int status = region_names_take(definitions, name, is_meant, err);
    for (size_t i = 0; i < definitions->n_regions && status == 0; i++)
        is_found = is_found || is_meant[i];
    if (status != 0)
        error_wrap(err, "%s", text);
    else if (!is_found)
        unknown_name(text, name, definitions, err);
    else
        return is_meant;
    free(is_meant);
    return NULL;
}

static struct interval *list_add(struct interval_list *list)
{
    struct interval *interval = ARRAY_NEXT(list->items, list->n, list->capacity);
    *interval = (struct interval){0};
    return interval;
}

static void add_times(struct interval_list *list, const char *text, struct pag_part part,
                      size_t n_locations)
{
    struct interval *interval = list_add(list);
    interval->what = memory_copy_text(text);
    interval->parts = memory_zeroed(n_locations + 1, sizeof *interval->parts);
    for (size_t i = 0; i < n_locations; i++)
        interval->parts[i] = part;
}

/// What a phase that was looked for lacks: -1 and ERR, or 0.
static int check_report(const char *text, const struct selection *selection,
                        const struct pag_phase_report *report, struct error *err)
{
    if (report->n_visits == 0)
        return error_set(err, "%s: no rank visits `%s`", text, selection->from);
    if (report->n_visits < selection->first ||
        (selection->is_numbered && !selection->is_each && report->n_visits < selection->last))
        return error_set(err,
                         "%s: no rank visits `%s` %" PRIu64 " times; rank %" PRIu32
                         " does so most often, %" PRIu64 " times",
                         text, selection->from,
                         report->n_visits < selection->first ? selection->first : selection->last,
                         report->rank, report->n_visits);
    if (selection->to && !report->has_end)
        return error_set(err, "%s: on no rank `%s` follows", text, selection->to);
    if (selection->is_each && report->n_visits > MAX_PHASES)
        return error_set(err, "%s: `%s` has %" PRIu64 " visits, more than %d: choose some by #N",
                         text, selection->from, report->n_visits, MAX_PHASES);
    return 0;
}

/// Reads the archive once; PARTS are to be freed.
static int find_parts(struct trace *first, const struct pag_phase *phase, struct pag_part **parts,
                      struct pag_phase_report *report, struct error *err)
{
    struct trace *trace = trace_again(first, err);
    if (!trace)
        return -1;
    size_t n_locations = trace_definitions(trace)->n_locations;
    *parts = memory_zeroed((size_t)phase->n_phases * n_locations + 1, sizeof **parts);
    pag_phase_find(trace, phase, *parts, report);
    trace_give_back(first, trace);
    return 0;
}

static bool takes_time(const struct pag_part *parts, size_t n_locations)
{
    for (size_t i = 0; i < n_locations; i++)
        if (parts[i].end_ns > parts[i].begin_ns)
            return true;
    return false;
}

/// Adds the phases that take time. 0, or -1 and ERR when none does.
static int add_phases(struct interval_list *list, const char *text,
                      const struct selection *selection, const struct pag_phase *phase,
                      const struct pag_part *parts, size_t n_locations, struct error *err)
{
    uint64_t n_empty = 0;
    for (uint64_t k = 0; k < phase->n_phases; k++) {
        if (!takes_time(parts + k * n_locations, n_locations)) {
            n_empty++;
            continue;
        }
        struct interval *interval = list_add(list);
        interval->is_phase = true;
        interval->visit =
            selection->is_numbered && (phase->is_each || selection->first == selection->last)
                ? phase->first + k
                : 0;
        interval->what = phase->is_each ? memory_format("%s#%" PRIu64 "%s%s", selection->from,
                                                        interval->visit, selection->to ? ".." : "",
                                                        selection->to ? selection->to : "")
                                        : memory_copy_text(text);
        interval->parts = memory_new((n_locations + 1) * sizeof *interval->parts);
        for (size_t i = 0; i < n_locations; i++)
            interval->parts[i] = parts[k * n_locations + i];
    }
    if (n_empty == phase->n_phases)
        return error_set(err, "%s: takes no time on any rank", text);
    if (n_empty > 0)
        log_warning("%s: %s without any time left out", text,
                    quantity_count(n_empty, "visit").text);
    return 0;
}

static int find_phases(struct interval_list *list, struct trace *trace, const char *text,
                       const struct selection *selection, struct error *err)
{
    const struct definitions *definitions = trace_definitions(trace);
    struct pag_phase_report report;
    struct pag_part *parts = NULL;
    SCOPED bool *ends =
        selection->to ? regions_called(text, selection->to, definitions, err) : NULL;
    SCOPED bool *begins =
        selection->to && !ends ? NULL : regions_called(text, selection->from, definitions, err);
    struct pag_phase phase = {begins, ends, selection->first, selection->last, false, 1};
    int status = begins ? find_parts(trace, &phase, &parts, &report, err) : -1;
    if (status == 0)
        status = check_report(text, selection, &report, err);
    if (status == 0 && selection->is_each) {
        phase.is_each = true;
        phase.n_phases = report.n_visits;
        free(parts);
        parts = NULL;
        status = find_parts(trace, &phase, &parts, &report, err);
    }
    if (status == 0)
        status = add_phases(list, text, selection, &phase, parts, definitions->n_locations, err);
    free(parts);
    return status;
}

/// An interval for each of WAITS, which are all that the condition selects.
static int add_waits(struct interval_list *list, const struct single_waits *waits,
                     struct error *err)
{
    if (waits->count == 0)
        return error_set(err, "%s: the run has no such wait", waits->condition);
    if (waits->count > waits->n)
        return error_set(err,
                         "%s: the run has %" PRIu64 " such waits, more than %d: select fewer, "
                         "such as by wait>=1ms",
                         waits->condition, waits->count, MAX_PHASES);
    for (size_t i = 0; i < waits->n; i++) {
        const struct single_wait *wait = &waits->items[i];
        struct pag_part part = {wait->begin_ns, wait->begin_ns + wait->wait_ns};
        SCOPED char *times =
            memory_format("%" PRIu64 "ns:%" PRIu64 "ns", part.begin_ns, part.end_ns);
        add_times(list, times, part, waits->definitions->n_locations);
    }
    return 0;
}

/// REPLAY learns of the clocks what a replay that looks for the waits finds. As interval_find().
static int find_waits(struct interval_list *list, struct interval_replay *replay, const char *text,
                      struct error *err)
{
    SCOPED_BY(single_waits_release) struct single_waits waits = {0};
    struct replay_run run;
    int status = single_waits_begin(&waits, text, MAX_PHASES, replay->catalogue,
                                    trace_definitions(replay->trace), err);
    if (status == 0) {
        status = replay_run_open_again(&run, replay->trace, err);
        if (status == 0)
            status = replay_run_find_waits(&run, &waits, "replaying", err);
        if (status == 0 && !replay->knows_clocks) {
            replay->clocks = run.clocks;
            replay->knows_clocks = true;
            status = run.clocks.moved_ns > 0;
        }
        replay_run_release(&run);
    }
    if (status == 0)
        status = add_waits(list, &waits, err);
    return status;
}

int interval_find(struct interval_list *list, struct interval_replay *replay, const char *text,
                  struct error *err)
{
    struct selection selection;
    if (is_condition(text))
        return find_waits(list, replay, text, err);
    int status = read_selection(text, &selection, err);
    if (status == 0 && selection.is_phase)
        status = find_phases(list, replay->trace, text, &selection, err);
    else if (status == 0)
        add_times(list, text, selection.time, trace_definitions(replay->trace)->n_locations);
    selection_release(&selection);
    return status;
}

void interval_list_release(struct interval_list *list)
{
    FREE_MEMBERS(list->items, list->n, what, parts);
    free(list->items);
    *list = (struct interval_list){0};
}

int interval_check_result(const struct interval *interval, const struct result *result,
                          struct error *err)
{
    if (interval->is_phase || result->n_locations == 0)
        return 0;
    struct pag_part part = interval->parts[0];
    bool is_cut = part.end_ns < INTERVAL_RUN_END && result->time_ns < part.end_ns - part.begin_ns;
    return is_cut || result->time_ns == 0
               ? error_set(err, "the interval %s of %s goes beyond the run", interval->what,
                           result->trace_path)
               : 0;
}

// --- replaying them

/// One replay.
struct pass {
    const struct interval_replay *replay;
    struct trace *trace;
    const struct interval *intervals;
    struct part_matchers *matchers;
    const bool *visited; // pag_options
    struct progress progress;
    struct pag_result result;
    struct pag_index *index; // of the archive, or being made; NULL: none
    uint64_t mark;           // of the files, when the index was looked for
    size_t bytes_each;       // memory that an interval takes
    int status;              // of replay->each
    struct error *err;
};

/// Whether the clocks of the trace turn out to disagree, so the replay tells nothing yet.
static bool is_undecided(const struct pass *pass, const struct pag_result *found)
{
    const struct interval_replay *replay = pass->replay;
    return replay->corrects_clocks && !replay->knows_clocks && found->n_clock_violations > 0;
}

static void on_part(void *context, size_t part, const struct pag_result *found)
{
    struct pass *pass = context;
    const struct interval *interval = &pass->intervals[part];
    SCOPED_BY(result_release) struct result result = {0};
    if (pass->status != 0 || is_undecided(pass, found))
        return;
    collect_result(&(struct collect_input){.trace = pass->trace,
                                           .catalogue = pass->replay->catalogue,
                                           .matcher = part_matchers_at(pass->matchers, part),
                                           .replay = found,
                                           .clocks = &pass->replay->clocks,
                                           .interval = interval->what,
                                           .is_phase = interval->is_phase},
                   &result);
    pass->status = pass->replay->each(pass->replay->context, interval, &result, pass->err);
}

/// Replays the archive once for N intervals.
static int run_pass(struct pass *pass, size_t n, struct error *err)
{
    const struct definitions *definitions = trace_definitions(pass->trace);
    const struct pag_part **parts = memory_new(n * sizeof(const struct pag_part *));
    for (size_t i = 0; i < n; i++)
        parts[i] = pass->intervals[i].parts;
    pass->matchers = part_matchers_new(pass->replay->catalogue, definitions, parts, n);
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.explains = false;
    options.parts = parts;
    options.n_parts = n;
    options.index = pass->index;
    options.visited = pass->visited;
    const struct pag_listener listener = {.trigger = {part_matchers_trigger, pass->matchers},
                                          .reached = {progress_update, &pass->progress},
                                          .part = {on_part, pass}};
    progress_begin(&pass->progress, "replaying", definitions->length_ns);
    int status = pag_run(pass->trace, &options, &listener, &pass->result, err);
    progress_end(&pass->progress);
    if (status != 0)
        error_wrap(err, "cannot replay %s", trace_path(pass->trace));
    size_t bytes = part_matchers_bytes(pass->matchers) / n + pag_part_bytes(&pass->result);
    pass->bytes_each = bytes > pass->bytes_each ? bytes : pass->bytes_each;
    part_matchers_free(pass->matchers);
    free(parts);
    return status != 0 ? status : pass->status;
}

/// The index that PASS, the first one, goes by.
static void begin_index(struct pass *pass)
{
    const struct pag_index_settings *settings = pass->replay->index;
    if (pass->replay->clocks.moved_ns > 0) // places in time are those of the recorded clocks
        settings = NULL;
    if (pass->visited) // which began before such a place
        settings = NULL;
    if (settings) {
        pass->mark = index_file_mark(pass->trace);
        pass->index = index_file_read(pass->trace, pass->mark, settings);
    }
    if (settings && !pass->index)
        pass->index = pag_index_new(settings);
}

static void drop_index(struct pass *pass)
{
    pag_index_free(pass->index);
    pass->index = NULL;
}

/// A replay of *N intervals, none if the index turns out to be damaged; with the index that there
/// is, or that comes of it.
static int run_indexed(struct interval_replay *replay, struct pass *pass, size_t *n,
                       struct error *err)
{
    bool had_index = pass->index && pass->index->is_complete;
    int status = run_pass(pass, *n, err);
    replay->n_passes++;
    replay->n_indexed += had_index && !pass->index->is_damaged;
    if (had_index && pass->index->is_damaged) {
        log_warning("%s: its index is damaged: the whole run is replayed",
                    trace_path(replay->trace));
        drop_index(pass);
        *n = 0;
        return 0;
    }
    if (pass->index && !pass->index->is_complete)
        drop_index(pass);
    else if (pass->index && !had_index && pass->index->run.n_events >= replay->index->least_events)
        index_file_write(pass->trace, pass->mark, pass->index);
    return status;
}

int interval_replay(struct interval_replay *replay, const struct interval *intervals, size_t n,
                    struct error *err)
{
    SCOPED bool *visited = matcher_visited(replay->catalogue, trace_definitions(replay->trace));
    struct pass pass = {.replay = replay, .intervals = intervals, .visited = visited, .err = err};
    bool is_first = true;
    int status = 0;
    for (size_t n_pass = 1; n > 0 && status == 0; n -= n_pass, pass.intervals += n_pass) {
        pass.trace = trace_again(replay->trace, err);
        if (is_first && pass.trace)
            begin_index(&pass);
        is_first = false;
        if (pass.bytes_each > 0)
            n_pass = replay->max_bytes / pass.bytes_each;
        n_pass = n_pass < 1 ? 1 : n_pass > n ? n : n_pass;
        status = pass.trace ? run_indexed(replay, &pass, &n_pass, err) : -1;
        trace_give_back(replay->trace, pass.trace);
        if (status == 0 && n_pass > 0 && is_undecided(&pass, &pass.result)) {
            status = replay_correct_clocks(replay->trace, &pass.result, &replay->clocks, err);
            replay->knows_clocks = true;
            n_pass = 0;
        }
        pag_result_release(&pass.result);
    }
    drop_index(&pass);
    return status;
}
