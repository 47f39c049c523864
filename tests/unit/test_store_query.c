// SPDX-License-Identifier: BSD-3-Clause
// Questions to a database: values by focus over several trials, and what is said when a trial,
// metric, focus or resource does not exist.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/base/memory.h"
#include "db/query/query.h"
#include "db/query/selection.h"
#include "db/query/sql.h"
#include "db/trials.h"
#include "tests/unit/sample_run.h"
#include "tests/unit/scratch_database.h"

/// Answers as "trial:value/n_values" with spaces between.
static void add_answer(const struct query_value *value, void *user)
{
    char *answers = user;
    size_t length = strlen(answers);
    snprintf(answers + length, 200 - length, "%s%d:%g/%d", length ? " " : "", (int)value->trial_id,
             value->value, (int)value->n_values);
}

/// Asks for the values of all trials.
static int ask(const char *metric, const char *focus, char *answers, struct error *err)
{
    const struct trial_conditions any = {0};
    struct trial_group all;
    struct database *database;
    if (database_open_snapshot(&database, scratch_path, err))
        return -1;
    int status = trial_selection_find(database, &any, &all, err);
    const struct query_question question = {
        .metric = metric, .focus = focus, .trials = all.ids, .n_trials = all.n_ids};
    if (status == 0)
        status = query_metric(database, &question, add_answer, answers, err);
    trial_group_release(&all);
    database_close(database);
    return status;
}

static void assert_values(const char *metric, const char *focus, const char *expected)
{
    char answers[200] = "";
    struct error err = {{0}};
    if (ask(metric, focus, answers, &err))
        fail_msg("%s", err.text);
    if (strcmp(answers, expected))
        fail_msg("%s of %s is \"%s\", not \"%s\"", metric, focus, answers, expected);
}

static void assert_no_answer(const char *metric, const char *focus, const char *expected)
{
    char answers[200] = "";
    struct error err = {{0}};
    assert_int_equal(ask(metric, focus, answers, &err), -1);
    if (!strstr(err.text, expected))
        fail_msg("\"%s\" does not hold \"%s\"", err.text, expected);
    assert_string_equal(answers, "");
}

static void test_values_add_up_within_a_focus(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    assert_values("exclusive_ns", "</Code, /Machine, /Process>", "1:2000/8");
    assert_values("exclusive_ns", "/Process/1", "1:1000/4");
    assert_values("exclusive_ns", "/CallPath/main/solve", "1:1300/4");
    assert_values("exclusive_ns", "/CallPath/main/solve, /Process/1", "1:650/2");
    assert_values("exclusive_ns", "/Code/solve.c", "1:1000/2");
    assert_values("exclusive_ns", "/Code/(MPI,solve.c)", "1:1300/4");
    assert_values("exclusive_ns", "/Code/MPI/MPI_Recv, /Process/(0,1)", "1:300/2");
    assert_values("exclusive_ns", "/Code/MPI, /CallPath/main/solve, /Process/0", "1:200/1");
}

static void test_a_focus_names_parts_not_prefixes(void **state)
{
    (void)state;
    struct result run;
    struct error err = {{0}};
    sample_run_init(&run);
    // "solve" and "solve2" are siblings: the one is no part of the other.
    free(run.regions[2].name);
    run.regions[2].name = memory_copy_text("solve2");
    run.paths[2].parent = 0;
    assert_int_equal(store_result(scratch_path, &run, NULL, &err), 0);
    result_release(&run);
    assert_values("exclusive_ns", "/CallPath/main/solve", "1:1000/2");
    assert_values("exclusive_ns", "/CallPath/main/solve2", "1:300/2");
}

static void test_metrics_that_do_not_add_up(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    // Inclusive time holds that of the callees already.
    assert_values("inclusive_ns", "/CallPath/main", "1:2000/2");
    assert_values("inclusive_ns", "/CallPath/main/solve", "1:1300/2");
    assert_values("inclusive_ns", "/CallPath/main/solve, /Process/1", "1:650/1");
    assert_values("inclusive_ns", "</Code, /Machine, /Process>", "");
    assert_values("time_ns", "</Code, /Machine, /Process>", "1:1000/1");
    assert_values("time_ns", "/Process/0", "");
    assert_values("load_balance", "/Code", "1:0.9/1");
    assert_values("region_inclusive_ns", "/Code/solve.c/solve", "1:1300/1");
    assert_values("region_inclusive_ns", "/Code/solve.c", "");
}

