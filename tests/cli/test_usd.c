// SPDX-License-Identifier: MIT
// `meniscus surface --format usda` and `usdc` against the published rules of USD: the grammar of text layers, the sections of crate
// files, and what the schemas
// UsdGeomXform, UsdGeomMesh and UsdGeomPoints say about names, types and lengths of attributes. (OpenUSD documentation, "Schema
// classes" of UsdGeom and "USD file formats".)
#include "io/io_support.h"

#include "cli/usda.h"
#include "cli/usdc.h"
#include "io/usd_coding.h"
#include <ctype.h>
#include <sys/wait.h>

static const char scene[] =
    "{\"name\": \"block\", \"particle_radius\": 0.04, \"duration\": 0.06, \"frame_rate\": 50,"
    " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0.1, 0], \"max\": [0.3, 0.5, 0.3], \"velocity\": [1, 0, 0]}]}],"
    " \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.9, 0.9, 0.3]}, \"position\": [0.45, 0.45, 0.15], \"inside\": true},"
    "  {\"name\": \"2nd ball\", \"type\": \"kinematic\", \"shape\": {\"sphere\": 0.08}, \"position\": [0.7, 0.1, 0.15],"
    "   \"motion\": [{\"time\": 0}, {\"time\": 1, \"position\": [0.7, 1.1, 0.15], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": "
    "90}}]},"
    "  {\"name\": \"beam\", \"type\": \"elastic\", \"model\": \"fem\", \"shape\": {\"box\": [0.32, 0.08, 0.08]}, \"resolution\": "
    "0.08,"
    "   \"inner_colour\": [0.9, 0.2, 0.1], \"position\": [0.5, 0.7, 0.15]}],"
    " \"events\": [{\"time\": 0.03, \"cut\": \"beam\", \"point\": [0.5, 0, 0]}]}";

typedef struct Rule {
    const char *prim, *attribute, *type;
    bool uniform;
    const char* words; // allowed tokens, or NULL
    int arity;
} Rule;

static const Rule rules[] = {
    {"Mesh", "points", "point3f[]", false, NULL, 3},
    {"Mesh", "faceVertexCounts", "int[]", false, NULL, 1},
    {"Mesh", "faceVertexIndices", "int[]", false, NULL, 1},
    {"Mesh", "velocities", "vector3f[]", false, NULL, 3},
    {"Mesh", "normals", "normal3f[]", false, NULL, 3},
    {"Mesh", "extent", "float3[]", false, NULL, 3},
    {"Mesh", "primvars:displayColor", "color3f[]", false, NULL, 3},
    {"Mesh", "subdivisionScheme", "token", true, " catmullClark loop bilinear none ", 0},
    {"Mesh", "orientation", "token", true, " rightHanded leftHanded ", 0},
    {"Points", "points", "point3f[]", false, NULL, 3},
    {"Points", "velocities", "vector3f[]", false, NULL, 3},
    {"Points", "widths", "float[]", false, NULL, 1},
    {"Points", "ids", "int64[]", false, NULL, 1},
    {"Points", "extent", "float3[]", false, NULL, 3},
    {"Points", "primvars:displayColor", "color3f[]", false, NULL, 3},
    {"Xform", "xformOp:translate", "double3", false, NULL, 3},
    {"Xform", "xformOp:orient", "quatd", false, NULL, 4},
    {"Xform", "xformOpOrder", "token[]", true, " xformOp:translate xformOp:orient ", 0},
};

static const Rule* rule_of(const UsdaPrim* prim, const UsdaAttribute* a)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (!strcmp(rules[k].prim, prim->type) && !strcmp(rules[k].attribute, a->name))
            return &rules[k];
    return NULL;
}

static size_t items(const UsdaValue* v)
{
    return v->arity ? v->number_count / (size_t)v->arity : v->word_count;
}

// The value at a time: of that sample, or the one for all times.
static const UsdaValue* at(const UsdaAttribute* a, size_t sample)
{
    return a->sample_count ? &a->sample[sample] : &a->value;
}

static const char* check_value(const Rule* rule, const UsdaValue* v)
{
    if (v->is_array != (strstr(rule->type, "[]") != NULL))
        return "array or not";
    if (rule->arity && (v->word_count || (v->number_count && v->arity != rule->arity)))
        return "numbers in tuples of the wrong size";
    bool whole = !strncmp(rule->type, "int", 3);
    for (size_t k = 0; whole && k < v->number_count; k++)
        if (v->number[k] != floor(v->number[k]))
            return "whole numbers";
    for (size_t k = 0; rule->words && k < v->word_count; k++) {
        char word[USDA_NAME + 2];
        snprintf(word, sizeof word, " %s ", v->word[k]);
        if (!strstr(rule->words, word))
            return "a token that the schema does not have";
    }
    return NULL;
}

