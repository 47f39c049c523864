// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/text_fixture.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/unit_test.h"

struct fixture open_text(const char *text)
{
    struct fixture f = {.directory = scratch_directory()};
    struct error err = {0};
    f.archive = memory_format("%s/run", f.directory);
    if (text_trace_write(text, f.archive, &err) != 0)
        fail_msg("%s", err.text);
    f.trace = trace_open(f.archive, &err);
    if (!f.trace)
        fail_msg("%s", err.text);
    f.definitions = trace_definitions(f.trace);
    return f;
}

void close_text(struct fixture *f)
{
    trace_close(f->trace);
    scratch_remove(f->directory);
    free(f->archive);
}

struct event next(struct fixture *f, size_t location)
{
    struct cursor *cursor = trace_cursor(f->trace, location);
    const struct event *event = trace_peek(f->trace, location, cursor, 0);
    assert_non_null(event);
    cursor->position++;
    return *event;
}

void assert_at_end(struct fixture *f, size_t location)
{
    assert_null(trace_peek(f->trace, location, trace_cursor(f->trace, location), 0));
}

void traces_check(const char *pattern, size_t n_least, trace_check *check)
{
    glob_t files;
    size_t n_wrong = 0;
    SCOPED char *whole = memory_format("tests/traces/%s", pattern);
    assert_int_equal(glob(whole, GLOB_BRACE, NULL, &files), 0);
    assert_uint_in_range(files.gl_pathc, n_least, SIZE_MAX);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        size_t size_bytes;
        SCOPED char *text = scratch_read(files.gl_pathv[i], &size_bytes);
        size_t n = check(files.gl_pathv[i], text);
        if (n > 0)
            fprintf(stderr, "%s differs\n", files.gl_pathv[i]);
        n_wrong += n;
    }
    globfree(&files);
    assert_int_equal(n_wrong, 0);
}
