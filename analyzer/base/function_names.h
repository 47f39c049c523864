// SPDX-License-Identifier: BSD-3-Clause
// Names of functions as reports show them and as users type them. A name of C++ has parts that may
// be left out, in this order: the return type, arguments, template arguments, qualifiers from the
// left. What is shown means one function of the run only, so it can be typed as it is shown.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { FUNCTION_NAME_COLUMNS = 23 }; // a shown name takes more only where it must

/// NAME as it is where it takes at most COLUMNS or is not of C++. Else without return type,
/// arguments and template arguments ("solver::Grid<>::step"), and of its qualifiers from the left
/// as many as must go. The function's own name stays whole, however long; so does the class of an
/// operator. The caller frees.
char *function_name_short(const char *name, size_t columns);

/// How each of N names, some of which may be equal, is shown: without control characters, short,
/// but as long as it must be to mean no other one of them. An array of N texts, which the caller
/// frees by memory_free_each().
char **function_names_shown(const char *const *names, size_t n);

enum function_names_found { FUNCTION_NAMES_NONE, FUNCTION_NAMES_ONE, FUNCTION_NAMES_SEVERAL };

/// Which of N names TEXT means: those that are TEXT, control characters cleaned or not; if there
/// are none, those of which TEXT is a short form. Several that differ: TEXT is ambiguous. IS_MEANT
/// gets an answer for each name.
enum function_names_found function_names_find(const char *const *names, size_t n, const char *text,
                                              bool *is_meant);

/// "f(int), f(double) and 3 more": the different names that IS_MEANT holds for. The caller frees.
char *function_names_list(const char *const *names, size_t n, const bool *is_meant);
