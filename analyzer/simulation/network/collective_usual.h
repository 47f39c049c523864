// SPDX-License-Identifier: BSD-3-Clause
// What is known of a collective operation where nobody says how it is carried out.
#ifndef PAGODA_SIMULATION_NETWORK_COLLECTIVE_USUAL_H
#define PAGODA_SIMULATION_NETWORK_COLLECTIVE_USUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/simulation/network/collective_plan.h"

/// The algorithm by which MPI libraries commonly carry out OPERATION of N_MEMBERS, whose share is
/// SIZE_BYTES: MPICH's choice (Thakur, Rabenseifner, Gropp 2005; 4.0.2), for elements of 8 bytes.
enum collective_algorithm collective_usual_algorithm(uint8_t operation, uint32_t n_members,
                                                     uint64_t size_bytes);

/// Whether a member waits for others by what OPERATION means, however it is carried out.
bool collective_waits(uint8_t operation, bool is_root, bool is_first);

#endif
