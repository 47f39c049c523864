// SPDX-License-Identifier: BSD-3-Clause
// The conclusion on hand-made results: which loss is named, and what is said when there is none or
// nothing can be said. JSON of the same results: null for what is unknown.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/report/report.h"
#include "analyzer/result/conclusion.h"

enum { MS = 1000000 };

static struct result_region regions[] = {
    {.name = (char *)"solve",
     .shown = (char *)"solve",
     .file = (char *)"solve.c",
     .line = 56,
     .exclusive_ns = 100 * MS,
     .max_rank = 1,
     .max_ns = 60 * MS},
    {.name = (char *)"MPI_Recv",
     .shown = (char *)"MPI_Recv",
     .file = (char *)"",
     .is_mpi = true,
     .max_rank = 0},
    {.name = (char *)"MPI_Init",
     .shown = (char *)"MPI_Init",
     .file = (char *)"",
     .is_mpi = true,
     .max_rank = 0},
};
static struct result_path paths[] = {
    {.path = (char *)"solve",
     .shown = (char *)"solve",
     .region = 0,
     .parent = RESULT_NONE,
     .exclusive_ns = 100 * MS},
    {.path = (char *)"solve/MPI_Recv",
     .shown = (char *)"solve/MPI_Recv",
     .region = 1,
     .parent = 0,
     .depth = 1,
     .visits = 9,
     .exclusive_ns = 80 * MS},
    {.path = (char *)"MPI_Init",
     .shown = (char *)"MPI_Init",
     .region = 2,
     .parent = RESULT_NONE,
     .visits = 2,
     .exclusive_ns = 900 * MS},
};
static struct result_rank ranks[2];
static struct result_amount on_rank_0[] = {{0, 3, 30 * MS}};
static struct result_amount in_receive[] = {{1, 3, 30 * MS}};
static struct result_amount for_rank_1[] = {{1, 2, 20 * MS}};
static struct result_pattern patterns[1];
static struct result_warning warnings[1];
static struct result_path_share on_path[] = {{2, RESULT_NONE, 60 * MS, 0.6, RESULT_NONE},
                                             {0, RESULT_NONE, 40 * MS, 0.4, RESULT_NONE}};

/// Two ranks, 100 ms, all of it judged; 50 and 50 ms useful, the rest MPI.
static struct result make_result(void)
{
    ranks[0] = (struct result_rank){.useful_ns = 50 * MS, .mpi_ns = 50 * MS};
    ranks[1] = (struct result_rank){.useful_ns = 50 * MS, .mpi_ns = 50 * MS};
    patterns[0] = (struct result_pattern){
        .id = (char *)"late-sender",
        .parent = (char *)"",
        .name = (char *)"Late Sender",
        .is_top = true,
        .is_evaluated = true,
        .worst = {RESULT_NONE, RESULT_NONE, RESULT_NONE, 0, 0, RESULT_NONE},
    };
    return (struct result){
        .trace_path = (char *)"x",
        .program = (char *)"",
        .arguments = (char *)"",
        .creator = (char *)"",
        .time_ns = 100 * MS,
        .window_end_ns = 100 * MS,
        .total_ns = 200 * MS,
        .useful_ns = 100 * MS,
        .other_mpi_ns = 100 * MS,
        .efficiency = {0.5, 1, 0.5, NAN, NAN, NAN},
        .ranks = ranks,
        .n_ranks = 2,
        .regions = regions,
        .n_regions = 3,
        .paths = paths,
        .n_paths = 3,
        .patterns = patterns,
        .n_patterns = 1,
        .critical_path = {.by_region = on_path, .n_by_region = 2},
    };
}

static void add_late_sender(struct result *result, uint64_t window_ns)
{
    result->wait_ns = window_ns;
    result->other_mpi_ns -= window_ns;
    patterns[0].count = 3;
    patterns[0].total_ns = 30 * MS;
    patterns[0].window_ns = window_ns;
    patterns[0].by_rank = on_rank_0;
    patterns[0].by_path = in_receive;
    patterns[0].by_cause = for_rank_1;
    patterns[0].n_by_rank = patterns[0].n_by_path = patterns[0].n_by_cause = 1;
}

static void write_conclusion(struct result *result)
{
    conclusion_write(result);
    assert_non_null(result->headline);
    assert_non_null(result->conclusion);
}

static void forget(struct result *result)
{
    free(result->headline);
    free(result->conclusion);
    free(result->answer.loss);
    free(result->answer.cause);
    free(result->answer.change);
    free(result->answer.certainty);
}

static void assert_says(const struct result *result, const char *part)
{
    if (!strstr(result->conclusion, part))
        fail_msg("\"%s\" is not in: %s", part, result->conclusion);
}

static void assert_says_not(const struct result *result, const char *part)
{
    if (strstr(result->conclusion, part))
        fail_msg("\"%s\" is in: %s", part, result->conclusion);
}

