// SPDX-License-Identifier: BSD-3-Clause
// Requests are the messages to a rank. One is served from the end of the call that receives it to
// the begin of the next call that receives one, or that probes or tests for one: then the rank
// attends to others again. Requests that one call receives share that time evenly. It is answered
// when its sender has received the next message of the server. Means and variances by Welford's
// method (Technometrics 4, 1962); utilisation, the interactive response time formula and the
// asymptotic bounds of closed systems by Denning and Buzen, "The operational analysis of queueing
// network models" (Computing Surveys 10, 1978), sections 3 to 5.
#include "analyzer/result/views/servers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

// Requests are told in the order of their receipts. So many of the latest wait here for earlier
// ones, so that arrivals are counted in the order of sending.
enum { MAX_WAITING = 64 };

struct moments {
    uint64_t n;
    double mean, squares; // sum of squared distances from the mean
};

struct arrivals {
    uint64_t sorted_ns[2 * MAX_WAITING];
    size_t begin, end;
};

/// What a rank gets and waits for.
struct service {
    struct arrivals *arrivals; // NULL: no request yet
    struct moments between, service, response;
    uint64_t last_arrival_ns;
    uint64_t first_leave_ns, leave_ns; // of the first and the last call that received one,
    uint64_t n_requests, n_in_call;    // of them in that call
    uint64_t attends_ns;               // the begin of a probe or test after it, 0: none yet
    uint32_t asked; // the rank that received this one's request and has not answered it yet;
                    // RESULT_NONE: there is none
    uint64_t asked_ns;
};

struct servers {
    const struct definitions *definitions;
    struct service *ranks;
    size_t n;
};

struct servers *servers_new(const struct definitions *definitions)
{
    struct servers *servers = memory_new(sizeof *servers);
    size_t n = definitions->n_ranks;
    *servers = (struct servers){definitions, memory_zeroed(n + 1, sizeof *servers->ranks), n};
    for (size_t i = 0; i < n; i++)
        servers->ranks[i].asked = RESULT_NONE;
    return servers;
}

void servers_free(struct servers *servers)
{
    if (!servers)
        return;
    FREE_MEMBERS(servers->ranks, servers->n, arrivals);
    FREE_ALL(servers->ranks, servers);
}

/// 0 where clocks disagree, or threads receive at the same time.
static double time_between(uint64_t begin_ns, uint64_t end_ns)
{
    return end_ns > begin_ns ? (double)(end_ns - begin_ns) : 0;
}

static void add(struct moments *moments, double value, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        double distance = value - moments->mean;
        moments->mean += distance / (double)++moments->n;
        moments->squares += distance * (value - moments->mean);
    }
}

/// The earliest of the arrivals that wait for earlier ones.
static void count_arrival(struct service *service)
{
    struct arrivals *arrivals = service->arrivals;
    uint64_t now_ns = arrivals->sorted_ns[arrivals->begin++], last_ns = service->last_arrival_ns;
    if (last_ns > 0)
        add(&service->between, time_between(last_ns, now_ns), 1);
    service->last_arrival_ns = now_ns > last_ns ? now_ns : last_ns;
}

static void arrive(struct service *service, uint64_t time_ns)
{
    if (!service->arrivals)
        service->arrivals = memory_zeroed(1, sizeof *service->arrivals);
    struct arrivals *arrivals = service->arrivals;
    if (arrivals->end - arrivals->begin == MAX_WAITING)
        count_arrival(service);
    if (arrivals->end == 2 * MAX_WAITING) {
        arrivals->end -= arrivals->begin;
        memmove(arrivals->sorted_ns, arrivals->sorted_ns + arrivals->begin,
                arrivals->end * sizeof *arrivals->sorted_ns);
        arrivals->begin = 0;
    }
    time_ns++; // 0 is before the first one
    size_t at = arrivals->end++;
    for (; at > arrivals->begin && arrivals->sorted_ns[at - 1] > time_ns; at--)
        arrivals->sorted_ns[at] = arrivals->sorted_ns[at - 1];
    arrivals->sorted_ns[at] = time_ns;
}

/// A request that a call from ENTER_NS to LEAVE_NS receives.
static void receive(struct service *server, uint64_t enter_ns, uint64_t leave_ns)
{
    bool is_first = server->n_requests++ == 0;
    if (!is_first && server->leave_ns == leave_ns) {
        server->n_in_call++;
        return;
    }
    uint64_t end_ns = server->attends_ns > 0 ? server->attends_ns : enter_ns;
    if (is_first)
        server->first_leave_ns = leave_ns;
    else
        add(&server->service, time_between(server->leave_ns, end_ns) / (double)server->n_in_call,
            server->n_in_call);
    server->n_in_call = 1;
    server->leave_ns = leave_ns;
    server->attends_ns = 0;
}

