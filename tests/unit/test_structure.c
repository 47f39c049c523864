// SPDX-License-Identifier: BSD-3-Clause
// Merged hierarchies of runs, and paths of resources.

#include "analyzer/compare/resource_path.h"
#include "analyzer/compare/structure.h"
#include "tests/unit/unit_test.h"

// S1 + S2 + S3 of the paper's operator: ids 1, 2, 4; the tree's order although "." is before "/".
TEST(test_structure)
{
    struct structure structure = {0};
    structure_add(&structure, 0, "/Code/a/f");
    structure_add(&structure, 0, "/Code/a.c");
    structure_add(&structure, 1, "/Code/a/f");
    structure_add(&structure, 1, "/Code/a/g\\/h");
    structure_add(&structure, 2, "/Code/a.c");
    structure_add(&structure, 2, "/Code/a.c");
    structure_merge(&structure);
    static const struct {
        const char *path;
        uint64_t run_ids;
    } expected[] = {{"/Code/a", 3}, {"/Code/a/f", 3}, {"/Code/a/g\\/h", 2}, {"/Code/a.c", 5}};
    assert_int_equal(structure.n_resources, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(structure.resources[i].path, expected[i].path);
        assert_int_equal(structure.resources[i].run_ids, expected[i].run_ids);
    }
    structure_release(&structure);
}

TEST(test_paths)
{
    assert_int_equal(resource_path_depth("/Code"), 1);
    assert_int_equal(resource_path_depth("/Code/a\\/b/f"), 3);
    assert_string_equal(resource_path_last("/Code/a\\/b/f"), "f");
    assert_string_equal(resource_path_last("/Code/a\\/b"), "a\\/b");
    assert_true(resource_path_is_within("/Code/a", "/Code/a"));
    assert_true(resource_path_is_within("/Code/a/b", "/Code/a"));
    assert_false(resource_path_is_within("/Code/ab", "/Code/a"));
    assert_true(resource_path_compare("/Code/a", "/Code/a") == 0);
    assert_true(resource_path_compare("/Code/a/z", "/Code/a.c") < 0);
    assert_true(resource_path_compare("/Code/a", "/Code/a/z") < 0);
}
