// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/base/format/lines.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

int lines_read(const char *path, const char *what, lines_taker *take, void *context,
               struct error *err)
{
    SCOPED_FILE FILE *file = fopen(path, "re");
    SCOPED char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int status = 0;
    for (unsigned at = 1; file && status == 0 && (length = getline(&line, &size, file)) > 0; at++) {
        bool has_mark = at == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0;
        char *text = line + (has_mark ? 3 : 0);
        unsigned number = at;
        if (strlen(line) != (size_t)length)
            status = error_set(err, "a zero byte: this is not a text file");
        else if (*(text = text_trim(text)) && *text != '#')
            status = take(context, text, &number, err);
        if (status < 0)
            error_wrap(err, "%s:%u", path, number);
    }
    if (!file || (status == 0 && ferror(file)))
        return error_set(err, "cannot read %s %s: %m", what, path);
    return status < 0 ? -1 : 0;
}
