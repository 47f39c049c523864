// SPDX-License-Identifier: BSD-3-Clause
/*
 * Calls every function of MPI's mpi.h, a chapter of the standard at a time, and checks the results:
 *
 *     mpirun -n RANKS every [--thread] CHAPTER...     (all: every chapter that needs no other
 * ranks) mpirun -n RANKS every --fatal CALL
 *
 * Rank 0 prints what the ranks have to say; that depends on the MPI and the number of ranks, not on
 * time. Exit status 1 when a result is wrong.
 */
#include "every.h"

#include <stdarg.h>

int rank, n_ranks, left, right;
const char *program_path;

static char *lines; /* of this rank, since the chapter began */
static size_t n_bytes;
static int n_failures;

static struct {
    const char *name;
    void (*run)(void);
} chapters[64];
static int n_chapters;

void add_chapter(const char *name, void (*run)(void))
{
    chapters[n_chapters].name = name;
    chapters[n_chapters++].run = run;
}

static void add_line(const char *prefix, const char *format, va_list arguments)
{
    char line[2048];
    int n = snprintf(line, sizeof line, "  %d: %s", rank, prefix);
    size_t n_line;

    vsnprintf(line + n, sizeof line - (size_t)n, format, arguments);
    n_line = strlen(line);
    lines = realloc(lines, n_bytes + n_line + 1);
    memcpy(lines + n_bytes, line, n_line);
    lines[n_bytes + n_line] = '\n';
    n_bytes += n_line + 1;
}

void say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_line("", format, arguments);
    va_end(arguments);
}

void failure(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_line("FAILED: ", format, arguments);
    va_end(arguments);
    n_failures++;
}

const char *text_of(int error)
{
    static char text[MPI_MAX_ERROR_STRING + 1];
    int length = 0;
    char *to = text;

    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
        return "unknown error";
    for (const char *from = text; *from != '\0';) {
        if (strncmp(from, "0x", 2) == 0) {
            *to++ = *from++;
            *to++ = *from++;
            from += strspn(from, "0123456789abcdef");
        } else {
            *to++ = *from == '\n' ? ' ' : *from;
            from++;
        }
    }
    *to = '\0';
    return text;
}

static int class_of(int error)
{
    int error_class = -1;

    MPI_Error_class(error, &error_class);
    return error_class;
}

bool tried(const char *function, int result)
{
    if (result != MPI_SUCCESS)
        failure("%s: %s", function, text_of(result));
    return result == MPI_SUCCESS;
}

void refused(const char *function, int result, int error_class)
{
    if (result == MPI_SUCCESS || class_of(result) != error_class)
        failure("%s: class %d, not %d (%s)", function, class_of(result), error_class,
                text_of(result));
    else
        say("%s: %s", function, text_of(result));
}

bool attempted(const char *function, int result)
{
    if (result != MPI_SUCCESS)
        say("%s: class %d: %s", function, class_of(result), text_of(result));
    return result == MPI_SUCCESS;
}

void equal(const char *what, long long value, long long wanted)
{
    if (value != wanted)
        failure("%s is %lld, not %lld", what, value, wanted);
}

void complete_in_turn(MPI_Request *request)
{
    static int turn;

    turn = (turn + 1) % 3;
    if (turn == 0)
        TRY(MPI_Wait, request, MPI_STATUS_IGNORE);
    else if (turn == 1)
        TRY(MPI_Waitall, 1, request, MPI_STATUSES_IGNORE);
    for (int flag = turn != 2; !flag;)
        TRY(MPI_Test, request, &flag, MPI_STATUS_IGNORE);
}

static void print_lines(const char *chapter)
{
    char *text = NULL;
    int length = (int)n_bytes, total = 0;
    int *lengths = calloc((size_t)n_ranks, sizeof *lengths);
    int *places = calloc((size_t)n_ranks, sizeof *places);

    PMPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n_ranks; i++) {
        places[i] = total;
        total += lengths[i];
    }
    text = malloc((size_t)total + 1);
    PMPI_Gatherv(lines, length, MPI_CHAR, text, lengths, places, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        puts(chapter);
        fwrite(text, 1, (size_t)total, stdout);
        fflush(stdout);
    }
    free(text);
    free(lengths);
    free(places);
    n_bytes = 0;
}

static bool run_chapter(const char *name)
{
    for (int i = 0; i < n_chapters; i++) {
        if (strcmp(chapters[i].name, name) != 0)
            continue;
        chapters[i].run();
        print_lines(name);
        return true;
    }
    return false;
}

static int start(int *argc, char ***argv)
{
    int provided = -1;

    if (*argc > 1 && strcmp((*argv)[1], "--thread") == 0) {
        MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
        return 2;
    }
    MPI_Init(argc, argv);
    return 1;
}

int main(int argc, char **argv)
{
    int first, before = -1, after = -1, any = 0;
    MPI_Comm parent;

    program_path = argv[0];
    MPI_Initialized(&before);
    MPI_Finalized(&after);
    first = start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    left = (rank + n_ranks - 1) % n_ranks;
    right = (rank + 1) % n_ranks;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        child(parent);
        MPI_Finalize();
        return n_failures != 0;
    }
    if (argc == 3 && strcmp(argv[1], "--fatal") == 0) {
        if (!fatal(argv[2]))
            fprintf(stderr, "every: %s did not end the run\n", argv[2]);
        MPI_Finalize();
        return 2;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = first; i < argc; i++) {
        if (strcmp(argv[i], "all") == 0)
            for (int k = 0; k < n_chapters; k++)
                run_chapter(chapters[k].name);
        else if (!run_chapter(argv[i]) && rank == 0)
            printf("this MPI has no %s\n", argv[i]);
    }
    EQUAL(before, false);
    EQUAL(after, false);
    MPI_Allreduce(&n_failures, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    MPI_Initialized(&before);
    MPI_Finalized(&after);
    any += !before || !after;
    if (rank == 0)
        printf("%s\n", any == 0 ? "every: ok" : "every: FAILED");
    return any != 0;
}
