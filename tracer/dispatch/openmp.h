// SPDX-License-Identifier: BSD-3-Clause
// Which of gomp.c and ompt.c records the threads of this process: the first one that could.
#pragma once

#include <stdbool.h>

/// A team was recorded by gomp.c; the runtime has accepted ompt.c as its tool.
extern bool openmp_has_gomp, openmp_has_tool;
