// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/text_fixture.h"

#include "analyzer/base/memory.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/unit_test.h"

struct fixture open_text(const char *text)
{
    struct fixture f = {.directory = scratch_directory()};
    struct error err = {0};
    SCOPED char *archive = memory_format("%s/run", f.directory);
    if (text_trace_write(text, archive, &err) != 0)
        fail_msg("%s", err.text);
    f.trace = trace_open(archive, &err);
    if (!f.trace)
        fail_msg("%s", err.text);
    f.definitions = trace_definitions(f.trace);
    return f;
}

void close_text(struct fixture *f)
{
    trace_close(f->trace);
    scratch_remove(f->directory);
}

struct event next(struct fixture *f, size_t location)
{
    struct cursor *cursor = trace_cursor(f->trace, location);
    const struct event *event = trace_peek(f->trace, location, cursor, 0);
    assert_non_null(event);
    cursor->position++;
    return *event;
}
