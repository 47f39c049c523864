// SPDX-License-Identifier: BSD-3-Clause
// Values of the JSON outputs.
#ifndef PAGODA_REPORT_JSON_VALUES_H
#define PAGODA_REPORT_JSON_VALUES_H

#include <jansson.h>
#include <stdint.h>

/// A string of BYTES, which may be any: names of files, of archives, error messages.
json_t *json_clean_text(const char *bytes);

/// VALUE, at most the largest integer JSON has here.
json_t *json_count(uint64_t value);

#endif
