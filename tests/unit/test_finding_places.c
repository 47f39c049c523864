// SPDX-License-Identifier: BSD-3-Clause
// Which functions findings name and their remedies change.
#include "tests/unit/findings_fixture.h"

/// Both ranks compute in burn: rank 1 for lead, rank 0 for follow, and for lead where others wait
/// for that alone.
TEST(test_a_function_of_several_callers_is_named_by_them)
{
    struct result result = make_result();
    const char *const names[] = {"burn", "lead", "follow"};
    for (int i = 0; i < 3; i++)
        regions[3 + i] = (struct result_region){.name = (char *)names[i],
                                                .shown = (char *)names[i],
                                                .file = (char *)"burn.c",
                                                .line = (uint32_t)i + 1};
    paths[3] = (struct result_path){PATH("lead"), .region = 4, .parent = RESULT_NONE};
    paths[4] = (struct result_path){PATH("follow"), .region = 5, .parent = RESULT_NONE};
    paths[5] =
        (struct result_path){PATH("lead/burn"), .region = 3, .parent = 3, .exclusive_ns = 65 * MS};
    paths[6] = (struct result_path){PATH("follow/burn"), .region = 3, .parent = 4,
                                    .exclusive_ns = 40 * MS};
    struct result_path_share origins[] = {{3, 1, 27 * MS, 0, RESULT_NONE, 5},
                                          {3, 1, 3 * MS, 0, RESULT_NONE, 6}};
    struct result_path_rank times[] = {{5, 0, 1, 0, 0, 0},
                                       {5, 1, 1, 60 * MS, 60 * MS, 0},
                                       {6, 0, 1, 40 * MS, 40 * MS, 0},
                                       {6, 1, 1, 0, 0, 0}};
    add_late_sender(&result, 30 * MS);
    set_origins(origins, 2);
    result.n_regions = 6;
    result.n_paths = 7;
    result.path_ranks = times;
    result.n_path_ranks = 4;
    find_kind(&result, 1, "serial-work");
    assert_says("Only rank 1 computes in lead (burn.c:2), for 60.00 ms.");
    assert_string_equal(found.findings[1].remedies[0].value, "lead=0-1");
    times[0].exclusive_ns = 5 * MS; // rank 0 works for both
    find_kind(&result, 1, "serial-work");
    assert_string_equal(found.findings[1].remedies[0].value, "lead=0-1");
    origins[0].time_ns -= 1; // a little more than a tenth of the waits is for follow's work
    origins[1].time_ns += 1;
    find_kind(&result, 1, "uneven-work");
    assert_string_equal(found.findings[1].remedies[0].value, "burn");
}

/// The call in front of the longest computing is where all of it begins, unless that is much longer
/// than the mean.
TEST(test_code_before_a_call_begins_with_another_one)
{
    struct result result = make_result();
    struct result_site sites[2] = {{.path = 1, .source = (char *)"a.c:1"},
                                   {.path = 1,
                                    .source = (char *)"a.c:9",
                                    .visits = 100,
                                    .before_max_ns = 50 * MS,
                                    .before_longest_ns = 4 * MS}};
    set_sites(&result, sites, 2);
    for (int is_longer = 0; is_longer < 2; is_longer++) {
        char text[100];
        FILE *out = fmemopen(text, sizeof text, "w");
        sites[1].before_longest_ns += (uint64_t)is_longer;
        place_write(&result, 0, 1, out);
        fclose(out);
        assert_string_equal(text, is_longer
                                      ? "the code before MPI_Recv at a.c:9 (longest after a.c:1)"
                                      : "the code between a.c:1 and MPI_Recv at a.c:9");
    }
}

/// How many findings are about computing.
static size_t count_computing(void)
{
    size_t n = 0;
    for (size_t i = 0; i < found.n_findings; i++)
        n += found.findings[i].region == 0;
    return n;
}