static const char* check_attribute(const UsdaPrim* prim, const UsdaAttribute* a)
{
    const Rule* rule = rule_of(prim, a);
    if (!rule)
        return "not in the schema";
    if (strcmp(rule->type, a->type) || rule->uniform != a->uniform)
        return "wrong type";
    if (rule->uniform && a->sample_count)
        return "uniform attributes do not change";
    if (!a->has_value && !a->sample_count)
        return "no value";
    for (size_t k = 1; k < a->sample_count; k++)
        if (!(a->code[k] > a->code[k - 1]))
            return "times do not ascend";
    for (size_t k = 0; k < (a->sample_count ? a->sample_count : 1); k++) {
        const char* trouble = check_value(rule, at(a, k));
        if (trouble)
            return trouble;
    }
    return NULL;
}

// --- lengths that belong together

static const char* check_extent(const UsdaValue* extent, const UsdaValue* points)
{
    if (items(extent) != 2)
        return "extent must have two points";
    for (size_t k = 0; k < points->number_count; k++) {
        double low = extent->number[k % 3], high = extent->number[3 + k % 3], eps = 1e-5;
        if (!(points->number[k] >= low - eps && points->number[k] <= high + eps))
            return "a point outside of extent";
    }
    return NULL;
}

static const char* check_mesh_at(const UsdaPrim* prim, size_t sample)
{
    const UsdaValue* points = at(usda_find(prim, "points"), sample);
    const UsdaValue* counts = at(usda_find(prim, "faceVertexCounts"), sample);
    const UsdaValue* indices = at(usda_find(prim, "faceVertexIndices"), sample);
    double sum = 0;
    for (size_t k = 0; k < counts->number_count; k++) {
        if (counts->number[k] < 3)
            return "a face with less than three corners";
        sum += counts->number[k];
    }
    if (sum != (double)indices->number_count)
        return "faceVertexCounts do not add up to the number of indices";
    for (size_t k = 0; k < indices->number_count; k++)
        if (indices->number[k] < 0 || indices->number[k] >= (double)items(points))
            return "an index without a point";
    const UsdaAttribute *velocities = usda_find(prim, "velocities"), *normals = usda_find(prim, "normals");
    if (velocities && items(at(velocities, sample)) != items(points))
        return "velocities";
    if (normals && (strcmp(normals->interpolation, "vertex") || items(at(normals, sample)) != items(points)))
        return "normals";
    return check_extent(at(usda_find(prim, "extent"), sample), points);
}

static const char* check_points_at(const UsdaPrim* prim, size_t sample)
{
    const UsdaValue *points = at(usda_find(prim, "points"), sample), *ids = at(usda_find(prim, "ids"), sample);
    const UsdaAttribute* widths = usda_find(prim, "widths");
    if (items(ids) != items(points) || items(at(usda_find(prim, "velocities"), sample)) != items(points))
        return "ids or velocities";
    for (size_t k = 0; k < ids->number_count; k++)
        for (size_t j = 0; j < k; j++)
            if (ids->number[k] == ids->number[j])
                return "the same id twice";
    if (!widths || strcmp(widths->interpolation, "constant") || items(at(widths, sample)) != 1)
        return "widths";
    return check_extent(at(usda_find(prim, "extent"), sample), points);
}

static const char* check_xform_at(const UsdaPrim* prim, size_t sample)
{
    const UsdaAttribute *order = usda_find(prim, "xformOpOrder"), *orient = usda_find(prim, "xformOp:orient");
    for (size_t k = 0; order && k < order->value.word_count; k++)
        if (!usda_find(prim, order->value.word[k]))
            return "xformOpOrder names what is not there";
    if (!orient)
        return NULL;
    if (!order)
        return "an operation that xformOpOrder does not name";
    const double* q = at(orient, sample)->number;
    return fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-6 ? NULL
                                                                                  : "a rotation that is not a unit quaternion";
}

static bool is_identifier(const char* name)
{
    bool good = name[0] && !isdigit((unsigned char)name[0]);
    for (; *name; name++)
        good = good && (isalnum((unsigned char)*name) || *name == '_');
    return good;
}

