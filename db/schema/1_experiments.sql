-- SPDX-License-Identifier: BSD-3-Clause
-- Two costs shape the schema: a run of a million values is appended in seconds, and one focus is
-- found in a thousand runs by index alone.
--
-- - All trials share resources and foci; a value names its focus by one integer.
-- - `tuple` is its own index (WITHOUT ROWID), ordered by trial, metric, focus: storing a trial
--   appends, removing one cuts out a range, one focus in N trials is N look-ups.
-- - The place of a rank is a fact of its trial (`trial_rank`), not part of the foci, so that runs on
--   different nodes share foci.
--
-- Tables and views need no feature younger than SQLite 3.26, so that the libraries and scripting
-- languages of older systems open the file too.
CREATE TABLE application (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY,
    application_id INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
    name TEXT NOT NULL,
    UNIQUE (application_id, name)
);
CREATE TABLE trial (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, even after a removal
    experiment_id INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
    name TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('measured', 'predicted', 'threshold', 'interval')),
    program TEXT,
    trace_path TEXT,
    started_at TEXT, -- UTC, ISO 8601; NULL when the archive does not say
    stored_at TEXT NOT NULL,
    n_ranks INTEGER NOT NULL,
    n_nodes INTEGER NOT NULL,
    n_locations INTEGER NOT NULL,
    n_events INTEGER NOT NULL,
    n_messages INTEGER NOT NULL,
    n_collectives INTEGER NOT NULL,
    n_clock_violations INTEGER NOT NULL,
    has_unreadable_records INTEGER NOT NULL,
    time_ns INTEGER NOT NULL,
    headline TEXT, -- the biggest loss in a few words
    conclusion TEXT, -- the same as a paragraph
    UNIQUE (experiment_id, name)
);
CREATE TABLE trial_attribute (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('version', 'parameter', 'environment')),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (trial_id, kind, name)
) WITHOUT ROWID;
CREATE INDEX trial_attribute_by_name ON trial_attribute (name, value);
CREATE TABLE trial_warning (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    number INTEGER NOT NULL,
    code TEXT NOT NULL,
    count INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (trial_id, number)
) WITHOUT ROWID;
CREATE TABLE trial_hint (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    number INTEGER NOT NULL,
    property TEXT NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (trial_id, number)
) WITHOUT ROWID;
CREATE TABLE time_interval (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    number INTEGER NOT NULL, -- 0 the whole run, 1 between MPI_Init and MPI_Finalize
    name TEXT NOT NULL,
    begin_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL,
    PRIMARY KEY (trial_id, number)
) WITHOUT ROWID;

CREATE TABLE resource (
    id INTEGER PRIMARY KEY,
    parent_id INTEGER REFERENCES resource,
    name TEXT NOT NULL,
    path TEXT NOT NULL UNIQUE -- in resource normal form: /Code/main.c/solve
);
CREATE INDEX resource_by_parent ON resource (parent_id);
INSERT INTO resource VALUES
    (0, NULL, '', '/'), (1, 0, 'Code', '/Code'), (2, 0, 'CallPath', '/CallPath'),
    (3, 0, 'Machine', '/Machine'), (4, 0, 'Process', '/Process'),
    (5, 0, 'Message', '/Message');
CREATE TABLE trial_resource ( -- with all parents
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    resource_id INTEGER NOT NULL REFERENCES resource,
    PRIMARY KEY (trial_id, resource_id)
) WITHOUT ROWID;
CREATE INDEX trial_resource_by_resource ON trial_resource (resource_id);
CREATE TABLE trial_rank (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    process_id INTEGER NOT NULL REFERENCES resource,
    machine_id INTEGER NOT NULL REFERENCES resource, -- where it ran
    name TEXT NOT NULL,
    first_ns INTEGER NOT NULL,
    last_ns INTEGER NOT NULL,
    is_skipped INTEGER NOT NULL, -- its events could not be read, it has no values
    PRIMARY KEY (trial_id, process_id)
) WITHOUT ROWID;
CREATE TABLE focus ( -- one resource of each hierarchy; a root selects all of it
    id INTEGER PRIMARY KEY,
    call_path_id INTEGER NOT NULL REFERENCES resource,
    process_id INTEGER NOT NULL REFERENCES resource,
    code_id INTEGER NOT NULL REFERENCES resource,
    machine_id INTEGER NOT NULL REFERENCES resource,
    message_id INTEGER NOT NULL REFERENCES resource,
    other_id INTEGER NOT NULL REFERENCES resource, -- in a hierarchy of the user's
    UNIQUE (call_path_id, process_id, code_id, machine_id, message_id, other_id)
);
CREATE INDEX focus_by_code ON focus (code_id);
CREATE INDEX focus_by_message ON focus (message_id) WHERE message_id <> 5;
CREATE INDEX focus_by_other ON focus (other_id) WHERE other_id <> 0;
INSERT INTO focus VALUES (0, 2, 4, 1, 3, 5, 0); -- the whole program

