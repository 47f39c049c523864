// SPDX-License-Identifier: BSD-3-Clause
// The reader on archives that are legal but unlike ours: local identifiers, several metric classes,
// calling contexts, GPU and metric locations, no MPI at all, dangling references, many locations.
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <otf2/otf2.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/reader.h"
#include "tests/tools/lib/archive_writer.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/text_fixture.h"
#include "tests/unit/unit_test.h"

static struct fixture begin(uint32_t n_ranks)
{
    struct fixture f = {.directory = scratch_directory()};
    struct error err = {0};
    f.archive = memory_format("%s/run", f.directory);
    f.writer = archive_writer_new(f.archive, n_ranks, &err);
    if (!f.writer)
        fail_msg("%s", err.text);
    return f;
}

static void finish_writing(struct fixture *f, archive_define *define, void *data)
{
    struct error err = {0};
    if (archive_writer_close(f->writer, define, data, &err) != 0)
        fail_msg("%s", err.text);
}

static void open_archive(struct fixture *f, archive_define *define, void *data)
{
    struct error err = {0};
    finish_writing(f, define, data);
    f->trace = trace_open(f->archive, &err);
    if (!f->trace)
        fail_msg("%s", err.text);
    f->definitions = trace_definitions(f->trace);
}

TEST(test_mapping_tables_are_applied)
{
    struct fixture f = begin(2);
    archive_writer_region(f.writer, "first", NULL, 0, OTF2_PARADIGM_USER);
    archive_writer_region(f.writer, "second", NULL, 0, OTF2_PARADIGM_USER);
    const uint64_t both[] = {1, 0};
    uint32_t comm = archive_writer_comm(f.writer, "both", both, 2, NULL, 0);
    const uint32_t regions[] = {1, 0};
    const uint32_t comms[] = {comm};
    archive_writer_map(f.writer, 1, OTF2_MAPPING_REGION, regions, 2);
    archive_writer_map(f.writer, 1, OTF2_MAPPING_COMM, comms, 1);
    for (uint32_t rank = 0; rank < 2; rank++) {
        OTF2_EvtWriter *events = archive_writer_events(f.writer, rank);
        OTF2_AttributeList *attributes = OTF2_AttributeList_New();
        OTF2_EvtWriter_Enter(events, NULL, 1, 0);
        OTF2_EvtWriter_MpiSend(events, NULL, 2, 1, 0, 3, 4);
        OTF2_AttributeList_AddCommRef(attributes, ARCHIVE_ATTRIBUTE_COMMUNICATOR, 0);
        OTF2_AttributeList_AddInt32(attributes, ARCHIVE_ATTRIBUTE_SOURCE, 1);
        OTF2_AttributeList_AddInt32(attributes, ARCHIVE_ATTRIBUTE_TAG, 2);
        OTF2_EvtWriter_MpiIrecvRequest(events, attributes, 3, 9);
        OTF2_AttributeList_Delete(attributes);
    }
    open_archive(&f, NULL, NULL);
    assert_int_equal(next(&f, 0).index, 0);
    assert_int_equal(next(&f, 0).index, ARCHIVE_WORLD);
    assert_int_equal(next(&f, 0).index, ARCHIVE_WORLD);
    assert_int_equal(next(&f, 1).index, 1);
    assert_int_equal(next(&f, 1).index, comm);
    struct event posted = next(&f, 1);
    assert_int_equal(posted.flags, EVENT_HAS_ENVELOPE);
    assert_int_equal(posted.index, comm);
    close_text(&f);
}

TEST(test_a_region_without_a_name_can_be_named)
{
    struct fixture f = begin(1);
    uint32_t region = archive_writer_region(f.writer, "", NULL, 0, OTF2_PARADIGM_USER);
    OTF2_EvtWriter_Enter(archive_writer_events(f.writer, 0), NULL, 1, region);
    open_archive(&f, NULL, NULL);
    assert_string_equal(f.definitions->regions[next(&f, 0).index].name, "(no name)");
    close_text(&f);
}

// Strings of the callbacks below.
static uint32_t define_string(OTF2_GlobalDefWriter *definitions, const char *text)
{
    static uint32_t n_strings;
    uint32_t id = ARCHIVE_FIRST_STRING + n_strings++;
    OTF2_GlobalDefWriter_WriteString(definitions, id, text);
    return id;
}

