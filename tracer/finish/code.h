// SPDX-License-Identifier: BSD-3-Clause
// The code addresses in the records of one process, as regions and calling contexts of the archive.
//
// Which program or library an address lies in changes where libraries are loaded and unloaded: each
// list of modules that the recorder wrote holds from its time to that of the next one.
#pragma once

#include "tracer/finish/archive.h"
#include "tracer/finish/symbols/symbols.h"

#define UNDEFINED UINT32_MAX
#define EXCLUDED  (UINT32_MAX - 1) // region of a function that is not to be in the archive

struct code {
    struct archive *archive; // set before anything is asked for, and
    struct symbols *symbols;
    struct table modules;    // all that ever were: struct code_module
    struct table paths;      // theirs
    struct code_list *lists; // of modules
    size_t n_lists;
    bool is_sorted;
    size_t now;                // the list at the time of the last look-up
    struct table places;       // addresses, and callers, that were asked for; their meanings
    struct code_stack *stacks; // by number
    uint32_t n_stacks;
    struct code_line *lines; // of scripts, by number
    uint32_t n_lines;
};

/// Takes a module record. `executable` stands for the program, whose record has no path.
void code_add_module(struct code *code, const struct record_module *record, const char *executable);
void code_release(struct code *code);

/// Takes a line of a script. The record must stay where it is.
void code_add_line(struct code *code, const struct record_line *record);

/// Takes the callers of calls. The record must stay where it is.
void code_add_stack(struct code *code, const struct record_stack *record);

/// Region of the function that begins at `address`, met at `time_ns` (on the process's clock).
/// EXCLUDED: a filter leaves out its source file.
uint32_t code_function(struct code *code, uint64_t address, uint64_t time_ns);

/// Calling context of the call that returns to `address`: the function and line that it was written
/// in, without a parent. UNDEFINED: the address lies in no known file. From RECORD_LINE_SITE on it
/// is a line of a script.
uint32_t code_call_site(struct code *code, uint64_t address, uint64_t time_ns);

/// The same with its callers, those of stack number `stack`, as parents, up to `main`. Functions
/// that were inlined into their callers are contexts of their own.
uint32_t code_call_above(struct code *code, uint64_t address, uint64_t stack, uint64_t time_ns);

/// Region of the OpenMP construct whose call of the runtime returns to `address`.
uint32_t code_construct(struct code *code, enum openmp_construct construct, uint64_t address,
                        uint64_t time_ns);

/// Region of the function for threads whose call returns to `address`.
uint32_t code_thread_call(struct code *code, enum thread_call call, uint64_t address,
                          uint64_t time_ns);
