-- SPDX-License-Identifier: BSD-3-Clause
CREATE TABLE prediction ( -- what a trial of that origin was predicted from
    trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
    measured_id INTEGER REFERENCES trial ON DELETE SET NULL, -- NULL: removed since
    change TEXT NOT NULL, -- the what-if options
    replay_error REAL NOT NULL -- of the prediction with nothing changed, a share
);
CREATE INDEX prediction_by_measured ON prediction (measured_id);
CREATE VIEW predictions AS
    SELECT p.trial_id, t.name AS trial, p.measured_id, m.name AS measured_trial, p.change,
        p.replay_error, m.time_ns AS measured_ns, t.time_ns AS predicted_ns,
        CAST(t.time_ns AS REAL) / m.time_ns - 1 AS relative_change
    FROM prediction p JOIN trial t ON t.id = p.trial_id
        LEFT JOIN trial m ON m.id = p.measured_id;
