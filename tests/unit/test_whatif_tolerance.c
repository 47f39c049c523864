// SPDX-License-Identifier: BSD-3-Clause
// How much slower a network may be: the search on functions whose crossing is known.
#include <stdbool.h>

#include "analyzer/simulation/cost/tolerance.h"
#include "tests/unit/unit_test.h"

/// Run time of a network with `added`: the longest of some chains, each BASE + N_MESSAGES * added.
struct chains {
    size_t n, n_runs;
    struct chain {
        uint64_t base_ns, n_messages;
    } chains[4];
    uint64_t dip_from, dip_to;       // in between the run is as short as with nothing added
    uint64_t plateau_ns, plateau_to; // no longer than this before that
};

static int longest(void *context, uint64_t added, uint64_t *time_ns, struct error *err)
{
    struct chains *chains = context;
    *time_ns = 0;
    chains->n_runs++;
    if (added >= chains->dip_from && added < chains->dip_to)
        added = 0;
    for (size_t i = 0; i < chains->n; i++) {
        uint64_t length_ns = chains->chains[i].base_ns + chains->chains[i].n_messages * added;
        *time_ns = length_ns > *time_ns ? length_ns : *time_ns;
    }
    if (added<chains->plateau_to && * time_ns> chains->plateau_ns)
        *time_ns = chains->plateau_ns;
    return 0;
}

static struct tolerance find(struct chains *chains, uint64_t level_ns, uint64_t start)
{
    struct tolerance_search search;
    struct tolerance found;
    struct error err;
    uint64_t base_ns;
    longest(chains, 0, &base_ns, &err);
    chains->n_runs = 0;
    tolerance_search_init(&search, longest, chains, UINT64_C(1) << 60, base_ns);
    assert_int_equal(tolerance_find(&search, level_ns, start, &found, &err), 0);
    tolerance_search_release(&search);
    return found;
}

/// 1000 + 20 x <= 1010 up to 0.5, so 0 is tolerated, 1 is not; 1000 + 20 x <= 1200 up to 10.
TEST(test_one_chain)
{
    struct chains chains = {.n = 1, .chains = {{1000, 20}}};
    struct tolerance found = find(&chains, 1010, 11);
    assert_int_equal(found.tolerated, 0);
    assert_int_equal(found.exceeded, 1);
    found = find(&chains, 1200, 201);
    assert_int_equal(found.tolerated, 10);
    assert_int_equal(found.exceeded, 11);
}

/// The longest chain has no messages; the one with 3 crosses 1000000 at 100000, the one with 1000
/// at 900: (1000000 - 100000) / 1000.
TEST(test_slack_first)
{
    struct chains chains = {.n = 3, .chains = {{990000, 0}, {700000, 3}, {100000, 1000}}};
    struct tolerance found = find(&chains, 1000000, 10001);
    assert_uint_in_range(found.tolerated, 891, 900);
    assert_uint_in_range(found.exceeded, 901, 909);
    assert_true(chains.n_runs <= 12);
}

/// Nothing depends on messages.
TEST(test_no_crossing)
{
    struct chains chains = {.n = 1, .chains = {{1000, 0}}};
    struct tolerance found = find(&chains, 1010, 1);
    assert_int_equal(found.tolerated, UINT64_C(1) << 60);
    assert_int_equal(found.exceeded, UINT64_MAX);
}

/// It exceeds the level from 101 on, but not between 500 and 600: one of the crossings is found,
/// and all that was tried below it is within the level.
TEST(test_a_run_that_gets_shorter)
{
    struct chains chains = {.n = 1, .chains = {{1000, 1}}, .dip_from = 500, .dip_to = 600};
    for (uint64_t start = 1; start < 2000; start += 37) {
        struct tolerance found = find(&chains, 1100, start);
        bool is_first = found.tolerated == 100 || found.tolerated == 99;
        assert_true(is_first || (found.tolerated >= 594 && found.tolerated < 600));
        assert_true(found.exceeded > found.tolerated && found.exceeded <= found.tolerated + 6);
    }
}

/// The time reaches the level at 20 and stays there to 20000.
TEST(test_a_run_that_stays_at_the_level)
{
    struct chains chains = {.n = 1, .chains = {{1000, 5}}, .plateau_ns = 1100, .plateau_to = 20000};
    for (uint64_t start = 1; start < 100; start += 11) {
        struct tolerance found = find(&chains, 1100, start);
        assert_uint_in_range(found.tolerated, 19800, 19999);
        assert_uint_in_range(found.exceeded, 20000, 20198);
        assert_true(chains.n_runs < 60);
    }
}
