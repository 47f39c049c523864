// SPDX-License-Identifier: BSD-3-Clause
// What a run is called by: its program, or the script that an interpreter ran.
#ifndef PAGODA_RESULT_PROGRAM_NAME_H
#define PAGODA_RESULT_PROGRAM_NAME_H

struct program_name {
    char *program;   // without its folder, "" when unknown
    char *arguments; // "" when there are none or unknown
};

/// Both from the program's file EXECUTABLE and the COMMAND it was called by, words separated by a
/// blank; NULL for either when unknown. The caller frees both texts.
struct program_name program_name_of(const char *executable, const char *command);

#endif
