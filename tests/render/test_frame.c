// SPDX-License-Identifier: MIT
#include "support.h"

#include "render/reference.h"
#include "render/scenery.h"
#include <unistd.h>

static Picture drawn(const RenderInput* input, int threads)
{
    Picture p;
    mn_Error error;
    Renderer* renderer = renderer_create(threads);
    assert_non_null(renderer);
    assert_true(picture_create(&p, input->camera.width, input->camera.height));
    assert_int_equal(render_frame(renderer, input, &p, &error), MN_OK);
    renderer_destroy(renderer);
    return p;
}

static void same_bits_for_any_number_of_threads(void** state)
{
    Scenery s;
    scenery_create(&s, 0.02, 320, 180);
    const mn_Style styles[] = {MN_STYLE_PARTICLES, MN_STYLE_LIQUID, MN_STYLE_SURFACE};
    const int threads[] = {2, 3, 8};
    for (int n = 0; n < 3; n++) {
        s.input.style = styles[n];
        Picture first = drawn(&s.input, 1);
        for (int k = 0; k < 3; k++) {
            Picture p = drawn(&s.input, threads[k]);
            assert_memory_equal(first.rgb, p.rgb, (size_t)p.width * (size_t)p.height * 3);
            picture_free(&p);
        }
        picture_free(&first);
    }
    scenery_free(&s);
}

// a renderer that has drawn something else before draws the same
static void no_trace_of_the_frame_before(void** state)
{
    Scenery large, small;
    scenery_create(&large, 0.02, 320, 180);
    scenery_create(&small, 0.05, 160, 96);
    Picture fresh = drawn(&small.input, 1), p, q;
    mn_Error error;
    Renderer* renderer = renderer_create(2);
    assert_true(picture_create(&p, 320, 180) && picture_create(&q, 160, 96));
    assert_int_equal(render_frame(renderer, &large.input, &p, &error), MN_OK);
    assert_int_equal(render_frame(renderer, &small.input, &q, &error), MN_OK);
    assert_memory_equal(fresh.rgb, q.rgb, 160 * 96 * 3);
    renderer_destroy(renderer);
    picture_free(&fresh);
    picture_free(&p);
    picture_free(&q);
    scenery_free(&large);
    scenery_free(&small);
}

// The measure sees a changed scene: without the ball it is far off.
static void compare_with_reference(Scenery* s, const char* name)
{
    Picture p = drawn(&s->input, 2);
    assert_below(difference_to_reference(&p, name), 0.3);
    picture_free(&p);
    s->input.solid_count = 2;
    p = drawn(&s->input, 2);
    if (!getenv("MENISCUS_WRITE_REFERENCE"))
        assert_true(difference_to_reference(&p, name) > 0.6);
    picture_free(&p);
}

static void particles_look_like_the_stored_picture(void** state)
{
    Scenery s;
    scenery_create(&s, 0.04, 96, 60);
    compare_with_reference(&s, "particles");
    scenery_free(&s);
}

static void liquids_look_like_the_stored_picture(void** state)
{
    Scenery s;
    Environment environment;
    FluidPaint water = {{2.2f, 0.8f, 0.4f}, 1.333f};
    scenery_create(&s, 0.03, 96, 60);
    mn_ViewDef view = {.background = {0.95, 0.96, 0.97}, .environment = {.sky = MN_SKY_DAY, .strength = 1}};
    environment_build(&environment, &view, &s.input.camera, s.input.up, NULL);
    s.input.caption = (Caption){0};
    s.input.style = MN_STYLE_LIQUID;
    s.input.environment = &environment;
    s.input.fluid_paint = &water;
    compare_with_reference(&s, "liquid");
    s.input.solid_count = 3;
    s.input.style = MN_STYLE_SURFACE;
    compare_with_reference(&s, "surface");
    scenery_free(&s);
}

