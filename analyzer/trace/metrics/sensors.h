// SPDX-License-Identifier: BSD-3-Clause
// What the values of a metric of an archive mean: a state or a sum, and in which unit. Many tools
// record each sensor as a sum without a unit, so some names are known here.
#pragma once

#include <stdbool.h>

/// What is known of the values of a metric besides its definition.
struct sensor {
    const char *unit; // of values times SCALE
    double scale;
    bool is_known; // by its name: IS_STATE is right, whatever the archive says
    bool is_state; // such as a temperature; false: a sum, such as energy
};

/// The meaning of the metric NAME, recorded in UNIT as the archive has it ("#" and "": in none). A
/// unit of power or energy becomes W or J. UNIT may be returned, so it must live as long.
struct sensor sensor_of(const char *name, const char *unit);

/// The part of NAME that says which device of several its values are of, as in
/// "rocm_smi:::busy_percent:device=3" and "coretemp:::hwmon5:power1_input": where it begins, and
/// its *LENGTH. NULL without one.
const char *sensor_device(const char *name, int *length);

/// Whether NAME, of a parameter, says that its values identify something, as "callsite id" does:
/// these have no sum.
bool is_identifier(const char *name);
