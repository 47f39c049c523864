// SPDX-License-Identifier: BSD-3-Clause
/* Datatypes of every constructor: sizes, extents, contents, packing; and their elements sent. */
#include "every.h"

enum { N = 64 };

#ifdef LARGE_COUNTS
typedef MPI_Count extent_t; /* where the plain function has MPI_Aint */
#else
typedef MPI_Aint extent_t;
#endif

static int out[N], in[N];

/* Sends one element to itself: out's numbers at the places the type covers arrive there. */
static void use(const char *what, MPI_Datatype type, int wanted_bytes)
{
    count_t bytes = -1, packed = 0;
    extent_t lower = 0, extent = 0;
    MPI_Status status;
    MPI_Request request;
    int n_sent = 0;

    for (int i = 0; i < N; i++) {
        out[i] = 100 + i;
        in[i] = -1;
    }
    TRY(MPI_Type_commit, &type);
    TRY_COUNTED(MPI_Type_size, type, &bytes);
    equal(what, bytes, wanted_bytes);
    TRY_COUNTED(MPI_Type_get_extent, type, &lower, &extent);
    TRY_COUNTED(MPI_Type_get_true_extent, type, &lower, &extent);
    equal(what, extent >= wanted_bytes, true);
    TRY_COUNTED(MPI_Pack_size, 1, type, MPI_COMM_WORLD, &packed);
    equal(what, packed >= wanted_bytes, true);
    TRY(MPI_Isend, out, 1, type, rank, 1, MPI_COMM_WORLD, &request);
    TRY(MPI_Recv, in, 1, type, rank, 1, MPI_COMM_WORLD, &status);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++) {
        if (in[i] != -1)
            equal(what, in[i], out[i]);
        n_sent += in[i] != -1;
    }
    equal(what, n_sent * (int)sizeof(int), wanted_bytes);
    TRY(MPI_Type_free, &type);
    equal(what, type == MPI_DATATYPE_NULL, true);
}

static void constructors(void)
{
    count_t lengths[3] = {1, 2, 1}, places[3] = {0, 3, 8};
    extent_t byte_places[3] = {0, 12, 40};
    count_t sizes[2] = {4, 4}, part[2] = {2, 2}, begin[2] = {1, 1};
    int ways[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int args[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 1};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT}, type, other;

    TRY_COUNTED(MPI_Type_contiguous, 3, MPI_INT, &type);
    TRY(MPI_Type_dup, type, &other);
    use("contiguous", type, 12);
    use("dup", other, 12);
    TRY_COUNTED(MPI_Type_vector, 3, 2, 4, MPI_INT, &type);
    use("vector", type, 24);
    TRY_COUNTED(MPI_Type_create_hvector, 3, 2, 16, MPI_INT, &type);
    use("hvector", type, 24);
    TRY_COUNTED(MPI_Type_indexed, 3, lengths, places, MPI_INT, &type);
    use("indexed", type, 16);
    TRY_COUNTED(MPI_Type_create_hindexed, 3, lengths, byte_places, MPI_INT, &type);
    use("hindexed", type, 16);
    TRY_COUNTED(MPI_Type_create_indexed_block, 3, 2, places, MPI_INT, &type);
    use("indexed_block", type, 24);
    TRY_COUNTED(MPI_Type_create_hindexed_block, 3, 2, byte_places, MPI_INT, &type);
    use("hindexed_block", type, 24);
    TRY_COUNTED(MPI_Type_create_struct, 3, lengths, byte_places, types, &type);
    use("struct", type, 16);
    TRY_COUNTED(MPI_Type_create_subarray, 2, sizes, part, begin, MPI_ORDER_C, MPI_INT, &type);
    use("subarray", type, 16);
    TRY_COUNTED(MPI_Type_create_darray, 2, 0, 2, sizes, ways, args, grid, MPI_ORDER_FORTRAN,
                MPI_INT, &type);
    use("darray", type, 32);
    TRY_COUNTED(MPI_Type_create_resized, MPI_INT, 0, 16, &type);
    use("resized", type, 4);
}

static void contents(void)
{
    MPI_Datatype type, types[1];
    int combiner = -1;

#ifdef LARGE_COUNTS
    MPI_Count n_ints = -1, n_addresses = -1, n_large = -1, n_types = -1, large[4] = {0};
    int ints[4];
    MPI_Aint addresses[1];

    TRY(MPI_Type_vector_c, 3, 2, 4, MPI_INT, &type);
    TRY(MPI_Type_get_envelope_c, type, &n_ints, &n_addresses, &n_large, &n_types, &combiner);
    EQUAL(n_ints + n_large, 3);
    TRY(MPI_Type_get_contents_c, type, n_ints, n_addresses, n_large, n_types, ints, addresses,
        large, types);
    EQUAL(large[2], 4);
#else
    int n_ints = -1, n_addresses = -1, n_types = -1, ints[4];
    MPI_Aint addresses[1];

    TRY(MPI_Type_vector, 3, 2, 4, MPI_INT, &type);
    TRY(MPI_Type_get_envelope, type, &n_ints, &n_addresses, &n_types, &combiner);
    EQUAL(n_ints, 3);
    TRY(MPI_Type_get_contents, type, n_ints, n_addresses, n_types, ints, addresses, types);
    EQUAL(ints[2], 4);
#endif
    EQUAL(combiner, MPI_COMBINER_VECTOR);
    EQUAL(types[0] == MPI_INT, true);
    TRY(MPI_Type_free, &type);
}

