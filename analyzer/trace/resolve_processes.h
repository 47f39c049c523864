// SPDX-License-Identifier: BSD-3-Clause
// Finds out which locations are which rank and on which node each rank ran.
#ifndef PAGODA_TRACE_RESOLVE_PROCESSES_H
#define PAGODA_TRACE_RESOLVE_PROCESSES_H

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/records.h"

/// Fills ranks, locations and nodes of DEFINITIONS. MPI_LOCATIONS is the archive's group of MPI
/// locations in rank order, or NULL: then every process with a location is a rank, in the order of
/// definition. RANK_OF_LOCATION (empty) receives location id -> rank.
void resolve_processes(struct definitions *definitions, const struct records *records,
                       const struct group_record *mpi_locations, struct id_table *rank_of_location);

#endif
