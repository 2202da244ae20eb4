// SPDX-License-Identifier: MIT
// Solids that move are as large as their boxes in all surveyed frames, so that the title does not jump. A thing lies beside the
// title if some straight line lies between them: that is tried in DIRECTIONS directions.
#include "render/title.h"

#include <stdlib.h>

enum { DIRECTIONS = 48 };

static double nearest_along(const Camera* camera, const Vec3d* point, size_t count, double c, double s)
{
    double near = (double)INFINITY, x, y, depth;
    for (size_t k = 0; k < count; k++) {
        if (!camera_project(camera, point[k], &x, &y, &depth))
            return -(double)INFINITY; // it reaches behind the camera
        near = fmin(near, c * x + s * y);
    }
    return near;
}

static bool are_beside(const Camera* camera, const Vec3d* point, size_t count, CaptionRect rect)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        double c = cos(6.283185307179586 * d / DIRECTIONS), s = sin(6.283185307179586 * d / DIRECTIONS);
        double far = fmax(c * rect.x0, c * rect.x1) + fmax(s * rect.y0, s * rect.y1);
        if (nearest_along(camera, point, count, c, s) > far)
            return true;
    }
    return false;
}

static bool is_beside(const Camera* camera, Box3d box, CaptionRect rect)
{
    Vec3d corner[8];
    for (int k = 0; k < 8; k++)
        corner[k] = vec3d(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
    return are_beside(camera, corner, 8, rect);
}

// What stays where it is takes no more room than its vertices.
static bool solid_is_beside(const Subject* subject, const SubjectSolid* solid, const Camera* camera, CaptionRect rect)
{
    if (is_beside(camera, solid->reach, rect))
        return true;
    if (!subject->scene || subject->scene->solids[solid->index].type != MN_SOLID_STATIC)
        return false;
    const mn_Pose* pose = &subject->pose[solid->index];
    Vec3d* point = malloc((solid->mesh.vertex_count + 1) * sizeof *point);
    for (size_t v = 0; point && v < solid->mesh.vertex_count; v++)
        point[v] = vec3d_add(quat_rotate(pose->rotation, solid->mesh.vertex[v]), pose->position);
    bool beside = point && are_beside(camera, point, solid->mesh.vertex_count, rect);
    free(point);
    return beside;
}

// Floors and grounds that reach far beyond the picture are what the subject stands on.
static bool is_backdrop(const Survey* survey, Box3d box)
{
    Vec3d shown = vec3d_sub(survey->box.max, survey->box.min), size = vec3d_sub(box.max, box.min);
    double most = 1.5 * fmax(shown.x, fmax(shown.y, shown.z));
    return size.x > most || size.y > most || size.z > most;
}

// Free of fluid is what some particles of all frames do not reach; a stray drop may.
static bool is_dry(const Survey* survey, const Camera* camera, CaptionRect rect)
{
    int hits = 0;
    for (int k = 0; k < survey->place_count; k++) {
        Vec3 p = survey->place[k];
        double x, y, depth;
        hits += camera_project(camera, vec3d((double)p.x, (double)p.y, (double)p.z), &x, &y, &depth) && x > rect.x0 &&
                x < rect.x1 && y > rect.y0 && y < rect.y1;
    }
    return 300 * hits <= survey->place_count;
}

static bool is_free(const Survey* survey, const Subject* subject, const Camera* camera, CaptionRect rect, bool containers)
{
    if (!is_dry(survey, camera, rect))
        return false;
    for (size_t k = 0; k < subject->solid_count; k++) {
        const SubjectSolid* solid = &subject->solid[k];
        bool counts = !solid->inside || containers || solid->finish == MN_SOLID_FINISH_SOLID;
        bool is_there = solid->reach.min.x <= solid->reach.max.x && !is_backdrop(survey, solid->reach);
        if (counts && is_there && !solid_is_beside(subject, solid, camera, rect))
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