// All that is wrong with a prim and its children; an empty text is good.
static void check_prim(const UsdaPrim* prim, char* trouble, size_t size)
{
    const char* why = is_identifier(prim->name) ? NULL : "its name is not an identifier";
    size_t samples = 1;
    for (size_t k = 0; k < prim->attribute_count && !why; k++) {
        const UsdaAttribute* a = prim->attribute[k];
        why = check_attribute(prim, a);
        samples = a->sample_count > samples ? a->sample_count : samples;
        if (why)
            snprintf(trouble, size, "%s.%s: %s", prim->name, a->name, why);
    }
    for (size_t k = 0; k < prim->attribute_count && !why; k++)
        if (prim->attribute[k]->sample_count && prim->attribute[k]->sample_count != samples)
            why = "attributes have samples at different times";
    for (size_t k = 0; k < samples && !why; k++)
        why = !strcmp(prim->type, "Mesh")     ? check_mesh_at(prim, k)
              : !strcmp(prim->type, "Points") ? check_points_at(prim, k)
              : !strcmp(prim->type, "Xform")  ? check_xform_at(prim, k)
                                              : "its type is not known";
    if (why && !trouble[0])
        snprintf(trouble, size, "%s: %s", prim->name, why);
    for (size_t k = 0; k < prim->child_count; k++)
        check_prim(prim->child[k], trouble, size);
}

// --- the tests

static const UsdaPrim* child(const UsdaPrim* prim, const char* name)
{
    for (size_t k = 0; k < prim->child_count; k++)
        if (!strcmp(prim->child[k]->name, name))
            return prim->child[k];
    fail_msg("there is no prim %s in %s", name, prim->name);
    return NULL;
}

static const UsdaValue* metadata(const UsdaLayer* layer, const char* name)
{
    for (size_t k = 0; k < layer->metadata_count; k++)
        if (!strcmp(layer->metadata[k]->name, name))
            return &layer->metadata[k]->value;
    fail_msg("the layer does not say its %s", name);
    return NULL;
}

static FileBytes written_layer(const char* folder, const char* format)
{
    char path[300], command[1200];
    snprintf(path, sizeof path, "%s/scene.json", folder);
    write_bytes(path, scene, sizeof scene - 1);
    snprintf(command, sizeof command,
             "cd %s && m=%s/bin/meniscus && { [ -d run ] || $m run scene.json --out run --quiet >out.txt 2>&1; } && "
             "$m surface run -o usd --format %s --quiet >out.txt 2>&1",
             folder, MENISCUS_BINARY_DIR, format);
    int status = system(command);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    snprintf(path, sizeof path, "%s/usd/run.%s", folder, format);
    return bytes_of(path);
}

static void layers_follow_the_rules(void** state)
{
    FileBytes bytes = written_layer(*state, "usda");
    UsdaLayer layer;
    char trouble[300] = "";
    usda_read(&layer, bytes.data);
    if (layer.trouble[0])
        fail_msg("line %d: %s", layer.line, layer.trouble);
    check_prim(layer.root, trouble, sizeof trouble);
    assert_string_equal(trouble, "");

    assert_string_equal(metadata(&layer, "defaultPrim")->word[0], layer.root->name);
    assert_string_equal(metadata(&layer, "upAxis")->word[0], "Y");
    assert_near(metadata(&layer, "metersPerUnit")->number[0], 1, 0);
    assert_near(metadata(&layer, "timeCodesPerSecond")->number[0], 50, 0);
    const UsdaPrim *surface = child(layer.root, "water_surface"), *particles = child(layer.root, "water_particles");
    assert_string_equal(surface->type, "Mesh");
    assert_string_equal(particles->type, "Points");
    const UsdaAttribute* points = usda_find(surface, "points");
    assert_int_equal(points->sample_count, 4);
    assert_near(points->code[0], metadata(&layer, "startTimeCode")->number[0], 0);
    assert_near(points->code[3], metadata(&layer, "endTimeCode")->number[0], 0);
    assert_near(usda_find(particles, "widths")->value.number[0], 0.08, 1e-7);

    // solids are transforms with a mesh below; this one moves and turns
    const UsdaPrim* ball = child(layer.root, "_2nd_ball_solid");
    assert_string_equal(ball->type, "Xform");
    assert_string_equal(child(ball, "mesh")->type, "Mesh");
    assert_near(usda_find(ball, "xformOp:translate")->sample[3].number[1], 0.16, 1e-6);
    assert_near(usda_find(ball, "xformOp:orient")->sample[3].number[2], sin(0.5 * 0.06 * 1.5707963), 1e-6);

    // one that deforms is a mesh with other points in every frame, and other triangles after it was cut
    const UsdaPrim* beam = child(layer.root, "beam_solid");
    assert_string_equal(beam->type, "Mesh");
    const UsdaAttribute *corners = usda_find(beam, "faceVertexIndices"), *places = usda_find(beam, "points");
    assert_int_equal(places->sample_count, 4);
    assert_int_equal(corners->sample[0].number_count, 3 * 4 * (4 * 2 + 1));
    assert_int_equal(corners->sample[1].number_count, corners->sample[0].number_count);
    assert_int_equal(corners->sample[2].number_count, corners->sample[0].number_count + 3 * 4);
    assert_int_equal(places->sample[2].number_count, places->sample[0].number_count + 3 * 4);
    assert_true(places->sample[1].number[1] < places->sample[0].number[1]); // it falls
    // a colour per face: those of the cut come last
    const UsdaAttribute* colour = usda_find(beam, "primvars:displayColor");
    assert_string_equal(colour->interpolation, "uniform");
    for (size_t k = 0; k < 4; k++) {
        size_t faces = corners->sample[k].number_count / 3, cut = k < 2 ? 0 : 4;
        assert_int_equal(items(&colour->sample[k]), faces);
        for (size_t f = 0; f < faces; f++)
            assert_near(colour->sample[k].number[3 * f], f < faces - cut ? 0.6 : 0.9, 1e-6);
    }
    usda_free(&layer);
    file_bytes_free(&bytes);
}

