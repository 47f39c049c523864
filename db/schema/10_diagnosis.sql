-- SPDX-License-Identifier: BSD-3-Clause
CREATE TABLE property_search ( -- along a hierarchy of properties, of trials that have one
    trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
    hierarchy TEXT NOT NULL,
    prunes INTEGER NOT NULL, -- 0: all was evaluated
    n_evaluated INTEGER NOT NULL,
    n_saved INTEGER NOT NULL -- by pruning
);
CREATE TABLE critical_property ( -- what it found
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    number INTEGER NOT NULL, -- from 0 on, the most severe first
    property TEXT NOT NULL, -- of patterns/properties
    focus_id INTEGER NOT NULL REFERENCES focus,
    iteration INTEGER, -- of the outermost loop, NULL: all
    severity REAL, -- 0 to 1; NULL: it could not be evaluated
    confidence REAL, -- likewise
    PRIMARY KEY (trial_id, number)
) WITHOUT ROWID;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('property_search', NULL, '1000'),
    ('critical_property', 'critical_property', '50000 50 1');
CREATE VIEW critical_properties AS
    SELECT c.trial_id, t.application, t.experiment, t.trial, t.n_ranks, s.hierarchy, c.number,
        c.property, c.severity, c.confidence, CASE f.code_id WHEN 1 THEN '' ELSE code.name END
            AS region,
        CASE f.call_path_id WHEN 2 THEN '' ELSE call_path.path END AS call_path,
        CASE f.process_id WHEN 4 THEN NULL ELSE CAST(process.name AS INTEGER) END AS rank,
        CASE f.machine_id WHEN 3 THEN '' ELSE machine.name END AS node, c.iteration
    FROM critical_property c JOIN property_search s USING (trial_id)
        JOIN trials t USING (trial_id) JOIN focus f ON f.id = c.focus_id
        JOIN resource code ON code.id = f.code_id
        JOIN resource call_path ON call_path.id = f.call_path_id
        JOIN resource process ON process.id = f.process_id
        JOIN resource machine ON machine.id = f.machine_id;
CREATE TABLE trial_server ( -- a rank that serves messages of others; means and standard deviations
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    n_clients INTEGER NOT NULL,
    n_requests INTEGER NOT NULL,
    arrival_ns REAL, -- from one request being sent to the next; NULL: too few
    arrival_deviation_ns REAL,
    service_ns REAL NOT NULL,
    service_deviation_ns REAL,
    response_ns REAL, -- from sending a request to receiving the answer; NULL: there are none
    response_deviation_ns REAL,
    busy REAL NOT NULL, -- share of the time from the first request to the last
    think_ns REAL, -- of a client, from an answer to its next request
    saturating_clients REAL, -- so many keep it busy all the time
    PRIMARY KEY (trial_id, rank)
) WITHOUT ROWID;
CREATE VIEW servers AS
    SELECT s.trial_id, t.application, t.experiment, t.trial, t.n_ranks, s.rank, s.n_clients,
        s.n_requests, s.arrival_ns, s.arrival_deviation_ns / s.arrival_ns AS arrival_variation,
        s.service_ns, s.service_deviation_ns / s.service_ns AS service_variation,
        s.response_ns, s.response_deviation_ns / s.response_ns AS response_variation, s.busy,
        s.think_ns, s.saturating_clients
    FROM trial_server s JOIN trials t USING (trial_id);
