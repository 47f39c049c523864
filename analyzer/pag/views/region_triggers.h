// SPDX-License-Identifier: BSD-3-Clause
// Trigger events of visits (TRIGGER_REGION), of the regions of pag_options.visited.
#pragma once

struct engine;
struct event;
struct location_state;

/// Where visits of a location come from that has no digest.
struct region_trigger_source;

/// Makes each location of ENGINE tell its visits, as they end. By location; the caller frees. NULL
/// if no visits are asked for, or if digests tell of them.
struct region_trigger_source *region_triggers_new(struct engine *engine);

/// VISIT, an EVENT_VISIT of LOCATION, is over.
void region_trigger(const struct engine *engine, const struct location_state *location,
                    const struct event *visit);
