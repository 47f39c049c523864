// SPDX-License-Identifier: BSD-3-Clause
// Exhaustive for one parameter, by stages for several: products of factors are made of those that
// do well alone.
//
// A formula H of k coefficients at m points is judged by its marginal likelihood. With columns
// scaled to a greatest relative contribution of 1, coefficients have a uniform prior on [0, 1], and
// the variance v of the noise an inverse gamma prior (a, b). By Laplace's approximation, which is
// exact for a quadratic exponent, and with S the sum of squares that is left,
//
//     p(y | H) = (2 pi)^(-(m-k)/2) |X'X|^(-1/2) b^a / G(a) G(a + (m-k)/2) (b + S/2)^-(a + (m-k)/2)
//
// (O'Hagan, Forster, "Kendall's advanced theory of statistics" 2B, chapter 11), times the share of
// the coefficients' distribution that is above 0. A formula whose best coefficient is below 0 is
// left out, for the one without that term is tried as well.
#include "analyzer/model/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

enum {
    MAX_DEGREES = 128, // of m - k in the table of gamma functions
    N_BEAM = 24,       // columns that pairs are made of where there are several parameters
    N_PRODUCTS = 48,
    N_LEFT = 4, // formulas before a break that are tried with each one after it
};
static const double nats_kept = 12, nats_hopeless = 18;

/// What a column of the least squares is.
struct column {
    struct model_term term;
    enum term_trend trend;
    bool is_plain;
    bool is_negative; // less a falling term: with a constant, what rises to a limit
    double log_prior, log_prior_in_sum;
};

struct candidate {
    double log_evidence;
    size_t begin; // the second piece begins at this point of the order; 0: one piece
    size_t parameter;
    uint16_t columns[MODEL_MAX_PIECES][MODEL_MAX_TERMS];
    uint8_t n[MODEL_MAX_PIECES];
};

struct side_fit {
    double log_score, squares, log_parts;
    uint16_t columns[MODEL_MAX_TERMS];
    uint8_t n;
};

struct search_room {
    struct column *columns;
    size_t n_columns, columns_capacity;
    size_t n_single; // the constant and terms of one parameter, before the products
    struct side whole, left, right;
    struct candidate *candidates;
    size_t n_candidates, candidates_capacity;
    double best, best_squares; // of the log evidence, and the squares that are left there
    double usual_variance, hopeless[MAX_DEGREES];
    struct side_fit *fits[2];
    size_t n_fits[2], fits_capacity[2];
    const struct model_points *points;
    const double *weights;
    size_t *order; // of the points by the parameter with the break
    size_t order_capacity;
    // log of b^a G(a + d/2) / G(a) by noise and degrees d
    double gammas[SEARCH_NOISES][MAX_DEGREES];
};

// ---- the noise

/// lgamma() sets a variable that all threads share.
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static void set_noises(struct search *search, const struct model_points *points)
{
    static const double least_variance = 1e-14;
    double variance = points->n_degrees > 0 ? fmax(points->variance, least_variance) : 0;
    bool is_repeated = points->n_degrees > 0;
    double shape = fmin((double)points->n_degrees / 2, 20);
    struct noise_kind *noises = search->noises;
    // What the repetitions say; and what they all share, which they cannot: some hundredths, some
    // thousandths, nothing.
    noises[0] = (struct noise_kind){is_repeated ? log(0.55) : -INFINITY, is_repeated ? shape : 1,
                                    is_repeated ? shape * variance : 1};
    noises[1] = (struct noise_kind){log(is_repeated ? 0.3 : 0.7), 1, 9e-4 + variance};
    noises[2] = (struct noise_kind){log(is_repeated ? 0.1 : 0.2), 1, 1e-5 + variance};
    noises[3] = (struct noise_kind){log(is_repeated ? 0.05 : 0.1), 1, 1e-10 + variance};
    struct search_room *room = search->room;
    room->usual_variance = noises[1].scale;
    for (size_t d = 0; d < MAX_DEGREES && d <= points->n; d++)
        room->hopeless[d] = exp(nats_hopeless / (1 + (double)d / 2));
    for (size_t i = 0; i < SEARCH_NOISES; i++)
        for (size_t d = 0; d < MAX_DEGREES && d <= points->n; d++)
            room->gammas[i][d] = noises[i].log_share + noises[i].shape * log(noises[i].scale) +
                                 log_gamma(noises[i].shape + (double)d / 2) -
                                 log_gamma(noises[i].shape) - (double)d / 2 * log(2 * M_PI);
}