static void test_machine_selects_the_ranks_that_ran_there(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    struct result run;
    struct error err = {{0}};
    sample_run_init(&run);
    run.ranks[0].node = 1; // in the second trial both ranks run on beta
    assert_int_equal(store_result(scratch_path, &run, NULL, &err), 0);
    result_release(&run);
    assert_values("useful_ns", "/Machine/alpha", "1:700/1");
    assert_values("useful_ns", "/Machine/beta", "1:701/1 2:1401/2");
    assert_values("useful_ns", "/Machine/(alpha,beta), /Process/0", "1:700/1 2:700/1");
    assert_values("useful_ns", "/Machine", "1:1401/2 2:1401/2");
}

static void test_waits_causes_and_messages(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    assert_values("late-sender.wait_ns", "/Code", "1:150/2");
    assert_values("late-sender.count", "/Code/MPI/MPI_Recv, /Process/0", "1:2/1");
    assert_values("late-sender.caused_ns", "/Process/1", "1:100/1");
    assert_values("message_bytes", "/Message/pair/0", "1:2048/1");
    assert_values("messages", "/Message", "1:3/2");
    assert_values("critical_path_ns", "/Code", "1:1000/3");
    assert_values("critical_path_ns", "/Code/solve.c/solve, /Process/1", "1:550/1");
}

static void test_hostile_names_are_found(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    char *focus = memory_format("< %s, /Process/1 >", sample_hostile_path);
    assert_values("visits", focus, "1:1/1");
    free(focus);
    assert_no_answer("visits", "/Code/x' OR '1'='1", "has no resource /Code/x' OR '1'='1");
}

/// Many values of foci that are not wanted, near the wanted ones.
static void test_many_foci(void **state)
{
    (void)state;
    struct result run;
    struct error err = {{0}};
    scratch_store_sample(NULL);
    sample_run_init(&run);
    sample_run_enlarge(&run, 300, 10);
    assert_int_equal(store_result(scratch_path, &run, NULL, &err), 0);
    result_release(&run);
    assert_values("visits", "/Code/more.c", "2:3600/3600");
    assert_values("visits", "/Code/more.c, /Process/(0,11)", "2:600/600");
    assert_values("visits", "/Code", "1:30/8 2:3630/3608");
    assert_values("visits", "/Machine/beta", "1:15/4 2:315/304");
}

/// The foci of a rank lie far apart, and trials end at different ones of them.
static void test_foci_far_apart(void **state)
{
    (void)state;
    static const struct {
        uint32_t n_paths, n_ranks;
    } sizes[] = {{20, 70}, {5, 70}, {20, 10}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct result run;
        struct error err = {{0}};
        sample_run_init(&run);
        sample_run_enlarge(&run, sizes[i].n_paths, sizes[i].n_ranks);
        assert_int_equal(store_result(scratch_path, &run, NULL, &err), 0);
        result_release(&run);
    }
    assert_values("visits", "/Code/more.c, /Process/30", "1:20/20 2:5/5");
    assert_values("visits", "/Code/more.c, /Process/(3,30,71)", "1:60/60 2:15/15 3:20/20");
    assert_values("visits", "/Code/more.c/(function_0,function_19), /Process/(11,71)",
                  "1:4/4 2:2/2 3:2/2");
    assert_values("visits", "/Process/71", "1:20/20 2:5/5");
}

static void test_questions_without_answer(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    assert_no_answer("exclusiv_ns", "/Code",
                     "has no metric \"exclusiv_ns\"; did you mean "
                     "\"exclusive_ns\"?");
    assert_no_answer("exclusive_ns", "/Code/nothing.c", "has no resource /Code/nothing.c");
    assert_no_answer("exclusive_ns", "/Zone/1", "has no resource /Zone/1");
    assert_no_answer("exclusive_ns", "Code", "a resource begins with /");
}

