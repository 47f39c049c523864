// SPDX-License-Identifier: BSD-3-Clause
// What two ranks on one core do to each other, and how fast a core is.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tracer/calibrate/calibrate.h"

enum {
    TAG_WAIT = 95,
    COMPUTE_STEPS = 6000000,
    COMPUTE_ROUNDS = 9,
    PIECE_NS = 1100000, // of computing by chance: a ms at least
    LEAST_PIECES = 50,
    NOISE_EFFORT = 5, // times the time for a point
    LINE_BYTES = 64
};

void cores_touch(const unsigned char *buffer, long bytes)
{
    volatile unsigned char sink = 0;
    for (long i = 0; i < bytes; i += LINE_BYTES)
        sink = (unsigned char)(sink + buffer[i]);
    (void)sink;
}

/// A piece of computing: a chain of multiplications and additions; its time.
static double compute_ns(long n_steps)
{
    double value = 1, begin_ns = now_ns();
    for (long i = 0; i < n_steps; i++)
        value = value * 0.999999 + 1e-6 * (double)(i & 7);
    volatile double result = value;
    (void)result;
    return now_ns() - begin_ns;
}

static struct measured compute(void)
{
    static struct samples samples;
    samples.n = 0;
    for (int i = 0; i < COMPUTE_ROUNDS; i++)
        samples_add(&samples, compute_ns(COMPUTE_STEPS));
    return samples_conclude(&samples);
}

/// Pieces of that, one after the other, of which the whole would take WHOLE_NS.
static struct noise_points compute_noise(double whole_ns, const struct effort *effort)
{
    static struct samples samples;
    long n_steps = (long)((double)PIECE_NS * COMPUTE_STEPS / (whole_ns + 1)) + 1;
    samples.n = 0;
    for (double begin_ns = now_ns();
         samples.n < LEAST_PIECES ||
         (samples.n < SAMPLES_MAX && now_ns() - begin_ns < NOISE_EFFORT * effort->limit_ns);)
        samples_add(&samples, compute_ns(n_steps));
    return samples_noise(&samples);
}

void cores_measure_compute(const struct hosts *hosts, const struct effort *effort)
{
    rest();
    if (hosts->rank == 0) {
        hosts_bind(hosts, 0);
        struct measured measured = compute();
        struct noise_points noise = compute_noise(measured.ns, effort);
        hosts_unbind();
        printf("compute %.1f %.4f\n", measured.ns, measured.spread);
        noise_print("computing", &noise);
    }
    progress();
}

static double touch_alone_ns(long bytes)
{
    static struct samples samples;
    unsigned char *set = calloc((size_t)bytes + 1, 1);
    samples.n = 0;
    for (int i = 0; i < 200; i++) {
        double begin_ns = now_ns();
        cores_touch(set, bytes);
        samples_add(&samples, now_ns() - begin_ns);
    }
    free(set);
    return samples_conclude(&samples).ns;
}

/// How much slower a rank computes while another one waits for a message on its core.
static double slowdown(const struct pair *pair)
{
    const struct timespec pause = {0, 30000000};
    rest();
    double factor = 1;
    if (pair->hosts->rank == pair->second) {
        hosts_bind(pair->hosts, 0);
        MPI_Recv(NULL, 0, MPI_BYTE, pair->first, TAG_WAIT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (pair->hosts->rank == pair->first) {
        hosts_bind(pair->hosts, 0);
        nanosleep(&pause, NULL);
        double with_ns = compute().ns;
        MPI_Send(NULL, 0, MPI_BYTE, pair->second, TAG_WAIT, MPI_COMM_WORLD);
        nanosleep(&pause, NULL); // now it is asleep in rest()
        factor = with_ns / compute().ns;
    }
    rest();
    hosts_unbind();
    MPI_Bcast(&factor, 1, MPI_DOUBLE, pair->first, MPI_COMM_WORLD);
    return factor;
}

void cores_measure_sharing(const struct pair *pair)
{
    bool says = pair->hosts->rank == 0;
    long set_bytes = pair->effort->working_set_bytes;
    struct measured plain = messages_half_round_trip(pair, 0, 0);
    progress();
    struct measured with_set = messages_half_round_trip(pair, 0, set_bytes);
    double alone_ns = touch_alone_ns(set_bytes);
    progress();
    double factor = slowdown(pair);
    progress();
    MPI_Bcast(&alone_ns, 1, MPI_DOUBLE, pair->first, MPI_COMM_WORLD);
    double lost_ns = with_set.ns - alone_ns - plain.ns;
    if (!says)
        return;
    if (lost_ns < 0)
        printf("warning what a working set costs came out negative and counts as 0\n");
    printf("hand-over %.1f %.4f\n", plain.ns, plain.spread);
    printf("working-set %ld %.1f\n", set_bytes, lost_ns > 0 ? lost_ns : 0);
    printf("waiting %.3f\n", factor);
}
