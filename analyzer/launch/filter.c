// SPDX-License-Identifier: BSD-3-Clause
// See filter.h. Every pattern that is read becomes one rule of shell wildcards, as fnmatch(3) reads
// them.
#include "analyzer/launch/filter.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/lines.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/new_file.h"

struct rule {
    char kind; // 'r' region, 'm' region by mangled name, 'f' source file
    bool include;
    char *pattern;
};

struct trace_filter {
    struct rule *rules;
    size_t n_rules;
    size_t capacity;
};

/// The blocks a file consists of. Score-P's list words, TAU's one name a line.
static const struct block {
    const char *begin;
    const char *end;
    char kind;
    bool is_tau;
    bool include; // TAU: what the names of the list are
} blocks[] = {
    {"SCOREP_REGION_NAMES_BEGIN", "SCOREP_REGION_NAMES_END", 'r', false, false},
    {"SCOREP_FILE_NAMES_BEGIN", "SCOREP_FILE_NAMES_END", 'f', false, false},
    {"BEGIN_EXCLUDE_LIST", "END_EXCLUDE_LIST", 'r', true, false},
    {"BEGIN_INCLUDE_LIST", "END_INCLUDE_LIST", 'r', true, true},
    {"BEGIN_FILE_EXCLUDE_LIST", "END_FILE_EXCLUDE_LIST", 'f', true, false},
    {"BEGIN_FILE_INCLUDE_LIST", "END_FILE_INCLUDE_LIST", 'f', true, true},
};
enum { N_BLOCKS = sizeof blocks / sizeof blocks[0] };

struct parser {
    struct trace_filter *filter;
    unsigned line;
    const struct block *block; // open, NULL: none
    unsigned block_line;
    enum { WORD_NONE, WORD_EXCLUDE, WORD_INCLUDE } rule; // Score-P: the open rule
    unsigned rule_line;
    bool is_mangled;
    bool has_pattern; // of the open rule
    struct error *err;
};

static void add_rule(struct trace_filter *filter, char kind, bool include, char *pattern)
{
    *ARRAY_NEXT(filter->rules, filter->n_rules, filter->capacity) =
        (struct rule){kind, include, pattern};
}

#define FAIL(parser, ...) error_set((parser)->err, __VA_ARGS__)

/// Is the pattern whole: no bracket left open, no backslash at its end?
static int check_pattern(struct parser *parser, const char *pattern)
{
    for (const char *c = pattern; *c; c++) {
        if (*c == '\\' && *++c == '\0')
            return FAIL(parser, "`%s` ends in a backslash", pattern);
        if (*c != '[')
            continue;
        const char *first = c + 1 + (c[1] == '!' || c[1] == '^');
        const char *close = *first ? strchr(first + 1, ']') : NULL;
        if (!close)
            return FAIL(parser, "`%s` opens a [ that nothing closes; write \\[ for the character",
                        pattern);
        c = close;
    }
    return 0;
}

// ---- Score-P's form

static int end_rule(struct parser *parser)
{
    if (parser->rule != WORD_NONE && !parser->has_pattern) {
        parser->line = parser->rule_line;
        return FAIL(parser, "%s without a pattern",
                    parser->rule == WORD_EXCLUDE ? "EXCLUDE" : "INCLUDE");
    }
    return 0;
}

static int take_word(struct parser *parser, char *word)
{
    if (!strcmp(word, "EXCLUDE") || !strcmp(word, "INCLUDE")) {
        if (end_rule(parser) != 0)
            return -1;
        parser->rule = *word == 'E' ? WORD_EXCLUDE : WORD_INCLUDE;
        parser->rule_line = parser->line;
        parser->is_mangled = false;
        parser->has_pattern = false;
        return 0;
    }
    if (parser->rule == WORD_NONE)
        return FAIL(parser, "`%s` stands before any EXCLUDE or INCLUDE", word);
    if (!strcmp(word, "MANGLED")) {
        if (parser->block->kind == 'f')
            return FAIL(parser, "MANGLED is for region names, not for files");
        if (parser->has_pattern)
            return FAIL(parser, "MANGLED stands right after EXCLUDE or INCLUDE");
        parser->is_mangled = true;
        return 0;
    }
    if (check_pattern(parser, word) != 0)
        return -1;
    parser->has_pattern = true;
    add_rule(parser->filter, parser->is_mangled ? 'm' : parser->block->kind,
             parser->rule == WORD_INCLUDE, memory_copy_text(word));
    return 0;
}

/// Words end at white space, unless a backslash stands before it; # begins a comment.
static int take_words(struct parser *parser, char *text)
{
    while (*text) {
        char *end;
        text += strspn(text, " \t\r\n");
        if (*text == '\0' || *text == '#')
            return 0;
        for (end = text; *end && !strchr(" \t\r\n#", *end); end++)
            if (*end == '\\' && end[1])
                end++;
        bool is_comment = *end == '#';
        bool is_last = *end == '\0';
        *end = '\0';
        if (take_word(parser, text) != 0)
            return -1;
        if (is_comment || is_last)
            return 0;
        text = end + 1;
    }
    return 0;
}

