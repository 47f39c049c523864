// SPDX-License-Identifier: BSD-3-Clause
// XML by libxml2's DOM parser, copied into a plain tree so that the library stays in this file. A
// document type declaration stops the parser where it begins: what entities could do (expand
// without bound, read other files, use the network) is then out of reach.
#include "analyzer/base/format/xml.h"

#include <errno.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { FIRST_BYTES = 8 << 10 }; // of a file that are read

static const struct xml_limits usual_limits = {XML_MAX_BYTES, XML_MAX_DEPTH, XML_MAX_ELEMENTS};

/// What happens during one parse: the first complaint is the one worth telling.
struct parse {
    bool has_failed;
    bool has_document_type;
    int code; // libxml2's
    int line;
    char text[256];
};

#if LIBXML_VERSION < 21200
typedef xmlError given_error;
#else
typedef const xmlError given_error;
#endif

static void keep_first_error(void *context, given_error *error)
{
    struct parse *parse = ((xmlParserCtxtPtr)context)->_private;
    if (parse->has_failed || error->level < XML_ERR_ERROR)
        return;
    parse->has_failed = true;
    parse->code = error->code;
    parse->line = error->line;
    // Of a message of several lines (what follows is the input around it) the first.
    const char *message = error->message ? error->message : "";
    snprintf(parse->text, sizeof(parse->text), "%.*s", (int)strcspn(message, "\r\n"), message);
}

/// What libxml2 has to say about encodings goes to stderr by default, beside the error it reports.
static void say_nothing(void *context, const char *format, ...)
{
    (void)context, (void)format;
}

static void refuse_document_type(void *context, const xmlChar *name, const xmlChar *external,
                                 const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    xmlParserCtxtPtr parser = context;
    struct parse *parse = parser->_private;
    if (!parse->has_failed) {
        parse->has_failed = parse->has_document_type = true;
        parse->line = xmlSAX2GetLineNumber(parser);
    }
    xmlStopParser(parser);
}

/// IS_HUGE: beyond the library's own limits of depth and length.
static xmlDocPtr parse_text(const char *text, size_t size_bytes, const char *encoding, bool is_huge,
                            struct parse *parse, char **found_encoding)
{
    *parse = (struct parse){.line = 1};
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (!parser)
        return NULL;
    xmlSetGenericErrorFunc(NULL, say_nothing);
    parser->_private = parse;
    parser->sax->serror = keep_first_error;
    parser->sax->internalSubset = refuse_document_type;
    int options = XML_PARSE_NONET | XML_PARSE_NOCDATA | (is_huge ? XML_PARSE_HUGE : 0);
    xmlDocPtr doc = xmlCtxtReadMemory(parser, text, (int)size_bytes, NULL, encoding, options);
    if (found_encoding)
        *found_encoding =
            parser->encoding ? memory_copy_text((const char *)parser->encoding) : NULL;
    if (doc && (parse->has_failed || !parser->wellFormed)) {
        xmlFreeDoc(doc);
        doc = NULL;
    }
    xmlFreeParserCtxt(parser);
    return doc;
}

/// A fragment with several outermost elements gets one around them; its XML declaration, which may
/// only stand at the very start, is blanked so that line numbers stay.
static xmlDocPtr parse_fragment(const char *text, size_t size_bytes, const char *encoding,
                                struct parse *parse)
{
    static const char before[] = "<fragment>", after[] = "</fragment>";
    size_t total = sizeof(before) + size_bytes + sizeof(after) - 2;
    SCOPED char *wrapped = memory_new(total + 1);
    snprintf(wrapped, total + 1, "%s%s%s", before, text, after);
    char *content = wrapped + sizeof(before) - 1;
    if (strncmp(content, "\xEF\xBB\xBF", 3) == 0)
        memset(content, ' ', 3);
    char *declaration = content + strspn(content, " ");
    char *end = strstr(declaration, "?>");
    if (strncmp(declaration, "<?xml", 5) == 0 && end)
        for (char *c = declaration; c < end + 2; c++)
            *c = *c == '\n' ? '\n' : ' ';
    return parse_text(wrapped, total, encoding, false, parse, NULL);
}

struct copy {
    const struct xml_limits *limits;
    size_t n_elements;
    const char *problem;
    uint32_t line;
};

/// The text of a list of nodes, without that of elements among them.
static char *text_of_nodes(const xmlNode *nodes)
{
    xmlChar *text = nodes ? xmlNodeListGetString(nodes->doc, (xmlNode *)nodes, 1) : NULL;
    char *copy = memory_copy_text(text ? (const char *)text : "");
    xmlFree(text);
    return copy;
}

static void copy_attributes(struct xml_element *to, const xmlNode *from)
{
    size_t capacity = 0;
    for (const xmlAttr *a = from->properties; a; a = a->next) {
        struct xml_attribute *attribute = ARRAY_NEXT(to->attributes, to->n_attributes, capacity);
        attribute->name = memory_copy_text((const char *)a->name);
        attribute->value = text_of_nodes(a->children);
        for (char *c = attribute->value; *c; c++)
            if ((unsigned char)*c < ' ') // by a character reference: XML makes blanks of the others
                *c = ' ';
    }
}

