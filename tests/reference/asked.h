// SPDX-License-Identifier: BSD-3-Clause
// What-if options in a text, as on a command line.
#pragma once

#include "analyzer/whatif/options.h"

struct asked {
    char *words;
    struct whatif_plan plan;
    const struct scenario_settings *settings; // of its only case
};

/// Reads options such as `--cores 2 --scale "a b=2"`; a word with blanks stands in double quotes.
/// MACHINE: the file of --machine, NULL for none. 0, or -1 and ERR; to be released in either case.
int asked_read(struct asked *asked, const char *text, const char *machine, struct error *err);
void asked_release(struct asked *asked);
