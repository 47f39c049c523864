// SPDX-License-Identifier: BSD-3-Clause
// What became of the points of a sweep, as plain data; text and JSON from it.
#ifndef PAGODA_REPORT_SWEEP_H
#define PAGODA_REPORT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

enum sweep_state {
    SWEEP_TO_RUN,
    SWEEP_STORED,   // now or in an earlier call
    SWEEP_FAILED,   // its program or its build failed
    SWEEP_TOO_LONG, // over the limit of a point
    SWEEP_SKIPPED,  // impossible, by a condition on its parameters
    N_SWEEP_STATES,
};
extern const char *const sweep_state_names[N_SWEEP_STATES]; // "to run", ...

struct sweep_row {
    char *name;    // of the point, and of its trial
    char *command; // with its values
    char *reason;  // why it is skipped or failed, "" where there is nothing to say
    enum sweep_state state;
    uint64_t wall_ns; // of the run, 0: not known
};

struct sweep_report {
    const char *database, *experiment, *dir;
    struct sweep_row *rows; // in the order of the points
    size_t n_rows;
    size_t n_stored_now;
    char *stopped_by; // the checkpoint that ended the sweep, or NULL
    bool is_interrupted, is_over_limit;
};

void sweep_report_release(struct sweep_report *report);

/// How many points are in a state.
size_t sweep_report_count(const struct sweep_report *report, enum sweep_state state);

/// One line a point: its number, name, state, and command.
void sweep_report_print_points(const struct sweep_report *report, FILE *stream);

/// What the sweep came to, in one or two lines.
void sweep_report_print(const struct sweep_report *report, FILE *stream);

/// All of it as one JSON object and a newline. 0, or -1 and ERR; a failed write is left to
/// ferror(STREAM).
int sweep_report_print_json(const struct sweep_report *report, const char *version, FILE *stream,
                            struct error *err);

#endif
