// SPDX-License-Identifier: BSD-3-Clause
// `pagoda convert FILE -o DIR`: an archive of a trace of another format (convert/).
#include "analyzer/cmd/commands.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/convert/convert.h"

static void print(const char *directory, const struct conversion *done)
{
    printf("%s: %s, %s\n", directory, quantity_count(done->n_events, "event").text,
           quantity_count(done->n_messages, "message").text);
    if (done->n_late > 0)
        log_warning("sends or receives after events that they precede, as with clocks that "
                    "disagree, so that their times were moved: %" PRIu64,
                    done->n_late);
    if (done->n_cut > 0)
        log_warning("visits that lasted longer than the one around them and were cut at its end: "
                    "%" PRIu64,
                    done->n_cut);
    if (done->n_unmatched > 0)
        log_warning("ends of regions without a begin, which were left out: %" PRIu64,
                    done->n_unmatched);
    if (done->n_ignored > 0)
        log_warning("events of kinds that a replay cannot use, which were left out: %" PRIu64,
                    done->n_ignored);
}

int cmd_convert(int argc, char **argv)
{
    const char *directory = NULL;
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("output", 'o', "DIR", &directory,
                        "write the archive to DIR, which must be new or empty", NULL),
    };
    const struct option_usage usage = {
        .command = "convert",
        .operands = "FILE -o DIR",
        .summary = "Makes a trace that can be replayed of one of another format",
        .details = "FILE is a trace of Paraver (.prv, with its .pcf beside it), or JSON of\n"
                   "Chrome's trace format, as PyTorch's Kineto writes it.\n",
        OPTIONS_OF(rows),
    };
    struct error err = {{0}};
    struct conversion done;
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (!directory)
        return options_usage_error(&usage, "-o DIR is missing: where the archive goes");
    int result = convert_trace(argv[first], directory, &done, &err);
    if (result == 0)
        print(directory, &done);
    return log_outcome(result, false, &err);
}
