// SPDX-License-Identifier: BSD-3-Clause
// What-if options: from the rows of a table (table.c) and what was given for them to one set
// of values for each prediction. Every time an option is given is an axis; most have one value.
#include "analyzer/whatif/options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cores/placement.h"
#include "analyzer/whatif/machines.h"

enum { MAX_POINTS = 1000 };

static bool is_repeated(const struct whatif_option *option)
{
    return option->kind == WHATIF_REPEATED || option->kind == WHATIF_REPEATED_AXIS;
}

static bool is_given(const struct whatif_given *given)
{
    return given->is_set || given->text || given->texts.count > 0;
}

size_t whatif_option_rows(struct whatif_options *options, struct option_row *rows)
{
    for (size_t i = 0; i < n_whatif_table; i++) {
        const struct whatif_option *option = &whatif_table[i];
        struct whatif_given *given = &options->given[i];
        rows[i] = (struct option_row){.name = option->name,
                                      .argument = option->argument,
                                      .help = option->help,
                                      .default_text = option->default_text,
                                      .type = OPTION_TEXT,
                                      .value = &given->text};
        if (option->kind == WHATIF_FLAG) {
            rows[i].type = OPTION_FLAG;
            rows[i].value = &given->is_set;
        } else if (is_repeated(option)) {
            rows[i].type = OPTION_LIST;
            rows[i].value = &given->texts;
        }
    }
    return n_whatif_table;
}

bool whatif_options_give(struct whatif_options *options, const char *name, const char *value)
{
    for (size_t i = 0; i < n_whatif_table; i++) {
        struct whatif_given *given = &options->given[i];
        if (strcmp(whatif_table[i].name, name) != 0)
            continue;
        if (whatif_table[i].kind == WHATIF_FLAG) {
            given->is_set = true;
        } else if (is_repeated(&whatif_table[i])) {
            struct option_list *texts = &given->texts;
            texts->values = array_reserve(texts->values, &texts->capacity, texts->count + 1,
                                          sizeof *texts->values);
            texts->values[texts->count++] = value;
        } else {
            given->text = value;
        }
        return true;
    }
    return false;
}

bool whatif_is_wanted(const struct whatif_options *options)
{
    for (size_t i = 0; i < n_whatif_table; i++)
        if (is_given(&options->given[i]))
            return true;
    return false;
}

void whatif_options_release(struct whatif_options *options)
{
    for (size_t i = 0; i < n_whatif_table; i++)
        options_list_release(&options->given[i].texts);
}

bool whatif_options_have(const struct whatif_options *options, const char *name)
{
    for (size_t i = 0; i < n_whatif_table; i++)
        if (strcmp(whatif_table[i].name, name) == 0)
            return is_given(&options->given[i]);
    assert(!"bug: a row of whatif_table names an option that is none");
    return false;
}

/// What cannot go together though neither says so in the table.
static int check_together(const struct whatif_options *options, struct error *err)
{
    if (whatif_options_have(options, "timeless") &&
        (whatif_options_have(options, "move") || whatif_options_have(options, "overlap")))
        return error_set(err, "--timeless cannot move work: --move and --overlap go by recorded "
                              "times");
    return 0;
}

/// Options that need or exclude another one.
static int check(const struct whatif_options *options, struct error *err)
{
    for (size_t i = 0; i < n_whatif_table; i++) {
        const struct whatif_option *option = &whatif_table[i];
        if (!is_given(&options->given[i]))
            continue;
        if (option->needs && !whatif_options_have(options, option->needs))
            return error_set(err, "--%s %s --%s, which is missing", option->name, option->does,
                             option->needs);
        if (option->excludes && whatif_options_have(options, option->excludes))
            return error_set(err, "--%s and --%s %s", option->name, option->excludes, option->why);
    }
    return check_together(options, err);
}

// --- axes

/// One option as it was given once: all its values begin with the first PREFIX_BYTES of TEXT.
struct axis {
    const struct whatif_option *option;
    const char *text; // NULL for a flag
    size_t prefix_bytes;
    size_t n_values;
};

struct axes {
    struct axis *items;
    size_t n, capacity;
};

static struct axis axis_of(const struct whatif_option *option, const char *text)
{
    struct axis axis = {.option = option, .text = text, .n_values = 1};
    const char *values = text;
    if (option->kind != WHATIF_AXIS && option->kind != WHATIF_REPEATED_AXIS)
        return axis;
    if (option->values) {
        values = option->values(text);
        if (!values)
            return axis;
    } else if (option->kind == WHATIF_REPEATED_AXIS && strrchr(text, '=')) {
        values = strrchr(text, '=') + 1;
    }
    axis.prefix_bytes = (size_t)(values - text);
    for (; *values; values++)
        axis.n_values += *values == ',';
    return axis;
}

static void add_axis(struct axes *axes, const struct whatif_option *option, const char *text)
{
    axes->items = array_reserve(axes->items, &axes->capacity, axes->n + 1, sizeof *axes->items);
    axes->items[axes->n++] = axis_of(option, text);
}

static struct axes axes_of(const struct whatif_options *options)
{
    struct axes axes = {0};
    for (size_t i = 0; i < n_whatif_table; i++) {
        const struct whatif_option *option = &whatif_table[i];
        const struct whatif_given *given = &options->given[i];
        if (given->is_set || given->text)
            add_axis(&axes, option, given->text);
        for (size_t t = 0; t < given->texts.count; t++)
            add_axis(&axes, option, given->texts.values[t]);
    }
    return axes;
}

/// Value INDEX of AXIS without its prefix; the caller frees.
static char *value_at(const struct axis *axis, size_t index)
{
    const char *text = axis->text + axis->prefix_bytes;
    if (axis->n_values == 1)
        return memory_copy_text(text);
    for (; index > 0; index--)
        text = strchr(text, ',') + 1;
    return memory_format("%.*s", (int)strcspn(text, ","), text);
}

