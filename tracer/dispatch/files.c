// SPDX-License-Identifier: BSD-3-Clause
// The C library's functions for files, by descriptor (POSIX) and by stream (ISO C). Each one calls
// the definition that follows, and tells the recorder if the file is one of the program's.
//
// Which files these are is decided when they are opened, by the thread and by the caller: the
// thread is in no MPI call, and the caller is the program (caller.c). Only regular files count, and
// none of those in which the system shows itself (/proc, /sys). All else costs a look into a table.
//
// A function of the C library calls its others without passing through here, so each call counts
// once. For the same reason streams have to be followed by their own functions; those for single
// characters are left alone, for a record would take many times as long as they do.
//
// A child of vfork() has the memory of its parent and descriptors of its own, so the table is left
// alone there.
#undef _FORTIFY_SOURCE // here they are defined, not checked
#undef _FILE_OFFSET_BITS
#include "tracer/dispatch/dispatch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#undef fread_unlocked
#undef fwrite_unlocked

// What the C library's headers declare for checked programs only.
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
ssize_t __read_chk(int fd, void *data, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t n, off64_t at, size_t room);
size_t __fread_chk(void *data, size_t room, size_t size, size_t n, FILE *stream);
char *__fgets_chk(char *text, size_t room, int size, FILE *stream);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments);
ssize_t __getdelim(char **line, size_t *size, int end, FILE *stream);

// ---- The definitions that follow. Before this library's constructor has run, a memory allocator
// may need a file, and then nothing can be looked up: the system does what needs no stream.

static int first_openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

static int first_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return first_openat(AT_FDCWD, path, flags, mode);
}

static ssize_t first_read(int fd, void *data, size_t n)
{
    return syscall(SYS_read, fd, data, n);
}

static ssize_t first_write(int fd, const void *data, size_t n)
{
    return syscall(SYS_write, fd, data, n);
}

static off_t first_lseek(int fd, off_t offset, int whence)
{
    return syscall(SYS_lseek, fd, offset, whence);
}

static int first_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

// Begins the definition of an exported function. FIRST stands in for what follows; NULL: that is
// looked up when it is called.
#define EXPORTED_FIRST(type, name, parameters, first)                                              \
    FOLLOWING(name, first)                                                                         \
    EXPORTED type name parameters;                                                                 \
    type name parameters
#define EXPORTED_FUNCTION(type, name, parameters) EXPORTED_FIRST(type, name, parameters, NULL)

// ---- The program's files, by descriptor

enum { N_DESCRIPTORS = 65536 }; // files with higher ones are not recorded

static uint32_t files[N_DESCRIPTORS]; // their numbers, 0: none of the program's
static const struct file_recorder *recorder;
static pid_t process; // whose descriptors they are

static void note_process(void)
{
    process = getpid();
}

void dispatch_begin_files(void)
{
    note_process();
    pthread_atfork(NULL, NULL, note_process);
}

static inline uint32_t file_of(int fd)
{
    return (unsigned)fd < N_DESCRIPTORS ? __atomic_load_n(&files[fd], __ATOMIC_RELAXED) : 0;
}

/// Those of memory and of the program's own functions have a descriptor below 0.
static inline uint32_t file_of_stream(const FILE *stream)
{
    return stream ? file_of(stream->_fileno) : 0;
}

/// Whether the table is that of the calling process.
static bool is_here(void)
{
    return getpid() == process;
}

static void set_file(int fd, uint32_t file)
{
    __atomic_store_n(&files[fd], file, __ATOMIC_RELAXED);
}

/// FD is no file of the program's any longer.
static void forget_file(int fd)
{
    if (file_of(fd) != 0 && is_here())
        set_file(fd, 0);
}

// ---- Opening

/// Not a device, pipe or socket, nor a view of the system's state. The last device with real files
/// is kept.
static bool is_regular(int fd)
{
    static dev_t real_device;
    struct stat file;
    struct statfs system;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    if (file.st_dev == __atomic_load_n(&real_device, __ATOMIC_RELAXED))
        return true;
    if (fstatfs(fd, &system) != 0)
        return false;
    switch ((unsigned long)system.f_type) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
        return false;
    default:
        __atomic_store_n(&real_device, file.st_dev, __ATOMIC_RELAXED);
        return true;
    }
}

