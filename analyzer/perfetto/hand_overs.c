// SPDX-License-Identifier: BSD-3-Clause
// Each record names the one before it on its path, so the critical path is found
// backwards from the end. On the way the records are made to name the one after them; that way back
// is the path in the order of time.
#include "analyzer/perfetto/track_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"

enum { BUFFERED = 4096 };
#define NO_HAND_OVER UINT64_MAX

struct hand_overs {
    int file;
    int failure; // errno of the first write that failed
    size_t n_locations;
    uint64_t n; // in the file and the buffer
    struct pag_hand_over buffer[BUFFERED];
    size_t n_buffered;
};

struct hand_overs *hand_overs_new(const char *folder, size_t n_locations, struct error *err)
{
    int file = scratch_file_open(folder);
    if (file < 0) {
        error_set(err, "cannot make a temporary file in %s: %s", folder, strerror(errno));
        return NULL;
    }
    struct hand_overs *hand_overs = memory_zeroed(1, sizeof *hand_overs);
    hand_overs->file = file;
    hand_overs->n_locations = n_locations;
    return hand_overs;
}

void hand_overs_free(struct hand_overs *hand_overs)
{
    if (!hand_overs)
        return;
    close(hand_overs->file);
    free(hand_overs);
}

static void flush(struct hand_overs *hand_overs)
{
    uint64_t first = hand_overs->n - hand_overs->n_buffered;
    if (hand_overs->failure == 0)
        hand_overs->failure =
            scratch_file_write(hand_overs->file, hand_overs->buffer,
                               hand_overs->n_buffered * sizeof *hand_overs->buffer,
                               first * sizeof *hand_overs->buffer);
    hand_overs->n_buffered = 0;
}

uint64_t hand_overs_add(struct hand_overs *hand_overs, const struct pag_hand_over *hand_over)
{
    if (hand_overs->n_buffered == BUFFERED)
        flush(hand_overs);
    hand_overs->buffer[hand_overs->n_buffered++] = *hand_over;
    return hand_overs->n_locations + hand_overs->n++;
}

/// A hand-over, not a location from its start on.
static bool is_record(const struct hand_overs *hand_overs, uint64_t number)
{
    return number >= hand_overs->n_locations && number != NO_HAND_OVER;
}

static int read_record(const struct hand_overs *hand_overs, uint64_t number,
                       struct pag_hand_over *record, struct error *err)
{
    uint64_t at = (number - hand_overs->n_locations) * sizeof *record;
    ssize_t n = scratch_file_read(hand_overs->file, record, sizeof *record, at);
    if (n == (ssize_t)sizeof *record)
        return 0;
    return error_set(err, "cannot read a temporary file: %s",
                     n < 0 ? strerror(errno) : "it is cut");
}

/// Makes each record on the path to LAST name the one after it; with skewed clocks none begins
/// after that. *FIRST is the first record, *LOCATION where the path begins.
static int turn_round(struct hand_overs *hand_overs, uint64_t last, uint64_t end_ns,
                      uint64_t *first, uint32_t *location, struct error *err)
{
    uint64_t after = NO_HAND_OVER, number = last;
    while (is_record(hand_overs, number)) {
        struct pag_hand_over record;
        if (read_record(hand_overs, number, &record, err) != 0)
            return -1;
        uint64_t before = record.before;
        record.before = after;
        if (record.begin_ns > end_ns)
            record.begin_ns = end_ns;
        end_ns = record.begin_ns;
        int failure = scratch_file_write(hand_overs->file, &record, sizeof record,
                                         (number - hand_overs->n_locations) * sizeof record);
        if (failure != 0)
            return error_set(err, "cannot write a temporary file: %s", strerror(failure));
        after = number;
        number = before;
    }
    *first = after;
    *location = (uint32_t)number;
    return 0;
}

int hand_overs_walk(struct hand_overs *hand_overs, uint64_t last, uint64_t end_ns, path_part *part,
                    void *context, struct error *err)
{
    uint64_t next = NO_HAND_OVER, begin_ns = 0;
    uint32_t location = 0;
    flush(hand_overs);
    if (hand_overs->failure != 0)
        return error_set(err, "cannot write a temporary file: %s", strerror(hand_overs->failure));
    if (turn_round(hand_overs, last, end_ns, &next, &location, err) != 0)
        return -1;
    while (next != NO_HAND_OVER) {
        struct pag_hand_over record;
        if (read_record(hand_overs, next, &record, err) != 0)
            return -1;
        if (record.begin_ns > begin_ns)
            part(context, location, begin_ns, record.begin_ns);
        begin_ns = record.begin_ns;
        location = record.location;
        next = record.before;
    }
    if (end_ns > begin_ns)
        part(context, location, begin_ns, end_ns);
    return 0;
}
