// SPDX-License-Identifier: BSD-3-Clause
// See scratch_database.h. SQLite is used here directly, without any code under test.
#include "tests/unit/scratch_database.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tests/tools/lib/scratch.h"
#include "tests/unit/sample_run.h"

char *scratch_folder;
char scratch_path[PATH_MAX];

int scratch_group_setup(void **state)
{
    (void)state;
    scratch_folder = scratch_directory();
    return 0;
}

int scratch_group_teardown(void **state)
{
    (void)state;
    int status = rmdir(scratch_folder); // what a test has left there is a mistake
    free(scratch_folder);
    return status;
}

int scratch_setup(void **state)
{
    (void)state;
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    snprintf(scratch_path, sizeof scratch_path, "%s/runs.db", scratch_folder);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char name[PATH_MAX + 10];
        snprintf(name, sizeof name, "%s%s", scratch_path, endings[i]);
        unlink(name);
    }
    return 0;
}

const char *scratch_answer(const char *sql)
{
    static char text[1000];
    sqlite3 *handle;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(scratch_path, &handle, SQLITE_OPEN_READWRITE, NULL),
                     SQLITE_OK);
    if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
    snprintf(text, sizeof text, "no row");
    if (sqlite3_step(statement) == SQLITE_ROW) {
        const unsigned char *value = sqlite3_column_text(statement, 0);
        snprintf(text, sizeof text, "%s", value ? (const char *)value : "NULL");
        assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
    }
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    return text;
}

void scratch_run(const char *sql)
{
    sqlite3 *handle;
    char *message = NULL;
    assert_int_equal(sqlite3_open(scratch_path, &handle), SQLITE_OK);
    if (sqlite3_exec(handle, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(handle);
}

void scratch_assert_sound(void)
{
    assert_string_equal(scratch_answer("PRAGMA integrity_check"), "ok");
    assert_string_equal(scratch_answer("PRAGMA foreign_key_check"), "no row");
}

void scratch_store_sample(const struct store_names *names)
{
    struct result run;
    struct error err = {{0}};
    sample_run_init(&run);
    if (store_result(scratch_path, &run, names, &err))
        fail_msg("%s", err.text);
    result_release(&run);
    scratch_assert_sound();
}
