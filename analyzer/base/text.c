// SPDX-License-Identifier: BSD-3-Clause
// UTF-8 by the table of well-formed sequences (Unicode 15, table 3-7), independent of the locale.
// Spelling by edit distance with insertion, deletion, substitution and the swap of neighbours
// (optimal string alignment, three rolling rows), in bytes.
#include "analyzer/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/// The second byte's range keeps overlong forms, surrogates and code points beyond U+10FFFF out.
size_t utf8_sequence(const char *bytes)
{
    const unsigned char *text = (const unsigned char *)bytes;
    unsigned char lead = text[0], low = 0x80, high = 0xBF;
    size_t length;
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        length = 2;
    else if (lead >= 0xE0 && lead <= 0xEF)
        length = 3;
    else if (lead >= 0xF0 && lead <= 0xF4)
        length = 4;
    else
        return 0;
    if (lead == 0xE0)
        low = 0xA0;
    else if (lead == 0xED)
        high = 0x9F;
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F;
    if (text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (!is_continuation(text[i]))
            return 0;
    return length;
}

bool utf8_is_control(const char *text, size_t length)
{
    unsigned char lead = (unsigned char)text[0];
    if (length == 1)
        return lead < 0x20 || lead == 0x7F;
    return length == 2 && lead == 0xC2 && (unsigned char)text[1] < 0xA0;
}

char *utf8_clean(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const char *at = text ? text : "";
    char *clean = memory_new(3 * strlen(at) + 1);
    char *end = clean;
    while (*at) {
        size_t length = utf8_sequence(at);
        if (length == 0) {
            memcpy(end, replacement, 3);
            end += 3;
            at++;
        } else if (utf8_is_control(at, length)) {
            *end++ = '?';
            at += length;
        } else {
            memcpy(end, at, length);
            end += length;
            at += length;
        }
    }
    *end = '\0';
    return clean;
}

size_t utf8_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += !is_continuation((unsigned char)*text);
    return width;
}

size_t utf8_prefix(const char *text, size_t width)
{
    size_t bytes = 0;
    while (text[bytes]) {
        if (!is_continuation((unsigned char)text[bytes]) && width-- == 0)
            break;
        bytes++;
    }
    return bytes;
}

char *utf8_shortened(const char *text, size_t columns)
{
    size_t length = utf8_width(text);
    if (length <= columns)
        return memory_copy_text(text);
    size_t kept = columns - 3, head = kept / 3;
    size_t tail = utf8_prefix(text, length - (kept - head));
    return memory_format("%.*s...%s", (int)utf8_prefix(text, head), text, text + tail);
}

/// Bytes beyond ASCII are letters of some language.
static bool is_plain(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_./:@%+,=-", *c) && (unsigned char)*c < 0x80)
            return false;
    return *text != '\0';
}

char *shell_word(const char *text)
{
    if (is_plain(text))
        return memory_copy_text(text);
    char *word = memory_new(4 * strlen(text) + sizeof "''"), *to = word;
    *to++ = '\'';
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            to += strlen(strcpy(to, "'\\'"));
        *to++ = *c;
    }
    strcpy(to, "'");
    return word;
}

char *shell_path(const char *path)
{
    SCOPED char *whole = memory_format("%s%s", *path == '-' ? "./" : "", path);
    return shell_word(whole);
}

const char *path_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? memory_format("%.*s", (int)(slash - path + 1), path) : memory_copy_text(".");
}

bool path_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool text_ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), n = strlen(ending);
    return length > n && strcmp(text + length - n, ending) == 0;
}

int text_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum { MAX_ID_BYTES = 64, MAX_FILE_BYTES = 16 << 20 };
enum { MAX_WORD_BYTES = 63, MAX_SHOWN = 4, MOST_SLIPS = 3 };

static size_t distance(const char *a, const char *b)
{
    size_t rows[3][MAX_WORD_BYTES + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    size_t a_length = strlen(a), b_length = strlen(b);
    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t substituted = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = smaller(substituted, smaller(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b_length];
}

static const char *completed(const char *word, const char *const *candidates, size_t count)
{
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(candidates[i], word, strlen(word)) != 0)
            continue;
        if (found)
            return NULL;
        found = candidates[i];
    }
    return found;
}

const char *spelling_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    if (length == 0 || length > MAX_WORD_BYTES)
        return NULL;
    const char *nearest = NULL;
    size_t least = length < 6 ? 1 : smaller(length / 3, MOST_SLIPS);
    for (size_t i = 0; i < count; i++) {
        if (strlen(candidates[i]) > MAX_WORD_BYTES)
            continue;
        size_t d = distance(word, candidates[i]);
        if (d < least || (d == least && !nearest)) {
            least = d;
            nearest = candidates[i];
        }
    }
    return nearest ? nearest : completed(word, candidates, count);
}