/// What ranks compute in a function in which they are mostly blocked is a part of that.
TEST(test_blocked_functions_compute_as_well)
{
    struct result result = make_result();
    struct result_region own_regions[4] = {regions[0], regions[1], regions[2]};
    struct result_path own_paths[4] = {paths[0], paths[1], paths[2]};
    own_regions[3] = (struct result_region){REGION(RESULT_REGION_BLOCKED), .file = (char *)""};
    own_paths[3] = (struct result_path){PATH("solve/(blocked)"), .region = 3};
    struct result_path_rank times[] = {{0, 1, 1, 100 * MS, 100 * MS, 0}};
    result.regions = own_regions;
    result.paths = own_paths;
    result.n_regions = result.n_paths = 4;
    for (int is_mostly = 0; is_mostly < 2; is_mostly++) {
        uint64_t blocked_ns = (is_mostly ? 60 : 5) * MS;
        struct result_path_share origins[] = {{3, 1, 15 * MS, 0, RESULT_NONE, 3},
                                              {0, 1, 15 * MS, 0, RESULT_NONE, 0}};
        struct result_path_rank blocked[] = {times[0], {3, 1, 1, blocked_ns, blocked_ns, 0}};
        add_late_sender(&result, 30 * MS);
        patterns[0].origins = (struct result_origins){
            .explained_ns = 30 * MS, .by_path_rank = origins, .n_by_path_rank = 2};
        origins[0].time_ns = is_mostly ? 15 * MS : 5 * MS;
        origins[1].time_ns = 30 * MS - origins[0].time_ns;
        result.path_ranks = blocked;
        result.n_path_ranks = 2;
        result.no_cpu_ns = own_paths[3].exclusive_ns = blocked_ns;
        find(&result);
        unsigned n_blocked = 0;
        for (size_t i = 0; i < found.n_findings; i++) {
            bool is_blocked = strcmp(found.findings[i].kind, "blocked") == 0;
            n_blocked += is_blocked;
            if (is_blocked)
                assert_int_equal(found.findings[i].loss_ns, is_mostly ? 90 * MS : 10 * MS);
        }
        assert_int_equal(n_blocked, 1);
        assert_int_equal(found.n_findings, is_mostly ? 2 : 3); // with the rest of the receives
    }
}

/// The call after most of the blocked time is named if that is known of half of the time.
TEST(test_blocked_before_a_call)
{
    struct result result = make_result();
    struct result_path_rank times[] = {{3, 1, 1, 60 * MS, 60 * MS, 0}};
    struct result_site sites[] = {{.path = 1, .visits = 9, .before_since = RESULT_NONE}};
    regions[0].name = regions[0].shown = (char *)RESULT_REGION_PROGRAM;
    regions[3] = (struct result_region){REGION(RESULT_REGION_BLOCKED), .file = (char *)""};
    paths[3] =
        (struct result_path){PATH("(program)/(blocked)"), .region = 3, .exclusive_ns = 60 * MS};
    result.n_regions = result.n_paths = 4;
    result.path_ranks = times;
    result.n_path_ranks = 1;
    result.no_cpu_ns = 60 * MS;
    result.other_mpi_ns = 40 * MS;
    set_sites(&result, sites, 1);
    for (int is_half = 0; is_half < 2; is_half++) {
        sites[0].blocked_before_ns = 30 * MS - !is_half;
        find_kind(&result, 0, "blocked");
        assert_says(is_half ? "mostly in the code before MPI_Recv"
                            : "mostly in the program's code outside recorded regions");
    }
}

/// Of 30 ms that rank 0 waits for rank 1 three fifths or more come from one computation.
TEST(test_one_long_computation)
{
    struct result result = make_result();
    struct result_region program = regions[0];
    struct result_path_share origin = {0, 1, 30 * MS, 0, 1, 0};
    struct result_site sites[2] = {{.path = 2, .source = (char *)"a.c:1"},
                                   {.path = 1,
                                    .source = (char *)"a.c:9",
                                    .visits = 100,
                                    .before_ns = 60 * MS,
                                    .before_max_ns = 50 * MS,
                                    .before_max_rank = 1}};
    for (int i = 0; i < 2; i++)
        sites[i].function = sites[i].function_shown = sites[i].file = (char *)"";
    regions[0].name = regions[0].shown = (char *)RESULT_REGION_PROGRAM;
    add_late_sender(&result, 30 * MS);
    patterns[0].origins = (struct result_origins){
        .explained_ns = 30 * MS, .by_path_rank = &origin, .n_by_path_rank = 1};
    result.sites = sites;
    result.n_sites = 2;
    for (int is_once = 0; is_once < 2; is_once++) {
        sites[1].before_longest_ns = 18 * MS - !is_once;
        find(&result);
        assert_string_equal(found.findings[1].remedies[0].value,
                            is_once ? "between MPI_Init at a.c:1 and MPI_Recv at a.c:9"
                                    : "before MPI_Recv at a.c:9");
        assert_says(is_once ? "in the code between MPI_Init at a.c:1 and MPI_Recv at a.c:9, once: "
                              "18.00 ms."
                            : "in the code before MPI_Recv at a.c:9 (longest after a.c:1): 50.00 "
                              "ms, the mean is 30.00 ms.");
    }
    sites[1].before_max_rank = 0; // another rank computes longest there
    find(&result);
    assert_says_not("once");
    regions[0] = program;
}

