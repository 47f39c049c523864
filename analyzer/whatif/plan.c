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
static const struct whatif_option *const kinds[] = {
    whatif_options_of_cores, whatif_options_of_network, whatif_options_of_work,
    whatif_options_of_messages, whatif_options_of_dealing};

const struct option_group whatif_groups[WHATIF_GROUPS] = {
    {"place", "placement and cores", "what-if"}, {"machine", "machine and network", "what-if"},
    {"scale", "changes of the code", "what-if"}, {"workers", "task farm", "what-if"},
    {"rebalance", "load balancing", "what-if"},
};

/// Row INDEX of all kinds; NULL after the last one.
static const struct whatif_option *row_at(size_t index)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (const struct whatif_option *option = kinds[k]; option->name; option++)
            if (index-- == 0)
                return option;
    return NULL;
}

const struct whatif_option *whatif_option_find(const char *name, struct error *err)
{
    const char *names[WHATIF_MAX_OPTIONS];
    size_t n = 0;
    for (; row_at(n); n++) {
        names[n] = row_at(n)->name;
        if (strcmp(names[n], name) == 0)
            return row_at(n);
    }
    error_set(err, "`%s` is not a what-if option of pagoda replay%s", name,
              spelling_hint(name, names, n, "; did you mean `%s`?", "").text);
    return NULL;
}

