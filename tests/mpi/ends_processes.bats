# SPDX-License-Identifier: BSD-3-Clause
# Children, other programs, threads, constructors: only the rank itself is recorded, whole.
# The rows and what holds for each: tests/ends.
load ../helper

@test "a child runs on and exits" { ends_row fork; }
@test "a child without the C library" { ends_row fork-raw mpich; }
@test "a child of a callback of MPI" { ends_row fork-in-call; }
@test "children while threads call MPI" { ends_row fork-threads; }
@test "a child becomes the rank" { ends_row fork-before; }
@test "popen, system, fork and exec" { ends_row programs mpich; }
@test "a child that is an MPI program" { ends_row mpi-program; }
@test "MPI_Init in another thread" { ends_row thread; }
@test "MPI_Init in a library constructor" { ends_row constructor mpich; }
@test "MPI_Init in that of a plug-in" { ends_row plugin; }
@test "two programs in one launch line" { ends_row mpmd; }