struct spelling_hint spelling_hint(const char *word, const char *const *candidates, size_t count,
                                   const char *format, const char *otherwise)
{
    struct spelling_hint hint;
    const char *nearest = spelling_nearest(word, candidates, count);
    snprintf(hint.text, sizeof hint.text, nearest ? format : "%s", nearest ? nearest : otherwise);
    return hint;
}

/// The words, each with BEFORE in front of it.
static char *listed(const char *before, const char *const *words, size_t n)
{
    char *list = memory_copy_text("");
    for (size_t i = 0; i < n; i++)
        text_append(&list, "%s%s%s", i ? ", " : "", before, words[i]);
    return list;
}

char *spelling_list(const char *const *words, size_t n)
{
    return listed("", words, n);
}

char *spelling_some(const char *before, const char *const *words, size_t n)
{
    SCOPED char *list = listed(before, words, n < MAX_SHOWN ? n : MAX_SHOWN);
    return memory_format("%s%s%s",
                         n == 0   ? ""
                         : n == 1 ? "; there is "
                                  : "; there are ",
                         list, n > MAX_SHOWN ? ", ..." : "");
}

size_t words_count(char *const *words)
{
    size_t n = 0;
    while (words && words[n])
        n++;
    return n;
}

void words_add(char ***words, const char *word)
{
    size_t n = words_count(*words);
    *words = memory_resize(*words, n + 2, sizeof **words);
    (*words)[n] = memory_copy_text(word);
    (*words)[n + 1] = NULL;
}

char **words_copy(char *const *words)
{
    char **copy = memory_zeroed(1, sizeof *copy);
    for (size_t i = 0; words[i]; i++)
        words_add(&copy, words[i]);
    return copy;
}

void words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

void text_append(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    SCOPED char *more = memory_format_list(format, arguments);
    va_end(arguments);
    size_t n = *text ? strlen(*text) : 0;
    *text = memory_resize(*text, n + strlen(more) + 1, 1);
    strcpy(*text + n, more);
}

char *text_trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

char *text_single_spaced(const char *text, bool keep_paragraphs)
{
    char *copy = memory_new(2 * strlen(text) + 1);
    char *end = copy;
    while (*text) {
        int n_lines = 0;
        bool has_space = false;
        for (; is_space(*text); text++) {
            has_space = true;
            n_lines += *text == '\n';
        }
        if (has_space && *text && end > copy) {
            if (keep_paragraphs && n_lines > 1)
                *end++ = '\n', *end++ = '\n';
            else
                *end++ = ' ';
        }
        while (*text && !is_space(*text))
            *end++ = *text++;
    }
    *end = '\0';
    return copy;
}

bool text_is_id(const char *id)
{
    size_t length = strlen(id);
    if (!length || length > MAX_ID_BYTES || id[0] == '-' || id[length - 1] == '-')
        return false;
    for (const char *c = id; *c; c++) {
        bool is_word = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
        if (!is_word && (*c != '-' || c[1] == '-'))
            return false;
    }
    return true;
}

char *text_of_file(const char *path, const char **why)
{
    SCOPED_FILE FILE *file = fopen(path, "re");
    struct stat status;
    char *text = NULL;
    size_t capacity = 0;
    ssize_t n = -1;
    bool is_large = file && fstat(fileno(file), &status) == 0 && status.st_size > MAX_FILE_BYTES;
    if (file && !is_large)
        n = getdelim(&text, &capacity, '\0', file);
    *why = is_large                              ? "it is larger than 16 MiB"
           : !file || ferror(file)               ? strerror(errno)
           : n >= 0 && (size_t)n != strlen(text) ? "it is no text"
                                                 : NULL;
    if (*why || n < 0) {
        free(text);
        text = *why ? NULL : memory_copy_text("");
    }
    return text;
}

// ---- paragraphs

/// Length of the first word of TEXT; a number keeps its unit, and a "<" before it.
static size_t unbroken_length(const char *text)
{
    static const char *const units[] = {"%", "s", "ms", "us", "ns"};
    size_t before = strncmp(text, "< ", 2) == 0 ? 2 : 0;
    const char *word = text + before;
    size_t length = before + strcspn(word, " ");
    const char *digit = word + (word[0] == '(');
    if (text[length] != ' ' || *digit < '0' || *digit > '9')
        return length;
    const char *next = text + length + 1;
    size_t unit_length = strcspn(next, " ,.;:)");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strlen(units[i]) == unit_length && !strncmp(units[i], next, unit_length))
            return length + 1 + strcspn(next, " ");
    return length;
}

