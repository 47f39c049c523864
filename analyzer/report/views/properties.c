// SPDX-License-Identifier: BSD-3-Clause
// Properties that are critical in a run (pagoda replay --properties).
#include "analyzer/result/properties/property_search.h"

#include <inttypes.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"

static const struct property_node *node_of(const struct property_search *search,
                                           const struct result_property *property)
{
    return &search->hierarchy->nodes[property->node];
}

static const char *name_of(const struct property_search *search, uint32_t node)
{
    return search->properties->items[search->hierarchy->nodes[node].property].name;
}

static void print_found(const struct property_search *search, size_t n,
                        const struct text_options *options, FILE *stream)
{
    struct table table = {0};
    size_t n_found = search->found.n_found;
    table_add_columns(&table, "severity", "sure", "<property", "<where");
    for (size_t i = 0; i < n; i++) {
        const struct result_property *property = &search->found.found[i];
        SCOPED char *where = part_text(search->result, &property->in, "the program");
        table_add_cells(&table, quantity_share(property->severity).text,
                        quantity_format("%.0f %%", 100 * property->confidence).text, property->name,
                        where);
    }
    table_print(&table, 2, options->cuts_lines ? options->width : 0, stream);
    if (n_found > n)
        fprintf(stream, "  %zu more: --top N or --json shows them\n", n_found - n);
}

static const char *const states[] = {[RESULT_PROPERTY_NEW] = "new",
                                     [RESULT_PROPERTY_GONE] = "holds no longer",
                                     [RESULT_PROPERTY_CHANGED] = "severity"};

static void print_changes(const struct property_search *search, const struct text_options *options,
                          FILE *stream)
{
    const struct result_search *found = &search->found;
    struct table table = {0};
    size_t n = found->n_changes < options->top ? found->n_changes : options->top;
    fprintf(stream, "\nsince the trial %s (%s)", found->last,
            quantity_count(found->last_ranks, "rank").text);
    if (n == 0) {
        fprintf(stream, " no property is new, holds no longer or has a severity 1 %% larger or "
                        "smaller\n");
        return;
    }
    fputs(":\n", stream);
    table_add_columns(&table, "<change", "before", "now", "<property", "<where");
    for (size_t i = 0; i < n; i++) {
        const struct result_property_change *change = &found->changes[i];
        SCOPED char *where = change->where ? memory_copy_text(change->where)
                                           : part_text(search->result, &change->in, "the program");
        table_add_cells(&table, states[change->state], quantity_share(change->before).text,
                        quantity_share(change->now).text, change->name, where);
    }
    table_print(&table, 2, options->cuts_lines ? options->width : 0, stream);
    if (found->n_changes > n)
        fprintf(stream, "  %zu more: --top N or --json shows them\n", found->n_changes - n);
}

/// How early the first N were found.
static void print_order(const struct result_search *found, size_t n, FILE *stream)
{
    uint64_t n_made = 0, n_without = 0;
    for (size_t i = 0; i < n; i++) {
        const struct result_property *property = &found->found[i];
        n_made = property->n_evaluations > n_made ? property->n_evaluations : n_made;
        n_without = property->n_without_past > n_without ? property->n_without_past : n_without;
    }
    fprintf(stream,
            "with %s the first %zu were found by %" PRIu64 " evaluations, without by %" PRIu64 "\n",
            quantity_count(found->n_trials, "earlier trial").text, n, n_made, n_without);
}

void text_print_properties(const struct property_search *search, const struct text_options *options,
                           FILE *stream)
{
    const struct result_search *found = &search->found;
    uint64_t n_all = found->n_evaluated + found->n_saved;
    size_t n = found->n_found < options->top ? found->n_found : options->top;
    fprintf(stream, "trace %s: properties of the hierarchy %s\n\n", search->result->trace_path,
            search->hierarchy->id);
    if (found->n_found > 0)
        print_found(search, n, options, stream);
    else
        fprintf(stream, "  no property reaches its threshold\n");
    if (found->last)
        print_changes(search, options, stream);
    fprintf(stream, "\n%" PRIu64 " of %" PRIu64 " evaluations were made", found->n_evaluated,
            n_all);
    if (found->prunes)
        fprintf(stream, "; pruning saved %" PRIu64 " (%s)", found->n_saved,
                quantity_part((double)found->n_saved, (double)n_all).text);
    fputc('\n', stream);
    if (found->last && n > 0)
        print_order(found, n, stream);
    for (size_t i = 0; i < found->n_gaps; i++)
        fprintf(stream, "%s cannot be evaluated: needs %s\n", found->gaps[i].name,
                found->gaps[i].needs);
}

static json_t *property_object(const struct property_search *search,
                               const struct result_property *property)
{
    const struct property_node *node = node_of(search, property);
    const struct asl_property *asl = &search->properties->items[node->property];
    json_t *focus =
        json_put_part(JSON_OBJECT({"kind", json_string(property_focus_names[asl->focus])}),
                      search->result, &property->in);
    json_t *object = JSON_OBJECT(
        {"property", json_text(property->name)},
        {"below",
         node->parent == NODE_NONE ? json_null() : json_text(name_of(search, node->parent))},
        {"focus", focus}, JSON_NUMBER(property, severity), JSON_NUMBER(property, confidence),
        JSON_NUMBER(node, threshold), {"basis", json_string(property_basis_names[node->basis])});
    return JSON_PUT(object, JSON_COUNT(property, n_evaluations),
                    JSON_COUNT(property, n_without_past), JSON_NUMBER(property, severity_before));
}

static json_t *change_object(const struct property_search *search,
                             const struct result_property_change *change)
{
    static const char *const keys[] = {[RESULT_PROPERTY_NEW] = "new",
                                       [RESULT_PROPERTY_GONE] = "gone",
                                       [RESULT_PROPERTY_CHANGED] = "changed"};
    return JSON_OBJECT(
        {"state", json_string(keys[change->state])}, {"property", json_text(change->name)},
        {"focus", json_put_part(json_object(), search->result, &change->in)},
        JSON_TEXT_OR_NULL(change, where), JSON_NUMBER(change, before), JSON_NUMBER(change, now));
}

static json_t *gap_object(const struct result_property_gap *gap)
{
    return JSON_OBJECT({"property", json_text(gap->name)}, JSON_TEXT(gap, needs));
}

void json_print_properties(const struct property_search *search, FILE *stream)
{
    const struct result_search *found = &search->found;
    json_t *past = JSON_OBJECT(
        {"trials", json_count(found->n_trials)}, JSON_TEXT_OR_NULL(found, last),
        {"ranks", found->last ? json_count(found->last_ranks) : json_null()},
        {"changes", JSON_EACH(k, found->n_changes, change_object(search, &found->changes[k]))});
    JSON_PRINT(
        stream, JSON_FORMAT, {"trace", json_text(search->result->trace_path)},
        {"warnings", json_warnings(search->result->warnings, search->result->n_warnings)},
        {"hierarchy", json_text(search->hierarchy->id)}, JSON_FLAG(found, prunes),
        {"evaluated", json_count(found->n_evaluated)}, {"saved", json_count(found->n_saved)},
        {"properties", JSON_EACH(i, found->n_found, property_object(search, &found->found[i]))},
        {"not_evaluated", JSON_EACH(k, found->n_gaps, gap_object(&found->gaps[k]))},
        {"earlier", past});
}
