// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

void called_from_library(void);
