// SPDX-License-Identifier: BSD-3-Clause
// Visits of the regions that somebody asks for, such as a pattern of a user: each is told as it is
// left, with what of it was spent in other regions.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct event;
struct region_visits;

/// Told of a visit by an EVENT_VISIT, which is valid during the call only.
typedef void region_visits_listener(void *context, const struct event *visit);

/// Of the regions with IS_ASKED, by region, which stays the caller's; NULL: of none, and NULL is
/// returned. region_visits_free() frees it.
struct region_visits *region_visits_new(const bool *is_asked, region_visits_listener *listener,
                                        void *context);
void region_visits_free(struct region_visits *visits);

/// A listener for the digest of a location; CONTEXT is where its batch is, a struct batch **.
void region_visits_append(void *context, const struct event *visit);

/// A region is left whose frame is number DEPTH of the stack, from 0 on. VISIT is its EVENT_VISIT,
/// except for the time spent in regions that it entered, which is filled in here.
void region_visits_leave(struct region_visits *visits, size_t depth, struct event visit);
