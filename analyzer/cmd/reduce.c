// SPDX-License-Identifier: BSD-3-Clause
// `pagoda reduce`: which functions need not be recorded, by rules over the profile of a run. The
// rules are in analyzer/reduction/; this finds the profile, applies them, writes the exclude file,
// and, given a launch line, runs it to see what recording costs before and after.
#include "analyzer/cmd/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/launch/filter.h"
#include "analyzer/reduction/reduction.h"
#include "analyzer/result/dilation.h"

struct settings {
    struct option_list rules, rule_files;
    const char *output, *earlier_path, *dir;
    const char *rank_text; // a rank, or "any"; NULL: means over all
    uint64_t rank;
    bool is_any_rank;
    uint64_t n_repetitions, top;
    bool wants_json;
    char **line; // the launch line, up to NULL; NULL: a trace or a trial is given
};

static int read_rules(struct reduction_rules *rules, const struct settings *settings,
                      struct error *err)
{
    for (size_t i = 0; i < settings->rule_files.count; i++)
        if (reduction_rules_read(rules, settings->rule_files.values[i], err) != 0)
            return -1;
    for (size_t i = 0; i < settings->rules.count; i++)
        if (reduction_rules_add(rules, settings->rules.values[i], "--rule", err) != 0)
            return error_wrap(err, "--rule");
    if (rules->n == 0)
        return reduction_rules_add(rules, REDUCTION_DEFAULT_RULE, "default", err);
    return 0;
}

/// Says which prefixes of rules name nothing that the profile has.
static void warn_of_names(const struct reduction_rules *rules, const struct reduce_profile *profile)
{
    SCOPED const char **names = memory_zeroed(2 * profile->n_rows + 1, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < profile->n_rows; i++) {
        names[n++] = profile->rows[i].name;
        if (*profile->rows[i].file)
            names[n++] = profile->rows[i].file;
    }
    for (size_t i = 0; i < rules->n; i++) {
        const struct reduction_rule *rule = &rules->items[i];
        for (size_t j = 0; j < rule->n_conditions; j++) {
            const struct reduction_condition *condition = &rule->conditions[j];
            if (condition->was_met || profile->n_rows == 0)
                continue;
            log_warning("%s: no function or source file of this profile is called %s%s",
                        rule->place, condition->prefix,
                        spelling_hint(condition->prefix, names, n, "; did you mean %s?", "").text);
        }
    }
}

/// Notes in the row of PART, unless one was found for an earlier rank, which rule leaves it out.
static void apply_to_part(struct reduction_rules *rules, struct reduce_profile *profile,
                          const struct reduce_part *part)
{
    struct reduction_row *row = &profile->rows[part->row];
    const struct reduction_function function = {
        row->name,          row->file,
        part->n_calls,      part->exclusive_us,
        part->inclusive_us, reduce_profile_percent(profile, part->inclusive_us)};
    if (row->rule || part->n_calls <= 0)
        return;
    const struct reduction_rule *rule = reduction_rules_find(rules, &function);
    row->rule = rule ? rule->text : NULL;
    row->rule_rank = part->rank;
}

/// Notes in each row of PROFILE which rule leaves it out. 0, or -1 and ERR: no such rank.
static int apply(const struct settings *settings, struct reduction_rules *rules,
                 struct reduce_profile *profile, struct error *err)
{
    if (settings->rank_text && !settings->is_any_rank &&
        reduce_profile_choose_rank(profile, settings->rank, err) != 0)
        return -1;
    for (size_t i = 0; settings->is_any_rank && i < profile->n_parts; i++)
        apply_to_part(rules, profile, &profile->parts[i]);
    for (size_t i = 0; !settings->is_any_rank && i < profile->n_rows; i++) {
        struct reduction_row *row = &profile->rows[i];
        const struct reduction_function function = {
            row->name, row->file, row->n_calls, row->exclusive_us, row->inclusive_us, row->percent};
        const struct reduction_rule *rule = reduction_rules_find(rules, &function);
        row->rule = rule ? rule->text : NULL;
    }
    warn_of_names(rules, profile);
    return 0;
}

static int write_excludes(const struct reduce_profile *profile, const char *path,
                          const char *earlier, const char *source, struct error *err)
{
    SCOPED struct trace_filter_line *lines = memory_zeroed(profile->n_rows + 1, sizeof *lines);
    size_t n = 0;
    for (size_t i = 0; i < profile->n_rows; i++)
        if (profile->rows[i].rule)
            lines[n++] = (struct trace_filter_line){profile->rows[i].name, profile->rows[i].rule};
    return trace_filter_write_excluded(path, earlier, source, lines, n, err);
}

