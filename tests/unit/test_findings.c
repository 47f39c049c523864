// SPDX-License-Identifier: BSD-3-Clause
// Findings on hand-made results: their kind, and what is said without any. JSON: null if unknown.
#include "analyzer/base/memory.h"
#include "tests/unit/findings_fixture.h"
#include "tests/unit/unit_test.h"

static struct result_warning warnings[1];

TEST(test_mpi_itself)
{
    struct result result = make_result();
    find(&result);
    assert_int_equal(found.n_findings, 1);
    assert_string_equal(found.findings[0].kind, "transfers");
    assert_int_equal(found.findings[0].loss_ns, 80 * MS);
    assert_int_equal(found.found_rest_ns, 20 * MS);
    assert_string_equal(found.headline, "Message transfer in solve/MPI_Recv: 80.00 ms, "
                                        "40.0 % of the ranks' time");
    assert_says_not("may be waiting");
    assert_says("It is not known whether each rank had a core.");
}

TEST(test_probing_is_waiting_for_somebody)
{
    struct result result = make_result();
    const uint32_t receive = 1; // the region of solve/MPI_Recv
    regions[receive].name = (char *)"MPI_Mprobe";
    find_kind(&result, 0, "probing");
    assert_says("a probe waits until a message arrives. Look at what the senders do");
    // Where the waits are known what is left is none.
    add_late_sender(&result, 30 * MS);
    find_kind(&result, 0, "probed-transfers");
    assert_int_equal(found.findings[0].loss_ns, 50 * MS);
}

TEST(test_polls_wait_for_the_sender_that_computes_longest)
{
    struct result result = make_result();
    struct result_traffic traffic[] = {{0, 1, 5, 40}, {1, 0, 5, 40}};
    struct result_path_rank times[] = {{0, 1, 1, 60 * MS, 60 * MS, 0},
                                       {1, 0, 9, 80 * MS, 80 * MS, 0}};
    const uint32_t receive = 1; // the region of solve/MPI_Recv
    result.traffic = traffic;
    result.path_ranks = times;
    result.n_traffic = result.n_path_ranks = 2;
    static const char *const polls[] = {"MPI_Request_get_status", "mpi_testany_", "MPI_Iprobe"};
    for (int i = 0; i < 3; i++) {
        regions[receive].name = (char *)polls[i];
        find_kind(&result, 0, "polling");
    }
    assert_string_equal(found.findings[0].remedies[0].value, "solve=0.5");
    assert_says("rank 1 sends to rank 0, and computes longest in solve (solve.c:56)");
    // It computes for 40 ms at least, half of the loss, or its work does not explain that.
    for (uint32_t is_enough = 0; is_enough < 2; is_enough++) {
        ranks[1].useful_ns = 40 * MS - !is_enough;
        find(&result);
        assert_int_equal(found.findings[0].n_remedies, is_enough);
        assert_int_equal(found.findings[0].ranks[0], is_enough);
    }
    // In a program without recorded functions: before most calls another rank computes longest.
    struct result_site sites[2] = {{.path = 1, .before_ns = 60 * MS, .before_max_ns = 40 * MS},
                                   {.path = 2, .before_ns = 9 * MS, .before_max_ns = 9 * MS}};
    sites[1].before_max_rank = 1;
    sites[0].before_since = sites[1].before_since = RESULT_NONE;
    set_sites(&result, sites, 2);
    regions[0].name = regions[0].shown = (char *)RESULT_REGION_PROGRAM;
    find(&result);
    assert_says("rank 1 sends to rank 0, and computes longest in the code before MPI_Iprobe");
}

