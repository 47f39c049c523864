// SPDX-License-Identifier: BSD-3-Clause
// An archive made from a text trace, opened for a test.
#pragma once

#include "analyzer/base/memory.h"
#include "analyzer/trace/reader.h"

struct fixture {
    char *directory, *archive;
    struct archive_writer *writer; // of a test that makes the archive by itself
    struct trace *trace;
    const struct definitions *definitions;
};

/// Fails the test when the text is wrong or the archive cannot be opened.
struct fixture open_text(const char *text);
void close_text(struct fixture *fixture);
/// Before a fixture's name and open_text(): it is closed where its scope ends.
#define OPENED SCOPED_BY(close_text) struct fixture

/// What CHECK finds wrong with the text trace in the file PATH: how much, or 0.
typedef size_t trace_check(const char *path, char *text);

/// Checks the files in tests/traces that PATTERN means, such as "{engine,patterns}/*.txt", N_LEAST
/// or more. Fails the test if anything is wrong.
void traces_check(const char *pattern, size_t n_least, trace_check *check);

/// Takes the next event of a location; fails the test at its end, the other one before.
struct event next(struct fixture *fixture, size_t location);
void assert_at_end(struct fixture *fixture, size_t location);
