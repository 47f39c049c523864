// SPDX-License-Identifier: BSD-3-Clause
// How a master hands out the tasks of its farm (farm.h): in which order, to whom, and what that
// costs. What a policy (policy.h) does not say is as it was recorded.
#ifndef PAGODA_SIMULATION_DEALT_DEALING_H
#define PAGODA_SIMULATION_DEALT_DEALING_H

#include <stdint.h>

enum dealing_order {
    DEALING_RECORDED,
    DEALING_LONGEST_FIRST, // by their recorded work, ties as recorded
    DEALING_SHORTEST_FIRST,
};

enum dealing_to {
    DEALING_NEXT_FREE, // whoever has answered
    DEALING_IN_TURN,   // the i-th task is for worker i modulo their number, when that has answered
    DEALING_IN_BLOCKS, // the first worker gets the first n-th of the tasks, one after the other,
                       // ...
};

/// Of messages and of the master's own doing (farm.h says what each is).
struct farm_costs {
    uint64_t task_flight_ns, answer_flight_ns, receive_ns;
    uint64_t before_ns, after_ns, tail_ns, gap_ns;
};

struct dealing {
    enum dealing_order order;
    enum dealing_to to;
    uint64_t task_ns;        // work of each task, PAG_NOT_KNOWN: its own
    struct farm_costs costs; // PAG_NOT_KNOWN: the means of the recorded phase
};

/// As recorded, each task for whoever is free.
extern const struct dealing dealing_recorded;

#endif
