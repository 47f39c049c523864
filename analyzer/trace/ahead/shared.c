// SPDX-License-Identifier: BSD-3-Clause
// See shared.h. The first process sends the numbers of locations whose next block it wants, the
// others send blocks, which begin with the number of their location. The first block of a location
// needs no asking; with its last one come its report, and the end of its digest. A number beyond
// all locations ends the sharing: each of the others answers it with the same.
#include "analyzer/trace/ahead/shared.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/checksum.h"
#include "analyzer/base/memory.h"
#include "analyzer/spread/spread.h"
#include "analyzer/trace/ahead/decode_ahead.h"
#include "analyzer/trace/ahead/packed_events.h"
#include "analyzer/trace/open_trace.h"

struct block {
    struct numbers numbers; // after that of its location; owned bytes
    bool has_come;          // and is not asked for again
};

struct shared {
    struct block *blocks; // by location: of the first process
    size_t *wanted;       // of the others: a ring of n_readers places
    size_t n_wanted, n_served;
    bool has_begun;   // all processes have opened it
    unsigned n_ended; // of these: send nothing any more
};

/// Which of N processes reads LOCATION. The first one has more to do, and reads half as much.
static unsigned owner_of(size_t location, unsigned n_processes)
{
    return (unsigned)(location % (2 * n_processes - 1) + 1) / 2;
}

// --- opening

void shared_begin(struct trace *trace)
{
    trace->shared = memory_zeroed(1, sizeof *trace->shared);
    for (size_t i = 0; i < trace->n_readers; i++)
        trace->readers[i].is_remote = owner_of(i, spread_size()) != spread_rank();
    if (spread_is_first())
        trace->shared->blocks = memory_zeroed(trace->n_readers, sizeof *trace->shared->blocks);
    else
        trace->shared->wanted = memory_zeroed(trace->n_readers, sizeof *trace->shared->wanted);
}

static void nothing(void *context, size_t process)
{
    (void)context;
    (void)process;
}

static void move_opening(void *context, size_t process, struct owned *walk)
{
    struct opening *openings = context;
    owned_block(walk, &openings[process], sizeof *openings);
}

/// A number that differs where processes have different traces.
static uint64_t input_of(const struct trace *trace)
{
    const struct definitions *definitions = &trace->resolved.definitions;
    uint64_t sum = checksum_mix(0, definitions->n_regions);
    for (size_t i = 0; i < definitions->n_locations; i++)
        sum = checksum_mix(checksum_mix(sum, definitions->locations[i].id),
                           definitions->locations[i].n_events);
    return sum;
}

struct opening shared_agree(struct trace *trace, struct opening own)
{
    unsigned n = spread_size();
    struct opening all = {.first_ticks = INT64_MAX};
    SCOPED struct opening *openings = memory_zeroed(n, sizeof *openings);
    openings[spread_rank()] = own;
    spread_each(&(struct spread_jobs){.n = n,
                                      .input = input_of(trace),
                                      .context = openings,
                                      .run = nothing,
                                      .move = move_opening});
    for (unsigned i = 0; i < n; i++) {
        if (openings[i].first_ticks < all.first_ticks)
            all.first_ticks = openings[i].first_ticks;
        all.exceeds_a_promise |= openings[i].exceeds_a_promise;
    }
    trace->shared->has_begun = true;
    return all;
}

// --- what a block holds

static void pass_flag(bool *flag, struct numbers *numbers)
{
    *flag = numbers_pass(numbers, *flag);
}

/// The last block of a location: what reading it found out, and where its digest has come to.
static void pass_end(struct trace *trace, size_t location, struct numbers *numbers)
{
    struct location_reader *reader = &trace->readers[location];
    struct location_report *report = &reader->decoder.report;
    struct numbers reason = {.bytes = (unsigned char *)reader->reason,
                             .n = reader->reason ? strlen(reader->reason) : 0};
    location_pass_counts(trace, location, numbers);
    pass_flag(&report->lacks_definitions, numbers);
    pass_flag(&report->is_skipped, numbers);
    pass_flag(&report->is_cut, numbers);
    numbers_pass_row(numbers, &reason);
    if (numbers->is_reading && reason.n > 0)
        location_set_reason(reader, "%.*s", (int)reason.n, (const char *)reason.bytes);
    trace->digest.pass(trace->digest.context, location, numbers);
}