/// The calls of solve/MPI_Recv are those of another function.
TEST(test_what_the_calls_are_decides_the_hint)
{
    static const struct {
        const char *name, *kind, *hint;
        enum mpi_class class_;
        size_t n_remedies;
    } cases[] = {
        {"MPI_Comm_split", "other-mpi", "Call it less often", MPI_CLASS_MANAGEMENT, 1},
        {"MPI_Alltoallv", "all-to-all", "needs the data of a few others", MPI_CLASS_COLLECTIVE, 1},
        {"MPI_Bcast", "split-collective", "MPI_Allreduce in place of", MPI_CLASS_COLLECTIVE, 1},
        {"MPI_Init", "mpi-start", "how the program is launched", MPI_CLASS_START_END, 0}};
    struct result result = make_result();
    struct result_path_share origins[] = {{1, 1, 30 * MS, 1, RESULT_NONE, 1}};
    // The calls follow those of path 3, after which 9 us pass in the mean.
    struct result_site sites[] = {{.path = 1, .visits = 9, .before_since = 1, .before_ns = 81000},
                                  {.path = 3, .visits = 9, .before_since = RESULT_NONE}};
    set_sites(&result, sites, 2);
    regions[3] = (struct result_region){REGION("MPI_Reduce"), .is_mpi = true};
    paths[3] = (struct result_path){PATH("solve/MPI_Reduce"), .region = 3, .depth = 1};
    result.n_regions = result.n_paths = 4;
    add_late_sender(&result, 30 * MS);
    set_origins(origins, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        regions[1].name = (char *)cases[i].name;
        regions[1].mpi_class = (uint8_t)cases[i].class_;
        find_kind(&result, 0, cases[i].kind);
        assert_int_equal(found.findings[0].n_remedies, cases[i].n_remedies);
        assert_says(cases[i].hint);
    }
    // More computing in between, or a reduction that is no part of the same.
    regions[1].name = (char *)"MPI_Bcast";
    regions[1].mpi_class = MPI_CLASS_COLLECTIVE;
    sites[0].before_ns = 90000;
    find_kind(&result, 0, "collective-cost");
    sites[0].before_ns = 0;
    regions[3].name = (char *)"MPI_Reduce_scatter";
    find_kind(&result, 0, "collective-cost");
    // A call that takes no longer than recording it may take next to nothing by itself.
    regions[1].name = (char *)cases[0].name;
    regions[1].mpi_class = (uint8_t)cases[0].class_;
    result.recording_of_visit_ns = 100 * MS;
    find(&result);
    assert_says_not(cases[0].hint);
}

TEST(test_too_few_cores_make_mpi_doubtful)
{
    struct result result = make_result();
    struct result_node nodes[] = {{(char *)"a", (char *)"", 8, 9, 0},
                                  {(char *)"b", (char *)"", 2, 2, 0}};
    result.nodes = nodes;
    result.n_nodes = 2;
    find(&result);
    assert_says("9 ranks shared 8 cores: a descheduled rank looks busy inside MPI.");
    nodes[0].n_ranks = 8;
    find(&result);
    assert_says_not("core");
}

TEST(test_many_small_messages)
{
    struct result result = make_result();
    struct result_traffic traffic[] = {{0, 1, 900, 90000}, {1, 0, 100, 10000}};
    result.traffic = traffic;
    result.n_traffic = 2;
    result.message_sizes[7] = (struct result_size_class){1000, 100000};
    find_kind(&result, 0, "small-messages");
    assert_says("1000 messages, half of them of about 100 B or less. The 9 calls for them");
    // Tests carry no messages.
    regions[3] = regions[1];
    paths[3] = paths[1];
    regions[3].name = (char *)"MPI_Testany";
    paths[3].region = 3;
    paths[3].visits = 6858915;
    result.n_regions = result.n_paths = 4;
    find(&result);
    assert_says("The 9 calls for them");
    result = make_result();
    result.traffic = traffic;
    result.n_traffic = 2;
    traffic[0].size_bytes = 90000000;
    result.message_sizes[7] = (struct result_size_class){500, 50000};
    result.message_sizes[18] = (struct result_size_class){500, 500 * 179900};
    find_kind(&result, 0, "small-messages");
    assert_says("half of them of about 100 B or less");
    result.message_sizes[7].n_messages = 499;
    find_kind(&result, 0, "transfers");
    assert_says("1000 messages of 87.9 KiB on average");
}

TEST(test_mpi_time_with_missing_partners_is_in_doubt)
{
    struct result result = make_result();
    warnings[0] = (struct result_warning){
        .code = (char *)"unmatched-receive", .count = 1, .text = (char *)""};
    result.warnings = warnings;
    result.n_warnings = 1;
    find(&result);
    assert_says("may be waiting");
}

