// SPDX-License-Identifier: BSD-3-Clause
// Replays of order only: counts of work in a trace, and what is said about costs that are missing.

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cost/timeless.h"
#include "tests/unit/machine_text.h"
#include "tests/unit/text_fixture.h"
#include "tests/unit/unit_test.h"

/// Whole units, rounded; what is negative or no number is not a count.
TEST(test_work_counts)
{
    struct fixture run =
        open_text("0 0 enter a work 2.5\n0 0 enter a work 2.4\n0 0 enter a work -1\n"
                  "0 0 enter a work nan\n0 0 enter a work 1e30\n0 0 enter a\n");
    static const uint64_t units[] = {3, 2, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct event event = next(&run, 0);
        assert_int_equal((event.flags & EVENT_HAS_WORK) != 0, units[i] != UINT64_MAX);
        if (units[i] != UINT64_MAX)
            assert_int_equal(event.size_bytes, units[i]);
    }
    close_text(&run);
}

/// Counts, rules that fit nothing, and values that are none.
TEST(test_what_is_said)
{
    struct machine machine =
        machine_of_text("<machine>\n<compute region=\"solve\" time=\"w*p - 10\"/>\n"
                        "<compute region=\"outpt\" time=\"rank*visit\"/>\n</machine>");
    OPENED run = open_text("0 0 enter solve\n0 1 enter output\n0 2 leave output\n"
                           "0 3 leave solve\n1 0 enter solve\n1 1 leave solve\n");
    uint32_t patterns[] = {SCENARIO_NO_PATTERN, SCENARIO_NO_PATTERN};
    const struct scenario_settings settings = {.machine = &machine};
    const struct scenario scenario = {.settings = &settings, .compute_patterns = patterns};
    struct timeless *timeless = timeless_new(run.definitions, &scenario);
    struct error err = {{0}};
    struct event solve = next(&run, 0), output = next(&run, 0);
    struct event busy = solve;
    busy.flags |= EVENT_HAS_WORK;
    busy.size_bytes = 6;
    assert_int_equal(timeless_visit_ps(timeless, 0, 0, &busy), 2000000000000);
    assert_int_equal(timeless_visit_ps(timeless, 1, 0, &output), 0);
    assert_int_equal(timeless_check(timeless, &err), 0);
    assert_int_equal(timeless_visit_ps(timeless, 1, 0, &solve), 0);
    assert_int_equal(timeless_check(timeless, &err), -1);
    assert_non_null(strstr(err.text, "machine.xml:2: <compute region=\"solve\">: the time is -10 s "
                                     "for w = 0, e = 0, p = 2, rank = 1, visit = 1"));
    struct timeless_use use = timeless_use(timeless);
    assert_int_equal(use.n_visits, 3);
    assert_int_equal(use.n_without_rule, 1);
    assert_int_equal(use.n_without_work, 1);
    SCOPED char *unused = timeless_unused(timeless);
    assert_string_equal(unused, "outpt (line 3; is it output?)");
    timeless_free(timeless);
    machine_release(&machine);
}
