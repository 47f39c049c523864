// SPDX-License-Identifier: BSD-3-Clause
/* MPI-IO of all kinds, and what it did: trace_files FILE writes FILE and FILE.RANK, and each rank's
 * sums for either into FILE.done.RANK: file, opens, reads, bytes read, writes, bytes written,
 * syncs, requests below 64 KiB. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { LARGE = 65536, MOST = 2 * LARGE };

struct sums {
    long long opens, reads, read_bytes, writes, written_bytes, syncs, small;
};

static char out[MOST], in[MOST];

static void read_done(struct sums *sums, const MPI_Status *status)
{
    int n_bytes;
    MPI_Get_count(status, MPI_BYTE, &n_bytes);
    sums->reads++;
    sums->read_bytes += n_bytes;
    sums->small += n_bytes < LARGE;
}

static void written(struct sums *sums, int n_bytes)
{
    sums->writes++;
    sums->written_bytes += n_bytes;
    sums->small += n_bytes < LARGE;
}

/* Ranks write and read N_BYTES each, rank after rank. */
static void blocking(MPI_File file, int rank, int n_bytes, struct sums *sums)
{
    MPI_Status status;
    MPI_File_write_at(file, (MPI_Offset)rank * n_bytes, out, n_bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    written(sums, n_bytes);
    MPI_File_write_at_all(file, (MPI_Offset)rank * n_bytes, out, n_bytes / 4, MPI_INT,
                          MPI_STATUS_IGNORE);
    written(sums, n_bytes / 4 * 4);
    MPI_File_sync(file);
    sums->syncs++;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(file, (MPI_Offset)rank * n_bytes, MPI_SEEK_SET);
    MPI_File_read(file, in, n_bytes, MPI_BYTE, &status);
    read_done(sums, &status);
    MPI_File_read_at_all(file, (MPI_Offset)rank * n_bytes, in, n_bytes, MPI_BYTE, &status);
    read_done(sums, &status);
}

static void nonblocking(MPI_File file, int rank, int n_bytes, struct sums *sums)
{
    MPI_Request requests[2];
    MPI_Status statuses[2], status;
    MPI_File_iwrite_at(file, (MPI_Offset)rank * n_bytes, out, n_bytes, MPI_BYTE, &requests[0]);
    MPI_File_iwrite_at(file, (MPI_Offset)rank * n_bytes, out, n_bytes, MPI_BYTE, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    written(sums, n_bytes);
    written(sums, n_bytes);
    MPI_File_iread_at(file, (MPI_Offset)rank * n_bytes, in, n_bytes, MPI_BYTE, &requests[0]);
    MPI_Wait(&requests[0], &status);
    read_done(sums, &status);
}

static void split(MPI_File file, int rank, int n_bytes, struct sums *sums)
{
    MPI_Status status;
    MPI_File_write_at_all_begin(file, (MPI_Offset)rank * n_bytes, out, n_bytes, MPI_BYTE);
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
    written(sums, n_bytes);
    MPI_File_read_at_all_begin(file, (MPI_Offset)rank * n_bytes, in, n_bytes, MPI_BYTE);
    MPI_File_read_at_all_end(file, in, &status);
    read_done(sums, &status);
}

static void beyond_the_end(MPI_File file, struct sums *sums)
{
    MPI_Offset end;
    MPI_Status status;
    MPI_File_get_size(file, &end);
    MPI_File_read_at(file, end > 10 ? end - 10 : 0, in, MOST, MPI_BYTE, &status);
    read_done(sums, &status);
}

static void use(MPI_Comm comm, const char *path, FILE *done)
{
    struct sums sums = {0};
    MPI_File file;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int times = 0; times < 2; times++) {
        MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
        sums.opens++;
        for (int n_bytes = 40; n_bytes <= MOST; n_bytes = n_bytes == 40 ? LARGE : n_bytes * 2) {
            if (comm == MPI_COMM_WORLD)
                blocking(file, rank, n_bytes, &sums);
            nonblocking(file, rank, n_bytes, &sums);
            split(file, rank, n_bytes, &sums);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        beyond_the_end(file, &sums);
        MPI_File_close(&file);
    }
    fprintf(done, "%s %lld %lld %lld %lld %lld %lld %lld\n", path, sums.opens, sums.reads,
            sums.read_bytes, sums.writes, sums.written_bytes, sums.syncs, sums.small);
}

int main(int argc, char **argv)
{
    char path[4096];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(out, rank + 1, sizeof out);
    snprintf(path, sizeof path, "%s.done.%d", argc > 1 ? argv[1] : "trace_files", rank);
    FILE *done = fopen(path, "w");
    if (!done)
        MPI_Abort(MPI_COMM_WORLD, 1);
    use(MPI_COMM_WORLD, argv[1], done);
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    use(MPI_COMM_SELF, path, done);
    fclose(done);
    MPI_Finalize();
    return 0;
}
