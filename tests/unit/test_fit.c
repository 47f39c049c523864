// SPDX-License-Identifier: BSD-3-Clause
// Least squares of relative errors without negative coefficients, lines in pieces, and machine
// files made of measurements.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/calibrate/calibration.h"
#include "analyzer/simulation/cost/machine.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"

enum { N = 19 };

static void sizes_to_a_megabyte(double *sizes)
{
    sizes[0] = 0;
    for (int i = 1; i < N; i++)
        sizes[i] = ldexp(1, i + 1);
}

TEST(test_exact_line)
{
    double sizes[N], times[N];
    sizes_to_a_megabyte(sizes);
    for (int i = 0; i < N; i++)
        times[i] = 500 + 0.25 * sizes[i];
    struct fit_pieces fit = fit_line(sizes, times, N);
    assert_int_equal(fit.n_pieces, 1);
    assert_float_equal(fit.pieces[0].coefficients[0], 500, 1e-6);
    assert_float_equal(fit.pieces[0].coefficients[1], 0.25, 1e-9);
    assert_true(fit.worst < 1e-9);
    assert_false(fit.is_clamped);
}

// A start-up that grows by 4000 ns at 64 KiB, as a rendezvous protocol does.
TEST(test_two_regimes)
{
    double sizes[N], times[N];
    sizes_to_a_megabyte(sizes);
    for (int i = 0; i < N; i++)
        times[i] = sizes[i] <= 65536 ? 500 + 0.3 * sizes[i] : 40000 + 0.1 * sizes[i];
    struct fit_pieces fit = fit_line(sizes, times, N);
    assert_int_equal(fit.n_pieces, 2);
    assert_true(sizes[fit.ends[0] - 1] == 65536);
    assert_float_equal(fit.pieces[1].coefficients[0], 40000, 1e-3);
    assert_float_equal(fit.pieces[1].coefficients[1], 0.1, 1e-9);
}

// The best line through these points begins at -1500: it goes through 0 instead, and says so.
TEST(test_never_negative)
{
    const double sizes[] = {1000, 2000, 4000, 8000}, times[] = {500, 2500, 6500, 14500};
    struct fit_pieces fit = fit_line(sizes, times, 4);
    for (size_t k = 0; k < fit.n_pieces; k++) {
        assert_true(fit.pieces[k].coefficients[0] >= 0);
        assert_true(fit.pieces[k].coefficients[1] >= 0);
    }
    assert_true(fit.is_clamped);
    const double falling[] = {500, 400, 300, 200};
    fit = fit_line(sizes, falling, 4);
    for (size_t k = 0; k < fit.n_pieces; k++)
        assert_true(fit.pieces[k].coefficients[1] >= 0);
}

// Relative errors count: the one that is 10 % off decides nothing at the small end.
TEST(test_relative)
{
    const double sizes[] = {0, 10, 20, 1000000}, times[] = {100, 110, 120, 1100100};
    struct fit_pieces fit = fit_line(sizes, times, 4);
    assert_float_equal(fit.pieces[0].coefficients[0], 100, 10);
    assert_true(fit.worst < 0.06);
}

TEST(test_few_points)
{
    const double size = 8, time = 700;
    struct fit_pieces fit = fit_line(&size, &time, 1);
    assert_int_equal(fit.n_pieces, 1);
    assert_float_equal(fit.pieces[0].coefficients[0], 700, 1e-9);
    // The second term is twice the first: it gets nothing.
    const double x[] = {1, 2, 2, 4, 3, 6}, y[] = {5, 10, 15};
    struct fit terms = fit_terms(x, y, 3, 2);
    assert_float_equal(terms.coefficients[0], 5, 1e-9);
    assert_true(terms.coefficients[1] == 0);
}

// --- a machine file

static const char *const lines[] = {
    "mpi Open MPI v4.1.4\n",
    "topology node1 2 4 1 A_<fast>_one\n",
    "compute 30000000.0 0.01\n",
    "message same-core 0 2500.0 0.02 11\n",
    "message same-core 1024 2400.0 0.02 11\n",
    "message same-core 16384 6500.0 0.02 11\n",
    "message node 0 1000.0 0.01 11\n",
    "message node 1024 2024.0 0.01 11\n",
    "message node 1048576 1049576.0 0.01 11\n",
    "overhead node 300.0 200.0\n",
    "noise node 50 1000.0\n",
    "noise node 99 3000.0\n",
    "eager node 4096\n",
    "noise computing 50 1100000.0\n",
    "noise computing 100 2200000.0\n",
    "hand-over 2500.0 0.02\n",
    "working-set 262144 9000.0\n",
    "waiting 1.010\n",
    "collective barrier 2 0 1000.0 0.1 40\n",
    "collective barrier 8 0 3000.0 0.1 40\n",
    "collective allreduce 2 8 1000.0 0.1 40\n",
    "collective allreduce 2 1000 2000.0 0.1 40\n",
    "collective allreduce 8 8 3000.0 0.1 40\n",
    "collective allreduce 8 1000 6000.0 0.1 40\n",
    "warning something\n",
    "progress 3 9\n",
};