static void test_trials_by_name_and_number(void **state)
{
    (void)state;
    const struct store_names names[] = {{.experiment = "a", .trial = "same"},
                                        {.experiment = "b", .trial = "same"},
                                        {.experiment = "b", .trial = "1"},
                                        {.experiment = "b", .trial = "odd/name"}};
    for (size_t i = 0; i < 4; i++)
        scratch_store_sample(&names[i]);
    static const struct {
        const char *selector;
        int64_t id;
        const char *message;
    } cases[] = {{"a/same", 1, NULL},
                 {"ring/b/same", 2, NULL},
                 {"2", 2, NULL},
                 {"1", 3, NULL}, // a name goes before a number
                 {"odd/name", 4, NULL},
                 {"b/odd/name", 4, NULL},
                 {"same", 0, "more than one trial \"same\", numbers 1 and 2"},
                 {"sane", 0, "did you mean \"same\"?"},
                 {"99", 0, "has no trial \"99\""},
                 {"2x", 0, "has no trial \"2x\""},
                 {"-1", 0, "has no trial \"-1\""},
                 {"", 0, "has no trial \"\""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trial_details details;
        struct error err = {{0}};
        int status = trial_read(scratch_path, cases[i].selector, &details, &err);
        if (cases[i].id) {
            assert_int_equal(status, 0);
            assert_int_equal(details.summary.id, cases[i].id);
            trial_details_release(&details);
        } else {
            assert_int_equal(status, -1);
            if (!strstr(err.text, cases[i].message))
                fail_msg("\"%s\" does not hold \"%s\"", err.text, cases[i].message);
        }
    }
}

static void test_details(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    struct trial_details details;
    struct error err = {{0}};
    assert_int_equal(trial_read(scratch_path, "1", &details, &err), 0);
    assert_int_equal(details.summary.n_ranks, 2);
    assert_int_equal(details.summary.time_ns, 1000);
    assert_int_equal(details.n_messages, 3);
    assert_string_equal(details.conclusion, "Rank 0 waits for rank 1.");
    assert_int_equal(details.attributes.n_rows, 4);
    assert_string_equal(details.attributes.rows[1].name, "MPI_VERSION");
    assert_int_equal(details.metrics.n_rows, 5); // without the unknown efficiency
    assert_int_equal(details.properties.n_rows, 1);
    assert_int_equal(details.properties.rows[0].count, 3);
    assert_true(fabs(details.properties.rows[0].severity - 0.075) < 1e-12);
    assert_int_equal(details.regions.n_rows, 4);
    assert_string_equal(details.regions.rows[0].name, "solve");
    assert_int_equal(details.regions.rows[0].exclusive_ns, 1000);
    assert_int_equal(details.warnings.n_rows, 1);
    trial_details_release(&details);
}

static void ignore_columns(void *user, const char *const *names, size_t n_columns)
{
    (void)user, (void)names, (void)n_columns;
}

static void count_row(void *user, const struct sql_value *values, size_t n_columns)
{
    (void)values, (void)n_columns;
    ++*(size_t *)user;
}

static void test_sql_without_an_end(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    size_t n_rows = 0;
    const struct sql_limits limits = {.seconds = 0.1, .size_bytes = 4 << 20};
    const struct sql_taker taker = {ignore_columns, count_row, &n_rows};
    struct error err = {{0}};
    const char *endless = "WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) "
                          "SELECT count(*) FROM x";
    assert_int_equal(sql_query(scratch_path, endless, &limits, &taker, &err), -1);
    assert_string_equal(err.text, "the SQL took more than 0.1 s: select less, or use sqlite3");
    assert_int_equal(n_rows, 0);
    // Neither limit holds for what is done next.
    assert_int_equal(
        sql_query(scratch_path, "SELECT zeroblob(8000000)", &sql_default_limits, &taker, &err), 0);
    assert_int_equal(n_rows, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_values_add_up_within_a_focus),
        SCRATCH_TEST(test_a_focus_names_parts_not_prefixes),
        SCRATCH_TEST(test_metrics_that_do_not_add_up),
        SCRATCH_TEST(test_machine_selects_the_ranks_that_ran_there),
        SCRATCH_TEST(test_waits_causes_and_messages),
        SCRATCH_TEST(test_hostile_names_are_found),
        SCRATCH_TEST(test_many_foci),
        SCRATCH_TEST(test_foci_far_apart),
        SCRATCH_TEST(test_questions_without_answer),
        SCRATCH_TEST(test_trials_by_name_and_number),
        SCRATCH_TEST(test_details),
        SCRATCH_TEST(test_sql_without_an_end),
    };
    return cmocka_run_group_tests_name("store query", tests, scratch_group_setup,
                                       scratch_group_teardown);
}
