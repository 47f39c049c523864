// SPDX-License-Identifier: BSD-3-Clause
// A pattern: its texts as written in a file, of our form or another, and its compiled expressions.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/format/elements.h"
#include "analyzer/pag/trigger.h"
#include "analyzer/pattern/expression.h"

#define PATTERN_NONE UINT32_MAX

/// The elements of a pattern: X(element, need). ALWAYS: every pattern must have it;
/// WAIT: each one with a wait (an abstract pattern, a node of the hierarchy, has the first ones
/// only); MAYBE: those may have it.
#define PATTERN_ELEMENTS(X)                                                                        \
    X(name, ALWAYS)                                                                                \
    X(summary, ALWAYS)     /* one sentence */                                                      \
    X(description, ALWAYS) /* paragraphs */                                                        \
    X(formula, WAIT)       /* for people */                                                        \
    X(unit, WAIT)          /* of the wait: ns */                                                   \
    X(diagnosis, WAIT)     /* what to look for */                                                  \
    X(hint, MAYBE)         /* sentence with {facts}, see base/format/template.h */                 \
    X(severity, MAYBE)     /* expression, 0..1; total / (ranks * run_time) */                      \
    X(confidence, MAYBE)   /* expression over the trigger's fields, 0..1; 1 */                     \
    X(threshold, MAYBE)    /* severity from which on the hint is worth showing; 0.01 */            \
    X(trigger, MAYBE)      /* kind of trigger event */                                             \
    X(region, MAYBE)       /* names of regions (a glob), of trigger events of kind region */       \
    X(within, MAYBE)       /* `parent`: only where the nearest ancestor with a wait waited */      \
    X(condition, MAYBE)    /* expression; true */                                                  \
    X(wait, MAYBE)         /* expression; an instance is where it is above 0 */                    \
    X(begin, MAYBE)        /* expression, when the wait began; enter, or that of the ancestor */   \
    X(cause, MAYBE)        /* expression: world rank that was waited for; unknown */

/// The facts a hint may name: X(name). Each is text, ready to be read ("12.3 ms", "3").
#define PATTERN_FACTS(X)                                                                           \
    X(rank)       /* that waited longest in one instance */                                        \
    X(cause_rank) /* that it waited for */                                                         \
    X(path)       /* call path of that instance */                                                 \
    X(source)     /* file:line of the code to look at */                                           \
    X(wait)       /* length of that instance */                                                    \
    X(time)       /* when it began */                                                              \
    X(total)      /* of all instances */                                                           \
    X(share)      /* of the run time of all ranks */                                               \
    X(count)      /* instances */                                                                  \
    X(ranks)      /* how many ranks waited */

enum pattern_fact {
#define PATTERN_FACT(name) PATTERN_FACT_##name,
    PATTERN_FACTS(PATTERN_FACT)
#undef PATTERN_FACT
        N_PATTERN_FACTS
};
extern const char *const pattern_fact_names[N_PATTERN_FACTS];

struct pattern {
    char *id;     // kebab-case
    char *parent; // id, "" for a root of the hierarchy
    /// Texts as written, white space made single; "" where the file has none and no default is set.
#define PATTERN_TEXT(element, need) char *element;
    PATTERN_ELEMENTS(PATTERN_TEXT)
#undef PATTERN_TEXT
    char *file; // where it was read
    uint32_t line;
    struct { // of the elements, 0 where the file has none
#define PATTERN_LINE(element, need) uint32_t element;
        PATTERN_ELEMENTS(PATTERN_LINE)
#undef PATTERN_LINE
    } lines;
    bool is_abstract; // has no wait of its own
    bool is_shipped;  // of the catalogue's directory, not from a user's file
    bool is_brief;    // in Kappa-Pi's form, which has no texts
    uint32_t depth;
    uint32_t parent_index; // into catalogue.patterns, PATTERN_NONE
    uint32_t ancestor;     // the nearest ancestor with a wait, PATTERN_NONE
    bool is_within;        // evaluated only where `ancestor` waited
    /// Its waits count towards the waiting time of a rank: it has no ancestor with a wait and is
    /// part of the shipped hierarchy, or replaces such a pattern. (What a user adds beside it may
    /// measure the same time again.)
    bool is_counted;
    enum trigger_kind trigger_kind;
    double threshold_share;
    struct {
        struct expression condition, wait, begin, cause, confidence, severity;
    } compiled;
};

// --- catalogue_file.c
// Reading one file of patterns into texts; nothing is compiled or linked yet.

struct pattern_list {
    struct pattern *patterns;
    size_t n_patterns, capacity;
};

/// Appends the patterns of a file (<pattern>, several within <patterns>, or Kappa-Pi's <PATTERN>).
/// 0, or -1 and ERR; ids are unique within the file.
int catalogue_file_read(const char *path, struct pattern_list *list, struct error *err);

void pattern_release(struct pattern *pattern);

// --- kappa_pi.c
// Patterns in the form of Kappa-Pi 2.

/// Translates a <PATTERN> of that form into the texts of the struct pattern that is read into. 0,
/// or -1 and the error.
int kappa_pi_read(const struct element_reader *reader, const struct xml_element *element);

// --- fields.c
// The names that expressions of patterns may use: the fields of each kind of trigger event (from
// the lists of analyzer/pag/trigger.h), named constants, and the sums a severity is computed from.

enum {
    FIELD_PARENT_WAIT =
        TRIGGER_MAX_FIELDS, // slot of `parent_wait`: the wait of the pattern that
                            // this one is evaluated within, at the same trigger event
    FIELD_PARENT_BEGIN = TRIGGER_MAX_FIELDS + 1, // when that wait began
};

/// What a severity may use: X(NAME, name); times in ns.
#define SEVERITY_FIELDS(X)                                                                         \
    X(TOTAL, total)       /* of all instances */                                                   \
    X(WORST, worst)       /* longest wait of one instance */                                       \
    X(COUNT, count)       /* instances */                                                          \
    X(RANKS, ranks)       /* of the run */                                                         \
    X(RUN_TIME, run_time) /* from the first to the last event */

#define SEVERITY_ENUM(NAME, name) SEVERITY_##NAME,
enum severity_field { SEVERITY_FIELDS(SEVERITY_ENUM) SEVERITY_N_FIELDS };
#undef SEVERITY_ENUM

/// "receive", "send", ...; the names are those of the element <trigger> of a pattern.
const char *trigger_kind_name(enum trigger_kind kind);

/// The kind of that name; false when there is none.
bool trigger_kind_find(const char *name, enum trigger_kind *kind);

/// What expressions at triggers of a kind may use; IS_WITHIN adds `parent_wait` and `parent_begin`.
struct expression_scope trigger_scope(enum trigger_kind kind, bool is_within);

/// What severities may use; slots are enum severity_field.
struct expression_scope severity_scope(void);

/// Offsets of a trigger's times that every kind has.
size_t trigger_enter_field(enum trigger_kind kind);
size_t trigger_leave_field(enum trigger_kind kind);
