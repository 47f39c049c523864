// SPDX-License-Identifier: BSD-3-Clause
// Properties and their hierarchies, as `pagoda explain` shows them.
#include "analyzer/pattern/properties/hierarchy.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"
#include "analyzer/report/views/views.h"

enum { FOCUS_COLUMNS = 11, LABEL_COLUMNS = 16 };

/// Those with a value, or those with a severity.
static void list_properties(const struct known *known, bool are_metrics, size_t columns,
                            size_t width, FILE *stream)
{
    for (size_t i = 0; i < known->n_properties; i++) {
        const struct asl_property *property = &known->property[i];
        size_t indent = columns + FOCUS_COLUMNS;
        if ((property->unit != NULL) != are_metrics)
            continue;
        fprintf(stream, "%-*s%-*s", (int)columns, property->name, FOCUS_COLUMNS,
                property_focus_names[property->focus]);
        print_paragraph(property->summary[0] ? property->summary : "(no comment)", indent, indent,
                        width, stream);
    }
}

void property_page_list(const struct known *known, size_t width, FILE *stream)
{
    size_t columns = 0, n_metrics = 0;
    for (size_t i = 0; i < known->n_properties; i++) {
        columns = list_column(columns, known->property[i].name);
        n_metrics += known->property[i].unit != NULL;
    }
    list_properties(known, false, columns, width, stream);
    if (n_metrics > 0)
        fprintf(stream, "%sMetrics that files define\n\n",
                n_metrics < known->n_properties ? "\n" : "");
    list_properties(known, true, columns, width, stream);
    if (known->hierarchies)
        fprintf(stream, "\nHierarchies of properties\n\n");
    for (size_t i = 0; i < known->n_hierarchies; i++)
        print_labelled(known->hierarchies[i].id, columns, known->hierarchies[i].summary, width,
                       stream);
    SCOPED char *metrics = spelling_list(property_metric_names, N_PROPERTY_METRICS);
    fprintf(stream, "\nMetrics that a property may use, besides wait states such as late_sender\n"
                    "and counters such as \"PAPI_TOT_INS\"\n\n");
    print_paragraph(metrics, 0, 0, width, stream);
}

/// The hierarchies with PROPERTY, separated by commas; NULL without.
static char *hierarchies_of(const struct known *known, const struct asl_property *property)
{
    char *text = NULL;
    for (size_t i = 0; i < known->all_hierarchies->n; i++) {
        const struct hierarchy *hierarchy = &known->all_hierarchies->items[i];
        for (size_t k = 0; k < hierarchy->n_nodes; k++) {
            if (&known->properties->items[hierarchy->nodes[k].property] != property)
                continue;
            text_append(&text, "%s%s", text ? ", " : "", hierarchy->id);
            break;
        }
    }
    return text;
}

void property_page_one(const struct known *known, size_t width, FILE *stream)
{
    const struct asl_property *property = known->property;
    SCOPED char *hierarchies = hierarchies_of(known, property);
    fprintf(stream, "%s\n", property->name);
    print_paragraph(property->summary, 0, 0, width, stream);
    fprintf(stream, "\n%s\n\n", property->text);
    print_labelled("asked of", LABEL_COLUMNS, property_focus_names[property->focus], width, stream);
    if (hierarchies)
        print_labelled("hierarchies", LABEL_COLUMNS, hierarchies, width, stream);
    print_labelled("read from", LABEL_COLUMNS, property->file, width, stream);
}

void hierarchy_page_one(const struct known *known, size_t width, FILE *stream)
{
    const struct hierarchy *hierarchy = known->hierarchies;
    fprintf(stream, "%s\n", hierarchy->name);
    print_paragraph(hierarchy->summary, 0, 0, width, stream);
    fputc('\n', stream);
    struct table table = {0};
    table_add_columns(&table, "<property", "threshold", "<basis");
    for (size_t i = 0; i < hierarchy->n_nodes; i++) {
        const struct property_node *node = &hierarchy->nodes[i];
        table_add_cell(&table, "%*s%s", (int)(2 * node->depth), "",
                       known->properties->items[node->property].name);
        table_add_cells(&table, quantity_share(node->threshold).text,
                        property_basis_names[node->basis]);
    }
    table_print(&table, 0, 0, stream);
    fputc('\n', stream);
    print_labelled("read from", LABEL_COLUMNS, hierarchy->file, width, stream);
}

static json_t *property_object(const struct asl_property *property)
{
    return JSON_OBJECT(
        JSON_TEXT(property, name), {"focus", json_string(property_focus_names[property->focus])},
        {"unit", property->unit ? json_text(property->unit) : json_null()},
        JSON_TEXT_OR_NULL(property, summary), JSON_TEXT(property, text), JSON_TEXT(property, file));
}

static json_t *node_object(const struct known *known, const struct property_node *node)
{
    return JSON_OBJECT({"property", json_text(known->properties->items[node->property].name)},
                       JSON_COUNT(node, depth), JSON_NUMBER(node, threshold),
                       {"basis", json_string(property_basis_names[node->basis])});
}

static json_t *hierarchy_object(const struct known *known, const struct hierarchy *hierarchy)
{
    return JSON_OBJECT(
        JSON_TEXT(hierarchy, id), JSON_TEXT(hierarchy, name), JSON_TEXT(hierarchy, summary),
        {"nodes", JSON_EACH(k, hierarchy->n_nodes, node_object(known, &hierarchy->nodes[k]))},
        JSON_TEXT(hierarchy, file));
}

json_t *json_known_properties(const struct known *known)
{
    return JSON_EACH(i, known->n_properties, property_object(&known->property[i]));
}

json_t *json_known_hierarchies(const struct known *known)
{
    return JSON_EACH(i, known->n_hierarchies, hierarchy_object(known, &known->hierarchies[i]));
}
