// SPDX-License-Identifier: BSD-3-Clause
/* Every collective operation, blocking, nonblocking and persistent, in place too. */
#include "every.h"

enum { N = 4, MAX = 64 };

static int own[N * MAX], all[N * MAX];
static count_t counts[MAX];
static displacement_t places[MAX], byte_places[MAX];
static MPI_Datatype types[MAX];
static MPI_Op sum_of_first; /* not commutative in name only */

static void prepare(void)
{
    for (int i = 0; i < n_ranks; i++) {
        counts[i] = N;
        places[i] = N * i;
        byte_places[i] = (displacement_t)((size_t)N * (size_t)i * sizeof(int));
        types[i] = MPI_INT;
    }
}

/* own[k] = 1000 * rank + k; all[k] = -1 */
static void fill(void)
{
    for (int k = 0; k < N * MAX; k++) {
        own[k] = 1000 * rank + k;
        all[k] = -1;
    }
}

static void check_gathered(const char *what)
{
    for (int k = 0; k < N * n_ranks; k++)
        equal(what, all[k], 1000 * (k / N) + k % N);
}

static void check_exchanged(const char *what)
{
    for (int k = 0; k < N * n_ranks; k++)
        equal(what, all[k], 1000 * (k / N) + N * rank + k % N);
}

/* Sum over the ranks below `end` of what they have at place k. */
static int sum_below(int end, int k)
{
    return 1000 * end * (end - 1) / 2 + k * end;
}

static void rooted(enum form form, int root)
{
    int *out = rank == root ? own : NULL;
    bool is_root = rank == root;

    fill();
    IN_FORM(form, Bcast, bcast, own, N, MPI_INT, root, MPI_COMM_WORLD);
    EQUAL(own[N - 1], 1000 * root + N - 1);
    fill();
    IN_FORM(form, Gather, gather, own, N, MPI_INT, is_root ? all : NULL, N, MPI_INT, root,
            MPI_COMM_WORLD);
    if (is_root)
        check_gathered("gathered");
    fill();
    IN_FORM(form, Gatherv, gatherv, own, N, MPI_INT, is_root ? all : NULL, is_root ? counts : NULL,
            is_root ? places : NULL, MPI_INT, root, MPI_COMM_WORLD);
    if (is_root)
        check_gathered("gathered by counts");
    fill();
    IN_FORM(form, Scatter, scatter, out, N, MPI_INT, all, N, MPI_INT, root, MPI_COMM_WORLD);
    EQUAL(all[N - 1], 1000 * root + N * rank + N - 1);
    fill();
    IN_FORM(form, Scatterv, scatterv, out, is_root ? counts : NULL, is_root ? places : NULL,
            MPI_INT, all, N, MPI_INT, root, MPI_COMM_WORLD);
    EQUAL(all[0], 1000 * root + N * rank);
    fill();
    IN_FORM(form, Reduce, reduce, own, is_root ? all : NULL, N, MPI_INT, MPI_SUM, root,
            MPI_COMM_WORLD);
    if (is_root)
        EQUAL(all[1], sum_below(n_ranks, 1));
}

static void to_all(enum form form)
{
    fill();
    IN_FORM(form, Allgather, allgather, own, N, MPI_INT, all, N, MPI_INT, MPI_COMM_WORLD);
    check_gathered("allgathered");
    fill();
    IN_FORM(form, Allgatherv, allgatherv, own, N, MPI_INT, all, counts, places, MPI_INT,
            MPI_COMM_WORLD);
    check_gathered("allgathered by counts");
    fill();
    IN_FORM(form, Alltoall, alltoall, own, N, MPI_INT, all, N, MPI_INT, MPI_COMM_WORLD);
    check_exchanged("exchanged");
    fill();
    IN_FORM(form, Alltoallv, alltoallv, own, counts, places, MPI_INT, all, counts, places, MPI_INT,
            MPI_COMM_WORLD);
    check_exchanged("exchanged by counts");
    fill();
    IN_FORM(form, Alltoallw, alltoallw, own, counts, byte_places, types, all, counts, byte_places,
            types, MPI_COMM_WORLD);
    check_exchanged("exchanged by types");
}

