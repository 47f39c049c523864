// SPDX-License-Identifier: BSD-3-Clause
// fuzz_inputs [-s SEED] [-n CASES] [-w DIRECTORY] [KIND...]: gives all that Pagoda reads from users
// and other tools to its readers: the seeds of each kind as they are, and CASES of them spoiled at
// random. A reader that refuses a text must say why; the rest is for the sanitizers. The same SEED
// makes the same cases. With -w the seeds are only written, as DIRECTORY/KIND/N. `make fuzz` links
// libFuzzer instead of main(), which then gives texts to the kind $FUZZ_KIND (CONTRIBUTING.md).
//
// Seeds are files that come with Pagoda and tests/fuzz/corpus/KIND*: whole files, or a text in each
// line.
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/function_names.h"
#include "analyzer/base/memory.h"
#include "analyzer/calibrate/calibration.h"
#include "analyzer/launch/filter.h"
#include "analyzer/launch/settings.h"
#include "analyzer/model/model_table.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/expression.h"
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
#include "db/query/resource_map.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/spoil.h"

/// Reads TEXT, or the file PATH that holds it. 0, or not 0 and ERR.
typedef int reader(const char *path, char *text, struct error *err);

// ---- files

static int read_catalogue(const char *path, char *text, struct error *err)
{
    (void)text;
    struct catalogue *catalogue = catalogue_load(NULL, &path, 1, err);
    catalogue_free(catalogue);
    return catalogue ? 0 : -1;
}

static int read_machine(const char *path, char *text, struct error *err)
{
    (void)text;
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
    (void)text;
    struct policy policy = {0};
    int result = policy_read(&policy, path, err);
    policy_release(&policy);
    return result;
}

static int read_task_model(const char *path, char *text, struct error *err)
{
    (void)text;
    struct task_model model = {0};
    int result = task_model_read(&model, path, NULL, err);
    task_model_release(&model);
    return result;
}

static int read_sweep(const char *path, char *text, struct error *err)
{
    (void)text;
    struct sweep_spec spec;
    sweep_spec_init(&spec);
    int result = sweep_spec_read(&spec, path, err);
    sweep_spec_release(&spec);
    return result;
}

static int read_experiment_property(const char *path, char *text, struct error *err)
{
    (void)text;
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
    (void)text;
    struct trace_filter *filter = trace_filter_read(path, err);
    trace_filter_free(filter);
    return filter ? 0 : -1;
}

static int read_rules(const char *path, char *text, struct error *err)
{
    (void)text;
    struct reduction_rules rules = {0};
    int result = reduction_rules_read(&rules, path, err);
    struct reduction_function function = {"solve", "solver.c", 1, 2, 3, 4};
    reduction_rules_find(&rules, &function);
    reduction_rules_release(&rules);
    return result;
}

static int read_map(const char *path, char *text, struct error *err)
{
    (void)text;
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
    (void)text;
    struct model_table table = {0};
    int result = model_table_read(&table, path, err);
    if (result == 0)
        model_table_release(&table);
    return result;
}

