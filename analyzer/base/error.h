// SPDX-License-Identifier: BSD-3-Clause
// Errors as a chain of causes: the layer that notices writes the innermost sentence, each layer
// above puts its own in front, and only a command prints the result.
#ifndef PAGODA_BASE_ERROR_H
#define PAGODA_BASE_ERROR_H

enum { ERROR_TEXT_BYTES = 1024 };

struct error {
    char text[ERROR_TEXT_BYTES]; // "outer: inner: innermost", empty when there was none
};

/// Starts a chain with one sentence without a full stop. Returns -1, so that a function can
/// `return error_set(...)`. ERR may be NULL when the caller does not care.
int error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Puts a sentence in front of what ERR says already ("sentence: cause"). Returns -1.
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
