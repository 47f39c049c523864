// SPDX-License-Identifier: BSD-3-Clause
// Measurements as a machine file: lines through the messages of each scope, a formula for each
// collective operation.

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/calibrate/calibration.h"

enum { LEAST_SPAN_NS = 1000000 }; // of <noise every>

// --- messages

static void put_point(FILE *out, double size_bytes, double time_ns)
{
    fprintf(out, "    <point bytes=\"%.0f\" time=\"%.0fns\"/>\n", size_bytes, fmax(time_ns, 0));
}

static void put_line(FILE *out, const struct fit *fit, const double *sizes, size_t n)
{
    put_point(out, sizes[0], fit->coefficients[0] + fit->coefficients[1] * sizes[0]);
    if (n > 1)
        put_point(out, sizes[n - 1], fit->coefficients[0] + fit->coefficients[1] * sizes[n - 1]);
}

/// What is left of half a round trip for the message between its calls.
static double flight_ns(const struct measured_scope_costs *costs, double half_ns)
{
    return half_ns - costs->send_ns - costs->receive_ns;
}

static void put_scope(const char *name, const struct measured_scope_costs *costs, FILE *out)
{
    fprintf(out, "  <message scope=\"%s\"", name);
    if (costs->has_eager)
        fprintf(out, " eager=\"%" PRIu64 "\"", costs->eager_bytes);
    fprintf(out, " send-overhead=\"%.0fns\" recv-overhead=\"%.0fns\">\n", costs->send_ns,
            costs->receive_ns);
}

/// How much longer than the median messages take, whatever their size.
static void put_noise_of_messages(const struct measured_noise *noise, FILE *out)
{
    for (size_t i = 0; i < noise->n; i++)
        fprintf(out, "    <quantile percent=\"%g\" more=\"%.0fns\"/>\n", noise->percents[i],
                fmax(noise->ns[i] - noise->ns[0], 0));
}

static void put_noise_of_computing(const struct measured_noise *noise, FILE *out)
{
    if (noise->n == 0 || noise->ns[0] <= 0)
        return;
    fprintf(out, "  <noise every=\"%.0fns\">\n", fmax(noise->ns[0], LEAST_SPAN_NS));
    for (size_t i = 0; i < noise->n; i++)
        fprintf(out, "    <quantile percent=\"%g\" factor=\"%.4f\"/>\n", noise->percents[i],
                fmin(fmax(noise->ns[i] / noise->ns[0], 1), 1000));
    fputs("  </noise>\n", out);
}

static void put_fitted(const double *sizes, const double *times, size_t n, FILE *out,
                       struct fit_pieces *fit)
{
    *fit = fit_line(sizes, times, n);
    for (size_t i = 0, begin = 0; i < fit->n_pieces; begin = fit->ends[i++])
        put_line(out, &fit->pieces[i], sizes + begin, fit->ends[i] - begin);
}

static void put_messages(struct measurements *measurements, enum measured_scope scope,
                         bool has_points, FILE *out, struct machine_text_errors *errors)
{
    const struct measured_scope_costs *costs = &measurements->scopes[scope];
    size_t n = costs->n_messages, n_clamped = 0;
    double *sizes = memory_zeroed(2 * n, sizeof *sizes), *times = sizes + n;
    for (size_t i = 0; i < n; i++) {
        sizes[i] = costs->messages[i].size_bytes;
        times[i] = flight_ns(costs, costs->messages[i].time_ns);
        n_clamped += times[i] < 1;
        times[i] = fmax(times[i], 1);
    }
    put_scope(scope_names[scope], costs, out);
    struct fit_pieces fit = {0};
    if (has_points) {
        for (size_t i = 0; i < n; i++)
            put_point(out, sizes[i], times[i]);
    } else {
        put_fitted(sizes, times, n, out, &fit);
        errors->message_rms[scope] = fit.rms;
        errors->message_worst[scope] = fit.worst;
    }
    put_noise_of_messages(&costs->noise, out);
    fputs("  </message>\n", out);
    if (n_clamped > 0)
        measurements_warn(measurements,
                          "%zu of %zu message times, scope %s, are below the time of their calls "
                          "and count as 1 ns",
                          n_clamped, n, scope_names[scope]);
    if (fit.is_clamped)
        measurements_warn(
            measurements,
            "the line through the message times, scope %s, had a negative term, which "
            "is left out",
            scope_names[scope]);
    free(sizes);
}

