// SPDX-License-Identifier: BSD-3-Clause
/* The tool information interface: what there is depends on the MPI, that each index works does not.
 */
#include "every.h"

static char name[1024], description[4096];

static void an_enumeration(MPI_T_enum type)
{
    int n = -1, value = -1, name_length = sizeof name;

    ATTEMPT(MPI_T_enum_get_info, type, &n, name, &name_length);
    name_length = sizeof name;
    ATTEMPT(MPI_T_enum_get_item, type, 0, &value, name, &name_length);
}

static void control_variables(void)
{
    int n = -1, n_read = 0, n_written = 0, index = -1;
    bool enumeration_seen = false;

    TRY(MPI_T_cvar_get_num, &n);
    for (int i = 0; i < n; i++) {
        int name_length = sizeof name, length = sizeof description, level, bind, scope, count = 0;
        int value[64];
        MPI_Datatype type;
        MPI_T_enum enumeration;
        MPI_T_cvar_handle handle;

        if (MPI_T_cvar_get_info(i, name, &name_length, &level, &type, &enumeration, description,
                                &length, &bind, &scope) != MPI_SUCCESS)
            continue;
        if (enumeration != MPI_T_ENUM_NULL && !enumeration_seen) {
            an_enumeration(enumeration);
            enumeration_seen = true;
        }
        if (type != MPI_INT || bind != MPI_T_BIND_NO_OBJECT)
            continue;
        if (n_read >= 3 &&
            (n_written > 0 || scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY))
            continue;
        TRY(MPI_T_cvar_get_index, name, &index);
        EQUAL(index, i);
        TRY(MPI_T_cvar_handle_alloc, i, NULL, &handle, &count);
        if (count == 1) {
            TRY(MPI_T_cvar_read, handle, value);
            n_read++;
            if (scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY)
                n_written += ATTEMPT(MPI_T_cvar_write, handle, value);
        }
        TRY(MPI_T_cvar_handle_free, &handle);
    }
    say("control variables: %d, read %d, written %d", n, n_read, n_written);
}

/* Where there are none, as in MPICH: what can be called all the same. */
static void without_performance_variables(void)
{
#ifdef MPICH_VERSION
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int index = -1;

    ATTEMPT(MPI_T_pvar_get_index, "nothing", MPI_T_PVAR_CLASS_COUNTER, &index);
    TRY(MPI_T_pvar_session_create, &session);
    ATTEMPT(MPI_T_pvar_start, session, MPI_T_PVAR_ALL_HANDLES);
    ATTEMPT(MPI_T_pvar_reset, session, MPI_T_PVAR_ALL_HANDLES);
    ATTEMPT(MPI_T_pvar_stop, session, MPI_T_PVAR_ALL_HANDLES);
    ATTEMPT(MPI_T_pvar_read, session, handle, name);
    ATTEMPT(MPI_T_pvar_readreset, session, handle, name);
    ATTEMPT(MPI_T_pvar_write, session, handle, name);
    ATTEMPT(MPI_T_pvar_handle_free, session, &handle);
    TRY(MPI_T_pvar_session_free, &session);
    an_enumeration(MPI_T_ENUM_NULL);
#endif
}

/* The first variable that needs no object; the one asked for may not allow all of this. */
static void use_performance_variable(int index, int *n_used)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    char value[1024];
    int count = 0;

    TRY(MPI_T_pvar_session_create, &session);
    if (ATTEMPT(MPI_T_pvar_handle_alloc, session, index, NULL, &handle, &count) && count <= 16) {
        ATTEMPT(MPI_T_pvar_start, session, handle);
        ATTEMPT(MPI_T_pvar_read, session, handle, value);
        ATTEMPT(MPI_T_pvar_write, session, handle, value);
        ATTEMPT(MPI_T_pvar_readreset, session, handle, value);
        ATTEMPT(MPI_T_pvar_reset, session, handle);
        ATTEMPT(MPI_T_pvar_stop, session, handle);
        TRY(MPI_T_pvar_handle_free, session, &handle);
        ++*n_used;
    }
    TRY(MPI_T_pvar_session_free, &session);
}

