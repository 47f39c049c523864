// SPDX-License-Identifier: BSD-3-Clause
// `pagoda advise`: a measured replay, candidates read off it, a prediction of each, the ranking.
#include "analyzer/cmd/commands.h"

#include <string.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/cmd/stored_trials.h"
#include "analyzer/report/report.h"
#include "analyzer/result/advice.h"

struct advise_request {
    const char *trace;
    const char *nodes, *cores, *machine, *wait, *slowdown, *speeds; // of the target
    bool keeps_recording;
    struct option_list phases;
    const char *state;
    const char *only;
    const char *database; // NULL: nothing is kept
    const char *errors;   // a database of past predictions, NULL: `database`
    struct store_names names;
    uint64_t limit;
    bool replays_all, wants_json;
    unsigned kinds;
};

// --- the request

/// The kinds named in TEXT, between commas. 0, or -1 and ERR.
static int read_kinds(const char *text, unsigned *kinds, struct error *err)
{
    *kinds = text ? 0 : ~0u;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        SCOPED char *name = memory_format("%.*s", (int)strcspn(at, ","), at);
        int kind = (int)FIND_TEXT(advice_kind_names, ADVICE_KINDS, name);
        if (kind == ADVICE_KINDS) {
            const char *nearest = spelling_nearest(name, advice_kind_names, ADVICE_KINDS);
            if (*name)
                error_set(err,
                          nearest ? "--only %s: no such kind of change; is it %s?"
                                  : "--only %s: no such kind of change (region, sync, messages, "
                                    "network, processors, placement, move, workers, dynamic)",
                          name, nearest);
            else
                error_set(err, "--only %s: a name of the list is empty", text);
            return -1;
        }
        *kinds |= 1u << kind;
    }
    return 0;
}

enum { MOST_TARGET_WORDS = 7 };

/// The options of the target as words, which belong to REQUEST's texts; how many.
static size_t target_words(const struct advise_request *request,
                           struct advice_word words[MOST_TARGET_WORDS])
{
    const struct advice_word given[] = {{(char *)"nodes", (char *)request->nodes},
                                        {(char *)"cores", (char *)request->cores},
                                        {(char *)"wait", (char *)request->wait},
                                        {(char *)"machine", (char *)request->machine},
                                        {(char *)"slowdown", (char *)request->slowdown},
                                        {(char *)"speeds", (char *)request->speeds}};
    size_t n = 0;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (given[i].value)
            words[n++] = given[i];
    if (request->keeps_recording)
        words[n++] = (struct advice_word){(char *)"traced", NULL};
    return n;
}

/// Checks them as `replay` would, one value each. 0, or -1 and ERR.
static int check_target(const struct advice_word *words, size_t n, struct error *err)
{
    SCOPED_BY(whatif_plan_release) struct whatif_plan plan;
    int status = whatif_plan_read(&plan, words, n, err);
    if (status == 0 && plan.is_list)
        status = error_set(err, "advice is for one target: give no option several values");
    return status;
}

/// Whether the files of the target can be read. 0, or -1 and ERR.
static int check_files(const struct advice_word *words, size_t n, struct error *err)
{
    SCOPED_BY(whatif_plan_release) struct whatif_plan plan;
    int status = whatif_plan_read(&plan, words, n, err);
    return status == 0 ? whatif_plan_read_files(&plan, err) : status;
}

// --- the work

static int replay_measured(const char *trace, struct catalogue **catalogue,
                           struct replay_run *measured, struct error *err)
{
    *catalogue = catalogue_load_shipped(NULL, 0, err);
    if (!*catalogue || replay_run_open(measured, trace, err) != 0)
        return -1;
    return replay_run(measured, *catalogue, NULL, true, "replaying", err);
}

/// 0, or -1 and ERR. *IS_STORED: false where a database was to keep advice that there is, and could
/// not, which costs the exit status, not the report.
static int advise(const struct advise_request *request, struct advice *advice, bool *is_stored,
                  struct error *err)
{
    struct catalogue *catalogue = NULL;
    struct replay_run measured = {0};
    struct past_predictions past = {0};
    struct advice_word words[MOST_TARGET_WORDS];
    size_t n_words = target_words(request, words);
    int status = -1;
    if (check_files(words, n_words, err) != 0 ||
        past_predictions_read(&past, request->errors, request->database, err) != 0 ||
        replay_measured(request->trace, &catalogue, &measured, err) != 0)
        goto out;
    advice->trace = shell_path(request->trace);
    advice->target = advice_words_text(words, n_words);
    struct advise_setting setting = {
        .batch = {.measured = &measured,
                  .words = words,
                  .n_words = n_words,
                  .progress = whatif_progress_new("trying changes")},
        .replays_all = request->replays_all,
        .phases = request->phases.values,
        .n_phases = request->phases.count,
        .state = request->state,
        .n_shown = request->limit,
        .kinds = request->kinds,
    };
    status = setting.n_phases > 0 ? advise_check_phases(&setting, err) : 0;
    if (status == 0)
        status = advise_run(&measured, &setting, advice, err);
    if (status == 0)
        past_predictions_judge_advice(&past, &setting, advice);
    setting.batch.catalogue = catalogue;
    struct error store_err = {{0}};
    *is_stored =
        status != 0 || !request->database ||
        advice_store(&setting, advice, request->database, &request->names, &store_err) == 0;
    whatif_progress_free(setting.batch.progress);
    if (!*is_stored)
        log_error("%s", store_err.text);
    if (measured.result.has_unreadable_records) {
        advice->warnings = measured.result.warnings;
        advice->n_warnings = measured.result.n_warnings;
        measured.result.warnings = NULL;
        measured.result.n_warnings = 0;
    }
out:
    past_predictions_release(&past);
    replay_run_release(&measured);
    catalogue_free(catalogue);
    return status;
}

