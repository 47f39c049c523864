// SPDX-License-Identifier: BSD-3-Clause
// The policies that what-if options name (simulation/dealt/policy.h), with what other options say
// instead of their files.
#ifndef PAGODA_WHATIF_POLICIES_H
#define PAGODA_WHATIF_POLICIES_H

#include "analyzer/base/error.h"
#include "analyzer/simulation/dealt/policy.h"
#include "analyzer/whatif/set.h"

/// The policy of SET's --rebalance; of a transfer that nobody says, PAG_NOT_KNOWN is left. Or that
/// of --dealing, by which tasks are handed out as recorded if none is given. 0, or -1 and ERR. The
/// caller releases POLICY in either case.
int whatif_policy_rebalance(struct policy *policy, const struct whatif_set *set, struct error *err);
int whatif_policy_dealing(struct policy *policy, const struct whatif_set *set, struct error *err);

/// 0 when the files of SET's policies are all right.
int whatif_policies_check(const struct whatif_set *set, struct error *err);

#endif
