// SPDX-License-Identifier: BSD-3-Clause
// What the matcher keeps of hand-made trigger events: worst instances, confidence, formulas that
// are wild. What each shipped pattern finds is a trace of tests/traces/patterns; sums by rank and
// call path are those of the reference (test_agreement.c).

#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/trace/event.h"
#include "tests/unit/unit_test.h"

enum { N_RANKS = 4 };

static struct catalogue *catalogue;
static const struct definitions definitions = {.n_locations = N_RANKS, .n_ranks = N_RANKS};

static int load(void **state)
{
    struct error err = {{0}};
    catalogue = catalogue_load("patterns", NULL, 0, &err);
    if (!catalogue)
        print_error("%s\n", err.text);
    return catalogue ? 0 : -1;
}

static int unload(void **state)
{
    catalogue_free(catalogue);
    return 0;
}

static struct matcher_finding found(const struct matcher *matcher, const char *id)
{
    uint32_t index = catalogue_find(catalogue, id);
    assert_int_not_equal(index, PATTERN_NONE);
    return matcher_finding(matcher, index);
}

// ---- point to point ----

static struct trigger receive(int64_t enter, int64_t leave, int64_t send_enter)
{
    struct trigger trigger = {.kind = TRIGGER_RECEIVE, .location = 1, .rank = 1, .call_path = 5};
    trigger.value[TRIGGER_RECEIVE_ENTER] = trigger.value[TRIGGER_RECEIVE_POST_ENTER] = enter;
    trigger.value[TRIGGER_RECEIVE_LEAVE] = leave;
    trigger.value[TRIGGER_RECEIVE_SEND_ENTER] = send_enter;
    trigger.value[TRIGGER_RECEIVE_SEND_LEAVE] = send_enter + 5;
    trigger.value[TRIGGER_RECEIVE_SENDER] = 2;
    trigger.value[TRIGGER_RECEIVE_N_MESSAGES] = 1;
    trigger.value[TRIGGER_RECEIVE_QUEUED_SEND] = TRIGGER_NEVER;
    return trigger;
}

