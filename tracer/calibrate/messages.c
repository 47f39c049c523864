// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks: half round trips, the calls' own time, the eager limit.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tracer/calibrate/calibrate.h"

enum {
    TAG_CONTROL = 91,
    TAG_DATA,
    SMALL_BYTES = 8,
    MAX_BATCH = 100000,
    MAX_OVERHEAD_ROUNDS = 300,
    LEAST_OVERHEAD_ROUNDS = 11,
    MAX_ARRIVAL_NS = 1000000, // of a small message, whatever came between
    LEAST_SINGLE = 100,
    NOISE_EFFORT = 5, // times the time for a point
    EAGER_TRIES = 3,
    EAGER_DELAY_NS = 3000000, // how late the receiver of such a message comes
};
static const double batch_ns = 200e3; // what a sample takes at least

static const long sizes[] = {
    0,       1,       8,        64,       256,      512,       1024,      2048,      4096,
    8192,    16384,   32768,    65536,    131072,   262144,    524288,    1048576,   2097152,
    4194304, 8388608, 16777216, 33554432, 67108864, 134217728, 268435456, 536870912, 1073741824};
static const long shared_sizes[] = {0, 1024, 16384, 262144};

static bool is_part(const struct pair *pair)
{
    return pair->hosts->rank == pair->first || pair->hosts->rank == pair->second;
}

