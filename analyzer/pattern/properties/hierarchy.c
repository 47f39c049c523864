// SPDX-License-Identifier: BSD-3-Clause
// Reading hierarchies (hierarchy.h). Files stay as XML until all are read, for a hierarchy may use
// any other one.
#include "analyzer/pattern/properties/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bundled.h"
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

#define REFUSE(path, element, err, ...)                                                            \
    (error_set(err, __VA_ARGS__), error_wrap(err, "%s:%u", path, (element)->line))

// ---- files

static void release(struct hierarchy *hierarchy)
{
    FREE_MEMBERS(hierarchy->nodes, hierarchy->n_nodes, settings);
    FREE_ALL(hierarchy->nodes, hierarchy->id, hierarchy->name, hierarchy->summary, hierarchy->file);
    xml_free(hierarchy->document);
}

/// The texts of a hierarchy; its nodes come later.
static int read_texts(struct hierarchy *hierarchy, struct error *err)
{
    static const char *const known[] = {"name", "summary", "node", "use"};
    const struct xml_element *element = hierarchy->element;
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        char **text = strcmp(child->name, "name") == 0      ? &hierarchy->name
                      : strcmp(child->name, "summary") == 0 ? &hierarchy->summary
                                                            : NULL;
        if (!text && strcmp(child->name, "node") != 0 && strcmp(child->name, "use") != 0)
            return xml_refuse(hierarchy->file, child->line, "hierarchy", "element", child->name,
                              known, 4, err);
        if (text && *text)
            return REFUSE(hierarchy->file, child, err, "<%s> is there twice", child->name);
        if (text)
            *text = text_single_spaced(child->text, false);
    }
    if (hierarchy->name && hierarchy->summary)
        return 0;
    return REFUSE(hierarchy->file, element, err, "hierarchy '%s' needs <name> and <summary>",
                  hierarchy->id);
}

static int read_hierarchy(struct hierarchy *hierarchy, struct error *err)
{
    struct xml_element *element = &hierarchy->document->top.children[0];
    const char *id = xml_attribute(element, "id");
    hierarchy->element = element;
    hierarchy->line = element->line;
    if (hierarchy->document->top.n_children != 1 || strcmp(element->name, "hierarchy") != 0)
        return REFUSE(hierarchy->file, element, err, "<%s> is not a <hierarchy>", element->name);
    if (!id || !text_is_id(id) || element->n_attributes != 1)
        return REFUSE(hierarchy->file, element, err,
                      "<hierarchy> needs an attribute id, lower-case words joined by hyphens, and "
                      "no other");
    hierarchy->id = memory_copy_text(id);
    return read_texts(hierarchy, err);
}

