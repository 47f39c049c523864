# SPDX-License-Identifier: BSD-3-Clause
# Turns one MPI's own header into wrappers.
#
#   awk -v mode=names|header|source|rules [-v hand=HAND] -f generate.awk functions.list mpi.i
#
# mpi.i is the preprocessed mpi.h (cc -E -P). Modes: "names" prints the function names, "header"
# the C declarations the hand-written wrappers use, "source" the generated wrappers and the table
# of all of them, "rules" what each function records (see functions.awk). HAND is a list of names
# that the wrap_*.c files define themselves. What a generated wrapper records beyond enter and leave
# stands in functions.list.
#
# Parsing: the text is cut at semicolons, attributes are removed with their balanced parentheses,
# and a piece of the form "TYPE MPI_Name(PARAMETERS)" is a function. Plain POSIX awk.

function strip_attributes(text,    at, rest, depth, i, c)
{
    while ((at = index(text, "__attribute__")) > 0) {
        rest = substr(text, at)
        depth = 0
        for (i = 14; i <= length(rest); i++) {
            c = substr(rest, i, 1)
            if (c == "(")
                depth++
            else if (c == ")" && --depth == 0)
                break
        }
        text = substr(text, 1, at - 1) " " substr(rest, i + 1)
    }
    return text
}

function trim(text)
{
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    return text
}

# The name of a parameter declaration: the last identifier before any brackets.
function parameter_name(text)
{
    sub(/(\[[^]]*\] *)+$/, "", text)
    sub(/ $/, "", text)
    sub(/^.*[^A-Za-z0-9_]/, "", text)
    return text
}

function add_function(piece,    open, name, type, list, n, i, parts)
{
    piece = trim(strip_attributes(piece))
    sub(/^extern /, "", piece)
    if (piece ~ /^(typedef|static|struct|enum|union|#)/ || piece !~ /\)$/)
        return
    open = index(piece, "(")
    if (open == 0)
        return
    name = trim(substr(piece, 1, open - 1))
    type = name
    sub(/^.*[ *]/, "", name)
    if (name !~ /^MPIX?_(T_|GPU_)?[A-Z]?[a-z]/ || (name in seen))
        return
    type = trim(substr(type, 1, length(type) - length(name)))
    list = trim(substr(piece, open + 1, length(piece) - open - 1))
    if (type == "" || list ~ /\(/)
        return
    seen[name] = 1
    names[++n_names] = name
    result_of[name] = type
    variadic[name] = sub(/ *, *\.\.\.$/, "", list)
    parameters_of[name] = list
    n_of[name] = 0
    if (list == "void" || list == "")
        return
    n = split(list, parts, / *, */)
    n_of[name] = n
    for (i = 1; i <= n; i++)
        argument[name, i] = parameter_name(parts[i])
}

function arguments(name,    i, text)
{
    for (i = 1; i <= n_of[name]; i++)
        text = text (i > 1 ? ", " : "") argument[name, i]
    return text
}

function sort_names(    i, j, key)
{
    for (i = 2; i <= n_names; i++) {
        key = names[i]
        for (j = i - 1; j > 0 && names[j] > key; j--)
            names[j + 1] = names[j]
        names[j + 1] = key
    }
}

# The rule of a function, which may be that of another one of its family (see functions.list).
function rule_of(name,    text)
{
    sub(/_c$/, "", name)
    sub(/^MPIX_/, "MPI_", name)
    if (name in rule)
        return rule[name]
    if (name ~ /_init$/) {
        text = rule_of("MPI_I" tolower(substr(name, 5, 1)) substr(name, 6, length(name) - 10))
        return gsub(/STARTED\(/, "PERSISTENT(", text) ? text : ""
    }
    name = "MPI_" toupper(substr(name, 6, 1)) substr(name, 7)
    text = name in rule ? rule[name] : ""
    return gsub(/BLOCKING/, "STARTED(*request)", text) ? text : ""
}

function hook_text(name, text,    i)
{
    for (i = n_of[name]; i > 0; i--)
        gsub("[$]" i, argument[name, i], text)
    return text
}

function print_header(    i, name)
{
    print "enum mpi_function {"
    for (i = 1; i <= n_names; i++)
        print "    FN_" names[i] ","
    print "    N_MPI_FUNCTIONS\n};"
    for (i = 1; i <= n_names; i++) {
        name = names[i]
        printf "extern %s (*next_%s)(%s%s);\n", result_of[name], name, parameters_of[name],
            variadic[name] ? ", ..." : ""
        printf "%s wrap_%s(%s%s);\n", result_of[name], name, parameters_of[name],
            variadic[name] ? ", ..." : ""
    }
}

function print_wrapper(name,    call, hook, before, own_status)
{
    call = "next_" name "(" arguments(name) ")"
    hook = hook_text(name, rule_of(name))
    own_status = (" " hook) ~ /[^A-Za-z_]status[^A-Za-z_]/
    before = ""
    if (match(hook, / *=> */)) {
        before = "    " substr(hook, 1, RSTART - 1) ";\n"
        hook = substr(hook, RSTART + RLENGTH)
    }
    printf "\n%s wrap_%s(%s%s)\n{\n", result_of[name], name, parameters_of[name],
        variadic[name] ? ", ..." : ""
    print "    struct call call;"
    if (own_status)
        print "    MPI_Status own_status;"
    printf "    if (!call_enter(&call, FN_%s))\n        return %s;\n", name, call
    if (own_status)
        print "    if (status == MPI_STATUS_IGNORE)\n        status = &own_status;"
    printf "%s    %s returned = %s;\n    call_returned(&call);\n", before, result_of[name], call
    if (hook != "")
        printf "    if (%scall.stream->in_file) {\n        %s;\n    }\n",
            hook ~ /returned/ ? "" : "returned == MPI_SUCCESS && ", hook
    print "    call_leave(&call);\n    return returned;\n}"
}

function print_source(    i, name)
{
    for (i = 1; i <= n_names; i++) {
        name = names[i]
        printf "%s (*next_%s)(%s%s);\n", result_of[name], name, parameters_of[name],
            variadic[name] ? ", ..." : ""
    }
    for (i = 1; i <= n_names; i++)
        if (!(names[i] in by_hand))
            print_wrapper(names[i])
    print "\nconst struct wrapper wrappers[N_MPI_FUNCTIONS] = {"
    for (i = 1; i <= n_names; i++)
        printf "    {\"%s\", (function_pointer *)&next_%s, (function_pointer)wrap_%s, %s},\n",
            names[i], names[i], names[i],
            (names[i] in by_hand) || rule_of(names[i]) != "" ? "false" : "true"
    print "};"
}

BEGIN {
    n_hand = split(hand, words, " ")
    for (i = 1; i <= n_hand; i++)
        by_hand[words[i]] = 1
}

FILENAME ~ /\.list$/ {
    if ($0 ~ /^MPI_/) {
        name = $1
        sub(/^[^ ]+ +/, "")
        rule[name] = $0
    }
    next
}

/^#/ { next }

{
    text = text " " $0
    while ((at = index(text, ";")) > 0) {
        add_function(substr(text, 1, at - 1))
        text = substr(text, at + 1)
    }
    # The inside of a structure or an inline body is not a prototype: forget what stands before it.
    sub(/^.*[{}]/, "", text)
}

END {
    sort_names()
    if (mode == "names")
        for (i = 1; i <= n_names; i++)
            print names[i]
    else if (mode == "rules")
        for (i = 1; i <= n_names; i++)
            print names[i] "\t" rule_of(names[i])
    else if (mode == "header")
        print_header()
    else
        print_source()
}
