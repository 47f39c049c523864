// SPDX-License-Identifier: BSD-3-Clause
// The archive's folder and files, and the numbers of its definitions; see archive.h.
#include "tracer/finish/archive.h"

#include "tracer/finish/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// OTF2 clears a chunk for each file it closes: small ones make short runs fast. But a definition
/// must fit into one, that of a group of all ranks, too (9 bytes a rank at most).
static uint64_t definition_chunk_bytes(uint32_t n_ranks)
{
    uint64_t n_bytes = OTF2_CHUNK_SIZE_MIN;
    while (n_bytes < 16 * (uint64_t)n_ranks && n_bytes < OTF2_CHUNK_SIZE_MAX)
        n_bytes *= 2;
    return n_bytes;
}

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                void *caller, bool final)
{
    (void)user;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = pre_flush};

/// OTF2 would print; the first message is kept instead. After a failed write it must not be used
/// any more: its clean-up reads what it has freed.
static OTF2_ErrorCode keep_error(void *user, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments)
{
    struct archive *archive = user;
    (void)file;
    (void)line;
    (void)function;
    (void)format;
    (void)arguments;
    if (!archive->error)
        archive->error = OTF2_Error_GetDescription(code);
    if (archive->on_failure)
        longjmp(*archive->on_failure, 1);
    return code;
}

bool archive_ok(struct archive *archive, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS && !archive->error)
        archive->error = OTF2_Error_GetDescription(code);
    return archive->error == NULL;
}

static bool is_event_or_definition_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".evt") || !strcmp(dot, ".def"));
}

static const char folder_name[] = "traces", anchor_name[] = "traces.otf2",
                  definitions_name[] = "traces.def";

