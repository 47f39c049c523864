// SPDX-License-Identifier: BSD-3-Clause
// What is read from others, by kinds.
#pragma once

#include <stdbool.h>

#include "analyzer/base/error.h"

/// Reads TEXT, or the file or folder PATH that holds it. 0, or not 0 and ERR.
typedef int fuzz_reader(const char *path, char *text, struct error *err);

struct fuzz_kind {
    const char *name;
    fuzz_reader *read;
    bool has_lines;                 // a seed in each line of a file of the corpus
    const char *shared;             // files that come with Pagoda
    void (*make)(const char *path); // makes the folder that it is in; NULL: it is in none
    const char *in_made;            // which file of that it is
};

/// All, up to one without a name.
extern const struct fuzz_kind fuzz_kinds[];

// What folders are made: a small archive; an experiment database with its trials; the records of a
// run and of what it started; settings of the tracer.
void fuzz_archive_write(const char *path);
void fuzz_trials_write(const char *path);
void fuzz_spools_write(const char *path);
void fuzz_settings_write(const char *path);

/// Reads and replays the archive PATH, several times; reads a database in all ways, and imports it;
/// makes archives of records, and reads these; reads settings of the tracer; the environment of
/// `pagoda trace`.
fuzz_reader fuzz_archive, fuzz_trials, fuzz_spools, fuzz_settings, fuzz_environment;
