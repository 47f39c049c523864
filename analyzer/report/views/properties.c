// SPDX-License-Identifier: BSD-3-Clause
// Properties that are critical in a run (pagoda replay --properties).
#include "analyzer/result/properties/property_search.h"

#include <inttypes.h>
#include <stdlib.h>

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

/// "rank 3", "main/solve"; the caller frees.
static char *focus_text(const struct property_search *search, const struct property_focus *focus)
{
    const struct result *result = search->result;
    if (focus->region != RESULT_NONE)
        return memory_copy_text(result->regions[focus->region].shown);
    if (focus->path != RESULT_NONE)
        return memory_copy_text(result->paths[focus->path].shown);
    if (focus->rank != RESULT_NONE)
        return memory_format("rank %" PRIu32, focus->rank);
    if (focus->node != RESULT_NONE)
        return memory_format("node %s", result->nodes[focus->node].name);
    if (focus->iteration == RESULT_NONE)
        return memory_copy_text("the program");
    const struct result_iteration *item = &result->iterations.items[focus->iteration];
    return item->first == item->last
               ? memory_format("iteration %" PRIu64, item->first)
               : memory_format("iterations %" PRIu64 "-%" PRIu64, item->first, item->last);
}

static void print_instances(const struct property_search *search,
                            const struct text_options *options, FILE *stream)
{
    struct table table = {0};
    size_t n = search->n_instances < options->top ? search->n_instances : options->top;
    table_add_columns(&table, "severity", "sure", "<property", "<where");
    for (size_t i = 0; i < n; i++) {
        const struct property_instance *instance = &search->instances[i];
        char *where = focus_text(search, &instance->focus);
        table_add_cell(&table, "%s", quantity_share(instance->severity).text);
        table_add_cell(&table, "%s", quantity_format("%.0f %%", 100 * instance->confidence).text);
        table_add_cell(&table, "%s", name_of(search, instance->node));
        table_add_cell(&table, "%s", where);
        free(where);
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

static json_t *number_json(uint32_t number)
{
    return number == RESULT_NONE ? json_null() : json_count(number);
}

static json_t *focus_object(const struct property_search *search,
                            const struct property_instance *instance)
{
    const struct result *result = search->result;
    const struct property_focus *focus = &instance->focus;
    const struct result_iteration *item =
        focus->iteration == RESULT_NONE ? NULL : &result->iterations.items[focus->iteration];
    const struct asl_property *property =
        &search->properties->items[node_of(search, instance)->property];
    return JSON_OBJECT(
        {"kind", json_string(property_focus_names[property->focus])},
        {"region", focus->region == RESULT_NONE ? json_null()
                                                : json_text(result->regions[focus->region].name)},
        {"path",
         focus->path == RESULT_NONE ? json_null() : json_text(result->paths[focus->path].path)},
        {"rank", number_json(focus->rank)},
        {"node",
         focus->node == RESULT_NONE ? json_null() : json_text(result->nodes[focus->node].name)},
        {"first", item ? json_count(item->first) : json_null()},
        {"last", item ? json_count(item->last) : json_null()});
}

static json_t *instance_object(const void *of, size_t i)
{
    const struct property_search *search = of;
    const struct property_instance *instance = &search->instances[i];
    const struct property_node *node = node_of(search, instance);
    return JSON_OBJECT(
        {"property", json_text(name_of(search, instance->node))},
        {"below",
         node->parent == NODE_NONE ? json_null() : json_text(name_of(search, node->parent))},
        {"focus", focus_object(search, instance)}, {"severity", json_number(instance->severity)},
        {"confidence", json_number(instance->confidence)},
        {"threshold", json_number(node->threshold)},
        {"basis", json_string(property_basis_names[node->basis])});
}

static json_t *gap_object(const void *of, size_t i)
{
    const struct property_search *search = of;
    return JSON_OBJECT(
        {"property", json_text(search->properties->items[search->gaps[i].property].name)},
        {"needs", json_text(search->gaps[i].needs)});
}

void json_print_properties(const struct property_search *search, FILE *stream)
{
    JSON_PRINT(
        stream, JSON_FORMAT, {"trace", json_text(search->result->trace_path)},
        {"warnings", json_warnings(search->result)},
        {"hierarchy", json_text(search->hierarchy->id)}, {"prunes", json_boolean(search->prunes)},
        {"evaluated", json_count(search->n_evaluated)}, {"saved", json_count(search->n_saved)},
        {"properties", json_list(search->n_instances, instance_object, search)},
        {"not_evaluated", json_list(search->n_gaps, gap_object, search)});
}
