// SPDX-License-Identifier: BSD-3-Clause
/* Files: explicit offsets, individual and shared pointers; blocking, nonblocking, split. */
#include "every.h"

enum { N = 4 };

static int out[N], in[N];
static MPI_File file;
static MPI_Status status;
static MPI_Request request;

static void fill(int seed)
{
    TRY(MPI_File_sync, file);
    TRY(MPI_Barrier, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        out[i] = 1000 * seed + 10 * rank + i;
        in[i] = -1;
    }
}

static void moved(void)
{
    count_t count = -1;

    TRY_COUNTED(MPI_Get_count, &status, MPI_INT, &count);
    EQUAL(count, N);
}

static void arrived(const char *what)
{
    for (int i = 0; i < N; i++)
        equal(what, in[i], out[i]);
}

/* Each rank's own part of the file. */
static MPI_Offset place(void)
{
    return (MPI_Offset)rank * N;
}

static void complete(void)
{
    TRY(MPI_Wait, &request, &status);
    moved();
}

static void to_place(void)
{
    TRY(MPI_File_seek, file, place(), MPI_SEEK_SET);
}

static void to_begin(void)
{
    TRY(MPI_Barrier, MPI_COMM_WORLD);
    TRY(MPI_File_sync, file);
    TRY(MPI_File_seek_shared, file, 0, MPI_SEEK_SET);
}

/* Without order each rank writes the same numbers: any order gives the same file. */
static void same_numbers(int seed)
{
    fill(seed);
    for (int i = 0; i < N; i++)
        out[i] = 1000 * seed + i;
}

