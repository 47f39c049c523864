// SPDX-License-Identifier: BSD-3-Clause
// Reading one file of patterns into texts; nothing is compiled or linked yet.
#pragma once

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/pattern.h"

struct pattern_list {
    struct pattern *patterns;
    size_t n_patterns, capacity;
};

/// Appends the patterns of a file (<pattern>, several within <patterns>, or Kappa-Pi's <PATTERN>).
/// 0, or -1 and ERR; ids are unique within the file.
int catalogue_file_read(const char *path, struct pattern_list *list, struct error *err);

void pattern_release(struct pattern *pattern);
