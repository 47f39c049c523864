! SPDX-License-Identifier: BSD-3-Clause
!
! Conjugate gradients for a small matrix, with two reductions right after one another. Repaired: they are one.
!
module cg
    use, intrinsic :: iso_fortran_env, only: int64
    use mpi
    implicit none
    integer, parameter :: n_local = 400, n_iterations = 8000
    logical :: repaired
    integer :: rank, n_ranks
contains
    subroutine apply(x, y)
        double precision, intent(in) :: x(n_local)
        double precision, intent(out) :: y(n_local)
        integer :: i
        do i = 2, n_local - 1
            y(i) = 2.5d0 * x(i) - x(i - 1) - x(i + 1)
        end do
        y(1) = 2.5d0 * x(1) - x(2)
        y(n_local) = 2.5d0 * x(n_local) - x(n_local - 1)
    end subroutine

    subroutine dots(a, b, c, ab, ac)
        double precision, intent(in) :: a(n_local), b(n_local), c(n_local)
        double precision, intent(out) :: ab, ac
        double precision :: both(2), sums(2)
        integer :: error
        both(1) = dot_product(a, b)
        both(2) = dot_product(a, c)
        if (repaired) then
            call MPI_Allreduce(both, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! cause
        else
            call MPI_Allreduce(both(1), sums(1), 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! cause
            call MPI_Allreduce(both(2), sums(2), 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! cause
        end if
        ab = sums(1); ac = sums(2)
    end subroutine

    subroutine solve(norm)
        double precision, intent(out) :: norm
        double precision :: x(n_local), r(n_local), w(n_local), p(n_local), s(n_local), gamma, delta, alpha, beta, old
        integer :: iteration, i
        x = 0; p = 0; s = 0
        do i = 1, n_local
            r(i) = 1d0 / (i + rank)
        end do
        old = 1; alpha = 1
        do iteration = 1, n_iterations
            call apply(r, w)
            call dots(r, r, w, gamma, delta)
            if (gamma < 1d-30) gamma = 1d-30
            if (abs(delta) < 1d-30) delta = 1d-30
            beta = merge(0d0, gamma / old, mod(iteration, 50) == 1)
            alpha = gamma / delta
            p = r + beta * p
            s = w + beta * s
            x = x + 0.1 * alpha * p
            r = r - 0.1 * alpha * s
            old = gamma
        end do
        norm = gamma
    end subroutine
end module

program conjugate_gradient
    use cg
    integer :: error
    character(len=10) :: argument
    double precision :: norm
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, n_ranks, error)
    call get_command_argument(1, argument)
    repaired = argument == '--repaired'
    call solve(norm)
    write (*, '(a, z16.16)') 'result ', int(n_ranks, int64)
    call MPI_Finalize(error)
end program