/// An open begins. enter_ns is 0 if it is none of the program's.
static struct file_opening begin_opening(enum file_call call, const void *site)
{
    struct file_opening opening = {.call = call, .site = site};
    const struct recorder *attached = dispatch_recorder();
    if (attached && attached->files && (opening.enter_ns = attached->files->now_ns()) != 0) {
        recorder = attached->files;
        int error = errno;
        if (dispatch_is_foreign(site))
            opening.enter_ns = 0;
        errno = error;
    }
    return opening;
}

/// The name, as far as it is known, of what PATH is in FOLDER, in TEXT.
static const char *name_in(int folder, const char *path, int flags, char *text, size_t size)
{
    char link[64];
    ssize_t n = 0;
    bool has_name = (flags & O_TMPFILE) != O_TMPFILE;
    bool is_elsewhere = folder != AT_FDCWD && path[0] != '/';
    if (has_name && !is_elsewhere)
        return path;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    if (is_elsewhere && (n = readlink(link, text, size)) < 0)
        n = 0;
    if (n == (ssize_t)size)
        return path;
    snprintf(text + n, size - (size_t)n, "%s%s%s", n > 0 ? "/" : "", path,
             has_name ? "" : "/(unnamed)");
    return text;
}

/// It returned FD, which it returns.
static int opened(struct file_opening *opening, int fd, int folder, const char *path, int flags)
{
    char text[4096];
    int error = errno;
    if (fd < 0)
        return fd;
    if (opening->enter_ns != 0 && fd < N_DESCRIPTORS && is_regular(fd) && is_here()) {
        opening->name = name_in(folder, path, flags, text, sizeof text);
        opening->flags = flags;
        set_file(fd, recorder->opened(opening));
    } else {
        forget_file(fd);
    }
    errno = error;
    return fd;
}

static inline bool has_mode(int flags)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

// A function that opens PATH in FOLDER with FLAGS, and perhaps a mode after these.
#define OPEN(name, parameters, arguments, folder, first)                                           \
    EXPORTED_FIRST(int, name, parameters, first)                                                   \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        if (has_mode(flags))                                                                       \
            mode = va_arg(list, mode_t);                                                           \
        va_end(list);                                                                              \
        struct file_opening opening = begin_opening(FILE_open, CALLER);                            \
        return opened(&opening, NEXT(name) arguments, folder, path, flags);                        \
    }
OPEN(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD, first_open)
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD, first_open)
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder,
     first_openat)
OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder,
     first_openat)

