// SPDX-License-Identifier: MIT
// JSON for people: a key a line, vectors and short objects on one line, shortest digits.
#include "scene/foreign/pretty.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_container(json_t* value)
{
    return json_is_object(value) || json_is_array(value);
}

// To ten digits: what products of two short numbers leave behind them is not meant.
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    return strtod(text, NULL);
}

// Lists of numbers stay on a line.
static bool is_short(json_t* value)
{
    for (size_t k = 0; k < json_array_size(value); k++)
        if (is_container(json_array_get(value, k)))
            return false;
    return json_is_array(value) || json_object_size(value) <= 1;
}

static void new_line(Page* page, int indent)
{
    page_add(page, "\n%*s", 2 * indent, "");
}

static void separate(Page* page, bool first, bool one_line, int indent)
{
    if (!first)
        page_add(page, one_line ? ", " : ",");
    if (!one_line)
        new_line(page, indent + 1);
}

static void put_object(Page* page, json_t* value, int indent)
{
    bool one_line = is_short(value), first = true;
    const char* key;
    json_t* item;
    page_add(page, "{");
    json_object_foreach(value, key, item)
    {
        separate(page, first, one_line, indent);
        page_quote(page, key);
        page_add(page, ": ");
        pretty_json(page, item, indent + 1);
        first = false;
    }
    if (!one_line)
        new_line(page, indent);
    page_add(page, "}");
}

static void put_array(Page* page, json_t* value, int indent)
{
    bool one_line = is_short(value);
    page_add(page, "[");
    for (size_t k = 0; k < json_array_size(value); k++) {
        separate(page, k == 0, one_line, indent);
        pretty_json(page, json_array_get(value, k), indent + 1);
    }
    if (!one_line)
        new_line(page, indent);
    page_add(page, "]");
}

void pretty_json(Page* page, json_t* value, int indent)
{
    if (json_is_object(value))
        put_object(page, value, indent);
    else if (json_is_array(value))
        put_array(page, value, indent);
    else if (json_is_string(value))
        page_quote(page, json_string_value(value));
    else if (json_is_number(value))
        page_number(page, rounded(json_number_value(value)));
    else
        page_add(page, "%s", json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
}
