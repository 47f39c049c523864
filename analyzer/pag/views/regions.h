// SPDX-License-Identifier: BSD-3-Clause
// Tells a listener which regions each location enters and leaves, as the profile has them: what is
// left open inside a region ends with it, and what is open at the end is left there.
#pragma once

#include <stdint.h>

struct batch;
struct decoded;
struct engine;
struct event;
struct location_state;
struct regions;

/// NULL: nobody listens. The caller frees.
struct regions *regions_new(struct engine *engine);
void regions_free(struct regions *regions);

/// After an event of LOCATION: tells what it entered and left. N_MESSAGES: of the run before it.
void regions_tell(struct engine *engine, const struct location_state *location,
                  uint64_t n_messages);

/// EVENT is an EVENT_COUNTED of LOCATION.
void regions_tell_counted(const struct engine *engine, const struct location_state *location,
                          const struct event *event);

/// Appends the events of DECODED to OUT, with what counters grew by among them.
void regions_add_counted(const struct decoded *decoded, struct batch *out);
