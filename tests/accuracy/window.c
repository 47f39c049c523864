// SPDX-License-Identifier: BSD-3-Clause
/*
 * Preloaded into untraced runs of the accuracy study and of that of causes: tells when each process
 * left MPI_Init and entered MPI_Finalize, so that what is measured is what pagoda calls the window.
 * Appends to the file that STUDY_WINDOW names one line a process: the two times of CLOCK_MONOTONIC
 * in ns. Start-up is left out because it takes as long as the program and differs from run to run.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t init_left_ns;

void mpi_init_(MPI_Fint *status);
void mpi_finalize_(MPI_Fint *status);

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int MPI_Init(int *argc, char ***argv)
{
    int status = PMPI_Init(argc, argv);

    init_left_ns = now_ns();
    return status;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int status = PMPI_Init_thread(argc, argv, required, provided);

    init_left_ns = now_ns();
    return status;
}

int MPI_Finalize(void)
{
    int64_t finalize_entered_ns = now_ns();
    const char *path = getenv("STUDY_WINDOW");
    int file = path != NULL ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

    if (file >= 0) {
        char line[64];
        int length = snprintf(line, sizeof line, "%" PRId64 " %" PRId64 "\n", init_left_ns,
                              finalize_entered_ns);
        /* A line that is missing fails the run: the study counts them. */
        if (write(file, line, (size_t)length) != length)
            perror(path);
        close(file);
    }
    return PMPI_Finalize();
}

/* From Fortran, whose library calls only names of PMPI. */
void mpi_init_(MPI_Fint *status)
{
    *status = MPI_Init(NULL, NULL);
}

void mpi_finalize_(MPI_Fint *status)
{
    *status = MPI_Finalize();
}
