// SPDX-License-Identifier: BSD-3-Clause
// The file is a row of blocks; each begins with the number of the next one of its location. A
// location's records are bytes of LEB128 numbers:
//     PIECE     recorded ns, scale            of the OUTSIDE that follows
//     OUTSIDE   events, recorded ns, ns, work ns
//     CALL      the same
//     EVENT     (one event, no time)
//     PUT_OFF   a CALL that is waited for later
//     LATE      a call without events: calls waited for, recorded ns, ns, work ns
// Begins are the ends of what is before; the first one is kept in memory. Outside MPI an event
// recorded after a share of the weight (recorded ns times scale) comes after the same share of the
// simulated time, rounded down: the parts sum to it exactly (simulation/computation.c). The weight
// of all of an OUTSIDE is found by a second place that reads ahead to its end.
#include "analyzer/rewrite/time_map.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/format/numbers.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

__extension__ typedef unsigned __int128 wide;

enum { BLOCK_BYTES = 1024, NEXT_BYTES = 8, RECORD_BYTES = 5 * NUMBER_BYTES };
enum record_kind {
    RECORD_END,
    RECORD_PIECE,
    RECORD_OUTSIDE,
    RECORD_CALL,
    RECORD_EVENT,
    RECORD_PUT_OFF,
    RECORD_LATE,
    RECORD_CHANGE, // of a row of its own: event, 0 or its size and 1
};

struct track {
    unsigned char *block; // NULL: nothing yet, or written
    uint32_t n_bytes;
    uint64_t number, first_number; // of the block
    bool has_begun;
    uint64_t recorded_begin_ns, begin_ns, end_ns;
    uint64_t piece_ns, piece_scale; // known, not yet written
};

struct time_map {
    int file;
    uint64_t n_blocks;
    struct track *tracks; // by location, then the changes of each
    size_t n_tracks;
    bool has_late_calls;
    int failure; // errno of the first write that failed
};

// --- writing

struct time_map *time_map_new(const char *directory, size_t n_locations, struct error *err)
{
    int file = scratch_file_open(directory);
    if (file < 0) {
        error_set(err, "cannot make a temporary file in %s: %s", directory, strerror(errno));
        return NULL;
    }
    struct time_map *map = memory_zeroed(1, sizeof *map);
    map->file = file;
    map->n_tracks = 2 * n_locations;
    map->tracks = memory_zeroed(map->n_tracks, sizeof *map->tracks);
    return map;
}

void time_map_free(struct time_map *map)
{
    if (!map)
        return;
    FREE_MEMBERS(map->tracks, map->n_tracks, block);
    free(map->tracks);
    close(map->file);
    free(map);
}

static void begin_block(struct track *track, uint64_t number)
{
    track->number = number;
    track->n_bytes = NEXT_BYTES;
}

static void write_block(struct time_map *map, const struct track *track, uint64_t next)
{
    memcpy(track->block, &next, NEXT_BYTES);
    if (map->failure == 0)
        map->failure =
            scratch_file_write(map->file, track->block, BLOCK_BYTES, track->number * BLOCK_BYTES);
}

/// Makes room for a record at the end of TRACK.
static void make_room(struct time_map *map, struct track *track)
{
    if (!track->block) {
        track->block = memory_zeroed(1, BLOCK_BYTES);
        track->first_number = map->n_blocks;
        begin_block(track, map->n_blocks++);
    } else if (track->n_bytes + RECORD_BYTES >= BLOCK_BYTES) { // an end fits, too
        track->block[track->n_bytes] = RECORD_END;
        write_block(map, track, map->n_blocks);
        begin_block(track, map->n_blocks++);
    }
}

static void put_number(struct track *track, uint64_t number)
{
    track->n_bytes += number_write(track->block + track->n_bytes, number);
}

static void put_kind(struct time_map *map, struct track *track, enum record_kind kind)
{
    make_room(map, track);
    track->block[track->n_bytes++] = (unsigned char)kind;
}

static void put_piece(struct time_map *map, struct track *track)
{
    if (track->piece_ns == 0)
        return;
    put_kind(map, track, RECORD_PIECE);
    put_number(track, track->piece_ns);
    put_number(track, track->piece_scale);
    track->piece_ns = 0;
}

