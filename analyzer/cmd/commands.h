// SPDX-License-Identifier: BSD-3-Clause
// The commands of `pagoda`, one file each. argv[0] is the command's name; each returns an enum
// exit_status. The manual page of a command says what it does.
#pragma once

#include <stdbool.h>

#include "analyzer/base/error.h"

/// Returns the exit status of the launch line. A signal that ended that ends this process, too.
int cmd_trace(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_advise(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_reduce(int argc, char **argv);
int cmd_store(int argc, char **argv);
int cmd_query(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_scaling(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_align(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_explain(int argc, char **argv);

/// Actions of `store` (store_transfer.c), with the action's name in argv[0].
int store_add(int argc, char **argv);
int store_export(int argc, char **argv);
int store_import(int argc, char **argv);
int store_vacuum(int argc, char **argv);

/// Checks a command line of `replay` as far as that goes without its trace; WITH_FILES: machine
/// files and policies, too. Runs and prints nothing. 0, or -1 and ERR. ARGV may be reordered.
int replay_check(int argc, char **argv, bool with_files, struct error *err);
