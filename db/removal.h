// SPDX-License-Identifier: BSD-3-Clause
// Removing trials, and notes of points without a trial, from a database; shrinking its file.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/points.h"
#include "db/trials.h"

/// What was removed, by its names.
struct removal {
    struct trial_list trials;
    struct point_list points;
};

/// Removes the trials chosen by SELECTORS with everything that only they have. A selector that
/// chooses no trial removes the note of a point: POINT, EXPERIMENT/POINT or
/// APPLICATION/EXPERIMENT/POINT. FILTER, unless NULL, chooses all trials and points of an
/// application and experiment, which must exist. All or none: 0 (REMOVED is to be released), or -1
/// and ERR (REMOVED is empty).
int removal_run(const char *path, const struct trial_filter *filter, const char *const *selectors,
                size_t n_selectors, struct removal *removed, struct error *err);
void removal_release(struct removal *removed);

/// Checks the database at PATH, removes resources and foci that no trial has any more, and makes
/// its file as small as possible. SIZES are bytes before and after. 0, or -1 and ERR (nothing
/// changed).
int removal_vacuum(const char *path, uint64_t sizes[2], struct error *err);
