// SPDX-License-Identifier: BSD-3-Clause
// What the measuring program of `pagoda calibrate` (tracer/calibrate) found, and a machine file
// made of it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

enum measured_scope { SCOPE_SAME_CORE, SCOPE_NODE, SCOPE_NETWORK, N_SCOPES };
extern const char *const scope_names[N_SCOPES];

struct measured_message {
    double size_bytes, time_ns, spread; // half of a round trip
    unsigned n_samples;
};

struct measured_scope_costs {
    struct measured_message *messages; // by size
    size_t n_messages, capacity;
    double send_ns, receive_ns; // overheads
    bool has_eager;             // larger messages wait for their receivers
    uint64_t eager_bytes;
};

struct measured_collective {
    char operation[32];
    double n_members, size_bytes, time_ns, spread;
    unsigned n_samples;
};

struct measured_host {
    char name[256], processor[128];
    int n_ranks, n_cores, n_packages;
};

struct measurements {
    char mpi[256];
    struct measured_host *hosts;
    size_t n_hosts, host_capacity;
    struct measured_scope_costs scopes[N_SCOPES];
    struct measured_collective *collectives;
    size_t n_collectives, collective_capacity;
    double hand_over_ns; // half of a round trip on one core; < 0: not measured
    double hand_over_spread;
    double working_set_bytes, working_set_ns;
    double waiting_slowdown; // 0: not measured
    double compute_ns, compute_spread;
    char **warnings;
    size_t n_warnings, warning_capacity;
    unsigned
        n_programs; // that said what they are of; ranks that do not know each other are several
    unsigned n_done, n_steps;
    bool is_complete;
};

void measurements_init(struct measurements *measurements);
void measurements_release(struct measurements *measurements);

/// Reads one line of the program. False: it is none of its lines.
bool measurements_read(struct measurements *measurements, const char *line);
void measurements_warn(struct measurements *measurements, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Whether a rank that waits keeps its core busy.
bool measurements_spins(const struct measurements *measurements);

/// Cost of handing a core over: half of a round trip on one core less the calls' own time; 0 where
/// it was not measured, or waiting ranks keep the core.
double measurements_hand_over_ns(const struct measurements *measurements);

/// How long a rank that spins keeps a core it shares: half of a round trip on one core, for each
/// notices its message when the other one's slice is over. 0 where ranks do not spin.
double measurements_slice_ns(const struct measurements *measurements);

/// How many quantities were measured, and how many of them without their samples coming close
/// enough: quartiles within the wanted spread, relative to the median. Too few samples to tell are
/// not close enough.
struct measured_spreads {
    size_t n, n_unsteady;
    double worst; // spread
    char worst_what[96];
};
struct measured_spreads measurements_spreads(const struct measurements *measurements,
                                             double wanted_spread);

/// The largest number of ranks whose collectives were measured, 0: of none; *N_NUMBERS: how many
/// numbers of ranks.
int measurements_members(const struct measurements *measurements, int *n_numbers);

/// What the file has no numbers of, between commas; the caller frees.
char *measurements_missing(const struct measurements *measurements);
