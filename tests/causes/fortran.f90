! SPDX-License-Identifier: BSD-3-Clause
!
! Static imbalance in Fortran: a loop over the columns of a triangle, divided by number of columns, so that
! rank 1 has three times the work of rank 0. Repaired: columns are dealt like cards.
!
module triangle
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    integer, parameter :: n_columns = 128
contains
    function factor_column(column) result(x)
        integer, intent(in) :: column
        integer(int64) :: x
        integer(int64) :: i

        x = column
        do i = 1, 1000_int64 * column
            x = ieor(ishft(x, 1), ishft(x, -63)) + i
        end do
    end function

    function factor_columns(rank, n_ranks, repaired) result(x)
        integer, intent(in) :: rank, n_ranks
        logical, intent(in) :: repaired
        integer(int64) :: x
        integer :: column, owner

        x = 0
        do column = 0, n_columns - 1
            owner = column * n_ranks / n_columns
            if (repaired) owner = mod(column, n_ranks)
            if (owner == rank) x = x + factor_column(column) ! cause
        end do
    end function
end module

program fortran
    use mpi
    use triangle
    implicit none
    integer, parameter :: n_steps = 60
    integer :: rank, n_ranks, step, error
    integer(int64) :: x
    double precision :: mine, norm
    logical :: repaired
    character(len=10) :: argument

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, n_ranks, error)
    call get_command_argument(1, argument)
    repaired = argument == '--repaired'
    x = 0
    do step = 1, n_steps
        x = x + factor_columns(rank, n_ranks, repaired) ! cause
        mine = dble(iand(x, 255_int64))
        call MPI_Allreduce(mine, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! cause
    end do
    write (*, '(a, z16.16)') 'result ', x
    call MPI_Finalize(error)
end program
