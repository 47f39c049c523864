// SPDX-License-Identifier: BSD-3-Clause
/*
 * Cuts the files of records of this process to N bytes while it records: each of 2 threads by
 * itself, so that what it writes next is beyond the end. Then shows that SIGBUS is what it was: an
 * action of the program's (with "own"), or the end of the process (with "fault", with "raise").
 * Rank 0 prints "cut ok". For the tests of the tracer.
 */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static long n_bytes;
static sigjmp_buf back;
static volatile int n_own;

/* Every file of records of this process, found as an outsider would find it. */
static void cut(void)
{
    const char *path = getenv("PAGODA_SPOOL");
    DIR *folder = path != NULL ? opendir(path) : NULL;
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        int fd =
            strstr(entry->d_name, ".spool") ? openat(dirfd(folder), entry->d_name, O_WRONLY) : -1;

        if (fd >= 0 && ftruncate(fd, n_bytes) != 0)
            abort();
        if (fd >= 0)
            close(fd);
    }
    if (folder != NULL)
        closedir(folder);
}

static void calls(int n)
{
    int rank, flag, out = 1, in = 0;

    for (int i = 0; i < n; i++) {
        MPI_Comm_rank(MPI_COMM_SELF, &rank);
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
    if (in != 1 || flag)
        abort();
}

static void *run(void *unused)
{
    calls(100);
    cut();
    calls(20000);
    return unused;
}

static void own_action(int number)
{
    (void)number;
    n_own++;
    siglongjmp(back, 1);
}

/* Writes beyond the end of a file that is not the tracer's. */
static void fault(void)
{
    FILE *file = tmpfile();
    volatile char *page;

    if (file == NULL || ftruncate(fileno(file), 4096) != 0)
        abort();
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (page == MAP_FAILED || ftruncate(fileno(file), 0) != 0)
        abort();
    *page = 1;
}

int main(int argc, char **argv)
{
    const char *last = argc > 2 ? argv[2] : "";
    struct sigaction action = {.sa_handler = own_action};
    pthread_t thread;
    int provided, rank;

    n_bytes = argc > 1 ? atol(argv[1]) : 0;
    if (strcmp(last, "own") == 0)
        sigaction(SIGBUS, &action, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    run(NULL);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    calls(20000);
    if (strcmp(last, "own") == 0 && sigsetjmp(back, 1) == 0)
        fault();
    if (strcmp(last, "own") == 0 && n_own != 1)
        abort();
    if (strcmp(last, "fault") == 0)
        fault();
    if (strcmp(last, "raise") == 0)
        raise(SIGBUS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 0)
        puts("cut ok");
    return 0;
}
