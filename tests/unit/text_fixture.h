// SPDX-License-Identifier: BSD-3-Clause
// An archive made from a text trace, opened for a test.
#pragma once

#include "analyzer/base/memory.h"
#include "analyzer/trace/reader.h"

struct fixture {
    char *directory;
    struct trace *trace;
    const struct definitions *definitions;
};

/// Fails the test when the text is wrong or the archive cannot be opened.
struct fixture open_text(const char *text);
void close_text(struct fixture *fixture);
/// Before a fixture's name and open_text(): it is closed where its scope ends.
#define OPENED SCOPED_BY(close_text) struct fixture

/// Takes the next event of a location; fails the test at its end.
struct event next(struct fixture *fixture, size_t location);
