// SPDX-License-Identifier: BSD-3-Clause
// The schema as a list of steps. Its shape serves two costs: a run of a million values is appended
// in seconds, and one focus is found in a thousand runs by index alone.
//
// - Resources and foci are interned: all trials share them, a value names its focus by one integer.
// - `tuple` is its own index (WITHOUT ROWID) ordered by trial, metric, focus: storing a trial
//   appends, removing one cuts out a range, one focus in N trials is N look-ups.
// - The place of a rank is a fact of its trial (`trial_rank`), not part of the foci, or no two runs
//   on different nodes would share one.
//
// No feature younger than SQLite 3.26 is used in tables and views, so that the libraries and
// scripting languages of older systems open the file too.
#include "db/schema.h"

#include <sqlite3.h>
#include <stdio.h>

static const char step_1_tables[] =
    "CREATE TABLE application (\n"
    "    id INTEGER PRIMARY KEY,\n"
    "    name TEXT NOT NULL UNIQUE\n"
    ");\n"
    "CREATE TABLE experiment (\n"
    "    id INTEGER PRIMARY KEY,\n"
    "    application_id INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,\n"
    "    name TEXT NOT NULL,\n"
    "    UNIQUE (application_id, name)\n"
    ");\n"
    "CREATE TABLE trial (\n"
    "    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, even after a removal\n"
    "    experiment_id INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,\n"
    "    name TEXT NOT NULL,\n"
    "    origin TEXT NOT NULL CHECK (origin IN ('measured', 'predicted', 'threshold', "
    "'interval')),\n"
    "    program TEXT,\n"
    "    trace_path TEXT,\n"
    "    started_at TEXT, -- UTC, ISO 8601; NULL when the archive does not say\n"
    "    stored_at TEXT NOT NULL,\n"
    "    n_ranks INTEGER NOT NULL,\n"
    "    n_nodes INTEGER NOT NULL,\n"
    "    n_locations INTEGER NOT NULL,\n"
    "    n_events INTEGER NOT NULL,\n"
    "    n_messages INTEGER NOT NULL,\n"
    "    n_collectives INTEGER NOT NULL,\n"
    "    n_clock_violations INTEGER NOT NULL,\n"
    "    has_unreadable_records INTEGER NOT NULL,\n"
    "    time_ns INTEGER NOT NULL,\n"
    "    headline TEXT, -- the biggest loss in a few words\n"
    "    conclusion TEXT, -- the same as a paragraph\n"
    "    UNIQUE (experiment_id, name)\n"
    ");\n"
    "CREATE TABLE trial_attribute (\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    kind TEXT NOT NULL CHECK (kind IN ('version', 'parameter', 'environment')),\n"
    "    name TEXT NOT NULL,\n"
    "    value TEXT NOT NULL,\n"
    "    PRIMARY KEY (trial_id, kind, name)\n"
    ") WITHOUT ROWID;\n"
    "CREATE INDEX trial_attribute_by_name ON trial_attribute (name, value);\n"
    "CREATE TABLE trial_warning (\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    number INTEGER NOT NULL,\n"
    "    code TEXT NOT NULL,\n"
    "    count INTEGER NOT NULL,\n"
    "    text TEXT NOT NULL,\n"
    "    PRIMARY KEY (trial_id, number)\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE trial_hint (\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    number INTEGER NOT NULL,\n"
    "    property TEXT NOT NULL,\n"
    "    text TEXT NOT NULL,\n"
    "    source TEXT NOT NULL,\n"
    "    PRIMARY KEY (trial_id, number)\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE time_interval (\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    number INTEGER NOT NULL, -- 0 the whole run, 1 between MPI_Init and MPI_Finalize\n"
    "    name TEXT NOT NULL,\n"
    "    begin_ns INTEGER NOT NULL,\n"
    "    end_ns INTEGER NOT NULL,\n"
    "    PRIMARY KEY (trial_id, number)\n"
    ") WITHOUT ROWID;\n"
    "\n"
    "CREATE TABLE resource (\n"
    "    id INTEGER PRIMARY KEY,\n"
    "    parent_id INTEGER REFERENCES resource,\n"
    "    name TEXT NOT NULL,\n"
    "    path TEXT NOT NULL UNIQUE -- in resource normal form: /Code/main.c/solve\n"
    ");\n"
    "CREATE INDEX resource_by_parent ON resource (parent_id);\n"
    "INSERT INTO resource VALUES\n"
    "    (0, NULL, '', '/'), (1, 0, 'Code', '/Code'), (2, 0, 'CallPath', '/CallPath'),\n"
    "    (3, 0, 'Machine', '/Machine'), (4, 0, 'Process', '/Process'),\n"
    "    (5, 0, 'Message', '/Message');\n"
    "CREATE TABLE trial_resource ( -- with all parents\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    resource_id INTEGER NOT NULL REFERENCES resource,\n"
    "    PRIMARY KEY (trial_id, resource_id)\n"
    ") WITHOUT ROWID;\n"
    "CREATE INDEX trial_resource_by_resource ON trial_resource (resource_id);\n"
    "CREATE TABLE trial_rank (\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    process_id INTEGER NOT NULL REFERENCES resource,\n"
    "    machine_id INTEGER NOT NULL REFERENCES resource, -- where it ran\n"
    "    name TEXT NOT NULL,\n"
    "    first_ns INTEGER NOT NULL,\n"
    "    last_ns INTEGER NOT NULL,\n"
    "    is_skipped INTEGER NOT NULL, -- its events could not be read, it has no values\n"
    "    PRIMARY KEY (trial_id, process_id)\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE focus ( -- one resource of each hierarchy; a root selects all of it\n"
    "    id INTEGER PRIMARY KEY,\n"
    "    call_path_id INTEGER NOT NULL REFERENCES resource,\n"
    "    process_id INTEGER NOT NULL REFERENCES resource,\n"
    "    code_id INTEGER NOT NULL REFERENCES resource,\n"
    "    machine_id INTEGER NOT NULL REFERENCES resource,\n"
    "    message_id INTEGER NOT NULL REFERENCES resource,\n"
    "    other_id INTEGER NOT NULL REFERENCES resource, -- in a hierarchy of the user's\n"
    "    UNIQUE (call_path_id, process_id, code_id, machine_id, message_id, other_id)\n"
    ");\n"
    "CREATE INDEX focus_by_code ON focus (code_id);\n"
    "CREATE INDEX focus_by_message ON focus (message_id) WHERE message_id <> 5;\n"
    "CREATE INDEX focus_by_other ON focus (other_id) WHERE other_id <> 0;\n"
    "INSERT INTO focus VALUES (0, 2, 4, 1, 3, 5, 0); -- the whole program\n"
    "\n"
    "CREATE TABLE property (\n"
    "    id INTEGER PRIMARY KEY,\n"
    "    name TEXT NOT NULL UNIQUE, -- late-sender\n"
    "    parent TEXT, -- the name of a more general property\n"
    "    title TEXT NOT NULL,\n"
    "    summary TEXT NOT NULL,\n"
    "    diagnosis TEXT NOT NULL\n"
    ");\n"
    "CREATE TABLE metric (\n"
    "    id INTEGER PRIMARY KEY,\n"
    "    name TEXT NOT NULL UNIQUE,\n"
    "    unit TEXT NOT NULL,\n"
    "    description TEXT NOT NULL,\n"
    "    adds_up_over TEXT NOT NULL -- values of different foci may be added:\n"
    "        CHECK (adds_up_over IN ('everything', 'processes', 'nothing'))\n"
    ");\n"
    "CREATE TABLE tuple (\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    metric_id INTEGER NOT NULL REFERENCES metric,\n"
    "    focus_id INTEGER NOT NULL REFERENCES focus,\n"
    "    interval INTEGER NOT NULL, -- time_interval.number of the trial\n"
    "    value NUMERIC NOT NULL,\n"
    "    PRIMARY KEY (trial_id, metric_id, focus_id, interval)\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE property_instance (\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    property_id INTEGER NOT NULL REFERENCES property,\n"
    "    focus_id INTEGER NOT NULL REFERENCES focus,\n"
    "    interval INTEGER NOT NULL,\n"
    "    severity REAL NOT NULL, -- 0..1, by the formula of the property\n"
    "    confidence REAL NOT NULL, -- 0..1\n"
    "    count INTEGER NOT NULL,\n"
    "    wait_ns INTEGER NOT NULL,\n"
    "    PRIMARY KEY (trial_id, property_id, focus_id, interval)\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE trial_property ( -- what was searched for, and the longest single wait\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    property_id INTEGER NOT NULL REFERENCES property,\n"
    "    is_evaluated INTEGER NOT NULL, -- 0: the trace lacks the records it needs\n"
    "    is_top INTEGER NOT NULL, -- 1: its waits are in no other property's\n"
    "    worst_focus_id INTEGER REFERENCES focus,\n"
    "    worst_cause_id INTEGER REFERENCES resource, -- the process waited for\n"
    "    worst_begin_ns INTEGER,\n"
    "    worst_wait_ns INTEGER,\n"
    "    PRIMARY KEY (trial_id, property_id)\n"
    ") WITHOUT ROWID;\n";

