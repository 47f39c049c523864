// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share a host, what hosts are made of, and how their clocks differ.
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracer/calibrate/calibrate.h"

enum { TAG_CLOCK = 90, CLOCK_EXCHANGES = 60, REST_NS = 300000 };

static hwloc_topology_t topology;
static hwloc_cpuset_t bound; // as the launcher left us

void rest(void)
{
    const struct timespec pause = {0, REST_NS};
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    int is_done = 0;
    for (;;) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (is_done)
            return;
        nanosleep(&pause, NULL);
    }
}

/// How far the clock of PEER is ahead of rank 0's, by the fastest of several exchanges.
static double exchange_clocks(int peer)
{
    double fastest_ns = 1e18, ahead_ns = 0;
    for (int i = 0; i < CLOCK_EXCHANGES; i++) {
        double there_ns, begin_ns = now_ns();
        MPI_Send(&begin_ns, 1, MPI_DOUBLE, peer, TAG_CLOCK, MPI_COMM_WORLD);
        MPI_Recv(&there_ns, 1, MPI_DOUBLE, peer, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double end_ns = now_ns();
        if (end_ns - begin_ns < fastest_ns) {
            fastest_ns = end_ns - begin_ns;
            ahead_ns = there_ns - (begin_ns + end_ns) / 2;
        }
    }
    return ahead_ns;
}

static void answer_clock(void)
{
    for (int i = 0; i < CLOCK_EXCHANGES; i++) {
        double time_ns;
        MPI_Recv(&time_ns, 1, MPI_DOUBLE, 0, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        time_ns = now_ns();
        MPI_Send(&time_ns, 1, MPI_DOUBLE, 0, TAG_CLOCK, MPI_COMM_WORLD);
    }
}

void hosts_compare_clocks(const struct hosts *hosts)
{
    bool has_others = false;
    for (int peer = 1; peer < hosts->n_ranks; peer++) {
        if (hosts->ranks[peer].first != peer)
            continue; // its host has one clock
        has_others = true;
        rest();
        if (hosts->rank == 0)
            hosts->clock_ahead_ns[peer] = exchange_clocks(peer);
        else if (hosts->rank == peer)
            answer_clock();
    }
    rest();
    if (!has_others)
        return;
    MPI_Bcast(hosts->clock_ahead_ns, hosts->n_ranks, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < hosts->n_ranks; i++)
        hosts->clock_ahead_ns[i] = hosts->clock_ahead_ns[hosts->ranks[i].first];
}

void hosts_find(struct hosts *hosts)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &hosts->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &hosts->n_ranks);
    hosts->ranks = calloc((size_t)hosts->n_ranks, sizeof *hosts->ranks);
    hosts->clock_ahead_ns = calloc((size_t)hosts->n_ranks, sizeof *hosts->clock_ahead_ns);
    struct host_rank *own = &hosts->ranks[hosts->rank];
    gethostname(own->host, sizeof own->host - 1);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, hosts->ranks, (int)sizeof *hosts->ranks,
                  MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < hosts->n_ranks; i++) {
        hosts->ranks[i].first = i;
        for (int j = i - 1; j >= 0; j--) {
            if (strcmp(hosts->ranks[i].host, hosts->ranks[j].host) != 0)
                continue;
            hosts->ranks[i].index++;
            hosts->ranks[i].first = j;
        }
    }
    hwloc_topology_init(&topology);
    hwloc_topology_load(topology);
    bound = hwloc_bitmap_alloc();
    hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS);
    // One thread of each core is used; without cores every processor is one.
    hosts->n_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    if (hosts->n_cores <= 0)
        hosts->n_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    hosts_compare_clocks(hosts);
}

void hosts_release(struct hosts *hosts)
{
    hwloc_bitmap_free(bound);
    hwloc_topology_destroy(topology);
    free(hosts->clock_ahead_ns);
    free(hosts->ranks);
}

void hosts_bind(const struct hosts *hosts, int core)
{
    int wanted = core % hosts->n_cores;
    hwloc_obj_t object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)wanted);
    if (!object)
        object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)wanted);
    if (!object)
        return;
    hwloc_cpuset_t set = hwloc_bitmap_dup(object->cpuset);
    hwloc_bitmap_singlify(set);
    hwloc_set_cpubind(topology, set, HWLOC_CPUBIND_PROCESS);
    hwloc_bitmap_free(set);
}

void hosts_unbind(void)
{
    hwloc_set_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS);
}

bool hosts_pair(const struct hosts *hosts, bool is_remote, int *first, int *second)
{
    for (*first = 0; *first < hosts->n_ranks; ++*first)
        for (*second = *first + 1; *second < hosts->n_ranks; ++*second)
            if (is_remote == (strcmp(hosts->ranks[*first].host, hosts->ranks[*second].host) != 0))
                return true;
    return false;
}

/// Blanks would end the word.
static void put_word(const char *text)
{
    if (!*text)
        putchar('-');
    for (; *text; text++)
        putchar(*text == ' ' || *text == '\t' ? '_' : *text);
}

void hosts_print(const struct hosts *hosts)
{
    enum { MODEL_BYTES = 128 };
    struct {
        int n_cores, n_packages;
        char model[MODEL_BYTES];
    } own = {.n_cores = hosts->n_cores}, *all = calloc((size_t)hosts->n_ranks, sizeof *all);
    own.n_packages = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    snprintf(own.model, sizeof own.model, "%s", model ? model : "");
    MPI_Gather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < hosts->n_ranks && hosts->rank == 0; i++) {
        if (hosts->ranks[i].first != i)
            continue;
        int n_ranks = 0;
        for (int j = i; j < hosts->n_ranks; j++)
            n_ranks += hosts->ranks[j].first == i;
        printf("topology ");
        put_word(hosts->ranks[i].host);
        printf(" %d %d %d ", n_ranks, all[i].n_cores, all[i].n_packages);
        put_word(all[i].model);
        putchar('\n');
    }
    free(all);
}
