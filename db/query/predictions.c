// SPDX-License-Identifier: BSD-3-Clause
#include "db/query/predictions.h"

struct measured_prediction *predictions_measured(struct database *database, const char *application,
                                                 const char *experiment, size_t *n,
                                                 struct error *err)
{
    // The parameter "advice" only numbers the proposals of `pagoda advise`.
    static const char sql[] =
        "WITH own AS (SELECT trial_id AS id, name, value FROM trial_attribute\n"
        "        WHERE kind = 'parameter' AND name <> 'advice'),\n"
        "all_of AS (SELECT id, name, value FROM own\n"
        "    UNION ALL SELECT p.trial_id, base.name, base.value FROM prediction p\n"
        "        JOIN own base ON base.id = p.measured_id WHERE NOT EXISTS\n"
        "        (SELECT 1 FROM own WHERE own.id = p.trial_id AND own.name = base.name)),\n"
        "keyed AS (SELECT t.*, coalesce((SELECT group_concat(quote(name) || '=' ||\n"
        "        quote(value)) FROM (SELECT name, value FROM all_of\n"
        "        WHERE all_of.id = t.trial_id ORDER BY name)), '') AS parameters\n"
        "    FROM trials t WHERE (?1 IS NULL OR application = ?1)\n"
        "        AND (?2 IS NULL OR experiment = ?2))\n"
        "SELECT k.trial_id, k.application || '/' || k.experiment || '/' || k.trial, p.change,\n"
        "    k.application || '/' || k.experiment || '/' || k.n_ranks || '/' || p.change || '/' "
        "||\n"
        "        k.parameters,\n"
        "    (SELECT group_concat(r.name, char(10)) FROM trial_node t\n"
        "        JOIN resource r ON r.id = t.machine_id WHERE t.trial_id = p.measured_id),\n"
        "    p.replay_error, k.judged_ns, CAST(m.judged_ns AS REAL)\n"
        "FROM keyed k LEFT JOIN prediction p USING (trial_id)\n"
        "    LEFT JOIN keyed base ON base.trial_id = p.measured_id\n"
        "    LEFT JOIN keyed m ON m.origin = 'measured' AND m.application = k.application\n"
        "        AND m.experiment = k.experiment AND m.n_ranks = k.n_ranks\n"
        "        AND m.parameters = k.parameters AND base.parameters IS NOT k.parameters\n"
        "WHERE k.origin = 'predicted' ORDER BY k.trial_id, m.trial_id";
    return database_rows(database, err, n, sql, "ss>" MEASURED_PREDICTION_LETTERS, application,
                         experiment);
}

struct experiment_name *experiments_measured(struct database *database, const char *application,
                                             const char *experiment, size_t *n, struct error *err)
{
    return database_rows(database, err, n,
                         "SELECT DISTINCT application, experiment FROM trials WHERE origin = "
                         "'measured' AND (?1 IS NULL OR application = ?1) AND (?2 IS NULL OR "
                         "experiment = ?2) ORDER BY 1, 2",
                         "ss>" EXPERIMENT_NAME_LETTERS, application, experiment);
}
