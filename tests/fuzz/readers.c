// SPDX-License-Identifier: BSD-3-Clause
// The readers of all that users and other tools write.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/formula.h"
#include "analyzer/base/function_names.h"
#include "analyzer/base/memory.h"
#include "analyzer/calibrate/calibration.h"
#include "analyzer/convert/convert.h"
#include "analyzer/launch/filter.h"
#include "analyzer/launch/settings.h"
#include "analyzer/model/model_table.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/expression.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/reduction/reduction.h"
#include "analyzer/result/views/groups.h"
#include "analyzer/simulation/cores/placement.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/dealt/policy.h"
#include "analyzer/sweep/plan.h"
#include "analyzer/sweep/property.h"
#include "analyzer/tasks/task_model.h"
#include "analyzer/whatif/options.h"
#include "db/focus.h"
#include "db/import.h"
#include "db/profiles/profiles.h"
#include "db/query/resource_map.h"
#include "tests/fuzz/fuzz.h"
#include "tests/tools/lib/scratch.h"

// ---- files

/// Whether no pattern waits longer than its call lasts, and each is as sure as it may be, for
/// triggers with odd values.
static bool match_odd_triggers(const struct catalogue *catalogue)
{
    enum { N_TRIGGERS = 20, CALL_NS = 100 };
    static const int64_t odd[] = {INT64_MAX, INT64_MIN, -1, 0, 1, 150};
    const struct definitions definitions = {.n_locations = 1, .n_ranks = 1};
    struct matcher *matcher = matcher_new(catalogue, &definitions);
    bool is_good = true;
    for (size_t i = 0, at = 0; i < N_TRIGGERS; i++) {
        struct trigger trigger = {.kind = (enum trigger_kind)(i % TRIGGER_KINDS)};
        for (size_t field = 0; field < TRIGGER_MAX_FIELDS; field++, at += i + 1)
            trigger.value[field] = odd[at % (sizeof odd / sizeof *odd)];
        trigger.value[TRIGGER_RECEIVE_ENTER] = CALL_NS;
        trigger.value[TRIGGER_RECEIVE_LEAVE] = 2 * CALL_NS;
        matcher_trigger(matcher, &trigger);
    }
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        struct matcher_finding finding = matcher_finding(matcher, i);
        is_good = is_good && finding.total_ns <= finding.count * CALL_NS &&
                  finding.confidence >= 0 && finding.confidence <= 1;
    }
    matcher_free(matcher);
    return is_good;
}

/// A file is refused in one line that begins with its name.
static int read_catalogue(const char *path, char *text, struct error *err)
{
    struct catalogue *catalogue = catalogue_load(NULL, &path, 1, err);
    bool is_good = catalogue
                       ? match_odd_triggers(catalogue)
                       : strncmp(err->text, path, strlen(path)) == 0 && !strpbrk(err->text, "\r\n");
    int result = catalogue && is_good ? 0 : -1;
    catalogue_free(catalogue);
    if (!is_good)
        *err = (struct error){{0}};
    return result;
}

static int read_machine(const char *path, char *text, struct error *err)
{
    struct machine machine = {0};
    int result = machine_read(&machine, path, err);
    for (size_t i = 0; result == 0 && i < machine.n_collectives; i++)
        machine_formula_ns(&machine.collectives[i], 7, 4096);
    if (result == 0)
        machine_check_formulas(&machine, err);
    machine_release(&machine);
    return result;
}

static int read_policy(const char *path, char *text, struct error *err)
{
    struct policy policy = {0};
    int result = policy_read(&policy, path, err);
    policy_release(&policy);
    return result;
}

static int read_task_model(const char *path, char *text, struct error *err)
{
    struct task_model model = {0};
    int result = task_model_read(&model, path, NULL, err);
    task_model_release(&model);
    return result;
}

static int read_sweep(const char *path, char *text, struct error *err)
{
    struct sweep_spec spec;
    sweep_spec_init(&spec);
    int result = sweep_spec_read(&spec, path, err);
    sweep_spec_release(&spec);
    return result;
}

