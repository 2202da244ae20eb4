// SPDX-License-Identifier: MIT
// Where the title may stand without covering what the picture is about.
#ifndef RENDER_TITLE_H
#define RENDER_TITLE_H

#include "render/caption.h"
#include "render/survey.h"

// The first corner in which a title of this width is clear of fluid, solids and containers; if there is none, clear of all but
// containers; if there is none either, TITLE_CORNERS.
TitleCorner title_corner(const Survey* survey, const Subject* subject, const Camera* camera, const char* title);

#endif
