// SPDX-License-Identifier: BSD-3-Clause
// Speeds of a target machine from two recordings: which regions get their own ratio of times, which
// that of the program, and the file made of it.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/compare/slowdown_fit.h"
#include "analyzer/simulation/cost/machine.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"

static void start(struct slowdown_fit *fit)
{
    *fit = (struct slowdown_fit){.recordings = memory_zeroed(2, sizeof *fit->recordings),
                                 .n_recordings = 2};
    fit->recordings[0] = (struct slowdown_recording){.path = "here"};
    fit->recordings[1] = (struct slowdown_recording){.path = "target", .ranks_per_core = 1};
}

/// NAME, visited N times, HERE_NS in all and TARGET_NS; half the parts of the latter are by SWING
/// more, the others by as much less.
static void add(struct slowdown_fit *fit, const char *name, uint64_t n, double here_ns,
                double target_ns, double swing)
{
    struct slowdown_fit_region *region = slowdown_fit_region(fit, name);
    for (size_t k = 0; k < 2; k++) {
        double ns = k == 0 ? here_ns : target_ns;
        region->samples[k] = (struct slowdown_sample){.n_visits = n, .n_least = n, .ns = ns};
        for (size_t g = 0; g < SLOWDOWN_GROUPS; g++)
            region->samples[k].groups[g] =
                ns / SLOWDOWN_GROUPS * (k == 0 ? 1 : 1 + (g % 2 == 0 ? swing : -swing));
    }
}

static void expect(const struct slowdown_fit *fit, const char *name, enum slowdown_verdict verdict,
                   double factor)
{
    const struct slowdown_fit_region *region = ITEM_BY(fit->regions, fit->n_regions, name, name);
    assert_non_null(region);
    assert_int_equal(region->verdict, verdict);
    assert_float_equal(slowdown_fit_factor(region, 1) * fit->all_factor, factor, 1e-12);
}

TEST(test_own_factor_or_that_of_the_program)
{
    struct slowdown_fit fit;
    struct error err;
    start(&fit);
    add(&fit, "/main", 1, 100, 800, 0); // once: no scatter is known
    add(&fit, "/main/a", 100, 500, 500, 0);
    add(&fit, "/main/b", 100, 400, 800, 0.01);
    add(&fit, "/main/b/c", 100, 1000, 2200, 0.9);
    add(&fit, "/main/b/d", 100, 0.4, 4, 0); // too little to matter
    add(&fit, "/main/e", 100, 10, 20, 0);
    fit.regions[5].samples[1].n_visits = 90;
    assert_int_equal(speed_fit(&fit, &err), 0);
    double all = (800 + 500 + 800 + 2200 + 4) / (100 + 500 + 400 + 1000 + 0.4);
    assert_float_equal(fit.all_factor, all, 1e-12);
    expect(&fit, "/main", SLOWDOWN_LEARNED, 8);
    expect(&fit, "/main/a", SLOWDOWN_LEARNED, 1);
    expect(&fit, "/main/b", SLOWDOWN_LEARNED, 2);
    expect(&fit, "/main/b/c", SLOWDOWN_KEPT, all);
    expect(&fit, "/main/b/d", SLOWDOWN_KEPT, all);
    expect(&fit, "/main/e", SLOWDOWN_KEPT, all);
    slowdown_fit_release(&fit);
}

/// Learns, and reads the file that is written of it.
static void fit_and_read(struct slowdown_fit *fit, struct machine *machine)
{
    struct error err;
    char *folder = scratch_directory();
    SCOPED char *path = memory_format("%s/speeds.xml", folder);
    assert_int_equal(speed_fit(fit, &err), 0);
    assert_int_equal(speed_fit_write(fit, "cg", path, &err), 0);
    assert_int_equal(machine_read(machine, path, &err), 0);
    scratch_remove(folder);
}

TEST(test_file_has_speeds_relative_to_the_region_around)
{
    struct slowdown_fit fit;
    struct machine machine = {0};
    start(&fit);
    add(&fit, "/main", 10, 1000, 8000, 0);
    add(&fit, "/main/a", 10, 1000, 2000, 0);
    add(&fit, "before /main/a/MPI_Send at <a>.c:7", 10, 2000, 6000, 0);
    fit_and_read(&fit, &machine); // the program takes 4 times as long
    static const struct {
        const char *name;
        uint64_t speed;
    } regions[] = {{"(program)", 250000},
                   {"before /main/a/MPI_Send at <a>.c:7", 666667},
                   {"/main", 500000},
                   {"/main/a", 4000000}};
    assert_int_equal(machine.n_regions, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(machine.regions[i].pattern, regions[i].name);
        assert_int_equal(machine.regions[i].speed, regions[i].speed);
    }
    machine_release(&machine);
    slowdown_fit_release(&fit);
}

TEST(test_speeds_stay_within_those_of_a_machine_file)
{
    struct slowdown_fit fit;
    struct machine machine = {0};
    start(&fit);
    add(&fit, "/main/a", 10, 1000, 1000, 0);
    add(&fit, "/main/b", 10, 0.5, 7000, 0); // the compiler computed it once here
    fit_and_read(&fit, &machine);
    assert_string_equal(machine.regions[2].pattern, "/main/b");
    assert_int_equal(machine.regions[2].speed, 1000);
    machine_release(&machine);
    slowdown_fit_release(&fit);
}

TEST(test_recordings_that_cannot_be_compared)
{
    struct slowdown_fit fit;
    struct error err;
    start(&fit);
    add(&fit, "/main", 10, 1000, 0, 0);
    assert_int_equal(speed_fit(&fit, &err), -1);
    assert_string_equal(err.text,
                        "target: no time was computed outside MPI, so nothing can be scaled");
    slowdown_fit_release(&fit);
    start(&fit);
    add(&fit, "/main", 10, 1000, 1000, 0);
    fit.regions[0].samples[1].n_visits = 20;
    assert_int_equal(speed_fit(&fit, &err), -1);
    assert_non_null(strstr(err.text, "they are not of the same program"));
    slowdown_fit_release(&fit);
}
