// SPDX-License-Identifier: BSD-3-Clause
// Trigger events of a finished collective operation: one a member, with the times of the members a
// pattern may compare; and what explains the waits that the shipped patterns find in them.
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/matching/matching.h"
#include "analyzer/pag/window.h"

/// What is the same for all members of an instance.
struct summary {
    const struct member *first, *last, *first_sender, *root;
    uint64_t first_end_ns;
};

static struct summary summarise(const struct collective *instance)
{
    struct summary summary = {.first_end_ns = UINT64_MAX};
    if (instance->root != NONE)
        summary.root = &instance->members[instance->root];
    for (uint32_t i = 0; i < instance->n_members; i++) {
        const struct member *member = &instance->members[i];
        if (member->is_passive)
            continue;
        if (!summary.first || member->in_ns < summary.first->in_ns)
            summary.first = member;
        if (!summary.last || collective_is_later(member, summary.last))
            summary.last = member;
        bool is_earlier = !summary.first_sender || member->in_ns < summary.first_sender->in_ns ||
                          (member->in_ns == summary.first_sender->in_ns &&
                           member->rank < summary.first_sender->rank);
        if (member != summary.root && is_earlier)
            summary.first_sender = member;
        if (member->end_ns < summary.first_end_ns)
            summary.first_end_ns = member->end_ns;
    }
    return summary;
}

static int64_t in_time(const struct member *member)
{
    return member ? (int64_t)member->in_ns : TRIGGER_NEVER;
}

static int64_t rank_number(const struct member *member)
{
    return member ? (int64_t)member->rank : -1;
}

static void emit(struct engine *engine, const struct collective *instance,
                 const struct summary *summary, const struct member *member,
                 const struct member *last_lower)
{
    bool is_finalize = instance->is_finalize;
    struct trigger trigger = {
        .kind = TRIGGER_COLLECTIVE,
        .location = member->location,
        .rank = member->rank,
        .call_path = member->path,
        .sync_object = instance->communicator,
    };
    window_place(engine, &trigger, member->enter_ns);
    int64_t *value = trigger.value;
    value[TRIGGER_COLLECTIVE_ENTER] = (int64_t)member->enter_ns;
    value[TRIGGER_COLLECTIVE_LEAVE] = (int64_t)member->leave_ns;
    value[TRIGGER_COLLECTIVE_KIND] = is_finalize ? TRIGGER_KIND_FINALIZE : member->class_;
    value[TRIGGER_COLLECTIVE_OPERATION] = member->operation;
    value[TRIGGER_COLLECTIVE_FIRST_ENTER] = in_time(summary->first);
    value[TRIGGER_COLLECTIVE_LAST_ENTER] = in_time(summary->last);
    value[TRIGGER_COLLECTIVE_LAST_RANK] = rank_number(summary->last);
    value[TRIGGER_COLLECTIVE_END] = (int64_t)member->end_ns;
    value[TRIGGER_COLLECTIVE_FIRST_END] = (int64_t)summary->first_end_ns;
    value[TRIGGER_COLLECTIVE_ROOT_ENTER] = in_time(summary->root);
    value[TRIGGER_COLLECTIVE_ROOT_RANK] = rank_number(summary->root);
    value[TRIGGER_COLLECTIVE_IS_ROOT] = member->is_root;
    value[TRIGGER_COLLECTIVE_FIRST_SENDER_ENTER] = in_time(summary->first_sender);
    value[TRIGGER_COLLECTIVE_FIRST_SENDER_RANK] = rank_number(summary->first_sender);
    value[TRIGGER_COLLECTIVE_LAST_LOWER_ENTER] = in_time(last_lower);
    value[TRIGGER_COLLECTIVE_LAST_LOWER_RANK] = rank_number(last_lower);
    value[TRIGGER_COLLECTIVE_BYTES] = (int64_t)member->size_bytes;
    value[TRIGGER_COLLECTIVE_N_MEMBERS] = instance->n_members;
    value[TRIGGER_COLLECTIVE_IS_WINDOW] = member->is_window;
    value[TRIGGER_COLLECTIVE_IS_FILE] = member->is_file;
    if (member->is_test)
        TELL(engine, tested, &trigger);
    else
        TELL(engine, trigger, &trigger);
}

/// Explains that MEMBER waited from FROM until OTHER entered.
static void explain(struct engine *engine, enum pag_wait_kind kind, struct moment *from,
                    const struct member *other, const struct member *member)
{
    if (other)
        explain_wait(engine, kind, (struct waiting_call){member->enter_ns, member->leave_ns}, from,
                     (struct moment){.time_ns = other->in_ns, .node = other->node});
}

static void explain_member(struct engine *engine, const struct collective *instance,
                           const struct summary *summary, const struct member *member,
                           const struct member *last_lower)
{
    struct moment from = {.time_ns = member->enter_ns, .node = member->enter_node};
    bool has_data = member->size_bytes > 0;
    if (instance->is_finalize) {
        explain(engine, PAG_WAIT_FINALIZE, &from, summary->last, member);
        return;
    }
    switch (member->class_) {
    case COLLECTIVE_BARRIER:
        explain(engine, PAG_WAIT_BARRIER, &from, summary->last, member);
        break;
    case COLLECTIVE_ALL_TO_ALL:
        if (has_data)
            explain(engine, PAG_WAIT_NXN, &from, summary->last, member);
        break;
    case COLLECTIVE_ONE_TO_ALL:
        if (!member->is_root)
            explain(engine, PAG_WAIT_ONE_TO_ALL, &from, summary->root, member);
        break;
    case COLLECTIVE_ALL_TO_ONE:
        if (!member->is_root)
            break;
        explain(engine, PAG_WAIT_EARLY_REDUCE, &from, summary->first_sender, member);
        if (has_data)
            explain(engine, PAG_WAIT_NX1, &from, summary->last, member);
        break;
    case COLLECTIVE_SCAN:
        explain(engine, PAG_WAIT_SCAN, &from, last_lower, member);
        break;
    default: // the end of a communicator is no wait state
        if (member->is_file && collective_let_wait(instance, summary->last->in_ns))
            explain(engine, PAG_WAIT_FILE, &from, summary->last, member);
        if (member->operation == COLLECTIVE_OP_CREATE && !member->is_window)
            explain(engine, PAG_WAIT_COMMUNICATOR, &from, summary->last, member);
        if (member->is_window)
            explain(engine, member->operation == 0 ? PAG_WAIT_FENCE : PAG_WAIT_WINDOW, &from,
                    summary->last, member); // a barrier is a fence
        break;
    }
}

void collective_emit_triggers(struct engine *engine, const struct collective *instance)
{
    const struct pag_listener *listener = &engine->listener;
    bool explains = engine->options.explains && !engine->options.only_times;
    if (!listener->trigger.tell && !listener->tested.tell && !explains)
        return;
    struct summary summary = summarise(instance);
    const struct member *last_lower = NULL;
    for (uint32_t i = 0; i < instance->n_members; i++) {
        const struct member *member = &instance->members[i];
        if (member->is_passive)
            continue;
        if (!last_lower || collective_is_later(member, last_lower))
            last_lower = member;
        if (member->is_test ? listener->tested.tell : listener->trigger.tell)
            emit(engine, instance, &summary, member, last_lower);
        if (explains && member->enter_node != NONE)
            explain_member(engine, instance, &summary, member, last_lower);
    }
}