/// log of the marginal likelihood, without its determinant; SHARES (may be NULL) gets its parts.
static double evidence_of(const struct search *search, double squares, size_t degrees,
                          double *shares)
{
    double parts[SEARCH_NOISES], most = -INFINITY, sum = 0;
    size_t d = degrees < MAX_DEGREES ? degrees : MAX_DEGREES - 1;
    for (size_t i = 0; i < SEARCH_NOISES; i++) {
        const struct noise_kind *noise = &search->noises[i];
        parts[i] = search->room->gammas[i][d] -
                   (noise->shape + (double)d / 2) * log(noise->scale + squares / 2);
        most = fmax(most, parts[i]);
    }
    for (size_t i = 0; i < SEARCH_NOISES; i++)
        sum += exp(parts[i] - most);
    for (size_t i = 0; shares && i < SEARCH_NOISES; i++)
        shares[i] = exp(parts[i] - most) / sum;
    return most + log(sum);
}

// ---- least squares

/// Fills SIDE with the room's columns from FIRST on, at N points of ORDER.
static void side_fill(struct side *side, const struct search_room *room, size_t first,
                      const size_t *order, size_t n)
{
    const struct model_points *points = room->points;
    side_reserve(side, room->n_columns, n);
    side->n_points = n;
    side->n_columns = room->n_columns;
    side->y_squared = 0;
    for (size_t j = 0; j < n; j++) {
        double y = points->y[order[j]] * room->weights[order[j]];
        side->y_squared += y * y;
    }
    for (size_t i = first; i < room->n_columns; i++) {
        double *values = side->values + i * n;
        for (size_t j = 0; j < n; j++)
            values[j] =
                room->weights[order[j]] * term_value(&room->columns[i].term, points->n_parameters,
                                                     points->x + order[j] * points->n_parameters);
        side_finish(side, i, points, room->weights, order);
        if (room->columns[i].is_negative)
            side_negate(side, i);
    }
}

/// What the determinant, the bounds of the coefficients and the sum of their shares leave of the
/// prior's volume, as a log. VARIANCE is about that of the noise.
static double volume_of(const struct column_fit *fit, double variance)
{
    double sum = fit->n == 3 ? M_LN2 : 0; // shares of a sum: density (n - 1)!
    sum -= fit->log_determinant / 2;
    for (size_t i = 0; i < fit->n; i++) {
        double deviation = sqrt(variance * fit->inverse[i][i]);
        double ratio = fit->coefficients[i] / deviation;
        if (ratio < 4)
            sum += log(0.5 * erfc(-ratio * M_SQRT1_2));
        // No wider than the prior.
        double width = deviation * sqrt(2 * M_PI);
        if (i > 0 && width > 1)
            sum -= log(width);
    }
    return sum;
}

static double variance_of(double squares, size_t degrees, double floor)
{
    return (squares + 2 * floor) / ((double)degrees + 2);
}

static double noise_floor(const struct search *search)
{
    const struct model_points *points = search->room->points;
    return points->n_degrees > 0 ? fmax(points->variance, 1e-12) : 1e-12;
}

// ---- candidates

static void keep(struct search_room *room, const struct candidate *candidate, double squares)
{
    if (candidate->log_evidence < room->best - nats_kept)
        return;
    if (candidate->log_evidence > room->best) {
        room->best = candidate->log_evidence;
        room->best_squares = squares;
    }
    *ARRAY_NEXT(room->candidates, room->n_candidates, room->candidates_capacity) = *candidate;
}

/// The sum of squares from which on a formula with DEGREES of freedom left is hopeless compared
/// with the best one.
static double hopeless_squares(const struct search_room *room, size_t degrees)
{
    return room->hopeless[degrees < MAX_DEGREES ? degrees : MAX_DEGREES - 1] *
           (room->best_squares + 2 * room->usual_variance);
}

