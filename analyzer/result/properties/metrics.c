// SPDX-License-Identifier: BSD-3-Clause
// Metrics that files define, of each part of a run they are asked of and of each rank there.
#include "analyzer/result/properties/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/owned.h"
#include "analyzer/result/properties/property_search.h"

struct collecting {
    struct property_evaluation evaluation;
    bool is_by_rank; // as well as of all ranks
    struct result_metric *to;
    size_t capacity; // of its values
};

static void put_value(struct collecting *c)
{
    const struct property_evaluation *e = &c->evaluation;
    double value;
    if (!expression_value(&e->property->value, e->slots, &value) || !isfinite(value) ||
        fpclassify(value) == FP_ZERO)
        return;
    *ARRAY_NEXT(c->to->values, c->to->n_values, c->capacity) =
        (struct result_metric_value){e->focus, value};
}

/// Whether METRIC means something of one rank in a place: all that it takes of the place is known
/// by rank. An operation on a set is about several ranks, or parts of the place.
static bool is_by_rank(const struct asl_property *metric)
{
    bool is_of_place = false;
    for (size_t i = 0; i < metric->n_slots; i++) {
        const struct property_slot *slot = &metric->slots[i];
        if (slot->kind == SLOT_SET ||
            (slot->is_of_focus && !(property_metric_known_by(slot->metric) & BY_RANK)))
            return false;
        is_of_place |= slot->is_of_focus;
    }
    return is_of_place && metric->focus != FOCUS_rank && metric->focus != FOCUS_node;
}

static void collect_at(struct collecting *c, const struct result_part *focus)
{
    const struct result *result = c->evaluation.result;
    c->evaluation.focus = *focus;
    property_evaluate(&c->evaluation);
    put_value(c);
    for (uint32_t i = 0; c->is_by_rank && i < result->n_ranks; i++) {
        if (result->ranks[i].is_skipped)
            continue;
        property_evaluate_rank(&c->evaluation, i);
        put_value(c);
    }
}

static void collect_metric(const struct asl_property *metric, struct property_values *values,
                           const struct result *result, struct result_metric *to)
{
    const struct result_part everything = RESULT_PART_ALL;
    struct collecting c = {
        .evaluation = {.values = values, .result = result, .property = metric},
        .is_by_rank = is_by_rank(metric),
        .to = to,
    };
    property_evaluation_begin(&c.evaluation);
    collect_at(&c, &everything);
    for (uint32_t i = 0;
         metric->focus != FOCUS_program && i < property_n_foci(result, metric->focus); i++) {
        struct result_part focus = property_focus_at(metric->focus, i);
        collect_at(&c, &focus);
    }
}

void metrics_collect(const struct property_list *properties, struct result *result)
{
    struct property_values *values = NULL;
    struct owned walk = {.purpose = OWNED_FREE};
    result_metrics_owned(&walk, result);
    owned_end(&walk);
    result->metrics = NULL;
    result->n_metrics = 0;
    for (size_t i = 0; i < properties->n; i++) {
        const struct asl_property *metric = &properties->items[i];
        char *needs = metric->unit ? property_needs(result, metric, false) : NULL;
        struct result_metric collected = {.needs = needs};
        if (metric->unit && !needs) {
            values = values ? values : property_values_new(result);
            collect_metric(metric, values, result, &collected);
        }
        if (!metric->unit || (metric->is_shipped && collected.n_values == 0)) {
            free(needs);
            continue;
        }
        collected.name = memory_copy_text(metric->name);
        collected.unit = memory_copy_text(metric->unit);
        collected.summary = memory_copy_text(metric->summary);
        collected.focus = memory_copy_text(property_focus_names[metric->focus]);
        *ARRAY_EXTEND(result->metrics, result->n_metrics) = collected;
    }
    if (values)
        property_values_free(values);
}