// --- crate files

static double random_integer(int kind, size_t k)
{
    uint32_t r = (uint32_t)(k * 2654435761u) ^ (uint32_t)(k >> 3) * 40503u;
    return kind == 0   ? 3
           : kind == 1 ? (double)k
           : kind == 2 ? (double)(r % 200)
           : kind == 3 ? (double)(r % 70000)
                       : (double)r - 2e9;
}

static void integers_come_back(void** state)
{
    (void)state;
    enum { MOST = 5000 };
    int32_t narrow[MOST];
    int64_t wide[MOST], back[MOST];
    for (int kind = 0; kind < 5; kind++)
        for (size_t count = 1; count < MOST; count = count * 2 + 1) {
            for (size_t k = 0; k < count; k++) {
                double x = random_integer(kind, k);
                narrow[k] = (int32_t)fmax(-2147483647, fmin(x, 2147483647));
                wide[k] = (int64_t)x * (kind == 4 ? 4000000000 : 1);
            }
            size_t bytes = 0;
            uint8_t* packed = integers_pack(narrow, count, false, &bytes);
            assert_true(integers_unpack(packed, bytes, count, false, back));
            for (size_t k = 0; k < count; k++)
                assert_int_equal(back[k], narrow[k]);
            assert_true(kind > 1 || bytes < 40 + count / 50);
            free(packed);
            packed = integers_pack(wide, count, true, &bytes);
            assert_true(integers_unpack(packed, bytes, count, true, back));
            assert_memory_equal(back, wide, count * sizeof *wide);
            free(packed);
        }
}

static void same_value(const char* name, const UsdaValue* a, const UsdaValue* b, double within)
{
    if (a->number_count != b->number_count || a->word_count != b->word_count || a->is_array != b->is_array ||
        (a->number_count && a->arity != b->arity))
        fail_msg("%s: %zu, %zu numbers, %zu, %zu words", name, a->number_count, b->number_count, a->word_count, b->word_count);
    for (size_t k = 0; k < a->number_count; k++)
        if (!(fabs(a->number[k] - b->number[k]) <= within * (1 + 1e-3 * fabs(a->number[k]))))
            fail_msg("%s: number %zu is %.9g and %.9g", name, k, a->number[k], b->number[k]);
    for (size_t k = 0; k < a->word_count; k++)
        assert_string_equal(a->word[k], b->word[k]);
}

// As text rounds: a thousandth of the particle radius, of its way in a frame for velocities, and of 1 for normals.
static double rounding(const UsdaAttribute* a)
{
    bool whole = !strncmp(a->type, "int", 3);
    return whole ? 0 : !strcmp(a->name, "velocities") ? 0.5e-2 : !strcmp(a->name, "normals") ? 0.5e-3 + 1e-7 : 0.5e-4;
}

