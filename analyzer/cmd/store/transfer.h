// SPDX-License-Identifier: BSD-3-Clause
// `pagoda store export|import|merge|vacuum`: whole trials from database to database.
#ifndef PAGODA_CMD_STORE_TRANSFER_H
#define PAGODA_CMD_STORE_TRANSFER_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "db/transfer/import.h"

/// Each as struct command in main.c, with the action's name in argv[0].
int store_export(int argc, char **argv);
int store_import(int argc, char **argv);
int store_merge(int argc, char **argv);
int store_vacuum(int argc, char **argv);

/// Imports the trials in STREAM (called NAME) and prints what became of each. 0, or -1 and ERR.
int store_import_stream(const char *database, FILE *stream, const char *name,
                        enum import_conflict conflict, struct error *err);

#endif
