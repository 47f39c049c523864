// SPDX-License-Identifier: BSD-3-Clause
/*
 * A database server and its clients, each of which joins two relations. Relation 0, on which the
 * hash table is built, is in everybody's cache; relation 1 is on the server. A client asks for its
 * result page by page, and the server finds the tuples of relation 1 that the next page takes.
 * Query shipping: the server joins them and answers with the page (rank 0 does all the work). Data
 * shipping (--data-shipping): it answers with the tuples, and the client runs the very same join.
 * Both versions exchange the same messages, what differs is who computes; but the tuples of a page
 * have more bytes than the page, on average 208 * tuples / pages + 18 instead of 8210.
 *
 * Sizes as in the Tornadito experiment of Eom and Hollingsworth, "A Tool to Help Tune Where
 * Computation is Performed": tuples of 208 bytes, requests of 26 and pages of 8210 bytes. With
 * --tuples 100000 --queries 1 a client takes 527 pages at a selectivity of 10 % and 53 at 1 %, as
 * predicted there; three more interactions open and close the query and end the session: 530 and
 * 56, as measured there.
 *
 * Check: keys are permutations, so that the number of result tuples, their hash and the number of
 * interactions follow from the selectivity.
 */
#include "program.h"

enum {
    TUPLE_BYTES = 208,
    REQUEST_BYTES = 26,
    PAGE_BYTES = 8192,
    HEADER_BYTES = 18,
    RESPONSE_BYTES = PAGE_BYTES + HEADER_BYTES,
    RESULTS_A_PAGE = PAGE_BYTES / (2 * TUPLE_BYTES),
    SERVER = 0,
    TAG_REQUEST = 1,
    TAG_RESPONSE = 2, /* a page, or the tuples for one */
    TAG_DONE = 3
};

/* What a request asks for: a query to be opened, what the next page is made of, the query to be
 * closed, the session to be ended. */
enum { ASK_OPEN, ASK_NEXT, ASK_CLOSE, ASK_STOP };

static long n_tuples = 20000, n_queries = 2, selectivity = 10, page_units = 20, data_shipping;
static long seed = 1;

static const struct program_option options[] = {
    {"tuples", "N", &n_tuples, 100, 10000000, "tuples of each relation"},
    {"queries", "N", &n_queries, 1, 1000000, "queries of each client"},
    {"selectivity", "PERCENT", &selectivity, 0, 100, "share of tuples selected before the join"},
    {"work", "UNITS", &page_units, 0, 100000000,
     "added work for each result page, about 1 us each"},
    {"data-shipping", NULL, &data_shipping, 0, 1, "let the clients do the join"},
    {"seed", "N", &seed, 0, 1000000, "seed of the relations"},
    {0}};

static struct program program = {
    .name = "joinserver",
    .summary = "Joins two relations of a database on the server or on its clients.",
    .rank_rule = "At least 2 ranks are needed: one server and its clients.",
    .min_ranks = 2,
    .options = options};

struct tuple {
    uint32_t key, row;
    unsigned char filler[TUPLE_BYTES - 8];
};

/* 8 bytes of content, sent as REQUEST_BYTES. */
struct request {
    int64_t kind;
    char rest[24];
};

/* Header of a response; tuples follow at HEADER_BYTES. */
struct header {
    int64_t n_tuples, is_last;
};

/* The tuples of relation 0 that a query selects, by key. */
struct query {
    uint32_t *slots; /* row + 1, or 0 */
    uint64_t mask;
};

/* Those of relation 1 that the next page takes, ROWS of them. */
struct portion {
    const struct tuple *tuples;
    long rows;
    bool is_last;
};

/* What a client knows about its results. */
struct result {
    uint64_t n_tuples, hash, n_interactions, digest;
    bool is_joined;
};

static struct tuple *relations[2];

PROGRAM_INNER long selected_keys(void)
{
    return n_tuples * selectivity / 100;
}

/* Keys are 0 to n_tuples - 1, each once, in an order of the relation's own. Everybody makes the
   same ones; clients do not look at their relation 1. */
static void make_relations(void)
{
    for (int relation = 0; relation < 2; relation++) {
        uint64_t n = (uint64_t)n_tuples;
        uint64_t factor = program_random((uint64_t)seed, (uint64_t)relation) % n | 1, a = factor,
                 b = n;

        while (b != 0) { /* Euclid: the factor must have no divisor in common with n */
            uint64_t rest = a % b;

            a = b;
            b = rest;
            if (b == 0 && a != 1) {
                a = ++factor;
                b = n;
            }
        }
        for (uint64_t row = 0; row < n; row++) {
            struct tuple *tuple = &relations[relation][row];

            tuple->key = (uint32_t)((row * factor + 17) % n);
            tuple->row = (uint32_t)row;
            memset(tuple->filler, (int)(program_mix(tuple->key) & 0xff), sizeof tuple->filler);
        }
    }
}

