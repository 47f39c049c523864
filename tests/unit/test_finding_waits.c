// SPDX-License-Identifier: BSD-3-Clause
// Findings about waits: for ranks that have more work than few others, in nonblocking operations,
// of senders that may have waited.
#include "tests/unit/findings_fixture.h"

/// Waits of MPI_Wait in a collective operation, which is a nonblocking one; not those of calls that
/// are operations.
TEST(test_nonblocking_operation_awaited_at_once)
{
    struct result result = make_result();
    add_origin(&result, 20 * MS, (int64_t[]){0, 30 * MS});
    patterns[0].id = (char *)"wait-at-nxn";
    for (int is_blocking = 0; is_blocking < 2; is_blocking++) {
        const char *name = is_blocking ? "MPI_Allreduce" : "MPI_Wait";
        regions[1].name = regions[1].shown = (char *)name;
        find(&result);
        const struct result_finding *finding = &found.findings[1];
        assert_string_equal(finding->kind, is_blocking ? "uneven-work" : "awaited-at-once");
        assert_string_equal(finding->remedies[0].option, is_blocking ? "balance" : "overlap");
        if (is_blocking)
            continue;
        assert_string_equal(finding->remedies[0].value, "solve");
        assert_int_equal(finding->n_otherwise, 1); // without a proof
        assert_string_equal(finding->otherwise->kind, "uneven-work");
    }
}

/// Causes that a change of the same wait helps against are one finding, with the places and the
/// further remedies of all.
TEST(test_causes_at_one_wait_are_one_finding)
{
    struct result result = make_result();
    struct result_traffic one_way = {1, 0, 2, 0};
    struct result_path_share origins[] = {{0, 1, 18 * MS, 0.6, RESULT_NONE, 0},
                                          {3, 1, 12 * MS, 0.4, RESULT_NONE, 3}};
    struct result_path_rank times[] = {{0, 0, 1, 50 * MS, 50 * MS, 0},
                                       {0, 1, 1, 50 * MS, 50 * MS, 0},
                                       {3, 0, 1, 30 * MS, 30 * MS, 0},
                                       {3, 1, 1, 30 * MS, 30 * MS, 0}};
    add_late_sender(&result, 30 * MS);
    regions[3] = (struct result_region){REGION("pack"), .file = (char *)""};
    paths[3] =
        (struct result_path){PATH("pack"), .region = 3, .parent = RESULT_NONE, .exclusive_ns = MS};
    result.n_regions = result.n_paths = 4;
    set_origins(origins, 2);
    result.path_ranks = times;
    result.n_path_ranks = 4;
    result.traffic = &one_way;
    result.n_traffic = 1;
    find_kind(&result, 1, "dependent-work");
    const struct result_finding *finding = &found.findings[1];
    assert_int_equal(found.n_findings, 2); // and that ranks are in MPI
    assert_int_equal(finding->loss_ns, 30 * MS);
    assert_string_equal(finding->place, "solve (solve.c:56) and pack");
    assert_int_equal(finding->n_remedies, 3);
    assert_string_equal(finding->remedies[0].option, "overlap"); // once
    assert_string_equal(finding->remedies[1].value, "solve=0.5");
    assert_string_equal(finding->remedies[2].value, "pack=0.5");
    assert_int_equal(finding->remedies[1].apart, 0);
    assert_int_equal(finding->remedies[2].apart, 1);
    // What helps against waits at a barrier is told by place.
    patterns[0].id = (char *)"wait-at-barrier";
    find(&result);
    assert_int_equal(found.n_findings, 3);
}

