// SPDX-License-Identifier: BSD-3-Clause
// What a run is called by.
#include <stdlib.h>

#include "analyzer/result/collect.h"
#include "tests/unit/unit_test.h"

static void check(const char *executable, const char *command, const char *program,
                  const char *arguments)
{
    struct program_name name = program_name_of(executable, command);
    assert_string_equal(name.program, program);
    assert_string_equal(name.arguments, arguments);
    free(name.program);
    free(name.arguments);
}

TEST(test_programs)
{
    check("/opt/run/spa", "./spa 4 fast", "spa", "4 fast");
    check("/opt/run/spa", "./spa", "spa", "");
    check("/opt/run/spa", NULL, "spa", "");
    check(NULL, NULL, "", "");
    check("/opt/pythonic", "pythonic a.py", "pythonic", "a.py");
}

TEST(test_scripts_of_interpreters)
{
    check("/usr/bin/python3.11", "python3 /home/u/heat.py 100 -v", "heat.py", "100 -v");
    check("/usr/bin/python3.11", "python3 -u -W ignore -X dev heat.py", "heat.py", "");
    check("/usr/bin/python3", "python3 -m mpi4py heat.py 1", "heat.py", "1");
    check("/usr/bin/python3", "python3 -m solver.main 1", "solver.main", "1");
    check("/usr/bin/perl", "perl -w run.pl", "run.pl", "");
    check("/usr/bin/Rscript", "Rscript --vanilla a.R b", "a.R", "b");
}

TEST(test_interpreters_without_a_script)
{
    check("/usr/bin/python3", "python3 -c print(1)", "python3", "-c print(1)");
    check("/usr/bin/python3", "python3 -m", "python3", "-m");
    check("/usr/bin/python3", "python3 -W", "python3", "-W");
    check("/usr/bin/python3", "python3", "python3", "");
    check("/usr/bin/perl", "perl -e 1", "perl", "-e 1");
}
