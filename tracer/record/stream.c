// SPDX-License-Identifier: BSD-3-Clause
// Spool files: opening, moving the window, stopping. See stream.h and record.h.
#include "tracer/record/stream.h"

#include "tracer/dispatch/dispatch.h"
#include "tracer/record/clock.h"
#include "tracer/record/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAITING_BYTES ((size_t)64 << 20) // address space for records before MPI_Init
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum { STATE_OFF, STATE_WAITING, STATE_FILES } state;
static char spool_dir[4096];
static struct spool_header facts;
static uint32_t n_threads;
static struct stream *first;
static struct stream *idle; // of threads that have ended, for those to come
static pthread_key_t thread_end;
static bool has_thread_end; // else threads that have ended keep their streams
static void (*before_thread_end)(struct stream *stream, uint64_t now_ns);

__thread struct stream *stream_of_thread __attribute__((tls_model("initial-exec")));

/// A stream lives in its own mapping: the program's heap is not touched.
static struct stream *stream_new(void)
{
    struct stream *stream =
        mmap(NULL, sizeof *stream, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stream == MAP_FAILED)
        return NULL;
    stream->is_own = true;
    stream->fd = -1;
    return stream;
}

/// Before MPI_Init either of parent and child may become the rank: both go on. Later the mappings
/// are the parent's, and a child must not write there: the system gives it zeroed streams
/// (open_file()), which record nothing, also where the child was made behind the C library's back.
/// A child that becomes another program starts afresh.
static void forget_in_child(void)
{
    if (state == STATE_WAITING) {
        if (stream_of_thread)
            counters_fork(&stream_of_thread->counters);
        return;
    }
    state = STATE_OFF;
    stream_of_thread = NULL;
    first = NULL;
    idle = NULL;
}

/// Address space is the program's where it is limited (ulimit -v).
static size_t waiting_bytes(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return settings.buffer_bytes;
    return WAITING_BYTES;
}

/// Records go to this window from now on, which is NULL if there is none. Nothing in the one before
/// is reachable any longer.
static void set_window(struct stream *stream, uint8_t *start, size_t n_bytes)
{
    memset(&stream->window, 0, sizeof stream->window);
    stream->window.start = start;
    stream->window.at = start;
    stream->window.end = start + n_bytes;
}

static void close_window(struct stream *stream)
{
    uint8_t *start = stream->window.start;
    size_t n_bytes = (size_t)(stream->window.end - start);
    set_window(stream, NULL, 0);
    if (start)
        munmap(start, n_bytes);
}

/// Gives the stream room for records until there is a file.
static bool wait_in_memory(struct stream *stream, size_t n_bytes)
{
    void *window = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (window == MAP_FAILED)
        return false;
    set_window(stream, window, n_bytes);
    return true;
}

static bool is_reusable(const struct stream *stream)
{
    return state == STATE_FILES && stream->is_own && stream->in_file && !stream->stopped &&
           stream->thread != 0 && pagoda_dispatch_thread.inside == 0;
}

/// A thread has ended: the next new one goes on in its file, so that a program which starts a
/// thread for every little task needs no file and no window for each.
static void on_thread_end(void *ended)
{
    struct stream *stream = ended;
    uint64_t now_ns = clock_now_ns();
    if (!is_reusable(stream)) {
        counters_close(&stream->counters);
        stream_of_thread = NULL;
        free(stream->scratch);
        stream->scratch = NULL;
        stream->scratch_bytes = 0;
        return;
    }
    dispatch_set_inside(INSIDE_TRACER);
    before_thread_end(stream, now_ns);
    counters_take(stream);
    counters_close(&stream->counters);
    if (STREAM_WRITE(stream, RECORD_THREAD_END, 0, record_time, .time_ns = now_ns)) {
        stream->window.poll = NULL;
        stream->window.left_at = NULL;
        stream->n_enters = 0;
        stream->n_teams = stream->n_nested = stream->n_unrecorded = 0;
        pthread_mutex_lock(&lock);
        stream->next_idle = idle;
        idle = stream;
        pthread_mutex_unlock(&lock);
    }
    stream_of_thread = NULL;
    dispatch_set_inside(0);
}

static struct stream *take_idle(void)
{
    pthread_mutex_lock(&lock);
    struct stream *stream = idle;
    if (stream)
        idle = stream->next_idle;
    pthread_mutex_unlock(&lock);
    return stream;
}