static void performance_variables(void)
{
    int n = -1, n_used = 0, index = -1;

    TRY(MPI_T_pvar_get_num, &n);
    say("performance variables: %d", n);
    if (n == 0)
        without_performance_variables();
    for (int i = 0; i < n && n_used < 2; i++) {
        int name_length = sizeof name, length = sizeof description, level, class, bind;
        int readonly, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum enumeration;

        if (MPI_T_pvar_get_info(i, name, &name_length, &level, &class, &type, &enumeration,
                                description, &length, &bind, &readonly, &continuous,
                                &atomic) != MPI_SUCCESS)
            continue;
        TRY(MPI_T_pvar_get_index, name, class, &index);
        EQUAL(index, i);
        /* Open MPI crashes for networks that are not there. */
        if (bind == MPI_T_BIND_NO_OBJECT && strncmp(name, "mtl_", 4) != 0)
            use_performance_variable(i, &n_used);
    }
}

static void categories(void)
{
    int n = -1, stamp = -1, index = -1, indices[256];
    int name_length = sizeof name, length = sizeof description, n_cvars, n_pvars, n_categories;

    TRY(MPI_T_category_get_num, &n);
    TRY(MPI_T_category_changed, &stamp);
    say("categories: %d", n);
    for (int i = 0; i < n && i < 1; i++) {
        TRY(MPI_T_category_get_info, i, name, &name_length, description, &length, &n_cvars,
            &n_pvars, &n_categories);
        TRY(MPI_T_category_get_index, name, &index);
        EQUAL(index, i);
        TRY(MPI_T_category_get_cvars, i, 256, indices);
        TRY(MPI_T_category_get_pvars, i, 256, indices);
        TRY(MPI_T_category_get_categories, i, 256, indices);
#ifdef HAVE_MPI_T_category_get_events
        TRY(MPI_T_category_get_num_events, i, &n_pvars);
        TRY(MPI_T_category_get_events, i, 256, indices);
#endif
    }
}

#ifdef HAVE_MPI_T_event_get_num
/* MPICH 4.0 has no events: there is no handle these functions could be given. */
static void events(void)
{
    int n = -1, index = -1, name_length = sizeof name, length = sizeof description, level, bind;
    MPI_T_event_registration registration;
    MPI_T_source_order order;
    MPI_T_enum enumeration;
    MPI_Count ticks, last;
    MPI_Info info;

    TRY(MPI_T_event_get_num, &n);
    EQUAL(n, 0);
    ATTEMPT(MPI_T_event_get_index, "nothing", &index);
    ATTEMPT(MPI_T_event_get_info, 0, name, &name_length, &level, NULL, NULL, NULL, &enumeration,
            &info, description, &length, &bind);
    ATTEMPT(MPI_T_event_handle_alloc, 0, NULL, MPI_INFO_NULL, &registration);
    ATTEMPT(MPI_T_event_handle_set_info, NULL, MPI_INFO_NULL);
    ATTEMPT(MPI_T_event_callback_set_info, NULL, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL);
    TRY(MPI_T_source_get_num, &n);
    say("event sources: %d", n);
    ATTEMPT(MPI_T_source_get_info, n, name, &name_length, description, &length, &order, &ticks,
            &last, &info);
    ATTEMPT(MPI_T_source_get_timestamp, n, &last);
}
#endif

CHAPTER(tools)
{
    int provided = -1;

    TRY(MPI_T_init_thread, MPI_THREAD_SINGLE, &provided);
    control_variables();
    performance_variables();
    categories();
#ifdef HAVE_MPI_T_event_get_num
    events();
#endif
    TRY(MPI_T_finalize);
}
