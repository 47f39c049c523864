// SPDX-License-Identifier: BSD-3-Clause
// Records of a Paraver trace in the order of time. They come as they become known: a state at its
// end, a communication when it is received. They are kept in a file without name, sorted in parts.
// Memory grows by a few KiB for each part, which has 65 536 records.
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"

/// As the first number of a line has them; those of one time come in this order.
enum prv_kind { PRV_STATE = 1, PRV_EVENT, PRV_COMMUNICATION };

struct prv_record {
    uint64_t time_ns; // the begin of a state, the send of a communication
    uint32_t kind;    // enum prv_kind
    uint32_t location;
    uint32_t type;     // of an event; the tag of a communication
    uint32_t receiver; // location
    uint64_t value;    // state, or value of an event, or bytes
    uint64_t end_ns;   // of a state; the receive of a communication,
    uint64_t post_ns;  // and when it was posted
};

struct record_sort;

/// The file is in FOLDER. NULL and ERR if there can be none. The caller frees.
struct record_sort *record_sort_new(const char *folder, struct error *err);
void record_sort_free(struct record_sort *sort);

/// A failure is told by record_sort_walk().
void record_sort_add(struct record_sort *sort, const struct prv_record *record);

typedef void record_sort_put(void *context, const struct prv_record *record);

/// All records by time, then kind, then as they came. Once. 0, or -1 and ERR.
int record_sort_walk(struct record_sort *sort, record_sort_put *put, void *context,
                     struct error *err);
