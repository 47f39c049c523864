! SPDX-License-Identifier: BSD-3-Clause
! Calls from a module procedure, an internal procedure and the main program.
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

program heat
   use halo
   implicit none
   integer :: value, error

   value = 1
   call MPI_Init(error) ! site: program
   call exchange(value) ! site: exchange
   call finish
contains
   subroutine finish
      integer :: error

      call MPI_Finalize(error) ! site: internal
   end subroutine
end program
