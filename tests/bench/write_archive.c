// SPDX-License-Identifier: BSD-3-Clause
// write_archive KIND RANKS STEPS DIRECTORY: writes DIRECTORY/traces.otf2, the trace of an imagined
// program, for the benchmarks. KIND is
//   ring    each step: compute, send to the right, receive from the left (whose computing varies,
//   so
//           that somebody waits), and an allreduce in each tenth step
//   sites   the same, and each MPI call says from where it is called
//   phases  the same, computing in another function each step, of which the higher ranks have more,
//           on two nodes
//   fan-in  all ranks only send, rank 0 only receives, some steps behind them
//   collect each step: compute, then a broadcast, a gather to rank 0, a scan or an allreduce in
//   turn
// Times are arithmetic, no random numbers: the same call writes the same archive.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

enum { TEXT_EMPTY, TEXT_MPI, TEXT_CALL_SITE, TEXT_FILE, TEXT_FIRST_REGION };
enum { ATTRIBUTE_CALL_SITE };
enum {
    REGION_MAIN,
    REGION_INIT,
    REGION_FINALIZE,
    REGION_COMPUTE,
    REGION_SEND,
    REGION_RECV,
    REGION_ALLREDUCE,
    REGION_BCAST,
    REGION_GATHER,
    REGION_SCAN,
    REGION_PHASE,
    N_PHASES = 12,
    N_REGIONS = REGION_PHASE + N_PHASES
};
enum kind { KIND_RING, KIND_PHASES, KIND_FAN_IN, KIND_COLLECT };

static const char *const region_names[N_REGIONS] = {
    "main",          "MPI_Init",  "MPI_Finalize", "compute",  "MPI_Send", "MPI_Recv",
    "MPI_Allreduce", "MPI_Bcast", "MPI_Gather",   "MPI_Scan", "phase-1",  "phase-2",
    "phase-3",       "phase-4",   "phase-5",      "phase-6",  "phase-7",  "phase-8",
    "phase-9",       "phase-10",  "phase-11",     "phase-12",
};
static const OTF2_RegionRole region_roles[N_REGIONS] = {
    OTF2_REGION_ROLE_FUNCTION,     OTF2_REGION_ROLE_FUNCTION,     OTF2_REGION_ROLE_FUNCTION,
    OTF2_REGION_ROLE_FUNCTION,     OTF2_REGION_ROLE_POINT2POINT,  OTF2_REGION_ROLE_POINT2POINT,
    OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_REGION_ROLE_COLL_ALL2ONE,
    OTF2_REGION_ROLE_COLL_OTHER,
};

static bool is_mpi(int region)
{
    return !strncmp(region_names[region], "MPI_", 4);
}

static void expect(OTF2_ErrorCode code, const char *what)
{
    if (code == OTF2_SUCCESS)
        return;
    fprintf(stderr, "write_archive: %s: %s\n", what, OTF2_Error_GetDescription(code));
    exit(1);
}

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool is_final)
{
    (void)data, (void)type, (void)location, (void)caller, (void)is_final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)data, (void)type, (void)location;
    return 0;
}

/// One rank's writer and its clock.
struct rank {
    OTF2_EvtWriter *writer;
    uint32_t id;
    uint64_t now_ns;
    OTF2_AttributeList *attributes; // NULL: calls do not say from where
};

static void enter(struct rank *rank, int region)
{
    bool has_site = rank->attributes && is_mpi(region);
    if (has_site) // a context for each function
        OTF2_AttributeList_AddCallingContextRef(rank->attributes, ATTRIBUTE_CALL_SITE,
                                                (OTF2_CallingContextRef)region);
    OTF2_EvtWriter_Enter(rank->writer, has_site ? rank->attributes : NULL, rank->now_ns,
                         (OTF2_RegionRef)region);
}

static void leave(struct rank *rank, int region)
{
    OTF2_EvtWriter_Leave(rank->writer, NULL, rank->now_ns, (OTF2_RegionRef)region);
}

static void call(struct rank *rank, int region, uint64_t duration_ns)
{
    enter(rank, region);
    rank->now_ns += duration_ns;
    leave(rank, region);
}

static void send(struct rank *rank, uint32_t receiver)
{
    enter(rank, REGION_SEND);
    OTF2_EvtWriter_MpiSend(rank->writer, NULL, rank->now_ns + 100, receiver, 0, 7, 1024);
    rank->now_ns += 400;
    leave(rank, REGION_SEND);
}

static void receive(struct rank *rank, uint32_t sender, uint64_t done_ns)
{
    enter(rank, REGION_RECV);
    rank->now_ns = done_ns > rank->now_ns + 200 ? done_ns : rank->now_ns + 200;
    OTF2_EvtWriter_MpiRecv(rank->writer, NULL, rank->now_ns - 50, sender, 0, 7, 1024);
    leave(rank, REGION_RECV);
}

/// Computing time of a rank in a step: uneven, known to everybody.
static uint64_t compute_ns(uint32_t rank, uint64_t step)
{
    return 1000 + 100 * ((rank * 7 + step * 13) % 11);
}