void time_map_weighed(void *context, uint32_t location, uint64_t recorded_ns, uint64_t scale)
{
    struct time_map *map = context;
    struct track *track = &map->tracks[location];
    if (scale != track->piece_scale)
        put_piece(map, track);
    track->piece_scale = scale;
    track->piece_ns += recorded_ns;
}

void time_map_changed(void *context, const struct pag_changed *changed)
{
    struct time_map *map = context;
    struct track *track = &map->tracks[map->n_tracks / 2 + changed->location];
    track->has_begun = true;
    put_kind(map, track, RECORD_CHANGE);
    put_number(track, changed->event);
    put_number(track, changed->is_left_out ? 0 : changed->size_bytes + 1);
}

static enum record_kind kind_of(const struct pag_moved *moved)
{
    if (moved->kind == PAG_MOVED_OUTSIDE)
        return RECORD_OUTSIDE;
    if (moved->n_late_calls > 0)
        return RECORD_LATE;
    return moved->is_put_off ? RECORD_PUT_OFF : RECORD_CALL;
}

void time_map_moved(void *context, const struct pag_moved *moved)
{
    struct time_map *map = context;
    struct track *track = &map->tracks[moved->location];
    if (!track->has_begun) {
        track->has_begun = true;
        track->recorded_begin_ns = moved->recorded_begin_ns;
        track->begin_ns = track->end_ns = moved->begin_ns;
    }
    assert(moved->begin_ns == track->end_ns && "bug: what moved begins where it ended");
    track->end_ns = moved->end_ns;
    put_piece(map, track);
    if (moved->kind == PAG_MOVED_EVENT) {
        put_kind(map, track, RECORD_EVENT);
        return;
    }
    map->has_late_calls = map->has_late_calls || moved->is_put_off;
    put_kind(map, track, kind_of(moved));
    put_number(track, moved->n_late_calls > 0 ? moved->n_late_calls : moved->n_events);
    put_number(track, moved->recorded_end_ns - moved->recorded_begin_ns);
    put_number(track, moved->end_ns - moved->begin_ns);
    put_number(track, moved->work_ns);
    if (moved->kind == PAG_MOVED_OUTSIDE)
        put_number(track, moved->blocked_ns);
}

int time_map_finish(struct time_map *map, struct error *err)
{
    for (size_t i = 0; i < map->n_tracks; i++) {
        struct track *track = &map->tracks[i];
        if (!track->block)
            continue;
        track->block[track->n_bytes] = RECORD_END;
        write_block(map, track, UINT64_MAX);
        free(track->block);
        track->block = NULL;
    }
    if (map->failure != 0)
        return error_set(err, "cannot keep the times of the predicted run: %s",
                         strerror(map->failure));
    return 0;
}

uint64_t time_map_end_ns(const struct time_map *map, uint32_t location)
{
    return map->tracks[location].end_ns;
}

bool time_map_has_late_calls(const struct time_map *map)
{
    return map->has_late_calls;
}

// --- reading

/// A place in the records of a location.
struct place {
    unsigned char block[BLOCK_BYTES];
    uint32_t at;
    uint64_t next; // block, UINT64_MAX: none
};

struct record {
    enum record_kind kind;
    uint64_t n_events, recorded_ns, length_ns, work_ns, blocked_ns;
    uint64_t scale;       // of a piece
    uint64_t n_calls;     // of a LATE
    uint64_t event, size; // of a CHANGE
};

struct time_map_reader {
    const struct time_map *map;
    struct place here, ahead; // the next record; after the current OUTSIDE
    bool is_ahead;
    uint64_t speed;
    struct record now;
    uint64_t n_left; // events of it
    uint64_t recorded_begin_ns, begin_ns;
    uint64_t last_ns;
    bool has_completed;          // something in the current call
    uint64_t n_put_off, n_late;  // calls up to the current record
    uint64_t n_passed;           // events asked for
    struct pag_changed *changes; // by event
    size_t n_changes, next_change, changes_capacity;
    uint64_t cpu_before_ns, cpu_ns;   // up to the current record, in it up to last_ns
    uint64_t wait_before_ns, wait_ns; // the same, ready to run without a core
    // the current OUTSIDE:
    wide weight, weight_before; // of all of it, of the pieces before the current one
    uint64_t piece_begin_ns, piece_ns, piece_scale;
};

