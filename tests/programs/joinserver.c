// SPDX-License-Identifier: BSD-3-Clause
/*
 * A database server and its clients, each of which joins two relations that the server has. Query
 * shipping: a client asks for its result page by page, and the server computes each page by a hash
 * join (rank 0 does all the work). Data shipping (--data-shipping): the clients fetch the relations
 * page by page first, keep them, and run the very same join themselves. Sizes as in the Tornadito
 * experiment of Eom and Hollingsworth, "A Tool to Help Tune Where Computation is Performed":
 * tuples of 208 bytes, requests of 26 and answers of 8210 bytes.
 *
 * Check: keys are permutations, so that the number of result tuples, their hash and the number of
 * exchanges follow from the selectivity.
 */
#include "program.h"

enum {
    TUPLE_BYTES = 208,
    REQUEST_BYTES = 26,
    PAGE_BYTES = 8192,
    HEADER_BYTES = 18,
    RESPONSE_BYTES = PAGE_BYTES + HEADER_BYTES,
    TUPLES_A_PAGE = PAGE_BYTES / TUPLE_BYTES,
    RESULTS_A_PAGE = PAGE_BYTES / (2 * TUPLE_BYTES),
    SERVER = 0,
    TAG_REQUEST = 1,
    TAG_RESPONSE = 2
};

/* What a request asks for: the result's next page, a page of a relation, or nothing more. */
enum { ASK_OPEN, ASK_NEXT, ASK_DATA, ASK_STOP };

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

/* 24 bytes of content, sent as REQUEST_BYTES. */
struct request {
    int64_t kind, relation, page;
    char rest[8];
};

/* Header of a response; tuples follow at HEADER_BYTES. */
struct header {
    int64_t n_tuples, is_last;
};

/* A query on its way: the selected tuples of relation 0 by key, and how far relation 1 is read. */
struct query {
    uint32_t *slots; /* row + 1, or 0 */
    uint64_t mask;
    long next_row;
};

/* What a client knows about its results. */
struct result {
    uint64_t n_tuples, hash, n_exchanges, digest;
    bool is_joined;
};

static struct tuple *relations[2];

static long selected_keys(void)
{
    return n_tuples * selectivity / 100;
}

/* Keys are 0 to n_tuples - 1, each once, in an order of the relation's own. */
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

/* Reads relation 1 on until the page is full of joined tuples; the last page may be emptier. */
static void process_query(struct query *query, unsigned char page[RESPONSE_BYTES])
{
    struct header header = {0};
    static uint64_t state;

    for (; query->next_row < n_tuples && header.n_tuples < RESULTS_A_PAGE; query->next_row++) {
        const struct tuple *tuple = &relations[1][query->next_row];
        const struct tuple *partner = find_partner(query, tuple->key);

        if (partner == NULL)
            continue;
        unsigned char *place = page + HEADER_BYTES + header.n_tuples++ * 2 * TUPLE_BYTES;
        memcpy(place, partner, TUPLE_BYTES);
        memcpy(place + TUPLE_BYTES, tuple, TUPLE_BYTES);
    }
    header.is_last = header.n_tuples < RESULTS_A_PAGE;
    memcpy(page, &header, sizeof header);
    state = program_work((uint64_t)page_units, state);
}

/* Copies a page of a relation, for a client that joins by itself. */
static void copy_page(const struct request *request, unsigned char page[RESPONSE_BYTES])
{
    long first = (long)request->page * TUPLES_A_PAGE, n = n_tuples - first;
    struct header header = {n < TUPLES_A_PAGE ? n : TUPLES_A_PAGE, n <= TUPLES_A_PAGE};

    memcpy(page, &header, sizeof header);
    memcpy(page + HEADER_BYTES, &relations[request->relation][first],
           (size_t)header.n_tuples * TUPLE_BYTES);
}