static const char step_1_views[] =
    "CREATE VIEW trials AS\n"
    "    SELECT t.id AS trial_id, a.name AS application, e.name AS experiment, t.name AS trial,\n"
    "        t.origin, t.started_at, t.stored_at, t.n_ranks, t.n_nodes, t.time_ns,\n"
    "        (SELECT value FROM tuple JOIN metric m ON m.id = metric_id\n"
    "            WHERE trial_id = t.id AND m.name = 'parallel_efficiency' AND focus_id = 0\n"
    "            AND interval = 1) AS parallel_efficiency,\n"
    "        t.trace_path\n"
    "    FROM trial t JOIN experiment e ON e.id = t.experiment_id\n"
    "        JOIN application a ON a.id = e.application_id;\n"
    "CREATE VIEW foci AS\n"
    "    SELECT f.id AS focus_id, code.path AS code, call_path.path AS call_path,\n"
    "        machine.path AS machine, process.path AS process, message.path AS message,\n"
    "        other.path AS other,\n"
    "        '< ' || code.path\n"
    "            || CASE f.call_path_id WHEN 2 THEN '' ELSE ', ' || call_path.path END\n"
    "            || ', ' || machine.path || ', ' || process.path\n"
    "            || CASE f.message_id WHEN 5 THEN '' ELSE ', ' || message.path END\n"
    "            || CASE f.other_id WHEN 0 THEN '' ELSE ', ' || other.path END\n"
    "            || ' >' AS focus\n"
    "    FROM focus f JOIN resource code ON code.id = f.code_id\n"
    "        JOIN resource call_path ON call_path.id = f.call_path_id\n"
    "        JOIN resource machine ON machine.id = f.machine_id\n"
    "        JOIN resource process ON process.id = f.process_id\n"
    "        JOIN resource message ON message.id = f.message_id\n"
    "        JOIN resource other ON other.id = f.other_id;\n"
    "CREATE VIEW measurements AS\n"
    "    SELECT t.trial_id, m.name AS metric, t.value, m.unit, i.name AS interval, f.focus,\n"
    "        f.code, f.call_path, f.machine, f.process, f.message, f.other\n"
    "    FROM tuple t JOIN metric m ON m.id = t.metric_id\n"
    "        JOIN foci f ON f.focus_id = t.focus_id\n"
    "        JOIN time_interval i ON i.trial_id = t.trial_id AND i.number = t.interval;\n"
    "CREATE VIEW profile_by_call_path AS\n"
    "    SELECT t.trial_id, call_path.path AS call_path, code.path AS code,\n"
    "        sum(CASE m.name WHEN 'visits' THEN value END) AS visits,\n"
    "        sum(CASE m.name WHEN 'inclusive_ns' THEN value END) AS inclusive_ns,\n"
    "        sum(CASE m.name WHEN 'exclusive_ns' THEN value END) AS exclusive_ns\n"
    "    FROM tuple t JOIN metric m ON m.id = t.metric_id\n"
    "        JOIN focus f ON f.id = t.focus_id\n"
    "        JOIN resource call_path ON call_path.id = f.call_path_id\n"
    "        JOIN resource code ON code.id = f.code_id\n"
    "    WHERE m.name IN ('visits', 'inclusive_ns', 'exclusive_ns')\n"
    "    GROUP BY t.trial_id, f.call_path_id, f.code_id;\n"
    "CREATE VIEW profile_by_region AS\n"
    "    SELECT t.trial_id, code.name AS region, file.name AS file,\n"
    "        sum(CASE m.name WHEN 'visits' THEN value END) AS visits,\n"
    "        sum(CASE m.name WHEN 'region_inclusive_ns' THEN value END) AS inclusive_ns,\n"
    "        sum(CASE m.name WHEN 'exclusive_ns' THEN value END) AS exclusive_ns\n"
    "    FROM tuple t JOIN metric m ON m.id = t.metric_id\n"
    "        JOIN focus f ON f.id = t.focus_id JOIN resource code ON code.id = f.code_id\n"
    "        JOIN resource file ON file.id = code.parent_id\n"
    "    WHERE m.name IN ('visits', 'region_inclusive_ns', 'exclusive_ns')\n"
    "    GROUP BY t.trial_id, f.code_id;\n"
    "CREATE VIEW profile_by_process AS\n"
    "    SELECT t.trial_id, process.path AS process, machine.path AS machine,\n"
    "        sum(CASE m.name WHEN 'useful_ns' THEN value END) AS useful_ns,\n"
    "        sum(CASE m.name WHEN 'mpi_ns' THEN value END) AS mpi_ns,\n"
    "        sum(CASE m.name WHEN 'wait_ns' THEN value END) AS wait_ns\n"
    "    FROM tuple t JOIN metric m ON m.id = t.metric_id\n"
    "        JOIN focus f ON f.id = t.focus_id\n"
    "        JOIN resource process ON process.id = f.process_id\n"
    "        JOIN trial_rank r ON r.trial_id = t.trial_id AND r.process_id = f.process_id\n"
    "        JOIN resource machine ON machine.id = r.machine_id\n"
    "    WHERE m.name IN ('useful_ns', 'mpi_ns', 'wait_ns')\n"
    "    GROUP BY t.trial_id, f.process_id;\n"
    "CREATE VIEW wait_states AS -- of the whole run; more exactly placed: property_instances\n"
    "    SELECT i.trial_id, p.name AS property, p.title, i.count, i.wait_ns, i.severity,\n"
    "        i.confidence, t.is_top\n"
    "    FROM property_instance i JOIN property p ON p.id = i.property_id\n"
    "        JOIN trial_property t ON t.trial_id = i.trial_id AND t.property_id = i.property_id\n"
    "    WHERE i.focus_id = 0 AND i.interval = 0;\n"
    "CREATE VIEW property_instances AS\n"
    "    SELECT i.trial_id, p.name AS property, f.focus, f.code, f.call_path, f.process,\n"
    "        t.name AS interval, i.severity, i.confidence, i.count, i.wait_ns\n"
    "    FROM property_instance i JOIN property p ON p.id = i.property_id\n"
    "        JOIN foci f ON f.focus_id = i.focus_id\n"
    "        JOIN time_interval t ON t.trial_id = i.trial_id AND t.number = i.interval;\n"
    "CREATE VIEW critical_path_by_region AS\n"
    "    SELECT t.trial_id, code.name AS region, file.name AS file,\n"
    "        sum(t.value) AS time_ns, CAST(sum(t.value) AS REAL) / trial.time_ns AS share\n"
    "    FROM tuple t JOIN metric m ON m.id = t.metric_id AND m.name = 'critical_path_ns'\n"
    "        JOIN focus f ON f.id = t.focus_id JOIN resource code ON code.id = f.code_id\n"
    "        JOIN resource file ON file.id = code.parent_id\n"
    "        JOIN trial ON trial.id = t.trial_id\n"
    "    GROUP BY t.trial_id, f.code_id;\n"
    "CREATE VIEW messages_between_ranks AS\n"
    "    SELECT t.trial_id, CAST(sender.name AS INTEGER) AS sender,\n"
    "        CAST(receiver.name AS INTEGER) AS receiver,\n"
    "        sum(CASE m.name WHEN 'messages' THEN value END) AS n_messages,\n"
    "        sum(CASE m.name WHEN 'message_bytes' THEN value END) AS size_bytes\n"
    "    FROM tuple t JOIN metric m ON m.id = t.metric_id\n"
    "        JOIN focus f ON f.id = t.focus_id\n"
    "        JOIN resource receiver ON receiver.id = f.message_id\n"
    "        JOIN resource sender ON sender.id = receiver.parent_id\n"
    "    WHERE m.name IN ('messages', 'message_bytes')\n"
    "    GROUP BY t.trial_id, f.message_id;\n";

