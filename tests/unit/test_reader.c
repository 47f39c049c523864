// SPDX-License-Identifier: BSD-3-Clause
// The reader on archives made from text traces: every event kind with all its fields, order and
// ranks of locations, communicators, time, look-ahead.
#include <stdio.h>
#include <string.h>

#include <otf2/otf2.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/reader.h"
#include "tests/unit/text_fixture.h"
#include "tests/unit/unit_test.h"

#define assert_event(found__, kind_, time_, ...)                                                   \
    do {                                                                                           \
        struct event expected_ = {.kind = (kind_), .time_ns = (time_), __VA_ARGS__};               \
        struct event found_ = (found__);                                                           \
        assert_int_equal(found_.kind, expected_.kind);                                             \
        assert_int_equal(found_.time_ns, expected_.time_ns);                                       \
        assert_int_equal(found_.op, expected_.op);                                                 \
        assert_int_equal(found_.class_, expected_.class_);                                         \
        assert_int_equal(found_.flags, expected_.flags);                                           \
        assert_int_equal(found_.index, expected_.index);                                           \
        assert_int_equal(found_.peer, expected_.peer);                                             \
        assert_int_equal(found_.tag, expected_.tag);                                               \
        assert_int_equal(found_.size_bytes, expected_.size_bytes);                                 \
        assert_int_equal(found_.received_bytes, expected_.received_bytes);                         \
        assert_int_equal(found_.request, expected_.request);                                       \
    } while (0)

/// A CPU time before a leave at the same time is given after it, wherever a batch ends.
TEST(test_cpu_times_before_leaves)
{
    enum { N = 30000 };
    SCOPED char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (unsigned i = 0; i < N; i++)
        fprintf(stream,
                "0 %u cpu %u\n0 %u enter MPI_Test 9 3\n"
                "0 %u cpu %u\n0 %u leave MPI_Test\n",
                10 * i, 2 * i, 10 * i, 10 * i + 7, 2 * i + 1, 10 * i + 7);
    fprintf(stream, "0 %u enter MPI_Test\n0 %u cpu 1\n0 %u leave MPI_Test\n", 10 * N, 10 * N,
            10 * N + 1);
    fclose(stream);
    OPENED f = open_text(text);
    for (unsigned i = 0; i < N; i++) {
        assert_event(next(&f, 0), EVENT_CPU_TIME, 10 * i, .size_bytes = 2 * i,
                     .received_bytes = EVENT_NO_CORE_WAIT);
        assert_event(next(&f, 0), EVENT_ENTER, 10 * i, .context = EVENT_NO_INDEX,
                     .flags = EVENT_FOLDED_POLLS, .size_bytes = 9);
        assert_event(next(&f, 0), EVENT_LEAVE, 10 * i + 3, .index = 0);
        assert_event(next(&f, 0), EVENT_CPU_TIME, 10 * i + 7, .size_bytes = 2 * i + 1,
                     .received_bytes = EVENT_NO_CORE_WAIT);
    }
    assert_event(next(&f, 0), EVENT_ENTER, 10 * N, .context = EVENT_NO_INDEX);
    assert_event(next(&f, 0), EVENT_CPU_TIME, 10 * N, .size_bytes = 1,
                 .received_bytes = EVENT_NO_CORE_WAIT);
    assert_event(next(&f, 0), EVENT_LEAVE, 10 * N + 1, .index = 0);
    assert_at_end(&f, 0);
}

/// Messages of neighbourhood collectives have tags that no message of a program has.
TEST(test_neighborhood_messages)
{
    OPENED f = open_text("comm \"" DEFINITIONS_NEIGHBORHOOD "\" ranks 0 1\n"
                         "0 1 irecv-request 12 \"" DEFINITIONS_NEIGHBORHOOD "\" 1 0\n"
                         "0 2 send \"" DEFINITIONS_NEIGHBORHOOD "\" 1 0 8\n"
                         "0 3 send world 1 0 8\n"
                         "1 4 send world 0 0 8\n");
    assert_event(next(&f, 0), EVENT_IRECV_REQUEST, 0, .index = 2, .peer = 1,
                 .tag = EVENT_FIRST_OWN_TAG, .flags = EVENT_HAS_ENVELOPE, .request = 12);
    assert_event(next(&f, 0), EVENT_SEND, 1, .index = 2, .peer = 1, .tag = EVENT_FIRST_OWN_TAG,
                 .size_bytes = 8);
    assert_event(next(&f, 0), EVENT_SEND, 2, .index = 0, .peer = 1, .size_bytes = 8);
}

