// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks (see rank_list.h).
#include "analyzer/whatif/cores/rank_list.h"

#include <inttypes.h>

/// The whole number at *AT, which moves behind it; false when there is none.
static bool read_rank(const char **at, const char *end, uint64_t *number)
{
    const char *begin = *at;
    for (*number = 0; *at < end && **at >= '0' && **at <= '9'; (*at)++)
        if (*number < UINT32_MAX)
            *number = *number * 10 + (uint64_t)(**at - '0');
    return *at > begin;
}

int rank_list_next(const char **at, const char *end, uint32_t n_ranks, struct rank_range *range,
                   struct error *err)
{
    const char *begin = *at;
    uint64_t first, last;
    bool is_good = read_rank(at, end, &first);
    last = first;
    if (is_good && *at < end && **at == '-') {
        ++*at;
        is_good = read_rank(at, end, &last);
    }
    if (!is_good || (*at < end && (**at != ',' || *at + 1 == end)))
        return error_set(err, "`%.*s` is no list of ranks, such as 0-3,8", (int)(end - begin),
                         begin);
    if (last >= n_ranks)
        return error_set(err, "there is no rank %" PRIu64 ", the last one is %" PRIu32, last,
                         n_ranks - 1);
    if (last < first)
        return error_set(err, "%" PRIu64 "-%" PRIu64 " is no range of ranks", first, last);
    *range = (struct rank_range){(uint32_t)first, (uint32_t)last};
    *at += *at < end;
    return 0;
}

int rank_list_read(const char *text, size_t length, uint32_t n_ranks, bool *is_member,
                   struct error *err)
{
    const char *at = text, *end = text + length;
    do {
        struct rank_range range;
        if (rank_list_next(&at, end, n_ranks, &range, err) != 0)
            return -1;
        for (uint32_t rank = range.first; rank <= range.last; rank++)
            is_member[rank] = true;
    } while (at < end);
    return 0;
}
