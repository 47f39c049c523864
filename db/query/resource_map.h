// SPDX-License-Identifier: BSD-3-Clause
// A mapping file: resources that have another name in another run, so that they can be compared.
// One renaming a line, "#" begins a comment line:
//
//     # solve() was split off into a file of its own
//     /Code/main.c/solve -> /Code/solver.c/solve_all
//     /CallPath/main/solve -> /CallPath/main/driver/solve_all
//
// Both are paths in the form of focus.h. A renaming applies to the resource and all below it; of
// several that apply the longest does, once. One from function to function also renames the
// function wherever it is in call paths.
#pragma once

#include "analyzer/base/error.h"

struct resource_map;

/// Reads the file at PATH. 0 and *MAP (to be freed), or -1 and ERR, with the line.
int resource_map_read(struct resource_map **map, const char *path, struct error *err);
void resource_map_free(struct resource_map *map);

/// The name that the resource PATH goes by; the caller frees. MAP NULL: its own.
char *resource_map_apply(const struct resource_map *map, const char *path);
