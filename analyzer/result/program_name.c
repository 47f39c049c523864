// SPDX-License-Identifier: BSD-3-Clause
// Options of an interpreter in front of its script are stepped over; code on the command line is no
// script, so the interpreter keeps its name there.
#include "analyzer/result/program_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/utf8.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/// "python", "python3", "python3.11".
static bool is_python(const char *program)
{
    return !strncmp(program, "python", 6) && !program[6 + strspn(program + 6, "0123456789.")];
}

static bool is_interpreter(const char *program)
{
    static const char *const others[] = {"julia", "lua", "octave", "perl", "Rscript", "ruby"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(program, others[i]))
            return true;
    return is_python(program);
}

/// The next word of *REST into WORD (cut to SIZE bytes), which is moved behind it; false at the
/// end.
static bool next_word(const char **rest, char *word, size_t size)
{
    *rest += strspn(*rest, " ");
    size_t length = strcspn(*rest, " ");
    if (length == 0)
        return false;
    size_t kept = length < size ? length : size - 1;
    memcpy(word, *rest, kept);
    word[kept] = '\0';
    *rest += length;
    return true;
}

/// Finds the script among the ARGUMENTS of an interpreter: its name into SCRIPT, and what follows
/// it. NULL when there is none.
static const char *find_script(const char *program, const char *arguments, char *script,
                               size_t size)
{
    const char *rest = arguments;
    while (next_word(&rest, script, size)) {
        if (script[0] != '-')
            return rest;
        bool takes_value = is_python(program) && (!strcmp(script, "-W") || !strcmp(script, "-X"));
        if (!strcmp(script, "-c") || !strcmp(script, "-e"))
            return NULL;
        if (is_python(program) && !strcmp(script, "-m")) {
            if (!next_word(&rest, script, size))
                return NULL;
            if (strcmp(script, "mpi4py") != 0) // that one runs the script behind it
                return rest;
        } else if (takes_value && !next_word(&rest, script, size)) {
            return NULL;
        }
    }
    return NULL;
}

struct program_name program_name_of(const char *executable, const char *command)
{
    char script[256];
    const char *program = executable ? base_name(executable) : "";
    const char *arguments = command ? strchr(command, ' ') : NULL;
    const char *rest = arguments && is_interpreter(program)
                           ? find_script(program, arguments, script, sizeof script)
                           : NULL;
    if (rest) {
        program = base_name(script);
        arguments = rest;
    }
    if (arguments)
        arguments += strspn(arguments, " ");
    return (struct program_name){utf8_clean(program), utf8_clean(arguments)};
}
