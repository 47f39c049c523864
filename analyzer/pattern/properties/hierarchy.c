// SPDX-License-Identifier: BSD-3-Clause
// Reading hierarchies (hierarchy.h). Files stay as XML until all are read, for a hierarchy may use
// any other one.
#include "analyzer/pattern/properties/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/format/elements.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"

const char *const property_basis_names[N_PROPERTY_BASES] = {
#define NAME(name) #name,
    PROPERTY_BASES(NAME)
#undef NAME
};

static const double default_threshold = 0.02;
enum { MAX_NESTED = 16, MAX_NODES = 1000, MAX_USES = 1000 };

// ---- files

static void release(struct hierarchy *hierarchy)
{
    FREE_MEMBERS(hierarchy->nodes, hierarchy->n_nodes, settings);
    FREE_ALL(hierarchy->nodes, hierarchy->id, hierarchy->name, hierarchy->summary, hierarchy->file);
    xml_free(hierarchy->document);
}

/// Nodes come once all files are read.
static int leave(const struct element_reader *reader, const struct xml_element *element)
{
    (void)reader, (void)element;
    return 0;
}

static int read_hierarchy(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {{"node", leave}, {"use", leave}};
    struct hierarchy *hierarchy = reader->into;
    const struct element_field fields[] = {{"id", FIELD_ID, .value = &hierarchy->id}};
    const struct element_text texts[] = {{"name", .text = &hierarchy->name},
                                         {"summary", .text = &hierarchy->summary}};
    hierarchy->element = element;
    hierarchy->line = element->line;
    if (ELEMENT_READ(reader, element, fields) != 0 ||
        element_read_parts(reader, element, texts, 2, kinds, 2) != 0)
        return -1;
    return hierarchy->name && hierarchy->summary
               ? 0
               : XML_ERROR(reader, element, "hierarchy '%s' needs <name> and <summary>",
                           hierarchy->id);
}

/// Adds the hierarchy of a file, or replaces the one of the same id. Its nodes are not there yet.
/// 0, or -1 and ERR.
static int read_file(struct hierarchy_list *list, const char *path, struct error *err)
{
    struct hierarchy hierarchy = {.file = memory_copy_text(path)};
    const struct element_reader reader = {path, &hierarchy, err};
    if (element_read_file(&reader, "hierarchy", "hierarchy", read_hierarchy, &hierarchy.document) !=
        0) {
        release(&hierarchy);
        return -1;
    }
    NAMED_PUT(list->items, list->n, hierarchy, release);
    return 0;
}

/// The hierarchy of this id, or NULL.
static struct hierarchy *find(const struct hierarchy_list *list, const char *id)
{
    size_t at = NAMED_FIND(list->items, list->n, id);
    return at < list->n ? &list->items[at] : NULL;
}

void hierarchy_list_release(struct hierarchy_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        release(&list->items[i]);
    free(list->items);
    *list = (struct hierarchy_list){0};
}

// ---- nodes

struct linking {
    const struct hierarchy_list *list;
    const struct property_list *properties;
    struct hierarchy *to;
    uint32_t parent;                          // the node that what is read goes below
    const struct hierarchy *open[MAX_NESTED]; // those being used, the outermost first
    size_t n_open, n_uses;
};

static struct property_node *add_node(struct hierarchy *hierarchy, uint32_t property,
                                      uint32_t parent)
{
    struct property_node *node = ARRAY_EXTEND(hierarchy->nodes, hierarchy->n_nodes);
    *node = (struct property_node){
        .property = property, .parent = parent, .threshold = default_threshold};
    node->depth = parent == NODE_NONE ? 0 : hierarchy->nodes[parent].depth + 1;
    return node;
}

/// Adds at the top of HIERARCHY the property INDEX, with the threshold and basis of a node that
/// says nothing of them.
static void add_top(struct hierarchy *hierarchy, uint32_t index)
{
    add_node(hierarchy, index, NODE_NONE);
}

