! SPDX-License-Identifier: BSD-3-Clause
!
! A multigrid cycle whose coarse levels are solved by rank 0 alone, with many sweeps, while the others
! wait for their part. Repaired: the ranks sweep the coarse levels together, too.
!
module multigrid_levels
    use, intrinsic :: iso_fortran_env, only: int64
    use mpi
    implicit none
    integer, parameter :: n_cycles = 40, n_levels = 3, n_fine = 65536
    type level_type
        integer :: n
        double precision, allocatable :: u(:), f(:), r(:)
    end type
    type(level_type) :: levels(n_levels)
    double precision, allocatable :: all_f(:)
    logical :: repaired
    integer :: rank, n_ranks, left, right
contains
    subroutine exchange_edges(u, n)
        integer, intent(in) :: n
        double precision, intent(inout) :: u(0:n + 1)
        integer :: error
        call MPI_Sendrecv(u(n), 1, MPI_DOUBLE_PRECISION, right, 1, u(0), 1, MPI_DOUBLE_PRECISION, left, 1, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call MPI_Sendrecv(u(1), 1, MPI_DOUBLE_PRECISION, left, 2, u(n + 1), 1, MPI_DOUBLE_PRECISION, right, 2, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine smooth(u, f, r, n, n_sweeps)
        integer, intent(in) :: n, n_sweeps
        double precision, intent(inout) :: u(0:n + 1), r(0:n + 1)
        double precision, intent(in) :: f(0:n + 1)
        integer :: sweep, i
        do sweep = 1, n_sweeps
            do i = 1, n
                r(i) = (u(i - 1) + u(i + 1) + f(i)) / 2.1d0 ! cause
            end do
            u(1:n) = r(1:n)
        end do
    end subroutine

    subroutine restrict_residual(from, to)
        type(level_type), intent(inout) :: from, to
        integer :: i
        do i = 1, to%n
            to%f(i) = from%f(2 * i) - 2.1d0 * from%u(2 * i) + from%u(2 * i - 1) + from%u(2 * i + 1)
        end do
        to%u = 0
    end subroutine

    subroutine prolong(from, to)
        type(level_type), intent(inout) :: from, to
        integer :: i
        do i = 1, from%n
            to%u(2 * i) = to%u(2 * i) + from%u(i)
            to%u(2 * i - 1) = to%u(2 * i - 1) + (from%u(i) + from%u(i - 1)) / 2
        end do
    end subroutine

    ! The sweeps over the coarse levels, of n points.
    subroutine coarse_sweeps(u, f, r, n)
        integer, intent(in) :: n
        double precision, intent(inout) :: u(0:n + 1), r(0:n + 1)
        double precision, intent(in) :: f(0:n + 1)
        call smooth(u, f, r, n, 400) ! cause
    end subroutine

    subroutine solve_coarse(level)
        type(level_type), intent(inout) :: level
        double precision :: all_u(0:n_ranks * level%n + 1), all_r(0:n_ranks * level%n + 1)
        integer :: error
        if (repaired) then
            call coarse_sweeps(level%u, level%f, level%r, level%n)
            return
        end if
        call MPI_Gather(level%f(1), level%n, MPI_DOUBLE_PRECISION, all_f(1), level%n, & ! cause
                        MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error) ! cause
        all_u = 0
        if (rank == 0) call coarse_sweeps(all_u, all_f, all_r, n_ranks * level%n) ! cause
        call MPI_Scatter(all_u(1), level%n, MPI_DOUBLE_PRECISION, level%u(1), level%n, & ! cause
                         MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error) ! cause
    end subroutine

    recursive subroutine v_cycle(l)
        integer, intent(in) :: l
        if (l == n_levels) then
            call solve_coarse(levels(l)) ! cause
            return
        end if
        call smooth(levels(l)%u, levels(l)%f, levels(l)%r, levels(l)%n, 40)
        call exchange_edges(levels(l)%u, levels(l)%n)
        call restrict_residual(levels(l), levels(l + 1))
        call v_cycle(l + 1)
        call exchange_edges(levels(l + 1)%u, levels(l + 1)%n)
        call prolong(levels(l + 1), levels(l))
        call smooth(levels(l)%u, levels(l)%f, levels(l)%r, levels(l)%n, 40)
    end subroutine
end module

program multigrid
    use multigrid_levels
    integer :: error, l, cycle_number
    character(len=10) :: argument
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, n_ranks, error)
    call get_command_argument(1, argument)
    repaired = argument == '--repaired'
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < n_ranks - 1)
    do l = 1, n_levels
        levels(l)%n = n_fine / 2**(l - 1) / n_ranks
        allocate (levels(l)%u(0:levels(l)%n + 1), levels(l)%f(0:levels(l)%n + 1), levels(l)%r(0:levels(l)%n + 1))
        levels(l)%u = 0; levels(l)%f = 1; levels(l)%r = 0
    end do
    allocate (all_f(0:n_fine + 1))
    all_f = 0
    do cycle_number = 1, n_cycles
        call v_cycle(1)
    end do
    write (*, '(a, z16.16)') 'result ', int(n_cycles, int64)
    call MPI_Finalize(error)
end program
