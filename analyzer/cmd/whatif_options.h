// SPDX-License-Identifier: BSD-3-Clause
// The what-if options of a command line: their rows, what is wrong with them, and the scenarios
// they stand for.
#ifndef PAGODA_CMD_WHATIF_OPTIONS_H
#define PAGODA_CMD_WHATIF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options.h"
#include "analyzer/whatif/scenario.h"

/// The options as they were given; NULL and empty: not given.
struct whatif_options {
    struct option_list places;
    const char *nodes, *map, *cores, *sharing, *wait, *speed;
    const char *machine, *latency, *bandwidth, *eager, *hand_over;
    struct option_list scales;
};

/// The rows of the options, to be put into a command's table.
#define WHATIF_OPTION_ROWS(options)                                                                \
    OPTION_LIST_ROW("place", 0, "NODE=RANKS", &(options)->places,                                  \
                    "predict the run with these ranks on a node, such as a=0-3,8"),                \
        OPTION_TEXT_ROW("nodes", 0, "N", &(options)->nodes, "predict the run on N nodes", NULL),   \
        OPTION_TEXT_ROW("map", 0, "block|cyclic", &(options)->map,                                 \
                        "with --nodes: how ranks are dealt", "block"),                             \
        OPTION_TEXT_ROW("cores", 0, "C", &(options)->cores,                                        \
                        "predict the run on nodes with C cores",                                   \
                        "1 with --place and --nodes, else as recorded"),                           \
        OPTION_TEXT_ROW("sharing", 0, "fluid|sticky", &(options)->sharing,                         \
                        "the ranks of a node share all its cores, or each stays on one", "fluid"), \
        OPTION_TEXT_ROW("wait", 0, "block|spin", &(options)->wait,                                 \
                        "a rank that waits leaves its core, or keeps it busy", "block"),           \
        OPTION_TEXT_ROW("hand-over", 0, "T", &(options)->hand_over,                                \
                        "time lost when a core changes from one rank to another",                  \
                        "that of --machine, else 0"),                                              \
        OPTION_TEXT_ROW("cpu-speed", 0, "F", &(options)->speed,                                    \
                        "predict the run on processors F times as fast", NULL),                    \
        OPTION_TEXT_ROW("machine", 0, "FILE", &(options)->machine,                                 \
                        "predict the run on the machine of this file", NULL),                      \
        OPTION_TEXT_ROW("latency", 0, "T", &(options)->latency,                                    \
                        "with --machine: its network's latency", NULL),                            \
        OPTION_TEXT_ROW("bandwidth", 0, "B", &(options)->bandwidth,                                \
                        "with --machine: its network's bandwidth, bytes a second", NULL),          \
        OPTION_TEXT_ROW("eager", 0, "BYTES", &(options)->eager,                                    \
                        "with --machine: the largest message its network sends at once", NULL),    \
        OPTION_LIST_ROW("scale", 0, "REGION=F", &(options)->scales,                                \
                        "predict the run with F times the computing in a region; 0: none")

enum { WHATIF_AXES = 7 }; // options that take lists

/// Settings and the values by which they differ from those of other points.
struct whatif_set {
    struct scenario_settings settings;
    uint64_t latency_ns, eager_bytes; // PAG_NOT_KNOWN: not given
    uint64_t bandwidth;               // bytes a second, 0: not given
    char *names[WHATIF_AXES],
        *values[WHATIF_AXES]; // the last option varies fastest, and comes first here
    size_t n_values;
};

/// What the options ask for: every combination of the values of options with a list.
struct whatif_plan {
    struct whatif_set *sets;
    size_t n_sets;
    bool is_list;
    const char *machine; // path, NULL: none
    struct region_scale *scales;
    char **patterns;
    size_t n_scales;
    char *change; // in words
};

bool whatif_is_wanted(const struct whatif_options *options);

/// Reads the options. 0, or -1 and ERR: which value is none, with what it could be. The caller
/// releases the plan in either case; it points into OPTIONS.
int whatif_plan_read(struct whatif_plan *plan, const struct whatif_options *options,
                     struct error *err);
void whatif_plan_release(struct whatif_plan *plan);

void whatif_options_release(struct whatif_options *options);

#endif