TEST(test_late_sender_worst_instance)
{
    struct matcher *matcher = matcher_new(catalogue, &definitions);
    struct trigger trigger = receive(100, 200, 150);
    matcher_trigger(matcher, &trigger);
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

static struct trigger queued(int64_t queued_send, bool is_same_source)
{
    struct trigger trigger = receive(100, 200, 150);
    trigger.value[TRIGGER_RECEIVE_QUEUED_SEND] = queued_send;
    trigger.value[TRIGGER_RECEIVE_QUEUED_SAME_SOURCE] = is_same_source;
    return trigger;
}

TEST(test_wrong_order_begins_when_it_could_have_been_taken)
{
    struct matcher *matcher = matcher_new(catalogue, &definitions);
    struct trigger trigger = queued(120, true);
    matcher_trigger(matcher, &trigger);
    assert_int_equal(found(matcher, "late-sender").worst.time_ns, 100);
    assert_int_equal(found(matcher, "late-sender-wrong-order").worst.time_ns, 120);
    assert_int_equal(found(matcher, "late-sender-wrong-order-same-source").worst.time_ns, 120);
    assert_int_equal(found(matcher, "late-sender-wrong-order").worst.cause_rank, 2);
    matcher_free(matcher);
}

static struct trigger send(int64_t enter, int64_t leave, int64_t post_enter)
{
    struct trigger trigger = {.kind = TRIGGER_SEND, .location = 2, .rank = 2, .call_path = 7};
    trigger.value[TRIGGER_SEND_ENTER] = trigger.value[TRIGGER_SEND_SEND_ENTER] = enter;
    trigger.value[TRIGGER_SEND_LEAVE] = leave;
    trigger.value[TRIGGER_SEND_POST_ENTER] = post_enter;
    trigger.value[TRIGGER_SEND_RECEIVER] = 3;
    return trigger;
}

TEST(test_late_receiver_confidence)
{
    struct matcher *matcher = matcher_new(catalogue, &definitions);
    struct trigger trigger = send(100, 200, 130);
    matcher_trigger(matcher, &trigger);
    assert_true(found(matcher, "late-receiver").confidence == 0.5);
    assert_int_equal(found(matcher, "late-receiver").worst.cause_rank, 3);
    trigger = send(300, 500, 390);
    trigger.value[TRIGGER_SEND_IS_CERTAIN] = 1;
    matcher_trigger(matcher, &trigger);
    assert_true(found(matcher, "late-receiver").confidence == (30 * 0.5 + 90) / 120.0);
    matcher_free(matcher);
}

// ---- collectives ----

/// Rank 1 in [enter, leave]; the last one, rank 3, came at LAST; it ended first at FIRST_END.
static struct trigger collective(int64_t kind, int64_t enter, int64_t leave, int64_t last,
                                 int64_t first_end)
{
    struct trigger trigger = {.kind = TRIGGER_COLLECTIVE, .location = 1, .rank = 1, .call_path = 2};
    int64_t *value = trigger.value;
    value[TRIGGER_COLLECTIVE_ENTER] = enter;
    value[TRIGGER_COLLECTIVE_LEAVE] = leave;
    value[TRIGGER_COLLECTIVE_KIND] = kind;
    value[TRIGGER_COLLECTIVE_FIRST_ENTER] = enter;
    value[TRIGGER_COLLECTIVE_LAST_ENTER] = last;
    value[TRIGGER_COLLECTIVE_LAST_RANK] = 3;
    value[TRIGGER_COLLECTIVE_END] = leave;
    value[TRIGGER_COLLECTIVE_FIRST_END] = first_end;
    value[TRIGGER_COLLECTIVE_ROOT_ENTER] = TRIGGER_NEVER;
    value[TRIGGER_COLLECTIVE_ROOT_RANK] = -1;
    value[TRIGGER_COLLECTIVE_FIRST_SENDER_ENTER] = TRIGGER_NEVER;
    value[TRIGGER_COLLECTIVE_LAST_LOWER_ENTER] = enter;
    value[TRIGGER_COLLECTIVE_BYTES] = 8;
    value[TRIGGER_COLLECTIVE_N_MEMBERS] = N_RANKS;
    return trigger;
}

TEST(test_completion_has_no_cause)
{
    struct matcher *matcher = matcher_new(catalogue, &definitions);
    struct trigger trigger = collective(COLLECTIVE_BARRIER, 100, 200, 150, 180);
    matcher_trigger(matcher, &trigger);
    assert_int_equal(found(matcher, "wait-at-barrier").worst.cause_rank, 3);
    assert_int_equal(found(matcher, "barrier-completion").worst.cause_rank, MATCHER_NO_RANK);
    assert_int_equal(found(matcher, "barrier-completion").worst.time_ns, 180);
    matcher_free(matcher);
}

// ---- sums ----

TEST(test_worst_instance_does_not_depend_on_the_order)
{
    static const struct {
        int64_t enter, wait;
        uint32_t rank;
    } instances[] = {{500, 40, 0}, {300, 40, 3}, {300, 40, 2}, {100, 39, 1}, {400, 40, 1}};
    for (size_t first = 0; first < 5; first++) {
        struct matcher *matcher = matcher_new(catalogue, &definitions);
        for (size_t i = 0; i < 5; i++) {
            size_t k = (first + i * 3) % 5;
            struct trigger trigger = receive(instances[k].enter, instances[k].enter + 90,
                                             instances[k].enter + instances[k].wait);
            trigger.rank = trigger.location = instances[k].rank;
            matcher_trigger(matcher, &trigger);
        }
        struct matcher_finding finding = found(matcher, "late-sender");
        assert_int_equal(finding.worst.wait_ns, 40);
        assert_int_equal(finding.worst.time_ns, 300);
        assert_int_equal(finding.worst.rank, 2);
        matcher_free(matcher);
    }
}

TEST(test_window)
{
    struct matcher *matcher = matcher_new(catalogue, &definitions);
    uint32_t index = catalogue_find(catalogue, "late-sender");
    struct trigger trigger = receive(100, 200, 150);
    trigger.in_window = true;
    trigger.window_end_ns = UINT64_MAX;
    matcher_trigger(matcher, &trigger);
    assert_int_equal(found(matcher, "late-sender").window_ns, 50);
    assert_int_equal(matcher_window_ns(matcher, index, 1), 50);
    matcher_window_moved(matcher);
    assert_int_equal(found(matcher, "late-sender").window_ns, 0);
    assert_int_equal(matcher_window_ns(matcher, index, 1), 0);
    trigger = receive(300, 400, 340);
    trigger.in_window = true;
    trigger.window_end_ns = 320; // what comes after it does not count
    matcher_trigger(matcher, &trigger);
    trigger.in_window = false;
    matcher_trigger(matcher, &trigger);
    assert_int_equal(found(matcher, "late-sender").window_ns, 20);
    assert_int_equal(matcher_window_ns(matcher, index, 1), 20);
    assert_int_equal(matcher_window_ns(matcher, index, 0), 0);
    assert_int_equal(found(matcher, "late-sender").total_ns, 130);
    matcher_free(matcher);
}

TEST(test_cause_out_of_range_is_unknown)
{
    static const int64_t senders[] = {-1, N_RANKS, INT64_MAX, INT64_MIN, 0};
    for (size_t i = 0; i < 5; i++) {
        struct matcher *matcher = matcher_new(catalogue, &definitions);
        struct trigger trigger = receive(100, 200, 150);
        trigger.value[TRIGGER_RECEIVE_SENDER] = senders[i];
        matcher_trigger(matcher, &trigger);
        assert_int_equal(found(matcher, "late-sender").worst.cause_rank,
                         senders[i] == 0 ? 0 : MATCHER_NO_RANK);
        matcher_free(matcher);
    }
}

/// Formulas of users may be wild: no wait before the run, beyond its call, or from a division by 0.
TEST(test_wild_formulas)
{
    struct error err = {{0}};
    static const char *const file[] = {"tests/traces/patterns/wild-patterns.xml"};
    struct catalogue *wild = catalogue_load(NULL, file, 1, &err);
    if (!wild)
        fail_msg("%s", err.text);
    struct matcher *matcher = matcher_new(wild, &definitions);
    struct trigger trigger = receive(100, 200, 150);
    matcher_trigger(matcher, &trigger);
    static const struct {
        const char *id;
        uint64_t total_ns, time_ns;
    } expected[] = {
        {"huge-wait", 100, 100},      {"late-begin", 20, 180},     {"begin-after-leave", 0, 0},
        {"begin-before-run", 0, 0},   {"divided-by-zero", 0, 0},   {"negative", 0, 0},
        {"guarded-far-away", 0, 0},   {"both", 30, 100},           {"twice-within", 60, 100},
        {"within-what-is-not", 0, 0}, {"begin-long-before", 0, 0},
    };
    assert_int_equal(wild->n_patterns, sizeof(expected) / sizeof(expected[0]));
    for (size_t i = 0; i < wild->n_patterns; i++) {
        uint32_t index = catalogue_find(wild, expected[i].id);
        assert_int_not_equal(index, PATTERN_NONE);
        struct matcher_finding finding = matcher_finding(matcher, index);
        if (finding.total_ns != expected[i].total_ns ||
            finding.worst.time_ns != expected[i].time_ns || finding.confidence < 0 ||
            finding.confidence > 1)
            fail_msg("%s: %llu ns from %llu", expected[i].id, (unsigned long long)finding.total_ns,
                     (unsigned long long)finding.worst.time_ns);
    }
    matcher_free(matcher);
    catalogue_free(wild);
}

AROUND_ALL(load, unload)
