! SPDX-License-Identifier: BSD-3-Clause
! Calls from a module procedure, an external one and the main program. Of a call
! through an interface with nothing but an intent(out) argument gfortran 12 does not know the line.
module halo
   use mpi
   implicit none
contains
   subroutine exchange(value)
      integer, intent(inout) :: value
      integer :: error

      call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error) ! site: module
      value = value + error
   end subroutine
end module

subroutine finish
   implicit none
   include 'mpif.h'
   integer :: error

   call MPI_Finalize(error) ! site: external
end subroutine

program heat
   use halo, only: exchange
   implicit none
   include 'mpif.h'
   integer :: value, error

   value = 1
   call MPI_Init(error) ! site: program
   call exchange(value) ! site: exchange
   call finish
end program
