// SPDX-License-Identifier: BSD-3-Clause
// Events of a location in few bytes, as they cross from one process to another.
#pragma once

#include <stddef.h>

#include "analyzer/base/format/numbers.h"
#include "analyzer/trace/batch.h"

/// Appends N events to NUMBERS.
void events_pack(const struct event *events, size_t n, struct numbers *numbers);

/// Reads them and appends them to OUT.
void events_unpack(struct numbers *numbers, struct batch *out);
