// SPDX-License-Identifier: BSD-3-Clause
// The settings of `pagoda trace`: what is recorded, and how much. One table yields the options
// (--min-duration), the environment variables (PAGODA_MIN_DURATION) and the lines of a
// configuration file (min_duration = 5us); the first of these that has a value decides, else the
// default. What is in force is handed to the tracer as a file in the spool folder.
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"

enum { TRACE_N_SETTINGS = 12, TRACE_MOST_WINDOWS = 64, TRACE_MOST_COUNTERS = 32 };

struct trace_settings {
    const char *options[TRACE_N_SETTINGS]; // as given on the command line, NULL: not given
    struct option_list environment;        // --env, which may be given several times
    const char *config;                    // --config
    char *option_names[TRACE_N_SETTINGS];
    struct trace_setting_value {
        char *text;  // NULL: default
        char *where; // "--min-duration", "PAGODA_MIN_DURATION", "FILE:3"
        int rank;    // of the origin: file, environment, option
        char *base;  // of one from a file: the folder that a relative path starts from
    } values[TRACE_N_SETTINGS];
    struct trace_filter *filter; // NULL: none
};

void trace_settings_init(struct trace_settings *settings);
void trace_settings_release(struct trace_settings *settings);

/// Appends a row for each setting, and --config, to ROWS. Returns how many.
size_t trace_settings_rows(struct trace_settings *settings, struct option_row *rows);

/// Collects options, environment and configuration file, and checks everything. 0, or -1 and one
/// sentence that says what is wrong where.
int trace_settings_resolve(struct trace_settings *settings, struct error *err);

/// Checks a configuration file alone, and the filter file it names.
int trace_settings_check_file(const char *path, size_t *n_settings, struct error *err);

/// True if the text file looks like a configuration file: its first line of content is NAME = ...
bool trace_settings_is_config(const char *path);

/// Lines NAME = VALUE with where each value is from, in the form of a configuration file.
void trace_settings_print(const struct trace_settings *settings, FILE *stream);

/// What the tracer reads: lines name=value without units (tracer/record/settings.h).
void trace_settings_write(const struct trace_settings *settings, FILE *stream);
