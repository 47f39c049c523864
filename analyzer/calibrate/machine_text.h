// SPDX-License-Identifier: BSD-3-Clause
// The machine file that `pagoda calibrate` writes. Whether it can be written is found out before an
// hour of measuring, and half a file is never left behind.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/calibrate/measurements.h"
#include "analyzer/simulation/cost/machine.h"

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
