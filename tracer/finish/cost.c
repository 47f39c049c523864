// SPDX-License-Identifier: BSD-3-Clause
// Costs of records, see cost.h. They are measured with the recorder's own code: a spool file of
// this process takes enters and leaves of a function, as those of a traced process do. CPU time
// counts, for other programs that use the machine now did not slow down the run.
#include "tracer/finish/cost.h"

#include "tracer/dispatch/dispatch.h"
#include "tracer/record/clock.h"
#include "tracer/record/recording.h"
#include "tracer/record/region.h"
#include "tracer/record/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The median of the batches counts. Each fills about one window of a spool file, whose change is
// part of the cost.
#define BATCHES      7
#define CALLS        2500
#define WINDOW_BYTES (128 << 10)
#define CPU_READINGS 100

// The dispatcher's part of the recorder.
__thread struct dispatch_thread pagoda_dispatch_thread;

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double cpu_now_ns(void)
{
    return (double)clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/// What instrumented code calls (dispatch.c).
static void __attribute__((noinline)) hook(void (*const *event)(void *), void *function)
{
    if (event)
        (*event)(function);
}

/// ns per event of `function`, the recorder as it is now.
static double measure_events(void *function)
{
    double costs[BATCHES];
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin_ns = cpu_now_ns();
        for (int i = 0; i < CALLS; i++) {
            hook(&region_recorder.function_enter, function);
            hook(&region_recorder.function_leave, function);
        }
        costs[batch] = (cpu_now_ns() - begin_ns) / (2 * CALLS);
    }
    qsort(costs, BATCHES, sizeof *costs, by_value);
    return costs[BATCHES / 2];
}

static double measure_cpu(void)
{
    double begin_ns = cpu_now_ns();
    for (int i = 0; i < CPU_READINGS; i++)
        clock_process_cpu_ns();
    return (cpu_now_ns() - begin_ns) / CPU_READINGS;
}

/// As after MPI_Init. False: there is no file, so nothing can be measured.
static bool start_recorder(const char *dir)
{
    static const struct spool_header header = {.n_ranks = 1};
    recording_init();
    stream_start_process(dir, recording_thread_ends);
    stream_set_facts(&header);
    struct stream *stream = stream_current();
    return stream && stream->in_file && !stream->stopped;
}

static struct record_costs measure(bool has_excluded)
{
    struct settings_rule all = {'r', false, (char *)"*"};
    struct record_costs costs = {.stamp_ns = measure_events((void *)(uintptr_t)qsort),
                                 .cpu_ns = measure_cpu()};
    if (!has_excluded)
        return costs;
    settings.rules = &all;
    settings.n_rules = 1;
    filter_init();
    costs.excluded_ns = measure_events((void *)(uintptr_t)qsort);
    return costs;
}

/// Removes the folder and the spool file in it, if there is one.
static void remove_scratch(const char *scratch)
{
    char path[4352];
    snprintf(path, sizeof path, "%s/%016llx-%06u-%03u" SPOOL_SUFFIX, scratch, 0ULL, 0U, 0U);
    unlink(path);
    rmdir(scratch);
}

struct record_costs cost_measure(const char *dir, bool has_excluded)
{
    struct record_costs costs = {0};
    char scratch[4096];
    snprintf(scratch, sizeof scratch, "%s/cost", dir);
    remove_scratch(scratch); // of a finisher that was killed while it measured
    if (mkdir(scratch, 0700) != 0)
        return costs;
    struct settings kept = settings;
    settings = (struct settings){.buffer_bytes = WINDOW_BYTES, .n_counters = kept.n_counters};
    memcpy(settings.counters, kept.counters, sizeof settings.counters);
    if (start_recorder(scratch))
        costs = measure(has_excluded);
    stream_stop_process();
    remove_scratch(scratch);
    settings = kept;
    return costs;
}

void cost_stamp(struct thread_cost *thread, uint64_t time_ns, unsigned n_stamps)
{
    if (thread->has_ended)
        return;
    if (thread->begin_ns == 0)
        thread->begin_ns = time_ns;
    if (time_ns > thread->end_ns)
        thread->end_ns = time_ns;
    thread->n_stamps += n_stamps;
}

void cost_call(struct thread_cost *thread, const struct record_call *call, const char *function)
{
    if (thread->has_ended)
        return;
    if (strcmp(function, "MPI_Init") == 0 || strcmp(function, "MPI_Init_thread") == 0)
        *thread = (struct thread_cost){.begin_ns = call->leave_ns, .end_ns = call->leave_ns};
    else
        cost_stamp(thread, call->leave_ns > call->enter_ns ? call->leave_ns : call->enter_ns, 2);
    if (strcmp(function, "MPI_Finalize") == 0) {
        thread->end_ns = call->enter_ns;
        thread->has_ended = true;
    }
}

void cost_cpu(struct thread_cost *thread, const struct record_cpu *cpu)
{
    if (thread->has_ended)
        return;
    thread->last_cpu = *cpu;
    if (thread->n_cpu++ == 0)
        thread->first_cpu = *cpu;
}

uint64_t cost_counted_ns(const struct thread_cost *thread)
{
    return thread->end_ns > thread->begin_ns ? thread->end_ns - thread->begin_ns : 0;
}

/// How many times as long everything took because the thread had a core for a part of the time
/// only.
static double slowdown(const struct thread_cost *thread)
{
    double between_ns = (double)thread->last_cpu.time_ns - (double)thread->first_cpu.time_ns;
    double cpu_ns = (double)thread->last_cpu.cpu_ns - (double)thread->first_cpu.cpu_ns;
    double counted_ns = (double)cost_counted_ns(thread);
    if (thread->n_cpu < 2 || cpu_ns <= 0 || cpu_ns >= between_ns || between_ns > counted_ns)
        return 1;
    return counted_ns / (counted_ns - between_ns + cpu_ns);
}

static uint64_t at_most(double ns, uint64_t most_ns)
{
    return ns < (double)most_ns ? (uint64_t)ns : most_ns;
}

struct recording_cost cost_of(const struct thread_cost *thread, const struct spool_header *header,
                              const struct record_costs *costs)
{
    double n_stamps = (double)thread->n_stamps + 2 * (double)header->n_dropped_short;
    double excluded_ns = (double)header->n_excluded * costs->excluded_ns;
    double ns = n_stamps * costs->stamp_ns + (double)thread->n_cpu * costs->cpu_ns + excluded_ns;
    uint64_t most_ns = cost_counted_ns(thread);
    double factor = slowdown(thread);
    return (struct recording_cost){at_most(ns * factor, most_ns),
                                   at_most(excluded_ns * factor, most_ns), most_ns,
                                   (uint64_t)(1000 * costs->stamp_ns)};
}
