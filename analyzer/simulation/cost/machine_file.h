// SPDX-License-Identifier: BSD-3-Clause
// The element <collective> of machine files (machine_collectives.c). Of this folder only;
// machine_read() is what others call.
#pragma once

#include "analyzer/simulation/cost/element.h"
#include "analyzer/simulation/cost/machine.h"

/// An element <collective>, into the machine. 0, or -1 and the error.
int machine_read_collective(const struct element_reader *reader, const struct xml_element *element);

/// 0 when all sizes of each operation that is named in ELEMENT, the whole machine, have a
/// <collective>.
int machine_check_collectives(const struct element_reader *reader,
                              const struct xml_element *element);
