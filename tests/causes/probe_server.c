// SPDX-License-Identifier: BSD-3-Clause
/*
 * A server that looks for messages by MPI_Probe and writes each request into a journal on the disk
 * before it answers; the clients wait meanwhile. Repaired: the journal is written to the disk once,
 * in the end.
 */
#include "cause.h"

#include <fcntl.h>
#include <unistd.h>

enum { REQUESTS = 150, MOST = 3000, TAG_STOP = 1 };

static int journal = -1;

static void open_journal(void)
{
    char name[] = "/var/tmp/journal-XXXXXX";

    journal = mkstemp(name);
    unlink(name);
}

static void write_journal(const uint64_t *request, int n)
{
    if (write(journal, request, (size_t)n * sizeof *request) < 0)
        perror("journal");
    if (!repaired)
        fsync(journal); // cause
}

static uint64_t answer_request(const uint64_t *request)
{
    return compute(200, request[0]);
}

static void serve(void)
{
    uint64_t request[MOST];

    open_journal();
    for (int n_clients = n_ranks - 1; n_clients > 0;) {
        MPI_Status status;
        int n;

        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_UINT64_T, &n);
        MPI_Recv(request, n, MPI_UINT64_T, status.MPI_SOURCE, status.MPI_TAG,
                 MPI_COMM_WORLD,     // cause
                 MPI_STATUS_IGNORE); // cause
        if (status.MPI_TAG == TAG_STOP) {
            n_clients--;
            continue;
        }
        write_journal(request, n); // cause
        request[0] = answer_request(request);
        MPI_Send(request, 1, MPI_UINT64_T, status.MPI_SOURCE, 0, MPI_COMM_WORLD); // cause
    }
    fsync(journal);
    close(journal);
}

static uint64_t client(void)
{
    uint64_t request[MOST] = {(uint64_t)rank};

    for (int i = 0; i < REQUESTS; i++) {
        int n = 1 + (int)(program_random((uint64_t)rank, (uint64_t)i) % MOST);

        request[0] = compute(500, request[0]);
        MPI_Send(request, n, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(request, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Send(request, 1, MPI_UINT64_T, 0, TAG_STOP, MPI_COMM_WORLD);
    return request[0];
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t result = 0;

    if (rank == 0)
        serve();
    else
        result = client();
    return end(result);
}
