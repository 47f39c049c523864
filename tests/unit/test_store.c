// SPDX-License-Identifier: BSD-3-Clause
// A run goes into a database and comes out again by SQL: names, facts, resources, foci, tuples and
// property instances; the same run twice shares its foci; whatever fails leaves nothing behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "db/database.h"
#include "db/schema.h"
#include "db/store.h"
#include "db/writer.h"
#include "tests/unit/sample_run.h"
#include "tests/unit/scratch_database.h"

static void test_names_by_default(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    assert_string_equal(
        scratch_answer("SELECT application || '|' || experiment || '|' || trial || '|' || "
                       "origin || '|' || started_at FROM trials"),
        "ring|default|ring-trace-2026-10-29T00:00:00Z|measured|"
        "2026-10-29T00:00:00Z");
    scratch_store_sample(NULL);
    scratch_store_sample(NULL);
    assert_string_equal(
        scratch_answer("SELECT group_concat(name, ' ') FROM (SELECT name FROM trial "
                       "ORDER BY id)"),
        "ring-trace-2026-10-29T00:00:00Z ring-trace-2026-10-29T00:00:00Z-2 "
        "ring-trace-2026-10-29T00:00:00Z-3");
}

static void test_given_names_are_taken_or_refused(void **state)
{
    (void)state;
    struct result_named parameters[] = {{(char *)"size", (char *)"1024"},
                                        {(char *)"it's", (char *)"\"quoted\""}};
    const struct store_names names = {.application = "o'ring",
                                      .experiment = "weak; scaling",
                                      .trial = "a \"b\" /c",
                                      .origin = "predicted",
                                      .parameters = parameters,
                                      .n_parameters = 2};
    scratch_store_sample(&names);
    assert_string_equal(
        scratch_answer("SELECT application || '|' || experiment || '|' || trial || '|' || "
                       "origin FROM trials"),
        "o'ring|weak; scaling|a \"b\" /c|predicted");
    assert_string_equal(
        scratch_answer("SELECT value FROM trial_attribute WHERE kind = 'parameter' AND "
                       "name = 'it''s'"),
        "\"quoted\"");
    struct result run;
    struct error err = {{0}};
    sample_run_init(&run);
    assert_int_equal(store_result(scratch_path, &run, &names, &err), -1);
    assert_non_null(strstr(err.text, "has a trial \"a \"b\" /c\" already in the experiment"));
    const struct store_names other = {
        .application = "o'ring", .experiment = "strong", .trial = "a \"b\" /c"};
    assert_int_equal(store_result(scratch_path, &run, &other, &err), 0);
    result_release(&run);
    assert_string_equal(scratch_answer("SELECT count(*) FROM trial"), "2");
}

static void test_facts_of_the_run(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    assert_string_equal(
        scratch_answer("SELECT n_ranks || ' ' || n_nodes || ' ' || n_locations || ' ' || "
                       "n_events || ' ' || n_messages || ' ' || n_collectives || ' ' || "
                       "time_ns || ' ' || conclusion FROM trial"),
        "2 2 2 40 3 1 1000 Rank 0 waits for rank 1.");
    assert_string_equal(
        scratch_answer("SELECT value FROM trial_attribute WHERE kind = 'environment' AND "
                       "name = 'command'"),
        "./ring '1' \"2\"; DROP TABLE trial; --");
    assert_string_equal(
        scratch_answer("SELECT value FROM trial_attribute WHERE name = 'trace creator'"),
        "a tracer 1.0");
    assert_string_equal(scratch_answer("SELECT code || count || text FROM trial_warning"),
                        "unmatched-send2two sends have no receive");
    assert_string_equal(scratch_answer("SELECT property || text || source FROM trial_hint"),
                        "late-sendersend earliersolve.c:56");
    assert_string_equal(scratch_answer("SELECT name || ' ' || begin_ns || ' ' || end_ns FROM "
                                       "time_interval WHERE number = 1"),
                        "window 10 990");
    assert_string_equal(
        scratch_answer("SELECT m.path || ' ' || r.name FROM trial_rank r JOIN resource m "
                       "ON m.id = machine_id JOIN resource p ON p.id = process_id WHERE "
                       "p.path = '/Process/1'"),
        "/Machine/beta MPI Rank 1");
}