static int read_experiment_property(const char *path, char *text, struct error *err)
{
    struct property_catalogue catalogue = {0};
    int result = property_file_read(&catalogue, path, err);
    for (size_t i = 0; result == 0 && i < catalogue.n; i++) {
        struct property_question question;
        result = property_ask(&catalogue.items[i], "late-sender", &question, err);
        if (result == 0)
            property_question_release(&question);
    }
    property_catalogue_release(&catalogue);
    return result;
}

static int read_filter(const char *path, char *text, struct error *err)
{
    struct trace_filter *filter = trace_filter_read(path, err);
    trace_filter_free(filter);
    return filter ? 0 : -1;
}

static int read_rules(const char *path, char *text, struct error *err)
{
    struct reduction_rules rules = {0};
    int result = reduction_rules_read(&rules, path, err);
    struct reduction_function function = {"solve", "solver.c", 1, 2, 3, 4};
    reduction_rules_find(&rules, &function);
    reduction_rules_release(&rules);
    return result;
}

/// A trace of another format is made an archive of; DIRECTORY is removed.
static int read_trace(const char *path, struct error *err)
{
    struct conversion done;
    SCOPED char *directory = memory_format("%s.archive", path);
    int result = convert_trace(path, directory, &done, err);
    if (result == 0)
        scratch_folder_remove(directory, NULL);
    return result;
}

static int read_chrome(const char *path, char *text, struct error *err)
{
    return read_trace(path, err);
}

/// The .prv, and after a line %% the .pcf.
static int read_prv(const char *path, char *text, struct error *err)
{
    SCOPED char *prv = memory_format("%s.prv", path), *pcf = memory_format("%s.pcf", path);
    char *names = strstr(text, "%%\n");
    size_t n = names ? (size_t)(names - text) : strlen(text);
    scratch_write(prv, text, n);
    scratch_write(pcf, names ? names + 3 : "", names ? strlen(names + 3) : 0);
    return read_trace(prv, err);
}

static int read_map(const char *path, char *text, struct error *err)
{
    struct resource_map *map = NULL;
    int result = resource_map_read(&map, path, err);
    if (result == 0) {
        free(resource_map_apply(map, "/Code/main.c/solve"));
        resource_map_free(map);
    }
    return result;
}

static int read_table(const char *path, char *text, struct error *err)
{
    struct model_table table = {0};
    int result = model_table_read(&table, path, err);
    if (result == 0)
        model_table_release(&table);
    return result;
}

static int read_import(const char *path, char *text, struct error *err)
{
    const struct import_names names = {0};
    struct database *memory = NULL;
    FILE *stream = fopen(path, "re");
    int result = stream ? import_read_csv(stream, "table", &names, &memory, err) : 0;
    if (result == 0)
        database_close(memory);
    if (stream)
        fclose(stream);
    return result;
}

static int read_profile(const char *path, char *text, struct error *err)
{
    const struct import_names names = {0};
    struct database *memory = NULL;
    if (!profile_is_file(path))
        return error_set(err, "it is no profile");
    int result = profile_import(path, &names, &memory, err);
    database_close(memory);
    return result;
}

static int read_settings(const char *path, char *text, struct error *err)
{
    struct trace_settings settings;
    trace_settings_init(&settings);
    settings.config = path;
    int result = trace_settings_resolve(&settings, err);
    trace_settings_release(&settings);
    return result;
}

static int read_measurements(const char *path, char *text, struct error *err)
{
    struct measurements measurements;
    measurements_init(&measurements);
    for (char *line; (line = strsep(&text, "\n"));)
        measurements_read(&measurements, line);
    measurements_hand_over_ns(&measurements);
    measurements_slice_ns(&measurements);
    measurements_release(&measurements);
    return 0;
}

static int read_function_names(const char *path, char *text, struct error *err)
{
    enum { MOST_NAMES = 16 };
    const char *names[MOST_NAMES];
    bool is_meant[MOST_NAMES];
    size_t n = 0;
    for (char *line; n < MOST_NAMES && (line = strsep(&text, "\n"));)
        names[n++] = line;
    char **shown = function_names_shown(names, n);
    for (size_t i = 0; i < n; i++) {
        function_names_find(names, n, shown[i], is_meant);
        free(function_names_list(names, n, is_meant));
    }
    memory_free_each(shown, n);
    return 0;
}

