// SPDX-License-Identifier: BSD-3-Clause
// Loading catalogues: the shipped hierarchy, users' files that replace and add, Kappa-Pi's form,
// and each kind of bad file with the sentence that it gets.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/xml.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/hint.h"
#include "analyzer/pattern/matcher.h"
#include "tests/tools/lib/scratch.h"

static char *folder, *path; // of the file that is written and read

static int make_file(void **state)
{
    (void)state;
    folder = scratch_directory();
    path = memory_format("%s/pattern.xml", folder);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    scratch_remove(folder);
    free(path);
    return 0;
}

static void write_file(const char *text, size_t size_bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size_bytes, file), size_bytes);
    assert_int_equal(fclose(file), 0);
}

static struct catalogue *load(const char *directory, const char *text, struct error *err)
{
    write_file(text, strlen(text));
    err->text[0] = '\0';
    return catalogue_load(directory, (const char *const *)&path, 1, err);
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
    size_t length = strlen(path);
    if (strncmp(err.text, path, length) != 0 || err.text[length] != ':' ||
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
#define RECEIVE           "<root>receive</root><wait>send_enter - enter</wait>"

static void test_shipped_catalogue(void **state)
{
    (void)state;
    static const char *const ids[] = {"late-sender",
                                      "late-sender-wrong-order",
                                      "late-sender-wrong-order-same-source",
                                      "late-sender-wrong-order-different-source",
                                      "late-receiver",
                                      "wait-at-barrier",
                                      "barrier-completion",
                                      "wait-at-nxn",
                                      "nxn-completion",
                                      "late-broadcast",
                                      "early-reduce",
                                      "wait-at-nx1",
                                      "early-scan",
                                      "wait-at-finalize"};
    enum { N_IDS = sizeof(ids) / sizeof(ids[0]) };
    struct error err = {{0}};
    struct catalogue *catalogue = catalogue_load("patterns", NULL, 0, &err);
    if (!catalogue)
        fail_msg("%s", err.text);
    size_t n_evaluated = 0;
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        n_evaluated += !pattern->is_abstract;
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
    assert_int_equal(n_evaluated, N_IDS);
    for (size_t i = 0; i < N_IDS; i++) {
        const struct pattern *pattern = get(catalogue, ids[i]);
        assert_false(pattern->is_abstract);
        assert_int_equal(pattern->is_counted, strncmp(ids[i], "late-sender-", 12) != 0);
    }
    const struct pattern *same = get(catalogue, "late-sender-wrong-order-same-source");
    assert_int_equal(same->ancestor, catalogue_find(catalogue, "late-sender-wrong-order"));
    assert_int_equal(same->depth, 6);
    catalogue_free(catalogue);
}

static void test_several_patterns_in_one_file(void **state)
{
    (void)state;
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

static void test_other_encodings(void **state)
{
    (void)state;
    struct catalogue *catalogue = load_good(
        NULL,
        "<?xml version='1.0' encoding='ISO-8859-1'?>" PATTERN("a", RECEIVE "<hint>caf\xE9</hint>"));
    assert_string_equal(catalogue->patterns[0].hint, "caf\xC3\xA9");
    catalogue_free(catalogue);
}

static void test_white_space_and_paragraphs(void **state)
{
    (void)state;
    struct catalogue *catalogue = load_good(
        NULL, "<pattern id='a'><name> A\n  name </name><summary>S</summary><description>\n one\n "
              "line\n\n \n  two  <![CDATA[& <more>]]>\n</description></pattern>");
    assert_string_equal(catalogue->patterns[0].name, "A name");
    assert_string_equal(catalogue->patterns[0].description, "one line\n\ntwo & <more>");
    assert_true(catalogue->patterns[0].is_abstract);
    catalogue_free(catalogue);
}

static void test_same_id_replaces(void **state)
{
    (void)state;
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

static void test_severity(void **state)
{
    (void)state;
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

static void test_hint_text(void **state)
{
    (void)state;
    struct hint_facts facts = {.rank = "3", .wait = "12 ms"};
    char *text = hint_text("Rank {rank} waited {wait}[ for rank {cause_rank}] at {path}.", &facts);
    assert_string_equal(text, "Rank 3 waited 12 ms at unknown.");
    free(text);
    facts.cause_rank = "1";
    facts.path = "main/MPI_Recv";
    text = hint_text("Rank {rank}[ ({source})] waited {wait}[ for rank {cause_rank}] at {path}.",
                     &facts);
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

static void test_kappa_pi_late_sender(void **state)
{
    (void)state;
    struct catalogue *catalogue = load_good(NULL, KAPPA_LATE_SENDER);
    assert_int_equal(catalogue->n_patterns, 1);
    const struct pattern *pattern = &catalogue->patterns[0];
    assert_string_equal(pattern->id, "late-sender");
    assert_string_equal(pattern->name, "Late Sender");
    assert_string_equal(pattern->root, "receive");
    assert_string_equal(pattern->condition, "is_nonblocking == 0 && send_enter > enter");
    assert_string_equal(pattern->wait, "send_enter - enter");
    assert_string_equal(pattern->cause, "sender");
    catalogue_free(catalogue);
}

static void test_kappa_pi_replaces_but_keeps_texts(void **state)
{
    (void)state;
    struct catalogue *catalogue = load_good("patterns", KAPPA_LATE_SENDER);
    const struct pattern *pattern = get(catalogue, "late-sender");
    assert_string_equal(pattern->parent, "point-to-point");
    assert_true(pattern->is_counted);
    assert_non_null(strstr(pattern->hint, "{rank}"));
    assert_string_equal(pattern->wait, "send_enter - enter");
    assert_string_equal(pattern->formula, "send_enter - enter");
    catalogue_free(catalogue);
}

static void test_kappa_pi_spellings(void **state)
{
    (void)state;
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
    assert_string_equal(pattern->root, "send");
    assert_string_equal(pattern->name, "Late Receiver (blocking)");
    assert_string_equal(pattern->condition,
                        "post_enter < leave && is_nonblocking == 0 && bytes >= 1000");
    assert_string_equal(pattern->wait, "post_enter - enter");
    assert_string_equal(pattern->parent, "");
    assert_string_equal(get(catalogue, "late-sender")->wait, "send_enter - enter");
    catalogue_free(catalogue);
}

static void test_kappa_pi_computed_values(void **state)
{
    (void)state;
    struct catalogue *catalogue =
        load_good(NULL, "<PATTERN Name='X'><ROOTTYPE>RECV</ROOTTYPE>" KAPPA_EVENTS
                        "<EXPORT><COMPUTE NAME='t' AS='-' OP1='E2.stamp' OP2='E1.stamp'/>"
                        "<COMPUTE NAME='half' AS='/' OP1='T' OP2='2'/></EXPORT></PATTERN>");
    assert_string_equal(catalogue->patterns[0].wait, "send_enter - enter");
    catalogue_free(catalogue);
}

static void test_bad_kappa_pi(void **state)
{
    (void)state;
#define KAPPA(inside) "<PATTERN Name='X'>\n" inside "</PATTERN>"
#define KAPPA_RECV    "<ROOTTYPE>RECV</ROOTTYPE>"
    check_refused("<PATTERN><ROOTTYPE>RECV</ROOTTYPE></PATTERN>",
                  "1: <PATTERN> needs an attribute Name");
    check_refused("<Pattern id='a'/>", "1: <Pattern> must be written <pattern>");
    check_refused("<PATTERN Name='?'>" KAPPA_RECV KAPPA_EVENTS KAPPA_EXPORT "</PATTERN>",
                  "1: the name '?' gives no id");
    check_refused(KAPPA(KAPPA_EXPORT), "1: <PATTERN> needs an element <ROOTTYPE>");
    check_refused(KAPPA(KAPPA_RECV), "1: <PATTERN> needs an element <EXPORT>");
    check_refused(KAPPA("<ROOTTYPE>RECVS</ROOTTYPE><EXPORT/>"),
                  "2: the root event 'RECVS' is not known; there are RECV and SEND");
    check_refused(KAPPA(KAPPA_RECV KAPPA_RECV), "2: <ROOTTYPE> is there twice");
    check_refused(KAPPA(KAPPA_RECV "\n<EXPROT/>"),
                  "3: <PATTERN> has no element 'EXPROT', did you mean 'EXPORT'?");
    check_refused(KAPPA(KAPPA_RECV "<EXPORT/>"), "2: <EXPORT> needs a <COMPUTE>");
    check_refused(KAPPA(KAPPA_RECV "<EXPORT><COND/></EXPORT>"),
                  "2: <EXPORT> holds <COMPUTE> only, not <COND>");
    check_refused(KAPPA(KAPPA_RECV "<EXPORT/><INSTANTIATION><EVENT NAME='A' TYPE='ENTER'/>"
                                   "</INSTANTIATION>"),
                  "2: <EVENT> needs an attribute FROM");
    check_refused(KAPPA(KAPPA_RECV "<EXPORT/><INSTANTIATION><EVENT NAME='A' TPYE='ENTER' "
                                   "FROM='ROOT'/></INSTANTIATION>"),
                  "2: <EVENT> has no attribute 'TPYE', did you mean 'TYPE'?");
    check_refused(KAPPA(KAPPA_RECV "<EXPORT/><INSTANTIATION><EVENT NAME='A' TYPE='SEND' "
                                   "TO='ROOTS'/></INSTANTIATION>"),
                  "2: there is no event 'ROOTS' before this, did you mean 'ROOT'?");
    check_refused(KAPPA(KAPPA_RECV "<EXPORT/><INSTANTIATION><EVENT NAME='A' TYPE='RECV' "
                                   "TO='ROOT'/></INSTANTIATION>"),
                  "2: an event of type 'RECV' is not known for 'ROOT': there are ENTER, LEAVE and "
                  "SEND");
    check_refused(KAPPA(KAPPA_RECV "<EXPORT/><INSTANTIATION><EVENT NAME='A' TYPE='ENTER' "
                                   "FROM='ROOT'/><EVENT NAME='B' TYPE='ENTER' FROM='A'/>"
                                   "</INSTANTIATION>"),
                  "2: 'B' must belong to the ROOT or to a send or receive, and 'A' is none");
    check_refused(KAPPA(KAPPA_RECV KAPPA_EVENTS "<CONSTRAINT><COND TYPE='~' OP1='E1.stamp' "
                                                "OP2='1'/></CONSTRAINT><EXPORT/>"),
                  "7: '~' is no comparison");
    check_refused(KAPPA(KAPPA_RECV KAPPA_EVENTS "<CONSTRAINT><COND TYPE='=' OP1='E2.type' "
                                                "OP2='RECV'/></CONSTRAINT><EXPORT/>"),
                  "7: the condition can never hold: E2 is always a SEND");
    check_refused(KAPPA(KAPPA_RECV KAPPA_EVENTS "<CONSTRAINT><COND TYPE='=' OP1='E1.type' "
                                                "OP2='BARRIER'/></CONSTRAINT><EXPORT/>"),
                  "7: the type of E1 is RECV or WAIT, never 'BARRIER'");
    check_refused(KAPPA(KAPPA_RECV KAPPA_EVENTS
                        "<EXPORT><COMPUTE NAME='a' AS='-' OP1='S1.stamp' OP2='E1.stamp'/>"
                        "</EXPORT>"),
                  "7: S1.STAMP cannot be evaluated");
    check_refused(KAPPA(KAPPA_RECV KAPPA_EVENTS
                        "<EXPORT><COMPUTE NAME='a' AS='%' OP1='E2.stamp' OP2='E1.stamp'/>"
                        "</EXPORT>"),
                  "7: '%' is no operation; there are + - * / MIN MAX");
    check_refused(KAPPA(KAPPA_RECV KAPPA_EVENTS
                        "<EXPORT><COMPUTE NAME='a' AS='-' OP1='idle' OP2='E1.stamp'/></EXPORT>"),
                  "7: 'IDLE' is neither a number nor EVENT.property nor a value computed before");
}

// ---- bad files ----

static void test_bad_xml(void **state)
{
    (void)state;
    check_refused("", "1: is not well-formed XML: ");
    check_refused("late sender", "1: is not well-formed XML: ");
    check_refused("<pattern id='a'>\n<name>N</nam>\n</pattern>", "2: is not well-formed XML: ");
    check_refused("<pattern id='a'>\n<name>N", "2: is not well-formed XML: ");
    check_refused("<pattern id='a' id='b'/>", "1: is not well-formed XML: ");
    check_refused("<pattern id='a'><name>&undefined;</name></pattern>",
                  "1: is not well-formed XML: ");
    check_refused("<pattern id='a'><name>\xFF\xFE</name></pattern>", "1: is not well-formed XML: ");
    check_one_line("<pattern id='a'><name>\xFF\xFE</name></pattern>");
    check_one_line("<pattern id='a&#10;b'/>");
    check_one_line("<pattern id='a' parent='b&#10;c'>" TEXTS "</pattern>");
    write_file("<pattern\0/>", 11);
    struct error err = {{0}};
    assert_null(catalogue_load(NULL, (const char *const *)&path, 1, &err));
    assert_non_null(strstr(err.text, ": is no text in UTF-8"));
}

static void test_hostile_xml(void **state)
{
    (void)state;
    const char *refused = ": a document type declaration (<!DOCTYPE) is not allowed here";
    char message[200];
    snprintf(message, sizeof(message), "2%s", refused);
    check_refused("<?xml version='1.0'?>\n<!DOCTYPE lolz [<!ENTITY a 'ha'>"
                  "<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
                  "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>"
                  "<!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>"
                  "<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'>"
                  "<!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'>"
                  "<!ENTITY g '&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;'>"
                  "<!ENTITY h '&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;'>"
                  "<!ENTITY i '&h;&h;&h;&h;&h;&h;&h;&h;&h;&h;'>]>\n"
                  "<pattern id='a'><name>&i;</name></pattern>",
                  message);
    message[0] = '1';
    check_refused("<!DOCTYPE p [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><pattern id='a'>"
                  "<name>&x;</name></pattern>",
                  message);
    check_refused("<!DOCTYPE p SYSTEM 'http://127.0.0.1:1/p.dtd'><pattern id='a'/>", message);
    check_refused("<!DOCTYPE p [<!ENTITY % x SYSTEM 'http://127.0.0.1:1/x'> %x;]><pattern/>",
                  message);
    check_refused("<pattern id='a'/><!DOCTYPE p><pattern id='b'/>", "1: is not well-formed XML");
    // Below the root of a fragment: not reached as a document type, so no XML at all.
    check_refused("<a/><!DOCTYPE p [<!ENTITY x 'y'>]><b>&x;</b>", "1: is not well-formed XML");
}

static void test_sizes_are_bounded(void **state)
{
    (void)state;
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

static void test_bad_elements(void **state)
{
    (void)state;
    check_refused("<patterns/>", "1: there is no <pattern> in it");
    check_refused("<machine/>", "1: <machine> is no <pattern>");
    check_refused("<patterns>\n<patern id='a'/></patterns>", "2: <patern> is no <pattern>");
    check_refused("<pattern>" TEXTS "</pattern>", "1: <pattern> needs an attribute id");
    check_refused("<pattern id='Late Sender'>" TEXTS "</pattern>",
                  "1: the id 'Late Sender' must be lower-case words joined by hyphens");
    check_refused("<pattern id='a--b'>" TEXTS "</pattern>", "1: the id 'a--b' must be");
    check_refused("<pattern id=''>" TEXTS "</pattern>", "1: the id '' must be");
    check_refused("<pattern id='a' parnet='time'>" TEXTS "</pattern>",
                  "1: <pattern> has no attribute 'parnet', did you mean 'parent'?");
    check_refused("<pattern id='a'>\n" TEXTS "<conditon>1</conditon></pattern>",
                  "2: <pattern> has no element 'conditon', did you mean 'condition'?");
    check_refused("<pattern id='a'>\n" TEXTS "\n<colour>1</colour></pattern>",
                  "3: <pattern> has no element 'colour'");
    check_refused("<pattern id='a'>" TEXTS "\n<name>M</name></pattern>",
                  "2: pattern 'a' has <name> twice");
    check_refused("<pattern id='a'><name/></pattern>", "1: <name> is empty");
    check_refused("<pattern id='a'><name>a <b>c</b></name></pattern>",
                  "1: <name> holds text only, no element 'b'");
    check_refused("<pattern id='a'><name lang='en'>N</name></pattern>",
                  "1: <name> holds text only, no attribute 'lang'");
    check_refused("<pattern id='a'><name>N</name><summary>S</summary></pattern>",
                  "1: pattern 'a' needs an element <description>");
    check_refused("<pattern id='a'>" TEXTS RECEIVE "</pattern>",
                  "1: pattern 'a' needs an element <formula>");
    check_refused(PATTERN("a", "<root>receive</root>"),
                  "1: pattern 'a' has a <root> but no <wait>");
    check_refused(PATTERN("a", "<wait>1</wait>"), "1: pattern 'a' has a <wait> but no <root>");
    check_refused("<pattern id='a'>" TEXTS "<condition>1</condition></pattern>",
                  "1: pattern 'a' has neither <root> nor <wait>, so <condition> has no use");
    check_refused("<patterns>" PATTERN("a", RECEIVE) "\n" PATTERN("a", RECEIVE) "</patterns>",
                  "2: pattern 'a' is there twice, first in line 1");
}

static void test_bad_hierarchy(void **state)
{
    (void)state;
    check_refused(PATTERN("a' parent='comunication", RECEIVE),
                  "1: the parent 'comunication' of pattern 'a' does not exist, did you mean "
                  "'communication'?");
    check_refused(PATTERN("a' parent='a", RECEIVE), "1: pattern 'a' is its own ancestor");
    check_refused("<patterns>" PATTERN("a' parent='b", RECEIVE) PATTERN("b' parent='c", RECEIVE)
                      PATTERN("c' parent='a", RECEIVE) "</patterns>",
                  "1: pattern 'a' is its own ancestor by its parent 'b'");
    check_refused("<patterns>" PATTERN("a' parent='b", RECEIVE)
                      PATTERN("b' parent='b", RECEIVE) "</patterns>",
                  "1: pattern 'b' is its own ancestor by its parent 'b'");
    char text[20000] = "<patterns>";
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "<pattern id='p%d' parent='p%d'>" TEXTS "</pattern>\n", i + 1,
                i);
    strcat(text, "<pattern id='p0'>" TEXTS "</pattern></patterns>");
    check_refused(text, "33: pattern 'p33' has more than 32 ancestors");
}

static void test_bad_contents(void **state)
{
    (void)state;
    check_refused(PATTERN("a", "<root>recieve</root><wait>1</wait>"),
                  "1: <root> of pattern 'a': there is no kind of root event 'recieve', did you "
                  "mean 'receive'?");
    check_refused(PATTERN("a", "<root>receive</root><wait>send_entr - enter</wait>"),
                  "1: <wait> of pattern 'a': there is no value 'send_entr' here, did you mean "
                  "'send_enter'? (at character 1 of \"send_entr - enter\")");
    check_refused(PATTERN("a", "<root>send</root><wait>send_leave</wait>"),
                  "1: <wait> of pattern 'a': there is no value 'send_leave' here");
    check_refused(PATTERN("a", RECEIVE "<condition>enter ></condition>"),
                  "1: <condition> of pattern 'a': a value is missing at the end");
    check_refused(PATTERN("a", RECEIVE "<begin>0.5</begin>"),
                  "1: <begin> of pattern 'a': only whole numbers can be used here");
    check_refused(PATTERN("a", RECEIVE "<cause>sendr</cause>"),
                  "1: <cause> of pattern 'a': there is no value 'sendr' here, did you mean "
                  "'sender'?");
    check_refused(PATTERN("a", RECEIVE "<confidence>high</confidence>"),
                  "1: <confidence> of pattern 'a': there is no value 'high' here");
    check_refused(PATTERN("a", RECEIVE "<severity>totl</severity>"),
                  "1: <severity> of pattern 'a': there is no value 'totl' here, did you mean "
                  "'total'?");
    check_refused(PATTERN("a", RECEIVE "<threshold>1.5</threshold>"),
                  "1: <threshold> of pattern 'a': must be a number from 0 to 1, not '1.5'");
    check_refused(PATTERN("a", RECEIVE "<threshold>often</threshold>"),
                  "1: <threshold> of pattern 'a': there is no value 'often' here");
    check_refused("<pattern id='a'>" TEXTS RECEIVE
                  "<formula>F</formula><unit>s</unit><diagnosis>G</diagnosis></pattern>",
                  "1: <unit> of pattern 'a': the only unit of a wait is 'ns', not 's'");
    check_refused(PATTERN("a", RECEIVE "<hint>Rank {rnak}</hint>"),
                  "1: <hint> of pattern 'a': there is no {rnak}, did you mean {rank}?");
    check_refused(PATTERN("a", RECEIVE "<hint>Rank {rank</hint>"),
                  "1: <hint> of pattern 'a': there is a '{' without its '}'");
    check_refused(PATTERN("a", RECEIVE "<hint>Rank rank}</hint>"),
                  "1: <hint> of pattern 'a': there is a '}' without its '{'");
    check_refused(PATTERN("a", RECEIVE "<hint>a [b [c]]</hint>"),
                  "1: <hint> of pattern 'a': the square brackets do not pair up");
    check_refused(PATTERN("a", RECEIVE "<hint>a [b</hint>"),
                  "1: <hint> of pattern 'a': the square brackets do not pair up");
    check_refused(PATTERN("a", RECEIVE "<within>parent</within>"),
                  "1: <within> of pattern 'a': no pattern above it has a wait");
    check_refused(PATTERN("a", RECEIVE "<within>late-sender</within>"),
                  "1: <within> of pattern 'a': can only be 'parent', not 'late-sender'");
    check_refused(PATTERN("a' parent='late-receiver", RECEIVE "<within>parent</within>"),
                  "1: <within> of pattern 'a': its root is a receive, but that of 'late-receiver' "
                  "above it is a send");
    check_refused(PATTERN("a", "<root>receive</root><wait>parent_wait</wait>"),
                  "1: <wait> of pattern 'a': there is no value 'parent_wait' here");
}

static void test_missing_files(void **state)
{
    (void)state;
    struct error err = {{0}};
    const char *missing[] = {"/nonexistent/x.xml"};
    assert_null(catalogue_load(NULL, missing, 1, &err));
    assert_string_equal(err.text,
                        "/nonexistent/x.xml: cannot be opened: No such file or directory");
    const char *directory[] = {"/"};
    assert_null(catalogue_load(NULL, directory, 1, &err));
    assert_string_equal(err.text, "/: cannot be read: Is a directory");
    assert_null(catalogue_load("/nonexistent", NULL, 0, &err));
    assert_string_equal(err.text,
                        "/nonexistent: cannot read the folder of patterns: No such file or "
                        "directory");
    assert_null(catalogue_load("/proc/self/fd", NULL, 0, &err));
    assert_string_equal(err.text, "/proc/self/fd: there are no patterns (*.xml) in this folder");
}

// ---- mutated files ----

static uint32_t random_state = 1;

static size_t random_below(size_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

/// Changes a byte, takes out a few, doubles a part, or puts in something with a meaning.
static size_t mutate(char *text, size_t length)
{
    static const char *const words[] = {"<!DOCTYPE a [",
                                        "]>",
                                        "&lt;",
                                        "never",
                                        "(",
                                        "if(",
                                        "parent",
                                        "<wait>",
                                        "</wait>",
                                        "1/0",
                                        "-",
                                        "{",
                                        "[",
                                        "\xFF",
                                        "ROOT",
                                        "E1.stamp",
                                        "and",
                                        "not ",
                                        "&#10;",
                                        "<![CDATA[",
                                        "<PATTERN Name='a'>",
                                        "</pattern>",
                                        "min(",
                                        "<pattern>",
                                        "&a;",
                                        "9223372036854775807"};
    size_t at = random_below(length), n = random_below(40);
    if (at + n >= length)
        n = length - at;
    const char *word = words[random_below(sizeof(words) / sizeof(words[0]))];
    switch (random_below(4)) {
    case 0:
        text[at] = "0123456789 <>=+-*/().,abcxyz"[random_below(28)];
        return length;
    case 1:
        memmove(text + at, text + at + n, length - at - n + 1);
        return length - n;
    case 2:
        memmove(text + at + n, text + at, length - at + 1);
        return length + n;
    default:
        n = strlen(word);
        memmove(text + at + n, text + at, length - at + 1);
        memcpy(text + at, word, n);
        return length + n;
    }
}

/// Whatever stands in a file, it is loaded and can be matched, or it gets one sentence with its
/// name.
static void test_mutated_files(void **state)
{
    (void)state;
    static const char *const originals[] = {
        KAPPA_LATE_SENDER,
        PATTERN("a", RECEIVE
                "<condition>enter &lt; leave and not (tag = 3 or bytes / tag > 5)</condition>"
                "<hint>Rank {rank}[ ({source})]</hint><confidence>if(tag, 1, 0.5)</confidence>"),
        "<patterns>" PATTERN("a", RECEIVE)
            PATTERN("b' parent='a", RECEIVE "<within>parent</within><begin>max(enter, tag)</begin>"
                                            "<cause>sender</cause>") "</patterns>",
    };
    const struct definitions definitions = {.n_locations = 1, .n_ranks = 1};
    unsigned n_loaded = 0, n_refused = 0;
    for (int i = 0; i < 1500; i++) {
        char text[8000];
        strcpy(text, originals[i % 3]);
        size_t length = strlen(text);
        for (size_t n = random_below(2) + 1; n > 0; n--)
            length = mutate(text, length);
        struct error err;
        struct catalogue *catalogue = load(NULL, text, &err);
        if (!catalogue) {
            n_refused++;
            if (strncmp(err.text, path, strlen(path)) != 0 || strpbrk(err.text, "\r\n"))
                fail_msg("\"%s\" for %s", err.text, text);
            continue;
        }
        n_loaded++;
        struct matcher *matcher = matcher_new(catalogue, &definitions);
        for (size_t k = 0; k < 20; k++) {
            static const int64_t odd[] = {INT64_MAX, INT64_MIN, -1, 0, 1, 150};
            struct root root = {.kind = (enum root_kind)(k % ROOT_KINDS)};
            for (size_t field = 0; field < ROOT_MAX_FIELDS; field++)
                root.value[field] = odd[random_below(6)];
            root.value[ROOT_RECEIVE_ENTER] = 100;
            root.value[ROOT_RECEIVE_LEAVE] = 200;
            matcher_root(matcher, &root);
        }
        for (size_t k = 0; k < catalogue->n_patterns; k++) {
            struct matcher_finding finding = matcher_finding(matcher, k);
            assert_true(finding.total_ns <= finding.count * 100);
            assert_true(finding.confidence >= 0 && finding.confidence <= 1);
        }
        matcher_free(matcher);
        catalogue_free(catalogue);
    }
    if (n_loaded < 30 || n_refused < 100)
        fail_msg("%u loaded, %u refused", n_loaded, n_refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_catalogue),
        cmocka_unit_test(test_several_patterns_in_one_file),
        cmocka_unit_test(test_other_encodings),
        cmocka_unit_test(test_white_space_and_paragraphs),
        cmocka_unit_test(test_same_id_replaces),
        cmocka_unit_test(test_severity),
        cmocka_unit_test(test_hint_text),
        cmocka_unit_test(test_kappa_pi_late_sender),
        cmocka_unit_test(test_kappa_pi_replaces_but_keeps_texts),
        cmocka_unit_test(test_kappa_pi_spellings),
        cmocka_unit_test(test_kappa_pi_computed_values),
        cmocka_unit_test(test_bad_kappa_pi),
        cmocka_unit_test(test_bad_xml),
        cmocka_unit_test(test_hostile_xml),
        cmocka_unit_test(test_sizes_are_bounded),
        cmocka_unit_test(test_bad_elements),
        cmocka_unit_test(test_bad_hierarchy),
        cmocka_unit_test(test_bad_contents),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_mutated_files),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
