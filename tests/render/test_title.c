// SPDX-License-Identifier: MIT
// Titles stand beside what pictures show, whatever their size.
#include "support.h"

#include "render/title.h"
#include <string.h>

static const Box3d tank = {{0, 0, 0}, {2, 1, 0.5}};

static Camera framed(int width, int height)
{
    Margins m = caption_margins(true, true, width, height);
    return camera_frame(tank, vec3d(-0.41, -0.33, -0.85), vec3d(0, 1, 0), 35, width, height, m);
}

static TitleCorner corner_of(const Camera* camera, bool inside, double floor)
{
    SubjectSolid solid[2] = {{.inside = inside, .reach = tank}, {.reach = {{-floor, -0.1, -floor}, {floor, 0, floor}}}};
    Subject subject = {.solid = solid, .solid_count = floor > 0 ? 2 : 1};
    Survey survey = {.box = tank};
    return title_corner(&survey, &subject, camera, "a tank");
}

// what is framed lies below the title in pictures of every size from 140 pixels on; smaller ones keep room for the subject
static void framing_leaves_room_for_the_title(void** state)
{
    static const int size[][2] = {{1280, 720}, {640, 480}, {320, 240}, {240, 180}, {200, 140}, {180, 320}, {480, 144}};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        Camera camera = framed(size[k][0], size[k][1]);
        CaptionRect rect = caption_title_rect("a tank", TITLE_TOP_LEFT, camera.width, camera.height);
        for (int c = 0; c < 8; c++) {
            double x, y, depth;
            assert_true(camera_project(&camera, vec3d(c & 1 ? 2 : 0, c & 2 ? 1 : 0, c & 4 ? 0.5 : 0), &x, &y, &depth));
            if (y < rect.y1)
                fail_msg("%d x %d: corner %d of the tank at %g, the title ends at %g", camera.width, camera.height, c, y, rect.y1);
        }
        assert_int_equal(corner_of(&camera, false, 0), TITLE_TOP_LEFT);
    }
    assert_near(caption_margins(true, true, 1280, 720).top, 0.12, 1e-12);
    assert_near(caption_margins(true, true, 96, 64).top, 0.12, 1e-12);
}

static void long_titles_end_within_the_picture(void** state)
{
    char title[200];
    memset(title, 'm', sizeof title - 1);
    title[sizeof title - 1] = 0;
    CaptionRect rect = caption_title_rect(title, TITLE_TOP_LEFT, 320, 240);
    assert_true(rect.x0 > 0 && rect.x1 <= 320);
}

// close to the tank only its wires are free; a body that fills the picture leaves no corner; a floor is no subject
static void a_full_picture_has_no_corner(void** state)
{
    Camera near = camera_look(vec3d(1, 0.5, 1.4), vec3d(1, 0.5, 0), vec3d(0, 1, 0), 60, 640, 480);
    assert_int_equal(corner_of(&near, false, 0), TITLE_CORNERS);
    assert_int_equal(corner_of(&near, true, 0), TITLE_TOP_LEFT);
    Camera far = framed(640, 480);
    assert_int_equal(corner_of(&far, true, 50), TITLE_TOP_LEFT);
}

// the fluid counts where it is, not the box around it: a stream in the middle leaves the corners above a pool free
static void fluid_counts_where_it_is(void** state)
{
    static Survey survey;
    Subject subject = {0};
    Camera front = camera_look(vec3d(0, 0.5, 3), vec3d(0, 0.5, 0), vec3d(0, 1, 0), 24, 640, 480);
    survey = (Survey){.box = tank};
    for (int k = 0; k < 1000; k++)
        survey.place[survey.place_count++] = (Vec3){k < 500 ? 0 : -1 + (float)(k - 500) / 250, k < 500 ? (float)k / 400 : 0, 0};
    assert_int_equal(title_corner(&survey, &subject, &front, "a stream"), TITLE_TOP_LEFT);
    for (int k = 0; k < 10; k++)
        survey.place[k] = (Vec3){-0.78f + 0.015f * (float)k, 1.05f, 0};
    assert_int_equal(title_corner(&survey, &subject, &front, "a stream"), TITLE_TOP_RIGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framing_leaves_room_for_the_title),
        cmocka_unit_test(long_titles_end_within_the_picture),
        cmocka_unit_test(a_full_picture_has_no_corner),
        cmocka_unit_test(fluid_counts_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
