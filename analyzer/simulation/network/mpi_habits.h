// SPDX-License-Identifier: BSD-3-Clause
// What MPI libraries do that no record shows. Where waiting ranks share cores in slices of time it
// decides how often a call must wait for a core; where calls wait later (--overlap) whether their
// messages move before that.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct definitions;

enum mpi_library { MPI_LIBRARY_UNKNOWN, MPI_LIBRARY_OPEN_MPI, MPI_LIBRARY_MPICH };

/// The MPI that the archive names.
enum mpi_library mpi_library_of(const struct definitions *definitions);

/// Whether that MPI's ranks keep their cores while they wait. MPICH's always do; those of Open MPI
/// unless its launcher has the option for more ranks than slots, or one for yielding.
bool mpi_library_spins(const struct definitions *definitions);

/// A message of up to so many bytes leaves its sender at once. A larger one, on one node, keeps it
/// in its call until the receiver, in MPI, has a core. PAG_NOT_KNOWN: not known.
uint64_t mpi_library_buffered_bytes(enum mpi_library library);

/// Whether that MPI's ranks had a thread each that moves messages while they are outside MPI
/// (MPICH_ASYNC_PROGRESS).
bool mpi_library_progresses(const struct definitions *definitions);