static void send_bytes(unsigned char *buffer, long size_bytes, int peer, int tag)
{
    MPI_Send(buffer, (int)size_bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
}

static void receive_bytes(unsigned char *buffer, long size_bytes, int peer, int tag)
{
    MPI_Recv(buffer, (int)size_bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// What the second rank does: as many answers as the first one asks for, until that is none.
static void answer(int peer, unsigned char *buffer, long size_bytes, const unsigned char *set,
                   long touch_bytes)
{
    int n;
    for (;;) {
        MPI_Recv(&n, 1, MPI_INT, peer, TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (n == 0)
            return;
        for (int i = 0; i < n; i++) {
            receive_bytes(buffer, size_bytes, peer, TAG_DATA);
            cores_touch(set, touch_bytes);
            send_bytes(buffer, size_bytes, peer, TAG_DATA);
        }
    }
}

/// N round trips; half of one's time.
static double ask(int peer, int n, unsigned char *buffer, long size_bytes, const unsigned char *set,
                  long touch_bytes)
{
    MPI_Send(&n, 1, MPI_INT, peer, TAG_CONTROL, MPI_COMM_WORLD);
    double begin_ns = now_ns();
    for (int i = 0; i < n; i++) {
        cores_touch(set, touch_bytes);
        send_bytes(buffer, size_bytes, peer, TAG_DATA);
        receive_bytes(buffer, size_bytes, peer, TAG_DATA);
    }
    return (now_ns() - begin_ns) / n / 2;
}

static struct measured play(int peer, unsigned char *buffer, long size_bytes,
                            const unsigned char *set, long touch_bytes, const struct effort *effort)
{
    static struct samples samples;
    samples.n = 0;
    int n = 1;
    for (int i = 0; i < 3; i++) { // the first ones open connections
        double half_ns = ask(peer, n, buffer, size_bytes, set, touch_bytes);
        double wanted = batch_ns / (2 * half_ns + 1);
        n = wanted < 1 ? 1 : wanted > MAX_BATCH ? MAX_BATCH : (int)wanted;
    }
    for (double begin_ns = now_ns(); !samples_suffice(&samples, begin_ns, effort);)
        samples_add(&samples, ask(peer, n, buffer, size_bytes, set, touch_bytes));
    n = 0;
    MPI_Send(&n, 1, MPI_INT, peer, TAG_CONTROL, MPI_COMM_WORLD);
    return samples_conclude(&samples);
}

static void begin(const struct pair *pair)
{
    const struct hosts *hosts = pair->hosts;
    rest();
    if (is_part(pair))
        hosts_bind(hosts, pair->shares_core ? 0 : hosts->rank == pair->first ? 0 : 1);
}

/// What the first rank knows goes to all.
static void end(const struct pair *pair, void *result, size_t bytes)
{
    rest();
    hosts_unbind();
    MPI_Bcast(result, (int)bytes, MPI_BYTE, pair->first, MPI_COMM_WORLD);
}

struct measured messages_half_round_trip(const struct pair *pair, long size_bytes, long touch_bytes)
{
    struct measured measured = {0, 0, 0};
    unsigned char *buffer = calloc((size_t)size_bytes + SMALL_BYTES, 1);
    unsigned char *set = calloc((size_t)touch_bytes + 1, 1);
    begin(pair);
    if (pair->hosts->rank == pair->first)
        measured = play(pair->second, buffer, size_bytes, set, touch_bytes, pair->effort);
    else if (pair->hosts->rank == pair->second)
        answer(pair->first, buffer, size_bytes, set, touch_bytes);
    end(pair, &measured, sizeof measured);
    free(buffer);
    free(set);
    return measured;
}

// --- the calls' own time

struct overheads {
    double send_ns, receive_ns;
};

static void wait_busily(double ns)
{
    for (double begin_ns = now_ns(); now_ns() - begin_ns < ns;)
        continue;
}

static double not_negative(const struct pair *pair, double ns, const char *whose)
{
    if (ns < 0 && pair->hosts->rank == 0)
        printf("warning %s own time within %s came out negative and counts as 0\n", whose,
               pair->scope);
    return ns > 0 ? ns : 0;
}

/// Answers messages until one is empty.
static void answer_small(int peer, unsigned char *buffer)
{
    MPI_Status status;
    int n_bytes;
    for (;;) {
        MPI_Recv(buffer, SMALL_BYTES, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &n_bytes);
        if (n_bytes == 0)
            return;
        send_bytes(buffer, SMALL_BYTES, peer, TAG_DATA);
    }
}

/// A send to a receiver that waits for it; a receive of what has come ARRIVAL_NS later.
static struct overheads ask_small(const struct pair *pair, unsigned char *buffer, double arrival_ns)
{
    static struct samples sends, receives, clocks;
    double first_ns = now_ns();
    int peer = pair->second;
    sends.n = receives.n = clocks.n = 0;
    for (int i = 0; i < LEAST_OVERHEAD_ROUNDS ||
                    (i < MAX_OVERHEAD_ROUNDS && now_ns() - first_ns < pair->effort->limit_ns);
         i++) {
        double begin_ns = now_ns(), again_ns = now_ns();
        send_bytes(buffer, SMALL_BYTES, peer, TAG_DATA);
        double sent_ns = now_ns();
        wait_busily(arrival_ns);
        double arrived_ns = now_ns();
        receive_bytes(buffer, SMALL_BYTES, peer, TAG_DATA);
        samples_add(&receives, now_ns() - arrived_ns);
        samples_add(&clocks, again_ns - begin_ns);
        samples_add(&sends, sent_ns - again_ns);
    }
    send_bytes(buffer, 0, peer, TAG_DATA);
    double clock_ns = samples_conclude(&clocks).ns;
    return (struct overheads){samples_conclude(&sends).ns - clock_ns,
                              samples_conclude(&receives).ns - clock_ns};
}

static struct overheads measure_overheads(const struct pair *pair, double half_ns)
{
    struct overheads overheads = {0, 0};
    double arrival_ns = 4 * half_ns + 5000;
    begin(pair);
    unsigned char buffer[SMALL_BYTES] = {0};
    if (pair->hosts->rank == pair->first)
        overheads =
            ask_small(pair, buffer, arrival_ns < MAX_ARRIVAL_NS ? arrival_ns : MAX_ARRIVAL_NS);
    else if (pair->hosts->rank == pair->second)
        answer_small(pair->first, buffer);
    end(pair, &overheads, sizeof overheads);
    overheads.send_ns = not_negative(pair, overheads.send_ns, "a send's");
    overheads.receive_ns = not_negative(pair, overheads.receive_ns, "a receive's");
    return overheads;
}

// --- how much single messages differ

/// Half round trips, timed one by one.
static struct noise_points ask_singly(const struct pair *pair, unsigned char *buffer,
                                      double half_ns)
{
    static struct samples samples;
    double wanted = NOISE_EFFORT * pair->effort->limit_ns / (2 * half_ns + 1);
    int n = wanted < LEAST_SINGLE ? LEAST_SINGLE : wanted > SAMPLES_MAX ? SAMPLES_MAX : (int)wanted;
    int none = 0, peer = pair->second;
    samples.n = 0;
    MPI_Send(&n, 1, MPI_INT, peer, TAG_CONTROL, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        double begin_ns = now_ns();
        send_bytes(buffer, SMALL_BYTES, peer, TAG_DATA);
        receive_bytes(buffer, SMALL_BYTES, peer, TAG_DATA);
        samples_add(&samples, (now_ns() - begin_ns) / 2);
    }
    MPI_Send(&none, 1, MPI_INT, peer, TAG_CONTROL, MPI_COMM_WORLD);
    return samples_noise(&samples);
}

static struct noise_points measure_noise(const struct pair *pair, double half_ns)
{
    struct noise_points noise = {{0}, {0}, 0};
    unsigned char buffer[SMALL_BYTES] = {0};
    begin(pair);
    if (pair->hosts->rank == pair->first)
        noise = ask_singly(pair, buffer, half_ns);
    else if (pair->hosts->rank == pair->second)
        answer(pair->first, buffer, SMALL_BYTES, NULL, 0);
    end(pair, &noise, sizeof noise);
    return noise;
}

// --- the eager limit

/// Whether a send of SIZE_BYTES is over before its receiver comes; asked by the first rank. Both
/// sides' clocks tell, so that one that is over early proves it, whichever side was held up
/// otherwise.
static bool is_eager(const struct pair *pair, unsigned char *buffer, long size_bytes)
{
    const double *ahead_ns = pair->hosts->clock_ahead_ns;
    int peer = pair->second;
    bool is_proved = false;
    for (int i = 0; i < EAGER_TRIES && !is_proved; i++) {
        MPI_Send(&size_bytes, 1, MPI_LONG, peer, TAG_CONTROL, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        send_bytes(buffer, size_bytes, peer, TAG_DATA);
        double sent_ns = now_ns();
        double came_ns;
        MPI_Recv(&came_ns, 1, MPI_DOUBLE, peer, TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        is_proved = sent_ns - ahead_ns[pair->first] < came_ns - ahead_ns[peer];
    }
    return is_proved;
}

static void come_late(int peer, unsigned char *buffer)
{
    const struct timespec delay = {0, EAGER_DELAY_NS};
    for (;;) {
        long size_bytes;
        MPI_Recv(&size_bytes, 1, MPI_LONG, peer, TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (size_bytes < 0)
            return;
        MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_CONTROL, MPI_COMM_WORLD);
        nanosleep(&delay, NULL);
        double came_ns = now_ns();
        receive_bytes(buffer, size_bytes, peer, TAG_DATA);
        MPI_Send(&came_ns, 1, MPI_DOUBLE, peer, TAG_CONTROL, MPI_COMM_WORLD);
    }
}

/// The largest eager size up to the effort's largest message, -1 when all are.
static long find_eager_limit(const struct pair *pair)
{
    long largest = pair->effort->max_bytes, low = 0, high = largest, done = -1;
    unsigned char *buffer = calloc((size_t)largest + 1, 1);
    hosts_compare_clocks(pair->hosts);
    begin(pair);
    if (pair->hosts->rank == pair->second) {
        come_late(pair->first, buffer);
    } else if (pair->hosts->rank == pair->first) {
        bool all = is_eager(pair, buffer, largest);
        while (!all && high - low > 1) {
            long middle = low + (high - low) / 2;
            if (is_eager(pair, buffer, middle))
                low = middle;
            else
                high = middle;
        }
        if (all)
            low = -1;
        MPI_Send(&done, 1, MPI_LONG, pair->second, TAG_CONTROL, MPI_COMM_WORLD);
    }
    end(pair, &low, sizeof low);
    free(buffer);
    return low;
}

// --- all of them

/// The sizes to be measured, *N of them.
static const long *sizes_of(const struct pair *pair, int *n)
{
    const long *list = pair->shares_core ? shared_sizes : sizes;
    int most = (int)(pair->shares_core ? sizeof shared_sizes / sizeof *shared_sizes
                                       : sizeof sizes / sizeof *sizes);
    for (*n = 0; *n < most && list[*n] <= pair->effort->max_bytes;)
        ++*n;
    return list;
}

int messages_count(const struct pair *pair)
{
    int n;
    sizes_of(pair, &n);
    return n + !pair->shares_core;
}

void messages_measure(const struct pair *pair)
{
    bool says = pair->hosts->rank == 0;
    int n;
    const long *list = sizes_of(pair, &n);
    double small_ns = 0;
    for (int i = 0; i < n; i++) {
        struct measured half = messages_half_round_trip(pair, list[i], 0);
        if (list[i] <= SMALL_BYTES)
            small_ns = half.ns;
        if (says)
            printf("message %s %ld %.1f %.4f %d\n", pair->scope, list[i], half.ns, half.spread,
                   half.n);
        progress();
    }
    if (pair->shares_core)
        return;
    struct overheads overheads = measure_overheads(pair, small_ns);
    struct noise_points noise = measure_noise(pair, small_ns);
    long eager = find_eager_limit(pair);
    progress();
    if (!says)
        return;
    printf("overhead %s %.1f %.1f\n", pair->scope, overheads.send_ns, overheads.receive_ns);
    noise_print(pair->scope, &noise);
    if (eager < 0)
        printf("eager %s none\n", pair->scope);
    else
        printf("eager %s %ld\n", pair->scope, eager);
}