static int unknown_property(const struct element_reader *reader, const struct xml_element *element,
                            const char *name)
{
    const struct linking *l = reader->into;
    SCOPED const char **names = NAMED_NAMES(l->properties->items, l->properties->n);
    return XML_ERROR(reader, element, "there is no property '%s'%s", name,
                     spelling_hint(name, names, l->properties->n, "; did you mean '%s'?", "").text);
}

static int read_setting(const struct element_reader *reader, const struct xml_element *element)
{
    const struct linking *l = reader->into;
    struct property_node *node = &l->to->nodes[l->parent];
    const struct asl_property *property = &l->properties->items[node->property];
    const char *name = NULL, *value = NULL;
    const struct element_field fields[] = {{"name", FIELD_NAME, .value = &name},
                                           {"value", FIELD_NAME, .value = &value}};
    struct property_setting setting = {0};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    setting.slot = property_parameter(property, name);
    if (setting.slot == SLOT_NONE)
        return XML_ERROR(reader, element, "property '%s' has no parameter '%s'", property->name,
                         name);
    if (option_read_number(value, &setting.value, reader->err) != 0)
        return XML_PLACE(reader, element);
    *ARRAY_EXTEND(node->settings, node->n_settings) = setting;
    return 0;
}

static int read_nodes(const struct element_reader *reader, const struct xml_element *element);

