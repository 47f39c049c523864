// SPDX-License-Identifier: BSD-3-Clause
// Names that the text and the JSON of a difference share.
#include "analyzer/report/difference.h"

#include <string.h>

#include "analyzer/base/memory.h"

const char *difference_short_path(const char *path)
{
    const char *slash = path[0] ? strchr(path + 1, '/') : NULL;
    return slash ? slash + 1 : path;
}

char *difference_plain(const char *path)
{
    char *plain = memory_copy_text(path), *to = plain;
    for (const char *from = path; *from; from++) {
        bool is_escape = *from == '\\' && from[1] && from[1] != 'x'; // a byte stays \xHH
        from += is_escape;
        if (!is_escape || *from != 'e') // the empty name
            *to++ = *from;
    }
    *to = '\0';
    return plain;
}

const char *difference_kind(const struct difference_row *row)
{
    if (row->is_unrecorded) // below 0: more was recorded than the run time times the ranks
        return row->a_ns < 0 || row->b_ns < 0 ? "parallel threads" : "not recorded";
    return *row->wait_state ? row->wait_state : "no wait";
}

bool difference_is_worse(const struct difference_row *row)
{
    return row->is_change && row->b_ns > row->a_ns;
}

size_t difference_count_worse(const struct difference_page *page)
{
    const struct difference_table *table = &page->tables[DIFFERENCE_BY_CALL_PATH];
    size_t n_worse = difference_is_worse(&table->total);
    for (size_t i = 0; i < table->n_rows; i++)
        n_worse += difference_is_worse(&table->rows[i]);
    return n_worse;
}
