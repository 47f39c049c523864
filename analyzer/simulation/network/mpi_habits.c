// SPDX-License-Identifier: BSD-3-Clause
// Measured on one core with Open MPI 4.1 (vader, ob1) and MPICH 4.0 (ucx): a call with one exchange
// of up to so many bytes takes one slice of time, with more it takes two. The same sizes hold where
// each rank has a core: a request of MPI_Isend for more is complete when the receiver has been in
// MPI since. MPICH's thread for progress completes it at once.
#include "analyzer/simulation/network/mpi_habits.h"

#include <string.h>

#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions.h"

enum { OPEN_MPI_BUFFERED_BYTES = 256, MPICH_BUFFERED_BYTES = 8192 };

/// Whether the property NAME of the archive is VALUE.
static bool has(const struct definitions *definitions, const char *name, const char *value)
{
    const char *found = definitions_property(definitions, name);
    return found && strcmp(found, value) == 0;
}

enum mpi_library mpi_library_of(const struct definitions *definitions)
{
    if (has(definitions, "PAGODA::MPI", "openmpi"))
        return MPI_LIBRARY_OPEN_MPI;
    return has(definitions, "PAGODA::MPI", "mpich") ? MPI_LIBRARY_MPICH : MPI_LIBRARY_UNKNOWN;
}

bool mpi_library_spins(const struct definitions *definitions)
{
    static const char yields[] = "PAGODA::ENV::OMPI_MCA_MPI_YIELD_WHEN_IDLE";
    enum mpi_library library = mpi_library_of(definitions);
    if (library != MPI_LIBRARY_OPEN_MPI)
        return library == MPI_LIBRARY_MPICH;
    const char *says = definitions_property(definitions, yields);
    return has(definitions, says && *says ? yields : "PAGODA::ENV::OMPI_MCA_MPI_OVERSUBSCRIBE",
               "0");
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

bool mpi_library_progresses(const struct definitions *definitions)
{
    static const char *const names[] = {"PAGODA::ENV::MPICH_ASYNC_PROGRESS",
                                        "PAGODA::ENV::I_MPI_ASYNC_PROGRESS"};
    static const char *const values[] = {"1", "yes", "YES", "true", "TRUE", "on", "ON"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            if (has(definitions, names[i], values[k]))
                return true;
    return false;
}
