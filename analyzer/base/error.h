// SPDX-License-Identifier: BSD-3-Clause
// Errors as a chain of causes: the layer that notices writes the innermost sentence, each layer
// above puts its own in front, and only a command prints the result.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { ERROR_TEXT_BYTES = 1024 };

struct error {
    char text[ERROR_TEXT_BYTES]; // "outer: inner: innermost", empty when there was none
};

/// Starts a chain with one sentence without a full stop. Returns -1, so that a function can
/// `return error_set(...)`. ERR may be NULL when the caller does not care.
int error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Puts a sentence in front of what ERR says already ("sentence: cause"). Returns -1.
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Messages for the person at the terminal, all on stderr, each one line that begins `pagoda: ` and
// holds no control characters, whatever is quoted in it. Only commands and main() call what
// follows.
//
// When to use which: error - the job is not done; warning - done, but the result means less than it
// seems; note - what was done.

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// From now on nothing is printed, no progress either; LAST gets the text of the last error.
void log_keep(struct error *last);

/// True when STREAM is a terminal that may be coloured: NO_COLOR unset or empty, TERM not `dumb`.
bool log_may_colour(FILE *stream);

struct progress {
    const char *label;
    uint64_t total; // 0: unknown, nothing is shown
    uint64_t begin_ns, next_ns;
    bool is_terminal, is_shown;
};

/// Begins work of TOTAL units; LABEL stays the caller's.
void progress_begin(struct progress *progress, const char *label, uint64_t total);

/// DONE units are done. Cheap enough to be called some thousand times a second. Also a
/// pag_listener's `reached`; CONTEXT is a struct progress.
void progress_update(void *context, uint64_t done);

void progress_end(struct progress *progress);

/// What the process tells its caller; every command returns one of these.
enum exit_status {
    STATUS_DONE = 0,       // warnings included
    STATUS_FAILED = 1,     // the job could not be done; stderr says why
    STATUS_USAGE = 2,      // wrong command line
    STATUS_UNREADABLE = 3, // done, but records were unreadable or locations skipped
};

/// STATUS_DONE if STATUS is 0, or STATUS_UNREADABLE; else STATUS_FAILED and ERR as a message.
int log_outcome(int status, bool is_unreadable, const struct error *err);
