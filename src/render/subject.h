// SPDX-License-Identifier: MIT
// What is to be drawn: a run folder, or a scene as it starts. Frames are loaded one at a time.
#ifndef RENDER_SUBJECT_H
#define RENDER_SUBJECT_H

#include "io/run_folder.h"
#include "render/scene_picture.h"

// One visible solid.
typedef struct SubjectSolid {
    size_t index; // in the scene
    TriMesh mesh; // own frame, scaled
    Model model;
    bool inside;
    mn_SolidFinish finish;
    bool coloured; // the scene says in which colour
    Box3d reach;   // [m] where it is in the frames that were surveyed; min > max before
    bool hides;    // a vessel that lets nothing of the fluid be seen; by the survey
} SubjectSolid;

typedef struct Subject {
    bool is_run;
    RunFolder run;       // if is_run
    mn_Scene* own_scene; // if not
    const mn_Scene* scene;
    mn_World* world;    // scenes, and runs whose boundary particles are shown; else NULL
    bool lends_world;   // the world belongs to somebody else
    size_t frame_count; // scenes: 1

    SubjectSolid* solid;
    size_t solid_count;
    char warning[256]; // a solid that could not be drawn; empty if none

    // the frame that was loaded last
    size_t frame_index;
    int frame_number;
    Frame frame;
    size_t fluid_particles; // that it came with: who draws it may take some away
    mn_Pose* pose;          // of every solid of the scene
    Frame foam;             // diffuse particles (io/foam_file.h); empty if there are none
    float* boundary;        // [m] x, y, z of boundary particles; empty unless asked for
    size_t boundary_count;
    bool wants_boundary;
    const char* foam_folder; // frames of diffuse particles that were made elsewhere; NULL: those of the run
} Subject;

// `sets` override keys of a scene; of a run only those of its view.
mn_Result subject_open(Subject* subject, const char* path, const char* const* sets, size_t set_count, mn_Error* error);
// A world as it is whenever subject_look_again is called. It and the scene must outlive the subject.
mn_Result subject_open_world(Subject* subject, const mn_Scene* scene, mn_World* world, mn_Error* error);
// From the next loading on, boundary particles are there too.
mn_Result subject_show_boundary(Subject* subject, mn_Error* error);
mn_Result subject_look_again(Subject* subject, int frame_number, mn_Error* error);
mn_Result subject_load(Subject* subject, size_t index, mn_Error* error);
void subject_close(Subject* subject);

// Boundary particles on the walls of containers that stand between `eye` and the fluid are dropped from the loaded frame.
void subject_drop_front(Subject* subject, Vec3d eye);

// The value of each particle of the loaded frame, for `colour` speed, pressure or density. False: out of memory.
bool subject_scalar(const Subject* subject, mn_ColourBy colour, float** scalar);
Vec3d subject_up(const Subject* subject);

#endif
