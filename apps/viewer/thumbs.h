// SPDX-License-Identifier: MIT
// Small pictures of scenes at their start, made one after the other in a thread of its own while somebody looks at the list.
#ifndef VIEWER_THUMBS_H
#define VIEWER_THUMBS_H

#include "render/picture.h"

enum { THUMB_WIDTH = 128, THUMB_HEIGHT = 72 };

typedef struct Thumbs Thumbs;

Thumbs* thumbs_open(void); // NULL: no memory, or no thread
// NULL is allowed. False: one that is being made takes longer than a second; then all of them stay, and the program should end.
bool thumbs_close(Thumbs* thumbs);
// The picture of a scene file, which stays; NULL: there is none yet, and it is asked for, or there cannot be one. What was asked
// for first is made first.
const Picture* thumbs_get(Thumbs* thumbs, const char* path);
void thumbs_forget_wishes(Thumbs* thumbs); // nobody looks at those any more; NULL is allowed

#endif
