// SPDX-License-Identifier: BSD-3-Clause
// The program that `pagoda calibrate` runs under the user's launcher, once for each MPI. It
// measures what messages, collectives, hand-overs of a core and computing cost between the ranks it
// gets, and rank 0 writes what it found to standard output, a line each:
//
//   mpi TEXT                            the library's name and version
//   topology HOST RANKS CORES PACKAGES PROCESSOR   a host; names without blanks
//   message SCOPE BYTES NS SPREAD N     half of a round trip; SCOPE same-core, node or network
//   overhead SCOPE SEND_NS RECEIVE_NS   the calls' own time for a message of 8 bytes
//   eager SCOPE BYTES|none              the largest message whose sender does not wait
//   hand-over NS SPREAD                 half of a round trip of two ranks on one core
//   working-set BYTES NS                what losing a working set adds to each hand-over
//   waiting SLOWDOWN                    of a rank while another one waits on its core
//   collective OP P BYTES NS SPREAD N   BYTES as in pagoda-machine(5)
//   compute NS SPREAD                   a fixed piece of computing
//   noise WHAT PERCENT NS               so many of many take at most NS: pieces of computing of 1
//   ms
//                                       and more (computing), half round trips of 8 bytes (SCOPE)
//   warning TEXT
//   progress DONE TOTAL
//   end
//
// SPREAD is the distance between the quartiles over the median, N the number of samples.
#pragma once

#include <mpi.h>
#include <stdbool.h>

/// How much effort a point is worth.
struct effort {
    double limit_ns; // of time
    double spread;   // that is good enough
    long max_bytes;  // the largest message
    long working_set_bytes;
};

// --- main.c: repeated measurements of one quantity

enum { SAMPLES_MAX = 4096 };

struct samples {
    double values[SAMPLES_MAX];
    int n;
};

/// What is known of a measured quantity; NS may be 0, never negative.
struct measured {
    double ns, spread;
    int n;
};

double now_ns(void);
void samples_add(struct samples *samples, double value);
/// Median and quartiles of what was added; sorts the samples.
struct measured samples_conclude(struct samples *samples);

/// Quantiles of what was added, from the median to the longest one and the one before that; and the
/// lines that say them of WHAT.
enum { NOISE_POINTS = 12 };
struct noise_points {
    double percents[NOISE_POINTS], ns[NOISE_POINTS];
    int n;
};
struct noise_points samples_noise(struct samples *samples);
void noise_print(const char *what, const struct noise_points *noise);

/// Whether enough was measured, LIMIT_NS after BEGIN_NS at the latest.
bool samples_suffice(struct samples *samples, double begin_ns, const struct effort *effort);

// --- hosts.c

enum { HOST_NAME_BYTES = 256 };

struct host_rank {
    char host[HOST_NAME_BYTES];
    int index; // among the ranks of its host
    int first; // lowest rank of its host
};

/// Where all ranks are; and this one's ways to bind itself.
struct hosts {
    int rank, n_ranks;
    struct host_rank *ranks;
    int n_cores;            // of this host that this process may use
    double *clock_ahead_ns; // of each rank's clock, against rank 0's
};

/// Collective. The caller releases.
void hosts_find(struct hosts *hosts);
void hosts_release(struct hosts *hosts);
/// Collective: how far each host's clock is ahead now, for clocks drift; all have rested then.
void hosts_compare_clocks(const struct hosts *hosts);
/// Collective: prints the lines about hosts at rank 0.
void hosts_print(const struct hosts *hosts);
/// Binds the process to core CORE of its host modulo their number, or lets it go again.
void hosts_bind(const struct hosts *hosts, int core);
void hosts_unbind(void);
/// Two ranks of one host, or of two; false when there are none.
bool hosts_pair(const struct hosts *hosts, bool is_remote, int *first, int *second);

/// A barrier in which no rank keeps a core busy.
void rest(void);

// --- messages.c

/// What a pair of ranks has to do; all ranks call these.
struct pair {
    const struct hosts *hosts;
    const struct effort *effort;
    const char *scope;
    int first, second;
    bool shares_core;
};

/// Half round trips of all sizes, overheads, eager limit; printed by rank 0.
void messages_measure(const struct pair *pair);
/// How many measurements that is.
int messages_count(const struct pair *pair);
/// Half of a round trip of SIZE_BYTES in which each side reads TOUCH_BYTES of its own before it
/// answers; known at all ranks.
struct measured messages_half_round_trip(const struct pair *pair, long size_bytes,
                                         long touch_bytes);

// --- cores.c

enum { CORES_SHARING_STEPS = 3 };
void cores_measure_sharing(const struct pair *pair);
/// At rank 0: a piece of computing, and how long many short ones take.
void cores_measure_compute(const struct hosts *hosts, const struct effort *effort);
/// Reads BYTES of BUFFER, so that they are in the cache.
void cores_touch(const unsigned char *buffer, long bytes);

// --- collectives.c

void collectives_measure(const struct hosts *hosts, const struct effort *effort);
/// How many measurements that is.
int collectives_count(const struct hosts *hosts, const struct effort *effort);

// --- main.c

/// One step of the whole is done; rank 0 says so.
void progress(void);
