// SPDX-License-Identifier: BSD-3-Clause
// From the rows of all kinds and what was given for them to one case for each prediction. Every
// time an option is given is an axis; most have one value.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cores/placement.h"
#include "analyzer/whatif/kinds.h"
#include "analyzer/whatif/options.h"

enum { MAX_POINTS = 1000 };

// --- rows

/// In the order of the help, and of the values in a change in words.
static const struct whatif_kind *const kinds[] = {&whatif_kind_cores, &whatif_kind_network,
                                                  &whatif_kind_work, &whatif_kind_messages,
                                                  &whatif_kind_dealt};

const struct option_group whatif_groups[WHATIF_GROUPS] = {
    {"place", "placement and cores", "what-if"}, {"machine", "machine and network", "what-if"},
    {"scale", "changes of the code", "what-if"}, {"workers", "task farm", "what-if"},
    {"rebalance", "load balancing", "what-if"},
};

/// Row INDEX of all kinds; NULL behind the last one.
static const struct whatif_option *row_at(size_t index)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (index < kinds[k]->n)
            return &kinds[k]->options[index];
        index -= kinds[k]->n;
    }
    return NULL;
}

/// The row of the option NAME; SIZE_MAX: there is none.
static size_t find_row(const char *name)
{
    for (size_t i = 0; row_at(i); i++)
        if (strcmp(row_at(i)->name, name) == 0)
            return i;
    return SIZE_MAX;
}

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
    size_t n = 0;
    for (; row_at(n); n++) {
        const struct whatif_option *option = row_at(n);
        struct whatif_given *given = &options->given[n];
        assert(n < WHATIF_MAX_OPTIONS);
        rows[n] = (struct option_row){.name = option->name,
                                      .argument = option->argument,
                                      .help = option->help,
                                      .default_text = option->default_text,
                                      .type = OPTION_TEXT,
                                      .value = &given->text};
        if (option->kind == WHATIF_FLAG) {
            rows[n].type = OPTION_FLAG;
            rows[n].value = &given->is_set;
        } else if (is_repeated(option)) {
            rows[n].type = OPTION_LIST;
            rows[n].value = &given->texts;
        }
    }
    return n;
}

bool whatif_options_give(struct whatif_options *options, const char *name, const char *value)
{
    size_t index = find_row(name);
    if (index == SIZE_MAX)
        return false;
    struct whatif_given *given = &options->given[index];
    if (row_at(index)->kind == WHATIF_FLAG)
        given->is_set = true;
    else if (is_repeated(row_at(index)))
        options_list_append(&given->texts, &value, 1);
    else
        given->text = value;
    return true;
}

bool whatif_is_wanted(const struct whatif_options *options)
{
    for (size_t i = 0; row_at(i); i++)
        if (is_given(&options->given[i]))
            return true;
    return false;
}

struct whatif_given *whatif_options_given(struct whatif_options *options, const char *name)
{
    size_t index = find_row(name);
    assert(index != SIZE_MAX && "bug: no what-if option has this name");
    return &options->given[index];
}

bool whatif_options_have(const struct whatif_options *options, const char *name)
{
    size_t index = find_row(name);
    assert(index != SIZE_MAX && "bug: no what-if option has this name");
    return is_given(&options->given[index]);
}

void whatif_options_each(const struct whatif_options *options,
                         void (*each)(void *context, const char *name, const char *value),
                         void *context)
{
    for (size_t i = 0; row_at(i); i++) {
        const struct whatif_given *given = &options->given[i];
        for (size_t t = 0; t < given->texts.count; t++)
            each(context, row_at(i)->name, given->texts.values[t]);
        if (given->text || given->is_set)
            each(context, row_at(i)->name, given->text);
    }
}

