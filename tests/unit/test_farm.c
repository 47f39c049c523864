// SPDX-License-Identifier: BSD-3-Clause
// What a task farm's messages tell of its workers, in simulated time.

#include "analyzer/simulation/dealt/farm.h"
#include "tests/unit/unit_test.h"

enum { TASK_NS = 1000, SENDING_NS = 70 };

/// Task I goes to rank 1, which answers it. The call that sends the answer takes SENDING_NS; the
/// master has received it before that is over.
static void deal(const struct pag_listener *listener, uint64_t i)
{
    uint64_t begin_ns = i * 2 * TASK_NS, done_ns = begin_ns + TASK_NS;
    listener->message(listener->context, &(struct pag_message){.sender = 0,
                                                               .receiver = 1,
                                                               .send_enter_ns = begin_ns,
                                                               .send_leave_ns = begin_ns,
                                                               .enter_ns = begin_ns,
                                                               .leave_ns = begin_ns});
    listener->message(listener->context, &(struct pag_message){.sender = 1,
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
        listener->called(listener->context, &calls[k]);
}

TEST(an_answer_takes_as_long_as_its_call)
{
    struct farm_messages messages = {.master = 0};
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
