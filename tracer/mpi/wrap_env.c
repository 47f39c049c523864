// SPDX-License-Identifier: BSD-3-Clause
// Start and end of MPI in this process, and the recorder's entry point.
//
// Communication of the tracer's own happens in MPI_Init (run number, agreement that every process
// can record, clock offsets) and in MPI_Finalize (clock offsets again), never in between. A session
// is begun by one process alone, so there is none in programs that only use sessions.
#include "tracer/mpi/call.h"
#include "tracer/mpi/comm.h"
#include "tracer/mpi/hooks.h"
#include "tracer/record/clock.h"
#include "tracer/record/module.h"
#include "tracer/record/recording.h"
#include "tracer/record/region.h"
#include "tracer/record/settings.h"
#include "tracer/record/stream.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct dispatcher *dispatcher;
static struct recorder recorder;

// Clock offsets by ping-pong (Cristian's method): rank 0 exchanges N_ROUNDS messages with the first
// rank of each other clock domain, one domain after the other; the round with the shortest round
// trip gives the offset, half its round trip bounds the error.

#define N_ROUNDS    50
#define TAG         1
#define MAX_DOMAINS 65536 // further nodes keep their clocks as they are

static MPI_Comm sync_comm = MPI_COMM_NULL; // private: no wildcard receive of the program sees us
static int leaders[MAX_DOMAINS];           // first ranks of the clock domains; leaders[0] is 0
static int n_leaders;
static int own_rank;

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325U; // FNV-1a
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3U;
    return hash;
}

static void find_leaders(const uint64_t *domains, int n_ranks)
{
    n_leaders = 0;
    for (int i = 0; i < n_ranks && n_leaders < MAX_DOMAINS; i++) {
        int known = 0;
        while (known < n_leaders && domains[leaders[known]] != domains[i])
            known++;
        if (known == n_leaders)
            leaders[n_leaders++] = i;
    }
}

/// Collective over MPI_COMM_WORLD, at the end of MPI_Init, where not all ranks share a clock: finds
/// out which do, by their `domain`. Without it nothing is communicated later. `domains` has room
/// for those of all ranks.
static void sync_init(uint64_t domain, uint64_t *domains)
{
    int n_ranks = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    PMPI_Allgather(&domain, 8, MPI_BYTE, domains, 8, MPI_BYTE, MPI_COMM_WORLD);
    find_leaders(domains, n_ranks);
    PMPI_Comm_dup(MPI_COMM_WORLD, &sync_comm);
    PMPI_Comm_set_errhandler(sync_comm, MPI_ERRORS_RETURN);
}

static void answer(void)
{
    for (int i = 0; i < N_ROUNDS; i++) {
        uint64_t now_ns;
        PMPI_Recv(&now_ns, 8, MPI_BYTE, 0, TAG, sync_comm, MPI_STATUS_IGNORE);
        now_ns = clock_now_ns();
        PMPI_Send(&now_ns, 8, MPI_BYTE, 0, TAG, sync_comm);
    }
}

static struct spool_clock_offset ask(int other)
{
    struct spool_clock_offset best = {0, 0, UINT64_MAX};
    for (int i = 0; i < N_ROUNDS; i++) {
        uint64_t sent_ns = clock_now_ns();
        PMPI_Send(&sent_ns, 8, MPI_BYTE, other, TAG, sync_comm);
        uint64_t there_ns = 0;
        PMPI_Recv(&there_ns, 8, MPI_BYTE, other, TAG, sync_comm, MPI_STATUS_IGNORE);
        uint64_t half_ns = (clock_now_ns() - sent_ns) / 2;
        if (half_ns < best.error_ns) {
            best.error_ns = half_ns;
            best.time_ns = there_ns;
            best.offset_ns = (int64_t)(sent_ns + half_ns - there_ns);
        }
    }
    return best;
}

