// SPDX-License-Identifier: BSD-3-Clause
// Loading catalogues: the shipped hierarchy, users' files that replace and add, Kappa-Pi's form,
// and each kind of bad file with the sentence that it gets.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/template.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/base/memory.h"
#include "analyzer/pattern/catalogue.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"

static void write_file(const char *text, size_t size_bytes)
{
    FILE *file = fopen(scratch_file, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size_bytes, file), size_bytes);
    assert_int_equal(fclose(file), 0);
}

static struct catalogue *load(const char *directory, const char *text, struct error *err)
{
    write_file(text, strlen(text));
    err->text[0] = '\0';
    return catalogue_load(directory, (const char *const *)&scratch_file, 1, err);
}

static struct catalogue *load_good(const char *directory, const char *text)
{
    struct error err;
    struct catalogue *catalogue = load(directory, text, &err);
    if (!catalogue)
        fail_msg("%s\n%s", err.text, text);
    return catalogue;
}

/// The message must be PATH:MESSAGE... (MESSAGE begins with the line's number).
static void check_refused(const char *text, const char *message)
{
    struct error err;
    struct catalogue *catalogue = load("patterns", text, &err);
    if (catalogue)
        fail_msg("was accepted: %s", text);
    size_t length = strlen(scratch_file);
    if (strncmp(err.text, scratch_file, length) != 0 || err.text[length] != ':' ||
        strncmp(err.text + length + 1, message, strlen(message)) != 0)
        fail_msg("\"%s\" instead of \"%s\"", err.text, message);
}

static void check_one_line(const char *text)
{
    struct error err;
    assert_null(load(NULL, text, &err));
    assert_null(strpbrk(err.text, "\r\n"));
}

static const struct pattern *get(const struct catalogue *catalogue, const char *id)
{
    uint32_t index = catalogue_find(catalogue, id);
    if (index == PATTERN_NONE)
        fail_msg("there is no %s", id);
    return &catalogue->patterns[index];
}

// ---- good files ----

#define TEXTS             "<name>N</name><summary>S</summary><description>D</description>"
#define WAITS             "<formula>F</formula><unit>ns</unit><diagnosis>G</diagnosis>"
#define PATTERN(id, rest) "<pattern id='" id "'>" TEXTS WAITS rest "</pattern>"
#define RECEIVE           "<trigger>receive</trigger><wait>send_enter - enter</wait>"

TEST(test_shipped_catalogue)
{
    struct error err = {{0}};
    struct catalogue *catalogue = catalogue_load("patterns", NULL, 0, &err);
    if (!catalogue)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        if (pattern->parent_index == PATTERN_NONE) {
            assert_string_equal(pattern->id, "time");
            continue;
        }
        const struct pattern *parent = &catalogue->patterns[pattern->parent_index];
        assert_true(pattern->parent_index < i);
        assert_string_equal(pattern->parent, parent->id);
        assert_int_equal(pattern->depth, parent->depth + 1);
        assert_true(pattern->is_abstract || pattern->hint[0]);
    }
    assert_true(get(catalogue, "late-sender")->is_counted);
    assert_false(get(catalogue, "late-sender-wrong-order")->is_counted);
    assert_false(get(catalogue, "point-to-point")->is_counted);
    const struct pattern *same = get(catalogue, "late-sender-wrong-order-same-source");
    assert_int_equal(same->ancestor, catalogue_find(catalogue, "late-sender-wrong-order"));
    assert_int_equal(same->depth, 6);
    assert_false(same->is_counted);
    catalogue_free(catalogue);
}

