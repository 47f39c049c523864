// SPDX-License-Identifier: BSD-3-Clause
// Communicator table: open addressing by handle, with backward-shift deletion, so that thousands
// of short-lived communicators leave no trace in it.
#include "tracer/mpi/comm.h"

#include "tracer/mpi/hooks.h"
#include "tracer/mpi/request.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct comm *table;
static size_t n_slots; // a power of two
static size_t n_used;
static uint32_t n_ids;
static MPI_Group world_group;
static struct comm world; // most calls use it: kept apart

// Remote groups of communicators with processes of other worlds, by slot: members of later
// communicators may be among them. Those beyond the last slot stay unknown.
static MPI_Group foreign_groups[RECORD_FOREIGN_SLOTS];
static int n_foreign_groups;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool lock_needed;

void tables_set_threaded(bool threaded)
{
    lock_needed = threaded;
}

bool tables_are_threaded(void)
{
    return lock_needed;
}

void tables_lock(void)
{
    if (lock_needed)
        pthread_mutex_lock(&lock);
}

void tables_unlock(void)
{
    if (lock_needed)
        pthread_mutex_unlock(&lock);
}

static size_t slot_of(MPI_Comm handle)
{
    return (size_t)(((uint64_t)handle * 0x9e3779b97f4a7c15U) >> 32) & (n_slots - 1);
}

static struct comm *look_up(MPI_Comm handle)
{
    if (n_slots == 0)
        return NULL;
    for (size_t i = slot_of(handle);; i = (i + 1) & (n_slots - 1)) {
        if (table[i].n_local == 0)
            return NULL;
        if (table[i].handle == handle)
            return &table[i];
    }
}

static void insert(const struct comm *comm)
{
    size_t i = slot_of(comm->handle);
    while (table[i].n_local != 0 && table[i].handle != comm->handle)
        i = (i + 1) & (n_slots - 1);
    if (table[i].n_local == 0)
        n_used++;
    table[i] = *comm;
}

static bool grow(void)
{
    struct comm *old = table;
    size_t n_old = n_slots;
    size_t n_new = n_old == 0 ? 64 : 2 * n_old;
    struct comm *larger = calloc(n_new, sizeof *larger);
    if (!larger)
        return false;
    table = larger;
    n_slots = n_new;
    n_used = 0;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].n_local != 0)
            insert(&old[i]);
    free(old);
    return true;
}

static void close_gap(size_t hole)
{
    for (size_t i = (hole + 1) & (n_slots - 1); table[i].n_local != 0;
         i = (i + 1) & (n_slots - 1)) {
        size_t home = slot_of(table[i].handle);
        if (((i - home) & (n_slots - 1)) >= ((i - hole) & (n_slots - 1))) {
            table[hole] = table[i];
            table[i].n_local = 0;
            hole = i;
        }
    }
}

struct comm comm_take(const MPI_Comm *handle)
{
    struct comm comm = {.n_local = 0};
    if (!handle || *handle == MPI_COMM_WORLD || *handle == MPI_COMM_SELF)
        return comm;
    tables_lock();
    struct comm *found = look_up(*handle);
    if (found) {
        comm = *found;
        found->n_local = 0;
        n_used--;
        close_gap((size_t)(found - table));
    }
    tables_unlock();
    return comm;
}

/// With the tables locked.
static void enter(const struct comm *comm)
{
    if (2 * (n_used + 1) <= n_slots || grow())
        insert(comm);
}

static struct comm describe(MPI_Comm handle)
{
    struct comm comm = {.handle = handle};
    PMPI_Comm_rank(handle, &comm.rank);
    PMPI_Comm_size(handle, &comm.n_local);
    int is_inter = 0;
    PMPI_Comm_test_inter(handle, &is_inter);
    if (is_inter)
        PMPI_Comm_remote_size(handle, &comm.n_remote);
    return comm;
}

enum { MEMBERS_AT_ONCE = 64 };

/// Looks for the members that are not in MPI_COMM_WORLD among those of other worlds.
static void find_foreign(MPI_Group group, int n, const int *ranks, int32_t *members)
{
    for (int slot = 0; slot < n_foreign_groups; slot++) {
        int others[MEMBERS_AT_ONCE];
        PMPI_Group_translate_ranks(group, n, ranks, foreign_groups[slot], others);
        for (int i = 0; i < n; i++)
            if (members[i] == -1 && others[i] >= 0 && others[i] < RECORD_FOREIGN_RANKS)
                members[i] = RECORD_FOREIGN_MEMBER(slot, others[i]);
    }
}