/// Adds the hierarchy of a file, or replaces the one of the same id. Its nodes are not there yet.
/// 0, or -1 and ERR.
static int read_file(struct hierarchy_list *list, const char *path, struct error *err)
{
    struct hierarchy hierarchy = {.document = xml_read(path, err)};
    if (!hierarchy.document)
        return -1;
    hierarchy.file = memory_copy_text(path);
    if (hierarchy.document->top.n_children == 0 || read_hierarchy(&hierarchy, err) != 0) {
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
    const struct hierarchy *open[MAX_NESTED]; // those being used, the outermost first
    size_t n_open, n_uses;
    struct error *err;
};

static const char *path_of(const struct linking *l)
{
    return l->open[l->n_open - 1]->file;
}

static struct property_node *add_node(struct hierarchy *hierarchy, uint32_t property,
                                      uint32_t parent)
{
    hierarchy->nodes =
        memory_resize(hierarchy->nodes, hierarchy->n_nodes + 1, sizeof *hierarchy->nodes);
    struct property_node *node = &hierarchy->nodes[hierarchy->n_nodes++];
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

static int unknown_property(const struct linking *l, const struct xml_element *element,
                            const char *name)
{
    SCOPED const char **names = NAMED_NAMES(l->properties->items, l->properties->n);
    REFUSE(path_of(l), element, l->err, "there is no property '%s'%s", name,
           spelling_hint(name, names, l->properties->n, "; did you mean '%s'?", "").text);
    return -1;
}

static int read_setting(const struct linking *l, const struct xml_element *element,
                        struct property_node *node)
{
    const struct asl_property *property = &l->properties->items[node->property];
    const char *name = xml_attribute(element, "name"), *value = xml_attribute(element, "value");
    struct property_setting setting = {0};
    if (!name || !value || element->n_attributes != 2)
        return REFUSE(path_of(l), element, l->err, "<parameter> needs name=\"...\", value=\"...\"");
    setting.slot = property_parameter(property, name);
    if (setting.slot == SLOT_NONE)
        return REFUSE(path_of(l), element, l->err, "property '%s' has no parameter '%s'",
                      property->name, name);
    if (option_read_number(value, &setting.value, l->err) != 0)
        return error_wrap(l->err, "%s:%u", path_of(l), element->line);
    node->settings = memory_resize(node->settings, node->n_settings + 1, sizeof *node->settings);
    node->settings[node->n_settings++] = setting;
    return 0;
}

static int read_basis(const struct linking *l, const struct xml_element *element,
                      struct property_node *node)
{
    const char *basis = xml_attribute(element, "basis");
    for (unsigned i = 0; i < N_PROPERTY_BASES; i++) {
        if (!basis || strcmp(basis, property_basis_names[i]) == 0) {
            node->basis = basis ? (enum property_basis)i : BASIS_program;
            return 0;
        }
    }
    return REFUSE(path_of(l), element, l->err,
                  "basis=\"%s\" can only be \"program\", \"enclosing\" or \"phase\"", basis);
}

static int read_threshold(const struct linking *l, const struct xml_element *element,
                          struct property_node *node)
{
    const char *text = xml_attribute(element, "threshold");
    if (!text || (option_read_number(text, &node->threshold, NULL) == 0 && node->threshold <= 1))
        return 0;
    return REFUSE(path_of(l), element, l->err, "threshold=\"%s\" is not a number from 0 to 1",
                  text);
}

static int read_children(struct linking *l, const struct xml_element *element, uint32_t parent);

static int read_node(struct linking *l, const struct xml_element *element, uint32_t parent)
{
    static const char *const known[] = {"property", "threshold", "basis"};
    const char *name = xml_attribute(element, "property");
    if (xml_check_attributes(path_of(l), element, known, 3, l->err) != 0)
        return -1;
    if (!name)
        return REFUSE(path_of(l), element, l->err, "<node> needs property=\"...\"");
    const struct asl_property *property = property_find(l->properties, name);
    if (!property)
        return unknown_property(l, element, name);
    if (property->unit)
        return REFUSE(path_of(l), element, l->err,
                      "'%s' is a metric, which has a value but no severity; a <node> is a property",
                      name);
    if (l->to->n_nodes == MAX_NODES)
        return REFUSE(path_of(l), element, l->err, "there are more than %d nodes", MAX_NODES);
    uint32_t at = (uint32_t)l->to->n_nodes;
    struct property_node *node =
        add_node(l->to, (uint32_t)(property - l->properties->items), parent);
    if (read_threshold(l, element, node) != 0 || read_basis(l, element, node) != 0)
        return -1;
    for (size_t i = 0; i < element->n_children; i++)
        if (strcmp(element->children[i].name, "parameter") == 0 &&
            read_setting(l, &element->children[i], &l->to->nodes[at]) != 0)
            return -1;
    return read_children(l, element, at);
}

/// All nodes of another hierarchy below PARENT.
static int use_hierarchy(struct linking *l, const struct xml_element *element, uint32_t parent)
{
    const char *id = xml_attribute(element, "hierarchy");
    const struct hierarchy *used = id ? find(l->list, id) : NULL;
    if (!id)
        return REFUSE(path_of(l), element, l->err, "<use> needs hierarchy=\"...\"");
    if (!used) {
        SCOPED const char **ids = NAMED_NAMES(l->list->items, l->list->n);
        REFUSE(path_of(l), element, l->err, "there is no hierarchy '%s'%s", id,
               spelling_hint(id, ids, l->list->n, "; did you mean '%s'?", "").text);
        return -1;
    }
    for (size_t i = 0; i < l->n_open; i++)
        if (l->open[i] == used)
            return REFUSE(path_of(l), element, l->err, "the hierarchy '%s' would be part of itself",
                          id);
    if (l->n_open == MAX_NESTED)
        return REFUSE(path_of(l), element, l->err, "hierarchies use each other too deeply");
    if (++l->n_uses > MAX_USES)
        return REFUSE(path_of(l), element, l->err, "hierarchies are used more than %d times",
                      MAX_USES);
    l->open[l->n_open++] = used;
    int status = read_children(l, used->element, parent);
    l->n_open--;
    return status;
}

static int read_children(struct linking *l, const struct xml_element *element, uint32_t parent)
{
    static const char *const known[] = {"node", "use", "parameter"};
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        bool is_node = strcmp(child->name, "node") == 0;
        bool is_in_node = strcmp(element->name, "node") == 0;
        if (is_node || strcmp(child->name, "use") == 0) {
            if ((is_node ? read_node : use_hierarchy)(l, child, parent) != 0)
                return -1;
        } else if (is_in_node && strcmp(child->name, "parameter") != 0) {
            return xml_refuse(path_of(l), child->line, "node", "element", child->name, known, 3,
                              l->err);
        }
    }
    return 0;
}

/// Makes the nodes of all, with those that they take from each other. 0, or -1 and ERR: an unknown
/// property or hierarchy, or one that is part of itself.
static int link_nodes(struct hierarchy_list *list, const struct property_list *properties,
                      struct error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        struct linking l = {
            .list = list, .properties = properties, .to = &list->items[i], .err = err};
        l.open[l.n_open++] = l.to;
        if (read_children(&l, l.to->element, NODE_NONE) != 0)
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
