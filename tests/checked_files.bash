# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2154 # `run` sets status, output and stderr
# For tests of files that `pagoda check` reads, all cases of a test in one call of it.
load ../helper

# case_files HEAD TAIL WHOLE: makes each line of stdin a file case-N.xml, between HEAD and TAIL if it does not
# begin with WHOLE.
case_files() {
    local line n=0
    rm -f case-*.xml
    while IFS= read -r line; do
        [[ $line == "$3"* ]] || line=$1$line$2
        n=$((n + 1))
        printf '%s\n' "$line" >"case-$n.xml"
    done
}

# verdicts SCHEMA WANTED: of each case-N.xml `pagoda check` and the schema say this, such as "refused accepted";
# `agree` is any that is the same twice.
verdicts() {
    run --separate-stderr "$PAGODA" check case-*.xml
    [ "$status" -le 1 ]
    {
        awk '/^case-/ { file = $1 } /^  nothing wrong$/ { print file, "accepted" }' <<<"$output"
        sed -n 's/^pagoda: \(case-[0-9]*.xml:\).*/\1 refused/p' <<<"$stderr"
    } | sort -u >by-check
    xmllint --nonet --noout --relaxng "$1" case-*.xml 2>&1 |
        sed -n 's/ validates$/: accepted/p; s/ fails to validate$/: refused/p' | sort >by-schema
    diff <(cut -d: -f1 by-check) <(printf '%s\n' case-*.xml | sort)
    diff <(cut -d: -f1 by-schema) <(printf '%s\n' case-*.xml | sort)
    join by-check by-schema | awk -v wanted="$2" 'wanted == "agree" ? $2 != $3 : $2 " " $3 != wanted {
        print; getline <substr($1, 1, length($1) - 1); print }' >unlike
    [ ! -s unlike ] || { cat unlike && return 1; }
}

wrong_files=() wrong_texts=()

# wrong_file FILE TEXT: notes a copy of FILE, of which `pagoda check` has to say TEXT, with the copy's name in it.
wrong_file() {
    local copy="wrong-${#wrong_files[@]}.${1##*.}"
    cp "$1" "$copy"
    wrong_files+=("$copy") wrong_texts+=("${2//"$1"/"$copy"}")
}

# wrong_files_refused: each noted file is refused with a sentence that has its text, and no other one.
wrong_files_refused() {
    local i
    run -1 --separate-stderr "$PAGODA" check "${wrong_files[@]}"
    [ -z "$output" ]
    for i in "${!wrong_files[@]}"; do
        [[ ${stderr_lines[i]} == "pagoda: ${wrong_files[i]}:"* && ${stderr_lines[i]} == *"${wrong_texts[i]}"* ]] || {
            echo "not '${wrong_texts[i]}' but ${stderr_lines[i]}"
            return 1
        }
    done
    [ "${#stderr_lines[@]}" = "${#wrong_files[@]}" ]
}
