// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the resource normal form by a hand-written scanner: a path is kept as escaped
// text, in which an unescaped slash always separates levels, so that a prefix is a subtree.
#include "db/focus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

static const char special[] = "/,()<>\\";

/// Text that grows at its end.
struct text {
    char *bytes;
    size_t length, capacity;
};

static void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
    text->bytes = array_reserve(text->bytes, &text->capacity, text->length + length + 1, 1);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

static void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

/// Adds NAME as one level of a path.
static void add_level(struct text *text, const char *name)
{
    size_t name_length = strlen(name);
    text_add(text, name_length ? "/" : "/\\e");
    for (size_t i = 0, length; i < name_length; i += length) {
        length = utf8_sequence(name + i);
        if (length == 0 || utf8_is_control(name + i, length)) {
            char hex[5];
            snprintf(hex, sizeof hex, "\\x%02X", (unsigned char)name[i]);
            text_add(text, hex);
            length = 1; // what follows in the sequence is not UTF-8 by itself
            continue;
        }
        bool is_edge_space = name[i] == ' ' && (i == 0 || i + 1 == name_length);
        if (is_edge_space || strchr(special, name[i]))
            text_add(text, "\\");
        text_add_bytes(text, name + i, length);
    }
}

char *focus_path(const char *parent_path, const char *name)
{
    struct text path = {0};
    text_add(&path, parent_path);
    add_level(&path, name);
    return path.bytes;
}

size_t focus_level_length(const char *text)
{
    size_t length = 0;
    while (text[length] && text[length] != '/')
        length += text[length] == '\\' && text[length + 1] ? 2 : 1;
    return length;
}

bool focus_path_repeats(const char *path)
{
    const char *last = path + focus_last_level(path);
    size_t length;
    for (const char *at = path; at < last; at += length) {
        length = 1 + focus_level_length(at + 1);
        if (strncmp(at, last, length) == 0 && last[length] == '\0')
            return true;
    }
    return false;
}

/// Where the parser stands.
struct scanner {
    const char *text, *at;
    struct error *err;
};

static int scan_error(struct scanner *scanner, const char *what)
{
    return error_set(scanner->err, "the focus \"%s\" is wrong at character %zu: %s", scanner->text,
                     (size_t)(scanner->at - scanner->text) + 1, what);
}

static void skip_spaces(struct scanner *scanner)
{
    scanner->at += strspn(scanner->at, " \t\n");
}

