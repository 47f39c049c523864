// SPDX-License-Identifier: BSD-3-Clause
// Makes archives of spoiled records (tracer/finish/), with what the finisher promises of them:
// whatever is wrong in one file, an archive is written, and it can be read.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "tests/fuzz/fuzz.h"
#include "tests/tools/lib/scratch.h"
#include "tracer/finish/run.h"
#include "tracer/record/counters.h"

// ---- records of every kind

enum { N_RANKS = 2, STEP_NS = 1000 };

static uint64_t now_ns;
static uint32_t slot; // of the group of children; what is wrong in it once led astray

static uint64_t next_ns(void)
{
    return now_ns += STEP_NS;
}

/// Appends RECORD, of SIZE_BYTES, with TAIL after it, rounded up to whole words.
static void put_record(FILE *out, const void *record, size_t size_bytes, const void *tail,
                       size_t tail_bytes)
{
    static const char zeros[8];
    struct record_head head;
    size_t all_bytes = (size_bytes + tail_bytes + 7) / 8 * 8;
    memcpy(&head, record, sizeof head);
    head.n_words = (uint16_t)(all_bytes / 8);
    fwrite(&head, sizeof head, 1, out);
    fwrite((const char *)record + sizeof head, size_bytes - sizeof head, 1, out);
    fwrite(tail, 1, tail_bytes, out);
    fwrite(zeros, 1, all_bytes - size_bytes - tail_bytes, out);
}

