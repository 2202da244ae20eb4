// SPDX-License-Identifier: MIT
// Things are as large as their boxes in all surveyed frames, so that the title does not jump. A box lies beside the title if some
// straight line does between them: that is tried in DIRECTIONS directions.
#include "render/title.h"

enum { DIRECTIONS = 48 };

static bool is_beside(const Camera* camera, Box3d box, CaptionRect rect)
{
    double x[8], y[8], depth;
    for (int k = 0; k < 8; k++)
        if (!camera_project(camera,
                            vec3d(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z),
                            &x[k], &y[k], &depth))
            return false; // it reaches behind the camera
    for (int d = 0; d < DIRECTIONS; d++) {
        double c = cos(6.283185307179586 * d / DIRECTIONS), s = sin(6.283185307179586 * d / DIRECTIONS);
        double near = (double)INFINITY, far = fmax(c * rect.x0, c * rect.x1) + fmax(s * rect.y0, s * rect.y1);
        for (int k = 0; k < 8; k++)
            near = fmin(near, c * x[k] + s * y[k]);
        if (near > far)
            return true;
    }
    return false;
}

// Floors and grounds that reach far beyond the picture are what the subject stands on.
static bool is_backdrop(const Survey* survey, Box3d box)
{
    Vec3d shown = vec3d_sub(survey->box.max, survey->box.min), size = vec3d_sub(box.max, box.min);
    double most = 1.5 * fmax(shown.x, fmax(shown.y, shown.z));
    return size.x > most || size.y > most || size.z > most;
}

static bool is_free(const Survey* survey, const Subject* subject, const Camera* camera, CaptionRect rect, bool containers)
{
    if (survey->has_fluid && !is_beside(camera, survey->fluid, rect))
        return false;
    for (size_t k = 0; k < subject->solid_count; k++) {
        const SubjectSolid* solid = &subject->solid[k];
        bool counts = !solid->inside || containers || solid->finish == MN_SOLID_FINISH_SOLID;
        bool is_there = solid->reach.min.x <= solid->reach.max.x && !is_backdrop(survey, solid->reach);
        if (counts && is_there && !is_beside(camera, solid->reach, rect))
            return false;
    }
    return true;
}

TitleCorner title_corner(const Survey* survey, const Subject* subject, const Camera* camera, const char* title)
{
    for (int containers = 1; containers >= 0; containers--)
        for (int corner = 0; corner < TITLE_CORNERS; corner++)
            if (is_free(survey, subject, camera, caption_title_rect(title, (TitleCorner)corner, camera->width, camera->height),
                        containers))
                return (TitleCorner)corner;
    return TITLE_CORNERS;
}