void stream_start_process(const char *dir, void (*thread_ends)(struct stream *, uint64_t))
{
    struct stream *stream = stream_new();
    if (!stream)
        return;
    if (!wait_in_memory(stream, waiting_bytes())) {
        munmap(stream, sizeof *stream);
        return;
    }
    snprintf(spool_dir, sizeof spool_dir, "%s", dir);
    first = stream;
    stream_of_thread = stream;
    state = STATE_WAITING;
    counters_open(&stream->counters, true);
    pthread_atfork(NULL, NULL, forget_in_child);
    before_thread_end = thread_ends;
    has_thread_end = pthread_key_create(&thread_end, on_thread_end) == 0;
}

void stream_set_facts(const struct spool_header *new_facts)
{
    facts = *new_facts;
    state = STATE_FILES;
}

uint32_t stream_n_threads(void)
{
    return __atomic_load_n(&n_threads, __ATOMIC_RELAXED);
}

bool stream_may_open(uint32_t most)
{
    return state == STATE_FILES &&
           (__atomic_load_n(&idle, __ATOMIC_RELAXED) || stream_n_threads() < most);
}

void stream_count_left_out(void)
{
    if (state == STATE_FILES && first->header)
        __atomic_add_fetch(&first->header->n_left_out_threads, 1, __ATOMIC_RELAXED);
}

void stream_stop_process(void)
{
    state = STATE_OFF;
    for (struct stream *stream = first; stream; stream = stream->next)
        stream->stopped = true;
}

/// The size of the stream's file, or -1: a program may close descriptors it did not open, and open
/// its own under their numbers.
static off_t size_of_file(const struct stream *stream)
{
    struct stat now;
    if (fstat(stream->fd, &now) != 0 || now.st_dev != stream->device || now.st_ino != stream->inode)
        return -1;
    return now.st_size;
}

static void name_file(const struct stream *stream, char *name, size_t size)
{
    snprintf(name, size, "%016llx-%06u-%03u%s", (unsigned long long)facts.run_id, facts.rank,
             stream->thread, SPOOL_SUFFIX);
}

/// The folder of the records. Nowhere on the way from there a link is followed.
static int open_folder(void)
{
    return open(spool_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Out of the way of the program's own descriptors, which are the lowest free numbers, and locked
/// as long as this process lives: pagoda-trace-finish leaves such files alone. (A lock of this kind
/// is not handed on to children. Where files cannot be locked, the process number must do.)
static int move_descriptor(int fd)
{
    struct flock own = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high >= 0) {
        close(fd);
        fd = high;
    }
    fcntl(fd, F_SETLK, &own);
    return fd;
}

/// The program has closed our descriptor, or put a file of its own there: opens the file again.
static int reopen(struct stream *stream)
{
    int folder = open_folder();
    char name[64];
    name_file(stream, name, sizeof name);
    stream->fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int error = errno;
    close(folder);
    if (stream->fd < 0)
        return error;
    if (size_of_file(stream) < 0) {
        close(stream->fd);
        stream->fd = -1;
        return EBADF;
    }
    stream->fd = move_descriptor(stream->fd);
    return 0;
}

/// posix_fallocate() that is no end of the program (SIGXFSZ) where files are limited in size.
static int allocate(int fd, uint64_t from, uint64_t n_bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        from + n_bytes > limit.rlim_cur)
        return EFBIG;
    return posix_fallocate(fd, (off_t)from, (off_t)n_bytes);
}

static void stop(struct stream *stream, int error)
{
    stream->stopped = true;
    close_window(stream);
    if (stream->header) {
        stream->header->stop_errno = error;
        stream->header->stop_ns = clock_now_ns();
    }
    // The first thread's descriptor stays open, and with it the lock that says that the process
    // lives.
    if (stream->thread == 0)
        return;
    if (stream->fd >= 0 && size_of_file(stream) >= 0)
        close(stream->fd);
    stream->fd = -1;
}

/// The stream must have no window. Space is allocated before it is mapped: a full disk is an error
/// here and no SIGBUS later.
static int map_next_chunk(struct stream *stream)
{
    size_t n_bytes = settings.buffer_bytes;
    if (settings.max_bytes != 0 && stream->file_bytes + n_bytes > settings.max_bytes)
        return SPOOL_STOPPED_AT_LIMIT;
    int error = size_of_file(stream) >= 0 ? 0 : reopen(stream);
    if (error == 0 && size_of_file(stream) < (off_t)stream->file_bytes)
        error = SPOOL_STOPPED_BY_LOSS;
    if (error == 0)
        error = allocate(stream->fd, stream->file_bytes, n_bytes);
    if (error != 0)
        return error;
    uint8_t *window = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, stream->fd,
                           (off_t)stream->file_bytes);
    if (window == MAP_FAILED)
        return errno;
    // All pages made writable at once, or one by one when first written (Linux before 5.14).
    madvise(window, n_bytes, MADV_POPULATE_WRITE);
    stream->file_bytes += n_bytes;
    set_window(stream, window, n_bytes);
    return 0;
}