void whatif_options_release(struct whatif_options *options)
{
    for (size_t i = 0; row_at(i); i++)
        options_list_release(&options->given[i].texts);
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
    for (size_t i = 0; row_at(i); i++) {
        const struct whatif_option *option = row_at(i);
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

// --- a case

static void case_init(struct whatif_case *asked)
{
    *asked = (struct whatif_case){
        .settings = SCENARIO_UNCHANGED,
        .latency_ns = PAG_NOT_KNOWN,
        .eager_bytes = PAG_NOT_KNOWN,
        .rebalance = {NULL, PAG_NOT_KNOWN, PAG_NOT_KNOWN, PAG_NOT_KNOWN, UINT32_MAX},
    };
}

static void case_release(struct whatif_case *asked)
{
    scenario_release(&asked->scenario);
    machine_release(&asked->machine);
    policy_release(&asked->policy);
    for (size_t i = 0; i < asked->n_values; i++) {
        free(asked->values[i].name);
        free(asked->values[i].value);
    }
    free(asked->values);
    free(asked->words);
    for (size_t i = 0; i < asked->n_kept; i++)
        free(asked->kept[i]);
    free(asked->kept);
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

/// How many bytes of the list TEXT are its first value.
static size_t value_bytes(const struct whatif_option *option, const char *text)
{
    return option->value_bytes ? option->value_bytes(text) : strcspn(text, ",");
}

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
    for (values += value_bytes(option, values); *values; values += value_bytes(option, values)) {
        values++; // the comma
        axis.n_values++;
    }
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
    for (size_t i = 0; row_at(i); i++) {
        const struct whatif_option *option = row_at(i);
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
        text += value_bytes(axis->option, text) + 1;
    return memory_format("%.*s", (int)value_bytes(axis->option, text), text);
}

/// "scale solve", where the same option may have values for several names.
static char *value_name(const struct axis *axis)
{
    int name_bytes = axis->prefix_bytes > 0 ? (int)axis->prefix_bytes - 1 : 0;
    return memory_format("%s%s%.*s", axis->option->name, name_bytes > 0 ? " " : "", name_bytes,
                         name_bytes > 0 ? axis->text : "");
}

static void note(struct whatif_case *asked, const struct axis *axis, const char *value)
{
    asked->values[asked->n_values++] = (struct whatif_value){
        axis->option, value_name(axis), memory_copy_text(value), axis->n_values > 1};
    char *text = memory_format("%.*s%s", (int)axis->prefix_bytes, axis->text ? axis->text : "",
                               axis->text ? value : "");
    char *word = axis->text ? shell_word(text) : memory_copy_text("");
    char *words =
        memory_format("%s%s--%s%s%s", asked->words ? asked->words : "", asked->words ? " " : "",
                      axis->option->name, *word ? " " : "", word);
    free(text);
    free(word);
    free(asked->words);
    asked->words = words;
}

static int read_value(struct whatif_case *asked, const struct axis *axis, size_t index,
                      struct error *err)
{
    char *value = axis->text ? value_at(axis, index) : memory_copy_text("yes");
    char *text = NULL;
    if (axis->text)
        text = whatif_case_keep(
            asked, memory_format("%.*s%s", (int)axis->prefix_bytes, axis->text, value));
    int status = 0;
    if (axis->n_values > 1 && *value == '\0')
        status =
            error_set(err, "--%s %s: a value of the list is empty", axis->option->name, axis->text);
    if (status == 0)
        status = axis->option->read(text, asked, err);
    note(asked, axis, value);
    free(value);
    return status;
}

static int fill_case(struct whatif_case *asked, const struct axes *axes, size_t index,
                     struct error *err)
{
    size_t divisor = 1;
    asked->values = memory_zeroed(axes->n, sizeof *asked->values);
    size_t *values = memory_zeroed(axes->n, sizeof *values);
    for (size_t i = axes->n; i-- > 0;) {
        values[i] = index / divisor % axes->items[i].n_values;
        divisor *= axes->items[i].n_values;
    }
    int status = 0;
    for (size_t i = 0; i < axes->n && status == 0; i++)
        status = read_value(asked, &axes->items[i], values[i], err);
    free(values);
    return status;
}

// --- the plan

/// What is wrong with values together, or with several of an option. 0, or -1 and ERR.
static int check_plan(const struct whatif_plan *plan, const struct axes *axes, struct error *err)
{
    const struct scenario_settings *settings = &plan->cases[0].settings;
    if (placement_check(settings->places, settings->n_places, err) != 0)
        return -1;
    if (!plan->is_list)
        return 0;
    if (plan->cases[0].n_tolerances > 0)
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
        if (axes->items[i].option->is_estimate)
            plan->estimate = axes->items[i].option->name;
    plan->is_list = n > 1;
    plan->cases = memory_zeroed(n, sizeof *plan->cases);
    for (size_t i = 0; i < n; i++) {
        case_init(&plan->cases[plan->n_cases++]);
        if (fill_case(&plan->cases[i], axes, i, err) != 0)
            return -1;
    }
    return 0;
}

int whatif_plan_read(struct whatif_plan *plan, const struct whatif_options *options,
                     struct error *err)
{
    *plan = (struct whatif_plan){0};
    if (check(options, err) != 0)
        return -1;
    struct axes axes = axes_of(options);
    int status = fill_plan(plan, &axes, err);
    if (status == 0)
        status = check_plan(plan, &axes, err);
    free(axes.items);
    return status;
}

int whatif_plan_read_files(struct whatif_plan *plan, struct error *err)
{
    if (plan->has_files)
        return 0;
    const char *machine = plan->cases[0].machine_file; // no list of values: it is that of all
    if (machine && machine_read(&plan->machine, machine, err) != 0)
        return -1;
    for (size_t i = 0; i < plan->n_cases; i++)
        if (whatif_use_machine(&plan->cases[i], &plan->machine, err) != 0 ||
            whatif_read_policy(&plan->cases[i], err) != 0)
            return -1;
    plan->has_files = true;
    return 0;
}

int whatif_plan_prepare(struct whatif_plan *plan, const struct definitions *definitions,
                        struct error *err)
{
    if (plan->is_prepared)
        return 0;
    if (whatif_plan_read_files(plan, err) != 0)
        return -1;
    const struct scenario_settings *first = &plan->cases[0].settings;
    plan->unchanged_settings = SCENARIO_UNCHANGED;
    plan->unchanged_settings.spins = first->spins;
    plan->unchanged_settings.slice_ns = scenario_slice_ns(first);
    scenario_release(&plan->unchanged);
    if (scenario_init(&plan->unchanged, definitions, &plan->unchanged_settings, err) != 0)
        return -1;
    for (size_t i = 0; i < plan->n_cases; i++) {
        struct whatif_case *asked = &plan->cases[i];
        scenario_release(&asked->scenario);
        if (scenario_init(&asked->scenario, definitions, &asked->settings, err) != 0)
            return -1;
    }
    plan->is_prepared = true;
    return 0;
}

int whatif_plan_complete(struct whatif_plan *plan, struct whatif_options *options,
                         const struct replay_run *measured, struct error *err)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    int status = whatif_plan_prepare(plan, definitions, err);
    if (!whatif_assume_waiting(options, plan, measured))
        return status;
    whatif_plan_release(plan);
    status = whatif_plan_read(plan, options, err);
    plan->assumes_waiting = true;
    return status == 0 ? whatif_plan_prepare(plan, definitions, err) : status;
}

void whatif_plan_release(struct whatif_plan *plan)
{
    for (size_t i = 0; i < plan->n_cases; i++)
        case_release(&plan->cases[i]);
    scenario_release(&plan->unchanged);
    machine_release(&plan->machine);
    free(plan->cases);
    free(plan->change);
    *plan = (struct whatif_plan){0};
}