/// The text of the filter file whose rules stay, checked. NULL without one, or on failure with ERR.
static int read_earlier(const char *path, char **text, struct error *err)
{
    *text = NULL;
    struct trace_filter *filter = path ? trace_filter_read(path, err) : NULL;
    trace_filter_free(filter);
    if (path && !filter)
        return -1;
    if (!path)
        return 0;
    const char *why;
    *text = text_of_file(path, &why);
    return *text ? 0 : error_set(err, "cannot read %s: %s", path, why);
}

/// Runs the program three ways: PROFILE is of the second, with the exclude file written after it.
static int measure(const struct settings *settings, struct reduce_runs *runs,
                   struct reduction_rules *rules, struct reduce_profile *profile,
                   struct reduction_page *page, const char *earlier, struct error *err)
{
    SCOPED_BY(reduce_profile_release) struct reduce_profile after = {0};
    SCOPED char *own = memory_format("%s/exclude.filter", runs->dir);
    const char *path = settings->output ? settings->output : own;
    int status = reduce_runs_untraced(runs, &page->runs[REDUCTION_UNTRACED].wall_ns, err) ||
                         reduce_runs_traced(runs, "traced", NULL, profile,
                                            &page->runs[REDUCTION_TRACED].wall_ns, err)
                     ? -1
                     : 0;
    if (status == 0)
        status = apply(settings, rules, profile, err);
    if (status == 0)
        status = write_excludes(profile, path, earlier, page->source, err);
    if (status == 0)
        status = reduce_runs_traced(runs, "reduced", path, &after,
                                    &page->runs[REDUCTION_REDUCED].wall_ns, err);
    if (status == 0 && settings->rank_text && !settings->is_any_rank)
        status = reduce_profile_choose_rank(&after, settings->rank, err);
    for (size_t i = 0; status == 0 && i < profile->n_rows; i++) {
        const struct reduction_row *then = reduce_profile_find(&after, profile->rows[i].name);
        profile->rows[i].after_inclusive_us = then ? then->inclusive_us : NAN;
    }
    page->is_measured = status == 0;
    page->n_repetitions = runs->n_repetitions;
    page->runs[REDUCTION_TRACED].n_events = profile->n_events;
    page->runs[REDUCTION_REDUCED].n_events = after.n_events;
    return status;
}

/// The words of the launch line as one text.
static char *join(char **line)
{
    char *text = memory_copy_text(line[0]);
    for (size_t i = 1; line[i]; i++)
        text_append(&text, " %s", line[i]);
    return text;
}

/// From a launch line: runs it.
static int reduce_line(const struct settings *settings, struct reduction_rules *rules,
                       struct reduce_profile *profile, struct reduction_page *page,
                       const char *earlier, struct error *err)
{
    struct reduce_runs runs = {.line = settings->line, .n_repetitions = settings->n_repetitions};
    int status = reduce_runs_begin(&runs, settings->dir, err);
    if (status == 0)
        status = measure(settings, &runs, rules, profile, page, earlier, err);
    reduce_runs_end(&runs, status != 0);
    return status;
}

/// From a trace, or a trial of a database.
static int reduce_operands(const struct settings *settings, char **operands, size_t n_operands,
                           struct reduction_rules *rules, struct reduce_profile *profile,
                           const char *source, const char *earlier, struct error *err)
{
    int status = n_operands == 1 ? reduce_profile_of_trace(profile, operands[0], err)
                                 : reduce_profile_of_trial(profile, operands[0], operands[1], err);
    if (status != 0 || apply(settings, rules, profile, err) != 0)
        return -1;
    return settings->output ? write_excludes(profile, settings->output, earlier, source, err) : 0;
}

static void print(const struct settings *settings, const struct reduction_page *page)
{
    if (page->n_rows == 0)
        log_warning("%s has no functions of the program: it was not compiled with "
                    "-finstrument-functions, or none was recorded",
                    page->source);
    if (settings->wants_json)
        json_print_reduction(page, stdout);
    else
        text_print_reduction(page, settings->top, stdout);
}

/// Returns the exit status.
static int run(const struct settings *settings, char **operands, size_t n_operands)
{
    struct error err = {{0}};
    SCOPED_BY(reduction_rules_release) struct reduction_rules rules = {0};
    SCOPED_BY(reduce_profile_release) struct reduce_profile profile = {0};
    SCOPED char *earlier = NULL;
    SCOPED char *source = settings->line    ? join(settings->line)
                          : n_operands == 2 ? memory_format("%s %s", operands[0], operands[1])
                                            : memory_copy_text(operands[0]);
    struct reduction_page page = {.source = source, .output = settings->output};
    int status = read_rules(&rules, settings, &err) != 0 ||
                         read_earlier(settings->earlier_path, &earlier, &err) != 0
                     ? -1
                     : 0;
    if (status == 0 && settings->line)
        status = reduce_line(settings, &rules, &profile, &page, earlier, &err);
    else if (status == 0)
        status = reduce_operands(settings, operands, n_operands, &rules, &profile, source, earlier,
                                 &err);
    page.rows = profile.rows;
    page.n_rows = profile.n_rows;
    page.n_ranks = profile.n_ranks;
    page.is_any_rank = settings->is_any_rank;
    page.rank = settings->is_any_rank ? NULL : settings->rank_text;
    if (status == 0)
        print(settings, &page);
    return log_outcome(status, profile.has_unreadable_records, &err);
}