/// Two ranks on one core: what is left of half a round trip beside the calls, which are those of
/// the node, and the hand-over of the core; so that of an empty message nothing is. The measured
/// points, which are few. Nothing where waiting ranks keep their core: then they differ by parts of
/// a slice.
static void put_core_messages(struct measurements *measurements, FILE *out)
{
    const struct measured_scope_costs *core = &measurements->scopes[SCOPE_SAME_CORE];
    const struct measured_scope_costs *node = &measurements->scopes[SCOPE_NODE];
    double hand_over_ns = measurements_hand_over_ns(measurements), most_ns = 1;
    size_t n_clamped = 0;
    if (core->n_messages == 0 || measurements_spins(measurements))
        return;
    put_scope("core", node, out);
    for (size_t i = 0; i < core->n_messages; i++) {
        double time_ns = flight_ns(node, core->messages[i].time_ns) - hand_over_ns;
        n_clamped += i > 0 && time_ns < most_ns; // the first one is 0 except for noise
        most_ns = fmax(time_ns, most_ns);        // in the order of sizes
        put_point(out, core->messages[i].size_bytes, most_ns);
    }
    fputs("  </message>\n", out);
    if (n_clamped > 0)
        measurements_warn(
            measurements,
            "%s on one core took less time than smaller ones, without their calls and "
            "the hand-over; they get the time of those",
            quantity_count(n_clamped, "message").text);
}

// --- collectives

/// Terms of a formula in p and b: of the start-up, of the bytes. Both grow with the rounds of a
/// tree, or with the number of partners; or messages of a tree get longer with each round, as where
/// blocks of all members come together.
struct form {
    const char *startup, *bytes;
    double (*rounds)(double p), (*blocks)(double p);
};

static double by_log(double p)
{
    return log2(p);
}

static double by_number(double p)
{
    return p - 1;
}

static const struct form forms[] = {{"log2(p)", "b*log2(p)", by_log, by_log},
                                    {"(p-1)", "b*(p-1)", by_number, by_number},
                                    {"log2(p)", "b*(p-1)", by_log, by_number}};
enum { N_FORMS = sizeof forms / sizeof forms[0], N_TERMS = 3 };

static struct fit fit_form(const struct form *form, const struct measured_collective *points,
                           size_t n)
{
    double *x = memory_zeroed(n * (N_TERMS + 1), sizeof *x), *y = x + N_TERMS * n;
    for (size_t i = 0; i < n; i++) {
        x[N_TERMS * i] = form->rounds(points[i].n_members);
        x[N_TERMS * i + 1] = points[i].size_bytes * form->blocks(points[i].n_members);
        x[N_TERMS * i + 2] = 1;
        y[i] = fmax(points[i].time_ns, 1);
    }
    struct fit fit = fit_terms(x, y, n, N_TERMS);
    free(x);
    return fit;
}

/// The terms of FIT as text; the caller frees.
static char *form_text(const struct form *form, const struct fit *fit)
{
    const char *const terms[N_TERMS] = {form->startup, form->bytes, NULL};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool is_first = true;
    for (int k = 0; k < N_TERMS; k++) {
        if (fit->coefficients[k] <= 0)
            continue;
        fprintf(out, "%s%.4e%s%s", is_first ? "" : " + ", fit->coefficients[k] * 1e-9,
                terms[k] ? "*" : "", terms[k] ? terms[k] : "");
        is_first = false;
    }
    if (is_first)
        fputs("0", out);
    fclose(out);
    return text;
}

struct formula_fit {
    const struct form *form;
    struct fit small, large;
    double limit_bytes; // of the small ones; < 0: one formula for all
    double sum, worst;
    double criterion;
};

static void consider(struct formula_fit *best, const struct form *form,
                     const struct measured_collective *points, size_t n, size_t split)
{
    struct formula_fit fit = {.form = form, .limit_bytes = -1};
    fit.small = fit_form(form, points, split);
    fit.sum = fit.small.sum;
    fit.worst = fit.small.worst;
    size_t n_parameters = N_TERMS;
    if (split < n) {
        fit.large = fit_form(form, points + split, n - split);
        fit.limit_bytes = points[split - 1].size_bytes;
        fit.sum += fit.large.sum;
        fit.worst = fmax(fit.worst, fit.large.worst);
        n_parameters += N_TERMS + 1;
    }
    fit.criterion = fit_criterion(fit.sum, n, n_parameters);
    // Of those equal within rounding, the first one: two numbers of members fit any start-up.
    if (!best->form || fit.criterion < best->criterion - 1e-6)
        *best = fit;
}

/// POINTS of one operation, by size.
static struct formula_fit fit_operation(const struct measured_collective *points, size_t n)
{
    struct formula_fit best = {0};
    bool has_members = false; // several numbers of them
    for (size_t i = 1; i < n; i++)
        has_members = has_members || points[i].n_members != points[0].n_members;
    for (int f = 0; f < (has_members ? N_FORMS : 1); f++) {
        consider(&best, &forms[f], points, n, n);
        for (size_t split = 2; split + 2 <= n; split++)
            if (points[split].size_bytes > points[split - 1].size_bytes)
                consider(&best, &forms[f], points, n, split);
    }
    return best;
}

