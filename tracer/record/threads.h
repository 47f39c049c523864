// SPDX-License-Identifier: BSD-3-Clause
// Records of POSIX threads: who makes whom, and where they wait for each other.
#ifndef PAGODA_TRACER_THREADS_H
#define PAGODA_TRACER_THREADS_H

#include "tracer/dispatch/dispatch.h"

/// After the settings have been read.
const struct thread_recorder *thread_recorder_start(void);

#endif
