// SPDX-License-Identifier: BSD-3-Clause
// The foci of the database that lie within a given focus.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/focus.h"

/// What one answer is about: a whole trial, or a part of one within the focus.
enum query_by {
    QUERY_BY_TRIAL,
    QUERY_BY_PROCESS,
    QUERY_BY_CALL_PATH,
    QUERY_BY_CODE,
    QUERY_BY_MACHINE,
    QUERY_BY_MESSAGE,
    QUERY_BY_SYNC_OBJECT,
    N_QUERY_BY,
};

struct wanted_focus {
    int64_t id, process_id;
    int64_t resource_id; // in the hierarchy of the parts, 0 for none
};

/// Which foci count, so that their values may be added (metric.adds_up_over), and the hierarchy by
/// which the answer is divided.
struct query_rule {
    bool is_exact;           // every hierarchy is exactly as selected
    bool is_call_path_exact; // the call path is
    bool is_process_exact;   // the process is
    enum query_by by;        // here any resource within the selection will do
};

struct query_foci {
    struct wanted_focus *foci; // ascending by id
    size_t n_foci;
};

/// Finds the foci within FOCUS that count under RULE. Restrictions of Machine are ignored, because
/// no stored focus has one. 0 (FOCI is to be released), or -1 and ERR.
int query_foci_find(struct database *database, const struct focus *focus,
                    const struct query_rule *rule, struct query_foci *foci, struct error *err);
void query_foci_release(struct query_foci *foci);

/// Writes SQL that holds for the paths within SELECTION, of the column `path`.
void query_write_selection(FILE *sql, const struct focus_selection *selection, bool is_exact);

/// True when SELECTION is a whole hierarchy.
bool query_is_root(const struct focus_selection *selection);
