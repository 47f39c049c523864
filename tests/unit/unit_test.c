// SPDX-License-Identifier: BSD-3-Clause
// unit_test FILE: runs the tests of FILE, tests/unit/test_X.c. All files are in one program, which
// is linked once.
#include "tests/unit/unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/lib/scratch.h"

enum { MAX_GROUPS = 256 };

static struct unit_test_group groups[MAX_GROUPS];

struct unit_test_group *unit_test_group(const char *file)
{
    size_t i = 0;
    while (i < MAX_GROUPS && groups[i].file && strcmp(groups[i].file, file) != 0)
        i++;
    if (i == MAX_GROUPS)
        abort();
    groups[i].file = file;
    return &groups[i];
}

void unit_test_add(const char *file, const struct CMUnitTest *tests, size_t n)
{
    struct unit_test_group *group = unit_test_group(file);
    for (size_t i = 0; i < n; i++) {
        if (group->n_tests == UNIT_TEST_MAX)
            abort();
        group->tests[group->n_tests++] = tests[i];
    }
}

int main(int argc, char **argv)
{
    struct unit_test_group *group = argc == 2 ? unit_test_group(argv[1]) : NULL;
    if (!group || group->n_tests == 0) {
        fprintf(stderr, "unit_test: which file? One of tests/unit/test_*.c\n");
        return 2;
    }
    setenv("TMPDIR", scratch_parent(), 1);
    for (size_t i = 0; i < group->n_tests && group->each.setup; i++) {
        group->tests[i].setup_func = group->each.setup;
        group->tests[i].teardown_func = group->each.teardown;
    }
    return _cmocka_run_group_tests(group->file, group->tests, group->n_tests, group->all.setup,
                                   group->all.teardown);
}