/// What opens files must be no place where the program's thread is cancelled.
static int forbid_cancellation(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static void allow_cancellation(int before)
{
    pthread_setcancelstate(before, NULL);
}

void *stream_reserve_slow(struct stream *stream, size_t n_bytes)
{
    struct record_head *rest = (struct record_head *)(void *)stream->window.at;
    if (stream->stopped)
        return NULL;
    if (!stream->in_file || n_bytes > settings.buffer_bytes)
        return NULL;
    if (stream->window.end - stream->window.at >= (ptrdiff_t)sizeof *rest)
        stream_commit(rest, RECORD_PAD, 0, 8);
    int cancellation = forbid_cancellation();
    close_window(stream);
    int error = map_next_chunk(stream);
    if (error != 0)
        stop(stream, error);
    allow_cancellation(cancellation);
    return error == 0 ? stream_reserve(stream, n_bytes) : NULL;
}

static int open_file(struct stream *stream, uint32_t thread)
{
    int folder = open_folder();
    int error = errno;
    if (folder < 0)
        return error;
    stream->thread = thread;
    char name[64];
    name_file(stream, name, sizeof name);
    stream->fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (stream->fd < 0) {
        error = errno;
        close(folder);
        return error;
    }
    stream->fd = move_descriptor(stream->fd);
    struct stat file;
    error = fstat(stream->fd, &file) == 0 ? allocate(stream->fd, 0, SPOOL_HEADER_BYTES) : errno;
    if (error == 0) {
        stream->device = file.st_dev;
        stream->inode = file.st_ino;
        stream->header =
            mmap(NULL, SPOOL_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, stream->fd, 0);
        if (stream->header == MAP_FAILED) {
            stream->header = NULL;
            error = errno;
        }
    }
    if (error != 0) {
        close(stream->fd);
        stream->fd = -1;
        unlinkat(folder, name, 0);
    }
    close(folder);
    if (error != 0)
        return error;
    madvise(stream, sizeof *stream, MADV_WIPEONFORK);
    stream->file_bytes = SPOOL_HEADER_BYTES;
    *stream->header = facts;
    stream->header->thread = thread;
    stream->header->chunk_bytes = (uint32_t)settings.buffer_bytes;
    stream->header->version = SPOOL_VERSION;
    stream->header->counters = stream->counters.set;
    snprintf(stream->header->counter_notes, sizeof stream->header->counter_notes, "%s",
             counters_notes());
    stream->counters.notes = stream->header->counter_notes;
    memcpy(stream->header->magic, SPOOL_MAGIC, sizeof stream->header->magic);
    return 0;
}

static bool replace_if_holds(void *start, size_t n_bytes, const void *address)
{
    const uint8_t *at = address;
    return start && at >= (uint8_t *)start && at < (uint8_t *)start + n_bytes &&
           mmap(start, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

/// The window stays where it is, for a record may be half written.
bool stream_lose(const void *address)
{
    struct stream *stream = stream_of_thread;
    if (!stream)
        return false;
    const struct window *window = &stream->window;
    if (!replace_if_holds(stream->header, SPOOL_HEADER_BYTES, address) &&
        !replace_if_holds(window->start, (size_t)(window->end - window->start), address))
        return false;
    stream->stopped = true;
    stream->header->stop_errno = SPOOL_STOPPED_BY_LOSS;
    stream->header->stop_ns = clock_now_ns();
    return true;
}

/// Copies the records that waited in memory to the file.
static void move_records(struct stream *stream, const struct window *waiting)
{
    const uint8_t *from = waiting->start;
    while (from < waiting->at) {
        const struct record_head *head = (const void *)from;
        size_t n_bytes = (size_t)head->n_words * 8;
        if (head->kind == RECORD_END || n_bytes == 0)
            break;
        void *copy = stream_reserve(stream, n_bytes);
        if (!copy)
            return;
        memcpy(copy, from, n_bytes);
        if (head == (const void *)waiting->open)
            stream->window.open = copy;
        from += n_bytes;
    }
}

int stream_to_file(struct stream *stream)
{
    struct window waiting = stream->window;
    uint32_t thread = __atomic_fetch_add(&n_threads, 1, __ATOMIC_RELAXED);
    int error = open_file(stream, thread);
    set_window(stream, NULL, 0);
    if (error == 0)
        error = map_next_chunk(stream);
    if (error != 0) {
        stop(stream, error);
    } else {
        stream->in_file = true;
        stream->header->n_dropped_short = stream->n_dropped_short;
        move_records(stream, &waiting);
    }
    if (waiting.start)
        munmap(waiting.start, (size_t)(waiting.end - waiting.start));
    return error;
}

static struct stream *add_stream(void)
{
    struct stream *stream = stream_new();
    if (!stream)
        return NULL;
    // Before MPI_Init, which this thread may be about to call.
    if (state == STATE_WAITING && !wait_in_memory(stream, settings.buffer_bytes)) {
        munmap(stream, sizeof *stream);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    stream->next = first->next;
    first->next = stream;
    pthread_mutex_unlock(&lock);
    return stream;
}

static struct stream *open_current(void)
{
    struct stream *stream = stream_of_thread;
    if (state == STATE_OFF || !first->is_own || (stream && stream->stopped))
        return NULL;
    if (!stream) {
        stream = state == STATE_FILES ? take_idle() : NULL;
        if (!stream)
            stream = add_stream();
        if (!stream)
            return NULL;
        stream_of_thread = stream;
        counters_open(&stream->counters, false);
        if (has_thread_end)
            pthread_setspecific(thread_end, stream);
    }
    if (state == STATE_FILES && !stream->in_file && stream_to_file(stream) != 0)
        return NULL;
    return stream;
}

/// A signal handler that runs in the middle of this has no stream.
struct stream *stream_open_current(void)
{
    uint32_t inside = pagoda_dispatch_thread.inside;
    if (inside == INSIDE_TRACER)
        return NULL;
    int cancellation = forbid_cancellation();
    dispatch_set_inside(INSIDE_TRACER);
    struct stream *stream = open_current();
    dispatch_set_inside(inside);
    allow_cancellation(cancellation);
    return stream;
}

void *stream_scratch(struct stream *stream, size_t n_bytes)
{
    if (stream->scratch_bytes >= n_bytes)
        return stream->scratch;
    free(stream->scratch);
    stream->scratch = malloc(2 * n_bytes);
    stream->scratch_bytes = stream->scratch ? 2 * n_bytes : 0;
    return stream->scratch;
}

void *stream_reserve_with_text(struct stream *stream, size_t *n_bytes, const char *text)
{
    size_t begin = *n_bytes, length = strnlen(text, 4095);
    *n_bytes = (begin + length + 1 + 7) / 8 * 8;
    uint8_t *record = stream_reserve(stream, *n_bytes);
    if (record)
        memcpy(record + begin, text, length); // the rest is zero already
    return record;
}

void stream_write_counters(struct stream *stream, uint32_t of)
{
    size_t n_bytes = stream->counters.n_bytes;
    struct record_counters *record = stream_reserve(stream, n_bytes);
    if (!record)
        return;
    counters_values(&stream->counters, record->values);
    stream_commit(&record->head, RECORD_COUNTERS, of, n_bytes);
}

void stream_write_name(struct stream *stream, uint16_t kind, uint32_t id, const char *text)
{
    size_t n_bytes = sizeof(struct record_name);
    struct record_name *record = stream_reserve_with_text(stream, &n_bytes, text);
    if (record)
        stream_commit(&record->head, kind, id, n_bytes);
}

// ---- SIGBUS. A file loses pages when another program cuts it, or when a network file system or
// disk fails. The program may set an action for SIGBUS after MPI_Init, or block the signal: then
// that holds.

static struct sigaction before;

/// The action before ours, as the system would have taken it.
static void pass_on(int number, siginfo_t *info, void *context)
{
    bool is_sent = info->si_code <= 0; // by kill() or raise(); else by the instruction
    bool has_handler = (before.sa_flags & SA_SIGINFO) != 0 ||
                       (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN);
    if (!has_handler && before.sa_handler == SIG_IGN && is_sent)
        return;
    if (!has_handler || (before.sa_flags & SA_RESETHAND) != 0)
        signal(number, SIG_DFL);
    if ((before.sa_flags & SA_SIGINFO) != 0)
        before.sa_sigaction(number, info, context);
    else if (has_handler)
        before.sa_handler(number);
    else if (is_sent)
        raise(number); // the instruction is repeated by itself
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    int error = errno;
    if (info->si_code <= 0 || !stream_lose(info->si_addr))
        pass_on(number, info, context);
    errno = error;
}

/// Noting the loss in the file's header may cause the signal once more, so it is not blocked.
void bus_error_catch(void)
{
    if (sigaction(SIGBUS, NULL, &before) != 0)
        return;
    struct sigaction action = before;
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | (before.sa_flags & SA_RESTART);
    sigaction(SIGBUS, &action, NULL);
}