/// Collective: measures this process's offset to rank 0's clock into *offset. Only the first rank
/// of each clock domain measures and returns true; after the run its figures hold for all of them.
static bool sync_measure(struct spool_clock_offset *offset)
{
    if (sync_comm == MPI_COMM_NULL)
        return false;
    for (int i = 1; i < n_leaders; i++) {
        if (own_rank == 0) {
            struct spool_clock_offset measured = ask(leaders[i]);
            PMPI_Send(&measured, (int)sizeof measured, MPI_BYTE, leaders[i], TAG, sync_comm);
        } else if (own_rank == leaders[i]) {
            answer();
            PMPI_Recv(offset, (int)sizeof *offset, MPI_BYTE, 0, TAG, sync_comm, MPI_STATUS_IGNORE);
            return true;
        }
    }
    return false;
}

/// Returns how many bytes there were.
static size_t read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t n = 0;
    if (file) {
        n = fread(text, 1, size - 1, file);
        fclose(file);
    }
    text[n] = '\0';
    return n;
}

static void read_line(const char *path, char *text, size_t size)
{
    read_file(path, text, size);
    text[strcspn(text, "\n")] = '\0';
}

/// Processes of one kernel and one time namespace share CLOCK_MONOTONIC.
static void describe_clock_domain(char *text, size_t size)
{
    char boot_id[64];
    read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    if (boot_id[0] == '\0')
        gethostname(boot_id, sizeof boot_id - 1);
    char namespace[48] = "";
    if (readlink("/proc/self/ns/time", namespace, sizeof namespace - 1) < 0)
    namespace[0] = '\0';
    snprintf(text, size, "%s %s", boot_id, namespace);
}

static void describe_command(char *text, size_t size)
{
    size_t n = read_file("/proc/self/cmdline", text, size);
    for (size_t i = 0; i + 1 < n; i++)
        if (text[i] == '\0')
            text[i] = ' ';
}

/// When this process began, 0 if the system does not tell: the 20th word after the program's name,
/// which may itself hold spaces and parentheses.
static uint64_t read_process_start(void)
{
    char text[1024];
    read_line("/proc/self/stat", text, sizeof text);
    const char *word = strrchr(text, ')');
    for (int i = 0; i < 20 && word; i++)
        word = strchr(word + 1, ' ');
    return word ? strtoull(word, NULL, 10) : 0;
}

/// Where the launcher lets this process run; all zero if the system does not tell.
static void describe_cores(uint64_t *cores, size_t n_bytes)
{
    if (sched_getaffinity(0, n_bytes, (cpu_set_t *)cores) != 0)
        memset(cores, 0, n_bytes);
}

/// Whose MPI it is: of libraries with the binary interface of MPI 5, only their own words tell.
static const char *implementation(const char *version)
{
    bool is_of_any = strcmp(RECORDER_MPI, "mpi_abi") == 0;
    if (is_of_any && strncmp(version, "Open MPI", 8) == 0)
        return "openmpi";
    return is_of_any && strncmp(version, "MPICH", 5) == 0 ? "mpich" : RECORDER_MPI;
}

/// Bytes of the first line of TEXT, MOST at most.
static size_t line_bytes(const char *text, size_t most)
{
    size_t n = strcspn(text, "\n");
    return n < most ? n : most;
}

/// What the library says of itself: its first line, and that of MPICH's device, on which most of
/// its settings depend.
static void describe_library(struct spool_header *facts)
{
    static const char line[] = "\nMPICH Device:";
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    PMPI_Get_library_version(version, &length);
    const char *device = strstr(version, line);
    device = device ? device + sizeof line - 1 : "";
    device += strspn(device, " \t");
    snprintf(facts->mpi, sizeof facts->mpi, "%s", implementation(version));
    snprintf(facts->mpi_version, sizeof facts->mpi_version, "%.*s%s%.*s",
             (int)line_bytes(version, 400), version, *device ? ", device " : "",
             (int)line_bytes(device, 80), device);
}

