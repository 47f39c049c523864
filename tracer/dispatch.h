// SPDX-License-Identifier: BSD-3-Clause
// Contract between the preloaded dispatcher (knows no MPI) and a recorder (built for one MPI).
#ifndef PAGODA_TRACER_DISPATCH_H
#define PAGODA_TRACER_DISPATCH_H

#include "tracer/pagoda.h"

#define DISPATCH_VERSION 1

typedef void (*function_pointer)(void);

// What the dispatcher offers to the recorder it loads. The structure lives as long as the process.
struct dispatcher {
    int version;
    const char *spool_dir; // absolute path of the folder the records go to
    // The definition of an MPI function that follows the dispatcher's own: another tool's, or the
    // MPI library's. NULL if the library loaded in this process has no such function.
    function_pointer (*next)(const char *name);
    // Makes calls of MPI function `name` go to `wrapper` from now on.
    void (*publish)(const char *name, function_pointer wrapper);
};

// What the recorder hands back: where user regions go. All members are set.
struct recorder {
    void (*function_enter)(void *function);
    void (*function_leave)(void *function);
    struct pagoda_trace_api api;
};

// The one function a recorder library exports, as "pagoda_recorder_attach". Returns NULL if it
// cannot work with this MPI library; the program then runs untraced.
typedef const struct recorder *(*recorder_attach)(const struct dispatcher *dispatcher);

#endif
