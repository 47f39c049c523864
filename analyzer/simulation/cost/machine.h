// SPDX-License-Identifier: BSD-3-Clause
// A machine file: what messages, collectives and computing cost on a machine (pagoda-machine(5)).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"
#include "analyzer/base/format/elements.h"
#include "analyzer/simulation/cost/cost_model.h"
#include "analyzer/simulation/cost/cost_time.h"
#include "analyzer/simulation/cost/noise.h"
#include "analyzer/simulation/network/collective_plan.h"

struct formula;

/// What is bundled, for bundled_names().
extern const struct bundled bundled_machines;

struct machine_point {
    uint64_t size_bytes, time_ns;
};

/// Messages between two ranks of one scope.
struct machine_messages {
    struct machine_point *points; // by size; none: this scope is not given
    size_t n_points;
    uint64_t eager_bytes; // larger ones are rendezvous; UINT64_MAX: none is
    uint64_t send_overhead_ns, receive_overhead_ns;
    double bandwidth; // bytes per second instead of the slopes of the points; 0: not given
    uint32_t n_buses; // transfers at once (contention.h); 0: any number
    struct noise noise;
};

/// Messages of a scope with a name of its own: between nodes that are in one of these groups
/// (IS_WITHIN), or in two different ones of them.
struct machine_custom_scope {
    const char *name;
    bool is_within;
    const char **groups; // names of groups or nodes
    size_t n_groups;
    uint32_t line;
    struct machine_messages messages;
};

struct machine_group {
    const char *name;
    const char **nodes; // names or globs
    size_t n_nodes;
    uint32_t out_links, in_links; // transfers from it and to it at once, 0: any
    uint32_t line;
};

/// What is particular about nodes whose name fits.
struct machine_node {
    const char *name; // or glob
    uint32_t line;
    uint32_t n_cores;             // 0: as the machine says
    uint64_t speed;               // millionths; 0: as the machine says
    uint32_t out_links, in_links; // 0: as the machine says
};

/// Regions whose work is done faster than other work.
struct machine_region {
    const char *pattern; // as for --scale
    uint32_t line;
    uint64_t speed; // millionths
};

/// What an operation costs when a member's share (collective_size_bytes()) is within the bounds.
/// For what a formula had no time, the first of several.
struct machine_no_time {
    bool is_any;
    double time_s;
    uint32_t n_members;
    uint64_t size_bytes;
};

struct machine_collective {
    uint8_t operation; // OTF2_CollectiveOp
    uint32_t line;
    uint64_t from_bytes, below_bytes;
    struct formula *time;  // seconds, of machine_collective_variables; with an algorithm: of its
                           // multicast, or NULL
    const char *time_text; // of that formula, NULL without
    struct formula *scattered_time; // the same where the nodes of its members are not in a row;
    const char *scattered_text;     // NULL: no other
    struct machine_no_time *no_time;
    enum collective_algorithm algorithm;
    enum collective_algorithm tree; // of ALGORITHM_HARDWARE_MULTICAST, where it cannot be used
    uint32_t *missing_nodes;        // in ascending order
    size_t n_missing_nodes;
    struct noise noise; // of its time
};

/// By how much computing takes longer, or shorter, than usual.
struct machine_noise {
    uint64_t every_ns;  // of a rank's work; 0: once for each node, for a whole run
    const char **nodes; // names or globs; NULL: all nodes
    size_t n_nodes;
    uint32_t line;
    struct noise noise;
};

/// Members, bytes of the call, contention of groups (machine_operation_ns()).
enum { MACHINE_COLLECTIVE_VARIABLES = 3 };
extern const char *const machine_collective_variables[MACHINE_COLLECTIVE_VARIABLES];

enum { MACHINE_COMPUTE_VARIABLES = 5 };

/// What visits of regions cost in a replay of order only (timeless.h).
struct machine_compute {
    const char *pattern; // name or glob; with a /: call path
    uint32_t line;
    struct formula *time;          // seconds, of w, e, p, rank, visit
    bool uses_work, uses_elements; // it has a w, an e
};

enum machine_scope { MACHINE_NODE, MACHINE_NETWORK, MACHINE_CORE, MACHINE_SCOPES };
extern const char *const machine_scope_names[MACHINE_SCOPES];

/// Where the numbers of a file come from, the texts of its <calibration>.
enum machine_origin {
    MACHINE_SOURCE,
    MACHINE_MISSING,
    MACHINE_DATE,
    MACHINE_HOST,
    MACHINE_PROCESSOR,
    MACHINE_MPI,
    MACHINE_NODE_ERROR,
    MACHINE_NETWORK_ERROR,
    MACHINE_COLLECTIVE_ERROR,
    MACHINE_UNSTEADY,
    MACHINE_ORIGINS
};

