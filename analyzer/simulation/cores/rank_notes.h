// SPDX-License-Identifier: BSD-3-Clause
// Numbers noted of ranks at times of the recording, in rows: gathered in the measured replay and
// asked for in simulated ones, in the order of each row's time. They lie in a temporary file that
// has no name, in $TMPDIR or /tmp, so that memory does not grow with the run; or, where none can be
// written, in memory.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

struct rank_notes;

/// With N_ROWS rows, each of one rank. The caller frees.
struct rank_notes *rank_notes_new(size_t n_rows);
void rank_notes_free(struct rank_notes *notes);

/// Notes NUMBER in ROW at TIME_NS, not before what was noted there last (else it is lost).
void rank_notes_add(struct rank_notes *notes, size_t row, uint64_t time_ns, uint64_t number);

struct rank_notes_reader;

/// Before the first note of each row; nothing is added from now on. NOTES must outlive the reader.
/// The caller frees.
struct rank_notes_reader *rank_notes_read(const struct rank_notes *notes);
void rank_notes_reader_free(struct rank_notes_reader *reader);

/// 0, or -1 and ERR when notes could not be read back: then those from some time on are missing.
int rank_notes_check(const struct rank_notes_reader *reader, struct error *err);

/// The first number noted in ROW at TIME_NS into *NUMBER; false: none was, and *NUMBER stays. Asked
/// in the order of time in each row, of one time as often as wanted.
bool rank_notes_at(struct rank_notes_reader *reader, size_t row, uint64_t time_ns,
                   uint64_t *number);
