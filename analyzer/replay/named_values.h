// SPDX-License-Identifier: BSD-3-Clause
// Options that give a value a name: --parameter size=64.
#pragma once

#include "analyzer/base/options/options.h"
#include "analyzer/result/result.h"

/// 0 when each text of LIST, what --OPTION was given, is NAME=VALUE with a name of its own; else -1
/// and ERR.
int named_values_check(const char *option, const struct option_list *list, struct error *err);

/// Each NAME=VALUE of LIST, checked, cut in two. The caller frees with result_named_free().
struct result_named *named_values_read(const struct option_list *list);
