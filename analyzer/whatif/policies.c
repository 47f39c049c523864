// SPDX-License-Identifier: BSD-3-Clause
// Reading policies (policies.h).
#include "analyzer/whatif/policies.h"

int whatif_policy_rebalance(struct policy *policy, const struct whatif_set *set, struct error *err)
{
    if (policy_read(policy, set->rebalance, err) != 0)
        return -1;
    if (policy->deals_tasks)
        return error_set(err,
                         "--rebalance %s: a policy for the tasks of a farm (--dealing), it "
                         "has no rules",
                         set->rebalance);
    struct balancing_policy *balancing = &policy->balancing;
    for (size_t i = 0; i < balancing->n_rules; i++) {
        struct balancing_rule *rule = &balancing->rules[i];
        if (set->threshold != PAG_NOT_KNOWN)
            rule->lead = set->threshold;
        if (set->transfer_ns != PAG_NOT_KNOWN)
            rule->transfer_ns = set->transfer_ns;
    }
    if (set->transfer_ns != PAG_NOT_KNOWN)
        balancing->transfer_ns = set->transfer_ns;
    if (set->poll_ns != PAG_NOT_KNOWN)
        balancing->poll_ns = set->poll_ns;
    if (set->n_free_hosts != UINT32_MAX)
        balancing->n_free_hosts = set->n_free_hosts;
    return 0;
}

int whatif_policy_dealing(struct policy *policy, const struct whatif_set *set, struct error *err)
{
    *policy = (struct policy){.dealing = dealing_recorded};
    if (!set->dealing)
        return 0;
    if (policy_read(policy, set->dealing, err) != 0)
        return -1;
    if (!policy->deals_tasks)
        return error_set(err, "--dealing %s: a policy of rules for --rebalance, it has no <tasks>",
                         set->dealing);
    return 0;
}

int whatif_policies_check(const struct whatif_set *set, struct error *err)
{
    struct policy policy = {0};
    int status = set->rebalance ? whatif_policy_rebalance(&policy, set, err) : 0;
    policy_release(&policy);
    if (status != 0)
        return status;
    status = whatif_policy_dealing(&policy, set, err);
    policy_release(&policy);
    return status;
}
