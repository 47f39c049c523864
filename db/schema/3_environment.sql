-- SPDX-License-Identifier: BSD-3-Clause
ALTER TABLE trial_attribute ADD COLUMN role TEXT; -- of a parameter: machine, problem, or NULL
ALTER TABLE prediction ADD COLUMN measured_as TEXT; -- where measured_id is NULL because that
-- trial was not imported (yet): its application/experiment/name
CREATE TABLE trial_node (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    machine_id INTEGER NOT NULL REFERENCES resource,
    n_cores INTEGER, -- that its ranks could use together, NULL when unknown
    n_ranks INTEGER NOT NULL,
    PRIMARY KEY (trial_id, machine_id)
) WITHOUT ROWID;
INSERT INTO trial_node SELECT trial_id, machine_id, NULL, count(*) FROM trial_rank
    WHERE machine_id <> 3 GROUP BY trial_id, machine_id;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('trial_node', 'trial_node', '4000 4 1');
CREATE VIEW nodes AS
    SELECT n.trial_id, r.name AS node, n.n_cores, n.n_ranks
    FROM trial_node n JOIN resource r ON r.id = n.machine_id;
CREATE VIEW parameters AS
    SELECT trial_id, name AS parameter, value, coalesce(role, 'free') AS role
    FROM trial_attribute WHERE kind = 'parameter';
CREATE VIEW environments AS
    SELECT t.id AS trial_id, t.started_at, t.n_ranks, t.n_nodes,
        (SELECT sum(n_cores) FROM trial_node n WHERE n.trial_id = t.id) AS n_cores,
        (SELECT group_concat(node, ' ') FROM (SELECT node FROM nodes n
            WHERE n.trial_id = t.id ORDER BY node)) AS nodes,
        max(CASE a.name WHEN 'PAGODA::COMMAND' THEN a.value END) AS command_line,
        max(CASE a.name WHEN 'PAGODA::DIRECTORY' THEN a.value END) AS directory,
        max(CASE a.name WHEN 'PAGODA::MPI' THEN a.value END) AS mpi,
        max(CASE a.name WHEN 'PAGODA::MPI_VERSION' THEN a.value END) AS mpi_version,
        max(CASE a.name WHEN 'PAGODA::COMPILER' THEN a.value END) AS compiler,
        max(CASE a.name WHEN 'PAGODA::REVISION' THEN a.value END) AS git_revision,
        max(CASE a.name WHEN 'PAGODA::REVISION_MODIFIED' THEN a.value END)
            AS git_is_modified
    FROM trial t LEFT JOIN trial_attribute a ON a.trial_id = t.id
    GROUP BY t.id;
CREATE VIEW environment_variables AS
    SELECT trial_id, substr(name, 14) AS variable, value FROM trial_attribute
    WHERE kind = 'environment' AND name GLOB 'PAGODA::ENV::*';
