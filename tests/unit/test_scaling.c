// SPDX-License-Identifier: BSD-3-Clause
// What a scaling study makes of runs.
#include <math.h>

#include "analyzer/compare/scaling.h"
#include "tests/unit/unit_test.h"

/// Ideal work of 8 ns, 1 ns on rank 0 alone, for which the others wait.
static void add_run(struct scaling *scaling, uint64_t n_ranks, double jitter)
{
    double p = (double)n_ranks, useful = 9;
    const struct scaling_trial trial = {
        .x = p,
        .n_ranks = n_ranks,
        .machine_size = p,
        .time_ns = 8 / p + 1 + jitter,
        .useful_ns = useful,
        .factors = {[FACTOR_PARALLEL] = useful / p / (8 / p + 1),
                    [FACTOR_LOAD_BALANCE] = useful / p / (8 / p + 1),
                    [FACTOR_COMMUNICATION] = 1,
                    [FACTOR_SERIALIZATION] = NAN,
                    [FACTOR_TRANSFER] = NAN},
    };
    size_t run = scaling_add_trial(scaling, &trial);
    scaling_add_part(scaling, run, "work", "", false, 5);
    scaling_add_part(scaling, run, "work", "", false, 3); // values of one part add up
    scaling_add_part(scaling, run, "serial", "", false, 1);
    scaling_add_part(scaling, run, "wait-at-nxn", "wait-at-nxn", false, p - 1);
    scaling_add_part(scaling, run, "MPI_Init", "", true, 1000 * p);
}

TEST(test_study)
{
    struct scaling *scaling = scaling_new(SCALING_STRONG, "ranks");
    for (uint64_t n = 4; n > 0; n /= 2) { // in any order
        add_run(scaling, n, 0.125);
        add_run(scaling, n, -0.125);
    }
    scaling_compute(scaling, 0.8);
    assert_int_equal(scaling->n_points, 3);
    const struct scaling_point *last = &scaling->points[2];
    assert_int_equal(last->n_trials, 2);
    assert_float_equal(last->time_ns, 3, 1e-9);
    assert_float_equal(last->time_spread_ns, 0.125 * sqrt(2), 1e-9);
    assert_float_equal(last->speedup, 3, 1e-9);
    assert_float_equal(last->efficiency, 0.75, 1e-9);
    assert_float_equal(last->factors[FACTOR_COMPUTATION], 1, 1e-9);
    assert_float_equal(last->factors[FACTOR_GLOBAL], last->efficiency, 1e-9);
    assert_true(scaling->is_broken);
    assert_int_equal(scaling->looked_at, 2);
    assert_int_equal(scaling->why, FACTOR_LOAD_BALANCE);
    assert_float_equal(scaling->why_share, 1, 1e-9);
    assert_string_equal(scaling->parts[scaling->cause].name, "wait-at-nxn");
    assert_float_equal(scaling->cause_share, 1, 1e-9);
    assert_int_equal(scaling->fastest, 2);
    assert_true(scaling->has_next);
    assert_string_equal(scaling->parts[scaling->leader].name, "work");
    assert_int_equal(scaling->next_leader, scaling->leader);
    assert_string_equal(scaling->parts[scaling->riser].name, "wait-at-nxn");
    assert_float_equal(scaling->riser_overtakes_x, 9, 1e-6); // 8 / x = 1 - 1 / x
    assert_float_equal(scaling->next_ns, 8. / 8 + 1, 0.05);  // from times that differ
    assert_true(scaling->next_low_ns < 2 && scaling->next_high_ns > 2);
    assert_float_equal(scaling->next_parts_ns, 2, 1e-6); // what MPI_Init takes is not in it
    assert_float_equal(scaling->next_efficiency, 9 / (8 * scaling->next_ns), 1e-9);
    scaling_free(scaling);
}

TEST(test_weak_and_other_parameters)
{
    for (enum scaling_kind kind = SCALING_WEAK; kind <= SCALING_SIZE; kind++) {
        struct scaling *scaling = scaling_new(kind, "ranks");
        for (uint64_t n = 1; n <= 2; n++)
            scaling_add_trial(scaling, &(struct scaling_trial){.x = (double)n,
                                                               .n_ranks = n,
                                                               .machine_size = (double)n,
                                                               .time_ns = n == 1 ? 4 : 5,
                                                               .useful_ns = 4 * (double)n});
        scaling_compute(scaling, 0.9);
        const struct scaling_point *last = &scaling->points[1];
        assert_false(scaling->has_next); // of two points nothing is foretold
        if (kind == SCALING_WEAK) {
            assert_float_equal(last->speedup, 1.6, 1e-9);
            assert_float_equal(last->efficiency, 0.8, 1e-9);
            assert_float_equal(last->factors[FACTOR_COMPUTATION], 1, 1e-9);
            assert_true(scaling->is_broken);
        } else {
            assert_float_equal(last->speedup, 0.8, 1e-9);
            assert_true(isnan(last->efficiency));
            assert_false(scaling->is_broken);
        }
        scaling_free(scaling);
    }
}
