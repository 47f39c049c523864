// SPDX-License-Identifier: BSD-3-Clause
/* The C library's functions for files, and what the program did with them.
 *
 *     trace_posix all DIRECTORY      each function, in all surroundings; prints for each file, in
 *                                    order: name, opens, reads, bytes read, writes, bytes written,
 *                                    syncs, requests below 64 KiB
 *     trace_posix many FILE N        writes one byte N times; prints the growth of memory in KiB
 *     trace_posix full FILE BYTES    writes until the limit of BYTES a file is reached
 *     trace_posix killed FILE N      ends by SIGKILL after N writes
 *
 * What is expected of the recording follows from what the calls return. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 100000, SMALL_BELOW = 65536, N_THREADS = 3 };

static char data[LARGE], back[LARGE];
static int rank;
static char directory[2048];

struct sums {
    char name[2100];
    long long opens, reads, read_bytes, writes, written_bytes, syncs, small;
};

static void die(const char *what)
{
    fprintf(stderr, "trace_posix: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void expect(int is_true, const char *what)
{
    if (!is_true)
        die(what);
}

static struct sums begin(const char *name)
{
    struct sums sums = {.opens = 1};
    snprintf(sums.name, sizeof sums.name, "%s/%s.%d", directory, name, rank);
    return sums;
}

static void end(const struct sums *sums)
{
    printf("%s %lld %lld %lld %lld %lld %lld %lld\n", sums->name, sums->opens, sums->reads,
           sums->read_bytes, sums->writes, sums->written_bytes, sums->syncs, sums->small);
}

static void did_read(struct sums *sums, long long n_bytes)
{
    expect(n_bytes >= 0, "read");
    sums->reads++;
    sums->read_bytes += n_bytes;
    sums->small += n_bytes < SMALL_BELOW;
}

static void did_write(struct sums *sums, long long n_bytes)
{
    expect(n_bytes >= 0, "write");
    sums->writes++;
    sums->written_bytes += n_bytes;
    sums->small += n_bytes < SMALL_BELOW;
}

// ---- By descriptor

static void by_descriptor(void)
{
    struct sums sums = begin("descriptor");
    struct iovec parts[2] = {{data, 10}, {data + 10, LARGE - 10}};
    struct iovec back_parts[2] = {{back, 7}, {back + 7, 13}};
    int fd = open(sums.name, O_RDWR | O_CREAT | O_TRUNC, 0640);
    struct stat file;
    expect(fd >= 0 && fstat(fd, &file) == 0, "open");
    expect((file.st_mode & 0777) == (0640 & ~umask(022)), "the mode of open");
    did_write(&sums, write(fd, data, 1000));
    did_write(&sums, write(fd, data, 0));
    did_write(&sums, write(fd, data, LARGE));
    did_write(&sums, pwrite(fd, data, 3, 5));
    did_write(&sums, pwrite64(fd, data, 4, 5));
    did_write(&sums, writev(fd, parts, 2));
    did_write(&sums, pwritev(fd, parts, 1, 0));
    did_write(&sums, pwritev64(fd, parts, 1, 0));
    expect(fsync(fd) == 0 && fdatasync(fd) == 0, "sync");
    sums.syncs += 2;
    expect(lseek(fd, 0, SEEK_SET) == 0 && lseek64(fd, 6, SEEK_CUR) == 6, "lseek");
    did_read(&sums, read(fd, back, 500));
    did_read(&sums, read(fd, back, LARGE));
    did_read(&sums, pread(fd, back, 10, 0));
    did_read(&sums, pread64(fd, back, 10, 1));
    did_read(&sums, readv(fd, back_parts, 2));
    did_read(&sums, preadv(fd, back_parts, 2, 0));
    did_read(&sums, preadv64(fd, back_parts, 2, 0));
    expect(lseek(fd, 0, SEEK_END) == 1000 + 2 * LARGE, "the size");
    did_read(&sums, read(fd, back, 10)); // nothing, at its end
    expect(close(fd) == 0, "close");
    end(&sums);
}

static void all_ways_to_open(void)
{
    struct sums sums = begin("opened");
    const char *name = strrchr(sums.name, '/') + 1;
    int folder = open(directory, O_RDONLY | O_DIRECTORY);
    int fds[] = {creat(sums.name, 0600), creat64(sums.name, 0600), open64(sums.name, O_RDWR),
                 openat(AT_FDCWD, sums.name, O_RDWR), openat64(folder, name, O_RDWR)};
    sums.opens = 0;
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        expect(fds[i] >= 0, "open");
        sums.opens++;
        did_write(&sums, write(fds[i], data, i + 1));
        expect(close(fds[i]) == 0, "close");
    }
    close(folder);
    end(&sums);
}

static void temporary(void)
{
    struct sums unnamed = {.opens = 1}, named = {.opens = 1};
    snprintf(unnamed.name, sizeof unnamed.name, "%s/(unnamed)", directory);
    int fd = open(directory, O_RDWR | O_TMPFILE, 0600);
    if (fd >= 0) { // not every file system has them
        did_write(&unnamed, write(fd, data, 77));
        close(fd);
        end(&unnamed);
    }
    snprintf(named.name, sizeof named.name, "%s/temporary-%d-XXXXXX", directory, rank);
    fd = mkstemp(named.name);
    expect(fd >= 0, "mkstemp");
    did_write(&named, write(fd, data, 78));
    close(fd);
    end(&named);
}

static void duplicates(void)
{
    struct sums sums = begin("duplicated");
    int fd = open(sums.name, O_RDWR | O_CREAT, 0600);
    int others[] = {dup(fd), dup2(fd, 200), dup3(fd, 201, O_CLOEXEC), fcntl(fd, F_DUPFD, 300),
                    fcntl(fd, F_DUPFD_CLOEXEC, 301)};
    expect(others[3] >= 300 && others[4] >= 301, "fcntl");
    close(fd);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        did_write(&sums, write(others[i], data, 9));
    // A pipe takes the place of one.
    int pipes[2];
    expect(pipe(pipes) == 0 && dup2(pipes[1], 200) == 200, "dup2");
    expect(write(200, data, 5) == 5, "write to a pipe");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        close(others[i]);
    close(pipes[0]);
    close(pipes[1]);
    end(&sums);
}

// ---- By stream

static int print(FILE *stream, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = vfprintf(stream, format, values);
    va_end(values);
    return n;
}

static void by_stream(void)
{
    struct sums sums = begin("stream");
    FILE *stream = fopen(sums.name, "w+");
    char *line = NULL;
    size_t size = 0;
    expect(stream != NULL, "fopen");
    did_write(&sums, fprintf(stream, "%d of %s\n", 5, "seven"));
    did_write(&sums, print(stream, "%5.1f\n", 2.5));
    expect(fputs(data + LARGE - 5, stream) >= 0, "fputs"); // "zzzz"
    did_write(&sums, 4);
    did_write(&sums, (long long)fwrite(data, 1000, 100, stream) * 1000);
    did_write(&sums, (long long)(fwrite_unlocked)("\nlast\n", 2, 3, stream) * 2);
    expect(fflush(stream) == 0, "fflush");
    sums.syncs++;
    rewind(stream);
    expect(fgets(back, 100, stream) != NULL, "fgets");
    did_read(&sums, (long long)strlen(back));
    did_read(&sums, getline(&line, &size, stream));
    did_read(&sums, (long long)fread(back, 1, 4, stream));
    did_read(&sums, (long long)(fread_unlocked)(back, 1000, 100, stream) * 1000);
    expect(memcmp(back, data, 1000) == 0, "what was written");
    did_read(&sums, getdelim(&line, &size, 'a', stream));
    expect(strcmp(line, "\nla") == 0, "getdelim");
    free(line);
    expect(fclose(stream) == 0, "fclose");
    stream = fopen64(sums.name, "a");
    sums.opens++;
    did_write(&sums, fprintf(stream, "more"));
    stream = freopen(sums.name, "r", stream);
    sums.opens++;
    did_read(&sums, (long long)fread(back, 1, LARGE, stream));
    did_read(&sums, (long long)fread(back, 1, LARGE, stream));
    expect(feof(stream) != 0, "feof");
    fclose(stream);
    end(&sums);
}

static void a_stream_of_a_descriptor(void)
{
    struct sums sums = begin("fdopen");
    int fd = open(sums.name, O_WRONLY | O_CREAT, 0600);
    did_write(&sums, write(fd, data, 1));
    FILE *stream = fdopen(fd, "w");
    did_write(&sums, (long long)fwrite(data, 1, 12, stream));
    fclose(stream);
    end(&sums);
}

// ---- What is none of the program's files

static void others(void)
{
    int pipes[2];
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size), *system = fopen("/proc/self/status", "r");
    errno = 0;
    expect(fprintf(memory, "%d", 5) == 1 && fflush(memory) == 0 && errno == 0, "memory");
    fclose(memory);
    free(text);
    expect(fgets(back, 10, system) != NULL, "/proc");
    fclose(system);
    expect(pipe(pipes) == 0 && write(pipes[1], data, 3) == 3 && read(pipes[0], back, 3) == 3,
           "pipe");
    close(pipes[0]);
    close(pipes[1]);
    int null = open("/dev/null", O_WRONLY);
    expect(write(null, data, 8) == 8 && close(null) == 0, "/dev/null");
    expect(fflush(NULL) == 0, "fflush of all");
}

static void failures(void)
{
    struct sums sums = begin("failed");
    errno = 0;
    expect(open("/nowhere/at/all", O_RDONLY) == -1 && errno == ENOENT, "no such file");
    expect(fopen("/nowhere/at/all", "r") == NULL && errno == ENOENT, "no such file");
    expect(write(-1, data, 1) == -1 && errno == EBADF, "no descriptor");
    expect(close(9999) == -1 && errno == EBADF, "no descriptor");
    int fd = open(sums.name, O_WRONLY | O_CREAT, 0600);
    errno = 0;
    did_write(&sums, write(fd, data, 1));
    expect(errno == 0, "errno of a call that succeeds");
    expect(read(fd, back, 1) == -1 && errno == EBADF, "read of what is open for writing");
    expect(writev(fd, (const struct iovec *)(uintptr_t)(8 + rank), 2) == -1 && errno == EFAULT,
           "no parts");
    expect(lseek(fd, -1, SEEK_SET) == -1 && errno == EINVAL, "no place");
    close(fd);
    end(&sums);
}

// ---- Surroundings

static int handler_fd;
static volatile ssize_t handler_wrote;

static void on_signal(int number)
{
    (void)number;
    handler_wrote = write(handler_fd, data, 6);
}

static void in_a_handler(void)
{
    struct sums sums = begin("handler");
    handler_fd = open(sums.name, O_WRONLY | O_CREAT, 0600);
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 10; i++) {
        raise(SIGUSR1);
        did_write(&sums, handler_wrote);
    }
    close(handler_fd);
    end(&sums);
}

struct work {
    struct sums sums;
    int fd, is_cancelled;
};

static void *in_thread(void *argument)
{
    struct work *work = argument;
    for (int i = 0; i < 100; i++)
        did_write(&work->sums, write(work->fd, data, 11));
    if (!work->is_cancelled)
        return NULL;
    pthread_cancel(pthread_self());
    expect(write(work->fd, data, 1) < 0, "a cancelled thread must not get here");
    return NULL;
}

static void in_threads(void)
{
    pthread_t threads[N_THREADS];
    struct work works[N_THREADS];
    struct sums sums = begin("threads");
    int fd = open(sums.name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int i = 0; i < N_THREADS; i++) {
        works[i] = (struct work){.fd = fd, .is_cancelled = i == 1};
        expect(pthread_create(&threads[i], NULL, in_thread, &works[i]) == 0, "pthread_create");
    }
    for (int i = 0; i < N_THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        expect((result == PTHREAD_CANCELED) == works[i].is_cancelled, "cancellation");
        sums.writes += works[i].sums.writes;
        sums.written_bytes += works[i].sums.written_bytes;
        sums.small += works[i].sums.small;
    }
    close(fd);
    end(&sums);
}

// What children do is not recorded, and their closes are not the parent's.
static void with_children(void)
{
    struct sums sums = begin("children");
    int fd = open(sums.name, O_WRONLY | O_CREAT, 0600), status;
    pid_t child = fork();
    if (child == 0)
        _exit(write(fd, data, 100) == 100 && close(fd) == 0 ? 0 : 1);
    expect(waitpid(child, &status, 0) == child && status == 0, "fork");
    did_write(&sums, write(fd, data, 21));
    child = vfork();
    if (child == 0) {
        close(fd);
        dup2(2, fd);
        _exit(0);
    }
    expect(waitpid(child, &status, 0) == child && status == 0, "vfork");
    did_write(&sums, write(fd, data, 22));
    expect(system("exit 3") == 3 << 8, "system");
    did_write(&sums, write(fd, data, 23));
    close(fd);
    end(&sums);
}

static void closed_together(void)
{
    struct sums sums = begin("together");
    int fd = open(sums.name, O_WRONLY | O_CREAT, 0600);
    int high = fcntl(fd, F_DUPFD, 400);
    did_write(&sums, write(high, data, 2));
    closefrom(400);
    int pipes[2];
    expect(pipe(pipes) == 0 && dup2(pipes[1], high) == high && write(high, data, 3) == 3, "pipe");
    expect(close_range((unsigned)high, (unsigned)high, 0) == 0, "close_range");
    close(pipes[0]);
    close(pipes[1]);
    close(fd);
    end(&sums);
}

static void within_mpi(void)
{
    struct sums sums = begin("mpi");
    int fd = open(sums.name, O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 20; i++) {
        did_write(&sums, write(fd, data, 31));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    close(fd);
    end(&sums);
}

// ---- Other modes

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void many(const char *path, long n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    long before = 0;
    for (long i = 0; i < n; i++) {
        if (i == n / 10)
            before = peak_kib();
        if (pwrite(fd, data, 1, 0) != 1)
            die("pwrite");
    }
    printf("%ld\n", peak_kib() - before);
    close(fd);
}

static void full(const char *path, long n_bytes)
{
    struct rlimit limit = {(rlim_t)n_bytes, (rlim_t)n_bytes};
    struct sums sums = {.opens = 1};
    snprintf(sums.name, sizeof sums.name, "%s", path);
    signal(SIGXFSZ, SIG_IGN);
    expect(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (ssize_t n; (n = write(fd, data, LARGE)) >= 0;)
        did_write(&sums, n);
    expect(errno == EFBIG, "the end of the room");
    close(fd);
    end(&sums);
}

static void killed(const char *path, long n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (long i = 0; i < n; i++)
        if (write(fd, data, 10) != 10)
            die("write");
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expect(argc >= 3, "arguments");
    memset(data, 'z', sizeof data - 1);
    snprintf(directory, sizeof directory, "%s", argv[2]);
    if (strcmp(argv[1], "all") == 0) {
        by_descriptor();
        all_ways_to_open();
        temporary();
        duplicates();
        by_stream();
        a_stream_of_a_descriptor();
        others();
        failures();
        in_a_handler();
        in_threads();
        with_children();
        closed_together();
        within_mpi();
    } else if (strcmp(argv[1], "many") == 0) {
        many(argv[2], atol(argv[3]));
    } else if (strcmp(argv[1], "full") == 0) {
        full(argv[2], atol(argv[3]));
    } else {
        killed(argv[2], atol(argv[3]));
    }
    MPI_Finalize();
    return 0;
}
