// SPDX-License-Identifier: BSD-3-Clause
// Ranks that serve others: how often requests come, how long each is served and answered. Gathered
// from the messages of a run, in memory that does not grow with their number.
#pragma once

#include "analyzer/pag/pag.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/definitions.h"

struct servers;

/// DEFINITIONS must outlive it.
struct servers *servers_new(const struct definitions *definitions);
/// SERVERS may be NULL.
void servers_free(struct servers *servers);

/// A message that was received, in the order of the receivers' leaves.
void servers_message(struct servers *servers, const struct pag_message *message);

/// A call by the first thread of a rank, after the messages that it received.
void servers_called(struct servers *servers, const struct pag_called *call);

/// Fills the servers of RESULT, whose ranks and traffic are there, the busiest first. Ends the
/// gathering.
void servers_collect(struct servers *servers, struct result *result);
