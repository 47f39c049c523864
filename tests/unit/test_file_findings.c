// SPDX-License-Identifier: BSD-3-Clause
// Findings about calls for files.
#include "tests/unit/findings_fixture.h"
#include "tests/unit/unit_test.h"

/// Files are those used in the place, and only where that took half of its time, which is 80 ms.
TEST(test_files_are_named)
{
    struct result result = make_result();
    struct result_file files[] = {{.name = (char *)"elsewhere.dat"},
                                  {.name = (char *)"small.dat"},
                                  {.name = (char *)"out.dat"}};
    struct result_file_use uses[] = {
        {.file = 0, .path = 0, .sums = {.own_ns = 99 * MS}},
        {.file = 1, .path = 1, .sums = {.own_ns = 5 * MS}},
        {.file = 2, .path = 1, .sums = {.own_ns = 20 * MS}},
        {.file = 2, .path = 1, .rank = 1, .sums = {.own_ns = 15 * MS}}};
    regions[1].name = (char *)"MPI_File_write_at";
    regions[1].mpi_class = MPI_CLASS_FILE;
    result.files = files;
    result.n_files = 3;
    result.file_uses = uses;
    result.n_file_uses = 4;
    find_kind(&result, 0, "file-access");
    assert_says("They used out.dat and 1 further file.");
    uses[3].sums.own_ns--;
    find(&result);
    assert_says_not("out.dat");
    // One file, and no other.
    uses[2].sums.own_ns += 10 * MS;
    uses[1].path = 0;
    find(&result);
    assert_says("They used out.dat.");
}

/// 2000 calls by two ranks, of 40 us each. Between the ranks' 98 other calls of MPI there are at
/// most 100 sequences of them.
TEST(test_small_accesses_follow_one_another)
{
    struct result result = make_result();
    const struct result_region call = regions[1];
    const struct result_path path = paths[1], other = paths[2];
    regions[1].name = (char *)"MPI_File_write_at";
    regions[1].mpi_class = MPI_CLASS_FILE;
    paths[1].visits = 2000;
    paths[2].visits = 98;
    find_kind(&result, 0, "small-accesses");
    assert_string_equal(found.findings[0].remedies[0].value, "files in solve/MPI_Recv=0.0500");
    // Long ones, few, or such that do not follow one another.
    const uint64_t visits[][2] = {{1599, 98}, {900, 0}, {2000, 198}};
    for (size_t i = 0; i < 3; i++) {
        paths[1].visits = visits[i][0];
        paths[2].visits = visits[i][1];
        find_kind(&result, 0, "file-access");
        assert_string_equal(found.findings[0].remedies[0].value, "files in solve/MPI_Recv=0.5");
    }
    regions[1] = call;
    paths[1] = path;
    paths[2] = other;
}

/// A remedy that changes one of two functions names that one.
TEST(test_a_remedy_names_what_it_changes)
{
    struct result result = make_result();
    regions[1].name = regions[1].shown = (char *)"MPI_File_write_at";
    regions[1].mpi_class = MPI_CLASS_FILE;
    regions[3] = (struct result_region){REGION("MPI_File_set_size"), .mpi_class = MPI_CLASS_FILE,
                                        .file = (char *)"", .is_mpi = true};
    paths[1].shown = (char *)"solve/MPI_File_write_at";
    paths[3] = (struct result_path){PATH("solve/MPI_File_set_size"), .region = 3, .depth = 1,
                                    .exclusive_ns = 20 * MS};
    result.n_regions = result.n_paths = 4;
    find(&result);
    const struct result_finding *finding = &found.findings[0];
    assert_string_equal(finding->kind, "file-access");
    assert_non_null(strstr(finding->text, "MPI_File_set_size"));
    assert_string_equal(finding->remedies[0].value, "files in MPI_File_write_at=0.5");
    assert_string_equal(finding->remedies[0].sentence, "Take half the time for MPI_File_write_at");
    assert_non_null(strstr(finding->hint, "If the pieces are small, join them;")); // 9 may be large
}

/// Opening and closing files is one finding, accesses are another one.
TEST(test_files_are_opened)
{
    struct result result = make_result();
    regions[1].name = regions[1].shown = (char *)"MPI_File_open";
    regions[1].mpi_class = MPI_CLASS_FILE;
    regions[3] = (struct result_region){REGION("MPI_File_write_at"), .mpi_class = MPI_CLASS_FILE,
                                        .file = (char *)"", .is_mpi = true};
    paths[3] = (struct result_path){PATH("solve/MPI_File_write_at"), .region = 3, .depth = 1,
                                    .exclusive_ns = 20 * MS};
    result.n_regions = result.n_paths = 4;
    find(&result);
    assert_int_equal(found.n_findings, 2);
    assert_string_equal(found.findings[0].kind, "file-opening");
    assert_int_equal(found.findings[0].loss_ns, 80 * MS);
    // Of 9 calls each of two ranks needs one; with five files, each needs five.
    assert_string_equal(found.findings[0].remedies[0].value, "files in solve/MPI_Recv=0.2222");
    struct result_file files[5] = {{.name = (char *)""}};
    result.files = files;
    for (result.n_files = 4; result.n_files <= 5; result.n_files++) {
        find(&result);
        assert_int_equal(found.findings[0].n_remedies, result.n_files == 4);
    }
    result.n_files = 0;
    find(&result);
    assert_string_equal(found.findings[1].kind, "file-access");
    regions[3].name = (char *)"MPI_File_close";
    find(&result);
    assert_int_equal(found.n_findings, 1);
    assert_string_equal(found.findings[0].kind, "file-opening");
}

/// A function of the C library for files does not compute, whatever CPU time it takes.
TEST(test_ranks_wait_for_file_access)
{
    struct result result = make_result();
    struct result_file files[] = {{.name = (char *)"log.txt"}};
    struct result_file_use uses[] = {
        {.file = 0, .path = 0, .rank = 1, .sums = {.own_ns = 50 * MS}}};
    result.files = files;
    result.file_uses = uses;
    result.n_files = result.n_file_uses = 1;
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    paths[0].inclusive_ns = 100 * MS;
    find_kind(&result, 1, "awaited-files");
    assert_says("Files are accessed in solve (solve.c:56), mostly log.txt: 100.0 ms on rank 1. "
                "Rank 0 waits for this in solve/MPI_Recv (Late Sender).");
    uses[0].sums.own_ns--;
    find_kind(&result, 1, "serial-work");
}

AROUND_ALL(load, unload)