TEST(test_uneven_work)
{
    struct result result = make_result();
    add_origin(&result, 35 * MS, (int64_t[]){0, 30 * MS});
    find(&result);
    assert_int_equal(found.n_findings, 2); // and the rest of the receives
    const struct result_finding *finding =
        &found.findings[strcmp(found.findings[0].kind, "uneven-work") != 0];
    assert_string_equal(finding->kind, "uneven-work");
    assert_string_equal(
        finding->text,
        "Rank 1 has more work than the others in solve (solve.c:56): 65.00 ms, the "
        "mean is 50.00 ms. Rank 0 waits for this in solve/MPI_Recv (Late Sender). This "
        "costs 30.00 ms, 15.0 % of the ranks' time.");
    assert_int_equal(finding->n_ranks, 1);
    assert_int_equal(finding->ranks[0], 1);
    assert_string_equal(finding->remedies[0].option, "balance");
    assert_string_equal(finding->remedies[0].value, "solve");
    patterns[0].id = (char *)"wait-at-barrier";
    find(&result);
    finding = &found.findings[strcmp(found.findings[0].kind, "uneven-work") != 0];
    assert_string_equal(finding->remedies[2].value, "solve/MPI_Recv");
    patterns[0].id = (char *)"lock-contention"; // the computing keeps a lock held
    find_kind(&result, 1, "held-locks");
    for (int is_end = 0; is_end < 2; is_end++) { // or an epoch from beginning, or ending
        patterns[0].id = (char *)(is_end ? "early-wait" : "late-post");
        find(&result);
        finding = &found.findings[strcmp(found.findings[0].kind, "awaited-epochs") != 0];
        assert_string_equal(finding->kind, "awaited-epochs");
        assert_string_equal(finding->remedies[0].value, "solve=0.5");
    }
}

TEST(test_work_that_is_uneven_by_turns)
{
    struct result result = make_result();
    add_origin(&result, 50 * MS, (int64_t[]){15 * MS, 15 * MS});
    find_kind(&result, 1, "moving-work");
    struct result_traffic one_way = {1, 0, 2, 0};
    result.traffic = &one_way;
    result.n_traffic = 1;
    find_kind(&result, 1, "dependent-work");
    patterns[0].id = (char *)"wait-at-barrier";
    find_kind(&result, 1, "moving-work");
    assert_string_equal(found.findings[1].remedies[1].option, "drop-sync");
    assert_int_equal(found.findings[1].n_ranks, 2);
    struct result_amount on_both[] = {{0, 3, 15 * MS}, {1, 3, 15 * MS}};
    patterns[0].id = (char *)"late-broadcast"; // each in turn is the root
    patterns[0].by_rank = on_both;
    patterns[0].n_by_rank = 2;
    find_kind(&result, 1, "moving-work"); // if balancing saves something
    assert_string_equal(found.findings[1].otherwise->kind, "work-in-turn");
}

TEST(test_serial_work)
{
    struct result result = make_result();
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    find_kind(&result, 1, "serial-work");
    assert_string_equal(found.findings[1].remedies[0].value, "solve=0-1");
    regions[0].shown = (char *)"unknown_solver";
    find(&result);
    regions[0].shown = (char *)"solve";
    assert_string_equal(found.findings[1].remedies[0].value, "unknown_solver=0-1");
    regions[1].name = (char *)"MPI_Wait"; // what it waits for was begun before
    find(&result);
    regions[1].name = (char *)"MPI_Recv";
    assert_string_equal(found.findings[1].remedies[1].option, "overlap");
}

/// Rank 1 makes rank 0 wait for 30 ms, and waits itself.
TEST(test_ranks_that_take_turns)
{
    struct result result = make_result();
    struct result_traffic traffic[] = {{0, 1, 2, 0}, {1, 0, 2, 0}};
    struct result_amount on_both[] = {{0, 3, 30 * MS}, {1, 3, 15 * MS}};
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    patterns[0].by_rank = on_both;
    patterns[0].n_by_rank = 2;
    result.traffic = traffic;
    result.n_traffic = 2;
    find_kind(&result, 1, "taking-turns");
    assert_string_equal(found.findings[1].remedies[0].value, "solve");
    on_both[1].ns--; // less than half
    find_kind(&result, 1, "serial-work");
}

