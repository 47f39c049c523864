// SPDX-License-Identifier: BSD-3-Clause
// The text of `--help`: usage line, summary, details, and one entry per row of the option table,
// group by group, wrapped to 80 columns; the same rows in mdoc, for the manual page; and
// completions.
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"

enum { HELP_COLUMN = 28, HELP_WIDTH = 80, MAX_TOPICS = 8 };

/// Words of TEXT from column HELP_COLUMN to HELP_WIDTH.
static void print_wrapped(const char *text, FILE *stream)
{
    print_paragraph(text, HELP_COLUMN, HELP_COLUMN, HELP_WIDTH, stream);
}

static void print_row(const struct option_row *row, FILE *stream)
{
    char head[128], help[1024];
    if (!row->help)
        return;
    char letter[5] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(head, sizeof head, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    const char *again = row->type == OPTION_LIST ? " (may be repeated)" : "";
    if (row->default_text)
        snprintf(help, sizeof help, "%s%s [%s]", row->help, again, row->default_text);
    else
        snprintf(help, sizeof help, "%s%s", row->help, again);
    if (strlen(head) + 2 > HELP_COLUMN)
        fprintf(stream, "%s\n%*s", head, HELP_COLUMN, "");
    else
        fprintf(stream, "%-*s", HELP_COLUMN, head);
    print_wrapped(help, stream);
}

/// The rows [*FIRST, *END) of a group.
static void rows_of(const struct option_usage *usage, size_t group, size_t *first, size_t *end)
{
    size_t bounds[2] = {usage->n_rows, usage->n_rows};
    for (size_t i = 0; i < 2 && group + i < usage->n_groups; i++)
        for (size_t j = 0; j < usage->n_rows; j++)
            if (strcmp(usage->rows[j].name, usage->groups[group + i].first) == 0)
                bounds[i] = j;
    assert(bounds[0] < bounds[1] && "bug: a group of options begins with none of the rows");
    *first = bounds[0];
    *end = bounds[1];
}

/// "  placement      --place, --nodes, ...": the options of a group whose topic is not asked for.
static void print_names(const struct option_usage *usage, size_t group, FILE *stream)
{
    char names[HELP_WIDTH * 8] = "";
    size_t first, end, length = 0;
    rows_of(usage, group, &first, &end);
    for (size_t i = first; i < end && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "--%s%s",
                                   usage->rows[i].name, i + 1 < end ? " " : "");
    fprintf(stream, "  %-*s", HELP_COLUMN - 2, usage->groups[group].heading);
    print_wrapped(names, stream);
}

static void print_group(const struct option_usage *usage, size_t index, FILE *stream)
{
    const struct option_group *group = &usage->groups[index];
    size_t first, end;
    rows_of(usage, index, &first, &end);
    fprintf(stream, "\n%s%s%s:\n", group->topic ? group->topic : "", group->topic ? ", " : "",
            group->heading);
    for (size_t i = first; i < end; i++)
        print_row(&usage->rows[i], stream);
}

static bool has_topic(const struct option_group *group, const char *topic)
{
    return group->topic && topic && strcmp(group->topic, topic) == 0;
}

/// The groups without a topic in full and the names of the others.
static void print_first_screen(const struct option_usage *usage, FILE *stream)
{
    for (size_t i = 0; i < usage->n_groups; i++) {
        const char *topic = usage->groups[i].topic;
        if (!topic) {
            print_group(usage, i, stream);
            continue;
        }
        if (i == 0 || !has_topic(&usage->groups[i - 1], topic))
            fprintf(stream, "\n%s options (explained by `pagoda %s --help %s`):\n", topic,
                    usage->command, topic);
        print_names(usage, i, stream);
    }
}

/// The groups of a topic, or all of them.
static void print_topic(const struct option_usage *usage, const char *topic, FILE *stream)
{
    bool is_all = strcmp(topic, "all") == 0;
    for (size_t i = 0; i < usage->n_groups; i++)
        if (is_all || has_topic(&usage->groups[i], topic))
            print_group(usage, i, stream);
}

/// The topics of `--help`, the last of which is `all`, into TOPICS; 0: the help has one screen.
static size_t list_topics(const struct option_usage *usage, const char *topics[MAX_TOPICS])
{
    size_t n = 0;
    for (size_t i = 0; i < usage->n_groups; i++) {
        const char *topic = usage->groups[i].topic;
        if (!topic || (n > 0 && strcmp(topics[n - 1], topic) == 0))
            continue;
        assert(n + 1 < MAX_TOPICS && "bug: too many topics of the help");
        topics[n++] = topic;
    }
    if (n > 0)
        topics[n++] = "all";
    return n;
}

// ---- the manual page

/// Whether WORD, of N letters, is a placeholder in ARGUMENT.
static bool is_placeholder(const char *argument, const char *word, size_t n)
{
    for (const char *at = argument; at && *at;) {
        size_t length = strcspn(at, "=|[],.:#");
        if (length == n && n > 0 && isupper((unsigned char)*at) && strncmp(at, word, n) == 0)
            return true;
        at += length + (at[length] != '\0');
    }
    return false;
}

/// A word in mdoc: options and `words in backquotes` bold, placeholders of ROW in italics.
static void print_man_word(const struct option_row *row, const char *word, size_t n, FILE *stream)
{
    size_t before = strspn(word, "(\"");
    size_t length = strcspn(word + before, ",;:.)\"=");
    before = before < n ? before : 0;
    length = before + length < n ? length : n - before;
    const char *name = word + before;
    bool is_option = length > 2 && name[0] == '-' && name[1] == '-';
    bool is_argument = is_placeholder(row->argument, name, length);
    for (size_t i = 0; i < n; i++) {
        if (i == before && (is_option || is_argument))
            fputs(is_option ? "\\fB" : "\\fI", stream);
        if (i == before + length && (is_option || is_argument))
            fputs("\\fR", stream);
        if (word[i] == '\\')
            fputs("\\e", stream);
        else if (i == 0 && (word[i] == '.' || word[i] == '\''))
            fprintf(stream, "\\&%c", word[i]);
        else if (word[i] == '-')
            fputs("\\-", stream);
        else
            fputc(word[i], stream);
    }
    if ((is_option || is_argument) && before + length == n)
        fputs("\\fR", stream);
}

/// TEXT as sentences, each on a line of its own as mdoc wants it.
static void print_man_text(const struct option_row *row, const char *text, FILE *stream)
{
    bool begins = true, is_literal = false;
    for (size_t n; *text; text += n + strspn(text + n, " ")) {
        n = strcspn(text, " ");
        bool opens = *text == '`' && n > 1, ends = text[n - 1] == '.' || text[n] == '\0';
        if (!begins)
            fputc(' ', stream);
        if (opens || is_literal) {
            const char *close = memchr(text + opens, '`', n - opens);
            size_t inner = close ? (size_t)(close - text) : n;
            fprintf(stream, "%s", opens ? "\\fB" : "");
            for (size_t i = opens; i < inner; i++)
                fputs(text[i] == '\\'  ? "\\e"
                      : text[i] == '-' ? "\\-"
                                       : (char[]){text[i], 0},
                      stream);
            fprintf(stream, "%s%.*s", close ? "\\fR" : "", close ? (int)(n - inner - 1) : 0,
                    close ? close + 1 : "");
            is_literal = !close;
        } else if (begins && islower((unsigned char)*text)) {
            fputc(toupper((unsigned char)*text), stream);
            fwrite(text + 1, 1, n - 1, stream);
        } else {
            print_man_word(row, text, n, stream);
        }
        begins = ends && !is_literal &&
                 (text[n] == '\0' || isupper((unsigned char)text[n + 1]) || text[n + 1] == '`' ||
                  text[n + 1] == '-');
        if (begins)
            fprintf(stream, "%s\n", text[n - 1] == '.' ? "" : ".");
    }
}

/// NODE=RANKS as `Ar NODE Ns No \&= Ns Ar RANKS`.
static void print_man_argument(const char *argument, FILE *stream)
{
    const char *separator = " ";
    for (size_t n; *argument; argument += n, separator = " Ns ") {
        n = strcspn(argument, "=|[],.:#");
        n = n > 0 ? n : strspn(argument, "=|[],.:#");
        bool is_word = isalnum((unsigned char)*argument);
        fprintf(stream, "%s%s%.*s", separator,
                !is_word                              ? "No \\&"
                : isupper((unsigned char)argument[0]) ? "Ar "
                                                      : "Cm ",
                (int)n, argument);
    }
}

static void print_man_rows(const struct option_row *rows, size_t n, FILE *stream)
{
    fputs(".Bl -tag -width 4n\n", stream);
    for (const struct option_row *row = rows; row < rows + n; row++) {
        if (!row->help)
            continue;
        fputs(".It ", stream);
        if (row->letter)
            fprintf(stream, "Fl %c , ", row->letter);
        fprintf(stream, "Fl -%s", row->name);
        if (row->argument)
            print_man_argument(row->argument, stream);
        fputc('\n', stream);
        print_man_text(row, row->help, stream);
        if (row->manual)
            print_man_text(row, row->manual, stream);
        if (row->default_text)
            fprintf(stream, "Default: %s.\n", row->default_text);
        if (row->type == OPTION_LIST)
            fputs("May be given several times.\n", stream);
    }
    fputs(".El\n", stream);
}

static void print_manual(const struct option_usage *usage, FILE *stream)
{
    const char *topics[MAX_TOPICS];
    size_t n_topics = list_topics(usage, topics);
    SCOPED char *names = spelling_list(topics, n_topics);
    SCOPED char *manual = memory_format("TOPIC is one of: %s.", names);
    const struct option_row help = OPTION_ROW(
        "help", 'h', OPTION_FLAG, n_topics > 0 ? "[TOPIC]" : NULL, bool, NULL,
        n_topics > 0 ? "print a summary of the options, or the options of TOPIC in full, and exit"
                     : "print a summary of the options and exit",
        NULL, .manual = n_topics > 0 ? manual : NULL);
    for (size_t i = 0; i < usage->n_groups; i++) {
        const struct option_group *group = &usage->groups[i];
        size_t first, end;
        rows_of(usage, i, &first, &end);
        const char *title = group->topic ? group->topic : group->heading;
        fprintf(stream, ".Ss %c%s%s%s\n", toupper((unsigned char)*title), title + 1,
                group->topic ? ": " : "", group->topic ? group->heading : "");
        print_man_rows(usage->rows + first, end - first, stream);
    }
    if (usage->n_groups > 0)
        fputs(".Ss Help\n", stream);
    else if (usage->n_rows > 0)
        print_man_rows(usage->rows, usage->n_rows, stream);
    print_man_rows(&help, 1, stream);
}

/// Whether `--help TOPIC` can be answered; else one sentence says what can.
static bool topic_is_known(const struct option_usage *usage, const char *topic)
{
    const char *topics[MAX_TOPICS];
    size_t n = list_topics(usage, topics);
    if (HAS_TEXT(topics, n, topic))
        return true;
    SCOPED char *names = spelling_list(topics, n),
                *otherwise = memory_format("; there are: %s", names);
    options_usage_error(usage, "`pagoda %s` has no help topic `%s`%s", usage->command, topic,
                        spelling_hint(topic, topics, n, "; did you mean `%s`?", otherwise).text);
    return false;
}

int options_print_help(const struct option_usage *usage, const char *topic, FILE *stream)
{
    if (topic && strcmp(topic, "man") == 0) {
        print_manual(usage, stream);
        return STATUS_DONE;
    }
    const char *topics[MAX_TOPICS];
    if (topic && (*topic == '-' || list_topics(usage, topics) == 0))
        topic = NULL; // a word of the command line that the user was writing
    if (topic && !topic_is_known(usage, topic))
        return STATUS_USAGE;
    const struct option_row help = OPTION_FLAG_ROW("help", 'h', NULL, "print this help");
    int columns = fprintf(stream, "usage: pagoda %s [options]", usage->command);
    bool fits = (size_t)columns + 1 + strlen(usage->operands) <= HELP_WIDTH;
    fprintf(stream, "%s%s\n\n%s.\n",
            !usage->operands[0] ? ""
            : fits              ? " "
                                : "\n  ",
            usage->operands, usage->summary);
    if (usage->details)
        fprintf(stream, "\n%s", usage->details);
    if (topic)
        print_topic(usage, topic, stream);
    else
        print_first_screen(usage, stream);
    fprintf(stream, "\n%s:\n", usage->n_groups > 0 ? "other options" : "options");
    for (size_t i = 0; i < usage->n_rows && usage->n_groups == 0; i++)
        print_row(&usage->rows[i], stream);
    print_row(&help, stream);
    fprintf(stream, "\nFull description: man pagoda-%.*s\n", (int)strcspn(usage->command, " "),
            usage->command);
    return STATUS_DONE;
}

// ---- completions: names of options, words that an argument lists, files and folders by the
// argument's placeholder, bundled files. Bash cuts words at `=`, so `--map=block` may come as three
// words.

/// What the shell completes for a placeholder, and the bundled files that may stand for one.
static const struct {
    const char *placeholder, *directive, *folder;
} kinds[] = {
    {"FILE", ":files", NULL},         {"FILES", ":files", NULL},
    {"DB", ":files", NULL},           {"TRACE", ":files", NULL},
    {"SPEC", ":files", NULL},         {"DIR", ":dirs", NULL},
    {"LAUNCHER", ":commands", NULL},  {"MACHINE", ":files", "machines"},
    {"POLICY", ":files", "policies"},
};

/// What completions see of the words before the last.
struct typed {
    const struct option_row *row; // whose value the last word is, NULL: none
    bool is_operand;              // the last word is not an option: they have ended
    bool is_launch_line;          // ... it belongs to a command of the user's
};

void options_print_candidate(const char *word, const char *begun, const char *help, FILE *stream)
{
    if (strncmp(word, begun, strlen(begun)) == 0)
        fprintf(stream, "%s%s%s\n", word, help ? "\t" : "", help ? help : "");
}

static const struct option_row *row_named(const struct option_usage *usage, const char *word)
{
    size_t n = strcspn(word, "=");
    for (size_t i = 0; i < usage->n_rows; i++) {
        const struct option_row *row = &usage->rows[i];
        bool is_long = n > 2 && word[0] == '-' && word[1] == '-';
        if (is_long ? strlen(row->name) == n - 2 && strncmp(row->name, word + 2, n - 2) == 0
                    : word[0] == '-' && word[1] && word[1] == row->letter)
            return row;
    }
    return NULL;
}

static struct typed read_words(const struct option_usage *usage, size_t n, char *const *words)
{
    struct typed typed = {0};
    bool takes_line = strstr(usage->operands, "LAUNCHER") != NULL;
    for (size_t i = 0; i + 1 < n && !typed.is_operand; i++) {
        const char *word = words[i];
        if (typed.row) {
            if (strcmp(word, "=") != 0)
                typed.row = NULL;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            typed.is_operand = true;
            typed.is_launch_line = takes_line;
        } else if (word[0] == '-' && word[1]) {
            const struct option_row *row = row_named(usage, word);
            bool has_value = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
            typed.row = row && row->argument && !has_value ? row : NULL;
        } else if (usage->stops_at_operand) {
            typed.is_operand = typed.is_launch_line = true;
        }
    }
    return typed;
}

static void print_bundled(const char *folder, const char *before, const char *begun, FILE *stream)
{
    const struct bundled catalogue = {.folder = folder, .thing = ""};
    size_t n;
    SCOPED_BY(words_leave) char **names = bundled_names(&catalogue, &n, NULL);
    for (size_t i = 0; i < n; i++)
        if (strncmp(names[i], begun, strlen(begun)) == 0)
            fprintf(stream, "%s%s\n", before, names[i]);
}

/// Completes BEGUN as one of the words or placeholders that ARGUMENT lists; BEFORE comes before
/// each candidate.
static void complete_value(const char *argument, const char *before, const char *begun,
                           FILE *stream)
{
    const char *directive = NULL;
    for (size_t n; *argument; argument += n + strspn(argument + n, "|[] .-")) {
        n = strcspn(argument, "|[] .");
        if (islower((unsigned char)*argument)) {
            if (strncmp(argument, begun, strlen(begun)) == 0)
                fprintf(stream, "%s%.*s\n", before, (int)n, argument);
            continue;
        }
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            if (strlen(kinds[i].placeholder) != n || strncmp(kinds[i].placeholder, argument, n))
                continue;
            if (kinds[i].folder)
                print_bundled(kinds[i].folder, before, begun, stream);
            directive = kinds[i].directive;
        }
    }
    if (directive)
        fprintf(stream, "%s\n", directive);
}

void options_print_candidates(const struct option_usage *usage, size_t n, char *const *words,
                              FILE *stream)
{
    struct typed typed = read_words(usage, n, words);
    const char *last = words[n - 1], *equals = strchr(last, '=');
    const struct option_row *row = typed.is_operand ? NULL : row_named(usage, last);
    if (typed.is_launch_line) {
        fputs(":commands\n", stream);
    } else if (typed.row) {
        complete_value(typed.row->argument, "", strcmp(last, "=") == 0 ? "" : last, stream);
    } else if (row && row->argument && equals) {
        SCOPED char *before = memory_format("%.*s", (int)(equals + 1 - last), last);
        complete_value(row->argument, before, equals + 1, stream);
    } else if (last[0] == '-' && !typed.is_operand) {
        for (size_t i = 0; i < usage->n_rows; i++) {
            SCOPED char *name = memory_format("--%s", usage->rows[i].name);
            if (usage->rows[i].help)
                options_print_candidate(name, last, usage->rows[i].help, stream);
        }
        options_print_candidate("--help", last, "print a summary of the options", stream);
    } else {
        complete_value(usage->operands, "", last, stream);
    }
}
