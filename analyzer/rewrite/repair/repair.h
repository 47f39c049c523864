// SPDX-License-Identifier: BSD-3-Clause
// A whole archive of what a killed job, a full disk or a damaged file left of one.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"
#include "analyzer/base/map.h"
#include "analyzer/trace/chunk_file.h"
#include "analyzer/trace/definitions/local_definitions.h"
#include "analyzer/trace/definitions/records.h"

#define REPAIR_UNKNOWN UINT64_MAX

/// Something that was lost.
struct repair_loss {
    const char *code;       // such as "events-cut"
    char *text;             // what, where, how much
    uint64_t location;      // OTF2 id, REPAIR_UNKNOWN: of no single one
    uint64_t n_lost_events; // REPAIR_UNKNOWN: not known
};

struct repair {
    struct repair_loss *losses;
    size_t n_losses, loss_capacity;
    uint64_t n_locations, n_events; // of the whole archive
};

struct repair_window;

/// Writes what is left of the archive PATH (see archive_files.c) to DIRECTORY, wholly or not at
/// all; PATH stays as it is. The events of each location are kept up to the first damage, and
/// regions that are open there left at that time; with WINDOW, unless it is NULL, only those within
/// it (cut_part.c). The new archive has its losses in the property PAGODA::REPAIRED. 0, or -1 and
/// ERR. The caller releases, in any case.
int repair_archive(struct repair *repair, const char *path, const char *directory,
                   const struct repair_window *window, struct error *err);
void repair_release(struct repair *repair);

// --- archive_files.c
// The files that are left of an archive, which may lack any of them.

struct location_files {
    uint64_t id;
    bool has_events, has_definitions; // ID.evt, ID.def
};

struct archive_files {
    char *folder, *name; // FOLDER/NAME.otf2 and FOLDER/NAME.def, the others in FOLDER/NAME
    char *given;         // the folder that the caller named, or FOLDER/NAME
    bool has_anchor, has_definitions;
    struct location_files *locations; // by id
    size_t n_locations, location_capacity;
};

/// Finds the archive that PATH means: its anchor file, which may be missing, its directory, the
/// directory of its event files, or one of its other files. 0, or -1 and ERR: there is none, or
/// nothing is left of it. The caller releases, in any case.
int archive_files_find(struct archive_files *files, const char *path, struct error *err);
void archive_files_release(struct archive_files *files);

/// The path of FOLDER/NAME and SUFFIX; the caller frees.
char *archive_files_path(const struct archive_files *files, const char *suffix);
/// The same of the file of a location, SUFFIX such as ".evt".
char *archive_files_of_location(const struct archive_files *files, uint64_t id, const char *suffix);

// --- record_fields.c
// What the records of events consist of, kind by kind: enough to tell whether one is whole and
// what it refers to, whatever a replay makes of it.

enum { MOST_FIELDS = 8 };

struct record_fields {
    /// A letter for each field: b a byte, w a number of 32 bits, q of 64 bits, t a time stamp of 8
    /// bytes; R a reference to a region, C communicator, P parameter, X calling context, M metric
    /// (to others: w). "" also for kinds that OTF2 3.0 does not have.
    const char *letters;
    uint64_t values[MOST_FIELDS];
    uint8_t n_metric_values;
    OTF2_Type metric_types[UINT8_MAX];
};

/// Takes the fields of a record of KIND from CONTENT. false: it is damaged.
bool record_fields_read(struct record_fields *fields, int kind, struct content *content);

/// Follows a list of attributes. false: it is damaged.
bool record_attributes_are_sound(struct content *content);

/// What the field LETTER refers to; OTF2_MAPPING_MAX: nothing of these.
OTF2_MappingType record_fields_reference(char letter);

// --- sound_part.c
// The part of a file of an archive before the first damage: found by following its records, and
// written as a file that is whole.

struct open_region {
    bool is_context; // a calling context
    uint32_t id;     // as the file has it
};

struct sound_part {
    bool is_whole;   // the file is sound to its end mark
    uint64_t end_at; // offset after the last sound record; 0: not even the header of a chunk
    // Of events:
    uint64_t n_records;
    uint64_t first_ticks, last_ticks; // on the location's clock; valid with records
    struct open_region *open;         // at the end, the outermost first
    size_t n_open, open_capacity;
    uint64_t last_promised;    // number of the last record, as the header of the last chunk says
    unsigned char *attributes; // of the record at hand: the bytes of its list, without length
    size_t n_attribute_bytes, attribute_capacity;
};

struct sound_record {
    int kind;
    uint64_t ticks; // on the location's clock
    struct record_fields fields;
    struct content content; // its bytes
};

/// Gets each record of events. PART has the regions that are open around it, of an enter or leave
/// those around its region, and the bytes of its attributes.
typedef void sound_record_teller(void *context, const struct sound_record *record,
                                 const struct sound_part *part);

/// Follows the events in PATH, of chunks of CHUNK_BYTES. An empty part for a file that cannot be
/// read. The caller releases.
void sound_part_of_events(struct sound_part *part, const char *path, uint64_t chunk_bytes,
                          sound_record_teller *tell, void *context);
