-- SPDX-License-Identifier: BSD-3-Clause
CREATE TABLE point_not_run ( -- a point of a sweep that has no trial
    experiment_id INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
    name TEXT NOT NULL, -- as its trial would be called
    state TEXT NOT NULL CHECK (state IN ('skipped', 'failed', 'too long')),
    reason TEXT NOT NULL,
    noted_at TEXT NOT NULL,
    PRIMARY KEY (experiment_id, name)
) WITHOUT ROWID;
CREATE TABLE point_parameter (
    experiment_id INTEGER NOT NULL,
    point TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (experiment_id, point, name),
    FOREIGN KEY (experiment_id, point)
        REFERENCES point_not_run (experiment_id, name) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE VIEW points_not_run AS
    SELECT a.name AS application, e.name AS experiment, p.name AS point, p.state, p.reason,
        (SELECT group_concat(q.name || '=' || q.value, ' ') FROM point_parameter q
            WHERE q.experiment_id = p.experiment_id AND q.point = p.name) AS parameters,
        p.noted_at
    FROM point_not_run p JOIN experiment e ON e.id = p.experiment_id
        JOIN application a ON a.id = e.application_id;
