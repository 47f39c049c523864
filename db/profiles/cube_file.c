// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a Cube file. One of Cube 4 is a tar archive, perhaps packed, of anchor.xml, which
// may be packed alone, and of two files for each metric that has values:
//
//   N.index  CUBEX.INDEX, 1 as 32 bits in the order of the writer's bytes, a version (16 bits) and
//            a format (8): dense, all call paths have a row; or sparse, then the number of rows
//            (32) and which call path each is of (32 each), counted in the order of call_order()
//   N.data   CUBEX.DATA and the rows, a value for each location; or ZCUBEX.DATA, the number of
//            pieces (64), for each where it begins in the rows, where it begins after this table,
//            and how long it is (64 each), and the pieces, each packed by zlib
//
// One of Cube 3 is XML, in which <severity><matrix metricId=""><row cnodeId=""> has the values.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "analyzer/base/format/elements.h"
#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "db/profiles/cube.h"

enum {
    TAR_BLOCK = 512,
    TAR_SIZE = 124, // where in a header
    TAR_TYPE = 156,
    TAR_MARK = 257,
    LOOKED_AT = 4096,
    MAX_BYTES = 1 << 30, // of a file
    FORMAT_SPARSE = 1,
    FORMAT_DENSE = 3,
};
static const struct xml_limits limits = {MAX_BYTES / 8, 1000, 2000000};

/// Bytes, whose numbers begin with the highest byte or with the lowest one; damaged when a number
/// was read that they do not have.
struct bytes {
    const unsigned char *at;
    size_t n;
    bool is_big, is_damaged;
};

static bool is_archive(const unsigned char *bytes, size_t n)
{
    return n >= TAR_BLOCK && !memcmp(bytes + TAR_MARK, "ustar", 5);
}

bool cube_is_file(const char *path)
{
    char begin[LOOKED_AT + 1] = "";
    gzFile file = gzopen(path, "re");
    int n = file ? gzread(file, begin, LOOKED_AT) : 0;
    if (file)
        gzclose(file);
    return n > 0 &&
           (is_archive((unsigned char *)begin, (size_t)n) ||
            (begin[strspn(begin, " \t\r\n\xEF\xBB\xBF")] == '<' && strstr(begin, "<cube")));
}