/// Three ranks: rank 0 sends 500 messages to each of the others, and gets as many from each.
static struct result make_farm(struct result_rank farm_ranks[3], struct result_traffic traffic[4])
{
    struct result result = make_result();
    for (uint32_t i = 0; i < 3; i++)
        farm_ranks[i] = ranks[i > 0];
    farm_ranks[0].useful_ns = 0;
    for (uint32_t i = 0; i < 4; i++)
        traffic[i] = (struct result_traffic){i < 2 ? 0 : i - 1, i < 2 ? i + 1 : 0, 500, 4000};
    result.ranks = farm_ranks;
    result.n_ranks = 3;
    result.total_ns = 300 * MS;
    result.traffic = traffic;
    result.n_traffic = 4;
    result.message_sizes[4] = (struct result_size_class){2000, 16000};
    return result;
}

TEST(test_a_master_waits_for_workers)
{
    struct result_rank farm_ranks[3];
    struct result_traffic traffic[4];
    struct result result = make_farm(farm_ranks, traffic);
    add_origin(&result, 50 * MS, (int64_t[]){0, 30 * MS});
    struct result_path_rank times[] = {{0, 1, 1, 50 * MS, 50 * MS, 0},
                                       {0, 2, 1, 50 * MS, 50 * MS, 0}};
    result.path_ranks = times;
    find(&result);
    const struct result_finding *finding = &found.findings[1];
    assert_string_equal(finding->kind, "long-tasks"); // if that can be proven
    assert_string_equal(finding->otherwise->kind, "master-waits");
    assert_string_equal(finding->otherwise->remedies[0].value, "3");
    times[0].exclusive_ns += 8 * MS; // 16 ms more than the mean are half of 30 ms
    times[1].exclusive_ns -= 8 * MS;
    find(&result);
    assert_string_equal(found.findings[1].otherwise->kind, "uneven-work");
    // A rank that does half of another one's work, too, is one of those that may be uneven.
    times[0].exclusive_ns = times[1].exclusive_ns = 50 * MS;
    for (int is_worker = 0; is_worker < 2; is_worker++) {
        farm_ranks[0].useful_ns = 25 * MS - !is_worker;
        find(&result);
        assert_string_equal(found.findings[1].otherwise->kind,
                            is_worker ? "little-work" : "master-waits");
    }
}

/// Clients that have all they want wait in MPI_Finalize for the server, too, which serves others.
TEST(test_a_server_is_waited_for_at_the_end)
{
    struct result_rank farm_ranks[3];
    struct result_traffic traffic[4];
    struct result result = make_farm(farm_ranks, traffic);
    add_origin(&result, 100 * MS, (int64_t[]){30 * MS, 0});
    farm_ranks[0].useful_ns = 50 * MS;
    struct result_server server = {.arrival = {1000, MS / 10, 0},
                                   .service = {1000, MS / 20, 0},
                                   .response = {1000, MS / 10, 0},
                                   .busy = 0.5,
                                   .think_ns = MS / 10,
                                   .saturating = 3};
    result.servers = &server;
    result.n_servers = 1;
    struct result_pattern both[2] = {patterns[0], patterns[0]};
    both[1].id = (char *)"wait-at-finalize";
    result.patterns = both;
    result.n_patterns = 2;
    for (int is_server = 0; is_server < 2; is_server++) { // more than two fifths are for messages
        struct result_path_share origins[2] = {patterns[0].origins.by_path_rank[0],
                                               patterns[0].origins.by_path_rank[0]};
        for (int i = 0; i < 2; i++) {
            both[i].window_ns =
                i == 0 ? 12 * MS + (uint64_t)is_server : 18 * MS - (uint64_t)is_server;
            origins[i].time_ns = (int64_t)both[i].window_ns;
            both[i].origins.by_path_rank = &origins[i];
            both[i].origins.n_by_path_rank = 1;
        }
        find(&result);
        bool is_second = strcmp(found.findings[0].kind, "fine-tasks") == 0;
        assert_string_equal(found.findings[is_second].kind,
                            is_server ? "saturated-server" : "serial-work");
        if (is_server)
            assert_says("A message comes every 100.0 us, the server takes 50.00 us for "
                        "each. A client has the answer after 100.0 us, and sends the next "
                        "message 100.0 us later. So the server is busy 50.0 % of the time, and 3.0 "
                        "clients keep "
                        "it busy all the time.");
    }
}

