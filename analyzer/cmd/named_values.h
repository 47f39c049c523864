// SPDX-License-Identifier: BSD-3-Clause
// Options that give a value a name: --parameter size=64.
#ifndef PAGODA_CMD_NAMED_VALUES_H
#define PAGODA_CMD_NAMED_VALUES_H

#include <stddef.h>

#include "analyzer/base/options.h"
#include "analyzer/report/result.h"

/// The first text of LIST that is not NAME=VALUE, NULL without.
const char *named_values_malformed(const struct option_list *list);

/// Each NAME=VALUE of LIST, none malformed, cut in two. The caller frees with named_values_free().
struct result_named *named_values_read(const struct option_list *list);
void named_values_free(struct result_named *named, size_t n);

#endif