struct machine {
    char *path;
    struct xml_document *document;        // what was read; it holds all texts
    const char *name, *summary;           // "" for none
    const char *origins[MACHINE_ORIGINS]; // NULL: not said
    bool is_calibrated;                   // there is a <calibration>
    bool is_view; // machine_view(): all but its scopes, groups and nodes belong to another one
    bool ignores_sizes, is_free;   // machine_leave_out(): all sizes cost as none, or nothing
    uint32_t n_cores;              // of a node, 0: not given
    uint64_t speed;                // of its processors in millionths, 0: not given
    uint64_t hand_over_ns;         // of a core from one process to another
    uint64_t slice_ns;             // how long ranks that spin keep a core, 0: not given
    uint64_t buffered_bytes;       // larger messages wait for a core of their receiver where ranks
                                   // share cores in slices; PAG_NOT_KNOWN: not given
    uint32_t n_calibrated_members; // of the largest collective that was measured, 0: not known
    uint64_t compute_ns;           // of the piece of computing calibrate measures, 0: not given
    uint32_t out_links, in_links;  // of a node: transfers from and to other nodes at once, 0: any
    struct formula *contention;    // see machine_operation_ns(); NULL: none
    const char *contention_text;
    struct machine_messages messages[MACHINE_SCOPES];
    struct machine_custom_scope *custom_scopes; // in the order in which they are tried
    size_t n_custom_scopes;
    struct machine_group *groups;
    size_t n_groups;
    struct machine_node *nodes;
    size_t n_nodes;
    struct machine_region *regions;
    size_t n_regions;
    struct machine_collective *collectives;
    size_t n_collectives;
    struct machine_compute *computes;
    size_t n_computes;
    struct machine_noise *noises;
    size_t n_noises;
};

/// Reads and checks a file, or the bundled one called NAME. 0, or -1 and ERR ("PATH:LINE: what is
/// wrong"); the caller releases MACHINE in either case.
int machine_read(struct machine *machine, const char *name, struct error *err);
void machine_release(struct machine *machine);

/// MACHINE becomes the same as WHOLE, which must outlive it, except for what messages cost, which
/// may be changed. The caller releases it.
void machine_view(struct machine *machine, const struct machine *whole);

/// Whether the file says what messages cost; else they cost what they did in the recording.
bool machine_has_messages(const struct machine *machine);

/// The network with another latency (all its times move alike), bandwidth or eager limit;
/// PAG_NOT_KNOWN and 0 leave it. 0, or -1 and ERR when the machine has no network.
int machine_change_network(struct machine *machine, uint64_t latency_ns, double bandwidth,
                           uint64_t eager_bytes, struct error *err);

/// What of the time of messages and collectives a view can leave out: each with those before it.
enum machine_part {
    MACHINE_CONTENTION, // links, buses, and operations of groups that hinder each other
    MACHINE_BANDWIDTH,  // what depends on sizes
    MACHINE_LATENCY     // all that is left: latency, overheads, and the noise of both
};
void machine_leave_out(struct machine *view, enum machine_part part);

/// One-way time of a message: linear between the points, the last slope beyond the last one, the
/// first time below the first one; fractions of a ns are cut off; 0 without points. Which messages
/// two ranks exchange: scopes.h.
uint64_t machine_message_ns(const struct machine_messages *messages, uint64_t size_bytes);
bool machine_is_rendezvous(const struct machine_messages *messages, uint64_t size_bytes);

/// What the file says about a node of this name, NULL when nothing.
const struct machine_node *machine_node(const struct machine *machine, const char *name);

/// Whether a node of this name is in the group.
bool machine_group_has(const struct machine_group *group, const char *node);

/// Whether a node of this name has the noise.
bool machine_noise_is_at(const struct machine_noise *noise, const char *node);

/// What OPERATION costs with shares of SIZE_BYTES; NULL: nothing.
const struct machine_collective *machine_collective(const struct machine *machine,
                                                    uint8_t operation, uint64_t size_bytes);

/// Whether some operation is carried out by an algorithm, or depends on where its members are.
bool machine_has_algorithms(const struct machine *machine);

/// Whether some time of the machine is not the same in each run.
bool machine_has_noise(const struct machine *machine);

/// An operation in a run.
struct machine_operation {
    uint32_t n_members, n_ranks; // of the operation, of the run
    uint64_t size_bytes;         // shares
    bool are_scattered;          // the nodes of its members are not in a row
    uint32_t luck;               // what it gets of the noise
};

/// What the formula of COLLECTIVE, one of MACHINE or NULL, says of an operation, with noise, to the
/// nearest ns; 0 without one, or where it is negative; where it is not a number, or more than an
/// hour, too, but then machine_check_formulas() says so. Operations of groups hinder each other by
/// the machine's contention: some ranks have an operation of their own mostly because the others
/// have theirs at the same time (Kuehnemann, Rauber, Ruenger: Performance Modelling for
/// Task-Parallel Programs, section 3.2). MACHINE NULL: without that.
uint64_t machine_operation_ns(const struct machine *machine,
                              const struct machine_collective *collective,
                              const struct machine_operation *operation);

/// The same of an operation of all ranks on nodes in a row, without noise.
uint64_t machine_formula_ns(const struct machine_collective *collective, uint32_t n_members,
                            uint64_t size_bytes);

/// Whether all formulas had a time whenever they were asked since the file was read: 0, or -1 and
/// ERR with the place of one that had not.
int machine_check_formulas(const struct machine *machine, struct error *err);

// --- machine_file.c
// The element <collective> of machine files (machine_collectives.c). Of this folder only;
// machine_read() is what others call.

/// An element <collective>, into the machine. 0, or -1 and the error.
int machine_read_collective(const struct element_reader *reader, const struct xml_element *element);

/// 0 when all sizes of each operation that is named in ELEMENT, the whole machine, have a
/// <collective>.
int machine_check_collectives(const struct element_reader *reader,
                              const struct xml_element *element);
