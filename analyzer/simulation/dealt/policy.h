// SPDX-License-Identifier: BSD-3-Clause
// Files of policies, pagoda-policy(5): how work is dealt while a program runs. A policy either has
// rules for balancing (balancing.h), or says how a master hands out tasks (farm.h).
#pragma once

#include <stdbool.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/simulation/dealt/balancing.h"
#include "analyzer/simulation/dealt/farm.h"

/// What is bundled, for bundled_names().
extern const struct bundled bundled_policies;

struct policy {
    char *path;
    struct xml_document *document; // what was read; it holds all texts
    const char *name, *summary;
    const char *source, *missing; // where it is from, and what is not said there; "" for none
    bool deals_tasks;             // only `dealing` is filled, else only `balancing`
    struct balancing_policy balancing;
    struct dealing dealing;
};

/// Reads and checks a file, or the bundled one called NAME. 0, or -1 and ERR ("PATH:LINE: what is
/// wrong", with the nearest valid name). The caller releases POLICY in either case.
int policy_read(struct policy *policy, const char *name, struct error *err);
void policy_release(struct policy *policy);

/// Read values of a policy, in its file or given in place of it: 0, or -1 and ERR.
int policy_read_percent(const char *text, uint64_t *millionths, struct error *err);
int policy_read_poll(const char *text, uint64_t *poll_ns, struct error *err);
int policy_read_free_hosts(const char *text, uint64_t *n, struct error *err);

/// The word of a policy's file for a role ("free-host").
const char *balancing_role_name(enum balancing_role role);