/// Ranks that do far less than all others, which do about the same, are named instead of the one of
/// these that others happen to wait for.
TEST(test_ranks_with_little_work)
{
    struct result_rank five[5] = {{0}};
    struct result result = make_result();
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    struct result_path_rank times[5];
    for (uint32_t i = 0; i < 5; i++)
        times[i] = (struct result_path_rank){
            .rank = i, .visits = 1, .exclusive_ns = (i % 4 == 0 ? 1 : 20) * MS};
    result.path_ranks = times;
    result.n_path_ranks = result.n_ranks = 5;
    result.ranks = five;
    find_kind(&result, 1, "little-work");
    assert_says(
        "Ranks 0, 4 have less work than the others in solve (solve.c:56): 1.000 ms, the others "
        "20.00 ms in the mean.");
    times[2].exclusive_ns = 15 * MS; // 5 of 19 ms: the others do not do the same
    find_kind(&result, 1, "uneven-work");
    times[2].exclusive_ns = 1 * MS; // most do little: the others do more
    find_kind(&result, 1, "uneven-work");
    times[1].exclusive_ns = 5 * MS; // others wait for rank 1, but rank 3 has most
    find_kind(&result, 1, "awaited-work");
}

/// Waits that are not certain, and so have no known cause, are charged to the cause of those like
/// them that are: if that is one, and there are enough of these.
TEST(test_waits_that_are_not_certain)
{
    struct result result = make_result();
    patterns[0].id = (char *)"late-receiver";
    patterns[0].confidence = 0.7;
    for (int64_t known_ms = 7; known_ms <= 10; known_ms += 3) { // of 30: less and more than a third
        add_origin(&result, 0, (int64_t[]){0, known_ms * MS});
        find(&result);
        bool is_enough = 3 * known_ms >= 30 - known_ms;
        assert_int_equal(found.n_findings, is_enough ? 2 : 3);
        if (!is_enough)
            continue;
        assert_string_equal(found.findings[1].kind, "receiver-late"); // if that can be proven
        assert_string_equal(found.findings[1].otherwise->kind, "serial-work");
        assert_int_equal(found.findings[1].loss_ns, 30 * MS);
        assert_says(
            "20.00 ms of it in waits that are not certain and supposed to be like the others.");
    }
}

/// The same of waits of another pattern in the same calls, none of which has a known cause.
TEST(test_waits_that_are_alike_in_the_same_calls)
{
    struct result result = make_result();
    struct result_amount for_rank[] = {{1, 2, 10 * MS}}, in_call[] = {{1, 2, 10 * MS}};
    for (int is_same_call = 0; is_same_call < 2; is_same_call++) {
        add_origin(&result, 0, (int64_t[]){0, 30 * MS});
        struct result_pattern both[2] = {patterns[0], patterns[0]};
        both[1].id = (char *)"receiver-outside-mpi";
        both[1].name = (char *)"Receiver outside MPI";
        both[1].window_ns = both[1].total_ns = 10 * MS;
        both[1].origins = (struct result_origins){0};
        both[1].by_cause = for_rank;
        in_call[0].key = is_same_call ? 1 : 2;
        both[1].by_path = in_call;
        result.patterns = both;
        result.n_patterns = 2;
        result.wait_ns = 40 * MS;
        result.other_mpi_ns = 60 * MS;
        find(&result);
        assert_int_equal(found.n_findings, is_same_call ? 2 : 3);
        if (is_same_call) {
            assert_int_equal(found.findings[1].loss_ns, 40 * MS);
            assert_says("10.00 ms of it in waits whose cause is supposed to be the same.");
        } else {
            assert_says("Receiver outside MPI: Rank 0 waits");
        }
        forget();
    }
}

/// A rank that does little in calls that send as well is no master.
TEST(test_a_rank_with_little_work_is_no_master)
{
    struct result result = make_result();
    struct result_traffic traffic[] = {{0, 1, 8, 64}, {1, 0, 8, 64}};
    result.traffic = traffic;
    result.n_traffic = 2;
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    ranks[0].useful_ns = 1 * MS;
    find_kind(&result, 1, "few-workers");
    regions[1].name = (char *)"MPI_Sendrecv";
    find_kind(&result, 1, "serial-work");
}

