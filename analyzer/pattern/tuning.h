// SPDX-License-Identifier: BSD-3-Clause
// Tuning points, patterns/tuning/*.xml: settings of the MPI library or its launcher that help
// against a kind of findings without a change of the program, and the what-if option that predicts
// what they save.
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/finding_kind.h"

/// MPI libraries: X(name in archives and files, name in texts).
#define TUNING_LIBRARIES(X)                                                                        \
    X(openmpi, "Open MPI")                                                                         \
    X(mpich, "MPICH")

/// How to set it with an MPI library.
struct tuning_setting {
    unsigned library;    // in TUNING_LIBRARIES
    char *from, *before; // versions, "4.1"; NULL: all
    char *build;         // what the library's version text must contain, NULL: anything
    char *text;          // a template: options of mpirun, or variables
};

struct tuning {
    char *id;
    char *name;
    char *file;
    uint32_t line;
    char **findings; // ids of kinds of findings, with *, ends with NULL
    struct finding_remedy remedy;
    struct tuning_setting *settings; // the first one of a library that fits counts
    size_t n_settings;
    char *limits; // sentences, "" without
};

struct tunings {
    struct tuning *items; // by id
    size_t n;
};

/// Adds the tuning point in the file PATH; one of the same id is replaced. 0, or -1 and ERR
/// ("FILE:LINE: ..."). The caller releases TUNINGS in either case.
int tunings_read(struct tunings *tunings, const char *path, struct error *err);
/// Whether all findings that they name are among KINDS. 0, or -1 and ERR.
int tunings_check(const struct tunings *tunings, const struct finding_kinds *kinds,
                  struct error *err);
/// The one with this id, NULL when there is none.
const struct tuning *tunings_find(const struct tunings *tunings, const char *id);
void tunings_release(struct tunings *tunings);

/// Whether TUNING is for findings of KIND, an id.
bool tuning_is_for(const struct tuning *tuning, const char *kind);

/// How to set TUNING with the MPI LIBRARY ("openmpi") of VERSION, the library's own text, NULL or
/// "" where unknown: its template. Where the library is unknown, those of all libraries, each with
/// its name. NULL: that library has no such setting, or none is known. The caller frees.
char *tuning_text(const struct tuning *tuning, const char *library, const char *version);

/// "Open MPI from 4.1 before 5.0", "MPICH with ch4:ucx". The caller frees.
char *tuning_setting_name(const struct tuning_setting *setting);
/// The name in files.
const char *tuning_library_name(const struct tuning_setting *setting);
