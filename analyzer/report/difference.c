// SPDX-License-Identifier: BSD-3-Clause
// Names that the text and the JSON of a difference share.
#include "analyzer/report/difference.h"

#include <string.h>

const char *difference_short_path(const char *path)
{
    const char *slash = path[0] ? strchr(path + 1, '/') : NULL;
    return slash ? slash + 1 : path;
}

const char *difference_kind(const struct difference_row *row)
{
    if (row->is_unrecorded)
        return "not recorded";
    return *row->wait_state ? row->wait_state : "no wait";
}
