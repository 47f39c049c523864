// SPDX-License-Identifier: BSD-3-Clause
// `pagoda store add|export|import|vacuum`: what brings runs into databases, and out of them.
#ifndef PAGODA_CMD_STORE_TRANSFER_H
#define PAGODA_CMD_STORE_TRANSFER_H

/// Each as struct command in main.c, with the action's name in argv[0].
int store_add(int argc, char **argv);
int store_export(int argc, char **argv);
int store_import(int argc, char **argv);
int store_vacuum(int argc, char **argv);

#endif