int cmd_advise(int argc, char **argv)
{
    struct advise_request request = {.limit = 10};
    const char *as = NULL;
    const struct option_row rows[] = {
        OPTION_COUNT_ROW("top", 0, "N", &request.limit, "show N changes in each table", "10",
                         .least = 1),
        OPTION_TEXT_ROW(
            "only", 0, "KINDS", &request.only,
            "consider only these kinds of changes, separated by commas: region, sync, messages, "
            "network, processors, placement, move, workers, dynamic",
            NULL),
        OPTION_FLAG_ROW(
            "exhaustive", 0, &request.replays_all,
            "predict every change, even where its upper bound is below the changes shown",
            .manual = "However long the trace is."),
        OPTION_TEXT_ROW("nodes", 0, "N", &request.nodes, "advise for a run on N nodes", NULL,
                        .manual = "This and the next six options describe the target. They mean "
                                  "what they mean in pagoda-whatif(7), with one value each."),
        OPTION_TEXT_ROW("cores", 0, "C", &request.cores, "advise for nodes with C cores", NULL),
        OPTION_TEXT_ROW("wait", 0, "block|spin", &request.wait,
                        "advise for an MPI whose waiting ranks leave their core, or keep it busy",
                        NULL),
        OPTION_TEXT_ROW("machine", 0, "MACHINE", &request.machine,
                        "advise for this machine: a file, or a bundled machine", NULL),
        OPTION_TEXT_ROW("slowdown", 0, "FILE", &request.slowdown,
                        "how computing grows when more ranks share a core's caches, learned by "
                        "pagoda calibrate --slowdown",
                        NULL),
        OPTION_TEXT_ROW("speeds", 0, "FILE", &request.speeds,
                        "advise for a machine that computes as fast as pagoda calibrate --speeds "
                        "learned",
                        NULL),
        OPTION_FLAG_ROW("traced", 0, &request.keeps_recording,
                        "advise for runs that are recorded: keep what that costs"),
        OPTION_LIST_ROW("phase", 0, "PHASE", &request.phases,
                        "look also for placements that change where this function or marker "
                        "begins",
                        .manual = "May be given several times, for phases that follow each other. "
                                  "See PHASE of --place in pagoda-whatif(7)."),
        OPTION_TEXT_ROW("state", 0, "BYTES", &request.state,
                        "with --phase and --machine: what a rank takes along to another node", "0"),
        THREADS_ROW,
        OPTION_TEXT_ROW("store", 0, "DB", &request.database,
                        "store the changes shown as predicted runs in this database", NULL,
                        .manual =
                            "The database is created if missing. The predicted runs lie beside the "
                            "measured one, as `pagoda replay --store` stores them. Their parameter "
                            "`advice` is the group and the place there, such as \"change 1\". Each "
                            "is predicted once more, with its wait states and critical path. Of "
                            "--workers and --rebalance there is only the run time."),
        OPTION_TEXT_ROW("as", 0, "EXPERIMENT", &as,
                        "with --store: experiment the run belongs to; APPLICATION/ may precede it",
                        "default", .manual = "How runs are named is described in pagoda-store(1)."),
        OPTION_TEXT_ROW("errors", 0, "FILE", &request.errors, "judge predictions by past ones",
                        "that of --store",
                        .manual = "FILE is a database of predictions that were measured later; "
                                  "pagoda-whatif(7), section Past errors, says how."),
        OPTION_FLAG_ROW("json", 0, &request.wants_json, "print JSON (schema 1) instead of text"),
    };
    SCOPED_BY(options_release)
    const struct option_usage usage = {
        .command = "advise",
        .operands = "TRACE",
        .summary = "Ranks possible changes of a program or machine by what they would save",
        .details = "TRACE is an OTF2 archive: its anchor file (*.otf2) or its directory.\n",
        OPTIONS_OF(rows),
    };
    struct error err = {{0}};
    struct advice_word words[MOST_TARGET_WORDS];
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    request.trace = argv[first];
    if (read_kinds(request.only, &request.kinds, &err) != 0 ||
        check_target(words, target_words(&request, words), &err) != 0)
        return options_usage_error(&usage, "%s", err.text);
    if (request.state && request.phases.count == 0)
        return options_usage_error(&usage,
                                   "--state is what ranks take along where a --phase begins, "
                                   "which is missing");
    if (!request.database && as)
        return options_usage_error(&usage, "--as names what --store DB keeps");
    SCOPED_BY(trial_path_release) struct trial_path path = {0};
    if (trial_path_read_experiment(&path, as, &err) != 0)
        return options_usage_error(&usage, "%s", err.text);
    request.names = store_names_of(&path);
    SCOPED_BY(advice_release) struct advice advice = {0};
    bool is_stored = true;
    int failed = advise(&request, &advice, &is_stored, &err);
    if (failed == 0 && request.wants_json)
        json_print_advice(&advice, stdout);
    else if (failed == 0)
        text_print_advice(&advice, request.limit, stdout);
    status = log_outcome(failed, advice.n_warnings > 0, &err);
    return is_stored ? status : STATUS_FAILED;
}
