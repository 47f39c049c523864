// SPDX-License-Identifier: BSD-3-Clause
// Runs one SQL query of the user, which can only read.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

enum sql_kind { SQL_NULL, SQL_TEXT, SQL_INTEGER, SQL_NUMBER };

struct sql_value {
    enum sql_kind kind;
    const char *text; // SQL_TEXT; of a blob its bytes in hexadecimal digits
    int64_t integer;
    double number;
};

/// Receives the answer: the names of the columns once, then each row.
struct sql_consumer {
    void (*columns)(void *user, const char *const *names, size_t n_columns);
    void (*row)(void *user, const struct sql_value *values, size_t n_columns);
    void *user;
};

/// Limits of a query, so that one without an end ends.
struct sql_limits {
    double seconds;      // of processor time
    uint64_t size_bytes; // of SQLite's memory, and of all rows
};
extern const struct sql_limits sql_default_limits;

/// Runs the one statement SQL over the database at PATH. It is opened read-only, and an authorizer
/// refuses everything but reading tables and views of this file: no writing, no attaching, no
/// pragmas. 0, or -1 and ERR: what is wrong with SQL in SQLite's words, or with the database, or
/// which of LIMITS the query exceeded.
int sql_query(const char *path, const char *sql, const struct sql_limits *limits,
              const struct sql_consumer *consumer, struct error *err);