/* What is written at a place is read there, in one call each, a started one, two. */
#define AT_ONCE(go, where, write, read)                                                            \
    do {                                                                                           \
        go;                                                                                        \
        TRY_COUNTED(MPI_File_##write, where, out, N, MPI_INT, &status);                            \
        moved();                                                                                   \
        go;                                                                                        \
        TRY_COUNTED(MPI_File_##read, where, in, N, MPI_INT, &status);                              \
        arrived(#read);                                                                            \
    } while (0)
#define STARTED(go, where, write, read)                                                            \
    do {                                                                                           \
        go;                                                                                        \
        TRY_COUNTED(MPI_File_##write, where, out, N, MPI_INT, &request);                           \
        complete();                                                                                \
        go;                                                                                        \
        TRY_COUNTED(MPI_File_##read, where, in, N, MPI_INT, &request);                             \
        complete();                                                                                \
        arrived(#read);                                                                            \
    } while (0)
#define SPLIT(go, where, write, read)                                                              \
    do {                                                                                           \
        go;                                                                                        \
        TRY_COUNTED(MPI_File_##write##_begin, where, out, N, MPI_INT);                             \
        TRY(MPI_File_##write##_end, file, out, &status);                                           \
        go;                                                                                        \
        TRY_COUNTED(MPI_File_##read##_begin, where, in, N, MPI_INT);                               \
        TRY(MPI_File_##read##_end, file, in, &status);                                             \
        arrived(#read);                                                                            \
    } while (0)
#define OFFSET file, place()

static void explicit_offsets(void)
{
    fill(1);
    AT_ONCE(, OFFSET, write_at, read_at);
    fill(2);
    AT_ONCE(, OFFSET, write_at_all, read_at_all);
    fill(3);
    STARTED(, OFFSET, iwrite_at, iread_at);
    fill(4);
    STARTED(, OFFSET, iwrite_at_all, iread_at_all);
    fill(5);
    SPLIT(, OFFSET, write_at_all, read_at_all);
}

static void own_pointers(void)
{
    fill(6);
    AT_ONCE(to_place(), file, write, read);
    fill(7);
    AT_ONCE(to_place(), file, write_all, read_all);
    fill(8);
    STARTED(to_place(), file, iwrite, iread);
    fill(9);
    STARTED(to_place(), file, iwrite_all, iread_all);
    fill(10);
    SPLIT(to_place(), file, write_all, read_all);
}

static void shared_pointer(void)
{
    same_numbers(11);
    AT_ONCE(to_begin(), file, write_shared, read_shared);
    same_numbers(12);
    STARTED(to_begin(), file, iwrite_shared, iread_shared);
    fill(13);
    AT_ONCE(to_begin(), file, write_ordered, read_ordered);
    fill(14);
    SPLIT(to_begin(), file, write_ordered, read_ordered);
}

#ifdef LARGE_COUNTS
static void descriptions(void)
{
    MPI_Count extent = -1;

    TRY(MPI_File_get_type_extent_c, file, MPI_INT, &extent);
    EQUAL(extent, sizeof(int));
}
#else
static void descriptions(void)
{
    MPI_Offset size = -1, offset = -1;
    MPI_Aint extent = -1;
    MPI_Datatype etype, filetype;
    MPI_Group group;
    MPI_Info info;
    char representation[MPI_MAX_DATAREP_STRING] = "";
    int mode = -1, atomic = -1, n = -1;

    TRY(MPI_File_get_view, file, &offset, &etype, &filetype, representation);
    EQUAL_TEXT(representation, "native");
    TRY(MPI_File_get_amode, file, &mode);
    EQUAL(mode, MPI_MODE_CREATE | MPI_MODE_RDWR);
    TRY(MPI_File_get_group, file, &group);
    TRY(MPI_Group_size, group, &n);
    EQUAL(n, n_ranks);
    TRY(MPI_Group_free, &group);
    TRY(MPI_File_get_type_extent, file, MPI_INT, &extent);
    EQUAL(extent, sizeof(int));
    TRY(MPI_File_set_atomicity, file, 1);
    TRY(MPI_File_get_atomicity, file, &atomic);
    EQUAL(atomic, true);
    TRY(MPI_File_set_atomicity, file, 0);
    to_place();
    TRY(MPI_File_get_position, file, &offset);
    EQUAL(offset, place());
    TRY(MPI_File_get_byte_offset, file, 2, &offset);
    EQUAL(offset, 2 * sizeof(int));
    to_begin();
    TRY(MPI_File_get_position_shared, file, &offset);
    EQUAL(offset, 0);
    TRY(MPI_File_preallocate, file, 4096);
    TRY(MPI_File_set_size, file, 1024);
    TRY(MPI_File_get_size, file, &size);
    EQUAL(size, 1024);
    TRY(MPI_File_get_info, file, &info);
    TRY(MPI_File_set_info, file, info);
    TRY(MPI_Info_free, &info);
}
#endif

static int conversion(void *user, MPI_Datatype type, count_t count, void *file_buffer,
                      MPI_Offset position, void *extra)
{
    (void)user, (void)type, (void)count, (void)file_buffer, (void)position, (void)extra;
    return MPI_SUCCESS;
}

static int extent_in_file(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    (void)type, (void)extra;
    *extent = 4;
    return MPI_SUCCESS;
}

/* The file lies where EVERY_FILE says, so that runs beside each other do not meet. */
CHAPTER(files)
{
    const char *path = getenv("EVERY_FILE") ? getenv("EVERY_FILE") : "/tmp/every.data";

    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    ATTEMPT(COUNTED(MPI_Register_datarep), "every's", conversion, conversion, extent_in_file, NULL);
    if (!TRY(MPI_File_open, MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
             &file))
        return;
    TRY(MPI_File_set_view, file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    explicit_offsets();
    own_pointers();
    shared_pointer();
    descriptions();
    TRY(MPI_File_close, &file);
    EQUAL(file == MPI_FILE_NULL, true);
    if (rank == 0)
        TRY(MPI_File_delete, path, MPI_INFO_NULL);
    REFUSED(MPI_ERR_NO_SUCH_FILE, MPI_File_open, MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY,
            MPI_INFO_NULL, &file);
    TRY(MPI_Barrier, MPI_COMM_WORLD);
}
