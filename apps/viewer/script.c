// SPDX-License-Identifier: MIT
#include "script.h"

#include "base/error.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One flat object: names with texts or numbers.
typedef struct Field {
    char name[16], text[256];
    double number;
    bool is_text;
} Field;

enum { FIELDS = 12 };

typedef struct Line {
    Field field[FIELDS];
    int count;
} Line;

static const char* skip(const char* p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

// A text in quotation marks; backslashes keep the next character. NULL: it does not fit or does not end.
static const char* read_text(const char* p, char* out, size_t size)
{
    size_t n = 0;
    if (*p++ != '"')
        return NULL;
    for (; *p && *p != '"'; p++) {
        if (*p == '\\' && p[1])
            p++;
        if (n + 1 >= size)
            return NULL;
        out[n++] = *p;
    }
    out[n] = 0;
    return *p == '"' ? p + 1 : NULL;
}

static const char* read_field(const char* p, Field* field)
{
    p = read_text(skip(p), field->name, sizeof field->name);
    if (!p || *(p = skip(p)) != ':')
        return NULL;
    p = skip(p + 1);
    field->is_text = *p == '"';
    if (field->is_text)
        return read_text(p, field->text, sizeof field->text);
    char* end;
    field->number = strtod(p, &end);
    return end == p || !isfinite(field->number) ? NULL : end;
}

static bool read_line(const char* p, Line* line)
{
    line->count = 0;
    p = skip(p);
    if (*p++ != '{')
        return false;
    while (line->count < FIELDS) {
        p = read_field(p, &line->field[line->count]);
        if (!p)
            return false;
        line->count++;
        p = skip(p);
        if (*p == '}')
            return !*skip(p + 1);
        if (*p++ != ',')
            return false;
    }
    return false;
}

static const Field* find(const Line* line, const char* name)
{
    for (int k = 0; k < line->count; k++)
        if (!strcmp(line->field[k].name, name))
            return &line->field[k];
    return NULL;
}

static double number_of(const Line* line, const char* name, double otherwise)
{
    const Field* f = find(line, name);
    return f && !f->is_text ? f->number : otherwise;
}

static const struct {
    const char* name;
    ScriptDo what;
    WindowEventKind kind;
} verbs[] = {{"press", SCRIPT_EVENT, WINDOW_PRESS},
             {"move", SCRIPT_EVENT, WINDOW_MOVE},
             {"release", SCRIPT_EVENT, WINDOW_RELEASE},
             {"wheel", SCRIPT_EVENT, WINDOW_WHEEL},
             {"key", SCRIPT_EVENT, WINDOW_KEY},
             {"quit", SCRIPT_EVENT, WINDOW_QUIT},
             {"screenshot", SCRIPT_SCREENSHOT, WINDOW_CHANGED},
             {"status", SCRIPT_STATUS, WINDOW_CHANGED}};

// "shift left" is the key "left" while shift is held.
static bool read_key(const char* text, WindowEvent* event)
{
    event->shift = !strncmp(text, "shift ", 6);
    event->ctrl = !strncmp(text, "ctrl ", 5);
    text += event->shift ? 6 : event->ctrl ? 5 : 0;
    snprintf(event->key, sizeof event->key, "%.23s", text);
    return window_knows_key(text);
}

// What is wrong, or NULL.
static const char* understand(const Line* line, ScriptLine* out)
{
    static const char* const known[] = {"frame", "time", "after", "do", "x", "y", "button", "key", "file"};
    for (int k = 0; k < line->count; k++) {
        bool is_known = false;
        for (size_t n = 0; n < sizeof known / sizeof *known; n++)
            is_known |= !strcmp(line->field[k].name, known[n]);
        if (!is_known)
            return "allowed are frame, time, after, do, x, y, button, key and file";
    }
    const Field *verb = find(line, "do"), *key = find(line, "key"), *file = find(line, "file");
    size_t v = 0, verb_count = sizeof verbs / sizeof *verbs;
    while (v < verb_count && (!verb || !verb->is_text || strcmp(verb->text, verbs[v].name) != 0))
        v++;
    if (v == verb_count)
        return "\"do\" is press, move, release, wheel, key, screenshot, status or quit";
    double frame = number_of(line, "frame", -1), button = number_of(line, "button", 1);
    *out = (ScriptLine){.frame = (int64_t)frame,
                        .after = (int64_t)number_of(line, "after", -1),
                        .time = number_of(line, "time", 0),
                        .what = verbs[v].what};
    if (frame < 0 && out->after < 0 && !find(line, "time"))
        return "\"frame\", \"time\" or \"after\" is missing";
    if (!(button >= 1 && button <= 3))
        return "\"button\" is 1, 2 or 3";
    out->event = (WindowEvent){.kind = verbs[v].kind,
                               .x = number_of(line, "x", 0),
                               .y = number_of(line, "y", 0),
                               .button = (int)button,
                               .wheel = number_of(line, "y", 0)};
    if (out->event.kind == WINDOW_KEY && (!key || !key->is_text || !read_key(key->text, &out->event)))
        return "\"key\" is a name as space, f1, left, a or shift left";
    if (out->what == SCRIPT_SCREENSHOT && (!file || !file->is_text || !file->text[0]))
        return "\"file\" is missing";
    if (file)
        snprintf(out->file, sizeof out->file, "%s", file->text);
    return NULL;
}

static mn_Result add_line(Script* script, size_t* capacity, const char* text, const char* path, int number, mn_Error* error)
{
    Line line;
    if (script->count == *capacity) {
        size_t more = 2 * *capacity + 64;
        ScriptLine* grown = realloc(script->line, more * sizeof *grown);
        if (!grown)
            return error_set(error, MN_OUT_OF_MEMORY, "no memory");
        script->line = grown;
        *capacity = more;
    }
    const char* wrong = read_line(text, &line) ? understand(&line, &script->line[script->count]) : "expected one flat JSON object";
    if (wrong) {
        error_set(error, MN_BAD_INPUT, "%s", wrong);
        error_at(error, path, number, 0);
        return MN_BAD_INPUT;
    }
    script->count++;
    return MN_OK;
}

mn_Result script_read(Script* script, const char* path, mn_Error* error)
{
    *script = (Script){0};
    FILE* file = fopen(path, "r");
    if (!file) {
        error_set(error, MN_BAD_INPUT, "cannot read the actions");
        error_at(error, path, 0, 0);
        return MN_BAD_INPUT;
    }
    char text[1024];
    size_t capacity = 0;
    mn_Result result = MN_OK;
    for (int number = 1; result == MN_OK && fgets(text, sizeof text, file); number++)
        if (*skip(text))
            result = add_line(script, &capacity, text, path, number, error);
    fclose(file);
    if (result != MN_OK)
        script_free(script);
    return result;
}

void script_free(Script* script)
{
    free(script->line);
    *script = (Script){0};
}

const ScriptLine* script_due(Script* script, int64_t frame, double time)
{
    if (script->next == script->count)
        return NULL;
    const ScriptLine* line = &script->line[script->next];
    if (line->after >= 0 ? script->last + line->after > frame : line->frame >= 0 ? line->frame > frame : line->time > time)
        return NULL;
    script->last = frame;
    script->next++;
    return line;
}
