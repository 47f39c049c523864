// SPDX-License-Identifier: BSD-3-Clause
// Kinds of findings, patterns/findings/*.xml: what a loss with one cause is called, how it differs
// from others, what to do about it, and which predictions show what that would gain.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/format/elements.h"

/// What a loss comes from: X(name in files).
#define FINDING_SUBJECTS(X)                                                                        \
    X(computing) /* waits for ranks that computed */                                               \
    X(blocked)  /* time outside MPI without CPU time, though there were cores, and waits for it */ \
    X(cores)    /* the same where ranks shared cores */                                            \
    X(messages) /* point-to-point calls, without waits, and waits for ranks in them */             \
    X(collective) /* the same of a collective operation */                                         \
    X(onesided)   /* the same of one-sided communication */                                        \
    X(files)      /* the same of file I/O */                                                       \
    X(probe)      /* time in probes */                                                             \
    X(mpi)        /* other MPI calls */                                                            \
    X(waiting)    /* waits whose origin is not known */                                            \
    X(iterations) /* time that all ranks compute longer than in the first iterations */            \
    X(threads)    /* time that threads of ranks lose one another, and waits for ranks meanwhile */

enum finding_subject {
#define SUBJECT(name) FINDING_##name,
    FINDING_SUBJECTS(SUBJECT)
#undef SUBJECT
        N_FINDING_SUBJECTS
};
extern const char *const finding_subject_names[N_FINDING_SUBJECTS];

/// Numbers of a loss, for conditions: X(name). Shares are from 0 to 1, of the loss unless said.
#define FINDING_NUMBERS(X)                                                                         \
    X(share)         /* of the ranks' time */                                                      \
    X(ranks)         /* of the run */                                                              \
    X(causing_ranks) /* that cause a quarter or more of what the first of them causes */           \
    X(main_share)    /* of the rank with most of it */                                             \
    X(doing_ranks)   /* how many ranks as the busiest one would do all the work of the place */    \
    X(uneven_share)  /* what the busiest rank does more than the others, in sum over the run */    \
    X(light_ranks)   /* that do far less of it than all others, fewer than half */                 \
    X(balance)       /* mean over greatest computing time of the ranks in the judged part */       \
    X(is_hub) /* 1 where the rank with most messages is the one with most of the loss, else 0 */   \
    X(mutual) /* 1 where the rank with most of the loss waits as well, else 0 */                   \
    X(concurrency) /* ranks that compute at the same time, in the mean */                          \
    X(task_us)     /* microseconds that ranks compute for each message of the hub */               \
    X(symmetric)   /* 1 where the waiting call also sends, or completes sends, else 0 */           \
    X(sharing)     /* 1 where the rank with most of the loss shares cores with others, else 0 */   \
    X(taken_share) /* CPU time that other programs took at least, of what the ranks would have had \
                    */                                                                             \
    X(barrier_share)    /* waits at barriers */                                                    \
    X(contention_share) /* waits for locks of RMA windows */                                       \
    X(epoch_share)      /* waits for epochs of RMA windows to begin or to end */                   \
    X(message_share)    /* waits for messages */                                                   \
    X(root_share)       /* waits for roots of operations such as MPI_Bcast */                      \
    X(receiver_share)   /* waits of senders for receivers */                                       \
    X(outside_share)    /* the same, for receivers that are outside MPI */                         \
    X(order_share)      /* waits for messages while others had come */                             \
    X(one_way)          /* 1 where all messages go to higher ranks, or all to lower, else 0 */     \
    X(hub_share)        /* messages of the rank with most messages, of all messages */             \
    X(partners)         /* ranks that send to the one with most of the loss */                     \
    X(served)           /* messages to it */                                                       \
    X(waiter_useful)    /* part of the judged time that the rank that waits most computes */       \
    X(threads)          /* of the rank with most of the loss */                                    \
    X(lone_share)       /* of the time in the place, that of master threads */                     \
    X(thread_locks) /* of the time of the same rank's threads, that they are in calls for locks */ \
    X(at_barrier)   /* 1 where threads lose time as they wait at a barrier, else 0; the same: */   \
    X(at_implicit_barrier)                                                                         \
    X(at_lock)      /* in calls for locks and at critical sections */                              \
    X(at_condition) /* until another thread signals a condition */                                 \
    X(at_task)      /* for tasks or other threads */                                               \
    X(in_runtime)                                                                                  \
    X(threads_sharing)  /* 1 where the rank with most of it has no core for each thread, else 0 */ \
    X(idle_serial)      /* while the master computes alone */                                      \
    X(idle_limited)     /* as teams have fewer threads */                                          \
    X(file_share)       /* of the time in the function, a recorded one for files, in their use */  \
    X(blocked_share)    /* of the time in the function, that it is blocked */                      \
    X(elsewhere_share)  /* of the blocked time of all ranks, outside any one place of it */        \
    X(odd_share)        /* lost in iterations that take longer on the rank with most loss */       \
    X(trend)            /* 1 where these are all from one on, else 0 */                            \
    X(collective_share) /* waits in collective operations */                                       \
    X(drained_share)    /* waits in collective operations in the whole run, times the loss */      \
    X(completing)       /* 1 where the waiting call completes nonblocking ones, else 0 */          \
    X(other_code)  /* 1 where the function that waits is not the one that is waited for, else 0 */ \
    X(lock_share)  /* of one-sided calls: to lock, unlock and flush */                             \
    X(fence_share) /* the same: to fence, start, complete, post and wait */                        \
    X(has_waits)   /* 1 where waits in the calls of the place are known by themselves, else 0 */   \
    X(window_records) /* 1 where the trace tells which rank one waits for in these, else 0 */      \
    X(call_us)        /* microseconds of the loss for each call */                                 \
    X(recording_us)   /* that recording a call took in the mean; 0: not known */                   \
    X(visits)         /* of the place */                                                           \
    X(calls)          /* of MPI in the place */                                                    \
    X(joined_share)   /* of them, calls for files, if those between which a rank calls nothing     \
                         else of MPI were one; at most */                                          \
    X(messages)       /* of the run */                                                             \
    X(collectives)    /* collective operations of the run */                                       \
    X(mean_bytes)     /* of these messages */                                                      \
    X(median_bytes)   /* half of them are no larger than about this */                             \
    X(nodes)          /* with ranks of the run */                                                  \
    X(held_bytes) /* of messages whose senders wait for receivers: nine tenths of that wait are    \
                     for none that are larger */