// ---- TAU's form

/// A routine as TAU writes it, "void solve(double *, int) C", becomes the name alone; its # becomes
/// *, and what the shell would take for a wildcard is protected. Files have the shell's wildcards.
static char *tau_pattern(char *text, char kind)
{
    char *pattern = memory_new(2 * strlen(text) + 1);
    char *to = pattern;
    size_t length = strlen(text);
    if (length >= 2 && text[0] == '"' && text[length - 1] == '"') {
        text[length - 1] = '\0';
        text++;
        length -= 2;
    }
    if (kind == 'f') {
        strcpy(pattern, text);
        return pattern;
    }
    if (length > 2 && !strcmp(text + length - 2, " C"))
        text[length - 2] = '\0';
    if (strchr(text, '(')) {
        *strchr(text, '(') = '\0';
        if (strrchr(text, ' '))
            text = strrchr(text, ' ') + 1;
        text += strspn(text, "*&");
    }
    for (; *text; text++) {
        if (*text == '*' || *text == '?' || *text == '[' || *text == '\\')
            *to++ = '\\';
        *to++ = *text;
        if (*text == '#')
            to[-1] = '*';
    }
    *to = '\0';
    return pattern;
}

static int take_tau_line(struct parser *parser, char *text)
{
    char *pattern = tau_pattern(text, parser->block->kind);
    if (*pattern == '\0' || check_pattern(parser, pattern) != 0) {
        int result = *pattern ? -1 : FAIL(parser, "`%s` names no routine", text);
        free(pattern);
        return result;
    }
    add_rule(parser->filter, parser->block->kind, parser->block->include, pattern);
    return 0;
}

// ---- both

static int begin_block(struct parser *parser, const struct block *block)
{
    if (parser->block)
        return FAIL(parser, "%s inside the block that line %u began; its %s is missing",
                    block->begin, parser->block_line, parser->block->end);
    parser->block = block;
    parser->block_line = parser->line;
    parser->rule = WORD_NONE;
    // TAU: an include list leaves out everything else.
    if (block->is_tau && block->include)
        add_rule(parser->filter, block->kind, false, memory_copy_text("*"));
    return 0;
}

static int end_block(struct parser *parser, const struct block *block)
{
    if (parser->block != block)
        return FAIL(parser, "%s without %s", block->end, block->begin);
    if (!block->is_tau && end_rule(parser) != 0)
        return -1;
    parser->block = NULL;
    return 0;
}

static int take_text(struct parser *parser, char *text)
{
    text += strspn(text, " \t");
    if (!*text || *text == '#')
        return 0;
    size_t word = strcspn(text, " \t#");
    for (int i = 0; i < N_BLOCKS; i++) {
        if (word == strlen(blocks[i].begin) && !strncmp(text, blocks[i].begin, word))
            return begin_block(parser, &blocks[i]) || take_text(parser, text + word) ? -1 : 0;
        if (word == strlen(blocks[i].end) && !strncmp(text, blocks[i].end, word))
            return end_block(parser, &blocks[i]) || take_text(parser, text + word) ? -1 : 0;
    }
    if (!parser->block && !strncmp(text, "BEGIN_INSTRUMENT_SECTION", 24))
        return FAIL(parser, "instrument sections are not supported, only lists of names");
    if (!parser->block)
        return FAIL(parser, "`%s` stands outside SCOREP_REGION_NAMES_BEGIN ... END", text);
    return parser->block->is_tau ? take_tau_line(parser, text) : take_words(parser, text);
}

static int take_line(void *context, char *line, unsigned *number, struct error *err)
{
    struct parser *parser = context;
    parser->line = *number;
    parser->err = err;
    int status = take_text(parser, line);
    *number = parser->line; // of a rule that lacks something
    return status;
}

struct trace_filter *trace_filter_read(const char *path, struct error *err)
{
    struct parser parser = {.filter = memory_zeroed(1, sizeof *parser.filter)};
    int status = lines_read(path, "the filter file", take_line, &parser, err);
    if (status == 0 && parser.block)
        status = error_set(err, "%s:%u: %s has no %s", path, parser.block_line, parser.block->begin,
                           parser.block->end);
    if (status == 0)
        return parser.filter;
    trace_filter_free(parser.filter);
    return NULL;
}

void trace_filter_free(struct trace_filter *filter)
{
    if (!filter)
        return;
    FREE_MEMBERS(filter->rules, filter->n_rules, pattern);
    FREE_ALL(filter->rules, filter);
}

size_t trace_filter_n_rules(const struct trace_filter *filter)
{
    return filter->n_rules;
}

static int take_begin(void *context, char *line, unsigned *number, struct error *err)
{
    bool *found = context;
    (void)number, (void)err;
    *found = strncmp(line, "BEGIN_INSTRUMENT_SECTION", 24) == 0;
    for (int i = 0; i < N_BLOCKS && !*found; i++)
        *found = strncmp(line, blocks[i].begin, strlen(blocks[i].begin)) == 0;
    return *found;
}