// ---- texts in options and attributes

static int read_formula(const char *path, char *text, struct error *err)
{
    static const char *const names[] = {"p", "n", "size"};
    static const double values[] = {4, 1000, 4096};
    struct formula *formula = formula_new(text, names, 3, err);
    if (formula)
        formula_value(formula, values);
    formula_free(formula);
    return formula ? 0 : -1;
}

static int read_comparison(const char *path, char *text, struct error *err)
{
    int result = 0;
    for (char *one; result == 0 && (one = comparison_next(&text));) {
        struct comparison comparison;
        result = comparison_read(one, &comparison, err);
    }
    return result;
}

static int read_expression(const char *path, char *text, struct error *err)
{
    static const struct expression_name names[] = {{"wait", false, 0},
                                                   {"time", false, 1},
                                                   {"tag", false, 2},
                                                   {"bytes", false, 3},
                                                   {"any", true, -1}};
    static const double slots[EXPRESSION_SLOTS] = {100, 1000, 7, 4096};
    const struct expression_scope scope = {names, sizeof names / sizeof *names, NULL};
    struct expression expression;
    int result = expression_compile(text, &scope, &expression, err);
    if (result == 0) {
        double value;
        uint8_t slot;
        int64_t whole;
        if (expression_value(&expression, slots, &value))
            expression_whole(value);
        expression_guard(&expression, &slot, &whole);
        expression_release(&expression);
    }
    return result;
}

static int read_focus(const char *path, char *text, struct error *err)
{
    struct focus focus;
    int result = focus_parse(text, &focus, err);
    if (result == 0) {
        for (size_t i = 0; i < focus.n_selections; i++)
            free(focus_name(focus.selections[i].paths[0]));
        focus_release(&focus);
    }
    return result;
}

static int read_values(const char *path, char *text, struct error *err)
{
    struct sweep_values values = {0};
    int result = sweep_values_read(text, &values, err);
    sweep_values_release(&values);
    return result;
}

static int read_quantity(const char *path, char *text, struct error *err)
{
    uint64_t whole;
    double number;
    struct grouping grouping;
    option_read_count(text, &whole, err);
    option_read_number(text, &number, err);
    option_read_duration(text, &whole, err);
    option_read_size(text, &whole, err);
    cost_time_read(text, &whole, err);
    cost_time_read_slice(text, &whole, err);
    policy_read_percent(text, &whole, err);
    policy_read_poll(text, &whole, err);
    policy_read_free_hosts(text, &whole, err);
    grouping_read(text, &grouping, err);
    return option_read_quantity(text, &number, err);
}

static int read_ranks(const char *path, char *text, struct error *err)
{
    enum { N_RANKS = 9 };
    bool is_member[N_RANKS] = {false};
    struct placement placement = {0};
    struct node node = {.name = "node"};
    struct rank ranks[N_RANKS] = {{0}}; // all on that
    const struct definitions definitions = {
        .ranks = ranks, .n_ranks = N_RANKS, .nodes = &node, .n_nodes = 1};
    const char *texts[N_RANKS];
    size_t n = 0;
    rank_list_check(text, strlen(text), err);
    rank_list_read(text, strlen(text), N_RANKS, is_member, err);
    for (char *one; n < N_RANKS && (one = strsep(&text, " "));)
        texts[n++] = one;
    int result = placement_check(texts, n, err);
    if (result == 0)
        placement_read(&placement, &definitions, texts, n, err);
    placement_release(&placement);
    return result;
}

static int read_checkpoint(const char *path, char *text, struct error *err)
{
    struct sweep_checkpoints checkpoints = {0};
    int result = sweep_checkpoints_add(&checkpoints, text, err);
    for (size_t i = 0; i < checkpoints.n_series; i++)
        sweep_checkpoints_note(&checkpoints, i, 0.5);
    if (result == 0)
        sweep_checkpoints_reached(&checkpoints);
    sweep_checkpoints_release(&checkpoints);
    return result;
}

