! SPDX-License-Identifier: BSD-3-Clause
!
! A climate model in Fortran: the columns on the side of the day have radiation to compute. This side is the
! domain of rank 0 for half a day, then that of rank 1, so over the whole run the ranks have equal work, but
! in each step one waits for the other. Repaired: each rank has columns on both sides.
!
module atmosphere
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    integer, parameter :: n_columns = 48, half_day = 20
    integer, parameter :: radiation_work = 200000, dynamics_work = 60000
contains
    function rounds(n, seed) result(x)
        integer, intent(in) :: n, seed
        integer(int64) :: x
        integer :: i

        x = seed
        do i = 1, n
            x = ieor(ishft(x, 1), ishft(x, -63)) + i
        end do
    end function

    pure function is_day(column, step) result(day)
        integer, intent(in) :: column, step
        logical :: day

        day = 2 * column / n_columns == mod(step / half_day, 2)
    end function

    function radiation(columns, step) result(x)
        integer, intent(in) :: columns(:), step
        integer(int64) :: x
        integer :: i

        x = 0
        do i = 1, size(columns)
            if (is_day(columns(i), step)) x = x + rounds(radiation_work, columns(i)) ! cause
        end do
    end function

    function dynamics(columns) result(x)
        integer, intent(in) :: columns(:)
        integer(int64) :: x
        integer :: i

        x = 0
        do i = 1, size(columns)
            x = x + rounds(dynamics_work, columns(i))
        end do
    end function
end module

program day_and_night
    use mpi
    use atmosphere
    implicit none
    integer, parameter :: n_steps = 80, n_winds = 500
    integer :: rank, n_ranks, step, error, i
    integer(int64) :: x
    integer, allocatable :: columns(:)
    double precision :: winds(n_winds), other_winds(n_winds)
    logical :: repaired
    character(len=10) :: argument

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, n_ranks, error)
    call get_command_argument(1, argument)
    repaired = argument == '--repaired'
    if (repaired) then
        columns = [(i, i = rank, n_columns - 1, n_ranks)]
    else
        columns = [(i, i = rank * n_columns / n_ranks, (rank + 1) * n_columns / n_ranks - 1)]
    end if
    x = 0
    do step = 0, n_steps - 1
        x = x + dynamics(columns) ! cause
        x = x + radiation(columns, step) ! cause
        winds = dble(iand(x, 255_int64))
        call MPI_Sendrecv(winds, n_winds, MPI_DOUBLE_PRECISION, 1 - rank, 0, & ! cause
            other_winds, n_winds, MPI_DOUBLE_PRECISION, 1 - rank, 0, & ! cause
            MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! cause
    end do
    write (*, '(a, z16.16)') 'result ', x
    call MPI_Finalize(error)
end program
