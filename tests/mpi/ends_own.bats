# SPDX-License-Identifier: BSD-3-Clause
# What the program does to end itself: its calls are in the archive but at most the one it ended in.
# The rows and what holds for each: tests/ends.
load ../helper

@test "MPI_Finalize and return" { ends_row well; }
@test "MPI_Abort on one rank" { ends_row mpi-abort; }
@test "segmentation fault" { ends_row crash; }
@test "abort()" { ends_row abort mpich; }
@test "one rank kills itself, SIGKILL" { ends_row kill; }
@test "exit() without MPI_Finalize" { ends_row exit; }
@test "_exit()" { ends_row _exit; }
@test "quick_exit()" { ends_row quick_exit mpich; }
@test "becomes another program" { ends_row exec mpich; }
@test "_exit() while threads call MPI" { ends_row exit-threads; }
@test "calls after MPI_Finalize" { ends_row after; }
@test "a wrong call after MPI_Finalize" { ends_row after-error; }