static int read_import(const char *path, char *text, struct error *err)
{
    (void)text;
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

static int read_settings(const char *path, char *text, struct error *err)
{
    (void)text;
    struct trace_settings settings;
    trace_settings_init(&settings);
    settings.config = path;
    int result = trace_settings_resolve(&settings, err);
    trace_settings_release(&settings);
    return result;
}

static int read_measurements(const char *path, char *text, struct error *err)
{
    (void)path, (void)err;
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
    (void)path, (void)err;
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
    function_names_free(shown, n);
    return 0;
}

// ---- texts in options and attributes

static int read_formula(const char *path, char *text, struct error *err)
{
    (void)path;
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
    (void)path;
    int result = 0;
    for (char *one; result == 0 && (one = comparison_next(&text));) {
        struct comparison comparison;
        result = comparison_read(one, &comparison, err);
    }
    return result;
}

static int read_expression(const char *path, char *text, struct error *err)
{
    (void)path;
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
    (void)path;
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
    (void)path;
    struct sweep_values values = {0};
    int result = sweep_values_read(text, &values, err);
    sweep_values_release(&values);
    return result;
}

static int read_quantity(const char *path, char *text, struct error *err)
{
    (void)path;
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
    (void)path;
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
    (void)path;
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
    (void)path;
    char **words = sweep_words(text, err);
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
    return words ? 0 : -1;
}

static int read_point(const char *path, char *text, struct error *err)
{
    (void)path;
    char p[] = "p", n[] = "n", *names[] = {p, n};
    struct model_table table = {.parameters = names, .n_parameters = 2};
    int result = model_table_ask(&table, text, err);
    free(table.asked);
    return result;
}

static int read_whatif(const char *path, char *text, struct error *err)
{
    (void)path;
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

static const struct kind {
    const char *name;
    reader *read;
    bool has_lines;     // a seed in each line of a file of the corpus
    const char *shared; // files that come with Pagoda
} kinds[] = {
    {"catalogue", read_catalogue, false, "patterns/[!f]*.xml"},
    {"finding", read_catalogue, false, "patterns/findings/*.xml"},
    {"property", read_catalogue, false, "patterns/properties/*.[ax]*"},
    {"machine", read_machine, false, "patterns/machines/*.xml"},
    {"policy", read_policy, false, "patterns/policies/*.xml"},
    {"task-model", read_task_model, false, "patterns/models/*.xml"},
    {"sweep", read_sweep, false, NULL},
    {"experiment", read_experiment_property, false, "patterns/experiments/*.xml"},
    {"filter", read_filter, false, NULL},
    {"rules", read_rules, false, NULL},
    {"map", read_map, false, NULL},
    {"table", read_table, false, NULL},
    {"import", read_import, false, NULL},
    {"settings", read_settings, false, NULL},
    {"measurements", read_measurements, false, NULL},
    {"names", read_function_names, false, NULL},
    {"formula", read_formula, true, NULL},
    {"comparison", read_comparison, true, NULL},
    {"expression", read_expression, true, NULL},
    {"focus", read_focus, true, NULL},
    {"values", read_values, true, NULL},
    {"quantity", read_quantity, true, NULL},
    {"ranks", read_ranks, true, NULL},
    {"checkpoint", read_checkpoint, true, NULL},
    {"words", read_words, true, NULL},
    {"point", read_point, true, NULL},
    {"whatif", read_whatif, true, NULL},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/// Gives SIZE_BYTES of TEXT, with a 0 after them, to the reader of KIND.
static void read_text(const struct kind *kind, const char *file, const char *text,
                      size_t size_bytes)
{
    struct error err = {{0}};
    char *copy = memory_zeroed(size_bytes + 1, 1);
    memcpy(copy, text, size_bytes);
    if (!kind->has_lines)
        scratch_write(file, text, size_bytes);
    if (kind->read(file, copy, &err) != 0 && !*err.text) {
        fprintf(stderr, "fuzz_inputs: %s is refused without a reason: %s\n", kind->name, text);
        abort();
    }
    free(copy);
}

#ifdef LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static const struct kind *kind;
    static char *folder, *file;
    const char *name = getenv("FUZZ_KIND");
    if (!kind) {
        for (kind = kinds; kind < kinds + N_KINDS && strcmp(kind->name, name ? name : "") != 0;)
            kind++;
        if (kind == kinds + N_KINDS)
            abort();
        folder = scratch_directory();
        file = memory_format("%s/input", folder);
    }
    char *text = memory_zeroed(size_bytes + 1, 1);
    memcpy(text, data, size_bytes);
    read_text(kind, file, text, size_bytes);
    free(text);
    return 0;
}

#else

struct seeds {
    struct seed {
        char *text;
        size_t size_bytes;
    } * items;
    size_t n, capacity;
};

static void add_seeds(struct seeds *seeds, const struct kind *kind, const char *pattern)
{
    glob_t found;
    if (!pattern || glob(pattern, GLOB_BRACE, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t size_bytes;
        char *text = scratch_read(found.gl_pathv[i], &size_bytes), *rest = text, *line;
        if (!kind->has_lines)
            *ARRAY_NEXT(seeds->items, seeds->n, seeds->capacity) = (struct seed){text, size_bytes};
        for (; kind->has_lines && (line = strsep(&rest, "\n")) && rest;)
            *ARRAY_NEXT(seeds->items, seeds->n, seeds->capacity) =
                (struct seed){memory_copy_text(line), strlen(line)};
        if (kind->has_lines)
            free(text);
    }
    globfree(&found);
}

static struct seeds seeds_of(const struct kind *kind)
{
    struct seeds seeds = {0};
    char *corpus = memory_format("tests/fuzz/corpus/%s{,-*}", kind->name);
    add_seeds(&seeds, kind, kind->shared);
    add_seeds(&seeds, kind, corpus);
    free(corpus);
    return seeds;
}

static void write_seeds(const struct seeds *seeds, const char *directory, const char *kind)
{
    char *folder = memory_format("%s/%s", directory, kind);
    mkdir(directory, 0777);
    mkdir(folder, 0777);
    for (size_t i = 0; i < seeds->n; i++) {
        char *path = memory_format("%s/%zu", folder, i);
        scratch_write(path, seeds->items[i].text, seeds->items[i].size_bytes);
        free(path);
    }
    free(folder);
}

static void read_seeds(const struct seeds *seeds, const struct kind *kind, const char *file,
                       unsigned n_cases)
{
    for (size_t i = 0; i < seeds->n; i++)
        read_text(kind, file, seeds->items[i].text, seeds->items[i].size_bytes);
    for (unsigned i = 0; i < n_cases; i++) {
        const struct seed *seed = &seeds->items[spoil_random((uint32_t)seeds->n)];
        size_t size_bytes = seed->size_bytes;
        char *text = spoil(seed->text, &size_bytes);
        read_text(kind, file, text, size_bytes);
        free(text);
    }
}

static bool is_asked(const char *kind, int n, char **names)
{
    bool is_asked = n == 0;
    for (int i = 0; i < n; i++)
        is_asked = is_asked || strcmp(names[i], kind) == 0;
    return is_asked;
}

int main(int argc, char **argv)
{
    unsigned n_cases = 1000;
    uint64_t seed = 1;
    const char *directory = NULL;
    for (int option; (option = getopt(argc, argv, "s:n:w:")) != -1;) {
        if (option == 's')
            seed = strtoull(optarg, NULL, 10);
        else if (option == 'n')
            n_cases = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 'w')
            directory = optarg;
        else
            return 2;
    }
    char *scratch = scratch_directory(), *file = memory_format("%s/input", scratch);
    for (const struct kind *kind = kinds; kind < kinds + N_KINDS; kind++) {
        if (!is_asked(kind->name, argc - optind, argv + optind))
            continue;
        struct seeds seeds = seeds_of(kind);
        spoil_begin(seed);
        if (directory)
            write_seeds(&seeds, directory, kind->name);
        else if (seeds.n > 0)
            read_seeds(&seeds, kind, file, n_cases);
        printf("%s: %zu seeds, %u cases\n", kind->name, seeds.n, directory ? 0 : n_cases);
        fflush(stdout);
        for (size_t i = 0; i < seeds.n; i++)
            free(seeds.items[i].text);
        free(seeds.items);
    }
    free(file);
    scratch_remove(scratch);
    return 0;
}

#endif
