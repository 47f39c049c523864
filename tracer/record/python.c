// SPDX-License-Identifier: BSD-3-Clause
// See python.h. Functions of Python's C API, since Python 3.9, give the innermost frame. They need
// the global interpreter lock, which mpi4py releases around most calls. The recorder takes the lock
// only while no other thread of Python exists. So it never waits for the lock.
#include "tracer/record/python.h"

#include "tracer/record/function_names.h"
#include "tracer/record/settings.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MOST_LINES   4096
#define N_SLOTS      (2 * MOST_LINES)
#define MOST_CALLERS 240
#define IS_PYTHONS   UINT32_MAX // of a slot: its line is one of Python's own, such as of `import`

#define FUNCTIONS(X)                                                                               \
    X(int, Py_IsInitialized, (void))                                                               \
    X(void *, PyGILState_GetThisThreadState, (void))                                               \
    X(void *, PyInterpreterState_Head, (void))                                                     \
    X(void *, PyInterpreterState_Next, (void *interpreter))                                        \
    X(void *, PyInterpreterState_ThreadHead, (void *interpreter))                                  \
    X(void *, PyThreadState_Next, (void *thread))                                                  \
    X(int, PyGILState_Ensure, (void))                                                              \
    X(void, PyGILState_Release, (int held))                                                        \
    X(void *, PyThreadState_GetFrame, (void *thread))                                              \
    X(void *, PyFrame_GetBack, (void *frame))                                                      \
    X(void *, PyFrame_GetCode, (void *frame))                                                      \
    X(int, PyFrame_GetLineNumber, (void *frame))                                                   \
    X(void *, PyObject_GetAttrString, (void *object, const char *name))                            \
    X(const char *, PyUnicode_AsUTF8, (void *text))                                                \
    X(long, PyLong_AsLong, (void *number))                                                         \
    X(void, PyErr_Fetch, (void **type, void **value, void **traceback))                            \
    X(void, PyErr_Restore, (void *type, void *value, void *traceback))                             \
    X(void, Py_DecRef, (void *object))

#define MEMBER(type, name, parameters) type(*name) parameters;
static struct {
    FUNCTIONS(MEMBER)
} api;
#undef MEMBER

struct python_bindings python_bindings;

// Lines by number, and how they are found again. The code objects keep a reference, so no other one
// gets the address of one of them.
static struct slot {
    void *code; // NULL: empty
    int line;
    uint32_t caller, number;
} slots[N_SLOTS];
static uint32_t n_lines, n_known; // known: Python's own lines, too

/// Extension modules are called NAME.cpython-311-x86_64-linux-gnu.so or NAME.abi3.so.
static bool is_binding(const char *path, bool is_linked_with_mpi)
{
    if (strstr(path, "/mpi4py/MPI."))
        return true;
    const char *name = strrchr(path, '/');
    return is_linked_with_mpi && name && (strstr(name, ".cpython-") || strstr(name, ".abi3.so")) &&
           !file_has_symbols(path);
}

void python_met_module(const char *path, bool is_linked_with_mpi, uint64_t start, uint64_t end)
{
    struct python_bindings *known = &python_bindings;
    for (uint32_t i = 0; i < known->n; i++)
        if (known->at[i].start == start)
            return;
    if (known->n < PYTHON_MOST_BINDINGS && is_binding(path, is_linked_with_mpi))
        known->at[known->n++] = (struct python_binding){start, end - start};
}