static void test_mpi_itself(void **state)
{
    (void)state;
    struct result result = make_result();
    write_conclusion(&result);
    assert_says_not(&result, "may be waiting");
    assert_says_not(&result, "uneven");
    assert_string_equal(result.headline, "Other MPI (no waiting): 100.0 ms, 50.0 % of the ranks' "
                                         "time, most in solve/MPI_Recv");
    assert_says(&result, result.headline);
    forget(&result);
}

static void test_probing_is_waiting_for_somebody(void **state)
{
    (void)state;
    struct result result = make_result();
    const uint32_t receive = 1; // the region of solve/MPI_Recv
    char *name = regions[receive].name;
    regions[receive].name = (char *)"MPI_Mprobe";
    paths[1].shown = (char *)"solve/MPI_Mprobe";
    write_conclusion(&result);
    regions[receive].name = name;
    paths[1].shown = (char *)"solve/MPI_Recv";
    assert_says(&result, "(mostly probing): 100.0 ms");
    assert_says(&result,
                "A probe waits until a message arrives. Look at what the senders do before "
                "they send.");
    assert_says_not(&result, "no waiting");
    assert_string_equal(result.headline, "Other MPI (mostly probing): 100.0 ms, "
                                         "50.0 % of the ranks' time, most in solve/MPI_Mprobe");
    forget(&result);
}

static void test_mpi_itself_on_too_few_cores(void **state)
{
    (void)state;
    struct result result = make_result();
    struct result_node nodes[] = {{(char *)"a", (char *)"", 8, 9}, {(char *)"b", (char *)"", 2, 2}};
    result.nodes = nodes;
    result.n_nodes = 2;
    write_conclusion(&result);
    assert_says(&result,
                "9 ranks shared 8 cores: a descheduled rank looks busy inside MPI. Trace a run "
                "with a core for each rank.");
    assert_says_not(&result, "not known");
    assert_string_equal(result.headline, "Other MPI (no waiting): 100.0 ms, 50.0 % of the ranks' "
                                         "time, most in solve/MPI_Recv; 9 ranks shared 8 cores");
    forget(&result);
    nodes[0].n_ranks = 8;
    write_conclusion(&result);
    assert_says(&result, "Check whether other programs used the cores.");
    assert_says_not(&result, "shared");
    forget(&result);
    result.has_cpu_time = true; // then it is known that they did not
    write_conclusion(&result);
    assert_says_not(&result, "other programs");
    forget(&result);
    nodes[1].n_cores = 0;
    write_conclusion(&result);
    assert_says(&result, "It is not known whether each rank had a core.");
    forget(&result);
}

static void test_many_small_messages(void **state)
{
    (void)state;
    struct result result = make_result();
    struct result_traffic traffic[] = {{0, 1, 900, 90000}, {1, 0, 100, 10000}};
    result.traffic = traffic;
    result.n_traffic = 2;
    write_conclusion(&result);
    assert_says(&result, "1000 messages of 100 B on average. Try fewer, larger messages.");
    forget(&result);
    traffic[0].size_bytes = 90000000;
    write_conclusion(&result);
    assert_says(&result, "1000 messages of 87.9 KiB on average.");
    assert_says_not(&result, "fewer, larger");
    forget(&result);
}

static void test_mpi_time_with_missing_partners_is_in_doubt(void **state)
{
    (void)state;
    struct result result = make_result();
    warnings[0] = (struct result_warning){
        .code = (char *)"unmatched-receive", .count = 1, .text = (char *)""};
    result.warnings = warnings;
    result.n_warnings = 1;
    write_conclusion(&result);
    assert_says(&result, "may be waiting");
    forget(&result);
}

static void test_pattern_with_place_rank_and_cause(void **state)
{
    (void)state;
    struct result result = make_result();
    result.other_mpi_ns = 50 * MS;
    add_late_sender(&result, 30 * MS);
    write_conclusion(&result);
    assert_string_equal(result.answer.loss,
                        "Late Sender: 30.00 ms, 15.0 % of the ranks' time, in solve/MPI_Recv; "
                        "only rank 0 waits, mostly for rank 1.");
    assert_string_equal(result.headline, "Late Sender: 30.00 ms, 15.0 % of the ranks' time, in "
                                         "solve/MPI_Recv; only rank 0 waits, mostly for rank 1");
    assert_says(&result, result.answer.loss);
    forget(&result);
}

static void test_waits_outside_the_window_are_named_as_such(void **state)
{
    (void)state;
    struct result result = make_result();
    result.other_mpi_ns = 0;
    add_late_sender(&result, 0);
    result.efficiency.parallel = 1;
    write_conclusion(&result);
    assert_says(&result, "15.0 % of the whole run");
    assert_says(&result,
                "The work is uneven: rank 1 spends 60.00 ms in solve (solve.c:56), the mean is "
                "50.00 ms. Spread the work more evenly");
    forget(&result);
}

static void test_waits_that_are_part_of_others_are_no_loss(void **state)
{
    (void)state;
    struct result result = make_result();
    result.other_mpi_ns = 33 * MS;
    add_late_sender(&result, 30 * MS);
    patterns[0].is_top = false;
    write_conclusion(&result);
    assert_says(&result, "No loss in MPI reaches 2 %");
    assert_says(&result,
                "40.0 % of the critical path is solve (solve.c:56): less time there shortens "
                "the run.");
    forget(&result);
}

