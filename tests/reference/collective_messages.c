// SPDX-License-Identifier: BSD-3-Clause
// Collectives by messages (see collective_messages.h).
#include "tests/reference/collective_messages.h"

#include <string.h>

enum { N = COLLECTIVE_MAX_MEMBERS, MAX_ACTIONS = 8 * N };

enum action_kind { ACT_SEND, ACT_RECEIVE, ACT_MULTICAST, ACT_TAKEN };

struct action {
    enum action_kind kind;
    uint32_t peer; // place
    uint64_t bytes;
};

/// A member, by its place.
struct actor {
    struct action actions[MAX_ACTIONS];
    uint32_t n_actions, n_done, n_sends, n_steps;
    // Messages that hold it: not taken yet, taken meanwhile at last; has it received since a send?
    uint32_t n_held;
    uint64_t taken_ns;
    bool was_held, has_received;
    uint64_t time_ns, out_ns, in_ns;
    uint32_t member;
};

struct stage {
    const struct collective_case *one;
    struct actor actors[N];
    uint64_t arrivals[N][N][MAX_ACTIONS / 2]; // by sender, receiver, number
    uint64_t gaps_ns[N][N][MAX_ACTIONS / 2];  // that they keep a port
    bool holds[N][N][MAX_ACTIONS / 2];        // its sender until it is taken
    uint32_t n_sent[N][N], n_taken[N][N];
    bool is_multicast_sent;
    uint64_t multicast_ns;
};

static void act(struct stage *stage, uint32_t place, enum action_kind kind, uint32_t peer,
                uint64_t bytes)
{
    struct actor *actor = &stage->actors[place];
    actor->actions[actor->n_actions++] = (struct action){kind, peer, bytes};
}

static void send(struct stage *stage, uint32_t from, uint32_t to, uint64_t bytes)
{
    act(stage, from, ACT_SEND, to, bytes);
}

static void receive(struct stage *stage, uint32_t to, uint32_t from)
{
    act(stage, to, ACT_RECEIVE, from, 0);
}

/// Here each member waits until what it has sent is taken.
static void end_phase(struct stage *stage)
{
    for (uint32_t place = 0; place < stage->one->n; place++)
        act(stage, place, ACT_TAKEN, 0, 0);
}

static uint64_t share(const struct stage *stage, uint32_t place)
{
    return stage->one->share_bytes[stage->actors[place].member];
}

// --- trees, by who is whose child

typedef bool is_child(uint32_t parent, uint32_t child);

/// A place without its lowest binary digit that is 1.
static bool is_binomial_child(uint32_t parent, uint32_t child)
{
    return child > 0 && (child & (child - 1)) == parent;
}

static bool is_quaternary_child(uint32_t parent, uint32_t child)
{
    return child >= 4 * parent + 1 && child <= 4 * parent + 4;
}

static bool is_flat_child(uint32_t parent, uint32_t child)
{
    return parent == 0 && child > 0;
}

static uint32_t places_below(is_child *tree, uint32_t place, uint32_t n)
{
    uint32_t sum = 1;
    for (uint32_t c = place + 1; c < n; c++)
        if (tree(place, c))
            sum += places_below(tree, c, n);
    return sum;
}

static is_child *tree_of(const char *name)
{
    return strcmp(name, "binomial") == 0     ? is_binomial_child
           : strcmp(name, "quaternary") == 0 ? is_quaternary_child
                                             : is_flat_child;
}

enum amount { AMOUNT_NONE, AMOUNT_SHARE, AMOUNT_PART, AMOUNT_ALL };

static uint64_t amount_of(const struct stage *stage, uint32_t place, enum amount amount)
{
    uint64_t bytes = share(stage, place), n = stage->one->n;
    return amount == AMOUNT_NONE    ? 0
           : amount == AMOUNT_SHARE ? bytes
           : amount == AMOUNT_PART  ? (bytes + n - 1) / n
                                    : bytes * n;
}