void sound_part_release(struct sound_part *part);

/// The same of a file of global definitions, and of one of a location's own.
void sound_part_of_definitions(struct sound_part *part, const char *path, uint64_t chunk_bytes);
void sound_part_of_local_definitions(struct sound_part *part, const char *path,
                                     uint64_t chunk_bytes);

/// Writes the part of FROM to TO as a whole file; of events, each open region is left at the time
/// of the last record. A part that is whole is copied byte by byte. 0, or -1 and ERR.
int sound_part_write_events(const struct sound_part *part, const char *from, const char *to,
                            uint64_t chunk_bytes, struct error *err);
int sound_part_write_definitions(const struct sound_part *part, const char *from, const char *to,
                                 struct error *err);

/// The size of the chunks of the file PATH, as the begin of its second chunk tells; 0: it has no
/// second one. IS_EVENTS: else definitions.
uint64_t sound_chunk_bytes(const char *path, bool is_events);

// --- tail.c
// The end of a file of events, being written; all of it, if it begins at 0.

struct tail {
    FILE *file;
    uint64_t at, chunk_at, chunk_bytes;
    bool is_big_endian;
    uint64_t n_records, ticks;
};

enum { TAIL_LAST_RECORD_AT = 10 }; // offset in a chunk of the number of its last record

void tail_begin_chunk(struct tail *tail);
void tail_end_chunk(struct tail *tail);
/// The time of the records after it.
void tail_put_time(struct tail *tail, uint64_t ticks);
void tail_put_enter(struct tail *tail, const struct open_region *region);
void tail_put_leave(struct tail *tail, const struct open_region *region);
/// RECORD as it was read; PART has its attributes.
void tail_put_record(struct tail *tail, const struct sound_record *record,
                     const struct sound_part *part);
void tail_put_end_mark(struct tail *tail);

// --- cut_part.c
// The records of a location between two times.

/// Times on the run's clock.
struct repair_window {
    uint64_t from_ticks, to_ticks;
    const char *name; // as the archive has it in the property PAGODA::INTERVAL
};

/// Follows the events in FROM, and writes those within WINDOW to TO. Regions that are open at its
/// begin are entered there, those that are open at its end left. PART is of all of FROM; TELL is
/// told of all. *N_WRITTEN records are in TO. 0, or -1 and ERR.
int cut_part_write(struct sound_part *part, const char *from, const char *to, uint64_t chunk_bytes,
                   const struct repair_window *window, const struct local_definitions *local,
                   sound_record_teller *tell, void *context, uint64_t *n_written,
                   struct error *err);

// --- mentions.c
// What the events of an archive say of definitions by the way they use them: for those that are
// lost.

/// Something that events refer to, by its global identifier.
struct mention {
    uint32_t id;
    bool is_mpi; // a region: records of MPI are in it; a communicator: records of MPI name it
    bool is_collective; // a region: those are of collective operations
    uint32_t n_ranks;   // a communicator: it has this many at least, as peers and roots tell
    uint32_t *users;    // of a communicator: the locations that use it, by index, ascending
    size_t n_users, user_capacity;
    OTF2_ParameterType parameter_type;
    uint8_t n_values; // of a metric
    OTF2_Type *value_types;
};

struct mention_list {
    struct mention *items; // in the order in which they were found
    size_t n, capacity;
    struct map by_id;
};

/// Zeroed to begin with, then told of one location after the other, in ascending order.
struct mentions {
    struct mention_list kinds[OTF2_MAPPING_MAX];
    // The location whose events are being read:
    const struct local_definitions *local;
    uint32_t location;
};

/// A sound_record_teller; CONTEXT is a struct mentions.
void mentions_take(void *context, const struct sound_record *record, const struct sound_part *part);
void mentions_release(struct mentions *mentions);

// --- whole_definitions.c
// Global definitions that are whole again: those that are left, and others for what the events
// mention, called by their numbers.

/// A location as it is now.
struct whole_location {
    uint64_t id;
    bool has_changed;     // it holds other events than its definition says
    uint64_t n_events;    // then
    bool is_cut_short;    // its last events are lost
    uint64_t until_ticks; // time of the last one that is left, on the run's clock
};

/// What there is to make definitions of.
struct definition_sources {
    OTF2_Reader *reader; // of those that are left, NULL: none
    uint64_t n_left;
    const struct records *records; // the same
    const struct mentions *mentions;
    const struct whole_location
        *locations; // by id; the users of communicators are indices of these
    size_t n_locations;
    uint64_t first_ticks, last_ticks; // of the run
};

/// How many definitions were added.
struct added_definitions {
    bool has_clock;
    size_t n_locations, n_regions, n_communicators, n_metrics, n_parameters;
};

/// Writes them to ARCHIVE. 0, or -1 and ERR.
int whole_definitions_write(const struct definition_sources *sources, OTF2_Archive *archive,
                            struct added_definitions *added, struct error *err);
