// SPDX-License-Identifier: BSD-3-Clause
// Replays of order only: a run computed by hand, whatever its time stamps are; random runs with the
// recorded times as costs, which must come out as with recorded times.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cost/timeless.h"
#include "tests/reference/engine_run.h"
#include "tests/reference/program.h"
#include "tests/unit/machine_text.h"
#include "tests/unit/seeds.h"
#include "tests/unit/text_fixture.h"

enum { DEFAULT_SEEDS = 200 };

static struct predicted_times predict(const char *text, const struct scenario_settings *settings)
{
    struct predicted_times times;
    struct error err = {{0}};
    if (predicted_times(text, settings, 1, &times, &err) != 0)
        fail_msg("%s", err.text);
    return times;
}

// Rank 0 works 1100 (100 units of 10 ns, and 100 for its first visit), sends, works 700 (50 units,
// second visit) and sends: ends at 1800. A message takes 2000. Rank 1 has the first one at 3100,
// works 1100, has had the second one since 3800, works 200 (no units, second visit): ends at 4400.
// It begins late and its MPI_Init takes long, which counts no more than any other time; nor does
// "other", for which there is no <compute>. %1$ and so on are times.
static const char pipeline[] = "nodes a b\n"
                               "0 %1$d enter main\n"
                               "0 %1$d enter block work 100\n"
                               "0 %2$d leave block\n"
                               "0 %2$d enter MPI_Send\n"
                               "0 %2$d send world 1 0 1000\n"
                               "0 %3$d leave MPI_Send\n"
                               "0 %3$d enter block work 50\n"
                               "0 %4$d leave block\n"
                               "0 %4$d enter MPI_Send\n"
                               "0 %4$d send world 1 0 1000\n"
                               "0 %4$d leave MPI_Send\n"
                               "0 %4$d leave main\n"
                               "1 %5$d enter main\n"
                               "1 %5$d enter MPI_Init\n"
                               "1 %6$d leave MPI_Init\n"
                               "1 %6$d enter other\n"
                               "1 %6$d leave other\n"
                               "1 %6$d enter MPI_Recv\n"
                               "1 %6$d recv world 0 0 1000\n"
                               "1 %6$d leave MPI_Recv\n"
                               "1 %6$d enter block work 100\n"
                               "1 %6$d leave block\n"
                               "1 %6$d enter MPI_Recv\n"
                               "1 %6$d recv world 0 0 1000\n"
                               "1 %6$d leave MPI_Recv\n"
                               "1 %6$d enter block\n"
                               "1 %7$d leave block\n"
                               "1 %7$d leave main\n";
static const char pipeline_machine[] =
    "<machine><message scope=\"network\"><point bytes=\"0\" time=\"1us\"/>"
    "<point bytes=\"1000\" time=\"2us\"/></message>"
    "<compute region=\"bl?ck\" time=\"w*10e-9 + visit*1e-7\"/></machine>";

/// In order, all the same, and with messages received before they were sent.
static void test_time_stamps_do_not_matter(void **state)
{
    (void)state;
    static const int stamps[][7] = {
        {0, 100, 2000, 90000, 100, 2000, 90000}, {0}, {7000, 8000, 9000, 9001, 3, 4, 5}};
    struct machine machine = machine_of_text(pipeline_machine);
    const struct scenario_settings settings = {.machine = &machine, .is_timeless = true};
    for (size_t i = 0; i < sizeof stamps / sizeof stamps[0]; i++) {
        const int *at = stamps[i];
        char *text = memory_format(pipeline, at[0], at[1], at[2], at[3], at[4], at[5], at[6]);
        struct predicted_times times = predict(text, &settings);
        assert_int_equal(times.ranks[0].finish_ns, 1800);
        assert_int_equal(times.ranks[1].finish_ns, 4400);
        assert_int_equal(times.critical_path_ns, 4400);
        assert_int_equal(times.n_forced, 0);
        predicted_times_release(&times);
        free(text);
    }
    machine_release(&machine);
}

