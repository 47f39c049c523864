-- SPDX-License-Identifier: BSD-3-Clause
DROP VIEW trials;
CREATE VIEW trials AS
    SELECT t.id AS trial_id, a.name AS application, e.name AS experiment, t.name AS trial,
        t.origin, t.started_at, t.stored_at, t.n_ranks, t.n_nodes, t.time_ns,
        (SELECT value FROM tuple JOIN metric m ON m.id = metric_id
            WHERE trial_id = t.id AND m.name = 'parallel_efficiency' AND focus_id = 0
            AND interval = 1) AS parallel_efficiency,
        t.trace_path,
        coalesce((SELECT nullif(end_ns - begin_ns, 0) FROM time_interval
            WHERE trial_id = t.id AND number = 1), t.time_ns) AS judged_ns
    FROM trial t JOIN experiment e ON e.id = t.experiment_id
        JOIN application a ON a.id = e.application_id;
CREATE VIEW speedups AS -- of measured runs, as pagoda scaling has them
    WITH point AS (SELECT application, experiment, n_ranks, count(*) AS n_trials,
            avg(judged_ns) AS judged_ns
        FROM trials WHERE origin = 'measured' GROUP BY application, experiment, n_ranks)
    SELECT p.application, p.experiment, p.n_ranks, p.n_trials, p.judged_ns,
        first.judged_ns / p.judged_ns AS speedup,
        first.judged_ns * first.n_ranks / (p.judged_ns * p.n_ranks) AS efficiency
    FROM point p JOIN point first ON first.application = p.application
        AND first.experiment = p.experiment AND first.n_ranks = (SELECT min(n_ranks)
            FROM point q WHERE q.application = p.application
                AND q.experiment = p.experiment);
CREATE VIEW profile_by_region_and_rank AS
    SELECT t.trial_id, code.name AS region, file.name AS file,
        CAST(process.name AS INTEGER) AS rank,
        sum(CASE m.name WHEN 'visits' THEN value END) AS visits,
        sum(CASE m.name WHEN 'exclusive_ns' THEN value END) AS exclusive_ns
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN focus f ON f.id = t.focus_id JOIN resource code ON code.id = f.code_id
        JOIN resource file ON file.id = code.parent_id
        JOIN resource process ON process.id = f.process_id
    WHERE m.name IN ('visits', 'exclusive_ns') AND f.process_id <> 4
    GROUP BY t.trial_id, f.code_id, f.process_id;
CREATE VIEW wait_states_by_rank AS
    SELECT i.trial_id, p.name AS property, p.title, CAST(process.name AS INTEGER) AS rank,
        i.count, i.wait_ns, i.severity, i.confidence, t.is_top
    FROM property_instance i JOIN property p ON p.id = i.property_id
        JOIN trial_property t ON t.trial_id = i.trial_id AND t.property_id = i.property_id
        JOIN focus f ON f.id = i.focus_id
        JOIN resource process ON process.id = f.process_id
    WHERE i.interval = 0 AND f.process_id <> 4 AND f.call_path_id = 2;
DROP VIEW property_instances;
CREATE VIEW property_instances AS -- one cut through the run, so that they may be added
    SELECT i.trial_id, p.name AS property, f.focus, f.code, f.call_path, f.process,
        n.name AS interval, i.severity, i.confidence, i.count, i.wait_ns, t.is_top
    FROM property_instance i JOIN property p ON p.id = i.property_id
        JOIN trial_property t ON t.trial_id = i.trial_id AND t.property_id = i.property_id
        JOIN focus c ON c.id = i.focus_id AND c.call_path_id <> 2 AND c.process_id = 4
        JOIN foci f ON f.focus_id = i.focus_id
        JOIN time_interval n ON n.trial_id = i.trial_id AND n.number = i.interval
    WHERE i.interval = 0;