/// What the query planner is told to expect: thousands of trials with ten thousands of values each.
/// Without it a focus is searched by reading all values (https://www.sqlite.org/optoverview.html,
/// "Manual Control Of Query Plans Using SQLITE_STAT Tables"). ANALYZE by hand replaces it.
static const char step_1_statistics[] =
    "ANALYZE application;\n" // makes the table
    "DELETE FROM sqlite_stat1;\n"
    "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES\n"
    "    ('tuple', 'tuple', '20000000 20000 1000 1 1'),\n"
    "    ('time_interval', 'time_interval', '2000 2 1'),\n"
    "    ('trial_rank', 'trial_rank', '64000 64 1'),\n"
    "    ('trial_resource', 'trial_resource', '500000 500 1'),\n"
    "    ('trial_resource', 'trial_resource_by_resource', '500000 500'),\n"
    "    ('trial_property', 'trial_property', '10000 10 1'),\n"
    "    ('property_instance', 'property_instance', '500000 500 50 1 1'),\n"
    "    ('trial', 'sqlite_autoindex_trial_1', '1000 100 1'),\n"
    "    ('experiment', 'sqlite_autoindex_experiment_1', '10 5 1'),\n"
    "    ('application', 'sqlite_autoindex_application_1', '3 1'),\n"
    "    ('metric', 'sqlite_autoindex_metric_1', '50 1'),\n"
    "    ('property', 'sqlite_autoindex_property_1', '20 1'),\n"
    "    ('resource', 'sqlite_autoindex_resource_1', '10000 1'),\n"
    "    ('resource', 'resource_by_parent', '10000 10'),\n"
    "    ('focus', 'sqlite_autoindex_focus_1', '100000 64 2 1 1 1 1'),\n"
    "    ('focus', 'focus_by_code', '100000 100'),\n"
    "    ('focus', 'focus_by_message', '2000 1'),\n"
    "    ('focus', 'focus_by_other', '100 2');\n"
    "ANALYZE sqlite_master;\n";

