// SPDX-License-Identifier: BSD-3-Clause
// See digest.h.
#include "analyzer/pag/location/digest.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/numbers.h"
#include "analyzer/base/memory.h"
#include "analyzer/pag/location/region_visits.h"
#include "analyzer/pag/location/without_cpu.h"
#include "analyzer/trace/batch.h"

struct digest {
    struct profile profile;
    struct times times; // the mark is of what the engine got last
    bool has_rank, is_master, has_begun;
    bool has_threads;  // its process
    bool in_call;      // an MPI call is open,
    uint32_t n_nested; // regions open in it
    bool has_cpu_inside;
    uint64_t cpu_inside_ns; // its last CPU sample
    uint32_t n_events;      // so far; only differences matter
    struct batch *out;      // where visits are told
};

struct digest *digest_new(const struct definitions *definitions, size_t location,
                          const bool *visited)
{
    struct digest *digest = memory_zeroed(1, sizeof *digest);
    times_init(&digest->times);
    profile_init(&digest->profile, definitions, &digest->times);
    digest->has_rank = definitions->locations[location].rank != NONE;
    digest->has_threads = digest->has_rank &&
                          definitions->ranks[definitions->locations[location].rank].n_locations > 1;
    digest->is_master = digest->has_rank && definitions->locations[location].is_master;
    digest->profile.visits =
        region_visits_new(digest->has_rank ? visited : NULL, region_visits_append, &digest->out);
    return digest;
}

uint64_t digest_end_ns(const struct digest *digest)
{
    return digest->profile.last_ns;
}

// --- what the engine gets

static void tell_spent(struct batch *out, uint64_t time_ns, uint32_t path, uint64_t ns)
{
    *batch_add(out) =
        (struct event){.time_ns = time_ns, .kind = EVENT_SPENT, .index = path, .size_bytes = ns};
}

/// Tells the time since the last mark at all paths but PATH, which is returned. The first of these
/// goes to OTHER instead, if there is room for one.
static inline uint64_t tell_others(struct digest *digest, uint64_t time_ns, uint32_t path,
                                   struct digest_time *other, struct batch *out)
{
    struct times *times = &digest->times;
    uint64_t own_ns = 0;
    for (size_t i = 0; i < times->n_touched; i++) {
        uint32_t touched = times->touched[i];
        uint64_t ns = times_since(times, touched);
        if (touched == path)
            own_ns = ns;
        else if (other && other->path == NONE)
            *other = (struct digest_time){touched, ns};
        else if (ns > 0)
            tell_spent(out, time_ns, touched, ns);
    }
    times_mark(times);
    return own_ns;
}

/// Tells all of it, and where the location is.
static void tell(struct digest *digest, uint64_t time_ns, struct batch *out)
{
    uint32_t path = digest->profile.current;
    uint64_t own_ns = tell_others(digest, time_ns, path, NULL, out);
    tell_spent(out, time_ns, path, own_ns);
}

static void tell_lost(const struct without_cpu *account, uint64_t time_ns, struct batch *out)
{
    for (uint32_t i = 0; i < account->n_segments; i++) {
        const struct cpu_segment *segment = &account->segments[i];
        if (segment->lost_ns > 0)
            *batch_add(out) = (struct event){.time_ns = time_ns,
                                             .kind = EVENT_LOST,
                                             .index = segment->path,
                                             .size_bytes = segment->begin_ns,
                                             .received_bytes = segment->end_ns,
                                             .request = segment->lost_ns,
                                             .tag = segment->is_blocked};
    }
}

/// The interval that ends now may have lost its core.
static void lose_outside(struct digest *digest, uint64_t time_ns, struct batch *out)
{
    struct profile *profile = &digest->profile;
    if (profile->without_cpu.span.has && digest->is_master && without_cpu_outside(profile, time_ns))
        tell_lost(&profile->without_cpu, time_ns, out);
}

// --- events

