// SPDX-License-Identifier: BSD-3-Clause
// Where `pagoda calibrate` writes its machine file: found out before an hour of measuring, and
// never half of it.
#ifndef PAGODA_CMD_CALIBRATE_OUTPUT_H
#define PAGODA_CMD_CALIBRATE_OUTPUT_H

#include <stdbool.h>

#include "analyzer/base/error.h"
#include "analyzer/calibrate/measurements.h"
#include "analyzer/simulation/cost/machine.h"

/// HOST-MPI.xml of the first host measured; the caller frees.
char *output_default_path(const struct measurements *measurements);

/// Whether a machine file can be written to PATH: it is none yet, unless OVERWRITES, nothing but a
/// file, and its folder takes new ones. 0, or -1 and ERR.
int output_check(const char *path, bool overwrites, struct error *err);

/// Writes the file beside its place, reads it into MACHINE, and moves it there. 0, or -1 and ERR:
/// what was at PATH is still there. The caller releases MACHINE in either case.
int output_write(struct measurements *measurements, const struct machine_text_settings *settings,
                 const char *path, struct machine_text_errors *errors, struct machine *machine,
                 struct error *err);

#endif