static void describe_process(struct spool_header *facts, int rank, int n_ranks, int level)
{
    ssize_t n;
    facts->rank = (uint32_t)rank;
    facts->n_ranks = (uint32_t)n_ranks;
    facts->pid = (uint32_t)getpid();
    facts->process_start = read_process_start();
    gethostname(facts->host, sizeof facts->host - 1);
    describe_cores(facts->cores, sizeof facts->cores);
    describe_clock_domain(facts->clock_domain, sizeof facts->clock_domain);
    describe_library(facts);
    n = readlink("/proc/self/exe", facts->executable, sizeof facts->executable - 1);
    facts->executable[n > 0 ? n : 0] = '\0';
    describe_command(facts->command, sizeof facts->command);
    facts->clock_ns = clock_now_ns();
    facts->realtime_ns = clock_read_ns(CLOCK_REALTIME);
    tables_set_threaded(level == MPI_THREAD_MULTIPLE);
}

static void say_cannot_record(int rank, int error)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    fprintf(
        stderr,
        "pagoda: rank %d on %s cannot record in %s (%s%s): tracing is off, the program runs on\n",
        rank, host, dispatcher->spool_dir, strerror(error),
        error == ENOENT ? "; choose a folder that all nodes share, with -o" : "");
}

/// Collective: all processes record, or none, for a partial archive of a whole run would mislead.
/// Also whether all have the same clock `domain`. One operation for both: where ranks share cores,
/// each may take time slices.
static bool all_can_record(int error, uint64_t domain, bool *has_one_clock)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    uint64_t own[] = {(uint64_t)(uint32_t)error << 32 | (UINT32_MAX - (uint32_t)rank), domain,
                      ~domain};
    uint64_t most[3] = {
        0}; // an error and the lowest rank that has it; the last domain; the first one
    PMPI_Allreduce(own, most, 3, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    *has_one_clock = most[1] == ~most[2];
    if (own[0] == most[0] && error != 0)
        say_cannot_record(rank, error);
    return most[0] >> 32 == 0;
}

/// Whether all processes record; then clocks have been compared.
static bool agree(struct stream *stream, int error, uint64_t domain, uint64_t *domains)
{
    bool has_one_clock;
    if (!all_can_record(error, domain, &has_one_clock))
        return false;
    bool leads_node = stream->header->rank == 0;
    if (!has_one_clock)
        sync_init(domain, domains);
    for (int i = 1; i < n_leaders; i++) // of clocks, and so of nodes
        leads_node |= leaders[i] == own_rank;
    if (leads_node)
        counters_lead_node();
    if (sync_measure(&stream->header->clock_offsets[0]))
        stream->header->n_clock_offsets = 1;
    return true;
}

static uint64_t session_run_id; // 0: no session was begun before MPI_Init

/// Opens the file of the calling thread, unless a session was begun before MPI_Init.
static int open_file(struct stream *stream, const struct spool_header *facts)
{
    if (stream->in_file)
        return 0;
    stream_set_facts(facts);
    bus_error_catch();
    return stream_to_file(stream);
}

/// MPI is up: opens the file of this thread, which is in MPI_Init.
static void process_started(struct stream *stream)
{
    struct spool_header facts = {0};
    int rank = 0, n_ranks = 0, level = MPI_THREAD_SINGLE;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    PMPI_Query_thread(&level);
    describe_process(&facts, rank, n_ranks, level);
    uint64_t own_ids[] = {session_run_id,
                          rank == 0 ? facts.realtime_ns / 1000 << 16 ^ facts.pid : 0};
    uint64_t ids[2] = {0};
    PMPI_Allreduce(own_ids, ids, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    facts.run_id = ids[0] != 0 ? ids[0] : ids[1];
    uint64_t *domains = malloc(facts.n_ranks * sizeof *domains);
    int error = open_file(stream, &facts);
    if (error == 0 && !domains)
        error = ENOMEM;
    if (!agree(stream, error, hash_of(facts.clock_domain), domains)) {
        if (stream->header)
            stream->header->refused = 1;
        stream_stop_process();
    }
    free(domains);
}

/// The first session is begun: the same without the other processes. They all must come to the same
/// run number, so it is that of the launcher's job. Two launches of one job that share a folder
/// have files of the same names; the second one does not record then.
static void session_process_started(struct stream *stream, MPI_Group world)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID"};
    struct spool_header facts = {0};
    int rank = 0, n_ranks = 0;
    PMPI_Group_rank(world, &rank);
    PMPI_Group_size(world, &n_ranks);
    describe_process(&facts, rank, n_ranks, MPI_THREAD_MULTIPLE);
    session_run_id = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        session_run_id = session_run_id * 31 + (value ? hash_of(value) : 0);
    }
    session_run_id |= 1;
    facts.run_id = session_run_id;
    int error = open_file(stream, &facts);
    if (error == 0 && rank == 0)
        counters_lead_node();
    if (error == 0)
        return;
    if (rank == 0)
        say_cannot_record(rank, error);
    stream_stop_process();
}