TEST(test_several_patterns_in_one_file)
{
    struct catalogue *catalogue =
        load_good(NULL, "<?xml version='1.0'?>\n<patterns>" PATTERN("b", RECEIVE)
                            PATTERN("a", RECEIVE) PATTERN("c' parent='b", RECEIVE) "</patterns>");
    assert_int_equal(catalogue->n_patterns, 3);
    assert_string_equal(catalogue->patterns[0].id, "a");
    assert_string_equal(catalogue->patterns[2].id, "c");
    assert_int_equal(catalogue->patterns[2].ancestor, 1);
    assert_false(catalogue->patterns[0].is_counted);
    assert_true(catalogue->patterns[0].threshold_share == 0.01);
    catalogue_free(catalogue);
    catalogue = load_good(NULL, "\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-8'?>\n" PATTERN(
                                    "b", RECEIVE) "<!-- -->\n" PATTERN("a", RECEIVE));
    assert_int_equal(catalogue->n_patterns, 2);
    catalogue_free(catalogue);
}

TEST(test_other_encodings)
{
    struct catalogue *catalogue = load_good(
        NULL,
        "<?xml version='1.0' encoding='ISO-8859-1'?>" PATTERN("a", RECEIVE "<hint>caf\xE9</hint>"));
    assert_string_equal(catalogue->patterns[0].hint, "caf\xC3\xA9");
    catalogue_free(catalogue);
}

TEST(test_white_space_and_paragraphs)
{
    struct catalogue *catalogue = load_good(
        NULL, "<pattern id='a'><name> A\n  name </name><summary>S</summary><description>\n one\n "
              "line\n\n \n  two  <![CDATA[& <more>]]>\n</description></pattern>");
    assert_string_equal(catalogue->patterns[0].name, "A name");
    assert_string_equal(catalogue->patterns[0].description, "one line\n\ntwo & <more>");
    assert_true(catalogue->patterns[0].is_abstract);
    catalogue_free(catalogue);
}

TEST(test_same_id_replaces)
{
    struct catalogue *shipped = catalogue_load("patterns", NULL, 0, NULL);
    struct catalogue *catalogue =
        load_good("patterns", "<patterns>" PATTERN("late-sender' parent='point-to-point", RECEIVE)
                                  PATTERN("mine' parent='late-sender", RECEIVE) "</patterns>");
    assert_int_equal(catalogue->n_patterns, shipped->n_patterns + 1);
    assert_string_equal(get(catalogue, "late-sender")->name, "N");
    assert_true(get(catalogue, "late-sender")->is_counted);
    assert_false(get(catalogue, "mine")->is_counted);
    catalogue_free(catalogue);
    catalogue_free(shipped);
}

TEST(test_severity)
{
    struct catalogue *catalogue = load_good(
        NULL, "<patterns>" PATTERN("a", RECEIVE) PATTERN("b", RECEIVE
                                                         "<severity>worst / run_time</severity>")
                  PATTERN("c", RECEIVE "<severity>count / (ranks - 4)</severity>") "</patterns>");
    struct pattern_sums sums = {
        .total_ns = 100, .worst_ns = 60, .count = 3, .n_ranks = 4, .run_time_ns = 200};
    assert_true(pattern_severity(get(catalogue, "a"), &sums) == 0.125);
    assert_true(pattern_severity(get(catalogue, "b"), &sums) == 0.3);
    assert_true(pattern_severity(get(catalogue, "c"), &sums) == 0.0);
    sums.total_ns = 1000;
    assert_true(pattern_severity(get(catalogue, "a"), &sums) == 1.0);
    sums.run_time_ns = 0;
    assert_true(pattern_severity(get(catalogue, "a"), &sums) == 0.0);
    catalogue_free(catalogue);
}

TEST(test_template)
{
    static const char *const names[] = {"rank", "wait", "cause_rank", "path", "source"};
    const char *values[] = {"3", "12 ms", NULL, NULL, NULL};
    char *text = template_text("Rank {rank} waited {wait}[ for rank {cause_rank}] at {path}.",
                               names, values, 5);
    assert_string_equal(text, "Rank 3 waited 12 ms at unknown.");
    free(text);
    values[2] = "1";
    values[3] = "main/MPI_Recv";
    text =
        template_text("Rank {rank}[ ({source})] waited {wait}[ for rank {cause_rank}] at {path}.",
                      names, values, 5);
    assert_string_equal(text, "Rank 3 waited 12 ms for rank 1 at main/MPI_Recv.");
    free(text);
}

