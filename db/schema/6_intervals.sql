-- SPDX-License-Identifier: BSD-3-Clause
CREATE TABLE run_interval ( -- which part of a run a trial of that origin is
    trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
    name TEXT NOT NULL, -- as it was asked for: 1s:2s, solve#3
    is_phase INTEGER NOT NULL, -- 1: each rank has a begin and end of its own, in trial_rank
    begin_ns INTEGER NOT NULL, -- in the run, of the first rank
    end_ns INTEGER NOT NULL -- of the last rank
);
CREATE VIEW intervals AS
    SELECT i.trial_id, t.name AS trial, i.name AS interval, i.is_phase, i.begin_ns, i.end_ns,
        t.time_ns, r.id AS run_id, r.name AS run,
        CAST(t.time_ns AS REAL) / r.time_ns AS share_of_run
    FROM run_interval i JOIN trial t ON t.id = i.trial_id LEFT JOIN trial r ON r.id =
        (SELECT max(w.id) FROM trial w WHERE w.experiment_id = t.experiment_id
            AND w.trace_path = t.trace_path AND w.origin IN ('measured', 'predicted')
            AND w.id NOT IN (SELECT trial_id FROM prediction));