static void test_resources_and_foci(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    assert_string_equal(
        scratch_answer("SELECT group_concat(path, ' ') FROM (SELECT path FROM resource "
                       "WHERE path NOT LIKE '%\\%' ORDER BY path)"),
        "/ /CallPath /CallPath/main /CallPath/main/solve "
        "/CallPath/main/solve/MPI_Recv /Code /Code/MPI /Code/MPI/MPI_Recv "
        "/Code/ring.c /Code/ring.c/main /Code/solve.c /Code/solve.c/solve "
        "/Code/unknown /Machine /Machine/alpha /Machine/beta /Message "
        "/Message/pair /Message/pair/0 /Message/pair/0/1 /Message/pair/1 "
        "/Message/pair/1/0 /Process /Process/0 /Process/1");
    char sql[300];
    snprintf(sql, sizeof sql, "SELECT name FROM resource WHERE path = '%s'",
             "/CallPath/main/operator\\,\\(a\\/b\\) \\<\"x''y\"\\> \\\\");
    assert_string_equal(scratch_answer(sql), sample_hostile_name);
    assert_string_equal(scratch_answer("SELECT focus FROM foci WHERE call_path = "
                                       "'/CallPath/main/solve' AND process = '/Process/1'"),
                        "< /Code/solve.c/solve, /CallPath/main/solve, /Machine, /Process/1 >");
    assert_string_equal(scratch_answer("SELECT focus FROM foci WHERE focus_id = 0"),
                        "< /Code, /Machine, /Process >");
}

static void test_values(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    assert_string_equal(
        scratch_answer("SELECT value FROM measurements WHERE metric = 'inclusive_ns' AND "
                       "call_path = '/CallPath/main/solve' AND process = '/Process/1'"),
        "650");
    assert_string_equal(
        scratch_answer("SELECT visits || ' ' || inclusive_ns || ' ' || exclusive_ns FROM "
                       "profile_by_call_path WHERE call_path = '/CallPath/main/solve'"),
        "20 1300 1000");
    assert_string_equal(scratch_answer("SELECT sum(exclusive_ns) FROM profile_by_region"), "2000");
    assert_string_equal(
        scratch_answer("SELECT file || ' ' || visits || ' ' || inclusive_ns || ' ' || "
                       "exclusive_ns FROM profile_by_region WHERE region = 'solve'"),
        "solve.c 20 1300 1000");
    assert_string_equal(
        scratch_answer("SELECT value || ' ' || unit || ' ' || interval FROM measurements "
                       "WHERE metric = 'load_balance'"),
        "0.9 share window");
    // NAN is not known, and not stored.
    assert_string_equal(scratch_answer("SELECT count(*) FROM measurements WHERE metric = "
                                       "'serialization_efficiency'"),
                        "0");
    assert_string_equal(
        scratch_answer("SELECT useful_ns || ' ' || mpi_ns || ' ' || wait_ns || machine "
                       "FROM profile_by_process WHERE process = '/Process/1'"),
        "701 201 50/Machine/beta");
    assert_string_equal(
        scratch_answer("SELECT time_ns || ' ' || share FROM critical_path_by_region WHERE "
                       "region = 'solve'"),
        "550 0.55");
    assert_string_equal(scratch_answer("SELECT sum(time_ns) FROM critical_path_by_region"), "1000");
    assert_string_equal(scratch_answer("SELECT n_messages || ' ' || size_bytes FROM "
                                       "messages_between_ranks WHERE sender = 0 AND receiver = 1"),
                        "2 2048");
    assert_string_equal(scratch_answer("SELECT parallel_efficiency FROM trials"), "0.75");
}