/// What a rank computes more only where it begins with one call is told apart from the rest of the
/// code before the same calls: from what all ranks compute there as before other calls of these, if
/// the others compute there as long as before them.
TEST(test_work_that_begins_with_one_call)
{
    static const struct {
        const char *kind, *option, *said;
        uint64_t before_ms, before_max_ms, since_ms, since_max_ms;
    } cases[] = {
        {"serial-work", "between MPI_Init at a.c:1 and MPI_Recv at a.c:9=0-1",
         "Only rank 1 computes in the code between MPI_Init at a.c:1 and MPI_Recv at a.c:9 "
         "(without "
         "what all ranks compute there), for 30.00 ms.",
         78, 54, 42, 36},
        {"uneven-work", "between MPI_Init at a.c:1 and MPI_Recv at a.c:9",
         "Rank 1 has more work than the others in the code between MPI_Init at a.c:1 and MPI_Recv "
         "at a.c:9: 39.00 ms, the mean is 24.00 ms.",
         75, 52, 48, 39},
        {"uneven-work", "before MPI_Recv at a.c:9", "in the code before MPI_Recv at a.c:9", 78, 54,
         32, 26}, // 20 ms of the 30 more
    };
    struct result result = make_result();
    struct result_region program = regions[0];
    struct result_path_share origin = {0, 1, 30 * MS, 0, 1, 0};
    struct result_site sites[2] = {{.path = 2, .source = (char *)"a.c:1", .visits = 50},
                                   {.path = 1,
                                    .source = (char *)"a.c:9",
                                    .visits = 200,
                                    .before_longest_ns = 3 * MS,
                                    .before_max_rank = 1,
                                    .since_max_rank = 1}};
    set_sites(&result, sites, 2);
    regions[0].name = regions[0].shown = (char *)RESULT_REGION_PROGRAM;
    add_late_sender(&result, 30 * MS);
    set_origins(&origin, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sites[1].before_ns = cases[i].before_ms * MS;
        sites[1].before_max_ns = cases[i].before_max_ms * MS;
        sites[1].since_ns = cases[i].since_ms * MS;
        sites[1].since_max_ns = cases[i].since_max_ms * MS;
        find_kind(&result, 1, cases[i].kind);
        assert_string_equal(found.findings[1].remedies[0].value, cases[i].option);
        assert_says(cases[i].said);
    }
    regions[0] = program;
}

/// Short calls that wait for no other rank do not end a computation. Rank 0 waits for one of rank
/// 1, in the middle of which rank 1 asks for its rank, for 3 ms in sum.
TEST(test_short_calls_do_not_end_a_computation)
{
    struct result result = make_result();
    struct result_site sites[2] = {
        {.path = 3, .before_since = 1, .before_ns = 30 * MS, .inclusive_ns = 3 * MS},
        {.path = 1, .before_since = 0, .before_ns = 20 * MS}};
    struct result_path_share origins[] = {{0, 1, 18 * MS, 0, 0, 0}, {0, 1, 12 * MS, 0, 1, 0}};
    struct result_amount in_call[] = {{3, 3, 30 * MS}};
    regions[0].name = regions[0].shown = (char *)RESULT_REGION_PROGRAM;
    regions[3] = (struct result_region){REGION("MPI_Comm_rank"), .file = (char *)"",
                                        .mpi_class = MPI_CLASS_MANAGEMENT, .is_mpi = true};
    paths[3] = (struct result_path){PATH("MPI_Comm_rank"), .region = 3, .parent = RESULT_NONE};
    for (int i = 0; i < 2; i++) {
        sites[i].before_max_rank = 1;
        sites[i].before_max_ns = sites[i].before_ns;
    }
    add_late_sender(&result, 30 * MS);
    set_origins(origins, 2);
    result.n_regions = result.n_paths = 4;
    set_sites(&result, sites, 2);
    find(&result);
    assert_int_equal(count_computing(), 1);
    assert_says("the code before MPI_Comm_rank and the code before MPI_Recv");
    for (int i = 0; i < 2; i++) { // as mpi4py makes such calls
        sites[i].file = sites[i].source = (char *)"a.py:7";
        sites[i].line = 7;
    }
    find(&result);
    assert_says("in the code before a.py:7, for 50.00 ms.");
    for (size_t i = 0; i < found.n_findings; i++)
        if (found.findings[i].region == 0)
            assert_string_equal(found.findings[i].remedies[0].value, "before a.py:7=0-1");
    sites[0].inclusive_ns++; // a little more than a tenth of the computing
    find(&result);
    assert_int_equal(count_computing(), 2);
    sites[0].inclusive_ns--;
    patterns[0].by_path = in_call; // a rank waits in it
    find(&result);
    assert_int_equal(count_computing(), 2);
    patterns[0].by_path = in_receive;
    regions[3].mpi_class = MPI_CLASS_POINT_TO_POINT;
    find(&result);
    assert_int_equal(count_computing(), 2);
}