static void packing(void)
{
    char buffer[256];
    extent_t at = 0, size = 0;
    count_t place = 0, place_end;
    int four[4] = {1, 2, 3, 4}, back[4] = {0};

    TRY_COUNTED(MPI_Pack, four, 4, MPI_INT, buffer, sizeof buffer, &place, MPI_COMM_WORLD);
    place_end = place;
    place = 0;
    TRY_COUNTED(MPI_Unpack, buffer, place_end, &place, back, 4, MPI_INT, MPI_COMM_WORLD);
    EQUAL(back[3], 4);
    EQUAL(place, place_end);
    TRY_COUNTED(MPI_Pack_external_size, "external32", 4, MPI_INT, &size);
    EQUAL(size, 16);
    TRY_COUNTED(MPI_Pack_external, "external32", four, 4, MPI_INT, buffer, sizeof buffer, &at);
    EQUAL(buffer[3], 1); /* the highest byte comes first */
    at = 0;
    TRY_COUNTED(MPI_Unpack_external, "external32", buffer, size, &at, back, 3, MPI_INT);
    EQUAL(back[2], 3);
    EQUAL(at, 12);
}

#ifndef LARGE_COUNTS
static void long_sizes(void)
{
    MPI_Count size = -1, lower = -1, extent = -1;

    TRY(MPI_Type_size_x, MPI_DOUBLE, &size);
    EQUAL(size, 8);
    TRY(MPI_Type_get_extent_x, MPI_DOUBLE, &lower, &extent);
    EQUAL(extent, 8);
    TRY(MPI_Type_get_true_extent_x, MPI_DOUBLE, &lower, &extent);
    EQUAL(extent, 8);
}

static void named_ones(void)
{
    MPI_Datatype type;
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Aint first, second;

    TRY(MPI_Type_match_size, MPI_TYPECLASS_INTEGER, 4, &type);
    ATTEMPT(MPI_Type_create_f90_integer, 6, &type);
    ATTEMPT(MPI_Type_create_f90_real, 6, MPI_UNDEFINED, &type);
    ATTEMPT(MPI_Type_create_f90_complex, 6, MPI_UNDEFINED, &type);
    TRY(MPI_Type_get_name, MPI_INT, name, &length);
    EQUAL_TEXT(name, "MPI_INT");
    TRY(MPI_Type_contiguous, 2, MPI_INT, &type);
    TRY(MPI_Type_set_name, type, "pair");
    TRY(MPI_Type_get_name, type, name, &length);
    EQUAL_TEXT(name, "pair");
    TRY(MPI_Type_free, &type);
    TRY(MPI_Get_address, &out[0], &first);
    TRY(MPI_Get_address, &out[1], &second);
    EQUAL(MPI_Aint_diff(second, first), sizeof(int));
    EQUAL(MPI_Aint_add(first, sizeof(int)) == second, true);
    REFUSED(MPI_ERR_TYPE, MPI_Type_contiguous, 2, MPI_DATATYPE_NULL, &type);
}

/* What MPI-1 had and MPI-3 removed, where the header still declares it. */
static void removed(void)
{
#ifdef HAVE_MPI_Type_struct
    MPI_Aint place = 0;
    MPI_Datatype type;
    int length = 1;
    MPI_Datatype of_int = MPI_INT;

    TRY(MPI_Address, out, &place);
    TRY(MPI_Type_extent, MPI_INT, &place);
    EQUAL(place, 4);
    TRY(MPI_Type_lb, MPI_INT, &place);
    EQUAL(place, 0);
    TRY(MPI_Type_ub, MPI_INT, &place);
    EQUAL(place, 4);
    place = 0;
    TRY(MPI_Type_hindexed, 1, &length, &place, MPI_INT, &type);
    use("old hindexed", type, 4);
    TRY(MPI_Type_hvector, 2, 1, 8, MPI_INT, &type);
    use("old hvector", type, 8);
    TRY(MPI_Type_struct, 1, &length, &place, &of_int, &type);
    use("old struct", type, 4);
#endif
}
#endif

CHAPTER(datatypes)
{
    constructors();
    contents();
    packing();
#ifndef LARGE_COUNTS
    long_sizes();
    named_ones();
    removed();
#else
    MPI_Count elements = -1;
    MPI_Status status;

    memset(&status, 0, sizeof status);
    TRY(MPI_Status_set_elements_x, &status, MPI_INT, 3);
    TRY(MPI_Get_elements_c, &status, MPI_INT, &elements);
    EQUAL(elements, 3);
#endif
}
