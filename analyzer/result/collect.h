// SPDX-License-Identifier: BSD-3-Clause
// Builds a result out of what a replay left behind: the only place that computes for the reports.
#pragma once

#include <stdbool.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/reader.h"

/// What was wrong with the recorded clocks, before they were corrected.
struct collect_clocks {
    uint64_t n_violations, max_violation_ns;
    uint64_t moved_ns;    // records come later by at most that; 0: they were not corrected,
    struct error jumping; // whose clocks were not, for they jump; empty: none
    struct error why_not; // for that reason, where there is one
};

/// A finished replay: the trace is read to its end, the matcher has seen all trigger events.
struct collect_input {
    struct trace *trace;
    const struct catalogue *catalogue;
    const struct matcher *matcher;
    const struct pag_result *replay;
    const struct collect_clocks *clocks; // NULL: those of `replay`
    struct timeline *timeline;           // to be concluded; NULL: none
    struct servers *servers;             // likewise
    const char *interval; // what the replay was cut to (pag_options.parts), NULL: nothing
    bool is_phase;        // that is another time on each rank
};

/// Fills RESULT (zeroed before), which owns all it holds; the caller releases it. Efficiencies as
/// POP defines them: load balance = mean / max useful time, communication = max useful time / time
/// of the window, parallel = their product. Serialization and transfer are unknown: NAN.
void collect_result(const struct collect_input *input, struct result *result);

/// Puts the window's time on an ideal network (whatif/ideal.h) into RESULT, and what follows from
/// it, as POP defines them: serialization = max useful time / ideal time, transfer = ideal time /
/// time of the window; communication is their product. A run that is longer on an ideal network
/// (clocks that disagree) loses nothing by transfer.
void collect_ideal(struct result *result, uint64_t ideal_ns);

struct program_name {
    char *program;   // without its folder, "" when unknown
    char *arguments; // "" when there are none or unknown
};

/// Both from the program's file EXECUTABLE and the COMMAND it was called by, words separated by a
/// blank; NULL for either when unknown. The caller frees both texts.
struct program_name program_name_of(const char *executable, const char *command);