/// Step STEP begins for all ranks at the same time (the allreduce and the longest computing fit
/// in).
static void ring_step(struct rank *rank, uint32_t n_ranks, uint64_t begin_ns, uint64_t step,
                      bool has_phases)
{
    uint32_t left = (rank->id + n_ranks - 1) % n_ranks;
    uint64_t more_ns = has_phases ? 600 : 0; // of the highest rank
    rank->now_ns = begin_ns;
    call(rank, has_phases ? REGION_PHASE + (int)(step % N_PHASES) : REGION_COMPUTE,
         compute_ns(rank->id, step) + more_ns * rank->id / n_ranks);
    send(rank, (rank->id + 1) % n_ranks);
    receive(rank, left, begin_ns + compute_ns(left, step) + more_ns * left / n_ranks + 700);
    if (step % 10 != 9)
        return;
    enter(rank, REGION_ALLREDUCE);
    OTF2_EvtWriter_MpiCollectiveBegin(rank->writer, NULL, rank->now_ns);
    rank->now_ns = begin_ns + 4000;
    OTF2_EvtWriter_MpiCollectiveEnd(rank->writer, NULL, rank->now_ns - 10,
                                    OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_UNDEFINED_UINT32, 8, 8);
    leave(rank, REGION_ALLREDUCE);
}

/// Rank 0 is 20 steps behind the senders; the last ones find it in an otherwise empty program.
static void fan_in_step(struct rank *rank, uint32_t n_ranks, uint64_t begin_ns)
{
    if (rank->id) {
        rank->now_ns = begin_ns;
        call(rank, REGION_COMPUTE, compute_ns(rank->id, 0));
        send(rank, 0);
        return;
    }
    rank->now_ns = begin_ns + UINT64_C(20) * 5000 * n_ranks;
    for (uint32_t sender = 1; sender < n_ranks; sender++)
        receive(rank, sender, 0);
}

/// Step STEP begins for all ranks at the same time; each operation ends before the next step.
static void collect_step(struct rank *rank, uint32_t n_ranks, uint64_t begin_ns, uint64_t step)
{
    static const struct {
        int region;
        OTF2_CollectiveOp operation;
        bool has_root;
    } operations[] = {
        {REGION_BCAST, OTF2_COLLECTIVE_OP_BCAST, true},
        {REGION_GATHER, OTF2_COLLECTIVE_OP_GATHER, true},
        {REGION_SCAN, OTF2_COLLECTIVE_OP_SCAN, false},
        {REGION_ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, false},
    };
    size_t which = step % (sizeof operations / sizeof operations[0]);
    rank->now_ns = begin_ns;
    call(rank, REGION_COMPUTE, compute_ns(rank->id, step));
    enter(rank, operations[which].region);
    OTF2_EvtWriter_MpiCollectiveBegin(rank->writer, NULL, rank->now_ns);
    rank->now_ns = begin_ns + 3000 + 10 * (rank->id % n_ranks);
    OTF2_EvtWriter_MpiCollectiveEnd(rank->writer, NULL, rank->now_ns - 10,
                                    operations[which].operation, 0,
                                    operations[which].has_root ? 0 : OTF2_UNDEFINED_UINT32, 8, 8);
    leave(rank, operations[which].region);
}

static void write_events(OTF2_Archive *archive, uint32_t id, uint32_t n_ranks, uint64_t n_steps,
                         enum kind kind, bool has_sites, uint64_t *n_events)
{
    struct rank rank = {OTF2_Archive_GetEvtWriter(archive, id), id, 0,
                        has_sites ? OTF2_AttributeList_New() : NULL};
    uint64_t step_ns = kind != KIND_FAN_IN ? 5000 : UINT64_C(5000) * n_ranks;
    enter(&rank, REGION_MAIN);
    call(&rank, REGION_INIT, 1000);
    for (uint64_t step = 0; step < n_steps; step++) {
        uint64_t begin_ns = 10000 + step * step_ns;
        if (kind == KIND_RING || kind == KIND_PHASES)
            ring_step(&rank, n_ranks, begin_ns, step, kind == KIND_PHASES);
        else if (kind == KIND_FAN_IN)
            fan_in_step(&rank, n_ranks, begin_ns);
        else
            collect_step(&rank, n_ranks, begin_ns, step);
    }
    rank.now_ns += 100;
    call(&rank, REGION_FINALIZE, 1000);
    leave(&rank, REGION_MAIN);
    if (has_sites)
        OTF2_AttributeList_Delete(rank.attributes);
    OTF2_EvtWriter_GetNumberOfEvents(rank.writer, n_events);
    expect(OTF2_Archive_CloseEvtWriter(archive, rank.writer), "events");
    OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, id);
    expect(OTF2_Archive_CloseDefWriter(archive, local), "local definitions");
}