TEST(test_every_event_kind)
{
    OPENED f = open_text("comm odd ranks 1 3\n"
                         "0 100 enter main\n"
                         "0 101 enter MPI_Test 17\n"
                         "0 102 send world 2 5 1000\n"
                         "0 103 isend odd 1 6 2000 11\n"
                         "0 104 isend-complete 11\n"
                         "0 105 irecv-request 12\n"
                         "0 106 irecv-request 13 odd any 9\n"
                         "0 107 irecv-request 14 world 3 any\n"
                         "0 108 recv world 1 7 3000\n"
                         "0 109 irecv odd 0 8 4000 12\n"
                         "0 110 test 13\n"
                         "0 111 cancel 13\n"
                         "0 112 coll-begin\n"
                         "0 113 coll-end bcast world 2 64 65\n"
                         "0 114 coll-request 15\n"
                         "0 115 coll-complete allreduce odd - 66 67 15\n"
                         "0 116 cpu 777\n"
                         "0 117 fork 4\n"
                         "0 118 team-begin odd\n"
                         "0 119 team-end odd\n"
                         "0 120 join\n"
                         "0 121 flush 131\n"
                         "0 131 measurement off\n"
                         "0 132 measurement on\n"
                         "0 133 leave MPI_Test\n"
                         "0 134 leave main\n"
                         "0 135 coll-request 16 odd\n");
    const uint32_t odd = 2;
    assert_string_equal(f.definitions->communicators[odd].name, "odd");
    assert_event(next(&f, 0), EVENT_ENTER, 0, .index = 0, .context = EVENT_NO_INDEX);
    assert_event(next(&f, 0), EVENT_ENTER, 1, .index = 1, .context = EVENT_NO_INDEX,
                 .flags = EVENT_FOLDED_POLLS, .size_bytes = 17);
    assert_event(next(&f, 0), EVENT_SEND, 2, .peer = 2, .tag = 5, .size_bytes = 1000);
    assert_event(next(&f, 0), EVENT_ISEND, 3, .index = odd, .peer = 1, .tag = 6, .size_bytes = 2000,
                 .request = 11);
    assert_event(next(&f, 0), EVENT_ISEND_COMPLETE, 4, .request = 11);
    assert_event(next(&f, 0), EVENT_IRECV_REQUEST, 5, .request = 12);
    assert_event(next(&f, 0), EVENT_IRECV_REQUEST, 6, .index = odd, .request = 13,
                 .flags = EVENT_HAS_ENVELOPE, .peer = EVENT_ANY, .tag = 9);
    assert_event(next(&f, 0), EVENT_IRECV_REQUEST, 7, .request = 14, .flags = EVENT_HAS_ENVELOPE,
                 .peer = 3, .tag = EVENT_ANY);
    assert_event(next(&f, 0), EVENT_RECV, 8, .peer = 1, .tag = 7, .size_bytes = 3000);
    assert_event(next(&f, 0), EVENT_IRECV, 9, .index = odd, .peer = 0, .tag = 8, .size_bytes = 4000,
                 .request = 12);
    assert_event(next(&f, 0), EVENT_REQUEST_TEST, 10, .request = 13);
    assert_event(next(&f, 0), EVENT_REQUEST_CANCELLED, 11, .request = 13);
    assert_event(next(&f, 0), EVENT_COLLECTIVE_BEGIN, 12);
    assert_event(next(&f, 0), EVENT_COLLECTIVE_END, 13, .op = OTF2_COLLECTIVE_OP_BCAST,
                 .class_ = COLLECTIVE_ONE_TO_ALL, .peer = 2, .size_bytes = 64,
                 .received_bytes = 65);
    assert_event(next(&f, 0), EVENT_COLLECTIVE_REQUEST, 14, .request = 15);
    assert_event(next(&f, 0), EVENT_COLLECTIVE_COMPLETE, 15, .op = OTF2_COLLECTIVE_OP_ALLREDUCE,
                 .class_ = COLLECTIVE_ALL_TO_ALL, .index = odd, .peer = EVENT_ROOT_NONE,
                 .size_bytes = 66, .received_bytes = 67, .request = 15);
    assert_event(next(&f, 0), EVENT_CPU_TIME, 16, .size_bytes = 777,
                 .received_bytes = EVENT_NO_CORE_WAIT);
    assert_event(next(&f, 0), EVENT_THREAD_FORK, 17, .size_bytes = 4);
    assert_event(next(&f, 0), EVENT_THREAD_TEAM_BEGIN, 18, .index = odd);
    assert_event(next(&f, 0), EVENT_THREAD_TEAM_END, 19, .index = odd);
    assert_event(next(&f, 0), EVENT_THREAD_JOIN, 20);
    assert_event(next(&f, 0), EVENT_BUFFER_FLUSH, 21, .size_bytes = 10);
    assert_event(next(&f, 0), EVENT_MEASUREMENT_OFF, 31);
    assert_event(next(&f, 0), EVENT_MEASUREMENT_ON, 32);
    assert_event(next(&f, 0), EVENT_LEAVE, 33, .index = 1);
    assert_event(next(&f, 0), EVENT_LEAVE, 34, .index = 0);
    assert_event(next(&f, 0), EVENT_COLLECTIVE_REQUEST, 35, .request = 16, .index = odd,
                 .flags = EVENT_HAS_ENVELOPE);
    assert_at_end(&f, 0);
    assert_int_equal(trace_location_report(f.trace, 0)->n_read, 27);
    assert_at_end(&f, 1);
}

