// SPDX-License-Identifier: BSD-3-Clause
/* Info objects. */
#include "every.h"

CHAPTER(infos)
{
    MPI_Info info, copy;
    char text[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0, n = -1, length = -1;

    TRY(MPI_Info_create, &info);
    TRY(MPI_Info_set, info, "colour", "blue");
    TRY(MPI_Info_set, info, "shape", "round");
    TRY(MPI_Info_dup, info, &copy);
    TRY(MPI_Info_delete, info, "colour");
    TRY(MPI_Info_get_nkeys, info, &n);
    EQUAL(n, 1);
    TRY(MPI_Info_get_nthkey, info, 0, text);
    EQUAL_TEXT(text, "shape");
    TRY(MPI_Info_get, copy, "colour", MPI_MAX_INFO_VAL, text, &flag);
    EQUAL(flag, true);
    EQUAL_TEXT(text, "blue");
    TRY(MPI_Info_get_valuelen, copy, "colour", &length, &flag);
    EQUAL(length, 4);
#ifdef HAVE_MPI_Info_get_string
    length = sizeof text;
    TRY(MPI_Info_get_string, copy, "shape", &length, text, &flag);
    EQUAL_TEXT(text, "round");
#endif
    TRY(MPI_Info_get, info, "colour", MPI_MAX_INFO_VAL, text, &flag);
    EQUAL(flag, false);
    REFUSED(MPI_ERR_INFO_NOKEY, MPI_Info_delete, info, "colour");
    TRY(MPI_Info_free, &info);
    TRY(MPI_Info_free, &copy);
    EQUAL(copy == MPI_INFO_NULL, true);
#ifdef HAVE_MPI_Info_create_env
    TRY(MPI_Info_create_env, 0, NULL, &info);
    TRY(MPI_Info_get_nkeys, info, &n);
    say("%d keys of the environment", n);
    TRY(MPI_Info_free, &info);
#endif
}
