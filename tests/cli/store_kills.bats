# SPDX-License-Identifier: BSD-3-Clause
# Eight processes that store and four that read, killed at random moments: no finished trial gets
# lost, none is there in part. `tests/store-kills --kills 200` kills more often.
load ../helper

@test "killed 20 times at random, the database has all that was finished, whole" {
    run -0 "$ROOT/tests/store-kills" --kills 20 --seed 1
    [[ $output == "20 kills ("*", all whole; "* ]]
}