void servers_message(struct servers *servers, const struct pag_message *message)
{
    struct service *server = &servers->ranks[message->receiver];
    struct service *client = &servers->ranks[message->sender];
    if (message->sender == message->receiver)
        return;
    if (server->asked == message->sender) { // an answer
        add(&client->response, time_between(server->asked_ns, message->leave_ns), 1);
        server->asked = RESULT_NONE;
    }
    if (client->asked != message->receiver) {
        client->asked = message->receiver;
        client->asked_ns = message->send_enter_ns;
    }
    arrive(server, message->send_enter_ns);
    receive(server, message->enter_ns, message->leave_ns);
}

void servers_called(struct servers *servers, const struct pag_called *call)
{
    struct service *server = &servers->ranks[call->rank];
    if (call->region == EVENT_NO_INDEX || server->n_requests == 0 || server->attends_ns > 0 ||
        call->enter_ns < server->leave_ns)
        return;
    enum mpi_function function = servers->definitions->regions[call->region].mpi;
    if (function == MPI_FUNCTION_PROBE || function == MPI_FUNCTION_IPROBE ||
        function == MPI_FUNCTION_TEST)
        server->attends_ns = call->enter_ns;
}

// ---- which ranks are servers

/// The sum of numbers of messages, and of their squares.
struct concentration {
    double sum, squares;
};

/// How many equal partners would be as many as those of a rank: the inverse of Simpson's index.
static double n_partners(const struct concentration *of)
{
    return of->squares > 0 ? of->sum * of->sum / of->squares : 0;
}

static struct concentration *find_partners(const struct result *result)
{
    struct concentration *of = memory_zeroed(result->n_ranks + 1, sizeof *of);
    for (size_t i = 0; i < result->n_traffic; i++) {
        const struct result_traffic *traffic = &result->traffic[i];
        double n = (double)traffic->n_messages;
        if (traffic->sender == traffic->receiver)
            continue;
        struct concentration *ends[] = {&of[traffic->sender], &of[traffic->receiver]};
        for (int k = 0; k < 2; k++) {
            ends[k]->sum += n;
            ends[k]->squares += n * n;
        }
    }
    return of;
}

/// What clients send to a rank: ranks that have much fewer partners than it has.
struct clients {
    uint32_t n;
    uint64_t n_requests, n_others; // messages of clients and of other ranks
};

static struct clients *find_clients(const struct result *result)
{
    enum { TIMES_TWO = 3 }; // one and a half times as many partners
    struct clients *clients = memory_zeroed(result->n_ranks + 1, sizeof *clients);
    SCOPED struct concentration *of = find_partners(result);
    for (size_t i = 0; i < result->n_traffic; i++) {
        const struct result_traffic *traffic = &result->traffic[i];
        struct clients *to = &clients[traffic->receiver];
        bool is_client =
            2 * n_partners(&of[traffic->receiver]) > TIMES_TWO * n_partners(&of[traffic->sender]);
        if (traffic->sender == traffic->receiver || traffic->n_messages == 0)
            continue;
        to->n += is_client;
        *(is_client ? &to->n_requests : &to->n_others) += traffic->n_messages;
    }
    return clients;
}

static bool is_server(const struct clients *clients)
{
    return clients->n >= 2 && clients->n_requests >= 4 * (uint64_t)clients->n &&
           clients->n_requests >= 9 * clients->n_others;
}

// ---- results

static struct result_moments moments_of(const struct moments *moments)
{
    double variance =
        moments->n > 1 ? moments->squares / (double)(moments->n - 1) : NAN; // of a sample
    return (struct result_moments){moments->n, moments->n > 0 ? moments->mean : NAN,
                                   sqrt(variance)};
}

static void put_server(const struct service *service, const struct clients *clients, uint32_t rank,
                       struct result_server *server)
{
    *server = (struct result_server){.rank = rank,
                                     .n_clients = clients->n,
                                     .n_requests = service->n_requests,
                                     .arrival = moments_of(&service->between),
                                     .service = moments_of(&service->service),
                                     .response = moments_of(&service->response)};
    double n = (double)server->service.n, service_ns = server->service.mean_ns;
    double period_ns = (double)(service->leave_ns - service->first_leave_ns);
    server->busy = n * service_ns / period_ns;
    server->think_ns = (double)clients->n * period_ns / n - server->response.mean_ns;
    server->think_ns = server->think_ns < 0 ? 0 : server->think_ns;
    server->saturating = 1 + server->think_ns / service_ns;
}

void servers_collect(struct servers *servers, struct result *result)
{
    SCOPED struct clients *clients = find_clients(result);
    size_t capacity = 0;
    for (uint32_t i = 0; i < servers->n; i++) {
        struct service *service = &servers->ranks[i];
        if (!is_server(&clients[i]))
            continue;
        while (service->arrivals && service->arrivals->begin < service->arrivals->end)
            count_arrival(service);
        if (service->service.n > 0 && service->service.mean > 0)
            put_server(service, &clients[i], i,
                       ARRAY_NEXT(result->servers, result->n_servers, capacity));
    }
    SORT_BY(result->servers, result->n_servers, MOST(busy), LEAST(rank));
}
