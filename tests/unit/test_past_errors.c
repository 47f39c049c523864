// SPDX-License-Identifier: BSD-3-Clause
// Intervals from past errors, on databases of random predictions and the runs that measured them:
// they hold as many new runs as they say, keep the sign of errors, and count repeated runs once.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/compare/back_test.h"
#include "db/database.h"
#include "tests/unit/unit_test.h"

static uint64_t state;

/// Between 0 and 1, by splitmix64.
static double uniform(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

// ---- how measured over predicted times are distributed

typedef double distribution(void);

static double even(void)
{
    return exp(0.1 * normal());
}

/// Measured runs are longer only, most by little.
static double one_sided(void)
{
    return exp(0.05 + pow(uniform(), 4));
}

/// Most within 2 %, some far off, up to a factor of 400 either way.
static double wild(void)
{
    return exp(fmax(fmin(0.02 * tan(acos(-1) * (uniform() - 0.5)), 6), -6));
}

// ---- databases

static void run(struct database *database, char *sql)
{
    struct error err = {{0}};
    if (database_run(database, sql, &err))
        fail_msg("%s", err.text);
    free(sql);
}

static struct database *new_database(void)
{
    struct database *database;
    struct error err = {{0}};
    if (database_open_memory(&database, "runs.db", &err))
        fail_msg("%s", err.text);
    run(database,
        memory_copy_text("BEGIN; INSERT INTO application VALUES (1, 'app');"
                         "INSERT INTO experiment VALUES (1, 1, 'e');"
                         "INSERT INTO resource VALUES (1001, 3, 'node01.a', '/Machine/node01.a'),"
                         "(1002, 3, 'node17.a', '/Machine/node17.a'),"
                         "(1003, 3, 'other1', '/Machine/other1')"));
    return database;
}

static void add_trial(struct database *database, int id, const char *origin, double seconds)
{
    run(database, memory_format("INSERT INTO trial (id, experiment_id, name, origin, stored_at, "
                                "n_ranks, n_nodes, n_locations, n_events, n_messages, "
                                "n_collectives, n_clock_violations, has_unreadable_records, "
                                "time_ns) VALUES (%d, 1, 'r%d', '%s', '', 4, 1, 4, 9, 0, 0, 0, 0, "
                                "%.0f)",
                                id, id, origin, 1e9 * seconds));
}

static void add_parameter(struct database *database, int id, const char *name, int value)
{
    run(database, memory_format("INSERT INTO trial_attribute (trial_id, kind, name, value) VALUES "
                                "(%d, 'parameter', '%s', '%d')",
                                id, name, value));
}

enum { IDS = 100 }; // of trials of a question

/// A run of size NUMBER on NODE, its prediction by CHANGE as PREDICTED, not yet measured.
static void predict(struct database *database, int number, int node, const char *change,
                    double predicted)
{
    int id = number * IDS;
    add_trial(database, id, "measured", 2 * predicted);
    add_parameter(database, id, "size", number);
    run(database, memory_format("INSERT INTO trial_node VALUES (%d, %d, 4, 4)", id, node));
    add_trial(database, id + 1, "predicted", predicted);
    add_parameter(database, id + 1, "cores", 2);
    run(database, memory_format("INSERT INTO prediction (trial_id, measured_id, change, "
                                "replay_error) VALUES (%d, %d, '%s', 0.01)",
                                id + 1, id, change));
}

/// The run K that measures the prediction NUMBER.
static void measure(struct database *database, int number, int k, double seconds)
{
    int id = number * IDS + 2 + k;
    add_trial(database, id, "measured", seconds);
    add_parameter(database, id, "size", number);
    add_parameter(database, id, "cores", 2);
}

static struct past_errors ask(struct database *database, const char *change, const char *nodes)
{
    struct back_test test;
    struct past_errors errors;
    struct error err = {{0}};
    if (back_test_read(database, NULL, NULL, BACK_TEST_STORED, &test, &err))
        fail_msg("%s", err.text);
    past_errors_of_change(&test, change, nodes, &errors);
    back_test_release(&test);
    return errors;
}

// ---- tests

/// A database with N predictions, whose errors are DRAWn; is a further run within the interval?
static bool holds(distribution *draw, int n, double coverage)
{
    struct database *database = new_database();
    for (int i = 1; i <= n; i++) {
        double predicted = exp(4 * uniform());
        predict(database, i, 1001, "--cores 2", predicted);
        measure(database, i, 0, predicted * draw());
    }
    struct past_errors errors = ask(database, "--cores 8", "node99");
    database_close(database);
    assert_int_equal(errors.n, n);
    assert_string_equal(errors.kind, "--cores");
    assert_string_equal(errors.machine, "node");
    assert_true(errors.coverage == coverage);
    struct expected_time expected = expected_time(&errors, 5000000000, 4000000000, 0.01);
    assert_true(expected.is_by_past_errors);
    double measured_ns = 1e9 + 4e9 * draw(); // the rest is not judged
    past_errors_release(&errors);
    return (double)expected.low_ns <= measured_ns && measured_ns <= (double)expected.high_ns;
}

/// Of N_LEAST to N_MOST past errors the interval leaves out K at each end, (n + 1) tail rounded
/// down, and a further one is anywhere among these with equal probability.
static void check_coverage(distribution *draw, int n_least, int n_most, double coverage)
{
    enum { DATABASES = 150 };
    double n_held = 0, expected = 0, variance = 0, tail = (1 - coverage) / 2;
    for (int i = 0; i < DATABASES; i++) {
        int n = n_least + (int)(uniform() * (n_most + 1 - n_least));
        double share = (n + 1 - 2 * floor((n + 1) * tail + 1e-9)) / (n + 1);
        assert_true(share >= coverage - 1e-9);
        n_held += holds(draw, n, coverage);
        expected += share;
        variance += share * (1 - share);
    }
    print_message("%.1f %% of runs held, %.1f %% expected, %.0f %% said\n",
                  100 * n_held / DATABASES, 100 * expected / DATABASES, 100 * coverage);
    assert_true(fabs(n_held - expected) < 4 * sqrt(variance));
}

TEST(test_intervals_hold_as_many_runs_as_they_say)
{
    state = 1;
    check_coverage(even, 19, 60, 0.9);
    check_coverage(one_sided, 19, 60, 0.9);
    check_coverage(wild, 19, 60, 0.9);
    check_coverage(one_sided, 9, 18, 0.8);
}

TEST(test_errors_keep_their_sign)
{
    state = 2;
    struct database *database = new_database();
    for (int i = 1; i <= 19; i++) {
        predict(database, i, 1001, "--cores 2", 1);
        measure(database, i, 0, 1.1 + 0.01 * i);
    }
    struct past_errors errors = ask(database, "--cores 2", "node01.a");
    struct expected_time expected = expected_time(&errors, 2000000000, 1000000000, 0.01);
    assert_int_equal(expected.low_ns, 2110000000); // all runs took longer than predicted
    assert_int_equal(expected.high_ns, 2290000000);
    past_errors_release(&errors);
    database_close(database);
}

TEST(test_too_few_errors_tell_nothing)
{
    struct database *database = new_database();
    for (int i = 1; i <= 8; i++) {
        predict(database, i, 1001, "--cores 2", 1);
        for (int k = 0; k < 20; k++) // which repeat one question
            measure(database, i, k, 1.2);
    }
    predict(database, 9, 1001, "--cores 2", 1); // never measured
    struct past_errors errors = ask(database, "--cores 2", "node01");
    assert_int_equal(errors.n, 8);
    assert_true(errors.coverage == 0);
    struct expected_time expected = expected_time(&errors, 2000000000, 1000000000, -0.05);
    assert_false(expected.is_by_past_errors);
    assert_int_equal(expected.low_ns, 1900000000);
    assert_int_equal(expected.high_ns, 2100000000);
    past_errors_release(&errors);
    measure(database, 9, 0, 1.3); // the ninth allows 80 %
    errors = ask(database, "--cores 2", "node01");
    assert_int_equal(errors.n, 9);
    assert_true(errors.coverage == 0.8 && errors.least == 1.2 && errors.most == 1.3);
    past_errors_release(&errors);
    database_close(database);
}

/// One question with many runs weighs as much as one with a single run.
TEST(test_repeated_runs_share_a_weight)
{
    struct database *database = new_database();
    for (int i = 1; i <= 40; i++) {
        predict(database, i, 1001, "--cores 2", 1);
        for (int k = 0; k < (i == 40 ? 90 : 1); k++)
            measure(database, i, k, i == 40 ? 3 + 0.01 * k : 1 + 0.001 * i);
    }
    // 41 * 0.05 is 2.05: one of the 40 may lie beyond each end, the one with all the runs above,
    // with all but the first of these.
    struct past_errors errors = ask(database, "--cores 2", "node01");
    assert_int_equal(errors.n, 40);
    assert_true(fabs(errors.least - 1.002) < 1e-12 && fabs(errors.most - 1.039) < 1e-12);
    past_errors_release(&errors);
    database_close(database);
}

TEST(test_the_same_kind_and_machine_count)
{
    struct database *database = new_database();
    for (int i = 1; i <= 9; i++) {
        predict(database, i, i % 2 ? 1001 : 1002, "--latency 1us --cores 2", 1);
        measure(database, i, 0, 1.1);
        predict(database, 20 + i, 1003, "--cores 2 --latency 2us --cores 3", 1);
        measure(database, 20 + i, 0, 1.5);
        predict(database, 40 + i, 1003, "--cores 2", 1);
        measure(database, 40 + i, 0, 0.5);
    }
    struct past_errors errors = ask(database, "--cores 2 --latency 5us", "node02.b\nnode03");
    assert_string_equal(errors.kind, "--cores --latency");
    assert_string_equal(errors.machine, "node");
    assert_true(errors.n == 9 && errors.least == 1.1 && errors.most == 1.1);
    past_errors_release(&errors);
    errors = ask(database, "--cores 2 --latency 5us", "other7");
    assert_string_equal(errors.machine, "other");
    assert_true(errors.n == 9 && errors.least == 1.5);
    past_errors_release(&errors);
    errors = ask(database, "--cores 2 --latency 5us", "third");
    assert_null(errors.machine);
    assert_true(errors.n == 18 && errors.least == 1.1 && errors.most == 1.5);
    past_errors_release(&errors);
    errors = ask(database, "--place a=0-3", "node01");
    assert_true(errors.n == 0 && errors.coverage == 0);
    past_errors_release(&errors);
    database_close(database);
}

TEST(test_names_of_machines)
{
    static const char *const cases[][2] = {{"node01.site\nnode017.site\nlogin", "login, node"},
                                           {"vm", "vm"},
                                           {"17", "17"},
                                           {"n-2b", "n-2b"},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SCOPED char *name = machine_name(cases[i][0]);
        assert_string_equal(name, cases[i][1]);
    }
}