enum finding_number {
#define NUMBER(name) FINDING_NUMBER_##name,
    FINDING_NUMBERS(NUMBER)
#undef NUMBER
        N_FINDING_NUMBERS
};

/// The same as texts for sentences, ready to be read ("12.3 ms", "ranks 1-3").
#define FINDING_TEXTS(X)                                                                            \
    X(place)   /* region with its source, or the code before a call */                              \
    X(largest) /* the first of several places */                                                    \
    X(region)  /* as what-if options name it */                                                     \
    X(work)    /* "the work in solve", "the computing before a call" */                             \
    X(step) /* innermost function around it that all ranks visit equally often, as what-if options  \
               name it; unknown where they do so with the place */                                  \
    X(rank) /* "rank 2": with most of the loss on its account */                                    \
    X(number)          /* "2" */                                                                    \
    X(causing)         /* "rank 2", "ranks 0-3": the causing_ranks */                               \
    X(some)            /* the same; unknown where it is all ranks */                                \
    X(awaited)         /* whom they wait for: "rank 2", "other ranks", "each other" */              \
    X(rank_time)       /* that it spends in the place */                                            \
    X(heavy)           /* "rank 2 has", "ranks 2, 3 have": those that do as much there as it */     \
    X(heavy_time)      /* what they do: "2.1 s", "2.1 s on rank 2" */                               \
    X(light)           /* "rank 0 has": those that do far less there than all others */             \
    X(light_time)      /* what they do, in the mean */                                              \
    X(full_time)       /* what the others do, in the mean */                                        \
    X(mean_time)       /* of all ranks there */                                                     \
    X(loss)            /* time of all ranks */                                                      \
    X(took)            /* of it: in the calls or computing itself */                                \
    X(computed)        /* of it, where ranks are blocked: because they compute there as well */     \
    X(supposed)        /* of it: waits that are not certain, supposed to be like the others */      \
    X(delays)          /* of it: waits of other ranks; unknown where next to nothing */             \
    X(loss_share)      /* of all ranks' time */                                                     \
    X(waiting)         /* "rank 0 waits", "ranks 1-3 wait": with most of the waits for it */        \
    X(wait_call)       /* where they wait */                                                        \
    X(wait_path)       /* the call path of that, as what-if options name it */                      \
    X(collective_path) /* the collective operation in which they wait most, or else all ranks do    \
                        */                                                                          \
    X(receive_call)    /* where they wait longest for late messages; unknown unless they do */      \
    X(wait_scope)      /* the call path around that, or else around wait_path */                    \
    X(wait_outer)      /* the one around that */                                                    \
    X(wait_state)      /* its pattern */                                                            \
    X(wait_hint)       /* what the pattern says to do */                                            \
    X(following)    /* "norms/MPI_Allreduce at solve.c:31", calls in the place that follow others   \
                       of it right away; unknown without */                                         \
    X(preceding)    /* the same: the calls that most calls in the place follow right away */        \
    X(calls)        /* "12 calls" */                                                                \
    X(opened_share) /* "0.0033" of the calls, of openings of files: if each rank opened each file   \
                       of the run once; unknown where it does */                                    \
    X(joined_share) /* "0.002" of the calls for files, if those that follow one another were one    \
                     */                                                                             \
    X(messages)     /* "603 messages" */                                                            \
    X(mean_bytes)   /* "8 B" */                                                                     \
    X(median_bytes) /* the same */                                                                  \
    X(hub)          /* "rank 0", with most messages */                                              \
    X(served)       /* "400 messages" to the rank with most of the loss */                          \
    X(service_time) /* "512.3 us": it serves each so long, as struct result_server has it; */       \
    X(think_time) /* "795 us": a client computes so long between an answer and its next request */  \
    X(response_time)                                                                                \
    X(arrival_time)   /* "633.5 us" from one of them to the next */                                 \
    X(busy)           /* "81.0 %" of the time */                                                    \
    X(saturating)     /* "1.9": so many ranks that send to it keep it busy all the time */          \
    X(blocks)         /* "2": messages that a rank of a pipeline sends between two collective       \
                         operations; unknown where another number gains less than 2 % */            \
    X(best_blocks)    /* "34": the number with which it would end first, by its messages' cost */   \
    X(blocks_gain)    /* "229.1 ms" that this saves in the run */                                   \
    X(file)           /* "out.dat", "out.dat and 3 further files", longest used in the place;       \
                         unknown unless operations on files took half of the loss's own time */     \
    X(rank_place)     /* where it spends most time: "solve (solve.c:56)" */                         \
    X(busiest)        /* "rank 1", outside MPI longest */                                           \
    X(busiest_place)  /* where it computes longest */                                               \
    X(sender)         /* "rank 1": of those that send to the rank with most of the loss, the one    \
                         that is outside MPI longest; unknown if that is less than half the loss */ \
    X(sender_place)   /* where that rank computes longest */                                        \
    X(sender_region)  /* the same as what-if options name it */                                     \
    X(sender_work)    /* "the work in solve", "the computing before a call" */                      \
    X(odd)            /* "iteration 17", "iterations 4 to 9", "from iteration 44 on" */             \
    X(odd_factor)     /* "2.2 times" as long as usual */                                            \
    X(usual)          /* "2000us" for each visit of the place in other iterations */                \
    X(threads)        /* "2 threads" of the rank with most of the loss */                           \
    X(thread_count)   /* "2": as many */                                                            \
    X(thread_sharing) /* "4 threads of 2 ranks shared 2 cores"; unknown where each has a core */    \
    X(one_of_threads) /* "0.25", the part of one of a rank's threads */                             \
    X(thread_time)    /* "3.2 s" that threads lose, in sum */                                       \
    X(latest)         /* "OMP thread 1", for which threads of that rank wait most there */          \
    X(busy_region)    /* where the thread of that rank that computes longest does most, as what-if  \
                         options name it; only where the program makes threads one by one */        \
    X(busy_work)      /* "the work in solve", of the same */                                        \
    X(busy_part)      /* "0.60" of that, if all threads of that rank compute as long */             \
    X(even)           /* "0.60" of the masters' time there, if threads lost nothing there */        \
    X(thread_locks)   /* "45.1 %" of their time in calls for locks */                               \
    X(lock_place)     /* where they wait for one that another of them has */                        \
    X(lock_release)   /* where that one gives it back */                                            \
    X(sharing)        /* "4 ranks shared 2 cores" */                                                \
    X(taken)          /* "2.5 s" of CPU time that other programs took at least */                   \
    X(taken_part)     /* "40.0 %" of the CPU time that the ranks would have had */                  \
    X(held_limit)     /* "66560", with 128 bytes or more to spare for headers: the held_bytes */    \
    X(ranks)          /* "4" of the run */                                                          \
    X(last_rank)      /* "3" */