/// Children of a binomial tree are sent to from the largest part on, of others in their order.
static void down(struct stage *stage, is_child *tree, enum amount amount, bool has_blocks)
{
    uint32_t n = stage->one->n;
    bool is_backward = tree == is_binomial_child;
    for (uint32_t place = 0; place < n; place++) {
        for (uint32_t parent = 0; parent < place; parent++)
            if (tree(parent, place))
                receive(stage, place, parent);
        for (uint32_t k = 1; k < n; k++) {
            uint32_t child = is_backward ? n - k : k;
            if (tree(place, child))
                send(stage, place, child,
                     amount_of(stage, place, amount) *
                         (has_blocks ? places_below(tree, child, n) : 1));
        }
    }
    end_phase(stage);
}

static void up(struct stage *stage, is_child *tree, enum amount amount, bool has_blocks)
{
    uint32_t n = stage->one->n;
    for (uint32_t place = 0; place < n; place++) {
        for (uint32_t child = 1; child < n; child++)
            if (tree(place, child))
                receive(stage, place, child);
        for (uint32_t parent = 0; parent < place; parent++)
            if (tree(parent, place))
                send(stage, place, parent,
                     amount_of(stage, place, amount) *
                         (has_blocks ? places_below(tree, place, n) : 1));
    }
    end_phase(stage);
}

// --- rounds

static void ring(struct stage *stage, enum amount amount)
{
    uint32_t n = stage->one->n;
    for (uint32_t place = 0; place < n; place++)
        for (uint32_t round = 1; round < n; round++) {
            send(stage, place, (place + 1) % n, amount_of(stage, place, amount));
            receive(stage, place, (place + n - 1) % n);
        }
    end_phase(stage);
}

static void direct(struct stage *stage)
{
    uint32_t n = stage->one->n;
    for (uint32_t place = 0; place < n; place++) {
        for (uint32_t k = 1; k < n; k++)
            send(stage, place, (place + k) % n, share(stage, place));
        for (uint32_t k = 1; k < n; k++)
            receive(stage, place, (place + n - k) % n);
    }
    end_phase(stage);
}

static void pairwise(struct stage *stage)
{
    uint32_t n = stage->one->n;
    for (uint32_t place = 0; place < n; place++)
        for (uint32_t k = 1; k < n; k++) {
            send(stage, place, (place + k) % n, share(stage, place));
            receive(stage, place, (place + n - k) % n);
        }
    end_phase(stage);
}

/// Barrier, and Bruck's all-to-all: the blocks whose distance has the binary digit.
static void dissemination(struct stage *stage, bool is_alltoall)
{
    uint32_t n = stage->one->n;
    for (uint32_t place = 0; place < n; place++)
        for (uint32_t distance = 1; distance < n; distance *= 2) {
            uint64_t n_blocks = 0;
            for (uint32_t i = 1; i < n && is_alltoall; i++)
                n_blocks += (i & distance) != 0;
            send(stage, place, (place + distance) % n, n_blocks * share(stage, place));
            receive(stage, place, (place + n - distance) % n);
        }
    end_phase(stage);
}

/// Of a power of two in pairs; else Bruck's: from places above, what is left in the last round.
static void doubling_allgather(struct stage *stage, enum amount amount)
{
    uint32_t n = stage->one->n;
    for (uint32_t place = 0; place < n; place++) {
        uint32_t n_have = 1;
        for (uint32_t distance = 1; distance < n; distance *= 2) {
            uint32_t n_more = n - n_have < n_have ? n - n_have : n_have;
            bool is_power = (n & (n - 1)) == 0;
            uint32_t to = is_power ? place ^ distance : (place + n - distance) % n;
            uint32_t from = is_power ? place ^ distance : (place + distance) % n;
            send(stage, place, to, n_more * amount_of(stage, place, amount));
            receive(stage, place, from);
            n_have += n_more;
        }
    }
    end_phase(stage);
}

/// Whoever goes on after the first members have joined in pairs.
static uint32_t active_places(uint32_t n, uint32_t *places)
{
    uint32_t n_active = 1, n_found = 0;
    while (2 * n_active <= n)
        n_active *= 2;
    uint32_t n_joined = 2 * (n - n_active);
    for (uint32_t place = 0; place < n; place++)
        if (place >= n_joined || place % 2 == 1)
            places[n_found++] = place;
    return n_active;
}