void comm_members(MPI_Group group, int n, int32_t *members)
{
    for (int first = 0; first < n; first += MEMBERS_AT_ONCE, members += MEMBERS_AT_ONCE) {
        int ranks[MEMBERS_AT_ONCE], others[MEMBERS_AT_ONCE];
        int n_here = n - first < MEMBERS_AT_ONCE ? n - first : MEMBERS_AT_ONCE;
        bool has_others = false;
        for (int i = 0; i < n_here; i++) {
            ranks[i] = first + i;
            others[i] = MPI_UNDEFINED;
        }
        PMPI_Group_translate_ranks(group, n_here, ranks, world_group, others);
        for (int i = 0; i < n_here; i++) {
            members[i] = others[i] == MPI_UNDEFINED ? -1 : others[i];
            has_others |= members[i] == -1;
        }
        if (has_others)
            find_foreign(group, n_here, ranks, members);
    }
}

/// Keeps a remote group with a process that no slot knows; its members refer to the slot then.
/// Returns the slot, or -1: not kept.
static int keep_foreign(MPI_Group group, int n, int32_t *members)
{
    bool is_known = true;
    for (int i = 0; i < n; i++)
        is_known &= members[i] != -1;
    if (is_known || n_foreign_groups == RECORD_FOREIGN_SLOTS)
        return -1;
    foreign_groups[n_foreign_groups] = group;
    n_foreign_groups++;
    comm_members(group, n, members);
    return n_foreign_groups - 1;
}

/// Writes the remote group into a communicator's record.
static void write_remote(struct record_comm *record, const struct comm *comm)
{
    int32_t *members = record->members + comm->n_local;
    MPI_Group group;
    PMPI_Comm_remote_group(comm->handle, &group);
    comm_members(group, comm->n_remote, members);
    int slot = keep_foreign(group, comm->n_remote, members);
    if (slot < 0) {
        PMPI_Group_free(&group);
        return;
    }
    record->flags |= RECORD_COMM_FOREIGN;
    record->foreign = (uint32_t)slot;
}

static bool same_members(MPI_Comm a, MPI_Comm b)
{
    if (a == MPI_COMM_NULL)
        return false;
    int a_inter = 0;
    PMPI_Comm_test_inter(a, &a_inter);
    int b_inter = 0;
    PMPI_Comm_test_inter(b, &b_inter);
    if (a_inter || b_inter) // comparing the two kinds is an error
        return false;
    int result = MPI_UNEQUAL;
    PMPI_Comm_compare(a, b, &result);
    return result == MPI_IDENT || result == MPI_CONGRUENT;
}

/// The members of an intracommunicator follow from the first two: all, a row or column of a grid.
/// Else a record as long as the list would be written for each of them by each of them.
static bool has_regular_members(const struct comm *comm, const int32_t *members)
{
    if (comm->n_remote > 0 || comm->n_local < 2)
        return false;
    for (int i = 0; i < comm->n_local; i++)
        if (members[i] < 0 || members[i] - members[0] != i * (members[1] - members[0]))
            return false;
    return true;
}

/// `n_listed` ranks are in the record, of the local group's `members` the first ones.
static void write_comm(struct stream *stream, const struct comm *comm, uint32_t parent_id,
                       uint32_t flags, const int32_t *members, size_t n_listed)
{
    size_t n_bytes = (sizeof(struct record_comm) + n_listed * sizeof *members + 7) / 8 * 8;
    if (n_bytes / 8 > UINT16_MAX) // more than a record can tell its length
        return;
    struct record_comm *record = stream_reserve(stream, n_bytes);
    if (!record)
        return;
    record->parent = parent_id;
    record->flags = flags | (comm->n_remote > 0 ? RECORD_COMM_INTER : 0);
    record->n_local = (uint32_t)comm->n_local;
    record->n_remote = (uint32_t)comm->n_remote;
    for (size_t i = 0; i < n_listed && i < (size_t)comm->n_local; i++)
        record->members[i] = members[i];
    if (comm->n_remote > 0)
        write_remote(record, comm);
    stream_commit(&record->head, RECORD_COMM, comm->id, n_bytes);
}

static void define(struct stream *stream, const struct comm *comm, MPI_Comm parent,
                   uint32_t parent_id, uint32_t flags)
{
    bool is_predefined = comm->id <= 1;
    if (is_predefined || same_members(parent, comm->handle)) {
        write_comm(stream, comm, parent_id, flags | RECORD_COMM_AS_PARENT, NULL, 0);
        return;
    }
    int32_t *members = malloc((size_t)comm->n_local * sizeof *members);
    if (!members)
        return;
    MPI_Group group;
    PMPI_Comm_group(comm->handle, &group);
    comm_members(group, comm->n_local, members);
    PMPI_Group_free(&group);
    if (has_regular_members(comm, members))
        write_comm(stream, comm, parent_id, flags | RECORD_COMM_REGULAR, members, 2);
    else
        write_comm(stream, comm, parent_id, flags, members,
                   (size_t)comm->n_local + (size_t)comm->n_remote);
    free(members);
}