bool trace_filter_is_one(const char *path)
{
    bool found = false;
    struct error ignored;
    return lines_read(path, "", take_begin, &found, &ignored) == 0 && found;
}

void trace_filter_write(const struct trace_filter *filter, FILE *stream)
{
    for (size_t i = 0; i < filter->n_rules; i++) {
        const struct rule *rule = &filter->rules[i];
        const char *kind = rule->kind == 'f' ? "file" : rule->kind == 'm' ? "mangled" : "region";
        fprintf(stream, "%s_%s=%s\n", rule->include ? "include" : "exclude", kind, rule->pattern);
        // MPI functions are left out by rules that name them, not by a mere *.
        if (rule->kind == 'r' && !strncmp(rule->pattern, "MPI_", 4))
            fprintf(stream, "%s_function=%s\n", rule->include ? "include" : "exclude",
                    rule->pattern);
    }
}

/// The functions that neither communicate nor wait for another process.
static const char local_mpi[] =
    "MPI_Wt* MPI_Type_* MPI_Group_* MPI_Info_* MPI_Op_* MPI_Errhandler_* MPI_Error_* "
    "MPI_Add_error_* MPI_Attr_* MPI_Keyval_* MPI_Address MPI_Aint_* MPI_Get_* MPI_Pack* "
    "MPI_Unpack* MPI_Status_* MPI_Comm_rank MPI_Comm_size MPI_Comm_remote_* MPI_Comm_compare "
    "MPI_Comm_get_* MPI_Comm_set_* MPI_Comm_test_* MPI_Comm_group MPI_Comm_call_* "
    "MPI_Comm_create_* MPI_Comm_free_* MPI_Comm_delete_* MPI_Win_get_* MPI_Win_set_* "
    "MPI_Win_call_* MPI_Win_create_* MPI_Win_free_* MPI_Win_delete_* MPI_File_get_* "
    "MPI_File_call_* MPI_Cart_rank MPI_Cart_coords MPI_Cart_get MPI_Cart_shift MPI_Cart_map "
    "MPI_Cartdim_get MPI_Dims_create MPI_Graph_get MPI_Graph_map MPI_Graph_neighbors* "
    "MPI_Graphdims_get MPI_Dist_graph_neighbors* MPI_Topo_test MPI_Initialized MPI_Finalized "
    "MPI_Is_thread_main MPI_Query_thread MPI_Buffer_* MPI_Alloc_mem MPI_Free_mem MPI_Pcontrol "
    "MPI_T_* MPI_Register_datarep* MPI_Op_create* MPI_*_f2c MPI_*_c2f MPI_*_fromint "
    "MPI_*_toint";

void trace_filter_write_local_mpi(FILE *stream)
{
    for (const char *name = local_mpi; *name; name += strspn(name, " ")) {
        int length = (int)strcspn(name, " ");
        fprintf(stream, "exclude_function=%.*s\n", length, name);
        name += length;
    }
    // They look alike, but move data or wait for others.
    fprintf(stream, "include_function=MPI_Get_accumulate*\ninclude_function=MPI_Buffer_detach*\n"
                    "include_function=MPI_Buffer_flush\ninclude_function=MPI_Win_create_dynamic\n");
}

// --- writing a filter file

/// NAME as a pattern that fits nothing else.
static void write_name(FILE *file, const char *name)
{
    static const char *const words[] = {"EXCLUDE", "INCLUDE", "MANGLED"};
    if (strncmp(name, "SCOREP_", 7) == 0 || HAS_TEXT(words, sizeof words / sizeof words[0], name))
        fputc('\\', file);
    for (const char *c = name; *c; c++) {
        bool is_control = (unsigned char)*c < ' ';
        if (!is_control && strchr("*?[]\\# ", *c))
            fputc('\\', file);
        fputc(is_control ? '?' : *c, file);
    }
}

/// TEXT without line ends.
static void write_comment(FILE *file, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
}

static void write_text(FILE *file, const char *earlier, const char *source,
                       const struct trace_filter_line *lines, size_t n)
{
    if (earlier && *earlier)
        fprintf(file, "%s%s", earlier, earlier[strlen(earlier) - 1] == '\n' ? "" : "\n");
    fprintf(file, "# pagoda reduce, from ");
    write_comment(file, source);
    fprintf(file, "\nSCOREP_REGION_NAMES_BEGIN\n");
    if (n > 0)
        fprintf(file, "EXCLUDE\n");
    for (size_t i = 0; i < n; i++) {
        fprintf(file, "    ");
        write_name(file, lines[i].name);
        fprintf(file, " # ");
        write_comment(file, lines[i].reason);
        fprintf(file, "\n");
    }
    fprintf(file, "SCOREP_REGION_NAMES_END\n");
}

int trace_filter_write_excluded(const char *path, const char *earlier, const char *source,
                                const struct trace_filter_line *lines, size_t n, struct error *err)
{
    struct new_file file;
    int status = new_file_open(&file, path, err);
    if (status == 0)
        write_text(file.stream, earlier, source, lines, n);
    return new_file_finish(&file, status, err);
}
