! SPDX-License-Identifier: BSD-3-Clause
! The MPI calls of calls.c in Fortran: with mpif.h (-DUSE_MPIF_H), `use mpi` (-DUSE_MPI) or
! `use mpi_f08` (-DUSE_MPI_F08).
#ifdef USE_MPI_F08
#define HANDLE(kind) type(kind)
#define STATUS type(MPI_Status)
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#define FIRST(statuses) statuses(1)
#else
#define HANDLE(kind) integer
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#define FIRST(statuses) statuses(:, 1)
#endif

module calls
#ifdef USE_MPI_F08
  use mpi_f08
#endif
#ifdef USE_MPI
  use mpi
#endif
  implicit none
#ifdef USE_MPIF_H
  include 'mpif.h'
#endif
  integer, parameter :: n = 4
  integer :: rank, n_ranks, right, left, ierr
  integer :: total = 0, n_deleted = 0, n_handled = 0

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print *, 'rank ', rank, ': ', what, ' is wrong'
      stop 1
    end if
  end subroutine

  subroutine blocking()
    integer :: value, other, count, size
    logical :: flag
    character :: buffer(2048)
#ifdef USE_MPI_F08
    type(MPI_Status) :: status
#else
    integer :: status(MPI_STATUS_SIZE)
#endif
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Message) :: message
#ifdef USE_MPI_F08
    block
      use iso_c_binding
      type(c_ptr) :: detached
#else
      integer :: detached
