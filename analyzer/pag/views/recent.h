// SPDX-License-Identifier: BSD-3-Clause
// The latest calls of all ranks up to a moment that is to be explained: what a rank does then, whom
// it waits for, and what that one did before.
#pragma once

#include <stddef.h>

#include "analyzer/pag/pag.h"

struct engine;
struct location_state;
struct recent;

struct recent *recent_new(const struct pag_moment *moment, size_t n_ranks);
void recent_free(struct recent *recent);

/// The master location of a rank has entered a call, or has left it, which is settled.
void recent_enter(struct engine *engine, const struct location_state *location);
void recent_leave(struct engine *engine, const struct location_state *location);

/// Moves what is kept into the result.
void recent_conclude(struct engine *engine);
