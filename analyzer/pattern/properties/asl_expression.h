// SPDX-License-Identifier: BSD-3-Clause
// Expressions of properties: those of all conditions (pagoda-conditions(7)), with profile(),
// duration() and operations on sets.
#pragma once

#include "analyzer/pattern/properties/asl_property.h"

/// What an expression may name besides the slots of its property.
struct asl_scope {
    const struct property_list *list; // for its constants
    const char *const *wait_states;   // ids
    size_t n_wait_states;
    char *experiment, *focus, *basis; // parameters of the property, or NULL
};

/// Adds SLOT, which the property owns then. False and ERR: the name is taken, or too many.
bool asl_add_slot(struct asl_property *property, const struct property_slot *slot,
                  struct error *err);

/// Compiles TEXT, which is changed; adds the slots it needs. 0, or -1 and ERR.
int asl_compile(struct asl_property *property, const struct asl_scope *scope, char *text,
                struct expression *value, struct error *err);
