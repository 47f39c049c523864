// SPDX-License-Identifier: BSD-3-Clause
// mktrace IN.txt OUTDIR: turns a text trace (see lib/text_trace.h for the format) into the OTF2
// archive OUTDIR/traces.otf2. IN.txt may be - for stdin.
#include <stdio.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "tests/tools/lib/text_trace.h"

static char *read_all(FILE *file)
{
    char *text = NULL;
    size_t capacity = 0, length = 0, n;
    do {
        text = array_reserve(text, &capacity, length + 4096, 1);
        n = fread(text + length, 1, 4095, file);
        length += n;
    } while (n);
    text[length] = '\0';
    return text;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: mktrace IN.txt|- OUTDIR\n");
        return 2;
    }
    FILE *file = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "r");
    if (!file) {
        perror(argv[1]);
        return 1;
    }
    SCOPED char *text = read_all(file);
    fclose(file);
    struct error err = {0};
    int result = text_trace_write(text, argv[2], &err);
    if (result != 0)
        fprintf(stderr, "mktrace: %s: %s\n", argv[1], err.text);
    return result == 0 ? 0 : 1;
}