/// All ranks that do as much as the one that others wait for are named.
TEST(test_ranks_with_more_work)
{
    struct result_rank four[4] = {{0}};
    struct result result = make_result();
    struct result_path_rank times[4];
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    for (uint32_t i = 0; i < 4; i++)
        times[i] = (struct result_path_rank){
            .rank = i, .visits = 1, .exclusive_ns = (i == 1 || i == 2 ? 24 : 8) * MS};
    result.path_ranks = times;
    result.n_path_ranks = result.n_ranks = 4;
    result.ranks = four;
    for (int is_less = 0; is_less < 2; is_less++) { // rank 2 than 8 - 2 ms over the mean
        find_kind(&result, 1, "uneven-work");
        assert_says(is_less
                        ? "Rank 1 has more work than the others in solve (solve.c:56): 24.00 ms, "
                          "the mean is 15.50 ms."
                        : "Ranks 1, 2 have more work than the others in solve (solve.c:56): "
                          "24.00 ms on rank 1, the mean is 16.00 ms.");
        assert_int_equal(found.findings[1].n_ranks, 2 - is_less);
        assert_int_equal(found.findings[1].ranks[0], 1);
        times[2].exclusive_ns = 21 * MS;
        times[3].exclusive_ns = 9 * MS;
    }
}

/// Where ranks visit a function more often than others, the function around it that all visit
/// equally often is the one to balance step by step.
TEST(test_steps_to_balance)
{
    struct result result = make_result();
    regions[3] = (struct result_region){REGION("advance"), .file = (char *)"", .visits = 8};
    paths[3] = (struct result_path){PATH("advance"), .region = 3, .parent = RESULT_NONE};
    for (uint64_t n_visits = 7; n_visits <= 8; n_visits++) {
        add_origin(&result, 35 * MS, (int64_t[]){0, 30 * MS});
        struct result_path_rank times[] = {{0, 0, n_visits, 35 * MS, 35 * MS, 0},
                                           {0, 1, 8, 65 * MS, 65 * MS, 0},
                                           {3, 0, 4, 0, 35 * MS, 0},
                                           {3, 1, 4, 0, 65 * MS, 0}};
        paths[0].parent = 3;
        result.n_regions = result.n_paths = 4;
        result.path_ranks = times;
        result.n_path_ranks = 4;
        find_kind(&result, 1, "uneven-work");
        assert_string_equal(found.findings[1].remedies[0].value, "solve");
        assert_string_equal(found.findings[1].remedies[1].value,
                            n_visits == 8 ? "solve=0.5" : "advance");
    }
}

/// The text of a report says of a change that helps two findings what it saves, and then that it is
/// the same.
TEST(test_a_change_for_two_findings)
{
    struct result result = make_result();
    add_origin(&result, 20 * MS, (int64_t[]){0, 30 * MS});
    find(&result);
    assert_true(found.n_findings >= 2);
    struct result_remedy change = {.option = (char *)"overlap",
                                   .value = (char *)"solve",
                                   .sentence = (char *)"Compute first",
                                   .is_predicted = true,
                                   .gain_ns = 5 * MS};
    struct result_finding own[2] = {found.findings[0], found.findings[1]};
    for (size_t i = 0; i < 2; i++) {
        found.findings[i].remedies = &change;
        found.findings[i].n_remedies = 1;
    }
    const struct text_options options = {.depth = 4, .top = 12, .width = 200};
    SCOPED char *text = NULL;
    size_t size;
    found.replayed_ns = 100 * MS;
    FILE *stream = open_memstream(&text, &size);
    text_print(&found, &options, stream);
    fclose(stream);
    memcpy(found.findings, own, sizeof own);
    assert_non_null(strstr(text, "- Compute first: predicted to save 5.000 ms, 5.0 % of the run"));
    assert_non_null(
        strstr(text, "- Compute first: the same change as for finding 1 (--overlap solve)"));
}

AROUND_ALL(load, unload)