/// Whether the sum is below 0 at the first point; sums with a negative column only rise from there.
static bool is_below_0(const struct side *side, const uint16_t *columns,
                       const struct column_fit *fit)
{
    double value = 0;
    for (size_t i = 0; i < fit->n; i++)
        value += fit->coefficients[i] * side->values[columns[i] * side->n_points];
    return value < -1e-9;
}

/// Tries the sum of N columns at all points.
static double try_whole(struct search *search, const uint16_t *columns, size_t n, double log_prior)
{
    struct search_room *room = search->room;
    struct column_fit fit = {.n = 0};
    if (n > room->whole.n_points ||
        !fit_columns(&room->whole, columns, n, hopeless_squares(room, room->whole.n_points - n),
                     &fit))
        return -INFINITY;
    if (isinf(log_prior) || is_below_0(&room->whole, columns, &fit))
        return -INFINITY;
    size_t degrees = room->whole.n_points - n;
    struct candidate candidate = {.n = {(uint8_t)n}};
    candidate.log_evidence =
        log_prior + evidence_of(search, fit.squares, degrees, NULL) +
        volume_of(&fit, variance_of(fit.squares, degrees, noise_floor(search)));
    memcpy(candidate.columns[0], columns, n * sizeof *columns);
    keep(room, &candidate, fit.squares);
    return candidate.log_evidence;
}

/// How probable the shapes of formulas are before anything was measured.
static const double share_constant = 0.25, share_rising = 0.1, share_offset_rising = 0.25,
                    share_falling = 0.1, share_offset_falling = 0.1, share_falling_rising = 0.06,
                    share_offset_falling_rising = 0.06, share_two_rising = 0.02,
                    share_limited = 0.03, share_message_cost = 0.02, share_broken = 0.06;

static double prior_single(const struct column *column, bool has_constant)
{
    if (column->is_negative)
        return has_constant ? column->log_prior_in_sum + log(share_limited) : -INFINITY;
    if (column->trend == TERM_FALLING)
        return column->log_prior + log(has_constant ? share_offset_falling : share_falling);
    return column->log_prior + log(has_constant ? share_offset_rising : share_rising);
}

static bool has_factor(const struct model_term *term, size_t k, double exponent, int log_exponent)
{
    return fabs(term->factors[k].exponent - exponent) < 1e-9 &&
           term->factors[k].log_exponent == log_exponent;
}

/// Whether LEFT and RIGHT are the cost of an operation of p ranks with n bytes: log2(p) and
/// log2(p) n, or p and p n beside a constant (Kuehnemann, Rauber, Ruenger, table 1).
static bool is_message_cost(const struct column *left, const struct column *right, size_t n,
                            bool has_constant)
{
    for (size_t p = 0; p < n && n == 2; p++)
        if (has_factor(&left->term, 1 - p, 0, 0) && has_factor(&right->term, 1 - p, 1, 0))
            for (int is_log = 0; is_log < 2; is_log++)
                if (has_constant == !is_log && has_factor(&left->term, p, !is_log, is_log) &&
                    has_factor(&right->term, p, !is_log, is_log))
                    return true;
    return false;
}

/// The log of the prior of two columns, -INFINITY where the pair is not tried.
static double prior_pair(const struct search_room *room, size_t a, size_t b, bool has_constant)
{
    const struct column *left = &room->columns[a], *right = &room->columns[b];
    bool is_falling = left->trend == TERM_FALLING || right->trend == TERM_FALLING;
    double log_prior = left->log_prior_in_sum + right->log_prior_in_sum;
    if (left->is_negative || right->is_negative)
        return -INFINITY;
    if (is_message_cost(left, right, room->points->n_parameters, has_constant))
        return log(share_message_cost);
    if (is_falling && left->trend == right->trend)
        return -INFINITY;
    if (is_falling)
        return log_prior + log(has_constant ? share_offset_falling_rising : share_falling_rising);
    return log_prior + log(share_two_rising / 2);
}

