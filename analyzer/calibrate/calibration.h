// SPDX-License-Identifier: BSD-3-Clause
// What `pagoda calibrate` found out about a machine, and how that differs from another one.
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/calibrate/machine_text.h"
#include "analyzer/calibrate/measurements.h"
#include "analyzer/simulation/cost/machine.h"

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
