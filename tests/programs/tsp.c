// SPDX-License-Identifier: BSD-3-Clause
/*
 * Travelling salesman: branch and bound by a master and its workers. A task is the first three
 * cities of a tour; its worker tries all continuations depth first, leaving those that cannot beat
 * the best tour even if they used the two shortest ways of each city still to visit. Without
 * --share-bound each task starts from the same tour (nearest neighbour, improved by 2-opt), so that
 * the work does not depend on who does what when; with it, from the best tour known by then.
 *
 * Check: the length is compared with that of the dynamic program of Held and Karp (J. SIAM 1962)
 * and with the tour itself.
 */
#include "program.h"

enum { MIN_CITIES = 4, MAX_CITIES = 20, TAG_TASK = 1, TAG_RESULT = 2, TAG_STOP = 3 };

static long n_cities = 17, share_bound, seed = 4;

static const struct program_option options[] = {
    {"size", "CITIES", &n_cities, MIN_CITIES, MAX_CITIES,
     "number of cities; the time also varies with the seed"},
    {"share-bound", NULL, &share_bound, 0, 1, "tell each task the best tour known so far"},
    {"seed", "N", &seed, 0, 1000000, "seed of the cities' places"},
    {0}};

static struct program program = {
    .name = "tsp",
    .summary = "Finds the shortest round trip through some cities by branch and bound.",
    .rank_rule = "Any number of ranks is valid; rank 0 is the master and works itself when alone.",
    .min_ranks = 1,
    .options = options};

/* A tour starts in city 0; `number` is the task's that found it, n_nodes the places it visited. */
struct tour {
    int32_t length, number;
    int64_t n_nodes;
    int32_t cities[MAX_CITIES];
};

/* What a worker searches with. */
struct search {
    struct tour best;
    int32_t path[MAX_CITIES];
};

static int32_t distances[MAX_CITIES][MAX_CITIES];
static int32_t shortest[MAX_CITIES], two_shortest[MAX_CITIES]; /* ways to or from each city */

static void make_cities(void)
{
    double x[MAX_CITIES], y[MAX_CITIES];

    for (long i = 0; i < n_cities; i++) {
        x[i] = 1000 * program_uniform((uint64_t)seed, (uint64_t)(2 * i));
        y[i] = 1000 * program_uniform((uint64_t)seed, (uint64_t)(2 * i + 1));
    }
    for (long i = 0; i < n_cities; i++) {
        int32_t second = INT32_MAX;

        shortest[i] = INT32_MAX;
        for (long j = 0; j < n_cities; j++) {
            int32_t distance = (int32_t)lround(hypot(x[i] - x[j], y[i] - y[j]));

            distances[i][j] = distance;
            if (j == i || distance >= second)
                continue;
            second = distance < shortest[i] ? shortest[i] : distance;
            shortest[i] = distance < shortest[i] ? distance : shortest[i];
        }
        two_shortest[i] = shortest[i] + second;
    }
}

PROGRAM_INNER int32_t tour_length(const int32_t cities[])
{
    int32_t length = 0;

    for (long i = 0; i < n_cities; i++)
        length += distances[cities[i]][cities[(i + 1) % n_cities]];
    return length;
}

PROGRAM_INNER void swap_cities(int32_t *a, int32_t *b)
{
    int32_t c = *a;

    *a = *b;
    *b = c;
}

/* A good tour to start with: always on to the nearest city, then parts reversed while it helps. */
static struct tour first_tour(void)
{
    struct tour tour = {.number = INT32_MAX};
    bool better = true;

    for (long i = 0; i < n_cities; i++)
        tour.cities[i] = (int32_t)i;
    for (long i = 1; i < n_cities; i++)
        for (long j = i + 1; j < n_cities; j++)
            if (distances[tour.cities[i - 1]][tour.cities[j]] <
                distances[tour.cities[i - 1]][tour.cities[i]])
                swap_cities(&tour.cities[i], &tour.cities[j]);
    tour.length = tour_length(tour.cities);
    while (better) {
        better = false;
        for (long i = 1; i < n_cities; i++)
            for (long j = i + 1; j < n_cities; j++) {
                struct tour other = tour;

                for (long a = i, b = j; a < b; a++, b--)
                    swap_cities(&other.cities[a], &other.cities[b]);
                other.length = tour_length(other.cities);
                if (other.length < tour.length) {
                    tour = other;
                    better = true;
                }
            }
    }
    return tour;
}

/*
 * Tries all ways on from path[depth - 1], a way that is `length` long. `open` is the sum of the two
 * shortest ways of the unvisited cities and the shortest one of city 0: with that of the last city,
 * twice what is at least missing.
 */
__attribute__((no_instrument_function)) static void
search_from(struct search *search, int depth, uint32_t visited, int32_t length, int32_t open)
{
    int32_t here = search->path[depth - 1];

    search->best.n_nodes++;
    if (depth == n_cities) {
        if (length + distances[here][0] < search->best.length) {
            search->best.length = length + distances[here][0];
            memcpy(search->best.cities, search->path, sizeof search->path);
        }
        return;
    }
    for (int32_t next = 1; next < n_cities; next++) {
        int32_t longer = length + distances[here][next];
        int32_t still_open = open - two_shortest[next];

        if ((visited >> next & 1) != 0 ||
            2 * longer + shortest[next] + still_open >= 2 * search->best.length - 1)
            continue;
        search->path[depth] = next;
        search_from(search, depth + 1, visited | 1u << next, longer, still_open);
    }
}

