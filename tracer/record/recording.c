// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/record/recording.h"

#include "tracer/record/settings.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define N_OPEN_REGIONS 4096 // deeper ones stay without enter when recording goes on
#define N_COUNTS       4096
#define MOST_COUNTS    (N_COUNTS / 4 * 3)

/// What a thread keeps while it is off; in its own mapping, made when first needed.
struct gap {
    struct {
        uint64_t id;
        uint64_t kind;
    } open[N_OPEN_REGIONS]; // entered while off
    uint64_t n_open;
    struct record_skipped counts[N_COUNTS]; // n 0: empty
    uint32_t n_counts;
};

struct recording recording = {.is_on = true, .next_switch_ns = UINT64_MAX};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool wanted = true; // what holds, MPI_Init and MPI_Finalize aside
static int n_holds;
static uint64_t switched_ns; // when it was switched last
static uint64_t origin_ns;   // of the windows, 0: not known yet
static uint64_t asked;       // by recording_ask(): time_ns * 2, + 1 for on; 0: nothing
static size_t next_window;   // index * 2, + 1 for its end

void recording_init(void)
{
    wanted = !settings.start_at && settings.n_windows == 0;
    recording.is_on = wanted;
}

/// With the lock held.
static void apply(uint64_t now_ns)
{
    bool on = wanted || n_holds > 0;
    if (on != recording.is_on) {
        switched_ns = now_ns;
        __atomic_store_n(&recording.is_on, on, __ATOMIC_RELEASE);
    }
}

/// The thread that has the lock does what recording_ask() was asked for; what comes too late for
/// that, the one who finds the lock free.
static void unlock_and_answer(void)
{
    do {
        uint64_t value = __atomic_exchange_n(&asked, 0, __ATOMIC_SEQ_CST);
        if (value != 0) {
            wanted = value % 2 != 0;
            apply(value / 2);
        }
        pthread_mutex_unlock(&lock);
    } while (__atomic_load_n(&asked, __ATOMIC_SEQ_CST) != 0 && pthread_mutex_trylock(&lock) == 0);
}

/// A signal handler that switches while its thread has the lock must see that.
static uint32_t take_lock(void)
{
    uint32_t inside = pagoda_dispatch_thread.inside;
    dispatch_set_inside(INSIDE_TRACER);
    pthread_mutex_lock(&lock);
    return inside;
}

static void give_lock(uint32_t inside)
{
    unlock_and_answer();
    dispatch_set_inside(inside);
}

static uint64_t window_edge(size_t edge)
{
    const struct settings_window *window = &settings.windows[edge / 2];
    uint64_t after_ns = edge % 2 == 0 ? window->from_ns : window->to_ns;
    if (edge / 2 >= settings.n_windows || after_ns > UINT64_MAX - origin_ns)
        return UINT64_MAX;
    return origin_ns + after_ns;
}

/// With the lock held: the edges of windows that have passed. Before MPI_Init has returned there
/// are none.
static void pass_edges(uint64_t now_ns)
{
    if (origin_ns == 0)
        return;
    while (now_ns >= window_edge(next_window)) {
        wanted = next_window % 2 == 0;
        apply(window_edge(next_window));
        next_window++;
    }
    __atomic_store_n(&recording.next_switch_ns, window_edge(next_window), __ATOMIC_RELEASE);
}

void recording_mpi_started(uint64_t now_ns)
{
    if (settings.n_windows == 0)
        return;
    uint32_t inside = take_lock();
    origin_ns = now_ns;
    pass_edges(now_ns);
    give_lock(inside);
}

void recording_set(struct stream *stream, bool on, uint64_t now_ns)
{
    uint32_t inside = take_lock();
    wanted = on;
    apply(now_ns);
    give_lock(inside);
    if (stream)
        recording_check(stream, now_ns);
}

void recording_ask(bool on, uint64_t now_ns)
{
    __atomic_store_n(&asked, now_ns * 2 + on, __ATOMIC_SEQ_CST);
    if (pthread_mutex_trylock(&lock) == 0)
        unlock_and_answer();
}

void recording_hold(bool on, uint64_t now_ns)
{
    uint32_t inside = take_lock();
    n_holds += on ? 1 : -1;
    apply(now_ns);
    give_lock(inside);
}

static void write_enter(struct stream *stream, uint16_t kind, uint64_t id, uint64_t time_ns)
{
    if (kind == RECORD_ENTER)
        STREAM_WRITE(stream, kind, 0, record_function_event, .time_ns = time_ns, .address = id);
    else
        STREAM_WRITE(stream, kind, (uint32_t)id, record_time, .time_ns = time_ns);
}

