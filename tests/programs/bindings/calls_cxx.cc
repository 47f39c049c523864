// SPDX-License-Identifier: BSD-3-Clause
// The C++ bindings of MPI-2, which both MPIs still have in Debian. On 4 ranks.
#include <mpi.h>

#include <iostream>

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    MPI::Intracomm &world = MPI::COMM_WORLD;
    int rank = world.Get_rank();
    int size = world.Get_size();
    int value = rank;
    int received = -1;
    MPI::Status status;

    world.Sendrecv(&value, 1, MPI::INT, (rank + 1) % size, 1, &received, 1, MPI::INT,
                   (rank + size - 1) % size, 1, status);
    MPI::Request requests[2] = {world.Irecv(&received, 1, MPI::INT, MPI::ANY_SOURCE, 2),
                                world.Isend(&value, 1, MPI::INT, (rank + 1) % size, 2)};
    MPI::Request::Waitall(2, requests);
    MPI::Intracomm half = world.Split(rank % 2, rank);
    half.Barrier();
    half.Free();
    world.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    bool caught = false;
    try {
        world.Send(&value, 1, MPI::INT, size + 1, 3);
    } catch (MPI::Exception &error) {
        caught = error.Get_error_class() == MPI::ERR_RANK;
    }
    int sum = 0;
    world.Reduce(&received, &sum, 1, MPI::INT, MPI::SUM, 0);
    if (rank == 0)
        std::cout << sum << (caught ? " caught" : " not caught") << std::endl;
    MPI::Finalize();
}
