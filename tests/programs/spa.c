// SPDX-License-Identifier: BSD-3-Clause
/*
 * A synthetic client/server program: rank 0 serves, every other rank sends requests and waits for
 * the reply. The first client's requests need servBusy1, those of the others servBusy2, and the
 * server is the bottleneck. Either routine can be moved to the clients by a switch: the reply then
 * comes back unprocessed and the client runs the routine itself, so that a predicted migration can
 * be compared with a real one. Workload after Eom and Hollingsworth, "A Tool to Help Tune Where
 * Computation is Performed": the default lengths give the server's time there (30.7 s) in 1/100.
 *
 * Check: all work on a request is steps of one linear congruential generator, so that the value a
 * client ends with follows from the number of steps, whoever made them.
 */
#include "program.h"

enum { TAG_REQUEST = 1, TAG_REPLY = 2, TAG_STOP = 3, SERVER = 0, FIRST_CLIENT = 1 };

static long n_requests = 100, busy1_units = 530, busy2_units = 730, dispatch_units = 360;
static long think_units = 100, client_busy1, client_busy2, seed = 1;

static const struct program_option options[] = {
    {"requests", "N", &n_requests, 0, 100000000, "requests of each client"},
    {"busy1", "UNITS", &busy1_units, 0, 100000000, "length of servBusy1; a unit is about 1 us"},
    {"busy2", "UNITS", &busy2_units, 0, 100000000, "length of servBusy2"},
    {"dispatch", "UNITS", &dispatch_units, 0, 100000000, "server's work for any request"},
    {"think", "UNITS", &think_units, 0, 100000000, "client's work between requests"},
    {"client-busy1", NULL, &client_busy1, 0, 1, "run servBusy1 on the client"},
    {"client-busy2", NULL, &client_busy2, 0, 1, "run servBusy2 on the clients"},
    {"seed", "N", &seed, 0, 1000000, "seed of the clients' start values"},
    {0}};

static struct program program = {
    .name = "spa",
    .summary = "One server and its clients; either of two services can move to the clients.",
    .rank_rule = "At least 2 ranks are needed, 4 (three clients) make the published case.",
    .min_ranks = 2,
    .options = options};

static uint64_t servBusy1(uint64_t value)
{
    return program_work((uint64_t)busy1_units, value);
}

static uint64_t servBusy2(uint64_t value)
{
    return program_work((uint64_t)busy2_units, value);
}

static uint64_t servDispatch(uint64_t value)
{
    return program_work((uint64_t)dispatch_units, value);
}

static uint64_t clientThink(uint64_t value)
{
    return program_work((uint64_t)think_units, value);
}

static void server(void)
{
    int n_clients = program.n_ranks - 1;

    while (n_clients > 0) {
        uint64_t value;
        MPI_Status status;

        MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP) {
            n_clients--;
            continue;
        }
        value = servDispatch(value);
        if (status.MPI_SOURCE == FIRST_CLIENT && !client_busy1)
            value = servBusy1(value);
        else if (status.MPI_SOURCE != FIRST_CLIENT && !client_busy2)
            value = servBusy2(value);
        MPI_Send(&value, 1, MPI_UINT64_T, status.MPI_SOURCE, TAG_REPLY, MPI_COMM_WORLD);
    }
}

static uint64_t client(uint64_t value)
{
    for (long i = 0; i < n_requests; i++) {
        value = clientThink(value);
        MPI_Send(&value, 1, MPI_UINT64_T, SERVER, TAG_REQUEST, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_UINT64_T, SERVER, TAG_REPLY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (program.rank == FIRST_CLIENT && client_busy1)
            value = servBusy1(value);
        else if (program.rank != FIRST_CLIENT && client_busy2)
            value = servBusy2(value);
    }
    MPI_Send(&value, 1, MPI_UINT64_T, SERVER, TAG_STOP, MPI_COMM_WORLD);
    return value;
}

/* What client `rank` must end with: the value after all the work its requests need. */
static uint64_t expected_value(int rank, uint64_t start)
{
    long busy_units = rank == FIRST_CLIENT ? busy1_units : busy2_units;

    return program_work_result((uint64_t)(n_requests * (think_units + dispatch_units + busy_units)),
                               start);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0) {
        uint64_t start = program_random((uint64_t)seed, (uint64_t)program.rank), value = 0;
        uint64_t *values = program_alloc((size_t)program.n_ranks, sizeof *values);
        const char *wrong = NULL;
        double begin_s = MPI_Wtime();

        if (program.rank == SERVER)
            server();
        else
            value = client(start);
        program_time(&program, "requests", begin_s);

        if (program.spoiled && program.rank == FIRST_CLIENT)
            value ^= 1;
        if (program.rank != SERVER && value != expected_value(program.rank, start))
            wrong = "the value does not follow from the work all requests need";
        MPI_Gather(&value, 1, MPI_UINT64_T, values, 1, MPI_UINT64_T, SERVER, MPI_COMM_WORLD);
        for (int rank = 1; program.rank == SERVER && rank < program.n_ranks; rank++)
            printf("client %d: %ld requests, value %016" PRIx64 "\n", rank, n_requests,
                   values[rank]);
        free(values);
        status = program_end(&program, wrong);
    }
    MPI_Finalize();
    return status;
}
