// SPDX-License-Identifier: BSD-3-Clause
// Unit tests run because they are defined, in the order of the file: no list names them again. And
// what cmocka needs.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifndef assert_uint_in_range // before cmocka 2
#define assert_uint_in_range assert_in_range
#endif

/// How many of many cases alike a test tries: N, in a build with sanitizers FEW.
#ifdef __SANITIZE_ADDRESS__
#define CASES(n, few) (few)
#else
#define CASES(n, few) (n)
#endif

#define ON_START(function) __attribute__((constructor)) static void function(void)

/// The test NAME, whose body follows.
#define TEST(name)                                                                                 \
    static void name(void **unit_state);                                                           \
    ON_START(add_##name)                                                                           \
    {                                                                                              \
        unit_test_add(__FILE__, &(struct CMUnitTest)cmocka_unit_test(name), 1);                    \
    }                                                                                              \
    static void name(__attribute__((unused)) void **unit_state)

/// The tests of an array of struct CMUnitTest.
#define TEST_TABLE(tests)                                                                          \
    ON_START(add_##tests)                                                                          \
    {                                                                                              \
        unit_test_add(__FILE__, tests, sizeof(tests) / sizeof *(tests));                           \
    }

/// SETUP and TEARDOWN before the first test of the file and after the last, or around each.
#define AROUND_ALL(setup, teardown)                                                                \
    ON_START(around_all)                                                                           \
    {                                                                                              \
        unit_test_group(__FILE__)->all = (struct unit_test_frame){setup, teardown};                \
    }
#define AROUND_EACH(setup, teardown)                                                               \
    ON_START(around_each)                                                                          \
    {                                                                                              \
        unit_test_group(__FILE__)->each = (struct unit_test_frame){setup, teardown};               \
    }

// For the macros only.
enum { UNIT_TEST_MAX = 64 };
struct unit_test_frame {
    CMFixtureFunction setup, teardown;
};
struct unit_test_group {
    const char *file; // NULL: there are no more groups
    struct CMUnitTest tests[UNIT_TEST_MAX];
    size_t n_tests;
    struct unit_test_frame all, each;
};
struct unit_test_group *unit_test_group(const char *file);
void unit_test_add(const char *file, const struct CMUnitTest *tests, size_t n);