// Painted solids: a checkerboard, a texture, metal; a ground of two colours; a scene cut open.
static void materials_look_like_the_stored_picture(void** state)
{
    Scenery s;
    Environment environment;
    Vec3 pixel[4] = {{0.8f, 0.1f, 0.1f}, {0.9f, 0.9f, 0.9f}, {0.9f, 0.9f, 0.9f}, {0.1f, 0.1f, 0.8f}};
    Image image = {2, 2, pixel};
    SolidPaint paint[3] = {{.colour = {0.6f, 0.7f, 0.8f}},
                           {.colour = {0.8f, 0.8f, 0.8f}, .patterned = true, .pattern = {.texture = &image, .size = 0.25f}},
                           {.finish = MN_FINISH_METAL, .colour = {0.9f, 0.6f, 0.2f}, .roughness = 0.1f}};
    Pattern ground = {.colour = {0.8f, 0.8f, 0.8f}, .checker = {0.2f, 0.2f, 0.25f}, .size = 0.25f};
    scenery_create(&s, 0.04, 96, 60);
    mn_ViewDef view = {.background = {0.95, 0.96, 0.97}, .environment = {.sky = MN_SKY_DAY, .strength = 1}};
    environment_build(&environment, &view, &s.input.camera, s.input.up, NULL);
    for (int k = 0; k < 3; k++)
        s.solid[k].paint = &paint[k];
    s.input.caption = (Caption){0};
    s.input.environment = &environment;
    s.input.ground_pattern = &ground;
    s.input.cut = (CutAway){true, 2, 0.62, true};
    compare_with_reference(&s, "materials");
    scenery_free(&s);
}

static const uint8_t* pixel_at(const Picture* p, const Camera* camera, Vec3d point)
{
    double x, y, depth;
    assert_true(camera_project(camera, point, &x, &y, &depth));
    assert_true(x >= 0 && y >= 0 && x < p->width && y < p->height);
    return p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x);
}

// Mean of blue minus red around a point of the world.
static double blueness(const Picture* p, const Camera* camera, Vec3d point)
{
    const uint8_t* c = pixel_at(p, camera, point);
    double sum = 0;
    for (int y = -3; y <= 3; y++)
        for (int x = -3; x <= 3; x++)
            sum += c[3 * (y * p->width + x) + 2] - c[3 * (y * p->width + x)];
    return sum / 49;
}

// the front wall of a container lets the water be seen; as a plain solid it would hide it
static void containers_are_see_through(void** state)
{
    Scenery s;
    scenery_create(&s, 0.04, 320, 192);
    s.input.caption = (Caption){0};
    Vec3d in_water = {0.5, 0.1, 1.0};
    Picture p = drawn(&s.input, 1);
    double through = blueness(&p, &s.input.camera, in_water);
    assert_true(through > 60);
    picture_free(&p);
    s.solid[0].look = LOOK_SOLID;
    s.solid[0].colour = (Vec3){0.7f, 0.7f, 0.7f};
    p = drawn(&s.input, 1);
    assert_below(blueness(&p, &s.input.camera, in_water), 25);
    picture_free(&p);
    scenery_free(&s);
}

// the ball's shadow darkens the water below it
static void things_cast_shadows(void** state)
{
    Scenery s;
    scenery_create(&s, 0.04, 320, 192);
    s.input.solids = s.solid + 2;
    s.input.solid_count = 0;
    Picture without = drawn(&s.input, 1);
    s.solid[2].pose.position = vec3d(1.2, 1.0, 0.6);
    s.input.solid_count = 1;
    Picture with = drawn(&s.input, 1);
    size_t darker = 0, lighter = 0;
    for (int y = 0; y < 192; y++)
        for (int x = 0; x < 320; x++) {
            size_t i = 3 * ((size_t)y * 320 + (size_t)x);
            bool blue = without.rgb[i + 2] > without.rgb[i] + 40 && with.rgb[i + 2] > with.rgb[i] + 20;
            darker += blue && with.rgb[i + 1] + 12 < without.rgb[i + 1];
            lighter += blue && with.rgb[i + 1] > without.rgb[i + 1] + 12;
        }
    assert_true(darker > 100);
    assert_below((double)lighter, 10);
    picture_free(&with);
    picture_free(&without);
    scenery_free(&s);
}