static void exchange(struct stage *stage, uint32_t place, uint32_t other, uint64_t bytes)
{
    send(stage, place, other, bytes);
    receive(stage, place, other);
}

static void folded(struct stage *stage, enum amount amount, bool is_halving)
{
    uint32_t n = stage->one->n, places[N];
    uint32_t n_active = active_places(n, places), n_joined = 2 * (n - n_active);
    for (uint32_t place = 0; place < n_joined; place += 2) {
        uint64_t unit = amount_of(stage, place, amount);
        send(stage, place, place + 1, is_halving ? n * unit : unit);
        receive(stage, place + 1, place);
    }
    for (uint32_t i = 0; i < n_active; i++) {
        uint64_t unit = amount_of(stage, places[i], amount), vector = n * unit;
        if (is_halving)
            for (uint32_t distance = n_active / 2; distance >= 1; distance /= 2)
                exchange(stage, places[i], places[i ^ distance],
                         (vector * distance + n_active - 1) / n_active);
        else
            for (uint32_t distance = 1; distance < n_active; distance *= 2)
                exchange(stage, places[i], places[i ^ distance], unit);
    }
    for (uint32_t place = 0; place < n_joined; place += 2) {
        send(stage, place + 1, place, amount_of(stage, place + 1, amount));
        receive(stage, place, place + 1);
    }
    end_phase(stage);
}

static void chain(struct stage *stage)
{
    uint32_t n = stage->one->n;
    bool has_data = strcmp(stage->one->operation, "barrier") != 0;
    for (uint32_t place = 0; place < n; place++) {
        if (place > 0)
            receive(stage, place, place - 1);
        if (place + 1 < n)
            send(stage, place, place + 1, has_data ? share(stage, place) : 0);
    }
    end_phase(stage);
}

static void scan(struct stage *stage, bool is_doubling)
{
    uint32_t n = stage->one->n;
    for (uint32_t place = 0; place < n; place++) {
        if (!is_doubling) {
            for (uint32_t other = place + 1; other < n; other++)
                send(stage, place, other, share(stage, place));
            for (uint32_t other = 0; other < place; other++)
                receive(stage, place, other);
            continue;
        }
        for (uint32_t distance = 1; distance < n; distance *= 2) {
            if (place + distance < n)
                send(stage, place, place + distance, share(stage, place));
            if (place >= distance)
                receive(stage, place, place - distance);
        }
    }
    end_phase(stage);
}

// --- the programs

static bool is_one_of(const char *name, const char *names)
{
    const char *at = strstr(names, name);
    size_t length = strlen(name);
    while (at && !((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])))
        at = strstr(at + 1, name);
    return at != NULL;
}

static bool has_root(const char *operation)
{
    return is_one_of(operation, "bcast scatter scatterv gather gatherv reduce");
}

static void write_tree(struct stage *stage, const char *operation, is_child *tree)
{
    bool is_flat = tree == is_flat_child;
    if (strcmp(operation, "barrier") == 0) {
        up(stage, tree, AMOUNT_NONE, false);
        down(stage, tree, AMOUNT_NONE, false);
    } else if (strcmp(operation, "bcast") == 0) {
        down(stage, tree, AMOUNT_SHARE, false);
    } else if (strcmp(operation, "reduce") == 0) {
        up(stage, tree, AMOUNT_SHARE, false);
    } else if (strcmp(operation, "allreduce") == 0) {
        up(stage, tree, AMOUNT_SHARE, false);
        down(stage, tree, AMOUNT_SHARE, false);
    } else if (is_one_of(operation, "scatter scatterv")) {
        down(stage, tree, AMOUNT_SHARE, !is_flat);
    } else if (is_one_of(operation, "gather gatherv")) {
        up(stage, tree, AMOUNT_SHARE, !is_flat);
    } else if (is_flat && is_one_of(operation, "scan exscan")) {
        scan(stage, false);
    } else if (is_flat) {
        direct(stage);
    } else if (is_one_of(operation, "allgather allgatherv")) {
        up(stage, tree, AMOUNT_SHARE, true);
        down(stage, tree, AMOUNT_ALL, false);
    } else {
        up(stage, tree, AMOUNT_ALL, false);
        down(stage, tree, AMOUNT_SHARE, true);
    }
}

