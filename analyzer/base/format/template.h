// SPDX-License-Identifier: BSD-3-Clause
// Texts with facts put in, as in hints of patterns and findings: {name} stands for a fact; a part
// in [square brackets] is left out when one of its facts is unknown.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"

/// Whether TEXT names only facts of the N NAMES, and its brackets pair up: 0, or -1 and ERR.
int template_check(const char *text, const char *const *names, size_t n, struct error *err);

/// TEXT, which was checked, with VALUES in the order of the NAMES, NULL or "" where unknown; such a
/// fact outside of brackets reads "unknown". The caller frees.
char *template_text(const char *text, const char *const *names, const char *const *values,
                    size_t n);

/// Whether all facts that TEXT, which was checked, names have a value.
bool template_is_known(const char *text, const char *const *names, const char *const *values,
                       size_t n);
