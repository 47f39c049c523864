// SPDX-License-Identifier: BSD-3-Clause
// Elements of a machine file and their attributes, each checked. Of this folder only;
// machine_read() is what others call.
#ifndef PAGODA_SIMULATION_COST_MACHINE_FILE_H
#define PAGODA_SIMULATION_COST_MACHINE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/xml.h"
#include "analyzer/simulation/cost/machine.h"

enum { MACHINE_MAX_CORES = 65536, MACHINE_MAX_LINKS = 1 << 20 };

/// A file being read.
struct machine_reader {
    const char *path;
    struct machine *machine;
    struct error *err;
};

/// Sets the error to what is wrong with an element, "PATH:LINE: ..."; -1.
#define MACHINE_ERROR(reader, element, ...)                                                        \
    (error_set((reader)->err, __VA_ARGS__),                                                        \
     error_wrap((reader)->err, "%s:%u", (reader)->path, (element)->line))

/// NAME is no KIND ("scope") of those KNOWN; the nearest of them is named, or all. -1.
int machine_unknown(const struct machine_reader *reader, const struct xml_element *element,
                    const char *kind, const char *name, const char *const *known, size_t n_known);

/// 0 when ELEMENT has no other attributes than those KNOWN.
int machine_check_attributes(const struct machine_reader *reader, const struct xml_element *element,
                             const char *const *known, size_t n_known);

/// The attribute NAME into *VALUE, which stays as it is when there is none and it IS_OPTIONAL.
int machine_read_attribute(const struct machine_reader *reader, const struct xml_element *element,
                           const char *name, bool is_optional, xml_read_value *read,
                           uint64_t *value);

/// An attribute that counts something, from 1 to MOST; *COUNT stays as it is without it.
int machine_read_number_of(const struct machine_reader *reader, const struct xml_element *element,
                           const char *name, uint32_t most, uint32_t *count);

/// An element <collective>, into the machine. 0, or -1 and the error.
int machine_read_collective(const struct machine_reader *reader, const struct xml_element *element);

/// 0 when all sizes of each operation that is named in ELEMENT, the whole machine, have a
/// <collective>.
int machine_check_collectives(const struct machine_reader *reader,
                              const struct xml_element *element);

#endif