TEST(test_small_tasks)
{
    struct result_rank farm_ranks[3];
    struct result_traffic traffic[4];
    struct result result = make_farm(farm_ranks, traffic);
    result.useful_ns = 100 * MS; // 100 us for each of 1000 tasks
    paths[1].visits = 8000;      // 10 us each
    find_kind(&result, 0, "small-messages");
    paths[1].visits = 7999;
    find_kind(&result, 0, "fine-tasks");
}

/// Rank 0 waits for rank 1 in solve, and in what that calls.
TEST(test_a_function_and_what_it_calls_are_one)
{
    struct result result = make_result();
    regions[3] = (struct result_region){
        .name = (char *)"inner", .shown = (char *)"inner", .file = (char *)"solve.c", .line = 7};
    paths[3] = (struct result_path){.path = (char *)"solve/inner",
                                    .shown = (char *)"solve/inner",
                                    .region = 3,
                                    .exclusive_ns = 40 * MS};
    struct result_path_share origins[] = {{3, 1, 20 * MS, 0, RESULT_NONE, 3},
                                          {0, 1, 10 * MS, 0, RESULT_NONE, 0}};
    struct result_path_rank times[] = {{0, 1, 1, 60 * MS, 60 * MS, 0},
                                       {3, 1, 1, 40 * MS, 40 * MS, 0}};
    add_late_sender(&result, 30 * MS);
    set_origins(origins, 2);
    result.n_regions = result.n_paths = 4;
    result.path_ranks = times;
    result.n_path_ranks = 2;
    for (int is_nested = 0; is_nested < 2; is_nested++) {
        paths[3].parent = is_nested ? 0 : RESULT_NONE;
        find(&result);
        assert_int_equal(found.n_findings, is_nested ? 2 : 3); // with the rest of the receives
        assert_string_equal(found.findings[1].kind, "serial-work");
        assert_int_equal(found.findings[1].loss_ns, (is_nested ? 30 : 20) * MS);
        if (is_nested)
            assert_says("Only rank 1 computes in inner (solve.c:7) and solve (solve.c:56), "
                        "for 100.0 ms.");
        // For the part, and for the function that calls it.
        assert_string_equal(found.findings[1].remedies[0].value, "inner=0-1");
        assert_string_equal(found.findings[1].remedies[is_nested ? 2 : 1].value,
                            is_nested ? "solve=0-1" : "inner=0.5");
    }
    // What it is otherwise is about the part, too.
    struct result_traffic one_way = {1, 0, 2, 0};
    result.traffic = &one_way;
    result.n_traffic = 1;
    find_kind(&result, 1, "missed-overlap");
    assert_string_equal(found.findings[1].otherwise->kind, "dependent-work");
    assert_string_equal(found.findings[1].otherwise->remedies[1].value, "inner=0.5");
    assert_string_equal(found.findings[1].otherwise->remedies[2].value, "solve=0.5");
}

TEST(test_one_sided_calls)
{
    static const char *const rows[][2] = {{"MPI_Win_lock", "rma-locks"},
                                          {"MPI_Win_fence", "rma-fences"},
                                          {"MPI_Put", "one-sided"},
                                          {"MPI_Win_flush_all", "one-sided"}}; // of a shared lock
    struct result result = make_result();
    struct result_path_rank times[] = {{0, 0, 1, 20 * MS, 20 * MS, 0},
                                       {0, 1, 1, 80 * MS, 80 * MS, 0},
                                       {1, 0, 9, 80 * MS, 80 * MS, 0}};
    result.path_ranks = times;
    result.n_path_ranks = 3;
    result.efficiency.load_balance = 0.6;
    ranks[1].useful_ns = 80 * MS;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        regions[1].name = (char *)rows[i][0];
        regions[1].mpi_class = MPI_CLASS_RMA_SYNCHRONISATION;
        find(&result);
        assert_string_equal(found.findings[0].kind, rows[i][1]);
        assert_string_equal(found.findings[0].place, "solve/MPI_Recv");
        // Who computes longest is late at a fence; who is in calls longest waits for locks.
        assert_int_equal(found.findings[0].n_ranks, 1);
        assert_int_equal(found.findings[0].ranks[0], strcmp(rows[i][0], "MPI_Win_fence") == 0);
        if (strcmp(rows[i][0], "MPI_Win_fence") == 0)
            assert_says("Rank 1 has more work than the others, most of it in solve");
    }
    // Where the trace tells waits, what is left is none.
    struct result_pattern fence = {.id = (char *)"wait-at-fence",
                                   .parent = (char *)"",
                                   .name = (char *)"",
                                   .is_evaluated = true};
    result.patterns = &fence;
    result.n_patterns = 1;
    regions[1].name = (char *)"MPI_Win_fence";
    find_kind(&result, 0, "window-calls");
}

