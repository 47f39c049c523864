# SPDX-License-Identifier: BSD-3-Clause
# The command itself: help, version, unknown commands, the manual's lists of options.
load ../helper

# commands: the names in the list of `pagoda --help`.
commands() {
    "$PAGODA" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# options_given_once COMMAND...: its long options that take a value and may not be repeated, one a line.
options_given_once() {
    "$PAGODA" "$@" --help all | awk '/^  (-., |    )--/ { if (entry != "") print entry; entry = "" }
        /^[a-z][^ ]*( [^.]*)?:$/ { inside = 1; next }
        /^$/ { inside = 0 }
        inside { entry = entry " " $0 }
        END { print entry }' |
        grep -v 'may *be *repeated' | sed -n 's/^ *\(-., \)\? *--\([a-z-]*\) [^ ].*/\2/p'
}

@test "help of an action of a command, in any order of the words" {
    "$PAGODA" store import --help >expected
    grep -q '^usage: pagoda store import ' expected
    "$PAGODA" store --help import | diff expected -
    "$PAGODA" help store import | diff expected -
    says -2 'no action `imp`' "$PAGODA" store --help imp
}

@test "an option that has one value is refused a second time, by every command" {
    local command option n=0
    cd "$BATS_TEST_TMPDIR"
    {
        commands
        "$PAGODA" store --help | sed -n '/^actions:/,/^$/s/^  \([a-z]*\) .*/store \1/p'
    } >all
    grep -qx 'store add' all
    while read -ra command; do
        for option in $(options_given_once "${command[@]}"); do
            run -2 "$PAGODA" "${command[@]}" "--$option" 1 "--$option" 1
            [[ $output == "pagoda: --$option 1: given already, as 1"* ]] ||
                { echo "${command[*]} --$option: $output"; return 1; }
            n=$((n + 1))
        done
    done <all
    [ "$n" -gt 80 ]
}

@test "a command without what it works on is refused" {
    local command output_option n=0
    while read -ra command; do
        # One that needs -o FILE is given it; it is not read.
        output_option=()
        "$PAGODA" "${command[@]}" --help | sed -n 1p | grep -q ' -o [A-Z]*$' && output_option=(-o out)
        run -2 "$PAGODA" "${command[@]}" "${output_option[@]}"
        [[ $output == "pagoda: "*"\`pagoda ${command[*]}"* ]] || { echo "${command[*]}: $output"; return 1; }
        n=$((n + 1))
    done < <(commands | grep -Evx "explain|store"
        "$PAGODA" store --help | sed -n '/^actions:/,/^$/s/^  \([a-z]*\) .*/store \1/p')
    [ "$n" -gt 20 ]
    [ ! -e out ]
}

@test "help names each command with a summary" {
    says -0 "  replay     " "$PAGODA" --help
    run -0 "$PAGODA" -h
    run -0 "$PAGODA" help
}

@test "without a command: the help on stderr, exit status 2" {
    run -2 bash -c '"$PAGODA" 2>/dev/null'
    [ -z "$output" ]
    run "$PAGODA"
    [[ $output == "usage: pagoda COMMAND"* ]]
}

@test "help shows the options of a subject, or names them on the first screen" {
    "$PAGODA" replay --help >first
    "$PAGODA" replay --help what-if >subject
    "$PAGODA" replay --help all >both
    [ "$(wc -l <first)" -lt 60 ]
    grep -q '^what-if options (explained by `pagoda replay --help what-if`):$' first
    [[ $(tr -s ' \n' ' ' <first) == *' changes of the code --scale '*'--duration --balance '* ]]
    run ! grep -q '^      --scale REGION=F ' first
    run ! grep -q '^      --depth N ' subject
    [ "$(grep -c '^what-if, .*:$' subject)" = 5 ]
    cat subject first | grep '^      --' | sort >rows
    diff rows <(grep "^      --" both | sort)
    "$PAGODA" help replay what-if | diff subject -
    # Options and operands after --help are what the user was writing.
    "$PAGODA" replay --help --json | diff first -
    "$PAGODA" diff --help runs.db | diff <("$PAGODA" diff --help) -
}

@test "a help topic that there is not: one sentence, exit status 2" {
    run -2 --separate-stderr "$PAGODA" replay --help nosuch
    [ -z "$output" ]
    [ "$stderr" = 'pagoda: `pagoda replay` has no help topic `nosuch`; there are: what-if, all (`pagoda replay --help` tells more)' ]
    run -2 --separate-stderr "$PAGODA" replay --help whatif
    [[ $stderr == *'has no help topic `whatif`; did you mean `what-if`? ('* ]]
    run -2 --separate-stderr "$PAGODA" help export al
    [[ $stderr == *'`pagoda export` has no help topic `al`; did you mean `all`? ('* ]]
}

@test "help COMMAND is COMMAND --help" {
    for command in $(commands); do
        [ "$("$PAGODA" help "$command")" = "$("$PAGODA" "$command" --help)" ]
    done
    run -2 "$PAGODA" help replya
}

@test "version" {
    run -0 "$PAGODA" --version
    [[ $output =~ ^pagoda\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "an unknown command is answered by the nearest one" {
    run -2 "$PAGODA" replya
    [ "$output" = 'pagoda: there is no command `replya`; did you mean `replay`?' ]
    run -2 "$PAGODA" frobnicate
    [ "${#lines[@]}" = 1 ]
    run -2 "$PAGODA" --jsn replay
    [ "${#lines[@]}" = 1 ]
}

@test "an option by another word is answered by the one that is meant" {
    # answers COMMAND OPTION SENTENCE
    answers() {
        run -2 "$PAGODA" "$1" "$2" x
        [ "$output" = "pagoda: $3 (\`pagoda $1 --help\` tells more)" ]
    }
    answers sweep --database 'there is no option --database; did you mean --store?'
    answers replay --database 'there is no option --database; did you mean --store?'
    answers replay --db 'there is no option --db; did you mean --store?'
    answers replay --outptu 'there is no option --outptu; did you mean --output?'
    answers replay --workrs 'there is no option --workrs; did you mean --workers?'
    answers replay --frobnicate 'there is no option --frobnicate'
    answers replay --p '--p can mean --patterns, --paths, --properties, --parameter or --place'
    run -2 "$PAGODA" --verson
    [ "$output" = 'pagoda: there is no option --verson; did you mean --version?' ]
}

@test "a closed stdout fails when there is output, and does no harm" {
    run -1 bash -c '"$PAGODA" --version 2>&1 >&-'
    [ "$output" = 'pagoda: cannot write the output: Bad file descriptor' ]
    run -2 bash -c '"$PAGODA" replya 2>&1 >&-'
    [ "${#lines[@]}" = 1 ]
}

@test "each command has its manual page, named in pagoda(1)" {
    for command in $(commands); do
        [ -f "$ROOT/man/pagoda-$command.1" ]
        grep -q "Xr pagoda-$command 1" "$ROOT/man/pagoda.1"
    done
}

@test "the manual names no option of a command that it does not have" {
    local command
    for command in $(commands); do
        [ "$command" != store ] || continue
        sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/.*\(Fl -[a-z-]*\).*/\1/p' "$ROOT/man/pagoda-$command.1" |
            sed 's/^Fl -//' | sort -u >named
        "$PAGODA" "$command" --help all | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' | sort >there
        [ -z "$(comm -23 named there | tee /dev/stderr)" ]
    done
}

@test "the help of each command fits a terminal of 80 columns" {
    local command action
    for command in $(commands); do
        run awk 'length($0) > 80' <("$PAGODA" "$command" --help; "$PAGODA" "$command" --help all)
        [ -z "$output" ]
    done
    for action in add list show remove export import vacuum; do
        run awk 'length($0) > 80' <("$PAGODA" store "$action" --help)
        [ -z "$output" ]
    done
}

@test "cross references of the manual name pages that exist, and pagoda(1) names each" {
    local page name section
    cat "$ROOT"/man/*.[157] | sed 's/\\-/-/g; s/\.BR pagoda\([a-z-]*\) (\([157]\))/.Xr pagoda\1 \2/' |
        sed -n 's/^\.[A-Za-z ]*Xr \(pagoda[a-z-]*\) \([157]\).*/\1.\2/p' | sort -u >"$BATS_TEST_TMPDIR/references"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/references")" -gt 15 ]
    while read -r page; do
        [ -f "$ROOT/man/$page" ] || {
            echo "there is no $page"
            return 1
        }
    done <"$BATS_TEST_TMPDIR/references"
    for page in "$ROOT"/man/pagoda-*; do
        name=${page##*/}
        section=${name##*.}
        sed -n '/^\.Sh SEE ALSO/,$p' "$ROOT/man/pagoda.1" | grep -q "^\.Xr ${name%.*} $section" || {
            echo "pagoda(1) does not name $name"
            return 1
        }
    done
}
