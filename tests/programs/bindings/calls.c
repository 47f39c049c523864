// SPDX-License-Identifier: BSD-3-Clause
// Makes the MPI calls that calls.F90 makes in Fortran, on 4 ranks: how often each function is
// called in all of them stands in calls.expected. Compiled as C and as C++, as a program
// (CALLS_MAIN), and as a library whose run_calls() another program calls. Argument: a file to
// write. Rank 0 prints what was computed.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C"
#endif
    int
    run_calls(int argc, char **argv);

#define N 4

static int rank, n_ranks, right, left;
static int total; // of the values received

static void expect(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
        exit(1);
    }
}

static void blocking(void)
{
    int value = rank;
    int other = -1;
    int count, flag;
    char buffer[1024 + MPI_BSEND_OVERHEAD];
    char *detached;
    int size;
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;

    if (rank % 2 == 0) {
        MPI_Send(&value, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
        MPI_Ssend(&value, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
        MPI_Buffer_attach(buffer, (int)sizeof buffer);
        MPI_Bsend(&value, 1, MPI_INT, right, 3, MPI_COMM_WORLD);
        MPI_Buffer_detach(&detached, &size);
        MPI_Send(&value, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&other, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        expect(status.MPI_SOURCE == left && status.MPI_TAG == 2 && count == 1, "status");
        MPI_Probe(left, 3, MPI_COMM_WORLD, &status);
        MPI_Iprobe(left, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        expect(flag, "Iprobe");
        MPI_Recv(&other, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &status);
        MPI_Mprobe(left, 4, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&other, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        total += other;
    }
    MPI_Irecv(&other, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(&value, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    total += other;
    MPI_Sendrecv(&value, 1, MPI_INT, right, 6, &other, 1, MPI_INT, left, 6, MPI_COMM_WORLD,
                 &status);
    MPI_Sendrecv_replace(&other, 1, MPI_INT, left, 7, right, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(other == rank, "Sendrecv_replace");
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void nonblocking(void)
{
    int sent[N], received[N];
    int flag, index, n_done;
    int indices[N];
    MPI_Request requests[2 * N];
    MPI_Status statuses[2 * N];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            sent[i] = rank + i;
            MPI_Irecv(&received[i], 1, MPI_INT, left, 10 + i, MPI_COMM_WORLD, &requests[i]);
        }
        for (int i = 0; i < N; i++)
            MPI_Isend(&sent[i], 1, MPI_INT, right, 10 + i, MPI_COMM_WORLD, &requests[N + i]);
        if (round == 0)
            MPI_Waitall(2 * N, requests, statuses);
        else if (round == 1)
            MPI_Waitall(2 * N, requests, MPI_STATUSES_IGNORE);
        else
            for (int i = 0; i < 2 * N; i++)
                MPI_Waitany(2 * N, requests, &index, &statuses[0]);
        total += received[N - 1];
    }
    MPI_Waitall(0, requests, statuses);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Testall(2 * N, requests, &flag, MPI_STATUSES_IGNORE);
    expect(flag, "Testall");
    MPI_Irecv(&received[0], 1, MPI_INT, left, 20, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(&sent[0], 1, MPI_INT, right, 20, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitsome(1, requests, &n_done, indices, statuses);
    MPI_Wait(&requests[1], &statuses[0]);
    MPI_Irecv(&received[0], 1, MPI_INT, left, 99, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    MPI_Test_cancelled(&statuses[0], &flag);
    expect(flag, "Cancel");
    // Persistent ones.
    MPI_Recv_init(&received[0], 1, MPI_INT, left, 21, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&sent[0], 1, MPI_INT, right, 21, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    total += received[0];
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void collectives(void)
{
    int one = rank + 1;
    int sum = 0;
    int many[N], others[N];
    int ones[N] = {1, 1, 1, 1};
    int places[N] = {0, 1, 2, 3};
    int bytes[N] = {0, 4, 8, 12};
    MPI_Datatype types[N] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Request request;
    MPI_Op op;

    for (int i = 0; i < N; i++)
        many[i] = others[i] = rank * N + i;
    MPI_Bcast(many, N, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(rank == 1 ? MPI_IN_PLACE : &one, &one, 1, MPI_INT, MPI_MAX, 1, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    total += sum;
    MPI_Gather(&one, 1, MPI_INT, many, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(&one, 1, MPI_INT, many, ones, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(many, 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : &one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatterv(many, ones, places, MPI_INT, &one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(&one, 1, MPI_INT, many, ones, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(many, 1, MPI_INT, others, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(many, ones, places, MPI_INT, others, ones, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(many, ones, bytes, types, others, ones, bytes, types, MPI_COMM_WORLD);
    MPI_Reduce_scatter(many, &one, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(many, &one, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum = 0;
    MPI_Exscan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    total += sum;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    total += sum;
}

static void communicators(void)
{
    MPI_Comm half, copy, row, created, both, inter, grid;
    MPI_Group all, pair;
    int members[2] = {0, 1};
    int dims[2] = {0, 0};
    int periods[2] = {1, 0};
    int coords[2];
    int keep[2] = {0, 1};
    int size, result, length, from, to, owner;
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_compare(half, copy, &result);
    expect(result == MPI_CONGRUENT, "Comm_compare");
    MPI_Comm_set_name(half, "half");
    MPI_Comm_get_name(half, name, &length);
    expect(strcmp(name, "half") == 0, "Comm_get_name");
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, members, &pair);
    MPI_Comm_create(MPI_COMM_WORLD, pair, &created);
    if (created != MPI_COMM_NULL)
        MPI_Comm_free(&created);
    MPI_Group_free(&pair);
    MPI_Group_free(&all);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 30, &inter);
    MPI_Comm_remote_size(inter, &size);
    expect(size == 2, "Comm_remote_size");
    MPI_Intercomm_merge(inter, 0, &both);
    MPI_Barrier(inter);
    MPI_Comm_free(&both);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Dims_create(N, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, coords);
    MPI_Cart_rank(grid, coords, &owner);
    expect(owner == rank, "Cart_rank");
    MPI_Cart_shift(grid, 0, 1, &from, &to);
    MPI_Cart_sub(grid, keep, &row);
    MPI_Barrier(row);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

static void datatypes(void)
{
    struct {
        int number;
        double real;
    } pair = {rank, rank + 0.5};
    int lengths[2] = {1, 1};
    MPI_Aint places[2], lb, extent;
    MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype at_bottom, vector;
    int size, position = 0;
    char packed[64];
    int numbers[2] = {1, 2};

    MPI_Type_vector(2, 1, 3, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Type_size(vector, &size);
    MPI_Type_get_extent(vector, &lb, &extent);
    expect(size == 8 && extent == 16, "Type_vector");
    MPI_Type_free(&vector);
    MPI_Get_address(&pair.number, &places[0]);
    MPI_Get_address(&pair.real, &places[1]);
    MPI_Type_create_struct(2, lengths, places, parts, &at_bottom);
    MPI_Type_commit(&at_bottom);
    if (rank == 0)
        MPI_Send(MPI_BOTTOM, 1, at_bottom, 1, 40, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(MPI_BOTTOM, 1, at_bottom, 0, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(rank != 1 || (pair.number == 0 && pair.real > 0.4 && pair.real < 0.6), "MPI_BOTTOM");
    MPI_Type_free(&at_bottom);
    MPI_Pack_size(2, MPI_INT, MPI_COMM_WORLD, &size);
    MPI_Pack(numbers, 2, MPI_INT, packed, (int)sizeof packed, &position, MPI_COMM_WORLD);
    position = 0;
    MPI_Unpack(packed, (int)sizeof packed, &position, numbers, 2, MPI_INT, MPI_COMM_WORLD);
    total += numbers[0] + numbers[1];
}

static int n_deleted;
static int n_handled;

static int deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    n_deleted++;
    return MPI_SUCCESS;
}

static void handled(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    n_handled++;
}

static void callbacks_and_errors(void)
{
    int key, flag, class_of, length, code;
    int *value;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Errhandler handler;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    expect(flag && *value >= 32767, "MPI_TAG_UB");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &total);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    expect(flag, "Comm_get_attr");
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_create_errhandler(handled, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Send(&key, 1, MPI_INT, n_ranks + 1, 50, MPI_COMM_WORLD);
    MPI_Error_class(code, &class_of);
    MPI_Error_string(code, text, &length);
    expect(class_of == MPI_ERR_RANK && length > 0, "the error");
    expect(n_deleted == 1 && n_handled == 1, "the number of callbacks");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void others(const char *path)
{
    int value = rank;
    int flag;
    char text[16];
    MPI_File file;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Info_get(info, "key", (int)sizeof text - 1, text, &flag);
    expect(flag && strcmp(text, "value") == 0, "Info_get");
    MPI_Info_free(&info);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    expect(value == rank, "File_read_at");
    MPI_File_close(&file);
    MPI_Pcontrol(1);
}

int run_calls(int argc, char **argv)
{
    int before = 0, version, subversion, length;
    int totals[N];
    char name[MPI_MAX_PROCESSOR_NAME];
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    double started;

    MPI_Initialized(&before);
    expect(!before, "Initialized");
    MPI_Finalized(&before);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(library, &length);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    expect(n_ranks == N, "the number of ranks");
    MPI_Get_processor_name(name, &length);
    started = MPI_Wtime();
    right = (rank + 1) % N;
    left = (rank + N - 1) % N;
    blocking();
    nonblocking();
    collectives();
    communicators();
    datatypes();
    callbacks_and_errors();
    others(argv[1]);
    expect(MPI_Wtime() >= started && MPI_Wtick() < 1, "Wtime");
    MPI_Gather(&total, 1, MPI_INT, totals, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %d %d %d\n", totals[0], totals[1], totals[2], totals[3]);
    MPI_Finalize();
    MPI_Finalized(&before);
    MPI_Initialized(&before);
    expect(before, "Initialized");
    MPI_Get_version(&version, &subversion);
    return 0;
}

#ifdef CALLS_MAIN
int main(int argc, char **argv)
{
    return run_calls(argc, argv);
}
#endif