/// A line of a text trace may stand for the events of a visit, and for several ranks.
TEST(test_visits)
{
    OPENED f = open_text("0 5-9 MPI_Test 17 ; 6 send world 1 5 10 ; 8 test 13 # two events\n"
                         "1 5-7 work\n"
                         "0-1 10 enter MPI_Send at-line a.c:7\n");
    assert_event(next(&f, 0), EVENT_ENTER, 0, .context = EVENT_NO_INDEX,
                 .flags = EVENT_FOLDED_POLLS, .size_bytes = 17);
    assert_event(next(&f, 0), EVENT_SEND, 1, .peer = 1, .tag = 5, .size_bytes = 10);
    assert_event(next(&f, 0), EVENT_REQUEST_TEST, 3, .request = 13);
    assert_event(next(&f, 0), EVENT_LEAVE, 4, .index = 0);
    assert_event(next(&f, 1), EVENT_ENTER, 0, .index = 1, .context = EVENT_NO_INDEX);
    assert_event(next(&f, 1), EVENT_LEAVE, 2, .index = 1);
    for (size_t rank = 0; rank < 2; rank++) { // each has the line
        struct event sent = next(&f, rank);
        assert_event(sent, EVENT_ENTER, 5, .index = 2, .context = sent.context);
        assert_int_not_equal(sent.context, EVENT_NO_INDEX);
        assert_at_end(&f, rank);
    }
}

/// The OTF2 library has written the fields in its order, so that none is taken for another one.
TEST(test_events_of_windows_and_threads)
{
    OPENED f = open_text("comm odd ranks 1 3\n"
                         "window heat world\n"
                         "0 100 lock heat 3 exclusive\n"
                         "0 101 unlock heat 2\n"
                         "0 102 window-end allreduce heat 1 64 65\n"
                         "0 103 locked 7\n"
                         "0 104 unlocked 8\n"
                         "0 105 thread-create odd 9\n"
                         "0 106 thread-begin odd 10\n"
                         "0 107 thread-wait odd 11\n"
                         "0 108 thread-end odd 12\n");
    const uint32_t odd = 2, heat = 3;
    const uint64_t posix = (uint64_t)OTF2_PARADIGM_PTHREAD << 32;
    assert_event(next(&f, 0), EVENT_RMA_LOCK, 0, .index = heat, .peer = 3, .tag = true);
    assert_event(next(&f, 0), EVENT_RMA_UNLOCK, 1, .index = heat, .peer = 2);
    assert_event(next(&f, 0), EVENT_COLLECTIVE_END, 2, .op = OTF2_COLLECTIVE_OP_ALLREDUCE,
                 .class_ = COLLECTIVE_HANDLE, .flags = EVENT_OF_WINDOW, .index = heat, .peer = 1,
                 .size_bytes = 64, .received_bytes = 65);
    assert_event(next(&f, 0), EVENT_LOCK_ACQUIRED, 3, .size_bytes = posix | 7);
    assert_event(next(&f, 0), EVENT_LOCK_RELEASED, 4, .size_bytes = posix | 8);
    assert_event(next(&f, 0), EVENT_THREAD_FORK, 5, .index = odd, .flags = EVENT_OF_CREATED,
                 .size_bytes = 9);
    assert_event(next(&f, 0), EVENT_THREAD_TEAM_BEGIN, 6, .index = odd, .flags = EVENT_OF_CREATED,
                 .size_bytes = 10);
    assert_event(next(&f, 0), EVENT_THREAD_JOIN, 7, .index = odd, .flags = EVENT_OF_CREATED,
                 .size_bytes = 11);
    assert_event(next(&f, 0), EVENT_THREAD_TEAM_END, 8, .index = odd, .flags = EVENT_OF_CREATED,
                 .size_bytes = 12);
    assert_at_end(&f, 0);
}

