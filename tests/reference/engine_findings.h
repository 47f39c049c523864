// SPDX-License-Identifier: BSD-3-Clause
// What the analyzer finds in an archive (reader, engine, catalogue, matcher), as findings.
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "tests/reference/findings.h"

/// Replays the archive at PATH with the patterns of CATALOGUE and adds all facts, sorted. 0, or -1
/// with ERR.
int engine_findings(const char *path, const struct catalogue *catalogue, struct findings *findings,
                    struct error *err);

/// The same for a text trace, by an archive in a scratch directory that is removed again.
int engine_findings_of_text(const char *text, const struct catalogue *catalogue,
                            struct findings *findings, struct error *err);

/// The same of a replay that is over: RESULT of TRACE, and what MATCHER found in it.
void engine_findings_convert(const struct trace *trace, const struct catalogue *catalogue,
                             const struct matcher *matcher, const struct pag_result *result,
                             struct findings *findings);

/// The same of a simulated run in which nothing is changed.
int simulated_findings(const char *path, const struct catalogue *catalogue,
                       struct findings *findings, struct error *err);

/// Between set-up and tear-down of a group of tests.
extern struct catalogue *shipped_catalogue;

/// Group set-up: loads patterns/ from the folder the tests run in, and has scratch archives kept in
/// memory where the system offers that. Fails, with the reason printed, when it cannot.
int shipped_catalogue_load(void **state);
int shipped_catalogue_unload(void **state);