static void read_lines(struct measurements *measurements)
{
    measurements_init(measurements);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_true(measurements_read(measurements, lines[i]));
    assert_false(measurements_read(measurements, "a launcher's own words\n"));
    assert_false(measurements->is_complete);
    assert_true(measurements_read(measurements, "end\n"));
    assert_true(measurements->is_complete);
}

/// The machine file of MEASUREMENTS, read again.
static void through_file(struct measurements *measurements,
                         const struct machine_text_settings *settings, struct machine *machine)
{
    char *folder = scratch_directory();
    char path[4096];
    struct machine_text_errors errors;
    struct error err = {{0}};
    snprintf(path, sizeof path, "%s/machine.xml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    machine_text_write(measurements, settings, file, &errors);
    fclose(file);
    if (machine_read(machine, path, &err) != 0)
        fail_msg("%s", err.text);
    scratch_remove(folder);
}

static uint64_t collective_ns(const struct machine *machine, uint8_t operation, uint32_t n_members,
                              uint64_t size_bytes)
{
    const struct machine_collective *collective =
        machine_collective(machine, operation, size_bytes);
    assert_non_null(collective);
    return machine_formula_ns(collective, n_members, size_bytes);
}

TEST(test_machine_file)
{
    struct measurements measurements;
    struct machine machine;
    read_lines(&measurements);
    struct machine_text_settings settings = {.name = "a & \"b\"", .date = "today"};
    through_file(&measurements, &settings, &machine);
    assert_string_equal(machine.name, "a & \"b\"");
    assert_int_equal(machine.n_cores, 4);
    assert_int_equal(machine.compute_ns, 30000000);
    // Half a round trip on one core less both calls.
    assert_int_equal(machine.hand_over_ns, 2000);
    const struct machine_messages *node = &machine.messages[MACHINE_NODE];
    assert_int_equal(node->send_overhead_ns, 300);
    assert_int_equal(node->receive_overhead_ns, 200);
    assert_int_equal(node->eager_bytes, 4096);
    assert_int_equal(machine.buffered_bytes, 4096); // its receiver was not in MPI
    // Half a round trip is both calls and the flight.
    assert_int_equal(machine_message_ns(node, 0), 500);
    assert_int_equal(machine_message_ns(node, 1024), 1524);
    assert_int_equal(machine_message_ns(node, 2097152), 500 + 2097152);
    // On one core half a round trip is both calls, the hand-over and the flight, which never falls.
    const struct machine_messages *core = &machine.messages[MACHINE_CORE];
    assert_int_equal(core->n_points, 3);
    assert_int_equal(machine_message_ns(core, 0), 1);
    assert_int_equal(machine_message_ns(core, 1024), 1);
    assert_int_equal(machine_message_ns(core, 16384), 4000);
    assert_int_equal(core->send_overhead_ns, 300);
    assert_int_equal(core->eager_bytes, 4096);
    // Half round trips of small messages took up to 2 us more than their median, computing twice
    // it.
    assert_int_equal(node->noise.n, 2);
    assert_int_equal(noise_ns(&node->noise, 500, 0), 500);
    assert_int_equal(noise_ns(&node->noise, 500, 990000), 2500);
    assert_int_equal(machine.n_noises, 1);
    assert_int_equal(machine.noises[0].every_ns, 1100000);
    assert_int_equal(noise_factor(&machine.noises[0].noise, 750000), 1500000);
    assert_int_equal(machine.n_calibrated_members, 8);
    assert_int_equal(collective_ns(&machine, 0, 16, 0), 4000);
    // log2(p) us and log2(p) ns a byte.
    assert_uint_in_range(collective_ns(&machine, 11, 4, 500), 2900, 3100);
    machine_release(&machine);
    settings.has_points = true;
    through_file(&measurements, &settings, &machine);
    assert_int_equal(machine.messages[MACHINE_NODE].n_points, 3);
    machine_release(&machine);
    measurements_release(&measurements);
}

// Calls that take longer than half a round trip would leave a negative flight.
TEST(test_flight_is_not_negative)
{
    struct measurements measurements;
    struct machine machine;
    const struct machine_text_settings settings = {.name = "", .date = ""};
    read_lines(&measurements);
    assert_true(measurements_read(&measurements, "overhead node 900.0 800.0\n"));
    assert_true(measurements_read(&measurements, "waiting 1.900\n"));
    size_t n_warnings = measurements.n_warnings;
    through_file(&measurements, &settings, &machine);
    assert_true(measurements.n_warnings > n_warnings);
    assert_int_equal(machine_message_ns(&machine.messages[MACHINE_NODE], 0), 1);
    assert_int_equal(machine.hand_over_ns, 0); // a waiting rank keeps its core
    assert_int_equal(machine.slice_ns, 0);     // 2.5 us are no time slice
    assert_int_equal(machine.messages[MACHINE_CORE].n_points, 0);
    machine_release(&machine);
    assert_true(measurements_read(&measurements, "hand-over 4000000.0 0.02\n"));
    through_file(&measurements, &settings, &machine);
    assert_int_equal(machine.slice_ns, 4000000);
    machine_release(&machine);
    assert_true(measurements_read(&measurements, "eager node none\n"));
    through_file(&measurements, &settings, &machine);
    assert_true(machine.buffered_bytes == PAG_NOT_KNOWN);
    machine_release(&machine);
    measurements_release(&measurements);
}

static bool warns(const struct measurements *measurements, const char *words)
{
    for (size_t i = 0; i < measurements->n_warnings; i++)
        if (strstr(measurements->warnings[i], words))
            return true;
    return false;
}

/// Whether a file made of what is SAID, with spreads up to 0.02 good, comes with a warning of
/// WORDS.
static bool lines_warn(const char *const *said, const char *words)
{
    const struct machine_text_settings settings = {.name = "", .date = "", .spread = 0.02};
    struct measurements measurements;
    struct machine machine;
    measurements_init(&measurements);
    for (size_t i = 0; said[i]; i++)
        assert_true(measurements_read(&measurements, said[i]));
    through_file(&measurements, &settings, &machine);
    bool is_warned = warns(&measurements, words);
    machine_release(&machine);
    measurements_release(&measurements);
    return is_warned;
}

// What is cut off, left out, assumed or noisy is said; and not what is none of that.
TEST(test_warnings)
{
    static const char node[] = "message node 0 1000.0 0.01 30\n";
    static const char *const sound[] = {node,
                                        "message node 1024 2000.0 0.01 30\n",
                                        "overhead node 300.0 200.0\n",
                                        "hand-over 2500.0 0.02\n",
                                        "collective bcast 2 0 1000.0 0.01 30\n",
                                        "collective bcast 4 0 2000.0 0.01 30\n",
                                        "compute 30000000.0 0.01\n",
                                        NULL};
    assert_false(lines_warn(sound, ""));
    static const char *const falling[] = {node, "collective bcast 2 0 1000.0 0.01 30\n",
                                          "collective bcast 2 1024 10.0 0.01 30\n",
                                          "collective bcast 4 0 2000.0 0.01 30\n", NULL};
    assert_true(lines_warn(falling, "with a negative term, which is left out: bcast"));
    static const char *const two[] = {node, "collective scan 2 0 1000.0 0.01 30\n",
                                      "collective scan 2 1024 2000.0 0.01 30\n", NULL};
    assert_true(lines_warn(two, "measured with 2 ranks only"));
    static const char *const noisy[] = {node, "message node 8 1000.0 0.9 30\n",
                                        "compute 30000000.0 0.03\n", NULL};
    assert_true(lines_warn(noisy, "2 of 3 quantities varied too much"));
    assert_true(lines_warn(noisy, "at worst 90 %, node message of 8 bytes"));
    static const char *const few[] = {node, "collective scan 2 0 1000.0 0.00 10\n",
                                      "collective scan 4 0 1000.0 0.00 11\n", NULL};
    assert_true(lines_warn(few, "1 of 3 quantities varied too much"));
    static const char *const short_turn[] = {node, "overhead node 300.0 200.0\n",
                                             "hand-over 400.0 0.02\n", NULL};
    assert_true(lines_warn(short_turn, "hand-over of a core took less time than its calls"));
    static const char *const core[] = {node,
                                       "message same-core 0 2000.0 0.01 30\n",
                                       "message same-core 1024 9000.0 0.01 30\n",
                                       "message same-core 16384 7000.0 0.01 30\n",
                                       "hand-over 1500.0 0.02\n",
                                       NULL};
    assert_true(lines_warn(core, "1 message on one core took less time"));
}

TEST(test_what_is_missing)
{
    struct measurements measurements;
    read_lines(&measurements);
    char *missing = measurements_missing(&measurements);
    assert_string_equal(missing, "messages between nodes, collectives of more than 8 ranks");
    free(missing);
    measurements_release(&measurements);
    measurements_init(&measurements);
    missing = measurements_missing(&measurements);
    assert_string_equal(missing, "messages between nodes, messages within a node, messages on one "
                                 "core, hand-over of a core, collectives");
    free(missing);
    measurements_release(&measurements);
}
