// SPDX-License-Identifier: BSD-3-Clause
// What an MPI function is, by the name of its region.
#ifndef PAGODA_TRACE_MPI_NAMES_H
#define PAGODA_TRACE_MPI_NAMES_H

#include <stdbool.h>

#include "analyzer/trace/definitions.h"

/// Classifies a region. With IS_MPI_PARADIGM every name is an MPI function and is compared without
/// case, PMPI prefix, and the suffixes of Fortran and of large counts (mpi_recv_, MPI_Recv_f08,
/// MPI_Recv_c); without it only C spellings (MPI_Recv, PMPI_Recv) are, so that a user's
/// own mpi_setup_ stays his.
enum mpi_function mpi_function_of_name(const char *name, bool is_mpi_paradigm);

#endif
