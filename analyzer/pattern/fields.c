// SPDX-License-Identifier: BSD-3-Clause
// Tables of names, made from the field lists of analyzer/pag/trigger.h: a new kind of trigger event
// needs one line in each of the two tables here.
#include "analyzer/pattern/pattern.h"

#include <assert.h>
#include <string.h>

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/event.h"

static_assert((int)FIELD_PARENT_BEGIN < (int)EXPRESSION_SLOTS, "trigger fields fit the slots");

// A scope lists the fields, then the constants, then what only patterns within another may use.
#define CONSTANT(text, number)                                                                     \
    {                                                                                              \
        .name = text, .is_constant = true, .value = number                                         \
    }
#define CONSTANTS                                                                                  \
    CONSTANT("never", TRIGGER_NEVER), CONSTANT("barrier", COLLECTIVE_BARRIER),                     \
        CONSTANT("all_to_all", COLLECTIVE_ALL_TO_ALL),                                             \
        CONSTANT("one_to_all", COLLECTIVE_ONE_TO_ALL),                                             \
        CONSTANT("all_to_one", COLLECTIVE_ALL_TO_ONE), CONSTANT("scan", COLLECTIVE_SCAN),          \
        CONSTANT("handle", COLLECTIVE_HANDLE), CONSTANT("finalize", TRIGGER_KIND_FINALIZE),        \
        CONSTANT("lock", TRIGGER_RMA_LOCK), CONSTANT("post", TRIGGER_RMA_POST),                    \
        CONSTANT("complete", TRIGGER_RMA_COMPLETE)
#define REGION_CONSTANTS                                                                           \
    CONSTANT("none", CONSTRUCT_NONE), CONSTANT("work", CONSTRUCT_WORK),                            \
        CONSTANT("parallel", CONSTRUCT_PARALLEL), CONSTANT("barrier", CONSTRUCT_BARRIER),          \
        CONSTANT("implicit_barrier", CONSTRUCT_IMPLICIT_BARRIER),                                  \
        CONSTANT("lock", CONSTRUCT_LOCK), CONSTANT("condition", CONSTRUCT_CONDITION),              \
        CONSTANT("task", CONSTRUCT_TASK), CONSTANT("runtime", CONSTRUCT_RUNTIME),                  \
        CONSTANT("unlock", CONSTRUCT_UNLOCK)
#define WITHIN                                                                                     \
    {.name = "parent_wait", .value = FIELD_PARENT_WAIT},                                           \
    {                                                                                              \
        .name = "parent_begin", .value = FIELD_PARENT_BEGIN                                        \
    }
enum { N_WITHIN = 2 };

#define FIELD(KIND, NAME, field) {.name = #field, .value = TRIGGER_##KIND##_##NAME},
static const struct expression_name receive_names[] = {TRIGGER_RECEIVE_FIELDS(FIELD) CONSTANTS,
                                                       WITHIN};
static const struct expression_name send_names[] = {TRIGGER_SEND_FIELDS(FIELD) CONSTANTS, WITHIN};
static const struct expression_name collective_names[] = {
    TRIGGER_COLLECTIVE_FIELDS(FIELD) CONSTANTS, WITHIN};
static const struct expression_name rma_names[] = {TRIGGER_RMA_FIELDS(FIELD) CONSTANTS, WITHIN};
static const struct expression_name region_names[] = {TRIGGER_REGION_FIELDS(FIELD) REGION_CONSTANTS,
                                                      WITHIN};
#undef FIELD

#define SEVERITY_NAME(NAME, field) {.name = #field, .value = SEVERITY_##NAME},
static const struct expression_name severity_names[] = {SEVERITY_FIELDS(SEVERITY_NAME)};
#undef SEVERITY_NAME

#define NAMES(array) .names = array, .n_names = sizeof(array) / sizeof((array)[0])

static const struct {
    const char *name;
    const struct expression_name *names;
    size_t n_names, enter, leave;
} kinds[TRIGGER_KINDS] = {
    [TRIGGER_RECEIVE] = {"receive", NAMES(receive_names), TRIGGER_RECEIVE_ENTER,
                         TRIGGER_RECEIVE_LEAVE},
    [TRIGGER_SEND] = {"send", NAMES(send_names), TRIGGER_SEND_ENTER, TRIGGER_SEND_LEAVE},
    [TRIGGER_COLLECTIVE] = {"collective", NAMES(collective_names), TRIGGER_COLLECTIVE_ENTER,
                            TRIGGER_COLLECTIVE_LEAVE},
    [TRIGGER_RMA] = {"rma", NAMES(rma_names), TRIGGER_RMA_ENTER, TRIGGER_RMA_LEAVE},
    [TRIGGER_REGION] = {"region", NAMES(region_names), TRIGGER_REGION_ENTER, TRIGGER_REGION_LEAVE},
};

const char *trigger_kind_name(enum trigger_kind kind)
{
    return kinds[kind].name;
}

bool trigger_kind_find(const char *name, enum trigger_kind *kind)
{
    for (size_t i = 0; i < TRIGGER_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *kind = (enum trigger_kind)i;
            return true;
        }
    return false;
}

struct expression_scope trigger_scope(enum trigger_kind kind, bool is_within)
{
    return (struct expression_scope){.names = kinds[kind].names,
                                     .n_names = kinds[kind].n_names - (is_within ? 0 : N_WITHIN)};
}

struct expression_scope severity_scope(void)
{
    return (struct expression_scope){NAMES(severity_names)};
}

size_t trigger_enter_field(enum trigger_kind kind)
{
    return kinds[kind].enter;
}

size_t trigger_leave_field(enum trigger_kind kind)
{
    return kinds[kind].leave;
}