static const char step_2_predictions[] =
    "CREATE TABLE prediction ( -- what a trial of that origin was predicted from\n"
    "    trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,\n"
    "    measured_id INTEGER REFERENCES trial ON DELETE SET NULL, -- NULL: removed since\n"
    "    change TEXT NOT NULL, -- the what-if options\n"
    "    replay_error REAL NOT NULL -- of the prediction with nothing changed, a share\n"
    ");\n"
    "CREATE INDEX prediction_by_measured ON prediction (measured_id);\n"
    "CREATE VIEW predictions AS\n"
    "    SELECT p.trial_id, t.name AS trial, p.measured_id, m.name AS measured_trial, p.change,\n"
    "        p.replay_error, m.time_ns AS measured_ns, t.time_ns AS predicted_ns,\n"
    "        CAST(t.time_ns AS REAL) / m.time_ns - 1 AS relative_change\n"
    "    FROM prediction p JOIN trial t ON t.id = p.trial_id\n"
    "        LEFT JOIN trial m ON m.id = p.measured_id;\n";

static const char step_3_environment[] =
    "ALTER TABLE trial_attribute ADD COLUMN role TEXT; -- of a parameter: machine, problem, or "
    "NULL\n"
    "ALTER TABLE prediction ADD COLUMN measured_as TEXT; -- where measured_id is NULL because "
    "that\n"
    "-- trial was not imported (yet): its application/experiment/name\n"
    "CREATE TABLE trial_node (\n"
    "    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,\n"
    "    machine_id INTEGER NOT NULL REFERENCES resource,\n"
    "    n_cores INTEGER, -- that its ranks could use together, NULL when unknown\n"
    "    n_ranks INTEGER NOT NULL,\n"
    "    PRIMARY KEY (trial_id, machine_id)\n"
    ") WITHOUT ROWID;\n"
    "INSERT INTO trial_node SELECT trial_id, machine_id, NULL, count(*) FROM trial_rank\n"
    "    WHERE machine_id <> 3 GROUP BY trial_id, machine_id;\n"
    "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('trial_node', 'trial_node', '4000 4 1');\n"
    "CREATE VIEW nodes AS\n"
    "    SELECT n.trial_id, r.name AS node, n.n_cores, n.n_ranks\n"
    "    FROM trial_node n JOIN resource r ON r.id = n.machine_id;\n"
    "CREATE VIEW parameters AS\n"
    "    SELECT trial_id, name AS parameter, value, coalesce(role, 'free') AS role\n"
    "    FROM trial_attribute WHERE kind = 'parameter';\n"
    "CREATE VIEW environments AS\n"
    "    SELECT t.id AS trial_id, t.started_at, t.n_ranks, t.n_nodes,\n"
    "        (SELECT sum(n_cores) FROM trial_node n WHERE n.trial_id = t.id) AS n_cores,\n"
    "        (SELECT group_concat(node, ' ') FROM (SELECT node FROM nodes n\n"
    "            WHERE n.trial_id = t.id ORDER BY node)) AS nodes,\n"
    "        max(CASE a.name WHEN 'PAGODA::COMMAND' THEN a.value END) AS command_line,\n"
    "        max(CASE a.name WHEN 'PAGODA::DIRECTORY' THEN a.value END) AS directory,\n"
    "        max(CASE a.name WHEN 'PAGODA::MPI' THEN a.value END) AS mpi,\n"
    "        max(CASE a.name WHEN 'PAGODA::MPI_VERSION' THEN a.value END) AS mpi_version,\n"
    "        max(CASE a.name WHEN 'PAGODA::COMPILER' THEN a.value END) AS compiler,\n"
    "        max(CASE a.name WHEN 'PAGODA::REVISION' THEN a.value END) AS git_revision,\n"
    "        max(CASE a.name WHEN 'PAGODA::REVISION_MODIFIED' THEN a.value END)\n"
    "            AS git_is_modified\n"
    "    FROM trial t LEFT JOIN trial_attribute a ON a.trial_id = t.id\n"
    "    GROUP BY t.id;\n"
    "CREATE VIEW environment_variables AS\n"
    "    SELECT trial_id, substr(name, 14) AS variable, value FROM trial_attribute\n"
    "    WHERE kind = 'environment' AND name GLOB 'PAGODA::ENV::*';\n";
