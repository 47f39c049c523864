! SPDX-License-Identifier: BSD-3-Clause
! hybrid.c's idle threads, barrier, critical section and loops in Fortran: thread 0 works alone for
! 40 ms, then thread i for 4 * (i + 1) ms; three times.
program hybrid
    use mpi
    use omp_lib
    implicit none
    integer :: rank, level, ierror, round, i
    integer(8) :: total, everything
    integer(omp_lock_kind) :: lock

    call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call omp_init_lock(lock)
    total = 0
    do round = 1, 3
        call work(40)
        !$omp parallel
        call work(4 * (omp_get_thread_num() + 1))
        !$omp barrier
        !$omp critical
        call work(1)
        total = total + 1
        !$omp end critical
        call omp_set_lock(lock)
        total = total + 1
        call omp_unset_lock(lock)
        !$omp end parallel
        !$omp parallel do schedule(dynamic, 2) reduction(+ : total)
        do i = 1, 40
            total = total + i
        end do
        !$omp end parallel do
        !$omp parallel
        !$omp single
        do i = 1, 4
            !$omp task firstprivate(i)
            !$omp atomic
            total = total + i
            !$omp end task
        end do
        !$omp end single
        !$omp end parallel
        call MPI_Allreduce(total, everything, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
    end do
    if (rank == 0) print '(a, i0)', 'sum ', everything
    call MPI_Finalize(ierror)

contains

    ! Sleeping, so that times do not depend on the cores that are free.
    subroutine work(ms)
        use iso_c_binding
        integer, intent(in) :: ms
        interface
            integer(c_int) function usleep(us) bind(c)
                import
                integer(c_int), value :: us
            end function
        end interface
        integer(c_int) :: ignored
        ignored = usleep(int(ms * 1000, c_int))
    end subroutine
end program
