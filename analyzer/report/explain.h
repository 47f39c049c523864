// SPDX-License-Identifier: BSD-3-Clause
// What Pagoda knows for people: patterns, machines and policies, as a list, one by one, as JSON,
// and the patterns as the section of the manual page pagoda-patterns(5).
#ifndef PAGODA_REPORT_EXPLAIN_H
#define PAGODA_REPORT_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/dealt/policy.h"

/// What is to be shown; a kind that is not has NULL.
struct known {
    const struct catalogue *catalogue;
    uint32_t pattern;         // only this one; PATTERN_NONE: all
    const char *pattern_file; // only those of this file; NULL: of any
    const struct machine *machines;
    size_t n_machines;
    const struct policy *policies;
    size_t n_policies;
};

/// Whether the pattern INDEX of the catalogue is one of those to be shown.
bool known_shows_pattern(const struct known *known, size_t index);

/// Prints {"schema":1, "pagoda":VERSION, "patterns":[...], "machines":[...], "policies":[...]}, a
/// key for each kind to be shown; patterns in the order of their hierarchy. 0, or -1 and ERR.
int json_print_known(const struct known *known, const char *version, FILE *stream,
                     struct error *err);

/// The hierarchy, one pattern a line with its summary. Lines are WIDTH columns wide.
void pattern_page_tree(const struct catalogue *catalogue, size_t width, FILE *stream);

/// Everything about the pattern with this index.
void pattern_page_one(const struct catalogue *catalogue, uint32_t index, size_t width,
                      FILE *stream);

/// All patterns in the man macros, below a section heading.
void pattern_page_manual(const struct catalogue *catalogue, FILE *stream);

/// A line or more for each: name, cores of a node, scopes of its messages, collective operations,
/// summary. Within WIDTH columns.
void machine_page_list(const struct machine *machines, size_t n, size_t width, FILE *stream);

/// All that one says: cores, messages of each scope, collectives, where its numbers are from, what
/// is missing.
void machine_page_one(const struct machine *machine, size_t width, FILE *stream);

/// A line or more for each: name, option that takes it, summary. Within WIDTH columns.
void policy_page_list(const struct policy *policies, size_t n, size_t width, FILE *stream);

/// All that one says: rules or tasks as sentences, times, source, what is missing.
void policy_page_one(const struct policy *policy, size_t width, FILE *stream);

/// A rule as a sentence ("when a rank is idle: the slowest gives work to it"); the caller frees.
char *policy_rule_text(const struct balancing_rule *rule);

#endif