static void send_number(unsigned process, uint64_t number)
{
    struct numbers message = {0};
    numbers_pass(&message, number);
    spread_send(process, message.bytes, message.n);
}

static void send_block(struct trace *trace, size_t location, const struct event *events, size_t n,
                       bool at_end)
{
    struct numbers block = {0};
    numbers_pass(&block, location);
    numbers_pass(&block, at_end);
    events_pack(events, n, &block);
    if (at_end)
        pass_end(trace, location, &block);
    else
        decode_ahead_request(trace->ahead, location);
    spread_send(0, block.bytes, block.n);
}

void shared_unpack(struct trace *trace, size_t location, struct batch *batch)
{
    struct numbers *block = &trace->shared->blocks[location].numbers;
    batch_reserve(batch, 1);
    batch->n = 0;
    batch->at_end = numbers_pass(block, 0);
    events_unpack(block, batch);
    if (batch->at_end)
        pass_end(trace, location, block);
    assert(!block->is_damaged && "bug: less was written than is read");
    free(block->bytes);
    block->bytes = NULL;
}

// --- the first process

/// Takes a block that has come. false: none has.
static bool take_block(struct trace *trace, bool wants_it)
{
    struct shared *shared = trace->shared;
    size_t n;
    unsigned from;
    unsigned char *bytes = spread_receive(&n, &from);
    if (!bytes)
        return false;
    struct numbers block = numbers_of(bytes, n);
    size_t location = numbers_pass(&block, 0);
    if (location < trace->n_readers && wants_it) {
        shared->blocks[location] = (struct block){block, true};
        decode_ahead_request(trace->ahead, location);
        return true;
    }
    shared->n_ended += location == trace->n_readers;
    free(bytes);
    return true;
}

void shared_await(struct trace *trace, size_t location)
{
    while (take_block(trace, true))
        continue;
    while (!trace->shared->blocks[location].has_come)
        if (!take_block(trace, true) && !decode_ahead_help(trace->ahead))
            spread_pause();
}

void shared_request(struct trace *trace, size_t location)
{
    trace->shared->blocks[location].has_come = false;
    send_number(owner_of(location, spread_size()), location);
}

static void end_others(struct trace *trace)
{
    struct shared *shared = trace->shared;
    unsigned n = spread_size();
    for (unsigned i = 1; i < n; i++)
        send_number(i, trace->n_readers);
    while (shared->n_ended + 1 < n)
        if (!take_block(trace, false))
            spread_pause();
    FREE_MEMBERS(shared->blocks, trace->n_readers, numbers.bytes);
}

// --- the others

/// Takes what the first process asks for, if it does. false: it does not.
static bool take_request(struct trace *trace)
{
    struct shared *shared = trace->shared;
    size_t n;
    unsigned from;
    unsigned char *bytes = spread_receive(&n, &from);
    if (!bytes)
        return false;
    struct numbers request = numbers_of(bytes, n);
    size_t location = numbers_pass(&request, 0);
    if (location == trace->n_readers)
        shared->n_ended++;
    else
        shared->wanted[shared->n_wanted++ % trace->n_readers] = location;
    free(bytes);
    return true;
}

void shared_serve(struct trace *trace)
{
    struct shared *shared = trace->shared;
    location_decode_ahead(trace);
    for (size_t i = 0; i < trace->n_readers; i++) {
        const struct cursor *cursor = &trace->readers[i].cursor;
        if (!trace->readers[i].is_remote)
            send_block(trace, i, cursor->events + cursor->position, cursor->end - cursor->position,
                       cursor->at_end);
    }
    while (shared->n_ended == 0) {
        bool has_come = take_request(trace);
        if (shared->n_served < shared->n_wanted) {
            size_t location = shared->wanted[shared->n_served++ % trace->n_readers];
            const struct batch *batch = decode_ahead_wait(trace->ahead, location);
            send_block(trace, location, batch->events + BATCH_HEADROOM, batch->n, batch->at_end);
        } else if (!has_come && !decode_ahead_help(trace->ahead)) {
            spread_pause();
        }
    }
}

// --- the end

void shared_end(struct trace *trace)
{
    struct shared *shared = trace->shared;
    if (!shared)
        return;
    if (shared->has_begun) {
        if (spread_is_first())
            end_others(trace);
        else
            send_number(0, trace->n_readers);
        spread_flush();
    }
    FREE_ALL(shared->blocks, shared->wanted, shared);
    trace->shared = NULL;
}