// ---- Kappa-Pi's form ----

#define KAPPA_EVENTS                                                                               \
    " <INSTANTIATION>\n"                                                                           \
    "  <EVENT NAME=\"S1\" TYPE=\"SEND\"  TO=\"ROOT\"></EVENT>\n"                                   \
    "  <EVENT NAME=\"E1\" TYPE=\"ENTER\" FROM=\"ROOT\"></EVENT>\n"                                 \
    "  <EVENT NAME=\"E2\" TYPE=\"ENTER\" FROM=\"S1\"></EVENT>\n"                                   \
    " </INSTANTIATION>\n"
#define KAPPA_CONDITIONS                                                                           \
    " <CONSTRAINT>\n"                                                                              \
    "  <COND TYPE=\"=\" OP1=\"E1.type\"  OP2=\"RECV\"></COND>\n"                                   \
    "  <COND TYPE=\"=\" OP1=\"E2.type\"  OP2=\"SEND\"></COND>\n"                                   \
    "  <COND TYPE=\">\" OP1=\"E2.stamp\" OP2=\"E1.stamp\"></COND>\n"                               \
    " </CONSTRAINT>\n"
#define KAPPA_EXPORT                                                                               \
    " <EXPORT><COMPUTE NAME=\"idle_time\" AS=\"-\" OP1=\"E2.stamp\" OP2=\"E1.stamp\"></COMPUTE>"   \
    "</EXPORT>\n"
#define KAPPA_LATE_SENDER                                                                          \
    "<PATTERN Name=\"Late Sender\">\n"                                                             \
    " <ROOTTYPE>RECV</ROOTTYPE>\n" KAPPA_EVENTS KAPPA_CONDITIONS KAPPA_EXPORT "</PATTERN>\n"

TEST(test_kappa_pi_late_sender)
{
    struct catalogue *catalogue = load_good(NULL, KAPPA_LATE_SENDER);
    assert_int_equal(catalogue->n_patterns, 1);
    const struct pattern *pattern = &catalogue->patterns[0];
    assert_string_equal(pattern->id, "late-sender");
    assert_string_equal(pattern->name, "Late Sender");
    assert_string_equal(pattern->trigger, "receive");
    assert_string_equal(pattern->condition, "is_nonblocking == 0 && send_enter > enter");
    assert_string_equal(pattern->wait, "send_enter - enter");
    assert_string_equal(pattern->cause, "sender");
    catalogue_free(catalogue);
}

TEST(test_kappa_pi_replaces_but_keeps_texts)
{
    struct catalogue *catalogue = load_good("patterns", KAPPA_LATE_SENDER);
    const struct pattern *pattern = get(catalogue, "late-sender");
    assert_string_equal(pattern->parent, "point-to-point");
    assert_true(pattern->is_counted);
    assert_non_null(strstr(pattern->hint, "{rank}"));
    assert_string_equal(pattern->wait, "send_enter - enter");
    assert_string_equal(pattern->formula, "send_enter - enter");
    catalogue_free(catalogue);
}

