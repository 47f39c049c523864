// SPDX-License-Identifier: BSD-3-Clause
// Single pictures and tables of a run (pagoda export --view): metrics, each of which has values of
// certain things (ranks, pairs of ranks, moments), and views, each of which shows values of one
// kind of things. A view refuses a metric without such values, metrics of different units in one
// picture, and parts of a bar that overlap. After: Lee, Rover, "Uniform Resource Visualization".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

struct result;
struct timeline;

enum { PLOT_MAX_METRICS = 8 };

/// What values belong to, and so the views that show them.
enum plot_of {
    PLOT_OF_RANK,
    PLOT_OF_ITERATION,
    PLOT_OF_CALL_PATH,
    PLOT_OF_SIZE,        // messages of a size
    PLOT_OF_MOMENT,      // all ranks together
    PLOT_OF_RANK_MOMENT, // a rank at a moment
    PLOT_OF_PAIR,        // sender and receiver
    PLOT_OFS
};

enum plot_form { PLOT_BARS, PLOT_CURVES, PLOT_CELLS };

struct plot_view {
    const char *name;    // as --view has it
    const char *of, *by; // "pairs of ranks"; "from rank to rank", in titles
    const char *metrics; // usual ones
    enum plot_form form;
    bool takes_several;  // metrics
    const char *keys[2]; // columns that tell rows of tables apart; the second may be NULL
};
extern const struct plot_view plot_views[PLOT_OFS];

struct plot_choice {
    enum plot_of of;
    char **metrics; // names; up to NULL
};

/// Reads names of a view and of METRICS, separated by commas; NULL: the usual ones of the view. 0,
/// or -1 and ERR, which says why they do not go together. Names of counters are known later only.
int plot_choose(struct plot_choice *choice, const char *view, const char *metrics,
                struct error *err);
void plot_choice_release(struct plot_choice *choice);

struct plot {
    const struct plot_view *view;
    char *title;
    char *metric;             // of cells, which have one; NULL: columns are metrics
    char *unit;               // of the values: "ns", "#", "bytes", or a counter's own
    char **rows, **columns;   // names; no rows where these are moments
    char **legend;            // what the columns are called in pictures, if these are metrics
    size_t n_rows, n_columns; // columns: metrics; of cells ranks or receivers
    size_t n_drawn;           // rows that pictures show: of call paths those with most
    double *values;           // [row][column]; sums over the ranks of a row or column
    double begin_ns, row_ns;  // where rows are moments: of the first, and how long each is
    double *ranks_of;         // where columns are ranks at moments: how many ranks each stands for
    uint32_t n_ranks;         // of the run
};

/// What CHOICE says of RESULT, with its groups collected, from BEGIN_NS to END_NS where it is of
/// moments. TIMELINE is concluded, its strips are read. 0, or -1 and ERR: the run has no such
/// metric, or nothing to show. The caller releases in either case.
int plot_make(struct plot *plot, const struct plot_choice *choice, const struct result *result,
              const struct timeline *timeline, uint64_t begin_ns, uint64_t end_ns,
              struct error *err);
void plot_release(struct plot *plot);
