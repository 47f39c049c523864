// SPDX-License-Identifier: BSD-3-Clause
// What is measured, in which order, and how long one quantity is measured. `pagoda calibrate`
// passes the effort on as arguments.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracer/calibrate/calibrate.h"

static int rank, n_done, n_steps;

enum { SAMPLES_WANTED = 11 };

double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

void samples_add(struct samples *samples, double value)
{
    if (samples->n < SAMPLES_MAX)
        samples->values[samples->n++] = value > 0 ? value : 0;
}

static int ascending(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

static double quantile(const struct samples *samples, double share)
{
    double place = share * (samples->n - 1);
    int below = (int)place;
    int above = below + 1 < samples->n ? below + 1 : below;
    return samples->values[below] +
           (place - below) * (samples->values[above] - samples->values[below]);
}

struct measured samples_conclude(struct samples *samples)
{
    struct measured measured = {0, 0, samples->n};
    if (samples->n == 0)
        return measured;
    qsort(samples->values, (size_t)samples->n, sizeof samples->values[0], ascending);
    measured.ns = quantile(samples, 0.5);
    if (measured.ns > 0)
        measured.spread = (quantile(samples, 0.75) - quantile(samples, 0.25)) / measured.ns;
    return measured;
}

struct noise_points samples_noise(struct samples *samples)
{
    double percents[NOISE_POINTS] = {50, 75, 90, 95, 97, 98, 99, 99.5, 99.8, 99.9};
    struct noise_points noise = {{0}, {0}, 0};
    double last = samples->n > 2 ? 100 - 100.0 / samples->n : 99;
    samples_conclude(samples);
    while (noise.n < NOISE_POINTS - 2 && percents[noise.n] < last)
        noise.n++;
    percents[noise.n++] = last;
    percents[noise.n++] = 100;
    for (int i = 0; i < noise.n; i++) {
        noise.percents[i] = percents[i];
        noise.ns[i] = samples->n > 0 ? quantile(samples, percents[i] / 100) : 0;
    }
    return noise;
}

void noise_print(const char *what, const struct noise_points *noise)
{
    for (int i = 0; i < noise->n; i++)
        printf("noise %s %.4f %.1f\n", what, noise->percents[i], noise->ns[i]);
}

bool samples_suffice(struct samples *samples, double begin_ns, const struct effort *effort)
{
    if (samples->n == 0)
        return false;
    if (samples->n == SAMPLES_MAX || now_ns() - begin_ns >= effort->limit_ns)
        return true;
    return samples->n >= SAMPLES_WANTED && samples_conclude(samples).spread <= effort->spread;
}

void progress(void)
{
    n_done++;
    if (rank != 0)
        return;
    printf("progress %d %d\n", n_done, n_steps);
    fflush(stdout);
}

static void print_mpi(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n,")] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
    printf("mpi %s\n", text);
}

static void measure(const struct hosts *hosts, const struct effort *effort)
{
    struct pair near = {hosts, effort, "node", 0, 0, false};
    struct pair far = {hosts, effort, "network", 0, 0, false};
    struct pair shared = {hosts, effort, "same-core", 0, 0, true};
    bool has_near = hosts_pair(hosts, false, &near.first, &near.second);
    bool has_far = hosts_pair(hosts, true, &far.first, &far.second);
    bool has_cores = has_near && hosts->n_cores > 1;
    shared.first = near.first;
    shared.second = near.second;
    MPI_Bcast(&has_cores, 1, MPI_C_BOOL, 0, MPI_COMM_WORLD);
    n_steps = 1 + collectives_count(hosts, effort) + (has_cores ? messages_count(&near) : 0) +
              (has_far ? messages_count(&far) : 0) +
              (has_near ? messages_count(&shared) + CORES_SHARING_STEPS : 0);
    cores_measure_compute(hosts, effort);
    if (has_cores)
        messages_measure(&near);
    else if (rank == 0)
        printf("warning no host has two ranks and two cores: no messages within a node\n");
    if (has_near) {
        messages_measure(&shared);
        cores_measure_sharing(&shared);
    }
    if (has_far)
        messages_measure(&far);
    collectives_measure(hosts, effort);
}

int main(int argc, char **argv)
{
    struct effort effort = {100e6, 0.02, 1 << 22, 1 << 18};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 5) {
        effort.limit_ns = atof(argv[1]);
        effort.spread = atof(argv[2]);
        effort.max_bytes = atol(argv[3]);
        effort.working_set_bytes = atol(argv[4]);
    }
    struct hosts hosts;
    hosts_find(&hosts);
    if (rank == 0)
        print_mpi();
    hosts_print(&hosts);
    if (hosts.n_ranks > 1) {
        measure(&hosts, &effort);
    } else {
        n_steps = 1;
        cores_measure_compute(&hosts, &effort);
        printf("warning one rank alone cannot send messages: start two or more\n");
    }
    if (rank == 0)
        printf("end\n");
    hosts_release(&hosts);
    MPI_Finalize();
    return 0;
}