static void try_pair(struct search *search, size_t a, size_t b)
{
    for (int has_constant = 0; has_constant < 2; has_constant++) {
        uint16_t columns[] = {(uint16_t)a, (uint16_t)b, 0};
        double log_prior = prior_pair(search->room, a, b, has_constant);
        if (!isinf(log_prior))
            try_whole(search, columns, has_constant ? 3 : 2, log_prior);
    }
}

static double try_single(struct search *search, size_t column)
{
    uint16_t columns[] = {(uint16_t)column, 0};
    const struct column *c = &search->room->columns[column];
    double alone = try_whole(search, columns, 1, prior_single(c, false));
    return fmax(alone, try_whole(search, columns, 2, prior_single(c, true)));
}

// ---- breaks

static void add_side_fit(struct search *search, const struct side *side, int which,
                         const uint16_t *columns, size_t n, double log_prior)
{
    struct search_room *room = search->room;
    struct column_fit fit = {.n = 0};
    if (!fit_columns(side, columns, n, hopeless_squares(room, side->n_points - n), &fit))
        return;
    if (isinf(log_prior) || is_below_0(side, columns, &fit))
        return;
    size_t degrees = side->n_points - n;
    double parts =
        log_prior + volume_of(&fit, variance_of(fit.squares, degrees, noise_floor(search) + 1e-5));
    struct side_fit *found =
        ARRAY_NEXT(room->fits[which], room->n_fits[which], room->fits_capacity[which]);
    *found = (struct side_fit){.squares = fit.squares, .log_parts = parts, .n = (uint8_t)n};
    // With the usual noise: a side that a few points fit by chance exactly is none the better.
    const struct noise_kind *usual = &search->noises[1];
    found->log_score = parts + room->gammas[1][degrees < MAX_DEGREES ? degrees : MAX_DEGREES - 1] -
                       (usual->shape + (double)degrees / 2) * log(usual->scale + fit.squares / 2);
    memcpy(found->columns, columns, n * sizeof *columns);
}

static void fit_side(struct search *search, const struct side *side, int which)
{
    struct search_room *room = search->room;
    const uint16_t constant = 0;
    room->n_fits[which] = 0;
    add_side_fit(search, side, which, &constant, 1, log(share_constant));
    for (size_t i = 1; i < room->n_single; i++) {
        uint16_t columns[] = {(uint16_t)i, 0};
        const struct column *column = &room->columns[i];
        add_side_fit(search, side, which, columns, 1, prior_single(column, false));
        if (side->n_points > 2)
            add_side_fit(search, side, which, columns, 2, prior_single(column, true));
    }
}

/// Moves the best N_LEFT fits of the left side to the front.
static size_t choose_left(struct search_room *room)
{
    size_t n = room->n_fits[0] < N_LEFT ? room->n_fits[0] : N_LEFT;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < room->n_fits[0]; j++)
            if (room->fits[0][j].log_score > room->fits[0][i].log_score) {
                struct side_fit swapped = room->fits[0][i];
                room->fits[0][i] = room->fits[0][j];
                room->fits[0][j] = swapped;
            }
    return n;
}

/// Tries formulas with a break before the point BEGIN of the order.
static void try_break(struct search *search, size_t begin, double log_prior)
{
    struct search_room *room = search->room;
    size_t n = room->points->n;
    side_cut(&room->left, &room->whole, room->points, room->weights, room->order, 0, begin);
    side_cut(&room->right, &room->whole, room->points, room->weights, room->order, begin,
             n - begin);
    fit_side(search, &room->left, 0);
    fit_side(search, &room->right, 1);
    size_t n_left = choose_left(room);
    double best_right = -INFINITY;
    for (size_t j = 0; j < room->n_fits[1]; j++)
        best_right = fmax(best_right, room->fits[1][j].log_score);
    for (size_t i = 0; i < n_left; i++)
        for (size_t j = 0; j < room->n_fits[1]; j++) {
            const struct side_fit *left = &room->fits[0][i], *right = &room->fits[1][j];
            if (right->log_score < best_right - nats_kept)
                continue;
            size_t degrees = n - left->n - right->n;
            struct candidate candidate = {.begin = begin, .n = {left->n, right->n}};
            candidate.log_evidence =
                log_prior + left->log_parts + right->log_parts +
                evidence_of(search, left->squares + right->squares, degrees, NULL);
            memcpy(candidate.columns[0], left->columns, sizeof left->columns);
            memcpy(candidate.columns[1], right->columns, sizeof right->columns);
            keep(room, &candidate, left->squares + right->squares);
        }
}

