// SPDX-License-Identifier: BSD-3-Clause
// What a file in the Cube format defines and holds (Saviankou et al., "Cube v4: From performance
// report explorer to performance analysis tool", ICCS 2015; the CubeW library): a value for each
// metric, call path and location. Names belong to the file's XML.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"
#include "db/database.h"
#include "db/import.h"

enum { CUBE_NONE = -1 };

/// How the values of a metric lie along call paths.
enum cube_kind {
    CUBE_EXCLUSIVE,
    CUBE_INCLUSIVE,
    CUBE_DERIVED, // computed by Cube when it shows them, or hidden: no values here
};

struct cube_metric {
    uint64_t id;
    const char *name, *type, *unit;
    enum cube_kind kind;
};

struct cube_region {
    char *name, *module; // owned, as in the focus of a value
};

/// A node of the call tree.
struct cube_node {
    uint64_t id;
    int32_t parent; // CUBE_NONE: it is a root
    uint32_t region;
};

struct cube_rank {
    uint64_t number;
    const char *node; // NULL: unknown
};

struct cube {
    const char *path;               // for messages
    unsigned char *bytes;           // the file, unpacked
    size_t n_bytes;                 //
    struct xml_document *document;  // its XML
    const struct xml_element *rows; // <severity> of a file of Cube 3; NULL: the file is an archive
    const char *creator;            // NULL: unknown
    struct cube_metric *metrics;
    struct cube_region *regions;
    struct cube_node *nodes; // parents before children, each followed by its subtree
    int32_t *rank_of;        // by location, the columns of the values; CUBE_NONE: no thread
    struct cube_rank *ranks;
    size_t n_metrics, n_regions, n_nodes, n_locations, n_threads, n_ranks;
};

/// Whether PATH begins as a file of Cube 4 (a tar archive) or 3 (XML), packed by gzip or not.
bool cube_is_file(const char *path);

/// Reads the file and what it defines. 0, or -1 and ERR; CUBE is to be released in any case.
int cube_read(struct cube *cube, const char *path, struct error *err);
void cube_release(struct cube *cube);

struct cube_values {
    double *cells;       // a row for each node, a number for each rank: threads are added up
    double *by_location; // the whole of each location
    bool has_any;
};

/// Reads METRIC from the archive or the XML and adds it to VALUES, which are 0 at first. 0, or -1
/// and ERR.
int cube_add_values(const struct cube *cube, const struct cube_metric *metric,
                    struct cube_values *values, struct error *err);

// --- cube_definitions.c

/// Reads the definitions in the element <cube>. 0, or -1 and ERR.
int cube_define(struct cube *cube, const struct xml_element *top, struct error *err);

// --- cube.c

/// Reads the Cube file PATH into a new database in memory (to be closed). 0, or -1 and ERR.
int cube_import(const char *path, const struct import_names *names, struct database **memory,
                struct error *err);
