// SPDX-License-Identifier: BSD-3-Clause
// Opening: which files are ours, what is said about the others, and that those stay as they are;
// the schema's steps; the journal by file system.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "analyzer/base/memory.h"
#include "db/database.h"
#include "db/schema.h"
#include "db/trials.h"
#include "tests/unit/sample_run.h"
#include "tests/unit/scratch_database.h"

/// Opening PATH must fail with a sentence that begins with PATH's name or holds EXPECTED.
static void assert_refused(const char *path, enum database_mode mode, const char *expected)
{
    struct database *database;
    struct error err = {{0}};
    assert_int_equal(database_open(&database, path, mode, &err), -1);
    assert_null(database);
    if (!strstr(err.text, expected))
        fail_msg("\"%s\" does not hold \"%s\"", err.text, expected);
    assert_null(strchr(err.text, '\n'));
}

static void write_file(const char *bytes, size_t length)
{
    FILE *file = fopen(scratch_path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static char *read_file(size_t *length)
{
    FILE *file = fopen(scratch_path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = memory_new(*length + 1);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

static void test_missing_file(void **state)
{
    (void)state;
    assert_refused(scratch_path, DATABASE_READ, "No such file or directory");
    assert_refused(scratch_path, DATABASE_WRITE, "No such file or directory");
    assert_int_not_equal(access(scratch_path, F_OK), 0);
    assert_refused("", DATABASE_CREATE, "name is empty");
    assert_refused(scratch_folder, DATABASE_CREATE, "it is a directory");
    assert_refused("/nowhere/at/all.db", DATABASE_CREATE, "its directory does not exist");
    assert_refused("/proc/runs.db", DATABASE_CREATE, "cannot open the database /proc/runs.db");
}

static void test_foreign_files_stay_as_they_are(void **state)
{
    (void)state;
    static const char text[] = "This is a letter, longer than a page header of a hundred bytes "
                               "must be, so that nobody takes it for a short file.\n";
    size_t length;
    write_file(text, sizeof text);
    assert_refused(scratch_path, DATABASE_CREATE, "is not a Pagoda database");
    assert_refused(scratch_path, DATABASE_READ, "is not a Pagoda database");
    char *bytes = read_file(&length);
    assert_int_equal(length, sizeof text);
    assert_memory_equal(bytes, text, length);
    free(bytes);

    unlink(scratch_path);
    scratch_run("CREATE TABLE bookmarks (url)");
    char *before = read_file(&length);
    assert_refused(scratch_path, DATABASE_CREATE, "is not a Pagoda database but another program's");
    assert_refused(scratch_path, DATABASE_WRITE, "is not a Pagoda database but another program's");
    size_t length_after;
    char *after = read_file(&length_after);
    assert_int_equal(length, length_after);
    assert_memory_equal(before, after, length);
    free(before);
    free(after);
}

static void test_foreign_marks(void **state)
{
    (void)state;
    scratch_run("PRAGMA application_id = 252006674"); // a fossil repository's
    assert_refused(scratch_path, DATABASE_CREATE, "another program's");
    scratch_run("PRAGMA application_id = 0; PRAGMA user_version = 1");
    assert_refused(scratch_path, DATABASE_CREATE, "another program's");
}

static void test_empty_file(void **state)
{
    (void)state;
    write_file("", 0);
    assert_refused(scratch_path, DATABASE_READ, "it is empty");
    assert_refused(scratch_path, DATABASE_WRITE, "it is empty");
    scratch_store_sample(NULL);
    assert_string_equal(scratch_answer("SELECT count(*) FROM trial"), "1");
}

static void test_newer_schema(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    scratch_run("PRAGMA user_version = 99");
    assert_refused(scratch_path, DATABASE_READ, "has schema 99 of a newer Pagoda");
    assert_refused(scratch_path, DATABASE_CREATE, "use the newer Pagoda");
    scratch_run("PRAGMA user_version = 7");
    scratch_store_sample(NULL);
    assert_string_equal(scratch_answer("SELECT count(*) FROM trial"), "2");
}

static void test_damaged_database(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    struct stat status;
    assert_int_equal(stat(scratch_path, &status), 0);
    // Everything behind the first page's header, which still says that the file is ours.
    FILE *file = fopen(scratch_path, "r+");
    assert_non_null(file);
    fseek(file, 100, SEEK_SET);
    for (off_t i = 100; i < status.st_size; i++)
        fputc(0xA5, file);
    fclose(file);
    assert_refused(scratch_path, DATABASE_READ, "is damaged");
    assert_refused(scratch_path, DATABASE_CREATE, "is damaged");
}

static void test_truncated_database(void **state)
{
    (void)state;
    struct result run;
    struct error err = {{0}};
    scratch_store_sample(NULL);
    assert_int_equal(truncate(scratch_path, 8192), 0);
    sample_run_init(&run);
    assert_int_equal(store_result(scratch_path, &run, NULL, &err), -1);
    assert_non_null(strstr(err.text, "is damaged"));
    result_release(&run);
}

static void test_names_sqlite_would_read_otherwise(void **state)
{
    (void)state;
    static const char *const names[] = {":memory:", "file:x?mode=memory", "a b?#%.db", "é.db"};
    char old_folder[4096];
    assert_non_null(getcwd(old_folder, sizeof old_folder));
    assert_int_equal(chdir(scratch_folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct result run;
        struct error err = {{0}};
        sample_run_init(&run);
        if (store_result(names[i], &run, NULL, &err))
            fail_msg("%s", err.text);
        result_release(&run);
        assert_int_equal(unlink(names[i]), 0);
    }
    assert_int_equal(chdir(old_folder), 0);
}

static void test_is_marked(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    assert_string_equal(scratch_answer("PRAGMA application_id"), "1346847809"); // "PGDA"
    assert_string_equal(scratch_answer("PRAGMA user_version"), "7");
}

static void test_journal_by_file_system(void **state)
{
    (void)state;
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
    assert_int_equal(statfs(scratch_folder, &here), 0);
    scratch_store_sample(NULL);
    assert_string_equal(scratch_answer("PRAGMA journal_mode"),
                        database_is_local_filesystem(here.f_type) ? "wal" : "delete");
    // Nothing but the one file is left after the last process is gone.
    char log[5000];
    snprintf(log, sizeof log, "%s-wal", scratch_path);
    assert_int_not_equal(access(log, F_OK), 0);
}

static const char *const test_steps[] = {
    "CREATE TABLE a (x); INSERT INTO a VALUES (1)",
    "ALTER TABLE a ADD COLUMN y DEFAULT 5; CREATE VIEW b AS SELECT x + y AS z FROM a",
    "UPDATE a SET x = 2; CREATE TABLE a (is there already)",
};

static void test_steps_are_applied_once_and_in_order(void **state)
{
    (void)state;
    struct error err = {{0}};
    scratch_run("PRAGMA user_version = 0");
    struct database *database;
    assert_int_equal(database_open(&database, scratch_path, DATABASE_CREATE, &err), 0);
    // Down to an empty file again: the steps of the test, not the real ones.
    database_close(database);
    scratch_setup(NULL);
    scratch_run("PRAGMA user_version = 0");
    assert_int_equal(database_open(&database, scratch_path, DATABASE_CREATE, &err), 0);
    assert_int_equal(database_run(database, "PRAGMA user_version = 0", &err), 0);
    assert_int_equal(database_migrate(database, test_steps, 1, &err), 0);
    assert_int_equal(database_migrate(database, test_steps, 1, &err), 0);
    assert_string_equal(scratch_answer("SELECT count(*) FROM a"), "1");
    assert_int_equal(database_migrate(database, test_steps, 2, &err), 0);
    assert_string_equal(scratch_answer("SELECT z FROM b"), "6");
    assert_string_equal(scratch_answer("PRAGMA user_version"), "2");
    // A step that fails leaves the version before it, whole.
    assert_int_equal(database_migrate(database, test_steps, 3, &err), -1);
    assert_non_null(strstr(err.text, "from schema 2 to 3"));
    assert_string_equal(scratch_answer("SELECT x FROM a"), "1");
    assert_string_equal(scratch_answer("PRAGMA user_version"), "2");
    database_close(database);
}

/// The file at PATH; the caller frees.
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = memory_zeroed(length + 1, 1);
    assert_int_equal(fread(text, 1, length, file), length);
    fclose(file);
    return text;
}

/// All SQL that makes the schema of the scratch database, as one text to be freed.
static char *schema_text(void)
{
    static const char all[] =
        "SELECT group_concat(type || name || replace(replace(replace(sql, ' ', ''), char(10), ''), "
        "'\"', '')) FROM (SELECT * FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name)";
    sqlite3 *handle;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(scratch_path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(handle, all, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    char *text = memory_copy_text((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    return text;
}

/// A database of each schema that was released becomes a current one when it is opened, with all
/// that was in it, and nobody can tell the difference.
static void test_each_released_schema_becomes_the_current_one(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    char *current = schema_text();
    for (uint32_t version = 1; version < schema_version; version++) {
        char path[100];
        snprintf(path, sizeof path, "tests/databases/schema-%u.sql", version);
        char *sql = read_text(path);
        scratch_setup(NULL);
        scratch_run(sql);
        free(sql);
        char expected[12];
        snprintf(expected, sizeof expected, "%u", version);
        assert_string_equal(scratch_answer("PRAGMA user_version"), expected);
        struct trial_details details;
        struct error err = {{0}};
        if (trial_read(scratch_path, "measured", &details, &err))
            fail_msg("%s", err.text);
        assert_int_equal(details.summary.time_ns, 9040000);
        assert_int_equal(details.properties.rows[0].time_ns, 4000000);
        trial_details_release(&details);
        snprintf(expected, sizeof expected, "%u", schema_version);
        assert_string_equal(scratch_answer("PRAGMA user_version"), expected);
        scratch_assert_sound();
        char *made = schema_text();
        assert_string_equal(made, current);
        free(made);
        // What a newer step added is filled from what was there.
        assert_string_equal(
            scratch_answer("SELECT sum(n_ranks) FROM trial_node WHERE trial_id = 1"), "2");
        assert_string_equal(scratch_answer("SELECT role FROM parameters WHERE parameter = 'size' "
                                           "AND trial_id = 1"),
                            "free");
        assert_string_equal(scratch_answer("SELECT count(*) FROM points_not_run"),
                            version < 4 ? "0" : "1");
        assert_string_equal(scratch_answer("SELECT count(*) - count(git_branch) - (SELECT count(*) "
                                           "FROM trial) FROM environments"),
                            "0");
        assert_string_equal(scratch_answer("SELECT count(*) FROM intervals"), "0");
        assert_string_equal(
            scratch_answer("SELECT sum(wait_ns) || ' ' || (SELECT sum(wait_ns) FROM "
                           "wait_states_by_rank WHERE trial_id = 1 AND property = "
                           "'late-sender') FROM "
                           "property_instances WHERE trial_id = 1 AND property = "
                           "'late-sender'"),
            "4000000 4000000");
        assert_string_equal(
            scratch_answer("SELECT judged_ns || ' ' || time_ns FROM trials WHERE trial_id = 1"),
            "7015000 9040000");
        assert_string_equal(scratch_answer("SELECT n_ranks || ' ' || speedup FROM speedups"),
                            "2 1.0");
        scratch_store_sample(NULL);
    }
    free(current);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_missing_file),
        SCRATCH_TEST(test_foreign_files_stay_as_they_are),
        SCRATCH_TEST(test_foreign_marks),
        SCRATCH_TEST(test_empty_file),
        SCRATCH_TEST(test_newer_schema),
        SCRATCH_TEST(test_damaged_database),
        SCRATCH_TEST(test_truncated_database),
        SCRATCH_TEST(test_names_sqlite_would_read_otherwise),
        SCRATCH_TEST(test_is_marked),
        SCRATCH_TEST(test_journal_by_file_system),
        SCRATCH_TEST(test_steps_are_applied_once_and_in_order),
        SCRATCH_TEST(test_each_released_schema_becomes_the_current_one),
    };
    return cmocka_run_group_tests_name("store database", tests, scratch_group_setup,
                                       scratch_group_teardown);
}