static void copy_element(struct xml_element *to, const xmlNode *from, int depth, struct copy *copy)
{
    to->name = memory_copy_text((const char *)from->name);
    to->line = (uint32_t)xmlGetLineNo((xmlNode *)from);
    to->text = text_of_nodes(from->children);
    copy_attributes(to, from);
    if (depth > copy->limits->depth && !copy->problem) {
        copy->problem = "elements are nested too deeply";
        copy->line = to->line;
    }
    if (++copy->n_elements > copy->limits->elements && !copy->problem) {
        copy->problem = "too many elements";
        copy->line = to->line;
    }
    if (copy->problem)
        return;
    size_t capacity = 0;
    for (const xmlNode *n = from->children; n && !copy->problem; n = n->next) {
        if (n->type != XML_ELEMENT_NODE)
            continue;
        struct xml_element *child = ARRAY_NEXT(to->children, to->n_children, capacity);
        *child = (struct xml_element){0};
        copy_element(child, n, depth + 1, copy);
    }
}

static void element_release(struct xml_element *element)
{
    for (size_t i = 0; i < element->n_children; i++)
        element_release(&element->children[i]);
    FREE_MEMBERS(element->attributes, element->n_attributes, name, value);
    FREE_ALL(element->attributes, element->children, element->name, element->text);
}

static char *read_text(const char *path, size_t *size_bytes, struct error *err)
{
    SCOPED_FILE FILE *file = fopen(path, "rb");
    if (!file) {
        error_set(err, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    // Most files are small, and there are some dozens in the catalogue.
    size_t capacity = FIRST_BYTES;
    char *text = memory_new(capacity + 1);
    *size_bytes = fread(text, 1, capacity, file);
    while (*size_bytes == capacity && capacity <= XML_MAX_BYTES) {
        capacity *= 2;
        text = memory_resize(text, capacity + 1, 1);
        *size_bytes += fread(text + *size_bytes, 1, capacity - *size_bytes, file);
    }
    int failure = ferror(file) ? errno : 0;
    if (failure)
        error_set(err, "%s: cannot be read: %s", path, strerror(failure));
    else if (*size_bytes > XML_MAX_BYTES)
        error_set(err, "%s: is larger than the %d KiB allowed", path, XML_MAX_BYTES / 1024);
    else if (memchr(text, '\0', *size_bytes))
        error_set(err, "%s: is no text in UTF-8 or a similar encoding", path);
    else {
        text[*size_bytes] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

static void say_why(const char *path, const struct parse *parse, struct error *err)
{
    if (parse->has_document_type)
        error_set(err, "%s:%d: a document type declaration (<!DOCTYPE) is not allowed here", path,
                  parse->line);
    else
        error_set(err, "%s:%d: is not well-formed XML: %s", path, parse->line,
                  parse->text[0] ? parse->text : "the file is empty");
}

/// The tree of DOC, which is freed.
static struct xml_document *copy_document(const char *path, xmlDocPtr doc, bool is_fragment,
                                          const struct xml_limits *limits, struct error *err)
{
    struct xml_document *document = memory_zeroed(1, sizeof(*document));
    struct copy copy = {.limits = limits};
    document->path = memory_copy_text(path);
    xmlNode *root = xmlDocGetRootElement(doc);
    if (is_fragment) {
        copy_element(&document->top, root, 0, &copy);
    } else {
        document->top.children = memory_zeroed(1, sizeof(*document->top.children));
        document->top.n_children = 1;
        copy_element(&document->top.children[0], root, 1, &copy);
    }
    xmlFreeDoc(doc);
    if (!copy.problem)
        return document;
    error_set(err, "%s:%u: %s", path, copy.line, copy.problem);
    xml_free(document);
    return NULL;
}

struct xml_document *xml_read(const char *path, struct error *err)
{
    size_t size_bytes = 0;
    SCOPED char *text = read_text(path, &size_bytes, err);
    if (!text)
        return NULL;
    struct parse parse;
    SCOPED char *encoding = NULL;
    bool is_fragment = false;
    xmlDocPtr doc = parse_text(text, size_bytes, NULL, false, &parse, &encoding);
    if (!doc && parse.has_failed && parse.code == XML_ERR_DOCUMENT_END) {
        is_fragment = true;
        doc = parse_fragment(text, size_bytes, encoding, &parse);
    }
    if (!doc)
        say_why(path, &parse, err);
    return doc ? copy_document(path, doc, is_fragment, &usual_limits, err) : NULL;
}

struct xml_document *xml_read_text(const char *path, const char *text, size_t size_bytes,
                                   const struct xml_limits *limits, struct error *err)
{
    struct parse parse;
    if (size_bytes > limits->bytes) {
        error_set(err, "%s: is larger than the %zu MiB allowed", path, limits->bytes >> 20);
        return NULL;
    }
    xmlDocPtr doc = parse_text(text, size_bytes, NULL, true, &parse, NULL);
    if (!doc)
        say_why(path, &parse, err);
    return doc ? copy_document(path, doc, false, limits, err) : NULL;
}

void xml_free(struct xml_document *document)
{
    if (!document)
        return;
    element_release(&document->top);
    FREE_ALL(document->path, document);
}

bool xml_file_is(const char *path, const char *name)
{
    struct xml_document *document = xml_read(path, NULL);
    bool is_one = document && document->top.n_children > 0 &&
                  strcmp(document->top.children[0].name, name) == 0;
    xml_free(document);
    return is_one;
}

const char *xml_attribute(const struct xml_element *element, const char *name)
{
    size_t i = FIND_BY(element->attributes, element->n_attributes, name, name);
    return i < element->n_attributes ? element->attributes[i].value : NULL;
}

// --- writing

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
            break;
        }
    }
}

void xml_put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    put_escaped(out, text);
    fputc('"', out);
}
