// SPDX-License-Identifier: BSD-3-Clause
/*
 * Ends in one of many ways, and knows itself how many MPI calls it made before: the calls begun and
 * those that returned, by rank, are numbers in a mapped file, $ENDS_COUNTS/RANK, that outlives it.
 * For tests/ends, which compares them with what the archive of the run holds.
 *
 *     ends WAY [NUMBER]
 *
 * After some calls on all ranks, rank 1 ends in the given way while the others wait for a message
 * from it; `main` lists the ways. In the ways named busy-... all ranks make calls until something
 * from outside ends them, having left $ENDS_COUNTS/ready-RANK with their process number.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct counts {
    _Atomic uint64_t begun;
    _Atomic uint64_t returned;
};

static struct counts unknown;
static struct counts *counts = &unknown;
static int rank, n_ranks, number;

#define CALL(call)                                                                                 \
    do {                                                                                           \
        counts->begun++;                                                                           \
        call;                                                                                      \
        counts->returned++;                                                                        \
    } while (0)

static void count_in_file(int of_rank)
{
    const char *folder = getenv("ENDS_COUNTS");
    char path[4096];
    int fd;

    if (folder == NULL)
        return;
    snprintf(path, sizeof path, "%s/%d", folder, of_rank);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || ftruncate(fd, sizeof *counts) != 0)
        exit(99);
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
}

static void tell_ready(void)
{
    char path[4096];
    char new_path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/ready-%d", getenv("ENDS_COUNTS"), rank);
    snprintf(new_path, sizeof new_path, "%s/new-%d", getenv("ENDS_COUNTS"), rank);
    file = fopen(new_path, "w");
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    rename(new_path, path);
}

/* MPI_Init and what every rank does first. Counted from MPI_Init on; its own rank is known only
 * then, so that call is added afterwards. */
static void start(int level)
{
    int provided;

    if (level == MPI_THREAD_SINGLE)
        MPI_Init(NULL, NULL);
    else
        MPI_Init_thread(NULL, NULL, level, &provided);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    count_in_file(rank);
    counts->begun = counts->returned = 3; /* PMPI calls of a program are recorded as MPI calls */
}

static void finish(void)
{
    CALL(MPI_Finalize());
}

