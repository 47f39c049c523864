// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/convert/convert.h"

#include <stdbool.h>

#include "analyzer/base/text.h"
#include "analyzer/convert/new_trace.h"
#include "analyzer/rewrite/new_archive.h"

struct request {
    const char *path;
    struct conversion *done;
};

static int write_trace(void *context, const char *folder, struct error *err)
{
    const struct request *request = context;
    bool is_prv = text_ends_in(request->path, ".prv");
    struct new_trace *trace = new_trace_open(folder, err);
    uint64_t end_ns = 0;
    if (!trace)
        return -1;
    int status = (is_prv ? convert_prv : convert_chrome)(request->path, folder, trace,
                                                         request->done, &end_ns, err);
    if (status == 0 && request->done->n_events == 0)
        status = error_set(err, "'%s' holds no events that an archive can hold", request->path);
    if (status != 0) {
        new_trace_free(trace);
        return status;
    }
    return new_trace_close(trace, "pagoda convert", end_ns, err);
}

int convert_trace(const char *path, const char *directory, struct conversion *done,
                  struct error *err)
{
    struct request request = {path, done};
    *done = (struct conversion){0};
    return rewrite_wholly(directory, write_trace, &request, err);
}