static int read_node(const struct element_reader *reader, const struct xml_element *element)
{
    struct linking *l = reader->into;
    const char *name = NULL, *threshold = NULL;
    unsigned basis = BASIS_program;
    const struct element_field fields[] = {
        {"property", FIELD_NAME, .value = &name},
        {"threshold", FIELD_TEXT, .value = &threshold},
        {"basis", FIELD_CHOICE, &basis, .most = N_PROPERTY_BASES, .choices = property_basis_names}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    const struct asl_property *property = property_find(l->properties, name);
    if (!property)
        return unknown_property(reader, element, name);
    if (property->unit)
        return XML_ERROR(reader, element,
                         "'%s' is a metric, which has a value but no severity; a <node> is a "
                         "property",
                         name);
    if (l->to->n_nodes == MAX_NODES)
        return XML_ERROR(reader, element, "there are more than %d nodes", MAX_NODES);
    uint32_t parent = l->parent;
    l->parent = (uint32_t)l->to->n_nodes;
    struct property_node *node =
        add_node(l->to, (uint32_t)(property - l->properties->items), parent);
    node->basis = (enum property_basis)basis;
    if (threshold &&
        (option_read_number(threshold, &node->threshold, NULL) != 0 || node->threshold > 1))
        return XML_ERROR(reader, element, "threshold=\"%s\" is not a number from 0 to 1",
                         threshold);
    int status = read_nodes(reader, element);
    l->parent = parent;
    return status;
}

/// All nodes of another hierarchy.
static int use_hierarchy(const struct element_reader *reader, const struct xml_element *element)
{
    struct linking *l = reader->into;
    const char *id = NULL;
    const struct element_field fields[] = {{"hierarchy", FIELD_NAME, .value = &id}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    const struct hierarchy *used = find(l->list, id);
    if (!used) {
        SCOPED const char **ids = NAMED_NAMES(l->list->items, l->list->n);
        return XML_ERROR(reader, element, "there is no hierarchy '%s'%s", id,
                         spelling_hint(id, ids, l->list->n, "; did you mean '%s'?", "").text);
    }
    for (size_t i = 0; i < l->n_open; i++)
        if (l->open[i] == used)
            return XML_ERROR(reader, element, "the hierarchy '%s' would be part of itself", id);
    if (l->n_open == MAX_NESTED)
        return XML_ERROR(reader, element, "hierarchies use each other too deeply");
    if (++l->n_uses > MAX_USES)
        return XML_ERROR(reader, element, "hierarchies are used more than %d times", MAX_USES);
    l->open[l->n_open++] = used;
    const struct element_reader of_used = {used->file, l, reader->err};
    int status = read_nodes(&of_used, used->element);
    l->n_open--;
    return status;
}

/// What is in a node, or in a hierarchy, whose texts are read.
static int read_nodes(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {{"parameter", read_setting},
                                                {"node", read_node},
                                                {"use", use_hierarchy},
                                                {"name", leave},
                                                {"summary", leave}};
    bool is_node = strcmp(element->name, "node") == 0;
    return element_read_parts(reader, element, NULL, 0, kinds + !is_node, is_node ? 3 : 4);
}

/// Makes the nodes of all, with those that they take from each other. 0, or -1 and ERR: an unknown
/// property or hierarchy, or one that is part of itself.
static int link_nodes(struct hierarchy_list *list, const struct property_list *properties,
                      struct error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        struct linking l = {.list = list,
                            .properties = properties,
                            .to = &list->items[i],
                            .parent = NODE_NONE,
                            .open = {&list->items[i]},
                            .n_open = 1};
        const struct element_reader reader = {l.to->file, &l, err};
        if (read_nodes(&reader, l.to->element) != 0)
            return -1;
    }
    return 0;
}

// --- all files

// Constants of all files are read before the properties, so that a file of thresholds replaces
// those of the shipped ones.

static bool is_extra(const struct property_files *files, const struct asl_property *property)
{
    return HAS_TEXT(files->extra_files, files->n, property->file);
}

int properties_load(struct property_list *properties, struct hierarchy_list *hierarchies,
                    const struct property_files *files, const char *const *wait_states,
                    size_t n_wait_states, struct error *err)
{
    char **asl = files->directory ? folder_files(files->directory, ".asl", err) : NULL;
    char **xml = files->directory ? folder_files(files->directory, ".xml", err) : NULL;
    int status = files->directory && !(asl && xml) ? -1 : 0;
    for (size_t i = 0; i < files->n && status == 0; i++) {
        if (property_file_is_asl(files->extra_files[i]))
            words_add(&asl, files->extra_files[i]);
        else if (xml_file_is(files->extra_files[i], "hierarchy"))
            words_add(&xml, files->extra_files[i]);
    }
    for (char **path = asl; path && *path && status == 0; path++)
        status = property_constants_read(properties, *path, err);
    for (char **path = asl; path && *path && status == 0; path++)
        status = property_asl_read(properties, *path, wait_states, n_wait_states, err);
    for (size_t i = 0; i < properties->n; i++)
        properties->items[i].is_shipped =
            files->directory && !is_extra(files, &properties->items[i]);
    for (char **path = xml; path && *path && status == 0; path++)
        status = read_file(hierarchies, *path, err);
    if (status == 0)
        status = link_nodes(hierarchies, properties, err);
    words_free(asl);
    words_free(xml);
    return status;
}

static bool has_property(const struct hierarchy *hierarchy, size_t property)
{
    for (size_t i = 0; i < hierarchy->n_nodes; i++)
        if (hierarchy->nodes[i].property == property)
            return true;
    return false;
}

struct hierarchy *hierarchy_choose(const struct hierarchy_list *hierarchies, const char *id,
                                   const struct property_list *properties,
                                   const struct property_files *files, struct error *err)
{
    struct hierarchy *hierarchy = find(hierarchies, id);
    if (!hierarchy) {
        SCOPED const char **ids = NAMED_NAMES(hierarchies->items, hierarchies->n);
        SCOPED char *list = spelling_list(ids, hierarchies->n);
        error_set(err, "there is no hierarchy `%s`; there are %s", id, list);
        return NULL;
    }
    for (size_t i = 0; i < properties->n; i++)
        if (!properties->items[i].unit && is_extra(files, &properties->items[i]) &&
            !has_property(hierarchy, i))
            add_top(hierarchy, (uint32_t)i);
    return hierarchy;
}