static void write_regions(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteString(writer, TEXT_EMPTY, "");
    OTF2_GlobalDefWriter_WriteString(writer, TEXT_MPI, "MPI");
    for (uint32_t region = 0; region < N_REGIONS; region++) {
        OTF2_StringRef name = TEXT_FIRST_REGION + region;
        OTF2_GlobalDefWriter_WriteString(writer, name, region_names[region]);
        OTF2_GlobalDefWriter_WriteRegion(
            writer, region, name, name, TEXT_EMPTY, region_roles[region],
            is_mpi((int)region) ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
            is_mpi((int)region) ? TEXT_MPI : TEXT_EMPTY, 0, 0);
    }
}

/// One place in main() for each function.
static void write_sites(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteString(writer, TEXT_CALL_SITE, "pagoda::call_site");
    OTF2_GlobalDefWriter_WriteString(writer, TEXT_FILE, "ring.c");
    OTF2_GlobalDefWriter_WriteAttribute(writer, ATTRIBUTE_CALL_SITE, TEXT_CALL_SITE, TEXT_EMPTY,
                                        OTF2_TYPE_CALLING_CONTEXT);
    for (uint32_t region = 0; region < N_REGIONS; region++) {
        OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, region, TEXT_FILE, 10 + region);
        OTF2_GlobalDefWriter_WriteCallingContext(writer, region, REGION_MAIN, region,
                                                 OTF2_UNDEFINED_CALLING_CONTEXT);
    }
}

static void write_definitions(OTF2_Archive *archive, uint32_t n_ranks, uint32_t n_nodes,
                              bool has_sites, const uint64_t *n_events)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
    uint64_t *members = calloc(n_ranks, sizeof *members);
    if (!members)
        exit(1);
    OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, UINT64_C(1) << 62,
                                              OTF2_UNDEFINED_TIMESTAMP);
    write_regions(writer);
    if (has_sites)
        write_sites(writer);
    for (uint32_t node = 0; node < n_nodes; node++)
        OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, node, TEXT_EMPTY, TEXT_EMPTY,
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        char name[32];
        OTF2_StringRef text = TEXT_FIRST_REGION + N_REGIONS + rank;
        snprintf(name, sizeof name, "MPI Rank %" PRIu32, rank);
        OTF2_GlobalDefWriter_WriteString(writer, text, name);
        OTF2_GlobalDefWriter_WriteLocationGroup(
            writer, rank, text, OTF2_LOCATION_GROUP_TYPE_PROCESS,
            (OTF2_SystemTreeNodeRef)((uint64_t)rank * n_nodes / n_ranks),
            OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(writer, rank, text, OTF2_LOCATION_TYPE_CPU_THREAD,
                                           n_events[rank], rank);
        members[rank] = rank;
    }
    OTF2_GlobalDefWriter_WriteGroup(writer, 0, TEXT_EMPTY, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n_ranks, members);
    OTF2_GlobalDefWriter_WriteGroup(writer, 1, TEXT_EMPTY, OTF2_GROUP_TYPE_COMM_GROUP,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n_ranks, members);
    OTF2_GlobalDefWriter_WriteComm(writer, 0, TEXT_MPI, 1, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
    free(members);
}

/// The kind called NAME; false when there is none.
static bool read_kind(const char *name, enum kind *kind, bool *has_sites)
{
    *has_sites = strcmp(name, "sites") == 0;
    *kind = strcmp(name, "fan-in") == 0    ? KIND_FAN_IN
            : strcmp(name, "phases") == 0  ? KIND_PHASES
            : strcmp(name, "collect") == 0 ? KIND_COLLECT
                                           : KIND_RING;
    return *kind != KIND_RING || *has_sites || strcmp(name, "ring") == 0;
}

int main(int argc, char **argv)
{
    enum kind kind;
    bool has_sites;
    if (argc != 5 || !read_kind(argv[1], &kind, &has_sites)) {
        fprintf(stderr,
                "usage: write_archive ring|sites|phases|fan-in|collect RANKS STEPS DIRECTORY\n");
        return 2;
    }
    uint32_t n_ranks = (uint32_t)strtoul(argv[2], NULL, 10);
    uint64_t n_steps = strtoull(argv[3], NULL, 10);
    uint64_t *n_events = calloc(n_ranks, sizeof *n_events);
    OTF2_Archive *archive = OTF2_Archive_Open(
        argv[4], "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive || !n_events)
        return 1;
    static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
    expect(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL), "flushing");
    expect(OTF2_Archive_SetSerialCollectiveCallbacks(archive), "collectives");
    expect(OTF2_Archive_OpenEvtFiles(archive), "opening");
    expect(OTF2_Archive_OpenDefFiles(archive), "opening");
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        write_events(archive, rank, n_ranks, n_steps, kind, has_sites, &n_events[rank]);
    expect(OTF2_Archive_CloseEvtFiles(archive), "closing");
    expect(OTF2_Archive_CloseDefFiles(archive), "closing");
    write_definitions(archive, n_ranks, kind == KIND_PHASES ? 2 : 1, has_sites, n_events);
    expect(OTF2_Archive_Close(archive), "closing");
    free(n_events);
    return 0;
}
