// SPDX-License-Identifier: BSD-3-Clause
/* Groups: made, compared, translated. */
#include "every.h"

static void has(MPI_Group group, int wanted_size)
{
    int size = -1;

    TRY(MPI_Group_size, group, &size);
    EQUAL(size, wanted_size);
    if (group != MPI_GROUP_EMPTY)
        TRY(MPI_Group_free, &group);
}

CHAPTER(groups)
{
    int own = -1, relation = -1, first = 0, last = n_ranks - 1, translated = -1;
    int all_but_first[1][3] = {{1, n_ranks - 1, 1}}, zero[1][3] = {{0, 0, 1}};
    MPI_Group world, some, rest, made;

    TRY(MPI_Comm_group, MPI_COMM_WORLD, &world);
    TRY(MPI_Group_rank, world, &own);
    EQUAL(own, rank);
    TRY(MPI_Group_incl, world, 1, &last, &some);
    TRY(MPI_Group_excl, world, 1, &last, &rest);
    TRY(MPI_Group_rank, some, &own);
    EQUAL(own, rank == last ? 0 : MPI_UNDEFINED);
    TRY(MPI_Group_translate_ranks, some, 1, &first, world, &translated);
    EQUAL(translated, last);
    TRY(MPI_Group_compare, some, rest, &relation);
    EQUAL(relation, n_ranks == 1 ? MPI_IDENT : MPI_UNEQUAL);
    TRY(MPI_Group_union, some, rest, &made);
    TRY(MPI_Group_compare, made, world, &relation);
    EQUAL(relation, MPI_SIMILAR);
    has(made, n_ranks);
    TRY(MPI_Group_intersection, some, world, &made);
    has(made, 1);
    TRY(MPI_Group_intersection, some, rest, &made);
    EQUAL(made == MPI_GROUP_EMPTY, true);
    TRY(MPI_Group_difference, world, some, &made);
    has(made, n_ranks - 1);
    TRY(MPI_Group_range_incl, world, 1, all_but_first, &made);
    has(made, n_ranks - 1);
    TRY(MPI_Group_range_excl, world, 1, zero, &made);
    has(made, n_ranks - 1);
    REFUSED(MPI_ERR_RANK, MPI_Group_incl, world, 1, &n_ranks, &made);
    TRY(MPI_Group_free, &some);
    TRY(MPI_Group_free, &rest);
    TRY(MPI_Group_free, &world);
    EQUAL(world == MPI_GROUP_NULL, true);
}
