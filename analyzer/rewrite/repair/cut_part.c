// SPDX-License-Identifier: BSD-3-Clause
// See repair.h. Records stay byte by byte.
#include "analyzer/rewrite/repair/repair.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/trace/event_record.h"

struct cut {
    struct tail tail;
    const struct repair_window *window;
    const struct local_definitions *local;
    size_t clock_interval;
    bool has_begun, is_over;
    sound_record_teller *tell;
    void *context;
};

/// The location's clock when that of the run is at AT_TICKS. GUESS is near it: clocks differ in
/// their speed by some millionths, so each step is that much nearer.
static uint64_t own_ticks(const struct cut *cut, uint64_t at_ticks, uint64_t guess)
{
    enum { STEPS = 4 };
    for (int i = 0; i < STEPS; i++) {
        size_t interval = 0;
        guess -= local_definitions_ticks(cut->local, &interval, guess) - at_ticks;
    }
    return guess;
}

static void put_region(struct cut *cut, uint64_t ticks, const struct open_region *region,
                       bool enters)
{
    tail_put_time(&cut->tail, ticks);
    if (enters)
        tail_put_enter(&cut->tail, region);
    else
        tail_put_leave(&cut->tail, region);
}

/// The region of an enter or leave.
static struct open_region region_of(const struct sound_record *record)
{
    return (struct open_region){record->kind == CALLING_CONTEXT_LEAVE,
                                (uint32_t)record->fields.values[0]};
}

/// Enters what is open before RECORD, or leaves it.
static void put_open(struct cut *cut, uint64_t ticks, const struct sound_record *record,
                     const struct sound_part *part, bool enters)
{
    const struct open_region left = region_of(record);
    bool is_leave = record->kind == LEAVE || record->kind == CALLING_CONTEXT_LEAVE;
    if (is_leave && !enters)
        put_region(cut, ticks, &left, false);
    for (size_t i = 0; i < part->n_open; i++)
        put_region(cut, ticks, &part->open[enters ? i : part->n_open - 1 - i], enters);
    if (is_leave && enters)
        put_region(cut, ticks, &left, true);
}

/// A sound_record_teller; CONTEXT is a struct cut.
static void take(void *context, const struct sound_record *record, const struct sound_part *part)
{
    struct cut *cut = context;
    cut->tell(cut->context, record, part);
    uint64_t run_ticks = local_definitions_ticks(cut->local, &cut->clock_interval, record->ticks);
    if (cut->is_over || run_ticks < cut->window->from_ticks)
        return;
    if (!cut->has_begun) {
        cut->has_begun = true;
        cut->tail.is_big_endian = record->content.is_big_endian;
        tail_begin_chunk(&cut->tail);
        put_open(cut, own_ticks(cut, cut->window->from_ticks, record->ticks), record, part, true);
    }
    if (run_ticks > cut->window->to_ticks) {
        cut->is_over = true;
        put_open(cut, own_ticks(cut, cut->window->to_ticks, record->ticks), record, part, false);
        return;
    }
    tail_put_time(&cut->tail, record->ticks);
    tail_put_record(&cut->tail, record, part);
}

int cut_part_write(struct sound_part *part, const char *from, const char *to, uint64_t chunk_bytes,
                   const struct repair_window *window, const struct local_definitions *local,
                   sound_record_teller *tell, void *context, uint64_t *n_written, struct error *err)
{
    struct cut cut = {.window = window, .local = local, .tell = tell, .context = context};
    cut.tail = (struct tail){.file = fopen(to, "wb"), .chunk_bytes = chunk_bytes};
    if (!cut.tail.file)
        return error_set(err, "cannot write '%s': %s", to, strerror(errno));
    sound_part_of_events(part, from, chunk_bytes, take, &cut);
    if (!cut.has_begun)
        tail_begin_chunk(&cut.tail);
    for (size_t i = part->n_open; i > 0 && cut.has_begun && !cut.is_over; i--)
        put_region(&cut, part->last_ticks, &part->open[i - 1], false);
    tail_put_end_mark(&cut.tail);
    tail_end_chunk(&cut.tail);
    *n_written = cut.tail.n_records;
    bool is_bad = ferror(cut.tail.file);
    return fclose(cut.tail.file) != 0 || is_bad
               ? error_set(err, "cannot write '%s': %s", to, strerror(errno))
               : 0;
}
