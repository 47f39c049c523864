// SPDX-License-Identifier: BSD-3-Clause
// Runs one step of a point of a sweep in a process of its own, with a time limit.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"

struct process_start {
    const char *program; // path of what is run
    char **words;        // its arguments, up to NULL
    const char *output;  // files of standard output and error; standard input is empty
    const char *errors;
    uint64_t limit_ns; // 0: none
    bool hands_on;     // it passes a request to end on to what it has started
};

/// How it ended.
struct process_end {
    int status; // exit status; 128 + number of the signal that ended it
    bool is_over_limit;
    bool is_interrupted; // by a signal to this process
    uint64_t wall_ns;
};

/// The program that this is.
#define PROCESS_PAGODA "/proc/self/exe"

/// The time on a clock that never steps back.
uint64_t process_now_ns(void);

/// Past its limit, or when SIGINT, SIGTERM or SIGHUP comes, the run is asked to end and five
/// seconds later killed, with all it has started. It ends with this process, however that ends. 0,
/// or -1 and ERR: not started.
int process_run(const struct process_start *start, struct process_end *end, struct error *err);