static int read_words(const char *path, char *text, struct error *err)
{
    char **words = sweep_words(text, err);
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
    return words ? 0 : -1;
}

static int read_point(const char *path, char *text, struct error *err)
{
    char p[] = "p", n[] = "n", *names[] = {p, n};
    struct model_table table = {.parameters = names, .n_parameters = 2};
    int result = model_table_ask(&table, text, err);
    free(table.asked);
    return result;
}

static int read_whatif(const char *path, char *text, struct error *err)
{
    char *value = strchr(text, ' ');
    if (!value || !value[1])
        return error_set(err, "the command line has no option without a value here");
    *value++ = '\0';
    const struct advice_word word = {text, value};
    struct whatif_plan plan = {0};
    int result = whatif_plan_read(&plan, &word, 1, err);
    whatif_plan_release(&plan);
    return result;
}

// ---- kinds

const struct fuzz_kind fuzz_kinds[] = {
    {.name = "anchor", .read = fuzz_archive, .make = fuzz_archive_write, .in_made = "traces.otf2"},
    {.name = "definitions",
     .read = fuzz_archive,
     .make = fuzz_archive_write,
     .in_made = "traces.def"},
    {.name = "local-definitions",
     .read = fuzz_archive,
     .make = fuzz_archive_write,
     .in_made = "traces/0.def"},
    {.name = "events", .read = fuzz_archive, .make = fuzz_archive_write, .in_made = "traces/0.evt"},
    {.name = "trials", .read = fuzz_trials, .make = fuzz_trials_write, .in_made = "runs.db"},
    {.name = "records", .read = fuzz_spools, .make = fuzz_spools_write, .in_made = "input"},
    {.name = "recorder-settings",
     .read = fuzz_settings,
     .make = fuzz_settings_write,
     .in_made = "settings"},
    {.name = "environment", .read = fuzz_environment},
    {.name = "catalogue",
     .read = read_catalogue,
     .shared = "{patterns,tests/traces/patterns}/*.xml"},
    {.name = "finding", .read = read_catalogue, .shared = "patterns/findings/*.xml"},
    {.name = "property", .read = read_catalogue, .shared = "patterns/properties/*.[ax]*"},
    {.name = "machine", .read = read_machine, .shared = "patterns/machines/*.xml"},
    {.name = "policy", .read = read_policy, .shared = "patterns/policies/*.xml"},
    {.name = "task-model", .read = read_task_model, .shared = "patterns/models/*.xml"},
    {.name = "sweep", .read = read_sweep},
    {.name = "experiment",
     .read = read_experiment_property,
     .shared = "patterns/experiments/*.xml"},
    {.name = "filter", .read = read_filter},
    {.name = "rules", .read = read_rules},
    {.name = "chrome", .read = read_chrome},
    {.name = "prv", .read = read_prv},
    {.name = "map", .read = read_map},
    {.name = "table", .read = read_table},
    {.name = "import", .read = read_import},
    {.name = "profile", .read = read_profile},
    {.name = "settings", .read = read_settings},
    {.name = "measurements", .read = read_measurements},
    {.name = "names", .read = read_function_names},
    {.name = "formula", .read = read_formula, .has_lines = true},
    {.name = "comparison", .read = read_comparison, .has_lines = true},
    {.name = "expression", .read = read_expression, .has_lines = true},
    {.name = "focus", .read = read_focus, .has_lines = true},
    {.name = "values", .read = read_values, .has_lines = true},
    {.name = "quantity", .read = read_quantity, .has_lines = true},
    {.name = "ranks", .read = read_ranks, .has_lines = true},
    {.name = "checkpoint", .read = read_checkpoint, .has_lines = true},
    {.name = "words", .read = read_words, .has_lines = true},
    {.name = "point", .read = read_point, .has_lines = true},
    {.name = "whatif", .read = read_whatif, .has_lines = true},
    {.name = NULL},
};
