// SPDX-License-Identifier: BSD-3-Clause
// A profiling tool as there are many: it defines MPI functions of C and of Fortran and calls the
// PMPI ones. When MPI ends it says on rank 0 how many calls it saw there. To be preloaded before
// or after the tracer.
#include <mpi.h>
#include <stdio.h>

static int n_sends, n_fortran_sends, n_barriers;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    n_sends++;
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    n_barriers++;
    return PMPI_Barrier(comm);
}

void pmpi_send_(void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *)
    __attribute__((weak)); // programs in C have no Fortran layer
void mpi_send_(void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);

void mpi_send_(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag,
               MPI_Fint *comm, MPI_Fint *error)
{
    n_fortran_sends++;
    pmpi_send_(buffer, count, type, dest, tag, comm, error);
}

static void say(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "tool: %d sends, %d in Fortran, %d barriers\n", n_sends, n_fortran_sends,
                n_barriers);
}

int MPI_Finalize(void)
{
    say();
    return PMPI_Finalize();
}

void pmpi_finalize_(MPI_Fint *error) __attribute__((weak));
void mpi_finalize_(MPI_Fint *error);

void mpi_finalize_(MPI_Fint *error)
{
#ifdef OPEN_MPI // MPICH's Fortran layer calls MPI_Finalize
    say();
#endif
    pmpi_finalize_(error);
}