/* Builds the hash table of the selected tuples. */
static void open_query(struct query *query)
{
    uint64_t n_slots = 16;

    while (n_slots < 2 * (uint64_t)selected_keys())
        n_slots *= 2;
    free(query->slots);
    *query = (struct query){.slots = program_alloc(n_slots, sizeof(uint32_t)), .mask = n_slots - 1};
    for (long row = 0; row < n_tuples; row++) {
        uint32_t key = relations[0][row].key;
        uint64_t slot = program_mix(key) & query->mask;

        if (key >= selected_keys())
            continue;
        while (query->slots[slot] != 0)
            slot = (slot + 1) & query->mask;
        query->slots[slot] = (uint32_t)row + 1;
    }
}

PROGRAM_INNER const struct tuple *find_partner(const struct query *query, uint32_t key)
{
    for (uint64_t slot = program_mix(key) & query->mask; query->slots[slot] != 0;
         slot = (slot + 1) & query->mask)
        if (relations[0][query->slots[slot] - 1].key == key)
            return &relations[0][query->slots[slot] - 1];
    return NULL;
}

/* The next tuples of relation 1 after *ROW, as many as fill a page when they are joined. */
static struct portion select_tuples(long *row)
{
    struct portion portion = {.tuples = &relations[1][*row]};
    long n_selected = 0, first = *row;

    while (*row < n_tuples && n_selected < RESULTS_A_PAGE)
        n_selected += relations[1][(*row)++].key < selected_keys();
    portion.rows = *row - first;
    portion.is_last = n_selected < RESULTS_A_PAGE;
    return portion;
}

static void put_header(unsigned char *page, int64_t n, bool is_last)
{
    struct header header = {n, is_last};

    memcpy(page, &header, sizeof header);
}

/* Joins these tuples: a page of the result. */
static void process_query(const struct query *query, struct portion portion,
                          unsigned char page[RESPONSE_BYTES])
{
    static uint64_t state;
    int64_t n = 0;

    for (long row = 0; row < portion.rows; row++) {
        const struct tuple *tuple = &portion.tuples[row];
        const struct tuple *partner = find_partner(query, tuple->key);

        if (partner == NULL)
            continue;
        unsigned char *place = page + HEADER_BYTES + n++ * 2 * TUPLE_BYTES;
        memcpy(place, partner, TUPLE_BYTES);
        memcpy(place + TUPLE_BYTES, tuple, TUPLE_BYTES);
    }
    put_header(page, n, portion.is_last);
    state = program_work((uint64_t)page_units, state);
}

static void answer(const void *bytes, size_t n_bytes, int client, int tag)
{
    MPI_Send(bytes, (int)n_bytes, MPI_BYTE, client, tag, MPI_COMM_WORLD);
}

/* Answers with the next page of a query, or what it is to be made of. */
static void answer_next(const struct query *query, long *row, unsigned char *response, int client)
{
    struct portion portion = select_tuples(row);
    size_t n_bytes = RESPONSE_BYTES;

    if (data_shipping) {
        n_bytes = HEADER_BYTES + (size_t)portion.rows * sizeof *portion.tuples;
        put_header(response, portion.rows, portion.is_last);
        memcpy(response + HEADER_BYTES, portion.tuples, n_bytes - HEADER_BYTES);
    } else {
        process_query(query, portion, response);
    }
    answer(response, n_bytes, client, TAG_RESPONSE);
}

/* Room for any response. */
static unsigned char *new_response(void)
{
    return program_alloc(RESPONSE_BYTES + (size_t)n_tuples * TUPLE_BYTES, 1);
}

static void server(void)
{
    struct query *queries = program_alloc((size_t)program.n_ranks, sizeof *queries);
    long *rows = program_alloc((size_t)program.n_ranks, sizeof *rows);
    unsigned char *response = new_response();
    int n_clients = program.n_ranks - 1;

    while (n_clients > 0) {
        struct request request;
        MPI_Status status;

        MPI_Recv(&request, REQUEST_BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG_REQUEST, MPI_COMM_WORLD,
                 &status);
        int client = status.MPI_SOURCE;
        if (request.kind == ASK_NEXT) {
            answer_next(&queries[client], &rows[client], response, client);
            continue;
        }
        rows[client] = 0;
        if (request.kind == ASK_OPEN && !data_shipping)
            open_query(&queries[client]);
        answer(&request, REQUEST_BYTES, client, TAG_DONE);
        n_clients -= request.kind == ASK_STOP;
    }
    for (int rank = 0; rank < program.n_ranks; rank++)
        free(queries[rank].slots);
    free(queries);
    free(rows);
    free(response);
}

