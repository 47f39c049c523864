// SPDX-License-Identifier: BSD-3-Clause
// Predictions computed by hand: traces of tests/traces/whatif, with lines such as
//
//     #! --nodes 1 --cores 2 => 7500 7500 -
//     #| <machine {}><message scope="network"><point bytes="0" time="1us"/></message>{}</machine>
//     #! {in-links="1"} --scale "a b=2" => 8500 8500 8000
//     #! ideal => 110 150 window 200 ideal 150 useful 150
//
// The what-if options as on a command line, then the end of each rank (`-`: not computed). Below
// lines `#|` these are the file of --machine, up to other ones or an empty one; its `{}` are
// replaced by what stands in braces in front of the options, in this order, or by nothing. `ideal`:
// on an ideal network, and what follows from that. Whatever is predicted, the critical path sums to
// the run time, the times of a rank to its life, and no rank waits for ever.
#include <stdbool.h>

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/asked.h"
#include "tests/reference/engine_run.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"

enum { MIN_PREDICTIONS = 200, MAX_FILLS = 8 };

struct hand_run {
    const char *path, *line;
    struct engine_run *run;
    char *machine; // of the lines `#|` above, NULL: none
    size_t n_failed, n_checked;
};

static void fail_line(struct hand_run *self, const char *reason)
{
    print_error("%s: #! %s: %s\n", self->path, self->line, reason);
    self->n_failed++;
}

static void expect(struct hand_run *self, const char *what, const char *expected, uint64_t found)
{
    char reason[200];
    if (strcmp(expected, "-") == 0 || strtoull(expected, NULL, 10) == found)
        return;
    snprintf(reason, sizeof reason, "%s %" PRIu64 ", not %s", what, found, expected);
    fail_line(self, reason);
}

/// The next word of *REST, NULL at the end.
static const char *next_word(char **rest)
{
    char *word;
    do
        word = strsep(rest, " ");
    while (word && *word == '\0');
    return word;
}

/// The machine's file with its `{}` replaced by the N texts, in FOLDER; the caller frees the path.
static char *write_machine(const struct hand_run *self, const char *const *fills, size_t n)
{
    char *text = NULL, *path = memory_format("%s/machine.xml", engine_run_scratch(self->run));
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    const char *from = self->machine;
    for (const char *hole; (hole = strstr(from, "{}")); from = hole + 2) {
        fprintf(stream, "%.*s%s", (int)(hole - from), from, n > 0 ? *fills++ : "");
        n -= n > 0;
    }
    fputs(from, stream);
    fclose(stream);
    scratch_write(path, text, size_bytes);
    free(text);
    return path;
}

static void compare_ends(struct hand_run *self, const struct predicted_times *times, char *rest)
{
    uint64_t life_ns, parts_ns;
    char what[40];
    for (size_t r = 0; r < times->n_ranks; r++) {
        const struct predicted_rank *rank = &times->ranks[r];
        const char *word = next_word(&rest);
        snprintf(what, sizeof what, "rank %zu ends at", r);
        expect(self, what, word ? word : "a number", rank->finish_ns);
        life_ns = rank->finish_ns - rank->first_ns;
        parts_ns = rank->outside_ns + rank->wait_ns + rank->overhead_ns;
        if (parts_ns != life_ns)
            fail_line(self, "the times of a rank are not its life");
    }
    if (next_word(&rest))
        fail_line(self, "more ends than ranks");
    if (times->critical_path_ns != times->time_ns)
        fail_line(self, "the critical path is not the run time");
    if (times->n_forced > 0)
        fail_line(self, "some rank waits for ever");
}

static void check_ideal(struct hand_run *self, char *rest)
{
    struct engine_ideal found = {0};
    struct error err = {{0}};
    size_t n_ranks = engine_run_definitions(self->run)->n_ranks;
    if (engine_run_ideal(self->run, &found, &err) != 0)
        fail_line(self, err.text);
    for (size_t i = 0; i < n_ranks + 3; i++) {
        char what[40];
        const char *word = next_word(&rest);
        snprintf(what, sizeof what, i < n_ranks ? "rank %zu ends at" : "value %zu:", i);
        if (i >= n_ranks && word) // after its name
            word = next_word(&rest);
        expect(self, what, word ? word : "a number",
               i < n_ranks        ? found.finish_ns[i]
               : i == n_ranks     ? found.window_ns
               : i == n_ranks + 1 ? found.ideal_ns
                                  : found.max_useful_ns);
    }
}

/// What stands after `#! `.
static void check_line(struct hand_run *self, char *words)
{
    struct asked asked = {0};
    struct predicted_times times = {0};
    struct error err = {{0}};
    const char *fills[MAX_FILLS];
    char *machine = NULL, *ends = strstr(words, "=> ");
    size_t n_fills = 0;
    self->n_checked++;
    assert_non_null(ends);
    *ends = '\0';
    ends += 3;
    for (; *words == '{' && n_fills < MAX_FILLS; words += strspn(words, " ")) {
        fills[n_fills++] = words + 1;
        words += strcspn(words, "}");
        *words++ = '\0';
    }
    if (strcmp(words, "ideal ") == 0) {
        check_ideal(self, ends);
        return;
    }
    if (self->machine)
        machine = write_machine(self, fills, n_fills);
    if (asked_read(&asked, words, machine, &err) != 0 ||
        predicted_times_of(self->run, asked.settings, &times, &err) != 0)
        fail_line(self, err.text);
    else
        compare_ends(self, &times, ends);
    predicted_times_release(&times);
    asked_release(&asked);
    free(machine);
}

static void check_lines(struct hand_run *self, char *text)
{
    bool was_machine = false;
    for (char *line; (line = strsep(&text, "\n"));) {
        bool is_machine = strncmp(line, "#| ", 3) == 0;
        if (is_machine) {
            char *before = was_machine ? self->machine : NULL;
            char *machine = memory_format("%s%s\n", before ? before : "", line + 3);
            free(self->machine);
            self->machine = machine;
        } else if (strcmp(line, "#|") == 0) {
            free(self->machine);
            self->machine = NULL;
        } else if (strncmp(line, "#! ", 3) == 0) {
            SCOPED char *words = memory_copy_text(line + 3);
            self->line = line + 3;
            check_line(self, words);
        }
        was_machine = is_machine;
    }
}

TEST(test_predictions_computed_by_hand)
{
    glob_t files;
    size_t n_failed = 0, n_checked = 0;
    assert_int_equal(glob("tests/traces/whatif/*.txt", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        size_t size_bytes;
        struct error err = {{0}};
        struct hand_run self = {.path = files.gl_pathv[f], .line = ""};
        SCOPED char *text = scratch_read(self.path, &size_bytes);
        self.run = engine_run_new(text, &err);
        if (!self.run)
            fail_line(&self, err.text);
        else
            check_lines(&self, text);
        n_failed += self.n_failed;
        n_checked += self.n_checked;
        engine_run_free(self.run);
        free(self.machine);
    }
    globfree(&files);
    assert_int_equal(n_failed, 0);
    assert_uint_in_range(n_checked, MIN_PREDICTIONS, SIZE_MAX);
}
