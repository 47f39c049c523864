// SPDX-License-Identifier: BSD-3-Clause
// Taking trials, and points of sweeps without one, out of a database; making its file small.
#ifndef PAGODA_DB_REMOVAL_H
#define PAGODA_DB_REMOVAL_H

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

/// Removes the trials chosen by SELECTORS with everything that only they have, all or none; where
/// no trial is called so, what is noted of the point of a sweep of that name, EXPERIMENT/POINT or
/// APPLICATION/EXPERIMENT/POINT. 0 (REMOVED is to be released), or -1 and ERR.
int removal_of_named(const char *path, const char *const *selectors, size_t n_selectors,
                     struct removal *removed, struct error *err);

/// Likewise all trials and points that FILTER selects; its names must exist.
int removal_of_all(const char *path, const struct trial_filter *filter, struct removal *removed,
                   struct error *err);

void removal_release(struct removal *removed);

/// Forgets resources and foci that no trial has any more and makes the file of the database at PATH
/// as small as it can be, after a check that it is sound. SIZES: bytes before and after. 0, or -1
/// and ERR; the database is then as it was.
int removal_vacuum(const char *path, uint64_t sizes[2], struct error *err);

#endif