CREATE TABLE property (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE, -- late-sender
    parent TEXT, -- the name of a more general property
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    diagnosis TEXT NOT NULL
);
CREATE TABLE metric (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    unit TEXT NOT NULL,
    description TEXT NOT NULL,
    adds_up_over TEXT NOT NULL -- values of different foci may be added:
        CHECK (adds_up_over IN ('everything', 'processes', 'nothing'))
);
CREATE TABLE tuple (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    metric_id INTEGER NOT NULL REFERENCES metric,
    focus_id INTEGER NOT NULL REFERENCES focus,
    interval INTEGER NOT NULL, -- time_interval.number of the trial
    value NUMERIC NOT NULL,
    PRIMARY KEY (trial_id, metric_id, focus_id, interval)
) WITHOUT ROWID;
CREATE TABLE property_instance (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    property_id INTEGER NOT NULL REFERENCES property,
    focus_id INTEGER NOT NULL REFERENCES focus,
    interval INTEGER NOT NULL,
    severity REAL NOT NULL, -- 0..1, by the formula of the property
    confidence REAL NOT NULL, -- 0..1
    count INTEGER NOT NULL,
    wait_ns INTEGER NOT NULL,
    PRIMARY KEY (trial_id, property_id, focus_id, interval)
) WITHOUT ROWID;
CREATE TABLE trial_property ( -- what was searched for, and the longest single wait
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    property_id INTEGER NOT NULL REFERENCES property,
    is_evaluated INTEGER NOT NULL, -- 0: the trace lacks the records it needs
    is_top INTEGER NOT NULL, -- 1: its waits are in no other property's
    worst_focus_id INTEGER REFERENCES focus,
    worst_cause_id INTEGER REFERENCES resource, -- the process waited for
    worst_begin_ns INTEGER,
    worst_wait_ns INTEGER,
    PRIMARY KEY (trial_id, property_id)
) WITHOUT ROWID;
CREATE VIEW trials AS
    SELECT t.id AS trial_id, a.name AS application, e.name AS experiment, t.name AS trial,
        t.origin, t.started_at, t.stored_at, t.n_ranks, t.n_nodes, t.time_ns,
        (SELECT value FROM tuple JOIN metric m ON m.id = metric_id
            WHERE trial_id = t.id AND m.name = 'parallel_efficiency' AND focus_id = 0
            AND interval = 1) AS parallel_efficiency,
        t.trace_path
    FROM trial t JOIN experiment e ON e.id = t.experiment_id
        JOIN application a ON a.id = e.application_id;
CREATE VIEW foci AS
    SELECT f.id AS focus_id, code.path AS code, call_path.path AS call_path,
        machine.path AS machine, process.path AS process, message.path AS message,
        other.path AS other,
        '< ' || code.path
            || CASE f.call_path_id WHEN 2 THEN '' ELSE ', ' || call_path.path END
            || ', ' || machine.path || ', ' || process.path
            || CASE f.message_id WHEN 5 THEN '' ELSE ', ' || message.path END
            || CASE f.other_id WHEN 0 THEN '' ELSE ', ' || other.path END
            || ' >' AS focus
    FROM focus f JOIN resource code ON code.id = f.code_id
        JOIN resource call_path ON call_path.id = f.call_path_id
        JOIN resource machine ON machine.id = f.machine_id
        JOIN resource process ON process.id = f.process_id
        JOIN resource message ON message.id = f.message_id
        JOIN resource other ON other.id = f.other_id;
CREATE VIEW measurements AS
    SELECT t.trial_id, m.name AS metric, t.value, m.unit, i.name AS interval, f.focus,
        f.code, f.call_path, f.machine, f.process, f.message, f.other
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN foci f ON f.focus_id = t.focus_id
        JOIN time_interval i ON i.trial_id = t.trial_id AND i.number = t.interval;
CREATE VIEW profile_by_call_path AS
    SELECT t.trial_id, call_path.path AS call_path, code.path AS code,
        sum(CASE m.name WHEN 'visits' THEN value END) AS visits,
        sum(CASE m.name WHEN 'inclusive_ns' THEN value END) AS inclusive_ns,
        sum(CASE m.name WHEN 'exclusive_ns' THEN value END) AS exclusive_ns
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN focus f ON f.id = t.focus_id
        JOIN resource call_path ON call_path.id = f.call_path_id
        JOIN resource code ON code.id = f.code_id
    WHERE m.name IN ('visits', 'inclusive_ns', 'exclusive_ns')
    GROUP BY t.trial_id, f.call_path_id, f.code_id;