static void write_doubling(struct stage *stage, const char *operation)
{
    if (strcmp(operation, "barrier") == 0) {
        dissemination(stage, false);
    } else if (strcmp(operation, "bcast") == 0) {
        down(stage, is_binomial_child, AMOUNT_PART, true);
        doubling_allgather(stage, AMOUNT_PART);
    } else if (strcmp(operation, "reduce") == 0) {
        folded(stage, AMOUNT_PART, true);
        up(stage, is_binomial_child, AMOUNT_PART, true);
    } else if (is_one_of(operation, "allgather allgatherv")) {
        doubling_allgather(stage, AMOUNT_SHARE);
    } else if (strcmp(operation, "allreduce") == 0) {
        folded(stage, AMOUNT_SHARE, false);
    } else if (is_one_of(operation, "alltoall alltoallv alltoallw")) {
        dissemination(stage, true);
    } else if (is_one_of(operation, "scan exscan")) {
        scan(stage, true);
    } else {
        folded(stage, AMOUNT_SHARE, true);
    }
}

static void write_ring(struct stage *stage, const char *operation)
{
    uint32_t n = stage->one->n;
    if (strcmp(operation, "barrier") == 0) {
        chain(stage);
        send(stage, n - 1, 0, 0);
        receive(stage, 0, n - 1);
        end_phase(stage);
        chain(stage);
    } else if (strcmp(operation, "bcast") == 0) {
        down(stage, is_binomial_child, AMOUNT_PART, true);
        ring(stage, AMOUNT_PART);
    } else if (strcmp(operation, "reduce") == 0) {
        ring(stage, AMOUNT_PART);
        up(stage, is_binomial_child, AMOUNT_PART, true);
    } else if (strcmp(operation, "allreduce") == 0) {
        ring(stage, AMOUNT_PART);
        ring(stage, AMOUNT_PART);
    } else if (is_one_of(operation, "alltoall alltoallv alltoallw")) {
        pairwise(stage);
    } else if (is_one_of(operation, "scan exscan")) {
        chain(stage);
    } else {
        ring(stage, AMOUNT_SHARE);
    }
}

const char *usual_algorithm(const char *operation, uint32_t n, uint64_t bytes)
{
    uint32_t power = 1;
    while (2 * power <= n)
        power *= 2;
    bool is_power = power == n, has_elements = bytes / 8 >= power;
    if (strcmp(operation, "bcast") == 0) {
        if (n < 8 || bytes < 12 * 1024)
            return "binomial";
        return is_power && bytes < 512 * 1024 ? "recursive-doubling" : "ring";
    }
    if (is_one_of(operation, "gather scatter"))
        return "binomial";
    if (is_one_of(operation, "gatherv scatterv alltoallv alltoallw"))
        return "flat";
    if (is_one_of(operation, "allgather allgatherv"))
        return n * bytes < (is_power ? 512 : 80) * 1024 ? "recursive-doubling" : "ring";
    if (strcmp(operation, "alltoall") == 0) {
        if (n >= 8 && bytes <= 256)
            return "recursive-doubling";
        return bytes <= 32 * 1024 ? "flat" : "ring";
    }
    if (strcmp(operation, "allreduce") == 0)
        return has_elements ? "recursive-halving" : "recursive-doubling";
    if (strcmp(operation, "reduce") == 0)
        return has_elements && bytes > 2048 ? "recursive-doubling" : "binomial";
    if (is_one_of(operation, "reduce_scatter reduce_scatter_block"))
        return n * bytes < 512 * 1024 ? "recursive-doubling" : "ring";
    return "recursive-doubling";
}

/// Do the members fill a row of at least two nodes?
static bool is_row(const struct collective_case *one)
{
    uint32_t n_nodes = 0, first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < one->n; i++) {
        bool is_new = true;
        for (uint32_t k = 0; k < i; k++)
            is_new = is_new && one->node[k] != one->node[i];
        n_nodes += is_new;
        first = one->node[i] < first ? one->node[i] : first;
        last = one->node[i] > last ? one->node[i] : last;
    }
    return n_nodes > 1 && last - first + 1 == n_nodes;
}