// Metric classes 11 (counter, process_cpu_time, thread_core_wait), 12 (counter), instance 13 of 11,
// instance 14 of 12, instance 15 of nothing.
static void define_metrics(OTF2_GlobalDefWriter *definitions, void *data)
{
    uint32_t name = define_string(definitions, "PAPI_TOT_CYC");
    OTF2_GlobalDefWriter_WriteMetricMember(definitions, 11, name, name, OTF2_METRIC_TYPE_PAPI,
                                           OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
                                           OTF2_BASE_DECIMAL, 0, name);
    const OTF2_MetricMemberRef mixed[] = {11, 0, 1}, single[] = {11};
    OTF2_GlobalDefWriter_WriteMetricClass(definitions, 11, 3, mixed, OTF2_METRIC_SYNCHRONOUS,
                                          OTF2_RECORDER_KIND_CPU);
    OTF2_GlobalDefWriter_WriteMetricClass(definitions, 12, 1, single, OTF2_METRIC_SYNCHRONOUS,
                                          OTF2_RECORDER_KIND_CPU);
    OTF2_GlobalDefWriter_WriteMetricInstance(definitions, 13, 11, 0, OTF2_SCOPE_LOCATION, 0);
    OTF2_GlobalDefWriter_WriteMetricInstance(definitions, 14, 12, 0, OTF2_SCOPE_LOCATION, 0);
    OTF2_GlobalDefWriter_WriteMetricInstance(definitions, 15, 77, 0, OTF2_SCOPE_LOCATION, 0);
}

TEST(test_process_cpu_time_in_several_metric_classes)
{
    struct fixture f = begin(1);
    OTF2_EvtWriter *events = archive_writer_events(f.writer, 0);
    const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_INT64};
    OTF2_MetricValue values[3] = {{.unsigned_int = 1}, {.floating_point = 2.0}, {.signed_int = 3}};
    for (uint32_t metric = 1; metric <= 6; metric++) {
        uint8_t n = metric == 2 || metric == 4 ? 1 : 3;
        OTF2_EvtWriter_Metric(events, NULL, metric, 10 + metric, n, types, values);
    }
    OTF2_EvtWriter_Metric(events, NULL, 7, ARCHIVE_METRIC_CPU_TIME, 1, types, values);
    open_archive(&f, define_metrics, NULL);
    struct event event = next(&f, 0);
    assert_int_equal(event.kind, EVENT_CPU_TIME);
    assert_int_equal(event.time_ns, 0);
    assert_int_equal(event.size_bytes, 2);     // class 11, a double
    assert_int_equal(event.received_bytes, 3); // a signed number
    event = next(&f, 0);
    assert_int_equal(event.time_ns, 2); // instance 13
    assert_int_equal(event.size_bytes, 2);
    event = next(&f, 0);
    assert_int_equal(event.time_ns, 6);
    assert_int_equal(event.size_bytes, 1);
    assert_int_equal(event.received_bytes, EVENT_NO_CORE_WAIT);
    assert_at_end(&f, 0);
    close_text(&f);
}

static void define_contexts(OTF2_GlobalDefWriter *definitions, void *data)
{
    OTF2_GlobalDefWriter_WriteCallingContext(definitions, 7, 1, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                             OTF2_UNDEFINED_CALLING_CONTEXT);
}

TEST(test_calling_contexts_and_ignored_records)
{
    struct fixture f = begin(1);
    archive_writer_region(f.writer, "other", NULL, 0, OTF2_PARADIGM_USER);
    archive_writer_region(f.writer, "main", NULL, 0, OTF2_PARADIGM_USER);
    OTF2_EvtWriter *events = archive_writer_events(f.writer, 0);
    OTF2_EvtWriter_ProgramBegin(events, NULL, 1, 0, 0, NULL);
    OTF2_EvtWriter_CallingContextEnter(events, NULL, 2, 7, 1);
    OTF2_EvtWriter_ParameterInt(events, NULL, 3, 0, 5);
    OTF2_EvtWriter_RmaSync(events, NULL, 4, 0, 0, OTF2_RMA_SYNC_TYPE_MEMORY);
    OTF2_EvtWriter_CommCreate(events, NULL, 5, ARCHIVE_WORLD);
    OTF2_EvtWriter_CallingContextLeave(events, NULL, 6, 7);
    OTF2_EvtWriter_CallingContextEnter(events, NULL, 7, 8, 1);
    OTF2_EvtWriter_ProgramEnd(events, NULL, 8, 0);
    open_archive(&f, define_contexts, NULL);
    struct event event = next(&f, 0);
    assert_int_equal(event.kind, EVENT_ENTER);
    assert_int_equal(event.index, 1);
    assert_int_equal(event.time_ns, 0);
    event = next(&f, 0);
    assert_int_equal(event.kind, EVENT_LEAVE);
    assert_int_equal(event.index, 1);
    assert_int_equal(event.time_ns, 4);
    assert_at_end(&f, 0);
    const struct location_report *report = trace_location_report(f.trace, 0);
    assert_int_equal(report->n_read, 8);
    assert_int_equal(report->n_unknown, 0);
    assert_int_equal(report->n_bad_references, 1); // calling context 8
    close_text(&f);
}

