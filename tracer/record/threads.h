// SPDX-License-Identifier: BSD-3-Clause
// Records of POSIX threads: who makes whom, and where they wait for each other.
#pragma once

#include "tracer/dispatch/dispatch.h"

/// After the settings have been read.
const struct thread_recorder *thread_recorder_start(void);