static void flat_scenes_show_discs_and_filled_outlines(void** state)
{
    float position[] = {0.5f, 0.5f, 0, 1.5f, 0.5f, 0};
    uint8_t fluid[] = {0, 1};
    TriMesh square = {0};
    Model model;
    for (int k = 0; k < 4; k++)
        tri_mesh_add_vertex(&square, vec3d(k == 1 || k == 2 ? 0.2 : -0.2, k >= 2 ? 0.2 : -0.2, 0));
    for (uint32_t k = 0; k < 4; k++)
        tri_mesh_add_segment(&square, k, (k + 1) % 4);
    assert_true(model_build(&model, &square));
    SolidItem solid = {&model, {{1, 0.5, 0}, {1, 0, 0, 0}}, LOOK_SOLID, {0, 0, 0}, {0.9f, 0.5f, 0.1f}, NULL, false};
    ParticleLook look = {.spheres = {2, position, 3, 0.2f}, .paint = PAINT_FLUID, .fluid = fluid};
    Box3d box = {{0, 0, -0.2}, {2, 1, 0.2}};
    RenderInput in = {.camera = camera_frame_orthographic(box, vec3d(0, 0, -1), vec3d(0, 1, 0), 200, 100, (Margins){0}),
                      .box = box,
                      .up = {0, 1, 0},
                      .flat = true,
                      .particle_radius = 0.2,
                      .particles = &look,
                      .particle_count = 1,
                      .solids = &solid,
                      .solid_count = 1,
                      .background = {1, 1, 1},
                      .samples = 2};
    Picture p = drawn(&in, 2);
    for (int k = 0; k < 2; k++) {
        const uint8_t* c = pixel_at(&p, &in.camera, vec3d(0.5 + k, 0.5, 0));
        Vec3 want = colour_of_fluid(k);
        assert_near(c[0], 255 * (double)want.x, 12);
        assert_near(c[2], 255 * (double)want.z, 12);
    }
    const uint8_t* c = pixel_at(&p, &in.camera, vec3d(1, 0.5, 0));
    assert_near(c[0], 255 * 0.9, 2);
    assert_near(c[2], 255 * 0.1, 2);
    c = pixel_at(&p, &in.camera, vec3d(0.5, 0.9, 0));
    assert_int_equal(c[0], 255);
    picture_free(&p);
    model_free(&model);
    tri_mesh_free(&square);
}

// nothing to draw, a camera inside the water, hostile numbers: a picture all the same
static void odd_inputs_still_give_a_picture(void** state)
{
    Scenery s;
    scenery_create(&s, 0.05, 64, 48);
    RenderInput in = s.input;
    in.particle_count = in.solid_count = 0;
    Picture p = drawn(&in, 1);
    picture_free(&p);
    in = s.input;
    in.camera = camera_look(vec3d(0.5, 0.1, 0.5), vec3d(1, 0.2, 0.5), vec3d(0, 1, 0), 120, 64, 48);
    p = drawn(&in, 2);
    picture_free(&p);
    for (int k = 0; k < 30; k++)
        s.position[k * 7] = k % 3 ? (k % 2 ? INFINITY : -1e38f) : NAN;
    s.scalar[5] = NAN;
    p = drawn(&s.input, 2);
    picture_free(&p);
    in = s.input;
    in.samples = 9;
    mn_Error error;
    assert_true(picture_create(&p, 64, 48));
    Renderer* renderer = renderer_create(1);
    assert_int_equal(render_frame(renderer, &in, &p, &error), MN_BAD_INPUT);
    renderer_destroy(renderer);
    picture_free(&p);
    scenery_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(no_trace_of_the_frame_before),
        cmocka_unit_test(particles_look_like_the_stored_picture),
        cmocka_unit_test(liquids_look_like_the_stored_picture),
        cmocka_unit_test(materials_look_like_the_stored_picture),
        cmocka_unit_test(containers_are_see_through),
        cmocka_unit_test(things_cast_shadows),
        cmocka_unit_test(flat_scenes_show_discs_and_filled_outlines),
        cmocka_unit_test(odd_inputs_still_give_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