TEST(test_dangling_references_are_dropped_and_counted)
{
    struct fixture f = begin(1);
    uint32_t region = archive_writer_region(f.writer, "main", NULL, 0, OTF2_PARADIGM_USER);
    OTF2_EvtWriter *events = archive_writer_events(f.writer, 0);
    OTF2_EvtWriter_Enter(events, NULL, 1, region);
    OTF2_EvtWriter_Enter(events, NULL, 2, 99);
    OTF2_EvtWriter_Leave(events, NULL, 3, 4000000000U);
    OTF2_EvtWriter_MpiSend(events, NULL, 4, 0, 99, 0, 0);
    OTF2_EvtWriter_MpiIrecv(events, NULL, 5, 0, 99, 0, 0, 1);
    OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, 6, OTF2_COLLECTIVE_OP_BARRIER, 99, 0, 0, 0);
    OTF2_EvtWriter_ThreadTeamBegin(events, NULL, 7, 99);
    OTF2_AttributeList *attributes = OTF2_AttributeList_New();
    OTF2_AttributeList_AddCommRef(attributes, ARCHIVE_ATTRIBUTE_COMMUNICATOR, 99);
    OTF2_EvtWriter_NonBlockingCollectiveRequest(events, attributes, 7, 2);
    OTF2_AttributeList_Delete(attributes);
    OTF2_EvtWriter_Leave(events, NULL, 8, region);
    open_archive(&f, NULL, NULL);
    assert_int_equal(next(&f, 0).time_ns, 0);
    struct event posted = next(&f, 0); // stays, without what it names
    assert_int_equal(posted.kind, EVENT_COLLECTIVE_REQUEST);
    assert_int_equal(posted.request, 2);
    assert_int_equal(posted.flags, 0);
    assert_int_equal(next(&f, 0).time_ns, 7);
    assert_at_end(&f, 0);
    assert_int_equal(trace_location_report(f.trace, 0)->n_bad_references, 7);
    assert_int_equal(trace_location_report(f.trace, 0)->n_read, 9);
    close_text(&f);
}

// A GPU created by rank 1, a metric location in rank 0's process, a location of no process.
static void define_devices(OTF2_GlobalDefWriter *definitions, void *data)
{
    uint32_t name = define_string(definitions, "CUDA 0");
    OTF2_GlobalDefWriter_WriteLocationGroup(definitions, 50, name,
                                            OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1, 1);
    OTF2_GlobalDefWriter_WriteLocation(definitions, 500, name,
                                       OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 50);
    OTF2_GlobalDefWriter_WriteLocation(definitions, 501, name, OTF2_LOCATION_TYPE_METRIC, 0, 0);
    OTF2_GlobalDefWriter_WriteLocation(definitions, 502, name, OTF2_LOCATION_TYPE_CPU_THREAD, 0,
                                       OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(definitions, 502, name, OTF2_LOCATION_TYPE_METRIC, 0, 0);
}

TEST(test_devices_are_kept_and_missing_files_reported)
{
    struct fixture f = begin(2);
    uint32_t region = archive_writer_region(f.writer, "main", NULL, 0, OTF2_PARADIGM_USER);
    OTF2_EvtWriter_Enter(archive_writer_events(f.writer, 0), NULL, 1, region);
    open_archive(&f, define_devices, NULL);
    const struct location *locations = f.definitions->locations;
    assert_int_equal(f.definitions->n_locations, 5);
    assert_int_equal(f.definitions->n_ranks, 2);
    const uint64_t ids[] = {0, 501, 1, 500, 502};
    const uint32_t ranks[] = {0, 0, 1, 1, EVENT_NO_INDEX};
    const bool cpus[] = {true, false, true, false, true};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(locations[i].id, ids[i]);
        assert_int_equal(locations[i].rank, ranks[i]);
        assert_int_equal(locations[i].is_cpu_thread, cpus[i]);
        bool is_device = i == 1 || i >= 3;
        assert_at_end(&f, i == 0 ? 2 : i);
        assert_int_equal(trace_location_report(f.trace, i)->is_skipped, is_device);
        assert_int_equal(trace_location_report(f.trace, i)->reason != NULL, is_device);
    }
    assert_non_null(strstr(trace_location_report(f.trace, 3)->reason, "500.evt"));
    close_text(&f);
}