#define OPEN_PLAIN(call, name, parameters, arguments, folder, flags)                               \
    EXPORTED_FUNCTION(int, name, parameters)                                                       \
    {                                                                                              \
        struct file_opening opening = begin_opening(FILE_##call, CALLER);                          \
        return opened(&opening, NEXT(name) arguments, folder, path, flags);                        \
    }
OPEN_PLAIN(open, __open_2, (const char *path, int flags), (path, flags), AT_FDCWD, flags)
OPEN_PLAIN(open, __open64_2, (const char *path, int flags), (path, flags), AT_FDCWD, flags)
OPEN_PLAIN(open, __openat_2, (int folder, const char *path, int flags), (folder, path, flags),
           folder, flags)
OPEN_PLAIN(open, __openat64_2, (int folder, const char *path, int flags), (folder, path, flags),
           folder, flags)
OPEN_PLAIN(creat, creat, (const char *path, mode_t mode), (path, mode), AT_FDCWD,
           O_WRONLY | O_CREAT | O_TRUNC)
OPEN_PLAIN(creat, creat64, (const char *path, mode_t mode), (path, mode), AT_FDCWD,
           O_WRONLY | O_CREAT | O_TRUNC)
OPEN_PLAIN(open, mkstemp, (char *path), (path), AT_FDCWD, O_RDWR | O_CREAT | O_EXCL)
OPEN_PLAIN(open, mkstemp64, (char *path), (path), AT_FDCWD, O_RDWR | O_CREAT | O_EXCL)

/// MODE of fopen() as flags of open().
static int flags_of(const char *mode)
{
    int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT;
    flags |= mode[0] == 'w' ? O_TRUNC : mode[0] == 'a' ? O_APPEND : 0;
    for (const char *c = mode + 1; *c != '\0' && *c != ','; c++) {
        if (*c == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        flags |= *c == 'x' ? O_EXCL : *c == 'e' ? O_CLOEXEC : 0;
    }
    return flags;
}

static FILE *stream_opened(struct file_opening *opening, FILE *stream, const char *path,
                           const char *mode)
{
    if (stream)
        opened(opening, stream->_fileno, AT_FDCWD, path, flags_of(mode));
    return stream;
}

#define FOPEN(name)                                                                                \
    EXPORTED_FUNCTION(FILE *, name, (const char *path, const char *mode))                          \
    {                                                                                              \
        struct file_opening opening = begin_opening(FILE_fopen, CALLER);                           \
        return stream_opened(&opening, NEXT(name)(path, mode), path, mode);                        \
    }
FOPEN(fopen)
FOPEN(fopen64)

// Without a path the mode of the same file changes.
#define FREOPEN(name)                                                                              \
    EXPORTED_FUNCTION(FILE *, name, (const char *path, const char *mode, FILE *stream))            \
    {                                                                                              \
        if (!path)                                                                                 \
            return NEXT(name)(path, mode, stream);                                                 \
        struct file_opening opening = begin_opening(FILE_freopen, CALLER);                         \
        forget_file(stream->_fileno);                                                              \
        return stream_opened(&opening, NEXT(name)(path, mode, stream), path, mode);                \
    }
FREOPEN(freopen)
FREOPEN(freopen64)

/// OLD was duplicated to FD, if that is not below 0.
static int duplicated(struct file_opening *opening, int old, int fd)
{
    uint32_t file = file_of(old);
    int error = errno;
    if (fd < 0 || fd == old)
        return fd;
    if (file != 0 && fd < N_DESCRIPTORS && is_here()) {
        opening->file = file;
        if (opening->enter_ns != 0)
            recorder->opened(opening);
        set_file(fd, file);
    } else {
        forget_file(fd);
    }
    errno = error;
    return fd;
}

#define DUPLICATE(name, parameters, arguments, fd)                                                 \
    EXPORTED_FUNCTION(int, name, parameters)                                                       \
    {                                                                                              \
        struct file_opening opening = {0};                                                         \
        if (file_of(fd) != 0)                                                                      \
            opening = begin_opening(FILE_dup, CALLER);                                             \
        return duplicated(&opening, fd, NEXT(name) arguments);                                     \
    }
DUPLICATE(dup, (int fd), (fd), fd)
DUPLICATE(dup2, (int fd, int to), (fd, to), fd)
DUPLICATE(dup3, (int fd, int to, int flags), (fd, to, flags), fd)

#define FCNTL(name)                                                                                \
    EXPORTED_FUNCTION(int, name, (int fd, int command, ...))                                       \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, command);                                                                   \
        void *argument = va_arg(list, void *);                                                     \
        va_end(list);                                                                              \
        if (command != F_DUPFD && command != F_DUPFD_CLOEXEC)                                      \
            return NEXT(name)(fd, command, argument);                                              \
        struct file_opening opening = {0};                                                         \
        if (file_of(fd) != 0)                                                                      \
            opening = begin_opening(FILE_dup, CALLER);                                             \
        return duplicated(&opening, fd, NEXT(name)(fd, command, argument));                        \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

// ---- Closing. The table is cleared before: afterwards another thread may have got the descriptor.

#define CLOSE(name, parameters, argument, fd, first)                                               \
    EXPORTED_FIRST(int, name, parameters, first)                                                   \
    {                                                                                              \
        int descriptor = fd;                                                                       \
        uint32_t file = file_of(descriptor);                                                       \
        if (__builtin_expect(file == 0, 1))                                                        \
            return NEXT(name)(argument);                                                           \
        bool is_recorded = false;                                                                  \
        if (is_here()) {                                                                           \
            set_file(descriptor, 0);                                                               \
            is_recorded = recorder->enter(FILE_##name, file, 0, CALLER);                           \
        }                                                                                          \
        int result = NEXT(name)(argument);                                                         \
        if (is_recorded)                                                                           \
            recorder->leave(FILE_##name, file, 0);                                                 \
        return result;                                                                             \
    }
CLOSE(close, (int fd), fd, fd, first_close)
CLOSE(fclose, (FILE * stream), stream, stream->_fileno, NULL)

static void forget(unsigned first, unsigned last)
{
    int error = errno;
    for (unsigned fd = first; fd <= last && fd < (unsigned)N_DESCRIPTORS; fd++)
        forget_file((int)fd);
    errno = error;
}

EXPORTED_FUNCTION(int, close_range, (unsigned first, unsigned last, int flags))
{
    if ((flags & CLOSE_RANGE_CLOEXEC) == 0)
        forget(first, last);
    return NEXT(close_range)(first, last, flags);
}

EXPORTED_FUNCTION(void, closefrom, (int first))
{
    forget(first < 0 ? 0 : (unsigned)first, UINT32_MAX);
    NEXT(closefrom)(first);
}

// ---- Reading, writing, syncing

// A function that is called as CALL and may move `asked` bytes; it has moved `moved`, where it
// returned `result`.
#define TRANSFER_FIRST(call, type, name, first, parameters, arguments, file_number, asked, moved)  \
    EXPORTED_FIRST(type, name, parameters, first)                                                  \
    {                                                                                              \
        uint32_t file = file_number;                                                               \
        if (__builtin_expect(file == 0, 1) || !recorder->enter(FILE_##call, file, asked, CALLER))  \
            return NEXT(name) arguments;                                                           \
        type result = NEXT(name) arguments;                                                        \
        recorder->leave(FILE_##call, file, moved);                                                 \
        return result;                                                                             \
    }
#define TRANSFER(call, type, name, ...) TRANSFER_FIRST(call, type, name, NULL, __VA_ARGS__)

// By descriptor: -1 is a failure, as is FILE_FAILED.
#define BY_DESCRIPTOR(call, name, parameters, arguments, asked)                                    \
    TRANSFER(call, ssize_t, name, parameters, arguments, file_of(fd), asked, (uint64_t)result)
TRANSFER_FIRST(read, ssize_t, read, first_read, (int fd, void *data, size_t n), (fd, data, n),
               file_of(fd), n, (uint64_t)result)
BY_DESCRIPTOR(read, __read_chk, (int fd, void *data, size_t n, size_t room), (fd, data, n, room), n)
BY_DESCRIPTOR(pread, pread, (int fd, void *data, size_t n, off_t at), (fd, data, n, at), n)
BY_DESCRIPTOR(pread, pread64, (int fd, void *data, size_t n, off64_t at), (fd, data, n, at), n)
BY_DESCRIPTOR(pread, __pread_chk, (int fd, void *data, size_t n, off_t at, size_t room),
              (fd, data, n, at, room), n)
BY_DESCRIPTOR(pread, __pread64_chk, (int fd, void *data, size_t n, off64_t at, size_t room),
              (fd, data, n, at, room), n)
TRANSFER_FIRST(write, ssize_t, write, first_write, (int fd, const void *data, size_t n),
               (fd, data, n), file_of(fd), n, (uint64_t)result)
BY_DESCRIPTOR(pwrite, pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n, at), n)
BY_DESCRIPTOR(pwrite, pwrite64, (int fd, const void *data, size_t n, off64_t at), (fd, data, n, at),
              n)

// The program may give an address of pieces that only the system can find to be wrong.
#define OF_PIECES(call, name, parameters, arguments)                                               \
    BY_DESCRIPTOR(call, name, parameters, arguments, FILE_FAILED)
OF_PIECES(readv, readv, (int fd, const struct iovec *pieces, int n), (fd, pieces, n))
OF_PIECES(writev, writev, (int fd, const struct iovec *pieces, int n), (fd, pieces, n))
OF_PIECES(preadv, preadv, (int fd, const struct iovec *pieces, int n, off_t at),
          (fd, pieces, n, at))
OF_PIECES(preadv, preadv64, (int fd, const struct iovec *pieces, int n, off64_t at),
          (fd, pieces, n, at))
OF_PIECES(pwritev, pwritev, (int fd, const struct iovec *pieces, int n, off_t at),
          (fd, pieces, n, at))
OF_PIECES(pwritev, pwritev64, (int fd, const struct iovec *pieces, int n, off64_t at),
          (fd, pieces, n, at))

// By stream. What ends with the file has moved nothing, and counts as a failure.
#define OF_ITEMS(call, name, parameters, arguments)                                                \
    TRANSFER(call, size_t, name, parameters, arguments, file_of_stream(stream), size *n,           \
             result *size)
OF_ITEMS(fread, fread, (void *data, size_t size, size_t n, FILE *stream), (data, size, n, stream))
OF_ITEMS(fread, fread_unlocked, (void *data, size_t size, size_t n, FILE *stream),
         (data, size, n, stream))
OF_ITEMS(fread, __fread_chk, (void *data, size_t room, size_t size, size_t n, FILE *stream),
         (data, room, size, n, stream))
OF_ITEMS(fwrite, fwrite, (const void *data, size_t size, size_t n, FILE *stream),
         (data, size, n, stream))
OF_ITEMS(fwrite, fwrite_unlocked, (const void *data, size_t size, size_t n, FILE *stream),
         (data, size, n, stream))

TRANSFER(fgets, char *, fgets, (char *text, int size, FILE *stream), (text, size, stream),
         file_of_stream(stream), (uint64_t)size, result ? strlen(result) : FILE_FAILED)
TRANSFER(fgets, char *, __fgets_chk, (char *text, size_t room, int size, FILE *stream),
         (text, room, size, stream), file_of_stream(stream), (uint64_t)size,
         result ? strlen(result) : FILE_FAILED)
TRANSFER(getline, ssize_t, getline, (char **line, size_t *size, FILE *stream), (line, size, stream),
         file_of_stream(stream), FILE_FAILED, (uint64_t)result)
TRANSFER(getline, ssize_t, getdelim, (char **line, size_t *size, int end, FILE *stream),
         (line, size, end, stream), file_of_stream(stream), FILE_FAILED, (uint64_t)result)
TRANSFER(getline, ssize_t, __getdelim, (char **line, size_t *size, int end, FILE *stream),
         (line, size, end, stream), file_of_stream(stream), FILE_FAILED, (uint64_t)result)
TRANSFER(fputs, int, fputs, (const char *text, FILE *stream), (text, stream),
         file_of_stream(stream), strlen(text), result >= 0 ? strlen(text) : FILE_FAILED)
TRANSFER(fprintf, int, vfprintf, (FILE * stream, const char *format, va_list values),
         (stream, format, values), file_of_stream(stream), FILE_FAILED,
         result >= 0 ? (uint64_t)result : FILE_FAILED)
TRANSFER(fprintf, int, __vfprintf_chk,
         (FILE * stream, int flag, const char *format, va_list values),
         (stream, flag, format, values), file_of_stream(stream), FILE_FAILED,
         result >= 0 ? (uint64_t)result : FILE_FAILED)

#define FPRINTF(name, parameters, next, arguments)                                                 \
    EXPORTED int name parameters;                                                                  \
    int name parameters                                                                            \
    {                                                                                              \
        uint32_t file = file_of_stream(stream);                                                    \
        bool is_recorded = file != 0 && recorder->enter(FILE_fprintf, file, FILE_FAILED, CALLER);  \
        va_list values;                                                                            \
        va_start(values, format);                                                                  \
        int result = NEXT(next) arguments;                                                         \
        va_end(values);                                                                            \
        if (is_recorded)                                                                           \
            recorder->leave(FILE_fprintf, file, result >= 0 ? (uint64_t)result : FILE_FAILED);     \
        return result;                                                                             \
    }
FPRINTF(fprintf, (FILE * stream, const char *format, ...), vfprintf, (stream, format, values))
FPRINTF(__fprintf_chk, (FILE * stream, int flag, const char *format, ...), __vfprintf_chk,
        (stream, flag, format, values))

#define SYNC(name, parameters, argument, file_number)                                              \
    TRANSFER(name, int, name, parameters, (argument), file_number, 0, result == 0 ? 0 : FILE_FAILED)
SYNC(fsync, (int fd), fd, file_of(fd))
SYNC(fdatasync, (int fd), fd, file_of(fd))
SYNC(fflush, (FILE * stream), stream, file_of_stream(stream))

#define SEEK(name, offset_type)                                                                    \
    EXPORTED_FIRST(offset_type, name, (int fd, offset_type offset, int whence), first_lseek)       \
    {                                                                                              \
        uint32_t file = file_of(fd);                                                               \
        uint64_t enter_ns = file != 0 ? recorder->now_ns() : 0;                                    \
        offset_type result = NEXT(name)(fd, offset, whence);                                       \
        if (enter_ns != 0 && result >= 0)                                                          \
            recorder->sought(                                                                      \
                &(struct file_seek){file, whence, offset, (uint64_t)result, CALLER, enter_ns});    \
        return result;                                                                             \
    }
SEEK(lseek, off_t)
SEEK(lseek64, off64_t)