TEST(test_collective_classes)
{
    static const struct {
        const char *op;
        enum collective_class class_;
    } cases[] = {
        {"barrier", COLLECTIVE_BARRIER},
        {"bcast", COLLECTIVE_ONE_TO_ALL},
        {"scatter", COLLECTIVE_ONE_TO_ALL},
        {"scatterv", COLLECTIVE_ONE_TO_ALL},
        {"gather", COLLECTIVE_ALL_TO_ONE},
        {"gatherv", COLLECTIVE_ALL_TO_ONE},
        {"reduce", COLLECTIVE_ALL_TO_ONE},
        {"allgather", COLLECTIVE_ALL_TO_ALL},
        {"allgatherv", COLLECTIVE_ALL_TO_ALL},
        {"alltoall", COLLECTIVE_ALL_TO_ALL},
        {"alltoallv", COLLECTIVE_ALL_TO_ALL},
        {"alltoallw", COLLECTIVE_ALL_TO_ALL},
        {"allreduce", COLLECTIVE_ALL_TO_ALL},
        {"reduce_scatter", COLLECTIVE_ALL_TO_ALL},
        {"reduce_scatter_block", COLLECTIVE_ALL_TO_ALL},
        {"scan", COLLECTIVE_SCAN},
        {"exscan", COLLECTIVE_SCAN},
        {"create_handle", COLLECTIVE_HANDLE},
        {"destroy_handle", COLLECTIVE_HANDLE},
        {"allocate", COLLECTIVE_HANDLE},
        {"deallocate", COLLECTIVE_HANDLE},
        {"create_handle_and_allocate", COLLECTIVE_HANDLE},
        {"destroy_handle_and_deallocate", COLLECTIVE_HANDLE},
    };
    enum { N = sizeof cases / sizeof *cases };
    char text[N * 64] = "";
    for (size_t i = 0; i < N; i++) {
        SCOPED char *line = memory_format("0 %zu coll-end %s world - 0 0\n", i, cases[i].op);
        strcat(text, line);
    }
    OPENED f = open_text(text);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(next(&f, 0).class_, cases[i].class_);
    assert_at_end(&f, 0);
}

TEST(test_locations_are_sorted_by_rank_and_threads_follow_masters)
{
    OPENED f = open_text("nodes a b a\n"
                         "cores b 12\n"
                         "2.1 1 enter work\n2.1 2 leave work\n"
                         "0.2 1 enter work\n0.2 3 leave work\n"
                         "0.1 1 enter work\n0.1 4 leave work\n");
    const struct definitions *d = f.definitions;
    assert_int_equal(d->n_ranks, 3);
    assert_int_equal(d->n_locations, 6);
    const uint32_t ranks[] = {0, 0, 0, 1, 2, 2};
    const uint64_t ids[] = {0, UINT64_C(1) << 32, UINT64_C(2) << 32, 1, 2, (UINT64_C(1) << 32) + 2};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(d->locations[i].rank, ranks[i]);
        assert_int_equal(d->locations[i].id, ids[i]);
        assert_int_equal(d->locations[i].is_master, ids[i] < 3);
        assert_true(d->locations[i].is_cpu_thread && d->locations[i].is_defined);
    }
    assert_int_equal(d->ranks[0].n_locations, 3);
    assert_int_equal(d->ranks[2].master, 4);
    assert_string_equal(d->ranks[1].name, "MPI Rank 1");
    assert_int_equal(d->n_nodes, 2);
    assert_int_equal(d->ranks[0].node, d->ranks[2].node);
    assert_string_equal(d->nodes[d->ranks[1].node].name, "b");
    assert_string_equal(d->nodes[d->ranks[1].node].machine, "machine");
    assert_int_equal(d->nodes[d->ranks[1].node].n_cores, 12);
    assert_int_equal(d->nodes[d->ranks[0].node].n_cores, 0);
    assert_int_equal(next(&f, 2).time_ns, 0);
    assert_int_equal(next(&f, 2).time_ns, 2);
}