static void server(void)
{
    struct query *queries = program_alloc((size_t)program.n_ranks, sizeof *queries);
    unsigned char page[RESPONSE_BYTES] = {0};
    int n_clients = program.n_ranks - 1;

    while (n_clients > 0) {
        struct request request;
        MPI_Status status;

        MPI_Recv(&request, REQUEST_BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG_REQUEST, MPI_COMM_WORLD,
                 &status);
        if (request.kind == ASK_STOP) {
            n_clients--;
            continue;
        }
        if (request.kind == ASK_OPEN)
            open_query(&queries[status.MPI_SOURCE]);
        if (request.kind == ASK_DATA)
            copy_page(&request, page);
        else
            process_query(&queries[status.MPI_SOURCE], page);
        MPI_Send(page, RESPONSE_BYTES, MPI_BYTE, status.MPI_SOURCE, TAG_RESPONSE, MPI_COMM_WORLD);
    }
    for (int rank = 0; rank < program.n_ranks; rank++)
        free(queries[rank].slots);
    free(queries);
}

/* Sends a request to the server and waits for the page. */
static void exchange(int64_t kind, int64_t relation, int64_t number, unsigned char *page)
{
    struct request request = {.kind = kind, .relation = relation, .page = number};

    MPI_Send(&request, REQUEST_BYTES, MPI_BYTE, SERVER, TAG_REQUEST, MPI_COMM_WORLD);
    if (page != NULL)
        MPI_Recv(page, RESPONSE_BYTES, MPI_BYTE, SERVER, TAG_RESPONSE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Data shipping: gets both relations. */
static void fetch_relations(struct result *result)
{
    unsigned char page[RESPONSE_BYTES];
    struct header header;

    for (int relation = 0; relation < 2; relation++) {
        struct tuple *next = relations[relation];
        int64_t number = 0;

        do {
            exchange(ASK_DATA, relation, number++, page);
            memcpy(&header, page, sizeof header);
            memcpy(next, page + HEADER_BYTES, (size_t)header.n_tuples * TUPLE_BYTES);
            next += header.n_tuples;
            result->n_exchanges++;
        } while (!header.is_last);
    }
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
    return header.is_last;
}

static struct result client(void)
{
    unsigned char page[RESPONSE_BYTES];
    struct result result = {.is_joined = true};
    struct query own_query = {0};

    if (data_shipping)
        fetch_relations(&result);
    for (long i = 0; i < n_queries; i++) {
        bool is_first = true;

        do {
            if (data_shipping) {
                if (is_first)
                    open_query(&own_query);
                process_query(&own_query, page);
            } else {
                exchange(is_first ? ASK_OPEN : ASK_NEXT, 0, 0, page);
                result.n_exchanges++;
            }
            is_first = false;
        } while (!use_page(&result, page));
    }
    exchange(ASK_STOP, 0, 0, NULL);
    free(own_query.slots);
    return result;
}

/* NULL, or what is wrong with a client's result. */
static const char *check_result(const struct result *result)
{
    uint64_t n_queried = (uint64_t)n_queries, n_keys = (uint64_t)selected_keys(), hash = 0;
    uint64_t n_data_pages = 2 * (uint64_t)((n_tuples + TUPLES_A_PAGE - 1) / TUPLES_A_PAGE);
    uint64_t n_exchanges = data_shipping ? n_data_pages : n_queried * (n_keys / RESULTS_A_PAGE + 1);

    for (uint64_t key = 0; key < n_keys; key++)
        hash += program_mix(key);
    if (!result->is_joined)
        return "two tuples were joined that do not belong together";
    if (result->n_tuples != n_queried * n_keys || result->hash != n_queried * hash)
        return "the result is not what the selectivity says";
    return result->n_exchanges == n_exchanges ? NULL : "there were too many or too few exchanges";
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
        printf("client %d: %ld tuples in %ld queries, digest %016" PRIx64 "\n", rank,
               n_queries * selected_keys(), n_queries, digests[rank]);
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
        if (program.rank == SERVER)
            make_relations();
        const char *wrong = run_queries();
        for (int relation = 0; relation < 2; relation++)
            free(relations[relation]);
        status = program_end(&program, wrong);
    }
    MPI_Finalize();
    return status;
}