static void enter_call(struct digest *digest, const struct event *event, struct batch *out)
{
    struct profile *profile = &digest->profile;
    uint32_t path = profile_enter_call(profile, event->index, event->context, event->time_ns);
    if (event->flags & EVENT_FOLDED_POLLS && event->size_bytes > 1)
        profile->paths[profile->current].visits += event->size_bytes - 1;
    lose_outside(digest, event->time_ns, out);
    struct digest_time other = {NONE, 0};
    uint64_t before_ns = tell_others(digest, event->time_ns, path, &other, out);
    struct event *enter = batch_add(out);
    *enter = *event;
    enter->tag = profile->current;
    digest_put_before(enter, (struct digest_time){path, before_ns}, other);
    digest->in_call = true;
    digest->n_nested = 0;
    digest->has_cpu_inside = false;
}

static void leave_call(struct digest *digest, const struct event *event, struct batch *out)
{
    struct profile *profile = &digest->profile;
    profile_account(profile, event->time_ns);
    uint64_t own_ns = tell_others(digest, event->time_ns, profile->current, NULL, out);
    struct event *leave = batch_add(out);
    *leave = *event;
    leave->size_bytes = own_ns;
    leave->context = profile->current;
    leave->tag = digest->n_events;
    if (digest->has_cpu_inside && digest->is_master)
        cpu_span_see(&profile->without_cpu.span, digest->cpu_inside_ns);
    without_cpu_begin(profile, event->time_ns);
    profile_leave(profile, event->index, event->time_ns);
    digest->in_call = false;
}

static void in_call(struct digest *digest, const struct event *event, struct batch *out)
{
    struct profile *profile = &digest->profile;
    if (event->kind == EVENT_ENTER) {
        digest->n_nested++;
        profile_enter(profile, event->index, event->time_ns);
    } else if (event->kind != EVENT_LEAVE) {
        if (event->kind == EVENT_CPU_TIME) {
            digest->has_cpu_inside = true;
            digest->cpu_inside_ns = event->size_bytes;
        }
        profile->noted_ns = event->time_ns;
        struct event *record = batch_add(out);
        *record = *event;
        if (event->kind == EVENT_CPU_TIME)
            record->tag = digest->n_events;
    } else if (digest->n_nested == 0) {
        leave_call(digest, event, out);
    } else {
        digest->n_nested--;
        profile_leave(profile, event->index, event->time_ns);
    }
}

/// EVENT concerns other locations, or ends an interval: the engine gets it, too.
static void pass_on(struct digest *digest, const struct event *event, struct batch *out)
{
    without_cpu_begin(&digest->profile, event->time_ns);
    tell(digest, event->time_ns, out);
    *batch_add(out) = *event;
}

static void note(struct digest *digest, const struct event *event, struct batch *out)
{
    struct profile *profile = &digest->profile;
    profile->noted_ns = event->time_ns; // the time belongs to what comes next
    if (event->kind != EVENT_CPU_TIME || !digest->has_rank)
        return;
    cpu_span_sample(&profile->without_cpu.span, event->time_ns, event->size_bytes,
                    event->received_bytes);
    struct event *sample = batch_add(out);
    *sample = *event;
    sample->tag = digest->n_events;
}

/// EVENT is an enter or leave, accounted for already: of a construct the engine gets it, too.
static void tell_construct(struct digest *digest, const struct event *event, struct batch *out)
{
    enum construct construct = digest->profile.definitions->regions[event->index].construct;
    if (construct == CONSTRUCT_NONE)
        return;
    bool is_barrier = construct_is_barrier((enum construct)construct);
    *batch_add(out) = (struct event){
        .time_ns = event->time_ns,
        .kind = event->kind == EVENT_ENTER ? EVENT_CONSTRUCT_ENTER
                : is_barrier               ? EVENT_BARRIER_LEAVE
                                           : EVENT_CONSTRUCT_LEAVE,
        .index = event->index,
        .context = digest->profile.current,
        .tag = event->kind == EVENT_ENTER ? event->tag : 0,
    };
}

/// EVENT is of a lock: it matters where the thread was.
static void tell_lock(struct digest *digest, const struct event *event, struct batch *out)
{
    struct event *told = batch_add(out);
    *told = *event;
    told->context = digest->profile.current;
}