static void try_breaks(struct search *search)
{
    enum { LEAST_LEFT = 2, LEAST_RIGHT = 2, LEAST_POINTS = 5 };
    size_t n = search->room->points->n;
    if (n < LEAST_POINTS)
        return;
    double log_prior = log(share_broken / (double)(n - LEAST_LEFT - LEAST_RIGHT + 1));
    for (size_t begin = LEAST_LEFT; begin + LEAST_RIGHT <= n; begin++)
        try_break(search, begin, log_prior);
}

// ---- columns

static struct column *add_column(struct search_room *room)
{
    struct column *column = ARRAY_NEXT(room->columns, room->n_columns, room->columns_capacity);
    *column = (struct column){.log_prior = 0};
    return column;
}

static void add_singles(struct search_room *room)
{
    const struct model_points *points = room->points;
    struct term_kind kinds[TERM_MAX_KINDS];
    room->n_columns = 0;
    add_column(room);
    for (size_t k = 0; k < points->n_parameters; k++) {
        double least = INFINITY, greatest = -INFINITY;
        for (size_t i = 0; i < points->n; i++) {
            least = fmin(least, points->x[i * points->n_parameters + k]);
            greatest = fmax(greatest, points->x[i * points->n_parameters + k]);
        }
        size_t n = greatest > least ? term_kinds(kinds, least) : 0;
        double choices = log((double)points->n_parameters);
        for (size_t i = 0; i < n; i++) {
            struct column *column = add_column(room);
            column->term.factors[k] = kinds[i].factor;
            column->trend = kinds[i].trend;
            column->is_plain = kinds[i].is_plain;
            column->log_prior = kinds[i].log_prior - choices;
            column->log_prior_in_sum = kinds[i].log_prior_in_sum - choices;
        }
        for (size_t i = 0; i < n; i++)
            if (kinds[i].trend == TERM_FALLING && kinds[i].is_plain) {
                struct column *column = add_column(room);
                column->term.factors[k] = kinds[i].factor;
                column->trend = TERM_RISING;
                column->is_negative = true;
                column->log_prior = column->log_prior_in_sum = kinds[i].log_prior_in_sum - choices;
            }
    }
    room->n_single = room->n_columns;
}

/// The log of the prior of a column as a factor of a product.
static double prior_factor(const struct column *column)
{
    static const double share_falling_factor = 0.2;
    bool is_falling = column->trend == TERM_FALLING;
    return column->log_prior + log(is_falling ? share_falling_factor : 1 - share_falling_factor);
}

struct scored {
    struct column column;
    double score;
};

static bool shares_parameter(const struct model_term *a, const struct model_term *b)
{
    for (size_t k = 0; k < MODEL_MAX_PARAMETERS; k++)
        if ((a->factors[k].exponent != 0 || a->factors[k].log_exponent) &&
            (b->factors[k].exponent != 0 || b->factors[k].log_exponent))
            return true;
    return false;
}

