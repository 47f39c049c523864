# SPDX-License-Identifier: BSD-3-Clause
# Profiles of other tools as trials of a database.
load ../helper

# values METRIC: "PLACE VALUE" of each function of the only trial in p.db.
values() {
    "$PAGODA" query p.db -m "$1" --by code --csv |
        /usr/bin/python3 -c 'import csv, sys; [print(row["code"], row["value"]) for row in csv.DictReader(sys.stdin)]'
}

@test "gprof: what it prints of a program that runs now" {
    cat >work.c <<'C'
static volatile double sum;
__attribute__((noinline)) void inner(int n) { for (int i = 0; i < n; i++) sum += i * 0.5; }
__attribute__((noinline)) void outer(int n) { for (int i = 0; i < n; i++) inner(1000000); }
int main(void) { outer(40); inner(20000000); return 0; }
C
    gcc -O1 -pg work.c -o work
    ./work
    gprof work gmon.out >work.txt
    "$PAGODA" store import p.db work.txt --as app/gprof/run1
    values visits | grep -qx '/Code/unknown/inner 41'
    values visits | grep -qx '/Code/unknown/outer 1'
    # gprof has hundredths of seconds; the run is what all functions took.
    own=$(LC_ALL=C awk '$NF == "inner" { printf "%.0f", $3 * 1e9; exit }' work.txt)
    values exclusive_ns | grep -qx "/Code/unknown/inner $own"
    "$PAGODA" store show p.db run1 | grep -q '^application app, experiment gprof$'
}

@test "gprof: functions without calls, and names with blanks" {
    cat >flat.txt <<'TEXT'
Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total           
 time   seconds   seconds    calls  ms/call  ms/call  name    
 60.00      0.60     0.60                             memcpy
 30.00      0.90     0.30      300     1.00     3.00  solver::step(int, double)
 10.00      1.00     0.10                             solver::step(int, double)

 %         the percentage of the total running time of the
TEXT
    "$PAGODA" store import p.db flat.txt
    [ "$(values exclusive_ns)" = '/Code/unknown/memcpy 600000000
/Code/unknown/solver::step\(int\, double\) 400000000' ]
    [ "$(values visits | wc -l)" = 1 ]
    [ "$("$PAGODA" query p.db -m time_ns --csv | tail -1 | cut -d, -f5)" = 1000000000 ]
}

# As mpiP 3 writes its reports.
@test "mpiP: ranks, their time outside MPI, and call sites added up by function" {
    cat >app.mpiP <<'TEXT'
@ mpiP
@ Command : ./app
@ Version                  : 3.5.0
@ MPI Task Assignment      : 0 host
@ MPI Task Assignment      : 1 host

---------------------------------------------------------------------------
@--- MPI Time (seconds) ---------------------------------------------------
---------------------------------------------------------------------------
Task    AppTime    MPITime     MPI%
   0         10          4    40.00
   1         10          1    10.00
   *         20          5    25.00
---------------------------------------------------------------------------
@--- Callsites: 2 ---------------------------------------------------------
---------------------------------------------------------------------------
 ID Lev File/Address        Line Parent_Funct             MPI_Call
  1   0 app.c                 10 main                     Barrier
  2   0 app.c                 20 main                     Barrier
---------------------------------------------------------------------------
@--- Callsite Time statistics (all, milliseconds): 3 ----------------------
---------------------------------------------------------------------------
Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
Barrier              1    0     10      200      100        1  10.00  25.00
Barrier              1    1     10      200       50        1   5.00  50.00
Barrier              1    *     20      200       75        1   7.50  30.00
Barrier              2    0      3     2000     1000        1  30.00  75.00
Barrier              2    *      3     2000     1000        1  15.00  60.00
---------------------------------------------------------------------------
@--- Callsite Message Sent statistics (all, sent bytes) -------------------
---------------------------------------------------------------------------
Name              Site Rank   Count       Max      Mean       Min       Sum
Send                 1    0      10       100       100       100      1000
---------------------------------------------------------------------------
@--- End of Report --------------------------------------------------------
TEXT
    "$PAGODA" store import p.db app.mpiP
    [ "$(values visits)" = '/Code/MPI/MPI_Barrier 23' ]
    [ "$(values exclusive_ns)" = '/Code/MPI/MPI_Barrier 4500000000
/Code/unknown/\(outside MPI\) 15000000000' ]
    "$PAGODA" query p.db -m visits --by process --csv | grep -q '/Process/0,visits,13,'
    "$PAGODA" store show p.db app.mpiP | grep -q '^2 ranks .* 10.00 s'
}

# As TAU's reference guide has them.
@test "TAU: a folder is a run, threads of a rank are added up, call paths left out" {
    mkdir tau
    for file in 0.0.0 0.0.1 1.0.0; do
        cat >tau/profile.$file <<'TEXT'
4 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata></metadata>
".TAU application" 1 2 500 3000 0 GROUP="TAU_DEFAULT"
"solve(int) C [{solve.c} {10,1}-{20,1}]" 2 1 1500 2500 0 GROUP="TAU_USER"
"MPI_Send()" 4 0 1000 1000 0 GROUP="MPI"
"solve(int) C [{solve.c} {10,1}-{20,1}] => MPI_Send()" 4 0 1000 1000 0 GROUP="TAU_CALLPATH"
0 aggregates
0 userevents
TEXT
    done
    "$PAGODA" store import p.db tau --as tau1
    values exclusive_ns | grep -qx '/Code/MPI/MPI_Send 3000000'
    values exclusive_ns | grep -qxF '/Code/solve.c/solve\(int\) 4500000'
    [ "$(values visits | wc -l)" = 3 ]
    "$PAGODA" query p.db -m exclusive_ns --by process --csv | grep -q '/Process/0,exclusive_ns,6000000,'
    "$PAGODA" store show p.db tau1 | grep -q '^2 ranks .* 3.000 ms'
    # One file alone, and what is no profile of times.
    "$PAGODA" store import p.db tau/profile.1.0.0
    sed -i '1s/TIME/PAPI_TOT_CYC/' tau/profile.0.0.0
    run -1 --separate-stderr "$PAGODA" store import p.db tau --as tau2
    [[ $stderr == *'has templated_functions_MULTI_PAPI_TOT_CYC, not times'* ]]
    mkdir empty
    run -1 --separate-stderr "$PAGODA" store import p.db empty
}