static void test_uneven_work(void **state)
{
    (void)state;
    struct result result = make_result();
    ranks[0].useful_ns = 30 * MS;
    ranks[1].useful_ns = 70 * MS;
    result.efficiency.load_balance = 50. / 70;
    write_conclusion(&result);
    assert_says_not(&result, "uneven"); // less than MPI takes
    forget(&result);
    result.other_mpi_ns = 40 * MS;
    write_conclusion(&result);
    assert_says(&result,
                "Besides, the work is uneven: rank 1 spends 60.00 ms in solve (solve.c:56), the "
                "mean is 50.00 ms.");
    forget(&result);
}

static void test_good_efficiency(void **state)
{
    (void)state;
    struct result result = make_result();
    result.useful_ns = 196 * MS;
    result.other_mpi_ns = 4 * MS;
    result.efficiency.parallel = 0.98;
    write_conclusion(&result);
    assert_string_equal(result.answer.cause, "");
    assert_says(&result, "4.000 ms, 2.0 % of the ranks' time");
    assert_says(&result, "Faster communication would gain little. 40.0 % of the critical path is");
    forget(&result);
}

static void test_too_short(void **state)
{
    (void)state;
    struct result result = make_result();
    result.window_begin_ns = 99 * MS + 500000;
    result.total_ns = MS;
    write_conclusion(&result);
    assert_says(&result, "Only 500.0 us are judged: too short for reliable numbers.");
    forget(&result);
}

static void test_ranks_that_were_not_read(void **state)
{
    (void)state;
    struct result result = make_result();
    ranks[1].is_skipped = true;
    result.total_ns = 100 * MS;
    write_conclusion(&result);
    assert_says(&result, "1 rank could not be read; the numbers cover the other 1.");
    forget(&result);

    ranks[0].is_skipped = true;
    write_conclusion(&result);
    assert_says(&result, "holds no span of time of any rank");
    assert_string_equal(result.headline, "unknown");
    forget(&result);
}

static void test_json_has_null_for_the_unknown(void **state)
{
    (void)state;
    struct result result = make_result();
    char *text = NULL;
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
    free(text);
}

/// Regions that as much of the waiting comes from are all named, others are not.
static void test_equal_origins_are_all_named(void **state)
{
    (void)state;
    struct result_path_share by_region[] = {{0, RESULT_NONE, 15 * MS, 0.5, RESULT_NONE},
                                            {2, RESULT_NONE, 15 * MS, 0.5, RESULT_NONE}};
    for (int is_equal = 1; is_equal >= 0; is_equal--) {
        struct result result = make_result();
        add_late_sender(&result, 80 * MS);
        by_region[1].time_ns -= !is_equal;
        patterns[0].origins = (struct result_origins){.explained_ns = 30 * MS,
                                                      .by_region = by_region,
                                                      .n_by_region = 2,
                                                      .by_region_rank = by_region,
                                                      .n_by_region_rank = 2};
        write_conclusion(&result);
        assert_says(&result, "50.0 % of the waiting comes from solve (solve.c:56)");
        if (is_equal)
            assert_says(&result, ". As much comes from MPI_Init.");
        else
            assert_says_not(&result, "As much");
        forget(&result);
    }
}

/// The row of the efficiency fits into 80 columns with all factors.
static void test_efficiency_is_one_row(void **state)
{
    (void)state;
    struct result result = make_result();
    struct text_options options = {.depth = 4, .top = 12, .width = 80};
    char *text = NULL;
    size_t size;
    result.efficiency = (struct result_efficiency){0.999, 1, 1, NAN, NAN, 0.999};
    write_conclusion(&result);
    FILE *stream = open_memstream(&text, &size);
    text_print(&result, &options, stream);
    fclose(stream);
    assert_non_null(strstr(text, "  Efficiency    99.9 % = load balance 100 % x CPU 99.9 % x "
                                 "communication 100 %\n"));
    free(text);
    forget(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_origins_are_all_named),
        cmocka_unit_test(test_efficiency_is_one_row),
        cmocka_unit_test(test_mpi_itself),
        cmocka_unit_test(test_probing_is_waiting_for_somebody),
        cmocka_unit_test(test_mpi_itself_on_too_few_cores),
        cmocka_unit_test(test_many_small_messages),
        cmocka_unit_test(test_mpi_time_with_missing_partners_is_in_doubt),
        cmocka_unit_test(test_pattern_with_place_rank_and_cause),
        cmocka_unit_test(test_waits_outside_the_window_are_named_as_such),
        cmocka_unit_test(test_waits_that_are_part_of_others_are_no_loss),
        cmocka_unit_test(test_uneven_work),
        cmocka_unit_test(test_good_efficiency),
        cmocka_unit_test(test_too_short),
        cmocka_unit_test(test_ranks_that_were_not_read),
        cmocka_unit_test(test_json_has_null_for_the_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
