// SPDX-License-Identifier: BSD-3-Clause
// Measured on one core with Open MPI 4.1 (vader, ob1) and MPICH 4.0 (ucx): a call with one exchange
// of up to so many bytes takes one slice of time, with more it takes two.
#include "analyzer/simulation/network/mpi_habits.h"

#include <string.h>

#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions.h"

enum { OPEN_MPI_BUFFERED_BYTES = 256, MPICH_BUFFERED_BYTES = 8192 };

enum mpi_library mpi_library_of(const struct definitions *definitions)
{
    const char *mpi = definitions_property(definitions, "PAGODA::MPI");
    if (mpi && strcmp(mpi, "openmpi") == 0)
        return MPI_LIBRARY_OPEN_MPI;
    return mpi && strcmp(mpi, "mpich") == 0 ? MPI_LIBRARY_MPICH : MPI_LIBRARY_UNKNOWN;
}

uint64_t mpi_library_buffered_bytes(enum mpi_library library)
{
    switch (library) {
    case MPI_LIBRARY_OPEN_MPI:
        return OPEN_MPI_BUFFERED_BYTES;
    case MPI_LIBRARY_MPICH:
        return MPICH_BUFFERED_BYTES;
    default:
        return PAG_NOT_KNOWN;
    }
}
