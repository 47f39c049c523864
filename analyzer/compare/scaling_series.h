// SPDX-License-Identifier: BSD-3-Clause
// The trials of a scaling study: chosen, put into series that differ in one parameter only, their
// times read, and properties declared over several runs evaluated.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/compare/scaling.h"
#include "db/database.h"

/// A property of the runs of a series together, declared in patterns/experiments.
struct scaling_finding {
    const char *id, *subject; // subject: the wait state it is asked of, "" for none
    const char *name, *summary, *diagnosis, *condition;
    bool is_evaluated; // false: something it asks for is unknown of a run
    bool holds;
    double severity, confidence; // 0..1; severity 0 where it does not hold
    double threshold;            // severity from which on it is critical
};

/// Runs that differ in the parameter only, and in what follows from it.
struct scaling_series {
    char *name;        // what else they have in common: "app/sweep, size=64"
    char *kind_reason; // why they are taken for strong or weak scaling
    struct scaling *scaling;
    char *conclusion;
    struct scaling_finding *findings; // most severe first
    size_t n_findings;
};

struct scaling_page {
    const char *database;                  // NULL: none
    const char *by;                        // the parameter
    double threshold;                      // of the efficiency
    bool has_findings;                     // properties were asked for
    struct property_catalogue *properties; // which findings refer to
    struct scaling_series *series;
    size_t n_series;
    size_t n_without_parameter; // trials that were left out: they have no such parameter,
    size_t n_alone;             // or no other trial differs in it only
};

enum scaling_asked { SCALING_BY_PARAMETERS, SCALING_ASKED_STRONG, SCALING_ASKED_WEAK };

struct scaling_choice {
    const char *application, *experiment; // NULL: all
    char *const *selectors;               // trials, patterns, attributes; none: all trials
    size_t n_selectors;
    const char *by;                    // "ranks", "nodes", or a parameter
    const struct option_list *ignored; // parameters that do not tell runs apart
    enum scaling_asked asked;          // strong, weak, or whichever the parameters show
};

/// Reads the trials of DATABASE that CHOICE means into the series of PAGE, whose other members are
/// set. Without selectors these are the measured trials, or, when there are none, the predicted
/// ones. 0 (PAGE is to be
/// released), or -1 and ERR: no trial, a parameter that is not a number, or nothing that differs.
int scaling_series_read(struct database *database, const struct scaling_choice *choice,
                        struct scaling_page *page, struct error *err);
void scaling_series_release(struct scaling_page *page);

/// Evaluates the properties that come with the command, and those of FILES, over the trials of each
/// series of PAGE, whose findings are filled. 0, or -1 and ERR: a file that cannot be used, a name
/// that is not a severity, an unreadable database.
int scaling_properties_find(struct database *database, const struct option_list *files,
                            struct scaling_page *page, struct error *err);
