# SPDX-License-Identifier: BSD-3-Clause
# Predictions from traces of real programs under both MPIs: no call is left waiting, and bounds that
# hold whatever the machine did meanwhile.
load ../helper

# Sizes that run in milliseconds with few messages.
size_of() {
    case $1 in
    is) echo --size 12 --iterations 2 ;;
    irk) echo --size 600 --steps 1 --stages 2 --iterations 3 --reach 8 ;;
    masterworker) echo --tasks 20 --work 50 ;;
    mg) echo --size 8 --iterations 1 --sweeps 1 ;;
    spa) echo --requests 4 --busy1 53 --busy2 73 --dispatch 36 --think 10 ;;
    sweep) echo --size 8 --iterations 1 --block 4 ;;
    esac
}

# predict OPTIONS...: the object whatif, checked for what always holds.
predict() {
    "$PAGODA" replay --json "$@" trace | jq -e '.whatif | select(
        .forced_calls == 0 and .baseline_ns > 0 and .replayed_ns > 0 and
        .interpolated <= .message_times and .predicted_ns == ([.ranks[].finish_ns] | max) and
        .critical_path.length_ns == .predicted_ns)'
}

predicts() {
    local mpi=$1 program
    has_mpi "$mpi" || skip "no $mpi"
    for program in is irk masterworker mg spa sweep; do
        rm -rf trace
        # shellcheck disable=SC2046 # several words
        "$PAGODA" trace -o trace -- "mpirun.$mpi" -n 2 "$BUILD/programs/$mpi/$program" \
            $(size_of "$program") >trace.out 2>trace.err </dev/null || {
            cat trace.err
            return 1
        }
        echo "$program"
        # One core: no sooner than all work is done. A core each: no sooner than the longest.
        predict --nodes 1 | jq -e '.predicted_ns >= ([.ranks[].busy_ns] | add)'
        predict --nodes 2 | jq -e '.predicted_ns >= ([.ranks[].busy_ns] | max) and
            ([.ranks[].shared_ns] | max) == 0'
        predict --nodes 1 --wait spin --hand-over 10us >/dev/null
        # An ideal network is never slower, and the busiest rank's work fits in.
        "$PAGODA" replay --json --ideal trace | jq -e '
            .window.ideal_ns <= .window.end_ns - .window.begin_ns
            and .efficiency.serialization <= 1 and .efficiency.transfer <= 1
            and (.efficiency | .serialization * .transfer - .communication | fabs) < 1e-9'
        # Without any wait nobody takes longer, whatever is left out of a call.
        predict --drop-sync 'MPI_*' --cut-messages 'size>=0' >/dev/null
        predict --drop-sync main >/dev/null
        predict --balance '(program)' --nodes 2 | jq -e '(.assumptions | length) == 1'
        cat >machine.xml <<END
<machine><message scope="node" eager="1000"><point bytes="0" time="1us"/></message>
<collective op="allreduce" time="1e-6*log2(p)+1e-9*b"/></machine>
END
        predict --nodes 1 --cores 2 --machine machine.xml >/dev/null
    done
}

@test "Open MPI" { predicts openmpi; }

@test "MPICH" { predicts mpich; }

# timeless MPI: the work counts of a program's markers, whatever its times were.
timeless() {
    has_mpi "$1" || skip "no $1"
    "$PAGODA" trace -o trace -- "mpirun.$1" -n 2 "$BUILD/programs/$1/sweep" --size 8 --iterations 1 \
        --block 4 >trace.out 2>&1 </dev/null
    cat >machine.xml <<END
<machine><message scope="node"><point bytes="0" time="0s"/></message>
<compute region="cell_angles" time="w*10e-9"/></machine>
END
    # 8 octants of 8^3 cells with 6 angles each, in 2 blocks on each of 2 ranks.
    "$PAGODA" replay --json --timeless --machine machine.xml --nodes 1 --cores 1 trace | jq -e '.whatif |
        .timeless.rules == [{region: "cell_angles", visits: 32, work: 24576, time_ns: 245760}]
        and .predicted_ns == 245760 and .forced_calls == 0'
}

@test "Open MPI: replay without times" { timeless openmpi; }

@test "MPICH: replay without times" { timeless mpich; }

# polls MPI: rank 0 sends after 3 polls of rank 1 have found nothing, and some work. Without the latter, and
# the wait for the former, the message comes earlier, so nothing ends later; and where each rank has a core
# the run ends earlier than it did, for polls that found nothing take no time of their own any more. How much
# depends on the code between them, which stays.
polls() {
    local mpi=$1 line=("mpirun.$1") how
    has_mpi "$mpi" || skip "no $mpi"
    [ "$mpi" != openmpi ] || line+=(--oversubscribe)
    for how in iprobe test; do
        rm -rf trace
        head -c 4 /dev/zero >polls
        "$PAGODA" trace -o trace -- "${line[@]}" -n 2 "$BUILD/programs/$mpi-regions/trace_poll" $how polls \
            >trace.out 2>trace.err </dev/null || { cat trace.err; return 1; }
        grep -qx 'poll ok' trace.out
        predict --scale prepare=0 >predicted
        cat predicted
        jq -e '.predicted_ns <= .replayed_ns' predicted
        [ "$(nproc)" = 1 ] || jq -e '.predicted_ns < .baseline_ns' predicted
        predict --scale prepare=1 | jq -e '.predicted_ns == .replayed_ns'
    done
}

@test "Open MPI: a polling loop ends earlier when its message comes earlier" { polls openmpi; }

@test "MPICH: a polling loop ends earlier when its message comes earlier" { polls mpich; }
