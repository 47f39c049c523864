// SPDX-License-Identifier: BSD-3-Clause
// Policies (simulation/dealt/policy.h) for people.
#ifndef PAGODA_REPORT_POLICY_PAGE_H
#define PAGODA_REPORT_POLICY_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "analyzer/simulation/dealt/policy.h"

/// A line or more for each: name, option that takes it, summary. Within WIDTH columns.
void policy_page_list(const struct policy *policies, size_t n, size_t width, FILE *stream);

/// All that one says: rules or tasks as sentences, times, source, what is missing.
void policy_page_one(const struct policy *policy, size_t width, FILE *stream);

/// A rule as a sentence ("when a rank is idle: the slowest gives work to it"); the caller frees.
char *policy_rule_text(const struct balancing_rule *rule);

#endif
