// SPDX-License-Identifier: BSD-3-Clause
// Values of one metric at one focus, over all trials.
#ifndef PAGODA_DB_QUERY_H
#define PAGODA_DB_QUERY_H

#include <stdint.h>

#include "analyzer/base/error.h"

struct query_value {
    int64_t trial_id;
    double value;      // sum of the values found within the focus
    uint64_t n_values; // at least 1
};

/// Calls ANSWER(value, USER) for each trial of the database at PATH, by its number, that has values
/// of METRIC within FOCUS (resource normal form; hierarchies left out are whole). Values add up
/// over all resources the focus contains as far as the metric allows (metric.adds_up_over): a
/// metric that adds up over processes only wants the exact call path, one that never adds up the
/// exact focus. A restriction of Machine selects the ranks that ran there in each trial. 0, or -1
/// and ERR: bad focus, unknown metric or resource, unreadable database.
int query_focus(const char *path, const char *metric, const char *focus,
                void (*answer)(const struct query_value *value, void *user), void *user,
                struct error *err);

#endif
