// SPDX-License-Identifier: MIT
#include "thumbs.h"

#include <meniscus/meniscus.h>
#include <meniscus/output.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 256 };

// A few thousand particles are enough for a picture of this size.
static const double coarser = 2.5;

typedef enum ThumbState { THUMB_KNOWN, THUMB_WANTED, THUMB_READY, THUMB_FAILED } ThumbState;

typedef struct Thumb {
    char path[512];
    ThumbState state;
    uint64_t asked; // the larger, the later
    Picture picture;
} Thumb;

struct Thumbs {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    Thumb thumb[MOST];
    size_t count;
    uint64_t asked;
    bool quit;
};

// --- the thread

static mn_World* build(const char* path, double factor, mn_ViewDef* view, mn_Scene** scene)
{
    char radius[64];
    const char* sets[] = {radius};
    *scene = mn_scene_load(path, NULL, 0, NULL);
    if (!*scene)
        return NULL;
    if (factor > 1) {
        snprintf(radius, sizeof radius, "particle_radius=%.9g", factor * (*scene)->world.particle_radius);
        mn_scene_free(*scene);
        *scene = mn_scene_load(path, sets, 1, NULL);
    }
    if (!*scene)
        return NULL;
    (*scene)->world.threads = 1;
    *view = (*scene)->view;
    return mn_scene_build(*scene, NULL);
}

static bool make(const char* path, Picture* picture)
{
    mn_Scene* scene;
    mn_ViewDef view;
    mn_World* world = build(path, coarser, &view, &scene);
    if (!world) {
        mn_scene_free(scene);
        world = build(path, 1, &view, &scene); // it may need its own size
    }
    bool ok = world && mn_world_prepare(world, NULL) == MN_OK && picture_create(picture, THUMB_WIDTH, THUMB_HEIGHT);
    view.width = THUMB_WIDTH;
    view.height = THUMB_HEIGHT;
    view.colour_bar = view.time_stamp = false;
    view.title = "";
    view.caption_count = 0;
    if (ok && mn_world_picture(world, &view, 1, picture->rgb, NULL) != MN_OK) {
        picture_free(picture);
        ok = false;
    }
    mn_world_destroy(world);
    mn_scene_free(scene);
    return ok;
}

static Thumb* next_wanted(Thumbs* t)
{
    Thumb* best = NULL;
    for (size_t k = 0; k < t->count; k++)
        if (t->thumb[k].state == THUMB_WANTED && (!best || t->thumb[k].asked < best->asked))
            best = &t->thumb[k];
    return best;
}

static void* run(void* user)
{
    Thumbs* t = user;
    pthread_mutex_lock(&t->lock);
    while (!t->quit) {
        Thumb* thumb = next_wanted(t);
        if (!thumb) {
            pthread_cond_wait(&t->wake, &t->lock);
            continue;
        }
        pthread_mutex_unlock(&t->lock);
        Picture picture = {0};
        bool ok = make(thumb->path, &picture);
        pthread_mutex_lock(&t->lock);
        thumb->picture = picture;
        thumb->state = ok ? THUMB_READY : THUMB_FAILED;
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

// --- the window's side

Thumbs* thumbs_open(void)
{
    Thumbs* t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    if (!pthread_create(&t->thread, NULL, run, t))
        return t;
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    free(t);
    return NULL;
}

bool thumbs_close(Thumbs* t)
{
    enum { PATIENCE = 1 }; // [s]
    if (!t)
        return true;
    pthread_mutex_lock(&t->lock);
    t->quit = true;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->lock);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    if (pthread_timedjoin_np(t->thread, NULL, &until) != 0)
        return false;
    for (size_t k = 0; k < t->count; k++)
        picture_free(&t->thumb[k].picture);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    free(t);
    return true;
}

const Picture* thumbs_get(Thumbs* t, const char* path)
{
    pthread_mutex_lock(&t->lock);
    size_t k = 0;
    while (k < t->count && strcmp(t->thumb[k].path, path) != 0)
        k++;
    if (k == t->count && k < MOST) {
        snprintf(t->thumb[k].path, sizeof t->thumb[k].path, "%s", path);
        t->count++;
    }
    Thumb* thumb = k < t->count ? &t->thumb[k] : NULL;
    if (thumb && thumb->state == THUMB_KNOWN) {
        thumb->state = THUMB_WANTED;
        thumb->asked = ++t->asked;
        pthread_cond_signal(&t->wake);
    }
    const Picture* picture = thumb && thumb->state == THUMB_READY ? &thumb->picture : NULL;
    pthread_mutex_unlock(&t->lock);
    return picture;
}

void thumbs_forget_wishes(Thumbs* t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    for (size_t k = 0; k < t->count; k++)
        if (t->thumb[k].state == THUMB_WANTED)
            t->thumb[k].state = THUMB_KNOWN;
    pthread_mutex_unlock(&t->lock);
}