/// "scale solve", where the same option may have values for several names.
static char *value_name(const struct axis *axis)
{
    int name_bytes = axis->prefix_bytes > 0 ? (int)axis->prefix_bytes - 1 : 0;
    return memory_format("%s%s%.*s", axis->option->name, name_bytes > 0 ? " " : "", name_bytes,
                         name_bytes > 0 ? axis->text : "");
}

static void note(struct whatif_set *set, const struct axis *axis, const char *value)
{
    set->values[set->n_values++] =
        (struct whatif_chosen){value_name(axis), memory_copy_text(value)};
    if (axis->n_values > 1)
        set->chosen[set->n_chosen++] =
            (struct whatif_chosen){value_name(axis), memory_copy_text(value)};
    char *text = memory_format("%.*s%s", (int)axis->prefix_bytes, axis->text ? axis->text : "",
                               axis->text ? value : "");
    char *word = axis->text ? shell_word(text) : memory_copy_text("");
    char *words = memory_format("%s%s--%s%s%s", set->words ? set->words : "", set->words ? " " : "",
                                axis->option->name, *word ? " " : "", word);
    free(text);
    free(word);
    free(set->words);
    set->words = words;
}

static int read_value(struct whatif_set *set, const struct axis *axis, size_t index,
                      struct error *err)
{
    char *value = axis->text ? value_at(axis, index) : memory_copy_text("yes");
    char *text = NULL;
    if (axis->text)
        text = whatif_set_keep(set,
                               memory_format("%.*s%s", (int)axis->prefix_bytes, axis->text, value));
    int status = 0;
    if (axis->n_values > 1 && *value == '\0')
        status =
            error_set(err, "--%s %s: a value of the list is empty", axis->option->name, axis->text);
    if (status == 0)
        status = axis->option->read(text, set, err);
    note(set, axis, value);
    free(value);
    return status;
}

static int fill_set(struct whatif_set *set, const struct axes *axes, size_t index,
                    struct error *err)
{
    size_t divisor = 1;
    set->chosen = memory_zeroed(axes->n, sizeof *set->chosen);
    set->values = memory_zeroed(axes->n, sizeof *set->values);
    size_t *values = memory_zeroed(axes->n, sizeof *values);
    for (size_t i = axes->n; i-- > 0;) {
        values[i] = index / divisor % axes->items[i].n_values;
        divisor *= axes->items[i].n_values;
    }
    int status = 0;
    for (size_t i = 0; i < axes->n && status == 0; i++)
        status = read_value(set, &axes->items[i], values[i], err);
    free(values);
    return status;
}

// --- the plan

/// What is wrong with values together, or with several of an option. 0, or -1 and ERR.
static int check_plan(const struct whatif_plan *plan, const struct axes *axes, struct error *err)
{
    const struct scenario_settings *settings = &plan->sets[0].settings;
    if (placement_check(settings->places, settings->n_places, err) != 0)
        return -1;
    if (!plan->is_list)
        return 0;
    if (plan->sets[0].n_tolerances > 0)
        return error_set(err, "--tolerance is found for one prediction: give no option several "
                              "values");
    for (size_t i = 0; i < axes->n; i++)
        if (strcmp(axes->items[i].option->name, "map") == 0 && strstr(axes->items[i].text, "auto"))
            return error_set(err, "--map auto searches for one prediction: give no option several "
                                  "values");
    return 0;
}

static void put_words(struct whatif_plan *plan, const struct axes *axes)
{
    size_t size;
    FILE *out = open_memstream(&plan->change, &size);
    for (size_t i = 0; i < axes->n; i++) {
        const struct axis *axis = &axes->items[i];
        fprintf(out, "%s--%s", i > 0 ? " " : "", axis->option->name);
        char *word = axis->text ? shell_word(axis->text) : NULL;
        if (word)
            fprintf(out, " %s", word);
        free(word);
    }
    fclose(out);
}

static int fill_plan(struct whatif_plan *plan, const struct axes *axes, struct error *err)
{
    size_t n = 1;
    for (size_t i = 0; i < axes->n && n <= MAX_POINTS; i++)
        n *= axes->items[i].n_values;
    if (n > MAX_POINTS)
        return error_set(err, "more than %d combinations of values", MAX_POINTS);
    put_words(plan, axes);
    for (size_t i = 0; i < axes->n; i++)
        if (axes->items[i].option->is_no_trace)
            plan->no_trace = axes->items[i].option->name;
    plan->is_list = n > 1;
    plan->sets = memory_zeroed(n, sizeof *plan->sets);
    for (size_t i = 0; i < n; i++) {
        whatif_set_init(&plan->sets[plan->n_sets++]);
        if (fill_set(&plan->sets[i], axes, i, err) != 0)
            return -1;
    }
    return 0;
}

int whatif_plan_read(struct whatif_plan *plan, const struct whatif_options *options,
                     struct error *err)
{
    *plan = (struct whatif_plan){.machines = whatif_machines_new()};
    if (check(options, err) != 0)
        return -1;
    struct axes axes = axes_of(options);
    int status = fill_plan(plan, &axes, err);
    if (status == 0)
        status = check_plan(plan, &axes, err);
    free(axes.items);
    return status;
}

void whatif_plan_release(struct whatif_plan *plan)
{
    for (size_t i = 0; i < plan->n_sets; i++)
        whatif_set_release(&plan->sets[i]);
    whatif_machines_free(plan->machines);
    free(plan->sets);
    free(plan->change);
    *plan = (struct whatif_plan){0};
}