static const char step_4_points[] =
    "CREATE TABLE point_not_run ( -- a point of a sweep that has no trial\n"
    "    experiment_id INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,\n"
    "    name TEXT NOT NULL, -- as its trial would be called\n"
    "    state TEXT NOT NULL CHECK (state IN ('skipped', 'failed', 'too long')),\n"
    "    reason TEXT NOT NULL,\n"
    "    noted_at TEXT NOT NULL,\n"
    "    PRIMARY KEY (experiment_id, name)\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE point_parameter (\n"
    "    experiment_id INTEGER NOT NULL,\n"
    "    point TEXT NOT NULL,\n"
    "    name TEXT NOT NULL,\n"
    "    value TEXT NOT NULL,\n"
    "    PRIMARY KEY (experiment_id, point, name),\n"
    "    FOREIGN KEY (experiment_id, point)\n"
    "        REFERENCES point_not_run (experiment_id, name) ON DELETE CASCADE\n"
    ") WITHOUT ROWID;\n"
    "CREATE VIEW points_not_run AS\n"
    "    SELECT a.name AS application, e.name AS experiment, p.name AS point, p.state, p.reason,\n"
    "        (SELECT group_concat(q.name || '=' || q.value, ' ') FROM point_parameter q\n"
    "            WHERE q.experiment_id = p.experiment_id AND q.point = p.name) AS parameters,\n"
    "        p.noted_at\n"
    "    FROM point_not_run p JOIN experiment e ON e.id = p.experiment_id\n"
    "        JOIN application a ON a.id = e.application_id;\n";

