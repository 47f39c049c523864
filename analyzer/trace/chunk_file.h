// SPDX-License-Identifier: BSD-3-Clause
// Files of an OTF2 archive, versions 1 to 3, not compressed, read in windows of some KiB. A file is
// a row of chunks of equal size, the last one shorter. A chunk begins with the byte 3, its byte
// order, and the numbers of its first and last record, 8 bytes each. Records follow, up to the byte
// 0, after which the next chunk begins, or 2 at the end of the file. A record is a byte for its
// kind, the length of its content in one byte, or in 8 bytes after the byte 255, and the content.
// No length in the file is believed before it was checked.
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { END_OF_CHUNK = 0, END_OF_FILE = 2, CHUNK_HEADER = 3 }; // where a kind could be
enum { LITTLE_ENDIAN_CHUNK = 0x42, BIG_ENDIAN_CHUNK = 0x23 }; // the byte order
enum { FULL_NUMBER_BYTES = 8, LONG_LENGTH = 255 };

/// The bytes of a chunk that are in memory: the next one, and the end. WINDOW_PADDING bytes after
/// the end can be read, too, and are 0.
struct window {
    const unsigned char *at, *end;
};
enum { WINDOW_PADDING = 64 };

struct chunk_file {
    char *path;     // NULL: not open
    int descriptor; // -1: opened for each window
    uint64_t chunk_bytes, size_bytes;
    size_t window_bytes;
    unsigned char *memory;
    size_t capacity;
    uint64_t window_at, chunk_end; // offsets in the file
    bool is_big_endian;            // the chunk
    uint64_t last_record;          // number of its last record, as its header says
    int error;                     // errno of a read that failed, 0: what is there was read
};

/// Opens PATH, of chunks of CHUNK_BYTES, to be read WINDOW_BYTES at a time. false, and FILE
/// (zeroed) stays as it is, when it cannot be opened.
bool chunk_file_open(struct chunk_file *file, const char *path, uint64_t chunk_bytes,
                     size_t window_bytes);

/// Frees what FILE holds and zeroes it; that may have been done before.
void chunk_file_close(struct chunk_file *file);

/// Begins the first chunk of an opened file, or the one after the current: the window after its
/// header. An empty one (at NULL) when there is no sound chunk.
struct window chunk_file_begin(struct chunk_file *file);

/// Goes on at AT, an offset in a chunk, rather than where it is: the window from there on.
struct window chunk_file_go_to(struct chunk_file *file, uint64_t at);

/// The offset in the file of where WINDOW begins.
static inline uint64_t chunk_file_at(const struct chunk_file *file, struct window window)
{
    return file->window_at + (uint64_t)(window.at - file->memory);
}

/// The slow half of window_have(): an empty window when the chunk has no more.
struct window chunk_file_load(struct chunk_file *file, struct window window, uint64_t n);

/// Whether N bytes follow in the chunk, and one more, as OTF2 wants it; then they are in WINDOW.
static inline bool window_have(struct chunk_file *file, struct window *window, uint64_t n)
{
    if (__builtin_expect(n < (uint64_t)(window->end - window->at), 1))
        return true;
    struct window more = chunk_file_load(file, *window, n);
    if (more.at)
        *window = more;
    return more.at != NULL;
}

/// The 4 bytes AT as a number.
static inline uint32_t half_number(const unsigned char *at, bool is_big_endian)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return is_big_endian ? be32toh(number) : le32toh(number);
}

/// The 8 bytes AT as a number.
static inline uint64_t full_number(const unsigned char *at, bool is_big_endian)
{
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return is_big_endian ? be64toh(number) : le64toh(number);
}

/// Moves WINDOW from the length of a record to its content, which is then in the window; false when
/// the chunk does not hold as much.
static inline bool window_find_content(struct chunk_file *file, struct window *window,
                                       uint64_t *n_bytes)
{
    if (!window_have(file, window, 0))
        return false;
    uint64_t n = *window->at++;
    if (n == LONG_LENGTH) {
        if (!window_have(file, window, FULL_NUMBER_BYTES))
            return false;
        n = full_number(window->at, file->is_big_endian);
        window->at += FULL_NUMBER_BYTES;
    }
    *n_bytes = n;
    return window_have(file, window, n);
}

// --- the content of a record

/// Numbers are taken one after the other, then content_is_whole() says whether they were there.
struct content {
    const unsigned char *at, *end;
    bool is_big_endian;
    bool is_damaged; // a number longer than it may be
};

static inline bool content_is_whole(const struct content *content)
{
    return !content->is_damaged && content->at <= content->end;
}

static inline uint8_t content_byte(struct content *content)
{
    return *content->at++;
}

static inline uint64_t content_full(struct content *content)
{
    uint64_t number = full_number(content->at, content->is_big_endian);
    content->at += FULL_NUMBER_BYTES;
    return number;
}

/// A number of at most MAX_BYTES.
static inline uint64_t content_number(struct content *content, unsigned max_bytes)
{
    unsigned n = content_byte(content);
    if (__builtin_expect(n == 0, 0))
        return 0;
    if (__builtin_expect(n > max_bytes, 0)) {
        content->is_damaged = content->is_damaged || n != LONG_LENGTH;
        return UINT64_MAX;
    }
    uint64_t number = full_number(content->at, content->is_big_endian);
    unsigned n_other_bits = 8 * (FULL_NUMBER_BYTES - n);
    content->at += n;
    return content->is_big_endian ? number >> n_other_bits : number << n_other_bits >> n_other_bits;
}

static inline uint64_t content_64(struct content *content)
{
    return content_number(content, 8);
}

static inline uint32_t content_32(struct content *content)
{
    return (uint32_t)content_number(content, 4);
}

// --- definitions

/// A record of KIND; false: CONTENT is damaged.
typedef bool definition_record(void *context, int kind, struct content *content);

/// How far a definition file is sound: records, and the offset after the last of them (0: not even
/// the header of a chunk).
struct sound_definitions {
    uint64_t n_records, end_at;
};

/// Whether the records of a definition file lead from its begin to its end mark; OTF2 does not read
/// what follows that. TELL (NULL: none) gets them; SOUND (NULL: not wanted) is how far they lead.
/// True for a file that cannot be opened: let OTF2 say why.
bool chunk_file_holds_definitions(const char *path, uint64_t chunk_bytes, definition_record *tell,
                                  void *context, struct sound_definitions *sound);