#endif
    value = rank
    other = -1
    if (mod(rank, 2) == 0) then
      call MPI_Send(value, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierr)
      call MPI_Ssend(value, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierr)
      call MPI_Buffer_attach(buffer, 2048, ierr)
      call MPI_Bsend(value, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, ierr)
      call MPI_Buffer_detach(detached, size, ierr)
      call MPI_Send(value, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, ierr)
    else
      call MPI_Recv(other, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(other, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                    status, ierr)
      call MPI_Get_count(status, MPI_INTEGER, count, ierr)
      call expect(SOURCE_OF(status) == left .and. TAG_OF(status) == 2 .and. count == 1, 'status')
      call MPI_Probe(left, 3, MPI_COMM_WORLD, status, ierr)
      call MPI_Iprobe(left, 3, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
      call expect(flag, 'Iprobe')
      call MPI_Recv(other, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, status, ierr)
      call MPI_Mprobe(left, 4, MPI_COMM_WORLD, message, status, ierr)
      call MPI_Mrecv(other, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE, ierr)
      total = total + other
    end if
#ifdef USE_MPI_F08
    end block
#endif
    call MPI_Irecv(other, 1, MPI_INTEGER, left, 5, MPI_COMM_WORLD, request, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Rsend(value, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    total = total + other
    call MPI_Sendrecv(value, 1, MPI_INTEGER, right, 6, other, 1, MPI_INTEGER, left, 6, &
                      MPI_COMM_WORLD, status, ierr)
    call MPI_Sendrecv_replace(other, 1, MPI_INTEGER, left, 7, right, 7, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, ierr)
    call expect(other == rank, 'Sendrecv_replace')
    call MPI_Send(value, 1, MPI_INTEGER, MPI_PROC_NULL, 8, MPI_COMM_WORLD, ierr)
    call MPI_Recv(value, 1, MPI_INTEGER, MPI_PROC_NULL, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine

  subroutine nonblocking()
    integer :: sent(n), received(n), indices(n)
    integer :: round, i, index, n_done
    logical :: flag
    HANDLE(MPI_Request) :: requests(2 * n)
    STATUSES(statuses, 2 * n)
    asynchronous :: sent, received

    do round = 0, 2
      do i = 1, n
        sent(i) = rank + i - 1
        call MPI_Irecv(received(i), 1, MPI_INTEGER, left, 9 + i, MPI_COMM_WORLD, requests(i), ierr)
      end do
      do i = 1, n
        call MPI_Isend(sent(i), 1, MPI_INTEGER, right, 9 + i, MPI_COMM_WORLD, requests(n + i), ierr)
      end do
      if (round == 0) then
        call MPI_Waitall(2 * n, requests, statuses, ierr)
      else if (round == 1) then
        call MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE, ierr)
      else
        do i = 1, 2 * n
          call MPI_Waitany(2 * n, requests, index, FIRST(statuses), ierr)
        end do
      end if
      total = total + received(n)
    end do
    call MPI_Waitall(0, requests, statuses, ierr)
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
    call MPI_Testall(2 * n, requests, flag, MPI_STATUSES_IGNORE, ierr)
    call expect(flag, 'Testall')
    call MPI_Irecv(received(1), 1, MPI_INTEGER, left, 20, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Issend(sent(1), 1, MPI_INTEGER, right, 20, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitsome(1, requests, n_done, indices, statuses, ierr)
    call MPI_Wait(requests(2), FIRST(statuses), ierr)
    call MPI_Irecv(received(1), 1, MPI_INTEGER, left, 99, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Cancel(requests(1), ierr)
    call MPI_Wait(requests(1), FIRST(statuses), ierr)
    call MPI_Test_cancelled(FIRST(statuses), flag, ierr)
    call expect(flag, 'Cancel')
    ! Persistent ones.
    call MPI_Recv_init(received(1), 1, MPI_INTEGER, left, 21, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Send_init(sent(1), 1, MPI_INTEGER, right, 21, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Startall(2, requests, ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
    call MPI_Start(requests(1), ierr)
    call MPI_Start(requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)
    total = total + received(1)
  end subroutine

#ifdef USE_MPI_F08
  subroutine add(in, inout, length, datatype)
    use iso_c_binding
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    b = b + a
    if (.false.) print *, datatype%MPI_VAL
  end subroutine
#else
  subroutine add(in, inout, length, datatype)
    integer :: length, datatype
    integer :: in(length), inout(length)
    inout = inout + in
    if (.false.) print *, datatype
  end subroutine
#endif

  subroutine collectives()
    integer :: one, sum, i
    integer :: many(n), others(n), ones(n), places(n), bytes(n)
    HANDLE(MPI_Datatype) :: types(n)
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Op) :: op

    one = rank + 1
    sum = 0
    ones = 1
    places = [0, 1, 2, 3]
    bytes = [0, 4, 8, 12]
    types = MPI_INTEGER
    do i = 1, n
      many(i) = rank * n + i - 1
      others(i) = many(i)
    end do
    call MPI_Bcast(many, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call MPI_Reduce(one, sum, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) then
      call MPI_Reduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_MAX, 1, MPI_COMM_WORLD, ierr)
    else
      call MPI_Reduce(one, one, 1, MPI_INTEGER, MPI_MAX, 1, MPI_COMM_WORLD, ierr)
    end if
    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    total = total + sum
    call MPI_Gather(one, 1, MPI_INTEGER, many, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call MPI_Gatherv(one, 1, MPI_INTEGER, many, ones, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      call MPI_Scatter(many, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    else
      call MPI_Scatter(many, 1, MPI_INTEGER, one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    end if
    call MPI_Scatterv(many, ones, places, MPI_INTEGER, one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 1, MPI_INTEGER, MPI_COMM_WORLD, &
                       ierr)
    call MPI_Allgatherv(one, 1, MPI_INTEGER, many, ones, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Alltoall(many, 1, MPI_INTEGER, others, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Alltoallv(many, ones, places, MPI_INTEGER, others, ones, places, MPI_INTEGER, &
                       MPI_COMM_WORLD, ierr)
    call MPI_Alltoallw(many, ones, bytes, types, others, ones, bytes, types, MPI_COMM_WORLD, ierr)
    call MPI_Reduce_scatter(many, one, ones, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Reduce_scatter_block(many, one, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, ierr)
    call MPI_Scan(one, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    sum = 0
    call MPI_Exscan(one, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    total = total + sum
    call MPI_Ibarrier(MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Iallreduce(one, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Op_create(add, .true., op, ierr)
    call MPI_Allreduce(one, sum, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
    call MPI_Op_free(op, ierr)
    total = total + sum
  end subroutine

  subroutine communicators()
    HANDLE(MPI_Comm) :: half, copy, row, created, both, inter, grid
    HANDLE(MPI_Group) :: all, pair
    integer :: dims(2), coords(2), members(2)
    integer :: size, result, length, from, to, owner
    character(MPI_MAX_OBJECT_NAME) :: name

    members = [0, 1]
    dims = 0
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
    call MPI_Comm_dup(half, copy, ierr)
    call MPI_Comm_compare(half, copy, result, ierr)
    call expect(result == MPI_CONGRUENT, 'Comm_compare')
    call MPI_Comm_set_name(half, 'half', ierr)
    call MPI_Comm_get_name(half, name, length, ierr)
    call expect(name == 'half' .and. length == 4, 'Comm_get_name')
    call MPI_Barrier(copy, ierr)
    call MPI_Comm_free(copy, ierr)
    call MPI_Comm_group(MPI_COMM_WORLD, all, ierr)
    call MPI_Group_incl(all, 2, members, pair, ierr)
    call MPI_Comm_create(MPI_COMM_WORLD, pair, created, ierr)
    if (created /= MPI_COMM_NULL) call MPI_Comm_free(created, ierr)
    call MPI_Group_free(pair, ierr)
    call MPI_Group_free(all, ierr)
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 30, inter, ierr)
    call MPI_Comm_remote_size(inter, size, ierr)
    call expect(size == 2, 'Comm_remote_size')
    call MPI_Intercomm_merge(inter, .false., both, ierr)
    call MPI_Barrier(inter, ierr)
    call MPI_Comm_free(both, ierr)
    call MPI_Comm_free(inter, ierr)
    call MPI_Comm_free(half, ierr)
    call MPI_Dims_create(n, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid, ierr)
    call MPI_Cart_coords(grid, rank, 2, coords, ierr)
    call MPI_Cart_rank(grid, coords, owner, ierr)
    call expect(owner == rank, 'Cart_rank')
    call MPI_Cart_shift(grid, 0, 1, from, to, ierr)
    call MPI_Cart_sub(grid, [.false., .true.], row, ierr)
    call MPI_Barrier(row, ierr)
    call MPI_Comm_free(row, ierr)
    call MPI_Comm_free(grid, ierr)
  end subroutine

  subroutine datatypes()
    integer, asynchronous :: number
    double precision, asynchronous :: real
    integer :: lengths(2), size, position, numbers(2)
    integer(MPI_ADDRESS_KIND) :: places(2), lb, extent
    HANDLE(MPI_Datatype) :: parts(2), at_bottom, vector
    character :: packed(64)

    number = rank
    real = rank + 0.5
    lengths = 1
    numbers = [1, 2]
    parts(1) = MPI_INTEGER
    parts(2) = MPI_DOUBLE_PRECISION
    call MPI_Type_vector(2, 1, 3, MPI_INTEGER, vector, ierr)
    call MPI_Type_commit(vector, ierr)
    call MPI_Type_size(vector, size, ierr)
    call MPI_Type_get_extent(vector, lb, extent, ierr)
    call expect(size == 8 .and. extent == 16, 'Type_vector')
    call MPI_Type_free(vector, ierr)
    call MPI_Get_address(number, places(1), ierr)
    call MPI_Get_address(real, places(2), ierr)
    call MPI_Type_create_struct(2, lengths, places, parts, at_bottom, ierr)
    call MPI_Type_commit(at_bottom, ierr)
    if (rank == 0) call MPI_Send(MPI_BOTTOM, 1, at_bottom, 1, 40, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(MPI_BOTTOM, 1, at_bottom, 0, 40, MPI_COMM_WORLD, &
                                 MPI_STATUS_IGNORE, ierr)
    call expect(rank /= 1 .or. (number == 0 .and. abs(real - 0.5) < 0.1), 'MPI_BOTTOM')
    call MPI_Type_free(at_bottom, ierr)
    call MPI_Pack_size(2, MPI_INTEGER, MPI_COMM_WORLD, size, ierr)
    position = 0
    call MPI_Pack(numbers, 2, MPI_INTEGER, packed, 64, position, MPI_COMM_WORLD, ierr)
    position = 0
    call MPI_Unpack(packed, 64, position, numbers, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    total = total + numbers(1) + numbers(2)
  end subroutine

  subroutine deleted(comm, key, value, extra, error)
    HANDLE(MPI_Comm) :: comm
    integer :: key, error
    integer(MPI_ADDRESS_KIND) :: value, extra
    n_deleted = n_deleted + 1
    error = MPI_SUCCESS
    if (.false.) print *, comm == MPI_COMM_NULL, key, value, extra
  end subroutine

  subroutine handled(comm, code)
    HANDLE(MPI_Comm) :: comm
    integer :: code
    n_handled = n_handled + 1
    if (.false.) print *, comm == MPI_COMM_NULL, code
  end subroutine

  subroutine callbacks_and_errors()
    integer :: key, class_of, length, code
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    character(MPI_MAX_ERROR_STRING) :: text
    HANDLE(MPI_Errhandler) :: handler

    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call expect(flag .and. value >= 32767, 'MPI_TAG_UB')
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, key, 0_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 5_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, ierr)
    call expect(flag .and. value == 5, 'Comm_get_attr')
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call MPI_Comm_free_keyval(key, ierr)
    call MPI_Comm_create_errhandler(handled, handler, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierr)
    call MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Send(key, 1, MPI_INTEGER, n_ranks + 1, 50, MPI_COMM_WORLD, code)
    call MPI_Error_class(code, class_of, ierr)
    call MPI_Error_string(code, text, length, ierr)
    call expect(class_of == MPI_ERR_RANK .and. length > 0, 'the error')
    call expect(n_deleted == 1 .and. n_handled == 1, 'the number of callbacks')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  end subroutine

  subroutine others(path)
    character(*), intent(in) :: path
    integer :: value
    logical :: flag
    character(16) :: text
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Info) :: info

    value = rank
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'key', 'value', ierr)
    call MPI_Info_get(info, 'key', 16, text, flag, ierr)
    call expect(flag .and. text == 'value', 'Info_get')
    call MPI_Info_free(info, ierr)
    call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, &
                       ierr)
    call MPI_File_write_at(file, int(4 * rank, MPI_OFFSET_KIND), value, 1, MPI_INTEGER, &
                           MPI_STATUS_IGNORE, ierr)
    call MPI_File_read_at(file, int(4 * rank, MPI_OFFSET_KIND), value, 1, MPI_INTEGER, &
                          MPI_STATUS_IGNORE, ierr)
    call expect(value == rank, 'File_read_at')
    call MPI_File_close(file, ierr)
    call MPI_Pcontrol(1)
  end subroutine
end module

program main
  use calls
  implicit none
  logical :: before
  integer :: version, subversion, length
  integer :: totals(n)
  character(MPI_MAX_PROCESSOR_NAME) :: name
  character(MPI_MAX_LIBRARY_VERSION_STRING) :: library
  character(4096) :: path
  double precision :: started

  call MPI_Initialized(before, ierr)
  call expect(.not. before, 'Initialized')
  call MPI_Finalized(before, ierr)
  call MPI_Get_version(version, subversion, ierr)
  call MPI_Get_library_version(library, length, ierr)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks, ierr)
  call expect(n_ranks == n, 'the number of ranks')
  call MPI_Get_processor_name(name, length, ierr)
  started = MPI_Wtime()
  right = mod(rank + 1, n)
  left = mod(rank + n - 1, n)
  call blocking()
  call nonblocking()
  call collectives()
  call communicators()
  call datatypes()
  call callbacks_and_errors()
  call get_command_argument(1, path)
  call others(trim(path))
  call expect(MPI_Wtime() >= started .and. MPI_Wtick() < 1, 'Wtime')
  call MPI_Gather(total, 1, MPI_INTEGER, totals, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(I0, " ", I0, " ", I0, " ", I0)', totals
  call MPI_Finalize(ierr)
  call MPI_Finalized(before, ierr)
  call MPI_Initialized(before, ierr)
  call expect(before, 'Initialized')
  call MPI_Get_version(version, subversion, ierr)
end program