static bool take(struct scanner *scanner, char c)
{
    skip_spaces(scanner);
    if (*scanner->at != c)
        return false;
    scanner->at++;
    return true;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/// Reads one escape after its backslash into NAME.
static int scan_escape(struct scanner *scanner, struct text *name)
{
    const char *at = scanner->at;
    if (*at == 'e') {
        scanner->at++;
        return 0; // the empty name
    }
    if (*at == 'x') {
        int high = hex_digit(at[1]), low = high < 0 ? -1 : hex_digit(at[2]);
        if (low < 0 || high * 16 + low == 0)
            return scan_error(scanner, "\\x wants two hexadecimal digits that are not 00");
        char byte = (char)(high * 16 + low);
        text_add_bytes(name, &byte, 1);
        scanner->at += 3;
        return 0;
    }
    if (!*at || (*at != ' ' && !strchr(special, *at)))
        return scan_error(scanner, "a backslash can stand before / , ( ) < > \\ space x and e");
    text_add_bytes(name, at, 1);
    scanner->at++;
    return 0;
}

/// Reads the name of one level and adds it, newly escaped, to PATH.
static int scan_name(struct scanner *scanner, struct text *path)
{
    struct text name = {0};
    size_t kept = 0; // up to here spaces belong to the name
    text_add(&name, "");
    skip_spaces(scanner);
    const char *begin = scanner->at;
    int status = 0;
    while (status == 0 && *scanner->at &&
           (*scanner->at == '\\' || !strchr(special, *scanner->at))) {
        bool is_plain_space = *scanner->at == ' ';
        if (*scanner->at == '\\') {
            scanner->at++;
            status = scan_escape(scanner, &name);
        } else {
            text_add_bytes(&name, scanner->at++, 1);
        }
        if (!is_plain_space)
            kept = name.length;
    }
    if (status == 0 && scanner->at == begin)
        status = scan_error(scanner, "the name of a resource is missing");
    if (status == 0) {
        name.bytes[kept] = '\0';
        add_level(path, name.bytes);
    }
    free(name.bytes);
    return status;
}

static void selection_add(struct focus_selection *selection, char *path)
{
    *ARRAY_EXTEND(selection->paths, selection->n_paths) = path;
}

/// Reads "a,b)" below PARENT.
static int scan_group(struct scanner *scanner, const char *parent,
                      struct focus_selection *selection)
{
    do {
        struct text path = {0};
        text_add(&path, parent);
        if (scan_name(scanner, &path)) {
            free(path.bytes);
            return -1;
        }
        selection_add(selection, path.bytes);
    } while (take(scanner, ','));
    return take(scanner, ')') ? 0 : scan_error(scanner, "expected , or ) here");
}

static int scan_selection(struct scanner *scanner, struct focus_selection *selection)
{
    struct text path = {0};
    text_add(&path, "");
    int status = 0;
    skip_spaces(scanner);
    if (*scanner->at != '/')
        status = scan_error(scanner, "a resource begins with /");
    while (status == 0 && take(scanner, '/')) {
        if (path.length && take(scanner, '(')) {
            status = scan_group(scanner, path.bytes, selection);
            free(path.bytes);
            return status;
        }
        status = scan_name(scanner, &path);
    }
    if (status)
        free(path.bytes);
    else
        selection_add(selection, path.bytes);
    return status;
}

static void selection_normalise(struct focus_selection *selection)
{
    qsort(selection->paths, selection->n_paths, sizeof *selection->paths, text_compare);
    size_t n_kept = 0;
    for (size_t i = 0; i < selection->n_paths; i++) {
        if (n_kept && !strcmp(selection->paths[n_kept - 1], selection->paths[i]))
            free(selection->paths[i]);
        else
            selection->paths[n_kept++] = selection->paths[i];
    }
    selection->n_paths = n_kept;
}

/// Length of the path of the hierarchy of PATH.
static size_t root_length(const char *path)
{
    return 1 + focus_level_length(path + 1);
}

static bool is_below(const char *path, const char *root)
{
    size_t length = root_length(path);
    return length == strlen(root) && !memcmp(path, root, length);
}

/// Each hierarchy may be there once.
static int focus_normalise(struct focus *focus, const char *text, struct error *err)
{
    for (size_t i = 0; i < focus->n_selections; i++) {
        selection_normalise(&focus->selections[i]);
        const char *path = focus->selections[i].paths[0];
        SCOPED char *root = memory_format("%.*s", (int)root_length(path), path);
        bool is_first = focus_find(focus, root) == &focus->selections[i];
        if (!is_first)
            error_set(err,
                      "the focus \"%s\" selects twice in the hierarchy %s: put resources "
                      "of one level in parentheses",
                      text, root);
        if (!is_first)
            return -1;
    }
    return 0;
}

int focus_parse(const char *text, struct focus *focus, struct error *err)
{
    struct scanner scanner = {.text = text, .at = text, .err = err};
    *focus = (struct focus){0};
    bool has_bracket = take(&scanner, '<');
    int status = 0;
    do {
        focus->selections =
            memory_resize(focus->selections, focus->n_selections + 1, sizeof *focus->selections);
        focus->selections[focus->n_selections] = (struct focus_selection){0};
        status = scan_selection(&scanner, &focus->selections[focus->n_selections++]);
    } while (status == 0 && take(&scanner, ','));
    if (status == 0 && has_bracket && !take(&scanner, '>'))
        status = scan_error(&scanner, "expected , or > here");
    skip_spaces(&scanner);
    if (status == 0 && *scanner.at)
        status = scan_error(&scanner, has_bracket ? "nothing may follow the >" : "expected , here");
    if (status == 0)
        status = focus_normalise(focus, text, err);
    if (status)
        focus_release(focus);
    return status;
}

void focus_release(struct focus *focus)
{
    for (size_t i = 0; i < focus->n_selections; i++) {
        memory_free_each(focus->selections[i].paths, focus->selections[i].n_paths);
    }
    free(focus->selections);
    *focus = (struct focus){0};
}

const struct focus_selection *focus_find(const struct focus *focus, const char *root)
{
    for (size_t i = 0; i < focus->n_selections; i++)
        if (is_below(focus->selections[i].paths[0], root))
            return &focus->selections[i];
    return NULL;
}

size_t focus_last_level(const char *path)
{
    size_t last = 0;
    for (size_t i = 0; path[i]; i += path[i] == '\\' && path[i + 1] ? 2 : 1)
        if (path[i] == '/')
            last = i;
    return last;
}

char *focus_name(const char *path)
{
    struct scanner scanner = {.text = path};
    size_t last = focus_last_level(path);
    struct text name = {0}, again = {0};
    text_add(&name, "");
    int status = path[last] == '/' ? 0 : -1;
    scanner.at = path + last + 1;
    while (status == 0 && *scanner.at) {
        if (*scanner.at == '\\') {
            scanner.at++;
            status = scan_escape(&scanner, &name);
        } else {
            text_add_bytes(&name, scanner.at++, 1);
        }
    }
    add_level(&again, name.bytes);
    if (status == 0 && strcmp(again.bytes, path + last))
        status = -1;
    free(again.bytes);
    if (status) {
        free(name.bytes);
        return NULL;
    }
    return name.bytes;
}
