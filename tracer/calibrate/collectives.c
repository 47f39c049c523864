// SPDX-License-Identifier: BSD-3-Clause
// Collective operations: for several numbers of members and bytes the time from when all that
// matters had come (the last member, or the root) until the last one left, on one clock.
#include <stdio.h>
#include <stdlib.h>

#include "tracer/calibrate/calibrate.h"

enum { MAX_BATCH = 20 };
static const long max_total_bytes = 64L << 20;
static const long sizes[] = {8, 256, 4096, 65536, 1048576};

/// Who waits for whom.
enum direction { ALL, FROM_ROOT, TO_ROOT };

/// Buffers are large enough for every member's share.
struct call {
    MPI_Comm comm;
    int n_members;
    int count; // bytes, as the call says
    unsigned char *out, *in;
};

static void barrier(const struct call *c)
{
    MPI_Barrier(c->comm);
}

static void bcast(const struct call *c)
{
    MPI_Bcast(c->out, c->count, MPI_BYTE, 0, c->comm);
}

static void scatter(const struct call *c)
{
    MPI_Scatter(c->out, c->count, MPI_BYTE, c->in, c->count, MPI_BYTE, 0, c->comm);
}

static void gather(const struct call *c)
{
    MPI_Gather(c->out, c->count, MPI_BYTE, c->in, c->count, MPI_BYTE, 0, c->comm);
}

static void reduce(const struct call *c)
{
    MPI_Reduce(c->out, c->in, c->count, MPI_BYTE, MPI_BXOR, 0, c->comm);
}

static void allreduce(const struct call *c)
{
    MPI_Allreduce(c->out, c->in, c->count, MPI_BYTE, MPI_BXOR, c->comm);
}

static void reduce_scatter_block(const struct call *c)
{
    MPI_Reduce_scatter_block(c->out, c->in, c->count, MPI_BYTE, MPI_BXOR, c->comm);
}

static void allgather(const struct call *c)
{
    MPI_Allgather(c->out, c->count, MPI_BYTE, c->in, c->count, MPI_BYTE, c->comm);
}

static void alltoall(const struct call *c)
{
    MPI_Alltoall(c->out, c->count, MPI_BYTE, c->in, c->count, MPI_BYTE, c->comm);
}

static void scan(const struct call *c)
{
    MPI_Scan(c->out, c->in, c->count, MPI_BYTE, MPI_BXOR, c->comm);
}

static const struct operation {
    const char *name;
    enum direction direction;
    bool has_sizes;
    void (*run)(const struct call *call);
} operations[] = {
    {"barrier", ALL, false, barrier},
    {"bcast", FROM_ROOT, true, bcast},
    {"scatter", FROM_ROOT, true, scatter},
    {"gather", TO_ROOT, true, gather},
    {"reduce", TO_ROOT, true, reduce},
    {"allreduce", ALL, true, allreduce},
    {"reduce_scatter_block", ALL, true, reduce_scatter_block},
    {"allgather", ALL, true, allgather},
    {"alltoall", ALL, true, alltoall},
    {"scan", ALL, true, scan},
};
enum {
    N_OPERATIONS = sizeof operations / sizeof *operations,
    N_SIZES = sizeof sizes / sizeof *sizes
};

/// The next number of members after P: powers of two, and all; 0 after that.
static int next_members(int p, int n_ranks)
{
    if (p == n_ranks)
        return 0;
    return 2 * p < n_ranks ? 2 * p : n_ranks;
}

