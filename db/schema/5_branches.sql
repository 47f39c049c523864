-- SPDX-License-Identifier: BSD-3-Clause
DROP VIEW environments;
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
            AS git_is_modified,
        max(CASE a.name WHEN 'PAGODA::BRANCH' THEN nullif(a.value, '') END) AS git_branch,
        max(CASE a.name WHEN 'PAGODA::TAG' THEN nullif(a.value, '') END) AS git_tag
    FROM trial t LEFT JOIN trial_attribute a ON a.trial_id = t.id
    GROUP BY t.id;