/// Unpacks, as zlib or gzip have packed, N bytes into memory of the caller's to free, with a zero
/// behind them. NULL: they are damaged, or more than XML may be.
static unsigned char *unpack(const unsigned char *packed, size_t n, size_t *n_bytes)
{
    z_stream stream = {.next_in = (unsigned char *)packed, .avail_in = (uInt)n};
    size_t capacity = 0;
    unsigned char *bytes = NULL;
    int status = inflateInit2(&stream, 15 + 32); // the largest window, either format
    while (status == Z_OK && stream.total_out < limits.bytes) {
        bytes = array_reserve(bytes, &capacity, 2 * stream.total_out + LOOKED_AT, 1);
        stream.next_out = bytes + stream.total_out;
        stream.avail_out = (uInt)(capacity - stream.total_out - 1);
        status = inflate(&stream, Z_NO_FLUSH);
    }
    *n_bytes = stream.total_out;
    inflateEnd(&stream);
    if (status == Z_STREAM_END)
        bytes[*n_bytes] = '\0';
    else {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

/// Reads the file, packed or not.
static int read_bytes(struct cube *cube, struct error *err)
{
    gzFile file = gzopen(cube->path, "re");
    size_t capacity = 0;
    int n = 1, damage;
    if (!file)
        return error_set(err, "cannot read %s: %s", cube->path, strerror(errno));
    while (n > 0 && cube->n_bytes <= MAX_BYTES) {
        cube->bytes = array_reserve(cube->bytes, &capacity, cube->n_bytes + (64 << 10) + 1, 1);
        n = gzread(file, cube->bytes + cube->n_bytes, (unsigned)(capacity - cube->n_bytes - 1));
        cube->n_bytes += n > 0 ? (size_t)n : 0;
    }
    cube->bytes[cube->n_bytes] = '\0';
    const char *why = gzerror(file, &damage);
    int status = damage == Z_ERRNO
                     ? error_set(err, "cannot read %s: %s", cube->path, strerror(errno))
                 : damage < 0 ? error_set(err, "%s", why) // that names the file
                 : cube->n_bytes > MAX_BYTES
                     ? error_set(err, "%s is larger than %d MiB", cube->path, MAX_BYTES >> 20)
                     : 0;
    gzclose(file);
    return status;
}

/// The file NAME of the archive: 1 and BYTES, 0 where there is none, -1 and ERR. CubeW ends a file
/// by a block of zeros where its last one is full, so that one such block is not the end.
static int find_file(const struct cube *cube, const char *name, struct bytes *bytes,
                     struct error *err)
{
    *bytes = (struct bytes){0};
    for (size_t at = 0; at + TAR_BLOCK <= cube->n_bytes;) {
        const char *header = (const char *)cube->bytes + at;
        char digits[13] = "", *end;
        at += TAR_BLOCK;
        if (!header[0])
            continue;
        if (!is_archive((const unsigned char *)header, TAR_BLOCK))
            return error_set(err, "%s is damaged at byte %zu", cube->path, at - TAR_BLOCK);
        memcpy(digits, header + TAR_SIZE, sizeof digits - 1);
        unsigned long long size = strtoull(digits, &end, 8);
        if (end == digits || size > cube->n_bytes - at)
            return error_set(err, "%s ends within its file %.100s", cube->path, header);
        bool is_file = header[TAR_TYPE] == '0' || !header[TAR_TYPE];
        if (is_file && !strncmp(header, name, 100)) {
            *bytes = (struct bytes){.at = cube->bytes + at, .n = size};
            return 1;
        }
        at += (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    return 0;
}

/// Whether the archive ends as all do, in a block of zeros.
static bool is_complete(const struct cube *cube)
{
    static const char zeros[TAR_BLOCK];
    return !memcmp(cube->bytes + cube->n_bytes - TAR_BLOCK, zeros, TAR_BLOCK);
}

static int read_anchor(struct cube *cube, struct error *err)
{
    struct bytes anchor = {.at = cube->bytes, .n = cube->n_bytes};
    unsigned char *unpacked = NULL;
    if (is_archive(cube->bytes, cube->n_bytes)) {
        if (!is_complete(cube))
            return error_set(err, "%s was cut short: the end of the archive is missing",
                             cube->path);
        int found = find_file(cube, "anchor.xml", &anchor, err);
        if (found <= 0)
            return found ? -1
                         : error_set(err, "%s has no anchor.xml, as Cube files have", cube->path);
    }
    if (anchor.n > 1 && anchor.at[0] == 0x1f && anchor.at[1] == 0x8b) {
        unpacked = unpack(anchor.at, anchor.n, &anchor.n);
        anchor.at = unpacked;
        if (!unpacked)
            return error_set(err, "the anchor.xml of %s cannot be unpacked", cube->path);
    }
    cube->document = xml_read_text(cube->path, (const char *)anchor.at, anchor.n, &limits, err);
    free(unpacked);
    return cube->document ? 0 : -1;
}

int cube_read(struct cube *cube, const char *path, struct error *err)
{
    *cube = (struct cube){.path = path};
    if (read_bytes(cube, err) || read_anchor(cube, err))
        return -1;
    const struct xml_element *top = &cube->document->top.children[0];
    if (strcmp(top->name, "cube"))
        return error_set(err, "%s is no Cube file: its XML is <%s>", path, top->name);
    if (cube_define(cube, top, err))
        return -1;
    if (!cube->rows && !is_archive(cube->bytes, cube->n_bytes))
        return error_set(err, "%s has no values", path);
    return 0;
}

void cube_release(struct cube *cube)
{
    FREE_MEMBERS(cube->regions, cube->n_regions, name, module);
    FREE_ALL(cube->bytes, cube->metrics, cube->regions, cube->nodes, cube->rank_of, cube->ranks);
    xml_free(cube->document);
}

// --- values

static uint64_t next_number(struct bytes *bytes, size_t size)
{
    uint64_t number = 0;
    bytes->is_damaged |= bytes->n < size;
    for (size_t i = 0; i < size && !bytes->is_damaged; i++) // the highest byte first
        number = number << 8 | bytes->at[bytes->is_big ? i : size - 1 - i];
    bytes->at += bytes->is_damaged ? 0 : size;
    bytes->n -= bytes->is_damaged ? 0 : size;
    return number;
}

static bool skip_mark(struct bytes *bytes, const char *mark)
{
    size_t n = strlen(mark);
    if (bytes->n < n || memcmp(bytes->at, mark, n) != 0)
        return false;
    bytes->at += n;
    bytes->n -= n;
    return true;
}

/// How a value is stored: SIZE of BYTES at PLACE are the number.
static const struct cube_type {
    const char *name;
    size_t bytes, place, size;
    enum { NATURAL, INTEGER, REAL } number;
} types[] = {
    {"DOUBLE", 8, 0, 8, REAL},
    {"FLOAT", 8, 0, 8, REAL},
    {"UINT64", 8, 0, 8, NATURAL},
    {"UNSIGNED INTEGER", 8, 0, 8, NATURAL},
    {"INT64", 8, 0, 8, INTEGER},
    {"INTEGER", 8, 0, 8, INTEGER},
    {"SIGNED INTEGER", 8, 0, 8, INTEGER},
    {"UINT32", 4, 0, 4, NATURAL},
    {"UNSIGNED INT", 4, 0, 4, NATURAL},
    {"INT32", 4, 0, 4, INTEGER},
    {"INT", 4, 0, 4, INTEGER},
    {"SIGNED INT", 4, 0, 4, INTEGER},
    {"UINT16", 2, 0, 2, NATURAL},
    {"UNSIGNED SHORT INT", 2, 0, 2, NATURAL},
    {"INT16", 2, 0, 2, INTEGER},
    {"SHORT INT", 2, 0, 2, INTEGER},
    {"SIGNED SHORT INT", 2, 0, 2, INTEGER},
    {"UINT8", 1, 0, 1, NATURAL},
    {"CHAR", 1, 0, 1, NATURAL},
    {"INT8", 1, 0, 1, INTEGER},
    {"TAU_ATOMIC", 36, 20, 8, REAL}, // number, least, greatest, sum, sum of squares
};

static double value_at(const unsigned char *row, const struct cube_type *type, bool is_big)
{
    struct bytes bytes = {row + type->place, type->size, is_big, false};
    uint64_t number = next_number(&bytes, type->size);
    int unused = 64 - 8 * (int)type->size;
    double real;
    memcpy(&real, &number, sizeof real);
    return type->number == REAL      ? real
           : type->number == INTEGER ? (double)((int64_t)(number << unused) >> unused)
                                     : (double)number;
}

/// The nodes in the order in which rows of METRIC are counted; the caller frees. Exclusive values
/// lie as their subtrees do, of inclusive ones the children of a node lie beside each other.
static uint32_t *call_order(const struct cube *cube, const struct cube_metric *metric)
{
    size_t n = cube->n_nodes, n_ordered = 0;
    uint32_t *order = memory_new(n * sizeof *order);
    SCOPED int32_t *first = memory_new(n * sizeof *first);
    SCOPED int32_t *next = memory_new(n * sizeof *next);
    for (size_t i = 0; i < n; i++) {
        first[i] = CUBE_NONE;
        order[i] = (uint32_t)i;
    }
    for (size_t i = n; i-- > 0;) {
        int32_t parent = cube->nodes[i].parent;
        next[i] = parent == CUBE_NONE ? CUBE_NONE : first[parent];
        if (parent != CUBE_NONE)
            first[parent] = (int32_t)i;
    }
    for (size_t i = 0; i < n && metric->kind == CUBE_INCLUSIVE; i++) {
        if (cube->nodes[i].parent == CUBE_NONE)
            order[n_ordered++] = (uint32_t)i;
        for (int32_t child = first[i]; child != CUBE_NONE; child = next[child])
            order[n_ordered++] = (uint32_t)child;
    }
    return order;
}

/// Adds VALUE, of a node and a location.
static int add_value(const struct cube *cube, const struct cube_metric *metric, size_t node,
                     size_t location, double value, struct cube_values *values, struct error *err)
{
    int32_t rank = cube->rank_of[location];
    if (!isfinite(value))
        return error_set(err, "%s has a value of %s that is no number", cube->path, metric->name);
    if (rank == CUBE_NONE)
        return 0;
    values->cells[node * cube->n_ranks + (size_t)rank] += value;
    if (metric->kind == CUBE_EXCLUSIVE || cube->nodes[node].parent == CUBE_NONE)
        values->by_location[location] += value;
    return 0;
}

/// Reads the head of INDEX; *N_ROWS numbers follow where it is sparse.
static int read_index(const struct cube *cube, const char *name, struct bytes *index,
                      uint64_t *n_rows, bool *is_sparse, struct error *err)
{
    static const uint64_t little = 1, big = 1 << 24;
    if (!skip_mark(index, "CUBEX.INDEX"))
        return error_set(err, "%s: %s is no index of Cube", cube->path, name);
    uint64_t order = next_number(index, 4);
    index->is_big = order == big;
    next_number(index, 2); // a version, always 0
    uint64_t format = next_number(index, 1);
    *is_sparse = format == FORMAT_SPARSE;
    *n_rows = *is_sparse ? next_number(index, 4) : cube->n_nodes;
    if (index->is_damaged)
        return error_set(err, "%s: %s is cut short", cube->path, name);
    if ((order != little && order != big) || (!*is_sparse && format != FORMAT_DENSE))
        return error_set(err, "%s: %s has an unknown format", cube->path, name);
    if (*n_rows > cube->n_nodes || index->n != (*is_sparse ? *n_rows * 4 : 0))
        return error_set(err, "%s: %s is not as long as its %llu rows", cube->path, name,
                         (unsigned long long)*n_rows);
    return 0;
}

/// Unpacks DATA, behind its mark, to N_BYTES of rows; the caller frees. NULL and ERR.
static unsigned char *unpack_rows(const struct cube *cube, const char *name, struct bytes data,
                                  size_t n_bytes, struct error *err)
{
    unsigned char *rows = memory_zeroed(n_bytes, 1);
    uint64_t n = next_number(&data, 8);
    bool is_damaged = n > data.n / 24;
    const struct bytes pieces = {.at = data.at + (is_damaged ? 0 : n * 24),
                                 .n = data.n - (is_damaged ? 0 : n * 24)};
    for (uint64_t i = 0; i < n && !is_damaged; i++) {
        uint64_t to = next_number(&data, 8), from = next_number(&data, 8);
        uint64_t size = next_number(&data, 8);
        uLongf room = to < n_bytes ? n_bytes - to : 0;
        is_damaged = size > 0 && (room == 0 || from > pieces.n || size > pieces.n - from ||
                                  uncompress(rows + to, &room, pieces.at + from, size) != Z_OK);
    }
    if (!is_damaged)
        return rows;
    error_set(err, "%s: %s cannot be unpacked", cube->path, name);
    free(rows);
    return NULL;
}

static int add_rows(const struct cube *cube, const struct cube_metric *metric,
                    const struct cube_type *type, struct bytes index, struct bytes data,
                    struct cube_values *values, struct error *err)
{
    struct quantity index_name = quantity_format("%d.index", (int)metric->id);
    struct quantity name = quantity_format("%d.data", (int)metric->id);
    uint64_t n_rows = 0;
    bool is_sparse = false;
    if (read_index(cube, index_name.text, &index, &n_rows, &is_sparse, err))
        return -1;
    size_t n_bytes = n_rows * cube->n_locations * type->bytes;
    SCOPED unsigned char *unpacked = NULL;
    data.is_big = index.is_big;
    if (skip_mark(&data, "ZCUBEX.DATA")) {
        unpacked = unpack_rows(cube, name.text, data, n_bytes, err);
        if (!unpacked)
            return -1;
        data.at = unpacked;
    } else if (!skip_mark(&data, "CUBEX.DATA"))
        return error_set(err, "%s: %s has no values of Cube", cube->path, name.text);
    else if (data.n != n_bytes)
        return error_set(err, "%s: %s has %zu bytes of values, not %zu", cube->path, name.text,
                         data.n, n_bytes);
    SCOPED uint32_t *order = call_order(cube, metric);
    int status = 0;
    for (size_t row = 0; row < n_rows && status == 0; row++) {
        uint64_t place = is_sparse ? next_number(&index, 4) : row;
        if (place >= cube->n_nodes)
            return error_set(err, "%s: %s has a row of a call path that is not there", cube->path,
                             index_name.text);
        for (size_t i = 0; i < cube->n_locations && status == 0; i++, data.at += type->bytes)
            status = add_value(cube, metric, order[place], i, value_at(data.at, type, data.is_big),
                               values, err);
    }
    return status;
}

/// Adds the row ELEMENT, of numbers with blanks between them.
static int add_text_row(const struct cube *cube, const struct cube_metric *metric,
                        const struct xml_element *element, const struct map *nodes,
                        struct cube_values *values, struct error *err)
{
    const struct element_reader source = {.path = cube->path, .err = err};
    const char *id_text = xml_attribute(element, "cnodeId"), *text = element->text;
    uint64_t id;
    uint32_t node;
    if (!id_text || option_read_count(id_text, &id, NULL) || !map_get(nodes, id, &node))
        return XML_ERROR(&source, element, "<row> is of no call path that is there");
    for (size_t i = 0; i < cube->n_locations; i++) {
        char *end;
        double value = strtod(text, &end);
        if (end == text)
            return XML_ERROR(&source, element, "<row> has %zu numbers, not %zu", i,
                             cube->n_locations);
        if (add_value(cube, metric, node, i, value, values, err))
            return -1;
        text = end;
    }
    return text[strspn(text, " \t\r\n")] ? XML_ERROR(&source, element, "<row> has too many numbers")
                                         : 0;
}

static int add_matrix(const struct cube *cube, const struct cube_metric *metric,
                      struct cube_values *values, struct error *err)
{
    struct map nodes;
    int status = 0;
    map_init(&nodes);
    for (size_t i = 0; i < cube->n_nodes; i++)
        map_put(&nodes, cube->nodes[i].id, (uint32_t)i);
    for (size_t i = 0; i < cube->rows->n_children; i++) {
        const struct xml_element *matrix = &cube->rows->children[i];
        const char *of = xml_attribute(matrix, "metricId");
        uint64_t id;
        if (!of || option_read_count(of, &id, NULL) || id != metric->id)
            continue;
        values->has_any |= matrix->n_children > 0;
        for (size_t row = 0; row < matrix->n_children && status == 0; row++)
            status = add_text_row(cube, metric, &matrix->children[row], &nodes, values, err);
    }
    map_release(&nodes);
    return status;
}

int cube_add_values(const struct cube *cube, const struct cube_metric *metric,
                    struct cube_values *values, struct error *err)
{
    const struct cube_type *type = ITEM_BY(types, sizeof types / sizeof *types, name, metric->type);
    struct bytes index, data;
    if (!type || metric->kind == CUBE_DERIVED)
        return 0;
    if (cube->rows)
        return add_matrix(cube, metric, values, err);
    struct quantity names[] = {quantity_format("%d.index", (int)metric->id),
                               quantity_format("%d.data", (int)metric->id)};
    int has_index = find_file(cube, names[0].text, &index, err);
    int has_data = has_index < 0 ? -1 : find_file(cube, names[1].text, &data, err);
    if (has_data < 0 || (!has_index && !has_data))
        return has_data < 0 ? -1 : 0;
    if (!has_index || !has_data)
        return error_set(err, "%s has no file %s", cube->path, names[has_index].text);
    values->has_any = true;
    return add_rows(cube, metric, type, index, data, values, err);
}
