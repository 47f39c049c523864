# SPDX-License-Identifier: BSD-3-Clause
# Completions of the shells: what the command answers, and that each shell asks for it.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$(dirname "$PAGODA"):$PATH
    mkdir -p run1 && touch machine.xml runs.db
}

# answers WORD...: the candidates for the last word, without explanations, in a line.
answers() {
    pagoda --complete "$@" | cut -f1 | tr '\n' ' '
}

# in_bash WORD...: what bash offers for the last word.
in_bash() {
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pagoda
        printf "%s\n" "${COMPREPLY[@]}"' bash "$ROOT/completion/bash/pagoda" "$@" | sort | tr '\n' ' '
}

@test "the command completes commands, options and their values" {
    [ "$(answers re)" = 'replay reduce ' ]
    [ "$(answers --v)" = '--version ' ]
    [ "$(answers help sw)" = 'sweep ' ]
    [ "$(answers store ex)" = 'export ' ]
    [ "$(answers replay --de)" = '--depth --dealing ' ]
    [ "$(answers replay --wait '')" = 'block spin ' ]
    [ "$(answers replay --wait=s)" = '--wait=spin ' ]
    [ "$(answers replay --wait = s)" = 'spin ' ]
    [ "$(answers replay run1 --machine qu)" = 'quadrics quadrics-loaded :files ' ]
    [ "$(answers replay --rebalance magda-)" = 'magda-idle :files ' ]
    [ "$(answers store show --t)" = '--top ' ]
    [ "$(answers trace -o '')" = ':dirs ' ]
    [ "$(answers trace -- mpirun -n)" = ':commands ' ]
    [ "$(answers explain p)" = 'patterns properties policies :files ' ]
    [ -z "$(answers nothing --x)" ]
    [[ $(pagoda --complete replay --dep) == *$'\t'* ]]
}

@test "every option of every command is completed, hidden ones are not" {
    local command
    for command in $(pagoda --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        [ "$command" != store ] || continue # has commands of its own
        diff <(pagoda --complete "$command" -- | cut -f1 | sort) <(pagoda "$command" --help all |
            sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' | sort)
    done
    [[ $(answers sweep --) != *leave-result* && $(answers explain --) != *--man* ]]
}

@test "bash" {
    [ "$(in_bash pagoda adv)" = 'advise ' ]
    [ "$(in_bash pagoda replay --map = '')" = 'auto block cyclic ' ]
    [ "$(in_bash pagoda replay --store r)" = 'run1 runs.db ' ]
    [ "$(in_bash pagoda replay r)" = 'run1 runs.db ' ]
    [ "$(in_bash pagoda trace --output r)" = 'run1 ' ]
}

@test "zsh" {
    command -v zsh >/dev/null || skip 'zsh is not installed'
    run zsh -fc 'compset() { true; }; _files() { print files; }; _command_names() { print commands; }
        _describe() { print -l "${(@P)2}"; }; complete_() { source "$ROOT/completion/zsh/_pagoda"; }
        ROOT=$1; shift; words=("$@"); CURRENT=$#; complete_' zsh "$ROOT" pagoda replay --wait s
    [ "$status" = 0 ]
    [ "$output" = spin ]
    run zsh -fc 'compset() { true; }; _files() { print files; }; _describe() { print -l "${(@P)2}"; }
        complete_() { source "$ROOT/completion/zsh/_pagoda"; }
        ROOT=$1; shift; words=("$@"); CURRENT=$#; complete_' zsh "$ROOT" pagoda replay ''
    [ "$output" = files ]
}

@test "fish" {
    command -v fish >/dev/null || skip 'fish is not installed'
    export HOME=$BATS_TEST_TMPDIR
    run -0 fish -c "source '$ROOT/completion/fish/pagoda.fish'; complete -C 'pagoda replay --wait s'"
    [ "${output%%$'\t'*}" = spin ]
    run fish -c "source '$ROOT/completion/fish/pagoda.fish'; complete -C 'pagoda advi'"
    [[ $output == advise$'\t'* ]]
}
