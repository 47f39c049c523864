// SPDX-License-Identifier: BSD-3-Clause
// One pass over the name as a demangler writes it. Brackets belong to the name itself in operators
// and in "(anonymous namespace)". A name has four forms, each shorter than the one before, and of
// each form all those that remain when qualifiers go from the left. A text means a name if it is
// one of these; a name may be shown by the first of these that no other name has.
#include "analyzer/base/function_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/checksum.h"
#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

/// What is left of a name, from the longest form to the shortest.
enum form {
    WITH_ARGUMENTS,   // solver::Grid<double>::step(int) const
    WITH_TEMPLATES,   // solver::Grid<double>::step
    WITH_BRACKETS,    // solver::Grid<>::step
    WITHOUT_BRACKETS, // solver::Grid::step
    N_FORMS
};

enum { MAX_LISTED = 4 };

static const char anonymous[] = "(anonymous namespace)";
static const char operator_word[] = "operator";

static bool is_cplusplus(const char *name)
{
    return strstr(name, "::") || (name[0] && strpbrk(name + 1, "<("));
}

/// After the bracket that closes the one at TEXT; the end of TEXT when none does.
static const char *skip_brackets(const char *text)
{
    size_t depth = 0;
    for (; *text; text++) {
        bool is_arrow = text[0] == '-' && text[1] == '>';
        if (strchr("<({[", *text))
            depth++;
        else if (strchr(">)}]", *text) && --depth == 0)
            return text + 1;
        text += is_arrow;
    }
    return text;
}

/// Whether the word "operator" ends at AT in NAME, not a name such as relaxation_operator.
static bool ends_operator(const char *name, const char *at)
{
    size_t n = sizeof operator_word - 1, length = (size_t)(at - name);
    if (length < n || strncmp(at - n, operator_word, n) != 0)
        return false;
    return length == n ||
           !(isalnum((unsigned char)at[-(ptrdiff_t)n - 1]) || at[-(ptrdiff_t)n - 1] == '_');
}

/// Bytes of the symbol after the word "operator", which ends at AT in NAME. The symbol may have
/// brackets; those of template arguments after it, as in "operator==<int>", do not belong to it.
static size_t symbol_length(const char *name, const char *at)
{
    static const char *const symbols[] = {
        "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "&&",
        "||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|=", "->", "<",
        ">",   "=",   "+",   "-",   "*",  "/",  "!",  "&",  "|",  "^",  "%",  "~",  ","};
    if (!ends_operator(name, at))
        return 0;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (strncmp(at, symbols[i], strlen(symbols[i])) == 0)
            return strlen(symbols[i]);
    return 0;
}

/// After what AT begins, which no part of a name ends within: a pair of brackets, a symbol of an
/// operator, or a byte.
static const char *skip_piece(const char *name, const char *at)
{
    size_t n = symbol_length(name, at);
    if (n > 0)
        return at + n;
    return strchr("<({[", *at) ? skip_brackets(at) : at + 1;
}

/// NAME without its return type, which is what is in front of the last blank outside of brackets,
/// before the arguments.
static const char *skip_return_type(const char *name)
{
    const char *last = name;
    for (const char *at = name; *at; at = skip_piece(name, at)) {
        bool is_anonymous = strncmp(at, anonymous, sizeof anonymous - 1) == 0;
        if ((*at == '(' && !is_anonymous && symbol_length(name, at) == 0) ||
            (*at == ' ' && ends_operator(name, at)))
            break;
        if (*at == ' ' && at[1] != '<' && at[1] != '[')
            last = at + 1;
    }
    return last;
}

/// Whether TEXT is an operator alone, as "operator()<>", which says nothing without its class.
static bool is_operator(const char *text)
{
    size_t n = sizeof operator_word - 1;
    return strncmp(text, operator_word, n) == 0 && !isalnum((unsigned char)text[n]) &&
           text[n] != '_';
}

/// After the first qualifier of TEXT; NULL when it has none.
static const char *skip_qualifier(const char *text)
{
    for (const char *at = text; *at; at = skip_piece(text, at))
        if (at[0] == ':' && at[1] == ':' && at[2])
            return at + 2;
    return NULL;
}