/// 1000 visits of 0.4 ns are 400 ns, also with MPI calls in between.
static void test_parts_of_a_nanosecond_add_up(void **state)
{
    (void)state;
    char *text = memory_copy_text("0 0 enter main\n");
    for (int i = 0; i < 1000; i++) {
        char *longer = memory_format("%s0 0 enter bit\n0 0 leave bit\n%s", text,
                                     i % 2 ? "0 0 enter MPI_Wtime\n0 0 leave MPI_Wtime\n" : "");
        free(text);
        text = longer;
    }
    struct machine machine = machine_of_text("<machine><message scope=\"node\"><point bytes=\"0\" "
                                             "time=\"1us\"/></message>"
                                             "<compute region=\"bit\" time=\"0.4e-9\"/></machine>");
    const struct scenario_settings settings = {.machine = &machine, .is_timeless = true};
    struct predicted_times times = predict(text, &settings);
    assert_int_equal(times.time_ns, 400);
    predicted_times_release(&times);
    machine_release(&machine);
    free(text);
}

/// Whole units, rounded; what is negative or no number is no count.
static void test_work_counts(void **state)
{
    (void)state;
    struct fixture run =
        open_text("0 0 enter a work 2.5\n0 0 enter a work 2.4\n0 0 enter a work -1\n"
                  "0 0 enter a work nan\n0 0 enter a work 1e30\n0 0 enter a\n");
    static const uint64_t units[] = {3, 2, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct event event = next(&run, 0);
        assert_int_equal((event.flags & EVENT_HAS_WORK) != 0, units[i] != UINT64_MAX);
        if (units[i] != UINT64_MAX)
            assert_int_equal(event.size_bytes, units[i]);
    }
    close_text(&run);
}