enum finding_text {
#define TEXT(name) FINDING_TEXT_##name,
    FINDING_TEXTS(TEXT)
#undef TEXT
        N_FINDING_TEXTS
};
extern const char *const finding_text_names[N_FINDING_TEXTS];

/// A change that may help: an option of `pagoda replay` and what it means in the program.
struct finding_remedy {
    char *option, *value; // VALUE is a template, NULL for a flag
    char *sentence;       // a template, in the imperative, without a full stop
    char *when;           // condition, NULL: always
    struct formula *condition;
    bool is_fallback; // only where the others save little
    uint32_t line;    // in the file
    bool is_limit;    // what it means may not be possible: its prediction says how much at most
    bool is_proof; // the finding is of this kind only where this, or another proof, saves something
};

/// Which ranks a finding is about: those that cause it, the one that causes most of it, those that
/// wait, the one that is outside MPI longest, a sender to the one that causes most, those that do
/// as much in the place as that one.
enum finding_ranks {
    FINDING_RANKS_CAUSING,
    FINDING_RANKS_MAIN,
    FINDING_RANKS_WAITING,
    FINDING_RANKS_BUSIEST,
    FINDING_RANKS_SENDER,
    FINDING_RANKS_HEAVY,
    N_FINDING_RANKS
};
extern const char *const finding_ranks_names[N_FINDING_RANKS];