/// The words after `--` are a launch line. 0, or -1 and ERR: the operands make no sense.
static int check_operands(struct settings *settings, char **operands, int n, int n_after_dashes,
                          struct error *err)
{
    if (n_after_dashes > 0 && n_after_dashes == n)
        settings->line = operands;
    else if (n_after_dashes > 0)
        return error_set(err, "either a trace or a launch line, not %s and a line", operands[0]);
    else if (n < 1 || n > 2)
        return error_set(err, "expected a trace, a database and a trial, or a launch line");
    if (!settings->line && (settings->dir || settings->n_repetitions != 1))
        return error_set(err, "--keep and --repeat go with a launch line only");
    settings->is_any_rank = settings->rank_text && strcmp(settings->rank_text, "any") == 0;
    if (settings->rank_text && !settings->is_any_rank &&
        option_read_count(settings->rank_text, &settings->rank, err) != 0)
        return error_set(err, "--rank %s: a rank's number, or any", settings->rank_text);
    return 0;
}

int cmd_reduce(int argc, char **argv)
{
    struct settings settings = {.n_repetitions = 1, .top = 12};
    const struct option_row rows[] = {
        OPTION_LIST_ROW("rules", 0, "FILE", &settings.rule_files,
                        "exclude functions that match a rule in FILE"),
        OPTION_LIST_ROW(
            "rule", 0, "RULE", &settings.rules,
            "exclude functions that match RULE, such as 'numcalls > 100000 & usecs/call < 2'"),
        OPTION_TEXT_ROW("output", 'o', "FILE", &settings.output,
                        "write the exclude file, for pagoda trace --filter", NULL,
                        .manual = "Without it nothing is written."),
        OPTION_TEXT_ROW("add-to", 0, "FILE", &settings.earlier_path,
                        "start from this exclude file; its rules come first in the new one", NULL,
                        .manual = "The new file may have the same name. This is for going on step "
                                  "by step: an excluded function is in no later profile."),
        OPTION_TEXT_ROW("rank", 0, "RANK|any", &settings.rank_text,
                        "apply the rules to this rank; any: to each rank by itself",
                        "mean over all ranks",
                        .manual = "With any, a function is excluded if a rule matches on one rank "
                                  "at least, and the report names that rank. This is for functions "
                                  "that few ranks call, as in a task farm."),
        OPTION_TEXT_ROW("keep", 0, "DIR", &settings.dir,
                        "keep the traces and outputs of the runs in the new folder DIR", NULL,
                        .manual = "The traces are in `traced` and `reduced` there."),
        OPTION_COUNT_ROW("repeat", 0, "N", &settings.n_repetitions,
                         "run each variant N times; the shortest run counts", "1", .least = 1),
        OPTION_COUNT_ROW("top", 0, "N", &settings.top, "show N of the functions that stay recorded",
                         "12"),
        THREADS_ROW,
        OPTION_FLAG_ROW("json", 0, &settings.wants_json, "print JSON instead of text"),
    };
    SCOPED_BY(options_release)
    const struct option_usage usage = {
        .command = "reduce",
        .operands = "TRACE | DB TRIAL | -- LAUNCHER...",
        .summary = "Finds the functions that need not be recorded, by rules over a profile",
        .details =
            "A rule is FIELD OPERATOR NUMBER & ..., with the fields numcalls, percent, usec,\n"
            "cumusec and usecs/call and the operators < > =; FUNCTION: or FILE: may precede\n"
            "it. Without a rule, this one is used: " REDUCTION_DEFAULT_RULE "\n"
            "With a launch line, the program is run untraced, traced, and traced without the\n"
            "functions left out. The report shows the dilation of both: the run time with\n"
            "tracing over that without.\n",
        OPTIONS_OF(rows),
    };
    struct error err = {{0}};
    int n_after_dashes = options_words_after_dashes(argc, argv);
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (check_operands(&settings, argv + first, argc - first, n_after_dashes, &err) != 0)
        return options_usage_error(&usage, "%s", err.text);
    return run(&settings, argv + first, (size_t)(argc - first));
}