TEST(test_communicators)
{
    OPENED f = open_text("comm block ranks 1 2 3\n"
                         "comm reverse ranks 3 1 0\n"
                         "intercomm inter ranks 0 2 | 3 1\n"
                         "0 1 enter main\n");
    const struct communicator *comms = f.definitions->communicators;
    const struct communicator *world = &comms[0], *self = &comms[1];
    const struct communicator *block = &comms[2], *reverse = &comms[3], *inter = &comms[4];
    assert_int_equal(f.definitions->n_communicators, 5);
    assert_int_equal(world->n_members, 4);
    assert_true(world->is_mpi);
    assert_int_equal(communicator_peer(world, 1, 3), 3);
    assert_int_equal(communicator_peer(world, 1, 4), EVENT_NO_INDEX);
    assert_int_equal(self->n_members, 0);
    assert_int_equal(communicator_peer(self, 2, 0), 2);
    assert_int_equal(communicator_peer(self, 2, 1), EVENT_NO_INDEX);
    assert_int_equal(communicator_rank_of(self, 2), 0);
    assert_int_equal(communicator_peer(block, 2, 2), 3);
    assert_int_equal(communicator_rank_of(block, 3), 2);
    assert_int_equal(communicator_rank_of(block, 0), EVENT_NO_INDEX);
    assert_int_equal(communicator_peer(reverse, 3, 2), 0);
    assert_int_equal(communicator_rank_of(reverse, 1), 1);
    assert_int_equal(communicator_rank_of(reverse, 2), EVENT_NO_INDEX);
    assert_true(inter->is_intercommunicator);
    assert_int_equal(inter->n_members, 2);
    assert_int_equal(inter->n_remote_members, 2);
    assert_int_equal(communicator_peer(inter, 0, 0), 3);
    assert_int_equal(communicator_peer(inter, 2, 1), 1);
    assert_int_equal(communicator_peer(inter, 1, 1), 2);
    assert_int_equal(communicator_rank_of(inter, 2), 1);
    assert_int_equal(communicator_rank_of(inter, 3), 0);
    assert_true(communicator_in_first_group(inter, 0));
    assert_false(communicator_in_first_group(inter, 3));
}

TEST(test_regions)
{
    OPENED f = open_text("region solve solver.c:42 user\n"
                         "region mpi_recv_ recv.f:7 mpi\n"
                         "region MPI_setup_mine mine.c:8 user\n"
                         "region parallel omp.c:9 openmp\n"
                         "0 1 enter MPI_Init\n"
                         "0 2 enter MPI_Issend\n"
                         "0 3 enter solve\n");
    const struct region *regions = f.definitions->regions;
    assert_int_equal(f.definitions->gap_region, 6);
    assert_string_equal(regions[0].name, "solve");
    assert_string_equal(regions[0].file, "solver.c");
    assert_int_equal(regions[0].line, 42);
    assert_int_equal(regions[0].mpi, MPI_FUNCTION_NONE);
    assert_int_equal(regions[1].mpi, MPI_FUNCTION_OTHER);
    assert_int_equal(regions[2].mpi, MPI_FUNCTION_NONE);
    assert_int_equal(regions[3].construct, CONSTRUCT_PARALLEL);
    assert_int_equal(regions[0].construct, CONSTRUCT_NONE);
    assert_int_equal(regions[4].mpi, MPI_FUNCTION_INIT);
    assert_string_equal(regions[4].file, "MPI");
    assert_int_equal(regions[5].mpi, MPI_FUNCTION_SYNCHRONOUS_SEND);
}

