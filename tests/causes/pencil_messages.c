// SPDX-License-Identifier: BSD-3-Clause
/*
 * A stencil in three dimensions whose faces are not contiguous: each pencil of a face is a message
 * of its own. Repaired: a face is packed into one message.
 */
#include "cause.h"

enum { STEPS = 150, NX = 8, NY = 60, NZ = 600 };

static double field[NZ][NY + 2][NX];
static double packed[2][NZ * NX];

static void relax(void)
{
    for (int z = 1; z < NZ - 1; z++)
        for (int y = 1; y <= NY; y++)
            for (int x = 1; x < NX - 1; x++)
                field[z][y][x] =
                    0.4 * field[z][y][x] +
                    0.1 * (field[z][y][x - 1] + field[z][y][x + 1] + field[z][y - 1][x] +
                           field[z][y + 1][x] + field[z - 1][y][x] + field[z + 1][y][x]);
}

static void exchange_pencils(int own, int halo, int other)
{
    MPI_Request requests[2 * NZ];

    for (int z = 0; z < NZ; z++) {
        MPI_Irecv(field[z][halo], NX, MPI_DOUBLE, other, z, MPI_COMM_WORLD, &requests[z]); // cause
        MPI_Isend(field[z][own], NX, MPI_DOUBLE, other, z, MPI_COMM_WORLD,                 // cause
                  &requests[NZ + z]);                                                      // cause
    }
    MPI_Waitall(2 * NZ, requests, MPI_STATUSES_IGNORE); // cause
}

static void exchange_face(int own, int halo, int other)
{
    for (int z = 0; z < NZ; z++)
        memcpy(&packed[0][z * NX], field[z][own], sizeof field[z][own]);
    MPI_Sendrecv(packed[0], NZ * NX, MPI_DOUBLE, other, 0, packed[1], NZ * NX, MPI_DOUBLE, other, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int z = 0; z < NZ; z++)
        memcpy(field[z][halo], &packed[1][z * NX], sizeof field[z][halo]);
}

static void exchange_faces(void)
{
    for (int side = 0; side < 2; side++) {
        int own = (side ^ rank) ? NY : 1, halo = (side ^ rank) ? NY + 1 : 0;

        if (repaired)
            exchange_face(own, halo, 1 - rank);
        else
            exchange_pencils(own, halo, 1 - rank); // cause
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    for (int z = 0; z < NZ; z++)
        for (int y = 1; y <= NY; y++)
            for (int x = 0; x < NX; x++)
                field[z][y][x] = program_uniform((uint64_t)(rank * NZ + z), (uint64_t)(y * NX + x));
    for (int step = 0; step < STEPS; step++) {
        exchange_faces(); // cause
        relax();
    }
    return end((uint64_t)(field[NZ / 2][NY / 2][NX / 2] * 1e9));
}
