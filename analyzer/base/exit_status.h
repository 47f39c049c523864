// SPDX-License-Identifier: BSD-3-Clause
// What the process tells its caller; every command returns one of these.
#ifndef PAGODA_BASE_EXIT_STATUS_H
#define PAGODA_BASE_EXIT_STATUS_H

enum exit_status {
    STATUS_DONE = 0,       // warnings included
    STATUS_FAILED = 1,     // the job could not be done; stderr says why
    STATUS_USAGE = 2,      // wrong command line
    STATUS_UNREADABLE = 3, // done, but records were unreadable or locations skipped
};

#endif
