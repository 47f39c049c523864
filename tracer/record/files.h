// SPDX-License-Identifier: BSD-3-Clause
// Files, by numbers of the process.
#pragma once

#include "tracer/dispatch/dispatch.h"
#include "tracer/record/record.h"
#include "tracer/record/stream.h"

/// A number that no other file of this process has, from 1 to RECORD_FILES - 1; 0: none is left.
uint32_t file_number_new(void);

/// RECORD_FILE of a new file, which communicator `comm` opened, or RECORD_NO_COMM. Its name is cut
/// where a record would be too long.
void file_define(struct stream *stream, uint32_t number, enum file_paradigm paradigm, uint32_t comm,
                 const char *name);

/// Where the dispatcher sends what is done to files by the C library; NULL if the settings do not
/// want that. After filter_init().
const struct file_recorder *file_recorder_start(void);