static void reductions(enum form form)
{
    fill();
    IN_FORM(form, Allreduce, allreduce, own, all, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EQUAL(all[2], sum_below(n_ranks, 2));
    fill();
    IN_FORM(form, Reduce_scatter, reduce_scatter, own, all, counts, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD);
    EQUAL(all[1], sum_below(n_ranks, N * rank + 1));
    fill();
    IN_FORM(form, Reduce_scatter_block, reduce_scatter_block, own, all, N, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD);
    EQUAL(all[1], sum_below(n_ranks, N * rank + 1));
    fill();
    IN_FORM(form, Scan, scan, own, all, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EQUAL(all[3], sum_below(rank + 1, 3));
    fill();
    IN_FORM(form, Exscan, exscan, own, all, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0)
        EQUAL(all[3], sum_below(rank, 3));
}

/* MPI_IN_PLACE: the arguments it replaces may be anything. */
static void in_place_rooted(enum form form)
{
    bool is_root = rank == 0;
    void *out = is_root ? MPI_IN_PLACE : (void *)own, *in = is_root ? MPI_IN_PLACE : (void *)all;
    int n = is_root ? 0 : N;
    MPI_Datatype type = is_root ? MPI_DATATYPE_NULL : MPI_INT;

    fill();
    memcpy(all, own, N * sizeof(int));
    IN_FORM(form, Gather, gather, out, n, type, all, N, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_root)
        check_gathered("gathered in place");
    fill();
    memcpy(all, own, N * sizeof(int));
    IN_FORM(form, Gatherv, gatherv, out, n, type, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_root)
        check_gathered("gathered in place by counts");
    fill();
    IN_FORM(form, Scatter, scatter, own, N, MPI_INT, in, n, type, 0, MPI_COMM_WORLD);
    if (!is_root)
        EQUAL(all[0], N * rank);
    fill();
    IN_FORM(form, Scatterv, scatterv, own, counts, places, MPI_INT, in, n, type, 0, MPI_COMM_WORLD);
    if (!is_root)
        EQUAL(all[0], N * rank);
    fill();
    IN_FORM(form, Reduce, reduce, out, is_root ? own : NULL, 1, MPI_INT, MPI_MAX, 0,
            MPI_COMM_WORLD);
    if (is_root)
        EQUAL(own[0], 1000 * (n_ranks - 1));
}

static void in_place(enum form form)
{
    void *here = MPI_IN_PLACE;

    fill();
    memcpy(all + N * rank, own, N * sizeof(int));
    IN_FORM(form, Allgather, allgather, here, 0, MPI_DATATYPE_NULL, all, N, MPI_INT,
            MPI_COMM_WORLD);
    check_gathered("allgathered in place");
    fill();
    memcpy(all + N * rank, own, N * sizeof(int));
    IN_FORM(form, Allgatherv, allgatherv, here, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT,
            MPI_COMM_WORLD);
    check_gathered("allgathered in place by counts");
    fill();
    IN_FORM(form, Alltoall, alltoall, here, 0, MPI_DATATYPE_NULL, own, N, MPI_INT, MPI_COMM_WORLD);
    EQUAL(own[0], N * rank);
    fill();
    IN_FORM(form, Alltoallv, alltoallv, here, NULL, NULL, MPI_DATATYPE_NULL, own, counts, places,
            MPI_INT, MPI_COMM_WORLD);
    EQUAL(own[0], N * rank);
    fill();
    IN_FORM(form, Alltoallw, alltoallw, here, NULL, NULL, NULL, own, counts, byte_places, types,
            MPI_COMM_WORLD);
    EQUAL(own[0], N * rank);
    fill();
    IN_FORM(form, Allreduce, allreduce, here, own, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EQUAL(own[1], sum_below(n_ranks, 1));
    fill();
    IN_FORM(form, Reduce_scatter, reduce_scatter, here, own, counts, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD);
    EQUAL(own[0], sum_below(n_ranks, N * rank));
    fill();
    IN_FORM(form, Reduce_scatter_block, reduce_scatter_block, here, own, N, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD);
    EQUAL(own[0], sum_below(n_ranks, N * rank));
    fill();
    IN_FORM(form, Scan, scan, here, own, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EQUAL(own[0], 1000 * rank);
    fill();
    IN_FORM(form, Exscan, exscan, here, own, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank > 0)
        EQUAL(own[0], 1000 * (rank - 1));
}

/* Rank i gives i numbers to everybody, so rank 0 none. */
static void some_zero(enum form form)
{
    int root = 2 % n_ranks;
    count_t by_rank[MAX], mine[MAX], none[MAX] = {0};
    displacement_t at[MAX], begin[MAX] = {0}, byte_at[MAX];

    for (int i = 0; i < n_ranks; i++) {
        by_rank[i] = i;
        mine[i] = rank;
        at[i] = i * (i - 1) / 2;
        byte_at[i] = at[i] * (displacement_t)sizeof(int);
    }
    fill();
    IN_FORM(form, Gatherv, gatherv, own, rank, MPI_INT, all, by_rank, at, MPI_INT, root,
            MPI_COMM_WORLD);
    if (rank == root)
        EQUAL(all[0], 1000);
    fill();
    IN_FORM(form, Scatterv, scatterv, own, by_rank, at, MPI_INT, all, rank, MPI_INT, root,
            MPI_COMM_WORLD);
    EQUAL(all[0], rank == 0 ? -1 : 1000 * root + at[rank]);
    fill();
    IN_FORM(form, Allgatherv, allgatherv, own, rank, MPI_INT, all, by_rank, at, MPI_INT,
            MPI_COMM_WORLD);
    EQUAL(all[0], 1000);
    fill();
    IN_FORM(form, Alltoallv, alltoallv, own, mine, begin, MPI_INT, all, by_rank, at, MPI_INT,
            MPI_COMM_WORLD);
    EQUAL(all[0], 1000);
    fill();
    IN_FORM(form, Alltoallw, alltoallw, own, mine, begin, types, all, by_rank, byte_at, types,
            MPI_COMM_WORLD);
    EQUAL(all[0], 1000);
    fill();
    IN_FORM(form, Reduce_scatter, reduce_scatter, own, all, by_rank, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD);
    EQUAL(all[0], rank == 0 ? -1 : sum_below(n_ranks, (int)at[rank]));
    IN_FORM(form, Alltoallv, alltoallv, own, none, at, MPI_INT, all, none, at, MPI_INT,
            MPI_COMM_WORLD);
    IN_FORM(form, Bcast, bcast, own, 0, MPI_INT, 0, MPI_COMM_WORLD);
}

static void take_first(void *in, void *inout, count_t *count, MPI_Datatype *type)
{
    const int *from = in;
    int *to = inout;

    EQUAL(*type == MPI_INT, true);
    for (count_t i = 0; i < *count; i++)
        to[i] = from[i];
}

static void own_operation(void)
{
    int commutes = 1, copy = 5;

    TRY_COUNTED(MPI_Op_create, take_first, 0, &sum_of_first);
    TRY(MPI_Op_commutative, sum_of_first, &commutes);
    EQUAL(commutes, false);
    fill();
    TRY_COUNTED(MPI_Allreduce, own, all, N, MPI_INT, sum_of_first, MPI_COMM_WORLD);
    EQUAL(all[1], 1);
    TRY_COUNTED(MPI_Reduce_local, own, &copy, 1, MPI_INT, MPI_SUM);
    EQUAL(copy, 1000 * rank + 5);
    TRY(MPI_Op_free, &sum_of_first);
    EQUAL(sum_of_first == MPI_OP_NULL, true);
}

static void barriers(void)
{
    MPI_Request request;

    TRY(MPI_Barrier, MPI_COMM_WORLD);
    TRY(MPI_Ibarrier, MPI_COMM_WORLD, &request);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
#if defined HAVE_MPI_Barrier_init || defined HAVE_MPIX_Barrier_init
#ifdef HAVE_MPI_Barrier_init
    TRY(MPI_Barrier_init, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#else
    TRY(MPIX_Barrier_init, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#endif
    for (int n = 0; n < 2; n++) {
        TRY(MPI_Start, &request);
        TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    }
    TRY(MPI_Request_free, &request);
#endif
}

/* A persistent operation twice, then together with a message in each direction. */
static void started_together(void)
{
    int in = -1;
    MPI_Request request, three[3];

    fill();
    TRY_INIT(Bcast, own, N, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (request == MPI_REQUEST_NULL)
        return;
    for (int n = 0; n < 2; n++) {
        TRY(MPI_Start, &request);
        TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    }
    three[0] = request;
    TRY(MPI_Recv_init, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &three[1]);
    TRY(MPI_Send_init, &rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &three[2]);
    TRY(MPI_Startall, 3, three);
    TRY(MPI_Waitall, 3, three, MPI_STATUSES_IGNORE);
    EQUAL(in, left);
    for (int i = 0; i < 3; i++)
        TRY(MPI_Request_free, &three[i]);
}

CHAPTER(collectives)
{
    prepare();
    for (int form = 0; form < N_FORMS; form++) {
        rooted((enum form)form, 0);
        rooted((enum form)form, n_ranks - 1);
        to_all((enum form)form);
        reductions((enum form)form);
        in_place_rooted((enum form)form);
        in_place((enum form)form);
        some_zero((enum form)form);
    }
    own_operation();
    barriers();
    started_together();
}