/// Adds the N_PRODUCTS products of columns from FIRST up to END with those of one parameter that do
/// best.
static void add_products(struct search *search, size_t first, size_t end)
{
    struct search_room *room = search->room;
    SCOPED struct scored *products = NULL;
    size_t n = 0, capacity = 0, n_points = room->points->n;
    SCOPED_BY(side_release) struct side side = {0};
    side_reserve(&side, 2, n_points);
    side.n_points = n_points;
    side.n_columns = 2;
    side.y_squared = room->whole.y_squared;
    memcpy(side.values, room->whole.values, n_points * sizeof *side.values);
    side_finish(&side, 0, room->points, room->weights, room->order);
    for (size_t a = first; a < end; a++)
        for (size_t b = 1; b < room->n_single; b++) {
            const struct column *left = &room->columns[a], *right = &room->columns[b];
            if (shares_parameter(&left->term, &right->term) || (first == 1 && b < a) ||
                left->is_negative || right->is_negative)
                continue;
            struct scored product = {.column = *left};
            for (size_t k = 0; k < room->points->n_parameters; k++)
                if (right->term.factors[k].exponent != 0 || right->term.factors[k].log_exponent)
                    product.column.term.factors[k] = right->term.factors[k];
            product.column.log_prior = prior_factor(left) + prior_factor(right);
            product.column.log_prior_in_sum = product.column.log_prior;
            product.column.trend = TERM_RISING;
            product.column.is_plain = left->is_plain && right->is_plain;
            for (size_t j = 0; j < n_points; j++) // one of the two has the weight already
                side.values[n_points + j] = room->whole.values[a * n_points + j] *
                                            room->whole.values[b * n_points + j] /
                                            room->weights[room->order[j]];
            side_finish(&side, 1, room->points, room->weights, room->order);
            struct column_fit alone, offset;
            const uint16_t columns[] = {1, 0};
            double squares = INFINITY;
            if (fit_columns(&side, columns, 1, INFINITY, &alone))
                squares = alone.squares;
            if (fit_columns(&side, columns, 2, INFINITY, &offset))
                squares = fmin(squares, offset.squares);
            if (!isfinite(squares))
                continue;
            product.score =
                evidence_of(search, squares, n_points - 2, NULL) + product.column.log_prior;
            *ARRAY_NEXT(products, n, capacity) = product;
        }
    SORT_BY(products, n, MOST(score));
    for (size_t i = 0; i < n; i++)
        if (i < N_PRODUCTS || (products[i].column.is_plain && first == 1))
            *add_column(room) = products[i].column;
}

// ---- the search

struct ranked {
    size_t column;
    double score;
};

/// Whether two columns of several parameters are tried in a sum whatever they do alone: one of each
/// parameter, or plain ones.
static bool is_likely_pair(const struct search_room *room, size_t a, size_t b)
{
    const struct column *left = &room->columns[a], *right = &room->columns[b];
    if (left->is_plain && right->is_plain)
        return true;
    return b < room->n_single && !shares_parameter(&left->term, &right->term) &&
           (left->is_plain || left->trend == TERM_RISING) &&
           (right->is_plain || right->trend == TERM_RISING);
}

/// Sums of two terms and perhaps a constant: all that are plain enough for one parameter, else the
/// best columns with all others.
static void try_pairs(struct search *search, const double *scores)
{
    struct search_room *room = search->room;
    if (room->points->n < 4)
        return;
    if (room->points->n_parameters == 1) {
        for (size_t a = 1; a < room->n_columns; a++)
            for (size_t b = a + 1; b < room->n_columns; b++)
                if (room->columns[a].trend == room->columns[b].trend
                        ? room->columns[a].is_plain && room->columns[b].is_plain
                        : room->columns[b].is_plain)
                    try_pair(search, a, b);
        return;
    }
    for (size_t a = 1; a < room->n_columns; a++)
        for (size_t b = a + 1; b < room->n_columns; b++)
            if (is_likely_pair(room, a, b))
                try_pair(search, a, b);
    SCOPED struct ranked *ranked = memory_new((room->n_columns + 1) * sizeof *ranked);
    for (size_t i = 1; i < room->n_columns; i++)
        ranked[i - 1] = (struct ranked){i, scores[i]};
    SORT_BY(ranked, room->n_columns - 1, MOST(score), LEAST(column));
    size_t n_beam = room->n_columns - 1 < N_BEAM ? room->n_columns - 1 : N_BEAM;
    for (size_t i = 0; i < n_beam; i++)
        for (size_t j = i + 1; j < room->n_columns - 1; j++)
            try_pair(search, ranked[i].column, ranked[j].column);
}

static void set_piece(struct model_piece *piece, const struct search_room *room,
                      const struct side *side, const uint16_t *columns,
                      const struct column_fit *fit)
{
    piece->n_terms = fit->n;
    for (size_t i = 0; i < fit->n; i++) {
        piece->terms[i] = room->columns[columns[i]].term;
        piece->terms[i].coefficient = fit->coefficients[i] / side->scales[columns[i]];
    }
}