static void go_off(struct stream *stream, uint64_t time_ns)
{
    if (!stream->gap) {
        void *gap = mmap(NULL, sizeof *stream->gap, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stream->gap = gap != MAP_FAILED ? gap : NULL;
    }
    counters_take(stream);
    STREAM_WRITE(stream, RECORD_OFF, 0, record_time, .time_ns = time_ns);
    stream->off = true;
    stream->n_enters = 0;
    stream->window.poll = NULL;
    stream->window.left_at = NULL;
}

static void go_on(struct stream *stream, uint64_t time_ns)
{
    struct gap *gap = stream->gap;
    recording_write_skipped(stream);
    stream->off = false;
    counters_take(stream);
    STREAM_WRITE(stream, RECORD_ON, 0, record_time, .time_ns = time_ns);
    for (uint64_t i = 0; gap && i < gap->n_open && i < N_OPEN_REGIONS; i++)
        write_enter(stream, (uint16_t)gap->open[i].kind, gap->open[i].id, time_ns);
    if (gap)
        gap->n_open = 0;
    // The interval before the next call gets no CPU time: its begin is not known.
    stream->left_ns = time_ns;
    stream->left_sampled = false;
    stream->window.left_at = NULL;
}

/// Off takes effect with the event that noticed it: until then nothing was left out. On takes
/// effect when it was switched: since then nothing has happened here.
void recording_follow(struct stream *stream, uint64_t now_ns)
{
    uint32_t inside = take_lock();
    pass_edges(now_ns);
    uint64_t on_ns = switched_ns < now_ns ? switched_ns : now_ns;
    give_lock(inside);
    bool is_on = __atomic_load_n(&recording.is_on, __ATOMIC_ACQUIRE);
    if (stream->off != is_on)
        return;
    if (is_on)
        go_on(stream, on_ns > stream->off_event_ns ? on_ns : stream->off_event_ns);
    else
        go_off(stream, now_ns);
    stream->off_event_ns = now_ns;
}

/// The ON record of the thread that has the stream next must not stand before the end of this one.
void recording_thread_ends(struct stream *stream, uint64_t now_ns)
{
    if (!stream->off)
        return;
    recording_write_skipped(stream);
    if (stream->gap)
        stream->gap->n_open = 0;
    stream->off_event_ns = now_ns;
}

// ---- what happens while off

static bool is_same(const struct record_skipped *a, const struct record_skipped *b)
{
    return a->head.id == b->head.id && a->kind == b->kind && a->peer == b->peer && a->tag == b->tag;
}

static void write_skipped(struct stream *stream, const struct record_skipped *skipped)
{
    STREAM_WRITE(stream, RECORD_SKIPPED, skipped->head.id, record_skipped, .peer = skipped->peer,
                 .tag = skipped->tag, .kind = skipped->kind, .n = skipped->n);
}

void recording_skip(struct stream *stream, uint16_t kind, uint32_t comm, int32_t peer, int32_t tag)
{
    struct record_skipped skipped = {
        .head = {0, 0, comm}, .peer = peer, .tag = tag, .kind = kind, .n = 1};
    uint64_t hash = ((uint64_t)comm << 40 ^ (uint64_t)kind << 56 ^ (uint64_t)(uint32_t)peer << 20 ^
                     (uint32_t)tag) *
                    0x9e3779b97f4a7c15U;
    struct gap *gap = stream->gap;
    if (!stream->off || !gap) {
        write_skipped(stream, &skipped);
        return;
    }
    if (gap->n_counts == MOST_COUNTS)
        recording_write_skipped(stream);
    for (uint32_t i = (uint32_t)(hash >> 40) % N_COUNTS;; i = (i + 1) % N_COUNTS) {
        struct record_skipped *count = &gap->counts[i];
        if (count->n == 0) {
            *count = skipped;
            gap->n_counts++;
            return;
        }
        if (is_same(count, &skipped)) {
            count->n++;
            return;
        }
    }
}

void recording_write_skipped(struct stream *stream)
{
    struct gap *gap = stream->gap;
    if (!gap || gap->n_counts == 0)
        return;
    for (uint32_t i = 0; i < N_COUNTS; i++)
        if (gap->counts[i].n != 0)
            write_skipped(stream, &gap->counts[i]);
    memset(gap->counts, 0, sizeof gap->counts);
    gap->n_counts = 0;
}

void recording_region_entered(struct stream *stream, uint16_t kind, uint64_t id)
{
    struct gap *gap = stream->gap;
    if (!gap)
        return;
    if (gap->n_open < N_OPEN_REGIONS) {
        gap->open[gap->n_open].id = id;
        gap->open[gap->n_open].kind = kind;
    }
    gap->n_open++;
}

bool recording_region_left(struct stream *stream)
{
    struct gap *gap = stream->gap;
    if (!gap)
        return false;
    if (gap->n_open == 0)
        return true;
    gap->n_open--;
    return false;
}