TEST(test_kappa_pi_spellings)
{
    // Several at the top, spaces as in the printed figure, other cases, sections in another order.
    struct catalogue *catalogue = load_good(
        "patterns", "<?xml version=\"1.0\"?>\n" KAPPA_LATE_SENDER
                    "<Pattern NAME=\" Late  Receiver (blocking) \"><export>"
                    "<compute name=\"a\" as=\"-\" op1=\"E2 . stamp\" op2=\"e1.STAMP\"/>"
                    "</export><RootType> send </RootType><Instantiation>"
                    "<Event Name=\"R1\" Type=\"recv\" From=\" ROOT \"/>"
                    "<Event Name=\"E1\" Type=\"enter\" From=\"root\"/>"
                    "<Event Name=\"X1\" Type=\"leave\" From=\"root\"/>"
                    "<Event Name=\"E2\" Type=\"Enter\" From=\"R1\"/></Instantiation><Constraint>"
                    "<Cond Type=\"LT\" Op1=\"E2.stamp\" Op2=\"X1.stamp\"/>"
                    "<Cond Type=\"!=\" Op1=\"E1.type\" Op2=\"WAIT\"/>"
                    "<Cond Type=\">=\" Op1=\"ROOT.size\" Op2=\"1000\"/></Constraint></Pattern>");
    const struct pattern *pattern = get(catalogue, "late-receiver-blocking");
    assert_string_equal(pattern->trigger, "send");
    assert_string_equal(pattern->name, "Late Receiver (blocking)");
    assert_string_equal(pattern->condition,
                        "post_enter < leave && is_nonblocking == 0 && bytes >= 1000");
    assert_string_equal(pattern->wait, "post_enter - enter");
    assert_string_equal(pattern->parent, "");
    assert_string_equal(get(catalogue, "late-sender")->wait, "send_enter - enter");
    catalogue_free(catalogue);
}

TEST(test_kappa_pi_computed_values)
{
    struct catalogue *catalogue =
        load_good(NULL, "<PATTERN Name='X'><ROOTTYPE>RECV</ROOTTYPE>" KAPPA_EVENTS
                        "<EXPORT><COMPUTE NAME='t' AS='-' OP1='E2.stamp' OP2='E1.stamp'/>"
                        "<COMPUTE NAME='half' AS='/' OP1='T' OP2='2'/></EXPORT></PATTERN>");
    assert_string_equal(catalogue->patterns[0].wait, "send_enter - enter");
    catalogue_free(catalogue);
}

// ---- bad files ----

/// NAMES and texts of tests/traces/patterns/refused.list.
struct replaced {
    char name[16], *text;
};
enum { MAX_REPLACED = 8, MIN_REFUSED = 70 };

/// Adds LINE, `$NAME = TEXT`, to what its name stands for.
static size_t define(struct replaced *replaced, size_t n, const char *line)
{
    char name[16];
    assert_int_equal(sscanf(line, "%15s =", name), 1);
    const char *text = strstr(line, " = ") + 3;
    if (n > 0 && strcmp(replaced[n - 1].name, name) == 0) {
        char *longer = memory_format("%s\n%s", replaced[n - 1].text, text);
        free(replaced[n - 1].text);
        replaced[n - 1].text = longer;
        return n;
    }
    assert_true(n < MAX_REPLACED);
    strcpy(replaced[n].name, name);
    replaced[n].text = memory_copy_text(text);
    return n + 1;
}

/// Appends LINE with its names replaced.
static void append_line(FILE *stream, const char *line, const struct replaced *replaced, size_t n)
{
    for (; *line; line++) {
        size_t i = 0, length = strcspn(line + 1, "$<") + 1;
        while (i < n && (*line != '$' || strlen(replaced[i].name) > length ||
                         strncmp(line, replaced[i].name, strlen(replaced[i].name)) != 0))
            i++;
        if (i == n) {
            fputc(*line, stream);
        } else {
            fputs(replaced[i].text, stream);
            line += strlen(replaced[i].name) - 1;
        }
    }
    fputc('\n', stream);
}

TEST(test_refused_files)
{
    struct replaced replaced[MAX_REPLACED];
    size_t n = 0, n_refused = 0, size_bytes;
    char *list = scratch_read("tests/traces/patterns/refused.list", &size_bytes), *rest = list;
    const char *message = NULL;
    char *file = NULL;
    FILE *stream = NULL;
    for (char *line; (line = strsep(&rest, "\n"));) {
        bool is_next = strncmp(line, "=> ", 3) == 0 || !rest;
        if (is_next && stream) {
            fclose(stream);
            check_refused(file, message);
            free(file);
            n_refused++;
        }
        if (is_next) {
            message = line + 3;
            stream = rest ? open_memstream(&file, &size_bytes) : NULL;
        } else if (stream) {
            append_line(stream, line, replaced, n);
        } else if (*line == '$') {
            n = define(replaced, n, line);
        }
    }
    for (size_t i = 0; i < n; i++)
        free(replaced[i].text);
    free(list);
    assert_uint_in_range(n_refused, MIN_REFUSED, SIZE_MAX);
}

