// SPDX-License-Identifier: BSD-3-Clause
// Set-up that the tests against the reference share (see shipped_catalogue.h).
#include "tests/reference/shipped_catalogue.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/tools/lib/scratch.h"

struct catalogue *shipped_catalogue;

int shipped_catalogue_load(void **state)
{
    (void)state;
    setenv("TMPDIR", scratch_parent(), 1);
    struct error err = {{0}};
    shipped_catalogue = catalogue_load("patterns", NULL, 0, &err);
    if (!shipped_catalogue)
        fprintf(stderr, "%s\n", err.text);
    return shipped_catalogue ? 0 : -1;
}

int shipped_catalogue_unload(void **state)
{
    (void)state;
    catalogue_free(shipped_catalogue);
    return 0;
}
