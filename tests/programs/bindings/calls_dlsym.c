// SPDX-License-Identifier: BSD-3-Clause
// MPI called through addresses that the program looks up in the library it opens, as interpreters
// do. Linked with no MPI. Arguments: the MPI library, RTLD_GLOBAL or RTLD_LOCAL.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *look_up(const char *name)
{
    void *symbol = dlsym(library, name);

    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return symbol;
}

// Handles that are addresses of variables of the library.
#ifdef OPEN_MPI
#define COMM_WORLD (MPI_Comm) look_up("ompi_mpi_comm_world")
#define TYPE_INT   (MPI_Datatype) look_up("ompi_mpi_int")
#else
#define COMM_WORLD MPI_COMM_WORLD
#define TYPE_INT   MPI_INT
#endif

int main(int argc, char **argv)
{
    int (*init)(int *, char ***);
    int (*comm_rank)(MPI_Comm, int *);
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    int (*profiling_barrier)(MPI_Comm);
    int (*finalize)(void);
    double (*wtime)(void);
    int rank;
    int value = 5;

    library = argc < 3
                  ? NULL
                  : dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "RTLD_GLOBAL") == 0 ? RTLD_GLOBAL
                                                                                    : RTLD_LOCAL));
    if (library == NULL) {
        fprintf(stderr, "usage: %s LIBRARY RTLD_GLOBAL|RTLD_LOCAL\n", argv[0]);
        return 1;
    }
    *(void **)&init = look_up("MPI_Init");
    *(void **)&comm_rank = look_up("MPI_Comm_rank");
    *(void **)&send = look_up("MPI_Send");
    *(void **)&receive = look_up("MPI_Recv");
    *(void **)&profiling_barrier = look_up("PMPI_Barrier");
    *(void **)&finalize = look_up("MPI_Finalize");
    *(void **)&wtime = look_up("MPI_Wtime");
    if (dlsym(library, "MPI_No_such_function") != NULL || dlerror() == NULL)
        return 2;
    init(&argc, &argv);
    comm_rank(COMM_WORLD, &rank);
    if (rank % 2 == 0)
        send(&value, 1, TYPE_INT, rank + 1, 1, COMM_WORLD);
    else
        receive(&value, 1, TYPE_INT, rank - 1, 1, COMM_WORLD, MPI_STATUS_IGNORE);
    profiling_barrier(COMM_WORLD);
    if (wtime() > wtime())
        return 3;
    printf("done\n");
    return finalize();
}
