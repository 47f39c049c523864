// SPDX-License-Identifier: BSD-3-Clause
// Impossible points (see skip.h).
#include "analyzer/sweep/skip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// The formula's variables are the parameters it uses; without any, all that it could use, for the
/// message about a wrong name.
static int find_parameters(struct sweep_skip *skip, const struct sweep_plan *plan,
                           struct error *err)
{
    for (size_t i = 0; i < plan->n_parameters; i++) {
        const char *name = plan->parameters[i].name;
        if (strchr(name, '-') || !formula_uses(skip->when, name))
            continue;
        if (skip->n_parameters == FORMULA_MAX_VARIABLES)
            return error_set(err, "the condition %s has more than %d parameters", skip->when,
                             FORMULA_MAX_VARIABLES);
        skip->parameters[skip->n_parameters++] = i;
    }
    if (skip->n_parameters > 0)
        return 0;
    for (size_t i = 0; i < plan->n_parameters && skip->n_parameters < FORMULA_MAX_VARIABLES; i++)
        if (!strchr(plan->parameters[i].name, '-'))
            skip->parameters[skip->n_parameters++] = i;
    return 0;
}

int sweep_skips_add(struct sweep_skips *skips, const struct sweep_plan *plan, const char *when,
                    const char *reason, struct error *err)
{
    const char *names[FORMULA_MAX_VARIABLES];
    skips->items =
        array_reserve(skips->items, &skips->capacity, skips->n + 1, sizeof *skips->items);
    struct sweep_skip *skip = &skips->items[skips->n++];
    *skip = (struct sweep_skip){.when = memory_copy_text(when),
                                .reason = memory_copy_text(reason ? reason : "")};
    if (find_parameters(skip, plan, err) != 0)
        return -1;
    for (size_t i = 0; i < skip->n_parameters; i++)
        names[i] = plan->parameters[skip->parameters[i]].name;
    skip->formula = formula_new(when, names, skip->n_parameters, err);
    return skip->formula ? 0 : -1;
}

static bool holds(const struct sweep_skip *skip, const struct sweep_point *point)
{
    double values[FORMULA_MAX_VARIABLES];
    for (size_t i = 0; i < skip->n_parameters; i++) {
        const char *text = point->values[skip->parameters[i]];
        char *end = NULL;
        values[i] = text ? strtod(text, &end) : 0;
        if (!text || end == text || *end)
            return false;
    }
    double value = formula_value(skip->formula, values);
    return value != 0 && !isnan(value);
}

const struct sweep_skip *sweep_skips_find(const struct sweep_skips *skips,
                                          const struct sweep_point *point)
{
    for (size_t i = 0; i < skips->n; i++)
        if (holds(&skips->items[i], point))
            return &skips->items[i];
    return NULL;
}

void sweep_skips_release(struct sweep_skips *skips)
{
    for (size_t i = 0; i < skips->n; i++) {
        free(skips->items[i].when);
        free(skips->items[i].reason);
        formula_free(skips->items[i].formula);
    }
    free(skips->items);
    *skips = (struct sweep_skips){0};
}