TEST(test_bad_xml)
{
    check_refused("", "1: is not well-formed XML: ");
    check_refused("<pattern id='a'><name>\xFF\xFE</name></pattern>", "1: is not well-formed XML: ");
    check_one_line("<pattern id='a'><name>\xFF\xFE</name></pattern>");
    check_one_line("<pattern id='a&#10;b'/>");
    check_one_line("<pattern id='a' parent='b&#10;c'>" TEXTS "</pattern>");
    write_file("<pattern\0/>", 11);
    struct error err = {{0}};
    assert_null(catalogue_load(NULL, (const char *const *)&scratch_file, 1, &err));
    assert_non_null(strstr(err.text, ": is no text in UTF-8"));
}

TEST(test_sizes_are_bounded)
{
    char *text = memory_zeroed(XML_MAX_BYTES + 100, 1);
    for (int i = 0; i < 100; i++)
        strcat(text, "<patterns>");
    for (int i = 0; i < 100; i++)
        strcat(text, "</patterns>");
    check_refused(text, "1: elements are nested too deeply");
    text[0] = '\0';
    char *end = stpcpy(text, "<patterns>\n");
    for (int i = 0; i <= XML_MAX_ELEMENTS; i++)
        end = stpcpy(end, "<a/>\n");
    strcpy(end, "</patterns>");
    check_refused(text, "20001: too many elements");
    end = text;
    for (int i = 0; i < 20000; i++)
        end = stpcpy(end, "<patterns>"); // far beyond what a parser may follow
    struct error err;
    assert_null(load(NULL, text, &err));
    memset(text, ' ', XML_MAX_BYTES + 1);
    strcpy(text + XML_MAX_BYTES + 1, "<pattern/>");
    assert_null(load(NULL, text, &err));
    assert_non_null(strstr(err.text, ": is larger than the 1024 KiB allowed"));
    end = stpcpy(text, "<patterns>");
    for (int i = 0; i < 1001; i++)
        end += sprintf(end, "<pattern id='p%d'>" TEXTS "</pattern>", i);
    strcpy(end, "</patterns>");
    assert_null(load(NULL, text, &err));
    assert_non_null(strstr(err.text, ": there are more than 1000 patterns"));
    free(text);
}

TEST(test_too_many_ancestors)
{
    char text[20000] = "<patterns>";
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "<pattern id='p%d' parent='p%d'>" TEXTS "</pattern>\n", i + 1,
                i);
    strcat(text, "<pattern id='p0'>" TEXTS "</pattern></patterns>");
    check_refused(text, "33: pattern 'p33' has more than 32 ancestors");
}

TEST(test_missing_files)
{
    struct error err = {{0}};
    const char *missing[] = {"/nonexistent/x.xml"};
    assert_null(catalogue_load(NULL, missing, 1, &err));
    assert_string_equal(err.text,
                        "/nonexistent/x.xml: cannot be opened: No such file or directory");
    const char *directory[] = {"/"};
    assert_null(catalogue_load(NULL, directory, 1, &err));
    assert_string_equal(err.text, "/: cannot be read: Is a directory");
    assert_null(catalogue_load("/nonexistent", NULL, 0, &err));
    assert_string_equal(err.text, "cannot read the folder /nonexistent: No such file or "
                                  "directory");
    assert_null(catalogue_load("/proc/self/fd", NULL, 0, &err));
    assert_string_equal(err.text, "/proc/self/fd: there are no patterns (*.xml) in this folder");
}

AROUND_ALL(scratch_file_make, scratch_file_remove)