/// CANDIDATE with coefficients, as the hypothesis FOUND.
static void set_found(struct search *search, const struct candidate *candidate,
                      struct model_hypothesis *found)
{
    struct search_room *room = search->room;
    size_t n = room->points->n, begin = candidate->begin;
    const struct side *last = &room->whole;
    struct column_fit fit = {.n = 0};
    *found = (struct model_hypothesis){.formula.n_pieces = begin ? 2 : 1};
    if (begin) {
        side_cut(&room->left, &room->whole, room->points, room->weights, room->order, 0, begin);
        side_cut(&room->right, &room->whole, room->points, room->weights, room->order, begin,
                 n - begin);
        fit_columns(&room->left, candidate->columns[0], candidate->n[0], INFINITY, &fit);
        set_piece(&found->formula.pieces[0], room, &room->left, candidate->columns[0], &fit);
        found->squares = fit.squares;
        found->formula.break_parameter = candidate->parameter;
        const double *before =
            room->points->x + room->order[begin - 1] * room->points->n_parameters;
        const double *after = room->points->x + room->order[begin] * room->points->n_parameters;
        found->formula.break_at = sqrt(before[candidate->parameter] * after[candidate->parameter]);
        last = &room->right;
    }
    const uint16_t *columns = candidate->columns[begin ? 1 : 0];
    fit_columns(last, columns, candidate->n[begin ? 1 : 0], INFINITY, &fit);
    set_piece(&found->formula.pieces[begin ? 1 : 0], room, last, columns, &fit);
    found->squares += fit.squares;
    found->n_coefficients = (size_t)candidate->n[0] + candidate->n[1];
    for (size_t i = 0; i < fit.n; i++)
        for (size_t j = 0; j < fit.n; j++)
            found->inverse[i][j] =
                fit.inverse[i][j] / last->scales[columns[i]] / last->scales[columns[j]];
    evidence_of(search, found->squares, n - found->n_coefficients, found->shares);
}

static int by_evidence(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    return ORDER_BY(MORE_FIRST(left->log_evidence, right->log_evidence),
                    memcmp(left->columns, right->columns, sizeof left->columns));
}

static void choose(struct search *search)
{
    struct search_room *room = search->room;
    double sum = 0;
    qsort(room->candidates, room->n_candidates, sizeof *room->candidates, by_evidence);
    search->n_found = 0;
    for (size_t i = 0; i < room->n_candidates && search->n_found < SEARCH_MAX_FOUND; i++) {
        if (room->candidates[i].log_evidence < room->best - nats_kept)
            break;
        struct model_hypothesis *found = &search->found[search->n_found++];
        set_found(search, &room->candidates[i], found);
        found->probability = exp(room->candidates[i].log_evidence - room->best);
        sum += found->probability;
    }
    search->log_evidence = sum > 0 ? room->best + log(sum) : -INFINITY;
    for (size_t i = 0; i < room->points->n; i++)
        search->log_evidence += log(room->weights[i]);
    for (size_t i = 0; i < search->n_found; i++) {
        search->found[i].probability /= sum;
        for (size_t j = 0; j < SEARCH_NOISES; j++)
            search->found[i].shares[j] *= search->found[i].probability;
    }
}

// ---- without a point

/// Into SQUARES the least sum that the column C, alone or with a constant, leaves at all points but
/// each.
static void delete_from_column(const struct side *side, size_t c, const double *y, double *squares)
{
    for (size_t i = 0; i < side->n_points; i++) {
        double one = side->values[i], value = side->values[c * side->n_points + i];
        double own = side->own[c] - value * value, with_y = side->with_y[c] - value * y[i];
        double ones = side->own[0] - one * one, one_y = side->with_y[0] - one * y[i];
        double both = side->with_one[c] - one * value, y_squared = side->y_squared - y[i] * y[i];
        double determinant = own * ones - both * both;
        if (own > 0 && with_y > 0)
            squares[i] = fmin(squares[i], y_squared - with_y * with_y / own);
        if (c == 0 || !(determinant > 1e-11 * own * ones))
            continue;
        double constant = (one_y * own - with_y * both) / determinant;
        double coefficient = (with_y * ones - one_y * both) / determinant;
        if (constant > 0 && coefficient > 0)
            squares[i] = fmin(squares[i], y_squared - constant * one_y - coefficient * with_y);
    }
}

