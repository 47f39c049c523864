// SPDX-License-Identifier: BSD-3-Clause
// Time that OTF2's own event writer takes for the records of one MPI call: what any tracer that
// writes OTF2 pays while the program runs, and the measure of ours (tests/bench/tracer.sh).
//
//     otf2_records DIRECTORY
//
// writes archives there and prints, for each kind of call of tests/bench/tracer/calls.c, a line
// KIND NS CPU_NS as that program does, flushing to disk included. Time stamps are made up: reading
// the clock is not OTF2's part.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <otf2/otf2.h>

enum { BATCHES = 21, STEPS = 20000 };

static OTF2_EvtWriter *writer;
static uint64_t now;
static uint64_t request;

static uint64_t read_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static OTF2_FlushType on_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                               void *caller, bool is_final)
{
    (void)data, (void)type, (void)location, (void)caller, (void)is_final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)data, (void)type, (void)location;
    return ++now;
}

static void enter(uint32_t region)
{
    OTF2_EvtWriter_Enter(writer, NULL, now += 40, region);
}

static void leave(uint32_t region)
{
    OTF2_EvtWriter_Leave(writer, NULL, now += 40, region);
}

static void plain(void)
{
    enter(1);
    leave(1);
}

static void sendrecv(void)
{
    enter(2);
    OTF2_EvtWriter_MpiSend(writer, NULL, now, 0, 1, 1, 4);
    OTF2_EvtWriter_MpiRecv(writer, NULL, now += 40, 0, 1, 1, 4);
    leave(2);
}

static void nothing(void) // polls that found nothing are folded
{
}

static void nonblocking(void)
{
    enter(3);
    OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, now, ++request);
    leave(3);
    enter(4);
    OTF2_EvtWriter_MpiIsend(writer, NULL, now, 0, 1, 3, 4, ++request);
    leave(4);
    enter(5);
    OTF2_EvtWriter_MpiIrecv(writer, NULL, now += 40, 0, 1, 3, 4, request - 1);
    OTF2_EvtWriter_MpiIsendComplete(writer, NULL, now, request);
    leave(5);
}

static void ping_pong(void)
{
    enter(6);
    OTF2_EvtWriter_MpiSend(writer, NULL, now, 1, 0, 4, 4);
    leave(6);
    enter(7);
    OTF2_EvtWriter_MpiRecv(writer, NULL, now += 40, 1, 0, 4, 4);
    leave(7);
}

static void all_reduce(void)
{
    enter(8);
    OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, now);
    OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, now += 40, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
    leave(8);
}

static const struct {
    const char *name;
    void (*step)(void);
    int calls;
} kinds[] = {
    {"Comm_rank", plain, 1},
    {"Sendrecv-self", sendrecv, 1},
    {"Iprobe-nothing", nothing, 1},
    {"Test-nothing", nothing, 1},
    {"Isend-Irecv-Waitall", nonblocking, 3},
    {"Send-Recv", ping_pong, 2},
    {"Allreduce", all_reduce, 1},
};

static void measure(size_t kind)
{
    double best_ns = 1e300, cpu_ns = 0, n_calls = (double)STEPS * kinds[kind].calls;
    for (int batch = -1; batch < BATCHES; batch++) {
        uint64_t cpu_begin = read_ns(CLOCK_PROCESS_CPUTIME_ID), begin = read_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < STEPS; i++)
            kinds[kind].step();
        double ns = (double)(read_ns(CLOCK_MONOTONIC) - begin) / n_calls;
        if (batch < 0)
            continue;
        best_ns = ns < best_ns ? ns : best_ns;
        cpu_ns += (double)(read_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin) / n_calls;
    }
    printf("%s %.1f %.1f\n", kinds[kind].name, best_ns, cpu_ns / BATCHES);
}

int main(int argc, char **argv)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = on_flush,
                                              .otf2_post_flush = after_flush};
    if (argc != 2) {
        fprintf(stderr, "usage: otf2_records DIRECTORY\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "records-%zu", i);
        OTF2_Archive *archive =
            OTF2_Archive_Open(argv[1], name, OTF2_FILEMODE_WRITE, 1024 * 1024, 4 * 1024 * 1024,
                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        if (!archive)
            return 1;
        OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
        OTF2_Archive_SetSerialCollectiveCallbacks(archive);
        OTF2_Archive_OpenEvtFiles(archive);
        writer = OTF2_Archive_GetEvtWriter(archive, 0);
        measure(i);
        OTF2_Archive_CloseEvtWriter(archive, writer);
        OTF2_Archive_CloseEvtFiles(archive);
        OTF2_Archive_Close(archive);
    }
    return 0;
}