/// Without an origin the awaited ranks are known all the same.
TEST(test_waits_without_origin)
{
    struct result result = make_result();
    struct result_path_rank times[] = {{0, 1, 1, 40 * MS, 40 * MS, 0},
                                       {1, 1, 9, 10 * MS, 10 * MS, 0}};
    add_late_sender(&result, 30 * MS);
    patterns[0].origins = (struct result_origins){0};
    result.path_ranks = times;
    result.n_path_ranks = 2;
    find_kind(&result, 1, "waiting");
    assert_int_equal(found.findings[1].ranks[0], 1);
    assert_says("Rank 0 waits in solve/MPI_Recv for rank 1.");
    assert_says("rank 1 spends most of its time in solve (solve.c:56).");
}

/// One rank computes for another one, which then does other work: a kind that needs a proof.
TEST(test_missed_overlap)
{
    struct result result = make_result();
    struct result_traffic one_way = {1, 0, 2, 0};
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    result.traffic = &one_way;
    result.n_traffic = 1;
    find(&result);
    const struct result_finding *finding = &found.findings[1];
    assert_string_equal(finding->kind, "missed-overlap");
    assert_int_equal(finding->ranks[0], 0); // that waits
    assert_string_equal(finding->remedies[0].value, "solve");
    assert_int_equal(finding->n_otherwise, 1);
    assert_string_equal(finding->otherwise->kind, "dependent-work");
    assert_int_equal(finding->otherwise->ranks[0], 1);
}

/// Receives can be posted earlier, also where ranks wait longer in a collective operation.
TEST(test_the_receives_of_a_pipeline_are_named)
{
    struct result result = make_result();
    struct result_traffic one_way = {1, 0, 2, 0};
    struct result_amount in_init[] = {{2, 3, 30 * MS}};
    add_origin(&result, 50 * MS, (int64_t[]){15 * MS, 15 * MS});
    struct result_pattern both[2] = {patterns[0], patterns[0]};
    both[0].id = (char *)"wait-at-nxn";
    both[0].by_path = in_init;
    result.patterns = both;
    result.n_patterns = 2;
    result.traffic = &one_way;
    result.n_traffic = 1;
    find_kind(&result, 1, "dependent-work");
    assert_says("waits in MPI_Init (");
    assert_string_equal(found.findings[1].remedies[0].sentence,
                        "Post the receives of solve/MPI_Recv earlier, and compute before waiting, "
                        "if the work allows it");
}

/// A pipeline has several messages for each operation in which ranks wait, whatever they wait there
/// for; one message is missed overlap.
TEST(test_a_pipeline_that_drains)
{
    struct result result = make_result();
    struct result_traffic one_way = {1, 0, 9, 0};
    struct result_amount in_init[] = {{2, 3, 6 * MS}};
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    struct result_pattern both[2] = {patterns[0], patterns[0]};
    both[1].id = (char *)"wait-at-nxn";
    both[1].window_ns = 6 * MS;
    both[1].by_path = in_init;
    both[1].origins = (struct result_origins){0};
    result.patterns = both;
    result.n_patterns = 2;
    result.traffic = &one_way;
    result.n_traffic = 1;
    result.n_collectives = 4; // 9 messages are more than twice as many
    find_kind(&result, 1, "drained-pipeline");
    assert_string_equal(found.findings[1].remedies[0].option, "drop-sync");
    assert_string_equal(found.findings[1].remedies[0].value, "MPI_Init");
    result.n_collectives = 5;
    find_kind(&result, 1, "missed-overlap");
    result.n_collectives = 4;
    both[1].window_ns = 4 * MS; // less than a fifth of the loss
    find_kind(&result, 1, "missed-overlap");
}