static int load(const struct time_map *map, struct place *place, uint64_t number, struct error *err)
{
    ssize_t n = scratch_file_read(map->file, place->block, BLOCK_BYTES, number * BLOCK_BYTES);
    if (n != BLOCK_BYTES)
        return error_set(err, "cannot read the times of the predicted run: %s",
                         n < 0 ? strerror(errno) : "the temporary file is too short");
    memcpy(&place->next, place->block, NEXT_BYTES);
    place->at = NEXT_BYTES;
    return 0;
}

static int get_record(const struct time_map *map, struct place *place, struct record *record,
                      struct error *err)
{
    *record = (struct record){.kind = place->block[place->at]};
    if (record->kind == RECORD_END) {
        if (place->next == UINT64_MAX)
            return 0;
        if (load(map, place, place->next, err) != 0)
            return -1;
        record->kind = place->block[place->at];
    }
    place->at += record->kind != RECORD_END;
    if (record->kind == RECORD_PIECE) {
        record->recorded_ns = number_read(place->block, &place->at);
        record->scale = number_read(place->block, &place->at);
    } else if (record->kind == RECORD_CHANGE) {
        record->event = number_read(place->block, &place->at);
        record->size = number_read(place->block, &place->at);
    } else if (record->kind == RECORD_EVENT) {
        record->n_events = 1;
    } else if (record->kind != RECORD_END) {
        record->n_events = number_read(place->block, &place->at);
        record->recorded_ns = number_read(place->block, &place->at);
        record->length_ns = number_read(place->block, &place->at);
        record->work_ns = number_read(place->block, &place->at);
        if (record->kind == RECORD_OUTSIDE)
            record->blocked_ns = number_read(place->block, &place->at);
        if (record->kind == RECORD_LATE) {
            record->n_calls = record->n_events;
            record->n_events = 0;
        }
    }
    return 0;
}

/// The first place of TRACK.
static void go_to_begin(struct place *place, const struct track *track)
{
    place->next = track->has_begun ? track->first_number : UINT64_MAX;
    place->block[0] = RECORD_END; // the first one to load is the next one
    place->at = 0;
}

/// Reads the changes of LOCATION.
static int read_changes(struct time_map_reader *reader, uint32_t location, struct error *err)
{
    const struct time_map *map = reader->map;
    struct record record;
    go_to_begin(&reader->here, &map->tracks[map->n_tracks / 2 + location]);
    for (;;) {
        if (get_record(map, &reader->here, &record, err) != 0)
            return -1;
        if (record.kind == RECORD_END)
            break;
        *ARRAY_NEXT(reader->changes, reader->n_changes, reader->changes_capacity) =
            (struct pag_changed){.location = location,
                                 .event = record.event,
                                 .is_left_out = record.size == 0,
                                 .size_bytes = record.size == 0 ? 0 : record.size - 1};
    }
    SORT_BY(reader->changes, reader->n_changes, LEAST(event));
    return 0;
}

struct time_map_reader *time_map_read(struct time_map *map, uint32_t location,
                                      uint64_t processor_speed, struct error *err)
{
    const struct track *track = &map->tracks[location];
    struct time_map_reader *reader = memory_zeroed(1, sizeof *reader);
    reader->map = map;
    reader->speed = processor_speed;
    if (read_changes(reader, location, err) != 0) {
        time_map_reader_free(reader);
        return NULL;
    }
    go_to_begin(&reader->here, track);
    reader->recorded_begin_ns = track->recorded_begin_ns;
    reader->begin_ns = reader->last_ns = track->begin_ns;
    return reader;
}

void time_map_reader_free(struct time_map_reader *reader)
{
    if (reader)
        free(reader->changes);
    free(reader);
}

/// The next piece of the current OUTSIDE becomes the current one; *IS_LAST: there is none.
static int next_piece(struct time_map_reader *reader, bool *is_last, struct error *err)
{
    struct record piece;
    reader->weight_before += (wide)reader->piece_ns * reader->piece_scale;
    reader->piece_begin_ns += reader->piece_ns;
    reader->piece_ns = 0;
    *is_last = !reader->is_ahead;
    if (*is_last)
        return 0;
    if (get_record(reader->map, &reader->here, &piece, err) != 0)
        return -1;
    *is_last = piece.kind != RECORD_PIECE;
    if (*is_last) { // the record of the OUTSIDE itself, which has been read
        reader->is_ahead = false;
        return 0;
    }
    reader->piece_ns = piece.recorded_ns;
    reader->piece_scale = piece.scale;
    return 0;
}