/// NAME without arguments, and with templates as FORM says, into OUT, which has room for twice
/// NAME.
static void drop_arguments(const char *name, enum form form, char *out)
{
    const char *at = name;
    while (*at) {
        size_t n = symbol_length(name, at);
        if (n > 0) {
            memcpy(out, at, n);
            out += n;
            at += n;
        } else if (!strncmp(at, anonymous, sizeof anonymous - 1)) {
            memcpy(out, anonymous, sizeof anonymous - 1);
            out += form == WITH_TEMPLATES ? sizeof anonymous - 1 : 10;
            if (form != WITH_TEMPLATES)
                *out++ = ')';
            at += sizeof anonymous - 1;
        } else if (!strncmp(at, " <", 2)) { // "operator< <int>"
            at++;
        } else if (*at == '<') {
            const char *end = skip_brackets(at);
            if (form == WITH_TEMPLATES) {
                memcpy(out, at, (size_t)(end - at));
                out += end - at;
            } else if (form == WITH_BRACKETS) {
                memcpy(out, "<>", 2);
                out += 2;
            }
            at = end;
        } else if (*at == '(') {
            at = skip_brackets(at);
            at += strncmp(at, " const", 6) == 0 ? 6 : 0;
        } else if (!strncmp(at, " [", 2)) { // "[clone .part.0]", "[with T = int]"
            at = skip_brackets(at + 1);
        } else {
            *out++ = *at++;
        }
    }
    *out = '\0';
}

/// NAME in FORM; the caller frees.
static char *name_in(const char *name, enum form form)
{
    const char *own = skip_return_type(name);
    if (form == WITH_ARGUMENTS)
        return memory_copy_text(own);
    char *plain = memory_zeroed(2 * strlen(own) + 1, 1); // "<" may become "<>"
    drop_arguments(own, form, plain);
    return plain;
}

char *function_name_short(const char *name, size_t columns)
{
    if (utf8_width(name) <= columns || !is_cplusplus(name))
        return memory_copy_text(name);
    SCOPED char *plain = name_in(name, WITH_BRACKETS);
    const char *rest = plain, *next;
    while (utf8_width(rest) > columns && (next = skip_qualifier(rest)) && !is_operator(next))
        rest = next;
    return memory_copy_text(rest[0] ? rest : name);
}

// --- which name a text means

/// Whether TEXT is a short form of NAME.
static bool is_short_for(const char *text, const char *name)
{
    bool is_one = false;
    for (int form = WITH_ARGUMENTS; form < N_FORMS && !is_one; form++) {
        char *whole = name_in(name, (enum form)form);
        for (const char *rest = whole; rest && !is_one; rest = skip_qualifier(rest))
            is_one = strcmp(rest, text) == 0;
        free(whole);
    }
    return is_one;
}

static bool is_same_name(const char *text, const char *name)
{
    if (strcmp(text, name) == 0)
        return true;
    if (!strpbrk(text, "?\xEF")) // of what utf8_clean() puts in
        return false;
    SCOPED char *clean = utf8_clean(name);
    return strcmp(text, clean) == 0;
}

static enum function_names_found find_shown(const char *const *names, size_t n, const char *text,
                                            bool *is_meant)
{
    char **shown = function_names_shown(names, n);
    bool is_found = false;
    for (size_t i = 0; i < n; i++) {
        is_meant[i] = strcmp(shown[i], text) == 0;
        is_found = is_found || is_meant[i];
    }
    memory_free_each(shown, n);
    return is_found ? FUNCTION_NAMES_ONE : FUNCTION_NAMES_NONE;
}

enum function_names_found function_names_find(const char *const *names, size_t n, const char *text,
                                              bool *is_meant)
{
    bool is_found = false;
    for (size_t i = 0; i < n; i++) {
        is_meant[i] = is_same_name(text, names[i]);
        is_found = is_found || is_meant[i];
    }
    if (is_found || !*text)
        return is_found ? FUNCTION_NAMES_ONE : FUNCTION_NAMES_NONE;
    // What any form of a name has in common with it: the first letters of its own name.
    SCOPED char *begin = memory_format("%.*s", (int)strcspn(text, "<([{: "), text);
    const char *first = NULL;
    bool is_ambiguous = false;
    for (size_t i = 0; i < n; i++) {
        is_meant[i] = is_cplusplus(names[i]) && strstr(names[i], begin) != NULL &&
                      is_short_for(text, names[i]);
        is_ambiguous = is_ambiguous || (is_meant[i] && first && strcmp(first, names[i]) != 0);
        first = is_meant[i] && !first ? names[i] : first;
    }
    if (!first && utf8_width(text) >= NAME_COLUMNS) // perhaps as it is shown, without its middle
        return find_shown(names, n, text, is_meant);
    return is_ambiguous ? FUNCTION_NAMES_SEVERAL : first ? FUNCTION_NAMES_ONE : FUNCTION_NAMES_NONE;
}

static bool is_listed(const char *const *names, const bool *is_meant, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_meant[i] && strcmp(names[i], names[index]) == 0)
            return true;
    return false;
}