/// True: a term came out negative and was left out.
static bool put_collective(const struct measured_collective *points, size_t n, FILE *out,
                           struct machine_text_errors *errors, double *sum)
{
    struct formula_fit fit = fit_operation(points, n);
    char *small = form_text(fit.form, &fit.small), *large = form_text(fit.form, &fit.large);
    const char *name = points[0].operation;
    if (fit.limit_bytes < 0)
        fprintf(out, "  <collective op=\"%s\" time=\"%s\"/>\n", name, small);
    else
        fprintf(out,
                "  <collective op=\"%s\" below=\"%.0f\" time=\"%s\"/>\n"
                "  <collective op=\"%s\" from=\"%.0f\" time=\"%s\"/>\n",
                name, fit.limit_bytes + 1, small, name, fit.limit_bytes + 1, large);
    *sum += fit.sum;
    if (fit.worst > errors->collective_worst) {
        errors->collective_worst = fit.worst;
        snprintf(errors->worst_collective, sizeof errors->worst_collective, "%s",
                 points[0].operation);
    }
    FREE_ALL(small, large);
    return fit.small.is_clamped || fit.large.is_clamped;
}

/// Warnings about the formulas: CLAMPED are the operations of those with a term left out.
static void warn_of_collectives(struct measurements *measurements, const char *clamped)
{
    int n_numbers, n_members = measurements_members(measurements, &n_numbers);
    if (clamped[0])
        measurements_warn(measurements, "formulas with a negative term, which is left out: %s",
                          clamped);
    if (n_numbers == 1)
        measurements_warn(
            measurements,
            "collectives were measured with %d ranks only; their times are assumed to grow with "
            "log2(p)",
            n_members);
}

static void put_collectives(struct measurements *measurements, FILE *out,
                            struct machine_text_errors *errors)
{
    size_t n = measurements->n_collectives;
    SCOPED struct measured_collective *points = memory_zeroed(n, sizeof *points);
    SCOPED bool *is_done = memory_zeroed(n, sizeof *is_done);
    double sum = 0;
    SCOPED char *clamped = NULL;
    size_t size, n_clamped = 0;
    FILE *names = open_memstream(&clamped, &size);
    for (size_t i = 0; i < n; i++) {
        size_t n_points = 0;
        for (size_t k = i; k < n && !is_done[i]; k++) {
            if (strcmp(measurements->collectives[k].operation,
                       measurements->collectives[i].operation) != 0)
                continue;
            points[n_points++] = measurements->collectives[k];
            is_done[k] = k > i;
        }
        if (n_points == 0)
            continue;
        SORT_BY(points, n_points, LEAST(size_bytes), LEAST(n_members));
        if (put_collective(points, n_points, out, errors, &sum))
            fprintf(names, "%s%s", n_clamped++ > 0 ? ", " : "", points[0].operation);
    }
    fclose(names);
    warn_of_collectives(measurements, clamped);
    if (n > 0)
        errors->collective_rms = sqrt(sum / (double)n);
}

// --- the file

static void put_calibration(const struct measurements *measurements,
                            const struct machine_text_settings *settings,
                            const struct machine_text_errors *errors, FILE *out)
{
    const struct measured_host *host = measurements->n_hosts > 0 ? &measurements->hosts[0] : NULL;
    fputs("  <calibration", out);
    xml_put_attribute(out, "date", settings->date);
    xml_put_attribute(out, "host", host ? host->name : "");
    xml_put_attribute(out, "processor", host ? host->processor : "");
    xml_put_attribute(out, "mpi", measurements->mpi);
    if (measurements->compute_ns > 0)
        fprintf(out, " compute=\"%.0fns\"", measurements->compute_ns);
    for (int scope = 0; scope < N_SCOPES; scope++)
        if (errors->message_rms[scope] >= 0)
            fprintf(out, " %s-error=\"%.1f%%\"", scope_names[scope],
                    100 * errors->message_rms[scope]);
    if (errors->collective_rms >= 0)
        fprintf(out, " collective-error=\"%.1f%%\"", 100 * errors->collective_rms);
    int n_numbers, n_members = measurements_members(measurements, &n_numbers);
    if (n_members > 0)
        fprintf(out, " collective-members=\"%d\"", n_members);
    if (settings->spread > 0) {
        struct measured_spreads spreads = measurements_spreads(measurements, settings->spread);
        if (spreads.n > 0)
            fprintf(out, " unsteady=\"%zu of %zu\"", spreads.n_unsteady, spreads.n);
    }
    SCOPED char *missing = measurements_missing(measurements);
    xml_put_attribute(out, "missing", missing);
    fputs("/>\n", out);
}

