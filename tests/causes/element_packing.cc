// SPDX-License-Identifier: BSD-3-Clause
/*
 * Two coupled models in C++: the ocean packs its surface for the atmosphere element by element and
 * looks up each field by its name for each cell, and the atmosphere waits for the message.
 * Repaired: a field is looked up once and copied as a whole.
 */
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#define INNER __attribute__((no_instrument_function))

namespace coupling
{

INNER __attribute__((noinline)) std::uint64_t work(long us, std::uint64_t x)
{
    for (long i = 0; i < us * 930; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

const std::vector<std::string> exchanged = {"sea_surface_temperature", "sea_surface_salinity",
                                            "sea_surface_height", "sea_ice_fraction"};

template <typename Number> class FieldBundle
{
  public:
    explicit FieldBundle(int n_cells) : n_cells(n_cells)
    {
        for (const std::string &name : exchanged)
            fields[name].assign(n_cells, Number(name.size()));
    }
    template <typename Visit> INNER void for_each_cell(Visit visit) const
    {
        for (int cell = 0; cell < n_cells; cell++)
            visit(cell);
    }
    void pack_by_cell(std::vector<Number> &buffer) const
    {
        for (const std::string &name : exchanged)
            for_each_cell([&](int cell)
                              INNER { buffer.push_back(fields.at(name)[cell]); }); // cause
    }
    void pack_by_field(std::vector<Number> &buffer) const
    {
        for (const std::string &name : exchanged) {
            const std::vector<Number> &field = fields.at(name);
            buffer.insert(buffer.end(), field.begin(), field.end());
        }
    }
    void set(int step)
    {
        fields[exchanged[0]][0] = Number(step);
    }

  private:
    const int n_cells;
    std::map<std::string, std::vector<Number>> fields;
};

class Ocean
{
  public:
    Ocean(int n_cells, bool repaired) : surface(n_cells), repaired(repaired)
    {
    }
    std::uint64_t advance(int step)
    {
        surface.set(step);
        return work(3000, step);
    }
    void send_surface()
    {
        buffer.clear();
        if (repaired)
            surface.pack_by_field(buffer);
        else
            surface.pack_by_cell(buffer);                                              // cause
        MPI_Send(buffer.data(), int(buffer.size()), MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // cause
    }

  private:
    FieldBundle<double> surface;
    std::vector<double> buffer;
    const bool repaired;
};

class Atmosphere
{
  public:
    explicit Atmosphere(int n_cells) : surface(n_cells * exchanged.size())
    {
    }
    void receive_surface()
    {
        MPI_Recv(surface.data(), int(surface.size()), MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, // cause
                 MPI_STATUS_IGNORE);                                                    // cause
    }
    std::uint64_t advance() const
    {
        return work(2000, std::uint64_t(surface[0]));
    }

  private:
    std::vector<double> surface;
};

} // namespace coupling

int main(int argc, char **argv)
{
    constexpr int n_steps = 80, n_cells = 40000;
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool repaired = argc > 1 && std::strcmp(argv[1], "--repaired") == 0;
    std::uint64_t sum = 0;
    if (rank == 0) {
        coupling::Ocean ocean(n_cells, repaired);
        for (int step = 0; step < n_steps; step++) {
            sum += ocean.advance(step);
            ocean.send_surface(); // cause
        }
    } else {
        coupling::Atmosphere atmosphere(n_cells);
        for (int step = 0; step < n_steps; step++) {
            atmosphere.receive_surface(); // cause
            sum += atmosphere.advance();
        }
    }
    std::printf("result %016llx\n", static_cast<unsigned long long>(sum));
    std::fflush(stdout);
    MPI_Finalize();
}