char *function_names_list(const char *const *names, size_t n, const bool *is_meant)
{
    char *list = memory_copy_text("");
    size_t n_listed = 0, n_more = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_meant[i] || is_listed(names, is_meant, i))
            continue;
        if (n_listed == MAX_LISTED) {
            n_more++;
            continue;
        }
        SCOPED char *name = utf8_shortened(names[i], NAME_COLUMNS);
        text_append(&list, "%s%s", n_listed++ ? ", " : "", name);
    }
    if (n_more > 0)
        text_append(&list, " and %zu more", n_more);
    return list;
}

// --- how names are shown

/// Which text, by hash, means which of the names; NOT_ONE where several. That two texts have one
/// hash (64 bits) makes a name longer than it must be, and nothing else.
static const uint32_t not_one = UINT32_MAX;

static void add_meaning(struct map *meanings, const char *text, char *const *names, uint32_t name)
{
    uint32_t other = name;
    map_get(meanings, checksum_bytes(0, text, strlen(text)), &other);
    bool is_same = other != not_one && strcmp(names[other], names[name]) == 0;
    map_put(meanings, checksum_bytes(0, text, strlen(text)), is_same ? name : not_one);
}

static void add_meanings(struct map *meanings, char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        add_meaning(meanings, names[i], names, (uint32_t)i);
        for (int form = WITH_ARGUMENTS; form < N_FORMS && is_cplusplus(names[i]); form++) {
            char *whole = name_in(names[i], (enum form)form);
            for (const char *rest = whole; rest; rest = skip_qualifier(rest))
                add_meaning(meanings, rest, names, (uint32_t)i);
            free(whole);
        }
    }
}

static bool is_unique(const struct map *meanings, const char *text)
{
    uint32_t name;
    return map_get(meanings, checksum_bytes(0, text, strlen(text)), &name) && name != not_one;
}

/// The shortest form of NAME with which it is the only one, at least as long as SHORTEST.
static char *name_that_is_one(const struct map *meanings, const char *name, char *shortest)
{
    if (is_unique(meanings, shortest))
        return shortest;
    for (int form = WITH_BRACKETS; form >= WITH_ARGUMENTS; form--) {
        char *whole = name_in(name, (enum form)form), *found = NULL;
        for (const char *rest = whole; rest; rest = skip_qualifier(rest))
            if (utf8_width(rest) >= utf8_width(shortest) && is_unique(meanings, rest)) {
                free(found);
                found = memory_copy_text(rest); // the last one is the shortest
            }
        free(whole);
        if (found) {
            free(shortest);
            return found;
        }
    }
    free(shortest);
    return memory_copy_text(name);
}

/// Shortens names that take too much even so; those that become the same get a number. The same
/// names stay the same.
static void shorten(char **shown, size_t n)
{
    struct map firsts; // by what is shown: the first name that is
    map_init(&firsts);
    for (uint32_t i = 0; i < n; i++) {
        if (utf8_width(shown[i]) <= NAME_COLUMNS)
            continue;
        uint64_t whole = checksum_bytes(0, shown[i], strlen(shown[i]));
        char *text = utf8_shortened(shown[i], NAME_COLUMNS);
        uint32_t same = i, other = i;
        bool is_known = map_get(&firsts, whole, &same);
        map_put(&firsts, whole, same);
        uint64_t key = checksum_bytes(1, text, strlen(text));
        if (map_get(&firsts, key, &other) && other != same) {
            char *numbered = memory_format("%s [%" PRIu32 "]", text, same);
            free(text);
            text = numbered;
        } else if (!is_known) {
            map_put(&firsts, key, i);
        }
        free(shown[i]);
        shown[i] = text;
    }
    map_release(&firsts);
}

char **function_names_shown(const char *const *names, size_t n)
{
    char **clean = memory_zeroed(n + 1, sizeof *clean),
         **shown = memory_zeroed(n + 1, sizeof *shown);
    bool are_all_whole = true;
    for (size_t i = 0; i < n; i++) {
        clean[i] = utf8_clean(names[i]);
        shown[i] = function_name_short(clean[i], FUNCTION_NAME_COLUMNS);
        are_all_whole = are_all_whole && strcmp(shown[i], clean[i]) == 0;
    }
    struct map meanings;
    map_init(&meanings);
    if (!are_all_whole)
        add_meanings(&meanings, clean, n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(shown[i], clean[i]) != 0)
            shown[i] = name_that_is_one(&meanings, clean[i], shown[i]);
    map_release(&meanings);
    memory_free_each(clean, n);
    shorten(shown, n);
    return shown;
}