CREATE VIEW profile_by_region AS
    SELECT t.trial_id, code.name AS region, file.name AS file,
        sum(CASE m.name WHEN 'visits' THEN value END) AS visits,
        sum(CASE m.name WHEN 'region_inclusive_ns' THEN value END) AS inclusive_ns,
        sum(CASE m.name WHEN 'exclusive_ns' THEN value END) AS exclusive_ns
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN focus f ON f.id = t.focus_id JOIN resource code ON code.id = f.code_id
        JOIN resource file ON file.id = code.parent_id
    WHERE m.name IN ('visits', 'region_inclusive_ns', 'exclusive_ns')
    GROUP BY t.trial_id, f.code_id;
CREATE VIEW profile_by_process AS
    SELECT t.trial_id, process.path AS process, machine.path AS machine,
        sum(CASE m.name WHEN 'useful_ns' THEN value END) AS useful_ns,
        sum(CASE m.name WHEN 'mpi_ns' THEN value END) AS mpi_ns,
        sum(CASE m.name WHEN 'wait_ns' THEN value END) AS wait_ns
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN focus f ON f.id = t.focus_id
        JOIN resource process ON process.id = f.process_id
        JOIN trial_rank r ON r.trial_id = t.trial_id AND r.process_id = f.process_id
        JOIN resource machine ON machine.id = r.machine_id
    WHERE m.name IN ('useful_ns', 'mpi_ns', 'wait_ns')
    GROUP BY t.trial_id, f.process_id;
CREATE VIEW wait_states AS -- of the whole run; more exactly placed: property_instances
    SELECT i.trial_id, p.name AS property, p.title, i.count, i.wait_ns, i.severity,
        i.confidence, t.is_top
    FROM property_instance i JOIN property p ON p.id = i.property_id
        JOIN trial_property t ON t.trial_id = i.trial_id AND t.property_id = i.property_id
    WHERE i.focus_id = 0 AND i.interval = 0;
CREATE VIEW property_instances AS
    SELECT i.trial_id, p.name AS property, f.focus, f.code, f.call_path, f.process,
        t.name AS interval, i.severity, i.confidence, i.count, i.wait_ns
    FROM property_instance i JOIN property p ON p.id = i.property_id
        JOIN foci f ON f.focus_id = i.focus_id
        JOIN time_interval t ON t.trial_id = i.trial_id AND t.number = i.interval;
CREATE VIEW critical_path_by_region AS
    SELECT t.trial_id, code.name AS region, file.name AS file,
        sum(t.value) AS time_ns, CAST(sum(t.value) AS REAL) / trial.time_ns AS share
    FROM tuple t JOIN metric m ON m.id = t.metric_id AND m.name = 'critical_path_ns'
        JOIN focus f ON f.id = t.focus_id JOIN resource code ON code.id = f.code_id
        JOIN resource file ON file.id = code.parent_id
        JOIN trial ON trial.id = t.trial_id
    GROUP BY t.trial_id, f.code_id;
CREATE VIEW messages_between_ranks AS
    SELECT t.trial_id, CAST(sender.name AS INTEGER) AS sender,
        CAST(receiver.name AS INTEGER) AS receiver,
        sum(CASE m.name WHEN 'messages' THEN value END) AS n_messages,
        sum(CASE m.name WHEN 'message_bytes' THEN value END) AS size_bytes
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN focus f ON f.id = t.focus_id
        JOIN resource receiver ON receiver.id = f.message_id
        JOIN resource sender ON sender.id = receiver.parent_id
    WHERE m.name IN ('messages', 'message_bytes')
    GROUP BY t.trial_id, f.message_id;

-- What the query planner should expect: thousands of trials with ten thousands of values each.
-- Without it a focus is searched by reading all values (https://www.sqlite.org/optoverview.html,
-- "Manual Control Of Query Plans Using SQLITE_STAT Tables"). ANALYZE by hand replaces it.
ANALYZE application; -- makes the table
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('tuple', 'tuple', '20000000 20000 1000 1 1'),
    ('time_interval', 'time_interval', '2000 2 1'),
    ('trial_rank', 'trial_rank', '64000 64 1'),
    ('trial_resource', 'trial_resource', '500000 500 1'),
    ('trial_resource', 'trial_resource_by_resource', '500000 500'),
    ('trial_property', 'trial_property', '10000 10 1'),
    ('property_instance', 'property_instance', '500000 500 50 1 1'),
    ('trial', 'sqlite_autoindex_trial_1', '1000 100 1'),
    ('experiment', 'sqlite_autoindex_experiment_1', '10 5 1'),
    ('application', 'sqlite_autoindex_application_1', '3 1'),
    ('metric', 'sqlite_autoindex_metric_1', '50 1'),
    ('property', 'sqlite_autoindex_property_1', '20 1'),
    ('resource', 'sqlite_autoindex_resource_1', '10000 1'),
    ('resource', 'resource_by_parent', '10000 10'),
    ('focus', 'sqlite_autoindex_focus_1', '100000 64 2 1 1 1 1'),
    ('focus', 'focus_by_code', '100000 100'),
    ('focus', 'focus_by_message', '2000 1'),
    ('focus', 'focus_by_other', '100 2');
ANALYZE sqlite_master;