/// With the tables locked.
static struct comm add_described(struct stream *stream, MPI_Comm parent, uint32_t parent_id,
                                 struct comm comm, uint32_t flags)
{
    comm.id = n_ids++;
    enter(&comm);
    define(stream, &comm, parent, parent_id, flags);
    return comm;
}

static struct comm add(struct stream *stream, MPI_Comm parent, uint32_t parent_id, MPI_Comm handle,
                       uint32_t flags)
{
    return add_described(stream, parent, parent_id, describe(handle), flags);
}

void comm_table_init(struct stream *stream, MPI_Group sessions_world)
{
    struct comm self = {.handle = MPI_COMM_SELF, .n_local = 1}, all = {.handle = MPI_COMM_WORLD};
    world_group = sessions_world;
    if (sessions_world == MPI_GROUP_NULL)
        PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
    if (world.n_local > 0) // by an earlier session
        return;
    if (sessions_world != MPI_GROUP_NULL) { // neither is there yet
        PMPI_Group_rank(world_group, &all.rank);
        PMPI_Group_size(world_group, &all.n_local);
        world = add_described(stream, MPI_COMM_NULL, RECORD_NO_COMM, all, 0);
        add_described(stream, MPI_COMM_NULL, RECORD_NO_COMM, self, 0);
        return;
    }
    world = add(stream, MPI_COMM_NULL, RECORD_NO_COMM, MPI_COMM_WORLD, 0);
    add(stream, MPI_COMM_NULL, RECORD_NO_COMM, MPI_COMM_SELF, 0);
    MPI_Comm parents = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL)
        add(stream, MPI_COMM_NULL, RECORD_NO_COMM, parents, RECORD_COMM_PARENTS);
}

struct comm comm_find(struct stream *stream, MPI_Comm handle)
{
    struct comm comm;
    if (handle == MPI_COMM_WORLD)
        return world;
    tables_lock();
    struct comm *found = look_up(handle);
    comm = found ? *found : add(stream, MPI_COMM_NULL, RECORD_NO_COMM, handle, 0);
    tables_unlock();
    return comm;
}

struct comm comm_add(struct stream *stream, MPI_Comm parent, MPI_Comm handle)
{
    uint32_t parent_id = parent == MPI_COMM_NULL ? RECORD_NO_COMM : comm_find(stream, parent).id;
    tables_lock();
    struct comm comm = add(stream, parent, parent_id, handle, 0);
    tables_unlock();
    return comm;
}

uint32_t comm_announce_duplicate(struct stream *stream, MPI_Comm parent)
{
    struct comm comm = comm_find(stream, parent);
    uint32_t parent_id = comm.id;
    tables_lock();
    comm.id = n_ids++;
    define(stream, &comm, parent, parent_id, 0);
    tables_unlock();
    return comm.id;
}

void comm_bind(MPI_Comm handle, uint32_t id)
{
    struct comm comm = describe(handle);
    comm.id = id;
    tables_lock();
    enter(&comm);
    tables_unlock();
}

uint32_t comm_add_window(struct stream *stream, MPI_Comm parent, MPI_Win window)
{
    struct comm comm = comm_find(stream, parent);
    uint32_t parent_id = comm.id;
    comm.handle = (MPI_Comm)window;
    comm.topology = NULL;
    tables_lock();
    comm.id = n_ids++;
    enter(&comm);
    write_comm(stream, &comm, parent_id, RECORD_COMM_AS_PARENT | RECORD_COMM_WINDOW, NULL, 0);
    tables_unlock();
    return comm.id;
}

uint32_t comm_find_window(MPI_Win window)
{
    tables_lock();
    const struct comm *found = look_up((MPI_Comm)window);
    uint32_t id = found ? found->id : RECORD_NO_COMM;
    tables_unlock();
    return id;
}

struct comm comm_take_window(const MPI_Win *window)
{
    MPI_Comm handle = window ? (MPI_Comm)*window : MPI_COMM_WORLD;
    return comm_take(&handle);
}

struct topology *comm_set_topology(MPI_Comm handle, struct topology *topology)
{
    tables_lock();
    struct comm *found = look_up(handle);
    if (found && !found->topology)
        found->topology = topology;
    struct topology *kept = NULL;
    if (found)
        kept = found->topology;
    tables_unlock();
    return kept;
}

