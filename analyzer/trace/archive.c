// SPDX-License-Identifier: BSD-3-Clause
// See archive.h. Of the library's messages the first one is kept: it is the innermost one, later
// ones only say that something above failed, too.
#include "analyzer/trace/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/chunk_file.h"

static int is_anchor_name(const struct dirent *entry)
{
    return fnmatch("*.otf2", entry->d_name, 0) == 0;
}

static char *find_in_directory(const char *directory, struct error *err)
{
    SCOPED struct dirent **entries = NULL;
    int n = scandir(directory, &entries, is_anchor_name, alphasort);
    if (n < 0) {
        error_set(err, "cannot read the directory '%s': %s", directory, strerror(errno));
        return NULL;
    }
    char *path = NULL;
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    if (n == 1)
        path = memory_format("%s%s%s", directory, slash, entries[0]->d_name);
    else if (n == 0)
        error_set(err, "no archive in the directory '%s': it holds no *.otf2 file", directory);
    else
        error_set(err, "%d archives in the directory '%s' (%s, %s%s): name one of them", n,
                  directory, entries[0]->d_name, entries[1]->d_name, n > 2 ? ", ..." : "");
    for (int i = 0; i < n; i++)
        free(entries[i]);
    return path;
}

char *anchor_find(const char *path, struct error *err)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        error_set(err, "cannot open '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (S_ISDIR(status.st_mode))
        return find_in_directory(path, err);
    if (!S_ISREG(status.st_mode)) {
        error_set(err, "'%s' is neither a file nor a directory", path);
        return NULL;
    }
    if (status.st_size == 0) {
        error_set(err, "'%s' is not an OTF2 archive: it is empty", path);
        return NULL;
    }
    if (fnmatch("*.otf2", path, 0) != 0) { // OTF2 would not open it either
        error_set(err, "'%s' is not an OTF2 archive: the name of its anchor file ends in .otf2",
                  path);
        return NULL;
    }
    return memory_copy_text(path);
}

char *archive_file_path(const char *anchor_path, const char *suffix, ...)
{
    va_list args;
    va_start(args, suffix);
    char text[64];
    vsnprintf(text, sizeof text, suffix, args);
    va_end(args);
    size_t length = strlen(anchor_path);
    if (text_ends_in(anchor_path, ".otf2"))
        length -= 5;
    return memory_format("%.*s%s", (int)length, anchor_path, text);
}

// --- the library: its messages, and the anchor file

enum { CAUSE_BYTES = 256 };

static _Thread_local char first_cause[CAUSE_BYTES];
static _Thread_local OTF2_ErrorCode storage_failure;
static _Thread_local jmp_buf open_escape; // valid while is_opening
static _Thread_local bool is_opening;

// The library's words for a damaged file would tell a user little.
static const char *describe(OTF2_ErrorCode code)
{
    return code == OTF2_ERROR_INVALID_DATA ? "damaged, or it ends too early"
                                           : OTF2_Error_GetDescription(code);
}

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
keep_message(void *user_data, const char *file, uint64_t line, const char *function,
             OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)user_data, (void)file, (void)line;
    if (code == OTF2_ERROR_ENOSPC || code == OTF2_ERROR_EIO || code == OTF2_ERROR_EFBIG)
        storage_failure = code;
    if (*first_cause)
        goto out;
    const char *description = describe(code);
    int length = snprintf(first_cause, sizeof first_cause, "%s", description);
    if (length > 0 && (size_t)length < sizeof first_cause - 2 && format && *format) {
        memcpy(first_cause + length, ": ", 3);
        vsnprintf(first_cause + length + 2, sizeof first_cause - (size_t)length - 2, format, args);
    }
    for (char *c = first_cause; *c; c++)
        if (*c == '\n')
            *c = ' ';
out:
    if (is_opening && strcmp(function, "OTF2_AnchorFile_Load") == 0)
        longjmp(open_escape, 1);
    return code;
}

void otf2_error_begin(void)
{
    OTF2_Error_RegisterCallback(keep_message, NULL);
    *first_cause = '\0';
}

const char *otf2_storage_failure(void)
{
    OTF2_ErrorCode code = storage_failure;
    storage_failure = OTF2_SUCCESS;
    return code == OTF2_SUCCESS ? NULL : OTF2_Error_GetDescription(code);
}

const char *otf2_error_cause(OTF2_ErrorCode code)
{
    return *first_cause ? first_cause : describe(code);
}

// Skips N bytes, or N texts that each end with a 0 byte; false at the end of the file.
static bool skip_bytes(FILE *file, int n)
{
    while (n > 0 && getc(file) != EOF)
        n--;
    return n == 0;
}

static bool skip_texts(FILE *file, int n)
{
    int c = 0;
    while (n > 0 && (c = getc(file)) != EOF)
        n -= c == '\0';
    return n == 0;
}

// The number of properties comes after: the byte 3 and the byte order; "OTF2"; the file's format (1
// byte; properties since 2); versions (4), chunk sizes (16), substrate and compression (2), numbers
// of locations and definitions (16); machine, creator, description.
static bool find_property_number(FILE *file, uint32_t *number)
{
    enum { FIXED_BYTES = 38 };
    unsigned char bytes[sizeof *number];
    bool is_big_endian = getc(file) != EOF && getc(file) == BIG_ENDIAN_CHUNK;
    int format = skip_texts(file, 1) ? getc(file) : EOF;
    if (format <= 1 || !skip_bytes(file, FIXED_BYTES) || !skip_texts(file, 3) ||
        fread(bytes, sizeof bytes, 1, file) != 1)
        return false;
    *number = half_number(bytes, is_big_endian);
    return true;
}

// The library allocates 16 bytes for each property that the anchor file announces before it reads
// the first, and writes beyond the memory where twice their number exceeds 32 bits. A property has
// two texts, of a byte each at least.
static bool announces_too_much(const char *anchor_path)
{
    SCOPED_FILE FILE *file = fopen(anchor_path, "rbe");
    if (!file)
        return false; // the library says why
    struct stat status;
    uint32_t n_properties;
    return find_property_number(file, &n_properties) && fstat(fileno(file), &status) == 0 &&
           n_properties > (status.st_size - ftell(file)) / 2;
}

OTF2_Reader *otf2_open(const char *anchor_path)
{
    if (announces_too_much(anchor_path)) {
        snprintf(first_cause, sizeof first_cause, "%s", describe(OTF2_ERROR_INVALID_DATA));
        return NULL;
    }
    if (setjmp(open_escape) != 0) {
        is_opening = false;
        return NULL;
    }
    is_opening = true;
    OTF2_Reader *reader = OTF2_Reader_Open(anchor_path);
    is_opening = false;
    return reader;
}
