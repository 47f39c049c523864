// SPDX-License-Identifier: BSD-3-Clause
// The main function of each unit test.
#include "tests/unit/unit_test.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/tools/lib/scratch.h"

enum { MAX_TESTS = 64 };

struct unit_test_frame unit_test_all, unit_test_each;

static struct CMUnitTest tests[MAX_TESTS];
static size_t n_tests;

void unit_test_add(const struct CMUnitTest *more, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (n_tests == MAX_TESTS)
            abort();
        tests[n_tests++] = more[i];
    }
}

int main(void)
{
    setenv("TMPDIR", scratch_parent(), 1);
    for (size_t i = 0; i < n_tests && unit_test_each.setup; i++) {
        tests[i].setup_func = unit_test_each.setup;
        tests[i].teardown_func = unit_test_each.teardown;
    }
    return _cmocka_run_group_tests(program_invocation_short_name, tests, n_tests,
                                   unit_test_all.setup, unit_test_all.teardown);
}
