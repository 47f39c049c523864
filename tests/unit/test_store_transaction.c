// SPDX-License-Identifier: BSD-3-Clause
// Wholly or not at all: a run that is interrupted by kill -9 leaves the database as it was, several
// processes that store and read at once lose nothing and see no half run, a removal takes all.
// Kills at random moments: tests/store-kills.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/database.h"
#include "db/removal.h"
#include "db/schema.h"
#include "db/writer.h"
#include "tests/unit/sample_run.h"
#include "tests/unit/scratch_database.h"

/// Half a run in an open transaction of which pages have reached the file, then death without a
/// chance to clean up. Exits normally when something goes wrong before.
static void write_half_and_die(void)
{
    static const char begin[] =
        "PRAGMA cache_size = 10; INSERT INTO trial (experiment_id, name, origin, stored_at, "
        "n_ranks, n_nodes, n_locations, n_events, n_messages, n_collectives, n_clock_violations, "
        "has_unreadable_records, time_ns) VALUES (1, 'half', 'measured', '', 1, 1, 1, 1, 0, 0, 0, "
        "0, 1)";
    struct database *database;
    struct writer writer = {.trial_id = 2};
    struct writer_focus focus = writer_whole_program;
    const struct writer_resource parent = {ROOT_PROCESS, (char *)"/Process"};
    if (database_open(&database, scratch_path, DATABASE_WRITE, NULL) ||
        database_begin(database, NULL) || database_run(database, begin, NULL))
        _exit(1);
    writer.database = database;
    for (int i = 0; i < 20000; i++) {
        char name[16];
        struct writer_resource resource;
        int64_t id;
        snprintf(name, sizeof name, "p%d", i);
        if (writer_resource(&writer, &parent, name, &resource, NULL))
            _exit(2);
        focus.in[ROOT_PROCESS] = resource.id;
        if (writer_focus_id(&writer, &focus, &id, NULL) ||
            writer_count(&writer, 1, id, INTERVAL_RUN, 1, NULL))
            _exit(3);
    }
    raise(SIGKILL);
    _exit(4);
}

static void assert_same_answers(char (*before)[100], bool is_first)
{
    static const char *const questions[] = {
        "SELECT count(*) FROM trial", "SELECT count(*) FROM tuple", "SELECT count(*) FROM resource",
        "SELECT count(*) FROM focus", "SELECT sum(value) FROM tuple"};
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        if (is_first)
            snprintf(before[i], sizeof before[i], "%s", scratch_answer(questions[i]));
        else
            assert_string_equal(scratch_answer(questions[i]), before[i]);
    }
}

static void test_killed_in_the_middle(void **state)
{
    (void)state;
    char before[5][100];
    scratch_store_sample(NULL);
    assert_same_answers(before, true);
    pid_t child = fork();
    if (child == 0)
        write_half_and_die();
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    // Much of the half run was in the journal already.
    char journal[5000];
    struct stat file;
    snprintf(journal, sizeof journal, "%s-wal", scratch_path);
    if (stat(journal, &file) == 0)
        assert_true(file.st_size > 100000);
    scratch_assert_sound();
    assert_same_answers(before, false);
    scratch_store_sample(NULL);
    assert_string_equal(scratch_answer("SELECT count(*) FROM trial"), "2");
}

static void sleep_us(long us)
{
    const struct timespec pause = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&pause, NULL);
}

/// Stores RUN COUNT times, in a child; the exit status tells whether it worked.
static pid_t store_in_child(const struct result *run, int count)
{
    pid_t child = fork();
    if (child)
        return child;
    struct error err = {{0}};
    for (int i = 0; i < count; i++)
        if (store_result(scratch_path, run, NULL, &err)) {
            fprintf(stderr, "%s\n", err.text);
            _exit(1);
        }
    _exit(0);
}

/// Every trial that is there has as many values as every other.
static void assert_all_whole(void)
{
    scratch_assert_sound();
    assert_string_equal(
        scratch_answer("SELECT count(DISTINCT n) FROM (SELECT (SELECT count(*) FROM tuple "
                       "WHERE trial_id = trial.id) AS n FROM trial)"),
        "1");
}

static void test_first_run_killed_at_any_moment(void **state)
{
    struct result run;
    sample_run_init(&run);
    for (int round = 0; round < 30; round++) {
        scratch_setup(state);
        pid_t child = store_in_child(&run, 1);
        sleep_us(round * 500);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        struct error err = {{0}};
        if (store_result(scratch_path, &run, NULL, &err))
            fail_msg("%s", err.text);
    }
    result_release(&run);
    assert_all_whole();
}