extern char **environ;

/// The variables that are to become properties of the archive.
static void write_environment(struct stream *stream)
{
    char name[256];
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        if (length >= sizeof name || (*entry)[length] != '=')
            continue;
        memcpy(name, *entry, length);
        name[length] = '\0';
        if (settings_keep_variable(name))
            stream_write_name(stream, RECORD_VARIABLE, 0, *entry);
    }
}

/// Completes the call that began MPI, MPI_Init or a session's: its details follow its record in the
/// file.
static void init_returned(struct call *call, int result, MPI_Group sessions_world)
{
    bool is_session = sessions_world != MPI_GROUP_NULL;
    if (result == MPI_SUCCESS && is_session)
        session_process_started(call->stream, sessions_world);
    else if (result == MPI_SUCCESS)
        process_started(call->stream);
    if (call->stream->stopped)
        return;
    call_returned(call);
    if (result == MPI_SUCCESS) {
        comm_table_init(call->stream, sessions_world);
        if (!is_session)
            coll_done_on(call, 0, COLL_CREATE_HANDLE);
        if (call->stream->header && call->stream->header->rank == 0)
            write_environment(call->stream);
        module_write_list(call->stream);
        if (call->stream->header)
            process_time_core_use(&call->stream->header->core_use[0]);
    }
    call_leave(call);
}

static bool has_started; // MPI_Init was called

/// MPI_Init, or the begin of the first session, is over: what the settings say about recording
/// holds from now on.
static void started(struct call *call, bool recorded, int result, MPI_Group sessions_world)
{
    has_started = has_started || sessions_world == MPI_GROUP_NULL;
    if (recorded)
        init_returned(call, result, sessions_world);
    recording_hold(false, clock_now_ns());
    if (!recorded || call->stream->stopped)
        return;
    recording_mpi_started(call->leave_ns);
    if (pagoda_dispatch_thread.inside == 0)
        recording_check(call->stream, call->leave_ns);
}

WRAP(MPI_Init)(int *argc, char ***argv)
{
    recording_hold(true, clock_now_ns());
    struct call call;
    bool recorded = call_enter(&call, FN_MPI_Init);
    int result = next_MPI_Init(argc, argv);
    started(&call, recorded, result, MPI_GROUP_NULL);
    return result;
}

WRAP(MPI_Init_thread)(int *argc, char ***argv, int required, int *provided)
{
    recording_hold(true, clock_now_ns());
    struct call call;
    bool recorded = call_enter(&call, FN_MPI_Init_thread);
    int result = next_MPI_Init_thread(argc, argv, required, provided);
    started(&call, recorded, result, MPI_GROUP_NULL);
    return result;
}

WRAP(MPI_Finalize)(void)
{
    recording_hold(true, clock_now_ns());
    struct call call;
    bool recorded = call_enter(&call, FN_MPI_Finalize);
    struct spool_clock_offset offset;
    if (recorded && call.stream->header)
        process_time_core_use(&call.stream->header->core_use[1]);
    // Also where this process has stopped recording: the others wait for it.
    if (sync_measure(&offset) && recorded) {
        call.stream->header->clock_offsets[1] = offset;
        call.stream->header->n_clock_offsets = 2;
    }
    int result = next_MPI_Finalize();
    recording_hold(false, clock_now_ns());
    if (!recorded)
        return result;
    call_returned(&call);
    if (result == MPI_SUCCESS) {
        coll_done_on(&call, 0, COLL_DESTROY_HANDLE);
        module_write_list(call.stream);
        if (call.stream->header)
            call.stream->header->finalized = 1;
    }
    call_leave(&call);
    return result;
}

