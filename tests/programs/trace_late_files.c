// SPDX-License-Identifier: BSD-3-Clause
/* Ranks that come late to collective operations on files: trace_late_files FILE, with 3 ranks. Each
 * operation has one rank that is late by 240 ms; a split and a nonblocking write, and a file of
 * each rank alone, have one that is no part of any wait at collective I/O. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { N = 4096, LATE_MS = 240 };

static int rank;
static double out[N], in[N];

/* WHO waits until the others say that they come next, and for 240 ms more. */
static void late(int who)
{
    const struct timespec time = {0, LATE_MS * 1000000L};
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != who) {
        MPI_Send(NULL, 0, MPI_INT, who, 0, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < 3; i++)
        MPI_Recv(NULL, 0, MPI_INT, (who + i) % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    nanosleep(&time, NULL);
}

static void write_rows(MPI_File file)
{
    late(2);
    MPI_File_write_at_all(file, 0, out, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

static void read_rows(MPI_File file)
{
    late(0);
    MPI_File_read_at_all(file, 0, in, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

/* Waits in these do not count. */
static void not_counted(MPI_File file, const char *name)
{
    MPI_File own;
    char own_name[4096];
    late(1);
    MPI_File_write_at_all_begin(file, 0, out, N, MPI_DOUBLE);
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
    late(1);
    snprintf(own_name, sizeof own_name, "%s.%d", name, rank);
    MPI_File_open(MPI_COMM_SELF, own_name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &own);
    MPI_File_write_at_all(own, 0, out, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&own);
    MPI_File_delete(own_name, MPI_INFO_NULL);
}

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Datatype rows;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    late(1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Type_vector(N / 64, 64, 3 * 64, MPI_DOUBLE, &rows); /* the rows of ranks alternate */
    MPI_Type_commit(&rows);
    MPI_File_set_view(file, (MPI_Offset)rank * 64 * (MPI_Offset)sizeof(double), MPI_DOUBLE, rows,
                      "native", MPI_INFO_NULL);
    write_rows(file);
    read_rows(file);
    not_counted(file, argv[1]);
    late(0);
    MPI_File_set_size(file, 3 * N * (MPI_Offset)sizeof(double));
    late(1);
    MPI_File_close(&file);
    MPI_Type_free(&rows);
    if (rank == 0)
        MPI_File_delete(argv[1], MPI_INFO_NULL);
    MPI_Finalize();
    return argc != 2;
}
