// SPDX-License-Identifier: MIT
// Scenes of other simulators. What has a counterpart is converted with the same meaning and units; what has none is noted, with its
// key and what happens instead.
#ifndef SCENE_FOREIGN_FOREIGN_H
#define SCENE_FOREIGN_FOREIGN_H

#include "mesh/tri_mesh.h"

typedef struct ForeignScene {
    const char* text;
    size_t size;
    const char* path;   // of the file, for messages
    const char* folder; // where its relative file names start
    const char* target; // folder of the scene that is made: file names are written relative to it
    const char* stem;   // what the names of files start with that are made beside it
    // A closed surface around the particles of a file, which are scaled first and then 2 r apart; a box of 12 triangles if they
    // fill one. False: `error` says why.
    bool (*wrap)(const char* path, Vec3d scale, double particle_radius, TriMesh* mesh, mn_Error* error);
} ForeignScene;

// A mesh that is in no file yet, for the folder of the new scene.
typedef struct ConversionFile {
    char name[96];
    char* text; // free with free()
} ConversionFile;

typedef struct Conversion {
    char* scene; // JSON, free with free(); NULL: failed
    char* notes; // a line each, free with free(); empty: everything was converted
    size_t note_count;
    ConversionFile* files;
    size_t file_count;
} Conversion;

// A scene of SPlisHSPlasH, flat (up to version 2.15) or with namespaces.
mn_Result splishsplash_to_scene(const ForeignScene* foreign, Conversion* out, mn_Error* error);
void conversion_free(Conversion* conversion);

// The other way, as far as the format goes: blocks of fluid and boxes. NULL: something has no counterpart, and the error names it.
// Free with free(). Its boxes are this mesh, in a file unit_box.obj beside the scene.
char* scene_to_splishsplash(const mn_Scene* scene, mn_Error* error);
extern const char splishsplash_unit_box[];

#endif
