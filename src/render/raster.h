// SPDX-License-Identifier: MIT
// Triangles and lines of solids. Walls of containers that stand between the camera and the fluid become panes: they leave
// what is behind visible and only mark the samples.
#ifndef RENDER_RASTER_H
#define RENDER_RASTER_H

#include "render/model.h"
#include "render/paint.h"
#include "render/tiles.h"

typedef enum SolidLook {
    LOOK_SOLID,     // lit on both sides
    LOOK_CONTAINER, // fluid lives within: faces seen from inside are drawn, those seen from outside are panes
    LOOK_TANK,      // thick walls around the fluid: faces that point away from `centre` are panes
    LOOK_EDGES,     // only the edges and the outline are drawn
    LOOK_GLASS,     // all faces are panes
} SolidLook;

typedef struct SolidItem {
    const Model* model;
    mn_Pose pose;
    SolidLook look;
    Vec3d centre;            // [m] LOOK_TANK: middle of the fluid
    Vec3 colour;             // sRGB
    const SolidPaint* paint; // instead of the colour; may be NULL
    bool coloured;           // far walls of a container are painted, not a shade of the background
} SolidItem;

// A triangle of a solid in view space.
typedef struct ViewTriangle {
    Vec3 corner[3];
    Vec3 normal[3];
    uint32_t solid;
    bool pane;
    bool outer; // its outer side is seen
    bool bare;  // LOOK_EDGES: not even a mark
    bool flat;  // all normals are the same
    bool inner; // a face at which the solid broke
} ViewTriangle;

// A clipped triangle in samples: inside where all edge functions e + a x + b y >= 0; 1/z (orthographic: z) is linear.
typedef struct ScreenTriangle {
    double a[3], b[3], e[3];
    double za, zb, ze;
    uint32_t source; // ViewTriangle
    float x0, y0, x1, y1;
} ScreenTriangle;

typedef struct TriangleList {
    size_t view_count, screen_count;
    ViewTriangle* view;
    ScreenTriangle* screen;
    TileRect* rect;
    TileLists lists;
    size_t view_capacity, screen_capacity, rect_capacity;
} TriangleList;

// How a face of a solid looks from a camera.
typedef struct FaceSide {
    bool outer; // its outer side is seen
    bool pane;
} FaceSide;
FaceSide face_side(const SolidItem* solid, const Camera* camera, size_t triangle);

// Whether a solid casts a shadow: containers and tanks let the light in.
bool casts_shadow(const SolidItem* solid);

// False: out of memory. `shadow`: panes are left out altogether. `cut` (may be NULL) opens solids; containers stay.
bool triangle_list_build(TriangleList* list, Pool* pool, const SolidItem* solids, size_t count, const SampleBuffer* target,
                         const CutAway* cut, bool shadow);
void triangle_list_free(TriangleList* list);

// Opaque triangles of this tile; ids are view triangles. Panes afterwards, when everything else is there.
void triangle_list_draw(const TriangleList* list, const SampleBuffer* target, Tile* tile, size_t tile_index);
void triangle_list_draw_panes(const TriangleList* list, const SampleBuffer* target, Tile* tile, size_t tile_index, float slack);

#endif