static void read_while(pid_t *children, size_t n_children)
{
    for (size_t i = 0; i < n_children; i++) {
        int status;
        while (waitpid(children[i], &status, WNOHANG) == 0) {
            struct trial_list list;
            struct error err = {{0}};
            const struct trial_filter all = {0};
            if (trials_read(scratch_path, &all, &list, &err))
                fail_msg("%s", err.text);
            for (size_t j = 0; j < list.n_trials; j++)
                assert_false(list.trials[j].parallel_efficiency != 0.75);
            trial_list_release(&list);
            sleep_us(2000);
        }
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static void test_processes_store_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 8, RUNS = 5 };
    struct result run;
    sample_run_init(&run);
    sample_run_enlarge(&run, 20, 10);
    pid_t children[PROCESSES];
    // Nobody made the file before: they also race for the schema.
    for (int i = 0; i < PROCESSES; i++)
        children[i] = store_in_child(&run, RUNS);
    while (access(scratch_path, F_OK))
        sleep_us(100);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        if (i == 0) // until then a reader could find the file empty
            assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    }
    read_while(children + 1, PROCESSES - 1);
    result_release(&run);
    assert_all_whole();
    assert_string_equal(scratch_answer("SELECT count(*) || ' ' || count(DISTINCT name) FROM trial"),
                        "40 40");
    assert_string_equal(scratch_answer("SELECT count(*) FROM application"), "1");
}

static void test_removal_takes_all(void **state)
{
    (void)state;
    struct result run;
    struct error err = {{0}};
    scratch_store_sample(NULL);
    char foci[20], resources[20];
    snprintf(foci, sizeof foci, "%s", scratch_answer("SELECT count(*) FROM focus"));
    snprintf(resources, sizeof resources, "%s", scratch_answer("SELECT count(*) FROM resource"));
    sample_run_init(&run);
    sample_run_enlarge(&run, 3, 3);
    const struct store_names names = {.application = "other", .trial = "larger"};
    assert_int_equal(store_result(scratch_path, &run, &names, &err), 0);
    result_release(&run);

    struct removal removed;
    const char *larger[] = {"larger"};
    assert_int_equal(removal_run(scratch_path, NULL, larger, 1, &removed, &err), 0);
    assert_int_equal(removed.trials.n_trials, 1);
    assert_string_equal(removed.trials.trials[0].application, "other");
    removal_release(&removed);
    scratch_assert_sound();
    // What the first run has is all still there, and no more.
    assert_string_equal(scratch_answer("SELECT count(*) FROM focus"), foci);
    assert_string_equal(scratch_answer("SELECT count(*) FROM resource"), resources);
    assert_string_equal(scratch_answer("SELECT group_concat(name) FROM application"), "ring");

    const char *first[] = {"1", "1"};
    assert_int_equal(removal_run(scratch_path, NULL, first, 2, &removed, &err), 0);
    assert_int_equal(removed.trials.n_trials, 1);
    removal_release(&removed);
    scratch_assert_sound();
    static const char *const tables[] = {
        "application",    "experiment", "trial",           "tuple",         "property_instance",
        "trial_property", "trial_rank", "trial_attribute", "trial_warning", "time_interval",
        "trial_resource", "trial_hint", "trial_node"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
        assert_string_equal(scratch_answer(sql), "0");
    }
    assert_string_equal(scratch_answer("SELECT count(*) FROM resource"), "6");
    assert_string_equal(scratch_answer("SELECT count(*) FROM focus"), "1");
    scratch_store_sample(NULL);
    assert_string_equal(scratch_answer("SELECT id FROM trial"), "3");
}

static void test_removal_of_all_named_or_none(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    struct removal removed;
    struct error err = {{0}};
    const char *names[] = {"1", "no such trial"};
    assert_int_equal(removal_run(scratch_path, NULL, names, 2, &removed, &err), -1);
    assert_int_equal(removed.trials.n_trials, 0);
    assert_non_null(strstr(err.text, "has no trial \"no such trial\""));
    assert_string_equal(scratch_answer("SELECT count(*) FROM trial"), "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_killed_in_the_middle),
        SCRATCH_TEST(test_first_run_killed_at_any_moment),
        SCRATCH_TEST(test_processes_store_at_once),
        SCRATCH_TEST(test_removal_takes_all),
        SCRATCH_TEST(test_removal_of_all_named_or_none),
    };
    return cmocka_run_group_tests_name("store transaction", tests, scratch_group_setup,
                                       scratch_group_teardown);
}
