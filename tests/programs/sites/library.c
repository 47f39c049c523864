// SPDX-License-Identifier: BSD-3-Clause
// A shared library that is linked.
#include "sites.h"

static int n_calls;

void called_from_library(void)
{
    int rank;

    n_calls += MPI_Comm_rank(MPI_COMM_WORLD, &rank); // site: library
}
