// SPDX-License-Identifier: BSD-3-Clause
// What commands have in common that list a catalogue of bundled files, or explain one of them, or
// of one's own: `pagoda policies`, `pagoda machines`. Also the test of a file that somebody writes:
// it is read as for a prediction.
#ifndef PAGODA_CMD_BUNDLED_COMMAND_H
#define PAGODA_CMD_BUNDLED_COMMAND_H

#include <stdio.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"

/// A kind of files. What is read of one is SIZE_BYTES large; n of them follow each other.
struct bundled_command {
    const char *name, *operand;    // "policies", "POLICY"
    const char *summary, *details; // of its help
    const struct bundled *catalogue;
    size_t size_bytes;
    /// Into *ITEM, of a file or of the bundled one called NAME. 0, or -1 and ERR.
    int (*read)(void *item, const char *name, struct error *err);
    /// Also after a failed read().
    void (*release)(void *item);
    void (*print_list)(const void *items, size_t n, size_t width, FILE *stream);
    void (*print_one)(const void *item, size_t width, FILE *stream);
    int (*print_json)(const void *items, size_t n, FILE *stream, struct error *err);
};

/// Runs the command; returns an enum exit_status.
int bundled_command_run(const struct bundled_command *command, int argc, char **argv);

#endif
