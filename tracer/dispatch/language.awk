# SPDX-License-Identifier: BSD-3-Clause
# Names of the Fortran entry points of MPI functions, from the C names in entries.h:
#
#   awk -f language.awk entries.h
#
# prints LANGUAGE_ENTRY(name, number, index) lines; index is that of the C function. Compilers
# spell mpif.h's and `use mpi`'s MPI_SEND in four ways, and each exists as PMPI_ too. mpi_f08 has
# mpi_send_f08_ (pmpi_send_f08_) under Open MPI, and under MPICH also mpi_send_f08ts_ (its PMPI
# name is pmpir_send_f08ts_) for functions with choice buffers, and ..._large_ for the large-count
# ones. The functions that return memory have a variant for TYPE(C_PTR), ..._cptr_.

function entry(name)
{
    printf "LANGUAGE_ENTRY(%s, %d, %d)\n", name, n++, index_of_function
}

/^ENTRY/ {
    split($0, part, /[(, )]+/)
    index_of_function = part[3]
    name = part[2]
    # The tools interface and the conversions of handles exist in C only.
    if (name ~ /^MPIX?_T_/ || name ~ /_(f2c|c2f|f2f08|f082f|c2f08|f082c)$/)
        next
    lower = tolower(name)
    if (lower ~ /_c$/) {
        sub(/_c$/, "", lower)
        large = "_large"
    } else {
        large = ""
        entry(lower)
        entry(lower "_")
        entry(lower "__")
        entry(toupper(name))
        entry("p" lower)
        entry("p" lower "_")
        entry("p" lower "__")
        entry("P" toupper(name))
        entry("p" lower "_f08_")
    }
    base = lower
    sub(/^mpix?_/, "", base)
    prefix = substr(lower, 1, length(lower) - length(base) - 1)
    entry(lower "_f08" large "_")
    entry(lower "_f08ts" large "_")
    entry("p" prefix "r_" base "_f08" large "_")
    entry("p" prefix "r_" base "_f08ts" large "_")
    if (base ~ /^(alloc_mem|win_allocate|win_allocate_shared|win_shared_query)$/ && large == "") {
        entry(lower "_cptr")
        entry(lower "_cptr_")
        entry(lower "_cptr__")
        entry(toupper(name) "_CPTR")
        entry("p" lower "_cptr_")
    }
}
