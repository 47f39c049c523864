// SPDX-License-Identifier: BSD-3-Clause
// What no command shows of databases: the journal by file system, steps of schemas that fail,
// limits of SQL, and that half a run in the journal is gone with the process that wrote it. All
// else: tests/cli/store*.bats.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "analyzer/base/memory.h"
#include "db/database.h"
#include "db/query/query.h"
#include "db/schema.h"
#include "db/writer.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"

static char *directory; // of the running test
static char *path;      // of a database that was just made in it

static struct database *open_database(void)
{
    struct database *database;
    struct error err = {{0}};
    if (database_open(&database, path, DATABASE_CREATE, &err))
        fail_msg("%s", err.text);
    return database;
}

static int set_up(void **state)
{
    directory = scratch_directory();
    path = memory_format("%s/runs.db", directory);
    database_close(open_database());
    return 0;
}

static int tear_down(void **state)
{
    free(path);
    scratch_remove(directory);
    return 0;
}

/// The first column of SQL's only row, read by a connection that knows nothing of ours. Valid until
/// the next call.
static const char *answer(const char *sql)
{
    static char text[100];
    sqlite3 *handle;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    return text;
}

TEST(test_journal_by_file_system)
{
    static const int64_t network[] = {
        0x6969 /* NFS */,        0xFF534D42 /* CIFS */, 0xFE534D42 /* SMB2 */,
        0x0BD00BD0 /* Lustre */, 0x47504653 /* GPFS */, 0x19830326 /* BeeGFS */,
        0x65735546 /* FUSE */,   0x00C36400 /* Ceph */, 0};
    for (size_t i = 0; i < sizeof network / sizeof network[0]; i++)
        assert_false(database_is_local_filesystem(network[i]));
    assert_true(database_is_local_filesystem(0xEF53));
    assert_true(database_is_local_filesystem(0x01021994));
    // Sign-extended on machines where the kernel's type is a signed 32-bit number.
    assert_true(database_is_local_filesystem((int64_t)(int32_t)0x9123683E));
    struct statfs here;
    assert_int_equal(statfs(directory, &here), 0);
    assert_string_equal(answer("PRAGMA journal_mode"),
                        database_is_local_filesystem(here.f_type) ? "wal" : "delete");
    // Nothing but the one file is left after the last process is gone.
    SCOPED char *log = memory_format("%s-wal", path);
    assert_int_not_equal(access(log, F_OK), 0);
}

static const char *const test_steps[] = {
    "CREATE TABLE a (x); INSERT INTO a VALUES (1)",
    "ALTER TABLE a ADD COLUMN y DEFAULT 5; CREATE VIEW b AS SELECT x + y AS z FROM a",
    "UPDATE a SET x = 2; CREATE TABLE a (is there already)",
};

TEST(test_steps_are_applied_once_and_in_order)
{
    struct error err = {{0}};
    struct database *database = open_database();
    assert_int_equal(database_run(database, "PRAGMA user_version = 0", &err), 0);
    assert_int_equal(database_migrate(database, test_steps, 1, &err), 0);
    assert_int_equal(database_migrate(database, test_steps, 1, &err), 0);
    assert_string_equal(answer("SELECT count(*) FROM a"), "1");
    assert_int_equal(database_migrate(database, test_steps, 2, &err), 0);
    assert_string_equal(answer("SELECT z FROM b"), "6");
    assert_string_equal(answer("PRAGMA user_version"), "2");
    // A step that fails leaves the version before it, whole.
    assert_int_equal(database_migrate(database, test_steps, 3, &err), -1);
    assert_non_null(strstr(err.text, "from schema 2 to 3"));
    assert_string_equal(answer("SELECT x FROM a"), "1");
    assert_string_equal(answer("PRAGMA user_version"), "2");
    database_close(database);
}

/// Half a run in an open transaction of which pages have reached the file, then death without a
/// chance to clean up. Exits normally when something goes wrong before.
static void write_half_and_die(void)
{
    static const char begin[] =
        "PRAGMA cache_size = 10; INSERT INTO application (name) VALUES ('ring'); "
        "INSERT INTO experiment (application_id, name) VALUES (1, 'default'); "
        "INSERT INTO metric (name, unit, description, adds_up_over) VALUES ('n', '', '', "
        "'nothing'); "
        "INSERT INTO trial (experiment_id, name, origin, stored_at, "
        "n_ranks, n_nodes, n_locations, n_events, n_messages, n_collectives, n_clock_violations, "
        "has_unreadable_records, time_ns) VALUES (1, 'half', 'measured', '', 1, 1, 1, 1, 0, 0, 0, "
        "0, 1)";
    struct database *database;
    struct writer writer = {.trial_id = 1};
    struct writer_focus focus = writer_whole_program;
    const struct writer_resource parent = {ROOT_PROCESS, (char *)"/Process"};
    if (database_open(&database, path, DATABASE_WRITE, NULL) || database_begin(database, NULL) ||
        database_run(database, begin, NULL))
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

TEST(test_killed_in_the_middle)
{
    pid_t child = fork();
    if (child == 0)
        write_half_and_die();
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    // Much of the half run was in the journal already.
    SCOPED char *journal = memory_format("%s-wal", path);
    struct stat file;
    if (stat(journal, &file) == 0)
        assert_true(file.st_size > 100000);
    assert_string_equal(answer("PRAGMA integrity_check"), "ok");
    assert_string_equal(answer("SELECT count(*) FROM trial"), "0");
    assert_string_equal(answer("SELECT count(*) FROM tuple"), "0");
    assert_string_equal(answer("SELECT count(*) FROM resource WHERE parent_id > 0"), "0");
    assert_string_equal(answer("SELECT count(*) FROM focus"), "1");
    database_close(open_database());
}

static void ignore_columns(void *user, const char *const *names, size_t n_columns)
{
}

static void count_row(void *user, const struct sql_value *values, size_t n_columns)
{
    ++*(size_t *)user;
}

TEST(test_sql_without_an_end)
{
    size_t n_rows = 0;
    const struct sql_limits limits = {.seconds = 0.1, .size_bytes = 4 << 20};
    const struct sql_consumer consumer = {ignore_columns, count_row, &n_rows};
    struct error err = {{0}};
    const char *endless = "WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) "
                          "SELECT count(*) FROM x";
    assert_int_equal(sql_query(path, endless, &limits, &consumer, &err), -1);
    assert_string_equal(err.text, "the SQL took more than 0.1 s: select less, or use sqlite3");
    assert_int_equal(n_rows, 0);
    // Neither limit holds for what is done next.
    assert_int_equal(
        sql_query(path, "SELECT zeroblob(8000000)", &sql_default_limits, &consumer, &err), 0);
    assert_int_equal(n_rows, 1);
}

AROUND_EACH(set_up, tear_down)
