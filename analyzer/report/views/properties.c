// SPDX-License-Identifier: BSD-3-Clause
// Properties that are critical in a run (pagoda replay --properties).
#include "analyzer/result/properties/property_search.h"

#include <inttypes.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"

static const struct property_node *node_of(const struct property_search *search,
                                           const struct property_instance *instance)
{
    return &search->hierarchy->nodes[instance->node];
}

static const char *name_of(const struct property_search *search, uint32_t node)
{
    return search->properties->items[search->hierarchy->nodes[node].property].name;
}

static void print_instances(const struct property_search *search,
                            const struct text_options *options, FILE *stream)
{
    struct table table = {0};
    size_t n = search->n_instances < options->top ? search->n_instances : options->top;
    table_add_columns(&table, "severity", "sure", "<property", "<where");
    for (size_t i = 0; i < n; i++) {
        const struct property_instance *instance = &search->instances[i];
        SCOPED char *where = part_text(search->result, &instance->focus, "the program");
        table_add_cells(&table, quantity_share(instance->severity).text,
                        quantity_format("%.0f %%", 100 * instance->confidence).text,
                        name_of(search, instance->node), where);
    }
    table_print(&table, 2, options->cuts_lines ? options->width : 0, stream);
    if (search->n_instances > n)
        fprintf(stream, "  %zu more: --top N or --json shows them\n", search->n_instances - n);
}

void text_print_properties(const struct property_search *search, const struct text_options *options,
                           FILE *stream)
{
    uint64_t n_all = search->n_evaluated + search->n_saved;
    fprintf(stream, "trace %s: properties of the hierarchy %s\n\n", search->result->trace_path,
            search->hierarchy->id);
    if (search->n_instances > 0)
        print_instances(search, options, stream);
    else
        fprintf(stream, "  no property reaches its threshold\n");
    fprintf(stream, "\n%" PRIu64 " of %" PRIu64 " evaluations were made", search->n_evaluated,
            n_all);
    if (search->prunes)
        fprintf(stream, "; pruning saved %" PRIu64 " (%s)", search->n_saved,
                quantity_part((double)search->n_saved, (double)n_all).text);
    fputc('\n', stream);
    for (size_t i = 0; i < search->n_gaps; i++)
        fprintf(stream, "%s cannot be evaluated: needs %s\n",
                search->properties->items[search->gaps[i].property].name, search->gaps[i].needs);
}

static json_t *focus_object(const struct property_search *search,
                            const struct property_instance *instance)
{
    const struct asl_property *property =
        &search->properties->items[node_of(search, instance)->property];
    return json_put_part(JSON_OBJECT({"kind", json_string(property_focus_names[property->focus])}),
                         search->result, &instance->focus);
}

static json_t *instance_object(const struct property_search *search,
                               const struct property_instance *instance)
{
    const struct property_node *node = node_of(search, instance);
    return JSON_OBJECT({"property", json_text(name_of(search, instance->node))},
                       {"below", node->parent == NODE_NONE
                                     ? json_null()
                                     : json_text(name_of(search, node->parent))},
                       {"focus", focus_object(search, instance)}, JSON_NUMBER(instance, severity),
                       JSON_NUMBER(instance, confidence), JSON_NUMBER(node, threshold),
                       {"basis", json_string(property_basis_names[node->basis])});
}

static json_t *gap_object(const struct property_search *search, size_t i)
{
    return JSON_OBJECT(
        {"property", json_text(search->properties->items[search->gaps[i].property].name)},
        {"needs", json_text(search->gaps[i].needs)});
}

void json_print_properties(const struct property_search *search, FILE *stream)
{
    JSON_PRINT(stream, JSON_FORMAT, {"trace", json_text(search->result->trace_path)},
               {"warnings", json_warnings(search->result->warnings, search->result->n_warnings)},
               {"hierarchy", json_text(search->hierarchy->id)}, JSON_FLAG(search, prunes),
               {"evaluated", json_count(search->n_evaluated)},
               {"saved", json_count(search->n_saved)},
               {"properties",
                JSON_EACH(i, search->n_instances, instance_object(search, &search->instances[i]))},
               {"not_evaluated", JSON_EACH(k, search->n_gaps, gap_object(search, k))});
}