/// Members that find a core each; more would measure how cores are shared.
static int count_members(const struct hosts *hosts)
{
    int n = 0, n_cores = hosts->n_cores;
    MPI_Allreduce(MPI_IN_PLACE, &n_cores, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    while (n < hosts->n_ranks && hosts->ranks[n].index < n_cores)
        n++;
    return n;
}

static bool is_measured(const struct operation *operation, int size, int p,
                        const struct effort *effort)
{
    if (!operation->has_sizes)
        return size == 0;
    return sizes[size] <= effort->max_bytes && sizes[size] * p <= max_total_bytes;
}

int collectives_count(const struct hosts *hosts, const struct effort *effort)
{
    int n = 0, n_members = count_members(hosts);
    for (int p = 2; p > 0 && p <= n_members; p = next_members(p, n_members))
        for (int i = 0; i < N_OPERATIONS; i++)
            for (int size = 0; size < N_SIZES; size++)
                n += is_measured(&operations[i], size, p, effort);
    return n;
}

/// One call's time from the times of all members, ENTERS[0..p) and LEAVES, on one clock.
static double call_ns(enum direction direction, const double *enters, const double *leaves, int p)
{
    double begin_ns = enters[0], end_ns = leaves[0];
    for (int i = 1; i < p; i++) {
        if (direction != FROM_ROOT && enters[i] > begin_ns)
            begin_ns = enters[i];
        if (direction != TO_ROOT && leaves[i] > end_ns)
            end_ns = leaves[i];
    }
    return end_ns - begin_ns;
}

/// N calls, MAX_BATCH at most; the times of all members come together at the first one.
static void run_batch(const struct operation *operation, const struct call *call, int n,
                      double ahead_ns, struct samples *samples)
{
    double own[2 * MAX_BATCH], *all = calloc((size_t)(2 * n * call->n_members), sizeof *all);
    double *enters = calloc((size_t)call->n_members, 2 * sizeof *enters);
    double *leaves = enters + call->n_members;
    for (int i = 0; i < n; i++) {
        MPI_Barrier(call->comm);
        own[2 * i] = now_ns() - ahead_ns;
        operation->run(call);
        own[2 * i + 1] = now_ns() - ahead_ns;
    }
    MPI_Gather(own, 2 * n, MPI_DOUBLE, all, 2 * n, MPI_DOUBLE, 0, call->comm);
    for (int i = 0; i < n; i++) {
        for (int member = 0; member < call->n_members; member++) {
            enters[member] = all[2 * (n * member + i)];
            leaves[member] = all[2 * (n * member + i) + 1];
        }
        samples_add(samples, call_ns(operation->direction, enters, leaves, call->n_members));
    }
    free(enters);
    free(all);
}

/// How many calls of CALL_NS each, with all around them, fit what is left of the limit; one at
/// least.
static int next_batch(double call_ns, double left_ns)
{
    double n = left_ns / (call_ns + 1);
    return n < 1 ? 1 : n > MAX_BATCH ? MAX_BATCH : (int)n;
}

static struct measured measure(const struct operation *operation, const struct call *call,
                               double ahead_ns, const struct effort *effort)
{
    static struct samples samples;
    double first_ns = now_ns(), begin_ns;
    samples.n = 0;
    int n = 1;
    run_batch(operation, call, n, ahead_ns, &samples); // opens connections
    samples.n = 0;
    begin_ns = now_ns();
    n = next_batch(begin_ns - first_ns, effort->limit_ns);
    for (;;) {
        double batch_ns = now_ns();
        MPI_Bcast(&n, 1, MPI_INT, 0, call->comm);
        if (n == 0)
            return samples_conclude(&samples);
        run_batch(operation, call, n, ahead_ns, &samples);
        n = samples_suffice(&samples, begin_ns, effort)
                ? 0
                : next_batch((now_ns() - batch_ns) / n, effort->limit_ns - (now_ns() - begin_ns));
    }
}

static void measure_size(const struct hosts *hosts, const struct effort *effort,
                         const struct operation *operation, MPI_Comm comm, int p, long size_bytes)
{
    struct measured measured = {0, 0, 0};
    hosts_compare_clocks(hosts);
    if (comm != MPI_COMM_NULL) {
        size_t bytes = (size_t)(size_bytes * p) + 1;
        struct call call = {comm, p, (int)size_bytes, calloc(bytes, 1), calloc(bytes, 1)};
        hosts_bind(hosts, hosts->ranks[hosts->rank].index);
        measured = measure(operation, &call, hosts->clock_ahead_ns[hosts->rank], effort);
        hosts_unbind();
        free(call.out);
        free(call.in);
    }
    if (hosts->rank == 0)
        printf("collective %s %d %ld %.1f %.4f %d\n", operation->name, p, size_bytes, measured.ns,
               measured.spread, measured.n);
    progress();
}

void collectives_measure(const struct hosts *hosts, const struct effort *effort)
{
    int n_members = count_members(hosts);
    for (int p = 2; p > 0 && p <= n_members; p = next_members(p, n_members)) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, hosts->rank < p ? 0 : MPI_UNDEFINED, hosts->rank, &comm);
        for (int i = 0; i < N_OPERATIONS; i++)
            for (int size = 0; size < N_SIZES; size++)
                if (is_measured(&operations[i], size, p, effort))
                    measure_size(hosts, effort, &operations[i], comm, p,
                                 operations[i].has_sizes ? sizes[size] : 0);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
    }
    if (n_members < hosts->n_ranks && hosts->rank == 0)
        printf("warning only %d of %d ranks have a core of their own: collectives were measured "
               "with up to %d\n",
               n_members, hosts->n_ranks, n_members);
}
