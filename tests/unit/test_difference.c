// SPDX-License-Identifier: BSD-3-Clause
// Differences of runs: sums that are exact, noise that is not a change.
#include <math.h>
#include <stdio.h>

#include "analyzer/compare/difference.h"
#include "tests/unit/unit_test.h"

static const struct difference_thresholds no_thresholds = {0, 0, 0.05};

/// A generator of its own, so that the numbers are the same everywhere (Knuth's MMIX constants).
static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

// The sample of Student's sleep data: t = -1.8608 with 17.776 degrees of freedom, p = 0.07939, and
// an interval of -3.3655 to 0.2055 (the example of R's t.test).
TEST(test_welch)
{
    const double a[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    const double b[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    assert_float_equal(significance_of_difference(a, 10, b, 10), 0.07939, 1e-5);
    assert_float_equal(significance_half_width(a, 10, b, 10, 0.05), (3.365483 + 0.205483) / 2,
                       1e-5);
    const double same[] = {2, 2, 2}, other[] = {3, 3, 3};
    assert_float_equal(significance_of_difference(same, 3, same, 3), 1, 0);
    assert_float_equal(significance_of_difference(same, 3, other, 3), 0, 0);
    assert_true(isnan(significance_of_difference(a, 1, b, 1)));
    // 1, 2, 3 has mean 2 and variance 1, so 6 is t = 4 / sqrt(4 / 3) = 2 sqrt(3) away, with 2
    // degrees of freedom: p = 1 - t / sqrt(t^2 + 2) = 1 - sqrt(6 / 7).
    const double few[] = {1, 2, 3}, one[] = {6};
    assert_float_equal(significance_of_difference(few, 3, one, 1), 1 - sqrt(6.0 / 7), 1e-6);
    assert_float_equal(significance_of_difference(one, 1, few, 3), 1 - sqrt(6.0 / 7), 1e-6);
}

/// Adds a run of odd times on N_RANKS ranks; each rank has two call paths and a wait.
static void add_odd_run(struct difference *difference, enum difference_group group,
                        uint64_t n_ranks, uint64_t seed)
{
    size_t run = difference_add_run(difference, group, 100001 + 7 * seed, n_ranks);
    for (uint64_t rank = 0; rank < n_ranks; rank++) {
        char process[24];
        snprintf(process, sizeof process, "/Process/%u", (unsigned)rank);
        int64_t part = (int64_t)(rank * 331 + seed * 17);
        difference_add(difference, run, "/CallPath/main", process, "", 50000 + part);
        difference_add(difference, run, "/CallPath/main/MPI_Recv", process, "", 20001 - part);
        difference_add(difference, run, "/CallPath/main/MPI_Recv", process, "late-sender", 30000);
    }
}

TEST(test_sums_are_exact)
{
    struct difference *difference = difference_new();
    for (uint64_t i = 0; i < 3; i++)
        add_odd_run(difference, DIFFERENCE_A, 3, i);
    for (uint64_t i = 0; i < 7; i++)
        add_odd_run(difference, DIFFERENCE_B, 7, 3 * i + 1);
    for (enum difference_by by = 0; by < N_DIFFERENCE_BY; by++) {
        struct difference_table table;
        difference_tabulate(difference, by, &no_thresholds, &table);
        // Means 100008 of seeds 0, 1, 2 and 100071 of seeds 1, 4, ..., 19.
        assert_int_equal(table.total.change_ns, 63);
        int64_t sum_ns = 0;
        for (size_t i = 0; i < table.n_rows; i++) {
            const struct difference_row *row = &table.rows[i];
            assert_true(fabs((double)row->change_ns - (row->b_ns - row->a_ns)) <= 1.001);
            sum_ns += row->change_ns;
        }
        assert_int_equal(sum_ns, 63);
        difference_table_release(&table);
    }
    difference_free(difference);
}

// Thirds of nanoseconds, 3 runs against 7: nothing scatters and nothing differs, whatever a sum of
// fractions says.
TEST(test_equal_runs_are_equal)
{
    struct difference *difference = difference_new();
    for (uint64_t i = 0; i < 10; i++)
        add_odd_run(difference, i < 3 ? DIFFERENCE_A : DIFFERENCE_B, 3, 0);
    for (enum difference_by by = 0; by < N_DIFFERENCE_BY; by++) {
        struct difference_table table;
        difference_tabulate(difference, by, &no_thresholds, &table);
        assert_false(table.total.is_change);
        for (size_t i = 0; i < table.n_rows; i++) {
            assert_int_equal(table.rows[i].change_ns, 0);
            assert_false(table.rows[i].is_change);
            assert_float_equal(table.rows[i].p, 1, 0);
        }
        difference_table_release(&table);
    }
    difference_free(difference);
}

/// Five runs on each side with 40 parts of 1 ms +- 10 us each; those of B take SHIFT_NS longer in
/// part 0. Returns how many rows are changes.
static size_t count_noisy_changes(uint64_t *generator, double shift_ns)
{
    struct difference *difference = difference_new();
    for (int i = 0; i < 10; i++) {
        enum difference_group group = i < 5 ? DIFFERENCE_A : DIFFERENCE_B;
        size_t run = difference_add_run(difference, group, 40000000, 1);
        for (int part = 0; part < 40; part++) {
            char path[32];
            snprintf(path, sizeof path, "/CallPath/main/f%d", part);
            double ns = 1e6 + 1e4 * normal(generator) + (group && part == 0 ? shift_ns : 0);
            difference_add(difference, run, path, "/Process/0", "", (int64_t)ns);
        }
    }
    struct difference_table table;
    difference_tabulate(difference, DIFFERENCE_BY_CALL_PATH, &no_thresholds, &table);
    size_t n_changes = 0;
    for (size_t i = 0; i < table.n_rows; i++)
        n_changes += table.rows[i].is_change;
    difference_table_release(&table);
    difference_free(difference);
    return n_changes;
}

// Of 200 tables of noise at most 5 % may show a change: 10 expected at most, 20 is 3 standard
// deviations away. A shift of 20 standard deviations is seen in each.
TEST(test_noise_is_no_change)
{
    uint64_t generator = 1;
    size_t n_false = 0;
    for (int i = 0; i < 200; i++) {
        n_false += count_noisy_changes(&generator, 0) > 0;
        assert_true(count_noisy_changes(&generator, 2e5) > 0);
    }
    assert_uint_in_range(n_false, 0, 20);
}

TEST(test_top_down)
{
    struct difference *difference = difference_new();
    for (enum difference_group group = DIFFERENCE_A; group <= DIFFERENCE_B; group++) {
        size_t run = difference_add_run(difference, group, group ? 2000 : 1000, 1);
        difference_add(difference, run, "/CallPath/main", "/Process/0", "", 100);
        difference_add(difference, run, "/CallPath/main/same/inner", "/Process/0", "", 400);
        difference_add(difference, run, "/CallPath/main/slow", "/Process/0", "", 400);
        difference_add(difference, run, "/CallPath/main/slow/inner", "/Process/0", "",
                       group ? 1000 : 100);
        if (group)
            difference_add(difference, run, "/CallPath/main/slow.new", "/Process/0", "", 100);
    }
    struct difference_table table;
    difference_descend(difference, &no_thresholds, false, &table);
    static const char *const expected[] = {"/CallPath/main", "/CallPath/main/slow",
                                           "/CallPath/main/slow/inner", "/CallPath/main/slow.new",
                                           "/CallPath/main/same"};
    static const int64_t changes_ns[] = {1000, 900, 900, 100, 0};
    static const bool is_change[] = {true, true, true, false, false}; // new: not compared
    assert_int_equal(table.n_rows, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(table.rows[i].call_path, expected[i]);
        assert_int_equal(table.rows[i].change_ns, changes_ns[i]);
        assert_int_equal(table.rows[i].is_change, is_change[i]);
    }
    assert_false(table.rows[3].is_in_a);
    difference_table_release(&table);
    difference_free(difference);
}
