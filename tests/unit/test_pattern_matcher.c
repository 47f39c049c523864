// SPDX-License-Identifier: BSD-3-Clause
// The shipped patterns on hand-made root events: for each one a root where it waits, one where it
// does not, the boundary (a wait of exactly 0), and one that is cut at the end of its call.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/base/memory.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/trace/event.h"

enum { N_RANKS = 4 };

static struct catalogue *catalogue;
static const struct definitions definitions = {.n_locations = N_RANKS, .n_ranks = N_RANKS};

static int load(void **state)
{
    (void)state;
    struct error err = {{0}};
    catalogue = catalogue_load("patterns", NULL, 0, &err);
    if (!catalogue)
        print_error("%s\n", err.text);
    return catalogue ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    catalogue_free(catalogue);
    return 0;
}

static struct matcher_finding found(const struct matcher *matcher, const char *id)
{
    uint32_t index = catalogue_find(catalogue, id);
    assert_int_not_equal(index, PATTERN_NONE);
    return matcher_finding(matcher, index);
}

/// Asserts that exactly these patterns found these waits at one root event: pairs of id and wait,
/// ended by NULL.
static void check(const struct root *root, ...)
{
    struct matcher *matcher = matcher_new(catalogue, &definitions);
    matcher_root(matcher, root);
    size_t n_expected = 0, n_found = 0;
    va_list args;
    va_start(args, root);
    for (const char *id; (id = va_arg(args, const char *)); n_expected++) {
        uint64_t wait_ns = (uint64_t)va_arg(args, int);
        struct matcher_finding finding = found(matcher, id);
        if (finding.count != 1 || finding.total_ns != wait_ns)
            fail_msg("%s: %llu instances, %llu ns instead of %llu", id,
                     (unsigned long long)finding.count, (unsigned long long)finding.total_ns,
                     (unsigned long long)wait_ns);
    }
    va_end(args);
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        n_found += matcher_finding(matcher, i).count > 0;
    assert_int_equal(n_found, n_expected);
    matcher_free(matcher);
}

// ---- point to point ----

static struct root receive(int64_t enter, int64_t leave, int64_t send_enter)
{
    struct root root = {.kind = ROOT_RECEIVE, .location = 1, .rank = 1, .call_path = 5};
    root.value[ROOT_RECEIVE_ENTER] = root.value[ROOT_RECEIVE_POST_ENTER] = enter;
    root.value[ROOT_RECEIVE_LEAVE] = leave;
    root.value[ROOT_RECEIVE_SEND_ENTER] = send_enter;
    root.value[ROOT_RECEIVE_SEND_LEAVE] = send_enter + 5;
    root.value[ROOT_RECEIVE_SENDER] = 2;
    root.value[ROOT_RECEIVE_N_MESSAGES] = 1;
    root.value[ROOT_RECEIVE_QUEUED_SEND] = ROOT_NEVER;
    return root;
}

static void test_late_sender(void **state)
{
    (void)state;
    struct root root = receive(100, 200, 150);
    check(&root, "late-sender", 50, NULL);
    root = receive(100, 200, 101);
    check(&root, "late-sender", 1, NULL);
    root = receive(100, 200, 100);
    check(&root, NULL);
    root = receive(100, 200, 40);
    check(&root, NULL);
    root = receive(100, 200, 260); // a clock that goes ahead: cut at the leave
    check(&root, "late-sender", 100, NULL);
    root = receive(100, 100, 100);
    check(&root, NULL);
}

static void test_late_sender_worst_instance(void **state)
{
    (void)state;
    struct matcher *matcher = matcher_new(catalogue, &definitions);
    struct root root = receive(100, 200, 150);
    matcher_root(matcher, &root);
    struct matcher_finding finding = found(matcher, "late-sender");
    assert_int_equal(finding.worst.wait_ns, 50);
    assert_int_equal(finding.worst.time_ns, 100);
    assert_int_equal(finding.worst.rank, 1);
    assert_int_equal(finding.worst.location, 1);
    assert_int_equal(finding.worst.call_path, 5);
    assert_int_equal(finding.worst.cause_rank, 2);
    assert_true(finding.confidence == 1.0);
    matcher_free(matcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_sender),
        cmocka_unit_test(test_late_sender_worst_instance),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
