// SPDX-License-Identifier: BSD-3-Clause
// What `pagoda trace` wants recorded. It validates everything and leaves lines `name=value` in the
// file `settings` of the spool folder; a recorder reads them once, when it attaches. So every
// launcher will do: nothing has to travel in the environment. The names, their meaning and their
// defaults for users stand in analyzer/launch/settings.c and in pagoda-tracer(7).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SETTINGS_FILE     "settings"
#define SETTINGS_WINDOWS  64
#define SETTINGS_COUNTERS 32
#define HIGH_DESCRIPTOR   500 // the tracer's are from here on, out of the program's way

struct settings_window {
    uint64_t from_ns; // after the end of MPI_Init
    uint64_t to_ns;
};

struct settings {
    uint64_t call_stack;      // frames above each MPI call; 0: its call site only
    uint64_t min_duration_ns; // shorter regions with nothing recorded inside are dropped
    uint64_t max_bytes;       // of a thread's spool file; 0: no limit
    uint64_t buffer_bytes;    // mapped at a time; a multiple of 64 KiB
    bool only_mpi_files;      // the C library's calls for files are not recorded
    char *start_at;           // a marker or region that switches recording on; NULL: none
    char *stop_at;            // and off
    struct settings_window windows[SETTINGS_WINDOWS];
    size_t n_windows;                  // 0: all the time
    char *counters[SETTINGS_COUNTERS]; // names; see counters.h
    size_t n_counters;
    // Rules in their order, the last that fits decides; see region.h.
    struct settings_rule {
        char kind; // 'r' region, 'm' region by mangled name, 'f' source file, 'p' MPI function,
                   // 'e' variable of the environment to be kept
        bool include;
        char *pattern;
    } * rules;
    size_t n_rules;
};

/// What is in force in this process; the defaults until settings_read().
extern struct settings settings;

/// Reads DIR/settings. Lines it does not know are skipped: they are another version's.
void settings_read(const char *dir);

/// Whether the variable NAME of the environment is to be kept. A wildcard takes no secrets; a name
/// given whole is meant.
bool settings_keep_variable(const char *name);
