// SPDX-License-Identifier: BSD-3-Clause
/* Partitioned communication in a ring. */
#include "every.h"

#include <unistd.h>

#ifdef HAVE_MPI_Psend_init
CHAPTER(partitioned)
{
    enum { N_PARTS = 6 };
    int out[N_PARTS] = {0}, in[N_PARTS], list[2] = {5, 4}, flag = 0;
    MPI_Request send, receive;

    TRY(MPI_Psend_init, out, N_PARTS, 1, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
    TRY(MPI_Precv_init, in, N_PARTS, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N_PARTS; i++) {
            out[i] = 100 * rank + 10 * round + i;
            in[i] = -1;
        }
        TRY(MPI_Start, &receive);
        TRY(MPI_Start, &send);
        TRY(MPI_Pready, 0, send);
        TRY(MPI_Pready_range, 1, 3, send);
        TRY(MPI_Pready_list, 2, list, send);
        TRY(MPI_Barrier, MPI_COMM_WORLD); /* few tests */
        for (flag = 0; !flag;)
            TRY(MPI_Parrived, receive, 2, &flag);
        EQUAL(in[2], 100 * left + 10 * round + 2);
        TRY(MPI_Wait, &send, MPI_STATUS_IGNORE);
        TRY(MPI_Wait, &receive, MPI_STATUS_IGNORE);
        EQUAL(in[5], 100 * left + 10 * round + 5);
    }
    TRY(MPI_Request_free, &send);
    TRY(MPI_Request_free, &receive);
}

/* Rank 0 sends three messages, the last part of which comes 20 ms after rank 1 said that it waits
 * next. */
CHAPTER(late_part)
{
    enum { N_ROUNDS = 3, N_PARTS = 4 };
    int parts[N_PARTS] = {0};
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Request request;

    if (rank > 1)
        return;
    if (rank == 0)
        TRY(MPI_Psend_init, parts, N_PARTS, 1, MPI_INT, 1, 5, w, MPI_INFO_NULL, &request);
    else
        TRY(MPI_Precv_init, parts, N_PARTS, 1, MPI_INT, 0, 5, w, MPI_INFO_NULL, &request);
    for (int round = 0; round < N_ROUNDS; round++) {
        TRY(MPI_Start, &request);
        if (rank == 1)
            TRY(MPI_Send, NULL, 0, MPI_INT, 0, 6, w);
        for (int i = 0; i < N_PARTS && rank == 0; i++) {
            if (i == N_PARTS - 1)
                TRY(MPI_Recv, NULL, 0, MPI_INT, 1, 6, w, MPI_STATUS_IGNORE);
            usleep(i == N_PARTS - 1 ? 20000 : 1000);
            parts[i] = round + i;
            TRY(MPI_Pready, i, request);
        }
        TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
        EQUAL(parts[N_PARTS - 1], round + N_PARTS - 1);
    }
    TRY(MPI_Request_free, &request);
}
#endif