static void test_property_instances(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    assert_string_equal(
        scratch_answer("SELECT property || ' ' || count || ' ' || wait_ns || ' ' || "
                       "severity || ' ' || confidence || ' ' || is_top FROM wait_states"),
        "late-sender 3 150 0.075 0.5 1");
    assert_string_equal(scratch_answer("SELECT count || ' ' || wait_ns || ' ' || severity FROM "
                                       "wait_states_by_rank WHERE rank = 0"),
                        "2 100 0.05");
    // Each view may be added up.
    assert_string_equal(scratch_answer("SELECT sum(count) || ' ' || sum(wait_ns) FROM "
                                       "wait_states_by_rank WHERE is_top"),
                        "3 150");
    assert_string_equal(scratch_answer("SELECT sum(count) || ' ' || sum(wait_ns) FROM "
                                       "property_instances WHERE is_top"),
                        "3 150");
    assert_string_equal(
        scratch_answer("SELECT count || ' ' || wait_ns FROM property_instances WHERE "
                       "call_path = '/CallPath/main/solve/MPI_Recv'"),
        "3 150");
    assert_string_equal(scratch_answer("SELECT value FROM measurements WHERE metric = "
                                       "'late-sender.wait_ns' AND process = '/Process/1'"),
                        "50");
    assert_string_equal(scratch_answer("SELECT value FROM measurements WHERE metric = "
                                       "'late-sender.caused_ns' AND process = '/Process/1'"),
                        "100");
    assert_string_equal(
        scratch_answer("SELECT p.name || ' ' || is_evaluated || ' ' || "
                       "ifnull(worst_wait_ns, 'none') FROM trial_property JOIN property p "
                       "ON p.id = property_id WHERE p.parent IS NULL"),
        "wait-at-barrier 0 none");
    assert_string_equal(
        scratch_answer("SELECT f.focus || ' ' || r.path || ' ' || worst_begin_ns || ' ' || "
                       "worst_wait_ns FROM trial_property t JOIN foci f ON f.focus_id = "
                       "worst_focus_id JOIN resource r ON r.id = worst_cause_id"),
        "< /Code/MPI/MPI_Recv, /CallPath/main/solve/MPI_Recv, /Machine, "
        "/Process/0 > /Process/1 400 80");
}

static void test_runs_share_resources_and_foci(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    char foci[20], resources[20];
    snprintf(foci, sizeof foci, "%s", scratch_answer("SELECT count(*) FROM focus"));
    snprintf(resources, sizeof resources, "%s", scratch_answer("SELECT count(*) FROM resource"));
    scratch_store_sample(NULL);
    assert_string_equal(scratch_answer("SELECT count(*) FROM focus"), foci);
    assert_string_equal(scratch_answer("SELECT count(*) FROM resource"), resources);
    assert_string_equal(
        scratch_answer("SELECT count(DISTINCT n) || ' ' || count(*) FROM (SELECT count(*) "
                       "AS n FROM tuple GROUP BY trial_id)"),
        "1 2");
}

/// Two regions of one name in one file are one resource; their values add up.
static void test_regions_of_one_name_add_up(void **state)
{
    (void)state;
    struct result run;
    struct error err = {{0}};
    sample_run_init(&run);
    strcpy(run.regions[1].file, "ring.c");
    free(run.regions[3].file);
    run.regions[3].file = strdup("/elsewhere/ring.c");
    free(run.regions[3].name);
    run.regions[3].name = strdup("solve");
    assert_int_equal(store_result(scratch_path, &run, NULL, &err), 0);
    result_release(&run);
    scratch_assert_sound();
    assert_string_equal(
        scratch_answer("SELECT value FROM measurements WHERE metric = 'exclusive_ns' AND "
                       "call_path = '/CallPath/main/solve' AND process = '/Process/0'"),
        "500");
}

