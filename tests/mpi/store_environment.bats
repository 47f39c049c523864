# SPDX-License-Identifier: BSD-3-Clause
# What the database knows about a real run: hosts, cores, MPI, compiler, command line, variables, git
# revision, date.
# shellcheck disable=SC2154 # `launch` sets `line`
load trace

# answer COLUMN VIEW: of trial 1.
answer() {
    "$PAGODA" query "$mpi.db" --sql "SELECT $1 FROM $2 WHERE trial_id = 1" --csv | tail -n +2
}

environment_of() {
    local mpi=$1 revision
    export CHOSEN_VARIABLE='some "text", here'
    git init -q -b "feature/$mpi" "code-$mpi"
    cp "$BUILD/programs/$mpi/ep" "code-$mpi/program"
    git -C "code-$mpi" -c user.name=x -c user.email=x@x commit -q --allow-empty -m first
    git -C "code-$mpi" tag v1
    revision=$(git -C "code-$mpi" rev-parse HEAD)
    launch "$mpi" 2
    "$PAGODA" trace -o "run-$mpi" --env 'CHOSEN_*' --env NONE -- "${line[@]}" "code-$mpi/program" --size 12 \
        --iterations 2 >/dev/null
    "$PAGODA" store add "$mpi.db" "run-$mpi" --parameter size=12:problem --component solver=2.1
    [ "$(answer nodes environments)" = "$(uname -n)" ]
    [ "$(answer "n_ranks || ' ' || n_nodes" environments)" = "2 1" ]
    [ "$(answer "n_cores BETWEEN 1 AND $(nproc --all)" environments)" = 1 ]
    [[ $(answer command_line environments) == "mpirun.$mpi "*"code-$mpi/program --size 12"* ]]
    [ "$(answer directory environments)" = "$PWD" ]
    [ "$(answer mpi environments)" = "$mpi" ]
    [[ $(answer mpi_version environments) == *[0-9].[0-9]* ]]
    [[ $(answer compiler environments) == *"GNU C"* ]]
    [ "$(answer git_revision environments)" = "$revision" ]
    [ "$(answer "git_branch || ' ' || git_tag" environments)" = "feature/$mpi v1" ]
    [[ $(answer started_at environments) == "$(date -u +%Y-)"*Z ]]
    [ "$(answer "variable || '=' || value" environment_variables | tr -d '"' | grep CHOSEN)" = \
        'CHOSEN_VARIABLE=some text, here' ]
    [ "$(answer role parameters)" = problem ]
    # It is there after an export and import, too.
    "$PAGODA" store import "copy-$mpi.db" "$mpi.db"
    diff <("$PAGODA" query "$mpi.db" --sql 'SELECT * FROM environments') \
        <("$PAGODA" query "copy-$mpi.db" --sql 'SELECT * FROM environments')
    stored "copy-$mpi.db" | cmp - <(stored "$mpi.db")
}

@test "the environment of a run is kept" { for_each_mpi environment_of; }