static const char step_5_branches[] =
    "DROP VIEW environments;\n"
    "CREATE VIEW environments AS\n"
    "    SELECT t.id AS trial_id, t.started_at, t.n_ranks, t.n_nodes,\n"
    "        (SELECT sum(n_cores) FROM trial_node n WHERE n.trial_id = t.id) AS n_cores,\n"
    "        (SELECT group_concat(node, ' ') FROM (SELECT node FROM nodes n\n"
    "            WHERE n.trial_id = t.id ORDER BY node)) AS nodes,\n"
    "        max(CASE a.name WHEN 'PAGODA::COMMAND' THEN a.value END) AS command_line,\n"
    "        max(CASE a.name WHEN 'PAGODA::DIRECTORY' THEN a.value END) AS directory,\n"
    "        max(CASE a.name WHEN 'PAGODA::MPI' THEN a.value END) AS mpi,\n"
    "        max(CASE a.name WHEN 'PAGODA::MPI_VERSION' THEN a.value END) AS mpi_version,\n"
    "        max(CASE a.name WHEN 'PAGODA::COMPILER' THEN a.value END) AS compiler,\n"
    "        max(CASE a.name WHEN 'PAGODA::REVISION' THEN a.value END) AS git_revision,\n"
    "        max(CASE a.name WHEN 'PAGODA::REVISION_MODIFIED' THEN a.value END)\n"
    "            AS git_is_modified,\n"
    "        max(CASE a.name WHEN 'PAGODA::BRANCH' THEN nullif(a.value, '') END) AS git_branch,\n"
    "        max(CASE a.name WHEN 'PAGODA::TAG' THEN nullif(a.value, '') END) AS git_tag\n"
    "    FROM trial t LEFT JOIN trial_attribute a ON a.trial_id = t.id\n"
    "    GROUP BY t.id;\n";