static bool is_there(int dir, const char *name)
{
    struct stat status;
    return fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static void remove_events(int dir)
{
    int folder = openat(dir, folder_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (is_event_or_definition_file(entry->d_name))
            unlinkat(folder, entry->d_name, 0);
    if (entries) {
        closedir(entries);
        unlinkat(dir, folder_name, AT_REMOVEDIR);
        unlinkat(dir, definitions_name, 0);
    }
}

/// Removes what an archive that was never finished left in DIR. False: something else is there, a
/// link perhaps, which OTF2 would follow or write into.
static bool make_place(const char *path)
{
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0 && !is_there(dir, anchor_name))
        remove_events(dir);
    bool is_free = dir >= 0 && !is_there(dir, anchor_name) && !is_there(dir, folder_name) &&
                   !is_there(dir, definitions_name);
    if (dir >= 0)
        close(dir);
    return is_free;
}

bool archive_open(struct archive *archive, const char *dir, uint32_t n_ranks)
{
    *archive = (struct archive){.n_ranks = n_ranks, .first_ns = UINT64_MAX};
    archive->hosts = alloc_or_die(n_ranks * sizeof *archive->hosts);
    archive->cores = alloc_or_die(n_ranks * sizeof *archive->cores);
    archive_string(archive, "");
    if (!make_place(dir)) {
        archive->error = "traces.otf2, traces.def or traces is there already";
        return false;
    }
    OTF2_Error_RegisterCallback(keep_error, archive);
    OTF2_Archive *otf2 = OTF2_Archive_Open(dir, folder_name, OTF2_FILEMODE_WRITE,
                                           OTF2_CHUNK_SIZE_MIN, definition_chunk_bytes(n_ranks),
                                           OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!otf2)
        return archive_ok(archive, OTF2_ERROR_FILE_INTERACTION);
    archive->otf2 = otf2;
    archive_ok(archive, OTF2_Archive_SetFlushCallbacks(otf2, &flush_callbacks, NULL));
    archive_ok(archive, OTF2_Archive_SetSerialCollectiveCallbacks(otf2));
    archive_ok(archive, OTF2_Archive_SetCreator(otf2, "pagoda trace"));
    return archive_ok(archive, OTF2_Archive_OpenEvtFiles(otf2));
}

uint32_t archive_string(struct archive *archive, const char *text)
{
    return table_number(&archive->strings, text, strlen(text) + 1, NULL);
}

// ---- Regions

/// Names between spaces.
static const struct {
    OTF2_RegionRole role;
    const char *names;
} roles[] = {
    {OTF2_REGION_ROLE_BARRIER, " barrier "},
    {OTF2_REGION_ROLE_COLL_ONE2ALL, " bcast scatter scatterv "},
    {OTF2_REGION_ROLE_COLL_ALL2ONE, " gather gatherv reduce "},
    {OTF2_REGION_ROLE_COLL_ALL2ALL,
     " allgather allgatherv allreduce alltoall alltoallv alltoallw reduce_scatter "
     "reduce_scatter_block "},
    {OTF2_REGION_ROLE_COLL_OTHER,
     " cart_create cart_sub comm_accept comm_connect comm_create comm_create_from_group "
     "comm_create_group comm_disconnect comm_dup comm_dup_with_info comm_free comm_idup "
     "comm_idup_with_info comm_join comm_spawn comm_spawn_multiple comm_split "
     "comm_split_type dist_graph_create dist_graph_create_adjacent exscan finalize "
     "graph_create init init_thread intercomm_create intercomm_create_from_groups "
     "intercomm_merge neighbor_allgather neighbor_allgatherv neighbor_alltoall "
     "neighbor_alltoallv neighbor_alltoallw scan "},
    {OTF2_REGION_ROLE_POINT2POINT,
     " bsend cancel improbe iprobe isendrecv mprobe mrecv parrived pready pready_list "
     "pready_range precv probe psend recv request_free request_get_status rsend send "
     "sendrecv sendrecv_replace ssend start startall test testall testany testsome wait "
     "waitall waitany waitsome "},
};

/// The role of a function of this name; OTF2_REGION_ROLE_FUNCTION for none of these.
static OTF2_RegionRole look_up(const char *name)
{
    char word[136];
    snprintf(word, sizeof word, " %s ", name);
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (strstr(roles[i].names, word))
            return roles[i].role;
    return OTF2_REGION_ROLE_FUNCTION;
}

static bool cut_suffix(char *name, const char *suffix)
{
    size_t length = strlen(name);
    size_t cut = strlen(suffix);
    if (length <= cut || strcmp(name + length - cut, suffix) != 0)
        return false;
    name[length - cut] = '\0';
    return true;
}

/// The role of an MPI function as Score-P assigns it, by its name after taking off what does not
/// matter: the prefix, "I" of nonblocking forms, "_init" of persistent and "_c" of large-count
/// ones. OTF2_REGION_ROLE_FUNCTION for the many that move nothing.
static OTF2_RegionRole role_of_mpi_function(const char *name)
{
    if (strncmp(name, "MPI_", 4) == 0)
        name += 4;
    else if (strncmp(name, "MPIX_", 5) == 0)
        name += 5;
    char plain[128];
    snprintf(plain, sizeof plain, "%s", name);
    if (strncmp(plain, "File_", 5) == 0)
        return OTF2_REGION_ROLE_FILE_IO;
    if (strncmp(plain, "Win_", 4) == 0 || strstr(plain, "ccumulate") ||
        strstr("Put Get Rput Rget Fetch_and_op Compare_and_swap", plain))
        return OTF2_REGION_ROLE_RMA;
    plain[0] = (char)(plain[0] | 0x20); // ASCII lower case
    cut_suffix(plain, "_c");
    OTF2_RegionRole role = look_up(plain);
    if (role == OTF2_REGION_ROLE_FUNCTION && cut_suffix(plain, "_init"))
        role = look_up(plain);
    if (role == OTF2_REGION_ROLE_FUNCTION && plain[0] == 'i')
        role = look_up(plain + 1);
    return role;
}

static uint32_t add_region(struct archive *archive, const char *name, const char *file, int line,
                           OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
    uint32_t text = archive_string(archive, name);
    struct archive_region region = {text, archive_string(archive, file ? file : ""),
                                    line > 0 ? (uint32_t)line : 0, role, paradigm};
    return table_number(&archive->regions, &region, sizeof region, NULL);
}

uint32_t archive_mpi_region(struct archive *archive, const char *name)
{
    return add_region(archive, name, "MPI", 0, role_of_mpi_function(name), OTF2_PARADIGM_MPI);
}

uint32_t archive_function_region(struct archive *archive, const char *name, const char *file,
                                 int line)
{
    return add_region(archive, name, file, line, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER);
}

uint32_t archive_user_region(struct archive *archive, const char *name, bool is_marker)
{
    return add_region(archive, name, NULL, 0,
                      is_marker ? OTF2_REGION_ROLE_ARTIFICIAL : OTF2_REGION_ROLE_CODE,
                      OTF2_PARADIGM_USER);
}

uint32_t archive_file_region(struct archive *archive, enum file_call call)
{
    bool moves_data = call >= FILE_read && call <= FILE_fflush;
    return add_region(archive, file_call_names[call], "libc", 0,
                      moves_data ? OTF2_REGION_ROLE_FILE_IO : OTF2_REGION_ROLE_FILE_IO_METADATA,
                      OTF2_PARADIGM_NONE);
}

/// "WHAT @file.c:LINE", or "WHAT in FUNCTION", where that is all that is known.
static uint32_t add_region_at(struct archive *archive, const char *what, const char *function,
                              const char *file, int line, OTF2_RegionRole role,
                              OTF2_Paradigm paradigm)
{
    const char *base = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    char *name = file && line > 0 ? format_or_die("%s @%s:%d", what, base, line)
                                  : format_or_die("%s%s%s", what, function ? " in " : "",
                                                  function ? function : "");
    uint32_t region = add_region(archive, name, file, line, role, paradigm);
    free(name);
    return region;
}

/// Roles as Score-P's.
uint32_t archive_thread_region(struct archive *archive, enum thread_call call, const char *function,
                               const char *file, int line)
{
    OTF2_RegionRole role = call <= THREAD_thrd_create            ? OTF2_REGION_ROLE_THREAD_CREATE
                           : call <= THREAD_thrd_join            ? OTF2_REGION_ROLE_THREAD_WAIT
                           : call == THREAD_pthread_barrier_wait ? OTF2_REGION_ROLE_BARRIER
                                                                 : OTF2_REGION_ROLE_WRAPPER;
    return add_region_at(archive, thread_call_names[call], function, file, line, role,
                         OTF2_PARADIGM_PTHREAD);
}

/// Names as Score-P's.
static const struct {
    const char *name;
    OTF2_RegionRole role;
} constructs[N_OPENMP_CONSTRUCTS] = {
    [OPENMP_PARALLEL] = {"parallel", OTF2_REGION_ROLE_PARALLEL},
    [OPENMP_BARRIER] = {"barrier", OTF2_REGION_ROLE_BARRIER},
    [OPENMP_IMPLICIT_BARRIER] = {"implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    [OPENMP_CRITICAL] = {"critical", OTF2_REGION_ROLE_CRITICAL},
    [OPENMP_CRITICAL_BODY] = {"critical sblock", OTF2_REGION_ROLE_CRITICAL_SBLOCK},
    [OPENMP_ORDERED] = {"ordered", OTF2_REGION_ROLE_ORDERED},
    [OPENMP_ORDERED_BODY] = {"ordered sblock", OTF2_REGION_ROLE_ORDERED_SBLOCK},
    [OPENMP_LOOP] = {"for", OTF2_REGION_ROLE_LOOP},
    [OPENMP_SECTIONS] = {"sections", OTF2_REGION_ROLE_SECTIONS},
    [OPENMP_SINGLE] = {"single", OTF2_REGION_ROLE_SINGLE},
    [OPENMP_TASK] = {"task", OTF2_REGION_ROLE_TASK},
    [OPENMP_TASKWAIT] = {"taskwait", OTF2_REGION_ROLE_TASK_WAIT},
    [OPENMP_TASKGROUP] = {"taskgroup", OTF2_REGION_ROLE_TASK_WAIT},
    [OPENMP_SET_LOCK] = {"set lock", OTF2_REGION_ROLE_CRITICAL},
};

OTF2_RegionRole archive_openmp_role(enum openmp_construct construct)
{
    return constructs[construct].role;
}

uint32_t archive_openmp_region(struct archive *archive, enum openmp_construct construct,
                               const char *function, const char *file, int line)
{
    char *what = format_or_die("!$omp %s", constructs[construct].name);
    uint32_t region = add_region_at(archive, what, function, file, line, constructs[construct].role,
                                    OTF2_PARADIGM_OPENMP);
    free(what);
    return region;
}

OTF2_CallingContextRef archive_calling_context(struct archive *archive, uint32_t region,
                                               const char *file, int line,
                                               OTF2_CallingContextRef parent)
{
    struct archive_context context = {region, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, parent};
    if (file && line > 0) {
        struct archive_line source = {archive_string(archive, file), (uint32_t)line};
        context.line = table_number(&archive->lines, &source, sizeof source, NULL);
    }
    return table_number(&archive->contexts, &context, sizeof context, NULL);
}

OTF2_IoHandleRef archive_file(struct archive *archive, const char *name, OTF2_CommRef comm,
                              enum file_paradigm paradigm)
{
    struct archive_file file = {archive_string(archive, name), comm, paradigm};
    return table_number(&archive->files, &file, sizeof file, NULL);
}

uint32_t archive_parameter(struct archive *archive, const char *name)
{
    uint32_t text = archive_string(archive, name);
    return N_ATTRIBUTES + table_number(&archive->parameters, &text, sizeof text, NULL);
}

OTF2_MetricRef archive_counters(struct archive *archive, uint64_t set)
{
    return FIRST_COUNTER + table_number(&archive->counter_sets, &set, sizeof set, NULL);
}

OTF2_LocationRef archive_location_ref(uint32_t rank, uint32_t thread)
{
    return (OTF2_LocationRef)thread << 32 | rank;
}

void archive_property(struct archive *archive, const char *name, const char *value)
{
    if (value[0] != '\0')
        archive_ok(archive, OTF2_Archive_SetProperty(archive->otf2, name, value, true));
}

void archive_variable(struct archive *archive, const char *variable)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strspn(variable, letters);
    if (length == 0 || variable[length] != '=')
        return;
    char *name = format_or_die("PAGODA::ENV::%.*s", (int)length, variable);
    archive_property(archive, name, variable + length + 1);
    free(name);
}

OTF2_EvtWriter *archive_begin_events(struct archive *archive, uint32_t rank, uint32_t thread)
{
    OTF2_EvtWriter *writer =
        OTF2_Archive_GetEvtWriter(archive->otf2, archive_location_ref(rank, thread));
    if (!writer)
        archive_ok(archive, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    return writer;
}

bool archive_end_events(struct archive *archive, OTF2_EvtWriter *writer,
                        const struct archive_location *location)
{
    APPEND(archive->locations, archive->n_locations, *location);
    return archive_ok(archive, OTF2_Archive_CloseEvtWriter(archive->otf2, writer));
}

static void release(struct archive *archive)
{
    for (uint32_t i = 0; i < archive->n_ranks; i++)
        free(archive->hosts[i]);
    free(archive->hosts);
    free(archive->cores);
    free(archive->locations);
    table_release(&archive->strings);
    table_release(&archive->regions);
    table_release(&archive->lines);
    table_release(&archive->contexts);
    table_release(&archive->parameters);
    table_release(&archive->files);
    table_release(&archive->counter_sets);
    archive->otf2 = NULL;
}

bool archive_close(struct archive *archive, const struct unify *unify)
{
    if (!archive_write_definitions(archive, unify) ||
        !archive_ok(archive, OTF2_Archive_Close(archive->otf2)))
        return false;
    release(archive);
    return true;
}

void archive_discard(struct archive *archive, const char *dir)
{
    archive->on_failure = NULL;
    if (archive->otf2) {
        char *anchor = format_or_die("%s/%s", dir, anchor_name);
        unlink(anchor); // ours: an older one would have kept the archive from being opened
        free(anchor);
        make_place(dir);
    }
    release(archive);
}
