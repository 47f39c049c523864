// SPDX-License-Identifier: BSD-3-Clause
// The resource normal form: what is read is written back in one form only, any name survives, and
// what is not a focus is refused with the place.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/focus.h"
#include "tests/unit/unit_test.h"

static void print_selection(const struct focus_selection *selection, FILE *stream)
{
    size_t parent_length = focus_last_level(selection->paths[0]);
    if (selection->n_paths == 1) {
        fputs(selection->paths[0], stream);
        return;
    }
    fprintf(stream, "%.*s/(", (int)parent_length, selection->paths[0]);
    for (size_t i = 0; i < selection->n_paths; i++)
        fprintf(stream, "%s%s", i ? "," : "", selection->paths[i] + parent_length + 1);
    fputs(")", stream);
}

/// FOCUS in normal form: Code, Machine and Process always, other hierarchies where they restrict,
/// those of the user last. The caller frees.
static char *focus_format(const struct focus *focus)
{
    static const char *const roots[] = {"/Code", "/CallPath", "/Machine", "/Process", "/Message"};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 0; i < 5; i++) {
        const struct focus_selection *selection = focus_find(focus, roots[i]);
        bool restricts = selection && strcmp(selection->paths[0], roots[i]);
        if (!restricts && (i == 1 || i == 4))
            continue;
        fputs(i ? ", " : "< ", stream);
        if (restricts)
            print_selection(selection, stream);
        else
            fputs(roots[i], stream);
    }
    for (size_t i = 0; i < focus->n_selections; i++) {
        const struct focus_selection *selection = &focus->selections[i];
        bool is_known = false;
        for (size_t j = 0; j < 5; j++)
            is_known |= focus_find(focus, roots[j]) == selection;
        if (is_known || !strchr(selection->paths[0] + 1, '/'))
            continue;
        fputs(", ", stream);
        print_selection(selection, stream);
    }
    fputs(" >", stream);
    fclose(stream);
    return text;
}

static void assert_normal_form(const char *text, const char *expected)
{
    struct focus focus;
    struct error err = {{0}};
    if (focus_parse(text, &focus, &err))
        fail_msg("%s", err.text);
    SCOPED char *formatted = focus_format(&focus);
    assert_string_equal(formatted, expected);
    focus_release(&focus);
    // The normal form is its own normal form.
    assert_int_equal(focus_parse(formatted, &focus, &err), 0);
    SCOPED char *again = focus_format(&focus);
    assert_string_equal(again, formatted);
    focus_release(&focus);
}

TEST(test_normal_forms)
{
    assert_normal_form("< /Code/main.c/(a,b), /Machine, /Process >",
                       "< /Code/main.c/(a,b), /Machine, /Process >");
    assert_normal_form("</Code,/Machine,/Process>", "< /Code, /Machine, /Process >");
    assert_normal_form("/Process/3", "< /Code, /Machine, /Process/3 >");
    assert_normal_form("  /Process / 3 , /Code / main.c ",
                       "< /Code/main.c, /Machine, /Process/3 >");
    assert_normal_form("/Code/main.c/(b, a , b)", "< /Code/main.c/(a,b), /Machine, /Process >");
    assert_normal_form("/Code/main.c/(a)", "< /Code/main.c/a, /Machine, /Process >");
    assert_normal_form("/Process/(10,9)", "< /Code, /Machine, /Process/(10,9) >");
    assert_normal_form("/Zone/1, /Area/2, /Message/pair/0/1, /CallPath/main",
                       "< /Code, /CallPath/main, /Machine, /Process, /Message/pair/0/1, /Zone/1, "
                       "/Area/2 >");
    assert_normal_form("/Message, /CallPath, /Zone", "< /Code, /Machine, /Process >");
    assert_normal_form("/Code/a b/c  d", "< /Code/a b/c  d, /Machine, /Process >");
    assert_normal_form("/Code/x\\x2Fy\\,/\\e", "< /Code/x\\/y\\,/\\e, /Machine, /Process >");
    assert_normal_form("/Codes/x", "< /Code, /Machine, /Process, /Codes/x >");
}