/* Sends a request to the server and waits for the answer. */
static void interact(int64_t kind, struct result *result, void *answer, int n_bytes, int tag)
{
    struct request request = {.kind = kind};

    MPI_Send(&request, REQUEST_BYTES, MPI_BYTE, SERVER, TAG_REQUEST, MPI_COMM_WORLD);
    MPI_Recv(answer, n_bytes, MPI_BYTE, SERVER, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    result->n_interactions++;
}

/* Makes a page of the tuples in RESPONSE. */
static void join_response(const struct query *query, const unsigned char *response,
                          struct tuple *tuples, unsigned char page[RESPONSE_BYTES])
{
    struct header header;

    memcpy(&header, response, sizeof header);
    memcpy(tuples, response + HEADER_BYTES, (size_t)header.n_tuples * sizeof *tuples);
    process_query(query, (struct portion){tuples, (long)header.n_tuples, header.is_last != 0},
                  page);
}

/* Takes a page's tuples into the result; true when it was the last page. */
static bool use_page(struct result *result, const unsigned char *page)
{
    struct header header;

    memcpy(&header, page, sizeof header);
    for (int64_t i = 0; i < header.n_tuples; i++) {
        struct tuple pair[2];

        memcpy(pair, page + HEADER_BYTES + i * (int64_t)sizeof pair, sizeof pair);
        result->is_joined = result->is_joined && pair[0].key == pair[1].key &&
                            pair[0].filler[0] == (program_mix(pair[0].key) & 0xff) &&
                            memcmp(pair[0].filler, pair[1].filler, sizeof pair[0].filler) == 0;
        result->hash += program_mix(pair[0].key);
        result->digest = program_mix(result->digest + pair[0].row + ((uint64_t)pair[1].row << 32));
        result->n_tuples++;
    }
    return header.is_last != 0;
}

static struct result client(void)
{
    unsigned char *response = new_response(), page[RESPONSE_BYTES];
    struct tuple *tuples = program_alloc((size_t)n_tuples, sizeof *tuples);
    struct request done;
    struct result result = {.is_joined = true};
    struct query query = {0};
    int n_bytes = RESPONSE_BYTES + (data_shipping ? (int)n_tuples * TUPLE_BYTES : 0);

    for (long i = 0; i < n_queries; i++) {
        interact(ASK_OPEN, &result, &done, REQUEST_BYTES, TAG_DONE);
        if (data_shipping)
            open_query(&query);
        do {
            interact(ASK_NEXT, &result, response, n_bytes, TAG_RESPONSE);
            if (data_shipping)
                join_response(&query, response, tuples, page);
        } while (!use_page(&result, data_shipping ? page : response));
        interact(ASK_CLOSE, &result, &done, REQUEST_BYTES, TAG_DONE);
    }
    interact(ASK_STOP, &result, &done, REQUEST_BYTES, TAG_DONE);
    free(query.slots);
    free(tuples);
    free(response);
    return result;
}

/* Opened, page by page, closed; the session ended. */
static uint64_t expected_interactions(void)
{
    return (uint64_t)n_queries * (uint64_t)(selected_keys() / RESULTS_A_PAGE + 1 + 2) + 1;
}

/* NULL, or what is wrong with a client's result. */
static const char *check_result(const struct result *result)
{
    uint64_t n_queried = (uint64_t)n_queries, n_keys = (uint64_t)selected_keys(), hash = 0;

    for (uint64_t key = 0; key < n_keys; key++)
        hash += program_mix(key);
    if (!result->is_joined)
        return "two tuples were joined that do not belong together";
    if (result->n_tuples != n_queried * n_keys || result->hash != n_queried * hash)
        return "the result is not what the selectivity says";
    return result->n_interactions == expected_interactions()
               ? NULL
               : "there were too many or too few interactions";
}

static const char *run_queries(void)
{
    struct result result = {0};
    uint64_t *digests = program_alloc((size_t)program.n_ranks, sizeof *digests);
    double begin_s = MPI_Wtime();

    if (program.rank == SERVER)
        server();
    else
        result = client();
    program_time(&program, data_shipping ? "data shipping" : "query shipping", begin_s);
    if (program.spoiled)
        result.n_tuples++;
    MPI_Gather(&result.digest, 1, MPI_UINT64_T, digests, 1, MPI_UINT64_T, SERVER, MPI_COMM_WORLD);
    for (int rank = 1; program.rank == SERVER && rank < program.n_ranks; rank++)
        printf("client %d: %ld tuples in %ld queries and %" PRIu64
               " interactions, digest %016" PRIx64 "\n",
               rank, n_queries * selected_keys(), n_queries, expected_interactions(),
               digests[rank]);
    free(digests);
    return program.rank == SERVER ? NULL : check_result(&result);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0) {
        for (int relation = 0; relation < 2; relation++)
            relations[relation] = program_alloc((size_t)n_tuples, sizeof(struct tuple));
        make_relations();
        const char *wrong = run_queries();
        for (int relation = 0; relation < 2; relation++)
            free(relations[relation]);
        status = program_end(&program, wrong);
    }
    MPI_Finalize();
    return status;
}
