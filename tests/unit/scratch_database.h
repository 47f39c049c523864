// SPDX-License-Identifier: BSD-3-Clause
// A database file of its own for each test of the store, and what another program sees in it.
#ifndef PAGODA_TESTS_UNIT_SCRATCH_DATABASE_H
#define PAGODA_TESTS_UNIT_SCRATCH_DATABASE_H

#include "db/store.h"

/// Folder for the tests of one program, and the path of the database in it, which is missing when a
/// test begins.
extern char *scratch_folder;
extern char scratch_path[];

/// cmocka's set-ups and tear-downs of a group and of a test.
int scratch_group_setup(void **state);
int scratch_group_teardown(void **state);
int scratch_setup(void **state);

#define SCRATCH_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, scratch_setup, scratch_setup)

/// The first column of SQL's only row, "no row" or "NULL", read by a connection that knows nothing
/// of ours. Valid until the next call.
const char *scratch_answer(const char *sql);

/// Runs SQL as another program would; a missing file becomes a plain SQLite database.
void scratch_run(const char *sql);

/// Fails unless SQLite finds the file sound and no reference dangles.
void scratch_assert_sound(void);

/// Stores the sample run, which must work, and checks that the file is sound. NAMES may be NULL.
void scratch_store_sample(const struct store_names *names);

#endif