static void write_programs(struct stage *stage)
{
    const struct collective_case *one = stage->one;
    if (strcmp(one->algorithm, "hardware-multicast") == 0 && is_row(one)) {
        if (strcmp(one->operation, "bcast") != 0)
            up(stage, tree_of(one->tree),
               strcmp(one->operation, "barrier") == 0 ? AMOUNT_NONE : AMOUNT_SHARE, false);
        for (uint32_t place = 0; place < one->n; place++)
            act(stage, place, ACT_MULTICAST, 0,
                strcmp(one->operation, "barrier") == 0 ? 0 : share(stage, place));
    } else if (strcmp(one->algorithm, "hardware-multicast") == 0) {
        write_tree(stage, one->operation, tree_of(one->tree));
    } else if (strcmp(one->algorithm, "released") == 0) {
        dissemination(stage, false);
        down(stage, is_binomial_child, AMOUNT_NONE, false);
    } else if (strcmp(one->algorithm, "recursive-doubling") == 0) {
        write_doubling(stage, one->operation);
    } else if (strcmp(one->algorithm, "recursive-halving") == 0) {
        folded(stage, AMOUNT_PART, true);
        doubling_allgather(stage, AMOUNT_PART);
    } else if (strcmp(one->algorithm, "ring") == 0) {
        write_ring(stage, one->operation);
    } else {
        write_tree(stage, one->operation, tree_of(one->algorithm));
    }
}

// --- carrying them out

static uint64_t message_ns(const struct scenario_messages *messages, uint64_t bytes)
{
    uint32_t n = messages->n_points, upper = 1;
    if (n == 1 || bytes <= messages->bytes[0])
        return messages->time_ns[0];
    while (upper + 1 < n && messages->bytes[upper] < bytes)
        upper++;
    __int128 x0 = messages->bytes[upper - 1], x1 = messages->bytes[upper];
    __int128 y0 = messages->time_ns[upper - 1], y1 = messages->time_ns[upper];
    return (uint64_t)(y0 + (y1 - y0) * ((__int128)bytes - x0) / (x1 - x0));
}

