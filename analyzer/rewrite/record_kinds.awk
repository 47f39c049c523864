# SPDX-License-Identifier: BSD-3-Clause
# The records of OTF2 that an archive's copy holds as they are, from the library's own headers, so
# that those of a newer version are copied, too. Reads trace/otf2_records.h, then what the
# preprocessor makes of the library's headers, and prints lists of X(kind, parameters, arguments):
# the parameters of a reader's callback after those that all have, with a comma before each, which
# the writer's function takes as well.
#
# REQUEST_EVENT_KINDS(X) are events whose last parameter, left out, is a request. REPLAYED are those
# that become events of the replay, lines X(...) there, OTHER those that do not.
#
# Three more lists divide the definitions for merge/merge_definitions.c, which writes them with other
# identifiers. NAMED_KINDS(X) have one, self, and are the same where all else is: X(kind, what kind of
# reference self is, its type, parameters after self, arguments, key). The arguments are mapped to new
# identifiers; the key is what tells definitions apart. UNNAMED_KINDS(X) have no self: X(kind,
# parameters, arguments, key). SPECIAL_KINDS(X) are X(kind), written by hand.
#
# EVENT_LETTERS are texts, one for each kind of event in the order of their numbers: a letter for each
# field of a record, for repair/record_fields.c. Where an array is, its length and all after it is left
# out.

function mark(set, prefix, text,    names, n)
{
    for (n = split(text, names, " "); n > 0; n--)
        set[prefix names[n]] = 1
}

BEGIN {
    RS = ";"
    split("uint8_t b uint32_t w uint64_t q int64_t q OTF2_TimeStamp t OTF2_RegionRef R OTF2_CommRef C " \
        "OTF2_ParameterRef P OTF2_CallingContextRef X OTF2_MetricRef M", words, " ")
    for (i = 1; i in words; i += 2)
        letter_of[words[i]] = words[i + 1]
    mark(by_hand, "Evt", "Unknown Enter Metric BufferFlush MpiSend MpiIsend MpiRecv MpiIrecv " \
        "MpiIsendComplete NonBlockingCollectiveComplete")
    by_hand["GlobalDefUnknown"] = 1
    mark(is_special, "", "Location LocationGroup LocationProperty SystemTreeNodeProperty Comm " \
        "InterComm MetricInstance")
    is_special["ClockProperties"] = 2 # written before all others
    mark(is_request, "", "MpiIrecvRequest MpiRequestTest MpiRequestCancelled " \
        "NonBlockingCollectiveRequest")
}

# An argument that stands for the parameter NAME of TYPE in a merged archive.
function merged_argument(type, name)
{
    if (type == "OTF2_LocationRef")
        return "merge_location(merge, " name ")"
    if (match(type, /^OTF2_[A-Za-z]+Ref$/))
        return "(" type ")merge_id(merge, REF_" substr(type, 6, RLENGTH - 8) ", " name ")"
    return type == "OTF2_AttributeValue" ? "merge_value(merge, type, value)" : name
}

function field_letters(parts, n,    i, type, letters)
{
    for (i = 6; i <= n && parts[i + 1] !~ /\*/; i++) {
        split(parts[i], type, " ")
        letters = letters letter_of[type[1]]
    }
    return letters
}

function list_merged(name, parts, n,    i, list, arguments, key, type, argument, own)
{
    for (i = 2; i <= n && !is_special[name]; i++) {
        if (parts[i] ~ /\*/) # an array or a text
            is_special[name] = 1
        type = argument = parts[i]
        sub(/ *$/, "", argument)
        sub(/^.*[^A-Za-z0-9_]/, "", argument)
        sub(/^ */, "", type)
        sub(/ .*$/, "", type)
        if (argument == "self") {
            own = type
            continue
        }
        list = list "," parts[i]
        arguments = arguments ", " merged_argument(type, argument)
        if (type != "OTF2_AttributeValue" && type != "OTF2_Type" || name !~ /Propert|Parameter$/)
            key = key ", (uint64_t)" merged_argument(type, argument)
    }
    list = "WITH(" list "), WITH(" arguments "), WITH(" key "))"
    if (is_special[name] == 1)
        lists["SPECIAL_KINDS"] = lists["SPECIAL_KINDS"] " \\\n    X(" name ")"
    else if (!is_special[name] && own)
        lists["NAMED_KINDS"] = lists["NAMED_KINDS"] " \\\n    X(" name ", REF_" \
            substr(own, 6, length(own) - 8) ", " own ", " list
    else if (!is_special[name])
        lists["UNNAMED_KINDS"] = lists["UNNAMED_KINDS"] " \\\n    X(" name ", " list
}

NR == FNR { # the first file
    for (text = $0; match(text, / X\([A-Za-z]+[,)]/); text = substr(text, RSTART + RLENGTH))
        is_replayed[substr(text, RSTART + 3, RLENGTH - 4)] = 1
    next
}

# Another name for a number: typedef uint8_t OTF2_LockType
/typedef[ \t\n]+uint[0-9]+_t[ \t\n]+OTF2_[A-Za-z]+[ \t\n]*$/ && !($NF in letter_of) {
    letter_of[$NF] = letter_of[$(NF - 1)]
}

# A declaration: typedef OTF2_CallbackCode ( *OTF2_EvtReaderCallback_KIND )( PARAMETERS )
match($0, /OTF2_(Evt|GlobalDef)ReaderCallback_[A-Za-z]+ *\) *\(/) && /typedef/ {
    name = substr($0, RSTART, RLENGTH)
    parameters = substr($0, RSTART + RLENGTH)
    reader = name ~ /^OTF2_Evt/ ? "Evt" : "GlobalDef"
    gsub(/^OTF2_[A-Za-z]+_| *\) *\($/, "", name)
    sub(/\)[^)]*$/, "", parameters)
    gsub(/[ \t\n]+/, " ", parameters)
    n = split(parameters, parts, ",")
    if (reader == "Evt" && name != "Unknown")
        event_letters = event_letters ", \"" field_letters(parts, n) "\""
    if ((reader name) in by_hand)
        next
    list = arguments = ""
    for (i = reader == "Evt" ? 6 : 2; i <= n - (name in is_request); i++) {
        argument = parts[i]
        sub(/ *$/, "", argument)
        sub(/^.*[^A-Za-z0-9_]/, "", argument)
        list = list "," parts[i]
        arguments = arguments ", " argument
    }
    kind = reader == "GlobalDef" ? "DEFINITION_KINDS" : name in is_request ? "REQUEST_EVENT_KINDS" : \
        name in is_replayed ? "REPLAYED_EVENT_KINDS" : "OTHER_EVENT_KINDS"
    lists[kind] = lists[kind] " \\\n    X(" name ", WITH(" list "), WITH(" arguments "))"
    if (reader == "GlobalDef")
        list_merged(name, parts, n)
}

END {
    print "#define WITH(...) __VA_ARGS__"
    for (kind in lists)
        print "#define " kind "(X)" lists[kind]
    print "#define EVENT_LETTERS " substr(event_letters, 3)
}
