// SPDX-License-Identifier: BSD-3-Clause
// See packed_events.h. A program repeats itself: most fields of an event are those of the last one
// of its kind, or not far from them. So there is a number that says the kind and which fields
// differ, the time since the event before, and of each field that differs the difference.
#include "analyzer/trace/ahead/packed_events.h"

#include <assert.h>

enum { KIND_BITS = 6, N_FIELDS = 7 };

static_assert(EVENT_KINDS <= 1 << KIND_BITS, "the kind has its place");

/// The fields of an event other than its kind and time.
struct fields {
    uint64_t values[N_FIELDS];
};

static inline struct fields fields_of(const struct event *event)
{
    return (struct fields){
        {(uint64_t)event->op | (uint64_t)event->class_ << 8 | (uint64_t)event->flags << 16,
         event->index, event->peer, event->tag, event->size_bytes, event->received_bytes,
         event->request}};
}

static inline void set_fields(struct event *event, const struct fields *fields)
{
    const uint64_t *values = fields->values;
    event->op = (uint8_t)values[0];
    event->class_ = (uint8_t)(values[0] >> 8);
    event->flags = (uint8_t)(values[0] >> 16);
    event->index = (uint32_t)values[1];
    event->peer = (uint32_t)values[2];
    event->tag = (uint32_t)values[3];
    event->size_bytes = values[4];
    event->received_bytes = values[5];
    event->request = values[6];
}

// Small differences of either sign become small numbers.
static inline uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ -(difference >> 63);
}

static inline uint64_t unzigzag(uint64_t number)
{
    return number >> 1 ^ -(number & 1);
}

void events_pack(const struct event *events, size_t n, struct numbers *numbers)
{
    struct fields last[EVENT_KINDS] = {0};
    uint64_t last_ns = 0;
    numbers_pass(numbers, n);
    for (size_t i = 0; i < n; i++) {
        const struct event *event = &events[i];
        struct fields fields = fields_of(event), *before = &last[event->kind];
        unsigned differ = 0;
        for (int field = 0; field < N_FIELDS; field++)
            differ |= (unsigned)(fields.values[field] != before->values[field]) << field;
        numbers_pass(numbers, (uint64_t)differ << KIND_BITS | event->kind);
        numbers_pass(numbers, event->time_ns - last_ns);
        last_ns = event->time_ns;
        for (unsigned left = differ; left; left &= left - 1) {
            int field = __builtin_ctz(left);
            numbers_pass(numbers, zigzag(fields.values[field] - before->values[field]));
        }
        *before = fields;
    }
}

void events_unpack(struct numbers *numbers, struct batch *out)
{
    struct fields last[EVENT_KINDS] = {0};
    uint64_t last_ns = 0;
    size_t n = numbers_pass_count(numbers, 0);
    batch_reserve(out, out->n + n);
    for (size_t i = 0; i < n; i++) {
        struct event *event = &out->events[BATCH_HEADROOM + out->n++];
        unsigned head = (unsigned)numbers_pass(numbers, 0);
        event->kind = head & ((1U << KIND_BITS) - 1);
        last_ns += numbers_pass(numbers, 0);
        event->time_ns = last_ns;
        struct fields *fields = &last[event->kind];
        for (unsigned left = head >> KIND_BITS; left; left &= left - 1)
            fields->values[__builtin_ctz(left)] += unzigzag(numbers_pass(numbers, 0));
        set_fields(event, fields);
    }
}
