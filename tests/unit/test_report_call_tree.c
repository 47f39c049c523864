// SPDX-License-Identifier: BSD-3-Clause
// Merging the call trees of locations into one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/result/call_tree.h"

// Two definitions of one name, as a file each of a program may have a static function `f`.
static struct region regions[] = {
    {.name = "main", .file = "main.c", .line = 3},
    {.name = "f", .file = "a.c", .line = 10},
    {.name = "MPI_Recv", .file = "MPI", .mpi = MPI_FUNCTION_OTHER},
    {.name = "f", .file = "b.c", .line = 20},
};
static struct location locations[] = {
    {.name = "0", .rank = 0, .is_master = true},
    {.name = "1", .rank = 1, .is_master = true},
    {.name = "1.1", .rank = 1},
};
static const struct definitions definitions = {
    .regions = regions,
    .n_regions = 4,
    .locations = locations,
    .n_locations = 3,
    .n_ranks = 2,
};

static struct call_path paths_0[] = {
    {.region = EVENT_NO_INDEX, .exclusive_ns = 5, .inclusive_ns = 105, .visits = 1},
    {.region = 0, .parent = 0, .visits = 1, .inclusive_ns = 100, .exclusive_ns = 30},
    {.region = 2, .parent = 1, .visits = 2, .inclusive_ns = 20, .exclusive_ns = 20},
    {.region = 1, .parent = 1, .visits = 1, .inclusive_ns = 50, .exclusive_ns = 40},
    {.region = 1, .parent = 3, .visits = 1, .inclusive_ns = 10, .exclusive_ns = 10}, // recursion
};
static struct call_path paths_1[] = {
    {.region = EVENT_NO_INDEX, .inclusive_ns = 90, .visits = 1},
    {.region = 0, .parent = 0, .visits = 1, .inclusive_ns = 90, .exclusive_ns = 20},
    {.region = 3, .parent = 1, .visits = 1, .inclusive_ns = 70, .exclusive_ns = 70},
};
static struct call_path paths_thread[] = {
    {.region = EVENT_NO_INDEX, .exclusive_ns = 9, .inclusive_ns = 9, .visits = 1},
};
static struct pag_location replayed[] = {
    {.paths = paths_0, .n_paths = 5},
    {.paths = paths_1, .n_paths = 3},
    {.paths = paths_thread, .n_paths = 1},
};

static const struct pag_result replay = {.locations = replayed, .n_locations = 3};

struct built {
    struct call_tree tree;
    struct result result;
};

static int build(void **state)
{
    struct built *built = calloc(1, sizeof *built);
    built->result.n_ranks = 2;
    built->result.ranks = calloc(2, sizeof *built->result.ranks);
    call_tree_build(&built->tree, &definitions, &replay, &built->result);
    *state = built;
    return 0;
}

static int release(void **state)
{
    struct built *built = *state;
    call_tree_release(&built->tree);
    result_release(&built->result);
    free(built);
    return 0;
}

static void test_paths_are_merged_by_name_and_sorted(void **state)
{
    const struct result *result = &((struct built *)*state)->result;
    static const struct {
        const char *path;
        uint64_t visits, inclusive_ns, exclusive_ns;
        uint32_t depth;
    } expected[] = {
        {"main", 2, 190, 50, 0},         {"main/f", 2, 120, 110, 1}, {"main/f/f", 1, 10, 10, 2},
        {"main/MPI_Recv", 2, 20, 20, 1}, {"(thread)", 1, 9, 9, 0},   {"(program)", 1, 5, 5, 0},
    };
    assert_int_equal(result->n_paths, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(result->paths[i].path, expected[i].path);
        assert_int_equal(result->paths[i].visits, expected[i].visits);
        assert_int_equal(result->paths[i].inclusive_ns, expected[i].inclusive_ns);
        assert_int_equal(result->paths[i].exclusive_ns, expected[i].exclusive_ns);
        assert_int_equal(result->paths[i].depth, expected[i].depth);
    }
    assert_int_equal(result->paths[2].parent, 1);
    assert_int_equal(result->paths[0].parent, RESULT_NONE);
}

static void test_regions_count_recursion_once(void **state)
{
    const struct result *result = &((struct built *)*state)->result;
    const struct result_region *f = &result->regions[result->paths[1].region];
    assert_string_equal(f->name, "f");
    assert_string_equal(f->file, "a.c");
    assert_int_equal(f->inclusive_ns, 120);
    assert_int_equal(f->exclusive_ns, 120);
    assert_int_equal(f->visits, 3);
    assert_int_equal(f->max_rank, 1);
    assert_int_equal(f->max_ns, 70);
    assert_true(result->regions[result->paths[3].region].is_mpi);
}

static void test_values_by_rank(void **state)
{
    const struct result *result = &((struct built *)*state)->result;
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *pair = &result->path_ranks[i];
        if (i > 0)
            assert_true(pair[-1].path < pair->path ||
                        (pair[-1].path == pair->path && pair[-1].rank < pair->rank));
        sum_ns += pair->exclusive_ns;
    }
    assert_int_equal(result->n_path_ranks, 8);
    assert_int_equal(sum_ns, 105 + 90 + 9);
}

static void test_local_paths_find_their_place(void **state)
{
    const struct built *built = *state;
    assert_int_equal(call_tree_place(&built->tree, 0, 4).path, 2);
    assert_int_equal(call_tree_place(&built->tree, 1, 2).path, 1);
    assert_int_equal(call_tree_place(&built->tree, 0, 0).path, 5);
    assert_int_equal(call_tree_place(&built->tree, 1, 0).path,
                     RESULT_NONE); // no time outside regions
    assert_int_equal(call_tree_place(&built->tree, 0, 5).path, RESULT_NONE);
    assert_int_equal(call_tree_place(&built->tree, 9, 0).path, RESULT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_paths_are_merged_by_name_and_sorted, build, release),
        cmocka_unit_test_setup_teardown(test_regions_count_recursion_once, build, release),
        cmocka_unit_test_setup_teardown(test_values_by_rank, build, release),
        cmocka_unit_test_setup_teardown(test_local_paths_find_their_place, build, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