static void warn_of_quality(struct measurements *measurements,
                            const struct machine_text_settings *settings)
{
    const struct measured_spreads spreads = measurements_spreads(measurements, settings->spread);
    if (measurements->hand_over_ns >= 0 && measurements_hand_over_ns(measurements) == 0 &&
        !measurements_spins(measurements))
        measurements_warn(measurements, "the hand-over of a core took less time than its calls "
                                        "and counts as 0");
    if (settings->spread > 0 && spreads.n_unsteady > 0)
        measurements_warn(
            measurements,
            "%zu of %zu quantities varied too much (quartiles not within %g %%; at worst %.0f %%, "
            "%s). Measure on a quiet machine, or for longer with --point-time",
            spreads.n_unsteady, spreads.n, 100 * settings->spread, 100 * spreads.worst,
            spreads.worst_what);
}

void machine_text_write(struct measurements *measurements,
                        const struct machine_text_settings *settings, FILE *out,
                        struct machine_text_errors *errors)
{
    *errors = (struct machine_text_errors){.collective_rms = -1};
    SCOPED char *body = NULL;
    size_t size;
    FILE *inner = open_memstream(&body, &size);
    for (int scope = 0; scope < N_SCOPES; scope++) {
        errors->message_rms[scope] = -1;
        if (scope == SCOPE_SAME_CORE)
            put_core_messages(measurements, inner);
        else if (measurements->scopes[scope].n_messages > 0)
            put_messages(measurements, scope, settings->has_points, inner, errors);
    }
    put_collectives(measurements, inner, errors);
    put_noise_of_computing(&measurements->noise, inner);
    fclose(inner);
    double hand_over_ns = measurements_hand_over_ns(measurements);
    warn_of_quality(measurements, settings);
    fputs("<machine", out);
    xml_put_attribute(out, "name", settings->name);
    if (measurements->n_hosts > 0)
        fprintf(out, " cores=\"%d\"", measurements->hosts[0].n_cores);
    if (measurements->hand_over_ns >= 0)
        fprintf(out, " hand-over=\"%.0fns\"", hand_over_ns);
    if (measurements_slice_ns(measurements) > 0)
        fprintf(out, " slice=\"%.0fns\"", measurements_slice_ns(measurements));
    const struct measured_scope_costs *node = &measurements->scopes[SCOPE_NODE];
    if (node->has_eager) // its receiver was not in MPI
        fprintf(out, " buffered=\"%" PRIu64 "\"", node->eager_bytes);
    fputs(">\n", out);
    put_calibration(measurements, settings, errors, out);
    fputs(body, out);
    fputs("</machine>\n", out);
}

char *machine_file_default_path(const struct measurements *measurements)
{
    bool is_mpich = strncmp(measurements->mpi, "MPICH", 5) == 0;
    const char *host = measurements->n_hosts > 0 ? measurements->hosts[0].name : "machine";
    return memory_format("%s-%s.xml", host, is_mpich ? "mpich" : "openmpi");
}

/// A new file beside PATH, whose name goes to *NAME, for the caller to free; -1 and errno.
static int open_beside(const char *path, char **name)
{
    *name = memory_format("%s.%ld.new", path, (long)getpid());
    return open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static int cannot_write(const char *path, int error, struct error *err)
{
    return error_set(err, "cannot write %s: %s", path, strerror(error));
}

int machine_file_check(const char *path, bool overwrites, struct error *err)
{
    struct stat status;
    bool is_there = stat(path, &status) == 0;
    if (is_there && !S_ISREG(status.st_mode))
        return error_set(
            err, "%s is no file that could be written anew: choose another name with -o", path);
    if (is_there && !overwrites)
        return error_set(err, "%s exists: choose another name with -o, or --force", path);
    char *name;
    int file = open_beside(path, &name), error = errno;
    if (file >= 0) {
        unlink(name);
        close(file);
    }
    free(name);
    return file < 0 ? cannot_write(path, error, err) : 0;
}

int machine_file_write(struct measurements *measurements,
                       const struct machine_text_settings *settings, const char *path,
                       struct machine_text_errors *errors, struct machine *machine,
                       struct error *err)
{
    char *beside;
    interrupt_begin();
    int descriptor = open_beside(path, &beside), error = errno, status = -1;
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file) {
        machine_text_write(measurements, settings, file, errors);
        error = ferror(file) ? EIO : 0;
        if (fclose(file) != 0)
            error = errno;
        if (!error && interrupt_has_come())
            error = EINTR;
        if (!error)
            status = machine_read(machine, beside, err);
        if (status == 0 && rename(beside, path) != 0) {
            error = errno;
            status = -1;
        }
        if (status != 0)
            unlink(beside);
    }
    interrupt_end();
    free(beside);
    return status != 0 && error ? cannot_write(path, error, err) : status;
}