/// CPU time of the current record in its first PASSED_NS.
static uint64_t cpu_time(const struct time_map_reader *reader, uint64_t passed_ns)
{
    const struct record *now = &reader->now;
    if (now->kind == RECORD_CALL || now->kind == RECORD_PUT_OFF || now->kind == RECORD_LATE)
        return passed_ns < now->work_ns ? passed_ns : now->work_ns;
    if (now->kind != RECORD_OUTSIDE || now->length_ns == 0)
        return 0;
    wide busy_ns = (wide)now->work_ns * PAG_WORK_PER_NS / reader->speed;
    if (busy_ns > now->length_ns)
        busy_ns = now->length_ns;
    return (uint64_t)(busy_ns * passed_ns / now->length_ns);
}

/// The same ready to run without a core.
static uint64_t core_wait(const struct time_map_reader *reader, uint64_t passed_ns)
{
    const struct record *now = &reader->now;
    uint64_t other_ns = cpu_time(reader, now->length_ns) + now->blocked_ns;
    if (now->kind != RECORD_OUTSIDE || now->length_ns <= other_ns)
        return 0;
    return (uint64_t)((wide)(now->length_ns - other_ns) * passed_ns / now->length_ns);
}

/// Goes on to the next record that moves events; at the end of all there is none, and its kind is
/// RECORD_END.
static int next_record(struct time_map_reader *reader, struct error *err)
{
    bool is_last = false;
    while (reader->is_ahead && !is_last)
        if (next_piece(reader, &is_last, err) != 0)
            return -1;
    reader->recorded_begin_ns += reader->now.recorded_ns;
    reader->begin_ns += reader->now.length_ns;
    reader->cpu_before_ns += cpu_time(reader, reader->now.length_ns);
    reader->wait_before_ns += core_wait(reader, reader->now.length_ns);
    reader->cpu_ns = reader->wait_ns = 0;
    reader->weight = reader->weight_before = 0;
    reader->piece_begin_ns = reader->recorded_begin_ns;
    reader->piece_ns = 0;
    struct place begin = reader->here;
    if (get_record(reader->map, &reader->here, &reader->now, err) != 0)
        return -1;
    if (reader->now.kind == RECORD_PIECE) {
        reader->ahead = reader->here;
        reader->here = begin;
        reader->is_ahead = true;
        while (reader->now.kind == RECORD_PIECE) {
            reader->weight += (wide)reader->now.recorded_ns * reader->now.scale;
            if (get_record(reader->map, &reader->ahead, &reader->now, err) != 0)
                return -1;
        }
    }
    reader->n_left = reader->now.n_events;
    reader->n_put_off += reader->now.kind == RECORD_PUT_OFF;
    reader->n_late += reader->now.n_calls;
    reader->has_completed = false;
    return 0;
}

/// When something outside MPI, recorded at RECORDED_NS, happens.
static int place_outside(struct time_map_reader *reader, uint64_t recorded_ns, uint64_t *time_ns,
                         struct error *err)
{
    bool is_last = false;
    while (recorded_ns > reader->piece_begin_ns + reader->piece_ns && !is_last)
        if (next_piece(reader, &is_last, err) != 0)
            return -1;
    uint64_t passed_ns =
        recorded_ns > reader->piece_begin_ns ? recorded_ns - reader->piece_begin_ns : 0;
    if (passed_ns > reader->piece_ns)
        passed_ns = reader->piece_ns;
    wide before = reader->weight_before + (wide)passed_ns * reader->piece_scale;
    *time_ns = reader->begin_ns;
    if (reader->weight > 0)
        *time_ns += (uint64_t)(reader->now.length_ns * before / reader->weight);
    return 0;
}

