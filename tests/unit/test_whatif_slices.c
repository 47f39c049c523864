// SPDX-License-Identifier: BSD-3-Clause
// A core that is handed over thousands of times. Slices of time are those of the reference
// (test_prediction_slices.c), and of hand-made traces.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/engine_run.h"
#include "tests/reference/program.h"

/// Two ranks on one core that hand it to each other thousands of times: the one that waits goes on
/// as soon as the other one waits. All time is somebody's work, so the run takes as long as it did.
static void test_many_hand_overs(void **state)
{
    (void)state;
    enum { N_ROUNDS = 3000, ROUND_NS = 300 };
    char *text = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    fputs("nodes n n\ncores n 1\n0 0 enter main\n1 0 enter main\n1 0 enter MPI_Recv\n", stream);
    for (int at = 0; at < N_ROUNDS * ROUND_NS; at += ROUND_NS) {
        bool is_last = at == (N_ROUNDS - 1) * ROUND_NS;
        fprintf(stream,
                "0 %1$d enter MPI_Send\n0 %1$d send world 1 0 8\n0 %2$d leave MPI_Send\n"
                "0 %3$d enter MPI_Recv\n0 %4$d recv world 1 0 8\n0 %4$d leave MPI_Recv\n"
                "1 %5$d recv world 0 0 8\n1 %5$d leave MPI_Recv\n"
                "1 %6$d enter MPI_Send\n1 %6$d send world 0 0 8\n1 %7$d leave MPI_Send\n",
                at + 100, at + 120, at + 130, at + 300, at + 150, at + 250, at + 270);
        fprintf(stream, "1 %d %s\n", at + 280, is_last ? "leave main" : "enter MPI_Recv");
    }
    fprintf(stream, "0 %d leave main\n", N_ROUNDS * ROUND_NS);
    fclose(stream);
    const struct scenario_settings settings = {.n_nodes = 1, .n_cores = 1};
    struct predicted_times times;
    struct error err = {{0}};
    assert_int_equal(predicted_times(text, &settings, 1, &times, &err), 0);
    assert_int_equal(times.measured_ns, N_ROUNDS * ROUND_NS);
    assert_in_range(times.time_ns, N_ROUNDS * ROUND_NS, N_ROUNDS * ROUND_NS + 1);
    predicted_times_release(&times);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_hand_overs),
    };
    return cmocka_run_group_tests_name("whatif slices", tests, NULL, NULL);
}