// Creation, naming and release of communicators. As in Score-P's archives a creation is a
// collective operation on the parent (or on the new communicator, where only its members take
// part), a release one on the communicator itself. OTF2's CommCreate and CommDestroy events between
// their begin and end are left out: Python's bindings of OTF2 3.0 cannot open an archive that
// announces them.

void comm_created(struct call *call, MPI_Comm parent, MPI_Comm created)
{
    if (created != MPI_COMM_NULL)
        comm_add(call->stream, parent, created);
    coll_done_on(call, comm_find(call->stream, parent).id, COLL_CREATE_HANDLE);
}

/// Both roots write down what both know, so that two archives can be put together after the runs.
/// Nothing is sent: the other side may not be traced.
static void write_connection(struct call *call, MPI_Comm created, const char *side,
                             const char *name)
{
    char text[8 + MPI_MAX_PORT_NAME];
    snprintf(text, sizeof text, "%s %s", side, name);
    stream_write_name(call->stream, RECORD_CONNECTION, comm_find(call->stream, created).id, text);
}

void comm_connected(struct call *call, MPI_Comm parent, MPI_Comm created, const char *side,
                    const char *port, int root)
{
    comm_created(call, parent, created);
    if (created != MPI_COMM_NULL && comm_find(call->stream, parent).rank == root)
        write_connection(call, created, side, port);
}

void comm_created_by_members(struct call *call, MPI_Comm parent, MPI_Comm created)
{
    if (created == MPI_COMM_NULL)
        return;
    coll_done_on(call, comm_add(call->stream, parent, created).id, COLL_CREATE_HANDLE);
}

/// The duplicate gets its number now, because that counts the duplicates in the order in which all
/// members start them. Where its handle is not set yet, MPI itself will write to *created.
void comm_dup_started(struct call *call, struct start start, MPI_Comm parent, MPI_Comm *created)
{
    struct request request = {.kind = REQUEST_DUP,
                              .comm = comm_find(call->stream, parent).id,
                              .operation = COLL_CREATE_HANDLE,
                              .root = RECORD_NO_ROOT,
                              .created = *created,
                              .created_at = created};
    request.created_id = comm_announce_duplicate(call->stream, parent);
    request_begin(call, start, &request);
}

enum { END_BYTES = INET6_ADDRSTRLEN + 8 };

/// "ADDRESS PORT"; false: the socket is none of the internet.
static bool name_end(const struct sockaddr_storage *end, char *text)
{
    const struct sockaddr_in *short_one = (const void *)end;
    const struct sockaddr_in6 *long_one = (const void *)end;
    bool is_long = end->ss_family == AF_INET6;
    const void *address = is_long ? (const void *)&long_one->sin6_addr : &short_one->sin_addr;
    char host[INET6_ADDRSTRLEN];
    if ((!is_long && end->ss_family != AF_INET) ||
        !inet_ntop(end->ss_family, address, host, sizeof host))
        return false;
    const char *mapped = strncmp(host, "::ffff:", 7) == 0 ? host + 7 : host;
    snprintf(text, END_BYTES, "%s %u", mapped,
             ntohs(is_long ? long_one->sin6_port : short_one->sin_port));
    return true;
}

void comm_joined(struct call *call, MPI_Comm created, int socket)
{
    struct sockaddr_storage own, other;
    socklen_t n_own = sizeof own, n_other = sizeof other;
    char a[END_BYTES], b[END_BYTES], name[2 * END_BYTES];
    if (created == MPI_COMM_NULL)
        return;
    comm_add(call->stream, MPI_COMM_NULL, created);
    if (getsockname(socket, (void *)&own, &n_own) != 0 ||
        getpeername(socket, (void *)&other, &n_other) != 0 || !name_end(&own, a) ||
        !name_end(&other, b))
        return;
    bool is_first = strcmp(a, b) < 0;
    snprintf(name, sizeof name, "%s, %s", is_first ? a : b, is_first ? b : a);
    write_connection(call, created, "join", name);
}

void comm_named(struct call *call, MPI_Comm comm, const char *name)
{
    stream_write_name(call->stream, RECORD_COMM_NAME, comm_find(call->stream, comm).id, name);
}

/// Its entry left the table before the call: as soon as the handle is free, another thread may get
/// it for a new communicator.
void comm_freed(struct call *call, int returned, const struct comm *freed)
{
    if (freed->n_local == 0)
        return;
    if (returned == MPI_SUCCESS) {
        coll_done_on(call, freed->id, COLL_DESTROY_HANDLE);
        free(freed->topology);
        return;
    }
    tables_lock();
    enter(freed);
    tables_unlock();
}