/// How long a message keeps a port.
static uint64_t gap_ns(const struct scenario_messages *messages, uint64_t bytes)
{
    uint64_t empty_ns = message_ns(messages, 0), time_ns = message_ns(messages, bytes);
    return time_ns > empty_ns ? time_ns - empty_ns : 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static const struct scenario_messages *between(const struct stage *stage, uint32_t a, uint32_t b)
{
    if (stage->one->between)
        return stage->one->between(stage->one->context, stage->actors[a].member,
                                   stage->actors[b].member);
    const uint32_t *node = stage->one->node;
    bool is_near = node[stage->actors[a].member] == node[stage->actors[b].member];
    return is_near ? stage->one->on_node : stage->one->network;
}

/// Must the member at PLACE wait until what it has sent is taken, and then for a core?
static bool must_wait(struct stage *stage, uint32_t place)
{
    struct actor *self = &stage->actors[place];
    if (!self->was_held)
        return false;
    if (self->n_held > 0)
        return true;
    uint64_t there_ns = later(self->time_ns, self->taken_ns);
    if (stage->one->core)
        there_ns = stage->one->core(stage->one->context, self->member, self->n_steps, there_ns);
    if (there_ns == UINT64_MAX)
        return true;
    self->n_steps++;
    self->time_ns = there_ns;
    self->was_held = false;
    self->taken_ns = 0;
    return false;
}

/// The next action of the member at PLACE, if it is possible.
static bool try_action(struct stage *stage, uint32_t place, uint64_t *switch_ns)
{
    struct actor *self = &stage->actors[place];
    if (self->n_done == self->n_actions || self->time_ns == UINT64_MAX)
        return false;
    const struct action *action = &self->actions[self->n_done];
    uint32_t other = action->peer;
    if ((action->kind == ACT_TAKEN || (action->kind == ACT_SEND && self->has_received)) &&
        must_wait(stage, place))
        return false;
    if (action->kind == ACT_SEND) {
        const struct scenario_messages *messages = between(stage, place, other);
        uint32_t number = stage->n_sent[place][other]++;
        uint64_t port_ns = gap_ns(messages, action->bytes);
        self->time_ns = later(self->time_ns + messages->send_overhead_ns, self->out_ns);
        self->out_ns = self->time_ns + port_ns;
        const struct collective_message message = {
            .from = self->member,
            .to = stage->actors[other].member,
            .number = number,
            .order = self->n_sends++,
            .ready_ns = self->time_ns,
            .bytes = action->bytes,
        };
        stage->arrivals[place][other][number] =
            stage->one->arrival ? stage->one->arrival(stage->one->context, &message)
                                : self->time_ns + message_ns(messages, action->bytes);
        stage->gaps_ns[place][other][number] = port_ns;
        bool is_held = stage->one->holds && stage->one->holds(stage->one->context, message.from,
                                                              message.to, message.bytes);
        stage->holds[place][other][number] = is_held;
        self->n_held += is_held;
        self->was_held = self->was_held || is_held;
        self->has_received = false;
    } else if (action->kind == ACT_RECEIVE) {
        const struct scenario_messages *messages = between(stage, place, other);
        uint32_t number = stage->n_taken[other][place];
        if (number == stage->n_sent[other][place] ||
            stage->arrivals[other][place][number] == UINT64_MAX)
            return false;
        uint64_t in_ns = later(stage->arrivals[other][place][number],
                               self->in_ns + stage->gaps_ns[other][place][number]);
        uint64_t there_ns = later(self->time_ns, in_ns);
        if (stage->one->core)
            there_ns = stage->one->core(stage->one->context, self->member, self->n_steps, there_ns);
        if (there_ns == UINT64_MAX)
            return false;
        stage->n_taken[other][place]++;
        self->n_steps++;
        self->in_ns = in_ns;
        self->time_ns = there_ns + messages->receive_overhead_ns;
        self->has_received = true;
        if (stage->holds[other][place][number]) {
            stage->actors[other].n_held--;
            stage->actors[other].taken_ns = later(stage->actors[other].taken_ns, self->time_ns);
        }
    } else if (action->kind == ACT_TAKEN) {
        self->n_done++;
        return true;
    } else if (place == 0) {
        const struct scenario_messages *network = stage->one->network;
        self->time_ns = later(self->time_ns + network->send_overhead_ns, *switch_ns);
        stage->multicast_ns = *switch_ns = self->time_ns + message_ns(network, action->bytes);
        stage->is_multicast_sent = true;
    } else if (stage->is_multicast_sent) {
        self->time_ns =
            later(self->time_ns, stage->multicast_ns) + stage->one->network->receive_overhead_ns;
    } else {
        return false;
    }
    self->n_done++;
    return true;
}

void collective_through(const struct collective_case *one, uint64_t *switch_ns,
                        uint64_t *through_ns)
{
    static struct stage all; // too large for the stack
    struct stage *stage = &all;
    stage->one = one;
    stage->is_multicast_sent = false;
    memset(stage->n_sent, 0, sizeof stage->n_sent);
    memset(stage->n_taken, 0, sizeof stage->n_taken);
    for (uint32_t place = 0; place < one->n; place++) {
        uint32_t member = has_root(one->operation) ? (place + one->root) % one->n : place;
        struct actor *actor = &stage->actors[place];
        actor->n_actions = actor->n_done = actor->n_sends = actor->n_steps = actor->n_held = 0;
        actor->was_held = actor->has_received = false;
        actor->out_ns = actor->in_ns = actor->taken_ns = 0;
        actor->member = member;
        actor->time_ns = one->enter_ns[member];
    }
    if (one->n > 1)
        write_programs(stage);
    for (bool is_going = true; is_going;) {
        is_going = false;
        for (uint32_t place = 0; place < one->n; place++)
            while (try_action(stage, place, switch_ns))
                is_going = true;
    }
    for (uint32_t place = 0; place < one->n; place++)
        through_ns[stage->actors[place].member] =
            stage->actors[place].n_done == stage->actors[place].n_actions
                ? stage->actors[place].time_ns
                : UINT64_MAX;
}