/* The best tour that starts like task `number` says and is shorter than `bound`. */
static struct tour solve_task(int32_t number, int32_t bound)
{
    struct search search = {.best = {.length = bound, .number = number}};
    int32_t second = number / (int32_t)(n_cities - 2) + 1, third = number % (n_cities - 2) + 1;
    int32_t open = shortest[0];

    third += third >= second;
    search.path[1] = second;
    search.path[2] = third;
    for (int32_t city = 1; city < n_cities; city++)
        open += city != second && city != third ? two_shortest[city] : 0;
    search_from(&search, 3, 1u | 1u << second | 1u << third,
                distances[0][second] + distances[second][third], open);
    return search.best;
}

/* Keeps the shorter tour; of equal ones that of the first task, whenever it came. */
static void keep_tour(struct tour *best, const struct tour *tour)
{
    int64_t n_nodes = best->n_nodes + tour->n_nodes;

    if (tour->length < best->length ||
        (tour->length == best->length && tour->number < best->number))
        *best = *tour;
    best->n_nodes = n_nodes;
}

static void send_task(int32_t number, int32_t bound, int worker)
{
    int32_t task[2] = {number, bound};

    MPI_Send(task, 2, MPI_INT32_T, worker, TAG_TASK, MPI_COMM_WORLD);
}

/* Bounds are one above the best length, so that a task also finds tours that are as short. */
static void master(struct tour *best, int32_t n_tasks)
{
    int32_t next = 0, bound = best->length + 1;
    int n_working = 0;

    for (int worker = 1; worker < program.n_ranks && next < n_tasks; worker++, n_working++)
        send_task(next++, bound, worker);
    while (n_working > 0) {
        struct tour tour;
        MPI_Status status;

        MPI_Recv(&tour, (int)sizeof tour, MPI_BYTE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD,
                 &status);
        keep_tour(best, &tour);
        if (share_bound)
            bound = best->length + 1;
        if (next < n_tasks)
            send_task(next++, bound, status.MPI_SOURCE);
        else
            n_working--;
    }
    for (int worker = 1; worker < program.n_ranks; worker++)
        MPI_Send(NULL, 0, MPI_INT32_T, worker, TAG_STOP, MPI_COMM_WORLD);
}

static void worker(void)
{
    for (;;) {
        int32_t task[2];
        MPI_Status status;

        MPI_Recv(task, 2, MPI_INT32_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        struct tour tour = solve_task(task[0], task[1]);
        MPI_Send(&tour, (int)sizeof tour, MPI_BYTE, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

static void work_alone(struct tour *best, int32_t n_tasks)
{
    int32_t bound = best->length + 1;

    for (int32_t number = 0; number < n_tasks; number++) {
        struct tour tour = solve_task(number, bound);

        keep_tour(best, &tour);
        if (share_bound)
            bound = best->length + 1;
    }
}

/* Held and Karp: the shortest way through each set of cities (without city 0) to each its last. */
static int32_t shortest_length(void)
{
    size_t n = (size_t)n_cities - 1, n_sets = (size_t)1 << n;
    int32_t *lengths = program_alloc(n_sets * n, sizeof *lengths), whole = INT32_MAX;

    for (size_t set = 1; set < n_sets; set++)
        for (size_t last = 0; last < n; last++) {
            size_t rest = set & ~((size_t)1 << last);
            int32_t least = INT32_MAX;

            if (rest == set)
                continue;
            for (size_t before = 0; before < n; before++)
                if ((rest >> before & 1) != 0) {
                    int32_t length = lengths[rest * n + before] + distances[before + 1][last + 1];
                    least = length < least ? length : least;
                }
            lengths[set * n + last] = rest == 0 ? distances[0][last + 1] : least;
        }
    for (size_t last = 0; last < n; last++) {
        int32_t length = lengths[(n_sets - 1) * n + last] + distances[last + 1][0];
        whole = length < whole ? length : whole;
    }
    free(lengths);
    return whole;
}

/* Prints the tour; NULL, or what is wrong with it. */
static const char *check_tour(const struct tour *best)
{
    uint32_t visited = 0;

    printf("shortest tour: %d\ncities:", (int)best->length);
    for (long i = 0; i < n_cities; i++) {
        printf(" %d", (int)best->cities[i]);
        visited |= 1u << best->cities[i];
    }
    putchar('\n');
    if (!share_bound)
        printf("places visited: %" PRId64 "\n", best->n_nodes);
    if (visited != (1u << n_cities) - 1 || tour_length(best->cities) != best->length)
        return "the tour misses a city or is not as long as it says";
    return best->length == shortest_length() ? NULL : "there is a shorter tour";
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0) {
        int32_t n_tasks = (int32_t)((n_cities - 1) * (n_cities - 2));
        struct tour best = {0};

        make_cities();
        double begin_s = MPI_Wtime();
        if (program.rank == 0)
            best = first_tour();
        if (program.rank > 0)
            worker();
        else if (program.n_ranks > 1)
            master(&best, n_tasks);
        else
            work_alone(&best, n_tasks);
        program_time(&program, "search", begin_s);
        if (program.spoiled)
            best.length++;
        status = program_end(&program, program.rank == 0 ? check_tour(&best) : NULL);
    }
    MPI_Finalize();
    return status;
}