static const char step_6_intervals[] =
    "CREATE TABLE run_interval ( -- which part of a run a trial of that origin is\n"
    "    trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,\n"
    "    name TEXT NOT NULL, -- as it was asked for: 1s:2s, solve#3\n"
    "    is_phase INTEGER NOT NULL, -- 1: each rank has a begin and end of its own, in trial_rank\n"
    "    begin_ns INTEGER NOT NULL, -- in the run, of the first rank\n"
    "    end_ns INTEGER NOT NULL -- of the last rank\n"
    ");\n"
    "CREATE VIEW intervals AS\n"
    "    SELECT i.trial_id, t.name AS trial, i.name AS interval, i.is_phase, i.begin_ns, "
    "i.end_ns,\n"
    "        t.time_ns, r.id AS run_id, r.name AS run,\n"
    "        CAST(t.time_ns AS REAL) / r.time_ns AS share_of_run\n"
    "    FROM run_interval i JOIN trial t ON t.id = i.trial_id LEFT JOIN trial r ON r.id =\n"
    "        (SELECT max(w.id) FROM trial w WHERE w.experiment_id = t.experiment_id\n"
    "            AND w.trace_path = t.trace_path AND w.origin IN ('measured', 'predicted')\n"
    "            AND w.id NOT IN (SELECT trial_id FROM prediction));\n";

const struct schema_step schema_steps[] = {
    {{step_1_tables, step_1_views, step_1_statistics}},
    {{step_2_predictions}},
    {{step_3_environment}},
    {{step_4_points}},
    {{step_5_branches}},
    {{step_6_intervals}},
};
const uint32_t schema_version = sizeof schema_steps / sizeof schema_steps[0];

int schema_read_version(struct database *database, uint32_t *version, struct error *err)
{
    sqlite3_stmt *statement;
    if (database_prepare(database, &statement, "PRAGMA user_version", err))
        return -1;
    int row = database_step(database, statement, err);
    *version = row == 1 ? (uint32_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

static int apply_steps(struct database *database, const struct schema_step *steps, uint32_t from,
                       uint32_t to, struct error *err)
{
    for (uint32_t step = from; step < to; step++) {
        for (size_t part = 0; part < SCHEMA_STEP_PARTS && steps[step].sql[part]; part++)
            if (database_run(database, steps[step].sql[part], err))
                return error_wrap(err, "cannot bring %s from schema %u to %u", database->path, step,
                                  step + 1);
    }
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %u",
             SCHEMA_APPLICATION_ID, to);
    return database_run(database, marks, err);
}

int schema_migrate(struct database *database, const struct schema_step *steps, uint32_t n_steps,
                   struct error *err)
{
    if (database_begin(database, err))
        return -1;
    // Read under the lock: another process may have done the work meanwhile.
    uint32_t version;
    if (schema_read_version(database, &version, err) ||
        (version < n_steps && apply_steps(database, steps, version, n_steps, err))) {
        database_rollback(database);
        return -1;
    }
    return database_commit(database, err);
}
