# SPDX-License-Identifier: BSD-3-Clause
# Settings of pagoda trace: where they come from, and what is refused before anything is run.
load ../helper

# refused TEXT ARGUMENTS...: exit status 2, one sentence, nothing run.
refused() {
    local text=$1
    shift
    run -2 "$PAGODA" trace "$@" -- touch was-run
    [ "${#lines[@]}" = 1 ]
    [[ $output == "pagoda: "*"$text"* ]] || { echo "got: $output"; return 1; }
    [ ! -e was-run ]
}

@test "option over environment over file over default" {
    printf 'min_duration = 1us # short\nmax_bytes = 8MiB\ncall-stack = 2\n' >conf
    export PAGODA_MIN_DURATION=2us PAGODA_CALL_STACK=3
    run -0 "$PAGODA" trace --show-settings -c conf --call-stack 4
    [[ $output == *'min_duration = 2us  # PAGODA_MIN_DURATION'* ]]
    [[ $output == *'max_bytes = 8MiB  # conf:2'* ]]
    [[ $output == *'call_stack = 4  # --call-stack'* ]]
    [[ $output == *'buffer_bytes = 1MiB  # default'* ]]
}

@test "wrong settings" {
    refused '--min-duration 5x: unknown unit' --min-duration 5x
    refused 'ends before it begins' --window 10s-5s
    refused 'must begin after' --window 1s-5s,4s-6s
    refused 'cannot be combined' --window 1s- --start-at x
    refused 'too small' --max-bytes 1MiB
    refused '64KiB to 1GiB' --buffer-bytes 1
    refused 'at most 64' --call-stack 65
    refused '`all` or `communication`' --mpi none
    refused 'cannot read the filter file none' --filter none
    refused 'cannot read the configuration file none' --config none
    refused '--env A,,B: a name of the list is empty' --env A,,B
    refused '--env A,: a name of the list is empty' --env A,
    refused '--env A, ,B: a name of the list is empty' --env 'A, ' --env B
    PAGODA_ENV=, refused 'PAGODA_ENV=,: a name of the list is empty'
    refused '--counters cylces: there is no counter `cylces`; did you mean `cycles`?' --counters cylces
    refused '--counters cycles,,branches: a name of the list is empty' --counters cycles,,branches
    refused 'at most 32 counters' --counters "$(printf 'PAPI_%d,' {1..33} | sed 's/,$//')"
    refused 'is not a window' --window 1s-2s,
    PAGODA_MIN_DURATON=1 refused 'did you mean PAGODA_MIN_DURATION?'
    printf '\nmin_duratoin = 1us\n' >conf
    refused 'conf:2: there is no setting `min_duratoin`; did you mean `min_duration`?' -c conf
    printf 'mpi = all\nmpi = all\n' >conf
    refused 'conf:2: `mpi` is set already in conf:1' -c conf
    printf 'nonsense\n' >conf
    refused 'conf:1: `nonsense` is not a line of the form NAME = VALUE' -c conf
}

@test "wrong filter files" {
    printf 'x\n' >f
    refused 'f:1: `x` stands outside' --filter f
    printf 'SCOREP_REGION_NAMES_BEGIN\n a\nSCOREP_REGION_NAMES_END\n' >f
    refused 'f:2: `a` stands before any EXCLUDE' --filter f
    printf 'SCOREP_REGION_NAMES_BEGIN\n EXCLUDE\nSCOREP_REGION_NAMES_END\n' >f
    refused 'f:2: EXCLUDE without a pattern' --filter f
    printf '\nSCOREP_REGION_NAMES_BEGIN\n EXCLUDE a[\n' >f
    refused 'opens a [' --filter f
    printf '\nSCOREP_REGION_NAMES_BEGIN\n EXCLUDE a\n' >f
    refused 'f:2: SCOREP_REGION_NAMES_BEGIN has no SCOREP_REGION_NAMES_END' --filter f
}

@test "a filter file is found beside the configuration that names it" {
    mkdir sub
    printf 'SCOREP_REGION_NAMES_BEGIN\nEXCLUDE a\nSCOREP_REGION_NAMES_END\n' >sub/f
    printf '# comment\nfilter = f # beside\nwindow = "-5s"# quoted\nstart_at =\nstop_at = # none\n' >sub/conf
    says 'filter = sub/f  # sub/conf:2' "$PAGODA" trace --show-settings -c sub/conf
    run -0 "$PAGODA" check sub/conf
    [ "${lines[0]}" = 'sub/conf: configuration of pagoda trace: 4 settings' ]
    run "$PAGODA" check --json sub/conf sub/f
    [ "$(jq -c '[.files[] | .kind, .entries]' <<<"$output")" = '["settings",4,"filter",1]' ]
    # An option's is relative to where the command is called.
    refused 'cannot read the filter file f' -c sub/conf --filter f
}

# What --show-settings prints is a configuration file of the same settings.
@test "shown settings read back the same" {
    export PAGODA_MIN_DURATION=3us PAGODA_START_AT='a # b' PAGODA_MAX_BYTES=4MiB PAGODA_ENV='A_*,B'
    "$PAGODA" trace --show-settings | tee shown
    unset PAGODA_MIN_DURATION PAGODA_START_AT PAGODA_MAX_BYTES PAGODA_ENV
    "$PAGODA" trace --show-settings -c shown | sed 's/ *#[^#]*$//' >again
    sed 's/ *#[^#]*$//' shown | diff - again
}

@test "more wrong filter files" {
    printf 'SCOREP_FILE_NAMES_BEGIN\n EXCLUDE MANGLED x\nSCOREP_FILE_NAMES_END\n' >f
    refused 'f:2: MANGLED is for region names' --filter f
    printf 'SCOREP_REGION_NAMES_BEGIN\n EXCLUDE a MANGLED x\nSCOREP_REGION_NAMES_END\n' >f
    refused 'f:2: MANGLED stands right after' --filter f
    printf 'SCOREP_REGION_NAMES_BEGIN\n EXCLUDE a\nBEGIN_EXCLUDE_LIST\n' >f
    refused 'f:3: BEGIN_EXCLUDE_LIST inside the block that line 1 began' --filter f
    printf 'END_EXCLUDE_LIST\n' >f
    refused 'f:1: END_EXCLUDE_LIST without BEGIN_EXCLUDE_LIST' --filter f
    printf 'BEGIN_INSTRUMENT_SECTION\n' >f
    refused 'f:1: instrument sections are not supported' --filter f
    printf 'BEGIN_EXCLUDE_LIST\n(int)\nEND_EXCLUDE_LIST\n' >f
    refused 'f:2: `' --filter f
    printf 'SCOREP_REGION_NAMES_BEGIN\n EXCLUDE a\0b\n' >f
    refused 'f:2: a zero byte' --filter f
}

@test "pagoda check verifies configuration and filter files" {
    printf 'SCOREP_REGION_NAMES_BEGIN\nEXCLUDE a b\nSCOREP_REGION_NAMES_END\n' >f
    printf 'filter = f\nmpi = no\n' >conf
    run -0 "$PAGODA" check f
    [ "${lines[0]}" = 'f: filter file: 2 rules' ]
    run -1 "$PAGODA" check conf
    [ "$output" = 'pagoda: conf:2: mpi = no: it is `all` or `communication`' ]
}
