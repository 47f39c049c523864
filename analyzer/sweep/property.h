// SPDX-License-Identifier: BSD-3-Clause
// Properties of an experiment: what its trials have in common or show together (Aksum's
// AcrossExperiments), declared in XML as pagoda-patterns(5) says:
//
//     <property id="inefficiency-grows">
//       <name>...</name> <summary>...</summary> <diagnosis>...</diagnosis>
//       <condition>trend(inefficiency) >= 0.7 &amp;&amp; max > 0.1</condition>
//       <severity>max(inefficiency)</severity>
//     </property>
//
// Condition and severity are in the language of checkpoints (checkpoint.h).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/sweep/checkpoint.h"

struct experiment_property {
    char *id;
    char *name, *summary, *diagnosis, *condition, *severity; // as written, white space made single
    double threshold; // severity from which on it is critical
    bool is_each;     // asked of each wait state, which `*` in max(*) stands for
    char *file;
};

struct property_catalogue {
    struct experiment_property *items;
    size_t n;
};

/// Adds the properties of a file; one with the id of another replaces it. 0, or -1 and ERR
/// ("FILE:LINE: ..."); what was read before stays to be released.
int property_file_read(struct property_catalogue *catalogue, const char *path, struct error *err);
/// The same with all *.xml of a folder, in the order of their names.
int property_folder_read(struct property_catalogue *catalogue, const char *directory,
                         struct error *err);
void property_catalogue_release(struct property_catalogue *catalogue);

/// A property made ready for evaluation: what its condition and its severity ask for.
struct property_question {
    struct sweep_checkpoints checkpoints; // the condition, and the series of both
    struct sweep_value severity;
};

/// Prepares PROPERTY, of the wait state SUBJECT if it is asked of each. 0 (QUESTION is to be
/// released), or -1 and ERR.
int property_ask(const struct experiment_property *property, const char *subject,
                 struct property_question *question, struct error *err);
void property_question_release(struct property_question *question);
