// SPDX-License-Identifier: BSD-3-Clause
// A small sparse vector of nanoseconds by key, made to be merged: the content of a lineage node.
#ifndef PAGODA_PAG_TALLY_H
#define PAGODA_PAG_TALLY_H

#include <stdint.h>

/// Key of an activity: (location, call path of that location).
static inline uint64_t activity_key(uint32_t location, uint32_t call_path)
{
    return (uint64_t)location << 32 | call_path;
}
static inline uint32_t activity_location(uint64_t key)
{
    return (uint32_t)(key >> 32);
}
static inline uint32_t activity_call_path(uint64_t key)
{
    return (uint32_t)key;
}

struct tally_entry {
    uint64_t key; // UINT64_MAX: free place
    int64_t ns;
};

/// Open addressing, at most three quarters full; all zero is the empty tally.
struct tally {
    struct tally_entry *entries;
    uint32_t n_places; // a power of two, or 0
    uint32_t n_entries;
};

void tally_add(struct tally *tally, uint64_t key, int64_t ns);

/// Adds SMALL into TALLY and leaves SMALL empty. Works on the larger of the two in either case.
void tally_merge(struct tally *tally, struct tally *small);
void tally_release(struct tally *tally);

/// For each entry: `for (i = 0; (entry = tally_next(tally, &i));)`. The order is that of the
/// places, so sort what is shown.
const struct tally_entry *tally_next(const struct tally *tally, uint32_t *place);

#endif
