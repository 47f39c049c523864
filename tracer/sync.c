// SPDX-License-Identifier: BSD-3-Clause
// Clock offsets by ping-pong (Cristian's method): rank 0 exchanges N_ROUNDS messages with the first
// rank of each other clock domain, one domain after the other; the round with the shortest round
// trip gives the offset, half its round trip bounds the error.
#include "tracer/sync.h"

#include "tracer/clock.h"

#include <stdlib.h>

#define N_ROUNDS    50
#define TAG         1
#define MAX_DOMAINS 65536 // further nodes keep their clocks as they are

static MPI_Comm comm = MPI_COMM_NULL; // private: no wildcard receive of the program sees us
static int leaders[MAX_DOMAINS];      // first ranks of the clock domains; leaders[0] is 0
static int n_leaders;
static int rank;

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325U; // FNV-1a

    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3U;
    return hash;
}

static void find_leaders(const uint64_t *domains, int n_ranks)
{
    n_leaders = 0;
    for (int i = 0; i < n_ranks && n_leaders < MAX_DOMAINS; i++) {
        int known = 0;

        while (known < n_leaders && domains[leaders[known]] != domains[i])
            known++;
        if (known == n_leaders)
            leaders[n_leaders++] = i;
    }
}

void sync_init(const char *domain)
{
    uint64_t own = hash_of(domain);
    uint64_t *domains;
    int n_ranks = 0;
    int has_memory;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    domains = malloc((size_t)n_ranks * sizeof *domains);
    has_memory = domains != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &has_memory, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!has_memory) {
        free(domains);
        return;
    }
    PMPI_Allgather(&own, 8, MPI_BYTE, domains, 8, MPI_BYTE, MPI_COMM_WORLD);
    find_leaders(domains, n_ranks);
    free(domains);
    if (n_leaders > 1) {
        PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
}

static void answer(void)
{
    for (int i = 0; i < N_ROUNDS; i++) {
        uint64_t now_ns;

        PMPI_Recv(&now_ns, 8, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
        now_ns = clock_now_ns();
        PMPI_Send(&now_ns, 8, MPI_BYTE, 0, TAG, comm);
    }
}

static struct spool_clock_offset ask(int other)
{
    struct spool_clock_offset best = {0, 0, UINT64_MAX};

    for (int i = 0; i < N_ROUNDS; i++) {
        uint64_t sent_ns = clock_now_ns();
        uint64_t there_ns = 0;
        uint64_t half_ns;

        PMPI_Send(&sent_ns, 8, MPI_BYTE, other, TAG, comm);
        PMPI_Recv(&there_ns, 8, MPI_BYTE, other, TAG, comm, MPI_STATUS_IGNORE);
        half_ns = (clock_now_ns() - sent_ns) / 2;
        if (half_ns < best.error_ns) {
            best.error_ns = half_ns;
            best.time_ns = there_ns;
            best.offset_ns = (int64_t)(sent_ns + half_ns - there_ns);
        }
    }
    return best;
}

bool sync_measure(struct spool_clock_offset *offset)
{
    if (comm == MPI_COMM_NULL)
        return false;
    for (int i = 1; i < n_leaders; i++) {
        if (rank == 0) {
            struct spool_clock_offset measured = ask(leaders[i]);

            PMPI_Send(&measured, (int)sizeof measured, MPI_BYTE, leaders[i], TAG, comm);
        } else if (rank == leaders[i]) {
            answer();
            PMPI_Recv(offset, (int)sizeof *offset, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
            return true;
        }
    }
    return false;
}
