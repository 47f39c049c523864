// SPDX-License-Identifier: BSD-3-Clause
// Where the events of each location went in a simulated run, kept in a temporary file: while the
// run is simulated all locations append to it in turn; afterwards each is read from its begin.
// In memory stay one block a location being written and two being read.
// What a location's run has no longer, or with other sizes, is read as a whole, 32 bytes for each.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"

struct time_map;

/// For N_LOCATIONS; the file lies in DIRECTORY, where it has no name. NULL and ERR when it cannot
/// be made. The caller frees.
struct time_map *time_map_new(const char *directory, size_t n_locations, struct error *err);
void time_map_free(struct time_map *map);

/// Parts of a pag_listener; the context is the map.
void time_map_moved(void *context, const struct pag_moved *moved);
void time_map_weighed(void *context, uint32_t location, uint64_t recorded_ns, uint64_t scale);
void time_map_changed(void *context, const struct pag_changed *changed);

/// All calls have been made. 0, or -1 and ERR when it could not be kept.
int time_map_finish(struct time_map *map, struct error *err);

/// When LOCATION's last event happens; after time_map_finish().
uint64_t time_map_end_ns(const struct time_map *map, uint32_t location);

/// Whether some call was put off.
bool time_map_has_late_calls(const struct time_map *map);

struct time_map_reader;

/// From the first event of LOCATION on. PROCESSOR_SPEED, in millionths, is that of its cores. NULL
/// and ERR: the map cannot be read. The caller frees.
struct time_map_reader *time_map_read(struct time_map *map, uint32_t location,
                                      uint64_t processor_speed, struct error *err);
void time_map_reader_free(struct time_map_reader *reader);

/// What becomes of an event.
struct time_map_event {
    uint64_t time_ns;                 // when it happens
    const struct pag_changed *change; // what the run has instead; NULL: the same
    uint64_t put_off;                 // which of the calls put off it is in, from 1 on; 0: none
};

/// What becomes of the location's next event, recorded at RECORDED_NS; COMPLETES: it is the
/// completion of a message or collective. Never before the one before. 0, or -1 and ERR: the map
/// has no such event, or cannot be read.
int time_map_event(struct time_map_reader *reader, uint64_t recorded_ns, bool completes,
                   struct time_map_event *event, struct error *err);

/// Calls that were put off are waited for in a call without events.
struct time_map_late {
    uint64_t begin_ns, end_ns;
    uint64_t last; // up to this one of the calls put off
};

/// 1: such a call comes before the next event, or at the end; it is passed. 0: none. -1 and ERR.
int time_map_late(struct time_map_reader *reader, struct time_map_late *late, struct error *err);

/// The same of a record that is no event for the replay: it goes with its surroundings.
int time_map_between(struct time_map_reader *reader, uint64_t recorded_ns, uint64_t *time_ns,
                     struct error *err);

/// CPU time the location took up to the time last asked for, since its first event.
uint64_t time_map_cpu_ns(const struct time_map_reader *reader);
/// The same of the time that it is ready to run without a core.
uint64_t time_map_core_wait_ns(const struct time_map_reader *reader);