void print_paragraph(const char *whole, size_t column, size_t indent, size_t width, FILE *stream)
{
    SCOPED char *shortened = utf8_shortened(whole, PARAGRAPH_COLUMNS);
    const char *text = shortened;
    bool at_line_start = true;
    while (*text) {
        size_t length = unbroken_length(text);
        SCOPED char *unbroken = memory_format("%.*s", (int)length, text);
        SCOPED char *word = utf8_shortened(unbroken, CELL_COLUMNS);
        size_t word_width = utf8_width(word);
        if (!at_line_start && column + 1 + word_width > width) {
            fputc('\n', stream);
            fprintf(stream, "%*s", (int)indent, "");
            column = indent;
            at_line_start = true;
        }
        fprintf(stream, "%s%s", at_line_start ? "" : " ", word);
        column += word_width + !at_line_start;
        at_line_start = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

// ---- numbers

struct quantity quantity_format(const char *format, ...)
{
    struct quantity q;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(q.text, sizeof q.text, format, arguments);
    va_end(arguments);
    return q;
}

struct quantity quantity_number(uint64_t number)
{
    return quantity_format("%" PRIu64, number);
}

struct quantity quantity_index(uint32_t index)
{
    return index == UINT32_MAX ? quantity_format("-") : quantity_number(index);
}

struct time_unit time_unit_for(uint64_t run_ns)
{
    if (run_ns >= UINT64_C(10000000000))
        return (struct time_unit){"s", 1e9, 3};
    if (run_ns >= 1000000)
        return (struct time_unit){"ms", 1e6, 3};
    return (struct time_unit){"us", 1e3, 3};
}

struct quantity quantity_in(int64_t time_ns, struct time_unit unit)
{
    struct quantity q = quantity_format("%.*f", unit.decimals, (double)time_ns / unit.ns);
    if (q.text[0] == '-' && q.text[strspn(q.text, "-0.,")] == '\0') // nothing is left of it
        memmove(q.text, q.text + 1, strlen(q.text));
    return q;
}

struct quantity quantity_time(uint64_t time_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double value = (double)time_ns / units[i].ns;
        int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
        if (value >= 0.99995)
            return quantity_format("%.*f %s", decimals, value, units[i].name);
    }
    return quantity_format("%" PRIu64 " ns", time_ns);
}

struct quantity quantity_signed_time(int64_t time_ns)
{
    return time_ns < 0 ? quantity_format("-%s", quantity_time(-(uint64_t)time_ns).text)
                       : quantity_time((uint64_t)time_ns);
}

struct quantity quantity_mean_time(double time_ns)
{
    if (isnan(time_ns))
        return (struct quantity){"-"};
    return quantity_signed_time(llround(time_ns));
}

struct quantity quantity_share(double share)
{
    if (isnan(share))
        return (struct quantity){"-"};
    if (share > 0 && share < 0.0005)
        return (struct quantity){"< 0.1 %"};
    return quantity_format("%.1f %%", 100 * share);
}

struct quantity quantity_part(double part, double whole)
{
    return quantity_share(whole > 0 ? part / whole : NAN);
}

struct quantity quantity_size(uint64_t size_bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)size_bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    return quantity_format("%.*f %s", unit == 0 || value >= 100 ? 0 : 1, value, units[unit]);
}

struct quantity quantity_count(uint64_t count, const char *noun)
{
    return quantity_format("%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

const char *text_read_decimal(const char *text, double *value)
{
    static const char digits[] = "0123456789";
    const char *end = text + strspn(text, digits);
    bool has_digits = end > text;
    if (*end == '.') {
        size_t n_decimals = strspn(end + 1, digits);
        has_digits |= n_decimals > 0;
        end += 1 + n_decimals;
    }
    if (!has_digits)
        return text;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');
        size_t n_digits = strspn(exponent, digits);
        end = n_digits > 0 ? exponent + n_digits : end;
    }
    SCOPED char *number = memory_format("%.*s", (int)(end - text), text);
    *value = strtod(number, NULL);
    return end;
}

struct exact_number exact_number(double value)
{
    struct exact_number number;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number.text, sizeof number.text - 2, "%.*g", digits, value);
        if (strtod(number.text, NULL) == value)
            break;
    }
    if (!strpbrk(number.text, ".en"))
        strcat(number.text, ".0");
    return number;
}
