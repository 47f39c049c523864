// SPDX-License-Identifier: BSD-3-Clause
// What a task farm's messages tell of its workers, in simulated time.

#include "analyzer/simulation/dealt/farm.h"
#include "tests/unit/unit_test.h"

enum { TASK_NS = 1000, SENDING_NS = 70, OWN_NS = 30 };
enum { SEND, PROBE, RECEIVE, COUNT };

static struct region regions[] = {
    [SEND] = {.mpi = MPI_FUNCTION_STANDARD_SEND, .mpi_class = MPI_CLASS_POINT_TO_POINT},
    [PROBE] = {.mpi = MPI_FUNCTION_PROBE, .mpi_class = MPI_CLASS_POINT_TO_POINT},
    [RECEIVE] = {.mpi = MPI_FUNCTION_OTHER, .mpi_class = MPI_CLASS_POINT_TO_POINT},
    [COUNT] = {.mpi = MPI_FUNCTION_OTHER, .mpi_class = MPI_CLASS_MANAGEMENT}};
static const struct definitions definitions = {.regions = regions};

/// The master sends a task to rank 1, which has it at once.
static void hand_out(const struct pag_listener *listener, uint64_t begin_ns)
{
    listener->message.tell(listener->message.context,
                           &(struct pag_message){.sender = 0,
                                                 .receiver = 1,
                                                 .send_enter_ns = begin_ns,
                                                 .send_leave_ns = begin_ns,
                                                 .enter_ns = begin_ns,
                                                 .leave_ns = begin_ns});
}

/// Task I goes to rank 1, which answers it. The call that sends the answer takes SENDING_NS; the
/// master has received it before that is over.
static void deal(const struct pag_listener *listener, uint64_t i)
{
    uint64_t begin_ns = i * 2 * TASK_NS, done_ns = begin_ns + TASK_NS;
    hand_out(listener, begin_ns);
    listener->message.tell(listener->message.context,
                           &(struct pag_message){.sender = 1,
                                                 .receiver = 0,
                                                 .send_enter_ns = done_ns,
                                                 .send_leave_ns = PAG_NOT_KNOWN,
                                                 .enter_ns = begin_ns,
                                                 .leave_ns = done_ns + 1});
    // Of the master, then of the worker: the call itself, and another one that begins with it.
    const struct pag_called calls[] = {
        {.rank = 0, .enter_ns = done_ns, .leave_ns = done_ns + 1},
        {.rank = 1, .enter_ns = done_ns, .leave_ns = done_ns + SENDING_NS},
        {.rank = 1, .enter_ns = done_ns, .leave_ns = done_ns + TASK_NS},
    };
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
        listener->called.tell(listener->called.context, &calls[k]);
}

TEST(an_answer_takes_as_long_as_its_call)
{
    struct farm_messages messages = {.master = 0, .definitions = &definitions};
    const struct pag_listener listener = farm_listener(&messages);
    for (uint64_t i = 0; i < 10; i++)
        deal(&listener, i);
    struct farm farm;
    struct error err = {{0}};
    assert_int_equal(farm_analyse(&farm, &messages, &err), 0);
    assert_int_equal(farm.n_phases, 1);
    assert_int_equal(farm.phases[0].n_tasks, 10);
    assert_int_equal(farm.phases[0].answering_ns, SENDING_NS);
    farm_release(&farm);
    farm_messages_release(&messages);
}

/// Task I goes to rank 1. The master has OWN_NS to do, then probes until the answer comes, and
/// receives it; if IS_LATE, another receive in between took what it probed for.
static void deal_and_probe(const struct pag_listener *listener, uint64_t i, bool is_late)
{
    uint64_t begin_ns = i * 2 * TASK_NS, done_ns = begin_ns + TASK_NS, end_ns = done_ns + 20;
    hand_out(listener, begin_ns);
    const struct pag_called calls[] = {
        {.rank = 0, .region = SEND, .enter_ns = begin_ns, .leave_ns = begin_ns},
        {.rank = 0, .region = PROBE, .enter_ns = begin_ns + OWN_NS, .leave_ns = done_ns + 1},
        {.rank = 0, .region = COUNT, .enter_ns = done_ns + 2, .leave_ns = done_ns + 2},
        {.rank = 0, .region = RECEIVE, .enter_ns = done_ns + 3, .leave_ns = done_ns + 4},
    };
    for (size_t k = 0; k < (is_late ? 4 : 3); k++)
        listener->called.tell(listener->called.context, &calls[k]);
    listener->message.tell(listener->message.context,
                           &(struct pag_message){.sender = 1,
                                                 .receiver = 0,
                                                 .send_enter_ns = done_ns,
                                                 .send_leave_ns = end_ns,
                                                 .enter_ns = done_ns + 5,
                                                 .leave_ns = end_ns});
}

TEST(a_master_waits_from_where_it_probes)
{
    for (int is_late = 0; is_late < 2; is_late++) {
        struct farm_messages messages = {.master = 0, .definitions = &definitions};
        const struct pag_listener listener = farm_listener(&messages);
        for (uint64_t i = 0; i < 10; i++)
            deal_and_probe(&listener, i, is_late);
        struct farm farm;
        struct error err = {{0}};
        assert_int_equal(farm_analyse(&farm, &messages, &err), 0);
        assert_int_equal(farm.phases[0].costs_ns[FARM_AFTER], is_late ? TASK_NS + 5 : OWN_NS);
        farm_release(&farm);
        farm_messages_release(&messages);
    }
}
