// SPDX-License-Identifier: BSD-3-Clause
// Events of threads, as Score-P's adapters write them: of POSIX threads, and of OpenMP's.
#include "tracer/finish/event_context.h"

// ---- POSIX threads

static OTF2_CommRef threads_of_rank(struct context *context)
{
    uint32_t threads = unify_threads(context->unify, context->spool->header->rank);
    context->location->has_threads = true;
    return context->unify->comms[threads].number;
}

static uint32_t object_number(struct context *context, uint64_t address)
{
    return table_number(&context->process->objects, &address, sizeof address, NULL);
}

/// What the call on OBJECT begins with. For objects and orders see struct thread_action. CONDITION:
/// that it waits for or signals, 0: none.
static void enter_call(struct context *context, uint32_t call, uint64_t site, uint64_t object,
                       uint64_t order, uint64_t condition, uint64_t time_ns)
{
    if (call == THREAD_pthread_barrier_wait)
        ADD_ATTRIBUTE(context, Uint32, ATTRIBUTE_BARRIER, object_number(context, object));
    if (condition != 0)
        ADD_ATTRIBUTE(context, Uint32, ATTRIBUTE_CONDITION, object_number(context, condition));
    context_enter(context, time_ns,
                  code_thread_call(&context->process->code, call % N_THREAD_CALLS, site, time_ns));
    OTF2_CommRef threads = threads_of_rank(context);
    if (order != 0 && call <= THREAD_thrd_create)
        WRITE(context, ThreadCreate, NULL, threads, object);
    else if (order != 0 && call >= THREAD_pthread_mutex_unlock && call <= THREAD_cnd_timedwait)
        WRITE(context, ThreadReleaseLock, NULL, OTF2_PARADIGM_PTHREAD,
              object_number(context, object), (uint32_t)order);
}

static void leave_call(struct context *context, const struct record_thread_call_leave *record)
{
    uint32_t call = record->head.id;
    bool joins = call == THREAD_pthread_join || call == THREAD_thrd_join;
    OTF2_CommRef threads = threads_of_rank(context);
    context_go_to(context, record->time_ns);
    if (record->order != 0 && joins && record->object != 0)
        WRITE(context, ThreadWait, NULL, threads, record->object);
    else if (record->order != 0 && call >= THREAD_pthread_mutex_lock && call <= THREAD_mtx_lock)
        WRITE(context, ThreadAcquireLock, NULL, OTF2_PARADIGM_PTHREAD,
              object_number(context, record->object), (uint32_t)record->order);
    context_leave_innermost(context, record->time_ns, OTF2_PARADIGM_PTHREAD, UNDEFINED);
}

static void end_thread(struct context *context, uint64_t time_ns)
{
    uint32_t thread = context->thread;
    context->thread = 0;
    if (thread == 0)
        return;
    context_go_to(context, time_ns);
    context_write_reading(context);
    WRITE(context, ThreadEnd, NULL, threads_of_rank(context), thread);
}

static void begin_thread(struct context *context, uint64_t time_ns, uint32_t thread)
{
    end_thread(context, time_ns); // its end was not recorded
    context->thread = thread;
    context->has_begun = true;
    context_go_to(context, time_ns);
    context_write_reading(context);
    WRITE(context, ThreadBegin, NULL, threads_of_rank(context), thread);
}

// ---- OpenMP. As Score-P has it: fork, begin of the team, enter of the parallel region; and back.

/// A sample of this time waits for the enter of the parallel region; one of another event, which
/// was not recorded, is dropped.
static void go_to_team_event(struct context *context, uint64_t time_ns)
{
    if (context->sample && context->sample->time_ns != time_ns)
        context->sample = NULL;
    context->has_begun = true;
    context_go_to(context, time_ns);
}

static void begin_team(struct context *context, const struct record_team *record)
{
    uint32_t team = unify_team(context->unify, context->spool->header->rank, record->head.id);
    context->team = context->unify->comms[team].number;
    context->team_depth = context->depth;
    if (!context->location->has_teams)
        context->location->team_thread = record->thread;
    context->location->has_teams = true;
    go_to_team_event(context, record->time_ns);
    WRITE(context, ThreadTeamBegin, NULL, context->team);
    context_enter(
        context, record->time_ns,
        code_construct(&context->process->code, OPENMP_PARALLEL, record->site, record->time_ns));
}

static void end_team(struct context *context, uint64_t time_ns)
{
    if (context->team == UNDEFINED)
        return;
    while (context->depth > context->team_depth)
        context_leave_top(context, time_ns);
    go_to_team_event(context, time_ns);
    WRITE(context, ThreadTeamEnd, NULL, context->team);
    context->team = UNDEFINED;
}

static void fork_team(struct context *context, uint64_t time_ns, uint32_t n_threads)
{
    context->is_forked = true;
    go_to_team_event(context, time_ns);
    context_write_sample(context); // an interval ends here
    WRITE(context, ThreadFork, NULL, OTF2_PARADIGM_OPENMP, n_threads);
}

static void join_team(struct context *context, uint64_t time_ns)
{
    end_team(context, time_ns);
    if (!context->is_forked)
        return;
    context->is_forked = false;
    go_to_team_event(context, time_ns);
    WRITE(context, ThreadJoin, NULL, OTF2_PARADIGM_OPENMP);
}

void thread_close(struct context *context, uint64_t time_ns)
{
    join_team(context, time_ns);
    while (context->depth > 0)
        context_leave_top(context, time_ns);
    end_thread(context, time_ns);
}

static bool is_signal(uint32_t call)
{
    return call >= THREAD_pthread_cond_signal && call <= THREAD_cnd_broadcast;
}

void thread_record_write(struct context *context, const struct record_head *head)
{
    const struct record_time *timed = (const void *)head;
    const struct record_function_event *construct = (const void *)head;
    const struct record_thread_call *call = (const void *)head;
    const struct record_thread_done *done = (const void *)head;
    switch ((enum record_kind)head->kind) {
    case RECORD_THREAD_BEGIN:
        begin_thread(context, timed->time_ns, head->id);
        break;
    case RECORD_THREAD_CALL:
        enter_call(context, head->id, call->site, call->object, call->order, call->condition,
                   call->time_ns);
        break;
    case RECORD_THREAD_CALL_LEAVE:
        leave_call(context, (const void *)head);
        break;
    case RECORD_THREAD_DONE:
        enter_call(context, head->id, done->site, done->object, done->order,
                   is_signal(head->id) ? done->object : 0, done->enter_ns);
        context_leave_innermost(context, done->leave_ns, OTF2_PARADIGM_PTHREAD, UNDEFINED);
        break;
    case RECORD_THREAD_END:
        thread_close(context, timed->time_ns);
        break;
    case RECORD_FORK:
        fork_team(context, timed->time_ns, head->id);
        break;
    case RECORD_TEAM_BEGIN:
        begin_team(context, (const void *)head);
        break;
    case RECORD_TEAM_END:
        end_team(context, timed->time_ns);
        break;
    case RECORD_JOIN:
        join_team(context, timed->time_ns);
        break;
    case RECORD_CONSTRUCT_ENTER:
        context_enter(context, timed->time_ns,
                      code_construct(&context->process->code, head->id % N_OPENMP_CONSTRUCTS,
                                     construct->address, timed->time_ns));
        break;
    case RECORD_CONSTRUCT_LEAVE:
        context_leave_innermost(context, timed->time_ns, OTF2_PARADIGM_OPENMP,
                                archive_openmp_role(head->id % N_OPENMP_CONSTRUCTS));
        break;
    default:
        break;
    }
}