struct finding_kind {
    char *id;
    char *name; // a template
    char *file;
    uint32_t line;
    uint64_t order; // those with less are tried first
    enum finding_subject subject;
    enum finding_ranks ranks;
    char *when; // condition, NULL: always
    struct formula *condition;
    char *calls, *after; // struct finding_calls; lists of names with *, NULL: any or none
    char *what, *hint;   // templates: sentences; HINT "" without
    struct finding_remedy *remedies;
    size_t n_remedies;
};

struct finding_kinds {
    struct finding_kind *kinds; // by order, then id
    size_t n;
};

/// Adds the kind in the file PATH; one of the same id is replaced. 0, or -1 and ERR ("FILE:LINE:
/// ..."). The caller releases KINDS in either case.
int finding_kinds_read(struct finding_kinds *kinds, const char *path, struct error *err);
/// The kind with this id, NULL when there is none.
const struct finding_kind *finding_kinds_find(const struct finding_kinds *kinds, const char *id);
void finding_kinds_release(struct finding_kinds *kinds);

/// MPI functions by name; NULL: none.
struct finding_calls {
    const char *name;   // called in the place
    const char *before; // right before most of these calls, with next to nothing in between
};

/// The first kind about SUBJECT of these CALLS whose condition holds for NUMBERS, AFTER another one
/// unless that is NULL; NULL: none. Any thread.
const struct finding_kind *finding_kind_of(const struct finding_kinds *kinds,
                                           enum finding_subject subject,
                                           const struct finding_calls *calls,
                                           const double numbers[N_FINDING_NUMBERS],
                                           const struct finding_kind *after);

/// Whether what KIND proposes, except fallbacks, is a change of where ranks wait, whatever they
/// wait for: the values of these remedies name that.
bool finding_kind_is_of_wait(const struct finding_kind *kind);
/// Whether predictions must show that a finding is of KIND: else it is something else.
bool finding_kind_needs_proof(const struct finding_kind *kind);

/// Reads a <remedy> into REMEDY, which the caller releases in either case. 0, or -1 and the error.
int finding_remedy_read(const struct element_reader *reader, const struct xml_element *element,
                        struct finding_remedy *remedy);
void finding_remedy_release(struct finding_remedy *remedy);
/// Whether TEXT (NULL: none), of the element NAME, is a template of the texts of a finding. 0, or
/// -1 and the error.
int finding_template_check(const struct element_reader *reader, const struct xml_element *element,
                           const char *name, const char *text);

/// Whether REMEDY applies.
bool finding_remedy_applies(const struct finding_remedy *remedy,
                            const double numbers[N_FINDING_NUMBERS]);