static bool is_repeated(const struct whatif_option *option)
{
    return option->kind == WHATIF_REPEATED || option->kind == WHATIF_REPEATED_AXIS;
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

size_t whatif_options_words(const struct whatif_options *options, struct advice_word **words)
{
    size_t n = 0, capacity = 0;
    *words = NULL;
    for (size_t i = 0; row_at(i); i++) {
        const struct whatif_given *given = &options->given[i];
        bool is_single = given->is_set || given->text;
        size_t n_values = is_single ? 1 : given->texts.count;
        *words = array_reserve(*words, &capacity, n + n_values, sizeof **words);
        for (size_t k = 0; k < n_values; k++)
            (*words)[n++] =
                (struct advice_word){(char *)row_at(i)->name,
                                     (char *)(is_single ? given->text : given->texts.values[k])};
    }
    return n;
}

void whatif_options_release(struct whatif_options *options)
{
    for (size_t i = 0; row_at(i); i++)
        options_list_release(&options->given[i].texts);
}

// --- options together

bool whatif_plan_has(const struct whatif_plan *plan, const char *name)
{
    return HAS_BY(plan->words, plan->n_words, option, name);
}

/// Options that need or exclude another one.
static int check_options(const struct whatif_plan *plan, struct error *err)
{
    for (size_t i = 0; row_at(i); i++) {
        const struct whatif_option *option = row_at(i);
        if (!whatif_plan_has(plan, option->name))
            continue;
        if (option->needs && !whatif_plan_has(plan, option->needs))
            return error_set(err, "--%s %s --%s, which is missing", option->name, option->does,
                             option->needs);
        if (option->excludes && whatif_plan_has(plan, option->excludes))
            return error_set(err, "--%s and --%s %s", option->name, option->excludes, option->why);
    }
    if (whatif_plan_has(plan, "timeless") &&
        (whatif_plan_has(plan, "move") || whatif_plan_has(plan, "overlap") ||
         whatif_plan_has(plan, "overlap-progress")))
        return error_set(err, "--timeless cannot move work: --move and --overlap go by recorded "
                              "times");
    return 0;
}

// --- a case

static void case_init(struct whatif_case *asked)
{
    *asked = (struct whatif_case){
        .settings = SCENARIO_UNCHANGED,
        .latency_ns = PAG_NOT_KNOWN,
        .eager_bytes = PAG_NOT_KNOWN,
        .rebalance = {NULL, PAG_NOT_KNOWN, PAG_NOT_KNOWN, PAG_NOT_KNOWN, PAG_NOT_KNOWN},
    };
}

static void case_release(struct whatif_case *asked)
{
    scenario_release(&asked->scenario);
    machine_release(&asked->machine);
    policy_release(&asked->policy);
    FREE_MEMBERS(asked->values, asked->n_values, name, value);
    FREE_ALL(asked->values, asked->given, asked->words);
    memory_free_each(asked->kept, asked->n_kept);
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
    size_t n;
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

/// PLAN gets the N options WORDS, in the order of the rows, and AXES an axis for each; of one that
/// is not repeated the last word counts.
static int arrange(struct whatif_plan *plan, struct axes *axes, const struct advice_word *words,
                   size_t n, struct error *err)
{
    for (size_t k = 0; k < n; k++)
        if (!whatif_option_find(words[k].option, err))
            return -1;
    plan->words = memory_zeroed(n + 1, sizeof *plan->words);
    axes->items = memory_zeroed(n + 1, sizeof *axes->items);
    for (size_t i = 0; row_at(i); i++) {
        const struct whatif_option *option = row_at(i);
        size_t n_before = axes->n;
        for (size_t k = 0; k < n; k++) {
            if (strcmp(words[k].option, option->name) != 0)
                continue;
            axes->n = is_repeated(option) ? axes->n : n_before;
            plan->words[axes->n] = words[k];
            axes->items[axes->n++] = axis_of(option, words[k].value);
        }
    }
    plan->n_words = axes->n;
    return 0;
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

/// Value INDEX of AXIS into ASKED; WORD becomes the option with this value only.
static int read_value(struct whatif_case *asked, const struct axis *axis, size_t index,
                      struct advice_word *word, struct error *err)
{
    const struct whatif_option *option = axis->option;
    char *value = axis->text ? value_at(axis, index) : memory_copy_text("yes"), *text = NULL;
    if (axis->text)
        text = whatif_case_keep(
            asked, memory_format("%.*s%s", (int)axis->prefix_bytes, axis->text, value));
    *word = (struct advice_word){(char *)option->name, text};
    asked->values[asked->n_values++] =
        (struct whatif_value){option, value_name(axis), value, axis->n_values > 1};
    if (axis->n_values > 1 && *value == '\0')
        return error_set(err, "--%s %s: a value of the list is empty", option->name, axis->text);
    return option->read(option, text, asked, err);
}

/// Case INDEX of N.
static int fill_case(struct whatif_case *asked, const struct axes *axes, size_t index, size_t n,
                     struct error *err)
{
    asked->values = memory_zeroed(axes->n, sizeof *asked->values);
    asked->given = memory_zeroed(axes->n, sizeof *asked->given);
    for (size_t i = 0; i < axes->n; i++) {
        const struct axis *axis = &axes->items[i];
        n /= axis->n_values;
        if (read_value(asked, axis, index / n % axis->n_values, &asked->given[i], err) != 0)
            return -1;
    }
    asked->words = advice_words_text(asked->given, axes->n);
    return 0;
}

// --- the plan

/// What is wrong with values together, or with several of an option. 0, or -1 and ERR.
static int check_plan(const struct whatif_plan *plan, const struct axes *axes, struct error *err)
{
    const struct scenario_settings *settings = &plan->cases[0].settings;
    if (placement_check(settings->places, settings->n_places, err) != 0)
        return -1;
    if (plan->cases[0].n_draws > 0 && plan->estimate)
        return error_set(err, "--draws and --%s: only simulated runs have draws, no estimates",
                         plan->estimate);
    if (plan->cases[0].wants_parts && plan->estimate)
        return error_set(err, "--network-parts and --%s: only simulated runs have a network",
                         plan->estimate);
    if (!plan->is_list)
        return 0;
    if (plan->cases[0].n_tolerances > 0)
        return error_set(err, "--tolerance is found for one prediction: give no option several "
                              "values");
    if (plan->cases[0].wants_parts)
        return error_set(err, "--network-parts is of one prediction: give no option several "
                              "values");
    for (size_t i = 0; i < axes->n; i++)
        if (strcmp(axes->items[i].option->name, "map") == 0 && strstr(axes->items[i].text, "auto"))
            return error_set(err, "--map auto searches for one prediction: give no option several "
                                  "values");
    return 0;
}

static int fill_plan(struct whatif_plan *plan, const struct axes *axes, struct error *err)
{
    size_t n = 1;
    for (size_t i = 0; i < axes->n && n <= MAX_POINTS; i++)
        n *= axes->items[i].n_values;
    if (n > MAX_POINTS)
        return error_set(err, "more than %d combinations of values", MAX_POINTS);
    plan->change = advice_words_text(plan->words, plan->n_words);
    for (size_t i = 0; i < axes->n; i++)
        if (axes->items[i].option->is_estimate)
            plan->estimate = axes->items[i].option->name;
    plan->is_list = n > 1;
    plan->cases = memory_zeroed(n, sizeof *plan->cases);
    for (size_t i = 0; i < n; i++) {
        case_init(&plan->cases[plan->n_cases++]);
        if (fill_case(&plan->cases[i], axes, i, n, err) != 0)
            return -1;
    }
    return 0;
}

int whatif_plan_read(struct whatif_plan *plan, const struct advice_word *words, size_t n,
                     struct error *err)
{
    struct axes axes = {0};
    *plan = (struct whatif_plan){0};
    int status = arrange(plan, &axes, words, n, err);
    if (status == 0)
        status = check_options(plan, err);
    if (status == 0)
        status = fill_plan(plan, &axes, err);
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
    const char *slowdown = plan->cases[0].slowdown_file; // nor of these
    if (slowdown && slowdown_read(&plan->slowdown, slowdown, err) != 0)
        return -1;
    const char *speeds = plan->cases[0].speeds_file;
    if (speeds && machine_read(&plan->speeds, speeds, err) != 0)
        return -1;
    for (size_t i = 0; i < plan->n_cases; i++) {
        plan->cases[i].settings.slowdown = slowdown ? &plan->slowdown : NULL;
        plan->cases[i].settings.speeds = speeds ? &plan->speeds : NULL;
    }
    for (size_t i = 0; i < plan->n_cases; i++)
        if (whatif_use_machine(&plan->cases[i], &plan->machine, err) != 0 ||
            whatif_read_policy(&plan->cases[i], err) != 0)
            return -1;
    plan->has_files = true;
    return 0;
}

/// Whether an option of PLAN changes more than how ranks wait and what recording cost.
static bool has_changes(const struct whatif_plan *plan)
{
    static const char *const others[] = {"untraced", "wait", "slice", "buffered"};
    for (size_t i = 0; i < plan->n_words; i++)
        if (!HAS_TEXT(others, 4, plan->words[i].option))
            return true;
    return false;
}

/// The runs that predictions are compared with. 0, or -1 and ERR.
static int prepare_unchanged(struct whatif_plan *plan, const struct definitions *definitions,
                             struct error *err)
{
    const struct scenario_settings *first = &plan->cases[0].settings;
    scenario_release(&plan->unchanged);
    scenario_release(&plan->untraced);
    plan->unchanged_settings = SCENARIO_UNCHANGED;
    plan->unchanged_settings.spins = first->spins;
    plan->unchanged_settings.slice_ns = scenario_slice_ns(first);
    plan->unchanged_settings.buffered_bytes = scenario_buffered_bytes(first);
    plan->untraced_settings = plan->unchanged_settings;
    plan->untraced_settings.is_untraced = true;
    // A user who asks for nothing else wants it compared with the measured run.
    plan->has_untraced_base = first->is_untraced && (plan->assumes_untraced || has_changes(plan));
    if (scenario_init(&plan->unchanged, definitions, &plan->unchanged_settings, err) != 0)
        return -1;
    return plan->has_untraced_base
               ? scenario_init(&plan->untraced, definitions, &plan->untraced_settings, err)
               : 0;
}

int whatif_plan_prepare(struct whatif_plan *plan, const struct definitions *definitions,
                        struct error *err)
{
    if (plan->is_prepared)
        return 0;
    if (whatif_plan_read_files(plan, err) != 0)
        return -1;
    if (prepare_unchanged(plan, definitions, err) != 0)
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

int whatif_plan_change(struct whatif_plan *plan, const struct advice_word *words, size_t n,
                       const struct definitions *definitions, struct error *err)
{
    SCOPED_BY(whatif_plan_release) struct whatif_plan before = *plan;
    int status = whatif_plan_read(plan, words, n, err);
    plan->assumes_spinning = before.assumes_spinning;
    plan->assumes_slices = before.assumes_slices;
    plan->assumes_untraced = before.assumes_untraced;
    return status == 0 ? whatif_plan_prepare(plan, definitions, err) : -1;
}

int whatif_plan_complete(struct whatif_plan *plan, const struct replay_run *measured,
                         struct error *err)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    int status = whatif_plan_prepare(plan, definitions, err);
    SCOPED struct advice_word *words = memory_zeroed(plan->n_words + 3, sizeof *words);
    for (size_t i = 0; i < plan->n_words; i++)
        words[i] = plan->words[i];
    size_t n = status == 0 ? whatif_assume_sharing(plan, measured, words, plan->n_words) : 0;
    plan->assumes_untraced = status == 0 && whatif_assume_untraced(plan, measured);
    if (plan->assumes_untraced)
        words[n++] = (struct advice_word){(char *)"untraced", NULL};
    if (n > plan->n_words)
        status = whatif_plan_change(plan, words, n, definitions, err);
    return status;
}

void whatif_plan_release(struct whatif_plan *plan)
{
    for (size_t i = 0; i < plan->n_cases; i++)
        case_release(&plan->cases[i]);
    scenario_release(&plan->unchanged);
    scenario_release(&plan->untraced);
    machine_release(&plan->machine);
    machine_release(&plan->speeds);
    slowdown_release(&plan->slowdown);
    FREE_ALL(plan->words, plan->cases, plan->change);
    *plan = (struct whatif_plan){0};
}
