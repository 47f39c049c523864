// SPDX-License-Identifier: BSD-3-Clause
// Another one, of about the same size: it may be loaded where the first one was.
#include "sites.h"

static int n_calls;

void run_plugin(void);

void run_plugin(void)
{
    MPI_Group group;

    n_calls += MPI_Comm_group(MPI_COMM_SELF, &group); // site: plugin-b
    MPI_Group_free(&group);
    n_calls = 0;
}
