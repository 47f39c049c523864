// SPDX-License-Identifier: BSD-3-Clause
// What `pagoda calibrate` found out about a machine, and how that differs from another one.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/simulation/cost/machine.h"

// --- measurements.c
// What the measuring program of `pagoda calibrate` (tracer/calibrate) found, and a machine file
// made of it.

enum measured_scope { SCOPE_SAME_CORE, SCOPE_NODE, SCOPE_NETWORK, N_SCOPES };
extern const char *const scope_names[N_SCOPES];

struct measured_message {
    double size_bytes, time_ns, spread; // half of a round trip
    unsigned n_samples;
};

/// Of many times, so many percent were at most so long; the first one is the median.
enum { NOISE_MAX_POINTS = 16 };
struct measured_noise {
    double percents[NOISE_MAX_POINTS], ns[NOISE_MAX_POINTS];
    size_t n;
};

struct measured_scope_costs {
    struct measured_message *messages; // by size
    size_t n_messages, capacity;
    double send_ns, receive_ns;  // overheads
    struct measured_noise noise; // of half round trips of small messages
    bool has_eager;              // larger messages wait for their receivers
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
    struct measured_noise noise; // of pieces of computing
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

// --- machine_text.c
// The machine file that `pagoda calibrate` writes. Whether it can be written is found out before an
// hour of measuring, and half a file is never left behind.

struct machine_text_settings {
    const char *name, *date;
    double spread;   // wanted; 0: any is good
    bool has_points; // the measured points instead of fitted lines
};

/// Fit errors of what machine_text_write() wrote, relative; < 0: none of the kind.
struct machine_text_errors {
    double message_rms[N_SCOPES], message_worst[N_SCOPES];
    double collective_rms, collective_worst;
    char worst_collective[32];
};

/// Writes the machine file (pagoda-machine(5)) to OUT and adds warnings about it.
void machine_text_write(struct measurements *measurements,
                        const struct machine_text_settings *settings, FILE *out,
                        struct machine_text_errors *errors);

/// HOST-MPI.xml of the first host measured; the caller frees.
char *machine_file_default_path(const struct measurements *measurements);

/// Whether a machine file can be written to PATH: it is none yet, unless OVERWRITES, nothing but a
/// file, and its folder takes new ones. 0, or -1 and ERR.
int machine_file_check(const char *path, bool overwrites, struct error *err);

/// Writes the file beside its place, reads it into MACHINE, and moves it there. 0, or -1 and ERR:
/// what was at PATH is still there. The caller releases MACHINE in either case.
int machine_file_write(struct measurements *measurements,
                       const struct machine_text_settings *settings, const char *path,
                       struct machine_text_errors *errors, struct machine *machine,
                       struct error *err);

// --- calibration.c

struct calibration_report {
    const char *path; // of the machine file
    const struct measurements *measurements;
    const struct machine_text_errors *errors;
    const struct machine *machine; // as read from the file
    const struct machine *against; // another one, NULL: none
    const char *against_path;
};

/// A quantity of two machines; a < 0: the machine does not have it.
struct calibration_difference {
    char what[64];
    double here, there; // ns; bytes per second where IS_RATE
    bool is_rate;
};
enum { CALIBRATION_MAX_DIFFERENCES = 64 };

struct calibration_differences {
    struct calibration_difference items[CALIBRATION_MAX_DIFFERENCES];
    size_t n;
};

/// What can be compared of the machine and the other one.
struct calibration_differences calibration_compare(const struct calibration_report *report);

// --- fit.c
// Least squares for times: the relative error is what counts, and no coefficient is negative, so
// that no time ever is (fits of absolute errors give small messages negative start-up times, as in
// Kuehnemann, Rauber, Ruenger, "Performance modelling for task-parallel programs", table 2).

enum { FIT_MAX_TERMS = 4 };

/// y = sum of coefficients[k] * x[k].
struct fit {
    double coefficients[FIT_MAX_TERMS];
    size_t n_terms;
    bool is_clamped;   // a term came out negative and was left out
    double sum;        // of squared relative errors
    double rms, worst; // relative errors
};

/// Fits N values Y > 0 to N_TERMS terms, X[i * N_TERMS + k] the value of term k at point i. Terms
/// whose coefficient would be negative are left out, the worst first. Where the terms depend on
/// each other at these points the later ones of them get 0. N may be less than N_TERMS.
struct fit fit_terms(const double *x, const double *y, size_t n, size_t n_terms);

enum { FIT_MAX_PIECES = 6 };

/// A line y = a + b x in pieces of two points at least; as many as the Bayesian information
/// criterion wants (two parameters a piece, one for where it begins), found by dynamic programming
/// over all ways to cut (Bai, Perron, "Computation and analysis of multiple structural change
/// models", 2003, section 3).
struct fit_pieces {
    struct fit pieces[FIT_MAX_PIECES]; // coefficients: a, b
    size_t ends[FIT_MAX_PIECES];       // points up to this one are of the piece
    size_t n_pieces;
    double rms, worst;
    bool is_clamped;
};

/// X ascending, N from 1 to FIT_MAX_POINTS.
enum { FIT_MAX_POINTS = 64 };
struct fit_pieces fit_line(const double *x, const double *y, size_t n);

/// The criterion for N values, the SUM of squared errors and N_PARAMETERS.
double fit_criterion(double sum, size_t n, size_t n_parameters);