static void write_bare_location(OTF2_GlobalDefWriter *definitions, uint64_t id, uint32_t group)
{
    OTF2_GlobalDefWriter_WriteLocation(definitions, id, define_string(definitions, "thread"),
                                       OTF2_LOCATION_TYPE_CPU_THREAD, 1, group);
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool is_final)
{
    return OTF2_FLUSH;
}

// An archive made by hand with the OTF2 calls only: what DEFINE defines, one enter at ID seconds in
// each of the N locations IDS.
static struct fixture open_bare(const uint64_t *ids, size_t n,
                                void (*define)(OTF2_GlobalDefWriter *))
{
    struct fixture f = {.directory = scratch_directory()};
    f.archive = memory_format("%s/run", f.directory);
    OTF2_Archive *archive =
        OTF2_Archive_Open(f.archive, "bare", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    for (size_t i = 0; i < n; i++) {
        OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, ids[i]);
        OTF2_EvtWriter_Enter(events, NULL, ids[i], 0);
        OTF2_Archive_CloseEvtWriter(archive, events);
    }
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1, 0, 1000, 1700000000000000000);
    uint32_t name = define_string(definitions, "main");
    OTF2_GlobalDefWriter_WriteRegion(definitions, 0, name, name, name, OTF2_REGION_ROLE_FUNCTION,
                                     OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, name, 0, 0);
    define(definitions);
    OTF2_Archive_CloseGlobalDefWriter(archive, definitions);
    OTF2_Archive_Close(archive);
    struct error err = {0};
    f.trace = trace_open(f.archive, &err);
    if (!f.trace)
        fail_msg("%s", err.text);
    f.definitions = trace_definitions(f.trace);
    return f;
}

