// SPDX-License-Identifier: BSD-3-Clause
// `pagoda replay TRACE --interval WHAT`: what was found within parts of the run, printed and kept.
#pragma once

#include <stdbool.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/report.h"
#include "db/store.h"

struct replay_intervals {
    const char *trace;
    const struct option_list *texts; // interval.h
    const struct catalogue *catalogue;
    const char *database; // NULL: results are not kept
    const struct store_names *names;
    const struct text_options *text; // NULL: nothing is printed
    bool wants_json;
};

/// Replays the trace (interval.h) and stores the result of each interval; prints the report
/// of a single one, a table of several. *IS_UNREADABLE when records were. 0, or -1 and ERR.
int replay_intervals(const struct replay_intervals *request, bool *is_unreadable,
                     struct error *err);
