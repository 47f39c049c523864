// SPDX-License-Identifier: BSD-3-Clause
// Global definitions that are whole again: those that are left, and others for what the events
// mention, called by their numbers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"
#include "analyzer/rewrite/repair/mentions.h"
#include "analyzer/trace/definitions/records.h"

/// A location as it is now.
struct whole_location {
    uint64_t id;
    bool has_changed;     // it holds other events than its definition says
    uint64_t n_events;    // then
    bool is_cut_short;    // its last events are lost
    uint64_t until_ticks; // time of the last one that is left, on the run's clock
};

/// What there is to make definitions of.
struct definition_sources {
    OTF2_Reader *reader; // of those that are left, NULL: none
    uint64_t n_left;
    const struct records *records; // the same
    const struct mentions *mentions;
    const struct whole_location
        *locations; // by id; the users of communicators are indices of these
    size_t n_locations;
    uint64_t first_ticks, last_ticks; // of the run
};

/// How many definitions were added.
struct added_definitions {
    bool has_clock;
    size_t n_locations, n_regions, n_communicators, n_metrics, n_parameters;
};

/// Writes them to ARCHIVE. 0, or -1 and ERR.
int whole_definitions_write(const struct definition_sources *sources, OTF2_Archive *archive,
                            struct added_definitions *added, struct error *err);
