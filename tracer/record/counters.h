// SPDX-License-Identifier: BSD-3-Clause
// Counters that the setting `counters` names: what a thread has done so far, read at its enters and
// leaves. They are numbered by their places in the setting.
//
// A counter that this machine does not give is left out, with a sentence that says why. One that
// can no longer be read keeps its last value.
#pragma once

#include "tracer/record/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Those that have names here, with their source, its number of them, unit and meaning; names of
/// perf's events are perf's. Other names are PAPI's.
#define COUNTERS                                                                                   \
    COUNTER("cycles", HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "", "cycles of the core")                \
    COUNTER("instructions", HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "", "instructions completed")    \
    COUNTER("cache-references", HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "",                      \
            "accesses to the last-level cache")                                                    \
    COUNTER("cache-misses", HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "",                              \
            "misses of the last-level cache")                                                      \
    COUNTER("branches", HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "", "branches completed")     \
    COUNTER("branch-misses", HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "", "branches mispredicted")   \
    COUNTER("bus-cycles", HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "", "cycles of the bus")             \
    COUNTER("ref-cycles", HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "",                              \
            "cycles at the nominal frequency")                                                     \
    COUNTER("stalled-cycles-frontend", HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "",        \
            "cycles without instructions to issue")                                                \
    COUNTER("stalled-cycles-backend", HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "",          \
            "cycles in which instructions waited for resources")                                   \
    COUNTER("task-clock", SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "ns", "CPU time of the thread")      \
    COUNTER("page-faults", SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "", "page faults")                 \
    COUNTER("context-switches", SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "",                      \
            "times that the thread lost its core")                                                 \
    COUNTER("cpu-migrations", SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "",                          \
            "times that the thread changed its core")                                              \
    COUNTER("max-rss", USAGE, USAGE_MAX_RSS, "bytes",                                              \
            "most memory that the process had at a time")                                          \
    COUNTER("minor-faults", USAGE, USAGE_MINOR_FAULTS, "", "page faults without input")            \
    COUNTER("major-faults", USAGE, USAGE_MAJOR_FAULTS, "", "page faults with input")               \
    COUNTER("voluntary-switches", USAGE, USAGE_VOLUNTARY, "", "times that the thread blocked")     \
    COUNTER("involuntary-switches", USAGE, USAGE_INVOLUNTARY, "",                                  \
            "times that the thread was descheduled")                                               \
    COUNTER("user-time", USAGE, USAGE_USER, "ns", "CPU time in the program")                       \
    COUNTER("system-time", USAGE, USAGE_SYSTEM, "ns", "CPU time in the kernel")                    \
    COUNTER("energy-pkg", ENERGY, ZONE_PACKAGE, "J", "energy of the node's processors")            \
    COUNTER("energy-cores", ENERGY, ZONE_CORE, "J", "energy of the node's cores")                  \
    COUNTER("energy-ram", ENERGY, ZONE_DRAM, "J", "energy of the node's memory")                   \
    COUNTER("energy-psys", ENERGY, ZONE_PSYS, "J", "energy of the node's platform")

enum counter_source { COUNTERS_PERF, COUNTERS_USAGE, COUNTERS_ENERGY, COUNTERS_PAPI, N_SOURCES };

/// Of one thread, zeroed before it begins to count. Sets have bit i for counter i of the setting.
struct counters {
    size_t n_bytes; // of a COUNTERS record; 0: nothing is counted
    uint64_t set;
    uint64_t readable[N_SOURCES]; // parts of it that can be read now
    uint64_t values[SETTINGS_COUNTERS];
    uint64_t before[SETTINGS_COUNTERS]; // the source began to count: the value until then
    int events[SETTINGS_COUNTERS];      // descriptors of perf, the first one is that of the group
    uint64_t event_ids[SETTINGS_COUNTERS];
    int papi_set;
    char *notes; // where reasons are added (room as in a spool's header); NULL: to counters_notes()
};

/// Begins to count for the calling thread. `is_first`: it is the process's first one, which has the
/// counters of the process, too.
void counters_open(struct counters *counters, bool is_first);

/// The thread ends. A later one with these counters goes on with the values.
void counters_close(struct counters *counters);

/// The calling thread is the only one of a forked child, and counts anew.
void counters_fork(struct counters *counters);

/// This process counts the energy of its node; all others count none.
void counters_lead_node(void);

/// Why counters of the setting are left out: sentences, a line each.
const char *counters_notes(void);

/// Reads all counters of the calling thread. No memory, no lock (but PAPI's), errno stays.
void counters_read(struct counters *counters);

/// The values of the last reading, of those in the set.
void counters_values(const struct counters *counters, uint64_t *values);

/// A counter of the setting, by name, for the archive.
struct counter_meaning {
    const char *unit, *description;
    int64_t exponent; // values times 10 to this are of that unit
    bool is_usage, is_papi;
};
struct counter_meaning counter_meaning(const char *name);
