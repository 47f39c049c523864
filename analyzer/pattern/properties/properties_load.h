// SPDX-License-Identifier: BSD-3-Clause
// All properties and hierarchies: the shipped ones and the user's.
#pragma once

#include "analyzer/pattern/properties/hierarchy.h"

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
