// SPDX-License-Identifier: BSD-3-Clause
// A shared library that is loaded and unloaded while the program runs.
#include "sites.h"

static int n_calls;

void run_plugin(void);

void run_plugin(void)
{
    n_calls += MPI_Barrier(MPI_COMM_SELF); // site: plugin-a
}