static void outside(struct digest *digest, const struct event *event, struct batch *out)
{
    struct profile *profile = &digest->profile;
    uint64_t time_ns = event->time_ns;
    switch (event->kind) {
    case EVENT_ENTER:
        if (digest->has_rank &&
            profile->definitions->regions[event->index].mpi != MPI_FUNCTION_NONE)
            enter_call(digest, event, out);
        else
            profile_enter_call(profile, event->index, event->context, time_ns);
        if (__builtin_expect(digest->has_threads, 0))
            tell_construct(digest, event, out);
        return;
    case EVENT_LEAVE:
        profile_leave_around_gap(profile, event->index, time_ns);
        if (__builtin_expect(digest->has_threads, 0))
            tell_construct(digest, event, out);
        return;
    case EVENT_MEASUREMENT_OFF:
    case EVENT_MEASUREMENT_ON:
        profile_switch(profile, event->kind == EVENT_MEASUREMENT_OFF, time_ns);
        pass_on(digest, event, out);
        return;
    case EVENT_THREAD_FORK:
    case EVENT_THREAD_JOIN:
    case EVENT_THREAD_TEAM_BEGIN:
    case EVENT_THREAD_TEAM_END:
        if (digest->has_rank) {
            profile_account(profile, time_ns);
            lose_outside(digest, time_ns, out);
            pass_on(digest, event, out);
        } else {
            without_cpu_begin(profile, time_ns);
        }
        return;
    case EVENT_LOCK_ACQUIRED:
    case EVENT_LOCK_RELEASED:
        if (digest->has_rank && digest->has_threads)
            tell_lock(digest, event, out);
        return;
    default:
        if (digest->has_rank && event_is_message_record(event)) {
            profile_account(profile, time_ns);
            pass_on(digest, event, out);
        } else {
            note(digest, event, out);
        }
    }
}

static void begin(struct digest *digest, uint64_t time_ns, struct batch *out)
{
    digest->has_begun = true;
    digest->profile.last_ns = time_ns;
    without_cpu_begin(&digest->profile, time_ns);
    tell(digest, time_ns, out);
}

static void end(struct digest *digest, struct batch *out)
{
    struct profile *profile = &digest->profile;
    profile_account(profile, profile_end_ns(profile));
    if (digest->has_begun)
        tell(digest, profile->last_ns, out);
    profile_end(profile);
}

/// Since its last value the counter grew by what the location did where it is.
static void count(struct profile *profile, const struct counter_growth *growth)
{
    size_t n_counters = profile->definitions->n_counters;
    size_t place = profile->current * n_counters + growth->counter, n = profile->n_counted;
    if (place >= n) {
        profile->n_counted = (profile->current + 1) * n_counters;
        profile->counted = array_reserve(profile->counted, &profile->counted_capacity,
                                         profile->n_counted, sizeof *profile->counted);
        memset(profile->counted + n, 0, (profile->n_counted - n) * sizeof *profile->counted);
    }
    profile->counted[place] += growth->growth;
}

static void digest_run(struct digest *digest, const struct event *events, size_t n,
                       struct batch *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct event *event = &events[i];
        digest->n_events++;
        if (!digest->has_begun)
            begin(digest, event->time_ns, out);
        if (digest->in_call)
            in_call(digest, event, out);
        else
            outside(digest, event, out);
    }
}

/// Before which event the next growth or file operation was; there is one.
static uint32_t next_before(const struct decoded *decoded, size_t growth, size_t operation)
{
    uint32_t of_growth = growth < decoded->n_growths ? decoded->growths[growth].before : UINT32_MAX;
    uint32_t of_operation =
        operation < decoded->n_operations ? decoded->operations[operation].before : UINT32_MAX;
    return of_growth < of_operation ? of_growth : of_operation;
}

void digest_events(struct digest *digest, const struct decoded *decoded, struct batch *out)
{
    size_t n_done = 0, growth = 0, operation = 0;
    digest->out = out;
    while (growth < decoded->n_growths || operation < decoded->n_operations) {
        uint32_t next = next_before(decoded, growth, operation);
        size_t before = next < decoded->n ? next : decoded->n;
        digest_run(digest, decoded->events + n_done, before - n_done, out);
        n_done = before;
        for (; growth < decoded->n_growths && decoded->growths[growth].before == next; growth++)
            count(&digest->profile, &decoded->growths[growth]);
        for (; operation < decoded->n_operations && decoded->operations[operation].before == next;
             operation++)
            file_uses_add(&digest->profile.file_uses, digest->profile.current,
                          &decoded->operations[operation]);
    }
    digest_run(digest, decoded->events + n_done, decoded->n - n_done, out);
    if (decoded->is_last)
        end(digest, out);
}

