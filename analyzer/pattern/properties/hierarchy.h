// SPDX-License-Identifier: BSD-3-Clause
// Hierarchies of properties, patterns/properties/*.xml: the order of a top-down search, and for
// each property the threshold from which on it is critical and the basis of its severity. Source:
// Fahringer and Seragiotto, "Experience with Aksum" (2003); pagoda-patterns(5).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/pattern/properties/asl_property.h"

/// What severities are parts of: X(name).
#define PROPERTY_BASES(X)                                                                          \
    X(program)                                                                                     \
    X(enclosing) /* the region or call path around it */                                           \
    X(phase)     /* the outermost loop, all its iterations */
enum property_basis {
#define BASIS(name) BASIS_##name,
    PROPERTY_BASES(BASIS)
#undef BASIS
        N_PROPERTY_BASES
};
extern const char *const property_basis_names[N_PROPERTY_BASES];

enum { NODE_NONE = UINT32_MAX };

struct property_setting {
    uint32_t slot;
    double value;
};

struct property_node {
    uint32_t property; // in the list
    uint32_t parent;   // NODE_NONE for those at the top
    uint32_t depth;
    double threshold; // the least severity that is critical
    enum property_basis basis;
    struct property_setting *settings; // of its parameters
    size_t n_settings;
};

struct hierarchy {
    char *id, *name, *summary;
    struct property_node *nodes; // depth first, parents before children
    size_t n_nodes;
    char *file;
    uint32_t line;
    struct xml_document *document;
    const struct xml_element *element; // in it
};

struct hierarchy_list {
    struct hierarchy *items;
    size_t n;
};

void hierarchy_list_release(struct hierarchy_list *list);

// --- all files
// All properties and hierarchies: the shipped ones and the user's.

/// The files of a load: those of DIRECTORY (NULL for none), and of the N extra files those that
/// hold properties or a hierarchy.
struct property_files {
    const char *directory;
    const char *const *extra_files;
    size_t n;
};

/// Reads FILES into empty lists: a later property, hierarchy or constant replaces the one of the
/// same name. Properties may name the N ids WAIT_STATES. 0, or -1 and ERR ("FILE:LINE: ...").
int properties_load(struct property_list *properties, struct hierarchy_list *hierarchies,
                    const struct property_files *files, const char *const *wait_states,
                    size_t n_wait_states, struct error *err);

/// The hierarchy ID, to which the properties of the extra files of FILES are added that it does not
/// have: at its top. NULL and ERR: there is none.
struct hierarchy *hierarchy_choose(const struct hierarchy_list *hierarchies, const char *id,
                                   const struct property_list *properties,
                                   const struct property_files *files, struct error *err);