static void assert_refused(const char *text, const char *expected)
{
    struct focus focus;
    struct error err = {{0}};
    if (focus_parse(text, &focus, &err) == 0)
        fail_msg("\"%s\" was taken", text);
    if (!strstr(err.text, expected))
        fail_msg("\"%s\" says \"%s\", not \"%s\"", text, err.text, expected);
    assert_int_equal(focus.n_selections, 0);
}

TEST(test_what_is_no_focus)
{
    assert_refused("", "at character 1: a resource begins with /");
    assert_refused("Code", "at character 1: a resource begins with /");
    assert_refused("/", "at character 2: the name of a resource is missing");
    assert_refused("/Code//x", "at character 7: the name of a resource is missing");
    assert_refused("/Code/x/", "at character 9: the name");
    assert_refused("< /Code", "expected , or > here");
    assert_refused("< /Code > x", "nothing may follow the >");
    assert_refused("/Code >", "at character 7: expected , here");
    assert_refused("/Code, ", "at character 8: a resource begins with /");
    assert_refused("/Code/(a,b", "expected , or ) here");
    assert_refused("/Code/(a,)", "the name of a resource is missing");
    assert_refused("/Code/()", "the name of a resource is missing");
    assert_refused("/Code/(a/b)", "expected , or ) here");
    assert_refused("/Code/(a,b)/c", "expected , here");
    assert_refused("/Code/a\\", "a backslash can stand before");
    assert_refused("/Code/a\\q", "a backslash can stand before");
    assert_refused("/Code/\\x0", "two hexadecimal digits");
    assert_refused("/Code/\\x00", "two hexadecimal digits");
    assert_refused("/Code/a, /Code/b", "selects twice in the hierarchy /Code");
    assert_refused("/Zone/a, /Area/a, /Zone/b", "selects twice in the hierarchy /Zone");
}

/// What focus_path() writes, focus_parse() reads as one resource with the same path.
static void assert_survives(const char *name)
{
    struct focus focus;
    struct error err = {{0}};
    SCOPED char *path = focus_path("/Code", name);
    SCOPED char *text = memory_format("< %s, /Process/(0,1) >", path);
    if (focus_parse(text, &focus, &err))
        fail_msg("%s", err.text);
    const struct focus_selection *code = focus_find(&focus, "/Code");
    assert_non_null(code);
    assert_int_equal(code->n_paths, 1);
    assert_string_equal(code->paths[0], path);
    focus_release(&focus);
}

TEST(test_any_name_survives)
{
    static const char *const names[] = {
        "",  "main",           " ",          "  a  b  ", "/",    "\\",        "\\\\e", "\\x41",
        "<", "std::map<A, B>", "f(int, ())", "a,b",      "\n\t", "\xFF\xC3(", "é中😀",  "\xC2\x85",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_survives(names[i]);
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        static const char letters[] = "ab /,()<>\\xe0F\n\x7F\xC3\xA9\xFF";
        char name[12];
        size_t length = 0;
        for (; length < sizeof name - 1; length++) {
            random = random * 1664525 + 1013904223;
            name[length] = letters[(random >> 16) % sizeof letters]; // its end ends the name
            if (!name[length])
                break;
        }
        name[length] = '\0';
        assert_survives(name);
    }
}

TEST(test_different_names_have_different_paths)
{
    static const char *const names[] = {"",    "e",  "\\e",  "\\", "\\\\", "\xFF", "\\xFF",
                                        "xFF", "a ", "a\\ ", "a",  "a/b",  "a\\/b"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t j = 0; j < i; j++) {
            SCOPED char *a = focus_path("", names[i]), *b = focus_path("", names[j]);
            assert_string_not_equal(a, b);
        }
}