/// That messages of others had come is no proof that another order saves something: without one it
/// is what else makes the awaited rank late.
TEST(test_receives_in_a_fixed_order_need_a_proof)
{
    struct result result = make_result();
    add_origin(&result, 20 * MS, (int64_t[]){0, 30 * MS});
    struct result_pattern both[2] = {patterns[0], patterns[0]};
    both[1].id = (char *)"late-sender-wrong-order";
    both[1].is_top = false;
    result.patterns = both;
    result.n_patterns = 2;
    for (int is_enough = 0; is_enough < 2; is_enough++) {
        both[1].total_ns = 9 * MS - !is_enough; // of 30
        find(&result);
        const struct result_finding *finding = &found.findings[1];
        assert_string_equal(finding->kind, is_enough ? "receive-order" : "uneven-work");
        assert_int_equal(finding->n_otherwise, is_enough);
    }
    assert_string_equal(found.findings[1].otherwise->kind, "uneven-work");
}

/// Cores are a limit of the machine: last, unless they cost more than all else.
TEST(test_limits_of_the_machine_come_last)
{
    struct result result = make_result();
    regions[3] = (struct result_region){.name = (char *)RESULT_REGION_NO_CPU,
                                        .shown = (char *)RESULT_REGION_NO_CPU,
                                        .file = (char *)""};
    paths[3] = (struct result_path){.path = (char *)"solve/lost",
                                    .shown = (char *)"solve/lost",
                                    .region = 3,
                                    .exclusive_ns = 50 * MS};
    result.n_regions = result.n_paths = 4;
    for (int has_most = 0; has_most < 2; has_most++) {
        add_origin(&result, 35 * MS, (int64_t[]){0, 30 * MS});
        // More than four times 30 and 8 ms come first.
        result.other_mpi_ns = has_most ? 8 * MS : 50 * MS;
        result.no_cpu_ns = paths[3].exclusive_ns = (has_most ? 160 : 45) * MS;
        result.useful_ns = result.total_ns - 30 * MS - result.other_mpi_ns - result.no_cpu_ns;
        find(&result);
        assert_int_equal(found.n_findings, 3);
        assert_string_equal(found.findings[has_most ? 0 : 2].kind, "no-core");
        assert_string_equal(found.findings[has_most ? 1 : 0].kind,
                            has_most ? "uneven-work" : "transfers");
    }
}

/// More than half of the run would be saved by cores, or was lost to other programs: first.
TEST(test_limits_that_most_of_the_run_is_lost_to_come_first)
{
    struct result result = make_result();
    regions[3] = (struct result_region){REGION(RESULT_REGION_NO_CPU), .file = (char *)""};
    paths[3] = (struct result_path){PATH("solve/lost"), .region = 3, .exclusive_ns = 45 * MS};
    result.n_regions = result.n_paths = 4;
    add_origin(&result, 35 * MS, (int64_t[]){0, 30 * MS});
    result.other_mpi_ns = 50 * MS;
    result.no_cpu_ns = 45 * MS;
    result.useful_ns = result.total_ns - 125 * MS;
    find(&result);
    struct result_finding *last = &found.findings[found.n_findings - 1];
    assert_string_equal(last->kind, "no-core");
    uint64_t loss_ns = last->loss_ns;
    last->loss_ns = found.total_ns / 2;
    findings_order(&found);
    assert_string_equal(last->kind, "no-core");
    last->loss_ns = found.total_ns / 2 + 1;
    findings_order(&found);
    assert_string_equal(found.findings[0].kind, "no-core");

    struct result_remedy more_cores = {.option = (char *)"cores", .is_predicted = true};
    struct result_finding *first = &found.findings[0];
    first->loss_ns = loss_ns;
    struct result_remedy *none = first->remedies;
    first->n_remedies = 1;
    first->remedies = &more_cores;
    found.replayed_ns = 100 * MS;
    first->potential_ns = 50 * MS + 1;
    for (size_t i = 1; i < found.n_findings; i++)
        found.findings[i].potential_ns = 20 * MS;
    findings_order(&found);
    assert_string_equal(found.findings[0].kind, "no-core");
    first->potential_ns = 50 * MS;
    findings_order(&found);
    assert_string_equal(found.findings[0].kind, "transfers");
    last = &found.findings[found.n_findings - 1];
    assert_string_equal(last->kind, "no-core");
    last->n_remedies = 0;
    last->remedies = none;
}

