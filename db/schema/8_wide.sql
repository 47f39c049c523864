-- SPDX-License-Identifier: BSD-3-Clause
-- Tables for other programs: names and units stand in the columns, all that a row is about in the
-- row. Casts tell DuckDB the types of columns that are expressions.
CREATE VIEW profile_by_call_path_and_rank AS
    SELECT t.trial_id, a.name AS application, e.name AS experiment, trial.name AS trial,
        CAST(process.name AS INTEGER) AS rank, node.name AS node, call_path.path AS call_path,
        code.name AS region, file.name AS file,
        CAST(sum(CASE m.name WHEN 'visits' THEN t.value END) AS INTEGER) AS visits,
        CAST(sum(CASE m.name WHEN 'inclusive_ns' THEN t.value END) AS INTEGER) AS inclusive_ns,
        CAST(sum(CASE m.name WHEN 'exclusive_ns' THEN t.value END) AS INTEGER) AS exclusive_ns,
        CAST(coalesce(sum(CASE WHEN s.is_top THEN t.value END), 0) AS INTEGER) AS wait_ns
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        LEFT JOIN property p ON m.name = p.name || '.wait_ns'
        LEFT JOIN trial_property s ON s.trial_id = t.trial_id AND s.property_id = p.id
        JOIN focus f ON f.id = t.focus_id
        JOIN resource call_path ON call_path.id = f.call_path_id
        JOIN resource process ON process.id = f.process_id
        JOIN resource code ON code.id = f.code_id
        JOIN resource file ON file.id = code.parent_id
        JOIN trial ON trial.id = t.trial_id
        JOIN experiment e ON e.id = trial.experiment_id
        JOIN application a ON a.id = e.application_id
        LEFT JOIN trial_rank r ON r.trial_id = t.trial_id AND r.process_id = f.process_id
        LEFT JOIN resource node ON node.id = r.machine_id AND r.machine_id <> 3
    WHERE t.interval = 0 AND f.call_path_id <> 2 AND f.process_id <> 4
        AND (m.name IN ('visits', 'inclusive_ns', 'exclusive_ns') OR s.is_top)
    GROUP BY t.trial_id, f.call_path_id, f.code_id, f.process_id;
CREATE VIEW summaries AS -- sums over the ranks, efficiencies of the whole program
    WITH figures AS (SELECT o.id AS trial_id,
            sum(CASE m.name WHEN 'useful_ns' THEN t.value END) AS useful_ns,
            sum(CASE m.name WHEN 'mpi_ns' THEN t.value END) AS mpi_ns,
            sum(CASE m.name WHEN 'wait_ns' THEN t.value END) AS wait_ns,
            sum(CASE m.name WHEN 'load_balance' THEN t.value END) AS load_balance,
            sum(CASE m.name WHEN 'communication_efficiency' THEN t.value END)
                AS communication_efficiency,
            sum(CASE m.name WHEN 'serialization_efficiency' THEN t.value END)
                AS serialization_efficiency,
            sum(CASE m.name WHEN 'transfer_efficiency' THEN t.value END) AS transfer_efficiency,
            sum(CASE m.name WHEN 'cpu_efficiency' THEN t.value END) AS cpu_efficiency
        FROM trial o JOIN tuple t ON t.trial_id = o.id JOIN metric m ON m.id = t.metric_id
            JOIN focus f ON f.id = t.focus_id
        WHERE t.interval = 1 AND (f.id = 0 OR m.name IN ('useful_ns', 'mpi_ns', 'wait_ns'))
        GROUP BY o.id)
    SELECT t.trial_id, t.application, t.experiment, t.trial, t.origin, t.started_at, t.n_ranks,
        t.n_nodes, CAST((SELECT sum(n_cores) FROM trial_node n WHERE n.trial_id = t.trial_id)
            AS INTEGER) AS n_cores,
        CAST(coalesce((SELECT json_group_object(name, -- a number where the text is one
                CASE WHEN value = CAST(value AS NUMERIC) THEN CAST(value AS NUMERIC) ELSE value END)
            FROM trial_attribute WHERE trial_id = t.trial_id AND kind = 'parameter'), '{}')
            AS TEXT) AS parameters,
        p.change, p.measured_id, t.time_ns, CAST(t.judged_ns AS INTEGER) AS judged_ns,
        CAST(v.useful_ns AS INTEGER) AS useful_ns, CAST(v.mpi_ns AS INTEGER) AS mpi_ns,
        CAST(v.wait_ns AS INTEGER) AS wait_ns,
        CAST(t.parallel_efficiency AS REAL) AS parallel_efficiency,
        CAST(v.load_balance AS REAL) AS load_balance,
        CAST(v.communication_efficiency AS REAL) AS communication_efficiency,
        CAST(v.serialization_efficiency AS REAL) AS serialization_efficiency,
        CAST(v.transfer_efficiency AS REAL) AS transfer_efficiency,
        CAST(v.cpu_efficiency AS REAL) AS cpu_efficiency, o.n_messages, o.n_collectives,
        o.headline AS largest_loss
    FROM trials t JOIN trial o ON o.id = t.trial_id LEFT JOIN figures v ON v.trial_id = t.trial_id
        LEFT JOIN prediction p ON p.trial_id = t.trial_id;