/// The same of a formula without break: by its errors and leverages (Cook, Weisberg, "Residuals and
/// influence in regression", 1982, section 2.2).
static void delete_from_formula(const struct search_room *room,
                                const struct model_hypothesis *found, double *squares)
{
    const struct model_points *points = room->points;
    const struct model_piece *piece = &found->formula.pieces[0];
    for (size_t i = 0; i < points->n; i++) {
        const double *x = points->x + i * points->n_parameters;
        double terms[MODEL_MAX_TERMS], leverage = 0, error = points->y[i];
        for (size_t a = 0; a < piece->n_terms; a++) {
            terms[a] = term_value(&piece->terms[a], points->n_parameters, x);
            error -= piece->terms[a].coefficient * terms[a];
        }
        for (size_t a = 0; a < piece->n_terms; a++)
            for (size_t b = 0; b < piece->n_terms; b++)
                leverage += terms[a] * found->inverse[a][b] * terms[b];
        error *= room->weights[i];
        leverage *= room->weights[i] * room->weights[i];
        if (leverage < 1 - 1e-9)
            squares[i] = fmin(squares[i], found->squares - error * error / (1 - leverage));
    }
}

void search_without_each(const struct search *search, double *log_evidences)
{
    enum { N_FORMULAS = 8, N_COEFFICIENTS = 2 };
    const struct search_room *room = search->room;
    const struct model_points *points = room->points;
    double *squares = log_evidences, log_weights = 0;
    SCOPED double *y = memory_new((points->n + 1) * sizeof *y);
    for (size_t i = 0; i < points->n; i++) { // the order is that of the points
        squares[i] = INFINITY;
        y[i] = points->y[i] * room->weights[i];
        log_weights += log(room->weights[i]);
    }
    for (size_t c = 0; c < room->n_columns; c++)
        delete_from_column(&room->whole, c, y, squares);
    for (size_t h = 0; h < search->n_found && h < N_FORMULAS; h++)
        if (search->found[h].formula.n_pieces == 1)
            delete_from_formula(room, &search->found[h], squares);
    for (size_t i = 0; i < points->n; i++) {
        double least = fmax(squares[i], 1e-15 * (double)points->n);
        log_evidences[i] = evidence_of(search, least, points->n - 1 - N_COEFFICIENTS, NULL) +
                           log_weights - log(room->weights[i]);
    }
}

void search_run(struct search *search, const struct model_points *points, const double *weights,
                bool has_breaks)
{
    if (!search->room)
        search->room = memory_zeroed(1, sizeof *search->room);
    struct search_room *room = search->room;
    room->points = points;
    room->weights = weights;
    room->n_candidates = 0;
    room->best = -INFINITY;
    room->best_squares = INFINITY;
    room->order =
        array_reserve(room->order, &room->order_capacity, points->n + 1, sizeof *room->order);
    for (size_t i = 0; i < points->n; i++)
        room->order[i] = i;
    set_noises(search, points);
    add_singles(room);
    side_fill(&room->whole, room, 0, room->order, points->n);
    size_t first = 1, end = room->n_single;
    for (size_t k = 1; k < points->n_parameters; k++) {
        add_products(search, first, end);
        side_fill(&room->whole, room, end, room->order, points->n);
        first = end;
        end = room->n_columns;
    }
    const uint16_t constant = 0;
    try_whole(search, &constant, 1, log(share_constant));
    SCOPED double *scores = memory_new((room->n_columns + 1) * sizeof *scores);
    for (size_t i = 1; i < room->n_columns; i++)
        scores[i] = try_single(search, i);
    try_pairs(search, scores);
    if (has_breaks && points->n_parameters == 1)
        try_breaks(search);
    choose(search);
}

void search_release(struct search *search)
{
    struct search_room *room = search->room;
    if (!room)
        return;
    side_release(&room->whole);
    side_release(&room->left);
    side_release(&room->right);
    FREE_ALL(room->columns, room->candidates, room->fits[0], room->fits[1], room->order, room);
    search->room = NULL;
}
