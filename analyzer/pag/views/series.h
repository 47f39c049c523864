// SPDX-License-Identifier: BSD-3-Clause
// What a rank did between the calls of one call path, one after the other: the iterations of a loop
// around that call. Which call path is the one of a loop is known afterwards only, so a rank keeps
// a series for each of several. Their number is bounded, and so is the length of each: a series
// that is full keeps every second mark.
#pragma once

#include <stdint.h>

struct engine;
struct location_state;

/// The series of one rank.
struct rank_series;

/// Fetches into the cache what series_call() will need for a call of PATH. SERIES may be NULL.
void series_fetch(const struct rank_series *series, uint32_t path);

/// The master location of RANK leaves a call, which is settled. Its series are made at the first.
void series_call(struct engine *engine, const struct location_state *location);

/// Moves all series into the result.
void series_conclude(struct engine *engine);

void series_free(struct rank_series *series);
