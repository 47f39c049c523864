// SPDX-License-Identifier: BSD-3-Clause
// See chunk_file.h. The OTF2 library believes what its files say: where a file ends without its end
// mark, or a record leads beyond the end of the file, it reads on in the old contents of its
// buffer. It delivers them as records, or takes the same chunk again and again, for ever.
#include "analyzer/trace/chunk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

enum { HEADER_BYTES = 18, LAST_RECORD_AT = 10 };
enum { DEFINITION_WINDOW_BYTES = 64 * 1024 };

// Reads N bytes AT into MEMORY; false when there are not as many.
static bool read_bytes(struct chunk_file *file, uint64_t at, unsigned char *memory, size_t n)
{
    int descriptor = file->descriptor;
    if (descriptor < 0)
        descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    ssize_t n_read = 0;
    size_t n_done = 0;
    while (descriptor >= 0 && n_done < n &&
           (n_read = pread(descriptor, memory + n_done, n - n_done, (off_t)(at + n_done))) > 0)
        n_done += (size_t)n_read;
    if (descriptor < 0 || n_read < 0)
        file->error = errno;
    if (file->descriptor < 0 && descriptor >= 0)
        close(descriptor);
    return n_done == n;
}

// The window from AT on, of N bytes at least, which the chunk has.
static struct window load(struct chunk_file *file, uint64_t at, uint64_t n)
{
    uint64_t n_left = file->chunk_end - at;
    if (n < file->window_bytes)
        n = file->window_bytes < n_left ? file->window_bytes : n_left;
    if (n + WINDOW_PADDING > file->capacity) { // no more: there may be a file for each location
        file->capacity = n + WINDOW_PADDING;
        file->memory = memory_resize(file->memory, file->capacity, 1);
    }
    memset(file->memory + n, 0, WINDOW_PADDING);
    file->window_at = at;
    if (!read_bytes(file, at, file->memory, n))
        return (struct window){0};
    return (struct window){file->memory, file->memory + n};
}

struct window chunk_file_load(struct chunk_file *file, struct window window, uint64_t n)
{
    uint64_t at = file->window_at + (uint64_t)(window.at - file->memory);
    return n < file->chunk_end - at ? load(file, at, n + 1) : (struct window){0};
}

struct window chunk_file_begin(struct chunk_file *file)
{
    uint64_t at = file->chunk_end, n_left = file->size_bytes - at;
    if (file->chunk_bytes <= HEADER_BYTES || n_left < HEADER_BYTES)
        return (struct window){0};
    file->chunk_end = at + (n_left < file->chunk_bytes ? n_left : file->chunk_bytes);
    struct window window = load(file, at, HEADER_BYTES);
    if (!window.at || window.at[0] != CHUNK_HEADER ||
        (window.at[1] != LITTLE_ENDIAN_CHUNK && window.at[1] != BIG_ENDIAN_CHUNK))
        return (struct window){0};
    file->is_big_endian = window.at[1] == BIG_ENDIAN_CHUNK;
    file->last_record = full_number(window.at + LAST_RECORD_AT, file->is_big_endian);
    window.at += HEADER_BYTES;
    return window;
}

struct window chunk_file_go_to(struct chunk_file *file, uint64_t at)
{
    uint64_t begin = at - at % file->chunk_bytes;
    if (at >= file->size_bytes || at - begin < HEADER_BYTES)
        return (struct window){0};
    file->chunk_end = begin;
    return chunk_file_begin(file).at ? load(file, at, 1) : (struct window){0};
}

// Files stay open while this process has half of its descriptors left; others are opened for each
// window.
static bool may_be_kept(int descriptor)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)descriptor < limit.rlim_cur / 2;
}

bool chunk_file_open(struct chunk_file *file, const char *path, uint64_t chunk_bytes,
                     size_t window_bytes)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(descriptor);
        return false;
    }
    if (!may_be_kept(descriptor)) {
        close(descriptor);
        descriptor = -1;
    }
    *file = (struct chunk_file){.path = memory_copy_text(path),
                                .descriptor = descriptor,
                                .chunk_bytes = chunk_bytes,
                                .size_bytes = (uint64_t)status.st_size,
                                .window_bytes = window_bytes};
    return true;
}

void chunk_file_close(struct chunk_file *file)
{
    if (file->path && file->descriptor >= 0)
        close(file->descriptor);
    FREE_ALL(file->path, file->memory);
    *file = (struct chunk_file){0};
}

// Follows the definitions of FILE to the mark that ends them; false without one.
static bool follow_definitions(struct chunk_file *file, definition_record *tell, void *context,
                               struct sound_definitions *sound)
{
    struct window window = chunk_file_begin(file);
    uint64_t n;
    while (window.at) {
        sound->end_at = chunk_file_at(file, window);
        if (!window_have(file, &window, 0))
            return false;
        int kind = *window.at++;
        if (kind == END_OF_FILE)
            return true;
        if (kind == END_OF_CHUNK)
            window = chunk_file_begin(file);
        else if (kind <= CHUNK_HEADER || !window_find_content(file, &window, &n))
            return false;
        else {
            struct content content = {window.at, window.at + n, file->is_big_endian, false};
            if (tell && !tell(context, kind, &content))
                return false;
            window.at += n;
            sound->n_records++;
        }
    }
    return false;
}

bool chunk_file_holds_definitions(const char *path, uint64_t chunk_bytes, definition_record *tell,
                                  void *context, struct sound_definitions *sound)
{
    struct chunk_file file = {0};
    struct sound_definitions so_far = {0};
    bool is_sound = false;
    if (!chunk_file_open(&file, path, chunk_bytes, DEFINITION_WINDOW_BYTES))
        is_sound = access(path, R_OK) != 0; // else it is not a file: a folder
    else
        is_sound = follow_definitions(&file, tell, context, &so_far);
    chunk_file_close(&file);
    if (sound)
        *sound = so_far;
    return is_sound;
}
