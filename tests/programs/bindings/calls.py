# SPDX-License-Identifier: BSD-3-Clause
"""MPI calls of mpi4py: of buffers and of pickled objects. On 4 ranks; rank 0 prints a result."""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
size = world.Get_size()
right = (rank + 1) % size
left = (rank - 1) % size

sent = array("i", [rank])
received = array("i", [-1])
requests = [world.Irecv(received, left, 1), world.Isend(sent, right, 1)]
MPI.Request.Waitall(requests)
assert received[0] == left
status = MPI.Status()
world.Sendrecv(sent, right, 2, received, left, 2, status)
assert status.Get_source() == left and status.Get_count(MPI.INT) == 1

objects = world.gather({"rank": rank}, root=0)
word = world.bcast("word" if rank == 0 else None, root=0)
total = world.allreduce(rank)
world.Allreduce(MPI.IN_PLACE, received, MPI.SUM)
if rank == 0:
    world.send([1, 2, 3], dest=1, tag=3)
elif rank == 1:
    assert world.recv(source=MPI.ANY_SOURCE, tag=3) == [1, 2, 3]
half = world.Split(rank % 2, rank)
copy = half.Dup()
copy.Barrier()
copy.Free()
half.Free()
persistent = world.Recv_init(received, left, 4)
persistent.Start()
world.Ssend(sent, right, 4) if rank % 2 == 0 else None
persistent.Wait() if rank % 2 == 1 else persistent.Cancel()
if rank % 2 == 0:
    persistent.Wait()
persistent.Free()
kind = MPI.INT.Create_vector(2, 1, 2).Commit()
kind.Free()
try:
    world.Send(sent, size + 1, 5)
except MPI.Exception as error:
    assert error.Get_error_class() == MPI.ERR_RANK
world.Barrier()
if rank == 0:
    print(len(objects), word, total, received[0] >= 0)