/// The time of an element by how many of them a process has (seeds: Kerbyson, Hoisie, Pautz, table
/// 1): 3.7 us below 800, 1.8 ln(e) - 8.4 up to 16384, then 9.2; ten elements each, in ns.
static void test_elements(void **state)
{
    (void)state;
    struct machine machine = machine_of_text(
        "<machine><message scope=\"node\"><point bytes=\"0\" time=\"0s\"/></message>"
        "<compute region=\"cells\" time=\"w*1e-6*(e &lt; 800 ? 3.7 : e &lt;= 16384 ? "
        "1.8*ln(e)-8.4 : 9.2)\"/></machine>");
    const struct scenario_settings settings = {.machine = &machine, .is_timeless = true};
    static const struct {
        uint32_t n_elements, time_ns;
    } cases[] = {{799, 37000}, {800, 36323}, {16384, 90673}, {16385, 92000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = memory_format("0 0 enter cells work 10 %" PRIu32 "\n0 0 leave cells\n",
                                   cases[i].n_elements);
        struct predicted_times times = predict(text, &settings);
        assert_int_equal(times.time_ns, cases[i].time_ns);
        predicted_times_release(&times);
        free(text);
    }
    machine_release(&machine);
}

static uint64_t time_of(const char *text, const char *computes)
{
    char *file = memory_format("<machine><message scope=\"node\"><point bytes=\"0\" time=\"0s\"/>"
                               "</message>%s</machine>",
                               computes);
    struct machine machine = machine_of_text(file);
    const struct scenario_settings settings = {.machine = &machine, .is_timeless = true};
    struct predicted_times times = predict(text, &settings);
    uint64_t time_ns = times.time_ns;
    predicted_times_release(&times);
    machine_release(&machine);
    free(file);
    return time_ns;
}

/// main/a/cell, main/b/c/cell twice, main/cell: by call paths, the first element that fits counts.
static void test_call_paths(void **state)
{
    (void)state;
    static const char cells[] = "0 0 enter main\n0 0 enter a\n0 0 enter cell\n0 0 leave cell\n"
                                "0 0 leave a\n0 0 enter b\n0 0 enter c\n"
                                "0 0 enter cell\n0 0 leave cell\n0 0 enter cell\n0 0 leave cell\n"
                                "0 0 leave c\n0 0 leave b\n"
                                "0 0 enter cell\n0 0 leave cell\n0 0 leave main\n";
    // 1 + 10 + 20 (the first and the second visit of this element) + 100 us; a and b 1 ms each.
    assert_int_equal(time_of(cells, "<compute region=\"main/a/cell\" time=\"1e-6\"/>"
                                    "<compute region=\"b/**/cell\" time=\"visit*1e-5\"/>"
                                    "<compute region=\"cell\" time=\"1e-4\"/>"
                                    "<compute region=\"/main/[ab]\" time=\"1e-3\"/>"
                                    "<compute region=\"other/cell\" time=\"1\"/>"),
                     2131000);
    // The name comes first: 4 cells.
    assert_int_equal(time_of(cells, "<compute region=\"c*l\" time=\"1e-4\"/>"
                                    "<compute region=\"main/a/cell\" time=\"1\"/>"),
                     400000);
    // A path is one to the visited region itself, not one above it; main/** is all of them.
    assert_int_equal(time_of(cells, "<compute region=\"main/b\" time=\"1e-6\"/>"), 1000);
    assert_int_equal(time_of(cells, "<compute region=\"main/**\" time=\"1e-6\"/>"), 8000);
}

/// 100 ns of block for rank 0, 300 for rank 1, balanced: 200 each; what the processor's clock said
/// in the recording is no more than its other times.
static void test_balanced_costs(void **state)
{
    (void)state;
    static const char text[] = "nodes a b\n"
                               "cores a 1\n"
                               "cores b 1\n"
                               "0 0 enter block work 100\n"
                               "0 10 cpu 7\n"
                               "0 5000 cpu 4000\n"
                               "0 5000 leave block\n"
                               "1 0 enter block work 300\n"
                               "1 10 cpu 9000\n"
                               "1 20 cpu 9002\n"
                               "1 20 leave block\n";
    struct machine machine =
        machine_of_text("<machine><message scope=\"network\"><point bytes=\"0\" "
                        "time=\"1us\"/></message>"
                        "<compute region=\"block\" time=\"w*1e-9\"/></machine>");
    const struct region_work balance = {.pattern = "block", .is_balanced = true};
    struct scenario_settings settings = {
        .machine = &machine, .is_timeless = true, .n_cores = 1, .works = &balance, .n_works = 1};
    struct predicted_times times = predict(text, &settings);
    assert_int_equal(times.ranks[0].finish_ns, 200);
    assert_int_equal(times.ranks[1].finish_ns, 200);
    predicted_times_release(&times);
    machine_release(&machine);
}

/// Counts, rules that fit nothing, and values that are none.
static void test_what_is_said(void **state)
{
    (void)state;
    struct machine machine =
        machine_of_text("<machine>\n<compute region=\"solve\" time=\"w*p - 10\"/>\n"
                        "<compute region=\"outpt\" time=\"rank*visit\"/>\n</machine>");
    struct fixture run = open_text("0 0 enter solve\n0 1 enter output\n0 2 leave output\n"
                                   "0 3 leave solve\n1 0 enter solve\n1 1 leave solve\n");
    struct timeless *timeless = timeless_new(run.definitions, &machine, NULL);
    struct error err = {{0}};
    struct event solve = next(&run, 0), output = next(&run, 0);
    struct event busy = solve;
    busy.flags |= EVENT_HAS_WORK;
    busy.size_bytes = 6;
    assert_int_equal(timeless_visit_ps(timeless, 0, 0, &busy), 2000000000000);
    assert_int_equal(timeless_visit_ps(timeless, 1, 0, &output), 0);
    assert_int_equal(timeless_check(timeless, &err), 0);
    assert_int_equal(timeless_visit_ps(timeless, 1, 0, &solve), 0);
    assert_int_equal(timeless_check(timeless, &err), -1);
    assert_non_null(strstr(err.text, "machine.xml:2: <compute region=\"solve\">: the time is -10 s "
                                     "for w = 0, e = 0, p = 2, rank = 1, visit = 1"));
    struct timeless_use use = timeless_use(timeless);
    assert_int_equal(use.n_visits, 3);
    assert_int_equal(use.n_without_rule, 1);
    assert_int_equal(use.n_without_work, 1);
    char *unused = timeless_unused(timeless);
    assert_string_equal(unused, "outpt (line 3; is it output?)");
    free(unused);
    timeless_free(timeless);
    close_text(&run);
    machine_release(&machine);
}

enum { MAX_RANKS = 5 };

/// A random run in which "block" is all the computing, of as many ns as it has units of work.
static char *random_run(struct random *random, uint32_t n_ranks)
{
    char *texts[MAX_RANKS], *all = NULL;
    FILE *streams[MAX_RANKS], *stream;
    size_t size;
    uint64_t now_ns[MAX_RANKS] = {0};
    for (uint32_t r = 0; r < n_ranks; r++) {
        streams[r] = open_memstream(&texts[r], &size);
        fprintf(streams[r], "%" PRIu32 " 0 enter main\n", r);
    }
#define LINE(rank, format, ...)                                                                    \
    fprintf(streams[rank], "%" PRIu32 " %" PRIu64 " " format "\n", rank, now_ns[rank], __VA_ARGS__)
    for (uint32_t step = random_below(random, 60); step > 0; step--) {
        uint32_t r = random_below(random, n_ranks), other = random_below(random, n_ranks);
        uint32_t size_bytes = random_below(random, 2000), units = random_below(random, 1000);
        if (random_chance(random, 50)) {
            LINE(r, "enter block work %" PRIu32, units);
            now_ns[r] += units;
            LINE(r, "leave %s", "block");
        } else if (r != other && random_chance(random, 80)) {
            LINE(r, "enter %s", "MPI_Send");
            LINE(r, "send world %" PRIu32 " 0 %" PRIu32, other, size_bytes);
            now_ns[r] += random_below(random, 50);
            LINE(r, "leave %s", "MPI_Send");
            LINE(other, "enter %s", "MPI_Recv");
            now_ns[other] += random_below(random, 50);
            LINE(other, "recv world %" PRIu32 " 0 %" PRIu32, r, size_bytes);
            LINE(other, "leave %s", "MPI_Recv");
        } else {
            for (uint32_t member = 0; member < n_ranks; member++) {
                LINE(member, "enter %s", "MPI_Allreduce");
                LINE(member, "%s", "coll-begin");
                now_ns[member] += random_below(random, 50);
                LINE(member, "coll-end allreduce world - %" PRIu32 " %" PRIu32, size_bytes + 1,
                     size_bytes + 1);
                LINE(member, "leave %s", "MPI_Allreduce");
            }
        }
    }
#undef LINE
    stream = open_memstream(&all, &size);
    for (uint32_t r = 0; r < n_ranks; r++) {
        fprintf(streams[r], "%" PRIu32 " %" PRIu64 " leave main\n", r, now_ns[r]);
        fclose(streams[r]);
        fputs(texts[r], stream);
        free(texts[r]);
    }
    fclose(stream);
    return all;
}

static bool check_seed(uint64_t seed, const struct machine *machine)
{
    struct random random = {seed};
    uint32_t n_ranks = 1 + random_below(&random, MAX_RANKS);
    char *text = random_run(&random, n_ranks);
    struct scenario_settings settings = {.machine = machine,
                                         .n_nodes = 1 + random_below(&random, n_ranks),
                                         .n_cores = 1 + random_below(&random, 3),
                                         .spins = random_chance(&random, 30),
                                         .is_cyclic = random_chance(&random, 50),
                                         .added_latency_ns = random_below(&random, 50)};
    struct predicted_times recorded = predict(text, &settings);
    settings.is_timeless = true;
    struct predicted_times timeless = predict(text, &settings);
    bool is_good = true;
    for (uint32_t r = 0; r < n_ranks; r++) {
        const struct predicted_rank *a = &recorded.ranks[r], *b = &timeless.ranks[r];
        if (a->finish_ns == b->finish_ns && a->wait_ns == b->wait_ns)
            continue;
        print_error("seed %" PRIu64 " rank %" PRIu32 " ends at %" PRIu64 ", timeless: %" PRIu64
                    "\n",
                    seed, r, a->finish_ns, b->finish_ns);
        is_good = false;
    }
    predicted_times_release(&recorded);
    predicted_times_release(&timeless);
    free(text);
    return is_good;
}

static void test_recorded_times_as_costs(void **state)
{
    (void)state;
    uint64_t first, last, n_failed = 0;
    struct machine machine =
        machine_of_text("<machine cpu-speed=\"1.5\"><message scope=\"node\" recv-overhead=\"3ns\">"
                        "<point bytes=\"0\" time=\"7ns\"/></message>"
                        "<message scope=\"network\" send-overhead=\"11ns\"><point bytes=\"0\" "
                        "time=\"100ns\"/><point bytes=\"1000\" time=\"300ns\"/></message>"
                        "<collective op=\"allreduce\" time=\"1e-9*p*b\"/>"
                        "<compute region=\"block\" time=\"w*1e-9\"/></machine>");
    seed_range(DEFAULT_SEEDS, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++)
        n_failed += !check_seed(seed, &machine);
    machine_release(&machine);
    assert_int_equal(n_failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_stamps_do_not_matter),
        cmocka_unit_test(test_parts_of_a_nanosecond_add_up),
        cmocka_unit_test(test_work_counts),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_call_paths),
        cmocka_unit_test(test_balanced_costs),
        cmocka_unit_test(test_what_is_said),
        cmocka_unit_test(test_recorded_times_as_costs),
    };
    return cmocka_run_group_tests_name("whatif timeless", tests, NULL, NULL);
}
