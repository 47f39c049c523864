// SPDX-License-Identifier: BSD-3-Clause
// Region roles of MPI functions, by name.
#ifndef PAGODA_FINISH_ROLE_H
#define PAGODA_FINISH_ROLE_H

#include <otf2/otf2.h>

// The role of an MPI function as Score-P assigns it; OTF2_REGION_ROLE_FUNCTION for the many that
// move nothing.
OTF2_RegionRole role_of_mpi_function(const char *name);

#endif
