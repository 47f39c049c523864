// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/base/format/rank_lists.h"

#include <inttypes.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

/// The whole number at *AT, which moves after it, at most UINT32_MAX; false when there is none.
static bool read_rank(const char **at, const char *end, uint32_t *number)
{
    const char *begin = *at;
    uint64_t value = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++)
        if (value < UINT32_MAX)
            value = value * 10 + (uint64_t)(**at - '0');
    *number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    return *at > begin;
}

int rank_list_next(const char **at, const char *end, uint32_t n_ranks, struct rank_range *range,
                   struct error *err)
{
    const char *begin = *at, *last = *at; // of the range, of its last rank
    bool is_good = read_rank(at, end, &range->first);
    range->last = range->first;
    if (is_good && *at < end && **at == '-') {
        last = ++*at;
        is_good = read_rank(at, end, &range->last);
    }
    if (!is_good || (*at < end && (**at != ',' || *at + 1 == end)))
        return error_set(err, "`%.*s` is not a list of ranks, such as 0-3,8", (int)(end - begin),
                         begin);
    if (range->last < range->first)
        return error_set(err, "%.*s is not a range of ranks", (int)(*at - begin), begin);
    if (n_ranks != RANK_LIST_ANY_RUN && range->last >= n_ranks)
        return error_set(err, "there is no rank %.*s, the last one is %" PRIu32, (int)(*at - last),
                         last, n_ranks - 1);
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
        for (uint32_t rank = range.first; is_member && rank <= range.last; rank++)
            is_member[rank] = true;
    } while (at < end);
    return 0;
}

int rank_list_check(const char *text, size_t length, struct error *err)
{
    return rank_list_read(text, length, RANK_LIST_ANY_RUN, NULL, err);
}

char *rank_list_join(const uint32_t *ranks, size_t n, const char *between, size_t *n_ranges)
{
    char *text = memory_copy_text("");
    size_t n_listed = 0;
    for (size_t i = 0, last; i < n; i = last + 1) {
        for (last = i; last + 1 < n && ranks[last + 1] == ranks[last] + 1;)
            last++;
        text_append(&text, "%s%" PRIu32, n_listed++ ? between : "", ranks[i]);
        if (last > i)
            text_append(&text, "-%" PRIu32, ranks[last]);
    }
    if (n_ranges)
        *n_ranges = n_listed;
    return text;
}

char *rank_list_text(const uint32_t *values, uint32_t n, uint32_t value)
{
    SCOPED uint32_t *ranks = memory_new((n + 1) * sizeof *ranks);
    size_t n_found = 0;
    for (uint32_t rank = 0; rank < n; rank++)
        if (values[rank] == value)
            ranks[n_found++] = rank;
    return rank_list_join(ranks, n_found, ",", NULL);
}

/// A rank of RANGE that is in the list TEXT[0..length).
static bool meets(struct rank_range range, const char *text, size_t length, uint32_t *rank)
{
    struct error none;
    struct rank_range other;
    for (const char *at = text, *end = text + length; at < end;) {
        if (rank_list_next(&at, end, RANK_LIST_ANY_RUN, &other, &none) != 0)
            return false;
        *rank = other.first > range.first ? other.first : range.first;
        if (*rank <= range.last && *rank <= other.last)
            return true;
    }
    return false;
}

bool rank_lists_meet(const char *a, size_t a_length, const char *b, size_t b_length, uint32_t *rank)
{
    struct error none;
    struct rank_range range;
    for (const char *at = a, *end = a + a_length; at < end;)
        if (rank_list_next(&at, end, RANK_LIST_ANY_RUN, &range, &none) != 0)
            return false;
        else if (meets(range, b, b_length, rank))
            return true;
    return false;
}