static uint64_t place_in_call(const struct time_map_reader *reader, uint64_t recorded_ns)
{
    uint64_t recorded_end_ns = reader->recorded_begin_ns + reader->now.recorded_ns;
    uint64_t length_ns = reader->now.length_ns;
    uint64_t passed_ns =
        recorded_ns > reader->recorded_begin_ns ? recorded_ns - reader->recorded_begin_ns : 0;
    uint64_t left_ns = recorded_ns < recorded_end_ns ? recorded_end_ns - recorded_ns : 0;
    if (reader->has_completed)
        passed_ns = left_ns < length_ns ? length_ns - left_ns : 0;
    return reader->begin_ns + (passed_ns < length_ns ? passed_ns : length_ns);
}

/// TIME_NS is asked for: not before the one before, and the CPU time up to it.
static void pass(struct time_map_reader *reader, uint64_t *time_ns)
{
    if (*time_ns < reader->last_ns)
        *time_ns = reader->last_ns;
    reader->last_ns = *time_ns;
    reader->cpu_ns = cpu_time(reader, *time_ns - reader->begin_ns);
    reader->wait_ns = core_wait(reader, *time_ns - reader->begin_ns);
}

int time_map_late(struct time_map_reader *reader, struct time_map_late *late, struct error *err)
{
    while (reader->n_left == 0) {
        if (next_record(reader, err) != 0)
            return -1;
        if (reader->now.kind == RECORD_END)
            return 0;
        if (reader->now.kind != RECORD_LATE)
            continue;
        uint64_t end_ns = reader->begin_ns + reader->now.length_ns;
        late->begin_ns = reader->begin_ns;
        late->last = reader->n_late;
        late->end_ns = end_ns;
        pass(reader, &end_ns);
        return 1;
    }
    return 0;
}

/// The change of the next event; NULL: none.
static const struct pag_changed *find_change(struct time_map_reader *reader)
{
    uint64_t event = reader->n_passed++;
    while (reader->next_change < reader->n_changes &&
           reader->changes[reader->next_change].event < event)
        reader->next_change++;
    const struct pag_changed *next = &reader->changes[reader->next_change];
    return reader->next_change < reader->n_changes && next->event == event ? next : NULL;
}

int time_map_event(struct time_map_reader *reader, uint64_t recorded_ns, bool completes,
                   struct time_map_event *event, struct error *err)
{
    uint64_t *time_ns = &event->time_ns;
    while (reader->n_left == 0) {
        if (next_record(reader, err) != 0)
            return -1;
        if (reader->now.kind == RECORD_END)
            return error_set(err, "bug: a location has more events than were replayed");
    }
    bool is_first = reader->n_left-- == reader->now.n_events;
    event->change = find_change(reader);
    event->put_off = reader->now.kind == RECORD_PUT_OFF ? reader->n_put_off : 0;
    if (reader->now.kind == RECORD_OUTSIDE) {
        if (place_outside(reader, recorded_ns, time_ns, err) != 0)
            return -1;
    } else if (reader->n_left == 0) {
        *time_ns = reader->begin_ns + reader->now.length_ns;
    } else if (is_first) {
        *time_ns = reader->begin_ns;
    } else {
        reader->has_completed = reader->has_completed || completes;
        *time_ns = place_in_call(reader, recorded_ns);
    }
    pass(reader, time_ns);
    return 0;
}

int time_map_between(struct time_map_reader *reader, uint64_t recorded_ns, uint64_t *time_ns,
                     struct error *err)
{
    while (reader->n_left == 0 && reader->now.kind != RECORD_OUTSIDE) {
        struct record before = reader->now;
        if (next_record(reader, err) != 0)
            return -1;
        if (reader->now.kind == RECORD_END) {
            reader->now = (struct record){.kind = before.kind};
            break;
        }
    }
    if (reader->now.kind == RECORD_OUTSIDE) {
        if (place_outside(reader, recorded_ns, time_ns, err) != 0)
            return -1;
    } else if (recorded_ns >= reader->recorded_begin_ns + reader->now.recorded_ns) {
        *time_ns = reader->begin_ns + reader->now.length_ns;
    } else {
        *time_ns = place_in_call(reader, recorded_ns);
    }
    pass(reader, time_ns);
    return 0;
}

uint64_t time_map_cpu_ns(const struct time_map_reader *reader)
{
    return reader->cpu_before_ns + reader->cpu_ns;
}

uint64_t time_map_core_wait_ns(const struct time_map_reader *reader)
{
    return reader->wait_before_ns + reader->wait_ns;
}
