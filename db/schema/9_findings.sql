-- SPDX-License-Identifier: BSD-3-Clause
CREATE TABLE trial_finding ( -- what the run's lost time comes from, without overlap
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    number INTEGER NOT NULL, -- from 0 on, the most promising first
    kind TEXT NOT NULL, -- a file in patterns/findings
    name TEXT NOT NULL,
    place TEXT NOT NULL, -- '' without
    text TEXT NOT NULL,
    hint TEXT NOT NULL,
    loss_ns INTEGER NOT NULL, -- of all ranks in the judged part
    share REAL NOT NULL, -- of their time
    ranks TEXT NOT NULL, -- that cause it: '0-3,8'; '' none
    waiting TEXT NOT NULL, -- the call path where most of the waits for it are, '' without
    waiting_ranks TEXT NOT NULL, -- that wait there
    confidence REAL NOT NULL, -- how sure these waits are, 0 to 1
    PRIMARY KEY (trial_id, number)
) WITHOUT ROWID;
CREATE TABLE trial_remedy ( -- of a finding, the best first
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    finding INTEGER NOT NULL,
    number INTEGER NOT NULL,
    option TEXT NOT NULL, -- of pagoda replay, without its hyphens
    value TEXT, -- of the option, NULL: it takes none
    text TEXT NOT NULL,
    predicted_ns INTEGER, -- NULL: not predicted
    gain_ns INTEGER,
    PRIMARY KEY (trial_id, finding, number)
) WITHOUT ROWID;
CREATE VIEW findings AS
    SELECT f.trial_id, t.application, t.experiment, t.trial, f.number, f.kind, f.name, f.place,
        f.loss_ns, f.share, f.ranks, f.waiting, f.waiting_ranks, f.confidence, f.text, f.hint,
        '--' || r.option || coalesce(' ' || r.value, '') AS remedy, r.predicted_ns, r.gain_ns
    FROM trial_finding f JOIN trials t USING (trial_id)
        LEFT JOIN trial_remedy r ON r.trial_id = f.trial_id AND r.finding = f.number
            AND r.number = 0;