#ifdef MPI_SESSION_NULL
// Sessions of a program that has not called MPI_Init. What is recorded of communicators needs the
// group of all processes while one of them is open, so the tracer then has a session of its own.

static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;
static int n_sessions; // of the program
static MPI_Session own_session = MPI_SESSION_NULL;
static MPI_Group own_world = MPI_GROUP_NULL;

static bool begin_own_session(void)
{
    return PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own_session) == MPI_SUCCESS &&
           PMPI_Group_from_session_pset(own_session, "mpi://WORLD", &own_world) == MPI_SUCCESS;
}

WRAP(MPI_Session_init)(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    struct call call;
    pthread_mutex_lock(&sessions_lock);
    bool is_first = !has_started && n_sessions == 0;
    if (is_first)
        recording_hold(true, clock_now_ns());
    bool recorded = call_enter(&call, FN_MPI_Session_init);
    int result = next_MPI_Session_init(info, errhandler, session);
    n_sessions += result == MPI_SUCCESS;
    if (is_first && result == MPI_SUCCESS && recorded && begin_own_session()) {
        started(&call, recorded, result, own_world);
    } else {
        if (is_first)
            recording_hold(false, clock_now_ns());
        if (recorded) {
            call_returned(&call);
            call_leave(&call);
        }
    }
    pthread_mutex_unlock(&sessions_lock);
    return result;
}

WRAP(MPI_Session_finalize)(MPI_Session *session)
{
    struct call call;
    pthread_mutex_lock(&sessions_lock);
    bool is_last = --n_sessions == 0 && own_session != MPI_SESSION_NULL;
    if (is_last)
        recording_hold(true, clock_now_ns());
    bool recorded = call_enter(&call, FN_MPI_Session_finalize);
    if (is_last && recorded && call.stream->header)
        process_time_core_use(&call.stream->header->core_use[1]);
    if (is_last) {
        PMPI_Group_free(&own_world);
        PMPI_Session_finalize(&own_session);
    }
    int result = next_MPI_Session_finalize(session);
    if (is_last)
        recording_hold(false, clock_now_ns());
    if (recorded) {
        call_returned(&call);
        if (is_last && result == MPI_SUCCESS) {
            module_write_list(call.stream);
            if (call.stream->header)
                call.stream->header->finalized = 1;
        }
        call_leave(&call);
    }
    pthread_mutex_unlock(&sessions_lock);
    return result;
}
#endif

__attribute__((visibility("default"))) const struct recorder *
pagoda_recorder_attach(const struct dispatcher *from);

const struct recorder *pagoda_recorder_attach(const struct dispatcher *from)
{
    if (from->version != DISPATCH_VERSION)
        return NULL;
    dispatcher = from;
    settings_read(from->spool_dir);
    filter_init();
    recording_init();
    callstack_init(settings.call_stack);
    stream_start_process(from->spool_dir, recording_thread_ends);
    if (!stream_of_thread)
        return NULL;
    for (int i = 0; i < N_MPI_FUNCTIONS; i++) {
        *wrappers[i].next = from->next(wrappers[i].name);
        if (*wrappers[i].next &&
            !(wrappers[i].enter_leave_only && filter_excludes_mpi(wrappers[i].name)))
            from->publish(wrappers[i].name, wrappers[i].wrap, (uint32_t)i);
    }
    process_time_read(stream_of_thread, clock_now_ns(), true);
    stream_of_thread->left_ns = stream_of_thread->cpu_read_at_ns;
    recorder = region_recorder;
    recorder.language_enter = call_language_enter;
    recorder.language_leave = call_language_leave;
    recorder.openmp = &openmp_recorder;
    recorder.files = file_recorder_start();
    recorder.threads = thread_recorder_start();
    return &recorder;
}
