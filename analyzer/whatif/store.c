// SPDX-License-Identifier: BSD-3-Clause
// The settings of each prediction become parameters of its trial (see store.h).
#include "analyzer/whatif/store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/cmd/named_values.h"

struct parameters {
    struct result_named *items;
    size_t n;
};

/// Adds a parameter; the values of an option given several times are put together.
static void add(struct parameters *parameters, const char *name, const char *value)
{
    for (size_t i = 0; i < parameters->n; i++) {
        struct result_named *item = &parameters->items[i];
        if (strcmp(item->name, name) != 0)
            continue;
        char *both = memory_format("%s %s", item->value, value);
        free(item->value);
        item->value = both;
        return;
    }
    parameters->items[parameters->n++] =
        (struct result_named){memory_copy_text(name), memory_copy_text(value)};
}

static bool has(const struct store_names *names, const char *name)
{
    for (size_t i = 0; i < names->n_parameters; i++)
        if (strcmp(names->parameters[i].name, name) == 0)
            return true;
    return false;
}

/// The user's own parameters, and the settings of SET that are none of these.
static struct parameters parameters_of(const struct whatif_set *set,
                                       const struct store_names *names)
{
    size_t n_most = names->n_parameters + set->n_values;
    struct parameters parameters = {.items = memory_zeroed(n_most, sizeof *parameters.items)};
    for (size_t i = 0; i < set->n_values; i++)
        if (!has(names, set->values[i].name))
            add(&parameters, set->values[i].name, set->values[i].value);
    for (size_t i = 0; i < names->n_parameters; i++)
        add(&parameters, names->parameters[i].name, names->parameters[i].value);
    return parameters;
}

int whatif_store(const char *database, const struct whatif_plan *plan,
                 const struct whatif_report *report, const struct result *measured,
                 const struct store_names *names, struct error *err)
{
    struct store_prediction *predictions = memory_zeroed(plan->n_sets, sizeof *predictions);
    struct parameters *parameters = memory_zeroed(plan->n_sets, sizeof *parameters);
    bool is_named = names->trial && names->trial[0];
    for (size_t i = 0; i < plan->n_sets; i++) {
        const struct whatif_set *set = &plan->sets[i];
        parameters[i] = parameters_of(set, names);
        predictions[i] = (struct store_prediction){
            .result = plan->is_list ? &report->results[i] : &report->predicted,
            .names = *names,
            .change = set->words,
        };
        predictions[i].names.parameters = parameters[i].items;
        predictions[i].names.n_parameters = parameters[i].n;
        if (!is_named || plan->is_list)
            predictions[i].names.suffix = set->words;
    }
    struct store_names measured_names = *names;
    measured_names.trial = NULL;
    measured_names.n_parameters -= names->n_predicted_only;
    int status = store_predictions(database, measured, &measured_names, predictions, plan->n_sets,
                                   whatif_change(report->baseline_ns, report->replayed_ns), err);
    for (size_t i = 0; i < plan->n_sets; i++)
        named_values_free(parameters[i].items, parameters[i].n);
    free(parameters);
    free(predictions);
    return status;
}