/// All losses are in one finding or in none, and waits within other patterns' waits are not.
TEST(test_parts_sum_to_the_lost_time)
{
    struct result result = make_result();
    add_origin(&result, 40 * MS, (int64_t[]){0, 20 * MS}); // 10 ms have no origin
    for (int is_top = 1; is_top >= 0; is_top--) {
        patterns[0].is_top = is_top == 1;
        result.wait_ns = is_top ? 30 * MS : 0;
        result.other_mpi_ns = 100 * MS - result.wait_ns;
        find(&result);
        uint64_t sum_ns = found.found_rest_ns;
        for (size_t i = 0; i < found.n_findings; i++)
            sum_ns += found.findings[i].loss_ns;
        assert_int_equal(found.n_findings, is_top ? 3 : 1);
        assert_int_equal(sum_ns, 100 * MS);
    }
}

TEST(test_good_efficiency)
{
    struct result result = make_result();
    result.useful_ns = 196 * MS;
    result.other_mpi_ns = 4 * MS;
    result.efficiency.parallel = 0.98;
    find(&result);
    assert_says("4.000 ms, 2.0 % of the ranks' time");
    assert_says("Faster communication would gain little. 40.0 % of the critical path is");
    result.other_mpi_ns = 3 * MS;
    find(&result);
    assert_int_equal(found.n_findings, 0);
    assert_says("No single cause reaches 2 % of the ranks' time.");
}

TEST(test_what_cannot_be_judged)
{
    struct result result = make_result();
    result.window_begin_ns = 99 * MS + 500000;
    result.total_ns = MS;
    find(&result);
    assert_says("Only 500.0 us are judged: too short for reliable numbers.");

    result = make_result();
    ranks[1].is_skipped = true;
    result.total_ns = 100 * MS;
    find(&result);
    assert_says("1 rank could not be read; the numbers cover the other 1.");

    ranks[0].is_skipped = true;
    find(&result);
    assert_says("holds no span of time of any rank");
    assert_string_equal(found.headline, "The trace holds no span of time of any rank");
}

TEST(test_json_has_null_for_the_unknown)
{
    struct result result = make_result();
    SCOPED char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    json_print(&result, NULL, stream);
    fclose(stream);
    assert_non_null(strstr(text, "\"pagoda\": \"" PAGODA_VERSION "\""));
    assert_non_null(strstr(text, "\"parallel\": 0.5,"));
    assert_non_null(strstr(text, "\"load_balance\": 1.0,"));
    assert_non_null(strstr(text, "\"serialization\": null,"));
    assert_non_null(strstr(text, "\"confidence\": null,"));
    assert_non_null(strstr(text, "\"worst\": null"));
}

/// The row of the efficiency fits into 80 columns with all factors.
TEST(test_efficiency_is_one_row)
{
    struct result result = make_result();
    const struct text_options options = {.depth = 4, .top = 12, .width = 80};
    SCOPED char *text = NULL;
    size_t size;
    result.efficiency = (struct result_efficiency){0.999, 1, 1, NAN, NAN, 0.999};
    find(&result);
    FILE *stream = open_memstream(&text, &size);
    text_print(&found, &options, stream);
    fclose(stream);
    assert_non_null(strstr(text, "  Efficiency    99.9 % = load balance 100 % x CPU 99.9 % x "
                                 "communication 100 %\n"));
}

/// Iterations that take longer are the cause where the rank that is waited for computes longer in
/// them, and not where it lacks CPU time.
TEST(test_longer_iterations_are_those_that_compute_longer)
{
    struct result result = make_result();
    struct result_path_share origins[] = {{0, 1, 30 * MS, 1, RESULT_NONE, 0}};
    struct result_odd odd = {.first = 15,
                             .last = 20,
                             .every = 1,
                             .is_trend = true,
                             .factor = 1.5,
                             .lost_ns = 30 * MS,
                             .cause = RESULT_ODD_COMPUTING,
                             .rank = 1};
    add_late_sender(&result, 30 * MS);
    set_origins(origins, 1);
    result.iterations.odd = &odd;
    result.iterations.n_odd = 1;
    find(&result);
    assert_says("From iteration 15 on");
    odd.cause = RESULT_ODD_NO_CPU;
    find(&result);
    assert_says_not("iteration 15");
}

AROUND_ALL(load, unload)