static void exchange(void)
{
    int mine = rank;
    int other;

    CALL(MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % n_ranks, 3, &other, 1, MPI_INT,
                      (rank + n_ranks - 1) % n_ranks, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void call_self(void)
{
    int mine = rank;
    int other;

    CALL(MPI_Sendrecv(&mine, 1, MPI_INT, rank, 4, &other, 1, MPI_INT, rank, 4, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
}

/* More records than the smallest window holds. */
static void work(void)
{
    for (int i = 0; i < 3000; i++)
        CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    for (int i = 0; i < 5; i++) /* each may take a time slice where cores are few */
        exchange();
}

/* The others have left the last exchange before rank 1 ends. */
static void know_of_each_other(void)
{
    int token = 0;

    for (int i = 0; i < n_ranks; i++) {
        if (rank == 1 && i != 1)
            CALL(MPI_Recv(&token, 1, MPI_INT, i, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        else if (rank == i && n_ranks > 1)
            CALL(MPI_Send(&token, 1, MPI_INT, 1, 5, MPI_COMM_WORLD));
    }
}

static void wait_for_ever(void)
{
    int value;

    CALL(MPI_Recv(&value, 1, MPI_INT, rank == 1 ? 0 : 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void make_calls_for_ever(void)
{
    for (long i = 0;; i++) {
        call_self();
        usleep(10);
        if (i == 100)
            tell_ready();
    }
}

/* ---- ends of rank 1's own making */

static void crash(void)
{
    volatile int *nowhere = NULL;

    *nowhere = 1;
}

static void fail(void)
{
    abort();
}

static void mpi_abort(void)
{
    CALL(MPI_Abort(MPI_COMM_WORLD, number));
}

static void kill_itself(void)
{
    kill(getpid(), number);
}

static void plain_exit(void)
{
    exit(number);
}

static void hard_exit(void)
{
    _exit(number);
}

static void fast_exit(void)
{
    quick_exit(number);
}

static void become_another(void)
{
    char text[32];

    snprintf(text, sizeof text, "exit %d", number);
    execl("/bin/sh", "sh", "-c", text, (char *)NULL);
}

/* ---- things done in the middle of a run that then ends well */

static void wait_for(pid_t child)
{
    int status = -1;

    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0)
        exit(98);
}

static void run_in_child(void)
{
    int flag;

    for (int i = 0; i < 100000; i++)
        MPI_Initialized(&flag);
    exit(0); /* with all handlers and destructors */
}

static void fork_child(void)
{
    pid_t child = fork();

    if (child == 0)
        run_in_child();
    for (int i = 0; i < 1000; i++)
        call_self();
    wait_for(child);
}

/* As programs do that make their own threads and containers. */
static void fork_behind_libc(void)
{
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

    if (child == 0) {
        int flag;

        for (int i = 0; i < 100000; i++)
            MPI_Initialized(&flag);
        _exit(0);
    }
    for (int i = 0; i < 1000; i++)
        call_self();
    wait_for(child);
}

static int fork_in_callback(MPI_Comm comm, int key, void *value, void *extra)
{
    pid_t child = fork();

    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    if (child == 0)
        return MPI_SUCCESS; /* the child returns from the MPI call, too */
    wait_for(child);
    return MPI_SUCCESS;
}

static void fork_inside_call(void)
{
    pid_t parent = getpid();
    int key;

    CALL(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, fork_in_callback, &key, NULL));
    CALL(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
    counts->begun++;
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    if (getpid() != parent)
        run_in_child();
    counts->returned++;
    CALL(MPI_Comm_free_keyval(&key));
}

static void run_programs(void)
{
    char text[64] = "";
    FILE *pipe = popen("echo from a pipe", "r");
    pid_t child;

    if (pipe == NULL || fgets(text, sizeof text, pipe) == NULL ||
        strcmp(text, "from a pipe\n") != 0)
        exit(97);
    pclose(pipe);
    if (system("exit 3") >> 8 != 3)
        exit(97);
    child = fork();
    if (child == 0) {
        execlp("ls", "ls", "/proc/self/fd", (char *)NULL);
        _exit(1);
    }
    wait_for(child);
}

/* Another MPI program, by itself: what the launcher told this process is not for it. */
static void run_mpi_program(void)
{
    pid_t child = fork();

    if (child == 0) {
        char self[4096];
        ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

        self[n > 0 ? n : 0] = '\0';
        execl("/bin/sh", "sh", "-c",
              "for v in $(env | sed -n "
              "'s/^\\(\\(OMPI\\|PMI\\|PMIX\\|HYDRA\\|MPI\\|MPIR\\)_[^=]*\\)=.*"
              "/\\1/p;s/^\\(ENDS_COUNTS\\)=.*/\\1/p'); do "
              "case $v in OMPI_ALLOW*|OMPI_MCA_rmaps*|OMPI_MCA_btl*) ;; *) unset $v;; esac; done; "
              "exec \"$0\" well",
              self, (char *)NULL);
        _exit(1);
    }
    wait_for(child);
}

static void close_descriptors(void)
{
    for (int fd = 3; fd < 1024; fd++)
        if (fd >= 400) /* the MPI's own, which it needs, are lower */
            close(fd);
}

static void change_folder(void)
{
    if (chdir("/") != 0)
        exit(97);
}

static void change_root(void)
{
    if (chroot("/proc") != 0)
        exit(97);
}

static void change_user(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        exit(97);
}

static void limit_descriptors(void)
{
    struct rlimit limit = {3, 3};

    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        exit(97);
}

/* ---- threads */

static void *finish_in_thread(void *unused)
{
    (void)unused;
    start(MPI_THREAD_MULTIPLE);
    work();
    finish();
    return NULL;
}

static _Atomic int n_busy;
static _Atomic int is_over;

static void *make_calls(void *unused)
{
    (void)unused;
    n_busy++;
    while (!is_over) {
        call_self();
        usleep(10);
    }
    return NULL;
}

static void start_threads(int n)
{
    pthread_t thread;

    for (int i = 0; i < n; i++)
        pthread_create(&thread, NULL, make_calls, NULL);
    while (n_busy < n)
        continue;
    for (int i = 0; i < 100; i++)
        call_self();
}

static void exit_among_threads(void)
{
    start_threads(2);
    _exit(number);
}

static void fork_among_threads(void)
{
    start_threads(2);
    for (int i = 0; i < 3; i++)
        fork_child();
    is_over = 1;
    while (counts->begun != counts->returned)
        continue;
}

/* ---- calls after the end of MPI */

static void ask_after_the_end(void)
{
    int flag = 0;
    int version;
    int subversion;

    finish();
    CALL(MPI_Finalized(&flag));
    CALL(MPI_Get_version(&version, &subversion));
    CALL(MPI_Initialized(&flag));
    if (!flag)
        exit(97);
}

static void err_after_the_end(void)
{
    finish();
    CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank)); /* an error: the MPI ends the program */
}

static const struct {
    const char *name;
    void (*end)(void);     /* what rank 1 does and does not come back from */
    void (*perform)(void); /* what rank 1 does before a regular end */
    int level;             /* of threads */
    int on_all;            /* all ranks end so */
} ways[] = {
    {"well", NULL, NULL, MPI_THREAD_SINGLE, 0},
    {"mpi-abort", mpi_abort, NULL, MPI_THREAD_SINGLE, 0},
    {"crash", crash, NULL, MPI_THREAD_SINGLE, 0},
    {"abort", fail, NULL, MPI_THREAD_SINGLE, 0},
    {"kill", kill_itself, NULL, MPI_THREAD_SINGLE, 0},
    {"exit", plain_exit, NULL, MPI_THREAD_SINGLE, 0},
    {"_exit", hard_exit, NULL, MPI_THREAD_SINGLE, 0},
    {"quick_exit", fast_exit, NULL, MPI_THREAD_SINGLE, 0},
    {"exec", become_another, NULL, MPI_THREAD_SINGLE, 0},
    {"exit-threads", exit_among_threads, NULL, MPI_THREAD_MULTIPLE, 0},
    {"busy", make_calls_for_ever, NULL, MPI_THREAD_SINGLE, 1},
    {"fork", NULL, fork_child, MPI_THREAD_SINGLE, 0},
    {"fork-raw", NULL, fork_behind_libc, MPI_THREAD_SINGLE, 0},
    {"fork-in-call", NULL, fork_inside_call, MPI_THREAD_SINGLE, 0},
    {"fork-threads", NULL, fork_among_threads, MPI_THREAD_MULTIPLE, 0},
    {"programs", NULL, run_programs, MPI_THREAD_SINGLE, 0},
    {"mpi-program", NULL, run_mpi_program, MPI_THREAD_SINGLE, 0},
    {"close-descriptors", NULL, close_descriptors, MPI_THREAD_SINGLE, 0},
    {"chdir", NULL, change_folder, MPI_THREAD_SINGLE, 0},
    {"chroot", NULL, change_root, MPI_THREAD_SINGLE, 0},
    {"setuid", NULL, change_user, MPI_THREAD_SINGLE, 0},
    {"few-descriptors", NULL, limit_descriptors, MPI_THREAD_SINGLE, 0},
    {"after-finalize", ask_after_the_end, NULL, MPI_THREAD_SINGLE, 1},
    {"error-after-finalize", err_after_the_end, NULL, MPI_THREAD_SINGLE, 1},
};

static void perform(size_t way)
{
    start(ways[way].level);
    work();
    know_of_each_other();
    if (ways[way].end != NULL) {
        if (rank == 1 || ways[way].on_all)
            ways[way].end();
        else
            wait_for_ever();
        return;
    }
    if (rank == 1 && ways[way].perform != NULL)
        ways[way].perform();
    work();
    finish();
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "well";
    pthread_t thread;

    number = argc > 2 ? atoi(argv[2]) : 0;
    if (!strcmp(way, "constructor")) /* a library has called MPI_Init already */
        return 0;
    if (!strcmp(way, "thread")) {
        pthread_create(&thread, NULL, finish_in_thread, NULL);
        pthread_join(thread, NULL);
        return 0;
    }
    if (!strcmp(way, "fork-before")) { /* the child is the rank */
        pid_t child = fork();

        if (child != 0) {
            wait_for(child);
            _exit(0);
        }
        way = "well";
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (!strcmp(way, ways[i].name)) {
            perform(i);
            return 0;
        }
    }
    fprintf(stderr, "ends: unknown way %s\n", way);
    return 2;
}