static void test_values_beyond_an_integer_of_sqlite(void **state)
{
    (void)state;
    struct result run;
    struct error err = {{0}};
    sample_run_init(&run);
    run.traffic[0].size_bytes = UINT64_MAX;
    run.traffic[1].size_bytes = INT64_MAX;
    assert_int_equal(store_result(scratch_path, &run, NULL, &err), 0);
    result_release(&run);
    assert_string_equal(
        scratch_answer("SELECT group_concat(size_bytes, ' ') FROM "
                       "(SELECT size_bytes FROM messages_between_ranks ORDER BY sender)"),
        "1.84467440737096e+19 9223372036854775807");
}

static void test_bytes_that_are_not_utf8(void **state)
{
    (void)state;
    struct result run;
    struct error err = {{0}};
    sample_run_init(&run);
    strcpy(run.regions[1].name, "s\xFF\n");
    run.regions[2].name[0] = '\0';
    assert_int_equal(store_result(scratch_path, &run, NULL, &err), 0);
    result_release(&run);
    assert_string_equal(scratch_answer("SELECT path FROM resource WHERE name = 's\uFFFD?' AND path "
                                       "LIKE '/Code/%'"),
                        "/Code/solve.c/s\\xFF\\x0A");
    assert_string_equal(scratch_answer("SELECT path FROM resource WHERE path LIKE '/Code/MPI/%'"),
                        "/Code/MPI/\\e");
}

static void test_a_hierarchy_of_the_user(void **state)
{
    (void)state;
    scratch_store_sample(NULL);
    struct database *database;
    struct writer writer = {.trial_id = 1};
    struct error err = {{0}};
    assert_int_equal(database_open(&database, scratch_path, DATABASE_WRITE, &err), 0);
    assert_int_equal(database_begin(database, &err), 0);
    writer.database = database;
    const struct writer_resource top = {ROOT_OTHER, (char *)""};
    struct writer_resource phases, start;
    assert_int_equal(writer_resource(&writer, &top, "Phase", &phases, &err), 0);
    assert_int_equal(writer_resource(&writer, &phases, "start", &start, &err), 0);
    struct writer_focus focus = writer_whole_program;
    focus.in[ROOT_OTHER] = start.id;
    int64_t focus_id, metric_id;
    const struct writer_metric metric = {"exclusive_ns", "", "", "everything"};
    assert_int_equal(writer_focus_id(&writer, &focus, &focus_id, &err), 0);
    assert_int_equal(writer_metric_id(&writer, &metric, &metric_id, &err), 0);
    assert_int_equal(writer_count(&writer, metric_id, focus_id, INTERVAL_RUN, 7, &err), 0);
    free(phases.path);
    free(start.path);
    assert_int_equal(database_end(database, 0, &err), 0);
    database_close(database);
    scratch_assert_sound();
    assert_string_equal(
        scratch_answer("SELECT focus || value || unit FROM measurements WHERE other <> "
                       "'/'"),
        "< /Code, /Machine, /Process, /Phase/start >7ns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_names_by_default),
        SCRATCH_TEST(test_given_names_are_taken_or_refused),
        SCRATCH_TEST(test_facts_of_the_run),
        SCRATCH_TEST(test_resources_and_foci),
        SCRATCH_TEST(test_values),
        SCRATCH_TEST(test_property_instances),
        SCRATCH_TEST(test_runs_share_resources_and_foci),
        SCRATCH_TEST(test_regions_of_one_name_add_up),
        SCRATCH_TEST(test_values_beyond_an_integer_of_sqlite),
        SCRATCH_TEST(test_bytes_that_are_not_utf8),
        SCRATCH_TEST(test_a_hierarchy_of_the_user),
    };
    return cmocka_run_group_tests_name("store", tests, scratch_group_setup, scratch_group_teardown);
}