/// Rank 0, which only receives, waits for rank 1 as a pipeline fills; then rank 1 waits for it in a
/// collective operation, as the pipeline drains. One finding, if both take about as long.
TEST(test_a_pipeline_fills_and_drains)
{
    struct result result = make_result();
    struct result_site sites[2] = {{.path = 1, .before_since = RESULT_NONE},
                                   {.path = 3, .before_since = RESULT_NONE}};
    struct result_path_share filling = {0, 1, 30 * MS, 0, 0, 0};
    struct result_path_share draining = {0, 0, 0, 0, 1, 0};
    struct result_amount on_rank_1[] = {{1, 3, 0}}, in_call[] = {{3, 3, 0}};
    struct result_traffic traffic = {1, 0, 9, 0};
    regions[0].name = regions[0].shown = (char *)RESULT_REGION_PROGRAM;
    regions[3] = (struct result_region){REGION("MPI_Allreduce"), .file = (char *)"",
                                        .mpi_class = MPI_CLASS_COLLECTIVE, .is_mpi = true};
    paths[3] = (struct result_path){PATH("MPI_Allreduce"), .region = 3, .parent = RESULT_NONE};
    add_late_sender(&result, 30 * MS);
    set_origins(&filling, 1);
    struct result_pattern both[2] = {patterns[0], patterns[0]};
    both[1].id = (char *)"wait-at-nxn";
    both[1].by_rank = on_rank_1;
    both[1].by_path = in_call;
    both[1].origins.by_path_rank = &draining;
    result.patterns = both;
    result.n_patterns = 2;
    result.n_regions = result.n_paths = 4;
    result.traffic = &traffic;
    result.n_traffic = 1;
    set_sites(&result, sites, 2);
    for (int is_long = 0; is_long < 2; is_long++) {
        uint64_t ns = 15 * MS - !is_long;
        draining.time_ns = (int64_t)ns;
        both[1].window_ns = both[1].total_ns = both[1].origins.explained_ns = ns;
        on_rank_1[0].ns = in_call[0].ns = ns;
        find(&result);
        assert_int_equal(count_computing(), is_long ? 1 : 2);
    }
    traffic.sender = 0; // the rank that is waited for in the end sends
    traffic.receiver = 1;
    find(&result);
    assert_int_equal(count_computing(), 2);
}

/// A method that only waits is no place to compute in meanwhile; the function that calls it is.
TEST(test_overlap_is_in_code_that_computes)
{
    struct result result = make_result();
    static struct result_amount in_wait[] = {{3, 3, 30 * MS}};
    struct result_traffic one_way = {1, 0, 2, 0};
    regions[3] = (struct result_region){REGION("get"), .file = (char *)""};
    paths[1] = (struct result_path){PATH("solve/get"), .region = 3};
    paths[3] = (struct result_path){PATH("solve/get/MPI_Recv"), .region = 1, .parent = 1,
                                    .exclusive_ns = 80 * MS};
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    patterns[0].by_path = in_wait;
    result.n_regions = result.n_paths = 4;
    result.traffic = &one_way;
    result.n_traffic = 1;
    for (int is_enough = 0; is_enough < 2; is_enough++) { // a twentieth of the call's time
        paths[1].exclusive_ns = 4 * MS - !is_enough;
        find_kind(&result, 1, "missed-overlap");
        assert_string_equal(found.findings[1].remedies[0].value, is_enough ? "solve/get" : "solve");
    }
}

/// Calls of line 32 follow those of line 31: close enough, both could be one.
TEST(test_calls_right_after_one_another_can_be_joined)
{
    struct result result = make_result();
    struct result_site sites[2];
    for (uint32_t i = 0; i < 2; i++)
        sites[i] = (struct result_site){.path = 1,
                                        .function = (char *)"solve",
                                        .function_shown = (char *)"solve",
                                        .file = (char *)"solve.c",
                                        .line = 31 + i,
                                        .source = (char *)(i ? "solve.c:32" : "solve.c:31"),
                                        .visits = 1000,
                                        .before_path = 0,
                                        .before_since = i ? 0 : RESULT_NONE};
    set_sites(&result, sites, 2);
    regions[1].name = (char *)"MPI_Allreduce";
    regions[1].shown = regions[1].name;
    regions[1].mpi_class = MPI_CLASS_COLLECTIVE;
    paths[1].visits = 2000;
    for (int is_close = 0; is_close < 2; is_close++) {
        sites[1].before_ns = 10 * MS - (uint64_t)is_close; // 10 us each
        find_kind(&result, 0, "many-collectives");
        assert_int_equal(found.findings[0].n_remedies, 1 + is_close);
        assert_string_equal(found.findings[0].remedies[0].value,
                            is_close ? "solve/MPI_Allreduce at solve.c:32" : "solve/MPI_Recv");
    }
}

AROUND_ALL(load, unload)