// Two processes without a system tree; the second has its metric location before its thread.
static void define_without_mpi(OTF2_GlobalDefWriter *definitions)
{
    uint32_t name = define_string(definitions, "process");
    OTF2_GlobalDefWriter_WriteLocationGroup(definitions, 8, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                            OTF2_UNDEFINED_SYSTEM_TREE_NODE,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocationGroup(definitions, 3, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                            OTF2_UNDEFINED_SYSTEM_TREE_NODE,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    write_bare_location(definitions, 20, 8);
    OTF2_GlobalDefWriter_WriteLocation(definitions, 10, name, OTF2_LOCATION_TYPE_METRIC, 0, 3);
    write_bare_location(definitions, 12, 3);
}

TEST(test_archive_without_mpi)
{
    const uint64_t ids[] = {10, 12, 20};
    struct fixture f = open_bare(ids, 3, define_without_mpi);
    const struct definitions *d = f.definitions;
    assert_int_equal(d->n_ranks, 2);
    assert_int_equal(d->n_locations, 3);
    assert_int_equal(d->locations[d->ranks[0].master].id, 20);
    assert_int_equal(d->locations[d->ranks[1].master].id, 12);
    assert_int_equal(d->n_nodes, 1);
    assert_string_equal(d->nodes[0].name, "unknown");
    assert_int_equal(d->realtime_ns, 1700000000000000000 + 10 * 1000000000ULL);
    assert_int_equal(next(&f, 2).time_ns, 0);
    assert_int_equal(next(&f, d->ranks[1].master).time_ns, 2000000000);
    assert_true(trace_location_report(f.trace, 0)->lacks_definitions);
    assert_false(trace_location_report(f.trace, 0)->is_skipped);
    close_text(&f);
}

// The MPI group names locations 5, 7 (undefined), 6 and 5 again.
static void define_odd_mpi_group(OTF2_GlobalDefWriter *definitions)
{
    const uint64_t members[] = {5, 7, 6, 5}, ranks[] = {2, 99, 0};
    uint32_t name = define_string(definitions, "group");
    write_bare_location(definitions, 5, 0);
    write_bare_location(definitions, 6, 0);
    OTF2_GlobalDefWriter_WriteComm(definitions, 0, name, 1, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE); // before its group
    OTF2_GlobalDefWriter_WriteGroup(definitions, 1, name, OTF2_GROUP_TYPE_COMM_GROUP,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 3, ranks);
    OTF2_GlobalDefWriter_WriteGroup(definitions, 2, name, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 4, members);
    OTF2_GlobalDefWriter_WriteComm(definitions, 1, name, 77, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE); // of an undefined group
}

TEST(test_undefined_and_repeated_members_get_stand_ins)
{
    const uint64_t ids[] = {5, 6};
    struct fixture f = open_bare(ids, 2, define_odd_mpi_group);
    const struct definitions *d = f.definitions;
    assert_int_equal(d->n_ranks, 4);
    assert_int_equal(d->n_locations, 4);
    const bool defined[] = {true, false, true, false};
    for (uint32_t rank = 0; rank < 4; rank++) {
        assert_int_equal(d->ranks[rank].master, rank);
        assert_int_equal(d->locations[rank].rank, rank);
        assert_int_equal(d->locations[rank].is_defined, defined[rank]);
        assert_int_equal(trace_location_report(f.trace, rank)->is_skipped, !defined[rank]);
    }
    assert_int_equal(next(&f, 2).time_ns, 1000000000);
    assert_at_end(&f, 1);
    assert_int_equal(communicator_peer(&d->communicators[0], 0, 0), 2);
    assert_int_equal(communicator_peer(&d->communicators[0], 0, 1), EVENT_NO_INDEX);
    assert_int_equal(communicator_peer(&d->communicators[0], 0, 2), 0);
    assert_int_equal(communicator_rank_of(&d->communicators[0], 2), 0);
    assert_int_equal(communicator_rank_of(&d->communicators[0], 1), EVENT_NO_INDEX);
    close_text(&f);
}

// The engine, too, has to live with a member that is nowhere: a barrier that it cannot come to.
TEST(test_collective_with_an_undefined_member)
{
    const uint64_t members[] = {0, 9, 1}, remote[] = {7};
    struct fixture f = begin(2);
    uint32_t comm = archive_writer_comm(f.writer, "odd", members, 3, NULL, 0);
    uint32_t inter = archive_writer_comm(f.writer, "inter", members, 1, remote, 1);
    for (uint32_t rank = 0; rank < 2; rank++) {
        OTF2_EvtWriter *events = archive_writer_events(f.writer, rank);
        OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, 1, OTF2_COLLECTIVE_OP_BARRIER, comm,
                                        OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, 2 + rank, OTF2_COLLECTIVE_OP_BARRIER,
                                        rank ? ARCHIVE_SELF : inter, OTF2_COLLECTIVE_ROOT_NONE, 0,
                                        0);
    }
    open_archive(&f, NULL, NULL);
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    const struct pag_listener listener = {0};
    struct pag_result result = {0};
    struct error err = {0};
    assert_int_equal(pag_run(f.trace, &options, &listener, &result, &err), 0);
    assert_int_equal(result.n_outside, 2);
    assert_int_equal(result.n_incomplete_collectives, 0);
    pag_result_release(&result);
    close_text(&f);
}

enum { LONG_EVENTS = 10000 }; // several windows of a file

static struct fixture write_many(uint32_t n_ranks, unsigned n_events)
{
    struct fixture f = begin(n_ranks);
    uint32_t region = archive_writer_region(f.writer, "main", NULL, 0, OTF2_PARADIGM_USER);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        for (unsigned i = 0; i < n_events; i++)
            OTF2_EvtWriter_Enter(archive_writer_events(f.writer, rank), NULL, rank + 5, region);
    finish_writing(&f, NULL, NULL);
    return f;
}

TEST(test_more_locations_than_open_files)
{
    enum { N = 100 };
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct fixture f = write_many(N, LONG_EVENTS);
    struct rlimit low = {.rlim_cur = 60, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    struct error err = {0};
    f.trace = trace_open(f.archive, &err);
    assert_non_null(f.trace);
    for (uint32_t rank = 0; rank < N; rank++)
        assert_int_equal(next(&f, rank).time_ns, rank);
    setrlimit(RLIMIT_NOFILE, &before);
    close_text(&f);
}

/// A second opening beside the first one, in a process that may have 70 open files at most.
TEST(test_more_locations_than_the_system_allows)
{
    enum { N = 100 };
    struct fixture f = write_many(N, LONG_EVENTS);
    pid_t child = fork();
    if (child == 0) {
        struct error err = {0};
        struct rlimit low = {.rlim_cur = 70, .rlim_max = 70};
        f.trace = setrlimit(RLIMIT_NOFILE, &low) ? NULL : trace_open(f.archive, &err);
        if (!f.trace || trace_again(f.trace, &err) != f.trace)
            _exit(1);
        struct trace *other = trace_again(f.trace, &err);
        uint64_t n_events = 0;
        for (uint32_t rank = 0; other && rank < N; rank++) {
            struct cursor *cursor = trace_cursor(other, rank);
            for (; trace_peek(other, rank, cursor, 0); cursor->position++)
                n_events++;
        }
        _exit(n_events == N * LONG_EVENTS ? 0 : 2);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close_text(&f);
}
