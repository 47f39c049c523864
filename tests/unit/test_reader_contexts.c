// SPDX-License-Identifier: BSD-3-Clause
// Calling contexts of MPI calls: our attribute, source code locations, contexts of enter records,
// and definitions and references that lead nowhere or in a circle.

#include "analyzer/trace/reader.h"
#include "tests/unit/text_fixture.h"
#include "tests/unit/unit_test.h"

/// The next event enters REGION from a context in FUNCTION (NULL: none) at FILE:LINE; its context.
static uint32_t assert_enters(struct fixture *f, const char *region, const char *function,
                              const char *file, uint32_t line)
{
    struct event event = next(f, 0);
    assert_int_equal(event.kind, EVENT_ENTER);
    assert_string_equal(f->definitions->regions[event.index].name, region);
    assert_uint_in_range(event.context, 0, f->definitions->n_contexts - 1);
    const struct calling_context *context = &f->definitions->contexts[event.context];
    if (function)
        assert_string_equal(f->definitions->regions[context->region].name, function);
    else
        assert_int_equal(context->region, EVENT_NO_INDEX);
    assert_string_equal(context->file, file);
    assert_int_equal(context->line, line);
    return event.context;
}

TEST(test_contexts_of_calls)
{
    OPENED f = open_text("context outer main /src/a.c:7\n"
                         "context inner solve b.c:56 outer\n"
                         "context no-line solve -\n"
                         "context no-function - b.c\n"
                         "0 0 enter MPI_Send at inner\n"
                         "0 1 enter MPI_Send at no-line\n"
                         "0 2 enter MPI_Send at no-function\n"
                         "0 3 enter MPI_Test 17 2 at outer\n"
                         "0 4 enter MPI_Send at-line c.c:9\n"
                         "0 5 enter MPI_Send\n");
    assert_int_equal(f.definitions->n_bad_contexts, 0);
    uint32_t inner = assert_enters(&f, "MPI_Send", "solve", "b.c", 56);
    uint32_t outer = f.definitions->contexts[inner].parent;
    assert_string_equal(f.definitions->contexts[outer].file, "/src/a.c");
    assert_int_equal(f.definitions->contexts[outer].parent, EVENT_NO_INDEX);
    assert_enters(&f, "MPI_Send", "solve", "", 0);
    assert_enters(&f, "MPI_Send", NULL, "b.c", 0);
    assert_int_equal(assert_enters(&f, "MPI_Test", "main", "/src/a.c", 7), outer);
    assert_enters(&f, "MPI_Send", NULL, "c.c", 9);
    assert_int_equal(next(&f, 0).context, EVENT_NO_INDEX);
    assert_int_equal(trace_location_report(f.trace, 0)->n_bad_references, 0);
}

TEST(test_context_events_are_called_where_their_parent_is)
{
    OPENED f = open_text("context in-main main a.c:7\n"
                         "context send MPI_Send - in-main\n"
                         "context nothing ? a.c:8\n"
                         "0 0 context-enter in-main\n"
                         "0 1 context-enter send\n"
                         "0 2 context-leave send\n"
                         "0 3 context-enter nothing\n"
                         "0 4 context-enter never-defined\n"
                         "0 5 context-leave in-main\n");
    struct event event = next(&f, 0);
    assert_int_equal(event.context, EVENT_NO_INDEX);
    assert_enters(&f, "MPI_Send", "main", "a.c", 7);
    assert_int_equal(next(&f, 0).kind, EVENT_LEAVE);
    assert_int_equal(next(&f, 0).time_ns, 5); // what has no region is left out
    assert_int_equal(trace_location_report(f.trace, 0)->n_bad_references, 2);
}

TEST(test_circles_and_dangling_references)
{
    OPENED f = open_text("context self f a.c:1 self\n"
                         "context a f a.c:2 b\n"
                         "context b g a.c:3 c\n"
                         "context c h a.c:4 a\n"
                         "context into i a.c:5 b\n"
                         "context lost-parent f a.c:6 ?\n"
                         "context lost-line f ?\n"
                         "context lost-function ? a.c:8\n"
                         "0 0 enter MPI_Send at into\n"
                         "0 1 enter MPI_Send at self\n"
                         "0 2 enter MPI_Send at lost-parent\n"
                         "0 3 enter MPI_Send at lost-line\n"
                         "0 4 enter MPI_Send at lost-function\n"
                         "0 5 enter MPI_Send at never-defined\n");
    assert_int_equal(f.definitions->n_bad_contexts, 5);
    size_t n_walked = 0;
    for (uint32_t i = 0; i < f.definitions->n_contexts; i++)
        for (uint32_t at = i; at != EVENT_NO_INDEX; at = f.definitions->contexts[at].parent)
            assert_true(n_walked++ < 100);
    assert_enters(&f, "MPI_Send", "i", "a.c", 5);
    assert_enters(&f, "MPI_Send", "f", "a.c", 1);
    assert_enters(&f, "MPI_Send", "f", "a.c", 6);
    assert_enters(&f, "MPI_Send", "f", "", 0);
    assert_enters(&f, "MPI_Send", NULL, "a.c", 8);
    assert_int_equal(next(&f, 0).context, EVENT_NO_INDEX); // the call itself stays
    assert_int_equal(trace_location_report(f.trace, 0)->n_bad_references, 1);
}