static bool look_up(void)
{
    static bool is_looked_up, is_there = true;
    void *symbol;
    if (is_looked_up)
        return is_there;
#define LOOK_UP(type, name, parameters)                                                            \
    symbol = dlsym(RTLD_DEFAULT, #name);                                                           \
    memcpy(&api.name, &symbol, sizeof symbol);                                                     \
    is_there = is_there && symbol;
    FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    is_looked_up = true;
    return is_there;
}

/// "" where there is no such text.
static void read_text(void *code, const char *name, char *text, size_t n_bytes)
{
    void *object = api.PyObject_GetAttrString(code, name);
    const char *bytes = object ? api.PyUnicode_AsUTF8(object) : NULL;
    snprintf(text, n_bytes, "%s", bytes ? bytes : "");
    if (object)
        api.Py_DecRef(object);
}

static uint32_t read_line(void *code)
{
    void *object = api.PyObject_GetAttrString(code, "co_firstlineno");
    long line = object ? api.PyLong_AsLong(object) : 0;
    if (object)
        api.Py_DecRef(object);
    return line > 0 && line < INT_MAX ? (uint32_t)line : 0;
}

/// Writes the line of `code` down, by a new number; IS_PYTHONS if it is, 0: there is no room.
static uint32_t define_line(struct stream *stream, void *code, int line, uint32_t caller)
{
    char text[4096], file[2048], function[2000];
    void *type, *value, *traceback; // the program's: what is asked for here may fail
    api.PyErr_Fetch(&type, &value, &traceback);
    read_text(code, "co_filename", file, sizeof file);
    read_text(code, "co_qualname", function, sizeof function);
    if (function[0] == '\0') // before Python 3.11
        read_text(code, "co_name", function, sizeof function);
    uint32_t first_line = read_line(code);
    api.PyErr_Restore(type, value, traceback);
    if (strncmp(file, "<frozen ", 8) == 0)
        return IS_PYTHONS;
    snprintf(text, sizeof text, "%s\n%s", function, file);
    size_t n_bytes = sizeof(struct record_line);
    struct record_line *record = stream_reserve_with_text(stream, &n_bytes, text);
    if (!record)
        return 0;
    record->line = line > 0 ? (uint32_t)line : 0;
    record->first_line = first_line;
    record->caller = caller;
    stream_commit(&record->head, RECORD_LINE, ++n_lines, n_bytes);
    return n_lines;
}

/// The number of the line of `code`, whose reference it takes.
static uint32_t number_of(struct stream *stream, void *code, int line, uint32_t caller)
{
    uint64_t key = (uint64_t)(uintptr_t)code >> 4 ^ (uint64_t)line << 44 ^ (uint64_t)caller << 32;
    size_t at = (key * 0x9e3779b97f4a7c15U >> 32) % N_SLOTS;
    for (; slots[at].code; at = (at + 1) % N_SLOTS) {
        if (slots[at].code != code || slots[at].line != line || slots[at].caller != caller)
            continue;
        api.Py_DecRef(code);
        return slots[at].number;
    }
    uint32_t number = n_known < MOST_LINES ? define_line(stream, code, line, caller) : 0;
    if (number == 0) {
        api.Py_DecRef(code);
        return 0;
    }
    slots[at] = (struct slot){code, line, caller, number};
    n_known++;
    return number;
}

/// The number of the line that `frame`, whose reference it takes, is at, with up to `n_callers` of
/// those that called it; of one of Python's own its caller's. 0: it is not known.
static uint32_t line_of(struct stream *stream, void *frame, uint64_t n_callers)
{
    uint32_t caller = 0;
    if (!frame)
        return 0;
    if (n_callers > 0)
        caller = line_of(stream, api.PyFrame_GetBack(frame), n_callers - 1);
    void *code = api.PyFrame_GetCode(frame);
    uint32_t number = number_of(stream, code, api.PyFrame_GetLineNumber(frame), caller);
    if (number == IS_PYTHONS)
        number = n_callers > 0 ? caller : line_of(stream, api.PyFrame_GetBack(frame), 0);
    api.Py_DecRef(frame);
    return number;
}

/// Whether `thread`, the state of this one, is the only one that can have the lock.
static bool is_alone(void *thread)
{
    void *interpreter = api.PyInterpreterState_Head();
    return interpreter && !api.PyInterpreterState_Next(interpreter) &&
           api.PyInterpreterState_ThreadHead(interpreter) == thread &&
           !api.PyThreadState_Next(thread);
}

uint64_t python_line(struct stream *stream, uint64_t site)
{
    if (!look_up())
        return site;
    if (!api.Py_IsInitialized())
        return 0; // such as the MPI_Finalize of mpi4py, called when Python has ended
    void *thread = api.PyGILState_GetThisThreadState();
    if (!thread || !is_alone(thread))
        return site;
    int held = api.PyGILState_Ensure();
    uint64_t n_callers = settings.call_stack < MOST_CALLERS ? settings.call_stack : MOST_CALLERS;
    uint32_t number = line_of(stream, api.PyThreadState_GetFrame(thread), n_callers);
    api.PyGILState_Release(held);
    return number != 0 ? RECORD_LINE_SITE | number : site;
}