/// Appends a struct record_STRUCTURE with these fields, and after it a TAIL of TAIL_BYTES.
#define PUT_WITH(out, structure, tail, tail_bytes, kind, id, ...)                                  \
    put_record(out, &(struct record_##structure){.head = {RECORD_##kind, 0, id}, __VA_ARGS__},     \
               sizeof(struct record_##structure), tail, tail_bytes)
#define PUT(out, structure, kind, id, ...) PUT_WITH(out, structure, "", 0, kind, id, __VA_ARGS__)
#define PUT_TEXT(out, structure, text, kind, id, ...)                                              \
    PUT_WITH(out, structure, text, strlen(text) + 1, kind, id, __VA_ARGS__)
#define PUT_HEAD(out, kind, id)                                                                    \
    put_record(out, &(struct record_head){RECORD_##kind, 0, id}, sizeof(struct record_head), "", 0)
#define PUT_CALL(out, id)                                                                          \
    PUT(out, call, CALL, id, .enter_ns = next_ns(), .leave_ns = now_ns + STEP_NS / 2,              \
        .site = 0x401100 + id)

// Numbers of MPI functions, files, communicators.
enum { INIT, SEND, ISEND, RECEIVE, WAIT, REDUCE, WINDOW, FILES, SPAWN, FINALIZE, N_FUNCTIONS };
enum { MPI_FILE = 1, LIBRARY_FILE };
enum { WORLD, SELF, DUPLICATE, REGULAR, LISTED, RMA, CHILDREN };

static void put_functions(FILE *out)
{
    static const char *const functions[N_FUNCTIONS] = {
        "MPI_Init",  "MPI_Send",         "MPI_Isend",      "MPI_Recv",       "MPI_Wait",
        "MPI_Bcast", "MPI_Win_complete", "MPI_File_write", "MPI_Comm_spawn", "MPI_Finalize"};
    for (uint32_t i = 0; i < N_FUNCTIONS; i++)
        PUT_TEXT(out, name, functions[i], FUNCTION, i);
}

static void put_definitions(FILE *out)
{
    PUT_TEXT(out, name, "phase", NAME, 1);
    PUT_TEXT(out, name, "OMP_NUM_THREADS=2", VARIABLE, 0);
    PUT_TEXT(out, name, "OMP_a.b=1", VARIABLE, 0); // OTF2 takes no such name,
    PUT_TEXT(out, name, "=2", VARIABLE, 0);        // nor this one
    PUT_TEXT(out, module, "/bin/true", MODULE, 0, .time_ns = now_ns, .base = 0x400000,
             .start = 0x401000, .end = 0x480000);
    PUT_TEXT(out, module, "", MODULE, 0, .time_ns = now_ns, .base = 0x500000, .start = 0x500000,
             .end = 0x580000);
    PUT_WITH(out, stack, ((const uint64_t[]){0x401200, 0x501300}), 16, STACK, 1);
    PUT_TEXT(out, line, "main\nrun.py", LINE, 1, .line = 9, .first_line = 1);
    PUT_TEXT(out, line, "solve\nrun.py", LINE, 2, .line = 4, .first_line = 3, .caller = 1);
    PUT(out, comm, COMM, WORLD, .parent = RECORD_NO_COMM, .flags = RECORD_COMM_AS_PARENT,
        .n_local = N_RANKS);
    PUT(out, comm, COMM, SELF, .parent = RECORD_NO_COMM, .flags = RECORD_COMM_AS_PARENT,
        .n_local = 1);
    PUT(out, comm, COMM, DUPLICATE, .flags = RECORD_COMM_AS_PARENT, .n_local = N_RANKS);
    PUT_WITH(out, comm, ((const int32_t[]){1, 0}), 8, COMM, REGULAR, .flags = RECORD_COMM_REGULAR,
             .n_local = N_RANKS);
    PUT_WITH(out, comm, ((const int32_t[]){0, 1}), 8, COMM, LISTED, .flags = RECORD_COMM_INTER,
             .n_local = 1, .n_remote = 1);
    PUT(out, comm, COMM, RMA, .parent = DUPLICATE,
        .flags = RECORD_COMM_WINDOW | RECORD_COMM_AS_PARENT, .n_local = N_RANKS);
    PUT_TEXT(out, name, "pair", COMM_NAME, DUPLICATE);
    PUT_TEXT(out, file, "out.dat", FILE, MPI_FILE, .comm = WORLD, .paradigm = RECORD_MPI_IO);
    PUT_TEXT(out, file, "log", FILE, LIBRARY_FILE, .comm = RECORD_NO_COMM,
             .paradigm = RECORD_POSIX);
}

static void put_messages(FILE *out, int32_t peer)
{
    PUT_CALL(out, SEND);
    PUT(out, message, SEND, WORLD, .peer = peer, .tag = 7, .n_bytes = 100);
    PUT_WITH(out, call, &(const uint64_t){1}, 8, CALL, ISEND, .enter_ns = next_ns(),
             .leave_ns = now_ns + 1, .site = 0x401300); // with its callers: stack 1
    PUT(out, message, ISEND, DUPLICATE, .peer = peer, .tag = 8, .n_bytes = 10, .request = 1);
    PUT(out, call, CALL, RECEIVE, .enter_ns = next_ns(), .leave_ns = now_ns + 1,
        .site = RECORD_LINE_SITE + 2);
    PUT(out, message, IRECV_POST, DUPLICATE, .peer = RECORD_ANY, .tag = RECORD_ANY, .request = 2);
    PUT_WITH(out, counters, ((const uint64_t[]){2, 3}), 16, COUNTERS, COUNTERS_OF_LEAVE);
    PUT(out, cpu, CPU, 0, .time_ns = now_ns + 1, .cpu_ns = 5, .core_wait_ns = 1);
    PUT_CALL(out, RECEIVE);
    PUT(out, message, RECV, WORLD, .peer = peer, .tag = 7, .n_bytes = 100);
    PUT_CALL(out, WAIT);
    PUT(out, poll, POLL, 0, .count = 3, .inside_ns = 30, .request = 2);
    PUT(out, request, ISEND_DONE, 0, .request = 1);
    PUT(out, message, IRECV, DUPLICATE, .peer = peer, .tag = 8, .n_bytes = 10, .request = 2);
    PUT(out, request, CANCELLED, 0, .request = 3);
    PUT_CALL(out, REDUCE);
    PUT(out, message, SEND, REGULAR, .peer = 0, .tag = RECORD_TAG_NEIGHBOR, .n_bytes = 8);
    PUT(out, collective, COLLECTIVE, LISTED, .operation = 1, .root = RECORD_ROOT_SELF,
        .sent_bytes = 8, .is_in_place = 1);
    PUT_CALL(out, REDUCE);
    PUT(out, request, ICOLL_POST, WORLD, .request = 4);
    PUT_CALL(out, WAIT);
    PUT(out, collective, ICOLL, WORLD, .operation = 9, .root = RECORD_NO_ROOT, .sent_bytes = 8,
        .received_bytes = 8, .request = 4);
    PUT(out, skipped, SKIPPED, WORLD, .peer = peer, .tag = 7, .kind = RECORD_SEND, .n = 2);
}

static void put_windows(FILE *out, int32_t peer)
{
    PUT_CALL(out, WINDOW);
    PUT(out, collective, COLLECTIVE, RMA, .operation = 21, .root = RECORD_NO_ROOT); // creation
    PUT_CALL(out, WINDOW);
    PUT(out, lock, LOCK, RMA, .target = peer, .is_exclusive = 1);
    for (uint32_t operation = RECORD_PUT; operation <= RECORD_ATOMIC; operation++)
        PUT(out, access, ACCESS, RMA, .target = peer, .operation = operation, .sent_bytes = 8,
            .received_bytes = 8 * (operation > RECORD_PUT), .request = 5 * (operation % 2));
    PUT(out, request, ACCESS_DONE, RMA, .request = 5);
    PUT(out, flush, FLUSH, RMA, .target = RECORD_ALL_TARGETS, .is_local = 1);
    PUT(out, lock, UNLOCK, RMA, .target = peer);
    PUT_CALL(out, WINDOW);
    PUT_WITH(out, epoch, ((const int32_t[]){0, 1}), 8, EPOCH, RMA, .n = 2);
    PUT_CALL(out, WINDOW);
    PUT(out, epoch, EPOCH, RMA, .is_end = 1);
}

static void put_files(FILE *out)
{
    const uint32_t mine = RECORD_FILE_ID(MPI_FILE, 0);
    PUT_CALL(out, FILES);
    PUT(out, file_open, FILE_OPEN, mine, .access = 1, .creation = 1);
    PUT(out, file_done, FILE_DONE, RECORD_FILE_ID(MPI_FILE, 1 | RECORD_FILE_COLLECTIVE),
        .asked_bytes = 8, .n_bytes = 8);
    PUT(out, file_operation, FILE_BEGIN, RECORD_FILE_ID(MPI_FILE, 1), .n_bytes = 8, .number = 1);
    PUT(out, file_operation, FILE_END, mine, .n_bytes = 8, .number = 1);
    PUT_HEAD(out, FILE_CLOSE, mine);
    PUT(out, file_opened, FILE_OPENED, RECORD_FILE_ID(LIBRARY_FILE, FILE_open),
        .enter_ns = next_ns(), .leave_ns = now_ns + 1, .access = 1, .creation = 1);
    PUT(out, file_call, FILE_CALL, RECORD_FILE_ID(LIBRARY_FILE, FILE_write), .time_ns = next_ns(),
        .asked_bytes = 9);
    PUT(out, file_call_leave, FILE_CALL_LEAVE, RECORD_FILE_ID(LIBRARY_FILE, FILE_write),
        .time_ns = next_ns(), .n_bytes = 9);
    PUT(out, file_seek, FILE_SEEK, RECORD_FILE_ID(LIBRARY_FILE, FILE_lseek), .enter_ns = next_ns(),
        .leave_ns = now_ns + 1, .offset = -4, .result = 5, .whence = 1);
}

static void put_threads(FILE *out)
{
    PUT(out, time, FORK, 2, .time_ns = next_ns());
    PUT(out, team, TEAM_BEGIN, 1, .time_ns = next_ns(), .site = 0x401400);
    PUT(out, function_event, CONSTRUCT_ENTER, OPENMP_LOOP, .time_ns = next_ns(),
        .address = 0x401410);
    PUT(out, time, CONSTRUCT_LEAVE, OPENMP_LOOP, .time_ns = next_ns());
    PUT(out, time, TEAM_END, 1, .time_ns = next_ns());
    PUT(out, time, JOIN, 0, .time_ns = next_ns());
    PUT(out, thread_done, THREAD_DONE, THREAD_pthread_create, .enter_ns = next_ns(),
        .leave_ns = now_ns + 1, .site = 0x401500, .object = 1, .order = 1);
    PUT(out, thread_call, THREAD_CALL, THREAD_pthread_mutex_lock, .time_ns = next_ns(),
        .object = 0x700000);
    PUT(out, thread_call_leave, THREAD_CALL_LEAVE, THREAD_pthread_mutex_lock, .time_ns = next_ns(),
        .object = 0x700000, .order = 1);
    PUT(out, thread_call, THREAD_CALL, THREAD_pthread_barrier_wait, .time_ns = next_ns(),
        .object = 0x700040);
    PUT(out, thread_call_leave, THREAD_CALL_LEAVE, THREAD_pthread_barrier_wait,
        .time_ns = next_ns());
    PUT(out, time, THREAD_BEGIN, 1, .time_ns = next_ns());
}

static void put_regions(FILE *out)
{
    const struct {
        uint64_t name;
        double value;
    } parameter = {1, 2.5};
    PUT(out, function_event, ENTER, 0, .time_ns = next_ns(), .address = 0x401600);
    PUT(out, time, REGION_BEGIN, 1, .time_ns = next_ns());
    PUT_WITH(out, marker, &parameter, sizeof parameter, MARKER, 1, .time_ns = next_ns(), .n = 1);
    PUT(out, time, REGION_END, 1, .time_ns = next_ns());
    PUT(out, function_event, LEAVE, 0, .time_ns = next_ns(), .address = 0x401600);
    PUT_WITH(out, counters, ((const uint64_t[]){5, 7}), 16, COUNTERS, COUNTERS_OF_NEXT);
    PUT(out, time, OFF, 0, .time_ns = next_ns());
    PUT(out, time, ON, 0, .time_ns = next_ns());
}

/// The two sides of MPI_Comm_spawn, or of MPI_Init where PARENTS are met.
static void put_meeting(FILE *out, uint32_t function, uint32_t n_own, uint32_t n_others,
                        uint32_t flags)
{
    static const int32_t members[] = {0, 1, RECORD_FOREIGN_MEMBER(0, 0)};
    static const int32_t parents[] = {0, RECORD_FOREIGN_MEMBER(0, 0), RECORD_FOREIGN_MEMBER(0, 1)};
    PUT(out, call, CALL, function, .enter_ns = next_ns(), .leave_ns = now_ns + STEP_NS);
    PUT_WITH(out, comm, flags ? parents : members, sizeof members, COMM, CHILDREN,
             .parent = RECORD_NO_COMM, .flags = RECORD_COMM_INTER | RECORD_COMM_FOREIGN | flags,
             .n_local = n_own, .n_remote = n_others, .foreign = slot);
}

// ---- files

static struct spool_header header_of(uint64_t run_id, uint32_t rank, uint32_t n_ranks)
{
    struct spool_header header = {.version = SPOOL_VERSION,
                                  .chunk_bytes = 65536,
                                  .run_id = run_id,
                                  .rank = rank,
                                  .n_ranks = n_ranks,
                                  .clock_ns = STEP_NS,
                                  .realtime_ns = UINT64_C(1700000000000000000) + STEP_NS,
                                  .n_clock_offsets = 2,
                                  .finalized = 1,
                                  .clock_offsets = {{STEP_NS, 0, 10}, {90 * STEP_NS, rank, 10}},
                                  .core_use = {{2 * STEP_NS, 0, 0, 0}, {80 * STEP_NS, 9, 9, 1}},
                                  .counters = 5,
                                  .cores = {3},
                                  .host = "node",
                                  .clock_domain = "boot",
                                  .mpi = "openmpi",
                                  .mpi_version = "4",
                                  .executable = "/bin/true",
                                  .command = "run 1",
                                  .counter_notes = "cycles is not counted\n"};
    memcpy(header.magic, SPOOL_MAGIC, sizeof header.magic);
    return header;
}

/// The records of a rank of the parents, or the only one of the children.
static void put_rank(FILE *out, uint32_t rank, bool is_child)
{
    now_ns = STEP_NS;
    put_functions(out);
    if (is_child) {
        now_ns = 80 * STEP_NS;
        put_meeting(out, INIT, 1, N_RANKS, RECORD_COMM_PARENTS);
        return;
    }
    put_definitions(out);
    PUT_CALL(out, INIT);
    put_messages(out, (int32_t)(1 - rank));
    put_windows(out, (int32_t)(1 - rank));
    put_files(out);
    put_threads(out);
    put_regions(out);
    now_ns = 79 * STEP_NS;
    put_meeting(out, SPAWN, N_RANKS, 1, 0);
    PUT_CALL(out, FINALIZE);
}

/// A file of HEADER, at its full length or as it is, and the records of that rank.
static char *spool_of(struct spool_header header, bool is_child, bool is_full, size_t *size_bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size_bytes);
    fwrite(&header, sizeof header, 1, out);
    for (size_t i = sizeof header; i < SPOOL_HEADER_BYTES && is_full; i++)
        putc(0, out);
    put_rank(out, header.rank, is_child);
    fclose(out);
    return text;
}

static void write_spool(const char *folder, const char *name, struct spool_header header,
                        bool is_child, bool is_full)
{
    size_t size_bytes;
    SCOPED char *path = memory_format("%s/%s", folder, name);
    SCOPED char *text = spool_of(header, is_child, is_full, &size_bytes);
    scratch_write(path, text, size_bytes);
}

void fuzz_spools_write(const char *path)
{
    static const char facts[] = "PAGODA::COMMAND=run 1\0LOST\0";
    SCOPED char *facts_path = memory_format("%s/facts", path);
    mkdir(path, 0777);
    write_spool(path, "input", header_of(1, 0, N_RANKS), false, false);
    slot = 1 << 20;
    write_spool(path, "input-slot", header_of(1, 0, N_RANKS), false, false);
    slot = 0;
    write_spool(path, "1" SPOOL_SUFFIX, header_of(1, 1, N_RANKS), false, true);
    write_spool(path, "2" SPOOL_SUFFIX, header_of(2, 0, 1), true, true);
    scratch_write(facts_path, facts, sizeof facts);
}

// ---- their archives

/// The header of a file takes more room than what is in it.
static void write_input(const char *folder)
{
    SCOPED char *input = memory_format("%s/input", folder),
                *path = memory_format("%s/0.spool", folder);
    size_t size_bytes, head = sizeof(struct spool_header);
    SCOPED char *text = scratch_read(input, &size_bytes);
    head = size_bytes < head ? size_bytes : head;
    SCOPED char *full = memory_zeroed(SPOOL_HEADER_BYTES + size_bytes, 1);
    memcpy(full, text, head);
    memcpy(full + SPOOL_HEADER_BYTES, text + head, size_bytes - head);
    scratch_write(path, full, SPOOL_HEADER_BYTES + size_bytes - head);
}

/// Writes the archive of a run, and reads it. 0 when both can be done.
static int check_run(const struct worlds *worlds, uint32_t root, const char *folder,
                     struct error *err)
{
    const struct record_costs costs = {0};
    char *archive = memory_format("%s/archive", folder), *facts = memory_format("%s/facts", folder);
    struct run run;
    mkdir(archive, 0777);
    run_init(&run, worlds, root);
    int result = run_write(&run, &costs, archive, facts) ? 0 : 1;
    if (result != 0)
        fprintf(stderr, "fuzz: cannot write an archive: %s\n", run.archive.error);
    else if ((result = fuzz_archive(archive, NULL, err)) != 0)
        fprintf(stderr, "fuzz: cannot read what was written: %s\n", err->text);
    err->text[0] = '\0';
    run_release(&run);
    scratch_remove(archive);
    free(facts);
    return result;
}

int fuzz_spools(const char *path, char *text, struct error *err)
{
    struct spool_set set;
    struct worlds worlds;
    int result = 0;
    static char counter[] = "max-rss";
    struct settings kept = settings;
    (void)text;
    write_input(path);
    if (spool_set_load(&set, path) != 0)
        return 1;
    for (settings.n_counters = 0; settings.n_counters < 3;) // as the records have
        settings.counters[settings.n_counters++] = counter;
    worlds_find(&worlds, &set);
    for (uint32_t i = 0; i < worlds.n && result == 0; i++)
        if (worlds.items[i].root == i && !world_is_damaged(&worlds.items[i]))
            result = check_run(&worlds, i, path, err);
    worlds_release(&worlds);
    spool_set_release(&set);
    settings = kept;
    return result;
}
