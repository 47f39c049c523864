// SPDX-License-Identifier: BSD-3-Clause
// Files of kinds of findings: users' files that replace and add, and each kind of bad file with the
// sentence and place that it gets.
#include <stdio.h>
#include <string.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/memory.h"
#include "analyzer/pattern/catalogue.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"

/// The shipped catalogue with a file that holds TEXT; NULL and ERR.
static struct catalogue *load(const char *text, struct error *err)
{
    FILE *file = fopen(scratch_file, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    struct catalogue *catalogue =
        catalogue_load("patterns", (const char *const *)&scratch_file, 1, err);
    if (catalogue && findings_check_remedies(catalogue, err) == 0)
        return catalogue;
    catalogue_free(catalogue);
    return NULL;
}

static struct catalogue *load_good(const char *text)
{
    struct error err;
    struct catalogue *catalogue = load(text, &err);
    if (!catalogue)
        fail_msg("%s\n%s", err.text, text);
    return catalogue;
}

// ---- good files ----

#define TEXTS             "<name>N</name>\n<what>{rank} in {place}</what>\n"
#define FINDING(id, rest) "<finding id='" id "' about='computing'>\n" TEXTS rest "</finding>"

TEST(test_a_kind_is_added)
{
    struct catalogue *shipped = load_good("<pattern id='a'><name>N</name><summary>S</summary>"
                                          "<description>D</description></pattern>");
    struct catalogue *catalogue = load_good("<finding id='mine' about='computing' order='1'>" TEXTS
                                            "<when>share >= 0.9</when>"
                                            "<remedy option='cores' value='{ranks}' proof='yes' "
                                            "when='sharing'>Use\n  {ranks}</remedy></finding>");
    assert_int_equal(catalogue->findings.n, shipped->findings.n + 1);
    const struct finding_kind *kind = finding_kinds_find(&catalogue->findings, "mine");
    assert_ptr_equal(kind, &catalogue->findings.kinds[0]); // the lowest order
    assert_string_equal(kind->file, scratch_file);
    assert_string_equal(kind->hint, "");
    assert_int_equal(kind->n_remedies, 1);
    const struct finding_remedy *remedy = kind->remedies;
    assert_string_equal(remedy->sentence, "Use {ranks}");
    assert_true(remedy->is_proof);
    assert_false(remedy->is_fallback);
    const struct finding_calls none = {0};
    double numbers[N_FINDING_NUMBERS] = {
        [FINDING_NUMBER_share] = 0.9, [FINDING_NUMBER_uneven_share] = 1};
    assert_ptr_equal(finding_kind_of(&catalogue->findings, FINDING_computing, &none, numbers, NULL),
                     kind);
    assert_false(finding_remedy_applies(remedy, numbers));
    numbers[FINDING_NUMBER_sharing] = 1;
    assert_true(finding_remedy_applies(remedy, numbers));
    numbers[FINDING_NUMBER_share] = 0.89;
    assert_string_equal(
        finding_kind_of(&catalogue->findings, FINDING_computing, &none, numbers, NULL)->id,
        "uneven-work");
    catalogue_free(catalogue);
    catalogue_free(shipped);
}

TEST(test_a_kind_is_replaced)
{
    struct error err;
    struct catalogue *shipped = catalogue_load("patterns", NULL, 0, &err);
    struct catalogue *catalogue = load_good(FINDING("uneven-work", ""));
    assert_int_equal(catalogue->findings.n, shipped->findings.n);
    const struct finding_kind *kind = finding_kinds_find(&catalogue->findings, "uneven-work");
    assert_string_equal(kind->name, "N");
    assert_int_equal(kind->order, 100);
    assert_int_equal(kind->n_remedies, 0);
    assert_null(finding_kinds_find(&catalogue->findings, "even-work"));
    catalogue_free(catalogue);
    catalogue_free(shipped);
}

// ---- bad files ----

/// Each file, and the message after its path: the line and what is wrong.
static const struct {
    const char *text, *message;
} bad[] = {
    {"<finding about='mpi'>" TEXTS "</finding>",
     "1: <finding> needs id=\"...\", lower-case words joined by hyphens"},
    {"<finding id='My Finding' about='mpi'>" TEXTS "</finding>",
     "1: <finding> needs id=\"...\", lower-case words joined by hyphens"},
    {"\n<finding id='a'>" TEXTS "</finding>",
     "2: <finding> needs about=\"...\", one of computing, blocked, cores, messages, collective, "
     "onesided, files, probe, mpi, waiting, iterations"},
    {"<finding id='a' about='colective'>" TEXTS "</finding>",
     "1: unknown about colective; is it collective?"},
    {"<finding id='a' about='mpi' ordre='3'>" TEXTS "</finding>",
     "1: <finding> has no attribute 'ordre', did you mean 'order'?"},
    {"<finding id='a' about='mpi' ranks='all'>" TEXTS "</finding>",
     "1: unknown ranks all; there are causing, main, waiting, busiest, sender, heavy"},
    {"<finding id='a' about='mpi' order='-3'>" TEXTS "</finding>", "1: order=\"-3\": "},
    {"<finding id='a' about='mpi'/>", "1: finding 'a' needs <name> and <what>"},
    {"<finding id='a' about='mpi'><name>N</name></finding>",
     "1: finding 'a' needs <name> and <what>"},
    {FINDING("a", "<what>again</what>"), "4: <what> is there twice"},
    {FINDING("a", "<hint>\n</hint>"), "4: <hint> is empty"},
    {FINDING("a", "<hnt>x</hnt>"), "4: <finding> has no element 'hnt', did you mean 'hint'?"},
    {FINDING("a", "<hint>a<b/></hint>"), "4: <hint> holds text only, no element 'b'"},
    {FINDING("a", "<hint lang='en'>a</hint>"), "4: <hint> holds text only, no attribute 'lang'"},
    {FINDING("a", "<hint>in {plce}</hint>"),
     "4: <hint>: there is no {plce}, did you mean {place}?"},
    {FINDING("a", "<hint>[in {place}</hint>"), "4: <hint>: the square brackets do not pair up"},
    {FINDING("a", "<when>shar > 0.5</when>"), "4: formula `shar > 0.5`: unknown name shar"},
    {FINDING("a", "<when>share > </when>"), "4: formula `share >`: "},
    {FINDING("a", "<when/>"), "4: <when> is empty"},
    {FINDING("a", "<remedy>x</remedy>"), "4: <remedy> needs option=\"...\", one of pagoda replay"},
    {FINDING("a", "<remedy option='latency' value='0'/>"), "4: <remedy> is empty"},
    {FINDING("a", "<remedy option='latency' valeu='0'>x</remedy>"),
     "4: <remedy> has no attribute 'valeu', did you mean 'value'?"},
    {FINDING("a", "<remedy option='latency' value='{x}'>x</remedy>"),
     "4: <remedy>: there is no {x}"},
    {FINDING("a", "<remedy option='latency' value='0'>{x}</remedy>"),
     "4: <remedy>: there is no {x}"},
    {FINDING("a", "<remedy option='latency' value='0' when='x'>x</remedy>"),
     "4: formula `x`: unknown name x"},
    {FINDING("a", "<remedy option='latency' value='0' proof='no'>x</remedy>"),
     "4: proof=\"no\" can only be \"yes\""},
    {FINDING("a", "<remedy option='latency' value='0' fallback=''>x</remedy>"),
     "4: fallback=\"\" can only be \"yes\""},
    {FINDING("a", "<remedy option='latncy' value='0'>x</remedy>"),
     "4: <remedy>: `latncy` is not a what-if option of pagoda replay; did you mean `latency`?"},
    {FINDING("a", "<remedy option='json'>x</remedy>"),
     "4: <remedy>: `json` is not a what-if option of pagoda replay"},
    {FINDING("a", "\n<remedy option='latency'>x</remedy>"),
     "5: <remedy>: --latency needs value=\"...\""},
    {FINDING("a", "<remedy option='timeless' value='1'>x</remedy>"),
     "4: <remedy>: --timeless takes no value"},
    {FINDING("a", "") "\n" FINDING("b", ""),
     " no kind of findings: its outermost element is not <finding>"},
    {FINDING("late-sender", ""),
     "1: the id 'late-sender' is that of the pattern in patterns/late-sender.xml:"},
    {"\n<pattern id='uneven-work'><name>N</name><summary>S</summary><description>D</description>"
     "</pattern>",
     "2: the id 'uneven-work' is that of the kind of findings in "
     "patterns/findings/uneven-work.xml:"},
};

TEST(test_bad_files)
{
    size_t length = strlen(scratch_file);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct error err = {{0}};
        if (load(bad[i].text, &err))
            fail_msg("was accepted: %s", bad[i].text);
        if (strncmp(err.text, scratch_file, length) != 0 || err.text[length] != ':' ||
            strncmp(err.text + length + 1, bad[i].message, strlen(bad[i].message)) != 0)
            fail_msg("\"%s\" instead of \"%s\"", err.text, bad[i].message);
    }
}

TEST(test_shipped_remedies)
{
    struct error err;
    struct catalogue *catalogue = catalogue_load("patterns", NULL, 0, &err);
    if (!catalogue || findings_check_remedies(catalogue, &err) != 0)
        fail_msg("%s", err.text);
    catalogue_free(catalogue);
}

TEST(test_large_runs_are_not_predicted)
{
    struct location locations[2] = {{.n_events = 9500000}, {.n_events = 500000}};
    struct definitions definitions = {.locations = locations, .n_locations = 2};
    assert_null(findings_too_large(&definitions));
    locations[1].n_events++;
    assert_non_null(strstr(findings_too_large(&definitions), "pagoda advise"));
}

AROUND_ALL(scratch_file_make, scratch_file_remove)
