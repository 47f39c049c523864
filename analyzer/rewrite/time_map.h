// SPDX-License-Identifier: BSD-3-Clause
// Where the events of each location went in a simulated run, kept in a temporary file: while the
// run is simulated all locations append to it in turn; afterwards each is read from its begin.
// In memory stay one block a location being written and two being read.
#ifndef PAGODA_REWRITE_TIME_MAP_H
#define PAGODA_REWRITE_TIME_MAP_H

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

/// The listener's two calls (pag.h).
void time_map_moved(struct time_map *map, const struct pag_moved *moved);
void time_map_weighed(struct time_map *map, uint32_t location, uint64_t recorded_ns,
                      uint64_t scale);

/// All has been told. 0, or -1 and ERR when it could not be kept.
int time_map_finish(struct time_map *map, struct error *err);

/// When LOCATION's last event happens; after time_map_finish().
uint64_t time_map_end_ns(const struct time_map *map, uint32_t location);

struct time_map_reader;

/// From the first event of LOCATION on. PROCESSOR_SPEED, in millionths, is that of its cores. The
/// caller frees.
struct time_map_reader *time_map_read(struct time_map *map, uint32_t location,
                                      uint64_t processor_speed);
void time_map_reader_free(struct time_map_reader *reader);

/// When the location's next event, recorded at RECORDED_NS, happens; COMPLETES: it is the
/// completion of a message or collective. Never before the one before. 0, or -1 and ERR: the map
/// has no such event, or cannot be read.
int time_map_event(struct time_map_reader *reader, uint64_t recorded_ns, bool completes,
                   uint64_t *time_ns, struct error *err);

/// The same of a record that is no event for the replay: it goes with its surroundings.
int time_map_between(struct time_map_reader *reader, uint64_t recorded_ns, uint64_t *time_ns,
                     struct error *err);

/// CPU time the location took up to the time last asked for, since its first event.
uint64_t time_map_cpu_ns(const struct time_map_reader *reader);

#endif
