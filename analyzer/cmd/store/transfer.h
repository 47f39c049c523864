// SPDX-License-Identifier: BSD-3-Clause
// `pagoda store export|import|vacuum`: trials from database to database.
#ifndef PAGODA_CMD_STORE_TRANSFER_H
#define PAGODA_CMD_STORE_TRANSFER_H

/// Each as struct command in main.c, with the action's name in argv[0].
int store_export(int argc, char **argv);
int store_import(int argc, char **argv);
int store_vacuum(int argc, char **argv);

#endif
