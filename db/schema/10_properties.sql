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