static void same_prim(const UsdaPrim* a, const UsdaPrim* b)
{
    assert_string_equal(a->type, b->type);
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->attribute_count, b->attribute_count);
    assert_int_equal(a->child_count, b->child_count);
    for (size_t k = 0; k < a->attribute_count; k++) {
        const UsdaAttribute *x = a->attribute[k], *y = usda_find(b, x->name);
        if (!y || strcmp(x->type, y->type) || strcmp(x->interpolation, y->interpolation) || x->uniform != y->uniform ||
            x->has_value != y->has_value || x->sample_count != y->sample_count)
            fail_msg("%s.%s is told in another way", a->name, x->name);
        if (x->has_value)
            same_value(x->name, &x->value, &y->value, 1e-6);
        for (size_t j = 0; j < x->sample_count; j++) {
            assert_near(x->code[j], y->code[j], 0);
            same_value(x->name, &x->sample[j], &y->sample[j], rounding(x));
        }
    }
    for (size_t k = 0; k < a->child_count; k++)
        same_prim(a->child[k], b->child[k]);
}

static void crate_says_the_same(void** state)
{
    FileBytes text = written_layer(*state, "usda"), crate = written_layer(*state, "usdc");
    UsdaLayer a, b;
    char trouble[300] = "";
    usda_read(&a, text.data);
    usdc_read(&b, (const uint8_t*)crate.data, crate.size);
    assert_string_equal(a.trouble, "");
    assert_string_equal(b.trouble, "");
    check_prim(b.root, trouble, sizeof trouble);
    assert_string_equal(trouble, "");
    same_prim(a.root, b.root);
    assert_int_equal(a.metadata_count, b.metadata_count);
    for (size_t k = 0; k < a.metadata_count; k++) {
        const char* name = a.metadata[k]->name;
        same_value(name, &a.metadata[k]->value, metadata(&b, strcmp(name, "doc") ? name : "documentation"), 0);
    }
    assert_true(2 * crate.size < text.size);
    usda_free(&b);
    usdc_read(&b, (const uint8_t*)crate.data, crate.size - 32); // what is cut off is not read as if it were whole
    assert_true(b.trouble[0]);
    usda_free(&b);
    usda_free(&a);
    file_bytes_free(&text);
    file_bytes_free(&crate);
}

// The checker itself finds what is wrong: one change at a time to a good layer.
static void mistakes_are_found(void** state)
{
    static const char good[] =
        "#usda 1.0\n(\n    upAxis = \"Y\"\n)\n\ndef Xform \"World\"\n{\n    def Mesh \"m\"\n    {\n"
        "        uniform token subdivisionScheme = \"none\"\n        int[] faceVertexCounts = [3]\n"
        "        int[] faceVertexIndices = [0, 1, 2]\n        point3f[] points.timeSamples = {\n"
        "            0: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],\n            1: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],\n"
        "        }\n        float3[] extent = [(0, 0, 0), (1, 1, 0)]\n    }\n}\n";
    static const char* const change[][2] = {{"[3]", "[4]"},
                                            {"[0, 1, 2]", "[0, 1, 3]"},
                                            {"[0, 1, 2]", "[0, 1.5, 2]"},
                                            {"point3f[]", "float3[]"},
                                            {"\"none\"", "\"flat\""},
                                            {"uniform token", "token"},
                                            {"            1:", "            0:"},
                                            {"(1, 1, 0)]", "(0.5, 1, 0)]"},
                                            {"(1, 0, 0), (0", "(1, 0), (0"},
                                            {"\"m\"", "\"m m\""},
                                            {"def Mesh", "def Cubes"},
                                            {"upAxis =", "upAxis"},
                                            {"(0, 1, 0)],\n            1", "(0, 1, 0)]\n            1"}};
    for (size_t k = 0; k <= sizeof change / sizeof *change; k++) {
        char text[2000], trouble[300] = "";
        strcpy(text, good);
        if (k > 0) {
            char* place = strstr(text, change[k - 1][0]);
            assert_non_null(place);
            snprintf(place, sizeof text - (size_t)(place - text), "%s%s", change[k - 1][1],
                     good + (place - text) + strlen(change[k - 1][0]));
        }
        UsdaLayer layer;
        usda_read(&layer, text);
        if (!layer.trouble[0])
            check_prim(layer.root, trouble, sizeof trouble);
        bool found = layer.trouble[0] || trouble[0];
        if (found != (k > 0))
            fail_msg("change %zu: %s%s", k, layer.trouble, trouble);
        usda_free(&layer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(layers_follow_the_rules, folder_make, folder_remove),
        cmocka_unit_test(integers_come_back),
        cmocka_unit_test_setup_teardown(crate_says_the_same, folder_make, folder_remove),
        cmocka_unit_test(mistakes_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