// --- in another process than the engine

static void pass_path(struct call_path *path, struct numbers *numbers)
{
    path->region = numbers_pass_any_index(numbers, path->region, UINT32_MAX);
    path->parent = numbers_pass_any_index(numbers, path->parent, UINT32_MAX);
    path->context = numbers_pass_any_index(numbers, path->context, UINT32_MAX);
    path->is_stretch = numbers_pass(numbers, path->is_stretch);
    path->since = numbers_pass_any_index(numbers, path->since, UINT32_MAX);
    NUMBERS_PASS(numbers, path->blocked_ns, path->visits, path->inclusive_ns);
}

static void pass_tree(struct profile *profile, struct numbers *numbers)
{
    size_t n = numbers_pass_count(numbers, profile->n_paths);
    SCOPED struct call_path *tree = memory_zeroed(n, sizeof *tree);
    for (size_t i = 0; i < n; i++) {
        if (!numbers->is_reading)
            tree[i] = profile_path(profile, i);
        pass_path(&tree[i], numbers);
    }
    if (numbers->is_reading)
        profile_become(profile, tree, n);
    for (size_t i = 0; i < profile->n_since; i++) {
        struct stretch_since *since = &profile->since[i];
        since->call = numbers_pass_any_index(numbers, since->call, UINT32_MAX);
        since->ns = numbers_pass(numbers, since->ns);
    }
}

static void pass_counted(struct profile *profile, struct numbers *numbers)
{
    profile->n_counted = numbers_pass_count(numbers, profile->n_counted);
    if (numbers->is_reading)
        profile->counted = array_reserve(profile->counted, &profile->counted_capacity,
                                         profile->n_counted, sizeof *profile->counted);
    for (size_t i = 0; i < profile->n_counted; i++) {
        uint64_t bits;
        memcpy(&bits, &profile->counted[i], sizeof bits);
        bits = numbers_pass(numbers, bits);
        memcpy(&profile->counted[i], &bits, sizeof bits);
    }
}

void digest_pass(struct digest *digest, struct numbers *numbers)
{
    struct profile *profile = &digest->profile;
    pass_tree(profile, numbers);
    pass_counted(profile, numbers);
    file_uses_pass(&profile->file_uses, profile->n_paths, profile->definitions->n_files, numbers);
    NUMBERS_PASS(numbers, profile->last_ns, profile->n_unbalanced);
}

static void serve_events(void *context, size_t location, const struct decoded *decoded,
                         struct batch *out)
{
    struct digest **digests = context;
    digest_events(digests[location], decoded, out);
}

static void serve_end(void *context, size_t location, struct numbers *numbers)
{
    struct digest **digests = context;
    digest_pass(digests[location], numbers);
}

void digest_serve(struct trace *trace, const bool *visited)
{
    const struct definitions *definitions = trace_definitions(trace);
    size_t n = definitions->n_locations;
    SCOPED struct digest **digests = memory_zeroed(n, sizeof(struct digest *));
    for (size_t i = 0; i < n; i++)
        digests[i] = digest_new(definitions, i, visited);
    trace_serve(trace, &(struct trace_digest){digests, serve_events, serve_end});
    for (size_t i = 0; i < n; i++) {
        times_release(&digests[i]->times);
        profile_release(&digests[i]->profile);
        free(digests[i]);
    }
}

// --- the finished profile

/// What was lost in calls gets its children.
static void add_lost(struct profile *profile, const struct times *lost)
{
    for (uint32_t path = 0; path < lost->n_paths; path++) {
        const struct path_time *time = &lost->paths[path];
        if (time->n_moves == 0)
            continue;
        uint32_t child = without_cpu_path(profile, path, false);
        struct path_time *total = times_at(profile->times, child);
        total->exclusive_ns += time->exclusive_ns;
        total->mark_ns += time->exclusive_ns; // the lineage knows it already
        profile->paths[child].inclusive_ns += time->exclusive_ns;
        profile->paths[child].visits += time->n_moves;
    }
}

struct profile digest_finish(struct digest *digest, struct head *head)
{
    struct profile profile = digest->profile;
    times_release(&digest->times);
    free(digest);
    profile.times = &head->times;
    add_lost(&profile, &head->lost);
    return profile;
}
