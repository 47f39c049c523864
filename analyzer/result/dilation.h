// SPDX-License-Identifier: BSD-3-Clause
// How much slower recording makes a program.
#pragma once

#include <math.h>

/// How many times as long as the untraced run the traced one took; NAN when that is not known.
static inline double dilation(double traced_ns, double untraced_ns)
{
    return untraced_ns > 0 ? traced_ns / untraced_ns : NAN;
}

/// Estimates above it are not shown as a number: the cost of a record is measured after the run,
/// and on a busy machine it can come out longer than all the time the records took.
#define DILATION_MOST 20

/// The share of a rank's time between MPI_Init and MPI_Finalize from which on recording is warned
/// of: so much of the parallel efficiency, which is computing in run time, may be the recording.
/// Between repeated runs efficiencies differ by a few hundredths, too, so that less would not be
/// seen.
#define DILATION_WARNED_SHARE 0.05

/// The rule for those who give none: a function so short spends at least one part in thirty on
/// its own two records, and one called less often costs no more than some 0.1 ms in all.
#define REDUCTION_DEFAULT_RULE "numcalls > 1000 & usecs/call < 2"
