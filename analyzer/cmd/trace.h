// SPDX-License-Identifier: BSD-3-Clause
// `pagoda trace [-o DIR] -- LAUNCHER...`: runs a program under the tracer.
#ifndef PAGODA_CMD_TRACE_H
#define PAGODA_CMD_TRACE_H

/// Runs the launch line with the tracer preloaded and leaves the archive in DIR. Returns the exit
/// status of the launch line (a signal that ended it ends this process, too), 1 if there is no
/// trace because MPI was never started, 2 for wrong usage.
int cmd_trace(int argc, char **argv);

#endif