TEST(test_time_zero_is_the_first_event_of_all)
{
    OPENED f = open_text("clock 3000000000\n"
                         "0 9000000003 enter main\n0 9000000006 leave main\n"
                         "1 9000000000 enter main\n1 12000000002 leave main\n"
                         "1 33000000000 enter main\n");
    assert_int_equal(next(&f, 0).time_ns, 1);
    assert_int_equal(next(&f, 0).time_ns, 2);
    assert_int_equal(next(&f, 1).time_ns, 0);
    assert_int_equal(next(&f, 1).time_ns, UINT64_C(1000000000)); // 2/3 ns are cut off
    assert_int_equal(next(&f, 1).time_ns, UINT64_C(8000000000));
}

TEST(test_slow_clock)
{
    OPENED f = open_text("clock 1000\n0 5 enter main\n0 7 leave main\n");
    assert_int_equal(next(&f, 0).time_ns, 0);
    assert_int_equal(next(&f, 0).time_ns, 2000000);
}

TEST(test_clock_offsets_are_interpolated)
{
    OPENED f = open_text("offset 1 0 1000\noffset 1 1000 2000\n"
                         "0 0 enter main\n0 5000 leave main\n"
                         "1 0 enter main\n1 500 enter main\n1 1000 leave main\n");
    assert_int_equal(next(&f, 0).time_ns, 0);
    assert_int_equal(next(&f, 1).time_ns, 1000);
    assert_int_equal(next(&f, 1).time_ns, 2000);
    assert_int_equal(next(&f, 1).time_ns, 3000);
}

TEST(test_negative_clock_offsets)
{
    OPENED f = open_text("offset 1 0 -700\noffset 1 100000 -700\n"
                         "0 1000 enter main\n1 1800 enter main\n");
    assert_int_equal(next(&f, 0).time_ns, 0);
    assert_int_equal(next(&f, 1).time_ns, 100);
}

TEST(test_times_below_zero)
{
    OPENED f = open_text("offset 1 0 -700\noffset 1 100000 -700\n"
                         "0 0 enter main\n1 500 enter main\n1 900 leave main\n");
    assert_int_equal(next(&f, 0).time_ns, 200);
    assert_int_equal(next(&f, 1).time_ns, 0);
    assert_int_equal(next(&f, 1).time_ns, 400);
    assert_int_equal(trace_location_report(f.trace, 1)->n_backward, 0);
}

TEST(test_backward_steps_are_raised_and_counted)
{
    // The writer refuses times that fall, but an offset that shrinks faster than time passes makes
    // them fall in the reader.
    OPENED f = open_text("offset 0 0 10000\noffset 0 1000 5000\n"
                         "offset 0 20000 5000\n"
                         "0 0 enter main\n0 400 enter work\n0 1000 leave work\n"
                         "0 20000 leave main\n");
    assert_int_equal(next(&f, 0).time_ns, 0);
    assert_int_equal(next(&f, 0).time_ns, 0);
    assert_int_equal(next(&f, 0).time_ns, 0);
    assert_int_equal(next(&f, 0).time_ns, 15000);
    assert_int_equal(trace_location_report(f.trace, 0)->n_backward, 2);
}

// A run of N enter/leave pairs whose k-th event is at time k.
static struct fixture open_long(unsigned n)
{
    SCOPED char *text = memory_new((size_t)n * 64 + 1);
    size_t length = 0;
    for (unsigned i = 0; i < n; i++)
        length += (size_t)sprintf(text + length, "0 %u %s main\n", i, i % 2 ? "leave" : "enter");
    return open_text(text);
}

TEST(test_look_ahead_beyond_the_buffer)
{
    enum { N = 5000 };
    OPENED f = open_long(N);
    struct cursor *cursor = trace_cursor(f.trace, 0);
    for (uint32_t ahead = 0; ahead < N; ahead += 7)
        assert_int_equal(trace_peek(f.trace, 0, cursor, ahead)->time_ns, ahead);
    assert_null(trace_peek(f.trace, 0, cursor, N));
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(next(&f, 0).time_ns, i);
        if (i + 100 < N)
            assert_int_equal(trace_peek(f.trace, 0, cursor, 99)->time_ns, i + 100);
    }
    assert_at_end(&f, 0);
    assert_int_equal(trace_location_report(f.trace, 0)->n_read, N);
}

TEST(test_buffer_boundaries)
{
    for (unsigned n = 510; n <= 514; n++) {
        OPENED f = open_long(n);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(next(&f, 0).time_ns, i);
        assert_at_end(&f, 0);
        assert_at_end(&f, 0);
        assert_false(trace_location_report(f.trace, 0)->is_cut);
    }
}
